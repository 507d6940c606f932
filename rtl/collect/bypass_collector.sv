// SPDX-License-Identifier: Apache-2.0
// Purpose:    the pool of bypassing operand collectors (BOCs), one per warp: routing of instructions,
//             results and rows to their BOC, round-robin among BOCs at the dispatch ports, the write
//             ports to the register file. Contract: models/bypass_collector.h.
// Parameters: NumColl, 2..32: BOCs; NumOps, 1..3: operands per instruction; NumAlloc, 1..4:
//             instructions accepted per cycle; NumDisp, 1..8: execution units, one dispatch port each;
//             NumWr, 1..4: results per cycle, and write ports; Window, 2..7: instructions of the
//             window; Values, NumOps+1..28: registers a BOC holds; Banks, 1..32, and Entries, 2..1024,
//             of the register file.
// Timing:     outputs depend on state alone, but alloc_room_o, res_ready_o and wr_*_o also on the result
//             inputs and the mode of the cycle. No output depends on wr_ready_i, rd_grant_i, disp_ready_i
//             or on the instructions that enter. What is done takes effect at the clock edge.
// Reset:      all BOCs empty, pointers and turns 0, lower BOCs come first.
// Left out:   the rows' storage (boc_rows) and the BOCs' own logic (boc).
// Shapes:     - ; NumColl=2,NumOps=1,NumAlloc=1,NumDisp=1,NumWr=1,Window=2,Values=4,Banks=1,Entries=2
// Shapes:     NumColl=5,NumOps=2,NumAlloc=3,NumDisp=3,NumWr=2,Window=7,Values=28,Banks=3,Entries=100
// Proof:      2:9:NumColl=2,NumOps=1,NumAlloc=2,NumDisp=1,NumWr=1,Window=2,Values=2,Banks=2,Entries=2
// Proof:      2:9:NumColl=3,NumOps=1,NumAlloc=1,NumDisp=1,NumWr=2,Window=2,Values=2,Banks=1,Entries=2
`ifdef SIM
`define RF_OBS
`endif
`ifdef FORMAL
`define RF_OBS
`endif

module bypass_collector #(
    parameter int NumColl  = 32,
    parameter int NumOps   = 3,
    parameter int NumAlloc = 2,
    parameter int NumDisp  = 4,
    parameter int NumWr    = 4,
    parameter int Window   = 3,
    parameter int Values   = 12,
    parameter int Banks    = 32,
    parameter int Entries  = 64,
`ifdef RF_NARROW
    localparam int Lanes     = 1,
    localparam int Row       = 8,
`else
    localparam int Lanes     = 32,
    localparam int Row       = 1024,
