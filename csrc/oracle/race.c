// SPDX-License-Identifier: Apache-2.0
// Finds races between accesses to words of global and shared memory. DESIGN.md beside this file
// defines a race and lists what establishes an order. The clocks of warps are the happens-before
// relation, as in FastTrack by Flanagan and Freund.
#include "oracle/interp.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct Epoch {  // an access; time 0: none
    uint64_t time : 48, lane : 5, bytes : 4, strong : 1, silent : 1, store : 1, atomic : 1, : 3;
    uint32_t warp;  // in the grid
    int line;
} Epoch;

struct OCell {
    Epoch store, load[2];
};

enum { PAGE_BYTES = 4096, PAGE_CELLS = PAGE_BYTES / 4, PAGES = DEVICE_GLOBAL_END / PAGE_BYTES };

typedef struct Flag {  // a word that strong stores wrote after a fence
    uint64_t key, time;
} Flag;

struct ORace {
    OCell **pages;   // of global memory
    uint32_t *used;  // existing entries
    int nused, cap_used;
    Flag *flags;  // open addressing, key 0: free
    size_t nflags, cap_flags;
};

// ---- flags ----

static Flag *flag_at(const ORace *r, uint64_t key) {
    size_t i = (key * 0x9e3779b97f4a7c15ull >> 20) & (r->cap_flags - 1);
    while (r->flags[i].key && r->flags[i].key != key) i = (i + 1) & (r->cap_flags - 1);
    return &r->flags[i];
}

static void publish_flag(ORace *r, uint64_t key, uint64_t time) {
    if (2 * r->nflags >= r->cap_flags) {
        ORace old = *r;
        r->cap_flags = old.cap_flags ? 2 * old.cap_flags : 64;
        r->flags = calloc(r->cap_flags, sizeof *r->flags);
        panic_if(!r->flags, "out of memory");
        for (size_t i = 0; i < old.cap_flags; i++)
            if (old.flags[i].key) *flag_at(r, old.flags[i].key) = old.flags[i];
        free(old.flags);
    }
    Flag *f = flag_at(r, key);
    r->nflags += !f->key;
    f->key = key;
    if (f->time < time) f->time = time;
}

static uint64_t flag_time(const ORace *r, uint64_t key) {
    return r->cap_flags ? flag_at(r, key)->time : 0;
}

static void raise_to(uint64_t *clock, uint64_t time) {
    if (*clock < time) *clock = time;
}

void o_race_fence(OWarp *w) {
    if (!w->clock.own) return;
    w->clock.released = ++w->cta->o->now;
    raise_to(&w->clock.all, w->clock.acquired);
}

// A strong access as a synchronization; key: its word.
static void synchronize_access(OWarp *w, const PtxInst *in, uint64_t key, OUse use) {
    ORace *r = w->cta->o->race;
    bool both = in->sem == PTX_SEM_ACQ_REL || in->sem == PTX_SEM_SC;
    bool acquire = both || in->sem == PTX_SEM_ACQUIRE, release = both || in->sem == PTX_SEM_RELEASE;
    if (use & O_READ) raise_to(acquire ? &w->clock.all : &w->clock.acquired, flag_time(r, key));
    if (release) w->clock.released = w->cta->o->now - 1;
    if ((use & O_WRITE) && w->clock.released) publish_flag(r, key, w->clock.released);
}

// ---- barriers ----

void o_race_arrive(OWarp *w, OBarrier *b) {
    if (!w->clock.own) return;
    raise_to(&w->clock.all, w->clock.acquired);
    w->clock.own[w->index] = ++w->cta->o->now;
    raise_to(&b->all, w->clock.all);
    for (int i = 0; i < w->cta->nwarps; i++) raise_to(&b->own[i], w->clock.own[i]);
}

void o_race_leave(OWarp *w, const OBarrier *b) {
    if (!w->clock.own) return;
    raise_to(&w->clock.all, b->all);
    for (int i = 0; i < w->cta->nwarps; i++) {
        if (!b->expected && w->cta->warps[i].state == O_DONE) w->clock.own[i] = w->cta->o->now;
        else raise_to(&w->clock.own[i], b->own[i]);
    }
}

