// SPDX-License-Identifier: Apache-2.0
// Purpose:    RegMutex's mapping from architected to physical registers: base registers lie at a fixed
//             place of their warp, extended ones in the section of the shared pool that the warp holds.
//             Contract: models/regmutex/arch_to_phys.h.
// Parameters: Warps, 2..64; Regs, 2..255; Banks, 1..32, and Entries, 2..1024, of the register file;
//             NumAlloc, 1..8: instructions and results per cycle; NumRegs, 1..4: registers of each.
// Timing:     combinational, 1.05 ns at 45 nm in the default shape (SM clock: 1.43 ns): the look-up of the
//             section belongs to the cycle before, when the instruction enters its entry register. Cost: two
//             small products per instruction (|Bs| x warp and |Es| x section, 6 x 6 bits in the default
//             shape), shared by its registers; then one addition and one comparison per register, and an
//             addition of the bits of the bank.
// Reset:      no state; clk_i and rst_ni are there because every block has them.
// Left out:   a fast division: with banks that are no power of two the place is a quotient and a remainder.
// Shapes:     - ; Warps=2,Regs=2,Banks=1,Entries=2,NumAlloc=1 ; Warps=5,Regs=255,Banks=32,Entries=1024,NumAlloc=4
// Shapes:     Warps=5,Regs=21,Banks=3,NumAlloc=3,NumRegs=1 ; Warps=32,Banks=32,Entries=64,NumAlloc=8
// Proof:      1:1:Warps=4,Regs=7,Banks=2,Entries=8,NumAlloc=1
// Proof:      1:1:Warps=3,Regs=6,Banks=3,Entries=5,NumAlloc=2,NumRegs=2

module arch_to_phys #(
    parameter int Warps    = 48,
    parameter int Regs     = 63,
    parameter int Banks    = 4,
    parameter int Entries  = 256,
    parameter int NumAlloc = 4,
    parameter int NumRegs  = 3,
    localparam int WarpBits = Warps > 1 ? $clog2(Warps) : 1,
    localparam int RegBits  = $clog2(Regs + 1),
    localparam int PhysBits = Banks * Entries > 1 ? $clog2(Banks * Entries) : 1,
    localparam int BankBits = Banks > 1 ? $clog2(Banks) : 1,
    localparam int EntryBits = Entries > 1 ? $clog2(Entries) : 1
) (
    input  logic                                 clk_i,
    input  logic                                 rst_ni,
    // the kernel
    input  logic [RegBits-1:0]                   cfg_base_i,
    input  logic [RegBits-1:0]                   cfg_ext_i,
    input  logic [PhysBits-1:0]                  cfg_srp_i,
    // instructions
    input  logic [NumAlloc-1:0]                  at_valid_i,
    input  logic [NumAlloc*WarpBits-1:0]         at_warp_i,
    input  logic [NumAlloc-1:0]                  at_held_i,
    input  logic [NumAlloc*WarpBits-1:0]         at_section_i,
    input  logic [NumAlloc*NumRegs-1:0]          at_need_i,
    input  logic [NumAlloc*NumRegs*RegBits-1:0]  at_reg_i,
`ifdef RF_OBS
    // observation: parameters only
    input  logic [31:0]                          obs_addr_i,
    output logic [31:0]                          obs_data_o,
`endif
    output logic [NumAlloc*NumRegs-1:0]          at_ok_o,
    output logic [NumAlloc*NumRegs-1:0]          at_fault_o,
    output logic [NumAlloc*NumRegs*PhysBits-1:0] at_phys_o,
    output logic [NumAlloc*NumRegs*BankBits-1:0] at_bank_o,
    output logic [NumAlloc*NumRegs*EntryBits-1:0] at_entry_o
);

    // Wide enough for every sum: nothing wraps.
    localparam int Wide = PhysBits + RegBits + WarpBits + 1;
    localparam logic [Wide-1:0] Physical = Wide'(Banks * Entries);

    for (genvar a = 0; a < NumAlloc; a = a + 1) begin : g_inst
        logic [Wide-1:0] own, pool;  // where the base set and the section begin, minus |Bs| for the latter
        assign own  = Wide'(cfg_base_i) * Wide'(at_warp_i[a*WarpBits +: WarpBits]);
        assign pool = Wide'(cfg_srp_i) + (Wide'(cfg_ext_i) * Wide'(at_section_i[a*WarpBits +: WarpBits]));
        for (genvar k = 0; k < NumRegs; k = k + 1) begin : g_reg
            localparam int I = a * NumRegs + k;
            logic [RegBits-1:0] x;
            logic [RegBits:0]   past;  // x - |Bs|; the top bit: below it
            logic [Wide-1:0]    phys;
            logic               is_base, there, named;
            assign x       = at_reg_i[I*RegBits +: RegBits];
            assign past    = {1'b0, x} - {1'b0, cfg_base_i};
            assign is_base = past[RegBits];
            assign phys    = is_base ? own + Wide'(x) : pool + Wide'(past[RegBits-1:0]);
            assign there   = (is_base || (at_held_i[a] && past[RegBits-1:0] < cfg_ext_i)) &&
                             phys < Physical;
            assign named   = at_valid_i[a] && at_need_i[I];
            assign at_ok_o[I]    = named && there;
            assign at_fault_o[I] = named && !there;
            assign at_phys_o[I*PhysBits +: PhysBits] = phys[PhysBits-1:0];
            // The place: rows of Banks registers, row n turned by n + n / Banks banks.
            logic [PhysBits-1:0] number, row;
            assign number = phys[PhysBits-1:0];
            if ((Banks & (Banks - 1)) == 0) begin : g_slices
                assign row = number >> $clog2(Banks);
                assign at_bank_o[I*BankBits +: BankBits] = Banks == 1 ? '0
                    : BankBits'(number) + (BankBits'(row)) + BankBits'(row >> $clog2(Banks));
            end else begin : g_divide
                localparam int SumBits = BankBits + 2;
                logic [SumBits-1:0]  sum;
                logic [PhysBits-1:0] rows;
                assign row    = number / PhysBits'(Banks);
                assign rows   = row / PhysBits'(Banks);
                assign sum    = SumBits'(number % PhysBits'(Banks)) + SumBits'(rows % PhysBits'(Banks)) +
                                (SumBits'(row % PhysBits'(Banks)));
                assign at_bank_o[I*BankBits +: BankBits] = BankBits'(sum % SumBits'(Banks));
            end
            assign at_entry_o[I*EntryBits +: EntryBits] = row[EntryBits-1:0];
        end
    end
    logic unused_state;
    assign unused_state = clk_i ^ rst_ni;

