// SPDX-License-Identifier: Apache-2.0
// Places of registers. A register of a warp is unmapped or mapped to a physical register, which
// several registers may share. A write of all live lanes uses the old place if that place is not
// shared and the table has no entry for it. Otherwise the write uses a new place. A write of some
// lanes releases the table's entry and uses the old place if that place is not shared. Otherwise
// the write uses a new place, and the other lanes are copied from the old place. Block ref_count
// holds the counts. This file has copies of the counts, because a write must determine whether its
// register is shared.
#include "systems/larf/larf.h"

#include "models/params.h"

#include <string.h>

enum { OUTSTANDING = 8192 };  // drops that wait for ref_count: more than mappings and pins

static void fifo_open(Fifo *f, Arena *arena, int size) {
    *f = (Fifo){.at = ARENA_ARRAY(arena, int, (size_t)size), .size = size};
}

void regs_open(Larf *s, const Sm *sm, Arena *arena) {
    s->entry_bits = block_bits(sm->cfg->rf_entries);
    s->nphys = sm->cfg->rf_banks << s->entry_bits;
    s->map = arena_alloc(arena, sizeof *s->map * SM_MAX_WARPS);
    s->count = ARENA_ARRAY(arena, int, (size_t)s->nphys);
    s->maps = ARENA_ARRAY(arena, int, (size_t)s->nphys);
    s->entered = ARENA_ARRAY(arena, bool, (size_t)s->nphys);
    s->there = ARENA_ARRAY(arena, bool, (size_t)s->nphys);
    s->releasing = ARENA_ARRAY(arena, bool, (size_t)s->nphys);
    fifo_open(&s->drops, arena, OUTSTANDING);
    fifo_open(&s->releases, arena, s->nphys);
}

void regs_launch(Larf *s) {
    for (int w = 0; w < SM_MAX_WARPS; w++)
        for (int r = 0; r < ISA_MAX_REGS; r++) s->map[w][r] = LARF_NOWHERE;
    memset(s->count, 0, sizeof *s->count * (size_t)s->nphys);
    memset(s->maps, 0, sizeof *s->maps * (size_t)s->nphys);
    s->shared = 0;
    memset(s->entered, 0, (size_t)s->nphys);
    memset(s->there, 0, (size_t)s->nphys);
    memset(s->releasing, 0, (size_t)s->nphys);
    memset(s->dead, 0, sizeof s->dead);
    memset(s->offer, 0, sizeof s->offer);
    s->dying = s->exiting = 0;
    fifo_clear(&s->drops);
    fifo_clear(&s->releases);
    s->late.ndrops = 0;
    s->late.answer = LARF_NOWHERE;
}

bool regs_whole(const Sm *sm, int warp, uint32_t lanes) {
    const InstStream *own = &sm->warps[warp].own;
    uint32_t live = own->mask;
    for (int i = 0; i < own->depth; i++) live |= own->stack[i].mask;
    return !(live & ~lanes);
}

RegPlace regs_place(const Larf *s, int phys) {
    if (phys == LARF_NOWHERE) return (RegPlace){-1, -1};
    return (RegPlace){phys >> s->entry_bits, phys & ((1 << s->entry_bits) - 1)};
}

// ---- counts ----

int regs_allocate(Larf *s, const Sm *sm, const Flight *f, int reg) {
    if (s->nalloc == sm->cfg->sm_schedulers || s->clear) return LARF_NOWHERE;
    const int port = s->nalloc;
    s->rc_in->al_valid[0] |= 1u << port;
    s->rc_in->al_bank[port] = (uint32_t)((reg + f->warp) % sm->cfg->rf_banks);
    block_eval(s->rc);
    if (!(s->rc_out->al_grant[0] >> port & 1) || !live_take(sm, s, f)) {
        s->rc_in->al_valid[0] &= ~(1u << port);
        block_eval(s->rc);
        sm->count->v[CTR_LARF_NO_REGISTER]++;
        return LARF_NOWHERE;
    }
    s->nalloc++;
    const int phys = (int)s->rc_out->al_phys[port];
    panic_if(s->count[phys], "physical register %d is allocated twice", phys);
    s->count[phys] = 1;
    s->entered[phys] = s->there[phys] = false;
    return phys;
}

bool regs_count(Larf *s, int phys) {
    if (s->ninc == RC_INC) return false;
    const int port = s->ninc;
    s->rc_in->inc_valid[0] |= 1u << port;
    s->rc_in->inc_phys[port] = (uint32_t)phys;
    block_eval(s->rc);
    if (!(s->rc_out->inc_grant[0] >> port & 1)) {
        s->rc_in->inc_valid[0] &= ~(1u << port);
        block_eval(s->rc);
        return false;
    }
    s->ninc++;
    s->count[phys]++;
    return true;
}

void regs_drop(Larf *s, int phys) {
    panic_if(!s->count[phys], "physical register %d has no mapping to lose", phys);
    s->count[phys]--;
    fifo_push(&s->drops, phys);
}

