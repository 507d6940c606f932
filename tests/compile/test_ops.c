// SPDX-License-Identifier: Apache-2.0
// Every PTX instruction form, compiled and run on the test interpreter, against the oracle on the
// PTX. Edge operands are in registers, then written as immediates (constant folding).
#include "compile/compile.h"
#include "machine.h"
#include "oracle/oracle.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

// Registers of the template: inputs %h1-3 (16 bit), %r1-3, %d1-3, %f1-3, %g1-3, %p1-3 (lowest bit
// of r). Outputs %h0 %r0 %d0 %f0 %g0 %p0 %p9, also as inputs that are zero. Member kind selects the
// edge values of the inputs: i 32-bit, l 64-bit, f f32, g f64.
typedef struct Form {
    char kind;
    const char *text;
} Form;

static const Form forms[] = {
    {'i', "add.s32 %r0, %r1, %r2;"},
    {'i', "sub.s32 %r0, %r1, %r2;"},
    {'i', "add.sat.s32 %r0, %r1, %r2;"},
    {'i', "sub.sat.s32 %r0, %r1, %r2;"},
    {'i', "add.u16 %h0, %h1, %h2;"},
    {'i', "sub.s16 %h0, %h1, %h2;"},
    {'l', "add.s64 %d0, %d1, %d2;"},
    {'l', "sub.u64 %d0, %d1, %d2;"},
    {'i', "mul.lo.s32 %r0, %r1, %r2;"},
    {'i', "mul.hi.s32 %r0, %r1, %r2;"},
    {'i', "mul.hi.u32 %r0, %r1, %r2;"},
    {'i', "mul.wide.s32 %d0, %r1, %r2;"},
    {'i', "mul.wide.u32 %d0, %r1, %r2;"},
    {'i', "mul.lo.s16 %h0, %h1, %h2;"},
    {'i', "mul.hi.s16 %h0, %h1, %h2;"},
    {'i', "mul.hi.u16 %h0, %h1, %h2;"},
    {'i', "mul.wide.s16 %r0, %h1, %h2;"},
    {'i', "mul.wide.u16 %r0, %h1, %h2;"},
    {'l', "mul.lo.s64 %d0, %d1, %d2;"},
    {'l', "mul.hi.s64 %d0, %d1, %d2;"},
    {'l', "mul.hi.u64 %d0, %d1, %d2;"},
    {'i', "mul24.lo.s32 %r0, %r1, %r2;"},
    {'i', "mul24.hi.s32 %r0, %r1, %r2;"},
    {'i', "mul24.lo.u32 %r0, %r1, %r2;"},
    {'i', "mul24.hi.u32 %r0, %r1, %r2;"},
    {'i', "mad.lo.s32 %r0, %r1, %r2, %r3;"},
    {'i', "mad.hi.s32 %r0, %r1, %r2, %r3;"},
    {'i', "mad.hi.u32 %r0, %r1, %r2, %r3;"},
    {'i', "mad.hi.sat.s32 %r0, %r1, %r2, %r3;"},
    {'i', "mad.wide.s32 %d0, %r1, %r2, %d3;"},
    {'i', "mad.wide.u32 %d0, %r1, %r2, %d3;"},
    {'i', "mad.lo.u16 %h0, %h1, %h2, %h3;"},
    {'i', "mad.hi.s16 %h0, %h1, %h2, %h3;"},
    {'i', "mad.wide.s16 %r0, %h1, %h2, %r3;"},
    {'i', "mad.wide.u16 %r0, %h1, %h2, %r3;"},
    {'l', "mad.lo.s64 %d0, %d1, %d2, %d3;"},
    {'l', "mad.hi.s64 %d0, %d1, %d2, %d3;"},
    {'l', "mad.hi.u64 %d0, %d1, %d2, %d3;"},
    {'i', "mad24.lo.s32 %r0, %r1, %r2, %r3;"},
    {'i', "mad24.hi.s32 %r0, %r1, %r2, %r3;"},
    {'i', "mad24.hi.sat.s32 %r0, %r1, %r2, %r3;"},
    {'i', "mad24.lo.u32 %r0, %r1, %r2, %r3;"},
    {'i', "add.cc.u32 %r0, %r1, %r2; addc.u32 %r4, %r3, %r1; mov.b64 %d0, {%r0, %r4};"},
    {'i',
     "add.cc.u32 %r0, %r1, %r2; addc.cc.u32 %r4, %r3, %r1; addc.u32 %r5, 0, 0; mov.b64 %d0, {%r4, "
     "%r5};"},
    {'i', "sub.cc.u32 %r0, %r1, %r2; subc.u32 %r4, %r3, %r1; mov.b64 %d0, {%r0, %r4};"},
    {'i',
     "sub.cc.u32 %r0, %r1, %r2; subc.cc.u32 %r4, %r3, %r1; subc.u32 %r5, 0, 0; mov.b64 %d0, {%r4, "
     "%r5};"},
    {'i', "sub.cc.u32 %r4, %r1, %r2; addc.u32 %r0, %r3, %r1;"},
    {'i', "add.cc.u32 %r4, %r1, %r2; subc.u32 %r0, %r3, %r1;"},
    {'l', "add.cc.u64 %d0, %d1, %d2; addc.u64 %d4, %d3, %d1; mov.b64 {%r0, %r4}, %d4;"},
    {'l', "sub.cc.u64 %d4, %d1, %d2; subc.cc.u64 %d0, %d3, %d1; addc.u32 %r0, 0, 0;"},
    {'i',
     "mad.lo.cc.u32 %r0, %r1, %r2, %r3; madc.hi.u32 %r4, %r1, %r2, %r3; mov.b64 %d0, {%r0, %r4};"},
    {'i',
     "mad.hi.cc.u32 %r0, %r1, %r2, %r3; madc.lo.cc.s32 %r4, %r1, %r2, %r3; madc.hi.s32 %r5, %r2, "
     "%r1, %r3; mov.b64 %d0, {%r4, %r5};"},
    {'l', "mad.lo.cc.u64 %d4, %d1, %d2, %d3; madc.hi.u64 %d0, %d1, %d2, %d3;"},
    {'i', "div.s32 %r0, %r1, %r2;"},
    {'i', "div.u32 %r0, %r1, %r2;"},
    {'i', "rem.s32 %r0, %r1, %r2;"},
    {'i', "rem.u32 %r0, %r1, %r2;"},
    {'i', "div.s16 %h0, %h1, %h2;"},
    {'i', "div.u16 %h0, %h1, %h2;"},
    {'i', "rem.s16 %h0, %h1, %h2;"},
    {'i', "rem.u16 %h0, %h1, %h2;"},
    {'l', "div.s64 %d0, %d1, %d2;"},
    {'l', "div.u64 %d0, %d1, %d2;"},
    {'l', "rem.s64 %d0, %d1, %d2;"},
    {'l', "rem.u64 %d0, %d1, %d2;"},
    {'i', "min.s32 %r0, %r1, %r2;"},
    {'i', "max.u32 %r0, %r1, %r2;"},
    {'i', "min.s16 %h0, %h1, %h2;"},
    {'i', "max.u16 %h0, %h1, %h2;"},
    {'l', "min.s64 %d0, %d1, %d2;"},
    {'l', "max.u64 %d0, %d1, %d2;"},
    {'i', "abs.s32 %r0, %r1;"},
    {'i', "abs.s16 %h0, %h1;"},
    {'l', "abs.s64 %d0, %d1;"},
    {'i', "neg.s32 %r0, %r1;"},
    {'i', "neg.s16 %h0, %h1;"},
    {'l', "neg.s64 %d0, %d1;"},
    {'i', "sad.s32 %r0, %r1, %r2, %r3;"},
    {'i', "sad.u32 %r0, %r1, %r2, %r3;"},
    {'i', "sad.s16 %h0, %h1, %h2, %h3;"},
    {'l', "sad.u64 %d0, %d1, %d2, %d3;"},
    {'l', "sad.s64 %d0, %d1, %d2, %d3;"},
    {'i', "and.b32 %r0, %r1, %r2;"},
    {'i', "or.b32 %r0, %r1, %r2;"},
    {'i', "xor.b32 %r0, %r1, %r2;"},
    {'i', "not.b32 %r0, %r1;"},
    {'i', "and.b16 %h0, %h1, %h2;"},
    {'i', "xor.b16 %h0, %h1, %h2;"},
    {'i', "not.b16 %h0, %h1;"},
    {'l', "and.b64 %d0, %d1, %d2;"},
    {'l', "or.b64 %d0, %d1, %d2;"},
    {'l', "xor.b64 %d0, %d1, %d2;"},
    {'l', "not.b64 %d0, %d1;"},
    {'i', "cnot.b32 %r0, %r1;"},
    {'i', "cnot.b16 %h0, %h1;"},
    {'l', "cnot.b64 %d0, %d1;"},
    {'i', "lop3.b32 %r0, %r1, %r2, %r3, 0xe8;"},
    {'i', "lop3.b32 %r0, %r1, %r2, %r3, 0x1b;"},
    {'i', "and.b32 %r4, %r1, %r2; or.b32 %r5, %r4, %r3; xor.b32 %r0, %r5, %r1;"},
    {'i', "and.pred %p0, %p1, %p2;"},
    {'i', "or.pred %p0, %p1, %p2;"},
    {'i', "xor.pred %p0, %p1, %p2;"},
    {'i', "not.pred %p0, %p1;"},
    {'i', "not.pred %p4, %p1; and.pred %p5, %p4, %p2; or.pred %p0, %p5, %p3;"},
    {'i', "shl.b32 %r0, %r1, %r2;"},
    {'i', "shr.u32 %r0, %r1, %r2;"},
    {'i', "shr.s32 %r0, %r1, %r2;"},
    {'i', "shl.b16 %h0, %h1, %r2;"},
    {'i', "shr.u16 %h0, %h1, %r2;"},
    {'i', "shr.s16 %h0, %h1, %r2;"},
    {'l', "shl.b64 %d0, %d1, %r2;"},
    {'l', "shr.u64 %d0, %d1, %r2;"},
    {'l', "shr.s64 %d0, %d1, %r2;"},
    {'i', "shf.l.wrap.b32 %r0, %r1, %r2, %r3;"},
    {'i', "shf.r.wrap.b32 %r0, %r1, %r2, %r3;"},
    {'i', "shf.l.clamp.b32 %r0, %r1, %r2, %r3;"},
    {'i', "shf.r.clamp.b32 %r0, %r1, %r2, %r3;"},
    {'i', "prmt.b32 %r0, %r1, %r2, %r3;"},
    {'i', "prmt.b32.f4e %r0, %r1, %r2, %r3;"},
    {'i', "prmt.b32.b4e %r0, %r1, %r2, %r3;"},
    {'i', "prmt.b32.rc8 %r0, %r1, %r2, %r3;"},
    {'i', "prmt.b32.ecl %r0, %r1, %r2, %r3;"},
    {'i', "prmt.b32.ecr %r0, %r1, %r2, %r3;"},
    {'i', "prmt.b32.rc16 %r0, %r1, %r2, %r3;"},
    {'i', "bfe.u32 %r0, %r1, %r2, %r3;"},
    {'i', "bfe.s32 %r0, %r1, %r2, %r3;"},
    {'l', "bfe.u64 %d0, %d1, %r2, %r3;"},
    {'l', "bfe.s64 %d0, %d1, %r2, %r3;"},
    {'i', "bfi.b32 %r0, %r1, %r2, %r3, %r2;"},
    {'i', "bfi.b32 %r0, %r1, %r2, 5, 9;"},
    {'l', "bfi.b64 %d0, %d1, %d2, %r3, %r2;"},
    {'l', "bfi.b64 %d0, %d1, %d2, 32, 32;"},
    {'i', "bfe.u32 %r0, %r1, 3, 7;"},
    {'i', "bfe.s32 %r0, %r1, 3, 7;"},
    {'i', "bfe.s32 %r0, %r1, 28, 9;"},
    {'i', "bfe.u32 %r0, %r1, 40, 9;"},
    {'i', "bfind.u32 %r0, %r1;"},
    {'i', "bfind.s32 %r0, %r1;"},
    {'i', "bfind.shiftamt.u32 %r0, %r1;"},
    {'l', "bfind.u64 %r0, %d1;"},
    {'l', "bfind.s64 %r0, %d1;"},
    {'l', "bfind.shiftamt.s64 %r0, %d1;"},
    {'i', "popc.b32 %r0, %r1;"},
    {'l', "popc.b64 %r0, %d1;"},
    {'i', "clz.b32 %r0, %r1;"},
    {'l', "clz.b64 %r0, %d1;"},
    {'i', "brev.b32 %r0, %r1;"},
    {'l', "brev.b64 %d0, %d1;"},
    {'i', "fns.b32 %r0, %r1, %r2, %r3;"},
    {'i', "szext.wrap.s32 %r0, %r1, %r2;"},
    {'i', "szext.clamp.u32 %r0, %r1, %r2;"},
    {'i', "bmsk.clamp.b32 %r0, %r1, %r2;"},
    {'i', "bmsk.wrap.b32 %r0, %r1, %r2;"},
    {'i', "dp4a.u32.u32 %r0, %r1, %r2, %r3;"},
    {'i', "dp4a.s32.u32 %r0, %r1, %r2, %r3;"},
    {'i', "dp2a.lo.s32.s32 %r0, %r1, %r2, %r3;"},
    {'i', "dp2a.hi.u32.s32 %r0, %r1, %r2, %r3;"},
    {'i', "vabsdiff4.u32.u32.u32.add %r0, %r1, %r2, %r3;"},
    {'i', "vabsdiff.u32.s32.u32 %r0, %r1, %r2;"},
    {'i', "vabsdiff.s32.s32.s32.sat.max %r0, %r1, %r2, %r3;"},
    {'i', "vabsdiff.u32.u32.u32.add %r0, %r1, %r2, %r3;"},
    {'i', "vabsdiff.u32.s32.s32.sat.min %r0, %r1, %r2, %r3;"},
    {'i', "vabsdiff2.s32.s32.s32 %r0, %r1, %r2, %r3;"},
    {'i', "vabsdiff4.s32.u32.s32.sat %r0, %r1, %r2, %r3;"},
    {'i', "setp.lt.s32 %p0, %r1, %r2;"},
    {'i', "setp.hs.u32 %p0, %r1, %r2;"},
    {'i', "setp.eq.b32 %p0, %r1, %r2;"},
    {'i', "setp.ge.s16 %p0, %h1, %h2;"},
    {'i', "setp.lo.u16 %p0, %h1, %h2;"},
    {'i', "setp.ne.b16 %p0, %h1, %h2;"},
    {'i', "setp.lt.and.s32 %p0|%p9, %r1, %r2, %p3;"},
    {'i', "setp.gt.or.u32 %p0|%p9, %r1, %r2, !%p3;"},
    {'i', "setp.le.xor.s32 %p0|%p9, %r1, %r2, %p3;"},
    {'l', "setp.lt.s64 %p0, %d1, %d2;"},
    {'l', "setp.ge.u64 %p0, %d1, %d2;"},
    {'l', "setp.eq.s64 %p0, %d1, %d2;"},
    {'l', "setp.ne.b64 %p0, %d1, %d2;"},
    {'l', "setp.gt.or.s64 %p0|%p9, %d1, %d2, %p3;"},
    {'i',
     "setp.lt.s32 %p4, %r1, %r2; setp.gt.u32 %p5, %r1, %r3; and.pred %p0, %p4, %p5; or.pred %p9, "
     "%p4, %p3;"},
    {'i', "set.lt.u32.s32 %r0, %r1, %r2;"},
    {'i', "set.ge.f32.u32 %f0, %r1, %r2;"},
    {'f', "set.eq.s32.f32 %r0, %f1, %f2;"},
    {'f', "set.ltu.and.f32.f32 %f0, %f1, %f2, %p3;"},
    {'g', "set.gt.u32.f64 %r0, %g1, %g2;"},
    {'i', "selp.b32 %r0, %r1, %r2, %p3;"},
    {'i', "selp.b16 %h0, %h1, %h2, %p3;"},
    {'l', "selp.b64 %d0, %d1, %d2, %p3;"},
    {'f', "selp.f32 %f0, %f1, %f2, %p3;"},
    {'g', "selp.f64 %g0, %g1, %g2, %p3;"},
    {'i', "selp.u32 %r4, 1, 0, %p1; setp.ne.s32 %p0, %r4, 0;"},
    {'i', "selp.u16 %h4, 1, 0, %p1; setp.eq.s16 %p0, %h4, 0;"},
    {'i', "slct.b32.s32 %r0, %r1, %r2, %r3;"},
    {'l', "slct.u64.s32 %d0, %d1, %d2, %r3;"},
    {'f', "slct.f32.f32 %f0, %f1, %f2, %f3;"},
    {'f', "slct.ftz.b32.f32 %r0, %r1, %r2, %f3;"},
    {'i', "mov.b32 %r0, {%h1, %h2};"},
    {'i', "mov.b64 %d0, {%r1, %r2};"},
    {'l', "mov.b64 {%r0, %r4}, %d1; add.s32 %r0, %r0, %r4;"},
    {'i', "mov.b32 {%h0, %h4}, %r1; add.s16 %h0, %h0, %h4;"},
    {'l', "mov.b64 {%h0, %h4, %h5, %h6}, %d1; sub.s16 %h0, %h5, %h6;"},
    {'l', "mov.b64 %d0, {%h1, %h2, %h3, %h1};"},
    {'f', "mov.b32 %r0, %f1;"},
    {'g', "mov.b64 %d0, %g1;"},
    {'i', "cvt.u16.u32 %h0, %r1;"},
    {'i', "cvt.s32.s16 %r0, %h1;"},
    {'i', "cvt.u32.u16 %r0, %h1;"},
    {'i', "cvt.s32.s8 %r0, %r1;"},
    {'i', "cvt.u32.u8 %r0, %r1;"},
    {'i', "cvt.s16.s8 %h0, %h1;"},
    {'i', "cvt.u16.u8 %h0, %h1;"},
    {'i', "cvt.s64.s32 %d0, %r1;"},
    {'i', "cvt.u64.u32 %d0, %r1;"},
    {'i', "cvt.s64.s16 %d0, %h1;"},
    {'i', "cvt.s64.s8 %d0, %r1;"},
    {'l', "cvt.u32.u64 %r0, %d1;"},
    {'l', "cvt.u16.u64 %h0, %d1;"},
    {'l', "cvt.s32.s8 %r0, %d1;"},
    {'i', "cvt.u8.u32 %r0, %r1;"},
    {'i', "cvt.s8.s32 %r0, %r1;"},
    {'i', "cvt.sat.s8.s32 %r0, %r1;"},
    {'i', "cvt.sat.u8.s32 %r0, %r1;"},
    {'i', "cvt.sat.u16.s32 %h0, %r1;"},
    {'l', "cvt.sat.s32.s64 %r0, %d1;"},
    {'l', "cvt.sat.u32.u64 %r0, %d1;"},
    {'i', "cvt.sat.u64.s32 %d0, %r1;"},
    {'i', "cvt.rn.f32.s32 %f0, %r1;"},
    {'i', "cvt.rz.f32.u32 %f0, %r1;"},
    {'l', "cvt.rp.f32.s64 %f0, %d1;"},
    {'l', "cvt.rm.f64.u64 %g0, %d1;"},
    {'i', "cvt.rn.f64.s32 %g0, %r1;"},
    {'i', "cvt.rn.f32.u16 %f0, %h1;"},
    {'i', "cvt.rn.f32.s8 %f0, %r1;"},
    {'f', "cvt.rzi.s32.f32 %r0, %f1;"},
    {'f', "cvt.rni.u32.f32 %r0, %f1;"},
    {'f', "cvt.rpi.s64.f32 %d0, %f1;"},
    {'f', "cvt.rmi.u16.f32 %h0, %f1;"},
    {'f', "cvt.rzi.s8.f32 %r0, %f1;"},
    {'f', "cvt.rzi.ftz.u64.f32 %d0, %f1;"},
    {'g', "cvt.rzi.s32.f64 %r0, %g1;"},
    {'g', "cvt.rni.u64.f64 %d0, %g1;"},
    {'f', "cvt.rni.f32.f32 %f0, %f1;"},
    {'f', "cvt.rmi.ftz.f32.f32 %f0, %f1;"},
    {'f', "cvt.sat.f32.f32 %f0, %f1;"},
    {'g', "cvt.rpi.f64.f64 %g0, %g1;"},
    {'f', "cvt.f64.f32 %g0, %f1;"},
    {'g', "cvt.rn.f32.f64 %f0, %g1;"},
    {'g', "cvt.rz.ftz.f32.f64 %f0, %g1;"},
    {'f', "cvt.rn.f16.f32 %h0, %f1;"},
    {'i', "cvt.f32.f16 %f0, %h1;"},
    {'i', "cvt.rn.f16.s32 %h0, %r1;"},
    {'i', "cvt.rzi.s32.f16 %r0, %h1;"},
    {'f', "add.f32 %f0, %f1, %f2;"},
    {'f', "add.rz.f32 %f0, %f1, %f2;"},
    {'f', "add.rm.ftz.f32 %f0, %f1, %f2;"},
    {'f', "add.sat.f32 %f0, %f1, %f2;"},
    {'f', "sub.f32 %f0, %f1, %f2;"},
    {'f', "sub.rp.f32 %f0, %f1, %f2;"},
    {'f', "mul.f32 %f0, %f1, %f2;"},
    {'f', "mul.rz.ftz.f32 %f0, %f1, %f2;"},
    {'f', "mul.sat.f32 %f0, %f1, %f2;"},
    {'f', "fma.rn.f32 %f0, %f1, %f2, %f3;"},
    {'f', "fma.rm.f32 %f0, %f1, %f2, %f3;"},
    {'f', "fma.rz.ftz.sat.f32 %f0, %f1, %f2, %f3;"},
    {'f', "mad.rn.f32 %f0, %f1, %f2, %f3;"},
    {'f', "neg.f32 %f0, %f1;"},
    {'f', "neg.ftz.f32 %f0, %f1;"},
    {'f', "abs.f32 %f0, %f1;"},
    {'f', "abs.ftz.f32 %f0, %f1;"},
    {'f', "min.f32 %f0, %f1, %f2;"},
    {'f', "max.ftz.f32 %f0, %f1, %f2;"},
    {'f', "neg.f32 %f4, %f1; fma.rn.f32 %f0, %f4, %f2, %f3;"},
    {'f', "abs.f32 %f4, %f1; neg.f32 %f5, %f4; add.f32 %f0, %f5, %f2;"},
    {'f', "neg.ftz.f32 %f4, %f1; add.f32 %f0, %f4, %f2;"},
    {'f', "neg.ftz.f32 %f4, %f1; add.ftz.f32 %f0, %f4, %f2;"},
    {'f', "neg.f32 %f4, %f1; abs.f32 %f5, %f4; mul.f32 %f0, %f5, %f2;"},
    {'f', "neg.f32 %f4, %f1; min.f32 %f0, %f4, %f2;"},
    {'f', "abs.f32 %f4, %f1; setp.lt.f32 %p0, %f4, %f2;"},
    {'f', "neg.f32 %f4, %f1; sqrt.rn.f32 %f0, %f4;"},
    {'f', "div.rn.f32 %f0, %f1, %f2;"},
    {'f', "div.rz.ftz.f32 %f0, %f1, %f2;"},
    {'f', "div.approx.f32 %f0, %f1, %f2;"},
    {'f', "div.full.f32 %f0, %f1, %f2;"},
    {'f', "rcp.rn.f32 %f0, %f1;"},
    {'f', "rcp.approx.ftz.f32 %f0, %f1;"},
    {'f', "sqrt.rn.f32 %f0, %f1;"},
    {'f', "sqrt.approx.f32 %f0, %f1;"},
    {'f', "rsqrt.approx.f32 %f0, %f1;"},
    {'f', "sin.approx.f32 %f0, %f1;"},
    {'f', "cos.approx.ftz.f32 %f0, %f1;"},
    {'f', "ex2.approx.ftz.f32 %f0, %f1;"},
    {'f', "lg2.approx.f32 %f0, %f1;"},
    {'f', "tanh.approx.f32 %f0, %f1;"},
    {'f', "copysign.f32 %f0, %f1, %f2;"},
    {'g', "copysign.f64 %g0, %g1, %g2;"},
    {'f', "testp.finite.f32 %p0, %f1;"},
    {'f', "testp.infinite.f32 %p0, %f1;"},
    {'f', "testp.number.f32 %p0, %f1;"},
    {'f', "testp.notanumber.f32 %p0, %f1;"},
    {'f', "testp.normal.f32 %p0, %f1;"},
    {'f', "testp.subnormal.f32 %p0, %f1;"},
    {'g', "testp.normal.f64 %p0, %g1;"},
    {'g', "testp.subnormal.f64 %p0, %g1;"},
    {'g', "testp.notanumber.f64 %p0, %g1;"},
    {'f', "setp.lt.f32 %p0, %f1, %f2;"},
    {'f', "setp.equ.ftz.f32 %p0, %f1, %f2;"},
    {'f', "setp.num.f32 %p0, %f1, %f2;"},
    {'f', "setp.nan.or.f32 %p0|%p9, %f1, %f2, %p3;"},
    {'f', "setp.neu.f32 %p0, %f1, %f2;"},
    {'f', "setp.geu.and.f32 %p0|%p9, %f1, %f2, !%p3;"},
    {'g', "setp.lt.f64 %p0, %g1, %g2;"},
    {'g', "setp.gtu.xor.f64 %p0|%p9, %g1, %g2, %p3;"},
    {'g', "add.f64 %g0, %g1, %g2;"},
    {'g', "sub.rz.f64 %g0, %g1, %g2;"},
    {'g', "mul.rp.f64 %g0, %g1, %g2;"},
    {'g', "fma.rn.f64 %g0, %g1, %g2, %g3;"},
    {'g', "fma.rm.f64 %g0, %g1, %g2, %g3;"},
    {'g', "neg.f64 %g0, %g1;"},
    {'g', "abs.f64 %g0, %g1;"},
    {'g', "min.f64 %g0, %g1, %g2;"},
    {'g', "max.f64 %g0, %g1, %g2;"},
    {'g', "div.rn.f64 %g0, %g1, %g2;"},
    {'g', "rcp.rn.f64 %g0, %g1;"},
    {'g', "sqrt.rn.f64 %g0, %g1;"},
    {'g', "rcp.approx.ftz.f64 %g0, %g1;"},
    {'g', "rsqrt.approx.f64 %g0, %g1;"},
    {'g', "neg.f64 %g4, %g1; fma.rn.f64 %g0, %g4, %g2, %g3;"},
    {'g', "abs.f64 %g4, %g1; add.f64 %g0, %g4, %g2;"},
    {'i', "@%p1 add.s32 %r0, %r1, %r2;"},
    {'i', "mov.u32 %r0, %r3; @!%p1 mul.lo.s32 %r0, %r1, %r2;"},
    {'l', "@%p1 mov.u64 %d0, %d2;"},
    {'i', "setp.lt.s32 %p0, %r1, %r2; @%p3 setp.gt.s32 %p0, %r1, %r2;"},
    {'i', "@%p1 bra A; mov.u32 %r0, 7; bra B; A: add.s32 %r0, %r2, 1; B: add.s32 %r0, %r0, %r3;"},
    {'i',
     "and.b32 %r4, %r1, 7; mov.u32 %r0, 0; A: add.s32 %r0, %r0, %r2; sub.s32 %r4, %r4, 1; "
     "setp.gt.s32 %p4, %r4, 0; @%p4 bra A;"},
    {'i',
     "and.b32 %r4, %r1, 3; T: .branchtargets A, B, C, A; brx.idx %r4, T; A: mov.u32 %r0, 1; bra D; "
     "B: mov.u32 %r0, 2; bra D; C: mov.u32 %r0, 3; D: add.s32 %r0, %r0, %r2;"},
    {'i',
     "and.b32 %r4, %r1, 3; mov.u32 %r5, %r2; mov.u32 %r6, %r3; A: mov.u32 %r0, %r5; mov.u32 %r5, "
     "%r6; mov.u32 %r6, %r0; sub.s32 %r4, %r4, 1; setp.ge.s32 %p4, %r4, 0; @%p4 bra A; sub.s32 "
     "%r0, %r5, %r6;"},
    {'i', "shfl.sync.bfly.b32 %r0|%p0, %r1, 3, 31, -1;"},
    {'i', "shfl.sync.down.b32 %r0|%p0, %r1, %r2, 0x1c03, -1;"},
    {'i', "shfl.sync.idx.b32 %r0, %r1, %r2, 31, -1;"},
    {'i', "shfl.sync.up.b32 %r0|%p0, %r1, 1, 0, -1;"},
    {'i', "vote.sync.ballot.b32 %r0, %p1, -1;"},
    {'i', "vote.sync.all.pred %p0, !%p1, -1;"},
    {'i', "vote.sync.any.pred %p0, %p1, -1;"},
    {'i', "vote.sync.uni.pred %p0, %p1, -1;"},
    {'i', "activemask.b32 %r0;"},
    {'i', "@%p1 bra A; activemask.b32 %r0; A: add.s32 %r0, %r0, 1;"},
    {'i', "match.any.sync.b32 %r0, %r1, -1;"},
    {'l', "match.any.sync.b64 %r0, %d1, -1;"},
    {'i', "match.all.sync.b32 %r0|%p0, %r2, -1;"},
    {'i', "redux.sync.add.s32 %r0, %r1, -1;"},
    {'i', "redux.sync.max.u32 %r0, %r1, -1;"},
    {'i',
     "mov.u32 %r0, %laneid; mov.u32 %r4, %lanemask_lt; add.s32 %r0, %r0, %r4; mov.u32 %r4, "
     "%ntid.x; add.s32 %r0, %r0, %r4;"},
    {'i', "bar.red.popc.u32 %r0, 0, %p1;"},
    {'i', "bar.red.and.pred %p0, 1, %p1;"},
    {'i', "bar.red.or.pred %p0, 1, !%p1;"},
    // memory: shared, local, parameters, vectors of small elements
    {'i',
     "st.shared.u32 [%s1], %r1; bar.sync 0; ld.shared.u8 %r0, [%s2]; ld.shared.s8 %r4, [%s2+1]; "
     "sub.s32 %r0, %r0, %r4;"},
    {'i',
     "st.shared.u32 [%s1], %r1; ld.shared.s16 %r0, [%s1+2]; ld.shared.u16 %h0, [%s1]; "
     "ld.shared.s16 %d0, [%s1+2];"},
    {'i',
     "st.shared.u64 [%s1], %d1; ld.shared.v4.u8 {%h4, %h5, %h6, %h0}, [%s1]; add.s16 %h0, %h0, "
     "%h5; ld.shared.v2.u16 {%h5, %h6}, [%s1+4]; sub.s16 %h0, %h0, %h6;"},
    {'l',
     "st.shared.v2.u32 [%s1], {%r1, %r2}; ld.shared.u64 %d0, [%s1]; ld.shared.s32 %d4, [%s1]; "
     "xor.b64 %d0, %d0, %d4;"},
    {'i',
     "st.shared.v4.u8 [%s1], {%h1, %h2, %h3, %h1}; ld.shared.u32 %r0, [%s1]; st.shared.v2.u8 "
     "[%s1+2], {%h3, %h2}; ld.shared.u32 %r4, [%s1]; add.s32 %r0, %r0, %r4;"},
    {'i', "st.shared.v4.u16 [%s1], {%h1, %h2, %h3, %h1}; ld.shared.u64 %d0, [%s1];"},
    {'g',
     "st.shared.v2.f64 [%s1], {%g1, %g2}; ld.shared.v4.f32 {%f4, %f5, %f6, %f0}, [%s1]; "
     "ld.shared.v2.f64 {%g4, %g0}, [%s1]; add.f64 %g0, %g0, %g4;"},
    {'i',
     "st.local.u32 [loc+8], %r1; mov.u64 %d4, loc; and.b32 %r4, %r2, 3; mul.wide.u32 %d5, %r4, 4; "
     "add.s64 %d4, %d4, %d5; st.local.u32 [%d4], %r3; ld.local.u32 %r0, [loc+8];"},
    {
        'i',
        "cvta.local.u64 %d4, loc0; st.u32 [%d4+4], %r1; ld.local.u32 %r0, [loc+4];",
    },
    {'i',
     "mov.u64 %d4, loc; cvta.local.u64 %d5, %d4; st.u16 [%d5+2], %h1; cvta.to.local.u64 %d6, %d5; "
     "ld.local.s16 %r0, [%d6+2]; isspacep.local %p0, %d5; isspacep.shared %p9, %d5;"},
    {'i',
     "atom.shared.add.u32 %r4, [%s1], %r1; atom.shared.max.s32 %r0, [%s1], %r2; "
     "atom.shared.cas.b32 %r5, [%s1], %r1, %r3; ld.shared.u32 %r4, [%s1]; add.s32 %r0, %r0, %r4;"},
    {'i',
     "st.shared.u32 [%s1], %r1; shr.u32 %r4, %r1, 16; cvt.u16.u32 %h4, %r4; atom.shared.cas.b16 "
     "%h0, [%s1+2], %h4, %h2; atom.shared.cas.b16 %h5, [%s1], %h2, %h3; ld.shared.u32 %r0, [%s1]; "
     "add.s16 %h0, %h0, %h5;"},
    {'i',
     "mov.u16 %h0, 9; st.shared.u32 [%s1], %r1; @%p1 atom.shared.cas.b16 %h0, [%s1], %h1, %h2; "
     "ld.shared.u32 %r0, [%s1];"},
    {'l',
     "st.shared.u64 [%s1], %d1; atom.shared.add.u64 %d0, [%s1], %d2; atom.shared.exch.b64 %d4, "
     "[%s1], %d3; add.s64 %d0, %d0, %d4; red.shared.min.s64 [%s1], %d2; ld.shared.u64 %d4, [%s1]; "
     "xor.b64 %d0, %d0, %d4;"},
    {'f',
     "st.shared.f32 [%s1], %f1; atom.shared.add.f32 %f0, [%s1], %f2; ld.shared.f32 %f4, [%s1]; "
     "add.f32 %f0, %f0, %f4;"},
    {'i',
     "st.shared.u32 [%s1], 7; atom.shared.inc.u32 %r0, [%s1], %r1; atom.shared.dec.u32 %r4, [%s1], "
     "%r2; atom.shared.xor.b32 %r5, [%s1], %r3; add.s32 %r0, %r0, %r4; add.s32 %r0, %r0, %r5;"},
    {'i',
     "ld.param.u8 %r0, [big+1]; ld.param.s8 %r4, [big+2]; ld.param.u16 %h0, [big+4]; "
     "ld.param.v2.u32 {%r5, %r6}, [big+8]; add.s32 %r0, %r0, %r4; sub.s32 %r0, %r0, %r6;"},
    {'i',
     "mov.b64 %d4, big; and.b32 %r4, %r1, 12; cvt.u64.u32 %d5, %r4; add.s64 %d4, %d4, %d5; "
     "ld.param.u32 %r0, [%d4];"},
    {'i',
     "ld.const.u32 %r0, [table+4]; mov.u64 %d4, table; and.b32 %r4, %r1, 3; mul.wide.u32 %d5, %r4, "
     "4; add.s64 %d4, %d4, %d5; ld.const.u32 %r5, [%d4]; ld.const.u8 %r6, [table+1]; add.s32 %r0, "
     "%r0, %r5; add.s32 %r0, %r0, %r6;"},
    {'i',
     "cvta.const.u64 %d4, table; ld.u32 %r0, [%d4+8]; isspacep.const %p0, %d4; isspacep.global "
     "%p9, %d4;"},
    {'i',
     "ld.global.u32 %r0, [cells+4]; mov.u64 %d4, cells; ld.global.u32 %r4, [%d4+8]; "
     "cvta.global.u64 %d5, %d4; ld.u32 %r5, [%d5]; add.s32 %r0, %r0, %r4; xor.b32 %r0, %r0, %r5;"},
    // calls
    {'i',
     "{ .param .b32 a0; st.param.b32 [a0], %r1; .param .b32 a1; st.param.b32 [a1], %r2; .param "
     ".b32 ret; call.uni (ret), twice, (a0, a1); ld.param.b32 %r0, [ret]; }"},
    {'i',
     "@%p1 bra A; { .param .b32 a0; st.param.b32 [a0], %r1; .param .b32 a1; st.param.b32 [a1], "
     "%r2; .param .b32 ret; call (ret), twice, (a0, a1); ld.param.b32 %r0, [ret]; } A: add.s32 "
     "%r0, %r0, 5;"},
    {'i',
     "{ .param .align 4 .b8 s[8]; st.param.b8 [s], %r1; st.param.b8 [s+1], %r2; st.param.b16 "
     "[s+2], %h3; st.param.b32 [s+4], %r3; .param .b32 ret; call (ret), fields, (s); ld.param.b32 "
     "%r0, [ret]; }"},
    {'i',
     "{ .param .align 4 .b8 s[8]; st.param.b32 [s], %r1; st.param.b32 [s+4], %r3; .param .b32 ret; "
     "call (ret), indexed, (s); ld.param.b32 %r0, [ret]; }"},
};

