// SPDX-License-Identifier: Apache-2.0
#include "systems/bow/bypass_book.h"

#include "sm/listeners/explain_state.h"
#include "sm/parts/explain_inst.h"
#include "sm/state.h"
#include "systems/bow/bypass_path.h"

#include <string.h>

enum { MOST_ROWS = CTR_BOW_ROWS_28 - CTR_BOW_ROWS_0 };

static unsigned count_ones(uint64_t set) { return (unsigned)__builtin_popcountll(set); }
static WarpBook *book_of(BypassBook *b, int warp) { return &b->warp[warp]; }

static uint64_t in_window(const BypassBook *b, const WarpBook *w) {
    uint64_t regs = 0;
    for (unsigned s = 0; s < b->window; s++) regs |= w->named[s];
    return regs;
}

// The window changes at the end of this cycle: counts the cycles since its last change.
static void count_window(Sm *sm, const BypassBook *b, WarpBook *w) {
    uint64_t *v = sm->count->v;
    const uint64_t now = sm->cycle + 1, cycles = now - w->since;
    if (!cycles) return;
    w->since = now;
    if (!w->begun) return;
    const uint64_t window = in_window(b, w);
    const unsigned rows = count_ones(w->rows & window & ~w->reserved);
    v[CTR_BOW_WINDOW_CYCLES] += cycles;
    v[CTR_BOW_RESERVED_CYCLES] += cycles * count_ones(w->reserved);
    v[CTR_BOW_HELD_CYCLES] += cycles * count_ones(w->rows & ~window);
    v[CTR_BOW_ROWS_0 + (rows < MOST_ROWS ? rows : MOST_ROWS)] += cycles;
}

static void snapshot_counters(const Sm *sm, uint64_t at[4]) {
    const uint64_t *v = sm->count->v;
    at[0] = v[CTR_BOW_SOURCES];
    at[1] = v[CTR_RF_READS];
    at[2] = v[CTR_RF_WRITES];
    at[3] = v[CTR_BOW_FORWARDS];
}

void book_launch(Sm *sm, BypassBook *b) {
    memset(b->warp, 0, sizeof b->warp);
    snapshot_counters(sm, b->before);
}

// ---- entry ----

// Removes from the window the rows that the instruction in this slot named last.
static void leave_window(Sm *sm, WarpBook *w, unsigned slot) {
    const uint64_t regs = w->named[slot] & w->rows, dead = regs & w->dirty & w->only;
    sm->count->v[CTR_BOW_DEAD] += count_ones(dead);
    for (uint64_t left = dead; left; left &= left - 1)
        w->lost[lowest(left)] |= w->only_lanes[lowest(left)];
    w->save |= regs & w->dirty & ~w->only;
    w->dirty &= ~dead;
    w->rows &= ~(regs & ~w->dirty);
    w->reserved &= ~regs;
    w->only &= w->dirty;
    w->named[slot] = w->awaited[slot] = 0;
}

static void name_in_slot(const BypassBook *b, WarpBook *w, unsigned slot, uint64_t regs) {
    for (unsigned s = 0; s < b->window; s++) w->named[s] &= ~regs;
    w->named[slot] |= regs;
}

// Results for the collector alone reserve their rows when the instruction enters.
static bool reserves_rows(const BypassBook *b, const SmInst *in) {
    return b->rule == BYPASS_BITS && in->isa->write == ISA_WRITE_BOC;
}

// A value that exists nowhere must not be read.
static void look_for_lost(Sm *sm, const WarpBook *w, int warp, const BookEntry *e, int reg) {
    char place[256];
    const uint32_t active = e->active;
    if (!(w->lost[reg] & active)) return;
    explain_place(sm, e->stream, e->pc, place, sizeof place);
    sm_fail(sm, EXIT_MISMATCH,
            "%s: register R%d of warp %d is read after its window: lanes 0x%08x of its last value "
            "were neither "
            "written nor are they in the collector",
            place, reg, warp, w->lost[reg] & active);
}

int book_needs(const BypassBook *b, int warp, const SmInst *in, int uop) {
    const WarpBook *w = &b->warp[warp];
    const uint64_t leaving = uop ? 0 : w->named[w->slot],
                   stay = w->rows & (w->only | w->reserved) & ~leaving;
    uint64_t regs = 0;
    int n;
    const uint8_t *sources = path_sources(in, uop, SM_OPERANDS, &n);
    for (int i = 0; i < n; i++) regs |= word_bit(sources[i]);
    if (!uop && reserves_rows(b, in)) regs |= in->writes;
    return (int)count_ones(regs & ~stay);
}

