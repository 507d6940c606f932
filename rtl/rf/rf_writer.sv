// SPDX-License-Identifier: Apache-2.0
// Purpose:    a writer of rf_datapath: two stages that place a result and update its bank and the
//             table. Stage 1 itself writes a result that keeps or shrinks its place. Contract:
//             models/rf/rf_datapath.h, `Write`.
// Parameters: Warps, 1..64; Regs, 2..64: registers per warp; Banks, 1..32, and Entries, 2..1024, of the register file.
// Timing:     merge_get_o and rq_*_o (but rq_bd_*_o and rq_valid_o) depend on state alone. Outputs
//             wr_ready_o and wr_done_o answer in the same cycle. A result is in its bank one cycle
//             after it was taken if its place is kept, else two.
// Reset:      no result.
// Left out:   the parts that it uses: width_detect, alloc_unit, packer, banks and table; the
//             selection of the merge read (rf_merge).
// Cost:       two rows of flip-flops, so that a write port takes a result each cycle although finding a place takes one.
// Shapes:     - ; Warps=1,Regs=2,Banks=1,Entries=2 ; Warps=5,Regs=7,Banks=3,Entries=20
// Proof:      1:11:Warps=2,Regs=2,Banks=2,Entries=2
// Proof:      1:11:Warps=1,Regs=3,Banks=1,Entries=2