static const char prologue[] =
    ".version 8.5\n.target sm_90\n.address_size 64\n"
    ".const .align 4 .b32 table[4] = {1, 22, 333, 0x81828384};\n.global .align 4 .b32 cells[4] = "
    "{5, 66, 777, 8888};\n"
    ".func (.param .b32 r) twice(.param .b32 x, .param .b32 y)\n{\n .reg .b32 %a<4>; .reg .pred "
    "%q;\n ld.param.b32 %a1, [x];\n"
    " ld.param.b32 %a2, [y]; setp.lt.s32 %q, %a1, %a2; @%q bra L; add.s32 %a1, %a1, %a2; "
    "st.param.b32 [r], %a1; ret;\n"
    "L: sub.s32 %a1, %a1, %a2; st.param.b32 [r], %a1; ret;\n}\n"
    ".func (.param .b32 r) fields(.param .align 4 .b8 x[8])\n{\n .reg .b32 %a<6>; .reg .b16 %b;\n "
    "ld.param.u8 %a1, [x+1]; ld.param.s8 %a2, [x];\n"
    " ld.param.u16 %b, [x+2]; cvt.u32.u16 %a3, %b; ld.param.b32 %a4, [x+4]; add.s32 %a1, %a1, %a2; "
    "mad.lo.s32 %a1, %a3, 3, %a1;\n"
    " xor.b32 %a1, %a1, %a4; st.param.b32 [r], %a1; ret;\n}\n"
    ".func (.param .b32 r) indexed(.param .align 4 .b8 x[8])\n{\n .reg .b32 %a<6>; .reg .b64 "
    "%b<6>;\n mov.b64 %b1, x; ld.param.b32 %a1, [x]; and.b32 %a2, %a1, 4;\n"
    " cvt.u64.u32 %b2, %a2; add.s64 %b1, %b1, %b2; ld.param.b32 %a3, [%b1]; add.s32 %a1, %a1, %a3; "
    "st.param.b32 [r], %a1; ret;\n}\n"
    ".visible .entry k(.param .u64 in, .param .u64 out, .param .align 8 .b8 big[24])\n{\n"
    " .reg .b16 %h<8>; .reg .b32 %r<20>; .reg .b64 %d<20>; .reg .f32 %f<8>; .reg .f64 %g<8>; .reg "
    ".pred %p<10>; .reg .b32 %s<4>;\n"
    " .shared .align 16 .b8 sh[4096]; .local .align 8 .b8 loc[16];\n"
    " mov.u32 %r10, %tid.x; mov.u32 %r11, %ctaid.x; mov.u32 %r12, %ntid.x; mad.lo.s32 %r10, %r11, "
    "%r12, %r10;\n"
    " ld.param.u64 %d10, [in]; mul.wide.u32 %d11, %r10, 24; add.s64 %d10, %d10, %d11;\n"
    " ld.global.u64 %d1, [%d10]; ld.global.u64 %d2, [%d10+8]; ld.global.u64 %d3, [%d10+16];\n"
    " cvt.u32.u64 %r1, %d1; cvt.u32.u64 %r2, %d2; cvt.u32.u64 %r3, %d3; cvt.u16.u64 %h1, %d1; "
    "cvt.u16.u64 %h2, %d2; cvt.u16.u64 %h3, %d3;\n"
    " mov.b32 %f1, %r1; mov.b32 %f2, %r2; mov.b32 %f3, %r3; mov.b64 %g1, %d1; mov.b64 %g2, %d2; "
    "mov.b64 %g3, %d3;\n"
    " and.b32 %r13, %r1, 1; setp.ne.s32 %p1, %r13, 0; and.b32 %r13, %r2, 1; setp.ne.s32 %p2, %r13, "
    "0; and.b32 %r13, %r3, 1; setp.ne.s32 %p3, %r13, 0;\n"
    " mov.u32 %r0, 0; mov.u64 %d0, 0; mov.u16 %h0, 0; mov.f32 %f0, 0f00000000; mov.f64 %g0, "
    "0d0000000000000000;\n"
    " setp.ne.u32 %p0, %r0, %r0; setp.ne.u32 %p9, %r0, %r0; mov.u32 %s1, sh; mov.u32 %r14, %tid.x; "
    "mad.lo.s32 %s1, %r14, 16, %s1;\n"
    " xor.b32 %s2, %r14, 1; shl.b32 %s2, %s2, 4; mov.u32 %s3, sh; add.s32 %s2, %s2, %s3; "
    "st.shared.u64 [%s1], %d0; bar.sync 0;\n";
