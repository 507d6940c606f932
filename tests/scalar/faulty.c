// SPDX-License-Identifier: Apache-2.0
// The program smcosim with one fault seeded into the compiler's output for the scalar unit, or into
// the unit's work for warps. Environment variable SCALAR_FAULT names the fault (none: no fault), so
// that faults.py can show that runs notice. The linker (--wrap) puts __wrap_NAME where other files
// call NAME; __real_NAME is the original.
#include "compile/hints/hints.h"
#include "compile/scalar/extract.h"
#include "compile/scalar/prefetch.h"
#include "ptx/ptx.h"
#include "sm/stages/ldst.h"
#include "systems/scalar/scalar.h"

#include <stdlib.h>
#include <string.h>

// Names that ld's --wrap gives them.
void __real_uniform_results(const IsaProgram *p, const bool *loads, bool *uniform, Arena *arena);
void __wrap_uniform_results(const IsaProgram *p, const bool *loads, bool *uniform, Arena *arena);
IrInst *__real_thread_bar(Ir *t, int number);
IrInst *__wrap_thread_bar(Ir *t, int number);
IrPred __real_thread_setp(Ir *t, int block, IsaCmp cmp, IsaType type, IrSrc a, IrSrc b);
IrPred __wrap_thread_setp(Ir *t, int block, IsaCmp cmp, IsaType type, IrSrc a, IrSrc b);
IrSrc __real_thread_op2(Ir *t, int block, int op, int width, IrSrc a, IrSrc b);
IrSrc __wrap_thread_op2(Ir *t, int block, int op, int width, IrSrc a, IrSrc b);
IrSrc __real_thread_sreg(Ir *t, int block, int sreg);
IrSrc __wrap_thread_sreg(Ir *t, int block, int sreg);
bool __real_scalar_extract(ScalarJob *j);
bool __wrap_scalar_extract(ScalarJob *j);
void __real_extract_place_bars(Extract *e);
void __wrap_extract_place_bars(Extract *e);
void __real_extract_accesses(const IrInst *in, Spaces *s);
void __wrap_extract_accesses(const IrInst *in, Spaces *s);
bool __real_scalar_split(ScalarJob *j);
bool __wrap_scalar_split(ScalarJob *j);
bool __real_scalar_diverge(ScalarJob *j);
bool __wrap_scalar_diverge(ScalarJob *j);
int __real_prefetch_set_check(Prefetch *p, int block, int leave);
int __wrap_prefetch_set_check(Prefetch *p, int block, int leave);
bool __real_ldst_load_once(Sm *sm, Flight *f);
bool __wrap_ldst_load_once(Sm *sm, Flight *f);
void __real_ir_insert(Ir *ir, int block, int pos, IrInst *in);
void __wrap_ir_insert(Ir *ir, int block, int pos, IrInst *in);
void __real_ir_add(IrPiece *p, const char *text);
void __wrap_ir_add(IrPiece *p, const char *text);
void __real_ssa_destruct(Ir *ir);
void __wrap_ssa_destruct(Ir *ir);
CtaKind __real_cta_predicate(const CtaValues *v, IrPred p, int block);
CtaKind __wrap_cta_predicate(const CtaValues *v, IrPred p, int block);
bool __real_path_computes(const CtaValues *v, int reg, int block, Arena *arena);
bool __wrap_path_computes(const CtaValues *v, int reg, int block, Arena *arena);
int64_t __real_cta_trips(const CtaLanes *c, const Loop *l);
int64_t __wrap_cta_trips(const CtaLanes *c, const Loop *l);
void __real_scalar_write_words(Sm *sm, ScalarUnit *u, const Flight *f, int base, uint8_t *left);
void __wrap_scalar_write_words(Sm *sm, ScalarUnit *u, const Flight *f, int base, uint8_t *left);

static bool is(const char *fault) {
    const char *name = getenv("SCALAR_FAULT");
    return name && !strcmp(name, fault);
}

// The thread's number, and values computed from it, are taken as equal in all lanes.
void __wrap_uniform_results(const IsaProgram *p, const bool *loads, bool *uniform, Arena *arena) {
    __real_uniform_results(p, loads, uniform, arena);
    for (int i = 0; is("tid-uniform") && i < p->ninsts; i++)
        uniform[i] |=
            p->insts[i].op == ISA_S2R || p->insts[i].op == ISA_IMAD || p->insts[i].op == ISA_LEA;
}

// GCN mode: a load brings another value; the high word of a pair is not written.
bool __wrap_ldst_load_once(Sm *sm, Flight *f) {
    const bool ok = __real_ldst_load_once(sm, f);
    for (int l = 0; ok && is("wrong-load") && l < ISA_LANES; l++) f->out.dst[0][l]++;
    return ok;
}

