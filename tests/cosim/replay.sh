#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# smcosim replay: the identical mismatch, gone, or another one; shrinking. Usage: replay.sh SMCOSIM SOURCE BUILD
. "$(dirname "$0")/../cli/lib.sh"
SMCOSIM_CACHE=$3/test-variants; export SMCOSIM_CACHE
unset DISPLAY WAYLAND_DISPLAY
bad() { failed=$((failed + 1)); echo "FAILED: $*"; }
cp -r "$3/bench/sgemm/small" "$scratch/sgemm"
bundle=$scratch/bundle
cd "$scratch" || exit 1
# Cycles of a stimulus, from its last line.
cycles_of() { sed -n 's/^\([0-9]*\) end$/\1/p' "$1"; }

# ---- a run ----
expect 1 'met again' "$smcosim" run sgemm/launch.yaml --testbug operand_collector=45 --bundle bundle --snapshot-interval 1000
mkdir elsewhere
cd elsewhere || exit 1
expect 1 'replay .*bundle: the same mismatch: block operand_collector, cycle [0-9]+, port older_o' "$smcosim" replay ../bundle
cases=$((cases + 1))
cmp -s ../bundle/mismatch.fst ../bundle/replay.fst || {
    fst2vcd ../bundle/mismatch.fst | grep -v '^\$date' >m.vcd; fst2vcd ../bundle/replay.fst | grep -v '^\$date' >r.vcd
    sed -i '/^\$date/,/^\$end/d' m.vcd r.vcd
    cmp -s m.vcd r.vcd || bad 'the wave of the replay differs'; }
expect 1 '^gtkwave ../bundle/replay.fst ../bundle/replay.gtkw$' "$smcosim" replay ../bundle --open
# The failing block's inputs since reset, shrunk on the block alone.
expect 1 'shrunk from [0-9]+ cycles with [0-9]+ transactions to [1-9] with [1-6] ' "$smcosim" replay ../bundle --shrink
cases=$((cases + 1))
[ "$(cycles_of ../bundle/shrunk.txt)" -le 5 ] || bad "shrunk to $(cycles_of ../bundle/shrunk.txt) cycles"
[ -s ../bundle/shrunk.fst ] && [ -s ../bundle/shrunk.gtkw ] || bad 'no wave of the shrunk stimulus'
expect 1 'the same mismatch: block operand_collector, cycle [0-9], port older_o' "$smcosim" replay ../bundle --shrunk
cd ..
# Another mismatch than the recorded one.
sed -i.orig 's/^\(  cycle: \)\([0-9]*\)/\11\2/' bundle/replay.yaml
expect 6 "another mismatch: block operand_collector, .*the bundle's: block operand_collector" "$smcosim" replay bundle
mv bundle/replay.yaml.orig bundle/replay.yaml
# Inputs must be what they were.
printf '\n' >>sgemm/launch.yaml
expect 2 'launch.yaml: changed since the mismatch' "$smcosim" replay bundle
cp "$3/bench/sgemm/small/launch.yaml" sgemm/launch.yaml
printf 'x' | dd of=sgemm/a.bin bs=1 seek=100 conv=notrunc 2>/dev/null
expect 2 'a.bin: changed since the mismatch' "$smcosim" replay bundle
rm sgemm/a.bin
expect 2 'a.bin' "$smcosim" replay bundle
cp "$3/bench/sgemm/small/a.bin" sgemm/a.bin
# What does not repeat is gone.
expect 6 'nondeterministic' "$smcosim" run sgemm/launch.yaml --fault operand_collector:coll3.older5:glitch@3100 --bundle glitch
expect 0 'the mismatch is gone' "$smcosim" replay glitch
expect 1 'met again' "$smcosim" run sgemm/launch.yaml --fault operand_collector:coll3.older5:flip@3100 --bundle fault
expect 1 'the same mismatch' "$smcosim" replay fault
expect 2 'fault injected with --fault belongs to a cycle' "$smcosim" replay fault --shrink

