// SPDX-License-Identifier: Apache-2.0
// Purpose:    the lookup in a warp's rows of the register file cache: which one holds a place. Part of reg_cache.
// Parameters: Ways, 1..16: rows of a warp; LocBits, 2..15: of a place in the register file.
// Timing:     combinational.
// Reset:      -
// Left out:   the location of the row (cache_where).
// Shapes:     - ; Ways=1,LocBits=2
// Proof:      1:1:Ways=3,LocBits=3
// Proof:      1:1:Ways=1,LocBits=4

module cache_match #(
    parameter int Ways    = 6,
    parameter int LocBits = 10
) (
    input  logic                    en_i,
    input  logic [LocBits-1:0]      place_i,
    input  logic [Ways*LocBits-1:0] tags_i,
    input  logic [Ways-1:0]         valid_i,
    output logic [Ways-1:0]         match_o
);

    always @* begin
        match_o = '0;
        if (en_i)
            for (int k = 0; k < Ways; k = k + 1) match_o[k] = valid_i[k] && tags_i[k*LocBits +: LocBits] == place_i;
    end
endmodule
