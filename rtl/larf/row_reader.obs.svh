// SPDX-License-Identifier: Apache-2.0
// Observation port of row_reader.
`ifdef RF_OBS
    logic [Merge-1:0] obs_merge;
    assign obs_merge = Merge'(merge_q >> (obs_addr_i - 32'd1) * Merge);
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i == 0) begin
            obs_data_o[0 +: CntBits] = count_q;
            obs_data_o[5:4] = asked_q;
            obs_data_o[7:6] = come_q;
            if (qu_q) begin
                obs_data_o[35:32] = {qu_void_q, qu_come_q, qu_asked_q, 1'b1};
                obs_data_o[36 +: PhyBits] = qu_phys_q;
            end
        end else if (obs_addr_i <= Queue) begin
            if (obs_addr_i <= 32'(count_q)) begin
                obs_data_o[1:0]          = obs_merge[1:0];
                obs_data_o[8 +: TagBits] = obs_merge[2 +: TagBits];
                for (int r = 0; r < 2; r = r + 1)
                    if (obs_merge[r]) begin
                        obs_data_o[32 + 32*r +: PhyBits] = obs_merge[2 + TagBits + r*PhyBits +: PhyBits];
                        obs_data_o[48 + 32*r +: ShBits]  = obs_merge[ShAt + r*ShBits +: ShBits];
                        obs_data_o[96 + 32*r +: Lanes]   = obs_merge[MaskAt + r*Lanes +: Lanes];
                    end
            end
        end else if (obs_addr_i <= Queue + 2) begin
            if (come_q[1'(obs_addr_i - Queue - 1)])
                obs_data_o[0 +: Row] = obs_addr_i == Queue + 1 ? row_q[0 +: Row] : row_q[Row +: Row];
        end else if (obs_addr_i == Queue + 3) begin
            if (qu_come_q) obs_data_o[0 +: Row] = row_q[2*Row +: Row];
        end else if (obs_addr_i == 32'hffff_0000) obs_data_o[31:0] = Queue;
        else if (obs_addr_i == 32'hffff_0001) obs_data_o[31:0] = Banks;
        else if (obs_addr_i == 32'hffff_0002) obs_data_o[31:0] = Entries;
    end
`endif
