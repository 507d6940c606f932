// SPDX-License-Identifier: Apache-2.0
// The contract of avail_vector, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any id f_id and any port f_i. An id is allocated only if it has no owner, the
    // launch does not use it and no write to it is in flight. It is available again exactly when
    // none of these holds. The requested bank is first, and the lowest id.
    (* anyconst *) logic [PhyBits-1:0]          f_id;
    logic                f_past, f_used, f_owned, f_flying;
    logic                f_given, f_written, f_freed;
    logic [CountBits-1:0] f_limit;
    logic [Words-1:0]    f_gets;
    logic [NumWr-1:0]    f_wb;
    logic [NumFree-1:0]  f_free;
    logic [BankBits-1:0] f_bank;
    initial f_past = 1'b0;
    assign f_bank = BankBits'((First + f_id) % Banks);

    // alloc_phy_o as bank and id, per word; f_left: available, not given to a lower word
    for (genvar c = 0; c < Words; c = c + 1) begin : g_f_alloc
        logic [PhyBits-1:0]  id;
        logic [BankBits-1:0] bank, wanted;
        logic                f_left, f_asks;
        assign id     = alloc_phy_o[c*PhyBits +: PhyBits];
        assign bank   = BankBits'((First + id) % Banks);
        assign wanted = alloc_bank_i[c*BankBits +: BankBits];
        assign f_gets[c] = alloc_word_o[c] && id == f_id;
        if (c == 0) begin : g_none
            assign f_left = !f_used && !f_owned && !f_flying;
        end else begin : g_some
            assign f_left = g_f_alloc[c-1].f_left && !f_gets[c-1];
        end
        assign f_asks = alloc_valid_i[c/2] && (c % 2 == 0 || alloc_pair_i[c/2]);
        always_comb if (f_past) begin
            if (alloc_word_o[c]) assert (f_asks && !load_valid_i && id < NumPhy);
            // both words or none
            assert (alloc_word_o[c] == (f_asks && alloc_ok_o[c/2]));
            // allocated only when available
            if (f_gets[c]) assert (f_left);
            // as long as there is one, a request of one word is served
            if (f_left && f_asks && !alloc_pair_i[c/2] && !load_valid_i) assert (alloc_ok_o[c/2]);
            if (f_left && alloc_word_o[c]) begin
                // same bank first, lowest first
                if (f_bank == wanted) assert (bank == wanted && id <= f_id);
                if (bank != wanted) assert (id <= f_id);
            end
        end
    end
    // a pair is refused only when fewer than two are left: with this one and another left, it is served
    (* anyconst *) logic [PhyBits-1:0] f_two;
    logic f_two_left;
    assign f_two_left = avail_q[f_two] && f_two != f_id && f_two < NumPhy;
    always_comb if (f_past && f_two_left && g_f_alloc[0].f_left && alloc_valid_i[0] && !load_valid_i)
        assert (alloc_ok_o[0]);
    for (genvar j = 0; j < NumWr; j = j + 1) begin : g_f_wb
        assign f_wb[j] = wb_valid_i[j] && wb_phy_i[j*PhyBits +: PhyBits] == f_id;
        always_comb if (wb_valid_i[j]) assume (wb_phy_i[j*PhyBits +: PhyBits] < NumPhy);
    end
    for (genvar f = 0; f < NumFree; f = f + 1) begin : g_f_free
        assign f_free[f] = free_valid_i[f] && free_phy_i[f*PhyBits +: PhyBits] == f_id;
        always_comb if (free_valid_i[f]) assume (free_phy_i[f*PhyBits +: PhyBits] < NumPhy);
    end
    assign f_given   = f_gets != '0;
    assign f_written = f_wb != '0;
    assign f_freed   = f_free != '0;
    assign f_used    = f_id < f_limit;

    logic f_died, f_again;  // it was freed before its write; it was given, freed and given again
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        if (!rst_ni || load_valid_i) begin
            f_limit  <= !rst_ni ? '0 : load_count_i > NumPhy ? CountBits'(NumPhy) : load_count_i;
            f_owned  <= 1'b0;
            f_flying <= 1'b0;
            f_died   <= 1'b0;
            f_again  <= 1'b0;
        end else begin
            f_owned  <= f_given || (f_owned && !f_freed);
            f_flying <= f_given || (f_flying && !f_written);
            f_died   <= f_died || (f_owned && f_flying && f_freed && !f_written);
            f_again  <= f_again || (f_died && f_given);
        end
    end
    logic [NumPhy-1:0] f_one;
    assign f_one = NumPhy'(1) << f_id;
    always_comb begin
        assume (f_id < NumPhy);
        if (f_past) begin
            // to one port only
            assert ((f_gets & (f_gets - 1'b1)) == '0);
            // conservation: available, used by the launch, owned, or waiting for its write
            assert (avail_q[f_id] == (!f_used && !f_owned && !f_flying));
            // ready counts
            if (avail_q[f_id]) assert (ready_o[0]);
            if (ready_o == '0) assert (alloc_ok_o == '0);
            if ((avail_q & ~f_one) != '0 && avail_q[f_id]) assert (ready_o[1]);
            if (avail_q == f_one) assert (ready_o == Words'(1));
            // invariants
            assert (limit_q == f_limit);
            assert (pend_q[f_id] == f_flying && dying_q[f_id] == (f_flying && !f_owned));
            if (f_used) assert (!f_owned && !f_flying);
        end
        cover (f_past && f_again && f_written);
        cover (f_past && f_given && f_limit != '0 && f_bank != alloc_bank_i[BankBits-1:0] &&
               f_gets[0] && avail_q != f_one);
        cover (f_past && (&alloc_valid_i) && alloc_ok_o == '0 && f_limit == '0 && !load_valid_i);
        cover (f_past && f_freed && f_written && f_owned && f_flying);
        cover (f_past && alloc_word_o[1:0] == 2'd3 && f_gets[1] && f_bank == alloc_bank_i[0 +: BankBits]);
        cover (f_past && alloc_valid_i[0] && alloc_pair_i[0] && ready_o == Words'(1) && !load_valid_i);
    end
