// SPDX-License-Identifier: Apache-2.0
// The contract of alloc_request, proved by ci/formal, which includes it at the end of the module.
    // Contract: a request that keeps its place or shrinks completes alone. Any other request
    // completes when a looked-up row has room or when it gets the open row that it requested. Its
    // own row is first, or last (grow). Its buddy's row is looked up once its place is available,
    // until it is found short. The request selects a bank that offers a row: the first from its
    // home bank on. It releases the part of its old place that it does not keep.
    logic f_past;
    initial f_past = 1'b0;
    logic             f_there;               // the same request as in the cycle before
    logic             f_own_short, f_bd_short, f_none;   // found while it has been there
    logic [3:0]       f_bd_mask;
    logic [LocBits-1:0] f_bd_loc;
    logic             f_may_full;            // a bank might have had a whole row in the cycle before
    logic             f_known, f_room, f_short, f_paired, f_own, f_buddy, f_asks, f_left, f_right, f_full;
    logic [3:0]       f_row_mask;
    logic [2:0]       f_old_count, f_kept_count;
    logic [Banks-1:0] f_may, f_choice;
    logic [6:0]       f_home;
    assign f_paired = policy_i == 2'd1 && rq_pair_i && f_asks;
    assign f_asks   = rq_valid_i && (rq_kind_i == 2'd2 || rq_kind_i == 2'd3);
    // its own row: at first, unless it is to grow elsewhere first; or when nothing else is left
    assign f_own    = rq_valid_i && rq_kind_i == 2'd3 && (f_none || (!cfg_grow_i && !f_own_short));
    // its buddy's: in the second cycle, when it has a place
    assign f_buddy  = f_paired && f_there && f_bd_mask != '0 && !f_bd_short;
    assign f_left   = policy_i == 2'd2 && rq_align_i == 2'd1;
    assign f_right  = policy_i == 2'd2 && rq_align_i == 2'd2;
    assign f_full   = f_paired && rq_size_i < 3'd4 && f_may_full;
    assign f_may    = f_full ? may_full_i : may_i;
    assign f_choice = fit_i != '0 && policy_i != 2'd2 ? fit_i : f_may;
    assign f_home   = ((policy_i == 2'd2 ? 7'd0 : cfg_order_i ? 7'd0 : 7'(rq_reg_i)) +
                       (policy_i != 2'd2 && cfg_order_i ? 7'd0 : 7'(rq_warp_i))) % 7'(Banks);
    assign f_old_count  = 3'(rq_old_mask_i[0]) + 3'(rq_old_mask_i[1]) + 3'(rq_old_mask_i[2]) + 3'(rq_old_mask_i[3]);
    assign f_kept_count = 3'(al_mask_o[0]) + 3'(al_mask_o[1]) + 3'(al_mask_o[2]) + 3'(al_mask_o[3]);
    always_comb begin
        f_known    = 1'b0;
        f_room     = 1'b0;
        f_short    = 1'b0;
        f_row_mask = '0;
        for (int b = 0; b < Banks; b = b + 1)
            if (known_i[b]) begin
                f_known    = 1'b1;
                f_room     = room_i[b];
                f_short    = short_i[b];
                f_row_mask = row_mask_i[b*4 +: 4];
            end
    end
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        f_there     <= rst_ni && rq_valid_i && !al_done_o;
        f_own_short <= rst_ni && rq_valid_i && !al_done_o && (f_own_short || (f_short && f_own));
        f_bd_short  <= rst_ni && rq_valid_i && !al_done_o && (f_bd_short || (f_short && !f_own));
        f_none      <= rst_ni && rq_valid_i && !al_done_o && (none_o || (f_none && !(f_known && f_own)));
        f_bd_mask   <= rq_bd_mask_i;
        f_bd_loc    <= rq_bd_loc_i;
        f_may_full  <= rst_ni && rq_bd_mask_i == '0 && may_full_i != '0;
    end
    // The request is legal. At most one bank reports on the row that the request waits for: either
    // room or shortage. The request takes only a row that it requested.
    always_comb begin
        assume (policy_i != 2'd3 && 32'(rq_warp_i) < Warps && rq_size_i >= 3'd1 && rq_size_i <= 3'd4);
        if (rq_valid_i && rq_kind_i == 2'd1) assume (f_old_count > rq_size_i);
        if (rq_valid_i && rq_kind_i == 2'd2) assume (rq_old_mask_i == '0);
        assume ((known_i & (known_i - Banks'(1))) == '0 && !(known_i != '0 && !row_want_o));
        for (int b = 0; b < Banks; b = b + 1) assume (!(room_i[b] && short_i[b]) && !(known_i[b] && room_i[b] && !ready_o));
        assume ((fit_i & ~f_may) == '0);
        assume (!(take_i && !(want_o && opens_o)));
    end
    always_comb if (f_past) begin
        assert (search_o == f_asks);
        // rows that are looked up
        assert (own_want_o == f_own);
        assert (row_want_o == (f_own || (f_buddy && !f_own)));
        if (row_want_o) assert (target_o == (f_own ? rq_old_loc_i : f_bd_loc));
        assert (relook_o == (row_want_o && looking_i == '0));
        assert (target_own_o == (rq_kind_i == 2'd3 && target_o == rq_old_loc_i ? rq_old_mask_i : 4'd0));
        // open rows: after the buddy's row
        assert (!(opens_o && (!f_asks || (row_want_o && !f_short) || (f_paired && !f_there))));
        assert (left_o == (f_left && rq_size_i < 3'd4) && right_o == (f_right && rq_size_i < 3'd4) && rsv_o == f_full);
        assert ((bank_o & (bank_o - Banks'(1))) == '0 && (bank_o & ~f_choice) == '0 && (bank_o != '0) == (f_choice != '0));
        for (int b = 0; b < Banks; b = b + 1)
            for (int c = 0; c < Banks; c = c + 1)
                if (bank_o[b] && f_choice[c])
                    assert ((b + Banks - 32'(f_home)) % Banks <= (c + Banks - 32'(f_home)) % Banks);
        assert (!want_o || ((bank_o & fit_i) != '0 && (rq_kind_i == 2'd2 || rq_ready_i)));
        for (int b = 0; b < Banks; b = b + 1)
            assert (waits_o[b] == (opens_o && f_may[b] && !fit_i[b] && (bank_o[b] || 7'(b) == f_home)));
        assert (none_o == (opens_o && f_may == '0 && !f_full));
        // done, and where
        assert (al_done_o == (take_i || f_room || (rq_valid_i && (rq_kind_i == 2'd0 || (rq_kind_i == 2'd1 && rq_ready_i)))));
        if (al_done_o) begin
            if (rq_kind_i[1]) begin
                assert (al_how_o == (f_room ? (f_own ? 3'd4 : 3'd2) : al_how_o) && al_how_o != 3'd0);
                assert (al_loc_o == (f_room ? target_o : al_loc_o) && al_mask_o == (f_room ? f_row_mask : al_mask_o));
                if (!f_room)
                    assert ((al_how_o == 3'd3) == ((f_paired && (f_bd_mask != '0 || (rq_size_i < 3'd4 && !f_full))) ||
                                                   ((left_o || right_o) && (bank_o & side_i) == '0)));
                for (int b = 0; b < Banks; b = b + 1)
                    if (!f_room && bank_o[b])
                        assert (al_loc_o == {BankBits'(b), entry_i[b*EntryBits +: EntryBits]} && al_mask_o == mask_i[b*4 +: 4]);
            end else begin
                assert (al_how_o == 3'd0 && al_loc_o == rq_old_loc_i && (al_mask_o & ~rq_old_mask_i) == '0);
                if (rq_kind_i == 2'd0) assert (al_mask_o == rq_old_mask_i);
                else begin
                    // at its end of the row: no kept slice is beyond a released one
                    assert (f_kept_count == rq_size_i);
                    for (int i = 1; i < 4; i = i + 1)
                        if (f_left) assert (!(al_mask_o[i-1] && rq_old_mask_i[i] && !al_mask_o[i]));
                        else assert (!(al_mask_o[i] && rq_old_mask_i[i-1] && !al_mask_o[i-1]));
                end
            end
        end
        // slices that it releases
        assert (leaves_o == (al_done_o && (rq_kind_i == 2'd1 || (rq_kind_i == 2'd3 && !(f_room && target_o == rq_old_loc_i)))));
        if (leaves_o) assert (leave_mask_o == (rq_kind_i == 2'd1 ? rq_old_mask_i & ~al_mask_o : rq_old_mask_i));
        // Invariants
        assert (f_there == bd_in_q && f_own_short == own_no_q && f_bd_short == bd_no_q && f_none == last_q);
        assert (f_may_full == bd_full_q && f_bd_mask == bd_mask_q && f_bd_loc == bd_loc_q);
        cover (al_done_o && al_how_o == 3'd4);
        cover (al_done_o && al_how_o == 3'd2 && f_paired);
        cover (al_done_o && al_how_o == 3'd1 && rsv_o);
        cover (al_done_o && al_how_o == 3'd3 && left_o);
        cover (al_done_o && rq_kind_i == 2'd1 && f_left && al_mask_o == 4'b1010);
    end
