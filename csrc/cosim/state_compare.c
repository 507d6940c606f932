// SPDX-License-Identifier: Apache-2.0
// RTL against golden model: output ports by class each cycle, internal state through observation.
#include "cosim/cosim_internal.h"

#include "cosim/state_compare.h"

#include <string.h>

static int find_when(Instance *x, const uint32_t *valid, uint32_t mask) {
    int i = 0;
    while (i < x->nwhens && (x->whens[i].valid != valid || x->whens[i].mask != mask)) i++;
    if (i == x->nwhens) x->whens[x->nwhens++] = (CompareWhen){.valid = valid, .mask = mask};
    return i;
}

void compare_init(Instance *x) {
    for (int i = 0; i < x->nports; i++) {
        const Port *p = &x->ports[i];
        x->when_of[i] = -1;
        if (p->dir != PORT_OUT) continue;
        if (p->cls == PORT_WORK)
            x->works[x->nworks++] = (CompareWork){port_element(p, x->block.out, 0), p->count};
        if (p->cls == PORT_WHEN)
            x->when_of[i] = find_when(x, port_element(&x->ports[p->valid], x->block.out, 0),
                                      p->count == 32 ? UINT32_MAX : (1u << p->count) - 1);
    }
}

// Counts the elements with valid data in this cycle. The `valid` bits are the golden model's. The
// valid port itself is always compared.
void compare_count(Instance *x) {
    for (int i = 0; i < x->nwhens; i++)
        x->whens[i].compared += (uint64_t)__builtin_popcount(*x->whens[i].valid & x->whens[i].mask);
}

void compare_work(Instance *x) {
    uint32_t any = 0;
    for (int i = 0; i < x->nworks; i++)
        for (int e = 0; e < x->works[i].n; e++) any |= x->works[i].words[e];
    x->worked += any != 0;
}

bool compare_ports(const char *block, const Port *ports, int nports, const ShimApi *shim,
                   const void *golden_out, const void *rtl_out, Mismatch *m) {
    for (int i = 0; i < nports; i++) {
        const Port *p = &ports[i];
        if (p->dir != PORT_OUT || (p->observed && !shim->observe)) continue;
        for (int e = 0; e < p->count; e++) {
            if (p->valid >= 0 && !port_bit(&ports[p->valid], golden_out, e)) continue;
            size_t bytes = (size_t)p->words * sizeof(uint32_t);
            const uint32_t *golden = port_element(p, golden_out, e),
                           *rtl = port_element(p, rtl_out, e);
            if (!memcmp(golden, rtl, bytes)) continue;
            *m = (Mismatch){.block = block, .port = p->name, .element = e, .words = p->words};
            memcpy(m->expected, golden, bytes);
            memcpy(m->actual, rtl, bytes);
            return false;
        }
    }
    return true;
}

void compare_locate(Instance *x, Mismatch *m) {
    panic_if(
        compare_ports(x->desc->name, x->ports, x->nports, x->shim, x->block.out, x->rtl_out, m),
        "%s: outputs differ but no port does", x->desc->name);
}

static bool compare_observed(const char *block, const BlockModel *model, void *state,
                             const ShimApi *shim, void *rtl_state, Mismatch *m) {
    uint32_t count = shim->observe ? model->obs_count(state) : 0, golden[32] = {0}, rtl[32] = {0};
    for (uint32_t addr = 0; addr < count; addr++) {
        model->observe(state, addr, golden);
        shim->observe(rtl_state, addr, rtl);
        if (!memcmp(golden, rtl, (size_t)model->obs_words * sizeof *golden)) continue;
        *m = (Mismatch){.block = block,
                        .port = "state",
                        .element = -1,
                        .obs_addr = addr,
                        .words = model->obs_words};
        memcpy(m->expected, golden, sizeof golden);
        memcpy(m->actual, rtl, sizeof rtl);
        return false;
    }
    return true;
}

bool compare_state(Instance *x, Mismatch *m) {
    return compare_observed(x->desc->name, x->desc->model, x->golden, x->shim, x->rtl, m);
}

// Keeps the first mismatch of the run only.
void cosim_record(Cosim *c, Instance *x, const Mismatch *m) {
    if (c->mismatched) return;
    c->mismatch = *m;
    c->mismatch.cycle = c->now;
    c->mismatch_block = x;
    c->mismatch_cycles = c->cycles;
    c->mismatched = true;
    mismatch_keep_state(c);
    // the cycle at hand is the newest transaction, active or not
    if (m->element >= 0) history_push(x);
}
