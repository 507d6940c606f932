// SPDX-License-Identifier: Apache-2.0
// OWF (owner warp first), a comparator of RegMutex in chapter 4 of the thesis. A warp of one CTA
// and its partner in another CTA share the registers from a threshold upward
// (csrc/compile/regions/share.c). The first of them that names a shared register owns these
// registers until it ends. Blocks: owf_locks (grants the shared registers) and arch_to_phys (place
// of register x of a warp).
//
//   pairs      CTA slots 2k and 2k + 1, as many pairs as the resident CTAs require. The other CTAs
//              have all their registers. With W warps of R registers, T of them their own, a pair
//              of CTAs uses W (R + T) rows, another CTA W R.
//   issue      A warp that names a shared register without a grant is not selected. If two partners
//              are selected in one cycle, the second loses its slot.
//   end        The registers of a warp pass to its partner when nothing of it is in flight.
//   scheduler  Warps of owner CTAs first, then warps without a partner or an owner, then partners
//              of owners. Within each group the machine's policy decides.
//
// A kernel whose CTAs fit without pairs uses the places of the baseline, and the blocks have no
// work.
#include "models/regmutex/owf_locks.h"
#include "systems/regmutex/split_map.h"
#include "systems/systems.h"

typedef struct Owf {
    SplitMap map;      // T, R - T, first row of the shared sets
    int pairs, warps;  // pairs of CTAs; warps of a CTA
    uint64_t shared;   // the shared registers, as a set
    uint64_t paired;   // warps of pairs
    Block *block;
    OwfLocksIn *in;
    const OwfLocksOut *out;
    bool stale;                 // the block's state has changed since its outputs were read:
    uint64_t may, held, owner;  // in this cycle
    uint64_t behind;            // .. warps of the other CTA, if the set has an owner
    uint64_t taken, refused;    // in this cycle, at issue
    uint64_t starting, ending;  // warps, reported at the next clock edge
    int nacq;                   // requests of this cycle
    uint32_t view[2][2];        // held, owner: for waves
} Owf;

static void *open_owf(Sm *sm, Arena *arena) {
    Owf *s = ARENA_NEW(arena, Owf);
    Cosim *c = sm->cosim;
    s->map = (SplitMap){.others = "shared", .has = "has them", .has_not = "does not have them"};
    split_map_open(&s->map, sm);
    s->block = cosim_block(c, "owf_locks");
    s->in = s->block->in;
    s->out = s->block->out;
    cosim_signal(c, "sm.owf", "has_shared_registers", sm->cfg->sm_warps, s->view[0]);
    cosim_signal(c, "sm.owf", "of_owner_cta", sm->cfg->sm_warps, s->view[1]);
    return s;
}

// ---- admission ----

static uint64_t rows_of_file(const Sm *sm) {
    return (uint64_t)sm->cfg->rf_banks * (uint64_t)sm->cfg->rf_entries;
}

// Pairs of CTAs when n are resident; -1: n CTAs do not fit.
static int pairs_for(const Sm *sm, const IsaProgram *p, uint64_t n) {
    const uint64_t warps = (uint64_t)sm->warps_per_cta, alone = warps * (uint64_t)p->given_regs;
    const uint64_t saved = warps * (uint64_t)p->ext_regs,
                   over = n * alone > rows_of_file(sm) ? n * alone - rows_of_file(sm) : 0;
    const uint64_t least = (over + saved - 1) / saved,
                   running = rows_of_file(sm) / alone < n ? rows_of_file(sm) / alone : n;
    if (least > n / 2) return -1;
    if (sm->cfg->owf_pairs == PAIRS_KEPT && n - least < running) return -1;
    return (int)(sm->cfg->owf_pairs == PAIRS_ALL ? n / 2 : least);
}

static int registers(const Sm *sm, const void *self, int regs) {
    (void)self;
    return sm->launch->program->ext_regs ? 0 : regs;
}

static uint64_t ctas(const Sm *sm, const void *self, const CtaNeed *need, CtaLimit *limit) {
    const IsaProgram *p = sm->launch->program;
    (void)self;
    if (!p->ext_regs) return ~0ull;
    const uint64_t alone = (uint64_t)sm->warps_per_cta * (uint64_t)p->given_regs;
    *limit = (CtaLimit){"registers", "warp registers", "warp registers", alone, rows_of_file(sm)};
    uint64_t n = occupancy_ctas(sm->cfg, &(CtaNeed){need->threads, 0, need->shared_bytes}, NULL);
    while (n && pairs_for(sm, p, n) < 0) n--;
    return n;
}

static void warp_begins(Sm *sm, void *self, int warp) {
    Owf *s = self;
    (void)sm;
    if (s->map.on) s->starting |= word_bit(warp);
}

static void warp_ends(Sm *sm, void *self, int warp) {
    Owf *s = self;
    (void)sm;
    if (s->map.on) s->ending |= word_bit(warp);
}

