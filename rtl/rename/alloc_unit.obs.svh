// SPDX-License-Identifier: Apache-2.0
// Observation port of alloc_unit.
`ifdef RF_OBS
    always @* begin
        obs_data_o = '0;
        if (obs_en) for (int b = 0; b < Banks; b = b + 1) begin
            if (obs_addr_i - b * Groups < Groups) obs_data_o = obs_data_o | obs_map[b*128 +: 128];
            if (obs_addr_i - (NumMap + b * Open) < Open) obs_data_o = obs_data_o | 128'(obs_row[b*17 +: 17]);
            if (obs_addr_i == NumMap + NumRow + b) obs_data_o = obs_data_o | obs_scan[b*128 +: 128];
        end
        if (obs_addr_i >= NumMap + NumRow + Banks && obs_addr_i < NumObs - 1)
            obs_data_o = obs_data_o | 128'(obs_hint);
        if (obs_addr_i == NumObs - 1)
            obs_data_o = {32'(give_q), 32'(used_regs_o), 32'(used_slices_o), 23'd0, yield_q, 8'(turn_q)};
        else if (obs_addr_i == 32'hffff_0000) obs_data_o[31:0] = Banks;
        else if (obs_addr_i == 32'hffff_0001) obs_data_o[31:0] = Entries;
        else if (obs_addr_i == 32'hffff_0002) obs_data_o[31:0] = Warps;
        else if (obs_addr_i == 32'hffff_0003) obs_data_o[31:0] = NumWr;
        else if (obs_addr_i == 32'hffff_0004) obs_data_o[31:0] = NumFree;
        else if (obs_addr_i == 32'hffff_0005) obs_data_o[31:0] = NumKernels;
        else if (obs_addr_i == 32'hffff_0006) obs_data_o[31:0] = NumAlloc;
    end
`endif
