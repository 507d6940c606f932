// SPDX-License-Identifier: Apache-2.0
// Purpose:    the pool of bypassing operand collectors (BOCs), one per warp: routing of instructions,
//             results and rows to their BOC, round-robin among BOCs at the dispatch ports, the write
//             ports to the register file. Contract: models/collect/bypass_collector.h.
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
    // 225  the pointer of dispatch port 0 stays: obs_data_o, disp_coll_o[0], two BOCs with an
    //      offer, one dispatched
    // 226  a granted BOC stays where it was in the order: older_o, the cycle after a grant
    // 227  the turn of a write port does not change: res_ready_o, wr_res_o, the second conflict on
    //      it
    // 228  a second result for one BOC is done, too: res_ready_o, two results for one BOC
    // 229  the pointer of a write port moves on a refusal: wr_bank_o / wr_entry_o, two BOCs that save
    // 230  write-through does not write: wr_res_o, wr_valid_o, a result in mode 0
    // 231  compiler bits 11 are taken for 10: alloc_room_o, wr_valid_o, such a value when the
    //      window passes it
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
    localparam int InBits    = 2 + UnitBits + NumOps + (NumOps + 1)*Loc;
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
    function automatic [AddrBits-1:0] row_of(input [CollBits-1:0] c, input [ValueBits-1:0] entry);
        row_of = AddrBits'(c) * AddrBits'(Values) + AddrBits'(entry);
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
        logic [NumAlloc-1:0] in_sel;             // the port whose instruction is for c
        logic [ResBits-1:0]  res;
        logic [Loc-1:0]      rd_loc;
        always @* begin
            in_sel = '0;
            for (int a = NumAlloc - 1; a >= 0; a = a - 1)
                if (alloc_valid_i[a] && alloc_coll_i[a*CollBits +: CollBits] == CollBits'(c))
                    in_sel = NumAlloc'(1) << a;
            res_valid[c] = 1'b0;
            res          = '0;
            for (int p = NumWr - 1; p >= 0; p = p - 1)
                if (res_valid_i[p] && res_coll_i[p*CollBits +: CollBits] == CollBits'(c)) begin
                    res_valid[c] = 1'b1;
                    res          = res_bus[p*ResBits +: ResBits];
                end
        end
`ifdef FORMAL
        // In proofs of this module the BOCs may do anything: what they do is proved in boc.
        (* anyseq *) logic                                f_ready, f_rd, f_coming, f_rf, f_store, f_save;
        (* anyseq *) logic                                f_unsaved;
        (* anyseq *) logic [1:0]                          f_room;
        (* anyseq *) logic [SlotBits-1:0]                 f_slot;
        (* anyseq *) logic [Loc-1:0]                      f_rd_loc, f_save_loc;
        (* anyseq *) logic [ValueBits-1:0]                f_from, f_res_entry, f_save_entry;
        (* anyseq *) logic [NumDisp-1:0]                  f_offer;
        (* anyseq *) logic [NumDisp*SlotBits-1:0]         f_disp_slot;
        (* anyseq *) logic [NumDisp*NumOps-1:0]           f_disp_need;
        (* anyseq *) logic [NumDisp*NumOps*ValueBits-1:0] f_disp_entry;
        assign alloc_ready_o[c]                     = f_ready;
        assign alloc_room_o[c*2 +: 2]               = f_room;
        assign alloc_slot_o[c*SlotBits +: SlotBits] = f_slot;
        assign rd_valid_o[c]                        = f_rd;
        assign rd_loc                               = f_rd_loc;
        assign coming[c]                            = f_coming;
        assign from[c*ValueBits +: ValueBits]       = f_from;
        assign disp_offer[c*NumDisp +: NumDisp]     = f_offer;
        assign disp_slot[c*NumDisp*SlotBits +: NumDisp*SlotBits]                   = f_disp_slot;
        assign disp_need[c*NumDisp*NumOps +: NumDisp*NumOps]                       = f_disp_need;
        assign disp_entry[c*NumDisp*NumOps*ValueBits +: NumDisp*NumOps*ValueBits] = f_disp_entry;
        assign res_rf[c]                            = f_rf;
        assign res_store[c]                         = f_store;
        assign res_entry[c*ValueBits +: ValueBits]  = f_res_entry;
        assign save_valid[c]                        = f_save;
        assign save_entry[c*ValueBits +: ValueBits] = f_save_entry;
        assign save_loc[c*Loc +: Loc]               = f_save_loc;
        assign unsaved_o[c]                         = f_unsaved;
        assign obs_bocs[c*1024 +: 1024]             = '0;
        assign obs_holds[c]                         = 1'b1;
        always_comb begin
            assume (f_from < Values && f_res_entry < Values && f_save_entry < Values);
            for (int i = 0; i < NumDisp*NumOps; i = i + 1)
                assume (f_disp_entry[i*ValueBits +: ValueBits] < Values);
        end
`else
        boc #(.NumOps(NumOps), .NumAlloc(NumAlloc), .NumDisp(NumDisp), .Window(Window), .Values(Values), .BankBits(BankBits), .EntryBits(EntryBits)) u_boc (
            .clk_i,
            .rst_ni,
            .in_sel_i(in_sel),
            .in_bus_i(in_bus),
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
`endif
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
            assign disp_addr[(d*NumOps + o)*AddrBits +: AddrBits] = row_of(coll,
                disp_entry[((32'(coll)*NumDisp + d)*NumOps + o)*ValueBits +: ValueBits]);
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
            row_of(coll, save_entry[32'(coll)*ValueBits +: ValueBits]);
        assign res_addr[p*AddrBits +: AddrBits] =
            row_of(from_coll, res_entry[32'(from_coll)*ValueBits +: ValueBits]);
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
    logic [NumWr*Row-1:0]      save_data;
`ifdef RF_OBS
    logic [Row-1:0] obs_row;
`endif
    boc_rows #(.NumColl(NumColl), .Values(Values), .Banks(Banks), .NumWr(NumWr), .NumRd(NumRd)) u_rows (
        .clk_i,
        .arr_valid_i(rd_data_valid_i),
        .arr_coll_i(rd_data_coll_i),
        .arr_data_i(rd_data_i),
        .coming_i(coming),
        .from_i(from),
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

`ifdef FORMAL
    // Contract, for any BOCs f_c and f_e, dispatch port f_d, write port f_p and row f_v of f_c.
    (* anyconst *) logic [CollBits-1:0]  f_c;
    (* anyconst *) logic [CollBits-1:0]  f_e;
    (* anyconst *) logic [ValueBits-1:0] f_v;
    logic f_past;
    initial f_past = 1'b0;
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
    end
    function automatic one_of(input [NumColl-1:0] set, input [CollBits-1:0] c);
        one_of = (set >> c & NumColl'(1)) != '0;
    endfunction
    // Whether c comes at or after from and before to, cyclically.
    function automatic between(input [CollBits-1:0] from, input [CollBits-1:0] c, input [CollBits-1:0] to);
        between = from <= to ? from <= c && c < to : from <= c || c < to;
    endfunction
    always_comb begin
        assume (f_c < NumColl && f_e < NumColl && f_c != f_e && f_v < Values);
        for (int a = 0; a < NumAlloc; a = a + 1) assume (alloc_coll_i[a*CollBits +: CollBits] < NumColl);
        for (int p = 0; p < NumWr; p = p + 1) assume (res_coll_i[p*CollBits +: CollBits] < NumColl);
        for (int b = 0; b < Banks; b = b + 1) begin
            assume (rd_data_coll_i[b*CollBits +: CollBits] < NumColl);
            for (int x = 0; x < b; x = x + 1)
                assume (!(rd_data_valid_i[b] && rd_data_valid_i[x] &&
                          rd_data_coll_i[b*CollBits +: CollBits] == rd_data_coll_i[x*CollBits +: CollBits]));
        end
    end

    // Instructions go to their BOC, the lowest port first, one per BOC.
    for (genvar c = 0; c < NumColl; c = c + 1) begin : g_f_in
        logic [NumAlloc-1:0] mine;
        for (genvar a = 0; a < NumAlloc; a = a + 1) begin : g_port
            assign mine[a] = alloc_valid_i[a] && alloc_coll_i[a*CollBits +: CollBits] == CollBits'(c);
        end
        always_comb if (f_past) assert (g_boc[c].in_sel == (mine & (~mine + 1'b1)));
    end

    // The order of reads: strict and total; who was granted is not older than who was not.
    logic f_older_ce, f_older_ec, f_c_after;
    always_comb begin
        f_older_ce = 1'b0;
        f_older_ec = 1'b0;
        for (int c = 0; c < NumColl; c = c + 1) begin
            if (f_c == CollBits'(c)) f_older_ce = one_of(older_o[c*NumColl +: NumColl], f_e);
            if (f_e == CollBits'(c)) f_older_ec = one_of(older_o[c*NumColl +: NumColl], f_c);
        end
    end
    always_ff @(posedge clk_i) begin
        f_c_after <= f_past && rst_ni && one_of(granted, f_c) && !one_of(granted, f_e);
    end
    always_comb if (f_past) begin
        assert (f_older_ce != f_older_ec);
        if (f_c_after) assert (f_older_ce);
    end
    for (genvar c = 0; c < NumColl; c = c + 1) begin : g_f_order
        always_comb if (f_past) assert (!older_q[c*NumColl + c]);
        for (genvar d = 0; d < NumColl; d = d + 1) begin : g_pair
            always_comb if (f_past && c != d)
                assert (older_q[c*NumColl + d] != older_q[d*NumColl + c]);
            for (genvar e = 0; e < NumColl; e = e + 1) begin : g_third
                always_comb if (f_past && older_q[c*NumColl + d] && older_q[d*NumColl + e])
                    assert (older_q[c*NumColl + e]);
            end
        end
    end

    // Round-robin: nobody is served twice while another one waits.
    for (genvar d = 0; d < NumDisp; d = d + 1) begin : g_f_disp
        logic [NumColl-1:0]  offers;
        logic [CollBits-1:0] coll;
        logic                passed;             // f_e was served while f_c offered
        for (genvar c = 0; c < NumColl; c = c + 1) begin : g_coll
            assign offers[c] = disp_offer[c*NumDisp + d];
        end
        assign coll = disp_coll_o[d*CollBits +: CollBits];
        always_ff @(posedge clk_i)
            passed <= f_past && rst_ni && one_of(offers, f_c) &&
                      !(disp_valid_o[d] && disp_ready_i[d] && coll == f_c) &&
                      (passed || (disp_valid_o[d] && disp_ready_i[d] && coll == f_e));
        always_comb if (f_past) begin
            assert (disp_valid_o[d] == (offers != '0));
            if (disp_valid_o[d]) assert (coll < NumColl && one_of(offers, coll));
            if (passed && one_of(offers, f_c)) assert (coll != f_e);
            if (passed) assert (between(behind(f_e), disp_q[d*CollBits +: CollBits], behind(f_c)));
            assert (disp_q[d*CollBits +: CollBits] < NumColl);
            // who leaves is who was offered and taken
            for (int c = 0; c < NumColl; c = c + 1)
                assert (disp_leave[c*NumDisp + d] ==
                        (disp_valid_o[d] && disp_ready_i[d] && coll == CollBits'(c)));
        end
    end

    // Results and saves
    logic [NumColl-1:0] f_done_once, f_done_twice;
    always_comb begin
        f_done_once  = '0;
        f_done_twice = '0;
        for (int p = 0; p < NumWr; p = p + 1)
            if (res_valid_i[p] && res_ready_o[p] && (!wr_res_o[p] || wr_ready_i[p])) begin
                f_done_twice = f_done_twice | (f_done_once & (NumColl'(1) << res_coll_i[p*CollBits +: CollBits]));
                f_done_once  = f_done_once | (NumColl'(1) << res_coll_i[p*CollBits +: CollBits]);
            end
    end
    always_comb if (f_past) begin
        assert (f_done_twice == '0 && res_done == f_done_once);
        assert ((wr_res_o & ~wr_valid_o) == '0 && (wr_res_o & ~res_valid_i) == '0);
        assert ((res_ready_o & ~res_valid_i) == '0);
    end
    for (genvar p = 0; p < NumWr; p = p + 1) begin : g_f_wr
        localparam logic [NumColl-1:0] Mine = of_port(p);
        logic [NumColl-1:0]  offers, taken;
        logic                lost, passed;       // result p lost a conflict; f_e saved while f_c waited
        assign offers = save_valid & Mine;
        assign taken  = save_done & Mine;
        always_ff @(posedge clk_i) begin
            lost   <= f_past && rst_ni && (rf[p] && wr_valid_o[p] && !wr_res_o[p] && wr_ready_i[p]);
            passed <= f_past && rst_ni && one_of(offers, f_c) && !one_of(taken, f_c) &&
                      (passed || one_of(taken, f_e));
        end
        always_comb if (f_past) begin
            assert (wr_valid_o[p] == (rf[p] || offers != '0));
            assert ((taken & (taken - 1'b1)) == '0 && (taken & ~offers) == '0);
            assert ((taken != '0) == (wr_valid_o[p] && !wr_res_o[p] && wr_ready_i[p]));
            // the loser of a conflict that was taken wins the next one
            if (lost && rf[p]) assert (wr_res_o[p]);
            if (lost) assert (!turn_q[p]);
            if (passed && one_of(offers, f_c)) assert (!one_of(taken, f_e));
            if (passed) assert (between(behind(f_e), save_q[p*CollBits +: CollBits], behind(f_c)));
            assert (save_q[p*CollBits +: CollBits] < NumColl);
            // a result is written where it says, in its lanes
            if (wr_res_o[p]) begin
                assert ({wr_bank_o[p*BankBits +: BankBits], wr_entry_o[p*EntryBits +: EntryBits]} ==
                        res_bus[p*ResBits +: Loc]);
                assert (wr_lane_o[p*Lanes +: Lanes] == res_lane_i[p*Lanes +: Lanes]);
                assert (wr_data_o[p*Row +: Row] == res_data_i[p*Row +: Row]);
            end else assert (wr_lane_o[p*Lanes +: Lanes] == {Lanes{1'b1}});
        end
    end

    // What BOC f_c says of its entries.
    logic [ValueBits-1:0]                f_from, f_res_entry;
    logic [NumDisp*NumOps*ValueBits-1:0] f_disp_entry;
    always_comb begin
        f_from       = '0;
        f_res_entry  = '0;
        f_disp_entry = '0;
        for (int c = 0; c < NumColl; c = c + 1)
            if (f_c == CollBits'(c)) begin
                f_from       = from[c*ValueBits +: ValueBits];
                f_res_entry  = res_entry[c*ValueBits +: ValueBits];
                f_disp_entry = disp_entry[c*NumDisp*NumOps*ValueBits +: NumDisp*NumOps*ValueBits];
            end
    end
    // Row f_v of BOC f_c: what arrived for it or was stored in it is what is dispatched and saved.
    logic           f_known, f_stores, f_arrives;
    logic [Row-1:0] f_value, f_next;
    initial f_known = 1'b0;
    always_comb begin
        f_stores  = 1'b0;
        f_arrives = 1'b0;
        f_next    = f_value;
        for (int b = 0; b < Banks; b = b + 1)
            if (rd_data_valid_i[b] && rd_data_coll_i[b*CollBits +: CollBits] == f_c && one_of(coming, f_c) &&
                f_from == f_v) begin
                f_arrives = 1'b1;
                f_next    = rd_data_i[b*Row +: Row];
            end
        for (int p = 0; p < NumWr; p = p + 1)
            if (res_valid_i[p] && res_ready_o[p] && (!wr_res_o[p] || wr_ready_i[p]) && one_of(res_store, f_c) &&
                res_coll_i[p*CollBits +: CollBits] == f_c &&
                f_res_entry == f_v) begin
                f_stores = 1'b1;
                if (res_lane_i[p*Lanes]) f_next = res_data_i[p*Row +: Row];
            end
        assume (!(f_stores && f_arrives));       // proved in boc
        assume (obs_addr_i == 3 * NumColl + 32'(f_c) * Values + 32'(f_v));
    end
    always_ff @(posedge clk_i) begin
        f_value <= f_next;
        f_known <= f_known || f_arrives || (f_stores && res_lane_i == '1);
    end
    always_comb if (f_past && f_known) begin
        assert (obs_row == f_value);
        for (int d = 0; d < NumDisp; d = d + 1)
            for (int o = 0; o < NumOps; o = o + 1)
                if (disp_valid_o[d] && disp_coll_o[d*CollBits +: CollBits] == f_c &&
                    f_disp_entry[(d*NumOps + o)*ValueBits +: ValueBits] == f_v)
                    assert (disp_data_o[(d*NumOps + o)*Row +: Row] == f_value);
    end

    always_comb begin
        cover (f_past && disp_valid_o == '1 && disp_coll_o[CollBits-1:0] == CollBits'(1) && f_known);
        cover (f_past && wr_valid_o == '1 && wr_res_o == '0 && rf == '1 && turn_q == '1);
        cover (f_past && f_c_after && older_q[NumColl] == 1'b0);
    end
`endif
endmodule