static bool slot_free(const Sm *sm, const void *self, int warp) {
    (void)sm;
    return !(((const Owf *)self)->ending & word_bit(warp));
}

static const Admission admission = {.registers = registers,
                                    .ctas = ctas,
                                    .warp_begins = warp_begins,
                                    .warp_ends = warp_ends,
                                    .slot_free = slot_free};

// ---- a kernel begins ----

static uint64_t first_warps(int n) { return n >= 64 ? ~0ull : word_bit(n) - 1; }

static void launch(Sm *sm, void *self) {
    Owf *s = self;
    const IsaProgram *p = sm->launch->program;
    panic_if(s->starting | s->ending | s->held,
             "a kernel begins while warps of another are resident");
    s->pairs = p->ext_regs ? pairs_for(sm, p, (uint64_t)sm->cta_room) : 0;
    s->warps = sm->warps_per_cta;
    const bool shares = s->pairs > 0;
    split_map_launch(&s->map, shares, shares ? p->base_regs : p->nregs, shares ? p->ext_regs : 0,
                     p->base_regs * sm->cta_room * s->warps);
    s->shared = shares ? ((1ull << p->ext_regs) - 1) << p->base_regs : 0;
    s->paired = first_warps(2 * s->pairs * s->warps);
    s->in->cfg_valid[0] = shares;
    s->in->cfg_warps[0] = (uint32_t)s->warps;
    s->in->cfg_pairs[0] = (uint32_t)s->pairs;
}

// ---- places ----

// Each pair of warps has a set. The sets of warps without a partner follow.
static int set_of(const Owf *s, int warp) {
    if (!(s->paired & word_bit(warp))) return warp - s->pairs * s->warps;
    return warp / s->warps / 2 * s->warps + warp % s->warps;
}

static bool has_set(const Owf *s, int warp) {
    return (~s->paired | s->held | s->taken) & word_bit(warp);
}

static void ask(Sm *sm, void *self, PlaceUse use, int at, int warp, int reg) {
    Owf *s = self;
    const int l = split_map_ask(&s->map, sm, use, at, warp, reg);
    if (l < 0) return;
    s->map.in->at_section[l] = (uint32_t)set_of(s, warp);
}

static void evaluate_map(Owf *s) {
    ArchToPhysIn *in = s->map.in;
    in->at_held[0] = 0;
    for (uint32_t left = in->at_valid[0]; left; left &= left - 1) {
        const int l = __builtin_ctz(left);
        if (has_set(s, (int)in->at_warp[l])) in->at_held[0] |= 1u << l;
    }
    block_eval(s->map.block);
}

static const RegPlace *answer(Sm *sm, void *self, PlaceUse use) {
    Owf *s = self;
    if (s->map.on) evaluate_map(s);
    return split_map_answer(&s->map, sm, use);
}

static RegPlace now(const Sm *sm, const void *self, int warp, int reg) {
    const Owf *s = self;
    return split_map_now(&s->map, sm, warp, reg, has_set(s, warp) ? set_of(s, warp) : -1);
}

static const Places places = {.ask = ask, .answer = answer, .now = now};

// ---- issue ----

static bool names_shared(const Owf *s, const SmInst *in) {
    return (in->reads | in->writes) & s->shared;
}

static WarpSet may(const Sm *sm, const void *self, WarpSet warps) {
    const Owf *s = self;
    for (uint64_t left = warps & s->paired & ~s->may; left; left &= left - 1) {
        const InstStream *own = &sm->warps[lowest(left)].own;
        if (names_shared(s, &own->insts[own->pc])) warps &= ~(left & -left);
    }
    return warps;
}

static bool act(Sm *sm, void *self, int warp, const SmInst *in) {
    Owf *s = self;
    uint64_t *v = sm->count->v;
    if (!(s->paired & word_bit(warp)) || !names_shared(s, in) || has_set(s, warp)) return true;
    const int r = s->nacq++;
    s->in->acq_valid[0] |= 1u << r;
    s->in->acq_warp[r] = (uint32_t)warp;
    block_eval(s->block);
    if (!(s->out->acq_grant[0] >> r & 1)) {
        v[CTR_SHARED_REFUSED]++;
        s->refused |= word_bit(warp);
        return false;
    }
    v[CTR_SHARED_TAKEN]++;
    v[CTR_SHARED_TAKEN_BEHIND] += s->behind >> warp & 1;
    s->taken |= word_bit(warp);
    notify_held(sm, (RegistersEvent){warp, s->shared});
    return true;
}

static const IssueGate gate = {.waits_for = "registers that it shares with a warp of another CTA",
                               .stall = CTR_STALL_SECTION,
                               .may = may,
                               .act = act};

// ---- scheduler ----