static const char epilogue[] =
    "\n ld.param.u64 %d12, [out]; mul.wide.u32 %d13, %r10, 32; add.s64 %d12, %d12, %d13;\n"
    " st.global.u64 [%d12], %d0; st.global.u32 [%d12+8], %r0; st.global.f32 [%d12+12], %f0; "
    "st.global.f64 [%d12+16], %g0;\n"
    " st.global.u16 [%d12+24], %h0; selp.u32 %r15, 1, 0, %p0; st.global.u8 [%d12+26], %r15; "
    "selp.u32 %r15, 1, 0, %p9; st.global.u8 [%d12+27], %r15; ret;\n}\n";

enum { THREADS = 128, CTAS = 5, CASES = THREADS * CTAS };

// ---- edge values ----

static uint64_t rng = 88172645463325252ull;
static uint64_t next(void) {
    rng ^= rng << 13;
    rng ^= rng >> 7;
    rng ^= rng << 17;
    return rng;
}

static const uint32_t ints[] = {
    0,          1,          2,          3,          4,          7,          8,          15,
    16,         31,         32,         33,         63,         64,         65,         127,
    128,        255,        256,        0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffffff,
    0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0xffff8000, 0x12345678, 0x87654321, 0x00ff00ff};
static const uint32_t floats[] = {
    0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x80800000, 0x3f800000,
    0xbf800000, 0x3f000000, 0x3fffffff, 0x40490fdb, 0x4effffff, 0x4f000000, 0xcf000000, 0x4f800000,
    0x5f000000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001,
    0x3f7fffff, 0x33800000, 0x477fe000, 0x38800000, 0x42280000, 0xc2c60000, 0x3dcccccd, 0x4b000001};
