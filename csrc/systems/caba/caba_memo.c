// SPDX-License-Identifier: Apache-2.0
// caba-memo: assist warps that memoize (CABA paper, section 8.1). The paper has the idea and no
// numbers: the rest is ours.
//
// The compiler marks computations (csrc/compile/assist/assist_regions.c). A warp that reaches one
// does not issue it. A high-priority routine hashes each lane's inputs, reads the entry of the
// table, and compares the inputs, bit by bit. If the entries of all lanes match, the look-up copies
// their results to the warp's register, and the warp skips the computation. Otherwise all lanes of
// the warp compute, and a second routine enters their results.
//
// The table occupies the shared memory that CTAs leave free, and all warps of the SM share it. An
// entry is 16 bytes {input, input, number of the computation, result}, which one access of a lane
// reads or writes. Routines of several warps may therefore access it in any order; the last write
// remains. The table is cleared before a kernel, 128 bytes per cycle, and is not queried until
// then. Look-up and insertion run in the active lanes of the warp. The look-up's registers keep
// their values until the insertion, because no other routine of this warp begins between the two.
#include "systems/caba/caba.h"

#include "caba_texts.h"  // made of routines/*.isa
#include "sm/stages/simt.h"
#include "systems/systems.h"

#include <string.h>

enum {
    HIGH = 1,
    ENTRY = 16,
    CLEARED = 8 /* entries per cycle */,
    WINDOW = 256,
    VISITS = 4096,
    NO_REGION = -1,
    REGS = 12,
    LEAST_ENTRIES = 16
};

const CabaMemoText caba_memo = {{TEXT_MEMO_LOOKUP_1, TEXT_MEMO_LOOKUP_2},
                                {TEXT_MEMO_INSERT_1, TEXT_MEMO_INSERT_2}};
typedef enum MemoState {
    MEMO_OUTSIDE,
    MEMO_LOOKS,
    MEMO_COMPUTES,
    MEMO_TO_ENTER,
    MEMO_ENTERS
} MemoState;

typedef struct MemoWarp {
    uint8_t state;
    int8_t region;
    uint32_t lanes;
    uint32_t value[ISA_LANES];  // copied by the look-up to the warp's register
} MemoWarp;

// Counts of a computation: look-ups since the interval began, hits that skipped it, visits without
// a look-up.
typedef struct MemoRegion {
    int lookups, skips, off;
} MemoRegion;

typedef struct Memo {
    const CabaMemoText *text;
    const IsaProgram *program;
    int8_t *at, *last;  // per instruction: the region that begins or ends with it; NO_REGION
    MemoRegion region[ISA_MOST_REGIONS];
    MemoWarp warp[SM_MAX_WARPS];
    WarpSet to_enter;       // warps in state MEMO_TO_ENTER
    uint32_t table, bytes;  // place in the SM's shared memory; 0 bytes: no table
    uint64_t ready;         // the table is clear
    int turn;               // the warp with priority
} Memo;

// ---- routines of a kernel ----

static bool make_routine(Sm *sm, CabaProgram *p, const char *name, const char *text,
                         const CabaNumber *numbers, int n) {
    const CabaRoutine routine = {name, ~0u, caba_fill(&sm->kernel_arena, text, numbers, n)};
    return caba_assemble_one(&sm->kernel_arena, &routine, p, sm->diag);
}

static bool make_routines(Sm *sm, Caba *s, int first, int shift) {
    const Memo *m = s->user;
    int words = 0;
    for (int r = 0; r < m->program->nregions; r++) {
        const IsaRegion *g = &m->program->regions[r];
        const uint8_t live[CABA_LIVES] = {g->in[0], g->in[1], g->out};
        const uint32_t number = (uint32_t)r + 1;
        const CabaNumber numbers[] = {
            {"SHIFT", (uint32_t)shift}, {"NUMBER", number}, {"SEED", number * 0x61c88647u}};
        const int n = sizeof numbers / sizeof *numbers;
        CabaProgram *p = &s->program[2 * r];
        if (!make_routine(sm, &p[0], "memo.lookup", m->text->lookup[g->nin - 1], numbers, n) ||
            !make_routine(sm, &p[1], "memo.insert", m->text->insert[g->nin - 1], numbers, n) ||
            !caba_relocate(sm, &p[0], first, live, sm->diag) ||
            !caba_relocate(sm, &p[1], first, live, sm->diag))
            return false;
        words += p[0].ninsts + p[1].ninsts;
    }
    panic_if(words > CABA_STORE_WORDS, "routines of %d instructions", words);
    return true;
}

// ---- life ----

static const CabaUse use;

void *caba_memo_open(Sm *sm, Arena *arena, const CabaMemoText *text) {
    Memo *m = ARENA_NEW(arena, Memo);
    m->text = text;
    return caba_core_open(sm, arena, &use, m);
}

static void *open_memo(Sm *sm, Arena *arena) { return caba_memo_open(sm, arena, &caba_memo); }

