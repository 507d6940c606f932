#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# report.sh SMCOSIM KERNELS: smcosim repro regmutex writes a complete report whose numbers are those
# of smcosim run. If a run fails, it fails and writes nothing.
set -eu
smcosim=$1 kernels=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "report.sh: $*"; exit 1; }
report() { "$smcosim" repro regmutex --data "$tmp/data" --results "$tmp/results" --size small -j2 "$@" 2>"$tmp/err"; }
names='phase hotspot3d cutcp mriq particle dwt2d radixsort lavamd libor column cifarnet fire mm2 mm3 md5 srad mergesort tpacf
montecarlo backprop streamcost stencil3d'
mkdir "$tmp/data"
for name in $names; do
    mkdir "$tmp/data/$name"
    cp -r "$kernels/$name/small" "$tmp/data/$name/small"
done
report --output "$tmp/out" || fail "$(cat "$tmp/err")"
grep -q ' s of processor time' "$tmp/err" || fail "no processor time: $(cat "$tmp/err")"
for name in $names; do
    grep -q "^| $name |" "$tmp/out/regmutex.md" || fail "no row of $name"
done
for title in 'Beside the paper' Kernels 'Whole file' 'Half file' Acquires 'The rule' 'Size of the extended set' OWF Storage Findings; do
    grep -q "^## $title" "$tmp/out/regmutex.md" || fail "no section $title"
done
grep -q 'nan\|inf' "$tmp/out/regmutex.md" && fail "a number is none: $(grep 'nan\|inf' "$tmp/out/regmutex.md")"
awk -F'|' '!/^[|]/ {n = 0; next}
    !n {n = NF}
    NF != n {print NF " cells, expected " n ": " $0; bad = 1}
    END {exit bad}' "$tmp/out/regmutex.md" || fail "a table is ragged"

# Numbers of two kernels against smcosim run.
for arch in baseline owf rfv regmutex regmutex-paired; do
    "$smcosim" run "$tmp/data/phase/small/launch.yaml" "$tmp/data/mm2/small/launch.yaml" --machine fermi-regmutex --blocks model --arch $arch \
        --json "$tmp/$arch.json" >/dev/null
done
python3 - "$tmp" <<'PY' || fail "report and runs differ"
import json, sys
archs = ("baseline", "owf", "rfv", "regmutex", "regmutex-paired")
runs = {a: json.load(open(f"{sys.argv[1]}/{a}.json"))["launches"] for a in archs}
text = open(f"{sys.argv[1]}/out/regmutex.md").read()
whole = text[text.index("\n## Whole file"):text.index("\n## Half file")]
acquires = text[text.index("\n## Acquires"):text.index("\n## Size")]
def row(part, name):
    return [c.strip() for c in next(l for l in part.splitlines() if l.startswith(f"| {name} |")).split("|")[2:-1]]
for i, name in enumerate(("phase", "mm2")):
    cycles = {a: runs[a][i]["cycles"] for a in archs}
    warps = {a: runs[a][i]["counters"]["sm"]["resident_warp_cycles"] / cycles[a] for a in archs}
    cells = row(whole, name)
    assert cells[0] == f"{cycles['baseline'] / 1000:.0f}", (name, cells)
    for k, a in enumerate(archs[1:]):
        assert abs(float(cells[1 + k]) - 100 * (cycles[a] / cycles["baseline"] - 1)) < 0.051, (name, a, cells)
    for k, a in enumerate(archs):
        assert abs(float(cells[5 + k]) - warps[a]) < 0.051, (name, a, cells)
    c = runs["regmutex"][i]["counters"]["regmutex"]
    assert (c["acquires_granted"] > 0) == (name == "mm2"), (name, c)
    if name != "mm2":
        continue
    once = 100 * c["acquires_granted_at_once"] / c["acquires_granted"]
    assert abs(float(row(acquires, name)[0]) - once) < 0.051, (name, once)
PY

# Seeded: a word of the expected results is wrong; a kernel is not there.
refused() { # status, text
    rm -rf "$tmp/x"
    rc=0
    report --output "$tmp/x" || rc=$?
    [ $rc = "$1" ] || fail "status $rc, expected $1: $(cat "$tmp/err")"
    grep -q -- "$2" "$tmp/err" || fail "expected '$2', found: $(cat "$tmp/err")"
    [ ! -e "$tmp/x/regmutex.md" ] || fail "a document was written"
}
expected=$(ls "$tmp/data/phase/small"/*.expect* "$tmp/data/phase/small"/*expect* 2>/dev/null | head -1)
[ -n "$expected" ] || expected=$(sed -n 's/.*file: *\([^ ,}]*\).*/\1/p' "$tmp/data/phase/small/launch.yaml" | tail -1)
case $expected in /*) ;; *) expected=$tmp/data/phase/small/$expected ;; esac
chmod u+w "$expected"
printf '\377\377\377\377' | dd of="$expected" bs=4 conv=notrunc 2>/dev/null
refused 3 'phase'
rm "$tmp/data/phase/small/launch.yaml"
refused 2 'phase/small/launch.yaml'
