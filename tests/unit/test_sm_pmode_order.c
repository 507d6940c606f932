// SPDX-License-Identifier: Apache-2.0
// P-mode on the SM, order of events: registers that are freed while they are read, older reads and
// writes of a reused destination. Also fetches behind branches, slots that are taken again,
// schedulers, barriers, the cycle in which a load arrives. Finally: the view that warps have of
// each other's stores.
#include "pmode_support.h"

// ---- a register that is freed while somebody still reads it ----

typedef struct Held {
    uint64_t ends, frees, taken;
} Held;

// While reads are outstanding, a session's tables are not taken down and a register is not
// released.
static void on_held(Sm *sm, void *self, const CycleEvent *e) {
    Held *h = self;
    const PMode *s = state_of(sm);
    (void)e;
    for (uint64_t left = s->ended; left; left &= left - 1)
        h->ends += s->warp[lowest(left)].reads != 0;
    for (int id = 0; id < s->ids; id++)
        h->frees += (s->limbo[id / 64] >> id % 64 & 1) && s->reads_of[id];
}

static const Listener held_listener = {.cycle_end = on_held};

// Sessions of every length that end while operands are collected (one bank, three operands). All
// warps request registers of a small pool: each reads its own writes.
static void test_ends_while_read(void **state) {
    static Run r;
    static const char text[] =
        BEGIN "mov R3, 0x3\n mov R5, 0x5\n mov R30, 0x0\n mov R31, 0x0\n"  // 7 .. 10
              "ld.global.b32.u32 R42, [R50+256]\n iadd R42, R42, 0x0\n"    // 11, 12
              "L13:\n ld.global.b32.u32 R40, [R50+256]\n iadd R41, R40, 0x1\n iadd R10, R0, 0x1\n"
              "imad.lo.u32 R20, R2, R3, R5\n imad.lo.u32 R21, R2, R3, R5\n imad.lo.u32 R12, R10, "
              "R3, R5\n iadd R10, R0, 0x2\n"
              "imad.lo.u32 R13, R10, R3, R12\n iadd R10, R13, R41\n iadd R30, R30, R10\n iadd R31, "
              "R31, 0x1\n"
              "isetp.lt.and.u32 _|P0, R31, 0x4\n @P0 bra _, L13, L26\n L26:\n" BENCH_STORE(
                  "R30") "exit _\n";
    Held h = {0};
    (void)state;
    for (int queue = 0; queue <= 4; queue += 2)
        for (int latency = 30; latency < 80; latency += 7) {
            char sets[160];
            snprintf(sets, sizeof sets,
                     "rf.banks=1 rf.entries=1024 rf.write_ports=1 pmode.registers=6 pmode.queue=%d "
                     "l1.latency=%d",
                     queue, latency);
            start_heard(&r, sets, text, 2, 128, &held_listener, &h);
            for (uint32_t t = 0; t < 256; t++)
                assert_int_equal(bench_out(&r.b)[t], 4 * (3 * (t + 1) + 5 + 3 * (t + 2) + 65));
            assert_true(count(&r, CTR_PMODE_RENAMED) > 20);
            bench_close(&r.b);
        }
    assert_true(h.ends > 0);
    assert_true(h.frees > 0);
}

// ---- an older read of a reused destination ----

typedef struct Reads {
    int pc;
    uint64_t issued, read;
} Reads;

static void on_reads_issued(Sm *sm, void *self, const IssueEvent *e) {
    Reads *w = self;
    if (inst_stream_is_own(sm, e->warp, e->stream) && (int)e->pc * 8 == w->pc)
        w->issued = sm->cycle;
}

static void on_reads(Sm *sm, void *self, const OperandsEvent *e) {
    Reads *w = self;
    if (!pmode_of(sm, e->flight) && (int)e->flight->pc * 8 == w->pc) w->read = sm->cycle;
}