static bool check(const Sm *sm, const void *self, Diag *d) {
    (void)self;
    const int n = sm->cfg->memo_entries;
    return !(n & (n - 1)) ||
        diag_fail(d, EXIT_USAGE, "memo.entries must be a power of two, found %d", n);
}

// Number of entries: the largest power of two that fits into the memory that CTAs leave free.
static int entries_of(const Sm *sm) {
    const uint32_t used = (uint32_t)sm->cta_limit * sm->shared_per_cta,
                   all = (uint32_t)sm->cfg->shared_bytes;
    int n = sm->cfg->memo_entries;
    while (n >= LEAST_ENTRIES && used + (uint32_t)n * ENTRY > all) n /= 2;
    return n < LEAST_ENTRIES ? 0 : n;
}

static void launch(Sm *sm, void *self) {
    Caba *s = self;
    Memo *m = s->user;
    const IsaProgram *p = sm->launch->program;
    const int entries = p->nregions ? entries_of(sm) : 0;
    caba_core_launch(s);
    m->program = p;
    m->at = ARENA_ARRAY(&sm->kernel_arena, int8_t, p->ninsts);
    m->last = ARENA_ARRAY(&sm->kernel_arena, int8_t, p->ninsts);
    memset(m->at, NO_REGION, (size_t)p->ninsts);
    memset(m->last, NO_REGION, (size_t)p->ninsts);
    memset(m->region, 0, sizeof m->region);
    memset(m->warp, 0, sizeof m->warp);
    m->to_enter = 0;
    m->turn = 0;
    m->table = (uint32_t)sm->cta_limit * sm->shared_per_cta;
    m->bytes = (uint32_t)entries * ENTRY;
    m->ready = sm->cycle + (uint64_t)(entries / CLEARED);
    sm->count->v[CTR_MEMO_ENTRIES] += (uint64_t)entries;
    if (!entries) return;
    memset(sm->shared + m->table, 0, m->bytes);
    for (int r = 0; r < p->nregions; r++) {
        m->at[p->regions[r].first] = (int8_t)r;
        m->last[p->regions[r].after - 1] = (int8_t)r;
    }
    int bits = 0;
    while (1 << bits < entries) bits++;
    if (!make_routines(sm, s, caba_aligned(p->home_regs), 32 - bits)) sm_stop(sm);
}

// ---- a warp at a computation ----

static bool needs_lookup(const Sm *sm, const Memo *m, int warp) {
    const InstStream *own = &sm->warps[warp].own;
    const int r = (int)own->pc < own->ninsts ? m->at[own->pc] : NO_REGION;
    return r != NO_REGION && m->warp[warp].state == MEMO_OUTSIDE && !m->region[r].off &&
        sm->cycle >= m->ready;
}

static WarpSet may(const Sm *sm, const void *self, WarpSet warps) {
    const Memo *m = ((const Caba *)self)->user;
    if (!m->bytes) return warps;
    warps &= ~m->to_enter;
    for (WarpSet left = warps; left; left &= left - 1)
        if (needs_lookup(sm, m, lowest(left))) warps &= ~(left & -left);
    return warps;
}

static void trigger_routine(Sm *sm, Caba *s, int warp, int routine, AssistJob job, uint32_t lanes) {
    const Memo *m = s->user;
    Assist *a = caba_trigger(s, warp, HIGH, routine, job, lanes);
    a->stream.shared_at = m->table;
    a->stream.shared_bytes = m->bytes;
    sm_progress(sm);
}

static bool start_routine(Sm *sm, Caba *s, int warp) {
    Memo *m = s->user;
    MemoWarp *w = &m->warp[warp];
    if (w->state == MEMO_TO_ENTER) {
        w->state = MEMO_ENTERS;
        m->to_enter &= ~warp_bit(warp);
        trigger_routine(sm, s, warp, 2 * w->region + 1, ASSIST_INSERT, w->lanes);
        sm->count->v[CTR_MEMO_INSERTS]++;
        return true;
    }
    if (!needs_lookup(sm, m, warp)) return false;
    w->state = MEMO_LOOKS;
    w->region = m->at[sm->warps[warp].own.pc];
    w->lanes = sm->warps[warp].own.mask;
    trigger_routine(sm, s, warp, 2 * w->region, ASSIST_LOOKUP, w->lanes);
    sm->count->v[CTR_MEMO_LOOKUPS]++;
    sm->count->v[CTR_MEMO_LANES] += (unsigned)__builtin_popcount(w->lanes);
    return true;
}

// One routine begins per cycle; the waiting warps take turns round-robin.
static void begin(Sm *sm, Caba *s) {
    Memo *m = s->user;
    if (!m->bytes || s->in->trig_valid[0] >> HIGH & 1) return;
    const WarpSet all = sm->resident & ~sm->ended & ~sm->control,
                  above = all & ~(warp_bit(m->turn) - 1);
    for (int half = 0; half < 2; half++)
        for (WarpSet left = half ? all & ~above : above; left; left &= left - 1) {
            const int warp = lowest(left);
            if (!caba_free(s, warp, HIGH) || !start_routine(sm, s, warp)) continue;
            m->turn = (warp + 1) % SM_MAX_WARPS;
            return;
        }
}

