// SPDX-License-Identifier: Apache-2.0
// Observation port of rename_table.
`ifdef RF_OBS
    logic                     unused_obs;  // (for proofs)
    assign unused_obs = ^obs_walk_bits;
    logic [WarpBits-1:0]      obs_warp;
    logic [RegBits-1:0]       obs_reg;
    logic [BankBits-1:0]      obs_home;
    logic [Banks-1:0]         obs_mapped;
    logic                     obs_en;
    assign obs_en   = obs_addr_i < Warps * Regs;
    assign obs_warp = WarpBits'(obs_addr_i / Regs);
    assign obs_reg  = RegBits'(obs_addr_i % Regs);
    assign obs_home = bank_of(cfg_table_i, obs_warp, obs_reg);
    assign obs_row  = obs_en ? row_of(cfg_table_i, obs_warp, obs_reg) : '0;
    for (genvar b = 0; b < Banks; b = b + 1) begin : g_obs
        assign obs_mapped[b] = obs_en && obs_home == BankBits'(b) && obs_live[b];
    end
    logic [MapBits-1:0] obs_found;
    always @* begin
        obs_data_o = '0;
        obs_found  = '0;
        for (int b = 0; b < Banks; b = b + 1) obs_found = obs_found | (obs_mapped[b] ? obs_map[b*MapBits +: MapBits] : '0);
        if (obs_en) begin
            if (obs_found[MapBits-1 -: 4] != '0)
                obs_data_o[31:0] = {1'b1, 3'b0, obs_found[MapBits-1 -: 4],
                                    8'(obs_found[EntryBits +: BankBits]), 16'(obs_found[EntryBits-1:0])};
        end else if (obs_addr_i == Warps * Regs) begin
            obs_data_o[31:0] = {8'(bd_first_q), 8'(up_first_q), 8'(dst_first_q), 8'(src_first_q)};
            if (!ex_ready_o) obs_data_o[63:32] = {1'b1, 23'b0, 8'(obs_walk_warp)};
        end else if (obs_addr_i <= Warps * Regs + NumFreed) begin
            for (int l = 0; l < NumFreed; l = l + 1)
                if (obs_addr_i == 32'(Warps * Regs + 1 + l) && freed_q[l])
                    obs_data_o[31:0] = {1'b1, 3'b0, freed_mask_o[l*4 +: 4],
                                        8'(freed_bank_o[l*BankBits +: BankBits]),
                                        16'(freed_entry_o[l*EntryBits +: EntryBits])};
        end
        else if (obs_addr_i == 32'hffff_0000) obs_data_o[31:0] = Warps;
        else if (obs_addr_i == 32'hffff_0001) obs_data_o[31:0] = Regs;
        else if (obs_addr_i == 32'hffff_0002) obs_data_o[31:0] = Banks;
        else if (obs_addr_i == 32'hffff_0003) obs_data_o[31:0] = Entries;
        else if (obs_addr_i == 32'hffff_0004) obs_data_o[31:0] = NumAlloc;
        else if (obs_addr_i == 32'hffff_0005) obs_data_o[31:0] = NumOps;
        else if (obs_addr_i == 32'hffff_0006) obs_data_o[31:0] = NumWr;
    end
`endif
