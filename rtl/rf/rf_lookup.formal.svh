// SPDX-License-Identifier: Apache-2.0
// The contract of rf_lookup, proved by ci/formal, which includes it at the end of the module.
    // Contract: an instruction's sources are looked up until each was once. Then, and not earlier,
    // its places may go to the coalescer and it may move, with the answers as they arrived. No
    // instruction is lost, or taken earlier. Its destinations are looked up one after the other,
    // those of an earlier instruction first. Those left when it moves go to the late register,
    // which is empty then.
    logic f_past;
    initial f_past = 1'b0;
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
    end
    logic                        f_takes, f_open;   // an instruction enters; is in the entry
    logic [NumOps-1:0]           need, left, due;   // its operands; not looked up; answered now
    logic [WarpBits-1:0]         warp;
    logic [UnitBits-1:0]         unit;
    logic [NumOps*RegBits-1:0]   regs;
    logic [NumOps*PlaceBits-1:0] places;
    // destinations: of the instruction in the entry, of the one that moved last; the one answered
    // now
    logic [2:0]                  dst_n, dst_served, dst_known, late_n, late_served;
    logic [MaxDst*RegBits-1:0]   dst_regs, late_regs;
    logic [WarpBits-1:0]         late_warp;
    logic                        dst_due, due_late, late, of_entry;
    logic [1:0]                  due_index;
    assign of_entry  = f_open && dst_served != dst_n && !late;
    assign dst_known = of_entry && dst_ready_i ? dst_served + 3'd1 : dst_served;
    assign f_takes   = is_valid_i && is_ready_o;
    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            f_open  <= 1'b0;
            left    <= '0;
            due     <= '0;
            dst_due <= 1'b0;
            late    <= 1'b0;
        end else begin
            due_late  <= late || (of_entry && moves_i);
            due_index <= 2'(late ? late_served : of_entry ? dst_served : 3'd0);
            late      <= late ? !dst_ready_i || late_served + 3'd1 != late_n : moves_i && dst_known != dst_n;
            if (late) late_served <= late_served + 3'(dst_ready_i);
            else begin
                late_n      <= dst_n;
                late_served <= dst_known;
                late_regs   <= dst_regs;
                late_warp   <= warp;
            end
            due     <= src_valid_o & src_ready_i;
            dst_due <= dst_valid_o && dst_ready_i;
            f_open  <= f_takes || (f_open && !moves_i);
            if (f_takes) begin
                left       <= is_need_i & ~src_ready_i;
                need       <= is_need_i;
                warp       <= is_warp_i;
                unit       <= is_unit_i;
                regs       <= is_reg_i;
                dst_n      <= is_dst_n_i;
                dst_regs   <= is_dst_reg_i;
                dst_served <= 3'(dst_ready_i && !late && !of_entry);
            end else begin
                left       <= left & ~src_ready_i;
                dst_served <= dst_known;
            end
        end
    end
    // the table: ready when asked, then it answers; the collectors: a request may be served
    always_comb begin
        assume (is_dst_n_i <= 3'(MaxDst));
        assume (!(dst_ready_i && !dst_valid_o));
        assume ((src_ready_i & ~src_valid_o) == '0);
        assume (src_answer_i == due);
        assume (!(moves_i && !complete_o));
    end
    always_comb if (f_past) begin
        // An instruction moves when all its places are available. One enters when the entry is
        // empty or its instruction moves.
        assert (complete_o == (f_open && left == '0 && (dst_served == dst_n || !late)));
        assert (is_ready_o == (!f_open || moves_i));
        // requests: all sources at once, then the refused ones
        assert (src_valid_o == (f_takes ? is_need_i : f_open ? left : '0));
        if (src_valid_o != '0)
            assert (src_warp_o == (f_takes ? is_warp_i : warp) && src_reg_o == (f_takes ? is_reg_i : regs));
        // the destinations one after the other, the earliest instruction's first
        assert (dst_late_o == late);
        assert (dst_valid_o == (late || of_entry || (f_takes && is_dst_n_i != 3'd0)));
        if (dst_valid_o)
            assert (dst_reg_o == RegBits'(late     ? late_regs >> late_served * RegBits
                                        : of_entry ? dst_regs >> dst_served * RegBits
                                                   : is_dst_reg_i) &&
                    dst_warp_o == (late ? late_warp : of_entry ? warp : is_warp_i));
        if (dst_due) assert (shown_late_o == due_late && shown_index_o == due_index);
        if (dst_due && !due_late) assert (f_open && 3'(due_index) < dst_served);
        // to the collector
        assert (co_valid_o == (complete_o ? need : '0));
        if (complete_o) assert (unit_o == unit && need_o == need);
    end
    for (genvar o = 0; o < NumOps; o = o + 1) begin : g_f_op
        logic [PlaceBits-1:0] answer, given;
        assign answer = {src_mask_i[o*4 +: 4], src_bank_i[o*BankBits +: BankBits], src_entry_i[o*EntryBits +: EntryBits]};
        assign given  = {co_mask_o[o*4 +: 4], co_bank_o[o*BankBits +: BankBits], co_entry_o[o*EntryBits +: EntryBits]};
        always_ff @(posedge clk_i) if (due[o]) places[o*PlaceBits +: PlaceBits] <= answer;
        always_comb if (f_past) begin
            // the places that the table gave, with their registers
            if (complete_o && need[o])
                assert (given == (due[o] ? answer : places[o*PlaceBits +: PlaceBits]) &&
                        co_reg_o[o*6 +: 6] == 6'(regs[o*RegBits +: RegBits]));
            if (f_open && need[o] && !left[o] && !due[o])
                assert (places[o*PlaceBits +: PlaceBits] == place_q[o*PlaceBits +: PlaceBits]);
        end
    end
    // Invariants
    always_comb if (f_past) begin
        assert (f_open == busy_q && !((due != '0 || (dst_due && !due_late)) && !f_open));
        assert (late == late_q);
        if (late)
            assert (late_served == late_served_q && late_n == late_n_q && late_regs == late_dst_q &&
                    late_warp == late_warp_q && late_served < late_n && late_n <= 3'(MaxDst));
        if (dst_due) assert (due_late == shown_late_q && due_index == shown_index_q);
        if (f_open) begin
            assert (left == again_q && (left & due) == '0 && (left & ~need) == '0);
            assert (need == need_q && warp == warp_q && unit == unit_q && regs == reg_q);
            assert ((known_q & need) == (need & ~left & ~due) && (due & ~need) == '0);
            assert (dst_n == dst_n_q && dst_regs == dst_q);
            assert (dst_served == served_q && dst_served <= dst_n && dst_n <= 3'(MaxDst));
        end
    end
    always_comb begin
        if (NumOps > 1) cover (f_past && left != '0 && due != '0);
        cover (f_past && moves_i && is_valid_i && due != '0 && dst_due);
        cover (f_past && dst_due && due_late && due_index == 2'd2 && dst_valid_o);
    end
