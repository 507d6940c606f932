// SPDX-License-Identifier: Apache-2.0
// Proof of a split program, forward along the paths of a warp. The check computes the states in
// which a warp can reach an instruction, and the extended registers of its lanes that may be
// destroyed. A release destroys them all. A write restores a register for the lanes that execute
// it. If one side of a divergent branch contains a release, lanes of the other sides and waiting
// lanes may have lost them too.
#include "compile/regions/regions.h"

enum { LOW = 1, HELD = 2 };

typedef struct Walk {
    const IsaProgram *p;
    WarpLive w;      // its branches and regions
    uint64_t ext;    // extended registers
    uint8_t *state;  // states in which each instruction is reached
    uint64_t *lost;  // extended registers that may have been destroyed before each instruction
    Diag *d;
} Walk;

static void leave_inst(const Walk *k, int i, uint8_t *state, uint64_t *lost) {
    const IsaInst *in = &k->p->insts[i];
    *state = k->state[i];
    *lost = k->lost[i];
    if (in->op == ISA_ACQ) *state = HELD;
    if (in->op == ISA_REL) *state = LOW;
    if (in->op == ISA_REL) *lost = k->ext;
    if (in->guard.reg == ISA_PT) *lost &= ~k->w.writes[i];
}

static bool reach_inst(Walk *k, int i, uint8_t state, uint64_t lost) {
    const bool changed = (state & ~k->state[i]) || (lost & ~k->lost[i]);
    k->state[i] |= state;
    k->lost[i] |= lost;
    return changed;
}

static bool along_edges(Walk *k) {
    bool changed = false;
    for (int i = 0; i < k->p->ninsts; i++) {
        uint8_t state;
        uint64_t lost;
        if (!k->state[i]) continue;
        leave_inst(k, i, &state, &lost);
        REGIONS_SUCCESSORS(k->p, i, s) changed |= reach_inst(k, s, state, lost);
    }
    return changed;
}

// From the end of one side to the start of the others, and to the waiting lanes.
static bool between_sides(Walk *k, int b) {
    const int branch = k->w.branch[b], stop = k->p->insts[branch].reconv;
    uint8_t ends = 0;
    bool destroys = false, changed = false;
    for (int i = 0; i < k->p->ninsts; i++) {
        if (!mask_get(k->w.region[b], i) || !k->state[i]) continue;
        uint8_t state;
        uint64_t lost;
        leave_inst(k, i, &state, &lost);
        destroys |= k->p->insts[i].op == ISA_REL;
        bool end = k->p->insts[i].op == ISA_EXIT;
        REGIONS_SUCCESSORS(k->p, i, s) end |= s == stop;
        if (end) ends |= state;
    }
    const uint64_t lost = destroys ? k->ext : 0;
    int sides = 0, first = -1;
    REGIONS_SUCCESSORS(k->p, branch, s) {
        if (s == stop || s == first) continue;
        sides++, first = s;
    }
    REGIONS_SUCCESSORS(k->p, branch, t)
        if (t != stop) changed |= reach_inst(k, t, sides > 1 ? ends : 0, lost);
    if (stop >= 0 && k->state[branch]) changed |= reach_inst(k, stop, ends, lost);
    return changed;
}

static bool report_wrong(const Walk *k, int i, const char *what, uint64_t regs) {
    char text[256];
    isa_print_inst(text, sizeof text, &k->p->insts[i]);
    const int reg = regs ? __builtin_ctzll(regs) : 0;
    return diag_fail(k->d, EXIT_USAGE, "%s: instruction %d `%s`: %s (R%d; %d base registers)",
                     k->p->name, i, text, what, reg, k->p->base_regs);
}

static bool check_instruction(const Walk *k, int i) {
    const uint64_t read = k->w.reads[i] & k->ext, named = read | (k->w.writes[i] & k->ext);
    if (!k->state[i]) return true;
    if (named && k->state[i] & LOW)
        return report_wrong(k, i, "names an extended register without a section", named);
    if (read & k->lost[i])
        return report_wrong(k, i, "reads an extended register that a release destroyed",
                            read & k->lost[i]);
    if (k->p->insts[i].op == ISA_BAR && k->state[i] & HELD)
        return report_wrong(k, i, "a barrier with a section held", 0);
    return true;
}

bool regions_check(const IsaProgram *p, bool uniform, Diag *d) {
    Arena scratch = {0};
    const size_t n = (size_t)p->ninsts;
    Walk k = {.p = p,
              .d = d,
              .state = ARENA_ARRAY(&scratch, uint8_t, n),
              .lost = ARENA_ARRAY(&scratch, uint64_t, n)};
    k.ext = p->base_regs < 64 ? ~0ull << p->base_regs : 0;
    warplive_of(&k.w, p, uniform, &scratch);
    k.state[0] = LOW;
    for (bool changed = true; changed;) {
        changed = along_edges(&k);
        for (int b = 0; b < k.w.nbranches; b++) changed |= between_sides(&k, b);
    }
    bool ok = p->nregs <= p->base_regs + p->ext_regs ||
        diag_fail(d, EXIT_USAGE, "%s: %d registers, but %d + %d after the split", p->name, p->nregs,
                  p->base_regs, p->ext_regs);
    for (int i = 0; i < p->ninsts && ok; i++) ok = check_instruction(&k, i);
    arena_free(&scratch);
    return ok;
}
