// SPDX-License-Identifier: Apache-2.0
// Purpose:    selects the operation that a bank executes in the next cycle. The order is: a look of
//             a request; urgent renewal of the open rows; a look ahead; a give; renewal that is not
//             urgent. If the word of an operation is written in the cycle of its read, the
//             operation is stale and reads once more. Part of alloc_bank, see
//             models/rename/alloc_unit.h (`Operations`).
// Parameters: Entries, 2..1024: physical registers of the bank; NumWr, 1..4: requests per cycle; NumGive, 3..16:
//             give registers.
// Timing:     read_o, word_o and give_pop_o answer in the same cycle; the operation is valid in the
//             next. All registers hold unless stirs_i is set.
// Reset:      no operation; the entry, its slices and its open row are not reset.
// Left out:   the memory; effects of the operation (alloc_execute, alloc_scan, alloc_open).
// Shapes:     - ; Entries=2,NumWr=1,NumGive=2 ; Entries=100,NumWr=4,NumGive=12
// Proof:      sat:4:Entries=9,NumWr=2,NumGive=2
// Proof:      sat:4:Entries=20,NumWr=1,NumGive=3

`include "macros.svh"

module alloc_select #(
    parameter int Entries = 256,
    parameter int NumWr   = 2,
    parameter int NumGive = 6,
    localparam int EntryBits = Entries > 1 ? $clog2(Entries) : 1,
    localparam int Words     = (Entries + 7) / 8,
    localparam int WordBits  = Words > 1 ? $clog2(Words) : 1,
    localparam int Open      = 5,
    localparam int Ops       = 5
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic                         stirs_i,
    // the map is being cleared
    input  logic                         clear_i,
    // rows that are looked up, for a request or ahead of one; released slices
    input  logic [NumWr-1:0]             relook_i,
    input  logic [NumWr*EntryBits-1:0]   relook_entry_i,
    input  logic [NumWr-1:0]             look_i,
    input  logic [NumWr*EntryBits-1:0]   look_entry_i,
    input  logic [NumGive-1:0]           give_i,
    input  logic [NumGive*EntryBits-1:0] give_entry_i,
    input  logic [NumGive*4-1:0]         give_mask_i,
    output logic [NumGive-1:0]           give_pop_o,
    // the open rows: which they are, which is to close; they have to be renewed
    input  logic [Open-1:0]              valid_i,
    input  logic [Open-1:0]              closing_i,
    input  logic [Open*EntryBits-1:0]    entry_i,
    input  logic                         urgent_i,
    // the scanner: a word may be read, for a fresh row; which
    input  logic                         can_scan_i,
    input  logic                         can_fresh_i,
    input  logic [WordBits-1:0]          fresh_word_i,
    input  logic [WordBits-1:0]          wish_word_i,
    // words that are written, now and in the next cycle
    input  logic                         wrote_i,
    input  logic [WordBits-1:0]          wrote_word_i,
    input  logic                         leaves_i,
    input  logic [WordBits-1:0]          leaving_word_i,
    // the word to be read
    output logic                         read_o,
    output logic [WordBits-1:0]          word_o,
    // The operation (look, give, close, fresh, wish); it is stale, or it executes. Its row, ports
    // of a look, slices of a give; the open row of its entry.
    output logic                         op_o,
    output logic [Ops:1]                 is_o,
    output logic                         stale_o,
    output logic                         looks_o,
    output logic                         gives_o,
    output logic                         closes_o,
    output logic                         freshens_o,
    output logic                         wishes_o,
    output logic [EntryBits-1:0]         entry_o,
    output logic [WordBits-1:0]          op_word_o,
    output logic [NumWr-1:0]             port_o,
    output logic [3:0]                   mask_o,
    output logic [Open-1:0]              hit_o
);

    localparam logic [2:0] None = 3'd0, Look = 3'd1, Give = 3'd2, Close = 3'd3, Fresh = 3'd4, Wish = 3'd5;

    logic [2:0]           op_q;
    logic [Ops:1]         is_q;                 // the same, one-hot
    logic                 stale_q;
    logic [EntryBits-1:0] entry_q;
    logic [NumWr-1:0]     port_q;               // of a look, else 0
    logic [3:0]           mask_q;
    logic [Open-1:0]      hit_q;
    assign op_o    = op_q != None;
    assign stale_o = op_q != None && stale_q;
    assign is_o    = is_q;
    assign entry_o = entry_q;
    assign port_o  = port_q;
    assign mask_o  = mask_q;
    assign hit_o   = hit_q;
    assign op_word_o = WordBits'(entry_q >> 3);
    always @* begin
        looks_o    = 1'b0;
        gives_o    = 1'b0;
        closes_o   = 1'b0;
        freshens_o = 1'b0;
        wishes_o   = 1'b0;
        if (op_q != None) begin
            looks_o    = is_q[Look] && !stale_q;
            gives_o    = is_q[Give] && !stale_q;
            closes_o   = is_q[Close] && !stale_q;
            freshens_o = is_q[Fresh] && !stale_q;
            wishes_o   = is_q[Wish] && !stale_q;
        end
    end

    // ---- Selection
    logic [NumWr-1:0]   relook_one, look_one;
    logic [NumGive-1:0] give_one;
    logic               can_close, busy, before_give;       // an operation precedes the gives
    assign give_pop_o = before_give ? '0 : give_one;
    always @* begin
        can_close   = 1'b0;
        relook_one  = '0;
        look_one    = '0;
        give_one    = '0;
        busy        = 1'b0;
        before_give = 1'b0;
        if (stirs_i) begin
            can_close   = closing_i != '0 && !is_q[Close];
            relook_one  = relook_i & (~relook_i + NumWr'(1));
            look_one    = look_i & (~look_i + NumWr'(1));
            give_one    = give_i & (~give_i + NumGive'(1));
            busy        = clear_i || (stale_q && op_q != None) || relook_i != '0 || look_i != '0;
            before_give = busy || (urgent_i && (can_close || can_scan_i));
        end
    end
    logic [2:0]           op_d;
    logic [EntryBits-1:0] entry_d;
    logic [NumWr-1:0]     port_d;
    logic [3:0]           mask_d;
    always @* begin
        op_d    = None;
        entry_d = '0;
        port_d  = '0;
        mask_d  = '0;
        if (stirs_i) begin
            if (clear_i) op_d = None;
            else if (stale_q && op_q != None) begin
                op_d    = op_q;
                entry_d = entry_q;
                port_d  = port_q;
                mask_d  = mask_q;
            end else if (relook_i != '0) begin
                op_d   = Look;
                port_d = relook_one;
                for (int w = 0; w < NumWr; w = w + 1)
                    if (relook_one[w]) entry_d = entry_d | relook_entry_i[w*EntryBits +: EntryBits];
            end else if (can_close && (urgent_i || (give_i == '0 && look_i == '0))) begin
                op_d = Close;
                for (int k = 0; k < Open; k = k + 1)
                    if (closing_i[k]) entry_d = entry_d | entry_i[k*EntryBits +: EntryBits];
            end else if (can_scan_i && (urgent_i || (give_i == '0 && look_i == '0))) begin
                op_d    = can_fresh_i ? Fresh : Wish;
                entry_d = EntryBits'({can_fresh_i ? fresh_word_i : wish_word_i, 3'd0});
            end else if (look_i != '0) begin
                op_d   = Look;
                port_d = look_one;
                for (int w = 0; w < NumWr; w = w + 1)
                    if (look_one[w]) entry_d = entry_d | look_entry_i[w*EntryBits +: EntryBits];
            end else if (give_i != '0) begin
                op_d = Give;
                for (int g = 0; g < NumGive; g = g + 1)
                    if (give_one[g]) begin
                        entry_d = entry_d | give_entry_i[g*EntryBits +: EntryBits];
                        mask_d  = mask_d | give_mask_i[g*4 +: 4];
                    end
            end
        end
    end
    assign read_o = op_d != None;
    assign word_o = WordBits'(entry_d >> 3);

    // ---- The operation
    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            op_q    <= None;
            port_q  <= '0;
            is_q    <= '0;
            stale_q <= 1'b0;
        end else if (stirs_i) begin
            op_q    <= op_d;
            port_q  <= port_d;
            for (int i = 1; i <= Ops; i = i + 1) is_q[i] <= op_d == 3'(i);
            stale_q <= ((op_q != None && !stale_q && word_o == op_word_o) ||
                       (wrote_i && word_o == wrote_word_i) ||
                       (leaves_i && word_o == leaving_word_i));
        end
    end
    always_ff @(posedge clk_i)
        if (op_d != None) begin
            entry_q <= entry_d;
            mask_q  <= mask_d;
            for (int k = 0; k < Open; k = k + 1)
                hit_q[k] <= valid_i[k] && entry_i[k*EntryBits +: EntryBits] == entry_d;
        end

    `CHECK_RANGE(alloc_select, Entries, 2, 1024)
    `CHECK_RANGE(alloc_select, NumWr, 1, 4)
    `CHECK_RANGE(alloc_select, NumGive, 1, 16)
endmodule