static const Listener reads_listener = {.issued = on_reads_issued, .operands_read = on_reads};

// N-mode executes the reader of R10, which depends on the load, in a collector behind others. The
// next instruction gives R10 the value that P-mode has had for long.
static void test_older_read(void **state) {
    static Run r;
    Reads w = {.pc = 17 * 8};
    (void)state;
    start_heard(
        &r, "rf.banks=1 rf.entries=1024 rf.write_ports=1 pmode.queue=1",
        BEGIN "mov R3, 0x3\n mov R10, 0x64\n"  // 7, 8
        // 9, 10
        STALL(65536) "imad.lo.u32 R20, R41, R3, R2\n imad.lo.u32 R21, R41, R3, R2\n imad.lo.u32 "
                     "R22, R41, R3, R2\n imad.lo.u32 R23, R41, R3, R2\n"
                     "imad.lo.u32 R24, R41, R3, R2\n imad.lo.u32 R25, R41, R3, R2\n"  // 11 .. 16
                     "imad.lo.u32 R12, R41, R3, R10\n iadd R10, R0, 0x7\n iadd R13, R12, "
                     "R10\n" BENCH_STORE("R13") "exit _\n",
        1, 32,
        // 17, 18
        &reads_listener, &w);
    for (uint32_t l = 0; l < 32; l++) assert_int_equal(bench_out(&r.b)[l], 3 * 16385 + 100 + l + 7);
    const int given = find(&r, 0, 18 * 8, false);
    assert_true(given > 0 && r.step[given].given);
    assert_true(w.read > w.issued + 6);
    assert_true(r.step[given].cycle >= w.read);
    bench_close(&r.b);
}

// ---- fetch behind a taken branch ----

typedef struct Behind {
    int branch, cycles, fetched;
} Behind;

// The branch is the oldest instruction that has not issued, and results are left in the queue.
static void on_behind(Sm *sm, void *self, const CycleEvent *e) {
    Behind *k = self;
    const InstStream *own = &sm->warps[0].own;
    (void)e;
    if (sm->away & 1 || (int)own->pc != k->branch || !state_of(sm)->warp[0].count) return;
    k->cycles++;
    k->fetched += own->fetch_pc > k->branch + 1;
}

static const Listener behind_listener = {.cycle_end = on_behind};

// The branch is taken in the first turn and not in the second. P-mode executed the instruction
// behind it in the second turn, so it is in the queue when N-mode reaches the branch in the first.
// Nothing behind the branch is fetched or looked up.
static void test_behind_branch(void **state) {
    static Run r;
    Behind k = {.branch = 12};
    (void)state;
    // 7 .. 11
    start_heard(
        &r, "",
        BEGIN "mov R10, 0x0\n mov R11, 0x0\n isetp.lt.and.u32 _|P1, R0, 0x0\n" STALL(
            65536) "L12:\n @!P1 bra _, L15, L15\n iadd R11, R11, 0x5\n bra _, L18, L18\n"  // 12 .. 14
                   "L15:\n iadd R10, R10, 0x1\n isetp.lt.and.u32 _|P1, R10, 0x64\n bra _, L12, "
                   "L12\n"  // 15 .. 17
                   "L18:\n iadd R12, R10, R11\n iadd R12, R12, R41\n" BENCH_STORE("R12") "exit _\n",
        1, 32, &behind_listener, &k);
    for (uint32_t l = 0; l < 32; l++) assert_int_equal(bench_out(&r.b)[l], 1 + 5 + 16385);
    assert_int_equal(count(&r, CTR_PMODE_REUSED), 5);  // R10, P1, R11, R12, R60
    assert_int_equal(count(&r, CTR_PMODE_FLUSHED), 0);
    const int taken = find(&r, find(&r, 0, 11 * 8, false), 12 * 8, false),
              behind = find(&r, taken, 13 * 8, false);
    assert_true(taken > 0 && behind > taken + 3 && r.step[behind].given);
    assert_true(k.cycles > 0);
    assert_int_equal(k.fetched, 0);
    bench_close(&r.b);
}

