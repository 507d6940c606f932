// SPDX-License-Identifier: Apache-2.0
// The shape of a random program: functions, control flow, the frame around it, its launch.
#include "ptxgen_parts.h"

#include <string.h>

static void block(Gen *g, int depth, int n, bool together);

static const char *type_of(char class) {
    switch (class) {
    case 'h': return "b16";
    case 'd': return "b64";
    case 'f': return "f32";
    case 'g': return "f64";
    default: return "b32";
    }
}

// ---- control flow: depth counts what threads pass by themselves; together: all of the CTA's pass

static void branch(Gen *g, int depth) {
    int other = g->labels++, end = g->labels++;
    gen_fill(g, gen_chance(g, 50) ? "setp.$C.s32 %p1, $w, $r;" : "setp.$U.u32 %p1, $w, $r;", "");
    fprintf(g->out, "@%s%%p%d bra L%d;\n", gen_chance(g, 50) ? "!" : "",
            gen_chance(g, 70) ? 1 : gen_below(g, g->count['p']), other);
    block(g, depth + 1, gen_below(g, 7), false);
    if (gen_chance(g, 60)) {
        fprintf(g->out, "bra%s L%d;\nL%d:\n", gen_chance(g, 15) ? ".uni" : "", end, other);
        block(g, depth + 1, gen_below(g, 7), false);
        fprintf(g->out, "L%d:\n", end);
    } else fprintf(g->out, "L%d:\n", other);
}

// A condition that is the same for all threads of the CTA.
static void shared_condition(Gen *g) {
    static const char *const texts[] = {
        "mov.u32 %t1, %ctaid.x; setp.$C.u32 %q3, %t1, 1;",
        "ld.global.u32 %t1, [%u1+$l]; setp.$C.s32 %q3, %t1, 63;",
        "ld.param.u32 %t1, [k2]; and.b32 %t1, %t1, $b; setp.ne.u32 %q3, %t1, 0;"};
    gen_fill(g, texts[gen_below(g, 3)], "");
}

// All threads go the same way, so there may be barriers on it.
static void joint_branch(Gen *g, int nest) {
    int end = g->labels++;
    shared_condition(g);
    fprintf(g->out, "@%s%%q3 bra%s L%d;\n", gen_chance(g, 50) ? "!" : "",
            gen_chance(g, 30) ? ".uni" : "", end);
    block(g, nest, 1 + gen_below(g, 5), true);
    fprintf(g->out, "L%d:\n", end);
}

// Counts to a small number, the same for all threads or each thread's own; then it may be left and
// restarted early.
static void loop(Gen *g, int depth, bool together) {
    int head = g->labels++, next_round = g->labels++, end = g->labels++, level = g->loops;
    fprintf(g->out, "mov.u32 %%c%d, 0;\n", level);
    if (together || gen_chance(g, 50))
        fprintf(g->out, "mov.u32 %%e%d, %d;\n", level, 1 + gen_below(g, level ? 2 : 4));
    else {
        gen_fill(g, "and.b32 %t1, $w, 3;", "");
        fprintf(g->out, "mov.u32 %%e%d, %%t1;\n", level);
    }
    fprintf(g->out, "L%d:\n", head);
    g->loop_end[level] = end;
    g->loop_next[level] = next_round;
    g->leavable[level] = !together;
    g->loops++;
    block(g, together ? depth : depth + 1, gen_chance(g, 10) ? 0 : 1 + gen_below(g, 6), together);
    g->loops--;
    fprintf(g->out, "L%d:\nadd.u32 %%c%d, %%c%d, 1;\n", next_round, level, level);
    fprintf(g->out, "setp.lt.u32 %%q%d, %%c%d, %%e%d;\n@%%q%d bra L%d;\nL%d:\n", level, level,
            level, level, head, end);
}

static void leave_loop(Gen *g) {
    int level = gen_below(g, g->loops);
    if (!g->leavable[level]) return;
    fprintf(g->out, "@%s%%p%d bra L%d;\n", gen_chance(g, 50) ? "!" : "",
            gen_below(g, g->count['p']),
            gen_chance(g, 50) ? g->loop_end[level] : g->loop_next[level]);
}

