// SPDX-License-Identifier: Apache-2.0
// Purpose:    places a result in a bypassing operand collector (BOC). The result is kept in a row,
//             merged into one, written to the register file, or dropped. Part of bypass_collector;
//             contract (step 6): models/collect/bypass_collector.h.
// Parameters: Window, 2..7: slots; Values, 2..28: rows.
// Timing:     outputs follow from the BOC's registers and the result in the same cycle.
// Reset:      none, there is no state.
// Left out:   which of several results for one BOC is served, and the write port (bypass_collector).
// Shapes:     - ; Window=2,Values=4 ; Window=7,Values=28
// Proof:      1:3:Window=3,Values=5
// Proof:      1:3:Window=2,Values=4

`include "macros.svh"

module boc_result #(
    parameter int Window = 3,
    parameter int Values = 12
) (
    // the result: register, compiler bits, lanes (none, all)
    input  logic                 valid_i,
    input  logic [1:0]           mode_i,
    input  logic [5:0]           reg_i,
    input  logic [1:0]           write_i,
    input  logic                 homeless_i,
    input  logic                 none_i,
    input  logic                 all_i,
    // slots: words awaited, register of the first
    input  logic [Window*4-1:0]  await_i,
    input  logic [Window*6-1:0]  base_i,
    // rows: registers (plane k: bit k of each), in use, free, to be taken else
    input  logic [6*Values-1:0]  name_i,
    input  logic [Values-1:0]    used_i,
    input  logic [Values-1:0]    dirty_i,
    input  logic [Values-1:0]    empty_i,
    input  logic [Values-1:0]    clean_i,
    // rows from `next` on
    input  logic [Values-1:0]    from_i,
    // the awaited word, one-hot
    output logic [Window*4-1:0]  word_o,
    output logic [Window-1:0]    slot_o,
    // the row of the result: present already or taken; if accepted: it is kept, it is freed, its
    // reservation ends
    output logic [Values-1:0]    row_o,
    output logic                 take_o,
    output logic                 keep_o,
    output logic                 merge_o,
    output logic                 free_o,
    output logic                 unrsv_o,
    output logic                 only_o,
    // all lanes of the row are written; the result is written to the register file now
    output logic                 full_o,
    output logic                 rf_o
);

    // ---- Its slot and its row
    logic [Values-1:0] has, free;
    always @* begin
        word_o = '0;
        slot_o = '0;
        has    = '0;
        if (valid_i) begin
            for (int s = 0; s < Window; s = s + 1) begin
                for (int w = 0; w < 4; w = w + 1)
                    word_o[s*4 + w] = await_i[s*4 + w] && reg_i == base_i[s*6 +: 6] + 6'(w);
                slot_o[s] = word_o[s*4 +: 4] != '0;
            end
            if (mode_i != 2'd3) begin
                has = used_i;
                for (int k = 0; k < 6; k = k + 1)
                    has = has & (reg_i[k] ? name_i[k*Values +: Values] : ~name_i[k*Values +: Values]);
            end
        end
    end
    assign free = ~used_i;

    // ---- What its bits say, and its lanes
    logic       awaited, there, none, store, now;
    assign awaited = slot_o != '0;
    assign there   = has != '0;
    assign none    = none_i || (mode_i == 2'd2 && write_i == 2'b00);
    assign store   = mode_i != 2'd3 && awaited && (mode_i != 2'd2 || write_i[1]);
    assign now     = mode_i == 2'd0;
    assign full_o  = all_i || (homeless_i && (has & dirty_i) == '0);
    assign merge_o = valid_i && !none && !full_o && (has & dirty_i) != '0;
    assign take_o  = valid_i && !none && store && full_o && !there && (free | clean_i) != '0;
    assign keep_o  = merge_o || take_o ||
                     (valid_i && !none && store && there &&
                      (full_o || ((has & empty_i) == '0)));
    assign free_o  = valid_i && there && (none ? (has & empty_i) != '0 : !keep_o);
    assign unrsv_o = valid_i && there && none;
    assign rf_o    = valid_i && !none && (merge_o ? 1'b0 : keep_o ? now : !homeless_i);
    assign only_o  = mode_i == 2'd2 && (write_i == 2'b10);

    // ---- The row that it takes, chosen beside the lookup: the first from next. None has the register then.
    logic [Values-1:0] room, choice;
    assign room = free != '0 ? free : clean_i;
    find_first #(.Width(Values)) u_choice (
        .set_i(room), .from_i(from_i), .first_o(choice)
    );
    assign row_o  = has | (take_o ? choice : '0);

    `CHECK_RANGE(boc_result, Window, 2, 7)
    `CHECK_RANGE(boc_result, Values, 2, 28)
endmodule
