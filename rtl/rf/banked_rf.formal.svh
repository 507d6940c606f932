// SPDX-License-Identifier: Apache-2.0
// The contract of banked_rf, proved by ci/formal, which includes it at the end of the module.
    // Contract: a read returns the value written last. A granted read is delivered once, in the
    // next cycle, to the collector that asked; nothing else is delivered. Ghost: the value of one
    // byte of one entry of one bank.
    (* anyconst *) logic [BankBits-1:0]  f_b;
    (* anyconst *) logic [EntryBits-1:0] f_entry;
    (* anyconst *) logic [3:0]           f_byte;
    (* anyconst *) logic [CollBits-1:0]  f_c;
    (* anyconst *) logic [WrBits-1:0]    f_w;
    logic                 f_past, f_known, f_due, f_due_known;
    logic [7:0]           f_value, f_expect;
    logic [EntryBits-1:0] f_from, f_to;
    logic                 f_reads, f_writes, f_served;
    initial f_past  = 1'b0;
    initial f_known = 1'b0;
    // reader f_c is granted bank f_b; writer f_w is taken by it; f_served: some reader is granted
    // f_b
    assign f_reads  = rd_grant_o[f_c] && BankBits'(rd_bank_i >> f_c * BankBits) == f_b;
    assign f_writes = wr_ready_o[f_w] && BankBits'(wr_bank_i >> f_w * BankBits) == f_b;
    assign f_from   = 4'(rd_sel_i >> f_c * 4) >> f_byte[3:2] & 1'b1
        ? EntryBits'(rd_entry2_i >> f_c * EntryBits) : EntryBits'(rd_entry_i >> f_c * EntryBits);
    assign f_to     = EntryBits'(wr_entry_i >> f_w * EntryBits);
    logic [NumColl-1:0] f_granted_here;
    for (genvar c = 0; c < NumColl; c = c + 1) begin : g_f_served
        assign f_granted_here[c] = rd_grant_o[c] && rd_bank_i[c*BankBits +: BankBits] == f_b;
    end
    assign f_served = f_granted_here != '0;

    // The write to the byte, by any writer.
    logic [NumWr-1:0]   f_hit;
    logic [NumWr*8-1:0] f_new;
    logic [7:0]         f_new_value;
    for (genvar w = 0; w < NumWr; w = w + 1) begin : g_f_hit
        assign f_hit[w] = rst_ni && wr_ready_o[w] && wr_bank_i[w*BankBits +: BankBits] == f_b &&
            wr_entry_i[w*EntryBits +: EntryBits] == f_entry &&
            wr_slice_i[{w[1:0], f_byte[3:2]}] && wr_lane_i[{w[1:0], f_byte[1:0]}];
        assign f_new[w*8 +: 8] = f_hit[w] ? wr_data_i[{w[1:0], f_byte, 3'b000} +: 8] : 8'h00;
    end
    always_comb begin
        f_new_value = '0;
        for (int w = 0; w < NumWr; w = w + 1) f_new_value = f_new_value | f_new[w*8 +: 8];
    end

    logic f_any_due;
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        if (f_hit != '0) begin
            f_known <= 1'b1;
            f_value <= f_new_value;
        end
        f_any_due   <= rst_ni && f_served;
        f_due       <= rst_ni && f_reads;
        f_due_known <= f_known && f_from == f_entry;
        f_expect    <= f_value;
    end
    // Environment: older_i is a strict total order (here: by some rank), entries exist.
    for (genvar c = 0; c < NumColl; c = c + 1) begin : g_assume
        (* anyseq *) logic [CollBits:0] f_rank;
        always_comb assume (rd_entry_i[c*EntryBits +: EntryBits] < Entries &&
                            rd_entry2_i[c*EntryBits +: EntryBits] < Entries);
        for (genvar d = 0; d < NumColl; d = d + 1) begin : g_pair
            always_comb begin
                if (c != d) assume (f_rank != g_assume[d].f_rank);
                assume (older_i[c*NumColl + d] == (g_assume[d].f_rank < f_rank));
            end
        end
    end
    for (genvar w = 0; w < NumWr; w = w + 1) begin : g_assume_wr
        always_comb assume (wr_entry_i[w*EntryBits +: EntryBits] < Entries);
    end

    always_comb begin
        assume (f_b < Banks && f_entry < Entries && f_c < NumColl && f_w < NumWr);
        assume (obs_addr_i == f_b * Entries + f_entry);
        if (f_past) begin
            // invariant
            if (f_known) assert (obs_data_o[{f_byte, 3'b000} +: 8] == f_value);
            // delivered once, to the collector that asked, with the value; nothing without a
            // request
            assert (rd_data_valid_o[f_b] == f_any_due);
            if (f_due)
                assert (rd_data_valid_o[f_b] && CollBits'(rd_data_coll_o >> f_b * CollBits) == f_c);
            if (f_due && f_due_known) assert (rd_data_o[{f_b, f_byte, 3'b000} +: 8] == f_expect);
            // one request per bank and cycle
            assert ((f_granted_here & (f_granted_here - 1'b1)) == '0);
            if (f_writes) assert (f_granted_here == '0);
        end
        cover (f_past && f_due && f_due_known && f_expect == 8'hc3 && f_reads);
        cover (f_past && f_due && f_due_known && f_hit != '0 && f_new_value != f_expect);
    end
