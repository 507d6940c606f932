// SPDX-License-Identifier: Apache-2.0
// Purpose:    places the registers that are written: the free register map and the search for free
//             byte slices. The policies are first fit, pair (CORF) and align (CORF++). The unit
//             also grows, shrinks and frees registers and stores the compiler's hints. A port
//             decides for its register (alloc_request), a bank finds places (alloc_bank). This
//             level orders ports that select the same row, holds slices that wait for their
//             release, and lets reservations yield. Contract: models/rename/alloc_unit.h.
// Parameters: Banks, 1..32, and Entries, 2..1024, of the register file; Warps, 1..64; NumWr, 1..4:
//             requests per cycle; NumFree, 1..8: registers freed per cycle. NumKernels, 1..8:
//             kernel slots with hints; NumAlloc, 1..4: registers whose hints are looked up per
//             cycle. The other widths follow.
// Timing:     al_ outputs answer rq_ inputs in the same cycle and take effect at the clock edge. A
//             place is in one of five open rows per bank (alloc_bank), which are registers, or in
//             the row read in the previous cycle. Path: fits, row of the bank, bank, conflict
//             between ports, open row. Inputs rq_bd_ reach registers only; rq_ready_o and
//             fr_ready_o depend on state alone. Hints: ha_ one cycle after hq_. Long path (45 nm,
//             1.52 ns, one cycle): kind of a request, row looked up, operation selected, open row
//             of its entry. From yield_q to an open row: 1.64 ns.
// Reset:      nothing in use, no reservations, no hints, port 0 first; the maps are cleared word by word.
// Left out:   the walk over a warp's registers at its exit.
// Cost:       the maps are memories (alloc_bank); each port that releases slices has a register.
//             The map has 1 reservation bit per entry more than the paper's 512 bytes. Cells: 0.022
//             mm2 (45 nm).
// Shapes:     -
// Shapes:     Banks=1,Entries=2,Warps=1,NumWr=1,NumFree=1,NumKernels=1,NumAlloc=1
// Shapes:     Banks=3,Entries=20,Warps=5,NumWr=4,NumFree=3,NumKernels=3,NumAlloc=3
// Proof:      sat:12:Banks=2,Entries=2,Warps=2,NumWr=2,NumFree=1,NumKernels=1,NumAlloc=1
// Proof:      sat:12:Banks=3,Entries=2,Warps=1,NumWr=1,NumFree=2,NumKernels=1,NumAlloc=1
// Cut:        g_bank*.u_bank u_hints u_count

