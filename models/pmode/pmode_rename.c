// SPDX-License-Identifier: Apache-2.0
// Golden model of pmode_rename. One array of mappings per warp and table holds an id or NONE. A
// take-down searches it register by register.
#include "models/pmode/pmode_rename.h"
#include "models/params.h"

#include <stdlib.h>
#include <string.h>

enum { PMODE_RENAME_PARAMS(BLOCK_INDEX) PARAMS };

enum { NONE = -1, MAX_REGS = 63 };

typedef struct Mapping {
    int16_t id;  // NONE: the register is in its own place
    bool owned;  // by this table (the N-table owns all that it maps)
} Mapping;

typedef struct Table {
    bool closing;
    Mapping map[MAX_REGS];
} Table;

typedef struct PmodeRename {
    int warps, regs, ports, ops;
    int params[PARAMS];
    uint64_t closing;              // bit w: a table of warp w is being taken down
    Table table[PR_MAX_WARPS][2];  // N, P
} PmodeRename;

static const Mapping nothing = {NONE, false};

static void pr_reset(void *self) {
    PmodeRename *m = self;
    m->closing = 0;
    for (int w = 0; w < m->warps; w++)
        for (int t = 0; t < 2; t++) {
            m->table[w][t].closing = false;
            for (int r = 0; r < m->regs; r++) m->table[w][t].map[r] = nothing;
        }
}

static void *pr_open(const int *params) {
    PmodeRename *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    memcpy(m->params, params, sizeof m->params);
    m->warps = params[P_NumWarps], m->regs = params[P_NumRegs];
    m->ports = params[P_NumIssue], m->ops = params[P_NumOps];
    pr_reset(m);
    return m;
}

static void pr_close(void *self) { free(self); }

// Where an instruction finds register r, NONE: in its own place.
static int pr_find(const PmodeRename *m, uint32_t warp, bool pmode, uint32_t r) {
    if (r >= (uint32_t)m->regs) return NONE;
    const Table *n = &m->table[warp][0], *p = &m->table[warp][1];
    if (pmode && !p->closing && p->map[r].id != NONE) return p->map[r].id;
    return n->closing ? NONE : n->map[r].id;
}

// Register of word k of the destination of port i; one that there is not: regs.
static uint32_t pr_word(const PmodeRename *m, const PmodeRenameIn *in, int i, int k) {
    const uint32_t dst = in->lk_dst[i];
    if (dst >= (uint32_t)m->regs) return (uint32_t)m->regs;
    if (k == 0) return dst;
    return in->lk_pair[0] >> i & 1 && dst % 2 == 0 && dst + 1 < (uint32_t)m->regs
        ? dst + 1
        : (uint32_t)m->regs;
}

// The mapping of word k that port i changes, NULL: none.
static Mapping *pr_target(PmodeRename *m, const PmodeRenameIn *in, int i, int k) {
    const uint32_t r = pr_word(m, in, i, k);
    if (!(in->set_valid[0] >> i & 1) || r == (uint32_t)m->regs) return NULL;
    for (int lower = 0; lower < i; lower++)
        if (in->set_valid[0] >> lower & 1 && in->lk_warp[lower] == in->lk_warp[i]) return NULL;
    Table *t = &m->table[in->lk_warp[i]][in->lk_pmode[0] >> i & 1];
    return t->closing ? NULL : &t->map[r];
}

// The table that loses a mapping in this cycle (NULL: none) and its lowest register (NONE: empty).
static Table *pr_taken_down(PmodeRename *m, int *reg) {
    if (!m->closing) return NULL;
    Table *pair = m->table[__builtin_ctzll(m->closing)], *t = pair[1].closing ? &pair[1] : &pair[0];
    *reg = NONE;
    for (int r = m->regs - 1; r >= 0; r--)
        if (t->map[r].id != NONE) *reg = r;
    return t;
}

