// SPDX-License-Identifier: Apache-2.0
// Purpose:    executes an operation on its row. For a look whose port wants the row it decides
//             whether the request fits there and in which slices. For a give it releases the
//             slices. Part of alloc_bank, see models/rename/alloc_unit.h (`Operations`).
// Parameters: Entries, 2..1024: physical registers of the bank; NumWr, 1..4: requests per cycle.
// Timing:     combinational; the request of a port arrives before the word of the row.
// Reset:      no state.
// Left out:   rows that a scan loads (alloc_scan).
// Shapes:     - ; Entries=2,NumWr=1 ; Entries=100,NumWr=4
// Proof:      1:1:Entries=9,NumWr=1
// Proof:      1:1:Entries=20,NumWr=2

`include "macros.svh"

module alloc_execute #(
    parameter int Entries = 256,
    parameter int NumWr   = 2,
    localparam int EntryBits = Entries > 1 ? $clog2(Entries) : 1,
    localparam int RowBits   = 5,                     // {reserved, used}
    localparam int Open      = 5
) (
    // an operation; a look, a give, a close that executes; its row; ports of a look, slices of a give
    input  logic                       op_i,
    input  logic                       looks_i,
    input  logic                       gives_i,
    input  logic                       closes_i,
    input  logic [EntryBits-1:0]       op_entry_i,
    input  logic [NumWr-1:0]           op_port_i,
    input  logic [3:0]                 op_mask_i,
    // the row: in the word that was read, or open
    input  logic [8*RowBits-1:0]       word_i,
    input  logic [Open-1:0]            hit_i,
    input  logic [Open-1:0]            rsv_i,
    input  logic [Open*4-1:0]          used_i,
    // the ports: the row that each wants, see alloc_bank
    input  logic [NumWr-1:0]           want_i,
    input  logic [NumWr*EntryBits-1:0] entry_i,
    input  logic [NumWr-1:0]           own_i,
    input  logic [NumWr*4-1:0]         own_mask_i,
    input  logic [NumWr-1:0]           ready_i,
    input  logic [NumWr*3-1:0]         size_i,
    input  logic [NumWr-1:0]           left_i,
    input  logic [NumWr-1:0]           right_i,
    // ports that want this row; it has room and the port moves there; it has too little; the slices
    output logic [NumWr-1:0]           known_o,
    output logic                       room_o,
    output logic                       short_o,
    output logic [3:0]                 mask_o,
    // slices in use at first; slices after a look, which may keep the row reserved; released slices
    output logic [3:0]                 used_o,
    output logic [3:0]                 look_used_o,
    output logic                       look_keep_o,
    output logic [3:0]                 given_o,
    // the row is written to the map; its new contents
    output logic                       write_o,
    output logic [RowBits-1:0]         row_o
);

    `include "rename/slices.svh"

    // ---- The row
    logic [RowBits-1:0] row;
    logic               row_rsv;
    always @* begin
        row = '0;
        {row_rsv, used_o} = '0;
        if (op_i) begin
            row = word_i[32'(3'(op_entry_i))*RowBits +: RowBits];
            {row_rsv, used_o} = hit_i == '0 ? row : '0;
            for (int k = 0; k < Open; k = k + 1)
                if (hit_i[k]) {row_rsv, used_o} = {row_rsv, used_o} | {rsv_i[k], used_i[k*4 +: 4]};
        end
    end

    // ---- A look
    logic [2:0] size;
    logic [3:0] own, at, offer;                       // slices there that are the port's; at the side; that it may have
    logic       ready, is_own, side, left, enough;
    for (genvar w = 0; w < NumWr; w = w + 1) begin : g_known
        assign known_o[w] = looks_i && op_port_i[w] && want_i[w] &&
                            entry_i[w*EntryBits +: EntryBits] == op_entry_i;
    end
    always @* begin
        size        = '0;
        own         = '0;
        ready       = 1'b0;
        is_own      = 1'b0;
        side        = 1'b0;
        left        = 1'b0;
        at          = '0;
        offer       = '0;
        enough      = 1'b0;
        mask_o      = '0;
        look_used_o = '0;
        room_o      = 1'b0;
        short_o     = 1'b0;
        if (op_port_i != '0) begin
            for (int w = 0; w < NumWr; w = w + 1)
                if (op_port_i[w]) begin
                    size   = size | size_i[w*3 +: 3];
                    own    = own | own_mask_i[w*4 +: 4];
                    ready  = ready | ready_i[w];
                    is_own = is_own | own_i[w];
                    side   = side | left_i[w] | right_i[w];
                    left   = left | left_i[w];
                end
            at          = at_end(left, size);
            offer       = ~used_o | own;
            enough      = many(offer, size);
            mask_o      = is_own && side && (offer & at) == at ? at : lowest(offer, size);
            room_o      = enough && ready;
            short_o     = !enough;
            look_used_o = room_o ? (used_o & ~own) | mask_o : used_o;
        end
    end
    assign look_keep_o = is_own || (enough && !ready);     // it stays reserved if it is

    // ---- What is written
    logic       rsv;
    logic [3:0] used;
    assign row_o = {rsv, used};
    always @* begin
        given_o = '0;
        used    = '0;
        rsv     = 1'b0;
        write_o = 1'b0;
        if (op_i) begin
            given_o = op_mask_i;
            used    = looks_i ? look_used_o : gives_i ? used_o & ~given_o : used_o;
            rsv     = row_rsv && (looks_i ? look_keep_o : used_o != (gives_i ? used_o & given_o : '0));
            write_o = (looks_i && known_o != '0 && hit_i == '0) || (gives_i && hit_i == '0) || closes_i;
        end
    end

    `CHECK_RANGE(alloc_execute, Entries, 2, 1024)
    `CHECK_RANGE(alloc_execute, NumWr, 1, 4)
endmodule
