// SPDX-License-Identifier: Apache-2.0
// cp.async and mbarrier become instructions that every machine has. A copy is a load and a store of
// its thread, at its place in the program, so groups are complete when they are committed. An
// mbarrier in shared memory is two words: arrivals since its creation, and arrivals per phase. The
// phase is their quotient. A state is the phase in which the thread arrived. A phase is over when
// the quotient has passed it. Phases end after 2^32 arrivals.
#include "ptx/expand.h"

#include <string.h>

enum { WORD = 4, MOST_WORDS = 4 };

// ---- cp.async [dst], [src], bytes [, bytes that are read; the rest is zero] ----

// Word i of a source of which `bytes` (a register) are read: zero from there on.
static void load_part(const Expansion *e, PtxOperand word, PtxOperand source, PtxOperand bytes,
                      int i) {
    PtxOperand left = expand_temporary(e, PTX_B32), mask = expand_temporary(e, PTX_B32),
               some = expand_temporary(e, PTX_PRED);
    PUT(e, PTX_SUB, PTX_S32, left, bytes, expand_number(e, (uint64_t)(i * WORD)));
    PUT(e, PTX_SETP, PTX_S32, some, left, expand_number(e, 0))->cmp = PTX_GT;
    PUT(e, PTX_MOV, PTX_B32, word, expand_number(e, 0));
    PtxOperand wanted = some;
    if (e->in->guard >= 0) {
        PtxOperand both = expand_temporary(e, PTX_PRED);
        PUT(e, PTX_MOV, PTX_PRED, both, expand_number(e, 0))->guard = -1;
        PUT(e, PTX_MOV, PTX_PRED, both, some);
        wanted = both;
    }
    PtxInst *ld = PUT(e, PTX_LD, PTX_B32, word, expand_displace(source, i * WORD));
    ld->space = PTX_GLOBAL;
    ld->guard = wanted.index;
    ld->guard_negated = false;
    PUT(e, PTX_SHL, PTX_B32, left, left, expand_number(e, 3));
    PUT(e, PTX_MAX, PTX_S32, left, left, expand_number(e, 0));
    PUT(e, PTX_BMSK, PTX_B32, mask, expand_number(e, 0), left)->shf = PTX_SHF_CLAMP;
    PUT(e, PTX_AND, PTX_B32, word, word, mask);
}

static bool expand_copy(Expansion *e, InstText *t) {
    const PtxInst *in = e->in;
    const uint64_t bytes = in->opnd[2].bits;
    const int words = (int)bytes / WORD;
    PtxOperand word[MOST_WORDS];
    if (bytes != 4 && bytes != 8 && bytes != 16)
        return check_fail(e->p, t, &in->opnd[2], "copies have 4, 8 or 16 bytes, found %llu",
                          (unsigned long long)bytes);
    if (in->cache == PTX_CACHE_CG && bytes != 16)
        return check_fail(e->p, t, &in->opnd[2], "copies with .cg have 16 bytes, found %llu",
                          (unsigned long long)bytes);
    if (in->cache != PTX_CACHE_CG && in->cache != PTX_CACHE_CA)
        return check_fail(e->p, t, NULL, "the cache operator is .ca or .cg");
    for (int i = 0; i < words; i++) word[i] = expand_temporary(e, PTX_B32);
    if (in->nopnd > 3) {
        PtxOperand part = expand_temporary(e, PTX_B32);
        PUT(e, PTX_MOV, PTX_B32, part, in->opnd[3]);
        for (int i = 0; i < words; i++) load_part(e, word[i], in->opnd[1], part, i);
    } else {
        PtxInst *ld = PUT(e, PTX_LD, PTX_B32, expand_vector(e, word, words), in->opnd[1]);
        ld->space = PTX_GLOBAL;
        ld->vec = words;
        ld->cache = in->cache;
    }
    PtxInst *st = PUT(e, PTX_ST, PTX_B32, in->opnd[0], expand_vector(e, word, words));
    st->space = PTX_SHARED;
    st->vec = words;
    return true;
}

