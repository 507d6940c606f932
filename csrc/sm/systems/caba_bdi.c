// SPDX-License-Identifier: Apache-2.0
// Routines of BDI (CABA algorithms 1 and 2). Images: csrc/mem/compress_bdi.c. Zero-base lanes skip the addition.
#include "sm/systems/caba.h"

// ---- decompression: one lane per value ----

static const char zeros[] =
    "s2r R0, %laneid\n"
    "shl.u32 R0, R0, 0x2\n"
    "st.line.b32 _, [R0], RZ\n";

static const char repeated[] =
    "s2r R0, %laneid\n"
    "ld.line.b64.u64 R2.64, [_+8]\n"
    "shl.u32 R0, R0, 0x3\n"
    "st.line.b64 _, [R0], R2.64\n";

// 8-byte values: mask at 2, base at 8, deltas from 16 on. TO_DELTA makes R4 the offset of the lane's delta.
#define LOAD_8(TO_DELTA, LOAD)                  \
    "s2r R0, %laneid\n"                         \
    "ld.line.b16.u16 R1, [_+2]\n"               \
    "ld.line.b64.u64 R2.64, [_+8]\n" TO_DELTA   \
    LOAD                                        \
    "shr.u32 R1, R1, R0\n"                      \
    "shl.u32 R0, R0, 0x3\n"                     \
    "lop3.lut=0xc0 R1, R1, 0x1, RZ\n"           \
    "shr.s32 R5, R4, 0x1f\n"                    \
    "isetp.ne.and.u32 _|P0, R1, RZ\n"             \
    "@P0 iadd R4|P1, R4, R2\n"                  \
    "@P0 iadd.x R5, R5, R3, {P1}\n"             \
    "st.line.b64 _, [R0], R4.64\n"

static const char load_8d1[] = LOAD_8("", "ld.line.b8.s8 R4, [R0+16]\n");
static const char load_8d2[] = LOAD_8("shl.u32 R4, R0, 0x1\n", "ld.line.b16.s16 R4, [R4+16]\n");
static const char load_8d4[] = LOAD_8("shl.u32 R4, R0, 0x2\n", "ld.line.b32.u32 R4, [R4+16]\n");

// 4-byte values: mask at 4, base at 8, deltas from 12 on.
#define LOAD_4(TO_DELTA, LOAD)                  \
    "s2r R0, %laneid\n"                         \
    "ld.line.b32.u32 R1, [_+4]\n"               \
    "ld.line.b32.u32 R2, [_+8]\n" TO_DELTA      \
    LOAD                                        \
    "shr.u32 R1, R1, R0\n"                      \
    "shl.u32 R0, R0, 0x2\n"                     \
    "lop3.lut=0xc0 R1, R1, 0x1, RZ\n"           \
    "isetp.ne.and.u32 _|P0, R1, RZ\n"             \
    "@P0 iadd R3, R3, R2\n"                     \
    "st.line.b32 _, [R0], R3\n"

static const char load_4d1[] = LOAD_4("", "ld.line.b8.s8 R3, [R0+12]\n");
static const char load_4d2[] = LOAD_4("shl.u32 R3, R0, 0x1\n", "ld.line.b16.s16 R3, [R3+12]\n");

// 2-byte values, two per lane: base at 2, mask at 4 (8 bytes), deltas from 12 on.
static const char load_2d1[] =
    "s2r R0, %laneid\n"
    "shl.u32 R1, R0, 0x1\n"
    "ld.line.b16.u16 R2, [_+2]\n"
    "ld.line.b8.s8 R3, [R1+12]\n"
    "ld.line.b8.s8 R4, [R1+13]\n"
    "shr.u32 R5, R0, 0x4\n"
    "shl.u32 R5, R5, 0x2\n"
    "ld.line.b32.u32 R5, [R5+4]\n"
    "lop3.lut=0xc0 R1, R1, 0x1f, RZ\n"
    "shl.u32 R0, R0, 0x2\n"
    "shr.u32 R5, R5, R1\n"
    "lop3.lut=0xc0 R1, R5, 0x1, RZ\n"
    "lop3.lut=0xc0 R5, R5, 0x2, RZ\n"
    "isetp.ne.and.u32 _|P0, R1, RZ\n"
    "isetp.ne.and.u32 _|P1, R5, RZ\n"
    "@P0 iadd R3, R3, R2\n"
    "@P1 iadd R4, R4, R2\n"
    "bfi R3, R4, R3, 0x1010\n"
    "st.line.b32 _, [R0], R3\n";

const char *const caba_bdi_load[8] = {zeros, repeated, load_8d1, load_8d2, load_8d4, load_4d1, load_4d2, load_2d1};

// ---- compression: encodings in the order of their images; the first that fits is stored ----
//
// R0 lane, R1 zero or the head, R2:R3 the lane's 8-byte value (lanes 16 to 31 as 0 to 15), R4 its word,
// P6: lanes that store the head (lane 0).

#define VOTE_ALL "vote.mode=1 _|P1, 0xffffffff, {P0}\n"

