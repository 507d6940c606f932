// SPDX-License-Identifier: Apache-2.0
#include "sm/systems/line_table.h"

#include <string.h>

enum { LINES_OF_METADATA = 128 };   // two bits each in 32 bytes

typedef struct MdLine {
    uint32_t line;
    bool valid, dirty;
    uint64_t used;
} MdLine;

struct MdCache {
    MdLine *lines;
    uint32_t sets;
    int ways;
    uint64_t clock;
};

struct LineTable {
    Sm *sm;
    Arena *arena;
    CompressCodec codec;
    BdiBase base;
    uint8_t *kept;      // bursts of each line's image in DRAM, from DEVICE_GLOBAL_BASE on; 0: raw
    uint32_t nlines, cap;
    int nallocs;        // of the device's memory that the table knows
    MdCache *metadata;  // of each channel
};

enum { FIRST_LINE = DEVICE_GLOBAL_BASE / COMPRESS_LINE };

static void open_metadata(LineTable *t) {
    const MachineConfig *cfg = t->sm->cfg;
    const int channels = config_mem_fixed(cfg, 1).channels;
    const int64_t share = (int64_t)cfg->md_bytes * cfg->dram_channels / cfg->sm_count_gpu / channels;
    const int64_t set = (int64_t)COMPRESS_BURST * cfg->md_ways, sets = (share + set / 2) / set;
    t->metadata = ARENA_ARRAY(t->arena, MdCache, channels);
    for (int i = 0; i < channels; i++) {
        MdCache *c = &t->metadata[i];
        c->sets = sets < 1 ? 1 : (uint32_t)sets;
        c->ways = cfg->md_ways;
        c->lines = ARENA_ARRAY(t->arena, MdLine, (int64_t)c->sets * c->ways);
    }
}

LineTable *line_table_open(Sm *sm, Arena *arena, CompressCodec codec) {
    LineTable *t = ARENA_NEW(arena, LineTable);
    *t = (LineTable){.sm = sm, .arena = arena, .codec = codec, .base = (BdiBase)sm->cfg->bdi_base};
    open_metadata(t);
    return t;
}

bool line_table_check(const Sm *sm, const void *self, Diag *d) {
    const MachineConfig *cfg = sm->cfg;
    const char *arch = sm->gpu->arch.name;
    (void)self;
    if (cfg->l1_line != COMPRESS_LINE || cfg->l1_sector)
        return diag_fail(d, EXIT_USAGE, "--arch %s: lines are compressed whole: expected l1.line 128 and l1.sector 0, found "
                         "%d and %d", arch, cfg->l1_line, cfg->l1_sector);
    if (cfg->dram_access && cfg->dram_access != COMPRESS_BURST)
        return diag_fail(d, EXIT_USAGE, "--arch %s: images travel in bursts of 32 bytes: expected dram.access 32 (as "
                         "machine fermi-caba) or 0, found %d", arch, cfg->dram_access);
    return true;
}

// ---- lines ----

const Sm *line_table_sm(const void *self) { return ((const LineTable *)self)->sm; }

static int compress(const LineTable *t, const uint8_t *text, uint8_t *image) {
    return t->codec == COMPRESS_BDI ? compress_bdi(text, -1, t->base, image) : compress_line(t->codec, text, image);
}

int line_table_image(void *self, int port, uint32_t line) {
    const LineTable *t = self;
    const uint8_t *text = t->sm->gpu->options.memory->base + (uint64_t)line * COMPRESS_LINE;
    uint8_t image[COMPRESS_IMAGE], again[COMPRESS_LINE];
    (void)port;
    const int bytes = compress(t, text, image);
    if (bytes && (!decompress_line(image, again) || memcmp(again, text, COMPRESS_LINE)))
        sm_fail(t->sm, EXIT_MISMATCH, "codec %s: the image of line 0x%x does not decode to the line", compress_name[t->codec],
                line * COMPRESS_LINE);
    const int bursts = compress_bursts(bytes);
    return bursts == COMPRESS_RAW_BURSTS ? 0 : bursts;
}

static bool knows(const LineTable *t, uint32_t line) { return line - FIRST_LINE < t->nlines; }

int line_table_kept(void *self, int port, uint32_t line) {
    const LineTable *t = self;
    (void)port;
    return knows(t, line) ? t->kept[line - FIRST_LINE] : 0;
}

void line_table_keep(void *self, int port, uint32_t line, int bursts) {
    LineTable *t = self;
    (void)port;
    if (knows(t, line)) t->kept[line - FIRST_LINE] = (uint8_t)bursts;
}

static void grow(LineTable *t, uint32_t lines) {
    if (lines > t->cap) {
        const uint32_t cap = lines > 2 * t->cap ? lines : 2 * t->cap;
        uint8_t *kept = ARENA_ARRAY(t->arena, uint8_t, cap);
        if (t->nlines) memcpy(kept, t->kept, t->nlines);
        t->kept = kept;
        t->cap = cap;
    }
    t->nlines = lines;
}

void line_table_launch(Sm *sm, void *self) {
    LineTable *t = self;
    const DeviceMemory *m = sm->gpu->options.memory;
    grow(t, (m->next - DEVICE_GLOBAL_BASE + COMPRESS_LINE - 1) / COMPRESS_LINE);
    for (; t->nallocs < m->nallocs; t->nallocs++) {
        const DeviceAlloc *a = &m->allocs[t->nallocs];
        if (!a->compress || !a->bytes) continue;
        for (uint32_t line = a->addr / COMPRESS_LINE; line <= (a->addr + a->bytes - 1) / COMPRESS_LINE; line++)
            line_table_keep(t, sm->port, line, line_table_image(t, sm->port, line));
    }
}

// ---- metadata ----

MdCache *line_table_metadata(void *self, int channel) { return &((LineTable *)self)->metadata[channel]; }

MemMetadata md_cache_access(MdCache *c, uint32_t nth, bool change) {
    const uint32_t line = nth / LINES_OF_METADATA;
    MdLine *set = &c->lines[line % c->sets * (uint32_t)c->ways], *victim = set;
    for (int w = 0; w < c->ways; w++) {
        if (set[w].valid && set[w].line == line) {
            set[w].used = ++c->clock;
            set[w].dirty |= change;
            return (MemMetadata){0};
        }
        if (victim->valid && (!set[w].valid || set[w].used < victim->used)) victim = &set[w];
    }
    const MemMetadata md = {.miss = true, .evicts = victim->valid && victim->dirty, .line = line, .victim = victim->line};
    *victim = (MdLine){.line = line, .valid = true, .dirty = change, .used = ++c->clock};
    return md;
}
