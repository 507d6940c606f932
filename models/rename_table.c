// SPDX-License-Identifier: Apache-2.0
// Golden model of rename_table. Written from the contract: one flat table [warp][register]; the
// ports of the table banks are two counters per bank that requests take from in the order of their
// priority. No rows and no masks of candidates.
#include "models/rename_table.h"

#include <stdlib.h>
#include <string.h>

typedef struct Mapping { uint16_t bank, entry; uint8_t mask; } Mapping;

typedef struct RenameTable {
    int warps, regs, banks, num_alloc, num_ops, num_wr, rows;
    int params[7];
    int src_first, dst_first, up_first;
    bool walking;
    int walk_warp;
    int lanes;
    Mapping freed[RT_MAX_FREED];    // mask 0: nothing to give back
    uint32_t src_answer, dst_answer;
    Mapping src[RT_MAX_SRC], dst[RT_MAX_WR];
    uint8_t *home;              // [warp % banks][register]: table bank
    Mapping *map;               // [warp * regs + register]; mask 0: unmapped
} RenameTable;

// What one cycle decides.
typedef struct Served {
    uint32_t src, dst, up;
    bool fr;                    // the single free is done
    int walk[RT_MAX_FREED];     // register that the walk frees through the lane, -1: none
} Served;

static void *rt_open(const int *params) {
    RenameTable *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    memcpy(m->params, params, sizeof m->params);
    m->warps = params[0], m->regs = params[1], m->banks = params[2];
    m->num_alloc = params[4], m->num_ops = params[5], m->num_wr = params[6];
    m->rows = (m->regs + m->banks - 1) / m->banks;
    m->lanes = m->banks < RT_MAX_FREED ? m->banks : RT_MAX_FREED;
    m->map = calloc((size_t)(m->warps * m->regs), sizeof *m->map);
    m->home = malloc((size_t)(m->warps * m->regs));
    if (!m->map || !m->home) {
        free(m->map), free(m->home), free(m);
        return NULL;
    }
    for (int i = 0; i < m->warps * m->regs; i++)
        m->home[i] = (uint8_t)((i % m->regs + i / m->regs) % m->banks);
    return m;
}

static void rt_close(void *self) {
    RenameTable *m = self;
    free(m->map), free(m->home), free(m);
}

static void rt_reset(void *self) {
    RenameTable *m = self;
    m->src_first = m->dst_first = m->up_first = 0;
    m->walking = false;
    memset(m->freed, 0, sizeof m->freed);
    m->src_answer = m->dst_answer = 0;
    memset(m->map, 0, (size_t)(m->warps * m->regs) * sizeof *m->map);
}

// Requests that the contract forbids come to eval before an environment takes them back.
static int rt_index(const RenameTable *m, uint32_t warp, uint32_t reg) {
    if (warp >= (uint32_t)m->warps || reg >= (uint32_t)m->regs) return 0;
    return (int)warp * m->regs + (int)reg;
}

// The i-th in cyclic order from `first` on, of n.
static int rt_turn(int first, int i, int n) { return first + i < n ? first + i : first + i - n; }

// The first row with a register that the walk has to free; the number of rows: none.
static int rt_walk_row(const RenameTable *m) {
    for (int reg = 0; reg < m->regs; reg++)
        if (m->map[m->walk_warp * m->regs + reg].mask) return reg / m->banks;
    return m->rows;
}

// The register that the walk would free through a lane: of the row, the first mapped one in the order of the
// lane's table banks; -1: none.
static int rt_walk_find(const RenameTable *m, int row, int lane) {
    int found = -1;
    for (int i = 0; i < m->banks; i++) {
        const int reg = row * m->banks + i, at = m->walk_warp * m->regs + reg;
        if (reg >= m->regs || !m->map[at].mask || m->home[at] % m->lanes != lane) continue;
        if (found < 0 || m->home[at] < m->home[m->walk_warp * m->regs + found]) found = reg;
    }
    return found;
}

// May something be put into a lane at the clock edge?
static bool rt_lane_free(const RenameTable *m, const RenameTableIn *in, int lane) {
    return !m->freed[lane].mask || in->freed_ready[0] >> lane & 1;
}

