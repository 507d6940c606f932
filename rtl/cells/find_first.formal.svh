// SPDX-License-Identifier: Apache-2.0
// The contract of find_first, proved by ci/formal, which includes it at the end of the module. The
// result is one of the set, and no other bit of the set precedes it in cyclic order.
    localparam int PlaceBits = Width > 1 ? $clog2(Width) : 1;
    (* anyconst *) logic [PlaceBits-1:0] f_from;   // any place
    (* anyconst *) logic [PlaceBits-1:0] f_other;  // any of the set
    always_comb begin
        assume (32'(f_from) < Width && 32'(f_other) < Width);
        assume (from_i == {Width{1'b1}} << f_from);
        assert ((first_o & (first_o - 1'b1)) == '0 && (first_o & ~set_i) == '0);
        assert ((first_o == '0) == (set_i == '0));
        for (int k = 0; k < Width; k = k + 1)
            if (first_o[k] && set_i[f_other]) begin
                if (k >= 32'(f_from) && 32'(f_other) >= 32'(f_from)) assert (k <= 32'(f_other));
                if (k < 32'(f_from)) assert (32'(f_other) < 32'(f_from) && k <= 32'(f_other));
            end
        cover (set_i == {Width{1'b1}} && first_o != '0);
        cover (set_i == '0);
    end
