// SPDX-License-Identifier: Apache-2.0
// Golden model of arch_to_phys (contract: arch_to_phys.h): the formula, in wide integers.
#include "models/regmutex/arch_to_phys.h"
#include "models/params.h"

#include <stdlib.h>
#include <string.h>

enum { ARCH_TO_PHYS_PARAMS(BLOCK_INDEX) PARAMS };

typedef struct Map {
    int params[PARAMS], physical, banks, num_alloc, num_regs;
} Map;

static void *map_open(const int *params) {
    Map *m = calloc(1, sizeof *m);
    if (!m) abort();
    memcpy(m->params, params, sizeof m->params);
    m->banks = params[P_Banks], m->physical = m->banks * params[P_Entries];
    m->num_alloc = params[P_NumAlloc], m->num_regs = params[P_NumRegs];
    return m;
}

static void map_reset(void *self) { (void)self; }

// The physical register of x, -1: none.
static long place(const Map *m, const ArchToPhysIn *in, int a, long x) {
    long base = in->cfg_base[0], ext = in->cfg_ext[0], phys;
    if (x < base) {
        phys = base * (long)in->at_warp[a] + x;
    } else {
        if (x - base >= ext || !(in->at_held[0] >> a & 1)) return -1;
        phys = (long)in->cfg_srp[0] + ext * (long)in->at_section[a] + (x - base);
    }
    return phys < m->physical ? phys : -1;
}

static void map_eval(void *self, const void *vin, void *vout) {
    const Map *m = self;
    const ArchToPhysIn *in = vin;
    ArchToPhysOut *out = vout;
    out->at_ok[0] = out->at_fault[0] = 0;
    for (int a = 0; a < m->num_alloc; a++)
        for (int k = 0; k < m->num_regs; k++) {
            int i = a * m->num_regs + k;
            out->at_phys[i] = out->at_bank[i] = out->at_entry[i] = 0;
            if (!(in->at_valid[0] >> a & in->at_need[a] >> k & 1)) continue;
            long phys = place(m, in, a, (long)in->at_reg[i]);
            if (phys < 0) {
                out->at_fault[0] |= 1u << i;
            } else {
                out->at_ok[0] |= 1u << i;
                out->at_phys[i] = (uint32_t)phys;
                const long entry = phys / m->banks;
                out->at_entry[i] = (uint32_t)entry;
                out->at_bank[i] = (uint32_t)((phys + entry + entry / m->banks) % m->banks);
            }
        }
}

static void map_tick(void *self, const void *in) { (void)self, (void)in; }
static uint32_t map_obs_count(void *self) {
    (void)self;
    return 0;
}
static void map_observe(void *self, uint32_t addr, uint32_t *words) {
    const Map *m = self;
    words[0] = addr - BLOCK_OBS_PARAM < PARAMS ? (uint32_t)m->params[addr - BLOCK_OBS_PARAM] : 0;
}

const BlockModel arch_to_phys_model = {.name = "arch_to_phys",
                                       .open = map_open,
                                       .close = free,
                                       .reset = map_reset,
                                       .eval = map_eval,
                                       .tick = map_tick,
                                       .obs_count = map_obs_count,
                                       .observe = map_observe,
                                       .obs_words = 1};
