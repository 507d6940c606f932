// SPDX-License-Identifier: Apache-2.0
// The contract of addr_map_table, proved by ci/formal, which includes it at the end of the module.
    // Contract: the time and the contents of answers; which entries answer, out of all slots and
    // without windows. A flush leaves nothing and reaches every look-up in flight; releases
    // complete after three cycles.
    logic [Slots*MemW-1:0] f_held;                  // words of all slots
    for (genvar i = 0; i < Slots; i = i + 1) begin : g_held
        assign f_held[i*MemW +: MemW] = new_slot_q[i] ? new_word_q
            : g_bank[i / (Rows * Ways)].g_way[i % Ways].mem_q[i / Ways % Rows];
    end
    logic             f_past;
    logic [2:0]       f_lk, f_flushed, f_question, f_rel;
    logic [3*Lanes-1:0] f_mask;
    initial f_past = 1'b0;
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        f_lk       <= rst_ni ? {f_lk[1:0], lk_go} : '0;
        f_rel      <= rst_ni ? {f_rel[1:0], rel_valid_i} : '0;
        f_flushed  <= {f_flushed[1:0], 1'b0} | {3{fl_valid_i}};
        f_question <= {f_question[1:0], lk_question_i};
        f_mask     <= {f_mask[2*Lanes-1:0], lk_mask_i};
    end
    always_comb begin
        assume (st_low_i[AddrBits-1:LaneBits+2] == st_high_i[AddrBits-1:LaneBits+2] && st_low_i <= st_high_i);
        if (f_past) begin
            assert (s2_lk == f_lk[0] && s3_lk_q == f_lk[1] && ans_valid_o == f_lk[2]);
            if (f_lk[0]) assert (s2_mask == f_mask[0 +: Lanes] && s2_question == f_question[0] && (s2_bar || !f_flushed[0]));
            if (f_lk[1]) assert (s3_mask_q == f_mask[Lanes +: Lanes] && s3_question_q == f_question[1] && (s3_bar_q || !f_flushed[1]));
            if (f_lk[2]) assert (s4_mask_q == f_mask[2*Lanes +: Lanes] && s4_question_q == f_question[2]);
            if (lk_valid_i && !lk_question_i) assert (lk_ready_o);
            if (lk_question_i && lk_ready_o) assert (count == '0 && !st_valid_i);
            assert (rel_done_o == f_rel[2]);
            // the answer
            if (ans_valid_o) begin
                assert (ans_kind_o != 2'd3 && ans_use_o[0] == (ans_kind_o != 2'd0));
                if (ans_use_o[1]) assert (ans_kind_o == 2'd2);
                if (ans_wait_o) assert (ans_kind_o == 2'd1);
                if (ans_enter_o) assert (ans_kind_o == 2'd0 && !f_question[2]);
                if (ans_kind_o == 2'd1) assert (ans_mask_o[0 +: Lanes] == f_mask[2*Lanes +: Lanes]);
                if (ans_kind_o == 2'd2) begin
                    assert ((ans_mask_o[0 +: Lanes] | ans_mask_o[Lanes +: Lanes]) == f_mask[2*Lanes +: Lanes]);
                    assert ((ans_mask_o[0 +: Lanes] & ans_mask_o[Lanes +: Lanes]) == '0);
                end
            end else assert (ans_use_o == 2'b00 && !ans_enter_o && !ans_wait_o);
            cover (ans_valid_o && ans_kind_o == 2'd1);
            cover (obs_died_o != '0);
        end
    end
    always_ff @(posedge clk_i)
        if (f_past && $past(rst_ni) && rst_ni) begin
            if ($past(fl_valid_i)) assert (valid == '0 && count == '0 && met_q == '0);
            // a look-up that a flush met is a miss and is not entered
            if (ans_valid_o && ($past(fl_valid_i) || $past(fl_valid_i, 2))) assert (ans_kind_o == 2'd0 && !ans_enter_o);
        end

    // Which entries answer the look-up of stage 3: every slot is compared with it, lane by lane.
    logic                 f_ok, f_ahead, f_pow2;
    logic [Slots-1:0]     f_exact, f_here;          // an entry of all the words, with its data or not; that may be read
    logic [Slots*Lanes-1:0] f_low, f_high;          // lanes that it has from the lowest up, the highest down
    logic [Slots*ShBits-1:0] f_away;                // lane of the entry - lane of the load
    logic [Lanes-1:0]     f_has, f_best_low, f_best_high;
    logic                 f_on;
    logic [AddrBits-1:0]  f_stride, f_base;
    logic [CodeBits-1:0]  f_code;
    logic [Lanes-1:0]     f_held_mask;
    assign f_ok     = s3_lk_q && s3_fits_q && !s3_bar_q && !fl_valid_i;
    assign f_ahead  = f_ok && insert && s4_base_q == s3_base_q && s4_code_q == s3_code_q && (s3_mask_q & ~s4_mask_q) == '0;
    assign f_pow2   = $countones(s3_code_q) == 1;
    assign f_stride = AddrBits'(s3_code_q) << 2;
    always @* begin
        f_best_low = '0; f_best_high = '0;
        f_low = '0; f_high = '0; f_away = '0; f_exact = '0; f_here = '0;
        for (int i = 0; i < Slots; i = i + 1) begin
            {f_held_mask, f_code, f_base} = f_held[i*MemW +: MemW];
            f_here[i]  = f_ok && valid[i] && !(insert && s4_slot[i]) && f_code == s3_code_q;
            f_exact[i] = f_here[i] && f_base == s3_base_q && (s3_mask_q & ~f_held_mask) == '0;
            f_has = '0;
            for (int k = 1 - Lanes; k < Lanes; k = k + 1)
                if (s3_base_q == f_base + AddrBits'(k) * f_stride) begin
                    f_away[i*ShBits +: ShBits] = ShBits'(k);
                    for (int l = 0; l < Lanes; l = l + 1)
                        if (l + k >= 0 && l + k < Lanes) f_has[l] = f_held_mask[l + k] && s3_mask_q[l];
                end
            if (!f_here[i] || !f_pow2 || !data[i]) f_has = '0;
            f_on = 1'b1;
            for (int l = 0; l < Lanes; l = l + 1) begin
                if (s3_mask_q[l] && !f_has[l]) f_on = 1'b0;
                f_low[i*Lanes + l] = f_on && s3_mask_q[l];
            end
            f_on = 1'b1;
            for (int l = Lanes - 1; l >= 0; l = l - 1) begin
                if (s3_mask_q[l] && !f_has[l]) f_on = 1'b0;
                f_high[i*Lanes + l] = f_on && s3_mask_q[l];
            end
            f_best_low  = f_best_low | f_low[i*Lanes +: Lanes];
            f_best_high = f_best_high | f_high[i*Lanes +: Lanes];
        end
    end
    // .. of equals the lowest slot
    logic                 f_hit, f_wait, f_merge;
    logic [PhyBits-1:0]   f_phys, f_phys_high, f_id;
    logic [ShBits-1:0]    f_shift, f_shift_high;
    always @* begin
        f_hit  = f_exact != '0 || f_ahead;
        f_wait = (f_exact & data) == '0;
        f_merge = !f_hit && f_best_low != '0 && (s3_mask_q & ~f_best_low & ~f_best_high) == '0;
        f_phys = ins_phys_i; f_phys_high = '0; f_shift = '0; f_shift_high = '0;
        for (int i = Slots - 1; i >= 0; i = i - 1) begin
            for (int p = 0; p < PhyBits; p = p + 1) f_id[p] = new_slot_q[i] ? new_phys_q[p] : id_q[p*Slots + i];
            if (f_hit ? f_exact[i] && (f_wait || data[i]) : f_low[i*Lanes +: Lanes] == f_best_low) begin
                f_phys  = f_id;
                f_shift = f_hit ? '0 : f_away[i*ShBits +: ShBits];
            end
            if (f_high[i*Lanes +: Lanes] == f_best_high) begin
                f_phys_high  = f_id;
                f_shift_high = f_away[i*ShBits +: ShBits];
            end
        end
    end
    logic                 f4_hit, f4_wait, f4_merge;
    logic [PhyBits-1:0]   f4_phys, f4_phys_high;
    logic [ShBits-1:0]    f4_shift, f4_shift_high;
    logic [Lanes-1:0]     f4_low;
    always_ff @(posedge clk_i) begin
        f4_hit  <= f_hit;
        f4_wait <= f_hit && f_wait;
        f4_merge <= f_merge;
        f4_phys <= f_phys;
        f4_phys_high <= f_phys_high;
        f4_shift <= f_shift;
        f4_shift_high <= f_shift_high;
        f4_low <= f_best_low;
    end
    // An entry is in the bank and the row of its window, and was one that may be entered.
    logic [Slots-1:0]     f_placed;
    logic [WinBits-1:0]   f_window;
    logic [RowW-1:0]      f_row;
    integer               f_shift_right;
    logic [AddrBits-1:0]  f_at;
    logic [CodeBits-1:0]  f_with;
    logic [AddrBits:0]    f_end;
    always @* begin
        f_placed = '0;
        for (int i = 0; i < Slots; i = i + 1) begin
            f_at   = f_held[i*MemW +: AddrBits];
            f_with = f_held[i*MemW + AddrBits +: CodeBits];
            f_shift_right = LaneBits;
            for (int c = CodeBits; c > 0; c = c - 1) if (f_with <= CodeBits'(1) << (c - 1)) f_shift_right = LaneBits + 1 + c;
            if (f_with == '0) f_shift_right = LaneBits;
            f_window = WinBits'(f_at >> f_shift_right);
            f_row    = '0;
            for (int j = 0; RowBits > 0 && j < WinBits; j = j + RowW) f_row = f_row ^ RowW'(f_window >> j);
            f_end = {1'b0, f_at} + (AddrBits+1)'(f_with) * (AddrBits+1)'(4 * (Lanes - 1)) + (AddrBits+1)'(3);
            f_placed[i] = 32'(f_window % 3) == i / (Rows * Ways) && 32'(f_row) == i / Ways % Rows &&
                          f_with <= CodeBits'(1) << (CodeBits - 1) && !f_end[AddrBits];
        end
    end
    always_comb
        if (f_past) begin
            assert ((valid & ~f_placed) == '0);
            // the latch names one slot, by number and by bank, row and way
            for (int i = 0; i < Slots; i = i + 1)
                assert (new_slot_q[i] == (new_at_q[i / (Rows * Ways) * Ways + i % Ways] && 32'(new_row_q) == i / Ways % Rows));
            if (ans_valid_o) begin
                assert (ans_kind_o == {f4_merge, f4_hit} && ans_wait_o == f4_wait);
                if (ans_kind_o != 2'd0) assert (ans_phys_o[0 +: PhyBits] == f4_phys && ans_shift_o[0 +: ShBits] == f4_shift);
                if (ans_kind_o == 2'd2) assert (ans_mask_o[0 +: Lanes] == f4_low);
                if (ans_use_o[1])
                    assert (ans_phys_o[PhyBits +: PhyBits] == f4_phys_high && ans_shift_o[ShBits +: ShBits] == f4_shift_high);
            end
            cover (ans_valid_o && ans_use_o == 2'b11);
        end
