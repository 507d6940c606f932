// SPDX-License-Identifier: Apache-2.0
// Finds branches that send all lanes of a warp to one target.
//
// A value is uniform if an instruction that all lanes of the warp execute computes it from uniform
// values. Immediates, constants and parameters, and the CTA's and grid's coordinates are uniform. A
// value written inside the region of a divergent branch is not. The result is the greatest fixed
// point: values start as uniform until a condition fails.
#include "compile/hints/hints.h"
#include "ptx/ptx.h"

#include <string.h>

typedef struct Uniform {
    const IsaProgram *p;
    uint64_t *regs;  // uniform registers before each instruction
    uint8_t *preds;
    bool *split;        // inside the region of a divergent branch
    const bool *loads;  // loads whose memory is never written; NULL: none
} Uniform;

static bool same_for_warp(int sreg) {
    switch (sreg) {
    case PTX_SREG_NTID_X:
    case PTX_SREG_NTID_Y:
    case PTX_SREG_NTID_Z:
    case PTX_SREG_CTAID_X:
    case PTX_SREG_CTAID_Y:
    case PTX_SREG_CTAID_Z:
    case PTX_SREG_NCTAID_X:
    case PTX_SREG_NCTAID_Y:
    case PTX_SREG_NCTAID_Z:
    case PTX_SREG_WARPID:
    case PTX_SREG_NWARPID:
    case PTX_SREG_SMID:
    case PTX_SREG_NSMID: return true;
    default: return false;
    }
}

// Do equal sources give equal results in all lanes?
static bool is_lanewise(const Uniform *u, int i) {
    const IsaInst *in = &u->p->insts[i];
    switch (in->op) {
    case ISA_S2R: return same_for_warp(in->sreg);
    case ISA_LDC: return true;
    case ISA_LD: return u->loads && u->loads[i];
    case ISA_TEX:
    case ISA_ATOM:
    case ISA_SHFL:
    case ISA_VOTE:
    case ISA_MATCH:
    case ISA_REDUX:
    case ISA_MMA:
    case ISA_SYSCALL:
    case ISA_BAR: return false;
    default: return true;
    }
}

static bool result_uniform(const Uniform *u, int i) {
    const IsaInst *in = &u->p->insts[i];
    uint8_t list[ISA_MAX_SRC_WORDS];
    if (u->split[i] || !is_lanewise(u, i)) return false;
    if (isa_pred_reads(in) & ~u->preds[i]) return false;
    int n = isa_reads(in, list);
    for (int k = 0; k < n; k++)
        if (!(u->regs[i] >> list[k] & 1)) return false;
    return true;
}

static void uniform_after(const Uniform *u, int i, uint64_t *regs, uint8_t *preds) {
    const IsaInst *in = &u->p->insts[i];
    uint8_t list[ISA_MAX_DST_WORDS];
    uint64_t written = 0;
    int n = isa_writes(in, list);
    for (int k = 0; k < n; k++) written |= 1ull << list[k];
    uint8_t pwritten = isa_pred_writes(in);
    // A uniform guard writes all lanes or none: the old value must be uniform as well.
    bool same = result_uniform(u, i), guarded = in->guard.reg != ISA_PT;
    *regs = u->regs[i] & ~(same && guarded ? 0 : written);
    *preds = (uint8_t)(u->preds[i] & ~(same && guarded ? 0 : pwritten));
    if (same && !guarded) *regs |= written, *preds |= pwritten;
}

static bool propagate_sets(Uniform *u) {
    bool changed = false;
    for (int i = 0; i < u->p->ninsts; i++) {
        uint64_t regs;
        uint8_t preds;
        uniform_after(u, i, &regs, &preds);
        for (int k = 0, s; (s = isa_successor(u->p, i, k)) != -2; k++) {
            if (s < 0) continue;
            changed |= (u->regs[s] & ~regs) || (u->preds[s] & ~preds);
            u->regs[s] &= regs;
            u->preds[s] &= preds;
        }
    }
    return changed;
}

static bool is_uniform_branch(const Uniform *u, int i) {
    const IsaInst *in = &u->p->insts[i];
    if (isa_pred_reads(in) & ~u->preds[i]) return false;
    uint8_t list[ISA_MAX_SRC_WORDS];
    int n = isa_reads(in, list);
    for (int k = 0; k < n; k++)
        if (!(u->regs[i] >> list[k] & 1)) return false;
    return true;
}

// Registers written in the region of a divergent branch differ where its lanes meet again.
static bool split_region(Uniform *u, int x, bool *region, int *stack) {
    const IsaProgram *p = u->p;
    int stop = p->insts[x].reconv;
    bool changed = false;
    program_region(p, x, stop, region, stack);
    uint64_t written = 0;
    uint8_t pwritten = 0;
    for (int i = 0; i < p->ninsts; i++) {
        if (!region[i]) continue;
        changed |= !u->split[i];
        u->split[i] = true;
        uint8_t list[ISA_MAX_DST_WORDS];
        int n = isa_writes(&p->insts[i], list);
        for (int k = 0; k < n; k++) written |= 1ull << list[k];
        pwritten |= isa_pred_writes(&p->insts[i]);
    }
    if (stop >= 0) {
        changed |= (u->regs[stop] & written) || (u->preds[stop] & pwritten);
        u->regs[stop] &= ~written;
        u->preds[stop] &= (uint8_t)~pwritten;
    }
    return changed;
}

static Uniform solve_flow(const IsaProgram *p, const bool *loads, bool *divergent, Arena *arena) {
    size_t n = (size_t)p->ninsts;
    Uniform u = {p, ARENA_ARRAY(arena, uint64_t, n), ARENA_ARRAY(arena, uint8_t, n),
                 ARENA_ARRAY(arena, bool, n), loads};
    bool *region = ARENA_ARRAY(arena, bool, n);
    int *stack = ARENA_ARRAY(arena, int, n);
    memset(divergent, 0, n);
    memset(u.regs, 0xff, n * sizeof *u.regs);
    memset(u.preds, 0xff, n);
    for (bool changed = true; changed;) {
        changed = propagate_sets(&u);
        for (int i = 0; i < p->ninsts; i++) {
            if (!program_may_diverge(&p->insts[i]) || is_uniform_branch(&u, i)) continue;
            divergent[i] = true;
            changed |= split_region(&u, i, region, stack);
        }
    }
    return u;
}

void divergent_branches(const IsaProgram *p, bool *divergent, Arena *arena) {
    (void)solve_flow(p, NULL, divergent, arena);
}

void uniform_results(const IsaProgram *p, const bool *loads, bool *uniform, Arena *arena) {
    const Uniform u = solve_flow(p, loads, ARENA_ARRAY(arena, bool, p->ninsts), arena);
    for (int i = 0; i < p->ninsts; i++) uniform[i] = result_uniform(&u, i);
}