`ifdef RF_OBS
    always @*
        case (obs_addr_i)
        32'hffff_0000: obs_data_o = Warps;
        32'hffff_0001: obs_data_o = Regs;
        32'hffff_0002: obs_data_o = Banks;
        32'hffff_0003: obs_data_o = Entries;
        32'hffff_0004: obs_data_o = NumAlloc;
        32'hffff_0005: obs_data_o = NumRegs;
        default:       obs_data_o = '0;
        endcase
`endif

`ifdef SIM
    initial begin
        if (Warps < 2 || Warps > 64) $fatal(1, "arch_to_phys: Warps is %0d, expected 2 to 64", Warps);
        if (Regs < 2 || Regs > 255) $fatal(1, "arch_to_phys: Regs is %0d, expected 2 to 255", Regs);
        if (Banks < 1 || Banks > 32) $fatal(1, "arch_to_phys: Banks is %0d, expected 1 to 32", Banks);
        if (Entries < 2 || Entries > 1024) $fatal(1, "arch_to_phys: Entries is %0d, expected 2 to 1024", Entries);
        if (NumAlloc < 1 || NumAlloc > 8) $fatal(1, "arch_to_phys: NumAlloc is %0d, expected 1 to 8", NumAlloc);
        if (NumRegs < 1 || NumRegs > 4) $fatal(1, "arch_to_phys: NumRegs is %0d, expected 1 to 4", NumRegs);
    end
`endif