void __wrap_scalar_write_words(Sm *sm, ScalarUnit *u, const Flight *f, int base, uint8_t *left) {
    if (is("high-word-lost")) *left &= 1;
    __real_scalar_write_words(sm, u, f, base, left);
}

// One barrier of the pair has another number.
IrInst *__wrap_thread_bar(Ir *t, int number) {
    static int calls;
    return __real_thread_bar(t, is("other-barrier") && calls++ == 1 ? number + 1 : number);
}

static bool is_zero(const IrSrc *s) { return s->kind == ISA_SRC_IMM && s->imm == 0; }

// Item 0 counts as ended; a warp that holds items counts as empty.
IrPred __wrap_thread_setp(Ir *t, int block, IsaCmp cmp, IsaType type, IrSrc a, IrSrc b) {
    if (is("item-lost") && cmp == ISA_GE && type == ISA_S32 && is_zero(&b)) cmp = ISA_GT;
    if (is("item-twice") && cmp == ISA_LT && type == ISA_U32) cmp = ISA_LE;
    return __real_thread_setp(t, block, cmp, type, a, b);
}

// The same in programs that are text: the comparison `from` becomes `to`, as long.
static void add_spoiled(IrPiece *p, const char *text, const char *from, const char *to) {
    char *spoiled = arena_strndup(p->ir->arena, text, strlen(text));
    for (char *at = spoiled; (at = strstr(at, from));) memcpy(at, to, strlen(to));
    __real_ir_add(p, spoiled);
}

void __wrap_ir_add(IrPiece *p, const char *text) {
    if (is("item-lost")) add_spoiled(p, text, "isetp.ge.and.s32", "isetp.gt.and.s32");
    else if (is("item-twice")) add_spoiled(p, text, "isetp.lt.and.u32", "isetp.le.and.u32");
    else __real_ir_add(p, text);
}

// Threads look in half of their table only.
IrSrc __wrap_thread_op2(Ir *t, int block, int op, int width, IrSrc a, IrSrc b) {
    if (is("half-table") && op == ISA_LOP3) b.imm /= 2;
    return __real_thread_op2(t, block, op, width, a, b);
}

// A coordinate that divergence elimination would read before its region is read where it is used,
// in any lane.
enum { MOST_READS = 8 };
static IrInst *tid_reads[MOST_READS];
static int ntid_reads;
static bool choosing;  // in scalar_diverge, which has not left SSA form

void __wrap_ir_insert(Ir *ir, int block, int pos, IrInst *in) {
    const int dim = in->op == ISA_S2R ? in->mod.sreg - PTX_SREG_TID_X : -1;
    if (choosing && dim >= 0 && dim < 3 && is("tid-in-region") && ntid_reads < MOST_READS)
        tid_reads[ntid_reads++] = in;
    else __real_ir_insert(ir, block, pos, in);
}

static bool reads(const IrInst *in, int reg) {
    bool found = false;
    IR_FOR_USES(in, r) found |= r == reg;
    return found;
}

static void put_before_use(Ir *ir, IrInst *read) {
    for (int b = 0; b < ir->nblocks; b++)
        for (int i = 0; i < ir->blocks[b].ninsts; i++)
            if (reads(ir->blocks[b].insts[i], read->dst)) {
                __real_ir_insert(ir, b, i, read);
                return;
            }
}

void __wrap_ssa_destruct(Ir *ir) {
    for (int k = 0; k < ntid_reads; k++) put_before_use(ir, tid_reads[k]);
    ntid_reads = 0;
    choosing = false;
    __real_ssa_destruct(ir);
}

// Threads count as ending together where each decides for itself.
CtaKind __wrap_cta_predicate(const CtaValues *v, IrPred p, int block) {
    return is("end-apart") ? CTA_AFFINE : __real_cta_predicate(v, p, block);
}

bool __wrap_path_computes(const CtaValues *v, int reg, int block, Arena *arena) {
    return is("end-apart") || __real_path_computes(v, reg, block, arena);
}

// Estimates: every loop runs once.
int64_t __wrap_cta_trips(const CtaLanes *c, const Loop *l) {
    return is("one-trip") ? 1 : __real_cta_trips(c, l);
}

// The thread prefetches for the wrong CTA.
IrSrc __wrap_thread_sreg(Ir *t, int block, int sreg) {
    if (is("other-cta") && sreg == ISA_SREG_NCTA_RESIDENT) sreg = ISA_SREG_CTA_LINEAR;
    return __real_thread_sreg(t, block, sreg);
}

// ---- faults in what a transformation has made ----

