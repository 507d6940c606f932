// SPDX-License-Identifier: Apache-2.0
// Purpose:    an allocation port of rf_datapath: the entry register in which an instruction waits
//             until its registers are looked up. Behind it is the late register, for the
//             destinations of an instruction that moved on before all of them were. An arriving
//             instruction requests its lookups at once. An instruction in the entry requests
//             refused lookups again, and its further destinations. Contract:
//             models/rf/rf_datapath.h, `Entry`.
// Parameters: Warps, 1..64; Regs, 2..64: registers per warp; Banks, 1..32, and Entries, 2..1024, of the register file;
//             NumOps, 1..3: operands; NumDisp, 1..8: units.
// Timing:     complete_o, dst_late_o, shown_*_o and outputs of the entry (unit_o, need_o, co_reg_o)
//             depend on state alone. Output co_valid_o follows complete_o; co_mask_o, co_bank_o and
//             co_entry_o depend on the table's answers, too. Output is_ready_o answers to moves_i,
//             src_*_o and dst_*_o to is_* and moves_i.
// Reset:      no instruction, nothing late.
// Left out:   the table; which entry gets a collector (rf_datapath).
// Shapes:     - ; Warps=1,Regs=2,Banks=1,Entries=2,NumOps=1,NumDisp=1 ; Warps=5,Regs=7,Banks=3,Entries=20,NumOps=2,NumDisp=3
// Proof:      1:8:Warps=2,Regs=2,Banks=2,Entries=2,NumOps=2,NumDisp=1
// Proof:      1:8:Warps=1,Regs=3,Banks=1,Entries=2,NumOps=1,NumDisp=2

