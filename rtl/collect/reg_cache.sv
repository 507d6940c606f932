// SPDX-License-Identifier: Apache-2.0
// Purpose:    register file cache between the operand collectors and the banked register file. Each warp has Ways
//             rows, replaced first in, first out. Results allocate rows, read misses do not; an evicted row is written
//             back. Contract: models/collect/reg_cache.h.
// Parameters: Warps, 1..64; Ways, 1..16: rows of each warp; Banks, 1..32, of the register file and of the cache;
//             Entries, 2..1024: registers per bank of the register file; NumColl, 2..32: collectors that read; NumWr,
//             1..4: results per cycle. The other widths follow.
// Timing:     cycle t: every output but rd_data* answers the requests of the same cycle; wr_ready_o, evict_o and
//             killed_o depend on rf_wr_ready_i too. A read granted in t is delivered in t+1, from the memory's output
//             register. An evicted row comes out of that register as well: the write-back buffer takes it from there
//             in t+1, and offers it in that cycle already. State changes at the clock edge. 1.67 ns at 45 nm with four
//             collectors and rows of 16 bits (SM clock: 1.43 ns): a result's warp, its tags, whether it is taken, the
//             tags that it changes. (1.90 ns in the default shape, to a bank's address, before the banks of all ways
//             were worked out beside the lookup; not measured there since.)
// Reset:      no row is valid, buffers are empty, way 0 of each warp is replaced next, port 0 comes first, nothing is
//             delivered in the next cycle. The rows' memory is neither reset nor written in a cycle of reset.
// Left out:   rows fetched by read misses; flush of a descheduled warp; rows of which only some lanes are valid.
// Shapes:     -
// Shapes:     Warps=1,Ways=1,Banks=1,Entries=2,NumColl=2,NumWr=1
// Shapes:     Warps=5,Ways=3,Banks=3,Entries=5,NumColl=3,NumWr=3
// Proof:      3:12:Warps=2,Ways=2,Banks=2,Entries=2,NumColl=2,NumWr=2
// Proof:      3:12:Warps=1,Ways=3,Banks=2,Entries=4,NumColl=2,NumWr=2

module reg_cache #(
    parameter int Warps   = 48,
    parameter int Ways    = 6,
    parameter int Banks   = 4,
    parameter int Entries = 256,
    parameter int NumColl = 16,
    parameter int NumWr   = 2,
`ifdef RF_NARROW
    localparam int Lanes  = 2,  // as in cache_bank: these stand for all in proofs
    localparam int Slices = 1,
`else
    localparam int Lanes  = 32,
    localparam int Slices = 4,
`endif
    localparam int Row       = 8 * Slices * Lanes,
    localparam int WarpBits  = Warps > 1 ? $clog2(Warps) : 1,
    localparam int BankBits  = Banks > 1 ? $clog2(Banks) : 1,
    localparam int EntryBits = $clog2(Entries),
    localparam int CollBits  = $clog2(NumColl),
    localparam int WayBits   = $clog2(Ways + 1)
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    // collectors ask for operands
    input  logic [NumColl-1:0]           rd_valid_i,
    input  logic [NumColl*WarpBits-1:0]  rd_warp_i,
    input  logic [NumColl*BankBits-1:0]  rd_bank_i,
    input  logic [NumColl*EntryBits-1:0] rd_entry_i,
    input  logic [NumColl*NumColl-1:0]   older_i,
    output logic [NumColl-1:0]           rd_grant_o,
    output logic [NumColl-1:0]           rf_rd_valid_o,
    // results
    input  logic [NumWr-1:0]             wr_valid_i,
    input  logic [NumWr*WarpBits-1:0]    wr_warp_i,
    input  logic [NumWr*BankBits-1:0]    wr_bank_i,
    input  logic [NumWr*EntryBits-1:0]   wr_entry_i,
    input  logic [NumWr-1:0]             wr_whole_i,
    input  logic [NumWr*Lanes-1:0]       wr_lane_i,
    input  logic [NumWr*Row-1:0]         wr_data_i,
    output logic [NumWr-1:0]             wr_ready_o,
    output logic [NumWr-1:0]             wr_hit_o,
    output logic [NumWr-1:0]             evict_o,
    // values that are dead, warps that have ended
    input  logic                         kill_valid_i,
    input  logic [WarpBits-1:0]          kill_warp_i,
    input  logic [BankBits-1:0]          kill_bank_i,
    input  logic [EntryBits-1:0]         kill_entry_i,
    output logic                         killed_o,
    input  logic                         drop_valid_i,
    input  logic [WarpBits-1:0]          drop_warp_i,
    output logic [WayBits-1:0]           dropped_o,
`ifdef RF_OBS
    // observation: rows, warps, rows of the buffers, buffers and first port, then parameters
    input  logic [31:0]                  obs_addr_i,
    output logic [1023:0]                obs_data_o,
