// SPDX-License-Identifier: Apache-2.0
// Waves contain the RTL hierarchy, the golden model's ports and the SM's signals, for a range of
// cycles in one FST.
//
// Cycle t occupies time 10 t .. 10 t + 9. At 10 t the clock is low and all inputs of the cycle are
// in place: the ports of both sides as they are compared. At 10 t + 5 the clock has risen. In a
// cycle in which the blocks are not clocked (--skip-idle) the SM's own signals move and clk_i stays
// high. The file is written under a temporary name and renamed when it is complete.
#include "cosim/wave.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool parse_number(const char **p, uint64_t *value) {
    char *end;
    if (**p < '0' || **p > '9') return false;
    errno = 0;
    *value = strtoull(*p, &end, 10);
    *p = end;
    return errno == 0;
}

// "f.fst", "f.fst:FROM-TO". A colon not followed by a digit belongs to the file's name.
static bool parse_spec(Cosim *c, Wave *w, Diag *d) {
    const char *spec = c->options.wave, *colon = strrchr(spec, ':');
    w->from = 0, w->to = UINT64_MAX;
    if (!colon || colon[1] < '0' || colon[1] > '9') {
        w->path = arena_printf(c->arena, "%s", spec);
    } else {
        const char *p = colon + 1;
        if (!parse_number(&p, &w->from) || *p++ != '-' || !parse_number(&p, &w->to) || *p ||
            w->from > w->to)
            return diag_fail(d, EXIT_USAGE,
                             "--wave %s: expected FILE or FILE:FROM-TO with FROM <= TO", spec);
        w->path = arena_strndup(c->arena, spec, (size_t)(colon - spec));
    }
    if (!w->path[0]) return diag_fail(d, EXIT_USAGE, "--wave %s: no file name", spec);
    return output_prepare(&w->output, c->arena, w->path, true, d);
}

bool wave_init(Cosim *c, Diag *d) {
    if (!c->options.wave) return true;
    Wave *w = ARENA_NEW(c->arena, Wave);
    if (!parse_spec(c, w, d)) return false;
    FILE *f = fopen(w->output.write, "wb");  // report an unwritable path early
    if (!f)
        return diag_fail(d, EXIT_ENVIRONMENT, "%s: cannot be written: %s", w->path,
                         strerror(errno));
    fclose(f);
    output_drop(&w->output);
    c->wave = w;
    c->edge_pending = c->now >= w->from && c->now <= w->to;
    if (c->wave_begins) c->wave_begins(c->wave_ctx);
    return true;
}

static ShimSignal *declare_signal(Cosim *c, const char *scope, const char *name) {
    panic_if(c->wave && c->wave->file, "signal %s.%s was added after the first cycle of the wave",
             scope, name);
    char *spaced = arena_printf(c->arena, "%s", scope);
    for (char *p = spaced; *p; p++)
        if (*p == '.') *p = ' ';
    ShimSignal *s = ARENA_PUSH(c->arena, c->signals, c->nsignals, c->cap_signals);
    *s = (ShimSignal){.scope = spaced, .name = arena_printf(c->arena, "%s", name)};
    return s;
}

void cosim_signal(Cosim *c, const char *scope, const char *name, int bits, const uint32_t *words) {
    ShimSignal *s = declare_signal(c, scope, name);
    s->bits = bits;
    s->words = words;
}

void cosim_text(Cosim *c, const char *scope, const char *name, const char *const *text) {
    declare_signal(c, scope, name)->text = text;
}

void cosim_on_wave(Cosim *c, void (*begins)(void *ctx), void *ctx) {
    if (c->wave) {
        begins(ctx);
        return;
    }
    panic_if(c->wave_begins, "two listeners for the wave");
    c->wave_begins = begins;
    c->wave_ctx = ctx;
}

static ShimSignal *add_signal(Cosim *c, const char *scope, const char *name, int bits,
                              const uint32_t *words) {
    Wave *w = c->wave;
    ShimSignal *s = ARENA_PUSH(c->arena, w->signals, w->nsignals, w->cap_signals);
    *s = (ShimSignal){.scope = scope, .name = name, .bits = bits, .words = words};
    return s;
}

