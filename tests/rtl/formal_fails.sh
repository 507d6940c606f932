#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A proof must fail when the module has a fault; a few of the documented ones are tried here.
set -eu
cd "$(dirname "$0")/../.."
for seed in 13:rf_bank 22:rf_arbiter 43:operand_collector 187:rf_datapath; do
    out=$(ci/formal --bug "${seed%:*}" "${seed#*:}" 2>&1) && { echo "$out"; echo "proved with fault $seed"; exit 1; }
    echo "$out" | grep -q '^FAILED .*\(base case\|induction step\)' || { echo "$out"; exit 1; }
    echo "fault ${seed%:*}: $(echo "$out" | grep -m1 '^FAILED')"
done
