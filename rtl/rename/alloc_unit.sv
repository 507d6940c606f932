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
//             fr_ready_o depend on state alone. Hints: ha_ one cycle after hq_. Long paths (45 nm, 1.67 ns,
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
`ifdef RF_OBS
    // observation: map, candidates, hints, the rest, then parameters
    input  logic [31:0]                  obs_addr_i,
    output logic [127:0]                 obs_data_o,
`endif
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

`ifdef RF_OBS
    localparam int Open    = 5;
    localparam int Groups  = (Entries + 15) / 16;
    localparam int NumMap  = Banks * Groups;
    localparam int NumRow  = Banks * Open;
    localparam int NumHint = NumKernels * 64;
    localparam int NumObs  = NumMap + NumRow + Banks + NumHint + 1;
`endif

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
`ifdef RF_OBS
    logic [8:0]           obs_hint_nr;
    logic [Banks*128-1:0] obs_map, obs_scan;
    logic [Banks*17-1:0]  obs_row;
    logic [8:0]           obs_hint;
    logic                 obs_en;
    assign obs_en      = obs_addr_i < NumObs;
    assign obs_hint_nr = 9'(obs_addr_i - (NumMap + NumRow + Banks));
`endif
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
`ifdef RF_OBS
        localparam int FirstGroup = b * Groups;
        localparam int FirstRow   = NumMap + b * Open;
        logic [6:0] obs_pair;
        logic [2:0] obs_nr;
        always @* begin
            obs_pair = 7'd127;
            obs_nr   = 3'd7;
            if (obs_en) begin
                if (obs_addr_i - FirstGroup < Groups) obs_pair = 7'(obs_addr_i - FirstGroup);
                if (obs_addr_i - FirstRow < Open)     obs_nr   = 3'(obs_addr_i - FirstRow);
            end
        end
`endif
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
`ifdef RF_OBS
            .obs_en_i       (obs_en),
            .obs_pair_i     (obs_pair),
            .obs_row_i      (obs_nr),
            .obs_map_o      (obs_map[b*128 +: 128]),
            .obs_row_o      (obs_row[b*17 +: 17]),
            .obs_scan_o     (obs_scan[b*128 +: 128]),
`endif
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
`ifdef RF_OBS
        .obs_slot_i   (obs_hint_nr),
        .obs_hint_o   (obs_hint),
`endif
        .ha_valid_o,
        .ha_pair_o,
        .ha_buddy_o,
        .ha_align_o
    );
`ifdef RF_OBS
    always @* begin
        obs_data_o = '0;
        if (obs_en) for (int b = 0; b < Banks; b = b + 1) begin
            if (obs_addr_i - b * Groups < Groups) obs_data_o = obs_data_o | obs_map[b*128 +: 128];
            if (obs_addr_i - (NumMap + b * Open) < Open) obs_data_o = obs_data_o | 128'(obs_row[b*17 +: 17]);
            if (obs_addr_i == NumMap + NumRow + b) obs_data_o = obs_data_o | obs_scan[b*128 +: 128];
        end
        if (obs_addr_i >= NumMap + NumRow + Banks && obs_addr_i < NumObs - 1)
            obs_data_o = obs_data_o | 128'(obs_hint);
        if (obs_addr_i == NumObs - 1)
            obs_data_o = {32'(give_q), 32'(regs_q), 32'(slices_q), 23'd0, yield_q, 8'(turn_q)};
        else if (obs_addr_i == 32'hffff_0000) obs_data_o[31:0] = Banks;
        else if (obs_addr_i == 32'hffff_0001) obs_data_o[31:0] = Entries;
        else if (obs_addr_i == 32'hffff_0002) obs_data_o[31:0] = Warps;
        else if (obs_addr_i == 32'hffff_0003) obs_data_o[31:0] = NumWr;
        else if (obs_addr_i == 32'hffff_0004) obs_data_o[31:0] = NumFree;
        else if (obs_addr_i == 32'hffff_0005) obs_data_o[31:0] = NumKernels;
        else if (obs_addr_i == 32'hffff_0006) obs_data_o[31:0] = NumAlloc;
    end
`endif