`endif
    localparam int BankBits  = Banks > 1 ? $clog2(Banks) : 1,
    localparam int EntryBits = Entries > 1 ? $clog2(Entries) : 1,
    localparam int CollBits  = NumColl > 1 ? $clog2(NumColl) : 1,
    localparam int UnitBits  = NumDisp > 1 ? $clog2(NumDisp) : 1,
    localparam int SlotBits  = $clog2(Window)
) (
    input  logic                                 clk_i,
    input  logic                                 rst_ni,
    // 0 write-through, 1 write-back, 2 and 3 compiler bits
    input  logic [1:0]                           mode_i,
    // instructions enter
    input  logic [NumAlloc-1:0]                  alloc_valid_i,
    input  logic [NumAlloc*CollBits-1:0]         alloc_coll_i,
    input  logic [NumAlloc-1:0]                  alloc_pass_i,
    input  logic [NumAlloc*UnitBits-1:0]         alloc_unit_i,
    input  logic [NumAlloc*NumOps-1:0]           alloc_need_i,
    input  logic [NumAlloc*NumOps*BankBits-1:0]  alloc_bank_i,
    input  logic [NumAlloc*NumOps*EntryBits-1:0] alloc_entry_i,
    input  logic [NumAlloc-1:0]                  alloc_dst_i,
    input  logic [NumAlloc*BankBits-1:0]         alloc_dst_bank_i,
    input  logic [NumAlloc*EntryBits-1:0]        alloc_dst_entry_i,
    output logic [NumColl-1:0]                   alloc_ready_o,
    output logic [NumColl*2-1:0]                 alloc_room_o,
    output logic [NumColl*SlotBits-1:0]          alloc_slot_o,
    // BOCs ask for operands, banks deliver
    output logic [NumColl-1:0]                   rd_valid_o,
    output logic [NumColl*BankBits-1:0]          rd_bank_o,
    output logic [NumColl*EntryBits-1:0]         rd_entry_o,
    output logic [NumColl*NumColl-1:0]           older_o,
    input  logic [NumColl-1:0]                   rd_grant_i,
    input  logic [Banks-1:0]                     rd_data_valid_i,
    input  logic [Banks*CollBits-1:0]            rd_data_coll_i,
    input  logic [Banks*Row-1:0]                 rd_data_i,
    // instructions leave
    input  logic [NumDisp-1:0]                   disp_ready_i,
    output logic [NumDisp-1:0]                   disp_valid_o,
    output logic [NumDisp*CollBits-1:0]          disp_coll_o,
    output logic [NumDisp*SlotBits-1:0]          disp_slot_o,
    output logic [NumDisp*NumOps-1:0]            disp_need_o,
    output logic [NumDisp*NumOps*Row-1:0]        disp_data_o,
    // results
    input  logic [NumWr-1:0]                     res_valid_i,
    input  logic [NumWr*CollBits-1:0]            res_coll_i,
    input  logic [NumWr*BankBits-1:0]            res_bank_i,
    input  logic [NumWr*EntryBits-1:0]           res_entry_i,
    input  logic [NumWr*2-1:0]                   res_write_i,
    input  logic [NumWr*Lanes-1:0]               res_lane_i,
    input  logic [NumWr*Row-1:0]                 res_data_i,
    output logic [NumWr-1:0]                     res_ready_o,
    // writes to the register file: results (wr_res_o) and saves
    output logic [NumWr-1:0]                     wr_res_o,
    output logic [NumWr-1:0]                     wr_valid_o,
    output logic [NumWr*BankBits-1:0]            wr_bank_o,
    output logic [NumWr*EntryBits-1:0]           wr_entry_o,
    output logic [NumWr*Lanes-1:0]               wr_lane_o,
    output logic [NumWr*Row-1:0]                 wr_data_o,
    input  logic [NumWr-1:0]                     wr_ready_i,
`ifdef RF_OBS
    // observation: see the contract
    input  logic [31:0]                          obs_addr_i,
    output logic [1023:0]                        obs_data_o,
`endif
`ifdef TESTBUG
    // fault injection at this edge: observation address, bit, 0 nothing 1 flip 2 hold at 0 3 at 1
    input  logic [63:0]                          fault_i,
`endif
    // end of window, end of warp
    input  logic [NumColl-1:0]                   flush_i,
    input  logic [NumColl-1:0]                   drop_i,
    output logic [NumColl-1:0]                   unsaved_o
);
    // Seeded faults.
    // 225  the pointer of dispatch port 0 stays: disp_coll_o[0], two BOCs with an offer, one dispatched
    // 226  a granted BOC stays where it was in the order: older_o, the cycle after a grant
    // 227  the turn of a write port does not change: wr_res_o, the second conflict on it
    // 228  a second result for one BOC is done, too: res_ready_o, two results for one BOC
    // 229  the pointer of a write port moves on a refusal: wr_bank_o / wr_entry_o, two BOCs that save
    // 230  write-through does not write: wr_valid_o, a result in mode 0
    // 231  compiler bits 11 are taken for 10: wr_valid_o, such a value when the window passes it
`ifdef TESTBUG
    integer testbug;
    initial if ($value$plusargs("testbug=%d", testbug) == 0) testbug = 0;
`elsif FORMAL_BUG
    localparam integer testbug = `FORMAL_BUG;
