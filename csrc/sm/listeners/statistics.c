// SPDX-License-Identifier: Apache-2.0
#include "sm/listeners/statistics.h"

#include "sm/state.h"

// Bits of a value that its sign extension does not produce.
static uint32_t significant_bits(uint32_t v) { return v ^ (uint32_t)((int32_t)v >> 31); }

// Number of bytes from which sign extension restores all 32 lane values (1..4). `lanes`: the lanes
// that count.
static int value_bytes(const uint32_t value[ISA_LANES], uint32_t lanes) {
    uint32_t any = 0;
    if (lanes == ~0u)
        for (int l = 0; l < ISA_LANES; l++) any |= significant_bits(value[l]);
    else
        for (int l = 0; l < ISA_LANES; l++)
            any |= significant_bits(value[l]) & (uint32_t) - (int32_t)(lanes >> l & 1);
    return (33 - __builtin_clz(any | 1) + 7) / 8;  // one bit more, for the sign
}

void statistics_issued(Sm *sm, const IssueEvent *e) {
    uint64_t *v = sm->count->v;
    if (!inst_stream_is_own(sm, e->warp, e->stream)) return;
    if (e->inst->at_issue || !e->active) v[CTR_EXEC_CTRL]++;
    if (e->inst->at_issue && e->inst->isa->op == ISA_HINT) {
        v[CTR_HINT_INSTS]++;
        return;
    }
    v[CTR_WARP_INSTS]++;
    const unsigned lanes = (unsigned)__builtin_popcount(e->mask);
    v[CTR_THREAD_INSTS] += lanes;
    if (e->inst->scalar) return;
    if (lanes) v[CTR_LANES_8 + (lanes - 1) / 8]++;
    if (!e->inst->at_issue && (e->inst->unit == ISA_UNIT_SP || e->inst->unit == ISA_UNIT_SFU))
        v[CTR_ALU_LANES] += lanes;
}

void statistics_scheduler_class(Sm *sm, const ClassEvent *e) { sm->count->v[e->what]++; }

void statistics_branched(Sm *sm, const BranchEvent *e) {
    uint64_t *v = sm->count->v;
    v[CTR_BRANCHES]++;
    v[CTR_DIVERGENT] += e->paths > 1;
}

void statistics_cta_end(Sm *sm, const CtaEvent *e) {
    (void)e;
    sm->count->v[CTR_CTAS]++;
}

void statistics_kernel_begin(Sm *sm, const KernelEvent *e) {
    Statistics *s = &sm->statistics;
    (void)e;
    s->alu = s->mem = s->flying_alu = s->flying_mem = 0;
}

static bool is_alu(const Flight *f) {
    return f->inst->unit == UNIT_SP || f->inst->unit == UNIT_SFU;
}

// A micro-operation enters or leaves a collector.
static void count_collecting(Statistics *s, const Flight *f, int one) {
    s->alu += is_alu(f) ? one : 0;
    s->mem += f->inst->unit == UNIT_LDST ? one : 0;
}

// An instruction that passes a collector begins, or ends.
static void count_flying(Statistics *s, const Flight *f, int one) {
    if (f->inst->at_issue) return;
    s->flying_alu += is_alu(f) ? one : 0;
    s->flying_mem += f->inst->unit == UNIT_LDST ? one : 0;
}

void statistics_begun(Sm *sm, const FlightEvent *e) { count_flying(&sm->statistics, e->flight, 1); }

void statistics_ended(Sm *sm, const FlightEvent *e) {
    count_flying(&sm->statistics, e->flight, -1);
}

void statistics_entered(Sm *sm, const CollectorEvent *e) {
    Statistics *s = &sm->statistics;
    sm->count->v[CTR_UOPS]++;
    count_collecting(s, e->flight, 1);
}

void statistics_operands_read(Sm *sm, const OperandsEvent *e) {
    Statistics *s = &sm->statistics;
    uint64_t *v = sm->count->v;
    int narrow = 8, narrower = 8;  // the two smallest sizes
    count_collecting(s, e->flight, -1);
    for (int o = e->first; o < e->first + e->n; o++) {
        int size = value_bytes(e->flight->ops[o], ~0u);
        v[CTR_OPERANDS_1B + size - 1]++;
        // no branches, because the order of the sizes is unpredictable
        const int more = size > narrower ? size : narrower;
        narrower = size < narrower ? size : narrower;
        narrow = more < narrow ? more : narrow;
    }
    if (e->n < 2) return;
    v[CTR_MULTI_OPERAND]++;
    v[CTR_MULTI_REGISTERS] += (unsigned)e->n;
    v[CTR_MULTI_FIT] += narrow + narrower <= 4;
}

void statistics_executed(Sm *sm, const FlightEvent *e) {
    uint64_t *v = sm->count->v;
    const SmInst *in = e->flight->inst;
    v[CTR_FLOAT_INSTS] += in->is_float;
    v[in->is_control ? CTR_EXEC_CTRL : sm->units[in->unit].row->done]++;
}

void statistics_result(Sm *sm, const FlightEvent *e) {
    if (e->flight->early) sm->count->v[CTR_EARLY_RESULTS] += e->flight->inst->nwrites;
}

void statistics_offered(Sm *sm, const WordEvent *e) {
    const Flight *f = e->flight;
    sm->count
        ->v[CTR_RESULTS_1B + value_bytes(f->out.dst[f->inst->dst_word[e->word]], f->active) - 1]++;
}

void statistics_cycle_end(Sm *sm, const CycleEvent *e) {
    const Statistics *s = &sm->statistics;
    uint64_t *v = sm->count->v;
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
