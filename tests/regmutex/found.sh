#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Seeded faults of RegMutex's blocks are found under a kernel. Usage: found.sh SMCOSIM BENCH
set -u
scratch=$(mktemp -d) || exit 7
trap 'rm -rf "$scratch"' EXIT
for bug in srp_allocator=331 arch_to_phys=349; do
    block=${bug%=*}
    "$1" run "$2/phase/small/launch.yaml" --arch regmutex --blocks "model,$block=lockstep" --testbug "$bug" \
        --bundle "$scratch/bundle" >/dev/null 2>"$scratch/err"
    status=$?
    [ $status -eq 1 ] || { echo "found: $bug: exit status $status, expected 1" >&2; cat "$scratch/err" >&2; exit 1; }
    grep -q "$block" "$scratch/err" || { echo "found: $bug: the report does not name the block" >&2; exit 1; }
done
