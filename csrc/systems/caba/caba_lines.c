// SPDX-License-Identifier: Apache-2.0
// CABA: lines. An image is made when its line is compressed, and this file stores the image as L2
// and DRAM hold it. Before the first kernel the codec makes the images, as if during the copy to
// the GPU. Afterwards assist warps make them. The image is copied when it leaves L2, and a routine
// decompresses this copy.
//
// Data move at the dispatch of an instruction, so a routine cannot be late for a load. The line
// that a routine writes still affects results. If the line differs from the image's line, it
// replaces bytes of the waiting loads, and of loads that hit the line in L1 later. If an image
// encodes another line than the compressed one, it changes memory accordingly.
#include "systems/caba/caba.h"

#include "systems/lines/line_blocks.h"
#include "systems/lines/line_table.h"

#include "sm/stages/ldst.h"
#include "sm/stages/writeback.h"

#include <string.h>

enum { FIRST_LINE = DEVICE_GLOBAL_BASE / COMPRESS_LINE, NO_ENCODING = -1 };
#define ALL_LANES (~0u)  // of any warp: a routine encodes a whole line

// caba.best=cycles: prices in thousandths of a cycle. A burst occupies the SM's share of the DRAM
// bus, and an instruction of the routine occupies an issue slot of one of the schedulers.
static void price_codecs(Caba *s) {
    const MachineConfig *cfg = s->sm->cfg;
    if (s->codec != COMPRESS_BEST || cfg->caba_best == CABA_BEST_BURSTS) return;
    const int64_t share = cfg->dram_bytes_per_kcycle / cfg->sm_count_gpu;
    s->prices.burst = (int64_t)COMPRESS_BURST * 1000 * 1000 / (share > 0 ? share : 1);
    for (int i = 0; i < CABA_BDI_STORE; i++) {
        const CompressCodec codec = i == CABA_FPC_LOAD ? COMPRESS_FPC
            : i == CABA_CPACK_LOAD                     ? COMPRESS_CPACK
                                                       : COMPRESS_BDI;
        const int64_t slots = (int64_t)s->program[i].ninsts * 1000 / cfg->sm_schedulers;
        if (slots > s->prices.decompress[codec]) s->prices.decompress[codec] = slots;
    }
    line_table_price(s->table, &s->prices);
}

void caba_lines_open(Caba *s) {
    const int packets = mem_codec_packets(s->sm->mem);
    s->bdi = s->codec == COMPRESS_BDI || s->codec == COMPRESS_BEST;
    s->blocks = line_blocks_open(s->sm, s->arena, s->bdi);
    s->table = line_table_open(s->sm, s->arena, s->codec, s->blocks);
    price_codecs(s);
    s->waiting = ARENA_ARRAY(s->arena, MemArrival, packets);
    s->made = ARENA_ARRAY(s->arena, struct CabaImage, CABA_ENTRIES);
    s->moving = (void *)ARENA_ARRAY(s->arena, uint8_t, (int64_t)packets * COMPRESS_IMAGE);
}

static uint8_t *memory_of(const Caba *s, uint32_t line) {
    return s->sm->memory->base + (uint64_t)line * COMPRESS_LINE;
}

// caba.ideal: without a routine.
static bool load_is_free(const Sm *sm) {
    return sm->cfg->caba_ideal == CABA_IDEAL_LOAD || sm->cfg->caba_ideal == CABA_IDEAL_BOTH;
}
static bool store_is_free(const Sm *sm) {
    return sm->cfg->caba_ideal == CABA_IDEAL_STORE || sm->cfg->caba_ideal == CABA_IDEAL_BOTH;
}

static int compress_text(const Caba *s, const uint8_t *text, uint8_t *image) {
    return line_table_compress(s->table, text, image);
}

// bdi.trial last-first: if the encoding of the last image fits, it precedes smaller encodings.
static int compress_last_first(const Caba *s, const uint8_t *text, uint8_t *image) {
    const int bytes = s->last == NO_ENCODING
        ? 0
        : compress_bdi(text, s->last, (BdiBase)s->sm->cfg->bdi_base, image);
    return bytes ? bytes : compress_text(s, text, image);
}

