// SPDX-License-Identifier: Apache-2.0
// CABA: what issues and when, around the assist warp table and its controller (block assist_ctrl). The block is told at
// the end of a cycle what has happened in it; one routine of each priority begins in a cycle, and an entry that ends is
// free in the next. Where the paper is silent, ours:
//
//   - a high-priority routine holds the parent from trigger to end, and what the parent has fetched is dropped: a full
//     buffer whose head waits for this very load would keep the routine out for ever;
//   - accesses of the window `line` leave the collectors by the port of SFU, which never waits for memory. By that of
//     LD/ST a routine would wait for loads that wait for MSHRs that wait for routines;
//   - low priority issues in idle slots until its first store, from there on in the parent's place, and is not killed;
//   - where fewer than an eighth of the issue slots of 256 cycles were idle, nothing of low priority is staged in the
//     next 256;
//   - of low priority two are deployed in a cycle only if neither waits for anything and both places are free;
//   - the parent's slot stays in use until its routines have ended.
#include "systems/caba/caba.h"

#include "systems/lines/line_blocks.h"
#include "systems/lines/line_table.h"
#include "systems/regmutex/split_map.h"
#include "systems/systems.h"

#include <string.h>

enum { LOW, HIGH };

// ---- open, launch ----

static int most_regs(const CabaProgram *program, bool stores) {
    int most = 0;
    for (int i = 0; i < CABA_ROUTINES; i++)
        if (program[i].text && (i >= CABA_BDI_STORE) == stores && program[i].nregs > most) most = program[i].nregs;
    return most;
}

int caba_aligned(int regs) { return (regs + CABA_ALIGN - 1) / CABA_ALIGN * CABA_ALIGN; }

Caba *caba_core_open(Sm *sm, Arena *arena, const CabaUse *use, void *user) {
    Caba *s = ARENA_NEW(arena, Caba);
    s->sm = sm;
    s->arena = arena;
    s->use = use;
    s->user = user;
    s->boards = scoreboard_open(sm, arena);
    s->ctrl = cosim_block(sm->cosim, "assist_ctrl");
    s->in = s->ctrl->in;
    s->out = s->ctrl->out;
    cosim_expect_work(sm->cosim, "assist_ctrl", false);  // until a routine begins
    return s;
}

static const CabaUse lines;

void *caba_open(Sm *sm, Arena *arena, const CabaStore *store, CompressCodec codec) {
    Caba *s = caba_core_open(sm, arena, &lines, NULL);
    Diag d = {0};
    s->codec = codec;
    s->check = sm->cfg->caba_check == CABA_CHECK_CODEC;
    const bool tries = codec == COMPRESS_BDI && sm->cfg->bdi_trial == BDI_TRIAL_LAST;
    panic_if(!caba_assemble(arena, store, codec, tries, s->program, &d), "%s", d.text);
    s->load_regs = caba_aligned(most_regs(s->program, false));
    s->store_regs = caba_aligned(most_regs(s->program, true));
    caba_lines_open(s);
    return s;
}

static bool check(const Sm *sm, const void *self, Diag *d) {
    const Caba *s = self;
    if (sm->cfg->caba_design == CABA_DIRECT && s->codec != COMPRESS_BDI)
        return diag_fail(d, EXIT_USAGE, "--arch %s: loads take words of images of BDI only: expected caba-bdi, or another "
                         "caba.design than direct-load", sm->gpu->arch.name);
    if (sm->cfg->bdi_base != BDI_FIRST_MISFIT && s->codec == COMPRESS_BDI)
        return diag_fail(d, EXIT_USAGE, "--arch %s: routines of BDI take the first value that is no delta from zero: expected "
                         "bdi.base first-misfit, or hw-bdi, hw-bdi-mem or ideal-bdi", sm->gpu->arch.name);
    if (sm->cfg->bdi_trial != BDI_TRIAL_SIZE && s->codec == COMPRESS_BEST)
        return diag_fail(d, EXIT_USAGE, "--arch %s: the assist warp store has no room for routines of each encoding beside those of "
                         "three codecs: expected bdi.trial size, or caba-bdi, found last-first", sm->gpu->arch.name);
    if (sm->cfg->bdi_trial != BDI_TRIAL_SIZE && s->codec != COMPRESS_BDI)
        return diag_fail(d, EXIT_USAGE, "--arch %s: its routines try no encodings of BDI: expected bdi.trial size, or caba-bdi, found "
                         "last-first", sm->gpu->arch.name);
    return line_table_check(sm, s->table, d);
}

