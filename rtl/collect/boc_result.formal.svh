// SPDX-License-Identifier: Apache-2.0
// The contract of boc_result, proved by ci/formal, which includes it at the end of the module.
    // Contract, from any state in which a register has one row at most.
    (* anyconst *) logic [Values-1:0] f_at_x;
    always_comb begin
        assume (f_at_x != '0 && (f_at_x & (f_at_x - 1'b1)) == '0 && (has & (has - 1'b1)) == '0);
        assume ((~from_i & (~from_i + 1'b1)) == '0 && from_i != '0);
        assume ((dirty_i & ~used_i) == '0 && (clean_i & (~used_i | dirty_i | empty_i)) == '0);
        assume ((empty_i & ~used_i) == '0 && (empty_i & dirty_i) == '0);
        assume (!(none_i && all_i));
        if (homeless_i) assume (mode_i == 2'd2 && write_i == 2'b10);
    end
    always_comb begin
        // one row; a row that it takes was free or clean, free ones first
        assert ((row_o & (row_o - 1'b1)) == '0);
        if (take_o) assert (row_o != '0 && (row_o & (free | clean_i)) != '0 && (free == '0 || (row_o & free) != '0));
        // a result with lanes is kept, written or lost, and lost only where there is no place
        if (valid_i && !none) assert (keep_o || rf_o || homeless_i);
        if (keep_o) assert (row_o != '0 && !free_o);
        // lanes that only the row has stay: a dirty row is overwritten whole, merged into, or its register is written
        // with all lanes
        if (valid_i && !none && (has & dirty_i) != '0 && !all_i) assert (merge_o && !free_o && !rf_o);
        // some lanes are never kept where the others are unknown
        if (keep_o && !full_o) assert (there && (has & empty_i) == '0);
        // no forwarding: it is written, no row changes
        if (mode_i == 2'd3) assert (!keep_o && !free_o && !unrsv_o && (!valid_i || rf_o == !none));
        // for the BOC only: never written
        if (mode_i == 2'd2 && write_i == 2'b10 && awaited && full_o && (there || take_o)) assert (!rf_o && only_o);
        cover (take_o && row_o == f_at_x && (clean_i & f_at_x) != '0);
        cover (merge_o && !awaited);
        cover (valid_i && homeless_i && keep_o && !all_i && !none);
        cover (unrsv_o && free_o);
    end
