#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fits.sh SMCOSIM: a kernel of more registers than a CTA of 1024 threads can have is compiled to
# that limit, and gives the same results. A launch of smaller CTAs in the same program keeps its
# registers.
set -u
smcosim=$1 tmp=$(mktemp -d) failed=0
trap 'rm -rf "$tmp"' EXIT
fail() { echo "FAILED: $*"; failed=1; }
{
    printf '.version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n'
    printf '.reg .b32 %%r<50>;\n.reg .b64 %%rd<4>;\n.reg .pred %%p;\n'
    printf 'mov.u32 %%r0, %%tid.x;\nmov.u32 %%r49, 0;\n'
    for i in $(seq 1 44); do printf 'mad.lo.u32 %%r%d, %%r0, %d, %d;\n' "$i" $((i * 7 + 3)) "$i"; done
    printf 'L:\n'
    for i in $(seq 1 44); do printf 'xor.b32 %%r%d, %%r%d, %%r%d;\n' "$i" "$i" $((i % 44 + 1)); done
    printf 'add.u32 %%r49, %%r49, 1;\nsetp.lt.u32 %%p, %%r49, 3;\n@%%p bra L;\n'
    for i in $(seq 2 44); do printf 'add.u32 %%r1, %%r1, %%r%d;\n' "$i"; done
    printf 'ld.param.u64 %%rd1, [out];\ncvta.to.global.u64 %%rd1, %%rd1;\nmul.wide.u32 %%rd2, %%r0, 4;\n'
    printf 'add.s64 %%rd3, %%rd1, %%rd2;\nst.global.u32 [%%rd3], %%r1;\nret;\n}\n'
} >"$tmp/wide.ptx"
launch() {
    printf 'ptx: wide.ptx\nkernel: k\ngrid: [2]\nblock: [%d]\nargs:\n  - {type: ptr, buffer: out}\nbuffers:\n  out: {bytes: 4096}\n' "$1"
}
for threads in 256 1024; do launch $threads >"$tmp/$threads.yaml"; done
regs() { grep -oE '[0-9]+ registers' "$tmp/out" | head -1 | grep -oE '[0-9]+'; }
simulate() {  # MACHINE ARCH THREADS
    "$smcosim" run "$tmp/$3.yaml" --machine "$1" --arch "$2" --blocks model --check retire,oracle --allow-idle >"$tmp/out" 2>&1 ||
        fail "$1 $2 $3: $(grep '^smcosim' "$tmp/out")"
}
for arch in baseline larf larf:las; do
    simulate pascal-larf $arch 1024
    [ "$(regs)" = 32 ] || fail "$arch: 1024 threads: expected 32 registers, found $(regs)"
    simulate pascal-larf $arch 256
    [ "$(regs)" -gt 32 ] || fail "$arch: 256 threads: expected more than 32 registers, found $(regs)"
done
exit $failed
