// SPDX-License-Identifier: Apache-2.0
#include "bench.h"

#include "cases.h"
#include "systems/systems.h"

#include <stddef.h>
#include <string.h>

typedef struct Params {
    uint64_t in, out;
    uint8_t blob[BENCH_BLOB];
} Params;

static bool open_machine(Bench *b, Diag *d) {
    if (!config_load(&b->cfg, &b->machine, OPS_DATA_DIR, "fermi", d) || !config_check(&b->cfg, d))
        return false;
    b->arch = ARENA_NEW(&b->machine, Arch);
    if (!arch_of(b->arch, NULL, 0, d)) return false;
    CosimOptions co = {.use = b->arch->blocks,
                       .blocks = "model",
                       .history = 4,
                       .run_on = 1,
                       .data_dir = "",
                       .cache_dir = ""};
    b->cosim = cosim_open(&b->machine, &co, &b->cfg, d);
    if (!b->cosim) return false;
    GpuOptions go = {.cfg = &b->cfg,
                     .arch = b->arch,
                     .cosim = b->cosim,
                     .memory = &b->storage,
                     .check_retire = true,
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
    if (b->pack) panic_if(fclose(b->pack), "a pack could not be written");
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
    return !found.nitems ||
        diag_fail(d, EXIT_WRONG_RESULT, "%s: %s", oracle_kind_name(found.items[0].kind),
                  found.items[0].text);
}

// ---- on a GPU ----

// Code for the object in the kernel: smcosim reads its record, a GPU a handle that replaces it.
static const struct {
    const char *from, *to;
} edits[] = {{".global .align 64 .u64 record", ".visible .global .align 64 .u64 record"},
             {"mov.u64 object, record;", "ld.global.u64 object, [record];"},
             {"mov.u64 o, record;", "ld.global.u64 o, [record];"}};

static void write_module(FILE *f, Arena *arena, const char *text) {
    for (int lines = 0; lines < 3; lines++) text = strchr(text, '\n') + 1;  // its header
    for (size_t e = 0; e < sizeof edits / sizeof *edits; e++) {
        const char *at = strstr(text, edits[e].from);
        if (at)
            text = arena_printf(arena, "%.*s%s%s", (int)(at - text), text, edits[e].to,
                                at + strlen(edits[e].from));
    }
    pack_module(f, text, strlen(text));
}

static const char *object_of(const char *text) {
    static const char *const kinds[][2] = {{"tex.acube.", "acube"}, {"tex.cube.", "cube"},
                                           {"tex.", "tex"},         {"suld.", "surf"},
                                           {"sust.", "surfsave"},   {"sured.", "surfsave"}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strstr(text, kinds[k][0])) return kinds[k][1];
    return NULL;
}

static void write_job(Bench *b, Arena *arena, const char *text, const void *operands, size_t bytes,
                      uint32_t ctas) {
    Params p = {0};
    const uint32_t grid[3] = {ctas, 1, 1}, block[3] = {BENCH_THREADS, 1, 1};
    const char *object = object_of(text);
    for (int i = 0; i < BENCH_BLOB; i++) p.blob[i] = case_blob(i);
    pack_job(b->pack, b->job);
    pack_header(b->pack, "8.0", "sm_90");
    pack_header(b->pack, "8.8", "sm_90");
    pack_header(b->pack, "6.3", "sm_61");  // without .sync
    write_module(b->pack, arena, text);
    pack_buffer(b->pack, bytes, 0, false, operands, bytes);
    pack_buffer(b->pack, bytes, 0xee, true, NULL, 0);
    if (object) pack_object(b->pack, object);
    pack_patch(b->pack, offsetof(Params, in), 0, 0);
    pack_patch(b->pack, offsetof(Params, out), 1, 0);
    pack_launch(b->pack, 0, "k", grid, block, 0, &p, sizeof p);
    pack_end(b->pack);
}

enum { SURFACE_ROW = 16 };

// Stores to a surface: the values that the kernel read back from memory are in the array, a row for
// each thread.
static bool take_results(Bench *b, size_t bytes, const uint8_t **results, Diag *d) {
    const PackResult *r = pack_find(b->results, b->job);
    if (!r) return diag_fail(d, EXIT_ENVIRONMENT, "no result");
    if (r->fail) return diag_fail(d, EXIT_ENVIRONMENT, "%s", r->fail);
    if (r->buffers[1].n != bytes) return diag_fail(d, EXIT_USAGE, "a result of another size");
    static uint8_t to[1 << 15];
    panic_if(bytes > sizeof to, "a result of %zu bytes", bytes);
    memcpy(to, r->buffers[1].at, bytes);
    for (size_t i = 0; (i + 1) * SURFACE_ROW <= r->array.n && 2 * (i + 1) * SURFACE_ROW <= bytes;
         i++)
        memcpy(to + 2 * i * SURFACE_ROW, r->array.at + i * SURFACE_ROW, SURFACE_ROW);
    *results = to;
    return true;
}

bool bench_files(Bench *b, const char *mode, const char *file, Diag *d) {
    static PackResults results;
    if (!strcmp(mode, "gpu")) {
        b->results = &results;
        return pack_load(&results, &b->memory, file, d);
    }
    b->pack = fopen(file, "w");
    return b->pack || diag_fail(d, EXIT_ENVIRONMENT, "cannot write %s", file);
}

bool bench_run(Bench *b, const char *text, const void *operands, size_t bytes, uint32_t ctas,
               const uint8_t **results, Diag *d) {
    Arena arena = {0};
    bool ok = true;
    if (b->pack) write_job(b, &arena, text, operands, bytes, ctas);
    else
        ok = b->results ? take_results(b, bytes, results, d)
                        : run_loaded(b, &arena, text, operands, bytes, ctas, results, d);
    b->storage.nallocs = b->storage.cap_allocs = 0;  // they were on the arena
    arena_free(&arena);
    return ok;
}
