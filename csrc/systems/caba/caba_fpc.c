// SPDX-License-Identifier: Apache-2.0
// Routines of FPC (CABA algorithms 3 and 4): segments of eight words, each with the first pattern that all its words
// satisfy. Images: csrc/mem/compress_fpc.c. Algorithm 3 stores a segment before it loads the next one, which in place
// destroys the image; here all segments are loaded first, one lane per word.
#include "systems/caba/caba.h"

// Decompression looks everything up with byte permutes: the patterns of an image are four nibbles, which select four
// bytes of a table of eight at once, one per segment. So there is one instruction for what a word of each pattern
// takes, and one for each half of the selector that makes the word: of the aligned word that it lies in, b bytes from
// its start, add b to each nibble. Patterns 0 to 7: 0x4444 (zero), 0x8880, 0x9910 (their signs), 0x1044, 0x9180, 0, -,
// 0x3210; bytes 4 to 7 are zero. What a word takes: 0, 1, 2, 2, 2, 1, -, 4 bytes.
//
// R0 lane, R1 8 * segment, R2 patterns, R3 offset of the word, R4 size, R5 8 * the sizes of the segments before it,
// R6 and R7 selector, R8 bytes from the start of the aligned word, R9 the word.
const char *const caba_fpc_load =
    "s2r R0, %laneid\n"
    "ld.line.b16.u16 R2, [_+2]\n"
    "lop3.lut=0xc0 R1, R0, 0x18, RZ\n"
    "mov R4, 0x2020100\n"
    "mov R6, 0x44108044\n"
    "mov R7, 0x10998844\n"
    "prmt R4, R4, R2, 0x4000102\n"
    "prmt R6, R6, R2, 0x10000080\n"
    "prmt R7, R7, R2, 0x32000091\n"
    "imul.lo.u32 R5, R4, 0x8080800\n"
    "bfe.u32 R4, R4, R1, 0x8\n"
    "bfe.u32 R5, R5, R1, 0x8\n"
    "lop3.lut=0xc0 R3, R0, 0x7, RZ\n"
    "imad.lo.u32 R3, R3, R4, R5\n"
    "lop3.lut=0xc0 R8, R3, 0x3, RZ\n"
    "lop3.lut=0xc0 R3, R3, 0x7c, RZ\n"
    "ld.line.b32.u32 R9, [R3+4]\n"
    "bfe.u32 R6, R6, R1, 0x8\n"
    "bfe.u32 R7, R7, R1, 0x8\n"
    "lea.shift=8 R6, R7, R6\n"
    "imad.lo.u32 R6, R8, 0x1111, R6\n"
    "prmt R9, R9, R6, RZ\n"
    "shl.u32 R0, R0, 0x2\n"
    "st.line.b32 _, [R0], R9\n";

// In lanes without a pattern (R3 is 7) in whose segment all words satisfy P0: pattern and size of a word. R4: lanes of
// the segment.
#define TRY(PATTERN, SIZE)                          \
    "vote.mode=4 R5, 0xffffffff, {P0}\n"            \
    "lop3.lut=0xc0 R5, R5, R4, RZ\n"                \
    "isetp.eq.and.u32 _|P1, R5, R4\n"                 \
    "isetp.eq.and.u32 _|P1, R3, 0x7, {P1}\n"          \
    "@P1 mov R3, " PATTERN "\n"                     \
    "@P1 mov R6, " SIZE "\n"