static void pr_eval(void *self, const void *inputs, void *outputs) {
    PmodeRename *m = self;
    const PmodeRenameIn *in = inputs;
    PmodeRenameOut *out = outputs;
    out->src_renamed[0] = out->dst_renamed[0] = out->free_valid[0] = 0;
    for (int i = 0; i < m->ports; i++) {
        const bool pmode = in->lk_pmode[0] >> i & 1;
        for (int k = i * m->ops; k < (i + 1) * m->ops; k++) {
            const int id = pr_find(m, in->lk_warp[i], pmode, in->lk_src[k]);
            if (id == NONE) continue;
            out->src_renamed[0] |= 1u << k;
            out->src_phy[k] = (uint32_t)id;
        }
        for (int k = 0; k < 2; k++) {
            const int id = pr_find(m, in->lk_warp[i], pmode, pr_word(m, in, i, k));
            if (id != NONE) {
                out->dst_renamed[0] |= 1u << (2 * i + k);
                out->dst_phy[2 * i + k] = (uint32_t)id;
            }
            const Mapping *dies = pr_target(m, in, i, k);
            if (dies && dies->owned) {
                out->free_valid[0] |= 1u << (2 * i + k);
                out->free_phy[2 * i + k] = (uint32_t)dies->id;
            }
        }
    }
    int reg;
    const Table *t = pr_taken_down(m, &reg);
    if (t && reg != NONE) {
        out->free_valid[0] |= 1u << 2 * m->ports;
        out->free_phy[2 * m->ports] = (uint32_t)t->map[reg].id;
    }
    for (int w = 0; w < m->warps; w++) out->busy[w] = m->closing >> w & 1;
}

static void pr_take_down(PmodeRename *m) {
    int reg, left = 0;
    Table *t = pr_taken_down(m, &reg);
    if (!t) return;
    if (reg != NONE) t->map[reg] = nothing;
    for (int r = 0; r < m->regs; r++) left += t->map[r].id != NONE;
    if (left) return;
    t->closing = false;
    const int w = __builtin_ctzll(m->closing);
    if (!m->table[w][0].closing && !m->table[w][1].closing) m->closing &= m->closing - 1;
}

static void pr_end(PmodeRename *m, uint32_t warp, bool all) {
    Table *n = &m->table[warp][0], *p = &m->table[warp][1];
    for (int r = 0; r < m->regs; r++)
        if (!p->map[r].owned) p->map[r] = nothing;
    p->closing = true;
    if (all) n->closing = true;
    m->closing |= 1ull << warp;
}

static void pr_tick(void *self, const void *inputs) {
    PmodeRename *m = self;
    const PmodeRenameIn *in = inputs;
    Mapping *change[2 * PR_MAX_ISSUE];
    for (int c = 0; c < 2 * m->ports; c++) change[c] = pr_target(m, in, c / 2, c % 2);
    pr_take_down(m);
    for (int c = 0; c < 2 * m->ports; c++) {
        if (!change[c]) continue;
        const int i = c / 2;
        const bool pmode = in->lk_pmode[0] >> i & 1;
        *change[c] = in->set_kill[0] >> i & 1
            ? nothing
            : (Mapping){(int16_t)in->set_phy[c], !pmode || in->set_own[0] >> i & 1};
    }
    if (in->end_valid[0]) pr_end(m, in->end_warp[0], in->end_all[0]);
}

static uint32_t pr_obs_count(void *self) {
    const PmodeRename *m = self;
    return (uint32_t)(m->warps * (m->regs + 1));
}

static void pr_observe(void *self, uint32_t addr, uint32_t *words) {
    const PmodeRename *m = self;
    const uint32_t mappings = (uint32_t)(m->warps * m->regs);
    words[0] = 0;
    if (addr < mappings) {
        const Table *pair = m->table[addr / (uint32_t)m->regs];
        const Mapping n = pair[0].map[addr % (uint32_t)m->regs],
                      p = pair[1].map[addr % (uint32_t)m->regs];
        if (n.id != NONE) words[0] |= 1u | (uint32_t)n.id << 1;
        if (p.id != NONE) words[0] |= 1u << 9 | (uint32_t)p.id << 10 | (uint32_t)p.owned << 18;
    } else if (addr < pr_obs_count(self)) {
        const Table *pair = m->table[addr - mappings];
        words[0] = (uint32_t)pair[1].closing | (uint32_t)pair[0].closing << 1;
    } else if (addr - BLOCK_OBS_PARAM < PARAMS) {
        words[0] = (uint32_t)m->params[addr - BLOCK_OBS_PARAM];
    }
}

const BlockModel pmode_rename_model = {"pmode_rename", pr_open,      pr_close,   pr_reset, pr_eval,
                                       pr_tick,        pr_obs_count, pr_observe, 1};
