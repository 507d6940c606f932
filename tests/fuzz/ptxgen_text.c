// SPDX-License-Identifier: Apache-2.0
// Random instructions: templates by kind, and their operands.
#include "ptxgen_parts.h"

#include <ctype.h>
#include <string.h>

static uint64_t next(Gen *g) {
    uint64_t z = g->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
int gen_below(Gen *g, int n) { return (int)(next(g) % (uint64_t)n); }
bool gen_chance(Gen *g, int percent) { return gen_below(g, 100) < percent; }

// ---- operands ----

uint32_t gen_word_value(Gen *g) {
    static const uint32_t edge[] = {0,          1,          2,          31,         32,
                                    33,         63,         64,         255,        256,
                                    0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffffff,
                                    0x80000000, 0xffffffff, 0xfffffffe, 0x55555555, 0x3f800000};
    if (gen_chance(g, 70)) return edge[gen_below(g, (int)(sizeof edge / sizeof *edge))];
    return (uint32_t)next(g);
}

static void float_value(Gen *g, bool wide) {
    static const uint32_t narrow[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x40490fdb,
                                      0x7f800000, 0xff800000, 0x7fc00000, 1,          0x007fffff,
                                      0x00800000, 0x7f7fffff, 0x4f000000, 0xcf000000};
    static const uint64_t both[] = {0,
                                    0x8000000000000000,
                                    0x3ff0000000000000,
                                    0xbff0000000000000,
                                    1,
                                    0x7ff0000000000000,
                                    0x7ff8000000000000,
                                    0x7fefffffffffffff,
                                    0x400921fb54442d18};
    if (wide) fprintf(g->out, "0d%016llX", (unsigned long long)both[gen_below(g, 9)]);
    else fprintf(g->out, "0f%08X", narrow[gen_below(g, 14)]);
}

void gen_reg(Gen *g, char class) {
    fprintf(g->out, "%%%c%d", class, gen_below(g, g->count[(int)class]));
}

// A source: a register, sometimes a value.
static void source(Gen *g, char letter) {
    if (!gen_chance(g, 15)) gen_reg(g, letter);
    else if (letter == 'f' || letter == 'g') float_value(g, letter == 'g');
    else if (letter == 'h') fprintf(g->out, "%u", gen_word_value(g) & 0x7fff);
    else if (letter != 'd') fprintf(g->out, "%u", gen_word_value(g));
    else
        fprintf(g->out, "%llu",
                (unsigned long long)(gen_chance(g, 50) ? gen_word_value(g) : next(g) >> 1));
}

// Registers in braces, in any order, each once. `sinks`: a few are not wanted (`_`).
static void vector(Gen *g, int n, char class, bool sinks) {
    int taken[4], all = g->count[(int)class];
    for (int i = 0; i < n; i++) {
        bool again = true;
        while (again) {
            taken[i] = gen_below(g, all);
            again = false;
            for (int k = 0; k < i; k++) again |= taken[k] == taken[i];
        }
        fprintf(g->out, i ? ", " : "{");
        if (sinks && i && gen_chance(g, 8)) fputc('_', g->out);
        else fprintf(g->out, "%%%c%d", class, taken[i]);
    }
    fputc('}', g->out);
}

// One of several words.
static void word(Gen *g, const char *words) {
    int n = 1;
    for (const char *w = words; *w; w++) n += *w == ' ';
    for (n = gen_below(g, n); n; words++) n -= *words == ' ';
    fprintf(g->out, "%.*s", (int)strcspn(words, " "), words);
}

// One letter of a template behind `$`.
static void operand(Gen *g, char letter) {
    switch (letter) {
    case 'r':
    case 'h':
    case 'd':
    case 'f':
    case 'g': source(g, letter); break;
    case 'R':
    case 'H':
    case 'D':
    case 'F':
    case 'G':
    case 'P': gen_reg(g, (char)tolower(letter)); break;
    case 'p':
        if (gen_chance(g, 30)) fputc('!', g->out);
        gen_reg(g, 'p');
        break;
    case 'q': gen_reg(g, 'p'); break;  // a predicate that cannot be negated
    case 'w': gen_reg(g, 'r'); break;  // a register, no value
    case 'b': fprintf(g->out, "%d", gen_below(g, 256)); break;
    case 's': fprintf(g->out, "%d", gen_below(g, 40)); break;
    case 'B': fprintf(g->out, "%d", (g->o.threads + 31) / 32 * 32); break;
    case 'C': word(g, "eq ne lt le gt ge"); break;
    case 'U': word(g, "lo ls hi hs eq ne"); break;
    case 'N': word(g, "lt equ neu ltu geu num nan gt"); break;
    case 'O': word(g, "and or xor"); break;
    case 'A': word(g, "add.u32 min.s32 max.u32 and.b32 or.b32 xor.b32"); break;
    case 'X': word(g, "add.u32 min.s32 max.u32 and.b32 xor.b32 exch.b32 inc.u32 dec.u32"); break;
    case 'M': word(g, "rn rz rm rp"); break;
    case 'I': word(g, "rni rzi rmi rpi"); break;
    case 'Z': fputs(gen_chance(g, 50) ? "" : ".ftz", g->out); break;
    case 'Y': word(g, "fma.rn.f16x2 fma.rn.bf16x2 fma.rn.ftz.f16x2 fma.rn.relu.f16x2"); break;
    case 'y': word(g, "fma.rn.f16 fma.rn.bf16 fma.rn.sat.f16 fma.rn.relu.bf16"); break;
    case 'x':
        word(g,
             "add.f16x2 sub.f16x2 mul.f16x2 add.rn.ftz.f16x2 min.f16x2 max.bf16x2 min.bf16x2 "
             "max.NaN.f16x2");
        break;
    case 'z':
        word(g, "add.f16 sub.f16 mul.f16 mul.rn.sat.f16 min.f16 max.bf16 min.bf16 max.f16");
        break;
    case 'S':
        word(g, "%tid.x %tid.y %ntid.x %ctaid.x %nctaid.x %laneid %ntid.y %lanemask_lt");
        break;
    case 'l': fprintf(g->out, "%d", 4 * gen_below(g, LOCAL_WORDS)); break;
    case 'm': fprintf(g->out, "%d", 16 * gen_below(g, LOCAL_WORDS / 4)); break;
    case 'k': fprintf(g->out, "%d", 8 * gen_below(g, LOCAL_WORDS / 2)); break;
    default: fputc(letter, g->out);
    }
}

// `$4R`, `$2d`: a vector. `$=h`: a register, no value. Else one letter.
static const char *operand_at(Gen *g, const char *text) {
    if (*text == '2' || *text == '4') {
        vector(g, *text - '0', (char)tolower(text[1]), isupper((unsigned char)text[1]));
        return text + 1;
    }
    if (*text == '=') {
        gen_reg(g, text[1]);
        return text + 1;
    }
    operand(g, *text);
    return text;
}

void gen_fill(Gen *g, const char *text, const char *guard) {
    const bool all = gen_chance(g, 50);
    bool start = true;
    for (; *text; text++) {
        if (start && *text != ' ') {
            if (all || !strchr(text, ';') || !strchr(text, ';')[1]) fputs(guard, g->out);
            start = false;
        }
        if (*text == '$') text = operand_at(g, text + 1);
        else if (*text == ';') {
            fputs(";\n", g->out);
            start = true;
        } else if (!(start && *text == ' ')) fputc(*text, g->out);
    }
}

void gen_guard(Gen *g, char buf[12], int percent) {
    *buf = '\0';
    if (gen_chance(g, percent))
        snprintf(buf, 12, "@%s%%p%d ", gen_chance(g, 50) ? "!" : "", gen_below(g, g->count['p']));
}

// ---- templates ----

static const char *const PLAIN[] = {
    "add.u32 $R, $r, $r;",
    "sub.s32 $R, $r, $r;",
    "mul.lo.u32 $R, $r, $r;",
    "mul.hi.s32 $R, $r, $r;",
    "mul.hi.u32 $R, $r, $r;",
    "mad.lo.s32 $R, $r, $r, $r;",
    "mad.hi.u32 $R, $r, $r, $r;",
    "add.sat.s32 $R, $r, $r;",
    "sub.sat.s32 $R, $r, $r;",
    "mul24.lo.s32 $R, $r, $r;",
    "mul24.hi.u32 $R, $r, $r;",
    "mad24.lo.u32 $R, $r, $r, $r;",
    "sad.s32 $R, $r, $r, $r;",
    "sad.u32 $R, $r, $r, $r;",
    "div.s32 $R, $r, $r;",
    "div.u32 $R, $r, $r;",
    "rem.s32 $R, $r, $r;",
    "rem.u32 $R, $r, $r;",
    "min.s32 $R, $r, $r;",
    "max.u32 $R, $r, $r;",
    "abs.s32 $R, $r;",
    "neg.s32 $R, $r;",
    "and.b32 $R, $r, $r;",
    "or.b32 $R, $r, $r;",
    "xor.b32 $R, $r, $r;",
    "not.b32 $R, $r;",
    "cnot.b32 $R, $r;",
    "shl.b32 $R, $r, $r;",
    "shr.u32 $R, $r, $r;",
    "shr.s32 $R, $r, $s;",
    "shl.b32 $R, $r, $s;",
    "shf.l.wrap.b32 $R, $r, $r, $r;",
    "shf.r.clamp.b32 $R, $r, $r, $s;",
    "lop3.b32 $R, $r, $r, $r, $b;",
    "lop3.or.b32 $R|$P, $r, $r, $r, $b, $q;",
    "lop3.and.b32 $R|$P, $r, $r, $r, $b, $q;",
    "prmt.b32 $R, $r, $r, $r;",
    "prmt.b32.f4e $R, $r, $r, $r;",
    "prmt.b32.b4e $R, $r, $r, $r;",
    "prmt.b32.rc8 $R, $r, $r, $r;",
    "prmt.b32.ecl $R, $r, $r, $r;",
    "prmt.b32.ecr $R, $r, $r, $r;",
    "prmt.b32.rc16 $R, $r, $r, $r;",
    "bfe.u32 $R, $r, $r, $r;",
    "bfe.s32 $R, $r, $s, $s;",
    "bfi.b32 $R, $r, $r, $r, $r;",
    "bfi.b32 $R, $r, $r, $s, $s;",
    "bfind.u32 $R, $r;",
    "bfind.s32 $R, $r;",
    "bfind.shiftamt.u32 $R, $r;",
    "popc.b32 $R, $r;",
    "clz.b32 $R, $r;",
    "brev.b32 $R, $r;",
    "fns.b32 $R, $r, $s, 1;",
    "dp4a.s32.u32 $R, $r, $r, $r;",
    "dp2a.lo.u32.s32 $R, $r, $r, $r;",
    "dp2a.hi.s32.s32 $R, $r, $r, $r;",
    "szext.clamp.s32 $R, $r, $r;",
    "szext.wrap.u32 $R, $r, $r;",
    "bmsk.wrap.b32 $R, $r, $r;",
    "bmsk.clamp.b32 $R, $r, $s;",
    "vabsdiff4.u32.u32.u32 $R, $r, $r, $r;",
    "mov.u32 $R, $r;",
    "mov.u32 $R, $r;",
    "mov.u32 $R, $S;",
    "mul.wide.u32 $D, $r, $r;",
    "mul.wide.s32 $D, $r, $r;",
    "mad.wide.s32 $D, $r, $r, $d;",
    "mad.wide.u32 $D, $r, $r, $d;",
    "add.s64 $D, $d, $d;",
    "sub.u64 $D, $d, $d;",
    "mul.lo.s64 $D, $d, $d;",
    "mul.hi.s64 $D, $d, $d;",
    "mul.hi.u64 $D, $d, $d;",
    "mad.lo.s64 $D, $d, $d, $d;",
    "mad.hi.u64 $D, $d, $d, $d;",
    "div.s64 $D, $d, $d;",
    "rem.u64 $D, $d, $d;",
    "min.s64 $D, $d, $d;",
    "max.u64 $D, $d, $d;",
    "abs.s64 $D, $d;",
    "neg.s64 $D, $d;",
    "sad.u64 $D, $d, $d, $d;",
    "and.b64 $D, $d, $d;",
    "or.b64 $D, $d, $d;",
    "xor.b64 $D, $d, $d;",
    "not.b64 $D, $d;",
    "shl.b64 $D, $d, $r;",
    "shr.u64 $D, $d, $r;",
    "shr.s64 $D, $d, $s;",
    "shl.b64 $D, $d, $s;",
    "bfe.s64 $D, $d, $r, $r;",
    "bfe.u64 $D, $d, $s, $s;",
    "bfi.b64 $D, $d, $d, $s, $s;",
    "bfind.s64 $R, $d;",
    "popc.b64 $R, $d;",
    "clz.b64 $R, $d;",
    "brev.b64 $D, $d;",
    "cnot.b64 $D, $d;",
    "mov.b64 $D, {$r, $r};",
    "mov.u64 $D, $d;",
    "mov.b64 $D, {$w, $w};",
    "add.u16 $H, $h, $h;",
    "sub.s16 $H, $h, $h;",
    "mul.lo.s16 $H, $h, $h;",
    "mul.hi.u16 $H, $h, $h;",
    "mul.wide.s16 $R, $h, $h;",
    "mad.wide.u16 $R, $h, $h, $r;",
    "mad.lo.s16 $H, $h, $h, $h;",
    "div.s16 $H, $h, $h;",
    "rem.u16 $H, $h, $h;",
    "min.s16 $H, $h, $h;",
    "shl.b16 $H, $h, $s;",
    "shr.s16 $H, $h, $r;",
    "and.b16 $H, $h, $h;",
    "xor.b16 $H, $h, $h;",
    "not.b16 $H, $h;",
    "neg.s16 $H, $h;",
    "abs.s16 $H, $h;",
    "mov.u16 $H, $h;",
    "cvt.u32.u16 $R, $h;",
    "cvt.s32.s16 $R, $h;",
    "cvt.u16.u32 $H, $w;",
    "cvt.s32.s8 $R, $w;",
    "cvt.u32.u8 $R, $w;",
    "cvt.sat.u8.s32 $H, $w;",
    "cvt.u64.u32 $D, $w;",
    "cvt.s64.s32 $D, $w;",
    "cvt.u32.u64 $R, $=d;",
    "cvt.sat.s32.s64 $R, $=d;",
    "cvt.s64.s16 $D, $=h;",
    "setp.$C.s32 $P, $r, $r;",
    "setp.$U.u32 $P, $r, $r;",
    "setp.$C.$O.s32 $P|$P, $r, $r, $p;",
    "setp.$U.$O.u32 $P|$P, $r, $r, $p;",
    "setp.$C.s32 $P|$P, $r, $r;",
    "setp.$C.s64 $P, $d, $d;",
    "setp.$C.$O.u64 $P|$P, $d, $d, $p;",
    "setp.$C.s16 $P, $h, $h;",
    "setp.$C.$O.u16 $P|$P, $h, $h, $p;",
    "set.$C.u32.s32 $R, $r, $r;",
    "selp.b32 $R, $r, $r, $q;",
    "selp.b64 $D, $d, $d, $q;",
    "selp.b16 $H, $h, $h, $q;",
    "slct.s32.s32 $R, $r, $r, $r;",
    "slct.u64.f32 $D, $d, $d, $f;",
    "and.pred $P, $q, $q;",
    "or.pred $P, $q, $q;",
    "xor.pred $P, $q, $q;",
    "not.pred $P, $q;",
    "mov.pred $P, $q;",
    "setp.ne.u32 $P, $r, 0;",
    "@%p2 setp.$C.$O.s32 %p2|$P, $r, $r, $p;",
    "@!%p2 setp.$U.$O.u32 %p2|$P, $r, $r, $p;",
    "@!%p3 setp.$C.$O.s64 $P|%p3, $d, $d, $p;",
    "@%p1 lop3.or.b32 $R|%p1, $r, $r, $r, $b, %p1;",
    "@!%p1 setp.$C.s16 %p1|%p0, $h, $h;",
    "@%p0 setp.$C.$O.s32 %p3|%p0, $r, $r, !%p0;",
    "add.cc.u32 $R, $r, $r; addc.cc.u32 $R, $r, $r; addc.u32 $R, $r, $r;",
    "sub.cc.u32 $R, $r, $r; subc.cc.u32 $R, $r, $r; subc.u32 $R, $r, $r;",
    "mad.lo.cc.u32 $R, $r, $r, $r; madc.hi.u32 $R, $r, $r, $r;",
    "add.cc.s64 $D, $d, $d; addc.u64 $D, $d, $d;",
    "mov.b64 $2r, $=d;",
    "mov.b32 $2h, $w;",
    "mov.b32 $R, $2h;",
    "mov.b64 $D, $4h;",
    "mov.b64 $4h, $=d;",
    "mov.b64 $2f, $=d;"};

static const char *const FLOAT[] = {"cvt.rn.f32.s32 $F, $w;",
                                    "cvt.$M.f32.u64 $F, $=d;",
                                    "cvt.$I$Z.s32.f32 $R, $=f;",
                                    "cvt.$I.u64.f32 $D, $=f;",
                                    "cvt.rn.f64.s64 $G, $=d;",
                                    "cvt.$I.s32.f64 $R, $=g;",
                                    "cvt.$M.f32.f64 $F, $=g;",
                                    "cvt.f64.f32 $G, $=f;",
                                    "cvt.$I$Z.f32.f32 $F, $=f;",
                                    "cvt.sat.f32.f32 $F, $=f;",
                                    "add.$M$Z.f32 $F, $f, $f;",
                                    "sub$Z.f32 $F, $f, $f;",
                                    "mul.$M$Z.f32 $F, $f, $f;",
                                    "fma.$M$Z.f32 $F, $f, $f, $f;",
                                    "mad.rn.f32 $F, $f, $f, $f;",
                                    "add.sat.f32 $F, $f, $f;",
                                    "fma.rn.sat.f32 $F, $f, $f, $f;",
                                    "div.rn.f32 $F, $f, $f;",
                                    "div.full.f32 $F, $f, $f;",
                                    "rcp.rn.f32 $F, $f;",
                                    "sqrt.rn.f32 $F, $f;",
                                    "rsqrt.approx.f32 $F, $f;",
                                    "sin.approx.f32 $F, $f;",
                                    "ex2.approx.f32 $F, $f;",
                                    "lg2.approx.f32 $F, $f;",
                                    "tanh.approx.f32 $F, $f;",
                                    "min$Z.f32 $F, $f, $f;",
                                    "max.f32 $F, $f, $f;",
                                    "abs$Z.f32 $F, $f;",
                                    "neg$Z.f32 $F, $f;",
                                    "copysign.f32 $F, $f, $f;",
                                    "testp.finite.f32 $P, $f;",
                                    "testp.subnormal.f32 $P, $f;",
                                    "mov.b32 $R, $=f;",
                                    "mov.b32 $F, $w;",
                                    "mov.f32 $F, $f;",
                                    "add.$M.f64 $G, $g, $g;",
                                    "mul.rn.f64 $G, $g, $g;",
                                    "fma.$M.f64 $G, $g, $g, $g;",
                                    "sub.rn.f64 $G, $g, $g;",
                                    "div.rn.f64 $G, $g, $g;",
                                    "sqrt.rn.f64 $G, $g;",
                                    "rcp.rn.f64 $G, $g;",
                                    "min.f64 $G, $g, $g;",
                                    "neg.f64 $G, $g;",
                                    "abs.f64 $G, $g;",
                                    "mov.b64 $D, $=g;",
                                    "mov.b64 $G, $=d;",
                                    "mov.b64 $2r, $=g;",
                                    "setp.$N$Z.f32 $P, $f, $f;",
                                    "setp.$N.$O.f32 $P|$P, $f, $f, $p;",
                                    "setp.$N.$O.f64 $P|$P, $g, $g, $p;",
                                    "setp.$N.f64 $P, $g, $g;",
                                    "@%p3 setp.$N.$O.f32 %p3|$P, $f, $f, %p3;",
                                    "set.$N.f32.f32 $F, $f, $f;",
                                    "selp.f32 $F, $f, $f, $q;",
                                    "selp.f64 $G, $g, $g, $q;"};

// f16 and bf16, alone and in pairs.
static const char *const HALF[] = {"$z $H, $=h, $=h;",
                                   "$z $H, $=h, $=h;",
                                   "$y $H, $=h, $=h, $=h;",
                                   "$x $R, $w, $w;",
                                   "$x $R, $w, $w;",
                                   "$Y $R, $w, $w, $w;",
                                   "neg.f16 $H, $=h;",
                                   "abs.f16x2 $R, $w;",
                                   "neg.bf16x2 $R, $w;",
                                   "abs.bf16 $H, $=h;",
                                   "setp.$N.f16 $P, $=h, $=h;",
                                   "setp.$N.bf16 $P, $=h, $=h;",
                                   "setp.$N.f16x2 $P|$P, $w, $w;",
                                   "setp.$N.$O.f16x2 $P|$P, $w, $w, $p;",
                                   "set.$N.f16x2.f16x2 $R, $w, $w;",
                                   "set.$N.u32.f16 $R, $=h, $=h;",
                                   "cvt.rn.f16.f32 $H, $=f;",
                                   "cvt.f32.f16 $F, $=h;",
                                   "cvt.rn.bf16.f32 $H, $=f;",
                                   "cvt.rn.f16x2.f32 $R, $=f, $=f;",
                                   "cvt.rn.bf16x2.f32 $R, $=f, $=f;",
                                   "cvt.rn.f16.s32 $H, $w;",
                                   "cvt.rzi.s32.f16 $R, $=h;",
                                   "cvt.rni.u16.f16 $H, $=h;",
                                   "ex2.approx.f16 $H, $=h;",
                                   "tanh.approx.f16x2 $R, $w;",
                                   "cvt.rn.f16.f64 $H, $=g;",
                                   "cvt.f64.f16 $G, $=h;"};

#define INPUT(mask) "and.b32 %t0, $w, " mask "; cvt.u64.u32 %u0, %t0; add.u64 %u0, %u0, %u1; "
#define LOCAL(mask) "and.b32 %t0, $w, " mask "; mov.u32 %t1, loc; add.u32 %t1, %t1, %t0; "
// Memory that belongs to the thread: its local array and its scratch words; the input, the
// constants.
static const char *const MEMORY[] = {
    "st.local.u32 [loc+$l], $w;",
    "ld.local.u32 $R, [loc+$l];",
    "ld.local.s8 $R, [loc+$l];",
    "ld.local.u16 $H, [loc+$l];",
    "st.local.u8 [loc+$l], $w;",
    "st.local.v2.u32 [loc+$k], $2r;",
    "st.local.v4.f32 [loc+$m], $4f;",
    "ld.local.v4.u32 $4R, [loc+$m];",
    "st.local.v4.u16 [loc+$k], $4h;",
    "ld.local.v2.f32 $2F, [loc+$k];",
    "st.local.u64 [loc+$k], $=d;",
    "ld.local.u64 $D, [loc+$k];",
    "ld.local.v2.u64 $2D, [loc+$m];",
    "st.local.v2.f64 [loc+$m], $2g;",
    "ld.local.v4.u16 $4H, [loc+$k];",
    LOCAL("60") "ld.local.u32 $R, [%t1];",
    LOCAL("60") "st.local.u32 [%t1], $w;",
    LOCAL("48") "ld.local.v4.u32 $4R, [%t1];",
    LOCAL("48") "st.local.v2.u64 [%t1], $2d;",
    LOCAL("62") "ld.local.s16 $R, [%t1];",
    LOCAL("63") "st.local.u8 [%t1], $w;",
    INPUT("4092") "ld.global.u32 $R, [%u0];",
    INPUT("4088") "ld.global.nc.u64 $D, [%u0];",
    INPUT("4080") "ld.global.v4.u32 $4R, [%u0];",
    INPUT("4080") "ld.global.nc.v4.f32 $4F, [%u0];",
    INPUT("4080") "ld.global.v4.s32 $4R, [%u0];",
    INPUT("4080") "ld.global.v2.u64 $2D, [%u0];",
    INPUT("4080") "ld.global.v2.f64 $2G, [%u0];",
    INPUT("4088") "ld.global.v2.u32 $2R, [%u0];",
    INPUT("4088") "ld.global.v4.u16 $4H, [%u0];",
    INPUT("4092") "ld.global.v2.s16 $2R, [%u0];",
    INPUT("4092") "ld.global.v4.u8 $4R, [%u0];",
    INPUT("4094") "ld.global.v2.s8 $2R, [%u0];",
    INPUT("4094") "ld.global.s16 $R, [%u0];",
    INPUT("4095") "ld.global.u8 $R, [%u0];",
    INPUT("4088") "ld.global.f64 $G, [%u0];",
    INPUT("2032") "ld.global.v4.u32 $4R, [%u0+16]; add.u32 $R, $w, $w;",
    INPUT("4092") "ld.volatile.global.u32 $R, [%u0];",
    "ld.global.v4.u32 $4R, [%u1+$m];",
    "ld.global.u32 $R, [%u1+$l];",
    "ld.global.v2.u64 $2D, [%u1+$m];",
    "st.global.u32 [%u2+$l], $w;",
    "ld.global.u32 $R, [%u2+$l];",
    "st.global.v4.u32 [%u2+$m], $4r;",
    "ld.global.v4.u32 $4R, [%u2+$m];",
    "st.global.v2.u64 [%u2+$m], $2d;",
    "ld.global.u64 $D, [%u2+$k];",
    "st.global.v4.u16 [%u2+$k], $4h;",
    "st.global.u8 [%u2+$l], $w;",
    "st.global.v2.f32 [%u2+$k], $2f;",
    "ld.global.v2.f64 $2G, [%u2+$m];",
    "st.global.f64 [%u2+$k], $=g;",
    "ld.u32 $R, [%u2+$l];",
    "st.u32 [%u2+$l], $w;",
    "atom.global.$X $R, [%u2+$l], $w;",
    "atom.global.cas.b32 $R, [%u2+$l], $w, $w;",
    "red.global.$A [%u2+$l], $w;",
    "atom.global.add.u64 $D, [%u2+$k], $=d;",
    "atom.global.cas.b64 $D, [%u2+$k], $=d, $=d;",
    "atom.global.max.s64 $D, [%u2+$k], $=d;",
    "atom.global.add.f32 $F, [%u2+$l], $=f;",
    "ld.const.u32 $R, [table+$l];",
    "ld.const.v4.u32 $4R, [table+$m];",
    "ld.const.u64 $D, [table+$k];",
    "and.b32 %t0, $w, 60; mov.u64 %u0, table; cvt.u64.u32 %u3, %t0; add.u64 %u0, %u0, %u3; "
    "ld.const.u32 $R, [%u0];"};
// Words that all threads change, each by one operation that commutes; nobody reads them.
static const char *const SUMS[] = {"red.global.add.u32 [sums], $w;",
                                   "red.global.min.s32 [sums+4], $w;",
                                   "red.global.max.u32 [sums+8], $w;",
                                   "red.global.and.b32 [sums+12], $w;",
                                   "red.global.or.b32 [sums+16], $w;",
                                   "red.global.xor.b32 [sums+20], $w;",
                                   "red.global.add.u64 [sums+24], $=d;",
                                   "red.global.max.s64 [sums+32], $=d;",
                                   "atom.global.add.u32 %t2, [sums+40], $w;",
                                   "atom.global.xor.b32 %t2, [sums+44], $w;",
                                   "and.b32 %t0, $w, 12; mov.u64 %u0, sums; cvt.u64.u32 %u3, %t0; "
                                   "add.u64 %u0, %u0, %u3; red.global.add.u32 [%u0+48], $w;"};
static const char *const SHARED[] = {"st.shared.u32 [%b0], $w;",
                                     "ld.shared.u32 $R, [%b0];",
                                     "st.shared.v4.u32 [%b0], $4r;",
                                     "ld.shared.v2.u32 $2R, [%b0+8];",
                                     "atom.shared.$X $R, [%b0+4], $w;",
                                     "ld.shared.v4.u32 $4R, [%b0];",
                                     "atom.shared.cas.b32 $R, [%b0+4], $w, $w;",
                                     "atom.shared.add.u64 $D, [%b0+8], $=d;",
                                     "ld.shared.u64 $D, [%b0+8];",
                                     "st.shared.f64 [%b0+8], $=g;",
                                     "ld.shared.u8 $R, [%b0+5];",
                                     "st.shared.u16 [%b0+2], $=h;",
                                     "ld.shared.v4.f32 $4F, [%b0];",
                                     "ld.shared.v2.u64 $2D, [%b0];",
                                     "st.shared.v4.u8 [%b0+12], $4r;"};
// Needs all lanes of the warp together.
static const char *const WARP[] = {"shfl.sync.up.b32 $R|$P, $w, $s, 0, %m0;",
                                   "shfl.sync.idx.b32 $R|$P, $w, 0, 31, %m0;",
                                   "shfl.sync.up.b32 $R, $w, 1, 0, %m0;",
                                   "vote.sync.ballot.b32 $R, $p, %m0;",
                                   "vote.sync.any.pred $P, $p, %m0;",
                                   "vote.sync.all.pred $P, $p, %m0;",
                                   "vote.sync.uni.pred $P, $p, %m0;",
                                   "match.any.sync.b32 $R, $w, %m0;",
                                   "match.all.sync.b32 $R|$P, $w, %m0;",
                                   "match.any.sync.b64 $R, $=d, %m0;",
                                   "redux.sync.add.s32 $R, $w, %m0;",
                                   "redux.sync.or.b32 $R, $w, %m0;",
                                   "redux.sync.min.u32 $R, $w, %m0;",
                                   "bar.warp.sync %m0;",
                                   "activemask.b32 $R;",
                                   "shfl.sync.up.b32 $F, $=f, 2, 0, %m0;"};
static const char *const WHOLE_WARP[] = {
    "shfl.sync.bfly.b32 $R|$P, $w, $s, 31, -1;", "shfl.sync.down.b32 $R|$P, $w, $s, 31, -1;",
    "shfl.sync.idx.b32 $R|$P, $w, $w, 31, -1;",  "shfl.sync.bfly.b32 $R, $w, 3, 0x1c1f, -1;",
    "vote.sync.ballot.b32 $R, $p, -1;",          "shfl.sync.down.b32 $F, $=f, 16, 31, -1;"};
// Exchanges between threads of a CTA; the barriers keep them in order.
static const char *const EXCHANGE[] = {
    "bar.sync 0; st.shared.u32 [%b0], $w; bar.sync 0; ld.shared.u32 $R, [%b1]; bar.sync 0;",
    "bar.sync 0; st.shared.v4.u32 [%b0], $4r; bar.sync 0; ld.shared.v4.u32 $4R, [%b1]; bar.sync 0;",
    "bar.sync 2, $B; st.shared.v2.u64 [%b0], $2d; bar.sync 2, $B; ld.shared.v2.u64 $2D, [%b1]; "
    "bar.sync 0;",
    "bar.sync 0; st.shared.v2.f64 [%b0], $2g; barrier.sync 3; ld.shared.f64 $G, [%b1+8]; bar.sync "
    "0;",
    "bar.sync 0; red.shared.$A [counters+$m], $w; bar.sync 0; ld.shared.u32 $R, [counters]; "
    "bar.sync 0; "
    "st.shared.u32 [counters+$m], 7; bar.sync 0;",
    "barrier.sync 1; st.shared.v2.u32 [%b0+8], $2r; membar.cta; barrier.sync 1; "
    "ld.shared.v2.u32 $2R, [%b1+8]; bar.sync 0;",
    "bar.sync 0; and.b32 %t0, $w, 28; mov.u32 %t1, counters; add.u32 %t1, %t1, %t0; "
    "red.shared.add.u32 [%t1], $w; bar.sync 0; "
    "ld.shared.v4.u32 $4R, [counters+16]; bar.sync 0; st.shared.v4.u32 [counters], {7, 7, 7, 7}; "
    "bar.sync 0;",
    "bar.red.popc.u32 $R, 0, $p;",
    "bar.red.and.pred $P, 0, $p;",
    "bar.red.or.pred $P, 0, $p;",
    "bar.sync 0;",
};

// ---- kinds ----

typedef struct Table {
    const char *const *texts;
    int n;
} Table;
#define TABLE(t) \
    { t, (int)(sizeof(t) / sizeof *(t)) }

// Every class of register in the text has enough of them here.
static bool possible(const Gen *g, const char *text) {
    for (; *text; text++) {
        if (*text != '$') continue;
        int least = 1;
        if (*++text == '2' || *text == '4') least = *text++ - '0';
        else if (*text == '=') text++;
        char class = (char)tolower(*text);
        if (strchr("hdfg", class) && (strchr("hdfgHDFG", *text)) && g->count[(int)class] < least)
            return false;
    }
    return true;
}

static const char *pick(Gen *g, Table t) {
    for (int tries = 0; tries < 50; tries++) {
        const char *text = t.texts[gen_below(g, t.n)];
        if (possible(g, text)) return text;
    }
    return "mov.u32 $R, $r;";
}

void gen_straight(Gen *g) {
    static const Table tables[] = {TABLE(PLAIN),  TABLE(FLOAT),  TABLE(HALF),
                                   TABLE(MEMORY), TABLE(SHARED), TABLE(SUMS)};
    enum { KINDS = sizeof tables / sizeof *tables, OF_CALLEE = 3 };
    int sum = 0, kinds = g->callee ? OF_CALLEE : KINDS, kind = 0;
    for (int i = 0; i < kinds; i++) sum += g->weight[i];
    for (int at = gen_below(g, sum); at >= g->weight[kind]; kind++) at -= g->weight[kind];
    const char *text = pick(g, tables[kind]);
    char guard[12];
    gen_guard(g, guard, 25);
    gen_fill(g, text, *text == '@' ? "" : guard);
}

void gen_warp(Gen *g) {
    static const Table any = TABLE(WARP), whole = TABLE(WHOLE_WARP);
    gen_fill(g, pick(g, g->whole && gen_chance(g, 30) ? whole : any), "");
}

void gen_exchange(Gen *g) {
    static const Table exchange = TABLE(EXCHANGE);
    gen_fill(g, pick(g, exchange), "");
}