`endif
    // to the register file
    input  logic [NumWr-1:0]             rf_wr_ready_i,
    output logic [NumWr-1:0]             rf_wr_valid_o,
    output logic [NumWr*BankBits-1:0]    rf_wr_bank_o,
    output logic [NumWr*EntryBits-1:0]   rf_wr_entry_o,
    output logic [NumWr*Lanes-1:0]       rf_wr_lane_o,
    output logic [NumWr*Row-1:0]         rf_wr_data_o,
    // cache banks deliver
    output logic [Banks-1:0]             rd_data_valid_o,
    output logic [Banks*CollBits-1:0]    rd_data_coll_o,
    output logic [Banks*Row-1:0]         rd_data_o
);

    localparam int Rows     = Warps * Ways;
    localparam int Depth    = (Rows + Banks - 1) / Banks;
    localparam int AddrBits = Depth > 1 ? $clog2(Depth) : 1;
    localparam int NextBits = Ways > 1 ? $clog2(Ways) : 1;
    localparam int WrBits   = NumWr > 1 ? $clog2(NumWr) : 1;
    localparam int LocBits  = BankBits + EntryBits;  // a place in the register file
    localparam int TagBits  = Ways * LocBits;

    // Flip-flops: every collector and port looks up a warp of its own in the same cycle.
    (* mem2reg *) logic [TagBits-1:0]  tag_q   [0:Warps-1];
    (* mem2reg *) logic [Ways-1:0]     valid_q [0:Warps-1];
    (* mem2reg *) logic [NextBits-1:0] next_q  [0:Warps-1];
    // Write-back buffers. The row of a fresh one is still in the output register of cache bank from_q.
    logic [NumWr-1:0]          full_q, full_d, fresh_q;
    logic [NumWr*LocBits-1:0]  place_q;
    logic [NumWr*BankBits-1:0] from_q;
    logic [WrBits-1:0]         first_q, first_d;

    // ---- Lookup
    function automatic buffered(input [LocBits-1:0] place, input [NumWr-1:0] full, input [NumWr*LocBits-1:0] places);
        integer p;
        begin
            buffered = 1'b0;
            for (p = 0; p < NumWr; p = p + 1)
                if (full[p] && places[p*LocBits +: LocBits] == place) buffered = 1'b1;
        end
    endfunction
    // The index of the one that is in a set.
    function automatic [BankBits-1:0] bank_number(input [Banks-1:0] one);
        integer b;
        begin
            bank_number = '0;
            for (b = 0; b < Banks; b = b + 1) bank_number = bank_number | ({BankBits{one[b]}} & BankBits'(b));
        end
    endfunction
    // ---- Reads. at: the cache bank of the row that is hit, a bit per bank; first: no older collector asks for it.
    logic [NumColl*Banks-1:0]    rd_at, rd_first;
    logic [NumColl*AddrBits-1:0] rd_addr;
    logic [Banks-1:0]            bank_wanted;        // by a result
    for (genvar c = 0; c < NumColl; c = c + 1) begin : g_rd
        logic [WarpBits-1:0] warp;
        logic [LocBits-1:0]  place;
        logic [TagBits-1:0]  tags;
        logic [Ways-1:0]     valid, match;
        logic [Banks-1:0]    at;
        logic                waits;
        assign warp  = rd_warp_i[c*WarpBits +: WarpBits];
        assign place = {rd_bank_i[c*BankBits +: BankBits], rd_entry_i[c*EntryBits +: EntryBits]};
        assign tags  = tag_q[warp];
        assign valid = valid_q[warp];
        cache_match #(.Ways(Ways), .LocBits(LocBits)) u_match (
            .en_i(rd_valid_i[c]), .place_i(place), .tags_i(tags), .valid_i(valid), .match_o(match)
        );
        cache_where #(.Warps(Warps), .Ways(Ways), .Banks(Banks)) u_where (
            .en_i(rd_valid_i[c]), .warp_i(warp), .way_i(match), .bank_o(at), .addr_o(rd_addr[c*AddrBits +: AddrBits])
        );
        assign waits = rd_valid_i[c] && buffered(place, full_q, place_q);
        assign rf_rd_valid_o[c] = rd_valid_i[c] && match == '0 && (!waits);
        assign rd_at[c*Banks +: Banks] = at & ~{Banks{waits}};
    end
    // Who asks each cache bank; the oldest is granted, none at a bank that a result asks.
    logic [Banks*NumColl-1:0] bank_readers;
    always @* begin
        for (int b = 0; b < Banks; b = b + 1)
            for (int c = 0; c < NumColl; c = c + 1) bank_readers[b*NumColl + c] = rd_at[c*Banks + b];
    end
    for (genvar c = 0; c < NumColl; c = c + 1) begin : g_grant
        logic [NumColl-1:0] elder;
        assign elder = older_i[c*NumColl +: NumColl];
        always @* begin
            rd_first[c*Banks +: Banks] = '0;
            if (rd_valid_i[c])
                for (int b = 0; b < Banks; b = b + 1)
                    rd_first[c*Banks + b] = rd_at[c*Banks + b] && (bank_readers[b*NumColl +: NumColl] & elder) == '0;
        end
        assign rd_grant_o[c] = (rd_first[c*Banks +: Banks] & ~bank_wanted) != '0;
    end

    // ---- Results: each by itself
    logic [NumWr-1:0]          wr_through, wr_evicts;
    logic [NumWr*Banks-1:0]    wr_at, wr_go;         // the cache bank that it asks; that it asks and need not wait
    logic [NumWr*AddrBits-1:0] wr_addr;
    logic [NumWr*LocBits-1:0]  wr_place, old_place;
    logic [NumWr*TagBits-1:0]  fill_tags;   // its warp's state after an allocation
    logic [NumWr*Ways-1:0]     fill_valid;
    logic [NumWr*NextBits-1:0] fill_next;
    logic [NumWr-1:0]          kill_moved;  // the killed row is the one to be evicted
    logic [NumWr*Row-1:0]      wr_row;      // lanes left out are 0
    logic [Ways-1:0]           kill_match;
    for (genvar p = 0; p < NumWr; p = p + 1) begin : g_wr
        logic [WarpBits-1:0] warp;
        logic [LocBits-1:0]  place;
        logic [TagBits-1:0]  tags;
        logic [Ways-1:0]     valid, dead;
        logic [NextBits-1:0] next;
        logic                waits;
        assign dead  = kill_warp_i == warp ? kill_match : '0;
        assign warp  = wr_warp_i[p*WarpBits +: WarpBits];
        assign place = {wr_bank_i[p*BankBits +: BankBits], wr_entry_i[p*EntryBits +: EntryBits]};
        assign tags  = tag_q[warp];
        assign valid = valid_q[warp];
        assign next  = next_q[warp];
        assign waits = wr_valid_i[p] && buffered(place, full_q, place_q);
        assign wr_place[p*LocBits +: LocBits] = place;
        cache_result #(.Warps(Warps), .Ways(Ways), .Banks(Banks), .LocBits(LocBits), .Lanes(Lanes), .Slices(Slices)) u_result (
            .valid_i(wr_valid_i[p]), .warp_i(warp), .place_i(place), .whole_i(wr_whole_i[p]),
            .lane_i(wr_lane_i[p*Lanes +: Lanes]), .data_i(wr_data_i[p*Row +: Row]), .tags_i(tags), .rows_i(valid),
            .next_i(next), .dead_i(dead), .waits_i(waits), .full_i(full_q[p]),
            .rf_ready_i(rf_wr_ready_i[p]), .hit_o(wr_hit_o[p]), .evicts_o(wr_evicts[p]), .through_o(wr_through[p]),
            .at_o(wr_at[p*Banks +: Banks]), .go_o(wr_go[p*Banks +: Banks]), .addr_o(wr_addr[p*AddrBits +: AddrBits]),
            .row_o(wr_row[p*Row +: Row]), .old_place_o(old_place[p*LocBits +: LocBits]), .kill_moved_o(kill_moved[p]),
            .fill_tags_o(fill_tags[p*TagBits +: TagBits]), .fill_rows_o(fill_valid[p*Ways +: Ways]),
            .fill_next_o(fill_next[p*NextBits +: NextBits])
        );
    end

    // ---- Results: ports in turn
    logic [NumWr-1:0]       refused, accepted;
    logic [NumWr*Banks-1:0] wr_wins;                 // the bank that it gets
    cache_turns #(.NumWr(NumWr), .Banks(Banks)) u_turns (
        .first_i(first_q), .go_i(wr_go), .wins_o(wr_wins), .accepted_o(accepted), .refused_o(refused), .first_o(first_d)
    );
    assign wr_ready_o = accepted | (wr_through & rf_wr_ready_i);
    assign evict_o    = accepted & wr_evicts;
    logic unused;                                    // a refused result is one that is not accepted
    assign unused = ^refused;

    // ---- Cache banks: one access each
    logic [Banks-1:0] bank_we, bank_swap;
    always @* begin
        bank_wanted = '0;
        bank_we     = '0;
        bank_swap   = '0;
        for (int p = 0; p < NumWr; p = p + 1) begin
            bank_wanted = bank_wanted | wr_at[p*Banks +: Banks];
            bank_we     = bank_we | wr_go[p*Banks +: Banks];
            if (wr_evicts[p]) bank_swap = bank_swap | wr_wins[p*Banks +: Banks];
        end
    end

    // An index is read off a one-hot vector by one OR per bit, over the collectors whose index has that bit.
    function automatic [NumColl-1:0] colls_with_bit(input integer k);
        integer c;
        for (c = 0; c < NumColl; c = c + 1) colls_with_bit[c] = ((c >> k) & 1) != 0;
    endfunction
    logic [Banks-1:0]          read, deliver_q;
    logic [Banks*CollBits-1:0] coll, coll_q;
`ifdef RF_OBS
    logic [Banks*Row-1:0] obs_rows;
    logic                 obs_valid;  // row obs_addr_i is
    logic [Banks-1:0]     obs_bank;   // where it is
    logic [AddrBits-1:0]  obs_addr;
