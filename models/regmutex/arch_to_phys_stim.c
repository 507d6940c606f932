// SPDX-License-Identifier: Apache-2.0
// Stimuli of arch_to_phys: splits of every kind, registers at both ends of both sets and beyond.
// Pools reach the end of the register file or pass it.
#include "models/regmutex/arch_to_phys.h"
#include "models/params.h"
#include "models/stim_bins.h"

#include <stdlib.h>

enum { ARCH_TO_PHYS_PARAMS(BLOCK_INDEX) };

enum { KNOB_BUSY, KNOB_HELD, KNOB_EDGE, KNOB_NEW, KNOB_FAR, KNOBS };
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"busy", 20, 100, "percent of ports with an instruction"},
    {"held", 0, 100, "percent of warps that hold a section"},
    {"edge", 0, 90, "percent of registers at an end of a set"},
    {"new", 2, 60, "percent of cycles with another split"},
    {"far", 0, 40, "percent of splits whose pool lies anywhere"},
};

enum {
    AT_FIRST,
    AT_LAST_BASE,
    AT_FIRST_EXT,
    AT_LAST_EXT,
    AT_BEYOND,
    AT_NO_SECTION,
    AT_OUT_OF_FILE,
    AT_LAST_PHYS,
    AT_EXT_ZERO,
    AT_BASE_ZERO,
    AT_LAST_WARP,
    AT_LAST_SECTION,
    AT_UNNAMED,
    AT_TURNED,
    PLACES
};

typedef struct Env {
    int warps, regs, physical, banks, alloc, named;
    uint32_t base, ext, srp;
} Env;

static int map_bins(const int *params, CoverBin *bins) {
    static const char *const names[PLACES] = {
        "first_base", "last_base",       "first_extended", "last_extended",   "beyond_both_sets",
        "no_section", "out_of_the_file", "last_physical",  "no_extended_set", "no_base_set",
        "last_warp",  "last_section",    "not_named",      "other_bank"};
    BinList l = {.bins = bins};
    for (int a = 0; a < params[P_NumAlloc]; a++)
        for (int k = 0; k < params[P_NumRegs]; k++)
            for (int i = 0; i < PLACES; i++)
                if (i != AT_TURNED || params[P_Banks] > 1)
                    bin_add(&l, names[i], "port%d.register%d", a, k);
    return l.n;
}

static void *env_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (!e) abort();
    e->warps = params[P_Warps], e->regs = params[P_Regs];
    e->banks = params[P_Banks], e->physical = e->banks * params[P_Entries];
    e->alloc = params[P_NumAlloc], e->named = params[P_NumRegs];
    return e;
}
static void env_reset(void *self) { (void)self; }

static void new_split(Env *e, StimRandom *r, const int *knobs) {
    uint32_t regs = (uint32_t)e->regs;
    uint32_t fit = (uint32_t)e->physical / (uint32_t)e->warps;  // base sets of all warps fit
    e->base = stim_percent(r, 15)    ? 0
        : stim_percent(r, 70) && fit ? stim_below(r, fit + 1 < regs ? fit + 1 : regs + 1)
                                     : stim_below(r, regs + 1);
    e->ext = stim_percent(r, 15) ? 0 : stim_below(r, regs + 1);
    uint32_t behind = e->base * (uint32_t)e->warps;
    bool far = stim_percent(r, knobs[KNOB_FAR]) || behind >= (uint32_t)e->physical;
    e->srp = far ? stim_below(r, (uint32_t)e->physical) : behind;
    if (!e->ext && stim_percent(r, 50)) e->srp = 0;
}

static uint32_t pick(const Env *e, StimRandom *r, const int *knobs) {
    uint32_t most = (1u << block_bits(e->regs + 1)) - 1, x;
    if (!stim_percent(r, knobs[KNOB_EDGE])) return stim_below(r, most + 1);
    switch (stim_below(r, 6)) {
    case 0: x = 0; break;
    case 1: x = e->base - 1; break;
    case 2: x = e->base; break;
    case 3: x = e->base + e->ext - 1; break;
    case 4: x = e->base + e->ext; break;
    // the last physical register of section 0
    default: x = e->base + (uint32_t)e->physical - 1 - e->srp;
    }
    return x & most;
}

