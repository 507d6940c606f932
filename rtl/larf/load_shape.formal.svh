// SPDX-License-Identifier: Apache-2.0
// The contract of load_shape, proved by ci/formal, which includes it at the end of the module.
    // Contract: for any lanes and any word, the outputs for a load follow from its input addresses.
    (* anyconst *) logic [LaneBits-1:0] f_lane;
    logic f_past;
    initial f_past = 1'b0;
    logic [3*Lanes*AddrBits-1:0] f_addr;
    logic [3*Lanes-1:0]          f_mask;
    logic [2:0]                  f_valid;
    logic [AddrBits-1:0]         f_a;
    logic                        f_fit, f_here;
    logic [AddrBits+1:0]         f_stride, f_at;
    always_ff @(posedge clk_i) begin
        f_past  <= 1'b1;
        if (!f_past) assume (!rst_ni);
        f_addr  <= {f_addr[2*Lanes*AddrBits-1:0], addr};
        f_mask  <= {f_mask[2*Lanes-1:0], in_mask_i};
        f_valid <= rst_ni ? {f_valid[1:0], in_valid_i} : '0;
    end
    // some stride and base fit all active lanes (tried one by one)
    logic [AddrBits-1:0] f_base;
    always_comb begin
        f_a      = f_addr[2*Lanes*AddrBits + 32'(f_lane)*AddrBits +: AddrBits];
        f_here   = f_mask[2*Lanes + 32'(f_lane)];
        f_base   = out_base_o;
        f_stride = {{(AddrBits-CodeBits){1'b0}}, out_code_o, 2'b00};
        f_at     = {2'b00, f_base} + f_stride * (AddrBits+2)'(f_lane);
        f_fit    = f_at[AddrBits-1:0] == f_a;
    end
    always_comb if (f_past) begin
        assert (out_valid_o == f_valid[2]);
        if (f_valid[2]) assert (out_mask_o == f_mask[2*Lanes +: Lanes]);
        // each active lane has the address that base and stride say
        if (out_ok_o) begin
            assert (out_code_o <= Most && f_mask[2*Lanes +: Lanes] != '0);
            if (f_here) assert (f_fit);
        end
        for (int s = 0; s < 3; s = s + 1)
            if (f_valid[s]) assert (valid_q[s] && mask_q[s*Lanes +: Lanes] == f_mask[s*Lanes +: Lanes]);
            else assert (!valid_q[s]);
        if (f_valid[0]) assert (s1_addr_q == f_addr[0 +: Lanes*AddrBits]);
        cover (out_ok_o && out_code_o == Most && !out_mask_o[0] && out_base_o != '0);
        cover (out_valid_o && !out_ok_o && out_mask_o == '1);
    end
