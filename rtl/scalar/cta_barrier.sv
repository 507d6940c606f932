// SPDX-License-Identifier: Apache-2.0
// Purpose:    named barriers of the resident CTAs, for warps and for a scalar thread per CTA: counters of each phase,
//             and for each warp the barrier at which it waits. Contract: models/scalar/cta_barrier.h.
// Parameters: Ctas, 1..32; Warps, 2..64; Barriers, 1..16 of a CTA; NumReq, 1..4: warps that arrive and that end per
//             cycle; Units, 1..8: scalar threads that arrive per cycle.
// Timing:     two stages. Arrivals and ends of cycle t: port decode, a counter's addition, its comparisons, a
//             find-first over the barriers of each CTA; 1.36 ns at 45 nm (SM clock: 1.43 ns). Releases of t + 1, from
//             registers: a comparison per warp, 0.82 ns. error_o answers the arrivals of its own cycle, 1.13 ns. With 16
//             CTAs, 64 warps and four ports each (kepler) 1.41 ns from register to register and 1.58 ns from arr_cta_i,
//             whose decoders drive 256 barriers: at 700 MHz they belong before the cycle. State changes at the edge.
// Reset:      no warp, no scalar thread, no phase, no release.
// Left out:   reductions of predicates, divergence.
// Shapes:     - ; Ctas=1,Warps=2,Barriers=1,NumReq=1 ; Ctas=3,Warps=11,Barriers=5,NumReq=3,Units=2
// Shapes:     Ctas=16,Warps=64,NumReq=4,Units=6
// Proof:      3:9:Ctas=1,Warps=3,Barriers=2,NumReq=2
// Proof:      3:9:Ctas=2,Warps=2,Barriers=1,NumReq=1

