#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Faults injected while a kernel runs. Usage: faults.sh SMCOSIM BUILD.
#   Lockstep finds a cell, a tag and a pointer at the first compared effect.
#   The comparison of state finds a value that is never read. A fault without effect is reported as
# not observed.
. "$(dirname "$0")/../cli/lib.sh"
SMCOSIM_CACHE=$2/test-variants; export SMCOSIM_CACHE
run="$smcosim run $2/bench/sgemm/small/launch.yaml --bundle $scratch/bundle --fault"

# A cell of the register file: read before it is written again, by nobody again, overwritten.
expect 1 'fault in banked_rf, bank 0 entry 2 lane 3 bit 5 .* held at 1 from cycle 100: found by lockstep in cycle [0-9]+ at port rd_data_o\[0\]' \
    $run banked_rf:bank0.entry2.lane3.bit5:sa1@100
expect 1 'injected fault: banked_rf, bank 0 entry 2 lane 3 bit 5 ' $run banked_rf:bank0.entry2.lane3.bit5:sa1@100
expect 1 'fault in banked_rf, bank 3 entry 255 .*: found by the comparison of state in cycle' \
    $run banked_rf:bank3.entry255.lane3.bit5:flip@3000
expect 1 'state at observation address 0x3ff \(bank 3 entry 255\)' $run banked_rf:bank3.entry255.lane3.bit5:flip@3000
expect 5 'fault in banked_rf, .* flipped in cycle 10: not observed: no compared output' \
    $run banked_rf:bank3.entry200.lane3.bit5:flip@10
# A byte by the slice that holds it is the lane's bit.
expect 1 'fault in banked_rf, bank 2 entry 17 lane 3 bit 13 .*: found by lockstep in cycle [0-9]+ at port rd_data_o\[2\]' \
    $run banked_rf:bank2.entry17.slice1.lane3.bit5:flip@1000
expect 2 'slice4.lane3.bit5.: slice is out of range, expected 0 to 3' $run banked_rf:bank2.entry17.slice4.lane3.bit5:flip@1000
# A block made of blocks: its parts' names are below its own; a bit that its RTL cannot change is
# refused.
expect 1 'rf_datapath, alloc slices bit 0 .* held at 1 from cycle 100: found by lockstep in cycle [0-9]+ at port used_slices' \
    $run rf_datapath:alloc.slices.bit0:sa1@100 --arch corf++ --machine tiny
expect 2 'coll1.busy.: is shown, but the RTL has no way to change it' $run rf_datapath:coll1.busy:flip --arch corf++ --machine tiny
# The tag of an operand: bank and entry that a collector asks for.
expect 1 'coll 3 entry 0 bit 0 .*: found by lockstep in cycle [0-9]+ at port rd_entry_o\[3\]' \
    $run operand_collector:coll3.entry0.bit0:sa1@500
expect 1 'coll 3 bank 0 bit 1 .*: found by lockstep in cycle [0-9]+ at port rd_bank_o\[3\]' \
    $run operand_collector:coll3.bank0.bit1:sa0@500
# A pointer: which collector is older, which operand is next, which writer is first.
expect 1 'coll 3 older 5 .* flipped in cycle 1000: found by lockstep in cycle 1001 at port older_o\[3\]' \
    $run operand_collector:coll3.older5:flip@1000
expect 1 'coll 0 next bit 0 .*: found by lockstep in cycle [0-9]+ at port rd_(bank|entry)_o\[0\]' \
    $run operand_collector:coll0.next.bit0:sa1@100
expect 1 'bank 2 first bit 0 .*: found by lockstep in cycle [0-9]+ at port wr_ready_o' $run banked_rf:bank2.first.bit0:flip@10
# Exactly that cycle, also when the blocks have no work then: in cycle 1 nothing has been issued yet.
expect 1 'coll 15 busy .* flipped in cycle 1: found by lockstep' $run operand_collector:coll15.busy:flip@1
# A fault without a visible effect has a verdict of its own, in the table and in JSON; so has one
# that never happened.
missed=banked_rf:bank3.entry200.lane3.bit5:flip
expect 5 '^verdict sgemm: not observed$' $run $missed@10
expect 5 '^verdict sgemm: never injected$' $run $missed@90000000
expect 5 'never injected: the run ended after [0-9]+ cycles, before cycle 90000000' $run $missed@90000000
expect 5 'not observed: the block is not compared in rtl mode' $run banked_rf:1.1:flip@100 --blocks rtl
expect 5 '"fault": "banked_rf, .*not observed' $run $missed@10 --json -
expect 5 '^  "verdict": "not observed",$' $run $missed@10 --json -
expect 5 '^      "verdict": "never injected",$' $run $missed@90000000 --json -
expect 2 'expected BLOCK:PLACE:flip' $run banked_rf:1.1
expect 2 'runs as model' $run banked_rf:1.1:flip --blocks model
finish
