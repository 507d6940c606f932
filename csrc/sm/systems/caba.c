// SPDX-License-Identifier: Apache-2.0
// CABA: the assist warp table and its controller, what issues and when. Where the paper is silent, ours:
//
//   - a high-priority routine holds the parent from trigger to end, and what the parent has fetched is dropped: a full
//     buffer whose head waits for this very load would keep the routine out for ever;
//   - accesses of the window `line` leave the collectors by the port of SFU, which never waits for memory. By that of
//     LD/ST a routine would wait for loads that wait for MSHRs that wait for routines;
//   - low priority issues in idle slots until its first store, from there on in the parent's place, and is not killed;
//   - where fewer than an eighth of the issue slots of 256 cycles were idle, nothing of low priority is staged in the
//     next 256;
//   - the parent's slot stays in use until its routines have ended.
#include "sm/systems/caba.h"

#include "sm/systems/line_table.h"
#include "sm/systems/systems.h"

#include <string.h>

enum { LOW, HIGH };

// ---- open, launch ----

static int most_regs(const CabaProgram *program, bool stores) {
    int most = 0;
    for (int i = 0; i < CABA_ROUTINES; i++)
        if (program[i].text && (i >= CABA_BDI_STORE) == stores && program[i].nregs > most) most = program[i].nregs;
    return most;
}

static int aligned(int regs) { return (regs + CABA_ALIGN - 1) / CABA_ALIGN * CABA_ALIGN; }

void *caba_open(Sm *sm, Arena *arena, const CabaStore *store, CompressCodec codec) {
    Caba *s = ARENA_NEW(arena, Caba);
    Diag d = {0};
    s->sm = sm;
    s->arena = arena;
    s->codec = codec;
    s->check = sm->cfg->caba_check == CABA_CHECK_CODEC;
    s->boards = scoreboard_open(sm, arena);
    panic_if(!caba_assemble(arena, store, codec, s->program, &d), "%s", d.text);
    s->load_regs = aligned(most_regs(s->program, false));
    s->store_regs = aligned(most_regs(s->program, true));
    caba_lines_open(s);
    return s;
}

static bool check(const Sm *sm, const void *self, Diag *d) {
    return line_table_check(sm, ((const Caba *)self)->table, d);
}

static void launch(Sm *sm, void *self) {
    Caba *s = self;
    const int first = aligned(sm->launch->program->home_regs);
    for (int i = 0; i < CABA_ROUTINES; i++) {
        CabaProgram *p = &s->program[i];
        if (p->text && !caba_relocate(sm, p, i >= CABA_BDI_STORE ? first + s->load_regs : first, sm->diag)) sm->failed = true;
    }
    memset(s->of, 0, sizeof s->of);
    memset(s->preds, 0, sizeof s->preds);
    s->valid[LOW] = s->valid[HIGH] = s->in_place = s->beside = 0;
    s->low_staged = s->nwaiting = s->noverlays = 0;
    s->idle_slots = 0;
    s->slots_left = 0;
    s->throttled = false;
    caba_lines_launch(sm, s);
}

// ---- which warps have something to issue ----

// What issues in the warp's place: of high priority, else of low when it has begun to store.
static Assist *front(const Caba *s, int warp) {
    const Assist *high = &s->of[HIGH][warp], *low = &s->of[LOW][warp];
    return (Assist *)(high->valid && high->staged ? high : low);
}

static void update(Caba *s, int warp) {
    const Assist *high = &s->of[HIGH][warp], *low = &s->of[LOW][warp];
    const bool low_has = low->valid && low->staged;
    const uint64_t me = bit64(warp);
    s->in_place = (high->valid && high->staged) || (low_has && low->storing) ? s->in_place | me : s->in_place & ~me;
    s->beside = low_has && !low->storing ? s->beside | me : s->beside & ~me;
}

// ---- trigger, end, kill ----

