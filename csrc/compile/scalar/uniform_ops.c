// SPDX-License-Identifier: Apache-2.0
// Scalar extraction, second kind: operations with equal results in all threads of a CTA execute
// once, in the scalar thread (paper, section IV.C).
//
// requires  SSA of the SIMT program
//
// provides  a thread that computes such values and stores those that the warps read to shared
//           memory.
//           The thread then arrives at a bar k = 1. In the entry block of the SIMT program, that
//           barrier and loads replace the computation.
//
// The pass selects pure values without a PHI among their sources, and loads of read-only memory in
// the entry block before any thread may end. If the warps can compute a value in a few
// instructions, they keep it, because a load and its wait cost as much.
// With scalar.extract: profitable, the gain must exceed the cost. The gain counts removed
// instructions, weighted with the issue interval of their unit, less the barrier and the loads. The
// cost is the time of a barrier and two accesses of shared memory, during which the CTA waits.
//
// Values may also depend on tid.x mod P alone, P = 2, 4 or 8 (the angles of a Fourier transform).
// The thread computes them P times, as the threads 0 to P - 1, and stores a table. Each thread of
// the CTA reads its own entry. Such a value starts with an AND that keeps at most three low bits of
// a value affine in tid.x.
//
// Without a scalar unit (scalar.helper=simt) thread 0 of the CTA computes them, and bar 0 replaces
// k = 1.
#include "compile/scalar/scalar_program.h"
#include "config/exec_time.h"
#include "ptx/ptx.h"

#include <string.h>

// INDEX: instructions of a place
enum { MOST_OUTS = 16, MOST_PERIOD = 8, FEW = 3, BARRIER = 20, INDEX = 3 };

typedef struct Uniform {
    ScalarJob *j;
    Ir *ir;
    CtaValues v;
    Arena arena;
    bool *taken;    // per register: the thread executes its instruction
    int *period;    // per register: its period in tid.x; 1: equal in all threads, 0: no period
    int longest;    // period of the values that the warps read
    bool *outside;  // a remaining instruction also reads it
    int out[MOST_OUTS], nouts, removed, line;
    int64_t at[MOST_OUTS], bytes;
} Uniform;

static int weight_of(const Uniform *u, const IrInst *in) {
    const int interval = config_exec_time(u->j->o->cfg, ir_timing(in->op)).interval;
    return interval > 1 ? interval : 1;
}

// The register that identifies the instruction: its first result.
static int key_of(const IrInst *in) {
    int defs[3];
    return ir_defs(in, defs) ? defs[0] : IR_NONE;
}

static bool stays_put(const Uniform *u, const IrInst *in, int block, bool may_end) {
    (void)u;
    if (in->guard.reg != IR_PT || ir_is_convergent(in) || in->op == IR_PHI || in->op == ISA_TEX)
        return true;
    if (in->op == ISA_LD)
        return !in->mod.readonly || in->mod.space != ISA_GLOBAL || block != 0 || may_end;
    if (in->op == ISA_S2R)
        return in->mod.sreg < PTX_SREG_NTID_X || in->mod.sreg > PTX_SREG_NCTAID_Z;
    return !ir_is_pure(in) || ir_is_memory(in);
}

// The period P of a value tid.x mod P, P > 1, that this AND computes; otherwise 0.
static int first_period(Uniform *u, const IrInst *in, int block) {
    if (in->op != ISA_LOP3 || in->mod.lut != ISA_LUT_AND || !ir_is_imm(&in->src[2], 0)) return 0;
    for (int s = 0; s < 2; s++) {
        const IrSrc *mask = &in->src[s], *of = &in->src[1 - s];
        if (mask->kind != ISA_SRC_IMM || of->kind != ISA_SRC_REG || of->neg || of->abs) continue;
        const CtaValue v = cta_source(&u->v, of, block);
        int phis[1];
        if (v.kind != CTA_AFFINE || v.c[1].k || v.c[2].k ||
            slice_phis(&u->v, of->reg, phis, 1, &u->arena))
            continue;
        int p = 1;
        while (p <= MOST_PERIOD && mask->imm >= (uint64_t)p) p *= 2;
        if (p > MOST_PERIOD) continue;
        // period of an even multiple
        for (int64_t k = v.c[0].k; p > 1 && k % 2 == 0; k /= 2) p /= 2;
        if (p > 1) return p;
    }
    return 0;
}

