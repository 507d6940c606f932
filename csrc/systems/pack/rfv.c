// SPDX-License-Identifier: Apache-2.0
// Register virtualization: a physical register is freed at the last use of its value. The compiler
// marks the registers that are dead after an instruction has read its operands, or where paths of
// the program meet (hints/release.c). A dead register is freed once nothing in flight reads or
// writes it. The path's free port frees one register per cycle, and the warps share it round-robin.
// A register that is written again before that time stays allocated. Alone, rfv renames registers
// of full width.
//
// Without other admission rules, rfv also admits CTAs whose registers do not all fit, as long as
// one CTA fits (rfv.admission). An instruction allocates physical registers ("rows") at issue, for
// destinations without a row. If its CTA may allocate none, the instruction waits (parts/gate.h).
// Block rfv_throttle grants rows so that one CTA can always finish. The paper has neither this
// admission nor this rule. `static` admits as the baseline does. `greedy` uses no throttle: every
// request gets free rows. A kernel may then deadlock: every CTA waits for rows of other CTAs.
#include "models/collect/coalescer.h"
#include "models/rename/alloc_unit.h"
#include "models/rename/rfv_throttle.h"
#include "sm/state.h"
#include "systems/pack/renamed_path.h"
#include "systems/systems.h"

#include <string.h>

typedef struct Rfv {
    uint64_t dead[SM_MAX_WARPS];  // registers to free
    uint64_t warps;               // warps with any
    int rotate;                   // the warp after the last one that freed a register
    int warp, reg;                // offered in this cycle; warp SM_NONE: none

    // Rows; all empty if CTAs are admitted as in the baseline.
    bool takes;       // rows are allocated at issue
    Block *throttle;  // NULL: no throttle
    RfvThrottleIn *in;
    const RfvThrottleOut *out;
    uint64_t has[SM_MAX_WARPS];  // registers with a row, or with a row requested
    int rows[SM_MAX_CTAS];       // of the CTA
    int back[SM_MAX_CTAS];       // .. of these, freed by the path but not yet released
    uint64_t ended;              // warps that ended and have rows
    // CTAs; those whose warps have all ended but whose rows are not all released
    uint32_t resident, ending;
    uint64_t refused;  // warps whose instruction was refused in this cycle
    int ntakes;        // in this cycle
} Rfv;

static void *open_beside(Sm *sm, Arena *arena) {
    Rfv *s = ARENA_NEW(arena, Rfv);
    (void)sm;
    s->warp = SM_NONE;
    return s;
}

static void *open_alone(Sm *sm, Arena *arena) {
    Rfv *s = open_beside(sm, arena);
    s->takes = sm->cfg->rfv_admission != ADMISSION_STATIC;
    if (sm->cfg->rfv_admission != ADMISSION_LIVE) return s;
    s->throttle = cosim_block(sm->cosim, "rfv_throttle");
    s->in = s->throttle->in;
    s->out = s->throttle->out;
    return s;
}

static bool check(const Sm *sm, const void *self, Diag *d) {
    (void)self;
    if (sm->path->free) return true;
    return diag_fail(d, EXIT_USAGE, "--arch %s: rfv requires an operand path that renames",
                     sm->gpu->arch.name);
}

// ---- dead registers ----

static void add_dead(Rfv *s, int warp, uint64_t regs) {
    s->dead[warp] |= regs;
    if (s->dead[warp]) s->warps |= word_bit(warp);
}

static void take_away(Rfv *s, int warp, uint64_t regs) {
    s->dead[warp] &= ~regs;
    if (!s->dead[warp]) s->warps &= ~word_bit(warp);
}

static void on_dead(Sm *sm, void *self, const RegistersEvent *e) {
    (void)sm;
    add_dead(self, e->warp, e->regs);
}

// A metadata instruction names registers that are dead at its position.
static void on_issued(Sm *sm, void *self, const IssueEvent *e) {
    const IsaInst *in = e->inst->isa;
    (void)sm;
    if (in->op != ISA_HINT || in->mode != ISA_HINT_RELEASE || !e->active) return;
    for (int i = 0; i < ISA_HINT_RELEASE_COUNT; i++) {
        const int reg = (int)(in->src[0].imm >> (6 * i)) & 63;
        if (reg != ISA_HINT_NONE) add_dead(self, e->warp, word_bit(reg));
    }
}

