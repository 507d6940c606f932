// SPDX-License-Identifier: Apache-2.0
// A warp in P-mode: the choice between executing, skipping, and only changing the stack, and the
// two scoreboards. N-mode's board is the machine's, with the operand reads of both modes. The block
// dual_scoreboard implements both boards. It is queried for every instruction that issues, and its
// verdict must equal the verdict of this file.
#include "systems/pmode/pmode.h"

#include "sm/parts/order.h"
#include "sm/stages/simt.h"

#include <string.h>

// ---- an instruction in P-mode ----

static bool can_merge(const SmInst *in) {
    const bool moves =
        in->mem != SM_MEM_NOT && in->isa->op != ISA_LDC && in->isa->space != ISA_SHARED;
    return in->nwrites >= 1 && in->nwrites <= 2 && !in->at_issue && !in->is_control && !moves &&
        in->mem <= SM_MEM_READ;
}

// A copy of the instruction that also reads its old destination.
static SmInst merge_old(const SmInst *in, int per) {
    SmInst m = *in;
    for (int i = 0; i < in->nwrites; i++) {
        if (m.reads & word_bit(in->dst_reg[i])) continue;
        m.op_reg[m.nops++] = in->dst_reg[i];
        m.reads |= word_bit(in->dst_reg[i]);
    }
    m.nuops = (uint8_t)(m.nops <= per ? 1 : (m.nops + per - 1) / per);
    return m;
}

void pmode_prepare(Sm *sm, PMode *s) {
    s->merged = ARENA_ARRAY(&sm->kernel_arena, SmInst, sm->program.ninsts);
    for (int i = 0; i < sm->program.ninsts; i++)
        if (can_merge(&sm->program.insts[i]))
            s->merged[i] = merge_old(&sm->program.insts[i], SM_OPERANDS);
}

static bool is_partial(const InstStream *st, const SmInst *in) {
    return pmode_active(st, in) != pmode_live(st);
}

static const SmInst *head(const Sm *sm, const void *self, int warp) {
    const PMode *s = self;
    const InstStream *st = &s->warp[warp].ahead;
    const SmInst *in = &st->insts[st->pc], *merged = &s->merged[st->pc];
    (void)sm;
    return merged->isa && is_partial(st, in) ? merged : in;
}

// ---- the rules (section 3 of the specification, Issue) ----

static bool is_branch(const IsaInst *isa) {
    return isa->op == ISA_BRA || isa->op == ISA_BRX || isa->op == ISA_EXIT;
}
static uint8_t guard_bit(const SmInst *in) {
    return in->isa->guard.reg == ISA_PT ? 0 : (uint8_t)(1u << in->isa->guard.reg);
}

// Entries that a split adds to the stack. If the top has no further instructions, the first path
// replaces it.
static bool stack_full(const InstStream *st, const SmInst *in) {
    const bool replaces = in->isa->reconv < 0 || (in->isa->reconv == st->reconv && st->depth);
    return st->depth + 1 + (replaces ? 1 : 2) > 8;
}

static PModeChoice choose_turn(const PModeWarp *w, const SmInst *in, bool unknown, bool pending) {
    const InstStream *st = &w->ahead;
    const PModeChoice halt = {PMODE_HALTS, CTR_PMODE_HALT_BRANCH, false};
    if (unknown || in->reads & w->unknown) return halt;
    if (pending || in->reads & w->pend) return (PModeChoice){.act = PMODE_WAITS};
    const uint32_t active = pmode_active(st, in);
    const PModeChoice turns = {PMODE_TURNS, CTR_PMODE_TURNS, false};
    if (in->isa->op == ISA_BRX)
        return active ? (PModeChoice){PMODE_JUMPS, CTR_PMODE_TURNS, false} : turns;
    if (in->isa->op == ISA_BRA)
        return active && active != st->mask && stack_full(st, in)
            ? (PModeChoice){PMODE_HALTS, CTR_PMODE_HALT_DEPTH, false}
            : turns;
    if (!active) return (PModeChoice){PMODE_PASSES, CTR_PMODE_TURNS, false};
    return active == pmode_live(st) ? (PModeChoice){PMODE_HALTS, CTR_PMODE_HALT_END, false} : turns;
}

static bool in_reach(const Sm *sm, const PModeWarp *w) {
    const int distance = (int)w->ahead.pc - w->base;
    return distance >= -sm->cfg->pmode_distance && distance < sm->cfg->pmode_distance;
}

