// SPDX-License-Identifier: Apache-2.0
// Purpose:    register file cache between the operand collectors and the banked register file. Each warp has Ways
//             rows, replaced first in, first out. Results allocate rows, read misses do not; an evicted row is written
//             back. Contract: models/collect/reg_cache.h.
// Parameters: Warps, 1..64; Ways, 1..16: rows of each warp; Banks, 1..32, of the register file and
//             of the cache. Entries, 2..1024: registers per bank of the register file; NumColl,
//             2..32: collectors that read; NumWr, 1..4: results per cycle. The other widths follow.
// Timing:     cycle t: every output but rd_data* answers the requests of the same cycle;
//             wr_ready_o, evict_o and killed_o depend on rf_wr_ready_i too. A read granted in t is
//             delivered in t+1, from the memory's output register. An evicted row appears in that
//             register as well: the write-back buffer takes it in t+1, and offers it in that cycle
//             already. State changes at the clock edge. The path takes 1.67 ns at 45 nm with four
//             collectors and rows of 16 bits (SM clock: 1.43 ns). It is a result's warp, its tags,
//             whether it is taken, the tags that it changes. (A design that computes the banks of
//             all ways after the lookup takes 1.90 ns in the default shape, to a bank's address.
//             For this design the default shape is not measured.)
// Reset:      no row is valid, buffers are empty, way 0 of each warp is next, port 0 is
//             first, the next cycle delivers nothing. The rows' memory is neither reset nor written
//             in a cycle of reset.
// Left out:   rows fetched by read misses; flush of a descheduled warp; rows of which only some lanes are valid.
// Shapes:     -
// Shapes:     Warps=1,Ways=1,Banks=1,Entries=2,NumColl=2,NumWr=1
// Shapes:     Warps=5,Ways=3,Banks=3,Entries=5,NumColl=3,NumWr=3
// Long proof: 3:12:Warps=2,Ways=2,Banks=2,Entries=2,NumColl=2,NumWr=2
// Proof:      3:12:Warps=1,Ways=3,Banks=2,Entries=4,NumColl=2,NumWr=2

`include "macros.svh"

module reg_cache #(
    parameter int Warps   = 48,
    parameter int Ways    = 6,
    parameter int Banks   = 4,
    parameter int Entries = 256,
    parameter int NumColl = 16,
    parameter int NumWr   = 2,
    localparam int Lanes  = `NARROW(2, 32),  // as in cache_bank: these represent all in proofs
    localparam int Slices = `NARROW(1, 4),
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
    // observation: rows, warps, rows of the buffers, buffers and first port, then parameters
    `OBS_PORT(input  logic [31:0]                  obs_addr_i)
    `OBS_PORT(output logic [1023:0]                obs_data_o)
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
    // The index of the bit that is set.
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
    // Of the reads that request a cache bank the oldest is granted, none at a bank that a result
    // requests.
    for (genvar c = 0; c < NumColl; c = c + 1) begin : g_grant
        logic [NumColl-1:0] elder;
        logic [Banks-1:0]   asked;                   // by older ones
        assign elder = older_i[c*NumColl +: NumColl];
        always @* begin
            asked = '0;
            if (rd_valid_i[c])
                for (int o = 0; o < NumColl; o = o + 1)
                    if (elder[o]) asked = asked | rd_at[o*Banks +: Banks];
            rd_first[c*Banks +: Banks] = rd_at[c*Banks +: Banks] & ~asked;
        end
        assign rd_grant_o[c] = (rd_first[c*Banks +: Banks] & ~bank_wanted) != '0;
    end

    // ---- Results: each by itself
    logic [NumWr-1:0]          wr_through, wr_evicts;
    logic [NumWr*Banks-1:0]    wr_at, wr_go;         // the cache bank that it selects; the same if it need not wait
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

    // The reads, where no result asks: a collector that is first hands its number and address to its bank.
    logic [Banks-1:0]          wanted_read, read, deliver_q;
    logic [Banks*CollBits-1:0] coll, coll_q;
    logic [Banks*AddrBits-1:0] rd_from;
    always @* begin
        wanted_read = '0;
        coll        = '0;
        rd_from     = '0;
        for (int c = 0; c < NumColl; c = c + 1)
            if (rd_valid_i[c]) begin
                wanted_read = wanted_read | rd_first[c*Banks +: Banks];
                for (int b = 0; b < Banks; b = b + 1)
                    if (rd_first[c*Banks + b]) begin
                        coll[b*CollBits +: CollBits]    = coll[b*CollBits +: CollBits] | CollBits'(c);
                        rd_from[b*AddrBits +: AddrBits] = rd_from[b*AddrBits +: AddrBits] | rd_addr[c*AddrBits +: AddrBits];
                    end
            end
    end
    assign read = wanted_read & ~bank_wanted;
    `OBS(logic [Banks*Row-1:0] obs_rows;)
    `OBS(logic                 obs_valid;)  // row obs_addr_i is
    `OBS(logic [Banks-1:0]     obs_bank;)   // where it is
    `OBS(logic [AddrBits-1:0]  obs_addr;)
    for (genvar b = 0; b < Banks; b = b + 1) begin : g_bank
        logic [Row-1:0]      wdata;
        logic [Lanes-1:0]    lane;
        logic [AddrBits-1:0] addr, wr_to;
        always @* begin
            wdata = '0;
            lane  = '0;
            wr_to = '0;
            if (bank_we[b])
                for (int p = 0; p < NumWr; p = p + 1)
                    if (wr_wins[p*Banks + b]) begin
                        wdata = wdata | wr_row[p*Row +: Row];
                        lane  = lane | wr_lane_i[p*Lanes +: Lanes] | {Lanes{!wr_hit_o[p]}};  // all: an allocation
                        wr_to = wr_to | wr_addr[p*AddrBits +: AddrBits];
                    end
        end
        assign addr = bank_wanted[b] ? wr_to : rd_from[b*AddrBits +: AddrBits];
        cache_bank #(.Depth(Depth)) u_bank (
            .clk_i,
            .en_i    ((bank_we[b] || read[b]) && rst_ni),
            .we_i    (bank_we[b]),
            .swap_i  (bank_swap[b]),
            .addr_i  (addr),
            .lane_i  (lane),
            .wdata_i (wdata),
            `OBS_PORT(.obs_en_i   (obs_valid && obs_bank[b]))
            `OBS_PORT(.obs_addr_i (obs_addr))
            `OBS_PORT(.obs_data_o (obs_rows[b*Row +: Row]))
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
        `OBS(logic [Row-1:0] obs_row;)
        `OBS(assign obs_row = full_q[p] && obs_addr_i == Rows + Warps + p ? row : '0;)
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

    `CHECK_RANGE(reg_cache, Warps, 1, 64)
    `CHECK_RANGE(reg_cache, Ways, 1, 16)
    `CHECK_RANGE(reg_cache, Banks, 1, 32)
    `CHECK_RANGE(reg_cache, Entries, 2, 1024)
    `CHECK_RANGE(reg_cache, NumColl, 2, 32)
    `CHECK_RANGE(reg_cache, NumWr, 1, 4)
    `include "collect/reg_cache.obs.svh"
endmodule
