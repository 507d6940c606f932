// SPDX-License-Identifier: Apache-2.0
// What cta_barrier shows through its observation port.
`ifdef RF_OBS
    always @* begin
        obs_data_o = '0;
        case (obs_addr_i)
        32'hffff_0000: obs_data_o = Ctas;
        32'hffff_0001: obs_data_o = Warps;
        32'hffff_0002: obs_data_o = Barriers;
        32'hffff_0003: obs_data_o = NumReq;
        32'hffff_0004: obs_data_o = Units;
        default: begin
            for (int c = 0; c < Ctas; c = c + 1)
                if (obs_addr_i == 32'(c)) obs_data_o = 32'(scalar_q[c]) << 8 | 32'(live_q[c*CountBits +: CountBits]);
            for (int i = 0; i < All; i = i + 1)
                if (obs_addr_i == 32'(Ctas + i))
                    obs_data_o = 32'(over_q[i]) << 19 | 32'(asleep_q[i]) << 18 | 32'(cur_there[i]) << 17 |
                                 32'(cur_with[i]) << 16 | 32'(cur_expected[i*CountBits +: CountBits]) << 8 |
                                 32'(cur_arrived[i*CountBits +: CountBits]);
            for (int w = 0; w < Warps; w = w + 1)
                if (obs_addr_i == 32'(Ctas + All + w))
                    obs_data_o = 32'(wnumber_q[w*NumberBits +: NumberBits]) << 6 | 32'(wcta_q[w*CtaBits +: CtaBits]) << 1 |
                                 32'(waits_q[w]);
        end
        endcase
    end
`endif
