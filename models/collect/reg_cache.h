// SPDX-License-Identifier: Apache-2.0
// Contract of block reg_cache: a register file cache (RFC), a comparator of BOW (thesis section
// 3.6), between the operand collectors and the banked register file. Each warp has Ways rows of
// 1024 bits. Results allocate rows, read misses do not. Rows are replaced first in, first out. The
// evicted value is written back to the register file. So a row is always newer than the register
// file. A register is identified by its place in the register file (bank, entry).
//
// State
//   Row R = w * Ways + k (way k of warp w): valid, place (bank and entry), 1024 bits.
//   `next[w]`: the way of warp w that is replaced next.
//   Write-back buffer of each write port: full, place, 1024 bits. It holds an evicted row until it
//     is written.
//   `first`: the write port whose result has priority in this cycle.
//   Row R is in cache bank (R + w / Together) mod Banks, at index R / Banks, with Together = Banks
//     / gcd(Ways, Banks). So the same way of as many warps as possible is in different banks, as
//     registers of warps are in the register file (csrc/isa/place.h). A cache bank serves one
//     access per cycle: a read, a write, or an exchange (it also reads the overwritten row).
// Lookup: a place of warp w hits if a valid row of w holds it. No two rows hold it. It is in a
//   buffer if a full write-back buffer holds it, for any warp. Both use the state at the start of
//   the cycle.
// Reads: rd_valid[c]: collector c, which holds an instruction of warp rd_warp[c], requests a place.
//   In this cycle:
//     In a buffer: no effect. The collector repeats the request.
//     Hit: a request to the row's cache bank. Of the collectors that request a bank, the oldest is
//       granted (rd_grant[c]). None is granted if a result requests that bank (below), taken or
//       not. Bit o of older[c]: collector o is older than c.
//     Miss: rf_rd_valid[c]: the register file serves it.
//   In cycle t+1 after a grant: rd_data_valid[b], rd_data_coll[b] and rd_data[b] of that cache
//   bank, the row as it was at the start of cycle t.
// Results: wr_valid[p]: a result of warp wr_warp[p] for a place, in lanes wr_lane. `wr_whole[p]`:
//   the other lanes hold no useful value. Its effect depends on the state at the start of the
//   cycle:
//     In a buffer: it waits.
//     Hit: update: the lanes of wr_lane of the row are overwritten. It requests the row's cache
//       bank.
//     Miss, whole: allocate: way next[w] becomes valid with this place. Lanes without wr_lane
//       become 0. `next[w]` advances by one, cyclically. It requests the cache bank of that row. A
//       valid way is evicted: its old place and row move to write-back buffer p. Then buffer p must
//       be empty, or rf_wr_ready[p] must be 1 in this cycle. Else the result waits (and requests
//       its bank).
//     Miss, not whole: through: rf_wr_valid[p] in this cycle, if buffer p is empty. It is taken
//       with rf_wr_ready[p]. It requests no cache bank.
//   The updates and allocations that need not wait compete, in cyclic order of ports from `first`
//   on. One is refused if an earlier port in this order, itself not refused, requests the same
//   cache bank. So two allocations for one warp, which request the same row, are never taken
//   together. The others are taken. `first` becomes the foremost refused port in this order. It
//   stays if none is refused. Waiting for a buffer or the register file is no refusal.
//   `wr_ready[p]`: taken, in effect at the clock edge. `wr_hit[p]`: a valid result hits, taken or
//   not. `evict[p]`: taken, and a row moves into buffer p at this edge.
// Write back: rf_wr_valid[p] presents a full buffer p (its place and row, all lanes). Else it
//   presents a `through` result of port p (its place, lanes and data). With rf_wr_ready[p] the
//   buffer is empty from the next cycle on, unless a row moves into it at this edge.
// Kill: kill_valid: the value at a place of warp kill_warp is dead. The row that it hits is invalid
//   from the next cycle on (next stays), unless it is evicted at this edge. `killed`: there was
//   such a row, and it is not evicted. If the place gets a row by an allocation at this edge, that
//   row stays. Buffers stay.
// Drop: drop_valid: warp drop_warp has ended. From the next cycle on none of its rows is valid and
//   its next is 0. `dropped`: the number of rows that were valid. Buffers stay.
// Order: rf_rd_valid, rd_grant, wr_hit, dropped, rf_wr_valid and its fields do not depend on
//   rf_wr_ready in the same cycle. Wr_ready, evict and killed do.
// Reset: no row is valid, buffers empty, next and first 0, no data in the next cycle. The rows'
//   memory is neither reset nor written in a cycle of reset.
// Ignored: older bits of collectors without a request. `rf_wr_ready[p]` without rf_wr_valid[p].
// Never driven with a valid request: a warp of Warps or more, a bank of Banks or more, an entry of
//   Entries or more. A result or a kill of the warp that is dropped in this cycle. Older bits that
//   are no strict total order of the collectors with a request.
// Clock: 1.67 ns at 45 nm (typical corner, no wires, four collectors, rows of 16 bits). The SM's
//   clock is 1.43 ns (700 MHz), so a cycle of this text takes two of the SM. The path: a result's
//   warp selects its tags, its place is compared with them, and it competes for the cache bank. If
//   taken, it changes tags and `next` of its warp. A stage between lookup and change would show
//   stale tags to a second result of the warp. So this result also compares with the pending
//   changes. `blocks.registered=reg_cache` is that stage's timing in the SM: results arrive a cycle
//   later.
// Left out: rows fetched by read misses. Flush of a warp that a two-level scheduler deschedules.
//   Rows with some valid lanes only (such results go through).
//
// Diagram  One way: a result allocates, a read hits, the next result evicts it.
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
//   `R`: row R, 0 while it is not valid.
//   `Rows + w`: warp w. Word k (k < Ways): bit 31 way k is valid, 20:16 bank, 9:0 entry (0 while it
//     is not valid). Word 16: next[w].
//   `Rows + Warps + p`: the row of write-back buffer p, 0 while it is empty.
//   `Rows + Warps + NumWr`: word p: buffer p as a way above (bit 31 full). Word 4: first.
extern const BlockModel reg_cache_model;

#endif
