// SPDX-License-Identifier: Apache-2.0
// Purpose:    the pool of operand collectors. An instruction enters a free collector, asks the
//             banked register file for its operands one by one, and leaves for its unit when all
//             have arrived. Contract: models/collect/operand_collector.h.
// Parameters: NumColl, 2..32: collectors; NumOps, 1..3: operands per collector; NumAlloc, 1..4:
//             instructions accepted per cycle; NumDisp, 1..8: execution units, one dispatch port
//             each; Banks, 1..32, and Entries, 2..1024, of the register file. The other widths
//             follow.
// Timing:     all outputs depend on state alone. alloc_valid_i with alloc_ready_o enters at the
//             clock edge and asks in the next cycle. rd_grant_i in cycle t announces data in t+1,
//             stored at that edge. disp_valid_o with disp_ready_i frees the collector at the edge.
//             disp_data_o is defined where the bit of disp_need_o is set.
// Reset:      all collectors free.
// Left out:   coalescing and bypassing.
// Shapes:     -
// Shapes:     NumColl=2,NumOps=1,NumAlloc=4,NumDisp=1,Banks=1,Entries=2
// Shapes:     NumColl=5,NumOps=2,NumAlloc=3,NumDisp=3,Banks=3,Entries=100
// Proof:      2:9:NumColl=2,NumOps=2,NumAlloc=1,NumDisp=1,Banks=2,Entries=2
// Proof:      2:9:NumColl=3,NumOps=3,NumAlloc=2,NumDisp=2,Banks=2,Entries=2

module operand_collector #(
    parameter int NumColl  = 16,
    parameter int NumOps   = 3,
    parameter int NumAlloc = 2,
    parameter int NumDisp  = 4,
    parameter int Banks    = 4,
    parameter int Entries  = 256,
`ifdef RF_NARROW
    localparam int Row       = 4,  // nothing looks at data: a narrow row stands for all in proofs
`else
    localparam int Row       = 1024,
`endif
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
`ifdef RF_OBS
    // observation: status words, operand rows, then parameters
    input  logic [31:0]                          obs_addr_i,
    output logic [1023:0]                        obs_data_o,
`endif
    // instructions leave
    input  logic [NumDisp-1:0]                   disp_ready_i,
    output logic [NumDisp-1:0]                   disp_valid_o,
    output logic [NumDisp*CollBits-1:0]          disp_slot_o,
    output logic [NumDisp*NumOps-1:0]            disp_need_o,
    output logic [NumDisp*NumOps*Row-1:0]       disp_data_o
);

    localparam int LocBits = BankBits + EntryBits;

    // State is kept in planes: bit c of plane o belongs to operand o of collector c, so that one
    // step for all collectors is a few operations on NumColl-bit words.
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

    // An index is read off a one-hot vector by one OR per bit, over the collectors whose index has
    // that bit.
    function automatic [NumColl-1:0] colls_with_bit(input integer k);
        integer c;
        for (c = 0; c < NumColl; c = c + 1) colls_with_bit[c] = ((c >> k) & 1) != 0;
    endfunction

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
        for (genvar k = 0; k < CollBits; k = k + 1) begin : g_bit
            localparam logic [NumColl-1:0] With = colls_with_bit(k);
            assign alloc_slot_o[a*CollBits + k] = (first & With) != '0;
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
        for (genvar k = 0; k < CollBits; k = k + 1) begin : g_bit
            localparam logic [NumColl-1:0] With = colls_with_bit(k);
            assign idx[k] = (win & With) != '0;
        end
        assign offer[d*NumColl +: NumColl]          = win;
        assign disp_valid_o[d]                      = cand != '0;
        assign disp_slot_o[d*CollBits +: CollBits] = idx;
    end
    always @* begin
        leave = '0;
        for (int d = 0; d < NumDisp; d = d + 1)
            if (disp_ready_i[d]) leave = leave | offer[d*NumColl +: NumColl];
    end

`ifdef RF_OBS
    localparam int NumObs = NumColl * (1 + NumOps);
    logic [31:0]            obs_row, obs_op;
    logic [CollBits-1:0]    obs_coll;
    logic                   obs_row_en;
    logic [NumOps*Row-1:0] obs_rows;
    assign obs_row_en = obs_addr_i >= NumColl && obs_addr_i < NumObs;
    assign obs_row    = obs_addr_i - NumColl;
    assign obs_op     = obs_row % NumOps;
    assign obs_coll   = CollBits'(obs_row / NumOps);