static void close_interval(const Sm *sm, MemoRegion *r) {
    if (r->lookups < WINDOW) return;
    if (r->skips < sm->cfg->memo_least) r->off = VISITS;
    r->lookups = r->skips = 0;
}

static void skip_region(Sm *sm, Memo *m, MemoWarp *w, int warp) {
    const IsaRegion *g = &m->program->regions[w->region];
    sm->count->v[CTR_MEMO_SKIPS]++;
    sm->count->v[CTR_MEMO_SAVED] += (unsigned)(g->after - g->first);
    m->region[w->region].skips++;
    w->state = MEMO_OUTSIDE;
    notify_skipped(sm, (SkippedEvent){warp, g->first, g->after, g->out, w->lanes, w->value});
    if (!sm->failed) simt_split(sm, warp, 1, &g->after, &w->lanes, SM_NONE);
}

static void ended(Sm *sm, Caba *s, Assist *a) {
    Memo *m = s->user;
    MemoWarp *w = &m->warp[a->warp];
    sm_progress(sm);
    if (a->job == ASSIST_INSERT) {
        w->state = MEMO_OUTSIDE;
        return;
    }
    MemoRegion *r = &m->region[w->region];
    r->lookups++;
    sm->count->v[CTR_MEMO_LANE_HITS] += (unsigned)__builtin_popcount(a->stream.pred[0] & w->lanes);
    if ((a->stream.pred[6] & w->lanes) == w->lanes) skip_region(sm, m, w, a->warp);
    else w->state = MEMO_COMPUTES;
    close_interval(sm, r);
}

static const CabaUse use = {.ended = ended, .begin = begin};

// ---- events ----

static void on_issued(Sm *sm, void *self, const IssueEvent *e) {
    Memo *m = ((Caba *)self)->user;
    MemoWarp *w = &m->warp[e->warp];
    if (!m->bytes || !inst_stream_is_own(sm, e->warp, e->stream)) return;
    const int first = m->at[e->pc], last = m->last[e->pc];
    if (first != NO_REGION && w->state == MEMO_OUTSIDE && m->region[first].off) {
        m->region[first].off--;
        sm->count->v[CTR_MEMO_NOT_ASKED]++;
    }
    if (last == NO_REGION || w->state != MEMO_COMPUTES || w->region != last) return;
    w->state = MEMO_TO_ENTER;
    m->to_enter |= warp_bit(e->warp);
}

static void on_warp_begin(Sm *sm, void *self, const WarpEvent *e) {
    Memo *m = ((Caba *)self)->user;
    (void)sm;
    m->warp[e->warp].state = MEMO_OUTSIDE;
}

// Records the value that the look-up copies to the warp's register.
static void on_result(Sm *sm, void *self, const FlightEvent *e) {
    Caba *s = self;
    Memo *m = s->user;
    const Flight *f = e->flight;
    MemoWarp *w = &m->warp[f->warp];
    if (inst_stream_is_own(sm, f->warp, f->stream) || w->state != MEMO_LOOKS) return;
    if (f->inst->isa->op == ISA_MOV && f->inst->isa->dst == m->program->regions[w->region].out)
        memcpy(w->value, f->out.dst[0], sizeof w->value);
}

static const Listener listener = {.scheduler_class = caba_on_class,
                                  .cycle_end = caba_on_cycle_end,
                                  .begun = caba_on_begun,
                                  .ended = caba_on_ended,
                                  .issued = on_issued,
                                  .warp_begin = on_warp_begin,
                                  .result = on_result};

// ---- system ----

static int homes(const Sm *sm, const void *self, int regs) {
    (void)self;
    return sm->launch->program->nregions ? caba_aligned(regs) + REGS : regs;
}

static const IssueGate gate = {
    .waits_for = "its assist warp", .stall = CTR_STALL_ASSIST, .may = may};
static const Admission admission = {.homes = homes, .rests = caba_rests};
static const char *const blocks[] = {"assist_ctrl", NULL};

const System system_caba_memo = {.name = "caba-memo",
                                 .what = "assist warps look up computations in a table in shared "
                                         "memory, and skip those with a result",
                                 .group = SYSTEM_LINES,
                                 .with = 0,
                                 .reason = "its assist warps take registers, issue slots and the "
                                           "second stream of the baseline's warps",
                                 .compiler = {.reserve = REGS + CABA_ALIGN - 1, .memo = true},
                                 .blocks = blocks,
                                 .open = open_memo,
                                 .check = check,
                                 .launch = launch,
                                 .hazards = &caba_hazards,
                                 .stream = &caba_stream,
                                 .gate = &gate,
                                 .admission = &admission,
                                 .listener = &listener};