static void env_randomize(void *self, StimRandom *r, const int *knobs, void *vin) {
    Env *e = self;
    ArchToPhysIn *in = vin;
    if (stim_percent(r, knobs[KNOB_NEW])) new_split(e, r, knobs);
    in->cfg_base[0] = e->base;
    in->cfg_ext[0] = e->ext;
    in->cfg_srp[0] = e->srp;
    in->at_valid[0] = in->at_held[0] = 0;
    for (int a = 0; a < e->alloc; a++) {
        in->at_valid[0] |= (uint32_t)stim_percent(r, knobs[KNOB_BUSY]) << a;
        in->at_held[0] |= (uint32_t)stim_percent(r, knobs[KNOB_HELD]) << a;
        in->at_warp[a] =
            stim_percent(r, 25) ? (uint32_t)e->warps - 1 : stim_below(r, (uint32_t)e->warps);
        in->at_section[a] = stim_percent(r, 25) ? (uint32_t)e->warps - 1
            : stim_percent(r, 25)               ? 0
                                                : stim_below(r, (uint32_t)e->warps);
        in->at_need[a] = stim_percent(r, 50) ? (1u << e->named) - 1 : stim_below(r, 1u << e->named);
        for (int k = 0; k < e->named; k++) in->at_reg[a * e->named + k] = pick(e, r, knobs);
    }
    // The register before the end of the file, reached through a pool that ends there.
    if (stim_percent(r, 10) && e->physical > e->regs) {
        in->cfg_srp[0] = (uint32_t)e->physical - 1 - stim_below(r, (uint32_t)e->regs);
        in->at_section[0] = 0;
    }
}

static void env_constrain(void *self, void *vin, const void *out) {
    const Env *e = self;
    ArchToPhysIn *in = vin;
    (void)out;
    for (int a = 0; a < e->alloc; a++) {
        if (in->at_warp[a] >= (uint32_t)e->warps) in->at_warp[a] = 0;
        if (in->at_section[a] >= (uint32_t)e->warps) in->at_section[a] = 0;
    }
}

static void env_observe(void *self, const void *vin, const void *vout, uint64_t *hits) {
    const Env *e = self;
    const ArchToPhysIn *in = vin;
    const ArchToPhysOut *out = vout;
    uint32_t base = in->cfg_base[0], ext = in->cfg_ext[0];
    const int bins = PLACES - (e->banks == 1);
    for (int i = 0; i < e->alloc * e->named; i++) {
        int a = i / e->named;
        uint64_t *h = hits + i * bins;
        uint32_t x = in->at_reg[i];
        bool ok = out->at_ok[0] >> i & 1, fault = out->at_fault[0] >> i & 1;
        bool extended = x >= base && x - base < ext, held = in->at_held[0] >> a & 1;
        if (!ok && !fault) {
            h[AT_UNNAMED]++;
            continue;
        }
        h[AT_FIRST] += ok && x == 0 && base;
        h[AT_LAST_BASE] += ok && x + 1 == base;
        h[AT_FIRST_EXT] += ok && extended && x == base;
        h[AT_LAST_EXT] += ok && extended && x - base == ext - 1;
        h[AT_BEYOND] += fault && x >= base + ext;
        h[AT_NO_SECTION] += fault && extended && !held;
        h[AT_OUT_OF_FILE] += fault && (x < base || (extended && held));
        h[AT_LAST_PHYS] += ok && out->at_phys[i] == (uint32_t)e->physical - 1;
        h[AT_EXT_ZERO] += ext == 0;
        h[AT_BASE_ZERO] += base == 0;
        h[AT_LAST_WARP] += ok && x < base && in->at_warp[a] == (uint32_t)e->warps - 1;
        if (e->banks > 1)
            h[AT_TURNED] += ok && out->at_bank[i] != out->at_phys[i] % (uint32_t)e->banks;
        h[AT_LAST_SECTION] += ok && extended && in->at_section[a] == (uint32_t)e->warps - 1;
    }
}

static const StimShape SHAPES[] = {
    {"Warps=5 Regs=21 Banks=3 NumAlloc=3", "odd warps, banks and registers, three ports"},
    {"Warps=64 Regs=63 Banks=4 Entries=128 NumAlloc=4 NumRegs=1",
     "half a register file, at the write ports: a word each"},
    {0},
};

const BlockStim arch_to_phys_stim = {.shapes = SHAPES,
                                     .knobs = KNOB_TABLE,
                                     .nknobs = KNOBS,
                                     .bins = map_bins,
                                     .open = env_open,
                                     .close = free,
                                     .reset = env_reset,
                                     .randomize = env_randomize,
                                     .constrain = env_constrain,
                                     .observe = env_observe};
