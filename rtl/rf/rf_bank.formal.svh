// SPDX-License-Identifier: Apache-2.0
// The contract of rf_bank, proved by ci/formal, which includes it at the end of the module.
    // Contract: each byte of the value read is the byte last written to its slice and lane at the
    // entry the slice was read from. Ghost: the value of one byte (slice f_byte[3:2], lane
    // f_byte[1:0]).
    (* anyconst *) logic [EntryBits-1:0] f_entry;
    (* anyconst *) logic [3:0]           f_byte;
    logic                 f_known, f_was_read;
    logic [7:0]           f_value, f_expect;
    logic [EntryBits-1:0] f_from;
    initial f_known    = 1'b0;
    initial f_was_read = 1'b0;
    assign f_from = sel_i[f_byte[3:2]] ? addr2_i : addr1_i;

    always_ff @(posedge clk_i) begin
        if (en_i && we_i && addr1_i == f_entry && slice_i[f_byte[3:2]] && lane_i[f_byte[1:0]]) begin
            f_known <= 1'b1;
            f_value <= wdata_i[{f_byte, 3'b000} +: 8];
        end
        if (en_i && !we_i) begin
            f_was_read <= f_from == f_entry && f_known;
            f_expect   <= f_value;
        end
    end
    always_comb begin
        assume (f_entry < Entries);
        assume (addr1_i < Entries && addr2_i < Entries);
        assume (obs_en_i && obs_addr_i == f_entry);
        if (f_known) assert (obs_data_o[{f_byte, 3'b000} +: 8] == f_value);
        if (f_was_read) assert (rdata_o[{f_byte, 3'b000} +: 8] == f_expect);
        cover (f_was_read && f_expect == 8'h5a);
        cover (f_known && en_i && !we_i && sel_i[f_byte[3:2]] && addr1_i != addr2_i &&
            addr2_i == f_entry);
    end
