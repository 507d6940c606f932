#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# compare.sh SMCOSIM KERNELS: the table, JSON and HTML of smcosim compare agree with smcosim run, and bad input is
# refused.
set -eu
smcosim=$1 kernels=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "$*"; exit 1; }
sgemm=$kernels/sgemm/small/launch.yaml bfs=$kernels/bfs/small/launch.yaml
archs=baseline,packing,firstfit,corf,corf++,rfv,packing:rfv,corf++:rfv

"$smcosim" compare "$sgemm" "$bfs" --arch $archs --json "$tmp/c.json" --html "$tmp/c.html" >"$tmp/table"
for figure in 2.2 2.4 2.6 2.13 2.14 2.15 2.16 2.17 2.18 2.19; do
    grep -q "^$figure " "$tmp/table" || fail "the table lacks figure $figure"
    grep -q "id='fig-$figure'" "$tmp/c.html" || fail "the page lacks figure $figure"
done
sed 's/href=.data:[^ ]*//g' "$tmp/c.html" | grep -q 'src=\|href=\|@import' && fail "the page is not self-contained"

# run and compare read every number from the same counters
"$smcosim" run "$sgemm" --arch corf++ --blocks model --json "$tmp/r.json" >/dev/null
python3 - "$tmp/c.json" "$tmp/r.json" <<'PY' || fail "compare and run differ"
import json, sys
c, r = (json.load(open(f)) for f in sys.argv[1:])
run = {n: v for g in r["launches"][0]["counters"].values() for n, v in g.items()}
cell = c["launches"][0]["archs"]["corf++"]
assert cell["verdict"] == "pass"
assert cell["counters"] == run, "counters"
base = c["launches"][0]["archs"]["baseline"]["counters"]
figure = next(f for f in c["figures"] if f["id"] == "2.14")
series = next(s for s in figure["series"] if s["name"] == "corf++")
now, then = run["rf_reads"] + run["rf_writes"], base["rf_reads"] + base["rf_writes"]
assert abs(series["values"][0] - 100 * (1 - now / then)) < 1e-9
assert abs(series["mean"] - sum(series["values"]) / 2) < 1e-9
assert series["paper"] == 23
assert run["coalesced_reads"] > 0 and run["physical_register_cycles"] > 0
PY

# each pair of the compiler counts once per warp, and each of histogram's 48 warps places nearly all of them
histogram=$kernels/histogram/small
pairs=$("$smcosim" compile "$histogram/histogram.ptx" --dump hints | grep -c ' pair')
"$smcosim" run "$histogram/launch.yaml" --arch corf:rfv --blocks model --json "$tmp/h.json" >/dev/null
python3 - "$tmp/h.json" "$pairs" <<'PY' || fail "pairs"
import json, sys
pack, n = json.load(open(sys.argv[1]))["launches"][0]["counters"]["pack"], int(sys.argv[2])
assert 0.9 * 48 * n <= pack["pairs"] <= 48 * n, (pack["pairs"], n)
assert 0 < pack["pairs_shared"] <= pack["pairs"] <= pack["pairs_fitted"] + pack["pairs_missed"], pack
PY

expect() {  # status, text, arguments
    status=$1 text=$2; shift 2
    found=0
    "$smcosim" "$@" >"$tmp/out" 2>"$tmp/err" || found=$?
    [ $found = "$status" ] || fail "$*: exit status $found, expected $status: $(cat "$tmp/err")"
    grep -q -- "$text" "$tmp/err" || fail "$*: expected '$text', found: $(cat "$tmp/err")"
}
expect 2 "did you mean 'corf'" compare "$sgemm" --arch baseline,corff
expect 2 "'corf' twice" compare "$sgemm" --arch corf,corf
expect 2 "at most one of packing, firstfit, corf, corf++, corf++-map" compare "$sgemm" --arch corf:packing
expect 2 "'corf' twice" compare "$sgemm" --arch corf:corf
expect 2 "'corf:rfv' twice" compare "$sgemm" --arch corf:rfv,rfv:corf
expect 2 "'baseline' combines with nothing: .*found 'rfv'" run "$sgemm" --arch baseline:rfv
expect 2 "expected at least one launch file" compare
expect 2 "oc.collectors = 32" run "$sgemm" --arch corf --blocks model --set oc.collectors=32
expect 2 "rename.ideal is 1.*expected --blocks model" run "$sgemm" --arch corf --set rename.ideal=1
expect 2 "rename.ideal is 31.*found RTL" compare "$sgemm" --arch corf --set rename.ideal=31 --blocks rtl
expect 2 "rename.ideal is 1.*found RTL" run "$sgemm" --arch corf --set rename.ideal=1 --blocks model,rf_datapath=lockstep
expect 2 "rename.ideal = 64" run "$sgemm" --arch corf --blocks model --set rename.ideal=64
expect 7 "nowhere/c.html" compare "$sgemm" --arch baseline --html "$tmp/nowhere/c.html"
[ ! -e "$tmp/nowhere" ] || fail "something was written"

