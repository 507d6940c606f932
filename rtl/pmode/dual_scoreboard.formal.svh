// SPDX-License-Identifier: Apache-2.0
// The contract of dual_scoreboard, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any warp f_w and column f_r, in an SM that keeps to the verdicts. A column is a
    // register or (NumRegs and above) a predicate. The boards do not store instructions; they agree
    // with a bookkeeper that does.
    // Ghost f_n: the outstanding result of an instruction issued in N-mode: none, short or long.
    // Ghost f_out: a renamed write is outstanding.
    // Ghost f_p: the value in P-mode. It is there; it waits for N's result (short, long); it waits
    // for its renamed one; it is unknown.
    // At most one renamed write is outstanding; only N changes N's board; P-mode ends.
    localparam logic [2:0] There = 3'd0, ForShort = 3'd1, ForLong = 3'd2, Renamed = 3'd3,
                           Unknown = 3'd4;
    (* anyconst *) logic [WarpBits-1:0] f_w;
    localparam int ColBits  = $clog2(NumRegs + NumPreds);
    localparam int PredBits = $clog2(NumPreds);
    (* anyconst *) logic [ColBits-1:0]  f_r;
    logic                f_pred;
    logic [PredBits-1:0] f_at;          // of the predicates
    assign f_pred = 32'(f_r) >= NumRegs;
    assign f_at   = PredBits'(32'(f_r) - NumRegs);
    logic       f_past, f_mode, f_out, f_trigger, f_clear, f_sw;
    logic [1:0] f_n;                    // 0 none, 1 short, 2 long
    logic [2:0] f_p;
    initial f_past = 1'b0;
    // A query sees the state after the results of this cycle.
    logic       f_n_done, f_p_done;
    logic [1:0] f_n_now;
    logic [2:0] f_p_now;
    assign f_n_now = f_n_done ? 2'd0 : f_n;
    assign f_p_now = (f_n_done && (f_p == ForShort || f_p == ForLong)) || (f_p_done && f_p == Renamed) ? There : f_p;

    // Events of f_w at the ports.
    logic [NumQuery-1:0] f_act, f_issue_n, f_load_n, f_issue_p, f_skip_p;
    logic [NumWr-1:0]    f_wb_n, f_wb_p, f_back;
    for (genvar s = 0; s < NumQuery; s = s + 1) begin : g_f_query
        logic       here, src, dst;
        logic [1:0] act;
        assign here = q_warp_i[s*WarpBits +: WarpBits] == f_w;
        assign src  = f_pred ? q_psrc_i[s*NumPreds + 32'(f_at)] : q_src_i[s*64 + 32'(f_r)];
        assign dst  = f_pred ? q_pdst_i[s*NumPreds + 32'(f_at)] : q_dst_i[s*64 + 32'(f_r)];
        assign act  = q_act_i[s*2 +: 2];
        assign f_act[s]     = here && act != 2'd0;
        assign f_issue_n[s] = here && !q_board_i[s] && dst && (act == 2'd1 || (act == 2'd2 && f_pred));
        assign f_load_n[s]  = here && !q_board_i[s] && dst && act == 2'd2 && !f_pred;
        assign f_issue_p[s] = here && q_board_i[s] && dst && act == 2'd1;
        assign f_skip_p[s]  = here && q_board_i[s] && dst && act == 2'd2;
        always_comb begin
            assume (q_warp_i[s*WarpBits +: WarpBits] < NumWarps);
            // environment: acts by the mode and the verdict
            if (f_act[s]) begin
                assume (act != 2'd3 && q_board_i[s] == f_mode);
                assume (q_ready_o[s] || (act == 2'd2 && q_skip_o[s]));
            end
            if (f_past && here && !q_board_i[s]) begin
                // N: waits for outstanding results, switches for long ones
                if ((src || dst) && f_n_now != 2'd0) assert (!q_ready_o[s]);
                if ((src || dst) && f_n_now == 2'd2) assert (q_long_o[s]);
                assert (!q_skip_o[s]);
            end
            if (f_past && here && q_board_i[s] && f_mode) begin
                // P: skips instructions that depend on the unknown or on N's loads, waits for short
                // results
                if (src && (f_p_now == Unknown || f_p_now == ForLong))
                    assert (q_long_o[s] && !q_ready_o[s]);
                if ((src || dst) && (f_p_now == Renamed || f_p_now == ForShort)) assert (!q_ready_o[s]);
                // no second write is sent to a register while a short one is outstanding
                if (dst && (f_p_now == Renamed || f_p_now == ForShort)) assert (!q_skip_o[s]);
                if (q_skip_o[s]) assert (q_long_o[s] && !q_ready_o[s]);
            end
        end
    end
    for (genvar j = 0; j < NumWr; j = j + 1) begin : g_f_wb
        logic here;
        assign here      = wb_valid_i[j] && wb_warp_i[j*WarpBits +: WarpBits] == f_w;
        assign f_wb_n[j] = here && !wb_pmode_i[j] && !f_pred && wb_reg_i[j*RegBits +: RegBits] == f_r;
        assign f_wb_p[j] = here && wb_pmode_i[j] && !f_pred && wb_reg_i[j*RegBits +: RegBits] == f_r;
        assign f_back[j] = here && back_o[j];
        always_comb begin
            if (wb_valid_i[j]) assume (wb_warp_i[j*WarpBits +: WarpBits] < NumWarps &&
                                       wb_reg_i[j*RegBits +: RegBits] < NumRegs);
            // environment: only outstanding results are written
            if (f_wb_n[j]) assume (f_n != 2'd0);
            if (f_wb_p[j]) assume (f_out);
            if (f_past && f_wb_n[j]) assert (back_o[j] == (f_mode && f_trigger && !f_clear && !f_sw));
            if (f_past && here && wb_pmode_i[j]) assert (!back_o[j]);
        end
    end
    logic [NumPw-1:0] f_pw_n, f_pw_p;
    for (genvar j = 0; j < NumPw; j = j + 1) begin : g_f_pw
        logic here;
        assign here      = pw_valid_i[j] && pw_warp_i[j*WarpBits +: WarpBits] == f_w && f_pred &&
                           pw_mask_i[j*NumPreds + 32'(f_at)];
        assign f_pw_n[j] = here && !pw_pmode_i[j];
        assign f_pw_p[j] = here && pw_pmode_i[j];
        always_comb begin
            if (pw_valid_i[j]) assume (pw_warp_i[j*WarpBits +: WarpBits] < NumWarps);
            if (f_pw_n[j]) assume (f_n != 2'd0);
            if (f_pw_p[j]) assume (f_out);
            // P-mode takes the value over where it waits for this result
            if (f_past && f_pw_n[j])
                assert (pw_reach_o[j*NumPreds + 32'(f_at)] == (f_mode && f_p == ForShort));
            if (f_past && f_pw_p[j]) assert (pw_reach_o[j*NumPreds + 32'(f_at)]);
        end
    end
    logic f_goes_back, f_sets, f_sets_load;
    assign f_clear     = clr_valid_i && clr_warp_i == f_w;
    assign f_sw        = sw_ok_o && sw_warp_i == f_w;
    assign f_goes_back = f_back != '0;
    assign f_n_done    = {f_pw_n, f_wb_n} != '0;
    assign f_p_done    = {f_pw_p, f_wb_p} != '0;
    assign f_sets      = (f_issue_n | f_load_n) != '0;
    assign f_sets_load = f_load_n != '0;

    logic [1:0] f_n_next;
    logic [2:0] f_p_next;
    assign f_n_next = f_sets ? (f_sets_load ? 2'd2 : 2'd1) : f_n_now;
    assign f_p_next =
        f_issue_p != '0 ? Renamed : f_skip_p != '0 ? Unknown : f_p_now;
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        if (!rst_ni || f_clear) begin
            f_n       <= 2'd0;
            f_p       <= There;
            f_out     <= 1'b0;
            f_mode    <= 1'b0;
            f_trigger <= 1'b0;
        end else begin
            f_n   <= f_n_next;
            f_out <= f_issue_p != '0 || (f_out && !f_p_done);
            if (f_sw) begin
                f_mode    <= 1'b1;
                f_trigger <= !f_pred && ColBits'(sw_reg_i) == f_r;
                if (!f_mode) f_p <= f_n_next == 2'd0 ? There : f_n_next == 2'd1 ? ForShort : ForLong;
                else         f_p <= f_p_next;
            end else begin
                f_p <= f_p_next;
                if (f_goes_back) f_mode <= 1'b0;
            end
        end
    end

    logic [NumRegs+NumPreds-1:0] f_n_pend, f_n_long, f_p_pend, f_p_long;
    assign f_n_pend = {preds(pn_wait_q, f_w), n_pend_q[f_w]};
    assign f_n_long = {{NumPreds{1'b0}}, n_long_q[f_w]};
    assign f_p_pend = {preds(pp_wait_q, f_w), p_pend_q[f_w]};
    assign f_p_long = {preds(pp_skip_q, f_w), p_long_q[f_w]};
    always_comb begin
        assume (f_w < NumWarps && 32'(f_r) < NumRegs + NumPreds);
        if (sw_valid_i) assume (sw_warp_i < NumWarps && sw_reg_i < NumRegs);
        if (clr_valid_i) assume (clr_warp_i < NumWarps);
        // environment: a warp issues one instruction per cycle, a register is written once; a slot
        // is cleared when nothing is outstanding
        assume ((f_act & (f_act - 1'b1)) == '0);
        assume ((f_wb_n & (f_wb_n - 1'b1)) == '0);
        assume ((f_wb_p & (f_wb_p - 1'b1)) == '0);
        assume ((f_pw_n & (f_pw_n - 1'b1)) == '0 && (f_pw_p & (f_pw_p - 1'b1)) == '0);
        if (f_clear) assume (f_n == 2'd0 && !f_out);
        if (f_past) begin
            assert (mode_o[f_w] == f_mode);
            // a switch waits for the renamed writes of the session before, and for a load
            if (f_sw && !f_mode) assert (!f_out);
            if (f_sw && !f_pred && ColBits'(sw_reg_i) == f_r) assert (f_n == 2'd2 && !f_n_done);
            // P-mode ends: the result that it waits for is outstanding
            if (f_mode && f_trigger) assert (f_n == 2'd2);
            // at most one renamed write per register
            if (f_issue_p != '0) assert (!f_out || f_p_done);
            // the boards
            assert (f_n <= 2'd2);
            assert (f_n_pend[f_r] == (f_n != 2'd0) && f_n_long[f_r] == (f_n == 2'd2));
            if (f_mode) begin
                assert (f_p <= Unknown);
                assert (f_p_pend[f_r] == (f_p == ForShort || f_p == ForLong || f_p == Renamed));
                assert (f_p_long[f_r] == (f_p == ForLong || f_p == Unknown));
                assert (f_out == (f_p == Renamed));
                if (f_p == ForShort) assert (f_n == 2'd1);
                if (f_p == ForLong) assert (f_n == 2'd2);
                if (f_n == 2'd1) assert (f_p == ForShort);
            end else begin
                assert (f_p_pend[f_r] == f_out && !f_p_long[f_r]);
            end
            // invariant
            if (f_mode) assert (f_trigger == (!f_pred && ColBits'(trig_q[f_w]) == f_r));
        end
        cover (f_past && f_mode && f_out && f_n == 2'd2 && f_n_done);
        cover (f_past && !f_mode && f_p_done);
        cover (f_past && f_mode && f_n_done && f_p == ForShort);
        cover (f_past && f_sw && f_mode && f_trigger && ColBits'(sw_reg_i) != f_r && f_p == Unknown);
        cover (f_past && f_goes_back && f_p == Renamed && !f_p_done);
        cover (f_past && f_pred && f_mode && f_pw_p != '0);
    end
