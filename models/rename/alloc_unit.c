// SPDX-License-Identifier: Apache-2.0
// Golden model of alloc_unit. The map is a byte per physical register; candidates come from walking a
// bank's bytes; a request walks the banks in its order; requests are served one after the other and a
// later one steps back from what an earlier one has taken.
#include "models/rename/alloc_unit.h"

#include <stdlib.h>
#include <string.h>

enum { ANY = 0, FULL = 3, LEFT = 4, RIGHT = 7, CLASSES = 10, PARAMS = 7, HINTS = AU_MAX_KERNELS * AU_REGS };

typedef struct Place {
    bool valid;
    uint32_t bank, entry, mask;
} Place;

typedef struct Hint {
    uint8_t align, paired, buddy;
} Hint;

typedef struct AllocUnit {
    int banks, entries, warps, num_wr, num_free, num_kernels, num_alloc;
    int params[PARAMS];
    int stride;                               // bytes of a bank: entries rounded up to eights
    uint8_t *used, *offer;                    // per entry: slices in use; slices others may have
    uint8_t *reserved;
    Place candidate[AU_MAX_BANKS][CLASSES];   // bank is not used
    bool changed[AU_MAX_BANKS];               // the map since the last search
    int regs[AU_MAX_BANKS], shown_regs[AU_MAX_BANKS], reservations;
    uint32_t slices;
    Place previous[AU_MAX_WR];                // allocated in the cycle before; mask is not used
    int turn;
    Hint hint[HINTS], answer[AU_MAX_ALLOC];
    uint32_t answered;
    uint16_t classes_of[16];                  // classes that an entry with these free slices offers
} AllocUnit;

// What becomes of one request.
typedef struct Decision {
    bool served, none, lost, moves, reserve, leave_buddy;
    int kind, how;
    Place place;
} Decision;

