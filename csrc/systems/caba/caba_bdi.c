// SPDX-License-Identifier: Apache-2.0
// Routines of BDI (CABA algorithms 1 and 2). Images: csrc/mem/compress_bdi.c. What keeps them short:
//
//   - the head of an image (mask and base) is one load of 16 bytes; all lanes store it alike;
//   - a lane's mask bit times the base is added to its delta, so zero-base lanes need no predicate. Routines of 8-byte
//     values run in lanes 16 to 31, whose numbers are the places of their mask bits in the head word;
//   - a value fits k bytes if it is below 2^(8k) after 2^(8k-1) has been added to it. What does not fit has the base
//     taken off in place, so that one more comparison in all lanes says whether the encoding fits, and what is left is
//     the delta but for its upper bit;
//   - only lanes whose value does not fit load the base; there is always a first one then.
//
// Accesses of the window may pass each other in the collectors, so no two stores of a routine write the same byte, and
// what is loaded has been used before the first store.
#include "systems/caba/caba.h"

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

// 8-byte values of lanes 16 to 31: mask at 2, base at 8, deltas from 16 on. DELTA loads the lane's into R2.
#define LOAD_8(DELTA)                            \
    "s2r R0, %laneid\n"                          \
    "ld.line.b128 R4.128, [_]\n" DELTA           \
    "bfe.u32 R1, R4, R0, 0x1\n"                  \
    "shl.u32 R0, R0, 0x3\n"                      \
    "shr.s32 R3, R2, 0x1f\n"                     \
    "imad.wide.u32 R2.64, R1, R6, R2.64\n"       \
    "imad.lo.u32 R3, R1, R7, R3\n"               \
    "st.line.b64 _, [R0-128], R2.64\n"

static const char load_8d1[] = LOAD_8("ld.line.b8.s8 R2, [R0]\n");
static const char load_8d2[] = LOAD_8("shl.u32 R2, R0, 0x1\nld.line.b16.s16 R2, [R2-16]\n");
static const char load_8d4[] = LOAD_8("shl.u32 R2, R0, 0x2\nld.line.b32.u32 R2, [R2-48]\n");

// 4-byte values: mask at 4, base at 8, deltas from 12 on. DELTA loads the lane's into R2.
#define LOAD_4(DELTA)                            \
    "s2r R0, %laneid\n"                          \
    "ld.line.b128 R4.128, [_]\n" DELTA           \
    "bfe.u32 R1, R5, R0, 0x1\n"                  \
    "shl.u32 R0, R0, 0x2\n"                      \
    "imad.lo.u32 R2, R1, R6, R2\n"               \
    "st.line.b32 _, [R0], R2\n"

static const char load_4d1[] = LOAD_4("ld.line.b8.s8 R2, [R0+12]\n");
static const char load_4d2[] = LOAD_4("shl.u32 R2, R0, 0x1\nld.line.b16.s16 R2, [R2+12]\n");

// 2-byte values, l and l + 32 of lane l: base at 2, mask at 4 (8 bytes), deltas from 12 on.
static const char load_2d1[] =
    "s2r R0, %laneid\n"
    "ld.line.b128 R4.128, [_]\n"
    "ld.line.b8.s8 R2, [R0+12]\n"
    "ld.line.b8.s8 R3, [R0+44]\n"
    "shr.u32 R4, R4, 0x10\n"
    "bfe.u32 R5, R5, R0, 0x1\n"
    "bfe.u32 R6, R6, R0, 0x1\n"
    "shl.u32 R0, R0, 0x1\n"
    "imad.lo.u32 R2, R5, R4, R2\n"
    "imad.lo.u32 R3, R6, R4, R3\n"
    "st.line.b16 _, [R0], R2\n"
    "st.line.b16 _, [R0+64], R3\n";

const char *const caba_bdi_load[8] = {zeros, repeated, load_8d1, load_8d2, load_8d4, load_4d1, load_4d2, load_2d1};

// ---- compression: the image that the first encoding in the order of their images gives ----
//
// R0 lane, R1 lane in its half, R2:R3 the lane's 8-byte value (lanes 16 to 31 as 0 to 15), R4 to R7 head, mask and base
// as they are stored, R8 or R8:R9 value with 2^(8k-1) added, then delta with it; R9 the lane's word; R10 ballot, R11
// scratch. P2: the value does not fit. P5: 8D4 fits. P6: 4D2 fits.
//
// What fails a test of longer deltas fails those of shorter ones, so lines that nothing fits skip some: after 8D1 and
// 4D1 come 4D2, and 8D4 where that fails; 8D2 only where one of them fits, which is then tested again to be stored.