`endif

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
`ifdef RF_OBS
        assign obs_rows[o*Row +: Row] =
            obs_row_en && obs_op == o && busy_q[obs_coll] && arrived_q[o*NumColl + 32'(obs_coll)]
                ? row_q[obs_coll] : '0;
`endif
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

    // What enters, and before_in: per port who is older than its instruction.
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

    // The wide registers (age, location) take their next value here rather than from a _d copy:
    // they change only when something enters or leaves, and a simulator skips them otherwise.
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

`ifdef RF_OBS
    // Words of a status: fields, older, then {bank, entry} of each operand.
    logic [31:0] obs_fields;
    always @* begin
        obs_data_o = '0;
        obs_fields = '0;
        if (obs_addr_i < NumColl) begin
            for (int c = 0; c < NumColl; c = c + 1)
                if (obs_addr_i == c && busy_q[c]) begin
                    obs_fields[0] = 1'b1;
                    for (int o = 0; o < NumOps; o = o + 1) begin
                        obs_fields[1 + o] = need_q[o*NumColl + c];
                        obs_fields[4 + o] = granted_q[o*NumColl + c];
                        obs_fields[7 + o] = arrived_q[o*NumColl + c];
                        if (ask_q[o*NumColl + c]) obs_fields[11:10] = 2'(o);
                        if (need_q[o*NumColl + c])
                            obs_data_o[(2 + o)*32 +: 32] =
                                {16'(loc_q[(c*NumOps + o)*LocBits + EntryBits +: BankBits]),
                                 16'(loc_q[(c*NumOps + o)*LocBits +: EntryBits])};
                    end
                    for (int k = 0; k < UnitBits; k = k + 1)
                        obs_fields[12 + k] = unit_q[k*NumColl + c];
                    obs_data_o[31:0]         = obs_fields;
                    obs_data_o[32 +: NumColl] = age_q[c*NumColl +: NumColl];
                end
        end else if (obs_addr_i < NumObs) begin
            for (int o = 0; o < NumOps; o = o + 1)
                obs_data_o = obs_data_o | 1024'(obs_rows[o*Row +: Row]);
        end else if (obs_addr_i == 32'hffff_0000) obs_data_o[31:0] = NumColl;
        else if (obs_addr_i == 32'hffff_0001) obs_data_o[31:0] = NumOps;
        else if (obs_addr_i == 32'hffff_0002) obs_data_o[31:0] = NumAlloc;
        else if (obs_addr_i == 32'hffff_0003) obs_data_o[31:0] = NumDisp;
        else if (obs_addr_i == 32'hffff_0004) obs_data_o[31:0] = Banks;
        else if (obs_addr_i == 32'hffff_0005) obs_data_o[31:0] = Entries;
    end
`endif

`ifdef SIM
    initial begin
        if (NumColl < 2 || NumColl > 32)
            $fatal(1, "operand_collector: NumColl = %0d, legal is 2..32", NumColl);
        if (NumOps < 1 || NumOps > 3)
            $fatal(1, "operand_collector: NumOps = %0d, legal is 1..3", NumOps);
        if (NumAlloc < 1 || NumAlloc > 4)
            $fatal(1, "operand_collector: NumAlloc = %0d, legal is 1..4", NumAlloc);
        if (NumDisp < 1 || NumDisp > 8)
            $fatal(1, "operand_collector: NumDisp = %0d, legal is 1..8", NumDisp);
        if (Banks < 1 || Banks > 32)
            $fatal(1, "operand_collector: Banks = %0d, legal is 1..32", Banks);
        if (Entries < 2 || Entries > 1024)
            $fatal(1, "operand_collector: Entries = %0d, legal is 2..1024", Entries);
    end
`endif

`ifdef FORMAL
    // Contract, for any collector c and its operand o, any other collector e, any unit u:
    // a free collector is allocated; its operands are asked for one at a time, each granted once,
    // stored once with the value delivered; it leaves when all have arrived and not before, the
    // oldest of its unit first.
    (* anyconst *) logic [CollBits-1:0] f_c;
    (* anyconst *) logic [CollBits-1:0] f_e;
    (* anyconst *) logic [1:0]          f_o;
    (* anyconst *) logic [UnitBits-1:0] f_u;
    logic               f_past, f_busy, f_was_granted, f_need, f_has, f_e_first, f_refused;
    logic [Row-1:0]     f_value, f_delivered;
    logic [UnitBits-1:0] f_unit;
    logic [NumOps-1:0]  f_need_c, f_ask_c, f_granted_c, f_coming_c, f_arrived_c;
    logic [NumOps-1:0]  f_entered_need, f_had, f_next;
    logic               f_enters, f_leaves, f_e_enters, f_e_leaves, f_e_before, f_store;
    initial f_past = 1'b0;

    // The planes, seen from collector f_c.
    for (genvar o = 0; o < NumOps; o = o + 1) begin : g_f_planes
        assign f_need_c[o]    = need_q[o*NumColl + 32'(f_c)];
        assign f_ask_c[o]     = ask_q[o*NumColl + 32'(f_c)];
        assign f_granted_c[o] = granted_q[o*NumColl + 32'(f_c)];
        assign f_coming_c[o]  = coming_q[o*NumColl + 32'(f_c)];
        assign f_arrived_c[o] = arrived_q[o*NumColl + 32'(f_c)];
    end
    // Entering and leaving, at the ports.
    logic [NumAlloc-1:0]        f_port_enters, f_port_e_enters;
    logic [NumAlloc*NumOps-1:0] f_port_need;
    logic [NumDisp-1:0]         f_port_leaves, f_port_e_leaves;
    logic [UnitBits-1:0]        f_unit_in;
    logic                       f_e_port_first;
    for (genvar a = 0; a < NumAlloc; a = a + 1) begin : g_f_in
        assign f_port_enters[a]   =
            alloc_valid_i[a] && alloc_ready_o[a] && alloc_slot_o[a*CollBits +: CollBits] == f_c;
        assign f_port_e_enters[a] =
            alloc_valid_i[a] && alloc_ready_o[a] && alloc_slot_o[a*CollBits +: CollBits] == f_e;
        assign f_port_need[a*NumOps +: NumOps] =
            f_port_enters[a] ? alloc_need_i[a*NumOps +: NumOps] : '0;
        always_comb if (f_past) begin
            // ready tells whether there is one; it is free; ports in order of collectors
            assert (alloc_ready_o[a] == (f_free_count > a));
            if (alloc_ready_o[a]) assert (!busy_q[alloc_slot_o[a*CollBits +: CollBits]]);
            if (a > 0 && alloc_ready_o[a])
                assert (alloc_slot_o[a*CollBits +: CollBits] >
                        alloc_slot_o[(a > 0 ? a - 1 : 0)*CollBits +: CollBits]);
            if (!busy_q[f_c] && alloc_ready_o[0]) assert (alloc_slot_o[CollBits-1:0] <= f_c);
        end
    end
    for (genvar d = 0; d < NumDisp; d = d + 1) begin : g_f_out
        assign f_port_leaves[d]   =
            disp_valid_o[d] && disp_ready_i[d] && disp_slot_o[d*CollBits +: CollBits] == f_c;
        assign f_port_e_leaves[d] =
            disp_valid_o[d] && disp_ready_i[d] && disp_slot_o[d*CollBits +: CollBits] == f_e;
        always_comb if (f_past && disp_valid_o[d] &&
            disp_slot_o[d*CollBits +: CollBits] == f_c) begin
            // a busy collector of that unit, complete
            assert (f_busy && f_unit == UnitBits'(d) &&
                disp_need_o[d*NumOps +: NumOps] == f_need_c);
            assert ((f_need_c & ~f_arrived_c) == '0);
            if (f_need) assert (f_has && disp_data_o[(d*NumOps + 32'(f_o))*Row +: Row] == f_value);
            // nobody of that unit who is complete entered before
            if (f_c != f_e && busy_q[f_e] && ready[f_e] && f_e_unit == UnitBits'(d))
                assert (!f_e_first);
        end
        // some complete collector of a unit: the unit is offered one
        always_comb if (f_past && f_busy && f_unit == UnitBits'(d) &&
                        (f_need_c & ~f_arrived_c) == '0)
            assert (disp_valid_o[d]);
    end
    logic [UnitBits-1:0] f_e_unit;
    for (genvar k = 0; k < UnitBits; k = k + 1) begin : g_f_unit
        assign f_e_unit[k] = unit_q[k*NumColl + 32'(f_e)];
        always_comb if (f_past && f_busy) assert (unit_q[k*NumColl + 32'(f_c)] == f_unit[k]);
    end
    assign f_enters   = f_port_enters != '0;
    assign f_e_enters = f_port_e_enters != '0;
    assign f_leaves   = f_port_leaves != '0;
    assign f_e_leaves = f_port_e_leaves != '0;

    logic [5:0]                 f_free_count;
    logic [NumColl-1:0]         f_missing;     // granted in the cycle before, no data
    logic [NumColl-1:0]         f_twice;       // two banks deliver
    logic [Banks*Row-1:0]       f_from;
    always_comb begin
        f_free_count = '0;
        for (int c = 0; c < NumColl; c = c + 1) if (!busy_q[c]) f_free_count = f_free_count + 1'b1;
        f_unit_in = '0;
        f_entered_need = '0;
        for (int a = 0; a < NumAlloc; a = a + 1) begin
            if (f_port_enters[a]) f_unit_in = f_unit_in | alloc_unit_i[a*UnitBits +: UnitBits];
            f_entered_need = f_entered_need | f_port_need[a*NumOps +: NumOps];
        end
        f_e_port_first = f_port_e_enters != '0 && f_port_e_enters < f_port_enters;
        // what the banks deliver to f_c
        f_delivered = '0;
        f_store     = 1'b0;
        for (int b = 0; b < Banks; b = b + 1)
            if (rd_data_valid_i[b] && rd_data_coll_i[b*CollBits +: CollBits] == f_c) begin
                f_delivered = rd_data_i[b*Row +: Row];
                f_store     = 1'b1;
            end
        f_twice = '0;
        for (int b = 0; b < Banks; b = b + 1)
            for (int x = 0; x < Banks; x = x + 1)
                if (x != b && rd_data_valid_i[b] && rd_data_valid_i[x] &&
                    rd_data_coll_i[b*CollBits +: CollBits] ==
                    rd_data_coll_i[x*CollBits +: CollBits])
                    f_twice = '1;
        f_missing = '0;
        for (int o = 0; o < NumOps; o = o + 1)
            f_missing = f_missing | (coming_q[o*NumColl +: NumColl] & ~get);
    end

    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        // ghost of f_c: who is in it, and its operand f_o
        if (!rst_ni) begin
            f_busy <= 1'b0;
            f_has  <= 1'b0;
        end else begin
            f_busy <= f_enters || (f_busy && !f_leaves);
            f_was_granted <= f_ask_c[f_o] && rd_grant_i[f_c];
            if (f_enters) begin
                f_unit <= f_unit_in;
                f_need <= f_entered_need[f_o];
                f_has  <= 1'b0;
            end else if (f_was_granted && f_store) begin
                assert (f_busy && f_need && !f_has);  // stored once, and only what is needed
                f_has   <= 1'b1;
                f_value <= f_delivered;
            end
        end
        // ghost of the order of f_c and f_e
        if (f_enters)        f_e_first <= (busy_q[f_e] && !f_e_leaves) || f_e_port_first;
        else if (f_e_enters) f_e_first <= 1'b0;
        else if (f_e_leaves) f_e_first <= 1'b0;
        // what was presented and refused
        f_refused <= rst_ni && f_ask_c != '0 && !rd_grant_i[f_c];
        f_had     <= f_ask_c;
        if (!rst_ni) f_was_granted <= 1'b0;
    end
    // After a refusal the next higher outstanding operand, cyclically.
    logic [NumOps-1:0]   f_open;
    logic [2*NumOps-1:0] f_round, f_after;
    assign f_open  = f_need_c & ~f_granted_c;
    assign f_round = {f_open, f_open} & ~(({{NumOps{1'b0}}, f_had} << 1) - 1'b1);
    assign f_after = f_round & (~f_round + 1'b1);
    assign f_next  = f_after[NumOps-1:0] | f_after[2*NumOps-1:NumOps];

    // Environment: what was granted is delivered in the next cycle, by one bank; units and
    // collectors exist.
    always_comb begin
        assume (f_c < NumColl && f_e < NumColl && f_o < NumOps && f_u < NumDisp);
        assume (f_missing == '0 && f_twice == '0);
        assume (obs_addr_i == NumColl + f_c * NumOps + f_o);
        for (int a = 0; a < NumAlloc; a = a + 1)
            assume (alloc_unit_i[a*UnitBits +: UnitBits] < NumDisp);
    end

    always_comb if (f_past) begin
        // what enters
        if (f_enters) assert (!f_busy);
        assert ((f_port_enters & (f_port_enters - 1'b1)) == '0);
        assert ((f_port_leaves & (f_port_leaves - 1'b1)) == '0);
        assert (f_busy == busy_q[f_c]);
        // requests: one operand at a time, needed and not yet granted, as long as there is one
        assert ((f_ask_c & (f_ask_c - 1'b1)) == '0);
        assert (rd_valid_o[f_c] == (f_ask_c != '0));
        if (rd_valid_o[f_c])
            assert (f_busy && (f_ask_c & ~f_need_c) == '0 && (f_ask_c & f_granted_c) == '0);
        if (f_busy && (f_need_c & ~f_granted_c) != '0) assert (rd_valid_o[f_c]);
        if (f_busy && f_refused && rst_ni) assert (f_ask_c == f_next);
        // operands: granted = coming + arrived, nothing twice
        if (f_busy) begin
            assert ((f_granted_c & ~f_need_c) == '0);
            assert (f_granted_c == (f_coming_c | f_arrived_c) && (f_coming_c & f_arrived_c) == '0);
            assert (f_need == f_need_c[f_o]);
            assert (f_has == f_arrived_c[f_o]);
            assert (f_was_granted == f_coming_c[f_o]);
            if (f_has) assert (obs_data_o[Row-1:0] == f_value);
        end else assert (f_coming_c == '0);
        assert ((f_coming_c & (f_coming_c - 1'b1)) == '0);
        // age: a strict total order of the busy collectors, that of entering
        assert (!older_o[f_c * NumColl + f_c]);
        if (f_c != f_e && busy_q[f_c] && busy_q[f_e]) begin
            assert (older_o[f_c * NumColl + f_e] != older_o[f_e * NumColl + f_c]);
            assert (older_o[f_c * NumColl + f_e] == f_e_first);
        end
        if (!busy_q[f_c] || !busy_q[f_e]) assert (!older_o[f_c * NumColl + f_e]);
        for (int x = 0; x < NumColl; x = x + 1)
            if (older_o[f_c * NumColl + f_e] && older_o[f_e * NumColl + x])
                assert (older_o[f_c * NumColl + x]);
    end
    // Invariants over all collectors, which the induction step needs of those not looked at.
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
    always_comb if (f_past) begin
        assert (((ask_q | coming_q) & ~{NumOps{busy_q}}) == '0);
        assert ((ask_q & (granted_q | ~need_q)) == '0);
        assert ((coming_q & arrived_q) == '0 && (coming_q & ~granted_q) == '0);
        assert ((arrived_q & ~granted_q & {NumOps{busy_q}}) == '0);
    end
    always_comb begin
        cover (f_past && f_leaves && f_has && f_value != '0);
        cover (f_past && f_busy && busy_q[f_e] && f_e_first && f_e > f_c && disp_valid_o == '1);
        cover (f_past && f_free_count == '0 && rd_valid_o == '1);
        cover (f_past && f_refused && f_busy && f_ask_c != f_had);
    end
`endif
endmodule
