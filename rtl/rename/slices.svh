// SPDX-License-Identifier: Apache-2.0
// Slices of a row, which is four of them: functions that the parts of alloc_bank share.
    function automatic [2:0] ones(input [3:0] mask);
        ones = (3'(mask[0]) + 3'(mask[1])) + (3'(mask[2]) + 3'(mask[3]));
    endfunction
    // At least n slices, n = 1..4 (n = 4: bit 2 set).
    function automatic many(input [3:0] free, input [2:0] n);
        case (n)
        3'd1:    many = free != '0;
        3'd2:    many = (free[0] && free[1]) || (free[2] && free[3]) ||
                        ((free[0] || free[1]) && (free[2] || free[3]));
        3'd3:    many = (free[0] && free[1] && (free[2] || free[3])) ||
                        (free[2] && free[3] && (free[0] || free[1]));
        default: many = free == '1;
        endcase
    endfunction
    // The n slices at the left, right end, n = 1..3.
    function automatic [3:0] at_end(input left, input [2:0] n);
        at_end = left ? {1'b1, n != 3'd1, n == 3'd3, 1'b0} : {1'b0, n == 3'd3, n != 3'd1, 1'b1};
    endfunction
    // The lowest n slices of a mask.
    function automatic [3:0] lowest(input [3:0] mask, input [2:0] n);
        integer i;
        for (i = 0; i < 4; i = i + 1)
            lowest[i] = mask[i] && ones(mask & ((4'd1 << i) - 4'd1)) < n;
    endfunction
