// SPDX-License-Identifier: Apache-2.0
// The contract of bdi_compress, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any place in the line: the image holds the line's value there, and a line of
    // small values fits. Ghost: the line that has its answer, and a value of it, chosen once.
    (* anyconst *) logic [5:0] f_value;
    logic          f_past;
    logic [1023:0] f_row3, f_row4;
    initial f_past = 1'b0;
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        f_row3 <= row_q[2*1024 +: 1024];
        f_row4 <= f_row3;
    end
    always @* begin
        if (!f_past) assume (!rst_ni);
        assume (obs_addr_i == 32'hffff_0000);
    end
    logic [5:0] f_right, f_small;  // the image of encoding e + 2 gives the value back; all values are deltas of zero
    for (genvar e = 0; e < 6; e = e + 1) begin : g_f
        localparam int N      = e < 3 ? 64 : e < 5 ? 32 : 16;
        localparam int K      = e == 0 || e == 3 || e == 5 ? 8 : e == 2 ? 32 : 16;
        localparam int Values = 1024 / N;
        localparam int V      = $clog2(Values);
        localparam int MaskAt = e < 3 ? 16 : 32;
        localparam int BaseAt = e < 5 ? 64 : 16;
        localparam int From   = e < 3 ? 128 : 96;
        logic [N-1:0]      was, back, base;
        logic [K-1:0]      delta;
        logic [V-1:0]      v;
        logic [Values-1:0] small;
        assign v     = f_value[V-1:0];
        assign was   = f_row4[N*32'(v) +: N];
        assign delta = out_image_o[From + K*32'(v) +: K];
        assign base  = out_image_o[MaskAt + 32'(v)] ? out_image_o[BaseAt +: N] : '0;
        assign back  = {{(N-K){delta[K-1]}}, delta} + base;
        assign f_right[e] = back == was;
        for (genvar w = 0; w < Values; w = w + 1) begin : g_small
            logic [N-K:0] top;
            assign top = f_row4[N*w + K - 1 +: N - K + 1];
            assign small[w] = top == '0 || top == '1;
        end
        assign f_small[e] = small == '1;
    end
    logic [2:0] f_which;
    assign f_which = 3'(out_enc_o - 4'd2);
    always @*
        if (f_past && out_valid_o) begin
            assert (out_enc_o <= 4'd7 || out_enc_o == 4'd15);
            if (out_enc_o >= 4'd2 && out_enc_o <= 4'd7) assert (f_right[f_which] && out_image_o[3:0] == out_enc_o);
            if (out_enc_o == 4'd1) assert (f_row4[64*32'(f_value[3:0]) +: 64] == out_image_o[127:64]);
            if (out_enc_o == 4'd0) assert (f_row4[64*32'(f_value[3:0]) +: 64] == '0);
            if (out_enc_o == 4'd15) assert (out_image_o == '0 && out_bursts_o == 3'd4 && f_small == '0);
            // the order 2 5 3 6 7 4, as far as small values go
            if (f_row4 == '0) assert (out_enc_o == 4'd0);
            if (f_small[0]) assert (out_enc_o <= 4'd2);
            else if (f_small[3]) assert (out_enc_o <= 4'd2 || out_enc_o == 4'd5);
            else if (f_small[1]) assert (out_bursts_o <= 3'd2);
        end else if (f_past) assert (out_enc_o == '0 && out_bursts_o == '0 && out_image_o == '0);
    always_ff @(posedge clk_i)
        if (f_past && rst_ni) begin
            cover (out_valid_o && out_enc_o == 4'd5);
            cover (out_valid_o && out_enc_o == 4'd15);
        end
