// SPDX-License-Identifier: Apache-2.0
// Findings of the oracle: races, reads of words that nothing wrote, absent lanes, split barriers.
// It is silent about programs without these.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "oracle/oracle.h"

#include <string.h>

enum { OUT_BYTES = 4096, THREADS = 64 };

typedef struct Bench {
    Arena arena;
    DeviceMemory memory;
    OracleFindings found;
    Diag d;
} Bench;

// Runs kernel k(.param .u64 out) of `text` (its body when it has no .entry) in `ctas` CTAs of 64
// threads. In a body %r1 is %tid.x, %rd1 the buffer, %rd2 the thread's word in it; line 14 is its
// first.
static void run(Bench *b, uint32_t ctas, const char *text) {
    static const char head[] = ".version 8.0\n.target sm_80\n.address_size 64\n";
    const char *source = arena_printf(
        &b->arena,
        strstr(text, ".entry") ? "%s%s"
                               : "%s.shared .align 8 .b8 s[256];\n.entry k(.param .u64 "
                                 "out)\n{\n.reg .b32 %%r<20>;\n.reg .b64 %%rd<20>;\n"
                                 ".reg .pred %%p<8>;\nld.param.u64 %%rd1, [out];\nmov.u32 %%r1, "
                                 "%%tid.x;\nmul.wide.u32 %%rd2, %%r1, 4;\n"
                                 "add.u64 %%rd2, %%rd1, %%rd2;\n%s\nret;\n}\n",
        head, text);
    ModuleLayout layout;
    SharedLayout shared;
    b->found = (OracleFindings){.arena = &b->arena, .races = true};
    if (!device_open(&b->memory, &b->arena, &b->d)) fail_msg("%s", b->d.text);
    uint64_t out = device_alloc(&b->memory, "out", OUT_BYTES);
    PtxModule *m = ptx_parse(&b->arena, "t.ptx", source, strlen(source), &b->d);
    const PtxFunc *e = m ? ptx_entry(m, "k", &b->d) : NULL;
    if (!e || !layout_module(&layout, &b->arena, m, &b->memory, &b->d) ||
        !layout_shared(&shared, &b->arena, m, e, &b->d))
        fail_msg("%s", b->d.text);
    OracleRun r = {.module = m,
                   .entry = e,
                   .layout = &layout,
                   .shared = &shared,
                   .grid = {ctas, 1, 1},
                   .block = {THREADS, 1, 1},
                   .params = (const uint8_t *)&out,
                   .memory = &b->memory,
                   .findings = &b->found,
                   .max_insts = 100000000};
    if (!oracle_run(&r, &b->d)) fail_msg("%s", b->d.text);
}

static void done(Bench *b) {
    device_close(&b->memory);
    arena_free(&b->arena);
}

// The first finding is of that kind, with all these texts; most: how many there may be, 0: parts
// are not looked at.
static void expect(int most, uint32_t ctas, const char *text, OracleKind kind,
                   const char *const *parts) {
    Bench b = {0};
    run(&b, ctas, text);
    if (b.found.nitems > most || !b.found.nitems != !most)
        fail_msg("%d findings, first: %s\n%s", b.found.nitems,
                 b.found.nitems ? b.found.items[0].text : "", text);
    const OracleFinding *f = b.found.items;
    if (most && (f->kind != kind || !f->count))
        fail_msg("%s: %s", oracle_kind_name(f->kind), f->text);
    for (; *parts; parts++)
        if (!strstr(f->text, *parts)) fail_msg("'%s' is missing in: %s", *parts, f->text);
    done(&b);
}
#define FINDS(ctas, kind, text, ...) \
    expect(1, ctas, text, kind, (const char *const[]){__VA_ARGS__, NULL})
#define FIRST(ctas, kind, text, ...) \
    expect(9, ctas, text, kind, (const char *const[]){__VA_ARGS__, NULL})
#define SILENT(ctas, text) expect(0, ctas, text, ORACLE_RACE, (const char *const[]){NULL})

// Warp 0 (threads below 32) does A, warp 1 does B.
#define WARPS(a, b) "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra B;\n" a "\nbra E;\nB:\n" b "\nE:\n"
#define LANE0 "and.b32 %r9, %r1, 31;\nsetp.ne.u32 %p2, %r9, 0;\n"

