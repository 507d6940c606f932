// SPDX-License-Identifier: Apache-2.0
// Purpose:    remembers the registers that share a value which a load in flight has not written yet, and wakes them
//             when it arrives. Contract: models/larf/wait_table.h.
// Parameters: Waiters, 1..64; Warps, 2..64; Regs, 2..64, of a warp; Banks, 1..32; Entries, 2..1024; NumWr, 1..4:
// arrivals,
//             and waiters woken, per cycle.
// Timing:     all outputs from state alone; what enters or arrives in cycle t counts from t + 1 on.
// Reset:      nobody waits.
// Left out:   the scoreboard.
// Shapes:     - ; Waiters=2,Warps=32,Regs=63,Banks=2,Entries=1024,NumWr=1
// Shapes:     Waiters=1,Warps=2,Regs=2,Banks=1,Entries=2,NumWr=1
// Shapes:     Waiters=5,Warps=64,Regs=64,Banks=32,Entries=64,NumWr=4
// Proof:      2:8:Waiters=2,Warps=2,Regs=2,Banks=1,Entries=2,NumWr=1
// Proof:      2:8:Waiters=3,Warps=2,Regs=2,Banks=1,Entries=2,NumWr=2

module wait_table #(
    parameter int Waiters = 32,
    parameter int Warps   = 48,
    parameter int Regs    = 63,
    parameter int Banks   = 4,
    parameter int Entries = 256,
    parameter int NumWr   = 2,
    localparam int WarpBits = $clog2(Warps),
    localparam int RegBits  = $clog2(Regs),
    localparam int PhyBits  = (Banks > 1 ? $clog2(Banks) : 1) + $clog2(Entries)
) (
    input  logic                      clk_i,
    input  logic                      rst_ni,
    // all are forgotten
    input  logic                      cl_valid_i,
    // a sharer waits
    input  logic                      en_valid_i,
    input  logic [PhyBits-1:0]        en_phys_i,
    input  logic [WarpBits-1:0]       en_warp_i,
    input  logic [RegBits-1:0]        en_reg_i,
    output logic                      en_ready_o,
    // values arrive
    input  logic [NumWr-1:0]          arr_valid_i,
    input  logic [NumWr*PhyBits-1:0]  arr_phys_i,
`ifdef RF_OBS
    // observation: places, then parameters
    input  logic [31:0]               obs_addr_i,
    output logic [63:0]               obs_data_o,
`endif
    // waiters are woken
    output logic [NumWr-1:0]          wk_valid_o,
    output logic [NumWr*WarpBits-1:0] wk_warp_o,
    output logic [NumWr*RegBits-1:0]  wk_reg_o
);

    localparam int Entry = PhyBits + WarpBits + RegBits;

    logic [Waiters-1:0]       valid_q, valid_d, there_q, there_d, ready, free, place, woken;
    logic [Waiters*Entry-1:0] entry_q, entry_d;     // register, warp, physical register
    assign free       = ~valid_q;
    assign en_ready_o = free != '0;
    assign place      = en_valid_i ? free & (~free + Waiters'(1)) : '0;
    assign ready      = valid_q & there_q;

    // ---- The lowest ones are woken. upto[k]: at least k + 1 of the places up to this one are ready; spans of places double.
    logic [NumWr*Waiters-1:0] upto, was, lower;
    logic [NumWr*Waiters-1:0] one_of;
    always @* begin
        upto = (NumWr*Waiters)'(ready);
        for (int d = 1; d < Waiters; d = d * 2) begin
            for (int k = 0; k < NumWr; k = k + 1) lower[k*Waiters +: Waiters] = upto[k*Waiters +: Waiters] << d;
            was = upto;
            for (int k = 0; k < NumWr; k = k + 1) begin
                upto[k*Waiters +: Waiters] = was[k*Waiters +: Waiters] | lower[k*Waiters +: Waiters];
                for (int i = 0; i < k; i = i + 1)
                    upto[k*Waiters +: Waiters] = upto[k*Waiters +: Waiters] |
                                                 (was[i*Waiters +: Waiters] & lower[(k-1-i)*Waiters +: Waiters]);
            end
        end
    end
    for (genvar k = 0; k < NumWr; k = k + 1) begin : g_wake
        logic [Waiters-1:0] one, more;
        if (k == 0) begin : g_first
            assign more = ready;
        end else begin : g_next
            assign more = ready & upto[(k-1)*Waiters +: Waiters] << 1;
        end
        assign one = more & ~(upto[k*Waiters +: Waiters] << 1);
        assign one_of[k*Waiters +: Waiters] = one;
        assign wk_valid_o[k] = upto[k*Waiters + Waiters - 1];
        logic [WarpBits-1:0] warp;
        logic [RegBits-1:0]  arch;
        always @* begin
            warp = '0;
            arch = '0;
            for (int p = 0; p < Waiters; p = p + 1)
                if (one[p]) begin
                    warp = warp | entry_q[p*Entry + PhyBits +: WarpBits];
                    arch = arch | entry_q[p*Entry + PhyBits + WarpBits +: RegBits];
                end
        end
        assign wk_warp_o[k*WarpBits +: WarpBits] = warp;
        assign wk_reg_o[k*RegBits +: RegBits]    = arch;
    end
    always @* begin
        woken = '0;
        for (int k = 0; k < NumWr; k = k + 1) woken = woken | one_of[k*Waiters +: Waiters];
    end

    // ---- Next state
    logic [Waiters-1:0] hears;
    for (genvar p = 0; p < Waiters; p = p + 1) begin : g_place
        logic [PhyBits-1:0] phys;
        logic               heard;
        assign entry_d[p*Entry +: Entry] = place[p] ? {en_reg_i, en_warp_i, en_phys_i} : entry_q[p*Entry +: Entry];
        assign phys = entry_d[p*Entry +: PhyBits];
        always @* begin
            heard = 1'b0;
            for (int w = 0; w < NumWr; w = w + 1)
                if (arr_valid_i[w] && (arr_phys_i[w*PhyBits +: PhyBits] == phys)) heard = 1'b1;
        end
        assign hears[p] = heard && (valid_q[p] || place[p]);
    end
    always @* begin
        valid_d = (valid_q & ~woken) | place;
        there_d = (there_q & ~woken & ~place) | (hears & ~woken);
        if (cl_valid_i) valid_d = '0;
    end
    always_ff @(posedge clk_i) begin
        entry_q <= entry_d;
        there_q <= there_d;
        if (!rst_ni) valid_q <= '0;
        else valid_q <= valid_d;
    end

`ifdef RF_OBS
    always @* begin
        obs_data_o = '0;
        case (obs_addr_i)
        32'hffff_0000: obs_data_o[31:0] = Waiters;
        32'hffff_0001: obs_data_o[31:0] = Warps;
        32'hffff_0002: obs_data_o[31:0] = Regs;
        32'hffff_0003: obs_data_o[31:0] = Banks;
        32'hffff_0004: obs_data_o[31:0] = Entries;
        32'hffff_0005: obs_data_o[31:0] = NumWr;
        default:
            for (int p = 0; p < Waiters; p = p + 1)
                if (obs_addr_i == p && valid_q[p]) begin
                    obs_data_o[31]             = 1'b1;
                    obs_data_o[30]             = there_q[p];
                    obs_data_o[0 +: PhyBits]   = entry_q[p*Entry +: PhyBits];
                    obs_data_o[40 +: WarpBits] = entry_q[p*Entry + PhyBits +: WarpBits];
                    obs_data_o[32 +: RegBits]  = entry_q[p*Entry + PhyBits + WarpBits +: RegBits];
                end
        endcase
    end
`endif

`ifdef SIM
    initial begin
        if (Waiters < 1 || Waiters > 64) $fatal(1, "wait_table: Waiters = %0d, legal is 1..64", Waiters);
        if (Warps < 2 || Warps > 64) $fatal(1, "wait_table: Warps = %0d, legal is 2..64", Warps);
        if (Regs < 2 || Regs > 64) $fatal(1, "wait_table: Regs = %0d, legal is 2..64", Regs);
        if (Banks < 1 || Banks > 32) $fatal(1, "wait_table: Banks = %0d, legal is 1..32", Banks);
        if (Entries < 2 || Entries > 1024) $fatal(1, "wait_table: Entries = %0d, legal is 2..1024", Entries);
        if (NumWr < 1 || NumWr > 4) $fatal(1, "wait_table: NumWr = %0d, legal is 1..4", NumWr);
    end
`endif

`ifdef FORMAL
    // Contract, for any waiter (followed from where it enters): it stays until its value has arrived and it is woken,
    // once, as what it is; it is not woken before.
    (* anyconst *) logic [PhyBits-1:0]  f_phys;
    (* anyconst *) logic [WarpBits-1:0] f_warp;
    (* anyconst *) logic [RegBits-1:0]  f_reg;
    (* anyseq *)   logic                f_choose;
    logic [Waiters-1:0] f_at;                       // where it is, one-hot
    logic               f_past, f_here, f_got, f_comes, f_wakes;
    initial f_past = 1'b0;
    always @* begin
        f_comes = 1'b0;
        for (int w = 0; w < NumWr; w = w + 1)
            if (arr_valid_i[w] && arr_phys_i[w*PhyBits +: PhyBits] == f_phys) f_comes = 1'b1;
        f_wakes = 1'b0;
        for (int k = 0; k < NumWr; k = k + 1)
            if (f_here && one_of[k*Waiters +: Waiters] == f_at && wk_valid_o[k]) f_wakes = 1'b1;
        if (!f_past) assume (!rst_ni);
    end
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!rst_ni || cl_valid_i) f_here <= 1'b0;
        else if (f_here) begin
            if (f_wakes) f_here <= 1'b0;
            f_got <= f_got || f_comes;
        end else if (f_choose && en_valid_i && en_ready_o && en_phys_i == f_phys && en_warp_i == f_warp && en_reg_i == f_reg) begin
            f_here <= 1'b1;
            f_at   <= place;
            f_got  <= f_comes;
        end
    end
    always @* if (f_past) begin
        assert (en_ready_o == (valid_q != '1));
        if (f_here) begin
            assert (f_at != '0 && (f_at & (f_at - Waiters'(1))) == '0);
            assert ((valid_q & f_at) == f_at && ((there_q & f_at) == f_at) == f_got);
            for (int p = 0; p < Waiters; p = p + 1)
                if (f_at[p]) assert (entry_q[p*Entry +: Entry] == {f_reg, f_warp, f_phys});
            for (int k = 0; k < NumWr; k = k + 1)
                if (one_of[k*Waiters +: Waiters] == f_at && wk_valid_o[k])
                    assert (f_got && wk_warp_o[k*WarpBits +: WarpBits] == f_warp && wk_reg_o[k*RegBits +: RegBits] == f_reg);
            // the lowest places that are ready are woken: this one when fewer than NumWr lie below it
            if (f_got && (ready & (f_at - Waiters'(1))) == '0) assert (f_wakes);
        end
        cover (f_here && f_got && f_wakes && valid_q == '1);
    end
`endif
endmodule