// FIT_8: P0 := the value LOW:HIGH is the sign extension of its low bytes; scratch R8, R9.
#define FIT_8(SIGNED, LOW, HIGH, P)             \
    SIGNED(LOW)                                 \
    "shr.s32 R9, R8, 0x1f\n"                    \
    "isetp.eq.and.u32 _|" P ", R8, " LOW "\n"     \
    "isetp.eq.and.u32 _|" P ", R9, " HIGH ", {" P "}\n"
#define S8(LOW) "ext.s8 R8, " LOW "\n"
#define S16(LOW) "ext.s16 R8, " LOW "\n"
#define S32(LOW) "mov R8, " LOW "\n"

// The first lane of the ballot R10 (bits 0 to 31) in R11; 32: none.
#define FIRST_LANE "brev R11, R10\nclz R11, R11\n"

// P2: fits from zero; R6:R7 base; R12:R13 difference; to STORE if all fit.
#define TRY_8(SIGNED, STORE)                            \
    FIT_8(SIGNED, "R2", "R3", "P2")                     \
    "vote.mode=4 R10, 0xffffffff, {!P2}\n"              \
    FIRST_LANE                                          \
    "isetp.ne.and.u32 _|P3, R10, RZ\n"                    \
    "shl.u32 R11, R11, 0x3\n"                           \
    "mov R6, RZ\n"                                      \
    "mov R7, RZ\n"                                      \
    "@P3 ld.line.b64.u64 R6.64, [R11]\n"                \
    "iadd R12|P4, R2, -R6\n"                            \
    "iadd.x R13, R3, -R7, {P4}\n"                       \
    FIT_8(SIGNED, "R12", "R13", "P0")                   \
    "plop3.lut=0xfc _|P0, {P0, P2}\n"                     \
    VOTE_ALL                                            \
    "@P1 bra " STORE "\n"

#define TRY_4(SIGNED, STORE)                            \
    SIGNED("R4")                                        \
    "isetp.eq.and.u32 _|P2, R8, R4\n"                     \
    "vote.mode=4 R10, 0xffffffff, {!P2}\n"              \
    FIRST_LANE                                          \
    "isetp.ne.and.u32 _|P3, R10, RZ\n"                    \
    "shl.u32 R11, R11, 0x2\n"                           \
    "mov R6, RZ\n"                                      \
    "@P3 ld.line.b32.u32 R6, [R11]\n"                   \
    "iadd R12, R4, -R6\n"                               \
    SIGNED("R12")                                       \
    "isetp.eq.and.u32 _|P0, R8, R12\n"                    \
    "plop3.lut=0xfc _|P0, {P0, P2}\n"                     \
    VOTE_ALL                                            \
    "@P1 bra " STORE "\n"

// The delta is the difference, or the value where that fits: TO_DELTA. Head, mask and base of 8-byte values: a quad.
#define HEAD_8(HEAD)                                    \
    "@P2 mov R12, R2\n"                                 \
    "lop3.lut=0xc0 R10, R10, 0xffff, RZ\n"              \
    "shl.u32 R4, R10, 0x10\n"                           \
    "lop3.lut=0xfc R4, R4, " HEAD ", RZ\n"              \
    "mov R5, RZ\n"                                      \
    "isetp.gt.and.u32 _|P0, R0, 0xf\n"                    \
    "@P0 mov R12, RZ\n"                                 \
    "@P6 st.line.b128 _, [_], R4.128\n"

#define HEAD_4(HEAD)                                    \
    "@P2 mov R12, R4\n"                                 \
    "mov R4, " HEAD "\n"                                \
    "mov R5, R10\n"                                     \
    "@P6 st.line.b64 _, [_], R4.64\n"                   \
    "@P6 st.line.b32 _, [_+8], R6\n"

