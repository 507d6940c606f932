// SPDX-License-Identifier: Apache-2.0
// Purpose:    RegMutex's mapping from architected to physical registers. Base registers have a
//             fixed place of their warp, extended ones are in the section of the shared pool that
//             the warp holds. Contract: models/regmutex/arch_to_phys.h.
// Parameters: Warps, 2..64; Regs, 2..255; Banks, 1..32, and Entries, 2..1024, of the register file.
//             NumAlloc, 1..8: instructions and results per cycle; NumRegs, 1..4: registers of each.
// Timing:     combinational, 1.05 ns at 45 nm in the default shape (SM clock: 1.43 ns). The look-up
//             of the section belongs to the previous cycle, when the instruction enters its entry
//             register. Cost: two small products per instruction (|Bs| x warp and |Es| x section, 6
//             x 6 bits in the default shape), shared by its registers. Then one addition and one
//             comparison per register, and an addition of the bits of the bank.
// Reset:      no state; every block has clk_i and rst_ni.
// Left out:   a fast division: with banks that are no power of two the place is a quotient and a remainder.
// Shapes:     - ; Warps=2,Regs=2,Banks=1,Entries=2,NumAlloc=1 ; Warps=5,Regs=255,Banks=32,Entries=1024,NumAlloc=4
// Shapes:     Warps=5,Regs=21,Banks=3,NumAlloc=3,NumRegs=1 ; Warps=32,Banks=32,Entries=64,NumAlloc=8
// Proof:      1:1:Warps=4,Regs=7,Banks=2,Entries=8,NumAlloc=1
// Proof:      1:1:Warps=3,Regs=6,Banks=3,Entries=5,NumAlloc=2,NumRegs=2

`include "macros.svh"

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
    // observation: parameters only
    `OBS_PORT(input  logic [31:0]                          obs_addr_i)
    `OBS_PORT(output logic [31:0]                          obs_data_o)
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

    `CHECK_RANGE(arch_to_phys, Warps, 2, 64)
    `CHECK_RANGE(arch_to_phys, Regs, 2, 255)
    `CHECK_RANGE(arch_to_phys, Banks, 1, 32)
    `CHECK_RANGE(arch_to_phys, Entries, 2, 1024)
    `CHECK_RANGE(arch_to_phys, NumAlloc, 1, 8)
    `CHECK_RANGE(arch_to_phys, NumRegs, 1, 4)
    `include "regmutex/arch_to_phys.obs.svh"
endmodule
