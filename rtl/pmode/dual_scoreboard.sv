// SPDX-License-Identifier: Apache-2.0
// Purpose:    the N- and the P-scoreboard of every warp, its mode bit, and the switches of that
//             mode. They decide whether an instruction may issue, waits, is skipped in P-mode, or
//             sends its warp there. Contract: models/pmode/dual_scoreboard.h.
// Parameters: NumWarps, 1..64; NumRegs, 2..63: architected registers; NumQuery, 1..4: instructions
//             queried and issued per cycle. NumWr, 1..4: results written per cycle, and twice as
//             many instructions whose predicates are. The widths follow.
// Timing:     pw_reach_o answers in the same cycle from state. Outputs q_*_o answer from state and
//             wb_i, pw_i of the cycle, which clear their registers and predicates. Outputs sw_ok_o
//             and back_o answer from state, sw_i, wb_i, clr_i. Output mode_o depends on state
//             alone. Acts, writebacks, switches and clears take effect at the clock edge.
// Reset:      all registers ready in both boards, all warps in N-mode, triggers 0.
// Left out:   values of predicates, outstanding reads, SIMT stacks. Rows are flip-flops. Every
//             event of a cycle reads the row of its warp, and writes it with all events of that
//             warp merged in. The copy at a switch thus takes one cycle and costs a row-wide
//             multiplexer.
// Shapes:     - ; NumWarps=1,NumRegs=2,NumQuery=1,NumWr=1
// Shapes:     NumWarps=5,NumRegs=33,NumQuery=4,NumWr=3
// Proof:      1:7:NumWarps=2,NumRegs=2,NumQuery=1,NumWr=2
// Proof:      1:7:NumWarps=2,NumRegs=3,NumQuery=2,NumWr=1

`include "macros.svh"

module dual_scoreboard #(
    parameter int NumWarps = 48,
    parameter int NumRegs  = 63,
    parameter int NumQuery = 2,
    parameter int NumWr    = 2,
    localparam int NumPreds = `NARROW(2, 7),
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
    // observation: rows, then parameters
    `OBS_PORT(input  logic [31:0]                  obs_addr_i)
    `OBS_PORT(output logic [319:0]                 obs_data_o)
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
        // registers and predicates written in this cycle
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

    // ---- Next rows, for each warp with an event: the warps of the acts, of the writebacks and of
    // the switch. Ports that name the same warp select the same row.
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
            // P-mode reads a result of N-mode, unless the register has another meaning there by now
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

    `CHECK_RANGE(dual_scoreboard, NumWarps, 1, 64)
    `CHECK_RANGE(dual_scoreboard, NumRegs, 2, 63)
    `CHECK_RANGE(dual_scoreboard, NumQuery, 1, 4)
    `CHECK_RANGE(dual_scoreboard, NumWr, 1, 4)
    `include "pmode/dual_scoreboard.obs.svh"
endmodule
