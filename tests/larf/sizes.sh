#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sizes.sh SMCOSIM DATA: kernels that share, merge, copy and store, with a table of three entries, one waiter, one merge
# at a time, counts of one and two bits, one free port, one write port, a slow table.
set -eu
files=
for name in conv3x3 stencil2d dwconv inplace flags cifarnet bfs jacobi hotspot3d nbody fire; do
    files="$files $2/$name/small/launch.yaml"
done
try() {
    for arch in larf larf:las; do
        # shellcheck disable=SC2086
        "$1" run $files --machine pascal-larf --arch $arch --blocks model --check retire,oracle --set "$2" --set "$3" \
            --set "$4" > "$out" 2>&1 || { cat "$out"; exit 1; }
    done
}
out=$(mktemp)
trap 'rm -f "$out"' EXIT
try "$1" larf.row_bits=0 larf.ways=1 larf.merge_queue=1
try "$1" larf.count_bits=2 larf.waiters=1 larf.merge_queue=1
try "$1" larf.count_bits=1 rename.free_ports=1 larf.questions=1
try "$1" larf.latency=9 larf.interval=3 rf.write_ports=1
