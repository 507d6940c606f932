#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A block takes its inputs by groups, so that the clock edge and the inputs of the next cycle are
# one evaluation (csrc/cosim/inputs.awk). A mismatch of it is reproduced from a snapshot and by its
# bundle, and is shrunk. Its wave shows the block without the module around it. Usage: grouped.sh
# SMCOSIM BUILD
. "$(dirname "$0")/../cli/lib.sh"
SMCOSIM_CACHE=$2/test-variants; export SMCOSIM_CACHE
kernel=$2/bench/sgemm/small/launch.yaml
run="$smcosim run $kernel --arch corf++ --machine tiny --snapshot-interval 1000"
bad() { failed=$((failed + 1)); echo "FAILED: $*"; }
cd "$scratch" || exit 1

# A flip: seen in the cycle after the edge that it belongs to, not earlier and not later.
expect 1 'resuming from the snapshot of cycle 2000 reproduced the same mismatch' \
    $run --fault rf_datapath:alloc.slices.bit0:flip@3100 --bundle flip
same='the same mismatch: block rf_datapath, cycle 3101, port used_slices_o'
expect 1 "$same" "$smcosim" replay flip
cases=$((cases + 1))
for f in mismatch replay; do fst2vcd flip/$f.fst 2>&1 | sed '/^\$date/,/^\$end/d' >$f.vcd; done
cmp -s mismatch.vcd replay.vcd || bad 'the wave of the replay differs'
grep -q '^\$scope module rf_datapath ' replay.vcd || bad 'no scope rf_datapath in the wave'
grep -q smcosim_top replay.vcd && bad 'the module around the block is in the wave'
expect 1 'shrunk from [0-9]{4,} cycles with [0-9]{3,} transactions to [1-9] with [0-9] ' "$smcosim" replay flip --shrink
expect 1 'the same mismatch: block rf_datapath, cycle [0-9], port used_slices_o' "$smcosim" replay flip --shrunk
# A seeded fault, from the start.
expect 1 'running again reproduced' $run --testbug rf_datapath=174 --bundle seeded
expect 1 'the same mismatch: block rf_datapath' "$smcosim" replay seeded
# All that was on the grouped path: the sources of the variant show it.
cases=$((cases + 1))
cat "$2"/data/variants/rf_datapath-*.txt "$SMCOSIM_CACHE"/rf_datapath-*.txt 2>/dev/null >variants
awk '/^flags/ { bug = /TESTBUG/ } /rf_datapath\.groups$/ && bug { found = 1 } END { exit !found }' variants ||
    bad 'faults are not compiled into a variant that takes its inputs by groups'
finish
