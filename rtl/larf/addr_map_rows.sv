// SPDX-License-Identifier: Apache-2.0
// Purpose:    rows of the entries of a window, of the window below and of the one above. Three
//             consecutive windows are in three banks. Part of addr_map_table.
// Parameters: RowBits, 0..6: log2 of the rows of a bank; WinBits, 2..28: of the number of a window.
// Timing:     combinational.
// Reset:      -
// Left out:   banks of the windows beside it: the previous and the next one, modulo 3.
// Shapes:     - ; RowBits=0,WinBits=6 ; RowBits=1,WinBits=6 ; RowBits=6
// Proof:      1:1:RowBits=1,WinBits=6
// Proof:      1:1:RowBits=3,WinBits=8

module addr_map_rows #(
    parameter int RowBits = 4,
    parameter int WinBits = 28,
    localparam int RowW   = RowBits > 0 ? RowBits : 1
) (
    input  logic [WinBits-1:0] window_i,
    // number of the window modulo 3
    output logic [1:0]         bank_o,
    // its bits, folded
    output logic [RowW-1:0]    row_o,
    output logic [RowW-1:0]    below_o,
    output logic [RowW-1:0]    above_o,
    // there is a window below
    output logic               low_o
);

    localparam int Digits = 1 << $clog2((WinBits + 1) / 2);  // base 4, a power of two

    // Sum of two digits modulo 3; as an input 3 counts as 0.
    function automatic [1:0] add3(input [1:0] x, input [1:0] y);
        logic x0, y0;
        begin
            x0   = x[1] == x[0];
            y0   = y[1] == y[0];
            add3 = {(x == 2'd2 && y0) || (x0 && y == 2'd2) || (x == 2'd1 && y == 2'd1),
                    (x == 2'd1 && y0) || (x0 && y == 2'd1) || (x == 2'd2 && y == 2'd2)};
        end
    endfunction
    function automatic [RowW-1:0] fold(input [WinBits-1:0] n);
        integer b;
        begin
            fold = '0;
            if (RowBits > 0)
                for (b = 0; b < WinBits; b = b + RowW) fold = fold ^ RowW'(n >> b);
        end
    endfunction
    // n ^ (n - 1), n ^ (n + 1): the bits up to the lowest set bit, up to the lowest clear bit. Both
    // windows beside n derive from these.
    function automatic [WinBits-1:0] borrow(input [WinBits-1:0] n);
        integer s;
        begin
            borrow = n;
            for (s = 1; s < WinBits; s = s * 2) borrow = borrow | borrow << s;
            borrow = ~(borrow << 1);
        end
    endfunction

    // Digits in base 4 are added in pairs: a tree.
    logic [2*Digits-1:0] digits;
    always @* begin
        digits = (2*Digits)'(window_i);
        for (int s = Digits / 2; s > 0; s = s / 2)
            for (int b = 0; b < s; b = b + 1) digits[2*b +: 2] = add3(digits[4*b +: 2], digits[4*b+2 +: 2]);
    end
    assign bank_o  = digits[1:0];
    assign row_o   = fold(window_i);
    assign below_o = row_o ^ fold(borrow(window_i));
    assign above_o = row_o ^ fold(borrow(~window_i));
    assign low_o   = window_i != '0;
endmodule
