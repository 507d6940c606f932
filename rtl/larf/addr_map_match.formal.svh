// SPDX-License-Identifier: Apache-2.0
// The contract of addr_map_match, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any slot and port: it matches in the cycle after a register arrives exactly if
    // it holds that register then. The match is announced two cycles later.
    (* anyconst *) logic [31:0] f_slot;
    (* anyconst *) logic [31:0] f_port;
    logic               f_past, f_rel, f_arr, f_rel2, f_arr2, f_rel3, f_arr3;
    logic [PhyBits-1:0] f_rel_phys, f_arr_phys, f_holds;
    initial f_past = 1'b0;
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        {f_rel3, f_rel2, f_rel} <= rst_ni ? {f_rel2, f_rel, rel_valid_i} : 3'd0;
        {f_arr3, f_arr2, f_arr} <= rst_ni ? {f_arr2, f_arr, arr_valid_i[f_port]} : 3'd0;
        f_rel_phys <= rel_phys_i;
        f_arr_phys <= arr_phys_i[f_port*PhyBits +: PhyBits];
    end
    always_comb begin
        assume (f_slot < Slots && f_port < NumWr && (new_slot_i & (new_slot_i - 1'b1)) == '0);
        for (int p = 0; p < PhyBits; p = p + 1) f_holds[p] = new_slot_i[f_slot] ? new_phys_i[p] : id_i[p*Slots + f_slot];
        if (f_past) begin
            assert (rel_match_o[f_slot] == (f_rel && f_holds == f_rel_phys));
            if (f_arr && f_holds == f_arr_phys) assert (arr_match_o[f_slot]);
            if (arr_match_o[f_slot] && NumWr == 1) assert (f_arr && f_holds == f_arr_phys);
            assert (rel1_q == f_rel && rel2_q == f_rel2 && rel_done_o == f_rel3);
            assert (arr1_q[f_port] == f_arr && arr2_q[f_port] == f_arr2 && arr_done_o[f_port] == f_arr3);
            assert (rel1_phys_q == f_rel_phys && arr1_phys_q[f_port*PhyBits +: PhyBits] == f_arr_phys);
            cover (rel_done_o && arr_done_o[f_port]);
            cover (rel_match_o[f_slot] && new_slot_i[f_slot]);
        end
    end