// The n-th instruction with that operation, of shared memory where it is an access, counted from 0;
// NULL: none.
static IrInst *find(Ir *ir, int op, int n, int *block, int *at) {
    for (int b = 0; ir && b < ir->nblocks; b++)
        for (int i = 0; i < ir->blocks[b].ninsts; i++) {
            IrInst *in = ir->blocks[b].insts[i];
            const bool barrier = op == ISA_BAR && !in->mod.with_scalar;
            if (in->op != op || barrier || (op != ISA_BAR && in->mod.space != ISA_SHARED) ||
                n-- > 0)
                continue;
            *block = b;
            *at = i;
            return in;
        }
    return NULL;
}

static void leave_out(Ir *ir, int block, int at) {
    IrBlock *k = &ir->blocks[block];
    memmove(k->insts + at, k->insts + at + 1, sizeof *k->insts * (size_t)(k->ninsts - at - 1));
    k->ninsts--;
}

static void spoil(ScalarJob *j, const char *barrier, const char *value, const char *place) {
    int b = 0, i = 0;
    IrInst *in;
    // warps do not wait for the thread's values
    if (is(barrier) && find(j->ir, ISA_BAR, 0, &b, &i)) leave_out(j->ir, b, i);
    // the thread stores something else
    if (is(value) && (in = find(j->thread, ISA_ST, 0, &b, &i))) in->src[1] = ir_imm(7);
    // and that where another value belongs
    if (is(place) && (in = find(j->thread, ISA_ST, 1, &b, &i))) in->mod.offset += 4;
}

// The last load of shared memory at a constant address: it reads the values of threads that had
// ended.
static IrInst *last_fetch(Ir *ir) {
    IrInst *found = NULL;
    for (int b = 0; b < ir->nblocks; b++)
        for (int i = 0; i < ir->blocks[b].ninsts; i++) {
            IrInst *in = ir->blocks[b].insts[i];
            if (in->op == ISA_LD && in->mod.space == ISA_SHARED && in->src[0].kind == ISA_SRC_IMM)
                found = in;
        }
    return found;
}

bool __wrap_scalar_extract(ScalarJob *j) {
    const bool done = __real_scalar_extract(j);
    if (done) spoil(j, "no-barrier", "wrong-live-out", "misplaced-live-out");
    return done;
}

// Bodies begin with the CTA, regardless of their inputs; or warps do not wait for their end.
void __wrap_extract_place_bars(Extract *e) {
    __real_extract_place_bars(e);
    for (int i = 0; i < e->nbodies; i++) {
        if (is("starts-at-once")) e->body[i].no_start = true;
        if (is("body-not-awaited")) e->body[i].second = false;
    }
}

// Barriers pass accesses that the body must not overtake, or that must not overtake it.
void __wrap_extract_accesses(const IrInst *in, Spaces *s) {
    if (!is("accesses-passed")) __real_extract_accesses(in, s);
}

// Threads skip a CTA of the second half; or all CTAs are started, and those of the second half are
// run twice.
bool __wrap_scalar_split(ScalarJob *j) {
    const bool done = __real_scalar_split(j);
    for (int i = 0; done && is("cta-left-out") && i < j->thread->blocks[0].ninsts; i++) {
        IrInst *in = j->thread->blocks[0].insts[i];
        if (in->op == ISA_IADD && ir_is_imm(&in->src[1], 1)) in->src[1] = ir_imm(3);
    }
    if (is("whole-grid")) j->half_grid = false;
    return done;
}

// The first branch of the way that the thread follows with the CTA goes the other way.
static void turn_thread(Ir *t, int nblocks) {
    for (int b = 0; b < nblocks; b++) {
        const IrBlock *k = &t->blocks[b];
        IrInst *end = k->ninsts ? k->insts[k->ninsts - 1] : NULL;
        if (!end || end->op != ISA_BRA || end->guard.reg == IR_PT) continue;
        end->guard.neg ^= true;
        return;
    }
}

bool __wrap_scalar_diverge(ScalarJob *j) {
    const int nblocks = j->ir->nblocks;
    choosing = true;
    const bool done = __real_scalar_diverge(j);
    choosing = false;
    if (done) spoil(j, "items-not-awaited", "wrong-place", "misplaced-sum");
    if (done && is("thread-astray") && j->thread) turn_thread(j->thread, nblocks);
    if (done && is("ended-not-told")) last_fetch(j->ir)->mod.offset -= 4;
    return done;
}

// The thread does not ask where its lines lie.
int __wrap_prefetch_set_check(Prefetch *p, int block, int leave) {
    return is("sets-not-asked") ? block : __real_prefetch_set_check(p, block, leave);
}