static const uint64_t doubles[] = {0,
                                   1ull << 63,
                                   1,
                                   0x000fffffffffffff,
                                   0x0010000000000000,
                                   0x3ff0000000000000,
                                   0xbff0000000000000,
                                   0x3fe0000000000000,
                                   0x400921fb54442d18,
                                   0x41dfffffffc00000,
                                   0x41e0000000000000,
                                   0xc1e0000000000000,
                                   0x43e0000000000000,
                                   0x43f0000000000000,
                                   0x7fefffffffffffff,
                                   0xffefffffffffffff,
                                   0x7ff0000000000000,
                                   0xfff0000000000000,
                                   0x7ff8000000000000,
                                   0xfff8000000000123,
                                   0x7ff0000000000001,
                                   0x3fefffffffffffff,
                                   0x47efffffe0000000,
                                   0x380fffffffffffff,
                                   0x36a0000000000000,
                                   0x4340000000000001,
                                   0xc05ec00000000000};
#define COUNT(a) (sizeof(a) / sizeof *(a))

static uint64_t edge(char kind, size_t i) {
    switch (kind) {
    case 'f': return floats[i % COUNT(floats)];
    case 'g': return doubles[i % COUNT(doubles)];
    case 'l':
        if (i % 5 == 4) return next();
        return (uint64_t)ints[i % COUNT(ints)] << (i / COUNT(ints) % 2 ? 32 : 0) |
            (i % 3 ? 0 : ints[i * 7 % COUNT(ints)]);
    default: return ints[i % COUNT(ints)] | (uint64_t)ints[i * 11 % COUNT(ints)] << 32;
    }
}

