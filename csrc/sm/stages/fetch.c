// SPDX-License-Identifier: Apache-2.0
// Fetch, decode and the instruction buffers.
//
// Each cycle fetches 16 bytes, two instructions, for each of sm.fetch_warps warps. Warps whose line
// has just arrived have priority, then warps with an empty buffer, round-robin. Decode writes the
// instructions into the buffer one cycle later, so an instruction can issue two cycles after its
// fetch. A fetch that misses in the instruction cache uses one of the fetches of its cycle. Its
// warp is not fetched until the line arrives. An instruction whose constant operands miss in the
// constant cache (const.operands) waits like a fetch that misses. A buffer holds consecutive
// instructions from the warp's pc, so a count is its whole state.
#include "sm/stages/fetch.h"

#include "sm/parts/hazards.h"
#include "sm/stages/icache.h"
#include "sm/state.h"

enum {
    FETCH_WIDTH = 2,  // instructions of one fetch (16 bytes)
    MAX_FETCHES = 4,  // warps that fetch in one cycle
};

struct Fetch {
    WarpSet empty, room;  // warps without instructions; warps with room for more
    WarpSet out;          // fetch in flight (the latches below)
    WarpSet line;         // wait for a line of instructions or for constants
    WarpSet came;         // ... whose line has arrived: they fetch first
    WarpSet consts;       // wait for constant operands
    // ... whose constants for the next instruction have arrived
    WarpSet const_came;
    uint64_t const_ready[SM_MAX_WARPS];  // cycle in which they arrive
    // fetch -> decode; given: number of instructions fetched
    struct {
        int warp, count, given;
    } latch[MAX_FETCHES];
    int nlatches;
    int rotate;
};

void fetch_open(Sm *sm, Arena *arena) { sm->fetch = ARENA_NEW(arena, Fetch); }

void fetch_launch(Sm *sm) {
    *sm->fetch = (Fetch){0};
    icache_launch(sm);
    sm->program.first_line = icache_place(sm, sm->launch->program);
}

FetchWait fetch_waits_for(const Sm *sm, int warp) {
    if (sm->fetch->consts & warp_bit(warp)) return FETCH_CONST;
    return sm->fetch->line & warp_bit(warp) ? FETCH_LINE : FETCH_NEXT;
}

// Instructions in flight from fetch to decode.
static int on_the_way(const Sm *sm, int warp) {
    if (!warp_in(&sm->fetch->out, warp)) return 0;
    int i = 0;
    while (sm->fetch->latch[i].warp != warp) i++;
    return sm->fetch->latch[i].count;
}

// The warp no longer waits for its next instruction.
static void stop_waiting(Sm *sm, int warp) {
    warp_drop(&sm->fetch->const_came, warp);
    if (!warp_in(&sm->fetch->line, warp)) return;
    warp_drop(&sm->fetch->line, warp);
    warp_drop(&sm->fetch->consts, warp);
    icache_drop(sm, warp);
}

// Does fetch have nothing to do for this warp?
static bool wants_none(const Sm *sm, int warp) {
    const int h = warp >> 6;
#define HALF(set) ((const WarpHalf *)&sm->set)[h]
    return (~HALF(resident) | HALF(ended) | HALF(control) | HALF(halted) | HALF(held)) >>
        (warp & 63) &
        1;
#undef HALF
}

static void look_at_buffer(Sm *sm, int warp) {
    Fetch *f = sm->fetch;
    const InstStream *s = sm->warps[warp].front;
    const int have = s->ib_count + on_the_way(sm, warp);
    const bool wants =
        s->fetch_pc < s->ninsts && have < sm->cfg->sm_ibuffer && !wants_none(sm, warp);
    warp_put(&f->empty, warp, wants && !have);
    warp_put(&f->room, warp, wants && have);
    warp_put(&sm->has_inst, warp, s->ib_count != 0);
}

// Recomputes whether the warp needs instructions.
void fetch_wants(Sm *sm, int warp) {
    if (!warp_in(&sm->resident, warp) || warp_in(&sm->ended, warp)) stop_waiting(sm, warp);
    look_at_buffer(sm, warp);
    hazards_recheck(sm, warp);
}

// As fetch_wants, after instructions arrived at the buffer's end: its head is unchanged.
static void wants_still(Sm *sm, int warp) {
    look_at_buffer(sm, warp);
    hazards_passed(sm, warp, 0);
}

// Drops buffer and fetch of a warp whose next instruction is elsewhere.
void fetch_redirect(Sm *sm, int warp) {
    InstStream *s = sm->warps[warp].front;
    s->ib_count = s->given = 0;
    s->fetch_pc = (int32_t)s->pc;
    warp_drop(&sm->fetch->out, warp);
    stop_waiting(sm, warp);
    fetch_wants(sm, warp);
}

static void decode_fetched(Sm *sm, int warp, int count, int given) {
    InstStream *s = sm->warps[warp].front;
    if (!warp_in(&sm->fetch->out, warp)) return;  // redirected meanwhile
    warp_drop(&sm->fetch->out, warp);
    const bool first = !s->ib_count;
    s->given |= (uint8_t)(((1u << given) - 1) << s->ib_count);
    s->ib_count = (uint8_t)(s->ib_count + count);
    panic_if(s->ib_count > sm->cfg->sm_ibuffer || (int)s->pc + s->ib_count != s->fetch_pc,
             "instruction buffer of warp %d does not follow its pc", warp);
    if (first) fetch_wants(sm, warp);
    else wants_still(sm, warp);
}