const char *const caba_bdi_store =
    "s2r R0, %laneid\n"
    "shl.u32 R1, R0, 0x2\n"
    "ld.line.b32.u32 R4, [R1]\n"
    "isetp.eq.and.u32 _|P6, R0, RZ\n"
    "lop3.lut=0xc0 R2, R0, 0xf, RZ\n"
    "shl.u32 R2, R2, 0x3\n"
    "ld.line.b64.u64 R2.64, [R2]\n"
    "ld.line.b64.u64 R6.64, [_]\n"
    "isetp.eq.and.u32 _|P0, R4, RZ\n"
    VOTE_ALL
    "@P1 bra ZEROS\n"
    "isetp.eq.and.u32 _|P0, R2, R6\n"
    "isetp.eq.and.u32 _|P0, R3, R7, {P0}\n"
    VOTE_ALL
    "@P1 bra REPEATED\n"
    TRY_8(S8, "S8D1")
    TRY_4(S8, "S4D1")
    TRY_8(S16, "S8D2")
    TRY_4(S16, "S4D2")
    // 2D1: R6 the low value and R7 the high one, as they are signed
    "ext.s16 R6, R4\n"
    "shr.s32 R7, R4, 0x10\n"
    "ext.s8 R8, R6\n"
    "isetp.eq.and.u32 _|P2, R8, R6\n"
    "ext.s8 R9, R7\n"
    "isetp.eq.and.u32 _|P3, R9, R7\n"
    "vote.mode=4 R10, 0xffffffff, {!P2}\n"
    "vote.mode=4 R12, 0xffffffff, {!P3}\n"
    "brev R11, R10\n"
    "clz R11, R11\n"
    "shl.u32 R11, R11, 0x1\n"
    "brev R13, R12\n"
    "clz R13, R13\n"
    "lea.shift=1 R13, R13, 0x1\n"
    "imnmx.mode=0 R11, R11, R13\n"
    "isetp.lt.and.u32 _|P4, R11, 0x40\n"
    "shl.u32 R11, R11, 0x1\n"
    "mov R5, RZ\n"
    "@P4 ld.line.b16.u16 R5, [R11]\n"
    "iadd R8, R6, -R5\n"
    "ext.s16 R8, R8\n"
    "iadd R9, R7, -R5\n"
    "ext.s16 R9, R9\n"
    "ext.s8 R13, R8\n"
    "isetp.eq.and.u32 _|P0, R13, R8\n"
    "plop3.lut=0xfc _|P0, {P0, P2}\n"
    "ext.s8 R13, R9\n"
    "isetp.eq.and.u32 _|P4, R13, R9\n"
    "plop3.lut=0xfc _|P4, {P4, P3}\n"
    "plop3.lut=0xc0 _|P0, {P0, P4}\n"
    VOTE_ALL
    "@P1 bra S2D1\n"
    TRY_8(S32, "S8D4")
    "bra END\n"
    "ZEROS:\n"
    "@P6 st.line.b8 _, [_], RZ\n"
    "bra END\n"
    "REPEATED:\n"
    "mov R4, 0x1\n"
    "mov R5, RZ\n"
    "isetp.lt.and.u32 _|P0, R0, 0x4\n"
    "@P6 st.line.b128 _, [_], R4.128\n"
    "@P0 st.line.b32 _, [R1+16], RZ\n"
    "bra END\n"
    "S8D1:\n"
    HEAD_8("0x2")
    "@!P0 st.line.b8 _, [R0+16], R12\n"
    "bra END\n"
    "S8D2:\n"
    HEAD_8("0x3")
    "shl.u32 R1, R0, 0x1\n"
    "isetp.lt.and.u32 _|P0, R0, 0x18\n"
    "@P0 st.line.b16 _, [R1+16], R12\n"
    "bra END\n"
    "S8D4:\n"
    HEAD_8("0x4")
    "isetp.lt.and.u32 _|P0, R0, 0x14\n"
    "@P0 st.line.b32 _, [R1+16], R12\n"
    "bra END\n"
    "S4D1:\n"
    HEAD_4("0x5")
    "st.line.b8 _, [R0+12], R12\n"
    "isetp.lt.and.u32 _|P0, R0, 0x5\n"
    "@P0 st.line.b32 _, [R1+44], RZ\n"
    "bra END\n"
    "S4D2:\n"
    HEAD_4("0x6")
    "shl.u32 R2, R0, 0x1\n"
    "st.line.b16 _, [R2+12], R12\n"
    "isetp.lt.and.u32 _|P0, R0, 0x5\n"
    "@P0 st.line.b32 _, [R1+76], RZ\n"
    "bra END\n"
    "S2D1:\n"
    "@P2 mov R8, R6\n"
    "@P3 mov R9, R7\n"
    "lop3.lut=0xc0 R8, R8, 0xff, RZ\n"
    "bfi R8, R9, R8, 0x808\n"
    // the lane's four values of each ballot, as eight bits in turn
    "lop3.lut=0xc0 R6, R1, 0x1f, RZ\n"
    "shr.u32 R10, R10, R6\n"
    "shr.u32 R12, R12, R6\n"
    "lop3.lut=0xc0 R10, R10, 0xf, RZ\n"
    "shl.u32 R13, R10, 0x2\n"
    "lop3.lut=0xa8 R10, R10, R13, 0x33\n"
    "shl.u32 R13, R10, 0x1\n"
    "lop3.lut=0xa8 R10, R10, R13, 0x55\n"
    "lop3.lut=0xc0 R12, R12, 0xf, RZ\n"
    "shl.u32 R13, R12, 0x2\n"
    "lop3.lut=0xa8 R12, R12, R13, 0x33\n"
    "shl.u32 R13, R12, 0x1\n"
    "lop3.lut=0xa8 R12, R12, R13, 0x55\n"
    "lea.shift=1 R10, R12, R10\n"
    "shl.u32 R5, R5, 0x10\n"
    "lop3.lut=0xfc R5, R5, 0x7, RZ\n"
    "isetp.lt.and.u32 _|P0, R0, 0x8\n"
    "shl.u32 R2, R0, 0x1\n"
    "@P6 st.line.b32 _, [_], R5\n"
    "@P0 st.line.b8 _, [R0+4], R10\n"
    "st.line.b16 _, [R2+12], R8\n"
    "isetp.lt.and.u32 _|P0, R0, 0x5\n"
    "@P0 st.line.b32 _, [R1+76], RZ\n";
