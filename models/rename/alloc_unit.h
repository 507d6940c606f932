// SPDX-License-Identifier: Apache-2.0
// Contract of block alloc_unit: the free register map and the allocation policies (thesis 2.4.3,
// 2.5.3, "Allocation Unit" and "Size changes" in 2.6).
//
// State    map        per physical register (bank, entry): 4 bits, slice i in use
//          reserved   per physical register: its free slices wait for the buddy of the register in it
//          candidates per bank and class: valid, entry, mask. Classes: any n (n = 1..3): n slices are
//                     free; left n, right n (1..3): the n slices from B3 down / from B0 up are free;
//                     full: all four are. A reserved register is no candidate of any class.
//          previous   per request port: the bank and entry it allocated in the cycle before, if so
//          turn       the request port that comes first
//          hints      per kernel slot and register: alignment (2 bits), paired (1 bit), buddy (6 bits)
//          counts     slices in use; physical registers in use per bank
//
// Request  rq_valid[w]: warp, register, kernel slot are who writes; rq_size (1..4) the bytes the new
//   value needs (width_detect); rq_old_* where it lives now (mask 0000: nowhere); rq_align, rq_pair the
//   register's hints as the hint port gave them; rq_bd_* where its buddy lives (mask 0000: nowhere).
//   A request that is not done is made again in the next cycle; nothing is remembered of it, all its
//   inputs may change. The answer is combinational, in the same cycle: al_done[w] with al_bank,
//   al_entry, al_mask; it takes effect at the clock edge. al_kind:
//   0 keep    size equals the number of ones of the old mask: the place stays as it is. Always done.
//   1 shrink  size is smaller: the place stays, al_mask is size ones of the old mask: the highest for
//             policy 2 with left alignment, else the lowest. The other slices become free. Always
//             done.
//   2 first   no old mask: a place is searched, see below.
//   3 grow    size is larger: a place is searched; the old slices become free.
//
// Search   With policy 0 (first fit) and 1 (pair) banks are tried from (register + warp) mod Banks
//   on, cyclically; with policy 2 (align) from warp mod Banks on. `the candidate of class C` is that
//   of the first bank in this order that has one.
//   Policy 1, rq_pair, buddy lives somewhere: the buddy's register if size slices are free there (own
//             old slices counted as free when the old place is that register): the lowest of them.
//             Otherwise any n, and the buddy's register is not reserved any more.
//   Policy 1, rq_pair, buddy nowhere: full; the size lowest slices are taken and, if any are left, the
//             register is reserved. Without a full candidate: any n.
//   Policy 2: the first bank with a candidate of class any n; in that bank the left n (right n)
//             candidate when rq_align says left (right) and there is one, else the any n one.
//   Otherwise (policies 0 and 3, no hint): any n. (n = 4: any, left and right 4 are full.)
//   When no bank has an any n candidate, a growing register looks at its own register instead (not at
//   its buddy's): if own and free slices there together are enough, the lowest `size` of them.
//   Rest: al_none[w], the request waits; with policy 1 all reservations end at this clock edge (a
//   reservation yields when nothing else is free).
//   An allocation ends the reservation of the register it goes to (but see `buddy nowhere`).
//
// Candidates are found in the map of a cycle and used in the next one: what an entry freed in cycle t
//   offers is used from t+2 on. A candidate whose bank and entry were allocated from in the cycle
//   before is out of date: a request that comes to it waits one cycle (not done, not none).
//   Candidate of any n: the lowest entry, the n lowest free slices; left, right, full: the lowest
//   entry.
// Two requests that come to the same bank and entry in one cycle: the one earlier in the order turn,
//   turn + 1, .. (cyclically) has it, the other waits. turn stays while the port it names has a
//   request that is not done; otherwise it moves to the first port in the order that waited because
//   of another port, or stays if there was none.
//
// Free     fr_valid[f]: the slices of fr_mask become free at the clock edge (last read, exit of the
//   warp). A register with all slices free is not reserved any more.
// Hints    hl_valid: op 0 clears the hints of slot hl_kernel; op 1: the buddy of register hl_reg is
//   hl_value (a pair is loaded as two of these); op 2: alignment of hl_reg is hl_value's low 2 bits (0
//   don't care, 1 left, 2 right, 3 don't care); op 3: nothing.
//   hq_valid[a] (instruction port a) in cycle t asks for the hints of a register; ha_valid[a], ha_pair,
//   ha_buddy (where bit a of ha_pair is 1), ha_align answer in t+1, from the hints as they were in t.
// Counts   used_slices: slices in use now. used_regs: physical registers with any slice in use, in the
//   cycle before.
//
// An allocation always succeeds while at most Banks * Entries architected registers live: the others,
//   at most Banks * Entries - 1, are each in one physical register, so one physical register holds no
//   other than at most the requester itself. Is it empty, then it is a full candidate (reserved ones
//   are never empty) at the latest two cycles later. Is it the requester's own, then that has room for
//   four bytes and is taken. With more architected registers than that (the file is over-committed)
//   reservations end and the request waits for a free.
//   A stale rq_bd_* (the buddy has moved) costs a chance to coalesce, never correctness: the map
//   alone decides what is free.
// Reset: nothing in use or reserved, no hints (buddies are not reset), turn 0, candidates those of the
//   empty map, no previous allocation, counts 0, no hint answer.
// Ignored: inputs of a port without its valid bit; rq_bd_*, rq_pair outside policy 1; rq_align outside
//   policy 2.
// Never driven: size outside 1..4; a bank, entry, warp, kernel that does not exist where it counts
//   (rq_old_*, rq_bd_* with mask 0000 do not count); an old place or a freed slice that is not in use,
//   or named twice in a cycle (by two frees, two old masks, or a free and an old mask).
// Left out: the walk over a warp's registers at its exit (whoever owns the renaming table does it).
#ifndef SMCOSIM_MODELS_ALLOC_UNIT_H
#define SMCOSIM_MODELS_ALLOC_UNIT_H

