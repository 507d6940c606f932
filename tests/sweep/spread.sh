#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# spread.sh SMCOSIM KERNELS: --spread of run, compare and sweep. Run k is the run of perturb.run=k. This script works out
# means, intervals and ratios from the runs, and finds them in table, JSON, CSV, LaTeX, scatter and drawings. A kernel
# that moves is marked. Settings of one architecture give the run of --set.
set -eu
smcosim=$1 kernels=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "spread.sh: $*"; exit 1; }
saxpy=$kernels/saxpy/small/launch.yaml nw=$kernels/nw/small/launch.yaml bfs=$kernels/bfs/small/launch.yaml
dwconv=$kernels/dwconv/small/launch.yaml

# Each run of its own, by its number.
for arch in baseline corf++; do
    for kernel in saxpy nw bfs; do
        for k in 0 1 2 3; do
            "$smcosim" run "$kernels/$kernel/small/launch.yaml" --arch $arch --blocks model --set perturb.run=$k \
                --json "$tmp/$kernel-$arch-$k.json" >/dev/null
        done
    done
done
"$smcosim" run "$saxpy" "$nw" --blocks model --spread 4 --json "$tmp/run.json" >"$tmp/run"
grep -q '^spread of saxpy over 4 runs (perturb.run 0 to 3)$' "$tmp/run" || fail "no spread in the report: $(cat "$tmp/run")"
"$smcosim" compare "$saxpy" "$nw" "$bfs" --arch baseline,corf++ --spread 4 --scatter dram_busy_cycles/cycles -j2 \
    --json "$tmp/c.json" --csv "$tmp/c.csv" --latex "$tmp/c.tex" --html "$tmp/c.html" --figures "$tmp/figures" >"$tmp/compare"
"$smcosim" sweep "$saxpy" "$nw" "$bfs" --arch baseline,corf++ --set sm.scheduler=gto --spread 4 --metric energy -j2 \
    --results "$tmp/results" --json "$tmp/s.json" --csv "$tmp/s.csv" --html "$tmp/s.html" --figures "$tmp/sf" >"$tmp/sweep"
[ "$(ls "$tmp"/results/*.json | wc -l)" = 24 ] || fail "sweep made $(ls "$tmp"/results/*.json | wc -l) runs of 24"
python3 - "$tmp" <<'PY' || fail "numbers of --spread"
import csv, json, math, sys
tmp = sys.argv[1]
T3, T2 = 3.18244630528, 4.30265272991  # Student's t, 97.5 %, with 3 and 2 degrees of freedom
NAMES, ARCHS = ("saxpy", "nw", "bfs"), ("baseline", "corf++")
def load(name): return json.load(open(f"{tmp}/{name}.json"))
def interval(v, t=T3):
    m = sum(v) / len(v)
    half = t * math.sqrt(sum((x - m) ** 2 for x in v) / (len(v) - 1) / len(v))
    return m, m - half, m + half
def near(a, b, what):
    assert abs(a - b) <= 1e-6 * max(1, abs(b)), (what, a, b)
def same(found, expected, what):
    for name, value in zip(("mean", "low", "high"), expected):
        near(found[name], value, (what, name))
runs = {(n, a): [load(f"{n}-{a}-{k}")["launches"][0] for k in range(4)] for n in NAMES for a in ARCHS}
cycles = {key: [l["cycles"] for l in v] for key, v in runs.items()}
ipc = {key: [l["ipc"] for l in v] for key, v in runs.items()}
assert all(len(set(v)) > 1 for v in cycles.values()), cycles  # the perturbation does something

# run
for launch in load("run")["launches"]:
    v = cycles[launch["name"], "baseline"]
    s = launch["spread"]
    assert s["cycles"]["values"] == v and launch["cycles"] == v[0] and s["runs"] == 4, s
    same(s["cycles"], interval(v), "run")
    near(s["moves_percent"], 100 * (max(v) - min(v)) / (sum(v) / 4), "moves")

