// SPDX-License-Identifier: Apache-2.0
// The contract of alloc_count, proved by ci/formal, which includes it at the end of the module.
    // Contract: each count is the number assigned less the number released, slices two cycles
    // later, rows one.
    localparam int F_Count = SliceCountBits;
    function automatic [F_Count-1:0] f_ones(input [3:0] mask);
        f_ones = F_Count'(mask[0]) + F_Count'(mask[1]) + F_Count'(mask[2]) + F_Count'(mask[3]);
    endfunction
    logic                    f_past;
    logic [F_Count-1:0]      f_slices, f_change, f_change_q, f_under_way;
    logic [RegCountBits-1:0] f_regs, f_regs_d;
    initial f_past = 1'b0;
    always_comb begin
        f_under_way = delta_ext - F_Count'(freed_q);
        f_change = '0;
        f_regs_d = f_regs;
        for (int w = 0; w < NumWr; w = w + 1)
            if (moved_i[w]) f_change = f_change + F_Count'(size_i[w*3 +: 3]) - f_ones(old_mask_i[w*4 +: 4]);
        for (int f = 0; f < NumFree; f = f + 1) f_change = f_change - f_ones(free_mask_i[f*4 +: 4]);
        for (int i = 0; i < Banks*NumWr; i = i + 1) f_regs_d = f_regs_d + RegCountBits'(more_i[i]);
        for (int b = 0; b < Banks; b = b + 1) f_regs_d = f_regs_d - RegCountBits'(less_i[b]);
    end
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        f_change_q <= rst_ni ? f_change : '0;
        f_slices   <= rst_ni ? f_slices + f_change_q : '0;
        f_regs     <= rst_ni ? f_regs_d : '0;
    end
    // sizes are 1 to 4
    always_comb for (int w = 0; w < NumWr; w = w + 1) assume (size_i[w*3 +: 3] <= 3'd4);
    always_comb if (f_past) begin
        assert (used_slices_o == f_slices && used_regs_o == f_regs);
        assert (f_change_q == f_under_way);     // (invariant)
        cover (used_slices_o == F_Count'(5) && used_regs_o == RegCountBits'(2));
    end
