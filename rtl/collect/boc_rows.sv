// SPDX-License-Identifier: Apache-2.0
// Purpose:    the values of all bypassing operand collectors: NumColl x Values rows of 1024 bits.
// Parameters: NumColl, 2..32: collectors; Values, 2..28: rows of each; Banks, 1..32: register file
//             banks that deliver; NumWr, 1..4: results per cycle; NumRd, 1..28: rows read per cycle.
// Timing:     rd_data_o is row rd_addr_i of the same cycle. A row delivered (arr_), or a result (res_)
//             in its lanes, is there from the next cycle on. Address: collector * Values + entry.
// Reset:      none. A row is undefined until written (0 in simulation).
// Storage:    one array in simulation, for speed: an access is one index. In hardware the rows of a
//             collector lie with it: 2 write ports (it gets one row from the banks and one result per
//             cycle) and as many read ports as its instruction and its save need. That many ports
//             on 12 rows is no SRAM: flip-flops or latches, 12 x 1024 bits each, as the paper's 1.5 KB.
//             Synthesis keeps one array with a port per bank and result; that no two ports write one
//             row is proved in boc and bypass_collector, not visible here.
// Left out:   clock gating of rows.
// Shapes:     - ; NumColl=2,Values=4,Banks=1,NumWr=1,NumRd=2 ; NumColl=3,Values=5,Banks=3,NumWr=2,NumRd=4
// Proof:      2:6:NumColl=2,Values=2,Banks=1,NumWr=1,NumRd=2
// Proof:      2:6:NumColl=2,Values=3,Banks=2,NumWr=2,NumRd=3
`ifdef SIM
`define RF_OBS
`endif
`ifdef FORMAL
`define RF_OBS
`endif

module boc_rows #(
    parameter int NumColl = 32,
    parameter int Values  = 12,
    parameter int Banks   = 32,
    parameter int NumWr   = 4,
    parameter int NumRd   = 16,
`ifdef RF_NARROW
    localparam int Lanes = 1,  // slices and lanes do not see each other
    localparam int Slices = 1,
`else
    localparam int Lanes  = 32,
    localparam int Slices = 4,
`endif
    localparam int Row       = 8 * Slices * Lanes,
    localparam int CollBits  = NumColl > 1 ? $clog2(NumColl) : 1,
    localparam int ValueBits = $clog2(Values),
    localparam int AddrBits  = $clog2(NumColl * Values)
) (
    input  logic                      clk_i,
    // from the banks to collectors, and the entries they wait for
    input  logic [Banks-1:0]             arr_valid_i,
    input  logic [Banks*CollBits-1:0]    arr_coll_i,
    input  logic [Banks*Row-1:0]         arr_data_i,
    input  logic [NumColl-1:0]           coming_i,
    input  logic [NumColl*ValueBits-1:0] from_i,
    // results, in some lanes
    input  logic [NumWr-1:0]          res_valid_i,
    input  logic [NumWr*AddrBits-1:0] res_addr_i,
    input  logic [NumWr*Lanes-1:0]    res_lane_i,
    input  logic [NumWr*Row-1:0]      res_data_i,
`ifdef RF_OBS
    // observation: row obs_addr_i while obs_en_i, else 0
    input  logic                      obs_en_i,
    input  logic [AddrBits-1:0]       obs_addr_i,
    output logic [Row-1:0]            obs_data_o,
`endif
`ifdef TESTBUG
    // fault injection at this edge: bit fault_bit_i of row fault_addr_i is flipped (1), 0 (2), 1 (3)
    input  logic [1:0]                fault_op_i,
    input  logic [AddrBits-1:0]       fault_addr_i,
    input  logic [9:0]                fault_bit_i,
