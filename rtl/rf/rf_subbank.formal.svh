// SPDX-License-Identifier: Apache-2.0
// The contract of rf_subbank, proved by ci/formal, which includes it at the end of the module.
    // Contract: the byte read is the byte last written there, for any entry and byte; and rdata_o
    // keeps it until the next read. Ghost: the value of one byte, chosen once.
    (* anyconst *) logic [EntryBits-1:0] f_entry;
    (* anyconst *) logic                 f_byte;
    logic       f_known, f_was_read;
    logic [7:0] f_value, f_expect;
    initial f_known    = 1'b0;
    initial f_was_read = 1'b0;

    always_ff @(posedge clk_i) begin
        if (en_i && we_i && addr_i == f_entry && be_i[f_byte]) begin
            f_known <= 1'b1;
            f_value <= wdata_i[{f_byte, 3'b000} +: 8];
        end
        if (en_i && !we_i) begin
            f_was_read <= addr_i == f_entry && f_known;
            f_expect   <= f_value;
        end
    end
    always_comb begin
        assume (f_entry < Entries);
        if (en_i) assume (addr_i < Entries);
        assume (obs_en_i && obs_addr_i == f_entry);
        // invariant
        if (f_known) assert (mem_q[f_entry][{f_byte, 3'b000} +: 8] == f_value);
        // contract
        if (f_was_read) assert (rdata_o[{f_byte, 3'b000} +: 8] == f_expect);
        if (f_known) assert (obs_data_o[{f_byte, 3'b000} +: 8] == f_value);
        // not vacuous: a byte was written, its neighbor later without it, and the byte was read
        // back
        cover (f_was_read && f_expect == 8'ha5 && en_i && we_i && addr_i == f_entry &&
               !be_i[f_byte] && be_i != '0);
        cover (f_was_read && f_value != f_expect);
    end
