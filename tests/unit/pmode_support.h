// SPDX-License-Identifier: Apache-2.0
// P-mode on a bench (sm_support.h): every instruction of warp 0 that issues, with its entry in the
// queue, and beginnings of programs.
#ifndef SMCOSIM_TESTS_PMODE_SUPPORT_H
#define SMCOSIM_TESTS_PMODE_SUPPORT_H

#include "sm_support.h"

#include "systems/pmode/pmode.h"
#include "systems/systems.h"

enum { STEPS = 1000 };

// An instruction of warp 0 issues, in N- or P-mode; given: N-mode reuses its result; pushed: P-mode
// enters it in the queue, with these numbers.
typedef struct Step {
    int pc;
    bool ahead, given, pushed;
    int seq, offset, dst, phy;
    uint64_t cycle;
} Step;
typedef struct Run {
    Bench b;
    Arch arch;
    Step step[STEPS];
    int n, base;
    Block *queue;
} Run;

static void on_issued(Sm *sm, void *self, const IssueEvent *e) {
    Run *r = self;
    if (e->warp || r->n == STEPS) return;
    const bool own = inst_stream_is_own(sm, 0, e->stream);
    r->step[r->n++] = (Step){.pc = (int)e->pc * 8,
                             .ahead = !own,
                             .given = own && e->stream->given & 1,
                             .cycle = sm->cycle};
}

static void on_driven(Sm *sm, void *self, const CycleEvent *e) {
    Run *r = self;
    const PQueueIn *in = r->queue->in;
    const PQueueOut *out = r->queue->out;
    (void)sm, (void)e;
    for (int i = 0; i < 2; i++) {
        if (!((in->push_valid[0] & out->push_ok[0]) >> i & 1) || in->push_warp[i] || !r->n)
            continue;
        Step *s = &r->step[r->n - 1];
        s->pushed = true;
        s->seq = (int)in->push_seq[i];
        s->offset = (int)in->push_pc[i] - r->base;
        s->dst = (int)in->push_dst[i];
        s->phy = (int)in->push_phy[i];
    }
}

static const Listener listener = {.issued = on_issued, .driven = on_driven};

static inline void open_run(Run *r, const char *preset, const char *sets) {
    memset(r, 0, sizeof *r);
    bench_config(&r->b, preset, sets);
    if (!arch_parse("pmode", &r->arch, &r->b.d)) fail_msg("%s", r->b.d.text);
    bench_start(&r->b, &(GpuOptions){.check_retire = true, .arch = &r->arch});
    r->queue = cosim_block(r->b.cosim, "p_queue");
    events_subscribe(r->b.gpu->sms, &listener, r);
}

static inline uint64_t count(const Run *r, CounterId c) { return bench_count(&r->b, c); }

// The first step from `from` on that is at pc, in that mode; -1.
static inline int find(const Run *r, int from, int pc, bool ahead) {
    for (int i = from; i < r->n; i++)
        if (r->step[i].pc == pc && r->step[i].ahead == ahead) return i;
    return -1;
}

// R50: the buffer `in`, where word i holds i. A load that misses, and its waiting consumer.
#define BEGIN \
    ".kernel k\n.regs 63\n.preds 4\n.shared 1024\n" BENCH_THREAD \
    "mov R50, c[0][0x8]\n mov R51, 0x0\n"
#define STALL(offset) "ld.global.b32.u32 R40, [R50+" #offset "]\n iadd R41, R40, 0x1\n"
#define SOME_TIME \
    "nop _\n nop _\n nop _\n nop _\n nop _\n nop _\n nop _\n nop _\n nop _\n nop _\n nop _\n nop " \
    "_\n"

// more: another listener, with its state; NULL: none.
static inline void start_heard(Run *r, const char *sets, const char *text, uint32_t ctas,
                               uint32_t threads, const Listener *more, void *self) {
    open_run(r, "fermi", sets);
    if (more) events_subscribe(r->b.gpu->sms, more, self);
    for (uint32_t i = 0; i < BENCH_BYTES / 4; i++) bench_in(&r->b)[i] = i;
    bench_run(&r->b, text, ctas, threads, 0);
    assert_true(gpu_finish(r->b.gpu, &r->b.d));
}

static inline void start(Run *r, const char *sets, const char *text, uint32_t ctas,
                         uint32_t threads) {
    start_heard(r, sets, text, ctas, threads, NULL, NULL);
}

// The system's state.
static inline PMode *state_of(const Sm *sm) { return sm->selves[0]; }

#endif