`ifdef SIM
    initial begin
        if (Banks < 1 || Banks > 32) $fatal(1, "alloc_unit: Banks = %0d, legal is 1..32", Banks);
        if (Entries < 2 || Entries > 1024)
            $fatal(1, "alloc_unit: Entries = %0d, legal is 2..1024", Entries);
        if (Warps < 1 || Warps > 64) $fatal(1, "alloc_unit: Warps = %0d, legal is 1..64", Warps);
        if (NumWr < 1 || NumWr > 4) $fatal(1, "alloc_unit: NumWr = %0d, legal is 1..4", NumWr);
        if (NumFree < 1 || NumFree > 8)
            $fatal(1, "alloc_unit: NumFree = %0d, legal is 1..8", NumFree);
        if (NumKernels < 1 || NumKernels > 8)
            $fatal(1, "alloc_unit: NumKernels = %0d, legal is 1..8", NumKernels);
        if (NumAlloc < 1 || NumAlloc > 4)
            $fatal(1, "alloc_unit: NumAlloc = %0d, legal is 1..4", NumAlloc);
    end
`endif

`ifdef FORMAL
    // Contract, for any row f_l: what those who ask were given of it and have not given back is in use for the banks, each slice once, there or in one give register; what is given is as much as
    // asked for and was no one's (G1); ports that come to one row exclude each other, and who a bank sees take is who
    // is told so; banks that are asked get what alloc_bank assumes; the count of slices is that of
    // what was given less what was freed.
    // Environment: requests fit their old masks, old places and freed slices are in use, each named once. Banks are
    // cut: they do what the FORMAL section of alloc_bank proves.
    (* anyconst *) logic [LocBits-1:0] f_l;
    localparam int F_Count = SliceCountBits;
    logic                 f_past;
    logic [3:0]           f_own, f_own_d, f_map, f_map_d, f_given, f_named, f_twice, f_new, f_new_twice;
    logic [NumWr*4-1:0]   f_old, f_al;
    logic [NumWr-1:0]     f_takes, f_row;           // a bank sees that port w takes, of f_l
    logic [Banks-1:0]     f_at;
    logic [F_Count-1:0]   f_count, f_count_d, f_later;
    logic [F_Count-1:0]   f_old_delta;
    logic                 f_in_give_twice;
    initial f_past = 1'b0;
    for (genvar b = 0; b < Banks; b = b + 1) begin : g_f_bank
        assign f_at[b] = f_l[EntryBits +: BankBits] == BankBits'(b);
    end
    always_comb begin
        // what a bank sees
        f_takes = '0;
        f_row   = '0;
        for (int b = 0; b < Banks; b = b + 1)
            for (int w = 0; w < NumWr; w = w + 1)
                if (want[w] && opens[w] && bank[w*Banks + b]) begin
                    f_takes[w] = 1'b1;
                    for (int v = 0; v < NumWr; v = v + 1)
                        if (want[v] && bank[v*Banks + b] && order[w*NumWr + v] && same[(b*NumWr + w)*NumWr + v])
                            f_takes[w] = 1'b0;
                    f_row[w] = f_takes[w] && f_at[b] &&
                               at_entry[(b*NumWr + w)*EntryBits +: EntryBits] == f_l[EntryBits-1:0];
                end
        // slices of f_l in give registers, on their way there
        f_given         = '0;
        f_in_give_twice = 1'b0;
        for (int g = 0; g < NumGive; g = g + 1)
            if (give_q[g] && give_loc_q[g*LocBits +: LocBits] == f_l) begin
                if ((f_given & give_mask_q[g*4 +: 4]) != '0) f_in_give_twice = 1'b1;
                f_given = f_given | give_mask_q[g*4 +: 4];
            end
        // what is named: old places, slices freed; what is new
        f_named     = '0;
        f_twice     = '0;
        f_new       = '0;
        f_new_twice = '0;
        f_own_d     = f_own;
        f_map_d     = f_map;
        f_count_d   = f_count;
        for (int w = 0; w < NumWr; w = w + 1) begin
            f_old[w*4 +: 4] = rq_valid_i[w] && kind[w*2 +: 2] != First &&
                       {rq_old_bank_i[w*BankBits +: BankBits], rq_old_entry_i[w*EntryBits +: EntryBits]} == f_l
                       ? rq_old_mask_i[w*4 +: 4] : '0;
            f_twice  = f_twice | (f_named & f_old[w*4 +: 4]);
            f_named  = f_named | f_old[w*4 +: 4];
            f_al[w*4 +: 4]  = al_done_o[w] &&
                       {al_bank_o[w*BankBits +: BankBits], al_entry_o[w*EntryBits +: EntryBits]} == f_l
                       ? al_mask_o[w*4 +: 4] : '0;
            f_new_twice = f_new_twice | (f_new & f_al[w*4 +: 4]);
            f_new       = f_new | f_al[w*4 +: 4];
            if (al_done_o[w]) f_own_d = f_own_d & ~f_old[w*4 +: 4];
            if (al_done_o[w] && kind[w*2 +: 2] != Keep)
                f_count_d = f_count_d + F_Count'(rq_size_i[w*3 +: 3]) - F_Count'(ones(rq_old_mask_i[w*4 +: 4]));
            if (stays[w]) f_map_d = f_map_d & ~f_old[w*4 +: 4];
        end
        for (int f = 0; f < NumFree; f = f + 1)
            if (fr_valid_i[f]) begin
                if ({fr_bank_i[f*BankBits +: BankBits], fr_entry_i[f*EntryBits +: EntryBits]} == f_l) begin
                    f_twice = f_twice | (f_named & fr_mask_i[f*4 +: 4]);
                    f_named = f_named | fr_mask_i[f*4 +: 4];
                    if (fr_ready_o[f]) f_own_d = f_own_d & ~fr_mask_i[f*4 +: 4];
                end
                if (fr_ready_o[f]) f_count_d = f_count_d - F_Count'(ones(fr_mask_i[f*4 +: 4]));
            end
        f_own_d = f_own_d | f_new;
        for (int g = 0; g < NumGive; g = g + 1)
            if (pop[g] && give_loc_q[g*LocBits +: LocBits] == f_l) f_map_d = f_map_d & ~give_mask_q[g*4 +: 4];
        f_map_d = f_map_d | f_new;
        // what the count will be when nothing more is done
        f_later = slices_q + delta_ext - F_Count'(freed_q) - F_Count'(freed_d);
        for (int i = 0; i < F_Count; i = i + 1)
            f_old_delta[i] = delta_d[i < DeltaBits ? i : DeltaBits - 1];
        f_later = f_later + f_old_delta;
    end
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        f_own   <= rst_ni ? f_own_d : '0;
        f_map   <= rst_ni ? f_map_d : '0;
        f_count <= rst_ni ? f_count_d : '0;
    end

    // Environment
    always_comb begin
        assume (32'(f_l[EntryBits +: BankBits]) < Banks && 32'(f_l[EntryBits-1:0]) < Entries && policy_i != 2'd3);
        for (int w = 0; w < NumWr; w = w + 1)
            if (rq_valid_i[w]) begin
                assume (rq_size_i[w*3 +: 3] >= 3'd1 && rq_size_i[w*3 +: 3] <= 3'd4 &&
                        32'(rq_warp_i[w*WarpBits +: WarpBits]) < Warps);
                case (rq_kind_i[w*2 +: 2])
                Keep:    assume (rq_old_mask_i[w*4 +: 4] != '0 && ones(rq_old_mask_i[w*4 +: 4]) >= rq_size_i[w*3 +: 3]);
                Shrink:  assume (ones(rq_old_mask_i[w*4 +: 4]) > rq_size_i[w*3 +: 3]);
                First:   assume (rq_old_mask_i[w*4 +: 4] == '0);
                default: assume (rq_old_mask_i[w*4 +: 4] != '0 && ones(rq_old_mask_i[w*4 +: 4]) < rq_size_i[w*3 +: 3]);
                endcase
                if (rq_kind_i[w*2 +: 2] != First)
                    assume (32'(rq_old_bank_i[w*BankBits +: BankBits]) < Banks &&
                            32'(rq_old_entry_i[w*EntryBits +: EntryBits]) < Entries);
            end
        for (int f = 0; f < NumFree; f = f + 1)
            if (fr_valid_i[f])
                assume (fr_mask_i[f*4 +: 4] != '0 && 32'(fr_bank_i[f*BankBits +: BankBits]) < Banks &&
                        32'(fr_entry_i[f*EntryBits +: EntryBits]) < Entries);
        assume (f_twice == '0 && (f_named & ~f_own) == '0);
    end
    // The banks, as alloc_bank proves of them
    for (genvar b = 0; b < Banks; b = b + 1) begin : g_f_part
        always_comb begin
            assume ((pops[b*NumGive +: NumGive] & ~g_bank[b].give_here) == '0 &&
                    (pops[b*NumGive +: NumGive] & (pops[b*NumGive +: NumGive] - NumGive'(1))) == '0);
            assume ((bank_known[b*NumWr +: NumWr] & ~(g_bank[b].row_here & looking[b*NumWr +: NumWr])) == '0);
            assume ((bank_known[b*NumWr +: NumWr] & (bank_known[b*NumWr +: NumWr] - NumWr'(1))) == '0);
            assume (!(bank_room[b] && bank_short[b]));
            for (int w = 0; w < NumWr; w = w + 1) begin
                if (bank_known[b*NumWr + w] && bank_room[b]) begin
                    assume (ready[w] && ones(bank_mask[b*4 +: 4]) == rq_size_i[w*3 +: 3]);
                    if (target[w*LocBits +: LocBits] == f_l)
                        assume ((bank_mask[b*4 +: 4] & f_map & ~target_own[w*4 +: 4]) == '0);
                end
                if (bank_known[b*NumWr + w] && target[w*LocBits +: LocBits] == f_l)
                    assume ((f_row & {NumWr{f_at[b]}}) == '0);
                if (fit[b*NumWr + w]) begin
                    assume (rsv[w] ? may_full[b] : may[b*NumWr + w]);
                    assume (ones(at_mask[(b*NumWr + w)*4 +: 4]) == rq_size_i[w*3 +: 3]);
                    if (f_row[w] && f_at[b]) assume ((at_mask[(b*NumWr + w)*4 +: 4] & f_map) == '0);
                end
                for (int v = 0; v < NumWr; v = v + 1)
                    if (f_at[b] && fit[b*NumWr + w] && fit[b*NumWr + v] &&
                        at_entry[(b*NumWr + w)*EntryBits +: EntryBits] == f_l[EntryBits-1:0])
                        assume (same[(b*NumWr + w)*NumWr + v] ==
                                (at_entry[(b*NumWr + v)*EntryBits +: EntryBits] == f_l[EntryBits-1:0]));
            end
        end
    end
    // Contract
    always_comb if (f_past) begin
        // each slice is someone's, or in one give register, and then in use
        assert (!f_in_give_twice);
        assert ((f_own & f_given) == '0 && (f_own | f_given) == f_map);
        // new: no one else's, as much as asked for, by one port
        assert (f_new_twice == '0);
        for (int w = 0; w < NumWr; w = w + 1) begin
            assert ((f_al[w*4 +: 4] & f_map & ~f_old[w*4 +: 4]) == '0);
            if (al_done_o[w]) begin
                assert (rq_valid_i[w]);
                if (kind[w*2 +: 2] != Keep) assert (ones(al_mask_o[w*4 +: 4]) == rq_size_i[w*3 +: 3]);
                if (kind[w*2 +: 2] == Keep || kind[w*2 +: 2] == Shrink)
                    assert (al_how_o[w*3 +: 3] == InPlace && (al_mask_o[w*4 +: 4] & ~rq_old_mask_i[w*4 +: 4]) == '0);
                else assert (al_how_o[w*3 +: 3] != InPlace);
                assert (!al_none_o[w]);
            end
            // who a bank sees take is who is told so
            assert (take[w] == f_takes[w] && !(take[w] && room[w]));
            if (al_none_o[w]) assert (rq_valid_i[w]);
            // what alloc_bank assumes
            assert (!(left[w] && right[w]) && !(rq_size_i[w*3 + 2] && (left[w] || right[w] || rsv[w])) &&
                    !(rsv[w] && (left[w] || right[w])));
            assert ((bank[w*Banks +: Banks] & (bank[w*Banks +: Banks] - Banks'(1))) == '0);
            for (int b = 0; b < Banks; b = b + 1) if (want[w] && bank[w*Banks + b]) assert (fit[b*NumWr + w]);
            assert (!order[w*NumWr + w]);
            for (int v = 0; v < w; v = v + 1) assert (order[w*NumWr + v] != order[v*NumWr + w]);
        end
        for (int g = 0; g < NumGive; g = g + 1)
            if (give_q[g]) assert (give_mask_q[g*4 +: 4] != '0 && 32'(give_loc_q[g*LocBits +: EntryBits]) < Entries &&
                                   32'(give_loc_q[g*LocBits + EntryBits +: BankBits]) < Banks);
        assert (f_later == f_count);
        cover (f_own == 4'b0011 && f_given == 4'b1100);
        cover (al_done_o == '1 && f_new == '1);
        cover (al_done_o[0] && al_how_o[2:0] == Own && f_al[3:0] == 4'b0111);
    end
`endif
endmodule
