// SPDX-License-Identifier: Apache-2.0
// Contract of block rfv_throttle: the CTAs that may take warp registers ("rows") under register
// virtualization (RFV, a comparator of RegMutex). RFV admits more CTAs than the register file has
// rows for. This block ensures that one CTA can always finish.
//
// A CTA needs at most cfg_rows rows, W * R (warps of a CTA, registers of a warp). Its balance is
// the number of rows that it may still take: cfg_rows minus the rows it holds. `free` = Banks *
// Entries minus the rows of all resident CTAs.
//
// Take: take_valid[r]: an instruction of CTA take_cta[r] issues and needs take_rows[r] rows (0 to
//   4), for its destination words without a row. Issue reserves the rows, so that no result is
//   refused at a write port. The answer is valid in the same cycle and takes effect at the clock
//   edge. Free' and balance' are the values after the take. Min' is the least balance' of a
//   resident CTA.
//
//            no rows         granted
//            free' > min'    granted
//            free' = min'    granted to the CTA that had the least balance before, of several the
//                            oldest
//            free' < min'    refused
//
//   A take is granted whole or refused. Ports go in order: a port sees free and balances as the
//   previous ports left them, and a refused take changes neither. A take does not see the starts,
//   ends and freed rows of its cycle.
// Free: free_valid[f]: a row of CTA free_cta[f] is free, or a reserved row is not needed.
// Start: start_valid: CTA start_cta is resident, the youngest, with balance cfg_rows.
// End: end_mask: these CTAs are not resident from the clock edge on.
// Load: cfg_valid (a kernel is placed): cfg_rows is latched, no CTA is resident, all rows are free.
//   A load overrides all else at that edge. In that cycle take_grant is 0.
// State alone, for the issue gate before the pick.
//   `room[c]`: the most rows, up to 4, that a lone take of CTA c would be granted. 0 if c is not
//     resident. A smaller take is granted too.
//   `rows_free`: free.
//   `rows_least`: the least balance of a resident CTA, 0 if none is resident.
// Progress: free >= rows_least at all times. The CTA of the least balance, of several the oldest,
//   gets every take granted. It therefore reaches its end, barriers included. When a CTA has ended,
//   rows are free for any other.
// Reset: as a load of cfg_rows 0.
// Never driven:
//   A cfg_rows above Banks * Entries.
//   A start of a CTA that is resident.
//   An end of a CTA that is not resident, that holds rows, or that takes or frees in this cycle.
//   A take of a CTA that is not resident, of more than 4 rows or of more than its balance (takes of
//   earlier ports included).
//   More freed rows of a CTA than it holds.
// Left out: the choice of the rows (alloc_unit), spilling.
//
// Clock: 1.70 ns at 45 nm. The path: the free rows less a balance, the decisions of both ports, a
// balance. At 700 MHz that is two cycles, in which no other take may be decided. This model needs
// one, the cycle in which the instruction issues. `blocks.registered=rfv_throttle` is that timing
// in the SM: it takes rows in every second cycle. The page `bench/area/README.md` has the
// measurement.
//
// Diagram  Six rows, two CTAs that may need four each. The second may not take the rows that the
//          first needs to end. (Banks=2 Entries=3 Ctas=2 NumReq=1 NumFree=1)
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

// Observation, obs_words 1. By address:
//   `c`: balance of CTA c (0 when not resident).
//   `Ctas + c`: CTA c is resident.
//   `2 * Ctas + c`: bit d: both are resident and CTA c started before CTA d.
//   `3 * Ctas`: free.
//   `3 * Ctas + 1`: cfg_rows.
extern const BlockModel rfv_throttle_model;

#endif
