// SPDX-License-Identifier: Apache-2.0
// flow oracle|sm [PROGRAMS] [SEED]: random programs in which every thread takes its own way. They
// consist of nested conditions, loops, tables, jumps out of several levels, calls, recursion and
// early ends. Each runs on the oracle or compiled on the SM and is compared with an evaluation of
// the same program thread by thread. FLOW_FAULT=1 in the environment flips a bit of one result,
// FLOW_PRINT=1 prints programs that fail.
#include "bench.h"
#include "ref.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { VARS = 6, THREADS = 256, DEPTH = 5, NODES = 400, SLOT = 32 };

typedef enum Kind { ASSIGN, IF, LOOP, LEAVE, SWITCH, CALL, RECURSE, END } Kind;

// A statement. Blocks are lists through `next`.
typedef struct Node {
    Kind kind;
    // ASSIGN, CALL, RECURSE: v[dst] = v[a] op v[b]; others: inputs of the condition
    int dst, a, b, op;
    uint32_t constant;
    int block[4];  // first statements: then, else; body; cases
    int next;
    int level;  // LEAVE: how many enclosing blocks are left
    int id;
} Node;

typedef struct Program {
    Node nodes[NODES];
    int count, first;
    uint64_t seed;
} Program;

typedef struct Text {
    char buf[1 << 17];
    size_t used;
} Text;

static void put(Text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(Text *t, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(t->buf + t->used, sizeof t->buf - t->used, format, ap);
    va_end(ap);
    panic_if(n < 0 || t->used + (size_t)n >= sizeof t->buf, "the program is too long");
    t->used += (size_t)n;
}

// ---- making programs ----

static uint32_t draw(Program *p, uint32_t n) { return (uint32_t)(ref_random(&p->seed) >> 33) % n; }

static int make_block(Program *p, int depth, int length);

static int make_node(Program *p, int depth) {
    if (p->count == NODES) return -1;
    int id = p->count++;
    Node *n = &p->nodes[id];
    *n = (Node){.kind = ASSIGN,
                .dst = (int)draw(p, VARS),
                .a = (int)draw(p, VARS),
                .b = (int)draw(p, VARS),
                .op = (int)draw(p, 8),
                .constant = draw(p, 7) + 1,
                .block = {-1, -1, -1, -1},
                .next = -1,
                .id = id};
    uint32_t pick = draw(p, 20);
    if (depth >= DEPTH || pick < 8) return id;
    if (pick < 13) n->kind = IF;
    else if (pick < 15) n->kind = LOOP;
    else if (pick < 17 && depth > 0) n->kind = LEAVE, n->level = 1 + (int)draw(p, (uint32_t)depth);
    else if (pick == 17) n->kind = SWITCH;
    else if (pick == 18) n->kind = draw(p, 2) ? CALL : RECURSE;
    else if (pick == 19 && depth > 1 && draw(p, 3) == 0) n->kind = END;
    int blocks = n->kind == IF ? 1 + (int)draw(p, 2)
        : n->kind == LOOP      ? 1
        : n->kind == SWITCH    ? 4
                               : 0;
    for (int i = 0; i < blocks; i++) {
        int first = make_block(p, depth + 1, 1 + (int)draw(p, 4));
        p->nodes[id].block[i] = first;
    }
    return id;
}

static int make_block(Program *p, int depth, int length) {
    int first = -1, last = -1;
    for (int i = 0; i < length; i++) {
        int n = make_node(p, depth);
        if (n < 0) break;
        if (last < 0) first = n;
        else p->nodes[last].next = n;
        last = n;
    }
    return first;
}

// ---- evaluating one thread ----

typedef struct Thread {
    uint32_t v[VARS];
    bool ended;
} Thread;

static uint32_t operate(int op, uint32_t a, uint32_t b, uint32_t c) {
    switch (op) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a ^ b;
    case 3: return a * c + b;
    case 4: return a & b;
    case 5: return a >> (c & 7);
    case 6: return a < b ? a : b;
    default: return a + c;
    }
}
static bool condition(const Node *n, const Thread *t) {
    return n->op & 1 ? t->v[n->a] < t->v[n->b] : t->v[n->a] >> (n->constant & 7) & 1;
}

// The recursive functions of print_functions.
static uint32_t deep(uint32_t x, uint32_t y);
static uint32_t shallow(uint32_t x, uint32_t y) { return x ? deep(x - 1, y + 5) * 2 : y ^ 9; }
static uint32_t deep(uint32_t x, uint32_t y) {
    if (!x) return y + 1;
    const uint64_t wide = (uint64_t)x * y;
    uint32_t r = shallow(x - 1, y * 3);
    if (x & 1) r += deep(x >> 1, r);
    return (r ^ y) + (uint32_t)(wide >> 3);
}

