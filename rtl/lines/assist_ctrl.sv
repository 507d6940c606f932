// SPDX-License-Identifier: Apache-2.0
// Purpose:    assist warp table and its controller: which instruction of which warp's routine is deployed next.
//             Contract: models/lines/assist_ctrl.h. Entries are flip-flops; each follows what was issued, killed and
//             done in the cycle, and two rings of warps (first and second class) pick one.
// Parameters: NumWarps, 1..64; NumIssue, 1..4: instructions issued per cycle; Cycles, 1..2: cycles from an issue, a kill or
//             an end to a deployment that follows it.
// Timing:     dep_*_o answer in the same cycle, from state and all inputs but triggers; busy_o, over_o and hold_o are of
//             state alone. At 45 nm 1.78 ns (fermi-caba's clock: 0.71 ns), from a jump's target through both rings to the
//             next instruction; with Cycles 2 1.47 ns, from a ring's pointer to the next instruction.
// Reset:      no entry is busy, pointers 0.
// Left out:   live-in and live-out registers, and the place of the line; the assist warp store itself.
// Shapes:     - ; NumWarps=1,NumIssue=1 ; NumWarps=5,NumIssue=4,Cycles=2
// Proof:      2:7:NumWarps=2,NumIssue=1
// Proof:      sat:7:NumWarps=3,NumIssue=2
// Proof:      2:7:NumWarps=2,NumIssue=1,Cycles=2

module assist_ctrl #(
    parameter int NumWarps = 48,
    parameter int NumIssue = 2,
    parameter int Cycles   = 1,
    localparam int WarpBits = NumWarps > 1 ? $clog2(NumWarps) : 1
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    // a routine begins, at low and at high priority
    input  logic [1:0]                   trig_valid_i,
    input  logic [2*WarpBits-1:0]        trig_warp_i,
    input  logic [9:0]                   trig_sr_i,
    input  logic [15:0]                  trig_end_i,
    input  logic [63:0]                  trig_mask_i,
    // instructions of routines that have issued
    input  logic [NumIssue-1:0]          iss_valid_i,
    input  logic [NumIssue-1:0]          iss_high_i,
    input  logic [NumIssue*WarpBits-1:0] iss_warp_i,
    input  logic [NumIssue-1:0]          iss_store_i,
    input  logic [NumIssue-1:0]          iss_jump_i,
    input  logic [NumIssue*8-1:0]        iss_target_i,
    // sets of entries
    input  logic [127:0]                 kill_i,
    input  logic [127:0]                 done_i,
    input  logic [127:0]                 ok_i,
    input  logic [127:0]                 ok2_i,
    input  logic                         low_room_i,
