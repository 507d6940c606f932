// SPDX-License-Identifier: Apache-2.0
// Recursive functions: each is lowered once per kernel instead of being inlined, and its calls jump
// to that body. A register, the stack pointer, holds the start of the running call's frame in local
// memory:
//
//   + 0    number of the call site to return to, stored by the caller.
//   + 16 .local variables of the function, and parameters whose address is used.
//   then   registers of this call that are live across a nested call: saved before the jump,
//          restored after it.
//          jump, restored after it
//
// Arguments and results have their own registers. A call advances the pointer by the caller's frame
// (the kernel itself has none), so the stack grows upwards. If a frame does not fit, the kernel
// ends. A return is a BRX over the sites that call the function. Threads of a warp at different
// depths reconverge at the post-dominator, at the latest after the outermost call.
#include "compile/lower/lower.h"

#include <string.h>

enum { FRAME_LOCALS = 16, FRAME_ALIGN = 16 };

// One call of a recursive function. `from` jumps to the body, `site` is where it returns to.
typedef struct StackCall {
    struct StackCall *next;
    LowerBody *body, *caller;  // caller: the recursive function around it, NULL: the kernel
    int from, site;
    // patched with the caller's frame and the largest frame, once all is lowered
    IrInst *down, *fits, *up;
} StackCall;

struct LowerBody {
    LowerBody *next;
    const PtxFunc *func;
    LowerParam **arg, **result;  // shared by the callers and the body
    int entry;                   // its block
    int first_vreg, last_vreg;   // registers of the body: [first, last)
    int leave;                   // the block that returns
    // bytes of a frame; with the registers of the call that saves most
    int64_t frame, saved;
    int nsites;
};

// ---- which functions ----

// Does `from` call `to`, directly or through others?
static bool reaches_func(const PtxModule *m, int from, int to, bool *seen) {
    const PtxFunc *f = &m->funcs[from];
    for (int i = 0; i < f->ninsts; i++) {
        if (f->insts[i].op != PTX_CALL || f->insts[i].opnd[0].kind != PTX_OPND_FUNC) continue;
        const int callee = f->insts[i].opnd[0].index;
        if (callee == to) return true;
        if (seen[callee]) continue;
        seen[callee] = true;
        if (reaches_func(m, callee, to, seen)) return true;
    }
    return false;
}

bool lower_is_recursive(Lower *l, const PtxFunc *f) {
    const PtxModule *m = l->u->module;
    const int index = (int)(f - m->funcs);
    if (!l->recursive) l->recursive = ARENA_ARRAY(l->ir->arena, signed char, m->nfuncs);
    if (!l->recursive[index]) {
        bool *seen = ARENA_ARRAY(l->ir->arena, bool, m->nfuncs);
        l->recursive[index] = reaches_func(m, index, index, seen) ? 1 : -1;
    }
    return l->recursive[index] > 0;
}

// ---- calls ----

static LowerBody *body_of(Lower *l, const PtxFunc *f) {
    LowerBody **end = &l->bodies;
    for (; *end; end = &(*end)->next)
        if ((*end)->func == f) return *end;
    LowerBody *b = ARENA_NEW(l->ir->arena, LowerBody);
    b->func = f;
    b->entry = lw_new_block(l);
    b->arg = ARENA_ARRAY(l->ir->arena, LowerParam *, f->nparams + 1);
    b->result = ARENA_ARRAY(l->ir->arena, LowerParam *, f->nrets + 1);
    for (int i = 0; i < f->nparams; i++) b->arg[i] = lower_new_param(l, &f->vars[i]);
    for (int i = 0; i < f->nrets; i++) b->result[i] = lower_new_param(l, &f->vars[f->nparams + i]);
    return *end = b;
}

void lower_copy_param(Lower *l, const LowerParam *to, const LowerParam *from) {
    for (int i = 0; i < (int)((to->var->bytes + 3) / 4); i++) {
        IrInst *in = lw_emit(l, IR_COPY, 1);
        in->dst = to->word[i];
        in->src[0] =
            i < (int)((from->var->bytes + 3) / 4) ? ir_reg(l->ir, from->word[i]) : ir_imm(0);
    }
}

// The stack pointer moves by a frame whose size is not known yet: returns the addition.
static IrInst *move_pointer(Lower *l) {
    lw_op2(l, ISA_IADD, 1, ir_reg(l->ir, l->sp), ir_imm(0));
    IrInst *add = lw_last(l);
    IrInst *copy = lw_emit(l, IR_COPY, 1);
    copy->dst = l->sp;
    copy->src[0] = ir_reg(l->ir, add->dst);
    return add;
}

static IrInst *local_access(Ir *ir, int op, int nsrc, int sp, int64_t at, int bytes) {
    IrInst *in = ir_inst(ir, op, nsrc);
    in->src[0] = ir_reg(ir, sp);
    in->mod.space = ISA_LOCAL;
    in->mod.mem_bytes = (uint8_t)bytes;
    in->mod.offset = (int32_t)at;
    in->mod.type = bytes == 4 ? ISA_U32 : ISA_U64;
    return in;
}