static void test_shared_races(void **state) {
    (void)state;
    // Thread 0 writes the word again that the other warp still reads: the barrier after the read is
    // missing.
    FINDS(1, ORACLE_RACE,
          "setp.ne.u32 %p1, %r1, 0;\n@!%p1 st.shared.u32 [s+8], 7;\nbar.sync 0;\nld.shared.u32 "
          "%r2, [s+8];\n"
          "@!%p1 st.shared.u32 [s+8], 9;\nbar.sync 0;\nld.shared.u32 %r3, [s+8];\nadd.u32 %r2, "
          "%r2, %r3;\n"
          "st.global.u32 [%rd2], %r2;",
          "t.ptx:18: kernel k, CTA (0,0,0), thread (0,0,0): stores at 0x8 (offset 8 of the CTA's "
          "shared memory)",
          "CTA (0,0,0), thread (63,0,0) loads there at line 17", "no barrier, fence or atomic");
    SILENT(1,
           "setp.ne.u32 %p1, %r1, 0;\n@!%p1 st.shared.u32 [s+8], 7;\nbar.sync 0;\nld.shared.u32 "
           "%r2, [s+8];\n"
           "bar.sync 0;\n@!%p1 st.shared.u32 [s+8], 9;\nbar.sync 0;\nld.shared.u32 %r3, "
           "[s+8];\nadd.u32 %r2, %r2, %r3;\n"
           "st.global.u32 [%rd2], %r2;");
    // A barrier of another number orders nothing; arriving at the right one does.
    FINDS(1, ORACLE_RACE,
          LANE0 WARPS("@!%p2 st.shared.u32 [s], 1;\nbar.sync 1, 32;",
                      "bar.sync 2, 32;\nld.volatile.shared.u32 %r2, [s];"),
          "shared memory", "t.ptx:23:", "loads (volatile)", "stores there at line 18");
    SILENT(1,
           LANE0 WARPS("@!%p2 st.shared.u32 [s], 1;\nbar.arrive 1, 64;",
                       "bar.sync 1, 64;\nld.shared.u32 %r2, [s];"));
    // Neighboring bytes are not the same place.
    SILENT(1, LANE0 WARPS("@!%p2 st.shared.u8 [s], 1;", "@!%p2 st.shared.u8 [s+1], 2;"));
    FINDS(1, ORACLE_RACE,
          LANE0 WARPS("@!%p2 st.shared.u16 [s], 0x101;", "@!%p2 st.shared.u8 [s+1], 2;"),
          "t.ptx:21:", "line 18");
}

static void test_global_races(void **state) {
    (void)state;
    // A histogram without atomics: load and store, store and load, store and store.
    FIRST(3, ORACLE_RACE,
          LANE0 "mov.u32 %r5, %ctaid.x;\n@!%p2 ld.global.u32 %r2, [%rd1];\nadd.u32 %r2, %r5, "
                "1;\n@!%p2 st.global.u32 [%rd1], %r2;",
          "CTA (0,0,0), thread (32,0,0): loads at 0x10000000 (byte 0 of buffer out",
          "CTA (0,0,0), thread (0,0,0) stores there at line 19");
    SILENT(3, "red.global.add.u32 [%rd1], 1;\natom.global.add.u32 %r3, [%rd1+4], 1;");
    // Lanes of one instruction.
    FINDS(1, ORACLE_RACE, "setp.ge.u32 %p1, %r1, 2;\n@%p1 ret;\nst.global.u32 [%rd1], %r1;",
          "thread (1,0,0)", "thread (0,0,0)", "in the same instruction");
    // All threads store the same: harmless, and said apart.
    FINDS(2, ORACLE_SAME_VALUE,
          "setp.ne.u32 %p1, %r1, 5;\nmov.u32 %r2, 1;\n@!%p1 st.global.u32 [%rd1+8], %r2;",
          "CTA (1,0,0)", "CTA (0,0,0)", "line 16");
    FINDS(2, ORACLE_RACE,
          "setp.ne.u32 %p1, %r1, 5;\nmov.u32 %r2, %ctaid.x;\n@!%p1 st.global.u32 [%rd1+8], %r2;",
          "CTA (1,0,0)", "CTA (0,0,0)", "line 16");
    // An update does not race with another, but with a plain load.
    FINDS(2, ORACLE_RACE,
          "setp.ne.u32 %p1, %r1, 5;\n@!%p1 red.global.add.u32 [%rd1], 1;\nbar.sync 0;\n@!%p1 "
          "ld.global.u32 %r2, [%rd1];",
          "CTA (1,0,0)", "updates atomically", "loads there at line 17");
}

// CTA 1 stores, sets a flag; CTA 0 waits for the flag, loads.
#define FLAG(store, set, wait, load) \
    LANE0 "@%p2 ret;\nmov.u32 %r5, %ctaid.x;\nsetp.eq.u32 %p1, %r1, 0;\n@!%p1 ret;\nsetp.eq.u32 " \
          "%p1, %r5, 0;\n@%p1 bra W;\n" store "\n" set "\nret;\nW: " wait \
          "\nsetp.eq.u32 %p3, %r6, 0;\n@%p3 bra W;\n" load