// ---- a slot that is taken again ----

typedef struct Again {
    int begun, mapped, on_its_way;
    uint64_t exits[SM_MAX_WARPS];
} Again;

// A warp begins in a slot of which nothing is left.
static void on_warp_begin(Sm *sm, void *self, const WarpEvent *e) {
    Again *k = self;
    const PMode *s = state_of(sm);
    const PModeWarp *w = &s->warp[e->warp];
    k->begun++;
    if (w->mapped[0] | w->mapped[1] || w->count || w->flights || w->reads || w->npopped || w->pend)
        fail_msg("warp %d: something is left", e->warp);
    if (((s->ending | s->flushing | s->queue_busy | s->rename_busy) >> e->warp) & 1)
        fail_msg("warp %d: still drained", e->warp);
}

// All have exited while a pre-load of P-mode is on its way.
static void on_exit(Sm *sm, void *self, const IssueEvent *e) {
    Again *k = self;
    const PMode *s = state_of(sm);
    if (!inst_stream_is_own(sm, e->warp, e->stream) || e->inst->isa->op != ISA_EXIT) return;
    for (int i = 0; i < SM_FLIGHTS; i++)
        if (sm->flights[i].inst && sm->flights[i].warp == e->warp &&
            pmode_of(sm, &sm->flights[i]) && s->flight[i].pre)
            k->on_its_way++;
}

static void on_warp_end(Sm *sm, void *self, const WarpEvent *e) {
    Again *k = self;
    k->mapped += state_of(sm)->warp[e->warp].mapped[0] != 0;
}

static const Listener slots_listener = {
    .warp_begin = on_warp_begin, .warp_end = on_warp_end, .issued = on_exit};

// CTAs follow each other in one slot. Each ends with registers of the pool as its own and with a
// line that was only prefetched still in flight, its pre-load too. A result of P-mode cannot be
// outstanding then, nor can an entry remain in the queue. N-mode meets the instructions that P-mode
// met, and waits for them.
static void test_slot_again(void **state) {
    static Run r;
    Again k = {0};
    (void)state;
    start_heard(&r, "sm.ctas=1",
                BEGIN "shl R30, R0, 0x7\n iadd R30, R50, R30\n mov R31, 0x0\n"
                      "ld.global.b32.u32 R42, [R50+256]\n iadd R42, R42, 0x0\n" STALL(
                          256) "prefetch.global.b32.u32 _, [R30+131072]\n iadd R10, R0, 0x1\n iadd "
                               "R11, R0, 0x2\n iadd R12, R10, R41\n"
                               "iadd R60, c[0][0x0], R1\n st.global.b32 _, [R60], R12\n exit _\n",
                6, 64, &slots_listener, &k);
    for (uint32_t t = 0; t < 6 * 64; t++) assert_int_equal(bench_out(&r.b)[t], t + 1 + 65);
    assert_int_equal(k.begun, 12);
    assert_true(k.mapped > 0);
    assert_true(k.on_its_way > 0);
    assert_true(count(&r, CTR_PMODE_REUSED) >= 12);
    bench_close(&r.b);
}

// ---- schedulers ----

enum { ISSUES = 4000 };

typedef struct Issues {
    int n, ahead, idle;  // of N-mode; of P-mode; cycles in which neither issued
    struct {
        int warp, pc;
    } of[ISSUES];
    uint64_t from, last;  // cycles
    bool starved;         // warp 0 could issue in P-mode
    int starved_cycles, beside;
} Issues;