static void fill(char kind, uint64_t *in) {
    size_t n = kind == 'f' ? COUNT(floats) : kind == 'g' ? COUNT(doubles) : COUNT(ints);
    for (size_t i = 0; i < CASES; i++) {
        in[3 * i] = edge(kind, i % n);
        in[3 * i + 1] = edge(kind, (i / n + i) % n);
        in[3 * i + 2] = edge(kind, next() % (3 * n));
        if (i % 16 == 15)
            for (int k = 0; k < 3; k++)
                in[3 * i + (size_t)k] = kind == 'f' ? next() & 0xffffffffu : next();
    }
}

// ---- running ----

static MachineConfig config;

static bool run_form(char kind, const char *body, bool may_refuse, int max_regs) {
    Arena arena = {0};
    Diag d = {0};
    char *text = arena_printf(&arena, "%s %s %s", prologue, body, epilogue);
    DeviceMemory memory, other;
    ModuleLayout layout;
    SharedLayout shared;
    PtxModule *m = ptx_parse(&arena, "form", text, strlen(text), &d);
    if (!m && may_refuse) {
        arena_free(&arena);
        return true;
    }
    const PtxFunc *entry = m ? ptx_entry(m, "k", &d) : NULL;
    bool ok = entry && device_open(&memory, &arena, &d) &&
        layout_module(&layout, &arena, m, &memory, &d) &&
        layout_shared(&shared, &arena, m, entry, &d);
    if (!ok) fail_msg("%s\n%s", body, d.text);
    CompileOptions o = {.max_regs = max_regs, .cfg = &config};
    const IsaProgram *p = compile_kernel(&arena, m, entry, &layout, &shared, &o, &d);
    if (!p) fail_msg("%s\n%s", body, d.text);
    uint64_t params[5] = {device_alloc(&memory, "in", CASES * 24),
                          device_alloc(&memory, "out", CASES * 32), 0x8182838485868788ull,
                          0x0102030405060708ull, 0xfffefdfcfbfaf9f8ull};
    fill(kind, (uint64_t *)(void *)(memory.base + params[0]));
    assert_true(device_clone(&other, &memory, &arena, &d));
    MachineRun r = {.program = p,
                    .layout = &layout,
                    .grid = {CTAS, 1, 1},
                    .block = {THREADS, 1, 1},
                    .params = (const uint8_t *)params,
                    .memory = &memory,
                    .max_insts = 1000000};
    OracleRun q = {.module = m,
                   .entry = entry,
                   .layout = &layout,
                   .shared = &shared,
                   .grid = {CTAS, 1, 1},
                   .block = {THREADS, 1, 1},
                   .params = (const uint8_t *)params,
                   .memory = &other};
    if (!machine_run(&r, &d) || !oracle_run(&q, &d)) fail_msg("%s\n%s", body, d.text);
    const uint32_t *got = (const uint32_t *)(const void *)(memory.base + params[1]);
    const uint32_t *want = (const uint32_t *)(const void *)(other.base + params[1]);
    const uint64_t *in = (const uint64_t *)(const void *)(memory.base + params[0]);
    bool same = true;
    for (size_t i = 0; same && i < CASES * 8; i++) {
        if (got[i] == want[i]) continue;
        print_error("%s\n  inputs %016" PRIx64 " %016" PRIx64 " %016" PRIx64
                    " word %zu: compiled %08x, oracle %08x\n",
                    body, in[i / 8 * 3], in[i / 8 * 3 + 1], in[i / 8 * 3 + 2], i % 8, got[i],
                    want[i]);
        same = false;
    }
    device_close(&memory);
    device_close(&other);
    arena_free(&arena);
    return same;
}

