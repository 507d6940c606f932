// SPDX-License-Identifier: Apache-2.0
// Purpose:    base, stride and mask of a global load from the addresses of its lanes. Contract:
//             models/larf/load_shape.h. Stage 1 finds the two lowest active lanes and their
//             addresses. Stage 2 finds their stride and the distance of each lane from the first.
//             Stage 3 finds the base and whether the distance of every lane matches its number.
//             Only the low SpanBits bits of a distance are kept, and whether the rest is 0, because
//             strides of at most 512 reach no further.
// Parameters: NumTags, 2..64: tags that travel with the loads.
// Timing:     a load in cycle t, its shape in t + 3, from state alone; one per cycle.
// Reset:      nothing in flight.
// Left out:   memory spaces, cache operators.
// Shapes:     - ; NumTags=2 ; NumTags=33
// Proof:      5:10:NumTags=2
// Proof:      6:10:NumTags=3

`include "macros.svh"

module load_shape #(
    parameter int NumTags = 64,
    localparam int Lanes    = `NARROW(4, 32),  // a warp of 4 in a space of 32 words: the same arithmetic, in proofs
    localparam int Byte     = `NARROW(2, 8),
    localparam int Slices   = `NARROW(4, 4),
    localparam int CodeBits = `NARROW(2, 8),
    localparam int AddrBits = Byte * Slices,
    localparam int LaneBits = $clog2(Lanes),
    localparam int TagBits  = $clog2(NumTags)
) (
    input  logic                      clk_i,
    input  logic                      rst_ni,
    // addresses
    input  logic                      in_valid_i,
    input  logic [Lanes*AddrBits-1:0] in_addr_i,
    input  logic [Lanes-1:0]          in_mask_i,
    input  logic [TagBits-1:0]        in_tag_i,
    // observation: loads in flight, then parameters
    `OBS_PORT(input  logic [31:0]               obs_addr_i)
    `OBS_PORT(output logic [31:0]               obs_data_o)
    // shape
    output logic                      out_valid_o,
    output logic [TagBits-1:0]        out_tag_o,
    output logic [Lanes-1:0]          out_mask_o,
    output logic                      out_ok_o,
    output logic [AddrBits-1:0]       out_base_o,
    output logic [CodeBits-1:0]       out_code_o
);

    localparam int SpanBits = CodeBits + 1 + LaneBits;  // of the farthest lane's distance
    localparam int Digits = (LaneBits + 1) / 2;         // of a lane's number, in base 4
    localparam logic [CodeBits-1:0] Most = CodeBits'(1) << (CodeBits - 1);

    // ---- Stage 1: the two lowest active lanes
    logic [Lanes-1:0]    first, second, some, two;   // some, two: so many active lanes up to this one
    logic [AddrBits-1:0] a_first, a_second;
    logic [LaneBits-1:0] n_first, n_second;
    logic [Lanes*AddrBits-1:0] addr;
    for (genvar l = 0; l < Lanes; l = l + 1) begin : g_lane
        for (genvar s = 0; s < Slices; s = s + 1) begin : g_slice
            assign addr[l*AddrBits + s*Byte +: Byte] = in_addr_i[s*Lanes*Byte + l*Byte +: Byte];
        end
    end
    always @* begin
        some = in_mask_i;
        two  = '0;
        for (int d = 1; d < Lanes; d = d * 2) begin  // spans of lanes double
            two  = two | two << d | (some & some << d);
            some = some | some << d;
        end
    end
    assign first  = in_mask_i & ~(some << 1);
    assign second = in_mask_i & some << 1 & ~(two << 1);
    always @* begin
        a_first = '0; a_second = '0; n_first = '0; n_second = '0;
        for (int l = 0; l < Lanes; l = l + 1) begin
            a_first  = a_first | ({AddrBits{first[l]}} & addr[l*AddrBits +: AddrBits]);
            a_second = a_second | ({AddrBits{second[l]}} & addr[l*AddrBits +: AddrBits]);
            n_first  = n_first | ({LaneBits{first[l]}} & LaneBits'(l));
            n_second = n_second | ({LaneBits{second[l]}} & LaneBits'(l));
        end
    end
    logic [2:0]          valid_q, valid_d;
    logic [3*TagBits-1:0] tag_q, tag_d;
    logic [3*Lanes-1:0]  mask_q, mask_d;
    logic [Lanes*AddrBits-1:0] s1_addr_q;
    logic [AddrBits-1:0] s1_first_q, s1_second_q;
    logic [LaneBits-1:0] s1_lane_q, s1_next_q;
    logic                s1_one_q;
    always_ff @(posedge clk_i)
        if (in_valid_i) begin
            s1_addr_q   <= addr;
            s1_first_q  <= a_first;
            s1_second_q <= a_second;
            s1_lane_q   <= n_first;
            s1_next_q   <= n_second;
            s1_one_q    <= !two[Lanes-1];
        end

    // ---- Stage 2: the stride, the distances
    logic [LaneBits-1:0]       gap;
    logic [AddrBits:0]         rise;
    logic [AddrBits:0]         strided;
    logic [CodeBits-1:0]       code;
    logic                      even;         // the gap is a power of two, the stride not too long; that it is a whole
                                             // number of words follows when the second lane is where it should be
    logic                      exact;
    logic [Lanes*SpanBits-1:0] off, s2_off_q;
    logic [Lanes-1:0]          near, s2_near_q;
    assign gap  = s1_next_q - s1_lane_q;
    assign rise = {1'b0, s1_second_q} - {1'b0, s1_first_q};
    always @* begin
        strided = '0;
        exact   = 1'b0;
        for (int g = 0; g < LaneBits; g = g + 1)
            if (gap == LaneBits'(1 << g)) begin
                strided = rise >> g;
                exact   = rise == (rise >> g) << g;
            end
    end
    assign code = s1_one_q ? '0 : strided[2 +: CodeBits];
    logic unused_part;
    assign unused_part = ^strided[1:0];
    assign even = s1_one_q || (exact && !rise[AddrBits] && strided[AddrBits:CodeBits+2] == '0 && code <= Most);
    for (genvar l = 0; l < Lanes; l = l + 1) begin : g_off
        logic [AddrBits:0] away;
        assign away = {1'b0, s1_addr_q[l*AddrBits +: AddrBits]} - {1'b0, s1_first_q};
        assign off[l*SpanBits +: SpanBits] = away[SpanBits-1:0];
        assign near[l] = away[AddrBits:SpanBits] == '0;
    end
    logic [AddrBits-1:0] s2_first_q;
    logic [3*Digits-1:0] digit_is, s2_digit_q;  // of the first lane: is each digit 1, 2, 3?
    logic [CodeBits-1:0] s2_code_q;
    logic [CodeBits+1:0] s2_triple_q;           // 3 * code
    logic                s2_even_q;
    always @*
        for (int d = 0; d < Digits; d = d + 1)
            for (int v = 1; v < 4; v = v + 1) digit_is[3*d + v - 1] = 2'(s1_lane_q >> 2 * d) == 2'(v);
    always_ff @(posedge clk_i)
        if (valid_q[0]) begin
            s2_off_q   <= off;
            s2_near_q  <= near;
            s2_first_q <= s1_first_q;
            s2_digit_q <= digit_is;
            s2_code_q  <= code;
            s2_triple_q <= {1'b0, code, 1'b0} + {2'b00, code};
            s2_even_q  <= even;
        end

    // ---- Stage 3: is every lane as far as it should be? Lane l is l strides from lane 0, which
    // may be inactive. The distance from there to the first active lane stays a sum and carries, so
    // that no adder precedes the check of the lanes. The results of the lanes meet behind the
    // registers.
    logic [SpanBits:0]   start, start_carry; // together: from lane 0 to the first active one
    logic [Lanes-1:0]    right, asked, right_q;
    logic [AddrBits-1:0] base;
    assign asked = mask_q[Lanes +: Lanes];
    // A digit times the stride.
    function automatic [SpanBits:0] product(input [2:0] is, input [CodeBits-1:0] code_is, input [CodeBits+1:0] triple_is);
        product = ({SpanBits+1{is[0]}} & (SpanBits+1)'(code_is) << 2) | ({SpanBits+1{is[1]}} & (SpanBits+1)'(code_is) << 3) |
                  ({SpanBits+1{is[2]}} & (SpanBits+1)'(triple_is) << 2);
    endfunction
    logic [SpanBits:0]   part, sum;
    always @* begin
        start       = '0;
        start_carry = '0;
        part        = '0;
        sum         = '0;
        for (int d = 0; d < Digits; d = d + 1) begin
            part        = product(s2_digit_q[3*d +: 3], s2_code_q, s2_triple_q) << 2 * d;
            sum         = start ^ start_carry ^ part;
            start_carry = ((start & start_carry) | ((start | start_carry) & part)) << 1;
            start       = sum;
        end
    end
    for (genvar l = 0; l < Lanes; l = l + 1) begin : g_check
        logic [SpanBits:0] away, want, one, twice, carry;
        assign away  = (SpanBits+1)'(s2_off_q[l*SpanBits +: SpanBits]);
        always @* begin
            want = '0;
            for (int d = 0; d < Digits; d = d + 1)
                want = want + (product({2'(l >> 2 * d) == 2'd3, 2'(l >> 2 * d) == 2'd2, 2'(l >> 2 * d) == 2'd1}, s2_code_q,
                                       s2_triple_q) << 2 * d);
        end
        assign one       = away ^ start ^ start_carry;
        assign twice = ((away & start) | ((away | start) & start_carry)) << 1;
        // one + twice == want without an adder: each bit's sum is right with the carry that the bit below must give
        assign carry = ((one & twice) | ((one | twice) & ~want)) << 1;
        assign right[l] = !asked[l] || (s2_near_q[l] && (one ^ twice ^ want) == carry);
    end
    logic [AddrBits-1:0] less, less_carry, back, back_carry;  // first - start - start_carry - 2 = back + back_carry
    assign less       = ~{{AddrBits-SpanBits-1{1'b0}}, start};
    assign less_carry = ~{{AddrBits-SpanBits-1{1'b0}}, start_carry};
    assign back       = s2_first_q ^ less ^ less_carry;
    assign back_carry = ((s2_first_q & less) | ((s2_first_q | less) & less_carry)) << 1;
    assign base = back + (back_carry | AddrBits'(1)) + AddrBits'(1);
    logic ok_q;
    assign out_valid_o = valid_q[2];
    assign out_tag_o   = tag_q[2*TagBits +: TagBits];
    assign out_mask_o  = mask_q[2*Lanes +: Lanes];
    assign out_ok_o    = valid_q[2] && ok_q && right_q == '1;
    always_ff @(posedge clk_i)
        if (valid_q[1]) begin
            out_base_o <= base;
            out_code_o <= s2_code_q;
            right_q    <= right;
            ok_q       <= s2_even_q && (asked != '0);
        end

    // ---- What is under way
    always @* begin
        valid_d = {valid_q[1:0], in_valid_i};
        tag_d   = {tag_q[2*TagBits-1:0], in_tag_i};
        mask_d  = {mask_q[2*Lanes-1:0], in_mask_i};
    end
    always_ff @(posedge clk_i) begin
        tag_q  <= tag_d;
        mask_q <= mask_d;
        if (!rst_ni) valid_q <= '0;
        else valid_q <= valid_d;
    end

    `CHECK_RANGE(load_shape, NumTags, 2, 64)
    `include "larf/load_shape.obs.svh"
endmodule
