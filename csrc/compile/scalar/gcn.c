// SPDX-License-Identifier: Apache-2.0
// GCN mode: instructions whose results are equal in all lanes execute once for the warp, on the
// scalar unit. Scalar registers hold their results (specification of the scalar unit, "GCN mode").
//
// requires  a finished program without hints
//
// provides  a program with scalar registers for the webs (regions/webs.c) that only such
//           instructions write.
//           Vector registers are renumbered without gaps.
//           A MOV precedes a vector instruction that would read two scalar registers.
//
// A web moves to a scalar register, or to an aligned pair, if the unit can execute every
// instruction that writes it. The conditions are:
//   * The instruction is SP, SFU, a load of constants, or a load of global memory that no store
//     writes.
//   * Its operands have at most two words.
//   * All lanes of the warp execute it: it is not in the region of a divergent branch.
//   * Its sources are equal in all lanes, and its register sources are scalar.
// The unit cannot receive a vector value, so the solution is the greatest fixed point. All webs
// start as scalar. A web becomes vector if a condition fails or no scalar register is free. Quads
// remain in vector registers. So does a pair that a vector instruction reads beside another scalar
// operand.
#include "compile/scalar/gcn.h"

#include "compile/regions/regions.h"

#include <string.h>

enum { NAMES = 64, MOST_TEMPS = 2, MOST_WIDTH = 2 };

typedef struct Gcn {
    const IsaProgram *p;
    Arena *arena;
    bool *same;  // per instruction: its results are equal in all lanes
    WarpLive live;
    Webs webs;
    bool *scalar;     // per web
    int *color;       // per web
    int used, pairs;  // colors; webs of two words
    // loads that may execute on the unit (SCALAR_LOADS_*); number of such loads
    int loads, nloads;
    int to[NAMES], vectors;  // new numbers of vector registers
    IsaInst *insts;
    int n, cap, *start;  // new position of each branch target
    int temps;
} Gcn;

// ---- loads of what nobody writes ----

// After it another thread's store may be visible, including stores of its own warp.
static bool orders_memory(const IsaInst *in) {
    switch (in->op) {
    case ISA_ST: return in->space != ISA_SHARED && in->space != ISA_LOCAL;
    case ISA_LD: return in->ordered;
    case ISA_ATOM:
    case ISA_SYSCALL:
    case ISA_BAR:
    case ISA_MEMBAR:
    case ISA_WARPSYNC:
    case ISA_SHFL:
    case ISA_VOTE:
    case ISA_MATCH:
    case ISA_REDUX:
    case ISA_MMA: return true;
    default: return false;
    }
}

// Loads whose memory no store changes: ld.global.nc, for which the program promises it. With
// SCALAR_LOADS_UNWRITTEN also loads that no path reaches after a store or a synchronization with
// another thread. A store that changes their data would race with them.
static bool *unwritten_loads(const IsaProgram *p, int which, Arena *arena) {
    bool *loads = ARENA_ARRAY(arena, bool, p->ninsts + 1),
         *late = ARENA_ARRAY(arena, bool, p->ninsts + 1);
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < p->ninsts; i++)
            REGIONS_SUCCESSORS(p, i, s) {
                if (late[s] || !(late[i] || orders_memory(&p->insts[i]))) continue;
                late[s] = changed = true;
            }
    }
    for (int i = 0; i < p->ninsts; i++) {
        const IsaInst *in = &p->insts[i];
        const bool plain =
            in->op == ISA_LD && isa_scalar_unit_has(in) && in->cache != ISA_CACHE_VOLATILE;
        loads[i] = plain && (in->readonly || (which == SCALAR_LOADS_UNWRITTEN && !late[i]));
    }
    return loads;
}

// ---- which instructions, which webs ----

static bool unit_has(const Gcn *g, const IsaInst *in) {
    if (!isa_scalar_unit_has(in)) return false;
    if (isa_op_info[in->op].unit == ISA_UNIT_LDST && g->loads == SCALAR_LOADS_NONE) return false;
    if (in->dst == ISA_RZ ? !isa_pred_writes(in) : in->dst_width > MOST_WIDTH) return false;
    for (int s = 0; s < 3; s++)
        if (in->src[s].kind != ISA_SRC_NONE && in->src[s].width > MOST_WIDTH) return false;
    return true;
}

static bool runs_there(const Gcn *g, int i) {
    const IsaInst *in = &g->p->insts[i];
    uint8_t regs[ISA_MAX_SRC_WORDS];
    if (!g->same[i] || !g->live.reached[i] || !unit_has(g, in)) return false;
    const int n = isa_distinct_reads(in, regs);
    for (int k = 0; k < n; k++)
        if (!g->scalar[web_before(&g->webs, i, regs[k])]) return false;
    return in->dst == ISA_RZ || g->scalar[web_after(&g->webs, i, in->dst)];
}