Assist *caba_trigger(Caba *s, int warp, bool high, int routine, AssistJob job) {
    Assist *a = &s->of[high][warp];
    const CabaProgram *p = &s->program[routine];
    panic_if(a->valid || !p->text, "warp %d: routine %d cannot begin", warp, routine);
    *a = (Assist){.valid = true, .high = high, .job = (uint8_t)job, .warp = warp, .routine = routine, .end = p->ninsts,
                  .since = s->sm->cycle, .progress = s->sm->cycle,
                  .stream = {.insts = p->of_kernel.insts, .ninsts = p->ninsts, .mask = caba_store.of[routine].mask,
                             .reconv = SM_NONE, .apart = true, .pred = {[ISA_PT] = ~0u}}};
    s->valid[high] |= bit64(warp);
    flights_hold(s->sm, warp);
    if (high) stream_hold(s->sm, warp);
    return a;
}

static void free_entry(Sm *sm, Caba *s, Assist *a) {
    a->valid = false;
    s->valid[a->high] &= ~bit64(a->warp);
    update(s, a->warp);
    if (a->high) stream_free(sm, a->warp);
    flights_release(sm, a->warp);
}

static void unstage(Caba *s, Assist *a) {
    if (!a->high && !a->storing) s->low_staged -= a->staged;
    a->next = (int)a->stream.pc;
    a->staged = 0;
}

bool caba_kill(Caba *s, Assist *a) {
    if (a->storing) return false;
    unstage(s, a);
    a->dying = true;
    update(s, a->warp);
    s->sm->count->v[CTR_ASSIST_KILLED]++;
    return true;
}

enum { PATIENCE = 512 };   // cycles without an instruction, of low priority

// What gets no idle slot gives up: its line leaves raw.
static void give_up_slow(Sm *sm, Caba *s) {
    for (uint64_t left = s->valid[LOW]; left; left &= left - 1) {
        Assist *a = &s->of[LOW][lowest(left)];
        if (a->dying || sm->cycle - a->progress < PATIENCE || !caba_kill(s, a)) continue;
        mem_store_done(sm->gpu->mem, sm->port, a->id, 0, 0);
    }
}

static bool over(const Assist *a) {
    return !a->flights && !a->staged && (a->dying || ((int)a->stream.pc == a->end && a->next == a->end));
}

static void ends(Sm *sm, Caba *s) {
    for (int p = HIGH; p >= LOW; p--) {
        for (uint64_t left = s->valid[p]; left; left &= left - 1) {
            Assist *a = &s->of[p][lowest(left)];
            if (!over(a)) continue;
            if (!a->dying) caba_line_made(sm, s, a);
            if (sm->failed) return;
            free_entry(sm, s, a);
        }
    }
}

// ---- deployment: one instruction per cycle from the store into the buffer ----

static const SmInst *inst_at(const Assist *a, int at) { return &a->stream.insts[at]; }

static bool deployable(const Sm *sm, const Caba *s, const Assist *a) {
    if (!a->valid || a->dying || a->since == sm->cycle || a->next == a->end) return false;
    if (a->high || a->storing) return a->staged < sm->cfg->sm_ibuffer;
    return !s->throttled && !a->staged && s->low_staged < CABA_LOW_ENTRIES &&
           hazards_query(sm, a->warp, &a->stream, inst_at(a, a->next)) == HAZARD_NONE;
}

enum { WARPS = 64 };  // that its sets hold

static Assist *next_in_turn(const Sm *sm, Caba *s, bool first) {
    for (int i = 0; i < WARPS; i++) {
        const int warp = (s->turn[first] + i) % WARPS;
        if (!((s->valid[HIGH] | s->valid[LOW]) >> warp & 1)) continue;
        for (int p = HIGH; p >= LOW; p--) {
            Assist *a = &s->of[p][warp];
            if ((a->high || a->storing) == first && deployable(sm, s, a)) return a;
        }
    }
    return NULL;
}