static void on_issues(Sm *sm, void *self, const IssueEvent *e) {
    Issues *k = self;
    const bool ready = sm->selves[0] && sm->away & 1 && sm->has_inst & 1 && !(sm->halted & 1) &&
        sm->cycle >= state_of(sm)->warp[0].from;
    if (!inst_stream_is_own(sm, e->warp, e->stream)) {
        k->ahead++;
        return;
    }
    k->starved_cycles += ready;
    if (e->warp && k->n < ISSUES) {
        k->of[k->n].warp = e->warp;
        k->of[k->n++].pc = (int)e->pc;
    }
}

static const Listener issues_listener = {.issued = on_issues};

// Warp 0 waits for a load and has much to execute ahead; seven others always have an instruction.
// P-mode gets nothing for a thousand cycles, and the others issue in the baseline's order.
static void test_starved(void **state) {
    static Run r;
    static Issues with, without;
    static Bench b;
    static const char sets[] = "sm.schedulers=1 sm.ibuffer=8 sm.fetch_warps=4 dram.latency=4000";
    // 7 .. 11
    static const char text[] =
        BEGIN "isetp.ge.and.u32 _|P0, R0, 0x20\n mov R10, 0x0\n @P0 bra _, L24, L36\n" STALL(
            65536) "iadd R20, R0, 0x1\n iadd R21, R0, 0x2\n iadd R22, R0, 0x3\n iadd R23, R0, "
                   "0x4\n iadd R24, R0, 0x5\n iadd R25, R0, 0x6\n"
                   "iadd R20, R20, R21\n iadd R20, R20, R22\n iadd R20, R20, R23\n iadd R20, "
                   "R20, R24\n iadd R10, R20, R41\n bra _, L36, L36\n"
                   "L24:\n nop _\n nop _\n nop _\n nop _\n nop _\n nop _\n nop _\n nop _\n nop "
                   "_\n"  // 24 .. 32
                   "iadd R10, R10, 0x1\n isetp.lt.and.u32 _|P1, R10, 0x28\n @P1 bra _, L24, "
                   "L36\n"  // 33 .. 35
                   "L36:\n" BENCH_STORE("R10") "exit _\n";
    (void)state;
    memset(&with, 0, sizeof with);
    memset(&without, 0, sizeof without);
    start_heard(&r, sets, text, 1, 256, &issues_listener, &with);
    for (uint32_t t = 0; t < 256; t++)
        assert_int_equal(bench_out(&r.b)[t], t < 32 ? 5 * t + 15 + 16385 : 40);
    bench_close(&r.b);
    bench_config(&b, "fermi", sets);
    bench_start(&b, &(GpuOptions){.check_retire = true});
    events_subscribe(b.gpu->sms, &issues_listener, &without);
    for (uint32_t i = 0; i < BENCH_BYTES / 4; i++) bench_in(&b)[i] = i;
    bench_run(&b, text, 1, 256, 0);
    bench_close(&b);
    assert_true(with.starved_cycles >= 1000);
    assert_true(with.ahead > 0);
    assert_int_equal(with.n, without.n);
    for (int i = 0; i < with.n; i++)
        if (with.of[i].warp != without.of[i].warp || with.of[i].pc != without.of[i].pc)
            fail_msg("issue %d is warp %d, pc %d; baseline: warp %d, pc %d", i, with.of[i].warp,
                     with.of[i].pc, without.of[i].warp, without.of[i].pc);
}

typedef struct Turns {
    int n, wrong, last;
} Turns;

// The warps of the scheduler that could have issued in P-mode: the one that does is the first of
// them behind the last.
static void on_turn(Sm *sm, void *self, const IssueEvent *e) {
    Turns *t = self;
    const PMode *s = state_of(sm);
    if (inst_stream_is_own(sm, e->warp, e->stream)) return;
    int next = SM_NONE;
    for (int i = 1; i <= 3 && next == SM_NONE; i++) {
        const int w = (t->last + i) % 3;
        const WarpSet bit = warp_bit(w);
        const bool can = sm->away & sm->has_inst & bit && !((sm->halted | sm->control) & bit) &&
            sm->cycle >= s->warp[w].from;
        if (can &&
            pmode_choose(sm, s, w, &sm->program.insts[s->warp[w].ahead.pc]).act != PMODE_WAITS)
            next = w;
    }
    t->wrong += next != e->warp;
    t->n++;
    t->last = e->warp;
}