static void append_inst(Lower *l, IrInst *in) {
    in->mod.ptx_line = l->in ? l->in->line : 0;
    ir_insert(l->ir, l->block, l->ir->blocks[l->block].ninsts, in);
}

void lower_stack_call(Lower *l, const PtxFunc *f) {
    LowerBody *body = body_of(l, f);
    const PtxInst *call = l->in;
    StackCall *c = ARENA_NEW(l->ir->arena, StackCall), **end = &l->stack_calls;
    if (l->sp == IR_NONE) l->sp = ir_vreg(l->ir, 1);
    for (int i = 0; i < f->nparams; i++)
        lower_copy_param(l, body->arg[i], lower_bind_argument(l, &call->call_args[i], &f->vars[i]));
    *c = (StackCall){
        .body = body, .caller = l->body, .from = lw_new_block(l), .site = lw_new_block(l)};
    lw_start(l, c->from);
    c->down = move_pointer(l);
    const IrPred full = lw_setp(l, ISA_ISETP, ISA_U32, ISA_GT, ir_reg(l->ir, l->sp), ir_imm(0));
    c->fits = lw_last(l);
    IrInst *trap = lw_emit(l, ISA_TRAP, 0);
    trap->guard = full;
    trap->mod.mode = ISA_TRAP_STACK;
    IrInst *number = local_access(l->ir, ISA_ST, 2, l->sp, 0, 4);
    number->src[1] = ir_imm((uint32_t)body->nsites++);
    append_inst(l, number);
    // Until all bodies are lowered, the call returns immediately.
    ir_set_succ(l->ir, l->block, 2, (int[]){c->site, body->entry});
    l->open = false;
    lw_start(l, c->site);
    c->up = move_pointer(l);
    for (int i = 0; i < f->nrets; i++) {
        const PtxOperand *r = &call->call_rets[i];
        if (r->kind == PTX_OPND_REG)
            lower_put_word(l, r, lower_param_load(l, body->result[i], 0, (int)f->rets[i].bytes));
        else if (r->kind == PTX_OPND_MEM && r->base == PTX_BASE_VAR && !r->module_scope)
            lower_copy_param(l, l->fr->param[r->index], body->result[i]);
    }
    while (*end) end = &(*end)->next;
    *end = c;
}

// ---- bodies ----

int64_t lower_stack_room(Lower *l, int64_t bytes, int align) {
    LowerBody *b = l->body;
    const int64_t at = (b->frame + align - 1) / align * align;
    b->frame = at + bytes;
    return at;
}

static bool lower_body(Lower *l, LowerBody *b) {
    const PtxFunc *f = b->func;
    l->body = b;
    l->guarded = false;
    b->frame = FRAME_LOCALS;
    b->first_vreg = l->ir->nvregs;
    lw_start(l, b->entry);
    lower_body_frame(l, f, b->arg);
    if (!lower_function(l)) return false;
    b->leave = l->fr->ret_block;
    l->guarded = false;
    lw_start(l, b->leave);
    for (int i = 0; i < f->nrets; i++) {
        const PtxVar *v = &f->vars[f->nparams + i];
        if (v->is_reg)
            lower_param_store(l, b->result[i], 0, (int)v->bytes,
                              lower_as_word(l, l->fr->vreg[v->reg]));
        else lower_copy_param(l, b->result[i], l->fr->param[f->nparams + i]);
    }
    IrInst *to = local_access(l->ir, ISA_LD, 1, l->sp, 0, 4);
    to->dst = ir_vreg(l->ir, 1);
    append_inst(l, to);
    lw_emit(l, ISA_BRX, 1)->src[0] = ir_reg(l->ir, to->dst);
    l->open = false;
    b->leave = l->block;
    b->last_vreg = l->ir->nvregs;
    return true;
}

// ---- what is known once all is lowered ----

// Saves register v before the call and restores it after it. Predicates travel as words.
static void keep_register(Lower *l, StackCall *c, int v, int *before, int *after) {
    Ir *ir = l->ir;
    const int width = ir->width[v], bytes = width ? 4 * width : 4;
    const int64_t at = (c->caller->frame + bytes - 1) / bytes * bytes;
    int word = v;
    if (!width) {
        IrInst *sel = ir_inst(ir, ISA_SEL, 2);
        word = sel->dst = ir_vreg(ir, 1);
        sel->src[0] = ir_imm(1);
        sel->src[1] = ir_imm(0);
        sel->psrc[0] = (IrPred){v, false};
        ir_insert(ir, c->from, (*before)++, sel);
    }
    IrInst *save = local_access(ir, ISA_ST, 2, l->sp, at, bytes);
    save->src[1] = ir_reg(ir, word);
    ir_insert(ir, c->from, (*before)++, save);
    IrInst *restore = local_access(ir, ISA_LD, 1, l->sp, at, bytes);
    restore->dst = width ? v : ir_vreg(ir, 1);
    ir_insert(ir, c->site, (*after)++, restore);
    if (!width) {
        IrInst *is = ir_inst(ir, ISA_ISETP, 2);
        is->src[0] = ir_reg(ir, restore->dst);
        is->src[1] = ir_imm(0);
        is->mod.type = ISA_U32;
        is->mod.cmp = ISA_NE;
        is->pdst[0] = v;
        ir_insert(ir, c->site, (*after)++, is);
    }
    c->caller->frame = at + bytes;
}

