// SPDX-License-Identifier: Apache-2.0
// The contract of addr_map_stores, proved by ci/formal, which includes it at the end of the module.
    // Contract: at most four stores; a flush leaves nothing. Steps are of classes that were
    // entered, one at a time, and not beside a look-up. A load that shares a line with a store that
    // waits is touched.
    logic f_past;
    initial f_past = 1'b0;
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        if (f_past && $past(rst_ni) && rst_ni && $past(flush_i)) assert (count_q == '0 && todo_q == '0);
        // a store that waits touches loads from the cycle after its arrival
        if (f_past && $past(rst_ni && st_valid_i && st_ready_o && !flush_i && count_q == '0))
            assert (count_q == 3'd1 && (touched_o || look_base_i > $past(st_low_i) || look_last_i < $past(st_low_i)));
    end
    always_comb begin
        assume (st_low_i[AddrBits-1:LineBits] == st_high_i[AddrBits-1:LineBits] && st_low_i <= st_high_i);
        if (f_past) begin
            assert (count_q <= 3'(Depth) && st_ready_o == (count_q != 3'(Depth)));
            if (todo_q != '0) assert (count_q != '0);
            for (int i = 0; i < Depth; i = i + 1)
                if (3'(i) < count_q) assert (low_q[i*AddrBits +: LineBits] <= last_q[i*LineBits +: LineBits]);
            assert ((step_class_o & (step_class_o - Classes'(1))) == '0);
            if (step_go_o) assert (!lk_go_i && step_class_o != '0 && step_low_o <= step_high_o);
            if (count_q == '0) assert (!touched_o && !step_go_o);
            cover (step_go_o && step[1]);
            cover (count_q == 3'(Depth));
        end
    end
