// SPDX-License-Identifier: Apache-2.0
// Purpose:    one bank of the free register map: a memory of words of eight rows, and a write
//             register for one row. Requests take places from five open rows in registers
//             (alloc_open, alloc_place), which a scanner renews (alloc_scan). One operation at a
//             time (alloc_select) reads a row and changes it (alloc_execute). Part of alloc_unit,
//             see models/rename/alloc_unit.h (`State`, `Operations`).
// Parameters: Entries, 2..1024: physical registers; NumWr, 1..4: requests per cycle; NumGive, 3..16:
//             give registers.
// Timing:     without requests and operations in flight the bank rests: inputs of its registers do
//             not toggle. Each cycle selects one operation from state, relook_i, give_i and look_i.
//             The operation reads its word at the clock edge and executes in the next cycle. Open
//             rows offer places (fit_o .. whole_o) in the cycle of the request. Inputs come_i,
//             open_i and wait_i may arrive late, because they reach registers and the memory's
//             write port only.
// Reset:      no row open; the memory's words are cleared one per cycle.
// Left out:   clearing of reservations that yield, because yield_i makes them void.
// Cost:       per bank a memory of 5 bits per row with one read and one write port. Flip-flops: 2
//             per word of eight rows, about 15 per open row.
// Shapes:     - ; Entries=2,NumWr=1,NumGive=2 ; Entries=1000,NumWr=4,NumGive=12
// Proof:      sat:14:Entries=9,NumWr=2,NumGive=2
// Proof:      sat:14:Entries=10,NumWr=1,NumGive=1
// Cut:        g_wr*.u_place

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
    // The row that a port wants (relook_entry_i), while its look executes. Input own_i: it is the
    // register's own row, which grows; own_mask_i: slices there that the port owns. Input want_i:
    // the port waits for the row; ready_i: it may move there.
    input  logic [NumWr-1:0]             own_i,
    input  logic [NumWr*4-1:0]           own_mask_i,
    input  logic [NumWr-1:0]             want_i,
    input  logic [NumWr-1:0]             ready_i,
    output logic [NumWr-1:0]             known_o,
    output logic                         room_o,
    output logic                         short_o,
    output logic [3:0]                   row_mask_o,
    // released slices
    input  logic [NumGive-1:0]           give_i,
    input  logic [NumGive*EntryBits-1:0] give_entry_i,
    input  logic [NumGive*4-1:0]         give_mask_i,
    output logic [NumGive-1:0]           give_pop_o,
    // Places in open rows, if the port asks: a wholly free row (late), number of slices, side. Rows
    // for them; side_o: the requested side.
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
    // Output same_o: ports v and w select the same row. Port w requests its row here with come_i.
    // If open_i is set and no port v ahead of it (bit v of w's ahead_i) requests the same row, w
    // takes the row.
    output logic [NumWr*NumWr-1:0]       same_o,
    input  logic [NumWr-1:0]             come_i,
    input  logic [NumWr-1:0]             open_i,
    input  logic [NumWr*NumWr-1:0]       ahead_i,
    input  logic [NumWr-1:0]             take_rsv_i,
    input  logic [NumWr-1:0]             wait_i,
    // requests of the previous cycle
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
    localparam int Give = 2, Look = 1, Fresh = 4, Wish = 5;   // operations, see alloc_select

    // ---- State of this level
    logic [8*RowBits-1:0] mem_q [0:Words-1];
    logic [8*RowBits-1:0] read_q;
    logic [PtrBits-1:0]   clear_q;
    logic                 wrote_q;                   // a row that is written now
    logic [WordBits-1:0]  wrote_word_q;
    logic [2:0]           wrote_low_q;
    logic [RowBits-1:0]   wrote_row_q;
    logic [NumWr-1:0]     came_q, whole_q, wait_q, took, rose_q;
    logic                 less_q;
    assign took   = came_q & ~was_lost_i;
    assign more_o = (took & whole_q) | rose_q;
    assign less_o = less_q;

    `OBS(logic [31:0]        obs_full;)
    `OBS(logic [31:0]        obs_some;)
    `OBS(logic [PtrBits-1:0] obs_ptr;)
    `OBS(logic [3:0]         obs_wish;)
    `OBS(logic [2:0]         obs_victim;)

    // ---- The operation, the open rows, the scanner
    logic                      op, stale, looks, gives, closes, freshens, wishes, fresh, scans;
    logic [5:1]                is;
    logic [WordBits-1:0]       op_word;
    logic [EntryBits-1:0]      op_entry;
    logic [NumWr-1:0]          op_port;
    logic [3:0]                op_mask;
    logic [Open-1:0]           hit;                  // the open row of its entry
    logic [Open-1:0]           valid, closing, rsv, whole, offered;
    logic [Open*4-1:0]         used;
    logic [Open*EntryBits-1:0] entry;
    logic                      filled, few_whole, any_full, wish, demand, moved, can_scan, can_fresh, load;
    logic [2:0]                level, load_row;
    logic [RowBits-1:0]        load_data;
    logic [WordBits-1:0]       fresh_word, wish_word;
    logic                      stirs, awake;         // else all registers stay as they are: all but open rows, open rows
    assign whole_o   = whole != '0;
    assign few_whole = (whole & (whole - Open'(1))) == '0;
    assign stirs     = op || wrote_q || moved || wish || less_q || clear_q != '0 ||
                       (came_q | wait_q | rose_q | relook_i | look_i) != '0 || give_i != '0 || yield_new_i ||
                       filled || closing != '0 || can_fresh;
    assign awake     = stirs || ask_i != '0;
    assign fresh     = is[Fresh];
    assign scans     = is[Fresh] || is[Wish];

    // ---- Places for requests
    logic                  dry_full;
    logic [NumWr*Open-1:0] pick;
    logic [NumWr-1:0]      pick_whole;
    assign dry_full   = !any_full && !fresh && closing == '0 && clear_q == '0;
    assign may_full_o = (whole & offered) != '0 || !dry_full;
    for (genvar w = 0; w < NumWr; w = w + 1) begin : g_wr
        alloc_place #(.Entries(Entries), .High(w % 2)) u_place (
            .ask_i      (ask_i[w]),
            .full_i     (rq_full_i[w]),
            .size_i     (rq_size_i[w*3 +: 3]),
            .left_i     (rq_left_i[w]),
            .right_i    (rq_right_i[w]),
            .offered_i  (offered),
            .whole_i    (whole),
            .used_i     (used),
            .entry_i    (entry),
            .dry_full_i (dry_full),
            .level_i    (level),
            .fit_o      (fit_o[w]),
            .may_o      (may_o[w]),
            .side_o     (side_o[w]),
            .row_o      (pick[w*Open +: Open]),
            .whole_o    (pick_whole[w]),
            .entry_o    (entry_o[w*EntryBits +: EntryBits]),
            .mask_o     (mask_o[w*4 +: 4])
        );
        for (genvar v = 0; v < NumWr; v = v + 1) begin : g_same
            assign same_o[w*NumWr + v] = (pick[w*Open +: Open] & pick[v*Open +: Open]) != '0;
        end
    end

    // ---- Execution
    logic               write;
    logic [3:0]         row_used, look_used, given;
    logic               look_keep;
    logic [RowBits-1:0] new_row;
    assign looking_o = op_port;
    alloc_execute #(.Entries(Entries), .NumWr(NumWr)) u_execute (
        .op_i        (op),
        .looks_i     (looks),
        .gives_i     (gives),
        .closes_i    (closes),
        .op_entry_i  (op_entry),
        .op_port_i   (op_port),
        .op_mask_i   (op_mask),
        .word_i      (read_q),
        .hit_i       (hit),
        .rsv_i       (rsv),
        .used_i      (used),
        .want_i,
        .entry_i     (relook_entry_i),
        .own_i,
        .own_mask_i,
        .ready_i,
        .size_i      (rq_size_i),
        .left_i      (rq_left_i),
        .right_i     (rq_right_i),
        .known_o,
        .room_o,
        .short_o,
        .mask_o      (row_mask_o),
        .used_o      (row_used),
        .look_used_o (look_used),
        .look_keep_o (look_keep),
        .given_o     (given),
        .write_o     (write),
        .row_o       (new_row)
    );

    // ---- Selection
    logic                 read, leaves, leaving_rsv;
    logic [WordBits-1:0]  read_word;
    logic [EntryBits-1:0] leaving_entry;
    alloc_select #(.Entries(Entries), .NumWr(NumWr), .NumGive(NumGive)) u_select (
        .clk_i,
        .rst_ni,
        .stirs_i        (stirs),
        .clear_i        (clear_q != '0),
        .relook_i,
        .relook_entry_i,
        .look_i,
        .look_entry_i,
        .give_i,
        .give_entry_i,
        .give_mask_i,
        .give_pop_o,
        .valid_i        (valid),
        .closing_i      (closing),
        .entry_i        (entry),
        .urgent_i       (whole == '0 || demand),
        .can_scan_i     (can_scan),
        .can_fresh_i    (can_fresh),
        .fresh_word_i   (fresh_word),
        .wish_word_i    (wish_word),
        .wrote_i        (wrote_q),
        .wrote_word_i   (wrote_word_q),
        .leaves_i       (leaves),
        .leaving_word_i (WordBits'(leaving_entry >> 3)),
        .read_o         (read),
        .word_o         (read_word),
        .op_o           (op),
        .is_o           (is),
        .stale_o        (stale),
        .looks_o        (looks),
        .gives_o        (gives),
        .closes_o       (closes),
        .freshens_o     (freshens),
        .wishes_o       (wishes),
        .entry_o        (op_entry),
        .op_word_o      (op_word),
        .port_o         (op_port),
        .mask_o         (op_mask),
        .hit_o          (hit)
    );

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
        if (read) read_q <= mem_q[read_word];
        if (write_row != '0)
            for (int r = 0; r < 8; r = r + 1)
                if (write_row[r]) mem_q[write_word][r*RowBits +: RowBits] <= write_data[r*RowBits +: RowBits];
    end
    always_ff @(posedge clk_i) begin
        if (!rst_ni) clear_q <= PtrBits'(Words);
        else if (stirs && clear_q != '0) clear_q <= clear_q - PtrBits'(1);
        wrote_q      <= rst_ni && (write || leaves);
        wrote_word_q <= leaves ? WordBits'(leaving_entry >> 3) : op_word;
        wrote_low_q  <= leaves ? 3'(leaving_entry) : 3'(op_entry);
        wrote_row_q  <= leaves ? {leaving_rsv, 4'b1111} : new_row;
    end

    // ---- Open rows
    alloc_open #(.Entries(Entries), .NumWr(NumWr)) u_open (
        .clk_i,
        .rst_ni,
        .stirs_i         (stirs),
        .awake_i         (awake),
        .yield_i,
        .row_i           (pick),
        .mask_i          (mask_o),
        .come_i,
        .open_i,
        .ahead_i,
        .take_rsv_i,
        .op_i            (op),
        .hit_i           (hit),
        .on_row_i        (is[Look] || is[Give]),
        .grows_i         (known_o != '0),
        .gives_i         (gives),
        .closes_i        (closes),
        .look_used_i     (look_used),
        .look_keep_i     (look_keep),
        .given_i         (given),
        .load_i          (load),
        .load_entry_i    (EntryBits'({op_word, load_row})),
        .load_data_i     (load_data),
        .renew_i         (can_fresh || wish),
        .write_i         (write || clear_q != '0),
        `OBS_PORT(.obs_victim_o    (obs_victim))
        .valid_o         (valid),
        .closing_o       (closing),
        .rsv_o           (rsv),
        .used_o          (used),
        .entry_o         (entry),
        .whole_o         (whole),
        .offered_o       (offered),
        .filled_o        (filled),
        .leaves_o        (leaves),
        .leaving_entry_o (leaving_entry),
        .leaving_rsv_o   (leaving_rsv)
    );
    always_ff @(posedge clk_i) begin
        came_q  <= rst_ni ? come_i & open_i : '0;
        wait_q  <= rst_ni ? wait_i : '0;
        rose_q  <= rst_ni && room_o && row_used == '0 ? known_o : '0;   // (its buddy has just left)
        less_q  <= rst_ni && gives && row_used != '0 && (row_used & ~given) == '0;
        whole_q <= pick_whole;
    end

    // ---- Scanner
    alloc_scan #(.Entries(Entries), .NumWr(NumWr)) u_scan (
        .clk_i,
        .rst_ni,
        .stirs_i      (stirs),
        .yield_i,
        .yield_new_i,
        .valid_i      (valid),
        .entry_i      (entry),
        .few_whole_i  (few_whole),
        .scans_i      (scans),
        .freshens_i   (freshens),
        .wishes_i     (wishes),
        .stale_i      (stale),
        .op_word_i    (op_word),
        .word_i       (read_q),
        .wrote_i      (wrote_q),
        .wrote_word_i (wrote_word_q),
        .wrote_row_i  (wrote_row_q),
        .took_i       (took),
        .wait_i       (wait_q),
        .full_i       (was_full_i),
        .size_i       (was_size_i),
        .left_i       (was_left_i),
        .right_i      (was_right_i),
        `OBS_PORT(.obs_full_o   (obs_full))
        `OBS_PORT(.obs_some_o   (obs_some))
        `OBS_PORT(.obs_ptr_o    (obs_ptr))
        `OBS_PORT(.obs_wish_o   (obs_wish))
        .any_full_o   (any_full),
        .wish_o       (wish),
        .demand_o     (demand),
        .moved_o      (moved),
        .level_o      (level),
        .can_scan_o   (can_scan),
        .can_fresh_o  (can_fresh),
        .fresh_word_o (fresh_word),
        .wish_word_o  (wish_word),
        .load_o       (load),
        .load_row_o   (load_row),
        .load_data_o  (load_data)
    );

    `CHECK_RANGE(alloc_bank, Entries, 2, 1024)
    `include "rename/alloc_bank.obs.svh"
endmodule