void regs_map(Larf *s, int warp, int reg, int phys) {
    const int old = s->map[warp][reg];
    if (old != LARF_NOWHERE) {
        regs_drop(s, old);
        s->shared -= --s->maps[old] > 0;
    }
    if (phys != LARF_NOWHERE) s->shared += s->maps[phys]++ > 0;
    s->map[warp][reg] = phys;
}

bool regs_alone(const Larf *s, int phys) {
    return phys != LARF_NOWHERE && s->count[phys] == 1 && !s->entered[phys];
}

// ---- dead registers ----

static void unmap_registers(Larf *s, int warp, uint64_t regs) {
    for (uint64_t left = regs; left; left &= left - 1)
        if (s->map[warp][lowest(left)] != LARF_NOWHERE)
            regs_map(s, warp, lowest(left), LARF_NOWHERE);
}

// Unmaps registers of one warp per cycle, as long as few drops wait. Ended warps have priority.
// Then follows a warp with dead registers that no instruction in flight names.
void regs_unmap(Sm *sm, Larf *s) {
    if (s->drops.n > 2 * sm->cfg->rename_free_ports) return;
    if (s->exiting) {
        const int warp = lowest(s->exiting);
        uint64_t regs = 0;
        for (int r = 0, n = 0; r < ISA_MAX_REGS && n < sm->cfg->rename_free_ports; r++)
            if (s->map[warp][r] != LARF_NOWHERE) regs |= word_bit(r), n++;
        unmap_registers(s, warp, regs);
        if (!regs) s->exiting &= ~word_bit(warp);
        return;
    }
    for (int i = 0; s->dying && i < sm->cfg->sm_warps; i++) {
        const int warp = (s->rotate + i) % sm->cfg->sm_warps;
        if (!(s->dying >> warp & 1)) continue;
        const uint64_t quiet =
            s->dead[warp] & ~hazards_writing(sm, warp) & ~hazards_reading(sm, warp);
        if (!quiet) continue;
        unmap_registers(s, warp, quiet);
        s->dead[warp] &= ~quiet;
        if (!s->dead[warp]) s->dying &= ~word_bit(warp);
        s->rotate = (warp + 1) % sm->cfg->sm_warps;
        return;
    }
}

// Releases an entry of the table because its register will be written in place, or because the
// register has lost its last mapping. The first kind has priority. With larf.retain the second kind
// waits until few registers are free.
static void release_entry(const Sm *sm, Larf *s) {
    const bool own = s->releases.n != 0;
    const bool keeps = sm->cfg->larf_retain && live_spares(sm, s);
    s->amt_in->rel_valid[0] = own || (s->rc_out->rel_valid[0] && !keeps);
    s->amt_in->rel_phys[0] = own ? (uint32_t)fifo_front(&s->releases) : s->rc_out->rel_phys[0];
    s->rc_in->rel_ready[0] = !own && !keeps;
    if (own) fifo_pop(&s->releases);
}

static bool counts_late(const Sm *sm) { return sm->cfg->blocks_registered & REGISTERED_REF_COUNT; }

static void take_released(const Sm *sm, Larf *s) {
    const int answer = s->amt_out->rel_done[0] ? (int)s->amt_out->rel_done_phys[0] : LARF_NOWHERE;
    const int phys = counts_late(sm) ? s->late.answer : answer;
    s->late.answer = answer;
    s->rc_in->done_valid[0] = 0;
    if (phys == LARF_NOWHERE) return;
    s->entered[phys] = false;
    s->rc_in->done_valid[0] = !s->releasing[phys];
    s->rc_in->done_phys[0] = (uint32_t)phys;
    s->releasing[phys] = false;
}

static void count_down(Larf *s, const int *phys, int n) {
    for (int d = 0; d < n; d++) {
        s->rc_in->dec_valid[0] |= 1u << d;
        s->rc_in->dec_phys[d] = (uint32_t)phys[d];
    }
}

static void count_drops(const Sm *sm, Larf *s) {
    int now[RC_MAX_DEC], n = 0;
    while (n < sm->cfg->rename_free_ports && s->drops.n) now[n++] = fifo_pop(&s->drops);
    if (!counts_late(sm)) {
        count_down(s, now, n);
        return;
    }
    count_down(s, s->late.drop, s->late.ndrops);
    memcpy(s->late.drop, now, sizeof now);
    s->late.ndrops = n;
}

void regs_settle(Sm *sm, Larf *s) {
    count_drops(sm, s);
    block_eval(s->rc);
    take_released(sm, s);
    release_entry(sm, s);
}

// ---- the place of a result ----

