// SPDX-License-Identifier: Apache-2.0
// Lowering: one PTX entry and the functions that it calls become machine instructions on virtual
// registers.
//
// requires  a checked PtxFunc without unsupported instructions
//
// provides  blocks with successors; registers may have several definitions; calls are inlined, or
//           jumps if the function is recursive
#include "compile/lower/lower.h"

#include <stdio.h>
#include <string.h>

// ---- frames ----

static bool is_parameter(const PtxFunc *f, int var) {
    if (f->is_entry && var < f->nparams) return false;  // constant bank 0
    return f->vars[var].space == PTX_PARAM;
}

LowerParam *lower_new_param(Lower *l, const PtxVar *v) {
    LowerParam *p = ARENA_NEW(l->ir->arena, LowerParam);
    int words = (int)((v->bytes + 3) / 4);
    p->var = v;
    p->frame = -1;
    p->word = ARENA_ARRAY(l->ir->arena, int, words + 1);
    for (int i = 0; i < words; i++) p->word[i] = ir_vreg(l->ir, 1);
    return p;
}

static int register_width(PtxType t) {
    if (t == PTX_PRED) return 0;
    return ptx_type_bytes(t) == 8 ? 2 : ptx_type_bytes(t) == 16 ? 4 : 1;
}

static LowerFrame *new_frame(Lower *l, const PtxFunc *f, bool stacked) {
    LowerFrame *fr = ARENA_NEW(l->ir->arena, LowerFrame);
    fr->caller = l->fr;
    fr->func = f;
    fr->func_index = (int)(f - l->u->module->funcs);
    fr->vreg = ARENA_ARRAY(l->ir->arena, int, f->nregs + 1);
    for (int i = 0; i < f->nregs; i++)
        fr->vreg[i] = ir_vreg(l->ir, register_width(f->regs[i].type));
    fr->label_block = ARENA_ARRAY(l->ir->arena, int, f->nlabels + 1);
    for (int i = 0; i < f->nlabels; i++) fr->label_block[i] = ir_block(l->ir);
    fr->param = ARENA_ARRAY(l->ir->arena, LowerParam *, f->nvars + 1);
    for (int i = f->is_entry ? 0 : f->nparams + f->nrets; i < f->nvars; i++)
        if (is_parameter(f, i)) fr->param[i] = lower_new_param(l, &f->vars[i]);
    fr->ret_block = fr->carry = IR_NONE;
    fr->stacked = stacked;
    fr->local_base =
        stacked ? lower_stack_room(l, f->local_bytes, 16) : lw_local(l, f->local_bytes, 16);
    return fr;
}

// ---- calls ----

// Does the function use the address of variable `var`?
static bool address_taken(const PtxFunc *f, int var) {
    for (int i = 0; i < f->ninsts; i++)
        for (int k = 0; k < f->insts[i].nopnd; k++) {
            const PtxOperand *o = &f->insts[i].opnd[k];
            if (o->kind == PTX_OPND_VAR && !o->module_scope && o->index == var) return true;
        }
    return false;
}

// A register as the value of a parameter: predicates are passed as words.
IrSrc lower_as_word(Lower *l, int vreg) {
    if (l->ir->width[vreg]) return ir_reg(l->ir, vreg);
    return lw_sel(l, (IrPred){vreg, false}, ir_imm(1), ir_imm(0));
}

// A result that the call writes to a register, or to the sink.
void lower_put_word(Lower *l, const PtxOperand *o, IrSrc value) {
    if (o->kind == PTX_OPND_REG && !l->ir->width[l->fr->vreg[o->index]])
        lw_put_pred(l, o, lw_setp(l, ISA_ISETP, ISA_U32, ISA_NE, value, ir_imm(0)));
    else lw_put(l, o, value);
}

// The argument as words in registers; an operand in .param space is shared with the callee.
LowerParam *lower_bind_argument(Lower *l, const PtxOperand *arg, const PtxVar *formal) {
    if (arg->kind == PTX_OPND_MEM && arg->base == PTX_BASE_VAR && !arg->module_scope &&
        l->fr->param[arg->index])
        return l->fr->param[arg->index];
    LowerParam *p = lower_new_param(l, formal);
    const IrSrc v = arg->kind == PTX_OPND_IMM && formal->bytes == 8 ? ir_imm64(arg->bits)
        : arg->kind == PTX_OPND_REG ? lower_as_word(l, l->fr->vreg[arg->index])
                                    : lw_arg(l, arg);
    lower_param_store(l, p, 0, (int)formal->bytes, v);
    return p;
}