// Returns how many blocks are left by a jump, this one included; 0: it ran to its end.
static int run_block(const Program *p, int first, Thread *t) {
    for (int i = first; i >= 0; i = p->nodes[i].next) {
        const Node *n = &p->nodes[i];
        int leave = 0;
        switch (n->kind) {
        case ASSIGN: t->v[n->dst] = operate(n->op, t->v[n->a], t->v[n->b], n->constant); break;
        case IF: leave = run_block(p, n->block[condition(n, t) ? 0 : 1], t); break;
        case LOOP:
            for (uint32_t k = (t->v[n->a] & 3) + 1; k > 0 && !leave && !t->ended; k--)
                leave = run_block(p, n->block[0], t);
            break;
        case LEAVE:
            if (condition(n, t)) return n->level;
            break;
        case SWITCH: leave = run_block(p, n->block[t->v[n->a] & 3], t); break;
        case CALL: t->v[n->dst] = t->v[n->a] & 1 ? t->v[n->b] * 3 : t->v[n->b] + 7; break;
        case RECURSE: t->v[n->dst] = deep(t->v[n->a] & 7, t->v[n->b]); break;
        case END:
            if (condition(n, t)) t->ended = true;
            break;
        }
        if (t->ended) return 0;
        if (leave > 1) return leave - 1;
    }
    return 0;
}

// ---- PTX ----

typedef struct Printer {
    Text *t;
    const Program *p;
    int exits[DEPTH + 2];  // label behind each enclosing block
    int labels, loops;
} Printer;

static void print_condition(Printer *w, const Node *n) {
    if (n->op & 1) put(w->t, "setp.lt.u32 %%p, %%v%d, %%v%d;\n", n->a, n->b);
    else
        put(w->t, "shr.u32 %%t, %%v%d, %u; and.b32 %%t, %%t, 1; setp.ne.u32 %%p, %%t, 0;\n", n->a,
            n->constant & 7);
}

static void print_assign(Printer *w, const Node *n) {
    static const char *const two[] = {"add.u32", "sub.u32", "xor.b32", "",
                                      "and.b32", "",        "min.u32"};
    if (n->op == 3)
        put(w->t, "mad.lo.u32 %%v%d, %%v%d, %u, %%v%d;\n", n->dst, n->a, n->constant, n->b);
    else if (n->op == 5) put(w->t, "shr.u32 %%v%d, %%v%d, %u;\n", n->dst, n->a, n->constant & 7);
    else if (n->op == 7) put(w->t, "add.u32 %%v%d, %%v%d, %u;\n", n->dst, n->a, n->constant);
    else put(w->t, "%s %%v%d, %%v%d, %%v%d;\n", two[n->op], n->dst, n->a, n->b);
}

static void print_block(Printer *w, int first, int depth);

static void print_node(Printer *w, const Node *n, int depth) {
    int behind = w->labels++, other = w->labels++;
    int exit_here = w->exits[depth + 1];
    w->exits[depth + 1] = behind;
    switch (n->kind) {
    case ASSIGN: print_assign(w, n); break;
    case IF:
        print_condition(w, n);
        put(w->t, "@!%%p bra L%d;\n", n->block[1] >= 0 ? other : behind);
        print_block(w, n->block[0], depth + 1);
        if (n->block[1] >= 0) {
            put(w->t, "bra.uni L%d;\nL%d:\n", behind, other);
            print_block(w, n->block[1], depth + 1);
        }
        put(w->t, "L%d:\n", behind);
        break;
    case LOOP: {
        int counter = w->loops++;
        put(w->t, "and.b32 %%c%d, %%v%d, 3; add.u32 %%c%d, %%c%d, 1;\nL%d:\n", counter, n->a,
            counter, counter, other);
        print_block(w, n->block[0], depth + 1);
        put(w->t, "sub.u32 %%c%d, %%c%d, 1; setp.ne.u32 %%p, %%c%d, 0; @%%p bra L%d;\nL%d:\n",
            counter, counter, counter, other, behind);
        break;
    }
    case LEAVE:
        print_condition(w, n);
        put(w->t, "@%%p bra L%d;\n", w->exits[depth - n->level + 1]);
        break;
    case SWITCH: {
        int cases[4];
        for (int i = 0; i < 4; i++) cases[i] = w->labels++;
        put(w->t,
            "and.b32 %%t, %%v%d, 3;\nT%d: .branchtargets L%d, L%d, L%d, L%d;\nbrx.idx %%t, T%d;\n",
            n->a, n->id, cases[0], cases[1], cases[2], cases[3], n->id);
        for (int i = 0; i < 4; i++) {
            put(w->t, "L%d:\n", cases[i]);
            print_block(w, n->block[i], depth + 1);
            put(w->t, "bra L%d;\n", behind);
        }
        put(w->t, "L%d:\n", behind);
        break;
    }
    case CALL:
    case RECURSE:
        if (n->kind == CALL) put(w->t, "mov.b32 %%t, %%v%d;\n", n->a);
        else put(w->t, "and.b32 %%t, %%v%d, 7;\n", n->a);
        put(w->t,
            "{ .param .b32 x; .param .b32 y; .param .b32 z; st.param.b32 [x], %%t; st.param.b32 "
            "[y], %%v%d;\n"
            "call (z), %s, (x, y); ld.param.b32 %%v%d, [z]; }\n",
            n->b, n->kind == CALL ? "f" : "deep", n->dst);
        break;
    case END:
        print_condition(w, n);
        put(w->t, "@!%%p bra L%d;\nst.global.u32 [%%w], %%v0; ret;\nL%d:\n", behind, behind);
        break;
    }
    w->exits[depth + 1] = exit_here;
}

