// SPDX-License-Identifier: Apache-2.0
// The contract of cta_barrier, proved by ci/formal, which includes it at the end of the module.
    // Numbers of a CTA or a barrier, and bits of barriers in the order of CTAs: n of CTA c at c * Barriers + n.
    logic [All*CountBits-1:0]  f_came, f_expected, f_expects;
    logic [Ctas*CountBits-1:0] f_lives;
    logic [All-1:0]            f_with, f_scalar, f_with_now, f_there_now, f_asleep, f_asleep_now, f_over, f_ends;
    for (genvar c = 0; c < Ctas; c = c + 1) begin : g_f_cta
        for (genvar b = 0; b < CountBits; b = b + 1) begin : g_live
            assign f_lives[c*CountBits + b] = live_q[b*Ctas + c];
        end
        for (genvar n = 0; n < Barriers; n = n + 1) begin : g_barrier
            localparam int At = n * Ctas + c, I = c * Barriers + n;
            for (genvar b = 0; b < CountBits; b = b + 1) begin : g_count
                assign f_came[I*CountBits + b]     = cur_arrived[b*All + At];
                assign f_expected[I*CountBits + b] = cur_expected[b*All + At];
                assign f_expects[I*CountBits + b]  = expected[b*All + At];
            end
            assign f_with[I]       = cur_with[At];
            assign f_scalar[I]     = cur_there[At];
            assign f_with_now[I]   = with_now[At];
            assign f_there_now[I]  = there[At];
            assign f_asleep[I]     = asleep_q[At];
            assign f_asleep_now[I] = asleep[At];
            assign f_over[I]       = over[At];
        end
        // the lowest complete phase, which ends with the edge
        assign f_ends[c*Barriers] = done_d[c];
        for (genvar n = 1; n < Barriers; n = n + 1) begin : g_ends
            logic [n-1:0] lower;
            for (genvar m = 0; m < n; m = m + 1) begin : g_lower
                assign lower[m] = done_d[m*Ctas + c];
            end
            assign f_ends[c*Barriers + n] = done_d[n*Ctas + c] && lower == '0;
        end
    end
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
                        assume (32'(f_came[i*CountBits +: CountBits]) + NumReq <= Warps);
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
            assume (f_waiting + f_asks <= {1'b0, f_lives[c*CountBits +: CountBits]});
            if (start_valid_i && 32'(start_cta_i) == c)
                assume (f_lives[c*CountBits +: CountBits] == '0 && !scalar_q[c]);
            for (int n = 0; n < Barriers; n = n + 1)
                if (f_asleep[c*Barriers + n] && !f_over[c*Barriers + n]) assume (!scalar_end_i[c]);
            for (int n = 0; n < Barriers; n = n + 1)
                for (int u = 0; u < Units; u = u + 1)
                    if (sc_valid_i[u] && 32'(sc_cta_i[u*CtaBits +: CtaBits]) == c)
                        assume (!f_asleep[c*Barriers + n] || f_over[c*Barriers + n]);
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
        f_arrived = f_came[f_at*CountBits +: CountBits];
        f_live    = f_lives[32'(f_cta)*CountBits +: CountBits];
        for (int r = 0; r < NumReq; r = r + 1) begin
            if (arr_valid_i[r] && arr_cta_i[r*CtaBits +: CtaBits] == f_cta &&
                arr_number_i[r*NumberBits +: NumberBits] == f_number) f_arrived = f_arrived + CountBits'(1);
            if (end_valid_i[r] && end_cta_i[r*CtaBits +: CtaBits] == f_cta) f_live = f_live - CountBits'(1);
        end
        if (f_past && f_ends[f_at]) begin
            if (f_expects[f_at*CountBits +: CountBits] == '0) assert (f_arrived >= f_live);
            else assert (f_arrived >= f_expects[f_at*CountBits +: CountBits]);
            if (f_with_now[f_at] && scalar_q[f_cta] && !scalar_end_i[f_cta]) assert (f_there_now[f_at]);
        end
        if (f_past && f_ends[32'(f_cta)*Barriers +: Barriers] == '0 && f_arrived != '0 && f_arrived >= f_live && f_live != '0 &&
            f_expects[f_at*CountBits +: CountBits] == '0)
            assert (f_with_now[f_at] && !f_there_now[f_at] && scalar_q[f_cta]);
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
            assert (f_all <= {1'b0, f_lives[32'(f_cta)*CountBits +: CountBits]});
            assert (f_sleepers <= {1'b0, f_came[f_at*CountBits +: CountBits]});
            assert (32'(f_came[f_at*CountBits +: CountBits]) <= Warps);
            if (f_asleep[f_at] && !f_over[f_at]) assert (f_scalar[f_at] && scalar_q[f_cta]);
            if (f_scalar[f_at]) assert (f_with[f_at]);
            assert (32'(f_lives[32'(f_cta)*CountBits +: CountBits]) <= Warps);
        end
    end
    // A phase that ended is released in the next cycle, with all warps that wait there, but for a
    // CTA that begins.
    logic [Warps-1:0] f_there;
    for (genvar w = 0; w < Warps; w = w + 1) begin : g_there
        assign f_there[w] = waits_q[w] && wcta_q[w*CtaBits +: CtaBits] == f_cta &&
                            wnumber_q[w*NumberBits +: NumberBits] == f_number;
    end
    always_ff @(posedge clk_i)
        if (f_past && rst_ni && $past(rst_ni)) begin
            if ($past(f_ends[f_at])) begin
                assert (f_came[f_at*CountBits +: CountBits] == '0 && !f_scalar[f_at] && !f_with[f_at] &&
                        f_sleepers == '0 && f_expected[f_at*CountBits +: CountBits] == '0);
                if (!$past(start_valid_i && start_cta_i == f_cta))
                    assert (rel_valid_o[f_cta] && rel_number_o[32'(f_cta)*NumberBits +: NumberBits] == f_number &&
                            (rel_warps_o & f_there) == f_there && rel_scalar_o[f_cta] == $past(f_asleep_now[f_at]));
            end else assert ((rel_warps_o & f_there) == '0);
        end
    always_ff @(posedge clk_i)
        if (f_past && rst_ni) begin
            cover (rel_valid_o[0] && rel_scalar_o[0] && rel_warps_o != '0);
            cover (f_ends[0] && f_with_now[0] && !f_there_now[0]);
            cover (error_o != '0);
        end
