// SPDX-License-Identifier: Apache-2.0
// Contract of block addr_map_table: the address mapping table (AMT) of LARF. It records which
// physical warp register holds the words of a global load. A later load of the same words uses that
// register instead of the memory (thesis 5.5.2 and Figure 5.5, larf.md sections 3 and 6).
//
// Words: a load reads one 4-byte word per lane, lane i at base + i * stride. Base is the address of
//   lane 0, extrapolated if lane 0 is not active. The stride is 4 * lk_code bytes, 0..512. The span
//   of a load or entry is base .. base + 31 * stride + 3, lanes active or not. Three kinds of loads
//   are always a miss and never entered. They have no lanes, a code above 128, or a span that
//   passes the end of the address space.
// State: three banks of Rows = 2^RowBits rows of Ways entries {base, code, mask, register, valid,
//   data}. For each row the way to fill next. A queue of up to AMT_PENDING stores. For each class
//   of strides whether an entry of it was entered since the last flush.
// Place: class c = 0 for code 0, else 1 + ceil(log2(code)). Window n = base >> 5 for class 0, else
//   base >> (6 + c). All entries that can merge with a load are in the windows n - 1, n, n + 1.
//   Bank n mod 3. Row: the bits of n, cut from the lowest up into pieces of RowBits bits, all
//   XORed. Slot = (bank * Rows + row) * Ways + way.
// Look-up: a look-up with lk_valid and lk_ready in cycle t is answered in cycle t + AMT_CYCLES = t
//   + 3 (ans_valid). One may be accepted in every cycle. It sees the entries as they are at the
//   start of cycle t + 2. It also sees the load that is entered in t + 2, but not the entry that
//   this load evicts. With M = lk_mask:
//   `hit` (ans_kind 1): an entry of the same base and code whose mask has all lanes of M. The
//     lowest slot with data wins. Else the lowest slot without data wins (ans_wait: the sharer
//     waits). Else the load that is entered in t + 2 wins. `ans_use` = 01, ans_phys[0] its
//     register, ans_shift[0] = 0, ans_mask[0] = M.
//   `merge` (ans_kind 2): no hit, the stride is a power of two (code 1, 2, 4, .. 128), and one or
//     two entries of the same code with data cover M.
//     An entry at b reaches with shift k, |k| <= 31, if lk_base = b + k * stride: lane i of the
//     load is its lane i + k. It has the lanes i of M with 0 <= i + k <= 31 and bit i + k of its
//     mask.
//     Low: the entry with the longest run of M's lanes from the lowest lane of M up. High: the
//     entry with the longest run from the highest lane down. Of equals, the lowest slot wins.
//     It is a merge if both runs together are M. Then ans_mask[0] = the run of low, ans_mask[1] =
//     the rest of M. Ans_use = 01 without a rest, else 11. Ans_phys and ans_shift (6 bits, two's
//     complement) of low and high are inputs of merge_unit. Masks with holes may hide a pair, which
//     costs a load from memory.
//   `miss` (ans_kind 0): otherwise. `ans_use` = 00. A flush in cycle t, t + 1 or t + 2 causes a
//     miss too. So does a span that touches the 128-byte line of a store in the queue at the start
//     of t + 1.
//   `ans_enter`: the load may be entered. It is not a question and none of the three kinds above.
//   `ans_evicts`: the way that it would fill holds an entry.
// Enter: ins_valid in the cycle of an answer with ans_enter. The load of this answer is entered at
//   the end of the cycle, with register ins_phys and without data. It fills the way to fill next of
//   its row.
//   Ways fill first in, first out: a hit does not change the order, and dead entries are not filled
//   out of turn. Without ans_enter, or together with a flush, ins_valid has no effect.
// Question: lk_question = 1 (LAS): as a look-up, never entered. `lk_ready` = 0 while a store is in
//   the queue or arrives. Other look-ups are always accepted.
// Store: st_valid with st_ready (the queue has room) in cycle t: bytes st_low..st_high, both of one
//   128-byte line, will be written. The store precedes a look-up of the same cycle. It may be
//   performed from then on. While it waits, loads that touch its line miss. Every entry whose span
//   meets the bytes dies, with or without data.
//   The oldest store of the queue is armed at the end of the first cycle in which it is the oldest
//   and not armed (t + 3 at the earliest). It has one step per class entered since the last flush,
//   as recorded at the start of that cycle. Without a step it leaves the queue instead. An armed
//   store takes its next step, in the order of classes, in each cycle without an accepted look-up.
//   It leaves the queue at the end of the cycle of its last step.
//   A step in cycle r kills the entries of its class that meet the bytes, at the end of r + 2.
//   Class 0 has two steps: first the bases in the three windows from that of low - 3 on. The second
//   covers the others, and exists only if high is beyond these windows.
//   `obs_died`: entries that such a step kills in this cycle, bit = bank * Ways + way.
// Release: rel_valid in cycle t: the entries of register rel_phys die at the end of t + 1. Look-ups
//   accepted before cycle t may still hit them. `rel_done`, rel_done_phys in t + 3, when all of
//   these have been answered. From the next cycle on another value may be written to the register.
// Arrive: arr_valid[w]: the last lanes of a load have been written into arr_phys[w]. The entries of
//   that register have data from the end of t + 1. `arr_done[w]`, `arr_done_phys[w]` in t + 3:
//   every look-up with answer "wait" for it has been answered earlier, so its waiters may be
//   notified.
//   Release and arrival concern entries that were in the table at the start of t + 1.
// Flush: fl_valid in cycle t: at the end of the cycle the table has no entry and no class. No store
//   is in the queue and no step is in flight. A store of the same cycle kills nothing. Releases and
//   arrivals are answered as always.
// Outputs: ans_*, *_done, st_ready and obs_died from state alone (obs_died: before a flush of the
//   cycle, simulation only). `lk_ready` from state, st_valid and lk_question.
// Reset: no entries, way 0 is filled next in all rows, no stores, nothing in flight.
// Never driven: st_high below st_low or outside its line.
// Left out: base, stride and mask of 32 addresses (load_shape), reference counts (ref_count),
//   waiters (wait_table). In larf.md a filter works by region, and loads use the memory while a
//   store occupies the table. Here stores wait and loads never do, so that a filter by class
//   suffices.
//
// Diagram  A load misses, is entered with register 5, arrives. The same load hits. A store to its
//          line kills the entry. (RowBits=0 Ways=2 Banks=2 Entries=4 NumWr=1)
//   cycle          0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15  16  17  18
//   lk_valid       1   .   .   .   .   .   .   1   .   .   .   .   .   .   .   1   .   .   .
//   lk_base      100   .   .   .   .   .   . 100   .   .   .   .   .   .   . 100   .   .   .
//   lk_code        1   .   .   .   .   .   .   1   .   .   .   .   .   .   .   1   .   .   .
//   lk_mask        f   .   .   .   .   .   .   f   .   .   .   .   .   .   .   f   .   .   .
//   ans_valid      .   .   .   1   .   .   .   .   .   .   1   .   .   .   .   .   .   .   1
//   ans_kind       -   -   -   .   -   -   -   -   -   -   1   -   -   -   -   -   -   -   .
//   ans_wait       -   -   -   .   -   -   -   -   -   -   .   -   -   -   -   -   -   -   .
//   ans_enter      -   -   -   1   -   -   -   -   -   -   .   -   -   -   -   -   -   -   1
//   ins_valid      .   .   .   1   .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
//   ins_phys       .   .   .   5   .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
//   arr_valid      .   .   .   .   1   .   .   .   .   .   .   .   .   .   .   .   .   .   .
//   arr_phys[0]    .   .   .   .   5   .   .   .   .   .   .   .   .   .   .   .   .   .   .
//   arr_done       .   .   .   .   .   .   .   1   .   .   .   .   .   .   .   .   .   .   .
//   ans_phys[0]    -   -   -   -   -   -   -   -   -   -   5   -   -   -   -   -   -   -   -
//   st_valid       .   .   .   .   .   .   .   .   .   1   .   .   .   .   .   .   .   .   .
//   st_low         .   .   .   .   .   .   .   .   . 104   .   .   .   .   .   .   .   .   .
//   st_high        .   .   .   .   .   .   .   .   . 107   .   .   .   .   .   .   .   .   .
//   obs_died       .   .   .   .   .   .   .   .   .   .   .   .   .   .   .  10   .   .   .
#ifndef SMCOSIM_MODELS_ADDR_MAP_TABLE_H
#define SMCOSIM_MODELS_ADDR_MAP_TABLE_H

