// SPDX-License-Identifier: Apache-2.0
// Golden model of coalescer. It lists the registers that an instruction reads and joins the first
// two of the list that can share an access. Each remaining entry is a read.
#include "models/collect/coalescer.h"
#include "models/params.h"

#include <stdlib.h>
#include <string.h>

enum { COALESCER_PARAMS(BLOCK_INDEX) PARAMS };

typedef struct Coalescer {
    int alloc, ops;
    int params[PARAMS];
} Coalescer;

// One register to read; all its operands.
typedef struct Source {
    uint32_t reg, bank, entry, mask, ops;
    int leader;
    const struct Source *partner;
    bool taken;  // it is the partner of another
} Source;

static void *co_open(const int *params) {
    Coalescer *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    memcpy(m->params, params, sizeof m->params);
    m->alloc = params[P_NumAlloc], m->ops = params[P_NumOps];
    return m;
}

static void co_close(void *self) { free(self); }
static void co_reset(void *self) { (void)self; }
static void co_tick(void *self, const void *in) { (void)self, (void)in; }

static int size_of(uint32_t mask) {
    static const uint8_t ones[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    return ones[mask & 15];
}

// The registers of an instruction that have a place, in the order of their first operands. Without
// merging each operand is a register of its own.
static int co_sources(const Coalescer *m, const CoalescerIn *in, int a, bool merge, Source *list,
                      CoalescerOut *out) {
    int n = 0;
    for (int o = 0; o < m->ops; o++) {
        const int i = a * m->ops + o;
        if (!(in->co_valid[0] >> i & 1)) continue;
        if (in->co_mask[i] == 0) {
            out->co_unread[a] |= 1u << o;
            continue;
        }
        int k = 0;
        while (k < n && !(merge && list[k].reg == in->co_reg[i])) k++;
        if (k < n) {
            list[k].ops |= 1u << o;
            out->co_merged[0] |= 1u << a;
        } else {
            list[n++] =
                (Source){in->co_reg[i], in->co_bank[i], in->co_entry[i], in->co_mask[i], 1u << o, o,
                         NULL,          false};
        }
    }
    return n;
}

static bool co_together(uint32_t mode, const Source *x, const Source *y) {
    if (x->bank != y->bank) return false;
    if (mode == CO_SAME_ENTRY) return x->entry == y->entry;
    return mode == CO_DISJOINT && (x->mask & y->mask) == 0;
}

static void co_pair(uint32_t mode, Source *list, int n) {
    for (int x = 0; x < n; x++)
        for (int y = x + 1; y < n; y++)
            if (co_together(mode, &list[x], &list[y])) {
                list[x].partner = &list[y];
                list[y].taken = true;
                return;
            }
}

static void co_count(const Coalescer *m, const CoalescerIn *in, int a, CoalescerOut *out) {
    for (int x = a * m->ops; x < (a + 1) * m->ops; x++)
        for (int y = x + 1; y < (a + 1) * m->ops; y++) {
            if (!(in->co_valid[0] >> x & in->co_valid[0] >> y & 1) ||
                in->co_reg[x] == in->co_reg[y])
                continue;
            out->co_multi[0] |= 1u << a;
            if (in->co_mask[x] && in->co_mask[y] &&
                size_of(in->co_mask[x]) + size_of(in->co_mask[y]) <= 4)
                out->co_possible[0] |= 1u << a;
        }
}

static void co_read(const Coalescer *m, uint32_t mode, int a, const Source *s, CoalescerOut *out) {
    const int i = a * m->ops + s->leader;
    const bool two_addresses = s->partner && mode == CO_DISJOINT;
    out->rd_valid[0] |= 1u << i;
    out->rd_bank[i] = s->bank;
    out->rd_entry[i] = s->entry;
    out->rd_entry2[i] = two_addresses ? s->partner->entry : s->entry;
    out->rd_sel[i] = two_addresses ? s->partner->mask : 0;
    out->rd_mask1[i] = s->mask;
    out->rd_ops1[i] = s->ops;
    out->rd_mask2[i] = s->partner ? s->partner->mask : 0;
    out->rd_ops2[i] = s->partner ? s->partner->ops : 0;
    if (s->partner) out->co_coalesced[0] |= 1u << a;
}

static void co_eval(void *self, const void *inputs, void *outputs) {
    const Coalescer *m = self;
    const CoalescerIn *in = inputs;
    CoalescerOut *out = outputs;
    const uint32_t mode = in->co_mode[0];
    out->rd_valid[0] = out->co_multi[0] = out->co_possible[0] = out->co_coalesced[0] =
        out->co_merged[0] = 0;
    for (int a = 0; a < m->alloc; a++) {
        Source list[CO_MAX_OPS];
        out->co_unread[a] = 0;
        if (!(in->co_valid[0] >> a * m->ops & ((1u << m->ops) - 1))) continue;
        const int n = co_sources(m, in, a, mode == CO_SAME_ENTRY || mode == CO_DISJOINT, list, out);
        co_pair(mode, list, n);
        co_count(m, in, a, out);
        for (int k = 0; k < n; k++)
            if (!list[k].taken) co_read(m, mode, a, &list[k], out);
    }
}

static uint32_t co_obs_count(void *self) {
    (void)self;
    return 0;
}

static void co_observe(void *self, uint32_t addr, uint32_t *words) {
    const Coalescer *m = self;
    words[0] = addr - BLOCK_OBS_PARAM < PARAMS ? (uint32_t)m->params[addr - BLOCK_OBS_PARAM] : 0;
}

const BlockModel coalescer_model = {"coalescer", co_open,      co_close,   co_reset, co_eval,
                                    co_tick,     co_obs_count, co_observe, 1};
