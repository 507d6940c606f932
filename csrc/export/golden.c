// SPDX-License-Identifier: Apache-2.0
#include "export/golden.h"

#include "base/diag.h"
#include "cosim/blocks.h"
#include "cosim/ports.h"
#include "verify/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

enum { EPISODE_LEAST = 64, EPISODE_SPAN = 448 /* cycles with one draw of the knobs */ };

typedef struct Golden {
    char error[256];
    const BlockDesc *desc;
    int params[BLOCK_MAX_PARAMS];
    Port ports[BLOCK_MAX_PORTS];
    int nports, bits[2];
    void *model, *in, *out;
    // Stimuli, opened by the first draw.
    const BlockStim *stim;
    void *environment;
    StimRandom random;
    int knobs[STIM_MAX_KNOBS];
    uint32_t episode_left;
    bool filling;  // since smcosim_golden_fill, up to a reset: nothing is counted
    uint64_t *hits;
    int nbins;
} Golden;

static bool fail_with_name(Golden *g, const char *what, const char *name, size_t length) {
    snprintf(g->error, sizeof g->error, "%s '%.*s'", what, (int)(length < 100 ? length : 100),
             name);
    return false;
}

// "NAME=VALUE" of `length` characters.
static bool set_param(Golden *g, const char *word, size_t length) {
    const char *equals = memchr(word, '=', length);
    const size_t name = equals ? (size_t)(equals - word) : length;
    for (int i = 0; i < g->desc->nparams; i++) {
        const BlockParam *p = &g->desc->params[i];
        if (strlen(p->name) != name || memcmp(p->name, word, name)) continue;
        char *end = NULL;
        const long value = equals ? strtol(equals + 1, &end, 10) : 0;
        if (!equals || end != word + length || end == equals + 1 || value < p->least ||
            value > p->most)
            return fail_with_name(g, "parameter is no number in its range:", word, length);
        g->params[i] = (int)value;
        return true;
    }
    return fail_with_name(g, "the block has no parameter", word, name);
}

static bool open_model(Golden *g, const char *block, const char *params) {
    g->desc = block_desc_find(block);
    if (!g->desc) return fail_with_name(g, "no block", block, strlen(block));
    for (int i = 0; i < g->desc->nparams; i++) g->params[i] = g->desc->params[i].def;
    for (const char *p = params + strspn(params, " "); *p;
         p += strcspn(p, " "), p += strspn(p, " "))
        if (!set_param(g, p, strcspn(p, " "))) return false;
    g->nports = block_ports(g->desc, g->params, g->ports);
    for (int i = 0; i < g->nports; i++)
        g->bits[g->ports[i].dir == PORT_OUT] += g->ports[i].count * g->ports[i].width;
    g->model = g->desc->model->open(g->params);
    g->in = calloc(1, g->desc->in_size);
    g->out = calloc(1, g->desc->out_size);
    if (!g->model || !g->in || !g->out)
        return fail_with_name(g, "out of memory for block", block, strlen(block));
    g->desc->model->reset(g->model);
    return true;
}

static void close_parts(Golden *g) {
    if (g->model) g->desc->model->close(g->model);
    if (g->environment) g->stim->close(g->environment);
    free(g->in), free(g->out), free(g->hits);
    g->model = g->environment = g->in = g->out = NULL;
    g->hits = NULL;
}

EXPORTED void *smcosim_golden_open(const char *block, const char *params) {
    Golden *g = calloc(1, sizeof *g);
    panic_if(!g, "out of memory");
    if (!open_model(g, block ? block : "", params ? params : "")) close_parts(g);
    return g;
}

EXPORTED const char *smcosim_golden_error(void *handle) { return ((Golden *)handle)->error; }
EXPORTED int smcosim_golden_abi(void) { return SMCOSIM_GOLDEN_ABI; }
EXPORTED int smcosim_golden_bits(void *handle, int output) {
    return ((Golden *)handle)->bits[output != 0];
}

EXPORTED void smcosim_golden_close(void *handle) {
    if (handle) close_parts(handle);
    free(handle);
}

// ---- vectors ------------------------------------------------------------------------------------

static void put_bits(uint32_t *vector, int at, uint32_t value, int width) {
    const uint64_t two = (uint64_t)(value & (~0u >> (32 - width))) << at % 32;
    vector[at / 32] |= (uint32_t)two;
    if (at % 32 + width > 32) vector[at / 32 + 1] |= (uint32_t)(two >> 32);
}

static uint32_t get_bits(const uint32_t *vector, int at, int width) {
    uint64_t two = vector[at / 32];
    if (at % 32 + width > 32) two |= (uint64_t)vector[at / 32 + 1] << 32;
    return (uint32_t)(two >> at % 32) & (~0u >> (32 - width));
}

// Between the struct of a direction and its vector; to_vector: which way.
static void convert_record(const Golden *g, PortDir dir, void *record, uint32_t *vector,
                           bool to_vector) {
    int at = 0;
    for (int i = 0; i < g->nports; i++) {
        const Port *p = &g->ports[i];
        if (p->dir != dir) continue;
        const int width = p->words == 1 ? p->width : 32;
        uint32_t *words = (uint32_t *)((char *)record + p->offset);
        for (int w = 0; w < p->count * p->words; w++, at += width) {
            if (to_vector) put_bits(vector, at, words[w], width);
            else words[w] = get_bits(vector, at, width);
        }
    }
}

