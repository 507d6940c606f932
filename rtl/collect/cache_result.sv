// SPDX-License-Identifier: Apache-2.0
// Purpose:    one result at the register file cache: whether it hits, which cache bank it requests,
//             and how an allocation changes its warp's rows. Part of reg_cache.
// Parameters: Warps, 1..64; Ways, 1..16: rows of each; Banks, 1..32; LocBits, 2..15: of a place in
//             the register file. Lanes, Slices: a row has Slices bytes of each lane.
// Timing:     combinational. A miss requests the bank of the way to replace; its conditions to wait
//             do not depend on the lookup.
// Reset:      -
// Left out:   which port is served first (cache_turns).
// Shapes:     - ; Warps=1,Ways=1,Banks=1,LocBits=2 ; Warps=5,Ways=3,Banks=3,Lanes=2,Slices=1
// Proof:      1:1:Warps=2,Ways=2,Banks=2,LocBits=2,Lanes=2,Slices=1
// Proof:      1:1:Warps=2,Ways=3,Banks=2,LocBits=3,Lanes=2,Slices=1

module cache_result #(
    parameter int Warps   = 48,
    parameter int Ways    = 6,
    parameter int Banks   = 4,
    parameter int LocBits = 10,
    parameter int Lanes   = 32,
    parameter int Slices  = 4,
    localparam int Row      = 8 * Slices * Lanes,
    localparam int Depth    = (Warps * Ways + Banks - 1) / Banks,
    localparam int WarpBits = Warps > 1 ? $clog2(Warps) : 1,
    localparam int AddrBits = Depth > 1 ? $clog2(Depth) : 1,
    localparam int NextBits = Ways > 1 ? $clog2(Ways) : 1
) (
    input  logic                    valid_i,
    input  logic [WarpBits-1:0]     warp_i,
    input  logic [LocBits-1:0]      place_i,
    input  logic                    whole_i,
    input  logic [Lanes-1:0]        lane_i,
    input  logic [Row-1:0]          data_i,
    // the warp: its rows, the way to replace, rows that are killed in this cycle
    input  logic [Ways*LocBits-1:0] tags_i,
    input  logic [Ways-1:0]         rows_i,
    input  logic [NextBits-1:0]     next_i,
    input  logic [Ways-1:0]         dead_i,
    // its place is in a write-back buffer; the port's buffer is full; the register file takes that
    input  logic                    waits_i,
    input  logic                    full_i,
    input  logic                    rf_ready_i,
    output logic                    hit_o,
    output logic                    evicts_o,
    // to the register file
    output logic                    through_o,
    // the cache bank that it asks; that it asks and need not wait
    output logic [Banks-1:0]        at_o,
    output logic [Banks-1:0]        go_o,
    output logic [AddrBits-1:0]     addr_o,
    // lanes left out are 0
    output logic [Row-1:0]          row_o,
    // an allocation: the place that it evicts, and whether that is killed; the warp's state after
    // it
    output logic [LocBits-1:0]      old_place_o,
    output logic                    kill_moved_o,
    output logic [Ways*LocBits-1:0] fill_tags_o,
    output logic [Ways-1:0]         fill_rows_o,
    output logic [NextBits-1:0]     fill_next_o
);

    logic [Ways-1:0]     match, turn;               // way `next`
    logic [Banks-1:0]    bank_hit, bank_turn, at_hit, at_turn, go_turn;
    logic [AddrBits-1:0] addr_hit, addr_turn;
    logic                miss;
    assign turn = Ways'(1) << next_i;
    cache_match #(.Ways(Ways), .LocBits(LocBits)) u_match (
        .en_i(valid_i), .place_i, .tags_i, .valid_i(rows_i), .match_o(match)
    );
    cache_where #(.Warps(Warps), .Ways(Ways), .Banks(Banks)) u_hit (
        .en_i(valid_i), .warp_i, .way_i(match), .bank_o(bank_hit), .addr_o(addr_hit)
    );
    cache_where #(.Warps(Warps), .Ways(Ways), .Banks(Banks)) u_turn (
        .en_i(valid_i), .warp_i, .way_i(turn), .bank_o(bank_turn), .addr_o(addr_turn)
    );
    assign at_hit    = bank_hit & ~{Banks{waits_i}};
    assign at_turn   = bank_turn & ~{Banks{waits_i || !whole_i}};
    assign go_turn   = at_turn & ~{Banks{rows_i[next_i] && full_i && !rf_ready_i}};
    assign hit_o     = match != '0;
    assign miss      = valid_i && !hit_o;
    assign at_o      = at_hit | (hit_o ? '0 : at_turn);
    assign go_o      = at_hit | (hit_o ? '0 : go_turn);
    assign addr_o    = hit_o ? addr_hit : addr_turn;
    assign evicts_o  = miss && whole_i && rows_i[next_i];
    assign through_o = miss && !whole_i && !full_i && (!waits_i);

    // the warp's state after an allocation; a kill in the same cycle is for another row or loses
    // its row
    assign old_place_o  = tags_i[32'(next_i)*LocBits +: LocBits];
    assign kill_moved_o = dead_i[next_i];
    assign fill_rows_o  = (rows_i & ~dead_i) | turn;
    assign fill_next_o  = 32'(next_i) + 1 >= Ways ? '0 : next_i + NextBits'(1);
    always @* begin
        fill_tags_o = tags_i;
        fill_tags_o[32'(next_i)*LocBits +: LocBits] = place_i;
    end
    always @* begin
        row_o = data_i;
        if (valid_i && lane_i != {Lanes{1'b1}})
            for (int i = 0; i < Slices * Lanes; i = i + 1) if (!lane_i[i % Lanes]) row_o[8*i +: 8] = 8'd0;
    end
endmodule
