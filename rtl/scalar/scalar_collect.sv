// SPDX-License-Identifier: Apache-2.0
// Purpose:    operands of one scalar unit's instructions: a queue in the order of arrival, and
//             dispatch from the head. Each bank has one read per cycle, for the oldest instruction
//             that wants that bank. Contract: models/scalar/scalar_collect.h.
// Parameters: Words, 8..4096, even; Threads, 2..64: contexts; Slots, 1..4: instructions.
// Timing:     alloc_ready_o, rd_valid_o, rd_addr_o and disp_ outputs depend on state alone, error_o
//             on the arrival of the cycle. Accepted in t: asks in t+1, words in t+2, offered in
//             t+3. Input en_i is a clock enable for all but a context's place. Cost: eight
//             additions of base and register at entry, a find-first of 8 * Slots bits per bank.
//             1.15 ns at 45 nm, from an arriving instruction's context to whether it enters (SM
//             clock: 1.43 ns), 1.08 ns from register to register. A free slot's context, needs and
//             words are written in any case; only valid_q depends on whether an instruction enters.
// Reset:      no instruction; places 0.
// Left out:   constants, immediates, writing.
// Shapes:     - ; Words=8,Threads=2,Slots=1 ; Words=170,Threads=11,Slots=3 ; Words=4096,Threads=64,Slots=4
// Proof:      4:9:Words=8,Threads=2,Slots=2
// Proof:      4:9:Words=10,Threads=3,Slots=1

`include "macros.svh"

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
    // observation: places, instructions, then parameters
    `OBS_PORT(input  logic [31:0]          obs_addr_i)
    `OBS_PORT(output logic [319:0]         obs_data_o)
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
    logic [Threads-1:0] at_ctx;
    assign at_ctx = alloc_valid_i ? Threads'(1) << alloc_ctx_i : '0;
    always @* begin
        base  = '0;
        count = '0;
        for (int c = 0; c < Threads; c = c + 1) begin
            base  = base | (base_q[c*WordBits +: WordBits] & {WordBits{at_ctx[c]}});
            count = count | (count_q[c*7 +: 7] & {7{at_ctx[c]}});
        end
    end
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
    logic [All-1:0] used, bank, ask;  // words of instructions; their banks; those requested in this cycle
    for (genvar i = 0; i < All; i = i + 1) begin : g_word
        assign used[i] = need_q[i] && valid_q[i/Need];
        assign bank[i] = word_q[i*32];
    end
    for (genvar b = 0; b < 2; b = b + 1) begin : g_bank
        logic [All-1:0] wants, one;
        assign wants = used & ~asked_q & (b == 1 ? bank : ~bank);
        assign one   = wants & (~wants + All'(1));
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
        logic next_valid, takes;  // behind the head that leaves; the new one enters here
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
            ctx_d[s*CtxBits +: CtxBits] = alloc_ctx_i;  // these three of no instruction, unless one enters here
            need_d[s*Need +: Need]      = alloc_need_i;
            asked_d[s*Need +: Need]     = '0;
            there_d[s*Need +: Need]     = '0;
            word_d[s*Need*32 +: Need*32] = place;
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

    `CHECK_RANGE(scalar_collect, Words, 8, 4096)
    `CHECK(Words % 2 == 0, $sformatf("scalar_collect: Words = %0d is odd", Words))
    `CHECK_RANGE(scalar_collect, Threads, 2, 64)
    `CHECK_RANGE(scalar_collect, Slots, 1, 4)
    `include "scalar/scalar_collect.obs.svh"
endmodule
