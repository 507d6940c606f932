// SPDX-License-Identifier: Apache-2.0
// Errors, hangs and mismatches in the words of the program: kernel, line, thread, register.
#include "sm/listeners/explain_state.h"

#include "sm/listeners/explain_text.h"
#include "sm/parts/barrier_state.h"
#include "sm/parts/gate.h"
#include "sm/parts/hazards.h"
#include "sm/parts/order.h"
#include "sm/stages/fetch.h"
#include "sm/stages/ldst.h"
#include "sm/state.h"

#include <string.h>

enum { HANG_WARPS = 10 };  // warps explained; Diag has room for about this many

struct Explain {
    bool explained;  // a mismatch of the blocks, in words
    char explanation[1024];
};

void explain_open(Sm *sm, Arena *arena) { sm->explain = ARENA_NEW(arena, Explain); }

// ---- places ----

static void coordinates_of(const uint32_t block[3], uint32_t t, uint32_t at[3]) {
    at[0] = t % block[0];
    at[1] = t / block[0] % block[1];
    at[2] = t / block[0] / block[1];
}

void explain_thread(const Sm *sm, int warp, int lane, char *buf, size_t size) {
    const Warp *w = &sm->warps[warp];
    const uint32_t *cta = sm->ctas[w->cta].id;
    uint32_t at[3];
    coordinates_of(sm->launch->block, (uint32_t)(w->first_thread + lane), at);
    snprintf(buf, size, "thread (%u,%u,%u) of CTA (%u,%u,%u)", at[0], at[1], at[2], cta[0], cta[1],
             cta[2]);
}

// ---- causes of a warp's wait ----

static void add_barrier(Text *t, const Sm *sm, int warp) {
    int arrived, expected;
    int number = barrier_of(sm, warp, &arrived, &expected);
    text_add(t, "waits at barrier %d: %d of %d warps have arrived", number, arrived, expected);
}

static void add_fetch(Text *t, const Sm *sm, int warp) {
    static const char *const words[] = {[FETCH_NEXT] = "fetch",
                                        [FETCH_LINE] = "a line of instructions",
                                        [FETCH_CONST] =
                                            "constant operands of its next instruction"};
    text_add(t, "waits for %s", words[fetch_waits_for(sm, warp)]);
}

static void add_hazard(Text *t, const Sm *sm, int warp, const SmInst *in) {
    if (!hazards_explain(t, sm, warp, &sm->warps[warp].own, in))
        order_explain(t, sm, warp, (Hazard)sm->warps[warp].hazard);
}

static void add_reason(Text *t, const Sm *sm, int warp) {
    const Warp *w = &sm->warps[warp];
    WarpSet me = warp_bit(warp);
    const SmInst *in = w->own.pc < (uint32_t)w->own.ninsts ? &w->own.insts[w->own.pc] : NULL;
    if (sm->ended & me)
        text_add(t, "its threads have ended, %u instructions are in flight", w->flights);
    else if (sm->at_barrier & me) add_barrier(t, sm, warp);
    else if (sm->asleep & me) text_add(t, "sleeps until cycle %llu", (unsigned long long)w->wake);
    else if (sm->control & me) text_add(t, "waits for the operands of its own instruction");
    else if (!(sm->has_inst & me) || !in) add_fetch(t, sm, warp);
    else if (w->hazard != HAZARD_NONE) add_hazard(t, sm, warp, in);
    else if (gate_of(sm, warp)) text_add(t, "waits for %s", gate_of(sm, warp)->waits_for);
    else text_add(t, "can issue");
}

static void add_warp(Text *t, const Sm *sm, int warp) {
    const Warp *w = &sm->warps[warp];
    const Cta *cta = &sm->ctas[w->cta];
    text_add(t, "\n  warp %d (warp %d of CTA (%u,%u,%u), mask %08x) at ", warp, w->number,
             cta->id[0], cta->id[1], cta->id[2], w->own.mask);
    text_instruction(t, &w->own, (int)w->own.pc);
    text_add(t, ": ");
    add_reason(t, sm, warp);
}

