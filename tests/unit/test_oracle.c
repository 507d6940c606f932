// SPDX-License-Identifier: Apache-2.0
// The oracle: its reports, calls and recursion, printf, heap, waiting between warps.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "launch/device_heap.h"
#include "launch/device_printf.h"
#include "oracle/oracle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { OUT_BYTES = 4096 };

typedef struct Bench {
    Arena arena;
    DeviceMemory memory;
    Diag d;
    uint32_t out;
    uint64_t insts;
    char *printed;
    size_t printed_bytes;
    int stop;
    uint32_t threads, ctas, shared_bytes;
    uint64_t max_insts;  // 0: a million
} Bench;

// Runs kernel k(.param .u64 out) of `text` (body only when it has no .entry). True when it ended
// well.
static bool run(Bench *b, const char *text) {
    const char *head = ".version 8.0\n.target sm_80\n.address_size 64\n";
    bool whole = strstr(text, ".entry") != NULL;
    const char *source = whole
        ? arena_printf(&b->arena, "%s%s", head, text)
        : arena_printf(&b->arena,
                       "%s.entry k(.param .u64 out)\n{\n.reg .b32 %%r<20>;\n.reg .b64 %%rd<20>;\n"
                       ".reg .pred %%p<8>;\n.reg .f32 %%f<8>;\nld.param.u64 %%rd1, [out];\nmov.u32 "
                       "%%r1, %%tid.x;\n"
                       "mul.wide.u32 %%rd2, %%r1, 4;\nadd.u64 %%rd2, %%rd1, %%rd2;\n%s\nret;\n}\n",
                       head, text);
    ModuleLayout layout;
    SharedLayout shared;
    assert_true(device_open(&b->memory, &b->arena, &b->d));
    b->out = device_alloc(&b->memory, "out", OUT_BYTES);
    PtxModule *m = ptx_parse(&b->arena, "t.ptx", source, strlen(source), &b->d);
    const PtxFunc *e = m ? ptx_entry(m, "k", &b->d) : NULL;
    if (!e || !layout_module(&layout, &b->arena, m, &b->memory, &b->d) ||
        !layout_shared(&shared, &b->arena, m, e, &b->d))
        fail_msg("%s", b->d.text);
    uint64_t param = b->out;
    FILE *f = open_memstream(&b->printed, &b->printed_bytes);
    OracleRun r = {.module = m,
                   .entry = e,
                   .layout = &layout,
                   .shared = &shared,
                   .grid = {b->ctas ? b->ctas : 1, 1, 1},
                   .block = {b->threads ? b->threads : 32, 1, 1},
                   .shared_bytes = b->shared_bytes,
                   .params = (const uint8_t *)&param,
                   .memory = &b->memory,
                   .print_to = f,
                   .max_insts = b->max_insts ? b->max_insts : 1000000,
                   .stop = &b->stop};
    bool ok = oracle_run(&r, &b->d);
    b->insts = r.insts;
    fclose(f);
    return ok;
}

static uint32_t word(Bench *b, int i) {
    uint32_t v;
    memcpy(&v, b->memory.base + b->out + 4 * i, 4);
    return v;
}

static void done(Bench *b) {
    free(b->printed);
    device_close(&b->memory);
    arena_free(&b->arena);
}

// The run must fail with this status and all of these texts.
static void expect_failure(const char *text, uint32_t threads, ExitStatus status,
                           const char *const *parts) {
    Bench b = {.threads = threads};
    if (run(&b, text)) fail_msg("no failure: %s", text);
    if (b.d.status != status) fail_msg("status %d: %s", b.d.status, b.d.text);
    for (; *parts; parts++)
        if (!strstr(b.d.text, *parts)) fail_msg("'%s' is missing in: %s", *parts, b.d.text);
    done(&b);
}
#define FAILS(text, threads, status, ...) \
    expect_failure(text, threads, status, (const char *const[]){__VA_ARGS__, NULL})