// R2 the word, R3 pattern, R6 size; R7, R8, R9: ballots of the bits of the sizes, then of the patterns; R10 offset of
// the word, R12 length of the image.
const char *const caba_fpc_store =
    "s2r R0, %laneid\n"
    "shl.u32 R1, R0, 0x2\n"
    "ld.line.b32.u32 R2, [R1]\n"
    "lop3.lut=0xc0 R3, R0, 0x18, RZ\n"
    "mov R4, 0xff\n"
    "shl.u32 R4, R4, R3\n"
    "mov R5, 0x1\n"
    "shl.u32 R11, R5, R3\n"
    "iadd R11, R11, -R5\n"
    "mov R3, 0x7\n"
    "mov R6, 0x4\n"
    "isetp.eq.and.u32 _|P0, R2, RZ\n"
    TRY("RZ", "RZ")
    "ext.s8 R7, R2\n"
    "isetp.eq.and.u32 _|P0, R7, R2\n"
    TRY("0x1", "0x1")
    "lop3.lut=0xc0 R7, R2, 0xff, RZ\n"
    "imul.lo.u32 R7, R7, 0x1010101\n"
    "isetp.eq.and.u32 _|P0, R7, R2\n"
    TRY("0x5", "0x1")
    "ext.s16 R7, R2\n"
    "isetp.eq.and.u32 _|P0, R7, R2\n"
    TRY("0x2", "0x2")
    "lop3.lut=0xc0 R7, R2, 0xffff, RZ\n"
    "isetp.eq.and.u32 _|P0, R7, RZ\n"
    TRY("0x3", "0x2")
    "ext.s16 R7, R2\n"
    "ext.s8 R8, R7\n"
    "isetp.eq.and.u32 _|P0, R7, R8\n"
    "shr.s32 R7, R2, 0x10\n"
    "ext.s8 R8, R7\n"
    "isetp.eq.and.u32 _|P0, R7, R8, {P0}\n"
    TRY("0x4", "0x2")
    // sizes: 4 + R7 + 2 R8 + 4 R9 bytes, of the lanes before the segment (R11) and of all
    "isetp.eq.and.u32 _|P0, R6, 0x1\n"
    "vote.mode=4 R7, 0xffffffff, {P0}\n"
    "isetp.eq.and.u32 _|P0, R6, 0x2\n"
    "vote.mode=4 R8, 0xffffffff, {P0}\n"
    "isetp.eq.and.u32 _|P0, R6, 0x4\n"
    "vote.mode=4 R9, 0xffffffff, {P0}\n"
    "popc R12, R7\n"
    "popc R10, R8\n"
    "lea.shift=1 R12, R10, R12\n"
    "popc R10, R9\n"
    "lea.shift=2 R12, R10, R12\n"
    "iadd R12, R12, 0x4\n"
    "isetp.gt.and.u32 _|P0, R12, 0x60\n"
    "@P0 bra END\n"
    "lop3.lut=0xc0 R7, R7, R11, RZ\n"
    "lop3.lut=0xc0 R8, R8, R11, RZ\n"
    "lop3.lut=0xc0 R9, R9, R11, RZ\n"
    "popc R10, R7\n"
    "popc R5, R8\n"
    "lea.shift=1 R10, R5, R10\n"
    "popc R5, R9\n"
    "lea.shift=2 R10, R5, R10\n"
    "lop3.lut=0xc0 R5, R0, 0x7, RZ\n"
    "imad.lo.u32 R10, R5, R6, R10\n"
    // patterns: nibbles of the own segment and of the next one, by lanes 0 and 16
    "lop3.lut=0xc0 R5, R3, 0x1, RZ\n"
    "isetp.ne.and.u32 _|P0, R5, RZ\n"
    "vote.mode=4 R7, 0xffffffff, {P0}\n"
    "lop3.lut=0xc0 R5, R3, 0x2, RZ\n"
    "isetp.ne.and.u32 _|P0, R5, RZ\n"
    "vote.mode=4 R8, 0xffffffff, {P0}\n"
    "lop3.lut=0xc0 R5, R3, 0x4, RZ\n"
    "isetp.ne.and.u32 _|P0, R5, RZ\n"
    "vote.mode=4 R9, 0xffffffff, {P0}\n"
    "iadd R5, R0, 0x8\n"
    "shr.u32 R7, R7, R5\n"
    "lop3.lut=0xc0 R7, R7, 0x1, RZ\n"
    "shr.u32 R8, R8, R5\n"
    "lop3.lut=0xc0 R8, R8, 0x1, RZ\n"
    "lea.shift=1 R7, R8, R7\n"
    "shr.u32 R9, R9, R5\n"
    "lop3.lut=0xc0 R9, R9, 0x1, RZ\n"
    "lea.shift=2 R7, R9, R7\n"
    "lea.shift=4 R7, R7, R3\n"
    // zeros up to the end of the last burst: bytes from R12 on, one per lane
    "iadd R13, R12, R0\n"
    "iadd R8, R12, 0x1f\n"
    "lop3.lut=0xc0 R8, R8, 0xe0, RZ\n"
    "isetp.lt.and.u32 _|P5, R13, R8\n"
    "lop3.lut=0xc0 R8, R0, 0xf, RZ\n"
    "isetp.eq.and.u32 _|P6, R8, RZ\n"
    "shr.u32 R8, R0, 0x4\n"
    "isetp.eq.and.u32 _|P0, R0, RZ\n"
    "mov R9, 0x10\n"
    // one byte, two, the upper two, or one of each half
    "isetp.eq.and.u32 _|P1, R6, 0x1\n"
    "isetp.eq.and.u32 _|P2, R6, 0x2\n"
    "isetp.eq.and.u32 _|P3, R6, 0x4\n"
    "isetp.eq.and.u32 _|P4, R3, 0x3\n"
    "shr.u32 R5, R2, 0x10\n"
    "@P4 mov R2, R5\n"
    "isetp.eq.and.u32 _|P4, R3, 0x4\n"
    "@P4 lop3.lut=0xc0 R2, R2, 0xff, RZ\n"
    "@P4 lop3.lut=0xc0 R5, R5, 0xff, RZ\n"
    "@P4 lea.shift=8 R2, R5, R2\n"
    "@P0 st.line.b16 _, [_], R9\n"
    "@P6 st.line.b8 _, [R8+2], R7\n"
    "@P1 st.line.b8 _, [R10+4], R2\n"
    "@P2 st.line.b16 _, [R10+4], R2\n"
    "@P3 st.line.b32 _, [R10+4], R2\n"
    "@P5 st.line.b8 _, [R13], RZ\n";