// ---- accesses ----

static bool is_ordered(const OWarp *w, const Epoch *e) {
    const uint32_t nwarps = (uint32_t)w->cta->nwarps, cta = e->warp / nwarps;
    if (!e->time || e->time <= w->clock.all) return true;
    return cta == (uint32_t)w->cta->number && e->time <= w->clock.own[e->warp % nwarps];
}

static const char *act_of(const Epoch *e) {
    if (e->atomic) return "updates atomically";
    if (e->strong) return e->store ? "stores (volatile)" : "loads (volatile)";
    return e->store ? "stores" : "loads";
}

static void describe_race(OWarp *w, const OInst *oi, OPlace p, const Epoch *me, const Epoch *old) {
    char place[256], thread[96];
    const Oracle *o = w->cta->o;
    const uint32_t nwarps = (uint32_t)w->cta->nwarps;
    if (p.space == PTX_GLOBAL) device_describe(o->run->memory, p.addr, place, sizeof place);
    else snprintf(place, sizeof place, "offset %" PRIu64 " of the CTA's shared memory", p.addr);
    o_thread_name(o, old->warp / nwarps, old->warp % nwarps * O_LANES + old->lane, thread,
                  sizeof thread);
    o_describe(w, oi, me->lane, "%s at 0x%" PRIx64 " (%s); %s %s there at line %d%s", act_of(me),
               p.addr, place, thread, act_of(old), old->line,
               old->warp == me->warp ? ", in the same instruction"
                                     : ", and no barrier, fence or atomic orders the two");
}

static void compare_epochs(OWarp *w, const OInst *oi, OPlace p, const Epoch *me, const Epoch *old) {
    bool same_warp = old->warp == me->warp;
    if (!old->time || !(old->bytes & me->bytes) || (old->strong && me->strong)) return;
    if (same_warp ? old->time != me->time || old->lane == me->lane : is_ordered(w, old)) return;
    bool silent = me->store ? me->silent : old->silent;
    OracleKind kind = silent ? ORACLE_SAME_VALUE : ORACLE_RACE;
    if (o_first(w, kind, me->line, old->line)) describe_race(w, oi, p, me, old);
}

static void keep_store(const OWarp *w, OCell *c, Epoch me) {
    Epoch *s = &c->store;
    bool mine = s->warp == me.warp;
    // A store that changed a value remains visible after one that did not.
    if (me.silent && s->time && !s->silent && !mine && !is_ordered(w, s)) return;
    if (mine && s->time == me.time) {
        me.bytes |= s->bytes;
        me.silent &= s->silent;
    }
    *s = me;
    memset(c->load, 0, sizeof c->load);
}

// Among several loads without order, two remain, from different CTAs if possible.
static void keep_load(const OWarp *w, OCell *c, Epoch me) {
    const uint32_t nwarps = (uint32_t)w->cta->nwarps;
    for (int i = 0; i < 2; i++) {
        Epoch *l = &c->load[i];
        if (l->warp != me.warp && !is_ordered(w, l)) continue;
        if (l->warp == me.warp && l->time == me.time) me.bytes |= l->bytes;
        *l = me;
        return;
    }
    uint32_t cta = c->load[0].warp / nwarps;
    if (c->load[1].warp / nwarps == cta && me.warp / nwarps != cta) c->load[1] = me;
}

static void access_word(OWarp *w, const OInst *oi, OPlace p, OCell *c, Epoch me, OUse use) {
    compare_epochs(w, oi, p, &me, &c->store);
    if (use & O_WRITE) {
        compare_epochs(w, oi, p, &me, &c->load[0]);
        compare_epochs(w, oi, p, &me, &c->load[1]);
        keep_store(w, c, me);
    } else {
        keep_load(w, c, me);
    }
}

static OCell *new_page(ORace *r, uint32_t index) {
    if (r->nused == r->cap_used) {
        r->cap_used = r->cap_used ? 2 * r->cap_used : 64;
        r->used = realloc(r->used, (size_t)r->cap_used * sizeof *r->used);
        panic_if(!r->used, "out of memory");
    }
    r->used[r->nused++] = index;
    OCell *page = calloc(PAGE_CELLS, sizeof *page);
    panic_if(!page, "out of memory");
    return page;
}

