// SPDX-License-Identifier: Apache-2.0
// Purpose:    which of the last NumPhy warp registers are available for renaming in P-mode. Gives out
//             the first one of a bank, or the first one of all; two for a destination of two words.
//             Contract: models/pmode/avail_vector.h.
// Parameters: NumPhy, 1..256: physical registers of renaming, at most Banks * Entries; Banks, 1..32,
//             and Entries, 2..1024, of the register file; NumIssue, 1..4: instructions that get ids
//             per cycle; NumWr, 1..4: results written per cycle. The widths follow; 2*NumIssue + 3 free
//             ports.
// Timing:     alloc_ok_o, alloc_word_o, alloc_phy_o answer alloc_i in the same cycle from state and
//             load_valid_i; the ids are taken at the clock edge. ready_o depends on state alone. An id
//             freed or written in cycle t can be given out in t+1.
// Reset:      all ids available, nothing pending or dying, limit 0.
// Left out:   freeing part of what a launch uses. One flat vector: a search is an AND with the ids of
//             the bank, two lowest-bit pickers side by side and a select per word, in a chain over the
//             words of all ports. Whether a port gets its ids is counted beside that chain.
// Shapes:     - ; NumPhy=1,Banks=1,Entries=2,NumIssue=1,NumWr=1
// Shapes:     NumPhy=100,Banks=3,Entries=50,NumIssue=3,NumWr=3
// Proof:      1:8:NumPhy=4,Banks=2,Entries=4,NumIssue=2,NumWr=1
// Proof:      1:8:NumPhy=5,Banks=3,Entries=4,NumIssue=1,NumWr=2

module avail_vector #(
    parameter int NumPhy   = 128,
    parameter int Banks    = 4,
    parameter int Entries  = 256,
    parameter int NumIssue = 2,
    parameter int NumWr    = 2,
    localparam int NumFree   = 2 * NumIssue + 3,
    localparam int BankBits  = Banks > 1 ? $clog2(Banks) : 1,
    localparam int PhyBits   = NumPhy > 1 ? $clog2(NumPhy) : 1,
    localparam int CountBits = $clog2(NumPhy + 1)
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    // a launch begins
    input  logic                         load_valid_i,
    input  logic [CountBits-1:0]         load_count_i,
    // ids are given out
    input  logic [NumIssue-1:0]          alloc_valid_i,
    input  logic [NumIssue-1:0]          alloc_pair_i,
    input  logic [2*NumIssue*BankBits-1:0] alloc_bank_i,
    output logic [NumIssue-1:0]          alloc_ok_o,
    output logic [2*NumIssue-1:0]        alloc_word_o,
    output logic [2*NumIssue*PhyBits-1:0] alloc_phy_o,
    output logic [2*NumIssue-1:0]        ready_o,
    // writes are done; owners give ids up
    input  logic [NumWr-1:0]             wb_valid_i,
    input  logic [NumWr*PhyBits-1:0]     wb_phy_i,
