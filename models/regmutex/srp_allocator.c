// SPDX-License-Identifier: Apache-2.0
// Golden model of srp_allocator: a list of the owners of the sections and a list of the sections of
// the warps, instead of bit masks.
#include "models/regmutex/srp_allocator.h"
#include "models/params.h"

#include <stdlib.h>
#include <string.h>

enum { SRP_ALLOCATOR_PARAMS(BLOCK_INDEX) PARAMS };

enum { NOBODY = -1, NO_SECTION = -2, NONE = -1 };

typedef struct Pool {
    int owner[SRP_MAX_WARPS];  // of a section: a warp, NOBODY, NO_SECTION
    int held[SRP_MAX_WARPS];   // by a warp: a section, NONE
} Pool;

typedef struct Srp {
    int warps, num_req, num_look;
    bool paired;
    Pool pool;
} Srp;

static void load(Srp *s, bool paired, int sections) {
    s->paired = paired;
    for (int i = 0; i < SRP_MAX_WARPS; i++) {
        s->pool.owner[i] = i < sections ? NOBODY : NO_SECTION;
        s->pool.held[i] = NONE;
    }
}

static void srp_reset(void *self) { load(self, false, 0); }

static void *srp_open(const int *params) {
    Srp *s = calloc(1, sizeof *s);
    if (!s) abort();
    s->warps = params[P_Warps], s->num_req = params[P_NumReq], s->num_look = params[P_NumLook];
    srp_reset(s);
    return s;
}

// The section that the warp gets, NONE: refused.
static int acquire(const Srp *s, Pool *pool, int warp) {
    if (pool->held[warp] != NONE) return pool->held[warp];
    int from = s->paired ? warp / 2 : 0, to = s->paired ? from + 1 : s->warps;
    for (int i = from; i < to; i++) {
        if (pool->owner[i] != NOBODY) continue;
        pool->owner[i] = warp;
        return pool->held[warp] = i;
    }
    return NONE;
}

static void serve(const Srp *s, const SrpAllocatorIn *in, Pool *pool, SrpAllocatorOut *out) {
    for (int r = 0; r < s->num_req; r++) {
        if (!(in->acq_valid[0] >> r & 1)) continue;
        int section = acquire(s, pool, (int)in->acq_warp[r]);
        if (!out || section < 0) continue;
        out->acq_grant[0] |= 1u << r;
        out->acq_section[r] = (uint32_t)section;
    }
}

static void srp_eval(void *self, const void *vin, void *vout) {
    const Srp *s = self;
    const SrpAllocatorIn *in = vin;
    SrpAllocatorOut *out = vout;
    out->acq_grant[0] = out->lk_held[0] = 0;
    for (int l = 0; l < s->num_look; l++) {
        int section = s->pool.held[in->lk_warp[l]];
        if (section < 0) continue;
        out->lk_held[0] |= 1u << l;
        out->lk_section[l] = (uint32_t)section;
    }
    if (in->cfg_valid[0] || !in->acq_valid[0]) return;
    Pool trial = s->pool;
    serve(s, in, &trial, out);
}

static void give_back(Pool *pool, int warp) {
    const int section = pool->held[warp];
    if (section == NONE) return;
    pool->owner[section] = NOBODY;
    pool->held[warp] = NONE;
}

static void srp_tick(void *self, const void *vin) {
    Srp *s = self;
    const SrpAllocatorIn *in = vin;
    if (in->cfg_valid[0]) {
        const bool paired = in->cfg_paired[0];
        const int sections = (int)in->cfg_sections[0];
        // the last of an odd number is alone
        const int most = paired ? s->warps - s->warps / 2 : s->warps;
        load(s, paired, sections < most ? sections : most);
        return;
    }
    if (in->acq_valid[0]) serve(s, in, &s->pool, NULL);
    for (int r = 0; r < s->num_req; r++)
        if (in->rel_valid[0] >> r & 1) give_back(&s->pool, (int)in->rel_warp[r]);
    for (int w = 0; w < s->warps; w++)
        if (in->exit_mask[w]) give_back(&s->pool, w);
}

static uint32_t srp_obs_count(void *self) { return 5u + (uint32_t)((Srp *)self)->warps; }

static void srp_observe(void *self, uint32_t addr, uint32_t *words) {
    const Srp *s = self;
    words[0] = 0;
    if (addr >= BLOCK_OBS_PARAM) {
        const int params[] = {s->warps, s->num_req, s->num_look};
        if (addr - BLOCK_OBS_PARAM < PARAMS) words[0] = (uint32_t)params[addr - BLOCK_OBS_PARAM];
    } else if (addr >= 5) {
        const int section = s->pool.held[addr - 5];
        words[0] = section == NONE ? 0 : (uint32_t)section;
    } else if (addr == 4) {
        words[0] = s->paired;
    } else {
        for (int i = 0; i < s->warps; i++) {
            bool bit = addr < 2 ? s->pool.held[i] != NONE : s->pool.owner[i] != NOBODY;
            if (bit && i / 32 == (int)addr % 2) words[0] |= 1u << i % 32;
        }
    }
}

const BlockModel srp_allocator_model = {.name = "srp_allocator",
                                        .open = srp_open,
                                        .close = free,
                                        .reset = srp_reset,
                                        .eval = srp_eval,
                                        .tick = srp_tick,
                                        .obs_count = srp_obs_count,
                                        .observe = srp_observe,
                                        .obs_words = 1};