static int period_of(Uniform *u, const IrInst *in, int block) {
    int period = first_period(u, in, block);
    if (period || ir_is_memory(in) || in->op == ISA_S2R) return period;
    period = 1;
    IR_FOR_USES(in, r)
        if (period && u->period[r] != 1)
            period = u->period[r] > period || !u->period[r] ? u->period[r] : period;
    return period > 1 ? period : 0;
}

static void find_uniform(Uniform *u) {
    bool may_end = false;
    for (int i = 0; i < u->ir->norder; i++) {
        const int b = u->ir->order[i];
        for (int n = 0; n < u->ir->blocks[b].ninsts; n++) {
            const IrInst *in = u->ir->blocks[b].insts[n];
            int defs[3], phis[1], k = ir_defs(in, defs);
            may_end |= b == 0 && in->op == ISA_EXIT;
            bool may = k > 0 && !stays_put(u, in, b, may_end);
            for (int d = 0; d < k && may; d++) {
                if (!u->ir->width[defs[d]])
                    may = cta_predicate(&u->v, (IrPred){defs[d], false}, b) == CTA_AFFINE;
                else may = cta_uniform(&u->v.value[defs[d]]);
                may = may && slice_phis(&u->v, defs[d], phis, 1, &u->arena) == 0;
            }
            const bool some = k > 0 && !stays_put(u, in, b, may_end);
            const int period = may ? 1 : some ? period_of(u, in, b) : 0;
            for (int d = 0; d < k && period; d++) {
                u->taken[defs[d]] = true;
                u->period[defs[d]] = period;
            }
        }
    }
    // all operands of a taken value must be taken
    for (bool changed = true; changed;) {
        changed = false;
        for (int r = 0; r < u->ir->nvregs; r++) {
            if (!u->taken[r] || first_period(u, u->v.def[r], u->v.def_block[r])) continue;
            IR_FOR_USES(u->v.def[r], o)
                if (!u->taken[o]) u->taken[r] = false;
            changed |= !u->taken[r];
        }
    }
}

static int slice_weight(const Uniform *u, int reg, bool *seen) {
    const IrInst *in = u->v.def[reg];
    const int key = key_of(in);
    if (seen[key] || !u->period[key]) return 0;
    seen[key] = true;
    int weight = weight_of(u, in);
    IR_FOR_USES(in, r) weight += slice_weight(u, r, seen);
    return weight;
}

static void mark_outside(Uniform *u) {
    memset(u->outside, 0, sizeof *u->outside * (size_t)u->ir->nvregs);
    for (int i = 0; i < u->ir->norder; i++) {
        const int b = u->ir->order[i];
        for (int n = 0; n < u->ir->blocks[b].ninsts; n++) {
            const IrInst *in = u->ir->blocks[b].insts[n];
            const int key = key_of(in);
            if (key != IR_NONE && u->taken[key]) continue;
            IR_FOR_USES(in, r) u->outside[r] |= u->taken[r];
        }
    }
}

static void leave_value(Uniform *u, int reg) {
    int defs[3], k = ir_defs(u->v.def[reg], defs);
    for (int d = 0; d < k; d++) u->taken[defs[d]] = false;
}

// Values that are read by the warps and are cheap, and predicates, remain in the warps.
static void settle_values(Uniform *u) {
    for (bool changed = true; changed;) {
        changed = false;
        mark_outside(u);
        for (int r = 0; r < u->ir->nvregs && !changed; r++) {
            if (!u->outside[r]) continue;
            bool *seen = ARENA_ARRAY(&u->arena, bool, u->ir->nvregs + 1);
            if (u->ir->width[r] && slice_weight(u, r, seen) > FEW) continue;
            leave_value(u, r);
            changed = true;
        }
    }
}

// Instructions that the warps execute instead.
static int added_of(const Uniform *u) { return 1 + u->nouts + (u->longest > 1 ? INDEX : 0); }

