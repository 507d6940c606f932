#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Seeded faults of the blocks of RegMutex and OWF are found under a kernel. Usage: found.sh SMCOSIM BENCH
set -u
scratch=$(mktemp -d) || exit 7
trap 'rm -rf "$scratch"' EXIT
seeded() {  # seeded BUG KERNEL ARGUMENT..
    bug=$1 block=${1%=*} kernel=$2
    shift 2
    "$smcosim" run "$bench/$kernel/small/launch.yaml" --blocks "model,$block=lockstep" --testbug "$bug" \
        --bundle "$scratch/bundle" "$@" >/dev/null 2>"$scratch/err"
    status=$?
    [ $status -eq 1 ] || { echo "found: $bug: exit status $status, expected 1" >&2; cat "$scratch/err" >&2; exit 1; }
    grep -q "$block" "$scratch/err" || { echo "found: $bug: the report does not name the block" >&2; exit 1; }
    rm -rf "$scratch/bundle"
}
smcosim=$1 bench=$2
seeded srp_allocator=331 phase --arch regmutex --set regmutex.rule=most
seeded arch_to_phys=349 phase --arch regmutex --set regmutex.rule=most
seeded arch_to_phys=349 lavamd --arch owf
seeded owf_locks=350 hotspot3d --arch owf --set rf.entries=128 --set owf.pairs=all
seeded owf_locks=354 hotspot3d --arch owf --set rf.entries=128 --set owf.pairs=all
