#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# wrong.sh SMCOSIM DATA: the check of results is able to fail. One bit of one expected number is
# flipped; the run must end with status 3 and name buffer, position and both values.
set -eu
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
cp "$2"/sgemm/small/* "$temp"
byte=$(od -An -tu1 -j3 -N1 "$temp/c.bin" | tr -d ' ')
# shellcheck disable=SC2059
printf "\\$(printf %03o $((byte ^ 128)))" | dd of="$temp/c.bin" bs=1 seek=3 conv=notrunc 2>/dev/null
if "$1" run "$temp/launch.yaml" --blocks model >"$temp/out" 2>"$temp/err"; then rc=0; else rc=$?; fi
[ "$rc" = 3 ] || { echo "status $rc, expected 3"; cat "$temp/err"; exit 1; }
grep -q 'buffer c differs.*1 of 1536 elements; first at index 0: found' "$temp/err" || {
    cat "$temp/err"
    exit 1
}
