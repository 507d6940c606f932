// SPDX-License-Identifier: Apache-2.0
// Purpose:    the pool of operand collectors behind a renaming table. An instruction enters with its
//             reads, each of which brings one or two values for one to three operands, asks for one
//             after the other, and leaves for its unit when all operands are there. Contract:
//             models/rf/rf_datapath.h, `Issue` to `Dispatch`.
// Parameters: NumColl, 2..31: collectors; NumOps, 1..3: operands per collector; NumAlloc, 1..4:
//             instructions accepted per cycle; NumDisp, 1..8: execution units, one dispatch port
//             each; Banks, 1..32, and Entries, 2..1024, of the register file; Row, 1..1024: bits of
//             an operand (nothing looks at data: in proofs a narrow row stands for all).
// Timing:     outputs depend on state alone, but alloc_ready_o (0 where not valid) and alloc_slot_o,
//             which depend on alloc_valid_i and alloc_first_i as well, and rd_mask1_o and rd_mask2_o, which say how to unpack the row of
//             a bank in the cycle in which it is delivered. What enters at the clock edge asks for its
//             first read in the next cycle. rd_grant_i in cycle t announces data in t+1, stored at that
//             edge. disp_valid_o with disp_ready_i frees the collector at the edge. disp_data_o is
//             defined where the bit of disp_need_o is set.
// Reset:      all collectors free.
// Left out:   looking up places and pairing operands (rename_table, coalescer, unpacker).
// Shapes:     -
// Shapes:     NumColl=2,NumOps=1,NumAlloc=4,NumDisp=1,Banks=1,Entries=2
// Shapes:     NumColl=5,NumOps=2,NumAlloc=3,NumDisp=3,Banks=3,Entries=100
// Proof:      1:8:NumColl=3,NumOps=2,NumAlloc=2,NumDisp=2,Banks=1,Entries=2,Row=1
// Proof:      1:8:NumColl=2,NumOps=3,NumAlloc=1,NumDisp=1,Banks=2,Entries=2,Row=2

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
    // banks deliver: how to unpack a row, and what came out of it
    input  logic [Banks-1:0]             rd_data_valid_i,
    input  logic [Banks*CollBits-1:0]    rd_data_coll_i,
    output logic [Banks*4-1:0]           rd_mask1_o,
    output logic [Banks*4-1:0]           rd_mask2_o,
    input  logic [Banks*Row-1:0]         rd_first_i,
    input  logic [Banks*Row-1:0]         rd_second_i,
`ifdef RF_OBS
    // observation: status words, then operand rows
    input  logic [31:0]                  obs_addr_i,
    output logic [1023:0]                obs_data_o,
`endif
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

    function automatic [NumColl-1:0] colls_with_bit(input integer k);
        integer c;
        for (c = 0; c < NumColl; c = c + 1) colls_with_bit[c] = ((c >> k) & 1) != 0;
    endfunction

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
        logic [NumAlloc-1:0] ahead;          // ports that ask and come before
        logic [AllocBits-1:0] rank;          // as many
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
        for (genvar k = 0; k < CollBits; k = k + 1) begin : g_bit
            localparam logic [NumColl-1:0] With = colls_with_bit(k);
            assign alloc_slot_o[a*CollBits + k] = (coll & With) != '0;
        end
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
        for (genvar k = 0; k < CollBits; k = k + 1) begin : g_bit
            localparam logic [NumColl-1:0] With = colls_with_bit(k);
            assign idx[k] = (win & With) != '0;
        end
        assign offer[d*NumColl +: NumColl]         = win;
        assign disp_valid_o[d]                     = cand != '0;
        assign disp_slot_o[d*CollBits +: CollBits] = idx;
    end
    always @* begin
        leave = '0;
        for (int d = 0; d < NumDisp; d = d + 1)
            if (disp_ready_i[d]) leave = leave | offer[d*NumColl +: NumColl];
    end

