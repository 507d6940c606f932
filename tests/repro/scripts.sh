#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# scripts.sh SMCOSIM KERNELS: chapters with a script: documents with the numbers of run; nothing runs twice; no document
# after a failure.
set -eu
smcosim=$1 kernels=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "scripts.sh: $*"; exit 1; }
mkdir "$tmp/data"
for name in vecadd reduction scan; do
    mkdir "$tmp/data/$name"
    cp -r "$kernels/$name/small" "$tmp/data/$name/small"
done
chmod -R u+w "$tmp/data"
repro() { "$smcosim" repro --kernels vecadd,reduction "$@" --data "$tmp/data" --results "$tmp/results" --output "$tmp/out" -j2 2>"$tmp/err"; }
for chapter in pmode scalar caba; do
    repro $chapter $([ $chapter = caba ] && echo "--size small") || fail "$chapter: $(cat "$tmp/err")"
    grep -q '^| .*vecadd' "$tmp/out/$chapter.md" || fail "$chapter: no row of vecadd"
done
for id in pmode-speedup scalar-prefetch; do
    [ -s "$tmp/out/figures/figure-$id.svg" ] && grep -q '^vecadd,' "$tmp/out/figures/figure-$id.csv" || fail "no drawing $id"
done
touch "$tmp/then"
sleep 0.05
cp "$tmp/out/scalar.md" "$tmp/scalar.md"
repro scalar && cmp "$tmp/out/scalar.md" "$tmp/scalar.md" || fail "the same chapter again differs"
[ -z "$(find "$tmp/results" -name '*.json' -newer "$tmp/then")" ] || fail "a run was repeated"

# Speed-ups against smcosim run; the launch file of scan has two kernels.
repro caba --size small --kernels vecadd,scan || fail "caba: $(cat "$tmp/err")"
for arch in baseline caba-bdi; do
    "$smcosim" run "$tmp/data/vecadd/small/launch.yaml" "$tmp/data/scan/small/launch.yaml" --machine fermi-caba --blocks model --arch $arch \
        --json "$tmp/$arch.json" >/dev/null
done
python3 - "$tmp" <<'PY' || fail "document and runs differ"
import json, sys
launches = [json.load(open(f"{sys.argv[1]}/{a}.json"))["launches"] for a in ("baseline", "caba-bdi")]
assert len(launches[0][1]["kernels"]) == 2
for i, name in enumerate(("vecadd", "scan")):
    cycles = [l[i]["cycles"] for l in launches]
    row = next(l for l in open(f"{sys.argv[1]}/out/caba.md") if l.startswith(f"| {name} |")).split("|")
    assert row[5].strip() == f"{cycles[0] / cycles[1]:.2f}", (row, cycles)
PY

# Seeded: a wrong word of the expected results.
rm "$tmp"/out/*.md
expected=$(sed -n 's/.*file: *\([^ ,}]*\).*/\1/p' "$tmp/data/vecadd/small/launch.yaml" | tail -1)
printf '\377\377' | dd of="$tmp/data/vecadd/small/$expected" bs=2 conv=notrunc 2>/dev/null
rc=0
repro caba --size small --kernels vecadd,scan || rc=$?
[ $rc = 3 ] && [ ! -e "$tmp/out/caba.md" ] || fail "a wrong result: exit status $rc"
echo "repro: scripts of chapters"
