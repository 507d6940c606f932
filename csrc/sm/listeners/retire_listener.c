// SPDX-License-Identifier: Apache-2.0
// --check retire as a listener: passes the actions of the SM to the interpreter of csrc/retire. An
// error of the interpreter ends the run.
#include "sm/listeners/listeners.h"

#include "sm/state.h"

#include <string.h>

struct RetireListener {
    Retire *retire;
};

static void stop_unless_passed(Sm *sm, bool passed) {
    if (!passed) sm_stop(sm);
}

static Retire *retire_of(void *self) { return ((RetireListener *)self)->retire; }

static void on_kernel_begin(Sm *sm, void *self, const KernelEvent *e) {
    const GpuLaunch *l = sm->launch;
    RetireLaunch r = {.program = l->program,
                      .params = l->params,
                      .memory = sm->memory,
                      .warps_per_cta = sm->warps_per_cta,
                      .shared_bytes = l->shared_bytes,
                      .sm = sm->port,
                      .sms = sm->gpu->nsms};
    (void)e;
    if (l->layout) {
        r.const_image = l->layout->const_image;
        r.workspace = l->layout->workspace;
        r.const_bytes = l->layout->const_bytes;
    }
    memcpy(r.grid, l->grid, sizeof r.grid);
    memcpy(r.block, l->block, sizeof r.block);
    stop_unless_passed(sm, retire_launch(retire_of(self), &r, sm->diag));
}

static void on_kernel_end(Sm *sm, void *self, const KernelEvent *e) {
    if (e->passed) stop_unless_passed(sm, retire_end(retire_of(self), sm->diag));
}

static void on_warp_begin(Sm *sm, void *self, const WarpEvent *e) {
    retire_warp(retire_of(self), e->warp, e->slot, sm->ctas[e->slot].id, e->number, e->lanes);
}

// The interpreter follows only the program, not second streams.
static bool is_own(const Sm *sm, const Flight *f) {
    return inst_stream_is_own(sm, f->warp, f->stream);
}

static void on_issued(Sm *sm, void *self, const IssueEvent *e) {
    if (inst_stream_is_own(sm, e->warp, e->stream))
        stop_unless_passed(
            sm, retire_issue(retire_of(self), e->warp, e->pc, e->mask, e->active, sm->diag));
}

static void on_begun(Sm *sm, void *self, const FlightEvent *e) {
    if (is_own(sm, e->flight))
        retire_flight(retire_of(self), flight_index(sm, e->flight), e->flight->warp);
}

// A stream that runs the program ahead of its warp (parts/inst_stream.h) never moves data to
// memory.
static void ahead_access(Sm *sm, const Flight *f) {
    const int op = f->inst->isa->op;
    if (!sm->beside.part || !sm->beside.part->lookup ||
        (op != ISA_ST && op != ISA_ATOM && op != ISA_SYSCALL))
        return;
    sm_fail(
        sm, EXIT_MISMATCH,
        "retire check of kernel %s: warp %d, pc %d: memory is written ahead of the warp's program",
        sm->launch->program->name, f->warp, f->pc);
}

static void on_access(Sm *sm, void *self, const FlightEvent *e) {
    const Flight *f = e->flight;
    if (!is_own(sm, f)) {
        ahead_access(sm, f);
        return;
    }
    RetireAccess a = {.addr = f->access.addr, .lanes_of = f->access.lanes_of};
    for (int i = 0; i < 3; i++)
        for (int w = 0; w < 4; w++) a.data[i][w] = flight_source(f, i, w);
    stop_unless_passed(sm, retire_access(retire_of(self), flight_index(sm, f), &a, sm->diag));
}

static void on_performed(Sm *sm, void *self, const LanesEvent *e) {
    if (is_own(sm, e->flight))
        retire_perform(retire_of(self), flight_index(sm, e->flight), e->lanes);
}

static void on_syscall(Sm *sm, void *self, const SyscallEvent *e) {
    if (is_own(sm, e->flight))
        stop_unless_passed(
            sm, retire_syscall(retire_of(self), flight_index(sm, e->flight), e->address, sm->diag));
}

static void on_result(Sm *sm, void *self, const FlightEvent *e) {
    if (is_own(sm, e->flight))
        stop_unless_passed(
            sm,
            retire_result(retire_of(self), flight_index(sm, e->flight), &e->flight->out, sm->diag));
}