// Writes all lanes of the row: the flight's lanes, otherwise `others`, otherwise 0.
static void write_all(Sm *sm, int port, const Offer *o, const uint32_t *others) {
    const uint32_t *own = o->flight->out.dst[o->flight->inst->dst_word[o->word]];
    uint32_t lanes[32];
    for (int l = 0; l < ISA_LANES; l++)
        lanes[l] = o->flight->active >> l & 1 ? own[l] : others ? others[l] : 0;
    rf_slices_from_lanes(sm->ports.wr_data[port], lanes);
    sm->ports.wr_lane[port] = ~0u;
}

// The register may be written in place, now or after the release of its entry.
static int in_place(Sm *sm, Larf *s, int phys) {
    if (!s->entered[phys]) return phys;
    sm->count->v[CTR_LARF_RELEASE_WAITS]++;
    if (!s->releasing[phys]) {
        s->releasing[phys] = true;
        fifo_push(&s->releases, phys);
    }
    return LARF_NOWHERE;
}

static int map_new_register(Sm *sm, Larf *s, const Flight *f, int reg) {
    const int phys = regs_allocate(s, sm, f, reg);
    if (phys != LARF_NOWHERE) regs_map(s, f->warp, reg, phys);
    return phys;
}

static int place_whole(Sm *sm, Larf *s, const Flight *f, int reg) {
    const int old = s->map[f->warp][reg];
    if (regs_alone(s, old)) return old;
    const int phys = map_new_register(sm, s, f, reg);
    if (phys == LARF_NOWHERE && old != LARF_NOWHERE && s->count[old] == 1)
        return in_place(sm, s, old);
    return phys;
}

static void start_copy(Larf *s, const Sm *sm, int port, int old) {
    block_eval(s->rr);
    if (s->rr_in->mg_valid[0] || !s->rr_out->mg_ready[0]) return;
    const Offer *o = &s->offer[port];
    s->rr_in->mg_valid[0] = s->rr_in->mg_use[0] = 1;
    s->rr_in->mg_phys[0] = (uint32_t)old;
    s->rr_in->mg_shift[0] = 0;
    s->rr_in->mg_mask[0] = ~o->flight->active;
    s->rr_in->mg_tag[0] = 1u << 23 | (uint32_t)port;
    fifo_push(&s->pinned, false);  // the destination register of the write
    s->offer[port].copy = COPY_READS;
    sm->count->v[CTR_LARF_COPIES]++;
}

static int place_part(Sm *sm, Larf *s, int port, int reg) {
    Offer *o = &s->offer[port];
    const int old = s->map[o->flight->warp][reg];
    if (old == LARF_NOWHERE) {
        const int phys = map_new_register(sm, s, o->flight, reg);
        if (phys != LARF_NOWHERE) write_all(sm, port, o, NULL);
        return phys;
    }
    if (o->copy == COPY_NONE && s->count[old] == 1) return in_place(sm, s, old);
    if (o->copy == COPY_NONE) start_copy(s, sm, port, old);
    if (o->copy != COPY_HAS) return LARF_NOWHERE;
    const int phys = map_new_register(sm, s, o->flight, reg);
    if (phys != LARF_NOWHERE) write_all(sm, port, o, o->row);
    return phys;
}

bool regs_copied(Larf *s, int port, const uint32_t row[32]) {
    Offer *o = &s->offer[port];
    panic_if(o->copy != COPY_READS, "a copy for write port %d, which wants none", port);
    rf_lanes_from_slices(o->row, row);
    o->copy = COPY_HAS;
    return true;
}

static int place_result(Sm *sm, Larf *s, int port) {
    Offer *o = &s->offer[port];
    const Flight *f = o->flight;
    const Load *l = &s->loads[flight_index(sm, f)];
    const int reg = f->inst->dst_reg[o->word], warp = f->warp;
    if (l->kept[o->word] != LARF_NOWHERE) return l->kept[o->word];
    return regs_whole(sm, warp, f->active) ? place_whole(sm, s, f, reg)
                                           : place_part(sm, s, port, reg);
}

// ---- part "places" ----

static void result(Sm *sm, void *self, int port, const Flight *f, int word) {
    (void)sm;
    ((Larf *)self)->offer[port] = (Offer){.flight = f, .word = word};
}

static void ask(Sm *sm, void *self, PlaceUse use, int at, int warp, int reg) {
    Larf *s = self;
    (void)sm;
    if (use == PLACE_SOURCE) s->answer[use][at] = regs_place(s, s->map[warp][reg]);
}

static const RegPlace *answer(Sm *sm, void *self, PlaceUse use) {
    Larf *s = self;
    for (int p = 0; use == PLACE_RESULT && p < sm->ports.results; p++) {
        if (!s->offer[p].flight) continue;
        s->answer[use][p] = regs_place(s, place_result(sm, s, p));
        if (s->answer[use][p].bank >= 0) s->offer[p].flight = NULL;
    }
    return s->answer[use];
}

static RegPlace now(const Sm *sm, const void *self, int warp, int reg) {
    const Larf *s = self;
    (void)sm;
    return regs_place(s, s->map[warp][reg]);
}

const Places larf_places = {.result = result, .ask = ask, .answer = answer, .now = now};
