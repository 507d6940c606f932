// SPDX-License-Identifier: Apache-2.0
// The boards of the SM, queried and updated together.
#include "sm/parts/hazards.h"

#include "sm/parts/order.h"
#include "sm/parts/scoreboard.h"
#include "sm/state.h"

// The machine's board is the first; a board with `replaces` replaces it.
void hazards_bind(Sm *sm, const Hazards *part, void *self) {
    HazardsSet *h = &sm->hazards;
    h->alone = part == &scoreboard && !h->n ? self : NULL;
    if (part->replaces && h->n) {
        panic_if(h->of[0].part->replaces, "two boards replace the scoreboard");
        h->of[0] = (BoundHazards){part, self};
        return;
    }
    panic_if(h->n == SM_MAX_PARTS, "more than %d boards", SM_MAX_PARTS);
    h->of[h->n++] = (BoundHazards){part, self};
}

void hazards_launch(Sm *sm) { sm->hazards.exact = sm->hazards.alone && !sm->beside.part; }

#define EACH(sm, b) \
    for (const BoundHazards *b = (sm)->hazards.of; b < (sm)->hazards.of + (sm)->hazards.n; b++)

// Covers several boards, or one board other than the machine's. Separate from the caller, so that
// the machine's own board takes little time.
__attribute__((noinline)) static Hazard ask_all(const Sm *sm, int warp, const InstStream *stream,
                                                const SmInst *in) {
    EACH(sm, b) {
        if (!b->part->query) continue;
        Hazard h = b->part->query(sm, b->self, warp, stream, in);
        if (h != HAZARD_NONE) return h;
    }
    return in->keeps_order && !stream->apart && !(stream->given & 1) ? order_query(sm, warp, in)
                                                                     : HAZARD_NONE;
}

__attribute__((noinline)) static void begin_all(Sm *sm, const Flight *f) {
    EACH(sm, b)
        if (b->part->begin) b->part->begin(sm, b->self, f);
}

__attribute__((noinline)) static void read_all(Sm *sm, const Flight *f, const uint8_t *regs,
                                               int n) {
    EACH(sm, b)
        if (b->part->operands_read) b->part->operands_read(sm, b->self, f, regs, n);
}

__attribute__((noinline)) static void written_all(Sm *sm, const Flight *f, int reg) {
    EACH(sm, b)
        if (b->part->written) b->part->written(sm, b->self, f, reg);
}

Hazard hazards_query(const Sm *sm, int warp, const InstStream *stream, const SmInst *in) {
    const Board *alone = sm->hazards.alone;
    if (!alone) return ask_all(sm, warp, stream, in);
    const Hazard h = board_query_of(alone + warp, in, sm->hazards.war);
    return h == HAZARD_NONE && in->keeps_order ? order_query(sm, warp, in) : h;
}

void hazards_begin(Sm *sm, const Flight *f) {
    if (sm->hazards.alone) board_begin(sm->hazards.alone + f->warp, f);
    else begin_all(sm, f);
}

void hazards_operands_read(Sm *sm, const Flight *f, const uint8_t *regs, int n) {
    hazards_passed(sm, f->warp, 1u << HAZARD_SHORT);
    if (sm->hazards.alone) board_operands_read(sm->hazards.alone + f->warp, regs, n);
    else read_all(sm, f, regs, n);
}

void hazards_written(Sm *sm, const Flight *f, int reg) {
    hazards_passed(sm, f->warp, 1u << HAZARD_SHORT | 1u << HAZARD_LONG);
    if (sm->hazards.alone) board_written(sm->hazards.alone + f->warp, reg);
    else written_all(sm, f, reg);
}

void hazards_preds_written(Sm *sm, const Flight *f) {
    EACH(sm, b)
        if (b->part->preds_written) b->part->preds_written(sm, b->self, f);
    hazards_passed(sm, f->warp, 1u << HAZARD_SHORT);
}

uint64_t hazards_writing(const Sm *sm, int warp) {
    uint64_t regs = 0;
    EACH(sm, b)
        if (b->part->writing) regs |= b->part->writing(sm, b->self, warp);
    return regs;
}

uint64_t hazards_reading(const Sm *sm, int warp) {
    uint64_t regs = 0;
    EACH(sm, b)
        if (b->part->reading) regs |= b->part->reading(sm, b->self, warp);
    return regs;
}

void hazards_warp_begins(Sm *sm, int warp) {
    EACH(sm, b)
        if (b->part->warp_begins) b->part->warp_begins(sm, b->self, warp);
}

bool hazards_idle(const Sm *sm, int warp) {
    EACH(sm, b)
        if (b->part->idle && !b->part->idle(sm, b->self, warp)) return false;
    return true;
}

bool hazards_explain(Text *t, const Sm *sm, int warp, const InstStream *stream, const SmInst *in) {
    EACH(sm, b) {
        if (!b->part->query || b->part->query(sm, b->self, warp, stream, in) == HAZARD_NONE)
            continue;
        b->part->explain(t, sm, b->self, warp, stream, in);
        return true;
    }
    return false;
}