// One signal per element. `base` is this wave's copy of the struct. `valid`: the struct whose valid
// bits mark the meaningful elements, NULL: all are.
static void add_port(Cosim *c, const char *scope, const Instance *x, const Port *p,
                     const void *base, const void *valid) {
    for (int e = 0; e < p->count; e++) {
        ShimSignal *s = add_signal(c, scope, wave_element_name(c->arena, p, e), p->width,
                                   port_element(p, base, e));
        if (!valid || p->valid < 0) continue;
        s->valid = port_element(&x->ports[p->valid], valid, 0);
        s->valid_mask = 1u << e;
    }
}

char *wave_element_name(Arena *arena, const Port *p, int element) {
    return p->count == 1 ? arena_printf(arena, "%s", p->name)
                         : arena_printf(arena, "%s[%d]", p->name, element);
}

static void add_block(Cosim *c, Instance *x) {
    WaveBlock *b = &c->wave->blocks[c->wave->nblocks++];
    b->x = x;
    b->in = arena_alloc(c->arena, x->desc->in_size);
    if (x->golden) b->golden = arena_alloc(c->arena, x->desc->out_size);
    if (x->rtl) b->rtl = arena_alloc(c->arena, x->desc->out_size);
    const char *golden = arena_printf(c->arena, "golden %s", x->desc->name);
    const char *rtl = arena_printf(c->arena, "rtl port %s", x->desc->name);
    const char *differs = arena_printf(c->arena, "cosim differs %s", x->desc->name);
    // As in the comparison, the golden model's valid bits count for both sides.
    const void *valid = b->golden ? b->golden : b->rtl;
    for (int i = 0; i < x->nports; i++) {
        const Port *p = &x->ports[i];
        if (p->dir == PORT_IN) {
            add_port(c, x->golden ? golden : rtl, x, p, b->in, NULL);
            continue;
        }
        if (b->golden) add_port(c, golden, x, p, b->golden, valid);
        if (b->rtl) add_port(c, rtl, x, p, b->rtl, valid);
        if (b->golden && b->rtl) add_signal(c, differs, p->name, p->count, &b->differs[i]);
    }
}

static bool start_wave(Cosim *c) {
    Wave *w = c->wave;
    for (int i = 0; i < c->nsignals; i++)
        *ARENA_PUSH(c->arena, w->signals, w->nsignals, w->cap_signals) = c->signals[i];
    w->nsm = w->nsignals;
    for (int i = 0; i < c->nblocks; i++) add_block(c, c->blocks[i]);
    add_signal(c, "cosim", "cycle", 32, &w->cycle);
    add_signal(c, "cosim", "mismatch", 1, &w->marker);
    add_signal(c, "cosim", "mismatch_is", 0, NULL)->text = &w->meaning;
    w->file = c->runtime->wave_new(c->context);
    for (int i = 0; i < c->nblocks; i++)
        if (c->blocks[i]->rtl)
            c->blocks[i]->shim->trace(c->blocks[i]->rtl, c->runtime->wave_trace_file(w->file));
    if (c->runtime->wave_open(w->file, w->output.write, w->signals, w->nsignals)) return true;
    w->error = errno ? errno : EIO;
    return false;
}

// Marks the differing elements of outputs for the wave. The verdict is from another comparison.
static void find_differences(WaveBlock *b) {
    for (int i = 0; i < b->x->nports; i++) {
        const Port *p = &b->x->ports[i];
        b->differs[i] = 0;
        if (p->dir != PORT_OUT) continue;
        for (int e = 0; e < p->count; e++) {
            if (p->valid >= 0 && !port_bit(&b->x->ports[p->valid], b->golden, e)) continue;
            if (memcmp(port_element(p, b->golden, e), port_element(p, b->rtl, e),
                       (size_t)p->words * 4))
                b->differs[i] |= 1u << e;
        }
    }
}

// The previous values of the ports, for a cycle in which the block is not evaluated.
static void sample_idle(WaveBlock *b) {
    Instance *x = b->x;
    memcpy(b->in, x->block.in, x->desc->in_size);
    if (b->golden) memcpy(b->golden, x->block.out, x->desc->out_size);
    if (b->rtl) x->shim->read(x->rtl, b->rtl);
    if (b->golden && b->rtl) find_differences(b);
}

