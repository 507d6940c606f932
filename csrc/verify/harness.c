// SPDX-License-Identifier: Apache-2.0
// One block, golden model and Verilated RTL, stepped together. It has no modes, no waves and no
// history as a Cosim has, so that a cycle costs little more than the two evaluations.
#include "verify/verify.h"

#include "cosim/state_compare.h"
#include "cosim/fault.h"
#include "cosim/state_bits.h"
#include "cosim/variant.h"

#include <stdlib.h>
#include <string.h>

enum { HARNESS_MAX_PLUSARGS = 8 };

// Elements compared per conditional output port: bits of its valid port.
typedef struct Counted {
    size_t valid;
    uint32_t mask;
} Counted;
// Words of an output of class WORK.
typedef struct Worked {
    size_t offset;
    int n;
} Worked;

struct Harness {
    Arena arena;
    const BlockDesc *desc;
    const BlockModel *model;
    const volatile int *stop;
    const BlockStim *stim;
    int params[BLOCK_MAX_PARAMS];
    Port ports[BLOCK_MAX_PORTS];
    int nports;
    Counted counted[BLOCK_MAX_PORTS];
    Worked works[BLOCK_MAX_PORTS];
    int ncounted, nworks;
    bool always;  // no conditional output: each cycle is a valid comparison
    bool users;   // the RTL is the user's
    uint64_t state_interval, start_option;
    // RTL; NULL in model_only.
    const RuntimeApi *runtime;
    const ShimApi *shim;
    const char *variant, *toolchain;
    const char *plusargs[HARNESS_MAX_PLUSARGS];
    int nplusargs;
    char *instance_name;
    void *context, *rtl;
    uint64_t errors_seen;
    // Instances.
    void *golden, *environment;
    void *out, *rtl_out;
    uint64_t cycles, compared, worked, driven;
    int valids[BLOCK_MAX_PORTS], nvalids;  // input ports whose bits are transactions
    uint64_t fault;                        // for fault_i, 0: none
    bool fault_stays, fault_begun, fault_driven;
    bool mismatched;
    Mismatch mismatch;
    char rule[512];
    uint64_t uncounted[COVER_MAX_BINS];  // counts of bins when the caller passes no hits
};

static void close_instances(Harness *h) {
    if (h->golden) h->model->close(h->golden);
    if (h->environment) h->stim->close(h->environment);
    if (h->rtl) h->shim->close(h->rtl);
    if (h->context) h->runtime->context_close(h->context);
    h->golden = h->environment = h->rtl = h->context = NULL;
}

static void open_instances(Harness *h, uint64_t start_seed) {
    h->golden = h->model->open(h->params);
    h->environment = h->stim->open(h->params);
    panic_if(!h->golden || !h->environment, "out of memory");
    if (h->shim) {
        h->context = h->runtime->context_open(h->nplusargs, h->plusargs);
        h->errors_seen = *h->runtime->error_count;
        h->runtime->context_start(h->context, start_seed);
        h->rtl = h->shim->open(h->context, h->instance_name);
        if (h->users && start_seed) stims_fill(h->desc, h->params, h->shim, h->rtl);
        h->shim->reset(h->rtl);
    }
    h->model->reset(h->golden);
    h->stim->reset(h->environment);
    memset(h->out, 0, h->desc->out_size);
    h->cycles = h->compared = h->worked = h->driven = 0;
    h->mismatched = h->fault_begun = h->fault_driven = false;
    h->rule[0] = '\0';
}

void harness_restart(Harness *h, uint64_t start_seed) {
    close_instances(h);
    open_instances(h, start_seed);
}

uint64_t harness_start_seed(const Harness *h, uint64_t chunk_seed) {
    return h->start_option == START_OF_CHUNK ? chunk_seed : h->start_option;
}

bool harness_stopped(const Harness *h) { return h->stop && *h->stop; }

void harness_close(Harness *h) {
    if (!h) return;
    close_instances(h);
    Arena arena = h->arena;  // the harness is on its own arena
    arena_free(&arena);
}

