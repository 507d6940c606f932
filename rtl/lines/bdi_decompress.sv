// SPDX-License-Identifier: Apache-2.0
// Purpose:    a line of 128 bytes from its BDI image. Contract: models/lines/bdi_decompress.h.
//             Sixteen adders of 64 bits, which a carry leaves at the borders of the values, serve all value sizes: each
//             adds the sign-extended deltas to the base where the mask has a bit.
// Parameters: Cycles, 1..4: from image to line; those beyond the first only hold the line.
// Timing:     an image in cycle t gives a line in t + Cycles, one per cycle; outputs depend on state alone.
//             1.80 ns at 45 nm (SM clock: 1.43 ns; fermi-caba's: 0.71 ns), from the encoding in the head, which selects
//             every delta, through the sum: the paper's one cycle does not hold at these clocks and this technology.
// Reset:      nothing under way (lines are not reset).
// Left out:   FPC, C-Pack, flow control.
// Shapes:     - ; Cycles=2 ; Cycles=4
// Proof:      2:4:Cycles=1
// Proof:      3:5:Cycles=2

module bdi_decompress #(
    parameter int Cycles = 1,
`ifdef RF_NARROW
    localparam int Lanes = 2,   // 64-bit parts of the line do not see each other: two stand for all in proofs
`else
    localparam int Lanes = 16,
`endif
    localparam int Line  = 64 * Lanes
) (
    input  logic            clk_i,
    input  logic            rst_ni,
    // an image
    input  logic            in_valid_i,
    input  logic [767:0]    in_image_i,
`ifdef RF_OBS
    // observation: stages, their lines, parameters
    input  logic [31:0]     obs_addr_i,
    output logic [1023:0]   obs_data_o,
`endif
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

    // ---- Deltas and base of each 64 bits of the line
    logic [Line-1:0] line_d;
    for (genvar v = 0; v < Lanes; v = v + 1) begin : g_lane
        logic [63:0] delta, base;
        logic [3:0]  mask;      // of the 16-bit quarters
        logic        border1, border2, border3;  // a carry passes into this quarter
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
            base = n8 ? in_image_i[127:64] : n4 ? {2{in_image_i[95:64]}} : {4{in_image_i[31:16]}};
            if (n8) mask = {4{in_image_i[16 + v]}};
            else if (n4) mask = {{2{in_image_i[32 + 2*v + 1]}}, {2{in_image_i[32 + 2*v]}}};
            else mask = in_image_i[32 + 4*v +: 4];
            if (enc == 4'd0) mask = 4'h0;
            if (enc == 4'd1) mask = 4'hf;
        end
        assign border1 = n8 || n4;
        assign border2 = n8;
        assign border3 = n8 || n4;
        // One sum: a bit between two quarters passes a carry on when it is 1 in one operand, and keeps it when it is 0.
        logic [66:0] sum;
        assign sum = {delta[63:48], border3, delta[47:32], border2, delta[31:16], border1, delta[15:0]} +
                     {base[63:48] & {16{mask[3]}}, 1'b0, base[47:32] & {16{mask[2]}}, 1'b0,
                      base[31:16] & {16{mask[1]}}, 1'b0, base[15:0] & {16{mask[0]}}};
        assign line_d[64*v +: 64] = {sum[66:51], sum[49:34], sum[32:17], sum[15:0]};
        logic unused;
        assign unused = sum[50] ^ sum[33] ^ sum[16];
    end

    // ---- Stages
    logic [Cycles-1:0]      valid_q, error_q;
    logic [Cycles*Line-1:0] line_q;
    for (genvar s = 0; s < Cycles; s = s + 1) begin : g_stage
        logic            valid, error;
        logic [Line-1:0] row;
        if (s == 0) begin : g_first
            assign valid = in_valid_i && known;
            assign error = in_valid_i && !known;
            assign row   = line_d;
        end else begin : g_next
            assign valid = valid_q[s-1];
            assign error = error_q[s-1];
            assign row   = line_q[(s-1)*Line +: Line];
        end
        always_ff @(posedge clk_i) begin
            valid_q[s] <= rst_ni && valid;
            error_q[s] <= rst_ni && error;
            line_q[s*Line +: Line] <= row;
        end
    end
    assign line_valid_o = valid_q[Cycles-1];
    assign line_error_o = error_q[Cycles-1];
    assign line_o       = line_q[(Cycles-1)*Line +: Line];

`ifdef RF_OBS
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i == 32'hffff_0000) obs_data_o[31:0] = Cycles;
        for (int s = 0; s < Cycles; s = s + 1) begin
            if (obs_addr_i == 0) obs_data_o[32*s +: 2] = {error_q[s], valid_q[s]};
            if (obs_addr_i == s + 1 && valid_q[s]) obs_data_o[0 +: Line] = line_q[s*Line +: Line];
        end
    end