static void print_block(Printer *w, int first, int depth) {
    for (int i = first; i >= 0; i = w->p->nodes[i].next) print_node(w, &w->p->nodes[i], depth);
}

// deep keeps y in its frame, and a predicate, a word and a pair in registers across its calls;
// shallow gets its arguments in registers.
static void print_functions(Text *t) {
    put(t,
        ".func (.param .b32 r) deep(.param .b32 x, .param .b32 y);\n"
        ".func (.reg .b32 %%r) shallow(.reg .b32 %%x, .reg .b32 %%y)\n{ .reg .pred %%p; "
        "setp.ne.u32 %%p, %%x, 0; @%%p bra MORE;\n"
        "xor.b32 %%r, %%y, 9; ret; MORE: sub.u32 %%x, %%x, 1; add.u32 %%y, %%y, 5;\n"
        "{ .param .b32 a; .param .b32 b; .param .b32 c; st.param.b32 [a], %%x; st.param.b32 [b], "
        "%%y;\n"
        "call (c), deep, (a, b); ld.param.b32 %%r, [c]; } shl.b32 %%r, %%r, 1; ret; }\n"
        ".func (.param .b32 r) deep(.param .b32 x, .param .b32 y)\n"
        "{ .reg .b32 %%x, %%y, %%u, %%z; .reg .b64 %%w, %%at; .reg .pred %%p, %%odd; .local .b32 "
        "mine[4];\n"
        "ld.param.b32 %%x, [x]; ld.param.b32 %%y, [y]; add.u32 %%z, %%y, 1; setp.eq.u32 %%p, %%x, "
        "0;\n"
        "@%%p st.param.b32 [r], %%z; @%%p ret; mul.wide.u32 %%w, %%x, %%y; and.b32 %%u, %%x, 1; "
        "setp.ne.u32 %%odd, %%u, 0;\n"
        "mov.u64 %%at, mine; mad.wide.u32 %%at, %%u, 4, %%at; st.local.b32 [%%at], %%y; "
        "st.local.b32 [mine+8], %%u;\n"
        "sub.u32 %%u, %%x, 1; mul.lo.u32 %%z, %%y, 3; call (%%z), shallow, (%%u, %%z); shr.u32 "
        "%%x, %%x, 1;\n"
        "{ .param .b32 a; .param .b32 b; .param .b32 c; st.param.b32 [a], %%x; st.param.b32 [b], "
        "%%z;\n"
        "@%%odd call (c), deep, (a, b); ld.param.b32 %%u, [c]; }\n"
        "@%%odd add.u32 %%z, %%z, %%u; ld.local.b32 %%u, [mine+8]; mov.u64 %%at, mine; "
        "mad.wide.u32 %%at, %%u, 4, %%at;\n"
        "ld.local.b32 %%u, [%%at]; xor.b32 %%z, %%z, %%u; shr.u64 %%w, %%w, 3; cvt.u32.u64 %%u, "
        "%%w; add.u32 %%z, %%z, %%u;\n"
        "st.param.b32 [r], %%z; ret; }\n");
}

