// SPDX-License-Identifier: Apache-2.0
// Purpose:    operands of one scalar unit's instructions: a queue in the order of arrival, one read per bank and cycle
//             for the oldest instruction that wants that bank, dispatch from the head. Contract:
//             models/scalar/scalar_collect.h.
// Parameters: Words, 8..4096, even; Threads, 2..64: contexts; Slots, 1..4: instructions.
// Timing:     alloc_ready_o, rd_valid_o, rd_addr_o and disp_ outputs depend on state alone, error_o on the arrival of the
//             cycle. Accepted in t: asks in t+1, words in t+2, offered in t+3. en_i is a clock enable for all but a
//             context's place. Cost: eight additions of base and register at entry, a find-first of 8 * Slots bits per
//             bank; 1.21 ns at 45 nm, of an arriving instruction to its words' places (SM clock: 1.43 ns), 1.17 ns
//             from register to register. A slot's words are written whether an instruction enters or not.
// Reset:      no instruction; places 0.
// Left out:   constants, immediates, writing.
// Shapes:     - ; Words=8,Threads=2,Slots=1 ; Words=170,Threads=11,Slots=3 ; Words=4096,Threads=64,Slots=4
// Proof:      4:9:Words=8,Threads=2,Slots=2
// Proof:      4:9:Words=10,Threads=3,Slots=1

module scalar_collect #(
    parameter int Words   = 1024,
    parameter int Threads = 32,
    parameter int Slots   = 2,
    localparam int WordBits = $clog2(Words + 1),
    localparam int RowBits  = $clog2(Words / 2),
    localparam int CtxBits  = $clog2(Threads),
    localparam int Need     = 8,
    localparam int All      = Slots * Need
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 en_i,
    // a context gets registers
    input  logic                 start_valid_i,
    input  logic [CtxBits-1:0]   start_ctx_i,
    input  logic [WordBits-1:0]  start_base_i,
    input  logic [6:0]           start_count_i,
    // an instruction arrives
    input  logic                 alloc_valid_i,
    input  logic [CtxBits-1:0]   alloc_ctx_i,
    input  logic [Need-1:0]      alloc_need_i,
    input  logic [Need*6-1:0]    alloc_reg_i,
    // scalar_rf delivers
    input  logic [1:0]           rd_data_valid_i,
    input  logic [63:0]          rd_data_i,
    input  logic                 disp_ready_i,
