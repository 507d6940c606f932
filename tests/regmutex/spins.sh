#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A kernel whose warps wait in loops for each other. The compiler keeps such loops without a
# section, so that it ends. A split that regmutex.es requests may hang, and the report says why.
# Usage: spins.sh SMCOSIM BENCH
set -u
scratch=$(mktemp -d) || exit 7
trap 'rm -rf "$scratch"' EXIT
die() { echo "spins: $*" >&2; exit 1; }
kernel=$2/handoff/small/launch.yaml
for arch in regmutex regmutex-paired; do
    "$1" run "$kernel" --arch $arch --blocks model --check retire,oracle >"$scratch/out" 2>"$scratch/err" ||
        { cat "$scratch/err"; die "$arch, as the compiler splits it: exit status $?"; }
done
"$1" run "$kernel" --arch regmutex-paired --set regmutex.es=8 --blocks model --max-cycles 2000000 >"$scratch/out" 2>"$scratch/err"
[ $? -eq 4 ] || die "a holder that spins: expected exit status 4"
grep -q 'warp [0-9]* has waited [0-9]* cycles for a section.*regmutex.es=8' "$scratch/err" || die "the reason is not named"
grep -q 'at pc [0-9]* .acq _.*waits for a section of the shared register pool' "$scratch/err" || die "no warp is shown at ACQ"
exit 0