static void print_program(Text *t, const Program *p) {
    Printer w = {.t = t, .p = p, .labels = 1};
    t->used = 0;
    put(t, ".version 8.0\n.target sm_80\n.address_size 64\n");
    print_functions(t);
    put(t,
        ".func (.param .b32 r) f(.param .b32 x, .param .b32 y)\n{ .reg .b32 %%a, %%b; .reg .pred "
        "%%p; ld.param.b32 %%a, [x];\n"
        "ld.param.b32 %%b, [y]; and.b32 %%a, %%a, 1; setp.eq.u32 %%p, %%a, 0; @%%p bra EVEN; "
        "mul.lo.u32 %%b, %%b, 3;\n"
        "st.param.b32 [r], %%b; ret; EVEN: add.u32 %%b, %%b, 7; st.param.b32 [r], %%b; ret; }\n"
        ".visible .entry k(.param .u64 pin, .param .u64 pout, .param .align 16 .b8 blob[64])\n{\n"
        ".reg .b32 %%v<%d>, %%c<%d>, %%t, %%n, %%k0, %%k1;\n.reg .b64 %%x, %%w, %%k2;\n.reg .pred "
        "%%p;\n"
        "ld.param.u64 %%x, [pin]; ld.param.u64 %%w, [pout]; mov.u32 %%n, %%tid.x; mov.u32 %%k0, "
        "%%ctaid.x;\n"
        "mov.u32 %%k1, %%ntid.x; mad.lo.u32 %%n, %%k0, %%k1, %%n; mul.wide.u32 %%k2, %%n, %d;\n"
        "add.u64 %%x, %%x, %%k2; add.u64 %%w, %%w, %%k2;\n",
        VARS, NODES, SLOT);
    for (int i = 0; i < VARS; i++) put(t, "ld.global.u32 %%v%d, [%%x+%d];\n", i, 4 * i);
    w.exits[0] = w.exits[1] = 0;
    print_block(&w, p->first, 0);
    for (int i = 0; i < VARS; i++) put(t, "st.global.u32 [%%w+%d], %%v%d;\n", 4 * i, i);
    put(t, "ret;\n}\n");
}

// ---- comparing ----

static bool check_program(Bench *b, uint64_t seed) {
    static Program p;
    static Text text;
    static uint32_t in[THREADS][SLOT / 4];
    Diag d = {0};
    p = (Program){.seed = seed};
    p.first = make_block(&p, 0, 6);
    for (int i = 0; i < THREADS; i++)
        for (int k = 0; k < SLOT / 4; k++)
            in[i][k] = draw(&p, 3) ? draw(&p, 64) : draw(&p, 1u << 31);
    print_program(&text, &p);
    const uint8_t *results;
    char job[64];
    snprintf(job, sizeof job, "flow %" PRIu64, seed);
    b->job = job;
    if (!bench_run(b, text.buf, in, sizeof in, THREADS / BENCH_THREADS, &results, &d)) {
        printf("seed %" PRIu64 ": %s\n", seed, d.text);
        return false;
    }
    for (int i = 0; i < THREADS && !b->pack; i++) {
        Thread t = {.ended = false};
        memcpy(t.v, in[i], sizeof t.v);
        run_block(&p, p.first, &t);
        uint32_t got[VARS];
        memcpy(got, results + i * SLOT, sizeof got);
        if (i == THREADS - 1 && getenv("FLOW_FAULT")) got[0] ^= 1;
        for (int k = 0; k < (t.ended ? 1 : VARS); k++) {
            if (got[k] == t.v[k]) continue;
            printf("seed %" PRIu64 ", thread %d: v%d is 0x%x, expected 0x%x\n", seed, i, k, got[k],
                   t.v[k]);
            if (getenv("FLOW_PRINT")) printf("%s", text.buf);
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv) {
    static Bench b;
    Diag d = {0};
    const char *file =
        argc > 2 && (!strcmp(argv[1], "pack") || !strcmp(argv[1], "gpu")) ? argv[2] : NULL;
    const char *mode = argc > 1 ? argv[1] : "";
    if (file) argc--, argv++;
    int programs = argc > 2 ? atoi(argv[2]) : 150, wrong = 0;
    uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 0) : 1;
    if (argc < 2 || (!file && strcmp(mode, "oracle") && strcmp(mode, "sm"))) {
        fprintf(stderr, "usage: flow oracle|sm|pack FILE|gpu FILE [PROGRAMS] [SEED]\n");
        return 2;
    }
    if (!bench_open(&b, !strcmp(mode, "sm"), &d) || (file && !bench_files(&b, mode, file, &d))) {
        fprintf(stderr, "%s\n", d.text);
        return 1;
    }
    b.well_defined = true;
    for (int i = 0; i < programs; i++) {
        b.turn = i % 3;  // 1, 2: warps, paths and CTAs alternate as closely as they can
        bool ok = check_program(&b, seed + (uint64_t)i);
        wrong += !ok;
        if (!ok && !bench_reopen(&b, &d)) return 1;
    }
    printf("%s: %d programs from seed %" PRIu64 ", %d wrong\n", mode, programs, seed, wrong);
    bench_close(&b);
    return wrong != 0;
}
