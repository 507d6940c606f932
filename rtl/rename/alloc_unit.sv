// SPDX-License-Identifier: Apache-2.0
// Purpose:    decides where the registers that are written live: the free register map, the search for
//             free byte slices under the policies first fit, pair (CORF) and align (CORF++), growth,
//             shrinking and freeing, and the compiler's hints. Contract: models/alloc_unit.h.
// Parameters: Banks, 1..32, and Entries, 2..1024, of the register file; Warps, 1..64; NumWr, 1..4:
//             requests per cycle; NumFree, 1..8: registers freed per cycle; NumKernels, 1..8: kernel
//             slots with hints; NumAlloc, 1..4: registers whose hints are looked up per cycle. The
//             other widths follow.
// Timing:     al_ outputs answer rq_ inputs in the same cycle and take effect at the clock edge. The
//             1024 x 4 bit map is not searched in that cycle: each bank (alloc_bank) keeps one
//             candidate per class of place in registers, searched in the map of the cycle before, so
//             that a request only picks a bank. Price of that: an entry allocated from in the cycle
//             before is out of date, who comes to it waits one cycle (so a bank gives places of one
//             class every other cycle), and what is freed can be used two cycles later. Path: bank
//             choice, comparison with the last allocations, conflict between ports. Hints: ha_ one
//             cycle after hq_.
// Reset:      nothing in use, no reservations, no hints, port 0 first.
// Left out:   the walk over a warp's registers at its exit.
// Cost:       per bank 5 flip-flops per entry and ten find-firsts (alloc_bank); per request port one
//             4-bit read of the map; 1 reservation bit per entry more than the paper's 512 bytes.
// Shapes:     -
// Shapes:     Banks=1,Entries=2,Warps=1,NumWr=1,NumFree=1,NumKernels=1,NumAlloc=1
// Shapes:     Banks=3,Entries=20,Warps=5,NumWr=4,NumFree=3,NumKernels=3,NumAlloc=3
// Proof:      sat:6:Banks=1,Entries=2,Warps=1,NumWr=1,NumFree=1,NumKernels=1
// Proof:      pdr:6:Banks=2,Entries=2,Warps=2,NumWr=2,NumFree=1,NumKernels=1
// Proof:      pdr:6:Banks=2,Entries=3,Warps=3,NumWr=2,NumFree=2,NumKernels=1
`ifdef SIM
`define RF_OBS
`endif
`ifdef FORMAL
`define RF_OBS
`endif

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
    // registers that are written
    input  logic [NumWr-1:0]             rq_valid_i,
    input  logic [NumWr*WarpBits-1:0]    rq_warp_i,
    input  logic [NumWr*6-1:0]           rq_reg_i,
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
`ifdef TESTBUG
    input  logic [63:0]                  fault_i,
`endif
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
    // Seeded faults (140..149 are in alloc_bank and alloc_hints).
    // 130  growth does not give the old slices back: used_slices_o, al_kind 3
    // 131  a left-aligned register that shrinks keeps its lowest slices: al_mask_o, al_kind 1, policy 2
    // 132  a candidate out of date is used: al_done_o, two allocations from one entry in a row
    // 133  two ports get the same place: al_done_o, both come to one entry
    // 134  port 0 always comes first: al_done_o, the second of two conflicts
    // 135  a growing register does not look at its own place: al_none_o, al_done_o, full file
    // 136  banks are tried from bank 0 on: al_bank_o, al_done_o, a first bank that is not 0 (two banks)
    // 137  own slices do not count beside the buddy: al_how_o, al_entry_o, al_mask_o, al_done_o, growth in the
    //      buddy's entry
    // 138  reservations never yield: al_bank_o, al_done_o, al_entry_o, policy 1, only reserved
    //      entries have room
    // 139  the first register of a pair reserves nothing: al_entry_o, al_done_o of a later allocation,
    //      policy 1
`ifdef TESTBUG
    integer testbug;
    initial if ($value$plusargs("testbug=%d", testbug) == 0) testbug = 0;
`elsif FORMAL_BUG
    localparam integer testbug = `FORMAL_BUG;
`else
    localparam integer testbug = 0;
