// SPDX-License-Identifier: Apache-2.0
// CABA: the table of routines in flight: an entry for each warp and priority, from trigger to end.
// In a cycle, one routine of each priority begins. An entry that ends is free in the next cycle.
// Our choices, because the paper is silent:
//
//   - A high-priority routine stalls its parent from trigger to end, and the parent's fetched
//     instructions are dropped. A full buffer whose head waits for this load would otherwise block
//     the routine forever.
//   - A low-priority routine issues in idle slots until its first store. Then it issues in place of
//     the parent and is not killed.
//   - The parent's slot remains occupied until its routines have ended.
#include "systems/caba/caba.h"

// ---- warps with an instruction to issue ----

// The routine that issues in place of the warp: high priority, otherwise low priority after its
// first store.
static Assist *find_front(const Caba *s, int warp) {
    const Assist *high = &s->of[CABA_HIGH][warp], *low = &s->of[CABA_LOW][warp];
    return (Assist *)(high->valid && high->staged ? high : low);
}

void caba_update(Caba *s, int warp) {
    const Assist *high = &s->of[CABA_HIGH][warp], *low = &s->of[CABA_LOW][warp];
    const bool low_has = low->valid && low->staged;
    const uint64_t me = word_bit(warp);
    s->in_place = (high->valid && high->staged) || (low_has && low->storing) ? s->in_place | me
                                                                             : s->in_place & ~me;
    s->beside = low_has && !low->storing ? s->beside | me : s->beside & ~me;
}

// ---- trigger, end, kill ----

bool caba_free(const Caba *s, int warp, bool high) {
    return !(s->in->trig_valid[0] >> high & 1) &&
        !((s->valid[high] | caba_set(s->out->busy + 2 * high)) >> warp & 1);
}

Assist *caba_trigger(Caba *s, int warp, bool high, int routine, AssistJob job, uint32_t lanes) {
    Assist *a = &s->of[high][warp];
    const CabaProgram *p = &s->program[routine];
    panic_if(!caba_free(s, warp, high) || !p->text, "warp %d: routine %d cannot begin", warp,
             routine);
    *a = (Assist){.valid = true,
                  .high = high,
                  .job = (uint8_t)job,
                  .warp = warp,
                  .routine = routine,
                  .since = s->sm->cycle,
                  .progress = s->sm->cycle,
                  .stream = {.insts = p->of_kernel.insts,
                             .ninsts = p->ninsts,
                             .reconv = SM_NONE,
                             .apart = true,
                             .pred = {[ISA_PT] = ~0u}}};
    s->in->trig_valid[0] |= 1u << high;
    s->in->trig_warp[high] = (uint32_t)warp;
    s->in->trig_sr[high] = (uint32_t)routine;
    s->in->trig_end[high] = (uint32_t)p->ninsts;
    s->in->trig_mask[high] = p->mask & lanes;
    if (!s->works) cosim_expect_work(s->sm->cosim, "assist_ctrl", true);
    s->works = true;
    s->valid[high] |= word_bit(warp);
    flights_hold(s->sm, warp);
    return a;
}

static void free_entry(Sm *sm, Caba *s, Assist *a) {
    if (!a->untold) caba_put(s->in->done, a);
    a->valid = false;
    s->valid[a->high] &= ~word_bit(a->warp);
    caba_update(s, a->warp);
    flights_release(sm, a->warp);
}

void caba_unstage(Caba *s, Assist *a) {
    if (!a->high && !a->storing) s->low_staged -= a->staged;
    a->staged = 0;
}

bool caba_kill(Caba *s, Assist *a) {
    if (a->storing) return false;
    caba_unstage(s, a);
    a->dying = true;
    a->untold = a->since == s->sm->cycle;
    if (a->untold) s->in->trig_valid[0] &= ~(1u << a->high);
    else caba_put(s->in->kill, a);
    caba_update(s, a->warp);
    s->sm->count->v[CTR_ASSIST_KILLED]++;
    return true;
}

enum { PATIENCE = 512 };  // cycles without an instruction, of low priority

// Terminates a routine without idle slots: its line leaves uncompressed.
void caba_give_up_slow(Sm *sm, Caba *s) {
    for (uint64_t left = s->valid[CABA_LOW]; left; left &= left - 1) {
        Assist *a = &s->of[CABA_LOW][lowest(left)];
        if (a->dying || sm->cycle - a->progress < PATIENCE || !caba_kill(s, a)) continue;
        if (s->use->gave_up) s->use->gave_up(sm, s, a);
    }
}