`include "macros.svh"

module alloc_unit #(
    parameter int Banks      = 4,
    parameter int Entries    = 256,
    parameter int Warps      = 48,
    parameter int NumWr      = 2,
    parameter int NumFree    = 4,
    parameter int NumKernels = 8,
    parameter int NumAlloc   = 2,
    localparam int BankBits       = Banks > 1 ? $clog2(Banks) : 1,
    localparam int EntryBits      = Entries > 1 ? $clog2(Entries) : 1,
    localparam int WarpBits       = Warps > 1 ? $clog2(Warps) : 1,
    localparam int KernelBits     = NumKernels > 1 ? $clog2(NumKernels) : 1,
    localparam int WrBits         = NumWr > 1 ? $clog2(NumWr) : 1,
    localparam int SliceCountBits = $clog2(4*Banks*Entries + 1),
    localparam int RegCountBits   = $clog2(Banks*Entries + 1)
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic [1:0]                   policy_i,
    input  logic                         cfg_grow_i,
    input  logic                         cfg_order_i,
    // rows that a request may use in the next cycle
    input  logic [NumWr-1:0]             lk_valid_i,
    input  logic [NumWr*BankBits-1:0]    lk_bank_i,
    input  logic [NumWr*EntryBits-1:0]   lk_entry_i,
    // registers that are written
    input  logic [NumWr-1:0]             rq_valid_i,
    input  logic [NumWr*WarpBits-1:0]    rq_warp_i,
    input  logic [NumWr*6-1:0]           rq_reg_i,
    input  logic [NumWr*2-1:0]           rq_kind_i,
    input  logic [NumWr*3-1:0]           rq_size_i,
    input  logic [NumWr*2-1:0]           rq_align_i,
    input  logic [NumWr-1:0]             rq_pair_i,
    input  logic [NumWr*BankBits-1:0]    rq_old_bank_i,
    input  logic [NumWr*EntryBits-1:0]   rq_old_entry_i,
    input  logic [NumWr*4-1:0]           rq_old_mask_i,
    input  logic [NumWr*BankBits-1:0]    rq_bd_bank_i,
    input  logic [NumWr*EntryBits-1:0]   rq_bd_entry_i,
    input  logic [NumWr*4-1:0]           rq_bd_mask_i,
    // registers that are freed
    input  logic [NumFree-1:0]           fr_valid_i,
    input  logic [NumFree*BankBits-1:0]  fr_bank_i,
    input  logic [NumFree*EntryBits-1:0] fr_entry_i,
    input  logic [NumFree*4-1:0]         fr_mask_i,
    // hints: loaded, looked up
    input  logic                         hl_valid_i,
    input  logic [1:0]                   hl_op_i,
    input  logic [KernelBits-1:0]        hl_kernel_i,
    input  logic [5:0]                   hl_reg_i,
    input  logic [5:0]                   hl_value_i,
    input  logic [NumAlloc-1:0]          hq_valid_i,
    input  logic [NumAlloc*KernelBits-1:0] hq_kernel_i,
    input  logic [NumAlloc*6-1:0]        hq_reg_i,
    // observation: map, candidates, hints, the rest, then parameters
    `OBS_PORT(input  logic [31:0]                  obs_addr_i)
    `OBS_PORT(output logic [127:0]                 obs_data_o)
    output logic [NumFree-1:0]           fr_ready_o,
    output logic [NumWr-1:0]             rq_ready_o,
    // where they live from now on
    output logic [NumWr-1:0]             al_done_o,
    output logic [NumWr-1:0]             al_none_o,
    output logic [NumWr*2-1:0]           al_kind_o,
    output logic [NumWr*3-1:0]           al_how_o,
    output logic [NumWr*BankBits-1:0]    al_bank_o,
    output logic [NumWr*EntryBits-1:0]   al_entry_o,
    output logic [NumWr*4-1:0]           al_mask_o,
    // hints
    output logic [NumAlloc-1:0]          ha_valid_o,
    output logic [NumAlloc-1:0]          ha_pair_o,
    output logic [NumAlloc*6-1:0]        ha_buddy_o,
    output logic [NumAlloc*2-1:0]        ha_align_o,
    // counts
    output logic [SliceCountBits-1:0]    used_slices_o,
    output logic [RegCountBits-1:0]      used_regs_o
);

    localparam int NumGive  = 2*NumFree + 2*NumWr;
    localparam int FreeAlso = NumFree + 2*NumWr;     // the second give registers of free ports
    localparam int LocBits  = BankBits + EntryBits;
    localparam logic [1:0] Keep = 2'd0;

    `OBS(localparam int Open    = 5;)
    `OBS(localparam int Groups  = (Entries + 15) / 16;)
    `OBS(localparam int NumMap  = Banks * Groups;)
    `OBS(localparam int NumRow  = Banks * Open;)
    `OBS(localparam int NumHint = NumKernels * 64;)
    `OBS(localparam int NumObs  = NumMap + NumRow + Banks + NumHint + 1;)

    // ---- State of this level
    logic [WrBits-1:0]          turn_q;
    logic                       yield_q, yield_new_q;
    logic [NumGive-1:0]         give_q;          // free ports, request ports, these again, those again
    logic [NumGive*LocBits-1:0] give_loc_q;
    logic [NumGive*4-1:0]       give_mask_q;
    logic [NumWr-1:0]           moved_q, was_lost_q, was_full_q, was_left_q, was_right_q;  // of the cycle before
    logic [NumWr*3-1:0]         was_size_q;
    logic [NumWr*4-1:0]         was_mask_q;
    logic [NumFree*4-1:0]       was_free_q;

    // ---- The banks: what is by port, too, has port w of bank b at w * Banks + b, or at b * NumWr + w
    logic [Banks-1:0]                 may_full, bank_room, bank_short, whole, less;
    logic [NumWr*Banks-1:0]           bank_known, looking, may, fit, side;
    logic [Banks*4-1:0]               bank_mask;
    logic [NumWr*Banks*EntryBits-1:0] at_entry;
    logic [NumWr*Banks*4-1:0]         at_mask;
    logic [Banks*NumWr-1:0]           more;
    logic [Banks*NumWr*NumWr-1:0]     same;
    logic [Banks*NumGive-1:0]         pops;
    logic [NumGive-1:0]               pop, push;
    logic [NumGive*LocBits-1:0]       push_loc;
    logic [NumGive*4-1:0]             push_mask;
    always @* begin
        pop = '0;
        for (int b = 0; b < Banks; b = b + 1) pop = pop | pops[b*NumGive +: NumGive];
    end
    assign fr_ready_o = ~(give_q[0 +: NumFree] & give_q[FreeAlso +: NumFree]);
    assign rq_ready_o = ~(give_q[NumFree +: NumWr] & give_q[NumFree + NumWr +: NumWr]);

    // ---- Requests
    logic [NumWr-1:0]           search;          // a place is searched
    logic [NumWr*Banks-1:0]     bank;            // of the open row that each selects, one-hot
    logic [NumWr*Banks-1:0]     waits;
    logic [NumWr-1:0]           relook, want, take, opens, none, row_want, own_want, ready, leaves;
    logic [NumWr*LocBits-1:0]   target;          // the row that is wanted
    logic [NumWr*4-1:0]         target_own;      // slices there that are its own
    logic [NumWr-1:0]           left, right, rsv;
    for (genvar w = 0; w < NumWr; w = w + 1) begin : g_wr
        logic [LocBits-1:0] old_loc;
        logic [3:0]         leave_mask;
        assign old_loc = {rq_old_bank_i[w*BankBits +: BankBits], rq_old_entry_i[w*EntryBits +: EntryBits]};
        alloc_request #(.Banks(Banks), .Entries(Entries), .Warps(Warps)) u_request (
            .clk_i,
            .rst_ni,
            .policy_i,
            .cfg_grow_i,
            .cfg_order_i,
            .rq_valid_i    (rq_valid_i[w]),
            .rq_warp_i     (rq_warp_i[w*WarpBits +: WarpBits]),
            .rq_reg_i      (rq_reg_i[w*6 +: 6]),
            .rq_kind_i     (rq_kind_i[w*2 +: 2]),
            .rq_size_i     (rq_size_i[w*3 +: 3]),
            .rq_align_i    (rq_align_i[w*2 +: 2]),
            .rq_pair_i     (rq_pair_i[w]),
            .rq_old_loc_i  (old_loc),
            .rq_old_mask_i (rq_old_mask_i[w*4 +: 4]),
            .rq_bd_loc_i   ({rq_bd_bank_i[w*BankBits +: BankBits], rq_bd_entry_i[w*EntryBits +: EntryBits]}),
            .rq_bd_mask_i  (rq_bd_mask_i[w*4 +: 4]),
            .rq_ready_i    (rq_ready_o[w]),
            .relook_o      (relook[w]),
            .target_o      (target[w*LocBits +: LocBits]),
            .target_own_o  (target_own[w*4 +: 4]),
            .own_want_o    (own_want[w]),
            .row_want_o    (row_want[w]),
            .ready_o       (ready[w]),
            .looking_i     (looking[w*Banks +: Banks]),
            .known_i       (bank_known[w*Banks +: Banks]),
            .room_i        (bank_room),
            .short_i       (bank_short),
            .row_mask_i    (bank_mask),
            .search_o      (search[w]),
            .rsv_o         (rsv[w]),
            .left_o        (left[w]),
            .right_o       (right[w]),
            .may_full_i    (may_full),
            .may_i         (may[w*Banks +: Banks]),
            .fit_i         (fit[w*Banks +: Banks]),
            .side_i        (side[w*Banks +: Banks]),
            .entry_i       (at_entry[w*Banks*EntryBits +: Banks*EntryBits]),
            .mask_i        (at_mask[w*Banks*4 +: Banks*4]),
            .bank_o        (bank[w*Banks +: Banks]),
            .want_o        (want[w]),
            .opens_o       (opens[w]),
            .waits_o       (waits[w*Banks +: Banks]),
            .none_o        (none[w]),
            .take_i        (take[w]),
            .al_done_o     (al_done_o[w]),
            .al_how_o      (al_how_o[w*3 +: 3]),
            .al_loc_o      ({al_bank_o[w*BankBits +: BankBits], al_entry_o[w*EntryBits +: EntryBits]}),
            .al_mask_o     (al_mask_o[w*4 +: 4]),
            .leaves_o      (leaves[w]),
            .leave_mask_o  (leave_mask)
        );
        assign push[NumFree + w]         = leaves[w] && !give_q[NumFree + w];
        assign push[NumFree + NumWr + w] = leaves[w] && give_q[NumFree + w];
        assign push_loc[(NumFree + NumWr + w)*LocBits +: LocBits] = old_loc;
        assign push_mask[(NumFree + NumWr + w)*4 +: 4]            = leave_mask;
        assign push_loc[(NumFree + w)*LocBits +: LocBits]         = old_loc;
        assign push_mask[(NumFree + w)*4 +: 4]                    = leave_mask;
    end
    assign al_kind_o = rq_kind_i;
    assign al_none_o = none;

    // ---- Ports that come to one open row: the first in the order turn, turn + 1, .. has it.
    function automatic ahead(input integer v, input integer w, input [WrBits-1:0] turn);
        ahead = (v >= 32'(turn)) == (w >= 32'(turn)) ? v < w : v >= 32'(turn);
    endfunction
    logic [NumWr-1:0]       lose;
    logic [NumWr*NumWr-1:0] order;       // bit v of w's: v is ahead of w
    always @* begin
        for (int w = 0; w < NumWr; w = w + 1)
            for (int v = 0; v < NumWr; v = v + 1) order[w*NumWr + v] = v != w && ahead(v, w, turn_q);
    end
    always @* begin
        lose = '0;
        for (int w = 0; w < NumWr; w = w + 1)
            for (int v = 0; v < NumWr; v = v + 1)
                for (int b = 0; b < Banks; b = b + 1)
                    if (want[v] && order[w*NumWr + v] && bank[v*Banks + b] && bank[w*Banks + b] &&
                        same[(b*NumWr + w)*NumWr + v]) lose[w] = 1'b1;
    end
    assign take = want & ~lose & opens;

    // ---- Slices given back
    for (genvar f = 0; f < NumFree; f = f + 1) begin : g_free
        assign push[f]            = fr_valid_i[f] && !give_q[f];
        assign push[FreeAlso + f] = fr_valid_i[f] && give_q[f] && !give_q[FreeAlso + f];
        logic [LocBits-1:0] loc;
        assign loc = {fr_bank_i[f*BankBits +: BankBits], fr_entry_i[f*EntryBits +: EntryBits]};
        assign push_loc[f*LocBits +: LocBits]              = loc;
        assign push_loc[(FreeAlso + f)*LocBits +: LocBits] = loc;
        assign push_mask[f*4 +: 4]              = fr_mask_i[f*4 +: 4];
        assign push_mask[(FreeAlso + f)*4 +: 4] = fr_mask_i[f*4 +: 4];
    end

    // ---- What was asked for in the cycle before, for the banks' scanners and the counts
    always_ff @(posedge clk_i) begin
        was_lost_q  <= lose;
        was_full_q  <= rsv;
        was_left_q  <= left;
        was_right_q <= right;
        was_size_q  <= rq_size_i;
        was_mask_q  <= rq_old_mask_i;
        for (int w = 0; w < NumWr; w = w + 1) moved_q[w] <= rst_ni && al_done_o[w] && al_kind_o[w*2 +: 2] != Keep;
        for (int f = 0; f < NumFree; f = f + 1)
            was_free_q[f*4 +: 4] <= rst_ni && fr_valid_i[f] && fr_ready_o[f] ? fr_mask_i[f*4 +: 4] : '0;
    end
    alloc_count #(.Banks(Banks), .Entries(Entries), .NumWr(NumWr), .NumFree(NumFree)) u_count (
        .clk_i,
        .rst_ni,
        .moved_i       (moved_q),
        .size_i        (was_size_q),
        .old_mask_i    (was_mask_q),
        .free_mask_i   (was_free_q),
        .more_i        (more),
        .less_i        (less),
        .used_slices_o (used_slices_o),
        .used_regs_o   (used_regs_o)
    );

    logic [WrBits-1:0] turn_d;
    logic              yield_d;
    always @* begin
        yield_d = yield_new_q || (yield_q && whole == '0);
        turn_d  = rq_valid_i == '0 ? turn_q : 32'(turn_q) == NumWr - 1 ? '0 : turn_q + WrBits'(1);
    end
    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            turn_q      <= '0;
            yield_q     <= 1'b0;
            yield_new_q <= 1'b0;
            give_q      <= '0;
        end else begin
            turn_q      <= turn_d;
            yield_q     <= yield_d;
            yield_new_q <= policy_i == 2'd1 && none != '0 && !yield_q && !yield_new_q;
            give_q      <= push | (give_q & ~pop);
        end
    end
    always_ff @(posedge clk_i) begin
        for (int g = 0; g < NumGive; g = g + 1)
            if (!give_q[g]) begin
                give_loc_q[g*LocBits +: LocBits] <= push_loc[g*LocBits +: LocBits];
                give_mask_q[g*4 +: 4]            <= push_mask[g*4 +: 4];
            end
    end

    // ---- Banks
    `OBS(logic [Banks*128-1:0] obs_map;)
    `OBS(logic [Banks*128-1:0] obs_scan;)
    `OBS(logic [Banks*17-1:0]  obs_row;)
    `OBS(logic [8:0]           obs_hint;)
    `OBS(logic                 obs_en;)
    `OBS(assign obs_en = obs_addr_i < NumObs;)
    logic [NumWr*EntryBits-1:0]   target_entry;
    logic [NumGive*EntryBits-1:0] give_entry;
    for (genvar w = 0; w < NumWr; w = w + 1) begin : g_entry
        assign target_entry[w*EntryBits +: EntryBits] = target[w*LocBits +: EntryBits];
    end
    for (genvar g = 0; g < NumGive; g = g + 1) begin : g_give_entry
        assign give_entry[g*EntryBits +: EntryBits] = give_loc_q[g*LocBits +: EntryBits];
    end
    for (genvar b = 0; b < Banks; b = b + 1) begin : g_bank
        logic [NumWr-1:0]   relook_here, look_here, take_here, wait_here, own_here, row_here;
        logic [NumWr-1:0]   looking_here, known_here, may_here, fit_here, side_here;
        logic [NumWr*EntryBits-1:0] entry_here;
        logic [NumWr*4-1:0]         mask_here;
        logic [NumGive-1:0] give_here;
        for (genvar w = 0; w < NumWr; w = w + 1) begin : g_wr
            assign own_here[w]    = target[w*LocBits + EntryBits +: BankBits] == BankBits'(b);
            assign relook_here[w] = relook[w] && own_here[w];
            assign row_here[w]    = row_want[w] && own_here[w];
            assign look_here[w]   = lk_valid_i[w] && lk_bank_i[w*BankBits +: BankBits] == BankBits'(b);
            assign take_here[w]   = want[w] && bank[w*Banks + b];
            assign wait_here[w]   = waits[w*Banks + b];
            assign looking[w*Banks + b]    = looking_here[w];
            assign bank_known[w*Banks + b] = known_here[w];
            assign may[w*Banks + b]        = may_here[w];
            assign fit[w*Banks + b]        = fit_here[w];
            assign side[w*Banks + b]       = side_here[w];
            assign at_entry[(w*Banks + b)*EntryBits +: EntryBits] = entry_here[w*EntryBits +: EntryBits];
            assign at_mask[(w*Banks + b)*4 +: 4]                  = mask_here[w*4 +: 4];
        end
        always @* begin
            give_here = '0;
            if (give_q != '0)
                for (int g = 0; g < NumGive; g = g + 1)
                    give_here[g] = give_q[g] && give_loc_q[g*LocBits + EntryBits +: BankBits] == BankBits'(b);
        end
        `OBS(localparam int FirstGroup = b * Groups;)
        `OBS(localparam int FirstRow   = NumMap + b * Open;)
        `OBS(logic [6:0] obs_pair;)
        `OBS(logic [2:0] obs_nr;)
        `OBS(assign obs_pair = obs_en && obs_addr_i - FirstGroup < Groups ? 7'(obs_addr_i - FirstGroup) : 7'd127;)
        `OBS(assign obs_nr   = obs_en && obs_addr_i - FirstRow < Open ? 3'(obs_addr_i - FirstRow) : 3'd7;)
        alloc_bank #(.Entries(Entries), .NumWr(NumWr), .NumGive(NumGive)) u_bank (
            .clk_i,
            .rst_ni,
            .yield_i        (yield_q),
            .yield_new_i    (yield_new_q),
            .relook_i       (relook_here),
            .relook_entry_i (target_entry),
            .look_i         (look_here),
            .look_entry_i   (lk_entry_i),
            .looking_o      (looking_here),
            .own_i          (own_want),
            .own_mask_i     (target_own),
            .want_i         (row_here),
            .ready_i        (ready),
            .known_o        (known_here),
            .room_o         (bank_room[b]),
            .short_o        (bank_short[b]),
            .row_mask_o     (bank_mask[b*4 +: 4]),
            .give_i         (give_here),
            .give_entry_i   (give_entry),
            .give_mask_i    (give_mask_q),
            .give_pop_o     (pops[b*NumGive +: NumGive]),
            .ask_i          (search),
            .rq_full_i      (rsv),
            .rq_size_i      (rq_size_i),
            .rq_left_i      (left),
            .rq_right_i     (right),
            .may_full_o     (may_full[b]),
            .may_o          (may_here),
            .fit_o          (fit_here),
            .side_o         (side_here),
            .entry_o        (entry_here),
            .mask_o         (mask_here),
            .same_o         (same[b*NumWr*NumWr +: NumWr*NumWr]),
            .come_i         (take_here),
            .open_i         (opens),
            .ahead_i        (order),
            .take_rsv_i     (rsv),
            .wait_i         (wait_here),
            .was_lost_i     (was_lost_q),
            .was_full_i     (was_full_q),
            .was_size_i     (was_size_q),
            .was_left_i     (was_left_q),
            .was_right_i    (was_right_q),
            `OBS_PORT(.obs_en_i       (obs_en))
            `OBS_PORT(.obs_pair_i     (obs_pair))
            `OBS_PORT(.obs_row_i      (obs_nr))
            `OBS_PORT(.obs_map_o      (obs_map[b*128 +: 128]))
            `OBS_PORT(.obs_row_o      (obs_row[b*17 +: 17]))
            `OBS_PORT(.obs_scan_o     (obs_scan[b*128 +: 128]))
            .whole_o        (whole[b]),
            .more_o         (more[b*NumWr +: NumWr]),
            .less_o         (less[b])
        );
    end

    alloc_hints #(.NumKernels(NumKernels), .NumAlloc(NumAlloc)) u_hints (
        .clk_i,
        .rst_ni,
        .hl_valid_i,
        .hl_op_i,
        .hl_kernel_i,
        .hl_reg_i,
        .hl_value_i,
        .hq_valid_i,
        .hq_kernel_i,
        .hq_reg_i,
        `OBS_PORT(.obs_slot_i   (9'(obs_addr_i - (NumMap + NumRow + Banks))))
        `OBS_PORT(.obs_hint_o   (obs_hint))
        .ha_valid_o,
        .ha_pair_o,
        .ha_buddy_o,
        .ha_align_o
    );

    `CHECK_RANGE(alloc_unit, Banks, 1, 32)
    `CHECK_RANGE(alloc_unit, Entries, 2, 1024)
    `CHECK_RANGE(alloc_unit, Warps, 1, 64)
    `CHECK_RANGE(alloc_unit, NumWr, 1, 4)
    `CHECK_RANGE(alloc_unit, NumFree, 1, 8)
    `CHECK_RANGE(alloc_unit, NumKernels, 1, 8)
    `CHECK_RANGE(alloc_unit, NumAlloc, 1, 4)
    `include "rename/alloc_unit.obs.svh"
endmodule
