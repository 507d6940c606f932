// SPDX-License-Identifier: Apache-2.0
// Hazards, instead of the machine's scoreboard: one instruction of a warp at a time. Nothing issues
// while anything is outstanding, so that one mask of each kind is enough.
#include "toys.h"

typedef struct Alone {
    // left: reads of a register
    struct {
        uint64_t writes, reads;
        uint8_t preds, left[64];
    } of[SM_MAX_WARPS];
    uint64_t asked, refused, begun, overlaps;
} Alone;
static Alone board;

static void *open_toy(Sm *sm, Arena *arena) {
    (void)sm, (void)arena;
    memset(&board, 0, sizeof board);
    return &board;
}

static bool idle(const Sm *sm, const void *self, int warp) {
    const Alone *a = self;
    (void)sm;
    return !(a->of[warp].writes | a->of[warp].reads | a->of[warp].preds);
}

static Hazard query(const Sm *sm, const void *self, int warp, const InstStream *stream,
                    const SmInst *in) {
    (void)stream, (void)in;
    board.asked++;
    if (idle(sm, self, warp)) return HAZARD_NONE;
    board.refused++;
    return HAZARD_SHORT;
}

static void begin(Sm *sm, void *self, const Flight *f) {
    Alone *a = self;
    const SmInst *in = f->inst;
    a->begun++;
    a->overlaps += !idle(sm, self, f->warp);
    a->of[f->warp].writes |= in->writes;
    a->of[f->warp].preds |= in->pred_writes;
    if (!f->in_collector) return;
    a->of[f->warp].reads |= in->reads;
    for (int i = 0; i < in->nops; i++) a->of[f->warp].left[in->op_reg[i]]++;
}

static void operands_read(Sm *sm, void *self, const Flight *f, const uint8_t *regs, int n) {
    Alone *a = self;
    (void)sm;
    for (int i = 0; i < n; i++)
        if (--a->of[f->warp].left[regs[i]] == 0) a->of[f->warp].reads &= ~word_bit(regs[i]);
}

static void written(Sm *sm, void *self, const Flight *f, int reg) {
    (void)sm;
    ((Alone *)self)->of[f->warp].writes &= ~word_bit(reg);
}

static void preds_written(Sm *sm, void *self, const Flight *f) {
    (void)sm;
    ((Alone *)self)->of[f->warp].preds &= (uint8_t)~f->inst->pred_writes;
}

static uint64_t writing(const Sm *sm, const void *self, int warp) {
    (void)sm;
    return ((const Alone *)self)->of[warp].writes;
}
static uint64_t reading(const Sm *sm, const void *self, int warp) {
    (void)sm;
    return ((const Alone *)self)->of[warp].reads;
}

static void warp_begins(Sm *sm, void *self, int warp) {
    (void)sm;
    memset(&((Alone *)self)->of[warp], 0, sizeof board.of[warp]);
}

static void explain(Text *t, const Sm *sm, const void *self, int warp, const InstStream *stream,
                    const SmInst *in) {
    (void)t, (void)sm, (void)self, (void)warp, (void)stream, (void)in;
}

static const char *seen(const ToyRun *run, bool alone) {
    if (!board.begun || !board.refused) return "instructions that wait for the one before them";
    if (board.overlaps) return "one instruction of a warp at a time";
    if (alone &&
        toy_count(run->with, CTR_STALL_RAW_SHORT) <= toy_count(run->without, CTR_STALL_RAW_SHORT))
        return "more cycles in which warps wait";
    return alone && toy_count(run->with, CTR_STALL_RAW_LONG)
        ? "no cycle of the scoreboard's classes"
        : NULL;
}

static const Hazards hazards = {.replaces = true,
                                .query = query,
                                .begin = begin,
                                .operands_read = operands_read,
                                .written = written,
                                .preds_written = preds_written,
                                .writing = writing,
                                .reading = reading,
                                .warp_begins = warp_begins,
                                .idle = idle,
                                .explain = explain};
static const System system_toy = {.name = "toy-board",
                                  .what = "one instruction of a warp at a time",
                                  .with = ~0u,
                                  .open = open_toy,
                                  .hazards = &hazards};
const Toy toy_board = {&system_toy, seen};
