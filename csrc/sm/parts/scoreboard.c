// SPDX-License-Identifier: Apache-2.0
// The machine's scoreboard. An instruction may issue when
//   - no register it reads or writes has a result outstanding (RAW, WAW),
//   - no register it writes is still to be read by an older instruction in a collector (WAR),
//   - no predicate it reads or writes has a result outstanding (predicates are read at issue).
// Per warp a bit for each register with a result outstanding, one more if that comes from memory, and a count of
// outstanding reads.
#include "sm/listeners/text.h"
#include "sm/parts/hazards.h"
#include "sm/state.h"

#include <string.h>

typedef struct Board {
    uint64_t write, slow, read;     // result outstanding; a long-latency one; read outstanding
    uint8_t pred;                   // predicates with a result outstanding
    uint8_t reads_of[64];           // reads outstanding per register
} Board;

typedef struct Scoreboard { Board of[SM_MAX_WARPS]; } Scoreboard;

void *scoreboard_open(Sm *sm, Arena *arena) {
    (void)sm;
    return ARENA_NEW(arena, Scoreboard);
}

static Board *board(void *self, int warp) { return &((Scoreboard *)self)->of[warp]; }
static const Board *seen(const void *self, int warp) { return &((const Scoreboard *)self)->of[warp]; }

static Hazard query(const Sm *sm, const void *self, int warp, const SmInst *in) {
    const Board *b = seen(self, warp);
    const uint64_t registers = in->reads | in->writes;
    (void)sm;
    if (registers & b->write) return registers & b->slow ? HAZARD_LONG : HAZARD_SHORT;
    if (in->writes & b->read) return HAZARD_SHORT;
    if ((in->pred_reads | in->pred_writes) & b->pred) return HAZARD_SHORT;
    return HAZARD_NONE;
}

static void begin(Sm *sm, void *self, const Flight *f) {
    Board *b = board(self, f->warp);
    const SmInst *in = f->inst;
    (void)sm;
    b->write |= in->writes;
    if (in->long_latency) b->slow |= in->writes;
    b->pred |= in->pred_writes;
    if (!f->in_collector) return;
    b->read |= in->reads;
    for (int i = 0; i < in->nops; i++) b->reads_of[in->op_reg[i]]++;
}

static void operands_read(Sm *sm, void *self, const Flight *f, const uint8_t *regs, int n) {
    Board *b = board(self, f->warp);
    (void)sm;
    for (int i = 0; i < n; i++)
        if (--b->reads_of[regs[i]] == 0) b->read &= ~bit64(regs[i]);
}

static void written(Sm *sm, void *self, const Flight *f, int reg) {
    Board *b = board(self, f->warp);
    (void)sm;
    b->write &= ~bit64(reg);
    b->slow &= ~bit64(reg);
}

static void preds_written(Sm *sm, void *self, const Flight *f) {
    (void)sm;
    board(self, f->warp)->pred &= (uint8_t)~f->inst->pred_writes;
}

static uint64_t writing(const Sm *sm, const void *self, int warp) {
    (void)sm;
    return seen(self, warp)->write;
}

static uint64_t reading(const Sm *sm, const void *self, int warp) {
    (void)sm;
    return seen(self, warp)->read;
}

static void mark(Sm *sm, void *self, int warp, uint64_t regs) {
    (void)sm;
    board(self, warp)->write |= regs;
}

static void unmark(Sm *sm, void *self, int warp, uint64_t regs) {
    (void)sm;
    board(self, warp)->write &= ~regs;
}

static void warp_begins(Sm *sm, void *self, int warp) {
    (void)sm;
    memset(board(self, warp), 0, sizeof(Board));
}

static bool idle(const Sm *sm, const void *self, int warp) {
    const Board *b = seen(self, warp);
    (void)sm;
    return !(b->write | b->read | b->pred);
}

static void explain(Text *t, const Sm *sm, const void *self, int warp, const SmInst *in) {
    const Board *b = seen(self, warp);
    const uint64_t hit = (in->reads | in->writes) & b->write;
    const unsigned pred = (unsigned)(in->pred_reads | in->pred_writes) & b->pred;
    if (hit) {
        text_add(t, "waits for R%d, result", lowest(hit));
        text_writer(t, sm, warp, bit64(lowest(hit)), 0);
    } else if (in->writes & b->read) {
        text_add(t, "waits until R%d has been read by an older instruction", lowest(in->writes & b->read));
    } else if (pred) {
        text_add(t, "waits for P%d, result", __builtin_ctz(pred));
        text_writer(t, sm, warp, 0, pred & -pred);
    }
}

const Hazards scoreboard = {.query = query, .begin = begin, .operands_read = operands_read, .written = written,
                            .preds_written = preds_written, .writing = writing, .reading = reading, .mark = mark,
                            .unmark = unmark, .warp_begins = warp_begins, .idle = idle, .explain = explain};
