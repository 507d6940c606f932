// SPDX-License-Identifier: Apache-2.0
// Purpose:    one bank of the free register map: a memory of words of eight rows, five open rows in
//             registers from which places are given, and the scanner that renews them. Part of
//             alloc_unit, see models/rename/alloc_unit.h (`State`, `Operations`).
// Parameters: Entries, 2..1024: physical registers; NumWr, 1..4: requests per cycle; NumGive, 3..16:
//             give registers.
// Timing:     nothing asked for and nothing under way: it rests, and what leads to its registers does not toggle.
//             One operation per cycle is selected (from state, relook_i, give_i, look_i), reads its word at the clock
//             edge and executes in the next cycle. Places (fit_o .. whole_o) are found in the open rows in the
//             cycle of the request; come_i, open_i and wait_i may come late: they reach registers
//             and the memory's write port only.
// Reset:      no row open; the memory's words are cleared one per cycle.
// Left out:   reservations are not cleared when they yield: yield_i is what makes them void.
// Cost:       per bank a memory of 5 bits per row with one read and one write port, 2 flip-flops per word of eight
//             rows, about 15 per open row.
// Shapes:     - ; Entries=2,NumWr=1,NumGive=2 ; Entries=100,NumWr=4,NumGive=12
// Proof:      sat:14:Entries=9,NumWr=2,NumGive=2
// Proof:      sat:14:Entries=10,NumWr=1,NumGive=1