`ifdef FORMAL
    // The mapping never gives one physical register to two owners: registers x and y of the warps of
    // instruction 0, when sections are those of srp_allocator (different for different warps) and the
    // pool begins behind all base sets.
    (* anyconst *) logic [1:0] f_x, f_y;
    logic [BankBits-1:0]  f_bank_x, f_bank_y;
    logic [EntryBits-1:0] f_entry_x, f_entry_y;
    logic [RegBits-1:0]  f_reg_x, f_reg_y;
    logic [PhysBits-1:0] f_phys_x, f_phys_y;
    localparam int F = NumAlloc - 1;  // the other instruction, or the same
    assign f_reg_x  = at_reg_i[32'(f_x)*RegBits +: RegBits];
    assign f_reg_y  = at_reg_i[(F*NumRegs + 32'(f_y))*RegBits +: RegBits];
    assign f_phys_x = at_phys_o[32'(f_x)*PhysBits +: PhysBits];
    assign f_phys_y = at_phys_o[(F*NumRegs + 32'(f_y))*PhysBits +: PhysBits];
    assign f_bank_x  = at_bank_o[32'(f_x)*BankBits +: BankBits];
    assign f_bank_y  = at_bank_o[(F*NumRegs + 32'(f_y))*BankBits +: BankBits];
    assign f_entry_x = at_entry_o[32'(f_x)*EntryBits +: EntryBits];
    assign f_entry_y = at_entry_o[(F*NumRegs + 32'(f_y))*EntryBits +: EntryBits];
    logic f_same_warp;
    assign f_same_warp = at_warp_i[0 +: WarpBits] == at_warp_i[F*WarpBits +: WarpBits];
    always @* begin
        assume (32'(f_x) < NumRegs && 32'(f_y) < NumRegs);
        assume (cfg_ext_i == '0 || 32'(cfg_srp_i) >= 32'(cfg_base_i) * Warps);
        for (int a = 0; a < NumAlloc; a = a + 1) begin
            assume (32'(at_warp_i[a*WarpBits +: WarpBits]) < Warps);
            assume (32'(at_section_i[a*WarpBits +: WarpBits]) < Warps);
        end
        if (f_same_warp) begin
            assume (at_held_i[0] == at_held_i[F]);
            assume (at_section_i[0 +: WarpBits] == at_section_i[F*WarpBits +: WarpBits]);
        end else if (at_held_i[0] && at_held_i[F])
            assume (at_section_i[0 +: WarpBits] != at_section_i[F*WarpBits +: WarpBits]);
        if (at_ok_o[f_x] && at_ok_o[F*NumRegs + 32'(f_y)])
            assert ((f_phys_x == f_phys_y) == (f_same_warp && f_reg_x == f_reg_y));
        // one place for one number, within the file
        if (at_ok_o[f_x] && at_ok_o[F*NumRegs + 32'(f_y)])
            assert ((f_bank_x == f_bank_y && f_entry_x == f_entry_y) == (f_phys_x == f_phys_y));
        if (at_ok_o[f_x]) assert (32'(f_bank_x) < Banks && 32'(f_entry_x) < Entries);
        assert ((at_ok_o & at_fault_o) == '0);
        for (int a = 0; a < NumAlloc; a = a + 1)
            for (int k = 0; k < NumRegs; k = k + 1) begin
                assert ((at_ok_o[a*NumRegs + k] || at_fault_o[a*NumRegs + k]) ==
                        (at_valid_i[a] && at_need_i[a*NumRegs + k]));
                if (at_ok_o[a*NumRegs + k]) begin
                    assert (32'(at_phys_o[(a*NumRegs + k)*PhysBits +: PhysBits]) < Banks * Entries);
                    assert (32'(at_reg_i[(a*NumRegs + k)*RegBits +: RegBits]) < 32'(cfg_base_i) + 32'(cfg_ext_i));
                    if (at_reg_i[(a*NumRegs + k)*RegBits +: RegBits] >= cfg_base_i)
                        assert (at_held_i[a] && at_phys_o[(a*NumRegs + k)*PhysBits +: PhysBits] >= cfg_srp_i);
                    else
                        assert (cfg_ext_i == '0 || at_phys_o[(a*NumRegs + k)*PhysBits +: PhysBits] < cfg_srp_i);
                end
                // a base register is always mapped when the base sets fit
                if (at_valid_i[a] && at_need_i[a*NumRegs + k] && 32'(cfg_base_i) * Warps <= Banks * Entries &&
                    at_reg_i[(a*NumRegs + k)*RegBits +: RegBits] < cfg_base_i)
                    assert (at_ok_o[a*NumRegs + k]);
            end
        cover (at_ok_o[f_x] && f_reg_x > cfg_base_i && at_section_i[0 +: WarpBits] != '0 && cfg_base_i != '0);
        cover (at_fault_o[f_x] && f_reg_x >= cfg_base_i && !at_held_i[0]);
        cover (at_ok_o[f_x] && 32'(f_phys_x) == Banks * Entries - 1);
        cover (at_ok_o[f_x] && 32'(f_bank_x) != 32'(f_phys_x) % Banks);
    end
`endif
endmodule
