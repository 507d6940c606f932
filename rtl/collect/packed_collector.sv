// SPDX-License-Identifier: Apache-2.0
// Purpose:    the pool of operand collectors behind a renaming table. An instruction enters with
//             its reads, each of which returns one or two values for one to three operands. It
//             requests one read after the other, and leaves for its unit when all operands have
//             arrived. Contract: models/rf/rf_datapath.h, `Issue` to `Dispatch`.
// Parameters: NumColl, 2..31: collectors; NumOps, 1..3: operands per collector; NumAlloc, 1..4:
//             instructions accepted per cycle. NumDisp, 1..8: execution units, one dispatch port
//             each; Banks, 1..32, and Entries, 2..1024, of the register file. Row, 1..1024: bits of
//             an operand (data is not inspected: in proofs a narrow row represents all).
// Timing:     outputs depend on state alone, but alloc_ready_o (0 where not valid) and alloc_slot_o
//             also on alloc_valid_i and alloc_first_i. Outputs rd_mask1_o and rd_mask2_o say how to
//             unpack the row of a bank in the cycle of its delivery. An instruction that enters at
//             the clock edge requests its first read in the next cycle. Input rd_grant_i in cycle t
//             announces data in t+1, stored at that edge. A dispatch (disp_valid_o with
//             disp_ready_i) frees the collector at the edge. Output disp_data_o is defined where
//             the bit of disp_need_o is set.
// Reset:      all collectors free.
// Left out:   looking up places and pairing operands (rename_table, coalescer, unpacker).
// Shapes:     -
// Shapes:     NumColl=2,NumOps=1,NumAlloc=4,NumDisp=1,Banks=1,Entries=2
// Shapes:     NumColl=5,NumOps=2,NumAlloc=3,NumDisp=3,Banks=3,Entries=100
// Proof:      1:8:NumColl=3,NumOps=2,NumAlloc=2,NumDisp=2,Banks=1,Entries=2,Row=1
// Proof:      1:8:NumColl=2,NumOps=3,NumAlloc=1,NumDisp=1,Banks=2,Entries=2,Row=2

