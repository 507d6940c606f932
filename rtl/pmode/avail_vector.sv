// SPDX-License-Identifier: Apache-2.0
// Purpose:    which of the last NumPhy warp registers are available for renaming in P-mode.
//             Allocates the first one of a bank, or the first one of all; two for a destination of
//             two words. Contract: models/pmode/avail_vector.h.
// Parameters: NumPhy, 1..256: physical registers of renaming, at most Banks * Entries; Banks,
//             1..32, and Entries, 2..1024, of the register file. NumIssue, 1..4: instructions that
//             get ids per cycle; NumWr, 1..4: results written per cycle. The widths follow;
//             2*NumIssue + 3 free ports.
// Timing:     alloc_ok_o, alloc_word_o, alloc_phy_o answer alloc_i in the same cycle from state and
//             load_valid_i; the ids are taken at the clock edge. Output ready_o depends on state
//             alone. An id freed or written in cycle t can be allocated in t+1.
// Reset:      all ids available, nothing pending or dying, limit 0.
// Left out:   freeing part of the registers that a launch uses. One flat vector: a search is an AND
//             with the ids of the bank, two lowest-bit pickers side by side and a select per word.
//             Searches form a chain over the words of all ports. Whether a port gets its ids is
//             counted beside that chain.
// Shapes:     - ; NumPhy=1,Banks=1,Entries=2,NumIssue=1,NumWr=1
// Shapes:     NumPhy=100,Banks=3,Entries=50,NumIssue=3,NumWr=3
// Proof:      1:8:NumPhy=4,Banks=2,Entries=4,NumIssue=2,NumWr=1
// Proof:      1:8:NumPhy=5,Banks=3,Entries=4,NumIssue=1,NumWr=2

`include "macros.svh"

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
    // observation: ids, limit, then parameters
    `OBS_PORT(input  logic [31:0]                  obs_addr_i)
    `OBS_PORT(output logic [31:0]                  obs_data_o)
    input  logic [NumFree-1:0]           free_valid_i,
    input  logic [NumFree*PhyBits-1:0]   free_phy_i
);

    localparam int First = Banks * Entries - NumPhy;  // warp register of id 0
    localparam int Rounds = NumPhy / Banks + 2;
    localparam logic [NumPhy-1:0] All = {NumPhy{1'b1}};

    logic [NumPhy-1:0]    avail_q, pend_q, dying_q;
    logic [CountBits-1:0] limit_q;

    localparam int Words = 2 * NumIssue;

    // ---- How many are available, up to the number of words: bit k says k+1 or more. And the lowest of them.
    logic [NumPhy-1:0]       open;
    logic [Words*NumPhy-1:0] ranks;
    logic                    unused_ranks;  // those above the lowest
    assign open         = avail_q;
    assign unused_ranks = ^ranks;
    ranked_ones #(.Width(NumPhy), .Ranks(Words)) u_count (
        .set_i(open), .rank_o(ranks), .any_o(ready_o)
    );

    // ---- Which ids, port after port; whether a port gets them is counted beside the search: left_n[k] says
    // that k+1 are left for it
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
            logic [NumPhy-1:0] from, same, first, first_same, pick;
            logic [Banks-1:0]  bank;
            if (k == 0) begin : g_one
                assign from = left;
            end else begin : g_two
                assign from = left & ~g_word[0].pick;
            end
            // ids go round the banks: the one-hot bank number, repeated
            assign bank = Banks'(1) << alloc_bank_i[C*BankBits +: BankBits];
            assign same = from & NumPhy'({Rounds{bank}} >> First % Banks);
            if (C == 0) begin : g_lowest
                assign first = ranks[NumPhy-1:0];
            end else begin : g_search
                find_first #(.Width(NumPhy)) u_first (
                    .set_i(from), .from_i(All), .first_o(first)
                );
            end
            find_first #(.Width(NumPhy)) u_first_same (
                .set_i(same), .from_i(All), .first_o(first_same)
            );
            assign pick = same != '0 ? first_same : first;
            onehot_index #(.Width(NumPhy)) u_index (
                .one_i(pick), .index_o(alloc_phy_o[C*PhyBits +: PhyBits])
            );
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

    `CHECK_RANGE(avail_vector, NumPhy, 1, 256)
    `CHECK_RANGE(avail_vector, Banks, 1, 32)
    `CHECK_RANGE(avail_vector, Entries, 2, 1024)
    `CHECK(NumPhy <= Banks * Entries,
        $sformatf("avail_vector: NumPhy = %0d, the register file has %0d", NumPhy, Banks * Entries))
    `CHECK_RANGE(avail_vector, NumIssue, 1, 4)
    `CHECK_RANGE(avail_vector, NumWr, 1, 4)
    `include "pmode/avail_vector.obs.svh"
endmodule