`ifdef RF_OBS
    // observation: entries, pointers, parameters
    input  logic [31:0]                  obs_addr_i,
    output logic [63:0]                  obs_data_o,
`endif
    // the instruction that is deployed
    output logic                         dep_valid_o,
    output logic                         dep_high_o,
    output logic [WarpBits-1:0]          dep_warp_o,
    output logic [4:0]                   dep_sr_o,
    output logic [7:0]                   dep_inst_o,
    output logic                         dep_two_o,
    output logic [31:0]                  dep_mask_o,
    output logic [127:0]                 busy_o,
    output logic [127:0]                 over_o,
    output logic [63:0]                  hold_o
);

    localparam int Entries = 2 * NumWarps;  // low ones, then high ones

    logic [Entries-1:0]    busy_q, busy_d, killed_q, killed_d, pinned_q, pinned_d;
    logic [Entries-1:0]    left_q, left_d;  // the next instruction is not behind the last: known before it is needed
    logic [Entries*5-1:0]  sr_q, sr_d;
    logic [Entries*8-1:0]  inst_q, inst_d, end_q, end_d;
    logic [Entries*32-1:0] mask_q, mask_d;
    logic [WarpBits-1:0]   first_q, first_d, second_q, second_d;

    // ---- What the cycle's issues, kills and ends make of the entries
    logic [Entries-1:0]    kill, done, ok, ok2, killed, pinned, ready, two_left, over;
    logic [Entries-1:0]    urgent;         // deployed as one of high priority
    logic [Entries*8-1:0]  inst, seen;     // .. behind the cycle's issues; as a deployment sees it
    localparam logic Now = Cycles == 1;    // a deployment sees the cycle's issues, kills and ends
    assign kill = {kill_i[64 +: NumWarps], kill_i[0 +: NumWarps]};
    assign done = {done_i[64 +: NumWarps], done_i[0 +: NumWarps]};
    assign ok   = {ok_i[64 +: NumWarps], ok_i[0 +: NumWarps]};
    assign ok2  = {ok2_i[64 +: NumWarps], ok2_i[0 +: NumWarps]};
    logic unused_sets;  // bits of warps that there are not
    assign unused_sets = ^{kill_i, done_i, ok_i, ok2_i};
    logic [Entries*8-1:0]  after;                    // .. the instruction to deploy next if this entry is selected
    logic [Entries-1:0]    left_after, left_behind;  // .. one is left then; if it is not selected
    for (genvar e = 0; e < Entries; e = e + 1) begin : g_entry
        localparam int Warp = e % NumWarps;
        localparam logic High = e >= NumWarps;
        logic       issued, store, jump, left, at_end;
        logic [7:0] target, last, plus_1, plus_2;
        assign last = end_q[e*8 +: 8];
        always @* begin
            issued = 1'b0;
            store  = 1'b0;
            jump   = 1'b0;
            at_end = 1'b0;
            target = '0;
            for (int r = 0; r < NumIssue; r = r + 1)
                if (iss_valid_i[r] && iss_high_i[r] == High && iss_warp_i[r*WarpBits +: WarpBits] == WarpBits'(Warp)) begin
                    issued = 1'b1;
                    store  = store | iss_store_i[r];
                    jump   = jump | iss_jump_i[r];
                    at_end = at_end | iss_target_i[r*8 +: 8] == last;  // while the warp's number is decoded
                    target = target | (iss_target_i[r*8 +: 8] & {8{iss_jump_i[r]}});
                end
        end
        assign inst[e*8 +: 8] = jump ? target : inst_q[e*8 +: 8];
        assign pinned[e] = pinned_q[e] || (High ? issued : store);
        assign killed[e] = killed_q[e] || (kill[e] && busy_q[e] && (!pinned[e]));
        assign seen[e*8 +: 8] = Now ? inst[e*8 +: 8] : inst_q[e*8 +: 8];
        assign urgent[e] = High || (Now ? pinned[e] : pinned_q[e]);
        assign left_behind[e] = jump ? !at_end : left_q[e];
        assign left      = Now ? left_behind[e] : left_q[e];
        assign ready[e]  = busy_q[e] && !(Now ? killed[e] || done[e] : killed_q[e]) && left && ok[e] &&
                           (urgent[e] || low_room_i);
        assign plus_1    = seen[e*8 +: 8] + 8'd1;
        assign plus_2    = {seen[e*8 + 1 +: 7] + 7'd1, seen[e*8]};
        assign two_left[e] = ok2[e] && (plus_1 != end_q[e*8 +: 8]);
        assign after[e*8 +: 8] = two_left[e] ? plus_2 : plus_1;
        assign left_after[e]   = two_left[e] ? plus_2 != last : plus_1 != last;
        assign over[e]   = busy_q[e] && (killed_q[e] || inst_q[e*8 +: 8] == last);
    end

    // ---- Two rings: from the pointer on the lowest, or else the lowest of all. Both are searched side by side, and
    //      what is selected stays one-hot: numbers are made of it last.
    function automatic [NumWarps-1:0] lowest(input [NumWarps-1:0] set);
        logic [NumWarps-1:0] upto;  // one, or one below it
        upto = set;
        for (int s = 1; s < NumWarps; s = 2 * s) upto = upto | (upto << s);
        lowest = set & ~(upto << 1);
    endfunction
    function automatic [NumWarps-1:0] from(input [NumWarps-1:0] set, input [WarpBits-1:0] pointer);
        logic [NumWarps-1:0] on;
        on   = set & ({NumWarps{1'b1}} << pointer);
        from = on != '0 ? lowest(on) : lowest(set);
    endfunction
    function automatic [WarpBits-1:0] number(input [NumWarps-1:0] one_hot);
        number = '0;
        for (int w = 0; w < NumWarps; w = w + 1)
            if (one_hot[w]) number = number | WarpBits'(w);
    endfunction

    logic [NumWarps-1:0] one, two, one_pick, two_pick, high;
    logic                take_one;
    logic [Entries-1:0]  pick;
    assign high = ready[NumWarps +: NumWarps];
    assign one  = high | (ready[0 +: NumWarps] & urgent[0 +: NumWarps]);
    assign two  = ready[0 +: NumWarps] & ~urgent[0 +: NumWarps];
    assign one_pick = from(one, first_q);
    assign two_pick = from(two, second_q);
    assign take_one = one != '0;
    assign pick = {one_pick & high, (one_pick & ~high) | (two_pick & {NumWarps{!take_one}})};

    assign dep_valid_o = take_one || two != '0;
    assign dep_high_o  = (one_pick & high) != '0;
    assign dep_warp_o  = take_one ? number(one_pick) : number(two_pick);
    assign dep_two_o   = (pick & two_left) != '0;
    always @* begin
        dep_sr_o   = '0;
        dep_inst_o = '0;
        dep_mask_o = '0;
        for (int e = 0; e < Entries; e = e + 1)
            if (pick[e]) begin
                dep_sr_o   = dep_sr_o | sr_q[e*5 +: 5];
                dep_inst_o = dep_inst_o | seen[e*8 +: 8];
                dep_mask_o = dep_mask_o | mask_q[e*32 +: 32];
            end
    end
    always @* begin
        busy_o = '0;
        over_o = '0;
        hold_o = '0;
        busy_o[0 +: NumWarps]  = busy_q[0 +: NumWarps];
        busy_o[64 +: NumWarps] = busy_q[NumWarps +: NumWarps];
        over_o[0 +: NumWarps]  = over[0 +: NumWarps];
        over_o[64 +: NumWarps] = over[NumWarps +: NumWarps];
        hold_o[0 +: NumWarps]  = busy_q[NumWarps +: NumWarps];
    end

    // ---- The next cycle
    logic [Entries-1:0] frees;
    assign frees    = done;
    assign first_d  = take_one ? number((one_pick << 1) | (one_pick >> (NumWarps - 1))) : first_q;
    assign second_d = dep_valid_o && !take_one ? number((two_pick << 1) | (two_pick >> (NumWarps - 1))) : second_q;
    for (genvar e = 0; e < Entries; e = e + 1) begin : g_next
        localparam int P = e / NumWarps;
        logic trig;
        assign trig = trig_valid_i[P] && trig_warp_i[P*WarpBits +: WarpBits] == WarpBits'(e % NumWarps);
        always @* begin
            busy_d[e]          = trig || (busy_q[e] && !frees[e]);
            killed_d[e]        = !trig && killed[e];
            pinned_d[e]        = !trig && pinned[e];
            left_d[e]          = trig || (pick[e] ? left_after[e] : left_behind[e]);
            sr_d[e*5 +: 5]     = trig ? trig_sr_i[P*5 +: 5] : sr_q[e*5 +: 5];
            end_d[e*8 +: 8]    = trig ? trig_end_i[P*8 +: 8] : end_q[e*8 +: 8];
            mask_d[e*32 +: 32] = trig ? trig_mask_i[P*32 +: 32] : mask_q[e*32 +: 32];
            inst_d[e*8 +: 8]   = trig ? 8'd0 : pick[e] ? after[e*8 +: 8] : inst[e*8 +: 8];
        end
    end

    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            busy_q   <= '0;
            first_q  <= '0;
            second_q <= '0;
        end else begin
            busy_q   <= busy_d;
            killed_q <= killed_d;
            pinned_q <= pinned_d;
            left_q   <= left_d;
            sr_q     <= sr_d;
            inst_q   <= inst_d;
            end_q    <= end_d;
            mask_q   <= mask_d;
            first_q  <= first_d;
            second_q <= second_d;
        end
    end

`ifdef RF_OBS
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i == 32'hffff_0000) obs_data_o[31:0] = NumWarps;
        if (obs_addr_i == 32'hffff_0001) obs_data_o[31:0] = NumIssue;
        if (obs_addr_i == 32'hffff_0002) obs_data_o[31:0] = Cycles;
        if (obs_addr_i == Entries) obs_data_o[15:0] = {8'(second_q), 8'(first_q)};
        for (int e = 0; e < Entries; e = e + 1)
            if (obs_addr_i == e && busy_q[e])
                obs_data_o = {mask_q[e*32 +: 32], 4'd0, end_q[e*8 +: 8], inst_q[e*8 +: 8], 3'd0, sr_q[e*5 +: 5], 1'b0,
                              pinned_q[e], killed_q[e], 1'b1};
    end
`endif

`ifdef SIM
    initial
        if (NumWarps < 1 || NumWarps > 64 || NumIssue < 1 || NumIssue > 4 || Cycles < 1 || Cycles > 2)
            $fatal(1, "assist_ctrl: NumWarps is %0d, NumIssue %0d, Cycles %0d, legal are 1..64, 1..4, 1..2", NumWarps, NumIssue,
                   Cycles);
`endif

`ifdef FORMAL
    // Contract, for any entry: it is busy from its trigger to its end and deploys the instructions of its routine in
    // order; a kill or an end stops it at once; no entry of high priority waits for one of low; one of the second class
    // is served within NumWarps deployments of its class. Ghost: an entry, chosen once.
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
`endif
endmodule
