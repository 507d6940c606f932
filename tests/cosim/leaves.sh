#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares a block whose leaves are Verilated apart (csrc/cosim/leaves.awk) with the block in one piece
# (--flat): alone, in kernels, with seeded faults. Then seeds faults of the separation itself.
# Usage: leaves.sh SMCOSIM BUILD
. "$(dirname "$0")/../cli/lib.sh"
build=$(cd "$2" && pwd) tests=$(cd "$(dirname "$0")" && pwd)
SMCOSIM_CACHE=$build/test-variants; export SMCOSIM_CACHE
bad() { failed=$((failed + 1)); echo "FAILED: $*"; }
cd "$scratch" || exit 1
machine='--machine tiny --set rf.banks=8'
alone='verify banked_rf --param Banks=8 --param Entries=4 --param NumColl=3 --param NumWr=2'
apart='' whole=--flat
# Reports without times and command.
plain() { sed -E '/seconds|_per_second|"(sm|mem|model|rtl|compare|trace)": [0-9.e-]+,?$|"command":/d' "$1"; }

# Both forms exist, or nothing is compared.
expect 0 'banked_rf' "$smcosim" $alone --transactions 30000 --json report.json; mv report.json apart.json
expect 0 'banked_rf' "$smcosim" $alone $whole --transactions 30000 --json report.json; mv report.json whole.json
cases=$((cases + 1))
plain apart.json >a; plain whole.json >w
cmp -s a w || bad "verify differs: $(diff a w | head -5)"
grep -q '/banked_rf\.leaves$' "$SMCOSIM_CACHE"/banked_rf-*.txt || bad 'no variant with leaves was made'
ls "$SMCOSIM_CACHE"/rf_bank-*.leaf/leaf.o >/dev/null || bad 'no leaf was made'

# Leaves whose outputs answer in the same cycle, and that go on working after their last input.
bow='verify bypass_collector --param NumColl=8 --seed 3'
for form in apart whole; do
    eval "with=\$$form"
    expect 0 'bypass_collector' "$smcosim" $bow $with --transactions 30000 --json report.json
    plain report.json >$form.plain
    expect 1 '^smcosim: mismatch: ' "$smcosim" $bow $with --testbug bypass_collector=226 --bundle $form.bundle --transactions 60000
    grep '^smcosim: mismatch: ' output >>$form.plain
done
cases=$((cases + 1))
cmp -s apart.plain whole.plain || bad "bypass_collector differs: $(diff apart.plain whole.plain | head -5)"
ls "$SMCOSIM_CACHE"/boc-*.leaf/leaf.o >/dev/null || bad 'no leaf of bypass_collector was made'

for kernel in bfs hotspot reduction sgemm spmv transpose vecadd histogram scan topk; do
    for form in apart whole; do
        eval "with=\$$form"
        expect 0 "verdict $kernel: pass" "$smcosim" run $with "$build/bench/$kernel/small/launch.yaml" $machine --json report.json
        plain report.json >$form.plain
    done
    cases=$((cases + 1))
    cmp -s apart.plain whole.plain || bad "$kernel differs: $(diff apart.plain whole.plain | head -5)"
done

# Waves have the leaves where they are in the block, with the values of each half of a clock cycle.
for form in apart whole; do
    eval "with=\$$form"
    expect 0 'verdict vecadd: pass' "$smcosim" run $with "$build/bench/vecadd/small/launch.yaml" $machine --wave $form.fst:100-300
    fst2vcd $form.fst >$form.vcd 2>/dev/null
done
cases=$((cases + 1))
"$tests/same_wave.py" apart.vcd whole.vcd >differ || bad "waves differ: $(cat differ)"
grep -q 'scope module u_sub' apart.vcd || bad 'the wave has no insides of leaves'

# Seeded faults of the leaf and of the block around it: both forms print the same words.
for fault in 1 2 3 11 12 13 31 34; do
    for form in apart whole; do
        eval "with=\$$form"
        expect 1 '^smcosim: mismatch: ' "$smcosim" $alone $with --testbug banked_rf=$fault --bundle $form.bundle --transactions 30000
        grep '^smcosim: mismatch: ' output >$form.text
    done
    cases=$((cases + 1))
    cmp -s apart.text whole.text || bad "fault $fault: $(cat apart.text whole.text)"
done
# Another data folder, in which FILE below rtl/ is changed.
changed() {
    rm -rf data; mkdir data
    for folder in "$build"/data/*; do ln -s "$folder" data/; done
    rm data/rtl; cp -rL "$build/data/rtl" data/rtl
    sed -i "$2" "data/rtl/$1"
    cmp -s "data/rtl/$1" "$build/data/rtl/$1" && bad "$1 is not changed by $2"
}
broken="env SMCOSIM_DATA=$scratch/data SMCOSIM_CACHE=$scratch/cache"
verify="$smcosim $alone --transactions 100000"
# The file of leaves promises too much. The wave, in which no leaf rests, does not show it again.
changed rf/banked_rf.leaves 's/rests 0 .*/rests 0 !we_i \&\& !obs_en_i/'
expect 6 'mismatch: block banked_rf, .* port rd_data_o' $broken $verify
# A mutant of the leaf; one that works while it should rest.
changed rf/rf_subbank.sv 's/rdata_q <= mem_q\[raddr\]/rdata_q <= ~mem_q[raddr]/'
expect 1 'mismatch: block banked_rf, .* port rd_data_o' $broken $verify
changed rf/rf_subbank.sv 's/else      rdata_q <=/else      rdata_q <=/; s/if (en_i) begin/if (!en_i) mem_q[0][0] <= !mem_q[0][0]; else begin/'
expect 1 'mismatch: block banked_rf' $broken $verify
# A leaf whose outputs change at each evaluation never settles.
rm -rf data/cosim; cp -rL "$build/data/cosim" data/cosim
sed -i 's/^        return news;$/        return true;/' data/cosim/shim/leaves.h
expect 2 'do not settle' $broken $verify
# A leaf of another shape than the block's.
changed rf/banked_rf.sv 's/rf_bank #(.Entries(Entries))/rf_bank #(.Entries(Entries - 1))/'
expect 2 'rf_bank: Entries = 3, the leaf has 4' $broken $verify
finish
