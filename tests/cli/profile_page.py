# SPDX-License-Identifier: Apache-2.0
"""Parses the page of a profile: profile_page.py PAGE.html PROFILE.json.

Elements are closed in order, nothing is loaded from elsewhere, each instruction's line has its bar.
"""
import html.parser
import json
import sys

# Without an end tag, or with one that may be left out.
VOID = {"meta", "br", "path", "circle", "td", "th", "tr", "p"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.tables, self.svgs, self.row = [], [], 0, None

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if "src" in attrs or tag == "link":
            sys.exit(f"profile_page: <{tag}> loads a file")
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tbody":
            self.tables.append([])
        if tag == "tr" and "tbody" in self.open:
            self.tables[-1].append([])
        if tag == "td" and "tbody" in self.open:
            self.tables[-1][-1].append(float(attrs.get("data-v", "nan")))
        self.svgs += tag == "svg"

    def handle_endtag(self, tag):
        if tag == "html" or tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            sys.exit(f"profile_page: </{tag}> at {self.getpos()} closes another element")


def main():
    page, kernels = Page(), json.load(open(sys.argv[2]))["runs"][0]["kernels"]
    page.feed(open(sys.argv[1]).read())
    shown = [{row[0]: row for row in table} for table in page.tables]
    for kernel in kernels:
        tables = [shown.pop(0) for _ in range(1 + ("cuda" in kernel))]
        for key, table in zip(["line", "cuda_line"][-len(tables):][::-1] if len(tables) > 1 else ["line"], tables):
            cost = {}
            for inst in kernel["instructions"]:
                cycles = sum(v for k, v in inst["counts"]["scheduler_cycles"].items())
                cost[inst.get(key, 0)] = cost.get(inst.get(key, 0), 0) + cycles
            for line, cycles in cost.items():
                if (line or key == "line") and table[line][1] != cycles:
                    sys.exit(f"profile_page: {key} {line} shows {table[line][1]} cycles, not {cycles}")
    lines = sum(len(t) for t in page.tables)
    print(f"{len(page.tables)} tables, {lines} lines, {page.svgs} roofs")


main()
