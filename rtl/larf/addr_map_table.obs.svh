// SPDX-License-Identifier: Apache-2.0
// Observation ports of addr_map_table.
`ifdef RF_OBS
    logic [MemW-1:0] obs_word;
    localparam int SlotBits = $clog2(Slots);
    logic [SlotBits-1:0] obs_slot;
    assign obs_slot = SlotBits'(obs_addr_i);
    assign obs_row  = RowBits > 0 && obs_addr_i < Slots ? RowW'(obs_addr_i % (Rows * Ways) / Ways) : '0;
    assign obs_word = MemW'(obs_rows >> (obs_addr_i / (Rows * Ways) * Ways + obs_addr_i % Ways) * MemW);
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i < Slots) begin
            if (valid[obs_slot]) begin
                obs_data_o[31] = 1'b1;
                obs_data_o[30] = data[obs_slot];
                for (int p = 0; p < PhyBits; p = p + 1)
                    obs_data_o[p] = new_slot_q[obs_slot] ? new_phys_q[p] : id_q[p*Slots + 32'(obs_slot)];
                obs_data_o[16 +: CodeBits] = obs_word[AddrBits +: CodeBits];
                obs_data_o[32 +: AddrBits] = obs_word[0 +: AddrBits];
                obs_data_o[64 +: Lanes]    = obs_word[AddrBits+CodeBits +: Lanes];
            end
        end else if (obs_addr_i < Slots + Lines) begin
            obs_data_o[0 +: WayBits] = WayBits'(fill_d >> (obs_addr_i - Slots) * WayBits);
        end else if (obs_addr_i == Slots + Lines) begin
            obs_data_o               = obs_stores;
            obs_data_o[4 +: Classes] = met_q;
        end else if (obs_addr_i == 32'hffff_0000) obs_data_o[31:0] = RowBits;
        else if (obs_addr_i == 32'hffff_0001) obs_data_o[31:0] = Ways;
        else if (obs_addr_i == 32'hffff_0002) obs_data_o[31:0] = Banks;
        else if (obs_addr_i == 32'hffff_0003) obs_data_o[31:0] = Entries;
        else if (obs_addr_i == 32'hffff_0004) obs_data_o[31:0] = NumWr;
        else obs_data_o = obs_stores;
    end
    assign obs_died_o = die;
`endif
