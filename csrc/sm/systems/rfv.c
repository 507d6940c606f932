// SPDX-License-Identifier: Apache-2.0
// Register virtualisation: a physical register is freed at the last use of what is in it. Which registers are dead when
// an instruction has read its operands, or where paths of the program meet, the compiler says (hints/release.c). A dead
// register is freed once nothing in flight reads or writes it, through the free port of the path, one per cycle, warps
// in turn; written anew before, it stays. Alone, rfv renames registers of full width.
#include "models/collect/coalescer.h"
#include "models/rename/alloc_unit.h"
#include "sm/state.h"
#include "sm/systems/renamed_path.h"
#include "sm/systems/systems.h"

typedef struct Rfv {
    uint64_t dead[SM_MAX_WARPS];  // registers to be freed
    uint64_t warps;               // that have some
    int rotate;                   // warp after the one that freed last
    int warp, reg;                // offered in this cycle; warp SM_NONE: nothing
} Rfv;

static void *open_rfv(Sm *sm, Arena *arena) {
    Rfv *s = ARENA_NEW(arena, Rfv);
    (void)sm;
    s->warp = SM_NONE;
    return s;
}

static bool check(const Sm *sm, const void *self, Diag *d) {
    (void)self;
    if (sm->path->free) return true;
    return diag_fail(d, EXIT_USAGE, "--arch %s: rfv needs an operand path that renames", sm->gpu->arch.name);
}

// ---- what is dead ----

static void add(Rfv *s, int warp, uint64_t regs) {
    s->dead[warp] |= regs;
    if (s->dead[warp]) s->warps |= bit64(warp);
}

static void take_away(Rfv *s, int warp, uint64_t regs) {
    s->dead[warp] &= ~regs;
    if (!s->dead[warp]) s->warps &= ~bit64(warp);
}

static void on_dead(Sm *sm, void *self, const RegistersEvent *e) {
    (void)sm;
    add(self, e->warp, e->regs);
}

// A metadata instruction names registers that are dead where it stands.
static void on_issued(Sm *sm, void *self, const IssueEvent *e) {
    const IsaInst *in = e->inst->isa;
    (void)sm;
    if (in->op != ISA_HINT || in->mode != ISA_HINT_RELEASE || !e->active) return;
    for (int i = 0; i < ISA_HINT_RELEASE_COUNT; i++) {
        const int reg = (int)(in->src[0].imm >> (6 * i)) & 63;
        if (reg != ISA_HINT_NONE) add(self, e->warp, bit64(reg));
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

// ---- freeing ----

static void drive(Sm *sm, void *self) {
    Rfv *s = self;
    s->warp = SM_NONE;
    for (int i = 0; s->warps && !sm->late && i < sm->cfg->sm_warps; i++) {
        const int warp = (s->rotate + i) % sm->cfg->sm_warps;
        if (!(s->warps >> warp & 1)) continue;
        const uint64_t quiet = s->dead[warp] & ~hazards_writing(sm, warp) & ~hazards_reading(sm, warp);
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
    notify_forgotten(sm, (RegistersEvent){s->warp, bit64(s->reg)});
    take_away(s, s->warp, bit64(s->reg));
    s->rotate = (s->warp + 1) % sm->cfg->sm_warps;
}

static bool busy(const Sm *sm, const void *self) {
    (void)sm;
    return ((const Rfv *)self)->warps != 0;
}

static const Clocked clock_part = {.drive = drive, .settle = settle, .busy = busy};
static const Listener listener = {.dead = on_dead, .issued = on_issued, .begun = on_begun, .warp_end = on_warp_end};

const System system_rfv = {
    .name = "rfv", .what = "register virtualisation: physical registers are freed at the last use",
    .group = SYSTEM_RFV, .with = SYSTEM_FILE, .compiler = {.hints = 1u << ISA_HINT_RELEASE},
    .yields = true, .path = &path_renamed,
    .mode = &(const RenamedMode){.policy = AU_FIRST_FIT, .coalesce = CO_NONE},
    .open = open_rfv, .check = check, .clock = &clock_part, .listener = &listener,
};
