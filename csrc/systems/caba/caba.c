// SPDX-License-Identifier: Apache-2.0
// CABA: the systems with assist warps that decompress and compress lines. Related files: the table
// of routines in flight (caba_table.c), the controller (caba_ctrl.c) and deployment
// (caba_deploy.c). Accesses of the line buffer `line` leave the collectors through the port of SFU,
// which never waits for memory. The paper does not specify this. Through the port of LD/ST a
// routine could deadlock: it would wait for loads that wait for MSHRs that wait for routines.
#include "systems/caba/caba.h"

#include "systems/lines/line_blocks.h"
#include "systems/lines/line_table.h"
#include "systems/systems.h"

// ---- open, launch ----

static int most_regs(const CabaProgram *program, bool stores) {
    int most = 0;
    for (int i = 0; i < CABA_ROUTINES; i++)
        if (program[i].text && (i >= CABA_BDI_STORE) == stores && program[i].nregs > most)
            most = program[i].nregs;
    return most;
}

// Registers behind the kernel's. Shared ones hold one routine of a warp at a time.
static int routine_regs(const Sm *sm, int load_regs, int store_regs) {
    if (sm->cfg->caba_registers == CABA_REGISTERS_APART) return load_regs + store_regs;
    return load_regs > store_regs ? load_regs : store_regs;
}

int caba_aligned(int regs) { return (regs + CABA_ALIGN - 1) / CABA_ALIGN * CABA_ALIGN; }

static const CabaUse lines;

void *caba_open(Sm *sm, Arena *arena, const CabaStore *store, CompressCodec codec) {
    Caba *s = caba_core_open(sm, arena, &lines, NULL);
    Diag d = {0};
    s->codec = codec;
    s->check = sm->cfg->caba_check == CABA_CHECK_CODEC;
    const bool tries = codec == COMPRESS_BDI && sm->cfg->bdi_trial == BDI_TRIAL_LAST;
    panic_if(!caba_assemble(arena, store, codec, tries, s->program, &d), "%s", d.text);
    s->load_regs = caba_aligned(most_regs(s->program, false));
    s->store_regs = caba_aligned(most_regs(s->program, true));
    caba_lines_open(s);
    return s;
}

static bool check(const Sm *sm, const void *self, Diag *d) {
    const Caba *s = self;
    if (sm->cfg->caba_design == CABA_DIRECT && s->codec != COMPRESS_BDI)
        return diag_fail(d, EXIT_USAGE,
                         "--arch %s: loads can read only BDI images directly: expected caba-bdi, "
                         "or another caba.design than direct-load",
                         sm->gpu->arch.name);
    if (sm->cfg->bdi_base != BDI_FIRST_MISFIT && s->codec == COMPRESS_BDI)
        return diag_fail(
            d, EXIT_USAGE,
            "--arch %s: routines of BDI use the first value that is no delta from zero as base: "
            "expected bdi.base first-misfit, or hw-bdi, hw-bdi-mem or ideal-bdi",
            sm->gpu->arch.name);
    if (sm->cfg->bdi_trial != BDI_TRIAL_SIZE && s->codec == COMPRESS_BEST)
        return diag_fail(d, EXIT_USAGE,
                         "--arch %s: the assist warp store has no room for routines of each "
                         "encoding beside those of three codecs: expected bdi.trial size, or "
                         "caba-bdi, found last-first",
                         sm->gpu->arch.name);
    if (sm->cfg->bdi_trial != BDI_TRIAL_SIZE && s->codec != COMPRESS_BDI)
        return diag_fail(d, EXIT_USAGE,
                         "--arch %s: its routines try no encodings of BDI: expected bdi.trial "
                         "size, or caba-bdi, found last-first",
                         sm->gpu->arch.name);
    return line_table_check(sm, s->table, d);
}

static void launch(Sm *sm, void *self) {
    Caba *s = self;
    const int first = caba_aligned(sm->launch->program->home_regs);
    const bool apart = sm->cfg->caba_registers == CABA_REGISTERS_APART;
    const int of_stores = first + (apart ? s->load_regs : 0);
    for (int i = 0; i < CABA_ROUTINES; i++) {
        CabaProgram *p = &s->program[i];
        if (p->text &&
            !caba_relocate(sm, p, i >= CABA_BDI_STORE ? of_stores : first, NULL, sm->diag))
            sm_stop(sm);
    }
    caba_core_launch(s);
    caba_lines_launch(sm, s);
}

// ---- admission ----

static int homes(const Sm *sm, const void *self, int regs) {
    const Caba *s = self;
    return caba_aligned(regs) + routine_regs(sm, s->load_regs, s->store_regs);
}

static const Admission admission = {.homes = homes, .rests = caba_rests};

// ---- the line buffer ----

static bool takes(const Sm *sm, const void *self, const SmInst *in) {
    (void)sm, (void)self;
    return in->isa->space == ISA_LINE && (in->isa->op == ISA_LD || in->isa->op == ISA_ST);
}

static const UnitRow line_buffer = {.name = "line buffer",
                                    .takes = takes,
                                    .beside = UNIT_SFU,
                                    .interval = 1,
                                    .share = 50,
                                    .stall = CTR_STALL_LDST,
                                    .wait = CTR_WAIT_LDST,
                                    .done = CTR_EXEC_LDST,
                                    .execute = caba_execute};

