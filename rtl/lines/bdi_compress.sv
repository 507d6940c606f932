// SPDX-License-Identifier: Apache-2.0
// Purpose:    the BDI image of a line of 128 bytes. Contract: models/lines/bdi_compress.h. All
//             encodings are tried side by side, each with a subtractor per value. The first three
//             stages hold the line, which values are deltas already, and the bases. The fourth
//             holds deltas from zero or the base, and which of them fit. The fifth holds the image
//             of the first encoding that all values fit.
// Parameters: Base, 0..1: the base is the first value that is no delta, or the first value.
// Timing:     a line in cycle t gives an answer in t + 5, one line per cycle; outputs depend on state alone.
// Reset:      nothing in flight (lines are not reset).
// Left out:   FPC, C-Pack, flow control, the raw line beside the answer.
//             1.43 ns at 45 nm (SM clock: 1.43 ns; fermi-caba's: 0.71 ns), from a base through a subtractor.
// Shapes:     - ; Base=1
// Long proof: sat7:9:Base=0
// Proof:      sat7:9:Base=1

`include "macros.svh"

module bdi_compress #(
    parameter int Base = 0
) (
    input  logic          clk_i,
    input  logic          rst_ni,
    // a line
    input  logic          in_valid_i,
    input  logic [1023:0] in_line_i,
    // observation: stages, their lines, parameters
    `OBS_PORT(input  logic [31:0]   obs_addr_i)
    `OBS_PORT(output logic [1023:0] obs_data_o)
    // its answer
    output logic          out_valid_o,
    output logic [3:0]    out_enc_o,
    output logic [2:0]    out_bursts_o,
    output logic [767:0]  out_image_o
);

    logic [4:0]      there_q;            // stages with a line
    logic [3*1024-1:0] row_q;            // lines of the first three
    logic [14:0]     same_q, same2_q;    // u64 i + 1 is as u64 0
    logic            zero_q, zero2_q, same3_q, zero3_q;
    logic [63:0]     first3_q;
    for (genvar s = 0; s < 5; s = s + 1) begin : g_there
        logic there;
        if (s == 0) begin : g_first
            assign there = in_valid_i;
        end else begin : g_next
            assign there = there_q[s-1];
        end
        always_ff @(posedge clk_i) begin
            there_q[s] <= rst_ni && there;
        end
    end
    for (genvar s = 0; s < 3; s = s + 1) begin : g_row
        logic [1023:0] row;
        if (s == 0) begin : g_first
            assign row = in_line_i;
        end else begin : g_next
            assign row = row_q[(s-1)*1024 +: 1024];
        end
        always_ff @(posedge clk_i) begin
            row_q[s*1024 +: 1024] <= row;
        end
    end

    // ---- Encodings 0 and 1
    logic [1023:0] row0;
    logic [14:0]   same;
    assign row0 = row_q[0 +: 1024];
    for (genvar v = 1; v < 16; v = v + 1) begin : g_same
        assign same[v-1] = row0[64*v +: 32] == row0[31:0] && (row0[64*v + 32 +: 32] == row0[63:32]);
    end
    always_ff @(posedge clk_i) begin
        same_q   <= same;
        zero_q   <= row0[63:0] == '0;
        same2_q  <= same_q;
        zero2_q  <= zero_q;
        same3_q  <= same2_q == '1;
        zero3_q  <= zero2_q;
        first3_q <= row_q[2*1024 +: 64];
    end

    // ---- Encodings 2 .. 7, as e = 0 .. 5: bytes of a value and a delta
    // Inputs of the last stage's selection: deltas, masks, bases in their places of the image.
    logic [6*768-1:0] image;
    logic [5:0]       fits;
    for (genvar e = 0; e < 6; e = e + 1) begin : g_enc
        localparam int N      = e < 3 ? 64 : e < 5 ? 32 : 16;                          // bits of a value
        localparam int K      = e == 0 || e == 3 || e == 5 ? 8 : e == 2 ? 32 : 16;     // bits of a delta
        localparam int Values = 1024 / N;
        localparam int MaskAt = e < 3 ? 16 : 32;
        localparam int BaseAt = e < 5 ? 64 : 16;
        localparam int From   = e < 3 ? 128 : 96;
        localparam int End    = From + Values * K;
        logic [Values-1:0]   near, near_q, near2_q, mask_q, ok, ok_q;
        logic [N-1:0]        base, base_q, base3_q;
        logic [Values*K-1:0] delta_q;
        // stage 1 to 2: which values are deltas
        for (genvar v = 0; v < Values; v = v + 1) begin : g_near
            logic [N-K:0] top;
            assign top = row_q[N*v + K - 1 +: N - K + 1];
            assign near[v] = (top == '0 || &top);
        end
        // stage 2 to 3: the base
        logic [Values-1:0] rest, first;   // values that are none; the lowest of them
        assign rest  = Base == 1 ? Values'(1) : ~near_q;
        assign first = rest & (~rest + Values'(1));
        always @* begin
            base = '0;
            for (int v = 0; v < Values; v = v + 1)
                base = base | (row_q[1024 + N*v +: N] & {N{first[v]}});
        end
        // stage 3 to 4: the deltas
        for (genvar v = 0; v < Values; v = v + 1) begin : g_delta
            logic [N-1:0] value, delta;
            logic [N-K:0] top;
            assign value = row_q[2*1024 + N*v +: N];
            assign delta = value - base_q;
            assign top   = delta[N-1:K-1];
            assign ok[v] = near2_q[v] || top == '0 || &top;
            always_ff @(posedge clk_i) delta_q[K*v +: K] <= near2_q[v] ? value[K-1:0] : delta[K-1:0];
        end
        always_ff @(posedge clk_i) begin
            near_q  <= near;
            near2_q <= near_q;
            base_q   <= base;
            base3_q  <= base_q;
            mask_q   <= ~near2_q;
            ok_q     <= ok;
        end
        // stage 4 to 5: the image
        assign fits[e] = &ok_q;
        always @* begin
            image[768*e +: 768]              = '0;
            image[768*e +: 4]                = 4'(e + 2);
            image[768*e + MaskAt +: Values]  = mask_q;
            image[768*e + BaseAt +: N]       = base3_q;
            image[768*e + From +: End-From]  = delta_q;
        end
    end

    // ---- The answer: 0 1 2 5 3 6 7 4
    logic [3:0]   enc, enc_q;
    logic [2:0]   bursts, bursts_q;
    logic [767:0] pick, image_q;
    always @* begin
        pick   = '0;
        enc    = 4'd15;
        bursts = 3'd4;
        if (fits[2]) begin enc = 4'd4; bursts = 3'd3; pick = image[2*768 +: 768]; end
        if (fits[5]) begin enc = 4'd7; bursts = 3'd3; pick = image[5*768 +: 768]; end
        if (fits[4]) begin enc = 4'd6; bursts = 3'd3; pick = image[4*768 +: 768]; end
        if (fits[1]) begin enc = 4'd3; bursts = 3'd2; pick = image[1*768 +: 768]; end
        if (fits[3]) begin enc = 4'd5; bursts = 3'd2; pick = image[3*768 +: 768]; end
        if (fits[0]) begin enc = 4'd2; bursts = 3'd1; pick = image[0 +: 768]; end
        if (same3_q) begin
            enc = 4'd1; bursts = 3'd1; pick = '0;
            pick[3:0] = 4'd1; pick[127:64] = first3_q;
        end
        if (same3_q && zero3_q) begin enc = 4'd0; pick = '0; end
    end
    always_ff @(posedge clk_i) begin
        enc_q    <= there_q[3] ? enc : '0;
        bursts_q <= there_q[3] ? bursts : '0;
        image_q  <= there_q[3] ? pick : '0;
    end
    assign out_valid_o  = there_q[4];
    assign out_enc_o    = enc_q & {4{there_q[4]}};
    assign out_bursts_o = bursts_q & {3{there_q[4]}};
    assign out_image_o  = image_q & {768{there_q[4]}};

    `CHECK_RANGE(bdi_compress, Base, 0, 1)
    `include "lines/bdi_compress.obs.svh"
endmodule
