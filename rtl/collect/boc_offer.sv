// SPDX-License-Identifier: Apache-2.0
// Purpose:    offers of a bypassing operand collector (BOC) in a cycle: the instruction to
//             dispatch, and the row to save to the register file. Part of bypass_collector;
//             contract (steps 3 and 4): models/collect/bypass_collector.h.
// Parameters: NumOps, 1..3: operands per entry; NumDisp, 1..8: execution units; Window, 2..7: slots;
//             Values, 2..28: rows.
// Timing:     outputs follow from the BOC's registers in the same cycle.
// Reset:      none, there is no state.
// Left out:   which BOC a unit or a write port takes (bypass_collector).
// Shapes:     - ; NumOps=1,NumDisp=1,Window=2,Values=4 ; NumOps=2,NumDisp=8,Window=7,Values=28
// Proof:      1:3:NumOps=3,NumDisp=2,Window=3,Values=5
// Proof:      1:3:NumOps=1,NumDisp=3,Window=2,Values=4

`include "macros.svh"

module boc_offer #(
    parameter int NumOps  = 3,
    parameter int NumDisp = 4,
    parameter int Window  = 3,
    parameter int Values  = 12,
    localparam int UnitBits  = NumDisp > 1 ? $clog2(NumDisp) : 1,
    localparam int SlotBits  = $clog2(Window),
    localparam int ValueBits = $clog2(Values)
) (
    // slots: instructions that wait, their units, operands and rows, and the slots ahead of them
    input  logic [SlotBits-1:0]                head_i,
    input  logic [Window-1:0]                  wait_i,
    input  logic [Window*UnitBits-1:0]         unit_i,
    input  logic [Window*NumOps-1:0]           need_i,
    input  logic [Window*NumOps*ValueBits-1:0] src_i,
    input  logic [Window*Window-1:0]           follow_i,
    // rows
    input  logic [Values-1:0]                  pending_i,
    input  logic [Values-1:0]                  dirty_i,
    input  logic [Values-1:0]                  only_i,
    input  logic [Values-1:0]                  save_i,
    // rows from `next` on
    input  logic [Values-1:0]                  from_i,
    // units that refused; a save was held back; more rows are wanted
    input  logic [NumDisp-1:0]                 refused_i,
    input  logic                               held_i,
    input  logic                               pressed_i,
    // rows that waiting instructions need
    output logic [Values-1:0]                  needed_o,
    // the instruction offered, and the set that its unit is added to when it is not taken
    output logic                               offer_o,
    output logic [SlotBits-1:0]                slot_o,
    output logic [UnitBits-1:0]                unit_o,
    output logic [NumOps-1:0]                  need_o,
    output logic [NumOps*ValueBits-1:0]        src_o,
    output logic [NumDisp-1:0]                 refused_o,
    // the row to save: there is one, it is offered, it was held back
    output logic                               saving_o,
    output logic                               save_o,
    output logic [Values-1:0]                  save_one_o,
    output logic                               held_o
);

    // ---- Dispatch
    logic [Window-1:0] ready, willing, asked, up, choice;
    logic [NumOps-1:0] need;
    always @* begin
        needed_o = '0;
        ready    = '0;
        willing  = '0;
        if (wait_i != '0)
            for (int s = 0; s < Window; s = s + 1)
                if (wait_i[s]) begin
                    ready[s] = follow_i[s*Window +: Window] == '0;
                    for (int o = 0; o < NumOps; o = o + 1)
                        if (need_i[s*NumOps + o]) begin
                            needed_o = needed_o | (Values'(1) << src_i[(s*NumOps + o)*ValueBits +: ValueBits]);
                            if ((pending_i >> src_i[(s*NumOps + o)*ValueBits +: ValueBits] & Values'(1)) != '0)
                                ready[s] = 1'b0;
                        end
                    willing[s] = ready[s] && ((refused_i >> unit_i[s*UnitBits +: UnitBits] & NumDisp'(1)) == '0);
                end
    end
    // the oldest: the first from head
    assign asked     = willing != '0 ? willing : ready;
    assign up        = asked & ({Window{1'b1}} << head_i);
    assign choice    = up != '0 ? up & (~up + Window'(1)) : asked & (~asked + Window'(1));
    assign refused_o = willing != '0 ? refused_i : '0;
    always @* begin
        slot_o = '0;
        unit_o = '0;
        need   = '0;
        src_o  = '0;
        if (ready != '0)
            for (int s = 0; s < Window; s = s + 1)
                if (choice[s]) begin
                    slot_o = SlotBits'(s);
                    unit_o = unit_i[s*UnitBits +: UnitBits];
                    need   = need_i[s*NumOps +: NumOps];
                    src_o  = src_i[s*NumOps*ValueBits +: NumOps*ValueBits];
                end
    end
    assign need_o = need;

    // ---- Save: first what has to be, else, under pressure, what the register file gets some time anyhow
    logic [Values-1:0] can_save, save_first, can_first;
    logic              pressure;
    logic [$clog2(Values+1)-1:0] dirty_rows;        // how many
    popcount #(.Width(Values)) u_dirty (
        .set_i(dirty_i), .count_o(dirty_rows)
    );
    assign pressure   = pressed_i || 32'(dirty_rows) > Values - NumOps;
    assign can_save   = dirty_i & ~only_i;
    find_first #(.Width(Values)) u_save (
        .set_i(save_i), .from_i, .first_o(save_first)
    );
    find_first #(.Width(Values)) u_can (
        .set_i(can_save), .from_i, .first_o(can_first)
    );
    assign save_one_o = save_first | (save_i == '0 && pressure ? can_first : '0);
    assign saving_o   = save_i != '0 || (pressure && can_save != '0);

    // ---- Both use the last read: they take turns
    logic conflict;
    assign conflict = saving_o && need[NumOps-1];
    assign offer_o  = ready != '0 && !(conflict && held_i);
    assign save_o   = saving_o && !(conflict && !held_i);
    assign held_o   = conflict && !held_i;

    `CHECK_RANGE(boc_offer, NumOps, 1, 3)
    `CHECK_RANGE(boc_offer, NumDisp, 1, 8)
    `CHECK_RANGE(boc_offer, Window, 2, 7)
    `CHECK_RANGE(boc_offer, Values, 2, 28)
endmodule
