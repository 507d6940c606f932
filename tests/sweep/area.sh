#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# area.sh SMCOSIM KERNELS: area and clock of a sweep are those of smcosim synth, and the Pareto front is right.
set -eu
smcosim=$1 kernels=$2
command -v yosys >/dev/null && command -v sta >/dev/null || { echo "no Yosys or OpenSTA"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "area.sh: $*"; exit 1; }
rc=0
"$smcosim" sweep "$kernels/vecadd/small/launch.yaml" --set oc.alloc_ports=1,2 --set oc.collectors=4,5 --arch baseline,corf++ \
    --synth corf++=width_detect --synth baseline=width_detect --results "$tmp/results" --json "$tmp/s.json" --html "$tmp/s.html" >"$tmp/table" || rc=$?
[ $rc != 7 ] || { echo "no synthesis here: $(tail -3 "$tmp/table")"; exit 77; }
[ $rc = 0 ] || fail "exit status $rc"
"$smcosim" synth width_detect --flatten on --json "$tmp/y.json" >/dev/null
python3 - "$tmp" <<'PY' || fail "areas or the front are wrong"
import json, sys
sums = [(p["set"], s) for p in json.load(open(f"{sys.argv[1]}/s.json"))["points"] for s in p["sums"]]
synth = json.load(open(f"{sys.argv[1]}/y.json"))["results"][0]
assert len(sums) == 8
for at, s in sums:
    assert abs(s["area_um2"] - synth["area_total"]) < 1 and abs(s["fmax_mhz"] - synth["fmax_mhz"]) < 0.1, (at, s)
best = max(s["ipc"] for _, s in sums)  # of one area only the fastest is on the front, and of equal ones the first
assert [s["front"] for _, s in sums] == [s is next(t for _, t in sums if t["ipc"] == best) for _, s in sums], sums
PY
grep -q "id='fig-pareto'" "$tmp/s.html" || fail "no plot of the front"
"$smcosim" sweep "$kernels/vecadd/small/launch.yaml" --synth width_detect --results "$tmp/results" >"$tmp/table"
grep -q 'note: no architecture of this sweep runs width_detect' "$tmp/table" || fail "a block that counts for nobody is not named"
