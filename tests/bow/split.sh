#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Kernels in RegMutex with bypassing collectors; some of them are split, or nothing is tested. Usage:
#   split.sh SMCOSIM "FILE;FILE;.."
set -u
smcosim=$1 files=$(echo "$2" | tr ';' ' ')
for arch in regmutex:bow regmutex:bow-wb regmutex:bow-wr regmutex:bow-wr-half regmutex:bow-nofwd regmutex-paired:bow-wr; do
    # shellcheck disable=SC2086
    found=$("$smcosim" run $files --machine pascal --set rf.entries=24 --arch "$arch" --blocks model --check retire,oracle) ||
        { echo "$arch: status $?"; exit 1; }
    acquires=$(echo "$found" | awk '$1 == "acquires" { n += $2 } END { print n + 0 }')
    [ "$acquires" -ge 100 ] || { echo "$arch: $acquires acquires, expected 100 or more"; exit 1; }
done
