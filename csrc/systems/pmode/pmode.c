// SPDX-License-Identifier: Apache-2.0
// P-mode (warped pre-execution). A warp whose next instruction waits for a load continues in a
// second mode. This mode skips the instructions that depend on the load and executes the others
// into registers that no CTA uses. When the load arrives, the warp resumes at the stalled
// instruction and reuses finished results instead of executing again. Blocks: dual_scoreboard,
// p_queue, pmode_rename, avail_vector. At the end of the SM's cycle, after fetch, all blocks
// receive one clock edge.
//
//   session   From the switch into P-mode to the write of the register that the stalled instruction
//             waits for. The switch occurs at the end of a cycle in which the head of the buffer
//             waits for a load. The session ends before any instruction issues in the cycle of the
//             write.
//   pool      The last pmode.registers warp registers, except those of resident CTAs. Without any
//             there is no P-mode.
#include "systems/pmode/pmode.h"

#include "systems/regmutex/split_map.h"
#include "systems/systems.h"

#include <string.h>

static void *open_pmode(Sm *sm, Arena *arena) {
    PMode *s = ARENA_NEW(arena, PMode);
    Cosim *c = sm->cosim;
    s->board_block = cosim_block(c, "dual_scoreboard");
    s->queue_block = cosim_block(c, "p_queue");
    s->rename_block = cosim_block(c, "pmode_rename");
    s->avail_block = cosim_block(c, "avail_vector");
    s->board_in = s->board_block->in;
    s->board_out = s->board_block->out;
    s->queue_in = s->queue_block->in;
    s->queue_out = s->queue_block->out;
    s->rename_in = s->rename_block->in;
    s->rename_out = s->rename_block->out;
    s->avail_in = s->avail_block->in;
    s->avail_out = s->avail_block->out;
    s->boards = scoreboard_open(sm, arena);
    s->ports = sm->cfg->oc_alloc_ports;
    s->queue = sm->cfg->pmode_queue;
    s->ids = sm->cfg->pmode_registers;
    s->warp = ARENA_ARRAY(arena, PModeWarp, SM_MAX_WARPS);
    s->flight = ARENA_ARRAY(arena, PModeFlight, SM_FLIGHTS);
    s->fault = arena_alloc(arena, SM_MAX_WARPS * sizeof *s->fault);
    s->entries = ARENA_ARRAY(arena, PModeEntry, SM_MAX_WARPS * (s->queue ? s->queue : 1));
    cosim_signal(c, "sm.pmode", "in_p_mode", sm->cfg->sm_warps, s->view);
    for (int w = 0; w < sm->cfg->sm_warps; w++) {
        const char *scope = arena_printf(arena, "sm.pmode.warp%d", w);
        cosim_signal(c, scope, "mode", 1, &s->shown[w].mode);
        cosim_signal(c, scope, "queue", 6, &s->shown[w].queue);
        cosim_signal(c, scope, "renamed", 7, &s->shown[w].renamed);
    }
    return s;
}

static bool check(const Sm *sm, const void *self, Diag *d) {
    (void)self;
    if (sm->cfg->pmode_registers <= sm->cfg->rf_banks * sm->cfg->rf_entries) return true;
    return diag_fail(
        d, EXIT_USAGE,
        "pmode.registers is %d, expected at most the %d warp registers of the register file",
        sm->cfg->pmode_registers, sm->cfg->rf_banks * sm->cfg->rf_entries);
}

// ---- a kernel begins ----

// The registers from the first row that no CTA slot uses.
static void load_pool(const Sm *sm, PMode *s) {
    const int banks = sm->cfg->rf_banks, rows = banks * sm->cfg->rf_entries;
    const int used = sm->cta_limit * sm->warps_per_cta * sm->layout.alloc,
              whole = (used + banks - 1) / banks * banks;
    const int taken = whole - (rows - s->ids);
    s->avail_in->load_valid[0] = 1;
    s->avail_in->load_count[0] = (uint32_t)(taken < 0 ? 0 : taken > s->ids ? s->ids : taken);
    s->driven = true;
}

static void launch(Sm *sm, void *self) {
    PMode *s = self;
    panic_if(s->held || s->ending || s->ended,
             "a kernel begins while %d registers of P-mode are in use", s->held);
    for (int w = 0; w < SM_MAX_WARPS; w++) {
        PModeWarp *p = &s->warp[w];
        memset(p, 0, offsetof(PModeWarp, stack));
        memset(&p->pend, 0, sizeof *p - offsetof(PModeWarp, pend));
        p->ahead.stack = p->stack;
    }
    s->ready = 0;
    pmode_prepare(sm, s);
    load_pool(sm, s);
}