// The reason to skip the instruction for any source values; CTR_PMODE_RENAMED: none.
static CounterId skip_reason(const Sm *sm, const PModeWarp *w, const SmInst *in) {
    const IsaInst *isa = in->isa;
    switch (isa->op) {
    case ISA_ST:
    case ISA_ATOM:
    case ISA_SYSCALL:
    case ISA_NANOSLEEP: return CTR_PMODE_SKIP_STORE;
    case ISA_BAR: return CTR_PMODE_SKIP_BARRIER;
    case ISA_MEMBAR: return CTR_PMODE_SKIP_FENCE;
    default: break;
    }
    if (isa->op == ISA_LD && isa->ordered) return CTR_PMODE_SKIP_FENCE;
    return in_reach(sm, w) ? CTR_PMODE_RENAMED : CTR_PMODE_SKIP_REACH;
}

static bool pre_loads(const IsaInst *isa) {
    return isa->op == ISA_PREFETCH || isa->op == ISA_TEX ||
        (isa->op == ISA_LD && isa->space != ISA_SHARED);
}

static bool is_clock(const IsaInst *isa) {
    if (isa->op != ISA_S2R) return false;
    return isa->sreg == PTX_SREG_CLOCK || isa->sreg == PTX_SREG_CLOCK64 ||
        isa->sreg == PTX_SREG_CLOCK_HI || isa->sreg == PTX_SREG_GLOBALTIMER ||
        isa->sreg == PTX_SREG_GLOBALTIMER_LO || isa->sreg == PTX_SREG_GLOBALTIMER_HI;
}

// If all sources are known: rows 11 to 15.
static PModeChoice choose_known(const Sm *sm, const PModeWarp *w, int warp, const SmInst *in) {
    const IsaInst *isa = in->isa;
    const PModeChoice waits = {.act = PMODE_WAITS};
    if (pre_loads(isa)) {
        if (w->fence_passed) return (PModeChoice){PMODE_SKIPS, CTR_PMODE_SKIP_FENCE, false};
        if (!sm->cfg->pmode_preload) return (PModeChoice){PMODE_SKIPS, CTR_PMODE_SKIP_LOAD, false};
        return in->reads & w->pend ? waits
                                   : (PModeChoice){PMODE_PRELOADS, CTR_PMODE_PRELOADS, false};
    }
    // A fence is half of a handshake with another warp. Only N-mode may read stores of other warps.
    if (isa->op == ISA_LD && w->fence_passed)
        return (PModeChoice){PMODE_SKIPS, CTR_PMODE_SKIP_FENCE, false};
    if (isa->op == ISA_LD && (w->store_skipped || w->barrier_passed))
        return (PModeChoice){PMODE_SKIPS, CTR_PMODE_SKIP_SHARED, false};
    if (is_clock(isa)) return (PModeChoice){PMODE_SKIPS, CTR_PMODE_SKIP_OTHER, false};
    if (in->nwrites > 2) return (PModeChoice){PMODE_SKIPS, CTR_PMODE_SKIP_OTHER, false};
    if ((in->nwrites || in->pred_writes) && sm->cfg->pmode_partial == PARTIAL_SKIP &&
        is_partial(&w->ahead, in))
        return (PModeChoice){PMODE_SKIPS, CTR_PMODE_SKIP_OTHER, false};
    if (!in->nwrites && !in->pred_writes)
        return (PModeChoice){PMODE_PASSES, CTR_PMODE_TURNS, false};
    if (in->reads & w->pend || in->pred_reads & w->ppend) return waits;
    if (isa->op == ISA_LD && order_query(sm, warp, in) != HAZARD_NONE) return waits;
    return (PModeChoice){PMODE_RUNS, CTR_PMODE_EXECUTED, false};
}

static uint8_t preds_read(const PModeWarp *w, const SmInst *in) {
    return (uint8_t)(in->pred_reads | (is_partial(&w->ahead, in) ? in->pred_writes : 0));
}

