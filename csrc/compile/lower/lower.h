// SPDX-License-Identifier: Apache-2.0
// Inside of lowering: PTX instructions -> the compiler's form. `lower.c` walks functions and
// control flow and inlines calls. The other files hold one function per group of PTX opcodes:
// lower_int.c, lower_video.c, lower_float.c, lower_half.c, lower_mem.c and lower_misc.c.
#ifndef SMCOSIM_COMPILE_LOWER_H
#define SMCOSIM_COMPILE_LOWER_H

#include "compile/ir.h"

// A .param variable of a call sequence, or a parameter of a .func, with one register per word.
typedef struct LowerParam {
    const PtxVar *var;
    int *word;      // (var->bytes + 3) / 4 registers of one word
    int64_t frame;  // -1, or its offset in local memory if its address is taken
} LowerParam;

// One function being lowered: the entry, or one inlined call.
typedef struct LowerFrame {
    struct LowerFrame *caller;
    const PtxFunc *func;
    int func_index;
    int *vreg;  // per PTX register
    int *label_block;
    // parameter for each variable of the function; NULL: not a parameter in registers
    LowerParam **param;
    int ret_block;  // target block of `ret`; IR_NONE in the entry
    int carry;      // predicate CC.CF; IR_NONE until used
    // start of its .local variables: in local memory, or in the frame if the function is recursive
    int64_t local_base;
    bool stacked;  // .local variables are in the frame, relative to the stack pointer
} LowerFrame;

typedef struct LowerBody LowerBody;  // a recursive function (lower_recursion.c)

typedef struct Lower {
    Ir *ir;
    const CompileUnit *u;
    Diag *d;
    LowerFrame *fr;
    int block;  // block that is being filled
    int seq;    // blocks started so far
    bool open;  // control reaches the end of `block`
    const PtxInst *in;
    bool guarded;  // `in` has a guard
    IrPred guard;
    // the stack pointer of recursive functions; IR_NONE: no recursive functions
    int sp;
    LowerBody *bodies, *body;  // all bodies; the body that is being lowered
    struct StackCall *stack_calls;
    signed char *recursive;  // per function of the module: 1 yes, -1 no, 0 not known yet
} Lower;

// ---- lower.c: operands and emission ----
bool lw_fail(Lower *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
IrInst *lw_emit(Lower *l, int op, int nsrc);  // appended to the current block
IrSrc lw_op(Lower *l, int op, int width, int n,
            const IrSrc *src);  // new register, returned as a source
IrSrc lw_op1(Lower *l, int op, int width, IrSrc a);
IrSrc lw_op2(Lower *l, int op, int width, IrSrc a, IrSrc b);
IrSrc lw_op3(Lower *l, int op, int width, IrSrc a, IrSrc b, IrSrc c);
IrInst *lw_last(Lower *l);                                   // the instruction just emitted
IrSrc lw_lop(Lower *l, int lut, IrSrc a, IrSrc b, IrSrc c);  // LOP3
IrSrc lw_lop64(Lower *l, int lut, IrSrc a, IrSrc b);
IrSrc lw_neg(IrSrc s);                       // negated source of an addition
IrSrc lw_word(Lower *l, IrSrc s, int word);  // one word of a wider source
IrSrc lw_join(Lower *l, IrSrc lo, IrSrc hi);
IrSrc lw_sel(Lower *l, IrPred p, IrSrc a, IrSrc b);                     // p ? a : b
IrSrc lw_shift(Lower *l, int op, IsaType type, IrSrc a, IrSrc amount);  // SHL SHR SHL64 SHR64
IrPred lw_setp(Lower *l, int op, IsaType type, IsaCmp cmp, IrSrc a, IrSrc b);
IrPred lw_plop(Lower *l, int lut, IrPred a, IrPred b, IrPred c);
IrPred lw_not(IrPred p);
IrPred lw_true(void);

// 1 yes, -1 no, 0 not determined yet (per function of the module)
IrSrc lw_arg(Lower *l, const PtxOperand *o);
IrSrc lw_arg32(Lower *l, int i);            // low word of operand i
IrSrc lw_arg64(Lower *l, int i);            // operand i as a pair, zero-extended
IrSrc lw_argx(Lower *l, int i, PtxType t);  // 8- and 16-bit extended to a word as t says
IrPred lw_argp(Lower *l, const PtxOperand *o);
IrSrc lw_extend(Lower *l, IrSrc s, PtxType t);            // as lw_argx
void lw_put(Lower *l, const PtxOperand *o, IrSrc value);  // writes to a destination operand
void lw_put_pred(Lower *l, const PtxOperand *o, IrPred value);
int lw_carry(Lower *l);  // register of CC.CF
void lw_set_carry(Lower *l, IrPred value);
int64_t lw_local(Lower *l, int64_t bytes, int align);  // reserves room in the local frame
bool lw_is_stacked(const Lower *l, const PtxOperand *o);
int lw_new_block(Lower *l);
void lw_goto(Lower *l, int block);  // ends the current block
void lw_branch(Lower *l, IrPred p, int yes, int no);
void lw_start(Lower *l, int block);

IsaType lw_int_type(PtxType t);  // u8..s64; b types are unsigned
IsaType lw_type(PtxType t);      // with f16, f32, f64
IsaRound lw_round(PtxRound r);
IsaCmp lw_cmp(PtxCmp c);
uint32_t lw_set_value(PtxType t);  // the result of set for true
bool lw_is64(PtxType t);

// ---- groups of opcodes; false: refused with a message ----
bool lower_int(Lower *l);
bool lower_float(Lower *l);
bool lower_half(Lower *l);
bool lower_cvt(Lower *l);
bool lower_cvt_pack(Lower *l);
bool lower_video(Lower *l);
bool lower_mem(Lower *l);
bool lower_misc(Lower *l);
bool lower_mov(Lower *l);
bool lower_setp(Lower *l);
bool lower_function(Lower *l);
IrSrc lower_as_word(Lower *l, int vreg);
void lower_put_word(Lower *l, const PtxOperand *o, IrSrc value);
LowerParam *lower_new_param(Lower *l, const PtxVar *v);
LowerParam *lower_bind_argument(Lower *l, const PtxOperand *arg, const PtxVar *formal);
void lower_body_frame(Lower *l, const PtxFunc *f, LowerParam *const *arg);

// ---- lower_recursion.c ----
bool lower_is_recursive(Lower *l, const PtxFunc *f);
void lower_stack_call(Lower *l, const PtxFunc *f);
// Reserves room in the frame of the function that is being lowered.
int64_t lower_stack_room(Lower *l, int64_t bytes, int align);
void lower_copy_param(Lower *l, const LowerParam *to, const LowerParam *from);
bool lower_bodies(Lower *l);
IrSrc lower_param_load(Lower *l, const LowerParam *p, int64_t offset, int bytes);
void lower_param_store(Lower *l, const LowerParam *p, int64_t offset, int bytes, IrSrc value);

#endif
