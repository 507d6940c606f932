// SPDX-License-Identifier: Apache-2.0
// Golden model of avail_vector. Written from the contract: a state per id and the number of
// available ids per bank; allocation tries one id after the other.
#include "models/pmode/avail_vector.h"
#include "models/params.h"

#include <stdlib.h>
#include <string.h>

enum { AVAIL_VECTOR_PARAMS(BLOCK_INDEX) PARAMS };

enum { MAX_IDS = 256, NONE = -1 };

typedef enum IdState {
    ID_AVAILABLE,
    ID_TAKEN,    // by the launch
    ID_PENDING,  // has an owner; a write is in flight
    ID_WRITTEN,  // has an owner; written
    ID_DYING,    // no owner; a write is in flight
} IdState;

typedef struct AvailVector {
    int ids, banks, first_bank, ports, writes, frees;
    int params[PARAMS];
    uint32_t limit;
    int available;
    int in_bank[32];  // available ids of each bank
    uint8_t state[MAX_IDS];
} AvailVector;

static int av_bank(const AvailVector *m, uint32_t id) {
    return (m->first_bank + (int)id) % m->banks;
}

static void av_set(AvailVector *m, uint32_t id, IdState state) {
    const int change = (state == ID_AVAILABLE) - (m->state[id] == ID_AVAILABLE);
    if (change) {
        m->available += change;
        m->in_bank[av_bank(m, id)] += change;
    }
    m->state[id] = (uint8_t)state;
}

static void av_load(AvailVector *m, uint32_t count) {
    m->limit = count < (uint32_t)m->ids ? count : (uint32_t)m->ids;
    for (uint32_t k = 0; k < (uint32_t)m->ids; k++)
        av_set(m, k, k < m->limit ? ID_TAKEN : ID_AVAILABLE);
}

static void av_reset(void *self) { av_load(self, 0); }

static void *av_open(const int *params) {
    AvailVector *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    memcpy(m->params, params, sizeof m->params);
    m->ids = params[P_NumPhy], m->banks = params[P_Banks];
    m->ports = params[P_NumIssue], m->writes = params[P_NumWr];
    m->frees = 2 * m->ports + 3;
    m->first_bank = avail_vector_bank(params[P_Banks], params[P_Entries], params[P_NumPhy], 0);
    if (m->first_bank < 0) m->first_bank += m->banks;
    for (int k = 0; k < m->ids; k++) m->state[k] = ID_TAKEN;
    av_reset(m);
    return m;
}

static void av_close(void *self) { free(self); }

// Ids that the ports get, one per word; NONE: none.
typedef struct Choice {
    int n, id[2 * AV_MAX_ISSUE];
} Choice;

// Available and not chosen yet.
static bool av_open_to(const AvailVector *m, int id, const Choice *c) {
    if (m->state[id] != ID_AVAILABLE) return false;
    for (int i = 0; i < c->n; i++)
        if (c->id[i] == id) return false;
    return true;
}

static int av_search(const AvailVector *m, int from, int step, const Choice *c) {
    for (int id = from; id < m->ids; id += step)
        if (av_open_to(m, id, c)) return id;
    return NONE;
}

static int av_pick(const AvailVector *m, int bank, const Choice *c) {
    int id = NONE;
    if (bank < m->banks && m->in_bank[bank] > 0)
        id = av_search(m, (bank - m->first_bank + m->banks) % m->banks, m->banks, c);
    return id != NONE ? id : av_search(m, 0, 1, c);
}

static void av_choose(const AvailVector *m, const AvailVectorIn *in, Choice *c) {
    int left = in->load_valid[0] ? 0 : m->available;
    c->n = 0;
    for (int p = 0; p < m->ports; p++) {
        const int words = in->alloc_valid[0] >> p & 1 ? 1 + (int)(in->alloc_pair[0] >> p & 1) : 0;
        const bool ok = words <= left;
        for (int k = 0; k < 2; k++) {
            const int id = ok && k < words ? av_pick(m, (int)in->alloc_bank[2 * p + k], c) : NONE;
            c->id[c->n++] = id;
        }
        if (ok) left -= words;
    }
}

static void av_eval(void *self, const void *inputs, void *outputs) {
    const AvailVector *m = self;
    AvailVectorOut *out = outputs;
    Choice c;
    av_choose(m, inputs, &c);
    out->ready[0] = out->alloc_ok[0] = out->alloc_word[0] = 0;
    for (int i = 0; i < c.n; i++) {
        if (m->available > i) out->ready[0] |= 1u << i;
        if (c.id[i] == NONE) continue;
        out->alloc_ok[0] |= 1u << i / 2;
        out->alloc_word[0] |= 1u << i;
        out->alloc_phy[i] = (uint32_t)c.id[i];
    }
}

static void av_tick(void *self, const void *inputs) {
    AvailVector *m = self;
    const AvailVectorIn *in = inputs;
    if (in->load_valid[0]) {
        av_load(m, in->load_count[0]);
        return;
    }
    Choice c;
    av_choose(m, in, &c);
    for (int j = 0; j < m->writes; j++) {
        const uint32_t id = in->wb_phy[j];
        if (!(in->wb_valid[0] >> j & 1)) continue;
        if (m->state[id] == ID_PENDING) av_set(m, id, ID_WRITTEN);
        if (m->state[id] == ID_DYING) av_set(m, id, ID_AVAILABLE);
    }
    for (int f = 0; f < m->frees; f++) {
        const uint32_t id = in->free_phy[f];
        if (!(in->free_valid[0] >> f & 1)) continue;
        if (m->state[id] == ID_WRITTEN) av_set(m, id, ID_AVAILABLE);
        if (m->state[id] == ID_PENDING) av_set(m, id, ID_DYING);
    }
    for (int i = 0; i < c.n; i++)
        if (c.id[i] != NONE) av_set(m, (uint32_t)c.id[i], ID_PENDING);
}

static uint32_t av_obs_count(void *self) { return (uint32_t)((const AvailVector *)self)->ids + 1; }

static void av_observe(void *self, uint32_t addr, uint32_t *words) {
    const AvailVector *m = self;
    words[0] = 0;
    if (addr < (uint32_t)m->ids) {
        const IdState s = (IdState)m->state[addr];
        words[0] = (uint32_t)(s == ID_AVAILABLE) |
            (uint32_t)(s == ID_PENDING || s == ID_DYING) << 1 | (uint32_t)(s == ID_DYING) << 2;
    } else if (addr == (uint32_t)m->ids) {
        words[0] = m->limit;
    } else if (addr - BLOCK_OBS_PARAM < PARAMS) {
        words[0] = (uint32_t)m->params[addr - BLOCK_OBS_PARAM];
    }
}

const BlockModel avail_vector_model = {"avail_vector", av_open,      av_close,   av_reset, av_eval,
                                       av_tick,        av_obs_count, av_observe, 1};