#include "models/block.h"

enum { AU_MAX_BANKS = 32, AU_MAX_WR = 4, AU_MAX_ALLOC = 4, AU_MAX_FREE = 8, AU_MAX_KERNELS = 8, AU_REGS = 64 };
enum { AU_FIRST_FIT, AU_PAIR, AU_ALIGN };                       // policy
enum { AU_DONT_CARE, AU_LEFT, AU_RIGHT };                       // alignment
enum { AU_KEEP, AU_SHRINK, AU_FIRST, AU_GROW };                 // al_kind
enum { AU_IN_PLACE, AU_POLICY, AU_BUDDY, AU_FALLBACK, AU_OWN }; // al_how
enum { AU_HINT_CLEAR, AU_HINT_PAIR, AU_HINT_ALIGN };            // hl_op

#define ALLOC_UNIT_PARAMS(P)                                                                       \
    P(Banks, 4, 1, 32, "rf.banks", "register file banks")                                          \
    P(Entries, 256, 2, 1024, "rf.entries", "warp registers per bank")                              \
    P(Warps, 48, 1, 64, "sm.warps", "resident warps")                                              \
    P(NumWr, 2, 1, 4, "rf.write_ports", "results written per cycle")                               \
    P(NumFree, 4, 1, 8, "rename.free_ports", "registers freed per cycle")                          \
    P(NumKernels, 8, 1, 8, "rename.kernels", "kernels that have hints at once")         \
    P(NumAlloc, 2, 1, 4, "oc.alloc_ports", "instructions whose hints are asked for per cycle")

