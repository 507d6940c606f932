#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bench/threads: a row per architecture and one per block, slowest first; the last two columns match
# their headers. An unknown architecture ends it with an error. Usage: rates.sh SMCOSIM BUILD
. "$(dirname "$0")/../cli/lib.sh"
BUILD=$(cd "$2" && pwd); export BUILD
threads=$(cd "$(dirname "$0")/../../bench" && pwd)/threads
cd "$scratch" || exit 1
expect 0 '^lockstep with two threads at 0.9 of .*: [01] of 1; two cores allow it to [01]$' "$threads" --size small --cycles 3000 --repeat 1 baseline
cp output rates
cat >check.py <<'P'
import sys
rows = [[c.strip() for c in line.rstrip("\n")[1:-1].split("|")] for line in open(sys.argv[1])
        if line.startswith("| ") and "architecture" not in line]
(name, every, *rates, share, most), first, second = rows
assert (name, every) == ("baseline", "all") and all(float(r) > 0 for r in rates), rows[0]
assert {first[1], second[1]} == {"banked_rf", "operand_collector"}, rows
assert all(float(r) > 0 for row in (first, second) for r in row[3:6]), rows
bare = [float(row[3]) for row in (first, second)]
assert bare[0] <= bare[1] and abs(float(share) - float(rates[3]) / bare[0]) < 0.05, rows
all_work = 1 / float(rates[0]) + 1 / bare[0] + 1 / bare[1]
assert abs(float(most) - min(float(rates[0]), bare[0], 2 / all_work) / bare[0]) < 0.02, rows
print("rows as described")
P
expect 0 '^rows as described$' python3 check.py rates
# The check itself: other ratios, and blocks in another order, are found.
awk -F'|' -v OFS='|' '$3 ~ / all / { $(NF - 2) = " 7.77 " } { print }' rates >wrong
expect 1 AssertionError python3 check.py wrong
awk -F'|' -v OFS='|' '$3 ~ / all / { $(NF - 1) = " 7.77 " } { print }' rates >wrong
expect 1 AssertionError python3 check.py wrong
awk '/banked_rf|operand_collector/ && !held { held = $0; next } { print } held != "" { print held; held = " " }' rates >wrong
expect 1 AssertionError python3 check.py wrong
expect 1 'bench/threads: nonsense, --blocks lockstep: ' "$threads" --size small --cycles 1000 --repeat 1 nonsense
expect 2 'all names every architecture' "$threads" --all baseline
"$threads" --list | sed 's/@[a-z-]*$//' >names
expect 0 '^same' sh -c '"$0" list archs --all | awk "NF && \$1 !~ /:/ {print \$1}" | diff - names && echo same' "$smcosim"
finish
