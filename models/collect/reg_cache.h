// SPDX-License-Identifier: Apache-2.0
// Contract of block reg_cache: a register file cache (RFC), a comparator of BOW (thesis section
// 3.6), between the operand collectors and the banked register file. Each warp has Ways rows of
// 1024 bits. Results allocate rows, read misses do not; rows are replaced first in, first out, and
// the value that leaves is written back to the register file. So a row is always newer than the
// register file. A register is known by its place in the register file (bank, entry).
//
// State      row R = w * Ways + k (way k of warp w): valid, place (bank and entry), 1024 bits
//            next[w]  the way of warp w that is replaced next
//            write-back buffer of each write port: full, place, 1024 bits; what was evicted and is
//            not yet written
//            first    the write port whose result comes first in this cycle
//            Row R lives in cache bank (R + w / Together) mod Banks, at index R / Banks, with
//            Together = Banks / gcd(Ways, Banks): as the registers of warps in the register file
//            (csrc/isa/place.h), so that the same way of as many warps as possible lies in
//            different banks. A cache bank serves one access per cycle: a read, a write, or an
//            exchange (the row that is overwritten comes out).
// Lookup     A place of warp w hits when a valid row of w holds it; no two do. It is in a buffer
//            when a full write-back buffer holds it, whatever the warp. Both on the state at the
//            start of the cycle.
// Reads      rd_valid[c]: collector c, which holds an instruction of warp rd_warp[c], asks for a
//            place. In this cycle
//              in a buffer      nothing: it asks again
//              hit              the row's cache bank is asked: of the collectors that ask a bank,
//                               the oldest is granted (rd_grant[c]), none when a result asks that
//                               bank (below), taken or not. Bit o of older[c]: collector o is older
//                               than c
//              else (miss)      rf_rd_valid[c]: the register file serves it
//            Cycle t+1 after a grant: rd_data_valid[b], rd_data_coll[b] and rd_data[b] of that
//            cache bank, the row as it was at the start of cycle t.
// Results    wr_valid[p]: a result of warp wr_warp[p] for a place, in lanes wr_lane. wr_whole[p]:
//            the lanes that it leaves out hold nothing of use. What becomes of it, by the state at
//            the start of the cycle:
//              in a buffer      it waits
//              hit              update: the lanes of wr_lane of the row are overwritten. Asks the
//                               row's cache bank
//              miss, whole      allocate: way next[w] becomes valid with this place; lanes without
//                               wr_lane become 0; next[w] moves on by one, cyclically. Asks the
//                               cache bank of that row. When the way was valid it is evicted: old
//                               place and row go to write-back buffer p; that needs buffer p empty,
//                               or rf_wr_ready[p] in this cycle. Else the result waits (and asks
//                               its bank)
//              miss, not whole  through: rf_wr_valid[p] in this cycle, when buffer p is empty;
//                               taken with rf_wr_ready[p]. Asks no cache bank
//            Of the updates and allocations that need not wait, ports in cyclic order from `first`
//            on: one is refused when a port before it in this order, itself not refused, asks for
//            the same cache bank (so two allocations for one warp, which ask for the same row, are
//            never taken together). The others are taken. `first` becomes the refused port that is
//            foremost in this order; it stays when none is refused (waiting for a buffer or the
//            register file is no refusal). wr_ready[p]: taken, in effect at the clock edge.
//            wr_hit[p]: a valid result hits, taken or not. evict[p]: taken, and a row moves into
//            buffer p at this edge.
// Write back rf_wr_valid[p]: buffer p is full (its place and row, all lanes), else a `through`
//            result of port p (its place, lanes and data). With rf_wr_ready[p] the buffer is empty
//            from the next cycle on, unless a row moves into it at this edge.
// Kill       kill_valid: the value at a place of warp kill_warp is dead. The row that it hits is
//            not valid from the next cycle on (next stays), unless it is evicted at this edge.
//            killed: there was such a row, and it is not evicted. A row that the place gets by an
//            allocation at this edge stays; buffers stay.
// Drop       drop_valid: warp drop_warp has ended. None of its rows is valid from the next cycle
//            on, next is 0;
//            dropped: how many were valid. Buffers stay.
// Order      rf_rd_valid, rd_grant, wr_hit, dropped, rf_wr_valid and what goes with it do not
//            depend on rf_wr_ready in the same cycle; wr_ready, evict and killed do.
// Reset: no row is valid, buffers empty, next and first 0, nothing is delivered in the next cycle.
//        The rows' memory is neither reset nor written in a cycle of reset.
// Ignored: older bits of collectors that do not ask; rf_wr_ready[p] without rf_wr_valid[p].
// Never driven with a valid request: a warp of Warps or more, a bank of Banks or more, an entry of
//        Entries or more; a result or a kill of the warp that is dropped in this cycle; older bits
//        that are no strict total order of the collectors that ask.
// Clock: 1.67 ns at 45 nm (typical corner, no wires; four collectors, rows of 16 bits), where the
//        SM's is 1.43 ns (700 MHz): a cycle of this text takes two of the SM. The path: a result's
//        warp selects its tags, they are compared with its place, it competes for the cache bank,
//        and being taken it changes tags and `next` of its warp. With a stage between lookup and
//        change a second result of the warp would look at tags that are about to change: it
//        compares with those, too. blocks.registered=reg_cache is that stage's timing in the SM:
//        results come a cycle later.
// Left out: rows fetched by read misses; flush of a warp that a two-level scheduler deschedules;
//        rows of which some lanes only are valid (such results go through).
//
// Diagram  One way: a result allocates, a read hits, the next result evicts it
//          (Warps=2 Ways=1 Banks=2 Entries=4 NumColl=2 NumWr=1)
//   cycle                  0   1        2   3   4
//   wr_valid               1   .        1   .   .
//   wr_entry[0]            2   .        3   .   .
//   wr_whole               1   .        1   .   .
//   wr_lane[0]      ffffffff   . ffffffff   .   .
//   wr_data[0]             a   .        b   .   .
//   wr_ready               1   .        1   .   .
//   evict                  .   .        1   .   .
//   rd_valid               .   3        .   .   .
//   rd_entry[0]            .   2        .   .   .
//   rd_entry[1]            .   1        .   .   .
//   older                  .   4        .   .   .
//   rd_grant               .   1        .   .   .
//   rf_rd_valid            .   2        .   .   .
//   rd_data_valid          .   .        1   .   .
//   rd_data[0]             -   -        a   -   -
//   rf_wr_valid            .   .        .   1   .
//   rf_wr_entry[0]         -   -        -   2   -
//   rf_wr_data[0]          -   -        -   a   -
//   rf_wr_ready            .   .        .   1   .
#ifndef SMCOSIM_MODELS_REG_CACHE_H
#define SMCOSIM_MODELS_REG_CACHE_H