static void choose_of(Gen *g, int depth) {
    int n = 1 + gen_below(g, 6), first = g->labels, end = g->labels + n;
    g->labels += n + 1;
    if (gen_chance(g, 85)) gen_fill(g, "mov.u32 %t1, $w;", "");
    else fprintf(g->out, "mov.u32 %%t1, %d;\n", gen_below(g, 100));
    fprintf(g->out, "rem.u32 %%t1, %%t1, %d;\nT%d: .branchtargets", n, end);
    for (int i = 0; i < n; i++)
        fprintf(g->out, "%s L%d", i ? "," : "", first + (gen_chance(g, 15) ? 0 : i));
    fprintf(g->out, ";\nbrx.idx %%t1, T%d;\n", end);
    for (int i = 0; i < n; i++) {
        fprintf(g->out, "L%d:\n", first + i);
        block(g, depth + 1, gen_below(g, 4), false);
        if (gen_chance(g, 80)) fprintf(g->out, "bra L%d;\n", end);
    }
    fprintf(g->out, "L%d:\n", end);
}

// Code that no thread reaches, or behind a condition that the compiler can evaluate.
static void dead(Gen *g, int depth) {
    int end = g->labels++, head = g->labels++, kind = gen_below(g, 4), value = gen_below(g, 4);
    if (kind < 2) fprintf(g->out, "bra%s L%d;\n", gen_chance(g, 60) ? ".uni" : "", end);
    else {
        fprintf(g->out, "mov.u32 %%t1, %d;\n", value);
        gen_fill(g, gen_chance(g, 50) ? "setp.eq.u32 %q3, %t1, " : "setp.gt.s32 %q3, %t1, ", "");
        fprintf(g->out, "%d;\n@%s%%q3 bra L%d;\n", gen_chance(g, 70) ? value : 1,
                gen_chance(g, 50) ? "!" : "", end);
    }
    if (kind == 0) fprintf(g->out, "L%d:\n", head);
    if (gen_chance(g, 40)) choose_of(g, depth + 1);
    block(g, depth + 1, gen_below(g, 5), false);
    if (kind == 0) fprintf(g->out, "bra L%d;\n", head);  // it would never end
    fprintf(g->out, "L%d:\n", end);
}

// ---- calls ----

// One parameter or result: a fitting register, of classes without any the word or pair that is
// there.
static void argument(Gen *g, char class, int i) {
    if (g->count[(int)class]) gen_reg(g, class);
    else fprintf(g->out, "%%y%c%d", class, i);
}

static void call_in_regs(Gen *g, const Func *f, int which, const char *guard) {
    for (int i = 0; *guard && i < f->nresults; i++)
        fprintf(g->out, "mov.%s %%y%c%d, %s;\n", type_of(f->results[i]), f->results[i], i,
                f->results[i] == 'f'       ? "0f3F800000"
                    : f->results[i] == 'g' ? "0d3FF0000000000000"
                                           : "3");
    fprintf(g->out, "%scall%s (", guard, !*guard && gen_chance(g, 10) ? ".uni" : "");
    for (int i = 0; i < f->nresults; i++)
        fprintf(g->out, "%s%%y%c%d", i ? ", " : "", f->results[i], i);
    fprintf(g->out, "), fun%d, (", which);
    for (int i = 0; i < f->nparams; i++) {
        fputs(i ? ", " : "", g->out);
        argument(g, f->params[i], i);
    }
    fprintf(g->out, ");\n");
}

static void declare_call(Gen *g, const Func *f) {
    fprintf(g->out, "{\n");
    for (int i = 0; i < f->nparams; i++)
        if (f->params[i] == 'S') fprintf(g->out, ".param .align 16 .b8 a%d[32];\n", i);
        else fprintf(g->out, ".param .%s a%d;\n", type_of(f->params[i]), i);
    for (int i = 0; i < f->nresults; i++)
        fprintf(g->out, ".param .%s b%d;\n", type_of(f->results[i]), i);
}

