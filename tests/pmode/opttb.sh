#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The CTA limit that opttb finds is the one with which the baseline takes the fewest cycles, pmode:opttb takes the same
# one, and what cannot go together is refused. Usage: opttb.sh SMCOSIM BENCH
set -u
smcosim=$1 launch=$2/spmv/small/launch.yaml
scratch=$(mktemp -d) || exit 7
trap 'rm -rf "$scratch"' EXIT
die() { echo "opttb: $*" >&2; exit 1; }
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
now=$(cycles opttb)
[ "$now" -eq "$fewest" ] || die "$now cycles, expected $fewest"
[ "$(field best_ctas)" -eq "$best" ] || die "limit $(field best_ctas), expected $best"
now=$(cycles pmode:opttb)
[ "$(field best_ctas)" -eq "$best" ] || die "pmode:opttb: limit $(field best_ctas), expected $best"
[ "$now" -eq "$(cycles pmode --set sm.ctas=$best)" ] || die "pmode:opttb is not pmode with that limit"
launch=$2/reduction/small/launch.yaml  # its last launch is of one CTA
[ "$(cycles opttb)" -le "$(cycles baseline)" ] || die "reduction: the limit is no better than none"
launch=$2/spmv/small/launch.yaml
[ "$(cycles 2xbw)" -lt "$(cycles baseline)" ] || die "twice the bandwidth makes nothing faster"
"$smcosim" run "$launch" --arch 2xtlp --set rf.entries=1024 --blocks model >/dev/null 2>"$scratch/err"
[ $? -eq 2 ] || die "2048 rows were taken"
grep -q "'2xtlp' doubles rf.entries of 1024" "$scratch/err" || die "the refusal does not say why"
