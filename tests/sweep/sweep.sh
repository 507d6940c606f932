#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sweep.sh SMCOSIM KERNELS: table, CSV, JSON and page of a sweep agree with smcosim run. The side
# effects of a key are reported; bad input is refused.
set -eu
smcosim=$1 kernels=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "sweep.sh: $*"; exit 1; }
sweep() { "$smcosim" sweep --results "$tmp/results" "$@"; }
vecadd=$kernels/vecadd/small/launch.yaml saxpy=$kernels/saxpy/small/launch.yaml

sweep "$vecadd" "$saxpy" --set rf.banks=4,8 --set oc.collectors=4..5 --set sm.scheduler=lrr --arch baseline,corf++ -j2 --html "$tmp/s.html" \
    --csv "$tmp/s.csv" --json "$tmp/s.json" --figures "$tmp/figures" >"$tmp/table"
grep -q '^note: rf.banks changes the size of the register file too: 128, 256 KB' "$tmp/table" || fail "the size is not pointed out"
grep -q 'oc.collectors changes' "$tmp/table" && fail "a size is pointed out that does not change"
for arch in baseline corf++; do
    for point in 4,4 4,5 8,4 8,5; do
        "$smcosim" run "$vecadd" "$saxpy" --blocks model --arch $arch --set sm.scheduler=lrr --set rf.banks=${point%,*} --set oc.collectors=${point#*,} \
            --json "$tmp/$arch-$point.json" >/dev/null
    done
done
python3 - "$tmp" <<'PY' || fail "sweep and run differ"
import csv, json, sys
tmp = sys.argv[1]
rows = list(csv.DictReader(open(f"{tmp}/s.csv")))
assert len(rows) == 2 * 4 * 2, len(rows)
doc = json.load(open(f"{tmp}/s.json"))
cells = {(r["kernel"], r["arch"], p["set"]["rf.banks"], p["set"]["oc.collectors"]): r for p in doc["points"] for r in p["runs"]}
table = open(f"{tmp}/table").read()
for row in rows:
    run = json.load(open(f"{tmp}/{row['arch']}-{row['rf.banks']},{row['oc.collectors']}.json"))
    launch = next(l for l in run["launches"] if f"/{l['name']}/" in row["kernel"])
    c = {n: v for g in launch["counters"].values() for n, v in g.items()}
    assert row["verdict"] == "pass" and int(row["cycles"]) == launch["cycles"] == c["cycles"], row
    assert abs(float(row["ipc"]) - c["warp_instructions"] / c["cycles"]) < 1e-8, row
    assert abs(float(row["bank_reads_per_instruction"]) - c["rf_reads"] / c["warp_instructions"]) < 1e-8, row
    cell = cells[row["kernel"], row["arch"], row["rf.banks"], row["oc.collectors"]]
    assert cell["cycles"] == launch["cycles"]
    assert f" {launch['cycles']} " in table
assert len({r["cycles"] for r in rows}) > 4  # the grid does something
PY
for id in ipc ipc-1 ipc-2; do
    grep -q "id='fig-$id'" "$tmp/s.html" || fail "the page lacks chart $id"
    [ -s "$tmp/figures/figure-$id.svg" ] && [ -s "$tmp/figures/figure-$id.csv" ] || fail "no files of chart $id"
done
sed 's/href=.data:[^ ]*//g' "$tmp/s.html" | grep -q 'src=\|href=\|@import' && fail "the page is not self-contained"
python3 -c 'import sys, xml.dom.minidom as m; [m.parse(f) for f in sys.argv[1:]]' "$tmp"/figures/*.svg || fail "an SVG is not well-formed"

expect() {  # status, text, arguments
    status=$1 text=$2; shift 2
    rc=0
    sweep "$@" >"$tmp/out" 2>"$tmp/err" || rc=$?
    [ $rc = "$status" ] || fail "$*: exit status $rc, expected $status: $(cat "$tmp/err")"
    grep -q -- "$text" "$tmp/err" || fail "$*: expected '$text', found: $(cat "$tmp/err")"
}
expect 2 'did you mean .rf.banks' "$vecadd" --set rf.bank=4,8
expect 2 "rf.banks" "$vecadd" --set rf.banks=4,99
expect 2 "'4' twice" "$vecadd" --set rf.banks=4,4
expect 2 "has values already" "$vecadd" --set rf.banks=4,8 --set rf.banks=2,4
expect 2 "expected KEY=VALUE" "$vecadd" --set rf.banks
expect 2 "range upwards" "$vecadd" --set rf.banks=8..4
expect 2 "no block 'coalescr'" "$vecadd" --synth coalescr
expect 2 "not among the architectures" "$vecadd" --synth corf=coalescer
expect 2 "'corf' twice" "$vecadd" --arch corf,corf
expect 2 "expected at least one launch file" --set rf.banks=4,8
expect 7 "nowhere/s.csv" "$vecadd" --csv "$tmp/nowhere/s.csv"
[ ! -e "$tmp/nowhere" ] || fail "something was written"

# A point that fails is a row, and the status; the other points are measured.
mkdir "$tmp/wrong"
cp "$kernels"/vecadd/small/* "$tmp/wrong/"
expected=$(sed -n 's/.*file: *\([^ ,}]*\).*/\1/p' "$tmp/wrong/launch.yaml" | tail -1)
chmod u+w "$tmp/wrong/$expected"
printf '\377\377' | dd of="$tmp/wrong/$expected" bs=2 conv=notrunc 2>/dev/null
expect 3 'differs' "$tmp/wrong/launch.yaml" "$saxpy" --set oc.collectors=4,5
grep -q 'failed' "$tmp/out" || fail "no row of the failed run: $(cat "$tmp/out")"
grep -Eq '^.*saxpy.*  *5  baseline  *[0-9]+ ' "$tmp/out" || fail "a run that passes is missing: $(cat "$tmp/out")"
echo "sweep: table, CSV, JSON and page agree with run"
