#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Kernels that hang if any request takes a free physical register, and that end with the rule of
# rfv_throttle. Usage: greedy.sh SMCOSIM BENCH TESTS
. "$3/cli/lib.sh"
bench=$2 tests=$3
both() {
    expect 4 'waits for a free warp register that its CTA may take$' "$smcosim" run "$@" --set rfv.admission=greedy
    expect 0 'register wait +[1-9]' "$smcosim" run "$@"
}
for kernel in phase hotspot3d; do
    both "$bench/$kernel/small/launch.yaml" --arch rfv --blocks model --set rf.entries=128
done
both "$tests/packing/full.yaml" --arch rfv --blocks model --machine tiny --set sm.ctas=4 --set rf.entries=32
finish