`endif
    for (genvar b = 0; b < Banks; b = b + 1) begin : g_bank
        logic [NumColl-1:0]  win;                    // where no result asks
        logic [CollBits-1:0] reader;
        logic [Row-1:0]      wdata;
        logic [Lanes-1:0]    lane;
        logic [AddrBits-1:0] addr, rd_from, wr_to;
        for (genvar c = 0; c < NumColl; c = c + 1) begin : g_win
            assign win[c] = rd_first[c*Banks + b];
        end
        assign read[b] = win != '0 && !bank_wanted[b];
        for (genvar k = 0; k < CollBits; k = k + 1) begin : g_bit
            localparam logic [NumColl-1:0] With = colls_with_bit(k);
            assign reader[k] = (win & With) != '0;
        end
        assign coll[b*CollBits +: CollBits] = reader;
        always @* begin
            wdata   = '0;
            lane    = '0;
            wr_to   = '0;
            rd_from = '0;
            if (bank_we[b])
                for (int p = 0; p < NumWr; p = p + 1)
                    if (wr_wins[p*Banks + b]) begin
                        wdata = wdata | wr_row[p*Row +: Row];
                        lane  = lane | wr_lane_i[p*Lanes +: Lanes] | {Lanes{!wr_hit_o[p]}};  // all: an allocation
                        wr_to = wr_to | wr_addr[p*AddrBits +: AddrBits];
                    end
            for (int c = 0; c < NumColl; c = c + 1)
                if (win[c]) rd_from = rd_from | rd_addr[c*AddrBits +: AddrBits];
        end
        assign addr = bank_wanted[b] ? wr_to : rd_from;
        cache_bank #(.Depth(Depth)) u_bank (
            .clk_i,
            .en_i    ((bank_we[b] || read[b]) && rst_ni),
            .we_i    (bank_we[b]),
            .swap_i  (bank_swap[b]),
            .addr_i  (addr),
            .lane_i  (lane),
            .wdata_i (wdata),
`ifdef RF_OBS
            .obs_en_i   (obs_valid && obs_bank[b]),
            .obs_addr_i (obs_addr),
            .obs_data_o (obs_rows[b*Row +: Row]),
