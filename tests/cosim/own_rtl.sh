#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The user's own RTL in a run. Usage: own_rtl.sh SMCOSIM SOURCE BUILD.
#   A second implementation of a block in another style passes; a fault in it is reported with block
# and port.
#   RTL that does not fit is refused with the difference; if it does not compile, with the tool's
# message at the user's line.
. "$(dirname "$0")/../cli/lib.sh"
own=$2/tests/cosim/own_rtl
kernel=$3/bench/sgemm/small/launch.yaml
SMCOSIM_CACHE=$3/test-variants; export SMCOSIM_CACHE
cd "$scratch" || exit 1
files=operand_collector=$own/collector_ranks.sv,$own/collector_slot.sv
run="$smcosim run $kernel --machine tiny --bundle $scratch/bundle"

expect 0 'verdict sgemm: pass' $run --rtl "$files"
expect 0 'operand_collector  lockstep +[1-9][0-9]* port comparisons' $run --rtl "$files"
expect 0 'RTL from .*collector_ranks.sv,.*collector_slot.sv' $run --rtl "$files"
expect 0 'state was not compared: the module has no observation ports' $run --rtl "$files"
expect 0 '"states_compared": -1' $run --rtl "$files" --json -

# After a refused request the same operand is presented again.
sed 's/next_q <= after(next_q, wanted_d)/next_q <= ask_o \&\& grant_i ? after(next_q, wanted_d) : next_q/' \
    "$own/collector_slot.sv" >slot_stays.sv
cmp -s slot_stays.sv "$own/collector_slot.sv" && { echo "the fault was not seeded"; exit 1; }
expect 1 'mismatch: block operand_collector, cycle [0-9]+, port rd_(bank|entry)_o\[[0-9]+\]' \
    $run --rtl "operand_collector=$own/collector_ranks.sv,slot_stays.sv"
grep -q 'RTL: .*collector_ranks.sv' bundle/mismatch.txt || { echo "FAILED: the bundle does not name the files"; exit 1; }

# A report of the RTL itself names the block that contains it, not a block in its words.
sed 's/^endmodule/always @(posedge clk_i) if (busy_o) $error("banked_rf is slow");\nendmodule/' \
    "$own/collector_slot.sv" >slot_speaks.sv
grep -q 'is slow' slot_speaks.sv || { echo "the message was not seeded"; exit 1; }
expect 1 'mismatch: block operand_collector, cycle [0-9]+, the RTL stopped itself' \
    $run --rtl "operand_collector=$own/collector_ranks.sv,slot_speaks.sv"