PModeChoice pmode_choose(const Sm *sm, const PMode *s, int warp, const SmInst *in) {
    const PModeWarp *w = &s->warp[warp];
    const InstStream *st = &w->ahead;
    const IsaInst *isa = in->isa;
    const uint8_t guard = guard_bit(in);
    const bool unknown = guard & w->punknown, pending = guard & w->ppend & ~w->punknown;
    const PModeChoice waits = {.act = PMODE_WAITS}, passes = {PMODE_PASSES, CTR_PMODE_TURNS, false};
    if (w->seq == PMODE_LAST_SEQ) return (PModeChoice){PMODE_HALTS, CTR_PMODE_HALT_END, false};
    if (is_branch(isa)) return choose_turn(w, in, unknown, pending);
    if (pending) return waits;
    if (!unknown && !pmode_active(st, in)) return passes;
    if (isa->op == ISA_TRAP) return (PModeChoice){PMODE_HALTS, CTR_PMODE_HALT_END, false};
    if (isa->op == ISA_NOP || isa->op == ISA_WARPSYNC || isa->op == ISA_HINT) return passes;
    // A short result is outstanding for a destination: a register never has two.
    if (in->writes & w->pend & ~w->unknown || in->pred_writes & w->ppend & ~w->punknown)
        return waits;
    const CounterId why = skip_reason(sm, w, in);
    if (why != CTR_PMODE_RENAMED) return (PModeChoice){PMODE_SKIPS, why, false};
    if (in->reads & w->unknown || preds_read(w, in) & w->punknown)
        return (PModeChoice){PMODE_SKIPS, CTR_PMODE_SKIP_LONG, true};
    return choose_known(sm, w, warp, in);
}

static InstStreamVerdict examine(const Sm *sm, const void *self, int warp, const SmInst *in) {
    const PMode *s = self;
    const int ids = s->ready - s->nids;
    if (sm->cycle < s->warp[warp].from || ids < 1 || pmode_ports_left(sm, s) < 1 ||
        pmode_held(s) >> warp & 1)
        return INST_STREAM_WAITS;
    const PModeChoice c = pmode_choose(sm, s, warp, in);
    if (c.act == PMODE_WAITS || (c.act == PMODE_RUNS && in->nwrites > ids))
        return INST_STREAM_WAITS;
    // With registered blocks, registers requested a cycle ago are available every second cycle.
    if (c.act == PMODE_RUNS && in->nwrites && pmode_registered(sm) && sm->cycle & 1)
        return INST_STREAM_WAITS;
    return c.act == PMODE_RUNS || c.act == PMODE_PRELOADS || c.act == PMODE_JUMPS
        ? INST_STREAM_ISSUES
        : INST_STREAM_PASSES;
}

// ---- it issues ----

// The destinations are unknown in P-mode from now on.
static void forget_writes(PMode *s, int warp, const SmInst *in) {
    PModeWarp *w = &s->warp[warp];
    w->pend &= ~in->writes;
    w->unknown |= in->writes;
    w->ppend &= (uint8_t)~in->pred_writes;
    w->punknown |= in->pred_writes;
}

static void skip_instruction(PMode *s, int warp, const SmInst *in) {
    PModeWarp *w = &s->warp[warp];
    const IsaInst *isa = in->isa;
    const bool global = in->mem != SM_MEM_NOT &&
        (isa->space == ISA_GLOBAL || isa->space == ISA_LOCAL) && isa->op != ISA_SYSCALL;
    if (s->choice.count == CTR_PMODE_SKIP_STORE && isa->op != ISA_NANOSLEEP)
        w->store_skipped |= !global;
    if (s->choice.count == CTR_PMODE_SKIP_BARRIER) w->barrier_passed = true;
    if (s->choice.count == CTR_PMODE_SKIP_FENCE) w->fence_passed = true;
    forget_writes(s, warp, in);
    if (in->writes & w->mapped[1]) pmode_unmap(s, s->nact++, warp, true, in->writes);
}

static void issued(Sm *sm, void *self, int warp) {
    PMode *s = self;
    PModeWarp *w = &s->warp[warp];
    const SmInst *in = &w->ahead.insts[w->ahead.pc];
    sm->count->v[s->choice.count]++;
    if (s->choice.act == PMODE_HALTS) {
        inst_stream_halt(sm, warp);
        return;
    }
    w->seq++;
    if (s->choice.act == PMODE_TURNS) {
        const uint32_t active = pmode_active(&w->ahead, in);
        if (in->isa->op == ISA_BRA) simt_branch(sm, warp, active, in->isa->target, in->isa->reconv);
        else if (in->isa->op == ISA_BRX) simt_next(sm, warp);
        else simt_exit(sm, warp, active);
        return;
    }
    if (s->choice.act == PMODE_JUMPS) return;  // `split` continues
    if (s->choice.act == PMODE_SKIPS) skip_instruction(s, warp, in);
    if (s->choice.act == PMODE_PRELOADS) forget_writes(s, warp, in);
    simt_next(sm, warp);
}

