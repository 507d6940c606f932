#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# report.sh SMCOSIM KERNELS: smcosim repro larf writes a complete report whose numbers are those of
# smcosim run. If a run fails, it fails and writes nothing.
set -eu
smcosim=$1 kernels=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "report.sh: $*"; exit 1; }
names='conv3x3 pwconv mm2 vecadd'
mkdir "$tmp/data"
for name in $names; do
    mkdir "$tmp/data/$name"
    cp -r "$kernels/$name/small" "$tmp/data/$name/small"
done
report() { "$smcosim" repro larf --data "$tmp/data" --results "$tmp/results" --size small --kernels conv3x3,pwconv,mm2,vecadd -j2 "$@" 2>"$tmp/err"; }
report --output "$tmp/out" || fail "$(cat "$tmp/err")"
for name in $names; do
    grep -q "^| $name |" "$tmp/out/larf.md" || fail "no row of $name"
done
for title in 'Beside the paper' 'Speed-up per kernel and layer' 'Loads removed' 'Registers in use' 'Sharing by scheduler' \
    Sweeps Energy Findings; do
    grep -q "^## $title" "$tmp/out/larf.md" || fail "no section $title"
done
grep -q '\bnan\b\|\binf\b' "$tmp/out/larf.md" && fail "a number is none: $(grep '\bnan\b\|\binf\b' "$tmp/out/larf.md")"
awk -F'|' '!/^[|]/ {n = 0; next}
    !n {n = NF}
    NF != n {print NF " cells, expected " n ": " $0; bad = 1}
    END {exit bad}' "$tmp/out/larf.md" || fail "a table is ragged"

# Numbers against smcosim run.
run() {
    "$smcosim" run "$tmp/data/conv3x3/small/launch.yaml" "$tmp/data/mm2/small/launch.yaml" --machine pascal-larf --blocks model \
        --arch "$1" --set "$2" --json "$tmp/$3.json" >/dev/null
}
run baseline sm.scheduler=lrr baseline
run larf sm.scheduler=lrr larf
run larf larf.ideal=1 ideal
python3 - "$tmp" <<'PY' || fail "report and runs differ"
import json, sys
runs = {a: json.load(open(f"{sys.argv[1]}/{a}.json"))["launches"] for a in ("baseline", "larf", "ideal")}
text = open(f"{sys.argv[1]}/out/larf.md").read()
def row(title, name):
    part = text[text.index(f"# {title}"):]
    return [float(c) for c in next(l for l in part.splitlines() if l.startswith(f"| {name} |")).split("|")[2:-1]]
for i, name in enumerate(("conv3x3", "mm2")):
    cycles = {a: runs[a][i]["cycles"] for a in runs}
    speed, loads = row("Speed-up per kernel", name), row("Table as built, LRR", name)
    c = runs["larf"][i]["counters"]["larf"]
    all_loads = sum(c[w] for w in ("larf_loads_served", "larf_loads_missed", "larf_loads_unasked", "larf_loads_not_asking"))
    assert speed[0] == cycles["baseline"], (name, speed)
    assert abs(speed[3] - 100 * (cycles["baseline"] / cycles["larf"] - 1)) < 0.06, (name, speed)
    assert abs(speed[5] - 100 * (cycles["baseline"] / cycles["ideal"] - 1)) < 0.06, (name, speed)
    assert loads[0] == all_loads and abs(loads[1] - 100 * c["larf_loads_served"] / all_loads) < 0.06, (name, loads)
    assert c["larf_loads_served"] > 0
PY

# Seeded: an unknown kernel; a word of the expected results is wrong; a kernel is not there.
refused() { # status, text
    rc=0
    report --output "$tmp/x" || rc=$?
    [ $rc = "$1" ] || fail "status $rc, expected $1: $(cat "$tmp/err")"
    grep -q -- "$2" "$tmp/err" || fail "expected '$2', found: $(cat "$tmp/err")"
    [ ! -e "$tmp/x/larf.md" ] || fail "a document was written"
}
rc=0
report --kernels conv3x3,nothing --output "$tmp/x" || rc=$?
[ $rc = 2 ] && grep -q "found 'nothing'" "$tmp/err" || fail "a kernel that is not there: $rc"
chmod u+w "$tmp/data/conv3x3/small/out.bin"
printf '\377\377\377\377' | dd of="$tmp/data/conv3x3/small/out.bin" bs=4 conv=notrunc 2>/dev/null
refused 3 'conv3x3'
rm "$tmp/data/conv3x3/small/launch.yaml"
refused 2 'conv3x3/small/launch.yaml'
echo "larf: the report is complete and agrees with run"
