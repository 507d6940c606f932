// SPDX-License-Identifier: Apache-2.0
// Purpose:    a request port of alloc_unit, which places one register that is written. The register
//             keeps its place, shrinks in it, grows in its own row, or moves to its buddy's row,
//             which a bank has looked up. Otherwise the policy selects a place in an open row of a
//             bank. Contract: models/rename/alloc_unit.h.
// Parameters: Banks, 1..32, and Entries, 2..1024, of the register file; Warps, 1..64.
// Timing:     al_ outputs answer rq_ inputs in the same cycle. Outputs search_o .. right_o,
//             relook_o, target_o and target_own_o depend on rq_ inputs and state alone. Outputs
//             bank_o, want_o and opens_o depend on the banks' answers; al_done_o and leaves_o also
//             on take_i. Inputs rq_bd_ reach registers only.
// Reset:      no record of the request.
// Left out:   ports that select the same row (alloc_unit); rows and their search (alloc_bank).
// Shapes:     - ; Banks=1,Entries=2,Warps=1 ; Banks=3,Entries=20,Warps=5
// Proof:      1:6:Banks=2,Entries=4,Warps=4
// Proof:      1:6:Banks=3,Entries=2,Warps=2

`include "macros.svh"

module alloc_request #(
    parameter int Banks   = 4,
    parameter int Entries = 256,
    parameter int Warps   = 48,
    localparam int BankBits  = Banks > 1 ? $clog2(Banks) : 1,
    localparam int EntryBits = Entries > 1 ? $clog2(Entries) : 1,
    localparam int WarpBits  = Warps > 1 ? $clog2(Warps) : 1,
    localparam int LocBits   = BankBits + EntryBits
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    input  logic [1:0]                 policy_i,
    input  logic                       cfg_grow_i,
    input  logic                       cfg_order_i,
    // the register that is written; places are {bank, entry}
    input  logic                       rq_valid_i,
    input  logic [WarpBits-1:0]        rq_warp_i,
    input  logic [5:0]                 rq_reg_i,
    input  logic [1:0]                 rq_kind_i,
    input  logic [2:0]                 rq_size_i,
    input  logic [1:0]                 rq_align_i,
    input  logic                       rq_pair_i,
    input  logic [LocBits-1:0]         rq_old_loc_i,
    input  logic [3:0]                 rq_old_mask_i,
    input  logic [LocBits-1:0]         rq_bd_loc_i,
    input  logic [3:0]                 rq_bd_mask_i,
    // the slices that it releases have an empty give register
    input  logic                       rq_ready_i,
    // A row that is looked up: a repeated look by the banks; the row; slices there that it owns.
    // Output own_want_o: it is the register's own row; row_want_o: it waits for the row; ready_o:
    // it could move there now.
    output logic                       relook_o,
    output logic [LocBits-1:0]         target_o,
    output logic [3:0]                 target_own_o,
    output logic                       own_want_o,
    output logic                       row_want_o,
    output logic                       ready_o,
    // a bank executes a look of this port; the row is known, with room for it, with too little, its slices there
    input  logic [Banks-1:0]           looking_i,
    input  logic [Banks-1:0]           known_i,
    input  logic [Banks-1:0]           room_i,
    input  logic [Banks-1:0]           short_i,
    input  logic [Banks*4-1:0]         row_mask_i,
    // A place in an open row: it searches one, a wholly free row, at the left, right end. Banks
    // that may have a row; that have one; at the requested side; and the place.
    output logic                       search_o,
    output logic                       rsv_o,
    output logic                       left_o,
    output logic                       right_o,
    input  logic [Banks-1:0]           may_full_i,
    input  logic [Banks-1:0]           may_i,
    input  logic [Banks-1:0]           fit_i,
    input  logic [Banks-1:0]           side_i,
    input  logic [Banks*EntryBits-1:0] entry_i,
    input  logic [Banks*4-1:0]         mask_i,
    // Output bank_o: the bank that it selects, one-hot; want_o: it requests the row there; opens_o:
    // its looked-up row has no room. Output waits_o: banks that it waits for; none_o: no bank will
    // have a place.
    output logic [Banks-1:0]           bank_o,
    output logic                       want_o,
    output logic                       opens_o,
    output logic [Banks-1:0]           waits_o,
    output logic                       none_o,
    // it gets the row that it requested
    input  logic                       take_i,
    // where the register lives from now on
    output logic                       al_done_o,
    output logic [2:0]                 al_how_o,
    output logic [LocBits-1:0]         al_loc_o,
    output logic [3:0]                 al_mask_o,
    // slices of the old place that are released, if any
    output logic                       leaves_o,
    output logic [3:0]                 leave_mask_o
);

    localparam logic [1:0] Keep = 2'd0, Shrink = 2'd1, First = 2'd2, Grow = 2'd3;
    localparam logic [2:0] InPlace = 3'd0, Policy = 3'd1, Buddy = 3'd2, Fallback = 3'd3, Own = 3'd4;

    // ---- State of the request
    logic               own_no_q, bd_no_q;       // its own row, its buddy's was looked up and has too little room
    logic               bd_in_q, last_q;         // valid a cycle before; only its own row is left
    logic               bd_full_q;               // bd mask is 0, and a bank might have had a whole row
    logic [LocBits-1:0] bd_loc_q;
    logic [3:0]         bd_mask_q;

    logic [1:0]          kd;
    logic                pair_policy, align_policy;
    logic [6:0]          number;                 // the home bank is this mod Banks
    logic [BankBits-1:0] base;
    assign kd           = rq_kind_i;
    assign pair_policy  = policy_i == 2'd1;
    assign align_policy = policy_i == 2'd2;
    assign search_o     = rq_valid_i && (kd == First || kd == Grow);
    assign left_o       = align_policy && rq_align_i == 2'd1 && !rq_size_i[2];
    assign right_o      = align_policy && rq_align_i == 2'd2 && !rq_size_i[2];
    assign number       = cfg_order_i && !align_policy ? 7'd0
                        : 7'(rq_warp_i) + (align_policy ? 7'd0 : 7'(rq_reg_i));
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

    // ---- A row of its own or of its buddy, looked up in the cycle before
    logic       paired, bd_need, own_here;
    logic       known, room, short;
    logic [3:0] row_mask;
    assign paired       = pair_policy && rq_pair_i && search_o;
    assign own_want_o   = search_o && kd == Grow && (last_q || (!cfg_grow_i && !own_no_q));
    assign bd_need      = paired && (!bd_in_q || (bd_mask_q != '0 && !bd_no_q));
    assign row_want_o   = own_want_o || (bd_need && bd_in_q);
    assign target_o     = own_want_o ? rq_old_loc_i : bd_loc_q;
    assign own_here     = kd == Grow && target_o == rq_old_loc_i;
    assign target_own_o = own_here ? rq_old_mask_i : '0;
    assign ready_o      = kd == First || own_want_o || rq_ready_i;
    assign relook_o     = row_want_o && looking_i == '0;    // not while a look of this port is in flight
    assign known        = known_i != '0;
    always @* begin
        room     = 1'b0;
        short    = 1'b0;
        row_mask = '0;
        for (int b = 0; b < Banks; b = b + 1)
            if (known_i[b]) begin
                room     = room | room_i[b];
                short    = short | short_i[b];
                row_mask = row_mask | row_mask_i[b*4 +: 4];
            end
    end

    // ---- Open rows
    logic             comes, open;
    logic [Banks-1:0] choice, turned, mays, home;
    assign comes   = search_o && (own_want_o ? !bd_need : !bd_need || bd_in_q);  // or might, if there is no room
    assign open    = comes && (!row_want_o || short);
    assign rsv_o   = paired && !rq_size_i[2] && bd_full_q;
    assign mays    = rsv_o ? may_full_i : may_i;
    // Policy 2 waits for the home bank; the others take any open row that fits.
    assign choice  = fit_i != '0 && !align_policy ? fit_i : mays;
    // From `base` on the lowest, or else the lowest of all.
    assign turned  = choice & ({Banks{1'b1}} << base);
    assign bank_o  = turned != '0 ? turned & (~turned + Banks'(1)) : choice & (~choice + Banks'(1));
    assign want_o  = comes && (bank_o & fit_i) != '0 && (kd == First || rq_ready_i);
    assign opens_o = open;
    assign none_o  = open && mays == '0 && !rsv_o;
    // It waits for the bank that it selects, and for its home bank if that may have a row but none
    // fits.
    assign home    = mays & ~fit_i & (Banks'(1) << base);
    assign waits_o = !open ? '0 : (bank_o & fit_i) == '0 ? bank_o | home : home;

    logic [BankBits-1:0]  the_bank;
    logic [EntryBits-1:0] the_entry;
    logic [3:0]           the_mask;
    logic                 sided;
    always @* begin
        the_bank  = '0;
        the_entry = '0;
        the_mask  = '0;
        sided     = 1'b0;
        for (int b = 0; b < Banks; b = b + 1)
            if (bank_o[b]) begin
                the_bank  = the_bank | BankBits'(b);
                the_entry = the_entry | entry_i[b*EntryBits +: EntryBits];
                the_mask  = the_mask | mask_i[b*4 +: 4];
                sided     = sided | side_i[b];
            end
    end

    // ---- Answer
    logic       stays, in_place, want_full;
    logic [3:0] kept;                            // kept slices when it shrinks
    first_ones #(.Width(4)) u_kept (
        .set_i(rq_old_mask_i), .count_i(rq_size_i), .high_i(align_policy && rq_align_i == 2'd1), .first_o(kept)
    );
    assign in_place  = kd == Keep || kd == Shrink;
    assign want_full = paired && bd_mask_q == '0 && !rq_size_i[2];
    assign stays     = room && own_here;
    assign al_done_o = take_i || room || (rq_valid_i && (kd == Keep || (kd == Shrink && rq_ready_i)));
    assign al_how_o  = in_place ? InPlace
                     : room ? (own_want_o ? Own : Buddy)
                     : (paired && bd_mask_q != '0) || (want_full && !rsv_o) || ((left_o || right_o) && !sided) ? Fallback
                     : Policy;
    assign al_loc_o  = in_place ? rq_old_loc_i : room ? target_o : {the_bank, the_entry};
    assign al_mask_o = kd == Keep   ? rq_old_mask_i
                     : kd == Shrink ? kept
                     : room         ? row_mask : the_mask;
    assign leaves_o     = al_done_o && (kd == Shrink || (kd == Grow && !stays));
    assign leave_mask_o = rq_old_mask_i & ~(kd == Shrink ? kept : 4'd0);

    always_ff @(posedge clk_i) begin
        bd_loc_q  <= rq_bd_loc_i;
        bd_mask_q <= rq_bd_mask_i;
        if (!rst_ni) begin
            bd_full_q <= 1'b0;
            own_no_q  <= 1'b0;
            bd_no_q   <= 1'b0;
            bd_in_q   <= 1'b0;
            last_q    <= 1'b0;
        end else begin
            bd_full_q <= rq_bd_mask_i == '0 && may_full_i != '0;
            own_no_q  <= (own_no_q || (short && own_want_o)) && rq_valid_i && !al_done_o;
            bd_no_q   <= (bd_no_q || (short && !own_want_o)) && rq_valid_i && !al_done_o;
            bd_in_q   <= rq_valid_i && !al_done_o;
            last_q    <= (none_o || (last_q && !(known && own_want_o))) && rq_valid_i && !al_done_o;
        end
    end

    `CHECK_RANGE(alloc_request, Banks, 1, 32)
    `CHECK_RANGE(alloc_request, Entries, 2, 1024)
    `CHECK_RANGE(alloc_request, Warps, 1, 64)
endmodule
