#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The worked example of csrc/README.md is the toy that the tests compile and run. Usage: example.sh SOURCE
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' "$1/csrc/README.md" >"$scratch/shown"
sed '/^\/\/ ---- the check/,$d' "$1/tests/sm/toys/halves.c" | sed '$d' >"$scratch/toy"
[ -s "$scratch/shown" ] || { echo "csrc/README.md shows no example"; exit 1; }
diff "$scratch/shown" "$scratch/toy" || { echo "csrc/README.md and tests/sm/toys/halves.c differ"; exit 1; }