static void test_bad_accesses(void **state) {
    (void)state;
    FAILS("setp.eq.u32 %p1, %r1, 5;\n@%p1 st.global.u32 [%rd1+4096], %r1;", 32, EXIT_WRONG_RESULT,
          "t.ptx:", "kernel k", "CTA (0,0,0)", "thread (5,0,0)", "st.global.u32", "0x10001000",
          "4 bytes", "buffer out");
    FAILS("ld.global.u64 %rd3, [%rd1+4092];", 32, EXIT_WRONG_RESULT, "not a multiple of 8");
    FAILS("ld.global.u32 %r2, [%rd1+-8];", 32, EXIT_WRONG_RESULT, "thread (0,0,0)", "0xffffff8");
    FAILS("mov.u64 %rd3, 0; ld.u32 %r2, [%rd3];", 32, EXIT_WRONG_RESULT, "0x0");
    FAILS(
        ".shared .b8 s[64]; mov.u32 %r2, s; mad.lo.u32 %r2, %r1, 4, %r2; st.shared.u32 [%r2], %r1;",
        32, EXIT_WRONG_RESULT, "thread (16,0,0)",
        "offset 64 of the CTA's 64 bytes of shared memory");
    FAILS(".local .b8 a[16]; mov.u64 %rd3, a; ld.local.u32 %r2, [%rd3+16];", 32, EXIT_WRONG_RESULT,
          "local memory");
    FAILS("atom.global.add.u32 %r2, [%rd1+2], 1;", 32, EXIT_WRONG_RESULT, "not a multiple of 4");
    FAILS("mov.u64 %rd3, out; ld.param.u32 %r2, [%rd3+8];", 32, EXIT_WRONG_RESULT, "parameters");
}

static void test_ends(void **state) {
    (void)state;
    FAILS("setp.eq.u32 %p1, %r1, 7;\n@%p1 trap;", 32, EXIT_WRONG_RESULT, "thread (7,0,0)", "trap");
    FAILS("L: bra L;", 32, EXIT_HANG, "still running", "infinite loop");
    FAILS("setp.lt.u32 %p1, %r1, 32;\n@%p1 bra A;\nbar.sync 1;\nret;\nA: bar.sync 2;", 64,
          EXIT_HANG, "barrier deadlock", "barrier 1: 1 of 2 warps", "barrier 2: 1 of 2 warps",
          "warp 0 waits at barrier 2", "warp 1 waits at barrier 1");
    FAILS("bar.sync 0, 64;", 32, EXIT_HANG, "barrier 0: 1 of 2 warps arrived");
    FAILS("mov.u32 %r2, 16; bar.sync %r2;", 32, EXIT_WRONG_RESULT, "barrier 16 does not exist");
    FAILS("mov.u32 %r2, 33; bar.sync 0, %r2;", 32, EXIT_WRONG_RESULT, "not a multiple of 32");
    FAILS("T: .branchtargets A, B;\nbrx.idx %r1, T;\nA: ret;\nB: ret;", 32, EXIT_WRONG_RESULT,
          "thread (2,0,0)", "index 2 of 2 targets");
    Bench b = {.stop = 1};
    assert_false(run(&b, "st.global.u32 [%rd2], %r1;"));
    assert_int_equal(b.d.status, EXIT_INTERRUPTED);
    done(&b);
}

