// SPDX-License-Identifier: Apache-2.0
// Observation port of reg_cache.
`ifdef RF_OBS
    // A place as the observation shows it; 0 while it is not valid.
    function automatic [31:0] shown(input valid, input [LocBits-1:0] place);
        shown = valid ? {1'b1, 10'd0, 5'(place[LocBits-1:EntryBits]), 6'd0, 10'(place[EntryBits-1:0])} : '0;
    endfunction
    logic [WarpBits-1:0] obs_warp, obs_owner;
    logic [NextBits-1:0] obs_way, obs_next;
    logic [TagBits-1:0]  obs_tags;
    logic [Ways-1:0]     obs_ways, obs_owned;
    logic [NumWr*Row-1:0] obs_bufs;
    assign obs_warp  = WarpBits'(obs_addr_i - Rows);
    assign obs_owner = WarpBits'(obs_addr_i / Ways);
    assign obs_way   = NextBits'(obs_addr_i % Ways);
    assign obs_tags  = tag_q[obs_warp];
    assign obs_ways  = valid_q[obs_warp];
    assign obs_next  = next_q[obs_warp];
    assign obs_owned = valid_q[obs_owner];
    assign obs_valid = obs_addr_i < Rows && obs_owned[obs_way];
    cache_where #(.Warps(Warps), .Ways(Ways), .Banks(Banks)) u_obs_where (
        .en_i(1'b1), .warp_i(obs_owner), .way_i(Ways'(1) << obs_way), .bank_o(obs_bank), .addr_o(obs_addr)
    );
    for (genvar p = 0; p < NumWr; p = p + 1) begin : g_obs
        assign obs_bufs[p*Row +: Row] = g_back[p].obs_row;
    end
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i < Rows) begin
            if (obs_valid)
                for (int b = 0; b < Banks; b = b + 1) obs_data_o = obs_data_o | 1024'(obs_rows[b*Row +: Row]);
        end else if (obs_addr_i < Rows + Warps) begin
            for (int k = 0; k < Ways; k = k + 1)
                obs_data_o[32*k +: 32] = shown(obs_ways[k], obs_tags[k*LocBits +: LocBits]);
            obs_data_o[32*16 +: NextBits] = obs_next;
        end else if (obs_addr_i < Rows + Warps + NumWr) begin
            for (int p = 0; p < NumWr; p = p + 1) obs_data_o = obs_data_o | 1024'(obs_bufs[p*Row +: Row]);
        end else if (obs_addr_i == Rows + Warps + NumWr) begin
            for (int p = 0; p < NumWr; p = p + 1)
                obs_data_o[32*p +: 32] = shown(full_q[p], place_q[p*LocBits +: LocBits]);
            obs_data_o[32*4 +: WrBits] = first_q;
        end else
            case (obs_addr_i)
                32'hffff_0000: obs_data_o[31:0] = Warps;
                32'hffff_0001: obs_data_o[31:0] = Ways;
                32'hffff_0002: obs_data_o[31:0] = Banks;
                32'hffff_0003: obs_data_o[31:0] = Entries;
                32'hffff_0004: obs_data_o[31:0] = NumColl;
                32'hffff_0005: obs_data_o[31:0] = NumWr;
                default: ;
            endcase
    end
`endif