static void remember_encoding(Caba *s, const uint8_t *image) {
    if (s->sm->cfg->bdi_trial == BDI_TRIAL_LAST) s->last = image[0] & 15;
}

static void grow_held(Caba *s, uint32_t lines) {
    if (lines > s->cap_held) {
        const uint32_t cap = lines > 2 * s->cap_held ? lines : 2 * s->cap_held;
        uint8_t *held = ARENA_ARRAY(s->arena, uint8_t, (int64_t)cap * COMPRESS_IMAGE);
        if (s->nheld) memcpy(held, s->held, (size_t)s->nheld * COMPRESS_IMAGE);
        s->held = (void *)held;
        s->cap_held = cap;
    }
    s->nheld = lines;
}

void caba_lines_launch(Sm *sm, Caba *s) {
    const DeviceMemory *m = sm->memory;
    line_table_launch(sm, s->table);
    grow_held(s, (m->next - DEVICE_GLOBAL_BASE + COMPRESS_LINE - 1) / COMPRESS_LINE);
    for (; s->nallocs < m->nallocs; s->nallocs++) {
        const DeviceAlloc *a = &m->allocs[s->nallocs];
        if (!a->compress || !a->bytes) continue;
        for (uint32_t line = a->addr / COMPRESS_LINE;
             line <= (a->addr + a->bytes - 1) / COMPRESS_LINE; line++)
            if (line_table_kept(s->table, sm->port, line))
                compress_text(s, memory_of(s, line), s->held[line - FIRST_LINE]);
    }
    memset(s->image_used, 0, sizeof s->image_used);
    s->last = NO_ENCODING;
}

// ---- registers of routines ----

void caba_store_raw(Sm *sm, Caba *s, Assist *a) {
    (void)s;
    mem_store_done(sm->mem, sm->port, a->id, 0, 0);
}

// Does a routine of the other priority have the registers of the warp's routines?
static bool lacks_registers(const Caba *s, int warp, bool high) {
    return s->sm->cfg->caba_registers == CABA_REGISTERS_SHARED && s->valid[!high] >> warp & 1;
}

static bool can_begin(const Caba *s, int warp, bool high) {
    return caba_free(s, warp, high) && !lacks_registers(s, warp, high);
}

// A load that waits for registers kills the warp's routine of a store. The routine must not have
// stored yet, and its line leaves raw.
static void claim_registers(Caba *s, int warp) {
    if (!lacks_registers(s, warp, true)) return;
    Assist *low = caba_of(s, false, warp);
    if (!low->dying && caba_kill(s, low)) caba_store_raw(s->sm, s, low);
}

// ---- an image at the SM ----

static int load_routine(const uint8_t *image) {
    switch (image[0] >> 4) {
    case COMPRESS_FPC: return CABA_FPC_LOAD;
    case COMPRESS_CPACK: return CABA_CPACK_LOAD;
    default: return CABA_BDI_LOAD + (image[0] & 7);
    }
}

static void leaves(void *self, int port, int32_t id, uint32_t line) {
    Caba *s = self;
    (void)port;
    memcpy(s->moving[id], s->held[line - FIRST_LINE], COMPRESS_IMAGE);
}

static void arrived(void *self, int port, const MemArrival *a) {
    Caba *s = self;
    (void)port;
    s->waiting[s->nwaiting++] = *a;
}