void caba_core_launch(Caba *s) {
    memset(s->of, 0, sizeof s->of);
    memset(s->preds, 0, sizeof s->preds);
    memset(s->in, 0, sizeof *s->in);
    block_eval(s->ctrl);
    s->nissued = 0;
    s->valid[LOW] = s->valid[HIGH] = s->hold = s->in_place = s->beside = 0;
    s->low_staged = s->nwaiting = s->nmade = s->noverlays = 0;
    s->idle_slots = 0;
    s->slots_left = 0;
    s->throttled = false;
}

static void launch(Sm *sm, void *self) {
    Caba *s = self;
    const int first = caba_aligned(sm->launch->program->home_regs);
    for (int i = 0; i < CABA_ROUTINES; i++) {
        CabaProgram *p = &s->program[i];
        if (p->text && !caba_relocate(sm, p, i >= CABA_BDI_STORE ? first + s->load_regs : first, NULL, sm->diag)) sm_stop(sm);
    }
    caba_core_launch(s);
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

static uint64_t as_set(const uint32_t words[2]) { return words[0] | (uint64_t)words[1] << 32; }
static void put(uint32_t *set, const Assist *a) { set[2 * a->high + a->warp / 32] |= 1u << a->warp % 32; }

bool caba_free(const Caba *s, int warp, bool high) {
    return !(s->in->trig_valid[0] >> high & 1) && !((s->valid[high] | as_set(s->out->busy + 2 * high)) >> warp & 1);
}

Assist *caba_trigger(Caba *s, int warp, bool high, int routine, AssistJob job, uint32_t lanes) {
    Assist *a = &s->of[high][warp];
    const CabaProgram *p = &s->program[routine];
    panic_if(!caba_free(s, warp, high) || !p->text, "warp %d: routine %d cannot begin", warp, routine);
    *a = (Assist){.valid = true, .high = high, .job = (uint8_t)job, .warp = warp, .routine = routine,
                  .since = s->sm->cycle, .progress = s->sm->cycle,
                  .stream = {.insts = p->of_kernel.insts, .ninsts = p->ninsts, .reconv = SM_NONE, .apart = true,
                             .pred = {[ISA_PT] = ~0u}}};
    s->in->trig_valid[0] |= 1u << high;
    s->in->trig_warp[high] = (uint32_t)warp;
    s->in->trig_sr[high] = (uint32_t)routine;
    s->in->trig_end[high] = (uint32_t)p->ninsts;
    s->in->trig_mask[high] = p->mask & lanes;
    if (!s->works) cosim_expect_work(s->sm->cosim, "assist_ctrl", true);
    s->works = true;
    s->valid[high] |= bit64(warp);
    flights_hold(s->sm, warp);
    return a;
}

static void free_entry(Sm *sm, Caba *s, Assist *a) {
    if (!a->untold) put(s->in->done, a);
    a->valid = false;
    s->valid[a->high] &= ~bit64(a->warp);
    update(s, a->warp);
    flights_release(sm, a->warp);
}

static void unstage(Caba *s, Assist *a) {
    if (!a->high && !a->storing) s->low_staged -= a->staged;
    a->staged = 0;
}

bool caba_kill(Caba *s, Assist *a) {
    if (a->storing) return false;
    unstage(s, a);
    a->dying = true;
    a->untold = a->since == s->sm->cycle;
    if (a->untold) s->in->trig_valid[0] &= ~(1u << a->high);
    else put(s->in->kill, a);
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
        if (s->use->gave_up) s->use->gave_up(sm, s, a);
    }
}

