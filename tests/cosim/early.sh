#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The evaluation without what is behind the late inputs (csrc/cosim/early.awk), on a small block of our own: it is made
# where these reach the state alone, leaves out their logic and keeps the rest, and it is refused where an output answers
# to them in the same cycle, directly or through other logic. Then that rf_datapath as it is built has it.
# Usage: early.sh SMCOSIM SOURCES BUILD
. "$(dirname "$0")/../cli/lib.sh"
cosim=$2/csrc/cosim flags=$2/rtl/verilator.f variants=$3/data/variants
bad() { failed=$((failed + 1)); echo "FAILED: $*"; }
cd "$scratch" || exit 1
printf 'a_\n# late\n> b_ c_\nrst_\n' >groups

# make_early LOGIC: a block of that logic, which drives sum_o and same_o; leaves early.cpp and the status of early.awk.
make_early() {
    { echo 'module adder #(parameter int N = 8) (input logic clk_i, input logic rst_ni, input logic [N-1:0] a_i,'
      echo 'input logic [N-1:0] b_i, input logic [N-1:0] c_i, output logic [N-1:0] sum_o, output logic [N-1:0] same_o);'
      echo "$1 endmodule"; } >adder.sv
    printf '%s\n' in:a_i:8:x in:b_i:8:x in:c_i:8:x out:sum_o:8:x out:same_o:8:x in:rst_ni:1:reset |
        awk -v block=adder -v params=N=8 -v groups=groups -v header=groups.h -f "$cosim/inputs.awk" >top.sv ||
        bad 'inputs.awk'
    rm -rf model
    verilator --cc -f "$flags" --trace-fst --top-module smcosim_top --prefix V --Mdir model adder.sv top.sv >log 2>&1 ||
        { bad 'verilator:'; cat log; }
    status=0
    awk -v class=V -v late=1 -f "$cosim/early.awk" $(ls model/V*.cpp | grep -v 'Trace\|Slow\|__Syms\|/V\.cpp') >early.cpp ||
        status=$?
    cases=$((cases + 1))
}

# What the late inputs reach is a register; the outputs are state, and a_i in the same cycle.
state='logic [N-1:0] b_q, next; always @* next = rst_ni ? b_i ^ c_i : 0; always_ff @(posedge clk_i) b_q <= next + a_i;'
make_early "$state assign sum_o = a_i + b_q; assign same_o = b_q;"
[ "$status" = 0 ] || bad "not made where no output answers to late inputs: $status"
grep -q '^void V___024root___early(V___024root\* vlSelf) {$' early.cpp || bad 'no function ___early'
calls() { grep -c '^ *V___024root___nba_[a-z_]*__TOP__[0-9]*(vlSelf);' "$1"; }
# Fewer calls than in the whole evaluation, but some.
all=$(sed -n '/^void V___024root___eval_nba(/,/^}/p' model/V*.cpp >all; calls all)
kept=$(calls early.cpp)
[ "$kept" -ge 1 ] && [ "$kept" -lt "$all" ] || bad "of $all calls $kept are kept"

# An output answers to a late input directly, and through logic that other inputs reach, too.
make_early "$state assign sum_o = a_i + b_q; assign same_o = c_i;"
[ "$status" = 1 ] || bad "an output that repeats a late input is not refused: $status"
make_early "$state logic [N-1:0] both; assign both = b_i & a_i; assign sum_o = both + b_q; assign same_o = b_q;"
[ "$status" = 1 ] || bad "an output behind a late input is not refused: $status"

# Two late groups, or none by that number.
printf '> a_\n> b_ c_\nrst_\n' >two
cases=$((cases + 1))
echo in:a_i:8:x | awk -v block=adder -v params= -v groups=two -v header=two.h -f "$cosim/inputs.awk" >/dev/null &&
    bad 'two late groups are taken'
cases=$((cases + 1))
awk -v class=V -v late=7 -f "$cosim/early.awk" model/V*.cpp >/dev/null && bad 'a group that is not there is taken'

# rf_datapath of the default machine: the newest variant without faults.
cases=$((cases + 1))
newest=$(ls -t "$variants"/rf_datapath-*.txt | while read -r f; do
    grep -q '^parameters.*Warps=48' "$f" && ! grep -q TESTBUG "$f" && { echo "${f%.txt}.so"; break; }
done)
nm "$newest" | grep -q '___early' || bad "$newest evaluates what is behind late inputs with the clock edge"
finish