// Replaces input `n` of the form by an immediate of its type.
static bool with_immediate(char *out, size_t size, const char *text, char number, char kind,
                           size_t pick) {
    size_t used = 0;
    bool any = false;
    for (const char *s = text; *s && used + 40 < size;) {
        bool input = s[0] == '%' && strchr("hrdfg", s[1]) && s[2] == number &&
            (s[3] == ',' || s[3] == ';' || s[3] == '}');
        if (!input) {
            out[used++] = *s++;
            continue;
        }
        any = true;
        uint64_t v = edge(kind == 'f' && s[1] != 'f'       ? 'i'
                              : kind == 'g' && s[1] != 'g' ? 'i'
                                                           : kind,
                          pick);
        const char *format = s[1] == 'f' ? "0f%08" PRIX64
            : s[1] == 'g'                ? "0d%016" PRIX64
                                         : "%" PRIu64;
        if (s[1] == 'h') v &= 0x7fff;
        if (s[1] == 'r' || s[1] == 'f') v &= 0xffffffffu;
        if (s[1] == 'd') v &= ~0ull >> 1;
        used += (size_t)snprintf(out + used, size - used, format, v);
        s += 3;
    }
    out[used] = '\0';
    return any;
}

static void test_registers(void **state) {
    (void)state;
    int bad = 0;
    for (size_t i = 0; i < COUNT(forms); i++) {
        if (strstr(forms[i].text, "loc0")) continue;
        bad += !run_form(forms[i].kind, forms[i].text, false, 63);
    }
    assert_int_equal(bad, 0);
}