// The instruction completes with a result that was available before it issued. Such an instruction
// is never in flight.
static void on_given(Sm *sm, void *self, const GivenEvent *e) {
    const RetireAccess a = {.addr = e->addr, .lanes_of = e->lanes_of};
    retire_flight(retire_of(self), SM_FLIGHTS, e->warp);
    if (e->addr) stop_unless_passed(sm, retire_access(retire_of(self), SM_FLIGHTS, &a, sm->diag));
    if (!sm->failed)
        stop_unless_passed(sm, retire_result(retire_of(self), SM_FLIGHTS, e->out, sm->diag));
}

static void on_skipped(Sm *sm, void *self, const SkippedEvent *e) {
    stop_unless_passed(sm,
                       retire_skip(retire_of(self), e->warp, e->first, e->after, e->out, e->lanes,
                                   e->value, sm->diag));
}

static void on_arrived(Sm *sm, void *self, const BarrierEvent *e) {
    retire_arrive(retire_of(self), flight_index(sm, e->flight), e->slot, e->number);
}

static void on_released(Sm *sm, void *self, const BarrierEvent *e) {
    (void)sm;
    retire_release(retire_of(self), e->slot, e->number);
}

// ---- threads beside warps: numbered behind the warps, with instructions numbered behind the
// warps'

static int thread_of(const Sm *sm, const ThreadEvent *e) { return sm->cfg->sm_warps + e->thread; }
static int thread_flight(const ThreadEvent *e) { return SM_FLIGHTS + 1 + e->number; }

static void on_thread_begin(Sm *sm, void *self, const ThreadEvent *e) {
    retire_thread(retire_of(self), thread_of(sm, e), e->slot, e->ctaid, e->program,
                  (uint32_t)sm->cta_room);
}

static void on_thread_issued(Sm *sm, void *self, const ThreadEvent *e) {
    stop_unless_passed(
        sm, retire_issue(retire_of(self), thread_of(sm, e), e->pc, 1, e->active, sm->diag));
}

static void on_thread_begun(Sm *sm, void *self, const ThreadEvent *e) {
    retire_flight(retire_of(self), thread_flight(e), thread_of(sm, e));
}

static void on_thread_access(Sm *sm, void *self, const ThreadEvent *e) {
    const Flight *f = e->flight;
    RetireAccess a = {.addr = f->access.addr, .lanes_of = f->access.lanes_of};
    for (int i = 0; i < 3; i++)
        for (int w = 0; w < 4; w++) a.data[i][w] = flight_source(f, i, w);
    stop_unless_passed(sm, retire_access(retire_of(self), thread_flight(e), &a, sm->diag));
}

static void on_thread_performed(Sm *sm, void *self, const ThreadEvent *e) {
    (void)sm;
    retire_perform(retire_of(self), thread_flight(e), 1);
}

static void on_thread_result(Sm *sm, void *self, const ThreadEvent *e) {
    stop_unless_passed(sm,
                       retire_result(retire_of(self), thread_flight(e), &e->flight->out, sm->diag));
}

static const Listener listener = {.kernel_begin = on_kernel_begin,
                                  .kernel_end = on_kernel_end,
                                  .warp_begin = on_warp_begin,
                                  .issued = on_issued,
                                  .begun = on_begun,
                                  .access = on_access,
                                  .performed = on_performed,
                                  .syscall = on_syscall,
                                  .result = on_result,
                                  .arrived = on_arrived,
                                  .released = on_released,
                                  .given = on_given,
                                  .skipped = on_skipped,
                                  .thread_begin = on_thread_begin,
                                  .thread_issued = on_thread_issued,
                                  .thread_begun = on_thread_begun,
                                  .thread_access = on_thread_access,
                                  .thread_performed = on_thread_performed,
                                  .thread_result = on_thread_result};

RetireListener *retire_listen(Sm *sm, Arena *arena) {
    const MachineConfig *cfg = sm->cfg;
    RetireListener *r = ARENA_NEW(arena, RetireListener);
    const bool beside = sm->gpu->arch.compiler.beside;
    const int threads = beside ? cfg->scalar_threads : 0;
    r->retire = retire_open(arena, cfg->sm_warps + threads, cfg->sm_ctas, (size_t)cfg->shared_bytes,
                            SM_FLIGHTS + 1 + (beside ? SM_THREAD_FLIGHTS : 0));
    events_subscribe(sm, &listener, r);
    return r;
}

void retire_listen_apart(RetireListener *r, Arena *arena, RetireListener *first) {
    retire_apart(r->retire, arena, first->retire);
}

void retire_listener_exchange(RetireListener *r) { retire_exchange(r->retire); }

void retire_unlisten(RetireListener *r) { retire_close(r->retire); }

uint64_t retire_listener_compared(const RetireListener *r) { return retire_compared(r->retire); }