`ifdef RF_OBS
    // observation: ids, limit, then parameters
    input  logic [31:0]                  obs_addr_i,
    output logic [31:0]                  obs_data_o,
`endif
    input  logic [NumFree-1:0]           free_valid_i,
    input  logic [NumFree*PhyBits-1:0]   free_phy_i
);

    localparam int First = Banks * Entries - NumPhy;  // warp register of id 0
    localparam int Rounds = NumPhy / Banks + 2;
    localparam logic [NumPhy-1:0] All = {NumPhy{1'b1}};

    logic [NumPhy-1:0]    avail_q, pend_q, dying_q;
    logic [CountBits-1:0] limit_q;

    // Ids whose number has bit n.
    function automatic [NumPhy-1:0] ids_with_bit(input integer n);
        integer k;
        for (k = 0; k < NumPhy; k = k + 1) ids_with_bit[k] = ((k >> n) & 1) != 0;
    endfunction

    localparam int Words = 2 * NumIssue;

    // ---- How many are available, up to the number of words: bit k says k+1 or more. A tree of sums, each
    // of which stops at Words.
    localparam int Leaves = 1 << $clog2(NumPhy);
    function automatic [Words-1:0] sum(input [Words-1:0] a, input [Words-1:0] b);
        integer k, n;
        begin
            sum = a | b;
            for (k = 1; k < Words; k = k + 1)
                for (n = 0; n < k; n = n + 1)
                    sum[k] = sum[k] | (a[n] & b[k-1-n]);
        end
    endfunction
    function automatic [Words-1:0] at_least(input [NumPhy-1:0] ids);
        integer n, k;
        logic [Leaves*Words-1:0] part;
        begin
            part = '0;
            for (k = 0; k < NumPhy; k = k + 1) part[k*Words] = ids[k];
            for (n = Leaves / 2; n > 0; n = n / 2)
                for (k = 0; k < n; k = k + 1)
                    part[k*Words +: Words] = sum(part[2*k*Words +: Words], part[(2*k+1)*Words +: Words]);
            at_least = part[Words-1:0];
        end
    endfunction
    logic [NumPhy-1:0] open;
    assign open    = avail_q;
    assign ready_o = at_least(open);

    // ---- Which ids, port after port; whether a port gets them is counted beside the search: left_n[k] says
    // that k+1 are left for it
    function automatic [NumPhy-1:0] lowest(input [NumPhy-1:0] ids);
        integer k;
        logic [NumPhy-1:0] seen;
        begin
            seen = ids;
            for (k = 1; k < NumPhy; k = k * 2) seen = seen | (seen << k);
            lowest = ids & ~(seen << 1);
        end
    endfunction
    logic [NumPhy-1:0] chosen_any;
    for (genvar i = 0; i < NumIssue; i = i + 1) begin : g_port
        logic [Words-1:0]  left_n, after_n;
        logic [NumPhy-1:0] left, chosen, so_far;
        logic              one, two;
        if (i == 0) begin : g_first
            assign left_n = ready_o;
            assign left   = open;
            assign so_far = chosen;
        end else begin : g_later
            assign left_n = g_port[i-1].after_n;
            assign left   = g_port[i-1].left & ~g_port[i-1].chosen;
            assign so_far = g_port[i-1].so_far | chosen;
        end
        assign one = alloc_valid_i[i] && (!load_valid_i);
        assign two = alloc_pair_i[i];
        assign alloc_ok_o[i] = one && left_n[0] && (!two || left_n[1]);
        assign alloc_word_o[2*i +: 2] = {alloc_ok_o[i] && two, alloc_ok_o[i]};
        assign after_n = !alloc_ok_o[i] ? left_n : two ? left_n >> 2 : left_n >> 1;
        for (genvar k = 0; k < 2; k = k + 1) begin : g_word
            localparam int C = 2 * i + k;
            logic [NumPhy-1:0] from, same, pick;
            logic [Banks-1:0]  bank;
            if (k == 0) begin : g_one
                assign from = left;
            end else begin : g_two
                assign from = left & ~g_word[0].pick;
            end
            // ids go round the banks: the one-hot bank number, repeated
            assign bank = Banks'(1) << alloc_bank_i[C*BankBits +: BankBits];
            assign same = from & NumPhy'({Rounds{bank}} >> First % Banks);
            assign pick = same != '0 ? lowest(same) : lowest(from);
            for (genvar b = 0; b < PhyBits; b = b + 1) begin : g_bit
                localparam logic [NumPhy-1:0] With = ids_with_bit(b);
                assign alloc_phy_o[C*PhyBits + b] = (pick & With) != '0;
            end
        end
        assign chosen = (alloc_word_o[2*i] ? g_word[0].pick : '0) | (alloc_word_o[2*i + 1] ? g_word[1].pick : '0);
    end
    assign chosen_any = g_port[NumIssue-1].so_far;
    logic unused_after;
    assign unused_after = ^g_port[NumIssue-1].after_n;

    // ---- Writes and frees
    logic [NumPhy-1:0] wrote, named, freed, still;
    always @* begin
        wrote = '0;
        for (int j = 0; j < NumWr; j = j + 1)
            if (wb_valid_i[j]) wrote[wb_phy_i[j*PhyBits +: PhyBits]] = 1'b1;
    end
    always @* begin
        named = '0;
        for (int f = 0; f < NumFree; f = f + 1)
            if (free_valid_i[f] && CountBits'(free_phy_i[f*PhyBits +: PhyBits]) >= limit_q)
                named[free_phy_i[f*PhyBits +: PhyBits]] = 1'b1;
    end
    assign freed = named & ~avail_q & ~dying_q;
    assign still = pend_q & ~wrote;  // written later

    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            avail_q <= All;
            pend_q  <= '0;
            dying_q <= '0;
            limit_q <= '0;
        end else if (load_valid_i) begin
            avail_q <= All << load_count_i;
            pend_q  <= '0;
            dying_q <= '0;
            limit_q <= load_count_i >= CountBits'(NumPhy) ? CountBits'(NumPhy) : load_count_i;
        end else begin
            avail_q <= (avail_q & ~chosen_any) | (freed & (~still)) |
                       (dying_q & wrote);
            pend_q  <= still | chosen_any;
            dying_q <= (dying_q & ~wrote) | (freed & still);
        end
    end

`ifdef RF_OBS
    logic [PhyBits-1:0] obs_id;
    assign obs_id = PhyBits'(obs_addr_i);
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i < NumPhy)
            obs_data_o[2:0] = {dying_q[obs_id], pend_q[obs_id], avail_q[obs_id]};
        else if (obs_addr_i == NumPhy) obs_data_o[CountBits-1:0] = limit_q;
        else if (obs_addr_i == 32'hffff_0000) obs_data_o = NumPhy;
        else if (obs_addr_i == 32'hffff_0001) obs_data_o = Banks;
        else if (obs_addr_i == 32'hffff_0002) obs_data_o = Entries;
        else if (obs_addr_i == 32'hffff_0003) obs_data_o = NumIssue;
        else if (obs_addr_i == 32'hffff_0004) obs_data_o = NumWr;
    end
`endif

`ifdef SIM
    initial begin
        if (NumPhy < 1 || NumPhy > 256)
            $fatal(1, "avail_vector: NumPhy = %0d, legal is 1..256", NumPhy);
        if (Banks < 1 || Banks > 32) $fatal(1, "avail_vector: Banks = %0d, legal is 1..32", Banks);
        if (Entries < 2 || Entries > 1024)
            $fatal(1, "avail_vector: Entries = %0d, legal is 2..1024", Entries);
        if (NumPhy > Banks * Entries)
            $fatal(1, "avail_vector: NumPhy = %0d, the register file has %0d", NumPhy,
                   Banks * Entries);
        if (NumIssue < 1 || NumIssue > 4)
            $fatal(1, "avail_vector: NumIssue = %0d, legal is 1..4", NumIssue);
        if (NumWr < 1 || NumWr > 4) $fatal(1, "avail_vector: NumWr = %0d, legal is 1..4", NumWr);
    end
`endif

`ifdef FORMAL
    // Contract, for any id f_id and any port f_i: an id is given out only when nobody has it, the
    // launch does not use it and no write to it is on its way; it is available again exactly when
    // all that is over; the bank that is asked for comes first, and the lowest id.
    (* anyconst *) logic [PhyBits-1:0]          f_id;
    logic                f_past, f_used, f_owned, f_flying;
    logic                f_given, f_written, f_freed;
    logic [CountBits-1:0] f_limit;
    logic [Words-1:0]    f_gets;
    logic [NumWr-1:0]    f_wb;
    logic [NumFree-1:0]  f_free;
    logic [BankBits-1:0] f_bank;
    initial f_past = 1'b0;
    assign f_bank = BankBits'((First + f_id) % Banks);

    // alloc_phy_o as bank and id, per word; f_left: available, not given to a lower word
    for (genvar c = 0; c < Words; c = c + 1) begin : g_f_alloc
        logic [PhyBits-1:0]  id;
        logic [BankBits-1:0] bank, wanted;
        logic                f_left, f_asks;
        assign id     = alloc_phy_o[c*PhyBits +: PhyBits];
        assign bank   = BankBits'((First + id) % Banks);
        assign wanted = alloc_bank_i[c*BankBits +: BankBits];
        assign f_gets[c] = alloc_word_o[c] && id == f_id;
        if (c == 0) begin : g_none
            assign f_left = !f_used && !f_owned && !f_flying;
        end else begin : g_some
            assign f_left = g_f_alloc[c-1].f_left && !f_gets[c-1];
        end
        assign f_asks = alloc_valid_i[c/2] && (c % 2 == 0 || alloc_pair_i[c/2]);
        always_comb if (f_past) begin
            if (alloc_word_o[c]) assert (f_asks && !load_valid_i && id < NumPhy);
            // both words or none
            assert (alloc_word_o[c] == (f_asks && alloc_ok_o[c/2]));
            // given only when it is there to be given
            if (f_gets[c]) assert (f_left);
            // as long as there is one, a request of one word is served
            if (f_left && f_asks && !alloc_pair_i[c/2] && !load_valid_i) assert (alloc_ok_o[c/2]);
            if (f_left && alloc_word_o[c]) begin
                // same bank first, lowest first
                if (f_bank == wanted) assert (bank == wanted && id <= f_id);
                if (bank != wanted) assert (id <= f_id);
            end
        end
    end
    // a pair is refused only when fewer than two are left: with this one and another left, it is served
    (* anyconst *) logic [PhyBits-1:0] f_two;
    logic f_two_left;
    assign f_two_left = avail_q[f_two] && f_two != f_id && f_two < NumPhy;
    always_comb if (f_past && f_two_left && g_f_alloc[0].f_left && alloc_valid_i[0] && !load_valid_i)
        assert (alloc_ok_o[0]);
    for (genvar j = 0; j < NumWr; j = j + 1) begin : g_f_wb
        assign f_wb[j] = wb_valid_i[j] && wb_phy_i[j*PhyBits +: PhyBits] == f_id;
        always_comb if (wb_valid_i[j]) assume (wb_phy_i[j*PhyBits +: PhyBits] < NumPhy);
    end
    for (genvar f = 0; f < NumFree; f = f + 1) begin : g_f_free
        assign f_free[f] = free_valid_i[f] && free_phy_i[f*PhyBits +: PhyBits] == f_id;
        always_comb if (free_valid_i[f]) assume (free_phy_i[f*PhyBits +: PhyBits] < NumPhy);
    end
    assign f_given   = f_gets != '0;
    assign f_written = f_wb != '0;
    assign f_freed   = f_free != '0;
    assign f_used    = f_id < f_limit;

    logic f_died, f_again;  // it was freed before its write; it was given, freed and given again
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        if (!rst_ni || load_valid_i) begin
            f_limit  <= !rst_ni ? '0 : load_count_i > NumPhy ? CountBits'(NumPhy) : load_count_i;
            f_owned  <= 1'b0;
            f_flying <= 1'b0;
            f_died   <= 1'b0;
            f_again  <= 1'b0;
        end else begin
            f_owned  <= f_given || (f_owned && !f_freed);
            f_flying <= f_given || (f_flying && !f_written);
            f_died   <= f_died || (f_owned && f_flying && f_freed && !f_written);
            f_again  <= f_again || (f_died && f_given);
        end
    end
    logic [NumPhy-1:0] f_one;
    assign f_one = NumPhy'(1) << f_id;
    always_comb begin
        assume (f_id < NumPhy);
        if (f_past) begin
            // to one port only
            assert ((f_gets & (f_gets - 1'b1)) == '0);
            // conservation: available, used by the launch, owned, or waiting for its write
            assert (avail_q[f_id] == (!f_used && !f_owned && !f_flying));
            // ready counts
            if (avail_q[f_id]) assert (ready_o[0]);
            if (ready_o == '0) assert (alloc_ok_o == '0);
            if ((avail_q & ~f_one) != '0 && avail_q[f_id]) assert (ready_o[1]);
            if (avail_q == f_one) assert (ready_o == Words'(1));
            // invariants
            assert (limit_q == f_limit);
            assert (pend_q[f_id] == f_flying && dying_q[f_id] == (f_flying && !f_owned));
            if (f_used) assert (!f_owned && !f_flying);
        end
        cover (f_past && f_again && f_written);
        cover (f_past && f_given && f_limit != '0 && f_bank != alloc_bank_i[BankBits-1:0] &&
               f_gets[0] && avail_q != f_one);
        cover (f_past && (&alloc_valid_i) && alloc_ok_o == '0 && f_limit == '0 && !load_valid_i);
        cover (f_past && f_freed && f_written && f_owned && f_flying);
        cover (f_past && alloc_word_o[1:0] == 2'd3 && f_gets[1] && f_bank == alloc_bank_i[0 +: BankBits]);
        cover (f_past && alloc_valid_i[0] && alloc_pair_i[0] && ready_o == Words'(1) && !load_valid_i);
    end
`endif
endmodule