// True: the arrival no longer waits.
static bool take_arrival(Sm *sm, Caba *s, const MemArrival *w) {
    if (s->in->trig_valid[0] >> 1 & 1) return false;  // one per cycle
    const bool by_routine = w->trip || !(sm->cfg->caba_design == CABA_DIRECT || load_is_free(sm));
    const bool is_there = sm->resident >> w->warp & 1;
    const bool is_free = by_routine ? can_begin(s, w->warp, true) : caba_free(s, w->warp, true);
    if (!w->wanted && (!is_there || !is_free)) {
        mem_codec_drop(sm->mem, sm->port, w->id);
        sm->count->v[CTR_ASSIST_DROPPED]++;
        return true;
    }
    panic_if(!is_there, "line 0x%x: the warp that waits for it has ended", w->line);
    if (!is_free) {
        if (by_routine && caba_free(s, w->warp, true)) claim_registers(s, w->warp);
        return false;
    }
    const uint8_t *image = s->moving[w->id];
    if (!by_routine) {
        mem_codec_done(sm->mem, sm->port, w->id, false);
        return true;
    }
    Assist *a = caba_trigger(s, w->warp, true, load_routine(image),
                             w->trip ? ASSIST_TRIP : ASSIST_LOAD, ALL_LANES);
    a->id = w->id;
    a->number = w->line;
    memcpy(a->line, image, COMPRESS_IMAGE);
    memcpy(a->was, image, COMPRESS_IMAGE);
    sm->count->v[w->trip ? CTR_ASSIST_TRIPS : CTR_ASSIST_LOADS]++;
    return true;
}

void caba_lines_arrivals(Sm *sm, Caba *s) {
    int left = 0;
    for (int i = 0; i < s->nmade; i++)
        mem_store_done(sm->mem, sm->port, s->made[i].entry, s->made[i].bursts, s->made[i].handle);
    s->nmade = 0;
    for (int i = 0; i < s->nwaiting; i++) {
        MemArrival w = s->waiting[i];
        if (!w.wanted) w.wanted = mem_codec_wanted(sm->mem, sm->port, w.id, &w.warp);
        if (!take_arrival(sm, s, &w)) s->waiting[left++] = w;
    }
    s->nwaiting = left;
}

// ---- a line of stores ----

static int new_image(Caba *s, const uint8_t *text) {
    for (int i = 0; i < CABA_IMAGES; i++) {
        if (s->image_used[i / 64] >> i % 64 & 1) continue;
        s->image_used[i / 64] |= word_bit(i % 64);
        memcpy(s->images[i], text, COMPRESS_IMAGE);
        return i;
    }
    panic("more than %d images on their way to L2", CABA_IMAGES);
}

static MemFull made_at_once(Caba *s, int entry, uint32_t line) {
    uint8_t image[COMPRESS_IMAGE] = {0};
    const int bytes = compress_last_first(s, memory_of(s, line), image);
    if (!bytes) return MEM_FULL_RAW;
    remember_encoding(s, image);
    s->made[s->nmade++] = (struct CabaImage){entry, compress_bursts(bytes), new_image(s, image)};
    return MEM_FULL_TAKEN;
}

static MemFull full(void *self, int port, int entry, uint32_t line, int warp, bool again) {
    Caba *s = self;
    uint8_t image[COMPRESS_IMAGE];
    (void)port;
    if (store_is_free(s->sm)) return made_at_once(s, entry, line);
    if (!can_begin(s, warp, false)) return MEM_FULL_LATER;
    int routine = s->codec == COMPRESS_FPC ? CABA_FPC_STORE
        : s->codec == COMPRESS_CPACK       ? CABA_CPACK_STORE
                                           : CABA_BDI_STORE;
    // the choice takes no time, as in the paper; a line that no codec compresses has no routine
    if (s->codec == COMPRESS_BEST) {
        const int bytes = compress_text(s, memory_of(s, line), image);
        if (!bytes) return MEM_FULL_RAW;
        routine = image[0] >> 4 == COMPRESS_FPC ? CABA_FPC_STORE
            : image[0] >> 4 == COMPRESS_CPACK   ? CABA_CPACK_STORE
                                                : CABA_BDI_STORE;
    }
    if (s->last != NO_ENCODING && !again) routine = CABA_BDI_TRY + s->last;
    Assist *a = caba_trigger(s, warp, false, routine, ASSIST_STORE, ALL_LANES);
    a->id = entry;
    a->number = line;
    memcpy(a->line, memory_of(s, line), COMPRESS_LINE);
    memcpy(a->was, a->line, COMPRESS_LINE);
    s->sm->count->v[CTR_ASSIST_STORES]++;
    return MEM_FULL_TAKEN;
}

