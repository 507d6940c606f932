#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Seeded faults of the blocks of P-mode are found under a kernel. Usage: found.sh SMCOSIM BENCH
set -u
scratch=$(mktemp -d) || exit 7
trap 'rm -rf "$scratch"' EXIT
found() {  # found BLOCK=BUG LAUNCH [OPTION..]
    bug=$1 block=${1%=*} launch=$2
    shift 2
    "$smcosim" run "$launch" --arch pmode --set pmode.queue=4 --set pmode.registers=16 "$@" --blocks "model,$block=lockstep" \
        --testbug "$bug" --bundle "$scratch/bundle" >/dev/null 2>"$scratch/err"
    status=$?
    [ $status -eq 1 ] || { echo "found: $bug: exit status $status, expected 1" >&2; cat "$scratch/err" >&2; exit 1; }
    grep -q "$block" "$scratch/err" || { echo "found: $bug: the report does not name the block" >&2; exit 1; }
    rm -rf "$scratch/bundle"
}
seeded() { found "$1" "$bench/$2/small/launch.yaml" --machine tiny; }
smcosim=$1 bench=$2
seeded p_queue=241 reduction          # popped before its result is there
seeded p_queue=249 reduction          # a popped register is freed
seeded pmode_rename=250 reduction     # P-mode does not look into the N-table
seeded avail_vector=260 reduction     # the bank is not regarded
seeded dual_scoreboard=273 reduction  # the end of a session leaves registers unknown
seeded dual_scoreboard=279 mergesort  # a skipped comparison leaves its predicates known
# The PC alone selects the reused result: two paths through one block (tiny: L1 of one line). Blocks
# of tiny's shape.
found p_queue=247 "$(dirname "$0")/paths.yaml" --set sm.warps=32 --set sm.threads=1024 --set pmode.distance=8 --set oc.alloc_ports=1 --set rf.write_ports=1
