#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The CTA limit that sweep --best finds is the one with which the baseline takes the fewest cycles; sizes that machines
# cannot double are refused. Usage: best_ctas.sh SMCOSIM BENCH
set -u
smcosim=$1 launch=$2/spmv/small/launch.yaml
scratch=$(mktemp -d) || exit 7
trap 'rm -rf "$scratch"' EXIT
die() { echo "best_ctas: $*" >&2; exit 1; }
field() { sed -n "s/^ *\"$1\": \([0-9]*\),*$/\1/p" "$scratch/json" | head -1; }
cycles() {  # cycles ARCH [OPTION..]
    arch=$1
    shift
    "$smcosim" run "$launch" --arch "$arch" --blocks model --json "$scratch/json" "$@" >/dev/null || die "$arch $*: exit status $?"
    field cycles
}
best=0 fewest=0
for limit in 8 7 6 5 4 3 2 1; do
    now=$(cycles baseline --set sm.ctas=$limit)
    [ "$fewest" -eq 0 ] || [ "$now" -lt "$fewest" ] || continue
    fewest=$now best=$limit
done
[ "$best" -lt 8 ] || die "the kernel is fastest with all CTAs: nothing is shown"
sweep() { "$smcosim" sweep "$launch" --results "$scratch/results" "$@" >"$scratch/out" 2>"$scratch/err"; }
sweep --arch baseline,pmode --set sm.ctas=1..8 --best sm.ctas --json "$scratch/best" || die "sweep: exit status $?"
now=$(cycles pmode --set sm.ctas=$best)
tail -1 "$scratch/out" | grep -qE " +$best +$fewest +$now\$" || die "expected limit $best, $fewest and $now cycles, found: $(tail -1 "$scratch/out")"
python3 - "$scratch/best" "$best" "$fewest" "$now" <<'P' || die "JSON: another limit"
import json, sys
best, fewest, now = sys.argv[2:]
assert json.load(open(sys.argv[1]))["best"]["kernels"][0]["set"] == {"sm.ctas": best}
assert json.load(open(sys.argv[1]))["best"]["kernels"][0]["cycles"] == {"baseline": int(fewest), "pmode": int(now)}
P
# A row for each value of another key, and of equal limits the last: no more than eight CTAs of this kernel fit.
sweep --set sm.ctas=8,16 --set rf.banks=2,4 --set rf.entries=512 --best sm.ctas || die "two keys: exit status $?"
[ "$(tail -2 "$scratch/out" | awk '{ print $2, $3 }' | paste -sd' ')" = "16 2 16 4" ] || die "equal limits: $(tail -2 "$scratch/out")"
sweep --set sm.ctas=8 --set rf.banks=2,4 --best sm.ctas
[ $? -eq 2 ] && grep -q 'best sm.ctas: expected a key that --set gives several values' "$scratch/err" || die "a key without values was taken"
[ "$(cycles 2xbw)" -lt "$(cycles baseline)" ] || die "twice the bandwidth makes nothing faster"
"$smcosim" run "$launch" --arch 2xtlp --set rf.entries=1024 --blocks model >/dev/null 2>"$scratch/err"
[ $? -eq 2 ] || die "2048 rows were taken"
grep -q "'2xtlp' doubles rf.entries of 1024" "$scratch/err" || die "the refusal does not say why"