// Recursion to a different depth in every thread: fibonacci(tid).
static void test_recursion(void **state) {
    (void)state;
    Bench b = {.threads = 64};
    bool ok = run(&b,
                  ".func (.param .b32 r) fib(.param .b32 n)\n"
                  "{ .reg .b32 %a<9>; .reg .pred %p; ld.param.b32 %a1, [n]; setp.lt.u32 %p, %a1, "
                  "2; @%p bra LEAF;\n"
                  "{ .param .b32 p; .param .b32 q; sub.u32 %a2, %a1, 1; st.param.b32 [p], %a2; "
                  "call (q), fib, (p); ld.param.b32 %a3, [q]; }\n"
                  "{ .param .b32 p; .param .b32 q; sub.u32 %a2, %a1, 2; st.param.b32 [p], %a2; "
                  "call (q), fib, (p); ld.param.b32 %a4, [q]; }\n"
                  "add.u32 %a1, %a3, %a4; LEAF: st.param.b32 [r], %a1; ret; }\n"
                  ".entry k(.param .u64 out)\n{ .reg .b32 %r<5>; .reg .b64 %d<4>; mov.u32 %r1, "
                  "%tid.x; and.b32 %r2, %r1, 7;\n"
                  "{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r2; call (q), fib, (p); "
                  "ld.param.b32 %r3, [q]; }\n"
                  "ld.param.u64 %d1, [out]; mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2; "
                  "st.global.u32 [%d1], %r3; ret; }\n");
    if (!ok) fail_msg("%s", b.d.text);
    static const uint32_t fib[] = {0, 1, 1, 2, 3, 5, 8, 13};
    for (int i = 0; i < 64; i++) assert_int_equal(word(&b, i), fib[i & 7]);
    done(&b);
    FAILS(".func f() { call f, (); ret; }\n.entry k(.param .u64 out)\n{ call f, (); ret; }\n", 32,
          EXIT_WRONG_RESULT, "calls inside each other");
}

// Local variables of a function belong to the call, and a pointer to the caller's stays good.
static void test_frames(void **state) {
    (void)state;
    Bench b = {.threads = 32};
    bool ok = run(
        &b,
        ".func add_to(.param .b64 p, .param .b32 n)\n"
        "{ .local .b32 mine; .reg .b32 %a<5>; .reg .b64 %d; .reg .pred %p; ld.param.b64 %d, [p]; "
        "ld.param.b32 %a1, [n];\n"
        "st.local.b32 [mine], %a1; setp.eq.u32 %p, %a1, 0; @%p bra END; ld.b32 %a2, [%d]; add.u32 "
        "%a2, %a2, %a1; st.b32 [%d], %a2;\n"
        "{ .param .b64 x; .param .b32 y; st.param.b64 [x], %d; sub.u32 %a3, %a1, 1; st.param.b32 "
        "[y], %a3; call add_to, (x, y); }\n"
        "ld.local.b32 %a4, [mine]; setp.ne.u32 %p, %a4, %a1; @%p trap; END: ret; }\n"
        ".entry k(.param .u64 out)\n{ .local .b32 sum; .reg .b32 %r<5>; .reg .b64 %d<4>; mov.u32 "
        "%r1, %tid.x; and.b32 %r2, %r1, 15;\n"
        "mov.b32 %r3, 100; st.local.b32 [sum], %r3; mov.u64 %d1, sum; cvta.local.u64 %d1, %d1;\n"
        "{ .param .b64 x; .param .b32 y; st.param.b64 [x], %d1; st.param.b32 [y], %r2; call "
        "add_to, (x, y); }\n"
        "ld.local.b32 %r3, [sum]; ld.param.u64 %d1, [out]; mul.wide.u32 %d2, %r1, 4; add.u64 %d1, "
        "%d1, %d2; st.global.u32 [%d1], %r3; ret; }\n");
    if (!ok) fail_msg("%s", b.d.text);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(word(&b, (int)i), 100 + (i & 15) * ((i & 15) + 1) / 2);
    done(&b);
}

// A warp waits for a flag that another warp of the CTA sets later.
static void test_waiting(void **state) {
    (void)state;
    Bench b = {.threads = 64};
    bool ok = run(
        &b,
        "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra SET;\nWAIT: ld.volatile.global.u32 %r2, [%rd1+1024];\n"
        "setp.eq.u32 %p2, %r2, 0;\n@%p2 bra WAIT;\nst.global.u32 [%rd2], %r2;\nret;\n"
        "SET: mov.u32 %r3, 500;\nL: sub.u32 %r3, %r3, 1;\nsetp.ne.u32 %p3, %r3, 0;\n@%p3 bra L;\n"
        "mov.u32 %r2, 77;\nst.volatile.global.u32 [%rd1+1024], %r2;");
    if (!ok) fail_msg("%s", b.d.text);
    for (int i = 0; i < 32; i++) assert_int_equal(word(&b, i), 77);
    done(&b);
}