static void rt_serve(const RenameTable *m, const RenameTableIn *in, Served *s) {
    uint8_t a_used[RT_MAX_BANKS] = {0}, b_used[RT_MAX_BANKS] = {0};
    s->src = s->dst = s->up = 0, s->fr = false;
    for (int i = 0; in->up_valid[0] && i < m->num_wr; i++) {
        const int w = rt_turn(m->up_first, i, m->num_wr);
        if (in->up_valid[0] >> w & 1 && !a_used[m->home[rt_index(m, in->up_warp[w], in->up_reg[w])]]++)
            s->up |= 1u << w;
    }
    for (int i = 0; in->dst_valid[0] && i < m->num_wr; i++) {
        const int w = rt_turn(m->dst_first, i, m->num_wr);
        if (!(in->dst_valid[0] >> w & 1)) continue;
        const int b = m->home[rt_index(m, in->dst_warp[w], in->dst_reg[w])];
        if (!a_used[b]++ || !b_used[b]++) s->dst |= 1u << w;
    }
    int taken = -1;
    if (in->fr_valid[0] & 1) {
        const int home = m->home[rt_index(m, in->fr_warp[0], in->fr_reg[0])];
        s->fr = rt_lane_free(m, in, home % m->lanes) && !a_used[home]++;
        if (s->fr) taken = home % m->lanes;
    }
    const int row = m->walking ? rt_walk_row(m) : m->rows;
    for (int l = 0; l < m->lanes; l++) {
        s->walk[l] = -1;
        if (row == m->rows || l == taken || !rt_lane_free(m, in, l)) continue;
        const int reg = rt_walk_find(m, row, l);
        if (reg >= 0 && !a_used[m->home[m->walk_warp * m->regs + reg]]++) s->walk[l] = reg;
    }
    if (!in->src_valid[0]) return;
    for (int i = 0; i < m->num_alloc; i++) {
        const int a = rt_turn(m->src_first, i, m->num_alloc);
        for (int l = a * m->num_ops; l < (a + 1) * m->num_ops; l++) {
            if (!(in->src_valid[0] >> l & 1)) continue;
            const int b = m->home[rt_index(m, in->src_warp[a], in->src_reg[l])];
            if (!b_used[b]++ || !a_used[b]++) s->src |= 1u << l;
        }
    }
}

static void rt_eval(void *self, const void *inputs, void *outputs) {
    const RenameTable *m = self;
    RenameTableOut *out = outputs;
    Served s;
    rt_serve(m, inputs, &s);
    out->src_ready[0] = s.src, out->dst_ready[0] = s.dst, out->up_ready[0] = s.up;
    out->fr_ready[0] = s.fr, out->ex_ready[0] = !m->walking;
    out->src_answer[0] = m->src_answer, out->dst_answer[0] = m->dst_answer;
    out->src_mapped[0] = out->dst_mapped[0] = 0;
    for (uint32_t left = m->src_answer; left; left &= left - 1) {
        const int l = __builtin_ctz(left);
        out->src_mask[l] = m->src[l].mask, out->src_bank[l] = m->src[l].bank;
        out->src_entry[l] = m->src[l].entry;
        if (m->src[l].mask) out->src_mapped[0] |= 1u << l;
    }
    for (uint32_t left = m->dst_answer; left; left &= left - 1) {
        const int w = __builtin_ctz(left);
        out->dst_mask[w] = m->dst[w].mask, out->dst_bank[w] = m->dst[w].bank;
        out->dst_entry[w] = m->dst[w].entry;
        if (m->dst[w].mask) out->dst_mapped[0] |= 1u << w;
    }
    out->freed_valid[0] = 0;
    for (int l = 0; l < m->lanes; l++) {
        const Mapping *p = &m->freed[l];
        if (!p->mask) continue;
        out->freed_valid[0] |= 1u << l;
        out->freed_bank[l] = p->bank, out->freed_entry[l] = p->entry, out->freed_mask[l] = p->mask;
    }
}

