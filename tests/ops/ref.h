// SPDX-License-Identifier: Apache-2.0
// Reference arithmetic for the tests of lanes and opcodes: floating point by MPFR, integers by
// 128-bit numbers and loops over bits. Shares no code with csrc/isa.
#ifndef SMCOSIM_TESTS_OPS_REF_H
#define SMCOSIM_TESTS_OPS_REF_H

#include "ptx/ptx.h"

#include <mpfr.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned __int128 RefU128;
typedef __int128 RefS128;

typedef enum RefOp { REF_ADD, REF_SUB, REF_MUL, REF_FMA, REF_DIV, REF_RCP, REF_SQRT } RefOp;
typedef enum RefFn {
    REF_F_RCP,
    REF_F_SQRT,
    REF_F_RSQRT,
    REF_F_SIN,
    REF_F_COS,
    REF_F_EX2,
    REF_F_LG2,
    REF_F_TANH
} RefFn;

// Correctly rounded operation on bit patterns of f16, bf16, f32 or f64. With ftz a result is zero
// if it is below the normal numbers when rounded with no bound on its exponent.
uint64_t ref_fp(RefOp op, PtxType t, PtxRound rnd, bool ftz, bool sat, uint64_t a, uint64_t b,
                uint64_t c);
uint64_t ref_min_max(PtxType t, bool max, bool ftz, uint64_t a, uint64_t b);
// cvt; the result in the low bytes, integers extended to 64 bits by the destination's sign.
uint64_t ref_cvt(PtxType d, PtxType s, PtxRound rnd, bool ftz, bool sat, uint64_t a);
// cvt to f16, bf16, tf32 or one element of e4m3x2 or e5m2x2, from f32, f16 or such an element, with
// .relu, .satfinite.
uint64_t ref_cvt_small(PtxType d, PtxType s, PtxRound rnd, bool relu, bool satfinite, uint64_t a);
// Is x f y, for a comparison other than NUM and NAN also "or unordered".
bool ref_compare(PtxType t, PtxCmp cmp, bool ftz, uint64_t a, uint64_t b);

// Error of `got` (f32, or f64 for type F64) against fn(x): in units of the last place of the exact
// value (of the smallest subnormal below the normals). HUGE_VAL when special values do not agree.
double ref_error_ulp(RefFn fn, PtxType t, uint64_t x, uint64_t got);
double ref_error_relative(RefFn fn, PtxType t, uint64_t x, uint64_t got);
double ref_error_absolute(RefFn fn, PtxType t, uint64_t x, uint64_t got);
// Error of got against a / b in ulp of f32.
double ref_div_error_ulp(uint64_t a, uint64_t b, uint64_t got);

// Integers: `bits` 16, 32 or 64; operands in the low bits, results in the low bits of 64.
uint64_t ref_ext(PtxType t, uint64_t v);  // by the type's width and sign to 64 bits
uint64_t ref_low(PtxType t, uint64_t v);  // only the type's bits
uint64_t ref_mul(PtxType t, PtxMulPart part, uint64_t a, uint64_t b);
uint64_t ref_div(PtxType t, bool rem, uint64_t a, uint64_t b);
uint64_t ref_bfe(PtxType t, uint64_t a, uint32_t b, uint32_t c);
uint64_t ref_bfi(int bits, uint64_t a, uint64_t b, uint32_t c, uint32_t d);
uint64_t ref_bfind(PtxType t, bool shiftamt, uint64_t a);
uint64_t ref_shift(PtxType t, bool left, uint64_t a, uint32_t n);
uint32_t ref_shf(bool left, bool wrap, uint32_t a, uint32_t b, uint32_t c);
uint32_t ref_prmt(PtxPrmt mode, uint32_t a, uint32_t b, uint32_t c);
uint32_t ref_lop3(uint32_t a, uint32_t b, uint32_t c, uint8_t lut);
uint32_t ref_fns(uint32_t mask, uint32_t base, int32_t offset);
uint32_t ref_bmsk(bool wrap, uint32_t a, uint32_t b);
uint32_t ref_szext(bool is_signed, bool wrap, uint32_t a, uint32_t b);
uint32_t ref_dot(int bytes_a, bool as, bool bs, bool hi, uint32_t a, uint32_t b,
                 uint32_t c);  // 1: dp4a, 2: dp2a
uint32_t ref_vabsdiff(int bytes, bool as, bool bs, bool ds, bool add, bool sat, uint32_t a,
                      uint32_t b, uint32_t c);
// A video instruction as written, without semicolon: `vadd.u32.u32.u32 %d, %a.b1, %b, %c`; a, b, c:
// its sources.
uint32_t ref_video(const char *text, size_t n, uint32_t a, uint32_t b, uint32_t c);
// In global memory, sums of f32 flush subnormal numbers.
uint64_t ref_atomic(PtxAtom op, PtxType t, bool global, uint64_t old, uint64_t b, uint64_t c);

// ---- operand values ----

// Edge values of a type; returns how many.
int ref_edges(PtxType t, const uint64_t **values);
uint64_t ref_random(uint64_t *state);  // xorshift
// A random value of a type: random bits, for floats with exponents drawn so that results meet.
uint64_t ref_value(PtxType t, uint64_t *state);

#endif