static void store_arguments(Gen *g, const Func *f) {
    for (int i = 0; i < f->nparams; i++) {
        if (f->params[i] == 'S') {
            fprintf(g->out, "st.param.v4.b32 [a%d+16], ", i);
            gen_fill(g, "$4r;", "");
            fprintf(g->out, "st.param.v2.b32 [a%d], ", i);
            gen_fill(g, "$2r;", "");
            fprintf(g->out, "st.param.v2.b32 [a%d+8], ", i);
            gen_fill(g, "$2r;", "");
            continue;
        }
        fprintf(g->out, "st.param.%s [a%d], ", type_of(f->params[i]), i);
        argument(g, f->params[i], i);
        fprintf(g->out, ";\n");
    }
}

static void call_in_params(Gen *g, const Func *f, int which, const char *guard) {
    declare_call(g, f);
    store_arguments(g, f);
    for (int i = 0; *guard && i < f->nresults; i++) {
        fprintf(g->out, "st.param.%s [b%d], ", type_of(f->results[i]), i);
        argument(g, f->results[i], i);
        fprintf(g->out, ";\n");
    }
    fprintf(g->out, "%scall%s (", guard, !*guard && gen_chance(g, 10) ? ".uni" : "");
    for (int i = 0; i < f->nresults; i++) fprintf(g->out, "%sb%d", i ? ", " : "", i);
    fprintf(g->out, "), fun%d, (", which);
    for (int i = 0; i < f->nparams; i++) fprintf(g->out, "%sa%d", i ? ", " : "", i);
    fprintf(g->out, ");\n");
    for (int i = f->nresults - 1; i >= 0; i--)
        fprintf(g->out, "ld.param.%s %%y%c%d, [b%d];\n", type_of(f->results[i]), f->results[i], i,
                i);
    fprintf(g->out, "}\n");
}

static void call(Gen *g) {
    const int which = gen_below(g, g->functions);
    const Func *f = &g->funcs[which];
    char guard[12];
    gen_guard(g, guard, 20);
    if (f->in_regs) call_in_regs(g, f, which, guard);
    else call_in_params(g, f, which, guard);
    for (int i = 0; i < f->nresults; i++) {
        const char class = f->results[i];
        if (!g->count[(int)class]) continue;
        fprintf(g->out, "mov.%s ", type_of(class));
        gen_reg(g, class);
        fprintf(g->out, ", %%y%c%d;\n", class, i);
    }
}

// ---- statements ----

static void early_end(Gen *g) {
    fprintf(g->out, "@%s%%p%d %s;\n", gen_chance(g, 50) ? "!" : "", gen_below(g, g->count['p']),
            g->callee               ? "ret"
                : gen_chance(g, 50) ? "exit"
                                    : "ret");
}

// One statement that holds others; false: it was none of them.
static bool compound(Gen *g, int depth, bool together) {
    const int kind = gen_below(g, 100);
    if (kind < 7) branch(g, depth);
    else if (kind < 12 && g->loops < MOST_LOOPS)
        loop(g, depth, together && !g->ends && gen_chance(g, 50));
    else if (kind < 15) choose_of(g, depth);
    else if (kind < 18 && g->functions) call(g);
    else if (kind < 20 && together && !g->callee) joint_branch(g, depth + 1);
    else if (kind < 22) dead(g, depth);
    else return false;
    return true;
}

static void block(Gen *g, int depth, int n, bool together) {
    const bool lanes = together && !g->callee && !g->ends;
    for (int i = 0; i < n && g->budget > 0; i++, g->budget--) {
        if (depth < MOST_DEPTH && compound(g, depth, together)) continue;
        if (g->loops && gen_chance(g, 8)) leave_loop(g);
        else if (g->ends && gen_chance(g, 3)) early_end(g);
        else if (lanes && gen_chance(g, g->weight[6])) gen_warp(g);
        else if (lanes && gen_chance(g, g->weight[7])) gen_exchange(g);
        else gen_straight(g);
    }
}

// ---- registers ----

static const char CLASS[CLASSES + 1] = "rhdfgp";