static bool over(const Sm *sm, const Caba *s, const Assist *a) {
    if (a->untold) return true;
    return !a->flights && !a->staged && a->progress != sm->cycle && as_set(s->out->over + 2 * a->high) >> a->warp & 1;
}

static void ends(Sm *sm, Caba *s) {
    for (int p = HIGH; p >= LOW; p--) {
        for (uint64_t left = s->valid[p]; left; left &= left - 1) {
            Assist *a = &s->of[p][lowest(left)];
            if (!over(sm, s, a)) continue;
            if (!a->dying && s->use->ended) s->use->ended(sm, s, a);
            if (sm->failed) return;
            free_entry(sm, s, a);
        }
    }
}

// ---- deployment: each cycle an instruction of one routine, or two, from the store into the buffer ----

static const SmInst *inst_at(const Assist *a, int at) { return &a->stream.insts[at]; }

static bool stageable(const Sm *sm, const Caba *s, const Assist *a) {
    if (a->dying || a->next >= a->stream.ninsts) return false;
    if (sm->cfg->caba_ctrl_cycles > 1 && a->jumped == sm->cycle) return false;  // the controller does not know its target yet
    if (a->high || a->storing) return a->staged < sm->cfg->sm_ibuffer && a->staged < CABA_STAGED;
    return !s->throttled && !a->staged && hazards_query(sm, a->warp, &a->stream, inst_at(a, a->next)) == HAZARD_NONE;
}

// The second waits for nothing that the first writes or reads.
static bool beside_each_other(const IsaInst *first, const IsaInst *second) {
    const uint8_t written = isa_pred_writes(first), touched = written | isa_pred_reads(first);
    uint8_t of_first[ISA_MAX_SRC_WORDS + ISA_MAX_DST_WORDS], of_second[ISA_MAX_SRC_WORDS + ISA_MAX_DST_WORDS];
    const int nwritten = isa_writes(first, of_first), n = nwritten + isa_reads(first, of_first + nwritten);
    const int mwritten = isa_writes(second, of_second), m = mwritten + isa_reads(second, of_second + mwritten);
    if (first->op == ISA_BRA || (written & isa_pred_reads(second)) || (touched & isa_pred_writes(second))) return false;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < m; k++)
            if (of_first[i] == of_second[k] && of_first[i] != ISA_RZ && (i < nwritten || k < mwritten)) return false;
    return true;
}

// Both that are next. Of low priority the second, too, waits for nothing, and takes the other place of the buffer.
static bool both_stageable(const Sm *sm, const Caba *s, const Assist *a) {
    if (sm->cfg->caba_deploy < 2 || sm->cfg->sm_schedulers < 2 || a->next + 2 > a->stream.ninsts) return false;
    if (a->high || a->storing) return a->staged + 2 <= sm->cfg->sm_ibuffer && a->staged + 2 <= CABA_STAGED;
    const SmInst *first = inst_at(a, a->next), *second = inst_at(a, a->next + 1);
    return !s->low_staged && beside_each_other(first->isa, second->isa) &&
           hazards_query(sm, a->warp, &a->stream, second) == HAZARD_NONE;
}

static void offer(const Sm *sm, Caba *s) {
    for (int p = LOW; p <= HIGH; p++)
        for (uint64_t left = s->valid[p]; left; left &= left - 1) {
            const Assist *a = &s->of[p][lowest(left)];
            if (!stageable(sm, s, a)) continue;
            put(s->in->ok, a);
            if (both_stageable(sm, s, a)) put(s->in->ok2, a);
        }
    s->in->low_room[0] = s->low_staged < CABA_LOW_ENTRIES;
}

