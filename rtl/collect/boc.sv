// SPDX-License-Identifier: Apache-2.0
// Purpose:    control of one bypassing operand collector (BOC): the window of one warp's last
//             instructions, the registers it holds, forwarding, what is written back and when.
//             Contract: models/bypass_collector.h; this is a BOC of it without the rows, which are
//             in boc_rows, and without the choice among BOCs, which is in bypass_collector.
// Parameters: NumOps, 1..3: operands per instruction; NumDisp, 1..8: execution units; Window, 2..7:
//             instructions of the window; Values, NumOps+1..28: registers held (4 per instruction of
//             the window, or half of that); BankBits, 1..5, and EntryBits, 1..10: bits of a
//             register's place {bank, entry} in the register file.
// Timing:     outputs depend on state alone, but room_o and res_*_o also on the result inputs of the
//             cycle (not on res_done_i). Everything else is taken at the clock edge. The chain of
//             NumOps + 1 picks (free, else oldest) of what room_o counts is the longest path; it
//             starts at registers.
// Reset:      no instruction waits, all entries free, head and read pointer 0.
// Left out:   entries that hold some lanes only; early wake-up by a result of the same cycle.
// Shapes:     - ; NumOps=1,NumDisp=1,Window=2,Values=4,BankBits=1,EntryBits=1
// Shapes:     NumOps=2,NumDisp=8,Window=7,Values=28,BankBits=5,EntryBits=10
// Proof:      2:11:NumOps=1,NumDisp=1,Window=2,Values=2,BankBits=1,EntryBits=1
// Proof:      2:11:NumOps=2,NumDisp=1,Window=2,Values=3,BankBits=1,EntryBits=1
`ifdef SIM
`define RF_OBS
`endif
`ifdef FORMAL
`define RF_OBS
`endif

