// SPDX-License-Identifier: Apache-2.0
// Write bits of results (window_hints.h), on the finished program.
//
// A value is for the collector alone if no path can lose it. A guarded result does not qualify,
// because a read also requires the other lanes' older value. Neither does a value that is read
// after the end of its block, where lanes may switch. Rows of collector-only values can be neither
// saved nor released before they leave the window. If they and an instruction's other sources
// exceed the collector, the longest-lived value is also written to the register file.
#include "compile/hints/hints.h"
#include "compile/hints/window_hints.h"

#include <string.h>

typedef struct Code {
    IsaProgram *p;
    int window;
    Liveness live;
    uint64_t *reads, *writes;  // registers, per instruction
    int *place;                // places from the beginning to this instruction, it included
    bool *starts;              // begins a block
} Code;

#define FOR_SUCCESSORS(p, i, s) \
    for (int k_ = 0, s; (s = isa_successor(p, i, k_)) != -2; k_++) \
        if (s >= 0)

static int places_of(const IsaInst *in) { return in->op != ISA_HINT; }
static bool is_unguarded(const IsaInst *in) { return in->guard.reg == ISA_PT && !in->guard.neg; }
static bool has_reg(uint64_t set, int reg) { return set >> reg & 1; }

// Lanes switch at branches and where they meet; lanes that a guarded exit ends only read less.
static void find_blocks(Code *c) {
    const IsaProgram *p = c->p;
    c->starts[0] = true;
    for (int i = 0; i < p->ninsts; i++) {
        const IsaInst *in = &p->insts[i];
        const bool branch = in->op == ISA_BRA || in->op == ISA_BRX;
        const bool end = (in->op == ISA_EXIT || in->op == ISA_TRAP) && is_unguarded(in);
        if (branch || end) c->starts[i + 1] = true;
        if (!branch) continue;
        if (in->reconv >= 0) c->starts[in->reconv] = true;
        FOR_SUCCESSORS(p, i, s) c->starts[s] = true;
    }
}

static void code_of(Code *c, IsaProgram *p, int window, Arena *arena) {
    const size_t n = (size_t)p->ninsts;
    *c = (Code){.p = p,
                .window = window,
                .reads = ARENA_ARRAY(arena, uint64_t, n),
                .writes = ARENA_ARRAY(arena, uint64_t, n),
                .place = ARENA_ARRAY(arena, int, n),
                .starts = ARENA_ARRAY(arena, bool, n + 1)};
    liveness_of(&c->live, p, arena);
    find_blocks(c);
    for (int i = 0, place = 0; i < p->ninsts; i++) {
        uint8_t list[ISA_MAX_SRC_WORDS];
        int k = isa_reads(&p->insts[i], list);
        while (k) c->reads[i] |= 1ull << list[--k];
        k = isa_writes(&p->insts[i], list);
        while (k) c->writes[i] |= 1ull << list[--k];
        c->place[i] = place += places_of(&p->insts[i]);
    }
}

// ---- other sides ----

typedef struct Switches {
    const IsaProgram *p;
    Arena *arena;
    int **list;
} Switches;

// To the sides of the branches that meet at instruction `end` (-1: all branches, and where they
// meet).
static void add_sides(const Switches *w, int from, int end) {
    int *list = NULL, n = 0, cap = 0;
    for (int i = 0; w->list[from] && w->list[from][i] >= 0; i++)
        *ARENA_PUSH(w->arena, list, n, cap) = w->list[from][i];
    for (int b = 0; b < w->p->ninsts; b++) {
        const IsaInst *in = &w->p->insts[b];
        if (!program_may_diverge(in) || (end >= 0 && in->reconv != end)) continue;
        if (end < 0 && in->reconv >= 0) *ARENA_PUSH(w->arena, list, n, cap) = in->reconv;
        FOR_SUCCESSORS(w->p, b, s) *ARENA_PUSH(w->arena, list, n, cap) = s;
    }
    if (n) *ARENA_PUSH(w->arena, list, n, cap) = -1;
    w->list[from] = list;
}

int **window_switches(const IsaProgram *p, Arena *arena) {
    const Switches w = {p, arena, ARENA_ARRAY(arena, int *, p->ninsts)};
    bool *meets = ARENA_ARRAY(arena, bool, p->ninsts);
    for (int i = 0; i < p->ninsts; i++)
        if (program_may_diverge(&p->insts[i]) && p->insts[i].reconv >= 0)
            meets[p->insts[i].reconv] = true;
    for (int i = 0; i < p->ninsts; i++) {
        if (p->insts[i].op == ISA_EXIT) add_sides(&w, i, -1);
        FOR_SUCCESSORS(p, i, s)
            if (meets[s]) add_sides(&w, i, s);
    }
    return w.list;
}

