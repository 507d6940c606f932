#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# lockstep.sh SMCOSIM KERNELS ARCH: every kernel, small size, all blocks in lockstep, retire check
# and oracle. It runs in several settings of one of regmutex, regmutex-paired, owf, rfv. A kernel
# that is not split in a setting gives the blocks no work there (vacuous). In one of the settings
# seven of eight kernels must give them some. With others the compiler finds no size (too much is in
# use at a barrier), or they end before their first acquire.
set -eu
smcosim=$1 kernels=$2 arch=$3
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "lockstep.sh: $arch: $*"; exit 1; }
case $arch in
regmutex|regmutex-paired)
    settings='default regmutex.rule=most rf.entries=128,regmutex.rule=most regmutex.es=2 regmutex.es=4 regmutex.es=6 regmutex.es=8 regmutex.es=10'
    ;;
owf)
    settings='default rf.entries=128 owf.threshold=6,owf.pairs=all rf.entries=128,owf.threshold=6,owf.pairs=all'
    ;;
rfv) settings='default rf.entries=128' ;;
*) fail "expected regmutex, regmutex-paired, owf or rfv" ;;
esac
files=
for launch in "$kernels"/*/small/launch.yaml; do
    # hashset: the place of a key depends on the order of the atomics. The others wait in loops for
    # other warps.
    case $launch in */hashset/*|*/flags/*|*/handoff/*|*/inplace/*) ;; *) files="$files $launch" ;; esac
done
for setting in $settings; do
    sets=
    [ "$setting" = default ] || sets="--set $(echo "$setting" | sed 's/,/ --set /g')"
    rc=0
    # shellcheck disable=SC2086
    "$smcosim" run $files --arch "$arch" --blocks lockstep --check retire,oracle --bundle "$tmp/bundle" $sets >"$tmp/out" 2>&1 || rc=$?
    [ $rc = 0 ] || [ $rc = 5 ] || fail "$setting: status $rc: $(grep '^verdict' "$tmp/out" | grep -v ' pass$\| vacuous$'; grep 'mismatch:' "$tmp/out")"
    grep '^verdict' "$tmp/out" >>"$tmp/verdicts"
done
idle= n=0
for launch in $files; do
    name=$(basename "$(dirname "$(dirname "$launch")")")
    grep -q "^verdict $name: " "$tmp/verdicts" || fail "$name: no verdict"
    grep -q "^verdict $name: pass" "$tmp/verdicts" || { idle="$idle $name"; n=$((n + 1)); }
done
# shellcheck disable=SC2086
set -- $files
[ $((8 * n)) -lt $# ] || fail "of $# kernels $n give the blocks no work in any setting:$idle"
echo "$arch: $(wc -l <"$tmp/verdicts") runs, $(grep -c ' pass$' "$tmp/verdicts") with work for the blocks; none in any setting:$idle"
