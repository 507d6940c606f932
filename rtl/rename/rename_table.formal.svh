// SPDX-License-Identifier: Apache-2.0
// The contract of rename_table, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any register (f_warp, f_reg), source f_l, instruction port f_a, writer f_w and
    // table bank f_b: a lookup answers with the mapping set last. A conflict delays a request and
    // never drops it. A freed mapping appears once. Ghost: the mapping of that register. Input
    // cfg_table may be either, but is constant.
    (* anyconst *) logic [WarpBits-1:0]  f_warp;
    (* anyconst *) logic [RegBits-1:0]   f_reg;
    (* anyconst *) logic [3:0]           f_l;
    (* anyconst *) logic [AllocBits-1:0] f_a;
    (* anyconst *) logic [WrBits-1:0]    f_w;
    (* anyconst *) logic [BankBits-1:0]  f_b;
    (* anyconst *) logic f_by_warp;
    logic                f_past, f_mapped, f_due, f_dst_due, f_bd_due, f_freed_due, f_freed_was;
    logic                f_exited, f_was_first, f_waited, f_first_held;
    logic                f_dst_was_first, f_dst_waited, f_dst_first_held;
    logic [MapBits-1:0]  f_map, f_freed_map, f_freed_had;
    logic [BankBits-1:0] f_home;
    logic [RowBits-1:0]  f_row;
    initial f_past = 1'b0;
    assign f_home = bank_of(f_by_warp, f_warp, f_reg);
    assign f_row  = row_of(f_by_warp, f_warp, f_reg);
    // the lane of that register, and its mapping there
    logic [2:0]         f_lane;
    logic               f_lane_valid, f_lane_ready;
    logic [MapBits-1:0] f_lane_map;
    assign f_lane       = 3'(32'(f_home) % NumFreed);
    assign f_lane_valid = 1'(freed_valid_o >> f_lane);
    assign f_lane_ready = 1'(freed_ready_i >> f_lane);
    assign f_lane_map   = {4'(freed_mask_o >> f_lane * 4), BankBits'(freed_bank_o >> f_lane * BankBits),
                           EntryBits'(freed_entry_o >> f_lane * EntryBits)};

    // The ghost changes: an update by some writer, a free, the walk.
    logic [NumWr-1:0]         f_ups;
    logic [NumWr*MapBits-1:0] f_up_maps;
    logic [MapBits-1:0]       f_up_map;
    logic                     f_frees, f_walks;
    for (genvar w = 0; w < NumWr; w = w + 1) begin : g_f_up
        assign f_ups[w] = up_valid_i[w] && up_ready_o[w] &&
            up_warp_i[w*WarpBits +: WarpBits] == f_warp && up_reg_i[w*RegBits +: RegBits] == f_reg;
        assign f_up_maps[w*MapBits +: MapBits] = f_ups[w]
            ? {up_mask_i[w*4 +: 4], up_bank_i[w*BankBits +: BankBits],
               up_entry_i[w*EntryBits +: EntryBits]} : '0;
        always_comb assume (32'(up_warp_i[w*WarpBits +: WarpBits]) < Warps &&
            32'(up_reg_i[w*RegBits +: RegBits]) < Regs && up_mask_i[w*4 +: 4] != '0 &&
            32'(bd_warp_i[w*WarpBits +: WarpBits]) < Warps &&
            32'(bd_reg_i[w*RegBits +: RegBits]) < Regs);
    end
    for (genvar a = 0; a < NumAlloc; a = a + 1) begin : g_f_dst
        always_comb assume (32'(dst_warp_i[a*WarpBits +: WarpBits]) < Warps &&
            32'(dst_reg_i[a*RegBits +: RegBits]) < Regs);
    end
    for (genvar l = 0; l < NumSrc; l = l + 1) begin : g_f_src
        always_comb assume (32'(src_warp_i[(l/NumOps)*WarpBits +: WarpBits]) < Warps &&
            32'(src_reg_i[l*RegBits +: RegBits]) < Regs);
    end
    always_comb begin
        f_up_map = '0;
        for (int w = 0; w < NumWr; w = w + 1) f_up_map = f_up_map | f_up_maps[w*MapBits +: MapBits];
    end
    assign f_frees = fr_ready_o && fr_warp_i == f_warp && fr_reg_i == f_reg;
    assign f_walks = walk_take[f_home] && walk_at == f_row;

    // Requests at table bank f_b.
    logic [NumSrc-1:0] f_src_here;
    logic [NumAlloc-1:0] f_dst_here;
    logic [NumWr-1:0]  f_bd_here, f_up_here;
    logic              f_fr_here;
    logic [3:0]        f_served, f_dst_served, f_late_served, f_bd_served, f_writes;   // dst: not late
    for (genvar l = 0; l < NumSrc; l = l + 1) begin : g_f_src_here
        assign f_src_here[l] = src_valid_i[l] && src_home[l*BankBits +: BankBits] == f_b;
    end
    for (genvar a = 0; a < NumAlloc; a = a + 1) begin : g_f_dst_here
        assign f_dst_here[a] = dst_valid_i[a] && dst_home[a*BankBits +: BankBits] == f_b;
    end
    for (genvar w = 0; w < NumWr; w = w + 1) begin : g_f_wr_here
        assign f_bd_here[w] = bd_valid_i[w] && bd_home[w*BankBits +: BankBits] == f_b;
        assign f_up_here[w] = up_valid_i[w] && up_home[w*BankBits +: BankBits] == f_b;
    end
    assign f_fr_here = fr_ready_o && fr_home == f_b;
    always_comb begin
        f_served = '0;
        f_dst_served = '0;
        f_late_served = '0;
        f_bd_served = '0;
        f_writes = 4'(f_fr_here) + 4'(walk_take[f_b]);
        for (int l = 0; l < NumSrc; l = l + 1)
            if (f_src_here[l] && src_ready_o[l]) f_served = f_served + 4'd1;
        for (int a = 0; a < NumAlloc; a = a + 1)
            if (f_dst_here[a] && dst_ready_o[a]) begin
                if (dst_late_i[a]) f_late_served = f_late_served + 4'd1;
                else               f_dst_served = f_dst_served + 4'd1;
            end
        for (int w = 0; w < NumWr; w = w + 1) begin
            if (f_bd_here[w] && bd_ready_o[w]) f_bd_served = f_bd_served + 4'd1;
            if (f_up_here[w] && up_ready_o[w]) f_writes = f_writes + 4'd1;
        end
    end

    // Steps from the port that is first to port f_a.
    logic [AllocBits:0] f_steps, f_steps_had, f_dst_steps, f_dst_steps_had;
    assign f_steps = f_a >= src_first_q ? {1'b0, f_a} - {1'b0, src_first_q}
                   : {1'b0, f_a} + (AllocBits+1)'(NumAlloc) - {1'b0, src_first_q};
    assign f_dst_steps = f_a >= dst_first_q ? {1'b0, f_a} - {1'b0, dst_first_q}
                       : {1'b0, f_a} + (AllocBits+1)'(NumAlloc) - {1'b0, dst_first_q};

    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        if (!rst_ni) begin
            f_mapped    <= 1'b0;
            f_due       <= 1'b0;
            f_dst_due   <= 1'b0;
            f_bd_due    <= 1'b0;
            f_dst_waited <= 1'b0;
            f_freed_due <= 1'b0;
            f_freed_was <= 1'b0;
            f_exited    <= 1'b0;
            f_waited    <= 1'b0;
        end else begin
            if (f_ups != '0) begin
                f_mapped <= 1'b1;
                f_map    <= f_up_map;
            end else if (f_frees || f_walks) f_mapped <= 1'b0;
            f_due <= src_valid_i[f_l] && src_ready_o[f_l] &&
                WarpBits'(src_warp_i >> (f_l / NumOps) * WarpBits) == f_warp &&
                RegBits'(src_reg_i >> f_l * RegBits) == f_reg;
            f_dst_due <= dst_valid_i[f_a] && dst_ready_o[f_a] &&
                WarpBits'(dst_warp_i >> f_a * WarpBits) == f_warp &&
                RegBits'(dst_reg_i >> f_a * RegBits) == f_reg;
            f_bd_due <= bd_valid_i[f_w] && bd_ready_o[f_w] &&
                WarpBits'(bd_warp_i >> f_w * WarpBits) == f_warp &&
                RegBits'(bd_reg_i >> f_w * RegBits) == f_reg;
            f_freed_due <= f_mapped && (f_frees || f_walks);
            f_freed_was <= f_lane_valid && !f_lane_ready;
            // the warp ended and its register was not set since
            f_exited <= ((ex_valid_i && ex_ready_o && ex_warp_i == f_warp) || f_exited) && f_ups == '0;
            f_waited <= src_refused[f_a];
            f_dst_waited <= dst_valid_i[f_a] && !dst_ready_o[f_a];
        end
        f_freed_map  <= f_map;
        f_freed_had  <= f_lane_map;
        f_was_first  <= src_first_q == f_a;
        f_steps_had  <= f_steps;
        f_first_held <= src_refused[src_first_q];
        f_dst_was_first  <= dst_first_q == f_a;
        f_dst_steps_had  <= f_dst_steps;
        f_dst_first_held <= dst_valid_i[dst_first_q] && !dst_ready_o[dst_first_q];
    end

    always_comb begin
        assume (32'(f_warp) < Warps && 32'(f_reg) < Regs && 32'(f_l) < NumSrc && 32'(f_a) < NumAlloc &&
                32'(f_w) < NumWr && 32'(f_b) < Banks);
        assume (32'(fr_warp_i) < Warps && 32'(fr_reg_i) < Regs && 32'(ex_warp_i) < Warps);
        assume (obs_addr_i == 32'(f_warp) * Regs + 32'(f_reg) && cfg_table_i == f_by_warp);
    end
    always_comb if (f_past) begin
        // stored state: the ghost
        assert (obs_data_o[31] == f_mapped && (obs_mapped != '0) == f_mapped);
        if (f_mapped)
            assert ({obs_data_o[27:24], BankBits'(obs_data_o[23:16]), EntryBits'(obs_data_o[15:0])} ==
                    f_map && f_map[MapBits-1 -: 4] != '0);
        // an answer: the mapping set last, up to the cycle of the lookup
        if (f_due) begin
            assert (src_answer_o[f_l] && src_mapped_o[f_l] == f_mapped);
            assert (4'(src_mask_o >> f_l * 4) == (f_mapped ? f_map[MapBits-1 -: 4] : 4'd0));
            if (f_mapped)
                assert (BankBits'(src_bank_o >> f_l * BankBits) == f_map[EntryBits +: BankBits] &&
                        EntryBits'(src_entry_o >> f_l * EntryBits) == f_map[EntryBits-1:0]);
        end
        if (f_dst_due) begin
            assert (dst_answer_o[f_a] && dst_mapped_o[f_a] == f_mapped);
            assert (4'(dst_mask_o >> f_a * 4) == (f_mapped ? f_map[MapBits-1 -: 4] : 4'd0));
            if (f_mapped)
                assert (BankBits'(dst_bank_o >> f_a * BankBits) == f_map[EntryBits +: BankBits] &&
                        EntryBits'(dst_entry_o >> f_a * EntryBits) == f_map[EntryBits-1:0]);
        end
        if (f_bd_due) begin
            assert (bd_answer_o[f_w] && bd_mapped_o[f_w] == f_mapped);
            assert (4'(bd_mask_o >> f_w * 4) == (f_mapped ? f_map[MapBits-1 -: 4] : 4'd0));
            if (f_mapped)
                assert (BankBits'(bd_bank_o >> f_w * BankBits) == f_map[EntryBits +: BankBits] &&
                        EntryBits'(bd_entry_o >> f_w * EntryBits) == f_map[EntryBits-1:0]);
        end
        // Ready only for valid requests. Each bank has two ports, one of them for writes.
        assert ((src_ready_o & ~src_valid_i) == '0 && (dst_ready_o & ~dst_valid_i) == '0 &&
                (bd_ready_o & ~bd_valid_i) == '0 && (up_ready_o & ~up_valid_i) == '0 &&
                !(fr_ready_o && !fr_valid_i));
        assert (f_writes <= 4'd1 && f_served + f_dst_served + f_late_served + f_bd_served + f_writes <= 4'd2);
        // A refusal is a conflict: no request waits while a port is idle, or behind a later
        // request.
        if ((f_dst_here & ~dst_late_i & ~dst_ready_o) != '0)
            assert (f_served + f_dst_served + f_late_served + f_bd_served + f_writes == 4'd2 &&
                    !walk_take[f_b]);
        if ((f_src_here & ~src_ready_o) != '0)
            assert (f_served + f_late_served + f_bd_served + f_writes == 4'd2 && !walk_take[f_b]);
        if ((f_dst_here & dst_late_i & ~dst_ready_o) != '0)
            assert (f_late_served + f_bd_served + f_writes == 4'd2 && !walk_take[f_b]);
        if ((f_bd_here & ~bd_ready_o) != '0)
            assert (f_bd_served + f_writes == 4'd2 && !walk_take[f_b]);
        if ((f_up_here & ~up_ready_o) != '0) assert ((f_up_here & up_ready_o) != '0);
        if (fr_valid_i && !fr_ready_o && fr_home == f_b && slot[32'(f_b) % NumFreed])
            assert (f_up_here != '0);
        // the port that is first gets one source through each bank it asks, unless others take both
        if (32'(src_first_q) == 32'(f_a) && NumOps'(f_src_here >> f_a * NumOps) != '0)
            assert (NumOps'((f_src_here & src_ready_o) >> f_a * NumOps) != '0 ||
                    f_late_served + f_bd_served + f_writes == 4'd2);
        // A refused request advances toward the first place, and stays there until all of it is
        // served.
        assert (32'(src_first_q) < NumAlloc && 32'(dst_first_q) < NumAlloc && 32'(bd_first_q) < NumWr &&
                32'(up_first_q) < NumWr);
        // the writer that is first is never refused
        assert (!(bd_valid_i[bd_first_q] && !bd_ready_o[bd_first_q]) &&
                !(up_valid_i[up_first_q] && !up_ready_o[up_first_q]));
        if (f_waited) assert (f_first_held ? f_steps <= f_steps_had : f_steps == '0 || f_steps < f_steps_had);
        if (f_waited && f_was_first) assert (src_first_q == f_a);
        if (f_dst_waited) assert (f_dst_first_held ? f_dst_steps <= f_dst_steps_had
                                                   : f_dst_steps == '0 || f_dst_steps < f_dst_steps_had);
        if (f_dst_waited && f_dst_was_first) assert (dst_first_q == f_a);
        // freed: once, with its old mapping, held until the client takes it
        if (f_freed_due) assert (f_lane_valid && f_lane_map == f_freed_map);
        if (f_freed_was) assert (f_lane_valid && f_lane_map == f_freed_had);
        // the walk: at its end everything is unmapped
        if (!ex_ready_o) assert (32'(obs_walk_warp) < Warps);
        if (!ex_ready_o && obs_walk_warp == f_warp)
            assert (obs_walk_bits[(f_by_warp ? 32'(f_reg) % Banks : 32'(f_home)) * Groups + 32'(f_reg) / Banks] ==
                    f_mapped);
        if (f_exited && !(!ex_ready_o && obs_walk_warp == f_warp)) assert (!f_mapped);
    end
    always_comb begin
        cover (f_past && f_due && f_mapped && f_map[MapBits-1 -: 4] == 4'b1010);
        cover (f_past && f_dst_due && f_freed_due);
        cover (f_past && f_by_warp && f_bd_due && f_mapped);
        cover (f_past && (f_src_here & ~src_ready_o) != '0 && f_waited);
        cover (f_past && f_freed_was && f_freed_due == 1'b0 && f_lane_ready);
        cover (f_past && f_exited && ex_ready_o && f_due && !f_mapped && f_freed_had[0]);
        cover (f_past && fr_valid_i && !fr_ready_o && slot == '1);
    end