static const SchedPolicy *inner_policy(const Sm *sm) {
    return &sched_policies[sm->cfg->sm_scheduler];
}
static void sched_cycle(Sm *sm, Scheduler *s) {
    if (inner_policy(sm)->cycle) inner_policy(sm)->cycle(sm, s);
}
static WarpSet sched_may(const Sm *sm, const Scheduler *s) {
    return inner_policy(sm)->may ? inner_policy(sm)->may(sm, s) : s->mine;
}
static void sched_issued(Sm *sm, Scheduler *s, int warp) { inner_policy(sm)->issued(sm, s, warp); }

static int sched_first(const Sm *sm, const Scheduler *s, WarpSet of) {
    const Owf *o = sm->policy_self;
    const WarpSet owners = of & o->owner, rest = of & ~o->behind;
    return inner_policy(sm)->first(sm, s, owners ? owners : rest ? rest : of);
}

static const SchedPolicy sched = {"owner warps first", sched_cycle, sched_first, sched_may,
                                  sched_issued};

// ---- the cycle ----

static uint64_t as_set(const uint32_t *bits, int n) {
    uint64_t set = 0;
    for (int i = 0; i < n; i++) set |= (uint64_t)(bits[i] & 1) << i;
    return set;
}

// Reads the outputs of the block's state for this cycle.
static void on_cycle_begin(Sm *sm, void *self, const CycleEvent *e) {
    Owf *s = self;
    const int n = sm->cfg->sm_warps;
    (void)e;
    if (!s->stale) return;
    block_eval(s->block);
    s->may = as_set(s->out->may, n);
    s->held = as_set(s->out->held, n);
    s->owner = as_set(s->out->owner, n);
    s->behind = 0;
    for (int slot = 0; slot < 2 * s->pairs; slot++) {
        const uint64_t here = first_warps(s->warps) << slot * s->warps,
                       partner = first_warps(s->warps) << (slot ^ 1) * s->warps;
        if (s->owner & partner) s->behind |= here;
    }
    for (int i = 0; i < 2; i++) {
        s->view[0][i] = (uint32_t)(s->held >> 32 * i);
        s->view[1][i] = (uint32_t)(s->owner >> 32 * i);
    }
    s->stale = false;
}

static void on_cycle_end(Sm *sm, void *self, const CycleEvent *e) {
    (void)e;
    sm->count->v[CTR_SHARED_CYCLES] += (unsigned)__builtin_popcountll(((Owf *)self)->held);
}

static const Listener listener = {.cycle_begin = on_cycle_begin, .cycle_end = on_cycle_end};

static bool busy(const Sm *sm, const void *self) {
    const Owf *s = self;
    (void)sm;
    return s->in->cfg_valid[0] || s->nacq || s->starting || s->ending;
}

static void mark_warps(uint32_t *bits, uint64_t set, uint32_t value) {
    for (uint64_t left = set; left; left &= left - 1) bits[lowest(left)] = value;
}

// Golden models without requests keep their state and need no clock.
static void tick(Sm *sm, void *self) {
    Owf *s = self;
    const bool asked = busy(sm, s), clocked = blocks_clocked(sm);
    if (!s->map.on) return;
    if (clocked) {
        evaluate_map(s);
        block_tick(s->map.block);
    }
    split_map_tick(&s->map);
    if (!asked && !clocked) return;
    panic_if(s->starting & s->ending, "a warp starts before the one that had its slot is gone");
    mark_warps(s->in->start_mask, s->starting, 1);
    mark_warps(s->in->exit_mask, s->ending, 1);
    if (clocked) block_eval(s->block);
    block_tick(s->block);
    mark_warps(s->in->start_mask, s->starting, 0);
    mark_warps(s->in->exit_mask, s->ending, 0);
    if (events_wanted(sm, held))
        for (uint64_t left = s->held & s->ending; left; left &= left - 1)
            notify_held(sm, (RegistersEvent){lowest(left), 0});
    s->held = (s->held | s->taken) & ~s->ending;
    for (uint64_t left = s->refused; left; left &= left - 1) gate_unpark(sm, lowest(left));
    s->starting = s->ending = s->taken = s->refused = 0;
    s->in->cfg_valid[0] = s->in->acq_valid[0] = 0;
    s->nacq = 0;
    s->stale = true;
}

static const Clocked clock_part = {.tick = tick, .busy = busy};

static const char *const blocks[] = {"owf_locks", "arch_to_phys", NULL};

const System system_owf = {
    .name = "owf",
    .what = "warps of two CTAs share registers; the first to use them owns them until it ends",
    .group = SYSTEM_REGMUTEX,
    .with = 0,
    .reason = "it maps every register itself",
    .compiler = {.shared = true},
    .summary = summary_shared,
    .figures = figures_regmutex,
    .blocks = blocks,
    .open = open_owf,
    .launch = launch,
    .places = &places,
    .gate = &gate,
    .admission = &admission,
    .sched = &sched,
    .clock = &clock_part,
    .listener = &listener};
