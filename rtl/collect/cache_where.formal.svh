// SPDX-License-Identifier: Apache-2.0
// The contract of cache_where, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any two rows: each has one bank and an address in it, and they differ in one of these.
    (* anyconst *) logic [WarpBits-1:0] f_warp;
    (* anyconst *) logic [Ways-1:0]     f_way;
    logic [Banks-1:0]                   f_bank;
    logic [AddrBits-1:0]                f_addr;
    cache_where #(.Warps(Warps), .Ways(Ways), .Banks(Banks)) u_f_other (
        .en_i(1'b1), .warp_i(f_warp), .way_i(f_way), .bank_o(f_bank), .addr_o(f_addr)
    );
    always_comb begin
        assume (32'(warp_i) < Warps && 32'(f_warp) < Warps);
        assume (way_i != '0 && (way_i & (way_i - 1'b1)) == '0 && f_way != '0 && (f_way & (f_way - 1'b1)) == '0);
        if (en_i) begin
            assert (bank_o != '0 && (bank_o & (bank_o - 1'b1)) == '0 && 32'(addr_o) < Depth);
            if (warp_i != f_warp || way_i != f_way) assert (bank_o != f_bank || addr_o != f_addr);
        end else assert (bank_o == '0);
        cover (en_i && bank_o == f_bank && addr_o != f_addr);
        cover (en_i && warp_i != f_warp && way_i == f_way && bank_o != f_bank);
    end