static void mark_words(bool *passed, LowerParam *const *params, int n) {
    for (int i = 0; i < n; i++)
        for (int w = 0; w < (int)((params[i]->var->bytes + 3) / 4); w++)
            passed[params[i]->word[w]] = true;
}

// Registers in which arguments and results travel: of no call.
static bool *passed_registers(Lower *l) {
    bool *passed = ARENA_ARRAY(l->ir->arena, bool, l->ir->nvregs);
    for (const LowerBody *b = l->bodies; b; b = b->next) {
        mark_words(passed, b->arg, b->func->nparams);
        mark_words(passed, b->result, b->func->nrets);
    }
    return passed;
}

static void keep_live(Lower *l, StackCall *c, const Live *live, const bool *passed) {
    int before = 0, after = 2;  // position after the two instructions that restore the pointer
    LowerBody *b = c->caller;
    const int64_t locals = b->frame;
    const uint64_t *in = live->in + (size_t)live->words * (size_t)c->site;
    for (int v = b->first_vreg; v < b->last_vreg; v++) {
        bool is_live = false;
        for (int w = 0; w < ir_units(l->ir->width[v]); w++)
            is_live |= bit_get(in, live->unit[v] + w);
        if (is_live && !passed[v]) keep_register(l, c, v, &before, &after);
    }
    if (b->frame > b->saved) b->saved = b->frame;
    b->frame = locals;  // all calls of a function save their registers at the same address
}

static void connect_body(Lower *l, const LowerBody *b) {
    int *succ = ARENA_ARRAY(l->ir->arena, int, b->nsites),
        *table = ARENA_ARRAY(l->ir->arena, int, b->nsites), n = 0;
    for (const StackCall *c = l->stack_calls; c; c = c->next)
        if (c->body == b) table[n] = n, succ[n++] = c->site;
    ir_set_succ(l->ir, b->leave, n, succ);
    l->ir->blocks[b->leave].table = table;
    l->ir->blocks[b->leave].ntable = n;
}

static int64_t align_frame(int64_t bytes) {
    return (bytes + FRAME_ALIGN - 1) / FRAME_ALIGN * FRAME_ALIGN;
}

static bool finish_calls(Lower *l, int64_t stack) {
    Live live;
    const LowerBody *widest = l->bodies;
    cfg_analyze(l->ir);
    live_compute(&live, l->ir, l->ir->arena);
    const bool *passed = passed_registers(l);
    for (StackCall *c = l->stack_calls; c; c = c->next)
        if (c->caller) keep_live(l, c, &live, passed);
    for (LowerBody *b = l->bodies; b; b = b->next) {
        b->frame = align_frame(b->saved > b->frame ? b->saved : b->frame);
        if (b->frame > widest->frame) widest = b;
    }
    const int64_t end = stack + l->u->stack_bytes - widest->frame;
    if (end < stack)
        return diag_fail_at(
            l->d, &l->u->module->src, widest->func->line, widest->func->col,
            "a frame of %s, which is recursive, has %lld bytes, the stack has %d (compiler.stack)",
            widest->func->name, (long long)widest->frame, l->u->stack_bytes);
    for (StackCall *c = l->stack_calls; c; c = c->next) {
        const uint32_t frame = c->caller ? (uint32_t)c->caller->frame : 0;
        c->down->src[1] = ir_imm(frame);
        c->fits->src[1] = ir_imm((uint32_t)end);
        c->up->src[1] = ir_imm(0 - frame);
        ir_set_succ(l->ir, c->from, 1, &c->body->entry);
    }
    for (const LowerBody *b = l->bodies; b; b = b->next) connect_body(l, b);
    return true;
}

// Lowers the bodies of all recursive functions that the kernel calls; these may call further ones.
bool lower_bodies(Lower *l) {
    if (!l->bodies) return true;
    for (LowerBody *b = l->bodies; b; b = b->next)
        if (!lower_body(l, b)) return false;
    const int64_t stack = lw_local(l, l->u->stack_bytes, FRAME_ALIGN);
    IrInst *start = ir_inst(l->ir, IR_COPY, 1);
    start->dst = l->sp;
    start->src[0] = ir_imm((uint32_t)stack);
    ir_insert(l->ir, 0, 0, start);
    return finish_calls(l, stack);
}