# compare: pairs of runs with the same perturbation
c = load("c")
rows = {(r["kernel"], r["arch"]): r for r in csv.DictReader(open(f"{tmp}/c.csv"))}
text = open(f"{tmp}/c.tex").read()
gains = {}
for launch in c["launches"]:
    n = launch["name"]
    for a in ARCHS:
        cell = launch["archs"][a]["spread"]
        gain = interval([x / y for x, y in zip(cycles[n, "baseline"], cycles[n, a])])
        assert cell["cycles_of_runs"] == cycles[n, a]
        same(cell["speedup"], gain, n)
        same(cell["ipc"], interval(ipc[n, a]), n)
        row = rows[n, a]
        near(float(row["speedup"]), gain[0], "csv"), near(float(row["speedup_low"]), gain[1], "csv"), near(float(row["speedup_high"]), gain[2], "csv")
        gains[n, a] = gain[0]
    assert f"{n} & ${gains[n, 'corf++']:.3f} \\pm" in text or f"{n}* & ${gains[n, 'corf++']:.3f} \\pm" in text, text
# the geometric mean over kernels, its interval over kernels and over runs
logs = [math.log(gains[n, "corf++"]) for n in NAMES]
mean = next(m for m in c["means"] if (m["ratio"], m["arch"]) == ("speedup", "corf++"))
same(mean["over_kernels"], [math.exp(x) for x in interval(logs, T2)], "kernels")
of_run = [math.exp(sum(math.log(cycles[n, "baseline"][k] / cycles[n, "corf++"][k]) for n in NAMES) / 3) for k in range(4)]
same(mean["over_runs"], interval(of_run), "runs")
# scatter: its numbers, and Pearson's correlation
x = [sum(l["counters"]["mem"]["dram_busy_cycles"] / l["cycles"] for l in runs[n, "baseline"]) / 4 for n in NAMES]
y = [gains[n, "corf++"] for n in NAMES]
mx, my = sum(x) / 3, sum(y) / 3
r = sum((a - mx) * (b - my) for a, b in zip(x, y)) / math.sqrt(sum((a - mx) ** 2 for a in x) * sum((b - my) ** 2 for b in y))
near(c["scatter"]["correlation"]["corf++"], r, "correlation")
for found, expected in zip(c["scatter"]["values"], x): near(found, expected, "scatter")
points = list(csv.DictReader(open(f"{tmp}/figures/figure-scatter.csv")))
assert [p["group"] for p in points] == list(NAMES)
near(float(points[1]["x"]), x[1], "x"), near(float(points[1]["value"]), y[1], "value")
# a figure of the paper: mean over kernels, over runs
figure = next(f for f in c["figures"] if f["id"] == "2.14")["series"][0]
def saved(n, k):
    now, then = (runs[n, a][k]["counters"]["rf"] for a in ("corf++", "baseline"))
    return 100 * (1 - (now["rf_reads"] + now["rf_writes"]) / (then["rf_reads"] + then["rf_writes"]))
same(figure["over_runs"], interval([sum(saved(n, k) for n in NAMES) / 3 for k in range(4)]), "2.14")
same(figure["over_kernels"], interval([sum(saved(n, k) for k in range(4)) / 4 for n in NAMES], T2), "2.14")

# sweep
for cell in load("s")["points"][0]["runs"]:
    n, a = cell["kernel"].split("/")[-3], cell["arch"]
    assert cell["spread"]["cycles_of_runs"] == cycles[n, a]
    same(cell["spread"]["ipc_ratio"], interval([p / q for p, q in zip(ipc[n, a], ipc[n, "baseline"])]), n)
    same(cell["metric"]["value"], interval([sum(l["energy"]["corf"].values()) for l in runs[n, a]]), "energy")
