// SPDX-License-Identifier: Apache-2.0
// Purpose:    the address mapping table of LARF: which physical register holds the data of a global
//             load. It answers a load per cycle with that register, with two registers that cover
//             the load, or with a miss. Stores, releases and flushes kill entries. Contract:
//             models/larf/addr_map_table.h.
//             The paper's table is one associative memory of 400 entries. Here all entries that can
//             serve a load are in three windows of addresses, which are rows of three banks. Stage
//             1 finds the rows, stage 2 reads them, stage 3 compares their entries, stage 4
//             decides, answers and enters. Stores wait in a queue and use the same stages when no
//             load does; until then loads that touch their line miss. Only the register numbers,
//             valid and data bits of all entries are in flip-flops.
// Parameters: RowBits, 0..6: log2 of the rows of a bank; Ways, 1..8: entries of a row. Banks,
//             1..32, and Entries, 2..1024, of the register file; NumWr, 1..4: arrivals per cycle.
// Timing:     look-up accepted in cycle t, answer in t + 3, for one cycle, from state alone; one
//             per cycle. Inputs ins_* belong to the answer of the same cycle. Outputs rel_done_o
//             and arr_done_o follow three cycles after the request. Output lk_ready_o depends on
//             st_valid_i and lk_question_i; all other outputs on state alone.
// Reset:      no entries, way 0 is filled next, no stores, no answer (memories and register numbers are not reset).
// Left out:   computing base and stride from 32 addresses (load_shape). Stores wait in
//             addr_map_stores; stages 1 and 2 are addr_map_find. An entry's comparison is
//             addr_map_compare, stage 4's choice addr_map_choose.
// Shapes:     - ; RowBits=1,Ways=2,Banks=2,Entries=1024,NumWr=1 ; RowBits=0,Ways=1,Banks=1,Entries=2,NumWr=1
// Shapes:     RowBits=3,Ways=8,Banks=32,Entries=64,NumWr=4
// Proof:      5:10:RowBits=0,Ways=1,Banks=1,Entries=2,NumWr=1
// Long proof: 5:10:RowBits=1,Ways=1,Banks=1,Entries=2,NumWr=1

`include "macros.svh"

module addr_map_table #(
    parameter int RowBits = 4,
    parameter int Ways    = 8,
    parameter int Banks   = 4,
    parameter int Entries = 256,
    parameter int NumWr   = 2,
    localparam int Lanes    = `NARROW(2, 32),  // a warp of 2 in a space of 16 words: the same arithmetic, in proofs
    localparam int AddrBits = `NARROW(6, 32),
    localparam int CodeBits = `NARROW(2, 8),  // stride / 4: 0..128; in proofs strides 0, 4, 8
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
    // observation: entries, ways to fill, stores, then parameters; entries that a store kills, for counters
    `OBS_PORT(input  logic [31:0]            obs_addr_i)
    `OBS_PORT(output logic [127:0]           obs_data_o)
    `OBS_PORT(output logic [3*Ways-1:0]      obs_died_o)
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
    // events of entries
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
    // An entry is in latch new_* for one cycle before it is written. The decision to enter a load
    // and the write then take two cycles. In the latch the entry counts as written: valid, data
    // combine both.
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
    `OBS(logic [127:0]        obs_stores;)
    addr_map_stores #(.LaneBits(LaneBits), .AddrBits(AddrBits), .CodeBits(CodeBits)) u_stores (
        .clk_i, .rst_ni, .flush_i(fl_valid_i), .st_valid_i, .st_low_i, .st_high_i, .st_ready_o, .count_o(count),
        .lk_go_i(lk_go), .met_i(met_q), .step_go_o(step_go), .step_class_o(step_class), .step_window_o(step_window),
        .step_low_o(step_low), .step_high_o(step_high), .look_base_i(s2_base), .look_last_i(s2_last),
        `OBS_PORT(.obs_addr_i(obs_addr_i - 32'(Slots + Lines)))
        `OBS_PORT(.obs_data_o(obs_stores))
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
    logic [N*Lanes-1:0]   gaps;                     // requested lanes that it does not give
    logic [N-1:0]         evicted;                  // in this cycle; known last, so that stage 4 leaves it out
    logic [N*ShBits-1:0]  shift;
    logic [N*PhyBits-1:0] s3_phys;
    logic [N-1:0]         s3_new_q;                 // the entry that was read is still in the latch
    logic [LaneBits-1:0]  new_place;
    logic                 look;
    assign look = s3_lk_q && s3_fits_q && !s3_bar_q && !fl_valid_i;
    addr_map_place #(.LaneBits(LaneBits), .AddrBits(AddrBits), .CodeBits(CodeBits)) u_new_place (
        .base_i(new_word_q[AddrBits-1:0]), .class_i(s3_class_q), .place_o(new_place)
    );
    `OBS(logic [N*MemW-1:0] obs_rows;)                    // of each way the row looked at
    `OBS(logic [RowW-1:0]   obs_row;)
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
            // the memory of this way: one write port, one clocked read port that sees a write of
            // its cycle
            `NARROW((* mem2reg *), ) logic [MemW-1:0] mem_q [0:Rows-1];  // in proofs flip-flops: the contract looks at all rows
            logic [MemW-1:0] rd_q, word;
            assign word = s3_new_q[I] ? new_word_q : rd_q;
            always_ff @(posedge clk_i) begin
                if (new_at_q[I]) mem_q[new_row_q] <= new_word_q;
                if (s2_lk || s2_kill)
                    rd_q <= new_at_q[I] && new_row_q == read_row ? new_word_q : mem_q[read_row];
                s3_new_q[I] <= insert && s4_mid_q[b] && s4_fill[w] && s4_row_q == read_row;
            end
            `OBS(assign obs_rows[I*MemW +: MemW] = new_at_q[I] && new_row_q == obs_row ? new_word_q : mem_q[obs_row];)
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

    // and the load just ahead, if it is entered now
    logic ahead;
    assign ahead = insert && s3_lk_q && s3_fits_q && !s3_bar_q && s4_base_q == s3_base_q && s4_code_q == s3_code_q &&
                   (s3_mask_q & ~s4_mask_q) == '0;

    logic [N-1:0]         s4_exact_q, s4_wait_q, s4_evicted_q;
    logic [N*Lanes-1:0]   s4_gaps_q;
    logic                 s4_some_q;                // a lane is requested
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

    `CHECK_RANGE(addr_map_table, RowBits, 0, 6)
    `CHECK_RANGE(addr_map_table, Ways, 1, 8)
    `CHECK_RANGE(addr_map_table, Banks, 1, 32)
    `CHECK_RANGE(addr_map_table, Entries, 2, 1024)
    `CHECK_RANGE(addr_map_table, NumWr, 1, 4)
    `include "larf/addr_map_table.obs.svh"
endmodule
