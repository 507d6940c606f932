// SPDX-License-Identifier: Apache-2.0
// Proves write bits (window_hints.h): follows all paths through the program at the same time, as
// the collectors would.
//
// The state of each register is the fate of its value in a machine. The value is in the register
// file, or only in the collector and so many places after its last naming, or lost. A value that is
// only in the collector is lost when its window ends and at every step to another basic block. A
// value without a destination is lost immediately. A guarded result does not restore a lost value,
// because other lanes may still read that value. Reading a lost value is the fault that this check
// finds.
#include "compile/hints/hints.h"
#include "compile/hints/window_hints.h"

#include <string.h>

// between: slots since it was last named, plus one
enum { REGS = ISA_MAX_REGS, LOST = 255, SAFE = 0 };

typedef struct State {
    uint8_t value[REGS];   // SAFE, 1 + age of a value that only the collector has, LOST
    uint8_t held[REGS];    // 0, or 1 + age of a row that cannot be released
    uint8_t coming[REGS];  // slots until a result arrives that may still be in flight
} State;

typedef struct Checker {
    const IsaProgram *p;
    Diag *d;
    bool *meets;  // lanes may switch before this instruction
    State *in;
    bool *reached, *listed;
    int *work, nwork;  // instructions to be processed
} Checker;

static bool report_wrong(const Checker *c, int i, int reg, const char *what) {
    char text[512];
    isa_print_inst(text, sizeof text, &c->p->insts[i]);
    return diag_fail(c->d, EXIT_USAGE, "%s: write bits are wrong: instruction %d `%s`: R%d: %s",
                     c->p->name, i, text, reg, what);
}

static uint64_t sources_of(const IsaInst *in) {
    uint8_t list[ISA_MAX_SRC_WORDS];
    uint64_t set = 0;
    for (int n = isa_reads(in, list); n > 0;) set |= 1ull << list[--n];
    return set;
}

static uint64_t results_of(const IsaInst *in) {
    uint8_t list[ISA_MAX_DST_WORDS];
    uint64_t set = 0;
    for (int n = isa_writes(in, list); n > 0;) set |= 1ull << list[--n];
    return set;
}

static void age_rows(const IsaProgram *p, State *s) {
    for (int r = 0; r < REGS; r++) {
        if (s->value[r] != SAFE && s->value[r] != LOST && ++s->value[r] > p->window)
            s->value[r] = LOST;
        if (s->held[r] && ++s->held[r] > p->window) s->held[r] = 0;
        if (s->coming[r] && ++s->coming[r] > p->window) s->coming[r] = 0;
    }
}

// A named register begins its window again. A reader or writer of a register has waited for its
// pending result.
static void name_rows(State *s, uint64_t named) {
    for (uint64_t m = named; m; m &= m - 1) {
        const int r = __builtin_ctzll(m);
        if (s->value[r] != SAFE && s->value[r] != LOST) s->value[r] = 1;
        if (s->held[r]) s->held[r] = 1;
        s->coming[r] = 0;
    }
}

static void put_result(const IsaInst *in, State *s, int r) {
    if (in->guard.reg != ISA_PT || in->guard.neg) return;
    s->value[r] = in->write == ISA_WRITE_BOC ? 1 : in->write ? SAFE : LOST;
    if (in->write == ISA_WRITE_BOC) s->held[r] = 1;
    else if (in->write) s->coming[r] = s->held[r], s->held[r] = 0;
}

static bool rows_suffice(const Checker *c, int i, const State *s, uint64_t reads) {
    uint64_t kept = 0;
    for (int r = 0; r < REGS; r++)
        if (s->held[r] || s->coming[r]) kept |= 1ull << r;
    const int rows = __builtin_popcountll(kept) + __builtin_popcountll(reads & ~kept);
    if (!kept || rows <= c->p->rows) return true;
    return report_wrong(c, i, __builtin_ctzll(kept),
                        "more rows are held here than a collector has");
}

