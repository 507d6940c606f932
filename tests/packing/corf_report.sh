#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# corf_report.sh SMCOSIM KERNELS: smcosim repro corf writes a complete report whose numbers are
# those of smcosim compare. If a run fails, it fails and writes nothing.
set -eu
smcosim=$1 kernels=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "corf_report.sh: $*"; exit 1; }
report() { "$smcosim" repro corf --data "$tmp/data" --results "$tmp/results" --size small -j2 "$@" 2>"$tmp/err"; }

mkdir "$tmp/data"
for name in rle saxpy pathfinder_long histogram_long sad_long stencil2d_long; do
    mkdir "$tmp/data/$name"
    cp -r "$kernels/$name/small" "$tmp/data/$name/small"
done
report --kernels 'rle saxpy' --output "$tmp/out" || fail "$(cat "$tmp/err")"
grep -q ' s of processor time' "$tmp/err" || fail "no processor time: $(cat "$tmp/err")"
for figure in 2.2 2.3 2.4 2.6 2.13 2.14 2.15 2.16 2.17 2.18 2.19 T2.1 text; do
    grep -q "^| $figure |" "$tmp/out/corf.md" || fail "no figure $figure"
done
for experiment in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do
    grep -q "^### $experiment[.] " "$tmp/out/corf.md" || fail "no experiment $experiment"
done
# The mapping alone reads each register by itself.
grep '^|  *| corf++-map |' "$tmp/out/corf.md" | grep -q '| 0[.]0 | [0-9.]* |$' || fail "corf++-map coalesces"
grep -q '^## Findings' "$tmp/out/corf.md" || fail "no findings"
# Every row has as many cells as its head, and each kernel of the list is there, in its class.
awk -F'|' '!/^[|]/ {n = 0; next}
    !n {n = NF}
    NF != n {print NF " cells, expected " n ": " $0; bad = 1}
    END {exit bad}' "$tmp/out/corf.md" || fail "a table is ragged"
grep -q '^| rle | int |' "$tmp/out/corf.md" && grep -q '^| saxpy | ' "$tmp/out/corf.md" || fail "a kernel is missing"
grep -q 'nan\|inf' "$tmp/out/corf.md" && fail "a number is none: $(grep 'nan\|inf' "$tmp/out/corf.md")"

# The widths are one drawing, stacked; with figures of several things each has its own.
grep -q "the paper's, from here up" "$tmp/out/figures/figure-2.2.svg" || fail "the widths are not stacked"
[ -s "$tmp/out/figures/figure-2.14b.csv" ] || fail "no second drawing of figure 2.14"

# Numbers of the first configuration against smcosim compare with the settings that the report names.
machine=$(sed -n 's/.*machine `\([^`]*\)`.*/\1/p' "$tmp/out/corf.md" | head -1)
sets=$(sed -n 's/.*machine `[^`]*` with `\([^`]*\)`.*/\1/p' "$tmp/out/corf.md" | sed 's/[^ ]*=/--set &/g')
# shellcheck disable=SC2086
"$smcosim" compare "$tmp/data/rle/small/launch.yaml" "$tmp/data/saxpy/small/launch.yaml" --machine "$machine" $sets \
    --arch baseline,corf++:rfv --json "$tmp/c.json" >/dev/null
python3 - "$tmp/c.json" "$tmp/out/corf.md" <<'PY' || fail "report and compare differ"
import json, sys
launches = json.load(open(sys.argv[1]))["launches"]
cells = [[l["archs"][a]["counters"] for a in ("baseline", "corf++:rfv")] for l in launches]
figures = {}
section = ""
for line in open(sys.argv[2]):
    if line.startswith("## "):
        section = line
    if section.startswith("## Intervals"):
        continue
    cell = [c.strip() for c in line.split("|")[1:-1]]
    if len(cell) > 6 and cell[2] == "corf++:rfv":
        what = cell[1] or what
        figures[cell[0], what] = cell[5]
    elif len(cell) > 6:
        what = cell[1] or what
ipc = lambda c: c["warp_instructions"] / c["cycles"]
gain = 100 * (len(cells) / sum(ipc(b) / ipc(n) for b, n in cells) - 1)
reads = sum(100 * (1 - n["rf_reads"] / b["rf_reads"]) for b, n in cells) / len(cells)
growth = sum(100 * n["growths"] / n["rf_writes"] for b, n in cells) / len(cells)
for key, value in (("2.15", "IPC gain, %, harmonic mean"), gain), (("2.14", "RF reads saved, %"), reads), \
        (("text", "growth, % of writes"), growth):
    assert figures[key] in (f"{value:.1f}", f"{value + 1e-9:.1f}", f"{value - 1e-9:.1f}"), (key, figures[key], value)
PY

# Seeded: one bit of an expected result is wrong; a kernel is not there; an experiment's key is refused by smcosim.
refused() { # status, text, options
    status=$1 text=$2; shift 2
    rm -rf "$tmp/x"
    rc=0
    report --output "$tmp/x" "$@" || rc=$?
    [ $rc = "$status" ] || fail "$*: status $rc, expected $status: $(cat "$tmp/err")"
    grep -q -- "$text" "$tmp/err" || fail "$*: expected '$text', found: $(cat "$tmp/err")"
    [ ! -e "$tmp/x/corf.md" ] || fail "$*: a report was written"
}
byte=$(od -An -tu1 -j3 -N1 "$tmp/data/rle/small/lengths.bin" | tr -d ' ')
# shellcheck disable=SC2059
printf "\\$(printf %03o $((byte ^ 1)))" | dd of="$tmp/data/rle/small/lengths.bin" bs=1 seek=3 conv=notrunc 2>/dev/null
refused 3 'buffer lengths differs' --kernels 'rle saxpy' --experiments ''
refused 2 'no-such-kernel/small/launch.yaml' --kernels no-such-kernel --experiments ''
refused 2 "unknown machine" --kernels saxpy --experiments '' --machine fermii
refused 2 "unknown option '--kernel'" --kernel saxpy
echo "corf: the report is complete and agrees with compare"
