#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A register that dies in front of a loop is not released in each of its iterations. Usage: loop_head.sh SMCOSIM
set -u
here=$(dirname "$0")
scratch=$(mktemp -d) || exit 7
trap 'rm -rf "$scratch"' EXIT
cp "$here/loop_head.ptx" "$here/loop_head.yaml" "$scratch"
tail -n +3 "$here/loop_head.ptx" | head -c 4096 >"$scratch/in.bin"
"$1" run "$scratch/loop_head.yaml" --arch rfv --machine fermi --blocks model --allow-idle --check retire,oracle