// ---- admission ----

static void warp_begins(Sm *sm, void *self, int warp) {
    PModeWarp *w = &((PMode *)self)->warp[warp];
    (void)sm;
    w->nseq = w->npopped = 0;
    w->pend = w->unknown = 0;
    w->ppend = w->punknown = 0;
    w->missed = 0;
}

static void warp_ends(Sm *sm, void *self, int warp) {
    PMode *s = self;
    (void)sm;
    panic_if(s->warp[warp].flights || s->warp[warp].reads || s->warp[warp].npopped,
             "warp %d ends in P-mode", warp);
    // Only the warp's last session may remain; then queue and tables drain.
    if (!s->warp[warp].mapped[0] && !s->warp[warp].count) return;
    s->ending |= word_bit(warp);
    s->ended &= ~word_bit(warp);
}

static uint64_t draining_warps(const PMode *s) {
    return s->ending | s->ended | s->flushing | s->queue_busy | s->rename_busy | s->lagging;
}

static bool slot_free(const Sm *sm, const void *self, int warp) {
    (void)sm;
    return !(draining_warps(self) >> warp & 1);
}

// Every register has been released.
static bool rests(const Sm *sm, const void *self) {
    const PMode *s = self;
    (void)sm;
    return !draining_warps(s) && !s->held && !s->unfinished;
}

static const Admission admission = {
    .warp_begins = warp_begins, .warp_ends = warp_ends, .slot_free = slot_free, .rests = rests};

// ---- ports of pmode_rename: one for each instruction that reads, writes or is reused ----

// Each scheduler that still has micro-operations to send in this cycle reserves a port.
int pmode_ports_left(const Sm *sm, const PMode *s) {
    int left = s->ports - s->nact;
    for (int i = 0; i < sm->cfg->sm_schedulers; i++)
        left -= sm->sched[i].second != SM_NONE && !(s->sent >> i & 1);
    return left;
}

static WarpSet may(const Sm *sm, const void *self, WarpSet warps) {
    const PMode *s = self;
    warps &= ~pmode_held(s);
    if (pmode_ports_left(sm, s) > 0) return warps;
    for (WarpSet set = warps; set; set &= set - 1) {
        const InstStream *own = &sm->warps[lowest(set)].own;
        const SmInst *in = &own->insts[own->pc];
        if (own->given & 1 || !in->at_issue || in->nwrites) warps &= ~(set & -set);
    }
    return warps;
}

static const IssueGate gate = {
    .waits_for = "a port of the renaming table", .stall = CTR_STALL_RAW_SHORT, .may = may};

// ---- pre-loads ----

static bool pre_loads(const Sm *sm, const void *self, const Flight *f) {
    return ((const PMode *)self)->flight[flight_index(sm, f)].pre;
}

static const LoadPort load = {.pre_loads = pre_loads};

// ---- a session ends ----

// Outstanding results of P-mode remain on the board of P-mode only.
static void go_back(Sm *sm, PMode *s, int warp) {
    PModeWarp *w = &s->warp[warp];
    const Board *b = &s->boards[warp];
    inst_stream_back(sm, warp);
    // A stalled instruction with an entry in the P-queue is fetched again, because only fetch
    // searches the queue.
    if (sm->cfg->pmode_stalled == PMODE_STALLED_HELD && !w->base_queued)
        inst_stream_release(sm, warp);
    w->pend &= ~w->unknown & ~(b->write & ~b->slow);
    w->unknown = 0;
    w->ppend &= (uint8_t)(~w->punknown & ~b->pred);
    w->punknown = 0;
    w->nseq = 0;
    w->asked = -1;
    s->ended |= word_bit(warp);
    s->driven = true;
}

// The long-latency registers of the stalled instruction, for which a session may wait.
static uint64_t long_registers(const Sm *sm, const PMode *s, int warp) {
    const InstStream *own = &sm->warps[warp].own;
    const SmInst *in = &own->insts[own->pc];
    const uint64_t slow =
        (in->reads | (sm->cfg->pmode_waw_trigger ? in->writes : 0)) & s->boards[warp].slow;
    return sm->cfg->pmode_begin == PMODE_BEGIN_MISS ? slow & s->warp[warp].missed : slow;
}

