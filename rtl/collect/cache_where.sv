// SPDX-License-Identifier: Apache-2.0
// Purpose:    the location of a warp's row in the register file cache: cache bank and address. Rows
//             rotate through the banks. Both are computed for every way from the warp alone, beside
//             the lookup, which then selects among them. Part of reg_cache.
// Parameters: Warps, 1..64; Ways, 1..16: rows of each; Banks, 1..32.
// Timing:     combinational.
// Reset:      -
// Left out:   which row it is (cache_match).
// Shapes:     - ; Warps=1,Ways=1,Banks=1 ; Warps=5,Ways=3,Banks=3
// Proof:      1:1:Warps=3,Ways=3,Banks=2
// Proof:      1:1:Warps=4,Ways=2,Banks=3

module cache_where #(
    parameter int Warps = 48,
    parameter int Ways  = 6,
    parameter int Banks = 4,
    localparam int Rows     = Warps * Ways,
    localparam int Depth    = (Rows + Banks - 1) / Banks,
    localparam int WarpBits = Warps > 1 ? $clog2(Warps) : 1,
    localparam int AddrBits = Depth > 1 ? $clog2(Depth) : 1
) (
    input  logic                en_i,
    input  logic [WarpBits-1:0] warp_i,
    // one-hot, or none
    input  logic [Ways-1:0]     way_i,
    // one-hot; none
    output logic [Banks-1:0]    bank_o,
    output logic [AddrBits-1:0] addr_o
);

    localparam int RowBits  = Rows > 1 ? $clog2(Rows) : 1;
    localparam int BankBits = Banks > 1 ? $clog2(Banks) : 1;
    localparam int DivBits  = $clog2(Rows + Warps + Banks + 1);

    // The rows of every Together-th warp would begin at the same bank; they begin one bank further on instead.
    function automatic integer warps_around(input integer ways, input integer banks);
        warps_around = 1;
        while ((warps_around * ways) % banks != 0) warps_around = warps_around + 1;
    endfunction
    localparam int Together = warps_around(Ways, Banks);

    logic [RowBits-1:0]  row;
    logic [BankBits-1:0] bank;
    always @* begin
        bank_o = '0;
        addr_o = '0;
        row    = '0;
        bank   = '0;
        if (en_i)
            for (int k = 0; k < Ways; k = k + 1) begin
                row  = RowBits'(warp_i) * RowBits'(Ways) + RowBits'(k);
                bank = BankBits'((DivBits'(row) + DivBits'(warp_i) / DivBits'(Together)) % DivBits'(Banks));
                if (way_i[k]) begin
                    bank_o = bank_o | (Banks'(1) << bank);
                    addr_o = addr_o | AddrBits'(DivBits'(row) / DivBits'(Banks));
                end
            end
    end
endmodule
