// SPDX-License-Identifier: Apache-2.0
// RegMutex: the compiler (csrc/compile/regions) splits registers into a base set and an extended
// set. A warp owns its base set. It acquires its extended set as a whole from a pool of sections
// with ACQ and releases it with REL. Blocks: srp_allocator (assigns sections) and arch_to_phys
// (place of register x of a warp). The latter is queried for sources when a micro-operation reaches
// the collectors, and for results at the write ports.
//
//   ACQ   Each attempt costs an issue slot. If it is refused, the warp waits (parts/gate.h) until a
//         section is released. If it is granted, the warp holds the section from the next cycle on.
//   REL   Waits until nothing reads or writes an extended register of the warp (parts/hazards.h). A
//         late write would otherwise hit another warp's section.
//   exit  A warp that still holds a section releases it once nothing of the warp is in flight.
//
// regmutex-paired: warps 2p and 2p + 1 share section p. If registers do not limit a kernel, the
// compiler does not split it. Such a kernel uses the places of the baseline, and the blocks have no
// work; regmutex.es=0 maps it all the same.
#include "models/regmutex/srp_allocator.h"
#include "sm/listeners/explain_state.h"
#include "sm/listeners/explain_text.h"
#include "systems/regmutex/split_map.h"
#include "systems/systems.h"

typedef struct RegMutex {
    bool paired;
    SplitMap map;       // |Bs|, |Es|, first register of the pool
    uint64_t ext_regs;  // the extended registers, as a set
    Block *srp_block;
    SrpAllocatorIn *srp_in;
    const SrpAllocatorOut *srp_out;
    // warps that hold a section, from the block's grants and releases
    uint64_t held;
    // warps that ended with a section, which is released at the next clock edge
    uint64_t ending;
    uint64_t waiting;              // warps parked at ACQ
    uint64_t refused;              // .. whose requests were refused since they last held a section
    uint64_t back;                 // warps whose section is released at the next clock edge
    int nacq, nrel;                // requests of this cycle
    int section[SM_MAX_WARPS];     // the section of each warp in `held`
    uint64_t since[SM_MAX_WARPS];  // cycle in which a waiting warp was first refused
} RegMutex;

static void *open_as(Sm *sm, Arena *arena, bool paired) {
    RegMutex *s = ARENA_NEW(arena, RegMutex);
    Cosim *c = sm->cosim;
    s->paired = paired;
    s->map =
        (SplitMap){.others = "extended", .has = "holds a section", .has_not = "holds no section"};
    split_map_open(&s->map, sm);
    s->srp_block = cosim_block(c, "srp_allocator");
    s->srp_in = s->srp_block->in;
    s->srp_out = s->srp_block->out;
    return s;
}

static void *open_default(Sm *sm, Arena *arena) { return open_as(sm, arena, false); }
static void *open_paired(Sm *sm, Arena *arena) { return open_as(sm, arena, true); }

static int rows_of_file(const Sm *sm) { return sm->cfg->rf_banks * sm->cfg->rf_entries; }

// ---- admission ----

// Registers of `warps` warps, with room for one section per pair.
static uint64_t paired_need(const IsaProgram *p, uint64_t warps) {
    return (uint64_t)p->base_regs * warps + (uint64_t)p->ext_regs * ((warps + 1) / 2);
}

static int registers(const Sm *sm, const void *self, int regs) {
    (void)self;
    return sm->launch->program->ext_regs ? 0 : regs;
}

static uint64_t ctas(const Sm *sm, const void *self, const CtaNeed *need, CtaLimit *limit) {
    const RegMutex *s = self;
    const IsaProgram *p = sm->launch->program;
    if (!p->ext_regs) return ~0ull;
    const uint64_t warps = (uint64_t)sm->warps_per_cta, all = (uint64_t)rows_of_file(sm);
    uint64_t n = occupancy_split(sm->cfg, *need, p->base_regs, p->ext_regs).ctas;
    while (s->paired && n && paired_need(p, n * warps) > all) n--;
    *limit = (CtaLimit){"registers", "warp registers", "warp registers",
                        s->paired ? paired_need(p, warps)
                                  : (uint64_t)p->base_regs * warps + (uint64_t)p->ext_regs,
                        all};
    return n;
}

