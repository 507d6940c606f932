// SPDX-License-Identifier: Apache-2.0
// The contract of md_cache, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any line and field: the line is present from its fill until it makes room. Its
    // field holds the value filled or written last. Ghost: one line and one of its fields, chosen
    // once.
    (* anyconst *) logic [17:0] f_line;
    (* anyconst *) logic [6:0]  f_field;
    logic        f_past, f_there, f_dirty;
    logic [1:0]  f_value;
    logic [7:0]  f_bit;
    logic        f_leaves;
    assign f_bit    = {f_field, 1'b0};
    assign f_leaves = evicts && f_there && vic_line == f_line;
    initial {f_past, f_there} = '0;
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!rst_ni) f_there <= 1'b0;
        else if (fill_valid_i && fill_line_i == f_line) begin
            f_there <= 1'b1;
            f_dirty <= 1'b0;
            f_value <= fill_data_i[f_bit +: 2];
        end else if (f_leaves) f_there <= 1'b0;
        else if (req_valid_i && req_write_i && req_line_i == f_line && f_there) begin
            f_dirty <= 1'b1;
            if (req_field_i == f_field) f_value <= req_value_i;
        end
    end
    always @* begin
        if (!f_past) assume (!rst_ni);
        assume (!(req_valid_i && fill_valid_i));
        if (fill_valid_i) begin
            assume (!full);
            for (int i = 0; i < Lines; i = i + 1) assume (!valid_q[i] || line_q[i*18 +: 18] != fill_line_i);
        end
        assume (obs_addr_i == 32'hffff_0000);
    end
    logic f_here;  // a way holds the line
    always @* begin
        f_here = 1'b0;
        if (f_past) begin
            for (int i = 0; i < Lines; i = i + 1) begin
                assert (32'(age_q[i*WayBits +: WayBits]) < Ways);
                for (int j = 0; j < i; j = j + 1)
                    if (i / Ways == j / Ways) begin
                        assert (age_q[i*WayBits +: WayBits] != age_q[j*WayBits +: WayBits]);
                        if (valid_q[i] && valid_q[j]) assert (line_q[i*18 +: 18] != line_q[j*18 +: 18]);
                    end
                if (valid_q[i] && Sets > 1) assert (line_q[i*18 +: SetBits] == SetBits'(i / Ways));
                if (valid_q[i] && line_q[i*18 +: 18] == f_line) begin
                    f_here = 1'b1;
                    assert (bytes_q[i][f_bit +: 2] == f_value && dirty_q[i] == f_dirty);
                end
            end
            assert (f_here == f_there);
        end
    end
    always_ff @(posedge clk_i)
        if (f_past && $past(rst_ni) && rst_ni) begin
            assert (ans_valid_o == $past(req_valid_i));
            if ($past(req_valid_i) && $past(req_line_i) == f_line) begin
                assert (ans_hit_o == $past(f_there));
                if (ans_hit_o && $past(req_field_i) == f_field) assert (ans_value_o == $past(f_value));
            end
            // nothing that was written is lost
            if ($past(f_leaves) && $past(f_dirty))
                assert (vic_valid_o && vic_line_o == f_line && vic_data_o[f_bit +: 2] == $past(f_value));
            // the line used last never makes room when there is another
            if (Ways > 1 && $past(f_leaves)) assert (!f_last);
        end
    logic f_last;  // the line was the last used of its set when the look-up arrived
    always_ff @(posedge clk_i) begin
        f_last <= 1'b0;
        for (int i = 0; i < Lines; i = i + 1)
            if (valid_q[i] && line_q[i*18 +: 18] == f_line && age_q[i*WayBits +: WayBits] == '0) f_last <= 1'b1;
    end
    always_ff @(posedge clk_i)
        if (f_past && rst_ni) begin
            cover (vic_valid_o && vic_line_o == f_line && f_past);
            cover (ans_hit_o && ans_value_o == 2'd2);
        end
