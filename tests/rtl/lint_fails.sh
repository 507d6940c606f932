#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ci/lint-rtl must report each of these seeded violations, and nothing on the sources as they are.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

seed() {  # file, sed program, expected text of the report
    rm -rf "$tmp/rtl"; mkdir "$tmp/rtl"
    cp "$top/rtl/rf/rf_subbank.sv" "$tmp/rtl/"
    [ "$1" = rf_subbank.sv ] || cp "$top"/rtl/*/"$1" "$tmp/rtl/"
    sed -i "$2" "$tmp/rtl/$1"
    if "$top/ci/lint-rtl" "$tmp/rtl" >"$tmp/out" 2>&1; then echo "passed with seed: $2"; exit 1; fi
    grep -q "$3" "$tmp/out" || { echo "seed: $2"; echo "expected in the report: $3"; cat "$tmp/out"; exit 1; }
}
seed rf_subbank.sv 's/= rdata_q;/= rdata_q[126:0];/' 'Warning-WIDTH'
seed rf_subbank.sv 's/if (en_i) begin/if (en_i \&\& go) begin/' '^iverilog rf_subbank'
seed rf_subbank.sv 's/assign raddr = .*/assign raddr = addr_i; assign raddr = ~addr_i;/' '^yosys rf_subbank'
seed rf_subbank.sv 's/\bwe_i\b/we/' 'input does not end in _i'
seed rf_subbank.sv 's/^\/\/ Reset: /\/\/ Start: /' 'header does not answer: Reset'
seed rf_subbank.sv 's/rdata_q;$/rdata_q \/* verilator public *\/;/' 'waivers belong to a .vlt file'
seed rf_bank.sv 's/: g_half/: half/' 'generate block without a name'
seed rf_subbank.sv 's/if (en_i \&\& !we_i) rdata_q <= mem_q\[raddr\]/rdata_q <= ~mem_q[raddr]/' 'not inferred as an SRAM'
seed rf_subbank.sv 's/^    assign raddr = .*/    function automatic [EntryBits-1:0] at(input x);\n        at = x ? addr_i : 0;\n    endfunction\n    always @* raddr = at(en_i);/' \
    'always @\* calls at, which reads addr_i'
echo "9 seeded violations reported"