static void drive_switch(PMode *s, int warp, int reg) {
    s->board_in->sw_valid[0] = 1;
    s->board_in->sw_warp[0] = (uint32_t)warp;
    s->board_in->sw_reg[0] = (uint32_t)reg;
    s->driven = true;
}

// Results are written. A session ends if its trigger is among them, or if it waits for another load
// of the same instruction.
static void settle(Sm *sm, void *self) {
    PMode *s = self;
    for (uint64_t left = s->arrived; left; left &= left - 1) {
        const int warp = lowest(left);
        const uint64_t others = long_registers(sm, s, warp);
        if (others && !s->board_in->sw_valid[0]) {
            s->warp[warp].trigger = lowest(others);
            drive_switch(s, warp, lowest(others));
            sm->count->v[CTR_PMODE_RETARGETED]++;
        } else {
            go_back(sm, s, warp);
        }
    }
    s->arrived = 0;
}

// ---- a session begins ----

static bool waits_for_load(const Sm *sm, const PMode *s, int warp) {
    const InstStream *own = &sm->warps[warp].own;
    return own->ib_count && !(own->given & 1) && long_registers(sm, s, warp);
}

static bool is_drained(const Sm *sm, PMode *s, int warp) {
    PModeWarp *w = &s->warp[warp];
    const uint64_t me = word_bit(warp);
    if ((s->ended | s->ending | s->rename_busy | s->lagging | s->flushing) & me || w->flights ||
        w->pend || w->ppend)
        return false;
    if (w->npopped != __builtin_popcount(sm->warps[warp].own.given) || s->popping & me)
        return false;
    if (w->count) s->flushing |= me;  // entries of the previous session
    return !w->count && !(s->queue_busy & me);
}

// Warps in N-mode whose next instruction waits for a load, without any other cause of a stall.
static WarpSet stalled_warps(const Sm *sm, const PMode *s) {
    const WarpSet issues = sm->ready & ~sm->dirty;
    WarpSet stalled = 0;
    for (WarpSet left = sm->resident & sm->has_inst &
             ~(issues | sm->away | sm->ended | sm->at_barrier | sm->control | sm->asleep |
               sm->parked);
         left; left &= left - 1) {
        const int warp = lowest(left);
        if (waits_for_load(sm, s, warp) && sm->warps[warp].own.depth + 1 <= 8)
            stalled |= left & -left;
    }
    return stalled;
}

static int find_candidate(const Sm *sm, PMode *s, WarpSet stalled) {
    if (!stalled || s->ready - s->nids < 1) return SM_NONE;
    for (int i = 0; i < sm->cfg->sm_warps; i++) {
        const int warp = (s->candidate + i) % sm->cfg->sm_warps;
        if (!(stalled >> warp & 1)) continue;
        if (is_drained(sm, s, warp)) return warp;
        sm->count->v[CTR_PMODE_SWITCH_WAITS]++;
    }
    return SM_NONE;
}

static void begin_session(Sm *sm, PMode *s, int warp, int trigger) {
    PModeWarp *w = &s->warp[warp];
    const Board *b = &s->boards[warp];
    inst_stream_front(sm, warp, &w->ahead);
    w->ahead.given = 0;
    sm->count->v[CTR_PMODE_FLUSHED] += (unsigned)w->npopped;
    pmode_drop(s, warp);
    w->pend = b->write;
    w->unknown = b->slow;
    w->ppend = b->pred;
    w->punknown = 0;
    w->trigger = trigger;
    w->base = (int)w->ahead.pc;
    w->seq = 0;
    w->base_queued = false;
    w->first = w->count = 0;
    w->faulty = -1;
    w->from = sm->cycle + (unsigned)(1 + pmode_registered(sm) + sm->cfg->pmode_switch_cycles);
    w->store_skipped = w->barrier_passed = w->fence_passed = false;
    s->candidate = (warp + 1) % sm->cfg->sm_warps;
    sm->count->v[CTR_PMODE_SESSIONS]++;
}