// A callee that uses the address of a parameter gets a copy in local memory.
static LowerParam *copy_to_frame(Lower *l, LowerParam *p, const LowerFrame *fr) {
    LowerParam *copy = ARENA_NEW(l->ir->arena, LowerParam);
    const int64_t bytes = (p->var->bytes + 3) / 4 * 4;
    const int align = p->var->align < 4 ? 4 : p->var->align;
    *copy = *p;
    copy->frame = fr->stacked ? lower_stack_room(l, bytes, align) : lw_local(l, bytes, align);
    for (int i = 0; i < (p->var->bytes + 3) / 4; i++) {
        IrInst *st = lw_emit(l, ISA_ST, 2);
        st->src[0] = fr->stacked ? ir_reg(l->ir, l->sp) : ir_imm(0);
        st->src[1] = ir_reg(l->ir, p->word[i]);
        st->mod.space = ISA_LOCAL;
        st->mod.mem_bytes = 4;
        st->mod.offset = (int32_t)(copy->frame + 4 * i);
    }
    return copy;
}

static bool check_call(Lower *l, const PtxFunc *f) {
    const PtxInst *call = l->in;
    if (call->ncall_args != f->nparams || call->ncall_rets != f->nrets)
        return lw_fail(l, "call of %s with %d arguments and %d results, but it has %d and %d",
                       f->name, call->ncall_args, call->ncall_rets, f->nparams, f->nrets);
    for (int i = 0; i < f->nrets; i++)
        if (address_taken(f, f->nparams + i))
            return lw_fail(l, "%s takes the address of its result", f->name);
    return true;
}

// Binds parameter i of a function to its argument.
static void bind_parameter(Lower *l, LowerFrame *fr, int i, LowerParam *p) {
    const PtxVar *v = &fr->func->vars[i];
    if (v->is_reg) {
        int dst = fr->vreg[v->reg];
        IrSrc value = lower_param_load(l, p, 0, l->ir->width[dst] > 1 ? 4 * l->ir->width[dst] : 4);
        if (!l->ir->width[dst])
            value.reg = lw_setp(l, ISA_ISETP, ISA_U32, ISA_NE, value, ir_imm(0)).reg;
        IrInst *in = lw_emit(l, IR_COPY, 1);
        in->dst = dst;
        in->src[0] = l->ir->width[dst] ? value : (IrSrc){.kind = ISA_SRC_REG, .reg = value.reg};
    } else if (address_taken(fr->func, i)) p = copy_to_frame(l, p, fr);
    fr->param[i] = p;
}

static void bind_parameters(Lower *l, LowerFrame *fr) {
    const PtxInst *call = l->in;
    const PtxFunc *f = fr->func;
    for (int i = 0; i < f->nparams; i++)
        bind_parameter(l, fr, i, lower_bind_argument(l, &call->call_args[i], &f->vars[i]));
    for (int i = 0; i < f->nrets; i++) {
        const PtxOperand *r = &call->call_rets[i];
        bool shared = r->kind == PTX_OPND_MEM && r->base == PTX_BASE_VAR && !r->module_scope;
        int var = f->nparams + i;
        fr->param[var] = shared ? l->fr->param[r->index] : lower_new_param(l, &f->vars[var]);
    }
}

// The frame of a recursive function has its own parameters and results.
void lower_body_frame(Lower *l, const PtxFunc *f, LowerParam *const *arg) {
    LowerFrame *fr = new_frame(l, f, true);
    for (int i = 0; i < f->nparams; i++) {
        LowerParam *p = lower_new_param(l, &f->vars[i]);
        lower_copy_param(l, p, arg[i]);
        bind_parameter(l, fr, i, p);
    }
    for (int i = f->nparams; i < f->nparams + f->nrets; i++)
        fr->param[i] = lower_new_param(l, &f->vars[i]);
    fr->ret_block = lw_new_block(l);
    l->fr = fr;
}