`include "macros.svh"

module rf_writer #(
    parameter int Warps   = 48,
    parameter int Regs    = 63,
    parameter int Banks   = 4,
    parameter int Entries = 256,
    localparam int Lanes = `NARROW(2, 32),  // lanes do not see each other
    localparam int Row       = Lanes * 32,
    localparam int WarpBits  = Warps > 1 ? $clog2(Warps) : 1,
    localparam int RegBits   = Regs > 1 ? $clog2(Regs) : 1,
    localparam int BankBits  = Banks > 1 ? $clog2(Banks) : 1,
    localparam int EntryBits = Entries > 1 ? $clog2(Entries) : 1
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    // configuration, from registers
    input  logic [1:0]           policy_i,
    input  logic                 pack_i,
    input  logic                 move_i,
    input  logic                 hold_i,
    // a result, with where its register lives and its hints; bytes it takes by width_detect
    input  logic                 wr_valid_i,
    input  logic [WarpBits-1:0]  wr_warp_i,
    input  logic [RegBits-1:0]   wr_reg_i,
    input  logic [Lanes-1:0]     wr_lane_i,
    input  logic [Row-1:0]       wr_data_i,
    input  logic [3:0]           wr_old_mask_i,
    input  logic [BankBits-1:0]  wr_old_bank_i,
    input  logic [EntryBits-1:0] wr_old_entry_i,
    input  logic                 wr_pair_i,
    input  logic [RegBits-1:0]   wr_buddy_i,
    input  logic [1:0]           wr_align_i,
    input  logic [2:0]           wd_size_i,
    output logic                 wr_ready_o,
    output logic                 wr_done_o,
    // the buddy's place
    output logic                 bd_valid_o,
    output logic [WarpBits-1:0]  bd_warp_o,
    output logic [RegBits-1:0]   bd_reg_o,
    input  logic                 bd_ready_i,
    input  logic [3:0]           bd_mask_i,
    input  logic [BankBits-1:0]  bd_bank_i,
    input  logic [EntryBits-1:0] bd_entry_i,
    // a row is looked up ahead of a request
    output logic                 lk_valid_o,
    output logic [BankBits-1:0]  lk_bank_o,
    output logic [EntryBits-1:0] lk_entry_o,
    // the old value is requested (at rq_old_*_o), granted, and valid in the next cycle
    output logic                 merge_ask_o,
    input  logic                 merge_go_i,
    output logic                 merge_get_o,
    input  logic [Row-1:0]       merge_row_i,
    // a place is requested
    output logic                 rq_valid_o,
    output logic [WarpBits-1:0]  rq_warp_o,
    output logic [RegBits-1:0]   rq_reg_o,
    output logic [1:0]           rq_kind_o,
    output logic [2:0]           rq_size_o,
    output logic [1:0]           rq_align_o,
    output logic                 rq_pair_o,
    output logic [3:0]           rq_old_mask_o,
    output logic [BankBits-1:0]  rq_old_bank_o,
    output logic [EntryBits-1:0] rq_old_entry_o,
    output logic [3:0]           rq_bd_mask_o,
    output logic [BankBits-1:0]  rq_bd_bank_o,
    output logic [EntryBits-1:0] rq_bd_entry_o,
    input  logic                 rq_ready_i,
    input  logic                 al_done_i,
    input  logic [1:0]           al_kind_i,
    input  logic [3:0]           al_mask_i,
    input  logic [BankBits-1:0]  al_bank_i,
    input  logic [EntryBits-1:0] al_entry_i,
    // observation: status words of the stages, 160 bits each; their rows
    `OBS_PORT(input  logic                 obs_en_i)
    `OBS_PORT(output logic [319:0]         obs_data_o)
    `OBS_PORT(input  logic                 obs_rows_en_i)
    `OBS_PORT(output logic [2*Row-1:0]     obs_rows_o)
    // it goes to the bank, and its place to the table
    output logic                 bk_valid_o,
    output logic [Lanes-1:0]     bk_lane_o,
    output logic [Row-1:0]       bk_data_o,
    input  logic                 bk_ready_i,
    output logic                 up_valid_o,
    output logic [WarpBits-1:0]  up_warp_o,
    output logic [RegBits-1:0]   up_reg_o,
    input  logic                 up_ready_i,
    output logic [3:0]           mask_o,
    output logic [BankBits-1:0]  bank_o,
    output logic [EntryBits-1:0] entry_o
);

    localparam int PlaceBits = 4 + BankBits + EntryBits;   // {mask, bank, entry}
    localparam logic [1:0] Keep = 2'd0, Shrink = 2'd1, First = 2'd2, Grow = 2'd3;  // al_kind
    localparam logic [1:0] Pair = 2'd1, Align = 2'd2;      // policy
    localparam logic [1:0] Left = 2'd1;                    // alignment
    localparam logic [2:0] StepFirst = 3'd0, StepMergeAsk = 3'd1, StepMergeGet = 3'd2,
                           StepPlace = 3'd3, StepPlaced = 3'd4;

    // A bit per lane to a bit per bit of a row.
    function automatic [Row-1:0] spread(input [Lanes-1:0] lanes);
        integer l;
        reg [Lanes*8-1:0] slice;
        begin
            for (l = 0; l < Lanes; l = l + 1) slice[l*8 +: 8] = {8{lanes[l]}};
            spread = {4{slice}};
        end
    endfunction

    // stage 1
    logic                 busy1_q;
    logic [2:0]           step_q, need_q, had_q;
    logic [WarpBits-1:0]  warp1_q;
    logic [RegBits-1:0]   reg1_q;
    logic [Lanes-1:0]     lane1_q;
    logic [Row-1:0]       data1_q;
    logic [PlaceBits-1:0] place1_q, bd_q;  // old place, new one from StepPlaced on; buddy's
    logic                 pair_q, seek_q;  // it has a buddy, whose place must be requested
    logic                 found_q;         // .., whose place was requested in the previous cycle
    logic [RegBits-1:0]   buddy_q;
    logic [1:0]           align_q, kind_q;
    // stage 2
    logic                 busy2_q, bank2_q, update2_q;   // .., steps done
    logic [WarpBits-1:0]  warp2_q;
    logic [RegBits-1:0]   reg2_q;
    logic [Lanes-1:0]     lane2_q;
    logic [Row-1:0]       data2_q;
    logic [PlaceBits-1:0] place2_q;

    // a result arrives
    logic       full_in, grows_in, pairs_in;
    logic [2:0] had_in, need_in, size_in;
    popcount #(.Width(4)) u_had (
        .set_i(wr_old_mask_i), .count_o(had_in)
    );
    assign full_in     = wr_lane_i == '1;
    assign size_in     = pack_i ? wd_size_i : 3'd4;
    assign need_in     = (hold_i || (!full_in)) && had_in > size_in ? had_in : size_in;
    assign grows_in    = had_in == 3'd0 || need_in > had_in;
    assign pairs_in    = wr_valid_i && wr_pair_i && policy_i == Pair;

    // stage 1: it keeps its place, or fetches its old value, or asks for a place
    logic                 first, full, in_place, give_waits, merge, ask;
    logic [PlaceBits-1:0] bd, al_place;
    logic [3:0]           old_mask;
    logic [1:0]           rq;
    assign first    = busy1_q && step_q == StepFirst;
    assign full     = lane1_q == '1;
    assign old_mask = place1_q[PlaceBits-1 -: 4];
    assign rq       = had_q == 3'd0 ? First : need_q == had_q ? Keep : need_q < had_q ? Shrink : Grow;
    assign bd       = found_q ? {bd_mask_i, bd_bank_i, bd_entry_i} : bd_q;
    assign in_place = first && (rq == Keep || rq == Shrink);
    assign give_waits = in_place && rq == Shrink && !rq_ready_i;  // its slices have no room yet
    assign merge    = first && rq == Grow && !full;
    assign merge_ask_o = merge || (busy1_q && step_q == StepMergeAsk);
    assign merge_get_o = busy1_q && step_q == StepMergeGet;
    assign ask      = busy1_q && !merge_ask_o && !seek_q && step_q != StepPlaced;
    // the buddy's place: requested when the result arrives, again while that was refused
    logic seeks;
    assign seeks      = busy1_q && seek_q;
    assign bd_valid_o = seeks || pairs_in;
    assign bd_warp_o  = seeks ? warp1_q : wr_warp_i;
    assign bd_reg_o   = seeks ? buddy_q : wr_buddy_i;
    // its row: looked up ahead of the request, once it is known that it grows
    logic looks_in;
    assign looks_in   = wr_valid_i && had_in != 3'd0 && grows_in && full_in && (!busy1_q || (first && !give_waits));
    assign lk_valid_o = !move_i && (merge_ask_o || looks_in);
    assign {lk_bank_o, lk_entry_o} = merge_ask_o ? place1_q[PlaceBits-5:0] : {wr_old_bank_i, wr_old_entry_i};
    // the old value fills the lanes that are not written
    logic [Row-1:0]   data1;
    logic [Lanes-1:0] lane1;
    always @* begin
        data1 = data1_q;
        lane1 = lane1_q;
        if (merge_get_o) begin
            data1 = data1_q | (merge_row_i & ~spread(lane1_q));
            lane1 = '1;
        end
    end

    // a place is requested
    assign rq_valid_o = ask;
    assign rq_warp_o  = warp1_q;
    assign rq_reg_o   = reg1_q;
    assign rq_kind_o  = rq;
    assign rq_size_o  = need_q;
    assign rq_align_o = align_q;
    assign rq_pair_o  = pair_q;
    assign {rq_old_mask_o, rq_old_bank_o, rq_old_entry_o} = place1_q;
    assign {rq_bd_mask_o, rq_bd_bank_o, rq_bd_entry_o}    = bd;
    assign al_place   = {al_mask_i, al_bank_i, al_entry_i};

    // Bank and table serve stage 2, or stage 1 if it keeps its place and stage 2 is empty. The kept
    // part of the place does not depend on alloc_unit, whose answer arrives late.
    logic                 fast, serve, needs_bank, needs_update, done;
    logic [3:0]           kept;
    logic [PlaceBits-1:0] place;
    first_ones #(.Width(4)) u_kept (
        .set_i(old_mask), .count_i(need_q), .high_i(policy_i == Align && align_q == Left), .first_o(kept)
    );
    assign fast         = in_place && !give_waits && !busy2_q;
    assign serve        = busy2_q || fast;
    assign place        = busy2_q ? place2_q : {kept, place1_q[PlaceBits-5:0]};
    assign needs_bank   = !(busy2_q && bank2_q);
    assign needs_update = busy2_q ? !update2_q : need_q != had_q;
    assign {mask_o, bank_o, entry_o} = place;
    assign bk_valid_o   = serve && needs_bank;
    assign bk_lane_o    = busy2_q ? lane2_q : lane1_q;
    always @* begin                    // nothing toggles while it does not write
        bk_data_o = '0;
        if (busy2_q)   bk_data_o = data2_q;
        else if (fast) bk_data_o = data1_q;
    end
    assign up_valid_o = serve && needs_update;
    assign up_warp_o  = busy2_q ? warp2_q : warp1_q;
    assign up_reg_o   = busy2_q ? reg2_q : reg1_q;
    assign done       = serve && (!needs_bank || bk_ready_i) && (!needs_update || up_ready_i);
    assign wr_done_o  = done;

    // from stage to stage
    logic has_place, leaves, accepts;
    assign has_place  = busy1_q && step_q == StepPlaced;
    assign leaves     = ((ask && al_done_i) || has_place) && (!busy2_q || done);
    assign accepts    = wr_valid_i && (!busy1_q || leaves);
    assign wr_ready_o = accepts;

    logic [2:0] step_d;
    logic [1:0] kind;
    always @* begin
        step_d = step_q;
        if (merge_ask_o) step_d = merge_go_i ? StepMergeGet : StepMergeAsk;
        else if (ask && al_done_i) step_d = StepPlaced;
        else if (step_q != StepPlaced && !give_waits) step_d = StepPlace;
    end
    assign kind = has_place ? kind_q : al_kind_i;

    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            busy1_q <= 1'b0;
            busy2_q <= 1'b0;
        end else begin
            busy1_q <= accepts || (busy1_q && !leaves);
            busy2_q <= (leaves && !(fast && done)) || (busy2_q && !done);
        end
    end
    always_ff @(posedge clk_i) begin
        if (leaves) begin
            warp2_q   <= warp1_q;
            reg2_q    <= reg1_q;
            lane2_q   <= kind == First ? '1 : lane1;
            data2_q   <= data1;
            place2_q  <= has_place ? place1_q : al_place;
            bank2_q   <= fast && bk_ready_i;
            update2_q <= kind == Keep || (fast && up_ready_i);
        end else begin
            if (bk_ready_i) bank2_q <= 1'b1;
            if (up_ready_i) update2_q <= 1'b1;
        end
    end
    always_ff @(posedge clk_i) begin
        if (accepts) begin
            step_q   <= StepFirst;
            need_q   <= need_in;
            had_q    <= had_in;
            warp1_q  <= wr_warp_i;
            reg1_q   <= wr_reg_i;
            lane1_q  <= wr_lane_i;
            data1_q  <= wr_data_i & spread(wr_lane_i);
            place1_q <= {wr_old_mask_i, wr_old_bank_i, wr_old_entry_i};
            pair_q   <= wr_pair_i;
            buddy_q  <= wr_buddy_i;
            align_q  <= wr_align_i;
            seek_q   <= pairs_in && grows_in && !bd_ready_i;
            found_q  <= pairs_in && bd_ready_i;
            bd_q     <= '0;
        end else if (busy1_q) begin
            step_q   <= step_d;
            if (ask && al_done_i) place1_q <= al_place;
            if (ask) kind_q <= al_kind_i;
            seek_q   <= seek_q && !bd_ready_i;
            found_q  <= seek_q && bd_ready_i;
            bd_q     <= bd;
            if (merge_get_o) begin
                lane1_q <= lane1;
                data1_q <= data1;
            end
        end
    end

    `CHECK_RANGE(rf_writer, Warps, 1, 64)
    `CHECK_RANGE(rf_writer, Regs, 2, 64)
    `CHECK_RANGE(rf_writer, Banks, 1, 32)
    `CHECK_RANGE(rf_writer, Entries, 2, 1024)
    `include "rf/rf_writer.obs.svh"
endmodule
