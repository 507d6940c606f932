// SPDX-License-Identifier: Apache-2.0
// Purpose:    results at the register file cache, ports in turn. A port is refused if an earlier
//             port that need not wait requests the same cache bank. (That port may be refused
//             itself: then a still earlier port, which is not refused, requests that bank too.)
//             Part of reg_cache.
// Parameters: NumWr, 1..4: ports; Banks, 1..32.
// Timing:     combinational.
// Reset:      -
// Left out:   the register first_i.
// Shapes:     - ; NumWr=1,Banks=1 ; NumWr=3,Banks=3
// Proof:      1:1:NumWr=2,Banks=2
// Proof:      1:1:NumWr=3,Banks=3

module cache_turns #(
    parameter int NumWr = 2,
    parameter int Banks = 4,
    localparam int WrBits = NumWr > 1 ? $clog2(NumWr) : 1
) (
    input  logic [WrBits-1:0]      first_i,
    // the bank that each asks and need not wait for; or none
    input  logic [NumWr*Banks-1:0] go_i,
    // .. that it gets
    output logic [NumWr*Banks-1:0] wins_o,
    output logic [NumWr-1:0]       accepted_o,
    output logic [NumWr-1:0]       refused_o,
    output logic [WrBits-1:0]      first_o
);

    logic [NumWr-1:0] from_first;
    always @* begin
        for (int p = 0; p < NumWr; p = p + 1) from_first[p] = 32'(p) >= 32'(first_i);
    end
    for (genvar p = 0; p < NumWr; p = p + 1) begin : g_turn
        logic [Banks-1:0] before_it;
        always @* begin
            before_it = '0;
            for (int q = 0; q < NumWr; q = q + 1)
                if (q != p && (from_first[q] == from_first[p] ? q < p : from_first[q]))
                    before_it = before_it | go_i[q*Banks +: Banks];
        end
        assign wins_o[p*Banks +: Banks] = go_i[p*Banks +: Banks] & ~before_it;
        assign accepted_o[p] = wins_o[p*Banks +: Banks] != '0;
        assign refused_o[p]  = (go_i[p*Banks +: Banks] & before_it) != '0;
    end
    always @* begin
        first_o = first_i;
        if (refused_o != '0)
            for (int p = NumWr - 1; p >= 0; p = p - 1)
                if (refused_o[p] && (from_first[p] || (refused_o & from_first) == '0)) first_o = WrBits'(p);
    end
endmodule
