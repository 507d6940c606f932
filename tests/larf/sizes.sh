#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sizes.sh SMCOSIM DATA: kernels that share, merge, copy and store, with small sizes. The table has
# three entries; there is one waiter, one merge at a time, counts of one and two bits, one free
# port, one write port, a slow table. Also: the flat table, and words that are kept, entered again,
# or emptied at barriers.
set -eu
for name in conv3x3 stencil2d dwconv inplace flags cifarnet bfs jacobi hotspot3d nbody fire; do
    files="${files-} $2/$name/small/launch.yaml"
done
for name in conv3x3 dwconv inplace flags; do
    few="${few-} $2/$name/small/launch.yaml"
done
out=$(mktemp)
trap 'rm -f "$out"' EXIT
try() { # smcosim, architectures, files, three keys
    for arch in $2; do
        # shellcheck disable=SC2086
        "$1" run $3 --machine pascal-larf --arch "$arch" --blocks model --check retire,oracle --set "$4" --set "$5" \
            --set "$6" > "$out" 2>&1 || { cat "$out"; exit 1; }
    done
}
both="larf larf:las"
try "$1" "$both" "$files" larf.row_bits=0 larf.ways=1 larf.merge_queue=1
try "$1" "$both" "$files" larf.count_bits=2 larf.waiters=1 larf.merge_queue=1
try "$1" "$both" "$files" larf.count_bits=1 rename.free_ports=1 larf.questions=1
try "$1" "$both" "$files" larf.latency=9 larf.interval=3 rf.write_ports=1
try "$1" larf:las "$few" larf.table=flat larf.entries=7 larf.partial=any
try "$1" larf "$few" larf.ideal=1 larf.enter_merged=1 larf.retain=1
try "$1" larf:las "$few" larf.retain=1 larf.flush=barrier larf.waiters=1