`include "macros.svh"

module rf_lookup #(
    parameter int Warps   = 48,
    parameter int Regs    = 63,
    parameter int Banks   = 4,
    parameter int Entries = 256,
    parameter int NumOps  = 3,
    parameter int NumDisp = 4,
    localparam int WarpBits  = Warps > 1 ? $clog2(Warps) : 1,
    localparam int RegBits   = Regs > 1 ? $clog2(Regs) : 1,
    localparam int BankBits  = Banks > 1 ? $clog2(Banks) : 1,
    localparam int EntryBits = Entries > 1 ? $clog2(Entries) : 1,
    localparam int UnitBits  = NumDisp > 1 ? $clog2(NumDisp) : 1
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    // an instruction arrives
    input  logic                        is_valid_i,
    input  logic [WarpBits-1:0]         is_warp_i,
    input  logic [UnitBits-1:0]         is_unit_i,
    input  logic [NumOps-1:0]           is_need_i,
    input  logic [NumOps*RegBits-1:0]   is_reg_i,
    input  logic [2:0]                  is_dst_n_i,
    input  logic [4*RegBits-1:0]        is_dst_reg_i,
    output logic                        is_ready_o,
    // sources are looked up; the table answers in the cycle after it was ready
    output logic [NumOps-1:0]           src_valid_o,
    output logic [WarpBits-1:0]         src_warp_o,
    output logic [NumOps*RegBits-1:0]   src_reg_o,
    input  logic [NumOps-1:0]           src_ready_i,
    input  logic [NumOps-1:0]           src_answer_i,
    input  logic [NumOps*4-1:0]         src_mask_i,
    input  logic [NumOps*BankBits-1:0]  src_bank_i,
    input  logic [NumOps*EntryBits-1:0] src_entry_i,
    // and destinations, one after the other; for the one that is answered now: whether it is late,
    // its number
    output logic                        dst_valid_o,
    output logic                        dst_late_o,
    output logic [WarpBits-1:0]         dst_warp_o,
    output logic [RegBits-1:0]          dst_reg_o,
    input  logic                        dst_ready_i,
    output logic                        shown_late_o,
    output logic [1:0]                  shown_index_o,
    // the instruction moves to a collector when all is known
    output logic                        complete_o,
    output logic [UnitBits-1:0]         unit_o,
    output logic [NumOps-1:0]           need_o,
    input  logic                        moves_i,
    // observation: the words of the entry
    `OBS_PORT(input  logic                        obs_en_i)
    `OBS_PORT(output logic [319:0]                obs_data_o)
    // with its places
    output logic [NumOps-1:0]           co_valid_o,
    output logic [NumOps*6-1:0]         co_reg_o,
    output logic [NumOps*4-1:0]         co_mask_o,
    output logic [NumOps*BankBits-1:0]  co_bank_o,
    output logic [NumOps*EntryBits-1:0] co_entry_o
);

    localparam int PlaceBits = 4 + BankBits + EntryBits;   // {mask, bank, entry}
    localparam int MaxDst    = 4;                          // destinations of an instruction

    logic                        busy_q;
    logic [WarpBits-1:0]         warp_q;
    logic [UnitBits-1:0]         unit_q;
    logic [NumOps*RegBits-1:0]   reg_q;
    logic [NumOps-1:0]           need_q, again_q, known_q;
    logic [NumOps*PlaceBits-1:0] place_q, place;       // before this cycle; as known in it
    logic [MaxDst*RegBits-1:0]   dst_q;
    logic [2:0]                  dst_n_q, served_q;    // destinations; of these looked up
    logic                        late_q;               // the late register
    logic [WarpBits-1:0]         late_warp_q;
    logic [MaxDst*RegBits-1:0]   late_dst_q;
    logic [2:0]                  late_n_q, late_served_q;
    logic                        shown_late_q;         // the destination that is shown now
    logic [1:0]                  shown_index_q;
    logic                        takes, dst_left, entry_asks;
    logic [2:0]                  served;               // of the entry's, this cycle's too
    assign dst_left   = served_q != dst_n_q;
    assign entry_asks = busy_q && dst_left && !late_q;
    assign served     = entry_asks && dst_ready_i ? served_q + 3'd1 : served_q;
    assign complete_o = busy_q && again_q == '0 && (!dst_left || !late_q);
    assign is_ready_o = !busy_q || moves_i;
    assign takes      = is_valid_i && is_ready_o;

    // lookups
    assign src_valid_o = takes ? is_need_i : busy_q ? again_q : '0;
    assign src_warp_o  = takes ? is_warp_i : warp_q;
    assign src_reg_o   = takes ? is_reg_i : reg_q;
    assign dst_late_o  = late_q;
    assign dst_valid_o = late_q || entry_asks || (takes && is_dst_n_i != 3'd0);
    assign dst_warp_o  = late_q ? late_warp_q : entry_asks ? warp_q : is_warp_i;
    assign dst_reg_o   = late_q     ? late_dst_q[32'(late_served_q[1:0])*RegBits +: RegBits]
                       : entry_asks ? dst_q[32'(served_q[1:0])*RegBits +: RegBits]
                                    : is_dst_reg_i[RegBits-1:0];
    assign shown_late_o  = shown_late_q;
    assign shown_index_o = shown_index_q;

    // the instruction that moves on
    assign unit_o     = unit_q;
    assign need_o     = need_q;
    assign co_valid_o = complete_o ? need_q : '0;
    for (genvar o = 0; o < NumOps; o = o + 1) begin : g_op
        assign place[o*PlaceBits +: PlaceBits] = known_q[o]
            ? place_q[o*PlaceBits +: PlaceBits]
            : {src_mask_i[o*4 +: 4], src_bank_i[o*BankBits +: BankBits], src_entry_i[o*EntryBits +: EntryBits]};
        assign {co_mask_o[o*4 +: 4], co_bank_o[o*BankBits +: BankBits], co_entry_o[o*EntryBits +: EntryBits]} =
            place[o*PlaceBits +: PlaceBits];
        assign co_reg_o[o*6 +: 6] = 6'(reg_q[o*RegBits +: RegBits]);
    end

    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            busy_q <= 1'b0;
            late_q <= 1'b0;
        end else begin
            busy_q <= takes || (busy_q && !moves_i);
            late_q <= late_q ? !dst_ready_i || late_served_q + 3'd1 != late_n_q : moves_i && served != dst_n_q;
        end
    end
    always_ff @(posedge clk_i) begin
        if (!late_q) begin
            late_warp_q   <= warp_q;
            late_dst_q    <= dst_q;
            late_n_q      <= dst_n_q;
            late_served_q <= served;
        end else if (dst_ready_i) late_served_q <= late_served_q + 3'd1;
        shown_late_q  <= late_q || (entry_asks && moves_i);
        shown_index_q <= late_q ? late_served_q[1:0] : entry_asks ? served_q[1:0] : 2'd0;
    end
    always_ff @(posedge clk_i) begin
        if (takes) begin
            warp_q   <= is_warp_i;
            unit_q   <= is_unit_i;
            reg_q    <= is_reg_i;
            need_q   <= is_need_i;
            again_q  <= is_need_i & ~src_ready_i;
            known_q  <= '0;
            dst_q    <= is_dst_reg_i;
            dst_n_q  <= is_dst_n_i;
            served_q <= 3'(dst_ready_i && !late_q && !entry_asks);
        end else if (busy_q) begin
            again_q  <= again_q & ~src_ready_i;
            known_q  <= known_q | src_answer_i;
            place_q  <= place;
            served_q <= served;
        end
    end

    `CHECK_RANGE(rf_lookup, Warps, 1, 64)
    `CHECK_RANGE(rf_lookup, Regs, 2, 64)
    `CHECK_RANGE(rf_lookup, Banks, 1, 32)
    `CHECK_RANGE(rf_lookup, Entries, 2, 1024)
    `CHECK_RANGE(rf_lookup, NumOps, 1, 3)
    `CHECK_RANGE(rf_lookup, NumDisp, 1, 8)
    `include "rf/rf_lookup.obs.svh"
endmodule