static bool give_up(void *self, int port, int entry) {
    Caba *s = self;
    (void)port;
    for (int i = 0; i < s->nmade; i++)
        if (s->made[i].entry == entry) return false;  // as if after its first store
    for (uint64_t left = s->valid[0]; left; left &= left - 1) {
        Assist *a = caba_of(s, false, lowest(left));
        if (!a->dying && a->id == entry) return caba_kill(s, a);
    }
    panic("nobody compresses entry %d", entry);
}

static void stored_image(void *self, int port, uint32_t line, int handle) {
    Caba *s = self;
    (void)port;
    memcpy(s->held[line - FIRST_LINE], s->images[handle], COMPRESS_IMAGE);
    s->image_used[handle / 64] &= ~word_bit(handle % 64);
}

// ---- the output of a routine ----

static void report_mismatch(Sm *sm, const Caba *s, const Assist *a, const uint8_t *right, int n) {
    int at = 0;
    while (a->line[at] == right[at]) at++;
    (void)s;
    (void)n;
    sm_fail(sm, EXIT_MISMATCH,
            "assist warp %s of warp %d: byte %d of %s of line 0x%x is 0x%02x, the codec has 0x%02x",
            caba_store.of[a->routine].name, a->warp, at,
            a->job == ASSIST_STORE ? "the image" : "the line", a->number * COMPRESS_LINE,
            a->line[at], right[at]);
}

static void change_memory(const Caba *s, uint32_t line, const uint8_t *made, const uint8_t *right) {
    uint8_t *text = memory_of(s, line);
    for (int i = 0; i < COMPRESS_LINE; i++)
        if (made[i] != right[i]) text[i] = made[i];
}

static void line_made(Sm *sm, Caba *s, const Assist *a) {
    uint8_t right[COMPRESS_LINE];
    if (!decompress_line(a->was, right)) {
        sm_fail(sm, EXIT_MISMATCH, "line 0x%x: L2 returned an image that no codec has made",
                a->number * COMPRESS_LINE);
        return;
    }
    const bool wrong = memcmp(right, a->line, COMPRESS_LINE) != 0;
    if (s->bdi && a->was[0] >> 4 == COMPRESS_BDI) line_blocks_decompress(s->blocks, a->was, right);
    if (wrong && s->check) {
        report_mismatch(sm, s, a, right, COMPRESS_LINE);
        return;
    }
    if (wrong && a->job == ASSIST_TRIP) change_memory(s, a->number, a->line, right);
    if (wrong && a->job == ASSIST_LOAD) {
        CabaOverlay *o = &s->overlay[s->noverlays++ % CABA_OVERLAYS];
        o->line = a->number;
        memcpy(o->made, a->line, COMPRESS_LINE);
        memcpy(o->right, right, COMPRESS_LINE);
    }
    mem_codec_done(sm->mem, sm->port, a->id, wrong && a->job == ASSIST_LOAD);
}

// Length of the image in the line buffer, by its head; 0: no image.
static int image_length(const uint8_t *image) {
    static const uint8_t bdi[8] = {1, 16, 32, 48, 80, 44, 76, 76},
                         fpc[8] = {0, 1, 2, 2, 2, 1, 0, 4};
    if (image[0] >> 4 == COMPRESS_BDI) return image[0] < 8 ? bdi[image[0]] : 0;
    int bytes = 4;
    if (image[0] >> 4 == COMPRESS_CPACK) return 20 + 4 * image[1] + (image[2] ? 32 : 0);
    for (int i = 0; i < 4; i++) bytes += 8 * fpc[image[2 + i / 2] >> 4 * (i % 2) & 7];
    return bytes;
}

