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
`ifdef RF_OBS
    // observation: CTAs, barriers, warps, then parameters
    input  logic [31:0]                  obs_addr_i,
    output logic [31:0]                  obs_data_o,
`endif
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

`ifdef RF_OBS
    always @* begin
        obs_data_o = '0;
        case (obs_addr_i)
        32'hffff_0000: obs_data_o = Ctas;
        32'hffff_0001: obs_data_o = Warps;
        32'hffff_0002: obs_data_o = Barriers;
        32'hffff_0003: obs_data_o = NumReq;
        32'hffff_0004: obs_data_o = Units;
        default: begin
            for (int c = 0; c < Ctas; c = c + 1)
                if (obs_addr_i == 32'(c)) obs_data_o = 32'(scalar_q[c]) << 8 | 32'(live_q[c*CountBits +: CountBits]);
            for (int i = 0; i < All; i = i + 1)
                if (obs_addr_i == 32'(Ctas + i))
                    obs_data_o = 32'(over_q[i]) << 19 | 32'(asleep_q[i]) << 18 | 32'(cur_there[i]) << 17 |
                                 32'(cur_with[i]) << 16 | 32'(cur_expected[i*CountBits +: CountBits]) << 8 |
                                 32'(cur_arrived[i*CountBits +: CountBits]);
            for (int w = 0; w < Warps; w = w + 1)
                if (obs_addr_i == 32'(Ctas + All + w))
                    obs_data_o = 32'(wnumber_q[w*NumberBits +: NumberBits]) << 6 | 32'(wcta_q[w*CtaBits +: CtaBits]) << 1 |
                                 32'(waits_q[w]);
        end
        endcase
    end
`endif

`ifdef SIM
    initial begin
        if (Ctas < 1 || Ctas > 32) $fatal(1, "cta_barrier: Ctas is %0d, expected 1 to 32", Ctas);
        if (Warps < 2 || Warps > 64) $fatal(1, "cta_barrier: Warps is %0d, expected 2 to 64", Warps);
        if (Barriers < 1 || Barriers > 16) $fatal(1, "cta_barrier: Barriers is %0d, expected 1 to 16", Barriers);
        if (NumReq < 1 || NumReq > 4) $fatal(1, "cta_barrier: NumReq is %0d, expected 1 to 4", NumReq);
        if (Units < 1 || Units > 8) $fatal(1, "cta_barrier: Units is %0d, expected 1 to 8", Units);
    end
`endif

