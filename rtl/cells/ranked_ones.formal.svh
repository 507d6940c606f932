// SPDX-License-Identifier: Apache-2.0
// The contract of ranked_ones, proved by ci/formal, which includes it at the end of the module. A
// bit has rank k if it is in the set and k of the bits below it are.
    localparam int PlaceBits = Width > 1 ? $clog2(Width) : 1;
    (* anyconst *) logic [PlaceBits-1:0] f_bit;  // any bit
    logic [Width-1:0] f_below;
    logic [31:0]      f_ahead;
    assign f_below = set_i & ((Width'(1) << f_bit) - 1'b1);
    always_comb begin
        assume (32'(f_bit) < Width);
        f_ahead = '0;
        for (int i = 0; i < Width; i = i + 1) f_ahead = f_ahead + 32'(f_below[i]);
        for (int k = 0; k < Ranks; k = k + 1) begin
            assert (rank_o[k*Width + 32'(f_bit)] == (set_i[f_bit] && f_ahead == k));
            assert (any_o[k] == (rank_o[k*Width +: Width] != '0));
            cover (rank_o[k*Width +: Width] != '0 || k >= Width);
        end
        cover (set_i == '0);
    end