#include "models/block.h"

enum { AMT_MISS = 0, AMT_HIT = 1, AMT_MERGE = 2 };
enum {
    AMT_BANKS = 3,
    AMT_MAX_WAYS = 8,
    AMT_MAX_ROWS = 64,
    AMT_PENDING = 4,
    AMT_CLASSES = 9,
    AMT_CYCLES = 3,
    AMT_DONE = 3
};

// clang-format off
#define ADDR_MAP_TABLE_PARAMS(P) \
    P(RowBits, 4, 0, 6, "larf.row_bits", "log2 of the rows of each of the three banks") \
    P(Ways, 8, 1, 8, "larf.ways", "entries of a row") \
    P(Banks, 4, 1, 32, "rf.banks", "register file banks") \
    P(Entries, 256, 2, 1024, "rf.entries", "warp registers per bank") \
    P(NumWr, 2, 1, 4, "rf.write_ports", "arrivals per cycle")
// clang-format on

// A physical register is bank << EntryBits | entry.
// clang-format off
#define ADDR_MAP_TABLE_PORTS(W, V) \
    W(IN, lk_valid, 1, 1, 1, ALWAYS, -, "a global load asks") \
    W(IN, lk_question, 1, 1, 1, ALWAYS, -, "a question, never entered") \
    W(IN, lk_base, 1, 1, 32, ALWAYS, -, "address of lane 0") \
    W(IN, lk_code, 1, 1, 8, ALWAYS, -, "stride / 4") \
    W(IN, lk_mask, 1, 1, 32, ALWAYS, -, "active lanes") \
    W(IN, ins_valid, 1, 1, 1, ALWAYS, -, "the load that is answered is entered") \
    W(IN, ins_phys, 1, 1, PhyBits, ALWAYS, -, "with this physical register") \
    W(IN, st_valid, 1, 1, 1, ALWAYS, -, "a global store is about to write") \
    W(IN, st_low, 1, 1, 32, ALWAYS, -, "from this byte") \
    W(IN, st_high, 1, 1, 32, ALWAYS, -, "to this byte of the same line, included") \
    W(IN, rel_valid, 1, 1, 1, ALWAYS, -, "a register has lost its last mapping") \
    W(IN, rel_phys, 1, 1, PhyBits, ALWAYS, -, "that register") \
    W(IN, arr_valid, 1, 1, NumWr, ALWAYS, -, "the data of a load has been written") \
    W(IN, arr_phys, 4, NumWr, PhyBits, ALWAYS, -, "into this register") \
    W(IN, fl_valid, 1, 1, 1, ALWAYS, -, "all entries die") \
    W(OUT, lk_ready, 1, 1, 1, ALWAYS, -, "a look-up is accepted") \
    W(OUT, st_ready, 1, 1, 1, ALWAYS, -, "a store is accepted") \
    W(OUT, ans_valid, 1, 1, 1, WORK, -, "the answer to the look-up") \
    W(OUT, ans_kind, 1, 1, 2, WHEN, ans_valid, "0 miss, 1 hit, 2 merge") \
    W(OUT, ans_wait, 1, 1, 1, WHEN, ans_valid, "a hit whose data has not arrived") \
    W(OUT, ans_enter, 1, 1, 1, WHEN, ans_valid, "a miss that may be entered now") \
    W(OUT, ans_evicts, 1, 1, 1, WHEN, ans_enter, "entering it evicts an entry") \
    W(OUT, ans_use, 1, 1, 2, ALWAYS, -, "registers to take: 1 the first, 3 both") \
    W(OUT, ans_phys, 2, 2, PhyBits, WHEN, ans_use, "such a register") \
    W(OUT, ans_shift, 2, 2, 6, WHEN, ans_use, "lane i is its lane i + shift, two's complement") \
    W(OUT, ans_mask, 2, 2, 32, WHEN, ans_use, "lanes to take from it") \
    W(OUT, rel_done, 1, 1, 1, ALWAYS, -, "a release of three cycles ago is done") \
    W(OUT, rel_done_phys, 1, 1, PhyBits, WHEN, rel_done, "its register") \
    W(OUT, arr_done, 1, 1, NumWr, ALWAYS, -, "an arrival of three cycles ago is done") \
    W(OUT, arr_done_phys, 4, NumWr, PhyBits, WHEN, arr_done, "its register") \
    W(OBS, obs_died, 1, 1, 3 * Ways, ALWAYS, -, "entries that a store kills in this cycle")
// clang-format on

#define ADDR_MAP_TABLE_WIDTHS const int PhyBits = block_bits(Banks) + block_bits(Entries)

typedef struct AddrMapTableIn {
    ADDR_MAP_TABLE_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} AddrMapTableIn;
typedef struct AddrMapTableOut {
    ADDR_MAP_TABLE_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} AddrMapTableOut;

// Observation, obs_words 4, Slots = 3 * Rows * Ways. By address:
//   `s < Slots`: entry s, 0 while it is not valid.
//     Word 0: bit 31 valid, 30 data, 23:16 code, 14:0 register. Word 1: base. Word 2: mask.
//   `Slots + r`: row r = bank * Rows + row: the way to fill next.
//   `Slots + 3 Rows`: word 0: 2:0 stores in the queue, 12:4 classes entered since the flush.
//     Bits 25:16 remaining steps of the oldest store (0, 1: class 0, then class + 1), not 0 when it
//     is armed.
//   `Slots + 3 Rows + 1 + i`: store i of the queue, the oldest first.
//     Word 0: bit 31, 29:28 cycles in the queue, 1 to 3 (3 or more), 6:0 its last byte in the line.
//     Word 1: low.
extern const BlockModel addr_map_table_model;

#endif
