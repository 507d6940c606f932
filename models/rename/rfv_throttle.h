// SPDX-License-Identifier: Apache-2.0
// Contract of block rfv_throttle: which CTA may take warp registers ("rows") when register
// virtualization admits more CTAs than the register file has rows for, so that one CTA can always
// finish (RFV, a comparator of RegMutex).
//
// A CTA needs at most cfg_rows rows, W * R (warps of a CTA, registers of a warp). Its balance is
// what it may still take: cfg_rows minus the rows it has. free = Banks * Entries minus the rows of
// all resident CTAs.
//
// Take     take_valid[r]: an instruction of CTA take_cta[r] issues and needs take_rows[r] rows (its
//          destination words that have none; 0 to 4). They are reserved at issue, so that no result
//          is refused at a write port. Answered in the same cycle, in effect at the clock edge.
//          With free' and balance' as they would be with the rows taken, and min' the least
//          balance' of a resident CTA:
//            no rows         granted
//            free' > min'    granted
//            free' = min'    granted to the CTA that had the least balance before, of several the
//                            oldest
//            free' < min'    refused
//          A take is granted whole or refused. Ports go in order: a port sees free and balances as
//          the ports before it left them, and what a refused one asked for does not count. Starts,
//          ends and freed rows of the cycle are not seen.
// Free     free_valid[f]: a row of CTA free_cta[f] is free, or a reserved one is not needed.
// Start    start_valid: CTA start_cta is resident, the youngest, with balance cfg_rows.
// End      end_mask: these CTAs are not resident any more.
// Load     cfg_valid (a kernel is placed): cfg_rows is kept, no CTA is resident, all rows are free.
//          Wins over all else at that edge; take_grant of that cycle is 0.
// State alone, for the issue gate before the pick:
//          room[c]      the most rows, up to 4, that CTA c would be granted if it came alone; 0
//                       when not resident. (Fewer are granted too.)
//          rows_free    free
//          rows_least   the least balance of a resident CTA; none: 0
// Progress free >= rows_least at all times. The CTA of the least balance, of several the oldest, is
//          granted whatever it takes: it reaches its end, barriers included, and when a CTA has
//          ended there are rows for any other.
// Reset: as a load of cfg_rows 0.
// Never driven: cfg_rows above Banks * Entries; a start of a CTA that is resident; an end of one
//   that is not, or that has rows, or that takes or frees in this cycle; a take of a CTA that is
//   not resident, of more than 4 rows or of more than its balance (takes of earlier ports
//   included); more freed rows of a CTA than it has.
// Left out: which rows (alloc_unit), spilling.
//
// Clock: 1.70 ns at 45 nm, from the free rows less a balance over the decisions of both ports to a
// balance. At 700 MHz that is two cycles, in which no other take may be decided; ours is one: the
// instruction issues in it. blocks.registered=rfv_throttle is that timing in the SM: it takes rows
// in every second cycle. bench/area/README.md has the measurement.
//
// Diagram  Six rows, two CTAs that may need four each: the second may not take what the first needs
//          to end (Banks=2 Entries=3 Ctas=2 NumReq=1 NumFree=1)
//   cycle           0   1   2   3   4   5   6   7
//   cfg_valid       1   .   .   .   .   .   .   .
//   cfg_rows        4   .   .   .   .   .   .   .
//   start_valid     .   1   1   .   .   .   .   .
//   start_cta       .   .   1   .   .   .   .   .
//   take_valid      .   .   .   1   1   1   .   .
//   take_cta[0]     .   .   .   .   1   1   .   .
//   take_rows[0]    .   .   .   2   3   2   .   .
//   take_grant      .   .   .   1   .   .   .   .
//   free_valid      .   .   .   .   .   .   1   .
//   room[0]         .   .   4   4   4   4   4   4
//   room[1]         .   .   .   4   1   1   1   4
//   rows_free       6   6   6   6   4   4   4   5
//   rows_least      .   .   4   4   2   2   2   3
#ifndef SMCOSIM_MODELS_RFV_THROTTLE_H
#define SMCOSIM_MODELS_RFV_THROTTLE_H

#include "models/block.h"

enum { RT_MAX_CTAS = 32, RT_MAX_REQ = 4, RT_MAX_FREE = 8, RT_MAX_TAKE = 4 };

// clang-format off
#define RFV_THROTTLE_PARAMS(P) \
    P(Banks, 4, 1, 32, "rf.banks", "register file banks") \
    P(Entries, 256, 2, 1024, "rf.entries", "warp registers per bank") \
    P(Ctas, 8, 1, 32, "sm.ctas", "resident CTAs") \
    P(NumReq, 2, 1, 4, "sm.schedulers", "takes per cycle, one of each scheduler") \
    P(NumFree, 4, 1, 8, "rename.free_ports", "rows freed per cycle")

#define RFV_THROTTLE_PORTS(W, V) \
    W(IN, cfg_valid, 1, 1, 1, ALWAYS, -, "a kernel is placed") \
    W(IN, cfg_rows, 1, 1, RowBits, ALWAYS, -, "rows that a CTA may need") \
    W(IN, start_valid, 1, 1, 1, ALWAYS, -, "a CTA starts") \
    W(IN, start_cta, 1, 1, CtaBits, ALWAYS, -, "this one") \
    W(IN, end_mask, RT_MAX_CTAS, Ctas, 1, ALWAYS, -, "the CTA ends") \
    W(IN, take_valid, 1, 1, NumReq, ALWAYS, -, "an instruction needs rows") \
    W(IN, take_cta, RT_MAX_REQ, NumReq, CtaBits, ALWAYS, -, "its CTA") \
    W(IN, take_rows, RT_MAX_REQ, NumReq, 3, ALWAYS, -, "how many") \
    W(IN, free_valid, 1, 1, NumFree, ALWAYS, -, "a row is free") \
    W(IN, free_cta, RT_MAX_FREE, NumFree, CtaBits, ALWAYS, -, "whose it was") \
    W(OUT, take_grant, 1, 1, NumReq, WORK, -, "the instruction has its rows") \
    W(OUT, room, RT_MAX_CTAS, Ctas, 3, ALWAYS, -, "rows that the CTA may take") \
    W(OUT, rows_free, 1, 1, RowBits, ALWAYS, -, "free rows") \
    W(OUT, rows_least, 1, 1, RowBits, ALWAYS, -, "least balance")
// clang-format on

#define RFV_THROTTLE_WIDTHS \
    const int CtaBits = block_bits(Ctas), RowBits = block_bits(Banks * Entries + 1)

typedef struct RfvThrottleIn {
    RFV_THROTTLE_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} RfvThrottleIn;
typedef struct RfvThrottleOut {
    RFV_THROTTLE_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} RfvThrottleOut;

// Observation, obs_words 1: address c: balance of CTA c (0 when not resident); Ctas + c: CTA c is
// resident; 2 * Ctas + c: bit d: both are resident and CTA c started before CTA d; 3 * Ctas: free;
// one more: cfg_rows.
extern const BlockModel rfv_throttle_model;

#endif
