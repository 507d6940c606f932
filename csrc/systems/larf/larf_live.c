// SPDX-License-Identifier: Apache-2.0
// larf.admission: live. CTAs are admitted even if their registers do not all fit, as long as those
// of one CTA fit. The reason is that registers are shared and die early (thesis 5.6.3; larf.md
// 3.6). The oldest CTA always finds a register for its results:
//
//     free >= registers that the oldest CTA may still map + registers that instructions in flight
//     of other CTAs may write
//
// A register of the oldest CTA may still have to be mapped, unless its physical register has no
// other mapping and is written in place. An instruction of another CTA issues only if the rule
// holds with all its destinations. It keeps this promise until it ends, so no result waits at a
// write port for registers of other CTAs. Barriers are within a CTA, so the oldest CTA ends. When
// it ends, it frees as many registers as the next CTA needs.
#include "systems/larf/larf.h"

static bool is_live(const Sm *sm) { return sm->cfg->larf_admission == LARF_ADMISSION_LIVE; }
static int rows_of_cta(const Sm *sm) { return sm->warps_per_cta * sm->launch->program->home_regs; }
static int slot_of(const Sm *sm, int warp) { return warp / sm->warps_per_cta; }

void live_launch(Larf *s) {
    s->resident = s->ending = 0;
    s->begun = 0;
    s->promised = 0;
    s->oldest = SM_NONE;
}

// ---- which CTA is the oldest ----

static void find_oldest(Larf *s) {
    s->oldest = SM_NONE;
    for (uint64_t left = s->resident; left; left &= left - 1) {
        const int slot = lowest(left);
        if (s->oldest == SM_NONE || s->born[slot] < s->born[s->oldest]) s->oldest = slot;
    }
}

void live_cta_begin(Larf *s, int slot) {
    s->resident |= word_bit(slot);
    s->born[slot] = s->begun++;
    find_oldest(s);
}

void live_cta_end(Larf *s, int slot) { s->ending |= word_bit(slot); }

// Retires CTAs that ended and whose registers are all unmapped.
void live_cycle(const Sm *sm, Larf *s) {
    for (uint64_t left = s->ending; left; left &= left - 1) {
        const int slot = lowest(left), n = sm->warps_per_cta;
        const uint64_t warps = (n < 64 ? word_bit(n) - 1 : ~0ull) << slot * n;
        if (s->exiting & warps) continue;
        s->ending &= ~word_bit(slot);
        s->resident &= ~word_bit(slot);
        find_oldest(s);
    }
}

// ---- the rule ----

static bool is_own(const Larf *s, int warp, int reg) {
    const int phys = s->map[warp][reg];
    return phys != LARF_NOWHERE && s->count[phys] == 1;
}

static int may_map(const Sm *sm, const Larf *s, int slot) {
    int n = rows_of_cta(sm);
    for (int w = slot * sm->warps_per_cta; w < (slot + 1) * sm->warps_per_cta; w++)
        for (int r = 0; r < ISA_MAX_REGS; r++) n -= is_own(s, w, r);
    return n > 0 ? n : 0;
}

// Registers that may now be promised to instructions of CTAs other than the oldest; may be
// negative.
static int left_over(const Sm *sm, const Larf *s) {
    const int free = (int)s->rc_out->free_count[0] - s->nalloc;
    return s->oldest == SM_NONE ? free : free - s->promised - may_map(sm, s, s->oldest);
}

static int may_write(const Larf *s, int warp, const SmInst *in) {
    int n = 0;
    for (uint64_t left = in->writes; left; left &= left - 1) n += !is_own(s, warp, lowest(left));
    return n;
}

WarpSet live_may(const Sm *sm, const void *self, WarpSet warps) {
    const Larf *s = self;
    if (!is_live(sm)) return warps;
    const int room = left_over(sm, s);
    for (WarpSet left = warps; left && room < LARF_WORDS; left &= left - 1) {
        const int warp = lowest(left);
        const InstStream *own = &sm->warps[warp].own;
        if (slot_of(sm, warp) != s->oldest &&
            may_write(s, warp, &own->insts[own->pc]) > (room > 0 ? room : 0))
            warps &= ~warp_bit(warp);
    }
    return warps;
}

// ---- promises ----

void live_begun(const Sm *sm, Larf *s, const Flight *f) {
    const bool asks = is_live(sm) && s->oldest != SM_NONE && slot_of(sm, f->warp) != s->oldest;
    Load *l = &s->loads[flight_index(sm, f)];
    panic_if(l->promised, "a promise of %d registers to an instruction that has ended",
             l->promised);
    l->promised = asks ? may_write(s, f->warp, f->inst) : 0;
    s->promised += l->promised;
}

void live_ended(const Sm *sm, Larf *s, const Flight *f) {
    Load *l = &s->loads[flight_index(sm, f)];
    s->promised -= l->promised;
    l->promised = 0;
}

// May this instruction allocate a free register? Yes if it has a promise, if its CTA is the oldest,
// or if enough registers are free.
bool live_take(const Sm *sm, Larf *s, const Flight *f) {
    Load *l = &s->loads[flight_index(sm, f)];
    if (!is_live(sm) || s->oldest == SM_NONE || slot_of(sm, f->warp) == s->oldest) return true;
    if (!l->promised) return left_over(sm, s) > 0;
    l->promised--;
    s->promised--;
    return true;
}

// Are enough registers free to retain words without a mapping (larf.retain)?
bool live_spares(const Sm *sm, const Larf *s) {
    return (is_live(sm) ? left_over(sm, s) : (int)s->rc_out->free_count[0]) >= LARF_SPARE;
}

// ---- admission ----

int live_charged(const Sm *sm, const void *self, int regs) {
    (void)self;
    return is_live(sm) ? 0 : regs;
}

uint64_t live_ctas(const Sm *sm, const void *self, const CtaNeed *need, CtaLimit *limit) {
    const Larf *s = self;
    (void)need;
    if (!is_live(sm) || rows_of_cta(sm) <= s->nphys) return ~0ull;
    *limit = (CtaLimit){"registers", "warp registers", "warp registers", (uint64_t)rows_of_cta(sm),
                        (uint64_t)s->nphys};
    return 0;
}

bool live_may_start(const Sm *sm, const void *self, int slot) {
    return !is_live(sm) || !(((const Larf *)self)->resident >> slot & 1);
}
