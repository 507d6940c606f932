#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# choices.sh SMCOSIM DATA: the effects of caba.registers, caba.best and caba.high on counters. The
# retire check, the oracle and the codec accept each run.
set -u
smcosim=$1 data=$2 failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "FAILED: $*"; failed=1; }
simulate() {  # KERNEL SET
    "$smcosim" run "$data/$1/small/launch.yaml" --machine fermi-caba --arch caba-best --blocks model --set "$2" \
        --check retire,oracle,codec --json "$tmp/json" >"$tmp/out" 2>&1 || fail "$1, $2: status $?: $(grep '^smcosim' "$tmp/out")"
}
counter() { grep -oE "\"$1\": *[0-9]+" "$tmp/json" | head -1 | grep -oE '[0-9]+$' || echo "no $1"; }

# Shared registers: more warps are resident, and loads kill routines of stores.
simulate logscan caba.registers=shared
warps=$(counter warps_per_sm) killed=$(counter assist_killed)
simulate logscan caba.registers=apart
[ "$warps" -gt "$(counter warps_per_sm)" ] || fail "logscan: $warps warps with shared registers, $(counter warps_per_sm) without"
[ "$killed" -gt 0 ] || fail "logscan: no routine of a store was killed for a load"
[ "$(counter assist_killed)" = 0 ] || fail "logscan, apart: $(counter assist_killed) routines were killed"

# By cycles fewer lines are worth a routine, and instructions of routines fall.
simulate relax caba.best=cycles
loads=$(counter assist_loads) issued=$(counter assist_issued)
simulate relax caba.best=bursts
[ "$loads" -lt "$(counter assist_loads)" ] || fail "relax: $loads lines decompressed by cycles, $(counter assist_loads) by bursts"
[ "$issued" -lt "$(counter assist_issued)" ] || fail "relax: $issued instructions by cycles, $(counter assist_issued) by bursts"

# A routine of high priority before all programs: the order changes, and no value does.
simulate blend caba.high=place
cycles=$(counter cycles) issued=$(counter warp_instructions)
simulate blend caba.high=first
[ "$cycles" != "$(counter cycles)" ] || fail "blend: caba.high changes nothing"
[ "$issued" = "$(counter warp_instructions)" ] || fail "blend: other instructions with caba.high=first"
[ "$issued" -gt 0 ] || fail "blend: $issued instructions"
exit $failed
