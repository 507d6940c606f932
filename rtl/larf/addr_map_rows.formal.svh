// SPDX-License-Identifier: Apache-2.0
// The contract of addr_map_rows, proved by ci/formal, which includes it at the end of the module.
    // Contract: the bank is the window's number modulo 3. The row is the number's bits in pieces of
    // a row number, folded. The rows beside it are those of the numbers below and above.
    logic [WinBits-1:0] f_below, f_above;
    logic [RowW-1:0]    f_row, f_row_below, f_row_above;
    always_comb begin
        f_below     = window_i - 1'b1;
        f_above     = window_i + 1'b1;
        f_row       = '0;
        f_row_below = '0;
        f_row_above = '0;
        for (int b = 0; b < RowBits * WinBits; b = b + 1) begin
            f_row[b % RowW]       = f_row[b % RowW] ^ (b < WinBits && window_i[b % WinBits]);
            f_row_below[b % RowW] = f_row_below[b % RowW] ^ (b < WinBits && f_below[b % WinBits]);
            f_row_above[b % RowW] = f_row_above[b % RowW] ^ (b < WinBits && f_above[b % WinBits]);
        end
        assert (bank_o == 2'(window_i % 3));
        assert (row_o == f_row && below_o == f_row_below && above_o == f_row_above);
        assert (low_o == (window_i != '0));
        cover (bank_o == 2'd2 && row_o == '1);
        cover (!low_o);
    end
