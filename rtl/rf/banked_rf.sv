// SPDX-License-Identifier: Apache-2.0
// Purpose:    the banked register file: Banks x Entries warp registers of 1024 bits and the arbiter
//             in front of them. Each bank serves one request, a read by a collector or a write by a
//             writer, per cycle. Contract: models/rf/banked_rf.h.
// Parameters: Banks, 1..32; Entries, 2..1024: warp registers per bank; NumColl, 1..32: operand
//             collectors that read; NumWr, 1..4: results written per cycle. BankBits, EntryBits,
//             CollBits follow.
// Timing:     cycle t: rd_grant_o and wr_ready_o answer the requests of the same cycle. Cycle t+1:
//             rd_data_valid_o[b], rd_data_coll_o[b] and rd_data_o[b] deliver what bank b read in t.
//             A write granted in t is seen by reads granted from t+1 on.
// Reset:      nothing is delivered in the next cycle, writer 0 comes first on every bank. The
//             memory is neither reset nor written in a cycle of reset.
// Left out:   energy gating of unread slices.
// Shapes:     - ; Banks=1,Entries=2,NumColl=1,NumWr=1 ; Banks=3,Entries=100,NumColl=5,NumWr=3
// Proof:      2:6:Banks=2,Entries=2,NumColl=2,NumWr=2,RF_MERGE
// Proof:      2:6:Banks=3,Entries=3,NumColl=3,NumWr=1,RF_MERGE

module banked_rf #(
    parameter int Banks   = 4,
    parameter int Entries = 256,
    parameter int NumColl = 16,
    parameter int NumWr   = 2,
`ifdef RF_NARROW
    localparam int Lanes = 4,  // as in rf_bank: four lanes stand for all in the proof
`else
    localparam int Lanes = 32,
`endif
    localparam int Row       = Lanes * 32,
    localparam int BankBits  = Banks > 1 ? $clog2(Banks) : 1,
    localparam int EntryBits = Entries > 1 ? $clog2(Entries) : 1,
    localparam int CollBits  = NumColl > 1 ? $clog2(NumColl) : 1,
    localparam int WrBits    = NumWr > 1 ? $clog2(NumWr) : 1
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    // collectors ask for operands
    input  logic [NumColl-1:0]           rd_valid_i,
    input  logic [NumColl*BankBits-1:0]  rd_bank_i,
    input  logic [NumColl*EntryBits-1:0] rd_entry_i,
    input  logic [NumColl*EntryBits-1:0] rd_entry2_i,
    input  logic [NumColl*4-1:0]         rd_sel_i,
    input  logic [NumColl*NumColl-1:0]   older_i,
    output logic [NumColl-1:0]           rd_grant_o,
    // writers
    input  logic [NumWr-1:0]             wr_valid_i,
    input  logic [NumWr*BankBits-1:0]    wr_bank_i,
    input  logic [NumWr*EntryBits-1:0]   wr_entry_i,
    input  logic [NumWr*4-1:0]           wr_slice_i,
    input  logic [NumWr*Lanes-1:0]       wr_lane_i,
    input  logic [NumWr*Row-1:0]         wr_data_i,
    output logic [NumWr-1:0]             wr_ready_o,
`ifdef RF_OBS
    // observation: rows, then write priorities, then parameters
    input  logic [31:0]                  obs_addr_i,
    output logic [1023:0]                obs_data_o,
`endif
    // banks deliver
    output logic [Banks-1:0]             rd_data_valid_o,
    output logic [Banks*CollBits-1:0]    rd_data_coll_o,
    output logic [Banks*Row-1:0]         rd_data_o
);

    logic [Banks-1:0]          bank_en, bank_we;
    logic [Banks*CollBits-1:0] bank_coll;
    logic [Banks*WrBits-1:0]   bank_wr;
`ifdef RF_OBS
    localparam int Rows = Banks * Entries;
    logic [BankBits-1:0]   obs_bank;
    logic [WrBits-1:0]     obs_first;
    logic [Banks*Row-1:0] obs_row;
    assign obs_bank = BankBits'(obs_addr_i - Rows);
`endif

    rf_arbiter #(.Banks(Banks), .NumColl(NumColl), .NumWr(NumWr)) u_arbiter (
        .clk_i,
        .rst_ni,
        .rd_valid_i,
        .rd_bank_i,
        .older_i,
        .rd_grant_o,
        .wr_valid_i,
        .wr_bank_i,
        .wr_ready_o,
`ifdef RF_OBS
        .obs_bank_i  (obs_bank),
        .obs_first_o (obs_first),
