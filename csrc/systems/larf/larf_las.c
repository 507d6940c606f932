// SPDX-License-Identifier: Apache-2.0
// LAS, an option of larf: loose round-robin that prefers warps whose next instruction is a load
// that registers would serve (thesis, 5.4; larf.md, 3.7). The table is queried when a result is
// written and the head of its warp's buffer is a load with an available address. If the result is
// the address, the query uses the result. Otherwise it reads the address register from the register
// file, after all reads of instructions. The question uses cycles of load_shape and of the table in
// which no load uses them. Block locality_checker holds questions and preferred warps.
#include "launch/device_memory.h"
#include "systems/larf/larf.h"
#include "systems/systems.h"

#include <string.h>

typedef struct Las {
    Larf *larf;
    Block *lc;
    LocalityCheckerIn *in;
    const LocalityCheckerOut *out;
    uint64_t preferred;
    uint64_t forget;  // warps with an issue, or an end, in this cycle
    // warp whose address register must be read; is being read; SM_NONE
    int wants, reading;
    int asks;  // warp of the addresses below, SM_NONE
    uint32_t addr[32], mask;
} Las;

static Larf *larf_of(const Sm *sm) {
    const Arch *a = &sm->gpu->arch;
    for (int i = 0; i < a->n; i++)
        if (a->systems[i]->places == &larf_places) return sm->selves[i];
    return NULL;
}

static void *open_las(Sm *sm, Arena *arena) {
    Las *s = ARENA_NEW(arena, Las);
    s->larf = larf_of(sm);
    s->lc = cosim_block(sm->cosim, "locality_checker");
    s->in = s->lc->in;
    s->out = s->lc->out;
    return s;
}

static void launch(Sm *sm, void *self) {
    Las *s = self;
    (void)sm;
    s->preferred = 0;
    s->forget = ~0ull;
    s->wants = s->reading = s->asks = SM_NONE;
}

// ---- the head of a warp ----

static const SmInst *head_instruction(const Sm *sm, int warp) {
    const InstStream *own = &sm->warps[warp].own;
    return sm->has_inst >> warp & 1 && !((sm->ended | sm->control | sm->at_barrier) >> warp & 1)
        ? &own->insts[own->pc]
        : NULL;
}

// Is it a load that may query the table, with an available address?
static bool is_candidate(const Sm *sm, int warp, const SmInst *in) {
    const IsaInst *isa = in->isa;
    if (isa->op != ISA_LD || isa->ordered || isa->cache == ISA_CACHE_L2 ||
        isa->cache == ISA_CACHE_VOLATILE)
        return false;
    if (isa->mem_bytes < 4 || !in->nwrites ||
        (isa->space != ISA_GLOBAL && isa->space != ISA_GENERIC))
        return false;
    if (isa->src[0].kind != ISA_SRC_REG || isa->src[0].reg == ISA_RZ) return false;
    if (isa->guard.reg != ISA_PT &&
        hazards_query(sm, warp, &sm->warps[warp].own, in) != HAZARD_NONE)
        return false;
    return !(in->reads & hazards_writing(sm, warp));
}

static uint32_t lanes_of(const Sm *sm, int warp, const SmInst *in) {
    const InstStream *own = &sm->warps[warp].own;
    const IsaPred *g = &in->isa->guard;
    return own->mask & (g->neg ? ~own->pred[g->reg] : own->pred[g->reg]);
}

static bool in_global(const Las *s) {
    for (uint32_t left = s->mask; left; left &= left - 1) {
        const int space = device_space_of(s->addr[__builtin_ctz(left)]);
        if (space == PTX_SHARED || space == PTX_LOCAL || space == PTX_CONST || space == PTX_PARAM)
            return false;
    }
    return true;
}

// Queries the table with this value of the address register.
static void ask_load(Sm *sm, Las *s, int warp, const SmInst *in, const uint32_t value[32]) {
    s->mask = lanes_of(sm, warp, in);
    for (int l = 0; l < ISA_LANES; l++) s->addr[l] = value[l] + (uint32_t)in->isa->offset;
    if (!s->mask || (in->isa->space == ISA_GENERIC && !in_global(s))) return;
    s->asks = warp;
}

// The word of the flight's results that is this register and has been written; -1: none. An address
// of two registers is available with its second word.
static int word_of(const Flight *f, int reg) {
    for (int w = 0; w < f->inst->nwrites; w++)
        if (f->inst->dst_reg[w] == reg) return w;
    return -1;
}

static void on_written(Sm *sm, void *self, const WordEvent *e) {
    Las *s = self;
    const Flight *f = e->flight;
    const SmInst *in = head_instruction(sm, f->warp);
    if (!in || !is_candidate(sm, f->warp, in) || (s->preferred | s->forget) >> f->warp & 1) return;
    const int word = word_of(f, in->isa->src[0].reg);
    if (word >= 0 && !(lanes_of(sm, f->warp, in) & ~f->active)) {
        if (s->asks == SM_NONE) ask_load(sm, s, f->warp, in, f->out.dst[f->inst->dst_word[word]]);
        else sm->count->v[CTR_LAS_DROPPED]++;
        return;
    }
    if (s->wants == SM_NONE) s->wants = f->warp;
    else sm->count->v[CTR_LAS_DROPPED]++;
}

static void on_issued(Sm *sm, void *self, const IssueEvent *e) {
    Las *s = self;
    sm->count->v[CTR_LAS_ISSUES] += s->preferred >> e->warp & 1;
    s->larf->preferred =
        (s->larf->preferred & ~word_bit(e->warp)) | (s->preferred & word_bit(e->warp));
    s->forget |= word_bit(e->warp);
}

