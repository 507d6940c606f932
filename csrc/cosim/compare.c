// SPDX-License-Identifier: Apache-2.0
// RTL against golden model: output ports by class each cycle, internal state through observation.
#include "cosim/internal.h"

#include <string.h>

void compare_init(Instance *x) {
    for (int i = 0; i < x->nports; i++) {
        const Port *p = &x->ports[i];
        if (p->dir != PORT_OUT) continue;
        CompareItem *item = &x->items[x->nitems++];
        *item = (CompareItem){.port = i, .offset = p->offset, .count = p->count, .words = p->words};
        if (p->cls == PORT_WHEN) {
            item->when = true;
            item->valid = x->ports[p->valid].offset;
            item->mask = p->count == 32 ? UINT32_MAX : (1u << p->count) - 1;
        }
    }
}

// `valid` bits come from the golden model; the valid port itself is compared always.
static bool same_when(const CompareItem *item, const char *golden, const char *rtl, uint64_t *compared) {
    uint32_t bits;
    memcpy(&bits, golden + item->valid, sizeof bits);
    bits &= item->mask;
    *compared += (uint64_t)__builtin_popcount(bits);
    size_t bytes = (size_t)item->words * sizeof(uint32_t);
    for (; bits; bits &= bits - 1) {
        size_t at = item->offset + (size_t)__builtin_ctz(bits) * bytes;
        if (item->words == 1 ? *(const uint32_t *)(golden + at) != *(const uint32_t *)(rtl + at)
                             : memcmp(golden + at, rtl + at, 32 * sizeof(uint32_t)) != 0)
            return false;
    }
    return true;
}

bool compare_outputs(Instance *x) {
    const char *golden = x->block.out, *rtl = x->rtl_out;
    bool same = true;
    for (int i = 0; i < x->nitems; i++) {
        const CompareItem *item = &x->items[i];
        if (item->when)
            same &= same_when(item, golden, rtl, &x->compared[item->port]);
        else if (item->count == 1 && item->words == 1)
            same &= *(const uint32_t *)(golden + item->offset) == *(const uint32_t *)(rtl + item->offset);
        else
            same &= !memcmp(golden + item->offset, rtl + item->offset,
                            (size_t)item->count * (size_t)item->words * sizeof(uint32_t));
    }
    return same;
}

// The slow way to the same verdict: first differing element in the order of the table.
void compare_locate(Instance *x, Mismatch *m) {
    for (int i = 0; i < x->nitems; i++) {
        const Port *p = &x->ports[x->items[i].port];
        for (int e = 0; e < p->count; e++) {
            if (p->valid >= 0 && !port_bit(&x->ports[p->valid], x->block.out, e)) continue;
            size_t bytes = (size_t)p->words * sizeof(uint32_t);
            const uint32_t *golden = port_element(p, x->block.out, e), *rtl = port_element(p, x->rtl_out, e);
            if (!memcmp(golden, rtl, bytes)) continue;
            *m = (Mismatch){.block = x->desc->name, .port = p->name, .element = e, .words = p->words};
            memcpy(m->expected, golden, bytes);
            memcpy(m->actual, rtl, bytes);
            return;
        }
    }
    panic("%s: outputs differ but no port does", x->desc->name);
}

// Compares internal state address by address; false with the first difference in m.
bool compare_state(Instance *x, Mismatch *m) {
    const BlockModel *model = x->desc->model;
    uint32_t count = model->obs_count(x->golden), golden[32] = {0}, rtl[32] = {0};
    for (uint32_t addr = 0; addr < count; addr++) {
        model->observe(x->golden, addr, golden);
        x->shim->observe(x->rtl, addr, rtl);
        if (!memcmp(golden, rtl, (size_t)model->obs_words * sizeof *golden)) continue;
        *m = (Mismatch){.block = x->desc->name, .port = "state", .element = -1, .obs_addr = addr,
                        .words = model->obs_words};
        memcpy(m->expected, golden, sizeof golden);
        memcpy(m->actual, rtl, sizeof rtl);
        return false;
    }
    return true;
}

// Keeps the first mismatch of the run.
void cosim_record(Cosim *c, Instance *x, const Mismatch *m) {
    if (c->mismatched) return;
    c->mismatch = *m;
    c->mismatch.cycle = c->now;
    c->mismatch_block = x;
    c->mismatch_cycles = c->cycles;
    c->mismatched = true;
    history_push(x);  // the cycle at hand is the newest transaction, active or not
}