`endif
        .bank_en_o   (bank_en),
        .bank_we_o   (bank_we),
        .bank_coll_o (bank_coll),
        .bank_wr_o   (bank_wr)
    );

    // Widths of bit positions in the request vectors; rows of wr_data_i, 0 where there is no such
    // writer.
    localparam int EntryIdx = $clog2(NumColl * EntryBits > 1 ? NumColl * EntryBits : 2);
    localparam int WrIdx    = $clog2(NumWr * EntryBits > 1 ? NumWr * EntryBits : 2);
    localparam int SelIdx   = $clog2(NumColl * 4);
    localparam int SliceIdx = $clog2(NumWr * 4);
    localparam int LaneIdx  = $clog2(NumWr * Lanes);
    localparam int WrRow1   = NumWr > 1 ? 1 : 0;
    localparam int WrRow2   = NumWr > 2 ? 2 : 0;
    localparam int WrRow3   = NumWr > 3 ? 3 : 0;

    logic [Banks-1:0]          valid_q, rd_served;
    logic [Banks*CollBits-1:0] coll_q;
    assign rd_served = bank_en & ~bank_we;

    for (genvar b = 0; b < Banks; b = b + 1) begin : g_bank
        logic                 we;
        logic [CollBits-1:0]  coll;  // the reader
        logic [WrBits-1:0]    wr;    // the writer
        logic [EntryBits-1:0] rd_entry, rd_entry2, wr_entry;
        logic [Row-1:0]        wdata;
        assign we        = bank_we[b];
        assign coll      = bank_coll[b*CollBits +: CollBits];
        assign wr        = bank_wr[b*WrBits +: WrBits];
        assign rd_entry  = rd_entry_i[EntryIdx'(coll)*EntryIdx'(EntryBits) +: EntryBits];
        assign rd_entry2 = rd_entry2_i[EntryIdx'(coll)*EntryIdx'(EntryBits) +: EntryBits];
        assign wr_entry  = wr_entry_i[WrIdx'(wr)*WrIdx'(EntryBits) +: EntryBits];
        always @* begin
            wdata = '0;
            if (we && wr == WrBits'(0))      wdata = wr_data_i[0 +: Row];
            else if (we && wr == WrBits'(1)) wdata = wr_data_i[WrRow1*Row +: Row];
            else if (we && wr == WrBits'(2)) wdata = wr_data_i[WrRow2*Row +: Row];
            else if (we)                     wdata = wr_data_i[WrRow3*Row +: Row];
        end
`ifdef RF_OBS
        logic obs_en;
        logic [EntryBits-1:0] obs_entry;
        assign obs_en    = obs_addr_i < Rows && obs_addr_i / Entries == b;
        assign obs_entry = EntryBits'(obs_addr_i - b * Entries);
`endif
        rf_bank #(.Entries(Entries)) u_bank (
            .clk_i,
            .en_i    (bank_en[b] && rst_ni),
            .we_i    (we),
            .addr1_i (we ? wr_entry : rd_entry),
            .addr2_i (rd_entry2),
            .sel_i   (rd_sel_i[SelIdx'(coll)*SelIdx'(4) +: 4]),
            .slice_i (wr_slice_i[SliceIdx'(wr)*SliceIdx'(4) +: 4]),
            .lane_i  (wr_lane_i[LaneIdx'(wr)*LaneIdx'(Lanes) +: Lanes]),
            .wdata_i (wdata),
`ifdef RF_OBS
            .obs_en_i   (obs_en),
            .obs_addr_i (obs_entry),
            .obs_data_o (obs_row[b*Row +: Row]),
