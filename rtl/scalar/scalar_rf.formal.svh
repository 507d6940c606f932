// SPDX-License-Identifier: Apache-2.0
// The contract of scalar_rf, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any word: it holds the value written last. A read delivers the value before its
    // cycle, and an answer stays while en_i is low.
    (* anyconst *) logic [RowBits-1:0] f_row;
    (* anyconst *) logic               f_bank;
    logic        f_past, f_known, f_read;
    logic [31:0] f_value, f_expect;
    initial {f_past, f_known, f_read} = '0;
    logic [RowBits-1:0] f_raddr, f_waddr;
    assign f_raddr = f_bank ? rd_addr_i[RowBits +: RowBits] : rd_addr_i[0 +: RowBits];
    assign f_waddr = f_bank ? wr_addr_i[RowBits +: RowBits] : wr_addr_i[0 +: RowBits];
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!rst_ni) f_read <= 1'b0;
        else if (en_i) begin
            f_read   <= rd_valid_i[f_bank] && f_raddr == f_row && f_known;
            f_expect <= f_value;
            if (wr_valid_i[f_bank] && f_waddr == f_row) begin
                f_known <= 1'b1;
                f_value <= f_bank ? wr_data_i[63:32] : wr_data_i[31:0];
            end
        end
    end
    always @* begin
        assume (32'(f_row) < Rows);
        assume (obs_addr_i == {{(31-RowBits){1'b0}}, f_row, f_bank});
        for (int b = 0; b < 2; b = b + 1) begin
            if (rd_valid_i[b]) assume (32'(rd_addr_i[b*RowBits +: RowBits]) < Rows);
            if (wr_valid_i[b]) assume (32'(wr_addr_i[b*RowBits +: RowBits]) < Rows);
        end
        if (!f_past) assume (!rst_ni);
        if (f_past && f_known) assert (obs_data_o == f_value);
        if (f_past && f_read)
            assert (rd_data_valid_o[f_bank] && (f_bank ? rd_data_o[63:32] : rd_data_o[31:0]) == f_expect);
    end
    always_ff @(posedge clk_i)
        if (f_past && $past(rst_ni))
            assert (rd_data_valid_o == ($past(en_i) ? $past(rd_valid_i) : $past(rd_data_valid_o)));
    always_ff @(posedge clk_i)
        if (f_past && rst_ni) begin
            cover (f_read && f_value != f_expect);
            cover (f_read && !en_i && $past(!en_i));
        end
