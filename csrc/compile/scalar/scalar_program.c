// SPDX-License-Identifier: Apache-2.0
// Chooses a paradigm, keeps its notes, and builds scalar programs for all paradigms.
#include "compile/scalar/scalar_program.h"
#include "ptx/ptx.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

// ---- notes ----

static const char *const paradigm_names[] = {"none", "prefetch", "divergence", "extract", "auto"};

static void add_note(ScalarJob *j, ScalarNoteKind kind, int line, const char *format,
                     va_list args) {
    char text[400];
    (void)vsnprintf(text, sizeof text, format, args);
    *ARENA_PUSH(j->ir->arena, j->notes, j->nnotes, j->cap_notes) = (ScalarNote){
        kind, paradigm_names[j->paradigm], line, arena_printf(j->ir->arena, "%s", text)};
}

void scalar_refuse(ScalarJob *j, int line, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add_note(j, SCALAR_NOTE_REFUSED, line, format, args);
    va_end(args);
}

void scalar_done(ScalarJob *j, int line, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add_note(j, SCALAR_NOTE_DONE, line, format, args);
    va_end(args);
}

void scalar_print(FILE *out, const ScalarJob *j) {
    fprintf(out, "scalar %s: %s\n", j->ir->name,
            j->summary ? j->summary : "nothing was transformed");
    for (int i = 0; i < j->nnotes; i++) {
        const ScalarNote *n = &j->notes[i];
        fprintf(out, "  %-8s %-10s ", n->kind == SCALAR_NOTE_DONE ? "done" : "refused",
                n->paradigm);
        if (n->line) fprintf(out, "line %d: ", n->line);
        fprintf(out, "%s\n", n->text);
    }
}

const char *scalar_first_refusal(const ScalarJob *j) {
    for (int i = 0; i < j->nnotes; i++)
        if (j->notes[i].kind == SCALAR_NOTE_REFUSED)
            return arena_printf(j->ir->arena, "nothing: %s, line %d: %s%s", j->notes[i].paradigm,
                                j->notes[i].line, j->notes[i].text, j->nnotes > 1 ? "; ..." : "");
    return "nothing: the kernel has no work for a scalar thread";
}

// ---- building ----

Ir *thread_new(const Ir *ir, const char *suffix) {
    Ir *t = ARENA_NEW(ir->arena, Ir);
    t->arena = ir->arena;
    t->name = *suffix ? arena_printf(ir->arena, "%s%s", ir->name, suffix) : ir->name;
    t->source = ir->source;
    t->param_bytes = ir->param_bytes;
    t->zero_params = ir->zero_params;
    t->nzero_params = ir->nzero_params;
    return t;
}

IrInst *thread_op(Ir *t, int block, int op, int width, int nsrc, int line) {
    IrInst *in = ir_append(t, block, op, nsrc);
    in->mod.ptx_line = line;
    if (width >= 0) in->dst = ir_vreg(t, width);
    return in;
}

IrSrc thread_sreg(Ir *t, int block, int sreg) {
    IrInst *in = thread_op(t, block, ISA_S2R, 1, 0, 0);
    in->mod.sreg = (uint8_t)sreg;
    return ir_reg(t, in->dst);
}

IrSrc thread_op2(Ir *t, int block, int op, int width, IrSrc a, IrSrc b) {
    IrInst *in = thread_op(t, block, op, width, op == ISA_LOP3 ? 3 : 2, 0);
    in->src[0] = a;
    in->src[1] = b;
    if (op == ISA_LOP3) in->src[2] = ir_imm(0), in->mod.lut = ISA_LUT_AND;
    if (op == ISA_IMUL) in->mod.part = ISA_LO, in->mod.type = ISA_S32;
    if (op == ISA_SHR) in->mod.type = ISA_U32;
    return ir_reg(t, in->dst);
}

IrPred thread_setp(Ir *t, int block, IsaCmp cmp, IsaType type, IrSrc a, IrSrc b) {
    IrInst *in = thread_op(t, block, ISA_ISETP, -1, 2, 0);
    in->src[0] = a;
    in->src[1] = b;
    in->mod.cmp = cmp;
    in->mod.type = type;
    in->pdst[0] = ir_vreg(t, 0);
    return (IrPred){in->pdst[0], false};
}

void thread_branch(Ir *t, int block, IrPred p, int yes, int no) {
    IrInst *in = thread_op(t, block, ISA_BRA, -1, 0, 0);
    in->guard = p;
    ir_set_succ(t, block, 2, (int[]){yes, no});
}

void thread_goto(Ir *t, int block, int to) { ir_set_succ(t, block, 1, &to); }

