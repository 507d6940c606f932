# SPDX-License-Identifier: Apache-2.0
"""Reads a file for Konata: kanata_check.py F.kanata [WORD]. Of the first line that begins with WORD nothing is read.

Stages of an instruction follow each other, each instruction is retired once, producers are older than their consumers.
"""
import sys

lines = open(sys.argv[1]).read().splitlines()
if len(sys.argv) > 2:
    lines.pop(next(i for i, line in enumerate(lines) if line.startswith(sys.argv[2])))
if lines[0] != "Kanata\t0004" or not lines[1].startswith("C=\t"):
    sys.exit("kanata_check: not a file of version 4")
rows, retired, arrows, cycle = {}, 0, 0, int(lines[1].split("\t")[1])
for number, line in enumerate(lines[2:], 3):
    word, *of = line.split("\t")
    if word == "C":
        cycle += int(of[0])
        continue
    row = int(of[0])
    if word == "I":
        if row != len(rows):
            sys.exit(f"kanata_check: line {number}: instruction {row} is not the next")
        rows[row] = None
    elif row not in rows:
        sys.exit(f"kanata_check: line {number}: instruction {row} has not begun")
    elif word == "S":
        if rows[row]:
            sys.exit(f"kanata_check: line {number}: stage {rows[row]} has not ended")
        rows[row] = of[2]
    elif word == "E":
        if rows[row] != of[2]:
            sys.exit(f"kanata_check: line {number}: stage {of[2]} has not begun")
        rows[row] = None
    elif word == "R":
        if rows[row] or int(of[1]) != retired:
            sys.exit(f"kanata_check: line {number}: instruction {row} retires at the wrong place")
        rows[row], retired = "retired", retired + 1
    elif word == "W":
        arrows += 1
        if int(of[1]) >= row:
            sys.exit(f"kanata_check: line {number}: the producer is younger")
if retired != len(rows):
    sys.exit(f"kanata_check: {len(rows)} instructions, {retired} retired")
print(f"{retired} instructions retired, {arrows} arrows, last cycle {cycle}")
