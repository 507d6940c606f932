#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# figure.sh SMCOSIM KERNELS [--update]: figure 2.15 of two small kernels is the one beside this
# script, in numbers and as a drawing. Its numbers are those of run. A changed result changes the
# figure; an interrupted command resumes.
set -eu
smcosim=$1 kernels=$2 update=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "figure.sh: $*"; exit 1; }
count() { ls "$tmp/results" 2>/dev/null | grep -c 'json$' || :; }
mkdir "$tmp/data"
for name in saxpy rle; do
    mkdir "$tmp/data/$name"
    cp -r "$kernels/$name/small" "$tmp/data/$name/small"
done
repro() { "$smcosim" repro 2.15 --size small --kernels 'saxpy rle' --data "$tmp/data" --results "$tmp/results" --output "$1" 2>"$tmp/err"; }

# If interrupted, it keeps the results so far and writes nothing.
"$smcosim" repro 2.15 --size small --kernels 'saxpy rle' --data "$tmp/data" --results "$tmp/results" --output "$tmp/out" 2>"$tmp/err" & pid=$!
while [ "$(count)" -lt 2 ] && kill -0 $pid 2>/dev/null; do sleep 0.01; done
kill -TERM $pid 2>/dev/null || :
rc=0
wait $pid || rc=$?
kept=$(count)
[ $rc = 130 ] && [ ! -e "$tmp/out/corf-2.15.md" ] || fail "interrupted after $kept results: exit status $rc: $(cat "$tmp/err")"
[ "$kept" -ge 2 ] && [ "$kept" -lt 18 ] || fail "interrupted with $kept of 18 results"
touch "$tmp/then"
sleep 0.05
repro "$tmp/out" || fail "$(cat "$tmp/err")"
[ "$(count)" = 18 ] || fail "$(count) results of 18"
[ "$(find "$tmp/results" -name '*.json' -newer "$tmp/then" | wc -l)" = $((18 - kept)) ] || fail "what was there has been run again"

if [ "$update" = --update ]; then
    cp "$tmp/out/corf-2.15.md" "$tmp/out/figures/figure-2.15.svg" "$tmp/out/figures/figure-2.15.csv" "$here/"
    exit 0
fi
same() {
    cmp -s "$1/corf-2.15.md" "$here/corf-2.15.md" && cmp -s "$1/figures/figure-2.15.svg" "$here/figure-2.15.svg" &&
        cmp -s "$1/figures/figure-2.15.csv" "$here/figure-2.15.csv"
}
same "$tmp/out" || fail "the figure is another one: $(diff "$tmp/out/corf-2.15.md" "$here/corf-2.15.md"; diff "$tmp/out/figures/figure-2.15.csv" "$here/figure-2.15.csv")"

# Its numbers are those of run, with the settings that the document names.
sets=$(sed -n 's/.*machine `fermi-corf` with `\([^`]*\)`.*/\1/p' "$tmp/out/corf-2.15.md" | sed 's/[^ ]*=/--set &/g')
for arch in baseline corf++:rfv; do
    # shellcheck disable=SC2086
    "$smcosim" run "$tmp/data/saxpy/small/launch.yaml" --machine fermi-corf $sets --arch $arch --blocks model --json "$tmp/$arch.json" >/dev/null
done
python3 - "$tmp" <<'PY' || fail "figure and runs differ"
import csv, json, sys
ipc = {}
for arch in ("baseline", "corf++:rfv"):
    launch = json.load(open(f"{sys.argv[1]}/{arch}.json"))["launches"][0]
    c = {n: v for g in launch["counters"].values() for n, v in g.items()}
    ipc[arch] = c["warp_instructions"] / c["cycles"]
row = next(r for r in csv.DictReader(open(f"{sys.argv[1]}/out/figures/figure-2.15.csv")) if (r["group"], r["series"]) == ("saxpy", "corf++:rfv"))
assert abs(float(row["value"]) - 100 * (ipc["corf++:rfv"] / ipc["baseline"] - 1)) < 1e-6, (row, ipc)
PY

# Seeded: one number of one result is another one. The figure shows it, and the comparison notices.
victim=$(grep -l '"corf++"' "$tmp"/results/*.json | head -1)
sed 's/"cycles":\([0-9]*\)/"cycles":1\1/g' "$victim" >"$tmp/changed"
cp "$tmp/changed" "$victim"
repro "$tmp/seeded" || fail "$(cat "$tmp/err")"
same "$tmp/seeded" && fail "a changed number is not noticed"

# Seeded: a result of other data is not taken; a chapter that does not exist.
printf '\0' >>"$tmp/data/saxpy/small/further.bin"
repro "$tmp/out" && [ "$(count)" = 27 ] || fail "results of other data were taken: $(count)"
rc=0
"$smcosim" repro corff 2>"$tmp/err" || rc=$?
[ $rc = 2 ] && grep -q "did you mean 'corf'" "$tmp/err" || fail "status $rc: $(cat "$tmp/err")"
rc=0
"$smcosim" repro 2.99 --size small --kernels saxpy --results "$tmp/results" --output "$tmp/no" 2>"$tmp/err" || rc=$?
[ $rc = 2 ] && grep -q "no figure '2.99'" "$tmp/err" && [ ! -e "$tmp/no/corf-2.99.md" ] || fail "status $rc: $(cat "$tmp/err")"
echo "repro: figure 2.15 of two kernels is as it was"
