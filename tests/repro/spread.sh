#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# spread.sh SMCOSIM KERNELS SOURCE: `repro --spread` writes the intervals of headlines, which this script works out from
# single runs. Without the option the runs are those of a chapter. README's table of effects takes the intervals.
set -eu
smcosim=$1 kernels=$2 source=$3
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "spread.sh: $*"; exit 1; }
names="sgemm bfs nw"
mkdir "$tmp/data"
for name in $names; do
    mkdir "$tmp/data/$name"
    cp -r "$kernels/$name/small" "$tmp/data/$name/small"
done
repro() { "$smcosim" repro corf --size small --kernels "$names" --experiments '' --data "$tmp/data" --results "$tmp/results" --output "$@" 2>"$tmp/err"; }
count() { ls "$tmp/results" | grep -c 'json$'; }
repro "$tmp/one" || fail "$(cat "$tmp/err")"
alone=$(count)
grep -q '^| figure | what | architecture | kernels | mean | ours | 95 % over kernels |$' "$tmp/one/corf.md" || fail "no interval over kernels"
repro "$tmp/four" --spread 4 || fail "$(cat "$tmp/err")"
# Three more runs of three kernels on the baseline and the three architectures of the headlines.
[ "$(count)" = $((alone + 36)) ] || fail "$(count) results, expected $alone and 36"

sets=$(sed -n 's/^BASE = "\(.*\)"$/\1/p' "$source/bench/repro/corf" | sed 's/[^ ]*=/--set &/g')
for name in $names; do
    for arch in baseline corf++:rfv; do
        for k in 0 1 2 3; do
            # shellcheck disable=SC2086
            "$smcosim" run "$tmp/data/$name/small/launch.yaml" --machine fermi-corf $sets --arch $arch --blocks model --set perturb.run=$k \
                --json "$tmp/$name-$arch-$k.json" >/dev/null
        done
    done
done
python3 - "$tmp" $names <<'PY' || fail "intervals of the chapter and of single runs differ"
import json, math, sys
tmp, *names = sys.argv[1:]
T3, T2 = 3.18244630528, 4.30265272991  # Student's t, 97.5 %
def launch(n, a, k): return json.load(open(f"{tmp}/{n}-{a}-{k}.json"))["launches"][0]
def interval(v, t):
    m = sum(v) / len(v)
    half = t * math.sqrt(sum((x - m) ** 2 for x in v) / (len(v) - 1) / len(v))
    return m, m - half, m + half
gain = {n: [launch(n, "corf++:rfv", k)["ipc"] / launch(n, "baseline", k)["ipc"] for k in range(4)] for n in names}
of_run = [100 * (3 / sum(1 / gain[n][k] for n in names) - 1) for k in range(4)]  # harmonic, as the chapter
ours, low, high = interval(of_run, T3)
ends = sorted(100 * (1 / x - 1) for x in interval([1 / (1 + sum(100 * (g - 1) for g in gain[n]) / 4 / 100) for n in names], T2)[1:])
row = next(line for line in open(f"{tmp}/four/corf.md") if line.startswith("| 2.15 | IPC gain, % | corf++:rfv | 3 |"))
cells = [c.strip() for c in row.strip().strip("|").split("|")]
assert cells[4:8] == ["harmonic", f"{ours:.1f}", f"{ends[0]:.1f} to {ends[1]:.1f}", f"{low:.1f} to {high:.1f}"], (cells, ours, ends, low, high)
moved = {n: 100 * (max(c) - min(c)) / (sum(c) / 4) for n in names for c in [[launch(n, "baseline", k)["cycles"] for k in range(4)]]}
assert cells[8] == (", ".join(f"{n} {v:.1f}" for n, v in moved.items() if v > 3) or "-"), (cells[8], moved)
PY
for value in 1 x 101; do
    rc=0
    "$smcosim" repro corf --spread $value 2>"$tmp/err" || rc=$?
    [ $rc = 2 ] && grep -q 'spread' "$tmp/err" || fail "--spread $value: $rc $(cat "$tmp/err")"
done

# The table of effects: a copy of the sources whose chapter has the section gets a column; the old README is refused.
mkdir -p "$tmp/tree/bench" "$tmp/tree/ci"
cp -r "$source/bench/repro" "$tmp/tree/bench/repro"
cp "$source/ci/effects" "$tmp/tree/ci/"
cp "$source/README.md" "$tmp/tree/"
for chapter in "$tmp"/tree/bench/repro/*.md; do
    awk '/^## /{skip = $0 == "## Intervals"} !skip' "$chapter" >"$tmp/page" && cp "$tmp/page" "$chapter"
done
"$tmp/tree/ci/effects" --update || fail "no table without intervals"
grep -q '^| system | figure | effect | paper | ours | chapter |$' "$tmp/tree/README.md" || fail "a column that no chapter fills"
awk '/^## Intervals/{on = 1} on && /^## / && !/Intervals/{exit} on' "$tmp/four/corf.md" >>"$tmp/tree/bench/repro/corf.md"
rc=0
"$tmp/tree/ci/effects" >"$tmp/out" 2>&1 || rc=$?
[ $rc = 1 ] || fail "the table without intervals is accepted: $rc $(cat "$tmp/out")"
"$tmp/tree/ci/effects" --update || fail "no table with intervals"
"$tmp/tree/ci/effects" || fail "the new table is refused"
python3 - "$tmp" <<'PY' || fail "the column of intervals"
import sys
tmp = sys.argv[1]
def cells(line): return [c.strip() for c in line.strip().strip("|").split("|")]
chapter = next(cells(l) for l in open(f"{tmp}/four/corf.md") if l.startswith("| 2.15 | IPC gain, % | corf++ |"))
rows = [cells(l) for l in open(f"{tmp}/tree/README.md").read().split("<!-- effects -->\n")[1].splitlines()]
assert rows[0][5] == "95 %", rows[0]
assert next(r for r in rows if r[:2] == ["`corf++`", "2.15"])[5] == chapter[6], (rows, chapter)
assert next(r for r in rows if r[0] == "`pmode`")[5] == "-"
PY
echo "repro: intervals are those of single runs, and the table of effects has them"