`endif
            .rdata_o (rd_data_o[b*Row +: Row])
        );
    end
    always_ff @(posedge clk_i) begin
        if (!rst_ni) deliver_q <= '0;
        else                           deliver_q <= read;
        coll_q <= coll;
    end
    assign rd_data_valid_o = deliver_q;
    assign rd_data_coll_o  = coll_q;

    // ---- Write back
    assign full_d = evict_o | (full_q & ~rf_wr_ready_i);
    for (genvar p = 0; p < NumWr; p = p + 1) begin : g_back
        logic [Row-1:0]     row_q, row, data;
        logic [LocBits-1:0] place;
        assign row   = fresh_q[p] ? rd_data_o[32'(from_q[p*BankBits +: BankBits]) * Row +: Row] : row_q;
        assign place = full_q[p] ? place_q[p*LocBits +: LocBits] : wr_place[p*LocBits +: LocBits];
        assign data  = full_q[p] ? row : wr_data_i[p*Row +: Row];
        assign rf_wr_valid_o[p] = full_q[p] || wr_through[p];
        assign rf_wr_bank_o[p*BankBits +: BankBits]    = place[LocBits-1:EntryBits];
        assign rf_wr_entry_o[p*EntryBits +: EntryBits] = place[EntryBits-1:0];
        assign rf_wr_lane_o[p*Lanes +: Lanes] = full_q[p] ? {Lanes{1'b1}} : wr_lane_i[p*Lanes +: Lanes];
        assign rf_wr_data_o[p*Row +: Row]     = data;
        always_ff @(posedge clk_i) begin
            if (fresh_q[p]) row_q <= row;
        end
`ifdef RF_OBS
        logic [Row-1:0] obs_row;
        assign obs_row = full_q[p] && obs_addr_i == Rows + Warps + p ? row : '0;
