// SPDX-License-Identifier: Apache-2.0
// Purpose:    finds how many bytes each result of a cycle needs, over all lanes of the warp. Contract:
//             models/pack/width_detect.h.
// Parameters: NumPorts, 1..4: results per cycle.
// Timing:     combinational: outputs in the cycle of the inputs; 0 where wd_valid_i is 0.
// Reset:      no state; clk_i and rst_ni are there because every block has them.
// Left out:   a pipeline register, which is that of the execution unit's last stage.
// Shapes:     - ; NumPorts=1 ; NumPorts=4
// Proof:      1:1:NumPorts=1
// Proof:      1:1:NumPorts=2

module width_detect #(
    parameter int NumPorts = 2,
`ifdef RF_NARROW
    localparam int Lanes = 2,  // lanes meet in an OR only: two stand for all in the proof
`else
    localparam int Lanes = 32,
`endif
    localparam int Row   = Lanes * 32,
    localparam int Slice = Lanes * 8
) (
    input  logic                      clk_i,
    input  logic                      rst_ni,
    // results at the end of the execution units
    input  logic [NumPorts-1:0]       wd_valid_i,
    input  logic [NumPorts*Row-1:0]   wd_data_i,
    input  logic [NumPorts*Lanes-1:0] wd_lane_i,
    input  logic [NumPorts*3-1:0]     wd_old_i,
`ifdef RF_OBS
    // observation: parameters only
    input  logic [31:0]               obs_addr_i,
    output logic [31:0]               obs_data_o,
`endif
    // bytes needed above the lowest, bytes to store
    output logic [NumPorts*3-1:0]     wd_wide_o,
    output logic [NumPorts*3-1:0]     wd_size_o
);

    logic unused;
    assign unused = clk_i ^ rst_ni;

    localparam logic [Slice-1:0] Top = {Lanes{8'h80}};

    // A byte above the size holds copies of the sign: after an exclusive OR with the sign the test
    // for 0 is the OR of the paper where the value is positive and its NAND where it is negative.
    for (genvar p = 0; p < NumPorts; p = p + 1) begin : g_port
        logic [Slice-1:0] sign, look;      // per lane 8 copies: the value is negative, lane counts
        logic [Lanes-1:0] lane;
        logic [2:0]       wide, size, old, floor;
        assign lane = wd_lane_i[p*Lanes +: Lanes];
        always @* begin                    // nothing is looked at while no result is there
            sign = '0;
            look = '0;
            wide = '0;
            if (wd_valid_i[p]) begin
                for (int l = 0; l < Lanes; l = l + 1) begin
                    sign[l*8 +: 8] = {8{wd_data_i[p*Row + 3*Slice + l*8 + 7]}};
                    look[l*8 +: 8] = {8{lane[l]}};
                end
                // bits [14:7], [22:15], [30:23] of the lanes
                wide[0] = ((((wd_data_i[p*Row +   Slice +: Slice] ^ sign) & ~Top) |
                            ((wd_data_i[p*Row +: Slice] ^ sign) & Top)) & look) != '0;
                wide[1] = ((((wd_data_i[p*Row + 2*Slice +: Slice] ^ sign) & ~Top) |
                            ((wd_data_i[p*Row +   Slice +: Slice] ^ sign) & Top)) & look) != '0;
                wide[2] = ((((wd_data_i[p*Row + 3*Slice +: Slice] ^ sign) & ~Top) |
                            ((wd_data_i[p*Row + 2*Slice +: Slice] ^ sign) & Top)) & look) != '0;
            end
        end
        assign old     = wd_old_i[p*3 +: 3];
        assign floor   = (lane == '1) ? 3'd0 : old;
        assign size    = wide[2] ? 3'd4 : wide[1] ? 3'd3 : wide[0] ? 3'd2 : 3'd1;
        assign wd_wide_o[p*3 +: 3] = wide;
        assign wd_size_o[p*3 +: 3] = !wd_valid_i[p] ? '0 : floor > size ? floor : size;
    end

`ifdef RF_OBS
    assign obs_data_o = obs_addr_i == 32'hffff_0000 ? NumPorts : '0;
`endif

`ifdef SIM
    initial
        if (NumPorts < 1 || NumPorts > 4)
            $fatal(1, "width_detect: NumPorts = %0d, legal is 1..4", NumPorts);
`endif

`ifdef FORMAL
    // Contract, for any port and lane: the value is the sign extension of its wd_size_o low bytes,
    // and of no fewer in some lane or by wd_old_i; wd_wide_o as the paper's circuit has it.
    (* anyconst *) logic [1:0]  f_p;
    logic [Row-1:0]             f_row;
    logic [Lanes-1:0]           f_lane;
    logic [2:0]                 f_wide, f_size, f_old, f_need, f_or, f_nand;
    logic [31:0]                f_value;
    logic                       f_valid;
    logic [2:0]                 f_worst;   // bytes of the widest written lane
    always_comb begin
        assume (f_p < NumPorts);
        f_row   = Row'(wd_data_i >> f_p * Row);
        f_lane  = Lanes'(wd_lane_i >> f_p * Lanes);
        f_old   = 3'(wd_old_i >> f_p * 3);
        f_wide  = 3'(wd_wide_o >> f_p * 3);
        f_size  = 3'(wd_size_o >> f_p * 3);
        f_valid = wd_valid_i[f_p];
        f_need  = '0;
        f_worst = 3'd1;
        assume (f_old <= 4);
        for (int l = 0; l < Lanes; l = l + 1) begin
            f_value = {f_row[3*Slice + l*8 +: 8], f_row[2*Slice + l*8 +: 8],
                       f_row[Slice + l*8 +: 8], f_row[l*8 +: 8]};
            f_or    = {|f_value[30:23], |f_value[22:15], |f_value[14:7]};
            f_nand  = {~&f_value[30:23], ~&f_value[22:15], ~&f_value[14:7]};
            if (f_lane[l]) begin
                f_need = f_need | (f_value[31] ? f_nand : f_or);
                // sign extension, arithmetically
                if (f_valid && f_size <= 3) assert ($signed(f_value << 8) >>> 8 == $signed(f_value));
                if (f_valid && f_size <= 2) assert ($signed(f_value << 16) >>> 16 == $signed(f_value));
                if (f_valid && f_size <= 1) assert ($signed(f_value << 24) >>> 24 == $signed(f_value));
                if (f_worst < 2 && $signed(f_value << 24) >>> 24 != $signed(f_value)) f_worst = 3'd2;
                if (f_worst < 3 && $signed(f_value << 16) >>> 16 != $signed(f_value)) f_worst = 3'd3;
                if (f_worst < 4 && $signed(f_value << 8) >>> 8 != $signed(f_value)) f_worst = 3'd4;
            end
        end
        if (f_valid) begin
            assert (f_wide == f_need);
            assert (f_size >= 1 && f_size <= 4);
            if (f_lane == '1) assert (f_size == f_worst);
            else              assert (f_size == (f_old > f_worst ? f_old : f_worst));
        end else assert (f_wide == '0 && f_size == '0);
        cover (f_valid && f_size == 1 && f_row[3*Slice + 7] && f_lane == '1);
        cover (f_valid && f_size == 3 && f_lane == '1 && f_wide == 3'b010);
        cover (f_valid && f_size == 4 && f_worst == 1);
    end
`endif
endmodule
