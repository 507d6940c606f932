// SPDX-License-Identifier: Apache-2.0
// One operand collector: a small state machine with its operand rows. Used by collector_ranks.sv.
module collector_slot #(
    parameter int NumOps = 3,
    parameter int BB = 2,
    parameter int EB = 8,
    parameter int UB = 2
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   enter_i,
    input  logic [UB-1:0]          unit_i,
    input  logic [NumOps-1:0]      need_i,
    input  logic [NumOps*BB-1:0]   bank_i,
    input  logic [NumOps*EB-1:0]   entry_i,
    input  logic                   leave_i,
    input  logic                   grant_i,
    input  logic                   data_valid_i,
    input  logic [1023:0]          data_i,
    output logic                   busy_o,
    output logic                   ready_o,
    output logic [UB-1:0]          unit_o,
    output logic [NumOps-1:0]      need_o,
    output logic                   ask_o,
    output logic [BB-1:0]          bank_o,
    output logic [EB-1:0]          entry_o,
    output logic [NumOps*1024-1:0] rows_o
);
    logic                 busy_q, coming_q;
    logic [1:0]           next_q, arriving_q;   // operand presented, operand on its way
    logic [UB-1:0]        unit_q;
    logic [NumOps-1:0]    wanted_q, missing_q, need_q;  // not yet granted, not yet arrived
    logic [NumOps*BB-1:0] bank_q;
    logic [NumOps*EB-1:0] entry_q;
    logic [1023:0]        row_q [0:NumOps-1];

    assign busy_o  = busy_q;
    assign unit_o  = unit_q;
    assign need_o  = need_q;
    assign ask_o   = busy_q && wanted_q != '0;
    assign ready_o = busy_q && missing_q == '0;
    assign bank_o  = bank_q[32'(next_q)*BB +: BB];
    assign entry_o = entry_q[32'(next_q)*EB +: EB];
    for (genvar o = 0; o < NumOps; o++) begin : out
        assign rows_o[o*1024 +: 1024] = row_q[o];
    end

    // The first wanted operand after `from`, going round.
    function automatic [1:0] after(input [1:0] from, input [NumOps-1:0] wanted);
        int o;
        after = from;
        for (int i = NumOps; i >= 1; i--) begin
            o = (32'(from) + i) % NumOps;
            if (wanted[o]) after = 2'(o);
        end
    endfunction

    logic [NumOps-1:0] wanted_d;
    always_comb begin
        wanted_d = wanted_q;
        if (ask_o && grant_i) wanted_d[next_q] = 1'b0;
    end

    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            busy_q   <= 1'b0;
            coming_q <= 1'b0;
        end else if (enter_i) begin
            busy_q    <= 1'b1;
            coming_q  <= 1'b0;
            unit_q    <= unit_i;
            need_q    <= need_i;
            wanted_q  <= need_i;
            missing_q <= need_i;
            bank_q    <= bank_i;
            entry_q   <= entry_i;
            next_q    <= after(2'(NumOps - 1), need_i);
        end else begin
            if (leave_i) busy_q <= 1'b0;
            wanted_q   <= wanted_d;
            coming_q   <= ask_o && grant_i;
            arriving_q <= next_q;
            if (ask_o) next_q <= after(next_q, wanted_d);
            if (coming_q && data_valid_i) begin
                missing_q[arriving_q] <= 1'b0;
                row_q[arriving_q]     <= data_i;
            end
        end
    end
endmodule
