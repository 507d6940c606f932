// SPDX-License-Identifier: Apache-2.0
// Purpose:    the five open rows of a bank, in registers. Requests take places from them, looks and
//             gives change them, and full rows leave for the map. If the scanner has a row to open
//             and all are valid, one closes. Part of alloc_bank, see models/rename/alloc_unit.h
//             (`State`).
// Parameters: Entries, 2..1024: physical registers of the bank; NumWr, 1..4: requests per cycle.
// Timing:     come_i, open_i and ahead_i may arrive late, because they reach registers only. All
//             registers hold unless awake_i is set; those that renew rows hold unless stirs_i is
//             set.
// Reset:      no row open; their slices and places are not reset.
// Left out:   which place a port takes (alloc_place), the map (alloc_bank).
// Cost:       about 15 flip-flops per open row.
// Shapes:     - ; Entries=2,NumWr=1 ; Entries=100,NumWr=4
// Proof:      1:10:Entries=9,NumWr=1
// Proof:      1:10:Entries=20,NumWr=2

`include "macros.svh"

module alloc_open #(
    parameter int Entries = 256,
    parameter int NumWr   = 2,
    localparam int EntryBits = Entries > 1 ? $clog2(Entries) : 1,
    localparam int RowBits   = 5,                     // {reserved, used}
    localparam int Open      = 5
) (
    input  logic                      clk_i,
    input  logic                      rst_ni,
    input  logic                      stirs_i,
    input  logic                      awake_i,
    input  logic                      yield_i,
    // Each port requests a place in a row. It takes the place if open_i is set and no port of
    // ahead_i requests the row.
    input  logic [NumWr*Open-1:0]     row_i,
    input  logic [NumWr*4-1:0]        mask_i,
    input  logic [NumWr-1:0]          come_i,
    input  logic [NumWr-1:0]          open_i,
    input  logic [NumWr*NumWr-1:0]    ahead_i,
    input  logic [NumWr-1:0]          take_rsv_i,
    // An operation, the open row of its entry, and whether it is a look or a give. The operation
    // that executes: a look that changes its row, a give or a close. The row's slices in use after
    // the look, whether it stays reserved; released slices.
    input  logic                      op_i,
    input  logic [Open-1:0]           hit_i,
    input  logic                      on_row_i,
    input  logic                      grows_i,
    input  logic                      gives_i,
    input  logic                      closes_i,
    input  logic [3:0]                look_used_i,
    input  logic                      look_keep_i,
    input  logic [3:0]                given_i,
    // a row is opened; the scanner has something to open
    input  logic                      load_i,
    input  logic [EntryBits-1:0]      load_entry_i,
    input  logic [RowBits-1:0]        load_data_i,
    input  logic                      renew_i,
    // the map is written by others
    input  logic                      write_i,
    `OBS_PORT(output logic [2:0]                obs_victim_o)
    output logic [Open-1:0]           valid_o,
    output logic [Open-1:0]           closing_o,
    output logic [Open-1:0]           rsv_o,
    output logic [Open*4-1:0]         used_o,
    output logic [Open*EntryBits-1:0] entry_o,
    // wholly free; places may be given of it; a row is full
    output logic [Open-1:0]           whole_o,
    output logic [Open-1:0]           offered_o,
    output logic                      filled_o,
    // a full row is written to the map
    output logic                      leaves_o,
    output logic [EntryBits-1:0]      leaving_entry_o,
    output logic                      leaving_rsv_o
);

    logic [Open-1:0]           valid_q, closing_q, rsv_q;
    logic [Open*EntryBits-1:0] entry_q;
    logic [Open*4-1:0]         used_q;
    logic [2:0]                victim_q;
    assign valid_o   = valid_q;
    assign closing_o = closing_q;
    assign rsv_o     = rsv_q;
    assign used_o    = used_q;
    assign entry_o   = entry_q;

    // ---- What they are
    logic [Open-1:0] filled;
    for (genvar k = 0; k < Open; k = k + 1) begin : g_open
        assign whole_o[k] = valid_q[k] && used_q[k*4 +: 4] == '0;
        assign filled[k]  = valid_q[k] && used_q[k*4 +: 4] == '1;
    end
    assign offered_o = valid_q & ~closing_q & (yield_i ? '1 : ~rsv_q) & (on_row_i ? ~hit_i : '1);
    assign filled_o  = filled != '0;

    // ---- A row that is full leaves when nothing else is written
    logic [Open-1:0] may_leave, leaving;
    always @* begin
        may_leave       = '0;
        leaves_o        = 1'b0;
        leaving         = '0;
        leaving_entry_o = '0;
        leaving_rsv_o   = 1'b0;
        if (filled != '0) begin
            may_leave = filled & ~closing_q & ~(op_i ? hit_i : '0);
            leaves_o  = may_leave != '0 && !write_i;
            leaving   = leaves_o ? may_leave & (~may_leave + Open'(1)) : '0;
            for (int k = 0; k < Open; k = k + 1)
                if (leaving[k]) begin
                    leaving_entry_o = leaving_entry_o | entry_q[k*EntryBits +: EntryBits];
                    leaving_rsv_o   = leaving_rsv_o | rsv_q[k];
                end
        end
    end

    // ---- A row that closes: a reserved one, else a partly used one, each in turn
    logic [Open-1:0] vacant, spent, part, part_from, victim_of, close_one;
    always @* begin
        vacant    = '0;
        spent     = '0;
        part      = '0;
        part_from = '0;
        victim_of = '0;
        close_one = '0;
        if (stirs_i) begin
            vacant = ~valid_q & (valid_q + Open'(1));             // the lowest that is not valid
            if (valid_q == '1 && closing_q == '0 && renew_i) begin
                for (int k = 0; k < Open; k = k + 1) begin
                    spent[k]     = used_q[k*4 +: 4] != '1 && rsv_q[k] && !yield_i;
                    part[k]      = used_q[k*4 +: 4] != '0 && used_q[k*4 +: 4] != '1;
                    part_from[k] = part[k] && 3'(k) >= victim_q;
                end
                victim_of = spent != '0 ? spent : part_from != '0 ? part_from : part;
                close_one = victim_of & (~victim_of + Open'(1));
            end
        end
    end

    // ---- What becomes of them
    logic [Open-1:0]           valid_d, closing_d, rsv_d;
    logic [Open*EntryBits-1:0] entry_d;
    logic [Open*4-1:0]         used_d;
    logic [3:0]                set, kept, base_used;
    logic                      keeps, base_rsv;
    logic [NumWr-1:0]          comes;
    always @* begin
        set       = '0;
        keeps     = 1'b0;
        comes     = '0;
        kept      = '0;
        base_used = '0;
        base_rsv  = 1'b0;
        valid_d   = '0;
        closing_d = '0;
        entry_d   = '0;
        used_d    = '0;
        rsv_d     = '0;
        if (awake_i) begin
            valid_d   = valid_q;
            closing_d = closing_q;
            entry_d   = entry_q;
            for (int k = 0; k < Open; k = k + 1) begin
                // late; no port takes from a row that is looked up, given to, or not valid
                set   = '0;
                keeps = 1'b0;
                for (int w = 0; w < NumWr; w = w + 1) comes[w] = come_i[w] && row_i[w*Open + k];
                for (int w = 0; w < NumWr; w = w + 1)
                    if (comes[w] && open_i[w] && (comes & ahead_i[w*NumWr +: NumWr]) == '0) begin
                        set   = set | mask_i[w*4 +: 4];
                        keeps = keeps | take_rsv_i[w];
                    end
                kept      = used_q[k*4 +: 4] & ~(gives_i && hit_i[k] ? given_i : '0);
                base_used = kept;
                base_rsv  = rsv_q[k] && kept != '0;
                if (load_i && vacant[k]) {base_rsv, base_used} = load_data_i;
                else if (grows_i && hit_i[k]) begin
                    base_used = look_used_i;
                    base_rsv  = rsv_q[k] && look_keep_i;
                end
                used_d[k*4 +: 4] = base_used | set;
                rsv_d[k]         = base_rsv || keeps;
                if (load_i && vacant[k]) begin
                    valid_d[k] = 1'b1;
                    entry_d[k*EntryBits +: EntryBits] = load_entry_i;
                end else if ((closes_i && hit_i[k]) || leaving[k]) begin
                    valid_d[k]   = 1'b0;
                    closing_d[k] = 1'b0;
                end else if (close_one[k]) closing_d[k] = 1'b1;
            end
        end
    end
    // All open rows in one update.
    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            valid_q   <= '0;
            closing_q <= '0;
        end else if (awake_i) begin
            valid_q   <= valid_d;
            closing_q <= closing_d;
        end
        if (awake_i) begin
            used_q  <= used_d;
            rsv_q   <= rsv_d;
            entry_q <= entry_d;
        end
        if (!rst_ni) victim_q <= '0;
        else if (stirs_i && close_one != '0 && spent == '0)
            for (int k = 0; k < Open; k = k + 1)
                if (close_one[k]) victim_q <= k == Open - 1 ? '0 : 3'(k + 1);
    end

    `CHECK_RANGE(alloc_open, Entries, 2, 1024)
    `CHECK_RANGE(alloc_open, NumWr, 1, 4)
    `include "rename/alloc_open.obs.svh"
endmodule