static bool drop_written(Gcn *g) {
    bool changed = false;
    for (int i = 0; i < g->p->ninsts; i++) {
        const IsaInst *in = &g->p->insts[i];
        uint8_t regs[ISA_MAX_DST_WORDS];
        const int n = isa_writes(in, regs);
        if (!n || runs_there(g, i)) continue;
        for (int k = 0; k < n; k++) {
            const int web = web_after(&g->webs, i, regs[k]);
            changed |= g->scalar[web];
            g->scalar[web] = false;
        }
    }
    return changed;
}

static bool is_register(const IsaSrc *s) { return s->kind == ISA_SRC_REG && s->reg != ISA_RZ; }
static bool is_same(const IsaSrc *a, const IsaSrc *b) {
    return a->reg == b->reg && a->width == b->width;
}

// The scalar operands of an instruction of the lanes, each once.
static int scalar_operands(const Gcn *g, int i, const IsaSrc *out[3]) {
    const IsaInst *in = &g->p->insts[i];
    int n = 0;
    for (int s = 0; s < 3; s++) {
        if (!is_register(&in->src[s]) || !g->scalar[web_before(&g->webs, i, in->src[s].reg)])
            continue;
        bool again = false;
        for (int k = 0; k < n; k++) again |= is_same(out[k], &in->src[s]);
        if (!again) out[n++] = &in->src[s];
    }
    return n;
}

// A vector instruction has two scalar operands. If the unit itself does not read one of them, that
// register moves back to a vector register. Only its own instruction loses scalar execution, and no
// MOV is required. A pair always moves back.
static bool drop_second(Gcn *g, const int *read_there) {
    for (int i = 0; i < g->p->ninsts; i++) {
        const IsaSrc *of[3];
        int last = -1;
        if (!g->live.reached[i] || runs_there(g, i)) continue;
        const int n = scalar_operands(g, i, of);
        for (int k = 0; k < n; k++) {
            const int web = web_before(&g->webs, i, of[k]->reg);
            if (!read_there[web] || of[k]->width > 1) last = web;
        }
        if (n < 2 || last < 0) continue;
        g->scalar[last] = false;
        return true;
    }
    return false;
}

static void count_reads(const Gcn *g, int *read_there) {
    memset(read_there, 0, sizeof *read_there * (size_t)g->webs.ngroups);
    for (int i = 0; i < g->p->ninsts; i++) {
        uint8_t regs[ISA_MAX_SRC_WORDS];
        if (!runs_there(g, i)) continue;
        const int n = isa_distinct_reads(&g->p->insts[i], regs);
        for (int k = 0; k < n; k++) read_there[web_before(&g->webs, i, regs[k])]++;
    }
}

static void settle_scalars(Gcn *g) {
    int *read_there = ARENA_ARRAY(g->arena, int, g->webs.ngroups + 1);
    do {
        while (drop_written(g)) {}
        count_reads(g, read_there);
    } while (drop_second(g, read_there));
}

static void assume_scalar(Gcn *g) {
    bool *written = ARENA_ARRAY(g->arena, bool, g->webs.ngroups + 1);
    g->scalar = ARENA_ARRAY(g->arena, bool, g->webs.ngroups + 1);
    g->color = ARENA_ARRAY(g->arena, int, g->webs.ngroups + 1);
    for (int i = 0; i < g->p->ninsts; i++) {
        uint8_t regs[ISA_MAX_DST_WORDS];
        const int n = isa_writes(&g->p->insts[i], regs);
        for (int k = 0; k < n; k++) written[web_after(&g->webs, i, regs[k])] = true;
    }
    for (int w = 0; w < g->webs.ngroups; w++)
        g->scalar[w] = written[w] && g->webs.groups[w].size <= MOST_WIDTH;
}

// ---- places ----

// The first register, aligned to the web's size, of which all words are free where the web has
// them; -1: none.
static int free_color(const Group *x, bool *const *busy, int most) {
    for (int c = 0; c + x->size <= most; c += x->size) {
        bool free = true;
        for (int k = 0; k < x->nat && free; k++) free = !busy[c + x->at[k] % 4][x->at[k] / 4];
        if (free) return c;
    }
    return -1;
}

