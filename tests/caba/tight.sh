#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tight.sh SMCOSIM DATA: assist warps where everything that they could wait for is scarce. A window access that had to
# pass loads which wait for MSHRs would hang here, as would a held warp whose buffer is full.
set -eu
files=
for name in bfs logscan nw hashset handoff; do files="$files $2/$name/small/launch.yaml"; done
out=$(mktemp)
trap 'rm -f "$out"' EXIT
for set in l1.mshrs=1 l1.merges=1 lsu.queue=1 l1.queue=1 l1.sets=5 sm.ibuffer=1 caba.registers=apart caba.high=first oc.collectors=4 sm.scheduler=two-level; do
    # shellcheck disable=SC2086
    "$1" run $files --machine fermi-caba --arch caba-best --blocks model --check retire,oracle \
        --set run.progress_cycles=20000 --set "$set" > "$out" 2>&1 || { echo "$set"; cat "$out"; exit 1; }
done
