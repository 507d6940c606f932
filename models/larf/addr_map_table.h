// SPDX-License-Identifier: Apache-2.0
// Contract of block addr_map_table: the address mapping table (AMT) of LARF. It remembers which
// physical warp register holds what a global load has read, so that a later load of the same words
// takes that register instead of the memory (thesis 5.5.2 and Figure 5.5; larf.md sections 3 and
// 6).
//
// Words      A load reads one 4-byte word per lane, lane i at base + i * stride; base is the
//            address that lane 0 has or, when lane 0 is not active, would have. The stride is 4 *
//            lk_code bytes, 0..512. The span of a load or entry is base .. base + 31 * stride + 3,
//            lanes active or not. A load that asks for no lanes, whose code is above
//            128 or whose span passes the end of the address space is always a miss and never
//            entered.
// State      three banks of Rows = 2^RowBits rows of Ways entries {base, code, mask, register,
//            valid, data}; for each row the way to fill next; a queue of up to AMT_PENDING stores;
//            for each class of strides whether an entry of it was entered since the last flush.
// Place      class c = 0 for code 0, else 1 + ceil(log2(code)). Window n = base >> 5 for class 0,
//            else base >> (6 + c): all that can merge with a load lies in the windows n - 1, n, n +
//            1. Bank n mod 3; row = the bits of n, cut from the lowest up into pieces of RowBits
//               bits, all XORed. Slot = (bank * Rows + row) * Ways + way.
// Look-up    lk_valid with lk_ready in cycle t: answered in cycle t + AMT_CYCLES = t + 3
//            (ans_valid); one may be accepted in every cycle. It sees the entries as they are at
//            the start of cycle t + 2, and the load that is entered in t + 2, not the entry that
//            this one evicts. With M = lk_mask:
//   hit      (ans_kind 1) an entry of the same base and code whose mask has all lanes of M: of
//            those whose data is there the lowest slot, else (ans_wait: the sharer waits) of those
//            whose data is not there the lowest slot, else the load that is entered in t + 2.
//            ans_use = 01, ans_phys[0] its register, ans_shift[0] = 0, ans_mask[0] = M.
//   merge    (ans_kind 2) no hit; stride a power of two (code 1, 2, 4, .. 128); one or two entries
//            of the same code whose data is there cover M. An entry at b reaches with shift k, |k|
//            <= 31, when lk_base = b + k * stride: lane i of the load is its lane i + k; it has the
//            lanes i of M with 0 <= i + k <= 31 and bit i + k of its mask. low = the entry that has
//            the longest run of M's lanes from the lowest lane of M up, high = the one that has the
//            longest run from the highest lane down (of equals: the lowest slot). If both runs
//            together are M: ans_mask[0] = the run of low, ans_mask[1] = the rest of M; ans_use =
//            01 when there is no rest, else 11; ans_phys, ans_shift (6 bits, two's complement) of
//            low and high: what merge_unit needs. Masks with holes may hide a pair, which costs a
//            load from memory.
//   miss     (ans_kind 0) otherwise, ans_use = 00; also when a flush comes in cycle t, t + 1 or t +
//            2, and when the span of the load touches the 128-byte line of a store that is in the
//            queue at the start of t + 1.
//            ans_enter: the load may be entered (not a question, and none of the cases above that
//            are never entered).
//            ans_evicts: the way that it would fill holds an entry.
// Enter      ins_valid in the cycle of an answer with ans_enter: the load of this answer is entered
//            with register ins_phys, data not there, at the end of the cycle, in the way to fill
//            next of its row (first in, first out: a hit does not change the order, dead entries
//            are not filled out of turn). Without ans_enter, or together with a flush: no effect.
// Question   lk_question = 1 (LAS): as a look-up, never entered. lk_ready = 0 while a store is in
//            the queue or comes. Other look-ups are always accepted.
// Store      st_valid with st_ready (the queue has room) in cycle t: bytes st_low..st_high, both of
//            one 128-byte line, are about to be written; comes before a look-up of the same cycle.
//            The store may be performed from then on: as long as it waits, loads that touch its
//            line miss. Every entry whose span meets the bytes, data there or not, dies as follows.
//            The oldest store of the queue is armed at the end of the first cycle, t + 3 at the
//            earliest, in which it is the oldest and not armed: it has a step to take per class
//            that was entered since the last flush as known at the start of that cycle; without one
//            it leaves the queue instead. Armed, it takes its next step, in the order of classes,
//            in each cycle without an accepted look-up, and leaves the queue at the end of the
//            cycle of its last. What a step in cycle r kills dies at the end of r + 2: the entries
//            of its class that meet the bytes. Class 0 has two steps: first the bases in the three
//            windows from that of low - 3 on, then, only if high lies beyond these, the others.
//            obs_died: entries that die in this cycle so, bit = bank * Ways + way.
// Release    rel_valid in cycle t: the entries of register rel_phys die at the end of t + 1:
//            look-ups accepted before cycle t may still hit them. rel_done, rel_done_phys in t + 3,
//            when all of these have been answered: from the cycle after, the register may be
//            written by another value.
// Arrive     arr_valid[w]: the last lanes of a load have been written into arr_phys[w]: the data of
//            the entries of that register is there from the end of t + 1. arr_done[w],
//            arr_done_phys[w] in t + 3: every look-up that was answered "wait" for it has been
//            answered before: it may be told. Release and arrival concern entries that were in the
//            table at the start of t + 1.
// Flush      fl_valid in cycle t: no entry, no store in the queue, no class, no step under way at
//            the end of the cycle. A store of the same cycle has nothing to kill. Releases and
//            arrivals are answered as always.
// Outputs    ans_*, *_done, st_ready and obs_died from state alone (obs_died: before a flush of the
//            cycle, simulation only); lk_ready from state, st_valid and lk_question.
// Reset      no entries, way 0 is filled next in all rows, no stores, nothing under way.
// Never driven: st_high below st_low or outside its line.
// Left out   base, stride and mask of 32 addresses (load_shape); reference counts (ref_count); who
//            waits (wait_table). larf.md proposes a filter by region, and loads that find the table
//            busy with a store go to memory; here stores wait and loads never do, so that a filter
//            by class is enough.
//
// Diagram  A load misses, is entered with register 5, arrives; the same load hits; a store to its
//          line kills the entry (RowBits=0 Ways=2 Banks=2 Entries=4 NumWr=1)
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
    P(RowBits, 5, 0, 6, "larf.row_bits", "log2 of the rows of each of the three banks") \
    P(Ways, 4, 1, 8, "larf.ways", "entries of a row") \
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

// Observation, obs_words 4, Slots = 3 * Rows * Ways.
//   address s < Slots      entry s, 0 while it is not valid:
//     word 0: bit 31 valid, 30 data, 23:16 code, 14:0 register; word 1: base; word 2: mask
//   address Slots + r      row r = bank * Rows + row: the way to fill next
//   address Slots + 3 Rows word 0: 2:0 stores in the queue, 12:4 the classes entered since the
//   flush, 25:16 the steps that
//     the oldest store has to take (0, 1: class 0; then class + 1), not 0 when it is armed
//   from there + 1 + i     store i of the queue, the oldest first: word 0: bit 31, 29:28 cycles in
//   the queue, 1 to 3 (3 or
//     more), 6:0 its last byte in the line; word 1: low
extern const BlockModel addr_map_table_model;

#endif