// Assigns scalar registers to webs, pairs first, otherwise in order. A web that finds none becomes
// vector. True: all webs have registers.
static bool color_webs(Gcn *g, int most) {
    bool **busy = ARENA_ARRAY(g->arena, bool *, most + 1), all = true;
    for (int c = 0; c < most; c++) busy[c] = ARENA_ARRAY(g->arena, bool, g->webs.npoints + 1);
    g->used = g->pairs = 0;
    for (int size = MOST_WIDTH; size; size--)
        for (int w = 0; w < g->webs.ngroups; w++) {
            const Group *x = &g->webs.groups[w];
            if (!g->scalar[w] || x->size != size) continue;
            const int c = free_color(x, busy, most);
            if (c < 0) {
                g->scalar[w] = all = false;
                continue;
            }
            for (int k = 0; k < x->nat; k++) busy[c + x->at[k] % 4][x->at[k] / 4] = true;
            g->color[w] = c;
            g->pairs += size > 1;
            if (c + size > g->used) g->used = c + size;
        }
    return all;
}

// ---- the lanes' registers closed up ----

typedef void Operand(Gcn *g, int reg, int width);

static void for_vectors(Gcn *g, Operand *f) {
    for (int i = 0; i < g->p->ninsts; i++) {
        const IsaInst *in = &g->p->insts[i];
        for (int s = 0; s < 3; s++) {
            const IsaSrc *x = &in->src[s];
            if (!is_register(x)) continue;
            if (!g->live.reached[i] || !g->scalar[web_before(&g->webs, i, x->reg)])
                f(g, x->reg, x->width);
        }
        if (in->dst == ISA_RZ || !in->dst_width) continue;
        if (!g->live.reached[i] || !g->scalar[web_after(&g->webs, i, in->dst)])
            f(g, in->dst, in->dst_width);
    }
}

// to[r]: at first the size of the block that contains register r.
static void widen_register(Gcn *g, int reg, int width) {
    for (int r = reg; r < reg + width; r++)
        if (g->to[r] < width) g->to[r] = width;
}

// Quads first, then pairs, so that blocks remain aligned. A pair in a quad is the quad's.
static void close_up(Gcn *g) {
    int size[NAMES], next = 0, top = 0;
    memset(g->to, 0, sizeof g->to);
    for_vectors(g, widen_register);
    for (int r = 0; r < NAMES; r += 4) {
        bool quad = false;
        for (int k = 0; k < 4; k++) quad |= g->to[r + k] == 4;
        for (int k = 0; k < 4; k++) size[r + k] = quad ? 4 : g->to[r + k];
    }
    for (int r = 0; r < NAMES; r++) {
        if (size[r] == 2) size[r ^ 1] = 2;
        if (g->to[r]) top = r + 1;
    }
    for (int width = 4; width; width /= 2)
        for (int r = 0; r < NAMES; r++)
            if (size[r] == width) g->to[r] = next++;
    g->vectors = next;
    if (next < top) return;
    for (int r = 0; r < NAMES; r++) g->to[r] = r;
    g->vectors = top;
}

// ---- the program ----

static IsaInst *put_inst(Gcn *g) { return ARENA_PUSH(g->arena, g->insts, g->n, g->cap); }

static uint8_t place_of(const Gcn *g, int web, uint8_t reg) {
    if (!g->scalar[web]) return (uint8_t)g->to[reg];
    return (uint8_t)(g->vectors + MOST_TEMPS + g->color[web] + reg % g->webs.groups[web].size);
}

static uint8_t move_to_lanes(Gcn *g, uint8_t reg, int temp, int line) {
    IsaInst *in = put_inst(g);
    *in = (IsaInst){.op = ISA_MOV,
                    .guard.reg = ISA_PT,
                    .dst = (uint8_t)(g->vectors + temp),
                    .dst_width = 1,
                    .src[0] = {.kind = ISA_SRC_REG, .reg = reg, .width = 1},
                    .pdst = {ISA_PT, ISA_PT},
                    .ptx_line = line};
    for (int k = 0; k < 3; k++) in->psrc[k].reg = ISA_PT;
    if (temp >= g->temps) g->temps = temp + 1;
    return in->dst;
}

static void rewrite_inst(Gcn *g, int i) {
    IsaInst in = g->p->insts[i];
    const bool there = runs_there(g, i), reached = g->live.reached[i];
    uint8_t kept = ISA_RZ, moved[MOST_TEMPS], temp[MOST_TEMPS];
    int ntemps = 0;
    g->start[i] = g->n;
    for (int s = 0; s < 3; s++) {
        IsaSrc *x = &in.src[s];
        if (!is_register(x)) continue;
        const int web = reached ? web_before(&g->webs, i, x->reg) : -1;
        const bool scalar = web >= 0 && g->scalar[web];
        x->reg = web >= 0 ? place_of(g, web, x->reg) : (uint8_t)g->to[x->reg];
        if (!scalar || there || x->reg == kept) continue;
        if (kept == ISA_RZ) {
            kept = x->reg;
            continue;
        }
        int k = 0;
        while (k < ntemps && moved[k] != x->reg) k++;
        if (k == ntemps)
            moved[k] = x->reg, temp[k] = move_to_lanes(g, x->reg, k, in.ptx_line), ntemps++;
        x->reg = temp[k];
    }
    if (in.dst != ISA_RZ && in.dst_width)
        in.dst =
            reached ? place_of(g, web_after(&g->webs, i, in.dst), in.dst) : (uint8_t)g->to[in.dst];
    in.with_scalar |= there;
    *put_inst(g) = in;
}