// Results that are registers on either side.
static void copy_results(Lower *l, const LowerFrame *fr) {
    const PtxFunc *f = fr->func;
    for (int i = 0; i < f->nrets; i++) {
        LowerParam *p = fr->param[f->nparams + i];
        const PtxVar *v = &f->vars[f->nparams + i];
        if (v->is_reg)
            lower_param_store(l, p, 0, (int)v->bytes, lower_as_word(l, fr->vreg[v->reg]));
        const PtxOperand *r = &l->in->call_rets[i];
        if (r->kind == PTX_OPND_REG)
            lower_put_word(l, r, lower_param_load(l, p, 0, (int)p->var->bytes));
    }
}

static bool inline_call(Lower *l, const PtxFunc *callee) {
    const PtxInst *call = l->in;
    LowerFrame *fr = new_frame(l, callee, false), *caller = l->fr;
    bind_parameters(l, fr);
    fr->ret_block = lw_new_block(l);
    l->fr = fr;
    bool ok = lower_function(l);
    l->fr = caller;
    l->in = call;
    l->guarded = false;  // the callee's last instruction may have had a guard
    if (!ok) return false;
    lw_start(l, fr->ret_block);
    copy_results(l, fr);
    return true;
}

typedef struct Runtime {
    const char *name;
    IsaSyscall number;
    int nargs, bytes;
    struct {
        int at, bytes;
    } arg[5];
} Runtime;
static const Runtime runtime_functions[] = {
    {"vprintf", ISA_SYS_VPRINTF, 2, 16, {{0, 8}, {8, 8}}},
    {"__assertfail", ISA_SYS_ASSERTFAIL, 5, 40, {{0, 8}, {8, 8}, {16, 4}, {24, 8}, {32, 8}}},
    {"malloc", ISA_SYS_MALLOC, 1, 8, {{0, 8}}},
    {"free", ISA_SYS_FREE, 1, 8, {{0, 8}}},
};

static bool lower_runtime_call(Lower *l, const PtxFunc *callee) {
    const PtxInst *call = l->in;
    const Runtime *rt = NULL;
    for (size_t i = 0; i < sizeof runtime_functions / sizeof *runtime_functions; i++)
        if (!strcmp(runtime_functions[i].name, callee->name)) rt = &runtime_functions[i];
    if (!rt)
        return lw_fail(l, "call of %s, which has no body and is not part of the runtime",
                       callee->name);
    if (call->ncall_args != rt->nargs)
        return lw_fail(l, "call of %s with %d arguments, expected %d", callee->name,
                       call->ncall_args, rt->nargs);
    int64_t block = lw_local(l, rt->bytes, 8);
    for (int i = 0; i < rt->nargs; i++) {
        PtxVar formal = {.bytes = rt->arg[i].bytes, .align = rt->arg[i].bytes};
        LowerParam *p = lower_bind_argument(l, &call->call_args[i], &formal);
        IrSrc v = lower_param_load(l, p, 0, rt->arg[i].bytes);
        IrInst *st = lw_emit(l, ISA_ST, 2);
        st->src[0] = ir_imm(0);
        st->src[1] = v;
        st->mod.space = ISA_LOCAL;
        st->mod.mem_bytes = (uint8_t)rt->arg[i].bytes;
        st->mod.offset = (int32_t)(block + rt->arg[i].at);
    }
    IrInst *sys = lw_emit(l, ISA_SYSCALL, 1);
    sys->src[0] = ir_imm((uint32_t)block);
    sys->mod.mode = (uint8_t)rt->number;
    if (!call->ncall_rets) return true;
    int width = rt->number == ISA_SYS_MALLOC ? 2 : 1;
    sys->dst = ir_vreg(l->ir, width);
    IrSrc r = ir_reg(l->ir, sys->dst);
    const PtxOperand *o = &call->call_rets[0];
    if (o->kind == PTX_OPND_REG) lw_put(l, o, r);
    else if (o->kind == PTX_OPND_MEM && o->base == PTX_BASE_VAR && l->fr->param[o->index])
        lower_param_store(l, l->fr->param[o->index], 0, 4 * width, r);
    return true;
}

