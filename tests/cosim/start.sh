#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Start values of RTL. Usage: start.sh SMCOSIM SOURCE BUILD.
#   A register without its reset passes while all registers start as 0, and fails from random start
# values, in a run and in verify. Bundles replay with the same start values.
. "$(dirname "$0")/../cli/lib.sh"
kernel=$3/bench/sgemm/small/launch.yaml
SMCOSIM_CACHE=$3/test-variants; export SMCOSIM_CACHE
cd "$scratch" || exit 1
cp "$2/tests/cosim/own_rtl/collector_ranks.sv" top.sv
cp "$2/tests/cosim/own_rtl/collector_slot.sv" whole.sv
sed "/busy_q   <= 1'b0;/d" whole.sv >missing.sv
cmp -s whole.sv missing.sv && { echo "the reset was not removed"; exit 1; }

run="$smcosim run $kernel --bundle run"
expect 0 'start values +random, seed 1 ' $run --rtl operand_collector=top.sv,whole.sv
expect 0 'verdict sgemm: pass' $run --rtl operand_collector=top.sv,missing.sv --start 0
expect 1 'mismatch: block operand_collector, cycle [0-9]+, port alloc_(ready|slot)_o' $run --rtl operand_collector=top.sv,missing.sv
expect 0 '^start: 1$' cat run/replay.yaml
expect 1 'the same mismatch' "$smcosim" replay run --trust
expect 1 'the same mismatch' "$smcosim" replay run --trust --shrink
expect 0 '^start 1$' cat run/shrunk.txt
expect 1 'the same mismatch' "$smcosim" replay run --trust --shrunk
expect 0 'start values +random, seed 5 ' $run --start 5
expect 2 "start" $run --start -1

# Seed 20: a long chunk, which has one reset.
alone="$smcosim verify operand_collector --machine tiny --seed 20 --transactions 10000 --long-cycles 3000 --bundle alone"
expect 0 '^operand_collector .* pass$' $alone --rtl operand_collector=top.sv,whole.sv
expect 0 '^operand_collector .* pass$' $alone --rtl operand_collector=top.sv,missing.sv --start 0
expect 1 'start values: random, seed 20$' $alone --rtl operand_collector=top.sv,missing.sv
expect 0 '^start 20$' cat alone/stimulus.txt
expect 0 '^start 20$' cat alone/shrunk.txt
expect 1 'the same mismatch' "$smcosim" replay alone --trust
expect 1 'start values: random, seed 3$' $alone --rtl operand_collector=top.sv,missing.sv --start 3
expect 0 'reproduce: smcosim verify .* --start 3 --seed 20' cat alone/mismatch.txt
sed 's/^start .*/start x/' alone/stimulus.txt >bad.txt && mv bad.txt alone/stimulus.txt
expect 2 'stimulus.txt:5:7: error: expected a number' "$smcosim" replay alone --trust
# A fault that fails from 0 too: the smallest stimulus needs no start values.
expect 1 'start values: random, seed 20$' $alone --testbug operand_collector=41
expect 1 '^0$' grep -c '^start' alone/shrunk.txt

finish
