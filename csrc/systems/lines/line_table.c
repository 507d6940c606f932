// SPDX-License-Identifier: Apache-2.0
#include "systems/lines/line_table.h"

#include "systems/lines/line_blocks.h"

#include <string.h>

enum { LINES_OF_METADATA = 128 };  // two bits each in 32 bytes

typedef struct MdLine {
    uint32_t line;
    bool valid, dirty;
    bool unsure;  // new buffers were copied past the cache
    uint64_t used;
} MdLine;

typedef struct MdCache {
    MdLine *lines;
    uint32_t sets;
    int ways;
    uint64_t clock;
} MdCache;

struct LineTable {
    Sm *sm;
    Arena *arena;
    CompressCodec codec;
    BdiBase base;
    const CompressPrices *prices;  // of COMPRESS_BEST; NULL: bursts decide
    uint8_t *kept;  // bursts of each line's image in DRAM, from DEVICE_GLOBAL_BASE on; 0: raw
    uint32_t nlines, cap;
    int nallocs;        // allocations of the device's memory covered by the table
    MdCache *metadata;  // of each channel
    int channels;
    LineBlocks *blocks;  // NULL: none
};

enum { FIRST_LINE = DEVICE_GLOBAL_BASE / COMPRESS_LINE };

void line_table_machine(MachineConfig *cfg) {
    const int channels = config_mem_fixed(cfg, 1).channels;
    const int64_t share =
        (int64_t)cfg->md_bytes * cfg->dram_channels / cfg->sm_count_gpu / channels;
    const int64_t set = (int64_t)COMPRESS_BURST * cfg->md_ways;
    int64_t sets = 1;
    while (2 * sets * sets * set * set < share * share) sets *= 2;
    cfg->md_bytes = (int)(sets * set);
}

static void open_metadata(LineTable *t) {
    const MachineConfig *cfg = t->sm->cfg;
    t->channels = config_mem_fixed(cfg, 1).channels;
    t->metadata = ARENA_ARRAY(t->arena, MdCache, t->channels);
    for (int i = 0; i < t->channels; i++) {
        MdCache *c = &t->metadata[i];
        c->ways = cfg->md_ways;
        c->sets = (uint32_t)(cfg->md_bytes / (COMPRESS_BURST * c->ways));
        c->lines = ARENA_ARRAY(t->arena, MdLine, (int64_t)c->sets * c->ways);
    }
}

LineTable *line_table_open(Sm *sm, Arena *arena, CompressCodec codec, LineBlocks *blocks) {
    LineTable *t = ARENA_NEW(arena, LineTable);
    *t = (LineTable){.sm = sm,
                     .arena = arena,
                     .codec = codec,
                     .base = (BdiBase)sm->cfg->bdi_base,
                     .blocks = blocks};
    open_metadata(t);
    return t;
}

bool line_table_check(const Sm *sm, const void *self, Diag *d) {
    const MachineConfig *cfg = sm->cfg;
    const char *arch = sm->gpu->arch.name;
    (void)self;
    if (cfg->l1_line != COMPRESS_LINE || cfg->l1_sector)
        return diag_fail(
            d, EXIT_USAGE,
            "--arch %s: lines are compressed whole: expected l1.line 128 and l1.sector 0, found "
            "%d and %d",
            arch, cfg->l1_line, cfg->l1_sector);
    if (cfg->dram_access && cfg->dram_access != COMPRESS_BURST)
        return diag_fail(
            d, EXIT_USAGE,
            "--arch %s: images travel in bursts of 32 bytes: expected dram.access 32 (as "
            "machine fermi-caba) or 0, found %d",
            arch, cfg->dram_access);
    return true;
}

// ---- lines ----

void line_table_price(LineTable *t, const CompressPrices *prices) { t->prices = prices; }

int line_table_compress(const LineTable *t, const uint8_t *text, uint8_t *image) {
    if (t->codec == COMPRESS_BDI) return compress_bdi(text, -1, t->base, image);
    return t->prices ? compress_cheapest(t->prices, text, image)
                     : compress_line(t->codec, text, image);
}

