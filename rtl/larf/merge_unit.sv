// SPDX-License-Identifier: Apache-2.0
// Purpose:    makes the value of a load out of two warp registers that hold parts of it: each row is
//             shifted by lanes and masked, both are ORed. Contract: models/larf/merge_unit.h.
//             Both rows have a shifter (four byte slices, 32:1 per lane): one row at a time through
//             one shifter would halve that, but collectors dispatch both together.
// Parameters: Slots, 1..4: merged values that wait for a write port.
// Timing:     rows taken in cycle t stand merged in t + 1; one merge per cycle while they are taken.
//             op_ready_o depends on res_ready_i, the other outputs on state alone. res_lane_o and
//             res_row_o are defined where res_valid_o is 1.
// Reset:      nothing waits (rows and lanes are not reset).
// Left out:   the destination register, collecting the rows.
// Shapes:     - ; Slots=2 ; Slots=3
// Proof:      2:6:Slots=1
// Proof:      2:6:Slots=3
// Proof:      1:3:Slots=1,MU_WARP

module merge_unit #(
    parameter int Slots = 1,
`ifdef RF_NARROW
`ifdef MU_WARP
    localparam int Lanes  = 32,
    localparam int Slices = 1,
`else
    localparam int Lanes  = 4,
    localparam int Slices = 4,
`endif
    localparam int Byte   = 1,  // bits of a byte move together: one stands for all in proofs
`else
    localparam int Lanes  = 32,
    localparam int Slices = 4,
    localparam int Byte   = 8,
`endif
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
`ifdef RF_OBS
    // observation: what waits, its rows, then parameters
    input  logic [31:0]         obs_addr_i,
    output logic [1023:0]       obs_data_o,
`endif
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

`ifdef RF_OBS
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i == 0) begin
            obs_data_o[0 +: CntBits]  = cnt_q;
            obs_data_o[32 +: PtrBits] = head_q;
        end else if (obs_addr_i == 32'hffff_0000) obs_data_o[31:0] = Slots;
        for (int p = 0; p < Slots; p = p + 1)
            if ((p + Slots - 32'(head_q)) % Slots < 32'(cnt_q)) begin
                if (obs_addr_i == 0) obs_data_o[(2 + p)*32 +: Lanes] = lane_q[p*Lanes +: Lanes];
                if (obs_addr_i == p + 1) obs_data_o[0 +: Row] = row_q[p*Row +: Row];
            end
    end
`endif

`ifdef SIM
    initial
        if (Slots < 1 || Slots > 4)
            $fatal(1, "merge_unit: Slots = %0d, legal is 1..4", Slots);
`endif

`ifdef FORMAL
    // Contract: each lane of a result is the OR of what the two rows, as they came, have at the lane
    // shifted to it. A merge that enters (any one) is followed to where it leaves.
    (* anyconst *) logic [$clog2(Lanes)-1:0] f_lane;
    (* anyconst *) logic [1:0]               f_slice;
    logic            f_past, f_here, f_watch, f_some, f_some_q;
    logic [Byte-1:0] f_byte, f_byte_q, f_out;
    logic [2:0]      f_ahead;     // results that leave before the one followed
    integer          f_from;
    initial f_past = 1'b0;
    always_comb begin
        assume (32'(f_slice) < Slices);
        f_some = 1'b0;
        f_byte = '0;
        for (int r = 0; r < 2; r = r + 1) begin
            f_from = 32'(f_lane) + 32'($signed(op_shift_i[r*ShBits +: ShBits]));
            if (op_valid_i[r] && op_mask_i[r*Lanes + 32'(f_lane)] && f_from >= 0 && f_from < Lanes) begin
                f_some = 1'b1;
                f_byte = f_byte | op_row_i[r*Row + 32'(f_slice)*Slice + f_from*Byte +: Byte];
            end
        end
        f_out = res_row_o[32'(f_slice)*Slice + 32'(f_lane)*Byte +: Byte];
    end
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        if (!rst_ni) f_here <= 1'b0;
        else if (f_here) begin
            if (res_valid_o && res_ready_i) begin
                f_ahead <= f_ahead - 1'b1;
                if (f_ahead == 0) f_here <= 1'b0;
            end
        end else if (f_watch && op_valid_i != '0 && op_ready_o) begin
            f_here   <= 1'b1;
            f_ahead  <= 3'(cnt_q) - 3'(res_valid_o && res_ready_i);
            f_some_q <= f_some;
            f_byte_q <= f_byte;
        end
    end
    (* anyseq *) logic f_choose;
    assign f_watch = f_choose;
    logic [PtrBits-1:0] f_place;  // where the one followed lies
    assign f_place = PtrBits'((32'(head_q) + 32'(f_ahead)) % Slots);
    always_comb if (f_past) begin
        assert (32'(cnt_q) <= Slots && 32'(head_q) < Slots);
        assert (op_ready_o == (32'(cnt_q) < Slots || res_ready_i));
        assert (res_valid_o == (cnt_q != '0));
        if (f_here) begin
            assert (32'(f_ahead) < 32'(cnt_q));
            assert (lane_q[32'(f_place)*Lanes + 32'(f_lane)] == f_some_q);
            if (f_ahead == 0) assert (res_lane_o[f_lane] == f_some_q && f_out == f_byte_q);
            else assert (row_q[32'(f_place)*Row + 32'(f_slice)*Slice + 32'(f_lane)*Byte +: Byte] == f_byte_q);
        end
        cover (f_here && f_ahead == 0 && f_some_q && f_byte_q != '0 && f_lane == 1);
        cover (f_here && f_ahead == Slots - 1 && cnt_q == Slots && op_valid_i == 2'b11 && op_ready_o);
        cover (op_valid_i == 2'b11 && op_ready_o && lane[0 +: Lanes] != '0 && lane[Lanes +: Lanes] != '0 &&
               op_shift_i[0 +: ShBits] == 3 && (lane[0 +: Lanes] & lane[Lanes +: Lanes]) == '0 &&
               (lane[0 +: Lanes] | lane[Lanes +: Lanes]) == '1);
    end
`endif
endmodule
