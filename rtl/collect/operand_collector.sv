// SPDX-License-Identifier: Apache-2.0
// Purpose:    the pool of operand collectors. An instruction enters a free collector and requests
//             its operands from the banked register file one by one. It leaves for its unit when
//             all have arrived. Contract: models/collect/operand_collector.h.
// Parameters: NumColl, 2..32: collectors; NumOps, 1..3: operands per collector; NumAlloc, 1..4:
//             instructions accepted per cycle. NumDisp, 1..8: execution units, one dispatch port
//             each; Banks, 1..32, and Entries, 2..1024, of the register file. The other widths
//             follow.
// Timing:     all outputs depend on state alone. An instruction with alloc_valid_i and
//             alloc_ready_o enters at the clock edge and requests its first operand in the next
//             cycle. Input rd_grant_i in cycle t announces data in t+1, stored at that edge. A
//             dispatch (disp_valid_o with disp_ready_i) frees the collector at the edge. Output
//             disp_data_o is defined where the bit of disp_need_o is set.
// Reset:      all collectors free.
// Left out:   coalescing and bypassing.
// Shapes:     -
// Shapes:     NumColl=2,NumOps=1,NumAlloc=4,NumDisp=1,Banks=1,Entries=2
// Shapes:     NumColl=5,NumOps=2,NumAlloc=3,NumDisp=3,Banks=3,Entries=100
// Proof:      2:9:NumColl=2,NumOps=2,NumAlloc=1,NumDisp=1,Banks=2,Entries=2
// Proof:      2:9:NumColl=3,NumOps=3,NumAlloc=2,NumDisp=2,Banks=2,Entries=2

