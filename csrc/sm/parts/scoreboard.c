// SPDX-License-Identifier: Apache-2.0
#include "sm/parts/scoreboard.h"

#include "sm/parts/explain_inst.h"
#include "sm/parts/hazards.h"
#include "sm/state.h"

#include <string.h>

void *scoreboard_open(Sm *sm, Arena *arena) {
    (void)sm;
    return ARENA_ARRAY(arena, Board, SM_MAX_WARPS);
}

static Board *board_of(void *self, int warp) { return (Board *)self + warp; }
static const Board *board_seen(const void *self, int warp) { return (const Board *)self + warp; }

static Hazard query(const Sm *sm, const void *self, int warp, const InstStream *stream,
                    const SmInst *in) {
    (void)stream;  // predicates with the same number count as one predicate
    return board_query_of(board_seen(self, warp), in, sm->hazards.war);
}

static void begin(Sm *sm, void *self, const Flight *f) {
    (void)sm;
    board_begin(board_of(self, f->warp), f);
}

static void operands_read(Sm *sm, void *self, const Flight *f, const uint8_t *regs, int n) {
    (void)sm;
    board_operands_read(board_of(self, f->warp), regs, n);
}

static void written(Sm *sm, void *self, const Flight *f, int reg) {
    (void)sm;
    board_written(board_of(self, f->warp), reg);
}

static void preds_written(Sm *sm, void *self, const Flight *f) {
    (void)sm;
    board_of(self, f->warp)->pred &= (uint8_t)~f->inst->pred_writes;
}

static uint64_t writing(const Sm *sm, const void *self, int warp) {
    (void)sm;
    return board_seen(self, warp)->write;
}

static uint64_t reading(const Sm *sm, const void *self, int warp) {
    (void)sm;
    return board_seen(self, warp)->read;
}

static void warp_begins(Sm *sm, void *self, int warp) {
    (void)sm;
    memset(board_of(self, warp), 0, sizeof(Board));
}

static bool idle(const Sm *sm, const void *self, int warp) {
    const Board *b = board_seen(self, warp);
    (void)sm;
    return !(b->write | b->read | b->pred);
}

static void explain(Text *t, const Sm *sm, const void *self, int warp, const InstStream *stream,
                    const SmInst *in) {
    (void)stream;
    const Board *b = board_seen(self, warp);
    const uint64_t hit = (in->reads | in->writes) & b->write;
    const unsigned pred = (unsigned)(in->pred_reads | in->pred_writes) & b->pred;
    if (hit) {
        text_add(t, "waits for R%d, result", lowest(hit));
        text_writer(t, sm, warp, word_bit(lowest(hit)), 0);
    } else if (in->writes & b->read & sm->hazards.war) {
        text_add(t, "waits until R%d has been read by an older instruction",
                 lowest(in->writes & b->read));
    } else if (pred) {
        text_add(t, "waits for P%d, result", __builtin_ctz(pred));
        text_writer(t, sm, warp, 0, pred & -pred);
    }
}

const Hazards scoreboard = {.query = query,
                            .begin = begin,
                            .operands_read = operands_read,
                            .written = written,
                            .preds_written = preds_written,
                            .writing = writing,
                            .reading = reading,
                            .warp_begins = warp_begins,
                            .idle = idle,
                            .explain = explain};
