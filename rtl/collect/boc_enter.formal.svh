// SPDX-License-Identifier: Apache-2.0
// The contract of boc_enter, proved by ci/formal, which includes it at the end of the module.
    // Contract, from any state, for any two rows f_x, f_y and any operand f_o.
    (* anyconst *) logic [ValueBits-1:0] f_x;
    (* anyconst *) logic [ValueBits-1:0] f_y;
    logic [Values-1:0]   f_at_x, f_at_y, firsts, thens;
    assign firsts = first_i & free;
    assign thens  = free & ~first_i;
    logic [6*Values-1:0] f_now;                      // registers before the entry
    logic [5:0]          f_room, f_want;
    logic                f_fits;
    always_comb begin
        for (int k = 0; k < 6; k = k + 1)
            f_now[k*Values +: Values] = (name_i[k*Values +: Values] & ~new_i) | (new_i & {Values{new_reg_i[k]}});
        assume (f_x < Values && f_y < Values && words_i <= 3'd4);
        assume (from_i != '0 && (~from_i & (~from_i + 1'b1)) == '0 && (new_i & (new_i - 1'b1)) == '0);
        f_at_x = Values'(1) << f_x;
        f_at_y = Values'(1) << f_y;
        // no two rows of one register, no row to be taken first in use
        for (int e = 0; e < Values; e = e + 1)
            for (int x = 0; x < e; x = x + 1)
                if (used_i[e] && used_i[x] && forward_i)
                    assume ({f_now[5*Values + e], f_now[4*Values + e], f_now[3*Values + e],
                             f_now[2*Values + e], f_now[Values + e], f_now[e]} !=
                            {f_now[5*Values + x], f_now[4*Values + x], f_now[3*Values + x],
                             f_now[2*Values + x], f_now[Values + x], f_now[x]});
        assume ((first_i & used_i & ~except_i) == '0 && (empty_i & ~used_i) == '0);
        if (only_i) assume (forward_i);
        f_room = '0;
        f_want = '0;
        for (int e = 0; e < Values; e = e + 1) f_room = f_room + 6'(free[e]);
        for (int r = 0; r < NumReq; r = r + 1) f_want = f_want + 6'(miss[r]);
        f_fits = f_want <= f_room;
    end
    always_comb begin
        // as many rows as it lacks, each of them to be taken, free ones first, in cyclic order from next
        if (f_fits) begin
            for (int r = 0; r < NumReq; r = r + 1)
                if (miss[r]) assert (pick[r*Values +: Values] != '0);
        end
        for (int r = 0; r < NumReq; r = r + 1) begin
            assert ((pick[r*Values +: Values] & (pick[r*Values +: Values] - 1'b1)) == '0);
            for (int x = 0; x < r; x = x + 1)
                assert ((pick[r*Values +: Values] & pick[x*Values +: Values]) == '0);
        end
        assert ((taken_o & ~free) == '0);
        if ((taken_o & thens) != '0) assert ((firsts & ~taken_o) == '0);
        // no row that an operand is in or that is reserved is taken for another register
        for (int o = 0; o < NumOps; o = o + 1)
            if (valid_i && need_i[o] && !pass_i && forward_i)
                assert ((taken_o & has[o*Values +: Values]) == '0);
        // a pass takes nothing; it reads nothing and reserves nothing
        if (pass_i || !valid_i) assert (taken_o == '0 && ask_o == '0 && rsv_o == '0 && hit_o == '0);
        assert ((taken_o & ~named_o) == '0 && (rsv_o & ~named_o) == '0);
        // afterwards no two rows have one register
        if (f_x != f_y && forward_i && f_fits &&
            ((used_i | taken_o) & f_at_x) != '0 && ((used_i | taken_o) & f_at_y) != '0)
            assert (f_name_x != f_name_y);
    end
    // registers of f_x and f_y afterwards
    logic [6*Values-1:0] f_name;
    logic [5:0]          f_name_x, f_name_y;
    always_comb begin
        for (int k = 0; k < 6; k = k + 1) begin
            f_name[k*Values +: Values] = (f_now[k*Values +: Values] & ~taken_o) | name_o[k*Values +: Values];
            f_name_x[k] = (f_name[k*Values +: Values] & f_at_x) != '0;
            f_name_y[k] = (f_name[k*Values +: Values] & f_at_y) != '0;
        end
    end
    always_comb begin
        cover (valid_i && f_fits && ask_o != '0 && (taken_o & ~ask_o) != '0 && (taken_o & then_i & ~first_i) != '0);
        cover (valid_i && hit_o == '1 && named_o == f_at_x && !pass_i);
        cover (valid_i && pass_i && named_o != '0);
    end