`include "macros.svh"

module packed_collector #(
    parameter int NumColl  = 16,
    parameter int NumOps   = 3,
    parameter int NumAlloc = 2,
    parameter int NumDisp  = 4,
    parameter int Banks    = 4,
    parameter int Entries  = 256,
    parameter int Row      = 1024,
    localparam int BankBits  = Banks > 1 ? $clog2(Banks) : 1,
    localparam int EntryBits = Entries > 1 ? $clog2(Entries) : 1,
    localparam int CollBits  = NumColl > 1 ? $clog2(NumColl) : 1,
    localparam int UnitBits  = NumDisp > 1 ? $clog2(NumDisp) : 1,
    localparam int AllocBits = NumAlloc > 1 ? $clog2(NumAlloc) : 1,
    localparam int NumSrc    = NumAlloc * NumOps
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    // instructions enter; port alloc_first_i is served first, then the next ones cyclically; read
    // a*NumOps + o is led by operand o
    input  logic [NumAlloc-1:0]          alloc_valid_i,
    input  logic [AllocBits-1:0]         alloc_first_i,
    input  logic [NumAlloc*UnitBits-1:0] alloc_unit_i,
    input  logic [NumSrc-1:0]            alloc_need_i,
    input  logic [NumSrc-1:0]            alloc_unmapped_i,
    input  logic [NumSrc-1:0]            alloc_read_i,
    input  logic [NumSrc*BankBits-1:0]   alloc_bank_i,
    input  logic [NumSrc*EntryBits-1:0]  alloc_entry_i,
    input  logic [NumSrc*EntryBits-1:0]  alloc_entry2_i,
    input  logic [NumSrc*4-1:0]          alloc_sel_i,
    input  logic [NumSrc*4-1:0]          alloc_mask1_i,
    input  logic [NumSrc*4-1:0]          alloc_mask2_i,
    input  logic [NumSrc*NumOps-1:0]     alloc_ops1_i,
    input  logic [NumSrc*NumOps-1:0]     alloc_ops2_i,
    output logic [NumAlloc-1:0]          alloc_ready_o,
    output logic [NumAlloc*CollBits-1:0] alloc_slot_o,
    // collectors ask
    output logic [NumColl-1:0]           rd_valid_o,
    output logic [NumColl*BankBits-1:0]  rd_bank_o,
    output logic [NumColl*EntryBits-1:0] rd_entry_o,
    output logic [NumColl*EntryBits-1:0] rd_entry2_o,
    output logic [NumColl*4-1:0]         rd_sel_o,
    output logic [NumColl*NumColl-1:0]   older_o,
    input  logic [NumColl-1:0]           rd_grant_i,
    // banks deliver: how to unpack a row, and the unpacked values
    input  logic [Banks-1:0]             rd_data_valid_i,
    input  logic [Banks*CollBits-1:0]    rd_data_coll_i,
    output logic [Banks*4-1:0]           rd_mask1_o,
    output logic [Banks*4-1:0]           rd_mask2_o,
    input  logic [Banks*Row-1:0]         rd_first_i,
    input  logic [Banks*Row-1:0]         rd_second_i,
    // observation: status words, then operand rows
    `OBS_PORT(input  logic [31:0]                  obs_addr_i)
    `OBS_PORT(output logic [1023:0]                obs_data_o)
    // instructions leave
    input  logic [NumDisp-1:0]           disp_ready_i,
    output logic [NumDisp-1:0]           disp_valid_o,
    output logic [NumDisp*CollBits-1:0]  disp_slot_o,
    output logic [NumDisp*NumOps-1:0]    disp_need_o,
    output logic [NumDisp*NumOps*Row-1:0] disp_data_o
);

    // How a row is taken apart: {ops2, ops1, mask2, mask1}; a read: that, sel, entry2, entry, bank.
    localparam int TakeBits = 8 + 2 * NumOps;
    localparam int ReadBits = TakeBits + 4 + 2 * EntryBits + BankBits;
    localparam int AskBits  = 4 + 2 * EntryBits + BankBits;

    // State in planes, as in operand_collector: bit c of plane o.
    logic [NumColl-1:0]          busy_q, coming_q;
    logic [UnitBits*NumColl-1:0] unit_q;
    logic [NumOps*NumColl-1:0]   need_q;     // operands of the instruction
    logic [NumOps*NumColl-1:0]   miss_q;     // of these: not arrived
    logic [NumOps*NumColl-1:0]   zero_q;     // of these: unmapped
    logic [NumOps*NumColl-1:0]   todo_q;     // reads not granted
    logic [NumOps*NumColl-1:0]   ask_q;      // the one presented
    logic [NumColl*NumColl-1:0]  age_q;      // row c: collectors older than c
    logic [ReadBits-1:0]         read_q [0:NumColl*NumOps-1];
    logic [NumColl*TakeBits-1:0] take_q;     // of the read presented in the cycle before

    // ---- Allocation: the lowest free collector for the first port that asks, the next one for the next, ...
    logic [NumAlloc*NumColl-1:0] pick;       // the lowest free collector, the next one, ..
    logic [NumAlloc*NumColl-1:0] enter;
    logic [NumColl-1:0]          enter_any;
    logic [NumAlloc-1:0]         early;      // ports from the first on: before those below it
    assign early = {NumAlloc{1'b1}} << alloc_first_i;
    for (genvar i = 0; i < NumAlloc; i = i + 1) begin : g_pick
        logic [NumColl-1:0] free, first;
        if (i == 0) begin : g_lowest
            assign free = ~busy_q;
        end else begin : g_next
            assign free = g_pick[i-1].free & ~g_pick[i-1].first;
        end
        assign first = free & (~free + NumColl'(1));
        assign pick[i*NumColl +: NumColl] = first;
    end
    for (genvar a = 0; a < NumAlloc; a = a + 1) begin : g_alloc
        logic [NumAlloc-1:0] ahead;          // ports that ask and precede this one
        logic [AllocBits-1:0] rank;          // number of these
        logic [NumColl-1:0]  coll;
        for (genvar i = 0; i < NumAlloc; i = i + 1) begin : g_ahead
            assign ahead[i] = alloc_valid_i[i] && i != a && (early[i] == early[a] ? i < a : early[i]);
        end
        always @* begin
            rank = '0;
            for (int i = 0; i < NumAlloc; i = i + 1) rank = rank + AllocBits'(ahead[i]);
            coll = '0;
            for (int i = 0; i < NumAlloc; i = i + 1)
                if (rank == AllocBits'(i)) coll = coll | pick[i*NumColl +: NumColl];
        end
        assign enter[a*NumColl +: NumColl] = alloc_valid_i[a] ? coll : '0;
        assign alloc_ready_o[a] = alloc_valid_i[a] && coll != '0;
        onehot_index #(.Width(NumColl)) u_slot (
            .one_i(coll), .index_o(alloc_slot_o[a*CollBits +: CollBits])
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
    logic [NumColl*TakeBits-1:0] take;     // of the read presented
    for (genvar c = 0; c < NumColl; c = c + 1) begin : g_rd
        logic [AskBits-1:0] asked;
        for (genvar o = 0; o < NumOps; o = o + 1) begin : g_word
            logic [ReadBits-1:0] word, shown;    // of this operand, of those up to it
            assign word = ask_q[o*NumColl + c] ? read_q[c*NumOps + o] : '0;
            if (o == 0) begin : g_first
                assign shown = word;
            end else begin : g_next
                assign shown = word | g_word[o-1].shown;
            end
        end
        assign {take[c*TakeBits +: TakeBits], asked} = g_word[NumOps-1].shown;
        assign {rd_sel_o[c*4 +: 4], rd_entry2_o[c*EntryBits +: EntryBits],
                rd_entry_o[c*EntryBits +: EntryBits], rd_bank_o[c*BankBits +: BankBits]} = asked;
    end
    assign older_o = age_q;

    // ---- Delivery: how the row of each bank is taken apart, and what has arrived then
    logic [Banks*TakeBits-1:0] bank_take;
    logic [NumOps*NumColl-1:0] get;        // operands that arrive
    for (genvar b = 0; b < Banks; b = b + 1) begin : g_take
        logic [CollBits-1:0] coll;
        assign coll = rd_data_coll_i[b*CollBits +: CollBits];
        assign bank_take[b*TakeBits +: TakeBits] =
            rd_data_valid_i[b] && coming_q[coll] ? take_q[32'(coll)*TakeBits +: TakeBits] : '0;
        assign rd_mask1_o[b*4 +: 4] = bank_take[b*TakeBits +: 4];
        assign rd_mask2_o[b*4 +: 4] = bank_take[b*TakeBits + 4 +: 4];
    end
    always @* begin
        get = '0;
        for (int b = 0; b < Banks; b = b + 1)
            for (int o = 0; o < NumOps; o = o + 1)
                if (bank_take[b*TakeBits + 8 + o] ||
                    bank_take[b*TakeBits + 8 + NumOps + o])
                    get[o*NumColl +: NumColl] = get[o*NumColl +: NumColl] |
                        (NumColl'(1) << rd_data_coll_i[b*CollBits +: CollBits]);
    end

    // ---- Dispatch: the oldest complete collector of each unit
    logic [NumColl-1:0]         ready;
    logic [NumDisp*NumColl-1:0] offer;
    logic [NumColl-1:0]         leave;
    always @* begin
        ready = busy_q;
        for (int o = 0; o < NumOps; o = o + 1) ready = ready & ~miss_q[o*NumColl +: NumColl];
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
        assign offer[d*NumColl +: NumColl]         = win;
        assign disp_valid_o[d]                     = cand != '0;
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

    // ---- Operand rows: one memory per operand
    for (genvar o = 0; o < NumOps; o = o + 1) begin : g_op
        logic [Row-1:0] row_q [0:NumColl-1];
        for (genvar b = 0; b < Banks; b = b + 1) begin : g_bank
            logic [CollBits-1:0] coll;
            assign coll = rd_data_coll_i[b*CollBits +: CollBits];
            always_ff @(posedge clk_i) begin
                if (bank_take[b*TakeBits + 8 + o]) row_q[coll] <= rd_first_i[b*Row +: Row];
                else if (bank_take[b*TakeBits + 8 + NumOps + o])
                    row_q[coll] <= rd_second_i[b*Row +: Row];
            end
        end
        `OBS(logic obs_here;)
        `OBS(assign obs_here = obs_row_en && obs_op == o && busy_q[obs_coll] &&
            need_q[o*NumColl + 32'(obs_coll)] && !miss_q[o*NumColl + 32'(obs_coll)] &&
            !zero_q[o*NumColl + 32'(obs_coll)];)
        `OBS(assign obs_rows[o*Row +: Row] = obs_here ? row_q[obs_coll] : '0;)
        for (genvar d = 0; d < NumDisp; d = d + 1) begin : g_disp
            logic zero, shows;
            assign zero = (offer[d*NumColl +: NumColl] & zero_q[o*NumColl +: NumColl]) != '0;
            assign disp_need_o[d*NumOps + o] =
                (offer[d*NumColl +: NumColl] & need_q[o*NumColl +: NumColl]) != '0;
            assign shows = disp_need_o[d*NumOps + o] && !zero;   // else nothing toggles
            assign disp_data_o[(d*NumOps + o)*Row +: Row] =
                shows ? row_q[disp_slot_o[d*CollBits +: CollBits]] : '0;
        end
    end

    // ---- Next state
    // From the read presented (p) on, the first still to do is presented next, p itself last.
    logic [NumOps*NumColl-1:0] todo_d, ask_d;
    logic [NumColl-1:0]        from, granted;
    assign granted = rd_valid_o & rd_grant_i;
    always @* begin
        todo_d = todo_q & ~(ask_q & {NumOps{rd_grant_i}});
        ask_d = '0;
        for (int p = 0; p < NumOps; p = p + 1) begin
            from = ask_q[p*NumColl +: NumColl];
            for (int i = 1; i <= NumOps; i = i + 1) begin
                ask_d[((p + i) % NumOps)*NumColl +: NumColl] =
                    ask_d[((p + i) % NumOps)*NumColl +: NumColl] |
                    (from & todo_d[((p + i) % NumOps)*NumColl +: NumColl]);
                from = from & ~todo_d[((p + i) % NumOps)*NumColl +: NumColl];
            end
        end
    end

    // Instructions that enter.
    logic [NumOps*NumColl-1:0]   need_in, todo_in, ask_in, zero_in;
    logic [NumColl-1:0]          elder, port_in;
    logic [NumOps-1:0]           lead;
    logic [UnitBits*NumColl-1:0] unit_in;
    logic [NumAlloc*NumColl-1:0] before_in;
    always @* begin
        need_in = '0;
        todo_in = '0;
        ask_in  = '0;
        zero_in = '0;
        unit_in = '0;
        elder   = busy_q & ~leave;
        for (int a = 0; a < NumAlloc; a = a + 1) begin
            before_in[a*NumColl +: NumColl] = elder;
            port_in = enter[a*NumColl +: NumColl];
            elder = elder | port_in;
            lead = alloc_read_i[a*NumOps +: NumOps];
            lead = lead & (~lead + NumOps'(1));
            for (int o = 0; o < NumOps; o = o + 1) begin
                if (alloc_need_i[a*NumOps + o])
                    need_in[o*NumColl +: NumColl] = need_in[o*NumColl +: NumColl] | port_in;
                if (alloc_unmapped_i[a*NumOps + o])
                    zero_in[o*NumColl +: NumColl] = zero_in[o*NumColl +: NumColl] | port_in;
                if (alloc_read_i[a*NumOps + o])
                    todo_in[o*NumColl +: NumColl] = todo_in[o*NumColl +: NumColl] | port_in;
                if (lead[o]) ask_in[o*NumColl +: NumColl] = ask_in[o*NumColl +: NumColl] | port_in;
            end
            for (int k = 0; k < UnitBits; k = k + 1)
                if (alloc_unit_i[a*UnitBits + k])
                    unit_in[k*NumColl +: NumColl] = unit_in[k*NumColl +: NumColl] | port_in;
        end
    end

    function automatic [NumColl-1:0] age_row(input integer c);
        integer a;
        begin
            age_row = leave[c] ? '0 : age_q[c*NumColl +: NumColl] & ~leave;
            for (a = 0; a < NumAlloc; a = a + 1)
                if (enter[a*NumColl + c]) age_row = before_in[a*NumColl +: NumColl];
        end
    endfunction
    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            busy_q   <= '0;
            coming_q <= '0;
            need_q   <= '0;
            miss_q   <= '0;
            zero_q   <= '0;
            todo_q   <= '0;
            ask_q    <= '0;
            age_q    <= '0;
        end else begin
            busy_q   <= (busy_q & ~leave) | enter_any;
            coming_q <= granted;
            need_q   <= (need_q & ~{NumOps{enter_any}}) | need_in;
            miss_q   <= (miss_q & ~get & ~{NumOps{enter_any}}) | (need_in & ~zero_in);
            zero_q   <= (zero_q & ~{NumOps{enter_any}}) | zero_in;
            todo_q   <= todo_d | todo_in;
            ask_q    <= ask_d | ask_in;
            if ((leave | enter_any) != '0)
                for (int c = 0; c < NumColl; c = c + 1) age_q[c*NumColl +: NumColl] <= age_row(c);
        end
    end
    always_ff @(posedge clk_i) begin
        unit_q <= (unit_q & ~{UnitBits{enter_any}}) | unit_in;
        for (int c = 0; c < NumColl; c = c + 1)
            if (rd_valid_o[c]) take_q[c*TakeBits +: TakeBits] <= take[c*TakeBits +: TakeBits];
    end
    for (genvar l = 0; l < NumSrc; l = l + 1) begin : g_read
        localparam int A = l / NumOps;
        localparam int O = l % NumOps;
        localparam int SlotBits = $clog2(NumColl * NumOps);
        logic [SlotBits-1:0] at;
        assign at = SlotBits'(alloc_slot_o[A*CollBits +: CollBits]) * SlotBits'(NumOps) + SlotBits'(O);
        always_ff @(posedge clk_i)
            if (alloc_valid_i[A] && alloc_ready_o[A] && alloc_read_i[l])
                read_q[at] <= {alloc_ops2_i[l*NumOps +: NumOps], alloc_ops1_i[l*NumOps +: NumOps],
                               alloc_mask2_i[l*4 +: 4], alloc_mask1_i[l*4 +: 4], alloc_sel_i[l*4 +: 4],
                               alloc_entry2_i[l*EntryBits +: EntryBits],
                               alloc_entry_i[l*EntryBits +: EntryBits],
                               alloc_bank_i[l*BankBits +: BankBits]};
    end

    `CHECK_RANGE(packed_collector, NumColl, 2, 31)
    `CHECK_RANGE(packed_collector, NumOps, 1, 3)
    `CHECK_RANGE(packed_collector, NumAlloc, 1, 4)
    `CHECK_RANGE(packed_collector, NumDisp, 1, 8)
    `CHECK_RANGE(packed_collector, Banks, 1, 32)
    `CHECK_RANGE(packed_collector, Entries, 2, 1024)
    `include "collect/packed_collector.obs.svh"
endmodule