`endif
    end

    // ---- Kill and drop
    logic [LocBits-1:0] kill_place;
    logic [TagBits-1:0] kill_tags;
    logic [Ways-1:0]    kill_rows, drop_rows;
    assign kill_place = {kill_bank_i, kill_entry_i};
    assign kill_tags  = tag_q[kill_warp_i];
    assign kill_rows  = valid_q[kill_warp_i];
    assign drop_rows  = valid_q[drop_warp_i];
    cache_match #(.Ways(Ways), .LocBits(LocBits)) u_kill (
        .en_i(kill_valid_i), .place_i(kill_place), .tags_i(kill_tags), .valid_i(kill_rows), .match_o(kill_match)
    );
    assign killed_o = kill_match != '0 && ((evict_o & kill_moved) == '0);
    always @* begin
        dropped_o = '0;
        if (drop_valid_i)
            for (int k = 0; k < Ways; k = k + 1) dropped_o = dropped_o + WayBits'(drop_rows[k]);
    end

    // ---- Next state
    logic [NumWr-1:0] fill;
    assign fill = accepted & ~wr_hit_o;
    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            for (int w = 0; w < Warps; w = w + 1) begin
                valid_q[w] <= '0;
                next_q[w]  <= '0;
            end
        end else begin
            if (kill_valid_i) valid_q[kill_warp_i] <= kill_rows & ~kill_match;
            for (int p = 0; p < NumWr; p = p + 1)
                if (fill[p]) begin
                    valid_q[wr_warp_i[p*WarpBits +: WarpBits]] <= fill_valid[p*Ways +: Ways];
                    next_q[wr_warp_i[p*WarpBits +: WarpBits]]  <= fill_next[p*NextBits +: NextBits];
                    tag_q[wr_warp_i[p*WarpBits +: WarpBits]]   <= fill_tags[p*TagBits +: TagBits];
                end
            if (drop_valid_i) begin
                valid_q[drop_warp_i] <= '0;
                next_q[drop_warp_i] <= '0;
            end
        end
    end
    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            full_q  <= '0;
            fresh_q <= '0;
            first_q <= '0;
        end else begin
            full_q  <= full_d;
            fresh_q <= evict_o;
            first_q <= first_d;
        end
        for (int p = 0; p < NumWr; p = p + 1)
            if (evict_o[p]) begin
                place_q[p*LocBits +: LocBits]  <= old_place[p*LocBits +: LocBits];
                from_q[p*BankBits +: BankBits] <= bank_number(wr_at[p*Banks +: Banks]);
            end
    end

`ifdef RF_OBS
    // A place as the observation shows it; 0 while it is not valid.
    function automatic [31:0] shown(input valid, input [LocBits-1:0] place);
        shown = valid ? {1'b1, 10'd0, 5'(place[LocBits-1:EntryBits]), 6'd0, 10'(place[EntryBits-1:0])} : '0;
    endfunction
    logic [WarpBits-1:0] obs_warp, obs_owner;
    logic [NextBits-1:0] obs_way, obs_next;
    logic [TagBits-1:0]  obs_tags;
    logic [Ways-1:0]     obs_ways, obs_owned;
    logic [NumWr*Row-1:0] obs_bufs;
    assign obs_warp  = WarpBits'(obs_addr_i - Rows);
    assign obs_owner = WarpBits'(obs_addr_i / Ways);
    assign obs_way   = NextBits'(obs_addr_i % Ways);
    assign obs_tags  = tag_q[obs_warp];
    assign obs_ways  = valid_q[obs_warp];
    assign obs_next  = next_q[obs_warp];
    assign obs_owned = valid_q[obs_owner];
    assign obs_valid = obs_addr_i < Rows && obs_owned[obs_way];
    cache_where #(.Warps(Warps), .Ways(Ways), .Banks(Banks)) u_obs_where (
        .en_i(1'b1), .warp_i(obs_owner), .way_i(Ways'(1) << obs_way), .bank_o(obs_bank), .addr_o(obs_addr)
    );
    for (genvar p = 0; p < NumWr; p = p + 1) begin : g_obs
        assign obs_bufs[p*Row +: Row] = g_back[p].obs_row;
    end
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i < Rows) begin
            if (obs_valid)
                for (int b = 0; b < Banks; b = b + 1) obs_data_o = obs_data_o | 1024'(obs_rows[b*Row +: Row]);
        end else if (obs_addr_i < Rows + Warps) begin
            for (int k = 0; k < Ways; k = k + 1)
                obs_data_o[32*k +: 32] = shown(obs_ways[k], obs_tags[k*LocBits +: LocBits]);
            obs_data_o[32*16 +: NextBits] = obs_next;
        end else if (obs_addr_i < Rows + Warps + NumWr) begin
            for (int p = 0; p < NumWr; p = p + 1) obs_data_o = obs_data_o | 1024'(obs_bufs[p*Row +: Row]);
        end else if (obs_addr_i == Rows + Warps + NumWr) begin
            for (int p = 0; p < NumWr; p = p + 1)
                obs_data_o[32*p +: 32] = shown(full_q[p], place_q[p*LocBits +: LocBits]);
            obs_data_o[32*4 +: WrBits] = first_q;
        end else
            case (obs_addr_i)
                32'hffff_0000: obs_data_o[31:0] = Warps;
                32'hffff_0001: obs_data_o[31:0] = Ways;
                32'hffff_0002: obs_data_o[31:0] = Banks;
                32'hffff_0003: obs_data_o[31:0] = Entries;
                32'hffff_0004: obs_data_o[31:0] = NumColl;
                32'hffff_0005: obs_data_o[31:0] = NumWr;
                default: ;
            endcase
    end
