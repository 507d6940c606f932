#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# resume.sh SMCOSIM KERNELS: a sweep takes existing results, and an interrupted one resumes. Results
# of other data or damaged ones are not taken, and the report agrees with the results.
set -eu
smcosim=$1 kernels=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "resume.sh: $*"; exit 1; }
mkdir "$tmp/k"
cp "$kernels"/vecadd/small/* "$tmp/k/"
chmod -R u+w "$tmp/k"
sweep() { "$smcosim" sweep "$tmp/k/launch.yaml" --results "$tmp/results" "$@"; }
count() { ls "$tmp/results" 2>/dev/null | grep -c 'json$' || :; }
grid='--set oc.collectors=2..9 --set rf.write_ports=1..4 --arch baseline,corf'

# shellcheck disable=SC2086
"$smcosim" sweep "$tmp/k/launch.yaml" --results "$tmp/results" $grid >"$tmp/out" 2>&1 & pid=$!
while [ "$(count)" -lt 3 ] && kill -0 $pid 2>/dev/null; do sleep 0.02; done
kill -TERM $pid 2>/dev/null || :
rc=0
wait $pid || rc=$?
kept=$(count)
[ $rc = 130 ] || fail "interrupted: exit status $rc: $(cat "$tmp/out")"
[ "$kept" -ge 3 ] && [ "$kept" -lt 64 ] || fail "interrupted with $kept of 64 results"
grep -q 'the same command resumes' "$tmp/out" || fail "nothing says how it goes on: $(cat "$tmp/out")"
touch "$tmp/then"
sleep 0.05
# shellcheck disable=SC2086
sweep $grid -j2 --csv "$tmp/a.csv" >/dev/null
[ "$(count)" = 64 ] || fail "$(count) results of 64"
[ "$(find "$tmp/results" -name '*.json' -newer "$tmp/then" | wc -l)" = $((64 - kept)) ] || fail "what was there has been run again"

# Nothing is missing: nothing runs. A damaged result, and one that was removed, are made again, and are the same.
touch "$tmp/then"
sleep 0.05
set -- "$tmp"/results/*.json
printf '{"schema"' >"$1"
rm "$2"
# shellcheck disable=SC2086
sweep $grid --csv "$tmp/b.csv" >/dev/null
cmp "$tmp/a.csv" "$tmp/b.csv" || fail "the same sweep has other numbers"
[ "$(find "$tmp/results" -name '*.json' -newer "$tmp/then" | wc -l)" = 2 ] || fail "not exactly two results were made again"

# The report has its numbers from the results: one that is changed shows.
sed 's/"cycles": *[0-9]*/"cycles":987654321/g' "$3" >"$tmp/changed"
cp "$tmp/changed" "$3"
# shellcheck disable=SC2086
sweep $grid --csv "$tmp/c.csv" >/dev/null
grep -q 987654321 "$tmp/c.csv" || fail "a changed result does not show"
rm "$3"

# A result that is named as another one is not taken for it, and neither is one of another command.
sweep --set oc.collectors=2,9 --csv "$tmp/d.csv" >/dev/null
set -- $(grep -l '"--set","oc.collectors=2"' "$tmp"/results/*.json | xargs grep -l baseline | xargs grep -Lw 'rf.write_ports=.') \
    $(grep -l '"--set","oc.collectors=9"' "$tmp"/results/*.json | xargs grep -l baseline | xargs grep -Lw 'rf.write_ports=.')
[ $# = 2 ] || fail "two results, found $*"
cp "$1" "$tmp/kept"
cp "$2" "$1"
sweep --set oc.collectors=2,9 --csv "$tmp/e.csv" >/dev/null
cmp "$tmp/d.csv" "$tmp/e.csv" || fail "a copied result was taken for another one"
grep -q 'oc.collectors=2"' "$1" || fail "it was not made again"
sed 's/"oc.collectors=2"/"oc.collectors=3"/; s/"cycles": *[0-9]*/"cycles":987654321/g' "$1" >"$tmp/changed"
cp "$tmp/changed" "$1"
sweep --set oc.collectors=2,9 --csv "$tmp/f.csv" >/dev/null
cmp "$tmp/d.csv" "$tmp/f.csv" || fail "the result of another command was taken"

# Other data are another result.
before=$(count)
printf '\0' >>"$tmp/k/other.bin"
sweep --set oc.collectors=2 >/dev/null
[ "$(count)" = $((before + 1)) ] || fail "a result of other data was taken"
echo "sweep: interrupted after $kept of 64, resumed"
