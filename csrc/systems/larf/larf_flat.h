// SPDX-License-Identifier: Apache-2.0
// The address mapping table of the paper, as a reference without RTL. It is one fully searched
// table, first in, first out. It has larf.entries entries or one for each physical register
// (larf.table: flat). Its look-up, entering, release and arrival ports are those of block
// addr_map_table with the same cycles. Stores and flushes take effect at once and use no cycle of
// the table.
#ifndef SMCOSIM_SYSTEMS_LARF_FLAT_H
#define SMCOSIM_SYSTEMS_LARF_FLAT_H

#include "base/arena.h"
#include "config/config.h"
#include "models/larf/addr_map_table.h"

enum { FLAT_PORTS = 4 };

// By physical register: a register has at most one entry.
typedef struct FlatEntry {
    bool valid, data;
    uint8_t code;
    uint32_t base, mask;
} FlatEntry;
// `late`: a later store or flush prevents its entry; `lost`: a flush makes it a miss.
typedef struct FlatLook {
    bool valid, question, late, lost;
    uint8_t code;
    uint32_t base, mask;
} FlatLook;

typedef struct FlatTable {
    AddrMapTableIn in;
    AddrMapTableOut out;  // outputs of this cycle, from state alone
    int nphys, limit;     // entries: limit
    bool any, merges, enters_merged;
    FlatEntry *entry;
    int *order, n;              // registers with an entry, the oldest first
    FlatLook look[AMT_CYCLES];  // accepted 1, 2, 3 cycles ago; the last one is answered
    struct {
        bool valid;
        uint32_t phys;
    } released[AMT_DONE], arrived[AMT_DONE][FLAT_PORTS];
} FlatTable;

// The shape of a load of the words base + i * 4 * code, i of the mask (larf.md 3.1). False: it has
// no shape.
bool flat_shape(const uint32_t addr[32], uint32_t mask, uint32_t *base, uint32_t *code);
FlatTable *flat_open(Arena *arena, const MachineConfig *cfg, int nphys);
void flat_clear(FlatTable *t);
// Invalidates the entries whose span overlaps the bytes low..high and returns their number. Pending
// look-ups of loads that touch the bytes are not entered.
int flat_kill(FlatTable *t, uint32_t low, uint32_t high);
void flat_flush(FlatTable *t);
void flat_tick(FlatTable *t);  // the clock edge: inputs to state, outputs of the next cycle

#endif
