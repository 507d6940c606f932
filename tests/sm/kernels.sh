#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: kernels.sh SMCOSIM BENCH_DATA OPTIONS...: all small launches; fails when one of them does.
set -eu
smcosim=$1
data=$2
shift 2
failed=0
count=0
for launch in "$data"/*/small/launch.yaml; do
    count=$((count + 1))
    if ! text=$("$smcosim" run "$launch" --blocks model --check retire "$@" 2>&1); then
        echo "$launch $*:"
        echo "$text" | tail -n 12
        failed=$((failed + 1))
    fi
done
[ "$count" -gt 0 ] || { echo "no launches in $data"; exit 1; }
echo "$count launches, $failed failed"
[ "$failed" -eq 0 ]