static const Listener turn_listener = {.issued = on_turn};

static void test_strict_turns(void **state) {
    static Run r;
    Turns t = {.last = 2};
    (void)state;
    start_heard(&r, "sm.schedulers=1 sm.ibuffer=8 sm.fetch_warps=4",
                BEGIN STALL(65536) SOME_TIME SOME_TIME SOME_TIME
                "iadd R10, R0, R41\n" BENCH_STORE("R10") "exit _\n",
                1, 96, &turn_listener, &t);
    assert_true(t.n >= 90);
    assert_int_equal(t.wrong, 0);
    bench_close(&r.b);
}

// ---- a barrier that P-mode passes ----

typedef struct Barrier {
    int pc;
    uint64_t passed, arrived, others;
} Barrier;

static void on_barrier(Sm *sm, void *self, const IssueEvent *e) {
    Barrier *k = self;
    const bool own = inst_stream_is_own(sm, e->warp, e->stream);
    if (e->warp == 0 && (int)e->pc == k->pc) *(own ? &k->arrived : &k->passed) = sm->cycle;
    if (e->warp && (int)e->pc == k->pc + 1 && !k->others) k->others = sm->cycle;
}

static const Listener barrier_listener = {.issued = on_barrier};

static void test_barrier_waits(void **state) {
    static Run r;
    Barrier k = {.pc = 13};
    (void)state;
    // 7 .. 10
    start_heard(&r, "",
                BEGIN "isetp.ge.and.u32 _|P0, R0, 0x20\n @P0 bra _, L11, L11\n" STALL(
                    65536) "L11:\n iadd R10, R0, 0x1\n st.shared.b32 _, [R1], R10\n bar _, 0x0\n "
                           "iadd R12, R0, 0x5\n"  // 11 .. 14
                           "iadd R13, R12, 0x1\n" BENCH_STORE("R13") "exit _\n",
                1, 256, &barrier_listener, &k);
    for (uint32_t t = 0; t < 256; t++) assert_int_equal(bench_out(&r.b)[t], t + 6);
    assert_true(k.passed && k.passed + 100 < k.arrived);
    assert_true(k.others > k.arrived);
    const int ahead = find(&r, 0, 14 * 8, true), given = find(&r, 0, 14 * 8, false);
    assert_true(ahead > 0 && given > 0 && r.step[given].given);
    bench_close(&r.b);
}

// ---- the cycle in which a load arrives ----

typedef struct Arrivals {
    WarpSet away;
    // cycle of the last write of a trigger, issue in P-mode
    uint64_t flushed, written, issued;
    int count[SM_MAX_WARPS], own_issue;
    uint64_t at_issue[SM_MAX_WARPS], began[SM_MAX_WARPS];
    int with_switch, with_issue, with_flush, with_pop, shortest, unswitched;
    WarpSet arrived, issuing;
} Arrivals;

static void on_arrival(Sm *sm, void *self, const WordEvent *e) {
    Arrivals *k = self;
    const PMode *s = state_of(sm);
    const int w = e->flight->warp, reg = e->flight->inst->dst_reg[e->word];
    if (pmode_of(sm, e->flight) || !e->flight->inst->long_latency) return;
    if (sm->away >> w & 1 && s->warp[w].trigger == reg) k->arrived |= warp_bit(w);
    else if (!(sm->away >> w & 1) && sm->long_wait >> w & 1) k->unswitched++;
}

static void on_ahead(Sm *sm, void *self, const IssueEvent *e) {
    Arrivals *k = self;
    if (!inst_stream_is_own(sm, e->warp, e->stream)) k->issuing |= warp_bit(e->warp);
}

