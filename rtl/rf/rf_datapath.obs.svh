// SPDX-License-Identifier: Apache-2.0
// Observation ports of rf_datapath.
`ifdef RF_OBS
    function automatic [31:0] obs_within(input [31:0] addr, input [31:0] from, input [31:0] to);
        obs_within = addr >= from && addr < to ? addr - from : 32'hffff_ffff;
    endfunction
    assign obs_table_addr = obs_within(obs_addr_i, 0, ObsTable);
    assign obs_coll_addr  = obs_within(obs_addr_i, ObsBanks, ObsColl);
    assign obs_banks_addr = obs_within(obs_addr_i, ObsAlloc, ObsBanks);
    assign obs_alloc_addr = obs_within(obs_addr_i, ObsTable, ObsAlloc);
    // nothing is collected while observation is off
    assign obs_entry_en = obs_addr_i >= ObsColl && obs_addr_i < ObsEntry;
    assign obs_stage_en = obs_addr_i >= ObsEntry && obs_addr_i < ObsWr;
    assign obs_data_en  = obs_addr_i >= ObsWr && obs_addr_i < ObsData;
    logic unused_obs;
    assign unused_obs = ^obs_none;
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i < ObsAlloc) obs_data_o[127:0] = obs_table | obs_alloc;
        else if (obs_addr_i < ObsColl) obs_data_o = obs_banks | obs_coll;
        else if (obs_addr_i >= ObsColl && obs_addr_i < ObsEntry - 1)
            obs_data_o[319:0] = obs_entry[(obs_addr_i - ObsColl)*320 +: 320];
        else if (obs_addr_i == ObsEntry - 1) begin
            obs_data_o[31:0]  = 32'(en_first_q);
            obs_data_o[63:32] = {20'd0, hold_q, 3'(kernel_q), lowest_q, move_q, by_warp_q, pack_q, mode_q, policy_q};
        end
        else if (obs_addr_i >= ObsEntry && obs_addr_i < ObsWr)
            obs_data_o[159:0] = obs_stage[(obs_addr_i - ObsEntry)*160 +: 160];
        else if (obs_addr_i >= ObsWr && obs_addr_i < ObsData)
            obs_data_o[Row-1:0] = obs_rows[(obs_addr_i - ObsWr)*Row +: Row];
        else if (obs_addr_i == 32'hffff_0000) obs_data_o[31:0] = Warps;
        else if (obs_addr_i == 32'hffff_0001) obs_data_o[31:0] = Regs;
        else if (obs_addr_i == 32'hffff_0002) obs_data_o[31:0] = Banks;
        else if (obs_addr_i == 32'hffff_0003) obs_data_o[31:0] = Entries;
        else if (obs_addr_i == 32'hffff_0004) obs_data_o[31:0] = NumColl;
        else if (obs_addr_i == 32'hffff_0005) obs_data_o[31:0] = NumOps;
        else if (obs_addr_i == 32'hffff_0006) obs_data_o[31:0] = NumAlloc;
        else if (obs_addr_i == 32'hffff_0007) obs_data_o[31:0] = NumDisp;
        else if (obs_addr_i == 32'hffff_0008) obs_data_o[31:0] = NumWr;
        else if (obs_addr_i == 32'hffff_0009) obs_data_o[31:0] = NumKernels;
    end
    // Events of the previous cycle, for counters.
    logic [NumAlloc-1:0] obs_placed;     // instructions with operands that move to collectors
    logic [NumSrc-1:0]   obs_placed_ops;
    logic [NumSrc*3-1:0] obs_size;       // bytes of each operand
    for (genvar a = 0; a < NumAlloc; a = a + 1) begin : g_obs_port
        localparam int S = a * NumOps;
        assign obs_placed[a]               = en_valid_o[a] && entry_need[S +: NumOps] != '0;
        assign obs_placed_ops[S +: NumOps] = en_valid_o[a] ? entry_need[S +: NumOps] : '0;
    end
    for (genvar l = 0; l < NumSrc; l = l + 1) begin : g_obs_size
        assign obs_size[l*3 +: 3] = 3'(co_mask[l*4]) + 3'(co_mask[l*4 + 1]) + 3'(co_mask[l*4 + 2]) + 3'(co_mask[l*4 + 3]);
    end
    logic [Banks-1:0] obs_written;
    always @* begin
        obs_written = '0;
        for (int w = 0; w < NumWr; w = w + 1)
            if (bk_ready[w]) obs_written = obs_written | (Banks'(1) << bk_bank[w*BankBits +: BankBits]);
    end
    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            obs_place_o       <= '0;
            obs_multi_o       <= '0;
            obs_possible_o    <= '0;
            obs_coalesced_o   <= '0;
            obs_merged_o      <= '0;
            obs_op_o          <= '0;
            obs_src_refused_o <= '0;
            obs_dst_refused_o <= '0;
            obs_entry_wait_o  <= '0;
            obs_bd_o          <= '0;
            obs_bd_refused_o  <= '0;
            obs_bank_write_o  <= '0;
            obs_rd_refused_o  <= '0;
            obs_wr_refused_o  <= '0;
            obs_alloc_o       <= '0;
            obs_none_o        <= '0;
            obs_freed_o       <= '0;
        end else begin
            obs_place_o       <= obs_placed;
            obs_multi_o       <= co_multi & obs_placed;
            obs_possible_o    <= co_possible & obs_placed;
            obs_coalesced_o   <= co_coalesced & obs_placed;
            obs_merged_o      <= co_merged & obs_placed;
            obs_op_o          <= obs_placed_ops;
            obs_src_refused_o <= src_valid & ~src_ready;
            obs_dst_refused_o <= dst_valid & ~dst_ready;
            obs_entry_wait_o  <= refused;
            obs_bd_o          <= bd_ready;
            obs_bd_refused_o  <= bd_valid & ~bd_ready;
            obs_bank_write_o  <= obs_written;
            obs_rd_refused_o  <= coll_valid & ~rd_grant[NumColl-1:0];
            obs_wr_refused_o  <= bk_valid & ~bk_ready;
            obs_alloc_o       <= al_done;
            obs_none_o        <= al_none;
            obs_freed_o       <= freed_valid & freed_ready;
        end
    end
    always_ff @(posedge clk_i) begin
        obs_op_size_o     <= obs_size;
        obs_kind_o        <= al_kind;
        obs_how_o         <= al_how;
        obs_size_o        <= rq_size;
    end
    assign obs_bank_read_o = row_valid;
    assign obs_merge_o     = row_merge != '0;
`endif