#define VOTE_ALL "vote.mode=1 _|P1, 0xffffffff, {P0}\n"
// Offset of the first value of the ballot, of 1 << SHIFT bytes.
#define FIRST(BALLOT, SHIFT) "brev R11, " BALLOT "\nclz R11, R11\nshl.u32 R11, R11, " SHIFT "\n"

#define LOAD_VALUES_8                                    \
    "s2r R0, %laneid\n"                                  \
    "lop3.lut=0xc0 R1, R0, 0xf, RZ\n"                    \
    "shl.u32 R11, R1, 0x3\n"                             \
    "ld.line.b64.u64 R2.64, [R11]\n"
#define LOAD_WORDS "shl.u32 R11, R0, 0x2\nld.line.b32.u32 R9, [R11]\n"

// P := R8:R9 COMPARED WITH (ne: above) what k bytes hold.
#define TEST_8D1(COMPARED, P) "lop3.lut=0xea R11, R8, 0xffffff00, R9\nisetp." COMPARED ".and.u32 _|" P ", R11, RZ\n"
#define TEST_8D2(COMPARED, P) "lop3.lut=0xea R11, R8, 0xffff0000, R9\nisetp." COMPARED ".and.u32 _|" P ", R11, RZ\n"
#define TEST_8D4(COMPARED, P) "isetp." COMPARED ".and.u32 _|" P ", R9, RZ\n"

#define LESS_BASE_8 "@P2 iadd R8|P4, R8, -R6\n@P2 iadd.x R9, R9, -R7, {P4}\n"

// P1: 8-byte values fit; BIAS is 2^(8k-1).
#define FIT_8(BIAS, TEST)                                \
    "iadd R8|P4, R2, " BIAS "\n"                         \
    "iadd.x R9, R3, RZ, {P4}\n"                          \
    TEST("ne", "P2")                                     \
    "vote.mode=4 R10, 0xffffffff, {P2}\n"                \
    FIRST("R10", "0x3")                                  \
    "@P2 ld.line.b64.u64 R6.64, [R11]\n"                 \
    LESS_BASE_8 TEST("eq", "P0") VOTE_ALL

// P3: 8-byte values fit one byte without a base; and P1, where they do not: with one.
#define FIT_8D1_ALONE                                    \
    "mov R4.64, 0x2.64\n"                                \
    "imad.wide.u32 R8.64, R4, 0x40, R2.64\n"             \
    TEST_8D1("ne", "P2")                                 \
    "vote.mode=4 R10, 0xffff, {P2}\n"                    \
    "isetp.eq.and.u32 _|P3, R10, RZ\n"
#define FIT_8D1_BASE(GUARD)                              \
    FIRST("R10", "0x3")                                  \
    GUARD "ld.line.b64.u64 R6.64, [R11]\n"               \
    LESS_BASE_8 TEST_8D1("eq", "P0") VOTE_ALL

// P1: words (R9) fit. Words that need no base are stored at once.
#define FIT_4D1                                          \
    "iadd R8, R9, 0x80\n"                                \
    "isetp.gt.and.u32 _|P2, R8, 0xff\n"                  \
    "vote.mode=4 R5, 0xffffffff, {P2}\n"                 \
    "mov R6, RZ\n"                                       \
    "isetp.eq.and.u32 _|P3, R5, RZ\n"                    \
    "@P3 bra S4D1\n"                                     \
    FIRST("R5", "0x2")                                   \
    "ld.line.b32.u32 R6, [R11]\n"                        \
    "@P2 iadd R8, R8, -R6\n"                             \
    "isetp.le.and.u32 _|P0, R8, 0xff\n"                  \
    VOTE_ALL

#define FIT_4D2                                          \
    "iadd R8, R9, 0x8000\n"                              \
    "isetp.gt.and.u32 _|P2, R8, 0xffff\n"                \
    "vote.mode=4 R5, 0xffffffff, {P2}\n"                 \
    FIRST("R5", "0x2")                                   \
    "@P2 ld.line.b32.u32 R6, [R11]\n"                    \
    "@P2 iadd R8, R8, -R6\n"                             \
    "isetp.le.and.u32 _|P0, R8, 0xffff\n"                \
    VOTE_ALL