static void deploy(Sm *sm, Caba *s) {
    if (!(s->valid[HIGH] | s->valid[LOW])) return;
    bool first = true;
    Assist *a = next_in_turn(sm, s, true);
    if (!a) {
        first = false;
        a = next_in_turn(sm, s, false);
    }
    if (!a) return;
    a->next++;
    a->staged++;
    if (!first) s->low_staged++;
    s->turn[first] = (a->warp + 1) % WARPS;
    update(s, a->warp);
}

// ---- second streams ----

static const SmInst *head_of(const Assist *a) { return inst_at(a, (int)a->stream.pc); }

static WarpSet active_low(const Sm *sm, const void *self) {
    (void)sm;
    return ((const Caba *)self)->beside;
}

static WarpSet active_front(const Sm *sm, const void *self) {
    (void)sm;
    return ((const Caba *)self)->in_place;
}

static Stream *stream_low(const Sm *sm, void *self, int warp) {
    (void)sm;
    return &caba_of(self, false, warp)->stream;
}

static Stream *stream_front_of(const Sm *sm, void *self, int warp) {
    (void)sm;
    return &front(self, warp)->stream;
}

static const SmInst *head_low(const Sm *sm, const void *self, int warp) {
    (void)sm;
    return head_of(&((const Caba *)self)->of[LOW][warp]);
}

static const SmInst *head_front(const Sm *sm, const void *self, int warp) {
    (void)sm;
    return head_of(front(self, warp));
}

// A branch takes all lanes or none, and what was staged behind it is dropped.
static void branch(Caba *s, Assist *a, const SmInst *in) {
    const IsaPred *g = &in->isa->guard;
    const uint32_t taken = a->stream.mask & (g->neg ? ~a->stream.pred[g->reg] : a->stream.pred[g->reg]);
    panic_if(taken && taken != a->stream.mask, "an assist warp diverges");
    if (!taken) return;
    unstage(s, a);
    a->stream.pc = (uint32_t)in->isa->target;
    a->next = in->isa->target;
}

static void issued(Sm *sm, Caba *s, Assist *a) {
    const SmInst *in = head_of(a);
    sm->count->v[a->high || a->storing ? CTR_ASSIST_HIGH : CTR_ASSIST_LOW]++;
    a->stream.pc++;
    a->staged--;
    a->progress = sm->cycle;
    if (!a->high && !a->storing) s->low_staged--;
    if (in->isa->op == ISA_BRA) branch(s, a, in);
    if (in->isa->op == ISA_ST && !a->storing) {
        if (!a->high) s->low_staged -= a->staged;
        a->storing = true;
    }
    update(s, a->warp);
}

static void issued_low(Sm *sm, void *self, int warp) { issued(sm, self, caba_of(self, false, warp)); }
static void issued_front(Sm *sm, void *self, int warp) { issued(sm, self, front(self, warp)); }

static const StreamPart in_place = {.only = CTR_ASSIST_ISSUED, .active = active_front, .stream = stream_front_of,
                                    .head = head_front, .issued = issued_front};
static const StreamPart stream = {.drains = true, .only = CTR_ASSIST_ISSUED, .in_place = &in_place, .active = active_low,
                                  .stream = stream_low, .head = head_low, .issued = issued_low};

// ---- hazards: the parent's board, with predicates of the routines' own ----

static uint8_t *preds_of(const Caba *s, int warp, const Stream *from) {
    return (uint8_t *)(stream_is_own(s->sm, warp, from) ? &s->boards[warp].pred : &s->preds[from == &s->of[HIGH][warp].stream][warp]);
}

static Hazard query(const Sm *sm, const void *self, int warp, const Stream *from, const SmInst *in) {
    const Caba *s = self;
    Board b = {.write = s->boards[warp].write, .slow = s->boards[warp].slow, .read = s->boards[warp].read,
               .pred = *preds_of(s, warp, from)};
    return board_query_of(&b, in, sm->hazards.war);
}

