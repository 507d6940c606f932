// SPDX-License-Identifier: Apache-2.0
// Golden model of srp_allocator (contract: srp_allocator.h): a list of who owns each section,
// instead of bit masks; a warp's section is found by walking it.
#include "models/regmutex/srp_allocator.h"
#include "models/params.h"

#include <stdlib.h>
#include <string.h>

enum { SRP_ALLOCATOR_PARAMS(BLOCK_INDEX) PARAMS };

enum { NOBODY = -1, NO_SECTION = -2 };

typedef struct Srp {
    int warps, num_req, num_look;
    bool paired;
    int owner[SRP_MAX_WARPS];  // of a section: a warp, NOBODY, NO_SECTION
} Srp;

static void srp_reset(void *self) {
    Srp *s = self;
    s->paired = false;
    for (int i = 0; i < SRP_MAX_WARPS; i++) s->owner[i] = NO_SECTION;
}

static void *srp_open(const int *params) {
    Srp *s = calloc(1, sizeof *s);
    if (!s) abort();
    s->warps = params[P_Warps], s->num_req = params[P_NumReq], s->num_look = params[P_NumLook];
    srp_reset(s);
    return s;
}

static int section_of(const int *owner, int n, int warp) {
    for (int i = 0; i < n; i++)
        if (owner[i] == warp) return i;
    return -1;
}

// The section that the warp gets, -1: refused.
static int acquire(const Srp *s, int *owner, int warp) {
    int held = section_of(owner, s->warps, warp);
    if (held >= 0) return held;
    int from = s->paired ? warp / 2 : 0, to = s->paired ? from + 1 : s->warps;
    for (int i = from; i < to; i++) {
        if (owner[i] != NOBODY) continue;
        owner[i] = warp;
        return i;
    }
    return -1;
}

static void serve(const Srp *s, const SrpAllocatorIn *in, int *owner, SrpAllocatorOut *out) {
    for (int r = 0; r < s->num_req; r++) {
        if (!(in->acq_valid[0] >> r & 1)) continue;
        int section = acquire(s, owner, (int)in->acq_warp[r]);
        if (!out || section < 0) continue;
        out->acq_grant[0] |= 1u << r;
        out->acq_section[r] = (uint32_t)section;
    }
}

static void srp_eval(void *self, const void *vin, void *vout) {
    const Srp *s = self;
    const SrpAllocatorIn *in = vin;
    SrpAllocatorOut *out = vout;
    int owner[SRP_MAX_WARPS];
    out->acq_grant[0] = out->lk_held[0] = 0;
    for (int l = 0; l < s->num_look; l++) {
        int section = section_of(s->owner, s->warps, (int)in->lk_warp[l]);
        if (section < 0) continue;
        out->lk_held[0] |= 1u << l;
        out->lk_section[l] = (uint32_t)section;
    }
    if (in->cfg_valid[0] || !in->acq_valid[0]) return;
    memcpy(owner, s->owner, sizeof owner);
    serve(s, in, owner, out);
}

static void give_back(Srp *s, const int *before, int warp) {
    int section = section_of(before, s->warps, warp);
    if (section >= 0) s->owner[section] = NOBODY;
}

static void srp_tick(void *self, const void *vin) {
    Srp *s = self;
    const SrpAllocatorIn *in = vin;
    if (in->cfg_valid[0]) {
        s->paired = in->cfg_paired[0];
        // the last of an odd number is alone
        int most = s->paired ? s->warps - s->warps / 2 : s->warps;
        for (int i = 0; i < SRP_MAX_WARPS; i++)
            s->owner[i] = i < most && i < (int)in->cfg_sections[0] ? NOBODY : NO_SECTION;
        return;
    }
    int before[SRP_MAX_WARPS];
    memcpy(before, s->owner, sizeof before);
    if (in->acq_valid[0]) serve(s, in, s->owner, NULL);
    for (int r = 0; r < s->num_req; r++)
        if (in->rel_valid[0] >> r & 1) give_back(s, before, (int)in->rel_warp[r]);
    for (int w = 0; w < s->warps; w++)
        if (in->exit_mask[w]) give_back(s, before, w);
}

static uint32_t srp_obs_count(void *self) { return 5u + (uint32_t)((Srp *)self)->warps; }

static void srp_observe(void *self, uint32_t addr, uint32_t *words) {
    const Srp *s = self;
    words[0] = 0;
    if (addr >= BLOCK_OBS_PARAM) {
        const int params[] = {s->warps, s->num_req, s->num_look};
        if (addr - BLOCK_OBS_PARAM < PARAMS) words[0] = (uint32_t)params[addr - BLOCK_OBS_PARAM];
    } else if (addr >= 5) {
        int section = section_of(s->owner, s->warps, (int)addr - 5);
        words[0] = section < 0 ? 0 : (uint32_t)section;
    } else if (addr == 4) {
        words[0] = s->paired;
    } else {
        for (int i = 0; i < s->warps; i++) {
            bool bit = addr < 2 ? section_of(s->owner, s->warps, i) >= 0 : s->owner[i] != NOBODY;
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
