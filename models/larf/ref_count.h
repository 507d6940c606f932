// SPDX-License-Identifier: Apache-2.0
// Contract of block ref_count: the number of mappings and pins of each physical warp register, and
// the free registers (larf.md 3.3, 3.4). A count never wraps. A full count refuses, and the client
// makes a copy instead of a sharer.
//
// State: of each register: count, 0..2^CountBits - 1. Flags:
//   `entered`: the table may have an entry of it.
//   `pending`: it has lost its last mapping, and the release has not been sent to the table.
//   `sent`: the release was sent to the table, which has not answered.
//   A register is free if its count is 0 and it is neither pending nor sent.
// Allocate: al_valid[r], r < NumAlloc: a free register for a mapping, in the home bank al_bank[r]
//   (below Banks). If that bank has none, in the first of the banks al_bank[r] + 1, + 2, ..
//   (cyclic) that has one. Each bank allocates at most one per cycle, its lowest free register.
//   `al_grant[r]`, al_phys[r] in the same cycle. A later port sees which banks the previous ports
//   took. From the end of the cycle the register has count 1. Refused: no bank is left.
// Count up: inc_valid[i], i < RC_INC, inc_phys[i]: another mapping, or a pin. `inc_grant[i]` in
//   the same cycle: the count is below its maximum, previous ports included. Decrements of this
//   cycle are not visible. Refused: no effect. A pending register becomes not pending. A sent one
//   stays sent until the answer.
// Count down: dec_valid[d], d < NumDec, dec_phys[d]: one mapping or pin less, after all increments.
//   A register whose count becomes 0 in this cycle is free from the end of the cycle if it was not
//   entered, else pending.
// Mark: mk_valid, mk_phys: the register is entered (ins_valid of the table), from the end of the
//   cycle. If it is counted down to 0 in this cycle, it is pending.
// Release: rel_valid, rel_phys: the lowest pending register that is not sent. With rel_ready it is
//   sent and not pending, from the end of the cycle, also if it is counted up in the same cycle.
// Answer: done_valid, done_phys: addr_map_table has answered all look-ups that could have hit the
//   register (rel_done there). From the end of the cycle it is neither sent nor entered (entered if
//   marked in the cycle). A look-up accepted before the release may hit it. Then its count is 1
//   again before the answer arrives, and it is not freed.
// Flush: cl_valid: all registers are free at the end of the cycle. A flush overrides all else.
// Clock: at 45 nm a count down, and an answer, take two cycles of 1.43 ns (bench/area/README.md).
//   Here they take one. With blocks.registered=ref_count the SM has that timing: both arrive a
//   cycle later, and so do free registers.
// Outputs: free_count: registers that are free. It depends on state alone, as rel_valid and
//   rel_phys do. `al_grant` and al_phys depend on state, al_valid and al_bank, inc_grant on state
//   and inc_*.
// Reset: all registers are free.
// Never driven:
//   Inc_phys or dec_phys of a register that is free at the start of the cycle.
//   More decrements of a register in a cycle than its count, increments of the cycle included.
//   Al_bank of Banks or more.
//   Done_phys of a register that is not sent. Mk_phys of a register whose count is 0.
//   A register of Banks * Entries or more.
// Left out: the owners of the mappings (rename_table).
//
// Diagram  A register is mapped, shared, and entered in the table. It is free again after the table
//          has answered. (Banks=2 Entries=4 CountBits=2 NumAlloc=1 NumDec=2)
//   cycle         0   1   2   3   4   5   6   7
//   al_valid      1   .   .   .   .   .   .   .
//   al_grant      1   .   .   .   .   .   .   .
//   al_phys[0]    .   -   -   -   -   -   -   -
//   inc_valid     .   1   .   .   .   .   .   .
//   inc_grant     .   1   .   .   .   .   .   .
//   mk_valid      .   1   .   .   .   .   .   .
//   dec_valid     .   .   1   1   .   .   .   .
//   rel_valid     .   .   .   .   1   1   .   .
//   rel_phys      -   -   -   -   .   .   -   -
//   rel_ready     .   .   .   .   .   1   .   .
//   done_valid    .   .   .   .   .   .   1   .
//   free_count    8   7   7   7   7   7   7   8
#ifndef SMCOSIM_MODELS_REF_COUNT_H
#define SMCOSIM_MODELS_REF_COUNT_H

#include "models/block.h"

enum { RC_INC = 4, RC_MAX_ALLOC = 4, RC_MAX_DEC = 8 };

// clang-format off
#define REF_COUNT_PARAMS(P) \
    P(Banks, 4, 1, 32, "rf.banks", "register file banks") \
    P(Entries, 256, 2, 1024, "rf.entries", "warp registers per bank") \
    P(CountBits, 6, 1, 8, "larf.count_bits", "bits of a count") \
    P(NumAlloc, 2, 1, 4, "sm.schedulers", "registers allocated per cycle") \
    P(NumDec, 4, 1, 8, "rename.free_ports", "counts down per cycle")
// clang-format on

// A physical register is bank << EntryBits | entry.
// clang-format off
#define REF_COUNT_PORTS(W, V) \
    W(IN, cl_valid, 1, 1, 1, ALWAYS, -, "all registers become free") \
    W(IN, al_valid, 1, 1, NumAlloc, ALWAYS, -, "a register is wanted") \
    W(IN, al_bank, RC_MAX_ALLOC, NumAlloc, BankBits, ALWAYS, -, "its home bank") \
    W(IN, inc_valid, 1, 1, RC_INC, ALWAYS, -, "a mapping or pin more") \
    W(IN, inc_phys, RC_INC, RC_INC, PhyBits, ALWAYS, -, "of this register") \
    W(IN, dec_valid, 1, 1, NumDec, ALWAYS, -, "a mapping or pin less") \
    W(IN, dec_phys, RC_MAX_DEC, NumDec, PhyBits, ALWAYS, -, "of this register") \
    W(IN, mk_valid, 1, 1, 1, ALWAYS, -, "a register is entered in the table") \
    W(IN, mk_phys, 1, 1, PhyBits, ALWAYS, -, "that register") \
    W(IN, rel_ready, 1, 1, 1, ALWAYS, -, "the table takes the release") \
    W(IN, done_valid, 1, 1, 1, ALWAYS, -, "the table has answered a release") \
    W(IN, done_phys, 1, 1, PhyBits, ALWAYS, -, "of this register") \
    W(OUT, al_grant, 1, 1, NumAlloc, WORK, -, "here is one") \
    W(OUT, al_phys, RC_MAX_ALLOC, NumAlloc, PhyBits, WHEN, al_grant, "that register") \
    W(OUT, inc_grant, 1, 1, RC_INC, WORK, -, "the count had room") \
    W(OUT, rel_valid, 1, 1, 1, WORK, -, "a register has lost its last mapping") \
    W(OUT, rel_phys, 1, 1, PhyBits, WHEN, rel_valid, "that register") \
    W(OUT, free_count, 1, 1, FreeBits, ALWAYS, -, "registers that are free")
// clang-format on

#define REF_COUNT_WIDTHS \
    const int BankBits = block_bits(Banks), PhyBits = block_bits(Banks) + block_bits(Entries), \
              FreeBits = block_bits(Banks * Entries + 1)

typedef struct RefCountIn {
    REF_COUNT_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} RefCountIn;
typedef struct RefCountOut {
    REF_COUNT_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} RefCountOut;

// Observation, obs_words 1. Address bank * Entries + entry: CountBits-1:0 count, 29 entered, 30
// pending, 31 sent.
extern const BlockModel ref_count_model;

#endif
