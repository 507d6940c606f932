// SPDX-License-Identifier: Apache-2.0
// Purpose:    reads whole warp registers without an instruction. A merge of LARF reads two, which
//             merge_unit gets together; the locality checker reads one at a time. Contract:
//             models/larf/row_reader.h.
// Parameters: Queue, 1..8: merges that wait, the one being read included; Banks, 1..32, and
//             Entries, 2..1024, of the file.
// Timing:     all outputs but un_* from state alone; un_* from state and back_valid_i. A merge that
//             enters in cycle t requests its first row in t + 1. It passes its rows on in the cycle
//             after the last one has arrived.
// Reset:      nothing waits, nothing is in flight.
// Left out:   banks and their arbiter (banked_rf), shifts (merge_unit).
// Shapes:     - ; Queue=1,Banks=2,Entries=1024 ; Queue=3,Banks=1,Entries=2 ; Queue=8,Banks=32,Entries=64
// Proof:      2:10:Queue=1,Banks=1,Entries=2
// Proof:      2:10:Queue=2,Banks=1,Entries=2

`include "macros.svh"

module row_reader #(
    parameter int Queue   = 4,
    parameter int Banks   = 4,
    parameter int Entries = 256,
    localparam int Row     = `NARROW(2, 1024),  // the bits of a row move together
    localparam int Lanes   = `NARROW(2, 32),
    localparam int TagBits = `NARROW(2, 24),
    localparam int ShBits  = $clog2(Lanes) + 1,
    localparam int PhyBits = (Banks > 1 ? $clog2(Banks) : 1) + $clog2(Entries)
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    // merges
    input  logic                 mg_valid_i,
    input  logic [1:0]           mg_use_i,
    input  logic [2*PhyBits-1:0] mg_phys_i,
    input  logic [2*ShBits-1:0]  mg_shift_i,
    input  logic [2*Lanes-1:0]   mg_mask_i,
    input  logic [TagBits-1:0]   mg_tag_i,
    output logic                 mg_ready_o,
    // the locality checker
    input  logic                 qu_valid_i,
    input  logic [PhyBits-1:0]   qu_phys_i,
    input  logic                 drop_i,
    output logic                 qu_ready_o,
    // reads
    input  logic                 rd_grant_i,
    input  logic                 back_valid_i,
    input  logic [Row-1:0]       back_row_i,
    output logic                 rd_valid_o,
    output logic [PhyBits-1:0]   rd_phys_o,
    output logic                 un_valid_o,
    output logic [PhyBits-1:0]   un_phys_o,
    // observation: merges that wait, rows, then parameters
    `OBS_PORT(input  logic [31:0]          obs_addr_i)
    `OBS_PORT(output logic [1023:0]        obs_data_o)
    // to merge_unit
    input  logic                 op_ready_i,
    output logic [1:0]           op_valid_o,
    output logic [2*Row-1:0]     op_row_o,
    output logic [2*ShBits-1:0]  op_shift_o,
    output logic [2*Lanes-1:0]   op_mask_o,
    output logic [TagBits-1:0]   op_tag_o,
    // to the locality checker
    input  logic                 an_ready_i,
    output logic                 an_valid_o,
    output logic [Row-1:0]       an_row_o
);

    localparam int CntBits = $clog2(Queue + 1);
    localparam int Merge   = 2 + TagBits + 2*PhyBits + 2*ShBits + 2*Lanes;
    localparam int ShAt    = 2 + TagBits + 2*PhyBits;  // use, tag, registers, shifts, masks
    localparam int MaskAt  = ShAt + 2*ShBits;

    logic [CntBits-1:0]     count_q, count_d, at;
    logic [Queue*Merge-1:0] merge_q, merge_d;          // the oldest lowest
    logic [1:0]             asked_q, asked_d, come_q, come_d;
    logic                   qu_q, qu_d, qu_asked_q, qu_asked_d, qu_come_q, qu_come_d, qu_void_q, qu_void_d;
    logic [PhyBits-1:0]     qu_phys_q, qu_phys_d;
    logic [3*Row-1:0]       row_q, row_d;              // of the merge, of the question
    // reads in flight, the oldest lowest: 0, 1 a row of the merge, 2 the question's
    logic [1:0]             fly_q, fly_d;              // their number
    logic [5:0]             who_q, who_d;

    logic [1:0]         use_is, wants, gets;
    logic               wants_qu, gets_qu, all, gives, taken, enters, free_slot;
    logic [PhyBits-1:0] phys0, phys1;
    assign use_is = count_q != '0 ? merge_q[1:0] : 2'b00;
    assign phys0  = merge_q[2 + TagBits +: PhyBits];
    assign phys1  = merge_q[2 + TagBits + PhyBits +: PhyBits];

    // ---- Who reads: the oldest merge, else the question
    logic want_qu;
    assign want_qu    = qu_q && !qu_void_q && !qu_asked_q;
    assign wants[0]   = use_is[0] && !asked_q[0];
    assign wants[1]   = use_is[1] && !asked_q[1] && asked_q[0];
    assign wants_qu   = want_qu && wants == 2'b00;
    assign rd_valid_o = wants != 2'b00 || wants_qu;
    assign rd_phys_o  = wants[0] ? phys0 : wants[1] ? phys1 : qu_phys_q;

    // ---- Whose row comes
    logic [1:0] who;
    logic       comes;
    assign comes      = back_valid_i && fly_q != 2'd0;
    assign who        = who_q[1:0];
    assign gets       = {comes && who == 2'd1, comes && who == 2'd0};
    assign gets_qu    = comes && who == 2'd2;
    assign un_valid_o = gets[0] || gets[1];
    assign un_phys_o  = gets[1] ? phys1 : phys0;

    // ---- What is given
    assign all        = use_is != 2'b00 && (use_is & ~come_q) == 2'b00;
    assign gives      = all && op_ready_i;
    assign op_valid_o = all ? use_is : 2'b00;
    assign op_row_o   = row_q[2*Row-1:0];
    assign op_shift_o = merge_q[ShAt +: 2*ShBits];
    assign op_mask_o  = merge_q[MaskAt +: 2*Lanes];
    assign op_tag_o   = merge_q[2 +: TagBits];
    assign an_valid_o = qu_q && qu_come_q && !qu_void_q;
    assign an_row_o   = row_q[2*Row +: Row];
    assign taken      = an_valid_o && an_ready_i;
    assign mg_ready_o = count_q != CntBits'(Queue);
    assign qu_ready_o = !qu_q;
    assign enters     = mg_valid_i && mg_ready_o;

    // ---- Next state
    assign free_slot = comes;
    always @* begin
        at      = count_q - CntBits'(gives);
        count_d = at + CntBits'(enters);
        merge_d = gives ? merge_q >> Merge : merge_q;
        for (int i = 0; i < Queue; i = i + 1)
            if (enters && at == CntBits'(i)) begin
                merge_d[i*Merge +: Merge] = {mg_mask_i, mg_shift_i, mg_phys_i, mg_tag_i, mg_use_i};
            end
        asked_d = gives ? 2'b00 : asked_q | (wants & {2{rd_grant_i}});
        come_d  = gives ? 2'b00 : come_q | gets;
        who_d = free_slot ? who_q >> 2 : who_q;
        fly_d = fly_q - 2'(free_slot);
        if (rd_valid_o && rd_grant_i) begin
            if (fly_d == 2'd0) who_d[1:0] = wants_qu ? 2'd2 : {1'b0, wants[1]};
            if (fly_d == 2'd1) who_d[3:2] = wants_qu ? 2'd2 : {1'b0, wants[1]};
            if (fly_d == 2'd2) who_d[5:4] = wants_qu ? 2'd2 : {1'b0, wants[1]};
            fly_d = fly_d + 2'd1;
        end
    end
    logic qu_ends, qu_under_way;
    assign qu_under_way = (qu_asked_q || (wants_qu && rd_grant_i)) && !qu_come_q && !gets_qu;
    assign qu_ends      = taken || (qu_void_q && gets_qu) || (drop_i && qu_q && !qu_under_way);
    always @* begin
        qu_d       = (qu_q && !qu_ends) || (qu_valid_i && qu_ready_o && !drop_i);
        qu_asked_d = !qu_ends && (qu_asked_q || (wants_qu && rd_grant_i));
        qu_come_d  = !qu_ends && (qu_come_q || gets_qu);
        qu_void_d  = !qu_ends && (qu_void_q || (drop_i && qu_q));
        qu_phys_d  = qu_valid_i && qu_ready_o && !drop_i ? qu_phys_i : qu_phys_q;
        row_d      = row_q;
        if (gets[0]) row_d[0 +: Row] = back_row_i;
        if (gets[1]) row_d[Row +: Row] = back_row_i;
        if (gets_qu) row_d[2*Row +: Row] = back_row_i;
    end
    always_ff @(posedge clk_i) begin
        merge_q   <= merge_d;
        qu_phys_q <= qu_phys_d;
        row_q     <= row_d;
        who_q     <= who_d;
        if (!rst_ni) begin
            count_q    <= '0;
            asked_q    <= '0;
            come_q     <= '0;
            qu_q       <= 1'b0;
            qu_asked_q <= 1'b0;
            qu_come_q  <= 1'b0;
            qu_void_q  <= 1'b0;
            fly_q      <= '0;
        end else begin
            count_q    <= count_d;
            asked_q    <= asked_d;
            come_q     <= come_d;
            qu_q       <= qu_d;
            qu_asked_q <= qu_asked_d;
            qu_come_q  <= qu_come_d;
            qu_void_q  <= qu_void_d;
            fly_q      <= fly_d;
        end
    end

    `CHECK_RANGE(row_reader, Queue, 1, 8)
    `CHECK_RANGE(row_reader, Banks, 1, 32)
    `CHECK_RANGE(row_reader, Entries, 2, 1024)
    `include "larf/row_reader.obs.svh"
endmodule