// CTA 0 waits for a store of a later CTA, then for one that waits for CTA 0 in turn.
static void test_waiting_for_ctas(void **state) {
    (void)state;
    Bench b = {.threads = 64, .ctas = 9, .max_insts = 100000000};
    bool ok = run(
        &b,
        "mov.u32 %r2, %ctaid.x;\nmul.wide.u32 %rd3, %r2, 4;\nadd.u64 %rd3, %rd1, "
        "%rd3;\nsetp.ne.u32 %p1, %r1, 0;\n"
        "@%p1 bra MEET;\natom.global.add.u32 %r3, [%rd1+512], 1;\n"
        "WAIT: ld.volatile.global.u32 %r4, [%rd1+512];\nsetp.lt.u32 %p2, %r4, 9;\n@%p2 bra WAIT;\n"
        "st.global.u32 [%rd3], %r4;\nMEET: bar.sync 0;\nsetp.ne.u32 %p1, %r1, 32;\n@%p1 ret;\n"
        "atom.global.add.u32 %r3, [%rd1+516], 1;\n"
        "AGAIN: ld.volatile.global.u32 %r4, [%rd1+516];\nsetp.lt.u32 %p2, %r4, 9;\n@%p2 bra "
        "AGAIN;\n"
        "st.global.u32 [%rd3+256], %r4;");
    if (!ok) fail_msg("%s", b.d.text);
    for (int i = 0; i < 9; i++) assert_true(word(&b, i) == 9 && word(&b, 64 + i) == 9);
    done(&b);
}

static void test_limit(void **state) {
    (void)state;
    Bench b = {.threads = 64, .ctas = 3, .max_insts = 20000000};
    assert_false(run(&b,
                     "mov.u32 %r2, %ctaid.x;\nsetp.eq.u32 %p1, %r2, 1;\n@%p1 ret;\nsetp.lt.u32 "
                     "%p1, %r1, 32;\n@%p1 bra WAIT;\n"
                     "bar.sync 3;\nWAIT: ld.volatile.global.u32 %r3, [%rd1];\nsetp.eq.u32 %p2, "
                     "%r3, 0;\n@%p2 bra WAIT;\nbar.sync 3;"));
    assert_int_equal(b.d.status, EXIT_HANG);
    static const char *const parts[] = {"t.ptx: kernel k: the oracle reached its limit",
                                        "20000000 thread instructions",
                                        "wait for each other",
                                        "1 of 3 CTAs have ended",
                                        "CTA (0,0,0), warp 0 runs, line ",
                                        "CTA (0,0,0), warp 1 waits at barrier 3, line 19",
                                        "CTA (2,0,0), warp 0 runs"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(b.d.text, parts[i])) fail_msg("'%s' is missing in: %s", parts[i], b.d.text);
    done(&b);
}

// Lanes wait for a lane of another path, for either path that the warp takes first.
static void test_waiting_for_lanes(void **state) {
    (void)state;
    static const char *const ways[] = {"@%p1 bra SET;", "@!%p1 bra WAIT;\nbra SET;"};
    for (int i = 0; i < 2; i++) {
        Bench b = {.threads = 32, .max_insts = 10000000};
        const char *text = arena_printf(
            &b.arena,
            "setp.eq.u32 %%p1, %%r1, 7;\n%s\n"
            "WAIT: and.b32 %%r5, %%r1, 1;\nsetp.eq.u32 %%p4, %%r5, 0;\n@%%p4 bra EVEN;\n"
            "ODD: ld.volatile.global.u32 %%r2, [%%rd1+1024];\nsetp.eq.u32 %%p2, %%r2, 0;\n@%%p2 "
            "bra ODD;\nbra BOTH;\n"
            "EVEN: ld.volatile.global.u32 %%r2, [%%rd1+1024];\nsetp.eq.u32 %%p2, %%r2, 0;\n@%%p2 "
            "bra EVEN;\n"
            "BOTH: st.global.u32 [%%rd2], %%r2;\nbra END;\nSET: st.volatile.global.u32 "
            "[%%rd1+1024], 5;\nEND:\n",
            ways[i]);
        if (!run(&b, text)) fail_msg("%s", b.d.text);
        for (int l = 0; l < 32; l++) assert_int_equal(word(&b, l), l == 7 ? 0 : 5);
        done(&b);
    }
}