# ---- the user repairs his RTL ----
own=$2/tests/cosim/own_rtl
sed 's/next_q <= after(next_q, wanted_d)/next_q <= ask_o \&\& grant_i ? after(next_q, wanted_d) : next_q/' \
    "$own/collector_slot.sv" >slot.sv
cp "$own/collector_ranks.sv" ranks.sv
expect 1 'met again' "$smcosim" run sgemm/launch.yaml --machine tiny --rtl operand_collector=ranks.sv,slot.sv --bundle own
expect 1 'the same mismatch' "$smcosim" replay own
expect 1 'shrunk from .* to [1-9] with' "$smcosim" replay own --shrink
cp "$own/collector_slot.sv" slot.sv
expect 0 'the mismatch is gone' "$smcosim" replay own
expect 0 'the mismatch is gone' "$smcosim" replay own --shrunk

# ---- smcosim verify ----
# Found after thousands of transactions, shrunk to a handful. Which seed meets the fault late depends on the stimuli.
cases=$((cases + 1))
for seed in 12 13 16 24 25 27 $(seq 30 60); do
    "$smcosim" verify banked_rf --testbug banked_rf=35 --seed "$seed" --transactions 10000 --bundle verify >verify.log 2>&1
    grep -qE 'shrunk from [0-9]{3,} cycles with [0-9]{4,} transactions' verify.log && break
done
grep -E 'shrunk from [0-9]{3,} cycles with [0-9]{4,} transactions to [1-4] with [1-5] ' verify.log ||
    { bad 'no late failure that shrinks'; cat verify.log; }
expect 1 'replay verify: the same mismatch: block banked_rf, cycle [0-9]{3,}, port rd_data_valid_o' "$smcosim" replay verify
expect 1 'the same mismatch: block banked_rf, cycle [0-9], port rd_data_valid_o' "$smcosim" replay verify --shrunk
expect 1 'shrunk from' "$smcosim" replay verify --shrink
cases=$((cases + 1))
grep -q 'last [0-9]* cycles with activity at banked_rf' verify/mismatch.txt || bad 'no transactions in mismatch.txt'
grep -q '^  smcosim stimulus 1' verify/mismatch.txt || bad 'no shrunk stimulus in mismatch.txt'
[ -s verify/mismatch.fst ] && [ -s verify/mismatch.gtkw ] && [ -s verify/shrunk.fst ] || bad 'no waves'
sed -i 's/^testbug: .*//' verify/replay.yaml
expect 0 'the mismatch is gone' "$smcosim" replay verify

# ---- bad input ----
expect 2 'expected one bundle, found 0' "$smcosim" replay
expect 2 'expected one bundle, found 2' "$smcosim" replay a b
expect 2 'exclude each other' "$smcosim" replay bundle --shrink --shrunk
expect 2 'nothere/replay.yaml' "$smcosim" replay nothere
expect 2 'glitch/shrunk.txt' "$smcosim" replay glitch --shrunk
sed 's/^kind: run/kind: walk/' bundle/replay.yaml >glitch/replay.yaml
expect 2 'replay.yaml:3:7: .*expected run or verify' "$smcosim" replay glitch
sed 's/^launch:/lunch:/' bundle/replay.yaml >glitch/replay.yaml
expect 2 'replay.yaml:[0-9]+:1: .*lunch' "$smcosim" replay glitch
sed 's/actual: "0x/actual: "0z/' bundle/replay.yaml >glitch/replay.yaml
expect 2 'expected 0x and 8 hexadecimal digits' "$smcosim" replay glitch
sed 's/Banks: 4/Banks: 99/' verify/replay.yaml >glitch/replay.yaml
expect 2 'expected a number in range' "$smcosim" replay glitch
sed 's/Entries=256/Entries=512/' verify/stimulus.txt >glitch/stimulus.txt
cp verify/replay.yaml glitch/replay.yaml
expect 2 'parameter Entries is 512, in replay.yaml it is 256' "$smcosim" replay glitch
: >glitch/replay.yaml
expect 2 'replay.yaml' "$smcosim" replay glitch
finish
