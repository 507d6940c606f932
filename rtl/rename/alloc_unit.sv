// SPDX-License-Identifier: Apache-2.0
// Purpose:    decides where the registers that are written live: the free register map, the search for
//             free byte slices under the policies first fit, pair (CORF) and align (CORF++), growth,
//             shrinking and freeing, and the compiler's hints. Contract: models/rename/alloc_unit.h.
// Parameters: Banks, 1..32, and Entries, 2..1024, of the register file; Warps, 1..64; NumWr, 1..4:
//             requests per cycle; NumFree, 1..8: registers freed per cycle; NumKernels, 1..8: kernel
//             slots with hints; NumAlloc, 1..4: registers whose hints are looked up per cycle. The
//             other widths follow.
// Timing:     al_ outputs answer rq_ inputs in the same cycle and take effect at the clock edge. A place
//             is in one of five open rows per bank (alloc_bank), which are registers, or in the row
//             that was read for the request in the cycle before. Path: fits, row of the bank, bank, conflict
//             between ports, open row. rq_bd_ goes into registers only; rq_ready_o and
//             fr_ready_o depend on state alone. Hints: ha_ one cycle after hq_. Long paths (45 nm, 1.64 ns,
//             one cycle): kind of a request, row that is looked up, operation that is selected, open row of its entry.
// Reset:      nothing in use, no reservations, no hints, port 0 first; the maps are cleared word by word.
// Left out:   the walk over a warp's registers at its exit.
// Cost:       the maps are memories (alloc_bank); a register per port that gives slices back. 1 reservation
//             bit per entry more than the paper's 512 bytes. 0.023 mm2 of cells (45 nm).
// Shapes:     -
// Shapes:     Banks=1,Entries=2,Warps=1,NumWr=1,NumFree=1,NumKernels=1,NumAlloc=1
// Shapes:     Banks=3,Entries=20,Warps=5,NumWr=4,NumFree=3,NumKernels=3,NumAlloc=3
// Proof:      sat:12:Banks=2,Entries=2,Warps=2,NumWr=2,NumFree=1,NumKernels=1,NumAlloc=1
// Proof:      sat:12:Banks=3,Entries=2,Warps=1,NumWr=1,NumFree=2,NumKernels=1,NumAlloc=1
// Cut:        g_bank*.u_bank u_hints

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
    // rows that may be asked for in the next cycle
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
    localparam int DeltaBits = $clog2(4*(NumFree + 2*NumWr) + 1) + 1;
    localparam logic [1:0] Keep = 2'd0, Shrink = 2'd1, First = 2'd2, Grow = 2'd3;
    localparam logic [2:0] InPlace = 3'd0, Policy = 3'd1, Buddy = 3'd2, Fallback = 3'd3, Own = 3'd4;

    function automatic [2:0] ones(input [3:0] mask);
        ones = (3'(mask[0]) + 3'(mask[1])) + (3'(mask[2]) + 3'(mask[3]));
    endfunction
    // At least n slices, n = 1..4 (n = 4: bit 2 set).
    function automatic many(input [3:0] free, input [2:0] n);
        case (n)
        3'd1:    many = free != '0;
        3'd2:    many = (free[0] && free[1]) || (free[2] && free[3]) ||
                        ((free[0] || free[1]) && (free[2] || free[3]));
        3'd3:    many = (free[0] && free[1] && (free[2] || free[3])) ||
                        (free[2] && free[3] && (free[0] || free[1]));
        default: many = free == '1;
        endcase
    endfunction
    // The n lowest ones of a mask, the n highest.
    function automatic [3:0] lowest(input [3:0] mask, input [2:0] n);
        integer i;
        for (i = 0; i < 4; i = i + 1)
            lowest[i] = mask[i] && ones(mask & ((4'd1 << i) - 4'd1)) < n;
    endfunction
    function automatic [3:0] highest(input [3:0] mask, input [2:0] n);
        integer i;
        for (i = 0; i < 4; i = i + 1)
            highest[i] = mask[i] && ones(mask & ~((4'd2 << i) - 4'd1)) < n;
    endfunction

    `OBS(localparam int Open    = 5;)
    `OBS(localparam int Groups  = (Entries + 15) / 16;)
    `OBS(localparam int NumMap  = Banks * Groups;)
    `OBS(localparam int NumRow  = Banks * Open;)
    `OBS(localparam int NumHint = NumKernels * 64;)
    `OBS(localparam int NumObs  = NumMap + NumRow + Banks + NumHint + 1;)

    // ---- State of this level
    logic [WrBits-1:0]          turn_q;
    logic                       yield_q, yield_new_q;
    logic [NumWr-1:0]           bd_full_q;       // bd mask is 0, and a bank might have had a whole row (any_full)
    logic [NumWr-1:0]           own_no_q, bd_no_q, bd_in_q, last_q;
    logic [NumWr*LocBits-1:0]   bd_loc_q;
    logic [NumWr*4-1:0]         bd_mask_q;
    logic [NumGive-1:0]         give_q;          // free ports, request ports, these again, those again
    logic [NumGive*LocBits-1:0] give_loc_q;
    logic [NumGive*4-1:0]       give_mask_q;
    logic [SliceCountBits-1:0]  slices_q;
    logic [NumWr-1:0]           moved_q, was_lost_q, was_full_q, was_left_q, was_right_q;  // of the cycle before
    logic [NumWr*3-1:0]         more_slices_q;
    logic [NumWr*4-1:0]         less_slices_q;
    logic [NumFree*4-1:0]       free_slices_q;
    logic [DeltaBits-1:0]       delta_q, delta_d;
    logic [DeltaBits-2:0]       freed_q, freed_d;
    logic [RegCountBits-1:0]    regs_q;
    logic                       pair_policy, align_policy;
    assign pair_policy   = policy_i == 2'd1;
    assign align_policy  = policy_i == 2'd2;
    assign used_slices_o = slices_q;
    assign used_regs_o   = regs_q;

    // ---- The banks: port w of bank b at b * NumWr + w
    logic [Banks-1:0]                 may_full, bank_room, bank_short, whole, less;
    logic [Banks*NumWr-1:0]           bank_known, looking, may, fit, side, more;
    logic [Banks*4-1:0]               bank_mask;
    logic [Banks*NumWr*EntryBits-1:0] at_entry;
    logic [Banks*NumWr*4-1:0]         at_mask;
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
    logic [NumWr-1:0]           search;          // a place is looked for
    logic [NumWr*Banks-1:0]     lacks;           // the home bank has no open row, but may have one
    logic [NumWr*Banks-1:0]     bank;            // of the open row that each comes to, one-hot
    logic [NumWr-1:0]           relook, known, room, want, take, opens, none, waits, row_want, own_want, ready;
    logic [NumWr*LocBits-1:0]   target;          // the row that is wanted
    logic [NumWr*4-1:0]         target_own;      // slices there that are its own
    logic [NumWr-1:0]           left, right, rsv;
    logic [NumWr-1:0]           own_no_d, bd_no_d, last_d, stays;
    logic [NumWr*2-1:0]         kind;
    for (genvar w = 0; w < NumWr; w = w + 1) begin : g_wr
        logic [2:0]         size;
        logic [3:0]         old_mask, bd_mask;
        logic [LocBits-1:0] old_loc, bd_loc;
        logic [6:0]         number;              // the home bank is this mod Banks
        logic [BankBits-1:0] base;
        assign size     = rq_size_i[w*3 +: 3];
        assign old_mask = rq_old_mask_i[w*4 +: 4];
        assign old_loc  = {rq_old_bank_i[w*BankBits +: BankBits],
                           rq_old_entry_i[w*EntryBits +: EntryBits]};
        assign bd_mask  = bd_mask_q[w*4 +: 4];
        assign bd_loc   = bd_loc_q[w*LocBits +: LocBits];
        assign left[w]  = align_policy && rq_align_i[w*2 +: 2] == 2'd1 && !size[2];
        assign right[w] = align_policy && rq_align_i[w*2 +: 2] == 2'd2 && !size[2];
        assign number   = cfg_order_i && !align_policy ? 7'd0
                        : 7'(rq_warp_i[w*WarpBits +: WarpBits]) +
                          (align_policy ? 7'd0 : 7'(rq_reg_i[w*6 +: 6]));
        if (Banks == 1) begin : g_one_bank
            logic unused;
            assign unused = ^number;
            assign base   = '0;
        end else if (Banks == 1 << BankBits) begin : g_power
            if (BankBits < 7) begin : g_high
                logic unused;
                assign unused = ^number[6:BankBits];
            end
            assign base = number[BankBits-1:0];
        end else begin : g_modulo
            assign base = BankBits'(number % 7'(Banks));
        end

        logic [1:0] kd;
        logic       left_side;
        assign kd        = rq_kind_i[w*2 +: 2];
        assign search[w] = rq_valid_i[w] && (kd == First || kd == Grow);
        assign left_side = align_policy && rq_align_i[w*2 +: 2] == 2'd1;
        assign kind[w*2 +: 2] = kd;

        // A row of its own or of its buddy, read in the cycle before
        logic               paired, bd_need, own_here, short;
        logic [LocBits-1:0] loc;
        logic [3:0]         row_mask;
        assign paired      = pair_policy && rq_pair_i[w] && search[w];
        assign own_want[w] = search[w] && kd == Grow && (last_q[w] || (!cfg_grow_i && !own_no_q[w]));
        assign bd_need     = paired && (!bd_in_q[w] || (bd_mask != '0 && !bd_no_q[w]));
        assign row_want[w] = own_want[w] || (bd_need && bd_in_q[w]);
        assign loc         = own_want[w] ? old_loc : bd_loc;
        assign own_here    = kd == Grow && loc == old_loc;
        assign ready[w]    = kd == First || own_want[w] || rq_ready_o[w];
        assign target[w*LocBits +: LocBits] = loc;
        assign target_own[w*4 +: 4]         = own_here ? old_mask : '0;
        logic               is_known, has_room;
        assign known[w] = is_known;
        assign room[w]  = has_room;
        always @* begin
            is_known = 1'b0;
            has_room = 1'b0;
            short    = 1'b0;
            row_mask = '0;
            for (int b = 0; b < Banks; b = b + 1)
                if (bank_known[b*NumWr + w]) begin
                    is_known = 1'b1;
                    has_room = has_room | bank_room[b];
                    short    = short | bank_short[b];
                    row_mask = row_mask | bank_mask[b*4 +: 4];
                end
        end
        // not while a look of this port is under way
        logic looks;
        always @* begin
            looks = 1'b0;
            for (int b = 0; b < Banks; b = b + 1) looks = looks || looking[b*NumWr + w];
        end
        assign relook[w]   = row_want[w] && !looks;
        assign stays[w]    = room[w] && own_here;
        assign own_no_d[w] = own_no_q[w] || (short && own_want[w]);
        assign bd_no_d[w]  = bd_no_q[w] || (short && !own_want[w]);

        // Open rows
        logic             comes, open, want_full, sided;
        logic [Banks-1:0] choice, turned, fits, mays;
        assign comes     = search[w] && (own_want[w] ? !bd_need : !bd_need || bd_in_q[w]);  // or might, if there is no room
        assign open      = comes && (!row_want[w] || short);
        assign want_full = paired && bd_mask == '0 && !size[2];
        assign rsv[w]    = paired && !size[2] && bd_full_q[w];
        always @* begin
            for (int b = 0; b < Banks; b = b + 1) begin
                mays[b] = rsv[w] ? may_full[b] : may[b*NumWr + w];
                fits[b] = fit[b*NumWr + w];
            end
        end
        // Policy 2 waits for the home bank, the others take what is open.
        assign choice = fits != '0 && !align_policy ? fits : mays;
        assign lacks[w*Banks +: Banks] = mays & ~fits & (Banks'(1) << base);
        // From `base` on the lowest, or else the lowest of all.
        assign turned = choice & ({Banks{1'b1}} << base);
        assign bank[w*Banks +: Banks] = turned != '0 ? turned & (~turned + Banks'(1))
                                                     : choice & (~choice + Banks'(1));
        assign want[w]   = comes && (bank[w*Banks +: Banks] & fits) != '0 && (kd == First || rq_ready_o[w]);
        assign opens[w]  = open;
        assign waits[w]  = open && (bank[w*Banks +: Banks] & fits) == '0;
        assign none[w]   = open && mays == '0 && !rsv[w];
        assign last_d[w] = none[w] || (last_q[w] && !(known[w] && own_want[w]));

        logic [BankBits-1:0]  the_bank;
        logic [EntryBits-1:0] the_entry;
        logic [3:0]           the_mask;
        always @* begin
            the_bank  = '0;
            the_entry = '0;
            the_mask  = '0;
            sided     = 1'b0;
            for (int b = 0; b < Banks; b = b + 1)
                if (bank[w*Banks + b]) begin
                    the_bank  = the_bank | BankBits'(b);
                    the_entry = the_entry | at_entry[(b*NumWr + w)*EntryBits +: EntryBits];
                    the_mask  = the_mask | at_mask[(b*NumWr + w)*4 +: 4];
                    sided     = sided | side[b*NumWr + w];
                end
        end

        // Answer
        logic [3:0]         mask, kept;
        logic [LocBits-1:0] new_loc;
        logic [2:0]         how;
        assign kept    = left_side ? highest(old_mask, size) : lowest(old_mask, size);
        assign mask    = kd == Keep   ? old_mask
                       : kd == Shrink ? kept
                       : room[w]      ? row_mask : the_mask;
        assign new_loc = kd == Keep || kd == Shrink ? old_loc : room[w] ? loc : {the_bank, the_entry};
        assign how     = kd == Keep || kd == Shrink ? InPlace
                       : room[w] ? (own_want[w] ? Own : Buddy)
                       : (paired && bd_mask != '0) || (want_full && !rsv[w]) ||
                         ((left[w] || right[w]) && !sided) ? Fallback : Policy;
        assign al_done_o[w]        = take[w] || room[w] ||
                                     (rq_valid_i[w] && (kd == Keep || (kd == Shrink && rq_ready_o[w])));
        assign al_none_o[w]        = none[w];
        assign al_kind_o[w*2 +: 2] = kd;
        assign al_how_o[w*3 +: 3]  = how;
        assign al_mask_o[w*4 +: 4] = mask;
        assign {al_bank_o[w*BankBits +: BankBits], al_entry_o[w*EntryBits +: EntryBits]} = new_loc;

        // What it leaves
        logic leaves;
        assign leaves = al_done_o[w] && (kd == Shrink || (kd == Grow && !stays[w]));
        assign push[NumFree + w]         = leaves && !give_q[NumFree + w];
        assign push[NumFree + NumWr + w] = leaves && give_q[NumFree + w];
        assign push_loc[(NumFree + NumWr + w)*LocBits +: LocBits] = old_loc;
        assign push_mask[(NumFree + NumWr + w)*4 +: 4] = old_mask & ~(kd == Shrink ? kept : 4'd0);
        assign push_loc[(NumFree + w)*LocBits +: LocBits] = old_loc;
        assign push_mask[(NumFree + w)*4 +: 4] = old_mask & ~(kd == Shrink ? kept : 4'd0);
    end

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
    assign take      = want & ~lose & opens;

    // ---- Slices given back, counts
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
    always_ff @(posedge clk_i) begin
        was_lost_q  <= lose;
        was_full_q  <= rsv;
        was_left_q  <= left;
        was_right_q <= right;
        for (int w = 0; w < NumWr; w = w + 1) begin
            moved_q[w]           <= rst_ni && al_done_o[w] && kind[w*2 +: 2] != Keep;
            more_slices_q[w*3 +: 3] <= rq_size_i[w*3 +: 3];
            less_slices_q[w*4 +: 4] <= rq_old_mask_i[w*4 +: 4];
        end
        for (int f = 0; f < NumFree; f = f + 1)
            free_slices_q[f*4 +: 4] <= rst_ni && fr_valid_i[f] && fr_ready_o[f] ? fr_mask_i[f*4 +: 4] : '0;
    end
    always @* begin
        delta_d = '0;
        freed_d = '0;
        for (int w = 0; w < NumWr; w = w + 1)
            if (moved_q[w])
                delta_d = delta_d + DeltaBits'(more_slices_q[w*3 +: 3]) -
                          DeltaBits'(ones(less_slices_q[w*4 +: 4]));
        for (int f = 0; f < NumFree; f = f + 1)
            freed_d = freed_d + (DeltaBits-1)'(ones(free_slices_q[f*4 +: 4]));
    end
    logic [SliceCountBits-1:0] delta_ext;       // with its sign
    for (genvar i = 0; i < SliceCountBits; i = i + 1) begin : g_sign
        assign delta_ext[i] = delta_q[i < DeltaBits ? i : DeltaBits - 1];
    end
    logic [RegCountBits-1:0]   regs_d;
    logic [SliceCountBits-1:0] slices_d;
    logic [WrBits-1:0]         turn_d;
    logic                      yield_d;
    always @* begin
        regs_d   = regs_q;
        slices_d = slices_q + delta_ext - SliceCountBits'(freed_q);
        yield_d  = yield_new_q || (yield_q && whole == '0);
        turn_d   = rq_valid_i == '0 ? turn_q : 32'(turn_q) == NumWr - 1 ? '0 : turn_q + WrBits'(1);
        for (int b = 0; b < Banks; b = b + 1) begin
            for (int w = 0; w < NumWr; w = w + 1) regs_d = regs_d + RegCountBits'(more[b*NumWr + w]);
            regs_d = regs_d - RegCountBits'(less[b]);
        end
    end
    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            turn_q   <= '0;
            yield_q  <= 1'b0;
            yield_new_q <= 1'b0;
            bd_full_q   <= '0;
            give_q   <= '0;
            slices_q <= '0;
            delta_q  <= '0;
            freed_q  <= '0;
            regs_q   <= '0;
            own_no_q <= '0;
            bd_no_q  <= '0;
            bd_in_q  <= '0;
            last_q   <= '0;
        end else begin
            turn_q      <= turn_d;
            yield_q     <= yield_d;
            yield_new_q <= pair_policy && none != '0 && !yield_q && !yield_new_q;
            for (int w = 0; w < NumWr; w = w + 1) bd_full_q[w] <= rq_bd_mask_i[w*4 +: 4] == '0 && may_full != '0;
            give_q   <= push | (give_q & ~pop);
            delta_q  <= delta_d;
            freed_q  <= freed_d;
            slices_q <= slices_d;
            regs_q   <= regs_d;
            own_no_q <= own_no_d & rq_valid_i & ~al_done_o;
            bd_no_q  <= bd_no_d & rq_valid_i & ~al_done_o;
            bd_in_q  <= rq_valid_i & ~al_done_o;
            last_q   <= last_d & rq_valid_i & ~al_done_o;
        end
    end
    always_ff @(posedge clk_i) begin
        for (int w = 0; w < NumWr; w = w + 1) begin
            bd_loc_q[w*LocBits +: LocBits] <= {rq_bd_bank_i[w*BankBits +: BankBits],
                                               rq_bd_entry_i[w*EntryBits +: EntryBits]};
            bd_mask_q[w*4 +: 4] <= rq_bd_mask_i[w*4 +: 4];
        end
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
        logic [NumGive-1:0] give_here;
        for (genvar w = 0; w < NumWr; w = w + 1) begin : g_wr
            assign own_here[w]    = target[w*LocBits + EntryBits +: BankBits] == BankBits'(b);
            assign relook_here[w] = relook[w] && own_here[w];
            assign row_here[w]    = row_want[w] && own_here[w];
            assign look_here[w]   = lk_valid_i[w] && lk_bank_i[w*BankBits +: BankBits] == BankBits'(b);
            assign take_here[w]   = want[w] && bank[w*Banks + b];
            assign wait_here[w]   = (waits[w] && bank[w*Banks + b]) || (opens[w] && lacks[w*Banks + b]);
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
            .looking_o      (looking[b*NumWr +: NumWr]),
            .own_i          (own_want),
            .own_mask_i     (target_own),
            .want_i         (row_here),
            .ready_i        (ready),
            .known_o        (bank_known[b*NumWr +: NumWr]),
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
            .may_o          (may[b*NumWr +: NumWr]),
            .fit_o          (fit[b*NumWr +: NumWr]),
            .side_o         (side[b*NumWr +: NumWr]),
            .entry_o        (at_entry[b*NumWr*EntryBits +: NumWr*EntryBits]),
            .mask_o         (at_mask[b*NumWr*4 +: NumWr*4]),
            .same_o         (same[b*NumWr*NumWr +: NumWr*NumWr]),
            .come_i         (take_here),
            .open_i         (opens),
            .ahead_i        (order),
            .take_rsv_i     (rsv),
            .wait_i         (wait_here),
            .was_lost_i     (was_lost_q),
            .was_full_i     (was_full_q),
            .was_size_i     (more_slices_q),
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
