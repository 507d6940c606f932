#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# heap.sh SMCOSIM DATA: a buffer that the user calls `heap` is compared with the oracle like any other. RTL with an
# injected fault writes a wrong result there, which nothing but the oracle looks at.
set -eu
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
cp "$2"/vecadd/small/* "$temp"
sed -e 's/buffer: c}/buffer: heap}/' -e 's/^  c: {bytes/  heap: {bytes/' -e '/^expect:/,$d' "$temp/launch.yaml" >"$temp/heap.yaml"
grep -c heap "$temp/heap.yaml" | grep -qx 2 || { echo "the buffer was not renamed"; exit 1; }
"$1" run "$temp/heap.yaml" --blocks model --check oracle >"$temp/out" 2>&1 || { cat "$temp/out"; exit 1; }
grep -Eq 'oracle, buffer bytes +98268 compared' "$temp/out" || { echo "not all of 3 x 32756 bytes"; cat "$temp/out"; exit 1; }
if "$1" run "$temp/heap.yaml" --blocks rtl --fault banked_rf:bank0.entry0.slice1.lane3.bit5:sa1@0 \
    --check oracle >"$temp/out" 2>&1; then rc=0; else rc=$?; fi
[ "$rc" = 3 ] || { echo "status $rc, expected 3"; cat "$temp/out"; exit 1; }
grep -q 'heap differs from the PTX oracle' "$temp/out" || { cat "$temp/out"; exit 1; }
