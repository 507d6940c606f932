// SPDX-License-Identifier: Apache-2.0
// Memory instructions: the address pipe, load ports and completions.
//
// At dispatch an instruction computes its addresses (ldst_address.c). Unless it is an atomic on
// global memory, it also moves its data (ldst_move.c, ldst_texture.c). The address pipe then passes
// it to the memory system, which accepts one request per cycle. The pipe has exec.mem.latency
// stages and moves as a whole, by one stage per cycle. It stalls while the memory system does not
// accept the request at its end. Atomics on global memory are performed when they reach L2. A
// loaded value waits in the instruction's flight record for its writeback.
#include "sm/stages/ldst.h"

#include "sm/parts/hazards.h"
#include "sm/parts/load.h"
#include "sm/parts/order.h"
#include "sm/parts/source.h"
#include "sm/stages/ldst_parts.h"
#include "sm/stages/syscall.h"
#include "sm/stages/writeback.h"
#include "sm/state.h"
#include "sm/sm_quantum.h"

#include <string.h>

struct Ldst {
    FlightList pipe;     // address pipe
    uint64_t pipe_time;  // stages by which it has moved
    FlightList waiting;  // loads to which a load port answered LOAD_WAIT
    bool fair_turn;      // the last request was an instruction's: a fair source has priority
};

void ldst_open(Sm *sm, Arena *arena) { sm->ldst = ARENA_NEW(arena, Ldst); }
void ldst_launch(Sm *sm) { sm->ldst->pipe = sm->ldst->waiting = (FlightList){0}; }

static bool has_reached_end(const Sm *sm) {
    return sm->ldst->pipe.first && sm->ldst->pipe.first->access.ready <= sm->ldst->pipe_time;
}

static bool accepts_access(const Sm *sm) {
    if (!loads_have_room(sm)) return false;
    if (!has_reached_end(sm)) return true;
    const Flight *f = sm->ldst->pipe.first;
    return f->access.part + 1 == f->access.parts && mem_ready(sm->mem, sm->port);
}

static bool is_held(const Sm *sm) { return has_reached_end(sm) && !mem_ready(sm->mem, sm->port); }

static CounterId memory_held(const Sm *sm) {
    return is_held(sm) ? CTR_STALL_MEMORY : CTR_STALL_PIPE;
}

static bool memory_ready(const Sm *sm, const void *self, const Flight *f) {
    (void)self;
    return f->inst->mem == SM_MEM_NOT || accepts_access(sm);
}

const UnitRow ldst_unit = {.held = memory_held, .ready = memory_ready};

static void enter_pipe(Sm *sm, Flight *f) {
    f->access.ready = sm->ldst->pipe_time + (unsigned)f->inst->latency;
    flight_push(&sm->ldst->pipe, FLIGHT_AT, f);
}

// Moves a load that waited for a port behind the other flights at the same stage.
static void return_to_pipe(Sm *sm, Flight *f) {
    Flight *after = NULL, *next = sm->ldst->pipe.first;
    const uint64_t ready = sm->ldst->pipe_time + (unsigned)(f->inst->latency - f->access.passed);
    for (; next && next->access.ready <= ready; next = flight_after(next, FLIGHT_AT)) after = next;
    f->access.ready = ready;
    flight_push_after(&sm->ldst->pipe, FLIGHT_AT, after, f);
}

// ---- load ports: a load that a port serves leaves the address pipe; its stage stays empty ----

static void serve_load(Sm *sm, Flight *f, LoadAnswer answer) {
    panic_if(answer.cycles < 1, "a load port serves in %d cycles", answer.cycles);
    f->access.left = 0;
    f->placed = answer.placed;
    wheel_put(sm, f, answer.cycles);
}

void load_answer(Sm *sm, Flight *f, LoadAnswer answer) {
    panic_if(answer.from == LOAD_WAIT, "a load waits twice");
    flight_remove(&sm->ldst->waiting, FLIGHT_AT, f);
    f->access.no_result = answer.from == LOAD_NO_RESULT;
    sm_progress(sm);
    if (answer.from == LOAD_SERVED) serve_load(sm, f, answer);
    else return_to_pipe(sm, f);
}

