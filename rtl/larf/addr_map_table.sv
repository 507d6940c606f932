// SPDX-License-Identifier: Apache-2.0
// Purpose:    the address mapping table of LARF: which physical register holds what a global load
//             has read. Answers a load with that register, with two registers that cover it, or with
//             a miss; stores, releases and flushes kill entries. Contract: models/larf/addr_map_table.h.
//             The paper's table is one associative memory of 400 entries that is also searched for
//             pairs. Here it is a memory of Rows x W entries of which a scan compares one row per
//             cycle: read; distance to each base, divided by the stride; shifted masks, and per row
//             the best entry from either end; then the decision. The pair needs no pairwise search:
//             the longest run of lanes from below and the longest from above cover together whenever
//             any two do (masks without holes). It costs Rows + 3 cycles per lookup and Rows per
//             store, one of them at a time; for it, 50 subtractors, five-step dividers and shifters
//             stand where a flat table has 400, and a path of one compare of 400 x 11 bits (register
//             numbers, for release and arrival, in flip-flops) is the only one that sees all entries.
// Parameters: Slots, 2..1024: entries; Ways, 1..1024: entries compared per cycle (no more than Slots
//             count); Banks, 1..32, and Entries, 2..1024, of the register file.
// Timing:     with W = min(Ways, Slots), Rows = ceil(Slots / W): lookup accepted in cycle t, answer
//             in t + Rows + 3, for one cycle, from registers; the next one may be accepted in that
//             cycle. Store: one per Rows cycles. Release and arrival: one of both per cycle, not
//             while a lookup is under way. lk_ready_o depends on st_valid_i, arr_ready_o on
//             rel_valid_i, all other outputs on state alone.
// Reset:      no entries, slot 0 is filled next, nothing under way, no answer (the memories and the
//             data bits are not reset).
// Left out:   computing base and stride from 32 addresses; overlap of one lookup with the next (it
//             would have to see the entry that the one before it makes).
// Shapes:     - ; Slots=8,Ways=3,Banks=2,Entries=1024 ; Slots=2,Ways=1,Banks=1,Entries=2
// Shapes:     Slots=40,Ways=1024,Banks=32,Entries=64
// Proof:      1:18:Slots=2,Ways=1,Banks=2,Entries=2
// Proof:      1:12:Slots=3,Ways=2,Banks=2,Entries=2
`ifdef SIM
`define RF_OBS
`endif
`ifdef FORMAL
`define RF_OBS
`endif

module addr_map_table #(
    parameter int Slots   = 400,
    parameter int Ways    = 50,
    parameter int Banks   = 4,
    parameter int Entries = 256,
`ifdef RF_NARROW
    localparam int Lanes    = 2,  // a warp of 2 in a space of 8 words: the same arithmetic, in proofs
    localparam int AddrBits = 5,
    localparam int CodeBits = 2,  // strides -4, 0, 4, 8
`else
    localparam int Lanes    = 32,
    localparam int AddrBits = 32,
    localparam int CodeBits = 8,  // stride / 4: 0..128, and 129..255 for -127..-1
`endif
    localparam int LaneBits = $clog2(Lanes),
    localparam int PhyBits  = (Banks > 1 ? $clog2(Banks) : 1) + (Entries > 1 ? $clog2(Entries) : 1)
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    // loads ask
    input  logic                    lk_valid_i,
    input  logic [AddrBits-1:0]     lk_base_i,
    input  logic [AddrBits-1:0]     lk_stride_i,
    input  logic [Lanes-1:0]        lk_mask_i,
    input  logic                    lk_insert_i,
    input  logic [PhyBits-1:0]      lk_phys_i,
    output logic                    lk_ready_o,
    // stores invalidate
    input  logic                    st_valid_i,
    input  logic [AddrBits-1:0]     st_low_i,
    input  logic [AddrBits-1:0]     st_high_i,
    output logic                    st_ready_o,
    // registers are released, get their data
    input  logic                    rel_valid_i,
    input  logic [PhyBits-1:0]      rel_phys_i,
    output logic                    rel_ready_o,
    input  logic                    arr_valid_i,
    input  logic [PhyBits-1:0]      arr_phys_i,
    output logic                    arr_ready_o,
    // everything is forgotten
    input  logic                    fl_valid_i,
`ifdef RF_OBS
    // observation: entries, what is under way, then parameters
    input  logic [31:0]             obs_addr_i,
    output logic [127:0]            obs_data_o,
`endif
`ifdef TESTBUG
    input  logic [63:0]             fault_i,
`endif
    // the answer
    output logic                    ans_valid_o,
    output logic [1:0]              ans_kind_o,
    output logic                    ans_wait_o,
    output logic                    ans_kept_o,
    output logic [1:0]              ans_use_o,
    output logic [2*PhyBits-1:0]    ans_phys_o,
    output logic [2*LaneBits+1:0]   ans_shift_o,
    output logic [2*Lanes-1:0]      ans_mask_o,
    output logic                    ev_valid_o,
    output logic [PhyBits-1:0]      ev_phys_o
);
    // Seeded faults.
    // 300  strides are not compared: ans_kind_o, an entry at the same or a near base, another stride
    // 301  entries whose data has not arrived take part in merges: ans_wait_o, ans_kind_o,
    //      ans_use_o
    // 302  the last lane is left out of an entry's range: ans_kind_o, lookup after a store that hits
    //      lane 31 only
    // 303  a release spares an entry whose data has not arrived: ev_valid_o, ans_kind_o, lookup
    //      after it
    // 304  the last slot is never filled: ev_valid_o, ev_phys_o, a table gone round
    // 305  of equal covers from above the highest slot of a row is taken: ans_phys_o[1]
    // 306  the shift of a negative stride has the wrong sign: ans_kind_o, ans_shift_o, a merge
    // 307  a flush does not reach a lookup that is about to be decided: ans_kind_o
    // 308  an entry of the register that a new one gets survives: ev_valid_o, ans_kind_o, lookup of
    //      the old one
    // 309  the second mask is not cut by the first: ans_mask_o[1], two entries that overlap
    // 310  +512 counts as -512: ans_kept_o, ans_kind_o or ans_shift_o, that stride
    // 311  a merge is preferred to a hit: ans_kind_o, an entry with the mask's lanes and another one
`ifdef TESTBUG
    integer testbug;
    initial if ($value$plusargs("testbug=%d", testbug) == 0) testbug = 0;
