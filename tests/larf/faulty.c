// SPDX-License-Identifier: Apache-2.0
// The program smcosim with one fault seeded into LARF, so that corners.py can show that its cases
// notice. Environment variable LARF_FAULT names the fault (none: no fault). The linker (--wrap)
// puts __wrap_system_larf in the table of systems and __wrap_NAME where other files call NAME;
// __real_NAME is the original.
#include "models/larf/addr_map_table.h"
#include "systems/larf/larf.h"
#include "systems/systems.h"

#include <stdlib.h>
#include <string.h>

// Names that ld's --wrap gives them.
extern const System __real_system_larf, __real_system_las;
System __wrap_system_larf, __wrap_system_las;
bool __real_regs_whole(const Sm *sm, int warp, uint32_t lanes);
bool __wrap_regs_whole(const Sm *sm, int warp, uint32_t lanes);
bool __real_regs_count(Larf *s, int phys);
bool __wrap_regs_count(Larf *s, int phys);
bool __real_live_take(const Sm *sm, Larf *s, const Flight *f);
bool __wrap_live_take(const Sm *sm, Larf *s, const Flight *f);
WarpSet __real_live_may(const Sm *sm, const void *self, WarpSet warps);
WarpSet __wrap_live_may(const Sm *sm, const void *self, WarpSet warps);
bool __real_regs_copied(Larf *s, int port, const uint32_t row[32]);
bool __wrap_regs_copied(Larf *s, int port, const uint32_t row[32]);
uint64_t __real_hazards_writing(const Sm *sm, int warp);
uint64_t __wrap_hazards_writing(const Sm *sm, int warp);

static Listener listener, las_listener;
static Clocked clock_part, las_clock;
// LAS asks just now, and the fault is that it asks in spite of a write outstanding
static bool asks_stale;

static bool is(const char *fault) {
    const char *name = getenv("LARF_FAULT");
    return name && !strcmp(name, fault);
}

static uint32_t bits_of(const char *fault) { return is(fault) ? ~0u : 0; }

// ---- memory order ----

static Flight *changed(const FlightEvent *e) { return (Flight *)(uintptr_t)e->flight; }

// The access is reported as that of another instruction.
static void access_as(Sm *sm, Larf *s, const FlightEvent *e, IsaInst isa) {
    SmInst inst = *e->flight->inst;
    inst.isa = &isa;
    const SmInst *own = e->flight->inst;
    changed(e)->inst = &inst;
    __real_system_larf.listener->access(sm, s, e);
    changed(e)->inst = own;
}

static void on_access(Sm *sm, void *self, const FlightEvent *e) {
    Larf *s = self;
    IsaInst isa = *e->flight->inst->isa;
    const int before = s->nrequests;
    if (isa.op == ISA_ST && is("store-ignored")) return;
    if (is("volatile-asks")) isa.ordered = false, isa.cache = ISA_CACHE_ALL;
    if (is("bytes-ask")) isa.mem_bytes = 4;
    access_as(sm, s, e, isa);
    for (int i = before; i < s->nrequests && isa.op == ISA_ST; i++) {
        Request *r = &s->requests[(s->first + i) % LARF_REQUESTS];
        r->low -= 4 & bits_of("store-too-wide");
        if (is("last-byte-missed")) r->low == r->high ? (r->low = r->high = 0) : r->high--;
    }
}

static void unmap_now(Larf *s, int warp, uint64_t regs) {
    for (; regs; regs &= regs - 1)
        if (s->map[warp][lowest(regs)] != LARF_NOWHERE)
            regs_map(s, warp, lowest(regs), LARF_NOWHERE);
}

static void on_issued(Sm *sm, void *self, const IssueEvent *e) {
    const IsaInst *in = e->inst->isa;
    for (int i = 0; i < ISA_HINT_RELEASE_COUNT && in->op == ISA_HINT && is("dead-at-once"); i++) {
        const int reg = (int)(in->src[0].imm >> (6 * i)) & 63;
        if (reg != ISA_HINT_NONE) unmap_now(self, e->warp, word_bit(reg));
    }
    if (in->op == ISA_MEMBAR && in->mode && is("fence-ignored")) return;
    if (in->op == ISA_BAR && is("barrier-ignored")) return;
    if (in->op == ISA_BAR && is("barrier-flushes")) loads_flush(sm, self);
    if (in->op == ISA_MEMBAR && !in->mode && is("fence-of-cta-flushes")) loads_flush(sm, self);
    __real_system_larf.listener->issued(sm, self, e);
}