static bool lower_call(Lower *l) {
    const PtxOperand *o = &l->in->opnd[0];
    if (o->kind != PTX_OPND_FUNC)
        return lw_fail(l, "indirect call: only calls of named functions are supported");
    const PtxFunc *callee = &l->u->module->funcs[o->index];
    bool guarded = l->guarded;
    int after = IR_NONE;
    if (guarded) {
        after = lw_new_block(l);
        int body = lw_new_block(l);
        lw_branch(l, l->guard, body, after);
        lw_start(l, body);
        l->guarded = false;
    }
    bool ok = true;
    if (callee->is_prototype_only || callee->is_extern || !callee->ninsts)
        ok = lower_runtime_call(l, callee);
    else if (!check_call(l, callee)) ok = false;
    else if (lower_is_recursive(l, callee)) lower_stack_call(l, callee);
    else ok = inline_call(l, callee);
    if (ok && guarded) lw_start(l, after);
    return ok;
}

// ---- control flow ----

static void lower_leave(Lower *l, int op) {
    if (op == ISA_EXIT && l->fr->ret_block != IR_NONE && l->in->op == PTX_RET) {
        if (!l->guarded) {
            lw_goto(l, l->fr->ret_block);
            return;
        }
        int next = lw_new_block(l);
        lw_branch(l, l->guard, l->fr->ret_block, next);
        lw_start(l, next);
        return;
    }
    IrInst *in = lw_emit(l, op, 0);
    if (l->guarded) in->guard = l->guard;
    else l->open = false;
}

static bool lower_bra(Lower *l) {
    int target = l->fr->label_block[l->in->opnd[0].index];
    if (!l->guarded) {
        lw_goto(l, target);
        return true;
    }
    int next = lw_new_block(l);
    lw_branch(l, l->guard, target, next);
    lw_start(l, next);
    return true;
}

static bool lower_brx(Lower *l) {
    const PtxInst *in = l->in;
    IrSrc index = lw_arg32(l, 0);
    int next = IR_NONE;
    if (l->guarded) {
        next = lw_new_block(l);
        int body = lw_new_block(l);
        lw_branch(l, l->guard, body, next);
        lw_start(l, body);
    }
    IrInst *b = lw_emit(l, ISA_BRX, 1);
    b->src[0] = index;
    int *succ = ARENA_ARRAY(l->ir->arena, int, in->ntargets), nsucc = 0;
    int *table = ARENA_ARRAY(l->ir->arena, int, in->ntargets);
    for (int i = 0; i < in->ntargets; i++) {
        int target = l->fr->label_block[in->targets[i]], k = 0;
        while (k < nsucc && succ[k] != target) k++;
        if (k == nsucc) succ[nsucc++] = target;
        table[i] = k;
    }
    ir_set_succ(l->ir, l->block, nsucc, succ);
    l->ir->blocks[l->block].table = table;
    l->ir->blocks[l->block].ntable = in->ntargets;
    l->open = false;
    if (next != IR_NONE) lw_start(l, next);
    return true;
}

// Lowers a guarded barrier: the lanes with a true guard reach it.
static bool lower_guarded_barrier(Lower *l) {
    int after = lw_new_block(l), body = lw_new_block(l);
    lw_branch(l, l->guard, body, after);
    lw_start(l, body);
    l->guarded = false;
    bool ok = lower_misc(l);
    lw_start(l, after);
    return ok;
}

static bool is_float_op(const PtxInst *in) { return in->type == PTX_F32 || in->type == PTX_F64; }

static bool is_half_op(const PtxInst *in) {
    if (in->op == PTX_CVT || in->op == PTX_ATOM || in->op == PTX_RED) return false;
    return ptx_type_is_half(in->op == PTX_SET ? in->type2 : in->type);
}