// The last steps of an old reduction: no barrier, a warp runs in lockstep.
static void test_warp_synchronous(void **state) {
    (void)state;
    Bench b = {.threads = 32};
    bool ok = run(
        &b,
        ".shared .b32 s[64];\nmov.u32 %r2, s;\nmad.lo.u32 %r3, %r1, 4, %r2;\nadd.u32 %r4, %r1, 1;\n"
        "st.volatile.shared.u32 [%r3], %r4;\nst.volatile.shared.u32 [%r3+128], 0;\n"
        "ld.volatile.shared.u32 %r5, [%r3+64];\nld.volatile.shared.u32 %r6, [%r3];\nadd.u32 %r6, "
        "%r6, %r5;\nst.volatile.shared.u32 [%r3], %r6;\n"
        "ld.volatile.shared.u32 %r5, [%r3+32];\nld.volatile.shared.u32 %r6, [%r3];\nadd.u32 %r6, "
        "%r6, %r5;\nst.volatile.shared.u32 [%r3], %r6;\n"
        "ld.volatile.shared.u32 %r5, [%r3+16];\nld.volatile.shared.u32 %r6, [%r3];\nadd.u32 %r6, "
        "%r6, %r5;\nst.volatile.shared.u32 [%r3], %r6;\n"
        "ld.volatile.shared.u32 %r5, [%r3+8];\nld.volatile.shared.u32 %r6, [%r3];\nadd.u32 %r6, "
        "%r6, %r5;\nst.volatile.shared.u32 [%r3], %r6;\n"
        "ld.volatile.shared.u32 %r5, [%r3+4];\nld.volatile.shared.u32 %r6, [%r3];\nadd.u32 %r6, "
        "%r6, %r5;\nst.global.u32 [%rd2], %r6;");
    if (!ok) fail_msg("%s", b.d.text);
    assert_int_equal(word(&b, 0), 32 * 33 / 2);
    done(&b);
}

// ---- printf, assert, heap ----

typedef struct Image {
    uint8_t bytes[4096];
} Image;
static bool read_image(void *ctx, uint64_t addr, void *to, uint32_t bytes) {
    Image *m = ctx;
    if (addr > sizeof m->bytes || bytes > sizeof m->bytes - addr) return false;
    memcpy(to, m->bytes + addr, bytes);
    return true;
}

static int print(char *text, size_t size, Image *m, const char *format, uint64_t list) {
    char *s;
    size_t n;
    FILE *f = open_memstream(&s, &n);
    memcpy(m->bytes + 8, format, strlen(format) + 1);
    int count = device_printf(f, read_image, m, 8, list);
    fclose(f);
    snprintf(text, size, "%s", s);
    free(s);
    return count;
}

static void test_printf_formats(void **state) {
    (void)state;
    Image m = {{0}};
    char text[512];
    uint8_t *list = m.bytes + 1024;
    int32_t i = -42, width = 7, precision = 2;
    uint32_t u = 0xdeadbeef;
    int64_t ll = -5000000000ll;
    double x = 3.25;
    uint64_t name = 2048;
    strcpy((char *)m.bytes + 2048, "lane");
    memcpy(list, &i, 4);          // 0: int
    memcpy(list + 4, &u, 4);      // 4: unsigned
    memcpy(list + 8, &ll, 8);     // 8: long long
    memcpy(list + 16, &x, 8);     // 16: double
    memcpy(list + 24, &name, 8);  // 24: string
    memcpy(list + 32, "A", 2);    // 32: char as int
    assert_int_equal(print(text, sizeof text, &m, "%d %x|%lld|%.2f|%6s|%c%%\n", 1024), 6);
    assert_string_equal(text, "-42 deadbeef|-5000000000|3.25|  lane|A%\n");
    assert_int_equal(print(text, sizeof text, &m, "[%+08d][%#X][%-14ld][%e]", 1024), 4);
    assert_string_equal(text, "[-0000042][0XDEADBEEF][-5000000000   ][3.250000e+00]");
    memcpy(list, &width, 4);
    memcpy(list + 4, &precision, 4);
    memcpy(list + 8, &x, 8);
    assert_int_equal(print(text, sizeof text, &m, "<%*.*f>", 1024), 1);
    assert_string_equal(text, "<   3.25>");
    memcpy(list, &u, 4);
    assert_int_equal(print(text, sizeof text, &m, "%hd %i\n", 1024), 2);
    assert_string_equal(text, "-16657 2\n");
    assert_int_equal(print(text, sizeof text, &m, "ok %d %q", 1024), -2);
    assert_string_equal(text, "ok -559038737 ");
    assert_int_equal(print(text, sizeof text, &m, "%d", 4094), -2);
    assert_int_equal(device_printf(NULL, read_image, &m, 0, 0), -1);
    assert_int_equal(device_printf(NULL, read_image, &m, 1 << 20, 0), -1);
}