PY
grep -c "class='interval'" "$tmp/figures/figure-speedup.svg" | grep -qx 4 || fail "error bars of three kernels and their mean"
grep -q "class='interval'" "$tmp/sf/figure-ipc-1.svg" || fail "a sweep's plot has no error bars"
python3 -c 'import sys, xml.dom.minidom as m; [m.parse(f) for f in sys.argv[1:]]' "$tmp"/figures/*.svg "$tmp"/sf/*.svg || fail "an SVG is not well-formed"
grep -q '±' "$tmp/c.html" && grep -q '±' "$tmp/s.html" || fail "a page without intervals"

# A kernel that moves by more than 3 % is marked. dwconv moves more in these runs, saxpy less.
"$smcosim" compare "$dwconv" "$saxpy" --arch baseline,larf --spread 6 --latex "$tmp/m.tex" >"$tmp/moves"
sed -n '/^dwconv/,/k cycles/p' "$tmp/moves" | grep -q 'baseline .*cycles move by .* noise' || fail "dwconv is not marked: $(cat "$tmp/moves")"
sed -n '/^saxpy/,/k cycles/p' "$tmp/moves" | grep -q 'move by' && fail "saxpy is marked"
grep -q '^dwconv\* &' "$tmp/m.tex" && grep -q '^saxpy &' "$tmp/m.tex" || fail "marks of the LaTeX table"

"$smcosim" sweep "$dwconv" "$saxpy" --arch baseline,larf --set sm.scheduler=gto --spread 6 --results "$tmp/results" --json "$tmp/m.json" \
    --html "$tmp/m.html" >"$tmp/moves"
grep -q '^note: the cycles of .*dwconv.* on baseline move by' "$tmp/moves" || fail "sweep does not mark dwconv: $(cat "$tmp/moves")"
grep -q '^note: .*saxpy' "$tmp/moves" && fail "sweep marks saxpy"
grep -q 'class=.note.>[^<]*dwconv[^<]* moves by' "$tmp/m.html" || fail "the page of a sweep does not mark dwconv"
python3 - "$tmp/m.json" <<'PY' || fail "moves in the JSON of a sweep"
import json, sys
doc = json.load(open(sys.argv[1]))
for cell in doc["points"][0]["runs"]:
    if cell["arch"] == "baseline":
        v = cell["spread"]["cycles_of_runs"]
        assert abs(doc["baseline_moves_percent"][cell["kernel"]] - 100 * (max(v) - min(v)) / (sum(v) / 6)) < 1e-6
PY

# RTL takes the same perturbed run, cycle by cycle; several SMs do too.
"$smcosim" run "$saxpy" --set perturb.run=2 --check retire --json "$tmp/rtl.json" >/dev/null || fail "a perturbed run in lockstep"
"$smcosim" run "$saxpy" --blocks model --set perturb.run=2 --sms 3 --json "$tmp/a.json" >/dev/null
"$smcosim" run "$saxpy" --blocks model --set perturb.run=2 --sms 3 --threads 2 --json "$tmp/b.json" >/dev/null
# Without changes of time, a perturbed run is the first one.
"$smcosim" run "$saxpy" --blocks model --set perturb.run=2 --set perturb.dram=0 --set perturb.start=0 --json "$tmp/same.json" >/dev/null
for key in dram start; do
    "$smcosim" run "$saxpy" --blocks model --set perturb.run=2 --set perturb.$key=0 --json "$tmp/without-$key.json" >/dev/null
done
python3 - "$tmp" <<'PY' || fail "perturbed runs"
import json, sys
def of(name): return json.load(open(f"{sys.argv[1]}/{name}.json"))["launches"][0]["counters"]
assert of("rtl") == of("saxpy-baseline-2") != of("saxpy-baseline-0")
assert of("a") == of("b")
assert of("same") == of("saxpy-baseline-0")
each = [of(n)["sm"]["cycles"] for n in ("saxpy-baseline-0", "saxpy-baseline-2", "without-dram", "without-start")]
assert len(set(each)) == 4, each  # the latency of DRAM and the starts both have an effect
PY

# Settings of one architecture are those of --set, and the label is the whole text.
"$smcosim" compare "$nw" --arch baseline,baseline,oc.collectors=4,rf.banks=8,corf++,oc.collectors=4,rf.banks=8 --json "$tmp/l.json" >"$tmp/labels"
"$smcosim" run "$nw" --arch corf++ --blocks model --set oc.collectors=4 --set rf.banks=8 --json "$tmp/set.json" >/dev/null
"$smcosim" run "$nw" --blocks model --set oc.collectors=4 --set rf.banks=8 --json "$tmp/base.json" >/dev/null
"$smcosim" sweep "$nw" --arch baseline,corf++,oc.collectors=4,rf.banks=8 --set sm.scheduler=gto,lrr --results "$tmp/results" --json "$tmp/w.json" >/dev/null
python3 - "$tmp" <<'PY' || fail "settings of an architecture"
import json, sys
def load(name): return json.load(open(f"{sys.argv[1]}/{name}.json"))
label = "corf++,oc.collectors=4,rf.banks=8"
flat = {n: v for g in load("set")["launches"][0]["counters"].values() for n, v in g.items()}
base = {n: v for g in load("base")["launches"][0]["counters"].values() for n, v in g.items()}
c = load("l")
assert c["archs"] == ["baseline", "baseline,oc.collectors=4,rf.banks=8", label], c["archs"]
assert c["launches"][0]["archs"][label]["counters"] == flat
assert c["launches"][0]["archs"]["baseline"]["counters"] != base
# its figures use the baseline of the same settings
s = next(f for f in c["figures"] if f["id"] == "2.15")["series"][0]
assert s["name"] == label, s
expected = 100 * (flat["warp_instructions"] / flat["cycles"] / (base["warp_instructions"] / base["cycles"]) - 1)
assert abs(s["values"][0] - expected) < 1e-9
cell = next(r for r in load("w")["points"][0]["runs"] if r["arch"] == label)
assert cell["cycles"] == flat["cycles"]
PY

expect() {  # status, text, arguments
    status=$1 text=$2; shift 2
    rc=0
    "$smcosim" "$@" >"$tmp/out" 2>"$tmp/err" || rc=$?
    [ $rc = "$status" ] || fail "$*: exit status $rc, expected $status: $(cat "$tmp/err")"
    [ -z "$text" ] || grep -q -- "$text" "$tmp/err" || fail "$*: expected '$text', found: $(cat "$tmp/err")"
}
for command in run compare sweep; do expect 2 "spread: 1 is out of range" $command "$nw" --spread 1; done
expect 2 "found 'rf.banks=8', expected an architecture before it" compare "$nw" --arch rf.banks=8,baseline
expect 2 "arch corf,rf.banks=99: rf.banks = 99 is out of range" compare "$nw" --arch baseline,corf,rf.banks=99
expect 2 "arch corf,rf.bank=8: unknown key .rf.bank.; did you mean" sweep "$nw" --set rf.banks=4,8 --arch corf,rf.bank=8
expect 2 "'corf,rf.banks=8' twice" compare "$nw" --arch corf,rf.banks=8,corf,rf.banks=8
expect 2 "scatter: no counter 'l1_mises'; did you mean 'l1_misses'" compare "$nw" --scatter l1_mises
expect 2 "metric: no counter 'energi'; did you mean 'energy'" sweep "$nw" --set rf.banks=4,8 --metric energi

# Results that depend on the order of threads: --no-expect takes them, and says that nothing was checked. A perturbed run
# that fails is the verdict, with its number.
mkdir "$tmp/wrong"
cp "$kernels"/saxpy/small/* "$tmp/wrong/"
expected=$(sed -n 's/.*file: *\([^ ,}]*\).*/\1/p' "$tmp/wrong/launch.yaml" | tail -1)
chmod u+w "$tmp/wrong/$expected"
printf '\377\377' | dd of="$tmp/wrong/$expected" bs=2 conv=notrunc 2>/dev/null
expect 3 "differs" compare "$tmp/wrong/launch.yaml" --arch baseline,corf
expect 3 "differs" run "$tmp/wrong/launch.yaml" --blocks model --spread 2
expect 0 "" compare "$tmp/wrong/launch.yaml" --arch baseline,corf --no-expect
grep -q 'pass, results not checked' "$tmp/out" || fail "--no-expect does not say so: $(cat "$tmp/out")"
expect 0 "" sweep "$tmp/wrong/launch.yaml" --set rf.banks=4,8 --no-expect --results "$tmp/results"
expect 0 "" run "$tmp/wrong/launch.yaml" --blocks model --no-expect
cycles=$(sed -n 's/.*"cycles": \([0-9]*\),.*/\1/p' "$tmp/saxpy-baseline-0.json" | tail -1)
longest=0
for k in 1 2 3; do
    c=$(sed -n 's/^ *"cycles": \([0-9]*\),$/\1/p' "$tmp/saxpy-baseline-$k.json" | tail -1)
    [ "$c" -le "$longest" ] || longest=$c worst=$k
done
[ "$longest" -gt "$cycles" ] || fail "no perturbed run of saxpy is longer: $longest, $cycles"
limit=$cycles
rc=0
"$smcosim" run "$saxpy" --blocks model --spread 4 --max-cycles $((limit + 1)) >"$tmp/out" 2>"$tmp/err" || rc=$?
[ $rc != 0 ] && grep -q 'perturbed run (perturb.run=[1-3]): ' "$tmp/err" || fail "a perturbed run over the limit: $rc $(cat "$tmp/err")"
echo "spread: run, compare and sweep agree with single runs"