static void count_init(Harness *h) {
    h->always = true;
    for (int i = 0; i < h->nports; i++) {
        const Port *p = &h->ports[i];
        if (p->cls == PORT_WORK) h->works[h->nworks++] = (Worked){p->offset, p->count};
        if (p->dir != PORT_OUT || p->cls != PORT_WHEN) continue;
        h->always = false;
        h->counted[h->ncounted++] = (Counted){h->ports[p->valid].offset,
                                              p->count >= 32 ? UINT32_MAX : (1u << p->count) - 1};
    }
}

static bool open_fault(Harness *h, const char *text, Diag *d) {
    FaultSpec f;
    StateBit at;
    const char *option = arena_printf(&h->arena, "--fault %s", h->desc->name);
    if (!fault_spec(&f, &h->arena, text, d)) return false;
    if (!h->shim->set_fault)
        return diag_fail(d, EXIT_USAGE, "%s: the module has no port fault_i", option);
    void *golden = h->model->open(h->params);
    const uint32_t count = h->model->obs_count(golden);
    h->model->close(golden);
    if (!state_bit_parse(h->desc, h->params, count, f.place, strlen(f.place), option, &at, d))
        return false;
    h->fault = shim_fault(f.what, at.addr, at.bit);
    h->fault_stays = f.what != SHIM_FAULT_FLIP;
    return true;
}

static bool open_rtl(Harness *h, const HarnessOptions *o, Diag *d) {
    VariantRequest r = {.desc = h->desc,
                        .params = h->params,
                        .testbug = o->testbug != 0 || o->fault,
                        .cover = o->cover,
                        .flat = o->flat,
                        .data_dir = o->data_dir,
                        .out_dir = o->cache_dir,
                        .rtl = o->rtl,
                        .notice = o->notice,
                        .stop = o->stop};
    h->runtime = runtime_open(&h->arena, o->data_dir, &h->toolchain, d);
    if (!h->runtime) return false;
    h->shim = variant_open(&h->arena, &r, &h->variant, d);
    if (!h->shim) return false;
    if (o->fault && !open_fault(h, o->fault, d)) return false;
    if (o->testbug)
        h->plusargs[h->nplusargs++] = arena_printf(&h->arena, "+testbug=%d", o->testbug);
    panic_if(h->nplusargs + o->nplusargs > HARNESS_MAX_PLUSARGS, "too many plusargs");
    for (int i = 0; i < o->nplusargs; i++)
        h->plusargs[h->nplusargs++] = arena_printf(&h->arena, "%s", o->plusargs[i]);
    open_instances(h, 0);
    return variant_check(&r, h->shim, h->rtl, h->runtime->context_error(h->context), d);
}

Harness *harness_open(const HarnessOptions *o, Diag *d) {
    Arena arena = {0};
    Harness *h = ARENA_NEW(&arena, Harness);
    h->arena = arena;
    h->desc = o->desc;
    h->model = o->model ? o->model : o->desc->model;
    h->stim = o->stim ? o->stim : block_stim(o->desc->name);
    h->state_interval = o->state_interval;
    h->start_option = o->start_seed;
    h->users = o->rtl != NULL;
    h->stop = o->stop;
    memcpy(h->params, o->params, sizeof *h->params * (size_t)h->desc->nparams);
    h->nports = block_ports(h->desc, h->params, h->ports);
    h->out = arena_alloc(&h->arena, h->desc->out_size);
    h->rtl_out = arena_alloc(&h->arena, h->desc->out_size);
    h->instance_name = arena_printf(&h->arena, "rtl %s", h->desc->name);
    h->variant = "";
    count_init(h);
    h->nvalids = verify_valid_ports(h->ports, h->nports, h->valids);
    if (o->model_only) {
        open_instances(h, 0);
        return h;
    }
    if (open_rtl(h, o, d)) return h;
    harness_close(h);
    return NULL;
}

// ---- a cycle ------------------------------------------------------------------------------------