// The queue begins with the session, or drains.
static void drive_queue(PMode *s, int warp, const Sm *sm) {
    if (!s->queue) {
        s->flushing = 0;
        return;
    }
    PQueueIn *q = s->queue_in;
    q->start_valid[0] = warp != SM_NONE;
    if (warp != SM_NONE) {
        q->start_warp[0] = (uint32_t)warp;
        q->start_pc[0] = sm->warps[warp].own.pc * ISA_INST_BYTES;
    }
    const uint64_t flush = (s->flushing | s->ending) & ~s->popping;
    q->flush_valid[0] = flush != 0;
    if (!flush) return;
    const int f = lowest(s->flushing & flush ? s->flushing & flush : flush);
    q->flush_warp[0] = (uint32_t)f;
    sm->count->v[CTR_PMODE_FLUSHED] += (unsigned)s->warp[f].count;
    s->warp[f].count = 0;
    s->flushing &= ~word_bit(f);
}

// In each cycle the tables end one session or warp whose operand reads are done.
static void drive_ends(const Sm *sm, PMode *s) {
    PmodeRenameIn *r = s->rename_in;
    uint64_t may_end = s->ending;
    for (uint64_t left = s->ended; left; left &= left - 1)
        if (!s->warp[lowest(left)].reads) may_end |= left & -left;
    (void)sm;
    if (!may_end) return;
    // A warp ends in the queue and in the tables in the same cycle.
    int w = lowest(may_end);
    const bool all = s->ending >> w & 1;
    if (all && s->queue && !(s->queue_in->flush_valid[0] && (int)s->queue_in->flush_warp[0] == w)) {
        may_end = s->ended & may_end;
        if (!may_end) return;
        w = lowest(may_end);
    }
    const bool whole = s->ending >> w & 1;
    r->end_valid[0] = 1;
    r->end_all[0] = whole;
    r->end_warp[0] = (uint32_t)w;
    s->warp[w].mapped[1] = 0;
    if (whole) {
        s->warp[w].mapped[0] = 0;
        s->board_in->clr_valid[0] = 1;
        s->board_in->clr_warp[0] = (uint32_t)w;
    }
    s->ending &= ~word_bit(w);
    s->ended &= ~word_bit(w);
}

// ---- the cycle ----

static uint64_t as_set(const uint32_t *bits, int n) {
    uint64_t set = 0;
    for (int i = 0; i < n; i++) set |= (uint64_t)(bits[i] & 1) << i;
    return set;
}

// If the blocks are registered, each released register takes two cycles, so a drain takes twice the
// cycles of the blocks.
static void mark_lagging(const Sm *sm, PMode *s, uint64_t busy_before) {
    const uint64_t busy = s->queue_busy | s->rename_busy;
    for (uint64_t left = busy & ~busy_before; left; left &= left - 1)
        s->warp[lowest(left)].drains = sm->cycle;
    for (uint64_t left = busy_before & ~busy; left; left &= left - 1) {
        PModeWarp *w = &s->warp[lowest(left)];
        w->lags = sm->cycle + (sm->cycle - w->drains) * (unsigned)pmode_registered(sm);
        s->lagging |= left & -left;
    }
}

static void on_cycle_begin(Sm *sm, void *self, const CycleEvent *e) {
    PMode *s = self;
    (void)e;
    for (uint64_t left = s->lagging; left; left &= left - 1)
        if (s->warp[lowest(left)].lags <= sm->cycle) s->lagging &= ~(left & -left);
    if (s->stale) {
        const uint64_t busy_before = s->queue_busy | s->rename_busy;
        block_eval(s->avail_block);
        block_eval(s->rename_block);
        if (s->queue) block_eval(s->queue_block);
        s->ready = __builtin_popcount(s->avail_out->ready[0]);
        s->rename_busy = as_set(s->rename_out->busy, sm->cfg->sm_warps);
        s->queue_busy = 0;
        // N-mode owns the entries in a queue that does not drain.
        for (int w = 0; s->queue && w < sm->cfg->sm_warps; w++)
            if (!(s->queue_out->idle[w] & 1) && !s->warp[w].count) s->queue_busy |= word_bit(w);
        if (pmode_registered(sm)) mark_lagging(sm, s, busy_before);
        s->stale = false;
    }
    pmode_late_preds(sm, s);
    pmode_finish(sm, s);
}

// Counts the warp's own instructions since its session.
static void on_issued(Sm *sm, void *self, const IssueEvent *e) {
    PMode *s = self;
    pmode_ask_board(sm, s, e);
    if (inst_stream_is_own(sm, e->warp, e->stream)) s->warp[e->warp].nseq++;
}

