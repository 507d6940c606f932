// SPDX-License-Identifier: Apache-2.0
// A machine on a bench for tests of csrc/sm: configuration, memory, blocks as golden models, and
// programs in assembler text.
#ifndef SMCOSIM_TESTS_SM_SUPPORT_H
#define SMCOSIM_TESTS_SM_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sm/parts/system.h"
#include "sm/sm.h"
#include "systems/systems.h"

typedef struct Bench {
    Arena arena;
    MachineConfig cfg;
    DeviceMemory memory;
    Cosim *cosim;
    Gpu *gpu;
    GpuOptions options;
    Arch baseline;
    Diag d;
    uint32_t out, in;  // buffers
} Bench;

enum { BENCH_BYTES = 1 << 20 };

// sets: "key=value" lines separated by blanks; NULL: the preset as it is. Instructions and constant
// operands are always there unless they say otherwise: the programs here are short and straight.
static inline void bench_config(Bench *b, const char *preset, const char *sets) {
    memset(b, 0, sizeof *b);
    if (!config_load(&b->cfg, &b->arena, TEST_SOURCE_DIR "/csrc/config", preset, &b->d))
        fail_msg("%s", b->d.text);
    b->cfg.icache_bytes = 0;
    b->cfg.const_operands = CONST_OPERANDS_HIT;
    char copy[512] = "";
    if (sets) snprintf(copy, sizeof copy, "%s", sets);
    for (char *s = strtok(copy, " "); s; s = strtok(NULL, " "))
        if (!config_set(&b->cfg, s, &b->d)) fail_msg("%s", b->d.text);
    if (!config_check(&b->cfg, &b->d)) fail_msg("%s", b->d.text);
}

static inline void bench_start(Bench *b, const GpuOptions *extra) {
    assert_true(arch_of(&b->baseline, NULL, 0, &b->d));
    if (extra) b->options = *extra;
    if (!b->options.arch) b->options.arch = &b->baseline;
    const Arch *arch = b->options.arch;
    if (!arch_machine(arch, &b->cfg, &b->d)) fail_msg("%s", b->d.text);
    assert_true(device_open(&b->memory, &b->arena, &b->d));
    b->out = device_alloc(&b->memory, "out", BENCH_BYTES);
    b->in = device_alloc(&b->memory, "in", BENCH_BYTES);
    CosimOptions co = {.use = arch->blocks,
                       .shape = arch->path->shape,
                       .blocks = "model",
                       .history = 32,
                       .run_on = 20,
                       .data_dir = "",
                       .cache_dir = ""};
    b->cosim = cosim_open(&b->arena, &co, &b->cfg, &b->d);
    if (!b->cosim) fail_msg("%s", b->d.text);
    b->options.cfg = &b->cfg;
    b->options.cosim = b->cosim;
    b->options.memory = &b->memory;
    b->gpu = gpu_open(&b->arena, &b->options, &b->d);
    if (!b->gpu) fail_msg("%s", b->d.text);
}

static inline void bench_open(Bench *b, const char *preset, const char *sets) {
    bench_config(b, preset, sets);
    bench_start(b, &(GpuOptions){.check_retire = true});
}

static inline void bench_close(Bench *b) {
    gpu_close(b->gpu);
    cosim_close(b->cosim);
    device_close(&b->memory);
    arena_free(&b->arena);
}

static inline IsaProgram *bench_parse(Bench *b, const char *text) {
    IsaProgram *p = isa_parse(&b->arena, "test.isa", text, strlen(text), &b->d);
    if (!p || !isa_check(p, &b->d)) fail_msg("%s", b->d.text);
    return p;
}

// Parameters of every test program: out, in (64-bit addresses), n.
typedef struct BenchParams {
    uint64_t out, in;
    uint32_t n, zero;
} BenchParams;

static inline bool bench_try(Bench *b, const char *text, uint32_t ctas, uint32_t threads,
                             uint32_t n, uint32_t shared) {
    IsaProgram *p = bench_parse(b, text);
    BenchParams params = {b->out, b->in, n, 0};
    p->param_bytes = sizeof params;
    GpuLaunch l = {.program = p,
                   .grid = {ctas, 1, 1},
                   .block = {threads, 1, 1},
                   .shared_bytes = shared,
                   .params = (const uint8_t *)&params};
    return gpu_run(b->gpu, &l, &b->d);
}

static inline void bench_run(Bench *b, const char *text, uint32_t ctas, uint32_t threads,
                             uint32_t n) {
    if (!bench_try(b, text, ctas, threads, n, 0)) fail_msg("%s", b->d.text);
}

static inline uint32_t *bench_out(Bench *b) {
    return (uint32_t *)device_at(&b->memory, b->out, BENCH_BYTES);
}
static inline uint32_t *bench_in(Bench *b) {
    return (uint32_t *)device_at(&b->memory, b->in, BENCH_BYTES);
}
static inline uint64_t bench_count(const Bench *b, CounterId c) {
    return gpu_counters(b->gpu)->v[c];
}

// R0 = thread number in the grid, R1 = byte offset of its word.
#define BENCH_THREAD \
    "s2r R0, %ctaid.x\n s2r R1, %ntid.x\n s2r R2, %tid.x\n imad.lo.u32 R0, R0, R1, R2\n" \
    "shl R1, R0, 0x2\n"
// Store Rn to out[thread]; uses R60..R62.
#define BENCH_STORE(reg) "iadd R60, c[0][0x0], R1\n st.global.b32 _, [R60], " reg "\n"

#endif
