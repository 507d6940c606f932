# SPDX-License-Identifier: Apache-2.0
# Pages of `verify --cover DIR` against its report. Usage: coverage_page.py DIR (with report.json and html/)
import json
import re
import sys


def rows(page):
    return re.findall(r'<td class="n[^"]*">(\d+) of (\d+)</td>', page)


folder = sys.argv[1]
index = open(f"{folder}/html/index.html").read()
blocks = json.load(open(f"{folder}/report.json"))["blocks"]
for block in blocks:
    name, bins = block["name"], block["bins"]
    want = [(bins["hit"], bins["declared"] - len(bins["waived"]))]
    want += [(block["code"][k]["hit"], block["code"][k]["points"]) for k in ("lines", "branches", "toggles")]
    want = [(str(a), str(b)) for a, b in want]
    row = next(r for r in index.split("<tr>") if f'"{name}.html"' in r)
    assert rows(row) == want, (name, rows(row), want)
    page = open(f"{folder}/html/{name}.html").read()
    assert rows(page.split("</table>")[0]) == want, name
    for group, members in bins["groups"].items():
        for member, hits in members.items():
            assert f"<code>{member}</code> {hits} " in page, (name, group, member)
    nets = page.split('id="toggles"')[1]
    bits = sum(int(b) for _, b in rows(nets))
    assert bits == block["code"]["toggles"]["points"] + block["code"]["toggles"]["waived"], (name, bits)
    hit = sum(int(a) for a, _ in rows(nets))
    assert hit >= block["code"]["toggles"]["hit"], (name, hit)
    assert f"rtl/{'regmutex'}/{name}.sv" in page and 'class="src"' in page
print(f"pages hold {len(blocks)} blocks")