static void redirect_branches(Gcn *g, IsaProgram *q) {
    for (int i = 0; i < g->n; i++) {
        IsaInst *in = &g->insts[i];
        if (in->op != ISA_BRA && in->op != ISA_BRX) continue;
        if (in->op == ISA_BRA) in->target = g->start[in->target];
        if (in->reconv >= 0) in->reconv = g->start[in->reconv];
    }
    q->tables = ARENA_ARRAY(g->arena, int *, q->ntables + 1);
    for (int t = 0; t < q->ntables; t++) {
        q->tables[t] = ARENA_ARRAY(g->arena, int, q->table_len[t] + 1);
        for (int k = 0; k < q->table_len[t]; k++) q->tables[t][k] = g->start[g->p->tables[t][k]];
    }
}

// Scalar registers follow the vector registers and the MOVs' temporaries, pairs at even numbers.
static void number_scalars(Gcn *g, IsaProgram *q) {
    const int first = g->vectors + MOST_TEMPS;
    q->home_regs = g->vectors + g->temps;
    if (!q->home_regs) q->home_regs = 1;
    if (g->pairs) q->home_regs = (q->home_regs + 1) / 2 * 2;
    const int shift = first - q->home_regs;
    for (int i = 0; i < g->n; i++) {
        IsaInst *in = &g->insts[i];
        for (int s = 0; s < 3; s++)
            if (in->src[s].kind == ISA_SRC_REG && in->src[s].reg != ISA_RZ &&
                in->src[s].reg >= first)
                in->src[s].reg = (uint8_t)(in->src[s].reg - shift);
        if (in->dst != ISA_RZ && in->dst >= first) in->dst = (uint8_t)(in->dst - shift);
    }
    q->scalar_regs = g->used;
    q->nregs = q->home_regs + g->used;
}

static IsaProgram *write_program(Gcn *g) {
    IsaProgram *q = ARENA_NEW(g->arena, IsaProgram);
    int there = 0;
    *q = *g->p;
    g->start = ARENA_ARRAY(g->arena, int, g->p->ninsts + 1);
    for (int i = 0; i < g->p->ninsts; i++) {
        const bool moves = runs_there(g, i);
        there += moves;
        g->nloads += moves && isa_op_info[g->p->insts[i].op].unit == ISA_UNIT_LDST;
        rewrite_inst(g, i);
    }
    redirect_branches(g, q);
    if (!g->vectors && !g->temps) g->temps = 1;  // R0 is the lanes'
    number_scalars(g, q);
    q->insts = g->insts;
    q->ninsts = g->n;
    q->scalar_note =
        arena_printf(g->arena,
                     "GCN mode: %d of %d instructions (%d loads), %d scalar registers "
                     "(%d pairs), %d MOVs to lanes, %d registers of lanes (%d without)",
                     there, g->p->ninsts, g->nloads, g->used, g->pairs, g->n - g->p->ninsts,
                     q->home_regs, g->p->nregs);
    return q;
}

IsaProgram *gcn_assign(const IsaProgram *p, int most, int loads, Arena *arena) {
    Gcn g = {.p = p, .arena = arena, .loads = loads, .same = ARENA_ARRAY(arena, bool, p->ninsts)};
    const int left = ISA_MAX_REGS - MOST_TEMPS - (MOST_WIDTH - 1) - p->nregs;
    if (most > left) most = left;
    uniform_results(p, unwritten_loads(p, loads, arena), g.same, arena);
    warplive_of(&g.live, p, true, arena);
    webs_build(&g.webs, &g.live, NULL, 0, arena);
    assume_scalar(&g);
    do settle_scalars(&g);
    while (!color_webs(&g, most > 0 ? most : 0));
    if (g.used) {
        close_up(&g);
        return write_program(&g);
    }
    IsaProgram *q = ARENA_NEW(arena, IsaProgram);
    *q = *p;
    q->scalar_note = most > 0 ? "GCN mode: nothing, no value is equal in all lanes"
                              : "GCN mode: nothing, the lanes require all registers";
    return q;
}