static void on_written(Sm *sm, void *self, const WordEvent *e) {
    PMode *s = self;
    const Flight *f = e->flight;
    const PModeFlight *p = &s->flight[flight_index(sm, f)];
    const bool pmode = pmode_of(sm, f);
    DualScoreboardIn *in = s->board_in;
    in->wb_valid[0] |= 1u << e->port;
    in->wb_pmode[0] = (in->wb_pmode[0] & ~(1u << e->port)) | (uint32_t)pmode << e->port;
    in->wb_warp[e->port] = (uint32_t)f->warp;
    in->wb_reg[e->port] = f->inst->dst_reg[e->word];
    s->driven = true;
    if (!pmode) return;
    s->avail_in->wb_valid[0] |= 1u << e->port;
    s->avail_in->wb_phy[e->port] = (uint32_t)p->dst_id[e->word];
    if (p->entry < 0) return;
    PQueueIn *q = s->queue_in;
    q->wb_valid[0] |= 1u << e->port;
    q->wb_warp[e->port] = (uint32_t)f->warp;
    q->wb_idx[e->port] = (uint32_t)p->entry;
    q->wb_word[0] = (q->wb_word[0] & ~(1u << e->port)) | (uint32_t)(e->word & 1) << e->port;
}

static void on_result(Sm *sm, void *self, const FlightEvent *e) {
    PMode *s = self;
    const Flight *f = e->flight;
    const PModeFlight *p = &s->flight[flight_index(sm, f)];
    if (!pmode_of(sm, f) || p->entry < 0) return;
    PModeEntry *entry = pmode_entry(s, f->warp, p->entry);
    entry->out = f->out;
    if (f->inst->mem == SM_MEM_NOT) return;
    memcpy(entry->addr, f->access.addr, sizeof entry->addr);
    memcpy(entry->lanes_of, f->access.lanes_of, sizeof entry->lanes_of);
}

static void on_missed(Sm *sm, void *self, const FlightEvent *e) {
    PMode *s = self;
    const Flight *f = e->flight;
    if (!pmode_of(sm, f)) s->warp[f->warp].missed |= f->inst->writes & s->boards[f->warp].write;
}

static void on_ended(Sm *sm, void *self, const FlightEvent *e) {
    PMode *s = self;
    if (pmode_of(sm, e->flight) && !s->flight[flight_index(sm, e->flight)].pre)
        s->warp[e->flight->warp].flights--;
}

// The block's verdicts must equal those by which the SM issued.
static void compare_verdicts(Sm *sm, const PMode *s) {
    const DualScoreboardOut *out = s->board_out;
    for (int q = 0; q < sm->cfg->sm_schedulers; q++) {
        if (s->asked_of[q] == ASKED_NOTHING) continue;
        const uint32_t said = s->asked_of[q] == ASKED_READY ? out->q_ready[0] : out->q_skip[0];
        if (said >> q & 1) continue;
        sm_fail(sm, EXIT_MISMATCH,
                "warp %u: scheduler %d %s an instruction of %s-mode for which dual_scoreboard says "
                "ready %u, skip %u",
                s->board_in->q_warp[q], q, s->asked_of[q] == ASKED_READY ? "issued" : "skipped",
                s->board_in->q_board[0] >> q & 1 ? "P" : "N", out->q_ready[0] >> q & 1,
                out->q_skip[0] >> q & 1);
    }
    for (int w = 0; w < sm->cfg->sm_warps; w++)
        if ((out->mode[w] & 1) != (uint32_t)(s->view[w / 32] >> w % 32 & 1))
            sm_fail(sm, EXIT_MISMATCH,
                    "warp %d: dual_scoreboard has it in %s-mode, the SM does not", w,
                    out->mode[w] & 1 ? "P" : "N");
}

static void evaluate_blocks(Sm *sm, PMode *s, WarpSet stalled) {
    const int next = s->board_in->sw_valid[0] ? SM_NONE : find_candidate(sm, s, stalled);
    int begins = SM_NONE;
    if (next != SM_NONE) drive_switch(s, next, lowest(long_registers(sm, s, next)));
    if (s->board_in->clr_valid[0]) panic("a warp ends twice");
    block_eval(s->board_block);
    if (next != SM_NONE && s->board_out->sw_ok[0]) begins = next;
    drive_queue(s, begins, sm);
    drive_ends(sm, s);
    block_eval(s->board_block);
    compare_verdicts(sm, s);
    if (s->queue) block_eval(s->queue_block);
    block_eval(s->rename_block);
    pmode_frees(s);
    block_eval(s->avail_block);
    if (begins != SM_NONE) begin_session(sm, s, begins, (int)s->board_in->sw_reg[0]);
}