static void stage(Sm *sm, Caba *s) {
    const AssistCtrlOut *out = s->out;
    Assist *a = &s->of[out->dep_high[0]][out->dep_warp[0]];
    const CabaProgram *p = out->dep_sr[0] < CABA_PROGRAMS ? &s->program[out->dep_sr[0]] : NULL;
    const int at = (int)out->dep_inst[0], n = 1 + (int)out->dep_two[0];
    if (!a->valid || a->staged + n > CABA_STAGED || !p || !p->text || at + n > p->ninsts) {
        sm_fail(sm, EXIT_MISMATCH, "assist_ctrl deploys instruction %d of routine %u for warp %u, which has no place for it", at,
                out->dep_sr[0], out->dep_warp[0]);
        return;
    }
    a->stream.insts = p->of_kernel.insts;
    a->stream.mask = out->dep_mask[0];
    if (!a->staged) a->stream.pc = (uint32_t)at;
    for (int i = 0; i < n; i++) a->buffer[a->staged++] = (uint8_t)(at + i);
    a->next = at + n;
    if (!a->high && !a->storing) s->low_staged += n;
    update(s, a->warp);
}

// Parents are held, and run again.
static void hold_parents(Sm *sm, Caba *s) {
    const uint64_t hold = as_set(s->out->hold);
    for (uint64_t left = hold & ~s->hold; left; left &= left - 1) stream_hold(sm, lowest(left));
    for (uint64_t left = s->hold & ~hold; left; left &= left - 1) stream_free(sm, lowest(left));
    s->hold = hold;
}

static bool asked(const Caba *s) {
    return s->in->trig_valid[0] || s->valid[LOW] || s->valid[HIGH] || as_set(s->out->busy) || as_set(s->out->busy + 2);
}

