// SPDX-License-Identifier: Apache-2.0
// Contract of block addr_map_table: the address mapping table (AMT) of LARF. It remembers which
// physical warp register holds what a global load has read, so that a later load of the same words
// takes that register instead of the memory (thesis 5.5.2 and Figure 5.5; spec section 5).
//
// Words      A load reads one 4-byte word per lane, lane i at address base + i * stride, modulo 2^32;
//            base is the address that lane 0 has or, when lane 0 is not active, would have. Any byte
//            address is legal. Loads of other sizes and those without a single stride do not come here.
// Stride     Given in bytes, 32-bit two's complement. It fits when it is a multiple of 4 in
//            -508..512: the paper's 8 bits hold stride / 4, and its statistics span 0..512, so the
//            code 0x80 is +512 and 0x81..0xff are the negative ones. One active lane: say 0.
// State      Slots entries {base 32, stride 8, mask 32, physical register, data bit, valid bit}, the
//            slot to fill next (FIFO, a ring of all slots, dead ones are not filled out of turn), the
//            operation under way. Slot s lies in row s / W, way s % W, W = min(Ways, Slots); a scan
//            reads one row, W entries, per cycle: Rows = ceil(Slots / W) cycles for all.
// Lookup     lk_valid with lk_ready in cycle t: the answer stands in cycle t + Rows + 3 (ans_valid,
//            that cycle only, taken or not), about the table as it is after what was accepted in
//            cycles <= t. Nothing but flushes and the end of a scan of a store comes in between.
//            With M = lk_mask:
//   hit      (ans_kind 1) an entry of the same base and stride whose mask has all lanes of M: the
//            lowest such slot whose data bit is set, else the lowest one (ans_wait: its data has not
//            arrived, the sharer waits for it). ans_use = 01, ans_phys[0] its register, ans_shift[0]
//            = 0, ans_mask[0] = M.
//   merge    (ans_kind 2) no hit; one or two entries whose data is there cover M. Entry {b, stride,
//            m} of the same stride reaches with shift k, |k| <= 31, when lk_base = b + k * stride
//            (stride 0: only k = 0): lane i of the load is its lane i + k; it covers the lanes i of M
//            with 0 <= i + k <= 31 and bit i + k of m. low = the entry that covers the longest run
//            of M's lanes from the lowest lane of M up, high = the one that covers the longest run
//            from the highest lane down (of equals: the lowest slot; none when the run is empty). If
//            both together cover M: ans_mask[0] = what low covers, ans_mask[1] = the rest of M;
//            ans_use = 01 when there is no rest, else 11; ans_phys, ans_shift (6 bits, two's
//            complement) of low and high: what merge_unit needs.
//            Any two entries that cover M are found, in place of which low and high cover M as well,
//            when the masks of the entries have no holes; with holes a cover may be missed, which
//            costs a load from memory.
//   miss     (ans_kind 0) otherwise, ans_use = 00. With lk_insert, ans_kept: the load has been
//            entered at the slot to fill next, with register lk_phys, data bit 0, at the clock edge
//            before the cycle of the answer. ev_valid: the entry that stood there died for it, of
//            register ev_phys (which keeps its value as long as it is mapped).
//            M = 0 or a stride that does not fit: always a miss, never entered.
//            lk_insert = 0: a question only (LAS), or no register is free.
//            Two entries never have one register: an entry that has lk_phys already dies (no ev_valid).
// Arrive     arr_valid with arr_ready: the value of a load has been written into arr_phys: the data
//            bit of the entry of that register is set. No such entry: ignored.
// Release    rel_valid with rel_ready: rel_phys lost its last mapping, or is about to be written by
//            something else: its entry dies. No such entry: ignored.
// Store      st_valid with st_ready in cycle t: bytes st_low..st_high (both included; modulo 2^32, so
//            that high < low wraps) are about to be written. An entry dies when one of these bytes
//            lies between the first byte of the lowest and the last byte of the highest of its 32
//            lanes, active or not (modulo 2^32): too many at times, never too few. The entries of row
//            r die at the end of cycle t + 1 + r. A store without a single stride comes as several
//            ranges, one per line.
// Flush      fl_valid, at any time: all entries die at the end of the cycle (barrier, atomic, end of a
//            kernel). A lookup not answered yet ends in a miss; it is entered all the same, as its
//            load goes to memory after the flush.
// Ready      In state from outside: idle, store scan, lookup scan. A lookup is under way from the
//            cycle after it was accepted to the one before its answer (Rows + 2 cycles), a store from
//            the cycle after to t + Rows - 1.
//              st_ready   nothing is under way
//              lk_ready   nothing is under way, and no st_valid
//              rel_ready  no lookup is under way
//              arr_ready  no lookup is under way, and no rel_valid
//            So a release or arrival may be accepted together with a lookup or store, which comes
//            after it. valid without ready: no effect, and nobody has to repeat it.
// Same edge  flush, then: release or arrival, kills of a store's row, entering a load.
// Outputs: ready from state, st_valid and rel_valid; ans_*, ev_* from state alone.
// Reset: no entries, slot 0 is filled next, nothing under way, no answer.
// Ignored: see above; there is nothing that may not be driven.
// Left out: computing base, stride and mask from 32 addresses (the mapping controller; the SM does),
//           reference counts of physical registers, the locality checker of LAS (it asks with
//           lk_insert = 0).
//
// Bits per entry: 72 + PhyBits: 83 for the 2048 registers of the paper's machine, 82 for 1024; data
// and valid bits are ours. 400 entries are 33,200 bits: 4.05 KB, where the paper writes 1 KB.
#ifndef SMCOSIM_MODELS_ADDR_MAP_TABLE_H
#define SMCOSIM_MODELS_ADDR_MAP_TABLE_H

