#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Instructions of each golden model per busy and per idle cycle, counted by callgrind, against recorded ceilings.

usage: work.py GOLDEN_WORK CEILINGS BLOCKS_H | GOLDEN_WORK CEILINGS --write

A line of CEILINGS: BUSY IDLE BLOCK [PARAMETER=VALUE ..]. More than a ceiling fails: a model does work that follows no
change. Less than half of a ceiling fails too, so that ceilings fall with the models. --write lowers them to what was
counted, with a quarter of room for other compilers, and raises none.
"""
import os, shutil, subprocess, sys, tempfile

ROOM = 1.25


def read_ceilings(path):
    rows = []
    for line in open(path):
        words = line.split()
        if words and not line.startswith("#"):
            rows.append((int(words[0]), int(words[1]), words[2:]))
    return rows


def part_total(path):
    for line in open(path):
        if line.startswith(("totals:", "summary:")):
            return int(line.split()[1])
    sys.exit(f"{path}: no total")


def count(program, rows):
    """Busy and idle instructions per cycle, a pair per row."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "part")
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--toggle-collect=measured",
             "--dump-before=end_part", program],
            input="".join(" ".join(words) + "\n" for _, _, words in rows), text=True, capture_output=True)
        if run.returncode:
            sys.exit(f"golden_work: exit status {run.returncode}\n{run.stderr}")
        answers = [line.split() for line in run.stdout.splitlines()]
        if [a[0] for a in answers] != [words[0] for _, _, words in rows]:
            sys.exit(f"golden_work answers for other blocks: {run.stdout}")
        return [tuple(part_total(f"{out}.{2 * i + part}") // int(answers[i][1]) for part in (1, 2))
                for i in range(len(rows))]


def judge(rows, counted):
    wrong = []
    for (*ceilings, words), found in zip(rows, counted):
        for what, most, n in zip(("busy", "idle"), ceilings, found):
            if n == 0:
                wrong.append(f"{words[0]}: nothing was counted in a {what} cycle")
            if n > most:
                wrong.append(f"{' '.join(words)}: {n} instructions per {what} cycle, at most {most} are allowed")
            if n < most / 2:
                wrong.append(f"{' '.join(words)}: {n} instructions per {what} cycle, less than half of {most}: lower the ceiling")
    return wrong


def write(path, rows, counted):
    comments = [line for line in open(path) if line.startswith("#")]
    with open(path, "w") as f:
        f.writelines(comments)
        for (busy, idle, words), found in zip(rows, counted):
            busy, idle = (min(most, int(n * ROOM)) for most, n in zip((busy, idle), found))
            f.write(f"{busy:6} {idle:6} {' '.join(words)}\n")


def main():
    program, path = sys.argv[1:3]
    if not shutil.which("valgrind"):
        sys.exit("valgrind is missing (ci/install tests)")
    rows = read_ceilings(path)
    counted = count(program, rows)
    if "--write" in sys.argv:
        write(path, rows, counted)
        return
    for (_, _, words), found in zip(rows, counted):
        print(f"{found[0]:6} {found[1]:6} {words[0]}")
    wrong = judge(rows, counted)
    named = [line.split('"')[0].split("(")[1].split(",")[0] for line in open(sys.argv[3]) if line.startswith("    B(")]
    wrong += [f"{name}: no ceiling in {path}" for name in named if name not in (words[0] for _, _, words in rows)]
    # The judge itself: a ceiling that is passed, and one that is far away, are found.
    if not judge([(1, 1, ["x"])], [(2, 1)]) or not judge([(9, 9, ["x"])], [(9, 4)]):
        wrong.append("the judge notices nothing")
    print("\n".join(wrong) or f"{len(rows)} golden models within their ceilings")
    sys.exit(bool(wrong))


main()
