// SPDX-License-Identifier: Apache-2.0
// Observation port of scalar_collect.
`ifdef RF_OBS
    always @* begin
        obs_data_o = '0;
        case (obs_addr_i)
        32'hffff_0000: obs_data_o[31:0] = Words;
        32'hffff_0001: obs_data_o[31:0] = Threads;
        32'hffff_0002: obs_data_o[31:0] = Slots;
        default: begin
            for (int c = 0; c < Threads; c = c + 1)
                if (obs_addr_i == 32'(c))
                    obs_data_o[31:0] = 32'(count_q[c*7 +: 7]) << 16 | 32'(base_q[c*WordBits +: WordBits]);
            for (int s = 0; s < Slots; s = s + 1)
                if (obs_addr_i == 32'(Threads + s))
                    obs_data_o = valid_q[s] ? {word_q[s*Need*32 +: Need*32], 32'(ctx_q[s*CtxBits +: CtxBits]), 7'd0,
                                               there_q[s*Need +: Need], asked_q[s*Need +: Need], need_q[s*Need +: Need], 1'b1} : '0;
        end
        endcase
    end
`endif
