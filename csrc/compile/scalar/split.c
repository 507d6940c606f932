// SPDX-License-Identifier: Apache-2.0
// Extraction for CTAs of one thread (paper, section VIII, its benchmark NN): warps and scalar
// threads share the CTAs of the grid.
//
// requires  the SIMT program; a CTA of one thread
//
// provides  a second copy of the program as the scalar thread, for another CTA.
//           Only the first ceil(G / 2) CTAs of a grid of G start (half_grid). The thread of CTA c
//           does the work of CTA c + ceil(G / 2), if that exists. The program of the warps is
//           unchanged.
//
// The two sides do not communicate: there are no barriers and no shared memory. A CTA that may wait
// for another one is left unchanged. Otherwise waiting threads could hold the contexts that the
// other CTA requires to start. The split pays off (scalar.extract: profitable) if a scalar thread
// takes less than twice the time of a warp and CTAs of the grid wait to start.
#include "compile/scalar/scalar_program.h"
#include "ptx/ptx.h"

// scalar.clock up to which the thread ends before a warp would have done both CTAs
enum { SLOWEST = 2 };

// Accesses by which one CTA may observe another CTA.
static const char *find_waiting(const IrInst *in) {
    if (in->op == ISA_ATOM && (in->dst != IR_NONE || in->pdst[0] != IR_NONE))
        return "an atomic that returns a value";
    const bool fresh = in->mod.ordered || in->mod.cache == ISA_CACHE_VOLATILE;
    if (in->op == ISA_LD && fresh) return "a volatile or ordered load";
    return NULL;
}

static const char *find_refusal(const Ir *ir, int *line) {
    for (int i = 0; i < ir->norder; i++) {
        const IrBlock *k = &ir->blocks[ir->order[i]];
        for (int n = 0; n < k->ninsts; n++) {
            const IrInst *in = k->insts[n];
            const char *why = path_refuses(in, ir);
            *line = in->mod.ptx_line;
            if (!why) why = find_waiting(in);
            if (why) return why;
            if (ir_is_memory(in) && in->mod.space == ISA_SHARED)
                return "an access to shared memory";
        }
    }
    return NULL;
}

static const char *does_not_pay(const ScalarJob *j) {
    const CompileOptions *o = j->o;
    const uint64_t ctas = (uint64_t)o->grid[0] * o->grid[1] * o->grid[2];
    if (o->cfg->scalar_extract == EXTRACT_ALL) return NULL;
    if (o->cfg->scalar_clock > SLOWEST)
        return arena_printf(j->ir->arena,
                            "the thread's clock is %d times slower than that of the warps",
                            o->cfg->scalar_clock);
    if (ctas && o->resident && ctas <= (uint64_t)o->resident)
        return arena_printf(j->ir->arena, "all %d CTAs are resident at once", (int)ctas);
    return NULL;
}

// Coordinates of the CTA for which the thread works; if it does not exist, the thread ends.
static void other_cta(const ScalarJob *j, Ir *t, IrSrc id[3]) {
    IrSrc size[3];
    for (int d = 0; d < 3; d++) size[d] = thread_grid(j, t, 0, d);
    const IrSrc xy = thread_op2(t, 0, ISA_IMUL, 1, size[0], size[1]),
                all = thread_op2(t, 0, ISA_IMUL, 1, xy, size[2]);
    const IrSrc more = thread_op2(t, 0, ISA_IADD, 1, all, ir_imm(1));
    const IrSrc half = thread_op2(t, 0, ISA_SHR, 1, more, ir_imm(1));
    const IrSrc cta = thread_op2(t, 0, ISA_IADD, 1, thread_sreg(t, 0, ISA_SREG_CTA_LINEAR), half);
    const IrPred beyond = thread_setp(t, 0, ISA_GE, ISA_U32, cta, all);
    thread_op(t, 0, ISA_EXIT, -1, 0, 0)->guard = beyond;
    thread_cta(j, t, 0, cta, id);
}

static void write_thread(ScalarJob *j) {
    Ir *t = j->thread = path_copy(j->ir);
    const ThreadPath as_thread_0 = {.ir = j->ir, .alive = IR_PT};
    IrSrc id[3];
    other_cta(j, t, id);
    for (int b = 0; b < j->ir->nblocks; b++)
        for (int n = 0; n < j->ir->blocks[b].ninsts; n++) {
            IrInst *in = path_inst(&as_thread_0, t, j->ir->blocks[b].insts[n]);
            const int d = in->op == ISA_S2R ? in->mod.sreg - PTX_SREG_CTAID_X : -1;
            if (d >= 0 && d < 3) {
                const int dst = in->dst;
                in = ir_inst(t, IR_COPY, 1);
                in->dst = dst;
                in->src[0] = id[d];
            }
            thread_put(t, b, in);
        }
}

bool scalar_split(ScalarJob *j) {
    const uint32_t *n = j->o->block;
    if (n[0] != 1 || n[1] != 1 || n[2] != 1) return false;
    int line = 0;
    const bool shared = j->ir->shared_bytes || j->o->dynamic_shared;
    const char *why = shared ? "it has shared memory" : find_refusal(j->ir, &line);
    if (!why) {
        line = 0;
        why = does_not_pay(j);
    }
    if (why) {
        scalar_refuse(j, line, "CTAs of one thread: %s", why);
        return false;
    }
    ssa_destruct(j->ir);
    write_thread(j);
    j->changed = j->half_grid = true;
    scalar_done(j, 0, "CTAs of one thread: the scalar threads run every second CTA");
    j->summary = "extract: CTAs of one thread, half of them run by scalar threads";
    return true;
}
