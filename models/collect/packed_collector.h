// SPDX-License-Identifier: Apache-2.0
// The collectors of rf_datapath, golden. They are like operand_collector, but an instruction enters
// with the reads of the coalescer. Each read delivers one or two values for one to three operands.
// This is no block of its own: module packed_collector is verified through rf_datapath. Its
// contract is `Entry` (move), `Collect` and `Dispatch` in models/rf/rf_datapath.h.
#ifndef SMCOSIM_MODELS_PACKED_COLLECTOR_H
#define SMCOSIM_MODELS_PACKED_COLLECTOR_H

#include "models/block.h"

enum { PC_MAX_COLL = 32, PC_MAX_OPS = 3, PC_MAX_ALLOC = 4, PC_MAX_DISP = 8, PC_NONE = -1 };

// One access of a bank. Operands `ops1` take its first value, `ops2` its second.
typedef struct PackedRead {
    uint32_t bank, entry, entry2, sel, mask1, mask2, ops1, ops2;
} PackedRead;

typedef struct PackedEntry {
    bool busy;
    uint32_t unit, need;
    // reads not granted; operands that have not arrived; that are 0
    uint32_t todo, missing, unmapped;
    int ask;      // read presented
    bool coming;  // a read was granted in the previous cycle
    PackedRead read[PC_MAX_OPS], granted;
} PackedEntry;

typedef struct PackedPool {
    int num_coll, num_ops, num_alloc, num_disp;
    uint32_t free;                 // bit c: collector c is free
    int busy, order[PC_MAX_COLL];  // busy collectors, oldest first
    PackedEntry coll[PC_MAX_COLL];
    uint32_t row[PC_MAX_COLL][PC_MAX_OPS][32];
} PackedPool;

void packed_reset(PackedPool *p);
// The (i+1)-th lowest free collector, PC_NONE when there is none.
int packed_slot(const PackedPool *p, int i);
// The oldest complete collector whose unit is d, PC_NONE: none.
void packed_offers(const PackedPool *p, int offer[PC_MAX_DISP]);

// One clock edge, in this order: packed_store for each row delivered, packed_advance, then
// packed_enter for each arriving instruction, port 0 first.
void packed_store(PackedPool *p, int c, const uint32_t *first, const uint32_t *second);
// grant: collectors served; leaving: collectors dispatched.
void packed_advance(PackedPool *p, uint32_t grant, uint32_t leaving);
// reads[o] where bit o of `valid` is set; unmapped: operands without a place.
void packed_enter(PackedPool *p, int c, uint32_t unit, uint32_t need, uint32_t valid,
                  const PackedRead *reads, uint32_t unmapped);

#endif
