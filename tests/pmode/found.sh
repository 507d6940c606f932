#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Seeded faults of the blocks of P-mode are found under a kernel. Usage: found.sh SMCOSIM BENCH
set -u
scratch=$(mktemp -d) || exit 7
trap 'rm -rf "$scratch"' EXIT
seeded() {  # seeded BLOCK=BUG KERNEL
    block=${1%=*}
    "$smcosim" run "$bench/$2/small/launch.yaml" --arch pmode --machine tiny --set pmode.queue=4 --set pmode.registers=16 --blocks "model,$block=lockstep" --testbug "$1" \
        --bundle "$scratch/bundle" >/dev/null 2>"$scratch/err"
    status=$?
    [ $status -eq 1 ] || { echo "found: $1: exit status $status, expected 1" >&2; cat "$scratch/err" >&2; exit 1; }
    grep -q "$block" "$scratch/err" || { echo "found: $1: the report does not name the block" >&2; exit 1; }
    rm -rf "$scratch/bundle"
}
smcosim=$1 bench=$2
seeded p_queue=241 reduction          # popped before its result is there
seeded p_queue=249 reduction          # a popped register is freed
seeded pmode_rename=250 reduction     # P-mode does not look into the N-table
seeded avail_vector=260 reduction     # the bank is not regarded
seeded dual_scoreboard=273 reduction  # the end of a session leaves registers unknown
