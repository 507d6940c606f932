// SPDX-License-Identifier: Apache-2.0
#include "warp_paths.h"

#include <string.h>

// ---- a warp ----

enum { MOST_STEPS = 600, MOST_PATHS = 64, DECISIONS = 10, ENTRIES = 3 };

typedef struct Path {
    int pc, reconv;
    uint32_t mask;
} Path;

typedef struct Warp {
    const IsaProgram *p;
    PathRun *run;
    uint64_t reg[PATH_LANES][64];
    bool lost[PATH_LANES][64];  // destroyed by a release, not written since
    int decided[PATH_LANES];
    uint32_t decisions, sides;
    Path path[MOST_PATHS];
    int npaths;
    bool held;
} Warp;

static uint64_t mix(uint64_t a, uint64_t b) {
    uint64_t h = (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdu;
    return h ^ h >> 32;
}

static bool decide(Warp *w, int lane) {
    return w->decisions >> (lane * DECISIONS + w->decided[lane]++ % DECISIONS) & 1;
}

static uint32_t guarded(Warp *w, const IsaInst *in, uint32_t mask) {
    uint32_t active = 0;
    if (in->guard.reg == ISA_PT) return mask;
    for (int l = 0; l < PATH_LANES; l++)
        if (mask >> l & 1 && decide(w, l)) active |= 1u << l;
    return active;
}

static void wrong(Warp *w, int pc, const char *what) {
    if (w->run->wrong) return;
    w->run->wrong = what;
    w->run->at = pc;
}

static void push(Warp *w, int pc, int reconv, uint32_t mask) {
    if (!mask || pc == reconv) return;
    w->path[w->npaths++] = (Path){pc, reconv, mask};
}

// The whole path waits at the reconvergence point, the sides run before it. Without one they end
// where the path around them does.
static void part(Warp *w, int pc, int n, const int *target, const uint32_t *mask) {
    Path *top = &w->path[w->npaths - 1];
    int reconv = w->p->insts[pc].reconv, parts = 0, only = 0;
    for (int k = 0; k < n; k++)
        if (mask[k]) parts++, only = k;
    if (parts < 2) {
        top->pc = target[only];
        return;
    }
    if (reconv < 0) reconv = top->reconv, w->npaths--;
    else top->pc = reconv;
    const bool back = w->sides >> (pc % 32) & 1;
    for (int k = 0; k < n; k++)
        push(w, target[back ? n - 1 - k : k], reconv, mask[back ? n - 1 - k : k]);
}

static void part_table(Warp *w, int pc, uint32_t mask) {
    const int table = w->p->insts[pc].target, n = w->p->table_len[table];
    uint32_t masks[ENTRIES] = {0};
    for (int l = 0; l < PATH_LANES; l++) {
        if (!(mask >> l & 1)) continue;
        const int entry = decide(w, l) + 2 * decide(w, l);
        masks[entry % n] |= 1u << l;
    }
    part(w, pc, n, w->p->tables[table], masks);
}

static void leave(Warp *w, uint32_t mask) {
    for (int i = 0; i < w->npaths; i++) w->path[i].mask &= ~mask;
}

static void section(Warp *w, bool take) {
    if (w->held && !take)
        for (int l = 0; l < PATH_LANES; l++)
            for (int r = w->p->base_regs; r < 64; r++) w->lost[l][r] = true;
    w->held = take;
}

// One value, from the sources in order; a store is an event.
static void compute(Warp *w, const IsaInst *in, int pc, int lane) {
    uint8_t read[ISA_MAX_SRC_WORDS], written[ISA_MAX_DST_WORDS];
    uint64_t value = (uint64_t)in->op;
    const int nread = isa_reads(in, read), nwritten = isa_writes(in, written);
    for (int i = 0; i < nread; i++) {
        if (w->lost[lane][read[i]]) wrong(w, pc, "reads what a release destroyed");
        value = mix(value, w->reg[lane][read[i]]);
    }
    if (in->op == ISA_ST && w->run->nstored[lane] < PATH_EVENTS)
        w->run->stored[lane][w->run->nstored[lane]++] = value;
    for (int i = 0; i < nwritten; i++) {
        const bool moves = in->op == ISA_MOV && nread;
        w->reg[lane][written[i]] =
            moves ? w->reg[lane][read[i]] : mix(value + in->src[0].imm, (uint64_t)i);
        w->lost[lane][written[i]] = false;
    }
}

static void check_names(Warp *w, const IsaInst *in, int pc) {
    uint8_t regs[ISA_MAX_SRC_WORDS + ISA_MAX_DST_WORDS];
    int n = isa_reads(in, regs);
    n += isa_writes(in, regs + n);
    for (int i = 0; i < n && w->p->base_regs && !w->held; i++)
        if (regs[i] >= w->p->base_regs)
            wrong(w, pc, "names an extended register without a section");
    if (in->op == ISA_BAR && w->held) wrong(w, pc, "a barrier with a section held");
}

static void step(Warp *w) {
    Path *top = &w->path[w->npaths - 1];
    if (!top->mask || top->pc == top->reconv) {
        w->npaths--;
        return;
    }
    const int pc = top->pc;
    const uint32_t mask = top->mask;
    const IsaInst *in = &w->p->insts[pc];
    const uint32_t active = guarded(w, in, mask);
    check_names(w, in, pc);
    if (in->op == ISA_BRA) {
        const int target[2] = {pc + 1, in->target};
        const uint32_t masks[2] = {mask & ~active, active};
        part(w, pc, 2, target, masks);
        return;
    }
    if (in->op == ISA_BRX) {
        part_table(w, pc, mask);
        return;
    }
    top->pc++;
    if (in->op == ISA_EXIT) leave(w, active);
    else if (in->op == ISA_ACQ || in->op == ISA_REL) section(w, in->op == ISA_ACQ);
    else
        for (int l = 0; l < PATH_LANES; l++)
            if (active >> l & 1) compute(w, in, pc, l);
}

void path_run(PathRun *run, const IsaProgram *p, uint32_t decisions, uint32_t sides) {
    Warp w = {.p = p,
              .run = run,
              .decisions = decisions,
              .sides = sides,
              .npaths = 1,
              .path = {{0, -2, (1u << PATH_LANES) - 1}}};
    *run = (PathRun){0};
    for (int n = 0; n < MOST_STEPS && w.npaths && w.npaths < MOST_PATHS - 2; n++) step(&w);
}

bool path_same(const PathRun *a, const PathRun *b) {
    for (int l = 0; l < PATH_LANES; l++) {
        const int n = a->nstored[l] < b->nstored[l] ? a->nstored[l] : b->nstored[l];
        if (memcmp(a->stored[l], b->stored[l], sizeof a->stored[l][0] * (size_t)n)) return false;
    }
    return true;
}

// ---- random programs ----

enum { MOST_INSTS = 90, LOW_REGS = 8, REGS = 16, TABLES = 4 };

typedef struct Gen {
    IsaInst insts[MOST_INSTS + 40];
    int n;
    uint32_t state;
    int exits[16], nexits;  // branches out of the loop at hand
    bool in_loop;
    int table[TABLES][ENTRIES], ntables;
} Gen;

static uint32_t draw(Gen *g, uint32_t n) {
    g->state = g->state * 1664525u + 1013904223u;
    return (g->state >> 8) % n;
}

static IsaInst *put(Gen *g, IsaOp op) {
    IsaInst *in = &g->insts[g->n++];
    *in = (IsaInst){.op = op, .guard = {ISA_PT, false}, .dst = ISA_RZ};
    for (int i = 0; i < 3; i++) in->psrc[i].reg = ISA_PT;
    for (int i = 0; i < 2; i++) in->pdst[i] = ISA_PT;
    return in;
}

static IsaSrc reg(int r, int width) {
    return (IsaSrc){.kind = ISA_SRC_REG, .reg = (uint8_t)r, .width = (uint8_t)width};
}

// A register of the phase, for a value of `width` words.
static int pick(Gen *g, bool high, int width) {
    const int from = high && draw(g, 3) ? LOW_REGS : 0, regs = from ? REGS - LOW_REGS : LOW_REGS;
    return from + (int)draw(g, (uint32_t)(regs / width)) * width;
}

static void put_value(Gen *g, bool high) {
    const int kind = (int)draw(g, 8), width = kind < 5 ? 1 : kind < 7 ? 2 : 4;
    const int a = pick(g, high, width), b = pick(g, high, width), d = pick(g, high, width);
    IsaInst *in = put(g, width == 1 ? ISA_IADD : width == 2 ? ISA_DADD : ISA_LD);
    in->dst = (uint8_t)d;
    in->dst_width = (uint8_t)width;
    in->src[0] = reg(width == 4 ? a / 4 * 4 : a, width == 4 ? 1 : width);
    if (width < 4) in->src[1] = reg(b, width);
    else in->mem_bytes = 16, in->space = ISA_GLOBAL, in->type = ISA_U32;
    if (!draw(g, 6)) in->guard.reg = 0;
}

static void put_store(Gen *g, bool high) {
    IsaInst *in = put(g, ISA_ST);
    in->space = ISA_GLOBAL;
    in->mem_bytes = 4;
    in->src[0] = reg(pick(g, high, 1), 1);
    in->src[1] = reg(pick(g, high, 1), 1);
}

static int put_branch(Gen *g, bool guard, int target) {
    IsaInst *in = put(g, ISA_BRA);
    in->guard.reg = guard ? 0 : ISA_PT;
    in->target = target;
    return g->n - 1;
}

static void put_block(Gen *g, int depth, bool high);

static void put_if(Gen *g, int depth, bool high) {
    const int around = put_branch(g, true, 0);
    put_block(g, depth + 1, high);
    if (draw(g, 2)) {
        const int behind = put_branch(g, false, 0);
        g->insts[around].target = g->n;
        put_block(g, depth + 1, high);
        g->insts[behind].target = g->n;
    } else g->insts[around].target = g->n;
}

static void put_switch(Gen *g, int depth, bool high) {
    const int table = g->ntables++;
    int ends[ENTRIES];
    IsaInst *in = put(g, ISA_BRX);
    in->src[0] = reg(pick(g, high, 1), 1);
    in->target = table;
    for (int k = 0; k < ENTRIES; k++) {
        g->table[table][k] = g->n;
        put_block(g, depth + 2, high);
        ends[k] = put_branch(g, false, 0);
    }
    // two entries with one target
    if (draw(g, 2)) g->table[table][ENTRIES - 1] = g->table[table][0];
    for (int k = 0; k < ENTRIES; k++) g->insts[ends[k]].target = g->n;
}

static void put_loop(Gen *g, int depth, bool high) {
    const bool outer = g->in_loop;
    const int head = g->n, first = g->nexits;
    g->in_loop = true;
    put_block(g, depth + 1, high);
    put_branch(g, true, head);
    for (int i = first; i < g->nexits; i++) g->insts[g->exits[i]].target = g->n;
    g->nexits = first;
    g->in_loop = outer;
}

// Many values for a while.
static void put_phase(Gen *g, int depth) {
    for (int r = LOW_REGS; r < REGS; r++) {
        if (!draw(g, 5)) continue;
        IsaInst *in = put(g, ISA_MOV);
        in->dst = (uint8_t)r;
        in->dst_width = 1;
        in->src[0] = (IsaSrc){.kind = ISA_SRC_IMM, .width = 1, .imm = draw(g, 1000) + 1};
    }
    put_block(g, depth + 1, true);
    for (int k = 0; k < 3; k++) {
        IsaInst *in = put(g, ISA_IADD);
        in->dst = (uint8_t)draw(g, LOW_REGS);
        in->dst_width = 1;
        in->src[0] = reg((int)draw(g, LOW_REGS), 1);
        in->src[1] = reg(LOW_REGS + (int)draw(g, REGS - LOW_REGS), 1);
    }
}

static void put_block(Gen *g, int depth, bool high) {
    const int count = 1 + (int)draw(g, 4);
    for (int i = 0; i < count; i++) {
        const int kind = g->n > MOST_INSTS - 30 || depth > 4 ? 0 : (int)draw(g, 20);
        if (kind < 8) put_value(g, high);
        else if (kind < 11) put_store(g, high);
        else if (kind == 11 && g->ntables < TABLES && !draw(g, 3)) put_switch(g, depth, high);
        else if (kind < 13) put_if(g, depth, high);
        else if (kind < 14) put_loop(g, depth, high);
        else if (kind < 17) put_phase(g, depth);
        else if (kind < 18) put(g, ISA_NOP);
        else if (kind < 19 && g->in_loop && g->nexits < 16)
            g->exits[g->nexits++] = put_branch(g, true, 0);
        else if (depth < 2 && draw(g, 2)) put(g, ISA_EXIT)->guard.reg = 0;
        else if (!depth) put(g, ISA_BAR);
        else put(g, ISA_NOP);
    }
}

// Reconvergence at the nearest instruction that every path to the end passes.
static void reconverge(IsaProgram *p) {
    unsigned __int128 all = ~(unsigned __int128)0,
                      *passed = (unsigned __int128[MOST_INSTS + 40]){0}, one = 1;
    for (int i = 0; i < p->ninsts; i++) passed[i] = all;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = p->ninsts - 1; i >= 0; i--) {
            unsigned __int128 set = all;
            for (int k = 0, s; (s = isa_successor(p, i, k)) != -2; k++)
                set &= s >= 0 ? passed[s] : 0;
            if (p->insts[i].op == ISA_EXIT && p->insts[i].guard.reg == ISA_PT) set = 0;
            set |= one << i;
            changed |= set != passed[i];
            passed[i] = set;
        }
    }
    for (int i = 0; i < p->ninsts; i++) {
        IsaInst *in = &p->insts[i];
        if (in->op != ISA_BRA && in->op != ISA_BRX) continue;
        const bool parts = in->op == ISA_BRX || in->guard.reg != ISA_PT;
        in->reconv = parts ? -1 : in->target;
        for (int s = 0; s < p->ninsts && parts; s++)
            if (s != i && passed[i] >> s & 1 && passed[s] == (passed[i] & ~(one << i)))
                in->reconv = s;
    }
}

