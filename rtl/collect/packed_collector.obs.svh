// SPDX-License-Identifier: Apache-2.0
// Observation port of packed_collector.
`ifdef RF_OBS
    localparam int NumObs = NumColl * (1 + NumOps);
    logic [31:0] obs_row;
    logic        obs_state_en;
    assign obs_state_en = obs_addr_i < NumColl;
    assign obs_row_en = obs_addr_i >= NumColl && obs_addr_i < NumObs;
    assign obs_row    = obs_addr_i - NumColl;
    assign obs_op     = obs_row % NumOps;
    assign obs_coll   = CollBits'(obs_row / NumOps);
    logic [31:0]                obs_fields;
    logic [NumOps*ReadBits-1:0] obs_reads;
    logic [ReadBits-1:0]        obs_read;
    for (genvar o = 0; o < NumOps; o = o + 1) begin : g_obs_read
        assign obs_reads[o*ReadBits +: ReadBits] =
            obs_state_en ? read_q[obs_addr_i * NumOps + o] : '0;
    end
    always @* begin
        obs_data_o = '0;
        obs_fields = '0;
        obs_read   = '0;
        if (obs_state_en) begin
            for (int c = 0; c < NumColl; c = c + 1)
                if (obs_addr_i == c && busy_q[c]) begin
                    obs_fields[0]  = 1'b1;
                    obs_fields[11] = coming_q[c];
                    for (int o = 0; o < NumOps; o = o + 1) begin
                        obs_fields[1 + o]  = need_q[o*NumColl + c];
                        obs_fields[5 + o]  = todo_q[o*NumColl + c];
                        obs_fields[8 + o]  = ask_q[o*NumColl + c];
                        obs_fields[12 + o] = miss_q[o*NumColl + c];
                        obs_fields[15 + o] = zero_q[o*NumColl + c];
                        obs_read = obs_reads[o*ReadBits +: ReadBits];
                        if (todo_q[o*NumColl + c]) begin
                            obs_data_o[(2 + 3*o)*32 +: 32] =
                                {16'(obs_read[BankBits-1:0]), 16'(obs_read[BankBits +: EntryBits])};
                            obs_data_o[(3 + 3*o)*32 +: 32] =
                                32'(obs_read[BankBits + EntryBits +: EntryBits]);
                            obs_data_o[(4 + 3*o)*32 +: 12] = obs_read[AskBits - 4 +: 12];
                            obs_data_o[(4 + 3*o)*32 + 12 +: NumOps] = obs_read[AskBits + 8 +: NumOps];
                            obs_data_o[(4 + 3*o)*32 + 16 +: NumOps] =
                                obs_read[AskBits + 8 + NumOps +: NumOps];
                        end
                    end
                    for (int k = 0; k < UnitBits; k = k + 1)
                        obs_fields[18 + k] = unit_q[k*NumColl + c];
                    obs_data_o[31:0]          = obs_fields;
                    obs_data_o[32 +: NumColl] = age_q[c*NumColl +: NumColl];
                end
        end else if (obs_addr_i < NumObs) begin
            for (int o = 0; o < NumOps; o = o + 1)
                obs_data_o = obs_data_o | 1024'(obs_rows[o*Row +: Row]);
        end
    end
`endif