void decode_stage(Sm *sm) {
    const Fetch *f = sm->fetch;
    for (int i = 0; i < f->nlatches; i++)
        decode_fetched(sm, f->latch[i].warp, f->latch[i].count, f->latch[i].given);
    sm->fetch->nlatches = 0;
}

// Cycles until the constant operands of an instruction are available.
static int64_t const_wait(Sm *sm, const SmInst *in) {
    int64_t longest = 0;
    for (int i = 0; i < in->nconsts; i++) {
        int64_t wait = mem_const_operand(sm->mem, sm->port, in->consts[i]);
        if (wait > longest) longest = wait;
    }
    return longest;
}

// The number of the n instructions that have their constant operands. If the count is 0, the warp
// waits for the constants of the first instruction. Constants that arrived for that instruction
// count even if they were evicted afterwards, so that every warp makes progress.
static int with_constants(Sm *sm, int warp, int n) {
    const InstStream *s = sm->warps[warp].front;
    int i = warp_in(&sm->fetch->const_came, warp);
    warp_drop(&sm->fetch->const_came, warp);
    for (; i < n; i++) {
        int64_t wait = const_wait(sm, &s->insts[s->fetch_pc + i]);
        if (!wait) continue;
        if (i > 0) break;
        sm->fetch->const_ready[warp] = sm->cycle + (uint64_t)wait;
        warp_add(&sm->fetch->line, warp);
        warp_add(&sm->fetch->consts, warp);
        break;
    }
    return i;
}

static void constants_came(Sm *sm) {
    sm->count->v[CTR_CONST_WAITS] += (unsigned)warps_in(sm->fetch->consts);
    for (WarpSet left = sm->fetch->consts; left; left &= left - 1) {
        int warp = lowest(left);
        if (sm->fetch->const_ready[warp] > sm->cycle) continue;
        sm->fetch->consts &= ~warp_bit(warp);
        sm->fetch->line &= ~warp_bit(warp);
        sm->fetch->const_came |= warp_bit(warp);
    }
}

// Sends instructions to the decode latch.
static void send_insts(Sm *sm, int warp, int n, int given) {
    Fetch *f = sm->fetch;
    f->latch[f->nlatches].warp = warp;
    f->latch[f->nlatches].given = given;
    f->latch[f->nlatches++].count = n;
    warp_add(&f->out, warp);
    sm->warps[warp].front->fetch_pc += n;
    wants_still(sm, warp);
}

static void fetch_warp(Sm *sm, int warp, int port) {
    const InstStream *s = sm->warps[warp].front;
    warp_drop(&sm->fetch->came, warp);
    int n = sm->cfg->sm_ibuffer - s->ib_count;
    if (n > FETCH_WIDTH) n = FETCH_WIDTH;
    if (n > s->ninsts - s->fetch_pc) n = s->ninsts - s->fetch_pc;
    if (sm->beside.part && sm->beside.part->lookup) {
        const InstStreamLookup l = sm->beside.part->lookup(sm, sm->beside.self, warp, port, n);
        if (l.given) send_insts(sm, warp, l.given, l.given);
        if (l.given || !l.fetch) return;
        n = l.fetch;
    }
    if (!icache_hit(sm, warp, s)) {
        warp_add(&sm->fetch->line, warp);
        return;
    }
    const int ahead = icache_ahead(sm, s->fetch_pc);
    if (n > ahead) n = ahead;
    if (sm->cfg->const_operands == CONST_OPERANDS_CACHE && !(n = with_constants(sm, warp, n)))
        return;
    send_insts(sm, warp, n, 0);
}

static inline WarpSet wanting_warps(const Sm *sm, WarpSet may, bool few) {
    const WarpSet empty = some_warps(sm->fetch->empty, few) & may,
                  room = some_warps(sm->fetch->room, few) & may;
    const WarpSet came = (empty | room) & sm->fetch->came;
    return came ? came : empty ? empty : room;
}

// The next warp that fetches: it needs instructions, does not wait for a line, and has no fetch in
// this cycle. SM_NONE: no such warp.
static inline int next_warp_of(const Sm *sm, bool few) {
    const WarpSet may = ~(sm->fetch->out | sm->fetch->line), away = some_warps(sm->away, few);
    WarpSet want = wanting_warps(sm, may & ~away, few);
    if (!want && away) want = wanting_warps(sm, may & away, few);  // own programs have priority
    if (!want) return SM_NONE;
    const WarpSet below =
        sm->fetch->rotate < 64 ? word_bit(sm->fetch->rotate) - 1 : warp_bit(sm->fetch->rotate) - 1;
    const WarpSet above = want & ~below;
    return lowest(above ? above : want);
}

static int next_warp(const Sm *sm) {
    return sm->few ? next_warp_of(sm, true) : next_warp_of(sm, false);
}

static void lines_came(Sm *sm) {
    Fetch *f = sm->fetch;
    WarpSet came, again;
    if (!icache_cycle(sm, f->line & ~f->consts, &came, &again)) return;
    f->line &= ~(came | again);
    f->came = came;
}

void fetch_stage(Sm *sm) {
    lines_came(sm);
    if (sm->fetch->consts) constants_came(sm);
    for (int i = 0; i < sm->cfg->sm_fetch_warps; i++) {
        int warp = next_warp(sm);
        if (warp == SM_NONE) return;
        sm->fetch->rotate = (warp + 1) % SM_MAX_WARPS;
        fetch_warp(sm, warp, i);
    }
}
