// SPDX-License-Identifier: Apache-2.0
#include "bench.h"

#include "cases.h"

#include <string.h>

typedef struct Params {
    uint64_t in, out;
    uint8_t blob[BENCH_BLOB];
} Params;

static bool open_machine(Bench *b, Diag *d) {
    if (!config_load(&b->cfg, &b->machine, OPS_DATA_DIR, "fermi", d) || !config_check(&b->cfg, d))
        return false;
    CosimOptions co = {
        .use = gpu_blocks(NULL), .blocks = "model", .history = 4, .run_on = 1, .data_dir = "", .cache_dir = ""};
    b->cosim = cosim_open(&b->machine, &co, &b->cfg, d);
    if (!b->cosim) return false;
    GpuOptions go = {.cfg = &b->cfg, .cosim = b->cosim, .memory = &b->storage, .check_retire = true,
                     .max_cycles = 3000000};
    b->gpu = gpu_open(&b->machine, &go, d);
    return b->gpu != NULL;
}

static void close_machine(Bench *b) {
    if (b->gpu) gpu_close(b->gpu);
    if (b->cosim) cosim_close(b->cosim);
    b->gpu = NULL;
    b->cosim = NULL;
    arena_free(&b->machine);
}

bool bench_open(Bench *b, bool on_sm, Diag *d) {
    *b = (Bench){.on_sm = on_sm};
    return device_open(&b->storage, &b->memory, d) && (!on_sm || open_machine(b, d));
}

bool bench_reopen(Bench *b, Diag *d) {
    if (!b->on_sm) return true;
    close_machine(b);
    return open_machine(b, d);
}

void bench_close(Bench *b) {
    close_machine(b);
    device_close(&b->storage);
    arena_free(&b->memory);
}

static bool run_sm(Bench *b, Arena *arena, const OracleRun *r, Diag *d) {
    CompileOptions co = {.max_regs = 63, .cfg = &b->cfg};
    IsaProgram *program = compile_kernel(arena, r->module, r->entry, r->layout, r->shared, &co, d);
    if (!program || !isa_check(program, d)) return false;
    GpuLaunch l = {
        .program = program, .module = r->module, .layout = r->layout, .params = r->params};
    memcpy(l.grid, r->grid, sizeof l.grid);
    memcpy(l.block, r->block, sizeof l.block);
    return gpu_run(b->gpu, &l, d);
}

static bool run_loaded(Bench *b, Arena *arena, const char *text, const void *operands, size_t bytes,
                       uint32_t ctas, const uint8_t **results, Diag *d) {
    PtxModule *m = ptx_parse(arena, "case.ptx", text, strlen(text), d);
    const PtxFunc *entry = m ? ptx_entry(m, "k", d) : NULL;
    if (!entry) return false;
    // All runs use the same image: allocations start anew.
    b->storage.nallocs = b->storage.last = b->storage.cap_allocs = 0;
    b->storage.next = DEVICE_GLOBAL_BASE;
    b->storage.arena = arena;
    b->storage.allocs = NULL;
    Params p = {.in = device_alloc(&b->storage, "operands", bytes),
                .out = device_alloc(&b->storage, "results", bytes)};
    for (int i = 0; i < BENCH_BLOB; i++) p.blob[i] = case_blob(i);
    memcpy(b->storage.base + p.in, operands, bytes);
    memset(b->storage.base + p.out, 0xee, bytes);
    *results = b->storage.base + p.out;
    ModuleLayout layout;
    SharedLayout shared;
    if (!layout_module(&layout, arena, m, &b->storage, d) ||
        !layout_shared(&shared, arena, m, entry, d))
        return false;
    OracleRun run = {.module = m,
                     .entry = entry,
                     .layout = &layout,
                     .shared = &shared,
                     .grid = {ctas, 1, 1},
                     .block = {BENCH_THREADS, 1, 1},
                     .params = (const uint8_t *)&p,
                     .memory = &b->storage,
                     .max_insts = 100000000,
                     .turn = b->turn};
    if (b->on_sm) return run_sm(b, arena, &run, d);
    OracleFindings found = {.arena = arena, .races = true};
    if (b->well_defined) run.findings = &found;
    if (!oracle_run(&run, d)) return false;
    return !found.nitems || diag_fail(d, EXIT_WRONG_RESULT, "%s: %s", oracle_kind_name(found.items[0].kind),
                                      found.items[0].text);
}

bool bench_run(Bench *b, const char *text, const void *operands, size_t bytes, uint32_t ctas,
               const uint8_t **results, Diag *d) {
    Arena arena = {0};
    bool ok = run_loaded(b, &arena, text, operands, bytes, ctas, results, d);
    b->storage.nallocs = b->storage.cap_allocs = 0;   // they lay on the arena
    arena_free(&arena);
    return ok;
}