static void declare(Gen *g) {
    static const char *const types[] = {"b32", "b16", "b64", "f32", "f64", "pred"};
    for (int i = 0; i < CLASSES; i++) {
        if (g->count[(int)CLASS[i]])
            fprintf(g->out, ".reg .%s %%%c<%d>;\n", types[i], CLASS[i], g->count[(int)CLASS[i]]);
        if (CLASS[i] != 'p')
            fprintf(g->out, ".reg .%s %%y%c<%d>;\n", types[i], CLASS[i], MOST_PARAMS);
    }
    fprintf(g->out, ".reg .b32 %%c<3>;\n.reg .b32 %%e<3>;\n.reg .pred %%q<4>;\n");
    fprintf(g->out, ".reg .b32 %%t<4>;\n.reg .b64 %%u<5>;\n.reg .b32 %%b<2>;\n.reg .b32 %%m<1>;\n");
}

// Every register gets a value that depends on the thread, %t0.
static void initialize(Gen *g) {
    const int words = g->count['r'];
    for (int i = 0; i < words; i++)
        fprintf(g->out, i % 3 == 2 ? "mov.u32 %%r%d, %u;\n" : "mad.lo.u32 %%r%d, %%t0, %u, %u;\n",
                i, i % 3 == 2 ? gen_word_value(g) : (uint32_t)gen_below(g, 1 << 20),
                gen_word_value(g));
    for (int i = 0; i < g->count['h']; i++)
        fprintf(g->out, "cvt.u16.u32 %%h%d, %%r%d;\n", i, i % words);
    for (int i = 0; i < g->count['d']; i++)
        fprintf(g->out, "mov.b64 %%d%d, {%%r%d, %%r%d};\n", i, gen_below(g, words),
                gen_below(g, words));
    for (int i = 0; i < g->count['f']; i++)
        fprintf(g->out, i % 2 ? "mov.b32 %%f%d, %%r%d;\n" : "cvt.rn.f32.s32 %%f%d, %%r%d;\n", i,
                gen_below(g, words));
    for (int i = 0; i < g->count['g']; i++)
        fprintf(g->out, "cvt.rn.f64.s32 %%g%d, %%r%d;\n", i, gen_below(g, words));
    for (int i = 0; i < g->count['p']; i++)
        fprintf(g->out, "and.b32 %%t1, %%t0, %d;\nsetp.ne.u32 %%p%d, %%t1, 0;\n",
                1 << gen_below(g, 5), i);
    for (int i = 0; i < CLASSES - 1; i++)
        for (int k = 0; k < MOST_PARAMS && (g->callee || g->functions) && !g->count[(int)CLASS[i]];
             k++)
            fprintf(g->out,
                    CLASS[i] == 'f'       ? "cvt.rn.f32.s32 %%yf%d, %%t0;\n"
                        : CLASS[i] == 'g' ? "cvt.rn.f64.s32 %%yg%d, %%t0;\n"
                        : CLASS[i] == 'h' ? "cvt.u16.u32 %%yh%d, %%t0;\n"
                                          : "cvt.u64.u32 %%yd%d, %%t0;\n",
                    k);
}

// ---- functions ----

static void draw_function(Gen *g, Func *f) {
    f->nparams = 1 + gen_below(g, MOST_PARAMS);
    f->nresults = 1 + (gen_chance(g, 40) ? gen_below(g, 3) : 0);
    f->in_regs = gen_chance(g, 25);
    for (int i = 0; i < f->nparams; i++) f->params[i] = "rrdfgh"[gen_below(g, 6)];
    for (int i = 0; i < f->nresults; i++) f->results[i] = "rrdfgh"[gen_below(g, 6)];
    f->params[0] = 'r';
    if (!f->in_regs && gen_chance(g, 25) && f->nparams > 1) f->params[f->nparams - 1] = 'S';
}

static void head_of(Gen *g, const Func *f, int i) {
    const char *space = f->in_regs ? ".reg" : ".param";
    fprintf(g->out, ".func (");
    for (int k = 0; k < f->nresults; k++)
        fprintf(g->out, "%s%s .%s res%d", k ? ", " : "", space, type_of(f->results[k]), k);
    fprintf(g->out, ") fun%d(", i);
    for (int k = 0; k < f->nparams; k++)
        if (f->params[k] == 'S')
            fprintf(g->out, "%s.param .align 16 .b8 x%d[32]", k ? ", " : "", k);
        else fprintf(g->out, "%s%s .%s x%d", k ? ", " : "", space, type_of(f->params[k]), k);
    fprintf(g->out, ")\n{\n");
}