static void on_arrivals(Sm *sm, void *self, const CycleEvent *e) {
    Arrivals *k = self;
    const PMode *s = state_of(sm);
    const uint64_t flushed = sm->count->v[CTR_PMODE_FLUSHED];
    bool pops = false;
    (void)e;
    for (int w = 0; w < sm->cfg->sm_warps; w++) {
        pops |= s->warp[w].count < k->count[w] && flushed == k->flushed && !(sm->away >> w & 1);
        k->count[w] = s->warp[w].count;
    }
    if (k->arrived) {
        k->with_switch += (sm->away & ~k->away) != 0;
        k->with_issue += (k->issuing & ~k->arrived) != 0;
        k->own_issue += (k->issuing & k->arrived & ~sm->away) != 0;
        k->with_flush += flushed != k->flushed;
        k->with_pop += pops;
        for (WarpSet left = k->arrived & ~sm->away; left; left &= left - 1)
            k->shortest += sm->cycle == k->began[lowest(left)] + 1;
    }
    for (WarpSet left = sm->away & ~k->away; left; left &= left - 1)
        k->began[lowest(left)] = sm->cycle;
    k->away = sm->away;
    k->flushed = flushed;
    k->arrived = k->issuing = 0;
}

static const Listener arrivals_listener = {
    .written = on_arrival, .issued = on_ahead, .cycle_end = on_arrivals};

// Loads that hit L1, of every latency, in several warps. The write of the register that a session
// waits for meets another warp's switch, issue, flush and pop, and its own session's first cycle.
static void test_arrival(void **state) {
    static Run r;
    static Arrivals k, all;
    (void)state;
    memset(&all, 0, sizeof all);
    for (int latency = 1; latency < 60; latency += 3) {
        char sets[80];
        memset(&k, 0, sizeof k);
        snprintf(sets, sizeof sets, "l1.latency=%d pmode.switch_cycles=%d", latency, latency & 1);
        start_heard(&r, sets,
                    BEGIN
                    "mov R30, 0x0\n mov R31, 0x0\n ld.global.b32.u32 R42, [R50+256]\n iadd R42, "
                    "R42, 0x0\n"  // 7 .. 10
                    "L11:\n ld.global.b32.u32 R40, [R50+256]\n iadd R10, R0, R31\n nop _\n nop _\n "
                    "iadd R41, R40, R10\n"
                    "iadd R11, R10, 0x1\n ld.global.b32.u32 R43, [R50+260]\n iadd R12, R11, 0x2\n "
                    "iadd R44, R43, R12\n iadd R13, R12, 0x3\n"
                    "iadd R30, R30, R41\n iadd R30, R30, R44\n iadd R31, R31, 0x1\n"
                    "isetp.lt.and.u32 _|P0, R31, 0xa\n @P0 bra _, L11, L26\n L26:\n" BENCH_STORE(
                        "R30") "exit _\n",
                    1, 256, &arrivals_listener, &k);
        for (uint32_t t = 0; t < 256; t++)
            assert_int_equal(bench_out(&r.b)[t], 10 * (64 + t + 65 + t + 3) + 2 * 45);
        all.with_switch += k.with_switch;
        all.with_issue += k.with_issue;
        all.own_issue += k.own_issue;
        all.with_flush += k.with_flush;
        all.with_pop += k.with_pop;
        all.shortest += k.shortest;
        all.unswitched += k.unswitched;
        bench_close(&r.b);
    }
    assert_int_equal(all.own_issue, 0);
    assert_true(all.with_switch && all.with_issue && all.with_flush && all.with_pop &&
                all.shortest && all.unswitched);
}

// ---- what warps see of each other's stores ----