static bool record_mismatch(Harness *h, Mismatch m) {
    h->mismatched = true;
    h->mismatch = m;
    h->mismatch.cycle = h->cycles;
    return false;
}

static bool record_rule(Harness *h) {
    const char *text = h->runtime->context_error(h->context);
    snprintf(h->rule, sizeof h->rule, "%s", text ? text : "the RTL reported an error");
    return record_mismatch(
        h, (Mismatch){.block = h->desc->name, .port = "rule", .element = -1, .words = 1});
}

static bool record_difference(Harness *h) {
    Mismatch m = {0};
    h->shim->read(h->rtl, h->rtl_out);
    panic_if(compare_ports(h->desc->name, h->ports, h->nports, h->shim, h->out, h->rtl_out, &m),
             "%s: outputs differ but no port does", h->desc->name);
    return record_mismatch(h, m);
}

static void count_transactions(Harness *h, const void *in) {
    h->driven += h->nvalids == 0;
    for (int i = 0; i < h->nvalids; i++)
        h->driven += (uint64_t)__builtin_popcount(*port_element(&h->ports[h->valids[i]], in, 0));
}

static void count_compared(Harness *h) {
    h->compared += h->always;
    for (int i = 0; i < h->ncounted; i++) {
        const uint32_t valid = *(const uint32_t *)((const char *)h->out + h->counted[i].valid);
        h->compared += (uint64_t)__builtin_popcount(valid & h->counted[i].mask);
    }
    uint32_t any = 0;
    for (int i = 0; i < h->nworks; i++)
        for (int e = 0; e < h->works[i].n; e++)
            any |= ((const uint32_t *)((const char *)h->out + h->works[i].offset))[e];
    h->worked += any != 0;
}

static bool record_state(Harness *h, Mismatch m) {
    record_mismatch(h, m);
    if (h->mismatch.cycle) h->mismatch.cycle--;  // the state after the cycle just passed
    return false;
}

static bool same_word(Harness *h, uint32_t addr) {
    const int words = h->model->obs_words;
    Mismatch m = {
        .block = h->desc->name, .port = "state", .element = -1, .obs_addr = addr, .words = words};
    h->model->observe(h->golden, addr, m.expected);
    h->shim->observe(h->rtl, addr, m.actual);
    return !memcmp(m.expected, m.actual, (size_t)words * sizeof *m.expected) || record_state(h, m);
}

// A parameter that RTL and model show at an address behind their state.
static bool same_param(Harness *h, int i) {
    uint32_t words[32];
    const uint32_t addr = (uint32_t)BLOCK_OBS_PARAM + (uint32_t)i;
    h->model->observe(h->golden, addr, words);
    if (words[0] == (uint32_t)h->params[i]) h->shim->observe(h->rtl, addr, words);
    if (words[0] == (uint32_t)h->params[i]) return true;
    Mismatch m = {
        .block = h->desc->name, .port = "state", .element = -1, .obs_addr = addr, .words = 1};
    m.expected[0] = (uint32_t)h->params[i], m.actual[0] = words[0];
    return record_state(h, m);
}

// Checks that both sides show no state at the first address beyond the last. Otherwise a model with
// fewer addresses than the RTL would leave state uncompared.
static bool nothing_beyond(Harness *h, uint32_t count) {
    const int words = h->model->obs_words;
    Mismatch m = {
        .block = h->desc->name, .port = "state", .element = -1, .obs_addr = count, .words = words};
    if (!same_word(h, count)) return false;
    h->model->observe(h->golden, count, m.actual);
    return !memcmp(m.expected, m.actual, (size_t)words * sizeof *m.actual) || record_state(h, m);
}

bool harness_compare_state(Harness *h, uint64_t sample) {
    if (h->mismatched) return false;
    if (!h->shim || !h->shim->observe) return true;  // a user's module may have no observation
    const uint32_t count = h->model->obs_count(h->golden);
    const uint32_t step = sample ? (count + HARNESS_SAMPLE - 1) / HARNESS_SAMPLE : 1;
    for (uint32_t addr = step > 1 ? (uint32_t)(sample % step) : 0; addr < count; addr += step)
        if (!same_word(h, addr)) return false;
    if (!nothing_beyond(h, count)) return false;
    for (int i = 0; i < h->desc->nparams; i++)
        if (!same_param(h, i)) return false;
    return true;
}