static const char *choose_outs(Uniform *u, int64_t least) {
    for (int r = 0; r < u->ir->nvregs; r++) {
        if (!u->outside[r]) continue;
        if (u->nouts == MOST_OUTS) return "the warps read too many of them";
        u->out[u->nouts++] = r;
    }
    if (!u->nouts) return "";
    bool *seen = ARENA_ARRAY(&u->arena, bool, u->ir->nvregs + 1);
    for (int i = 0; i < u->nouts; i++) {
        u->removed += slice_weight(u, u->out[i], seen);
        if (!u->line ||
            (u->v.def[u->out[i]]->mod.ptx_line && u->v.def[u->out[i]]->mod.ptx_line < u->line))
            u->line = u->v.def[u->out[i]]->mod.ptx_line;
    }
    const MachineConfig *c = u->j->o->cfg;
    for (int i = 0; i < u->nouts; i++)
        if (u->period[u->out[i]] > u->longest) u->longest = u->period[u->out[i]];
    const int added = added_of(u);
    const uint32_t *n = u->j->o->block;
    const int warps = (int)(((uint64_t)n[0] * n[1] * n[2] + ISA_LANES - 1) / ISA_LANES);
    if ((int64_t)warps * (u->removed - added) <= least)
        return "uniform operations: the bodies save more";
    const int gain = warps * (u->removed - added) / c->sm_schedulers;
    const int wait = 2 * c->shared_latency + BARRIER + (u->longest - 1) * u->removed;
    if (c->scalar_extract == EXTRACT_PROFITABLE && gain <= wait)
        return arena_printf(
            u->ir->arena,
            "uniform operations: %d cycles of issue removed, about %d of waiting added", gain,
            wait);
    return NULL;
}

// ---- transformation ----

static void transfer_out(Uniform *u, Ir *t, int block, int op, IrSrc place, int reg, int i,
                         int row) {
    IrInst *in = ir_inst(t, op, op == ISA_ST ? 2 : 1);
    const int words = u->ir->width[u->out[i]];
    in->src[0] = place;
    if (op == ISA_ST) in->src[1] = ir_reg(t, reg);
    else in->dst = reg;
    in->mod.space = ISA_SHARED;
    in->mod.type = words == 2 ? ISA_U64 : ISA_U32;
    in->mod.mem_bytes = (uint8_t)(4 * words);
    in->mod.offset = (int32_t)(u->at[i] + 4 * words * row);
    ir_insert(t, block, ir_terminator(&t->blocks[block]), in);
}

// In the table of value i, for the thread: its bytes from the table's begin.
static IrSrc place_of(const Uniform *u, Ir *t, int block, int i) {
    const int period = u->period[u->out[i]], bytes = 4 * u->ir->width[u->out[i]];
    if (period == 1) return ir_imm(0);
    const IrSrc tid = thread_sreg(t, block, PTX_SREG_TID_X);
    const IrSrc row = thread_op2(t, block, ISA_LOP3, 1, tid, ir_imm((uint32_t)period - 1));
    return thread_op2(t, block, ISA_SHL, 1, row, ir_imm(bytes == 8 ? 3 : 2));
}

static void put_bar(const Uniform *u, Ir *t, int block, bool with_thread) {
    IrInst *in = thread_bar(t, with_thread ? u->j->o->cfg->scalar_barrier : 0);
    in->mod.with_scalar = with_thread;
    ir_insert(t, block, ir_terminator(&t->blocks[block]), in);
}

// Computes and stores the values that the warps read: once, or as each of the threads 0 to P - 1.
static void compute_outs(Uniform *u, Ir *t, int block) {
    for (int row = 0; row < u->longest; row++) {
        Slice s;
        slice_open(&s, &u->v, t, block, &u->arena);
        if (u->longest > 1) s.tid[0] = ir_imm((uint32_t)row);
        for (int i = 0; i < u->nouts; i++)
            if (row < u->period[u->out[i]])
                transfer_out(u, t, block, ISA_ST, ir_imm(0), slice_register(&s, u->out[i]), i, row);
    }
}

static void write_thread(Uniform *u) {
    Ir *t = u->j->thread = thread_new(u->ir, "");
    const int block = ir_block(t);
    compute_outs(u, t, block);
    put_bar(u, t, block, true);
    (void)thread_op(t, block, ISA_EXIT, -1, 0, 0);
}

