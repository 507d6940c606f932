#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# report.sh SMCOSIM KERNELS: smcosim repro bow writes a complete report whose numbers are those of
# smcosim run. If a run fails, it fails and writes nothing.
set -eu
smcosim=$1 kernels=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "report.sh: $*"; exit 1; }
report() { "$smcosim" repro bow --data "$tmp/data" --results "$tmp/results" --size small --fit-size small --large-size small -j2 "$@" 2>"$tmp/err"; }
names='laplace3d nw gaussian bfs btree backprop vecadd sad libor md5 column srad strmatch cifarnet fire sgemm hash conv'
mkdir "$tmp/data"
for name in $names; do
    mkdir "$tmp/data/$name"
    cp -r "$kernels/$name/small" "$tmp/data/$name/small"
done
# Output of smcosim synth.
echo 'BOW       one BOC, 12 entries                       12288      12288   1.00  as counted' >"$tmp/storage"
cat >"$tmp/sweep.json" <<'J'
{"command": "smcosim synth bypass_collector", "library": {"name": "cells"},
 "results": [{"point": "iw=2", "cells": 10, "flip_flops": 5, "area": 1000, "sram_bits": 0, "area_macros": 0, "fmax_mhz": 321.5,
  "kernel": {"cycles": 77, "ipc": 1.5, "rf_energy_nj": 5}}]}
J
report --output "$tmp/out" --storage "$tmp/storage" --sweep "$tmp/sweep.json" || fail "$(cat "$tmp/err")"
grep -q ' s of processor time' "$tmp/err" || fail "no processor time: $(cat "$tmp/err")"
for name in $names; do
    grep -q "^| $name |" "$tmp/out/bow.md" || fail "no row of $name"
done
for figure in '3.3 reads' '3.3 writes' 3.4 3.7 3.8 3.9 3.10 3.11 3.12 3.13 text; do
    grep -q "^| $figure |" "$tmp/out/bow.md" || fail "no figure $figure"
done
for title in 'Beside the paper' 'Eliminated reads' Destinations 'Time in operand collection' IPC 'Rows of the windows' Energy \
    'Register file cache' 'Storage and area' 'Kernels of size small' 'Registers without a home' Findings; do
    grep -q "^## $title" "$tmp/out/bow.md" || fail "no section $title"
done
grep -q '| one BOC, 12 entries | 12288 | 12288 | as counted |' "$tmp/out/bow.md" || fail "no storage"
grep -q '321[.]5' "$tmp/out/bow.md" || fail "no sweep"
grep -q '\bnan\b\|\binf\b' "$tmp/out/bow.md" && fail "a number is none: $(grep '\bnan\b\|\binf\b' "$tmp/out/bow.md")"
awk -F'|' '!/^[|]/ {n = 0; next}
    !n {n = NF}
    NF != n {print NF " cells, expected " n ": " $0; bad = 1}
    END {exit bad}' "$tmp/out/bow.md" || fail "a table is ragged"

# Numbers of two kernels against smcosim run.
for arch in baseline bow bow-wr; do
    "$smcosim" run "$tmp/data/md5/small/launch.yaml" "$tmp/data/nw/small/launch.yaml" --machine pascal --set stats.reuse=1 \
        --blocks model --arch $arch --json "$tmp/$arch.json" >/dev/null
done
python3 - "$tmp" <<'PY' || fail "report and runs differ"
import json, sys
runs = {a: json.load(open(f"{sys.argv[1]}/{a}.json"))["launches"] for a in ("baseline", "bow", "bow-wr")}
text = open(f"{sys.argv[1]}/out/bow.md").read()
def row(title, name):
    part = text[text.index(f"\n## {title}"):]
    return [float(c) for c in next(l for l in part.splitlines() if l.startswith(f"| {name} |")).split("|")[2:-1]]
def near(a, b, digits, *what):
    assert abs(a - b) <= 0.51 * 10 ** -digits, (a, b, *what)
for i, name in enumerate(("md5", "nw")):
    rf, run = ({a: runs[a][i][what] for a in runs} for what in ("counters", "cycles"))
    base = rf["baseline"]["rf"]
    saved, shares, gains = (row(t, name) for t in ("Eliminated reads", "Time in operand collection", "IPC"))
    near(saved[1], 100 * (1 - rf["bow"]["rf"]["rf_reads"] / base["rf_reads"]), 1, name, "reads")
    near(saved[8], 100 * (1 - rf["bow-wr"]["rf"]["rf_writes"] / base["rf_writes"]), 1, name, "writes")
    near(shares[11], 100 * base["collection_cycles"] / base["flight_cycles"], 1, name, "collection")
    near(gains[2], 100 * (run["baseline"] / run["bow"] - 1), 1, name, "IPC of bow")
    if name == "md5":
        large = row("Kernels of size small", name)
        near(large[0], run["baseline"], 0, name, "cycles")
        near(large[2], 100 * (run["baseline"] / run["bow"] - 1), 1, name, "IPC of bow, fit size")
        near(large[6], 100 * (1 - rf["bow-wr"]["rf"]["rf_writes"] / base["rf_writes"]), 1, name, "writes, fit size")
    assert 0 < base["collection_cycles"] < base["flight_cycles"]
PY

report --large-size huge --output "$tmp/x" && fail "--large-size huge is taken"
grep -q -- "--large-size: found 'huge', expected small or paper" "$tmp/err" || fail "--large-size huge: $(cat "$tmp/err")"

# Seeded: a file without rows of BOW; a word of the expected results is wrong; a kernel is not there.
refused() { # status, text, options
    status=$1 text=$2; shift 2
    rm -rf "$tmp/x"
    rc=0
    report --output "$tmp/x" "$@" || rc=$?
    [ $rc = "$status" ] || fail "status $rc, expected $status: $(cat "$tmp/err")"
    grep -q -- "$text" "$tmp/err" || fail "expected '$text', found: $(cat "$tmp/err")"
    [ ! -e "$tmp/x/bow.md" ] || fail "a document was written"
}
refused 2 'sweep.json: no rows of BOW' --storage "$tmp/sweep.json"
refused 2 'storage:1: ' --sweep "$tmp/storage"
expected=$(sed -n 's/.*file: *\([^ ,}]*\).*/\1/p' "$tmp/data/md5/small/launch.yaml" | tail -1)
expected=$tmp/data/md5/small/$expected
chmod u+w "$expected"
printf '\377\377\377\377' | dd of="$expected" bs=4 conv=notrunc 2>/dev/null
refused 3 'buffer digest differs'
rm "$tmp/data/md5/small/launch.yaml"
refused 2 'md5/small/launch.yaml'
echo "bow: the report is complete and agrees with run"
