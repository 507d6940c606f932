// SPDX-License-Identifier: Apache-2.0
// Second stream, in cycles in which no program issues: each warp slot runs a few NOPs, a
// comparison, and a load that writes no register (a pre-load).
#include "toys.h"

#include "sm/stages/decode_stage.h"

static const char text[] =
    ".kernel beside\n.regs 4\n.preds 2\nnop _\nisetp.eq.and.u32 _|P0, RZ, 0x0\n@P0 nop _\n"
    "ld.global.b32.u32 R0, [RZ+0x10000000]\nexit _\n";
enum { LENGTH = 4, TURNS = 5 };

typedef struct Beside {
    SmProgram program;
    InstStream of[SM_MAX_WARPS];
    int left[SM_MAX_WARPS];
    WarpSet active;
    uint64_t issued, held, wrong;  // wrong: a predicate is not that of the stream
    uint64_t loads, no_results;
} Beside;
static Beside beside;

static void *open_toy(Sm *sm, Arena *arena) {
    (void)sm, (void)arena;
    memset(&beside, 0, sizeof beside);
    return &beside;
}

static void launch(Sm *sm, void *self) {
    Beside *b = self;
    const IsaProgram *p = isa_parse(&sm->kernel_arena, "beside", text, strlen(text), sm->diag);
    if (!p || !decode_program(sm, p, &b->program, sm->diag)) sm->failed = true;
    b->active = 0;
}

static void warp_begin(Sm *sm, void *self, const WarpEvent *e) {
    Beside *b = self;
    (void)sm;
    b->of[e->warp] = (InstStream){.insts = b->program.insts,
                                  .ninsts = b->program.ninsts,
                                  .mask = e->lanes,
                                  .reconv = SM_NONE,
                                  .pred = {[ISA_PT] = ~0u}};
    b->left[e->warp] = TURNS * LENGTH;
    b->active |= warp_bit(e->warp);
}

static void warp_end(Sm *sm, void *self, const WarpEvent *e) {
    (void)sm;
    ((Beside *)self)->active &= ~warp_bit(e->warp);
}

static void issued_event(Sm *sm, void *self, const IssueEvent *e) {
    Beside *b = self;
    if (inst_stream_is_own(sm, e->warp, e->stream)) return;
    b->loads += e->inst->isa->op == ISA_LD;
    b->held += e->pc == 2;
    b->wrong += e->pc == 2 && e->active != e->mask;
}

static WarpSet active(const Sm *sm, const void *self) {
    (void)sm;
    return ((const Beside *)self)->active;
}
static InstStream *stream(const Sm *sm, void *self, int warp) {
    (void)sm;
    return &((Beside *)self)->of[warp];
}
static const SmInst *head(const Sm *sm, const void *self, int warp) {
    const InstStream *s = &((const Beside *)self)->of[warp];
    (void)sm;
    return &s->insts[s->pc];
}
static void issued(Sm *sm, void *self, int warp) {
    Beside *b = self;
    (void)sm;
    b->issued++;
    b->of[warp].pc = (b->of[warp].pc + 1) % LENGTH;
    if (--b->left[warp] == 0) b->active &= ~warp_bit(warp);
}

// Its loads reach L1, and no register: retire check and oracle would see a write there.
static LoadAnswer probe(Sm *sm, void *self, Flight *f) {
    if (inst_stream_is_own(sm, f->warp, f->stream)) return (LoadAnswer){.from = LOAD_MEMORY};
    ((Beside *)self)->no_results++;
    return (LoadAnswer){.from = LOAD_NO_RESULT};
}

static const char *seen(const ToyRun *run, bool alone) {
    const uint64_t insts = toy_count(run->with, CTR_WARP_INSTS);
    if (!beside.issued || !beside.held) return "instructions of the second streams";
    if (!beside.loads || beside.loads != beside.no_results) return "a pre-load for each load";
    if (beside.wrong) return "predicates of their own";
    if (alone && insts != toy_count(run->without, CTR_WARP_INSTS))
        return "as many instructions of the programs as without it";
    if (alone &&
        toy_count(run->with, CTR_ISSUED) != toy_count(run->without, CTR_ISSUED) + beside.issued)
        return "a scheduler's cycle for each";
    return NULL;
}

static const LoadPort load = {.probe = probe};
static const InstStreamPart part = {
    .only = CTR_ISSUED, .active = active, .stream = stream, .head = head, .issued = issued};
static const Listener listener = {
    .warp_begin = warp_begin, .warp_end = warp_end, .issued = issued_event};
static const System system_toy = {.name = "toy-stream",
                                  .what = "NOPs beside the program",
                                  .with = ~0u,
                                  .open = open_toy,
                                  .launch = launch,
                                  .stream = &part,
                                  .load = &load,
                                  .listener = &listener};
const Toy toy_stream = {&system_toy, seen};