// Who is first in the next cycle: bit p of `refused` says that p was refused something.
static int rt_next_first(int first, uint32_t refused, int n) {
    for (int i = 0; i < n; i++)
        if (refused >> rt_turn(first, i, n) & 1) return rt_turn(first, i, n);
    return first;
}

static void rt_free(RenameTable *m, int index) {
    m->freed[m->home[index] % m->lanes] = m->map[index];
    m->map[index].mask = 0;
}

static void rt_walk(RenameTable *m, const RenameTableIn *in, const Served *s) {
    if (!m->walking) {
        if (in->ex_valid[0] & 1) m->walking = true, m->walk_warp = (int)in->ex_warp[0];
        return;
    }
    for (int l = 0; l < m->lanes; l++)
        if (s->walk[l] >= 0) rt_free(m, m->walk_warp * m->regs + s->walk[l]);
    m->walking = rt_walk_row(m) < m->rows;
}

static void rt_tick(void *self, const void *inputs) {
    RenameTable *m = self;
    const RenameTableIn *in = inputs;
    Served s;
    rt_serve(m, in, &s);
    // lookups first: they see the table as it was
    for (uint32_t left = s.src; left; left &= left - 1) {
        const int l = __builtin_ctz(left);
        m->src[l] = m->map[rt_index(m, in->src_warp[l / m->num_ops], in->src_reg[l])];
    }
    for (uint32_t left = s.dst; left; left &= left - 1) {
        const int w = __builtin_ctz(left);
        m->dst[w] = m->map[rt_index(m, in->dst_warp[w], in->dst_reg[w])];
    }
    m->src_answer = s.src, m->dst_answer = s.dst;
    for (int l = 0; l < m->lanes; l++)
        if (in->freed_ready[0] >> l & 1) m->freed[l].mask = 0;
    rt_walk(m, in, &s);
    if (s.fr) rt_free(m, rt_index(m, in->fr_warp[0], in->fr_reg[0]));
    for (uint32_t left = s.up; left; left &= left - 1) {
        const int w = __builtin_ctz(left);
        m->map[rt_index(m, in->up_warp[w], in->up_reg[w])] =
            (Mapping){(uint16_t)in->up_bank[w], (uint16_t)in->up_entry[w], (uint8_t)in->up_mask[w]};
    }
    uint32_t refused = 0;
    for (uint32_t left = in->src_valid[0] & ~s.src; left; left &= left - 1)
        refused |= 1u << __builtin_ctz(left) / m->num_ops;
    m->src_first = rt_next_first(m->src_first, refused, m->num_alloc);
    m->dst_first = rt_next_first(m->dst_first, in->dst_valid[0] & ~s.dst, m->num_wr);
    m->up_first = rt_next_first(m->up_first, in->up_valid[0] & ~s.up, m->num_wr);
}

static uint32_t rt_obs_count(void *self) {
    const RenameTable *m = self;
    return (uint32_t)(m->warps * m->regs + 1 + m->lanes);
}

static uint32_t rt_obs_map(const Mapping *p) {
    return p->mask ? 1u << 31 | (uint32_t)p->mask << 24 | (uint32_t)p->bank << 16 | p->entry : 0;
}

static void rt_observe(void *self, uint32_t addr, uint32_t *words) {
    const RenameTable *m = self;
    memset(words, 0, 16);
    if (addr < (uint32_t)(m->warps * m->regs)) {
        words[0] = rt_obs_map(&m->map[addr]);
    } else if (addr == (uint32_t)(m->warps * m->regs)) {
        words[0] = (uint32_t)(m->src_first | m->dst_first << 8 | m->up_first << 16);
        if (m->walking) words[1] = 1u << 31 | (uint32_t)m->walk_warp;
    } else if (addr < rt_obs_count(self)) {
        words[0] = rt_obs_map(&m->freed[addr - (uint32_t)(m->warps * m->regs) - 1]);
    } else if (addr - BLOCK_OBS_PARAM < 7) {
        words[0] = (uint32_t)m->params[addr - BLOCK_OBS_PARAM];
    }
}

const BlockModel rename_table_model = {
    "rename_table", rt_open, rt_close,     rt_reset,   rt_eval,
    rt_tick,        rt_obs_count, rt_observe, 4,
};