static void remove_taken(Uniform *u) {
    for (int b = 0; b < u->ir->nblocks; b++) {
        IrBlock *k = &u->ir->blocks[b];
        int kept = 0;
        for (int n = 0; n < k->ninsts; n++) {
            const int key = key_of(k->insts[n]);
            const bool gone = key != IR_NONE && key < u->v.ir->nvregs && u->taken[key] &&
                u->v.def[key] == k->insts[n];
            if (!gone) k->insts[kept++] = k->insts[n];
        }
        k->ninsts = kept;
    }
}

// The first instruction of the entry block that reads one of them, otherwise the block's end.
static int place_in_entry(const Uniform *u) {
    const IrBlock *k = &u->ir->blocks[0];
    for (int n = 0; n < ir_terminator(k); n++) {
        IR_FOR_USES(k->insts[n], r)
            for (int i = 0; i < u->nouts; i++)
                if (u->out[i] == r) return n;
    }
    return ir_terminator(k);
}

static void write_simt(Uniform *u, bool simt) {
    Ir *ir = u->ir;
    const int rest = thread_cut(ir, 0, place_in_entry(u)), meet = ir_block(ir);
    if (simt) {
        const int one = ir_block(ir);
        IrSrc id = thread_sreg(ir, 0, PTX_SREG_TID_X);
        for (int d = 1; d < 3; d++)
            if (u->j->o->block[d] > 1) {
                const IrSrc place = thread_sreg(ir, 0, PTX_SREG_TID_X + d);
                IrInst *either = thread_op(ir, 0, ISA_LOP3, 1, 3, u->line);
                either->src[0] = id;
                either->src[1] = place;
                either->src[2] = ir_imm(0);
                either->mod.lut = ISA_LUT_OR;
                id = ir_reg(ir, either->dst);
            }
        thread_branch(ir, 0, thread_setp(ir, 0, ISA_EQ, ISA_U32, id, ir_imm(0)), one, meet);
        compute_outs(u, ir, one);
        thread_goto(ir, one, meet);
    } else thread_goto(ir, 0, meet);
    put_bar(u, ir, meet, !simt);
    for (int i = 0; i < u->nouts; i++)
        transfer_out(u, ir, meet, ISA_LD, place_of(u, ir, meet, i), u->out[i], i, 0);
    thread_goto(ir, meet, rest);
    const int number = simt ? 0 : u->j->o->cfg->scalar_barrier;
    if (ir->max_barrier <= number) ir->max_barrier = number + 1;
}

static void transform_kernel(Uniform *u, bool simt) {
    ssa_destruct(u->ir);
    for (int i = 0; i < u->nouts; i++) {
        const int bytes = 4 * u->ir->width[u->out[i]];
        u->bytes = (u->bytes + bytes - 1) / bytes * bytes;
        u->at[i] = u->j->scratch_at + u->bytes;
        u->bytes += bytes * u->period[u->out[i]];
    }
    remove_taken(u);
    if (!simt) write_thread(u);
    write_simt(u, simt);
}

bool scalar_uniform(ScalarJob *j, int64_t least) {
    Uniform u = {.j = j, .ir = j->ir};
    const bool simt = j->o->cfg->scalar_helper == HELPER_SIMT;
    cta_values(&u.v, j->ir, j->o->block, &u.arena);
    const int nvregs = j->ir->nvregs;
    u.taken = ARENA_ARRAY(&u.arena, bool, nvregs + 1);
    u.period = ARENA_ARRAY(&u.arena, int, nvregs + 1);
    u.longest = 1;
    u.outside = ARENA_ARRAY(&u.arena, bool, nvregs + 1);
    find_uniform(&u);
    settle_values(&u);
    const char *why = choose_outs(&u, least);
    if (why && *why) scalar_refuse(j, u.line, "%s", why);
    if (!why) {
        transform_kernel(&u, simt);
        const char *tables = "";
        if (u.longest > 1) tables = arena_printf(j->ir->arena, ", tables of tid mod %d", u.longest);
        scalar_done(j, u.line,
                    "uniform operations: %d issue slots removed, %d values return to lanes%s",
                    u.removed, u.nouts, tables);
        j->changed = true;
        j->scratch = u.bytes;
        j->summary = arena_printf(
            j->ir->arena,
            "extract%s: uniform operations, %d issue slots of each warp removed, "
            "%d added, %d bytes of shared memory%s",
            simt ? " without a unit" : "", u.removed, added_of(&u), (int)u.bytes, tables);
    }
    arena_free(&u.arena);
    return !why;
}
