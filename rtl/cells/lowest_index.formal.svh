// SPDX-License-Identifier: Apache-2.0
// The contract of lowest_index, proved by ci/formal, which includes it at the end of the module.
// The bit at the number is set, and none below it is.
    localparam int PlaceBits = Width > 1 ? $clog2(Width) : 1;
    (* anyconst *) logic [PlaceBits-1:0] f_other;  // any bit
    always_comb begin
        assume (32'(f_other) < Width);
        assert (any_o == (set_i != '0));
        if (any_o) begin
            assert (32'(index_o) < Width && set_i[index_o]);
            if (f_other < index_o) assert (!set_i[f_other]);
        end else assert (index_o == '1);
        cover (any_o && 32'(index_o) == Width - 1);
        cover (!any_o);
    end