IrInst *thread_bar(Ir *t, int number) {
    IrInst *in = ir_inst(t, ISA_BAR, 1);
    in->src[0] = ir_imm((uint32_t)number);
    in->mod.mode = ISA_BAR_SYNC;
    in->mod.with_scalar = true;
    if (t->max_barrier <= number) t->max_barrier = number + 1;
    return in;
}

IrSrc thread_grid(const ScalarJob *j, Ir *t, int block, int dim) {
    return j->o->grid[dim] ? ir_imm(j->o->grid[dim])
                           : thread_sreg(t, block, PTX_SREG_NCTAID_X + dim);
}

static IrSrc put_divide(Ir *t, int block, IrSrc a, IrSrc b, bool rest) {
    IrInst *in = thread_op(t, block, ISA_IDIV, 1, 2, 0);
    in->src[0] = a;
    in->src[1] = b;
    in->mod.type = ISA_U32;
    in->mod.mode = rest;
    return ir_reg(t, in->dst);
}

void thread_cta(const ScalarJob *j, Ir *t, int block, IrSrc linear, IrSrc id[3]) {
    id[0] = linear;
    id[1] = id[2] = ir_imm(0);
    if (j->o->grid[1] == 1 && j->o->grid[2] == 1) return;
    const IrSrc x = thread_grid(j, t, block, 0), y = thread_grid(j, t, block, 1);
    const IrSrc row = put_divide(t, block, linear, x, false);
    id[0] = put_divide(t, block, linear, x, true);
    id[1] = put_divide(t, block, row, y, true);
    id[2] = put_divide(t, block, row, y, false);
}

int thread_cut(Ir *t, int block, int at) {
    const int rest = ir_block(t);
    IrBlock *k = &t->blocks[block];
    ir_set_succ(t, rest, k->nsucc, k->succ);
    t->blocks[rest].table = k->table, t->blocks[rest].ntable = k->ntable;
    k->table = NULL, k->ntable = 0;
    for (int n = at; n < t->blocks[block].ninsts; n++)
        ir_insert(t, rest, n - at, t->blocks[block].insts[n]);
    t->blocks[block].ninsts = at;
    return rest;
}

int block_index_of(const Ir *ir, int block, const IrInst *in) {
    for (int i = 0; i < ir->blocks[block].ninsts; i++)
        if (ir->blocks[block].insts[i] == in) return i;
    panic("instruction is not in the block");
}

// ---- choice ----

// Finds an obstacle for all paradigms.
static const char *find_obstacle(const Ir *ir, const CompileOptions *o, int *line) {
    *line = 0;
    for (int b = 0; b < ir->nblocks; b++)
        for (int i = 0; i < ir->blocks[b].ninsts; i++) {
            const IrInst *in = ir->blocks[b].insts[i];
            if (in->op != ISA_BAR) continue;
            *line = in->mod.ptx_line;
            if (in->src[0].kind != ISA_SRC_IMM) return "the kernel names a barrier by a register";
            if (in->src[0].imm == (uint64_t)o->cfg->scalar_barrier)
                return "the kernel uses the barrier number of k = 1 (scalar.barrier)";
        }
    return NULL;
}

static bool attempt_paradigm(ScalarJob *j, CompileScalar paradigm) {
    j->paradigm = paradigm;
    switch (paradigm) {
    case COMPILE_SCALAR_PREFETCH:
        if (j->o->cfg->scalar_helper == HELPER_SIMT) {
            scalar_refuse(j, 0, "no thread runs ahead of the warps (scalar.helper=simt)");
            return false;
        }
        return scalar_prefetch(j);
    case COMPILE_SCALAR_EXTRACT: return scalar_extract(j);
    case COMPILE_SCALAR_DIVERGENCE: return scalar_diverge(j);
    default: return false;
    }
}

bool scalar_transform(Ir *ir, const CompileOptions *o, ScalarJob *j) {
    *j = (ScalarJob){.o = o, .ir = ir, .paradigm = o->scalar};
    j->scratch_at = (int64_t)(((uint64_t)ir->shared_bytes + o->dynamic_shared + 15) / 16 * 16);
    int line;
    const char *why = find_obstacle(ir, o, &line);
    if (why) {
        scalar_refuse(j, line, "%s", why);
        return false;
    }
    if (o->scalar != COMPILE_SCALAR_AUTO) return attempt_paradigm(j, o->scalar);
    static const CompileScalar order[] = {COMPILE_SCALAR_EXTRACT, COMPILE_SCALAR_DIVERGENCE,
                                          COMPILE_SCALAR_PREFETCH};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (attempt_paradigm(j, order[i])) return true;
    return false;
}
