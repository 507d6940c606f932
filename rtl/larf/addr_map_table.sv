// SPDX-License-Identifier: Apache-2.0
// Purpose:    the address mapping table of LARF: which physical register holds what a global load has read. Answers a
//             load per cycle with that register, with two registers that cover it, or with a miss; stores, releases
//             and flushes kill entries. Contract: models/larf/addr_map_table.h.
//             The paper's table is one associative memory of 400 entries. Here whatever can serve a load lies in three
//             windows of addresses, which are rows of three banks: stage 1 finds the rows, stage 2 reads them, stage 3
//             compares their entries, stage 4 decides, answers and enters. Stores wait in a queue and use the same
//             stages when no load does; until then loads that touch their line miss. Only the register numbers, valid
//             and data bits of all entries stand in flip-flops.
// Parameters: RowBits, 0..6: log2 of the rows of a bank; Ways, 1..8: entries of a row; Banks, 1..32, and Entries,
// 2..1024,
//             of the register file; NumWr, 1..4: arrivals per cycle.
// Timing:     look-up accepted in cycle t, answer in t + 3, for one cycle, from state alone; one per cycle. ins_*
//             belong to the answer of the same cycle. rel_done_o and arr_done_o three cycles after the request.
//             lk_ready_o depends on st_valid_i and lk_question_i; all other outputs on state alone.
// Reset:      no entries, way 0 is filled next, no stores, no answer (memories and register numbers are not reset).
// Left out:   computing base and stride from 32 addresses (load_shape). Stores wait in addr_map_stores; stages 1 and 2 are
//             addr_map_find, an entry's comparison addr_map_compare, stage 4's choice addr_map_choose.
// Shapes:     - ; RowBits=1,Ways=2,Banks=2,Entries=1024,NumWr=1 ; RowBits=0,Ways=1,Banks=1,Entries=2,NumWr=1
// Shapes:     RowBits=3,Ways=8,Banks=32,Entries=64,NumWr=4
// Proof:      5:10:RowBits=0,Ways=1,Banks=1,Entries=2,NumWr=1
// Proof:      5:10:RowBits=1,Ways=1,Banks=1,Entries=2,NumWr=1

module addr_map_table #(
    parameter int RowBits = 5,
    parameter int Ways    = 4,
    parameter int Banks   = 4,
    parameter int Entries = 256,
    parameter int NumWr   = 2,
`ifdef RF_NARROW
    localparam int Lanes    = 2,  // a warp of 2 in a space of 16 words: the same arithmetic, in proofs
    localparam int AddrBits = 6,
    localparam int CodeBits = 2,  // strides 0, 4, 8
`else
    localparam int Lanes    = 32,
    localparam int AddrBits = 32,
    localparam int CodeBits = 8,  // stride / 4: 0..128
`endif
    localparam int LaneBits = $clog2(Lanes),
    localparam int PhyBits  = (Banks > 1 ? $clog2(Banks) : 1) + (Entries > 1 ? $clog2(Entries) : 1)
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    // loads ask
    input  logic                   lk_valid_i,
    input  logic                   lk_question_i,
    input  logic [AddrBits-1:0]    lk_base_i,
    input  logic [CodeBits-1:0]    lk_code_i,
    input  logic [Lanes-1:0]       lk_mask_i,
    output logic                   lk_ready_o,
    // the load that is answered is entered
    input  logic                   ins_valid_i,
    input  logic [PhyBits-1:0]     ins_phys_i,
    // stores invalidate
    input  logic                   st_valid_i,
    input  logic [AddrBits-1:0]    st_low_i,
    input  logic [AddrBits-1:0]    st_high_i,
    output logic                   st_ready_o,
    // registers are released, get their data
    input  logic                   rel_valid_i,
    input  logic [PhyBits-1:0]     rel_phys_i,
    input  logic [NumWr-1:0]       arr_valid_i,
    input  logic [NumWr*PhyBits-1:0] arr_phys_i,
    // everything is forgotten
    input  logic                   fl_valid_i,
`ifdef RF_OBS
    // observation: entries, ways to fill, stores, then parameters
    input  logic [31:0]            obs_addr_i,
    output logic [127:0]           obs_data_o,
