// SPDX-License-Identifier: Apache-2.0
// Golden model of rename_table. The table is flat: [warp][register]. The ports of a table bank are
// two flags, which requests take in the order of their priority. The model has no rows and no masks
// of candidates.
#include "models/rename/rename_table.h"
#include "models/params.h"

#include <stdlib.h>
#include <string.h>

enum { RENAME_TABLE_PARAMS(BLOCK_INDEX) PARAMS };

typedef struct Mapping {
    uint16_t bank, entry;
    uint8_t mask;
} Mapping;

typedef struct RenameTable {
    int warps, regs, banks, num_alloc, num_ops, num_wr, rows;
    int params[PARAMS];
    int src_first, dst_first, bd_first, up_first;
    bool walking;
    int walk_warp;
    int lanes;
    bool unlimited;               // ports; see rename_table_ideal
    Mapping freed[RT_MAX_FREED];  // mask 0: none
    uint32_t src_answer, dst_answer, bd_answer;
    Mapping src[RT_MAX_SRC], dst[RT_MAX_ALLOC], bd[RT_MAX_WR];
    uint8_t *home[2];  // [cfg_table][warp * regs + register]: table bank
    Mapping *map;      // [warp * regs + register]; mask 0: unmapped
} RenameTable;

// Decisions of one cycle.
typedef struct Served {
    uint32_t src, dst, bd, up;
    bool fr;                 // the single free is done
    int walk[RT_MAX_FREED];  // register that the walk frees through the lane, -1: none
} Served;

static void rt_close(void *self) {
    RenameTable *m = self;
    if (!m) return;
    free(m->map), free(m->home[0]), free(m->home[1]), free(m);
}

static void *rt_open(const int *params) {
    RenameTable *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    memcpy(m->params, params, sizeof m->params);
    m->warps = params[P_Warps], m->regs = params[P_Regs], m->banks = params[P_Banks];
    m->num_alloc = params[P_NumAlloc], m->num_ops = params[P_NumOps], m->num_wr = params[P_NumWr];
    m->rows = (m->regs + m->banks - 1) / m->banks;
    m->lanes = m->banks < RT_MAX_FREED ? m->banks : RT_MAX_FREED;
    m->map = calloc((size_t)(m->warps * m->regs), sizeof *m->map);
    for (int i = 0; i < 2; i++) m->home[i] = malloc((size_t)(m->warps * m->regs));
    if (!m->map || !m->home[0] || !m->home[1]) {
        rt_close(m);
        return NULL;
    }
    for (int i = 0; i < m->warps * m->regs; i++) {
        m->home[0][i] = (uint8_t)((i % m->regs + i / m->regs) % m->banks);
        m->home[1][i] = (uint8_t)(i / m->regs % m->banks);
    }
    return m;
}

static void rt_reset(void *self) {
    RenameTable *m = self;
    m->src_first = m->dst_first = m->bd_first = m->up_first = 0;
    m->walking = false;
    memset(m->freed, 0, sizeof m->freed);
    m->src_answer = m->dst_answer = m->bd_answer = 0;
    memset(m->map, 0, (size_t)(m->warps * m->regs) * sizeof *m->map);
}

// Eval may see requests that the contract forbids, because constrain drops them only afterwards.
static int rt_index(const RenameTable *m, uint32_t warp, uint32_t reg) {
    if (warp >= (uint32_t)m->warps || reg >= (uint32_t)m->regs) return 0;
    return (int)warp * m->regs + (int)reg;
}

// The i-th in cyclic order from `first` on, of n.
static int rt_turn(int first, int i, int n) { return first + i < n ? first + i : first + i - n; }

// The first row with a register that the walk must free; the number of rows: none.
static int rt_walk_row(const RenameTable *m) {
    for (int reg = 0; reg < m->regs; reg++)
        if (m->map[m->walk_warp * m->regs + reg].mask) return reg / m->banks;
    return m->rows;
}