static int size_of(uint32_t mask) {
    static const uint8_t ones[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    return ones[mask & 15];
}

static uint32_t lowest_of(uint32_t mask, int n) {
    uint32_t taken = 0;
    for (int i = 0; i < 4 && n > 0; i++)
        if (mask >> i & 1) taken |= 1u << i, n--;
    return taken;
}

static uint32_t highest_of(uint32_t mask, int n) {
    uint32_t taken = 0;
    for (int i = 3; i >= 0 && n > 0; i--)
        if (mask >> i & 1) taken |= 1u << i, n--;
    return taken;
}

// The slices of a class's place in an entry whose free slices are `free`; 0: no such place.
static uint32_t place_of(int class, uint32_t free) {
    if (class == FULL) return free == 15 ? 15 : 0;
    if (class < FULL) return size_of(free) > class ? lowest_of(free, class + 1) : 0;
    const uint32_t mask = class >= RIGHT ? lowest_of(15, class - RIGHT + 1) : highest_of(15, class - LEFT + 1);
    return (free & mask) == mask ? mask : 0;
}

// The first entry of the bank for every class.
static void search(AllocUnit *m, int b) {
    const uint8_t *offer = m->offer + b * m->stride;
    uint32_t missing = (1u << CLASSES) - 1;
    for (int first = 0; first < m->entries && missing; first += 8) {
        uint64_t eight;
        memcpy(&eight, offer + first, 8);
        if (eight == 0) continue;
        for (int e = first; e < first + 8; e++)
            for (uint32_t found = m->classes_of[offer[e]] & missing; found; found &= found - 1) {
                const int c = __builtin_ctz(found);
                m->candidate[b][c] = (Place){true, (uint32_t)b, (uint32_t)e, place_of(c, offer[e])};
                missing &= ~(1u << c);
            }
    }
    for (int c = 0; c < CLASSES; c++)
        if (missing >> c & 1) m->candidate[b][c].valid = false;
    m->shown_regs[b] = m->regs[b];
    m->changed[b] = false;
}

static void au_reset(void *self) {
    AllocUnit *m = self;
    const size_t size = (size_t)(m->banks * m->stride);
    memset(m->used, 0, size);
    memset(m->reserved, 0, size);
    memset(m->offer, 0, size);
    for (int b = 0; b < m->banks; b++) {
        memset(m->offer + b * m->stride, 15, (size_t)m->entries);
        m->regs[b] = 0;
        search(m, b);
    }
    memset(m->previous, 0, sizeof m->previous);
    for (int i = 0; i < HINTS; i++) m->hint[i].align = m->hint[i].paired = 0;
    m->answered = m->slices = 0;
    m->turn = m->reservations = 0;
}

static void au_close(void *self) {
    AllocUnit *m = self;
    free(m->used), free(m->offer), free(m->reserved);
    free(m);
}

static void *au_open(const int *params) {
    AllocUnit *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    memcpy(m->params, params, sizeof m->params);
    m->banks = params[0], m->entries = params[1], m->warps = params[2];
    m->num_wr = params[3], m->num_free = params[4], m->num_kernels = params[5];
    m->num_alloc = params[6];
    m->stride = (m->entries + 7) / 8 * 8;
    const size_t size = (size_t)(m->banks * m->stride);
    m->used = calloc(size, 1), m->offer = calloc(size, 1), m->reserved = calloc(size, 1);
    if (!m->used || !m->offer || !m->reserved) {
        au_close(m);
        return NULL;
    }
    for (uint32_t free = 0; free < 16; free++)
        for (int c = 0; c < CLASSES; c++)
            if (place_of(c, free)) m->classes_of[free] |= (uint16_t)(1u << c);
    au_reset(m);
    return m;
}

// ---- decisions -----------------------------------------------------------------------------------

static uint32_t free_at(const AllocUnit *m, uint32_t bank, uint32_t entry) {
    return ~m->used[(int)bank * m->stride + (int)entry] & 15u;
}

static bool is_previous(const AllocUnit *m, const Place *p) {
    for (int w = 0; w < m->num_wr; w++)
        if (m->previous[w].valid && m->previous[w].bank == p->bank && m->previous[w].entry == p->entry) return true;
    return false;
}

// The candidate of the first bank, from `base` on, that has one of this class; NULL: none has.
static const Place *first_candidate(const AllocUnit *m, int base, int class) {
    for (int i = 0, b = base; i < m->banks; i++, b = b + 1 < m->banks ? b + 1 : 0)
        if (m->candidate[b][class].valid) return &m->candidate[b][class];
    return NULL;
}

// A candidate from which the n lowest slices are taken, unless it is out of date.
static void take_candidate(const AllocUnit *m, Decision *d, const Place *p, int n, int how) {
    d->how = how;
    if (is_previous(m, p)) return;
    d->place = *p;
    if (size_of(p->mask) > n) d->place.mask = lowest_of(p->mask, n);
    d->served = true;
}

// A place for n bytes in the register at (bank, entry), whose slices `own` count as free.
static bool take_from(const AllocUnit *m, Decision *d, uint32_t bank, uint32_t entry, uint32_t own, int n, int how) {
    const uint32_t free = free_at(m, bank, entry) | own;
    if (size_of(free) < n) return false;
    d->place = (Place){true, bank, entry, lowest_of(free, n)};
    d->how = how;
    return d->served = true;
}

static void find_place(const AllocUnit *m, const AllocUnitIn *in, int w, int n, Decision *d) {
    const uint32_t policy = in->policy[0], old = in->rq_old_mask[w];
    const bool align = policy == AU_ALIGN;
    const int base = (int)(in->rq_warp[w] + (align ? 0 : in->rq_reg[w])) % m->banks;
    const int any = n == 4 ? FULL : ANY + n - 1;
    const bool paired = policy == AU_PAIR && (in->rq_pair[0] >> w & 1);
    const Place *p = first_candidate(m, base, any);
    if (!p && d->kind == AU_GROW) {
        d->none = !take_from(m, d, in->rq_old_bank[w], in->rq_old_entry[w], old, n, AU_OWN);
        return;
    }
    if (paired && in->rq_bd_mask[w]) {
        const bool here = old && in->rq_old_bank[w] == in->rq_bd_bank[w] && in->rq_old_entry[w] == in->rq_bd_entry[w];
        if (take_from(m, d, in->rq_bd_bank[w], in->rq_bd_entry[w], here ? old : 0, n, AU_BUDDY)) return;
        d->none = !p;
        if (!p) return;
        take_candidate(m, d, p, n, AU_FALLBACK);
        d->leave_buddy = d->served;
        return;
    }
    d->none = !p;
    if (!p) return;
    if (paired) {
        const Place *full = first_candidate(m, base, FULL);
        take_candidate(m, d, full ? full : p, n, full ? AU_POLICY : AU_FALLBACK);
        d->reserve = full && n < 4;
        return;
    }
    const uint32_t side = in->rq_align[w];
    if (align && n < 4 && (side == AU_LEFT || side == AU_RIGHT)) {
        const Place *aligned = &m->candidate[p->bank][(side == AU_LEFT ? LEFT : RIGHT) + n - 1];
        take_candidate(m, d, aligned->valid ? aligned : p, n, aligned->valid ? AU_POLICY : AU_FALLBACK);
        return;
    }
    take_candidate(m, d, p, n, AU_POLICY);
}

static void decide(const AllocUnit *m, const AllocUnitIn *in, int w, Decision *d) {
    const uint32_t old = in->rq_old_mask[w];
    const int n = (int)in->rq_size[w], now = size_of(old);
    *d = (Decision){.kind = old == 0 ? AU_FIRST : n == now ? AU_KEEP : n < now ? AU_SHRINK : AU_GROW};
    if (d->kind == AU_FIRST || d->kind == AU_GROW) {
        d->moves = true;
        find_place(m, in, w, n, d);
        return;
    }
    const bool left = in->policy[0] == AU_ALIGN && in->rq_align[w] == AU_LEFT;
    d->served = true;
    d->how = AU_IN_PLACE;
    d->place = (Place){true, in->rq_old_bank[w], in->rq_old_entry[w], left ? highest_of(old, n) : lowest_of(old, n)};
}

// All requests, in their order; returns the port that comes first in the next cycle.
static int decide_all(const AllocUnit *m, const AllocUnitIn *in, Decision d[AU_MAX_WR]) {
    int first_loser = -1;
    for (int w = 0; w < m->num_wr; w++) d[w] = (Decision){0};
    if (!in->rq_valid[0]) return m->turn;
    for (int i = 0, w = m->turn; i < m->num_wr; i++, w = w + 1 < m->num_wr ? w + 1 : 0) {
        if (!(in->rq_valid[0] >> w & 1)) continue;
        decide(m, in, w, &d[w]);
        if (!d[w].served || !d[w].moves) continue;
        for (int v = 0; v < m->num_wr; v++)
            if (v != w && d[v].served && d[v].moves && d[v].place.bank == d[w].place.bank &&
                d[v].place.entry == d[w].place.entry)
                d[w].lost = true;
        if (!d[w].lost) continue;
        d[w].served = false;
        if (first_loser < 0) first_loser = w;
    }
    const bool first_waits = (in->rq_valid[0] >> m->turn & 1) && !d[m->turn].served;
    return first_loser >= 0 && !first_waits ? first_loser : m->turn;
}

static void au_eval(void *self, const void *inputs, void *outputs) {
    const AllocUnit *m = self;
    const AllocUnitIn *in = inputs;
    AllocUnitOut *out = outputs;
    Decision d[AU_MAX_WR];
    decide_all(m, in, d);
    out->al_done[0] = out->al_none[0] = out->ha_pair[0] = 0;
    for (int w = 0; w < m->num_wr; w++) {
        if (d[w].none) out->al_none[0] |= 1u << w;
        if (d[w].served) {
            out->al_done[0] |= 1u << w;
            out->al_kind[w] = (uint32_t)d[w].kind;
            out->al_how[w] = (uint32_t)d[w].how;
            out->al_bank[w] = d[w].place.bank;
            out->al_entry[w] = d[w].place.entry;
            out->al_mask[w] = d[w].place.mask;
        }
    }
    for (uint32_t left = m->answered; left; left &= left - 1) {
        const int a = __builtin_ctz(left);
        out->ha_pair[0] |= (uint32_t)m->answer[a].paired << a;
        out->ha_buddy[a] = m->answer[a].buddy;
        out->ha_align[a] = m->answer[a].align;
    }
    out->ha_valid[0] = m->answered;
    out->used_slices[0] = m->slices;
    out->used_regs[0] = 0;
    for (int b = 0; b < m->banks; b++) out->used_regs[0] += (uint32_t)m->shown_regs[b];
}

// ---- what changes --------------------------------------------------------------------------------

// Sets an entry of the map, and whether it is reserved; only an entry in use can be.
static void set_entry(AllocUnit *m, uint32_t bank, uint32_t entry, uint32_t used, bool reserved) {
    const int i = (int)bank * m->stride + (int)entry;
    reserved = reserved && used;
    m->regs[bank] += (used != 0) - (m->used[i] != 0);
    m->slices += (uint32_t)size_of(used);
    m->slices -= (uint32_t)size_of(m->used[i]);
    m->reservations += reserved - m->reserved[i];
    m->used[i] = (uint8_t)used;
    m->reserved[i] = reserved;
    m->offer[i] = reserved ? 0 : ~used & 15;
    m->changed[bank] = true;
}

static void give(AllocUnit *m, uint32_t bank, uint32_t entry, uint32_t mask) {
    const int i = (int)bank * m->stride + (int)entry;
    set_entry(m, bank, entry, m->used[i] & ~mask, m->reserved[i]);
}

void alloc_unit_give(void *self, uint32_t bank, uint32_t entry, uint32_t mask) { give(self, bank, entry, mask); }

static void end_reservation(AllocUnit *m, uint32_t bank, uint32_t entry) {
    set_entry(m, bank, entry, m->used[(int)bank * m->stride + (int)entry], false);
}

static void end_reservations(AllocUnit *m) {
    for (int b = 0; b < m->banks && m->reservations; b++)
        for (int e = 0; e < m->entries; e++)
            if (m->reserved[b * m->stride + e]) end_reservation(m, (uint32_t)b, (uint32_t)e);
}

static void load_hint(AllocUnit *m, const AllocUnitIn *in) {
    Hint *slot = &m->hint[in->hl_kernel[0] * AU_REGS], *h = &slot[in->hl_reg[0]];
    switch (in->hl_op[0]) {
    case AU_HINT_CLEAR:
        for (int r = 0; r < AU_REGS; r++) slot[r].align = slot[r].paired = 0;
        break;
    case AU_HINT_PAIR: h->paired = 1, h->buddy = (uint8_t)in->hl_value[0]; break;
    case AU_HINT_ALIGN: h->align = in->hl_value[0] & 3; break;
    default: break;
    }
}

static void tick_hints(AllocUnit *m, const AllocUnitIn *in) {
    m->answered = in->hq_valid[0] & ((1u << m->num_alloc) - 1);
    for (uint32_t left = m->answered; left; left &= left - 1) {
        const int w = __builtin_ctz(left);
        m->answer[w] = m->hint[in->hq_kernel[w] * AU_REGS + in->hq_reg[w]];
    }
    if (in->hl_valid[0]) load_hint(m, in);
}

// Old places and freed ones first: a register that grows where it is takes its own slices again.
static void tick_map(AllocUnit *m, const AllocUnitIn *in, const Decision *d) {
    bool none = false;
    for (int w = 0; w < m->num_wr; w++) {
        none |= d[w].none;
        if (!d[w].served || d[w].kind == AU_KEEP || d[w].kind == AU_FIRST) continue;
        const uint32_t keep = d[w].kind == AU_SHRINK ? d[w].place.mask : 0;
        give(m, in->rq_old_bank[w], in->rq_old_entry[w], in->rq_old_mask[w] & ~keep);
    }
    for (int f = 0; f < m->num_free; f++)
        if (in->fr_valid[0] >> f & 1) give(m, in->fr_bank[f], in->fr_entry[f], in->fr_mask[f]);
    for (int w = 0; w < m->num_wr; w++)
        if (d[w].leave_buddy && d[w].served) end_reservation(m, in->rq_bd_bank[w], in->rq_bd_entry[w]);
    if (none && in->policy[0] == AU_PAIR) end_reservations(m);
    for (int w = 0; w < m->num_wr; w++) {
        m->previous[w].valid = d[w].served && d[w].moves;
        if (!m->previous[w].valid) continue;
        const Place *p = &d[w].place;
        m->previous[w].bank = p->bank, m->previous[w].entry = p->entry;
        set_entry(m, p->bank, p->entry, m->used[(int)p->bank * m->stride + (int)p->entry] | p->mask, d[w].reserve);
    }
}

static void au_tick(void *self, const void *inputs) {
    AllocUnit *m = self;
    const AllocUnitIn *in = inputs;
    Decision d[AU_MAX_WR];
    const int turn = decide_all(m, in, d);
    for (int b = 0; b < m->banks; b++)
        if (m->changed[b]) search(m, b);
    tick_map(m, in, d);
    tick_hints(m, in);
    m->turn = turn;
}

// ---- observation ---------------------------------------------------------------------------------

static uint32_t au_obs_count(void *self) {
    const AllocUnit *m = self;
    return (uint32_t)(m->banks * ((m->entries + 15) / 16) + m->banks * CLASSES + m->num_kernels * AU_REGS + 1);
}

static void observe_map(const AllocUnit *m, int group, uint32_t *words) {
    const int groups = (m->entries + 15) / 16, b = group / groups, first = group % groups * 16;
    for (int i = 0; i < 16 && first + i < m->entries; i++) {
        const int at = b * m->stride + first + i;
        words[i / 4] |= (uint32_t)(m->used[at] | m->reserved[at] << 4) << i % 4 * 8;
    }
}

static void au_observe(void *self, uint32_t addr, uint32_t *words) {
    const AllocUnit *m = self;
    const uint32_t map = (uint32_t)(m->banks * ((m->entries + 15) / 16)), cand = (uint32_t)(m->banks * CLASSES),
                   hints = (uint32_t)(m->num_kernels * AU_REGS);
    memset(words, 0, 4 * sizeof *words);
    if (addr < map) {
        observe_map(m, (int)addr, words);
    } else if (addr - map < cand) {
        const Place *p = &m->candidate[(addr - map) / CLASSES][(addr - map) % CLASSES];
        if (p->valid) words[0] = 1u << 14 | p->mask << 10 | p->entry;
    } else if (addr - map - cand < hints) {
        const Hint *h = &m->hint[addr - map - cand];
        words[0] = (uint32_t)(h->align | h->paired << 2 | (h->paired ? h->buddy << 3 : 0));
    } else if (addr == map + cand + hints) {
        words[0] = (uint32_t)m->turn;
        words[1] = m->slices;
        for (int b = 0; b < m->banks; b++) words[2] += (uint32_t)m->shown_regs[b];
        for (int w = 0; w < m->num_wr; w++) words[3] |= (uint32_t)m->previous[w].valid << w;
    } else if (addr - BLOCK_OBS_PARAM < PARAMS) {
        words[0] = (uint32_t)m->params[addr - BLOCK_OBS_PARAM];
    }
}

const BlockModel alloc_unit_model = {
    "alloc_unit", au_open, au_close, au_reset, au_eval, au_tick, au_obs_count, au_observe, 4,
};
