// SPDX-License-Identifier: Apache-2.0
// The contract of alloc_hints, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any kernel slot and register: each port answers a query after one cycle with
    // the hint loaded last since the slot was cleared.
    (* anyconst *) logic [KernelBits-1:0] f_k;
    (* anyconst *) logic [RegBits-1:0]    f_r;
    (* anyconst *) logic [1:0]            f_w;
    logic                  f_past, f_pair, f_asked, f_was_pair, f_any;
    logic [1:0]            f_align, f_was_align;
    logic [5:0]            f_buddy, f_was_buddy;
    logic [SlotBits-1:0]   f_slot;
    initial f_past = 1'b0;
    assign f_slot = SlotBits'({f_k, f_r});
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        if (!rst_ni) begin
            f_pair  <= 1'b0;
            f_align <= '0;
        end else if (hl_valid_i && hl_kernel_i == f_k) begin
            if (hl_op_i == 2'd0) begin
                f_pair  <= 1'b0;
                f_align <= '0;
            end
            if (hl_reg_i[RegBits-1:0] == f_r && hl_op_i == 2'd1) begin
                f_pair  <= 1'b1;
                f_buddy <= hl_value_i;
            end
            if (hl_reg_i[RegBits-1:0] == f_r && hl_op_i == 2'd2) f_align <= hl_value_i[1:0];
        end
        f_any       <= rst_ni && hq_valid_i[f_w];
        f_asked     <= rst_ni && hq_valid_i[f_w] && KernelBits'(hq_kernel_i >> f_w * KernelBits) == f_k &&
                       RegBits'(hq_reg_i >> f_w * 6) == f_r;
        f_was_pair  <= f_pair;
        f_was_buddy <= f_buddy;
        f_was_align <= f_align;
    end
    always_comb begin
        assume (f_k < NumKernels && f_w < NumAlloc && obs_slot_i == 9'(f_slot));
        if (hl_valid_i) assume (hl_kernel_i < NumKernels);
        for (int w = 0; w < NumAlloc; w = w + 1)
            assume (hq_kernel_i[w*KernelBits +: KernelBits] < NumKernels);
        if (f_past) begin
            assert (ha_valid_o[f_w] == f_any);
            if (!f_any) assert (!ha_pair_o[f_w]);
            if (f_asked) begin
                assert (ha_pair_o[f_w] == f_was_pair && 2'(ha_align_o >> f_w * 2) == f_was_align);
                if (f_was_pair) assert (6'(ha_buddy_o >> f_w * 6) == f_was_buddy);
            end
            assert (obs_hint_o[2:0] == {f_pair, f_align});
            assert (obs_hint_o[8:3] == (f_pair ? f_buddy : '0));
        end
        cover (f_past && f_asked && f_was_pair && f_was_align == 2'd2 && f_was_buddy == 6'd5);
        cover (f_past && f_asked && !f_was_pair && f_pair);
    end