// ---- mbarrier ----

// Phase of the barrier: arrivals divided by those of a phase.
static PtxOperand compute_phase(Expansion *e, PtxOperand arrivals, PtxOperand memory) {
    PtxOperand count = expand_temporary(e, PTX_B32), quotient = expand_temporary(e, PTX_B32);
    PUT(e, PTX_LD, PTX_B32, count, expand_displace(memory, WORD))->space = e->in->space;
    PUT(e, PTX_DIV, PTX_U32, quotient, arrivals, count);
    return quotient;
}

static void set_order(PtxInst *in, PtxSem sem) {
    in->sem = sem;
    in->scope = PTX_SCOPE_CTA;
}

// mbarrier.arrive state, [barrier] [, count]
static void expand_arrive(Expansion *e) {
    const PtxInst *in = e->in;
    PtxOperand old = expand_temporary(e, PTX_B32),
               by = in->nopnd > 2 ? in->opnd[2] : expand_number(e, 1);
    PtxInst *add = PUT(e, PTX_ATOM, PTX_U32, old, in->opnd[1], by);
    add->atom = PTX_ATOM_ADD;
    add->space = in->space;
    set_order(add, PTX_SEM_ACQ_REL);
    if (in->opnd[0].kind != PTX_OPND_SINK)
        PUT(e, PTX_CVT, PTX_U64, in->opnd[0], compute_phase(e, old, in->opnd[1]))->type2 = PTX_U32;
}

// mbarrier.test_wait p, [barrier], state; with .parity the parity of the phase that has to be over
static void expand_wait(Expansion *e) {
    const PtxInst *in = e->in;
    PtxOperand arrivals = expand_temporary(e, PTX_B32);
    PtxInst *ld = PUT(e, PTX_LD, PTX_B32, arrivals, in->opnd[1]);
    ld->space = in->space;
    set_order(ld, PTX_SEM_ACQUIRE);
    PtxOperand now = compute_phase(e, arrivals, in->opnd[1]), then = expand_temporary(e, PTX_B32);
    if (in->part == PTX_PART_LO) {  // .parity
        PUT(e, PTX_XOR, PTX_B32, then, now, in->opnd[2]);
        PUT(e, PTX_AND, PTX_B32, then, then, expand_number(e, 1));
        PUT(e, PTX_SETP, PTX_B32, in->opnd[0], then, expand_number(e, 0))->cmp = PTX_NE;
    } else {
        PUT(e, PTX_CVT, PTX_U32, then, in->opnd[2])->type2 = PTX_U64;
        PUT(e, PTX_SETP, PTX_U32, in->opnd[0], now, then)->cmp = PTX_GT;
    }
}

bool async_is(PtxOp op) {
    switch (op) {
    case PTX_CP_ASYNC:
    case PTX_CP_ASYNC_COMMIT:
    case PTX_CP_ASYNC_WAIT_ALL:
    case PTX_CP_ASYNC_WAIT_GROUP:
    case PTX_MBARRIER_INIT:
    case PTX_MBARRIER_INVAL:
    case PTX_MBARRIER_ARRIVE:
    case PTX_MBARRIER_TEST_WAIT: return true;
    default: return false;
    }
}

bool async_expand(Parser *p, const PtxInst *in, InstText *t) {
    Expansion e = {.p = p, .in = in};
    switch (in->op) {
    case PTX_CP_ASYNC: return expand_copy(&e, t);
    case PTX_MBARRIER_INIT: {
        PtxInst *count = PUT(&e, PTX_ST, PTX_B32, expand_displace(in->opnd[0], WORD), in->opnd[1]);
        count->space = in->space;
        PUT(&e, PTX_ST, PTX_B32, in->opnd[0], expand_number(&e, 0))->space = in->space;
        return true;
    }
    case PTX_MBARRIER_ARRIVE: expand_arrive(&e); return true;
    case PTX_MBARRIER_TEST_WAIT: expand_wait(&e); return true;
    default: return true;  // commit_group, wait_group, wait_all, inval: nothing is outstanding
    }
}
