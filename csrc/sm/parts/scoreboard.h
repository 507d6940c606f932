// SPDX-License-Identifier: Apache-2.0
// The machine's scoreboard. An instruction may issue when
//   - no register it reads or writes has a result outstanding (RAW, WAW),
//   - no register it writes is still to be read by an older instruction in a collector (WAR),
//     unless the operand path keeps that order itself (OperandPath.orders),
//   - no predicate it reads or writes has a result outstanding (predicates are read at issue).
//
// Each warp has a bit per register with a result outstanding and a second bit if memory produces
// the result. It also has a count of outstanding reads per register. The scoreboard is queried for
// every warp that changes. If it is the only board, hazards.c calls these functions directly
// instead of the part's.
#ifndef SMCOSIM_SM_PARTS_SCOREBOARD_H
#define SMCOSIM_SM_PARTS_SCOREBOARD_H

#include "sm/flight.h"
#include "sm/warp.h"

typedef struct Board {
    uint64_t write, slow, read;  // result outstanding; a long-latency one; read outstanding
    uint8_t pred;                // predicates with a result outstanding
    uint8_t reads_of[64];        // reads outstanding per register
} __attribute__((aligned(64))) Board;

// war: registers for which this board keeps the order of reads and later writes.
static inline Hazard board_query_of(const Board *b, const SmInst *in, uint64_t war) {
    const uint64_t registers = in->reads | in->writes;
    if (registers & b->write) return registers & b->slow ? HAZARD_LONG : HAZARD_SHORT;
    if (in->writes & b->read & war) return HAZARD_SHORT;
    if ((in->pred_reads | in->pred_writes) & b->pred) return HAZARD_SHORT;
    return HAZARD_NONE;
}

static inline Hazard board_query(const Board *b, const SmInst *in) {
    return board_query_of(b, in, ~0ull);
}

static inline void board_begin(Board *b, const Flight *f) {
    const SmInst *in = f->inst;
    b->write |= in->writes;
    if (in->long_latency) b->slow |= in->writes;
    b->pred |= in->pred_writes;
    if (!f->in_collector) return;
    b->read |= in->reads;
    for (int i = 0; i < in->nops + in->broadcast; i++) b->reads_of[in->op_reg[i]]++;
}

static inline void board_operands_read(Board *b, const uint8_t *regs, int n) {
    for (int i = 0; i < n; i++)
        if (--b->reads_of[regs[i]] == 0) b->read &= ~word_bit(regs[i]);
}

static inline void board_written(Board *b, int reg) {
    b->write &= ~word_bit(reg);
    b->slow &= ~word_bit(reg);
}

#endif
