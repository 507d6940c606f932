// SPDX-License-Identifier: Apache-2.0
// The contract of boc_change, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any row, from any consistent state. A dirty row that is not for the BOC only
    // stays so unless it is saved, killed or gets a result. A row that leaves the window dirty is
    // to be saved; a row that is killed is not in use.
    (* anyconst *) logic [31:0] f_e;
    logic       f_killed, f_freed, f_result, f_moves;
    logic [5:0] f_name;
    always_comb begin
        assume (f_e < Values && 32'(head_i) < Window);
        assume (used_i == (inwin_i | save_i) && ((dirty_i | rsv_i) & ~used_i) == '0 && (empty_i & ~rsv_i) == '0);
        assume (((only_i | save_i) & ~dirty_i) == '0 && (save_i & only_i) == '0 && (saved_i & ~dirty_i) == '0);
        assume ((res_row_i & (res_row_i - 1'b1)) == '0 && (res_kept_i == '0 || (res_done_i && res_kept_i == res_row_i)));
        assume (!(res_free_i && res_kept_i != '0) && (res_slot_i & (res_slot_i - 1'b1)) == '0);
        assume (!res_merge_i || (res_dirty_i && (res_kept_i & ~used_i) == '0));
        assume (!res_only_i || res_dirty_i);
        if (res_kept_i != '0) assume (res_slot_i != '0 || (res_kept_i & used_i) != '0);
        for (int k = 0; k < 6; k = k + 1) f_name[k] = name_i[k*Values + f_e];
        f_killed = kill_valid_i && used_i[f_e] && kill_regs_i[f_name];
        f_freed  = res_done_i && res_free_i && res_row_i[f_e];
        f_result = res_kept_i[f_e];
        f_moves  = moved_i && !f_killed && !f_freed && !f_result && inwin_i[f_e] && at_head_i[f_e];
        assert (killed[f_e] == f_killed);
        if (!f_killed && !f_freed && !f_result && !saved_i[f_e]) begin
            assert (dirty_o[f_e] == dirty_i[f_e] && only_o[f_e] == only_i[f_e]);
            if (!moved_i) assert (inwin_o[f_e] == inwin_i[f_e] && save_o[f_e] == save_i[f_e]);
            if (f_moves) assert (!inwin_o[f_e] && save_o[f_e] == (save_i[f_e] || (dirty_i[f_e] && !only_i[f_e])));
        end
        if ((f_killed && !f_result) || f_freed) assert (!inwin_o[f_e] && !save_o[f_e] && !dirty_o[f_e] && !rsv_o[f_e]);
        if (saved_i[f_e] && !f_result && !f_moves) assert (!save_o[f_e] && !dirty_o[f_e]);
        if (f_result) begin
            assert (dirty_o[f_e] == res_dirty_i && !empty_o[f_e] && !rsv_o[f_e]);
            assert (only_o[f_e] == (res_only_i && (!res_merge_i || only_i[f_e])));
            for (int k = 0; k < 6; k = k + 1)
                assert (name_o[k*Values + f_e] == (res_take_i ? res_reg_i[k] : name_i[k*Values + f_e]));
        end
        cover (f_moves && save_o[f_e] && !save_i[f_e]);
        cover (f_result && res_merge_i && save_o[f_e]);
        cover (f_killed && dirty_i[f_e]);
    end