static void take_params(Gen *g, const Func *f) {
    for (int k = 0; k < f->nparams; k++) {
        const char class = f->params[k];
        if (class == 'S') {
            gen_fill(g, gen_chance(g, 50) ? "ld.param.v2.b32 $2R, " : "ld.param.b32 $R, ", "");
            fprintf(g->out, "[x%d+%d];\n", k, 8 * gen_below(g, 4));
            continue;
        }
        if (!g->count[(int)class]) continue;
        fprintf(g->out, f->in_regs ? "mov.%s " : "ld.param.%s ", type_of(class));
        gen_reg(g, class);
        fprintf(g->out, f->in_regs ? ", x%d;\n" : ", [x%d];\n", k);
    }
}

static void give_results(Gen *g, const Func *f, const char *guard) {
    for (int k = 0; k < f->nresults; k++) {
        const char class = f->results[k];
        if (f->in_regs) fprintf(g->out, "%smov.%s res%d, ", guard, type_of(class), k);
        else fprintf(g->out, "%sst.param.%s [res%d], ", guard, type_of(class), k);
        argument(g, class, k);
        fprintf(g->out, ";\n");
    }
}

static void function(Gen *g, int i) {
    Func *f = &g->funcs[i];
    Gen outer = *g;
    g->count['r'] = 4 + gen_below(g, 5);
    g->callee = true;
    g->functions = i;  // those before it may be called
    g->ends = true;
    g->budget = 25;
    draw_function(g, f);
    head_of(g, f, i);
    declare(g);
    fprintf(g->out, f->in_regs ? "mov.b32 %%t0, x0;\n" : "ld.param.b32 %%t0, [x0];\n");
    initialize(g);
    take_params(g, f);
    give_results(g, f, "");
    block(g, 2, 2 + gen_below(g, 8), false);
    if (gen_chance(g, 30)) early_end(g);
    block(g, 3, 1 + gen_below(g, 4), false);
    give_results(g, f, gen_chance(g, 40) ? "@%p2 " : "");
    fprintf(g->out, "%s}\n", gen_chance(g, 60) ? "ret;\n" : "");
    outer.state = g->state;
    outer.labels = g->labels;
    memcpy(outer.funcs, g->funcs, sizeof outer.funcs);
    outer.functions = i + 1;
    *g = outer;
}

// ---- the kernel ----

// Addresses: %u1 the input, %u2 this thread's scratch, %u4 its first result; %b0 and %b1 its own
// and another's slot of the box.
static void prologue(Gen *g) {
    const int all = g->o.threads * g->o.ctas;
    fprintf(g->out, "mov.u32 %%t1, %%ctaid.x;\nmov.u32 %%t3, %%tid.x;\n");
    if (g->o.rows > 1)
        fprintf(g->out, "mov.u32 %%t2, %%tid.y;\nmad.lo.u32 %%t3, %%t2, %d, %%t3;\n",
                g->o.threads / g->o.rows);
    fprintf(g->out, "mov.u32 %%t2, %d;\nmad.lo.u32 %%t0, %%t1, %%t2, %%t3;\n", g->o.threads);
    fprintf(g->out, "ld.param.u64 %%u1, [in];\nld.param.u64 %%u2, [out];\n");
    fprintf(g->out,
            "mul.wide.u32 %%u0, %%t0, 8;\nadd.u64 %%u4, %%u2, %%u0;\nadd.u64 %%u4, %%u4, %d;\n",
            SCRATCH_BYTES * all);
    fprintf(g->out, "mul.wide.u32 %%u0, %%t0, %d;\nadd.u64 %%u2, %%u2, %%u0;\n", SCRATCH_BYTES);
    fprintf(g->out, "mov.u32 %%b0, box;\nmad.lo.u32 %%b0, %%t3, %d, %%b0;\n", SLOT);
    fprintf(g->out, "add.u32 %%t1, %%t3, %d;\nrem.u32 %%t1, %%t1, %%t2;\n", 1 + gen_below(g, 40));
    fprintf(g->out, "mov.u32 %%b1, box;\nmad.lo.u32 %%b1, %%t1, %d, %%b1;\nactivemask.b32 %%m0;\n",
            SLOT);
    fprintf(g->out, "st.shared.v4.u32 [%%b0], {%%t3, %%t0, %%t3, %%t0};\n");
    for (int i = 0; i < LOCAL_WORDS; i += 4)
        fprintf(g->out, "st.local.v4.u32 [loc+%d], {%%t3, %%t0, %%t1, %%t2};\n", 4 * i);
    for (int i = 0; i < COUNTERS; i++)
        fprintf(g->out, "st.shared.v2.u32 [counters+%d], {7, 7};\n", 8 * i);
    fprintf(g->out, "bar.sync 0;\n");
}