// The register that the walk would free through a lane, -1: none. It is the first mapped register
// of the row in the order of the lane's table banks, in one bank the lowest.
static int rt_walk_find(const RenameTable *m, const uint8_t *home, int row, int lane) {
    int found = -1;
    const int from = m->walk_warp * m->regs;
    for (int i = 0; i < m->banks; i++) {
        const int reg = row * m->banks + i;
        if (reg >= m->regs || !m->map[from + reg].mask || home[from + reg] % m->lanes != lane)
            continue;
        if (found < 0 || home[from + reg] < home[from + found]) found = reg;
    }
    return found;
}

// May a lane be loaded at the clock edge?
static bool rt_lane_free(const RenameTable *m, const RenameTableIn *in, int lane) {
    return !m->freed[lane].mask || in->freed_ready[0] >> lane & 1;
}

// Ports of the table banks that this cycle has assigned so far.
typedef struct Ports {
    const uint8_t *home;
    bool unlimited;
    bool a[RT_MAX_BANKS], b[RT_MAX_BANKS];
} Ports;

static bool take_write(Ports *p, int index) {
    bool *a = &p->a[p->home[index]];
    if (*a && !p->unlimited) return false;
    return *a = true;
}

static bool take_read(Ports *p, int index) {
    bool *a = &p->a[p->home[index]], *b = &p->b[p->home[index]];
    if (*a && *b) return p->unlimited;
    if (*b) return *a = true;
    return *b = true;
}

// Serves lookups of one kind, one per port; returns the served ones.
static uint32_t serve_reads(const RenameTable *m, Ports *p, uint32_t valid, int first, int n,
                            const uint32_t *warp, const uint32_t *reg) {
    uint32_t served = 0;
    for (int i = 0; valid && i < n; i++) {
        const int k = rt_turn(first, i, n);
        if (valid >> k & 1 && take_read(p, rt_index(m, warp[k], reg[k]))) served |= 1u << k;
    }
    return served;
}

static void serve_writes(const RenameTable *m, Ports *p, const RenameTableIn *in, Served *s) {
    for (int i = 0; in->up_valid[0] && i < m->num_wr; i++) {
        const int w = rt_turn(m->up_first, i, m->num_wr);
        if (in->up_valid[0] >> w & 1 && take_write(p, rt_index(m, in->up_warp[w], in->up_reg[w])))
            s->up |= 1u << w;
    }
    if (!(in->fr_valid[0] & 1)) return;
    const int at = rt_index(m, in->fr_warp[0], in->fr_reg[0]);
    s->fr = rt_lane_free(m, in, p->home[at] % m->lanes) && take_write(p, at);
}

static void serve_walk(const RenameTable *m, Ports *p, const RenameTableIn *in, Served *s) {
    const int taken = s->fr ? p->home[rt_index(m, in->fr_warp[0], in->fr_reg[0])] % m->lanes : -1;
    const int row = rt_walk_row(m);
    for (int l = 0; l < m->lanes; l++) {
        s->walk[l] = -1;
        if (row == m->rows || l == taken || !rt_lane_free(m, in, l)) continue;
        const int reg = rt_walk_find(m, p->home, row, l);
        if (reg >= 0 && take_write(p, m->walk_warp * m->regs + reg)) s->walk[l] = reg;
    }
}

static void serve_sources(const RenameTable *m, Ports *p, const RenameTableIn *in, Served *s) {
    for (int i = 0; i < m->num_alloc; i++) {
        const int a = rt_turn(m->src_first, i, m->num_alloc);
        uint32_t valid = in->src_valid[0] >> a * m->num_ops & ((1u << m->num_ops) - 1);
        for (; valid; valid &= valid - 1) {
            const int l = a * m->num_ops + __builtin_ctz(valid);
            if (take_read(p, rt_index(m, in->src_warp[a], in->src_reg[l]))) s->src |= 1u << l;
        }
    }
}

