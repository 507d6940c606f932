#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the drawing of `run --pipe FROM-TO` with the Kanata file of the same run, which has all of it.

Usage: pipe_check.py DRAWING KANATA [cell|row]    the last word: a fault that is made first
"""
import sys

LETTER = {"Is": "I", "Co": "C", "Ex": "E", "Rs": "r", "Wr": "W"}
LABEL = 44


def drawn(path, fault):
    """(FROM, TO) and {(warp, pc, cells)} counted, of the drawing."""
    lines = open(path).read().split("\n")
    words = lines[0].split()
    first, last = int(words[2]), int(words[4].rstrip(":"))
    rows = [line for line in lines[2:] if line[:1] == "w" and line[1:2].isdigit()]
    if fault == "cell":
        rows[5] = rows[5].replace("E", "C", 1)
    if fault == "row":
        del rows[5]
    return first, last, sorted((int(r[1:4]), int(r[4:9]), r[LABEL:].rstrip()) for r in rows)


def told(path, first, last):
    """The same by the Kanata file."""
    cycle, insts = 0, {}
    for line in open(path):
        part = line.rstrip("\n").split("\t")
        if part[0] == "C=":
            cycle = int(part[1])
        elif part[0] == "C":
            cycle += int(part[1])
        elif part[0] == "I":
            insts[part[1]] = (int(part[3]), int(part[2]), {}, [])
        elif part[0] == "S":
            insts[part[1]][3].append((LETTER[part[3]], cycle))
        elif part[0] == "E":
            letter, since = insts[part[1]][3][-1]
            for at in range(since, max(cycle, since + 1)):
                insts[part[1]][2][at] = letter
    rows = []
    for warp, pc, cells, _ in insts.values():
        text = "".join(cells.get(at, " ") for at in range(first, last + 1)).rstrip()
        if text:
            rows.append((warp, pc, text))
    return sorted(rows)


first, last, rows = drawn(sys.argv[1], sys.argv[3] if len(sys.argv) > 3 else "")
expected = told(sys.argv[2], first, last)
for row, other in zip(rows, expected):
    if row != other:
        sys.exit(f"pipe_check: drawn {row}, expected {other}")
if len(rows) != len(expected):
    sys.exit(f"pipe_check: {len(rows)} rows, expected {len(expected)}")
print(f"{len(rows)} rows")