// True: this port does not decide.
static bool ask_port(Sm *sm, Flight *f, const BoundLoad *port) {
    const LoadAnswer answer = port->part->probe(sm, port->self, f);
    if (answer.from == LOAD_MEMORY) return true;
    f->access.no_result = answer.from == LOAD_NO_RESULT;
    if (f->access.no_result) return false;
    flight_remove(&sm->ldst->pipe, FLIGHT_AT, f);
    if (answer.from == LOAD_WAIT) flight_push(&sm->ldst->waiting, FLIGHT_AT, f);
    else serve_load(sm, f, answer);
    return false;
}

// The load has passed `stages` stages.
static void ask_ports(Sm *sm, Flight *f, int stages) {
    for (int i = 0; i < sm->loads.n; i++) {
        const BoundLoad *port = &sm->loads.of[i];
        const int at = port->part->stages == LOAD_AT_END ? f->inst->latency : port->part->stages;
        if (!port->part->probe || at != stages || f->access.asked >> i & 1) continue;
        f->access.asked |= 1u << i;
        f->access.passed = (uint16_t)stages;
        if (!ask_port(sm, f, port)) return;
    }
}

static void ask_all(Sm *sm) {
    for (Flight *f = sm->ldst->pipe.first, *next; f; f = next) {
        next = flight_after(f, FLIGHT_AT);
        const int left = (int)(f->access.ready - sm->ldst->pipe_time);
        if (f->inst->isa->op == ISA_LD && left >= 0 && !f->access.no_result)
            ask_ports(sm, f, f->inst->latency - left);
    }
}

// ---- pre-loads ----

// Its registers keep their values.
static void end_without_result(Sm *sm, Flight *f) {
    for (int i = 0; i < f->inst->nwrites; i++) hazards_written(sm, f, f->inst->dst_reg[i]);
    flight_end(sm, f);
}

static void start_pre_load(Sm *sm, Flight *f) {
    int bad;
    const char *why;
    if (f->inst->isa->op == ISA_TEX) ldst_texture_lanes(sm, f, &bad, &why);
    else ldst_resolve(f);
    ldst_drop_lanes(sm, f);
    f->access.unperformed = 0;
    f->access.pre = f->access.no_result = true;
    f->access.parts = f->access.left = (uint8_t)ldst_count_requests(f);
    f->access.part = 0;
    if (f->access.left) enter_pipe(sm, f);
    else end_without_result(sm, f);
}

// ---- execution ----

void ldst_execute(Sm *sm, Flight *f) {
    order_performed(sm, f);
    f->access.left = 0;
    if (f->inst->isa->op == ISA_SYSCALL) {
        if (sm->quantum) quantum_call(sm, f);
        else syscall_execute(sm, f);
        return;
    }
    f->access.pre = false;
    if (sm->loads.n && loads_pre_load(sm, f)) {
        start_pre_load(sm, f);
        return;
    }
    const bool texture = f->inst->isa->op == ISA_TEX;
    if (texture && !ldst_texture(sm, f)) return;
    if (!texture) ldst_resolve(f);
    // before the SM reports an address error, because this access may have caused the error
    notify_access(sm, (FlightEvent){f});
    if (sm->failed) return;
    if (f->inst->isa->op == ISA_TOUCH) ldst_touch(sm, f);
    else if (!texture && (!ldst_in_reach(sm, f) || !ldst_aligned(sm, f) || !ldst_move(sm, f))) {
        if (sm->failed) return;
        memset(f->access.addr, 0, sizeof f->access.addr);
        memset(&f->out, 0, sizeof f->out);
    }
    f->access.unperformed = f->inst->mem == SM_MEM_ATOMIC ? f->access.lanes_of[IN_GLOBAL] : 0;
    if (f->inst->mem == SM_MEM_ATOMIC && !f->access.unperformed) order_atomic_performed(sm, f);
    f->access.parts = f->access.left = (uint8_t)ldst_count_requests(f);
    f->access.part = 0;
    f->access.asked = 0;
    f->access.no_result = false;
    if (f->access.left == 0 && texture) {  // no lane reads a texel
        wheel_put(sm, f, f->inst->latency);
        return;
    }
    if (f->access.left == 0) {  // a prefetch or touch without lanes
        flight_end(sm, f);
        return;
    }
    enter_pipe(sm, f);
    if (sm->loads.n && f->inst->isa->op == ISA_LD) ask_ports(sm, f, 0);
}