static void test_printf_and_assert(void **state) {
    (void)state;
    Bench b = {.threads = 3};
    const char *vprintf_text =
        ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
        ".global .align 1 .b8 fmt[13] = {116, 104, 114, 101, 97, 100, 32, 37, 100, 32, 37, 103, "
        "10};\n"
        ".entry k(.param .u64 out)\n{ .local .align 8 .b8 args[16]; .reg .b32 %r<5>; .reg .b64 "
        "%d<6>; .reg .f64 %f;\n"
        "mov.u32 %r1, %tid.x; st.local.u32 [args], %r1; cvt.rn.f64.u32 %f, %r1; mul.f64 %f, %f, "
        "0d3FE0000000000000; st.local.f64 [args+8], %f;\n"
        "mov.u64 %d1, fmt; cvta.global.u64 %d1, %d1; mov.u64 %d2, args; cvta.local.u64 %d2, %d2;\n"
        "{ .param .b64 p0; .param .b64 p1; .param .b32 r; st.param.b64 [p0], %d1; st.param.b64 "
        "[p1], %d2; call.uni (r), vprintf, (p0, p1);\n"
        "ld.param.b32 %r2, [r]; } ld.param.u64 %d3, [out]; st.global.u32 [%d3], %r2; ret; }\n";
    // 13 characters without a terminating zero: the string ends at the variable's end, which is an
    // error
    assert_true(run(&b, vprintf_text));
    assert_int_equal(word(&b, 0), (uint32_t)-1);
    done(&b);
    char *fixed = strdup(vprintf_text);
    memcpy(strstr(fixed, "fmt[13]"), "fmt[14]", 7);
    b = (Bench){.threads = 3};
    if (!run(&b, fixed)) fail_msg("%s", b.d.text);
    assert_string_equal(b.printed, "thread 0 0\nthread 1 0.5\nthread 2 1\n");
    assert_int_equal(word(&b, 0), 2);
    done(&b);
    free(fixed);
    FAILS(".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, "
          ".param .b64 e);\n"
          ".global .align 1 .b8 msg[6] = {120, 32, 62, 32, 48, 0};\n.global .align 1 .b8 file[5] = "
          "{97, 46, 99, 117, 0};\n"
          ".entry k(.param .u64 out)\n{ .reg .b32 %r<5>; .reg .b64 %d<6>; .reg .pred %p; mov.u32 "
          "%r1, %tid.x; setp.ne.u32 %p, %r1, 9; @%p bra END;\n"
          "mov.u64 %d1, msg; cvta.global.u64 %d1, %d1; mov.u64 %d2, file; cvta.global.u64 %d2, "
          "%d2; mov.u32 %r2, 12;\n"
          "{ .param .b64 p0; .param .b64 p1; .param .b32 p2; .param .b64 p3; .param .b64 p4; "
          "st.param.b64 [p0], %d1; st.param.b64 [p1], %d2;\n"
          "st.param.b32 [p2], %r2; st.param.b64 [p3], %d2; st.param.b64 [p4], 1; call.uni "
          "__assertfail, (p0, p1, p2, p3, p4); }\nEND: ret; }\n",
          32, EXIT_WRONG_RESULT, "thread (9,0,0)", "assertion `x > 0` failed", "a.cu:12");
}

