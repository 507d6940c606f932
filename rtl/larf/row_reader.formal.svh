// SPDX-License-Identifier: Apache-2.0
// The contract of row_reader, proved by ci/formal, which includes it at the end of the module.
    // Contract: rows arrive in the order of the grants; merge_unit receives the rows that arrived
    // for its registers.
    (* anyconst *) logic [PhyBits-1:0] f_phys;      // any register, whose row is always f_row
    (* anyconst *) logic [Row-1:0]     f_row;
    logic f_past;
    initial f_past = 1'b0;
    always_ff @(posedge clk_i) f_past <= 1'b1;
    // the file: requested registers return in order; the row of f_phys is f_row
    logic [3*PhyBits-1:0] f_fly_q, f_fly_d;
    always @* begin
        f_fly_d = comes ? f_fly_q >> PhyBits : f_fly_q;
        if (rd_valid_o && rd_grant_i) begin
            if (fly_q - 2'(comes) == 2'd0) f_fly_d[0 +: PhyBits] = rd_phys_o;
            if (fly_q - 2'(comes) == 2'd1) f_fly_d[PhyBits +: PhyBits] = rd_phys_o;
            if (fly_q - 2'(comes) == 2'd2) f_fly_d[2*PhyBits +: PhyBits] = rd_phys_o;
        end
        if (!f_past) assume (!rst_ni);
        assume (!mg_valid_i || mg_use_i[0]);
        assume (!back_valid_i || fly_q != 2'd0);
        if (back_valid_i && f_fly_q[0 +: PhyBits] == f_phys) assume (back_row_i == f_row);
    end
    always_ff @(posedge clk_i) f_fly_q <= f_fly_d;
    integer f_mine;
    always @* if (f_past) begin
        assert (32'(count_q) <= Queue && fly_q <= 2'd3);
        for (int i = 0; i < Queue; i = i + 1) if (CntBits'(i) < count_q) assert (merge_q[i*Merge]);
        assert ((come_q & ~asked_q) == 2'b00 && (asked_q & ~use_is) == 2'b00);
        if (!qu_q) assert (!qu_asked_q && !qu_come_q && !qu_void_q);
        if (qu_come_q) assert (qu_asked_q && !qu_void_q);
        if (qu_void_q) assert (qu_asked_q);
        // each read in flight was requested and has not arrived, and none is there twice
        assert (32'(fly_q) == 32'(asked_q[0] && !come_q[0]) + 32'(asked_q[1] && !come_q[1]) + 32'(qu_asked_q && !qu_come_q));
        for (int i = 0; i < 3; i = i + 1)
            if (2'(i) < fly_q) begin
                assert (who_q[2*i +: 2] != 2'd3);
                if (who_q[2*i +: 2] == 2'd0) assert (asked_q[0] && !come_q[0] && f_fly_q[i*PhyBits +: PhyBits] == phys0);
                if (who_q[2*i +: 2] == 2'd1) assert (asked_q[1] && !come_q[1] && f_fly_q[i*PhyBits +: PhyBits] == phys1);
                if (who_q[2*i +: 2] == 2'd2) assert (qu_asked_q && !qu_come_q && f_fly_q[i*PhyBits +: PhyBits] == qu_phys_q);
                for (int j = 0; j < i; j = j + 1) assert (who_q[2*i +: 2] != who_q[2*j +: 2]);
            end
        if (come_q[0] && phys0 == f_phys) assert (row_q[0 +: Row] == f_row);
        if (come_q[1] && phys1 == f_phys) assert (row_q[Row +: Row] == f_row);
        if (qu_come_q && qu_phys_q == f_phys) assert (row_q[2*Row +: Row] == f_row);
        // rows that are passed on, and registers that are unpinned
        if (op_valid_o[0] && phys0 == f_phys) assert (op_row_o[0 +: Row] == f_row);
        if (op_valid_o[1] && phys1 == f_phys) assert (op_row_o[Row +: Row] == f_row);
        if (an_valid_o && qu_phys_q == f_phys) assert (an_row_o == f_row);
        if (un_valid_o) assert (back_valid_i && un_phys_o == f_fly_q[0 +: PhyBits]);
        // a merge precedes a question
        if (rd_valid_o && use_is != 2'b00 && (use_is & ~asked_q) != 2'b00) assert (!wants_qu);
        cover (op_valid_o == 2'b11 && phys0 != phys1 && an_valid_o);
        cover (qu_void_q && op_valid_o == 2'b01);
    end
