// SPDX-License-Identifier: Apache-2.0
// Random programs: few registers (many hazards), nested ifs and loops with data-dependent
// conditions, early exits. They use shared and global memory of the thread's own, on random
// machines. Results are compared with a thread-by-thread evaluation without warps and stacks; the
// retire check runs along.
#include "sm_support.h"
#include "systems/systems.h"

#include <stdlib.h>

enum { PROGRAMS = 60, LINES = 600, REGS = 8, FIRST = 8, THREADS = 96, CTAS = 3 };

typedef struct Rng {
    uint64_t s;
} Rng;
static uint32_t rnd(Rng *r, uint32_t n) {
    r->s = r->s * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(r->s >> 33) % n;
}

// ---- generator: lines with label numbers; a label is the number of the line it stands before ----

typedef struct Gen {
    Rng rng;
    char line[LINES][96];
    int target[LINES], reconv[LINES];  // label ids of a branch, -1: none
    int place[LINES];                  // label id -> line
    int lines, labels, depth, loops;
} Gen;

static void emit(Gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void emit(Gen *g, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    vsnprintf(g->line[g->lines], sizeof g->line[0], format, ap);
    va_end(ap);
    g->target[g->lines] = g->reconv[g->lines] = -1;
    g->lines++;
}

static void emit_branch(Gen *g, const char *guard, int target, int reconv) {
    emit(g, "%sbra _", guard);
    g->target[g->lines - 1] = target;
    g->reconv[g->lines - 1] = reconv;
}

static int reg(Gen *g) { return FIRST + (int)rnd(&g->rng, REGS); }

static void statement(Gen *g) {
    int d = reg(g), a = reg(g), b = reg(g), c = reg(g);
    switch (rnd(&g->rng, 14)) {
    case 0: emit(g, "iadd R%d, R%d, R%d", d, a, b); break;
    case 1: emit(g, "imad.lo.u32 R%d, R%d, R%d, R%d", d, a, b, c); break;
    case 2: emit(g, "lop3.lut=0x96 R%d, R%d, R%d, R%d", d, a, b, c); break;
    case 3: emit(g, "idiv.u32 R%d, R%d, 0x%x", d, a, 3 + rnd(&g->rng, 5)); break;
    case 4: emit(g, "mov R%d, 0x%x", d, rnd(&g->rng, 100000)); break;
    case 5: emit(g, "isetp.lt.and.u32 _|P1, R%d, R%d", a, b); break;
    case 6: emit(g, "sel R%d, R%d, R%d, {P1}", d, a, b); break;
    case 7: emit(g, "@P1 iadd R%d, R%d, 0x%x", d, a, rnd(&g->rng, 1000)); break;
    case 8: emit(g, "st.shared.b32 _, [R4], R%d", a); break;
    case 9: emit(g, "ld.shared.b32.u32 R%d, [R4]", d); break;
    case 10: emit(g, "st.global.b32 _, [R5+8192], R%d", a); break;
    case 11: emit(g, "ld.global.b32.u32 R%d, [R5+8192]", d); break;
    case 12: emit(g, "@!P1 st.shared.b32 _, [R4+512], R%d", a); break;
    default: emit(g, "@P1 ld.shared.b32.u32 R%d, [R4+512]", d);
    }
}

static void body(Gen *g, int statements);

static void if_else(Gen *g) {
    int other = g->labels++, join = g->labels++;
    bool has_else = rnd(&g->rng, 2);
    emit(g, "lop3.lut=0xc0 R3, R%d, 0x%x, RZ", reg(g), 1 + rnd(&g->rng, 15));
    emit(g, "isetp.eq.and.u32 _|P0, R3, 0x0");
    emit_branch(g, "@P0 ", has_else ? other : join, join);
    body(g, 3);
    if (rnd(&g->rng, 12) == 0) emit(g, "@P1 exit _");
    if (has_else) {
        emit_branch(g, "", join, join);
        g->place[other] = g->lines;
        body(g, 3);
    }
    g->place[join] = g->lines;
}

static void loop(Gen *g) {
    int top = g->labels++, out = g->labels++, counter = 20 + g->loops++;
    emit(g, "lop3.lut=0xc0 R%d, R%d, 0x3, RZ", counter, reg(g));
    g->place[top] = g->lines;
    body(g, 3);
    emit(g, "iadd R%d, R%d, -0x1", counter, counter);
    emit(g, "isetp.lt.and.u32 _|P0, R%d, 0x4", counter);  // until it wraps below zero
    emit_branch(g, "@P0 ", top, out);
    g->place[out] = g->lines;
}

static void body(Gen *g, int statements) {
    g->depth++;
    for (int i = 0; i < statements + (int)rnd(&g->rng, 4); i++) {
        uint32_t what = rnd(&g->rng, 8);
        if (g->depth < 5 && g->lines < LINES / 2 && what == 0) if_else(g);
        else if (g->depth < 4 && g->lines < LINES / 2 && what == 1 && g->loops < 30) loop(g);
        else statement(g);
    }
    g->depth--;
}

static void generate(Gen *g, uint64_t seed) {
    memset(g, 0, sizeof *g);
    g->rng.s = seed * 7919 + 1;
    emit(g, "s2r R0, %%ctaid.x");
    emit(g, "s2r R1, %%ntid.x");
    emit(g, "s2r R2, %%tid.x");
    emit(g, "imad.lo.u32 R0, R0, R1, R2");
    emit(g, "shl R4, R2, 0x2");
    emit(g, "shl R1, R0, 0x2");
    emit(g, "iadd R5, c[0][0x0], R1");
    emit(g, "iadd R6, c[0][0x8], R1");
    emit(g, "isetp.lt.and.u32 _|P1, R0, 0x40");
    emit(g, "st.shared.b32 _, [R4], R0");
    emit(g, "st.shared.b32 _, [R4+512], R1");
    for (int i = 0; i < REGS; i++) emit(g, "ld.global.b32.u32 R%d, [R6+%d]", FIRST + i, 4096 * i);
    body(g, 12);
    for (int i = 0; i < REGS; i++)
        emit(g, "st.global.b32 _, [R5+%d], R%d", 16384 + 4096 * i, FIRST + i);
    emit(g, "exit _");
}

static char *text_of(const Gen *g, char *buf, size_t size) {
    size_t n = (size_t)snprintf(buf, size, ".kernel random\n.regs 63\n.preds 2\n.shared 1024\n");
    for (int i = 0; i < g->lines; i++) {
        bool labeled = false;
        for (int k = 0; k < g->labels; k++) labeled |= g->place[k] == i;
        if (labeled) n += (size_t)snprintf(buf + n, size - n, "L%d:\n", i);
        n += (size_t)snprintf(buf + n, size - n, "%s", g->line[i]);
        if (g->target[i] >= 0)
            n += (size_t)snprintf(buf + n, size - n, ", L%d, L%d", g->place[g->target[i]],
                                  g->place[g->reconv[i]]);
        n += (size_t)snprintf(buf + n, size - n, "\n");
    }
    return buf;
}

// ---- one thread at a time ----

typedef struct Thread {
    uint32_t r[64], cta, tid;
    bool p[8];
    uint32_t shared[256];
} Thread;

static uint32_t value(const Thread *t, const IsaSrc *s, const BenchParams *params) {
    uint32_t v = (uint32_t)s->imm;
    if (s->kind == ISA_SRC_REG) v = s->reg == ISA_RZ ? 0 : t->r[s->reg];
    if (s->kind == ISA_SRC_CONST) memcpy(&v, (const char *)params + s->imm, 4);
    return s->neg ? 0 - v : v;
}

static bool holds(const Thread *t, IsaPred p) { return t->p[p.reg] != p.neg; }

static uint32_t arithmetic(const Thread *t, const IsaInst *in, uint32_t a, uint32_t b, uint32_t c) {
    switch (in->op) {
    case ISA_MOV: return a;
    case ISA_IADD: return a + b;
    case ISA_IMAD: return a * b + c;
    case ISA_IDIV: return a / b;
    case ISA_SHL: return a << b;
    case ISA_SEL: return holds(t, in->psrc[0]) ? a : b;
    case ISA_LOP3: return in->lut == 0xc0 ? a & b : a ^ b ^ c;
    case ISA_S2R:
        return in->sreg == PTX_SREG_TID_X ? t->tid : in->sreg == PTX_SREG_NTID_X ? THREADS : t->cta;
    default: fail_msg("opcode %d is not expected", in->op); return 0;
    }
}

static void run_thread(Bench *b, const IsaProgram *p, const BenchParams *params, Thread *t) {
    t->p[ISA_PT] = true;
    for (int pc = 0, steps = 0;; steps++) {
        assert_true(steps < 100000 && pc < p->ninsts);
        const IsaInst *in = &p->insts[pc++];
        if (!holds(t, in->guard)) continue;
        uint32_t a = value(t, &in->src[0], params), x = value(t, &in->src[1], params),
                 c = value(t, &in->src[2], params);
        uint32_t at = a + (uint32_t)in->offset;
        uint32_t *word = in->space == ISA_SHARED ? &t->shared[at / 4 % 256]
            : in->space == ISA_GLOBAL            ? (uint32_t *)device_at(&b->memory, at, 4)
                                                 : NULL;
        switch (in->op) {
        case ISA_EXIT: return;
        case ISA_BRA: pc = in->target; break;
        case ISA_LD: t->r[in->dst] = *word; break;
        case ISA_ST: *word = x; break;
        case ISA_ISETP: t->p[in->pdst[0]] = in->cmp == ISA_EQ ? a == x : a < x; break;
        default: t->r[in->dst] = arithmetic(t, in, a, x, c);
        }
    }
}

// ---- comparison ----

static const char *const machines[] = {
    "",
    "sm.scheduler=lrr oc.collectors=3",
    "rf.banks=1 rf.entries=1024 rf.write_ports=1 oc.collectors=32 exec.int.latency=1",
    "sm.scheduler=two-level sm.active_warps=2 rf.write_ports=1",
    "sm.schedulers=4 oc.alloc_ports=4 oc.dispatch_ports=6",
    "oc.collectors=2 oc.alloc_ports=1 sm.ibuffer=1",
    "rf.banks=3 rf.entries=400 sm.ibuffer=5",
    "icache.bytes=64 icache.line=16 icache.ways=2 icache.miss_latency=7 sm.fetch_warps=3 "
    "const.operands=cache l1.sector=32",
    "icache.bytes=256 icache.line=64 icache.ways=1 icache.mshrs=1 sm.ibuffer=4 "
    "const.operands=cache const.bytes=256 "
    "const.line=16 const.ways=1 const.latency=1 const.miss_latency=3 l1.loads=nc l1.hash=hash",
};

// Shapes of P-mode: queues and pools of any size, both ways to write some lanes, and settings that
// cost no time.
static const char *const ahead[] = {"",
                                    "pmode.queue=0",
                                    "pmode.queue=1 pmode.registers=1",
                                    "pmode.queue=2 pmode.registers=4",
                                    "pmode.queue=5",
                                    "pmode.queue=32 pmode.registers=256",
                                    "pmode.partial=skip",
                                    "pmode.preload=0 pmode.waw_trigger=0",
                                    "pmode.distance=3",
                                    "pmode.switch_cycles=0 pmode.queue=16",
                                    "pmode.queue=3 pmode.registers=16 pmode.switch_cycles=7"};

// arch NULL: the baseline. Returns the instructions that were reused.
static uint64_t run_random(uint64_t seed, const Arch *arch) {
    static Gen g;
    static char text[LINES * 128];
    static uint32_t got[BENCH_BYTES / 4];
    generate(&g, seed);
    const bool tiny = seed % 5 == 4;
    char sets[512];
    snprintf(sets, sizeof sets, "%s %s",
             tiny ? "" : machines[seed % (sizeof machines / sizeof *machines)],
             arch ? ahead[seed % (sizeof ahead / sizeof *ahead)] : "");
    Bench b;
    bench_config(&b, tiny ? "tiny" : "fermi", sets);
    bench_start(&b, &(GpuOptions){.check_retire = true, .arch = arch});
    for (uint32_t i = 0; i < 16384; i++) bench_in(&b)[i] = (i * 2654435761u) >> (i % 29);
    bench_run(&b, text_of(&g, text, sizeof text), CTAS, THREADS, 0);
    memcpy(got, bench_out(&b), sizeof got);
    memset(bench_out(&b), 0, BENCH_BYTES);
    IsaProgram *p = bench_parse(&b, text);
    BenchParams params = {b.out, b.in, 0, 0};
    for (uint32_t i = 0; i < CTAS * THREADS; i++) {
        Thread t = {.cta = i / THREADS, .tid = i % THREADS};
        run_thread(&b, p, &params, &t);
    }
    for (uint32_t i = 0; i < BENCH_BYTES / 4; i++)
        if (got[i] != bench_out(&b)[i])
            fail_msg("seed %llu, word %u: expected 0x%x, the SM has 0x%x", (unsigned long long)seed,
                     i, bench_out(&b)[i], got[i]);
    const uint64_t reused = bench_count(&b, CTR_PMODE_REUSED);
    bench_close(&b);
    return reused;
}

static void test_random_programs(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) run_random(seed, NULL);
}

static void test_random_pmode(void **state) {
    const char *from = getenv("SMCOSIM_SEED");
    const uint64_t first = from ? strtoull(from, NULL, 10) : 1;
    Arch arch;
    Diag d = {0};
    uint64_t reused = 0;
    (void)state;
    assert_true(arch_parse("pmode", &arch, &d));
    for (uint64_t seed = first; seed < first + 3 * PROGRAMS; seed++)
        reused += run_random(seed, &arch);
    assert_true(reused > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_programs),
                                       cmocka_unit_test(test_random_pmode)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