static void on_performed(Sm *sm, void *self, const LanesEvent *e) {
    if (!is("atomic-ignored")) __real_system_larf.listener->performed(sm, self, e);
}

// ---- lives of registers ----

static void on_dead(Sm *sm, void *self, const RegistersEvent *e) {
    if (is("dead-at-once")) unmap_now(self, e->warp, e->regs);
    __real_system_larf.listener->dead(sm, self, e);
}

// The block counts a mapping less than there are.
bool __wrap_regs_count(Larf *s, int phys) {
    if (is("sharer-not-counted")) {
        s->count[phys]++;
        return true;
    }
    const bool counted = __real_regs_count(s, phys);
    if (!counted && is("full-count-shared") && s->ninc < RC_INC) {
        s->count[phys]++;
        return true;
    }
    return counted;
}

// Does a load write all lanes that its warp still has?
bool __wrap_regs_whole(const Sm *sm, int warp, uint32_t lanes) {
    if (is("partial-hit-shared")) return true;
    if (is("ended-lanes-count")) return lanes == ~0u;
    return __real_regs_whole(sm, warp, lanes);
}

bool __wrap_regs_copied(Larf *s, int port, const uint32_t row[32]) {
    static const uint32_t nothing[32];
    return __real_regs_copied(s, port, is("copy-lost") ? nothing : row);
}

// Any request takes a free entry.
bool __wrap_live_take(const Sm *sm, Larf *s, const Flight *f) {
    return is("live-unruled") || __real_live_take(sm, s, f);
}
WarpSet __wrap_live_may(const Sm *sm, const void *self, WarpSet warps) {
    return is("live-unruled") ? warps : __real_live_may(sm, self, warps);
}

// ---- answers ----

// A word whose register waits for its value is taken for one that has it.
static void early(Larf *s) {
    for (int i = 0; i < SM_FLIGHTS; i++)
        for (int w = 0; w < s->loads[i].nwords && s->loads[i].asks; w++)
            if (s->loads[i].state[w] == WORD_WAITS) s->loads[i].state[w] = WORD_HIT;
}

// One word of the load is in a register: the others are taken as memory gave them at dispatch.
static void one_word_serves(Larf *s) {
    for (int i = 0; i < SM_FLIGHTS; i++) {
        Load *l = &s->loads[i];
        bool some = false;
        for (int w = 0; w < l->nwords && l->asks; w++) some |= l->state[w] == WORD_HIT;
        for (int w = 0; w < l->nwords && some; w++)
            if (l->state[w] == WORD_MISS) l->state[w] = WORD_MERGED;
    }
}

static void no_pins(Larf *s) {
    const int n = s->rr_in->mg_use[0] == 3 ? 2 : 1;
    if (!s->rr_in->mg_valid[0] || s->rr_in->mg_tag[0] >> 23) return;
    for (int i = 0; i < n; i++) {
        s->pinned.at[(s->pinned.first + s->pinned.n - n + i) % s->pinned.size] = false;
        regs_drop(s, (int)s->rr_in->mg_phys[i]);
    }
}

static void drive(Sm *sm, void *self) {
    Larf *s = self;
    __real_system_larf.clock->drive(sm, self);
    if (is("read-before-arrival")) early(s);
    if (is("one-word-serves")) one_word_serves(s);
    if (is("slow-reads-no-pins")) no_pins(s);
    if (is("entry-survives-write")) memset(s->entered, 0, (size_t)s->nphys);
    if (!s->rr_in->mg_valid[0] || s->rr_in->mg_tag[0] >> 23) return;
    s->rr_in->mg_shift[s->rr_in->mg_use[0] >> 1] ^= 1 & bits_of("wrong-shift");
    if (is("lane-lost"))
        s->rr_in->mg_mask[s->rr_in->mg_use[0] >> 1] &=
            s->rr_in->mg_mask[s->rr_in->mg_use[0] >> 1] - 1;
}

