// SPDX-License-Identifier: Apache-2.0
// The contract of rfv_throttle, proved by ci/formal, which includes it at the end of the module.
    // One CTA can always take all that it may need; rows are neither lost nor made; a take is decided as the contract says.
    logic f_past;
    initial f_past = 1'b0;
    always_ff @(posedge clk_i) f_past <= 1'b1;
    logic [Ctas-1:0] f_takes;  // CTAs that take or free in this cycle
    logic [31:0]     f_asked, f_gave, f_sum;
    always @* begin
        f_takes = '0;
        assume (32'(cfg_rows_i) <= Banks * Entries);
        if (start_valid_i) assume (32'(start_cta_i) < Ctas && !resident_q[start_cta_i]);
        for (int c = 0; c < Ctas; c = c + 1) begin
            f_asked = '0;
            f_gave = '0;
            for (int r = 0; r < NumReq; r = r + 1)
                if (take_valid_i[r] && 32'(take_cta_i[r*CtaBits +: CtaBits]) == c) begin
                    f_asked = f_asked + 32'(take_rows_i[r*3 +: 3]);
                    f_takes[c] = 1'b1;
                    assume (resident_q[c] && 32'(take_rows_i[r*3 +: 3]) <= 4);
                end
            for (int f = 0; f < NumFree; f = f + 1)
                if (free_valid_i[f] && 32'(free_cta_i[f*CtaBits +: CtaBits]) == c) begin
                    f_gave = f_gave + 1;
                    assume (resident_q[c]);
                end
            assume (f_asked <= 32'(balance_q[c*RowBits +: RowBits]));
            assume (f_gave == '0 || 32'(balance_q[c*RowBits +: RowBits]) + f_gave <= 32'(need_q));
            assume (!end_mask_i[c] || (resident_q[c] && balance_q[c*RowBits +: RowBits] == need_q && !f_takes[c]));
        end
        for (int r = 0; r < NumReq; r = r + 1) assume (!take_valid_i[r] || 32'(take_cta_i[r*CtaBits +: CtaBits]) < Ctas);
        for (int f = 0; f < NumFree; f = f + 1) assume (!free_valid_i[f] || 32'(free_cta_i[f*CtaBits +: CtaBits]) < Ctas);
        if (!f_past) assume (!rst_ni);
    end
    // The text of the contract, for the first port; 8 is added so that nothing is below 0.
    logic [31:0] f_free, f_min, f_n;
    logic        f_right, f_first;  // as the contract says; the CTA of the least balance, of several the oldest
    always @* begin
        f_n    = 32'(take_rows_i[2:0]);
        f_free = 32'(free_q) + 8 - f_n;
        f_min  = '1;
        for (int c = 0; c < Ctas; c = c + 1)
            if (resident_q[c] && 32'(balance_q[c*RowBits +: RowBits]) + 8 - (32'(take_cta_i[0 +: CtaBits]) == c ? f_n : '0) < f_min)
                f_min = 32'(balance_q[c*RowBits +: RowBits]) + 8 - (32'(take_cta_i[0 +: CtaBits]) == c ? f_n : '0);
        f_first = 1'b1;
        for (int c = 0; c < Ctas; c = c + 1)
            if (resident_q[c] && 32'(take_cta_i[0 +: CtaBits]) != c &&
                (balance_q[c*RowBits +: RowBits] < balance_q[32'(take_cta_i[0 +: CtaBits])*RowBits +: RowBits] ||
                 (balance_q[c*RowBits +: RowBits] == balance_q[32'(take_cta_i[0 +: CtaBits])*RowBits +: RowBits] &&
                  before_q[c*Ctas + 32'(take_cta_i[0 +: CtaBits])]))) f_first = 1'b0;
        f_right = f_n == '0 || f_free > f_min || (f_free == f_min && f_first);
    end
    always @*
        if (f_past) begin
            f_sum = 32'(free_q);
            for (int c = 0; c < Ctas; c = c + 1) begin
                assert (balance_q[c*RowBits +: RowBits] <= need_q);
                assert (resident_q[c] || balance_q[c*RowBits +: RowBits] == '0);
                if (resident_q[c]) f_sum = f_sum + 32'(need_q) - 32'(balance_q[c*RowBits +: RowBits]);
                // ages are an order of the resident CTAs
                assert (!before_q[c*Ctas + c]);
                for (int d = 0; d < Ctas; d = d + 1) begin
                    if (c != d)
                        assert ((before_q[c*Ctas + d] ^ before_q[d*Ctas + c]) == (resident_q[c] && resident_q[d]));
                    assert (!(before_q[c*Ctas + d] && before_q[d*Ctas + c]));
                    for (int e = 0; e < Ctas; e = e + 1)
                        assert (!(before_q[c*Ctas + d] && before_q[d*Ctas + e]) || before_q[c*Ctas + e]);
                end
                if (resident_q[c]) assert (least_rows <= balance_q[c*RowBits +: RowBits]);
            end
            assert (32'(need_q) <= Banks * Entries);
            assert (f_sum == Banks * Entries);
            // one CTA leads, and there are rows for all that it may take: no deadlock
            assert ((least == '0) == (resident_q == '0) && (least & (least - Ctas'(1))) == '0);
            assert (resident_q == '0 || rows_free_o >= rows_least_o);
            if (take_valid_i[0] && !cfg_valid_i) begin
                assert (take_grant_o[0] == f_right);
                assert (take_grant_o[0] == (f_n <= 32'(room_o[32'(take_cta_i[0 +: CtaBits])*3 +: 3])));
            end
            assert ((take_grant_o & ~take_valid_i) == '0);
            cover (take_valid_i[0] && !take_grant_o[0] && f_free == f_min && !cfg_valid_i);
            cover (take_valid_i[0] && !take_grant_o[0] && f_free < f_min && !cfg_valid_i);
            cover (free_q == '0 && (resident_q & (resident_q - Ctas'(1))) != '0);
            cover (end_mask_i != '0 && !cfg_valid_i && (resident_q & ~end_mask_i & f_takes) != '0 && free_q < need_q + need_q);
        end
    // Every row that is freed and every one that is taken counts.
    logic [31:0] f_rows, f_rows_q;
    logic        f_counted;
    always @* begin
        f_rows = 32'(free_q);
        for (int f = 0; f < NumFree; f = f + 1) f_rows = f_rows + 32'(free_valid_i[f]);
        for (int r = 0; r < NumReq; r = r + 1)
            if (take_grant_o[r]) f_rows = f_rows - 32'(take_rows_i[r*3 +: 3]);
    end
    always_ff @(posedge clk_i) begin
        f_rows_q  <= f_rows;
        f_counted <= f_past && rst_ni && !cfg_valid_i;
    end
    always @* if (f_past && f_counted) assert (f_rows_q == 32'(free_q));
    // The same at each port, after the takes of earlier ports: the CTA that leads then is granted
    // any take.
    for (genvar r = 0; r < NumReq; r = r + 1) begin : g_f_take
        logic [31:0]        f_free;           // free rows as the ports before left them
        logic [Ctas*32-1:0] f_left;           // and balances
        logic [31:0]        f_mine;           // that of this port's CTA
        logic               f_ends, f_leads;  // some CTA's balance is free; this port's is the least, of several the oldest
        always @* begin
            f_free = 32'(free_q);
            f_mine = '0;
            for (int c = 0; c < Ctas; c = c + 1) f_left[c*32 +: 32] = 32'(balance_q[c*RowBits +: RowBits]);
            for (int q = 0; q < r; q = q + 1)
                if (take_grant_o[q]) begin
                    f_free = f_free - 32'(take_rows_i[q*3 +: 3]);
                    for (int c = 0; c < Ctas; c = c + 1)
                        if (take_cta_i[q*CtaBits +: CtaBits] == CtaBits'(c))
                            f_left[c*32 +: 32] = f_left[c*32 +: 32] - 32'(take_rows_i[q*3 +: 3]);
                end
            f_ends  = 1'b0;
            f_leads = 1'b1;
            for (int c = 0; c < Ctas; c = c + 1) begin
                if (resident_q[c] && f_left[c*32 +: 32] <= f_free) f_ends = 1'b1;
                if (take_cta_i[r*CtaBits +: CtaBits] == CtaBits'(c)) f_mine = f_left[c*32 +: 32];
            end
            for (int c = 0; c < Ctas; c = c + 1)
                if (resident_q[c] && take_cta_i[r*CtaBits +: CtaBits] != CtaBits'(c) &&
                    (f_left[c*32 +: 32] < f_mine || (f_left[c*32 +: 32] == f_mine && !before_q[32'(take_cta_i[r*CtaBits +: CtaBits])*Ctas + c])))
                    f_leads = 1'b0;
            if (f_past && take_valid_i[r] && !cfg_valid_i) begin
                assert (f_ends);
                if (f_leads) assert (take_grant_o[r]);
                if (take_grant_o[r]) assert (32'(take_rows_i[r*3 +: 3]) <= f_free);
            end
        end
    end
