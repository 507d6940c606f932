// SPDX-License-Identifier: Apache-2.0
// Faults injected into the RTL while a kernel runs. A fault flips one state bit at one clock edge,
// or forces it from that edge on.
#include "cosim/fault.h"
#include "base/status.h"

#include "cosim/cosim_internal.h"
#include "cosim/state_bits.h"

#include <stdlib.h>
#include <string.h>

static bool bad_spec(const char *spec, Diag *d) {
    return diag_fail(
        d, EXIT_USAGE,
        "--fault %s: expected BLOCK:PLACE:flip|sa0|sa1[@CYCLE], PLACE as "
        "OBSERVATION_ADDRESS.BIT or by name (banked_rf:bank2.entry17.lane3.bit5:flip@100)",
        spec);
}

// Observation words of a block. They are computed here, because no golden model is open in rtl
// mode.
static uint32_t obs_count(const Instance *x) {
    const BlockModel *model = x->desc->model;
    if (x->golden) return model->obs_count(x->golden);
    void *golden = model->open(x->params);
    uint32_t n = model->obs_count(golden);
    model->close(golden);
    return n;
}

bool fault_spec(FaultSpec *f, Arena *arena, const char *text, Diag *d) {
    *f = (FaultSpec){0};
    const char *place = strchr(text, ':'), *kind = place ? strrchr(text, ':') : NULL;
    if (!place || kind == place) return bad_spec(text, d);
    const char *at = strchr(kind, '@'), *words[] = {"flip", "sa0", "sa1", "glitch"};
    const size_t length = at ? (size_t)(at - kind - 1) : strlen(kind + 1);
    for (int i = 0; i < 4; i++)
        if (strlen(words[i]) == length && !strncmp(words[i], kind + 1, length)) {
            f->what = i < 3 ? (ShimFault)(i + 1) : SHIM_FAULT_FLIP;
            f->once = i == 3;
            f->kind = words[i];
        }
    if (!f->what) return bad_spec(text, d);
    if (at) {
        char *end;
        f->cycle = strtoull(at + 1, &end, 10);
        if (at[1] < '0' || at[1] > '9' || *end) return bad_spec(text, d);
    }
    f->block = arena_strndup(arena, text, (size_t)(place - text));
    f->place = arena_strndup(arena, place + 1, (size_t)(kind - place - 1));
    return true;
}

bool fault_parse(Cosim *c, const char *spec, FaultFind *find, Diag *d) {
    Fault *f = &c->fault;
    FaultSpec read;
    if (!spec) return true;
    if (!fault_spec(&read, c->arena, spec, d)) return false;
    f->block = find(c, read.block, strlen(read.block), "--fault", d);
    if (!f->block) return false;
    if (f->block->mode == BLOCK_MODEL)
        return diag_fail(d, EXIT_USAGE, "--fault %s: the fault is in the RTL, but %s runs as model",
                         spec, f->block->desc->name);
    f->what = read.what, f->once = read.once, f->cycle = read.cycle;
    f->place_text = read.place;
    return true;
}

bool fault_open(Cosim *c, Diag *d) {
    Fault *f = &c->fault;
    if (!f->block) return true;
    Instance *x = f->block;
    StateBit at;
    const char *option = arena_printf(c->arena, "--fault %s", x->desc->name);
    if (!x->shim->set_fault)
        return diag_fail(d, EXIT_USAGE, "%s: the module has no port fault_i", option);
    if (!state_bit_parse(x->desc, x->params, obs_count(x), f->place_text, strlen(f->place_text),
                         option, &at, d))
        return false;
    f->code = shim_fault(f->what, at.addr, at.bit);
    char name[128];
    state_bit_name(x->desc, x->params, at, name, sizeof name);
    f->name = name[0] ? arena_printf(c->arena, "%s, %s (observation address 0x%x, bit %d)",
                                     x->desc->name, name, at.addr, at.bit)
                      : arena_printf(c->arena, "%s, observation address 0x%x, bit %d",
                                     x->desc->name, at.addr, at.bit);
    return true;
}

// Called before the clock edge of the current cycle.
void fault_edge(Instance *x) {
    Fault *f = &x->c->fault;
    if (f->once && x->c->options.replaying) return;
    bool now = f->what == SHIM_FAULT_FLIP ? x->c->now == f->cycle : x->c->now >= f->cycle;
    if (now == f->driven) return;
    x->shim->set_fault(x->rtl, now ? f->code : 0);
    f->driven = now;
    if (now && !f->injected) f->injected = true, f->first = x->c->now;
}

static const char *const what_words[] = {"", "flipped", "held at 0", "held at 1"};

void fault_print(FILE *out, const Cosim *c) {
    const Fault *f = &c->fault;
    if (!f->injected) return;
    const char *format = f->what == SHIM_FAULT_FLIP
        ? "injected fault: %s, %s at the end of cycle %llu\n"
        : "injected fault: %s, %s from the end of cycle %llu on\n";
    fprintf(out, format, f->name, what_words[f->what], (unsigned long long)f->first);
}

// The result of the fault in the run.
static CosimFault judge_outcome(const Cosim *c, char *buf, size_t size) {
    const Fault *f = &c->fault;
    const Mismatch *m = &c->mismatch;
    if (!c->mismatched || c->mismatch_block != f->block) {
        snprintf(buf, size, "%s: %s", status_word(WORD_NOT_OBSERVED),
                 f->block->mode == BLOCK_RTL
                     ? "the block is not compared in rtl mode, and no other check showed it"
                     : "no compared output and no compared state showed it");
        return COSIM_FAULT_NOT_OBSERVED;
    }
    if (m->element >= 0)
        snprintf(buf, size, "found by lockstep in cycle %llu at port %s_o[%d]",
                 (unsigned long long)m->cycle, m->port, m->element);
    else
        snprintf(buf, size, "found by the comparison of state in cycle %llu",
                 (unsigned long long)m->cycle);
    return COSIM_FAULT_FOUND;
}

CosimFault cosim_fault(const Cosim *c, char *buf, size_t size) {
    const Fault *f = &c->fault;
    if (!f->block) return COSIM_FAULT_NONE;
    if (!f->injected) {
        snprintf(buf, size, "%s: %s: the run ended after %llu cycles, before cycle %llu", f->name,
                 status_word(WORD_NEVER_INJECTED), (unsigned long long)c->now,
                 (unsigned long long)f->cycle);
        return COSIM_FAULT_NEVER_INJECTED;
    }
    char found[160];
    const CosimFault result = judge_outcome(c, found, sizeof found);
    snprintf(buf, size, "%s, %s %s cycle %llu: %s", f->name, what_words[f->what],
             f->what == SHIM_FAULT_FLIP ? "in" : "from", (unsigned long long)f->first, found);
    return result;
}

CosimFault cosim_testbug(const Cosim *c, char *buf, size_t size) {
    for (int i = 0; i < c->nblocks; i++) {
        const Instance *x = c->blocks[i];
        if (!x->testbug) continue;
        snprintf(buf, size, "%s, seeded fault %d: %s%s", x->desc->name, x->testbug,
                 c->mismatched ? "found" : status_word(WORD_NOT_OBSERVED),
                 c->mismatched ? ""
                     : x->mode == BLOCK_RTL
                     ? ": the block is not compared in rtl mode, and no other check showed it"
                     : ": no compared output and no compared state showed it");
        return c->mismatched ? COSIM_FAULT_FOUND : COSIM_FAULT_NOT_OBSERVED;
    }
    return COSIM_FAULT_NONE;
}

bool cosim_every_cycle(const Cosim *c) { return (c->fault.block && c->now == c->fault.cycle); }
