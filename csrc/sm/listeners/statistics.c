// SPDX-License-Identifier: Apache-2.0
// Counters that count events. What only a stage knows (a refusal, a wait) it counts itself.
#include "sm/listeners/listeners.h"

#include "sm/state.h"

typedef struct Statistics {
    uint64_t *v;                    // the counters
    int alu, mem;                   // micro-operations in collectors: of SP and SFU, of LD/ST
    int flying_alu, flying_mem;     // instructions in flight, likewise
} Statistics;

// Bits of a value that its sign extension does not bring.
static uint32_t significant(uint32_t v) { return v ^ (uint32_t)((int32_t)v >> 31); }

// Bytes that hold all 32 lane values, each the sign extension of its low bytes (1..4). `lanes`: which count.
static int width(const uint32_t value[ISA_LANES], uint32_t lanes) {
    uint32_t any = 0;
    if (lanes == ~0u)
        for (int l = 0; l < ISA_LANES; l++) any |= significant(value[l]);
    else
        for (int l = 0; l < ISA_LANES; l++) any |= significant(value[l]) & (uint32_t)-(int32_t)(lanes >> l & 1);
    return (33 - __builtin_clz(any | 1) + 7) / 8;  // one bit more, for the sign
}

static void on_issued(Sm *sm, void *self, const IssueEvent *e) {
    uint64_t *v = ((Statistics *)self)->v;
    if (!stream_is_own(sm, e->warp, e->stream)) return;
    if (e->inst->at_issue || !e->active) v[CTR_EXEC_CTRL]++;
    if (e->inst->isa->op == ISA_HINT) {
        v[CTR_HINT_INSTS]++;
        return;
    }
    v[CTR_WARP_INSTS]++;
    const unsigned lanes = (unsigned)__builtin_popcount(e->mask);
    v[CTR_THREAD_INSTS] += lanes;
    if (e->inst->scalar) return;
    if (lanes) v[CTR_LANES_8 + (lanes - 1) / 8]++;
    if (!e->inst->at_issue && (e->inst->unit == ISA_UNIT_SP || e->inst->unit == ISA_UNIT_SFU)) v[CTR_ALU_LANES] += lanes;
}

static void on_class(Sm *sm, void *self, const ClassEvent *e) {
    (void)sm;
    ((Statistics *)self)->v[e->what]++;
}

static void on_branched(Sm *sm, void *self, const BranchEvent *e) {
    uint64_t *v = ((Statistics *)self)->v;
    (void)sm;
    v[CTR_BRANCHES]++;
    v[CTR_DIVERGENT] += e->paths > 1;
}

static void on_cta_end(Sm *sm, void *self, const CtaEvent *e) {
    (void)sm;
    (void)e;
    ((Statistics *)self)->v[CTR_CTAS]++;
}

static void on_kernel_begin(Sm *sm, void *self, const KernelEvent *e) {
    Statistics *s = self;
    (void)sm;
    (void)e;
    s->alu = s->mem = s->flying_alu = s->flying_mem = 0;
}

static bool is_alu(const Flight *f) { return f->inst->unit == UNIT_SP || f->inst->unit == UNIT_SFU; }

// A micro-operation enters a collector, or leaves it.
static void collect(Statistics *s, const Flight *f, int one) {
    s->alu += is_alu(f) ? one : 0;
    s->mem += f->inst->unit == UNIT_LDST ? one : 0;
}

// An instruction that passes a collector begins, or ends.
static void fly(Statistics *s, const Flight *f, int one) {
    if (f->inst->at_issue) return;
    s->flying_alu += is_alu(f) ? one : 0;
    s->flying_mem += f->inst->unit == UNIT_LDST ? one : 0;
}

static void on_begun(Sm *sm, void *self, const FlightEvent *e) {
    (void)sm;
    fly(self, e->flight, 1);
}

static void on_ended(Sm *sm, void *self, const FlightEvent *e) {
    (void)sm;
    fly(self, e->flight, -1);
}

static void on_entered(Sm *sm, void *self, const CollectorEvent *e) {
    Statistics *s = self;
    (void)sm;
    s->v[CTR_UOPS]++;
    collect(s, e->flight, 1);
}

static void on_operands_read(Sm *sm, void *self, const OperandsEvent *e) {
    Statistics *s = self;
    uint64_t *v = s->v;
    int narrow = 8, narrower = 8;  // the two smallest sizes
    (void)sm;
    collect(s, e->flight, -1);
    for (int o = e->first; o < e->first + e->n; o++) {
        int size = width(e->flight->ops[o], ~0u);
        v[CTR_OPERANDS_1B + size - 1]++;
        if (size < narrower) narrow = narrower, narrower = size;
        else if (size < narrow) narrow = size;
    }
    if (e->n < 2) return;
    v[CTR_MULTI_OPERAND]++;
    v[CTR_MULTI_REGISTERS] += (unsigned)e->n;
    v[CTR_MULTI_FIT] += narrow + narrower <= 4;
}

static void on_executed(Sm *sm, void *self, const FlightEvent *e) {
    uint64_t *v = ((Statistics *)self)->v;
    const SmInst *in = e->flight->inst;
    v[CTR_FLOAT_INSTS] += in->is_float;
    v[in->is_control ? CTR_EXEC_CTRL : sm->units[in->unit].row->done]++;
}

static void on_result(Sm *sm, void *self, const FlightEvent *e) {
    (void)sm;
    if (e->flight->early) ((Statistics *)self)->v[CTR_EARLY_RESULTS] += e->flight->inst->nwrites;
}

static void on_offered(Sm *sm, void *self, const WordEvent *e) {
    const Flight *f = e->flight;
    (void)sm;
    ((Statistics *)self)->v[CTR_RESULTS_1B + width(f->out.dst[f->inst->dst_word[e->word]], f->active) - 1]++;
}

static void on_cycle_end(Sm *sm, void *self, const CycleEvent *e) {
    const Statistics *s = self;
    uint64_t *v = s->v;
    (void)e;
    v[CTR_CYCLES]++;
    v[CTR_COLLECT_ALU] += (unsigned)s->alu;
    v[CTR_COLLECT_MEM] += (unsigned)s->mem;
    v[CTR_FLIGHT_ALU] += (unsigned)s->flying_alu;
    v[CTR_FLIGHT_MEM] += (unsigned)s->flying_mem;
    v[CTR_WARPS_RESIDENT] += (unsigned)sm->nwarps_resident;
    v[CTR_PHYS_USED] += sm->path->used ? sm->path->used(sm, sm->path_self) : 0;
    v[CTR_ARCH_USED] += (unsigned)(sm->nwarps_resident * sm->launch->program->home_regs);
}

static const Listener listener = {
    .kernel_begin = on_kernel_begin, .issued = on_issued, .scheduler_class = on_class, .branched = on_branched, .cta_end = on_cta_end,
    .begun = on_begun, .ended = on_ended, .entered = on_entered, .operands_read = on_operands_read, .executed = on_executed, .result = on_result,
    .offered = on_offered, .cycle_end = on_cycle_end,
};

void statistics_listen(Sm *sm, Arena *arena) {
    Statistics *s = ARENA_NEW(arena, Statistics);
    s->v = sm->count->v;
    events_subscribe(sm, &listener, s);
}