`endif
            .rdata_o (rd_data_o[b*Row +: Row])
        );
    end

    always_ff @(posedge clk_i) begin
        if (!rst_ni) valid_q <= '0;
        else         valid_q <= rd_served;
        coll_q <= bank_coll;
    end
    assign rd_data_valid_o = valid_q;
    assign rd_data_coll_o  = coll_q;

`ifdef RF_OBS
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i < Rows)
            for (int b = 0; b < Banks; b = b + 1)
                obs_data_o = obs_data_o | 1024'(obs_row[b*Row +: Row]);
        else if (obs_addr_i < Rows + Banks) obs_data_o[WrBits-1:0] = obs_first;
        else if (obs_addr_i == 32'hffff_0000) obs_data_o[31:0] = Banks;
        else if (obs_addr_i == 32'hffff_0001) obs_data_o[31:0] = Entries;
        else if (obs_addr_i == 32'hffff_0002) obs_data_o[31:0] = NumColl;
        else if (obs_addr_i == 32'hffff_0003) obs_data_o[31:0] = NumWr;
    end
`endif

`ifdef SIM
    initial begin
        if (Banks < 1 || Banks > 32) $fatal(1, "banked_rf: Banks = %0d, legal is 1..32", Banks);
        if (Entries < 2 || Entries > 1024)
            $fatal(1, "banked_rf: Entries = %0d, legal is 2..1024", Entries);
        if (NumColl < 1 || NumColl > 32)
            $fatal(1, "banked_rf: NumColl = %0d, legal is 1..32", NumColl);
        if (NumWr < 1 || NumWr > 4) $fatal(1, "banked_rf: NumWr = %0d, legal is 1..4", NumWr);
    end
`endif

`ifdef FORMAL
    // Contract: what is written is read; a granted read is delivered once, in the next cycle, to
    // the one who asked; nothing else is delivered. Ghost: the value of one byte of one entry of
    // one bank.
    (* anyconst *) logic [BankBits-1:0]  f_b;
    (* anyconst *) logic [EntryBits-1:0] f_entry;
    (* anyconst *) logic [3:0]           f_byte;
    (* anyconst *) logic [CollBits-1:0]  f_c;
    (* anyconst *) logic [WrBits-1:0]    f_w;
    logic                 f_past, f_known, f_due, f_due_known;
    logic [7:0]           f_value, f_expect;
    logic [EntryBits-1:0] f_from, f_to;
    logic                 f_reads, f_writes, f_served;
    initial f_past  = 1'b0;
    initial f_known = 1'b0;
    // reader f_c is granted bank f_b; writer f_w is taken by it; f_served: some reader is granted
    // f_b
    assign f_reads  = rd_grant_o[f_c] && BankBits'(rd_bank_i >> f_c * BankBits) == f_b;
    assign f_writes = wr_ready_o[f_w] && BankBits'(wr_bank_i >> f_w * BankBits) == f_b;
    assign f_from   = 4'(rd_sel_i >> f_c * 4) >> f_byte[3:2] & 1'b1
        ? EntryBits'(rd_entry2_i >> f_c * EntryBits) : EntryBits'(rd_entry_i >> f_c * EntryBits);
    assign f_to     = EntryBits'(wr_entry_i >> f_w * EntryBits);
    logic [NumColl-1:0] f_granted_here;
    for (genvar c = 0; c < NumColl; c = c + 1) begin : g_f_served
        assign f_granted_here[c] = rd_grant_o[c] && rd_bank_i[c*BankBits +: BankBits] == f_b;
    end
    assign f_served = f_granted_here != '0;

    // The write to the byte, whichever writer it is.
    logic [NumWr-1:0]   f_hit;
    logic [NumWr*8-1:0] f_new;
    logic [7:0]         f_new_value;
    for (genvar w = 0; w < NumWr; w = w + 1) begin : g_f_hit
        assign f_hit[w] = rst_ni && wr_ready_o[w] && wr_bank_i[w*BankBits +: BankBits] == f_b &&
            wr_entry_i[w*EntryBits +: EntryBits] == f_entry &&
            wr_slice_i[{w[1:0], f_byte[3:2]}] && wr_lane_i[{w[1:0], f_byte[1:0]}];
        assign f_new[w*8 +: 8] = f_hit[w] ? wr_data_i[{w[1:0], f_byte, 3'b000} +: 8] : 8'h00;
    end
    always_comb begin
        f_new_value = '0;
        for (int w = 0; w < NumWr; w = w + 1) f_new_value = f_new_value | f_new[w*8 +: 8];
    end

    logic f_any_due;
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        if (f_hit != '0) begin
            f_known <= 1'b1;
            f_value <= f_new_value;
        end
        f_any_due   <= rst_ni && f_served;
        f_due       <= rst_ni && f_reads;
        f_due_known <= f_known && f_from == f_entry;
        f_expect    <= f_value;
    end
    // Environment: older_i is a strict total order (here: by some rank), entries exist.
    for (genvar c = 0; c < NumColl; c = c + 1) begin : g_assume
        (* anyseq *) logic [CollBits:0] f_rank;
        always_comb assume (rd_entry_i[c*EntryBits +: EntryBits] < Entries &&
                            rd_entry2_i[c*EntryBits +: EntryBits] < Entries);
        for (genvar d = 0; d < NumColl; d = d + 1) begin : g_pair
            always_comb begin
                if (c != d) assume (f_rank != g_assume[d].f_rank);
                assume (older_i[c*NumColl + d] == (g_assume[d].f_rank < f_rank));
            end
        end
    end
    for (genvar w = 0; w < NumWr; w = w + 1) begin : g_assume_wr
        always_comb assume (wr_entry_i[w*EntryBits +: EntryBits] < Entries);
    end

    always_comb begin
        assume (f_b < Banks && f_entry < Entries && f_c < NumColl && f_w < NumWr);
        assume (obs_addr_i == f_b * Entries + f_entry);
        if (f_past) begin
            // invariant
            if (f_known) assert (obs_data_o[{f_byte, 3'b000} +: 8] == f_value);
            // delivered once, to the one who asked, with the value; nothing without a request
            assert (rd_data_valid_o[f_b] == f_any_due);
            if (f_due)
                assert (rd_data_valid_o[f_b] && CollBits'(rd_data_coll_o >> f_b * CollBits) == f_c);
            if (f_due && f_due_known) assert (rd_data_o[{f_b, f_byte, 3'b000} +: 8] == f_expect);
            // one request per bank and cycle
            assert ((f_granted_here & (f_granted_here - 1'b1)) == '0);
            if (f_writes) assert (f_granted_here == '0);
        end
        cover (f_past && f_due && f_due_known && f_expect == 8'hc3 && f_reads);
        cover (f_past && f_due && f_due_known && f_hit != '0 && f_new_value != f_expect);
    end
`endif
endmodule