int line_table_image(void *self, int port, uint32_t line) {
    const LineTable *t = self;
    const uint8_t *text = t->sm->memory->base + (uint64_t)line * COMPRESS_LINE;
    uint8_t image[COMPRESS_IMAGE], again[COMPRESS_LINE];
    (void)port;
    const int bytes = line_table_compress(t, text, image);
    if (bytes && (!decompress_line(image, again) || memcmp(again, text, COMPRESS_LINE)))
        sm_fail(t->sm, EXIT_MISMATCH,
                "codec %s: the image of line 0x%x does not decode to the line",
                compress_name[t->codec], line * COMPRESS_LINE);
    const int bursts = compress_bursts(bytes);
    return bursts == COMPRESS_RAW_BURSTS ? 0 : bursts;
}

static bool knows_line(const LineTable *t, uint32_t line) { return line - FIRST_LINE < t->nlines; }

int line_table_kept(void *self, int port, uint32_t line) {
    const LineTable *t = self;
    (void)port;
    return knows_line(t, line) ? t->kept[line - FIRST_LINE] : 0;
}

void line_table_keep(void *self, int port, uint32_t line, int bursts) {
    LineTable *t = self;
    (void)port;
    if (knows_line(t, line)) t->kept[line - FIRST_LINE] = (uint8_t)bursts;
}

static void grow_kept(LineTable *t, uint32_t lines) {
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
    const DeviceMemory *m = sm->memory;
    grow_kept(t, (m->next - DEVICE_GLOBAL_BASE + COMPRESS_LINE - 1) / COMPRESS_LINE);
    for (int i = 0; i < t->channels && t->nallocs < m->nallocs; i++)
        for (uint32_t k = 0; k < t->metadata[i].sets * (uint32_t)t->metadata[i].ways; k++)
            t->metadata[i].lines[k].unsure = true;
    for (; t->nallocs < m->nallocs; t->nallocs++) {
        const DeviceAlloc *a = &m->allocs[t->nallocs];
        if (!a->compress || !a->bytes) continue;
        for (uint32_t line = a->addr / COMPRESS_LINE;
             line <= (a->addr + a->bytes - 1) / COMPRESS_LINE; line++)
            line_table_keep(t, sm->port, line, line_table_image(t, sm->port, line));
    }
}

// ---- metadata ----

// Two bits each, in memory order: bursts of the image minus one; 3: raw.
static void fields_of(const LineTable *t, uint32_t md_line, uint32_t fields[MD_WORDS]) {
    memset(fields, 0, MD_WORDS * sizeof *fields);
    for (uint32_t i = 0; i < LINES_OF_METADATA; i++) {
        const uint32_t line = mem_codec_line(t->sm->mem, 0, md_line * LINES_OF_METADATA + i);
        const int kept = line_table_kept((void *)t, t->sm->port, line);
        fields[i / 16] |= (uint32_t)(kept ? kept - 1 : 3) << i % 16 * 2;
    }
}

static MemMetadata access_metadata(const LineTable *t, MdCache *c, uint32_t nth, MdAccess *a) {
    const uint32_t line = nth / LINES_OF_METADATA;
    MdLine *set = &c->lines[line % c->sets * (uint32_t)c->ways], *victim = set;
    const bool first = c == t->metadata && t->blocks;
    for (int w = 0; w < c->ways; w++) {
        if (set[w].valid && set[w].line == line) {
            set[w].used = ++c->clock;
            set[w].dirty |= a->change;
            a->known = !set[w].unsure;
            return (MemMetadata){0};
        }
        if (victim->valid && (!set[w].valid || set[w].used < victim->used)) victim = &set[w];
    }
    const MemMetadata md = {.miss = true,
                            .evicts = victim->valid && victim->dirty,
                            .line = line,
                            .victim = victim->line};
    a->victim_known = !victim->unsure;
    if (first && md.evicts) fields_of(t, md.victim, a->victim);
    *victim = (MdLine){.line = line, .valid = true, .dirty = a->change, .used = ++c->clock};
    return md;
}

MemMetadata line_table_metadata(void *self, int channel, uint32_t nth, bool change) {
    const LineTable *t = self;
    MdAccess a = {.line = nth / LINES_OF_METADATA,
                  .field = (uint8_t)(nth % LINES_OF_METADATA),
                  .change = change};
    a.md = access_metadata(t, &t->metadata[channel], nth, &a);
    if (channel || !t->blocks) return a.md;
    const int kept = line_table_kept(self, t->sm->port, mem_codec_line(t->sm->mem, 0, nth));
    a.value = (uint8_t)(kept ? kept - 1 : 3);
    if (a.md.miss) fields_of(t, a.line, a.fields);
    line_blocks_metadata(t->blocks, &a);
    return a.md;
}
