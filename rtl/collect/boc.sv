// SPDX-License-Identifier: Apache-2.0
// Purpose:    control of one bypassing operand collector (BOC): the window of one warp's last
//             instructions, the registers it holds, forwarding, what is written back and when.
//             Contract: models/collect/bypass_collector.h; this is a BOC of it without the rows, which are
//             in boc_rows, and without the choice among BOCs, which is in bypass_collector.
// Parameters: NumOps, 1..3: operands per instruction; NumAlloc, 1..4: ports by which instructions
//             come; NumDisp, 1..8: execution units; Window, 2..7:
//             instructions of the window; Values, NumOps..28: registers held (4 per instruction of
//             the window, or half of that); BankBits, 1..5, and EntryBits, 1..10: bits of a
//             register's place {bank, entry} in the register file.
// Timing:     outputs depend on state alone, but room_o and res_*_o also on the result inputs of the
//             cycle (not on res_done_i). Everything else is taken at the clock edge. The chain of
//             NumOps + 1 picks (free, else oldest) of what room_o counts is the longest path; it
//             starts at registers.
// Reset:      no instruction waits, all entries free, head and read pointer 0.
// Left out:   entries that hold some lanes only; early wake-up by a result of the same cycle.
// Shapes:     - ; NumOps=1,NumAlloc=1,NumDisp=1,Window=2,Values=4,BankBits=1,EntryBits=1
// Shapes:     NumOps=2,NumAlloc=4,NumDisp=8,Window=7,Values=28,BankBits=5,EntryBits=10
// Proof:      1:6:NumOps=1,NumAlloc=1,NumDisp=1,Window=2,Values=2,BankBits=1,EntryBits=1
// Proof:      1:6:NumOps=2,NumAlloc=1,NumDisp=2,Window=2,Values=2,BankBits=1,EntryBits=1
`ifdef SIM
`define RF_OBS
`endif
`ifdef FORMAL
`define RF_OBS
`endif

module boc #(
    parameter int NumOps    = 3,
    parameter int NumAlloc  = 2,
    parameter int NumDisp   = 4,
    parameter int Window    = 3,
    parameter int Values    = 12,
    parameter int BankBits  = 5,
    parameter int EntryBits = 6,
    localparam int Loc       = BankBits + EntryBits,
    localparam int UnitBits  = NumDisp > 1 ? $clog2(NumDisp) : 1,
    localparam int InBits    = 2 + UnitBits + NumOps + (NumOps + 1)*Loc,
    localparam int SlotBits  = $clog2(Window),
    localparam int ValueBits = $clog2(Values)
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,
    // the instruction of one port enters when there is a slot and room; per port {pass, unit, need,
    // places of the operands, has a destination, place of that}
    input  logic [NumAlloc-1:0]                 in_sel_i,
    input  logic [NumAlloc*InBits-1:0]          in_bus_i,
    output logic                                ready_o,
    output logic [1:0]                          room_o,
    output logic [SlotBits-1:0]                 slot_o,
    // reads: one entry asks; data for the one granted in the cycle before
    output logic                                rd_valid_o,
    output logic [Loc-1:0]                      rd_loc_o,
    input  logic                                rd_grant_i,
    output logic                                rd_coming_o,
    output logic [ValueBits-1:0]                rd_entry_o,
    // dispatch: per unit the oldest ready instruction
    output logic [NumDisp-1:0]                  disp_offer_o,
    output logic [NumDisp*SlotBits-1:0]         disp_slot_o,
    output logic [NumDisp*NumOps-1:0]           disp_need_o,
    output logic [NumDisp*NumOps*ValueBits-1:0] disp_entry_o,
    input  logic [NumDisp-1:0]                  disp_leave_i,
    // a result: all lanes or some, or nothing to be stored; res_rf_o: it goes to the register file;
    // res_store_o: it is stored in entry res_entry_o when it is done
    input  logic                                res_valid_i,
    input  logic [Loc-1:0]                      res_loc_i,
    input  logic                                res_none_i,
    input  logic                                res_full_i,
    input  logic                                res_keep_i,
    input  logic                                res_now_i,
    input  logic                                res_dead_i,
    input  logic                                res_done_i,
    output logic                                res_rf_o,
    output logic                                res_store_o,
    output logic [ValueBits-1:0]                res_entry_o,
    // save: the entry to be written to the register file
    output logic                                save_valid_o,
    output logic [ValueBits-1:0]                save_entry_o,
    output logic [Loc-1:0]                      save_loc_o,
    input  logic                                save_done_i,
    // flush
    input  logic                                flush_i,
    input  logic                                drop_i,
    output logic                                unsaved_o
`ifdef RF_OBS
    ,
    // observation while obs_en_i, else 0: 0 window, 1 entries, 2 order of allocation; and whether entry
    // obs_entry_i holds a value
    input  logic                                obs_en_i,
    input  logic [1:0]                          obs_kind_i,
    input  logic [ValueBits-1:0]                obs_entry_i,
    output logic [1023:0]                       obs_data_o,
    output logic                                obs_holds_o
`endif
`ifdef TESTBUG
    ,
    // fault injection at this edge: bit of the observed words is flipped (1), 0 (2), 1 (3)
    input  logic [1:0]                          fault_op_i,
    input  logic [1:0]                          fault_kind_i,
    input  logic [9:0]                          fault_bit_i
`endif
);
    // Seeded faults.
    // 200  what the window passes is saved even when it is clean: rd_valid_o, rd_entry_o,
    //      wr_valid_o, the cycle after
    // 201  a save clears dirty without having been taken: alloc_room_o, wr_valid_o, a save that is
    //      refused
    // 202  a partial result over a dirty entry is written to the register file, too: res_ready_o,
    //      wr_res_o
    // 203  a dead value is saved when the window passes it: unsaved_o, wr_valid_o, the cycle after
    // 204  an instruction does not follow an older one that reads what it writes: disp_valid_o
    // 205  the newest clean entry is taken instead of the oldest: rd_entry_o, rd_valid_o, when that
    //      one is named
    // 206  a result whose instruction has left the window is kept: alloc_room_o, wr_res_o, such a
    //      result
    // 207  flush leaves dead values dead: alloc_room_o, wr_valid_o, a flush with a dead value in
    //      the window
    // 208  the read pointer stays on an entry that was refused: rd_bank_o / rd_entry_o
    // 209  an operand named twice takes two entries: alloc_room_o, rd_valid_o, such an instruction
    // 210  drop leaves results awaited: wr_valid_o, wr_res_o, a result that comes after a drop
    // 211  what overwrites a value that waits to be saved is saved at once: alloc_room_o,
    //      wr_valid_o, the cycle after