// ---- bits ----

// Does a path from instruction `at` lead to a read? The instruction is `left` places or fewer
// before the window's end.
static bool read_within(const Code *c, int at, int reg, int left) {
    if (!has_reg(c->live.before[at], reg)) return false;
    left -= places_of(&c->p->insts[at]);
    if (left < 0) return false;
    if (has_reg(c->reads[at], reg)) return true;
    if (is_unguarded(&c->p->insts[at]) && has_reg(c->writes[at], reg)) return false;
    FOR_SUCCESSORS(c->p, at, s)
        if (read_within(c, s, reg, left)) return true;
    return false;
}

static bool read_near(const Code *c, int def, int reg) {
    FOR_SUCCESSORS(c->p, def, s)
        if (read_within(c, s, reg, c->window - 1)) return true;
    return false;
}

// Are all reads in the definition's block, each within the window after the previous one? *last:
// the last such read.
static bool stays_in_window(const Code *c, int def, int reg, int *last) {
    int i = def + 1;
    *last = def;
    for (; !c->starts[i] && i < c->p->ninsts; i++) {
        if (has_reg(c->reads[i], reg)) {
            if (c->place[i] - c->place[*last] >= c->window) return false;
            *last = i;
        }
        if (is_unguarded(&c->p->insts[i]) && has_reg(c->writes[i], reg)) return true;
    }
    return !has_reg(c->live.after[i - 1], reg);
}

// Write bits of instruction i, equal for all words of its result; *last: the last read of
// collector-only values.
static uint8_t bits_of(const Code *c, int i, int *last) {
    const IsaInst *in = &c->p->insts[i];
    uint8_t bits = 0;
    *last = i;
    for (uint64_t m = c->writes[i]; m; m &= m - 1) {
        const int reg = __builtin_ctzll(m);
        int end;
        if (!has_reg(c->live.after[i], reg)) continue;
        const bool near = read_near(c, i, reg), stay = stays_in_window(c, i, reg, &end);
        if (near) bits |= ISA_WRITE_BOC;
        if (!near || !stay || !is_unguarded(in)) bits |= ISA_WRITE_RF;
        if (end > *last) *last = end;
    }
    return bits;
}

static void write_bits(const Code *c, const bool *bounded, int *last) {
    for (int i = 0; i < c->p->ninsts; i++) {
        IsaInst *in = &c->p->insts[i];
        if (!c->writes[i]) continue;
        in->write = bits_of(c, i, &last[i]);
        if (bounded[i]) in->write |= ISA_WRITE_RF;
        if (in->op != ISA_ATOM || c->writes[i] & c->live.after[i]) continue;
        in->dst = ISA_RZ;
        in->dst_width = in->write = 0;
    }
}

// ---- row bound ----

// A value holds its row from its definition to the end of the window after its last read. A later
// result of the same register with another destination ends this period when it arrives, because
// its readers wait for it. The other side of a branch passes through the same window.
typedef struct Arrival {
    int inst, value, coming;
} Arrival;
typedef struct Cover {
    int inst, def;
} Cover;

typedef struct Held {
    const Code *c;
    Arena *arena;
    int **switches;
    // per instruction: slots for which the row is still held for the value, until a result arrives
    int *value, *coming;
    int *seen;  // per instruction: the last definition that was followed to it
    Arrival *work;
    int nwork, cap_work;
    Cover *pairs;
    int npairs, cap_pairs;
    uint64_t *at;  // H: registers, per instruction
} Held;

static void cover_inst(Held *h, int inst, int def, int reg) {
    h->at[inst] |= 1ull << reg;
    *ARENA_PUSH(h->arena, h->pairs, h->npairs, h->cap_pairs) = (Cover){inst, def};
}

static void go_on(Held *h, int from, int value, int coming) {
    if (!value && !coming) return;
    FOR_SUCCESSORS(h->c->p, from, s)
        *ARENA_PUSH(h->arena, h->work, h->nwork, h->cap_work) = (Arrival){s, value, coming};
    for (const int *s = h->switches[from]; s && *s >= 0; s++)
        *ARENA_PUSH(h->arena, h->work, h->nwork, h->cap_work) = (Arrival){*s, value, coming};
}

// The row, held for so many places, at instruction x.
static void pass_row(Held *h, int x, int value, int coming, int def, int reg) {
    const Code *c = h->c;
    const IsaInst *in = &c->p->insts[x];
    const int whole = c->window - 1;
    if (!places_of(in)) {
        go_on(h, x, value, coming);
        return;
    }
    cover_inst(h, x, def, reg);
    const bool read = has_reg(c->reads[x], reg), written = has_reg(c->writes[x], reg);
    value = value ? read || written ? whole : value - 1 : 0;
    coming = coming && !read && !written ? coming - 1 : 0;
    if (written && is_unguarded(in)) {
        if (in->write == ISA_WRITE_BOC) return;  // its own row from here on
        if (in->write) coming = value, value = 0;
    }
    go_on(h, x, value, coming);
}