// Registers of entries whose values are there lose their mappings.
static void unmap_entered(Larf *s) {
    for (int w = 0; w < SM_MAX_WARPS; w++)
        for (int r = 0; r < ISA_MAX_REGS; r++)
            if (s->map[w][r] != LARF_NOWHERE && s->entered[s->map[w][r]] && s->there[s->map[w][r]])
                regs_map(s, w, r, LARF_NOWHERE);
}

static void settle(Sm *sm, void *self) {
    Larf *s = self;
    static uint64_t evicted;
    static int entered = LARF_NOWHERE;
    if (is("gather-fits"))
        ((LoadShapeOut *)(uintptr_t)s->shape_out)->out_ok[0] = s->shape_out->out_valid[0];
    __real_system_larf.clock->settle(sm, self);
    if (is("evicted-unmapped") && sm->count->v[CTR_LARF_EVICTED] > evicted) unmap_entered(s);
    evicted = sm->count->v[CTR_LARF_EVICTED];
    if (is("mapping-never-lost")) s->rc_in->dec_valid[0] &= ~1u;
    if (is("nothing-entered")) s->amt_in->ins_valid[0] = 0;
    if (is("data-there-at-once") && entered != LARF_NOWHERE && !s->amt_in->arr_valid[0]) {
        s->amt_in->arr_valid[0] = 1;
        s->amt_in->arr_phys[0] = (uint32_t)entered;
    }
    entered = s->amt_in->ins_valid[0] ? (int)s->amt_in->ins_phys[0] : LARF_NOWHERE;
    if (is("entry-stays") && s->amt_in->rel_valid[0])
        s->amt_in->rel_phys[0] = (uint32_t)s->nphys - 1;
    if (is("hole-filled")) s->amt_in->lk_mask[0] = s->amt_in->lk_valid[0] ? ~0u : 0;
    if (is("base-rounded")) s->amt_in->lk_base[0] &= ~7u;
}

static void launch(Sm *sm, void *self) {
    Larf *s = self;
    __real_system_larf.launch(sm, self);
    if (is("kernel-keeps-entries")) s->clear = false;
}

// Rows are read without an instruction in one cycle of 64 only, as if the banks were busy: no
// fault.
static void read_row(Sm *sm, void *self, RegPlace place) {
    const bool slow = is("slow-reads") || is("slow-reads-no-pins");
    if (!slow || sm->cycle % 64 == 0) __real_system_larf.path->read(sm, self, place);
}

// ---- LAS ----

uint64_t __wrap_hazards_writing(const Sm *sm, int warp) {
    return asks_stale ? 0 : __real_hazards_writing(sm, warp);
}

static void las_written(Sm *sm, void *self, const WordEvent *e) {
    if (is("las-silent")) return;
    asks_stale = is("las-asks-stale");
    __real_system_las.listener->written(sm, self, e);
    asks_stale = false;
}

static void las_settle(Sm *sm, void *self) {
    asks_stale = is("las-asks-stale");
    __real_system_las.clock->settle(sm, self);
    asks_stale = false;
}

// Warp 0 issues nothing for 11000 cycles, then in 100.
static WarpSet starve(const Sm *sm, const void *self, WarpSet warps) {
    (void)self;
    return is("las-starves") && sm->cycle % 11000 >= 100 ? warps & ~(WarpSet)1 : warps;
}

static const IssueGate gate = {.waits_for = "the fault", .stall = CTR_STALL_ROW, .may = starve};
static OperandPath path;

__attribute__((constructor)) static void seed(void) {
    __wrap_system_larf = __real_system_larf;
    listener = *__real_system_larf.listener;
    clock_part = *__real_system_larf.clock;
    listener.access = on_access;
    listener.issued = on_issued;
    listener.performed = on_performed;
    listener.dead = on_dead;
    clock_part.drive = drive;
    clock_part.settle = settle;
    __wrap_system_larf.listener = &listener;
    __wrap_system_larf.clock = &clock_part;
    __wrap_system_larf.launch = launch;
    path = *__real_system_larf.path;
    path.read = read_row;
    __wrap_system_larf.path = &path;
    __wrap_system_las = __real_system_las;
    las_listener = *__real_system_las.listener;
    las_clock = *__real_system_las.clock;
    las_listener.written = las_written;
    las_clock.settle = las_settle;
    __wrap_system_las.gate = &gate;
    __wrap_system_las.listener = &las_listener;
    __wrap_system_las.clock = &las_clock;
}