static void explain_warps(Sm *sm, WarpSet warps, const char *what) {
    char buf[sizeof sm->diag->text - 256];
    Text t = {buf, sizeof buf, 0};
    buf[0] = '\0';
    int n = 0, all = warps_in(warps);
    for (WarpSet left = warps; left && n < HANG_WARPS; left &= left - 1, n++)
        add_warp(&t, sm, lowest(left));
    if (all > n) text_add(&t, "\n  and %d more warps", all - n);
    if (sm->barrier.part) sm->barrier.part->explain(&t, sm, sm->barrier.self);
    sm_fail(sm, EXIT_HANG, "kernel %s %s (cycle %llu, %llu of %llu CTAs done)%s",
            sm->launch->program->name, what, (unsigned long long)sm->cycle,
            (unsigned long long)sm_ctas_done(sm), (unsigned long long)sm->gpu->ncta, buf);
}

void explain_hang(Sm *sm, const char *what) { explain_warps(sm, sm->resident, what); }

void explain_deadlock(Sm *sm, int slot) {
    explain_warps(sm, sm->ctas[slot].warps & sm->resident & ~sm->ended,
                  "is in a barrier deadlock: every warp of a CTA waits at a barrier that no other "
                  "warp can complete");
}

// ---- mismatches of the blocks ----

// First byte that differs, slice-major: the slice and its lane.
void text_first_byte(Text *t, const Mismatch *m) {
    if (m->words != 32) return;
    const uint8_t *want = (const uint8_t *)m->expected, *got = (const uint8_t *)m->actual;
    uint32_t lanes = 0;
    int first = -1;
    for (int i = 0; i < 128; i++) {
        if (want[i] == got[i]) continue;
        if (first < 0) first = i;
        lanes |= 1u << i % 32;
    }
    if (first < 0) return;
    int lane = __builtin_ctz(lanes);
    uint32_t expected[32], actual[32];
    rf_lanes_from_slices(expected, m->expected);
    rf_lanes_from_slices(actual, m->actual);
    text_add(t,
             "; lanes %08x differ, first in byte slice %d (sub-bank %d); lane %d: expected 0x%08x, "
             "actual 0x%08x",
             lanes, first / 32, first / 32 * 2 + (first % 32 >= 16), lane, expected[lane],
             actual[lane]);
}

const Flight *text_flight(const Sm *sm, int slot) {
    const Waiting *w = slots_at(sm->ports.slots, slot);
    return w && w->flight->inst ? w->flight : NULL;
}

void text_collector(Text *t, const Sm *sm, int slot) {
    const Flight *f = text_flight(sm, slot);
    if (!f) {
        text_add(t, "collector %d (free)", slot);
        return;
    }
    text_add(t, "collector %d: warp %d, ", slot, f->warp);
    text_instruction(t, f->stream, f->pc);
}

static void explain_to(const Sm *sm, const Mismatch *m, char *buf, size_t size) {
    Text t = {buf, size, 0};
    if (size) buf[0] = '\0';
    sm->path->explain(&t, sm, sm->path_self, m);
}

// Called in the cycle of the mismatch, while the collectors' contents are available.
void explain_remember(Sm *sm, const Mismatch *m) {
    if (sm->explain->explained) return;
    sm->explain->explained = true;
    explain_to(sm, m, sm->explain->explanation, sizeof sm->explain->explanation);
}

void explain_mismatch(void *ctx, const Mismatch *m, char *buf, size_t size) {
    const Sm *sm = ctx;
    const Explain *e = sm->explain;
    if (sm->quantum) {
        const int n = snprintf(buf, size, "SM %d: ", sm->port);
        buf += n, size -= (size_t)n;
    }
    if (e->explained && m->element >= 0) snprintf(buf, size, "%s", e->explanation);
    else explain_to(sm, m, buf, size);
}
