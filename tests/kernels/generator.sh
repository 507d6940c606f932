#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# generator.sh BENCH_GEN DATA: bench_gen writes the same bytes as the build's data, leaves nothing
# half-written when it fails, and says so.
set -eu
gen=$1 data=$2
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
fail() { echo "generator.sh: $*"; exit 1; }

"$gen" "$temp/a" small
(cd "$temp/a" && find . -name '*.bin') | while read -r file; do
    cmp "$temp/a/$file" "$data/$file" || fail "$file differs from the build's"
done
[ "$(find "$temp/a" -name '*.bin' | wc -l)" -ge 40 ] || fail "too few files"
# ... and the same on every machine and with every compiler, except where a reference uses the C
# library's exp or sin. A new kernel or size changes this number.
sum=$(cd "$temp/a" && find . -name '*.bin' | grep -vE '^./(libm|blackscholes|backprop|mriq|cutcp|lavamd|fft4)/' |
    LC_ALL=C sort | xargs cat | cksum)
[ "$sum" = "453518670 3454374" ] || fail "checksum of all files is $sum"

# A file size limit represents a full disk: the write fails (SIGXFSZ ignored), status 7, no file
# left.
if (trap '' XFSZ; ulimit -f 1; "$gen" "$temp/b" small sgemm) 2>"$temp/err"; then
    fail "a failed write was not noticed"
else
    rc=$?
fi
[ "$rc" = 7 ] || fail "status $rc, expected 7"
grep -q 'cannot write' "$temp/err" || fail "no message: $(cat "$temp/err")"
[ -z "$(find "$temp/b" -type f)" ] || fail "left: $(find "$temp/b" -type f)"

if "$gen" "$temp/c" small nosuch 2>"$temp/err"; then fail "unknown kernel accepted"; else rc=$?; fi
[ "$rc" = 2 ] || fail "status $rc, expected 2"
grep -q "unknown kernel 'nosuch'" "$temp/err" || fail "no message for an unknown kernel"