uint32_t book_enter(Sm *sm, BypassBook *b, int warp, const BookEntry *e) {
    WarpBook *w = book_of(b, warp);
    const SmInst *in = e->in;
    int n;
    const uint8_t *sources = path_sources(in, e->uop, SM_OPERANDS, &n);
    uint32_t expected = 0;
    count_window(sm, b, w);
    w->begun = true;
    if (!e->uop) {
        leave_window(sm, w, w->slot);
        w->slot = (w->slot + 1) % b->window;
    }
    const uint64_t held = w->rows & ~in_window(b, w);
    uint64_t regs = e->uop ? 0 : in->writes;
    for (int i = 0; i < n; i++) {
        const uint64_t me = word_bit(sources[i]);
        regs |= me;
        if (e->pass) continue;
        look_for_lost(sm, w, warp, e, sources[i]);
        sm->count->v[CTR_BOW_SOURCES]++;
        sm->count->v[CTR_BOW_FORWARDS_HELD] += (held & me) != 0;
        if (w->rows & me) expected |= 1u << i;
        w->rows |= me;
    }
    if (b->rule == BYPASS_OFF) {
        w->rows = 0;
        return 0;
    }
    const unsigned slot = (w->slot + b->window - 1) % b->window;
    name_in_slot(b, w, slot, regs);
    if (e->pass || e->uop) return expected;
    w->awaited[slot] = in->writes;
    if (reserves_rows(b, in)) {
        w->reserved |= in->writes;
        w->rows |= in->writes;
    }
    return expected;
}

void book_forwarded(Sm *sm, const BypassBook *b, uint32_t expected, uint32_t found) {
    (void)b;
    sm->count->v[CTR_BOW_FORWARDS] += count_ones(found);
    sm->count->v[CTR_BOW_READ_AGAIN] += count_ones(expected & ~found);
    if (found & ~expected)
        sm_fail(sm, EXIT_MISMATCH,
                "block bypass_collector forwards a register that its collector does not have");
}

// ---- results ----

static void forget_rows(WarpBook *w, uint64_t me) {
    w->rows &= ~me;
    w->dirty &= ~me;
    w->only &= ~me;
    w->save &= ~me;
    w->reserved &= ~me;
}

// awaited: the result is still in the window.
static void written_now(Sm *sm, const BypassBook *b, WarpBook *w, const BookResult *r,
                        bool awaited) {
    uint64_t *v = sm->count->v;
    const uint64_t me = word_bit(r->reg);
    v[CTR_BOW_DIRECT]++;
    w->lost[r->reg] &= ~r->lanes;
    if (b->rule == BYPASS_THROUGH && awaited) {
        if (r->lanes != ~0u && !(w->rows & me)) return;
        v[CTR_BOW_THROUGH]++;
        w->rows |= me;
        return;
    }
    v[CTR_BOW_DIRECT_LATE] +=
        b->rule == BYPASS_BACK || (b->rule == BYPASS_BITS && r->bits & ISA_WRITE_BOC);
    v[CTR_BOW_OVERWRITTEN] += (w->dirty & me) != 0;
    forget_rows(w, me);
}

static void lose_result(Sm *sm, WarpBook *w, const BookResult *r) {
    sm->count->v[CTR_BOW_NOWHERE]++;
    w->lost[r->reg] |= r->homeless ? ~0u : r->lanes;
}

// The block handles a result with the state at the start of the cycle, so a save in the same cycle
// does not count.
static uint64_t at_start(const Sm *sm, const WarpBook *w, uint64_t now, uint64_t before) {
    return now | (w->saved_in == sm->cycle + 1 ? before : 0);
}

static void kept_only(Sm *sm, const BypassBook *b, WarpBook *w, const BookResult *r, bool awaited) {
    uint64_t *v = sm->count->v;
    const uint64_t me = word_bit(r->reg);
    const bool was = w->dirty & me, was_only = w->only & me,
               full = r->lanes == ~0u || (r->homeless && !was);
    const bool merges = !full && at_start(sm, w, w->dirty, w->saved) & me;
    const bool only = b->rule == BYPASS_BITS && r->bits == ISA_WRITE_BOC && (!merges || was_only);
    if (r->homeless && !was && !(awaited && w->rows & me)) {
        lose_result(sm, w, r);
        return;
    }
    v[CTR_BOW_STORED]++;
    v[CTR_BOW_OVERWRITTEN] += was && full;
    v[CTR_BOW_MERGED] += was && !full;
    w->lost[r->reg] &= full ? 0 : ~r->lanes;
    w->only_lanes[r->reg] = full ? ~0u : r->lanes | (was ? w->only_lanes[r->reg] : 0);
    w->rows |= me;
    w->dirty |= me;
    w->reserved &= ~me;
    w->only = (w->only & ~me) | (only ? me : 0);
    if (full || only) w->save &= ~me;
    else if (merges) w->save |= at_start(sm, w, w->save, w->marked) & me;
}