`ifdef RF_OBS
    localparam int NumObs = NumColl * (1 + NumOps);
    logic [31:0]           obs_row, obs_op;
    logic                  obs_state_en;
    assign obs_state_en = obs_addr_i < NumColl;
    logic [CollBits-1:0]   obs_coll;
    logic                  obs_row_en;
    logic [NumOps*Row-1:0] obs_rows;
    assign obs_row_en = obs_addr_i >= NumColl && obs_addr_i < NumObs;
    assign obs_row    = obs_addr_i - NumColl;
    assign obs_op     = obs_row % NumOps;
    assign obs_coll   = CollBits'(obs_row / NumOps);
`endif

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
`ifdef RF_OBS
        logic           obs_here;
        assign obs_here = obs_row_en && obs_op == o && busy_q[obs_coll] &&
            need_q[o*NumColl + 32'(obs_coll)] && !miss_q[o*NumColl + 32'(obs_coll)] &&
            !zero_q[o*NumColl + 32'(obs_coll)];
        assign obs_rows[o*Row +: Row] = obs_here ? row_q[obs_coll] : '0;
`endif
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

    // What enters.
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

`ifdef RF_OBS
    logic [31:0]                obs_fields;
    logic [NumOps*ReadBits-1:0] obs_reads;
    logic [ReadBits-1:0]        obs_read;
    for (genvar o = 0; o < NumOps; o = o + 1) begin : g_obs_read
        assign obs_reads[o*ReadBits +: ReadBits] =
            obs_state_en ? read_q[obs_addr_i * NumOps + o] : '0;
    end
    always @* begin
        obs_data_o = '0;
        obs_fields = '0;
        obs_read   = '0;
        if (obs_state_en) begin
            for (int c = 0; c < NumColl; c = c + 1)
                if (obs_addr_i == c && busy_q[c]) begin
                    obs_fields[0]  = 1'b1;
                    obs_fields[11] = coming_q[c];
                    for (int o = 0; o < NumOps; o = o + 1) begin
                        obs_fields[1 + o]  = need_q[o*NumColl + c];
                        obs_fields[5 + o]  = todo_q[o*NumColl + c];
                        obs_fields[8 + o]  = ask_q[o*NumColl + c];
                        obs_fields[12 + o] = miss_q[o*NumColl + c];
                        obs_fields[15 + o] = zero_q[o*NumColl + c];
                        obs_read = obs_reads[o*ReadBits +: ReadBits];
                        if (todo_q[o*NumColl + c]) begin
                            obs_data_o[(2 + 3*o)*32 +: 32] =
                                {16'(obs_read[BankBits-1:0]), 16'(obs_read[BankBits +: EntryBits])};
                            obs_data_o[(3 + 3*o)*32 +: 32] =
                                32'(obs_read[BankBits + EntryBits +: EntryBits]);
                            obs_data_o[(4 + 3*o)*32 +: 12] = obs_read[AskBits - 4 +: 12];
                            obs_data_o[(4 + 3*o)*32 + 12 +: NumOps] = obs_read[AskBits + 8 +: NumOps];
                            obs_data_o[(4 + 3*o)*32 + 16 +: NumOps] =
                                obs_read[AskBits + 8 + NumOps +: NumOps];
                        end
                    end
                    for (int k = 0; k < UnitBits; k = k + 1)
                        obs_fields[18 + k] = unit_q[k*NumColl + c];
                    obs_data_o[31:0]          = obs_fields;
                    obs_data_o[32 +: NumColl] = age_q[c*NumColl +: NumColl];
                end
        end else if (obs_addr_i < NumObs) begin
            for (int o = 0; o < NumOps; o = o + 1)
                obs_data_o = obs_data_o | 1024'(obs_rows[o*Row +: Row]);
        end
    end
`endif

`ifdef SIM
    initial begin
        if (NumColl < 2 || NumColl > 31)
            $fatal(1, "packed_collector: NumColl = %0d, legal is 2..31", NumColl);
        if (NumOps < 1 || NumOps > 3)
            $fatal(1, "packed_collector: NumOps = %0d, legal is 1..3", NumOps);
        if (NumAlloc < 1 || NumAlloc > 4)
            $fatal(1, "packed_collector: NumAlloc = %0d, legal is 1..4", NumAlloc);
        if (NumDisp < 1 || NumDisp > 8)
            $fatal(1, "packed_collector: NumDisp = %0d, legal is 1..8", NumDisp);
        if (Banks < 1 || Banks > 32) $fatal(1, "packed_collector: Banks = %0d, legal is 1..32", Banks);
        if (Entries < 2 || Entries > 1024)
            $fatal(1, "packed_collector: Entries = %0d, legal is 2..1024", Entries);
    end
`endif

