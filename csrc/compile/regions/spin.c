// SPDX-License-Identifier: Apache-2.0
// Finds loops that end only when another warp has written: their exit depends on a volatile,
// relaxed or atomic access inside. A warp that holds a section in such a loop could wait for a warp
// that waits for the section.
#include "compile/regions/regions.h"

#include <string.h>

typedef struct Spin {
    const IsaProgram *p;
    bool *loop;      // instructions of the loop at hand
    uint64_t *regs;  // registers that depend on such an access, before each instruction
    uint8_t *preds;
    bool *split;  // such an access decides whether it is executed
    bool *region;
    int *stack;
} Spin;

static bool is_source(const IsaInst *in) {
    return in->op == ISA_ATOM ||
        (in->op == ISA_LD && (in->ordered || in->cache == ISA_CACHE_VOLATILE));
}

static bool reads_tainted(const Spin *s, int i) {
    uint8_t list[ISA_MAX_SRC_WORDS];
    const int n = isa_reads(&s->p->insts[i], list);
    bool yes = isa_pred_reads(&s->p->insts[i]) & s->preds[i];
    for (int k = 0; k < n; k++) yes |= s->regs[i] >> list[k] & 1;
    return yes;
}

static void taint_after(const Spin *s, int i, uint64_t *regs, uint8_t *preds) {
    const IsaInst *in = &s->p->insts[i];
    uint8_t list[ISA_MAX_DST_WORDS], pwritten = isa_pred_writes(in);
    uint64_t written = 0;
    const int n = isa_writes(in, list);
    for (int k = 0; k < n; k++) written |= 1ull << list[k];
    const bool tainted = is_source(in) || s->split[i] || reads_tainted(s, i),
               kills = in->guard.reg == ISA_PT;
    *regs = tainted ? s->regs[i] | written : kills ? s->regs[i] & ~written : s->regs[i];
    *preds = (uint8_t)(tainted     ? s->preds[i] | pwritten
                           : kills ? s->preds[i] & ~pwritten
                                   : s->preds[i]);
}

// Marks the instructions that the branch may skip, and their results.
static bool split_region(Spin *s, int x) {
    const int stop = s->p->insts[x].reconv;
    bool changed = false;
    program_region(s->p, x, stop, s->region, s->stack);
    uint64_t written = 0;
    uint8_t pwritten = 0, list[ISA_MAX_DST_WORDS];
    for (int i = 0; i < s->p->ninsts; i++) {
        if (!s->region[i] || !s->loop[i]) continue;
        changed |= !s->split[i];
        s->split[i] = true;
        const int n = isa_writes(&s->p->insts[i], list);
        for (int k = 0; k < n; k++) written |= 1ull << list[k];
        pwritten |= isa_pred_writes(&s->p->insts[i]);
    }
    if (stop < 0 || !s->loop[stop]) return changed;
    changed |= (written & ~s->regs[stop]) || (pwritten & ~s->preds[stop]);
    s->regs[stop] |= written;
    s->preds[stop] |= pwritten;
    return changed;
}

static bool spread_taint(Spin *s) {
    bool changed = false;
    for (int i = 0; i < s->p->ninsts; i++) {
        if (!s->loop[i]) continue;
        uint64_t regs;
        uint8_t preds;
        taint_after(s, i, &regs, &preds);
        if (program_may_diverge(&s->p->insts[i]) && reads_tainted(s, i))
            changed |= split_region(s, i);
        REGIONS_SUCCESSORS(s->p, i, k) {
            if (!s->loop[k]) continue;
            changed |= (regs & ~s->regs[k]) || (preds & ~s->preds[k]);
            s->regs[k] |= regs;
            s->preds[k] |= preds;
        }
    }
    return changed;
}

// Does such an access decide the exit of the loop?
static bool loop_waits(Spin *s) {
    const IsaProgram *p = s->p;
    bool any = false;
    for (int i = 0; i < p->ninsts; i++) any |= s->loop[i] && is_source(&p->insts[i]);
    if (!any) return false;
    memset(s->regs, 0, sizeof *s->regs * (size_t)p->ninsts);
    memset(s->preds, 0, (size_t)p->ninsts);
    memset(s->split, 0, (size_t)p->ninsts);
    while (spread_taint(s)) {}
    for (int i = 0; i < p->ninsts; i++) {
        if (!s->loop[i] || p->insts[i].guard.reg == ISA_PT) continue;
        bool leaves = p->insts[i].op == ISA_EXIT;
        REGIONS_SUCCESSORS(p, i, k) leaves |= !s->loop[k];
        if (leaves && (reads_tainted(s, i) || s->split[i])) return true;
    }
    return false;
}

// The loop of a backward branch: instructions that its head reaches and that reach the head again
// without passing it.
static bool find_loop(Spin *s, int tail, int head, const int *pred, const int *first) {
    const IsaProgram *p = s->p;
    int n = 0;
    program_region(p, head, -1, s->region, s->stack);
    s->region[head] = true;
    memset(s->loop, 0, (size_t)p->ninsts);
    if (!s->region[tail]) return false;
    s->loop[head] = true;
    if (!s->loop[tail]) s->loop[tail] = true, s->stack[n++] = tail;
    while (n) {
        const int i = s->stack[--n];
        for (int k = first[i]; k < first[i + 1]; k++) {
            if (s->loop[pred[k]] || !s->region[pred[k]]) continue;
            s->loop[pred[k]] = true;
            s->stack[n++] = pred[k];
        }
    }
    return true;
}

void spin_find(const IsaProgram *p, bool *spins, Arena *arena) {
    const int n = p->ninsts;
    int *first = ARENA_ARRAY(arena, int, n + 2), total = 0;
    for (int i = 0; i < n; i++)
        REGIONS_SUCCESSORS(p, i, k) first[k + 1]++, total++;
    for (int i = 0; i < n; i++) first[i + 1] += first[i];
    int *pred = ARENA_ARRAY(arena, int, total + 1), *fill = ARENA_ARRAY(arena, int, n + 1);
    for (int i = 0; i < n; i++)
        REGIONS_SUCCESSORS(p, i, k) pred[first[k] + fill[k]++] = i;
    Spin s = {p,
              ARENA_ARRAY(arena, bool, n),
              ARENA_ARRAY(arena, uint64_t, n),
              ARENA_ARRAY(arena, uint8_t, n),
              ARENA_ARRAY(arena, bool, n),
              ARENA_ARRAY(arena, bool, n),
              ARENA_ARRAY(arena, int, n + 1)};
    for (int i = 0; i < n; i++)
        REGIONS_SUCCESSORS(p, i, k) {
            if (k > i || !find_loop(&s, i, k, pred, first) || !loop_waits(&s)) continue;
            for (int j = 0; j < n; j++) spins[j] |= s.loop[j];
        }
}