static void begin(Sm *sm, void *self, const Flight *f) {
    Caba *s = self;
    Board *b = &s->boards[f->warp];
    const uint8_t own = b->pred;
    (void)sm;
    board_begin(b, f);
    b->pred = own;
    *preds_of(s, f->warp, f->stream) |= f->inst->pred_writes;
}

static void operands_read(Sm *sm, void *self, const Flight *f, const uint8_t *regs, int n) {
    (void)sm;
    board_operands_read(&((Caba *)self)->boards[f->warp], regs, n);
}

static void written(Sm *sm, void *self, const Flight *f, int reg) {
    (void)sm;
    board_written(&((Caba *)self)->boards[f->warp], reg);
}

static void preds_written(Sm *sm, void *self, const Flight *f) {
    (void)sm;
    *preds_of(self, f->warp, f->stream) &= (uint8_t)~f->inst->pred_writes;
}

static uint64_t writing(const Sm *sm, const void *self, int warp) { return scoreboard.writing(sm, ((const Caba *)self)->boards, warp); }
static uint64_t reading(const Sm *sm, const void *self, int warp) { return scoreboard.reading(sm, ((const Caba *)self)->boards, warp); }
static void mark(Sm *sm, void *self, int warp, uint64_t regs) { scoreboard.mark(sm, ((Caba *)self)->boards, warp, regs); }
static void unmark(Sm *sm, void *self, int warp, uint64_t regs) { scoreboard.unmark(sm, ((Caba *)self)->boards, warp, regs); }

static void warp_begins(Sm *sm, void *self, int warp) {
    Caba *s = self;
    scoreboard.warp_begins(sm, s->boards, warp);
    s->preds[LOW][warp] = s->preds[HIGH][warp] = 0;
}

static bool idle(const Sm *sm, const void *self, int warp) {
    const Caba *s = self;
    return scoreboard.idle(sm, s->boards, warp) && !s->preds[LOW][warp] && !s->preds[HIGH][warp];
}

static void explain(Text *t, const Sm *sm, const void *self, int warp, const Stream *from, const SmInst *in) {
    scoreboard.explain(t, sm, ((const Caba *)self)->boards, warp, from, in);
}

static const Hazards hazards = {.replaces = true, .query = query, .begin = begin, .operands_read = operands_read,
                                .written = written, .preds_written = preds_written, .writing = writing, .reading = reading,
                                .mark = mark, .unmark = unmark, .warp_begins = warp_begins, .idle = idle, .explain = explain};

// ---- admission ----

static int homes(const Sm *sm, const void *self, int regs) {
    const Caba *s = self;
    (void)sm;
    return aligned(regs) + s->load_regs + s->store_regs;
}

static bool rests(const Sm *sm, const void *self) {
    const Caba *s = self;
    (void)sm;
    return !(s->valid[HIGH] | s->valid[LOW]) && !s->nwaiting;
}

static const Admission admission = {.homes = homes, .rests = rests};

// ---- the window ----

static bool takes(const Sm *sm, const void *self, const SmInst *in) {
    (void)sm, (void)self;
    return in->isa->space == ISA_LINE && (in->isa->op == ISA_LD || in->isa->op == ISA_ST);
}

static const UnitRow window = {.name = "line window", .takes = takes, .beside = UNIT_SFU, .interval = 1, .share = 50,
                               .stall = CTR_STALL_LDST, .wait = CTR_WAIT_LDST, .done = CTR_EXEC_LDST, .execute = caba_execute};

// ---- the cycle ----

enum { THROTTLE_CYCLES = 256, THROTTLE_SHARE = 8 };

static void throttle(Sm *sm, Caba *s) {
    if (--s->slots_left > 0) return;
    s->throttled = s->slots_left == 0 && s->idle_slots * THROTTLE_SHARE < THROTTLE_CYCLES * sm->cfg->sm_schedulers;
    s->slots_left = THROTTLE_CYCLES;
    s->idle_slots = 0;
}