static void on_begun(Sm *sm, void *self, const FlightEvent *e) {
    (void)sm;
    if (e->flight->inst->writes) take_away(self, e->flight->warp, e->flight->inst->writes);
}

static void on_warp_end(Sm *sm, void *self, const WarpEvent *e) {
    (void)sm;
    take_away(self, e->warp, ~0ull);
}

// ---- admission ----

static int all_rows(const Sm *sm) { return sm->cfg->rf_banks * sm->cfg->rf_entries; }
static int rows_of_cta(const Sm *sm) { return sm->warps_per_cta * sm->launch->program->home_regs; }
static int count_ones(uint64_t set) { return __builtin_popcountll(set); }

static int charge_registers(const Sm *sm, const void *self, int regs) {
    (void)sm;
    return ((const Rfv *)self)->takes ? 0 : regs;
}

static uint64_t ctas(const Sm *sm, const void *self, const CtaNeed *need, CtaLimit *limit) {
    (void)need;
    if (!((const Rfv *)self)->takes || rows_of_cta(sm) <= all_rows(sm)) return ~0ull;
    *limit = (CtaLimit){"registers", "warp registers", "warp registers", (uint64_t)rows_of_cta(sm),
                        (uint64_t)all_rows(sm)};
    return 0;
}

// The rows of the previous kernel's warps are free before the first CTA starts.
static bool may_start(const Sm *sm, const void *self, int slot) {
    const Rfv *s = self;
    (void)sm;
    return !(s->ending >> slot & 1) && !(s->ended && !s->resident);
}

static bool slot_free(const Sm *sm, const void *self, int warp) {
    (void)sm;
    return !(((const Rfv *)self)->ended & word_bit(warp));
}

static void warp_ends(Sm *sm, void *self, int warp) {
    Rfv *s = self;
    (void)sm;
    if (s->has[warp]) s->ended |= word_bit(warp);
}

static const Admission admission = {.registers = charge_registers,
                                    .ctas = ctas,
                                    .may_start = may_start,
                                    .warp_ends = warp_ends,
                                    .slot_free = slot_free};

static void launch(Sm *sm, void *self) {
    Rfv *s = self;
    if (!s->takes) return;
    memset(s->rows, 0, sizeof s->rows);
    memset(s->back, 0, sizeof s->back);
    s->resident = s->ending = 0;
    s->refused = 0;
    if (!s->throttle) return;
    s->in->cfg_valid[0] = 1;
    s->in->cfg_rows[0] = (uint32_t)rows_of_cta(sm);
}

static void on_cta_begin(Sm *sm, void *self, const CtaEvent *e) {
    Rfv *s = self;
    (void)sm;
    if (!s->takes) return;
    s->resident |= 1u << e->slot;
    if (!s->throttle) return;
    s->in->start_valid[0] = 1;
    s->in->start_cta[0] = (uint32_t)e->slot;
}

static void on_cta_end(Sm *sm, void *self, const CtaEvent *e) {
    Rfv *s = self;
    (void)sm;
    if (s->takes) s->ending |= 1u << e->slot;
}

// ---- rows are allocated at issue ----

// Destinations without a row of the instruction at the warp's head.
static uint64_t wanted_registers(const Sm *sm, const Rfv *s, int warp) {
    const InstStream *own = &sm->warps[warp].own;
    const SmInst *in = &own->insts[own->pc];
    const IsaPred *g = &in->isa->guard;
    const uint64_t regs = in->writes & ~s->has[warp];
    return regs && own->mask & (g->neg ? ~own->pred[g->reg] : own->pred[g->reg]) ? regs : 0;
}

static int taken_rows(const Sm *sm, const Rfv *s) {
    int n = 0;
    for (int c = 0; c < sm->cta_limit; c++) n += s->rows[c];
    return n;
}

// blocks.registered rfv_throttle: an allocation counts two cycles later, so rows are allocated in
// every second cycle.
static bool can_take_rows(const Sm *sm) {
    return !(sm->cfg->blocks_registered & REGISTERED_RFV_THROTTLE) || !(sm->cycle & 1);
}

