// SPDX-License-Identifier: Apache-2.0
// What rf_datapath shows through its observation port.
`ifdef RF_OBS
    function automatic [31:0] obs_within(input [31:0] addr, input [31:0] from, input [31:0] to);
        obs_within = addr >= from && addr < to ? addr - from : 32'hffff_ffff;
    endfunction
    assign obs_table_addr = obs_within(obs_addr_i, 0, ObsTable);
    assign obs_coll_addr  = obs_within(obs_addr_i, ObsBanks, ObsColl);
    assign obs_banks_addr = obs_within(obs_addr_i, ObsAlloc, ObsBanks);
    assign obs_alloc_addr = obs_within(obs_addr_i, ObsTable, ObsAlloc);
    // nothing is collected while nobody looks
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
`endif