IsaProgram *path_program(Arena *arena, uint32_t seed) {
    Gen g = {.state = seed};
    for (int r = 0; r < LOW_REGS; r++) {
        IsaInst *in = put(&g, ISA_MOV);
        in->dst = (uint8_t)r;
        in->dst_width = 1;
        in->src[0] = (IsaSrc){.kind = ISA_SRC_IMM, .width = 1, .imm = (uint64_t)r + 1};
    }
    for (int k = 0; k < 3 && g.n < MOST_INSTS - 40; k++) put_block(&g, 0, false), put_phase(&g, 0);
    put_store(&g, false);
    put(&g, ISA_EXIT);
    panic_if(g.n > 128, "the program has %d instructions, sets hold 128", g.n);
    IsaProgram *p = ARENA_NEW(arena, IsaProgram);
    IsaInst *insts = ARENA_ARRAY(arena, IsaInst, g.n);
    memcpy(insts, g.insts, sizeof *insts * (size_t)g.n);
    *p = (IsaProgram){.name = "k",
                      .insts = insts,
                      .ninsts = g.n,
                      .nregs = REGS,
                      .npreds = 1,
                      .max_barrier = 1,
                      .tables = ARENA_ARRAY(arena, int *, TABLES),
                      .table_len = ARENA_ARRAY(arena, int, TABLES),
                      .ntables = g.ntables};
    for (int t = 0; t < g.ntables; t++) {
        p->tables[t] = ARENA_ARRAY(arena, int, ENTRIES);
        memcpy(p->tables[t], g.table[t], sizeof g.table[t]);
        p->table_len[t] = ENTRIES;
    }
    reconverge(p);
    return p;
}
