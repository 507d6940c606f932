// SPDX-License-Identifier: Apache-2.0
#include "ptxgen.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

// Registers: %r words, %h halves, %d pairs, %f f32, %g f64, %p predicates. Behind the numbered ones that random
// instructions use stand those of the frame: addresses, loop counters (%c), loop predicates (%q).
enum { MOST_WORDS = 70, HALVES = 6, PAIRS = 10, FLOATS = 10, DOUBLES = 4, PREDS = 5, SLOT = 16, MOST_DEPTH = 4 };
enum { LOCAL_WORDS = 16, COUNTERS = 8, FUNCTIONS = 3, RESULT_BYTES = 1024 };

typedef struct Gen {
    FILE *out;
    uint64_t state;
    int words;             // of %r that random instructions use
    int labels;
    int loop_end[MOST_DEPTH + 1], loop_next[MOST_DEPTH + 1], loops;
    bool callee;           // inside of a function: no barriers, calls, memory of the CTA
    bool whole;            // all warps are full
    int functions;
    PtxgenOptions o;
} Gen;

static uint64_t next(Gen *g) {
    uint64_t z = g->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
static int below(Gen *g, int n) { return (int)(next(g) % (uint64_t)n); }
static bool chance(Gen *g, int percent) { return below(g, 100) < percent; }

// ---- operands ----

static uint32_t word_value(Gen *g) {
    static const uint32_t edge[] = {0, 1, 2, 31, 32, 33, 63, 64, 255, 256, 0x7fff, 0x8000, 0xffff, 0x10000,
                                    0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 0x55555555, 0x3f800000};
    if (chance(g, 70)) return edge[below(g, (int)(sizeof edge / sizeof *edge))];
    return (uint32_t)next(g);
}

static void float_value(Gen *g, bool wide) {
    static const uint32_t narrow[] = {0, 0x80000000, 0x3f800000, 0xbf800000, 0x40490fdb, 0x7f800000, 0xff800000,
                                      0x7fc00000, 1, 0x007fffff, 0x00800000, 0x7f7fffff, 0x4f000000, 0xcf000000};
    static const uint64_t both[] = {0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 1,
                                    0x7ff0000000000000, 0x7ff8000000000000, 0x7fefffffffffffff, 0x400921fb54442d18};
    if (wide) fprintf(g->out, "0d%016llX", (unsigned long long)both[below(g, 9)]);
    else fprintf(g->out, "0f%08X", narrow[below(g, 14)]);
}

static void reg(Gen *g, char class) {
    static const int count[] = {['h'] = HALVES, ['d'] = PAIRS, ['f'] = FLOATS, ['g'] = DOUBLES, ['p'] = PREDS};
    fprintf(g->out, "%%%c%d", class, below(g, class == 'r' ? g->words : count[(int)class]));
}

// A source: a register, sometimes a value.
static void source(Gen *g, char letter) {
    if (!chance(g, 15)) reg(g, letter);
    else if (letter == 'f' || letter == 'g') float_value(g, letter == 'g');
    else if (letter == 'h') fprintf(g->out, "%u", word_value(g) & 0x7fff);
    else if (letter != 'd') fprintf(g->out, "%u", word_value(g));
    else fprintf(g->out, "%llu", (unsigned long long)(chance(g, 50) ? word_value(g) : next(g) >> 1));
}

// One of several words.
static void word(Gen *g, const char *words) {
    int n = 1;
    for (const char *w = words; *w; w++) n += *w == ' ';
    for (n = below(g, n); n; words++) n -= *words == ' ';
    fprintf(g->out, "%.*s", (int)strcspn(words, " "), words);
}

// One letter of a template behind `$`.
static void operand(Gen *g, char letter) {
    switch (letter) {
    case 'r': case 'h': case 'd': case 'f': case 'g': source(g, letter); break;
    case 'R': case 'H': case 'D': case 'F': case 'G': case 'P': reg(g, (char)tolower(letter)); break;
    case 'p':
        if (chance(g, 30)) fputc('!', g->out);
        reg(g, 'p');
        break;
    case 'q': reg(g, 'p'); break;                        // a predicate that cannot be negated
    case 'w': reg(g, 'r'); break;                        // a register, no value
    case 'b': fprintf(g->out, "%d", below(g, 256)); break;
    case 's': fprintf(g->out, "%d", below(g, 40)); break;
    case 'C': word(g, "eq ne lt le gt ge"); break;
    case 'U': word(g, "lo ls hi hs eq ne"); break;
    case 'N': word(g, "lt equ neu ltu geu num nan gt"); break;
    case 'O': word(g, "and or xor"); break;
    case 'A': word(g, "add.u32 min.s32 max.u32 and.b32 or.b32 xor.b32"); break;
    case 'X': word(g, "add.u32 min.s32 max.u32 and.b32 xor.b32 exch.b32 inc.u32 dec.u32"); break;
    case 'M': word(g, "rn rz rm rp"); break;
    case 'I': word(g, "rni rzi rmi rpi"); break;
    case 'Z': fputs(chance(g, 50) ? "" : ".ftz", g->out); break;
    case 'l': fprintf(g->out, "%d", 4 * below(g, LOCAL_WORDS)); break;
    case 'm': fprintf(g->out, "%d", 16 * below(g, LOCAL_WORDS / 4)); break;
    case 'k': fprintf(g->out, "%d", 8 * below(g, LOCAL_WORDS / 2)); break;
    default: fputc(letter, g->out);
    }
}

// A template with its operands; `guard` stands before each instruction in it.
static void fill(Gen *g, const char *text, const char *guard) {
    bool start = true;
    for (; *text; text++) {
        if (start && *text != ' ') {
            fputs(guard, g->out);
            start = false;
        }
        if (*text == '$') operand(g, *++text);
        else if (*text == ';') {
            fputs(";\n", g->out);
            start = true;
        } else if (!(start && *text == ' ')) fputc(*text, g->out);
    }
}

// ---- straight code ----

static const char *const PLAIN[] = {
    "add.u32 $R, $r, $r;", "sub.s32 $R, $r, $r;", "mul.lo.u32 $R, $r, $r;", "mul.hi.s32 $R, $r, $r;",
    "mul.hi.u32 $R, $r, $r;", "mad.lo.s32 $R, $r, $r, $r;", "mad.hi.u32 $R, $r, $r, $r;",
    "add.sat.s32 $R, $r, $r;", "sub.sat.s32 $R, $r, $r;", "mul24.lo.s32 $R, $r, $r;",
    "mul24.hi.u32 $R, $r, $r;", "mad24.lo.u32 $R, $r, $r, $r;", "sad.s32 $R, $r, $r, $r;",
    "sad.u32 $R, $r, $r, $r;", "div.s32 $R, $r, $r;", "div.u32 $R, $r, $r;", "rem.s32 $R, $r, $r;",
    "rem.u32 $R, $r, $r;", "min.s32 $R, $r, $r;", "max.u32 $R, $r, $r;", "abs.s32 $R, $r;",
    "neg.s32 $R, $r;", "and.b32 $R, $r, $r;", "or.b32 $R, $r, $r;", "xor.b32 $R, $r, $r;",
    "not.b32 $R, $r;", "cnot.b32 $R, $r;", "shl.b32 $R, $r, $r;", "shr.u32 $R, $r, $r;",
    "shr.s32 $R, $r, $s;", "shl.b32 $R, $r, $s;", "shf.l.wrap.b32 $R, $r, $r, $r;",
    "shf.r.clamp.b32 $R, $r, $r, $s;", "lop3.b32 $R, $r, $r, $r, $b;",
    "lop3.or.b32 $R|$P, $r, $r, $r, $b, $q;", "lop3.and.b32 $R|$P, $r, $r, $r, $b, $q;",
    "prmt.b32 $R, $r, $r, $r;", "prmt.b32.f4e $R, $r, $r, $r;", "prmt.b32.b4e $R, $r, $r, $r;",
    "prmt.b32.rc8 $R, $r, $r, $r;", "prmt.b32.ecl $R, $r, $r, $r;", "prmt.b32.ecr $R, $r, $r, $r;",
    "prmt.b32.rc16 $R, $r, $r, $r;", "bfe.u32 $R, $r, $r, $r;", "bfe.s32 $R, $r, $s, $s;",
    "bfi.b32 $R, $r, $r, $r, $r;", "bfi.b32 $R, $r, $r, $s, $s;", "bfind.u32 $R, $r;", "bfind.s32 $R, $r;",
    "bfind.shiftamt.u32 $R, $r;", "popc.b32 $R, $r;", "clz.b32 $R, $r;", "brev.b32 $R, $r;",
    "fns.b32 $R, $r, $s, 1;", "dp4a.s32.u32 $R, $r, $r, $r;", "dp2a.lo.u32.s32 $R, $r, $r, $r;",
    "dp2a.hi.s32.s32 $R, $r, $r, $r;", "szext.clamp.s32 $R, $r, $r;", "szext.wrap.u32 $R, $r, $r;",
    "bmsk.wrap.b32 $R, $r, $r;", "bmsk.clamp.b32 $R, $r, $s;", "vabsdiff4.u32.u32.u32 $R, $r, $r, $r;",
    "mov.u32 $R, $r;", "mov.u32 $R, $r;", "mul.wide.u32 $D, $r, $r;", "mul.wide.s32 $D, $r, $r;",
    "mad.wide.s32 $D, $r, $r, $d;", "mad.wide.u32 $D, $r, $r, $d;", "add.s64 $D, $d, $d;",
    "sub.u64 $D, $d, $d;", "mul.lo.s64 $D, $d, $d;", "mul.hi.s64 $D, $d, $d;", "mul.hi.u64 $D, $d, $d;",
    "mad.lo.s64 $D, $d, $d, $d;", "mad.hi.u64 $D, $d, $d, $d;", "div.s64 $D, $d, $d;",
    "rem.u64 $D, $d, $d;", "min.s64 $D, $d, $d;", "max.u64 $D, $d, $d;", "abs.s64 $D, $d;",
    "neg.s64 $D, $d;", "sad.u64 $D, $d, $d, $d;", "and.b64 $D, $d, $d;", "or.b64 $D, $d, $d;",
    "xor.b64 $D, $d, $d;", "not.b64 $D, $d;", "shl.b64 $D, $d, $r;", "shr.u64 $D, $d, $r;",
    "shr.s64 $D, $d, $s;", "shl.b64 $D, $d, $s;", "bfe.s64 $D, $d, $r, $r;", "bfe.u64 $D, $d, $s, $s;",
    "bfi.b64 $D, $d, $d, $s, $s;", "bfind.s64 $R, $d;", "popc.b64 $R, $d;", "clz.b64 $R, $d;",
    "brev.b64 $D, $d;", "cnot.b64 $D, $d;", "mov.b64 $D, {$r, $r};", "mov.u64 $D, $d;",
    "mov.b64 $D, {$w, $w};", "add.u16 $H, $h, $h;", "sub.s16 $H, $h, $h;", "mul.lo.s16 $H, $h, $h;",
    "mul.hi.u16 $H, $h, $h;", "mul.wide.s16 $R, $h, $h;", "mad.wide.u16 $R, $h, $h, $r;",
    "div.s16 $H, $h, $h;", "rem.u16 $H, $h, $h;", "min.s16 $H, $h, $h;", "shl.b16 $H, $h, $s;",
    "shr.s16 $H, $h, $r;", "and.b16 $H, $h, $h;", "xor.b16 $H, $h, $h;", "not.b16 $H, $h;",
    "neg.s16 $H, $h;", "abs.s16 $H, $h;", "cvt.u32.u16 $R, $h;", "cvt.s32.s16 $R, $h;",
    "cvt.u16.u32 $H, $w;", "cvt.s32.s8 $R, $w;", "cvt.u32.u8 $R, $w;", "cvt.sat.u8.s32 $H, $w;",
    "cvt.u64.u32 $D, $w;", "cvt.s64.s32 $D, $w;", "cvt.u32.u64 $R, %d1;", "cvt.sat.s32.s64 $R, %d2;",
    "cvt.s64.s16 $D, %h1;", "cvt.rn.f32.s32 $F, $w;", "cvt.$M.f32.u64 $F, %d3;",
    "cvt.$I$Z.s32.f32 $R, %f1;", "cvt.$I.u64.f32 $D, %f2;", "cvt.rn.f64.s64 $G, %d4;",
    "cvt.$I.s32.f64 $R, %g1;", "cvt.$M.f32.f64 $F, %g2;", "cvt.f64.f32 $G, %f3;", "cvt.rn.f16.f32 $H, %f4;",
    "cvt.f32.f16 $F, %h2;", "cvt.$I$Z.f32.f32 $F, %f5;", "cvt.sat.f32.f32 $F, %f6;",
    "add.$M$Z.f32 $F, $f, $f;", "sub$Z.f32 $F, $f, $f;", "mul.$M$Z.f32 $F, $f, $f;",
    "fma.$M$Z.f32 $F, $f, $f, $f;", "mad.rn.f32 $F, $f, $f, $f;", "add.sat.f32 $F, $f, $f;",
    "div.rn.f32 $F, $f, $f;", "div.full.f32 $F, $f, $f;", "rcp.rn.f32 $F, $f;", "sqrt.rn.f32 $F, $f;",
    "rsqrt.approx.f32 $F, $f;", "sin.approx.f32 $F, $f;", "ex2.approx.f32 $F, $f;",
    "lg2.approx.f32 $F, $f;", "min$Z.f32 $F, $f, $f;", "max.f32 $F, $f, $f;", "abs$Z.f32 $F, $f;",
    "neg$Z.f32 $F, $f;", "copysign.f32 $F, $f, $f;", "testp.finite.f32 $P, $f;",
    "testp.subnormal.f32 $P, $f;", "mov.b32 $R, %f1;", "mov.b32 $F, $w;", "mov.f32 $F, $f;",
    "add.$M.f64 $G, $g, $g;", "mul.rn.f64 $G, $g, $g;", "fma.$M.f64 $G, $g, $g, $g;",
    "div.rn.f64 $G, $g, $g;", "sqrt.rn.f64 $G, $g;", "min.f64 $G, $g, $g;", "neg.f64 $G, $g;",
    "abs.f64 $G, $g;", "mov.b64 $D, %g1;", "mov.b64 $G, %d5;", "setp.$C.s32 $P, $r, $r;",
    "setp.$U.u32 $P, $r, $r;", "setp.$C.$O.s32 $P|$P, $r, $r, $p;", "setp.$U.$O.u32 $P|$P, $r, $r, $p;",
    "setp.$C.s64 $P, $d, $d;", "setp.$C.$O.u64 $P|$P, $d, $d, $p;", "setp.$C.s16 $P, $h, $h;",
    "setp.$N$Z.f32 $P, $f, $f;", "setp.$N.$O.f32 $P|$P, $f, $f, $p;", "setp.$N.$O.f64 $P|$P, $g, $g, $p;",
    "set.$C.u32.s32 $R, $r, $r;", "set.$N.f32.f32 $F, $f, $f;", "selp.b32 $R, $r, $r, $q;",
    "selp.b64 $D, $d, $d, $q;", "selp.f32 $F, $f, $f, $q;", "selp.b16 $H, $h, $h, $q;",
    "slct.s32.s32 $R, $r, $r, $r;", "slct.u64.f32 $D, $d, $d, $f;", "and.pred $P, $q, $q;",
    "or.pred $P, $q, $q;", "xor.pred $P, $q, $q;", "not.pred $P, $q;", "mov.pred $P, $q;",
    "@%p2 setp.$C.$O.s32 %p2|$P, $r, $r, $p;", "@!%p2 setp.$U.$O.u32 %p2|$P, $r, $r, $p;",
    "@%p3 setp.$N.$O.f32 %p3|$P, $f, $f, %p3;", "@!%p3 setp.$C.$O.s64 $P|%p3, $d, $d, $p;",
    "@%p1 lop3.or.b32 $R|%p1, $r, $r, $r, $b, %p1;",
    "add.cc.u32 $R, $r, $r; addc.cc.u32 $R, $r, $r; addc.u32 $R, $r, $r;",
    "sub.cc.u32 $R, $r, $r; subc.cc.u32 $R, $r, $r; subc.u32 $R, $r, $r;",
    "mad.lo.cc.u32 $R, $r, $r, $r; madc.hi.u32 $R, $r, $r, $r;",
    "add.cc.s64 $D, $d, $d; addc.u64 $D, $d, $d;", "mov.b64 {%r1, %r2}, %d1;", "mov.b64 {%r3, %r1}, %d2;",
    "mov.b32 {%h1, %h2}, $w;", "mov.b32 $R, {%h3, %h4};", "mov.b64 $D, {%h1, %h2, %h3, %h4};",
};

// Memory that belongs to the thread: its local array, its slot of the box of the CTA, the input.
static const char *const MEMORY[] = {
    "st.local.u32 [loc+$l], $w;", "ld.local.u32 $R, [loc+$l];", "ld.local.s8 $R, [loc+$l];",
    "ld.local.u16 $H, [loc+$l];", "st.local.u8 [loc+$l], $w;", "st.local.v2.u32 [loc+$k], {$w, $w};",
    "st.local.v4.f32 [loc+$m], {%f1, %f2, %f3, %f4};", "ld.local.v4.u32 {%r1, %r2, %r3, %r4}, [loc+$m];",
    "ld.local.v2.f32 {%f1, %f5}, [loc+$k];", "st.local.u64 [loc+$k], %d3;", "ld.local.u64 $D, [loc+$k];",
    "ld.local.v2.u64 {%d1, %d2}, [loc+$m];", "and.b32 %t0, $w, 60; ld.local.u32 $R, [%t0];",
    "and.b32 %t0, $w, 4092; cvt.u64.u32 %u0, %t0; add.u64 %u0, %u0, %u1; ld.global.u32 $R, [%u0];",
    "and.b32 %t0, $w, 4088; cvt.u64.u32 %u0, %t0; add.u64 %u0, %u1, %u0; ld.global.nc.u64 $D, [%u0];",
    "and.b32 %t0, $w, 1020; mul.wide.u32 %u0, %t0, 4; add.u64 %u0, %u0, %u1; "
    "ld.global.v4.u32 {%r0, %r3, %r2, %r1}, [%u0];",
    "and.b32 %t0, $w, 4094; cvt.u64.u32 %u0, %t0; add.u64 %u0, %u0, %u1; ld.global.s16 $R, [%u0];",
    "and.b32 %t0, $w, 2040; cvt.u64.u32 %u0, %t0; add.u64 %u0, %u0, %u1; ld.global.f64 $G, [%u0+8];",
    "st.global.u32 [%u2+512], $w;", "ld.global.u32 $R, [%u2+512];",
    "st.global.v2.u64 [%u2+528], {%d1, %d2};", "ld.global.u64 $D, [%u2+528];",
    "atom.global.$X $R, [%u2+512], $w;", "atom.global.cas.b32 $R, [%u2+512], $w, $w;",
    "atom.global.add.u64 $D, [%u2+528], %d4;", "atom.global.cas.b64 $D, [%u2+528], %d1, %d2;",
    "atom.global.add.f32 $F, [%u2+512], %f2;", "red.global.$A [%u2+512], $w;", "ld.u32 $R, [%u2+512];",
    "st.u32 [%u2+512], $w;",
};
static const char *const SHARED[] = {
    "st.shared.u32 [%b0], $w;", "ld.shared.u32 $R, [%b0];", "st.shared.v4.u32 [%b0], {$w, $w, $w, $w};",
    "ld.shared.v2.u32 {%r2, %r1}, [%b0+8];", "atom.shared.$X $R, [%b0+4], $w;",
    "atom.shared.cas.b32 $R, [%b0+4], $w, $w;", "atom.shared.add.u64 $D, [%b0+8], %d1;",
    "ld.shared.u64 $D, [%b0+8];", "st.shared.f64 [%b0+8], %g1;", "ld.shared.u8 $R, [%b0+5];",
    "st.shared.u16 [%b0+2], %h1;",
};
// Needs all lanes of the warp together.
static const char *const WARP[] = {
    "shfl.sync.up.b32 $R|$P, $w, $s, 0, %m0;", "shfl.sync.idx.b32 $R|$P, $w, 0, 31, %m0;",
    "shfl.sync.up.b32 $R, $w, 1, 0, %m0;", "vote.sync.ballot.b32 $R, $p, %m0;",
    "vote.sync.any.pred $P, $p, %m0;", "vote.sync.all.pred $P, $p, %m0;", "vote.sync.uni.pred $P, $p, %m0;",
    "match.any.sync.b32 $R, $w, %m0;", "match.all.sync.b32 $R|$P, $w, %m0;",
    "redux.sync.add.s32 $R, $w, %m0;", "redux.sync.or.b32 $R, $w, %m0;", "redux.sync.min.u32 $R, $w, %m0;",
    "bar.warp.sync %m0;", "activemask.b32 $R;",
};
static const char *const WHOLE_WARP[] = {
    "shfl.sync.bfly.b32 $R|$P, $w, $s, 31, -1;", "shfl.sync.down.b32 $R|$P, $w, $s, 31, -1;",
    "shfl.sync.idx.b32 $R|$P, $w, $w, 31, -1;", "shfl.sync.bfly.b32 $R, $w, 3, 0x1c1f, -1;",
    "vote.sync.ballot.b32 $R, $p, -1;",
};
// What threads of a CTA exchange; the barriers keep it in order.
static const char *const EXCHANGE[] = {
    "bar.sync 0; st.shared.u32 [%b0], $w; bar.sync 0; ld.shared.u32 $R, [%b1]; bar.sync 0;",
    "bar.sync 0; red.shared.$A [counters+$m], $w; bar.sync 0; ld.shared.u32 $R, [counters]; bar.sync 0; "
    "st.shared.u32 [counters+$m], 7; bar.sync 0;",
    "barrier.sync 1; st.shared.v2.u32 [%b0+8], {$w, $w}; membar.cta; barrier.sync 1; "
    "ld.shared.v2.u32 {%r4, %r5}, [%b1+8]; bar.sync 0;",
    "bar.red.popc.u32 $R, 0, $p;", "bar.red.and.pred $P, 0, $p;", "bar.red.or.pred $P, 0, $p;",
};

#define PICK(g, table) (table)[below(g, (int)(sizeof(table) / sizeof *(table)))]

static void guard_text(Gen *g, char buf[8], int percent) {
    *buf = '\0';
    if (chance(g, percent)) snprintf(buf, 8, "@%s%%p%d ", chance(g, 50) ? "!" : "", below(g, PREDS));
}

static void straight(Gen *g) {
    char guard[8];
    guard_text(g, guard, 25);
    if (!g->callee && chance(g, 14)) fill(g, chance(g, 70) ? PICK(g, MEMORY) : PICK(g, SHARED), guard);
    else {
        const char *text = PICK(g, PLAIN);
        fill(g, text, *text == '@' ? "" : guard);
    }
}

// ---- control flow ----

static void block(Gen *g, int depth, int n);

static void branch(Gen *g, int depth) {
    int other = g->labels++, end = g->labels++;
    fill(g, chance(g, 50) ? "setp.$C.s32 %p1, $w, $r;" : "setp.$U.u32 %p1, $w, $r;", "");
    fprintf(g->out, "@%s%%p%d bra L%d;\n", chance(g, 50) ? "!" : "", chance(g, 70) ? 1 : below(g, PREDS), other);
    block(g, depth + 1, 1 + below(g, 6));
    if (chance(g, 60)) {
        fprintf(g->out, "bra L%d;\nL%d:\n", end, other);
        block(g, depth + 1, 1 + below(g, 6));
        fprintf(g->out, "L%d:\n", end);
    } else fprintf(g->out, "L%d:\n", other);
}

// Counts to a small number, the same for all threads or each thread's own; may be left and restarted early.
static void loop(Gen *g, int depth) {
    int head = g->labels++, next_round = g->labels++, end = g->labels++, level = g->loops;
    fprintf(g->out, "mov.u32 %%c%d, 0;\n", level);
    if (chance(g, 50)) fprintf(g->out, "mov.u32 %%e%d, %d;\n", level, 1 + below(g, 4));
    else fill(g, level == 0 ? "and.b32 %e0, $w, 3;" : level == 1 ? "and.b32 %e1, $w, 3;" : "and.b32 %e2, $w, 3;", "");
    fprintf(g->out, "L%d:\n", head);
    g->loop_end[level] = end;
    g->loop_next[level] = next_round;
    g->loops++;
    block(g, depth + 1, 1 + below(g, 6));
    g->loops--;
    fprintf(g->out, "L%d:\nadd.u32 %%c%d, %%c%d, 1;\n", next_round, level, level);
    fprintf(g->out, "setp.lt.u32 %%q%d, %%c%d, %%e%d;\n@%%q%d bra L%d;\nL%d:\n", level, level, level, level,
            head, end);
}

static void leave_loop(Gen *g) {
    int level = below(g, g->loops);
    fprintf(g->out, "@%s%%p%d bra L%d;\n", chance(g, 50) ? "!" : "", below(g, PREDS),
            chance(g, 50) ? g->loop_end[level] : g->loop_next[level]);
}

static void choose_of(Gen *g, int depth) {
    int n = 2 + below(g, 5), first = g->labels, end = g->labels + n;
    g->labels += n + 1;
    fill(g, "mov.u32 %t1, $w;", "");
    fprintf(g->out, "rem.u32 %%t1, %%t1, %d;\nT%d: .branchtargets", n, end);
    for (int i = 0; i < n; i++) fprintf(g->out, "%s L%d", i ? "," : "", first + (chance(g, 15) ? 0 : i));
    fprintf(g->out, ";\nbrx.idx %%t1, T%d;\n", end);
    for (int i = 0; i < n; i++) {
        fprintf(g->out, "L%d:\n", first + i);
        block(g, depth + 1, 1 + below(g, 3));
        if (chance(g, 80)) fprintf(g->out, "bra L%d;\n", end);
    }
    fprintf(g->out, "L%d:\n", end);
}

static void call(Gen *g) {
    int which = below(g, g->functions);
    char guard[8];
    guard_text(g, guard, 20);
    fprintf(g->out, "{\n.param .b32 a0; .param .b64 a1; .param .b32 b0; .param .b64 b1;\n");
    fill(g, "st.param.b32 [a0], $w;", "");
    fill(g, "st.param.b64 [a1], %d1;", "");
    if (which == 0) fprintf(g->out, "st.param.b32 [b0], 5;\n%scall (b0), fun0, (a0, a1);\n", guard);
    else fprintf(g->out, "st.param.b64 [b1], 6;\n%scall (b1), fun%d, (a0, a1);\n", guard, which);
    fill(g, which == 0 ? "ld.param.b32 $R, [b0];" : "ld.param.b64 $D, [b1];", "");
    fprintf(g->out, "}\n");
}

static void block(Gen *g, int depth, int n) {
    for (int i = 0; i < n; i++) {
        int kind = depth < MOST_DEPTH ? below(g, 100) : 100;
        char guard[8] = "";
        if (kind < 8) branch(g, depth);
        else if (kind < 13 && g->loops < 3) loop(g, depth);
        else if (kind < 16) choose_of(g, depth);
        else if (kind < 19 && !g->callee && g->functions) call(g);
        else if (g->loops && chance(g, 8)) leave_loop(g);
        else if (!depth && !g->callee && chance(g, 10)) fill(g, PICK(g, WARP), guard);
        else if (!depth && !g->callee && g->whole && chance(g, 4)) fill(g, PICK(g, WHOLE_WARP), guard);
        else if (!depth && !g->callee && chance(g, 5)) fill(g, PICK(g, EXCHANGE), guard);
        else straight(g);
    }
}

// ---- the whole program ----

static void declare(Gen *g) {
    fprintf(g->out, ".reg .b32 %%r<%d>;\n.reg .b16 %%h<%d>;\n.reg .b64 %%d<%d>;\n", g->words, HALVES, PAIRS);
    fprintf(g->out, ".reg .f32 %%f<%d>;\n.reg .f64 %%g<%d>;\n", FLOATS, DOUBLES);
    fprintf(g->out, ".reg .pred %%p<%d>;\n.reg .b32 %%c<3>;\n.reg .b32 %%e<3>;\n.reg .pred %%q<3>;\n", PREDS);
    fprintf(g->out, ".reg .b32 %%t<4>;\n.reg .b64 %%u<4>;\n.reg .b32 %%b<2>;\n.reg .b32 %%m<1>;\n");
}

// Every register gets a value that depends on the thread.
static void initialize(Gen *g) {
    for (int i = 0; i < g->words; i++)
        fprintf(g->out, i % 3 == 2 ? "mov.u32 %%r%d, %u;\n" : "mad.lo.u32 %%r%d, %%t0, %u, %u;\n", i,
                i % 3 == 2 ? word_value(g) : (uint32_t)below(g, 1 << 20), word_value(g));
    for (int i = 0; i < HALVES; i++) fprintf(g->out, "cvt.u16.u32 %%h%d, %%r%d;\n", i, i);
    for (int i = 0; i < PAIRS; i++) fprintf(g->out, "mov.b64 %%d%d, {%%r%d, %%r%d};\n", i, below(g, 6), below(g, 6));
    for (int i = 0; i < FLOATS; i++)
        fprintf(g->out, i % 2 ? "mov.b32 %%f%d, %%r%d;\n" : "cvt.rn.f32.s32 %%f%d, %%r%d;\n", i, below(g, 6));
    for (int i = 0; i < DOUBLES; i++) fprintf(g->out, "cvt.rn.f64.s32 %%g%d, %%r%d;\n", i, below(g, 6));
    for (int i = 0; i < PREDS; i++)
        fprintf(g->out, "and.b32 %%t1, %%t0, %d;\nsetp.ne.u32 %%p%d, %%t1, 0;\n", 1 << below(g, 5), i);
}

static void function(Gen *g, int i) {
    const char *type = i ? "b64" : "b32";
    int words = g->words;
    g->words = 8;
    g->callee = true;
    fprintf(g->out, ".func (.param .%s res) fun%d(.param .b32 x0, .param .b64 x1)\n{\n", type, i);
    declare(g);
    fprintf(g->out, "ld.param.b32 %%t0, [x0];\n");
    initialize(g);
    fprintf(g->out, "ld.param.b64 %%d1, [x1];\nst.param.%s [res], %s;\n", type, i ? "%d2" : "%r2");
    block(g, 1, 3 + below(g, 10));
    if (chance(g, 30)) fprintf(g->out, "@%%p%d ret;\n", below(g, PREDS));
    block(g, 2, 1 + below(g, 5));
    fprintf(g->out, "%sst.param.%s [res], %s;\n%s}\n", chance(g, 40) ? "@%p2 " : "", type, i ? "%d3" : "%r3",
            chance(g, 60) ? "ret;\n" : "");
    g->callee = false;
    g->words = words;
}

// Addresses: %u1 the input, %u2 this thread's results, %b0 and %b1 its own and another's slot of the box.
static void prologue(Gen *g) {
    fprintf(g->out, "mov.u32 %%t1, %%ctaid.x;\nmov.u32 %%t2, %%ntid.x;\nmov.u32 %%t3, %%tid.x;\n");
    fprintf(g->out, "mad.lo.u32 %%t0, %%t1, %%t2, %%t3;\n");
    fprintf(g->out, "ld.param.u64 %%u1, [in];\nld.param.u64 %%u2, [out];\n");
    fprintf(g->out, "mul.wide.u32 %%u0, %%t0, %d;\nadd.u64 %%u2, %%u2, %%u0;\n", RESULT_BYTES);
    fprintf(g->out, "mov.u32 %%b0, box;\nmad.lo.u32 %%b0, %%t3, %d, %%b0;\n", SLOT);
    fprintf(g->out, "add.u32 %%t1, %%t3, %d;\nrem.u32 %%t1, %%t1, %%t2;\n", 1 + below(g, 40));
    fprintf(g->out, "mov.u32 %%b1, box;\nmad.lo.u32 %%b1, %%t1, %d, %%b1;\nactivemask.b32 %%m0;\n", SLOT);
    fprintf(g->out, "st.shared.v4.u32 [%%b0], {%%t3, %%t0, %%t3, %%t0};\n");
    for (int i = 0; i < LOCAL_WORDS; i += 4)
        fprintf(g->out, "st.local.v4.u32 [loc+%d], {%%t3, %%t0, %%t1, %%t2};\n", 4 * i);
    for (int i = 0; i < COUNTERS; i++) fprintf(g->out, "st.shared.v2.u32 [counters+%d], {7, 7};\n", 8 * i);
    fprintf(g->out, "bar.sync 0;\n");
}

static void epilogue(Gen *g) {
    int at = 0;
    for (int i = 0; i < g->words; i++, at += 4) fprintf(g->out, "st.global.u32 [%%u2+%d], %%r%d;\n", at, i);
    for (int i = 0; i < HALVES; i++, at += 4) fprintf(g->out, "st.global.u16 [%%u2+%d], %%h%d;\n", at, i);
    for (int i = 0; i < FLOATS; i++, at += 4) fprintf(g->out, "st.global.f32 [%%u2+%d], %%f%d;\n", at, i);
    for (int i = 0; i < PREDS; i++, at += 4)
        fprintf(g->out, "selp.u32 %%t0, %d, 2, %%p%d;\nst.global.u32 [%%u2+%d], %%t0;\n", i + 5, i, at);
    at = (at + 7) / 8 * 8;
    for (int i = 0; i < PAIRS; i++, at += 8) fprintf(g->out, "st.global.u64 [%%u2+%d], %%d%d;\n", at, i);
    for (int i = 0; i < DOUBLES; i++, at += 8) fprintf(g->out, "st.global.f64 [%%u2+%d], %%g%d;\n", at, i);
    fprintf(g->out, "ret;\n}\n");
}

PtxgenOptions ptxgen_program(FILE *out, uint64_t seed) {
    Gen g = {.out = out, .state = seed * 0x2545f4914f6cdd1du + 12345};
    static const int threads[] = {32, 64, 96, 33, 1, 48, 127, 128, 20, 64};
    static const int regs[] = {63, 63, 16, 20, 24, 32, 40, 48};
    g.o.threads = threads[below(&g, 10)];
    g.o.ctas = 1 + below(&g, 3);
    g.o.regs_per_thread = regs[below(&g, 8)];
    g.o.addr_bits = chance(&g, 40) ? 64 : 32;
    g.whole = g.o.threads % 32 == 0;
    g.words = chance(&g, 30) ? 40 + below(&g, MOST_WORDS - 40) : 8 + below(&g, 16);
    g.functions = chance(&g, 50) ? 1 + below(&g, FUNCTIONS) : 0;
    fprintf(out, ".version 7.8\n.target sm_80\n.address_size 64\n");
    for (int i = 0; i < g.functions; i++) function(&g, i);
    fprintf(out, ".visible .entry k(.param .u64 in, .param .u64 out)\n");
    if (chance(&g, 15)) fprintf(out, ".maxntid 128, 1, 1\n.minnctapersm %d\n", 1 + below(&g, 8));
    if (chance(&g, 20)) fprintf(out, ".maxnreg %d\n", 16 + below(&g, 48));
    fprintf(out, "{\n.shared .align 16 .b8 box[%d];\n.shared .align 16 .b8 counters[%d];\n", SLOT * 128,
            8 * COUNTERS);
    fprintf(out, ".local .align 16 .b8 loc[%d];\n", 4 * LOCAL_WORDS);
    declare(&g);
    prologue(&g);
    initialize(&g);
    block(&g, 0, 10 + below(&g, 50));
    epilogue(&g);
    return g.o;
}

void ptxgen_launch(FILE *out, const PtxgenOptions *o) {
    fprintf(out, "ptx: k.ptx\nkernel: k\ngrid: [%d]\nblock: [%d]\nargs:\n", o->ctas, o->threads);
    fprintf(out, "  - {type: ptr, buffer: input}\n  - {type: ptr, buffer: results}\nbuffers:\n");
    fprintf(out, "  input: {init: in.bin}\n  results: {bytes: %d}\n", o->ctas * o->threads * RESULT_BYTES);
}

void ptxgen_input(uint8_t bytes[PTXGEN_INPUT_BYTES], uint64_t seed) {
    Gen g = {.state = seed + 99};
    for (int i = 0; i < PTXGEN_INPUT_BYTES; i += 4) {
        uint32_t v = word_value(&g);
        memcpy(bytes + i, &v, 4);
    }
}
