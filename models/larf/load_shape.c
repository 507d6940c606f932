// SPDX-License-Identifier: Apache-2.0
// Golden model of load_shape: addresses as 64-bit numbers, division, a loop over the lanes. The
// loads in flight are in a list that moves by one.
#include "models/larf/load_shape.h"
#include "models/params.h"

#include <stdlib.h>
#include <string.h>

enum { LOAD_SHAPE_PARAMS(BLOCK_INDEX) };

enum { LANES = 32, WORD = 4, MOST_STRIDE = 512 };

typedef struct Load {
    bool here, ok;
    uint32_t tag, mask, base, code;
} Load;

typedef struct LoadShape {
    int num_tags;
    Load stage[LS_CYCLES];
} LoadShape;

static void ls_reset(void *self) {
    LoadShape *m = self;
    memset(m->stage, 0, sizeof m->stage);
}

static void *ls_open(const int *params) {
    LoadShape *m = calloc(1, sizeof *m);
    if (m) m->num_tags = params[P_NumTags];
    return m;
}

static void ls_close(void *self) { free(self); }

// Fills base and code; false if the table cannot hold the shape.
static bool ls_shape(const uint32_t *addr, uint32_t mask, Load *l) {
    int lane[LANES], n = 0;
    for (int i = 0; i < LANES; i++)
        if (mask >> i & 1) lane[n++] = i;
    if (n == 0) return false;
    int64_t stride = 0;
    if (n > 1) {
        const int gap = lane[1] - lane[0];
        const int64_t rise = (int64_t)addr[lane[1]] - addr[lane[0]];
        if ((gap & (gap - 1)) != 0 || rise % gap != 0) return false;
        stride = rise / gap;
    }
    if (stride < 0 || stride > MOST_STRIDE || stride % WORD != 0) return false;
    for (int j = 1; j < n; j++)
        if (addr[lane[j]] != addr[lane[0]] + stride * (lane[j] - lane[0])) return false;
    l->base = addr[lane[0]] - (uint32_t)(stride * lane[0]);
    l->code = (uint32_t)(stride / WORD);
    return true;
}

static void ls_eval(void *self, const void *inputs, void *outputs) {
    const LoadShape *m = self;
    const Load *l = &m->stage[LS_CYCLES - 1];
    LoadShapeOut *out = outputs;
    (void)inputs;
    memset(out, 0, sizeof *out);
    out->out_valid[0] = l->here;
    out->out_tag[0] = l->tag;
    out->out_mask[0] = l->mask;
    out->out_ok[0] = l->ok;
    out->out_base[0] = l->base;
    out->out_code[0] = l->code;
}

static void ls_tick(void *self, const void *inputs) {
    LoadShape *m = self;
    const LoadShapeIn *in = inputs;
    memmove(m->stage + 1, m->stage, (LS_CYCLES - 1) * sizeof m->stage[0]);
    memset(&m->stage[0], 0, sizeof m->stage[0]);
    if (!in->in_valid[0]) return;
    uint32_t addr[LANES];
    rf_lanes_from_slices(addr, in->in_addr[0]);
    Load *l = &m->stage[0];
    l->here = true;
    l->tag = in->in_tag[0];
    l->mask = in->in_mask[0];
    l->ok = ls_shape(addr, l->mask, l);
}

static uint32_t ls_obs_count(void *self) {
    (void)self;
    return 2 * LS_CYCLES;
}

static void ls_observe(void *self, uint32_t addr, uint32_t *words) {
    const LoadShape *m = self;
    words[0] = 0;
    if (addr == BLOCK_OBS_PARAM) words[0] = (uint32_t)m->num_tags;
    else if (addr < LS_CYCLES) words[0] = (uint32_t)m->stage[addr].here << 31 | m->stage[addr].tag;
    else if (addr < 2 * LS_CYCLES) words[0] = m->stage[addr - LS_CYCLES].mask;
}

const BlockModel load_shape_model = {"load_shape", ls_open,      ls_close,   ls_reset, ls_eval,
                                     ls_tick,      ls_obs_count, ls_observe, 1};
