// SPDX-License-Identifier: Apache-2.0
// Purpose:    two tables per warp from architected registers to the physical registers that hold
//             pre-executed results. P is that of the P-mode session, N that of the results that
//             N-mode took over. Contract, and the owner of a physical register over time:
//             models/pmode/pmode_rename.h.
// Parameters: NumWarps, 1..64; NumRegs, 2..63: architected registers; NumPhy, 1..256: physical
//             registers of renaming. NumIssue, 1..4: instructions renamed per cycle; NumOps, 1..3:
//             sources of an instruction. The widths follow.
// Timing:     src_*_o, dst_*_o answer lk_*_i in the same cycle from state; free_*_o below
//             2*NumIssue also from set_*_i. Sets and ends take effect at the clock edge. Outputs
//             free_*_o[2*NumIssue] and busy_o depend on state alone; that mapping leaves at the
//             clock edge.
// Reset:      no register renamed, no table being taken down. Ids are not reset.
// Left out:   bank and entry of an id. A table is a memory of NumWarps rows of NumRegs ids, read by
//             one port per instruction and one for taking down. Taking down therefore releases one
//             id per cycle. The bits renamed and own are flip-flops, so that a session ends in one
//             cycle.
// Shapes:     - ; NumWarps=1,NumRegs=2,NumPhy=1,NumIssue=1,NumOps=1
// Shapes:     NumWarps=5,NumRegs=16,NumPhy=100,NumIssue=3,NumOps=2
// Long proof: 1:8:NumWarps=2,NumRegs=2,NumPhy=4,NumIssue=2,NumOps=1
// Proof:      1:8:NumWarps=3,NumRegs=3,NumPhy=3,NumIssue=1,NumOps=2