static void test_few_registers(void **state) {
    (void)state;
    int bad = 0;
    for (size_t i = 0; i < COUNT(forms); i += 3) {
        if (strstr(forms[i].text, "loc0")) continue;
        bad += !run_form(forms[i].kind, forms[i].text, false, 16);
    }
    assert_int_equal(bad, 0);
}

static void test_immediates(void **state) {
    (void)state;
    char one[1024], both[1024];
    int bad = 0;
    for (size_t i = 0; i < COUNT(forms); i++) {
        const Form *f = &forms[i];
        if (strchr(f->text, '[') || strchr(f->text, '{') || strstr(f->text, ".sync")) continue;
        for (size_t pick = 0; pick < 6; pick++) {
            size_t at = i * 5 + pick * 9;
            if (with_immediate(one, sizeof one, f->text, '2', f->kind, at))
                bad += !run_form(f->kind, one, true, 63);
            if (pick < 3 && with_immediate(both, sizeof both, one, '1', f->kind, at * 3 + 1)) {
                bad += !run_form(f->kind, both, true, 63);
                if (with_immediate(one, sizeof one, both, '3', f->kind, at + 2))
                    bad += !run_form(f->kind, one, true, 63);
            }
            if (pick == 0 && with_immediate(one, sizeof one, f->text, '3', f->kind, at))
                bad += !run_form(f->kind, one, true, 63);
        }
    }
    assert_int_equal(bad, 0);
}

int main(void) {
#define CFG(field, key, def, least, most, unit, meaning) config.field = def;
#define CFGENUM(field, key, def, words, meaning)
#include "config/config.def"
#undef CFG
#undef CFGENUM
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_few_registers),
        cmocka_unit_test(test_immediates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