`endif

`ifdef SIM
    initial
        if (Cycles < 1 || Cycles > 4) $fatal(1, "bdi_decompress: Cycles is %0d, expected 1 to 4", Cycles);
`endif

`ifdef FORMAL
    // Contract, for any byte of the line (of a value that it belongs to) and each encoding: the sum as a value of its
    // own size.
    (* anyconst *) logic [2:0] f_quarter;   // 16 bits of the line
    logic                      f_past;
    logic [63:0]               f_v8, f_b8;
    logic [31:0]               f_v4, f_b4;
    logic [15:0]               f_v2, f_b2, f_want;
    logic [3:0]                f_enc;
    logic [7:0]                f_d1, f_e1, f_g1;
    logic [15:0]               f_d2, f_e2;
    logic [31:0]               f_d4;
    logic [5:0]                f_8, f_4, f_2;  // number of the value of 8, 4, 2 bytes
    initial f_past = 1'b0;
    always_ff @(posedge clk_i) f_past <= 1'b1;
    always @* begin
        assume (32'(f_quarter) < 4*Lanes);
        if (!f_past) assume (!rst_ni);
        f_enc = in_image_i[3:0];
        f_8   = 6'(f_quarter >> 2);
        f_4   = 6'(f_quarter >> 1);
        f_2   = 6'(f_quarter);
        f_b8  = in_image_i[16 + 32'(f_8)] ? in_image_i[127:64] : '0;
        f_b4  = in_image_i[32 + 32'(f_4)] ? in_image_i[95:64] : '0;
        f_b2  = in_image_i[32 + 32'(f_2)] ? in_image_i[31:16] : '0;
        f_d1  = in_image_i[128 + 8*32'(f_8) +: 8];
        f_d2  = in_image_i[128 + 16*32'(f_8) +: 16];
        f_d4  = in_image_i[128 + 32*32'(f_8) +: 32];
        f_e1  = in_image_i[96 + 8*32'(f_4) +: 8];
        f_e2  = in_image_i[96 + 16*32'(f_4) +: 16];
        f_g1  = in_image_i[96 + 8*32'(f_2) +: 8];
        f_v8  = f_b8 + (f_enc == 4'd2 ? {{56{f_d1[7]}}, f_d1} : f_enc == 4'd3 ? {{48{f_d2[15]}}, f_d2}
                                                              : {{32{f_d4[31]}}, f_d4});
        f_v4  = f_b4 + (f_enc == 4'd5 ? {{24{f_e1[7]}}, f_e1} : {{16{f_e2[15]}}, f_e2});
        f_v2  = f_b2 + {{8{f_g1[7]}}, f_g1};
        case (f_enc)
        4'd0:             f_want = '0;
        4'd1:             f_want = in_image_i[64 + 16*32'(f_quarter[1:0]) +: 16];
        4'd2, 4'd3, 4'd4: f_want = f_v8[16*32'(f_quarter[1:0]) +: 16];
        4'd5, 4'd6:       f_want = f_v4[16*32'(f_quarter[0]) +: 16];
        default:          f_want = f_v2;
        endcase
    end
    logic [Cycles-1:0]    f_valid_q, f_error_q;
    logic [16*Cycles-1:0] f_want_q;
    always_ff @(posedge clk_i) begin
        f_valid_q <= Cycles'({f_valid_q, in_valid_i && in_image_i[7:3] == '0}) & {Cycles{rst_ni}};
        f_error_q <= Cycles'({f_error_q, in_valid_i && in_image_i[7:3] != '0}) & {Cycles{rst_ni}};
        f_want_q  <= (16*Cycles)'({f_want_q, f_want});
    end
    always @* if (f_past) begin
        assert (valid_q == f_valid_q && error_q == f_error_q);
        for (int s = 0; s < Cycles; s = s + 1)
            if (f_valid_q[s]) assert (line_q[s*Line + 16*32'(f_quarter) +: 16] == f_want_q[16*s +: 16]);
        assert (line_valid_o == f_valid_q[Cycles-1] && line_error_o == f_error_q[Cycles-1]);
        if (line_valid_o) assert (line_o[16*32'(f_quarter) +: 16] == f_want_q[16*(Cycles-1) +: 16]);
        cover (line_valid_o && line_o != '0 && f_want_q[15:0] != '0);
        cover (line_error_o);
    end
`endif
endmodule
