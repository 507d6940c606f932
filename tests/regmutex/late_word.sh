#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A section is not released in the cycle in which a result enters it: a row of the collector would outlive the section.
# Usage: late_word.sh SMCOSIM
set -u
here=$(dirname "$0")
scratch=$(mktemp -d) || exit 7
trap 'rm -rf "$scratch"' EXIT
cp "$here/late_word.ptx" "$here/late_word.yaml" "$scratch"
tail -n +3 "$here/late_word.ptx" | head -c 4096 >"$scratch/in.bin"
"$1" run "$scratch/late_word.yaml" --arch regmutex:bow-wb --machine pascal --blocks model --allow-idle --check retire,oracle \
    --set sm.regs_per_thread=32 --set regmutex.es=4 --set bow.window=4