module boc #(
    parameter int NumOps    = 3,
    parameter int NumDisp   = 4,
    parameter int Window    = 3,
    parameter int Values    = 12,
    parameter int BankBits  = 5,
    parameter int EntryBits = 6,
    localparam int Loc       = BankBits + EntryBits,
    localparam int UnitBits  = NumDisp > 1 ? $clog2(NumDisp) : 1,
    localparam int SlotBits  = $clog2(Window),
    localparam int ValueBits = $clog2(Values)
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,
    // an instruction enters: it does when there is a slot and room
    input  logic                                in_valid_i,
    input  logic                                in_pass_i,
    input  logic [UnitBits-1:0]                 in_unit_i,
    input  logic [NumOps-1:0]                   in_need_i,
    input  logic [NumOps*Loc-1:0]               in_loc_i,
    input  logic                                in_dst_i,
    input  logic [Loc-1:0]                      in_dst_loc_i,
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
    // 200  what the window passes is saved even when it is clean: wr_valid_o, the cycle after
    // 201  a save clears dirty without having been taken: wr_valid_o, a save that is refused
    // 202  a partial result over a dirty entry is written to the register file, too: wr_res_o
    // 203  a dead value is saved when the window passes it: wr_valid_o, the cycle after
    // 204  an instruction does not follow an older one that reads what it writes: disp_valid_o
    // 205  the newest clean entry is taken instead of the oldest: rd_valid_o, when that one is named
    // 206  a result whose instruction has left the window is kept: wr_res_o, such a result
    // 207  flush leaves dead values dead: wr_valid_o, a flush with a dead value in the window
    // 208  the read pointer stays on an entry that was refused: rd_bank_o / rd_entry_o
    // 209  an operand named twice takes two entries: rd_valid_o, such an instruction
    // 210  drop leaves results awaited: wr_res_o, a result that comes after a drop
    // 211  what overwrites a value that waits to be saved is saved at once: wr_valid_o, the cycle after
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
    logic [SlotBits-1:0]                head_q, head_d;
    logic [Window-1:0]                  busy_q, busy_d;       // waiting
    logic [Window-1:0]                  awaits_q, awaits_d;
    logic [Window*UnitBits-1:0]         unit_q, unit_d;
    logic [Window*NumOps-1:0]           need_q, need_d;
    logic [Window*NumOps*ValueBits-1:0] src_q, src_d;         // entry of each operand
    logic [Window*Window-1:0]           follow_q, follow_d;   // row s: slots that s must follow
    logic [Window*Loc-1:0]              dst_q, dst_d;
    // Entries, one bit or field each.
    logic [Window*Values-1:0]           win_q, win_d;         // row s: last named by slot s
    logic [Values-1:0]                  ask_q, ask_d;
    logic [Values-1:0]                  dirty_q, dirty_d;     // 0 while free
    logic [Values-1:0]                  dead_q, dead_d;
    logic [Values-1:0]                  save_q, save_d;
    logic [Values*Loc-1:0]              loc_q, loc_d;
    logic [Values*Values-1:0]           age_q, age_d;         // row e: held entries allocated before e
    // Reads.
    logic [ValueBits-1:0]               ptr_q, ptr_d;
    logic                               coming_q, coming_d;
    logic [ValueBits-1:0]               from_q, from_d;       // the entry granted, 0 when none

    function automatic [Values-1:0] lowest(input [Values-1:0] set);
        lowest = set & (~set + Values'(1));
    endfunction
    function automatic [ValueBits-1:0] index(input [Values-1:0] one);
        integer e;
        begin
            index = '0;
            for (e = 0; e < Values; e = e + 1) if (one[e]) index = index | ValueBits'(e);
        end
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

    // ---- Enter
    logic [Values-1:0] take;                           // can be taken by an instruction
    logic [2:0]        room, wants;
    logic              enter;
    assign take = can & ~res_one;
    always @* begin
        room = '0;
        for (int e = 0; e < Values; e = e + 1)
            if (take[e] && room < 3'(NumOps)) room = room + 3'd1;
        wants = '0;
        for (int o = 0; o < NumOps; o = o + 1) wants = wants + 3'(in_need_i[o] && !in_pass_i);
    end
    assign room_o  = room[1:0];
    assign ready_o = (busy_q & (Window'(1) << head_q)) == '0;
    assign slot_o  = head_q;
    assign enter   = in_valid_i && ready_o && wants <= room;

    // ---- Next state: the steps of the contract, one after the other
    logic [Values-1:0]        saved, named, fresh, hit, pick, except, passed, stay, held_d;
    logic [Values-1:0]        kept;                    // what is held when the instruction enters
    logic [NumOps*Values-1:0] operand;                 // entry of each operand, one-hot
    logic                     res_new, ask_last;
    assign res_new  = res_done_i && res_take;
    assign ask_last = ask_one[Values-1];
    always @* begin
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
        fresh    = '0;
        named    = '0;
        hit      = '0;
        pick     = '0;
        except   = '0;
        passed   = '0;
        kept     = '0;
        // reads
        ask_d    = rd_grant_i ? ask_q & ~ask_one : ask_q;
        coming_d = rd_valid_o && rd_grant_i;
        from_d   = index(ask_one);
        ptr_d    = ptr_q;
        if (rd_valid_o && (rd_grant_i || testbug != 208))
            ptr_d = ask_last ? '0 : index(ask_one) + ValueBits'(1);
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
        // flush
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
        // enter
        if (enter) begin
            // what the window has passed
            for (int s = 0; s < Window; s = s + 1)
                if (head_q == SlotBits'(s)) begin
                    passed = win_d[s*Values +: Values];
                    win_d[s*Values +: Values] = '0;
                end
            save_d = save_d | (passed & dirty_d & (testbug == 203 ? {Values{1'b1}} : ~dead_d)) |
                     (testbug == 200 ? passed : '0);
            kept = save_d;
            for (int s = 0; s < Window; s = s + 1) kept = kept | win_d[s*Values +: Values];
            if (!in_pass_i) begin
                for (int o = 0; o < NumOps; o = o + 1) begin
                    if (in_need_i[o])
                        for (int e = 0; e < Values; e = e + 1)
                            if (kept[e] && loc_d[e*Loc +: Loc] == in_loc_i[o*Loc +: Loc])
                                operand[o*Values + e] = 1'b1;
                    except = except | operand[o*Values +: Values];
                end
                except = except | ~take;
                for (int o = 0; o < NumOps; o = o + 1) begin
                    for (int x = 0; x < o; x = x + 1)
                        if (in_need_i[o] && in_need_i[x] && testbug != 209 &&
                            in_loc_i[o*Loc +: Loc] == in_loc_i[x*Loc +: Loc])
                            operand[o*Values +: Values] = operand[x*Values +: Values];
                    if (in_need_i[o] && operand[o*Values +: Values] == '0) begin
                        pick = lowest(~held & ~except);
                        if (pick == '0) pick = oldest(~except, age_q, testbug == 205);
                        operand[o*Values +: Values] = pick;
                        fresh  = fresh | pick;
                        except = except | pick;
                        for (int e = 0; e < Values; e = e + 1)
                            if (pick[e]) loc_d[e*Loc +: Loc] = in_loc_i[o*Loc +: Loc];
                    end
                    named = named | operand[o*Values +: Values];
                end
            end
            // its destination, and who has to read that before
            if (in_dst_i)
                for (int e = 0; e < Values; e = e + 1)
                    hit[e] = kept[e] && loc_d[e*Loc +: Loc] == in_dst_loc_i;
            named = named | hit;
            // its slot
            for (int s = 0; s < Window; s = s + 1) begin
                win_d[s*Values +: Values] = win_d[s*Values +: Values] & ~named;
                if (head_q == SlotBits'(s)) begin
                    win_d[s*Values +: Values]      = named;
                    busy_d[s]                      = !in_pass_i;
                    awaits_d[s]                    = in_dst_i;
                    dst_d[s*Loc +: Loc]            = in_dst_loc_i;
                    unit_d[s*UnitBits +: UnitBits] = in_unit_i;
                    need_d[s*NumOps +: NumOps]     = in_need_i;
                    for (int o = 0; o < NumOps; o = o + 1)
                        src_d[(s*NumOps + o)*ValueBits +: ValueBits] =
                            index(operand[o*Values +: Values]);
                    for (int x = 0; x < Window; x = x + 1)
                        follow_d[s*Window + x] =
                            x != s && busy_d[x] && (uses[x*Values +: Values] & hit) != '0;
                end
            end
            ask_d  = ask_d | fresh;
            head_d = head_q == SlotBits'(Window - 1) ? '0 : head_q + SlotBits'(1);
        end
        // what is held then, in order of allocation: the result's entry before the instruction's
        held_d = save_d;
        for (int s = 0; s < Window; s = s + 1) held_d = held_d | win_d[s*Values +: Values];
        dirty_d = dirty_d & held_d;
        stay    = held & held_d & ~fresh & ~(res_new ? res_one : '0);
        if (held != held_d || fresh != '0 || res_new) begin
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
    end

    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            head_q   <= '0;
            busy_q   <= '0;
            awaits_q <= '0;
            follow_q <= '0;
            win_q    <= '0;
            ask_q    <= '0;
            dirty_q  <= '0;
            save_q   <= '0;
            ptr_q    <= '0;
            coming_q <= 1'b0;
        end else begin
            head_q   <= head_d;
            busy_q   <= busy_d;
            awaits_q <= awaits_d;
            follow_q <= follow_d;
            win_q    <= win_d;
            ask_q    <= ask_d;
            dirty_q  <= dirty_d;
            save_q   <= save_d;
            ptr_q    <= ptr_d;
            coming_q <= coming_d;
        end
        // looked at only where one of the above says that they hold something
        unit_q <= unit_d;
        need_q <= need_d;
        src_q  <= src_d;
        dst_q  <= dst_d;
        dead_q <= dead_d;
        loc_q  <= loc_d;
        age_q  <= age_d;
        from_q <= from_d;
`ifdef TESTBUG
        if (fault_op_i != 2'd0) begin
            head_q   <= `RF_FAULT((rst_ni ? head_d : '0), m_head);
            busy_q   <= `RF_FAULT((rst_ni ? busy_d : '0), m_busy);
            awaits_q <= `RF_FAULT((rst_ni ? awaits_d : '0), m_awaits);
            follow_q <= `RF_FAULT((rst_ni ? follow_d : '0), m_follow);
            win_q    <= `RF_FAULT((rst_ni ? win_d : '0), m_win);
            ask_q    <= `RF_FAULT((rst_ni ? ask_d : '0), m_ask);
            dirty_q  <= `RF_FAULT((rst_ni ? dirty_d : '0), m_dirty);
            save_q   <= `RF_FAULT((rst_ni ? save_d : '0), m_save);
            ptr_q    <= `RF_FAULT((rst_ni ? ptr_d : '0), m_ptr);
            coming_q <= `RF_FAULT((rst_ni && coming_d), m_coming);
            unit_q   <= `RF_FAULT(unit_d, m_unit);
            need_q   <= `RF_FAULT(need_d, m_need);
            src_q    <= `RF_FAULT(src_d, m_src);
            dst_q    <= `RF_FAULT(dst_d, m_dst);
            dead_q   <= `RF_FAULT(dead_d, m_dead);
            loc_q    <= `RF_FAULT(loc_d, m_loc);
            age_q    <= `RF_FAULT(age_d, m_age);
            from_q   <= `RF_FAULT(from_d, m_from);
        end
`endif
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
        if (NumDisp < 1 || NumDisp > 8) $fatal(1, "boc: NumDisp = %0d, legal is 1..8", NumDisp);
        if (Window < 2 || Window > 7) $fatal(1, "boc: Window = %0d, legal is 2..7", Window);
        if (Values <= NumOps || Values > 28)
            $fatal(1, "boc: Values = %0d, legal is %0d..28", Values, NumOps + 1);
        if (BankBits < 1 || BankBits > 5) $fatal(1, "boc: BankBits = %0d, legal is 1..5", BankBits);
        if (EntryBits < 1 || EntryBits > 10)
            $fatal(1, "boc: EntryBits = %0d, legal is 1..10", EntryBits);
    end
`endif
endmodule
