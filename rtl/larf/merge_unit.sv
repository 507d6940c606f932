// SPDX-License-Identifier: Apache-2.0
// Purpose:    makes the value of a load from two warp registers that hold parts of it. Each row is
//             shifted by lanes and masked, both are ORed. Contract: models/larf/merge_unit.h. Both
//             rows have a shifter (four byte slices, 32:1 per lane). One row at a time through one
//             shifter would halve that, but collectors dispatch both together.
// Parameters: Slots, 1..4: merged values that wait for a write port.
// Timing:     rows taken in cycle t are merged in t + 1; one merge per cycle while they are taken.
//             Output op_ready_o depends on res_ready_i, the other outputs on state alone. Outputs
//             res_lane_o and res_row_o are defined where res_valid_o is 1.
// Reset:      nothing waits (rows and lanes are not reset).
// Left out:   the destination register, collecting the rows.
// Shapes:     - ; Slots=2 ; Slots=3
// Proof:      2:6:Slots=1
// Proof:      2:6:Slots=3
// Proof:      1:3:Slots=1,MU_WARP

`include "macros.svh"

module merge_unit #(
    parameter int Slots = 1,
    localparam int Lanes  = `NARROW(`WHOLE_WARP(32, 4), 32),
    localparam int Slices = `NARROW(`WHOLE_WARP(1, 4), 4),
    localparam int Byte   = `NARROW(1, 8),  // bits of a byte move together: one represents all in proofs
    localparam int ShBits = $clog2(Lanes) + 1,
    localparam int Slice  = Lanes * Byte,
    localparam int Row    = Slices * Slice
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    // two rows
    input  logic [1:0]          op_valid_i,
    input  logic [2*Row-1:0]    op_row_i,
    input  logic [2*ShBits-1:0] op_shift_i,
    input  logic [2*Lanes-1:0]  op_mask_i,
    output logic                op_ready_o,
    // observation: values that wait, their rows, then parameters
    `OBS_PORT(input  logic [31:0]         obs_addr_i)
    `OBS_PORT(output logic [1023:0]       obs_data_o)
    // one row
    output logic                res_valid_o,
    output logic [Lanes-1:0]    res_lane_o,
    output logic [Row-1:0]      res_row_o,
    input  logic                res_ready_i
);

    localparam int PtrBits = Slots > 1 ? $clog2(Slots) : 1;
    localparam int CntBits = $clog2(Slots + 1);

    logic [CntBits-1:0]     cnt_q, cnt_d;
    logic [PtrBits-1:0]     head_q, head_d, tail;
    logic [Slots*Lanes-1:0] lane_q;
    logic                   take, give;

    // ---- Each row: turned round by the shift, then without the lanes that came round.
    logic [2*Lanes-1:0] lane;     // that a row gives
    logic [2*Row-1:0]   part;
    for (genvar r = 0; r < 2; r = r + 1) begin : g_row
        logic [ShBits-1:0] shift, back, turn;
        logic [Lanes-1:0]  inner;
        assign shift  = op_shift_i[r*ShBits +: ShBits];
        assign back   = -shift;
        assign turn   = {1'b0, shift[ShBits-2:0]};
        assign inner = shift[ShBits-1] ? {Lanes{1'b1}} << back : {Lanes{1'b1}} >> shift;
        assign lane[r*Lanes +: Lanes] =
            op_valid_i[r]
            ? op_mask_i[r*Lanes +: Lanes] & inner : '0;
        for (genvar s = 0; s < Slices; s = s + 1) begin : g_slice
            logic [Slice-1:0] from, turned, keep;
            assign from   = op_row_i[r*Row + s*Slice +: Slice];
            assign turned = Slice'({from, from} >> 32'(turn) * Byte);
            for (genvar l = 0; l < Lanes; l = l + 1) begin : g_lane
                assign keep[l*Byte +: Byte] = {Byte{lane[r*Lanes + l]}};
            end
            assign part[r*Row + s*Slice +: Slice] = turned & keep;
        end
    end

    // ---- What waits
    assign res_valid_o = cnt_q != '0;
    assign give        = res_valid_o && res_ready_i;
    assign op_ready_o  = cnt_q != CntBits'(Slots) || res_ready_i;
    assign take        = op_valid_i != '0 && op_ready_o;
    assign res_lane_o  = Lanes'(lane_q >> head_q * Lanes);
    always @* begin
        tail   = PtrBits'((32'(head_q) + 32'(cnt_q)) % Slots);
        head_d = give ? PtrBits'((32'(head_q) + 1) % Slots) : head_q;
        cnt_d  = cnt_q + CntBits'(take) - CntBits'(give);
    end
    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            cnt_q  <= '0;
            head_q <= '0;
        end else begin
            cnt_q  <= cnt_d;
            head_q <= head_d;
        end
    end

    logic [Slots*Row-1:0] row_q;
    always @* begin
        res_row_o = row_q[0 +: Row];
        for (int p = 1; p < Slots; p = p + 1)
            if (head_q == PtrBits'(p)) res_row_o = row_q[p*Row +: Row];
    end
    for (genvar p = 0; p < Slots; p = p + 1) begin : g_slot
        logic             enter;
        logic [Row-1:0]   row_d;
        logic [Lanes-1:0] lane_d;
        assign enter = take && tail == PtrBits'(p);
        always @* begin
            row_d  = enter ? part[0 +: Row] | part[Row +: Row] : row_q[p*Row +: Row];
            lane_d = enter ? lane[0 +: Lanes] | lane[Lanes +: Lanes] : lane_q[p*Lanes +: Lanes];
        end
        always_ff @(posedge clk_i) begin
            row_q[p*Row +: Row]      <= row_d;
            lane_q[p*Lanes +: Lanes] <= lane_d;
        end
    end

    `CHECK_RANGE(merge_unit, Slots, 1, 4)
    `include "larf/merge_unit.obs.svh"
endmodule