#include "models/block.h"

enum {
    RFC_MAX_WARPS = 64,
    RFC_MAX_WAYS = 16,
    RFC_MAX_BANKS = 32,
    RFC_MAX_COLL = 32,
    RFC_MAX_WR = 4
};

// clang-format off
#define REG_CACHE_PARAMS(P) \
    P(Warps, 48, 1, 64, "sm.warps", "resident warps") \
    P(Ways, 6, 1, 16, "rfc.entries", "rows of each warp") \
    P(Banks, 4, 1, 32, "rf.banks", "banks of the register file, and of the cache") \
    P(Entries, 256, 2, 1024, "rf.entries", "warp registers per bank of the register file") \
    P(NumColl, 16, 2, 32, "oc.collectors", "operand collectors that read") \
    P(NumWr, 2, 1, 4, "rf.write_ports", "results per cycle")

#define REG_CACHE_PORTS(W, V) \
    W(IN, rd_valid, 1, 1, NumColl, ALWAYS, -, "collector c asks for one operand") \
    W(IN, rd_warp, RFC_MAX_COLL, NumColl, WarpBits, ALWAYS, -, "its warp") \
    W(IN, rd_bank, RFC_MAX_COLL, NumColl, BankBits, ALWAYS, -, "place of the operand: bank") \
    W(IN, rd_entry, RFC_MAX_COLL, NumColl, EntryBits, ALWAYS, -, "and entry") \
    W(IN, older, RFC_MAX_COLL, NumColl, NumColl, ALWAYS, -, "collectors older than c") \
    W(IN, wr_valid, 1, 1, NumWr, ALWAYS, -, "a result") \
    W(IN, wr_warp, RFC_MAX_WR, NumWr, WarpBits, ALWAYS, -, "of this warp") \
    W(IN, wr_bank, RFC_MAX_WR, NumWr, BankBits, ALWAYS, -, "place: bank") \
    W(IN, wr_entry, RFC_MAX_WR, NumWr, EntryBits, ALWAYS, -, "and entry") \
    W(IN, wr_whole, 1, 1, NumWr, ALWAYS, -, "lanes left out hold nothing of use") \
    W(IN, wr_lane, RFC_MAX_WR, NumWr, 32, ALWAYS, -, "lanes written") \
    V(IN, wr_data, RFC_MAX_WR, NumWr, 1024, ALWAYS, -, "result, slice-major") \
    W(IN, rf_wr_ready, 1, 1, NumWr, ALWAYS, -, "the register file takes the write of port p") \
    W(IN, kill_valid, 1, 1, 1, ALWAYS, -, "a value is dead") \
    W(IN, kill_warp, 1, 1, WarpBits, ALWAYS, -, "of this warp") \
    W(IN, kill_bank, 1, 1, BankBits, ALWAYS, -, "place: bank") \
    W(IN, kill_entry, 1, 1, EntryBits, ALWAYS, -, "and entry") \
    W(IN, drop_valid, 1, 1, 1, ALWAYS, -, "a warp has ended") \
    W(IN, drop_warp, 1, 1, WarpBits, ALWAYS, -, "this one") \
    W(OUT, rd_grant, 1, 1, NumColl, ALWAYS, -, "the cache serves collector c") \
    W(OUT, rf_rd_valid, 1, 1, NumColl, ALWAYS, -, "the register file is to serve collector c") \
    W(OUT, rd_data_valid, 1, 1, Banks, WORK, -, "cache bank b delivers") \
    W(OUT, rd_data_coll, RFC_MAX_BANKS, Banks, CollBits, WHEN, rd_data_valid, "to this collector") \
    V(OUT, rd_data, RFC_MAX_BANKS, Banks, 1024, WHEN, rd_data_valid, "value, slice-major") \
    W(OUT, wr_ready, 1, 1, NumWr, ALWAYS, -, "the result is taken (0 where not valid)") \
    W(OUT, wr_hit, 1, 1, NumWr, ALWAYS, -, "its register has a row (0 where not valid)") \
    W(OUT, evict, 1, 1, NumWr, WORK, -, "it is taken and evicts a row") \
    W(OUT, rf_wr_valid, 1, 1, NumWr, ALWAYS, -, "port p writes the register file") \
    W(OUT, rf_wr_bank, RFC_MAX_WR, NumWr, BankBits, WHEN, rf_wr_valid, "bank") \
    W(OUT, rf_wr_entry, RFC_MAX_WR, NumWr, EntryBits, WHEN, rf_wr_valid, "entry") \
    W(OUT, rf_wr_lane, RFC_MAX_WR, NumWr, 32, WHEN, rf_wr_valid, "lanes written") \
    V(OUT, rf_wr_data, RFC_MAX_WR, NumWr, 1024, WHEN, rf_wr_valid, "value, slice-major") \
    W(OUT, killed, 1, 1, 1, ALWAYS, -, "a dead row is freed") \
    W(OUT, dropped, 1, 1, WayBits, ALWAYS, -, "rows that the warp leaves behind (0 without drop_valid)")
// clang-format on

#define REG_CACHE_WIDTHS \
    const int WarpBits = block_bits(Warps), BankBits = block_bits(Banks), \
              EntryBits = block_bits(Entries), CollBits = block_bits(NumColl), \
              WayBits = block_bits(Ways + 1)

typedef struct RegCacheIn {
    REG_CACHE_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} RegCacheIn;
typedef struct RegCacheOut {
    REG_CACHE_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} RegCacheOut;

// Observation, obs_words 32. Rows = Warps * Ways.
//   R                             row R, 0 while it is not valid
//   Rows + w                      warp w. Word k (k < Ways): bit 31 way k is valid, 20:16 bank, 9:0
//                                 entry (0 while it is not valid); word 16: next[w]
//   Rows + Warps + p              the row of write-back buffer p, 0 while it is empty
//   Rows + Warps + NumWr          word p: buffer p as a way above (bit 31 full); word 4: first
extern const BlockModel reg_cache_model;

#endif