static bool step_reset(Harness *h, void *in) {
    if (h->shim) {
        h->shim->eval(h->rtl, in);
        h->shim->reset(h->rtl);
        if (*h->runtime->error_count != h->errors_seen && h->runtime->context_error(h->context))
            return record_rule(h);
    }
    h->model->reset(h->golden);
    h->stim->reset(h->environment);
    h->cycles++;
    return true;
}

void harness_fault(Harness *h, bool begins) {
    if (!h->fault) return;
    h->fault_begun |= begins;
    const bool now = begins || (h->fault_stays && h->fault_begun);
    if (now != h->fault_driven) h->shim->set_fault(h->rtl, now ? h->fault : 0);
    h->fault_driven = now;
}

bool harness_step(Harness *h, bool reset, void *in, uint64_t *hits) {
    if (h->mismatched) return false;
    if (h->stim->needs_out) h->model->eval(h->golden, in, h->out);
    h->stim->constrain(h->environment, in, h->out);
    if (reset) return step_reset(h, in);
    count_transactions(h, in);
    h->model->eval(h->golden, in, h->out);
    if (h->shim) {
        h->shim->eval(h->rtl, in);
        if (__builtin_expect(!h->shim->same(h->rtl, h->out), 0)) return record_difference(h);
        count_compared(h);
    }
    h->stim->observe(h->environment, in, h->out, hits ? hits : h->uncounted);
    h->model->tick(h->golden, in);
    if (h->shim) {
        h->shim->tick(h->rtl, NULL);  // the inputs as they were evaluated
        if (__builtin_expect(*h->runtime->error_count != h->errors_seen, 0) &&
            h->runtime->context_error(h->context))
            return record_rule(h);
    }
    h->cycles++;
    if (h->state_interval && h->cycles % h->state_interval == 0) return harness_compare_state(h, 0);
    return true;
}

const Mismatch *harness_mismatch(const Harness *h) { return h->mismatched ? &h->mismatch : NULL; }
const char *harness_rule(const Harness *h) { return h->rule; }
uint64_t harness_cycles(const Harness *h) { return h->cycles; }
uint64_t harness_compared(const Harness *h) { return h->compared; }
uint64_t harness_worked(const Harness *h) { return h->worked; }
uint64_t harness_driven(const Harness *h) { return h->driven; }
const BlockDesc *harness_desc(const Harness *h) { return h->desc; }
const int *harness_params(const Harness *h) { return h->params; }
const BlockStim *harness_stim(const Harness *h) { return h->stim; }
void *harness_environment(Harness *h) { return h->environment; }
void harness_toggles(const Harness *h, ShimToggles *t) { h->shim->toggles(h->rtl, t); }
bool harness_write_cover(const Harness *h, const char *path) {
    return h->runtime->cover_write(h->context, path);
}
const char *harness_toolchain(const Harness *h) { return h->toolchain ? h->toolchain : ""; }
const char *harness_variant(const Harness *h) { return h->variant; }
const Port *harness_ports(const Harness *h, int *n) {
    *n = h->nports;
    return h->ports;
}

const Mismatch *verify_run_stimulus(Harness *h, const Stimulus *s) {
    void *in = calloc(1, h->desc->in_size);
    panic_if(!in, "out of memory");
    harness_restart(h, s->start_seed);
    bool good = true;
    for (size_t i = 0; good && i < s->ncycles; i++) {
        const bool reset = stimulus_get(s, i, in);
        harness_fault(h, i == s->fault);
        good = harness_step(h, reset, in, NULL);
    }
    if (good) harness_compare_state(h, s->seed);
    free(in);
    return harness_mismatch(h);
}
