// SPDX-License-Identifier: Apache-2.0
// Observation port of p_queue.
`ifdef RF_OBS
    logic [WarpBits-1:0] obs_warp, obs_row;
    logic [IdxBits-1:0]  obs_idx;
    logic [Depth-1:0]    obs_valid, obs_rdy, obs_rdy2, obs_rdyp;
    logic [2*Lanes-1:0]  obs_pred;
    logic [Word-1:0]     obs_word;
    logic [PcBits-1:0]   obs_base;
    logic [IdxBits-1:0]  obs_head, obs_tail;
    assign obs_warp  = WarpBits'(obs_addr_i / Depth);
    assign obs_idx   = IdxBits'(obs_addr_i % Depth);
    assign obs_row   = WarpBits'(obs_addr_i - Slots);
    assign obs_valid = valid_q[obs_warp];
    assign obs_rdy   = rdy_q[obs_warp];
    assign obs_rdy2  = rdy2_q[obs_warp];
    assign obs_rdyp  = rdyp_q[obs_warp];
    assign obs_pred  = pred_q[SlotBits'(obs_addr_i)];
    assign obs_word  = mem_q[SlotBits'(obs_addr_i)];
    assign obs_base  = base_q[obs_row];
    assign obs_head  = head_q[obs_row];
    assign obs_tail  = tail_q[obs_row];
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i < Slots) begin
            if (obs_valid[obs_idx]) begin
                obs_data_o[0]             = 1'b1;
                obs_data_o[1]             = obs_rdy[obs_idx];
                obs_data_o[2]             = obs_rdy2[obs_idx];
                obs_data_o[3]             = obs_rdyp[obs_idx];
                obs_data_o[4]             = obs_word[0];
                obs_data_o[5 +: OffBits]  = obs_word[Off +: OffBits];
                obs_data_o[17 +: RegBits] = obs_word[Dst +: RegBits];
                obs_data_o[23 +: RegBits] = obs_word[Src0 +: RegBits];
                obs_data_o[32 +: RegBits] = obs_word[Src1 +: RegBits];
                obs_data_o[40 +: PhyBits] = obs_word[Phy +: PhyBits];
                obs_data_o[48 +: PhyBits] = obs_word[Phy2 +: PhyBits];
                obs_data_o[56 +: SeqBits] = obs_word[Seq +: SeqBits];
                if (obs_word[0] && obs_rdyp[obs_idx]) obs_data_o[64 +: 2*Lanes] = obs_pred;
            end
        end else if (obs_addr_i < Slots + NumWarps) begin
            obs_data_o[0 +: IdxBits] = obs_head;
            obs_data_o[8 +: IdxBits] = obs_tail;
            obs_data_o[16]           = drain_q[obs_row];
            obs_data_o[32 +: PcBits] = obs_base;
        end else if (obs_addr_i == Slots + NumWarps) begin
            obs_data_o[0] = half_q;
            if (half_q) obs_data_o[1 +: WarpBits] = half_warp_q;
        end else if (obs_addr_i == 32'hffff_0000) obs_data_o[31:0] = NumWarps;
        else if (obs_addr_i == 32'hffff_0001) obs_data_o[31:0] = Depth;
        else if (obs_addr_i == 32'hffff_0002) obs_data_o[31:0] = Distance;
        else if (obs_addr_i == 32'hffff_0003) obs_data_o[31:0] = NumRegs;
        else if (obs_addr_i == 32'hffff_0004) obs_data_o[31:0] = NumPhy;
        else if (obs_addr_i == 32'hffff_0005) obs_data_o[31:0] = NumPush;
        else if (obs_addr_i == 32'hffff_0006) obs_data_o[31:0] = NumFetch;
        else if (obs_addr_i == 32'hffff_0007) obs_data_o[31:0] = NumWr;
    end
`endif