`include "macros.svh"

module cta_barrier #(
    parameter int Ctas     = 8,
    parameter int Warps    = 48,
    parameter int Barriers = 16,
    parameter int NumReq   = 2,
    parameter int Units    = 1,
    localparam int CtaBits    = Ctas > 1 ? $clog2(Ctas) : 1,
    localparam int WarpBits   = $clog2(Warps),
    localparam int NumberBits = Barriers > 1 ? $clog2(Barriers) : 1,
    localparam int CountBits  = $clog2(Warps + 1),
    localparam int All        = Ctas * Barriers
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    // a CTA begins
    input  logic                         start_valid_i,
    input  logic [CtaBits-1:0]           start_cta_i,
    input  logic [CountBits-1:0]         start_warps_i,
    input  logic                         start_scalar_i,
    // warps arrive
    input  logic [NumReq-1:0]            arr_valid_i,
    input  logic [NumReq*CtaBits-1:0]    arr_cta_i,
    input  logic [NumReq*WarpBits-1:0]   arr_warp_i,
    input  logic [NumReq*NumberBits-1:0] arr_number_i,
    input  logic [NumReq-1:0]            arr_sync_i,
    input  logic [NumReq*CountBits-1:0]  arr_count_i,
    input  logic [NumReq-1:0]            arr_with_i,
    // warps end
    input  logic [NumReq-1:0]            end_valid_i,
    input  logic [NumReq*CtaBits-1:0]    end_cta_i,
    // scalar threads arrive and end
    input  logic [Units-1:0]             sc_valid_i,
    input  logic [Units*CtaBits-1:0]     sc_cta_i,
    input  logic [Units*NumberBits-1:0]  sc_number_i,
    input  logic [Units-1:0]             sc_sync_i,
    input  logic [Ctas-1:0]              scalar_end_i,
    // observation: CTAs, barriers, warps, then parameters
    `OBS_PORT(input  logic [31:0]                  obs_addr_i)
    `OBS_PORT(output logic [31:0]                  obs_data_o)
    output logic [Ctas-1:0]              rel_valid_o,
    output logic [Ctas*NumberBits-1:0]   rel_number_o,
    output logic [Warps-1:0]             rel_warps_o,
    output logic [Ctas-1:0]              rel_scalar_o,
    output logic [Ctas-1:0]              error_o
);

    // ---- State
    logic [Ctas*CountBits-1:0]   live_q, live_d;        // warps that have not ended
    logic [Ctas-1:0]             scalar_q, scalar_d;    // nor the scalar thread
    logic [All*CountBits-1:0]    arrived_q, arrived_d, expected_q, expected_d;
    logic [All-1:0]              with_q, with_d;        // k = 1
    logic [All-1:0]              there_q, there_d;      // the scalar thread arrived
    logic [All-1:0]              asleep_q, asleep_d;    // and waits
    logic [All-1:0]              over_q, over_d;        // phases that ended with the last edge; what they hold is stale
    logic [Warps-1:0]            waits_q, waits_d;
    logic [Warps*CtaBits-1:0]    wcta_q, wcta_d;
    logic [Warps*NumberBits-1:0] wnumber_q, wnumber_d;

    // ---- Phases that have not ended
    logic [All*CountBits-1:0] cur_arrived, cur_expected;
    logic [All-1:0]           cur_with, cur_there;
    for (genvar i = 0; i < All; i = i + 1) begin : g_current
        assign cur_arrived[i*CountBits +: CountBits]  = over_q[i] ? '0 : arrived_q[i*CountBits +: CountBits];
        assign cur_expected[i*CountBits +: CountBits] = over_q[i] ? '0 : expected_q[i*CountBits +: CountBits];
    end
    assign cur_with  = with_q & ~over_q;
    assign cur_there = there_q & ~over_q;

    // ---- What has ended with this cycle
    logic [Ctas*CountBits-1:0] live;
    logic [Ctas-1:0]           scalar;
    assign scalar = scalar_q & ~scalar_end_i;
    for (genvar c = 0; c < Ctas; c = c + 1) begin : g_end
        logic [CountBits-1:0] ends;
        always @* begin
            ends = '0;
            for (int r = 0; r < NumReq; r = r + 1)
                ends = ends + CountBits'(end_valid_i[r] && 32'(end_cta_i[r*CtaBits +: CtaBits]) == c);
        end
        assign live[c*CountBits +: CountBits] = live_q[c*CountBits +: CountBits] - ends;
    end

    // ---- Each phase with this cycle's arrivals
    logic [All*CountBits-1:0] arrived, expected;
    logic [All-1:0]           with_now, there, asleep, done, mixed;
    for (genvar c = 0; c < Ctas; c = c + 1) begin : g_cta
        logic [NumReq-1:0] mine;
        logic [Units-1:0]  own;
        for (genvar r = 0; r < NumReq; r = r + 1) begin : g_mine
            assign mine[r] = arr_valid_i[r] && 32'(arr_cta_i[r*CtaBits +: CtaBits]) == c;
        end
        for (genvar u = 0; u < Units; u = u + 1) begin : g_own
            assign own[u] = sc_valid_i[u] && 32'(sc_cta_i[u*CtaBits +: CtaBits]) == c;
        end
        for (genvar n = 0; n < Barriers; n = n + 1) begin : g_barrier
            localparam int I = c * Barriers + n;
            logic [NumReq-1:0]    here;    // warps
            logic [Units-1:0]     scalars;
            logic [CountBits-1:0] news, named;
            for (genvar r = 0; r < NumReq; r = r + 1) begin : g_here
                assign here[r] = mine[r] && 32'(arr_number_i[r*NumberBits +: NumberBits]) == n;
            end
            for (genvar u = 0; u < Units; u = u + 1) begin : g_scalar
                assign scalars[u] = own[u] && 32'(sc_number_i[u*NumberBits +: NumberBits]) == n;
            end
            always @* begin
                news  = '0;
                named = '0;
                for (int r = 0; r < NumReq; r = r + 1) begin
                    news = news + CountBits'(here[r]);
                    if (here[r]) named = named | arr_count_i[r*CountBits +: CountBits];
                end
            end
            logic old, ks, no_ks, begun;  // the phase had begun; arrivals with k = 1 and with k = 0
            assign old    = cur_arrived[I*CountBits +: CountBits] != '0 || cur_there[I];
            assign ks     = (here & arr_with_i) != '0 || scalars != '0;
            assign no_ks  = (here & ~arr_with_i) != '0;
            assign begun  = old || ks || no_ks;
            logic counted;  // an arrival with k = 1 names a count
            always @* begin
                counted = 1'b0;
                for (int r = 0; r < NumReq; r = r + 1)
                    if (here[r] && arr_with_i[r] && arr_count_i[r*CountBits +: CountBits] != '0) counted = 1'b1;
            end
            assign mixed[I] = (ks && no_ks) || (old && (cur_with[I] ? no_ks : ks)) || counted;
            assign arrived[I*CountBits +: CountBits] = cur_arrived[I*CountBits +: CountBits] + news;
            assign expected[I*CountBits +: CountBits] = named != '0 ? named : cur_expected[I*CountBits +: CountBits];
            assign with_now[I] = cur_with[I] || ks;
            assign there[I]    = cur_there[I] || scalars != '0;
            assign asleep[I]   = (asleep_q[I] && !over_q[I]) || (scalars & sc_sync_i) != '0;
            logic enough;  // each comparison beside the choice of what is expected
            assign enough = named != '0 ? arrived[I*CountBits +: CountBits] >= named
                : cur_expected[I*CountBits +: CountBits] != '0
                    ? arrived[I*CountBits +: CountBits] >= cur_expected[I*CountBits +: CountBits]
                : arrived[I*CountBits +: CountBits] >= live[c*CountBits +: CountBits];
            assign done[I] = begun && enough && (!with_now[I] || there[I] || !scalar[c]);
        end
        assign error_o[c] = mixed[c*Barriers +: Barriers] != '0;
    end

    // ---- End of phases: the lowest complete barrier of each CTA
    function automatic [Barriers-1:0] lowest(input [Barriers-1:0] v);
        lowest = v & (~v + Barriers'(1));
    endfunction
    function automatic [Barriers-1:0] highest(input [Barriers-1:0] v);
        integer i;
        highest = '0;
        for (i = 0; i < Barriers; i = i + 1)
            if (v[i]) highest = Barriers'(1) << i;
    endfunction
    for (genvar c = 0; c < Ctas; c = c + 1) begin : g_over
        logic [Barriers-1:0] one;
        assign one = lowest(done[c*Barriers +: Barriers]);
        assign over_d[c*Barriers +: Barriers] = start_valid_i && 32'(start_cta_i) == c ? '0 : one;
    end

    // ---- Release: each warp that waits at such a barrier. Where each waits with this cycle's arrivals.
    for (genvar c = 0; c < Ctas; c = c + 1) begin : g_release
        logic [NumberBits-1:0] number;
        always @* begin
            number = '0;
            for (int n = 0; n < Barriers; n = n + 1)
                if (over_q[c*Barriers + n]) number = number | NumberBits'(n);
        end
        assign rel_valid_o[c]  = over_q[c*Barriers +: Barriers] != '0;
        assign rel_scalar_o[c] = (over_q[c*Barriers +: Barriers] & asleep_q[c*Barriers +: Barriers]) != '0;
        assign rel_number_o[c*NumberBits +: NumberBits] = number;
    end
    for (genvar w = 0; w < Warps; w = w + 1) begin : g_warp
        logic [CtaBits-1:0]    cta;
        logic [NumberBits-1:0] number;
        logic                  sleeps, goes;
        assign goes = waits_q[w] && rel_valid_o[wcta_q[w*CtaBits +: CtaBits]] &&
                      rel_number_o[32'(wcta_q[w*CtaBits +: CtaBits])*NumberBits +: NumberBits] ==
                      wnumber_q[w*NumberBits +: NumberBits];
        always @* begin
            sleeps = waits_q[w] && !goes;
            cta    = sleeps ? wcta_q[w*CtaBits +: CtaBits] : '0;
            number = sleeps ? wnumber_q[w*NumberBits +: NumberBits] : '0;
            for (int r = 0; r < NumReq; r = r + 1)
                if (arr_valid_i[r] && arr_sync_i[r] && 32'(arr_warp_i[r*WarpBits +: WarpBits]) == w) begin
                    sleeps = 1'b1;
                    cta    = arr_cta_i[r*CtaBits +: CtaBits];
                    number = arr_number_i[r*NumberBits +: NumberBits];
                end
        end
        assign rel_warps_o[w] = goes;
        assign waits_d[w] = sleeps;
        assign wcta_d[w*CtaBits +: CtaBits] = cta;
        assign wnumber_d[w*NumberBits +: NumberBits] = number;
    end

    // ---- Next state
    for (genvar i = 0; i < All; i = i + 1) begin : g_next
        logic clear;  // the phase's CTA begins
        assign clear = start_valid_i && 32'(start_cta_i) == i / Barriers;
        assign arrived_d[i*CountBits +: CountBits]  = clear ? '0 : arrived[i*CountBits +: CountBits];
        assign expected_d[i*CountBits +: CountBits] = clear ? '0 : expected[i*CountBits +: CountBits];
        assign with_d[i]   = with_now[i] && !clear;
        assign there_d[i]  = there[i] && !clear;
        assign asleep_d[i] = asleep[i] && !clear;
    end
    for (genvar c = 0; c < Ctas; c = c + 1) begin : g_live
        logic starts;
        assign starts = start_valid_i && 32'(start_cta_i) == c;
        assign live_d[c*CountBits +: CountBits] = starts ? start_warps_i : live[c*CountBits +: CountBits];
        assign scalar_d[c] = starts ? start_scalar_i : scalar[c];
    end

    always_ff @(posedge clk_i)
        if (!rst_ni) begin
            live_q     <= '0;
            scalar_q   <= '0;
            arrived_q  <= '0;
            expected_q <= '0;
            with_q     <= '0;
            there_q    <= '0;
            asleep_q   <= '0;
            waits_q    <= '0;
            wcta_q     <= '0;
            wnumber_q  <= '0;
            over_q     <= '0;
        end else begin
            live_q     <= live_d;
            scalar_q   <= scalar_d;
            arrived_q  <= arrived_d;
            expected_q <= expected_d;
            with_q     <= with_d;
            there_q    <= there_d;
            asleep_q   <= asleep_d;
            waits_q    <= waits_d;
            wcta_q     <= wcta_d;
            wnumber_q  <= wnumber_d;
            over_q     <= over_d;
        end

    `CHECK_RANGE(cta_barrier, Ctas, 1, 32)
    `CHECK_RANGE(cta_barrier, Warps, 2, 64)
    `CHECK_RANGE(cta_barrier, Barriers, 1, 16)
    `CHECK_RANGE(cta_barrier, NumReq, 1, 4)
    `CHECK_RANGE(cta_barrier, Units, 1, 8)
    `include "scalar/cta_barrier.obs.svh"
endmodule
