#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A load that is wrong and was executed ahead ends the run when the program reaches it, and not
# sooner. The message is that of the baseline, which is the assertion's if that fails first. Usage:
# asserted.sh SMCOSIM
set -u
scratch=$(mktemp -d) || exit 7
trap 'rm -rf "$scratch"' EXIT
cp "$(dirname "$0")/asserted.ptx" "$scratch"
head -c 4096 /dev/zero >"$scratch/in.bin"
for kernel in asserted beyond; do
    cat >"$scratch/$kernel.yaml" <<EOF
ptx: asserted.ptx
kernel: $kernel
grid: [1]
block: [32]
args: [{type: ptr, buffer: in}, {type: ptr, buffer: out}]
buffers:
  in: {bytes: 4096, init: in.bin}
  out: {bytes: 4096}
EOF
    for arch in baseline pmode; do
        "$1" run "$scratch/$kernel.yaml" --machine fermi --arch $arch --blocks model --set compiler.schedule=source --check retire \
            --json "$scratch/$arch.json" >"$scratch/out" 2>"$scratch/$kernel.$arch"
        [ $? = 3 ] || { echo "asserted: $kernel under $arch did not end with 3"; cat "$scratch/out" "$scratch/$kernel.$arch"; exit 1; }
    done
    cmp -s "$scratch/$kernel.baseline" "$scratch/$kernel.pmode" ||
        { echo "asserted: not the program's own error:"; cat "$scratch/$kernel.baseline" "$scratch/$kernel.pmode"; exit 1; }
    grep -q '"queued": *[1-9]' "$scratch/pmode.json" || { echo "asserted: $kernel: nothing was executed ahead"; exit 1; }
done
grep -q 'assertion `i < 16. failed' "$scratch/asserted.pmode" || { echo "asserted: the assertion did not fail"; exit 1; }
grep -q 'constant memory' "$scratch/beyond.pmode" || { echo "asserted: the load was not wrong"; exit 1; }
grep -q '"reused": *[1-9]' "$scratch/pmode.json" || { echo "asserted: the wrong load was not reused"; exit 1; }
