// SPDX-License-Identifier: Apache-2.0
// The contract of wait_table, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any waiter (followed from its entry): it stays until its value has arrived and
    // it is woken, once and unchanged. It is not woken earlier.
    (* anyconst *) logic [PhyBits-1:0]  f_phys;
    (* anyconst *) logic [WarpBits-1:0] f_warp;
    (* anyconst *) logic [RegBits-1:0]  f_reg;
    (* anyseq *)   logic                f_choose;
    logic [Waiters-1:0] f_at;                       // where it is, one-hot
    logic               f_past, f_here, f_got, f_comes, f_wakes;
    initial f_past = 1'b0;
    always @* begin
        f_comes = 1'b0;
        for (int w = 0; w < NumWr; w = w + 1)
            if (arr_valid_i[w] && arr_phys_i[w*PhyBits +: PhyBits] == f_phys) f_comes = 1'b1;
        f_wakes = 1'b0;
        for (int k = 0; k < NumWr; k = k + 1)
            if (f_here && one_of[k*Waiters +: Waiters] == f_at && wk_valid_o[k]) f_wakes = 1'b1;
        if (!f_past) assume (!rst_ni);
    end
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!rst_ni || cl_valid_i) f_here <= 1'b0;
        else if (f_here) begin
            if (f_wakes) f_here <= 1'b0;
            f_got <= f_got || f_comes;
        end else if (f_choose && en_valid_i && en_ready_o && en_phys_i == f_phys && en_warp_i == f_warp && en_reg_i == f_reg) begin
            f_here <= 1'b1;
            f_at   <= place;
            f_got  <= f_comes;
        end
    end
    always @* if (f_past) begin
        assert (en_ready_o == (valid_q != '1));
        if (f_here) begin
            assert (f_at != '0 && (f_at & (f_at - Waiters'(1))) == '0);
            assert ((valid_q & f_at) == f_at && ((there_q & f_at) == f_at) == f_got);
            for (int p = 0; p < Waiters; p = p + 1)
                if (f_at[p]) assert (entry_q[p*Entry +: Entry] == {f_reg, f_warp, f_phys});
            for (int k = 0; k < NumWr; k = k + 1)
                if (one_of[k*Waiters +: Waiters] == f_at && wk_valid_o[k])
                    assert (f_got && wk_warp_o[k*WarpBits +: WarpBits] == f_warp && wk_reg_o[k*RegBits +: RegBits] == f_reg);
            // the lowest places that are ready are woken: this one when fewer than NumWr lie below it
            if (f_got && (ready & (f_at - Waiters'(1))) == '0) assert (f_wakes);
        end
        cover (f_here && f_got && f_wakes && valid_q == '1);
    end