`else
    localparam integer testbug = 0;
`endif

    localparam int Loc       = BankBits + EntryBits;
    localparam int ValueBits = $clog2(Values);
    localparam int AddrBits  = $clog2(NumColl * Values);
    localparam int NumRd     = NumDisp * NumOps + NumWr;
    localparam int InBits    = 2 + UnitBits + NumOps + NumOps*Loc + Loc;
    localparam int ResBits   = 5 + Loc;

    function automatic [NumColl-1:0] first_of(input [NumColl-1:0] set, input [CollBits-1:0] from);
        reg [NumColl-1:0] up;
        begin
            up       = set & ~((NumColl'(1) << from) - NumColl'(1));
            up       = up != '0 ? up : set;
            first_of = up & (~up + NumColl'(1));
        end
    endfunction
    function automatic [CollBits-1:0] index(input [NumColl-1:0] one);
        integer c;
        begin
            index = '0;
            for (c = 0; c < NumColl; c = c + 1) if (one[c]) index = index | CollBits'(c);
        end
    endfunction
    function automatic [CollBits-1:0] behind(input [CollBits-1:0] c);
        behind = c == CollBits'(NumColl - 1) ? '0 : c + CollBits'(1);
    endfunction
    // BOCs whose saves go through port p
    function automatic [NumColl-1:0] of_port(input integer p);
        integer c;
        for (c = 0; c < NumColl; c = c + 1) of_port[c] = c % NumWr == p;
    endfunction

    // ---- Ports as one vector each
    logic [NumAlloc*InBits-1:0] in_bus;
    for (genvar a = 0; a < NumAlloc; a = a + 1) begin : g_in
        logic [NumOps*Loc-1:0] loc;
        for (genvar o = 0; o < NumOps; o = o + 1) begin : g_op
            assign loc[o*Loc +: Loc] = {alloc_bank_i[(a*NumOps + o)*BankBits +: BankBits],
                                        alloc_entry_i[(a*NumOps + o)*EntryBits +: EntryBits]};
        end
        assign in_bus[a*InBits +: InBits] =
            {alloc_pass_i[a], alloc_unit_i[a*UnitBits +: UnitBits], alloc_need_i[a*NumOps +: NumOps],
             loc, alloc_dst_i[a], alloc_dst_bank_i[a*BankBits +: BankBits],
             alloc_dst_entry_i[a*EntryBits +: EntryBits]};
    end
    logic [NumWr*ResBits-1:0] res_bus;
    for (genvar p = 0; p < NumWr; p = p + 1) begin : g_res
        logic [1:0]       write;
        logic [Lanes-1:0] lane;
        logic             by_bits, none, full, keep, now, dead;
        assign write   = res_write_i[p*2 +: 2];
        assign lane    = res_lane_i[p*Lanes +: Lanes];
        assign by_bits = mode_i[1];
        assign none    = lane == '0 || (by_bits && write == 2'b00);
        assign full    = lane == {Lanes{1'b1}};
        assign keep    = !by_bits || write[1];
        assign now     = by_bits ? write == 2'b01 : !mode_i[0] && testbug != 230;
        assign dead    = by_bits && (write == 2'b10 || (testbug == 231 && write[1]));
        assign res_bus[p*ResBits +: ResBits] = {none, full, keep, now, dead,
            res_bank_i[p*BankBits +: BankBits], res_entry_i[p*EntryBits +: EntryBits]};
    end

    // ---- The BOCs
    logic [NumColl-1:0]                          coming, res_valid, res_rf, res_store, res_done;
    logic [NumColl-1:0]                          save_valid, save_done;
    logic [NumColl*ValueBits-1:0]                from, res_entry, save_entry;
    logic [NumColl*Loc-1:0]                      save_loc;
    logic [NumColl*NumDisp-1:0]                  disp_offer, disp_leave;
    logic [NumColl*NumDisp*SlotBits-1:0]         disp_slot;
    logic [NumColl*NumDisp*NumOps-1:0]           disp_need;
    logic [NumColl*NumDisp*NumOps*ValueBits-1:0] disp_entry;
`ifdef RF_OBS
    // What is observed: BOC obs_coll, entry obs_entry of it; one of the following.
    localparam int NumRows = NumColl * Values;
    logic [31:0]          obs_rest;
    logic [1:0]           obs_kind;
    logic [CollBits-1:0]  obs_coll;
    logic [ValueBits-1:0] obs_entry;
    logic                 obs_boc_en, obs_row_en;
    logic [NumColl-1:0]   obs_holds;
    logic [1023:0]        obs_boc;
    logic [NumColl*1024-1:0] obs_bocs;
    assign obs_boc_en = obs_addr_i < 3 * NumColl;
    assign obs_row_en = !obs_boc_en && obs_addr_i < 3 * NumColl + NumRows;
    assign obs_rest   = obs_addr_i - 3 * NumColl;
    assign obs_kind   = obs_addr_i < NumColl ? 2'd0 : obs_addr_i < 2 * NumColl ? 2'd1 : 2'd2;
    assign obs_coll   = CollBits'(obs_boc_en ? obs_addr_i % NumColl : obs_rest / Values);
    assign obs_entry  = ValueBits'(obs_rest % Values);
`endif
`ifdef TESTBUG
    // What is changed: the same for the address of a fault.
    logic [31:0]          fault_addr, fault_rest;
    logic [1:0]           fault_op, fault_kind;
    logic [CollBits-1:0]  fault_coll;
    logic                 fault_boc_en, fault_row_en, fault_unused;
    assign fault_addr   = fault_i[31:0];
    assign fault_op     = fault_i[43:42];
    assign fault_unused = ^fault_i[63:44];
    assign fault_boc_en = fault_addr < 3 * NumColl;
    assign fault_rest   = fault_addr - 3 * NumColl;
    assign fault_row_en = !fault_boc_en && fault_rest < NumRows;
    assign fault_kind   = fault_addr < NumColl ? 2'd0 : fault_addr < 2 * NumColl ? 2'd1 : 2'd2;
    assign fault_coll   = CollBits'(fault_addr % NumColl);
`endif
    for (genvar c = 0; c < NumColl; c = c + 1) begin : g_boc
        logic               in_valid;
        logic [InBits-1:0]  in;
        logic [ResBits-1:0] res;
        logic [Loc-1:0]     rd_loc;
        always @* begin
            in_valid = 1'b0;
            in       = '0;
            for (int a = NumAlloc - 1; a >= 0; a = a - 1)
                if (alloc_valid_i[a] && alloc_coll_i[a*CollBits +: CollBits] == CollBits'(c)) begin
                    in_valid = 1'b1;
                    in       = in_bus[a*InBits +: InBits];
                end
            res_valid[c] = 1'b0;
            res          = '0;
            for (int p = NumWr - 1; p >= 0; p = p - 1)
                if (res_valid_i[p] && res_coll_i[p*CollBits +: CollBits] == CollBits'(c)) begin
                    res_valid[c] = 1'b1;
                    res          = res_bus[p*ResBits +: ResBits];
                end
        end
        boc #(.NumOps(NumOps), .NumDisp(NumDisp), .Window(Window), .Values(Values),
              .BankBits(BankBits), .EntryBits(EntryBits)) u_boc (
            .clk_i,
            .rst_ni,
            .in_valid_i(in_valid),
            .in_pass_i(in[InBits-1]),
            .in_unit_i(in[InBits-2 -: UnitBits]),
            .in_need_i(in[NumOps*Loc + Loc + 1 +: NumOps]),
            .in_loc_i(in[Loc + 1 +: NumOps*Loc]),
            .in_dst_i(in[Loc]),
            .in_dst_loc_i(in[Loc-1:0]),
            .ready_o(alloc_ready_o[c]),
            .room_o(alloc_room_o[c*2 +: 2]),
            .slot_o(alloc_slot_o[c*SlotBits +: SlotBits]),
            .rd_valid_o(rd_valid_o[c]),
            .rd_loc_o(rd_loc),
            .rd_grant_i(rd_grant_i[c]),
            .rd_coming_o(coming[c]),
            .rd_entry_o(from[c*ValueBits +: ValueBits]),
            .disp_offer_o(disp_offer[c*NumDisp +: NumDisp]),
            .disp_slot_o(disp_slot[c*NumDisp*SlotBits +: NumDisp*SlotBits]),
            .disp_need_o(disp_need[c*NumDisp*NumOps +: NumDisp*NumOps]),
            .disp_entry_o(disp_entry[c*NumDisp*NumOps*ValueBits +: NumDisp*NumOps*ValueBits]),
            .disp_leave_i(disp_leave[c*NumDisp +: NumDisp]),
            .res_valid_i(res_valid[c]),
            .res_loc_i(res[Loc-1:0]),
            .res_none_i(res[Loc+4]),
            .res_full_i(res[Loc+3]),
            .res_keep_i(res[Loc+2]),
            .res_now_i(res[Loc+1]),
            .res_dead_i(res[Loc]),
            .res_done_i(res_done[c]),
            .res_rf_o(res_rf[c]),
            .res_store_o(res_store[c]),
            .res_entry_o(res_entry[c*ValueBits +: ValueBits]),
            .save_valid_o(save_valid[c]),
            .save_entry_o(save_entry[c*ValueBits +: ValueBits]),
            .save_loc_o(save_loc[c*Loc +: Loc]),
            .save_done_i(save_done[c]),
            .flush_i(flush_i[c]),
            .drop_i(drop_i[c]),
            .unsaved_o(unsaved_o[c])
`ifdef RF_OBS
            ,
            .obs_en_i(obs_boc_en && obs_coll == CollBits'(c)),
            .obs_kind_i(obs_kind),
            .obs_entry_i(obs_entry),
            .obs_data_o(obs_bocs[c*1024 +: 1024]),
            .obs_holds_o(obs_holds[c])
`endif
`ifdef TESTBUG
            ,
            .fault_op_i(fault_boc_en && fault_coll == CollBits'(c) ? fault_op : 2'd0),
            .fault_kind_i(fault_kind),
            .fault_bit_i(fault_i[41:32])
`endif
        );
        assign {rd_bank_o[c*BankBits +: BankBits], rd_entry_o[c*EntryBits +: EntryBits]} = rd_loc;
    end

    // ---- The order of reads: a granted BOC goes behind the others
    logic [NumColl*NumColl-1:0] older_q, older_d;
    logic [NumColl-1:0]         granted;
    assign granted = rd_valid_o & rd_grant_i;
    assign older_o = older_q;
    always @* begin
        older_d = older_q;
        if (granted != '0 && testbug != 226)
            for (int c = 0; c < NumColl; c = c + 1)
                older_d[c*NumColl +: NumColl] = granted[c] ? older_q[c*NumColl +: NumColl] | ~granted
                                                           : older_q[c*NumColl +: NumColl] & ~granted;
    end

    // ---- Dispatch
    logic [NumDisp*CollBits-1:0]        disp_q, disp_d;
    logic [NumDisp*NumOps*AddrBits-1:0] disp_addr;
    for (genvar d = 0; d < NumDisp; d = d + 1) begin : g_disp
        logic [NumColl-1:0]  offers, one;
        logic [CollBits-1:0] coll;
        for (genvar c = 0; c < NumColl; c = c + 1) begin : g_coll
            assign offers[c] = disp_offer[c*NumDisp + d];
            assign disp_leave[c*NumDisp + d] = one[c] && disp_ready_i[d];
        end
        assign one  = first_of(offers, disp_q[d*CollBits +: CollBits]);
        assign coll = index(one);
        assign disp_valid_o[d]                     = offers != '0;
        assign disp_coll_o[d*CollBits +: CollBits] = coll;
        assign disp_slot_o[d*SlotBits +: SlotBits] =
            disp_slot[(32'(coll)*NumDisp + d)*SlotBits +: SlotBits];
        assign disp_need_o[d*NumOps +: NumOps] = offers == '0 ? '0
            : disp_need[(32'(coll)*NumDisp + d)*NumOps +: NumOps];
        assign disp_d[d*CollBits +: CollBits] =
            offers != '0 && disp_ready_i[d] && !(testbug == 225 && d == 0)
            ? behind(coll) : disp_q[d*CollBits +: CollBits];
        for (genvar o = 0; o < NumOps; o = o + 1) begin : g_op
            assign disp_addr[(d*NumOps + o)*AddrBits +: AddrBits] = AddrBits'(32'(coll)*Values +
                32'(disp_entry[((32'(coll)*NumDisp + d)*NumOps + o)*ValueBits +: ValueBits]));
        end
    end

    // ---- Writes: the result of the port and the saves of its BOCs
    logic [NumWr*CollBits-1:0] save_q, save_d;
    logic [NumWr-1:0]          turn_q, turn_d, served, rf, saves, conflict, done, store;
    logic [NumWr*AddrBits-1:0] save_addr, res_addr;
    logic [NumWr*NumColl-1:0]  save_ones;
    for (genvar p = 0; p < NumWr; p = p + 1) begin : g_wr
        localparam logic [NumColl-1:0] Mine = of_port(p);
        logic [NumColl-1:0]  one;
        logic [CollBits-1:0] coll, from_coll;
        assign from_coll = res_coll_i[p*CollBits +: CollBits];
        always @* begin
            served[p] = res_valid_i[p];
            for (int x = 0; x < p; x = x + 1)
                if (res_valid_i[x] && res_coll_i[x*CollBits +: CollBits] == from_coll && testbug != 228)
                    served[p] = 1'b0;
        end
        assign rf[p]       = served[p] && (res_rf >> from_coll & NumColl'(1)) != '0;
        assign one         = first_of(save_valid & Mine, save_q[p*CollBits +: CollBits]);
        assign coll        = index(one);
        assign saves[p]    = one != '0;
        assign conflict[p] = rf[p] && saves[p];
        assign wr_res_o[p] = rf[p] && !(saves[p] && turn_q[p]);
        assign wr_valid_o[p]  = rf[p] || saves[p];
        assign res_ready_o[p] = served[p] && (!rf[p] || wr_res_o[p]);
        assign done[p]        = res_ready_o[p] && (!wr_res_o[p] || wr_ready_i[p]);
        assign store[p]       = done[p] && (res_store >> from_coll & NumColl'(1)) != '0;
        assign {wr_bank_o[p*BankBits +: BankBits], wr_entry_o[p*EntryBits +: EntryBits]} =
            wr_res_o[p] ? {res_bank_i[p*BankBits +: BankBits], res_entry_i[p*EntryBits +: EntryBits]}
                        : save_loc[32'(coll)*Loc +: Loc];
        assign wr_lane_o[p*Lanes +: Lanes] = wr_res_o[p] ? res_lane_i[p*Lanes +: Lanes]
                                                         : {Lanes{1'b1}};
        assign save_addr[p*AddrBits +: AddrBits] =
            AddrBits'(32'(coll)*Values + 32'(save_entry[32'(coll)*ValueBits +: ValueBits]));
        assign res_addr[p*AddrBits +: AddrBits] =
            AddrBits'(32'(from_coll)*Values + 32'(res_entry[32'(from_coll)*ValueBits +: ValueBits]));
        assign save_ones[p*NumColl +: NumColl] = wr_res_o[p] || !wr_ready_i[p] ? '0 : one;
        assign save_d[p*CollBits +: CollBits] =
            saves[p] && !wr_res_o[p] && (wr_ready_i[p] || testbug == 229)
            ? behind(coll) : save_q[p*CollBits +: CollBits];
        assign turn_d[p] = conflict[p] && wr_ready_i[p] && testbug != 227 ? wr_res_o[p] : turn_q[p];
    end
    always @* begin
        save_done = '0;
        res_done  = '0;
        for (int p = 0; p < NumWr; p = p + 1) begin
            save_done = save_done | save_ones[p*NumColl +: NumColl];
            if (done[p]) res_done = res_done | (NumColl'(1) << res_coll_i[p*CollBits +: CollBits]);
        end
    end

    // ---- Rows
    logic [Banks-1:0]          arr_valid;
    logic [Banks*AddrBits-1:0] arr_addr;
    logic [NumWr*Row-1:0]      save_data;
    for (genvar b = 0; b < Banks; b = b + 1) begin : g_bank
        logic [CollBits-1:0] coll;
        assign coll         = rd_data_coll_i[b*CollBits +: CollBits];
        assign arr_valid[b] = rd_data_valid_i[b] && (coming >> coll & NumColl'(1)) != '0;
        assign arr_addr[b*AddrBits +: AddrBits] =
            AddrBits'(32'(coll)*Values + 32'(from[32'(coll)*ValueBits +: ValueBits]));
    end
`ifdef RF_OBS
    logic [Row-1:0] obs_row;
`endif
    boc_rows #(.NumColl(NumColl), .Values(Values), .Banks(Banks), .NumWr(NumWr), .NumRd(NumRd)) u_rows (
        .clk_i,
        .arr_valid_i(arr_valid),
        .arr_addr_i(arr_addr),
        .arr_data_i(rd_data_i),
        .res_valid_i(store),
        .res_addr_i(res_addr),
        .res_lane_i,
        .res_data_i,
`ifdef RF_OBS
        .obs_en_i(obs_row_en && obs_holds[obs_coll]),
        .obs_addr_i(AddrBits'(obs_rest)),
        .obs_data_o(obs_row),
`endif
`ifdef TESTBUG
        .fault_op_i(fault_row_en ? fault_op : 2'd0),
        .fault_addr_i(AddrBits'(fault_rest)),
        .fault_bit_i(fault_i[41:32]),
`endif
        .rd_addr_i({save_addr, disp_addr}),
        .rd_data_o({save_data, disp_data_o})
    );
    for (genvar p = 0; p < NumWr; p = p + 1) begin : g_wr_data
        assign wr_data_o[p*Row +: Row] = wr_res_o[p] ? res_data_i[p*Row +: Row] : save_data[p*Row +: Row];
    end

    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            disp_q <= '0;
            save_q <= '0;
            turn_q <= '0;
            for (int c = 0; c < NumColl; c = c + 1)
                older_q[c*NumColl +: NumColl] <= (NumColl'(1) << c) - NumColl'(1);
        end else begin
            disp_q <= disp_d;
            save_q <= save_d;
            turn_q <= turn_d;
            if (granted != '0) older_q <= older_d;
        end
    end

`ifdef RF_OBS
    always @* begin
        obs_boc = '0;
        for (int c = 0; c < NumColl; c = c + 1)
            if (obs_boc_en && obs_coll == CollBits'(c)) obs_boc = obs_bocs[c*1024 +: 1024];
        obs_data_o = obs_boc_en ? obs_boc : 1024'(obs_row);
        if (obs_rest == NumRows && !obs_boc_en) begin
            for (int d = 0; d < NumDisp; d = d + 1)
                obs_data_o[d*32 +: 32] = 32'(disp_q[d*CollBits +: CollBits]);
            for (int p = 0; p < NumWr; p = p + 1) begin
                obs_data_o[(8 + p)*32 +: 32]  = 32'(save_q[p*CollBits +: CollBits]);
                obs_data_o[(12 + p)*32 +: 32] = 32'(turn_q[p]);
            end
        end
        case (obs_addr_i)
            32'hffff_0000: obs_data_o[31:0] = NumColl;
            32'hffff_0001: obs_data_o[31:0] = NumOps;
            32'hffff_0002: obs_data_o[31:0] = NumAlloc;
            32'hffff_0003: obs_data_o[31:0] = NumDisp;
            32'hffff_0004: obs_data_o[31:0] = NumWr;
            32'hffff_0005: obs_data_o[31:0] = Window;
            32'hffff_0006: obs_data_o[31:0] = Values;
            32'hffff_0007: obs_data_o[31:0] = Banks;
            32'hffff_0008: obs_data_o[31:0] = Entries;
            default: ;
        endcase
    end
`endif
endmodule