static void test_flags(void **state) {
    (void)state;
    SILENT(2,
           FLAG("st.global.u32 [%rd1], 5;", "membar.gl;\nst.volatile.global.u32 [%rd1+4], 1;",
                "ld.volatile.global.u32 %r6, [%rd1+4];", "membar.gl;\nld.global.u32 %r7, [%rd1];"));
    SILENT(2,
           FLAG("st.global.u32 [%rd1], 5;", "membar.gl;\natom.global.exch.b32 %r8, [%rd1+4], 1;",
                "ld.volatile.global.u32 %r6, [%rd1+4];",
                "bar.sync 0;\nld.global.u32 %r7, [%rd1];"));
    SILENT(2,
           FLAG("st.global.u32 [%rd1], 5;", "st.release.gpu.global.u32 [%rd1+4], 1;",
                "ld.acquire.gpu.global.u32 %r6, [%rd1+4];", "ld.global.u32 %r7, [%rd1];"));
    // Without the fence of either side.
    FINDS(2, ORACLE_RACE,
          FLAG("st.global.u32 [%rd1], 5;", "st.volatile.global.u32 [%rd1+4], 1;",
               "ld.volatile.global.u32 %r6, [%rd1+4];", "membar.gl;\nld.global.u32 %r7, [%rd1];"),
          "CTA (0,0,0), thread (0,0,0): loads at 0x10000000",
          "CTA (1,0,0), thread (0,0,0) stores there at line 22");
    FINDS(2, ORACLE_RACE,
          FLAG("st.global.u32 [%rd1], 5;", "membar.gl;\nst.volatile.global.u32 [%rd1+4], 1;",
               "ld.volatile.global.u32 %r6, [%rd1+4];", "ld.global.u32 %r7, [%rd1];"),
          "loads", "stores there");
    // Stored after the fence.
    FINDS(2, ORACLE_RACE,
          FLAG("membar.gl;\nst.global.u32 [%rd1], 5;", "st.volatile.global.u32 [%rd1+4], 1;",
               "ld.volatile.global.u32 %r6, [%rd1+4];", "membar.gl;\nld.global.u32 %r7, [%rd1];"),
          "loads", "stores there");
}

static void test_registers(void **state) {
    (void)state;
    FINDS(1, ORACLE_UNSET_REGISTER, "add.u32 %r2, %r7, 1;\nst.global.u32 [%rd2], %r2;",
          "t.ptx:14: kernel k, CTA (0,0,0), thread (0,0,0): `add.u32 %r2, %r7, 1;` reads register "
          "%r7");
    // Written by some threads only.
    FINDS(1, ORACLE_UNSET_REGISTER,
          "setp.lt.u32 %p1, %r1, 40;\n@%p1 mov.u32 %r7, 3;\nst.global.u32 [%rd2], %r7;",
          "t.ptx:16:", "thread (40,0,0)", "%r7");
    FINDS(1, ORACLE_UNSET_REGISTER, "@%p7 st.global.u32 [%rd2], %r1;", "%p7", "t.ptx:14:");
    FINDS(1, ORACLE_UNSET_REGISTER,
          "mov.u32 %r6, %r7;\nmov.u32 %r5, %r6;\nsetp.ne.u32 %p1, %r1, 1;\n@%p1 ret;\n"
          "st.global.v2.u32 [%rd1+2048], {%r1, %r5};",
          "t.ptx:18:", "thread (1,0,0)", "%r5");
}

// A value that nothing assigned may be copied, as compilers do for a phi that ignores it.
static void test_copies(void **state) {
    (void)state;
    SILENT(1,
           "mov.u32 %r6, %r7;\nsetp.lt.u32 %p1, %r1, 32;\nselp.b32 %r5, %r1, %r6, %p1;\n@!%p1 "
           "mov.u32 %r5, 4;\nst.global.u32 [%rd2], %r5;");
    // The text before its place in time: assigned behind, read in front.
    SILENT(1, "bra T;\nU: st.global.u32 [%rd2], %r4;\nret;\nT: mov.u32 %r4, 1;\nbra U;");
    FINDS(1, ORACLE_UNSET_REGISTER,
          "mov.u32 %r6, %r7;\nsetp.lt.u32 %p1, %r1, 32;\nselp.b32 %r5, %r1, %r6, "
          "%p1;\nst.global.u32 [%rd2], %r5;",
          "t.ptx:17:", "thread (32,0,0)", "%r5");
}

