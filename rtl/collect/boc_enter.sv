// SPDX-License-Identifier: Apache-2.0
// Purpose:    rows that an entry to a bypassing operand collector (BOC) names, shares and takes:
//             one per operand, and those of its destination words. Part of bypass_collector;
//             contract (step 7): models/collect/bypass_collector.h.
// Parameters: NumOps, 1..3: operands per entry; Values, 2..28: rows.
// Timing:     outputs depend on the BOC's registers and the entry in the same cycle. Rows are taken
//             by rank: each row counts the rows to be taken before it, and serves the request of
//             that number. No request waits for the pick of another.
// Reset:      none, there is no state.
// Left out:   the window's move and the slot (boc).
// Shapes:     - ; NumOps=1,Values=4 ; NumOps=2,Values=28
// Proof:      pdr:3:NumOps=2,Values=4
// Proof:      pdr:3:NumOps=1,Values=5

`include "macros.svh"

module boc_enter #(
    parameter int NumOps = 3,
    parameter int Values = 12,
    localparam int ValueBits = $clog2(Values),
    localparam int Words     = 4,
    localparam int NumReq    = NumOps + Words
) (
    // the entry: only names registers; operands, words of the destination, to be reserved
    input  logic                        valid_i,
    input  logic                        pass_i,
    input  logic [NumOps-1:0]           need_i,
    input  logic [NumOps*6-1:0]         src_i,
    input  logic [2:0]                  words_i,
    input  logic [5:0]                  dst_i,
    input  logic                        only_i,
    // registers have rows (0: no forwarding); rows in use after the result and the window's move, their registers
    input  logic                        forward_i,
    input  logic [Values-1:0]           used_i,
    input  logic [6*Values-1:0]         name_i,
    // among these rows the one that the result takes; its register is the result's
    input  logic [Values-1:0]           new_i,
    input  logic [5:0]                  new_reg_i,
    input  logic [Values-1:0]           empty_i,
    // rows to be taken: these first, then those, from next on; but for the row of a result
    input  logic [Values-1:0]           first_i,
    input  logic [Values-1:0]           then_i,
    // rows from `next` on
    input  logic [Values-1:0]           from_i,
    input  logic [Values-1:0]           except_i,
    // operands that had a row; the row of each; rows of words in any mode
    output logic [NumOps-1:0]           hit_o,
    output logic [NumOps*ValueBits-1:0] row_o,
    output logic [Values-1:0]           words_o,
    // all rows named; rows to be read, reserved; taken; a row is taken, the last one; registers of those taken
    output logic [Values-1:0]           named_o,
    output logic [Values-1:0]           ask_o,
    output logic [Values-1:0]           rsv_o,
    output logic [Values-1:0]           taken_o,
    output logic                        takes_o,
    output logic [Values-1:0]           last_o,
    output logic [6*Values-1:0]         name_o
);

    // Row numbers that have bit k, for a number read off a one-hot set
    function automatic [ValueBits*Values-1:0] row_masks(input integer unused);
        integer e, k;
        for (k = 0; k < ValueBits; k = k + 1)
            for (e = 0; e < Values; e = e + 1) row_masks[k*Values + e] = ((e + unused) >> k & 1) != 0;
    endfunction
    localparam logic [ValueBits*Values-1:0] Masks = row_masks(0);

    // ---- Requests: operands, then words. Each has a register, maybe a row, maybe an operand's register.
    logic [NumReq*6-1:0]      reg_of;
    logic [NumReq*Values-1:0] has;
    logic [NumReq-1:0]        is, miss, again;
    logic [NumReq*2-1:0]      like_of;               // the lowest operand of the same register
    logic [Values-1:0]        there, except;
    logic                     keeps, like_new;       // like_new: the register of the result's new row
    assign keeps = only_i && !pass_i;
    always @* begin
        reg_of  = {{Words*6{1'b0}}, src_i};
        is      = {{Words{1'b0}}, need_i};
        has     = '0;
        miss    = '0;
        again   = '0;
        like_of = '0;
        there   = '0;
        like_new = 1'b0;
        words_o = '0;
        except  = except_i;
        if (valid_i) begin
            for (int w = 0; w < Words; w = w + 1) begin
                is[NumOps + w]              = 3'(w) < words_i;
                reg_of[(NumOps + w)*6 +: 6] = dst_i + 6'(w);
            end
            for (int r = 0; r < NumReq; r = r + 1)
                if (is[r]) begin
                    there = {Values{1'b1}};
                    for (int k = 0; k < 6; k = k + 1)
                        there = there & (reg_of[r*6 + k] ? name_i[k*Values +: Values] : ~name_i[k*Values +: Values]);
                    like_new = reg_of[r*6 +: 6] == new_reg_i;
                    there    = used_i & ((there & ~new_i) | ({Values{like_new}} & new_i));
                    if (r >= NumOps) words_o = words_o | there;
                    if (forward_i) has[r*Values +: Values] = there;
                    if (forward_i && (r < NumOps || keeps)) except = except | there;
                    for (int o = NumOps - 1; o >= 0; o = o - 1)
                        if (o < r && is[o] && reg_of[o*6 +: 6] == reg_of[r*6 +: 6]) begin
                            again[r]          = 1'b1;
                            like_of[r*2 +: 2] = 2'(o);
                        end
                    miss[r] = (r < NumOps ? !pass_i : keeps) && (there == '0 || !forward_i) &&
                              (!again[r]);
                end
        end
    end

    // ---- Taking: a row of rank n goes to the request that finds no row as the n-th one. Which rows come before a row
    // follows from the state; how many of them are to be taken is counted.
    function automatic [5:0] bits_set(input [31:0] set);
        reg [31:0] part;
        begin
            part   = (set & 32'h5555_5555) + (set >> 1 & 32'h5555_5555);
            part   = (part & 32'h3333_3333) + (part >> 2 & 32'h3333_3333);
            part   = (part & 32'h0f0f_0f0f) + (part >> 4 & 32'h0f0f_0f0f);
            bits_set = (part[5:0] + part[13:8]) + (part[21:16] + part[29:24]);
        end
    endfunction
    logic [NumReq*Values-1:0] pick;
    logic [NumReq*6-1:0]      nth;
    logic [NumReq-1:0]        lower;
    logic [Values-1:0]        either, free, up, below, ahead, before_it;
    logic [5:0]               rank;
    assign either = first_i | then_i;
    assign free   = either & ~except;
    assign up     = from_i;
    always @* begin
        nth       = '0;
        lower     = '0;
        pick      = '0;
        below     = '0;
        ahead     = '0;
        before_it = '0;
        rank      = '0;
        if (valid_i) begin
            for (int r = 0; r < NumReq; r = r + 1) begin
                lower         = ~({NumReq{1'b1}} << r);
                lower         = miss & lower;
                nth[r*6 +: 6] = bits_set(32'(lower));
            end
            for (int e = 0; e < Values; e = e + 1) begin
                below     = ~({Values{1'b1}} << e);
                ahead     = up[e] ? up & below : up | below;
                before_it = first_i[e] ? first_i & ahead : first_i | (then_i & ahead);
                before_it = before_it & free;
                rank      = bits_set(32'(before_it));
                for (int r = 0; r < NumReq; r = r + 1)
                    pick[r*Values + e] = miss[r] && free[e] && nth[r*6 +: 6] == rank;
            end
        end
    end

    // ---- What follows
    logic [Values-1:0] one, mine;
    assign takes_o = miss != '0;
    always @* begin
        hit_o   = '0;
        row_o   = '0;
        named_o = '0;
        ask_o   = '0;
        rsv_o   = '0;
        taken_o = '0;
        last_o  = '0;
        name_o  = '0;
        one     = '0;
        mine    = '0;
        if (valid_i)
            for (int r = 0; r < NumReq; r = r + 1)
                if (is[r]) begin
                    mine = pick[r*Values +: Values];
                    for (int k = 0; k < 6; k = k + 1)
                        if (reg_of[r*6 + k]) name_o[k*Values +: Values] = name_o[k*Values +: Values] | mine;
                    taken_o = taken_o | mine;
                    if ((miss >> r) == NumReq'(1)) last_o = last_o | mine;
                    one = mine | has[r*Values +: Values];
                    for (int o = 0; o < NumOps; o = o + 1)
                        if (again[r] && like_of[r*2 +: 2] == 2'(o)) one = one | pick[o*Values +: Values];
                    named_o = named_o | one;
                    if (r < NumOps) begin
                        hit_o[r % NumOps] = (has[r*Values +: Values] & ~empty_i) != '0 && !pass_i;
                        ask_o             = ask_o | mine;
                        if (!pass_i) ask_o = ask_o | (has[r*Values +: Values] & empty_i);
                        for (int k = 0; k < ValueBits; k = k + 1)
                            row_o[r % NumOps*ValueBits + k] = (one & Masks[k*Values +: Values]) != '0;
                    end else if (keeps) rsv_o = rsv_o | one;
                end
    end

    `CHECK_RANGE(boc_enter, NumOps, 1, 3)
    `CHECK_RANGE(boc_enter, Values, 2, 28)
endmodule