`include "macros.svh"

module pmode_rename #(
    parameter int NumWarps = 48,
    parameter int NumRegs  = 63,
    parameter int NumPhy   = 128,
    parameter int NumIssue = 2,
    parameter int NumOps   = 3,
    localparam int WarpBits = NumWarps > 1 ? $clog2(NumWarps) : 1,
    localparam int RegBits  = $clog2(NumRegs + 1),
    localparam int PhyBits  = NumPhy > 1 ? $clog2(NumPhy) : 1
) (
    input  logic                               clk_i,
    input  logic                               rst_ni,
    // instructions look their registers up
    input  logic [NumIssue*WarpBits-1:0]       lk_warp_i,
    input  logic [NumIssue-1:0]                lk_pmode_i,
    input  logic [NumIssue*NumOps*RegBits-1:0] lk_src_i,
    input  logic [NumIssue*RegBits-1:0]        lk_dst_i,
    input  logic [NumIssue-1:0]                lk_pair_i,
    output logic [NumIssue*NumOps-1:0]         src_renamed_o,
    output logic [NumIssue*NumOps*PhyBits-1:0] src_phy_o,
    output logic [2*NumIssue-1:0]              dst_renamed_o,
    output logic [2*NumIssue*PhyBits-1:0]      dst_phy_o,
    // the mapping of a destination changes
    input  logic [NumIssue-1:0]                set_valid_i,
    input  logic [NumIssue-1:0]                set_kill_i,
    input  logic [NumIssue-1:0]                set_own_i,
    input  logic [2*NumIssue*PhyBits-1:0]      set_phy_i,
    // a session or a warp ends
    input  logic                               end_valid_i,
    input  logic                               end_all_i,
    input  logic [WarpBits-1:0]                end_warp_i,
    // observation: mappings, then tables being taken down, then parameters
    `OBS_PORT(input  logic [31:0]                        obs_addr_i)
    `OBS_PORT(output logic [31:0]                        obs_data_o)
    // mappings died: by set, and by taking down
    output logic [2*NumIssue:0]                free_valid_o,
    output logic [(2*NumIssue+1)*PhyBits-1:0]  free_phy_o,
    output logic [NumWarps-1:0]                busy_o
);

    localparam int Row  = NumRegs * PhyBits;
    localparam int IdAt = $clog2(Row);
    localparam int RegIdx = $clog2(NumRegs);

    logic [Row-1:0]      n_phy_q [0:NumWarps-1];
    logic [Row-1:0]      p_phy_q [0:NumWarps-1];
    // Flip-flops, not memories: bits of a row change in many places at once.
    (* mem2reg *) logic [NumRegs-1:0] n_ren_q [0:NumWarps-1];
    (* mem2reg *) logic [NumRegs-1:0] p_ren_q [0:NumWarps-1];
    (* mem2reg *) logic [NumRegs-1:0] own_q   [0:NumWarps-1];  // has a meaning where p_ren_q is 1
    logic [NumWarps-1:0] close_p_q, close_n_q;

    // ---- Lookup, and what a set does to the mappings that are there. c = 2*i + k: word k of port i.
    localparam int Words = 2 * NumIssue;
    logic [Words-1:0]        set_p, set_n;  // the set takes place in that table
    logic [Words*RegIdx-1:0] dst_idx;       // as an index of a row
    for (genvar i = 0; i < NumIssue; i = i + 1) begin : g_port
        logic [WarpBits-1:0]    warp;
        logic [RegBits-1:0]     dst;
        logic [Row-1:0]         n_ids, p_ids;
        logic [NumRegs-1:0]     n_ren, p_ren, n_map, p_map, own;
        logic                   pmode, second;
        assign warp  = lk_warp_i[i*WarpBits +: WarpBits];
        assign pmode = lk_pmode_i[i];
        assign n_ids = n_phy_q[warp];
        assign p_ids = p_phy_q[warp];
        assign n_map = n_ren_q[warp];
        assign p_map = p_ren_q[warp];
        assign own   = own_q[warp];
        assign n_ren = close_n_q[warp]
            ? '0 : n_map;
        assign p_ren = !pmode || close_p_q[warp] ? '0 : p_map;
        for (genvar o = 0; o < NumOps; o = o + 1) begin : g_src
            logic [RegBits-1:0] number;
            logic [RegIdx-1:0]  r;
            assign number = lk_src_i[(i*NumOps + o)*RegBits +: RegBits];
            assign r      = RegIdx'(number);
            assign src_renamed_o[i*NumOps + o] = 32'(number) < NumRegs && (p_ren[r] || n_ren[r]);
            assign src_phy_o[(i*NumOps + o)*PhyBits +: PhyBits] = p_ren[r]
                ? p_ids[IdAt'(r)*IdAt'(PhyBits) +: PhyBits]
                : n_ids[IdAt'(r)*IdAt'(PhyBits) +: PhyBits];
        end
        assign dst = lk_dst_i[i*RegBits +: RegBits];
        if (i == 0) begin : g_first
            assign second = 1'b0;
        end else begin : g_later
            logic [i-1:0] same;
            for (genvar l = 0; l < i; l = l + 1) begin : g_lower
                assign same[l] = set_valid_i[l] && lk_warp_i[l*WarpBits +: WarpBits] == warp;
            end
            assign second = same != '0;
        end
        for (genvar k = 0; k < 2; k = k + 1) begin : g_word
            localparam int C = 2 * i + k;
            logic [RegBits-1:0] number;
            logic [RegIdx-1:0]  at;
            logic               known, set;
            // a pair is aligned: its second word has the number of the first with bit 0 set
            assign number = dst | RegBits'(k);
            assign known  = 32'(number) < NumRegs && (k == 0 || (lk_pair_i[i] && !dst[0]));
            assign at     = RegIdx'(number);
            assign dst_idx[C*RegIdx +: RegIdx] = at;
            assign dst_renamed_o[C] = known && (p_ren[at] || n_ren[at]);
            assign dst_phy_o[C*PhyBits +: PhyBits] = p_ren[at]
                ? p_ids[IdAt'(at)*IdAt'(PhyBits) +: PhyBits]
                : n_ids[IdAt'(at)*IdAt'(PhyBits) +: PhyBits];
            assign set      = set_valid_i[i] && known && !second;
            assign set_p[C] = set && pmode && !close_p_q[warp];
            assign set_n[C] = set && !pmode && !close_n_q[warp];
            assign free_valid_o[C] = ((set_p[C] && p_map[at] && own[at]) ||
                 (set_n[C] && n_map[at]));
            assign free_phy_o[C*PhyBits +: PhyBits] = pmode
                ? p_ids[IdAt'(at)*IdAt'(PhyBits) +: PhyBits]
                : n_ids[IdAt'(at)*IdAt'(PhyBits) +: PhyBits];
        end
    end

    // ---- Taking down: the lowest warp, its P-table first, the lowest renamed register
    logic [NumWarps-1:0] closing, warp_one;
    logic [WarpBits-1:0] down_warp;
    logic                down, down_p, down_last;
    logic [NumRegs-1:0]  down_ren, reg_one;
    logic [RegIdx-1:0]   down_reg;
    logic [Row-1:0]      down_ids;
    assign closing  = close_p_q | close_n_q;
    assign down     = closing != '0;
    assign warp_one = closing & (~closing + NumWarps'(1));
    onehot_index #(.Width(NumWarps)) u_down_warp (
        .one_i(warp_one), .index_o(down_warp)
    );
    onehot_index #(.Width(NumRegs)) u_down_reg (
        .one_i(reg_one), .index_o(down_reg)
    );
    assign down_p    = close_p_q[down_warp];
    assign down_ren  = !down ? '0 : down_p ? p_ren_q[down_warp] : n_ren_q[down_warp];
    assign down_ids  = down_p ? p_phy_q[down_warp] : n_phy_q[down_warp];
    assign reg_one   = down_ren & (~down_ren + NumRegs'(1));
    assign down_last = down_ren == reg_one;
    assign free_valid_o[Words] = down_ren != '0;
    assign free_phy_o[Words*PhyBits +: PhyBits] =
        down_ids[IdAt'(down_reg)*IdAt'(PhyBits) +: PhyBits];
    assign busy_o = closing;

    // ---- Next rows, for each warp with an event: the warps of the sets, of taking down and of an
    // end. Ports that name the same warp select the same rows. Nothing else changes a table that is
    // being taken down.
    localparam int Events = NumIssue + 2;
    logic [Events-1:0]          ev_en;
    logic [Events*WarpBits-1:0] ev_warp;
    logic [Events*NumRegs-1:0]  n_ren_d, p_ren_d, own_d;
    for (genvar i = 0; i < NumIssue; i = i + 1) begin : g_ev_set
        assign ev_en[i] = (set_p[2*i +: 2] | set_n[2*i +: 2]) != '0;
    end
    assign ev_en[NumIssue +: 2] = {end_valid_i, free_valid_o[Words]};
    assign ev_warp = {end_warp_i, down_warp, lk_warp_i};
    for (genvar e = 0; e < Events; e = e + 1) begin : g_event
        logic [WarpBits-1:0] warp;
        logic [NumRegs-1:0]  n_now, p_now, own_now, n, p, own, dst;
        logic                ends;
        assign warp    = ev_warp[e*WarpBits +: WarpBits];
        assign n_now   = n_ren_q[warp];
        assign p_now   = p_ren_q[warp];
        assign own_now = own_q[warp];
        always @* begin
            n    = n_now;
            p    = p_now;
            own  = own_now;
            ends = end_valid_i && end_warp_i == warp;
            if (ends) p = p & own;
            if (free_valid_o[Words] && down_warp == warp) begin
                if (down_p) p = p & ~reg_one;
                else        n = n & ~reg_one;
            end
            for (int c = 0; c < Words; c = c + 1) begin
                dst = NumRegs'(1) << dst_idx[c*RegIdx +: RegIdx];
                if (lk_warp_i[c/2*WarpBits +: WarpBits] == warp) begin
                    if (set_n[c]) n = set_kill_i[c/2] ? n & ~dst : n | dst;
                    // a mapping that the session borrowed ends with it, also one that is set in
                    // this cycle
                    if (set_p[c])
                        p = !set_kill_i[c/2] && (set_own_i[c/2] || !ends) ? p | dst : p & ~dst;
                    if (set_p[c]) own = set_own_i[c/2] ? own | dst : own & ~dst;
                end
            end
        end
        assign n_ren_d[e*NumRegs +: NumRegs] = n;
        assign p_ren_d[e*NumRegs +: NumRegs] = p;
        assign own_d[e*NumRegs +: NumRegs]   = own;
    end

    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            close_p_q <= '0;
            close_n_q <= '0;
            for (int w = 0; w < NumWarps; w = w + 1) begin
                n_ren_q[w] <= '0;
                p_ren_q[w] <= '0;
                own_q[w]   <= '0;
            end
        end else begin
            if (down && down_last) begin
                if (down_p) close_p_q[down_warp] <= 1'b0;
                else        close_n_q[down_warp] <= 1'b0;
            end
            if (end_valid_i) begin
                close_p_q[end_warp_i] <= 1'b1;
                if (end_all_i) close_n_q[end_warp_i] <= 1'b1;
            end
            for (int e = 0; e < Events; e = e + 1)
                if (ev_en[e]) begin
                    n_ren_q[ev_warp[e*WarpBits +: WarpBits]] <= n_ren_d[e*NumRegs +: NumRegs];
                    p_ren_q[ev_warp[e*WarpBits +: WarpBits]] <= p_ren_d[e*NumRegs +: NumRegs];
                    own_q[ev_warp[e*WarpBits +: WarpBits]]   <= own_d[e*NumRegs +: NumRegs];
                end
        end
    end
    // The ids: memories without reset.
    always_ff @(posedge clk_i) begin
        for (int c = 0; c < Words; c = c + 1) begin
            if (set_n[c])
                n_phy_q[lk_warp_i[c/2*WarpBits +: WarpBits]]
                       [32'(dst_idx[c*RegIdx +: RegIdx])*PhyBits +: PhyBits] <=
                    set_phy_i[c*PhyBits +: PhyBits];
            if (set_p[c])
                p_phy_q[lk_warp_i[c/2*WarpBits +: WarpBits]]
                       [32'(dst_idx[c*RegIdx +: RegIdx])*PhyBits +: PhyBits] <=
                    set_phy_i[c*PhyBits +: PhyBits];
        end
    end

    `CHECK_RANGE(pmode_rename, NumWarps, 1, 64)
    `CHECK_RANGE(pmode_rename, NumRegs, 2, 63)
    `CHECK_RANGE(pmode_rename, NumPhy, 1, 256)
    `CHECK_RANGE(pmode_rename, NumIssue, 1, 4)
    `CHECK_RANGE(pmode_rename, NumOps, 1, 3)
    `include "pmode/pmode_rename.obs.svh"
endmodule
