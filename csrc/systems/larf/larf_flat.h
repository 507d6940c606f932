// SPDX-License-Identifier: Apache-2.0
// The address mapping table that the paper describes, as a reference without RTL: one table that is
// searched as a whole, first in, first out, of larf.entries entries or one for each physical
// register (larf.table: flat). It has the look-up, entering, release and arrival ports of block
// addr_map_table with the same cycles. Stores and flushes take effect at once and take no cycle of
// it.
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
// `late`: a store or flush came behind it: it is not entered; `lost`: a flush: a miss.
typedef struct FlatLook {
    bool valid, question, late, lost;
    uint8_t code;
    uint32_t base, mask;
} FlatLook;

typedef struct FlatTable {
    AddrMapTableIn in;
    AddrMapTableOut out;  // of this cycle, from state alone
    int nphys, limit;     // entries at most
    bool any, merges, enters_merged;
    FlatEntry *entry;
    int *order, n;              // registers with an entry, the oldest first
    FlatLook look[AMT_CYCLES];  // accepted 1, 2, 3 cycles ago; the last one is answered
    struct {
        bool valid;
        uint32_t phys;
    } released[AMT_DONE], arrived[AMT_DONE][FLAT_PORTS];
} FlatTable;

// A load of the words base + i * 4 * code, i of the mask: its shape by larf.md 3.1, false: it has
// none.
bool flat_shape(const uint32_t addr[32], uint32_t mask, uint32_t *base, uint32_t *code);
FlatTable *flat_open(Arena *arena, const MachineConfig *cfg, int nphys);
void flat_clear(FlatTable *t);
// Entries whose span meets the bytes low..high die; returns how many. Loads that have been asked
// for and touch the bytes are not entered.
int flat_kill(FlatTable *t, uint32_t low, uint32_t high);
void flat_flush(FlatTable *t);
void flat_tick(FlatTable *t);  // the clock edge: inputs to state, outputs of the next cycle

#endif