`ifdef FORMAL
    // Contract, for any collector f_c and its operand f_o, any other collector f_e: a free collector
    // is allocated; its reads are asked for one at a time, as they came, each granted once;
    // what is delivered is taken apart as the read says and each operand stored once; it leaves when
    // all operands have arrived and not before, the oldest of its unit first.
    (* anyconst *) logic [CollBits-1:0] f_c;
    (* anyconst *) logic [CollBits-1:0] f_e;
    (* anyconst *) logic [1:0]          f_o;
    logic                       f_past, f_busy, f_e_first, f_refused, f_has;
    logic                       f_granted;              // a read was granted in the cycle before,
    logic [TakeBits-1:0]        f_take;                 // how it is taken apart
    logic [Row-1:0]             f_value;
    logic [UnitBits-1:0]        f_unit, f_e_unit, f_unit_in;
    logic [NumOps-1:0]          f_need, f_zero, f_miss; // operands: all, unmapped, not arrived
    logic [NumOps-1:0]          f_left;                 // reads that were not granted
    logic [NumOps*ReadBits-1:0] f_words;                // reads, as they came
    logic [NumOps-1:0]          f_ask, f_need_q, f_miss_q, f_zero_q, f_todo_q, f_had;
    initial f_past = 1'b0;
    for (genvar o = 0; o < NumOps; o = o + 1) begin : g_f_planes
        assign f_ask[o]    = ask_q[o*NumColl + 32'(f_c)];
        assign f_need_q[o] = need_q[o*NumColl + 32'(f_c)];
        assign f_miss_q[o] = miss_q[o*NumColl + 32'(f_c)];
        assign f_zero_q[o] = zero_q[o*NumColl + 32'(f_c)];
        assign f_todo_q[o] = todo_q[o*NumColl + 32'(f_c)];
    end

    // What happens at the ports: f_c enters, leaves; f_e enters, leaves.
    logic [NumAlloc-1:0] f_port_enters, f_port_e_enters;
    logic [NumDisp-1:0]  f_port_leaves, f_port_e_leaves;
    logic                f_enters, f_e_enters, f_leaves, f_e_leaves, f_e_port_first;
    logic [NumOps-1:0]   f_need_in, f_reads_in, f_zero_in;
    logic [NumOps*ReadBits-1:0] f_words_in;
    logic [5:0]          f_free_count;
    assign f_enters   = f_port_enters != '0;
    assign f_e_enters = f_port_e_enters != '0;
    assign f_leaves   = f_port_leaves != '0;
    assign f_e_leaves = f_port_e_leaves != '0;
    for (genvar a = 0; a < NumAlloc; a = a + 1) begin : g_f_in
        assign f_port_enters[a] =
            alloc_valid_i[a] && alloc_ready_o[a] && alloc_slot_o[a*CollBits +: CollBits] == f_c;
        assign f_port_e_enters[a] =
            alloc_valid_i[a] && alloc_ready_o[a] && alloc_slot_o[a*CollBits +: CollBits] == f_e;
        logic [5:0] before;                     // ports before it that take a collector
        logic [NumAlloc-1:0] earlier;
        always_comb begin
            before = '0;
            for (int i = 0; i < NumAlloc; i = i + 1) begin
                earlier[i] = alloc_valid_i[i] &&
                    (i + NumAlloc - 32'(alloc_first_i)) % NumAlloc < (a + NumAlloc - 32'(alloc_first_i)) % NumAlloc;
                if (earlier[i]) before = before + 1'b1;
            end
        end
        always_comb if (f_past) begin
            // ready tells whether there is one left; it is free; those of the ports differ, in order
            assert (alloc_ready_o[a] == (alloc_valid_i[a] && f_free_count > before));
            if (alloc_ready_o[a]) begin
                assert (!busy_q[alloc_slot_o[a*CollBits +: CollBits]]);
                for (int i = 0; i < NumAlloc; i = i + 1)
                    if (earlier[i]) assert (alloc_slot_o[a*CollBits +: CollBits] >
                                            alloc_slot_o[i*CollBits +: CollBits]);
                if (earlier == '0 && !busy_q[f_c]) assert (alloc_slot_o[a*CollBits +: CollBits] <= f_c);
            end
        end
    end
    for (genvar d = 0; d < NumDisp; d = d + 1) begin : g_f_out
        assign f_port_leaves[d] =
            disp_valid_o[d] && disp_ready_i[d] && disp_slot_o[d*CollBits +: CollBits] == f_c;
        assign f_port_e_leaves[d] =
            disp_valid_o[d] && disp_ready_i[d] && disp_slot_o[d*CollBits +: CollBits] == f_e;
        always_comb if (f_past && disp_valid_o[d] &&
                        disp_slot_o[d*CollBits +: CollBits] == f_c) begin
            // a busy collector of that unit, complete, with its operands
            assert (f_busy && f_unit == UnitBits'(d) && f_miss == '0);
            assert (disp_need_o[d*NumOps +: NumOps] == f_need);
            if (f_need[f_o])
                assert (disp_data_o[(d*NumOps + 32'(f_o))*Row +: Row] == (f_zero[f_o] ? '0 : f_value));
            // nobody of that unit who is complete entered before
            if (f_c != f_e && busy_q[f_e] && ready[f_e] && f_e_unit == UnitBits'(d))
                assert (!f_e_first);
        end
        // some complete collector of a unit: the unit is offered one
        always_comb if (f_past && f_busy && f_unit == UnitBits'(d) && f_miss == '0)
            assert (disp_valid_o[d]);
    end
    for (genvar k = 0; k < UnitBits; k = k + 1) begin : g_f_unit
        assign f_e_unit[k] = unit_q[k*NumColl + 32'(f_e)];
        always_comb if (f_past && f_busy) assert (unit_q[k*NumColl + 32'(f_c)] == f_unit[k]);
    end
    always_comb begin
        f_free_count = '0;
        for (int c = 0; c < NumColl; c = c + 1) if (!busy_q[c]) f_free_count = f_free_count + 1'b1;
        f_unit_in  = '0;
        f_need_in  = '0;
        f_reads_in = '0;
        f_zero_in  = '0;
        f_words_in = '0;
        for (int a = 0; a < NumAlloc; a = a + 1) begin
            if (f_port_enters[a]) begin
                f_unit_in  = alloc_unit_i[a*UnitBits +: UnitBits];
                f_need_in  = alloc_need_i[a*NumOps +: NumOps];
                f_reads_in = alloc_read_i[a*NumOps +: NumOps];
                f_zero_in  = alloc_unmapped_i[a*NumOps +: NumOps];
                for (int o = 0; o < NumOps; o = o + 1)
                    f_words_in[o*ReadBits +: ReadBits] =
                        {alloc_ops2_i[(a*NumOps + o)*NumOps +: NumOps],
                         alloc_ops1_i[(a*NumOps + o)*NumOps +: NumOps],
                         alloc_mask2_i[(a*NumOps + o)*4 +: 4], alloc_mask1_i[(a*NumOps + o)*4 +: 4],
                         alloc_sel_i[(a*NumOps + o)*4 +: 4],
                         alloc_entry2_i[(a*NumOps + o)*EntryBits +: EntryBits],
                         alloc_entry_i[(a*NumOps + o)*EntryBits +: EntryBits],
                         alloc_bank_i[(a*NumOps + o)*BankBits +: BankBits]};
            end
        end
        f_e_port_first = f_port_e_enters != '0 && f_port_e_enters < f_port_enters;
    end

    // What the banks deliver to f_c.
    logic [Banks-1:0]    f_from;
    logic [Row-1:0]      f_first, f_second;
    logic [NumOps-1:0]   f_get;
    logic [ReadBits-1:0] f_asked;
    always_comb begin
        f_first  = '0;
        f_second = '0;
        for (int b = 0; b < Banks; b = b + 1) begin
            f_from[b] = rd_data_valid_i[b] && rd_data_coll_i[b*CollBits +: CollBits] == f_c;
            if (f_from[b]) f_first = rd_first_i[b*Row +: Row];
            if (f_from[b]) f_second = rd_second_i[b*Row +: Row];
        end
        f_get   = f_granted ? f_take[8 +: NumOps] | f_take[8 + NumOps +: NumOps] : '0;
        f_asked = '0;
        for (int o = 0; o < NumOps; o = o + 1)
            if (f_ask[o]) f_asked = f_words[o*ReadBits +: ReadBits];
    end

    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        if (!rst_ni) begin
            f_busy    <= 1'b0;
            f_granted <= 1'b0;
            f_refused <= 1'b0;
        end else begin
            f_busy    <= f_enters || (f_busy && !f_leaves);
            f_granted <= rd_valid_o[f_c] && rd_grant_i[f_c];
            f_refused <= rd_valid_o[f_c] && !rd_grant_i[f_c];
            f_take    <= f_asked[ReadBits-1 -: TakeBits];
            f_had     <= f_ask;
            if (f_enters) begin
                f_unit   <= f_unit_in;
                f_need   <= f_need_in;
                f_miss   <= f_need_in & ~f_zero_in;
                f_zero   <= f_zero_in;
                f_left   <= f_reads_in;
                f_words  <= f_words_in;
                f_has    <= 1'b0;
            end else begin
                f_miss <= f_miss & ~f_get;
                if (rd_grant_i[f_c]) f_left <= f_left & ~f_ask;
                if (f_get[f_o]) begin
                    assert (f_busy && f_need[f_o] && !f_has && !f_zero[f_o]);  // stored once
                    f_has   <= 1'b1;
                    f_value <= f_take[8 + 32'(f_o)] ? f_first : f_second;
                end
            end
        end
        // the order of f_c and f_e
        if (f_enters)        f_e_first <= (busy_q[f_e] && !f_e_leaves) || f_e_port_first;
        else if (f_e_enters) f_e_first <= 1'b0;
        else if (f_e_leaves) f_e_first <= 1'b0;
    end
    // After a refusal the next higher outstanding read, cyclically.
    logic [2*NumOps-1:0] f_round, f_after;
    assign f_round = {f_left, f_left} & ~(({{NumOps{1'b0}}, f_had} << 1) - 1'b1);
    assign f_after = f_round & (~f_round + 1'b1);

    // Environment: each operand belongs to one read, or is unmapped; what was granted is delivered in
    // the next cycle, by one bank, nothing else is.
    logic [NumOps-1:0] f_covered, f_of_read;
    always_comb begin
        assume (f_c < NumColl && f_e < NumColl && f_o < NumOps);
        f_covered = f_zero_in;
        f_of_read = '0;
        for (int o = 0; o < NumOps; o = o + 1)
            if (f_enters && f_reads_in[o]) begin
                f_of_read = f_words_in[o*ReadBits + AskBits + 8 +: NumOps] |
                            f_words_in[o*ReadBits + AskBits + 8 + NumOps +: NumOps];
                assume (f_of_read != '0 && (f_of_read & f_covered) == '0);
                f_covered = f_covered | f_of_read;
            end
        if (f_enters) assume (f_covered == f_need_in);
        assume ((f_from & (f_from - 1'b1)) == '0 && (f_from != '0) == f_granted);
        assume (obs_addr_i == NumColl + f_c * NumOps + f_o);
        for (int a = 0; a < NumAlloc; a = a + 1)
            assume (alloc_unit_i[a*UnitBits +: UnitBits] < NumDisp);
        assume (32'(alloc_first_i) < NumAlloc);
    end

    logic [NumOps-1:0] f_due;              // operands that reads will bring
    always_comb begin
        f_due = '0;
        if (f_past) begin
            assert ((f_port_enters & (f_port_enters - 1'b1)) == '0);
            assert ((f_port_leaves & (f_port_leaves - 1'b1)) == '0);
            if (f_enters) assert (!f_busy);
            assert (f_busy == busy_q[f_c]);
            // requests: one read at a time, not yet granted, as long as there is one
            assert ((f_ask & (f_ask - 1'b1)) == '0 && (f_ask & ~f_left & {NumOps{f_busy}}) == '0);
            assert (rd_valid_o[f_c] == (f_busy && f_left != '0));
            if (rd_valid_o[f_c]) begin
                assert (f_ask != '0);
                assert ({rd_sel_o[f_c*4 +: 4], rd_entry2_o[f_c*EntryBits +: EntryBits],
                         rd_entry_o[f_c*EntryBits +: EntryBits], rd_bank_o[f_c*BankBits +: BankBits]} ==
                        f_asked[AskBits-1:0]);
                if (f_refused) assert (f_ask == (f_after[NumOps-1:0] | f_after[2*NumOps-1:NumOps]));
            end
            // a row is taken apart as its read says
            for (int b = 0; b < Banks; b = b + 1)
                if (f_from[b]) assert ({rd_mask2_o[b*4 +: 4], rd_mask1_o[b*4 +: 4]} == f_take[7:0]);
            // Invariants
            assert (coming_q[f_c] == f_granted);
            if (f_granted) assert (f_busy && take_q[f_c*TakeBits +: TakeBits] == f_take);
            if (!f_busy) assert (f_ask == '0 && f_todo_q == '0 && !coming_q[f_c]);
            if (f_busy) begin
                assert (f_need_q == f_need && f_miss_q == f_miss && f_zero_q == f_zero);
                assert (f_todo_q == f_left);
                assert ((f_miss & ~f_need) == '0 && (f_zero & ~f_need) == '0 && (f_zero & f_miss) == '0);
                if (f_need[f_o]) assert (f_has == !(f_miss[f_o] || f_zero[f_o]));
                if (f_has && f_need[f_o]) assert (obs_data_o[Row-1:0] == f_value);
                // each operand that is missing comes with one read, that granted or one to be
                f_due = f_get;
                if (f_granted) assert (f_get != '0);
                for (int o = 0; o < NumOps; o = o + 1)
                    if (f_left[o]) begin
                        assert (read_q[f_c * NumOps + o] == f_words[o*ReadBits +: ReadBits]);
                        assert ((f_words[o*ReadBits + AskBits + 8 +: 2*NumOps] & {2{f_due}}) == '0);
                        assert (f_words[o*ReadBits + AskBits + 8 +: 2*NumOps] != '0);
                        f_due = f_due | f_words[o*ReadBits + AskBits + 8 +: NumOps] |
                                f_words[o*ReadBits + AskBits + 8 + NumOps +: NumOps];
                    end
                assert (f_due == f_miss);
            end
            // age: a strict total order of the busy collectors, that of entering
            assert (!older_o[f_c * NumColl + f_c]);
            if (f_c != f_e && busy_q[f_c] && busy_q[f_e]) begin
                assert (older_o[f_c * NumColl + f_e] != older_o[f_e * NumColl + f_c]);
                assert (older_o[f_c * NumColl + f_e] == f_e_first);
            end
            if (!busy_q[f_c] || !busy_q[f_e]) assert (!older_o[f_c * NumColl + f_e]);
        end
    end
    for (genvar c = 0; c < NumColl; c = c + 1) begin : g_f_age
        for (genvar d = 0; d < NumColl; d = d + 1) begin : g_pair
            always_comb if (f_past) assert ((age_q[c*NumColl + d] != age_q[d*NumColl + c]) ==
                                            (c != d && busy_q[c] && busy_q[d]));
            for (genvar e = 0; e < NumColl; e = e + 1) begin : g_third
                always_comb if (f_past && age_q[c*NumColl + d] && age_q[d*NumColl + e])
                    assert (age_q[c*NumColl + e]);
            end
            always_comb if (f_past && age_q[c*NumColl + d])
                assert (busy_q[c] && busy_q[d] && c != d);
        end
    end
    always_comb begin
        cover (f_past && f_leaves && f_has && f_value != '0 && f_need == '1 && f_zero == '0);
        cover (f_past && f_busy && busy_q[f_e] && f_e_first && f_e > f_c && disp_valid_o == '1);
        cover (f_past && f_free_count == '0 && rd_valid_o == '1);
        if (NumOps > 1) cover (f_past && f_refused && f_ask != f_had);
        if (NumOps > 1) cover (f_past && f_get == '1 && f_take[8 +: NumOps] == NumOps'(1));
        cover (f_past && f_leaves && f_zero != '0);
    end
`endif
endmodule
