#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Seeded faults of rfv_throttle are found under a kernel. Usage: found.sh SMCOSIM BENCH
set -u
scratch=$(mktemp -d) || exit 7
trap 'rm -rf "$scratch"' EXIT
for bug in 360 361 363 364; do
    "$1" run "$2/phase/small/launch.yaml" --arch rfv --set rf.entries=128 --blocks model,rfv_throttle=lockstep \
        --testbug "rfv_throttle=$bug" --bundle "$scratch/bundle" >/dev/null 2>"$scratch/err"
    status=$?
    [ $status -eq 1 ] || { echo "found: $bug: exit status $status, expected 1" >&2; cat "$scratch/err" >&2; exit 1; }
    grep -q rfv_throttle "$scratch/err" || { echo "found: $bug: the report does not name the block" >&2; exit 1; }
done