`endif
    // rows read
    input  logic [NumRd*AddrBits-1:0] rd_addr_i,
    output logic [NumRd*Row-1:0]      rd_data_o
);
    // Seeded faults.
    // 220  the lowest bit of what bank 0 delivers is flipped: disp_data_o
    // 221  a result of some lanes overwrites all lanes: disp_data_o or wr_data_o
    // 222  lane 0 of a result is not stored unless lane 1 is: disp_data_o or wr_data_o
`ifdef TESTBUG
    integer testbug;
    initial if ($value$plusargs("testbug=%d", testbug) == 0) testbug = 0;
`elsif FORMAL_BUG
    localparam integer testbug = `FORMAL_BUG;
`else
    localparam integer testbug = 0;
`endif

    logic [Row-1:0] row_q [0:NumColl*Values-1];

    function automatic [Row-1:0] merge(input [Row-1:0] old, input [Row-1:0] data,
                                       input [Lanes-1:0] lane);
        integer l, s;
        begin
            merge = old;
            for (s = 0; s < Slices; s = s + 1)
                for (l = 0; l < Lanes; l = l + 1)
                    if (lane[l]) merge[8*(s*Lanes + l) +: 8] = data[8*(s*Lanes + l) +: 8];
        end
    endfunction

    function automatic waits(input [NumColl-1:0] coming, input [CollBits-1:0] coll);
        waits = (coming >> coll & NumColl'(1)) != '0;
    endfunction
    function automatic [AddrBits-1:0] place(input [NumColl*ValueBits-1:0] from,
                                            input [CollBits-1:0] coll);
        place = AddrBits'(coll) * AddrBits'(Values) + AddrBits'(from[32'(coll)*ValueBits +: ValueBits]);
    endfunction
    for (genvar b = 0; b < Banks; b = b + 1) begin : g_arr
        always_ff @(posedge clk_i)
            if (arr_valid_i[b] && waits(coming_i, arr_coll_i[b*CollBits +: CollBits]))
                row_q[place(from_i, arr_coll_i[b*CollBits +: CollBits])] <=
                    arr_data_i[b*Row +: Row] ^ Row'(testbug == 220 && b == 0);
    end
    for (genvar p = 0; p < NumWr; p = p + 1) begin : g_res
        logic [AddrBits-1:0] addr;
        logic [Lanes-1:0]    lane;
        assign addr = res_addr_i[p*AddrBits +: AddrBits];
        assign lane = testbug == 221 ? {Lanes{1'b1}}
                    : testbug == 222 ? res_lane_i[p*Lanes +: Lanes] &
                                       ~Lanes'(!res_lane_i[p*Lanes + Lanes/16])
                    : res_lane_i[p*Lanes +: Lanes];
        always_ff @(posedge clk_i)
            if (res_valid_i[p])
                row_q[addr] <= lane == {Lanes{1'b1}} ? res_data_i[p*Row +: Row]
                                                     : merge(row_q[addr], res_data_i[p*Row +: Row], lane);
    end
`ifdef TESTBUG
    // The row as it would be after this edge, changed.
    logic [Row-1:0] fault_row, fault_old, fault_mask;
    assign fault_mask = Row'(1) << fault_bit_i;
    assign fault_old  = row_q[fault_addr_i];
    always @* begin
        fault_row = '0;
        if (fault_op_i != 2'd0) begin
            fault_row = fault_old;
            for (int b = 0; b < Banks; b = b + 1)
                if (arr_valid_i[b] && waits(coming_i, arr_coll_i[b*CollBits +: CollBits]) &&
                    place(from_i, arr_coll_i[b*CollBits +: CollBits]) == fault_addr_i)
                    fault_row = arr_data_i[b*Row +: Row];
            for (int p = 0; p < NumWr; p = p + 1)
                if (res_valid_i[p] && res_addr_i[p*AddrBits +: AddrBits] == fault_addr_i)
                    fault_row = merge(fault_row, res_data_i[p*Row +: Row], res_lane_i[p*Lanes +: Lanes]);
            case (fault_op_i)
                2'd1:    fault_row = fault_row ^ fault_mask;
                2'd2:    fault_row = fault_row & ~fault_mask;
                default: fault_row = fault_row | fault_mask;
            endcase
        end
    end
    always_ff @(posedge clk_i) if (fault_op_i != 2'd0) row_q[fault_addr_i] <= fault_row;
`endif

    for (genvar r = 0; r < NumRd; r = r + 1) begin : g_rd
        assign rd_data_o[r*Row +: Row] = row_q[rd_addr_i[r*AddrBits +: AddrBits]];
    end
`ifdef RF_OBS
    assign obs_data_o = obs_en_i ? row_q[obs_addr_i] : '0;
`endif

`ifdef SIM
    initial begin
        if (NumColl < 2 || NumColl > 32)
            $fatal(1, "boc_rows: NumColl = %0d, legal is 2..32", NumColl);
        if (Values < 2 || Values > 28) $fatal(1, "boc_rows: Values = %0d, legal is 2..28", Values);
        if (Banks < 1 || Banks > 32) $fatal(1, "boc_rows: Banks = %0d, legal is 1..32", Banks);
        if (NumWr < 1 || NumWr > 4) $fatal(1, "boc_rows: NumWr = %0d, legal is 1..4", NumWr);
        if (NumRd < 1 || NumRd > 28) $fatal(1, "boc_rows: NumRd = %0d, legal is 1..28", NumRd);
    end
`endif

`ifdef FORMAL
    // Contract, for any row f_a and lane f_l: it holds what was written to it last.
    (* anyconst *) logic [AddrBits-1:0] f_a;
    logic       f_past, f_known;
    logic [Row-1:0] f_value;
    logic       f_writes;
    initial f_past  = 1'b0;
    initial f_known = 1'b0;
    logic [2:0]     f_writers;
    logic [Row-1:0]   f_next;
    logic [Banks-1:0] f_arrives;
    always_comb begin
        f_writers = '0;
        f_next    = f_value;
        for (int b = 0; b < Banks; b = b + 1)
            f_arrives[b] = arr_valid_i[b] && waits(coming_i, arr_coll_i[b*CollBits +: CollBits]) &&
                           place(from_i, arr_coll_i[b*CollBits +: CollBits]) == f_a;
        for (int b = 0; b < Banks; b = b + 1)
            if (f_arrives[b]) begin
                f_writers = f_writers + 3'd1;
                f_next    = arr_data_i[b*Row +: Row];
            end
        for (int p = 0; p < NumWr; p = p + 1)
            if (res_valid_i[p] && res_addr_i[p*AddrBits +: AddrBits] == f_a) begin
                f_writers = f_writers + 3'd1;
                if (res_lane_i[p*Lanes]) f_next = res_data_i[p*Row +: Row];
            end
        f_writes = f_writers != '0;
        // one writer of a row and cycle, and rows that exist
        assume (f_writers < 3'd2);
        assume (f_a < NumColl * Values);
        assume (obs_en_i && obs_addr_i == f_a);
    end
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (f_writes && !f_past) f_value <= f_next;
        if (f_writes) f_value <= f_next;
        for (int b = 0; b < Banks; b = b + 1)
            if (f_arrives[b]) f_known <= 1'b1;
        for (int p = 0; p < NumWr; p = p + 1)
            if (res_valid_i[p] && res_addr_i[p*AddrBits +: AddrBits] == f_a && res_lane_i[p*Lanes])
                f_known <= 1'b1;
    end
    always_comb if (f_past && f_known) begin
        assert (obs_data_o == f_value);
        for (int r = 0; r < NumRd; r = r + 1)
            if (rd_addr_i[r*AddrBits +: AddrBits] == f_a) assert (rd_data_o[r*Row +: Row] == f_value);
    end
    always_comb begin
        cover (f_past && f_known && f_value == 8'h5a && rd_addr_i[AddrBits-1:0] == f_a);
        cover (f_past && f_known && res_valid_i[0] && !res_lane_i[0] && res_addr_i[AddrBits-1:0] == f_a);
    end
`endif
endmodule
