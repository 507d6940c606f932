// SPDX-License-Identifier: Apache-2.0
// The contract of packed_collector, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any collector f_c and its operand f_o, any other collector f_e. A free
    // collector is allocated. Its reads are requested one at a time, unchanged, each granted once.
    // A delivered row is taken apart as the read says and each operand stored once. The instruction
    // leaves when all operands have arrived and not earlier, the oldest of its unit first.
    (* anyconst *) logic [CollBits-1:0] f_c;
    (* anyconst *) logic [CollBits-1:0] f_e;
    (* anyconst *) logic [1:0]          f_o;
    logic                       f_past, f_busy, f_e_first, f_refused, f_has;
    logic                       f_granted;              // a read was granted in the cycle before,
    logic [TakeBits-1:0]        f_take;                 // how it is taken apart
    logic [Row-1:0]             f_value;
    logic [UnitBits-1:0]        f_unit, f_e_unit, f_unit_in;
    logic [NumOps-1:0]          f_need, f_zero, f_miss; // operands: all, unmapped, not arrived
    logic [NumOps-1:0]          f_left;                 // reads that were not granted
    logic [NumOps*ReadBits-1:0] f_words;                // reads, as received
    logic [NumOps-1:0]          f_ask, f_need_q, f_miss_q, f_zero_q, f_todo_q, f_had;
    initial f_past = 1'b0;
    for (genvar o = 0; o < NumOps; o = o + 1) begin : g_f_planes
        assign f_ask[o]    = ask_q[o*NumColl + 32'(f_c)];
        assign f_need_q[o] = need_q[o*NumColl + 32'(f_c)];
        assign f_miss_q[o] = miss_q[o*NumColl + 32'(f_c)];
        assign f_zero_q[o] = zero_q[o*NumColl + 32'(f_c)];
        assign f_todo_q[o] = todo_q[o*NumColl + 32'(f_c)];
    end

    // Events at the ports: f_c enters, leaves; f_e enters, leaves.
    logic [NumAlloc-1:0] f_port_enters, f_port_e_enters;
    logic [NumDisp-1:0]  f_port_leaves, f_port_e_leaves;
    logic                f_enters, f_e_enters, f_leaves, f_e_leaves, f_e_port_first;
    logic [NumOps-1:0]   f_need_in, f_reads_in, f_zero_in;
    logic [NumOps*ReadBits-1:0] f_words_in;
    logic [5:0]          f_free_count;
    assign f_enters   = f_port_enters != '0;
    assign f_e_enters = f_port_e_enters != '0;
    assign f_leaves   = f_port_leaves != '0;
    assign f_e_leaves = f_port_e_leaves != '0;
    for (genvar a = 0; a < NumAlloc; a = a + 1) begin : g_f_in
        assign f_port_enters[a] =
            alloc_valid_i[a] && alloc_ready_o[a] && alloc_slot_o[a*CollBits +: CollBits] == f_c;
        assign f_port_e_enters[a] =
            alloc_valid_i[a] && alloc_ready_o[a] && alloc_slot_o[a*CollBits +: CollBits] == f_e;
        logic [5:0] before;                     // ports before it that take a collector
        logic [NumAlloc-1:0] earlier;
        always_comb begin
            before = '0;
            for (int i = 0; i < NumAlloc; i = i + 1) begin
                earlier[i] = alloc_valid_i[i] &&
                    (i + NumAlloc - 32'(alloc_first_i)) % NumAlloc < (a + NumAlloc - 32'(alloc_first_i)) % NumAlloc;
                if (earlier[i]) before = before + 1'b1;
            end
        end
        always_comb if (f_past) begin
            // ready tells whether there is one left; it is free; those of the ports differ, in order
            assert (alloc_ready_o[a] == (alloc_valid_i[a] && f_free_count > before));
            if (alloc_ready_o[a]) begin
                assert (!busy_q[alloc_slot_o[a*CollBits +: CollBits]]);
                for (int i = 0; i < NumAlloc; i = i + 1)
                    if (earlier[i]) assert (alloc_slot_o[a*CollBits +: CollBits] >
                                            alloc_slot_o[i*CollBits +: CollBits]);
                if (earlier == '0 && !busy_q[f_c]) assert (alloc_slot_o[a*CollBits +: CollBits] <= f_c);
            end
        end
    end
    for (genvar d = 0; d < NumDisp; d = d + 1) begin : g_f_out
        assign f_port_leaves[d] =
            disp_valid_o[d] && disp_ready_i[d] && disp_slot_o[d*CollBits +: CollBits] == f_c;
        assign f_port_e_leaves[d] =
            disp_valid_o[d] && disp_ready_i[d] && disp_slot_o[d*CollBits +: CollBits] == f_e;
        always_comb if (f_past && disp_valid_o[d] &&
                        disp_slot_o[d*CollBits +: CollBits] == f_c) begin
            // a busy collector of that unit, complete, with its operands
            assert (f_busy && f_unit == UnitBits'(d) && f_miss == '0);
            assert (disp_need_o[d*NumOps +: NumOps] == f_need);
            if (f_need[f_o])
                assert (disp_data_o[(d*NumOps + 32'(f_o))*Row +: Row] == (f_zero[f_o] ? '0 : f_value));
            // no complete instruction of that unit entered earlier
            if (f_c != f_e && busy_q[f_e] && ready[f_e] && f_e_unit == UnitBits'(d))
                assert (!f_e_first);
        end
        // some complete collector of a unit: the unit is offered one
        always_comb if (f_past && f_busy && f_unit == UnitBits'(d) && f_miss == '0)
            assert (disp_valid_o[d]);
    end
    for (genvar k = 0; k < UnitBits; k = k + 1) begin : g_f_unit
        assign f_e_unit[k] = unit_q[k*NumColl + 32'(f_e)];
        always_comb if (f_past && f_busy) assert (unit_q[k*NumColl + 32'(f_c)] == f_unit[k]);
    end
    always_comb begin
        f_free_count = '0;
        for (int c = 0; c < NumColl; c = c + 1) if (!busy_q[c]) f_free_count = f_free_count + 1'b1;
        f_unit_in  = '0;
        f_need_in  = '0;
        f_reads_in = '0;
        f_zero_in  = '0;
        f_words_in = '0;
        for (int a = 0; a < NumAlloc; a = a + 1) begin
            if (f_port_enters[a]) begin
                f_unit_in  = alloc_unit_i[a*UnitBits +: UnitBits];
                f_need_in  = alloc_need_i[a*NumOps +: NumOps];
                f_reads_in = alloc_read_i[a*NumOps +: NumOps];
                f_zero_in  = alloc_unmapped_i[a*NumOps +: NumOps];
                for (int o = 0; o < NumOps; o = o + 1)
                    f_words_in[o*ReadBits +: ReadBits] =
                        {alloc_ops2_i[(a*NumOps + o)*NumOps +: NumOps],
                         alloc_ops1_i[(a*NumOps + o)*NumOps +: NumOps],
                         alloc_mask2_i[(a*NumOps + o)*4 +: 4], alloc_mask1_i[(a*NumOps + o)*4 +: 4],
                         alloc_sel_i[(a*NumOps + o)*4 +: 4],
                         alloc_entry2_i[(a*NumOps + o)*EntryBits +: EntryBits],
                         alloc_entry_i[(a*NumOps + o)*EntryBits +: EntryBits],
                         alloc_bank_i[(a*NumOps + o)*BankBits +: BankBits]};
            end
        end
        f_e_port_first = f_port_e_enters != '0 && f_port_e_enters < f_port_enters;
    end

    // Rows that the banks deliver to f_c.
    logic [Banks-1:0]    f_from;
    logic [Row-1:0]      f_first, f_second;
    logic [NumOps-1:0]   f_get;
    logic [ReadBits-1:0] f_asked;
    always_comb begin
        f_first  = '0;
        f_second = '0;
        for (int b = 0; b < Banks; b = b + 1) begin
            f_from[b] = rd_data_valid_i[b] && rd_data_coll_i[b*CollBits +: CollBits] == f_c;
            if (f_from[b]) f_first = rd_first_i[b*Row +: Row];
            if (f_from[b]) f_second = rd_second_i[b*Row +: Row];
        end
        f_get   = f_granted ? f_take[8 +: NumOps] | f_take[8 + NumOps +: NumOps] : '0;
        f_asked = '0;
        for (int o = 0; o < NumOps; o = o + 1)
            if (f_ask[o]) f_asked = f_words[o*ReadBits +: ReadBits];
    end

    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        if (!rst_ni) begin
            f_busy    <= 1'b0;
            f_granted <= 1'b0;
            f_refused <= 1'b0;
        end else begin
            f_busy    <= f_enters || (f_busy && !f_leaves);
            f_granted <= rd_valid_o[f_c] && rd_grant_i[f_c];
            f_refused <= rd_valid_o[f_c] && !rd_grant_i[f_c];
            f_take    <= f_asked[ReadBits-1 -: TakeBits];
            f_had     <= f_ask;
            if (f_enters) begin
                f_unit   <= f_unit_in;
                f_need   <= f_need_in;
                f_miss   <= f_need_in & ~f_zero_in;
                f_zero   <= f_zero_in;
                f_left   <= f_reads_in;
                f_words  <= f_words_in;
                f_has    <= 1'b0;
            end else begin
                f_miss <= f_miss & ~f_get;
                if (rd_grant_i[f_c]) f_left <= f_left & ~f_ask;
                if (f_get[f_o]) begin
                    assert (f_busy && f_need[f_o] && !f_has && !f_zero[f_o]);  // stored once
                    f_has   <= 1'b1;
                    f_value <= f_take[8 + 32'(f_o)] ? f_first : f_second;
                end
            end
        end
        // the order of f_c and f_e
        if (f_enters)        f_e_first <= (busy_q[f_e] && !f_e_leaves) || f_e_port_first;
        else if (f_e_enters) f_e_first <= 1'b0;
        else if (f_e_leaves) f_e_first <= 1'b0;
    end
    // After a refusal the next higher outstanding read, cyclically.
    logic [2*NumOps-1:0] f_round, f_after;
    assign f_round = {f_left, f_left} & ~(({{NumOps{1'b0}}, f_had} << 1) - 1'b1);
    assign f_after = f_round & (~f_round + 1'b1);

    // Environment: each operand belongs to one read, or is unmapped. A granted read is delivered in
    // the next cycle, by one bank, and nothing else is.
    logic [NumOps-1:0] f_covered, f_of_read;
    always_comb begin
        assume (f_c < NumColl && f_e < NumColl && f_o < NumOps);
        f_covered = f_zero_in;
        f_of_read = '0;
        for (int o = 0; o < NumOps; o = o + 1)
            if (f_enters && f_reads_in[o]) begin
                f_of_read = f_words_in[o*ReadBits + AskBits + 8 +: NumOps] |
                            f_words_in[o*ReadBits + AskBits + 8 + NumOps +: NumOps];
                assume (f_of_read != '0 && (f_of_read & f_covered) == '0);
                f_covered = f_covered | f_of_read;
            end
        if (f_enters) assume (f_covered == f_need_in);
        assume ((f_from & (f_from - 1'b1)) == '0 && (f_from != '0) == f_granted);
        assume (obs_addr_i == NumColl + f_c * NumOps + f_o);
        for (int a = 0; a < NumAlloc; a = a + 1)
            assume (alloc_unit_i[a*UnitBits +: UnitBits] < NumDisp);
        assume (32'(alloc_first_i) < NumAlloc);
    end

    logic [NumOps-1:0] f_due;              // operands that reads will bring
    always_comb begin
        f_due = '0;
        if (f_past) begin
            assert ((f_port_enters & (f_port_enters - 1'b1)) == '0);
            assert ((f_port_leaves & (f_port_leaves - 1'b1)) == '0);
            if (f_enters) assert (!f_busy);
            assert (f_busy == busy_q[f_c]);
            // requests: one read at a time, not yet granted, as long as there is one
            assert ((f_ask & (f_ask - 1'b1)) == '0 && (f_ask & ~f_left & {NumOps{f_busy}}) == '0);
            assert (rd_valid_o[f_c] == (f_busy && f_left != '0));
            if (rd_valid_o[f_c]) begin
                assert (f_ask != '0);
                assert ({rd_sel_o[f_c*4 +: 4], rd_entry2_o[f_c*EntryBits +: EntryBits],
                         rd_entry_o[f_c*EntryBits +: EntryBits], rd_bank_o[f_c*BankBits +: BankBits]} ==
                        f_asked[AskBits-1:0]);
                if (f_refused) assert (f_ask == (f_after[NumOps-1:0] | f_after[2*NumOps-1:NumOps]));
            end
            // a row is taken apart as its read says
            for (int b = 0; b < Banks; b = b + 1)
                if (f_from[b]) assert ({rd_mask2_o[b*4 +: 4], rd_mask1_o[b*4 +: 4]} == f_take[7:0]);
            // Invariants
            assert (coming_q[f_c] == f_granted);
            if (f_granted) assert (f_busy && take_q[f_c*TakeBits +: TakeBits] == f_take);
            if (!f_busy) assert (f_ask == '0 && f_todo_q == '0 && !coming_q[f_c]);
            if (f_busy) begin
                assert (f_need_q == f_need && f_miss_q == f_miss && f_zero_q == f_zero);
                assert (f_todo_q == f_left);
                assert ((f_miss & ~f_need) == '0 && (f_zero & ~f_need) == '0 && (f_zero & f_miss) == '0);
                if (f_need[f_o]) assert (f_has == !(f_miss[f_o] || f_zero[f_o]));
                if (f_has && f_need[f_o]) assert (obs_data_o[Row-1:0] == f_value);
                // each operand that is missing belongs to one read, the granted one or one to be
                // requested
                f_due = f_get;
                if (f_granted) assert (f_get != '0);
                for (int o = 0; o < NumOps; o = o + 1)
                    if (f_left[o]) begin
                        assert (read_q[f_c * NumOps + o] == f_words[o*ReadBits +: ReadBits]);
                        assert ((f_words[o*ReadBits + AskBits + 8 +: 2*NumOps] & {2{f_due}}) == '0);
                        assert (f_words[o*ReadBits + AskBits + 8 +: 2*NumOps] != '0);
                        f_due = f_due | f_words[o*ReadBits + AskBits + 8 +: NumOps] |
                                f_words[o*ReadBits + AskBits + 8 + NumOps +: NumOps];
                    end
                assert (f_due == f_miss);
            end
            // age: a strict total order of the busy collectors, that of entering
            assert (!older_o[f_c * NumColl + f_c]);
            if (f_c != f_e && busy_q[f_c] && busy_q[f_e]) begin
                assert (older_o[f_c * NumColl + f_e] != older_o[f_e * NumColl + f_c]);
                assert (older_o[f_c * NumColl + f_e] == f_e_first);
            end
            if (!busy_q[f_c] || !busy_q[f_e]) assert (!older_o[f_c * NumColl + f_e]);
        end
    end
    for (genvar c = 0; c < NumColl; c = c + 1) begin : g_f_age
        for (genvar d = 0; d < NumColl; d = d + 1) begin : g_pair
            always_comb if (f_past) assert ((age_q[c*NumColl + d] != age_q[d*NumColl + c]) ==
                                            (c != d && busy_q[c] && busy_q[d]));
            for (genvar e = 0; e < NumColl; e = e + 1) begin : g_third
                always_comb if (f_past && age_q[c*NumColl + d] && age_q[d*NumColl + e])
                    assert (age_q[c*NumColl + e]);
            end
            always_comb if (f_past && age_q[c*NumColl + d])
                assert (busy_q[c] && busy_q[d] && c != d);
        end
    end
    always_comb begin
        cover (f_past && f_leaves && f_has && f_value != '0 && f_need == '1 && f_zero == '0);
        cover (f_past && f_busy && busy_q[f_e] && f_e_first && f_e > f_c && disp_valid_o == '1);
        cover (f_past && f_free_count == '0 && rd_valid_o == '1);
        if (NumOps > 1) cover (f_past && f_refused && f_ask != f_had);
        if (NumOps > 1) cover (f_past && f_get == '1 && f_take[8 +: NumOps] == NumOps'(1));
        cover (f_past && f_leaves && f_zero != '0);
    end
