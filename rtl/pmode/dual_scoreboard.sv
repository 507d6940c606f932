// SPDX-License-Identifier: Apache-2.0
// Purpose:    the N- and the P-scoreboard of every warp, its mode bit, and what switches it: which
//             instruction may issue, waits, is skipped in P-mode, or sends its warp there. Contract:
//             models/pmode/dual_scoreboard.h.
// Parameters: NumWarps, 1..64; NumRegs, 2..63: architected registers; NumQuery, 1..4: instructions
//             asked about and issued per cycle; NumWr, 1..4: results written per cycle, and twice as
//             many instructions whose predicates are. The widths follow.
// Timing:     pw_reach_o answers in the same cycle from state; q_*_o from state and wb_i, pw_i of the
//             cycle, which clear what they write; sw_ok_o and back_o from state, sw_i, wb_i, clr_i.
//             mode_o depends on state alone. Acts, writebacks, switches and clears happen at the
//             clock edge.
// Reset:      all registers ready in both boards, all warps in N-mode, triggers 0.
// Left out:   values of predicates, outstanding reads, SIMT stacks. Rows of flip-flops: every event of a cycle
//             reads the row of its warp, and writes it with all that happens to that warp merged in,
//             so that the copy at a switch takes one cycle and costs a row-wide multiplexer.
// Shapes:     - ; NumWarps=1,NumRegs=2,NumQuery=1,NumWr=1
// Shapes:     NumWarps=5,NumRegs=33,NumQuery=4,NumWr=3
// Proof:      1:7:NumWarps=2,NumRegs=2,NumQuery=1,NumWr=2
// Proof:      1:7:NumWarps=2,NumRegs=3,NumQuery=2,NumWr=1

module dual_scoreboard #(
    parameter int NumWarps = 48,
    parameter int NumRegs  = 63,
    parameter int NumQuery = 2,
    parameter int NumWr    = 2,
`ifdef RF_NARROW
    localparam int NumPreds = 2,
`else
    localparam int NumPreds = 7,
`endif
    localparam int NumPw    = 2 * NumWr,
    localparam int WarpBits = NumWarps > 1 ? $clog2(NumWarps) : 1,
    localparam int RegBits  = $clog2(NumRegs)
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    // schedulers ask, and issue
    input  logic [NumQuery*WarpBits-1:0] q_warp_i,
    input  logic [NumQuery-1:0]          q_board_i,
    input  logic [NumQuery*64-1:0]       q_src_i,
    input  logic [NumQuery*64-1:0]       q_dst_i,
    input  logic [NumQuery*NumPreds-1:0] q_psrc_i,
    input  logic [NumQuery*NumPreds-1:0] q_pdst_i,
    input  logic [NumQuery*2-1:0]        q_act_i,
    output logic [NumQuery-1:0]          q_ready_o,
    output logic [NumQuery-1:0]          q_long_o,
    output logic [NumQuery-1:0]          q_skip_o,
    // results are written
    input  logic [NumWr-1:0]             wb_valid_i,
    input  logic [NumWr-1:0]             wb_pmode_i,
    input  logic [NumWr*WarpBits-1:0]    wb_warp_i,
    input  logic [NumWr*RegBits-1:0]     wb_reg_i,
    output logic [NumWr-1:0]             back_o,
    // predicates are written
    input  logic [NumPw-1:0]             pw_valid_i,
    input  logic [NumPw-1:0]             pw_pmode_i,
    input  logic [NumPw*WarpBits-1:0]    pw_warp_i,
    input  logic [NumPw*NumPreds-1:0]    pw_mask_i,
    output logic [NumPw*NumPreds-1:0]    pw_reach_o,
`ifdef RF_OBS
    // observation: rows, then parameters
    input  logic [31:0]                  obs_addr_i,
    output logic [319:0]                 obs_data_o,