static bool step_state(const Checker *c, int i, State *s) {
    const IsaInst *in = &c->p->insts[i];
    const uint64_t reads = sources_of(in), writes = results_of(in);
    const bool guarded = in->guard.reg != ISA_PT || in->guard.neg;
    if (in->op == ISA_HINT) return true;
    age_rows(c->p, s);
    for (uint64_t m = reads; m; m &= m - 1) {
        const int r = __builtin_ctzll(m);
        if (s->value[r] == LOST)
            return report_wrong(c, i, r,
                                "is read where only a collector had it and has it no more");
        if (s->value[r] == SAFE && r >= c->p->home_regs)
            return report_wrong(c, i, r, "has no home and is read unwritten");
    }
    if (guarded && in->write == ISA_WRITE_BOC)
        return report_wrong(c, i, in->dst, "a guarded result is for the collector alone");
    name_rows(s, reads | writes);
    for (uint64_t m = writes; m; m &= m - 1) put_result(in, s, __builtin_ctzll(m));
    return rows_suffice(c, i, s, reads);
}

static uint8_t younger_of(uint8_t a, uint8_t b) { return !a || (b && b < a) ? b : a; }

// Merges the states of all paths to an instruction; true: something is new. Other lanes (another
// side of a branch) have separate values and use the same rows.
static bool meet_states(State *to, const State *from, bool switched, bool others) {
    const State old = *to;
    for (int r = 0; r < REGS; r++) {
        const uint8_t v = switched && from->value[r] != SAFE ? LOST : from->value[r];
        if (v > to->value[r] && !others) to->value[r] = v;
        to->held[r] = younger_of(to->held[r], from->held[r]);
        to->coming[r] = younger_of(to->coming[r], from->coming[r]);
    }
    return memcmp(&old, to, sizeof old) != 0;
}

static void find_meetings(Checker *c) {
    const IsaProgram *p = c->p;
    for (int i = 0; i < p->ninsts; i++) {
        const IsaInst *in = &p->insts[i];
        if (in->op != ISA_BRA && in->op != ISA_BRX) continue;
        if (in->reconv >= 0) c->meets[in->reconv] = true;
        for (int k = 0, s; (s = isa_successor(p, i, k)) != -2; k++)
            if (s >= 0) c->meets[s] = true;
    }
}

static void reach_inst(Checker *c, int at, const State *s, bool others) {
    const bool fresh = !c->reached[at];
    if ((!meet_states(&c->in[at], s, c->meets[at], others) && !fresh) || c->listed[at]) return;
    c->reached[at] = c->listed[at] = true;
    c->work[c->nwork++] = at;
}

bool window_check(const IsaProgram *p, Diag *d) {
    Arena scratch = {0};
    Checker c = {.p = p,
                 .d = d,
                 .meets = ARENA_ARRAY(&scratch, bool, p->ninsts),
                 .in = ARENA_ARRAY(&scratch, State, p->ninsts),
                 .reached = ARENA_ARRAY(&scratch, bool, p->ninsts),
                 .listed = ARENA_ARRAY(&scratch, bool, p->ninsts),
                 .work = ARENA_ARRAY(&scratch, int, p->ninsts)};
    int **switches = window_switches(p, &scratch);
    bool ok = true;
    find_meetings(&c);
    c.reached[0] = true;
    c.nwork = 1;
    while (ok && c.nwork) {
        const int i = c.work[--c.nwork];
        State s = c.in[i];
        c.listed[i] = false;
        ok = step_state(&c, i, &s);
        for (int k = 0, to; ok && (to = isa_successor(p, i, k)) != -2; k++)
            if (to >= 0) reach_inst(&c, to, &s, false);
        for (const int *to = switches[i]; ok && to && *to >= 0; to++) reach_inst(&c, *to, &s, true);
    }
    arena_free(&scratch);
    return ok;
}
