// SPDX-License-Identifier: Apache-2.0
// Observation port of cta_barrier.
`ifdef RF_OBS
    logic [31:0] obs_at, obs_bit;  // place among barriers or warps; bit of a barrier in a set
    always @* begin
        obs_data_o = '0;
        obs_at     = '0;
        obs_bit    = '0;
        if (obs_addr_i < Ctas) begin
            obs_data_o[8] = scalar_q[obs_addr_i[CtaBits-1:0]];
            for (int b = 0; b < CountBits; b = b + 1) obs_data_o[b] = live_q[b*Ctas + obs_addr_i +: 1];
        end else if (obs_addr_i < Ctas + All) begin
            obs_at  = obs_addr_i - Ctas;
            obs_bit = obs_at % Barriers * Ctas + obs_at / Barriers;
            obs_data_o[19:16] = {over[obs_bit +: 1], asleep_q[obs_bit +: 1], cur_there[obs_bit +: 1], cur_with[obs_bit +: 1]};
            for (int b = 0; b < CountBits; b = b + 1) begin
                obs_data_o[b]     = cur_arrived[b*All + obs_bit +: 1];
                obs_data_o[8 + b] = cur_expected[b*All + obs_bit +: 1];
            end
        end else if (obs_addr_i < Ctas + All + Warps) begin
            obs_at = obs_addr_i - Ctas - All;
            if (waits_q[obs_at +: 1] != '0)
                obs_data_o = 32'(wnumber_q[obs_at*NumberBits +: NumberBits]) << 6 |
                             32'(wcta_q[obs_at*CtaBits +: CtaBits]) << 1 | 32'd1;
        end
        case (obs_addr_i)
        32'hffff_0000: obs_data_o = Ctas;
        32'hffff_0001: obs_data_o = Warps;
        32'hffff_0002: obs_data_o = Barriers;
        32'hffff_0003: obs_data_o = NumReq;
        32'hffff_0004: obs_data_o = Units;
        default: ;
        endcase
    end
`endif
