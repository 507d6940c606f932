// SPDX-License-Identifier: Apache-2.0
// Purpose:    one bypassing operand collector (BOC): the window of one warp's last instructions and
//             the rows with the registers that they named. Part of bypass_collector; contract:
//             models/collect/bypass_collector.h. Parts: offers (boc_offer), a result (boc_result),
//             changes of rows (boc_change), an entry (boc_enter), values (boc_rows).
// Parameters: NumOps, 1..3: operands per entry; NumDisp, 1..8: execution units; Window, 2..7: slots;
//             Values, NumOps..28: rows (4 per slot, or half of that).
// Timing:     outputs depend on registers; res_rf_o also on the result, hit_o on the entry. All
//             else takes effect at the clock edge.
// Reset:      nothing waits, all rows are free, pointers 0.
// Left out:   routing to BOCs and the choice among them (bypass_collector).
// Shapes:     - ; NumOps=1,NumDisp=1,Window=2,Values=4 ; NumOps=2,NumDisp=8,Window=7,Values=28 ; Values=6
// Proof:      sat:6:NumOps=1,NumDisp=1,Window=2,Values=4
// Proof:      sat:6:NumOps=1,NumDisp=2,Window=2,Values=2
// Cut:        u_row*

`include "macros.svh"

module boc #(
    parameter int NumOps  = 3,
    parameter int NumDisp = 4,
    parameter int Window  = 3,
    parameter int Values  = 12,
    localparam int Lanes     = `NARROW(1, 32),
    localparam int Row       = `NARROW(8, 1024),
    localparam int UnitBits  = NumDisp > 1 ? $clog2(NumDisp) : 1,
    localparam int SlotBits  = $clog2(Window),
    localparam int ValueBits = $clog2(Values)
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic [1:0]             mode_i,
    // the warp has ended; rows are wanted; registers that are dead
    input  logic                   drop_i,
    input  logic                   press_i,
    input  logic                   kill_valid_i,
    input  logic [63:0]            kill_regs_i,
    // an entry
    input  logic                   in_valid_i,
    input  logic                   in_more_i,
    input  logic                   in_pass_i,
    input  logic [UnitBits-1:0]    in_unit_i,
    input  logic [NumOps-1:0]      in_need_i,
    input  logic [NumOps*6-1:0]    in_src_i,
    input  logic [2:0]             in_words_i,
    input  logic [5:0]             in_dst_i,
    input  logic                   in_only_i,
    output logic                   ready_o,
    output logic [SlotBits-1:0]    slot_o,
    output logic [2:0]             room_o,
    output logic [2:0]             more_room_o,
    output logic [NumOps-1:0]      hit_o,
    // one row asks; the value of the one granted in the cycle before
    output logic                   rd_valid_o,
    output logic [5:0]             rd_reg_o,
    input  logic                   rd_grant_i,
    input  logic                   arr_valid_i,
    input  logic [Row-1:0]         arr_data_i,
    // the instruction offered
    output logic                   offer_o,
    output logic [UnitBits-1:0]    disp_unit_o,
    output logic [SlotBits-1:0]    disp_slot_o,
    output logic [NumOps-1:0]      disp_need_o,
    input  logic                   disp_leave_i,
    // a result: bits, lanes (none, all; bits of rows in them), data; res_rf_o: it is to be written now, which takes
    // place where res_ok_i
    input  logic                   res_valid_i,
    input  logic [5:0]             res_reg_i,
    input  logic [1:0]             res_write_i,
    input  logic                   res_homeless_i,
    input  logic                   res_none_i,
    input  logic                   res_all_i,
    input  logic [Lanes-1:0]       res_lane_i,
    input  logic [Row-1:0]         res_data_i,
    output logic                   res_rf_o,
    input  logic                   res_ok_i,
    // the row to be saved: there is one, it is offered
    output logic                   saving_o,
    output logic                   save_o,
    output logic [5:0]             save_reg_o,
    input  logic                   save_done_i,
    // Operands of the offered instruction. If a row is offered for saving, it is the last operand.
    // Operands that are not requested are 0.
    output logic [NumOps*Row-1:0]  data_o,
    // observation while obs_en_i, else 0: 0 slots, 1 rows, 2 row obs_row_i
    `OBS_PORT(input  logic                   obs_en_i)
    `OBS_PORT(input  logic [1:0]             obs_kind_i)
    `OBS_PORT(input  logic [ValueBits-1:0]   obs_row_i)
    `OBS_PORT(output logic [1023:0]          obs_data_o)
    output logic                   empty_o
);

    // Slots
    logic [SlotBits-1:0]                head_q;
    logic [Window-1:0]                  wait_q;
    logic [Window*UnitBits-1:0]         unit_q;
    logic [Window*NumOps-1:0]           need_q;
    logic [Window*NumOps*ValueBits-1:0] src_q;
    logic [Window*Window-1:0]           follow_q;
    logic [Window*4-1:0]                await_q;
    logic [Window*6-1:0]                base_q;
    // Rows, a bit each. Slots and registers in planes: bit i of plane k is bit k of row i's.
    logic [Values-1:0]                  inwin_q, ask_q, dirty_q, only_q, save_q, rsv_q, empty_q;
    logic [SlotBits*Values-1:0]         last_q;       // slot of the last instruction that named the register
    logic [6*Values-1:0]                name_q;
    // The rest
    logic                               coming_q, held_q, pressed_q;
    logic [ValueBits-1:0]               from_q, read_q;
    logic [Values-1:0]                  next_q;       // one-hot
    logic [NumDisp-1:0]                 refused_q;

    localparam int CountBits = $clog2(Values + 1);
    localparam logic [ValueBits-1:0] LastRow = ValueBits'(Values - 1);

    // Rows from `next` on
    logic [Values-1:0] up;
    always @* begin
        up = next_q;
        for (int k = 1; k < Values; k = k * 2) up = up | (up << k);
    end
    // ---- What the rows are
    logic [Values-1:0] used, pending, needed, clean, moves, at_head, rows, more_rows;
    logic [CountBits-1:0] room, more_room;           // their numbers
    assign used    = inwin_q | save_q;
    assign pending = ask_q | (coming_q ? Values'(1) << from_q : '0);
    assign clean   = used & ~(dirty_q | rsv_q | pending | needed);
    assign moves   = inwin_q & at_head & ~(dirty_q & ~only_q);  // free when the window moves
    always @* begin
        at_head   = {Values{1'b1}};
        for (int k = 0; k < SlotBits; k = k + 1)
            at_head = at_head & (head_q[k] ? last_q[k*Values +: Values] : ~last_q[k*Values +: Values]);
    end
    assign more_rows   = ~used | clean;
    assign rows        = more_rows | moves;
    popcount #(.Width(Values)) u_room (
        .set_i(rows), .count_o(room)
    );
    popcount #(.Width(Values)) u_more_room (
        .set_i(more_rows), .count_o(more_room)
    );
    assign room_o      = 6'(room) > 6'd7 ? 3'd7 : 3'(room);
    assign more_room_o = 6'(more_room) > 6'd7 ? 3'd7 : 3'(more_room);
    assign ready_o     = (wait_q >> head_q & Window'(1)) == '0;
    assign slot_o      = head_q;
    assign empty_o     = used == '0 && wait_q == '0;

    // ---- Reads
    logic [Values-1:0]    ask_up, ask_one, granted;
    logic [ValueBits-1:0] ask_row, save_row, kept_row;
    assign ask_up     = ask_q & ({Values{1'b1}} << read_q);
    assign ask_one    = ask_up != '0 ? ask_up & (~ask_up + Values'(1)) : ask_q & (~ask_q + Values'(1));
    assign rd_valid_o = ask_q != '0;
    assign granted    = rd_grant_i ? ask_one : '0;

    // ---- Dispatch and save
    logic [NumOps*ValueBits-1:0] src;
    logic [NumDisp-1:0]          refused;
    logic [Values-1:0]           save_one;
    logic                        held;
    boc_offer #(.NumOps(NumOps), .NumDisp(NumDisp), .Window(Window), .Values(Values)) u_offer (
        .head_i(head_q), .wait_i(wait_q), .unit_i(unit_q), .need_i(need_q), .src_i(src_q), .follow_i(follow_q),
        .pending_i(pending), .dirty_i(dirty_q), .only_i(only_q), .save_i(save_q), .from_i(up),
        .refused_i(refused_q), .held_i(held_q), .pressed_i(pressed_q), .needed_o(needed),
        .offer_o(offer_o), .slot_o(disp_slot_o), .unit_o(disp_unit_o), .need_o(disp_need_o), .src_o(src),
        .refused_o(refused), .saving_o(saving_o), .save_o(save_o), .save_one_o(save_one), .held_o(held)
    );

    // ---- A result
    logic [Window*4-1:0] res_word;
    logic [Window-1:0]   res_slot;
    logic [Values-1:0]   res_row;
    logic                res_take, res_keep, res_merge, res_free, res_unrsv, res_only, res_full, res_done;
    boc_result #(.Window(Window), .Values(Values)) u_result (
        .valid_i(res_valid_i), .mode_i(mode_i), .reg_i(res_reg_i), .write_i(res_write_i),
        .homeless_i(res_homeless_i), .none_i(res_none_i), .all_i(res_all_i), .await_i(await_q), .base_i(base_q),
        .name_i(name_q), .used_i(used), .dirty_i(dirty_q), .empty_i(empty_q), .clean_i(clean), .from_i(up),
        .word_o(res_word), .slot_o(res_slot), .row_o(res_row), .take_o(res_take), .keep_o(res_keep),
        .merge_o(res_merge), .free_o(res_free), .unrsv_o(res_unrsv), .only_o(res_only), .full_o(res_full),
        .rf_o(res_rf_o)
    );
    assign res_done = res_valid_i && (!res_rf_o || res_ok_i);

    // ---- The rows after the save, kills and the result (mid_), and after the window's move (used_in)
    logic [Values-1:0]          saved, kept;
    logic [Values-1:0]          mid_dirty, mid_only, mid_rsv, mid_empty;
    logic [SlotBits*Values-1:0] mid_last;
    logic [6*Values-1:0]        mid_name;
    logic [Values-1:0]          used_in, inwin_in, save_in;
    logic                       moved;
    assign moved = in_valid_i && (!in_more_i);
    assign saved = save_done_i ? save_one : '0;
    assign kept  = res_done && res_keep ? res_row : '0;
    boc_change #(.Window(Window), .Values(Values)) u_change (
        .inwin_i(inwin_q), .dirty_i(dirty_q), .only_i(only_q), .save_i(save_q), .rsv_i(rsv_q), .empty_i(empty_q),
        .last_i(last_q), .name_i(name_q), .used_i(used), .saved_i(saved), .kill_valid_i, .kill_regs_i,
        .res_done_i(res_done), .res_reg_i, .res_row_i(res_row), .res_kept_i(kept), .res_slot_i(res_slot),
        .res_take_i(res_take), .res_merge_i(res_merge), .res_free_i(res_free), .res_unrsv_i(res_unrsv),
        .res_only_i(res_only), .res_dirty_i(res_merge || mode_i != 2'd0), .moved_i(moved), .head_i(head_q),
        .at_head_i(at_head), .dirty_o(mid_dirty), .only_o(mid_only), .rsv_o(mid_rsv),
        .empty_o(mid_empty), .last_o(mid_last), .name_o(mid_name), .inwin_o(inwin_in), .save_o(save_in)
    );
    assign used_in = inwin_in | save_in;

    // ---- An entry
    logic [NumOps*ValueBits-1:0] row;
    logic [Values-1:0]           words, named, ask, rsv, taken, taken_last, gets;
    logic                        takes;
    logic [6*Values-1:0]         new_name;
    logic [SlotBits-1:0]         slot;
    boc_enter #(.NumOps(NumOps), .Values(Values)) u_enter (
        .valid_i(in_valid_i), .pass_i(in_pass_i), .need_i(in_need_i), .src_i(in_src_i),
        .words_i(in_more_i ? 3'd0 : in_words_i), .dst_i(in_dst_i), .only_i(in_only_i && mode_i == 2'd2), .forward_i(mode_i != 2'd3), .used_i(used_in),
        .name_i(name_q), .new_i(res_take ? kept : '0), .new_reg_i(res_reg_i), .empty_i(mid_empty),
        .first_i(~used | (moved ? moves : '0)), .then_i(clean), .from_i(up), .except_i(res_row), .hit_o(hit_o), .row_o(row),
        .words_o(words), .named_o(named), .ask_o(ask), .rsv_o(rsv), .taken_o(taken), .takes_o(takes), .last_o(taken_last),
        .name_o(new_name)
    );
    assign slot = moved ? head_q : head_q == '0 ? SlotBits'(Window - 1) : head_q - SlotBits'(1);
    assign gets = takes ? taken_last : res_done && res_take ? res_row : '0;

    // ---- Numbers of single rows, and their registers
    for (genvar k = 0; k < 6; k = k + 1) begin : g_reg
        assign rd_reg_o[k]   = (name_q[k*Values +: Values] & ask_one) != '0;
        assign save_reg_o[k] = (name_q[k*Values +: Values] & save_one) != '0;
    end
    onehot_index #(.Width(Values)) u_ask_row (
        .one_i(ask_one), .index_o(ask_row)
    );
    onehot_index #(.Width(Values)) u_save_row (
        .one_i(save_one), .index_o(save_row)
    );
    onehot_index #(.Width(Values)) u_kept_row (
        .one_i(kept), .index_o(kept_row)
    );

    // ---- Next state, where anything happens
    logic touched, cleared;
    assign cleared = !rst_ni || drop_i;
    assign touched = cleared || in_valid_i || res_valid_i || save_o || kill_valid_i || rd_valid_o || coming_q
                     ;
    always_ff @(posedge clk_i) if (touched) begin : p_rows
        logic [Values-1:0]          inwin_d, ask_d, dirty_d, only_d, save_d, rsv_d, empty_d, stay;
        logic [SlotBits*Values-1:0] last_d;
        logic [6*Values-1:0]        name_d;
        inwin_d = cleared ? '0 : inwin_in | named;
        save_d  = cleared ? '0 : save_in;
        stay    = cleared ? '0 : used_in & ~taken;    // rows that keep their register
        ask_d   = (ask_q & ~granted & stay) | (cleared ? '0 : ask);
        dirty_d = mid_dirty & stay;
        only_d  = mid_only & stay;
        rsv_d   = (mid_rsv & stay) | (cleared ? '0 : rsv);
        empty_d = ((mid_empty & stay) | (cleared ? '0 : taken)) & ~ask;
        last_d  = mid_last;
        name_d  = mid_name;
        if (in_valid_i) begin
            for (int k = 0; k < SlotBits; k = k + 1)
                last_d[k*Values +: Values] = slot[k] ? mid_last[k*Values +: Values] | named
                                                     : mid_last[k*Values +: Values] & ~named;
            for (int k = 0; k < 6; k = k + 1)
                name_d[k*Values +: Values] = (mid_name[k*Values +: Values] & ~taken) | new_name[k*Values +: Values];
        end
        inwin_q <= inwin_d;
        ask_q   <= ask_d;
        dirty_q <= dirty_d;
        only_q  <= only_d;
        save_q  <= save_d;
        rsv_q   <= rsv_d;
        empty_q <= empty_d;
        last_q  <= last_d;
        name_q  <= name_d;
    end

    logic [Window-1:0] leave;
    assign leave = disp_leave_i ? Window'(1) << disp_slot_o : '0;
    always_ff @(posedge clk_i) if (touched || disp_leave_i) begin : p_waiting
        logic [SlotBits-1:0]      head_d;
        logic [Window-1:0]        wait_d, readers;
        logic [Window*Window-1:0] follow_d;
        logic [Window*4-1:0]      await_d;
        head_d   = head_q;
        wait_d   = wait_q & ~leave;
        follow_d = follow_q & ~{Window{leave}};
        await_d  = res_done ? await_q & ~res_word : await_q;
        readers  = '0;
        if (in_valid_i) begin
            for (int i = 0; i < Window*NumOps; i = i + 1)
                if (wait_d[i / NumOps] && need_q[i] &&
                    (words >> src_q[i*ValueBits +: ValueBits] & Values'(1)) != '0) readers[i / NumOps] = 1'b1;
            for (int s = 0; s < Window; s = s + 1)
                if (slot == SlotBits'(s)) begin
                    wait_d[s]                    = !in_pass_i;
                    follow_d[s*Window +: Window] = readers;
                    if (moved) await_d[s*4 +: 4] = in_pass_i ? 4'd0 : ~(4'b1111 << in_words_i);
                end
            if (moved) head_d = head_q == SlotBits'(Window - 1) ? '0 : head_q + SlotBits'(1);
        end
        if (cleared) begin
            head_d   = '0;
            wait_d   = '0;
            follow_d = '0;
            await_d = '0;
        end
        head_q   <= head_d;
        wait_q   <= wait_d;
        follow_q <= follow_d;
        await_q  <= await_d;
    end
    always_ff @(posedge clk_i) if (in_valid_i
                                  ) begin : p_instruction
        logic [Window*UnitBits-1:0]         unit_d;
        logic [Window*NumOps-1:0]           need_d;
        logic [Window*NumOps*ValueBits-1:0] src_d;
        logic [Window*6-1:0]                base_d;
        unit_d = unit_q;
        need_d = need_q;
        src_d  = src_q;
        base_d = base_q;
        for (int s = 0; s < Window; s = s + 1)
            if (in_valid_i && slot == SlotBits'(s)) begin
                unit_d[s*UnitBits +: UnitBits]                = in_unit_i;
                need_d[s*NumOps +: NumOps]                    = in_need_i;
                src_d[s*NumOps*ValueBits +: NumOps*ValueBits] = row;
                if (moved) base_d[s*6 +: 6] = in_dst_i;
            end
        unit_q <= unit_d;
        need_q <= need_d;
        src_q  <= src_d;
        base_q <= base_d;
    end
    always_ff @(posedge clk_i) if (touched || offer_o || saving_o || held_q || press_i || pressed_q) begin : p_pointers
        logic                 coming_d, held_d, pressed_d;
        logic [ValueBits-1:0] from_d, read_d;
        logic [Values-1:0]    next_d;
        logic [NumDisp-1:0]   refused_d;
        coming_d  = granted != '0;
        from_d    = ask_row;
        read_d    = read_q;
        if (rd_valid_o) read_d = ask_row == LastRow ? '0 : ask_row + ValueBits'(1);
        next_d    = gets == '0 ? next_q : {gets[Values-2:0], gets[Values-1]};
        held_d    = held;
        pressed_d = press_i;
        refused_d = disp_leave_i ? '0 : offer_o ? refused | (NumDisp'(1) << disp_unit_o) : refused_q;
        if (cleared) begin
            coming_d = 1'b0;
            read_d    = '0;
            next_d    = Values'(1);
            held_d    = 1'b0;
            pressed_d = 1'b0;
            refused_d = '0;
        end
        coming_q  <= coming_d;
        from_q    <= from_d;
        read_q    <= read_d;
        next_q    <= next_d;
        held_q    <= held_d;
        pressed_q <= pressed_d;
        refused_q <= refused_d;
    end

    // ---- Values
    logic [NumOps-1:0]           rd_en;
    logic [NumOps*ValueBits-1:0] rd_row;
    always @* begin
        rd_en  = disp_need_o;
        rd_row = src;
        if (save_o) begin
            rd_en[NumOps-1]                              = 1'b1;
            rd_row[(NumOps - 1)*ValueBits +: ValueBits] = save_row;
        end
    end
    `OBS(logic [Row-1:0] obs_value;)
    boc_rows #(.Values(Values), .NumRd(NumOps)) u_rows (
        .clk_i, .arr_valid_i(coming_q && arr_valid_i), .arr_row_i(from_q), .arr_data_i,
        .res_valid_i(kept != '0), .res_row_i(kept_row), .res_lane_i(res_full ? {Lanes{1'b1}} : res_lane_i), .res_data_i,
        `OBS_PORT(.obs_en_i(obs_en_i && obs_kind_i == 2'd2 && ((used & ~pending & ~empty_q) >> obs_row_i & Values'(1)) != '0))
        `OBS_PORT(.obs_row_i)
        `OBS_PORT(.obs_data_o(obs_value))
        .rd_en_i(rd_en), .rd_row_i(rd_row), .rd_data_o(data_o)
    );

    `CHECK_RANGE(boc, NumOps, 1, 3)
    `CHECK_RANGE(boc, NumDisp, 1, 8)
    `CHECK_RANGE(boc, Window, 2, 7)
    `CHECK(Values >= 2 && Values >= NumOps && Values <= 28,
        $sformatf("boc: Values = %0d, legal is 2..28 and at least NumOps", Values))
    `include "collect/boc.obs.svh"
endmodule
