// SPDX-License-Identifier: Apache-2.0
// The collectors of rf_datapath, golden: a list of the busy ones in the order of their arrival.
#include "models/collect/packed_collector.h"

#include <string.h>

void packed_reset(PackedPool *p) {
    p->busy = 0;
    p->free = UINT32_MAX >> (PC_MAX_COLL - p->num_coll);
    for (int c = 0; c < p->num_coll; c++) p->coll[c].busy = false;
}

int packed_slot(const PackedPool *p, int i) {
    uint32_t free = p->free;
    for (; i > 0; i--) free &= free - 1;
    return free ? __builtin_ctz(free) : PC_NONE;
}

void packed_offers(const PackedPool *p, int offer[PC_MAX_DISP]) {
    for (int d = 0; d < p->num_disp; d++) offer[d] = PC_NONE;
    for (int i = 0; i < p->busy; i++) {
        const PackedEntry *k = &p->coll[p->order[i]];
        if (!k->missing && k->unit < (uint32_t)p->num_disp && offer[k->unit] == PC_NONE)
            offer[k->unit] = p->order[i];
    }
}

void packed_store(PackedPool *p, int c, const uint32_t *first, const uint32_t *second) {
    PackedEntry *k = &p->coll[c];
    if (!k->busy || !k->coming) return;
    for (int o = 0; o < p->num_ops; o++) {
        if (k->granted.ops1 >> o & 1) memcpy(p->row[c][o], first, 128);
        else if (k->granted.ops2 >> o & 1) memcpy(p->row[c][o], second, 128);
    }
    k->missing &= ~(k->granted.ops1 | k->granted.ops2);
}

// The read to present: the first one to do after `last`, cyclically.
static int next_read(const PackedPool *p, uint32_t todo, int last) {
    for (int i = 1; todo && i <= p->num_ops; i++)
        if (todo >> (last + i) % p->num_ops & 1) return (last + i) % p->num_ops;
    return PC_NONE;
}

void packed_advance(PackedPool *p, uint32_t grant, uint32_t leaving) {
    int kept = 0;
    for (int i = 0; i < p->busy; i++) {
        const int c = p->order[i];
        PackedEntry *k = &p->coll[c];
        if (leaving >> c & 1) {
            k->busy = false;
            continue;
        }
        p->order[kept++] = c;
        k->coming = k->ask != PC_NONE && grant >> c & 1;
        if (k->ask == PC_NONE) continue;
        if (k->coming) {
            k->granted = k->read[k->ask];
            k->todo &= ~(1u << k->ask);
        }
        k->ask = next_read(p, k->todo, k->ask);
    }
    p->busy = kept;
    p->free |= leaving;
}

void packed_enter(PackedPool *p, int c, uint32_t unit, uint32_t need, uint32_t valid,
                  const PackedRead *reads, uint32_t unmapped) {
    PackedEntry *k = &p->coll[c];
    k->busy = true;
    k->unit = unit;
    k->need = need;
    k->missing = need & ~unmapped;
    k->unmapped = unmapped;
    k->todo = valid;
    k->ask = valid ? __builtin_ctz(valid) : PC_NONE;
    k->coming = false;
    for (uint32_t left = valid; left; left &= left - 1)
        k->read[__builtin_ctz(left)] = reads[__builtin_ctz(left)];
    p->order[p->busy++] = c;
    p->free &= ~(1u << c);
}