// Limit of the rows that the CTA may allocate: the block's grant, but no more than its registers
// need. A freed row counts until it is reported to the block. This may take several cycles, because
// the number of ports is limited.
static int room_of(const Sm *sm, const Rfv *s, int cta) {
    const int room = (int)s->out->room[cta], left = rows_of_cta(sm) - s->rows[cta];
    return room < left ? room : left;
}

static WarpSet may(const Sm *sm, const void *self, WarpSet warps) {
    const Rfv *s = self;
    if (!s->takes) return warps;
    const bool asks = s->throttle && can_take_rows(sm);
    const int free = s->throttle ? 0 : all_rows(sm) - taken_rows(sm, s);
    for (WarpSet left = warps; left; left &= left - 1) {
        const int warp = lowest(left), room = asks ? room_of(sm, s, sm->warps[warp].cta) : free;
        if (room < RT_MAX_TAKE && count_ones(wanted_registers(sm, s, warp)) > room)
            warps &= ~warp_bit(warp);
    }
    return warps;
}

static bool grant_rows(const Sm *sm, Rfv *s, int cta, int n) {
    if (!s->throttle) return taken_rows(sm, s) + n <= all_rows(sm);
    const int r = s->ntakes++;
    s->in->take_valid[0] |= 1u << r;
    s->in->take_cta[r] = (uint32_t)cta;
    s->in->take_rows[r] = (uint32_t)n;
    block_eval(s->throttle);
    return s->out->take_grant[0] >> r & 1;
}

static bool act(Sm *sm, void *self, int warp, const SmInst *in) {
    Rfv *s = self;
    const uint64_t regs = s->takes ? wanted_registers(sm, s, warp) : 0;
    const int cta = sm->warps[warp].cta;
    (void)in;
    if (!regs) return true;
    if (!grant_rows(sm, s, cta, count_ones(regs))) {
        sm->count->v[CTR_ROWS_REFUSED]++;
        s->refused |= word_bit(warp);
        return false;
    }
    sm->count->v[CTR_ROWS_TAKEN] += (unsigned)count_ones(regs);
    s->has[warp] |= regs;
    s->rows[cta] += count_ones(regs);
    panic_if(s->throttle && s->rows[cta] > rows_of_cta(sm),
             "CTA slot %d takes more rows than its registers need", cta);
    return true;
}

static const IssueGate gate = {.waits_for = "a free warp register that its CTA may take",
                               .stall = CTR_STALL_ROW,
                               .may = may,
                               .act = act};

// ---- rows are released ----

static void give_back(const Sm *sm, Rfv *s, int warp, uint64_t regs) {
    const int n = count_ones(s->has[warp] & regs);
    s->has[warp] &= ~regs;
    if (s->resident >> warp / sm->warps_per_cta & 1) s->back[warp / sm->warps_per_cta] += n;
}

// Releases the rows of warps whose registers the path has freed.
static void ended_warps(const Sm *sm, Rfv *s) {
    for (uint64_t left = s->ended; left; left &= left - 1) {
        const int warp = lowest(left);
        if (!sm->path->warp_free(sm, sm->path_self, warp)) continue;
        give_back(sm, s, warp, ~0ull);
        s->ended &= ~word_bit(warp);
    }
}

// ---- freeing ----

static void drive(Sm *sm, void *self) {
    Rfv *s = self;
    s->warp = SM_NONE;
    if (s->throttle) block_eval(s->throttle);
    for (int i = 0; s->warps && !sm->late && i < sm->cfg->sm_warps; i++) {
        const int warp = (s->rotate + i) % sm->cfg->sm_warps;
        if (!(s->warps >> warp & 1)) continue;
        const uint64_t quiet =
            s->dead[warp] & ~hazards_writing(sm, warp) & ~hazards_reading(sm, warp);
        if (!quiet) continue;
        s->warp = warp;
        s->reg = lowest(quiet);
        sm->path->free(sm, sm->path_self, warp, s->reg);
        return;
    }
}

