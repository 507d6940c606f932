// SPDX-License-Identifier: Apache-2.0
// Purpose:    RegMutex's allocation of the shared register pool: a status bit per warp, a bit per
//             section, and a table from warp to section. An acquire finds the first section that is
//             free; the paired variant has one section for each two warps. Contract:
//             models/regmutex/srp_allocator.h.
// Parameters: Warps, 2..64; NumReq, 1..4: acquires and releases per cycle; NumLook, 1..8: look-ups.
// Timing:     acq_grant_o and acq_section_o answer the acquires of the same cycle, lk_ outputs depend
//             on state alone; all state changes at the clock edge. A section released at an edge can
//             be acquired from the next cycle on. Cost: NumReq find-first chains in series, Warps bits
//             each: 1.75 ns at 45 nm in the default shape, more than the SM clock's 1.43 ns, from the free
//             sections through both ports to the table. The contract gives it one cycle: a refused warp loses
//             its slot.
// Reset:      no section exists.
// Left out:   fairness, more than one section per warp.
// Shapes:     - ; Warps=2,NumReq=1,NumLook=1 ; Warps=5,NumReq=3,NumLook=4 ; Warps=64,NumReq=4,NumLook=8
// Proof:      2:6:Warps=2,NumReq=3,NumLook=1
// Proof:      2:6:Warps=3,NumReq=1,NumLook=2
// Proof:      2:6:Warps=4,NumReq=2,NumLook=1

module srp_allocator #(
    parameter int Warps   = 48,
    parameter int NumReq  = 2,
    parameter int NumLook = 4,
    localparam int WarpBits  = Warps > 1 ? $clog2(Warps) : 1,
    localparam int CountBits = $clog2(Warps + 1),
    localparam int Pairs     = (Warps + 1) / 2  // of warps that share a section; one may be a warp alone
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    // a kernel is placed
    input  logic                        cfg_valid_i,
    input  logic [CountBits-1:0]        cfg_sections_i,
    input  logic                        cfg_paired_i,
    // requests
    input  logic [NumReq-1:0]           acq_valid_i,
    input  logic [NumReq*WarpBits-1:0]  acq_warp_i,
    input  logic [NumReq-1:0]           rel_valid_i,
    input  logic [NumReq*WarpBits-1:0]  rel_warp_i,
    input  logic [Warps-1:0]            exit_mask_i,
    input  logic [NumLook*WarpBits-1:0] lk_warp_i,
