// SPDX-License-Identifier: Apache-2.0
#include "systems/lines/line_blocks.h"

#include "models/lines/bdi_compress.h"
#include "models/lines/bdi_decompress.h"
#include "systems/regmutex/split_map.h"

#include <string.h>

enum { WAITING = 1024, STAGES = 8 };

typedef struct Job {
    uint8_t line[COMPRESS_LINE], image[COMPRESS_IMAGE];
} Job;

// Lines for a pipeline: waiting lines, and lines in the pipeline by the cycles since their entry.
typedef struct Pipe {
    Block *block;
    Job *ring;
    // oldest in the pipeline; oldest that waits; next free entry
    uint32_t first, sent, n;
    int stages;
    bool busy[STAGES];
    bool works;
} Pipe;

typedef enum MdState { MD_IDLE, MD_LOOKED, MD_FILLED, MD_AGAIN } MdState;

typedef struct MdPort {
    Block *block;
    MdAccess *ring;
    uint32_t first, n;
    MdState state;
    bool works;
} MdPort;

struct LineBlocks {
    Sm *sm;
    Pipe compress, decompress;
    MdPort md;
};

static Block *open_block(Sm *sm, const char *name) {
    cosim_expect_work(sm->cosim, name, false);  // until its first response
    return cosim_block(sm->cosim, name);
}

static void expect_work(Sm *sm, const Block *b, bool *works) {
    if (!*works) cosim_expect_work(sm->cosim, b->name, true);
    *works = true;
}

LineBlocks *line_blocks_open(Sm *sm, Arena *arena, bool bdi) {
    LineBlocks *b = ARENA_NEW(arena, LineBlocks);
    b->sm = sm;
    b->md = (MdPort){.block = open_block(sm, "md_cache"),
                     .ring = ARENA_ARRAY(arena, MdAccess, WAITING)};
    if (!bdi) return b;
    b->compress = (Pipe){.block = open_block(sm, "bdi_compress"),
                         .ring = ARENA_ARRAY(arena, Job, WAITING),
                         .stages = BDI_COMPRESS_STAGES};
    b->decompress = (Pipe){.block = open_block(sm, "bdi_decompress"),
                           .ring = ARENA_ARRAY(arena, Job, WAITING),
                           .stages = sm->cfg->bdi_read_cycles};
    return b;
}

// ---- lines and images ----

static Job *push_job(Pipe *p) {
    panic_if(p->n - p->first == WAITING, "more than %d lines wait for %s", WAITING, p->block->name);
    return &p->ring[p->n++ % WAITING];
}

void line_blocks_compress(LineBlocks *b, const uint8_t line[COMPRESS_LINE]) {
    Job *j = push_job(&b->compress);
    memcpy(j->line, line, COMPRESS_LINE);
    memset(j->image, 0, COMPRESS_IMAGE);
}

void line_blocks_decompress(LineBlocks *b, const uint8_t image[COMPRESS_IMAGE],
                            const uint8_t line[COMPRESS_LINE]) {
    Job *j = push_job(&b->decompress);
    memcpy(j->line, line, COMPRESS_LINE);
    memcpy(j->image, image, COMPRESS_IMAGE);
}

static void check_image(Sm *sm, const Job *j, const BdiCompressOut *out) {
    uint8_t image[COMPRESS_LINE] = {0};
    const int bytes = compress_bdi(j->line, -1, (BdiBase)sm->cfg->bdi_base, image);
    const uint32_t enc = bytes ? image[0] & 15u : BDI_RAW,
                   bursts = (uint32_t)compress_bursts(bytes);
    if (!bytes) memset(image, 0, sizeof image);
    if (out->out_valid[0] && out->out_enc[0] == enc && out->out_bursts[0] == bursts &&
        !memcmp(out->out_image, image, sizeof out->out_image))
        return;
    sm_fail(sm, EXIT_MISMATCH,
            "bdi_compress: expected encoding %u in %u bursts (15: raw) as the codec has, found %s, "
            "%u in %u%s",
            enc, bursts, out->out_valid[0] ? "an answer" : "no answer", out->out_enc[0],
            out->out_bursts[0], out->out_enc[0] == enc ? ", or other bytes" : "");
}

static void check_line(Sm *sm, const Job *j, const BdiDecompressOut *out) {
    if (out->line_valid[0] && !memcmp(out->line[0], j->line, COMPRESS_LINE)) return;
    sm_fail(
        sm, EXIT_MISMATCH,
        "bdi_decompress: an image of encoding %u: expected the line that it was made of, found %s",
        j->image[0] & 15u, out->line_valid[0] ? "other bytes" : "none");
}

static bool pipe_busy(const Pipe *p) { return p->n != p->first; }

static bool pipe_begin(const Pipe *p) {
    block_eval(p->block);
    return p->busy[p->stages - 1];
}

static void pipe_end(Pipe *p, bool goes) {
    memmove(p->busy + 1, p->busy, sizeof p->busy - sizeof p->busy[0]);
    p->busy[0] = goes;
    block_eval(p->block);
    block_tick(p->block);
}