static bool is_over(const Sm *sm, const Caba *s, const Assist *a) {
    if (a->untold) return true;
    return !a->flights && !a->staged && a->progress != sm->cycle &&
        caba_set(s->out->over + 2 * a->high) >> a->warp & 1;
}

void caba_end_routines(Sm *sm, Caba *s) {
    for (int p = CABA_HIGH; p >= CABA_LOW; p--) {
        for (uint64_t left = s->valid[p]; left; left &= left - 1) {
            Assist *a = &s->of[p][lowest(left)];
            if (!is_over(sm, s, a)) continue;
            if (!a->dying && s->use->ended) s->use->ended(sm, s, a);
            if (sm->failed) return;
            free_entry(sm, s, a);
        }
    }
}

// ---- second streams ----

static WarpSet active_low(const Sm *sm, const void *self) {
    (void)sm;
    return ((const Caba *)self)->beside;
}

static WarpSet active_front(const Sm *sm, const void *self) {
    (void)sm;
    return ((const Caba *)self)->in_place;
}

static InstStream *stream_low(const Sm *sm, void *self, int warp) {
    (void)sm;
    return &caba_of(self, false, warp)->stream;
}

static InstStream *stream_front_of(const Sm *sm, void *self, int warp) {
    (void)sm;
    return &find_front(self, warp)->stream;
}

static const SmInst *head_low(const Sm *sm, const void *self, int warp) {
    (void)sm;
    return caba_head(&((const Caba *)self)->of[CABA_LOW][warp]);
}

static const SmInst *head_front(const Sm *sm, const void *self, int warp) {
    (void)sm;
    return caba_head(find_front(self, warp));
}

static void issued_low(Sm *sm, void *self, int warp) {
    caba_issued(sm, self, caba_of(self, false, warp));
}
static void issued_front(Sm *sm, void *self, int warp) {
    caba_issued(sm, self, find_front(self, warp));
}

static bool precedes_programs(const Sm *sm, const void *self) {
    (void)self;
    return sm->cfg->caba_high == CABA_HIGH_FIRST;
}

static const InstStreamPart in_place = {.only = CTR_ASSIST_ISSUED,
                                        .precedes = precedes_programs,
                                        .active = active_front,
                                        .stream = stream_front_of,
                                        .head = head_front,
                                        .issued = issued_front};
const InstStreamPart caba_stream = {.drains = true,
                                    .only = CTR_ASSIST_ISSUED,
                                    .in_place = &in_place,
                                    .active = active_low,
                                    .stream = stream_low,
                                    .head = head_low,
                                    .issued = issued_low};

// ---- hazards: the parent's board, with predicates of the routines' own ----

static uint8_t *preds_of(const Caba *s, int warp, const InstStream *from) {
    return (uint8_t *)(inst_stream_is_own(s->sm, warp, from)
                           ? &s->boards[warp].pred
                           : &s->preds[from == &s->of[CABA_HIGH][warp].stream][warp]);
}

static Hazard query(const Sm *sm, const void *self, int warp, const InstStream *from,
                    const SmInst *in) {
    const Caba *s = self;
    Board b = {.write = s->boards[warp].write,
               .slow = s->boards[warp].slow,
               .read = s->boards[warp].read,
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

static uint64_t writing(const Sm *sm, const void *self, int warp) {
    return scoreboard.writing(sm, ((const Caba *)self)->boards, warp);
}
static uint64_t reading(const Sm *sm, const void *self, int warp) {
    return scoreboard.reading(sm, ((const Caba *)self)->boards, warp);
}

static void warp_begins(Sm *sm, void *self, int warp) {
    Caba *s = self;
    scoreboard.warp_begins(sm, s->boards, warp);
    s->preds[CABA_LOW][warp] = s->preds[CABA_HIGH][warp] = 0;
}

static bool idle(const Sm *sm, const void *self, int warp) {
    const Caba *s = self;
    return scoreboard.idle(sm, s->boards, warp) && !s->preds[CABA_LOW][warp] &&
        !s->preds[CABA_HIGH][warp];
}

static void explain(Text *t, const Sm *sm, const void *self, int warp, const InstStream *from,
                    const SmInst *in) {
    scoreboard.explain(t, sm, ((const Caba *)self)->boards, warp, from, in);
}

const Hazards caba_hazards = {.replaces = true,
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