`endif
    // the answer
    output logic                   ans_valid_o,
    output logic [1:0]             ans_kind_o,
    output logic                   ans_wait_o,
    output logic                   ans_enter_o,
    output logic                   ans_evicts_o,
    output logic [1:0]             ans_use_o,
    output logic [2*PhyBits-1:0]   ans_phys_o,
    output logic [2*LaneBits+1:0]  ans_shift_o,
    output logic [2*Lanes-1:0]     ans_mask_o,
    // what has happened to entries
    output logic [3*Ways-1:0]      st_died_o,
    output logic                   rel_done_o,
    output logic [PhyBits-1:0]     rel_done_phys_o,
    output logic [NumWr-1:0]       arr_done_o,
    output logic [NumWr*PhyBits-1:0] arr_done_phys_o
);

    localparam int Rows    = 1 << RowBits;
    localparam int RowW    = RowBits > 0 ? RowBits : 1;
    localparam int N       = 3 * Ways;              // entries compared
    localparam int Lines   = 3 * Rows;
    localparam int Slots   = Lines * Ways;          // slot = (bank * Rows + row) * Ways + way
    localparam int WayBits = Ways > 1 ? $clog2(Ways) : 1;
    localparam int Classes = CodeBits + 1;
    localparam int WinBits = AddrBits - LaneBits + 1;  // of class 0, the one beyond the end included; the others are shorter
    localparam int MemW    = AddrBits + CodeBits + Lanes;
    localparam int ShBits  = LaneBits + 1;

    // ---- State
    logic [Slots-1:0]          valid_q, valid_d, data_q, data_d;
    logic [PhyBits*Slots-1:0]  id_q;                // plane b: bit b of the register of each slot
    // An entry is in latch new_* for one cycle before it is written, so that deciding whether a load is entered and
    // writing it are two cycles. In it the entry counts as written: valid, data are what both say together.
    logic [Slots-1:0]          new_slot_q, valid, data;  // its slot, one-hot; 0 when there is none, as the next two
    logic [N-1:0]              new_at_q;            // its bank and way
    logic [2:0]                new_bank_q;
    logic [RowW-1:0]           new_row_q;
    logic [MemW-1:0]           new_word_q;
    logic [PhyBits-1:0]        new_phys_q;
    logic [WayBits-1:0]        new_next_q;          // the way to fill next
    assign valid = valid_q | new_slot_q;
    assign data  = data_q & ~new_slot_q;
    logic [WayBits*Lines-1:0]  fill_q, fill_d;
    logic [Classes-1:0]        met_q, met_d;

    // ---- Stages 1 and 2: a look-up or a step of a store; the rows where its entries can lie, what they look like
    logic                lk_go, step_go, touched;
    logic [2:0]          count;                     // stores that wait
    logic [Classes-1:0]  step_class;
    logic [WinBits-1:0]  step_window;
    logic [AddrBits-1:0] step_low, step_high;
    assign lk_ready_o = !lk_question_i || (count == '0 && !st_valid_i);
    assign lk_go      = lk_valid_i && lk_ready_o;

    logic                s2_lk, s2_kill, s2_question, s2_fits, s2_bar, s2_pow2;
    logic [AddrBits-1:0] s2_base, s2_last, s2_place_mask;
    logic [LaneBits-1:0] s2_place;
    logic [CodeBits-1:0] s2_code;
    logic [Lanes-1:0]    s2_mask;
    logic [Classes-1:0]  s2_class;
    logic [2:0]          s2_mid, s2_above, s2_on;
    logic [3*RowW-1:0]   s2_rows;
    logic [RowW-1:0]     s2_row;
    logic [3*AddrBits-1:0] s2_want;
`ifdef RF_OBS
    logic [127:0]        obs_stores;