static void cover_from(Held *h, int def, int reg, int mark) {
    h->nwork = 0;
    cover_inst(h, def, def, reg);
    go_on(h, def, h->c->window - 1, 0);
    while (h->nwork) {
        const Arrival w = h->work[--h->nwork];
        int *value = &h->value[w.inst], *coming = &h->coming[w.inst];
        if (h->seen[w.inst] != mark) *value = *coming = 0;
        else if (w.value <= *value && w.coming <= *coming) continue;
        h->seen[w.inst] = mark;
        if (w.value > *value) *value = w.value;
        if (w.coming > *coming) *coming = w.coming;
        pass_row(h, w.inst, *value, *coming, def, reg);
    }
}

static void cover_rows(Held *h) {
    const Code *c = h->c;
    int mark = 0;
    h->npairs = 0;
    memset(h->at, 0, sizeof *h->at * (size_t)c->p->ninsts);
    memset(h->seen, 0, sizeof *h->seen * (size_t)c->p->ninsts);
    for (int i = 0; i < c->p->ninsts; i++)
        for (uint64_t m = c->p->insts[i].write == ISA_WRITE_BOC ? c->writes[i] : 0; m; m &= m - 1)
            cover_from(h, i, __builtin_ctzll(m), ++mark);
}

// The definition that covers the instruction and lives longest; of equals the first.
static int longest_def(const Held *h, int inst, const int *last) {
    const Code *c = h->c;
    int best = -1, most = -1;
    for (int k = 0; k < h->npairs; k++) {
        const int def = h->pairs[k].def, life = c->place[last[def]] - c->place[def];
        if (h->pairs[k].inst != inst || life < most || (life == most && def > best)) continue;
        best = def, most = life;
    }
    return best;
}

// If more rows are required than exist, some values are also written to the register file. True:
// some do.
static bool bound_rows(Held *h, const int *last, int rows, bool *bounded) {
    const Code *c = h->c;
    bool any = false;
    for (int x = 0; x < c->p->ninsts; x++) {
        const uint64_t others = c->reads[x] & ~h->at[x];
        if (!h->at[x] || __builtin_popcountll(h->at[x]) + __builtin_popcountll(others) <= rows)
            continue;
        const int def = longest_def(h, x, last);
        bounded[def] = any = true;
        c->p->insts[def].write |= ISA_WRITE_RF;
        cover_rows(h);
        x--;
    }
    return any;
}

// ---- all ----

static IsaProgram *copy_of(const IsaProgram *p, Arena *arena) {
    IsaProgram *q = ARENA_NEW(arena, IsaProgram);
    *q = *p;
    q->insts = ARENA_ARRAY(arena, IsaInst, p->ninsts);
    memcpy(q->insts, p->insts, sizeof *p->insts * (size_t)p->ninsts);
    return q;
}

// One attempt with the values bounded so far; false: the row bound affected more values.
static bool try_bits(IsaProgram *q, const WindowNeed *need, bool *bounded, WindowNotes *notes) {
    Arena scratch = {0};
    const size_t n = (size_t)q->ninsts;
    Code c;
    int *last = ARENA_ARRAY(&scratch, int, n);
    code_of(&c, q, need->places, &scratch);
    write_bits(&c, bounded, last);
    if (need->homeless) homes_assign(q, need, notes, &scratch);
    code_of(&c, q, need->places, &scratch);  // other names
    Held h = {.c = &c,
              .arena = &scratch,
              .value = ARENA_ARRAY(&scratch, int, n),
              .at = notes->held,
              .switches = window_switches(q, &scratch),
              .coming = ARENA_ARRAY(&scratch, int, n),
              .seen = ARENA_ARRAY(&scratch, int, n)};
    cover_rows(&h);
    const bool more = bound_rows(&h, last, need->rows, bounded);
    arena_free(&scratch);
    return !more;
}

IsaProgram *window_assign(const IsaProgram *p, const WindowNeed *need, WindowNotes *notes,
                          Arena *arena) {
    WindowNotes own, *w = notes ? notes : &own;
    *w = (WindowNotes){.held = ARENA_ARRAY(arena, uint64_t, p->ninsts),
                       .bounded = ARENA_ARRAY(arena, bool, p->ninsts)};
    for (;;) {
        IsaProgram *q = copy_of(p, arena);
        q->window = need->places;
        q->rows = need->rows;
        q->home_regs = q->nregs;
        if (try_bits(q, need, w->bounded, w)) return q;
    }
}
