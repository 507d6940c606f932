// SPDX-License-Identifier: Apache-2.0
// Contract of block arch_to_phys: RegMutex's mapping of architected to physical registers.
//
// Configuration (quasi-static inputs of a kernel):
//   `cfg_base` = |Bs|, registers of the base set (base below).
//   `cfg_ext` = |Es|, registers of one section (ext below).
//   `cfg_srp`: first physical register of the shared pool (srp below). While ext is 0, srp is
//     ignored. (A pool behind the last register of the file has no number: drive 0.)
// Combinational, no state. Instruction a (at_valid[a]) of warp at_warp[a] names up to NumRegs
// registers. Register i = a * NumRegs + k is named if bit k of at_need[a] is set. The instructions
// are those that operand collection accepts, with their sources. Behind them is the word that each
// write port writes (one register each). `at_held[a]`, at_section[a]: whether its warp holds a
// section, and which (srp_allocator's look-up).
//
//   x < base            physical = base * warp + x
//   base <= x           physical = srp + ext * section + (x - base)
//
// `at_fault[i]`: the register cannot be mapped, and its place is not defined. Either x >= base +
//   ext, or x >= base while no section is held, or the physical number is not below Banks *
//   Entries.
// `at_ok[i]`: named and mapped. Then at_phys[i] is its number, at_bank[i] and at_entry[i] its
//   place.
//
//   entry = physical / Banks
//   bank  = (physical + entry + entry / Banks) mod Banks, a rotation per entry.
//   The rotation is one to one. So register x of all warps is not in one bank if |Bs| is a multiple
//   of Banks.
// Widths: sums and products do not wrap (all inputs in range: at most 64 * 64 + 64 * 255 + 65536).
// Never driven with at_valid: a warp of Warps or more, a section of Warps or more with at_held.
//
// Diagram  |Bs| = 4, |Es| = 2, pool from register 16: warp 1, without a section and with section 2,
//          names R2 and R5. (Warps=4 Regs=8 Banks=2 Entries=16 NumAlloc=1 NumRegs=2)
//   cycle            0   1
//   cfg_base         4   4
//   cfg_ext          2   2
//   cfg_srp         10  10
//   at_valid         1   1
//   at_warp[0]       1   1
//   at_held          .   1
//   at_section[0]    .   2
//   at_need[0]       3   3
//   at_reg[0]        2   2
//   at_reg[1]        5   5
//   at_ok            1   3
//   at_fault         2   .
//   at_phys[0]       6   6
//   at_phys[1]       -  15
//   at_bank[1]       -   .
//   at_entry[1]      -   a
#ifndef SMCOSIM_MODELS_ARCH_TO_PHYS_H
#define SMCOSIM_MODELS_ARCH_TO_PHYS_H

#include "models/block.h"

enum { AP_MAX_ALLOC = 8, AP_MAX_REGS = 4, AP_MAX = AP_MAX_ALLOC * AP_MAX_REGS };

// clang-format off
#define ARCH_TO_PHYS_PARAMS(P) \
    P(Warps, 48, 2, 64, "sm.warps", "resident warps") \
    P(Regs, 63, 2, 255, "sm.regs_per_thread", "architected registers per warp") \
    P(Banks, 4, 1, 32, "rf.banks", "register file banks") \
    P(Entries, 256, 2, 1024, "rf.entries", "warp registers per bank") \
    P(NumAlloc, 4, 1, 8, "oc.alloc_ports + rf.write_ports", "instructions and results per cycle") \
    P(NumRegs, 3, 1, 4, "3", "registers per instruction")

#define ARCH_TO_PHYS_PORTS(W, V) \
    W(IN, cfg_base, 1, 1, RegBits, ALWAYS, -, "registers of the base set") \
    W(IN, cfg_ext, 1, 1, RegBits, ALWAYS, -, "registers of one section") \
    W(IN, cfg_srp, 1, 1, PhysBits, ALWAYS, -, "first physical register of the shared pool") \
    W(IN, at_valid, 1, 1, NumAlloc, ALWAYS, -, "an instruction") \
    W(IN, at_warp, AP_MAX_ALLOC, NumAlloc, WarpBits, ALWAYS, -, "its warp") \
    W(IN, at_held, 1, 1, NumAlloc, ALWAYS, -, "the warp holds a section") \
    W(IN, at_section, AP_MAX_ALLOC, NumAlloc, WarpBits, ALWAYS, -, "that section") \
    W(IN, at_need, AP_MAX_ALLOC, NumAlloc, NumRegs, ALWAYS, -, "registers named") \
    W(IN, at_reg, AP_MAX, NumAlloc * NumRegs, RegBits, ALWAYS, -, "architected register") \
    W(OUT, at_ok, 1, 1, NumAlloc * NumRegs, WORK, -, "the register is mapped") \
    W(OUT, at_fault, 1, 1, NumAlloc * NumRegs, ALWAYS, -, "the register cannot be mapped") \
    W(OUT, at_phys, AP_MAX, NumAlloc * NumRegs, PhysBits, WHEN, at_ok, "physical register") \
    W(OUT, at_bank, AP_MAX, NumAlloc * NumRegs, BankBits, WHEN, at_ok, "the bank it lies in") \
    W(OUT, at_entry, AP_MAX, NumAlloc * NumRegs, EntryBits, WHEN, at_ok, "the entry of that bank")
// clang-format on

#define ARCH_TO_PHYS_WIDTHS \
    const int WarpBits = block_bits(Warps), RegBits = block_bits(Regs + 1), \
              PhysBits = block_bits(Banks * Entries), BankBits = block_bits(Banks), \
              EntryBits = block_bits(Entries)

typedef struct ArchToPhysIn {
    ARCH_TO_PHYS_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} ArchToPhysIn;
typedef struct ArchToPhysOut {
    ARCH_TO_PHYS_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} ArchToPhysOut;

// Observation: no state (count 0); obs_words 1.
extern const BlockModel arch_to_phys_model;

#endif
