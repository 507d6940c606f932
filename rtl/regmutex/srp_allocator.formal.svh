// SPDX-License-Identifier: Apache-2.0
// The contract of srp_allocator, proved by ci/formal, which includes it at the end of the module.
    logic f_past;
    initial f_past = 1'b0;
    always_ff @(posedge clk_i) f_past <= 1'b1;
    function automatic [CountBits:0] ones(input [Warps-1:0] v);
        integer i;
        ones = '0;
        for (i = 0; i < Warps; i = i + 1) ones = ones + {{CountBits{1'b0}}, v[i]};
    endfunction
    // sections in the pool, as loaded
    logic [CountBits:0] f_pool;
    always_ff @(posedge clk_i)
        if (!rst_ni) f_pool <= '0;
        else if (cfg_valid_i)
            f_pool <= (cfg_paired_i && 32'(cfg_sections_i) > Pairs) ? (CountBits+1)'(Pairs) : {1'b0, cfg_sections_i};
    always @* begin
        assume (32'(cfg_sections_i) <= Warps);
        for (int r = 0; r < NumReq; r = r + 1) begin
            assume (32'(acq_warp_i[r*WarpBits +: WarpBits]) < Warps);
            assume (32'(rel_warp_i[r*WarpBits +: WarpBits]) < Warps);
            if (acq_valid_i[r]) begin
                assume (!exit_mask_i[32'(acq_warp_i[r*WarpBits +: WarpBits])]);
                for (int q = 0; q < NumReq; q = q + 1)
                    assume (!rel_valid_i[q] || rel_warp_i[q*WarpBits +: WarpBits] != acq_warp_i[r*WarpBits +: WarpBits]);
            end
        end
        for (int l = 0; l < NumLook; l = l + 1) assume (32'(lk_warp_i[l*WarpBits +: WarpBits]) < Warps);
        if (!f_past) assume (!rst_ni);
    end
    logic             f_held;
    logic [Warps-1:0] f_gone;
    always @*
        if (f_past) begin
            for (int x = 0; x < Warps; x = x + 1) begin
                // no two warps share a section; a holder's section exists and is taken
                for (int y = 0; y < x; y = y + 1)
                    if (status_q[x] && status_q[y])
                        assert (lut_q[x*WarpBits +: WarpBits] != lut_q[y*WarpBits +: WarpBits]);
                if (status_q[x])
                    assert (32'(lut_q[x*WarpBits +: WarpBits]) < Warps && srp_q[lut_q[x*WarpBits +: WarpBits]] &&
                            32'(lut_q[x*WarpBits +: WarpBits]) < 32'(f_pool));
                if (!status_q[x]) assert (lut_q[x*WarpBits +: WarpBits] == '0);
                if (paired_q && status_q[x]) assert (32'(lut_q[x*WarpBits +: WarpBits]) == x / 2);
                if (x >= 32'(f_pool)) assert (srp_q[x]);
            end
            if (paired_q) assert (32'(f_pool) <= Pairs);
            // conservation: sections not taken and sections held are the pool
            assert (ones(~srp_q) + ones(status_q) == f_pool);
            // progress, first part: a section of the pool that is taken is held by a warp
            for (int s = 0; s < Warps; s = s + 1) begin
                f_held = 1'b0;
                for (int x = 0; x < Warps; x = x + 1)
                    if (status_q[x] && 32'(lut_q[x*WarpBits +: WarpBits]) == s) f_held = 1'b1;
                if (s < 32'(f_pool)) assert (srp_q[s] == f_held);
            end
            // second part: at every port an acquire is refused only if each section (paired: the
            // pair's) is taken. Such a warp or an earlier port of this cycle takes it.
            f_gone = srp_q;
            for (int r = 0; r < NumReq; r = r + 1) begin
                if (acq_valid_i[r] && !cfg_valid_i && !acq_grant_o[r])
                    assert (paired_q ? f_gone[acq_warp_i[r*WarpBits +: WarpBits] >> 1] : f_gone == '1);
                if (acq_grant_o[r]) f_gone = f_gone | bit_of(acq_section_o[r*WarpBits +: WarpBits]);
            end
            if (acq_valid_i[0] && !cfg_valid_i && status_q[acq_warp_i[0 +: WarpBits]])
                assert (acq_grant_o[0] && acq_section_o[0 +: WarpBits] ==
                        lut_q[32'(acq_warp_i[0 +: WarpBits])*WarpBits +: WarpBits]);
        end
    always_ff @(posedge clk_i)
        if (f_past && $past(rst_ni) && !$past(cfg_valid_i)) begin
            // only its own release ends the hold of a warp, and it keeps the section until then
            for (int x = 0; x < Warps; x = x + 1) begin
                if ($past(status_q[x]) && !$past(leave[x]))
                    assert (status_q[x] && lut_q[x*WarpBits +: WarpBits] == $past(lut_q[x*WarpBits +: WarpBits]));
                if ($past(leave[x])) assert (!status_q[x]);
                // third part: a released section can be granted in the next cycle
                if ($past(leave[x])) assert (!srp_q[$past(lut_q[x*WarpBits +: WarpBits])]);
            end
        end
    always_ff @(posedge clk_i)
        if (rst_ni && f_past) begin
            cover (status_q[0] && status_q[1] && !paired_q);
            cover (status_q[Warps-1] && paired_q && f_pool == (CountBits+1)'(Pairs));
            cover (acq_valid_i == '1 && acq_grant_o == '0 && f_pool != '0 && !cfg_valid_i);
            cover (leave[0] && acq_valid_i[0] && acq_grant_o[0]);
        end
