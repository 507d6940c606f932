// SPDX-License-Identifier: Apache-2.0
// Purpose:    the queue of stores in front of addr_map_table. The oldest one takes a step per class
//             of strides that was entered, two for class 0 if it reaches beyond three windows.
//             Until then look-ups of the lines that it touches miss.
// Parameters: LaneBits, 1..5: log2 of the lanes; AddrBits, 6..32; CodeBits, 2..8: bits of an address and of stride / 4.
// Timing:     from three cycles after its arrival a store takes a step in every cycle without a
//             look-up. Outputs st_ready_o, step_*_o and count_o depend on state alone, but
//             step_go_o on lk_go_i, too. Output touched_o depends on look_*_i, too.
// Reset:      no stores.
// Left out:   which entries a step kills (addr_map_compare).
// Shapes:     - ; LaneBits=1,AddrBits=6,CodeBits=2
// Proof:      5:12:LaneBits=1,AddrBits=6,CodeBits=2
// Proof:      5:12:LaneBits=2,AddrBits=7,CodeBits=2

`include "macros.svh"

module addr_map_stores #(
    parameter int LaneBits = 5,
    parameter int AddrBits = 32,
    parameter int CodeBits = 8,
    localparam int Classes = CodeBits + 1,
    localparam int WinBits = AddrBits - LaneBits + 1
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                flush_i,
    input  logic                st_valid_i,
    input  logic [AddrBits-1:0] st_low_i,
    input  logic [AddrBits-1:0] st_high_i,
    output logic                st_ready_o,
    output logic [2:0]          count_o,
    // a step: class, middle window, the bytes from the first to the last
    input  logic                lk_go_i,
    // classes that were entered
    input  logic [Classes-1:0]  met_i,
    output logic                step_go_o,
    output logic [Classes-1:0]  step_class_o,
    output logic [WinBits-1:0]  step_window_o,
    output logic [AddrBits-1:0] step_low_o,
    output logic [AddrBits-1:0] step_high_o,
    // does a load touch the line of a store that waits?
    input  logic [AddrBits-1:0] look_base_i,
    input  logic [AddrBits-1:0] look_last_i,
    // observation: remaining steps of the oldest store, then stores
    `OBS_PORT(input  logic [31:0]         obs_addr_i)
    `OBS_PORT(output logic [127:0]        obs_data_o)
    output logic                touched_o
);

    localparam int Lanes    = 1 << LaneBits;
    localparam int LineBits = LaneBits + 2;
    localparam int LineNo   = AddrBits - LineBits;
    localparam int Steps    = Classes + 1;
    localparam int Depth    = 4;

    logic [2:0]                count_q, count_d;    // the oldest lowest
    logic [Depth*AddrBits-1:0] low_q, low_d;
    logic [Depth*LineBits-1:0] last_q, last_d;
    logic [Depth*2-1:0]        age_q, age_d;
    logic [Steps-1:0]          todo_q, todo_d;      // of the oldest store; not 0: it is armed
    logic [WinBits-1:0]        first_q, second_q;   // middle windows of its two steps of class 0

    // ---- The oldest one's step
    logic             ripe, ripe_first, leave, st_go;
    logic [Steps-1:0] step, rest, need;
    assign st_ready_o = count_q != 3'(Depth);
    assign count_o    = count_q;
    assign st_go      = st_valid_i && st_ready_o;
    assign ripe       = count_q != '0 && age_q[1:0] == 2'd3;
    assign ripe_first = ripe && todo_q == '0;
    assign step       = todo_q & (~todo_q + Steps'(1));
    assign step_go_o  = ripe && todo_q != '0 && !lk_go_i;
    assign rest       = todo_q & ~step;
    assign leave      = ripe_first ? need == '0 : step_go_o && rest == '0;

    // classes that were entered; the second step only when it reaches beyond three windows
    logic [AddrBits:0]   mid1, mid2, beyond;
    logic [AddrBits-1:0] low, kill_high, step_high;
    logic                far;
    assign low       = low_q[0 +: AddrBits];
    assign mid1      = {1'b0, low} + (AddrBits+1)'(Lanes - 3);
    assign mid2      = {1'b0, low} + (AddrBits+1)'(4 * Lanes - 3);
    assign beyond    = {1'b0, low} + (AddrBits+1)'(3 * Lanes - 3);
    assign far       = {1'b0, kill_high[AddrBits-1:LaneBits]} >= beyond[AddrBits:LaneBits];
    assign need      = {met_i[Classes-1:1], met_i[0] && far, met_i[0]};
    assign kill_high = {low[AddrBits-1:LineBits], last_q[0 +: LineBits]};
    assign step_high = {beyond[AddrBits-1:LaneBits], {LaneBits{1'b0}}} - AddrBits'(1);  // the last base of the first step

    assign step_class_o  = {step[Steps-1:2], step[1] || step[0]};
    assign step_low_o    = low;
    assign step_high_o   = step[0] && far ? step_high : kill_high;
    always @* begin
        step_window_o = step[0] ? first_q : step[1] ? second_q : '0;
        for (int c = 1; c < Classes; c = c + 1)
            step_window_o = step_window_o | ({WinBits{step[c+1]}} & WinBits'(low >> (LaneBits + 1 + c)));
    end

    // ---- Lines
    always @* begin
        touched_o = 1'b0;
        for (int i = 0; i < Depth; i = i + 1)
            if (3'(i) < count_q && look_base_i[AddrBits-1:LineBits] <= low_q[i*AddrBits + LineBits +: LineNo] &&
                low_q[i*AddrBits + LineBits +: LineNo] <= look_last_i[AddrBits-1:LineBits]) touched_o = 1'b1;
    end

    // ---- Next state
    logic [2:0] place;                              // where a store enters
    always @* begin
        place   = count_q - 3'(leave);
        count_d = flush_i ? '0 : place + 3'(st_go);
        low_d   = leave ? low_q >> AddrBits : low_q;
        last_d  = leave ? last_q >> LineBits : last_q;
        age_d   = leave ? age_q >> 2 : age_q;
        for (int i = 0; i < Depth; i = i + 1)
            if (age_d[2*i +: 2] != 2'd3) age_d[2*i +: 2] = age_d[2*i +: 2] + 2'd1;
        for (int i = 0; i < Depth; i = i + 1)
            if (st_go && place == 3'(i)) begin
                low_d[i*AddrBits +: AddrBits]  = st_low_i;
                last_d[i*LineBits +: LineBits] = st_high_i[LineBits-1:0];
                age_d[2*i +: 2]                = 2'd1;
            end
        todo_d = flush_i ? '0 : ripe_first ? need : step_go_o ? rest : todo_q;
    end
    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            count_q <= '0;
            todo_q  <= '0;
        end else begin
            count_q <= count_d;
            todo_q  <= todo_d;
        end
    end
    always_ff @(posedge clk_i) begin
        low_q  <= low_d;
        last_q <= last_d;
        age_q  <= age_d;
        if (ripe_first) begin
            first_q  <= mid1[AddrBits:LaneBits];
            second_q <= mid2[AddrBits:LaneBits];
        end
    end
    logic unused;
    assign unused = ^st_high_i[AddrBits-1:LineBits] ^ ^mid1[LaneBits-1:0] ^ ^mid2[LaneBits-1:0] ^
                    ^beyond[LaneBits-1:0] ^ ^look_base_i[LineBits-1:0] ^ ^look_last_i[LineBits-1:0];

    `include "larf/addr_map_stores.obs.svh"
endmodule
