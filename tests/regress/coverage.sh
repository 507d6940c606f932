# SPDX-License-Identifier: Apache-2.0
# The page adds up the coverage of a block's cases in a shape: bins, lines, branches, toggles.
. "$(dirname "$0")/lib.sh"
cat >s.yaml <<'Y'
name: s
jobs:
  - {name: c, verify: arch_to_phys, machine: cover, transactions: 30, seeds: 3, cover: yes}
  - {name: w, verify: arch_to_phys, machine: cover, transactions: 30}
Y
expect 0 "$smcosim" regress s.yaml --out a
expect 0 "$smcosim" regress s.yaml --out again
python3 - <<'P'
import glob, json, re, sqlite3
cases = [json.load(open(f))["blocks"][0] for f in glob.glob("a/cases/*/report.json")]
assert len(cases) == 4 and len({c["shape"] for c in cases}) == 1
covered = [c for c in cases if c["code"]]
assert len(covered) == 3
page = open("a/index.html").read().split('id="coverage"')[1].split("</table>")[0]
row = next(r for r in page.split("<tr>") if f"arch_to_phys[{covered[0]['shape']}]" in r)
found = [tuple(map(int, x)) for x in re.findall(r'<td class="n">(\d+) of (\d+)</td>', row)]
hits, want = {}, []
for c in cases:
    waived = {(w["group"], w["name"]) for w in c["bins"]["waived"]}
    for group, bins in c["bins"]["groups"].items():
        for name, n in bins.items():
            if n or (group, name) not in waived:
                hits[group, name] = hits.get((group, name), 0) + n
want.append((sum(n > 0 for n in hits.values()), len(hits)))
for kind in ("lines", "branches", "toggles"):
    missing = [{json.dumps(m, sort_keys=True) for m in c["code"][kind]["missing"] if "waived" not in m} for c in covered]
    points = covered[0]["code"][kind]["points"]
    for c, m in zip(covered, missing):
        assert c["code"][kind]["hit"] == points - len(m), (kind, c["code"][kind]["hit"], points, len(m))
    want.append((points - len(set.intersection(*missing)), points))
assert found == want, (found, want)
# Report and history say the same; the page shows it over campaigns.
kinds = ("bins", "lines", "branches", "toggles")
merged = [b for b in json.load(open("a/report.json"))["coverage"] if b["block"] == f"arch_to_phys[{covered[0]['shape']}]"]
assert [(merged[0][k]["hit"], merged[0][k]["points"]) for k in kinds] == want, merged
rows = {r[0]: (r[2], r[1]) for r in sqlite3.connect("smcosim-history.db").execute("SELECT what, points, hit FROM coverage WHERE campaign = 1")}
assert [rows[k] for k in kinds] == want, rows
trend = open("again/index.html").read().split('id="trend"')[1].split("</table>")[0]
assert trend.count("<circle") == 8 and f"toggles: {100 * want[3][0] / want[3][1]:.1f} %" in trend, trend
one = max(c["code"]["toggles"]["hit"] for c in covered)
assert want[3][0] > one, "three short cases together reach no more than one of them"
assert len(re.findall(r'href="[^"]*/cover/html/index.html"', open("a/index.html").read())) == 3
P
[ -s "$(find a -path '*cover/html/arch_to_phys.html' | head -1)" ] || fail "no page of the case"
printf 'name: s\njobs:\n  - {name: c, verify: arch_to_phys, cover: maybe}\n' >bad.yaml
expect 2 "$smcosim" regress bad.yaml --out b