static void rt_serve(const RenameTable *m, const RenameTableIn *in, Served *s) {
    Ports p = {.home = m->home[in->cfg_table[0] & 1], .unlimited = m->unlimited};
    s->src = s->dst = s->bd = s->up = 0, s->fr = false;
    serve_writes(m, &p, in, s);
    s->bd = serve_reads(m, &p, in->bd_valid[0], m->bd_first, m->num_wr, in->bd_warp, in->bd_reg);
    const uint32_t late = in->dst_valid[0] & in->dst_late[0],
                   other = in->dst_valid[0] & ~in->dst_late[0];
    s->dst = serve_reads(m, &p, late, m->dst_first, m->num_alloc, in->dst_warp, in->dst_reg);
    if (in->src_valid[0]) serve_sources(m, &p, in, s);
    s->dst |= serve_reads(m, &p, other, m->dst_first, m->num_alloc, in->dst_warp, in->dst_reg);
    if (m->walking) serve_walk(m, &p, in, s);
}

// Answers of one kind of lookup; returns those that found a mapping.
static uint32_t show_answers(uint32_t answers, const Mapping *found, uint32_t *mask, uint32_t *bank,
                             uint32_t *entry) {
    uint32_t mapped = 0;
    for (; answers; answers &= answers - 1) {
        const int l = __builtin_ctz(answers);
        mask[l] = found[l].mask, bank[l] = found[l].bank, entry[l] = found[l].entry;
        if (found[l].mask) mapped |= 1u << l;
    }
    return mapped;
}

static void rt_eval(void *self, const void *inputs, void *outputs) {
    const RenameTable *m = self;
    RenameTableOut *out = outputs;
    Served s;
    rt_serve(m, inputs, &s);
    out->src_ready[0] = s.src, out->dst_ready[0] = s.dst, out->bd_ready[0] = s.bd,
    out->up_ready[0] = s.up;
    out->fr_ready[0] = s.fr, out->ex_ready[0] = !m->walking;
    out->src_answer[0] = m->src_answer, out->dst_answer[0] = m->dst_answer,
    out->bd_answer[0] = m->bd_answer;
    out->src_mapped[0] =
        show_answers(m->src_answer, m->src, out->src_mask, out->src_bank, out->src_entry);
    out->dst_mapped[0] =
        show_answers(m->dst_answer, m->dst, out->dst_mask, out->dst_bank, out->dst_entry);
    out->bd_mapped[0] =
        show_answers(m->bd_answer, m->bd, out->bd_mask, out->bd_bank, out->bd_entry);
    out->freed_valid[0] = 0;
    for (int l = 0; l < m->lanes; l++) {
        const Mapping *p = &m->freed[l];
        if (!p->mask) continue;
        out->freed_valid[0] |= 1u << l;
        out->freed_bank[l] = p->bank, out->freed_entry[l] = p->entry, out->freed_mask[l] = p->mask;
    }
}

void rename_table_ideal(void *self, bool unlimited) {
    ((RenameTable *)self)->unlimited = unlimited;
}

uint32_t rename_table_take(void *self, uint32_t warp, uint32_t reg, uint32_t *bank,
                           uint32_t *entry) {
    RenameTable *m = self;
    Mapping *p = &m->map[rt_index(m, warp, reg)];
    const uint32_t mask = p->mask;
    *bank = p->bank, *entry = p->entry;
    p->mask = 0;
    return mask;
}

// The port that is first in the next cycle. Bit p of `refused`: a request of p was refused.
static int rt_next_first(int first, uint32_t refused, int n) {
    for (int i = 0; i < n; i++)
        if (refused >> rt_turn(first, i, n) & 1) return rt_turn(first, i, n);
    return first;
}

static void rt_free(RenameTable *m, const uint8_t *home, int index) {
    m->freed[home[index] % m->lanes] = m->map[index];
    m->map[index].mask = 0;
}

