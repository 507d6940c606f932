#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A session that a destination began runs the stalled instruction itself ahead. It is reused whether the stalled
# instruction is fetched again or held (pmode.stalled), and nothing is left to be flushed. Usage: waw.sh SMCOSIM
set -u
scratch=$(mktemp -d) || exit 7
trap 'rm -rf "$scratch"' EXIT
for stalled in fetched held; do
    "$1" run "$(dirname "$0")/waw.yaml" --machine fermi --arch pmode --blocks model --check retire,oracle --set pmode.stalled=$stalled \
        --set compiler.schedule=source --json "$scratch/json" >/dev/null || exit 1
    grep -q '"queued": *[1-9]' "$scratch/json" || { echo "waw: nothing was executed ahead with pmode.stalled=$stalled"; exit 1; }
    grep -q '"flushed": *0,' "$scratch/json" || { echo "waw: results are flushed with pmode.stalled=$stalled"; exit 1; }
done
