// SPDX-License-Identifier: Apache-2.0
// Golden model of owf_locks: a table of locks with their holders and a table of CTA pairs with the
// slot of the owner. A warp is looked up by slot and place in its CTA.
#include "models/regmutex/owf_locks.h"
#include "models/params.h"

#include <stdlib.h>
#include <string.h>

enum { OWF_LOCKS_PARAMS(BLOCK_INDEX) PARAMS };

enum { NOBODY = -1 };

typedef struct Owf {
    int params[PARAMS];
    int warps, cta_pairs, num_req;
    int per_cta, pairs;  // as loaded
    bool live[OWF_MAX_WARPS];
    // of lock `place` of CTA pair k, at k * per_cta + place: a warp, NOBODY
    int holder[OWF_MAX_WARPS];
    int owner[OWF_MAX_PAIRS];  // of a CTA pair: a slot, NOBODY
} Owf;

static void clear(Owf *o, int per_cta, int pairs) {
    o->per_cta = per_cta, o->pairs = pairs;
    memset(o->live, 0, sizeof o->live);
    for (int i = 0; i < OWF_MAX_WARPS; i++) o->holder[i] = NOBODY;
    for (int k = 0; k < OWF_MAX_PAIRS; k++) o->owner[k] = NOBODY;
}

static void owf_reset(void *self) { clear(self, 1, 0); }

static void *owf_open(const int *params) {
    Owf *o = calloc(1, sizeof *o);
    if (!o) abort();
    memcpy(o->params, params, sizeof o->params);
    o->warps = params[P_Warps], o->num_req = params[P_NumReq];
    o->cta_pairs = owf_locks_cta_pairs(o->warps, params[P_Ctas]);
    owf_reset(o);
    return o;
}

static int slot_of(const Owf *o, int warp) { return warp / o->per_cta; }
static bool paired(const Owf *o, int warp) { return slot_of(o, warp) / 2 < o->pairs; }
static int *lock_of(Owf *o, int warp) {
    return &o->holder[slot_of(o, warp) / 2 * o->per_cta + warp % o->per_cta];
}
static int *owner_of(Owf *o, int warp) { return &o->owner[slot_of(o, warp) / 2]; }
static int partner_of(const Owf *o, int warp) {
    return (slot_of(o, warp) ^ 1) * o->per_cta + warp % o->per_cta;
}

static bool may(Owf *o, int warp) {
    if (!paired(o, warp) || *lock_of(o, warp) == warp) return true;
    const int owner = *owner_of(o, warp);
    return owner == NOBODY || owner == slot_of(o, warp) || !o->live[partner_of(o, warp)];
}

// The acquires in the order of the ports; returns the grants.
static uint32_t serve(Owf *o, const OwfLocksIn *in) {
    uint32_t grants = 0;
    for (int r = 0; r < o->num_req; r++) {
        const int warp = (int)in->acq_warp[r];
        if (!(in->acq_valid[0] >> r & 1) || !may(o, warp)) continue;
        grants |= 1u << r;
        if (!paired(o, warp)) continue;
        *lock_of(o, warp) = warp;
        if (*owner_of(o, warp) == NOBODY) *owner_of(o, warp) = slot_of(o, warp);
    }
    return grants;
}

static void owf_eval(void *self, const void *vin, void *vout) {
    Owf *o = self;
    const OwfLocksIn *in = vin;
    OwfLocksOut *out = vout;
    for (int w = 0; w < o->warps; w++) {
        out->may[w] = o->live[w];
        out->held[w] = out->owner[w] = 0;
    }
    for (int w = 0; w < o->warps && paired(o, w); w++) {
        if (!o->live[w]) continue;
        out->may[w] = may(o, w);
        out->held[w] = *lock_of(o, w) == w;
        out->owner[w] = *owner_of(o, w) == slot_of(o, w);
    }
    out->acq_grant[0] = 0;
    if (in->cfg_valid[0] || !in->acq_valid[0]) return;
    Owf trial = *o;
    out->acq_grant[0] = serve(&trial, in);
}

static bool slot_lives(const Owf *o, int slot) {
    for (int i = 0; i < o->per_cta; i++)
        if (o->live[slot * o->per_cta + i]) return true;
    return false;
}

static void owf_tick(void *self, const void *vin) {
    Owf *o = self;
    const OwfLocksIn *in = vin;
    if (in->cfg_valid[0]) {
        clear(o, (int)in->cfg_warps[0], (int)in->cfg_pairs[0]);
        return;
    }
    serve(o, in);
    for (int w = 0; w < o->warps; w++) {
        if (in->exit_mask[w] && o->live[w]) {
            o->live[w] = false;
            if (paired(o, w) && *lock_of(o, w) == w) *lock_of(o, w) = NOBODY;
        }
        if (in->start_mask[w]) o->live[w] = true;
    }
    for (int k = 0; k < o->pairs; k++) {
        if (o->owner[k] == NOBODY || slot_lives(o, o->owner[k])) continue;
        const int other = o->owner[k] ^ 1;
        o->owner[k] = slot_lives(o, other) ? other : NOBODY;
    }
}

static uint32_t owf_obs_count(void *self) {
    const Owf *o = self;
    return (uint32_t)(o->warps + o->cta_pairs + 2);
}

static void owf_observe(void *self, uint32_t addr, uint32_t *words) {
    Owf *o = self;
    const uint32_t warps = (uint32_t)o->warps, behind = warps + (uint32_t)o->cta_pairs;
    words[0] = 0;
    if (addr >= BLOCK_OBS_PARAM) {
        if (addr - BLOCK_OBS_PARAM < PARAMS) words[0] = (uint32_t)o->params[addr - BLOCK_OBS_PARAM];
    } else if (addr < warps) {
        const int w = (int)addr;
        words[0] = (uint32_t)o->live[w] | (uint32_t)(paired(o, w) && *lock_of(o, w) == w) << 1;
    } else if (addr < behind) {
        const int owner = o->owner[addr - warps];
        words[0] = owner == NOBODY ? 0 : 1u | (uint32_t)(owner & 1) << 1;
    } else if (addr <= behind + 1) {
        words[0] = (uint32_t)(addr == behind ? o->per_cta : o->pairs);
    }
}

const BlockModel owf_locks_model = {.name = "owf_locks",
                                    .open = owf_open,
                                    .close = free,
                                    .reset = owf_reset,
                                    .eval = owf_eval,
                                    .tick = owf_tick,
                                    .obs_count = owf_obs_count,
                                    .observe = owf_observe,
                                    .obs_words = 1};