# bounds: less than the structures cost, and said so
for ideal in 0 31; do  # lrr: under gto the order of warps makes more than the structures in so short a run
    "$smcosim" run "$sgemm" --arch corf++ --blocks model --set sm.scheduler=lrr --set rename.ideal=$ideal \
        --json "$tmp/i$ideal.json" >"$tmp/table"
done
grep -q 'ideal: rename.ideal 31' "$tmp/table" || fail "the table does not say that the run is ideal"
python3 - "$tmp/i0.json" "$tmp/i31.json" <<'PY' || fail "ideal structures cost no less, or the JSON does not tell them"
import json, sys
real, ideal = (json.load(open(f)) for f in sys.argv[1:])
assert (real["config"]["rename.ideal"], ideal["config"]["rename.ideal"]) == (0, 31)
assert ideal["launches"][0]["cycles"] < 0.98 * real["launches"][0]["cycles"]
assert ideal["launches"][0]["counters"]["pack"]["rename_conflicts"] == 0
PY

# who is refused a lookup depends on the banks of the renaming table
for table in register warp; do
    "$smcosim" run "$sgemm" --arch corf++ --blocks model --set rename.table=$table --json "$tmp/$table.json" >/dev/null
done
python3 - "$tmp/r.json" "$tmp/warp.json" "$tmp/register.json" <<'PY' || fail "rename.table"
import json, sys
auto, warp, register = (json.load(open(f))["launches"][0]["counters"] for f in sys.argv[1:])
assert auto == warp and warp["pack"]["rename_conflicts"] != register["pack"]["rename_conflicts"]
PY
# other readings of the paper: `hold` never gives slices back, `move` leaves the row, `lowest` is firstfit's order
counters() { # name, kernel, architecture, setting
    "$smcosim" run "$kernels/$2/small/launch.yaml" --arch "$3" --blocks model --set "$4" --json "$tmp/$1.json" >/dev/null
}
counters free histogram corf++ rename.shrink=free
counters hold histogram corf++ rename.shrink=hold
counters move histogram corf++ rename.grow=move
for arch in packing firstfit; do
    for order in auto rotate lowest; do counters $arch.$order sgemm $arch rename.order=$order; done
done
python3 - "$tmp" <<'PY' || fail "rename.shrink, rename.grow, rename.order"
import json, sys
def counters(name): return json.load(open(f"{sys.argv[1]}/{name}.json"))["launches"][0]["counters"]
free, hold, move = (counters(n)["pack"] for n in ("free", "hold", "move"))
assert free["shrinks"] > 0 == hold["shrinks"], (free["shrinks"], hold["shrinks"])
assert hold["growths"] <= free["growths"] and move != free and move["growths"] > 0
order = {(a, o): counters(f"{a}.{o}") for a in ("packing", "firstfit") for o in ("auto", "rotate", "lowest")}
for arch, standard in ("packing", "rotate"), ("firstfit", "lowest"):
    assert order[arch, "auto"] == order[arch, standard] and order[arch, "rotate"] != order[arch, "lowest"], arch
coalesced = {o: order["firstfit", o]["pack"]["coalesced_reads"] for o in ("rotate", "lowest")}
assert coalesced["lowest"] > coalesced["rotate"], coalesced
PY
echo "compare: table, page and JSON agree with run"