static void rt_walk(RenameTable *m, const RenameTableIn *in, const Served *s) {
    if (!m->walking) {
        if (in->ex_valid[0] & 1) m->walking = true, m->walk_warp = (int)in->ex_warp[0];
        return;
    }
    for (int l = 0; l < m->lanes; l++)
        if (s->walk[l] >= 0)
            rt_free(m, m->home[in->cfg_table[0] & 1], m->walk_warp * m->regs + s->walk[l]);
    m->walking = rt_walk_row(m) < m->rows;
}

// The table already has the contents of the next cycle.
static void tick_lookups(RenameTable *m, const RenameTableIn *in, const Served *s) {
    for (uint32_t left = s->src; left; left &= left - 1) {
        const int l = __builtin_ctz(left);
        m->src[l] = m->map[rt_index(m, in->src_warp[l / m->num_ops], in->src_reg[l])];
    }
    for (uint32_t left = s->bd; left; left &= left - 1) {
        const int w = __builtin_ctz(left);
        m->bd[w] = m->map[rt_index(m, in->bd_warp[w], in->bd_reg[w])];
    }
    for (uint32_t left = s->dst; left; left &= left - 1) {
        const int a = __builtin_ctz(left);
        m->dst[a] = m->map[rt_index(m, in->dst_warp[a], in->dst_reg[a])];
    }
    m->src_answer = s->src, m->dst_answer = s->dst, m->bd_answer = s->bd;
}

static void tick_first(RenameTable *m, const RenameTableIn *in, const Served *s) {
    uint32_t refused = 0;
    for (uint32_t left = in->src_valid[0] & ~s->src; left; left &= left - 1)
        refused |= 1u << __builtin_ctz(left) / m->num_ops;
    m->src_first = rt_next_first(m->src_first, refused, m->num_alloc);
    m->dst_first = rt_next_first(m->dst_first, in->dst_valid[0] & ~s->dst, m->num_alloc);
    m->bd_first = rt_next_first(m->bd_first, in->bd_valid[0] & ~s->bd, m->num_wr);
    m->up_first = rt_next_first(m->up_first, in->up_valid[0] & ~s->up, m->num_wr);
}

static void rt_tick(void *self, const void *inputs) {
    RenameTable *m = self;
    const RenameTableIn *in = inputs;
    Served s;
    rt_serve(m, in, &s);
    for (int l = 0; l < m->lanes; l++)
        if (in->freed_ready[0] >> l & 1) m->freed[l].mask = 0;
    if (m->walking || in->ex_valid[0]) rt_walk(m, in, &s);
    if (s.fr) rt_free(m, m->home[in->cfg_table[0] & 1], rt_index(m, in->fr_warp[0], in->fr_reg[0]));
    for (uint32_t left = s.up; left; left &= left - 1) {
        const int w = __builtin_ctz(left);
        m->map[rt_index(m, in->up_warp[w], in->up_reg[w])] =
            (Mapping){(uint16_t)in->up_bank[w], (uint16_t)in->up_entry[w], (uint8_t)in->up_mask[w]};
    }
    tick_lookups(m, in, &s);
    tick_first(m, in, &s);
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
        words[0] =
            (uint32_t)(m->src_first | m->dst_first << 8 | m->up_first << 16 | m->bd_first << 24);
        if (m->walking) words[1] = 1u << 31 | (uint32_t)m->walk_warp;
    } else if (addr < rt_obs_count(self)) {
        words[0] = rt_obs_map(&m->freed[addr - (uint32_t)(m->warps * m->regs) - 1]);
    } else if (addr - BLOCK_OBS_PARAM < PARAMS) {
        words[0] = (uint32_t)m->params[addr - BLOCK_OBS_PARAM];
    }
}

const BlockModel rename_table_model = {"rename_table", rt_open,      rt_close,   rt_reset, rt_eval,
                                       rt_tick,        rt_obs_count, rt_observe, 4};