// Results lie side by side for the threads. share: of 100 registers so many are wanted.
static void epilogue(Gen *g) {
    static const int shares[] = {100, 100, 60, 20};
    const int all = g->o.threads * g->o.ctas, share = shares[gen_below(g, 4)];
    int at = 0;
    for (int c = 0; c < CLASSES; c++)
        for (int i = 0; i < g->count[(int)CLASS[c]] && at < PTXGEN_MOST_RESULTS; i++) {
            const char class = CLASS[c];
            if (!gen_chance(g, share)) continue;
            if (class == 'p') fprintf(g->out, "selp.u32 %%t0, %d, 2, %%p%d;\n", i + 5, i);
            fprintf(g->out, "st.global.%s [%%u4+%d], %%%c%d;\n", type_of(class), 8 * all * at++,
                    class == 'p' ? 't' : class, class == 'p' ? 0 : i);
        }
    if (gen_chance(g, 20)) fprintf(g->out, "exit;\n");
    if (gen_chance(g, 90)) fprintf(g->out, "ret;\n");
    g->o.results = at;
}

static void draw_registers(Gen *g) {
    g->count['p'] = 4 + gen_below(g, 2);
    g->count['r'] = gen_chance(g, 25) ? 30 + gen_below(g, 40) : 5 + gen_below(g, 16);
    g->count['h'] = gen_chance(g, 50) ? 4 + gen_below(g, 4) : 0;
    g->count['d'] = gen_chance(g, 60) ? 3 + gen_below(g, 8) : 0;
    g->count['f'] = gen_chance(g, 60) ? 4 + gen_below(g, 8) : 0;
    g->count['g'] = gen_chance(g, 40) ? 3 + gen_below(g, 3) : 0;
}

static void draw_weights(Gen *g) {
    static const int usual[] = {50, 15, 10, 16, 6, 3}, few[] = {0, 3, 10, 25};
    for (int i = 0; i < 6; i++)
        g->weight[i] = gen_chance(g, 20) ? usual[i] * gen_below(g, 5) : usual[i];
    g->weight[0] += 5;
    g->weight[6] = few[gen_below(g, 4)];
    g->weight[7] = few[gen_below(g, 4)];
}

static void draw_launch(Gen *g) {
    static const int threads[] = {32, 64, 96, 33, 1, 48, 127, 128, 20, 64};
    g->o.threads = threads[gen_below(g, 10)];
    g->o.rows = g->o.threads % 4 == 0 && gen_chance(g, 15) ? 4 : 1;
    g->o.ctas = gen_chance(g, 85) ? 1 + gen_below(g, 3) : 4 + gen_below(g, 5);
    g->o.launches = gen_chance(g, 6) ? 2 : 1;
    g->o.number = gen_word_value(g);
    g->whole = g->o.threads % 32 == 0;
}

static void head_of_kernel(Gen *g) {
    fprintf(g->out, ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 k2)\n");
    if (gen_chance(g, 15))
        fprintf(g->out, ".maxntid 128, 1, 1\n.minnctapersm %d\n", 1 + gen_below(g, 8));
    if (gen_chance(g, 35)) fprintf(g->out, ".maxnreg %d\n", 16 + gen_below(g, 48));
    fprintf(g->out, "{\n");
}