static OCell *cells_of(OWarp *w, OPlace p) {
    ORace *r = w->cta->o->race;
    if (p.space == PTX_SHARED) return &w->cta->cells[p.addr / 4];
    OCell **page = &r->pages[p.addr / PAGE_BYTES];
    if (!*page) *page = new_page(r, (uint32_t)(p.addr / PAGE_BYTES));
    return &(*page)[p.addr % PAGE_BYTES / 4];
}

static bool is_strong(const PtxInst *in) {
    return in->op == PTX_ATOM || in->op == PTX_RED || in->is_volatile || in->sem > PTX_SEM_WEAK ||
        in->cache == PTX_CACHE_CV;
}

void o_race_access(OWarp *w, const OInst *oi, uint32_t lane, uint64_t addr, uint32_t bytes,
                   OUse use, bool silent) {
    const OPlace first = o_place(oi->in->space, addr);
    if (first.space != PTX_GLOBAL && first.space != PTX_SHARED) return;
    const OCta *cta = w->cta;
    Epoch me = {.time = cta->o->now,
                .lane = lane,
                .strong = is_strong(oi->in),
                .silent = silent,
                .store = (use & O_WRITE) != 0,
                .atomic = use == O_UPDATE,
                .warp = (uint32_t)(cta->number * (uint64_t)cta->nwarps) + (uint32_t)w->index,
                .line = oi->in->line};
    cta->o->found->accesses++;
    for (uint32_t done = 0; done < bytes;) {
        OPlace p = first;
        p.addr += done;
        uint32_t n = bytes - done < 4 ? bytes - done : 4;
        me.bytes = ((1u << n) - 1) << (p.addr % 4) & 15;
        access_word(w, oi, p, cells_of(w, p), me, use);
        done += n;
    }
    if (!me.strong) return;
    uint64_t key = first.addr & ~3ull;
    if (first.space == PTX_SHARED) key |= 1ull << 63 | (cta->number + 1) << 24;
    synchronize_access(w, oi->in, key, use);
}

void o_race_fresh(Oracle *o, uint64_t addr, uint64_t bytes) {
    if (!o->race || !addr) return;
    for (uint64_t a = addr & ~3ull; a < addr + bytes; a += 4) {
        OCell *page = o->race->pages[a / PAGE_BYTES];
        if (page) page[a % PAGE_BYTES / 4] = (OCell){0};
    }
}

// ---- begin and end ----

void o_race_open(Oracle *o) {
    if (!o->found || !o->found->races) return;
    o->race = calloc(1, sizeof *o->race);
    panic_if(!o->race, "out of memory");
    o->race->pages = calloc(PAGES, sizeof *o->race->pages);
    panic_if(!o->race->pages, "out of memory");
}

void o_race_close(Oracle *o) {
    if (!o->race) return;
    for (int i = 0; i < o->race->nused; i++) free(o->race->pages[o->race->used[i]]);
    free(o->race->pages);
    free(o->race->used);
    free(o->race->flags);
    free(o->race);
    o->race = NULL;
}

uint64_t o_race_bytes(uint64_t nwarps, uint64_t shared) {
    return shared + shared / 4 * sizeof(OCell) + nwarps * (nwarps + O_BARRIERS) * sizeof(uint64_t);
}

void o_race_open_cta(OCta *cta) {
    const size_t n = (size_t)cta->nwarps;
    if (!cta->o->race) return;
    cta->cells = calloc(cta->shared_bytes / 4 + 1, sizeof *cta->cells);
    cta->clocks = calloc(n * (n + O_BARRIERS), sizeof *cta->clocks);
    panic_if(!cta->cells || !cta->clocks, "out of memory");
    for (size_t i = 0; i < n; i++) cta->warps[i].clock.own = cta->clocks + i * n;
    for (size_t i = 0; i < O_BARRIERS; i++) cta->barrier[i].own = cta->clocks + (n + i) * n;
}

void o_race_close_cta(OCta *cta) {
    free(cta->cells);
    free(cta->clocks);
}