static void test_memory(void **state) {
    (void)state;
    FINDS(1, ORACLE_UNSET_SHARED,
          "setp.ge.u32 %p1, %r1, 4;\n@%p1 ret;\nmov.u32 %r2, s;\nmad.lo.u32 %r2, %r1, 4, "
          "%r2;\nst.shared.u16 [%r2], %r1;\nld.shared.u32 %r3, [%r2];",
          "t.ptx:19: kernel k, CTA (0,0,0), thread (0,0,0): reads 4 bytes at offset 0 of the CTA's "
          "shared memory, where nothing");
    FINDS(1, ORACLE_UNSET_SHARED,
          "setp.ne.u32 %p1, %r1, 4;\n@!%p1 atom.shared.add.u32 %r2, [s], 1;",
          "t.ptx:15:", "thread (4,0,0)");
    FINDS(1, ORACLE_UNSET_LOCAL,
          ".local .b8 a[16];\nst.local.u32 [a+4], %r1;\nld.local.v2.u32 {%r2, %r3}, [a];",
          "t.ptx:16:", "offset 0 of the thread's local memory");
    SILENT(1,
           ".local .b8 a[16];\nst.local.u32 [a+4], %r1;\nst.local.u32 [a], %r1;\nld.local.v2.u32 "
           "{%r2, %r3}, [a];");
    // A variable: zero by definition, but nothing gave it a value. If a store precedes the load,
    // there is no finding.
    SILENT(1,
           ".global .b32 g;\n.entry k(.param .u64 out)\n{ .reg .b32 %r<4>;\n.reg .pred "
           "%p;\nmov.u32 %r1, %tid.x;\n"
           "setp.ne.u32 %p, %r1, 3;\n@%p ret;\nst.global.u32 [g], 5;\nld.global.u32 %r1, "
           "[g];\nret; }");
    FINDS(1, ORACLE_BLANK_VARIABLE,
          ".global .b32 g;\n.global .b32 h = 4;\n.entry k(.param .u64 out)\n{ .reg .b32 %r<4>;\n"
          "ld.global.u32 %r1, [h];\nld.global.u32 %r1, [g];\nret; }",
          "t.ptx:9:", ".global variable g");
    FINDS(1, ORACLE_BLANK_VARIABLE,
          ".const .b32 c[4];\n.const .b32 e = 4;\n.entry k(.param .u64 out)\n{ .reg .b32 %r<4>;\n"
          "ld.const.u32 %r1, [e];\nld.const.u32 %r1, [c+8];\nret; }",
          "t.ptx:9:", ".const variable c");
}

static void test_lanes(void **state) {
    (void)state;
    SILENT(1,
           "shfl.sync.bfly.b32 %r2|%p1, %r1, 1, 31, -1;\nvote.sync.ballot.b32 %r3, %p1, "
           "-1;\nbar.sync 0;");
    FINDS(1, ORACLE_ABSENT_LANE,
          "setp.ge.u32 %p1, %r1, 8;\n@%p1 bra X;\nshfl.sync.bfly.b32 %r2|%p2, %r1, 1, 31, -1;\nX: "
          "bar.sync 0;",
          "t.ptx:16: kernel k, CTA (0,0,0), thread (0,0,0): shfl names the lanes 0xffffffff, of "
          "which 0xffffff00");
    SILENT(1,
           "setp.ge.u32 %p1, %r1, 8;\n@%p1 bra X;\nshfl.sync.bfly.b32 %r2|%p2, %r1, 1, 31, "
           "255;\nX: bar.sync 0;");
    FINDS(1, ORACLE_ABSENT_LANE,
          "setp.ge.u32 %p1, %r1, 8;\n@%p1 bra X;\nshfl.sync.down.b32 %r2|%p2, %r1, 4, 31, 255;\nX: "
          "bar.sync 0;",
          "t.ptx:16:", "thread (4,0,0): shfl reads lane 8");
    FINDS(1, ORACLE_ABSENT_LANE,
          "setp.eq.u32 %p1, %r1, 99;\nvote.sync.ballot.b32 %r2, %p1, 0xfffffffe;", "vote",
          "not the one that executes it");
    FINDS(1, ORACLE_SPLIT_BARRIER,
          "setp.ge.u32 %p1, %r1, 8;\n@%p1 bra X;\nbar.sync 0;\nX: add.u32 %r2, %r1, 1;",
          "t.ptx:16:", "lanes 0x000000ff of the warp execute it, 0xffffff00 do not");
    // Lanes that have ended are not missed.
    SILENT(1, "setp.eq.u32 %p1, %r1, 8;\n@%p1 ret;\nbar.sync 0;");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shared_races), cmocka_unit_test(test_global_races),
        cmocka_unit_test(test_flags),        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_copies),       cmocka_unit_test(test_memory),
        cmocka_unit_test(test_lanes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