`elsif FORMAL_BUG
    localparam integer testbug = `FORMAL_BUG;
`else
    localparam integer testbug = 0;
`endif

    localparam int W        = Ways < Slots ? Ways : Slots;
    localparam int Rows     = (Slots + W - 1) / W;
    localparam int Places   = Rows * W;            // those of Slots and above are never filled
    localparam int RowBits  = Rows > 1 ? $clog2(Rows) : 1;
    localparam int WayBits  = W > 1 ? $clog2(W) : 1;
    localparam int LastRow  = (Slots - 1) / W;
    localparam int LastWay  = (Slots - 1) % W;
    localparam int CntBits  = $clog2(Rows + 3);
    localparam int RowW     = AddrBits + CodeBits + Lanes;      // a word of the memory
    localparam int DistBits = CodeBits - 1 + LaneBits;          // distance in words that can be reached
    localparam int SpanBits = DistBits + 2;                     // bytes from the first to the last lane
    localparam int ShBits   = LaneBits + 1;
    localparam logic [CntBits-1:0] Decide = CntBits'(Rows + 2);
    localparam logic [CodeBits-1:0] Most  = CodeBits'(1) << (CodeBits - 1);  // +512

    // ---- State
    logic [Places-1:0]         valid_q, data_q;
    logic [PhyBits*Places-1:0] id_q;               // plane b: bit b of the register of each place
    logic [RowBits-1:0]        fill_row_q;
    logic [WayBits-1:0]        fill_way_q;
    logic [CntBits-1:0]        cnt_q;              // cycles since the operation was accepted, 0 none
    logic                      lookup_q;           // it is a lookup
    logic [AddrBits-1:0]       base_q, high_q;     // what is asked; a store's low and high
    logic [Lanes-1:0]          mask_q;
    logic [CodeBits-1:0]       code_q;
    logic                      fits_q, insert_q;
    logic [PhyBits-1:0]        phys_q;
    logic                      s2_lk_q, s2_st_q, s3_q;  // a row stands in stage 2, in stage 3
    logic [RowBits-1:0]        s2_row_q, s3_row_q;

    // ---- What is accepted
    logic idle, asking, lk_go, st_go, rel_go, arr_go, decide;
    assign idle        = cnt_q == '0;
    assign asking      = !idle && lookup_q;
    assign decide      = cnt_q == Decide && lookup_q;
    assign st_ready_o  = idle;
    assign lk_ready_o  = idle && !st_valid_i;
    assign rel_ready_o = !asking;
    assign arr_ready_o = !asking && !rel_valid_i;
    assign lk_go       = lk_valid_i && lk_ready_o;
    assign st_go       = st_valid_i && st_ready_o;
    assign rel_go      = rel_valid_i && rel_ready_o;
    assign arr_go      = arr_valid_i && arr_ready_o;

    // The code of a stride: a multiple of 4 whose upper bits are the sign that the code stands for.
    logic [CodeBits-1:0] lk_code;
    logic                lk_fits, lk_neg;
    assign lk_code = lk_stride_i[CodeBits+1:2];
    assign lk_neg  = lk_code[CodeBits-1] && (lk_code != Most || testbug == 310);
    assign lk_fits = lk_stride_i[1:0] == 2'b00 &&
                     lk_stride_i[AddrBits-1:CodeBits+2] == {(AddrBits-CodeBits-2){lk_neg}};

    // ---- Stage 1: a row is read
    logic               read;
    logic [RowBits-1:0] read_row;
    assign read     = lk_go || st_go || (!idle && cnt_q < CntBits'(Rows));
    assign read_row = idle ? '0 : RowBits'(cnt_q);

    // ---- Stages 2 and 3, per way
    logic                 neg;                     // of the stride asked for
    logic [CodeBits-1:0]  mag;
    logic [AddrBits-1:0]  st_span;
    logic [W-1:0]         s2_valid, s2_data, over; // over: the store meets the entry
    logic [W-1:0]         exact, exact_wait;
    logic [W*Lanes-1:0]   have, run_low, run_high;
    logic [W*ShBits-1:0]  shift;
    logic                 insert;
    logic [W-1:0]         fill_way;
    assign neg      = code_q[CodeBits-1] && (code_q != Most || testbug == 310);
    assign mag      = neg ? -code_q : code_q;
    assign st_span  = high_q - base_q;
    assign s2_valid = W'(valid_q >> s2_row_q * W);
    assign s2_data  = W'(data_q >> s2_row_q * W);
    assign fill_way = W'(1) << fill_way_q;
`ifdef RF_OBS
    localparam int PlaceBits = $clog2(Places);
    logic [W*RowW-1:0]  obs_rows;                  // of each way the row looked at
    logic [RowBits-1:0] obs_row;
`endif
`ifdef TESTBUG
    // Fault injection: the place, the bits of its word in the memory that are meant, and bits of the
    // other state by their place in the observed words.
    logic               fault_here, unused_fault;  // an entry is meant
    logic [PlaceBits-1:0] fault_place;
    logic [RowBits-1:0] fault_row;
    logic [WayBits-1:0] fault_way;
    logic [RowW-1:0]    fault_word;
    logic [127:0]       fault_bits;
    logic [1:0]         fault_kind;
    assign unused_fault = ^fault_i[63:44] || ^fault_i[41:39];
    assign fault_kind   = fault_i[43:42];
    assign fault_here   = fault_kind != 2'd0 && fault_i[31:0] < Slots;
    assign fault_place  = PlaceBits'(fault_i[31:0]);
    assign fault_row    = RowBits'(fault_i[31:0] / W);
    assign fault_way    = WayBits'(fault_i[31:0] % W);
    assign fault_bits   = fault_i[41:39] == 3'd0 ? 128'd1 << fault_i[38:32] : '0;
    assign fault_word   = {fault_bits[64 +: Lanes], fault_bits[16 +: CodeBits], fault_bits[32 +: AddrBits]};
    function automatic [127:0] hurt(input [1:0] kind, input [127:0] bits, input [127:0] word);
        hurt = kind == 2'd1 ? word ^ bits : kind == 2'd2 ? word & ~bits
             : kind == 2'd3 ? word | bits : word;
    endfunction
`endif

    // All lanes above the highest set one of x.
    function automatic [Lanes-1:0] above(input [Lanes-1:0] x);
        integer s;
        begin
            above = x;
            for (s = 1; s < Lanes; s = s * 2) above = above | (above >> s);
            above = ~above;
        end
    endfunction

    for (genvar w = 0; w < W; w = w + 1) begin : g_way
        // the memory of this way: one write port, one clocked read port
`ifdef FORMAL
        (* mem2reg *)  // the solver is better at registers than at arrays
`endif
        logic [RowW-1:0] mem_q [0:Rows-1];
        logic [RowW-1:0] rd_q;
`ifdef TESTBUG
        logic [RowW-1:0] fault_next;
        assign fault_next = insert && fill_way[w] && fill_row_q == fault_row
                          ? {mask_q, code_q, base_q} : mem_q[fault_row];
`endif
        always_ff @(posedge clk_i) begin
            if (insert && fill_way[w])
                mem_q[fill_row_q] <= {mask_q, code_q, base_q};
            if (read) rd_q <= mem_q[read_row];
`ifdef TESTBUG
            if (fault_here && fault_way == WayBits'(w) && fault_word != '0)
                mem_q[fault_row] <= RowW'(hurt(fault_kind, 128'(fault_word), 128'(fault_next)));
`endif
        end
`ifdef RF_OBS
        assign obs_rows[w*RowW +: RowW] = mem_q[obs_row];
`endif
        logic [AddrBits-1:0] base;
        logic [CodeBits-1:0] code;
        logic [Lanes-1:0]    mask;
        assign base = rd_q[AddrBits-1:0];
        assign code = rd_q[AddrBits+CodeBits-1:AddrBits];
        assign mask = rd_q[RowW-1:AddrBits+CodeBits];

        // Stage 2 of a lookup: how many strides the base is away, by long division.
        logic [AddrBits-1:0] away;
        logic [AddrBits-3:0] words;
        logic [DistBits-1:0] rest;
        logic [LaneBits-1:0] lanes;
        logic                reach;
        assign away  = base_q - base;
        assign words = away[AddrBits-1] ? -away[AddrBits-1:2] : away[AddrBits-1:2];
        always @* begin
            rest  = words[DistBits-1:0];
            lanes = '0;
            for (int b = LaneBits - 1; b >= 0; b = b - 1)
                if (rest >= DistBits'(mag) << b && mag != '0) begin
                    rest     = rest - (DistBits'(mag) << b);
                    lanes[b] = 1'b1;
                end
        end
        assign reach = (code == code_q || testbug == 300) && away[1:0] == 2'b00 &&
                       words[AddrBits-3:DistBits] == '0 && rest == '0;

        // Stage 2 of a store: are its bytes and those of lanes 0..Lanes-1 disjoint?
        logic                c_neg;
        logic [CodeBits-1:0] c_mag;
        logic [SpanBits-1:0] far, span;            // last lane from the first; its last byte
        logic [AddrBits-1:0] first, into;
        assign c_neg = code[CodeBits-1] && code != Most;
        assign c_mag = c_neg ? -code : code;
        assign far   = (SpanBits'(c_mag) << (LaneBits + 2)) - (SpanBits'(c_mag) << (testbug == 302 ? 3 : 2));
        assign span  = {far[SpanBits-1:2], 2'b11};
        assign first = c_neg ? base - AddrBits'(far) : base;
        assign into  = base_q - first;
        assign over[w] = into <= AddrBits'(span) || -into <= st_span;

        // Stage 3: the lanes of the load that the entry has.
        logic                near_q, has_q, neg_q;
        logic [LaneBits-1:0] lanes_q;
        logic [Lanes-1:0]    held_q, there, gaps;
        logic                same, usable;
        always_ff @(posedge clk_i) begin
            if (s2_lk_q) begin
                near_q  <= s2_valid[w] && fits_q && mask_q != '0 && reach && !fl_valid_i;
                has_q   <= s2_data[w] || testbug == 301;
                neg_q   <= away[AddrBits-1] ^ (neg && testbug != 306);
                lanes_q <= lanes;
                held_q  <= mask;
            end
        end
        assign there  = neg_q ? held_q << lanes_q : held_q >> lanes_q;
        assign gaps   = mask_q & ~there;
        assign same   = near_q && lanes_q == '0 && gaps == '0;
        assign usable = near_q && has_q;
        assign exact[w]      = same && has_q;
        assign exact_wait[w] = same && !has_q;
        assign have[w*Lanes +: Lanes]    = mask_q & there;
        assign run_low[w*Lanes +: Lanes]  = {Lanes{usable}} & mask_q & ~gaps & (gaps - Lanes'(1));
        assign run_high[w*Lanes +: Lanes] = {Lanes{usable}} & mask_q & above(gaps);
        assign shift[w*ShBits +: ShBits]  = neg_q ? -{1'b0, lanes_q} : {1'b0, lanes_q};
    end

    // ---- Stage 3, the row: the best from either end. Runs from one end contain each other, so that
    // their OR is the longest one.
    logic [Lanes-1:0] best_low, best_high;
    logic [W-1:0]     is_low, is_high, win_low, win_high, win_exact, win_wait;
    always @* begin
        best_low  = '0;
        best_high = '0;
        for (int w = 0; w < W; w = w + 1) begin
            best_low  = best_low | run_low[w*Lanes +: Lanes];
            best_high = best_high | run_high[w*Lanes +: Lanes];
        end
    end
    always @* begin
        for (int w = 0; w < W; w = w + 1) begin
            is_low[w]  = best_low != '0 && run_low[w*Lanes +: Lanes] == best_low;
            is_high[w] = best_high != '0 && run_high[w*Lanes +: Lanes] == best_high;
        end
    end
    always @* begin
        win_high = is_high & (~is_high + W'(1));
        if (testbug == 305)
            for (int w = 0; w < W; w = w + 1)
                win_high = is_high[w] ? W'(1) << w : win_high;
    end
    assign win_low   = is_low & (~is_low + W'(1));
    assign win_exact = exact & (~exact + W'(1));
    assign win_wait  = exact_wait & (~exact_wait + W'(1));

    logic [Lanes-1:0]   low_cover, high_cover;
    logic [ShBits-1:0]  low_shift, high_shift;
    logic [PhyBits-1:0] low_phys, high_phys, exact_phys, wait_phys;
    always @* begin
        low_cover  = '0;
        high_cover = '0;
        low_shift  = '0;
        high_shift = '0;
        for (int w = 0; w < W; w = w + 1) begin
            low_cover  = low_cover | ({Lanes{win_low[w]}} & have[w*Lanes +: Lanes]);
            high_cover = high_cover | ({Lanes{win_high[w]}} & have[w*Lanes +: Lanes]);
            low_shift  = low_shift | ({ShBits{win_low[w]}} & shift[w*ShBits +: ShBits]);
            high_shift = high_shift | ({ShBits{win_high[w]}} & shift[w*ShBits +: ShBits]);
        end
    end
    for (genvar b = 0; b < PhyBits; b = b + 1) begin : g_phys
        logic [W-1:0] row;
        assign row = W'(id_q[b*Places +: Places] >> s3_row_q * W);
        assign low_phys[b]   = (row & win_low) != '0;
        assign high_phys[b]  = (row & win_high) != '0;
        assign exact_phys[b] = (row & win_exact) != '0;
        assign wait_phys[b]  = (row & win_wait) != '0;
    end

    // The best of the rows so far; an earlier row wins ties.
    logic               exact_q, wait_q;
    logic [PhyBits-1:0] exact_phys_q, wait_phys_q, low_phys_q, high_phys_q;
    logic [Lanes-1:0]   low_run_q, high_run_q, low_cover_q, high_cover_q;
    logic [ShBits-1:0]  low_shift_q, high_shift_q;
    always_ff @(posedge clk_i) begin
        if (lk_go || (fl_valid_i && testbug != 307)) begin
            exact_q      <= 1'b0;
            wait_q       <= 1'b0;
            low_run_q    <= '0;
            high_run_q   <= '0;
            low_cover_q  <= '0;
            high_cover_q <= '0;
        end else if (s3_q) begin
            if (exact != '0)      exact_q <= 1'b1;
            if (exact_wait != '0) wait_q  <= 1'b1;
            if (!exact_q) exact_phys_q <= exact_phys;
            if (!wait_q)  wait_phys_q  <= wait_phys;
            if ((best_low & ~low_run_q) != '0) begin
                low_run_q   <= best_low;
                low_cover_q <= low_cover;
                low_shift_q <= low_shift;
                low_phys_q  <= low_phys;
            end
            if ((best_high & ~high_run_q) != '0) begin
                high_run_q   <= best_high;
                high_cover_q <= high_cover;
                high_shift_q <= high_shift;
                high_phys_q  <= high_phys;
            end
        end
    end

    // ---- The decision
    logic             hit, merge, found;
    logic [Lanes-1:0] left;
    assign found  = !fl_valid_i || testbug == 307;
    assign left   = mask_q & ~low_cover_q;
    assign merge  = found && low_run_q != '0 && (left & ~high_cover_q) == '0 &&
                    (!(exact_q || wait_q) || (testbug == 311 && left != '0));
    assign hit    = found && (exact_q || wait_q) && !merge;
    assign insert = decide && !hit && !merge && insert_q && fits_q && mask_q != '0;
    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            ans_valid_o <= 1'b0;
            ans_use_o   <= 2'b00;
            ev_valid_o  <= 1'b0;
        end else begin
            ans_valid_o <= decide;
            ans_use_o   <= {2{decide}} & (hit ? 2'b01 : {merge && left != '0, merge});
            ev_valid_o  <= insert && evict != '0;
        end
    end
    always_ff @(posedge clk_i) begin
        if (decide) begin
            ans_kind_o  <= {merge, hit};
            ans_wait_o  <= hit && !exact_q;
            ans_kept_o  <= insert;
            ans_phys_o  <= {high_phys_q, hit ? exact_q ? exact_phys_q : wait_phys_q : low_phys_q};
            ans_shift_o <= {high_shift_q, hit ? ShBits'(0) : low_shift_q};
            ans_mask_o  <= {testbug == 309 ? high_cover_q : left, hit ? mask_q : low_cover_q};
            ev_phys_o   <= ev_phys;
        end
    end

    // ---- Register numbers: which entries have the one that is released, arrives, or is entered.
    logic [PhyBits-1:0] id;
    logic [Places-1:0]  match, fill, die, evict;
    logic [PhyBits-1:0] ev_phys;
    assign id    = asking ? phys_q : rel_valid_i ? rel_phys_i : arr_phys_i;
    assign fill  = Places'(fill_way) << fill_row_q * W;
    assign evict = fl_valid_i ? '0 : valid_q & fill & ~match;
    always @* begin
        match = valid_q;
        for (int b = 0; b < PhyBits; b = b + 1)
            match = match & ~(id_q[b*Places +: Places] ^ {Places{id[b]}});
    end
    for (genvar b = 0; b < PhyBits; b = b + 1) begin : g_evict
        assign ev_phys[b] = (id_q[b*Places +: Places] & fill) != '0;
    end

    // ---- Next state
    always @* begin
        die = '0;
        if (rel_go) die = testbug == 303 ? match & data_q : match;
        if (insert && testbug != 308) die = match;
        if (s2_st_q) die = die | (Places'(over) << s2_row_q * W);
        if (fl_valid_i) die = '1;
    end
    logic [Places-1:0]   valid_d, data_d;
    logic [RowBits-1:0]  fill_row_d;
    logic [WayBits-1:0]  fill_way_d;
    logic [CntBits-1:0]  cnt_d;
    logic                lookup_d, fill_last;
    logic [AddrBits-1:0] base_d, high_d;
    logic [Lanes-1:0]    mask_d;
    logic [CodeBits-1:0] code_d;
    logic                fits_d, insert_d;
    logic [PhyBits-1:0]  phys_d;
    assign fill_last = fill_row_q == RowBits'(LastRow) &&
                       fill_way_q == WayBits'(testbug == 304 && LastWay > 0 ? LastWay - 1 : LastWay);
    always @* begin
        valid_d = (valid_q & ~die) | (insert ? fill : '0);
        data_d  = (data_q | (arr_go ? match : '0)) & ~(insert ? fill : '0);
`ifdef TESTBUG
        if (fault_here && fault_bits[31])
            valid_d[fault_place] = 1'(hurt(fault_kind, 128'd1, 128'(valid_d[fault_place])));
        if (fault_here && fault_bits[30])
            data_d[fault_place] = 1'(hurt(fault_kind, 128'd1, 128'(data_d[fault_place])));
`endif
    end
    always @* begin
        fill_row_d = fill_row_q;
        fill_way_d = fill_way_q;
        if (insert) begin
            if (fill_last || fill_way_q == WayBits'(W - 1)) begin
                fill_way_d = '0;
                fill_row_d = fill_last ? '0 : fill_row_q + RowBits'(1);
            end else fill_way_d = fill_way_q + WayBits'(1);
        end
        cnt_d = cnt_q + CntBits'(1);
        if (idle && !lk_go && !(st_go && Rows > 1)) cnt_d = '0;
        if (!idle && (lookup_q ? decide : cnt_q == CntBits'(Rows - 1))) cnt_d = '0;
        lookup_d = lk_go || st_go ? lk_go : lookup_q;
`ifdef TESTBUG
        if (fault_i[31:0] == Slots) begin
            fill_row_d = RowBits'(hurt(fault_kind, 128'(fault_bits[16 +: RowBits]), 128'(fill_row_d)));
            fill_way_d = WayBits'(hurt(fault_kind, 128'(fault_bits[0 +: WayBits]), 128'(fill_way_d)));
            cnt_d      = CntBits'(hurt(fault_kind, 128'(fault_bits[32 +: CntBits]), 128'(cnt_d)));
            lookup_d   = 1'(hurt(fault_kind, 128'(fault_bits[48]), 128'(lookup_d)));
        end
`endif
    end
    always @* begin
        base_d   = lk_go ? lk_base_i : st_go ? st_low_i : base_q;
        high_d   = st_go ? st_high_i : high_q;
        mask_d   = lk_go ? lk_mask_i : mask_q;
        code_d   = lk_go ? lk_code : code_q;
        fits_d   = lk_go ? lk_fits : fits_q;
        insert_d = lk_go ? lk_insert_i : insert_q;
        phys_d   = lk_go ? lk_phys_i : phys_q;
`ifdef TESTBUG
        if (fault_i[31:0] == Slots + 1) begin
            phys_d   = PhyBits'(hurt(fault_kind, 128'(fault_bits[0 +: PhyBits]), 128'(phys_d)));
            code_d   = CodeBits'(hurt(fault_kind, 128'(fault_bits[16 +: CodeBits]), 128'(code_d)));
            fits_d   = 1'(hurt(fault_kind, 128'(fault_bits[30]), 128'(fits_d)));
            insert_d = 1'(hurt(fault_kind, 128'(fault_bits[31]), 128'(insert_d)));
            base_d   = AddrBits'(hurt(fault_kind, 128'(fault_bits[32 +: AddrBits]), 128'(base_d)));
            mask_d   = Lanes'(hurt(fault_kind, lookup_q ? 128'(fault_bits[64 +: Lanes]) : '0, 128'(mask_d)));
            high_d   = AddrBits'(hurt(fault_kind, lookup_q ? '0 : 128'(fault_bits[64 +: AddrBits]),
                                      128'(high_d)));
        end
`endif
    end

    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            valid_q    <= '0;
            fill_row_q <= '0;
            fill_way_q <= '0;
            cnt_q      <= '0;
            lookup_q   <= 1'b0;
            s2_lk_q    <= 1'b0;
            s2_st_q    <= 1'b0;  // no output would miss it, with nothing valid; the proof does
            s3_q       <= 1'b0;
        end else begin
            valid_q    <= valid_d;
            fill_row_q <= fill_row_d;
            fill_way_q <= fill_way_d;
            cnt_q      <= cnt_d;
            lookup_q   <= lookup_d;
            s2_lk_q    <= lk_go || (read && asking);
            s2_st_q    <= st_go || (read && !idle && !lookup_q);
            s3_q       <= s2_lk_q;
        end
    end
`ifdef TESTBUG
    logic [PhyBits-1:0] fault_id;
    for (genvar b = 0; b < PhyBits; b = b + 1) begin : g_fault_id
        assign fault_id[b] = insert && fill[fault_place] ? phys_q[b]
                                                         : id_q[b*Places + 32'(fault_place)];
    end
`endif
    always_ff @(posedge clk_i) begin
        data_q   <= data_d;
        base_q   <= base_d;
        high_q   <= high_d;
        mask_q   <= mask_d;
        code_q   <= code_d;
        fits_q   <= fits_d;
        insert_q <= insert_d;
        phys_q   <= phys_d;
        s3_row_q <= s2_row_q;
        if (read) s2_row_q <= read_row;
        if (insert)
            for (int b = 0; b < PhyBits; b = b + 1)
                id_q[b*Places +: Places] <= (id_q[b*Places +: Places] & ~fill) |
                                            (fill & {Places{phys_q[b]}});
`ifdef TESTBUG
        for (int b = 0; b < PhyBits; b = b + 1)
            if (fault_here && fault_bits[b])
                id_q[b*Places + 32'(fault_place)] <= 1'(hurt(fault_kind, 128'd1, 128'(fault_id[b])));
`endif
    end

`ifdef RF_OBS
    logic [RowW-1:0] obs_word;
    logic            obs_store;
    assign obs_row   = obs_addr_i < Slots ? RowBits'(obs_addr_i / W) : '0;
    assign obs_word  = RowW'(obs_rows >> 32'(WayBits'(obs_addr_i % W)) * RowW);
    assign obs_store = !idle && !lookup_q;
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i < Slots) begin
            if (valid_q[PlaceBits'(obs_addr_i)]) begin
                obs_data_o[31] = 1'b1;
                obs_data_o[30] = data_q[PlaceBits'(obs_addr_i)];
                for (int b = 0; b < PhyBits; b = b + 1)
                    obs_data_o[b] = id_q[b*Places + 32'(PlaceBits'(obs_addr_i))];
                obs_data_o[16 +: CodeBits] = obs_word[AddrBits +: CodeBits];
                obs_data_o[32 +: AddrBits] = obs_word[0 +: AddrBits];
                obs_data_o[64 +: Lanes]    = obs_word[AddrBits+CodeBits +: Lanes];
            end
        end else if (obs_addr_i == Slots) begin
            obs_data_o[0 +: WayBits]  = fill_way_q;
            obs_data_o[16 +: RowBits] = fill_row_q;
            obs_data_o[32 +: CntBits] = cnt_q;
            obs_data_o[48]            = asking;
        end else if (obs_addr_i == Slots + 1) begin
            if (!idle) obs_data_o[32 +: AddrBits] = base_q;
            if (obs_store) obs_data_o[64 +: AddrBits] = high_q;
            if (asking) begin
                obs_data_o[31]          = insert_q;
                obs_data_o[30]          = fits_q;
                obs_data_o[0 +: PhyBits] = phys_q;
                obs_data_o[64 +: Lanes] = mask_q;
                if (fits_q) obs_data_o[16 +: CodeBits] = code_q;
            end
        end else if (obs_addr_i == 32'hffff_0000) obs_data_o[31:0] = Slots;
        else if (obs_addr_i == 32'hffff_0001) obs_data_o[31:0] = Ways;
        else if (obs_addr_i == 32'hffff_0002) obs_data_o[31:0] = Banks;
        else if (obs_addr_i == 32'hffff_0003) obs_data_o[31:0] = Entries;
    end
`endif

`ifdef SIM
    initial begin
        if (Slots < 2 || Slots > 1024)
            $fatal(1, "addr_map_table: Slots = %0d, legal is 2..1024", Slots);
        if (Ways < 1 || Ways > 1024)
            $fatal(1, "addr_map_table: Ways = %0d, legal is 1..1024", Ways);
        if (Banks < 1 || Banks > 32)
            $fatal(1, "addr_map_table: Banks = %0d, legal is 1..32", Banks);
        if (Entries < 2 || Entries > 1024)
            $fatal(1, "addr_map_table: Entries = %0d, legal is 2..1024", Entries);
    end
`endif
`ifdef FORMAL
    // Contract, for any two registers: what the ports say about them is followed (entered, given its
    // data, killed by release, flush, store, eviction). An answer names a register only while its
    // entry lives, and only for lanes whose addresses it has; an entry that hits is never passed over;
    // two entries without holes that cover the load are never passed over; entries leave in the order
    // in which they came.
    (* anyconst *) logic [PhyBits-1:0]  f_p0;
    (* anyconst *) logic [PhyBits-1:0]  f_p1;
    (* anyconst *) logic [LaneBits-1:0] f_lane;
`ifdef AMT_PAIR
    localparam int Followed = 2;                 // both, for what is said about two entries
`else
    localparam int Followed = 1;
`endif
    logic f_past;
    initial f_past = 1'b0;

    // what is under way, as it came
    logic [AddrBits-1:0] f_base, f_stride;
    logic [Lanes-1:0]    f_mask;
    logic [PhyBits-1:0]  f_phys;
    logic                f_insert, f_flushed, f_fits, f_asking, f_answer;
    logic [3:0]          f_since, f_scan;        // cycles since a lookup, a store was accepted, 0: none
    logic [2:0]          f_fill;                 // slot to fill next
    assign f_fits   = f_stride[1:0] == 2'b00 && $signed(f_stride) <= 2 << CodeBits &&
                      $signed(f_stride) > -(2 << CodeBits);
    assign f_answer = f_since == Rows + 3;
    assign f_asking = f_since != 0 && !f_answer;
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        if (lk_go) begin
            f_base   <= lk_base_i;
            f_stride <= lk_stride_i;
            f_mask   <= lk_mask_i;
            f_phys   <= lk_phys_i;
            f_insert <= lk_insert_i;
        end
        f_flushed <= !lk_go && (f_flushed || fl_valid_i);
        f_since   <= !rst_ni ? '0 : lk_go ? 4'd1 : f_asking ? f_since + 4'd1 : '0;
        f_scan    <= !rst_ni ? '0 : st_go ? 4'd1 : f_scan != 0 && f_scan != Rows ? f_scan + 4'd1 : '0;
        f_fill    <= !rst_ni ? '0 : !(ans_valid_o && ans_kept_o) ? f_fill
                   : f_fill == Slots - 1 ? '0 : f_fill + 3'd1;
    end

    // {reached, shift} from a base to another
    function automatic [ShBits:0] shift_to(input [AddrBits-1:0] from, input [AddrBits-1:0] to,
                                           input [AddrBits-1:0] stride);
        integer k;
        begin
            shift_to = '0;
            for (k = 1 - Lanes; k < Lanes; k = k + 1)
                if (to - from == AddrBits'(k) * stride && (stride != '0 || k == 0))
                    shift_to = {1'b1, ShBits'(k)};
        end
    endfunction
    function automatic [AddrBits-1:0] times(input [LaneBits-1:0] lanes, input [AddrBits-1:0] stride);
        integer b;
        begin
            times = '0;
            for (b = 0; b < LaneBits; b = b + 1) if (lanes[b]) times = times + (stride << b);
        end
    endfunction
    function automatic meets(input [AddrBits-1:0] a, input [AddrBits-1:0] a_span,
                             input [AddrBits-1:0] b, input [AddrBits-1:0] b_span);
        meets = b - a <= a_span || a - b <= b_span;
    endfunction
    function automatic [Lanes-1:0] run_of(input up, input [Lanes-1:0] asked, input [Lanes-1:0] has);
        integer i;
        logic   on;
        begin
            on = 1'b1;
            for (i = 0; i < Lanes; i = i + 1) begin
                if (asked[up ? i : Lanes - 1 - i] && !has[up ? i : Lanes - 1 - i]) on = 1'b0;
                run_of[up ? i : Lanes - 1 - i] = on && asked[up ? i : Lanes - 1 - i];
            end
        end
    endfunction
    function automatic no_holes(input [Lanes-1:0] mask);
        logic [Lanes-1:0] filled;
        begin
            filled   = mask | (mask - Lanes'(1));
            no_holes = (filled & (filled + Lanes'(1))) == '0;
        end
    endfunction

    function automatic f_inside(input [LaneBits-1:0] lane, input [ShBits-1:0] shift);
        integer from;
        begin
            from     = 32'(lane) + (shift[ShBits-1] ? 32'(shift) - 2 * Lanes : 32'(shift));
            f_inside = from >= 0 && from < Lanes;
        end
    endfunction

    // Stages 2 and 3, side by side.
    logic [W*RowW-1:0]     f_rd;
    logic [W-1:0]          f_near, f_has;
    logic [W*Lanes-1:0]    f_held;
    logic [Places*RowW-1:0] f_mem;               // the table, place by place
    for (genvar s = 0; s < Places; s = s + 1) begin : g_f_mem
        assign f_mem[s*RowW +: RowW] = g_way[s % W].mem_q[s / W];
    end
    for (genvar w = 0; w < W; w = w + 1) begin : g_f_way
        assign f_rd[w*RowW +: RowW]     = g_way[w].rd_q;
        assign f_near[w]                = g_way[w].near_q;
        assign f_has[w]                 = g_way[w].has_q;
        assign f_held[w*Lanes +: Lanes] = g_way[w].held_q;
        always_comb if (f_past && s3_q && f_near[w])
            assert (valid_q[32'(s3_row_q)*W + w] && f_fits && f_mask != '0);
    end

    logic [Followed-1:0]       f_good;           // lives, with data, without holes
    logic [Followed*Lanes-1:0] f_covers;
    for (genvar g = 0; g < Followed; g = g + 1) begin : g_f_reg
        logic [PhyBits-1:0]  p;
        logic                live_q, got_q, live, got, killed, fresh, dies, exacts, near, same, doomed, done, proper;
        logic [AddrBits-1:0] base_0, stride_0, base, stride, lowest, extent;
        logic [Lanes-1:0]    mask_0, mask, covers;
        logic [2:0]          slot_q, slot;
        logic [1:0]          row, way;
        logic [Places-1:0]   here;               // entries of this register
        logic [ShBits:0]     reach;
        assign p = g == 0 ? f_p0 : f_p1;
        always_ff @(posedge clk_i) begin
            live_q   <= rst_ni && live && !dies;
            got_q    <= got || (arr_go && arr_phys_i == p);
            base_0   <= base;
            stride_0 <= stride;
            mask_0   <= mask;
            slot_q   <= slot;
        end
        always_comb begin
            // after what the answer of this cycle says
            fresh  = ans_valid_o && ans_kept_o && f_phys == p;
            live   = fresh || (live_q && !(ev_valid_o && ev_phys_o == p));
            got    = !fresh && got_q;
            base   = fresh ? f_base : base_0;
            stride = fresh ? f_stride : stride_0;
            mask   = fresh ? f_mask : mask_0;
            slot   = fresh ? f_fill : slot_q;
            row    = 2'(slot / W);
            way    = 2'(slot % W);
            lowest = stride[AddrBits-1] ? base + times('1, stride) : base;
            extent = times('1, stride[AddrBits-1] ? -stride : stride) + AddrBits'(3);
            killed = st_go && meets(lowest, extent, st_low_i, st_high_i - st_low_i);
            dies   = fl_valid_i || (rel_go && rel_phys_i == p) || killed;
            // what it covers of the load under way
            reach  = shift_to(base_0, f_base, f_stride);
            near   = live_q && stride_0 == f_stride && reach[ShBits] && f_mask != '0;
            covers = !near ? '0 : f_mask & (reach[ShBits-1] ? mask_0 << -reach[ShBits-1:0]
                                                            : mask_0 >> reach[ShBits-1:0]);
            exacts = near && base_0 == f_base && (f_mask & ~mask_0) == '0;
            done   = f_asking && 32'(slot_q / W) + 2 < 32'(f_since);  // its row is in the best so far
        end
        assign f_good[g] = live_q && got_q && no_holes(mask_0);
        assign f_covers[g*Lanes +: Lanes] = covers;

`ifndef AMT_PAIR
        always_comb if (f_past) begin
            // a store that writes into a word of any lane kills the entry
            if (st_go && live && meets(base + times(f_lane, stride), AddrBits'(3),
                                       st_low_i, st_high_i - st_low_i))
                assert (killed);
            // answers name it only when it lives
            for (int j = 0; j < 2; j = j + 1)
                if (ans_use_o[j] && ans_phys_o[j*PhyBits +: PhyBits] == p) begin
                    assert (live_q && ans_mask_o[j*Lanes +: Lanes] != '0);
                    assert (ans_kind_o == 2'd1 ? ans_wait_o == !got_q : got_q);
                    // each lane taken is a lane of the entry with the address asked for
                    if (ans_mask_o[j*Lanes + 32'(f_lane)]) begin
                        assert (f_inside(f_lane, ans_shift_o[j*ShBits +: ShBits]));
                        assert (mask_0[f_lane + ans_shift_o[j*ShBits +: LaneBits]]);
                        assert (base_0 + times(f_lane + ans_shift_o[j*ShBits +: LaneBits], stride_0) ==
                                f_base + times(f_lane, f_stride));
                    end
                end
            // what hits is found
            if (f_answer && exacts) assert (ans_kind_o == 2'd1 && !(got_q && ans_wait_o));
            // first in, first out
            if (ev_valid_o && ev_phys_o == p) assert (live_q && slot_q == f_fill);
            if (ans_valid_o && ans_kept_o && live_q && slot_q == f_fill && f_phys != p)
                assert (ev_valid_o && ev_phys_o == p);
        end
`endif

        // Invariants. The table holds of this register what was followed, and nothing else ..
        always_comb begin
            same   = RowW'(f_mem >> 32'(slot) * RowW) == {mask, stride[CodeBits+1:2], base};
            proper = mask != '0 && stride[1:0] == 2'b00 && $signed(stride) <= 2 << CodeBits &&
                     $signed(stride) > -(2 << CodeBits);
            here   = valid_q;
            for (int b = 0; b < PhyBits; b = b + 1) here = here & ~(id_q[b*Places +: Places] ^ {Places{p[b]}});
            doomed = s2_st_q && 32'(row) >= 32'(s2_row_q) && meets(lowest, extent, base_q, high_q - base_q);
        end
        always_comb if (f_past) begin
            if (live) begin
                assert (slot < Slots && valid_q[slot] && data_q[slot] == got && same && !doomed);
                for (int b = 0; b < PhyBits; b = b + 1) assert (id_q[b*Places + 32'(slot)] == p[b]);
                assert (proper);
            end
            for (int s = 0; s < Places; s = s + 1)
                if (here[s]) assert (s == 32'(slot) && (live || (same && doomed && proper)));
        end
        // .. and so do the stages of a scan,
        for (genvar w = 0; w < W; w = w + 1) begin : g_stage
            always_comb if (f_past) begin
                if ((s2_lk_q || s2_st_q) && 32'(s2_row_q) == 32'(row) && 32'(way) == w && here != '0)
                    assert (f_rd[w*RowW +: RowW] == {mask, stride[CodeBits+1:2], base});
                if (s3_q && 32'(s3_row_q) == 32'(row) && 32'(way) == w && live_q) begin
                    assert (f_near[w] == near && f_has[w] == got_q);
                    if (near) assert (shift[w*ShBits +: ShBits] == reach[ShBits-1:0] &&
                                      f_held[w*Lanes +: Lanes] == mask_0);
                end
            end
        end
        // and the best so far.
        always_comb if (f_past && f_asking) begin
            if (exact_q && exact_phys_q == p) assert (done && exacts && got_q);
            if (wait_q && wait_phys_q == p) assert (done && exacts && !got_q);
            if (done && exacts) assert (got_q ? exact_q : wait_q);
            if (low_run_q != '0 && low_phys_q == p)
                assert (done && near && got_q && low_cover_q == covers && low_shift_q == reach[ShBits-1:0]);
            if (high_run_q != '0 && high_phys_q == p)
                assert (done && near && got_q && high_cover_q == covers && high_shift_q == reach[ShBits-1:0]);
            if (done && got_q) begin
                assert ((run_of(1'b1, f_mask, covers) & ~low_run_q) == '0);
                assert ((run_of(1'b0, f_mask, covers) & ~high_run_q) == '0);
            end
        end
    end
    always_comb begin
        assume (f_p0 != f_p1);
        if (f_past) begin
            // when: ready, latency
            assert (st_ready_o == ((f_scan == 0 || f_scan == Rows) && !f_asking));
            assert (lk_ready_o == (st_ready_o && !st_valid_i));
            assert (rel_ready_o == !f_asking);
            assert (arr_ready_o == (!f_asking && !rel_valid_i));
            assert (ans_valid_o == f_answer);
            // the answer as a whole
            if (f_answer) begin
                assert (ans_kind_o != 2'd3);
                assert (ans_use_o[0] == (ans_kind_o != 2'd0) && (ans_use_o[0] || !ans_use_o[1]));
                assert (!ans_wait_o || ans_kind_o == 2'd1);
                if (ans_kind_o == 2'd1)
                    assert (ans_use_o == 2'b01 && ans_mask_o[0 +: Lanes] == f_mask &&
                            ans_shift_o[0 +: ShBits] == '0);
                if (ans_kind_o == 2'd2) begin
                    assert (((ans_use_o[1] ? ans_mask_o[Lanes +: Lanes] : '0) | ans_mask_o[0 +: Lanes]) == f_mask);
                    if (ans_use_o[1]) assert ((ans_mask_o[Lanes +: Lanes] & ans_mask_o[0 +: Lanes]) == '0);
                end
                if (ans_kind_o != 2'd0) assert (f_mask != '0 && f_fits && !f_flushed);
                assert (ans_kept_o == (ans_kind_o == 2'd0 && f_insert && f_mask != '0 && f_fits));
`ifdef AMT_PAIR
                if (f_good == 2'b11 && f_mask != '0 &&
                    (f_mask & ~f_covers[0 +: Lanes] & ~f_covers[Lanes +: Lanes]) == '0)
                    assert (ans_kind_o != 2'd0);
`endif
            end else assert (ans_use_o == 2'b00);
            assert (!ev_valid_o || (f_answer && ans_kept_o));
            // invariants of the control
            assert (f_since <= Rows + 3 && f_scan <= Rows && f_fill < Slots && 32'(fill_way_q) < W);
            assert (!f_asking || f_scan == 0);
            assert (32'(cnt_q) == (f_asking ? 32'(f_since) : f_scan < Rows ? 32'(f_scan) : 0));
            if (cnt_q != '0) assert (lookup_q == f_asking);
            assert (s2_lk_q == (f_asking && f_since <= Rows) && s2_st_q == (f_scan != 0));
            assert (s3_q == (f_asking && f_since >= 2 && f_since <= Rows + 1));
            if (s2_lk_q) assert (32'(s2_row_q) == 32'(f_since) - 1);
            if (s2_st_q) assert (32'(s2_row_q) == 32'(f_scan) - 1);
            if (s3_q) assert (32'(s3_row_q) == 32'(f_since) - 2);
            if (f_asking || f_answer)
                assert (base_q == f_base && mask_q == f_mask && code_q == f_stride[CodeBits+1:2] &&
                        fits_q == f_fits && insert_q == f_insert && phys_q == f_phys);
            assert (32'(fill_row_q) * W + 32'(fill_way_q) ==
                    (!(ans_valid_o && ans_kept_o) ? 32'(f_fill)
                     : f_fill == Slots - 1 ? 0 : 32'(f_fill) + 1));
            for (int s = Slots; s < Places; s = s + 1) assert (!valid_q[s]);
            if (f_asking && f_flushed) assert (valid_q == '0);
            if (f_asking) begin
                if (exact_q || wait_q || low_run_q != '0 || high_run_q != '0)
                    assert (f_fits && f_mask != '0 && !f_flushed);
                assert (low_run_q == run_of(1'b1, f_mask, low_cover_q) && (low_cover_q & ~f_mask) == '0);
                assert (high_run_q == run_of(1'b0, f_mask, high_cover_q) && (high_cover_q & ~f_mask) == '0);
                assert (low_run_q != '0 || low_cover_q == '0);
                assert (high_run_q != '0 || high_cover_q == '0);
            end
        end
        cover (f_past && ans_valid_o && ans_kind_o == 2'd1 && !ans_wait_o && f_stride[AddrBits-1]);
        cover (f_past && ans_use_o == 2'b01 && ans_kind_o == 2'd2 && ans_phys_o[0 +: PhyBits] == f_p1);
    end
    if (Slots == 2) begin : g_f_deep
        always_comb cover (f_past && ans_use_o == 2'b11 && ans_phys_o == {f_p0, f_p1});
        always_comb cover (f_past && ev_valid_o && ev_phys_o == f_p0);
    end
`endif
endmodule