# .. for any thread that evaluates it.
mv bundle bundle1
for kept in '' banked_rf operand_collector; do
    expect 1 'mismatch: block operand_collector, cycle [0-9]+, the RTL stopped itself' \
        $smcosim internal queues "1${kept:+,$kept}" ${run#* } --rtl "operand_collector=$own/collector_ranks.sv,slot_speaks.sv" --threads 2
    expect 0 '^same$' sh -c 'sed -i "s/ --threads 2//" bundle/mismatch.txt && cmp bundle/mismatch.txt bundle1/mismatch.txt && echo same'
done

# Only a submodule of ours is replaced: the top is the user's too, the rest ours.
cp "$2/rtl/rf/banked_rf.sv" my_rf.sv
cp "$2/rtl/rf/rf_arbiter.sv" my_arbiter.sv
sed -i '1s/$/ changed/' my_rf.sv my_arbiter.sv
expect 0 'verdict sgemm: pass' $run --rtl banked_rf=my_rf.sv,my_arbiter.sv
sed 's/turn & (~turn + NumWr/turn \& (turn + NumWr/' my_arbiter.sv >bad_arbiter.sv
cmp -s my_arbiter.sv bad_arbiter.sv && { echo "the fault was not seeded"; exit 1; }
expect 1 'mismatch: block banked_rf, cycle [0-9]+, port wr_ready_o' $run --rtl banked_rf=my_rf.sv,bad_arbiter.sv

# The block alone: the same two.
alone="$smcosim verify --machine tiny --transactions 20000"
expect 0 '^banked_rf .* pass$' $alone banked_rf --rtl banked_rf=my_rf.sv,my_arbiter.sv
expect 1 'mismatch: block banked_rf.* port wr_ready_o' $alone banked_rf --rtl banked_rf=my_rf.sv,bad_arbiter.sv --bundle alone
expect 0 'mismatch: block banked_rf, cycle [0-9]+, port wr_ready_o\[[0-9]+\]' cat alone/mismatch.txt
expect 0 'reproduce: smcosim verify .*--rtl banked_rf=my_rf.sv,bad_arbiter.sv' cat alone/mismatch.txt

# A gated clock. The logic behind the inputs must then be evaluated at the clock edge too.
sed -e 's/posedge clk_i/posedge gclk/' -e "/^);/a wire gclk = clk_i && (!rst_ni || cfg_valid_i || {acq_valid_i, rel_valid_i, exit_mask_i} != '0);" \
    "$2/rtl/regmutex/srp_allocator.sv" >gated.sv
expect 0 '^srp_allocator .* pass$' $alone srp_allocator --rtl srp_allocator=gated.sv

# The cache may be given relative to the current folder, like the user's files.
cp "$2/rtl/regmutex/arch_to_phys.sv" mine.sv
expect 0 '^arch_to_phys .* pass$' env SMCOSIM_CACHE=near/here $alone arch_to_phys --rtl arch_to_phys=mine.sv
# It was said that something is made, and how long that took; the second time there is nothing to say.
cp output first
expect 0 '^smcosim: verilating arch_to_phys \(.*Warps=.*\), once' cat "$scratch/first"
expect 0 '^smcosim: verilated arch_to_phys in [0-9]+ s \([0-9]+ s of CPU time\)' cat "$scratch/first"
SMCOSIM_CACHE=near/here $alone arch_to_phys --rtl arch_to_phys=mine.sv >second 2>&1
expect 0 '^0$' sh -c 'grep -c verilat second || true'
expect 0 '^near/here/arch_to_phys-[0-9a-f]*\.so$' sh -c 'ls near/here/*.so'

# A block with outputs for counters, without observation ports: in lockstep counters are the golden model's, in rtl mode
# there would be none.
sed '/^`include "macros.svh"/a `undef RF_OBS\n`undef OBS_PORT\n`undef OBS\n`define OBS_PORT(port)\n`define OBS(text)' \
    "$2/rtl/larf/addr_map_table.sv" >unseen.sv
larf="$smcosim run backprop --machine tiny --arch larf --rtl addr_map_table=unseen.sv --blocks"
expect 0 'verdict backprop: pass' $larf model,addr_map_table=lockstep
expect 0 'state was not compared: the module has no observation ports' $larf model,addr_map_table=lockstep
expect 2 '--rtl addr_map_table: the module has no observation ports \(obs_died_o, ..\), which supply counters in rtl mode' \
    $larf model,addr_map_table=rtl

# Refused: ports, parameters, names, text, files.
sed 's/input  logic \[NumColl-1:0\] *rd_grant_i/input logic [NumColl:0] rd_grant_i/' "$own/collector_ranks.sv" >wide.sv
expect 2 'port rd_grant_i: expected [0-9]+ bits .*, found' $run --rtl "operand_collector=wide.sv,$own/collector_slot.sv"
sed 's/disp_ready_i/disp_go_i/g' "$own/collector_ranks.sv" >renamed.sv
expect 2 'port disp_ready_i is missing in the Verilog' $run --rtl "operand_collector=renamed.sv,$own/collector_slot.sv"
expect 2 'port disp_go_i .* is not in the port table' $run --rtl "operand_collector=renamed.sv,$own/collector_slot.sv"
sed 's/parameter int Entries  = 256/localparam int Entries = 2/' "$own/collector_ranks.sv" >fixed.sv
expect 2 'parameter Entries is missing in the Verilog' $run --rtl "operand_collector=fixed.sv,$own/collector_slot.sv"
expect 2 'port rd_entry_o: expected' $run --rtl "operand_collector=fixed.sv,$own/collector_slot.sv"
sed '60s/^/    wire 1x;\n/' "$own/collector_ranks.sv" >broken.sv
expect 2 'broken.sv:60:.*syntax error' $run --rtl "operand_collector=broken.sv,$own/collector_slot.sv"
expect 2 'collector_slot.sv is read, but is not one of the files given' $run --rtl "operand_collector=$own/collector_ranks.sv"
cp "$own/collector_ranks.sv" alone.sv
expect 2 "alone.sv:[0-9]+:.*Cannot find.*'collector_slot'" $run --rtl operand_collector=alone.sv
expect 2 'no module operand_collector in .*collector_slot.sv' $run --rtl "operand_collector=$own/collector_slot.sv"
sed 's/^module collector_slot/`include "sizes.svh"\nmodule collector_slot/' "$own/collector_slot.sv" >slot_include.sv
expect 2 'sizes.svh' $run --rtl "operand_collector=$own/collector_ranks.sv,slot_include.sv"
expect 2 'nothere.sv: the file cannot be read' $run --rtl operand_collector=nothere.sv
expect 2 'no block .operand_colector.; did you mean .operand_collector' $run --rtl operand_colector=my_rf.sv
expect 2 'expected BLOCK=FILE' $run --rtl my_rf.sv
expect 2 'expected BLOCK=FILE' $run --rtl operand_collector=
expect 2 'given twice' $run --rtl "$files" --rtl "$files"
expect 2 'runs as model' $run --blocks model --rtl "$files"
mkdir 'with blank'; cp my_rf.sv 'with blank/rf.sv'
expect 2 "rtl banked_rf: with blank/rf.sv: a name with a blank" $run --rtl 'banked_rf=with blank/rf.sv'
finish