static void clear_inputs(PMode *s) {
    s->board_in->wb_valid[0] = s->board_in->pw_valid[0] = s->board_in->sw_valid[0] =
        s->board_in->clr_valid[0] = 0;
    memset(s->board_in->q_act, 0, sizeof s->board_in->q_act);
    PQueueIn *q = s->queue_in;
    q->start_valid[0] = q->flush_valid[0] = q->push_valid[0] = q->wb_valid[0] = q->pw_valid[0] =
        q->fetch_valid[0] = 0;
    q->push_pair[0] = q->push_pred[0] = 0;
    PmodeRenameIn *r = s->rename_in;
    r->set_valid[0] = r->set_kill[0] = r->set_own[0] = r->end_valid[0] = r->end_all[0] = 0;
    AvailVectorIn *a = s->avail_in;
    a->load_valid[0] = a->alloc_valid[0] = a->alloc_pair[0] = a->wb_valid[0] = a->free_valid[0] = 0;
    memset(s->asked_of, 0, sizeof s->asked_of);
    s->nact = s->nalloc = s->npush = s->nids = s->npw = s->nqw = 0;
    s->unfinished &= ~s->finishing;
    s->popping = s->finishing = 0;
    s->sent = 0;
    s->driven = false;
}

// Updates the signals of each warp for waves and traces: its mode, entries of its queue, registers
// with a mapping in either table.
static void show_warps(Sm *sm, PMode *s) {
    for (int w = 0; w < sm->cfg->sm_warps; w++) {
        const PModeWarp *p = &s->warp[w];
        const uint32_t mode = sm->away >> w & 1, queue = (uint32_t)p->count;
        const uint32_t renamed =
            (uint32_t)(__builtin_popcountll(p->mapped[0]) + __builtin_popcountll(p->mapped[1]));
        if (s->shown[w].mode == mode && s->shown[w].queue == queue &&
            s->shown[w].renamed == renamed)
            continue;
        s->shown[w].mode = mode;
        s->shown[w].queue = queue;
        s->shown[w].renamed = renamed;
        notify_ahead(sm, (AheadEvent){w, mode, (int)queue, (int)renamed});
    }
}

static bool is_waiting(const PMode *s) {
    for (int i = 0; i < PMODE_MAX_IDS / 64; i++)
        if (s->limbo[i]) return true;
    return draining_warps(s) || s->unfinished;
}

static void on_cycle_end(Sm *sm, void *self, const CycleEvent *e) {
    PMode *s = self;
    (void)e;
    if (sm->failed) return;
    sm->count->v[CTR_PMODE_CYCLES] += (unsigned)warps_in(sm->away);
    sm->count->v[CTR_PMODE_IDS] += (unsigned)s->held;
    const WarpSet stalled = stalled_warps(sm, s);
    if (!s->driven && !stalled && !is_waiting(s) && !blocks_clocked(sm)) return;
    evaluate_blocks(sm, s, stalled);
    block_tick(s->board_block);
    if (s->queue) block_tick(s->queue_block);
    block_tick(s->rename_block);
    block_tick(s->avail_block);
    clear_inputs(s);
    for (int i = 0; i < 2; i++) s->view[i] = (uint32_t)(sm->away >> 32 * i);
    show_warps(sm, s);
    s->stale = true;
}

static const Listener listener = {.cycle_begin = on_cycle_begin,
                                  .cycle_end = on_cycle_end,
                                  .issued = on_issued,
                                  .written = on_written,
                                  .result = on_result,
                                  .ended = on_ended,
                                  .missed = on_missed};
static const Clocked clock_part = {.settle = settle};

static const char *const blocks[] = {"dual_scoreboard", "p_queue", "pmode_rename", "avail_vector",
                                     NULL};

const System system_pmode = {
    .name = "pmode",
    .what = "warps that wait for a load execute later, independent instructions ahead",
    .group = SYSTEM_PMODE,
    .with = SYSTEM_BANDWIDTH,
    .reason = "it uses all registers that no CTA uses",
    .figures = figures_pmode,
    .blocks = blocks,
    .open = open_pmode,
    .check = check,
    .launch = launch,
    .places = &pmode_places,
    .hazards = &pmode_hazards,
    .gate = &gate,
    .stream = &pmode_stream,
    .admission = &admission,
    .load = &load,
    .clock = &clock_part,
    .listener = &listener};