// The targets of an indexed branch are available; its session may be over. A split that exceeds the
// hardware's stack halts the warp.
static void split(Sm *sm, void *self, const Flight *f, int n, const int *target,
                  const uint32_t *mask) {
    PMode *s = self;
    const InstStream *st = &s->warp[f->warp].ahead;
    const IsaInst *isa = f->inst->isa;
    if (!pmode_in(sm, f->warp)) return;
    const bool replaces = isa->reconv < 0 || (isa->reconv == st->reconv && st->depth);
    if (!n || (n > 1 && st->depth + 1 + n - replaces > 8)) {
        sm->count->v[CTR_PMODE_HALT_DEPTH]++;
        inst_stream_halt(sm, f->warp);
        return;
    }
    simt_split(sm, f->warp, n, target, mask, isa->reconv);
}

static WarpSet active(const Sm *sm, const void *self) {
    (void)self;
    return sm->away & sm->has_inst & ~(sm->halted | sm->control);
}

static InstStream *stream(const Sm *sm, void *self, int warp) {
    (void)sm;
    return &((PMode *)self)->warp[warp].ahead;
}

// Round-robin, independent of N-mode's policy.
static int first(const Sm *sm, const void *self, const Scheduler *sched, WarpSet set) {
    const PMode *s = self;
    const WarpSet above = set & ~(warp_bit(s->turn[sched - sm->sched]) - 1);
    return lowest(above ? above : set);
}

// Only the first fault of a session counts, because loads are performed in program order.
static void fault(Sm *sm, void *self, const Flight *f, const char *text) {
    PMode *s = self;
    PModeWarp *w = &s->warp[f->warp];
    const int entry = s->flight[flight_index(sm, f)].entry;
    if (entry < 0 || w->faulty >= 0) return;
    w->faulty = entry;
    snprintf(s->fault[f->warp], sizeof s->fault[f->warp], "%s", text);
}

const InstStreamPart pmode_stream = {.only = CTR_PMODE_ONLY,
                                     .active = active,
                                     .stream = stream,
                                     .head = head,
                                     .issued = issued,
                                     .examine = examine,
                                     .first = first,
                                     .lookup = pmode_lookup,
                                     .give = pmode_give,
                                     .split = split,
                                     .fault = fault};

// ---- queries to the block ----

static void ask_board(PMode *s, int q, int warp, bool pmode, uint64_t reads, uint64_t writes,
                      uint8_t preads, uint8_t pwrites) {
    DualScoreboardIn *in = s->board_in;
    in->q_warp[q] = (uint32_t)warp;
    in->q_board[0] = (in->q_board[0] & ~(1u << q)) | (uint32_t)pmode << q;
    in->q_src[2 * q] = (uint32_t)reads;
    in->q_src[2 * q + 1] = (uint32_t)(reads >> 32);
    in->q_dst[2 * q] = (uint32_t)writes;
    in->q_dst[2 * q + 1] = (uint32_t)(writes >> 32);
    in->q_psrc[q] = preads;
    in->q_pdst[q] = pwrites;
    in->q_act[q] = DS_ACT_NONE;
    s->driven = true;
}

