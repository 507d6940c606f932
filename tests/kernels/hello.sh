#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The text that the kernel prints goes to standard error, complete lines in any order of CTAs.
set -eu
text=$("$1" run "$2" --blocks model 2>&1 >/dev/null | LC_ALL=C sort)
expect='block -1 of 3: even 42949672960, 1.875 is 50% of 3.75, a
block 0 of 3: odd 592705486848, 25.875 is 50% of 51.75, b
block 1 of 3: even 1142461300736, 49.875 is 50% of 99.75, c'
[ "$text" = "$expect" ] || { printf 'found:\n%s\nexpected:\n%s\n' "$text" "$expect"; exit 1; }
