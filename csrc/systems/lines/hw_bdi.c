// SPDX-License-Identifier: Apache-2.0
// Lines compressed by hardware, CABA's comparators (sections 6 and 7). In hw-bdi-mem the memory
// controller contains BDI, so lines are compressed in DRAM only. In hw-bdi the SM contains BDI, so
// lines are compressed in L2 and on the crossbar too. The system ideal-bdi is hw-bdi without
// latencies and with metadata always available. None of them uses registers, issue slots or L1
// sets.
//
// csrc/mem/images.c records where a line is compressed, and in how many bursts. This file has the
// codec, the table of lines in DRAM, and the metadata cache. An image is made when the line leaves
// the SM or L2, although values move when an instruction dispatches. Each image is checked to
// decode to the line. Blocks bdi_compress, bdi_decompress and md_cache receive the same lines,
// images and accesses, and must give the same answers (line_blocks.h).
//
// Before the first kernel, lines of buffers with data are compressed, as if during the copy to the
// GPU. Other lines are raw (launch file: `compress`).
#include "systems/lines/line_blocks.h"
#include "systems/lines/line_table.h"
#include "systems/systems.h"

typedef struct HwBdi {
    Sm *sm;
    LineTable *table;
    LineBlocks *blocks;
} HwBdi;

static void *open(Sm *sm, Arena *arena) {
    HwBdi *s = ARENA_NEW(arena, HwBdi);
    s->sm = sm;
    s->blocks = line_blocks_open(sm, arena, true);
    s->table = line_table_open(sm, arena, COMPRESS_BDI, s->blocks);
    return s;
}

static void *open_ideal(Sm *sm, Arena *arena) {
    HwBdi *s = ARENA_NEW(arena, HwBdi);
    s->sm = sm;
    s->table = line_table_open(sm, arena, COMPRESS_BDI, NULL);
    return s;
}

static bool check(const Sm *sm, const void *self, Diag *d) {
    if (sm->cfg->bdi_trial != BDI_TRIAL_SIZE)
        return diag_fail(d, EXIT_USAGE,
                         "--arch %s: hardware tries all encodings of BDI at once: expected "
                         "bdi.trial size, or caba-bdi, "
                         "found last-first",
                         sm->gpu->arch.name);
    return line_table_check(sm, ((const HwBdi *)self)->table, d);
}
static void launch(Sm *sm, void *self) { line_table_launch(sm, ((HwBdi *)self)->table); }

static bool machine(MachineConfig *cfg, Diag *d) {
    (void)d;
    line_table_machine(cfg);
    return true;
}

// ---- the line codec ----

static const uint8_t *text_of(const HwBdi *s, uint32_t line) {
    return s->sm->memory->base + (uint64_t)line * COMPRESS_LINE;
}

static int image(void *self, int port, uint32_t line) {
    HwBdi *s = self;
    if (s->blocks) line_blocks_compress(s->blocks, text_of(s, line));
    return line_table_image(s->table, port, line);
}

static int kept(void *self, int port, uint32_t line) {
    return line_table_kept(((HwBdi *)self)->table, port, line);
}
static void keep(void *self, int port, uint32_t line, int bursts) {
    line_table_keep(((HwBdi *)self)->table, port, line, bursts);
}

static MemMetadata metadata(void *self, int port, int channel, uint32_t nth, bool change) {
    (void)port;
    return line_table_metadata(((HwBdi *)self)->table, channel, nth, change);
}

// An image in flight to its decompressor: of the line's present contents, if these still compress.
static void leaves(void *self, int port, int32_t id, uint32_t line) {
    HwBdi *s = self;
    uint8_t bytes[COMPRESS_IMAGE];
    (void)port, (void)id;
    if (compress_bdi(text_of(s, line), -1, (BdiBase)s->sm->cfg->bdi_base, bytes))
        line_blocks_decompress(s->blocks, bytes, text_of(s, line));
}

enum { COMPRESS_CYCLES = 5 };

static int cycles(const void *self, bool write) {
    return write ? COMPRESS_CYCLES : ((const HwBdi *)self)->sm->cfg->bdi_read_cycles;
}

static void on_cycle_end(Sm *sm, void *self, const CycleEvent *e) {
    (void)e;
    if (!sm->failed) line_blocks_cycle(sm, ((HwBdi *)self)->blocks);
}

static const Listener listener = {.cycle_end = on_cycle_end};
static const char *const blocks[] = {"bdi_compress", "bdi_decompress", "md_cache", NULL};

#define IMAGES .image = image, .kept = kept, .keep = keep

static const MemCodec at_sm = {IMAGES, .links = true, .cycles = cycles, .metadata = metadata,
                               .leaves = leaves};
static const MemCodec at_memory = {IMAGES, .cycles = cycles, .metadata = metadata,
                                   .leaves = leaves};
static const MemCodec ideal = {IMAGES, .links = true};

#define LINES \
    .group = SYSTEM_LINES, .with = 0, \
    .reason = "its lines are compressed by hardware beside the baseline", .check = check, \
    .summary = summary_lines, .figures = figures_lines, .launch = launch
#define HW_BDI LINES, .open = open, .machine = machine, .blocks = blocks, .listener = &listener

const System system_hw_bdi = {
    .name = "hw-bdi",
    .what = "lines compressed (BDI) in L2, DRAM and on the crossbar, by hardware at the SM",
    HW_BDI,
    .codec = &at_sm};
const System system_hw_bdi_mem = {
    .name = "hw-bdi-mem",
    .what = "lines compressed (BDI) in DRAM, by hardware at the memory controllers",
    HW_BDI,
    .codec = &at_memory};
const System system_ideal_bdi = {.name = "ideal-bdi",
                                 .what = "hw-bdi without latencies, metadata always at hand",
                                 LINES,
                                 .open = open_ideal,
                                 .codec = &ideal};