#include "models/block.h"

enum { AMT_MISS = 0, AMT_HIT = 1, AMT_MERGE = 2 };

#define ADDR_MAP_TABLE_PARAMS(P)                                                                  \
    P(Slots, 400, 2, 1024, "larf.entries", "entries")                                             \
    P(Ways, 50, 1, 1024, "larf.ways", "entries compared per cycle")                               \
    P(Banks, 4, 1, 32, "rf.banks", "register file banks")                                         \
    P(Entries, 256, 2, 1024, "rf.entries", "warp registers per bank")

// A physical register is bank << EntryBits | entry.
#define ADDR_MAP_TABLE_PORTS(W, V)                                                                \
    W(IN, lk_valid, 1, 1, 1, ALWAYS, -, "a global load asks")                                     \
    W(IN, lk_base, 1, 1, 32, ALWAYS, -, "address of lane 0")                                      \
    W(IN, lk_stride, 1, 1, 32, ALWAYS, -, "bytes from lane to lane, two's complement")            \
    W(IN, lk_mask, 1, 1, 32, ALWAYS, -, "active lanes")                                           \
    W(IN, lk_insert, 1, 1, 1, ALWAYS, -, "on a miss it is entered")                               \
    W(IN, lk_phys, 1, 1, PhyBits, ALWAYS, -, "with this physical register")                       \
    W(IN, st_valid, 1, 1, 1, ALWAYS, -, "a global store is about to write")                       \
    W(IN, st_low, 1, 1, 32, ALWAYS, -, "from this byte")                                          \
    W(IN, st_high, 1, 1, 32, ALWAYS, -, "to this byte, included")                                 \
    W(IN, rel_valid, 1, 1, 1, ALWAYS, -, "a register loses its last mapping")                     \
    W(IN, rel_phys, 1, 1, PhyBits, ALWAYS, -, "that register")                                    \
    W(IN, arr_valid, 1, 1, 1, ALWAYS, -, "the data of a load has been written")                   \
    W(IN, arr_phys, 1, 1, PhyBits, ALWAYS, -, "into this register")                               \
    W(IN, fl_valid, 1, 1, 1, ALWAYS, -, "all entries die")                                        \
    W(OUT, lk_ready, 1, 1, 1, ALWAYS, -, "a lookup is taken")                                     \
    W(OUT, st_ready, 1, 1, 1, ALWAYS, -, "a store is taken")                                      \
    W(OUT, rel_ready, 1, 1, 1, ALWAYS, -, "a release is taken")                                   \
    W(OUT, arr_ready, 1, 1, 1, ALWAYS, -, "an arrival is taken")                                  \
    W(OUT, ans_valid, 1, 1, 1, WORK, -, "the answer to the lookup")                               \
    W(OUT, ans_kind, 1, 1, 2, WHEN, ans_valid, "0 miss, 1 hit, 2 merge")                          \
    W(OUT, ans_wait, 1, 1, 1, WHEN, ans_valid, "a hit whose data has not arrived")                \
    W(OUT, ans_kept, 1, 1, 1, WHEN, ans_valid, "the load has been entered")                       \
    W(OUT, ans_use, 1, 1, 2, ALWAYS, -, "registers to take: 1 the first, 3 both")                 \
    W(OUT, ans_phys, 2, 2, PhyBits, WHEN, ans_use, "such a register")                             \
    W(OUT, ans_shift, 2, 2, 6, WHEN, ans_use, "lane i is its lane i + shift, two's complement")   \
    W(OUT, ans_mask, 2, 2, 32, WHEN, ans_use, "lanes to take from it")                            \
    W(OUT, ev_valid, 1, 1, 1, ALWAYS, -, "an entry was evicted for it")                           \
    W(OUT, ev_phys, 1, 1, PhyBits, WHEN, ev_valid, "register of that entry")

#define ADDR_MAP_TABLE_WIDTHS                                                                     \
    const int PhyBits = block_bits(Banks) + block_bits(Entries)

typedef struct AddrMapTableIn { ADDR_MAP_TABLE_PORTS(BLOCK_W_IN, BLOCK_V_IN) } AddrMapTableIn;
typedef struct AddrMapTableOut { ADDR_MAP_TABLE_PORTS(BLOCK_W_OUT, BLOCK_V_OUT) } AddrMapTableOut;

// Observation, obs_words 4.
//   address s < Slots   entry s, 0 while it is not valid:
//     word 0: bit 31 valid, 30 data, 23:16 stride / 4 (its code), 14:0 physical register
//     word 1: base; word 2: mask
//   address Slots       word 0: row << 16 | way of the slot to fill next; word 1: cycles since what
//     is under way was accepted (from 1; 0: nothing is), bit 16: it is a lookup
//   address Slots + 1   what is under way, 0 when nothing is:
//     store:  word 0: 0; word 1: low; word 2: high
//     lookup: word 0: bit 31 lk_insert, 30 the stride fits, 23:16 its code (0 when it does not fit),
//             14:0 lk_phys; word 1: base; word 2: mask
extern const BlockModel addr_map_table_model;

#endif
