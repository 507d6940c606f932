// SPDX-License-Identifier: Apache-2.0
// The contract of boc, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any two rows f_x, f_y: a register has one row; states of rows fit together; a
    // dirty row is not lost. A row for the BOC only is never saved.
    (* anyconst *) logic [ValueBits-1:0] f_x;
    (* anyconst *) logic [ValueBits-1:0] f_y;
    (* anyconst *) logic [1:0]           f_mode;
    logic [Values-1:0] f_at_x, f_at_y;
    logic [5:0]        f_name_x, f_name_y;
    logic              f_past, f_was, f_ends;
    initial f_past = 1'b0;
    always_comb begin
        assume (f_x < Values && f_y < Values && f_x != f_y && mode_i == f_mode);
        f_at_x = Values'(1) << f_x;
        f_at_y = Values'(1) << f_y;
        for (int k = 0; k < 6; k = k + 1) begin
            f_name_x[k] = (name_q[k*Values +: Values] & f_at_x) != '0;
            f_name_y[k] = (name_q[k*Values +: Values] & f_at_y) != '0;
        end
        // environment: see the contract, "Never driven"
        assume (head_q < Window && read_q < Values && from_q < Values);
        assume (next_q != '0 && (next_q & (next_q - 1'b1)) == '0);
        assume (!(save_done_i && !save_o) && !(disp_leave_i && !offer_o) && !(res_done && !res_valid_i));
        assume (!(res_none_i && res_all_i) && in_words_i <= 3'd4);
        if (res_homeless_i) assume (mode_i == 2'd2 && res_write_i == 2'b10);
        assume (!(res_valid_i && (res_row & (needed | pending)) != '0));
        assume (!obs_en_i);
    end
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        // a row that the register file must receive, and events that end that
        f_was  <= rst_ni && !drop_i && (dirty_q & ~only_q & f_at_x) != '0;
        f_ends <= ((saved | (res_done ? res_row : '0)) & f_at_x) != '0 ||
                  (kill_valid_i && (used & f_at_x) != '0 && kill_regs_i[f_name_x]);
    end
    always_comb if (f_past) begin
        assert ((dirty_q & ~used) == '0 && (ask_q & ~used) == '0 && (rsv_q & ~used) == '0);
        assert ((only_q & ~dirty_q) == '0 && (save_q & ~dirty_q) == '0 && (save_q & only_q) == '0);
        assert ((empty_q & (~rsv_q | dirty_q)) == '0);
        if (f_mode != 2'd3 && (used & f_at_x) != '0 && (used & f_at_y) != '0) assert (f_name_x != f_name_y);
        if (f_was && !f_ends) assert ((dirty_q & ~only_q & f_at_x) != '0);
        if (save_o) assert ((save_one & ~(dirty_q & ~only_q)) == '0);
        assert ((taken & dirty_q & ~only_q) == '0);
    end
    always_comb begin
        cover (f_past && save_o && save_one == f_at_x && (inwin_q & f_at_x) == '0);
        cover (f_past && hit_o != '0 && in_valid_i);
    end
