#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A block that was given nothing to do is vacuous, by name, whatever it offers while it is idle. Usage: vacuous.sh SMCOSIM
. "$(dirname "$0")/../cli/lib.sh"
cd "$scratch" || exit 1
launch() {
    printf 'name: %s\nptx: %s.ptx\nkernel: k\ngrid: [4, 1, 1]\nblock: [64, 1, 1]\n' "$1" "$1" >"$1.yaml"
    printf '.version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { %s ret; }\n' "$2" >"$1.ptx"
}
launch nothing ''
launch store '.shared .b32 s; st.shared.u32 [s], 0;'  # dispatched, but no register is read or written

none='vacuous: the run gave no work to'
for mode in lockstep rtl; do
    expect 5 "$none banked_rf \($mode, rd_data_valid: 0 in all [0-9]+ cycles\), operand_collector \($mode, disp_valid: 0" \
        "$smcosim" run nothing.yaml --blocks $mode
    for arch in packing firstfit corf corf++ rfv; do
        expect 5 "$none rf_datapath \($mode, disp_valid, wr_done: 0 in all" \
            "$smcosim" run nothing.yaml --arch $arch --blocks $mode
    done
    expect 5 "$none operand_collector" "$smcosim" run nothing.yaml --blocks banked_rf=model,operand_collector=$mode
    expect 5 "$none banked_rf" "$smcosim" run nothing.yaml --blocks banked_rf=$mode,operand_collector=model
    # One block of two.
    expect 5 "$none banked_rf \($mode, rd_data_valid: 0 in all [0-9]+ cycles\)\$" "$smcosim" run store.yaml --blocks $mode
    expect 0 '^verdict' "$smcosim" run store.yaml --blocks banked_rf=model,operand_collector=$mode
done
expect 5 'verdict nothing: vacuous' "$smcosim" run nothing.yaml
# Allowed, it is named, and what else is checked decides.
expect 0 'note: no work for banked_rf, operand_collector$' "$smcosim" run nothing.yaml --allow-idle
expect 0 'note: no work for banked_rf$' "$smcosim" run store.yaml --allow-idle
expect 5 'vacuous: --check oracle compared nothing' "$smcosim" run nothing.yaml --allow-idle --check oracle
expect 1 '^$' sh -c '"$0" run store.yaml --allow-idle --blocks banked_rf=model 2>&1 | grep "no work" || { echo; exit 1; }' "$smcosim"
expect 1 'mismatch: block operand_collector' "$smcosim" run store.yaml --allow-idle --testbug operand_collector=45
expect 0 'verdict nothing: pass' "$smcosim" run nothing.yaml --blocks model  # nothing claimed, nothing missing

# A check that was asked for and had nothing to compare.
expect 5 'vacuous: --check oracle compared nothing' "$smcosim" run nothing.yaml --blocks model --check oracle
expect 5 'vacuous: --check oracle compared nothing' "$smcosim" run store.yaml --blocks model --check oracle
expect 0 'retire check +[1-9][0-9]* events' "$smcosim" run nothing.yaml --blocks model --check retire
finish
