// SPDX-License-Identifier: Apache-2.0
// Contract of block wait_table: registers that share a value which a load in flight has not written
// yet (larf.md 3.2, FLIGHT). Each waiter is a destination that stays pending in the scoreboard
// until its value arrives.
//
// State: Waiters places {valid, arrived, physical register, warp, architected register}.
// Enter: en_valid, en_phys, en_warp, en_reg with en_ready (a place is free at the start of the
//   cycle). The waiter occupies the lowest free place from the end of the cycle. Without en_ready
//   there is no effect, and the load goes to memory.
// Arrive: arr_valid[w], arr_phys[w] (arr_done of addr_map_table). From the end of the cycle the
//   value of all waiters of that register has arrived. A waiter that enters in this cycle is
//   included.
// Wake: wk_valid[k], wk_warp[k], wk_reg[k], k < NumWr: the lowest places whose value has arrived,
//   in order. Their places are free from the end of the cycle. From state alone, as en_ready.
// Flush: cl_valid: no waiters at the end of the cycle. A flush overrides all else.
// Reset: no waiters.
// Left out: the scoreboard. Order among waiters (each is another register of another warp).
//
// Diagram  R2 of warp 1 and R3 of warp 0 wait for register 5. One is woken per cycle.
//          (Waiters=4 Warps=4 Regs=8 Banks=2 Entries=4 NumWr=1)
//   cycle          0   1   2   3   4   5   6
//   en_valid       1   1   .   .   .   .   .
//   en_phys        5   5   .   .   .   .   .
//   en_warp        1   .   .   .   .   .   .
//   en_reg         2   3   .   .   .   .   .
//   en_ready       1   1   1   1   1   1   1
//   arr_valid      .   .   .   1   .   .   .
//   arr_phys[0]    .   .   .   5   .   .   .
//   wk_valid       .   .   .   .   1   1   .
//   wk_warp[0]     -   -   -   -   1   .   -
//   wk_reg[0]      -   -   -   -   2   3   -
#ifndef SMCOSIM_MODELS_WAIT_TABLE_H
#define SMCOSIM_MODELS_WAIT_TABLE_H

#include "models/block.h"

enum { WT_MAX_WAITERS = 64, WT_MAX_WR = 4 };

// clang-format off
#define WAIT_TABLE_PARAMS(P) \
    P(Waiters, 64, 1, 64, "larf.waiters", "registers that wait") \
    P(Warps, 48, 2, 64, "sm.warps", "resident warps") \
    P(Regs, 63, 2, 64, "sm.regs_per_thread", "architected registers of a warp") \
    P(Banks, 4, 1, 32, "rf.banks", "register file banks") \
    P(Entries, 256, 2, 1024, "rf.entries", "warp registers per bank") \
    P(NumWr, 2, 1, 4, "rf.write_ports", "arrivals, and waiters woken, per cycle")

#define WAIT_TABLE_PORTS(W, V) \
    W(IN, cl_valid, 1, 1, 1, ALWAYS, -, "nobody waits any more") \
    W(IN, en_valid, 1, 1, 1, ALWAYS, -, "a sharer waits") \
    W(IN, en_phys, 1, 1, PhyBits, ALWAYS, -, "for this physical register") \
    W(IN, en_warp, 1, 1, WarpBits, ALWAYS, -, "its warp") \
    W(IN, en_reg, 1, 1, RegBits, ALWAYS, -, "and architected register") \
    W(IN, arr_valid, 1, 1, NumWr, ALWAYS, -, "a value has arrived") \
    W(IN, arr_phys, WT_MAX_WR, NumWr, PhyBits, ALWAYS, -, "in this physical register") \
    W(OUT, en_ready, 1, 1, 1, ALWAYS, -, "there is a place") \
    W(OUT, wk_valid, 1, 1, NumWr, WORK, -, "a register's value is there") \
    W(OUT, wk_warp, WT_MAX_WR, NumWr, WarpBits, WHEN, wk_valid, "its warp") \
    W(OUT, wk_reg, WT_MAX_WR, NumWr, RegBits, WHEN, wk_valid, "and architected register")
// clang-format on

#define WAIT_TABLE_WIDTHS \
    const int WarpBits = block_bits(Warps), RegBits = block_bits(Regs), \
              PhyBits = block_bits(Banks) + block_bits(Entries)

typedef struct WaitTableIn {
    WAIT_TABLE_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} WaitTableIn;
typedef struct WaitTableOut {
    WAIT_TABLE_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} WaitTableOut;

// Observation, obs_words 2. Address p: place p, 0 while it is free.
//   Word 0: bit 31 valid, 30 arrived, 14:0 physical register.
//   Word 1: 13:8 warp, 5:0 architected register.
extern const BlockModel wait_table_model;

#endif
