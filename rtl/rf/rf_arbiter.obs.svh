// SPDX-License-Identifier: Apache-2.0
// Observation port of rf_arbiter.
`ifdef RF_OBS
    always @* begin
        obs_first_o = '0;
        for (int b = 0; b < Banks; b = b + 1)
            if (obs_bank_i == BankBits'(b)) obs_first_o = first_q[b*WrBits +: WrBits];
    end
`endif
