// SPDX-License-Identifier: Apache-2.0
// Observation port of bypass_collector.
`ifdef RF_OBS
    localparam int NumRows = NumColl * Values;
    logic [31:0]   obs_rest;
    wire  [1023:0] obs_one;
    assign obs_one  = obs_boc[obs_coll];
    assign obs_rest = obs_addr_i - 2 * NumColl;
    assign obs_kind = obs_addr_i < NumColl ? 2'd0 : obs_addr_i < 2 * NumColl ? 2'd1 : 2'd2;
    assign obs_en   = obs_addr_i < 2 * NumColl + NumRows;
    assign obs_coll = CollBits'(obs_kind != 2'd2 ? obs_addr_i % NumColl : obs_rest / Values);
    assign obs_row  = ValueBits'(obs_rest % Values);
    always @* begin
        obs_data_o = '0;
        if (obs_en) obs_data_o = obs_one;
        else if (obs_addr_i == 2 * NumColl + NumRows) begin
            for (int d = 0; d < NumDisp; d = d + 1) obs_data_o[d*32 +: 32] = 32'(disp_q[d*CollBits +: CollBits]);
            for (int p = 0; p < NumWr; p = p + 1) begin
                obs_data_o[(8 + p)*32 +: 32]  = 32'(save_q[p*CollBits +: CollBits]);
                obs_data_o[(12 + p)*32 +: 32] = 32'(turn_q[p]);
            end
            obs_data_o[16*32 +: 32] = 32'(first_q);
            for (int a = 0; a < NumAlloc; a = a + 1) obs_data_o[(17 + a)*32 +: 32] = 32'(fwd_q[a*NumOps +: NumOps]);
        end
        case (obs_addr_i)
            32'hffff_0000: obs_data_o[31:0] = NumColl;
            32'hffff_0001: obs_data_o[31:0] = NumOps;
            32'hffff_0002: obs_data_o[31:0] = NumAlloc;
            32'hffff_0003: obs_data_o[31:0] = NumDisp;
            32'hffff_0004: obs_data_o[31:0] = NumWr;
            32'hffff_0005: obs_data_o[31:0] = Window;
            32'hffff_0006: obs_data_o[31:0] = Values;
            32'hffff_0007: obs_data_o[31:0] = Banks;
            default: ;
        endcase
    end
`endif