// P1: 2-byte values fit. They are in the upper halves of R8 and R9, so that arithmetic is that of 16 bits; R10: base.
#define FIT_2D1                                          \
    "shl.u32 R11, R0, 0x1\n"                             \
    "ld.line.b16.u16 R8, [R11]\n"                        \
    "ld.line.b16.u16 R9, [R11+64]\n"                     \
    "lea.shift=16 R8, R8, 0x800000\n"                    \
    "lea.shift=16 R9, R9, 0x800000\n"                    \
    "isetp.gt.and.u32 _|P2, R8, 0xffffff\n"              \
    "isetp.gt.and.u32 _|P3, R9, 0xffffff\n"              \
    "vote.mode=4 R5, 0xffffffff, {P2}\n"                 \
    "vote.mode=4 R6, 0xffffffff, {P3}\n"                 \
    "mov R10, RZ\n"                                      \
    "isetp.eq.and.u32 _|P4, R5, RZ\n"                    \
    "sel R11, R6, R5, {P4}\n"                            \
    FIRST("R11", "0x1")                                  \
    "@P4 iadd R11, R11, 0x40\n"                          \
    "isetp.lt.and.u32 _|P0, R11, 0x80\n"                 \
    "@P0 ld.line.b16.u16 R10, [R11]\n"                   \
    "shl.u32 R10, R10, 0x10\n"                           \
    "@P2 iadd R8, R8, -R10\n"                            \
    "@P3 iadd R9, R9, -R10\n"                            \
    "isetp.le.and.u32 _|P0, R8, 0xffffff\n"              \
    "isetp.le.and.u32 _|P0, R9, 0xffffff, {P0}\n"        \
    VOTE_ALL

// P3: the lane knows the base: it has used it, or none has and it is 0.
#define HAS_BASE(BALLOT) "isetp.eq.or.u32 _|P3, " BALLOT ", RZ, {P2}\n"
#define STORE_HEAD_8(HEAD)                               \
    "lea.shift=16 R4, R10, " HEAD "\n"                   \
    "mov R5, RZ\n"                                       \
    HAS_BASE("R10")                                      \
    "@!P2 mov R6.64, RZ.64\n"                            \
    "@P3 st.line.b128 _, [_], R4.128\n"

// Images of lines that fit.
#define STORE_ZEROS "st.line.b8 _, [_], RZ\n"
#define STORE_REPEATED                                   \
    "st.line.b128 _, [_], R4.128\n"                      \
    "st.line.b128 _, [_+16], RZ.128\n"
#define STORE_8D1                                        \
    "imad.wide.u32 R4.64, R10, 0x10000, R4.64\n"         \
    "lop3.lut=0x3c R8, R8, 0x80, RZ\n"                   \
    "st.line.b128 _, [_], R4.128\n"                      \
    "st.line.b8 _, [R1+16], R8\n"
#define STORE_8D2                                        \
    STORE_HEAD_8("0x3")                                  \
    "lop3.lut=0x3c R8, R8, 0x8000, RZ\n"                 \
    "shl.u32 R11, R1, 0x1\n"                             \
    "st.line.b16 _, [R11+16], R8\n"                      \
    "st.line.b128 _, [_+48], RZ.128\n"
#define STORE_8D4                                        \
    STORE_HEAD_8("0x4")                                  \
    "lop3.lut=0x3c R8, R8, 0x80000000, RZ\n"             \
    "shl.u32 R11, R1, 0x2\n"                             \
    "st.line.b32 _, [R11+16], R8\n"                      \
    "st.line.b128 _, [_+80], RZ.128\n"
#define STORE_4D1                                        \
    "mov R4, 0x5\n"                                      \
    "lop3.lut=0x3c R8, R8, 0x80, RZ\n"                   \
    "st.line.b64 _, [_], R4.64\n"                        \
    "st.line.b32 _, [_+8], R6\n"                         \
    "st.line.b8 _, [R0+12], R8\n"                        \
    "st.line.b32 _, [_+44], RZ\n"                        \
    "st.line.b128 _, [_+48], RZ.128\n"
#define STORE_4D2                                        \
    "mov R4, 0x6\n"                                      \
    HAS_BASE("R5")                                       \
    "@!P2 mov R6, RZ\n"                                  \
    "st.line.b64 _, [_], R4.64\n"                        \
    "@P3 st.line.b32 _, [_+8], R6\n"                     \
    "lop3.lut=0x3c R8, R8, 0x8000, RZ\n"                 \
    "shl.u32 R11, R0, 0x1\n"                             \
    "st.line.b16 _, [R11+12], R8\n"                      \
    "st.line.b32 _, [_+76], RZ\n"                        \
    "st.line.b128 _, [_+80], RZ.128\n"