// ---- requests of lines ----

// Flushes the stores of warps that wait at a fence.
static void flush_fences(Sm *sm, Caba *s) {
    (void)s;
    for (WarpSet left = sm->resident & sm->has_inst & ~sm->ready & ~sm->ended; left;
         left &= left - 1) {
        const int warp = lowest(left);
        const InstStream *own = &sm->warps[warp].own;
        if (sm->warps[warp].hazard == HAZARD_MEMBAR && own->insts[own->pc].isa->op == ISA_MEMBAR)
            mem_stores_flush(sm->mem, sm->port, warp);
    }
}

static void begin_arrivals(Sm *sm, Caba *s) {
    if (s->nwaiting || s->nmade) caba_lines_arrivals(sm, s);
}

static void run_blocks(Sm *sm, Caba *s) { line_blocks_cycle(sm, s->blocks); }
static bool none_waits(const Caba *s) { return !s->nwaiting; }

static const CabaUse lines = {.before = flush_fences,
                              .ended = caba_line_made,
                              .gave_up = caba_store_raw,
                              .begin = begin_arrivals,
                              .behind = run_blocks,
                              .rests = none_waits};

static const Listener listener = {.scheduler_class = caba_on_class,
                                  .cycle_end = caba_on_cycle_end,
                                  .begun = caba_on_begun,
                                  .ended = caba_on_ended};

// ---- systems ----

// Lines of L1 for waiting stores and for the image of a line that L2 requests raw.
enum { STORE_LINES = 16 };

static bool machine(MachineConfig *cfg, Diag *d) {
    const int sets = (STORE_LINES + cfg->l1_ways - 1) / cfg->l1_ways;
    if (cfg->l1_sets <= sets)
        return diag_fail(d, EXIT_USAGE,
                         "stores occupy %d lines of L1, expected l1.sets above %d, found %d",
                         STORE_LINES, sets, cfg->l1_sets);
    cfg->l1_sets -= sets;
    line_table_machine(cfg);
    return true;
}

// caba-off: registers and lines of L1 are reserved, and no routine ever begins.
typedef struct CabaOff {
    int regs;
} CabaOff;

static void *open_off(Sm *sm, Arena *arena) {
    CabaOff *s = ARENA_NEW(arena, CabaOff);
    CabaProgram program[CABA_ROUTINES] = {0};
    Diag d = {0};
    panic_if(!caba_assemble(arena, &caba_store, COMPRESS_BDI, false, program, &d), "%s", d.text);
    s->regs = routine_regs(sm, caba_aligned(most_regs(program, false)),
                           caba_aligned(most_regs(program, true)));
    return s;
}

static int homes_off(const Sm *sm, const void *self, int regs) {
    (void)sm;
    return caba_aligned(regs) + ((const CabaOff *)self)->regs;
}

static const Admission admission_off = {.homes = homes_off};

#define OPEN(name, codec) \
    static void *open_##name(Sm *sm, Arena *arena) { \
        return caba_open(sm, arena, &caba_store, codec); \
    }
OPEN(bdi, COMPRESS_BDI)
OPEN(fpc, COMPRESS_FPC)
OPEN(cpack, COMPRESS_CPACK)
OPEN(best, COMPRESS_BEST)

static const char *const blocks_bdi[] = {"assist_ctrl", "bdi_compress", "bdi_decompress",
                                         "md_cache", NULL},
                         *const blocks_other[] = {"assist_ctrl", "md_cache", NULL};
#define blocks_fpc blocks_other
#define blocks_cpack blocks_other
#define blocks_best blocks_bdi

#define SYSTEM(text, id) \
    { \
        .name = "caba-" #id, .what = text, .group = SYSTEM_LINES, .with = 0, \
        .reason = "its assist warps take registers, issue slots and the second stream of the " \
                  "baseline's warps", \
        .compiler = {.reserve = CABA_RESERVE, .routines = true}, .blocks = blocks_##id, \
        .summary = summary_lines, .figures = figures_lines, .machine = machine, .open = open_##id, \
        .check = check, .launch = launch, .hazards = &caba_hazards, .units = &line_buffer, \
        .nunits = 1, .stream = &caba_stream, .admission = &admission, .codec = &caba_codec, \
        .listener = &listener \
    }

const System system_caba_bdi =
    SYSTEM("assist warps compress and decompress lines (BDI) of L2, DRAM and the crossbar", bdi);
const System system_caba_fpc = SYSTEM("caba-bdi with FPC", fpc);
const System system_caba_cpack = SYSTEM("caba-bdi with C-Pack", cpack);
const System system_caba_best =
    SYSTEM("caba-bdi with the best of the three codecs for each line", best);
const System system_caba_off = {
    .name = "caba-off",
    .what = "the registers and L1 lines of caba-bdi without its assist warps",
    .group = SYSTEM_LINES,
    .with = 0,
    .reason = "it uses registers and L1 lines of the baseline",
    .summary = summary_lines,
    .figures = figures_lines,
    .compiler = {.reserve = CABA_RESERVE},
    .machine = machine,
    .open = open_off,
    .admission = &admission_off,
};
