// SPDX-License-Identifier: Apache-2.0
// The contract of bdi_decompress, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any byte of the line and each encoding: the value that the byte belongs to is
    // the sum, at the value's own size.
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
            if (f_valid_q[s]) assert (lines[s*Line + 16*32'(f_quarter) +: 16] == f_want_q[16*s +: 16]);
        assert (line_valid_o == f_valid_q[Cycles-1] && line_error_o == f_error_q[Cycles-1]);
        if (line_valid_o) assert (line_o[16*32'(f_quarter) +: 16] == f_want_q[16*(Cycles-1) +: 16]);
        cover (line_valid_o && line_o != '0 && f_want_q[15:0] != '0);
        cover (line_error_o);
    end
