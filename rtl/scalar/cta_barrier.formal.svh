// SPDX-License-Identifier: Apache-2.0
// The contract of cta_barrier, proved by ci/formal, which includes it at the end of the module.
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
