// SPDX-License-Identifier: Apache-2.0
// The table of PTX opcodes under test. Each case becomes one kernel: a thread loads its operands %a
// %b %c %e from a buffer, runs the body, and stores %d (and %q %r %s). Module ref.h computes the
// expected values. %n is the thread's number in the grid, %l its number in the CTA (32 bits). %x
// and %w are the addresses of its operands and results (4 words of 8 bytes each). The parameter
// blob[64] holds bytes i * 37 + 11. A case without a body also runs predicated, with an immediate
// second operand, and in place.
#ifndef SMCOSIM_TESTS_OPS_CASES_H
#define SMCOSIM_TESTS_OPS_CASES_H

#include "ref.h"

enum { CASE_INPUTS = 4, CASE_OUTPUTS = 4, CASE_THREADS = 128 };  // threads per CTA

typedef struct Case Case;
// Expected outputs of thread i; in[k] are the operands of all threads.
typedef void CaseRef(const Case *c, const uint64_t (*in)[CASE_INPUTS], int i,
                     uint64_t out[CASE_OUTPUTS]);
// Instead of CaseRef: is what thread i stored right?
typedef bool CaseCheck(const Case *c, const uint64_t in[CASE_INPUTS],
                       const uint64_t out[CASE_OUTPUTS]);

// How operand values are drawn.
// VALUE: edge and random values. AMOUNT: mostly 0..72 (shifts, positions). FEW: so few different
// values that equal ones meet. BITS: random bits of the register's width. CONSTANT: constant[k] in
// all threads. RARE: 1, in one of 150 threads 0.
typedef enum Draw { DRAW_VALUE, DRAW_AMOUNT, DRAW_FEW, DRAW_BITS, DRAW_CONSTANT, DRAW_RARE } Draw;

struct Case {
    const char *name;   // opcode with types and modifiers; counted once per name
    const char *body;   // PTX statements; NULL: "<name> %d, %a, ..."
    const char *decls;  // module scope, may be NULL
    PtxType in[CASE_INPUTS], out[CASE_OUTPUTS];
    Draw draw[CASE_INPUTS];
    uint64_t constant[CASE_INPUTS];
    int nin, nout;
    CaseRef *ref;
    CaseCheck *check;
    bool no_immediate;  // operand b must be a register
    // inputs of ref
    PtxOp op;
    PtxType t, t2, t3;
    PtxRound rnd;
    PtxCmp cmp;
    PtxBool boolop;
    PtxMulPart part;
    bool ftz, sat, flag;
    int k;
};

typedef struct CaseList {
    Arena arena;
    Case *cases;
    int ncases, cap_cases;
    int left_out;  // forms of earlier loops that PTX does not have
} CaseList;

// The number of the next case, for names in its kernel. Kept results of a GPU depend on it, so new
// cases are last.
static inline int case_number(const CaseList *l) { return l->ncases + l->left_out; }

enum { CASE_BLOB = 64 };
static inline uint8_t case_blob(int i) { return (uint8_t)(i * 37 + 11); }

// Appends *c with its name formatted; c->in[0..nin) and out[0..nout) end at the first PTX_NOTYPE.
Case *case_add(CaseList *l, const Case *c, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
const char *case_text(CaseList *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

void cases_int(CaseList *l);      // cases_int.c
void cases_carry(CaseList *l);    // cases_int.c: chains of additions and subtractions
void cases_bits(CaseList *l);     // cases_bits.c
void cases_float(CaseList *l);    // cases_float.c
void cases_half(CaseList *l);     // cases_half.c
void cases_async(CaseList *l);    // cases_async.c
void cases_texture(CaseList *l);  // cases_texture.c
void cases_matrix(CaseList *l);   // cases_matrix.c
void cases_surface(CaseList *l);  // cases_surface.c
void cases_compare(CaseList *l);  // cases_compare.c
void cases_cvt(CaseList *l);      // cases_cvt.c
void cases_small(CaseList *l);    // cases_cvt.c: small numbers, cvt.pack
void cases_video(CaseList *l);    // cases_video.c
void cases_memory(CaseList *l);   // cases_memory.c
void cases_warp(CaseList *l);     // cases_warp.c

#endif
