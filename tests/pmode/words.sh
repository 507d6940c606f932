#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Loads of every width into registers that hold values executed ahead: each word equals the loaded
# one. The loads are in order of the text and as scheduled, on one warp and on many. Usage: words.sh
# SMCOSIM
set -u
here=$(dirname "$0")
scratch=$(mktemp -d) || exit 7
trap 'rm -rf "$scratch"' EXIT
cp "$here/words.ptx" "$scratch"
for kernel in $(sed -n 's/^\.visible \.entry \([a-z_]*\)(.*/\1/p' "$here/words.ptx"); do
    for shape in '1 32' '2 128'; do
        file=$scratch/$kernel-${shape% *}.yaml
        {
            printf 'name: %s\nptx: words.ptx\nkernel: %s\ngrid: [%s, 1, 1]\nblock: [%s, 1, 1]\n' \
                "$kernel" "$kernel" "${shape% *}" "${shape#* }"
            printf 'args:\n  - {type: ptr, buffer: in}\n  - {type: ptr, buffer: out}\n'
            printf 'buffers:\n  in: {bytes: 4096, init: in.bin}\n  out: {bytes: 8192, init: zero}\n'
        } >"$file"
    done
done
head -c 4096 "$scratch/words.ptx" >"$scratch/in.bin"
for schedule in source latency; do
    "$1" run "$scratch"/*.yaml --machine fermi --arch pmode --blocks model --allow-idle --check retire,oracle \
        --set compiler.schedule=$schedule --json "$scratch/$schedule.json" >"$scratch/out" 2>&1 ||
        { echo "words: compiler.schedule=$schedule: exit status $?"; grep -E "^verdict|^smcosim|expected" "$scratch/out"; exit 1; }
done
# Without reuse nothing was tested.
grep -q '"reused": *[1-9]' "$scratch/source.json" || { echo "words: nothing was reused"; exit 1; }