`endif

`ifdef SIM
    initial begin
        if (Warps < 1 || Warps > 64) $fatal(1, "reg_cache: Warps = %0d, legal is 1..64", Warps);
        if (Ways < 1 || Ways > 16) $fatal(1, "reg_cache: Ways = %0d, legal is 1..16", Ways);
        if (Banks < 1 || Banks > 32) $fatal(1, "reg_cache: Banks = %0d, legal is 1..32", Banks);
        if (Entries < 2 || Entries > 1024) $fatal(1, "reg_cache: Entries = %0d, legal is 2..1024", Entries);
        if (NumColl < 2 || NumColl > 32) $fatal(1, "reg_cache: NumColl = %0d, legal is 2..32", NumColl);
        if (NumWr < 1 || NumWr > 4) $fatal(1, "reg_cache: NumWr = %0d, legal is 1..4", NumWr);
    end
`endif

`ifdef FORMAL
    // Contract, for any place f_x of any warp f_w and any lane f_l: its value is in one row, or in one buffer, or in
    // the register file; a row is read, overwritten, evicted by the Ways-th allocation after its own, killed or
    // dropped, and nothing else happens to it; what was evicted is written back. Any collectors f_c and f_d, any port
    // f_p: served in order.
    (* anyconst *) logic [WarpBits-1:0] f_w;
    (* anyconst *) logic [LocBits-1:0]  f_x;
    (* anyconst *) logic                f_l;
    (* anyconst *) logic [CollBits-1:0] f_c;
    (* anyconst *) logic [CollBits-1:0] f_d;
    (* anyconst *) logic [WrBits-1:0]   f_p;
    logic                f_past, f_has, f_parked, f_due, f_turn;
    logic [7:0]          f_value, f_written, f_expect;  // of the row, of the buffer, of the read
    logic [WrBits-1:0]   f_port;                        // whose buffer
    logic [NextBits:0]   f_age;                         // allocations of f_w after that of f_x
    logic [Ways-1:0]     f_match;
    logic [NextBits-1:0] f_way;
    initial f_past = 1'b0;
    function automatic [NextBits-1:0] way_of(input [Ways-1:0] match);
        integer k;
        begin
            way_of = '0;
            for (k = 0; k < Ways; k = k + 1) if (match[k]) way_of = way_of | NextBits'(k);
        end
    endfunction
    logic [TagBits-1:0]  f_tags;
    logic [Ways-1:0]     f_rows;
    assign f_tags  = tag_q[f_w];
    assign f_rows  = valid_q[f_w];
    cache_match #(.Ways(Ways), .LocBits(LocBits)) u_f_match (
        .en_i(1'b1), .place_i(f_x), .tags_i(f_tags), .valid_i(f_rows), .match_o(f_match)
    );
    assign f_way   = way_of(f_match);

    // What the ports do with f_x of f_w in this cycle.
    logic [NumWr-1:0]   f_stored, f_out, f_fills;
    logic [7:0]         f_new;
    logic               f_killed, f_dropped, f_kept;
    logic [NumColl-1:0] f_asks;
    assign f_killed  = kill_valid_i && kill_warp_i == f_w && {kill_bank_i, kill_entry_i} == f_x;
    assign f_dropped = drop_valid_i && drop_warp_i == f_w;
    always_comb begin
        f_new = f_value;
        for (int p = 0; p < NumWr; p = p + 1) begin
            f_stored[p] = wr_ready_o[p] && wr_warp_i[p*WarpBits +: WarpBits] == f_w && (wr_hit_o[p] || wr_whole_i[p]) &&
                          {wr_bank_i[p*BankBits +: BankBits], wr_entry_i[p*EntryBits +: EntryBits]} == f_x;
            f_fills[p]  = wr_ready_o[p] && wr_warp_i[p*WarpBits +: WarpBits] == f_w && !wr_hit_o[p] && wr_whole_i[p];
            f_out[p]    = evict_o[p] && wr_warp_i[p*WarpBits +: WarpBits] == f_w &&
                          old_place[p*LocBits +: LocBits] == f_x;
            if (f_stored[p]) begin
                if (wr_lane_i[p*Lanes + 32'(f_l)]) f_new = wr_data_i[p*Row + 8*32'(f_l) +: 8];
                else if (!wr_hit_o[p])             f_new = 8'd0;
            end
        end
        f_kept = f_has && f_out == '0 && !f_killed && !f_dropped;
        for (int c = 0; c < NumColl; c = c + 1)
            f_asks[c] = rd_valid_i[c] && rd_warp_i[c*WarpBits +: WarpBits] == f_w &&
                        {rd_bank_i[c*BankBits +: BankBits], rd_entry_i[c*EntryBits +: EntryBits]} == f_x;
    end
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        f_due  <= rst_ni && rd_grant_o[f_c] && f_asks[f_c];
        f_turn <= rst_ni && refused[f_p] && first_d == f_p;
        f_expect <= f_value;
        f_value  <= f_new;
        if (!rst_ni) begin
            f_has    <= 1'b0;
            f_parked <= 1'b0;
        end else begin
            f_has    <= f_kept || (f_stored & f_fills) != '0;
            f_parked <= f_out != '0 || (f_parked && !rf_wr_ready_i[f_port]);
        end
        f_age <= (f_stored & f_fills) != '0 ? '0 : f_age + (NextBits+1)'(f_fills != '0);
        for (int p = 0; p < NumWr; p = p + 1)
            if (f_out[p]) begin
                f_port    <= WrBits'(p);
                f_written <= f_value;
            end
    end
    // Environment: warps, banks and entries exist, older_i is a strict total order (here: by some rank), nothing of a
    // warp comes in the cycle in which it is dropped.
    for (genvar c = 0; c < NumColl; c = c + 1) begin : g_assume
        (* anyseq *) logic [CollBits:0] f_rank;
        always_comb if (rd_valid_i[c])
            assume (rd_warp_i[c*WarpBits +: WarpBits] < Warps && rd_bank_i[c*BankBits +: BankBits] < Banks &&
                    rd_entry_i[c*EntryBits +: EntryBits] < Entries);
        for (genvar d = 0; d < NumColl; d = d + 1) begin : g_pair
            always_comb begin
                if (c != d) assume (f_rank != g_assume[d].f_rank);
                assume (older_i[c*NumColl + d] == (g_assume[d].f_rank < f_rank));
            end
        end
    end
    for (genvar p = 0; p < NumWr; p = p + 1) begin : g_assume_wr
        always_comb if (wr_valid_i[p])
            assume (wr_warp_i[p*WarpBits +: WarpBits] < Warps && wr_bank_i[p*BankBits +: BankBits] < Banks &&
                    wr_entry_i[p*EntryBits +: EntryBits] < Entries &&
                    !(drop_valid_i && drop_warp_i == wr_warp_i[p*WarpBits +: WarpBits]));
    end
    logic [Banks-1:0]    f_delivers;    // to f_c
    logic [7:0]          f_data;
    logic [NumWr-1:0]    f_elsewhere;   // buffers that hold f_x
    logic [NumColl-1:0]  f_before;      // collectors that keep f_c waiting
    logic [NumWr-1:0]    f_first;       // ports that keep f_p waiting
    logic [Banks-1:0]    f_bank;        // that it asks
    assign f_bank = rd_at[32'(f_c)*Banks +: Banks];
    always_comb begin
        f_data = '0;
        for (int b = 0; b < Banks; b = b + 1) begin
            f_delivers[b] = rd_data_valid_o[b] && rd_data_coll_o[b*CollBits +: CollBits] == f_c;
            if (f_delivers[b]) f_data = rd_data_o[b*Row + 8*32'(f_l) +: 8];
        end
        for (int p = 0; p < NumWr; p = p + 1) begin
            f_elsewhere[p] = full_q[p] && place_q[p*LocBits +: LocBits] == f_x;
            f_first[p]     = (wr_wins[p*Banks +: Banks] & wr_at[32'(f_p)*Banks +: Banks]) != '0;
        end
        for (int c = 0; c < NumColl; c = c + 1)
            f_before[c] = (rd_at[c*Banks +: Banks] & f_bank) != '0 && older_i[32'(f_c)*NumColl + c];
    end
    always_comb begin
        assume (f_w < Warps && f_c < NumColl && f_d < NumColl && f_p < NumWr);
        assume (!kill_valid_i || (kill_warp_i < Warps && !(drop_valid_i && drop_warp_i == kill_warp_i)));
        assume (!drop_valid_i || drop_warp_i < Warps);
        assume (obs_addr_i == 32'(f_w) * Ways + 32'(f_way));
    end
    // State.
    always_comb if (f_past) begin
        assert (f_has == (f_match != '0) && (f_match & (f_match - Ways'(1))) == '0);
        assert (32'(next_q[f_w]) < Ways && 32'(first_q) < NumWr && (fresh_q & ~full_q) == '0);
        if (f_has) begin
            assert (obs_data_o[8*32'(f_l) +: 8] == f_value);
            assert (32'(f_age) < Ways);
            assert (32'(f_way) + 1 + 32'(f_age) == 32'(next_q[f_w]) + (f_way < next_q[f_w] ? 0 : Ways));
        end
        if (f_parked) begin
            assert (f_elsewhere[f_port] && !f_has);
            assert (rf_wr_valid_o[f_port] && rf_wr_lane_o[32'(f_port)*Lanes + 32'(f_l)] &&
                    {rf_wr_bank_o[32'(f_port)*BankBits +: BankBits],
                     rf_wr_entry_o[32'(f_port)*EntryBits +: EntryBits]} == f_x &&
                    rf_wr_data_o[32'(f_port)*Row + 8*32'(f_l) +: 8] == f_written);
        end
    end
    for (genvar p = 0; p < NumWr; p = p + 1) begin : g_f_from
        always_comb if (f_past && fresh_q[p]) begin
            assert (32'(from_q[p*BankBits +: BankBits]) < Banks);
            assert (!rd_data_valid_o[from_q[p*BankBits +: BankBits]]);
            for (int q = 0; q < p; q = q + 1)
                assert (!fresh_q[q] || from_q[q*BankBits +: BankBits] != from_q[p*BankBits +: BankBits]);
        end
    end
    // Answers.
    always_comb if (f_past) begin
        // a read: from the row, or from the register file when that is up to date
        if (f_asks[f_c]) begin
            assert (rf_rd_valid_o[f_c] == (!f_has && f_elsewhere == '0));
            if (rd_grant_o[f_c]) assert (f_has && f_elsewhere == '0);
            if (f_has && f_elsewhere == '0)
                assert (rd_grant_o[f_c] == (f_before == '0 && (bank_wanted & f_bank) == '0));
        end
        if (rd_grant_o[f_c]) assert (rd_valid_i[f_c]);
        if (f_c != f_d && rd_grant_o[f_c] && rd_grant_o[f_d])
            assert ((rd_first[32'(f_c)*Banks +: Banks] & rd_first[32'(f_d)*Banks +: Banks]) == '0);
        if (f_due) assert (f_delivers != '0 && (f_delivers & (f_delivers - Banks'(1))) == '0 && f_data == f_expect);
        // a result: not before an older value is written; stored, or passed to the register file
        assert ((f_stored & (f_stored - NumWr'(1))) == '0 && (f_fills & (f_fills - NumWr'(1))) == '0);
        if (f_stored != '0) assert (f_elsewhere == '0);
        if (f_out != '0) assert (f_has && 32'(f_age) == Ways - 1);
        if (wr_valid_i[f_p] && wr_warp_i[32'(f_p)*WarpBits +: WarpBits] == f_w &&
            wr_place[32'(f_p)*LocBits +: LocBits] == f_x) begin
            assert (wr_hit_o[f_p] == f_has);
            if (f_has && f_elsewhere == '0) assert (wr_ready_o[f_p] == !refused[f_p]);
            if (f_elsewhere != '0) assert (!wr_ready_o[f_p]);
            if (!f_has && !wr_whole_i[f_p] && !full_q[f_p]) begin
                assert (rf_wr_valid_o[f_p] == (f_elsewhere == '0));
                assert (wr_ready_o[f_p] == (rf_wr_valid_o[f_p] && rf_wr_ready_i[f_p]));
            end
        end
        if (wr_ready_o[f_p]) assert (wr_valid_i[f_p]);
        if (evict_o[f_p]) assert (!full_q[f_p] || rf_wr_ready_i[f_p]);
        // one access per cache bank; a refused result comes first in the next cycle
        // (that no other row holds the place is known of f_x of f_w, which may be any)
        if (accepted[f_p] && (!wr_hit_o[f_p] || (wr_warp_i[32'(f_p)*WarpBits +: WarpBits] == f_w &&
                                                 wr_place[32'(f_p)*LocBits +: LocBits] == f_x)))
            assert (f_first == NumWr'(1) << f_p && (bank_wanted & wr_at[32'(f_p)*Banks +: Banks]) != '0);
        if (refused[f_p]) assert (f_first != '0 && wr_valid_i[f_p]);
        if (f_turn) assert (!refused[f_p]);
        if (refused[first_q]) assert (1'b0);
        // dead values
        if (f_killed) assert (killed_o == (f_has && f_out == '0));
        if (f_dropped && f_has) assert (dropped_o != '0);
        if (!drop_valid_i) assert (dropped_o == '0);
        if (!kill_valid_i) assert (!killed_o);
    end
    always_comb begin
        cover (f_past && f_due && f_expect == 8'ha5 && !f_has);
        cover (f_past && f_killed && f_out != '0);
        cover (f_past && f_parked && !fresh_q[f_port] && f_written == 8'h5a && refused != '0);
        cover (f_past && f_turn && accepted[f_p] && f_out[f_p] && full_q[f_p]);
        cover (f_past && f_has && f_asks[f_c] && !rd_grant_o[f_c] && f_before != '0);
        cover (f_past && wr_through[f_p] && rf_wr_ready_i[f_p]);
    end
`endif
endmodule