`ifdef RF_OBS
    // observation: places, instructions, then parameters
    input  logic [31:0]          obs_addr_i,
    output logic [319:0]         obs_data_o,
`endif
    output logic                 alloc_ready_o,
    output logic                 error_o,
    output logic [1:0]           rd_valid_o,
    output logic [2*RowBits-1:0] rd_addr_o,
    output logic                 disp_valid_o,
    output logic [CtxBits-1:0]   disp_ctx_o,
    output logic [Need-1:0]      disp_need_o,
    output logic [Need*32-1:0]   disp_data_o
);

    // ---- State: places of contexts; instructions, slot 0 the oldest. A word is where it lies until it arrives, then its
    // value.
    logic [Threads*WordBits-1:0] base_q, base_d;
    logic [Threads*7-1:0]        count_q, count_d;
    logic [Slots-1:0]            valid_q, valid_d;
    logic [Slots*CtxBits-1:0]    ctx_q, ctx_d;
    logic [All-1:0]              need_q, need_d, asked_q, asked_d, there_q, there_d;
    logic [All*32-1:0]           word_q, word_d;

    // ---- Accept
    logic [WordBits-1:0] base;
    logic [6:0]          count;
    logic [31:0]         from;
    logic [Need-1:0]     outside;
    logic [Need*32-1:0]  place;
    logic                enters;
    assign base  = base_q[32'(alloc_ctx_i)*WordBits +: WordBits];
    assign count = count_q[32'(alloc_ctx_i)*7 +: 7];
    assign from  = 32'(base);
    for (genvar k = 0; k < Need; k = k + 1) begin : g_place
        logic [6:0] index, low;  // the carry of the low bits chooses the high ones
        assign index      = {1'b0, alloc_reg_i[k*6 +: 6]};
        assign outside[k] = alloc_need_i[k] && index >= count;
        assign low        = {1'b0, from[5:0]} + index;
        assign place[k*32 +: 32] = alloc_need_i[k] ? {low[6] ? from[31:6] + 26'd1 : from[31:6], low[5:0]} : '0;
    end
    assign alloc_ready_o = !valid_q[Slots-1];
    assign error_o       = en_i && alloc_valid_i && alloc_ready_o && outside != '0;
    assign enters        = en_i && alloc_valid_i && alloc_ready_o && outside == '0;

    // ---- Ask: per bank the first word that nobody asked for
    function automatic [All-1:0] first_one(input [All-1:0] v);
        first_one = v & (~v + All'(1));
    endfunction
    function automatic [All-1:0] turned(input [All-1:0] v);  // the slots in reverse
        integer s;
        for (s = 0; s < Slots; s = s + 1) turned[s*Need +: Need] = v[(Slots-1-s)*Need +: Need];
    endfunction
    logic [All-1:0] bank, ask;   // the word's bank; words that are asked for in this cycle
    for (genvar i = 0; i < All; i = i + 1) begin : g_word
        assign bank[i] = word_q[i*32];
    end
    for (genvar b = 0; b < 2; b = b + 1) begin : g_bank
        logic [All-1:0] wants, one;
        assign wants = need_q & ~asked_q & (b == 1 ? bank : ~bank);
        assign one   = first_one(wants);
        assign rd_valid_o[b] = wants != '0;
        logic [RowBits-1:0] row;
        always @* begin
            row = '0;
            for (int i = 0; i < All; i = i + 1)
                if (one[i]) row = row | word_q[i*32 + 1 +: RowBits];
        end
        assign rd_addr_o[b*RowBits +: RowBits] = row;
    end
    assign ask = g_bank[0].one | g_bank[1].one;

    // ---- Arrive: at most one word of each bank is on its way
    logic [All-1:0]    arrives;
    logic [All*32-1:0] word;
    for (genvar i = 0; i < All; i = i + 1) begin : g_arrive
        assign arrives[i] = asked_q[i] && !there_q[i] && rd_data_valid_i[bank[i]];
        assign word[i*32 +: 32] = arrives[i] ? (bank[i] ? rd_data_i[63:32] : rd_data_i[31:0]) : word_q[i*32 +: 32];
    end

    // ---- Dispatch
    logic leaves;
    assign disp_valid_o = valid_q[0] && need_q[Need-1:0] == there_q[Need-1:0];
    assign disp_ctx_o   = ctx_q[CtxBits-1:0];
    assign disp_need_o  = disp_valid_o ? need_q[Need-1:0] : '0;
    assign disp_data_o  = word_q[Need*32-1:0];
    assign leaves       = disp_valid_o && disp_ready_i && en_i;

    // ---- Next state: words asked for and arrived, the head leaves, the new one enters behind the last
    logic [All-1:0] asked, there;
    assign asked = en_i ? asked_q | ask : asked_q;
    assign there = en_i ? there_q | arrives : there_q;
    for (genvar s = 0; s < Slots; s = s + 1) begin : g_next
        logic next_valid, takes;  // the slot's instruction after the head has left; the new one comes here
        if (s + 1 < Slots) begin : g_shift
            assign next_valid = leaves ? valid_q[s+1] : valid_q[s];
        end else begin : g_last
            assign next_valid = !leaves && valid_q[s];
        end
        if (s == 0) begin : g_head
            assign takes = enters && !next_valid;
        end else begin : g_behind
            assign takes = enters && !next_valid && g_next[s-1].next_valid;
        end
        always @* begin
            valid_d[s] = next_valid || takes;
            ctx_d[s*CtxBits +: CtxBits] = takes ? alloc_ctx_i : '0;
            need_d[s*Need +: Need]      = takes ? alloc_need_i : '0;
            asked_d[s*Need +: Need]     = '0;
            there_d[s*Need +: Need]     = '0;
            word_d[s*Need*32 +: Need*32] = place;  // of no instruction, unless one enters here
            if (next_valid) begin
                ctx_d[s*CtxBits +: CtxBits] = ctx_q[s*CtxBits +: CtxBits];
                need_d[s*Need +: Need]      = need_q[s*Need +: Need];
                asked_d[s*Need +: Need]     = asked[s*Need +: Need];
                there_d[s*Need +: Need]     = there[s*Need +: Need];
                word_d[s*Need*32 +: Need*32] = en_i ? word[s*Need*32 +: Need*32] : word_q[s*Need*32 +: Need*32];
                if (leaves && s + 1 < Slots) begin
                    ctx_d[s*CtxBits +: CtxBits] = CtxBits'(ctx_q >> (s + 1) * CtxBits);
                    need_d[s*Need +: Need]      = Need'(need_q >> (s + 1) * Need);
                    asked_d[s*Need +: Need]     = Need'(asked >> (s + 1) * Need);
                    there_d[s*Need +: Need]     = Need'(there >> (s + 1) * Need);
                    word_d[s*Need*32 +: Need*32] = (Need*32)'(word >> (s + 1) * Need * 32);
                end
            end
        end
    end
    always @* begin
        base_d  = base_q;
        count_d = count_q;
        if (start_valid_i) begin
            base_d[32'(start_ctx_i)*WordBits +: WordBits] = start_base_i;
            count_d[32'(start_ctx_i)*7 +: 7]              = start_count_i;
        end
    end

    always_ff @(posedge clk_i)
        if (!rst_ni) begin
            base_q  <= '0;
            count_q <= '0;
            valid_q <= '0;
            ctx_q   <= '0;
            need_q  <= '0;
            asked_q <= '0;
            there_q <= '0;
            word_q  <= '0;
        end else begin
            base_q  <= base_d;
            count_q <= count_d;
            valid_q <= valid_d;
            ctx_q   <= ctx_d;
            need_q  <= need_d;
            asked_q <= asked_d;
            there_q <= there_d;
            word_q  <= word_d;
        end

`ifdef RF_OBS
    always @* begin
        obs_data_o = '0;
        case (obs_addr_i)
        32'hffff_0000: obs_data_o[31:0] = Words;
        32'hffff_0001: obs_data_o[31:0] = Threads;
        32'hffff_0002: obs_data_o[31:0] = Slots;
        default: begin
            for (int c = 0; c < Threads; c = c + 1)
                if (obs_addr_i == 32'(c))
                    obs_data_o[31:0] = 32'(count_q[c*7 +: 7]) << 16 | 32'(base_q[c*WordBits +: WordBits]);
            for (int s = 0; s < Slots; s = s + 1)
                if (obs_addr_i == 32'(Threads + s))
                    obs_data_o = {valid_q[s] ? word_q[s*Need*32 +: Need*32] : '0, 32'(ctx_q[s*CtxBits +: CtxBits]), 7'd0,
                                  there_q[s*Need +: Need], asked_q[s*Need +: Need], need_q[s*Need +: Need], valid_q[s]};
        end
        endcase
    end
`endif

`ifdef SIM
    initial begin
        if (Words < 8 || Words > 4096 || Words % 2 != 0)
            $fatal(1, "scalar_collect: Words is %0d, expected an even number from 8 to 4096", Words);
        if (Threads < 2 || Threads > 64) $fatal(1, "scalar_collect: Threads is %0d, expected 2 to 64", Threads);
        if (Slots < 1 || Slots > 4) $fatal(1, "scalar_collect: Slots is %0d, expected 1 to 4", Slots);
    end
`endif

`ifdef FORMAL
    // Contract: what is offered for a word is what the register file holds there. Ghost: one word of the file and its value,
    // chosen once; f_same: the words of instructions that lie there.
    (* anyconst *) logic [WordBits-1:0] f_word;
    (* anyconst *) logic [31:0]         f_value;
    logic           f_past;
    logic [1:0]     f_asked, f_hits;  // asked in the last cycle with en_i; that word
    logic [All-1:0] f_same;
    initial f_past = 1'b0;
    logic [Need-1:0] f_new;
    always @*
        for (int k = 0; k < Need; k = k + 1)
            f_new[k] = alloc_need_i[k] && 32'(base) + 32'(alloc_reg_i[k*6 +: 6]) == 32'(f_word);
    logic [1:0] f_lies;
    always @*
        for (int b = 0; b < 2; b = b + 1)
            f_lies[b] = 32'(rd_addr_o[b*RowBits +: RowBits]) * 2 + b == 32'(f_word);
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!rst_ni) begin
            f_asked <= '0;
            f_hits  <= '0;
            f_same  <= '0;
        end else begin
            if (en_i) begin
                f_asked <= rd_valid_o;
                f_hits  <= f_lies;
            end
            for (int s = 0; s < Slots; s = s + 1)
                f_same[s*Need +: Need] <= enters && 32'(s) == f_after ? f_new
                    : leaves ? (s + 1 < Slots ? Need'(f_same >> (s + 1) * Need) : '0) : f_same[s*Need +: Need];
        end
    end
    logic [31:0] f_after;  // instructions that stay
    always @* begin
        f_after = '0;
        for (int s = 0; s < Slots; s = s + 1) f_after = f_after + 32'(valid_q[s]);
        if (leaves) f_after = f_after - 1;
    end
    always @* begin
        assume (32'(f_word) < Words);
        assume (32'(start_ctx_i) < Threads && 32'(alloc_ctx_i) < Threads);
        assume (32'(start_base_i) + 32'(start_count_i) <= Words && start_count_i <= 64);
        assume (!(start_valid_i && alloc_valid_i && start_ctx_i == alloc_ctx_i));
        for (int s = 0; s < Slots; s = s + 1)
            if (start_valid_i && valid_q[s]) assume (ctx_q[s*CtxBits +: CtxBits] != start_ctx_i);
        assume (rd_data_valid_i == f_asked);
        for (int b = 0; b < 2; b = b + 1)
            if (f_hits[b]) assume (rd_data_i[b*32 +: 32] == f_value);
        if (!f_past) assume (!rst_ni);
    end
    logic [3:0] f_way;  // words of each bank that are on their way, 2: more than one
    always @* begin
        for (int b = 0; b < 2; b = b + 1) begin
            f_way[b*2 +: 2] = '0;
            for (int i = 0; i < All; i = i + 1)
                if (asked_q[i] && !there_q[i] && bank[i] == (b == 1) && !f_way[b*2+1]) f_way[b*2 +: 2] = f_way[b*2 +: 2] + 2'd1;
        end
        if (f_past) begin
            for (int c = 0; c < Threads; c = c + 1)
                assert (32'(base_q[c*WordBits +: WordBits]) + 32'(count_q[c*7 +: 7]) <= Words);
            for (int b = 0; b < 2; b = b + 1) assert (f_way[b*2 +: 2] == {1'b0, f_asked[b]});
            for (int s = 0; s < Slots; s = s + 1) begin
                if (s > 0) assert (valid_q[s-1] || !valid_q[s]);
                if (!valid_q[s]) assert (need_q[s*Need +: Need] == '0);
                assert (32'(ctx_q[s*CtxBits +: CtxBits]) < Threads);
            end
            assert ((asked_q & ~need_q) == '0 && (there_q & ~asked_q) == '0 && (f_same & ~need_q) == '0);
            for (int i = 0; i < All; i = i + 1) begin
                if (need_q[i] && !there_q[i]) begin
                    assert (word_q[i*32 +: 32] < Words);
                    assert (f_same[i] == (word_q[i*32 +: 32] == 32'(f_word)));
                end
                if (asked_q[i] && !there_q[i]) assert (f_hits[bank[i]] == f_same[i]);
                if (there_q[i] && f_same[i]) assert (word_q[i*32 +: 32] == f_value);
            end
            for (int k = 0; k < Need; k = k + 1)
                if (disp_need_o[k] && f_same[k]) assert (disp_data_o[k*32 +: 32] == f_value);
            // nobody waits for a word while its bank is idle
            for (int i = 0; i < All; i = i + 1)
                if (need_q[i] && !asked_q[i]) assert (rd_valid_o[bank[i]]);
        end
    end
    always_ff @(posedge clk_i)
        if (f_past && rst_ni) begin
            cover (disp_valid_o && disp_need_o == 8'h0f && f_same[3]);
            cover (error_o);
            cover (disp_valid_o && !en_i && valid_q == '1);
        end
`endif
endmodule