`ifdef FORMAL
    // The protocol.
    logic f_past;
    initial f_past = 1'b0;
    always_ff @(posedge clk_i) f_past <= 1'b1;
    logic [CountBits:0] f_waiting, f_asks;
    always @* begin
        if (!f_past) assume (!rst_ni);
        assume (32'(start_cta_i) < Ctas && start_warps_i != '0 && 32'(start_warps_i) <= Warps);
        for (int r = 0; r < NumReq; r = r + 1) begin
            assume (32'(arr_cta_i[r*CtaBits +: CtaBits]) < Ctas && 32'(end_cta_i[r*CtaBits +: CtaBits]) < Ctas);
            assume (32'(arr_warp_i[r*WarpBits +: WarpBits]) < Warps);
            assume (32'(arr_number_i[r*NumberBits +: NumberBits]) < Barriers);
            assume (32'(arr_count_i[r*CountBits +: CountBits]) <= Warps);
            if (arr_valid_i[r]) begin
                assume (!waits_q[arr_warp_i[r*WarpBits +: WarpBits]] || rel_warps_o[arr_warp_i[r*WarpBits +: WarpBits]]);
                assume (!(start_valid_i && start_cta_i == arr_cta_i[r*CtaBits +: CtaBits]));
                for (int q = 0; q < r; q = q + 1)
                    assume (!arr_valid_i[q] || arr_warp_i[q*WarpBits +: WarpBits] != arr_warp_i[r*WarpBits +: WarpBits]);
                for (int i = 0; i < All; i = i + 1)
                    if (32'(arr_cta_i[r*CtaBits +: CtaBits]) * Barriers + 32'(arr_number_i[r*NumberBits +: NumberBits]) == i)
                        assume (32'(cur_arrived[i*CountBits +: CountBits]) + NumReq <= Warps);
            end
            if (end_valid_i[r]) assume (!(start_valid_i && start_cta_i == end_cta_i[r*CtaBits +: CtaBits]));
        end
        for (int u = 0; u < Units; u = u + 1) begin
            assume (32'(sc_cta_i[u*CtaBits +: CtaBits]) < Ctas && 32'(sc_number_i[u*NumberBits +: NumberBits]) < Barriers);
            if (sc_valid_i[u])
                assume (scalar_q[sc_cta_i[u*CtaBits +: CtaBits]] && !scalar_end_i[sc_cta_i[u*CtaBits +: CtaBits]]);
        end
        assume ((scalar_end_i & ~scalar_q) == '0);
        for (int c = 0; c < Ctas; c = c + 1) begin
            // a CTA's arrivals and ends are by warps that have not ended and do not wait
            f_waiting = '0;
            f_asks    = '0;
            for (int w = 0; w < Warps; w = w + 1)
                f_waiting = f_waiting + (CountBits+1)'(waits_q[w] && !rel_warps_o[w] && 32'(wcta_q[w*CtaBits +: CtaBits]) == c);
            for (int r = 0; r < NumReq; r = r + 1)
                f_asks = f_asks + (CountBits+1)'(arr_valid_i[r] && 32'(arr_cta_i[r*CtaBits +: CtaBits]) == c) +
                         (CountBits+1)'(end_valid_i[r] && 32'(end_cta_i[r*CtaBits +: CtaBits]) == c);
            assume (f_waiting + f_asks <= {1'b0, live_q[c*CountBits +: CountBits]});
            if (start_valid_i && 32'(start_cta_i) == c)
                assume (live_q[c*CountBits +: CountBits] == '0 && !scalar_q[c]);
            for (int n = 0; n < Barriers; n = n + 1)
                if (asleep_q[c*Barriers + n] && !over_q[c*Barriers + n]) assume (!scalar_end_i[c]);
            for (int n = 0; n < Barriers; n = n + 1)
                for (int u = 0; u < Units; u = u + 1)
                    if (sc_valid_i[u] && 32'(sc_cta_i[u*CtaBits +: CtaBits]) == c)
                        assume (!asleep_q[c*Barriers + n] || over_q[c*Barriers + n]);
        end
    end
    // No phase ends early, and none that is complete stays: for one CTA and barrier, chosen once.
    (* anyconst *) logic [CtaBits-1:0]    f_cta;
    (* anyconst *) logic [NumberBits-1:0] f_number;
    logic [CountBits-1:0] f_arrived, f_live;
    logic [31:0]          f_at;
    assign f_at = 32'(f_cta) * Barriers + 32'(f_number);
    always @* begin
        assume (32'(f_cta) < Ctas && 32'(f_number) < Barriers);
        f_arrived = cur_arrived[f_at*CountBits +: CountBits];
        f_live    = live_q[32'(f_cta)*CountBits +: CountBits];
        for (int r = 0; r < NumReq; r = r + 1) begin
            if (arr_valid_i[r] && arr_cta_i[r*CtaBits +: CtaBits] == f_cta &&
                arr_number_i[r*NumberBits +: NumberBits] == f_number) f_arrived = f_arrived + CountBits'(1);
            if (end_valid_i[r] && end_cta_i[r*CtaBits +: CtaBits] == f_cta) f_live = f_live - CountBits'(1);
        end
        if (f_past && over_d[f_at]) begin
            if (expected[f_at*CountBits +: CountBits] == '0) assert (f_arrived >= f_live);
            else assert (f_arrived >= expected[f_at*CountBits +: CountBits]);
            if (with_now[f_at] && scalar_q[f_cta] && !scalar_end_i[f_cta]) assert (there[f_at]);
        end
        if (f_past && over_d[32'(f_cta)*Barriers +: Barriers] == '0 && f_arrived != '0 && f_arrived >= f_live && f_live != '0 &&
            expected[f_at*CountBits +: CountBits] == '0)
            assert (with_now[f_at] && !there[f_at] && scalar_q[f_cta]);
    end
    // A warp that waits and is not released is in its phase's count, and a released phase begins from nothing.
    logic [CountBits:0] f_sleepers, f_all;
    always @* begin
        f_sleepers = '0;
        f_all      = '0;
        for (int w = 0; w < Warps; w = w + 1) begin
            f_all      = f_all + (CountBits+1)'(waits_q[w] && !rel_warps_o[w] && wcta_q[w*CtaBits +: CtaBits] == f_cta);
            f_sleepers = f_sleepers + (CountBits+1)'(waits_q[w] && !rel_warps_o[w] && wcta_q[w*CtaBits +: CtaBits] == f_cta &&
                                                     wnumber_q[w*NumberBits +: NumberBits] == f_number);
        end
        if (f_past) begin
            assert (f_all <= {1'b0, live_q[32'(f_cta)*CountBits +: CountBits]});
            assert (f_sleepers <= {1'b0, cur_arrived[f_at*CountBits +: CountBits]});
            assert (32'(cur_arrived[f_at*CountBits +: CountBits]) <= Warps);
            if (asleep_q[f_at] && !over_q[f_at]) assert (cur_there[f_at] && scalar_q[f_cta]);
            if (cur_there[f_at]) assert (cur_with[f_at]);
            assert (32'(live_q[32'(f_cta)*CountBits +: CountBits]) <= Warps);
        end
    end
    // What ended is released in the next cycle, with all that wait there, but for a CTA that begins.
    logic [Warps-1:0] f_there;
    for (genvar w = 0; w < Warps; w = w + 1) begin : g_there
        assign f_there[w] = waits_q[w] && wcta_q[w*CtaBits +: CtaBits] == f_cta &&
                            wnumber_q[w*NumberBits +: NumberBits] == f_number;
    end
    always_ff @(posedge clk_i)
        if (f_past && rst_ni && $past(rst_ni)) begin
            if ($past(over_d[f_at])) begin
                assert (cur_arrived[f_at*CountBits +: CountBits] == '0 && !cur_there[f_at] && !cur_with[f_at] &&
                        f_sleepers == '0 && cur_expected[f_at*CountBits +: CountBits] == '0);
                if (!$past(start_valid_i && start_cta_i == f_cta))
                    assert (rel_valid_o[f_cta] && rel_number_o[32'(f_cta)*NumberBits +: NumberBits] == f_number &&
                            (rel_warps_o & f_there) == f_there && rel_scalar_o[f_cta] == $past(asleep[f_at]));
            end else assert ((rel_warps_o & f_there) == '0);
        end
    always_ff @(posedge clk_i)
        if (f_past && rst_ni) begin
            cover (rel_valid_o[0] && rel_scalar_o[0] && rel_warps_o != '0);
            cover (over_d[0] && with_now[0] && !there[0]);
            cover (error_o != '0);
        end
`endif
endmodule