// Hardly any code at all.
static void least_kernel(Gen *g) {
    static const char *const bodies[] = {
        "ret;\n",
        "exit;\n",
        "bar.sync 0;\nret;\n",
        "bra.uni L1;\nL1:\nret;\n",
        ".reg .pred %p<1>;\nbra.uni L2;\nL1:\nbra L1;\nL2:\nret;\n",
        ".reg .b32 %r<2>;\nmov.u32 %r0, 0;\nL1:\nadd.u32 %r0, %r0, 1;\n.reg .pred "
        "%p<1>;\nsetp.lt.u32 %p0, %r0, 5;\n@%p0 bra L1;\nret;\n",
        ".reg .b64 %d<2>;\nld.param.u64 %d0, [out];\nst.global.u64 [%d0], %d0;\nret;\n",
        "membar.gl;\nret;\n",
        ".reg .b32 %r<2>;\nmov.u32 %r0, %tid.x;\nT1: .branchtargets L1, L2;\nand.b32 %r0, %r0, "
        "1;\nbrx.idx %r0, T1;\nL1:\nL2:\nret;\n"};
    const char *body = bodies[gen_below(g, (int)(sizeof bodies / sizeof *bodies))];
    fprintf(g->out, ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 k2)\n{\n%s}\n",
            body);
}

PtxgenOptions ptxgen_program(FILE *out, uint64_t seed) {
    Gen g = {.out = out, .state = seed * 0x2545f4914f6cdd1du + 12345};
    draw_launch(&g);
    draw_registers(&g);
    draw_weights(&g);
    fprintf(out, ".version 7.8\n.target sm_80\n.address_size 64\n");
    if (gen_chance(&g, 1)) {
        least_kernel(&g);
        return g.o;
    }
    fprintf(out,
            ".global .align 16 .b32 sums[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9};\n.const .align 16 .b32 "
            "table[16] = {");
    for (int i = 0; i < 16; i++) fprintf(out, "%s%u", i ? ", " : "", gen_word_value(&g));
    fprintf(out, "};\n");
    for (int i = gen_chance(&g, 50) ? 0 : 1 + gen_below(&g, FUNCTIONS); i > 0; i--)
        function(&g, g.functions);
    head_of_kernel(&g);
    fprintf(out, ".shared .align 16 .b8 box[%d];\n.shared .align 16 .b8 counters[%d];\n",
            SLOT * 128, 8 * COUNTERS);
    fprintf(out, ".local .align 16 .b8 loc[%d];\n", 4 * LOCAL_WORDS);
    declare(&g);
    prologue(&g);
    initialize(&g);
    g.ends = gen_chance(&g, 20);
    g.budget = 10 + gen_below(&g, gen_chance(&g, 30) ? 300 : 100);
    block(&g, 0, gen_chance(&g, 5) ? gen_below(&g, 4) : 10 + gen_below(&g, 100), true);
    epilogue(&g);
    fprintf(out, "}\n");
    return g.o;
}

// ---- the launch ----

static void one_launch(FILE *out, const PtxgenOptions *o, const char *indent, int ctas) {
    fprintf(out, "kernel: k\n%sgrid: [%d]\n%sblock: [%d, %d]\n", indent, ctas, indent,
            o->threads / o->rows, o->rows);
    fprintf(out,
            "%sargs:\n%s  - {type: ptr, buffer: input}\n%s  - {type: ptr, buffer: results}\n%s  - "
            "{type: u32, value: %u}\n",
            indent, indent, indent, indent, o->number);
}

void ptxgen_launch(FILE *out, const PtxgenOptions *o, const char *ptx, const char *input) {
    fprintf(out, "ptx: %s\n", ptx);
    if (o->launches == 1) one_launch(out, o, "", o->ctas);
    else {
        fprintf(out, "launches:\n  - ");
        one_launch(out, o, "    ", o->ctas);
        fprintf(out, "  - ");
        one_launch(out, o, "    ", 1);
    }
    fprintf(out, "buffers:\n  input: {init: %s}\n  results: {bytes: %d}\n", input,
            o->ctas * o->threads * (SCRATCH_BYTES + 8 * (o->results + 1)));
}

void ptxgen_input(uint8_t bytes[PTXGEN_INPUT_BYTES], uint64_t seed) {
    Gen g = {.state = seed + 99};
    for (int i = 0; i < PTXGEN_INPUT_BYTES; i += 4) {
        uint32_t v = gen_word_value(&g);
        memcpy(bytes + i, &v, 4);
    }
}