// An instruction of either mode issues. The action of P-mode is chosen here, before the instruction
// begins.
void pmode_ask_board(const Sm *sm, PMode *s, const IssueEvent *e) {
    const SmInst *in = e->inst;
    const int q = s->scheduler = e->scheduler;
    s->asked_of[q] = ASKED_READY;
    if (inst_stream_is_own(sm, e->warp, e->stream)) {
        const bool given = e->stream->given & 1;
        ask_board(s, q, e->warp, false, given ? 0 : in->reads, in->writes,
                  given ? 0 : in->pred_reads, in->pred_writes);
        return;
    }
    const PModeChoice c = s->choice = pmode_choose(sm, s, e->warp, in);
    const PModeWarp *w = &s->warp[e->warp];
    const bool reads =
        c.act == PMODE_RUNS || c.act == PMODE_PRELOADS || c.act == PMODE_JUMPS || c.by_source;
    const uint8_t guard = c.act == PMODE_TURNS ? guard_bit(in) : 0;
    s->turn[q] = (e->warp + 1) % SM_MAX_WARPS;
    if (c.act == PMODE_HALTS) {
        s->asked_of[q] = ASKED_NOTHING;
        return;
    }
    const bool writes = c.act != PMODE_TURNS && c.act != PMODE_PASSES && c.act != PMODE_JUMPS;
    ask_board(s, q, e->warp, true, reads ? in->reads : 0, writes ? in->writes : 0,
              reads ? preds_read(w, in) : guard, writes ? in->pred_writes : 0);
    if (c.by_source) s->asked_of[q] = ASKED_SKIP;
    s->board_in->q_act[q] = c.act == PMODE_RUNS ? DS_ACT_ISSUE : writes ? DS_ACT_LONG : DS_ACT_NONE;
}

// ---- boards ----

static Board *board_of_warp(void *self, int warp) { return &((PMode *)self)->boards[warp]; }

static Hazard query(const Sm *sm, const void *self, int warp, const InstStream *st,
                    const SmInst *in) {
    const PMode *s = self;
    if (!inst_stream_is_own(sm, warp, st)) return HAZARD_NONE;  // `examine` has decided
    if (!(st->given & 1)) return board_query(&s->boards[warp], in);
    const SmInst writes = {.isa = in->isa, .writes = in->writes, .pred_writes = in->pred_writes};
    return board_query(&s->boards[warp], &writes);
}

static void p_begins(PMode *s, const Flight *f) {
    PModeWarp *w = &s->warp[f->warp];
    Board *b = &s->boards[f->warp];
    b->read |= f->inst->reads;  // N-mode does not write a register that P-mode still reads
    for (int i = 0; i < f->inst->nops; i++) b->reads_of[f->inst->op_reg[i]]++;
    w->reads += f->inst->nops;
    if (s->choice.act == PMODE_PRELOADS) return;
    w->flights++;
    w->pend |= f->inst->writes;
    w->unknown &= ~f->inst->writes;
    w->ppend |= f->inst->pred_writes;
    w->punknown &= (uint8_t)~f->inst->pred_writes;
}

static void begin(Sm *sm, void *self, const Flight *f) {
    PMode *s = self;
    PModeFlight *p = &s->flight[flight_index(sm, f)];
    p->entry = -1;
    p->pre = pmode_of(sm, f) && s->choice.act == PMODE_PRELOADS;
    if (pmode_of(sm, f)) {
        p_begins(s, f);
        return;
    }
    board_begin(board_of_warp(s, f->warp), f);
    if (f->inst->at_issue && f->inst->nwrites) pmode_place_result(sm, s, f);
    s->board_in->q_act[s->scheduler] = f->inst->long_latency ? DS_ACT_LONG : DS_ACT_ISSUE;
}

static void operands_read(Sm *sm, void *self, const Flight *f, const uint8_t *regs, int n) {
    PMode *s = self;
    const PModeFlight *p = &s->flight[flight_index(sm, f)];
    board_operands_read(board_of_warp(s, f->warp), regs, n);
    if (pmode_of(sm, f)) s->warp[f->warp].reads -= n;
    for (int i = 0; i < n; i++) {
        int op = 0;
        while (f->inst->op_reg[op] != regs[i]) op++;
        const int id = p->src_id[op];
        if (id < 0) continue;
        s->reads_of[id]--;
        if (s->given[id] != p->src_given[op])
            sm_fail(sm, EXIT_MISMATCH,
                    "warp %d, pc %d: R%d was read from register %d of P-mode after that was given "
                    "out again",
                    f->warp, f->pc, regs[i], id);
    }
}

// A result of N-mode is written. The write ends the wait of P-mode, unless P-mode has redefined the
// register since.
static void written(Sm *sm, void *self, const Flight *f, int reg) {
    PMode *s = self;
    PModeWarp *w = &s->warp[f->warp];
    const uint64_t bit = word_bit(reg);
    if (pmode_of(sm, f)) {
        if (s->flight[flight_index(sm, f)].pre) return;
        w->pend &= ~bit;
        w->unknown &= ~bit;
        return;
    }
    Board *b = board_of_warp(s, f->warp);
    const bool slow = b->slow & bit;
    board_written(b, reg);
    w->missed &= ~bit;
    if (!pmode_in(sm, f->warp)) return;
    if (w->pend & bit && slow == ((w->unknown & bit) != 0)) {
        w->pend &= ~bit;
        w->unknown &= ~bit;
    }
    if (reg == w->trigger) s->arrived |= word_bit(f->warp);
}

