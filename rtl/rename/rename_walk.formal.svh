// SPDX-License-Identifier: Apache-2.0
// The contract of rename_walk, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any register f_reg of the warp of the walk: while it is mapped, the walk
    // continues. It is freed once, in its bank and row; an unmapped register is not freed. Ghost:
    // f_mapped, from the mapping when the warp ends, and updates, frees and steps of the walk
    // since. Input cfg_table may be either, but is constant.
    (* anyconst *) logic [RegBits-1:0] f_reg;
    (* anyconst *) logic               f_by_warp;
    logic                f_past, f_mapped, f_up, f_begins, f_hit, f_there;
    logic [WarpBits-1:0] f_warp;                 // of the walk
    logic [31:0]         f_home, f_slot, f_from, f_row;  // table bank; place in the copy, in the bits of a bank; row
    initial f_past = 1'b0;
    assign f_home = (f_by_warp ? 32'(f_warp) : 32'(f_warp) + 32'(f_reg)) % Banks;
    assign f_row  = (f_by_warp ? 32'(f_warp) - 32'(f_warp) % Banks + 32'(f_reg) % Banks : 32'(f_warp)) * Groups +
                    32'(f_reg) / Banks;
    assign f_slot = (f_by_warp ? 32'(f_reg) % Banks : f_home) * Groups + 32'(f_reg) / Banks;
    assign f_hit  = ask_o[BankBits'(f_home)] && may_i[BankBits'(f_home)] && row_o == RowBits'(f_row) && !ex_ready_o;
    // the banks' bits of it when the warp ends
    always_comb begin
        f_there = 1'b0;
        if (!f_by_warp) f_there = spread_i[f_slot];
        for (int b = 0; b < Banks; b = b + 1) if (own_i[b*Banks*Groups + f_slot]) f_there = 1'b1;
    end
    always_comb begin
        f_up = 1'b0;
        for (int w = 0; w < NumWr; w = w + 1)
            if (up_done_i[w] && up_warp_i[w*WarpBits +: WarpBits] == warp_o && up_reg_i[w*RegBits +: RegBits] == f_reg) f_up = 1'b1;
    end
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        if (ex_ready_o) f_mapped <= (f_there || f_up) && !(fr_done_i && fr_warp_i == warp_o && fr_reg_i == f_reg);
        else f_mapped <= (f_mapped || f_up) && !f_hit && !(fr_done_i && fr_warp_i == warp_o && fr_reg_i == f_reg);
    end
    assign f_warp = warp_o;
    // Environment: registers exist and are in their banks; a register is not set and freed in the
    // same cycle.
    always_comb begin
        assume (32'(f_reg) < Regs && cfg_table_i == f_by_warp && 32'(ex_warp_i) < Warps);
        assume (32'(fr_warp_i) < Warps && 32'(fr_reg_i) < Regs &&
                32'(fr_home_i) == (f_by_warp ? 32'(fr_warp_i) : 32'(fr_warp_i) + 32'(fr_reg_i)) % Banks);
        for (int w = 0; w < NumWr; w = w + 1) begin
            assume (32'(up_warp_i[w*WarpBits +: WarpBits]) < Warps && 32'(up_reg_i[w*RegBits +: RegBits]) < Regs);
            assume (32'(up_home_i[w*BankBits +: BankBits]) == (f_by_warp ? 32'(up_warp_i[w*WarpBits +: WarpBits])
                : 32'(up_warp_i[w*WarpBits +: WarpBits]) + 32'(up_reg_i[w*RegBits +: RegBits])) % Banks);
        end
        assume (!(f_up && f_hit));               // a bank sets or frees
        if (f_by_warp)                           // then only its one bank holds a warp
            for (int b = 0; b < Banks; b = b + 1)
                if (b != 32'(warp_o) % Banks) assume (own_i[b*Banks*Groups +: Banks*Groups] == '0);
    end
    always_comb if (f_past) begin
        if (!ex_ready_o) begin
            assert (32'(f_warp) < Warps);
            assert (obs_bits_o[f_slot] == f_mapped && obs_warp_o == f_warp);
            if (f_hit) assert (f_mapped);
        end
        cover (!ex_ready_o && f_mapped && f_hit && f_by_warp);
        cover (!ex_ready_o && f_mapped && f_hit && !f_by_warp);
    end
    // it does not end before
    logic f_was, f_walked;
    always_ff @(posedge clk_i) begin
        f_walked <= rst_ni && !ex_ready_o;
        f_was    <= f_mapped && !f_hit && !(fr_done_i && fr_warp_i == warp_o && fr_reg_i == f_reg);
    end
    always_comb if (f_past && f_walked && f_was) assert (!ex_ready_o);
