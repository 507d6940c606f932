// SPDX-License-Identifier: Apache-2.0
// Contract of block arch_to_phys: RegMutex's mapping of architected to physical registers.
//
// Configuration (quasi-static inputs of a kernel): base = |Bs|, registers of the base set; ext = |Es|,
// registers of one section; srp = first physical register of the shared pool.
// Combinational, no state. Instruction a (at_valid[a]) of warp at_warp[a] names up to NumRegs registers
// (sources and destination), register i = a * NumRegs + k named when bit k of at_need[a] is set;
// at_held[a], at_section[a] say whether its warp holds a section and which (srp_allocator's look-up):
//   x < base            physical = base * warp + x
//   base <= x           physical = srp + ext * section + (x - base)
// at_fault[i]  the register cannot be mapped: x >= base + ext, or x >= base while no section is held, or
//              the physical number is not below Banks * Entries. Then at_phys is not defined.
// at_ok[i]     named and mapped: at_phys[i] holds.
// Widths: sums and products do not wrap (all inputs in range: at most 64 * 64 + 64 * 255 + 65536).
// Never driven with at_valid: a warp of Warps or more, a section of Warps or more with at_held.
// Left out: splitting the number into bank and entry (bank = physical mod Banks is a slice where Banks
//   is a power of two).
#ifndef SMCOSIM_MODELS_ARCH_TO_PHYS_H
#define SMCOSIM_MODELS_ARCH_TO_PHYS_H

#include "models/block.h"

enum { AP_MAX_ALLOC = 4, AP_REGS = 4, AP_MAX = AP_MAX_ALLOC * AP_REGS };

#define ARCH_TO_PHYS_PARAMS(P)                                                                     \
    P(Warps, 48, 2, 64, "sm.warps", "resident warps")                                              \
    P(Regs, 63, 2, 255, "sm.regs_per_thread", "architected registers per warp")                    \
    P(Banks, 4, 1, 32, "rf.banks", "register file banks")                                          \
    P(Entries, 256, 2, 1024, "rf.entries", "warp registers per bank")                              \
    P(NumAlloc, 2, 1, 4, "oc.alloc_ports", "instructions per cycle")

#define ARCH_TO_PHYS_PORTS(W, V)                                                                   \
    W(IN, cfg_base, 1, 1, RegBits, ALWAYS, -, "registers of the base set")                         \
    W(IN, cfg_ext, 1, 1, RegBits, ALWAYS, -, "registers of one section")                           \
    W(IN, cfg_srp, 1, 1, PhysBits, ALWAYS, -, "first physical register of the shared pool")        \
    W(IN, at_valid, 1, 1, NumAlloc, ALWAYS, -, "an instruction")                                   \
    W(IN, at_warp, AP_MAX_ALLOC, NumAlloc, WarpBits, ALWAYS, -, "its warp")                        \
    W(IN, at_held, 1, 1, NumAlloc, ALWAYS, -, "the warp holds a section")                          \
    W(IN, at_section, AP_MAX_ALLOC, NumAlloc, WarpBits, ALWAYS, -, "that section")                 \
    W(IN, at_need, AP_MAX_ALLOC, NumAlloc, AP_REGS, ALWAYS, -, "registers named")                  \
    W(IN, at_reg, AP_MAX, NumAlloc * AP_REGS, RegBits, ALWAYS, -, "architected register")          \
    W(OUT, at_ok, 1, 1, NumAlloc * AP_REGS, WORK, -, "the register is mapped")                     \
    W(OUT, at_fault, 1, 1, NumAlloc * AP_REGS, ALWAYS, -, "the register cannot be mapped")         \
    W(OUT, at_phys, AP_MAX, NumAlloc * AP_REGS, PhysBits, WHEN, at_ok, "physical register")

#define ARCH_TO_PHYS_WIDTHS                                                                        \
    const int WarpBits = block_bits(Warps), RegBits = block_bits(Regs + 1),                        \
              PhysBits = block_bits(Banks * Entries)

typedef struct ArchToPhysIn { ARCH_TO_PHYS_PORTS(BLOCK_W_IN, BLOCK_V_IN) } ArchToPhysIn;
typedef struct ArchToPhysOut { ARCH_TO_PHYS_PORTS(BLOCK_W_OUT, BLOCK_V_OUT) } ArchToPhysOut;

// Observation: no state (count 0); obs_words 1.
extern const BlockModel arch_to_phys_model;

#endif
