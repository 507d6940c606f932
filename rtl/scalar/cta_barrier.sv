// SPDX-License-Identifier: Apache-2.0
// Purpose:    named barriers of the resident CTAs, for warps and for a scalar thread per CTA. It
//             has counters of each phase, and for each warp the barrier at which it waits.
//             Contract: models/scalar/cta_barrier.h.
// Parameters: Ctas, 1..32; Warps, 2..64; Barriers, 1..16 of a CTA; NumReq, 1..4: warps that arrive
//             and that end per cycle. Units, 1..8: scalar threads that arrive per cycle.
// Timing:     two stages. Arrivals and ends of cycle t: port decode, the arrivals of a barrier, how
//             many it lacks, whether it is complete. The lacking number depends on state alone but
//             for the ports' sums. Releases of t + 1, from registers: the lowest complete barrier
//             of each CTA, a comparison per warp. Output error_o answers the arrivals of its own
//             cycle. State changes at the edge. 1.30 ns at 45 nm (SM clock: 1.43 ns). With 16 CTAs,
//             64 warps and four ports each (kepler) 1.35 ns.
// Reset:      no warp, no scalar thread, no phase, no release.
// Left out:   reductions of predicates, divergence.
// Shapes:     - ; Ctas=1,Warps=2,Barriers=1,NumReq=1 ; Ctas=3,Warps=11,Barriers=5,NumReq=3,Units=2
// Shapes:     Ctas=16,Warps=64,NumReq=4,Units=6
// Proof:      3:9:Ctas=1,Warps=3,Barriers=2,NumReq=2
// Proof:      3:9:Ctas=2,Warps=2,Barriers=1,NumReq=1