static void warp_ends(Sm *sm, void *self, int warp) {
    RegMutex *s = self;
    (void)sm;
    if (s->held & word_bit(warp)) s->ending |= word_bit(warp);
}

static bool slot_free(const Sm *sm, const void *self, int warp) {
    (void)sm;
    return !(((const RegMutex *)self)->ending & word_bit(warp));
}

static const Admission admission = {
    .registers = registers, .ctas = ctas, .warp_ends = warp_ends, .slot_free = slot_free};

// ---- a kernel begins ----

static int count_sections(const Sm *sm, const RegMutex *s, int warps) {
    if (!s->map.ext) return 0;
    const int most = s->paired ? (warps + 1) / 2 : sm->cfg->sm_warps,
              there = (rows_of_file(sm) - s->map.first) / s->map.ext;
    return there < most ? there : most;
}

static void launch(Sm *sm, void *self) {
    RegMutex *s = self;
    const IsaProgram *p = sm->launch->program;
    const int warps = sm->cta_room * sm->warps_per_cta;
    panic_if(s->held | s->ending | s->waiting,
             "a kernel begins while warps hold sections or wait for them");
    const int base = p->ext_regs ? p->base_regs : p->nregs;
    split_map_launch(&s->map, p->ext_regs || sm->cfg->regmutex_es == 0, base, p->ext_regs,
                     base * warps);
    s->ext_regs = p->ext_regs ? ((1ull << p->ext_regs) - 1) << base : 0;
    s->refused = s->back = 0;
    s->srp_in->cfg_valid[0] = s->map.on;
    s->srp_in->cfg_sections[0] = (uint32_t)count_sections(sm, s, warps);
    s->srp_in->cfg_paired[0] = s->paired;
}

// ---- places ----

static void ask(Sm *sm, void *self, PlaceUse use, int at, int warp, int reg) {
    RegMutex *s = self;
    const int l = split_map_ask(&s->map, sm, use, at, warp, reg);
    if (l >= 0) s->srp_in->lk_warp[l] = (uint32_t)warp;
}

static void evaluate_pool(RegMutex *s) {
    ArchToPhysIn *in = s->map.in;
    block_eval(s->srp_block);
    in->at_held[0] = s->srp_out->lk_held[0] & in->at_valid[0];
    for (uint32_t left = in->at_held[0]; left; left &= left - 1) {
        const int l = __builtin_ctz(left);
        in->at_section[l] = s->srp_out->lk_section[l];
    }
    block_eval(s->map.block);
}

static const RegPlace *answer(Sm *sm, void *self, PlaceUse use) {
    RegMutex *s = self;
    if (s->map.on) evaluate_pool(s);
    return split_map_answer(&s->map, sm, use);
}

static RegPlace now(const Sm *sm, const void *self, int warp, int reg) {
    const RegMutex *s = self;
    return split_map_now(&s->map, sm, warp, reg, s->held & word_bit(warp) ? s->section[warp] : -1);
}

static const Places places = {.ask = ask, .answer = answer, .now = now};

// ---- REL waits for instructions in flight ----

static uint64_t outstanding_registers(const Sm *sm, const RegMutex *s, int warp) {
    return (hazards_writing(sm, warp) | hazards_reading(sm, warp)) & s->ext_regs;
}

// Queried like an instruction that writes these registers.
static Hazard query(const Sm *sm, const void *self, int warp, const InstStream *stream,
                    const SmInst *in) {
    static const IsaInst nothing = {.op = ISA_NOP};
    if (in->isa->op != ISA_REL) return HAZARD_NONE;
    const SmInst writes = {.isa = &nothing, .writes = outstanding_registers(sm, self, warp)};
    if (!writes.writes) return HAZARD_NONE;
    const Hazard h = hazards_query(sm, warp, stream, &writes);
    // a read that a collector orders before later writes
    return h == HAZARD_NONE ? HAZARD_SHORT : h;
}