static void sample_block(WaveBlock *b) {
    Instance *x = b->x;
    memcpy(b->in, x->block.in, x->desc->in_size);
    if (b->golden) x->desc->model->eval(x->golden, b->in, b->golden);
    if (b->rtl) x->shim->eval(x->rtl, b->in), x->shim->read(x->rtl, b->rtl);
    if (b->golden && b->rtl) find_differences(b);
}

// The mismatch in one line: the caller's decoded text or, without it, the port.
static const char *wave_meaning(Cosim *c) {
    char text[1024] = "";
    if (c->decode && !c->rule) c->decode(c->decode_ctx, &c->mismatch, text, sizeof text);
    if (!text[0]) cosim_mismatch_line(&c->mismatch, text, sizeof text);
    for (char *p = text; *p; p++)
        if (*p == '\n') *p = ' ';
    return arena_printf(c->arena, "%s", text);
}

// The first half of a cycle.
static void dump_cycle(Cosim *c, void (*sample)(WaveBlock *)) {
    Wave *w = c->wave;
    c->edge_pending = false;
    if (!w->file && !w->error) start_wave(c);
    if (w->error) return;
    for (int i = 0; i < w->nblocks; i++) sample(&w->blocks[i]);
    if (w->dumped && c->now <= w->last) w->base += w->last + 1;  // cycles started again from 0
    w->last = c->now;
    w->cycle = (uint32_t)c->now;
    w->marker = c->mismatched && c->mismatch_cycles == c->cycles;
    // the text remains until the end of the wave, because it is wider than one cycle
    if (w->marker) w->meaning = wave_meaning(c);
    if (w->marker) w->mismatch_time = (w->base + c->now) * COSIM_TIME_UNITS;
    if (!w->dumped) w->first_time = (w->base + c->now) * COSIM_TIME_UNITS;
    c->runtime->wave_dump(w->file, (w->base + c->now) * COSIM_TIME_UNITS);
    w->dumped = true;
    w->edge = true;
}

// Called when all inputs are set and no clock has risen yet.
void wave_edge(Cosim *c) {
    times_lap(c, TIME_SM);
    dump_cycle(c, sample_block);
    times_lap(c, TIME_TRACE);
}

void wave_cycle(Cosim *c) {
    Wave *w = c->wave;
    if (c->edge_pending) dump_cycle(c, sample_idle);
    if (w->edge)
        c->runtime->wave_dump(w->file,
                              (w->base + w->last) * COSIM_TIME_UNITS + COSIM_TIME_UNITS / 2);
    w->edge = false;
    uint64_t next = c->now + 1;
    c->edge_pending = !w->error && next >= w->from && next <= w->to;
}

void wave_end(Cosim *c) {
    if (c->edge_pending && c->mismatch_cycles == c->cycles) dump_cycle(c, sample_idle);
}

bool wave_finish(Cosim *c, Diag *d) {
    Wave *w = c->wave;
    if (!w || w->done) return true;
    w->done = true;
    c->edge_pending = false;
    if (w->file && !c->runtime->wave_close(w->file) && !w->error) w->error = errno ? errno : EIO;
    bool opened = w->file != NULL;
    w->file = NULL;
    if (w->error) {
        output_drop(&w->output);
        return diag_fail(d, EXIT_ENVIRONMENT, "%s: the wave could not be written: %s", w->path,
                         strerror(w->error));
    }
    if (!opened)
        return diag_fail(d, EXIT_USAGE,
                         "--wave %s: the run had %llu cycles, none of them in the range",
                         c->options.wave, (unsigned long long)c->cycles);
    if (!output_commit(&w->output, d)) return false;
    w->complete = !w->output.copied;
    return w->output.copied || wave_save_beside(c, d);
}

// After an interrupted run the recorded part is kept and is complete up to its last cycle.
void wave_close(Cosim *c) {
    Diag ignored = {0};
    wave_finish(c, &ignored);
}

bool cosim_has_wave(const Cosim *c) {
    const Wave *w = c->wave;
    uint64_t cycle = c->mismatch.cycle;
    return w && w->complete && w->from <= (cycle > COSIM_BEFORE ? cycle - COSIM_BEFORE : 0) &&
        w->to >= cycle;
}

bool cosim_wave_written(const Cosim *c) { return c->wave && c->wave->complete; }

const char *wave_path(const Cosim *c) {
    return c->wave && c->wave->complete ? c->wave->path : NULL;
}
