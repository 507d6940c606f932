// SPDX-License-Identifier: Apache-2.0
// The contract of alloc_select, proved by ci/formal, which includes it at the end of the module. A
// requested operation is selected, once. A request's look precedes all others; a give is complete
// when it is selected. An operation that executes has read its word while no write to that word was
// in flight, and hits its open row.
// Any word: was it written after its operation was selected, or in that cycle?
    (* anyconst *) logic [WordBits-1:0] f_word;
    logic [Ops:1]       f_runs;
    assign f_runs = {wishes_o, freshens_o, closes_o, gives_o, looks_o};
    logic               f_past, f_late, f_looks, f_gave;
    logic [Open-1:0]    f_hit;
    logic [Ops:1]       f_is;
    logic [NumGive-1:0] f_low;
    logic               f_rest;
    initial f_past = 1'b0;
    assign f_rest = relook_i == '0 && look_i == '0 && give_i == '0;
    always_comb begin
        for (int k = 0; k < Open; k = k + 1) f_hit[k] = valid_i[k] && entry_i[k*EntryBits +: EntryBits] == entry_d;
        f_is  = op_q == None ? '0 : Ops'(1) << (op_q - 3'd1);
        f_low = '0;
        for (int g = NumGive - 1; g >= 0; g = g - 1) if (give_i[g]) f_low = NumGive'(1) << g;
    end
    logic [Open-1:0] f_was_hit;
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        // written in the cycle of its read: by the operation that executes, by the write register,
        // by a row that leaves
        f_late <= rst_ni && word_o == f_word && ((op_q != None && !stale_q && WordBits'(entry_q >> 3) == f_word) ||
                  (wrote_i && wrote_word_i == f_word) || (leaves_i && leaving_word_i == f_word));
        f_looks <= rst_ni && stirs_i && !clear_i && relook_i != '0 && !(stale_q && op_q != None);
        f_gave  <= rst_ni && give_pop_o != '0;
        if (op_d != None) f_was_hit <= f_hit;
    end
    // Environment: requests and operations wake the bank; a row that closes is open
    always_comb begin
        if (op_q != None || clear_i || wrote_i || leaves_i || !f_rest) assume (stirs_i);
        if (can_scan_i) assume (stirs_i);
    end
    always_comb if (f_past) begin
        assert (op_q <= Wish && is_q == f_is);
        assert (op_o == (op_q != None) && (f_runs == '0 || (f_runs == is_o && op_o)));
        assert ((port_o & (port_o - NumWr'(1))) == '0 && (port_o != '0) == (op_q == Look));
        // executes: was read when it was not written
        if (f_late && op_q != None && WordBits'(entry_q >> 3) == f_word) assert (f_runs == '0 && stale_o);
        if (op_q != None) assert (hit_o == f_was_hit);
        if (f_looks) assert (op_q == Look);
        // gives: the lowest, if no other operation precedes it; it executes in the next cycle
        assert (give_pop_o == '0 || give_pop_o == f_low);
        if (give_pop_o != '0) assert (relook_i == '0 && look_i == '0 && !clear_i && op_d == Give);
        if (op_d == Give && !stale_o) assert (give_pop_o == f_low);
        if (f_gave) assert (op_q == Give);
        if (clear_i) assert (!read_o);
        if (stale_o && !clear_i) assert (op_d == op_q && entry_d == entry_q);
        // no request waits forever
        if (!clear_i && (!f_rest || can_scan_i || (closing_i != '0 && !is_q[Close]))) assert (!stirs_i || read_o);
        cover (f_runs[Give] && hit_o != '0);
        cover (stale_o && op_q == Look);
        cover (is_q[Fresh] && f_gave == 1'b0 && !f_rest);
    end