void book_result(Sm *sm, BypassBook *b, int warp, BookResult r) {
    uint64_t *v = sm->count->v;
    WarpBook *w = book_of(b, warp);
    uint64_t awaited = 0;
    count_window(sm, b, w);
    for (unsigned s = 0; s < b->window; s++) {
        awaited |= w->awaited[s];
        w->awaited[s] &= ~word_bit(r.reg);
    }
    awaited &= word_bit(r.reg);
    v[CTR_BOW_RESULTS]++;
    if (b->rule == BYPASS_BITS) v[CTR_BOW_BITS_00 + r.bits]++;
    if (r.direct) written_now(sm, b, w, &r, awaited);
    else if (!r.lanes || (b->rule == BYPASS_BITS && !r.bits)) lose_result(sm, w, &r);
    else kept_only(sm, b, w, &r, awaited);
}

// ---- exit ----

void book_saved(Sm *sm, BypassBook *b, int warp, int reg) {
    WarpBook *w = book_of(b, warp);
    const uint64_t me = word_bit(reg);
    count_window(sm, b, w);
    if (!(w->dirty & ~w->only & me)) {
        sm_fail(sm, EXIT_MISMATCH, "block bypass_collector saves R%d of warp %d, %s", reg, warp,
                w->dirty & me ? "which the compiler keeps from the register file"
                              : "which the register file has");
        return;
    }
    sm->count->v[w->save & me ? CTR_BOW_SAVES : CTR_BOW_PRESSURE_SAVES]++;
    if (w->saved_in != sm->cycle + 1) w->saved = w->marked = 0;
    w->saved_in = sm->cycle + 1;
    w->saved |= me;
    w->marked |= w->save & me;
    w->dirty &= ~me;
    w->save &= ~me;
    if (!(in_window(b, w) & me)) w->rows &= ~me;
}

void book_killed(Sm *sm, BypassBook *b, int warp, uint64_t regs) {
    WarpBook *w = book_of(b, warp);
    count_window(sm, b, w);
    sm->count->v[CTR_BOW_DEAD] += count_ones(w->dirty & regs);
    forget_rows(w, regs);
}

void book_dropped(Sm *sm, BypassBook *b, int warp) {
    WarpBook *w = book_of(b, warp);
    count_window(sm, b, w);
    sm->count->v[CTR_BOW_DROPPED] += count_ones(w->dirty);
    memset(w, 0, sizeof *w);
    w->since = sm->cycle + 1;
}

void book_check(Sm *sm, const BypassBook *b) {
    const uint64_t *v = sm->count->v;
    const uint64_t ends = v[CTR_BOW_SAVES] + v[CTR_BOW_PRESSURE_SAVES] + v[CTR_BOW_OVERWRITTEN] +
        v[CTR_BOW_MERGED] + v[CTR_BOW_DEAD] + v[CTR_BOW_DROPPED];
    uint64_t now[4];
    snapshot_counters(sm, now);
    for (int i = 0; i < 4; i++) now[i] -= b->before[i];
    for (int i = 0; i < SM_MAX_WARPS; i++)
        if (b->warp[i].begun) {
            sm_fail(sm, EXIT_MISMATCH,
                    "bypassing: the collector of warp %d is not empty when the kernel has ended",
                    i);
            return;
        }
    if (v[CTR_BOW_STORED] != ends)
        sm_fail(sm, EXIT_MISMATCH,
                "bypassing: %llu results were kept and not written, %llu were saved, overwritten, "
                "merged, "
                "dead or dropped",
                (unsigned long long)v[CTR_BOW_STORED], (unsigned long long)ends);
    else if (now[0] != now[1] + now[3])
        sm_fail(sm, EXIT_MISMATCH, "bypassing: %llu sources, %llu were read and %llu forwarded",
                (unsigned long long)now[0], (unsigned long long)now[1], (unsigned long long)now[3]);
    else if (v[CTR_RF_WRITES] != v[CTR_BOW_DIRECT] + v[CTR_BOW_SAVES] + v[CTR_BOW_PRESSURE_SAVES])
        sm_fail(sm, EXIT_MISMATCH,
                "bypassing: %llu writes of the register file, %llu results written at once and "
                "%llu values "
                "saved",
                (unsigned long long)v[CTR_RF_WRITES], (unsigned long long)v[CTR_BOW_DIRECT],
                (unsigned long long)(v[CTR_BOW_SAVES] + v[CTR_BOW_PRESSURE_SAVES]));
}