`endif
    // a warp enters P-mode; a warp begins or ends
    input  logic                         sw_valid_i,
    input  logic [WarpBits-1:0]          sw_warp_i,
    input  logic [RegBits-1:0]           sw_reg_i,
    output logic                         sw_ok_o,
    input  logic                         clr_valid_i,
    input  logic [WarpBits-1:0]          clr_warp_i,
    output logic [NumWarps-1:0]          mode_o
);

    // Flip-flops, not memories: rows change in many places at once.
    (* mem2reg *) logic [NumRegs-1:0] n_pend_q [0:NumWarps-1];
    (* mem2reg *) logic [NumRegs-1:0] n_long_q [0:NumWarps-1];
    (* mem2reg *) logic [NumRegs-1:0] p_pend_q [0:NumWarps-1];
    (* mem2reg *) logic [NumRegs-1:0] p_long_q [0:NumWarps-1];
    (* mem2reg *) logic [RegBits-1:0] trig_q   [0:NumWarps-1];
    // Predicates: N's are never long. Rows of NumPreds, side by side.
    logic [NumWarps*NumPreds-1:0]     pn_wait_q, pp_wait_q, pp_skip_q;
    logic [NumWarps-1:0]              mode_q;
    assign mode_o = mode_q;

    // A warp's row of predicates.
    localparam int PredAt = $clog2(NumWarps * NumPreds + 1);
    function automatic [NumPreds-1:0] preds(input [NumWarps*NumPreds-1:0] rows, input [WarpBits-1:0] warp);
        preds = NumPreds'(rows >> PredAt'(warp) * PredAt'(NumPreds));
    endfunction

    // ---- Query
    for (genvar s = 0; s < NumQuery; s = s + 1) begin : g_query
        logic [WarpBits-1:0] warp;
        logic [NumRegs-1:0]  src, dst, n_pend, n_long, p_pend, p_long;
        logic [NumPreds-1:0] psrc, pdst, np_pend, pp_short, pp_long;
        logic                n_any, n_wait, held, waits, unknown;
        // what is written in this cycle
        logic [NumRegs-1:0]  n_done, p_done;
        logic [NumPreds-1:0] np_done, pp_done;
        always @* begin
            n_done  = '0;
            p_done  = '0;
            np_done = '0;
            pp_done = '0;
            for (int j = 0; j < NumWr; j = j + 1)
                if (wb_valid_i[j] && wb_warp_i[j*WarpBits +: WarpBits] == warp) begin
                    if (wb_pmode_i[j]) p_done[wb_reg_i[j*RegBits +: RegBits]] = 1'b1;
                    else               n_done[wb_reg_i[j*RegBits +: RegBits]] = 1'b1;
                end
            if (mode_q[warp])
                p_done = p_done | (n_done & p_pend & ~(n_long ^ p_long));
            for (int j = 0; j < NumPw; j = j + 1)
                if (pw_valid_i[j] && pw_warp_i[j*WarpBits +: WarpBits] == warp) begin
                    if (!pw_pmode_i[j]) np_done = np_done | pw_mask_i[j*NumPreds +: NumPreds];
                    pp_done = pp_done | pw_reach_o[j*NumPreds +: NumPreds];
                end
        end
        assign warp    = q_warp_i[s*WarpBits +: WarpBits];
        assign src     = q_src_i[s*64 +: NumRegs];
        assign dst     = q_dst_i[s*64 +: NumRegs];
        assign n_pend  = n_pend_q[warp];
        assign n_long  = n_long_q[warp];
        assign p_pend  = p_pend_q[warp];
        assign p_long  = p_long_q[warp];
        assign psrc     = q_psrc_i[s*NumPreds +: NumPreds];
        assign pdst     = q_pdst_i[s*NumPreds +: NumPreds];
        assign np_pend  = preds(pn_wait_q, warp) & ~np_done;
        assign pp_long  = preds(pp_skip_q, warp) & ~pp_done;
        assign pp_short = preds(pp_wait_q, warp) & ~preds(pp_skip_q, warp) & ~pp_done;
        assign n_any   = (n_pend & ~n_done & (src | dst)) != '0 || (np_pend & (psrc | pdst)) != '0;
        assign n_wait  = (n_long & ~n_done & (src | dst)) != '0;
        assign held    = ((p_pend & ~p_long & ~p_done & dst) != '0 || (pp_short & pdst) != '0);
        assign waits   = (p_pend & ~p_long & ~p_done & src) != '0 || (pp_short & psrc) != '0;
        assign unknown = (p_long & ~p_done & src) != '0 || (pp_long & psrc) != '0;
        assign q_ready_o[s] = q_board_i[s] ? !unknown && !waits && !held : !n_any;
        assign q_long_o[s]  = q_board_i[s] ? unknown : n_wait;
        assign q_skip_o[s]  = q_board_i[s] && unknown && !held;
    end
    // Registers that there are not.
    logic [NumQuery*2-1:0] unused_regs;
    for (genvar s = 0; s < NumQuery; s = s + 1) begin : g_unused
        assign unused_regs[s*2]     = ^q_src_i[s*64 + NumRegs +: 64 - NumRegs];
        assign unused_regs[s*2 + 1] = ^q_dst_i[s*64 + NumRegs +: 64 - NumRegs];
    end

    // ---- Switch and switch back
    logic [NumWr-1:0]   wb_n;        // a result of an instruction issued in N-mode
    logic [NumWr-1:0]   wb_sw;       // of the register that the switch waits for
    logic [NumRegs-1:0] sw_n_long, sw_p_pend;
    logic               sw_copies;
    assign wb_n      = wb_valid_i & ~wb_pmode_i;
    assign sw_n_long = n_long_q[sw_warp_i];
    assign sw_p_pend = p_pend_q[sw_warp_i];
    assign sw_ok_o   = sw_valid_i && sw_n_long[sw_reg_i] && wb_sw == '0 &&
        !(clr_valid_i && clr_warp_i == sw_warp_i) &&
        (mode_q[sw_warp_i] || (sw_p_pend == '0 && preds(pp_wait_q, sw_warp_i) == '0));
    assign sw_copies = sw_ok_o && !mode_q[sw_warp_i];
    for (genvar j = 0; j < NumWr; j = j + 1) begin : g_back
        logic [WarpBits-1:0] warp;
        logic [RegBits-1:0]  r;
        assign warp      = wb_warp_i[j*WarpBits +: WarpBits];
        assign r         = wb_reg_i[j*RegBits +: RegBits];
        assign wb_sw[j]  = wb_n[j] && warp == sw_warp_i && r == sw_reg_i;
        assign back_o[j] = wb_n[j] && mode_q[warp] &&
            (r == trig_q[warp]) &&
            !(clr_valid_i && clr_warp_i == warp) && !(sw_ok_o && sw_warp_i == warp);
    end

    // ---- Predicates. All warps are looked at: a row is short.
    for (genvar j = 0; j < NumPw; j = j + 1) begin : g_reach
        logic [WarpBits-1:0] warp;
        logic [NumPreds-1:0] waits, mask;
        assign warp  = pw_warp_i[j*WarpBits +: WarpBits];
        assign mask  = pw_valid_i[j] ? pw_mask_i[j*NumPreds +: NumPreds] : '0;
        assign waits = mode_q[warp] ? preds(pp_wait_q, warp) & ~preds(pp_skip_q, warp) : '0;
        assign pw_reach_o[j*NumPreds +: NumPreds] = pw_pmode_i[j] ? mask : mask & waits;
    end
    logic [NumWarps*NumPreds-1:0] pn_wait_d, pp_wait_d, pp_skip_d;
    for (genvar w = 0; w < NumWarps; w = w + 1) begin : g_preds
        logic [NumPreds-1:0] n, p, l, dst, n_done, p_done;
        logic                back;
        always @* begin
            n_done = '0;
            p_done = '0;
            back   = 1'b0;
            for (int j = 0; j < NumPw; j = j + 1)
                if (pw_valid_i[j] && 32'(pw_warp_i[j*WarpBits +: WarpBits]) == w) begin
                    if (!pw_pmode_i[j]) n_done = n_done | pw_mask_i[j*NumPreds +: NumPreds];
                    p_done = p_done | pw_reach_o[j*NumPreds +: NumPreds];
                end
            for (int j = 0; j < NumWr; j = j + 1)
                back = back || (back_o[j] && 32'(wb_warp_i[j*WarpBits +: WarpBits]) == w);
            n = pn_wait_q[w*NumPreds +: NumPreds] & ~n_done;
            p = pp_wait_q[w*NumPreds +: NumPreds] & ~p_done;
            l = pp_skip_q[w*NumPreds +: NumPreds] & ~p_done;
            for (int s = 0; s < NumQuery; s = s + 1) begin
                dst = q_pdst_i[s*NumPreds +: NumPreds];
                if (ev_en[s] && 32'(q_warp_i[s*WarpBits +: WarpBits]) == w) begin
                    if (!q_board_i[s]) n = n | dst;
                    else if (!q_act_i[s*2 + 1]) begin
                        p = p | dst;
                        l = l & ~dst;
                    end else begin
                        p = p & ~dst;
                        l = l | dst;
                    end
                end
            end
            if (sw_copies && 32'(sw_warp_i) == w) begin
                p = n;
                l = '0;
            end else if (back) begin
                p = p & ~l & ~n;
                l = '0;
            end
            if (clr_valid_i && 32'(clr_warp_i) == w) begin
                n = '0;
                p = '0;
                l = '0;
            end
        end
        assign pn_wait_d[w*NumPreds +: NumPreds] = n;
        assign pp_wait_d[w*NumPreds +: NumPreds] = p;
        assign pp_skip_d[w*NumPreds +: NumPreds] = l;
    end

    // ---- Next rows, for each warp that something happens to: the warps of the acts, of the
    // writebacks and of the switch. Ports that name the same warp come to the same row.
    localparam int Events = NumQuery + NumWr + 1;
    logic [Events-1:0]          ev_en;
    logic [Events*WarpBits-1:0] ev_warp;
    logic [Events*NumRegs-1:0]  n_pend_d, n_long_d, p_pend_d, p_long_d;
    for (genvar s = 0; s < NumQuery; s = s + 1) begin : g_ev_act
        assign ev_en[s] = q_act_i[s*2 +: 2] == 2'd1 || q_act_i[s*2 +: 2] == 2'd2;
    end
    assign ev_en[NumQuery +: NumWr] = wb_valid_i;
    assign ev_en[Events-1]          = sw_copies;
    assign ev_warp                  = {sw_warp_i, wb_warp_i, q_warp_i};
    for (genvar e = 0; e < Events; e = e + 1) begin : g_event
        logic [WarpBits-1:0] warp;
        logic [NumRegs-1:0]  n_pend, n_long, p_pend, p_long;  // now
        logic [NumRegs-1:0]  n_done, p_done, np, nl, pp, pl, dst;
        logic                back;
        assign warp   = ev_warp[e*WarpBits +: WarpBits];
        assign n_pend = n_pend_q[warp];
        assign n_long = n_long_q[warp];
        assign p_pend = p_pend_q[warp];
        assign p_long = p_long_q[warp];
        always @* begin
            n_done = '0;
            p_done = '0;
            back   = 1'b0;
            for (int j = 0; j < NumWr; j = j + 1)
                if (wb_valid_i[j] && wb_warp_i[j*WarpBits +: WarpBits] == warp) begin
                    if (wb_pmode_i[j]) p_done[wb_reg_i[j*RegBits +: RegBits]] = 1'b1;
                    else               n_done[wb_reg_i[j*RegBits +: RegBits]] = 1'b1;
                    back = back || back_o[j];
                end
            // what N-mode has written, P-mode reads, unless it has another meaning there by now
            if (mode_q[warp])
                p_done = p_done | (n_done & p_pend & (~(n_long ^ p_long)));
            np = n_pend & ~n_done;
            nl = n_long & ~n_done;
            pp = p_pend & ~p_done;
            pl = p_long & ~p_done;
            for (int s = 0; s < NumQuery; s = s + 1) begin
                dst = q_dst_i[s*64 +: NumRegs];
                if (ev_en[s] && q_warp_i[s*WarpBits +: WarpBits] == warp) begin
                    if (!q_board_i[s]) begin
                        np = np | dst;
                        nl = q_act_i[s*2 + 1] ? nl | dst : nl & ~dst;
                    end else if (!q_act_i[s*2 + 1]) begin
                        pp = pp | dst;
                        pl = pl & ~dst;
                    end else begin
                        pp = pp & ~dst;
                        pl = pl | dst;
                    end
                end
            end
            if (sw_copies && sw_warp_i == warp) begin
                pp = np;
                pl = nl;
            end else if (back) begin
                pp = pp & ~pl & ~(np & ~nl);
                pl = '0;
            end
        end
        assign n_pend_d[e*NumRegs +: NumRegs] = np;
        assign n_long_d[e*NumRegs +: NumRegs] = nl;
        assign p_pend_d[e*NumRegs +: NumRegs] = pp;
        assign p_long_d[e*NumRegs +: NumRegs] = pl;
    end

    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            mode_q    <= '0;
            pn_wait_q <= '0;
            pp_wait_q <= '0;
            pp_skip_q <= '0;
            for (int w = 0; w < NumWarps; w = w + 1) begin
                n_pend_q[w] <= '0;
                n_long_q[w] <= '0;
                p_pend_q[w] <= '0;
                p_long_q[w] <= '0;
                trig_q[w]   <= '0;
            end
        end else begin
            pn_wait_q <= pn_wait_d;
            pp_wait_q <= pp_wait_d;
            pp_skip_q <= pp_skip_d;
            for (int e = 0; e < Events; e = e + 1)
                if (ev_en[e]) begin
                    n_pend_q[ev_warp[e*WarpBits +: WarpBits]] <= n_pend_d[e*NumRegs +: NumRegs];
                    n_long_q[ev_warp[e*WarpBits +: WarpBits]] <= n_long_d[e*NumRegs +: NumRegs];
                    p_pend_q[ev_warp[e*WarpBits +: WarpBits]] <= p_pend_d[e*NumRegs +: NumRegs];
                    p_long_q[ev_warp[e*WarpBits +: WarpBits]] <= p_long_d[e*NumRegs +: NumRegs];
                end
            for (int j = 0; j < NumWr; j = j + 1)
                if (back_o[j]) mode_q[wb_warp_i[j*WarpBits +: WarpBits]] <= 1'b0;
            if (sw_ok_o) begin
                mode_q[sw_warp_i] <= 1'b1;
                trig_q[sw_warp_i] <= sw_reg_i;
            end
            if (clr_valid_i) begin
                mode_q[clr_warp_i]   <= 1'b0;
                trig_q[clr_warp_i]   <= '0;
                n_pend_q[clr_warp_i] <= '0;
                n_long_q[clr_warp_i] <= '0;
                p_pend_q[clr_warp_i] <= '0;
                p_long_q[clr_warp_i] <= '0;
            end
        end
    end

`ifdef RF_OBS
    logic [WarpBits-1:0] obs_warp;
    logic [NumRegs-1:0]  obs_n_pend, obs_n_long, obs_p_pend, obs_p_long;
    logic [RegBits-1:0]  obs_trig;
    assign obs_warp   = WarpBits'(obs_addr_i);
    assign obs_n_pend = n_pend_q[obs_warp];
    assign obs_n_long = n_long_q[obs_warp];
    assign obs_p_pend = p_pend_q[obs_warp];
    assign obs_p_long = p_long_q[obs_warp];
    assign obs_trig   = trig_q[obs_warp];
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i < NumWarps) begin
            obs_data_o[0 +: NumRegs]   = obs_n_pend;
            obs_data_o[64 +: NumRegs]  = obs_n_long;
            obs_data_o[128 +: NumRegs] = obs_p_pend;
            obs_data_o[192 +: NumRegs] = obs_p_long;
            obs_data_o[256]            = mode_q[obs_warp];
            obs_data_o[257 +: RegBits] = obs_trig;
            obs_data_o[288 +: NumPreds] = preds(pn_wait_q, obs_warp);
            obs_data_o[296 +: NumPreds] = preds(pp_wait_q, obs_warp);
            obs_data_o[304 +: NumPreds] = preds(pp_skip_q, obs_warp);
        end else if (obs_addr_i == 32'hffff_0000) obs_data_o[31:0] = NumWarps;
        else if (obs_addr_i == 32'hffff_0001) obs_data_o[31:0] = NumRegs;
        else if (obs_addr_i == 32'hffff_0002) obs_data_o[31:0] = NumQuery;
        else if (obs_addr_i == 32'hffff_0003) obs_data_o[31:0] = NumWr;
    end
`endif

`ifdef SIM
    initial begin
        if (NumWarps < 1 || NumWarps > 64)
            $fatal(1, "dual_scoreboard: NumWarps = %0d, legal is 1..64", NumWarps);
        if (NumRegs < 2 || NumRegs > 63)
            $fatal(1, "dual_scoreboard: NumRegs = %0d, legal is 2..63", NumRegs);
        if (NumQuery < 1 || NumQuery > 4)
            $fatal(1, "dual_scoreboard: NumQuery = %0d, legal is 1..4", NumQuery);
        if (NumWr < 1 || NumWr > 4)
            $fatal(1, "dual_scoreboard: NumWr = %0d, legal is 1..4", NumWr);
    end
`endif

`ifdef FORMAL
    // Contract, for any warp f_w and column f_r, a register or (NumRegs and above) a predicate, in an SM
    // that keeps to the verdicts: the boards, which know no instruction by name, say what a bookkeeper
    // with names says:
    //   f_n   the result outstanding of an instruction issued in N-mode: none, short or long
    //   f_out a renamed write is outstanding
    //   f_p   what P-mode knows: the value is there; it waits for N's result (short, long); it waits
    //         for its renamed one; it is unknown
    // At most one renamed write is outstanding; N's board is nobody's but N's; P-mode ends.
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
    // After the results of this cycle: what a query sees.
    logic       f_n_done, f_p_done;
    logic [1:0] f_n_now;
    logic [2:0] f_p_now;
    assign f_n_now = f_n_done ? 2'd0 : f_n;
    assign f_p_now = (f_n_done && (f_p == ForShort || f_p == ForLong)) || (f_p_done && f_p == Renamed) ? There : f_p;

    // What happens to f_w, at the ports.
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
                // N: waits for what is outstanding, switches for what is long
                if ((src || dst) && f_n_now != 2'd0) assert (!q_ready_o[s]);
                if ((src || dst) && f_n_now == 2'd2) assert (q_long_o[s]);
                assert (!q_skip_o[s]);
            end
            if (f_past && here && q_board_i[s] && f_mode) begin
                // P: skips what depends on the unknown or on N's loads, waits for short results
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
            // environment: only what is outstanding is written
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
            // P-mode ends: what it waits for is outstanding
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
`endif
endmodule