static void on_class(Sm *sm, void *self, const ClassEvent *e) {
    (void)sm;
    ((Caba *)self)->idle_slots += e->what != CTR_ISSUED && e->what != CTR_ASSIST_ISSUED;
}

// Stores of warps that stand at a fence leave.
static void fences(Sm *sm) {
    for (WarpSet left = sm->resident & sm->has_inst & ~sm->ready & ~sm->ended; left; left &= left - 1) {
        const int warp = lowest(left);
        const Stream *own = &sm->warps[warp].own;
        if (sm->warps[warp].hazard == HAZARD_MEMBAR && own->insts[own->pc].isa->op == ISA_MEMBAR)
            mem_stores_flush(sm->gpu->mem, sm->port, warp);
    }
}

// Kills have happened when they were asked for.
static void on_cycle_end(Sm *sm, void *self, const CycleEvent *e) {
    Caba *s = self;
    (void)e;
    if (sm->failed) return;
    throttle(sm, s);
    sm->count->v[CTR_ASSIST_THROTTLED] += s->throttled;
    fences(sm);
    give_up_slow(sm, s);
    ends(sm, s);
    if (s->nwaiting && !sm->failed) caba_lines_arrivals(sm, s);
    deploy(sm, s);
}

static void on_begun(Sm *sm, void *self, const FlightEvent *e) {
    const Flight *f = e->flight;
    if (!stream_is_own(sm, f->warp, f->stream)) caba_of(self, f->stream == &((Caba *)self)->of[HIGH][f->warp].stream, f->warp)->flights++;
}

static void on_ended(Sm *sm, void *self, const FlightEvent *e) {
    const Flight *f = e->flight;
    if (!stream_is_own(sm, f->warp, f->stream)) caba_of(self, f->stream == &((Caba *)self)->of[HIGH][f->warp].stream, f->warp)->flights--;
}

static const Listener listener = {.scheduler_class = on_class, .cycle_end = on_cycle_end, .begun = on_begun, .ended = on_ended};

// ---- systems ----

enum { STORE_LINES = 16 };  // of L1: stores that wait, and the image of a line that L2 wants back raw

static bool machine(MachineConfig *cfg, Diag *d) {
    const int sets = (STORE_LINES + cfg->l1_ways - 1) / cfg->l1_ways;
    if (cfg->l1_sets <= sets)
        return diag_fail(d, EXIT_USAGE, "stores take %d lines of L1, expected l1.sets above %d, found %d", STORE_LINES, sets,
                         cfg->l1_sets);
    cfg->l1_sets -= sets;
    return true;
}

#define OPEN(name, codec) \
    static void *open_##name(Sm *sm, Arena *arena) { return caba_open(sm, arena, &caba_store, codec); }
OPEN(bdi, COMPRESS_BDI)
OPEN(fpc, COMPRESS_FPC)
OPEN(cpack, COMPRESS_CPACK)
OPEN(best, COMPRESS_BEST)

#define SYSTEM(text, id)                                                                                          \
    {.name = "caba-" #id, .what = text, .group = SYSTEM_LINES, .with = 0,                                         \
     .reason = "its assist warps take registers, issue slots and the second stream of the baseline's warps",      \
     .compiler = {.reserve = CABA_RESERVE}, .machine = machine, .open = open_##id, .check = check,                 \
     .launch = launch, .hazards = &hazards, .units = &window, .nunits = 1, .stream = &stream,                     \
     .admission = &admission, .codec = &caba_codec, .listener = &listener}

const System system_caba_bdi = SYSTEM("assist warps compress and decompress lines (BDI) of L2, DRAM and the crossbar", bdi);
const System system_caba_fpc = SYSTEM("caba-bdi with FPC", fpc);
const System system_caba_cpack = SYSTEM("caba-bdi with C-Pack", cpack);
const System system_caba_best = SYSTEM("caba-bdi with the best of the three for each line", best);