static void image_made(Sm *sm, Caba *s, const Assist *a) {
    uint8_t right[COMPRESS_IMAGE], line[COMPRESS_LINE];
    const int tried = a->routine < CABA_BDI_TRY ? NO_ENCODING : a->routine - CABA_BDI_TRY;
    const int bytes = tried == NO_ENCODING
        ? compress_text(s, a->was, right)
        : compress_bdi(a->was, tried, (BdiBase)sm->cfg->bdi_base, right);
    const int made = a->storing ? image_length(a->line) : 0;
    const int bursts = made && made <= COMPRESS_IMAGE ? compress_bursts(made) : 0;
    if (s->check && made != bytes) {
        sm_fail(sm, EXIT_MISMATCH,
                "assist warp %s of warp %d: line 0x%x has an image of %d bytes, with the codec %d "
                "(0: raw)",
                caba_store.of[a->routine].name, a->warp, a->number * COMPRESS_LINE, made, bytes);
        return;
    }
    if (s->check && bursts && memcmp(a->line, right, (size_t)bursts * COMPRESS_BURST)) {
        report_mismatch(sm, s, a, right, bursts * COMPRESS_BURST);
        return;
    }
    if (tried != NO_ENCODING && !a->storing) {  // next, all encodings
        mem_store_again(sm->mem, sm->port, a->id);
        return;
    }
    if (s->bdi) line_blocks_compress(s->blocks, a->was);
    if (!bursts) {
        if (a->storing && !made) change_memory(s, a->number, a->line, a->was);
        mem_store_done(sm->mem, sm->port, a->id, 0, 0);
        return;
    }
    uint8_t image[COMPRESS_IMAGE] = {0};
    memcpy(image, a->line, (size_t)bursts * COMPRESS_BURST);
    if (!decompress_line(image, line)) {
        sm_fail(sm, EXIT_MISMATCH,
                "assist warp %s of warp %d: its output for line 0x%x is no image",
                caba_store.of[a->routine].name, a->warp, a->number * COMPRESS_LINE);
        return;
    }
    change_memory(s, a->number, line, a->was);
    remember_encoding(s, image);
    mem_store_done(sm->mem, sm->port, a->id, bursts, new_image(s, image));
}

void caba_line_made(Sm *sm, Caba *s, Assist *a) {
    sm->count->v[CTR_ASSIST_CHECKED] += s->check;
    sm_progress(sm);
    if (a->job == ASSIST_STORE) image_made(sm, s, a);
    else line_made(sm, s, a);
}

// ---- loads of a wrong line ----

static void patch_lane(const Flight *f, uint32_t *value, int l, uint32_t addr, const CabaOverlay *o,
                       int bytes) {
    for (int i = 0; i < bytes; i++) {
        const uint32_t at = (addr + (uint32_t)i) % COMPRESS_LINE;
        if (o->made[at] == o->right[at]) continue;
        uint32_t *word = value + (size_t)(i / 4) * ISA_LANES + l;
        *word = (*word & ~(0xffu << i % 4 * 8)) | (uint32_t)o->made[at] << i % 4 * 8;
    }
    const IsaType type = f->inst->isa->type;
    if (bytes == 1 && type == ISA_S8) value[l] = (uint32_t)(int32_t)(int8_t)value[l];
    if (bytes == 2 && type == ISA_S16) value[l] = (uint32_t)(int32_t)(int16_t)value[l];
}

static void taken(void *self, int port, uint32_t line, uint32_t token) {
    Caba *s = self;
    Flight *f = &s->sm->flights[token / SM_TOKEN_PARTS];
    const CabaOverlay *o = NULL;
    (void)port;
    for (int i = 0; i < CABA_OVERLAYS && i < s->noverlays; i++) {
        const CabaOverlay *c = &s->overlay[(s->noverlays - 1 - i) % CABA_OVERLAYS];
        if (!o && c->line == line) o = c;
    }
    if (!o || !f->inst || f->inst->isa->op != ISA_LD) return;
    for (uint32_t left = f->access.lanes_of[0]; left; left &= left - 1) {
        const int l = __builtin_ctz(left);
        if (f->access.addr[l] / COMPRESS_LINE == line)
            patch_lane(f, f->out.dst[0], l, f->access.addr[l], o, f->inst->isa->mem_bytes);
    }
}

