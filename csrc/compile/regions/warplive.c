// SPDX-License-Identifier: Apache-2.0
// Liveness for a whole warp. A register is in use throughout the region of a divergent branch if it
// is live into any side or at the join. Either side may execute first, and the others still read
// the register.
#include "compile/regions/regions.h"

static uint64_t set_of(const uint8_t *regs, int n) {
    uint64_t set = 0;
    for (int k = 0; k < n; k++) set |= 1ull << regs[k];
    return set;
}

static void find_divergent(WarpLive *w, bool uniform, Arena *arena) {
    const IsaProgram *p = w->p;
    bool *divergent = ARENA_ARRAY(arena, bool, p->ninsts);
    for (int i = 0; i < p->ninsts; i++) divergent[i] = program_may_diverge(&p->insts[i]);
    if (uniform) divergent_branches(p, divergent, arena);
    w->branch = ARENA_ARRAY(arena, int, p->ninsts);
    for (int i = 0; i < p->ninsts; i++)
        if (divergent[i] && w->reached[i]) w->branch[w->nbranches++] = i;
}

static void hold_regions(WarpLive *w, Arena *arena) {
    const IsaProgram *p = w->p;
    const int n = p->ninsts;
    bool *in = ARENA_ARRAY(arena, bool, n);
    int *stack = ARENA_ARRAY(arena, int, n + 1);
    w->region = ARENA_ARRAY(arena, uint64_t *, w->nbranches + 1);
    for (int b = 0; b < w->nbranches; b++) {
        const int x = w->branch[b], stop = p->insts[x].reconv;
        const uint64_t keep = w->thread.after[x] | (stop >= 0 ? w->thread.before[stop] : 0);
        w->region[b] = ARENA_ARRAY(arena, uint64_t, n / 64 + 1);
        if (stop >= 0) w->join[stop] = true;
        program_region(p, x, stop, in, stack);
        for (int i = 0; i < n; i++)
            if (in[i]) mask_set(w->region[b], i), w->held[i] |= keep;
    }
}

void warplive_of(WarpLive *w, const IsaProgram *p, bool uniform, Arena *arena) {
    const int n = p->ninsts;
    *w = (WarpLive){.p = p,
                    .reads = ARENA_ARRAY(arena, uint64_t, n),
                    .writes = ARENA_ARRAY(arena, uint64_t, n),
                    .held = ARENA_ARRAY(arena, uint64_t, n),
                    .join = ARENA_ARRAY(arena, bool, n),
                    .reached = ARENA_ARRAY(arena, bool, n)};
    liveness_of(&w->thread, p, arena);
    for (int i = 0; i < n; i++) {
        uint8_t read[ISA_MAX_SRC_WORDS], written[ISA_MAX_DST_WORDS];
        w->reads[i] = set_of(read, isa_reads(&p->insts[i], read));
        w->writes[i] = set_of(written, isa_writes(&p->insts[i], written));
    }
    program_region(p, 0, -1, w->reached, ARENA_ARRAY(arena, int, n + 1));
    w->reached[0] = true;
    find_divergent(w, uniform, arena);
    hold_regions(w, arena);
}

int warplive_pressure(const WarpLive *w, int i) {
    const int before = __builtin_popcountll(warplive_before(w, i));
    const int after = __builtin_popcountll(w->thread.after[i] | w->writes[i] | w->held[i]);
    return before > after ? before : after;
}
