#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every contract has a diagram and it holds; one that does not is found, at its cell; nonsense is refused at its line.
# Usage: diagrams.sh SMCOSIM SOURCE
. "$(dirname "$0")/../cli/lib.sh"
cd "$2" || exit 1
blocks=$("$smcosim" list blocks | awk 'NF > 1 { n++ } END { print n }')
contracts=$(grep -lE '^#define [A-Z0-9_]*_PORTS\(' models/*/*.h)
[ "$(echo "$contracts" | wc -l)" = "$blocks" ] || { echo "FAILED: contracts: $(echo "$contracts" | wc -l), blocks: $blocks"; failed=$((failed + 1)); }
# shellcheck disable=SC2086
expect 0 ' values of outputs, 0 wrong$' python3 tests/contracts/diagrams.py "$smcosim" $contracts

# Seeded: the release of a barrier a cycle later, in the diagram of a copy; then unreadable
# diagrams.
mkdir "$scratch/scalar"
copy=$scratch/scalar/cta_barrier.h
seeded() { status=$1 pattern=$2; shift 2; sed "$@" models/scalar/cta_barrier.h >"$copy"; expect "$status" "$pattern" python3 tests/contracts/diagrams.py "$smcosim" "$copy"; }
seeded 0 '^diagrams: 1 diagrams, .* 0 wrong$' ''
seeded 1 'rel_valid, cycle 3: the diagram shows \., the golden model has 1$' 's|^\(//   rel_valid  .*\)1   \.   \.$|\1.   1   .|'
seeded 1 'rel_valid, cycle 4: the diagram shows 1, the golden model has \.$' 's|^\(//   rel_valid  .*\)1   \.   \.$|\1.   1   .|'
seeded 1 'rel_warps, cycle 3: the diagram shows 1, the golden model has 3$' 's|^\(//   rel_warps .*\)3   \.   \.$|\11   .   .|'
seeded 1 'no output is ever anything but 0' '/^.. *arr_valid/d; /^.. *rel_/s/ [13]  / .  /'
seeded 1 'cta_barrier.h: no diagram$' '/^\/\/ Diagram/d'
seeded 2 'cta_barrier.h:[0-9]+: 5 columns, expected 6' 's|^\(//   rel_warps .*\)   \.$|\1|'
seeded 2 'cta_barrier.h:[0-9]+: not a row of a diagram .*rel_warps .*x' 's|^\(//   rel_warps .*\)\.$|\1x|'
seeded 2 'cta_barrier.h:[0-9]+: cta_barrier has no port rel_warpz$' 's|^//   rel_warps|//   rel_warpz|'
seeded 2 'cta_barrier.h:[0-9]+: rel_number has elements 0 to 1, not 2$' 's|^//   rel_number\[0\]|//   rel_number[2]|'
seeded 2 'cta_barrier.h:[0-9]+: start_warps: 8 has more bits than the port$' 's|^\(//   start_warps  *\)2|\18|'
seeded 2 'cta_barrier.h:[0-9]+: an input has a value in every cycle' 's|^\(//   start_warps .*\)\.$|\1-|'
seeded 2 'cta_barrier.h:[0-9]+: .*--param Ctas: 99 is out of range' 's|(Ctas=2 |(Ctas=99 |'
seeded 2 'cta_barrier.h:[0-9]+: the title does not end in the parameters' 's|(Ctas=2 .*|two CTAs|'
finish