// The block's cycle: what it deploys, the clock edge, and what its state says from now on.
static void control(Sm *sm, Caba *s) {
    if (!asked(s) && !blocks_clocked(sm)) return;
    offer(sm, s);
    block_eval(s->ctrl);
    if (s->out->dep_valid[0]) stage(sm, s);
    block_tick(s->ctrl);
    memset(s->in, 0, sizeof *s->in);
    s->nissued = 0;
    block_eval(s->ctrl);
    hold_parents(sm, s);
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
static bool taken(const Assist *a, const SmInst *in) {
    const IsaPred *g = &in->isa->guard;
    const uint32_t lanes = a->stream.mask & (g->neg ? ~a->stream.pred[g->reg] : a->stream.pred[g->reg]);
    panic_if(lanes && lanes != a->stream.mask, "an assist warp diverges");
    return lanes != 0;
}

static void tell_issue(Caba *s, const Assist *a, bool jumps, bool stores, int target) {
    AssistCtrlIn *in = s->in;
    const int port = s->nissued++;
    in->iss_valid[0] |= 1u << port;
    in->iss_high[0] |= (uint32_t)a->high << port;
    in->iss_warp[port] = (uint32_t)a->warp;
    in->iss_store[0] |= (uint32_t)stores << port;
    in->iss_jump[0] |= (uint32_t)jumps << port;
    in->iss_target[port] = (uint32_t)target;
}

static void issued(Sm *sm, Caba *s, Assist *a) {
    const SmInst *in = head_of(a);
    const bool stores = in->isa->op == ISA_ST, jumps = in->isa->op == ISA_BRA && taken(a, in);
    const int target = jumps ? in->isa->target : 0;
    sm->count->v[a->high || a->storing ? CTR_ASSIST_HIGH : CTR_ASSIST_LOW]++;
    a->staged--;
    memmove(a->buffer, a->buffer + 1, (size_t)a->staged);
    a->progress = sm->cycle;
    if (!a->high && !a->storing) s->low_staged--;
    if (jumps) {
        unstage(s, a);
        a->next = target;
        a->jumped = sm->cycle;
    }
    if (stores && !a->storing) {
        if (!a->high) s->low_staged -= a->staged;
        a->storing = true;
    }
    if (a->staged) a->stream.pc = a->buffer[0];
    tell_issue(s, a, jumps, stores, target);
    update(s, a->warp);
}

static void issued_low(Sm *sm, void *self, int warp) { issued(sm, self, caba_of(self, false, warp)); }
static void issued_front(Sm *sm, void *self, int warp) { issued(sm, self, front(self, warp)); }

static const StreamPart in_place = {.only = CTR_ASSIST_ISSUED, .active = active_front, .stream = stream_front_of,
                                    .head = head_front, .issued = issued_front};
const StreamPart caba_stream = {.drains = true, .only = CTR_ASSIST_ISSUED, .in_place = &in_place, .active = active_low,
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

const Hazards caba_hazards = {.replaces = true, .query = query, .begin = begin, .operands_read = operands_read,
                                .written = written, .preds_written = preds_written, .writing = writing, .reading = reading,
                                .mark = mark, .unmark = unmark, .warp_begins = warp_begins, .idle = idle, .explain = explain};

// ---- admission ----

static int homes(const Sm *sm, const void *self, int regs) {
    const Caba *s = self;
    (void)sm;
    return caba_aligned(regs) + s->load_regs + s->store_regs;
}

bool caba_rests(const Sm *sm, const void *self) {
    const Caba *s = self;
    (void)sm;
    return !asked(s) && (!s->use->rests || s->use->rests(s));
}

static const Admission admission = {.homes = homes, .rests = caba_rests};

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

void caba_on_class(Sm *sm, void *self, const ClassEvent *e) {
    (void)sm;
    ((Caba *)self)->idle_slots += e->what != CTR_ISSUED && e->what != CTR_ASSIST_ISSUED;
}

// Stores of warps that stand at a fence leave.
static void fences(Sm *sm, Caba *s) {
    (void)s;
    for (WarpSet left = sm->resident & sm->has_inst & ~sm->ready & ~sm->ended; left; left &= left - 1) {
        const int warp = lowest(left);
        const Stream *own = &sm->warps[warp].own;
        if (sm->warps[warp].hazard == HAZARD_MEMBAR && own->insts[own->pc].isa->op == ISA_MEMBAR)
            mem_stores_flush(sm->mem, sm->port, warp);
    }
}

// Kills have happened when they were asked for.
void caba_on_cycle_end(Sm *sm, void *self, const CycleEvent *e) {
    Caba *s = self;
    (void)e;
    if (sm->failed) return;
    throttle(sm, s);
    sm->count->v[CTR_ASSIST_THROTTLED] += s->throttled;
    if (s->use->before) s->use->before(sm, s);
    give_up_slow(sm, s);
    ends(sm, s);
    if (s->use->begin && !sm->failed) s->use->begin(sm, s);
    if (!sm->failed) control(sm, s);
    if (s->use->behind && !sm->failed) s->use->behind(sm, s);
}

void caba_on_begun(Sm *sm, void *self, const FlightEvent *e) {
    const Flight *f = e->flight;
    if (!stream_is_own(sm, f->warp, f->stream)) caba_of(self, f->stream == &((Caba *)self)->of[HIGH][f->warp].stream, f->warp)->flights++;
}

void caba_on_ended(Sm *sm, void *self, const FlightEvent *e) {
    const Flight *f = e->flight;
    if (!stream_is_own(sm, f->warp, f->stream)) caba_of(self, f->stream == &((Caba *)self)->of[HIGH][f->warp].stream, f->warp)->flights--;
}

static const Listener listener = {.scheduler_class = caba_on_class, .cycle_end = caba_on_cycle_end, .begun = caba_on_begun,
                                  .ended = caba_on_ended};

// ---- what lines ask for ----

static void store_stays_raw(Sm *sm, Caba *s, Assist *a) {
    (void)s;
    mem_store_done(sm->mem, sm->port, a->id, 0, 0);
}

static void arrivals(Sm *sm, Caba *s) {
    if (s->nwaiting || s->nmade) caba_lines_arrivals(sm, s);
}

static void blocks_cycle(Sm *sm, Caba *s) { line_blocks_cycle(sm, s->blocks); }
static bool none_waits(const Caba *s) { return !s->nwaiting; }

static const CabaUse lines = {.before = fences, .ended = caba_line_made, .gave_up = store_stays_raw, .begin = arrivals,
                              .behind = blocks_cycle, .rests = none_waits};

// ---- systems ----

enum { STORE_LINES = 16 };  // of L1: stores that wait, and the image of a line that L2 wants back raw

static bool machine(MachineConfig *cfg, Diag *d) {
    const int sets = (STORE_LINES + cfg->l1_ways - 1) / cfg->l1_ways;
    if (cfg->l1_sets <= sets)
        return diag_fail(d, EXIT_USAGE, "stores take %d lines of L1, expected l1.sets above %d, found %d", STORE_LINES, sets,
                         cfg->l1_sets);
    cfg->l1_sets -= sets;
    line_table_machine(cfg);
    return true;
}

// caba-off: registers and lines of L1 are taken, and no routine ever begins.
typedef struct CabaOff { int regs; } CabaOff;

static void *open_off(Sm *sm, Arena *arena) {
    CabaOff *s = ARENA_NEW(arena, CabaOff);
    CabaProgram program[CABA_ROUTINES] = {0};
    Diag d = {0};
    (void)sm;
    panic_if(!caba_assemble(arena, &caba_store, COMPRESS_BDI, false, program, &d), "%s", d.text);
    s->regs = caba_aligned(most_regs(program, false)) + caba_aligned(most_regs(program, true));
    return s;
}

static int homes_off(const Sm *sm, const void *self, int regs) {
    (void)sm;
    return caba_aligned(regs) + ((const CabaOff *)self)->regs;
}

static const Admission admission_off = {.homes = homes_off};

#define OPEN(name, codec) \
    static void *open_##name(Sm *sm, Arena *arena) { return caba_open(sm, arena, &caba_store, codec); }
OPEN(bdi, COMPRESS_BDI)
OPEN(fpc, COMPRESS_FPC)
OPEN(cpack, COMPRESS_CPACK)
OPEN(best, COMPRESS_BEST)

static const char *const blocks_bdi[] = {"assist_ctrl", "bdi_compress", "bdi_decompress", "md_cache", NULL},
                  *const blocks_other[] = {"assist_ctrl", "md_cache", NULL};
#define blocks_fpc blocks_other
#define blocks_cpack blocks_other
#define blocks_best blocks_bdi

#define SYSTEM(text, id)                                                                                          \
    {.name = "caba-" #id, .what = text, .group = SYSTEM_LINES, .with = 0,                                         \
     .reason = "its assist warps take registers, issue slots and the second stream of the baseline's warps",      \
     .compiler = {.reserve = CABA_RESERVE, .routines = true}, .blocks = blocks_##id, .machine = machine, .open = open_##id, .check = check,                 \
     .launch = launch, .hazards = &caba_hazards, .units = &window, .nunits = 1, .stream = &caba_stream,                     \
     .admission = &admission, .codec = &caba_codec, .listener = &listener}

const System system_caba_bdi = SYSTEM("assist warps compress and decompress lines (BDI) of L2, DRAM and the crossbar", bdi);
const System system_caba_fpc = SYSTEM("caba-bdi with FPC", fpc);
const System system_caba_cpack = SYSTEM("caba-bdi with C-Pack", cpack);
const System system_caba_best = SYSTEM("caba-bdi with the best of the three for each line", best);
const System system_caba_off = {
    .name = "caba-off", .what = "caba-bdi's registers and lines of L1, without its assist warps", .group = SYSTEM_LINES, .with = 0,
    .reason = "it takes registers and lines of L1 of the baseline", .compiler = {.reserve = CABA_RESERVE}, .machine = machine,
    .open = open_off, .admission = &admission_off,
};