`include "macros.svh"
`include "work.svh"

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

    // A set has a bit per barrier, number n of CTA c at n * Ctas + c: the CTAs' barriers of one
    // number are adjacent. Counts are in planes: bit b of all of them is the set, or the CTAs, at b
    // * All or b * Ctas.
    localparam int Counts = CountBits * All;
    localparam int Planes = CountBits < 3 ? 3 : CountBits;  // a count beside the number of ports

    // ---- State
    logic [CountBits*Ctas-1:0]   live_q, live_d;        // warps that have not ended
    logic [Ctas-1:0]             scalar_q, scalar_d;    // nor the scalar thread
    logic [Counts-1:0]           arrived_q, arrived_d, expected_q, expected_d;
    logic [All-1:0]              with_q, with_d;        // k = 1
    logic [All-1:0]              there_q, there_d;      // the scalar thread arrived
    logic [All-1:0]              asleep_q, asleep_d;    // and waits
    logic [All-1:0]              done_q, done_d;        // phases that were complete at the last edge
    logic [Warps-1:0]            waits_q, waits_d;
    logic [Warps*CtaBits-1:0]    wcta_q, wcta_d;        // where it waits, or did
    logic [Warps*NumberBits-1:0] wnumber_q, wnumber_d;

    // ---- The lowest complete barrier of each CTA: its phase ended with the last edge, and what it holds is stale
    logic [All-1:0] over, upto;  // ones from the lowest on
    always @* begin
        upto = done_q;
        if (`WORK(done_q != '0))
            for (int k = 1; k < Barriers; k = k * 2) upto = upto | (upto << (k * Ctas));
        over = done_q & ~(upto << Ctas);
    end
    logic [Counts-1:0] cur_arrived, cur_expected;
    logic [All-1:0]    cur_with, cur_there;
    assign cur_arrived  = arrived_q & ~{CountBits{over}};
    assign cur_expected = expected_q & ~{CountBits{over}};
    assign cur_with     = with_q & ~over;
    assign cur_there    = there_q & ~over;

    // ---- Ports: a set for each. What goes with a port joins its CTA or its number, of which there are few, not each barrier.
    function automatic [All-1:0] both(input [Ctas-1:0] cta, input [Barriers-1:0] number);
        for (int n = 0; n < Barriers; n = n + 1) both[n*Ctas +: Ctas] = number[n] ? cta : '0;
    endfunction
    logic [4*All-1:0]    here, leave;                 // of each port: where a warp arrives, of whose CTA one ends
    logic [All-1:0]      ks, no_ks, scalars, sleeps;  // arrivals with k = 1, with k = 0, of scalar threads, and wait
    logic [All-1:0]      names;                       // an arrival names a count
    logic [Ctas-1:0]     counted;                     // .. and has k = 1
    logic [Counts-1:0]   named;                       // that count
    logic [Ctas-1:0]     cta;                         // one-hot
    logic [Barriers-1:0] number;
    logic                named_here;
    always @* begin
        named_here = 1'b0;
        here    = '0;
        leave   = '0;
        ks      = '0;
        no_ks   = '0;
        names   = '0;
        counted = '0;
        named   = '0;
        scalars = '0;
        sleeps  = '0;
        cta     = '0;
        number  = '0;
        for (int r = 0; r < NumReq; r = r + 1) begin
            if (`WORK(arr_valid_i[r])) begin
                cta    = Ctas'(1) << arr_cta_i[r*CtaBits +: CtaBits];
                number = arr_valid_i[r] ? Barriers'(1) << arr_number_i[r*NumberBits +: NumberBits] : '0;
                here[r*All +: All] = both(cta, number);
                ks    = ks | both(cta, arr_with_i[r] ? number : '0);
                no_ks = no_ks | both(cta, arr_with_i[r] ? '0 : number);
                if (`WORK(arr_count_i[r*CountBits +: CountBits] != '0)) begin
                    named_here = arr_valid_i[r] && arr_count_i[r*CountBits +: CountBits] != '0;
                    counted    = counted | (named_here && arr_with_i[r] ? cta : '0);
                    for (int b = 0; b < CountBits; b = b + 1)
                        named[b*All +: All] = named[b*All +: All] |
                                              (here[r*All +: All] & {Barriers{arr_count_i[r*CountBits + b] ? cta : '0}});
                end
            end
            if (`WORK(end_valid_i[r]))
                leave[r*All +: All] = {Barriers{end_valid_i[r] ? Ctas'(1) << end_cta_i[r*CtaBits +: CtaBits] : '0}};
        end
        for (int u = 0; u < Units; u = u + 1)
            if (`WORK(sc_valid_i[u])) begin
                cta     = Ctas'(1) << sc_cta_i[u*CtaBits +: CtaBits];
                number  = sc_valid_i[u] ? Barriers'(1) << sc_number_i[u*NumberBits +: NumberBits] : '0;
                scalars = scalars | both(cta, number);
                sleeps  = sleeps | both(cta, sc_sync_i[u] ? number : '0);
            end
        ks = ks | scalars;
        for (int b = 0; b < CountBits; b = b + 1) names = names | named[b*All +: All];
    end
    logic [Ctas-1:0] starts;
    logic [All-1:0]  clear;  // phases whose CTA begins
    assign starts = start_valid_i ? Ctas'(1) << start_cta_i : '0;
    assign clear  = {Barriers{starts}};

    // ---- How many arrive at each barrier, and end in its CTA
    function automatic [3*All-1:0] ones(input [4*All-1:0] set);
        logic [All-1:0] one_low, two_low, one_high, two_high;  // of the first two sets, of the others
        one_low  = set[0 +: All] ^ set[All +: All];
        two_low  = set[0 +: All] & set[All +: All];
        one_high = set[2*All +: All] ^ set[3*All +: All];
        two_high = set[2*All +: All] & set[3*All +: All];
        ones = {two_low & two_high, (two_low ^ two_high) | (one_low & one_high), one_low ^ one_high};
    endfunction
    logic [3*All-1:0] news, ends;
    always @* begin
        news = '0;
        ends = '0;
        if (`WORK(arr_valid_i != '0)) news = ones(here);
        if (`WORK(end_valid_i != '0)) ends = ones(leave);
    end

    // ---- What has ended with this cycle
    logic [CountBits*Ctas-1:0] live;
    logic [Ctas-1:0]           scalar, borrow;
    assign scalar = scalar_q & ~scalar_end_i;
    always @* begin
        live   = live_q;
        borrow = '0;
        if (`WORK(end_valid_i != '0))
            for (int b = 0; b < CountBits; b = b + 1) begin
                live[b*Ctas +: Ctas] = live_q[b*Ctas +: Ctas] ^ borrow ^ (b < 3 ? ends[b%3*All +: Ctas] : '0);
                borrow = (borrow & ~live_q[b*Ctas +: Ctas]) |
                         ((b < 3 ? ends[b%3*All +: Ctas] : '0) & (borrow | ~live_q[b*Ctas +: Ctas]));
            end
    end

    // ---- Each phase with this cycle's arrivals
    logic [Counts-1:0] arrived, expected;
    logic [All-1:0]    old, begun, with_now, there, asleep, mixed, carry;
    always @* begin
        arrived = cur_arrived;
        carry   = '0;
        if (`WORK(arr_valid_i != '0))
            for (int b = 0; b < CountBits; b = b + 1) begin
                arrived[b*All +: All] = cur_arrived[b*All +: All] ^ carry ^ (b < 3 ? news[b%3*All +: All] : '0);
                carry = (carry & cur_arrived[b*All +: All]) |
                        ((b < 3 ? news[b%3*All +: All] : '0) & (carry | cur_arrived[b*All +: All]));
            end
        old = cur_there;
        for (int b = 0; b < CountBits; b = b + 1) old = old | cur_arrived[b*All +: All];
    end
    assign begun    = old | ks | no_ks;
    assign expected = named | (cur_expected & ~{CountBits{names}});
    assign with_now = cur_with | ks;
    assign there    = cur_there | scalars;
    assign asleep   = (asleep_q & ~over) | sleeps;
    assign mixed    = (ks & no_ks) | (old & ((cur_with & no_ks) | (~cur_with & ks)));
    always @* begin
        error_o = counted;
        for (int n = 0; n < Barriers; n = n + 1) error_o = error_o | mixed[n*Ctas +: Ctas];
    end

    // ---- Have enough arrived for what was expected before? From state alone: what arrived less what is expected. 0 or
    // more: yes; -8 or more: with enough arrivals, and ends where all of the CTA's warps are expected, to carry beyond bit 2.
    logic [All-1:0]        all, below, near, enough;  // all are expected; less than 0, -8 or more
    logic [All-1:0]        came, expects, adds, once, twice;
    logic [Planes*All-1:0] less;
    always @* begin
        all = '0;
        for (int b = 0; b < CountBits; b = b + 1) all = all | expected_q[b*All +: All];
        all     = over | ~all;
        below   = '0;
        less    = '0;
        came    = '0;
        expects = '0;
        adds    = '0;
        once    = '0;  // carries of the sums of three numbers, and of these
        twice   = '0;
        near    = '0;
        if (`WORK(begun != '0)) begin
            for (int b = 0; b < Planes; b = b + 1) begin
                came    = b < CountBits ? cur_arrived[b%CountBits*All +: All] : '0;
                expects = b < CountBits ? (all & {Barriers{live_q[b%CountBits*Ctas +: Ctas]}}) |
                                          cur_expected[b%CountBits*All +: All] : '0;
                less[b*All +: All] = came ^ expects ^ below;
                below = (expects & below) | (~came & (expects | below));
            end
            near = below;
            for (int b = 3; b < Planes; b = b + 1) near = near & less[b*All +: All];
            for (int b = 0; b < 3; b = b + 1) begin
                adds  = all & ends[b*All +: All];
                came  = less[b*All +: All] ^ news[b*All +: All] ^ adds;
                twice = (came & once) | (twice & (came | once));
                once  = (less[b*All +: All] & news[b*All +: All]) | (adds & (less[b*All +: All] | news[b*All +: All]));
            end
        end
        enough = ~below | (near & (once | twice));
    end

    // ---- And for a count that is named now? What arrived before, arrivals and the complement of the count carry.
    logic [All-1:0]        reaches, lacks, into, comes;
    logic [Planes*All-1:0] makes, passes;  // carries of a place, of more and more places
    always @* begin
        makes  = '0;
        passes = '0;
        into   = '1;
        lacks  = '0;
        comes  = '0;
        if (`WORK(names != '0)) begin
            for (int b = 0; b < Planes; b = b + 1) begin
                lacks = b < CountBits ? ~named[b%CountBits*All +: All] : {All{1'b1}};
                comes = b < CountBits ? cur_arrived[b%CountBits*All +: All] : '0;
                makes[b*All +: All]  = (comes ^ lacks ^ (b < 3 ? news[b%3*All +: All] : '0)) & into;
                passes[b*All +: All] = (comes ^ lacks ^ (b < 3 ? news[b%3*All +: All] : '0)) | into;
                into = (comes & lacks) | ((b < 3 ? news[b%3*All +: All] : '0) & (comes | lacks));
            end
            for (int d = 1; d < Planes; d = 2 * d)
                for (int b = Planes - 1; b >= d; b = b - 2 * d) begin
                    makes[b*All +: All]  = makes[b*All +: All] | (passes[b*All +: All] & makes[(b-d)*All +: All]);
                    passes[b*All +: All] = passes[b*All +: All] & passes[(b-d)*All +: All];
                end
        end
        reaches = into | makes[(Planes-1)*All +: All];
    end

    // ---- Complete phases
    assign done_d = begun & (~with_now | there | ~{Barriers{scalar}}) & ((names & reaches) | (~names & enough)) & ~clear;

    // ---- Release: each warp that waits at a barrier whose phase ended
    always @* begin
        rel_valid_o  = '0;
        rel_scalar_o = '0;
        rel_number_o = '0;
        if (`WORK(done_q != '0))
            for (int n = 0; n < Barriers; n = n + 1) begin
                rel_valid_o  = rel_valid_o | over[n*Ctas +: Ctas];
                rel_scalar_o = rel_scalar_o | (over[n*Ctas +: Ctas] & asleep_q[n*Ctas +: Ctas]);
                for (int c = 0; c < Ctas; c = c + 1)
                    if (over[n*Ctas + c])
                        rel_number_o[c*NumberBits +: NumberBits] = rel_number_o[c*NumberBits +: NumberBits] | NumberBits'(n);
            end
    end
    logic [Warps-1:0] goes;
    always @* begin
        goes = '0;
        if (`WORK(done_q != '0))
            for (int w = 0; w < Warps; w = w + 1)
                goes[w] = waits_q[w] && rel_valid_o[wcta_q[w*CtaBits +: CtaBits]] &&
                          rel_number_o[32'(wcta_q[w*CtaBits +: CtaBits])*NumberBits +: NumberBits] ==
                          wnumber_q[w*NumberBits +: NumberBits];
    end
    assign rel_warps_o = goes;

    // ---- Where each warp waits with this cycle's arrivals
    always @* begin
        waits_d   = waits_q & ~goes;
        wcta_d    = wcta_q;
        wnumber_d = wnumber_q;
        for (int r = 0; r < NumReq; r = r + 1)
            if (arr_valid_i[r] && arr_sync_i[r])
                for (int w = 0; w < Warps; w = w + 1)
                    if (32'(arr_warp_i[r*WarpBits +: WarpBits]) == w) begin
                        waits_d[w] = 1'b1;
                        wcta_d[w*CtaBits +: CtaBits] = arr_cta_i[r*CtaBits +: CtaBits];
                        wnumber_d[w*NumberBits +: NumberBits] = arr_number_i[r*NumberBits +: NumberBits];
                    end
    end

    // ---- Next state
    assign arrived_d  = arrived & ~{CountBits{clear}};
    assign expected_d = expected & ~{CountBits{clear}};
    assign with_d     = with_now & ~clear;
    assign there_d    = there & ~clear;
    assign asleep_d   = asleep & ~clear;
    assign scalar_d   = (scalar & ~starts) | (starts & {Ctas{start_scalar_i}});
    for (genvar b = 0; b < CountBits; b = b + 1) begin : g_live
        assign live_d[b*Ctas +: Ctas] = (live[b*Ctas +: Ctas] & ~starts) | (starts & {Ctas{start_warps_i[b]}});
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
            done_q     <= '0;
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
            done_q     <= done_d;
        end

    `CHECK_RANGE(cta_barrier, Ctas, 1, 32)
    `CHECK_RANGE(cta_barrier, Warps, 2, 64)
    `CHECK_RANGE(cta_barrier, Barriers, 1, 16)
    `CHECK_RANGE(cta_barrier, NumReq, 1, 4)
    `CHECK_RANGE(cta_barrier, Units, 1, 8)
    `include "scalar/cta_barrier.obs.svh"
endmodule
