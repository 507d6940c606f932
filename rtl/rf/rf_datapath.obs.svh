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
    logic [2*NumWr*160-1:0] obs_stage;   // status words of the stages
    logic [2*NumWr*Row-1:0] obs_rows;
    logic                   obs_data_en, obs_stage_en, obs_entry_en;   // nothing is collected while nobody looks
    assign obs_entry_en = obs_addr_i >= ObsColl && obs_addr_i < ObsEntry;
    assign obs_stage_en = obs_addr_i >= ObsEntry && obs_addr_i < ObsWr;
    assign obs_data_en  = obs_addr_i >= ObsWr && obs_addr_i < ObsData;
    function automatic [31:0] obs_place(input [PlaceBits-1:0] place);
        obs_place = place[PlaceBits-1 -: 4] != '0
            ? {1'b1, 3'b0, place[PlaceBits-1 -: 4], 8'(place[EntryBits +: BankBits]),
               16'(place[EntryBits-1:0])} : '0;
    endfunction
    for (genvar w = 0; w < NumWr; w = w + 1) begin : g_obs_wr
        logic [159:0] words1, words2;
        always @* begin
            words1 = '0;
            words2 = '0;
            if (obs_stage_en && g_wr[w].busy1_q) begin
                words1[31:0]        = {5'd0, g_wr[w].need_q, 8'(g_wr[w].warp1_q), 8'(g_wr[w].reg1_q), 4'd0,
                                       g_wr[w].step_q, 1'b1};
                words1[63:32]       = obs_place(g_wr[w].place1_q);
                words1[64 +: Lanes] = g_wr[w].lane1_q;
                words1[99:96]       = {g_wr[w].seek_q, g_wr[w].align_q, g_wr[w].pair_q};
                if (g_wr[w].has_place) words1[101:100] = g_wr[w].kind_q;
                if (g_wr[w].pair_q) words1[104 +: RegBits] = g_wr[w].buddy_q;
                words1[110]         = g_wr[w].found_q;
                words1[159:128]     = obs_place(g_wr[w].bd_q);
            end
            if (obs_stage_en && g_wr[w].busy2_q) begin
                words2[31:0]        = {8'd0, 8'(g_wr[w].warp2_q), 8'(g_wr[w].reg2_q), 5'd0, g_wr[w].update2_q,
                                       g_wr[w].bank2_q, 1'b1};
                words2[63:32]       = obs_place(g_wr[w].place2_q);
                words2[64 +: Lanes] = g_wr[w].lane2_q;
            end
        end
        assign obs_stage[2*w*160 +: 320] = {words2, words1};
        logic [Row-1:0] row1, row2;
        always @* begin
            row1 = '0;
            row2 = '0;
            if (obs_data_en && g_wr[w].busy1_q) row1 = g_wr[w].data1_q;
            if (obs_data_en && g_wr[w].busy2_q) row2 = g_wr[w].data2_q;
        end
        assign obs_rows[2*w*Row +: 2*Row] = {row2, row1};
    end
    localparam int EntryWord = 10 * 32;
    logic [NumAlloc*EntryWord-1:0] obs_entry;
    for (genvar a = 0; a < NumAlloc; a = a + 1) begin : g_obs_entry
        logic [EntryWord-1:0] words;
        always @* begin
            words = '0;
            if (obs_entry_en && g_entry[a].busy_q) begin
                words[0]              = 1'b1;
                words[1 +: NumOps]    = g_entry[a].again_q;
                words[4 +: NumOps]    = g_entry[a].known_q;
                words[7 +: NumOps]    = g_entry[a].need_q;
                words[12:10]          = g_entry[a].dst_n_q;
                words[15:13]          = g_entry[a].served_q;
                words[16 +: WarpBits] = g_entry[a].warp_q;
                words[24 +: UnitBits] = g_entry[a].unit_q;
                for (int o = 0; o < NumOps; o = o + 1)
                    if (g_entry[a].need_q[o]) begin
                        words[(1 + 2*o)*32 +: RegBits] = g_entry[a].reg_q[o*RegBits +: RegBits];
                        if (g_entry[a].known_q[o])
                            words[(2 + 2*o)*32 +: 32] =
                                obs_place(g_entry[a].place_q[o*PlaceBits +: PlaceBits]);
                    end
                for (int i = 0; i < MaxDst; i = i + 1)
                    if (3'(i) < g_entry[a].dst_n_q)
                        words[7*32 + 8*i +: RegBits] = g_entry[a].dst_q[i*RegBits +: RegBits];
            end
            if (obs_entry_en && g_entry[a].late_q) begin
                words[27]                      = 1'b1;
                words[8*32 +: 6]               = {g_entry[a].late_served_q, g_entry[a].late_n_q};
                words[8*32 + 8 +: WarpBits]    = g_entry[a].late_warp_q;
                for (int i = 0; i < MaxDst; i = i + 1)
                    if (3'(i) < g_entry[a].late_n_q)
                        words[9*32 + 8*i +: RegBits] = g_entry[a].late_dst_q[i*RegBits +: RegBits];
            end
        end
        assign obs_entry[a*EntryWord +: EntryWord] = words;
    end
    logic unused_obs;
    assign unused_obs = ^obs_none;
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i < ObsAlloc) obs_data_o[127:0] = obs_table | obs_alloc;
        else if (obs_addr_i < ObsColl) obs_data_o = obs_banks | obs_coll;
        else if (obs_addr_i >= ObsColl && obs_addr_i < ObsEntry - 1)
            obs_data_o[EntryWord-1:0] = obs_entry[(obs_addr_i - ObsColl)*EntryWord +: EntryWord];
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
