#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The rule that chooses the size of the extended set, on machine fermi-regmutex: which kernels it
# splits, which it skips and why. A skipped kernel takes the cycles of the baseline. Usage: rule.sh
# SMCOSIM KERNELS BENCH
set -u
smcosim=$1 kernels=$2 bench=$3
scratch=$(mktemp -d) || exit 7
trap 'rm -rf "$scratch"' EXIT
half="--set rf.entries=32 --set compiler.rf_entries=64"
# chosen EXPECTED KERNEL THREADS OPTION..: the size that is taken, 0 for none
chosen() {
    expected=$1 kernel=$2 threads=$3
    shift 3
    "$smcosim" compile "$kernels/$kernel/$kernel.ptx" --dump hints --machine fermi-regmutex --set "compiler.threads=$threads" \
        "$@" >"$scratch/said" || exit 1
    found=$(awk '/ chosen$/ && !/not chosen$/ {print $1}' "$scratch/said")
    [ "${found:-0}" = "$expected" ] ||
        { echo "rule: $kernel $*: size ${found:-0}, expected $expected"; sed -n 1,9p "$scratch/said"; exit 1; }
}
cycles() {
    "$smcosim" run "$bench/$1/small/launch.yaml" --machine fermi-regmutex --blocks model --json "$scratch/json" --arch "$2" \
        >"$scratch/out" && awk -F'[:,]' '/^ *"cycles"/ && !n++ {print $2}' "$scratch/json"
}

# Few sections that are held for nearly all of the time.
chosen 12 cutcp 256 --set regmutex.rule=most
chosen 10 cutcp 256 --set regmutex.rule=sections
chosen 0 cutcp 256
grep -q '12 .* too few sections (held 9[0-9] %' "$scratch/said" || { echo "rule: cutcp: no reason"; cat "$scratch/said"; exit 1; }
# One section for 28 warps: the run would take 22 times as long.
# shellcheck disable=SC2086
{
    chosen 6 stencil3d 128 $half --set regmutex.rule=most
    chosen 0 stencil3d 128 $half --set regmutex.rule=sections
    chosen 0 stencil3d 128 $half
    # No acquire is ever executed; a section is held for a fifth of the time.
    chosen 6 montecarlo 128 $half
    chosen 0 streamcost 256 $half --set regmutex.rule=sections
    chosen 6 streamcost 256 $half
}
# A gain by the estimate that is too small.
chosen 0 hotspot3d 256
chosen 6 mm2 256
for kernel in cutcp lavamd; do
    was=$(cycles $kernel baseline) now=$(cycles $kernel regmutex)
    [ -n "$was" ] && [ "$was" = "$now" ] || { echo "rule: $kernel: $now cycles, baseline $was"; exit 1; }
done
exit 0