`endif

    localparam int Classes   = 10;
    localparam int NumGive   = NumWr + NumFree;
    localparam int CountBits = $clog2(Entries + 1);
    localparam int LocBits   = BankBits + EntryBits;
    localparam logic [1:0] Keep = 2'd0, Shrink = 2'd1, First = 2'd2, Grow = 2'd3;
    localparam logic [2:0] InPlace = 3'd0, Policy = 3'd1, Buddy = 3'd2, Fallback = 3'd3, Own = 3'd4;

    function automatic [2:0] ones(input [3:0] mask);
        ones = (3'(mask[0]) + 3'(mask[1])) + (3'(mask[2]) + 3'(mask[3]));
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

    // ---- State of this level: what was allocated in the cycle before, who comes first, slices in use
    logic [NumWr-1:0]          prev_valid_q;
    logic [NumWr*LocBits-1:0]  prev_loc_q;
    logic [WrBits-1:0]         turn_q, turn_d;
    logic [SliceCountBits-1:0] slices_q, slices_d;
    logic                      pair_policy, align_policy;
    assign pair_policy  = policy_i == 2'd1;
    assign align_policy = policy_i == 2'd2;

    // ---- The banks' candidates: class c of bank b at c * Banks + b
    logic [Classes*Banks-1:0]           cand_valid;
    logic [Classes*Banks*EntryBits-1:0] cand_entry;
    logic [3*Banks*4-1:0]               cand_mask;
    logic [Banks*NumWr*4-1:0]           bank_free;   // the map where the ports look
    logic [Banks*CountBits-1:0]         bank_used;
    logic [NumWr*LocBits-1:0]           look_loc;
    logic [NumWr*LocBits-1:0]           take_loc;
    logic [NumWr*4-1:0]                 take_mask;
    logic [NumWr-1:0]                   take_en, take_rsv, end_en;
    logic [NumWr*LocBits-1:0]           end_loc;
    logic                               end_all;
    logic [NumGive-1:0]                 give_en;
    logic [NumGive*LocBits-1:0]         give_loc;
    logic [NumGive*4-1:0]               give_mask;

    // ---- Requests. What each would take, whatever the others do.
    logic [NumWr-1:0]         want, wait_none, moves, asks_full;
    logic [NumWr*4-1:0]       new_mask;
    logic [NumWr*LocBits-1:0] new_loc;
    logic [NumWr*2-1:0]       kind;
    logic [NumWr*3-1:0]       how;
    for (genvar w = 0; w < NumWr; w = w + 1) begin : g_wr
        logic [2:0]           size, old_size;
        logic [3:0]           old_mask, bd_mask;
        logic [LocBits-1:0]   old_loc, bd_loc;
        logic                 has_buddy, left, right;
        logic [6:0]           number;      // the first bank is this mod Banks
        logic [BankBits-1:0]  base;
        assign size      = rq_size_i[w*3 +: 3];
        assign old_mask  = rq_old_mask_i[w*4 +: 4];
        assign bd_mask   = rq_bd_mask_i[w*4 +: 4];
        assign old_size  = ones(old_mask);
        assign old_loc   = {rq_old_bank_i[w*BankBits +: BankBits],
                            rq_old_entry_i[w*EntryBits +: EntryBits]};
        assign bd_loc    = {rq_bd_bank_i[w*BankBits +: BankBits],
                            rq_bd_entry_i[w*EntryBits +: EntryBits]};
        assign has_buddy = pair_policy && rq_pair_i[w];
        assign left      = align_policy && rq_align_i[w*2 +: 2] == 2'd1;
        assign right     = align_policy && rq_align_i[w*2 +: 2] == 2'd2;
        assign number    = 7'(rq_warp_i[w*WarpBits +: WarpBits]) +
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
            assign base = testbug == 136 ? '0 : number[BankBits-1:0];
        end else begin : g_modulo
            assign base = testbug == 136 ? '0 : BankBits'(number % 7'(Banks));
        end

        logic [1:0] kd;
        logic       search;
        assign kd = old_mask == '0   ? First
                  : old_size == size ? Keep
                  : old_size > size  ? Shrink : Grow;
        assign search = kd == First || kd == Grow;

        // Which banks have a place of the class that is wanted first, and which at all.
        logic [Banks-1:0] any, full, aligned, choice, turned, bank;
        logic             want_full;
        always @* begin
            case (size)
            3'd1:    any = cand_valid[0*Banks +: Banks];
            3'd2:    any = cand_valid[1*Banks +: Banks];
            3'd3:    any = cand_valid[2*Banks +: Banks];
            default: any = cand_valid[3*Banks +: Banks];
            endcase
            case ({left, right, size})
            {2'b10, 3'd1}: aligned = cand_valid[4*Banks +: Banks];
            {2'b10, 3'd2}: aligned = cand_valid[5*Banks +: Banks];
            {2'b10, 3'd3}: aligned = cand_valid[6*Banks +: Banks];
            {2'b01, 3'd1}: aligned = cand_valid[7*Banks +: Banks];
            {2'b01, 3'd2}: aligned = cand_valid[8*Banks +: Banks];
            {2'b01, 3'd3}: aligned = cand_valid[9*Banks +: Banks];
            default:       aligned = '0;
            endcase
        end
        assign full      = cand_valid[3*Banks +: Banks];
        assign want_full = has_buddy && bd_mask == '0;
        // From `base` on the lowest, or else the lowest of all.
        assign choice = want_full && full != '0 ? full : any;
        assign turned = choice & ({Banks{1'b1}} << base);
        assign bank   = turned != '0 ? turned & (~turned + Banks'(1)) : choice & (~choice + Banks'(1));

        // The candidate of that bank.
        logic [BankBits-1:0]  at_bank;
        logic [EntryBits-1:0] at_entry;
        logic [3:0]           at_mask, any_mask;
        logic                 use_full, use_aligned, stale;
        assign use_full    = (want_full && full != '0) || size[2];
        assign use_aligned = (aligned & bank) != '0;
        always @* begin
            at_bank  = '0;
            at_entry = '0;
            any_mask = '0;
            for (int b = 0; b < Banks; b = b + 1)
                if (bank[b]) begin
                    at_bank = at_bank | BankBits'(b);
                    if (use_full)
                        at_entry = at_entry | cand_entry[(3*Banks + b)*EntryBits +: EntryBits];
                    for (int n = 0; n < 3; n = n + 1)
                        if (!use_full && size == 3'(n + 1)) begin
                            any_mask = any_mask | cand_mask[(n*Banks + b)*4 +: 4];
                            at_entry = at_entry | cand_entry[
                                ((use_aligned ? (left ? 4 : 7) + n : n)*Banks + b)*EntryBits +: EntryBits];
                        end
                end
        end
        assign at_mask = use_full ? lowest(4'b1111, size)
                       : use_aligned && left  ? highest(4'b1111, size)
                       : use_aligned && right ? lowest(4'b1111, size) : any_mask;
        always @* begin
            stale = 1'b0;
            for (int v = 0; v < NumWr; v = v + 1)
                if (prev_valid_q[v] && prev_loc_q[v*LocBits +: LocBits] == {at_bank, at_entry})
                    stale = testbug != 132;
        end

        // One look at the map: at the buddy's entry, or at its own when there is nothing else.
        logic       look_own, look_bd, room;
        logic [3:0] own, offer;
        assign look_own = kd == Grow && any == '0 && testbug != 135;
        assign look_bd  = has_buddy && bd_mask != '0 && !look_own;
        assign look_loc[w*LocBits +: LocBits] = look_own ? old_loc : bd_loc;
        assign own      = look_own || (old_loc == bd_loc && testbug != 137) ? old_mask : '0;
        always @* begin
            offer = own;
            for (int b = 0; b < Banks; b = b + 1)
                if (look_loc[w*LocBits + EntryBits +: BankBits] == BankBits'(b))
                    offer = offer | bank_free[(b*NumWr + w)*4 +: 4];
        end
        assign room = (look_own || look_bd) && ones(offer) >= size;

        // Decision
        logic             fresh;
        logic [3:0]       mask;
        logic [2:0]       reason;
        assign fresh  = choice != '0;
        assign mask   = kd == Keep   ? old_mask
                      : kd == Shrink ? (left && testbug != 131 ? highest(old_mask, size)
                                                               : lowest(old_mask, size))
                      : room         ? lowest(offer, size) : at_mask;
        assign reason = !search ? InPlace
                      : room    ? (look_own ? Own : Buddy)
                      : look_bd || (want_full && full == '0) ||
                        ((left || right) && !use_aligned && !size[2]) ? Fallback : Policy;
        assign new_mask[w*4 +: 4]            = mask;
        assign new_loc[w*LocBits +: LocBits] = !search ? old_loc
                                             : room    ? look_loc[w*LocBits +: LocBits]
                                                       : {at_bank, at_entry};
        assign moves[w]       = rq_valid_i[w] && search;
        assign want[w]        = moves[w] && (room || (fresh && !stale));
        assign wait_none[w]   = moves[w] && !room && !fresh;
        assign asks_full[w]   = want_full && full != '0 && !size[2];
        assign kind[w*2 +: 2] = kd;
        assign how[w*3 +: 3]  = reason;
        assign end_en[w]      = take_en[w] && look_bd && reason == Fallback;
        assign end_loc[w*LocBits +: LocBits] = bd_loc;
    end

    // ---- Ports that come to one entry: the first in the order turn, turn + 1, .. has it.
    logic [NumWr-1:0] lose;
    function automatic ahead(input integer v, input integer w, input [WrBits-1:0] turn);
        ahead = (v >= 32'(turn)) == (w >= 32'(turn)) ? v < w : v >= 32'(turn);
    endfunction
    always @* begin
        for (int w = 0; w < NumWr; w = w + 1) begin
            lose[w] = 1'b0;
            for (int v = 0; v < NumWr; v = v + 1)
                if (v != w && want[v] && want[w] && ahead(v, w, turn_q) &&
                    new_loc[v*LocBits +: LocBits] == new_loc[w*LocBits +: LocBits])
                    lose[w] = testbug != 133;
        end
    end
    assign take_en   = want & ~lose;
    assign al_done_o = (rq_valid_i & ~moves) | take_en;
    assign al_none_o = wait_none;
    assign end_all   = pair_policy && wait_none != '0 && testbug != 138;
    // The first in the order that lost; none: turn stays.
    always @* begin
        turn_d = turn_q;
        if (lose != '0 && !(rq_valid_i[turn_q] && !al_done_o[turn_q]) && testbug != 134)
            for (int w = 0; w < NumWr; w = w + 1) begin
                if (lose[w] && (!lose[turn_d] || ahead(w, 32'(turn_d), turn_q)))
                    turn_d = WrBits'(w);
            end
    end
    assign al_kind_o = kind;
    assign al_how_o  = how;
    assign al_mask_o = new_mask;
    for (genvar w = 0; w < NumWr; w = w + 1) begin : g_answer
        assign al_entry_o[w*EntryBits +: EntryBits] = new_loc[w*LocBits +: EntryBits];
        assign al_bank_o[w*BankBits +: BankBits]    = new_loc[w*LocBits + EntryBits +: BankBits];
    end

    // ---- What changes in the map
    assign take_loc  = new_loc;
    assign take_mask = new_mask;
    assign take_rsv  = testbug == 139 ? '0 : asks_full;
    for (genvar w = 0; w < NumWr; w = w + 1) begin : g_give
        // a register that moves or shrinks leaves slices
        assign give_en[w] = al_done_o[w] && (kind[w*2 +: 2] == Shrink ||
                                             (kind[w*2 +: 2] == Grow && testbug != 130));
        assign give_loc[w*LocBits +: LocBits] = {rq_old_bank_i[w*BankBits +: BankBits],
                                                 rq_old_entry_i[w*EntryBits +: EntryBits]};
        assign give_mask[w*4 +: 4] = rq_old_mask_i[w*4 +: 4] &
                                     ~(kind[w*2 +: 2] == Shrink ? new_mask[w*4 +: 4] : 4'd0);
    end
    for (genvar f = 0; f < NumFree; f = f + 1) begin : g_free
        assign give_en[NumWr + f]                       = fr_valid_i[f];
        assign give_loc[(NumWr + f)*LocBits +: LocBits] = {fr_bank_i[f*BankBits +: BankBits],
                                                           fr_entry_i[f*EntryBits +: EntryBits]};
        assign give_mask[(NumWr + f)*4 +: 4]            = fr_mask_i[f*4 +: 4];
    end
    always @* begin
        slices_d = slices_q;
        for (int w = 0; w < NumWr; w = w + 1)
            if (take_en[w]) slices_d = slices_d + SliceCountBits'(ones(take_mask[w*4 +: 4]));
        for (int g = 0; g < NumGive; g = g + 1)
            if (give_en[g]) slices_d = slices_d - SliceCountBits'(ones(give_mask[g*4 +: 4]));
    end

`ifdef TESTBUG
    // The state that fault_i names: as the observation addresses.
    logic [31:0] fault_addr, fault_cand_nr;
    logic [6:0]  fault_bit;
    logic [1:0]  fault_kind;
    logic        fault_cand, fault_hint, fault_rest, unused_fault;
    assign fault_addr    = fault_i[31:0];
    assign fault_bit     = fault_i[38:32];
    assign fault_kind    = fault_i[41:39] == '0 ? fault_i[43:42] : 2'd0;
    assign unused_fault  = ^fault_i[63:44];
    assign fault_cand    = fault_addr >= NumMap && fault_addr < NumMap + NumCand;
    assign fault_cand_nr = fault_addr - NumMap;
    assign fault_hint    = fault_addr >= NumMap + NumCand && fault_addr < NumObs - 1;
    assign fault_rest    = fault_addr == NumObs - 1;
    function automatic fixed(input would_be, input [1:0] k);
        fixed = k == 2'd1 ? !would_be : k == 2'd3;
    endfunction
