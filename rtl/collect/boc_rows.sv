// SPDX-License-Identifier: Apache-2.0
// Purpose:    the values of one bypassing operand collector (BOC): Values rows of one warp register each.
//             Part of bypass_collector; contract: models/collect/bypass_collector.h.
// Parameters: Values, 2..28: rows; NumRd, 1..3: rows read per cycle.
// Timing:     rd_data_o is row rd_row_i of the same cycle. What a bank delivers (arr_), or a result (res_) in its
//             lanes, is there from the next cycle on. The two never write one row in one cycle.
// Reset:      none. A row is undefined until written (0 in simulation).
// Storage:    flip-flops or latches with a write enable per lane, 1.5 KB at 12 rows: two writes (the BOC gets one row
//             from the banks and one result per cycle) and three reads (the operands of one instruction; a row that is saved
//             uses the last). That many ports on 12 rows is no SRAM.
// Left out:   clock gating of rows.
// Shapes:     - ; Values=6,NumRd=2 ; Values=28,NumRd=1
// Proof:      2:6:Values=2,NumRd=1
// Proof:      2:6:Values=3,NumRd=2

module boc_rows #(
    parameter int Values = 12,
    parameter int NumRd  = 3,
`ifdef RF_NARROW
    localparam int Row       = 8,  // lanes do not see each other: one stands for all in proofs
`else
    localparam int Row       = 1024,
`endif
    localparam int ValueBits = $clog2(Values)
) (
    input  logic                       clk_i,
    // a row from a bank
    input  logic                       arr_valid_i,
    input  logic [ValueBits-1:0]       arr_row_i,
    input  logic [Row-1:0]             arr_data_i,
    // a result, in the bits of its lanes
    input  logic                       res_valid_i,
    input  logic [ValueBits-1:0]       res_row_i,
    input  logic [Row-1:0]             res_mask_i,
    input  logic [Row-1:0]             res_data_i,
`ifdef RF_OBS
    // observation: row obs_row_i while obs_en_i, else 0
    input  logic                       obs_en_i,
    input  logic [ValueBits-1:0]       obs_row_i,
    output logic [Row-1:0]             obs_data_o,
`endif
    // rows read
    input  logic [NumRd*ValueBits-1:0] rd_row_i,
    output logic [NumRd*Row-1:0]       rd_data_o
);

    logic [Row-1:0] row_q [0:Values-1];
    logic [Row-1:0] mask, arrived, stored;

    assign mask    = res_mask_i;
    assign arrived = arr_data_i;
    assign stored  = (row_q[res_row_i] & ~mask) | (res_data_i & mask);
    always_ff @(posedge clk_i) begin
        if (arr_valid_i) row_q[arr_row_i] <= arrived;
        if (res_valid_i) row_q[res_row_i] <= stored;
    end
    for (genvar r = 0; r < NumRd; r = r + 1) begin : g_rd
        assign rd_data_o[r*Row +: Row] = row_q[rd_row_i[r*ValueBits +: ValueBits]];
    end

`ifdef RF_OBS
    assign obs_data_o = obs_en_i ? row_q[obs_row_i] : '0;
`endif

`ifdef SIM
    initial begin
        if (Values < 2 || Values > 28) $fatal(1, "boc_rows: Values = %0d, legal is 2..28", Values);
        if (NumRd < 1 || NumRd > 3) $fatal(1, "boc_rows: NumRd = %0d, legal is 1..3", NumRd);
    end
`endif

`ifdef FORMAL
    // Contract, for any row f_a: it holds what was written to it last.
    (* anyconst *) logic [ValueBits-1:0] f_a;
    logic           f_past, f_known, f_arrives, f_stores;
    logic [Row-1:0] f_value, f_next;
    initial f_past  = 1'b0;
    initial f_known = 1'b0;
    always_comb begin
        f_arrives = arr_valid_i && arr_row_i == f_a;
        f_stores  = res_valid_i && res_row_i == f_a;
        f_next    = f_arrives ? arr_data_i : !f_stores ? f_value :
                    (f_value & ~res_mask_i) | (res_data_i & res_mask_i);
        assume (!(f_arrives && f_stores));
        assume (res_mask_i == '0 || res_mask_i == '1);
        assume (f_a < Values && arr_row_i < Values && res_row_i < Values);
        assume (obs_en_i && obs_row_i == f_a);
    end
    always_ff @(posedge clk_i) begin
        f_past  <= 1'b1;
        f_value <= f_next;
        f_known <= f_known || f_arrives || (f_stores && res_mask_i == '1);
    end
    always_comb if (f_past && f_known) begin
        assert (obs_data_o == f_value);
        for (int r = 0; r < NumRd; r = r + 1)
            if (rd_row_i[r*ValueBits +: ValueBits] == f_a) assert (rd_data_o[r*Row +: Row] == f_value);
    end
    always_comb begin
        cover (f_past && f_known && f_value == 8'h5a && rd_row_i[ValueBits-1:0] == f_a);
        cover (f_past && f_known && f_stores && res_mask_i == '0);
    end
`endif
endmodule