// ---- the line buffer ----

static Assist *assist_of(Caba *s, const Flight *f) {
    return caba_of(s, f->stream == &s->of[1][f->warp].stream, f->warp);
}

void caba_execute(Sm *sm, void *self, Flight *f) {
    Assist *a = assist_of(self, f);
    const IsaInst *in = f->inst->isa;
    const uint32_t *base = flight_source(f, 0, 0);
    for (uint32_t left = f->active; left; left &= left - 1) {
        const int l = __builtin_ctz(left);
        const uint32_t at = base[l] + (uint32_t)in->offset, bytes = in->mem_bytes;
        if (at >= COMPRESS_LINE || COMPRESS_LINE - at < bytes || at % bytes) {
            sm_fail(sm, EXIT_MISMATCH,
                    "assist warp %s of warp %d: lane %d accesses %u bytes at %d of its line",
                    caba_store.of[a->routine].name, f->warp, l, bytes, (int)at);
            return;
        }
        for (uint32_t i = 0; i < bytes && in->op == ISA_ST; i++)
            a->line[at + i] = (uint8_t)(flight_source(f, 1, (int)i / 4)[l] >> i % 4 * 8);
        for (uint32_t i = 0; i < bytes && in->op == ISA_LD; i++) {
            uint32_t *word = &f->out.dst[i / 4][l];
            *word = (i % 4 ? *word : 0) | (uint32_t)a->line[at + i] << i % 4 * 8;
        }
        if (in->op == ISA_LD && bytes == 1 && in->type == ISA_S8)
            f->out.dst[0][l] = (uint32_t)(int32_t)(int8_t)f->out.dst[0][l];
        if (in->op == ISA_LD && bytes == 2 && in->type == ISA_S16)
            f->out.dst[0][l] = (uint32_t)(int32_t)(int16_t)f->out.dst[0][l];
    }
    mem_take_l1(sm->mem, sm->port);
    wheel_put(sm, f,
              sm->cfg->caba_ideal == CABA_IDEAL_WINDOW
                  ? 1
                  : sm->cfg->exec_mem_latency + sm->cfg->l1_latency);
}

// ---- the line codec ----

static int image(void *self, int port, uint32_t line) {
    return line_table_image(((Caba *)self)->table, port, line);
}
static int kept(void *self, int port, uint32_t line) {
    return line_table_kept(((Caba *)self)->table, port, line);
}
static void keep(void *self, int port, uint32_t line, int bursts) {
    line_table_keep(((Caba *)self)->table, port, line, bursts);
}

static MemMetadata metadata(void *self, int port, int channel, uint32_t nth, bool change) {
    (void)port;
    return line_table_metadata(((Caba *)self)->table, channel, nth, change);
}

static void caches(const void *self, MemCaches *c) {
    const int design = ((const Caba *)self)->sm->cfg->caba_design;
    c->l1_tags = design == CABA_L1_2X ? 2 : design == CABA_L1_4X ? 4 : 1;
    c->l2_tags = design == CABA_L2_2X ? 2 : design == CABA_L2_4X ? 4 : 1;
    c->l1_images = c->l1_tags > 1;
    c->l1_cycles = design == CABA_DIRECT;
    c->l2_raw = design == CABA_RAW_L2;
}

const MemCodec caba_codec = {.links = true,
                             .caches = caches,
                             .image = image,
                             .kept = kept,
                             .keep = keep,
                             .metadata = metadata,
                             .leaves = leaves,
                             .arrived = arrived,
                             .taken = taken,
                             .stores = CABA_ENTRIES,
                             .full = full,
                             .give_up = give_up,
                             .stored_image = stored_image};