`ifdef RF_OBS
    // observation: status, sections, variant, table, then parameters
    input  logic [31:0]                 obs_addr_i,
    output logic [31:0]                 obs_data_o,
`endif
    output logic [NumReq-1:0]           acq_grant_o,
    output logic [NumReq*WarpBits-1:0]  acq_section_o,
    output logic [NumLook-1:0]          lk_held_o,
    output logic [NumLook*WarpBits-1:0] lk_section_o
);

    logic [Warps-1:0]          status_q, status_d;
    logic [Warps-1:0]          srp_q, srp_d;       // taken, or not there
    logic [Warps*WarpBits-1:0] lut_q, lut_d;
    logic                      paired_q, paired_d;

    function automatic [Warps-1:0] first_zero(input [Warps-1:0] v);
        first_zero = ~v & (v + Warps'(1));
    endfunction
    function automatic [WarpBits-1:0] index_of(input [Warps-1:0] onehot);
        integer i;
        index_of = '0;
        for (i = 0; i < Warps; i = i + 1)
            if (onehot[i]) index_of = index_of | WarpBits'(i);
    endfunction
    function automatic [Warps-1:0] bit_of(input [WarpBits-1:0] n);
        bit_of = Warps'(1) << n;
    endfunction

    // ---- Look-up
    for (genvar l = 0; l < NumLook; l = l + 1) begin : g_lk
        logic [WarpBits-1:0] warp;
        assign warp = lk_warp_i[l*WarpBits +: WarpBits];
        assign lk_held_o[l] = (status_q & bit_of(warp)) != '0;
        assign lk_section_o[l*WarpBits +: WarpBits] = lut_q[32'(warp)*WarpBits +: WarpBits];
    end

    // ---- Acquire: a chain over the ports; each sees sections and status as the ports before left them
    logic [NumReq*Warps-1:0] new_warp;  // per port: the warp that gets a section, one-hot
    logic [NumReq*Warps-1:0] new_sec;   // and that section
    for (genvar r = 0; r < NumReq; r = r + 1) begin : g_acq
        logic [Warps-1:0]    holds, taken;  // who holds, which sections are taken, before this port
        logic [WarpBits-1:0] warp, held_sec;
        logic [Warps-1:0]    warp_bit, want, got;
        logic                nested;
        assign warp     = acq_warp_i[r*WarpBits +: WarpBits];
        assign warp_bit = bit_of(warp);
        if (r == 0) begin : g_first
            assign holds = status_q;
            assign taken = srp_q;
        end else begin : g_next
            assign holds = g_acq[r-1].holds | g_acq[r-1].won;
            assign taken = g_acq[r-1].taken | g_acq[r-1].section;
        end
        // the section a warp holds already: from the table, or got by an earlier port just now
        for (genvar p = 0; p <= r; p = p + 1) begin : g_just
            logic [WarpBits-1:0] section;
            if (p == 0) begin : g_table
                assign section = lut_q[32'(warp)*WarpBits +: WarpBits];
            end else begin : g_port
                assign section = (g_acq[p-1].won & warp_bit) != '0 ? index_of(g_acq[p-1].section)
                                                                    : g_just[p-1].section;
            end
        end
        assign held_sec = g_just[r].section;
        assign nested  = (holds & warp_bit) != '0;
        assign want    = paired_q ? bit_of(warp >> 1) : first_zero(taken);
        assign got     = want & (~taken);
        logic [Warps-1:0] won, section;
        assign won     = acq_valid_i[r] && !cfg_valid_i && !nested && got != '0 ? warp_bit : '0;
        assign section = acq_valid_i[r] && !cfg_valid_i && !nested ? got : '0;
        assign new_warp[r*Warps +: Warps] = won;
        assign new_sec[r*Warps +: Warps]  = section;
        assign acq_grant_o[r] = acq_valid_i[r] && !cfg_valid_i && (nested || got != '0);
        assign acq_section_o[r*WarpBits +: WarpBits] = nested ? held_sec : index_of(got);
    end

    // ---- Release: warps that give back, and their sections
    logic [Warps-1:0] leave, back;
    always @* begin
        leave = exit_mask_i;
        for (int r = 0; r < NumReq; r = r + 1)
            if (rel_valid_i[r]) leave = leave | bit_of(rel_warp_i[r*WarpBits +: WarpBits]);
        leave = leave & status_q;
        back = '0;
        for (int w = 0; w < Warps; w = w + 1)
            if (leave[w]) back = back | bit_of(lut_q[w*WarpBits +: WarpBits]);
    end

    // ---- Next state
    always @* begin
        status_d = status_q & ~leave;
        srp_d    = srp_q & ~back;
        lut_d    = lut_q;
        paired_d = paired_q;
        for (int r = 0; r < NumReq; r = r + 1) begin
            status_d = status_d | new_warp[r*Warps +: Warps];
            srp_d    = srp_d | new_sec[r*Warps +: Warps];
        end
        for (int w = 0; w < Warps; w = w + 1) begin
            if (leave[w]) lut_d[w*WarpBits +: WarpBits] = '0;
            for (int r = 0; r < NumReq; r = r + 1)
                if (new_warp[r*Warps + w])
                    lut_d[w*WarpBits +: WarpBits] = index_of(new_sec[r*Warps +: Warps]);
        end
        if (cfg_valid_i) begin
            status_d = '0;
            lut_d    = '0;
            paired_d = cfg_paired_i;
            for (int s = 0; s < Warps; s = s + 1)
                srp_d[s] = s >= 32'(cfg_sections_i) || (cfg_paired_i && s >= Pairs);
        end
    end

    always_ff @(posedge clk_i)
        if (!rst_ni) begin
            status_q <= '0;
            srp_q    <= '1;
            lut_q    <= '0;
            paired_q <= 1'b0;
        end else begin
            status_q <= status_d;
            srp_q    <= srp_d;
            lut_q    <= lut_d;
            paired_q <= paired_d;
        end

`ifdef RF_OBS
    logic [63:0] obs_status, obs_srp;
    assign obs_status = 64'(status_q);
    assign obs_srp    = 64'(srp_q);
    always @* begin
        obs_data_o = '0;
        case (obs_addr_i)
        32'd0: obs_data_o = obs_status[31:0];
        32'd1: obs_data_o = obs_status[63:32];
        32'd2: obs_data_o = obs_srp[31:0];
        32'd3: obs_data_o = obs_srp[63:32];
        32'd4: obs_data_o = 32'(paired_q);
        32'hffff_0000: obs_data_o = Warps;
        32'hffff_0001: obs_data_o = NumReq;
        32'hffff_0002: obs_data_o = NumLook;
        default:
            for (int w = 0; w < Warps; w = w + 1)
                if (obs_addr_i == 32'(w + 5)) obs_data_o = 32'(lut_q[w*WarpBits +: WarpBits]);
        endcase
    end
`endif

`ifdef SIM
    initial begin
        if (Warps < 2 || Warps > 64) $fatal(1, "srp_allocator: Warps is %0d, expected 2 to 64", Warps);
        if (NumReq < 1 || NumReq > 4) $fatal(1, "srp_allocator: NumReq is %0d, expected 1 to 4", NumReq);
        if (NumLook < 1 || NumLook > 8) $fatal(1, "srp_allocator: NumLook is %0d, expected 1 to 8", NumLook);
    end
`endif

`ifdef FORMAL
    logic f_past;
    initial f_past = 1'b0;
    always_ff @(posedge clk_i) f_past <= 1'b1;
    function automatic [CountBits:0] ones(input [Warps-1:0] v);
        integer i;
        ones = '0;
        for (i = 0; i < Warps; i = i + 1) ones = ones + {{CountBits{1'b0}}, v[i]};
    endfunction
    // sections in the pool: what was loaded
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
                // no two warps share a section; who holds one holds one that is there and taken
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
            // second part: at every port an acquire is refused only when each section (paired: the pair's) is taken,
            // by such a warp or by a port before it in this cycle
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
            // only its own release ends what a warp holds, and it keeps the section until then
            for (int x = 0; x < Warps; x = x + 1) begin
                if ($past(status_q[x]) && !$past(leave[x]))
                    assert (status_q[x] && lut_q[x*WarpBits +: WarpBits] == $past(lut_q[x*WarpBits +: WarpBits]));
                if ($past(leave[x])) assert (!status_q[x]);
                // third part: a section that was given back can be granted in the next cycle
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
`endif
endmodule