static void explain_rel(Text *t, const Sm *sm, const void *self, int warp, const InstStream *stream,
                        const SmInst *in) {
    const uint64_t regs = outstanding_registers(sm, self, warp);
    (void)stream, (void)in;
    text_add(t, "waits until no instruction in flight reads or writes R%d",
             regs ? lowest(regs) : 0);
}

static const Hazards hazards = {.query = query, .explain = explain_rel};

// ---- ACQ and REL issue ----

static bool acquire_section(Sm *sm, RegMutex *s, int warp) {
    uint64_t *v = sm->count->v;
    const int r = s->nacq++;
    s->srp_in->acq_valid[0] |= 1u << r;
    s->srp_in->acq_warp[r] = (uint32_t)warp;
    block_eval(s->srp_block);
    if (!(s->srp_out->acq_grant[0] >> r & 1)) {
        v[CTR_ACQ_REFUSED]++;
        if (!(s->refused & word_bit(warp))) s->since[warp] = sm->cycle;
        s->refused |= word_bit(warp);
        s->waiting |= word_bit(warp);
        return false;
    }
    if (s->held & word_bit(warp)) {
        v[CTR_ACQ_NESTED]++;
        return true;
    }
    v[CTR_ACQ_GRANTED]++;
    v[CTR_ACQ_FIRST] += !(s->refused & word_bit(warp));
    s->refused &= ~word_bit(warp);
    s->held |= word_bit(warp);
    s->section[warp] = (int)s->srp_out->acq_section[r];
    notify_held(sm, (RegistersEvent){warp, s->ext_regs});
    return true;
}

static void release_section(Sm *sm, RegMutex *s, int warp) {
    const int r = s->nrel++;
    s->srp_in->rel_valid[0] |= 1u << r;
    s->srp_in->rel_warp[r] = (uint32_t)warp;
    if (!(s->held & word_bit(warp))) return;
    sm->count->v[CTR_REL_RELEASED]++;
    s->back |= word_bit(warp);
    path_kill(sm, warp, s->ext_regs);
}

static bool act(Sm *sm, void *self, int warp, const SmInst *in) {
    RegMutex *s = self;
    if (in->isa->op == ISA_ACQ) return acquire_section(sm, s, warp);
    if (in->isa->op == ISA_REL) release_section(sm, s, warp);
    return true;
}

// A section is not released in the cycle in which a result enters it.
static WarpSet may(const Sm *sm, const void *self, WarpSet warps) {
    const RegMutex *s = self;
    for (WarpSet left = warps & s->held; left; left &= left - 1) {
        const int warp = lowest(left);
        const InstStream *own = &sm->warps[warp].own;
        if (own->insts[own->pc].isa->op == ISA_REL && path_arriving(sm, warp) & s->ext_regs)
            warps &= ~(left & -left);
    }
    return warps;
}

static const IssueGate gate = {.waits_for = "a section of the shared register pool",
                               .stall = CTR_STALL_SECTION,
                               .may = may,
                               .act = act};

// ---- the cycle ----

static bool busy(const Sm *sm, const void *self) {
    const RegMutex *s = self;
    (void)sm;
    return s->srp_in->cfg_valid[0] || s->nacq || s->nrel || s->ending;
}

// Before the end of the clock edge: unparks the warps that may try again.
static void wake_waiting(Sm *sm, RegMutex *s) {
    const uint64_t back = s->back | s->ending;
    uint64_t may = back ? s->waiting : 0;
    if (s->paired) may &= (back & 0xaaaaaaaaaaaaaaaa) >> 1 | (back & 0x5555555555555555) << 1;
    for (uint64_t left = may; left; left &= left - 1) gate_unpark(sm, lowest(left));
    s->waiting &= ~may;
}