// ---- requests ----

// Issues one request of the instruction at the pipe's end; true if it was the last one.
static bool hand_over_request(Sm *sm) {
    if (!mem_ready(sm->mem, sm->port)) return false;
    Flight *f = sm->ldst->pipe.first;
    MemRequest r;
    ldst_build_request(sm, f, &r);
    mem_issue(sm->mem, sm->port, &r);
    sm->ldst->fair_turn = true;
    if (++f->access.part < f->access.parts) return false;
    flight_pop(&sm->ldst->pipe, FLIGHT_AT);
    return true;
}

// Issues a request of a source of this kind to the memory system.
static bool issue_from_source(Sm *sm, SourcePlace place) {
    MemRequest r;
    if (!mem_ready(sm->mem, sm->port) || !sources_next(sm, place, &r)) return false;
    mem_issue(sm->mem, sm->port, &r);
    sm->ldst->fair_turn = false;
    return true;
}

// The sources have priority over the LD/ST unit in this cycle.
__attribute__((noinline)) static bool serve_sources(Sm *sm, bool wants) {
    if (wants && !sm->ldst->fair_turn) return false;
    return issue_from_source(sm, SOURCE_FAIR) || (!wants && issue_from_source(sm, SOURCE_IDLE));
}

void ldst_stage(Sm *sm) {
    const bool wants = has_reached_end(sm);
    const bool source = sm->sources.n && serve_sources(sm, wants);
    if (!sm->ldst->pipe.first) return;
    if (wants && (source || !hand_over_request(sm))) return;
    sm->ldst->pipe_time++;
    if (sm->loads.n) ask_all(sm);
}

// ---- completions ----

void ldst_completions(Sm *sm) {
    uint32_t token;
    while (!writeback_full(sm) && mem_done(sm->mem, sm->port, &token)) {
        sm_progress(sm);
        if (sm->sources.n && sources_done(sm, token)) continue;
        Flight *f = ldst_flight(sm, token);
        if (--f->access.left) continue;
        panic_if(f->access.unperformed, "an atomic of warp %d is not performed", f->warp);
        f->early = sm->path->early;  // mem_look_ahead
        if (f->access.no_result) end_without_result(sm, f);
        else if (f->inst->nwrites || f->inst->pred_writes) result_put(sm, f);
        else flight_end(sm, f);
    }
}

// The memory system performs lanes of an atomic at L2, in its order.
void ldst_perform(void *ctx, int port, uint32_t token, uint32_t lanes) {
    Gpu *g = ctx;
    Sm *sm = &g->sms[port];
    if (sm->sources.n && sources_perform(sm, token)) {
        sm_progress(sm);
        if (sm->quantum) quantum_performed(sm);
        return;
    }
    Flight *f = ldst_flight(sm, token);
    lanes &= f->access.unperformed;
    for (uint32_t left = lanes; left; left &= left - 1) {
        int l = __builtin_ctz(left);
        uint8_t *p = device_at(sm->memory, f->access.addr[l], f->inst->isa->mem_bytes);
        panic_if(!p, "atomic on memory that does not exist");
        ldst_atomic_lane(f, l, true, p);
    }
    notify_performed(sm, (LanesEvent){f, lanes});
    f->access.unperformed &= ~lanes;
    sm_progress(sm);
    if (sm->quantum) quantum_performed(sm);
    if (!f->access.unperformed) order_atomic_performed(sm, f);
}
