// SPDX-License-Identifier: Apache-2.0
// The contract of cache_bank, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any row f_a and lane f_l: a read or an exchange returns the value written last.
    // Output rdata_o holds that value until the next one.
    (* anyconst *) logic [AddrBits-1:0] f_a;
    (* anyconst *) logic                f_l;
    logic       f_known, f_was_read;
    logic [7:0] f_value, f_expect;
    initial f_known    = 1'b0;
    initial f_was_read = 1'b0;
    always_ff @(posedge clk_i) begin
        if (en_i && we_i && addr_i == f_a && lane_i[f_l]) begin
            f_known <= 1'b1;
            f_value <= wdata_i[{f_l, 3'b000} +: 8];
        end
        if (en_i && (!we_i || swap_i)) begin
            f_was_read <= addr_i == f_a && f_known;
            f_expect   <= f_value;
        end
    end
    always_comb begin
        assume (f_a < Depth);
        if (en_i) assume (addr_i < Depth);
        assume (obs_en_i && obs_addr_i == f_a);
        if (f_known) assert (obs_data_o[{f_l, 3'b000} +: 8] == f_value);
        if (f_was_read) assert (rdata_o[{f_l, 3'b000} +: 8] == f_expect);
        cover (f_was_read && f_value != f_expect && f_expect == 8'ha5);
        cover (f_known && en_i && we_i && swap_i && addr_i == f_a && !lane_i[f_l] && lane_i != '0);
    end