static void from_vector(Golden *g, const uint32_t *in) {
    memset(g->in, 0, g->desc->in_size);
    convert_record(g, PORT_IN, g->in, (uint32_t *)in, false);
}

static void to_vector(Golden *g, PortDir dir, uint32_t *vector) {
    memset(vector, 0, (size_t)(g->bits[dir == PORT_OUT] + 31) / 32 * sizeof *vector);
    convert_record(g, dir, dir == PORT_OUT ? g->out : g->in, vector, true);
}

// ---- cycles -------------------------------------------------------------------------------------

EXPORTED void smcosim_golden_reset(void *handle) {
    Golden *g = handle;
    if (!g->model) return;
    g->desc->model->reset(g->model);
    if (g->environment) g->stim->reset(g->environment);
    g->filling = false;
}

EXPORTED void smcosim_golden_eval(void *handle, const uint32_t *in, uint32_t *out) {
    Golden *g = handle;
    if (!g->model) return;
    from_vector(g, in);
    g->desc->model->eval(g->model, g->in, g->out);
    to_vector(g, PORT_OUT, out);
}

EXPORTED void smcosim_golden_tick(void *handle, const uint32_t *in) {
    Golden *g = handle;
    if (!g->model) return;
    from_vector(g, in);
    if (g->environment && !g->filling) {  // it follows the block
        g->desc->model->eval(g->model, g->in, g->out);
        g->stim->observe(g->environment, g->in, g->out, g->hits);
    }
    g->desc->model->tick(g->model, g->in);
}

// ---- stimuli ------------------------------------------------------------------------------------

EXPORTED void smcosim_golden_seed(void *handle, uint64_t seed) {
    Golden *g = handle;
    g->random.state = (seed ? seed : 1) * 0x9e3779b97f4a7c15ull;
    g->episode_left = 0;
}

static void open_stimuli(Golden *g) {
    CoverBin *bins = calloc(COVER_MAX_BINS, sizeof *bins);
    g->stim = block_stim(g->desc->name);
    g->environment = g->stim->open(g->params);
    panic_if(!bins || !g->environment, "out of memory");
    g->nbins = g->stim->bins(g->params, bins);
    g->hits = calloc((size_t)g->nbins + 1, sizeof *g->hits);
    panic_if(!g->hits, "out of memory");
    g->stim->reset(g->environment);
    if (!g->random.state) smcosim_golden_seed(g, 1);
    free(bins);
}

static void draw_knobs(Golden *g) {
    g->episode_left = EPISODE_LEAST + stim_below(&g->random, EPISODE_SPAN);
    for (int i = 0; i < g->stim->nknobs; i++) {
        const StimKnob *k = &g->stim->knobs[i];
        g->knobs[i] = k->least + (int)stim_below(&g->random, (uint32_t)(k->most - k->least + 1));
    }
}

EXPORTED int smcosim_golden_fill(void *handle, uint32_t cycle, uint32_t *in) {
    Golden *g = handle;
    if (!g->model) return 0;
    if (!g->environment) open_stimuli(g);
    memset(g->in, 0, g->desc->in_size);
    g->filling = true;
    const int more = g->stim->fill && g->stim->fill(g->environment, cycle, g->in);
    if (!more) memset(g->in, 0, g->desc->in_size);
    to_vector(g, PORT_IN, in);
    return more;
}

EXPORTED void smcosim_golden_draw(void *handle, uint32_t *in) {
    Golden *g = handle;
    if (!g->model) return;
    if (!g->environment) open_stimuli(g);
    if (g->episode_left == 0) draw_knobs(g);
    g->episode_left--;
    g->stim->randomize(g->environment, &g->random, g->knobs, g->in);
    if (g->stim->needs_out) g->desc->model->eval(g->model, g->in, g->out);
    g->stim->constrain(g->environment, g->in, g->out);
    to_vector(g, PORT_IN, in);
}

EXPORTED int smcosim_golden_bins(void *handle) { return ((Golden *)handle)->nbins; }

EXPORTED int smcosim_golden_bins_hit(void *handle) {
    const Golden *g = handle;
    int n = 0;
    for (int i = 0; i < g->nbins; i++) n += g->hits[i] != 0;
    return n;
}

// ---- names per block ----------------------------------------------------------------------------

#define BLOCK_ENTRIES(name, upper, camel, what) \
    EXPORTED void smcosim_##name##_eval(void *handle, const uint32_t *in, uint32_t *out); \
    EXPORTED void smcosim_##name##_tick(void *handle, const uint32_t *in); \
    EXPORTED void smcosim_##name##_draw(void *handle, uint32_t *in); \
    EXPORTED int smcosim_##name##_fill(void *handle, uint32_t cycle, uint32_t *in); \
    void smcosim_##name##_eval(void *handle, const uint32_t *in, uint32_t *out) { \
        smcosim_golden_eval(handle, in, out); \
    } \
    void smcosim_##name##_tick(void *handle, const uint32_t *in) { \
        smcosim_golden_tick(handle, in); \
    } \
    void smcosim_##name##_draw(void *handle, uint32_t *in) { smcosim_golden_draw(handle, in); } \
    int smcosim_##name##_fill(void *handle, uint32_t cycle, uint32_t *in) { \
        return smcosim_golden_fill(handle, cycle, in); \
    }
COSIM_BLOCKS(BLOCK_ENTRIES)
