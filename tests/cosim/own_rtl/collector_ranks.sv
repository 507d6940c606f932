// SPDX-License-Identifier: Apache-2.0
// A second implementation of block operand_collector, as from a user: one instance of
// collector_slot per collector. Each has a rank (number of older busy collectors), where ours has
// planes of bits and an age matrix. No observation ports.
module operand_collector #(
    parameter int NumColl  = 16,
    parameter int NumOps   = 3,
    parameter int NumAlloc = 2,
    parameter int NumDisp  = 4,
    parameter int Banks    = 4,
    parameter int Entries  = 256,
    localparam int BB = Banks > 1 ? $clog2(Banks) : 1,
    localparam int EB = Entries > 1 ? $clog2(Entries) : 1,
    localparam int CB = NumColl > 1 ? $clog2(NumColl) : 1,
    localparam int UB = NumDisp > 1 ? $clog2(NumDisp) : 1
) (
    input  logic                          clk_i,
    input  logic                          rst_ni,
    input  logic [NumAlloc-1:0]           alloc_valid_i,
    input  logic [NumAlloc*UB-1:0]        alloc_unit_i,
    input  logic [NumAlloc*NumOps-1:0]    alloc_need_i,
    input  logic [NumAlloc*NumOps*BB-1:0] alloc_bank_i,
    input  logic [NumAlloc*NumOps*EB-1:0] alloc_entry_i,
    output logic [NumAlloc-1:0]           alloc_ready_o,
    output logic [NumAlloc*CB-1:0]        alloc_slot_o,
    output logic [NumColl-1:0]            rd_valid_o,
    output logic [NumColl*BB-1:0]         rd_bank_o,
    output logic [NumColl*EB-1:0]         rd_entry_o,
    output logic [NumColl*NumColl-1:0]    older_o,
    input  logic [NumColl-1:0]            rd_grant_i,
    input  logic [Banks-1:0]              rd_data_valid_i,
    input  logic [Banks*CB-1:0]           rd_data_coll_i,
    input  logic [Banks*1024-1:0]         rd_data_i,
    input  logic [NumDisp-1:0]            disp_ready_i,
    output logic [NumDisp-1:0]            disp_valid_o,
    output logic [NumDisp*CB-1:0]         disp_slot_o,
    output logic [NumDisp*NumOps-1:0]     disp_need_o,
    output logic [NumDisp*NumOps*1024-1:0] disp_data_o
);
    logic [NumColl-1:0]             busy, ready, leave, enter;
    logic [NumColl*UB-1:0]          unit;
    logic [NumColl*NumOps-1:0]      need;
    logic [NumColl*NumOps*1024-1:0] rows;
    logic [NumColl*(CB+1)-1:0]      rank_q;
    logic [NumColl*32-1:0]          port;    // allocation port that fills collector c

    // Free collectors in order of their number, one per allocation port.
    always_comb begin
        int unsigned a;
        a = 0;
        alloc_ready_o = '0;
        alloc_slot_o  = '0;
        enter         = '0;
        port          = '0;
        for (int c = 0; c < NumColl; c++)
            if (!busy[c] && a < NumAlloc) begin
                alloc_ready_o[a]          = 1'b1;
                alloc_slot_o[a*CB +: CB]  = CB'(c);
                enter[c]                  = alloc_valid_i[a];
                port[c*32 +: 32]          = a;
                a = a + 1;
            end
    end

    // Who delivers to collector c.
    logic [NumColl-1:0]      data_valid;
    logic [NumColl*1024-1:0] data;
    always_comb begin
        data_valid = '0;
        data       = '0;
        for (int b = 0; b < Banks; b++)
            for (int c = 0; c < NumColl; c++)
                if (rd_data_valid_i[b] && rd_data_coll_i[b*CB +: CB] == CB'(c)) begin
                    data_valid[c]           = 1'b1;
                    data[c*1024 +: 1024]    = rd_data_i[b*1024 +: 1024];
                end
    end

    for (genvar c = 0; c < NumColl; c++) begin : slots
        logic [31:0] p;
        assign p = port[c*32 +: 32];
        collector_slot #(.NumOps(NumOps), .BB(BB), .EB(EB), .UB(UB)) slot (
            .clk_i, .rst_ni,
            .enter_i (enter[c]),
            .unit_i  (alloc_unit_i[p*UB +: UB]),
            .need_i  (alloc_need_i[p*NumOps +: NumOps]),
            .bank_i  (alloc_bank_i[p*NumOps*BB +: NumOps*BB]),
            .entry_i (alloc_entry_i[p*NumOps*EB +: NumOps*EB]),
            .leave_i (leave[c]),
            .grant_i (rd_grant_i[c]),
            .data_valid_i (data_valid[c]),
            .data_i  (data[c*1024 +: 1024]),
            .busy_o  (busy[c]),
            .ready_o (ready[c]),
            .unit_o  (unit[c*UB +: UB]),
            .need_o  (need[c*NumOps +: NumOps]),
            .ask_o   (rd_valid_o[c]),
            .bank_o  (rd_bank_o[c*BB +: BB]),
            .entry_o (rd_entry_o[c*EB +: EB]),
            .rows_o  (rows[c*NumOps*1024 +: NumOps*1024])
        );
    end

    // Ranks: those behind a collector that leaves move up; a collector that enters is last.
    always_ff @(posedge clk_i) begin
        int unsigned staying;
        staying = 0;
        for (int c = 0; c < NumColl; c++) if (busy[c] && !leave[c]) staying = staying + 1;
        for (int c = 0; c < NumColl; c++) begin
            int unsigned rank;
            rank = 32'(rank_q[c*(CB+1) +: CB+1]);
            for (int l = 0; l < NumColl; l++)
                if (leave[l] && rank_q[l*(CB+1) +: CB+1] < rank_q[c*(CB+1) +: CB+1]) rank = rank - 1;
            if (enter[c]) begin
                rank = staying;
                for (int e = 0; e < NumColl; e++)
                    if (enter[e] && port[e*32 +: 32] < port[c*32 +: 32]) rank = rank + 1;
            end
            if (!rst_ni) rank_q[c*(CB+1) +: CB+1] <= '0;
            else         rank_q[c*(CB+1) +: CB+1] <= (CB+1)'(rank);
        end
    end
    always_comb begin
        for (int c = 0; c < NumColl; c++)
            for (int o = 0; o < NumColl; o++)
                older_o[c*NumColl + o] =
                    busy[c] && busy[o] && rank_q[o*(CB+1) +: CB+1] < rank_q[c*(CB+1) +: CB+1];
    end

    // The lowest rank among the ready collectors of each unit.
    always_comb begin
        leave        = '0;
        disp_valid_o = '0;
        disp_slot_o  = '0;
        disp_need_o  = '0;
        disp_data_o  = '0;
        for (int d = 0; d < NumDisp; d++) begin
            int best;
            best = -1;
            for (int c = 0; c < NumColl; c++)
                if (ready[c] && unit[c*UB +: UB] == UB'(d) &&
                    (best < 0 || rank_q[c*(CB+1) +: CB+1] < rank_q[best*(CB+1) +: CB+1]))
                    best = c;
            if (best >= 0) begin
                disp_valid_o[d]                                = 1'b1;
                disp_slot_o[d*CB +: CB]                        = CB'(best);
                disp_need_o[d*NumOps +: NumOps]                = need[best*NumOps +: NumOps];
                disp_data_o[d*NumOps*1024 +: NumOps*1024]      = rows[best*NumOps*1024 +: NumOps*1024];
                leave[best] = disp_ready_i[d];
            end
        end
    end
endmodule