static bool lower_operation(Lower *l) {
    const PtxInst *in = l->in;
    if (is_half_op(in)) return lower_half(l);
    switch (in->op) {
    case PTX_TEX:
    case PTX_LD:
    case PTX_LDU:
    case PTX_ST:
    case PTX_ATOM:
    case PTX_RED:
    case PTX_CVTA:
    case PTX_ISSPACEP:
    case PTX_PREFETCH:
    case PTX_PREFETCHU: return lower_mem(l);
    case PTX_MOV: return lower_mov(l);
    case PTX_CVT: return lower_cvt(l);
    case PTX_CVT_PACK: return lower_cvt_pack(l);
    case PTX_SETP: return lower_setp(l);
    case PTX_CALL: return lower_call(l);
    case PTX_BAR:
    case PTX_BAR_ARRIVE:
    case PTX_BAR_RED:
    case PTX_MEMBAR:
    case PTX_FENCE: return l->guarded ? lower_guarded_barrier(l) : lower_misc(l);
    case PTX_MMA:
    case PTX_SET:
    case PTX_SELP:
    case PTX_SLCT:
    case PTX_SHFL:
    case PTX_VOTE:
    case PTX_ACTIVEMASK:
    case PTX_MATCH:
    case PTX_REDUX:
    case PTX_BAR_WARP_SYNC:
    case PTX_NANOSLEEP:
    case PTX_FNS: return lower_misc(l);
    default:
        return is_float_op(in)       ? lower_float(l)
            : ptx_video(in->op).kind ? lower_video(l)
                                     : lower_int(l);
    }
}

// A guard that the first of two destinations overwrites is still the guard of the second: a copy.
static void keep_guard(Lower *l) {
    const PtxInst *in = l->in;
    const PtxOperand *first = &in->opnd[0];
    if (!l->guarded || in->dst2.kind != PTX_OPND_REG || first->kind != PTX_OPND_REG ||
        first->index != in->guard)
        return;
    IrInst *copy = lw_emit(l, IR_COPY, 1);
    copy->src[0] = (IrSrc){.kind = ISA_SRC_REG, .reg = l->guard.reg, .neg = l->guard.neg};
    copy->dst = ir_vreg(l->ir, 0);
    l->guard = (IrPred){copy->dst, false};
}

static bool lower_instruction(Lower *l, const PtxInst *in) {
    l->in = in;
    l->guarded = in->guard >= 0;
    if (l->guarded) l->guard = (IrPred){l->fr->vreg[in->guard], in->guard_negated};
    keep_guard(l);
    if (in->op == PTX_UNSUPPORTED) return ptx_refuse(l->u->module, in, l->d);
    switch (in->op) {
    case PTX_BRA: return lower_bra(l);
    case PTX_BRX_IDX: return lower_brx(l);
    case PTX_RET:
    case PTX_EXIT: lower_leave(l, ISA_EXIT); return true;
    case PTX_TRAP:
    case PTX_BRKPT: lower_leave(l, ISA_TRAP); return true;
    default: return lower_operation(l);
    }
}

bool lower_function(Lower *l) {
    const PtxFunc *f = l->fr->func;
    int *label_at =
        ARENA_ARRAY(l->ir->arena, int, f->ninsts + 1);  // first label of an instruction, + 1
    int *more = ARENA_ARRAY(l->ir->arena, int, f->nlabels + 1);  // further ones, + 1
    for (int i = 0; i < f->nlabels; i++) {
        more[i] = label_at[f->labels[i].inst];
        label_at[f->labels[i].inst] = i + 1;
    }
    for (int i = 0; i <= f->ninsts; i++) {
        for (int k = label_at[i]; k; k = more[k - 1]) lw_start(l, l->fr->label_block[k - 1]);
        if (i == f->ninsts) break;
        if (!l->open) lw_start(l, lw_new_block(l));  // unreachable: checked, then dropped
        if (!lower_instruction(l, &f->insts[i]) || !diag_ok(l->d)) return false;
    }
    if (!l->open) return true;  // the end of the function acts as ret
    if (l->fr->ret_block != IR_NONE) {
        lw_goto(l, l->fr->ret_block);
    } else {
        lw_emit(l, ISA_EXIT, 0);
        l->open = false;
    }
    return true;
}

bool lower_entry(Ir *ir, const CompileUnit *u, const PtxFunc *entry, Diag *d) {
    Lower l = {.ir = ir, .u = u, .d = d};
    ir->param_bytes = entry->param_bytes;
    ir->shared_bytes =
        u->shared->dynamic_offset;  // static variables, up to where extern arrays start
    int first = ir_block(ir);
    l.fr = NULL;
    l.sp = IR_NONE;
    ir->local_bytes = u->layout->local_bytes;  // variables of the module are first
    l.fr = new_frame(&l, entry, false);
    lw_start(&l, first);
    return lower_function(&l) && lower_bodies(&l);
}
