// SPDX-License-Identifier: Apache-2.0
// The contract of ref_count, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any register: its count is grants less decrements and never wraps. It is
    // allocated only if its count is 0 and no release of it is pending or in flight; free_count_o
    // counts.
    // One-hot: place bank * Entries + entry of a register number; 0 where the bank does not exist
    function automatic [Regs-1:0] place_of(input [PhyBits-1:0] phys);
        integer b;
        begin
            place_of = '0;
            for (b = 0; b < Banks; b = b + 1)
                if (phys[EntryBits +: BankBits] == BankBits'(b))
                    place_of[b*Entries +: Entries] = Entries'(1) << phys[EntryBits-1:0];
        end
    endfunction

    (* anyconst *) logic [PhyBits-1:0] f_p;
    logic [Regs-1:0] f_at;
    integer          f_place;
    logic            f_past;
    initial f_past = 1'b0;
    assign f_at = place_of(f_p);
    always_ff @(posedge clk_i) f_past <= 1'b1;
    logic [3:0] f_more, f_less;
    logic [CountBits-1:0] f_count;
    logic [CountBits+4:0] f_left;
    logic f_mine, f_busy, f_pending, f_sent;
    always @* begin
        for (int k = 0; k < CountBits; k = k + 1) f_count[k] = (f_at & count_q[k*Regs +: Regs]) != '0;
        f_pending = (pending_q & f_at) != '0;
        f_sent    = (sent_q & f_at) != '0;
        f_busy    = f_count != '0 || f_pending || f_sent;
        f_mine = 1'b0;
        for (int r = 0; r < NumAlloc; r = r + 1)
            if (al_grant_o[r] && al_phys_o[r*PhyBits +: PhyBits] == f_p) f_mine = 1'b1;
        f_more = '0;
        f_less = '0;
        for (int i = 0; i < NumInc; i = i + 1)
            if (inc_grant_o[i] && inc_phys_i[i*PhyBits +: PhyBits] == f_p) f_more = f_more + 4'd1;
        for (int d = 0; d < NumDec; d = d + 1)
            if (dec_valid_i[d] && dec_phys_i[d*PhyBits +: PhyBits] == f_p) f_less = f_less + 4'd1;
        // inputs that are never driven
        assume (f_at != '0);
        if (!f_past) assume (!rst_ni);
        for (int r = 0; r < NumAlloc; r = r + 1) assume (32'(al_bank_i[r*BankBits +: BankBits]) < Banks);
        for (int i = 0; i < NumInc; i = i + 1)
            if (inc_valid_i[i]) assume ((place_of(inc_phys_i[i*PhyBits +: PhyBits]) & used) != '0);
        for (int d = 0; d < NumDec; d = d + 1)
            if (dec_valid_i[d]) assume ((place_of(dec_phys_i[d*PhyBits +: PhyBits]) & used) != '0);
        if (done_valid_i) assume ((place_of(done_phys_i) & sent_q) != '0);
        if (mk_valid_i) assume ((place_of(mk_phys_i) & counted) != '0);
        for (int g = 0; g < Regs; g = g + 1) begin
            f_left = '0;
            for (int k = 0; k < CountBits; k = k + 1) f_left[k] = count_q[k*Regs + g];
            for (int i = 0; i < NumInc; i = i + 1) f_left = f_left + (CountBits+5)'(in_bank[i*Banks + g/Entries] && at[i*Entries + g%Entries] &&
                                                                          inc_grant_o[i]);
            for (int d = NumInc; d < Counters; d = d + 1)
                f_left = f_left - (CountBits+5)'(in_bank[d*Banks + g/Entries] && at[d*Entries + g%Entries]);
            assume (!f_left[CountBits+4]);          // not below 0
        end
    end
    logic [FreeBits-1:0] f_free;
    always @* begin
        f_free = '0;
        for (int g = 0; g < Regs; g = g + 1) f_free = f_free + FreeBits'(!used[g]);
        if (f_past) begin
            assert (free_count_o == f_free);
            if (f_mine) assert (!f_busy);
            // no other port gets the same register in this cycle
            for (int r = 0; r < NumAlloc; r = r + 1)
                for (int q = 0; q < r; q = q + 1)
                    if (al_grant_o[r] && al_grant_o[q])
                        assert (al_phys_o[r*PhyBits +: PhyBits] != al_phys_o[q*PhyBits +: PhyBits]);
            // a full count takes no more, and it never wraps
            assert (32'(f_count) + 32'(f_more) < (1 << CountBits));
            // pending and sent: only with count 0 is it pending
            if (f_pending) assert (f_count == '0);
            assert ((pending_q & counted) == '0);
        end
    end
    always_ff @(posedge clk_i)
        if (f_past && $past(rst_ni) && rst_ni && $stable(f_p)) begin
            if ($past(cl_valid_i)) assert (!f_busy);
            else begin
                assert (32'(f_count) == 32'($past(f_count)) + 32'($past(f_more)) + 32'($past(f_mine)) - 32'($past(f_less)));
                // it leaves use only with the table's answer, or when the table never had it
                if ($past(f_busy) && !f_busy)
                    assert (($past(f_sent) && $past(done_valid_i) && $past(done_phys_i) == f_p) ||
                            ($past(f_less) != 0 && !$past((entered_q & f_at) != '0) &&
                             !($past(mk_valid_i) && $past(mk_phys_i) == f_p)));
                // announced once until the table answers
                if ($past(f_sent) && !($past(done_valid_i) && $past(done_phys_i) == f_p)) assert (f_sent);
            end
            cover (f_count == '1 && inc_valid_i[0] && inc_phys_i[0 +: PhyBits] == f_p && !inc_grant_o[0]);
            cover ($past(f_sent) && $past(f_count) != '0 && f_pending);
        end