#define STORE_2D1                                        \
    "iadd R4, R10, 0x7\n"                                \
    "shr.u32 R8, R8, 0x10\n"                             \
    "shr.u32 R9, R9, 0x10\n"                             \
    "lop3.lut=0x3c R8, R8, 0x80, RZ\n"                   \
    "lop3.lut=0x3c R9, R9, 0x80, RZ\n"                   \
    "st.line.b64 _, [_], R4.64\n"                        \
    "st.line.b32 _, [_+8], R6\n"                         \
    "st.line.b8 _, [R0+12], R8\n"                        \
    "st.line.b8 _, [R0+44], R9\n"                        \
    "st.line.b32 _, [_+76], RZ\n"                        \
    "st.line.b128 _, [_+80], RZ.128\n"

const char *const caba_bdi_store =
    LOAD_VALUES_8
    // 8D1, in which zeros and a repeated value are found too
    FIT_8D1_ALONE
    "@P3 bra NARROW\n"
    FIT_8D1_BASE("")
    "@P1 bra S8D1\n"
    LOAD_WORDS
    FIT_4D1
    "@P1 bra S4D1\n"
    FIT_4D2
    "plop3.lut=0xf0 _|P6, {P1}\n"
    "plop3.lut=0x0 _|P5, {P1}\n"
    "@P1 bra T8D2\n"
    FIT_8("0x80000000", TEST_8D4)
    "plop3.lut=0xf0 _|P5, {P1}\n"
    "@!P1 bra T2D1\n"
    "T8D2:\n"
    FIT_8("0x8000", TEST_8D2)
    "@P1 bra S8D2\n"
    "@P6 bra S4D2\n"
    "T2D1:\n"
    FIT_2D1
    "@P1 bra S2D1\n"
    "@!P5 bra END\n"
    FIT_8("0x80000000", TEST_8D4)
    STORE_8D4
    "bra END\n"
    "S8D2:\n"
    STORE_8D2
    "bra END\n"
    "S4D2:\n"
    LOAD_WORDS
    FIT_4D2
    STORE_4D2
    "bra END\n"
    "S2D1:\n"
    STORE_2D1
    "bra END\n"
    "S4D1:\n"
    STORE_4D1
    "bra END\n"
    "ZEROS:\n"
    STORE_ZEROS
    "bra END\n"
    "S8D1:\n"
    "isetp.eq.and.u32 _|P0, R8, 0x80, {P2}\n"
    VOTE_ALL
    "@!P1 bra HEAD\n"
    "REPEATED:\n"
    "mov R4.64, 0x1.64\n"
    "mov R6.64, R2.64\n"
    STORE_REPEATED
    "bra END\n"
    "NARROW:\n"
    "isetp.eq.and.u32 _|P0, R8, 0x80\n"
    VOTE_ALL
    "@P1 bra ZEROS\n"
    "ld.line.b32.u32 R6, [_]\n"
    "isetp.eq.and.u32 _|P0, R2, R6\n"
    VOTE_ALL
    "@P1 bra REPEATED\n"
    "mov R6.64, RZ.64\n"
    "HEAD:\n"
    STORE_8D1;

// ---- compression with one encoding (bdi.trial last-first): the image, or nothing where it does not fit ----

#define UNLESS_FIT "@!P1 bra END\n"
#define LANE "s2r R0, %laneid\n"

static const char try_zeros[] =
    LANE LOAD_WORDS
    "isetp.eq.and.u32 _|P0, R9, RZ\n"
    VOTE_ALL UNLESS_FIT STORE_ZEROS;

static const char try_repeated[] =
    LOAD_VALUES_8
    "ld.line.b64.u64 R6.64, [_]\n"
    "isetp.eq.and.u32 _|P0, R2, R6\n"
    "isetp.eq.and.u32 _|P0, R3, R7, {P0}\n"
    VOTE_ALL UNLESS_FIT
    "mov R4.64, 0x1.64\n"
    STORE_REPEATED;

static const char try_8d1[] =
    LOAD_VALUES_8 FIT_8D1_ALONE
    "mov R6.64, RZ.64\n"
    FIT_8D1_BASE("@!P3 ") UNLESS_FIT STORE_8D1;

static const char try_8d2[] = LOAD_VALUES_8 FIT_8("0x8000", TEST_8D2) UNLESS_FIT STORE_8D2;
static const char try_8d4[] = LOAD_VALUES_8 FIT_8("0x80000000", TEST_8D4) UNLESS_FIT STORE_8D4;
static const char try_4d1[] = LANE LOAD_WORDS FIT_4D1 UNLESS_FIT "S4D1:\n" STORE_4D1;
static const char try_4d2[] = LANE LOAD_WORDS FIT_4D2 UNLESS_FIT STORE_4D2;
static const char try_2d1[] = LANE FIT_2D1 UNLESS_FIT STORE_2D1;

const char *const caba_bdi_try[8] = {try_zeros, try_repeated, try_8d1, try_8d2, try_8d4, try_4d1, try_4d2, try_2d1};