`ifdef TESTBUG
    integer testbug;
    initial if ($value$plusargs("testbug=%d", testbug) == 0) testbug = 0;
`define RF_FAULT(next, mask) (fault_op_i == 2'd1 ? (next) ^ (mask) : \
                              fault_op_i == 2'd2 ? (next) & ~(mask) : (next) | (mask))
`elsif FORMAL_BUG
    localparam integer testbug = `FORMAL_BUG;
`else
    localparam integer testbug = 0;
`endif

    // Slots, one bit or field each.
    logic [SlotBits-1:0]                head_q;
    logic [Window-1:0]                  busy_q;       // waiting
    logic [Window-1:0]                  awaits_q;
    logic [Window*UnitBits-1:0]         unit_q;
    logic [Window*NumOps-1:0]           need_q;
    logic [Window*NumOps*ValueBits-1:0] src_q;        // entry of each operand
    logic [Window*Window-1:0]           follow_q;     // row s: slots that s must follow
    logic [Window*Loc-1:0]              dst_q;
    // Entries, one bit or field each.
    logic [Window*Values-1:0]           win_q;        // row s: last named by slot s
    logic [Values-1:0]                  ask_q;
    logic [Values-1:0]                  dirty_q;      // 0 while free
    logic [Values-1:0]                  dead_q;
    logic [Values-1:0]                  save_q;
    logic [Values*Loc-1:0]              loc_q;
    logic [Values*Values-1:0]           age_q;        // row e: held entries allocated before e
    // Reads.
    logic [ValueBits-1:0]               ptr_q;
    logic                               coming_q;
    logic [ValueBits-1:0]               from_q;       // the entry granted

    function automatic [Values-1:0] lowest(input [Values-1:0] set);
        lowest = set & (~set + Values'(1));
    endfunction
    // The number of the one entry of a set, one OR per bit of it; 0 when there is none.
    function automatic [ValueBits*Values-1:0] bit_masks(input integer unused);
        integer e, k;
        for (k = 0; k < ValueBits; k = k + 1)
            for (e = 0; e < Values; e = e + 1) bit_masks[k*Values + e] = ((e + unused) >> k & 1) != 0;
    endfunction
    localparam logic [ValueBits*Values-1:0] Masks = bit_masks(0);
    function automatic [ValueBits-1:0] index(input [Values-1:0] one);
        integer k;
        for (k = 0; k < ValueBits; k = k + 1) index[k] = (one & Masks[k*Values +: Values]) != '0;
    endfunction
    // The one of the set that was allocated first (fault 205: last).
    function automatic [Values-1:0] oldest(input [Values-1:0] set, input [Values*Values-1:0] age,
                                           input newest);
        integer e;
        begin
            oldest = '0;
            for (e = 0; e < Values; e = e + 1)
                if (set[e] && (newest ? set & ~age[e*Values +: Values] & ~(Values'(1) << e)
                                      : set & age[e*Values +: Values]) == '0) oldest[e] = 1'b1;
        end
    endfunction

    // ---- What the entries are: held, needed by a waiting instruction, without value yet, to be taken
    logic [Values-1:0]        inwin, held, pending, needed, can;
    logic [Window*Values-1:0] uses;                    // row s: entries that the instruction in s needs
    always @* begin
        inwin  = '0;
        needed = '0;
        for (int s = 0; s < Window; s = s + 1) begin
            inwin = inwin | win_q[s*Values +: Values];
            uses[s*Values +: Values] = '0;
            for (int o = 0; o < NumOps; o = o + 1)
                if (need_q[s*NumOps + o] && busy_q[s])
                    uses[s*Values +: Values] = uses[s*Values +: Values] |
                        (Values'(1) << src_q[(s*NumOps + o)*ValueBits +: ValueBits]);
            needed = needed | uses[s*Values +: Values];
        end
        held    = inwin | save_q;
        pending = ask_q | (coming_q ? Values'(1) << from_q : '0);
        can     = ~held | (~dirty_q & ~needed);
    end
    assign unsaved_o = dirty_q != '0;

    // ---- Reads
    logic [Values-1:0] ask_up, ask_one;
    assign ask_up     = ask_q & ~((Values'(1) << ptr_q) - Values'(1));
    assign ask_one    = lowest(ask_up != '0 ? ask_up : ask_q);
    assign rd_valid_o = ask_q != '0;
    always @* begin
        rd_loc_o = '0;
        if (rd_valid_o)
            for (int e = 0; e < Values; e = e + 1)
                if (ask_one[e]) rd_loc_o = rd_loc_o | loc_q[e*Loc +: Loc];
    end
    assign rd_coming_o = coming_q;
    assign rd_entry_o  = from_q;

    // ---- Dispatch: oldest first, that is from head on
    logic [Window-1:0]        ready, cand, leave, from_head;
    assign from_head = ~((Window'(1) << head_q) - Window'(1));
    always @* begin
        for (int s = 0; s < Window; s = s + 1)
            ready[s] = busy_q[s] && (uses[s*Values +: Values] & pending) == '0 &&
                       (follow_q[s*Window +: Window] == '0 || testbug == 204);
        disp_offer_o = '0;
        disp_slot_o  = '0;
        disp_need_o  = '0;
        disp_entry_o = '0;
        cand         = '0;
        if (ready != '0)
            for (int d = 0; d < NumDisp; d = d + 1) begin
                for (int s = 0; s < Window; s = s + 1)
                    cand[s] = ready[s] && unit_q[s*UnitBits +: UnitBits] == UnitBits'(d);
                if ((cand & from_head) != '0) cand = cand & from_head;
                cand            = cand & (~cand + Window'(1));
                disp_offer_o[d] = cand != '0;
                for (int s = 0; s < Window; s = s + 1)
                    if (cand[s]) begin
                        disp_slot_o[d*SlotBits +: SlotBits] = SlotBits'(s);
                        disp_need_o[d*NumOps +: NumOps]     = need_q[s*NumOps +: NumOps];
                        disp_entry_o[d*NumOps*ValueBits +: NumOps*ValueBits] =
                            src_q[s*NumOps*ValueBits +: NumOps*ValueBits];
                    end
            end
    end
    always @* begin
        leave = '0;
        for (int d = 0; d < NumDisp; d = d + 1)
            if (disp_leave_i[d])
                leave = leave | (Window'(1) << disp_slot_o[d*SlotBits +: SlotBits]);
    end

    // ---- Save: first what has to be, else the oldest when dirty entries crowd out reads
    logic [Values-1:0] save_set, save_one;
    logic [5:0]        dirty_count;
    always @* begin
        dirty_count = '0;
        if (dirty_q != '0)
            for (int e = 0; e < Values; e = e + 1) dirty_count = dirty_count + 6'(dirty_q[e]);
        save_set   = save_q != '0 ? save_q : dirty_count > 6'(Values - NumOps) ? dirty_q : '0;
        save_one   = save_set == '0 ? '0 : oldest(save_set, age_q, 1'b0);
        save_loc_o = '0;
        if (save_set != '0)
            for (int e = 0; e < Values; e = e + 1)
                if (save_one[e]) save_loc_o = save_loc_o | loc_q[e*Loc +: Loc];
    end
    assign save_valid_o = save_set != '0;
    assign save_entry_o = index(save_one);

    // ---- Results
    logic [Window-1:0] res_slot;                       // that awaits it
    logic [Values-1:0] res_hit, res_one, res_pick;
    logic              res_awaited, res_keep, res_now, res_some, res_merge, res_kept, res_take, res_kill;
    always @* begin
        res_slot = '0;
        res_hit  = '0;
        res_pick = '0;
        if (res_valid_i) begin
            for (int s = 0; s < Window; s = s + 1)
                res_slot[s] = awaits_q[s] && dst_q[s*Loc +: Loc] == res_loc_i;
            for (int e = 0; e < Values; e = e + 1)
                res_hit[e] = held[e] && loc_q[e*Loc +: Loc] == res_loc_i;
            if (~held != '0)     res_pick = lowest(~held);
            else if (can != '0)  res_pick = oldest(can, age_q, testbug == 205);
        end
    end
    assign res_awaited = res_slot != '0 || testbug == 206;
    assign res_keep    = res_keep_i && res_awaited;
    assign res_now     = res_now_i || !res_awaited;
    assign res_some    = res_valid_i && !res_none_i;
    assign res_merge   = res_some && !res_full_i && (res_hit & dirty_q) != '0;
    assign res_take    = res_some && res_hit == '0 && res_keep && res_full_i && can != '0;
    assign res_kept    = res_take || res_merge || (res_some && res_hit != '0 && res_keep);
    assign res_kill    = res_some && res_hit != '0 && !res_kept;
    assign res_one     = !res_some ? '0 : res_hit != '0 ? res_hit : res_take ? res_pick : '0;
    assign res_rf_o    = res_some && (!res_kept || (res_now && (!res_merge || testbug == 202)));
    assign res_store_o = res_kept;
    assign res_entry_o = index(res_one);

    // ---- Room: what an instruction can take
    logic [Values-1:0] take;
    logic [4:0]        can_count, left;
    always @* begin
        can_count = '0;
        for (int e = 0; e < Values; e = e + 1) can_count = can_count + 5'(can[e]);
    end
    assign take    = can & ~res_one;
    assign left    = can_count - 5'((can & res_one) != '0);
    assign room_o  = left < 5'(NumOps) ? left[1:0] : 2'(NumOps);
    assign ready_o = (busy_q & (Window'(1) << head_q)) == '0;
    assign slot_o  = head_q;

    // ---- Next state: the steps of the contract, one after the other. In the clocked block, so that a
    // simulator works it out once per cycle and only for a BOC in which something happens.
    logic wake, res_new;
    assign res_new = res_done_i && res_take;
    assign wake    = !rst_ni || in_sel_i != '0 || rd_valid_o || coming_q || leave != '0 || res_done_i ||
                     save_done_i || flush_i || drop_i
`ifdef TESTBUG
                     || fault_op_i != 2'd0 || testbug == 201
`endif
                     ;
    always_ff @(posedge clk_i) if (wake) begin : p_next
        logic [SlotBits-1:0]                head_d;
        logic [Window-1:0]                  busy_d, awaits_d;
        logic [Window*UnitBits-1:0]         unit_d;
        logic [Window*NumOps-1:0]           need_d;
        logic [Window*NumOps*ValueBits-1:0] src_d;
        logic [Window*Window-1:0]           follow_d;
        logic [Window*Loc-1:0]              dst_d;
        logic [Window*Values-1:0]           win_d;
        logic [Values-1:0]                  ask_d, dirty_d, dead_d, save_d, held_d;
        logic [Values*Loc-1:0]              loc_d;
        logic [Values*Values-1:0]           age_d;
        logic [ValueBits-1:0]               ptr_d, from_d;
        logic                               coming_d;
        // the instruction
        logic [InBits-1:0]                  in;
        logic                               pass, writes, enter;
        logic [UnitBits-1:0]                unit;
        logic [NumOps-1:0]                  need;
        logic [NumOps*Loc-1:0]              loc;
        logic [Loc-1:0]                     dst;
        logic [2:0]                         wants;
        logic [NumOps*Values-1:0]           operand;   // entry of each operand, one-hot
        // sets of entries
        logic [Values-1:0]                  saved, named, fresh, hit, pick, except, passed, kept, stay;

        head_d   = head_q;
        awaits_d = awaits_q;
        unit_d   = unit_q;
        need_d   = need_q;
        src_d    = src_q;
        follow_d = follow_q;
        dst_d    = dst_q;
        win_d    = win_q;
        dead_d   = dead_q;
        loc_d    = loc_q;
        age_d    = age_q;
        operand  = '0;
        named    = '0;
        fresh    = '0;
        // reads
        ask_d    = rd_grant_i ? ask_q & ~ask_one : ask_q;
        coming_d = rd_valid_o && rd_grant_i;
        from_d   = index(ask_one);
        ptr_d    = ptr_q;
        if (rd_valid_o && (rd_grant_i || testbug != 208))
            ptr_d = ask_one[Values-1] ? '0 : index(ask_one) + ValueBits'(1);
        // dispatch
        busy_d = busy_q & ~leave;
        if (leave != '0) follow_d = follow_q & ~{Window{leave}};
        // save
        saved   = save_done_i || (testbug == 201 && save_valid_o) ? save_one : '0;
        dirty_d = dirty_q & ~saved;
        save_d  = save_q & ~saved;
        // result
        if (res_done_i) begin
            awaits_d = awaits_q & ~res_slot;
            if (res_kill) begin
                win_d   = win_d & ~{Window{res_one}};
                dirty_d = dirty_d & ~res_one;
                save_d  = save_d & ~res_one;
            end
            if (res_kept) begin
                if (res_slot != '0)
                    for (int s = 0; s < Window; s = s + 1)
                        win_d[s*Values +: Values] = (win_d[s*Values +: Values] & ~res_one) |
                                                    (res_slot[s] ? res_one : '0);
                dirty_d = res_merge || !res_now ? dirty_d | res_one : dirty_d & ~res_one;
                save_d  = (save_d & ~res_one) |
                          (res_merge || testbug == 211 ? save_q & res_one : '0);
                if (!res_dead_i || res_slot == '0) dead_d = dead_d & ~res_one;
                else if (!res_merge)               dead_d = dead_d | res_one;
                if (res_take)
                    for (int e = 0; e < Values; e = e + 1)
                        if (res_one[e]) loc_d[e*Loc +: Loc] = res_loc_i;
            end
        end
        // end of window, end of warp
        if (drop_i) begin
            ask_d    = '0;
            coming_d = 1'b0;
            busy_d   = '0;
            follow_d = '0;
            if (testbug != 210) awaits_d = '0;
            win_d    = '0;
            save_d   = '0;
        end else if (flush_i) begin
            save_d   = dirty_d & (testbug == 207 ? ~dead_d : {Values{1'b1}});
            dead_d   = '0;
            win_d    = win_d & {Window{needed}};
            awaits_d = '0;
        end
        // an instruction
        in = '0;
        for (int a = 0; a < NumAlloc; a = a + 1)
            if (in_sel_i[a]) in = in | in_bus_i[a*InBits +: InBits];
        {pass, unit, need, loc, writes, dst} = in;
        if (pass) need = '0;
        wants = '0;
        for (int o = 0; o < NumOps; o = o + 1) wants = wants + 3'(need[o]);
        enter = in_sel_i != '0 && ready_o && wants <= 3'(room_o);
        if (enter) begin
            // what the window passes
            passed = '0;
            for (int s = 0; s < Window; s = s + 1)
                if (head_q == SlotBits'(s)) begin
                    passed = win_d[s*Values +: Values];
                    win_d[s*Values +: Values] = '0;
                end
            save_d = save_d | (passed & dirty_d & (testbug == 203 ? {Values{1'b1}} : ~dead_d)) |
                     (testbug == 200 ? passed : '0);
            kept = save_d;
            for (int s = 0; s < Window; s = s + 1) kept = kept | win_d[s*Values +: Values];
            // operands that are there, and the others
            except = ~take;
            for (int o = 0; o < NumOps; o = o + 1) begin
                if (need[o])
                    for (int e = 0; e < Values; e = e + 1)
                        operand[o*Values + e] = kept[e] && loc_d[e*Loc +: Loc] == loc[o*Loc +: Loc];
                except = except | operand[o*Values +: Values];
            end
            for (int o = 0; o < NumOps; o = o + 1) begin
                for (int x = 0; x < NumOps; x = x + 1)
                    if (x < o && need[o] && need[x] && loc[o*Loc +: Loc] == loc[x*Loc +: Loc] && testbug != 209)
                        operand[o*Values +: Values] = operand[x*Values +: Values];
                if (need[o] && operand[o*Values +: Values] == '0) begin
                    pick = lowest(~held & ~except);
                    if (pick == '0) pick = oldest(~except, age_q, testbug == 205);
                    operand[o*Values +: Values] = pick;
                    fresh  = fresh | pick;
                    except = except | pick;
                    for (int e = 0; e < Values; e = e + 1)
                        if (pick[e]) loc_d[e*Loc +: Loc] = loc[o*Loc +: Loc];
                end
                named = named | operand[o*Values +: Values];
            end
            ask_d = ask_d | fresh;
            // its destination, and who has to read that before
            hit = '0;
            if (writes)
                for (int e = 0; e < Values; e = e + 1)
                    hit[e] = kept[e] && loc_d[e*Loc +: Loc] == dst;
            named = named | hit;
            win_d = win_d & ~{Window{named}};
            // its slot
            for (int s = 0; s < Window; s = s + 1)
                if (head_q == SlotBits'(s)) begin
                    win_d[s*Values +: Values]      = named;
                    busy_d[s]                      = !pass;
                    awaits_d[s]                    = writes;
                    dst_d[s*Loc +: Loc]            = dst;
                    unit_d[s*UnitBits +: UnitBits] = unit;
                    need_d[s*NumOps +: NumOps]     = need;
                    for (int o = 0; o < NumOps; o = o + 1)
                        src_d[(s*NumOps + o)*ValueBits +: ValueBits] = index(operand[o*Values +: Values]);
                    for (int x = 0; x < Window; x = x + 1)
                        follow_d[s*Window + x] =
                            x != s && busy_d[x] && (uses[x*Values +: Values] & hit) != '0;
                end
            head_d = head_q == SlotBits'(Window - 1) ? '0 : head_q + SlotBits'(1);
        end
        // what is held then, in order of allocation: the result's entry before the instruction's
        held_d = save_d;
        for (int s = 0; s < Window; s = s + 1) held_d = held_d | win_d[s*Values +: Values];
        dirty_d = dirty_d & held_d;
        if (held != held_d || fresh != '0 || res_new) begin
            stay = held & held_d & ~fresh & ~(res_new ? res_one : '0);
            for (int e = 0; e < Values; e = e + 1) begin
                age_d[e*Values +: Values] = age_q[e*Values +: Values] & stay;
                if (res_new && res_one[e]) age_d[e*Values +: Values] = stay;
            end
            if (res_new) stay = stay | (res_one & held_d);
            for (int o = 0; o < NumOps; o = o + 1) begin
                for (int e = 0; e < Values; e = e + 1)
                    if (operand[o*Values + e] && fresh[e] && !stay[e]) age_d[e*Values +: Values] = stay;
                stay = stay | (operand[o*Values +: Values] & fresh);
            end
        end
        if (!rst_ni) begin
            head_d   = '0;
            busy_d   = '0;
            awaits_d = '0;
            follow_d = '0;
            win_d    = '0;
            ask_d    = '0;
            dirty_d  = '0;
            save_d   = '0;
            ptr_d    = '0;
            coming_d = 1'b0;
        end
`ifdef TESTBUG
        if (fault_op_i != 2'd0) begin
            head_d   = `RF_FAULT(head_d, m_head);
            busy_d   = `RF_FAULT(busy_d, m_busy);
            awaits_d = `RF_FAULT(awaits_d, m_awaits);
            unit_d   = `RF_FAULT(unit_d, m_unit);
            need_d   = `RF_FAULT(need_d, m_need);
            src_d    = `RF_FAULT(src_d, m_src);
            follow_d = `RF_FAULT(follow_d, m_follow);
            dst_d    = `RF_FAULT(dst_d, m_dst);
            win_d    = `RF_FAULT(win_d, m_win);
            ask_d    = `RF_FAULT(ask_d, m_ask);
            dirty_d  = `RF_FAULT(dirty_d, m_dirty);
            dead_d   = `RF_FAULT(dead_d, m_dead);
            save_d   = `RF_FAULT(save_d, m_save);
            loc_d    = `RF_FAULT(loc_d, m_loc);
            age_d    = `RF_FAULT(age_d, m_age);
            ptr_d    = `RF_FAULT(ptr_d, m_ptr);
            coming_d = `RF_FAULT(coming_d, m_coming);
            from_d   = `RF_FAULT(from_d, m_from);
        end
`endif
        head_q   <= head_d;
        busy_q   <= busy_d;
        awaits_q <= awaits_d;
        unit_q   <= unit_d;
        need_q   <= need_d;
        src_q    <= src_d;
        follow_q <= follow_d;
        dst_q    <= dst_d;
        win_q    <= win_d;
        ask_q    <= ask_d;
        dirty_q  <= dirty_d;
        dead_q   <= dead_d;
        save_q   <= save_d;
        loc_q    <= loc_d;
        age_q    <= age_d;
        ptr_q    <= ptr_d;
        coming_q <= coming_d;
        from_q   <= from_d;
    end

`ifdef TESTBUG
    // Which state bits the observed bit stands for.
    logic [SlotBits-1:0]                m_head;
    logic [Window-1:0]                  m_busy, m_awaits;
    logic [Window*UnitBits-1:0]         m_unit;
    logic [Window*NumOps-1:0]           m_need;
    logic [Window*NumOps*ValueBits-1:0] m_src;
    logic [Window*Window-1:0]           m_follow;
    logic [Window*Loc-1:0]              m_dst;
    logic [Window*Values-1:0]           m_win;
    logic [Values-1:0]                  m_ask, m_dirty, m_dead, m_save;
    logic [Values*Loc-1:0]              m_loc;
    logic [Values*Values-1:0]           m_age;
    logic [ValueBits-1:0]               m_ptr, m_from;
    logic                               m_coming;
    logic [2:0]                         m_kind;
    logic [9:0]                         m_bit;
    assign m_kind = 3'd1 << fault_kind_i;
    assign m_bit  = fault_bit_i;
    always @* begin
        for (int k = 0; k < SlotBits; k = k + 1) m_head[k] = m_kind[0] && m_bit == 10'(k);
        for (int k = 0; k < ValueBits; k = k + 1) begin
            m_ptr[k]  = m_kind[0] && m_bit == 10'(8 + k);
            m_from[k] = m_kind[0] && m_bit == 10'(17 + k);
        end
        m_coming = m_kind[0] && m_bit == 10'(16);
        for (int s = 0; s < Window; s = s + 1) begin
            m_busy[s]   = m_kind[0] && m_bit == 10'((1 + s)*32 + (0));
            m_awaits[s] = m_kind[0] && m_bit == 10'((1 + s)*32 + (1));
            for (int k = 0; k < UnitBits; k = k + 1) m_unit[s*UnitBits + k] = m_kind[0] && m_bit == 10'((1 + s)*32 + (2 + k));
            for (int o = 0; o < NumOps; o = o + 1) begin
                m_need[s*NumOps + o] = m_kind[0] && m_bit == 10'((1 + s)*32 + (5 + o));
                for (int k = 0; k < ValueBits; k = k + 1)
                    m_src[(s*NumOps + o)*ValueBits + k] = m_kind[0] && m_bit == 10'((1 + s)*32 + (16 + 5*o + k));
            end
            for (int x = 0; x < Window; x = x + 1) m_follow[s*Window + x] = m_kind[0] && m_bit == 10'((1 + s)*32 + (8 + x));
            for (int k = 0; k < Loc; k = k + 1)
                m_dst[s*Loc + k] = m_kind[0] && m_bit == 10'((8 + s)*32 + (k < EntryBits ? k : 16 + k - EntryBits));
            for (int e = 0; e < Values; e = e + 1) m_win[s*Values + e] = m_kind[0] && m_bit == 10'((16 + s)*32 + (e));
        end
        for (int e = 0; e < Values; e = e + 1) begin
            m_ask[e]   = m_kind[1] && m_bit == 10'((e)*32 + (1));
            m_dirty[e] = m_kind[1] && m_bit == 10'((e)*32 + (2));
            m_dead[e]  = m_kind[1] && m_bit == 10'((e)*32 + (3));
            m_save[e]  = m_kind[1] && m_bit == 10'((e)*32 + (4));
            for (int k = 0; k < Loc; k = k + 1)
                m_loc[e*Loc + k] = m_kind[1] && m_bit == 10'((e)*32 + (k < EntryBits ? 16 + k : 26 + k - EntryBits));
            for (int x = 0; x < Values; x = x + 1) m_age[e*Values + x] = m_kind[2] && m_bit == 10'((e)*32 + (x));
        end
    end
`endif

`ifdef RF_OBS
    logic [31:0] obs_word;
    assign obs_holds_o = ((held & ~pending) >> obs_entry_i & Values'(1)) != '0;
    always @* begin
        obs_data_o = '0;
        obs_word   = '0;
        if (obs_en_i && obs_kind_i == 2'd0) begin
            obs_word[SlotBits-1:0] = head_q;
            obs_word[12:8]         = 5'(ptr_q);
            obs_word[16]           = coming_q;
            obs_word[21:17]        = coming_q ? 5'(from_q) : '0;
            obs_data_o[31:0]       = obs_word;
            for (int s = 0; s < Window; s = s + 1) begin
                obs_word = {30'b0, awaits_q[s], busy_q[s]};
                if (busy_q[s]) begin
                    obs_word[4:2]  = 3'(unit_q[s*UnitBits +: UnitBits]);
                    obs_word[7:5]  = 3'(need_q[s*NumOps +: NumOps]);
                    obs_word[14:8] = 7'(follow_q[s*Window +: Window]);
                    for (int o = 0; o < NumOps; o = o + 1)
                        if (need_q[s*NumOps + o])
                            obs_word[16 + 5*o +: 5] =
                                5'(src_q[(s*NumOps + o)*ValueBits +: ValueBits]);
                end
                obs_data_o[(1 + s)*32 +: 32] = obs_word;
                if (awaits_q[s])
                    obs_data_o[(8 + s)*32 +: 32] = {16'(dst_q[s*Loc + EntryBits +: BankBits]),
                                                    16'(dst_q[s*Loc +: EntryBits])};
                obs_data_o[(16 + s)*32 +: 32] = 32'(win_q[s*Values +: Values]);
            end
        end
        if (obs_en_i && obs_kind_i == 2'd1)
            for (int e = 0; e < Values; e = e + 1)
                if (held[e])
                    obs_data_o[e*32 +: 32] = {1'b0, 5'(loc_q[e*Loc + EntryBits +: BankBits]),
                        10'(loc_q[e*Loc +: EntryBits]), 11'b0, save_q[e], dirty_q[e] && dead_q[e],
                        dirty_q[e], ask_q[e], inwin[e]};
        if (obs_en_i && obs_kind_i == 2'd2)
            for (int e = 0; e < Values; e = e + 1)
                if (held[e]) obs_data_o[e*32 +: 32] = 32'(age_q[e*Values +: Values]);
    end
`endif

`ifdef SIM
    initial begin
        if (NumOps < 1 || NumOps > 3) $fatal(1, "boc: NumOps = %0d, legal is 1..3", NumOps);
        if (NumAlloc < 1 || NumAlloc > 4) $fatal(1, "boc: NumAlloc = %0d, legal is 1..4", NumAlloc);
        if (NumDisp < 1 || NumDisp > 8) $fatal(1, "boc: NumDisp = %0d, legal is 1..8", NumDisp);
        if (Window < 2 || Window > 7) $fatal(1, "boc: Window = %0d, legal is 2..7", Window);
        if (Values < 2 || Values < NumOps || Values > 28)
            $fatal(1, "boc: Values = %0d, legal is 2..28 and at least NumOps", Values);
        if (BankBits < 1 || BankBits > 5) $fatal(1, "boc: BankBits = %0d, legal is 1..5", BankBits);
        if (EntryBits < 1 || EntryBits > 10)
            $fatal(1, "boc: EntryBits = %0d, legal is 1..10", EntryBits);
    end
`endif
`ifdef FORMAL
    // Contract, for any register f_r in any lane, any slot f_s and operand f_o, any two entries f_x, f_y:
    // what is dispatched as operand is what was written to the register last, whatever the mode of
    // each result; no value that may still be read is anywhere lost; entries are taken in order of
    // allocation. The lane's bits of the rows (f_row) and of the register file (f_rf) are modelled here.
    (* anyconst *) logic [Loc-1:0]       f_r;
    (* anyconst *) logic [SlotBits-1:0]  f_s;
    (* anyconst *) logic [1:0]           f_o;
    (* anyconst *) logic [ValueBits-1:0] f_x;
    (* anyconst *) logic [ValueBits-1:0] f_y;
    (* anyseq *)   logic                 f_bit;        // of the result, in the lane
    (* anyseq *)   logic                 f_covers;     // the result has the lane
    logic              f_past;
    logic              f_val;       // last value written
    logic              f_rf;        // what the register file has
    logic              f_undef;     // not to be read: nothing written yet, dropped, dead, another warp's
    logic              f_mark;      // last written as dead
    logic [3:0]        f_since;     // instructions entered since the last one that named f_r
    logic              f_out;       // result outstanding
    logic [Values-1:0] f_row;
    logic              f_rd;        // read from the register file in the cycle before
    logic              f_wants;     // the instruction in f_s has f_r as operand f_o
    logic              f_x_first;   // entry f_x was allocated before f_y, both held
    initial f_past = 1'b0;

    // The instruction that enters.
    logic                  f_enter, f_pass, f_writes, f_names, f_reads;
    logic [UnitBits-1:0]   f_unit;
    logic [NumOps-1:0]     f_need, f_operand;
    logic [NumOps*Loc-1:0] f_loc;
    logic [Loc-1:0]        f_dst;
    logic [2:0]            f_wanted;
    always_comb begin
        {f_pass, f_unit, f_need, f_loc, f_writes, f_dst} = in_bus_i[InBits-1:0];
        if (f_pass) f_need = '0;
        f_wanted = '0;
        for (int o = 0; o < NumOps; o = o + 1) begin
            f_wanted     = f_wanted + 3'(f_need[o]);
            f_operand[o] = f_need[o] && f_loc[o*Loc +: Loc] == f_r;
        end
        f_enter = in_sel_i[0] && ready_o && f_wanted <= 3'(room_o);
        f_reads = f_operand != '0;
        f_names = f_reads || (f_writes && f_dst == f_r);
    end

    // What the state says about f_r.
    logic [Values-1:0] f_is, f_has;                 // its entry; the same with value
    logic [Window-1:0] f_await, f_user;             // slots that await it, that wait and need it
    logic [Window-1:0] f_win;                       // slots whose row of the window has it
    logic              f_dirty, f_done, f_stored, f_saved, f_slot_reads;
    always_comb begin
        for (int e = 0; e < Values; e = e + 1) f_is[e] = held[e] && loc_q[e*Loc +: Loc] == f_r;
        f_has   = f_is & ~pending;
        f_dirty = (f_is & dirty_q) != '0;
        f_slot_reads = 1'b0;
        for (int s = 0; s < Window; s = s + 1) begin
            f_await[s] = awaits_q[s] && dst_q[s*Loc +: Loc] == f_r;
            f_user[s]  = (uses[s*Values +: Values] & f_is) != '0;
            f_win[s]   = (win_q[s*Values +: Values] & f_is) != '0;
            if (f_s == SlotBits'(s))
                for (int o = 0; o < NumOps; o = o + 1)
                    if (f_o == 2'(o) && busy_q[s] && need_q[s*NumOps + o])
                        f_slot_reads = (f_is >> src_q[(s*NumOps + o)*ValueBits +: ValueBits] & Values'(1)) != '0;
        end
        f_done   = res_done_i && res_loc_i == f_r;
        f_stored = f_done && res_store_o && f_covers;
        f_saved  = save_done_i && save_loc_o == f_r;
    end
    // Slots from head on, 0 the oldest; the one whose instruction named f_r last (f_since).
    logic [Window*3-1:0] f_pos;
    logic [Window-1:0]   f_slot;
    always_comb
        for (int s = 0; s < Window; s = s + 1) begin
            f_pos[s*3 +: 3] = 3'(s) >= 3'(head_q) ? 3'(s) - 3'(head_q) : 3'(s) + 3'(Window) - 3'(head_q);
            f_slot[s]       = f_since == 4'(Window - 1) - 4'(f_pos[s*3 +: 3]);
        end

    // Environment
    logic [Values*Window-1:0] f_wait_hit;
    always_comb begin
        assume (f_s < Window && f_o < NumOps && f_x < Values && f_y < Values && f_x != f_y);
        assume (!save_done_i || save_valid_o);
        assume (!res_done_i || res_valid_i);
        assume (!(res_full_i && !res_none_i) || f_covers);
        // the register file takes one write of a register per cycle, and does not read it then
        assume (!(f_saved && f_done && res_rf_o));
        assume (!(rd_valid_o && rd_grant_i && rd_loc_o == f_r && (f_saved || (f_done && res_rf_o))));
        // no result before the instruction was dispatched, none for a register that is waited for
        for (int s = 0; s < Window; s = s + 1)
            assume (!(res_valid_i && busy_q[s] && res_slot[s]));
        assume (!res_valid_i || (res_hit & needed) == '0);
        // the scoreboard
        assume (!(f_enter && f_names && f_out && !f_done));
        for (int s = 0; s < Window; s = s + 1)
            if (f_enter && awaits_q[s] && !(res_done_i && res_slot[s])) begin
                assume (!(f_writes && f_dst == dst_q[s*Loc +: Loc]));
                for (int o = 0; o < NumOps; o = o + 1)
                    assume (!(f_need[o] && f_loc[o*Loc +: Loc] == dst_q[s*Loc +: Loc]));
            end
        assume (f_unit < NumDisp);
        assume ((disp_leave_i & ~disp_offer_o) == '0);
        assume (!obs_en_i);
    end

    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        // the register file and the rows
        if (f_done && res_rf_o && f_covers) f_rf <= f_bit;
        if (f_saved) f_rf <= (f_row >> save_entry_o & Values'(1)) != '0;
        if (rd_valid_o && rd_grant_i && rd_loc_o == f_r) f_rd <= f_rf;
        for (int e = 0; e < Values; e = e + 1) begin
            if (coming_q && from_q == ValueBits'(e)) f_row[e] <= f_rd;
            if (res_done_i && res_store_o && f_covers && res_entry_o == ValueBits'(e)) f_row[e] <= f_bit;
        end
        // the register as the program sees it
        if (f_done && f_covers) begin
            f_val   <= f_bit;
            f_undef <= res_none_i;
            f_mark  <= res_dead_i;
        end
        if (flush_i) f_mark <= 1'b0;
        if (f_enter) begin
            f_since <= f_names ? '0 : f_since == 4'(Window) ? f_since : f_since + 1'b1;
            if ((f_done && f_covers ? res_dead_i : f_mark) && !flush_i && f_since + 1'b1 >= 4'(Window))
                f_undef <= 1'b1;
        end
        f_out <= (f_out && !f_done) || (f_enter && f_writes && f_dst == f_r);
        if (f_enter && head_q == f_s) f_wants <= (f_operand & (NumOps'(1) << f_o)) != '0;
        if (drop_i || !rst_ni) f_undef <= 1'b1;
        if (!rst_ni) begin
            f_out   <= 1'b0;
            f_since <= 4'(Window);
        end
    end

    // What is dispatched is what was written last.
    for (genvar d = 0; d < NumDisp; d = d + 1) begin : g_f_disp
        logic [ValueBits-1:0] entry;
        logic                 reads;
        always_comb begin
            entry = '0;
            reads = 1'b0;
            for (int o = 0; o < NumOps; o = o + 1)
                if (f_o == 2'(o)) begin
                    entry = disp_entry_o[(d*NumOps + o)*ValueBits +: ValueBits];
                    reads = disp_need_o[d*NumOps + o];
                end
        end
        always_comb if (f_past && disp_offer_o[d] && disp_slot_o[d*SlotBits +: SlotBits] == f_s) begin
            assert ((busy_q & (Window'(1) << f_s)) != '0);
            if (f_wants) begin
                assert (reads);
                if (!f_undef) assert (((f_row >> entry & Values'(1)) != '0) == f_val);
            end
        end
    end
    always_comb if (f_past) begin
        // the instruction reads that register's entry
        if ((busy_q & (Window'(1) << f_s)) != '0 && f_wants) assert (f_slot_reads);
        // one entry of a register; it, or else the register file, has the last value
        assert ((f_is & (f_is - 1'b1)) == '0);
        if (!f_undef) begin
            if (f_has != '0) assert (((f_row & f_is) != '0) == f_val);
            if (f_has == '0 || !f_dirty) assert (f_rf == f_val);
            if (coming_q && (f_is >> from_q & Values'(1)) != '0) assert (f_rd == f_val);
        end
        // a dead entry may go: its value is marked so, or in the register file (dead in other lanes)
        if (!f_undef && (f_is & dirty_q & dead_q & ~save_q) != '0) assert (f_mark || f_rf == f_val);
        // the window
        assert ((f_win & (f_win - 1'b1)) == '0);
        if (f_win != '0) assert (f_win == f_slot);
        if (f_await != '0) assert (f_await == f_slot && f_out);
        assert ((f_await & (f_await - 1'b1)) == '0);
        assert (f_since <= 4'(Window));
        // dirty, to be saved, to be read
        assert ((save_q & ~dirty_q) == '0 && (dirty_q & ~held) == '0);
        assert ((pending & dirty_q) == '0 && (pending & ~needed) == '0);
        assert ((needed & ~inwin) == '0);
        assert (!(coming_q && (ask_q >> from_q & Values'(1)) != '0));
        if (coming_q) assert (from_q < Values);
        assert (ptr_q < Values && head_q < Window);
        assert (rd_valid_o == (ask_q != '0));
    end
    // every entry is in one row of the window at most, and no two hold the same register
    for (genvar e = 0; e < Values; e = e + 1) begin : g_f_entry
        logic [Window-1:0] rows;
        for (genvar s = 0; s < Window; s = s + 1) begin : g_row
            assign rows[s] = win_q[s*Values + e];
        end
        always_comb if (f_past) assert ((rows & (rows - 1'b1)) == '0);
        always_comb if (f_past && held[e]) assert (!age_q[e*Values + e]);
        for (genvar x = 0; x < Values; x = x + 1) begin : g_other
            always_comb if (f_past && x != e && held[x] && held[e])
                assert (loc_q[x*Loc +: Loc] != loc_q[e*Loc +: Loc]);
            // order of allocation: strict, total, of the held ones
            always_comb if (f_past && held[e] && held[x])
                assert ((age_q[e*Values + x] != age_q[x*Values + e]) == (x != e));
            always_comb if (f_past && held[e] && !held[x]) assert (!age_q[e*Values + x]);
            for (genvar y = 0; y < Values; y = y + 1) begin : g_third
                always_comb if (f_past && held[e] && held[x] && held[y] &&
                                age_q[e*Values + x] && age_q[x*Values + y])
                    assert (age_q[e*Values + y]);
            end
        end
    end
    // A slot that must follow another does so as long as that one waits, and not in a circle.
    for (genvar s = 0; s < Window; s = s + 1) begin : g_f_slot
        for (genvar o = 0; o < NumOps; o = o + 1) begin : g_src
            always_comb if (f_past && busy_q[s] && need_q[s*NumOps + o])
                assert (src_q[(s*NumOps + o)*ValueBits +: ValueBits] < Values);
        end
        for (genvar x = 0; x < Window; x = x + 1) begin : g_await
            always_comb if (f_past && x != s && awaits_q[s] && awaits_q[x])
                assert (dst_q[s*Loc +: Loc] != dst_q[x*Loc +: Loc]);
            // what a waiting instruction needs was not last named by an older one
            always_comb if (f_past && f_pos[x*3 +: 3] < f_pos[s*3 +: 3])
                assert ((uses[s*Values +: Values] & win_q[x*Values +: Values]) == '0);
        end
        always_comb if (f_past) begin
            if (busy_q[s]) assert ((follow_q[s*Window +: Window] & ~busy_q) == '0);
            assert (!(busy_q[s] && follow_q[s*Window + s]));
            // whoever is going to write f_r follows all who still have to read it
            if (busy_q[s] && f_await[s])
                assert ((f_user & ~(Window'(1) << s) & ~follow_q[s*Window +: Window]) == '0);
        end
    end

    // FIFO: of two entries that can be taken the one allocated first is taken first.
    logic [Values-1:0] f_was_held, f_was_can, f_was_ask, f_was_put, f_taken, f_named, f_one_x, f_one_y;
    logic              f_entered, f_x_before, f_new_x, f_new_y;
    assign f_one_x = Values'(1) << f_x;
    assign f_one_y = Values'(1) << f_y;
    assign f_taken = ask_q & ~f_was_ask;                // by an instruction in the cycle before
    assign f_new_x = ((f_taken | f_was_put) & f_one_x) != '0;
    assign f_new_y = ((f_taken | f_was_put) & f_one_y) != '0;
    always_ff @(posedge clk_i) begin
        f_was_held <= held;
        f_was_can  <= rst_ni && !drop_i && !flush_i ? take : '0;
        f_was_ask  <= ask_q;
        f_was_put  <= rst_ni && res_new ? res_one : '0;
        f_entered  <= rst_ni && f_enter;
        f_x_before <= f_x_first;
    end
    logic f_age_xy;
    always_comb begin
        f_age_xy = 1'b0;
        for (int y = 0; y < Values; y = y + 1)
            if (f_one_y[y]) f_age_xy = (age_q[y*Values +: Values] & f_one_x) != '0;
        f_named = '0;                                   // entries of registers that it named
        for (int s = 0; s < Window; s = s + 1)
            if (SlotBits'((s + 1) % Window) == head_q) f_named = win_q[s*Values +: Values];
        // f_x was allocated before f_y: as allocations show; two operands of one instruction in any order
        f_x_first = f_x_before;
        if (f_new_x && f_new_y)
            f_x_first = (f_was_put & f_one_x) != '0 || ((f_was_put & f_one_y) == '0 && f_age_xy);
        else if (f_new_x) f_x_first = 1'b0;
        else if (f_new_y) f_x_first = 1'b1;
    end
    always_comb if (f_past && (held & f_one_x) != '0 && (held & f_one_y) != '0)
        assert (f_age_xy == f_x_first);
    always_comb if (f_past && f_entered && (f_taken & f_one_x) != '0 && (f_was_held & f_one_x) != '0) begin
        // f_x was evicted: what was free is taken now, too, and f_y was not older
        assert ((f_was_can & ~f_was_held & ~f_taken) == '0);
        if ((f_was_can & f_one_y & ~f_named) != '0) assert (f_x_before);
    end
    // a result is not stored where data arrives
    always_comb if (f_past && coming_q && res_kept) assert ((res_one >> from_q & Values'(1)) == '0);
    always_comb if (f_past && res_take) begin
        assert ((res_one & can) != '0 && (res_one & (res_one - 1'b1)) == '0);
        if (res_one == f_one_x && (held & f_one_x) != '0 && (can & f_one_y) != '0)
            assert ((held & f_one_y) != '0 && f_x_first);
    end

    // Each cover names its cycle, so that the solver does not search the others.
    logic [2:0] f_time;
    initial f_time = 3'd0;
    always_ff @(posedge clk_i) if (f_time != 3'd7) f_time <= f_time + 3'd1;
    // forwarded from a result the register file has not seen, while that waits to be saved
    always_comb cover (f_time == 3'd3 && disp_offer_o[0] && disp_slot_o[SlotBits-1:0] == f_s && f_wants &&
                       !f_undef && f_val && f_dirty && !f_rf && (f_is & save_q) != '0);
    // at the smaller shape
    if (NumOps == 1) begin : g_f_cover
        // FIFO eviction; a late result that finds its register waiting to be saved
        always_comb begin
            cover (f_time == 3'd4 && f_entered && (f_taken & f_was_held & f_one_x) != '0);
            cover (f_time == 3'd3 && f_stored && res_merge && !res_awaited && !f_undef);
        end
    end
`endif
endmodule
