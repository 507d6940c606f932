#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A kernel that reads no register gives the collectors no work, for any of their idle offers; one
# that reads does. Usage: vacuous.sh SMCOSIM
. "$(dirname "$0")/../cli/lib.sh"
cd "$scratch" || exit 1
launch() {
    printf 'name: %s\nptx: %s.ptx\nkernel: k\ngrid: [4, 1, 1]\nblock: [64, 1, 1]\n' "$1" "$1" >"$1.yaml"
    printf '.version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { %s ret; }\n' "$2" >"$1.ptx"
}
launch nothing ''
launch some '.reg .b32 %r<3>; .shared .b32 s; mov.u32 %r1, %tid.x; add.u32 %r2, %r1, %r1; st.shared.u32 [s], %r2;'
for arch in bow bow-wb bow-wr bow-nofwd; do
    set -- "$smcosim" run --machine pascal --arch $arch --blocks model,bypass_collector=rtl
    expect 5 'vacuous: the run gave no work to bypass_collector \(rtl, fwd, disp_need, wr_save: 0 in all' "$@" nothing.yaml
    expect 0 'verdict some: pass' "$@" some.yaml
done
finish
