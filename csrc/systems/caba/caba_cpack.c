// SPDX-License-Identifier: Apache-2.0
// Routines of C-Pack (CABA algorithms 5 and 6): up to three words and zero are the dictionary; a word is one of them,
// or one with another low byte. Images: csrc/mem/compress_cpack.c.
#include "systems/caba/caba.h"

// R1 stored entries, R2 the lane's nibble, R3 its entry's offset, R4 the word, R6 its offset. The low byte is loaded in
// any case, as its address is known early.
const char *const caba_cpack_load =
    "s2r R0, %laneid\n"
    "shr.u32 R2, R0, 0x1\n"
    "ld.line.b8.u8 R1, [_+1]\n"
    "ld.line.b8.u8 R2, [R2+4]\n"
    "shl.u32 R6, R0, 0x2\n"
    "lop3.lut=0xc0 R3, R6, 0x4, RZ\n"
    "mov R4, RZ\n"
    "bfe.u32 R2, R2, R3, 0x4\n"
    "lop3.lut=0xc0 R3, R2, 0x3, RZ\n"
    "isetp.ne.and.u32 _|P0, R3, RZ\n"
    "shl.u32 R3, R3, 0x2\n"
    "@P0 ld.line.b32.u32 R4, [R3+16]\n"
    "lea.shift=2 R1, R1, R0\n"
    "ld.line.b8.u8 R5, [R1+20]\n"
    "isetp.gt.and.u32 _|P1, R2, 0x3\n"
    "@P1 bfi R4, R5, R4, 0x800\n"
    "st.line.b32 _, [R6], R4\n";

// Entry J: the first word that is not covered (P0: in these lanes) becomes D; to DONE when there is none. R3: entry of
// the lane's word, R5 the upper bits of the word.
#define ENTRY(J, D)                                 \
    "vote.mode=4 R10, 0xffffffff, {P0}\n"           \
    "isetp.eq.and.u32 _|P1, R10, RZ\n"                \
    "@P1 bra DONE\n"                                \
    "brev R11, R10\n"                               \
    "clz R11, R11\n"                                \
    "shl.u32 R11, R11, 0x2\n"                       \
    "ld.line.b32.u32 " D ", [R11]\n"                \
    "mov R9, " J "\n"                               \
    "lop3.lut=0xc0 R11, " D ", 0xffffff00, RZ\n"    \
    "isetp.eq.and.u32 _|P2, R5, R11, {P0}\n"          \
    "@P2 mov R3, " J "\n"                           \
    "@P2 mov R4, " D "\n"                           \
    "isetp.ne.and.u32 _|P0, R5, R11, {P0}\n"

// R2 the word, R4 its entry's word, R6 to R8 the dictionary, R9 stored entries, R12 length of the image.
const char *const caba_cpack_store =
    "s2r R0, %laneid\n"
    "shl.u32 R1, R0, 0x2\n"
    "ld.line.b32.u32 R2, [R1]\n"
    "mov R3, RZ\n"
    "mov R4, RZ\n"
    "mov R6, RZ\n"
    "mov R7, RZ\n"
    "mov R8, RZ\n"
    "mov R9, RZ\n"
    "lop3.lut=0xc0 R5, R2, 0xffffff00, RZ\n"
    "isetp.ne.and.u32 _|P0, R5, RZ\n"
    ENTRY("0x1", "R6")
    ENTRY("0x2", "R7")
    ENTRY("0x3", "R8")
    "vote.mode=2 _|P1, 0xffffffff, {P0}\n"
    "@P1 bra END\n"
    "DONE:\n"
    "isetp.ne.and.u32 _|P3, R2, R4\n"
    "vote.mode=4 R10, 0xffffffff, {P3}\n"
    "isetp.ne.and.u32 _|P4, R10, RZ\n"
    "mov R13, RZ\n"
    "@P4 mov R13, 0x1\n"
    "lea.shift=2 R12, R9, 0x14\n"
    "lea.shift=5 R14, R13, R12\n"
    "isetp.gt.and.u32 _|P1, R14, 0x60\n"
    "@P1 bra END\n"
    // nibbles: the neighbor's is in the ballots
    "lop3.lut=0xc0 R5, R3, 0x1, RZ\n"
    "isetp.ne.and.u32 _|P0, R5, RZ\n"
    "vote.mode=4 R4, 0xffffffff, {P0}\n"
    "lop3.lut=0xc0 R5, R3, 0x2, RZ\n"
    "isetp.ne.and.u32 _|P0, R5, RZ\n"
    "vote.mode=4 R11, 0xffffffff, {P0}\n"
    "@P3 iadd R3, R3, 0x4\n"
    "iadd R5, R0, 0x1\n"
    "shr.u32 R4, R4, R5\n"
    "lop3.lut=0xc0 R4, R4, 0x1, RZ\n"
    "shr.u32 R11, R11, R5\n"
    "lop3.lut=0xc0 R11, R11, 0x1, RZ\n"
    "lea.shift=1 R4, R11, R4\n"
    "shr.u32 R10, R10, R5\n"
    "lop3.lut=0xc0 R10, R10, 0x1, RZ\n"
    "lea.shift=2 R4, R10, R4\n"
    "lea.shift=4 R3, R4, R3\n"
    "lop3.lut=0xc0 R5, R0, 0x1, RZ\n"
    "isetp.eq.and.u32 _|P0, R5, RZ\n"
    "shr.u32 R5, R0, 0x1\n"
    "isetp.eq.and.u32 _|P6, R0, RZ\n"
    "shl.u32 R9, R9, 0x8\n"
    "lea.shift=16 R9, R13, R9\n"
    "lop3.lut=0xfc R9, R9, 0x20, RZ\n"
    // low bytes, 0 where the word is the entry
    "lop3.lut=0xc0 R2, R2, 0xff, RZ\n"
    "@!P3 mov R2, RZ\n"
    "iadd R10, R12, R0\n"
    // zeros up to the end of the last burst
    "iadd R13, R14, R0\n"
    "iadd R11, R14, 0x1f\n"
    "lop3.lut=0xc0 R11, R11, 0xe0, RZ\n"
    "isetp.lt.and.u32 _|P5, R13, R11\n"
    "@P6 st.line.b32 _, [_], R9\n"
    "@P0 st.line.b8 _, [R5+4], R3\n"
    "isetp.gt.and.u32 _|P0, R12, 0x14\n"
    "isetp.eq.and.u32 _|P0, R0, RZ, {P0}\n"
    "@P0 st.line.b32 _, [_+20], R6\n"
    "isetp.gt.and.u32 _|P0, R12, 0x18\n"
    "isetp.eq.and.u32 _|P0, R0, RZ, {P0}\n"
    "@P0 st.line.b32 _, [_+24], R7\n"
    "isetp.gt.and.u32 _|P0, R12, 0x1c\n"
    "isetp.eq.and.u32 _|P0, R0, RZ, {P0}\n"
    "@P0 st.line.b32 _, [_+28], R8\n"
    "@P4 st.line.b8 _, [R10], R2\n"
    "@P5 st.line.b8 _, [R13], RZ\n";