// Golden models without requests do not change, so they need no clock.
static void tick(Sm *sm, void *self) {
    RegMutex *s = self;
    const bool asked = busy(sm, s), clocked = blocks_clocked(sm);
    if (!s->map.on) return;
    for (uint64_t left = s->ending; left; left &= left - 1) s->srp_in->exit_mask[lowest(left)] = 1;
    sm->count->v[CTR_SECTIONS_BY_EXIT] += (unsigned)__builtin_popcountll(s->ending);
    if (clocked) evaluate_pool(s);
    if (clocked || asked) block_tick(s->srp_block);
    if (clocked) block_tick(s->map.block);
    split_map_tick(&s->map);
    if (!asked) return;
    wake_waiting(sm, s);
    if (events_wanted(sm, held))
        for (uint64_t left = s->held & (s->back | s->ending); left; left &= left - 1)
            notify_held(sm, (RegistersEvent){lowest(left), 0});
    s->held &= ~(s->back | s->ending);
    for (uint64_t left = s->ending; left; left &= left - 1) s->srp_in->exit_mask[lowest(left)] = 0;
    s->back = s->ending = 0;
    s->nacq = s->nrel = 0;
    s->srp_in->cfg_valid[0] = s->srp_in->acq_valid[0] = s->srp_in->rel_valid[0] = 0;
}

static const Clocked clock_part = {.tick = tick, .busy = busy};

// A holder may spin on a value that a warp at ACQ must write. It then issues instructions forever,
// so no other check detects the hang. The compiler keeps such loops within the base set, unless
// regmutex.es requests a split.
static void look_for_spinners(Sm *sm, const RegMutex *s) {
    char what[200];
    for (uint64_t left = s->waiting; left; left &= left - 1) {
        if (sm->cycle - s->since[lowest(left)] <= (uint64_t)sm->cfg->run_progress_cycles) continue;
        snprintf(what, sizeof what,
                 "made no progress: warp %d has waited %d cycles for a section, and warps hold one "
                 "in loops "
                 "that end only when another warp has written (regmutex.es=%d)",
                 lowest(left), sm->cfg->run_progress_cycles, sm->cfg->regmutex_es);
        explain_hang(sm, what);
        return;
    }
}

static void on_cycle_end(Sm *sm, void *self, const CycleEvent *e) {
    const RegMutex *s = self;
    (void)e;
    sm->count->v[CTR_SECTION_CYCLES] += (unsigned)__builtin_popcountll(s->held);
    if (sm->cycle % 1024 == 0 && sm->launch->program->spins) look_for_spinners(sm, s);
}

static void on_issued(Sm *sm, void *self, const IssueEvent *e) {
    const IsaInst *in = e->inst->isa;
    (void)self;
    sm->count->v[CTR_COMPACT_MOVES] += in->op == ISA_MOV && in->mode == ISA_MOV_COMPACTS;
}

static const Listener listener = {.cycle_end = on_cycle_end, .issued = on_issued};

static const char *const blocks[] = {"srp_allocator", "arch_to_phys", NULL};

#define REGMUTEX \
    .group = SYSTEM_REGMUTEX, .with = SYSTEM_BOW | SYSTEM_SCALAR, .compiler = {.regions = true}, \
    .blocks = blocks, .summary = summary_regmutex, .figures = figures_regmutex, .launch = launch, \
    .places = &places, .hazards = &hazards, .gate = &gate, .admission = &admission, \
    .clock = &clock_part, .listener = &listener, .reason = "it maps every register itself"

const System system_regmutex = {
    .name = "regmutex",
    .what = "warps acquire extended registers from a common pool and release them",
    .open = open_default,
    REGMUTEX};

const System system_regmutex_paired = {
    .name = "regmutex-paired",
    .what = "regmutex in which two warps share one set of extended registers",
    .open = open_paired,
    REGMUTEX};
