#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# lockstep.sh SMCOSIM KERNELS ARCH: every kernel, small size, all blocks in lockstep, retire check and oracle, in several
# settings of one of regmutex, regmutex-paired, owf, rfv. A kernel that is not split in a setting gives the blocks no work
# there (vacuous); in one of them it must give them some, unless the compiler splits it with no size.
set -eu
smcosim=$1 kernels=$2 arch=$3
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "lockstep.sh: $arch: $*"; exit 1; }
vacuous=
case $arch in
regmutex|regmutex-paired)
    settings='default rf.entries=128 regmutex.es=2 regmutex.es=4 regmutex.es=6 regmutex.es=8 regmutex.es=10'
    # pathfinder, reduction: too many registers are in use at a barrier. hotspot3d: its small size ends before its acquire.
    vacuous='hotspot3d pathfinder reduction'
    ;;
owf)
    vacuous=vecadd  # has six registers
    settings='default rf.entries=128 owf.threshold=6,owf.pairs=all rf.entries=128,owf.threshold=6,owf.pairs=all'
    ;;
rfv) settings='default rf.entries=128' ;;
*) fail "expected regmutex, regmutex-paired, owf or rfv" ;;
esac
files=
for launch in "$kernels"/*/small/launch.yaml; do
    # Where a key of hashset lies in its table depends on the order of the atomics.
    case $launch in */hashset/*) ;; *) files="$files $launch" ;; esac
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
for launch in $files; do
    name=$(basename "$(dirname "$(dirname "$launch")")")
    grep -q "^verdict $name: " "$tmp/verdicts" || fail "$name: no verdict"
    if grep -q "^verdict $name: pass" "$tmp/verdicts"; then
        case " $vacuous " in *" $name "*) fail "$name gives the blocks work, and is listed as one that does not" ;; esac
    else
        case " $vacuous " in *" $name "*) ;; *) fail "$name gives the blocks no work in any setting" ;; esac
    fi
done
echo "$arch: $(wc -l <"$tmp/verdicts") runs, $(grep -c ' pass$' "$tmp/verdicts") with work for the blocks"