`include "macros.svh"

module operand_collector #(
    parameter int NumColl  = 16,
    parameter int NumOps   = 3,
    parameter int NumAlloc = 2,
    parameter int NumDisp  = 4,
    parameter int Banks    = 4,
    parameter int Entries  = 256,
    localparam int Row       = `NARROW(4, 1024),  // data is not inspected: a narrow row represents all in proofs
    localparam int BankBits  = Banks > 1 ? $clog2(Banks) : 1,
    localparam int EntryBits = Entries > 1 ? $clog2(Entries) : 1,
    localparam int CollBits  = NumColl > 1 ? $clog2(NumColl) : 1,
    localparam int UnitBits  = NumDisp > 1 ? $clog2(NumDisp) : 1
) (
    input  logic                                 clk_i,
    input  logic                                 rst_ni,
    // instructions enter
    input  logic [NumAlloc-1:0]                  alloc_valid_i,
    input  logic [NumAlloc*UnitBits-1:0]         alloc_unit_i,
    input  logic [NumAlloc*NumOps-1:0]           alloc_need_i,
    input  logic [NumAlloc*NumOps*BankBits-1:0]  alloc_bank_i,
    input  logic [NumAlloc*NumOps*EntryBits-1:0] alloc_entry_i,
    output logic [NumAlloc-1:0]                  alloc_ready_o,
    output logic [NumAlloc*CollBits-1:0]         alloc_slot_o,
    // collectors ask for operands
    output logic [NumColl-1:0]                   rd_valid_o,
    output logic [NumColl*BankBits-1:0]          rd_bank_o,
    output logic [NumColl*EntryBits-1:0]         rd_entry_o,
    output logic [NumColl*NumColl-1:0]           older_o,
    input  logic [NumColl-1:0]                   rd_grant_i,
    // banks deliver
    input  logic [Banks-1:0]                     rd_data_valid_i,
    input  logic [Banks*CollBits-1:0]            rd_data_coll_i,
    input  logic [Banks*Row-1:0]                rd_data_i,
    // observation: status words, operand rows, then parameters
    `OBS_PORT(input  logic [31:0]                          obs_addr_i)
    `OBS_PORT(output logic [1023:0]                        obs_data_o)
    // instructions leave
    input  logic [NumDisp-1:0]                   disp_ready_i,
    output logic [NumDisp-1:0]                   disp_valid_o,
    output logic [NumDisp*CollBits-1:0]          disp_slot_o,
    output logic [NumDisp*NumOps-1:0]            disp_need_o,
    output logic [NumDisp*NumOps*Row-1:0]       disp_data_o
);

    localparam int LocBits = BankBits + EntryBits;

    // State is kept in planes: bit c of plane o belongs to operand o of collector c. One step for
    // all collectors is then a few operations on NumColl-bit words.
    logic [NumColl-1:0]          busy_q;
    logic [UnitBits*NumColl-1:0] unit_q;     // plane k: bit k of the unit
    logic [NumOps*NumColl-1:0]   need_q;     // operands to read
    logic [NumOps*NumColl-1:0]   ask_q;      // the one presented; none when all are granted
    logic [NumOps*NumColl-1:0]   granted_q;
    logic [NumOps*NumColl-1:0]   coming_q;   // granted in the cycle before
    logic [NumOps*NumColl-1:0]   arrived_q;
    logic [NumColl*NumColl-1:0]  age_q;      // row c: collectors older than c, 0 while c is free
    // {bank, entry} of operand o of collector c at index c*NumOps + o
    logic [NumOps*NumColl*LocBits-1:0] loc_q;

    // ---- Allocation: the lowest free collector for port 0, the next one for port 1, ...
    logic [NumAlloc*NumColl-1:0] enter;        // the same where an instruction enters
    logic [NumColl-1:0]          enter_any;
    for (genvar a = 0; a < NumAlloc; a = a + 1) begin : g_alloc
        logic [NumColl-1:0] free, first;
        if (a == 0) begin : g_lowest
            assign free = ~busy_q;
        end else begin : g_next
            assign free = g_alloc[a-1].free & ~g_alloc[a-1].first;
        end
        assign first = free & (~free + NumColl'(1));
        assign enter[a*NumColl +: NumColl] = alloc_valid_i[a] ? first : '0;
        assign alloc_ready_o[a] = free != '0;
        onehot_index #(.Width(NumColl)) u_slot (
            .one_i(first), .index_o(alloc_slot_o[a*CollBits +: CollBits])
        );
    end
    always @* begin
        enter_any = '0;
        for (int a = 0; a < NumAlloc; a = a + 1)
            enter_any = enter_any | enter[a*NumColl +: NumColl];
    end

    // ---- Requests
    always @* begin
        rd_valid_o = '0;
        for (int o = 0; o < NumOps; o = o + 1)
            rd_valid_o = rd_valid_o | ask_q[o*NumColl +: NumColl];
    end
    for (genvar c = 0; c < NumColl; c = c + 1) begin : g_rd
        logic [LocBits-1:0] loc;
        always @* begin
            loc = '0;
            for (int o = 0; o < NumOps; o = o + 1)
                loc = loc | (loc_q[(c*NumOps + o)*LocBits +: LocBits] &
                             {LocBits{ask_q[o*NumColl + c]}});
        end
        assign rd_entry_o[c*EntryBits +: EntryBits] = loc[EntryBits-1:0];
        assign rd_bank_o[c*BankBits +: BankBits]    = loc[LocBits-1:EntryBits];
    end
    assign older_o = age_q;

    // ---- Collection: who gets data in this cycle
    logic [NumColl-1:0] get;
    always @* begin
        get = '0;
        for (int b = 0; b < Banks; b = b + 1)
            if (rd_data_valid_i[b])
                get = get | (NumColl'(1) << rd_data_coll_i[b*CollBits +: CollBits]);
    end

    // ---- Dispatch: the oldest ready collector of each unit
    logic [NumColl-1:0]         ready;
    logic [NumDisp*NumColl-1:0] offer;       // one-hot per unit
    logic [NumColl-1:0]         leave;
    always @* begin
        ready = busy_q;
        for (int o = 0; o < NumOps; o = o + 1)
            ready = ready & ~(need_q[o*NumColl +: NumColl] & ~arrived_q[o*NumColl +: NumColl]);
    end
    for (genvar d = 0; d < NumDisp; d = d + 1) begin : g_disp
        logic [NumColl-1:0]  cand, win;
        logic [CollBits-1:0] idx;
        always @* begin
            cand = ready;
            for (int k = 0; k < UnitBits; k = k + 1)
                cand = cand & (((d >> k) & 1) != 0 ? unit_q[k*NumColl +: NumColl]
                                                   : ~unit_q[k*NumColl +: NumColl]);
        end
        always @* begin
            win = '0;
            if (cand != '0)
                for (int c = 0; c < NumColl; c = c + 1)
                    win[c] = cand[c] && (cand & age_q[c*NumColl +: NumColl]) == '0;
        end
        onehot_index #(.Width(NumColl)) u_win (
            .one_i(win), .index_o(idx)
        );
        assign offer[d*NumColl +: NumColl]          = win;
        assign disp_valid_o[d]                      = cand != '0;
        assign disp_slot_o[d*CollBits +: CollBits] = idx;
    end
    always @* begin
        leave = '0;
        for (int d = 0; d < NumDisp; d = d + 1)
            if (disp_ready_i[d]) leave = leave | offer[d*NumColl +: NumColl];
    end

    `OBS(logic [31:0]           obs_op;)
    `OBS(logic [CollBits-1:0]   obs_coll;)
    `OBS(logic                  obs_row_en;)
    `OBS(logic [NumOps*Row-1:0] obs_rows;)

    // ---- Operand rows: one memory per operand, written from the banks, read by the dispatch ports
    for (genvar o = 0; o < NumOps; o = o + 1) begin : g_op
        logic [Row-1:0] row_q [0:NumColl-1];
        for (genvar b = 0; b < Banks; b = b + 1) begin : g_bank
            logic [CollBits-1:0] coll;
            logic                store;
            assign coll  = rd_data_coll_i[b*CollBits +: CollBits];
            assign store = rd_data_valid_i[b] &&
                ((coming_q[o*NumColl +: NumColl] >> coll) & NumColl'(1)) != '0;
            always_ff @(posedge clk_i)
                if (store) row_q[coll] <= rd_data_i[b*Row +: Row];
        end
        `OBS(assign obs_rows[o*Row +: Row] =
            obs_row_en && obs_op == o && busy_q[obs_coll] && arrived_q[o*NumColl + 32'(obs_coll)]
                ? row_q[obs_coll] : '0;)
        for (genvar d = 0; d < NumDisp; d = d + 1) begin : g_disp
            assign disp_need_o[d*NumOps + o] =
                (offer[d*NumColl +: NumColl] & need_q[o*NumColl +: NumColl]) != '0;
            assign disp_data_o[(d*NumOps + o)*Row +: Row] =
                row_q[disp_slot_o[d*CollBits +: CollBits]];
        end
    end

    // ---- Next state
    logic [NumOps*NumColl-1:0] open_d, ask_d, granted_d, grant;
    always @* begin
        for (int o = 0; o < NumOps; o = o + 1) begin
            grant[o*NumColl +: NumColl]     = ask_q[o*NumColl +: NumColl] & rd_grant_i;
            granted_d[o*NumColl +: NumColl] =
                granted_q[o*NumColl +: NumColl] | grant[o*NumColl +: NumColl];
            open_d[o*NumColl +: NumColl]    =
                need_q[o*NumColl +: NumColl] & ~granted_d[o*NumColl +: NumColl];
        end
    end
    // From the operand presented (p) on, the first still open one is presented next, p itself last.
    logic [NumColl-1:0] from;
    always @* begin
        ask_d = '0;
        for (int p = 0; p < NumOps; p = p + 1) begin
            from = ask_q[p*NumColl +: NumColl];
            for (int i = 1; i <= NumOps; i = i + 1) begin
                ask_d[((p + i) % NumOps)*NumColl +: NumColl] =
                    ask_d[((p + i) % NumOps)*NumColl +: NumColl] |
                    (from & open_d[((p + i) % NumOps)*NumColl +: NumColl]);
                from = from & ~open_d[((p + i) % NumOps)*NumColl +: NumColl];
            end
        end
    end

    // Instructions that enter, and before_in: per port the collectors older than its instruction.
    logic [NumOps*NumColl-1:0]   need_in, ask_in;
    logic [UnitBits*NumColl-1:0] unit_in;
    logic [NumAlloc*NumColl-1:0] before_in;
    logic [NumColl-1:0]          stay, elder;
    logic [NumOps-1:0]           need;
    assign stay = busy_q & ~leave;
    always @* begin
        need_in = '0;
        ask_in  = '0;
        unit_in = '0;
        elder   = stay;
        for (int a = 0; a < NumAlloc; a = a + 1) begin
            need = alloc_need_i[a*NumOps +: NumOps];
            before_in[a*NumColl +: NumColl] = elder;
            elder = elder | enter[a*NumColl +: NumColl];
            for (int o = 0; o < NumOps; o = o + 1) begin
                if (need[o]) need_in[o*NumColl +: NumColl] = need_in[o*NumColl +: NumColl] |
                                                             enter[a*NumColl +: NumColl];
                if (need[o] && (need & ((NumOps'(1) << o) - NumOps'(1))) == '0)
                    ask_in[o*NumColl +: NumColl] = ask_in[o*NumColl +: NumColl] |
                                                   enter[a*NumColl +: NumColl];
            end
            for (int k = 0; k < UnitBits; k = k + 1)
                if (alloc_unit_i[a*UnitBits + k])
                    unit_in[k*NumColl +: NumColl] = unit_in[k*NumColl +: NumColl] |
                                                    enter[a*NumColl +: NumColl];
        end
    end

    // The wide registers (age, location) take their next value here rather than from a _d copy.
    // They change only when an instruction enters or leaves, and a simulator skips them otherwise.
    function automatic [NumColl-1:0] age_row(input integer c);
        integer a;
        begin
            age_row = leave[c] ? '0 : age_q[c*NumColl +: NumColl] & ~leave;
            for (a = 0; a < NumAlloc; a = a + 1)
                if (enter[a*NumColl + c]) age_row = before_in[a*NumColl +: NumColl];
        end
    endfunction
    logic [NumColl-1:0]          busy_d;
    logic [NumOps*NumColl-1:0]   need_d, asked_d, held_d, arrived_d;
    logic [UnitBits*NumColl-1:0] unit_d;
    assign busy_d    = (busy_q & ~leave) | enter_any;
    assign need_d    = (need_q & ~{NumOps{enter_any}}) | need_in;
    assign asked_d   = ask_d | ask_in;
    assign held_d    = granted_d & ~{NumOps{enter_any}};
    assign arrived_d = (arrived_q | (coming_q & {NumOps{get}})) &
                       ~{NumOps{enter_any}};
    assign unit_d    = (unit_q & ~{UnitBits{enter_any}}) | unit_in;
    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            busy_q    <= '0;
            need_q    <= '0;
            ask_q     <= '0;
            granted_q <= '0;
            coming_q  <= '0;
            arrived_q <= '0;
            age_q     <= '0;
        end else begin
            busy_q    <= busy_d;
            need_q    <= need_d;
            ask_q     <= asked_d;
            granted_q <= held_d;
            coming_q  <= grant;
            arrived_q <= arrived_d;
            if ((leave | enter_any) != '0)
                for (int c = 0; c < NumColl; c = c + 1) age_q[c*NumColl +: NumColl] <= age_row(c);
        end
    end
    always_ff @(posedge clk_i) begin
        unit_q <= unit_d;
        for (int c = 0; c < NumColl; c = c + 1)
            for (int a = 0; a < NumAlloc; a = a + 1)
                if (enter[a*NumColl + c])
                    for (int o = 0; o < NumOps; o = o + 1)
                        loc_q[(c*NumOps + o)*LocBits +: LocBits] <=
                            {alloc_bank_i[(a*NumOps + o)*BankBits +: BankBits],
                             alloc_entry_i[(a*NumOps + o)*EntryBits +: EntryBits]};
    end

    `CHECK_RANGE(operand_collector, NumColl, 2, 32)
    `CHECK_RANGE(operand_collector, NumOps, 1, 3)
    `CHECK_RANGE(operand_collector, NumAlloc, 1, 4)
    `CHECK_RANGE(operand_collector, NumDisp, 1, 8)
    `CHECK_RANGE(operand_collector, Banks, 1, 32)
    `CHECK_RANGE(operand_collector, Entries, 2, 1024)
    `include "collect/operand_collector.obs.svh"
endmodule
