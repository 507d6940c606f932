#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A kernel in which no warp waits for a load has no P-mode; that its blocks had no work is said. Usage: vacuous.sh SMCOSIM BENCH
set -u
scratch=$(mktemp -d) || exit 7
trap 'rm -rf "$scratch"' EXIT
die() { echo "vacuous: $*" >&2; exit 1; }
"$1" run "$2/hello/small/launch.yaml" --arch pmode --bundle "$scratch/bundle" \
    --blocks model,dual_scoreboard=rtl,p_queue=rtl,pmode_rename=rtl,avail_vector=rtl >"$scratch/out" 2>"$scratch/err"
status=$?
[ $status -eq 5 ] || die "nothing is executed ahead: exit status $status, expected 5"
for block in dual_scoreboard p_queue pmode_rename avail_vector; do
    grep 'gave no work to' "$scratch/err" | grep -q $block || die "$block had no work, and that is not said"
done
