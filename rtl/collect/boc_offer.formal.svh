// SPDX-License-Identifier: Apache-2.0
// The contract of boc_offer, proved by ci/formal, which includes it at the end of the module.
    // Contract, from any state whose row numbers exist, for any slot f_s.
    (* anyconst *) logic [SlotBits-1:0] f_s;
    logic [NumOps*ValueBits-1:0] f_src;
    logic [Window-1:0]           f_at_s;
    logic                        f_waits;
    assign f_at_s  = Window'(1) << f_s;
    assign f_waits = (wait_i & f_at_s) != '0;
    always_comb begin
        f_src = '0;
        for (int s = 0; s < Window; s = s + 1)
            if (f_s == SlotBits'(s)) f_src = src_i[s*NumOps*ValueBits +: NumOps*ValueBits];
        assume (f_s < Window && head_i < Window);
        for (int i = 0; i < Window*NumOps; i = i + 1) assume (src_i[i*ValueBits +: ValueBits] < Values);
        for (int s = 0; s < Window; s = s + 1) assume (unit_i[s*UnitBits +: UnitBits] < NumDisp);
        assume ((only_i & ~dirty_i) == '0 && (save_i & ~dirty_i) == '0 && (save_i & only_i) == '0);
    end
    always_comb begin
        // an offered instruction waits, and none of its operands is pending
        if (offer_o && slot_o == f_s) begin
            assert (f_waits && src_o == f_src);
            for (int o = 0; o < NumOps; o = o + 1)
                if (need_o[o]) begin
                    assert ((pending_i >> f_src[o*ValueBits +: ValueBits] & Values'(1)) == '0);
                    assert ((needed_o >> f_src[o*ValueBits +: ValueBits] & Values'(1)) != '0);
                end
            for (int s = 0; s < Window; s = s + 1)
                if (f_s == SlotBits'(s)) assert (follow_i[s*Window +: Window] == '0);
        end
        // the save: one dirty row that is not for the BOC only, a marked one before others; never both on the last read
        assert ((save_one_o & (save_one_o - 1'b1)) == '0 && (save_one_o & ~dirty_i) == '0);
        assert ((save_one_o & only_i) == '0);
        if (save_i != '0) assert ((save_one_o & save_i) != '0);
        assert (!(save_o && offer_o && need_o[NumOps-1]));
        // no request waits forever: it is offered now or, held back once, in the next cycle
        if (saving_o && held_i) assert (save_o);
        if (ready != '0 && !held_i) assert (offer_o);
        cover (offer_o && save_o && slot_o != head_i);
        cover (saving_o && !save_o);
        cover (saving_o && save_i == '0 && !pressed_i && only_i != '0);
    end
