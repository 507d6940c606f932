#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Kernels in every architecture with bypassing collectors, with settings that are given. Usage:
#   sweep.sh SMCOSIM "FILE;FILE;.." "KEY=VALUE ..".. (each of these is a run)
set -u
smcosim=$1 files=$(echo "$2" | tr ';' ' ')
shift 2
for sets; do
    for arch in bow bow-wb bow-wr bow-wr-half bow-nofwd; do
        # shellcheck disable=SC2046,SC2086
        "$smcosim" run $files --machine pascal --arch $arch --blocks model --check retire,oracle \
            $(echo "$sets" | sed 's/[^ ]*=/--set &/g') >/dev/null || { echo "$arch $sets: status $?"; exit 1; }
    done
done
