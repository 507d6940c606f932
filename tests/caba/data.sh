#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# data.sh SMCOSIM DATA: kernels with data as in the paper's suites. The construction fixes the
# compression of their lines; the test counts its effects.
set -u
smcosim=$1 data=$2 failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
counter() {  # KERNEL ARCH NAME
    "$smcosim" run "$data/$1/small/launch.yaml" --machine fermi-caba --arch "$2" --blocks model --check retire,oracle \
        --json "$tmp/json" >"$tmp/out" 2>&1 || { echo "FAILED: $1 $2: status $?" >&2; head -3 "$tmp/out" >&2; }
    sed -n "s/.*\"$3\": *\([0-9]*\).*/\1/p" "$tmp/json" | head -1
}
same() {  # TEXT EXPECTED FOUND
    [ "$2" = "$3" ] || { echo "FAILED: $1: expected $2, found $3"; failed=1; }
}
# no line compresses: with no latency of its own, compression costs nothing at all
base=$(counter noise baseline cycles)
same "noise, cycles of ideal-bdi" "$base" "$(counter noise ideal-bdi cycles)"
same "noise, routines of loads" 0 "$(counter noise caba-bdi assist_loads)"
# each of 128 lines is half rewritten: L2 wants it raw once
same "halfstore, lines retrieved by hw-bdi" 128 "$(counter halfstore hw-bdi lines_retrieved)"
same "halfstore, trips of caba-bdi" 128 "$(counter halfstore caba-bdi assist_trips)"
# two bursts of four for each line of the matrix (256), the vector (4) and nothing else that DRAM moves
same "imat, raw bursts" 1040 "$(counter imat hw-bdi dram_raw_bursts)"
same "imat, bursts moved" 520 "$(counter imat hw-bdi dram_moved_bursts)"
# L1 is bypassed: each of 16 rounds of 32 warps is decompressed anew, except merged ones; raw-l2
# does it once a line
[ "$(counter reread caba-bdi assist_loads)" -gt 47 ] || { echo "FAILED: reread: no line is decompressed twice"; failed=1; }
exit $failed