static void on_warp_end(Sm *sm, void *self, const WarpEvent *e) {
    (void)sm;
    ((Las *)self)->forget |= word_bit(e->warp);
}

// ---- the cycle, after larf's ----

static void drive(Sm *sm, void *self) {
    Las *s = self;
    (void)sm;
    s->in->as_valid[0] = s->in->qu_ready[0] = 0;
    s->in->an_valid[0] = s->larf->question_answered;
    s->in->an_serves[0] = s->larf->question_serves;
    s->larf->question_answered = false;
    block_eval(s->lc);
    s->preferred = 0;
    for (int w = 0; w < sm->cfg->sm_warps; w++)
        s->preferred |= (uint64_t)(s->out->pf_mask[w] & 1) << w;
}

// Reads the address register of a warp if its head is still the load.
static void read_address(Sm *sm, Las *s) {
    Larf *l = s->larf;
    if (s->reading != SM_NONE && l->rr_out->an_valid[0] && s->asks == SM_NONE) {
        const SmInst *in = head_instruction(sm, s->reading);
        uint32_t lanes[32];
        l->rr_in->an_ready[0] = 1;
        rf_lanes_from_slices(lanes, l->rr_out->an_row[0]);
        if (in && is_candidate(sm, s->reading, in)) ask_load(sm, s, s->reading, in, lanes);
        s->reading = SM_NONE;
        return;
    }
    if (s->wants == SM_NONE || s->reading != SM_NONE || !l->rr_out->qu_ready[0]) return;
    const SmInst *in = head_instruction(sm, s->wants);
    const int phys =
        in && is_candidate(sm, s->wants, in) ? l->map[s->wants][in->isa->src[0].reg] : LARF_NOWHERE;
    if (phys != LARF_NOWHERE) {
        l->rr_in->qu_valid[0] = 1;
        l->rr_in->qu_phys[0] = (uint32_t)phys;
        s->reading = s->wants;
        sm->count->v[CTR_LAS_READS]++;
    }
    s->wants = SM_NONE;
}

// Cancels the question of a warp whose head has changed, including a read for it.
static void give_up(Las *s) {
    const uint64_t gone = s->forget;
    if (s->wants != SM_NONE && gone >> s->wants & 1) s->wants = SM_NONE;
    if (s->asks != SM_NONE && gone >> s->asks & 1) s->asks = SM_NONE;
    if (s->reading == SM_NONE || !(gone >> s->reading & 1)) return;
    s->larf->rr_in->drop[0] = 1;
    s->reading = SM_NONE;
}

static void settle(Sm *sm, void *self) {
    Las *s = self;
    Larf *l = s->larf;
    if (l->clear) return;
    give_up(s);
    if (s->larf->rr_in->drop[0] == 0) read_address(sm, s);
    if (s->asks != SM_NONE && loads_shape_question(l, s->addr, s->mask, s->asks)) s->asks = SM_NONE;
    if (l->shaped.valid && !(s->forget >> l->shaped.warp & 1)) {
        s->in->as_valid[0] = 1;
        s->in->as_warp[0] = (uint32_t)l->shaped.warp;
        s->in->as_base[0] = l->shaped.base;
        s->in->as_code[0] = l->shaped.code;
        s->in->as_mask[0] = l->shaped.mask;
    }
    l->shaped.valid = false;
    if (!s->out->qu_valid[0]) return;
    s->in->qu_ready[0] =
        loads_question(l, s->out->qu_base[0], s->out->qu_code[0], s->out->qu_mask[0]);
    sm->count->v[CTR_LAS_QUESTIONS] += s->in->qu_ready[0];
}

static void tick(Sm *sm, void *self) {
    Las *s = self;
    for (int w = 0; w < sm->cfg->sm_warps; w++) s->in->forget_mask[w] = s->forget >> w & 1;
    s->forget = 0;
    block_eval(s->lc);
    block_tick(s->lc);
}

static bool busy(const Sm *sm, const void *self) {
    (void)sm, (void)self;
    return true;
}

// ---- the policy ----

static void policy_issued(Sm *sm, Scheduler *s, int warp) {
    sched_policies[SCHED_LRR].issued(sm, s, warp);
}

static int policy_first(const Sm *sm, const Scheduler *s, WarpSet of) {
    const WarpSet preferred = of & ((const Las *)sm->policy_self)->preferred;
    return sched_policies[SCHED_LRR].first(sm, s, preferred ? preferred : of);
}

static const SchedPolicy policy = {.name = "las", .first = policy_first, .issued = policy_issued};
static const Clocked clock_part = {.drive = drive, .settle = settle, .tick = tick, .busy = busy};
static const Listener listener = {
    .written = on_written, .issued = on_issued, .warp_end = on_warp_end};
static const char *const blocks[] = {"locality_checker", NULL};

const System system_las = {
    .name = "las",
    .what = "scheduler: warps whose next load registers would serve issue first (with larf)",
    .group = SYSTEM_LAS,
    .with = SYSTEM_FILE | SYSTEM_RFV | SYSTEM_LARF,
    .needs = SYSTEM_LARF,
    .reason = "it asks larf's table",
    .figures = figures_larf,
    .blocks = blocks,
    .open = open_las,
    .launch = launch,
    .sched = &policy,
    .clock = &clock_part,
    .listener = &listener};