`endif
    addr_map_stores #(.LaneBits(LaneBits), .AddrBits(AddrBits), .CodeBits(CodeBits)) u_stores (
        .clk_i, .rst_ni, .flush_i(fl_valid_i), .st_valid_i, .st_low_i, .st_high_i, .st_ready_o, .count_o(count),
        .lk_go_i(lk_go), .met_i(met_q), .step_go_o(step_go), .step_class_o(step_class), .step_window_o(step_window),
        .step_low_o(step_low), .step_high_o(step_high), .look_base_i(s2_base), .look_last_i(s2_last),
`ifdef RF_OBS
        .obs_addr_i(obs_addr_i - 32'(Slots + Lines)), .obs_data_o(obs_stores),
`endif
        .touched_o(touched)
    );
    addr_map_find #(.RowBits(RowBits), .LaneBits(LaneBits), .AddrBits(AddrBits), .CodeBits(CodeBits)) u_find (
        .clk_i, .rst_ni, .flush_i(fl_valid_i), .lk_go_i(lk_go), .lk_question_i, .lk_base_i, .lk_code_i, .lk_mask_i,
        .step_go_i(step_go), .step_class_i(step_class), .step_window_i(step_window), .step_low_i(step_low),
        .step_high_i(step_high), .lk_o(s2_lk), .kill_o(s2_kill), .question_o(s2_question), .fits_o(s2_fits),
        .bar_o(s2_bar), .base_o(s2_base), .last_o(s2_last), .code_o(s2_code), .mask_o(s2_mask), .class_o(s2_class),
        .rows_o(s2_rows), .row_o(s2_row), .mid_o(s2_mid), .above_o(s2_above), .on_o(s2_on), .pow2_o(s2_pow2),
        .want_o(s2_want), .place_mask_o(s2_place_mask), .place_o(s2_place)
    );
    logic                s3_lk_q, s3_kill_q, s3_question_q, s3_fits_q, s3_bar_q, s3_pow2_q;
    logic [AddrBits-1:0] s3_base_q, s3_last_q, s3_place_mask_q;
    logic [LaneBits-1:0] s3_place_q;
    logic [CodeBits-1:0] s3_code_q;
    logic [Lanes-1:0]    s3_mask_q;
    logic [Classes-1:0]  s3_class_q;
    logic [2:0]          s3_mid_q, s3_above_q, s3_on_q;
    logic [3*RowW-1:0]   s3_rows_q;
    logic [RowW-1:0]     s3_row_q;
    logic [3*AddrBits-1:0] s3_want_q;               // per bank: the base wanted there, but for its place
    always_ff @(posedge clk_i) begin
        s3_question_q   <= s2_question;
        s3_fits_q       <= s2_fits;
        s3_bar_q        <= s2_bar || touched || fl_valid_i;
        s3_pow2_q       <= s2_pow2;
        s3_base_q       <= s2_base;
        s3_last_q       <= s2_last;
        s3_place_mask_q <= s2_place_mask;
        s3_place_q      <= s2_place;
        s3_code_q       <= s2_code;
        s3_mask_q       <= s2_mask;
        s3_class_q      <= s2_class;
        s3_mid_q        <= s2_mid;
        s3_above_q      <= s2_above;
        s3_on_q         <= s2_on;
        s3_rows_q       <= s2_rows;
        s3_row_q        <= s2_row;
        s3_want_q       <= s2_want;
        if (!rst_ni) begin
            s3_lk_q   <= 1'b0;
            s3_kill_q <= 1'b0;
        end else begin
            s3_lk_q   <= s2_lk;
            s3_kill_q <= s2_kill && !fl_valid_i;
        end
    end

    // ---- Stage 4, declared here: the load that may be entered in this cycle
    logic                insert, s4_lk_q, s4_may_q, s4_question_q;
    logic [AddrBits-1:0] s4_base_q;
    logic [CodeBits-1:0] s4_code_q;
    logic [Lanes-1:0]    s4_mask_q;
    logic [2:0]          s4_mid_q;
    logic [RowW-1:0]     s4_row_q;
    logic [Classes-1:0]  s4_class_q;
    logic [WayBits-1:0]  s4_way;                    // that it fills
    logic [Ways-1:0]     s4_fill;                   // one-hot

    // ---- Stage 3: each entry read
    logic [N-1:0]         exact, exact_wait, s3_valid, s3_data, die;
    logic [N*Lanes-1:0]   gaps;                     // lanes asked for that it does not give
    logic [N-1:0]         evicted;                  // in this cycle; known last, so that stage 4 leaves it out
    logic [N*ShBits-1:0]  shift;
    logic [N*PhyBits-1:0] s3_phys;
    logic [N-1:0]         s3_new_q;                 // what was read is still in the latch
    logic [LaneBits-1:0]  new_place;
    logic                 look;
    assign look = s3_lk_q && s3_fits_q && !s3_bar_q && !fl_valid_i;
    addr_map_place #(.LaneBits(LaneBits), .AddrBits(AddrBits), .CodeBits(CodeBits)) u_new_place (
        .base_i(new_word_q[AddrBits-1:0]), .class_i(s3_class_q), .place_o(new_place)
    );
`ifdef FORMAL
    logic [Slots*MemW-1:0] f_held;                  // words of all slots
`endif
`ifdef RF_OBS
    logic [N*MemW-1:0] obs_rows;                    // of each way the row looked at
    logic [RowW-1:0]   obs_row;
`endif
    for (genvar b = 0; b < 3; b = b + 1) begin : g_bank
        logic [RowW-1:0] read_row, row;             // in stage 2, in stage 3
        logic            clash;                     // stage 4 may enter in the row of stage 3
        assign read_row = s2_rows[b*RowW +: RowW];
        assign row      = s3_rows_q[b*RowW +: RowW];
        assign clash    = s4_mid_q[b] && s4_row_q == row;
        assign s3_valid[b*Ways +: Ways] = Ways'(valid_q >> (b*Rows + 32'(row)) * Ways) | s3_new_q[b*Ways +: Ways];
        assign s3_data[b*Ways +: Ways]  = Ways'(data_q >> (b*Rows + 32'(row)) * Ways) & ~s3_new_q[b*Ways +: Ways];
        for (genvar w = 0; w < Ways; w = w + 1) begin : g_way
            localparam int I = b * Ways + w;
            // the memory of this way: one write port, one clocked read port that sees what is written
`ifdef FORMAL
            (* mem2reg *)
`endif
            logic [MemW-1:0] mem_q [0:Rows-1];
            logic [MemW-1:0] rd_q, word;
            assign word = s3_new_q[I] ? new_word_q : rd_q;
            always_ff @(posedge clk_i) begin
                if (new_at_q[I]) mem_q[new_row_q] <= new_word_q;
                if (s2_lk || s2_kill)
                    rd_q <= new_at_q[I] && new_row_q == read_row ? new_word_q : mem_q[read_row];
                s3_new_q[I] <= insert && s4_mid_q[b] && s4_fill[w] && s4_row_q == read_row;
            end
`ifdef RF_OBS
            assign obs_rows[I*MemW +: MemW] = new_at_q[I] && new_row_q == obs_row ? new_word_q : mem_q[obs_row];
`endif
`ifdef FORMAL
            for (genvar r = 0; r < Rows; r = r + 1) begin : g_held
                assign f_held[((b*Rows + r)*Ways + w)*MemW +: MemW] =
                    new_slot_q[(b*Rows + r)*Ways + w] ? new_word_q : mem_q[r];
            end
`endif
            logic [LaneBits-1:0] place, rd_place;
            addr_map_place #(.LaneBits(LaneBits), .AddrBits(AddrBits), .CodeBits(CodeBits)) u_place (
                .base_i(rd_q[AddrBits-1:0]), .class_i(s3_class_q), .place_o(rd_place)
            );
            assign place      = s3_new_q[I] ? new_place : rd_place;
            assign evicted[I] = clash && s4_fill[w] && insert;
            addr_map_compare #(.LaneBits(LaneBits), .AddrBits(AddrBits), .CodeBits(CodeBits)) u_compare (
                .valid_i(s3_valid[I]), .data_i(s3_data[I]), .base_i(word[AddrBits-1:0]),
                .code_i(word[AddrBits +: CodeBits]), .mask_i(word[AddrBits+CodeBits +: Lanes]), .place_i(place),
                .look_i(look && s3_on_q[b]), .look_code_i(s3_code_q), .look_mask_i(s3_mask_q),
                .look_want_i(s3_want_q[b*AddrBits +: AddrBits]), .look_place_mask_i(s3_place_mask_q),
                .look_place_i(s3_place_q), .look_pow2_i(s3_pow2_q), .mid_i(s3_mid_q[b]), .above_i(s3_above_q[b]),
                .kill_i(s3_kill_q), .kill_class_i(s3_class_q), .kill_low_i(s3_base_q), .kill_high_i(s3_last_q),
                .exact_o(exact[I]), .wait_o(exact_wait[I]), .gaps_o(gaps[I*Lanes +: Lanes]),
                .shift_o(shift[I*ShBits +: ShBits]), .die_o(die[I])
            );
        end
    end
    for (genvar p = 0; p < PhyBits; p = p + 1) begin : g_phys_bit
        for (genvar b = 0; b < 3; b = b + 1) begin : g_phys_bank
            logic [Ways-1:0] ids;
            assign ids = (Ways'(id_q[p*Slots +: Slots] >> (b*Rows + 32'(s3_rows_q[b*RowW +: RowW])) * Ways) &
                          ~s3_new_q[b*Ways +: Ways]) | (s3_new_q[b*Ways +: Ways] & {Ways{new_phys_q[p]}});
            for (genvar w = 0; w < Ways; w = w + 1) begin : g_phys_way
                assign s3_phys[(b*Ways + w)*PhyBits + p] = ids[w];
            end
        end
    end
    assign st_died_o = die;

    // and the load just ahead, if it is entered now
    logic ahead;
    assign ahead = insert && s3_lk_q && s3_fits_q && !s3_bar_q && s4_base_q == s3_base_q && s4_code_q == s3_code_q &&
                   (s3_mask_q & ~s4_mask_q) == '0;

    logic [N-1:0]         s4_exact_q, s4_wait_q, s4_evicted_q;
    logic [N*Lanes-1:0]   s4_gaps_q;
    logic                 s4_some_q;                // a lane is asked for
    logic [N*ShBits-1:0]  s4_shift_q;
    logic [N*PhyBits-1:0] s4_phys_q;
    logic                 s4_ahead_q;
    logic [PhyBits-1:0]   s4_ahead_phys_q;
    always_ff @(posedge clk_i) begin
        s4_lk_q <= rst_ni && s3_lk_q;
        if (s3_lk_q) begin
            s4_may_q        <= s3_fits_q && !s3_bar_q && !fl_valid_i;
            s4_question_q   <= s3_question_q;
            s4_base_q       <= s3_base_q;
            s4_code_q       <= s3_code_q;
            s4_mask_q       <= s3_mask_q;
            s4_mid_q        <= s3_mid_q;
            s4_row_q        <= s3_row_q;
            s4_class_q      <= s3_class_q;
            s4_evicted_q    <= evicted;
            s4_exact_q      <= exact;
            s4_wait_q       <= exact_wait;
            s4_gaps_q       <= gaps;
            s4_some_q       <= s3_mask_q != '0;
            s4_shift_q      <= shift;
            s4_phys_q       <= s3_phys;
            s4_ahead_q      <= ahead;
            s4_ahead_phys_q <= ins_phys_i;
        end
    end

    // ---- Stage 4: the answer
    logic hit, merge, second, waits;
    addr_map_choose #(.NumEntries(N), .LaneBits(LaneBits), .PhyBits(PhyBits)) u_choose (
        .mask_i(s4_mask_q), .some_i(s4_some_q), .evicted_i(s4_evicted_q), .exact_i(s4_exact_q), .wait_i(s4_wait_q),
        .gaps_i(s4_gaps_q), .shift_i(s4_shift_q), .phys_i(s4_phys_q), .ahead_i(s4_ahead_q),
        .ahead_phys_i(s4_ahead_phys_q), .hit_o(hit), .merge_o(merge), .second_o(second), .wait_o(waits),
        .phys_o(ans_phys_o), .shift_o(ans_shift_o), .mask_o(ans_mask_o)
    );
    assign ans_valid_o = s4_lk_q;
    assign ans_kind_o  = {merge, hit} & {2{s4_lk_q}};
    assign ans_wait_o  = s4_lk_q && waits;
    assign ans_enter_o = s4_lk_q && s4_may_q && !hit && !merge && !s4_question_q;
    assign ans_use_o   = {s4_lk_q && second, s4_lk_q && (hit || merge)};

    // ---- Entering
    logic [Slots-1:0] s4_slot;                      // one-hot
    logic [WayBits-1:0] s4_next;
    always @* begin
        s4_way = '0;
        for (int b = 0; b < 3; b = b + 1)
            if (s4_mid_q[b]) s4_way = s4_way | WayBits'(fill_d >> (b*Rows + 32'(s4_row_q)) * WayBits);
        s4_slot = '0;
        for (int b = 0; b < 3; b = b + 1)
            if (s4_mid_q[b]) s4_slot[b*Rows*Ways +: Rows*Ways] = (Rows*Ways)'(s4_fill) << 32'(s4_row_q) * Ways;
    end
    assign s4_fill      = Ways'(1) << s4_way;
    assign s4_next      = s4_way == WayBits'(Ways - 1) ? '0 : s4_way + WayBits'(1);
    assign insert       = ins_valid_i && ans_enter_o && !fl_valid_i;
    assign ans_evicts_o = ans_enter_o && (valid & s4_slot) != '0;
    logic enters;
    assign enters = insert;
    always_ff @(posedge clk_i) begin
        new_slot_q  <= rst_ni && enters ? s4_slot : '0;
        new_bank_q  <= rst_ni && enters ? s4_mid_q : '0;
        for (int b = 0; b < 3; b = b + 1)
            new_at_q[b*Ways +: Ways] <= rst_ni && enters && s4_mid_q[b] ? s4_fill : '0;
        new_row_q   <= s4_row_q;
        new_phys_q  <= ins_phys_i;
        new_word_q  <= {s4_mask_q, s4_code_q, s4_base_q};
        new_next_q  <= s4_next;
    end

    // ---- Releases and arrivals
    logic [Slots-1:0] rel_match, arr_match;
    addr_map_match #(.Slots(Slots), .PhyBits(PhyBits), .NumWr(NumWr)) u_match (
        .clk_i, .rst_ni, .rel_valid_i, .rel_phys_i, .arr_valid_i, .arr_phys_i, .id_i(id_q), .new_slot_i(new_slot_q),
        .new_phys_i(new_phys_q), .rel_match_o(rel_match), .arr_match_o(arr_match), .rel_done_o, .rel_done_phys_o,
        .arr_done_o, .arr_done_phys_o
    );

    // ---- Next state
    logic [Slots-1:0] kill;
    always @* begin
        kill = '0;
        for (int b = 0; b < 3; b = b + 1)
            kill[b*Rows*Ways +: Rows*Ways] =
                (Rows*Ways)'(die[b*Ways +: Ways]) << 32'(s3_rows_q[b*RowW +: RowW]) * Ways;
        valid_d = valid & ~rel_match & ~kill;
        data_d  = data | arr_match;
        if (fl_valid_i) valid_d = '0;
        met_d = (met_q | (insert ? s4_class_q : '0)) & {Classes{!fl_valid_i}};
        fill_d = fill_q;
        for (int b = 0; b < 3; b = b + 1)
            for (int r = 0; r < Rows; r = r + 1)
                if (new_bank_q[b] && new_row_q == RowW'(r)) fill_d[(b*Rows + r)*WayBits +: WayBits] = new_next_q;
    end
    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            valid_q <= '0;
            fill_q  <= '0;
            met_q   <= '0;
        end else begin
            valid_q <= valid_d;
            fill_q  <= fill_d;
            met_q   <= met_d;
        end
    end
    always_ff @(posedge clk_i) begin
        data_q <= data_d;
        for (int p = 0; p < PhyBits; p = p + 1)
            id_q[p*Slots +: Slots] <= (id_q[p*Slots +: Slots] & ~new_slot_q) | (new_slot_q & {Slots{new_phys_q[p]}});
    end

`ifdef RF_OBS
    logic [MemW-1:0] obs_word;
    localparam int SlotBits = $clog2(Slots);
    logic [SlotBits-1:0] obs_slot;
    assign obs_slot = SlotBits'(obs_addr_i);
    assign obs_row  = RowBits > 0 && obs_addr_i < Slots ? RowW'(obs_addr_i % (Rows * Ways) / Ways) : '0;
    assign obs_word = MemW'(obs_rows >> (obs_addr_i / (Rows * Ways) * Ways + obs_addr_i % Ways) * MemW);
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i < Slots) begin
            if (valid[obs_slot]) begin
                obs_data_o[31] = 1'b1;
                obs_data_o[30] = data[obs_slot];
                for (int p = 0; p < PhyBits; p = p + 1)
                    obs_data_o[p] = new_slot_q[obs_slot] ? new_phys_q[p] : id_q[p*Slots + 32'(obs_slot)];
                obs_data_o[16 +: CodeBits] = obs_word[AddrBits +: CodeBits];
                obs_data_o[32 +: AddrBits] = obs_word[0 +: AddrBits];
                obs_data_o[64 +: Lanes]    = obs_word[AddrBits+CodeBits +: Lanes];
            end
        end else if (obs_addr_i < Slots + Lines) begin
            obs_data_o[0 +: WayBits] = WayBits'(fill_d >> (obs_addr_i - Slots) * WayBits);
        end else if (obs_addr_i == Slots + Lines) begin
            obs_data_o               = obs_stores;
            obs_data_o[4 +: Classes] = met_q;
        end else if (obs_addr_i == 32'hffff_0000) obs_data_o[31:0] = RowBits;
        else if (obs_addr_i == 32'hffff_0001) obs_data_o[31:0] = Ways;
        else if (obs_addr_i == 32'hffff_0002) obs_data_o[31:0] = Banks;
        else if (obs_addr_i == 32'hffff_0003) obs_data_o[31:0] = Entries;
        else if (obs_addr_i == 32'hffff_0004) obs_data_o[31:0] = NumWr;
        else obs_data_o = obs_stores;
    end
`endif

`ifdef SIM
    initial begin
        if (RowBits < 0 || RowBits > 6) $fatal(1, "addr_map_table: RowBits = %0d, legal is 0..6", RowBits);
        if (Ways < 1 || Ways > 8) $fatal(1, "addr_map_table: Ways = %0d, legal is 1..8", Ways);
        if (Banks < 1 || Banks > 32) $fatal(1, "addr_map_table: Banks = %0d, legal is 1..32", Banks);
        if (Entries < 2 || Entries > 1024) $fatal(1, "addr_map_table: Entries = %0d, legal is 2..1024", Entries);
        if (NumWr < 1 || NumWr > 4) $fatal(1, "addr_map_table: NumWr = %0d, legal is 1..4", NumWr);
    end
`endif
`ifdef FORMAL
    // Contract: when answers come and what they are made of; which entries answer, out of all slots and without windows;
    // a flush leaves nothing and reaches every look-up under way; releases are done after three cycles.
    logic             f_past;
    logic [2:0]       f_lk, f_flushed, f_question, f_rel;
    logic [3*Lanes-1:0] f_mask;
    initial f_past = 1'b0;
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        f_lk       <= rst_ni ? {f_lk[1:0], lk_go} : '0;
        f_rel      <= rst_ni ? {f_rel[1:0], rel_valid_i} : '0;
        f_flushed  <= {f_flushed[1:0], 1'b0} | {3{fl_valid_i}};
        f_question <= {f_question[1:0], lk_question_i};
        f_mask     <= {f_mask[2*Lanes-1:0], lk_mask_i};
    end
    always_comb begin
        assume (st_low_i[AddrBits-1:LaneBits+2] == st_high_i[AddrBits-1:LaneBits+2] && st_low_i <= st_high_i);
        if (f_past) begin
            assert (s2_lk == f_lk[0] && s3_lk_q == f_lk[1] && ans_valid_o == f_lk[2]);
            if (f_lk[0]) assert (s2_mask == f_mask[0 +: Lanes] && s2_question == f_question[0] && (s2_bar || !f_flushed[0]));
            if (f_lk[1]) assert (s3_mask_q == f_mask[Lanes +: Lanes] && s3_question_q == f_question[1] && (s3_bar_q || !f_flushed[1]));
            if (f_lk[2]) assert (s4_mask_q == f_mask[2*Lanes +: Lanes] && s4_question_q == f_question[2]);
            if (lk_valid_i && !lk_question_i) assert (lk_ready_o);
            if (lk_question_i && lk_ready_o) assert (count == '0 && !st_valid_i);
            assert (rel_done_o == f_rel[2]);
            // the answer
            if (ans_valid_o) begin
                assert (ans_kind_o != 2'd3 && ans_use_o[0] == (ans_kind_o != 2'd0));
                if (ans_use_o[1]) assert (ans_kind_o == 2'd2);
                if (ans_wait_o) assert (ans_kind_o == 2'd1);
                if (ans_enter_o) assert (ans_kind_o == 2'd0 && !f_question[2]);
                if (ans_kind_o == 2'd1) assert (ans_mask_o[0 +: Lanes] == f_mask[2*Lanes +: Lanes]);
                if (ans_kind_o == 2'd2) begin
                    assert ((ans_mask_o[0 +: Lanes] | ans_mask_o[Lanes +: Lanes]) == f_mask[2*Lanes +: Lanes]);
                    assert ((ans_mask_o[0 +: Lanes] & ans_mask_o[Lanes +: Lanes]) == '0);
                end
            end else assert (ans_use_o == 2'b00 && !ans_enter_o && !ans_wait_o);
            cover (ans_valid_o && ans_kind_o == 2'd1);
            cover (st_died_o != '0);
        end
    end
    always_ff @(posedge clk_i)
        if (f_past && $past(rst_ni) && rst_ni) begin
            if ($past(fl_valid_i)) assert (valid == '0 && count == '0 && met_q == '0);
            // what a flush met is a miss and is not entered
            if (ans_valid_o && ($past(fl_valid_i) || $past(fl_valid_i, 2))) assert (ans_kind_o == 2'd0 && !ans_enter_o);
        end

    // Which entries answer the look-up of stage 3: every slot is compared with it, lane by lane.
    logic                 f_ok, f_ahead, f_pow2;
    logic [Slots-1:0]     f_exact, f_here;          // an entry of all the words, with its data or not; that may be read
    logic [Slots*Lanes-1:0] f_low, f_high;          // lanes that it has from the lowest up, the highest down
    logic [Slots*ShBits-1:0] f_away;                // lane of the entry - lane of the load
    logic [Lanes-1:0]     f_has, f_best_low, f_best_high;
    logic                 f_on;
    logic [AddrBits-1:0]  f_stride, f_base;
    logic [CodeBits-1:0]  f_code;
    logic [Lanes-1:0]     f_held_mask;
    assign f_ok     = s3_lk_q && s3_fits_q && !s3_bar_q && !fl_valid_i;
    assign f_ahead  = f_ok && insert && s4_base_q == s3_base_q && s4_code_q == s3_code_q && (s3_mask_q & ~s4_mask_q) == '0;
    assign f_pow2   = $countones(s3_code_q) == 1;
    assign f_stride = AddrBits'(s3_code_q) << 2;
    always @* begin
        f_best_low = '0; f_best_high = '0;
        f_low = '0; f_high = '0; f_away = '0; f_exact = '0; f_here = '0;
        for (int i = 0; i < Slots; i = i + 1) begin
            {f_held_mask, f_code, f_base} = f_held[i*MemW +: MemW];
            f_here[i]  = f_ok && valid[i] && !(insert && s4_slot[i]) && f_code == s3_code_q;
            f_exact[i] = f_here[i] && f_base == s3_base_q && (s3_mask_q & ~f_held_mask) == '0;
            f_has = '0;
            for (int k = 1 - Lanes; k < Lanes; k = k + 1)
                if (s3_base_q == f_base + AddrBits'(k) * f_stride) begin
                    f_away[i*ShBits +: ShBits] = ShBits'(k);
                    for (int l = 0; l < Lanes; l = l + 1)
                        if (l + k >= 0 && l + k < Lanes) f_has[l] = f_held_mask[l + k] && s3_mask_q[l];
                end
            if (!f_here[i] || !f_pow2 || !data[i]) f_has = '0;
            f_on = 1'b1;
            for (int l = 0; l < Lanes; l = l + 1) begin
                if (s3_mask_q[l] && !f_has[l]) f_on = 1'b0;
                f_low[i*Lanes + l] = f_on && s3_mask_q[l];
            end
            f_on = 1'b1;
            for (int l = Lanes - 1; l >= 0; l = l - 1) begin
                if (s3_mask_q[l] && !f_has[l]) f_on = 1'b0;
                f_high[i*Lanes + l] = f_on && s3_mask_q[l];
            end
            f_best_low  = f_best_low | f_low[i*Lanes +: Lanes];
            f_best_high = f_best_high | f_high[i*Lanes +: Lanes];
        end
    end
    // .. of equals the lowest slot
    logic                 f_hit, f_wait, f_merge;
    logic [PhyBits-1:0]   f_phys, f_phys_high, f_id;
    logic [ShBits-1:0]    f_shift, f_shift_high;
    always @* begin
        f_hit  = f_exact != '0 || f_ahead;
        f_wait = (f_exact & data) == '0;
        f_merge = !f_hit && f_best_low != '0 && (s3_mask_q & ~f_best_low & ~f_best_high) == '0;
        f_phys = ins_phys_i; f_phys_high = '0; f_shift = '0; f_shift_high = '0;
        for (int i = Slots - 1; i >= 0; i = i - 1) begin
            for (int p = 0; p < PhyBits; p = p + 1) f_id[p] = new_slot_q[i] ? new_phys_q[p] : id_q[p*Slots + i];
            if (f_hit ? f_exact[i] && (f_wait || data[i]) : f_low[i*Lanes +: Lanes] == f_best_low) begin
                f_phys  = f_id;
                f_shift = f_hit ? '0 : f_away[i*ShBits +: ShBits];
            end
            if (f_high[i*Lanes +: Lanes] == f_best_high) begin
                f_phys_high  = f_id;
                f_shift_high = f_away[i*ShBits +: ShBits];
            end
        end
    end
    logic                 f4_hit, f4_wait, f4_merge;
    logic [PhyBits-1:0]   f4_phys, f4_phys_high;
    logic [ShBits-1:0]    f4_shift, f4_shift_high;
    logic [Lanes-1:0]     f4_low;
    always_ff @(posedge clk_i) begin
        f4_hit  <= f_hit;
        f4_wait <= f_hit && f_wait;
        f4_merge <= f_merge;
        f4_phys <= f_phys;
        f4_phys_high <= f_phys_high;
        f4_shift <= f_shift;
        f4_shift_high <= f_shift_high;
        f4_low <= f_best_low;
    end
    // An entry lies in the bank and the row of its window, and was one that may be entered.
    logic [Slots-1:0]     f_placed;
    logic [WinBits-1:0]   f_window;
    logic [RowW-1:0]      f_row;
    integer               f_shift_right;
    logic [AddrBits-1:0]  f_at;
    logic [CodeBits-1:0]  f_with;
    logic [AddrBits:0]    f_end;
    always @* begin
        f_placed = '0;
        for (int i = 0; i < Slots; i = i + 1) begin
            f_at   = f_held[i*MemW +: AddrBits];
            f_with = f_held[i*MemW + AddrBits +: CodeBits];
            f_shift_right = LaneBits;
            for (int c = CodeBits; c > 0; c = c - 1) if (f_with <= CodeBits'(1) << (c - 1)) f_shift_right = LaneBits + 1 + c;
            if (f_with == '0) f_shift_right = LaneBits;
            f_window = WinBits'(f_at >> f_shift_right);
            f_row    = '0;
            for (int j = 0; RowBits > 0 && j < WinBits; j = j + RowW) f_row = f_row ^ RowW'(f_window >> j);
            f_end = {1'b0, f_at} + (AddrBits+1)'(f_with) * (AddrBits+1)'(4 * (Lanes - 1)) + (AddrBits+1)'(3);
            f_placed[i] = 32'(f_window % 3) == i / (Rows * Ways) && 32'(f_row) == i / Ways % Rows &&
                          f_with <= CodeBits'(1) << (CodeBits - 1) && !f_end[AddrBits];
        end
    end
    always_comb
        if (f_past) begin
            assert ((valid & ~f_placed) == '0);
            // the latch names one slot, by number and by bank, row and way
            for (int i = 0; i < Slots; i = i + 1)
                assert (new_slot_q[i] == (new_at_q[i / (Rows * Ways) * Ways + i % Ways] && 32'(new_row_q) == i / Ways % Rows));
            if (ans_valid_o) begin
                assert (ans_kind_o == {f4_merge, f4_hit} && ans_wait_o == f4_wait);
                if (ans_kind_o != 2'd0) assert (ans_phys_o[0 +: PhyBits] == f4_phys && ans_shift_o[0 +: ShBits] == f4_shift);
                if (ans_kind_o == 2'd2) assert (ans_mask_o[0 +: Lanes] == f4_low);
                if (ans_use_o[1])
                    assert (ans_phys_o[PhyBits +: PhyBits] == f4_phys_high && ans_shift_o[ShBits +: ShBits] == f4_shift_high);
            end
            cover (ans_valid_o && ans_use_o == 2'b11);
        end
`endif
endmodule
