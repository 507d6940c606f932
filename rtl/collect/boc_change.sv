// SPDX-License-Identifier: Apache-2.0
// Purpose:    the rows of a bypassing operand collector (BOC) after a save, kills and a result, and
//             then after the window's move. Part of bypass_collector; contract (steps 4 to 6):
//             models/collect/bypass_collector.h.
// Parameters: Window, 2..7: slots; Values, 2..28: rows.
// Timing:     combinational, from the BOC's registers, the outputs of boc_result, and the entry.
// Reset:      none, there is no state.
// Left out:   effects of an entry on the rows (boc_enter).
// Shapes:     - ; Window=2,Values=4 ; Window=7,Values=28
// Proof:      1:1:Window=2,Values=4
// Proof:      1:1:Window=3,Values=5

`include "macros.svh"

module boc_change #(
    parameter int Window = 3,
    parameter int Values = 12,
    localparam int SlotBits = $clog2(Window)
) (
    // rows, a bit each; slots and registers in planes
    input  logic [Values-1:0]          inwin_i,
    input  logic [Values-1:0]          dirty_i,
    input  logic [Values-1:0]          only_i,
    input  logic [Values-1:0]          save_i,
    input  logic [Values-1:0]          rsv_i,
    input  logic [Values-1:0]          empty_i,
    input  logic [SlotBits*Values-1:0] last_i,
    input  logic [6*Values-1:0]        name_i,
    input  logic [Values-1:0]          used_i,
    // the row saved; registers that are dead
    input  logic [Values-1:0]          saved_i,
    input  logic                       kill_valid_i,
    input  logic [63:0]                kill_regs_i,
    // a result that is accepted: its row, the row that keeps it, slots that await it; further state
    // of the row
    input  logic                       res_done_i,
    input  logic [5:0]                 res_reg_i,
    input  logic [Values-1:0]          res_row_i,
    input  logic [Values-1:0]          res_kept_i,
    input  logic [Window-1:0]          res_slot_i,
    input  logic                       res_take_i,
    input  logic                       res_merge_i,
    input  logic                       res_free_i,
    input  logic                       res_unrsv_i,
    input  logic                       res_only_i,
    input  logic                       res_dirty_i,
    // the window moves; its oldest slot, rows whose last instruction is in that slot
    input  logic                       moved_i,
    input  logic [SlotBits-1:0]        head_i,
    input  logic [Values-1:0]          at_head_i,
    // after save, kills and result
    output logic [Values-1:0]          dirty_o,
    output logic [Values-1:0]          only_o,
    output logic [Values-1:0]          rsv_o,
    output logic [Values-1:0]          empty_o,
    output logic [SlotBits*Values-1:0] last_o,
    output logic [6*Values-1:0]        name_o,
    // after the move
    output logic [Values-1:0]          inwin_o,
    output logic [Values-1:0]          save_o
);

    logic [Values-1:0] killed, gone, here, passed, mid_inwin, mid_rsv, mid_save;
    logic              into_head;                    // the slot that awaits the result is `head`
    logic [5:0]        its;                          // register of a row
    always @* begin
        killed = '0;
        its      = '0;
        if (kill_valid_i)
            for (int e = 0; e < Values; e = e + 1) begin
                for (int k = 0; k < 6; k = k + 1) its[k] = name_i[k*Values + e];
                killed[e] = used_i[e] && kill_regs_i[its];
            end
    end
    assign gone = killed | (res_done_i && res_free_i ? res_row_i : '0);
    always @* begin
        mid_inwin = inwin_i & ~gone;
        dirty_o   = dirty_i & ~(saved_i | gone | res_kept_i);
        only_o    = only_i & ~(gone | res_kept_i);
        mid_save  = save_i & ~(saved_i | gone | res_kept_i);
        mid_rsv   = rsv_i & ~(gone | res_kept_i);
        empty_o   = empty_i & ~(gone | res_kept_i);
        last_o    = last_i;
        name_o    = name_i;
        if (res_done_i) begin
            if (res_unrsv_i) mid_rsv = mid_rsv & ~res_row_i;
            if (res_slot_i != '0) mid_inwin = mid_inwin | res_kept_i;
            for (int s = 0; s < Window; s = s + 1)
                if (res_slot_i[s])
                    for (int k = 0; k < SlotBits; k = k + 1)
                        last_o[k*Values +: Values] = (s >> k & 1) != 0 ? last_o[k*Values +: Values] | res_kept_i
                                                                      : last_o[k*Values +: Values] & ~res_kept_i;
            if (res_dirty_i) dirty_o = dirty_o | res_kept_i;
            if (res_only_i) only_o = only_o | (res_merge_i ? only_i & res_kept_i : res_kept_i);
            if (res_merge_i) mid_save = mid_save | (save_i & res_kept_i);
            if (res_take_i)
                for (int k = 0; k < 6; k = k + 1)
                    name_o[k*Values +: Values] = res_reg_i[k] ? name_o[k*Values +: Values] | res_kept_i
                                                              : name_o[k*Values +: Values] & ~res_kept_i;
        end
    end

    // A row that a result is kept in for a slot has that slot; the others keep theirs. So whether a row leaves the
    // window does not wait for the result's row.
    assign into_head = (res_slot_i >> head_i & Window'(1)) != '0;
    assign here      = res_slot_i != '0 ? res_kept_i : '0;
    always @* begin
        passed  = '0;
        inwin_o = mid_inwin;
        save_o  = mid_save;
        rsv_o   = mid_rsv;
        if (moved_i) begin
            passed  = (here & {Values{into_head}}) | (inwin_i & at_head_i & ~gone & ~here);
            inwin_o = (here & ~{Values{into_head}}) | (inwin_i & ~at_head_i & ~gone & ~here);
            save_o  = mid_save | (passed & dirty_o & ~only_o);
            rsv_o   = mid_rsv & ~passed;  // its word is no longer awaited
        end
    end

    `CHECK_RANGE(boc_change, Window, 2, 7)
    `CHECK_RANGE(boc_change, Values, 2, 28)
endmodule
