// SPDX-License-Identifier: Apache-2.0
// The contract of cache_where, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any two rows: each has one bank and an address in it, and they differ in one of these.
    (* anyconst *) logic [31:0] f_warp;
    (* anyconst *) logic [31:0] f_way;
    logic [31:0]                f_row, f_bank, f_addr;
    assign f_row  = f_warp * Ways + f_way;
    assign f_bank = (f_row + f_warp / Together) % Banks;
    assign f_addr = f_row / Banks;
    always_comb begin
        assume (32'(warp_i) < Warps && f_warp < Warps && f_way < Ways);
        assume (way_i != '0 && (way_i & (way_i - 1'b1)) == '0);
        if (en_i) begin
            assert (bank_o != '0 && (bank_o & (bank_o - 1'b1)) == '0 && 32'(addr_o) < Depth);
            assert ((bank_o[f_bank] && 32'(addr_o) == f_addr) == (32'(warp_i) == f_warp && way_i[f_way]));
        end else assert (bank_o == '0);
        cover (en_i && bank_o[f_bank] && 32'(addr_o) != f_addr);
        cover (en_i && 32'(warp_i) != f_warp && way_i[f_way] && !bank_o[f_bank]);
    end