static void compress_cycle(Sm *sm, Pipe *p) {
    BdiCompressIn *in = p->block->in;
    if (pipe_begin(p)) {
        check_image(sm, &p->ring[p->first++ % WAITING], p->block->out);
        expect_work(sm, p->block, &p->works);
    }
    in->in_valid[0] = p->sent != p->n;
    if (in->in_valid[0]) memcpy(in->in_line[0], p->ring[p->sent++ % WAITING].line, COMPRESS_LINE);
    pipe_end(p, in->in_valid[0]);
    in->in_valid[0] = 0;
}

static void decompress_cycle(Sm *sm, Pipe *p) {
    BdiDecompressIn *in = p->block->in;
    if (pipe_begin(p)) {
        check_line(sm, &p->ring[p->first++ % WAITING], p->block->out);
        expect_work(sm, p->block, &p->works);
    }
    in->in_valid[0] = p->sent != p->n;
    if (in->in_valid[0]) memcpy(in->in_image, p->ring[p->sent++ % WAITING].image, COMPRESS_IMAGE);
    pipe_end(p, in->in_valid[0]);
    in->in_valid[0] = 0;
}

// ---- metadata ----

void line_blocks_metadata(LineBlocks *b, const MdAccess *a) {
    panic_if(b->md.n - b->md.first == WAITING, "more than %d accesses of metadata wait", WAITING);
    b->md.ring[b->md.n++ % WAITING] = *a;
}

static void check_access(Sm *sm, const MdAccess *a, const MdCacheOut *out) {
    const bool hit = out->ans_hit[0], evicts = out->vic_valid[0];
    const char *wrong = NULL;
    if (!out->ans_valid[0]) wrong = "an answer";
    else if (hit == a->md.miss) wrong = a->md.miss ? "a miss" : "a hit";
    else if (hit && !a->change && a->known && out->ans_value[0] != a->value)
        wrong = "the bursts that the line has";
    else if (evicts != a->md.evicts) wrong = a->md.evicts ? "a victim" : "no victim";
    else if (evicts && out->vic_line[0] != a->md.victim) wrong = "another victim";
    else if (evicts && a->victim_known && memcmp(out->vic_data, a->victim, sizeof a->victim))
        wrong = "a victim as it was written";
    if (wrong)
        sm_fail(sm, EXIT_MISMATCH,
                "md_cache: field %u of line 0x%x: expected %s, found hit %u, value %u (expected "
                "%u), victim %u "
                "of line 0x%x",
                a->field, a->line, wrong, hit, out->ans_value[0], a->value, evicts,
                out->vic_line[0]);
}

static void look_up(MdCacheIn *in, const MdAccess *a) {
    in->req_valid[0] = 1;
    in->req_line[0] = a->line;
    in->req_field[0] = a->field;
    in->req_write[0] = a->change;
    in->req_value[0] = a->value;
}

// A miss is filled in the next cycle; a change repeats the look-up. Hits follow each other.
static void md_cycle(Sm *sm, MdPort *p) {
    MdCacheIn *in = p->block->in;
    const MdAccess *a = &p->ring[p->first % WAITING];
    bool next = p->state == MD_IDLE;
    block_eval(p->block);
    in->req_valid[0] = in->fill_valid[0] = 0;
    if (p->state == MD_LOOKED) {
        check_access(sm, a, p->block->out);
        expect_work(sm, p->block, &p->works);
        next = !a->md.miss;
        if (a->md.miss) {
            in->fill_valid[0] = 1;
            in->fill_line[0] = a->line;
            memcpy(in->fill_data, a->fields, sizeof a->fields);
            p->state = MD_FILLED;
        }
    } else if (p->state == MD_FILLED) {
        next = !a->change;
        if (a->change) look_up(in, a);
        p->state = MD_AGAIN;
    } else if (p->state == MD_AGAIN) {
        const MdAccess again = {
            .line = a->line, .field = a->field, .value = a->value, .change = true};
        check_access(sm, &again, p->block->out);
        next = true;
    }
    if (next) {
        if (p->state != MD_IDLE) p->first++;
        p->state = p->first == p->n ? MD_IDLE : MD_LOOKED;
        if (p->state == MD_LOOKED) look_up(in, &p->ring[p->first % WAITING]);
    }
    block_eval(p->block);
    block_tick(p->block);
    in->req_valid[0] = in->fill_valid[0] = 0;
}

void line_blocks_cycle(Sm *sm, LineBlocks *b) {
    const bool clocked = blocks_clocked(sm);
    if (clocked || b->md.n != b->md.first) md_cycle(sm, &b->md);
    if (b->compress.block && (clocked || pipe_busy(&b->compress))) compress_cycle(sm, &b->compress);
    if (b->decompress.block && (clocked || pipe_busy(&b->decompress)))
        decompress_cycle(sm, &b->decompress);
}
