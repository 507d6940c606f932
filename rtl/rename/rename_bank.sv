// SPDX-License-Identifier: Apache-2.0
// Purpose:    a bank of rename_table: its memory of mappings with two ports and a mapped bit per
//             row. It selects the requests that each port serves in a cycle. Contract:
//             models/rename/rename_table.h, `Ports`.
// Parameters: those of rename_table; `Entries` is not needed, MapBits is the width of a mapping.
// Timing:     grants (.._win_o, walk_may_o) in the cycle of the request; map_o, live_o one cycle
//             later. A lookup sees updates and frees of its own cycle.
// Reset:      everything unmapped; the memory is not reset.
// Left out:   the bank and row of a register, the turns of requests (rename_table).
// Shapes:     - ; Warps=1,Regs=2,Banks=1,NumAlloc=1,NumOps=1,NumWr=1 ; Warps=5,Regs=7,Banks=3,NumAlloc=3,NumOps=2,NumWr=3
// Proof:      2:8:Warps=2,Regs=3,Banks=2,NumAlloc=2,NumOps=1,NumWr=2,MapBits=2
// Proof:      2:8:Warps=1,Regs=3,Banks=1,NumAlloc=1,NumOps=3,NumWr=1,MapBits=2

`include "macros.svh"

module rename_bank #(
    parameter int Warps    = 48,
    parameter int Regs     = 63,
    parameter int Banks    = 4,
    parameter int NumAlloc = 2,
    parameter int NumOps   = 3,
    parameter int NumWr    = 2,
    parameter int MapBits  = 14,
    localparam int WarpBits = Warps > 1 ? $clog2(Warps) : 1,
    localparam int Groups   = (Regs + Banks - 1) / Banks,
    localparam int Slots    = (Warps + Banks - 1) / Banks * Banks,
    localparam int Rows     = Slots * Groups,
    localparam int RowBits  = Rows > 1 ? $clog2(Rows) : 1,
    localparam int NumSrc   = NumAlloc * NumOps,
    localparam int NumLook  = NumWr + NumAlloc,
    localparam int NumAsk   = NumSrc + NumAlloc
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    // requests whose turn is now: ones from the first on
    input  logic [NumSrc-1:0]           src_from_i,
    input  logic [NumAlloc-1:0]         dst_from_i,
    input  logic [NumWr-1:0]            bd_from_i,
    input  logic [NumWr-1:0]            up_from_i,
    // requests to this bank: lookups of sources, then of destinations; of buddies, then of late destinations; updates; a free
    input  logic [NumAsk-1:0]           ask_i,
    input  logic [NumLook-1:0]          look_i,
    input  logic [NumWr-1:0]            up_i,
    input  logic                        fr_i,
    // their rows (in any bank), the mappings that are written
    input  logic [NumSrc*RowBits-1:0]   src_row_i,
    input  logic [NumAlloc*RowBits-1:0] dst_row_i,
    input  logic [NumWr*RowBits-1:0]    bd_row_i,
    input  logic [NumWr*RowBits-1:0]    up_row_i,
    input  logic [NumWr*MapBits-1:0]    up_map_i,
    input  logic [RowBits-1:0]          fr_row_i,
    // a walk: it asks for a row here, which can be taken up; port A is left for it; it frees the row
    input  logic                        walk_i,
    input  logic                        walk_free_i,
    input  logic                        walk_ask_i,
    input  logic [RowBits-1:0]          walk_row_i,
    output logic                        walk_may_o,
    output logic                        walk_take_o,
    // requests that are served, those by port A; whether the freed row is mapped
    output logic [NumAsk-1:0]           ask_win_o,
    output logic [NumAsk-1:0]           ask_win_a_o,
    output logic [NumLook-1:0]          look_win_o,
    output logic [NumLook-1:0]          look_win_a_o,
    output logic [NumWr-1:0]            up_win_o,
    output logic                        fr_win_o,
    output logic                        fr_live_o,
    // answers of the cycle after: {port B, port A}
    output logic [2*MapBits-1:0]        map_o,
    output logic [1:0]                  live_o,
    // A warp's mapped bits, for a walk that begins (copy_i): its registers in this bank. If all of
    // them are in this bank (own_here_i): all registers. First rows of the warp.
    input  logic                        copy_i,
    input  logic [WarpBits-1:0]         walk_warp_i,
    input  logic                        own_here_i,
    input  logic [RowBits-1:0]          spread_row_i,
    input  logic [RowBits-1:0]          own_row_i,
    // observation: a row
    `OBS_PORT(input  logic [RowBits-1:0]          obs_row_i)
    `OBS_PORT(output logic                        obs_live_o)
    `OBS_PORT(output logic [MapBits-1:0]          obs_map_o)
    output logic [Groups-1:0]           spread_o,
    output logic [Banks*Groups-1:0]     own_o
);

    // Two copies of the requests are searched side by side; the first is cut at the turn. The
    // lowest request of both is the first in cyclic order.
    logic [NumAsk-1:0]    ask_first, ask_second;
    logic [2*NumAsk-1:0]  ask_two, ask_rest, ask_1st, ask_2nd;
    logic [NumLook-1:0]   look_first, look_second;
    logic [2*NumLook-1:0] look_two, look_rest, look_1st, look_2nd;
    logic [NumWr-1:0]     up_turn, up_one;
    // sources, in their cyclic order, then destinations in theirs
    always @* begin
        ask_two    = '0;
        ask_1st    = '0;
        ask_first  = '0;
        ask_rest   = '0;
        ask_2nd    = '0;
        ask_second = '0;
        if (ask_i != '0) begin
            ask_two    = {ask_i[NumAsk-1:NumSrc], ask_i[NumAsk-1:NumSrc] & dst_from_i,
                          ask_i[NumSrc-1:0], ask_i[NumSrc-1:0] & src_from_i};
            ask_1st    = ask_two & (~ask_two + (2*NumAsk)'(1));
            ask_first  = {ask_1st[2*NumAsk-1 -: NumAlloc] | ask_1st[2*NumSrc +: NumAlloc],
                          ask_1st[2*NumSrc-1 -: NumSrc] | ask_1st[0 +: NumSrc]};
            ask_rest   = ask_two & ~{{2{ask_first[NumAsk-1:NumSrc]}}, {2{ask_first[NumSrc-1:0]}}};
            ask_2nd    = ask_rest & (~ask_rest + (2*NumAsk)'(1));
            ask_second = {ask_2nd[2*NumAsk-1 -: NumAlloc] | ask_2nd[2*NumSrc +: NumAlloc],
                          ask_2nd[2*NumSrc-1 -: NumSrc] | ask_2nd[0 +: NumSrc]};
        end
    end
    // buddies, in their cyclic order, then late destinations in theirs
    always @* begin
        look_two    = '0;
        look_1st    = '0;
        look_first  = '0;
        look_rest   = '0;
        look_2nd    = '0;
        look_second = '0;
        if (look_i != '0) begin
            look_two    = {look_i[NumLook-1:NumWr], look_i[NumLook-1:NumWr] & dst_from_i,
                           look_i[NumWr-1:0], look_i[NumWr-1:0] & bd_from_i};
            look_1st    = look_two & (~look_two + (2*NumLook)'(1));
            look_first  = {look_1st[2*NumLook-1 -: NumAlloc] | look_1st[2*NumWr +: NumAlloc],
                           look_1st[2*NumWr-1 -: NumWr] | look_1st[0 +: NumWr]};
            look_rest   = look_two & ~{{2{look_first[NumLook-1:NumWr]}}, {2{look_first[NumWr-1:0]}}};
            look_2nd    = look_rest & (~look_rest + (2*NumLook)'(1));
            look_second = {look_2nd[2*NumLook-1 -: NumAlloc] | look_2nd[2*NumWr +: NumAlloc],
                           look_2nd[2*NumWr-1 -: NumWr] | look_2nd[0 +: NumWr]};
        end
    end
    always @* begin
        up_turn = '0;
        up_one  = '0;
        if (up_i != '0) begin
            up_turn = up_i & up_from_i;
            up_one  = up_turn != '0 ? up_turn & (~up_turn + NumWr'(1)) : up_i & (~up_i + NumWr'(1));
        end
    end

    // Port A: update, free, second of `look`, the request of `ask` that port B does not serve,
    // walk. Port B: first of `look`, else of `ask`. A second request is detected before it is
    // selected.
    logic up_en, fr_en, look_en, walk_en, ask_en, b_ask, ask_many;
    logic [NumLook-1:0] look_a;
    logic [NumAsk-1:0]  a_one, b_one;
    assign up_en   = up_i != '0;
    assign fr_en   = !up_en && fr_i;
    assign look_a  = up_en || fr_en ? '0 : look_second;
    assign look_en = (look_i & (look_i - NumLook'(1))) != '0;
    assign ask_en  = !up_en && !fr_en && !look_en;
    assign b_ask   = look_i == '0;
    assign ask_many = (ask_i & (ask_i - NumAsk'(1))) != '0;
    assign a_one   = !ask_en ? '0 : b_ask ? ask_second : ask_first;
    assign b_one   = b_ask ? ask_first : '0;
    assign walk_may_o = walk_free_i && !up_en && !fr_en && !look_en && !(b_ask ? ask_many : ask_i != '0);
    assign walk_en = walk_ask_i && walk_may_o;
    assign up_win_o     = up_one;
    assign look_win_o   = look_a | look_first;
    assign look_win_a_o = look_a;
    assign fr_win_o     = fr_en;
    assign walk_take_o  = walk_en;
    assign ask_win_a_o  = a_one;
    assign ask_win_o    = a_one | b_one;

    logic [RowBits-1:0] a_row, b_row;
    logic [MapBits-1:0] a_data;
    always @* begin
        a_row  = '0;
        a_data = '0;
        b_row  = '0;
        if (up_i != '0)
            for (int w = 0; w < NumWr; w = w + 1)
                if (up_one[w]) begin
                    a_row  = a_row | up_row_i[w*RowBits +: RowBits];
                    a_data = a_data | up_map_i[w*MapBits +: MapBits];
                end
        if (look_i != '0) begin
            for (int w = 0; w < NumWr; w = w + 1) begin
                if (look_a[w]) a_row = a_row | bd_row_i[w*RowBits +: RowBits];
                if (look_first[w]) b_row = b_row | bd_row_i[w*RowBits +: RowBits];
            end
            for (int a = 0; a < NumAlloc; a = a + 1) begin
                if (look_a[NumWr + a]) a_row = a_row | dst_row_i[a*RowBits +: RowBits];
                if (look_first[NumWr + a]) b_row = b_row | dst_row_i[a*RowBits +: RowBits];
            end
        end
        if (fr_en) a_row = a_row | fr_row_i;
        if (walk_i && walk_may_o) a_row = a_row | walk_row_i;    // read in vain where it does not ask
        if (ask_i != '0) begin
            for (int l = 0; l < NumSrc; l = l + 1) begin
                if (!up_en && a_one[l]) a_row = a_row | src_row_i[l*RowBits +: RowBits];
                if (b_one[l]) b_row = b_row | src_row_i[l*RowBits +: RowBits];
            end
            for (int a = 0; a < NumAlloc; a = a + 1) begin
                if (!up_en && a_one[NumSrc + a]) a_row = a_row | dst_row_i[a*RowBits +: RowBits];
                if (b_one[NumSrc + a]) b_row = b_row | dst_row_i[a*RowBits +: RowBits];
            end
        end
    end

    // The memory: port A reads or writes, port B reads. A value that port A writes is forwarded to
    // port B, because only port B serves lookups then.
    logic [MapBits-1:0] mem_q [0:Rows-1];
    logic [MapBits-1:0] a_q, b_q, pass_q;
    // mapped bits: written one cycle later, read beside the output of the memory
    logic [Rows-1:0]    live_q;
    logic [RowBits-1:0] a_row_q, b_row_q;
    logic               late_q, late_up_q;     // row a_row_q is set or freed at the clock edge
    logic               same_row;
    assign same_row = late_q && a_row_q == b_row_q;
    always_ff @(posedge clk_i) begin
        if (up_en) mem_q[a_row] <= a_data;
        else       a_q <= mem_q[a_row];
        b_q <= mem_q[b_row];
    end
    always_ff @(posedge clk_i) begin
        a_row_q    <= a_row;
        b_row_q    <= b_row;
        late_up_q  <= up_en;
        if (up_en) pass_q <= a_data;
        if (!rst_ni) begin
            late_q <= 1'b0;
            live_q <= '0;
        end else begin
            late_q <= up_en || fr_en || walk_en;
            if (late_q) live_q[a_row_q] <= late_up_q;
        end
    end
    assign fr_live_o = late_q && a_row_q == fr_row_i ? late_up_q : live_q[fr_row_i];
    assign map_o     = {same_row ? pass_q : b_q, a_q};
    assign live_o    = {same_row ? late_up_q : live_q[b_row_q], live_q[a_row_q]};

    // ---- For the walk's copy
    // The rows of a warp are adjacent. Mapped bits that change at the clock edge are applied last.
    logic [Groups-1:0]       spread;
    logic [Banks*Groups-1:0] own;
    always @* begin
        spread = '0;
        own    = '0;
        if (copy_i) begin
            for (int s = 0; s < Slots; s = s + 1)
                spread = spread | (live_q[s*Groups +: Groups] & {Groups{spread_row_i == RowBits'(s * Groups)}});
            for (int s = 0; s < Slots / Banks; s = s + 1)
                own = own | (live_q[s*Banks*Groups +: Banks*Groups] &
                             {Banks*Groups{own_here_i && own_row_i == RowBits'(s * Banks * Groups)}});
            if (late_q && 32'(a_row_q) / Groups == 32'(walk_warp_i))
                spread[32'(a_row_q) % Groups] = late_up_q;
            if (late_q && own_here_i && 32'(a_row_q) / (Banks * Groups) == 32'(walk_warp_i) / Banks)
                own[32'(a_row_q) % (Banks * Groups)] = late_up_q;
        end
    end
    assign spread_o = spread;
    assign own_o    = own;

    `CHECK_RANGE(rename_bank, Warps, 1, 64)
    `CHECK_RANGE(rename_bank, Regs, 2, 64)
    `CHECK_RANGE(rename_bank, Banks, 1, 32)
    `CHECK_RANGE(rename_bank, NumAlloc, 1, 4)
    `CHECK_RANGE(rename_bank, NumOps, 1, 3)
    `CHECK_RANGE(rename_bank, NumWr, 1, 4)
    `include "rename/rename_bank.obs.svh"
endmodule
