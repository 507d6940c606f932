// SPDX-License-Identifier: Apache-2.0
// The contract of operand_collector, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any collector c and its operand o, any other collector e, any unit u. A free
    // collector is allocated. Its operands are requested one at a time, each granted once, stored
    // once with the value delivered. The instruction leaves when all have arrived and not earlier,
    // the oldest of its unit first.
    (* anyconst *) logic [CollBits-1:0] f_c;
    (* anyconst *) logic [CollBits-1:0] f_e;
    (* anyconst *) logic [1:0]          f_o;
    (* anyconst *) logic [UnitBits-1:0] f_u;
    logic               f_past, f_busy, f_was_granted, f_need, f_has, f_e_first, f_refused;
    logic [Row-1:0]     f_value, f_delivered;
    logic [UnitBits-1:0] f_unit;
    logic [NumOps-1:0]  f_need_c, f_ask_c, f_granted_c, f_coming_c, f_arrived_c;
    logic [NumOps-1:0]  f_entered_need, f_had, f_next;
    logic               f_enters, f_leaves, f_e_enters, f_e_leaves, f_e_before, f_store;
    initial f_past = 1'b0;

    // The planes, seen from collector f_c.
    for (genvar o = 0; o < NumOps; o = o + 1) begin : g_f_planes
        assign f_need_c[o]    = need_q[o*NumColl + 32'(f_c)];
        assign f_ask_c[o]     = ask_q[o*NumColl + 32'(f_c)];
        assign f_granted_c[o] = granted_q[o*NumColl + 32'(f_c)];
        assign f_coming_c[o]  = coming_q[o*NumColl + 32'(f_c)];
        assign f_arrived_c[o] = arrived_q[o*NumColl + 32'(f_c)];
    end
    // Entering and leaving, at the ports.
    logic [NumAlloc-1:0]        f_port_enters, f_port_e_enters;
    logic [NumAlloc*NumOps-1:0] f_port_need;
    logic [NumDisp-1:0]         f_port_leaves, f_port_e_leaves;
    logic [UnitBits-1:0]        f_unit_in;
    logic                       f_e_port_first;
    for (genvar a = 0; a < NumAlloc; a = a + 1) begin : g_f_in
        assign f_port_enters[a]   =
            alloc_valid_i[a] && alloc_ready_o[a] && alloc_slot_o[a*CollBits +: CollBits] == f_c;
        assign f_port_e_enters[a] =
            alloc_valid_i[a] && alloc_ready_o[a] && alloc_slot_o[a*CollBits +: CollBits] == f_e;
        assign f_port_need[a*NumOps +: NumOps] =
            f_port_enters[a] ? alloc_need_i[a*NumOps +: NumOps] : '0;
        always_comb if (f_past) begin
            // ready tells whether there is one; it is free; ports in order of collectors
            assert (alloc_ready_o[a] == (f_free_count > a));
            if (alloc_ready_o[a]) assert (!busy_q[alloc_slot_o[a*CollBits +: CollBits]]);
            if (a > 0 && alloc_ready_o[a])
                assert (alloc_slot_o[a*CollBits +: CollBits] >
                        alloc_slot_o[(a > 0 ? a - 1 : 0)*CollBits +: CollBits]);
            if (!busy_q[f_c] && alloc_ready_o[0]) assert (alloc_slot_o[CollBits-1:0] <= f_c);
        end
    end
    for (genvar d = 0; d < NumDisp; d = d + 1) begin : g_f_out
        assign f_port_leaves[d]   =
            disp_valid_o[d] && disp_ready_i[d] && disp_slot_o[d*CollBits +: CollBits] == f_c;
        assign f_port_e_leaves[d] =
            disp_valid_o[d] && disp_ready_i[d] && disp_slot_o[d*CollBits +: CollBits] == f_e;
        always_comb if (f_past && disp_valid_o[d] &&
            disp_slot_o[d*CollBits +: CollBits] == f_c) begin
            // a busy collector of that unit, complete
            assert (f_busy && f_unit == UnitBits'(d) &&
                disp_need_o[d*NumOps +: NumOps] == f_need_c);
            assert ((f_need_c & ~f_arrived_c) == '0);
            if (f_need) assert (f_has && disp_data_o[(d*NumOps + 32'(f_o))*Row +: Row] == f_value);
            // no complete instruction of that unit entered earlier
            if (f_c != f_e && busy_q[f_e] && ready[f_e] && f_e_unit == UnitBits'(d))
                assert (!f_e_first);
        end
        // some complete collector of a unit: the unit is offered one
        always_comb if (f_past && f_busy && f_unit == UnitBits'(d) &&
                        (f_need_c & ~f_arrived_c) == '0)
            assert (disp_valid_o[d]);
    end
    logic [UnitBits-1:0] f_e_unit;
    for (genvar k = 0; k < UnitBits; k = k + 1) begin : g_f_unit
        assign f_e_unit[k] = unit_q[k*NumColl + 32'(f_e)];
        always_comb if (f_past && f_busy) assert (unit_q[k*NumColl + 32'(f_c)] == f_unit[k]);
    end
    assign f_enters   = f_port_enters != '0;
    assign f_e_enters = f_port_e_enters != '0;
    assign f_leaves   = f_port_leaves != '0;
    assign f_e_leaves = f_port_e_leaves != '0;

    logic [5:0]                 f_free_count;
    logic [NumColl-1:0]         f_missing;     // granted in the cycle before, no data
    logic [NumColl-1:0]         f_twice;       // two banks deliver
    logic [Banks*Row-1:0]       f_from;
    always_comb begin
        f_free_count = '0;
        for (int c = 0; c < NumColl; c = c + 1) if (!busy_q[c]) f_free_count = f_free_count + 1'b1;
        f_unit_in = '0;
        f_entered_need = '0;
        for (int a = 0; a < NumAlloc; a = a + 1) begin
            if (f_port_enters[a]) f_unit_in = f_unit_in | alloc_unit_i[a*UnitBits +: UnitBits];
            f_entered_need = f_entered_need | f_port_need[a*NumOps +: NumOps];
        end
        f_e_port_first = f_port_e_enters != '0 && f_port_e_enters < f_port_enters;
        // rows that the banks deliver to f_c
        f_delivered = '0;
        f_store     = 1'b0;
        for (int b = 0; b < Banks; b = b + 1)
            if (rd_data_valid_i[b] && rd_data_coll_i[b*CollBits +: CollBits] == f_c) begin
                f_delivered = rd_data_i[b*Row +: Row];
                f_store     = 1'b1;
            end
        f_twice = '0;
        for (int b = 0; b < Banks; b = b + 1)
            for (int x = 0; x < Banks; x = x + 1)
                if (x != b && rd_data_valid_i[b] && rd_data_valid_i[x] &&
                    rd_data_coll_i[b*CollBits +: CollBits] ==
                    rd_data_coll_i[x*CollBits +: CollBits])
                    f_twice = '1;
        f_missing = '0;
        for (int o = 0; o < NumOps; o = o + 1)
            f_missing = f_missing | (coming_q[o*NumColl +: NumColl] & ~get);
    end

    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        // ghost of f_c: its instruction, and its operand f_o
        if (!rst_ni) begin
            f_busy <= 1'b0;
            f_has  <= 1'b0;
        end else begin
            f_busy <= f_enters || (f_busy && !f_leaves);
            f_was_granted <= f_ask_c[f_o] && rd_grant_i[f_c];
            if (f_enters) begin
                f_unit <= f_unit_in;
                f_need <= f_entered_need[f_o];
                f_has  <= 1'b0;
            end else if (f_was_granted && f_store) begin
                assert (f_busy && f_need && !f_has);  // stored once, and only if needed
                f_has   <= 1'b1;
                f_value <= f_delivered;
            end
        end
        // ghost of the order of f_c and f_e
        if (f_enters)        f_e_first <= (busy_q[f_e] && !f_e_leaves) || f_e_port_first;
        else if (f_e_enters) f_e_first <= 1'b0;
        else if (f_e_leaves) f_e_first <= 1'b0;
        // an operand that was presented and refused
        f_refused <= rst_ni && f_ask_c != '0 && !rd_grant_i[f_c];
        f_had     <= f_ask_c;
        if (!rst_ni) f_was_granted <= 1'b0;
    end
    // After a refusal the next higher outstanding operand, cyclically.
    logic [NumOps-1:0]   f_open;
    logic [2*NumOps-1:0] f_round, f_after;
    assign f_open  = f_need_c & ~f_granted_c;
    assign f_round = {f_open, f_open} & ~(({{NumOps{1'b0}}, f_had} << 1) - 1'b1);
    assign f_after = f_round & (~f_round + 1'b1);
    assign f_next  = f_after[NumOps-1:0] | f_after[2*NumOps-1:NumOps];

    // Environment: a granted operand is delivered in the next cycle, by one bank; units and
    // collectors exist.
    always_comb begin
        assume (f_c < NumColl && f_e < NumColl && f_o < NumOps && f_u < NumDisp);
        assume (f_missing == '0 && f_twice == '0);
        assume (obs_addr_i == NumColl + f_c * NumOps + f_o);
        for (int a = 0; a < NumAlloc; a = a + 1)
            assume (alloc_unit_i[a*UnitBits +: UnitBits] < NumDisp);
    end

    always_comb if (f_past) begin
        // an instruction that enters
        if (f_enters) assert (!f_busy);
        assert ((f_port_enters & (f_port_enters - 1'b1)) == '0);
        assert ((f_port_leaves & (f_port_leaves - 1'b1)) == '0);
        assert (f_busy == busy_q[f_c]);
        // requests: one operand at a time, needed and not yet granted, as long as there is one
        assert ((f_ask_c & (f_ask_c - 1'b1)) == '0);
        assert (rd_valid_o[f_c] == (f_ask_c != '0));
        if (rd_valid_o[f_c])
            assert (f_busy && (f_ask_c & ~f_need_c) == '0 && (f_ask_c & f_granted_c) == '0);
        if (f_busy && (f_need_c & ~f_granted_c) != '0) assert (rd_valid_o[f_c]);
        if (f_busy && f_refused && rst_ni) assert (f_ask_c == f_next);
        // operands: granted = in flight + arrived, nothing twice
        if (f_busy) begin
            assert ((f_granted_c & ~f_need_c) == '0);
            assert (f_granted_c == (f_coming_c | f_arrived_c) && (f_coming_c & f_arrived_c) == '0);
            assert (f_need == f_need_c[f_o]);
            assert (f_has == f_arrived_c[f_o]);
            assert (f_was_granted == f_coming_c[f_o]);
            if (f_has) assert (obs_data_o[Row-1:0] == f_value);
        end else assert (f_coming_c == '0);
        assert ((f_coming_c & (f_coming_c - 1'b1)) == '0);
        // age: a strict total order of the busy collectors, that of entering
        assert (!older_o[f_c * NumColl + f_c]);
        if (f_c != f_e && busy_q[f_c] && busy_q[f_e]) begin
            assert (older_o[f_c * NumColl + f_e] != older_o[f_e * NumColl + f_c]);
            assert (older_o[f_c * NumColl + f_e] == f_e_first);
        end
        if (!busy_q[f_c] || !busy_q[f_e]) assert (!older_o[f_c * NumColl + f_e]);
        for (int x = 0; x < NumColl; x = x + 1)
            if (older_o[f_c * NumColl + f_e] && older_o[f_e * NumColl + x])
                assert (older_o[f_c * NumColl + x]);
    end
    // Invariants over all collectors, which the induction step needs of those not looked at.
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
    always_comb if (f_past) begin
        assert (((ask_q | coming_q) & ~{NumOps{busy_q}}) == '0);
        assert ((ask_q & (granted_q | ~need_q)) == '0);
        assert ((coming_q & arrived_q) == '0 && (coming_q & ~granted_q) == '0);
        assert ((arrived_q & ~granted_q & {NumOps{busy_q}}) == '0);
    end
    always_comb begin
        cover (f_past && f_leaves && f_has && f_value != '0);
        cover (f_past && f_busy && busy_q[f_e] && f_e_first && f_e > f_c && disp_valid_o == '1);
        cover (f_past && f_free_count == '0 && rd_valid_o == '1);
        cover (f_past && f_refused && f_busy && f_ask_c != f_had);
    end