// Warp 1 stores data and then a flag; warp 0 waits for a load, reads the flag and then the data.
// P-mode reaches both reads long before the stores: N-mode, which sees the flag, must see the data.
#define TWO_WARPS(read_flag, between, read_data, store_data, store_flag) \
    BEGIN "mov R2, 0x0\n mov R10, 0x11\n mov R11, 0x0\n isetp.ge.and.u32 _|P0, R0, 0x20\n @P0 " \
          "bra _, L18, L72\n" \
          "ld.global.b32.u32 R40, [R50+65536]\n iadd R41, R40, 0x1\n " read_flag "\n " between \
          "\n " read_data \
          "\n bra _, L72, L72\n L18:\n iadd R12, R50, 0x100\n mov R13, 0x0\n" SOME_TIME SOME_TIME \
              SOME_TIME SOME_TIME store_data "\n membar _\n mov R11, 0x1\n " store_flag \
          "\n L72:\n" \
          "iadd R60, c[0][0x0], R1\n st.global.b32 _, [R60], R10\n st.global.b32 _, [R60+256], " \
          "R11\n exit _\n"
#define SHARED_FLAG(between) \
    TWO_WARPS("ld.shared.b32.u32.ordered R11, [R2]", between, "ld.shared.b32.u32 R10, [R2+4]", \
              "st.shared.b32 _, [R2+4], R50", "st.shared.b32.ordered _, [R2], R11")
#define GLOBAL_FLAG \
    TWO_WARPS("ld.global.b32.u32.ordered R11, [R50+131072]", "membar _", \
              "ld.global.b32.u32 R10, [R50+256]", "st.global.b32 _, [R12], R50", \
              "st.global.b32.ordered _, [R50+131072], R11")
// Without a flag.
#define SHARED_RACE \
    TWO_WARPS("mov R11, 0x1", "nop _", "ld.shared.b32.u32 R10, [R2+4]", \
              "st.shared.b32 _, [R2+4], R50", "nop _")
#define GLOBAL_RACE \
    TWO_WARPS("mov R11, 0x1", "nop _", "ld.global.b32.u32 R10, [R50+256]", \
              "st.global.b32 _, [R12], R50", "nop _")

static void expect_newest(const char *text, CounterId seen, uint64_t least) {
    static Run r;
    start(&r, "", text, 1, 64);
    assert_int_equal(bench_out(&r.b)[64], 1);  // the flag
    assert_int_equal(bench_out(&r.b)[0], r.b.in);
    assert_true(count(&r, seen) >= least);
    bench_close(&r.b);
}

// Shared memory: a load behind a fence, or behind a load that orders, is N-mode's. Where there is
// nothing but a race, the value that is taken is older than N-mode's, and that is reported.
static void test_shared_flag(void **state) {
    static Run r;
    (void)state;
    expect_newest(SHARED_FLAG("membar _"), CTR_PMODE_SKIP_FENCE, 3);
    expect_newest(SHARED_FLAG("nop _"), CTR_PMODE_SKIP_FENCE, 2);
    open_run(&r, "fermi", "");
    assert_false(bench_try(&r.b, SHARED_RACE, 1, 64, 0, 0));
    assert_int_equal(r.b.d.status, EXIT_MISMATCH);
    assert_non_null(strstr(r.b.d.text, "ld.shared"));
    bench_close(&r.b);
}

// Global memory: a pre-load has the line in L1 before the store, but the result is N-mode's read.
static void test_global_flag(void **state) {
    (void)state;
    expect_newest(GLOBAL_FLAG, CTR_PMODE_SKIP_FENCE, 3);
    expect_newest(GLOBAL_RACE, CTR_PMODE_PRELOADS, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends_while_read), cmocka_unit_test(test_older_read),
        cmocka_unit_test(test_behind_branch),   cmocka_unit_test(test_slot_again),
        cmocka_unit_test(test_starved),         cmocka_unit_test(test_strict_turns),
        cmocka_unit_test(test_barrier_waits),   cmocka_unit_test(test_arrival),
        cmocka_unit_test(test_shared_flag),     cmocka_unit_test(test_global_flag)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
