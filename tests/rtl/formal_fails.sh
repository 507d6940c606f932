#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A proof must fail when the module has a fault; a few of the documented ones are tried here.
set -eu
cd "$(dirname "$0")/../.."
for seed in 13:rf_bank 22:rf_arbiter 43:operand_collector 187:rf_writer 140:alloc_execute 331:srp_allocator; do
    out=$(ci/formal --bug "${seed%:*}" "${seed#*:}" 2>&1) && { echo "$out"; echo "proved with fault $seed"; exit 1; }
    echo "$out" | grep -q '^FAILED .*\(base case\|induction\)' || { echo "$out"; exit 1; }
    echo "fault ${seed%:*}: $(echo "$out" | grep -m1 '^FAILED')"
done
# A name without a proof is refused, in any list of names; nothing is proved then.
for names in 'packer nosuch' 'nosuch packer' 'nosuch'; do
    status=0
    out=$(ci/formal $names 2>&1) || status=$?
    [ "$status" = 2 ] && echo "$out" | grep -q '^ci/formal: no module nosuch$' &&
        ! echo "$out" | grep -q '^proved' || { echo "$out"; echo "ci/formal $names: status $status"; exit 1; }
done
# A solver that is cut off is no failed proof.
status=0
out=$(FORMAL_SECONDS=1 ci/formal arch_to_phys 2>&1) || status=$?
[ "$status" = 7 ] && echo "$out" | grep -q '^TIMEOUT arch_to_phys .* was cut off after 1 s of processor time$' &&
    ! echo "$out" | grep -q '^FAILED' || { echo "$out"; echo "FORMAL_SECONDS=1: status $status"; exit 1; }
echo "names without a proof refused, a cut-off said"