static void add_predicates(PModePredList *l, PModePreds p) {
    panic_if(l->n == PMODE_PREDS, "more than %d predicate results wait", PMODE_PREDS);
    l->of[l->n++] = p;
}

static void of_board(Sm *sm, PMode *s, const PModePreds *p) {
    PModeWarp *w = &s->warp[p->warp];
    Board *b = board_of_warp(s, p->warp);
    DualScoreboardIn *in = s->board_in;
    const int port = s->npw++;
    in->pw_valid[0] |= 1u << port;
    in->pw_pmode[0] = (in->pw_pmode[0] & ~(1u << port)) | (uint32_t)p->pmode << port;
    in->pw_warp[port] = (uint32_t)p->warp;
    in->pw_mask[port] = p->mask;
    s->driven = true;
    if (p->pmode) {
        w->ppend &= (uint8_t)~p->mask;
        w->punknown &= (uint8_t)~p->mask;
        return;
    }
    const uint8_t reach = (uint8_t)(p->mask & b->pred & w->ppend & ~w->punknown);
    b->pred &= (uint8_t)~p->mask;
    hazards_recheck(sm, p->warp);
    if (!pmode_in(sm, p->warp)) return;
    w->ppend &= (uint8_t)~reach;
    for (unsigned left = reach; left; left &= left - 1)
        w->ahead.pred[__builtin_ctz(left)] = sm->warps[p->warp].own.pred[__builtin_ctz(left)];
}

static void of_entry(PMode *s, const PModePreds *p) {
    PQueueIn *q = s->queue_in;
    const int port = s->nqw++;
    q->pw_valid[0] |= 1u << port;
    q->pw_warp[port] = (uint32_t)p->warp;
    q->pw_idx[port] = (uint32_t)p->entry;
    q->pw_first[port] = p->first;
    q->pw_second[port] = p->second;
    s->driven = true;
}

static void preds_written(Sm *sm, void *self, const Flight *f) {
    PMode *s = self;
    const PModeFlight *fl = &s->flight[flight_index(sm, f)];
    const PModePreds p = {f->warp,        fl->entry,     pmode_of(sm, f), f->inst->pred_writes,
                          f->out.pdst[0], f->out.pdst[1]};
    if (s->npw < 2 * sm->cfg->rf_write_ports) of_board(sm, s, &p);
    else add_predicates(&s->late, p);
    if (!p.pmode || p.entry < 0) return;
    if (s->nqw < sm->cfg->rf_write_ports) of_entry(s, &p);
    else add_predicates(&s->values, p);
}

void pmode_late_preds(Sm *sm, PMode *s) {
    int n = 0;
    for (; n < s->late.n && n < 2 * sm->cfg->rf_write_ports; n++) of_board(sm, s, &s->late.of[n]);
    memmove(s->late.of, s->late.of + n, sizeof *s->late.of * (size_t)(s->late.n -= n));
    for (n = 0; n < s->values.n && n < sm->cfg->rf_write_ports; n++) of_entry(s, &s->values.of[n]);
    memmove(s->values.of, s->values.of + n, sizeof *s->values.of * (size_t)(s->values.n -= n));
}

static uint64_t writing(const Sm *sm, const void *self, int warp) {
    return scoreboard.writing(sm, ((const PMode *)self)->boards, warp);
}
static uint64_t reading(const Sm *sm, const void *self, int warp) {
    return scoreboard.reading(sm, ((const PMode *)self)->boards, warp);
}
static void warp_begins(Sm *sm, void *self, int warp) {
    scoreboard.warp_begins(sm, ((PMode *)self)->boards, warp);
}
static bool idle(const Sm *sm, const void *self, int warp) {
    return scoreboard.idle(sm, ((const PMode *)self)->boards, warp);
}
static void explain(Text *t, const Sm *sm, const void *self, int warp, const InstStream *st,
                    const SmInst *in) {
    scoreboard.explain(t, sm, ((const PMode *)self)->boards, warp, st, in);
}

const Hazards pmode_hazards = {.replaces = true,
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
