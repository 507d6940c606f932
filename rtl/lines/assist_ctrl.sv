// SPDX-License-Identifier: Apache-2.0
// Purpose:    assist warp table and its controller, which selects the next instruction of a warp's
//             routine to deploy. Contract: models/lines/assist_ctrl.h. Entries are flip-flops; each
//             follows the issues, kills and ends of the cycle. Two rings of warps (first and second
//             class) pick one.
// Parameters: NumWarps, 1..64; NumIssue, 1..4: instructions issued per cycle; Cycles, 1..2: cycles
//             from an issue, a kill or an end to the deployment after it.
// Timing:     dep_*_o answer in the same cycle, from state and all inputs but triggers; busy_o,
//             over_o and hold_o depend on state alone. At 45 nm 1.73 ns (fermi-caba's clock: 0.71
//             ns), from a jump's target through both rings to the next instruction. With Cycles 2:
//             1.49 ns, from a ring's pointer to the next instruction.
// Reset:      no entry is busy, pointers 0.
// Left out:   live-in and live-out registers, and the place of the line; the assist warp store itself.
// Shapes:     - ; NumWarps=1,NumIssue=1 ; NumWarps=5,NumIssue=4,Cycles=2
// Proof:      2:7:NumWarps=2,NumIssue=1
// Proof:      sat:7:NumWarps=3,NumIssue=2
// Proof:      2:7:NumWarps=2,NumIssue=1,Cycles=2

`include "macros.svh"

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
    // observation: entries, pointers, parameters
    `OBS_PORT(input  logic [31:0]                  obs_addr_i)
    `OBS_PORT(output logic [63:0]                  obs_data_o)
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
    // Each port is decoded into sets of entries; a port that has nothing changes none.
    logic [Entries-1:0]    pins, jump, left, at_end;
    logic [Entries*8-1:0]  last;
    assign last = end_q;
    always @* begin
        pins   = '0;
        jump   = '0;
        at_end = '0;
        inst   = inst_q;
        for (int r = 0; r < NumIssue; r = r + 1)
            if (iss_valid_i[r])
                for (int e = 0; e < Entries; e = e + 1)
                    if (iss_high_i[r] == (e >= NumWarps) && iss_warp_i[r*WarpBits +: WarpBits] == WarpBits'(e % NumWarps)) begin
                        pins[e]   = pins[e] | (e >= NumWarps || iss_store_i[r]);
                        jump[e]   = jump[e] | iss_jump_i[r];
                        at_end[e] = at_end[e] | iss_target_i[r*8 +: 8] == last[e*8 +: 8];  // while the warp's number is decoded
                        if (iss_jump_i[r]) inst[e*8 +: 8] = iss_target_i[r*8 +: 8];
                    end
    end
    assign pinned = pinned_q | pins;
    assign killed = killed_q | (kill & busy_q & ~pinned);
    assign seen   = Now ? inst : inst_q;
    assign urgent = {{NumWarps{1'b1}}, Now ? pinned[0 +: NumWarps] : pinned_q[0 +: NumWarps]};
    assign left_behind = (jump & ~at_end) | (~jump & left_q);
    assign left   = Now ? left_behind : left_q;
    assign ready  = busy_q & ~(Now ? killed | done : killed_q) & left & ok & (urgent | {Entries{low_room_i}});
    for (genvar e = 0; e < Entries; e = e + 1) begin : g_entry
        logic [7:0] plus_1, plus_2;
        assign plus_1 = seen[e*8 +: 8] + 8'd1;
        assign plus_2 = {seen[e*8 + 1 +: 7] + 7'd1, seen[e*8]};
        assign two_left[e] = ok2[e] && (plus_1 != end_q[e*8 +: 8]);
        assign after[e*8 +: 8] = two_left[e] ? plus_2 : plus_1;
        assign left_after[e]   = two_left[e] ? plus_2 != last[e*8 +: 8] : plus_1 != last[e*8 +: 8];
    end
    always @* begin
        over = busy_q & killed_q;
        for (int e = 0; e < Entries; e = e + 1)
            if (busy_q[e] && inst_q[e*8 +: 8] == last[e*8 +: 8]) over[e] = 1'b1;
    end

    // ---- Two rings: from the pointer on the lowest, or else the lowest of all. Both are searched
    // side by side. The selection stays one-hot: numbers are derived from it last.
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
    logic [Entries-1:0] trig;
    always @* begin
        trig   = '0;
        sr_d   = sr_q;
        end_d  = end_q;
        mask_d = mask_q;
        for (int p = 0; p < 2; p = p + 1)
            if (trig_valid_i[p])
                for (int w = 0; w < NumWarps; w = w + 1)
                    if (trig_warp_i[p*WarpBits +: WarpBits] == WarpBits'(w)) begin
                        trig[p*NumWarps + w]              = 1'b1;
                        sr_d[(p*NumWarps + w)*5 +: 5]     = trig_sr_i[p*5 +: 5];
                        end_d[(p*NumWarps + w)*8 +: 8]    = trig_end_i[p*8 +: 8];
                        mask_d[(p*NumWarps + w)*32 +: 32] = trig_mask_i[p*32 +: 32];
                    end
    end
    assign busy_d   = trig | (busy_q & ~frees);
    assign killed_d = killed & ~trig;
    assign pinned_d = pinned & ~trig;
    assign left_d   = trig | (pick & left_after) | (~pick & left_behind);
    always @* begin
        inst_d = inst;
        for (int e = 0; e < Entries; e = e + 1)
            if (trig[e]) inst_d[e*8 +: 8] = 8'd0;
            else if (pick[e]) inst_d[e*8 +: 8] = after[e*8 +: 8];
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

    `CHECK_RANGE(assist_ctrl, NumWarps, 1, 64)
    `CHECK_RANGE(assist_ctrl, NumIssue, 1, 4)
    `CHECK_RANGE(assist_ctrl, Cycles, 1, 2)
    `include "lines/assist_ctrl.obs.svh"
endmodule