// al_how: 0 in place (keep, shrink); 1 where the policy wants it; 2 with its buddy; 3 any n although
// the policy wanted alignment, a full register or the buddy's; 4 its own register.
#define ALLOC_UNIT_PORTS(W, V)                                                                     \
    W(IN, policy, 1, 1, 2, ALWAYS, -, "0 first fit, 1 pair, 2 align")                              \
    W(IN, rq_valid, 1, 1, NumWr, ALWAYS, -, "port w writes a register")                            \
    W(IN, rq_warp, AU_MAX_WR, NumWr, WarpBits, ALWAYS, -, "warp")                                  \
    W(IN, rq_reg, AU_MAX_WR, NumWr, 6, ALWAYS, -, "architected register")                          \
    W(IN, rq_size, AU_MAX_WR, NumWr, 3, ALWAYS, -, "bytes needed, 1..4")                           \
    W(IN, rq_align, AU_MAX_WR, NumWr, 2, ALWAYS, -, "hint: 0 don't care, 1 left, 2 right")         \
    W(IN, rq_pair, 1, 1, NumWr, ALWAYS, -, "hint: the register has a buddy")                       \
    W(IN, rq_old_bank, AU_MAX_WR, NumWr, BankBits, ALWAYS, -, "where it lives: bank")              \
    W(IN, rq_old_entry, AU_MAX_WR, NumWr, EntryBits, ALWAYS, -, "entry")                           \
    W(IN, rq_old_mask, AU_MAX_WR, NumWr, 4, ALWAYS, -, "slices, 0 nowhere")                        \
    W(IN, rq_bd_bank, AU_MAX_WR, NumWr, BankBits, ALWAYS, -, "where its buddy lives: bank")        \
    W(IN, rq_bd_entry, AU_MAX_WR, NumWr, EntryBits, ALWAYS, -, "entry")                            \
    W(IN, rq_bd_mask, AU_MAX_WR, NumWr, 4, ALWAYS, -, "slices, 0 nowhere")                         \
    W(IN, fr_valid, 1, 1, NumFree, ALWAYS, -, "port f frees slices")                               \
    W(IN, fr_bank, AU_MAX_FREE, NumFree, BankBits, ALWAYS, -, "bank")                              \
    W(IN, fr_entry, AU_MAX_FREE, NumFree, EntryBits, ALWAYS, -, "entry")                           \
    W(IN, fr_mask, AU_MAX_FREE, NumFree, 4, ALWAYS, -, "slices")                                   \
    W(IN, hl_valid, 1, 1, 1, ALWAYS, -, "a hint is loaded")                                        \
    W(IN, hl_op, 1, 1, 2, ALWAYS, -, "0 clear the slot, 1 buddy, 2 alignment")                     \
    W(IN, hl_kernel, 1, 1, KernelBits, ALWAYS, -, "kernel slot")                                   \
    W(IN, hl_reg, 1, 1, 6, ALWAYS, -, "register")                                                  \
    W(IN, hl_value, 1, 1, 6, ALWAYS, -, "its buddy or alignment")                                  \
    W(IN, hq_valid, 1, 1, NumAlloc, ALWAYS, -, "hints of a register are asked for")                \
    W(IN, hq_kernel, AU_MAX_ALLOC, NumAlloc, KernelBits, ALWAYS, -, "kernel slot")                 \
    W(IN, hq_reg, AU_MAX_ALLOC, NumAlloc, 6, ALWAYS, -, "register")                                \
    W(OUT, al_done, 1, 1, NumWr, WORK, -, "the request is served")                                 \
    W(OUT, al_none, 1, 1, NumWr, ALWAYS, -, "nothing is free for it")                              \
    W(OUT, al_kind, AU_MAX_WR, NumWr, 2, WHEN, al_done, "0 keep, 1 shrink, 2 first, 3 grow")       \
    W(OUT, al_how, AU_MAX_WR, NumWr, 3, WHEN, al_done, "why there, see above")                     \
    W(OUT, al_bank, AU_MAX_WR, NumWr, BankBits, WHEN, al_done, "where it lives from now on: bank") \
    W(OUT, al_entry, AU_MAX_WR, NumWr, EntryBits, WHEN, al_done, "entry")                          \
    W(OUT, al_mask, AU_MAX_WR, NumWr, 4, WHEN, al_done, "slices")                                  \
    W(OUT, ha_valid, 1, 1, NumAlloc, ALWAYS, -, "hints asked for in the cycle before")             \
    W(OUT, ha_pair, 1, 1, NumAlloc, ALWAYS, -, "the register has a buddy (0 where not valid)")     \
    W(OUT, ha_buddy, AU_MAX_ALLOC, NumAlloc, 6, WHEN, ha_pair, "that register")                    \
    W(OUT, ha_align, AU_MAX_ALLOC, NumAlloc, 2, WHEN, ha_valid, "its alignment")                   \
    W(OUT, used_slices, 1, 1, SliceCountBits, ALWAYS, -, "slices in use")                          \
    W(OUT, used_regs, 1, 1, RegCountBits, ALWAYS, -, "physical registers in use, cycle before")

#define ALLOC_UNIT_WIDTHS                                                                          \
    const int BankBits = block_bits(Banks), EntryBits = block_bits(Entries),                       \
              WarpBits = block_bits(Warps), KernelBits = block_bits(NumKernels),                   \
              SliceCountBits = block_bits(4 * Banks * Entries + 1),                                \
              RegCountBits = block_bits(Banks * Entries + 1)

typedef struct AllocUnitIn { ALLOC_UNIT_PORTS(BLOCK_W_IN, BLOCK_V_IN) } AllocUnitIn;
typedef struct AllocUnitOut { ALLOC_UNIT_PORTS(BLOCK_W_OUT, BLOCK_V_OUT) } AllocUnitOut;

// Observation, obs_words 4. With G = ceil(Entries / 16), K = 10 classes:
//   0 .. Banks*G-1           bank a / G, entries 16 * (a % G) ..: byte i of the words is entry i of the
//                            sixteen: bits 3:0 slices in use, bit 4 reserved
//   then Banks * K           candidate of bank, class (any 1..3, full, left 1..3, right 1..3): word 0:
//                            bits 9:0 entry, 13:10 mask, 14 valid (all 0 where not valid)
//   then NumKernels * 64     hints of a register: word 0: 1:0 alignment, 2 paired, 8:3 buddy (0 where
//                            not paired)
//   then 1                   word 0: turn; word 1: slices in use; word 2: registers in use; word 3:
//                            ports that allocated in the cycle before
extern const BlockModel alloc_unit_model;

// For bounds (rf_datapath_ideal), in the golden model alone: slices become free without a port.
void alloc_unit_give(void *self, uint32_t bank, uint32_t entry, uint32_t mask);

#endif