`include "macros.svh"

module alloc_bank #(
    parameter int Entries = 256,
    parameter int NumWr   = 2,
    parameter int NumGive = 6,
    localparam int EntryBits = Entries > 1 ? $clog2(Entries) : 1,
    localparam int Words     = (Entries + 7) / 8,
    localparam int WordBits  = Words > 1 ? $clog2(Words) : 1,
    localparam int PtrBits   = $clog2(Words + 1),
    localparam int Open      = 5
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    // reservations do not count; they will not from the next cycle on
    input  logic                         yield_i,
    input  logic                         yield_new_i,
    // rows that are looked up: for a request, ahead of one
    input  logic [NumWr-1:0]             relook_i,
    input  logic [NumWr*EntryBits-1:0]   relook_entry_i,
    input  logic [NumWr-1:0]             look_i,
    input  logic [NumWr*EntryBits-1:0]   look_entry_i,
    // a look of the port executes (or is stale)
    output logic [NumWr-1:0]             looking_o,
    // the row that a port wants (relook_entry_i), when a look of it executes: it is the row of the register itself,
    // that grows; slices there that are the port's already; the port waits for it; it may move there
    input  logic [NumWr-1:0]             own_i,
    input  logic [NumWr*4-1:0]           own_mask_i,
    input  logic [NumWr-1:0]             want_i,
    input  logic [NumWr-1:0]             ready_i,
    output logic [NumWr-1:0]             known_o,
    output logic                         room_o,
    output logic                         short_o,
    output logic [3:0]                   row_mask_o,
    // slices given back
    input  logic [NumGive-1:0]           give_i,
    input  logic [NumGive*EntryBits-1:0] give_entry_i,
    input  logic [NumGive*4-1:0]         give_mask_i,
    output logic [NumGive-1:0]           give_pop_o,
    // places in open rows: a wholly free row (late), number of slices, side; rows for them, side_o the side asked for,
    // if the port asks
    input  logic [NumWr-1:0]             ask_i,
    input  logic [NumWr-1:0]             rq_full_i,
    input  logic [NumWr*3-1:0]           rq_size_i,
    input  logic [NumWr-1:0]             rq_left_i,
    input  logic [NumWr-1:0]             rq_right_i,
    output logic                         may_full_o,
    output logic [NumWr-1:0]             may_o,
    output logic [NumWr-1:0]             fit_o,
    output logic [NumWr-1:0]             side_o,
    output logic [NumWr*EntryBits-1:0]   entry_o,
    output logic [NumWr*4-1:0]           mask_o,
    // same_o: ports v and w come to one row. Port w comes for its row here (come_i) and takes it if open_i says so and
    // no port v, bit v of w's in ahead_i, comes for the same and is ahead
    output logic [NumWr*NumWr-1:0]       same_o,
    input  logic [NumWr-1:0]             come_i,
    input  logic [NumWr-1:0]             open_i,
    input  logic [NumWr*NumWr-1:0]       ahead_i,
    input  logic [NumWr-1:0]             take_rsv_i,
    input  logic [NumWr-1:0]             wait_i,
    // what was asked for in the cycle before
    input  logic [NumWr-1:0]             was_lost_i,
    input  logic [NumWr-1:0]             was_full_i,
    input  logic [NumWr*3-1:0]           was_size_i,
    input  logic [NumWr-1:0]             was_left_i,
    input  logic [NumWr-1:0]             was_right_i,
    // observation, if obs_en_i: words 2 obs_pair_i and the one after; one open row; the scanner
    `OBS_PORT(input  logic                         obs_en_i)
    `OBS_PORT(input  logic [6:0]                   obs_pair_i)
    `OBS_PORT(input  logic [2:0]                   obs_row_i)
    `OBS_PORT(output logic [127:0]                 obs_map_o)
    `OBS_PORT(output logic [16:0]                  obs_row_o)
    `OBS_PORT(output logic [127:0]                 obs_scan_o)
    // a wholly free row is open
    output logic                         whole_o,
    // rows that began or ceased to be used in the cycle before
    output logic [NumWr-1:0]             more_o,
    output logic                         less_o
);

    localparam int RowBits = 5;                      // {reserved, used}
    localparam logic [2:0] None = 3'd0, Look = 3'd1, Give = 3'd2, Close = 3'd3, Fresh = 3'd4, Wish = 3'd5;

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
    // The n slices at the left, right end, n = 1..3.
    function automatic [3:0] at_end(input left, input [2:0] n);
        at_end = left ? {1'b1, n != 3'd1, n == 3'd3, 1'b0} : {1'b0, n == 3'd3, n != 3'd1, 1'b1};
    endfunction
    function automatic [3:0] lowest(input [3:0] mask, input [2:0] n);
        integer i;
        for (i = 0; i < 4; i = i + 1)
            lowest[i] = mask[i] && ones(mask & ((4'd1 << i) - 4'd1)) < n;
    endfunction
    // The lowest, the highest of open rows, one-hot.
    function automatic [Open-1:0] first(input [Open-1:0] of, input high);
        integer k;
        reg [Open-1:0] turned;
        begin
            for (k = 0; k < Open; k = k + 1) turned[k] = of[high ? Open - 1 - k : k];
            turned = turned & (~turned + Open'(1));
            for (k = 0; k < Open; k = k + 1) first[k] = turned[high ? Open - 1 - k : k];
        end
    endfunction
    function automatic [WordBits-1:0] word_of(input [EntryBits-1:0] entry);
        word_of = WordBits'(entry >> 3);
    endfunction
    // The rows of a word that exist.
    function automatic [7:0] exist(input [WordBits-1:0] word);
        integer r;
        for (r = 0; r < 8; r = r + 1) exist[r] = 32'(word) * 8 + r < Entries;
    endfunction

    // ---- State
    logic [8*RowBits-1:0]      mem_q [0:Words-1];
    logic [8*RowBits-1:0]      read_q;
    logic [PtrBits-1:0]        clear_q;
    logic [Words-1:0]          full_q, some_q;
    logic [Open-1:0]           valid_q, closing_q, rsv_q;
    logic [Open*EntryBits-1:0] entry_q;
    logic [Open*4-1:0]         used_q;
    logic [2:0]                op_q;
    logic [Wish:1]             is_q;                // the same, one-hot
    logic                      stale_q;
    logic [EntryBits-1:0]      op_entry_q;
    logic [NumWr-1:0]          op_port_q;           // of a look, else 0
    logic [3:0]                op_mask_q;
    logic [Open-1:0]           hit_q;               // the open row of its entry
    logic                      wrote_q;             // a row that is written now
    logic [WordBits-1:0]       wrote_word_q;
    logic [2:0]                wrote_low_q;
    logic [RowBits-1:0]        wrote_row_q;
    logic                      wish_q, demand_q;
    logic [1:0]                wish_n_q, wish_side_q;
    logic [PtrBits-1:0]        ptr_q;
    logic                      moved_q;             // since what executes was selected, ptr or flags changed
    logic [2:0]                level_q, victim_q;
    logic [NumWr-1:0]          came_q, whole_q, wait_q, took, rose_q;
    logic                      less_q;
    assign took   = came_q & ~was_lost_i;
    assign more_o = (took & whole_q) | rose_q;
    assign less_o = less_q;

    // ---- What the open rows are
    logic [Open-1:0] whole, spent, filled, part, offered;
    logic            looks, gives, closes, freshens, wishes;   // what executes
    logic            few_whole, urgent, any_closing, can_fresh;
    logic            stirs, awake;    // else all registers stay as they are: all but open rows, open rows
    for (genvar k = 0; k < Open; k = k + 1) begin : g_open
        assign whole[k]  = valid_q[k] && used_q[k*4 +: 4] == '0;
        assign filled[k] = valid_q[k] && used_q[k*4 +: 4] == '1;
    end
    assign offered     = valid_q & ~closing_q & (yield_i ? '1 : ~rsv_q) & (is_q[Look] || is_q[Give] ? ~hit_q : '1);
    assign any_closing = closing_q != '0;
    assign whole_o     = whole != '0;
    assign few_whole   = (whole & (whole - Open'(1))) == '0;
    assign can_fresh   = few_whole && full_q != '0;
    assign stirs       = op_q != None || wrote_q || moved_q || wish_q || less_q || clear_q != '0 ||
                         (came_q | wait_q | rose_q | relook_i | look_i) != '0 || give_i != '0 || yield_new_i ||
                         filled != '0 || any_closing || can_fresh;
    assign awake       = stirs || ask_i != '0;
    always @* begin
        looks    = 1'b0;
        gives    = 1'b0;
        closes   = 1'b0;
        freshens = 1'b0;
        wishes   = 1'b0;
        if (op_q != None) begin
            looks    = is_q[Look] && !stale_q;
            gives    = is_q[Give] && !stale_q;
            closes   = is_q[Close] && !stale_q;
            freshens = is_q[Fresh] && !stale_q;
            wishes   = is_q[Wish] && !stale_q;
        end
    end

    // ---- Places for requests
    logic [NumWr*Open-1:0] pick;
    logic [NumWr-1:0]      pick_whole;
    logic                  dry_full;
    assign dry_full   = full_q == '0 && !is_q[Fresh] && !any_closing && clear_q == '0;
    assign may_full_o = (whole & offered) != '0 || !dry_full;
    for (genvar w = 0; w < NumWr; w = w + 1) begin : g_wr
        logic [2:0]        size;
        logic              side, some_part, end_part, on_side, is_whole, fit, may;
        logic [3:0]        end_mask, mask;
        logic [Open*4-1:0] row_mask;
        logic [Open-1:0]   fits, ends, one;
        logic [EntryBits-1:0] entry;
        assign size     = rq_size_i[w*3 +: 3];
        assign side     = rq_left_i[w] || rq_right_i[w];
        // Each port has variables of its own: a simulator that sees vectors whole would evaluate the ports for each other
        // without end.
        assign pick[w*Open +: Open] = one;
        assign pick_whole[w]        = is_whole;
        assign side_o[w]            = on_side;
        assign mask_o[w*4 +: 4]     = mask;
        assign entry_o[w*EntryBits +: EntryBits] = entry;
        assign fit_o[w] = fit;
        assign may_o[w] = may;
        always @* begin
            end_mask  = '0;
            fits      = '0;
            fit       = 1'b0;
            may       = 1'b0;
            ends      = '0;
            some_part = 1'b0;
            end_part  = 1'b0;
            row_mask  = '0;
            one       = '0;
            on_side   = 1'b0;
            is_whole  = 1'b0;
            mask      = '0;
            entry     = '0;
            if (ask_i[w]) begin
                end_mask = at_end(rq_left_i[w], size) & 4'b1111;
                for (int k = 0; k < Open; k = k + 1) fits[k] = offered[k] && many(~used_q[k*4 +: 4], size);
                fit = rq_full_i[w] ? (offered & whole) != '0 : fits != '0;
                may = fits != '0 || !dry_full || (!size[2] && size < level_q);
                for (int k = 0; k < Open; k = k + 1)
                    ends[k] = offered[k] && side && (used_q[k*4 +: 4] & end_mask) == '0;
                some_part = (fits & ~whole) != '0;
                end_part  = (ends & ~whole) != '0;
                on_side   = ends != '0;
                is_whole  = rq_full_i[w] || (ends != '0 ? !end_part : !some_part);
                // of all the choices the first, side by side
                one = rq_full_i[w] ? first(offered & whole, w % 2 == 1)
                    : ends != '0   ? (end_part ? first(ends & ~whole, w % 2 == 1) : first(ends & whole, w % 2 == 1))
                    : some_part    ? first(fits & ~whole, w % 2 == 1)
                                   : first(fits & whole, w % 2 == 1);
                for (int k = 0; k < Open; k = k + 1) begin
                    row_mask[k*4 +: 4] = ends != '0 ? end_mask : lowest(~used_q[k*4 +: 4], size);
                    if (one[k]) begin
                        mask  = mask | row_mask[k*4 +: 4];
                        entry = entry | entry_q[k*EntryBits +: EntryBits];
                    end
                end
            end
        end
        for (genvar v = 0; v < NumWr; v = v + 1) begin : g_same
            assign same_o[w*NumWr + v] = (pick[w*Open +: Open] & pick[v*Open +: Open]) != '0;
        end
    end

    // ---- Execution
    logic [WordBits-1:0] op_word;
    logic [RowBits-1:0]  row;
    logic [3:0]          row_used, new_used;
    logic                row_rsv, new_rsv, write;
    logic [7:0]          unopened, found, found_one, useful;
    logic                load;
    logic [2:0]          load_row;
    logic [RowBits-1:0]  load_data;
    assign op_word     = word_of(op_entry_q);
    assign looking_o   = op_port_q;
    // what becomes of the row that is known: the port's values are there before the word is read
    logic [2:0] look_size;
    logic [3:0] look_own, look_end, offer, look_used;
    logic       look_ready, look_is_own, look_side, look_left, enough, row_write, row_keep;
    for (genvar w = 0; w < NumWr; w = w + 1) begin : g_known
        assign known_o[w] = looks && op_port_q[w] && want_i[w] &&
                            relook_entry_i[w*EntryBits +: EntryBits] == op_entry_q;
    end
    always @* begin
        look_size   = '0;
        look_own    = '0;
        look_ready  = 1'b0;
        look_is_own = 1'b0;
        look_side   = 1'b0;
        look_left   = 1'b0;
        look_end    = '0;
        offer       = '0;
        enough      = 1'b0;
        row_mask_o  = '0;
        look_used   = '0;
        room_o      = 1'b0;
        short_o     = 1'b0;
        if (op_port_q != '0) begin
            for (int w = 0; w < NumWr; w = w + 1)
                if (op_port_q[w]) begin
                    look_size   = look_size | rq_size_i[w*3 +: 3];
                    look_own    = look_own | own_mask_i[w*4 +: 4];
                    look_ready  = look_ready | ready_i[w];
                    look_is_own = look_is_own | own_i[w];
                    look_side   = look_side | rq_left_i[w] | rq_right_i[w];
                    look_left   = look_left | rq_left_i[w];
                end
            look_end   = at_end(look_left, look_size);
            offer      = ~row_used | look_own;
            enough     = many(offer, look_size);
            row_mask_o = look_is_own && look_side && (offer & look_end) == look_end ? look_end
                                                                                  : lowest(offer, look_size);
            room_o     = enough && look_ready;
            short_o    = !enough;
            look_used  = room_o ? (row_used & ~look_own) | row_mask_o : row_used;
        end
    end
    assign row_write  = known_o != '0;
    assign row_keep   = look_is_own || (enough && !look_ready);     // it stays reserved if it is
    always @* begin
        row = '0;
        {row_rsv, row_used} = '0;
        if (op_q != None) begin
            row = read_q[32'(3'(op_entry_q))*RowBits +: RowBits];
            {row_rsv, row_used} = hit_q == '0 ? row : '0;
            for (int k = 0; k < Open; k = k + 1)
                if (hit_q[k]) {row_rsv, row_used} = {row_rsv, row_used} | {rsv_q[k], used_q[k*4 +: 4]};
        end
    end
    logic [3:0] given;
    always @* begin
        given    = '0;
        new_used = '0;
        new_rsv  = 1'b0;
        write    = 1'b0;
        if (op_q != None) begin
            given    = op_mask_q;
            new_used = looks ? look_used : gives ? row_used & ~given : row_used;
            new_rsv  = row_rsv && (looks ? row_keep : row_used != (gives ? row_used & given : '0));
            write    = (looks && row_write && hit_q == '0) || (gives && hit_q == '0) || closes;
        end
    end
    // a row that is full leaves when nothing else is written
    logic                 leaves;
    logic [Open-1:0]      may_leave, leaving;
    logic [EntryBits-1:0] leaving_entry;
    logic                 leaving_rsv;
    always @* begin
        may_leave     = '0;
        leaves        = 1'b0;
        leaving       = '0;
        leaving_entry = '0;
        leaving_rsv   = 1'b0;
        if (filled != '0) begin
            may_leave = filled & ~closing_q & ~(op_q != None ? hit_q : '0);
            leaves    = may_leave != '0 && !write && clear_q == '0;
            leaving   = leaves ? may_leave & (~may_leave + Open'(1)) : '0;
            for (int k = 0; k < Open; k = k + 1)
                if (leaving[k]) begin
                    leaving_entry = leaving_entry | entry_q[k*EntryBits +: EntryBits];
                    leaving_rsv   = leaving_rsv | rsv_q[k];
                end
        end
    end
    logic wrote_full, wrote_some;
    always @* begin
        wrote_full = 1'b0;
        wrote_some = 1'b0;
        if (wrote_q) begin
            wrote_full = wrote_row_q[3:0] == '0;
            wrote_some = wrote_row_q[3:0] != '0 && wrote_row_q[3:0] != '1 && (!wrote_row_q[4] || yield_i);
        end
    end
    // rows of the word that was read
    always @* begin
        unopened  = '0;
        found     = '0;
        found_one = '0;
        useful    = '0;
        load      = 1'b0;
        load_row  = '0;
        load_data = '0;
        if (freshens || wishes) begin
            unopened = exist(op_word);
            for (int k = 0; k < Open; k = k + 1)
                if (valid_q[k] && word_of(entry_q[k*EntryBits +: EntryBits]) == op_word)
                    unopened[3'(entry_q[k*EntryBits +: EntryBits])] = 1'b0;
            for (int r = 0; r < 8; r = r + 1) begin
                useful[r] = unopened[r] && read_q[r*RowBits +: 4] != '0 && read_q[r*RowBits +: 4] != '1 &&
                            !(read_q[r*RowBits + 4] && !yield_i);
                found[r]  = freshens ? unopened[r] && read_q[r*RowBits +: 4] == '0
                          : useful[r] && many(~read_q[r*RowBits +: 4], {1'b0, wish_n_q}) &&
                            (wish_side_q == '0 ||
                             (read_q[r*RowBits +: 4] & at_end(wish_side_q[0], {1'b0, wish_n_q})) == '0);
            end
            load      = found != '0;
            found_one = found & (~found + 8'd1);
            for (int r = 0; r < 8; r = r + 1)
                if (found_one[r]) begin
                    load_row  = load_row | 3'(r);
                    load_data = load_data | read_q[r*RowBits +: RowBits];
                end
            if (freshens) load_data[4] = 1'b0;
        end
    end

    // ---- Selection
    logic [2:0]           sel_op;
    logic [EntryBits-1:0] sel_entry;
    logic [NumWr-1:0]     sel_port;
    logic [3:0]           sel_mask;
    logic [WordBits-1:0]  sel_word, fresh_word, wish_word;
    logic                 can_wish, can_scan, can_close, scanning;
    logic [Words-1:0]     ahead;
    function automatic [WordBits-1:0] first_word(input [Words-1:0] flags);
        integer i;
        reg [Words-1:0] one;
        begin
            one = flags & (~flags + Words'(1));
            first_word = '0;
            for (i = 0; i < Words; i = i + 1) if (one[i]) first_word = first_word | WordBits'(i);
        end
    endfunction
    logic [NumWr-1:0]   relook_one, look_one;
    logic [NumGive-1:0] give_one;
    logic               busy, before_give;       // what there is before the gives
    assign scanning    = is_q[Fresh] || is_q[Wish];
    assign give_pop_o  = before_give ? '0 : give_one;
    always @* begin
        ahead       = '0;
        fresh_word  = '0;
        wish_word   = '0;
        urgent      = 1'b0;
        can_wish    = 1'b0;
        can_scan    = 1'b0;
        can_close   = 1'b0;
        relook_one  = '0;
        look_one    = '0;
        give_one    = '0;
        busy        = 1'b0;
        before_give = 1'b0;
        if (stirs) begin
            ahead      = some_q & ({Words{1'b1}} << ptr_q);
            urgent     = whole == '0 || (wish_q && demand_q);
            can_wish   = wish_q && ahead != '0;
            can_scan   = !scanning && valid_q != '1 && (can_fresh || can_wish);
            can_close  = any_closing && !is_q[Close];
            relook_one = relook_i & (~relook_i + NumWr'(1));
            look_one   = look_i & (~look_i + NumWr'(1));
            give_one   = give_i & (~give_i + NumGive'(1));
            busy       = clear_q != '0 || (stale_q && op_q != None) || relook_i != '0 || look_i != '0;
            before_give = busy || (urgent && (can_close || can_scan));
            if (can_scan) begin
                fresh_word = first_word(full_q);
                wish_word  = first_word(ahead);
            end
        end
    end
    always @* begin
        sel_op    = None;
        sel_entry = '0;
        sel_port  = '0;
        sel_mask  = '0;
        if (stirs) begin
            if (clear_q != '0) sel_op = None;
            else if (stale_q && op_q != None) begin
                sel_op    = op_q;
                sel_entry = op_entry_q;
                sel_port  = op_port_q;
                sel_mask  = op_mask_q;
            end else if (relook_i != '0) begin
                sel_op   = Look;
                sel_port = relook_one;
                for (int w = 0; w < NumWr; w = w + 1)
                    if (relook_one[w]) sel_entry = sel_entry | relook_entry_i[w*EntryBits +: EntryBits];
            end else if (can_close && (urgent || (give_i == '0 && look_i == '0))) begin
                sel_op = Close;
                for (int k = 0; k < Open; k = k + 1)
                    if (closing_q[k]) sel_entry = sel_entry | entry_q[k*EntryBits +: EntryBits];
            end else if (can_scan && (urgent || (give_i == '0 && look_i == '0))) begin
                sel_op    = can_fresh ? Fresh : Wish;
                sel_entry = EntryBits'({can_fresh ? fresh_word : wish_word, 3'd0});
            end else if (look_i != '0) begin
                sel_op   = Look;
                sel_port = look_one;
                for (int w = 0; w < NumWr; w = w + 1)
                    if (look_one[w]) sel_entry = sel_entry | look_entry_i[w*EntryBits +: EntryBits];
            end else if (give_i != '0) begin
                sel_op = Give;
                for (int g = 0; g < NumGive; g = g + 1)
                    if (give_one[g]) begin
                        sel_entry = sel_entry | give_entry_i[g*EntryBits +: EntryBits];
                        sel_mask  = sel_mask | give_mask_i[g*4 +: 4];
                    end
            end
        end
    end
    assign sel_word = word_of(sel_entry);

    // ---- Memory
    logic [7:0]           write_row;
    logic [WordBits-1:0]  write_word;
    logic [8*RowBits-1:0] write_data;
    always @* begin
        write_row  = '0;
        write_word = wrote_word_q;
        write_data = '0;
        if (clear_q != '0) begin
            write_row  = '1;
            write_word = WordBits'(clear_q - PtrBits'(1));
        end else if (wrote_q) begin
            write_row[wrote_low_q] = 1'b1;
            write_data             = {8{wrote_row_q}};
        end
    end
    always_ff @(posedge clk_i) begin
        if (sel_op != None) read_q <= mem_q[sel_word];
        if (write_row != '0)
            for (int r = 0; r < 8; r = r + 1)
                if (write_row[r]) mem_q[write_word][r*RowBits +: RowBits] <= write_data[r*RowBits +: RowBits];
    end

    // ---- Open rows
    logic [Open-1:0] vacant, victim_of, part_from, close_one;
    always @* begin
        vacant    = '0;
        spent     = '0;
        part      = '0;
        part_from = '0;
        victim_of = '0;
        close_one = '0;
        if (stirs) begin
            vacant = ~valid_q & (valid_q + Open'(1));             // the lowest that is not valid
            if (valid_q == '1 && !any_closing && (can_fresh || wish_q)) begin
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
        if (awake) begin
            valid_d   = valid_q;
            closing_d = closing_q;
            entry_d   = entry_q;
            for (int k = 0; k < Open; k = k + 1) begin
                // late; no one takes of a row that is looked up, given to, or not valid
                set   = '0;
                keeps = 1'b0;
                for (int w = 0; w < NumWr; w = w + 1) comes[w] = come_i[w] && pick[w*Open + k];
                for (int w = 0; w < NumWr; w = w + 1)
                    if (comes[w] && open_i[w] && (comes & ahead_i[w*NumWr +: NumWr]) == '0) begin
                        set   = set | mask_o[w*4 +: 4];
                        keeps = keeps | take_rsv_i[w];
                    end
                kept      = used_q[k*4 +: 4] & ~(gives && hit_q[k] ? given : '0);
                base_used = kept;
                base_rsv  = rsv_q[k] && kept != '0;
                if (load && vacant[k]) {base_rsv, base_used} = load_data;
                else if (looks && hit_q[k] && row_write) begin
                    base_used = look_used;
                    base_rsv  = rsv_q[k] && row_keep;
                end
                used_d[k*4 +: 4] = base_used | set;
                rsv_d[k]         = base_rsv || keeps;
                if (load && vacant[k]) begin
                    valid_d[k] = 1'b1;
                    entry_d[k*EntryBits +: EntryBits] = EntryBits'({op_word, load_row});
                end else if ((closes && hit_q[k]) || leaving[k]) begin
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
        end else if (awake) begin
            valid_q   <= valid_d;
            closing_q <= closing_d;
        end
        if (awake) begin
            used_q  <= used_d;
            rsv_q   <= rsv_d;
            entry_q <= entry_d;
        end
    end
    always_ff @(posedge clk_i) begin
        came_q  <= rst_ni ? come_i & open_i : '0;
        wait_q  <= rst_ni ? wait_i : '0;
        rose_q  <= rst_ni && room_o && row_used == '0 ? known_o : '0;   // (its buddy has just left)
        less_q  <= rst_ni && gives && row_used != '0 && (row_used & ~given) == '0;
        whole_q <= pick_whole;
    end

    // ---- Flags, wish
    logic               wish_v, ends_sweep, wish_new;
    logic [PtrBits-1:0] ptr_d;
    // what happened in the cycle before
    logic       wishing, demands;
    logic [1:0] want_n, want_side;
    always @* begin
        wishing   = 1'b0;
        demands   = 1'b0;
        want_n    = '0;
        want_side = '0;
        if ((came_q | wait_q) != '0) begin
            for (int w = NumWr - 1; w >= 0; w = w - 1)
                if (took[w] && !was_full_i[w] && !was_size_i[w*3 + 2]) begin
                    wishing   = 1'b1;
                    want_n    = was_size_i[w*3 +: 2];
                    want_side = {was_right_i[w], was_left_i[w]};
                end
            for (int w = NumWr - 1; w >= 0; w = w - 1)
                if (wait_q[w] && !was_full_i[w] && !was_size_i[w*3 + 2]) begin
                    wishing   = 1'b1;
                    demands   = 1'b1;
                    want_n    = was_size_i[w*3 +: 2];
                    want_side = '0;
                end
        end
    end
    always @* begin
        ends_sweep = 1'b0;
        wish_v     = 1'b0;
        wish_new   = 1'b0;
        ptr_d      = ptr_q;
        if (stirs) begin
            ends_sweep = wish_q && !scanning && ahead == '0;
            wish_v     = wish_q && !ends_sweep && !(wishes && load);
            if (wishes && !load && !moved_q) ptr_d = PtrBits'(op_word) + PtrBits'(1);
            if (wrote_some && PtrBits'(wrote_word_q) < ptr_d) ptr_d = PtrBits'(wrote_word_q);
            wish_new   = wishing && (demands ? !(wish_v && demand_q && wish_n_q == want_n) : !wish_v);
            if (yield_new_i || wish_new) ptr_d = '0;
        end
    end
    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            wrote_q      <= 1'b0;
        end else begin
            wrote_q      <= write || leaves;
        end
        wrote_word_q <= leaves ? word_of(leaving_entry) : op_word;
        wrote_low_q  <= leaves ? 3'(leaving_entry) : 3'(op_entry_q);
        wrote_row_q  <= leaves ? {leaving_rsv, 4'b1111} : {new_rsv, new_used};
    end
    // All flags of a kind in one update, which is a few operations for a simulator.
    logic [Words-1:0] here, wrote;
    assign here  = freshens || wishes ? Words'(1) << op_word : '0;
    assign wrote = wrote_q ? Words'(1) << wrote_word_q : '0;
    always_ff @(posedge clk_i) begin
        full_q <= !rst_ni ? '1 : (full_q & ~(freshens && !load ? here : '0)) | (wrote_full ? wrote : '0);
        some_q <= !rst_ni ? '0 : (some_q & ~(wishes && !load && useful == '0 ? here : '0)) |
                                 (wrote_some ? wrote : '0) | (yield_new_i ? '1 : '0);
    end
    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            clear_q  <= PtrBits'(Words);
            op_q     <= None;
            op_port_q <= '0;
            is_q     <= '0;
            stale_q  <= 1'b0;
            wish_q   <= 1'b0;
            demand_q <= 1'b0;
            wish_n_q <= '0;
            wish_side_q <= '0;
            ptr_q    <= '0;
            moved_q  <= 1'b0;
            level_q  <= 3'd4;
            victim_q <= '0;
        end else if (stirs) begin
            if (clear_q != '0) clear_q <= clear_q - PtrBits'(1);
            op_q    <= sel_op;
            op_port_q <= sel_port;
            for (int i = 1; i <= 32'(Wish); i = i + 1) is_q[i] <= sel_op == 3'(i);
            stale_q <= ((op_q != None && !stale_q && sel_word == op_word) ||
                       (wrote_q && sel_word == wrote_word_q) ||
                       (leaves && sel_word == word_of(leaving_entry)));
            wish_q  <= wish_v || wish_new;
            ptr_q   <= ptr_d;
            moved_q <= wish_new || yield_new_i || wrote_some || (stale_q && op_q != None && moved_q);
            if (wish_new) begin
                demand_q    <= demands;
                wish_n_q    <= want_n;
                wish_side_q <= want_side;
            end
            if (wrote_some || yield_new_i) level_q <= 3'd4;
            else if (ends_sweep && wish_side_q == '0 && {1'b0, wish_n_q} < level_q)
                level_q <= {1'b0, wish_n_q};
            if (close_one != '0 && spent == '0)
                for (int k = 0; k < Open; k = k + 1)
                    if (close_one[k]) victim_q <= k == Open - 1 ? '0 : 3'(k + 1);
        end
    end
    always_ff @(posedge clk_i)
        if (sel_op != None) begin
            op_entry_q <= sel_entry;
            op_mask_q  <= sel_mask;
            for (int k = 0; k < Open; k = k + 1)
                hit_q[k] <= valid_q[k] && entry_q[k*EntryBits +: EntryBits] == sel_entry;
        end

    `CHECK_RANGE(alloc_bank, Entries, 2, 1024)
    `include "rename/alloc_bank.obs.svh"
endmodule
