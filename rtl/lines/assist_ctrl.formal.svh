// SPDX-License-Identifier: Apache-2.0
// The contract of assist_ctrl, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any entry. It is busy from its trigger to its end and deploys the instructions
    // of its routine in order. A kill or an end stops it at once. No entry of high priority waits
    // for one of low. An entry of the second class is served within NumWarps deployments of its
    // class. Ghost: an entry, chosen once.
    (* anyconst *) logic [WarpBits-1:0] f_warp;
    (* anyconst *) logic                f_high;
    logic        f_past, f_busy, f_killed, f_pinned;
    logic [7:0]  f_next, f_end, f_inst;
    logic [4:0]  f_sr;
    logic [31:0] f_mask;
    logic        f_trig, f_done, f_kill, f_issued, f_store, f_jump, f_pin, f_ok, f_ok2, f_dep, f_two;
    logic [7:0]  f_target;
    logic [6:0]  f_at;
    assign f_at   = {f_high, 6'(f_warp)};
    assign f_trig = trig_valid_i[f_high] && trig_warp_i[f_high*WarpBits +: WarpBits] == f_warp;
    assign f_done = done_i[f_at];
    assign f_kill = kill_i[f_at];
    assign f_ok   = ok_i[f_at];
    assign f_ok2  = ok2_i[f_at];
    always @* begin
        f_issued = 1'b0; f_store = 1'b0; f_jump = 1'b0; f_target = '0;
        for (int r = 0; r < NumIssue; r = r + 1)
            if (iss_valid_i[r] && iss_high_i[r] == f_high && iss_warp_i[r*WarpBits +: WarpBits] == f_warp) begin
                assume (!f_issued);  // at one port only
                f_issued = 1'b1;
                f_store  = iss_store_i[r];
                f_jump   = iss_jump_i[r];
                f_target = iss_target_i[r*8 +: 8];
            end
    end
    assign f_pin  = f_pinned || (f_issued && (f_high || f_store));
    assign f_inst = f_jump ? f_target : f_next;
    assign f_dep  = dep_valid_o && dep_high_o == f_high && dep_warp_o == f_warp;
    assign f_two  = f_dep && f_ok2 && f_inst + 8'd1 != f_end;
    initial {f_past, f_busy} = '0;
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!rst_ni) f_busy <= 1'b0;
        else if (f_trig) begin
            f_busy   <= 1'b1;
            f_killed <= 1'b0;
            f_pinned <= 1'b0;
            f_next   <= '0;
            f_end    <= trig_end_i[f_high*8 +: 8];
            f_sr     <= trig_sr_i[f_high*5 +: 5];
            f_mask   <= trig_mask_i[f_high*32 +: 32];
        end else begin
            f_busy   <= f_busy && !f_done;
            f_killed <= f_killed || (f_kill && !f_pin);
            f_pinned <= f_pin;
            f_next   <= f_inst + 8'(f_dep) + 8'(f_two);
        end
    end
    always @* begin
        if (!f_past) assume (!rst_ni);
        assume (32'(f_warp) < NumWarps);
        if (f_trig) assume (!f_busy && trig_end_i[f_high*8 +: 8] != 8'd0);
        if (f_issued) assume (f_busy && !f_killed && (!f_jump || f_target <= f_end));
        if (!Now && f_ok) assume (!f_jump && !f_kill && !f_done);
        for (int p = 0; p < 2; p = p + 1) assume (32'(trig_warp_i[p*WarpBits +: WarpBits]) < NumWarps);
        for (int r = 0; r < NumIssue; r = r + 1) assume (32'(iss_warp_i[r*WarpBits +: WarpBits]) < NumWarps);
        assume (obs_addr_i == 32'hffff_0000);
    end
    // how often another entry of the second class was served while this one could have been
    logic [6:0] f_waits, f_ahead;
    logic       f_could;
    assign f_could = f_busy && !f_high && !f_pin && !f_killed && !f_kill && !f_done && f_inst != f_end && f_ok && low_room_i;
    assign f_ahead = 32'(f_warp) >= 32'(second_q) ? 7'(f_warp) - 7'(second_q) : 7'(NumWarps) + 7'(f_warp) - 7'(second_q);
    initial f_waits = '0;
    always_ff @(posedge clk_i)
        if (!rst_ni || !f_could || f_dep) f_waits <= '0;
        else if (dep_valid_o && !take_one) f_waits <= f_waits + 7'd1;
    always @* begin
        if (f_past && rst_ni) begin
            assert (32'(first_q) < NumWarps && 32'(second_q) < NumWarps);
            assert (busy_o[f_at] == f_busy);
            if (f_high) assert (hold_o[6'(f_warp)] == f_busy);
            if (f_busy) begin
                assert (f_next <= f_end);
                assert (over_o[f_at] == (f_killed || f_next == f_end));
                assert (killed_q[f_high*NumWarps + 32'(f_warp)] == f_killed);
                assert (pinned_q[f_high*NumWarps + 32'(f_warp)] == f_pinned);
                assert (left_q[f_high*NumWarps + 32'(f_warp)] == (f_next != f_end));
                assert (inst_q[(f_high*NumWarps + 32'(f_warp))*8 +: 8] == f_next);
                assert (end_q[(f_high*NumWarps + 32'(f_warp))*8 +: 8] == f_end);
                assert (sr_q[(f_high*NumWarps + 32'(f_warp))*5 +: 5] == f_sr);
                assert (mask_q[(f_high*NumWarps + 32'(f_warp))*32 +: 32] == f_mask);
            end
            if (f_dep) begin
                assert (f_busy && !f_killed && !f_done && f_ok && f_inst != f_end && (!f_kill || f_pin));
                assert (dep_two_o == f_two);
                assert (dep_inst_o == f_inst && dep_sr_o == f_sr && dep_mask_o == f_mask);
                if (!f_high && !f_pin) assert (low_room_i);
            end
            // high priority behind nothing of low that has not stored
            if (f_busy && f_high && !f_killed && !f_done && f_ok && f_inst != f_end && (!f_kill || f_pin))
                assert (dep_valid_o && (dep_high_o || urgent[32'(dep_warp_o)]));
            if (f_could) assert (dep_valid_o);
            assert (8'(f_waits) + 8'(f_ahead) < 8'(NumWarps) || f_waits == 7'd0);
            cover (f_dep && f_high);
            cover (f_could && f_waits != 7'd0);
            cover (f_dep && f_pin && !f_high && f_jump == Now);
        end
    end
