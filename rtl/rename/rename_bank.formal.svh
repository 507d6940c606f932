// SPDX-License-Identifier: Apache-2.0
// The contract of rename_bank, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any row f_row and any request: a cycle serves at most two requests, at most one
    // of which writes. Only a valid request is served, and none is refused while a port is idle. In
    // the next cycle a served lookup gets the mapping set last and whether the row is mapped.
    (* anyconst *) logic [RowBits-1:0]          f_row;
    (* anyconst *) logic [$clog2(NumAsk):0]     f_l;
    (* anyconst *) logic [$clog2(NumLook):0]    f_k;
    logic               f_past, f_mapped, f_up, f_frees, f_due, f_due_a, f_look_due, f_look_due_a;
    logic [MapBits-1:0] f_map, f_new;
    logic [3:0]         f_asks, f_looks, f_writes;
    logic [RowBits-1:0] f_ask_row, f_look_row;
    initial f_past = 1'b0;
    assign f_ask_row  = RowBits'({dst_row_i, src_row_i} >> f_l * RowBits);
    assign f_look_row = RowBits'({dst_row_i, bd_row_i} >> f_k * RowBits);
    always_comb begin
        f_asks   = '0;
        f_looks  = '0;
        f_writes = 4'(fr_win_o) + 4'(walk_take_o);
        f_new    = '0;
        f_up     = 1'b0;
        for (int l = 0; l < NumAsk; l = l + 1) f_asks = f_asks + 4'(ask_win_o[l]);
        for (int l = 0; l < NumLook; l = l + 1) f_looks = f_looks + 4'(look_win_o[l]);
        for (int w = 0; w < NumWr; w = w + 1) begin
            f_writes = f_writes + 4'(up_win_o[w]);
            if (up_win_o[w] && up_row_i[w*RowBits +: RowBits] == f_row) begin
                f_up  = 1'b1;
                f_new = f_new | up_map_i[w*MapBits +: MapBits];
            end
        end
        f_frees = (fr_win_o && fr_row_i == f_row) || (walk_take_o && walk_row_i == f_row);
    end
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        f_mapped <= rst_ni && (f_up || (f_mapped && !f_frees));
        if (f_up) f_map <= f_new;
        f_due        <= rst_ni && ask_win_o[f_l] && f_ask_row == f_row;
        f_due_a      <= ask_win_a_o[f_l];
        f_look_due   <= rst_ni && look_win_o[f_k] && f_look_row == f_row;
        f_look_due_a <= look_win_a_o[f_k];
    end
    // rows exist; a walk asks while there is one, and may have port A only for it
    always_comb begin
        assume (32'(f_row) < Rows && 32'(f_l) < NumAsk && 32'(f_k) < NumLook && obs_row_i == f_row);
        assume (32'(fr_row_i) < Rows && 32'(walk_row_i) < Rows && !(walk_ask_i && !walk_i));
        for (int l = 0; l < NumSrc; l = l + 1) assume (32'(src_row_i[l*RowBits +: RowBits]) < Rows);
        for (int a = 0; a < NumAlloc; a = a + 1) assume (32'(dst_row_i[a*RowBits +: RowBits]) < Rows);
        for (int w = 0; w < NumWr; w = w + 1)
            assume (32'(up_row_i[w*RowBits +: RowBits]) < Rows && 32'(bd_row_i[w*RowBits +: RowBits]) < Rows);
    end
    always_comb if (f_past) begin
        // served requests
        assert ((ask_win_o & ~ask_i) == '0 && (look_win_o & ~look_i) == '0 && (up_win_o & ~up_i) == '0 && !(fr_win_o && !fr_i));
        assert ((ask_win_a_o & ~ask_win_o) == '0 && (look_win_a_o & ~look_win_o) == '0);
        assert (f_writes <= 4'd1 && f_asks + f_looks + f_writes <= 4'd2);
        assert ((up_i == '0) == (up_win_o == '0));
        if (fr_i) assert (fr_win_o || up_i != '0);
        if ((look_i & ~look_win_o) != '0) assert (f_looks + 4'(up_win_o != '0) + 4'(fr_win_o) == 4'd2);
        if ((ask_i & ~ask_win_o) != '0) assert (f_asks + f_looks + f_writes == 4'd2 && !walk_take_o);
        // stored state: mapped or not, and the mapping set last
        assert (obs_live_o == f_mapped);
        if (f_mapped) assert (obs_map_o == f_map);
        if (fr_win_o && fr_row_i == f_row) assert (fr_live_o == f_mapped);
        // answers
        if (f_due) begin
            assert (live_o[!f_due_a] == f_mapped);
            if (f_mapped) assert ((f_due_a ? map_o[MapBits-1:0] : map_o[2*MapBits-1 -: MapBits]) == f_map);
        end
        if (f_look_due) begin
            assert (live_o[!f_look_due_a] == f_mapped);
            if (f_mapped) assert ((f_look_due_a ? map_o[MapBits-1:0] : map_o[2*MapBits-1 -: MapBits]) == f_map);
        end
        cover (f_due && f_mapped && f_map == '1 && !f_due_a);
        cover (f_look_due && f_look_due_a && f_mapped);
        cover (walk_take_o && f_looks == 4'd1 && f_frees && f_mapped);
    end
