// SPDX-License-Identifier: Apache-2.0
// Purpose:    a line of 128 bytes from its BDI image. Contract: models/lines/bdi_decompress.h.
//             Sixteen adders of 64 bits serve all value sizes, because carries end at the borders
//             of the values. Each adds the sign-extended deltas to the base where the mask has a
//             bit.
// Parameters: Cycles, 1..4: from image to line. From 2 on the first selects deltas and base, the second adds; those
//             beyond only hold the line.
// Timing:     an image in cycle t gives a line in t + Cycles, one per cycle; outputs depend on
//             state alone. 1.68 ns at 45 nm, from the encoding in the head, which selects every
//             delta, through the sum (SM clock: 1.43 ns; fermi-caba's: 0.71 ns). With Cycles=2 1.14
//             ns, from the base through the sum. The paper's one cycle does not hold at these
//             clocks and this technology.
// Reset:      nothing in flight (lines are not reset).
// Left out:   FPC, C-Pack, flow control.
// Shapes:     - ; Cycles=2 ; Cycles=4
// Proof:      2:4:Cycles=1
// Proof:      3:5:Cycles=2

`include "macros.svh"

module bdi_decompress #(
    parameter int Cycles = 1,
    localparam int Lanes = `NARROW(2, 16),  // 64-bit parts of the line are independent: two represent all in proofs
    localparam int Line  = 64 * Lanes
) (
    input  logic            clk_i,
    input  logic            rst_ni,
    // an image
    input  logic            in_valid_i,
    input  logic [767:0]    in_image_i,
    // observation: stages, their lines, parameters
    `OBS_PORT(input  logic [31:0]     obs_addr_i)
    `OBS_PORT(output logic [1023:0]   obs_data_o)
    // a line
    output logic            line_valid_o,
    output logic            line_error_o,
    output logic [Line-1:0] line_o
);

    // ---- The head
    logic [3:0] enc;
    logic       known, n8, n4;
    assign enc   = in_image_i[3:0];
    assign known = in_image_i[7:3] == '0;
    logic unused_image;  // a head has one byte, an image 640 bits
    assign unused_image = ^{in_image_i[767:640], in_image_i[15:8]};
    assign n8    = enc <= 4'd4;
    assign n4    = enc == 4'd5 || enc == 4'd6;

    function automatic [15:0] wide(input [7:0] d);
        wide = {{8{d[7]}}, d};
    endfunction

    // ---- Base of all values; delta of each 64 bits of the line, and which 16-bit quarters add the base
    logic [63:0]        base;
    logic [Line-1:0]    deltas;
    logic [4*Lanes-1:0] masks;
    assign base = n8 ? in_image_i[127:64] : n4 ? {2{in_image_i[95:64]}} : {4{in_image_i[31:16]}};
    for (genvar v = 0; v < Lanes; v = v + 1) begin : g_delta
        logic [63:0] delta;
        logic [3:0]  mask;
        always @* begin
            case (enc)
            4'd2: delta = {{48{wide(in_image_i[128 + 8*v +: 8]) >> 15 != '0}}, wide(in_image_i[128 + 8*v +: 8])};
            4'd3: delta = {{48{in_image_i[128 + 16*v + 15]}}, in_image_i[128 + 16*v +: 16]};
            4'd4: delta = {{32{in_image_i[128 + 32*v + 31]}}, in_image_i[128 + 32*v +: 32]};
            4'd5: delta = {{16{wide(in_image_i[96 + 16*v + 8 +: 8]) >> 15 != '0}}, wide(in_image_i[96 + 16*v + 8 +: 8]),
                           {16{wide(in_image_i[96 + 16*v +: 8]) >> 15 != '0}}, wide(in_image_i[96 + 16*v +: 8])};
            4'd6: delta = {{16{in_image_i[96 + 32*v + 31]}}, in_image_i[96 + 32*v + 16 +: 16],
                           {16{in_image_i[96 + 32*v + 15]}}, in_image_i[96 + 32*v +: 16]};
            4'd7: delta = {wide(in_image_i[96 + 32*v + 24 +: 8]), wide(in_image_i[96 + 32*v + 16 +: 8]),
                           wide(in_image_i[96 + 32*v + 8 +: 8]), wide(in_image_i[96 + 32*v +: 8])};
            default: delta = '0;
            endcase
            if (n8) mask = {4{in_image_i[16 + v]}};
            else if (n4) mask = {{2{in_image_i[32 + 2*v + 1]}}, {2{in_image_i[32 + 2*v]}}};
            else mask = in_image_i[32 + 4*v +: 4];
            if (enc == 4'd0) mask = 4'h0;
            if (enc == 4'd1) mask = 4'hf;
        end
        assign deltas[64*v +: 64] = delta;
        assign masks[4*v +: 4]    = mask;
    end

    // ---- What is added: at once, or in the next cycle
    logic [63:0]        sum_base;
    logic [Line-1:0]    sum_deltas;
    logic [4*Lanes-1:0] sum_masks;
    logic               sum_n8, sum_n4;
    if (Cycles > 1) begin : g_select
        logic [63:0]        base_q;
        logic [Line-1:0]    delta_q;
        logic [4*Lanes-1:0] mask_q;
        logic               n8_q, n4_q;
        always_ff @(posedge clk_i) begin
            base_q  <= base;
            delta_q <= deltas;
            mask_q  <= masks;
            n8_q    <= n8;
            n4_q    <= n4;
        end
        assign sum_base   = base_q;
        assign sum_deltas = delta_q;
        assign sum_masks  = mask_q;
        assign sum_n8     = n8_q;
        assign sum_n4     = n4_q;
    end else begin : g_at_once
        assign sum_base   = base;
        assign sum_deltas = deltas;
        assign sum_masks  = masks;
        assign sum_n8     = n8;
        assign sum_n4     = n4;
    end
    logic [Line-1:0] total;
    logic            border1, border2, border3;  // a carry passes into this quarter
    assign border1 = sum_n8 || sum_n4;
    assign border2 = sum_n8;
    assign border3 = sum_n8 || sum_n4;
    for (genvar v = 0; v < Lanes; v = v + 1) begin : g_lane
        logic [63:0] delta;
        logic [3:0]  mask;
        assign delta = sum_deltas[64*v +: 64];
        assign mask  = sum_masks[4*v +: 4];
        // One sum: a bit between two quarters passes a carry on when it is 1 in one operand, and keeps it when it is 0.
        logic [66:0] sum;
        assign sum = {delta[63:48], border3, delta[47:32], border2, delta[31:16], border1, delta[15:0]} +
                     {sum_base[63:48] & {16{mask[3]}}, 1'b0, sum_base[47:32] & {16{mask[2]}}, 1'b0,
                      sum_base[31:16] & {16{mask[1]}}, 1'b0, sum_base[15:0] & {16{mask[0]}}};
        assign total[64*v +: 64] = {sum[66:51], sum[49:34], sum[32:17], sum[15:0]};
        logic unused;
        assign unused = sum[50] ^ sum[33] ^ sum[16];
    end

    // ---- Stages: the line of each is kept, but that of the first of several follows from what is kept there
    logic [Cycles-1:0]      valid_q, error_q;
    logic [Cycles*Line-1:0] lines;
    for (genvar s = 0; s < Cycles; s = s + 1) begin : g_stage
        logic valid, error;
        if (s == 0) begin : g_first
            assign valid = in_valid_i && known;
            assign error = in_valid_i && !known;
        end else begin : g_next
            assign valid = valid_q[s-1];
            assign error = error_q[s-1];
        end
        always_ff @(posedge clk_i) begin
            valid_q[s] <= rst_ni && valid;
            error_q[s] <= rst_ni && error;
        end
        if (s == 0 && Cycles > 1) begin : g_sum
            assign lines[0 +: Line] = total;
        end else begin : g_line
            logic [Line-1:0] row, line_q;
            if (s == 0) begin : g_only
                assign row = total;
            end else begin : g_behind
                assign row = lines[(s-1)*Line +: Line];
            end
            always_ff @(posedge clk_i) line_q <= row;
            assign lines[s*Line +: Line] = line_q;
        end
    end
    assign line_valid_o = valid_q[Cycles-1];
    assign line_error_o = error_q[Cycles-1];
    assign line_o       = lines[(Cycles-1)*Line +: Line];

    `CHECK_RANGE(bdi_decompress, Cycles, 1, 4)
    `include "lines/bdi_decompress.obs.svh"
endmodule
