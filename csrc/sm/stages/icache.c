// SPDX-License-Identifier: Apache-2.0
// The instruction cache: sets of lines, LRU. A miss allocates one of icache.mshrs entries for
// icache.miss_latency cycles. All warps that need the line wait in this entry. A warp without an
// entry tries again when an entry is free. An instruction has 8 bytes. Kernels are placed in the
// order of their first launch, each from a new line on. The cache keeps its contents for later
// launches.
//
// The latency is fixed, and close to that of L2. Of the SMs that run a kernel, one fetches a line
// from DRAM and the others hit in L2. A rate of icache.mshrs lines per latency is a few per cent of
// the SM's share of the bandwidth.
#include "sm/stages/icache.h"

#include "sm/state.h"

#include <limits.h>

enum {
    INST_BYTES = 8,
    MAX_PROGRAMS = 32,  // number of kernels whose code the instruction cache distinguishes
};

typedef struct IcacheLine {
    int32_t line;   // number of the line in the program, SM_NONE
    uint64_t used;  // for LRU
} IcacheLine;

// A line in flight.
typedef struct IcacheMiss {
    int32_t line;
    uint64_t ready;  // cycle
    WarpSet warps;   // warps that wait for the line
} IcacheMiss;

struct Icache {
    IcacheLine *lines;  // NULL: always hits
    int sets;
    IcacheMiss *misses;  // oldest first
    int nmisses;
    WarpSet blocked;  // warps that found no free entry
    uint64_t clock;   // for LRU
    struct {
        const IsaInst *code;
        int line;
    } programs[MAX_PROGRAMS];  // launched; first lines
    int nprograms, next_line;
};

void icache_open(Sm *sm, Arena *arena) {
    const MachineConfig *c = sm->cfg;
    sm->icache = ARENA_NEW(arena, Icache);
    if (!c->icache_bytes) return;
    sm->icache->sets = c->icache_bytes / (c->icache_line * c->icache_ways);
    sm->icache->lines = ARENA_ARRAY(arena, IcacheLine, sm->icache->sets * c->icache_ways);
    sm->icache->misses = ARENA_ARRAY(arena, IcacheMiss, c->icache_mshrs);
}

static int per_line(const Sm *sm) { return sm->cfg->icache_line / INST_BYTES; }

// The line of the program that contains an instruction. A line holds a power of two of
// instructions.
static int line_of(const Sm *sm, int pc) { return pc >> __builtin_ctz((unsigned)per_line(sm)); }

static void forget_all(Sm *sm) {
    Icache *ic = sm->icache;
    for (int i = 0; i < ic->sets * sm->cfg->icache_ways; i++) ic->lines[i].line = SM_NONE;
    ic->nprograms = ic->next_line = 0;
}

void icache_launch(Sm *sm) {
    sm->icache->blocked = 0;
    sm->icache->nmisses = 0;
}

// New code is placed after the other programs. When the table is full, placement restarts at the
// beginning.
int icache_place(Sm *sm, const IsaProgram *p) {
    Icache *ic = sm->icache;
    if (!ic->lines) return 0;
    int i = 0;
    while (i < ic->nprograms && ic->programs[i].code != p->insts) i++;
    if (i == MAX_PROGRAMS || !ic->nprograms) forget_all(sm), i = 0;
    if (i == ic->nprograms) {
        ic->programs[ic->nprograms].code = p->insts;
        ic->programs[ic->nprograms++].line = ic->next_line;
        ic->next_line += (p->ninsts + per_line(sm) - 1) / per_line(sm);
    }
    return ic->programs[i].line;
}

int icache_ahead(const Sm *sm, int pc) {
    return sm->icache->lines ? (line_of(sm, pc) + 1) * per_line(sm) - pc : INT_MAX;
}

static IcacheLine *set_of(Icache *ic, int line, int ways) {
    const int set = ic->sets & (ic->sets - 1) ? line % ic->sets : line & (ic->sets - 1);
    return &ic->lines[set * ways];
}

static void fill_line(Sm *sm, int line) {
    Icache *ic = sm->icache;
    IcacheLine *set = set_of(ic, line, sm->cfg->icache_ways), *victim = set;
    for (int w = 1; w < sm->cfg->icache_ways && victim->line != SM_NONE; w++)
        if (set[w].line == SM_NONE || set[w].used < victim->used) victim = &set[w];
    *victim = (IcacheLine){.line = line, .used = ++ic->clock};
}

// Separate from the caller, so that cycles without misses take little time.
__attribute__((noinline)) static bool misses_cycle(Sm *sm, WarpSet waiting, WarpSet *came,
                                                   WarpSet *again) {
    Icache *ic = sm->icache;
    sm->count->v[CTR_ICACHE_WAITS] += (unsigned)warps_in(waiting);
    if (ic->misses[0].ready > sm->cycle) return false;
    IcacheMiss m = ic->misses[0];
    ic->nmisses--;
    for (int i = 0; i < ic->nmisses; i++) ic->misses[i] = ic->misses[i + 1];
    fill_line(sm, m.line);
    *came = m.warps;
    *again = ic->blocked;
    ic->blocked = 0;
    sm_progress(sm);
    return true;
}

bool icache_cycle(Sm *sm, WarpSet waiting, WarpSet *came, WarpSet *again) {
    return sm->icache->nmisses && misses_cycle(sm, waiting, came, again);
}

static void wait_for(Sm *sm, int warp, int line) {
    Icache *ic = sm->icache;
    for (int i = 0; i < ic->nmisses; i++) {
        if (ic->misses[i].line != line) continue;
        ic->misses[i].warps |= warp_bit(warp);
        return;
    }
    if (ic->nmisses == sm->cfg->icache_mshrs) {
        ic->blocked |= warp_bit(warp);
        return;
    }
    sm->count->v[CTR_ICACHE_MISSES]++;
    ic->misses[ic->nmisses++] =
        (IcacheMiss){.line = line,
                     .ready = sm->cycle + (unsigned)sm->cfg->icache_miss_latency,
                     .warps = warp_bit(warp)};
}

bool icache_hit(Sm *sm, int warp, const InstStream *s) {
    Icache *ic = sm->icache;
    if (!ic->lines) return true;
    int line = s->first_line + line_of(sm, s->fetch_pc);
    IcacheLine *set = set_of(ic, line, sm->cfg->icache_ways);
    for (int w = 0; w < sm->cfg->icache_ways; w++) {
        if (set[w].line != line) continue;
        set[w].used = ++ic->clock;
        sm->count->v[CTR_ICACHE_HITS]++;
        return true;
    }
    wait_for(sm, warp, line);
    return false;
}

void icache_drop(Sm *sm, int warp) {
    Icache *ic = sm->icache;
    ic->blocked &= ~warp_bit(warp);
    for (int i = 0; i < ic->nmisses; i++) ic->misses[i].warps &= ~warp_bit(warp);
}