static void test_heap(void **state) {
    (void)state;
    Arena arena = {0};
    Diag d = {0};
    DeviceMemory m;
    assert_true(device_open(&m, &arena, &d));
    uint64_t a = device_malloc(&m, 100), b = device_malloc(&m, 16), c = device_malloc(&m, 1);
    assert_true(a && b && c && a % 16 == 0 && b >= a + 100 && c >= b + 16);
    assert_true(device_at(&m, a, 100) != NULL);
    assert_true(device_free(&m, b));
    assert_false(device_free(&m, b));
    assert_false(device_free(&m, a + 16));
    assert_true(device_free(&m, 0));
    assert_true(device_malloc(&m, 16) == b);
    assert_true(device_free(&m, a) && device_free(&m, b) && device_free(&m, c));
    uint64_t all = device_malloc(&m, DEVICE_HEAP_BYTES - 16);  // everything has been joined again
    assert_true(all == a);
    assert_int_equal(device_malloc(&m, 1), 0);
    assert_int_equal(device_malloc(&m, 0), 0);
    assert_int_equal(device_malloc(&m, 1ull << 40), 0);
    // A kernel that writes over the headers gets no memory, and no crash.
    memset(device_at(&m, all, 64) - 16, 0xff, 64);
    assert_int_equal(device_malloc(&m, 64), 0);
    assert_false(device_free(&m, all));
    device_close(&m);
    arena_free(&arena);
}

static void test_malloc_in_kernel(void **state) {
    (void)state;
    Bench b = {.threads = 32};
    bool ok = run(
        &b,
        ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n"
        ".entry k(.param .u64 out)\n{ .reg .b32 %r<5>; .reg .b64 %d<6>; mov.u32 %r1, %tid.x;\n"
        "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 8; call.uni (r), malloc, (n); "
        "ld.param.b64 %d1, [r]; }\n"
        "st.u32 [%d1+4], %r1; bar.warp.sync -1; ld.u32 %r2, [%d1+4]; { .param .b64 p; st.param.b64 "
        "[p], %d1; call.uni free, (p); }\n"
        "ld.param.u64 %d3, [out]; mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d3, %d2; st.global.u32 "
        "[%d3], %r2; ret; }\n");
    if (!ok) fail_msg("%s", b.d.text);
    for (int i = 0; i < 32; i++) assert_int_equal(word(&b, i), i);
    done(&b);
    FAILS(".extern .func free(.param .b64 p);\n.entry k(.param .u64 out)\n{ { .param .b64 p; "
          "st.param.b64 [p], 4096; call.uni free, (p); } ret; }\n",
          32, EXIT_WRONG_RESULT, "free of 0x1000");
}

static void test_counts(void **state) {
    (void)state;
    Bench b = {.threads = 48, .ctas = 3};
    assert_true(run(&b, "setp.lt.u32 %p1, %r1, 8;\n@%p1 st.global.u32 [%rd2], %r1;"));
    // guarded instructions count for every thread that reaches them
    assert_int_equal(b.insts, 3 * 48 * 7);
    done(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bad_accesses),
                                       cmocka_unit_test(test_ends),
                                       cmocka_unit_test(test_recursion),
                                       cmocka_unit_test(test_frames),
                                       cmocka_unit_test(test_waiting),
                                       cmocka_unit_test(test_waiting_for_ctas),
                                       cmocka_unit_test(test_limit),
                                       cmocka_unit_test(test_waiting_for_lanes),
                                       cmocka_unit_test(test_warp_synchronous),
                                       cmocka_unit_test(test_printf_formats),
                                       cmocka_unit_test(test_printf_and_assert),
                                       cmocka_unit_test(test_heap),
                                       cmocka_unit_test(test_malloc_in_kernel),
                                       cmocka_unit_test(test_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