`endif
    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            prev_valid_q <= '0;
            turn_q       <= '0;
            slices_q     <= '0;
        end else begin
            prev_valid_q <= take_en;
            turn_q       <= turn_d;
            slices_q     <= slices_d;
`ifdef TESTBUG
            if (fault_rest && fault_kind != '0) begin
                for (int i = 0; i < WrBits; i = i + 1)
                    if (32'(fault_bit) == i) turn_q[i] <= fixed(turn_d[i], fault_kind);
                for (int i = 0; i < SliceCountBits; i = i + 1)
                    if (32'(fault_bit) == 32 + i) slices_q[i] <= fixed(slices_d[i], fault_kind);
                for (int w = 0; w < NumWr; w = w + 1)
                    if (32'(fault_bit) == 96 + w) prev_valid_q[w] <= fixed(take_en[w], fault_kind);
            end
`endif
        end
    end
    always_ff @(posedge clk_i)
        for (int w = 0; w < NumWr; w = w + 1)
            if (take_en[w]) prev_loc_q[w*LocBits +: LocBits] <= new_loc[w*LocBits +: LocBits];

    // ---- Banks
`ifdef RF_OBS
    localparam int Groups  = (Entries + 15) / 16;
    localparam int NumMap  = Banks * Groups;
    localparam int NumCand = Banks * Classes;
    localparam int NumHint = NumKernels * 64;
    localparam int NumObs  = NumMap + NumCand + NumHint + 1;
    logic [31:0]          obs_cand_nr;
    logic [8:0]           obs_hint_nr;
    logic [Banks*128-1:0] obs_map;
    logic [Banks*15-1:0]  obs_cand;
    logic [8:0]           obs_hint;
    logic [Banks-1:0]     unused_dirty;  // for the proof
    assign obs_cand_nr = obs_addr_i - NumMap;
    assign obs_hint_nr = 9'(obs_addr_i - (NumMap + NumCand));
`endif
    logic [NumWr*EntryBits-1:0]   take_entry, end_entry, look_entry;
    logic [NumGive*EntryBits-1:0] give_entry;
    for (genvar w = 0; w < NumWr; w = w + 1) begin : g_entry
        assign take_entry[w*EntryBits +: EntryBits] = take_loc[w*LocBits +: EntryBits];
        assign end_entry[w*EntryBits +: EntryBits]  = end_loc[w*LocBits +: EntryBits];
        assign look_entry[w*EntryBits +: EntryBits] = look_loc[w*LocBits +: EntryBits];
    end
    for (genvar g = 0; g < NumGive; g = g + 1) begin : g_give_entry
        assign give_entry[g*EntryBits +: EntryBits] = give_loc[g*LocBits +: EntryBits];
    end
    for (genvar b = 0; b < Banks; b = b + 1) begin : g_bank
        logic [NumWr-1:0]             take_here, end_here;
        logic [NumGive-1:0]           give_here;
        logic [Classes-1:0]           valid;
        logic [Classes*EntryBits-1:0] entry;
        logic [3*4-1:0]               mask;
        for (genvar w = 0; w < NumWr; w = w + 1) begin : g_wr
            assign take_here[w] =
                take_en[w] && take_loc[w*LocBits + EntryBits +: BankBits] == BankBits'(b);
            assign end_here[w]  =
                end_en[w] && end_loc[w*LocBits + EntryBits +: BankBits] == BankBits'(b);
        end
        for (genvar g = 0; g < NumGive; g = g + 1) begin : g_give
            assign give_here[g] =
                give_en[g] && give_loc[g*LocBits + EntryBits +: BankBits] == BankBits'(b);
        end
        for (genvar c = 0; c < Classes; c = c + 1) begin : g_class
            assign cand_valid[c*Banks + b] = valid[c];
            assign cand_entry[(c*Banks + b)*EntryBits +: EntryBits] = entry[c*EntryBits +: EntryBits];
            if (c < 3) begin : g_mask
                assign cand_mask[(c*Banks + b)*4 +: 4] = mask[c*4 +: 4];
            end
        end
`ifdef RF_OBS
        // Which of this bank's groups or candidates an address means; the highest code: none.
        localparam int FirstGroup = b * Groups;
        localparam int FirstCand  = b * Classes;
        logic [3:0] obs_class;
        logic [6:0] obs_group;
        // (a lower address wraps and is above)
`ifdef FORMAL
        assign obs_group = '0;  // the proof sees all maps at once (up to 16 entries)
`else
        assign obs_group = obs_addr_i - FirstGroup < Groups ? 7'(obs_addr_i - FirstGroup) : 7'd127;
`endif
        assign obs_class = obs_cand_nr - FirstCand < Classes ? 4'(obs_cand_nr - FirstCand) : 4'd15;
`endif
`ifdef TESTBUG
        logic       map_here, cand_here;
        logic [9:0] map_entry;
        assign map_here  = fault_addr - FirstGroup < Groups && fault_bit[2:0] < 3'd5;
        assign map_entry = 10'((fault_addr - FirstGroup) * 16 + 32'(fault_bit[6:3]));
        assign cand_here = fault_cand && fault_cand_nr - FirstCand < Classes && fault_bit < 7'd15;
`endif
        alloc_bank #(.Entries(Entries), .NumWr(NumWr), .NumGive(NumGive)) u_bank (
            .clk_i,
            .rst_ni,
            .take_en_i    (take_here),
            .take_entry_i (take_entry),
            .take_mask_i  (take_mask),
            .take_rsv_i   (take_rsv),
            .give_en_i    (give_here),
            .give_entry_i (give_entry),
            .give_mask_i  (give_mask),
            .end_en_i     (end_here),
            .end_entry_i  (end_entry),
            .end_all_i    (end_all),
            .look_entry_i (look_entry),
            .look_free_o  (bank_free[b*NumWr*4 +: NumWr*4]),
`ifdef RF_OBS
            .obs_group_i  (obs_group),
            .obs_class_i  (obs_class),
            .obs_map_o    (obs_map[b*128 +: 128]),
            .obs_cand_o   (obs_cand[b*15 +: 15]),
            .obs_dirty_o  (unused_dirty[b]),
`endif
`ifdef TESTBUG
            .fault_map_i   (map_here ? fault_kind : 2'd0),
            .fault_cand_i  (cand_here ? fault_kind : 2'd0),
            .fault_entry_i (map_entry),
            .fault_class_i (4'(fault_cand_nr - FirstCand)),
            .fault_bit_i   (map_here ? 4'(fault_bit[2:0]) : fault_bit[3:0]),
`endif
            .cand_valid_o (valid),
            .cand_entry_o (entry),
            .cand_mask_o  (mask),
            .used_o       (bank_used[b*CountBits +: CountBits])
        );
    end
    always @* begin
        used_regs_o = '0;
        for (int b = 0; b < Banks; b = b + 1)
            used_regs_o = used_regs_o + RegCountBits'(bank_used[b*CountBits +: CountBits]);
    end
    assign used_slices_o = slices_q;

`ifdef FORMAL
    // Hints have a proof of their own and touch nothing here.
    assign ha_valid_o = '0;
    assign ha_pair_o  = '0;
    assign ha_buddy_o = '0;
    assign ha_align_o = '0;
    assign obs_hint   = '0;
`else
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
`ifdef TESTBUG
        .fault_i      (fault_hint ? fault_kind : 2'd0),
        .fault_slot_i (9'(fault_addr - (NumMap + NumCand))),
        .fault_bit_i  (fault_bit < 7'd9 ? fault_bit[3:0] : 4'd15),
`endif
        .ha_valid_o,
        .ha_pair_o,
        .ha_buddy_o,
        .ha_align_o
    );
`endif

`ifdef RF_OBS
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i < NumMap)
            for (int b = 0; b < Banks; b = b + 1) obs_data_o = obs_data_o | obs_map[b*128 +: 128];
        else if (obs_addr_i < NumMap + NumCand)
            for (int b = 0; b < Banks; b = b + 1)
                obs_data_o = obs_data_o | 128'(obs_cand[b*15 +: 15]);
        else if (obs_addr_i < NumObs - 1) obs_data_o[8:0] = obs_hint;
        else if (obs_addr_i == NumObs - 1) begin
            obs_data_o[31:0]   = 32'(turn_q);
            obs_data_o[63:32]  = 32'(slices_q);
            obs_data_o[95:64]  = 32'(used_regs_o);
            obs_data_o[127:96] = 32'(prev_valid_q);
        end else if (obs_addr_i == 32'hffff_0000) obs_data_o[31:0] = Banks;
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
    // Contract, seen at any entry f_e of any bank f_b (whose map the observation port shows) and any
    // two ports f_w and f_v: no slice is given twice, the map follows, nothing gets lost, places are
    // where the policy wants them, reservations are kept, nobody waits without a reason.
    // Environment: old places and freed ones are in use, each named once.
    (* anyconst *) logic [BankBits-1:0]  f_any_b;
    (* anyconst *) logic [EntryBits-1:0] f_e;
    (* anyconst *) logic [WrBits-1:0]    f_any_w;
    (* anyconst *) logic [WrBits-1:0]    f_any_v;
    logic [BankBits-1:0]     f_b;
    logic [WrBits-1:0]       f_w, f_v;
    assign f_b = Banks > 1 ? f_any_b : '0;
    assign f_w = NumWr > 1 ? f_any_w : '0;
    assign f_v = NumWr > 1 ? f_any_v : '0;
    logic                    f_past;
    logic [Entries*8-1:0]    f_map, f_was_map;      // a byte per entry: slices in use, bit 4 reserved
    logic [Banks*128-1:0]    f_was_all;
    logic [3:0]              f_used, f_given, f_taken, f_next;
    logic                    f_rsv, f_rsv_next, f_rsv_set;
    logic [NumWr-1:0]        f_at_e;                // allocates at f_e now
    logic [NumGive*LocBits-1:0] f_named_loc;        // places named as in use: old ones, freed ones
    logic [NumGive*4-1:0]    f_named;
    logic [3:0]              f_mask, f_old, f_bd;
    logic [2:0]              f_size, f_how;
    logic [1:0]              f_kind, f_align;
    logic [LocBits-1:0]      f_loc, f_old_loc, f_bd_loc;
    logic                    f_done, f_asks, f_paired, f_lost, f_room;
    logic [5:0]              f_count, f_regs;
    logic [3:0]              f_entry_free;
    logic [Classes-1:0]      f_offered;
    initial f_past = 1'b0;
    // Slices in use of an entry.
    function automatic [3:0] f_slices(input [Entries*8-1:0] map, input [EntryBits-1:0] entry);
        f_slices = 4'(map >> 32'(entry) * 8);
    endfunction
    assign f_map     = (Entries*8)'(obs_map >> f_b * 128);
    assign f_was_map = (Entries*8)'(f_was_all >> f_b * 128);
    assign f_used    = f_slices(f_map, f_e);
    assign f_rsv     = f_map[f_e * 8 + 4];
    assign f_mask    = 4'(al_mask_o >> f_w * 4);
    assign f_old     = 4'(rq_old_mask_i >> f_w * 4);
    assign f_bd      = 4'(rq_bd_mask_i >> f_w * 4);
    assign f_size    = 3'(rq_size_i >> f_w * 3);
    assign f_how     = 3'(al_how_o >> f_w * 3);
    assign f_kind    = 2'(al_kind_o >> f_w * 2);
    assign f_align   = 2'(rq_align_i >> f_w * 2);
    assign f_loc     = {BankBits'(al_bank_o >> f_w * BankBits), EntryBits'(al_entry_o >> f_w * EntryBits)};
    assign f_old_loc = {BankBits'(rq_old_bank_i >> f_w * BankBits),
                        EntryBits'(rq_old_entry_i >> f_w * EntryBits)};
    assign f_bd_loc  = {BankBits'(rq_bd_bank_i >> f_w * BankBits),
                        EntryBits'(rq_bd_entry_i >> f_w * EntryBits)};
    assign f_done    = al_done_o[f_w];
    assign f_asks    = rq_valid_i[f_w];
    assign f_paired  = policy_i == 1 && rq_pair_i[f_w];

    // What this cycle does to entry f_e.
    always_comb begin
        f_given   = '0;
        f_taken   = '0;
        f_rsv_set = 1'b0;
        f_rsv_next = f_rsv && !(policy_i == 1 && al_none_o != '0);
        for (int g = 0; g < NumFree; g = g + 1)
            if (fr_valid_i[g] && {fr_bank_i[g*BankBits +: BankBits],
                                  fr_entry_i[g*EntryBits +: EntryBits]} == {f_b, f_e})
                f_given = f_given | fr_mask_i[g*4 +: 4];
        for (int w = 0; w < NumWr; w = w + 1) begin
            f_at_e[w] = al_done_o[w] && al_kind_o[w*2 + 1] &&
                {al_bank_o[w*BankBits +: BankBits], al_entry_o[w*EntryBits +: EntryBits]} == {f_b, f_e};
            if (al_done_o[w] && rq_old_mask_i[w*4 +: 4] != '0 &&
                {rq_old_bank_i[w*BankBits +: BankBits],
                 rq_old_entry_i[w*EntryBits +: EntryBits]} == {f_b, f_e}) begin
                if (al_kind_o[w*2 +: 2] == Grow) f_given = f_given | rq_old_mask_i[w*4 +: 4];
                if (al_kind_o[w*2 +: 2] == Shrink)
                    f_given = f_given | (rq_old_mask_i[w*4 +: 4] & ~al_mask_o[w*4 +: 4]);
            end
            if (f_at_e[w]) begin
                f_taken    = f_taken | al_mask_o[w*4 +: 4];
                f_rsv_next = 1'b0;
                // the first register of a pair reserves what it leaves
                if (policy_i == 1 && rq_pair_i[w] && rq_bd_mask_i[w*4 +: 4] == '0 &&
                    al_how_o[w*3 +: 3] == Policy && rq_size_i[w*3 +: 3] < 4) f_rsv_set = 1'b1;
            end
            // a buddy that does not fit ends the reservation
            if (al_done_o[w] && al_kind_o[w*2 + 1] && al_how_o[w*3 +: 3] == Fallback &&
                policy_i == 1 && rq_pair_i[w] && rq_bd_mask_i[w*4 +: 4] != '0 &&
                {rq_bd_bank_i[w*BankBits +: BankBits],
                 rq_bd_entry_i[w*EntryBits +: EntryBits]} == {f_b, f_e}) f_rsv_next = 1'b0;
        end
        f_next = (f_used & ~f_given) | f_taken;
        f_rsv_next = (f_rsv_next || f_rsv_set) && f_next != '0;
    end
    logic [3:0] f_expect;
    logic       f_expect_rsv;
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        f_expect     <= rst_ni ? f_next : '0;
        f_expect_rsv <= rst_ni && f_rsv_next;
        f_was_all    <= rst_ni ? obs_map : '0;
        f_lost       <= rst_ni && f_asks && !f_done && (f_lost || lose[f_w]);
    end

    // Environment
    always_comb begin
        assume (f_b < Banks && f_e < Entries && f_w < NumWr && f_v < NumWr);
        assume (obs_addr_i == '0);
        f_named_loc = give_loc;
        f_named[NumWr*4 +: NumFree*4] = fr_mask_i;
        f_named[0 +: NumWr*4]         = rq_old_mask_i;
        for (int w = 0; w < NumWr; w = w + 1) begin
            assume (rq_size_i[w*3 +: 3] >= 1 && rq_size_i[w*3 +: 3] <= 4);
            assume (rq_old_bank_i[w*BankBits +: BankBits] < Banks &&
                    rq_old_entry_i[w*EntryBits +: EntryBits] < Entries);
            assume (rq_bd_bank_i[w*BankBits +: BankBits] < Banks &&
                    rq_bd_entry_i[w*EntryBits +: EntryBits] < Entries);
            if (!rq_valid_i[w]) assume (rq_old_mask_i[w*4 +: 4] == '0);
        end
        for (int g = 0; g < NumFree; g = g + 1) begin
            assume (fr_bank_i[g*BankBits +: BankBits] < Banks &&
                    fr_entry_i[g*EntryBits +: EntryBits] < Entries);
            if (!fr_valid_i[g]) assume (fr_mask_i[g*4 +: 4] == '0);
        end
        for (int g = 0; g < NumGive; g = g + 1) begin
            for (int b = 0; b < Banks; b = b + 1)
                if (f_named_loc[g*LocBits + EntryBits +: BankBits] == b)
                    assume ((f_named[g*4 +: 4] & ~f_slices(obs_map[b*128 +: Entries*8],
                                                           f_named_loc[g*LocBits +: EntryBits])) == '0);
            for (int h = 0; h < g; h = h + 1)
                if (f_named_loc[g*LocBits +: LocBits] == f_named_loc[h*LocBits +: LocBits])
                    assume ((f_named[g*4 +: 4] & f_named[h*4 +: 4]) == '0);
        end
    end

    always_comb begin
        f_count      = '0;
        f_regs       = '0;
        f_room       = 1'b0;
        f_entry_free = '0;
        f_offered    = '0;
        if (f_past) begin
        // no two ports come to one place
        for (int w = 0; w < NumWr; w = w + 1)
            for (int v = 0; v < w; v = v + 1)
                if (al_done_o[w] && al_kind_o[w*2 + 1] && al_done_o[v] && al_kind_o[v*2 + 1])
                    assert ({al_bank_o[v*BankBits +: BankBits], al_entry_o[v*EntryBits +: EntryBits]} !=
                            {al_bank_o[w*BankBits +: BankBits], al_entry_o[w*EntryBits +: EntryBits]});
        // who lost against another port comes first until it is served
        assert (turn_q < NumWr && !lose[turn_q]);
        if (NumWr == 2 && f_lost && f_asks) assert (turn_q == f_w);
        // the map follows, and no slice is lost or counted twice (the sum over one bank)
        assert (f_used == f_expect && f_rsv == f_expect_rsv);
        for (int e = 0; e < Entries; e = e + 1) begin
            f_count = f_count + 6'(ones(f_map[e*8 +: 4]));
            if (f_was_map[e*8 +: 4] != '0) f_regs = f_regs + 6'd1;
        end
        if (Banks == 1) assert (6'(used_slices_o) == f_count && 6'(used_regs_o) == f_regs);
        // answers: kind, size, place
        if (f_done) begin
            assert (f_asks && !al_none_o[f_w]);
            if (!f_kind[1] || f_loc[EntryBits +: BankBits] == f_b) assert (ones(f_mask) == f_size);
            assert (f_kind == (f_old == '0 ? First : ones(f_old) == f_size ? Keep
                               : ones(f_old) > f_size ? Shrink : Grow));
            if (f_kind == Keep || f_kind == Shrink)
                assert (f_loc == f_old_loc && (f_mask & ~f_old) == '0 && f_how == InPlace);
            // of the old slices a left-aligned register keeps the upper ones, others the lower ones
            for (int i = 1; i < 4; i = i + 1)
                for (int j = 0; j < i; j = j + 1)
                    if (f_kind == Shrink && f_old[i] && f_old[j])
                        assert (policy_i == 2 && f_align == 1 ? f_mask[i] || !f_mask[j]
                                                              : f_mask[j] || !f_mask[i]);
        end
        if (f_asks && f_old != '0 && ones(f_old) >= f_size) assert (f_done);
        // no slice twice: what is given in this bank is free, or the requester's own
        for (int w = 0; w < NumWr; w = w + 1)
            if (al_done_o[w] && al_kind_o[w*2 + 1] && al_bank_o[w*BankBits +: BankBits] == f_b) begin
                assert (al_entry_o[w*EntryBits +: EntryBits] < Entries);
                assert ((al_mask_o[w*4 +: 4] & f_slices(f_map, al_entry_o[w*EntryBits +: EntryBits]) &
                         ~({rq_old_bank_i[w*BankBits +: BankBits],
                            rq_old_entry_i[w*EntryBits +: EntryBits]} ==
                           {f_b, al_entry_o[w*EntryBits +: EntryBits]}
                           ? rq_old_mask_i[w*4 +: 4] : 4'd0)) == '0);
            end
        if (f_at_e[f_w]) begin
            // what is reserved goes to the buddy, or stays with who lives there
            if (f_rsv) assert (f_how == Buddy || f_how == Own);
            // the first register of a pair has it alone
            if (f_paired && f_bd == '0 && f_how == Policy) assert (f_used == '0);
        end
        if (f_done && f_kind[1]) begin
            if (f_how == Buddy) assert (f_paired && f_bd != '0 && f_loc == f_bd_loc);
            if (f_how == Own) assert (f_kind == Grow && f_loc == f_old_loc);
            // left: the upper slices, right: the lower ones
            if (policy_i == 2 && f_how == Policy && f_align == 1)
                assert (f_mask == highest(4'b1111, f_size));
            if (policy_i == 2 && f_how == Policy && f_align == 2)
                assert (f_mask == lowest(4'b1111, f_size));
        end
        // who waits: nothing was free for it in this bank, nor with itself; or a candidate that was
        // just used, or another port
        for (int e = 0; e < Entries; e = e + 1)
            if (ones(~f_was_map[e*8 +: 4]) >= f_size && !f_was_map[e*8 + 4]) f_room = 1'b1;
        if (al_none_o[f_w]) begin
            assert (f_asks && !f_room);
            if (f_old_loc == {f_b, f_e} && f_old != '0) assert (ones(~f_used | f_old) < f_size);
        end
        if (f_asks && !f_done && !al_none_o[f_w])
            assert (prev_valid_q != '0 || (take_en & ~(NumWr'(1) << f_w)) != '0);
        if (NumWr == 1 && f_asks && !f_done && !al_none_o[f_w]) assert (prev_valid_q != '0);

        // Invariants: where there is a candidate of a class, there is one of any n, in all banks;
        // candidates are what the map of the cycle before offered.
        for (int b = 0; b < Banks; b = b + 1)
            for (int n = 0; n < 3; n = n + 1)
                if (cand_valid[3*Banks + b] || cand_valid[(4 + n)*Banks + b] ||
                    cand_valid[(7 + n)*Banks + b]) assert (cand_valid[n*Banks + b]);
        if (!unused_dirty[f_b]) assert (f_map == f_was_map);
        for (int c = 0; c < Classes; c = c + 1) begin
            for (int e = 0; e < Entries; e = e + 1) begin
                f_entry_free = ~f_was_map[e*8 +: 4];
                if (!f_was_map[e*8 + 4] && (c < 3 ? ones(f_entry_free) > c
                    : c == 3 ? f_entry_free == 4'b1111
                    : c < 7  ? (~f_entry_free & highest(4'b1111, 3'(c - 3))) == '0
                             : (~f_entry_free & lowest(4'b1111, 3'(c - 6))) == '0)) begin
                    f_offered[c] = 1'b1;
                end else
                    assert (!(cand_valid[c*Banks + 32'(f_b)] &&
                              EntryBits'(cand_entry >> (c*Banks + 32'(f_b)) * EntryBits) == e));
            end
            assert (cand_valid[c*Banks + 32'(f_b)] == f_offered[c]);
            if (f_offered[c])
                assert (EntryBits'(cand_entry >> (c*Banks + 32'(f_b)) * EntryBits) < Entries);
            if (c < 3 && f_offered[c]) begin
                f_entry_free = ~f_slices(f_was_map,
                    EntryBits'(cand_entry >> (c*Banks + 32'(f_b)) * EntryBits));
                assert (4'(cand_mask >> (c*Banks + 32'(f_b)) * 4) == lowest(f_entry_free, 3'(c + 1)));
            end
        end
        // what was allocated from in the cycle before is remembered: else the map grew no fuller
        for (int e = 0; e < Entries; e = e + 1) begin
            if ((f_was_map[e*8 +: 4] & f_map[e*8 +: 4]) != f_map[e*8 +: 4] ||
                (f_map[e*8 + 4] && !f_was_map[e*8 + 4])) assert (f_was_taken[e]);
            if (f_map[e*8 + 4]) assert (f_map[e*8 +: 4] != '0);
        end
    end
    end
    // The entries that were allocated from in the cycle before.
    logic [Entries-1:0] f_was_taken;
    always_comb begin
        f_was_taken = '0;
        for (int w = 0; w < NumWr; w = w + 1)
            for (int e = 0; e < Entries; e = e + 1)
                if (prev_valid_q[w] && prev_loc_q[w*LocBits +: LocBits] == {f_b, EntryBits'(e)})
                    f_was_taken[e] = 1'b1;
    end
    always_comb begin
        // a buddy moves in, an own place, a reservation that yields, a full bank, a conflict
        cover (f_past && f_at_e[f_w] && f_how == Buddy && f_rsv && f_kind == First);
        cover (f_past && f_done && f_how == Own && f_size == 3);
        cover (f_past && al_none_o[f_w] && f_rsv && policy_i == 1);
        cover (f_past && f_done && f_kind == Shrink && f_mask == 4'b1000);
        cover (f_past && f_at_e[f_w] && policy_i == 2 && f_how == Policy && f_align == 1 &&
               f_mask == 4'b1100 && f_used == 4'b0001);
        if (NumWr > 1) cover (f_past && f_lost && f_done);
    end
`endif
endmodule
