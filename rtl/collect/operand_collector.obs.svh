// SPDX-License-Identifier: Apache-2.0
// Observation port of operand_collector.
`ifdef RF_OBS
    localparam int NumObs = NumColl * (1 + NumOps);
    logic [31:0] obs_row;
    assign obs_row_en = obs_addr_i >= NumColl && obs_addr_i < NumObs;
    assign obs_row    = obs_addr_i - NumColl;
    assign obs_op     = obs_row % NumOps;
    assign obs_coll   = CollBits'(obs_row / NumOps);
    // Words of a status: fields, older, then {bank, entry} of each operand.
    logic [31:0] obs_fields;
    always @* begin
        obs_data_o = '0;
        obs_fields = '0;
        if (obs_addr_i < NumColl) begin
            for (int c = 0; c < NumColl; c = c + 1)
                if (obs_addr_i == c && busy_q[c]) begin
                    obs_fields[0] = 1'b1;
                    for (int o = 0; o < NumOps; o = o + 1) begin
                        obs_fields[1 + o] = need_q[o*NumColl + c];
                        obs_fields[4 + o] = granted_q[o*NumColl + c];
                        obs_fields[7 + o] = arrived_q[o*NumColl + c];
                        if (ask_q[o*NumColl + c]) obs_fields[11:10] = 2'(o);
                        if (need_q[o*NumColl + c])
                            obs_data_o[(2 + o)*32 +: 32] =
                                {16'(loc_q[(c*NumOps + o)*LocBits + EntryBits +: BankBits]),
                                 16'(loc_q[(c*NumOps + o)*LocBits +: EntryBits])};
                    end
                    for (int k = 0; k < UnitBits; k = k + 1)
                        obs_fields[12 + k] = unit_q[k*NumColl + c];
                    obs_data_o[31:0]         = obs_fields;
                    obs_data_o[32 +: NumColl] = age_q[c*NumColl +: NumColl];
                end
        end else if (obs_addr_i < NumObs) begin
            for (int o = 0; o < NumOps; o = o + 1)
                obs_data_o = obs_data_o | 1024'(obs_rows[o*Row +: Row]);
        end else if (obs_addr_i == 32'hffff_0000) obs_data_o[31:0] = NumColl;
        else if (obs_addr_i == 32'hffff_0001) obs_data_o[31:0] = NumOps;
        else if (obs_addr_i == 32'hffff_0002) obs_data_o[31:0] = NumAlloc;
        else if (obs_addr_i == 32'hffff_0003) obs_data_o[31:0] = NumDisp;
        else if (obs_addr_i == 32'hffff_0004) obs_data_o[31:0] = Banks;
        else if (obs_addr_i == 32'hffff_0005) obs_data_o[31:0] = Entries;
    end
`endif