static void settle(Sm *sm, void *self) {
    Rfv *s = self;
    if (s->warp == SM_NONE || !sm->path->freed(sm, sm->path_self)) return;
    sm->count->v[CTR_REGS_FREED]++;
    notify_freed(sm, (RegistersEvent){s->warp, word_bit(s->reg)});
    if (s->takes) give_back(sm, s, s->warp, word_bit(s->reg));
    take_away(s, s->warp, word_bit(s->reg));
    s->rotate = (s->warp + 1) % sm->cfg->sm_warps;
}

static bool busy_beside(const Sm *sm, const void *self) {
    (void)sm;
    return ((const Rfv *)self)->warps != 0;
}

// Ends CTAs that have released all their rows. The end follows in the next cycle, because a CTA's
// end and a free cannot share a cycle.
static void end_ctas(const Sm *sm, Rfv *s) {
    for (int c = 0; c < sm->cta_limit; c++) {
        const bool ends = s->ending >> c & 1 && !s->rows[c];
        if (s->throttle) s->in->end_mask[c] = ends;
        if (!ends) continue;
        s->ending &= ~(1u << c);
        s->resident &= ~(1u << c);
    }
}

static void free_rows(const Sm *sm, Rfv *s) {
    int port = 0;
    for (int c = 0; c < sm->cta_limit; c++)
        for (; s->back[c] && port < sm->cfg->rename_free_ports;
             s->back[c]--, s->rows[c]--, port++) {
            if (!s->throttle) continue;
            s->in->free_valid[0] |= 1u << port;
            s->in->free_cta[port] = (uint32_t)c;
        }
}

static void tick(Sm *sm, void *self) {
    Rfv *s = self;
    if (!s->takes) return;
    ended_warps(sm, s);
    end_ctas(sm, s);
    free_rows(sm, s);
    for (uint64_t left = s->refused; left; left &= left - 1) gate_unpark(sm, lowest(left));
    s->refused = 0;
    if (!s->throttle) return;
    block_eval(s->throttle);
    block_tick(s->throttle);
    s->in->cfg_valid[0] = s->in->start_valid[0] = s->in->take_valid[0] = s->in->free_valid[0] = 0;
    s->ntakes = 0;
}

static bool busy(const Sm *sm, const void *self) {
    const Rfv *s = self;
    bool back = false;
    for (int c = 0; c < sm->cta_limit; c++) back |= s->back[c] != 0;
    return busy_beside(sm, self) || back || s->ended || s->ending || s->ntakes || s->refused ||
        (s->throttle && (s->in->cfg_valid[0] || s->in->start_valid[0]));
}

static const Clocked clock_beside = {.drive = drive, .settle = settle, .busy = busy_beside};
static const Clocked clock_alone = {.drive = drive, .settle = settle, .tick = tick, .busy = busy};
static const Listener listener_beside = {
    .dead = on_dead, .issued = on_issued, .begun = on_begun, .warp_end = on_warp_end};
static const Listener listener_alone = {.dead = on_dead,
                                        .issued = on_issued,
                                        .begun = on_begun,
                                        .warp_end = on_warp_end,
                                        .cta_begin = on_cta_begin,
                                        .cta_end = on_cta_end};
static const char *const blocks[] = {"rfv_throttle", NULL};

#define RFV \
    .name = "rfv", \
    .what = "register virtualization: physical registers are freed at their last use", \
    .group = SYSTEM_RFV, .with = SYSTEM_FILE | SYSTEM_SCALAR, \
    .compiler = {.hints = 1u << ISA_HINT_RELEASE}, .check = check

static const System beside = {RFV, .open = open_beside, .clock = &clock_beside,
                              .listener = &listener_beside};

const System system_rfv = {RFV,
                           .yields = true,
                           .beside = &beside,
                           .summary = summary_packing,
                           .figures = figures_packing,
                           .path = &path_renamed,
                           .mode =
                               &(const RenamedMode){.policy = AU_FIRST_FIT, .coalesce = CO_NONE},
                           .open = open_alone,
                           .launch = launch,
                           .blocks = blocks,
                           .gate = &gate,
                           .admission = &admission,
                           .clock = &clock_alone,
                           .listener = &listener_alone};
