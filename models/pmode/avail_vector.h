// SPDX-License-Identifier: Apache-2.0
// Contract of block avail_vector: the ids that are available for renaming in P-mode. They are the
// last NumPhy warp registers of the register file (P-mode paper, section 5.1).
//
// Place of id k: warp register n = Banks*Entries - NumPhy + k, bank n mod Banks, entry n / Banks. A
// warp gets whole rows (the same entries of all banks), so the registers that a launch leaves free
// are the last rows. Therefore the ids spread over all banks, and "the same bank" has a meaning.
// (The paper says "register numbers 895-1023", which are 129; these are 896..1023.)
//
// State per id: avail, pending (a write to it is in flight), dying (freed, waits for that write).
// Also limit, the number of ids that the launch itself uses.
//
// Load: load_valid: a launch begins: limit := load_count (more than NumPhy: NumPhy). Ids below it
//   are taken, all others available, none pending or dying. A load overrides all else.
// Allocate: alloc_valid[i]: an instruction issues in P-mode. `alloc_bank[2i]` is the bank of its
//   destination. With alloc_pair[i] it has two words, the second in bank alloc_bank[2i+1].
//   `alloc_ok[i]` and alloc_phy[2i], alloc_phy[2i+1] (meaningful for a pair only) answer in the
//   same cycle. They are the lowest available id of that bank, else the lowest available id of all
//   ("first unused register", same bank first). The second word follows the same rule among the
//   other ids. A pair gets two ids or none. Ports act in order: port i chooses among the ids left
//   by the ports below it. A bank of Banks or more: the lowest of all.
//   At the clock edge the ids become not available, and pending, because their instruction will
//   write them. `alloc_ok` is 0 if too few are left and in a cycle of load.
// Write: wb_valid[j]: the write to wb_phy[j] is done: the id becomes not pending. It becomes
//   available if it was dying or is freed in this cycle. Ignored if the id is not pending.
// Free: free_valid[f]: the owner frees free_phy[f] (models/pmode/pmode_rename.h names the owners).
//   If the id is not pending, or written in this cycle, it becomes available. If it is pending, it
//   becomes dying. So no id is allocated while an old write can still reach it. A P-mode
//   instruction may be in flight when its session ends. Ignored: an id that is already available or
//   dying, an id below limit.
// An id freed or written in cycle t can be allocated in t+1. `ready[k]`: k+1 ids or more are
// available, so a P-mode warp may be chosen for issue (the paper: only when a register is left).
// From state alone. This block does not track reads: the SM frees an id only when its last read is
// done.
// Reset: limit 0, all available.
// Never driven with its valid bit: an id of NumPhy or more.
// Left out: registers that one CTA of a launch frees while others run (limit is that of the
// launch).
//
// Clock: the search visits word after word, four times at two ports: 2.6 ns at 45 nm, avail to
// avail. At 700 MHz that is two cycles, in which avail must not change. An SM at that clock
// requests the ids of an instruction a cycle before it issues, every second cycle. This model
// requests them in the cycle of issue. The page `bench/area/README.md` has the measurement.
//
// Bits: NumPhy = 128 per SM, as in the paper. Added here: pending and dying, 2 * 128, and limit, 8.
//
// Diagram  A launch leaves ids 2 and 3. One is allocated, freed while its write is in flight, and
//          available after it. (NumPhy=4 Banks=2 Entries=8 NumIssue=1 NumWr=1)
//   cycle            0   1   2   3   4   5
//   load_valid       1   .   .   .   .   .
//   load_count       2   .   .   .   .   .
//   alloc_valid      .   1   .   .   .   .
//   alloc_bank[0]    .   1   .   .   .   .
//   alloc_ok         .   1   .   .   .   .
//   alloc_phy[0]     -   3   -   -   -   -
//   free_valid       .   .   1   .   .   .
//   free_phy[0]      .   .   3   .   .   .
//   wb_valid         .   .   .   1   .   .
//   wb_phy[0]        .   .   .   3   .   .
//   ready            3   3   1   1   3   3
#ifndef SMCOSIM_MODELS_AVAIL_VECTOR_H
#define SMCOSIM_MODELS_AVAIL_VECTOR_H

#include "models/block.h"

enum { AV_MAX_ISSUE = 4, AV_MAX_WR = 4, AV_MAX_FREE = 2 * AV_MAX_ISSUE + 3 };

// clang-format off
#define AVAIL_VECTOR_PARAMS(P) \
    P(NumPhy, 128, 1, 256, "pmode.registers", "physical registers of renaming") \
    P(Banks, 4, 1, 32, "rf.banks", "register file banks") \
    P(Entries, 256, 2, 1024, "rf.entries", "warp registers per bank") \
    P(NumIssue, 2, 1, 4, "oc.alloc_ports", "instructions that get ids per cycle") \
    P(NumWr, 2, 1, 4, "rf.write_ports", "results written per cycle")
// clang-format on

// Free ports: those of pmode_rename (2 * NumIssue + 1), the one of p_queue, one for the SM.
// clang-format off
#define AVAIL_VECTOR_PORTS(W, V) \
    W(IN, load_valid, 1, 1, 1, ALWAYS, -, "a launch begins") \
    W(IN, load_count, 1, 1, CountBits, ALWAYS, -, "ids that it uses for itself") \
    W(IN, alloc_valid, 1, 1, NumIssue, ALWAYS, -, "an instruction issues in P-mode") \
    W(IN, alloc_pair, 1, 1, NumIssue, ALWAYS, -, "its destination has two words") \
    W(IN, alloc_bank, AV_MAX_ISSUE * 2, NumIssue * 2, BankBits, ALWAYS, -, "their banks") \
    W(IN, wb_valid, 1, 1, NumWr, ALWAYS, -, "a renamed result is written") \
    W(IN, wb_phy, AV_MAX_WR, NumWr, PhyBits, ALWAYS, -, "to this id") \
    W(IN, free_valid, 1, 1, NumFree, ALWAYS, -, "an owner gives an id up") \
    W(IN, free_phy, AV_MAX_FREE, NumFree, PhyBits, ALWAYS, -, "that id") \
    W(OUT, ready, 1, 1, NumIssue * 2, ALWAYS, -, "k+1 ids are available") \
    W(OUT, alloc_ok, 1, 1, NumIssue, WORK, -, "port i gets what it asks for") \
    W(OUT, alloc_word, 1, 1, NumIssue * 2, ALWAYS, -, "word k of port i: alloc_ok, and it has that word") \
    W(OUT, alloc_phy, AV_MAX_ISSUE * 2, NumIssue * 2, PhyBits, WHEN, alloc_word, "its id")
// clang-format on

#define AVAIL_VECTOR_WIDTHS \
    const int BankBits = block_bits(Banks), PhyBits = block_bits(NumPhy), \
              CountBits = block_bits(NumPhy + 1), NumFree = 2 * NumIssue + 3

typedef struct AvailVectorIn {
    AVAIL_VECTOR_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} AvailVectorIn;
typedef struct AvailVectorOut {
    AVAIL_VECTOR_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} AvailVectorOut;

// Bank and entry of id k in banked_rf.
static inline int avail_vector_bank(int banks, int entries, int num_phy, int k) {
    return (banks * entries - num_phy + k) % banks;
}
static inline int avail_vector_entry(int banks, int entries, int num_phy, int k) {
    return (banks * entries - num_phy + k) / banks;
}

// Observation, obs_words 1: address k: bit 0 avail, 1 pending, 2 dying; address NumPhy: limit.
extern const BlockModel avail_vector_model;

#endif
