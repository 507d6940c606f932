// SPDX-License-Identifier: Apache-2.0
// Counts by instruction (line_counts.h). A row has the index of its instruction in the program. An
// additional row counts for assist warps, scalar threads and empty slots.
#include "sm/listeners/listeners.h"

#include "sm/line_counts.h"
#include "sm/state.h"

struct LineListener {
    LineCounts *rows;
    int nrows;
    uint64_t cycle_zero;               // CTR_CYCLES in cycle 0
    LineCounts *issued[SM_MAX_SCHED];  // row of the instruction that the scheduler issued last
    uint64_t issued_at[SM_MAX_SCHED];
    uint64_t since[SM_MAX_WARPS];  // the cycle up to which a warp's time has its rows
    uint64_t begun[SM_FLIGHTS];    // cycle in which an instruction in flight was issued
};

#define SUM(field, ...) \
    { \
#field, offsetof(LineCounts, field), \
            sizeof((CounterId[]){__VA_ARGS__}) / sizeof(CounterId), { \
            __VA_ARGS__ \
        } \
    }
const LineSum line_sums[] = {
    SUM(issued, CTR_WARP_INSTS),
    SUM(lanes, CTR_THREAD_INSTS),
    SUM(waited, CTR_WARPS_RESIDENT),
    SUM(flight_alu, CTR_FLIGHT_ALU),
    SUM(flight_mem, CTR_FLIGHT_MEM),
    SUM(uops, CTR_UOPS),
    SUM(operands, CTR_OPERANDS_1B, CTR_OPERANDS_2B, CTR_OPERANDS_3B, CTR_OPERANDS_4B),
    SUM(forwarded, CTR_BOW_FORWARDS, CTR_RFC_READS),
    SUM(read_conflicts, CTR_RF_READ_CONFLICTS),
    SUM(write_conflicts, CTR_RF_WRITE_CONFLICTS),
    SUM(lines, CTR_TRANSACTIONS),
    SUM(shared_conflicts, CTR_SHARED_CONFLICTS),
    SUM(served, CTR_LARF_SERVED),
};
#undef SUM
const int line_nsums = sizeof line_sums / sizeof *line_sums;

static LineCounts *other_row(const LineListener *l) { return &l->rows[l->nrows - 1]; }

static LineCounts *row_of_inst(const Sm *sm, const LineListener *l, const SmInst *in) {
    const ptrdiff_t pc = in - sm->program.insts;
    return pc >= 0 && pc < l->nrows - 1 ? &l->rows[pc] : other_row(l);
}

// flight NULL: of no instruction.
static LineCounts *row_of_flight(const Sm *sm, const LineListener *l, const Flight *f) {
    return f ? row_of_inst(sm, l, f->inst) : other_row(l);
}

static LineCounts *row_of_warp(const Sm *sm, const LineListener *l, int warp) {
    if (warp == SM_NONE || sm->warps[warp].own.pc >= (uint32_t)l->nrows - 1) return other_row(l);
    return &l->rows[sm->warps[warp].own.pc];
}

// The first cycle that no counter has. A listener of cycle_end may end an instruction or a warp
// when the cycle is counted.
static uint64_t next_cycle(const Sm *sm, const LineListener *l) {
    return sm->count->v[CTR_CYCLES] - l->cycle_zero;
}

static void on_kernel_begin(Sm *sm, void *self, const KernelEvent *e) {
    LineListener *l = self;
    (void)e;
    l->nrows = sm->program.ninsts + 1;
    l->cycle_zero = sm->count->v[CTR_CYCLES] - sm->cycle;
    l->rows = ARENA_ARRAY(&sm->kernel_arena, LineCounts, l->nrows);
    for (int i = 0; i < SM_MAX_SCHED; i++)
        l->issued[i] = other_row(l), l->issued_at[i] = UINT64_MAX;
}

// ---- issue ----

static void on_issued(Sm *sm, void *self, const IssueEvent *e) {
    LineListener *l = self;
    LineCounts *row = row_of_inst(sm, l, e->inst);
    l->issued[e->scheduler] = row;
    l->issued_at[e->scheduler] = sm->cycle;
    if (!inst_stream_is_own(sm, e->warp, e->stream)) return;
    row->waited += sm->cycle + 1 - l->since[e->warp];
    l->since[e->warp] = sm->cycle + 1;
    if (e->inst->at_issue && e->inst->isa->op == ISA_HINT) return;
    row->issued++;
    row->lanes += (unsigned)__builtin_popcount(e->mask);
    row->guarded += (unsigned)__builtin_popcount(e->active);
}

// A cycle with issue belongs to the issued instruction. So does one in which the rest of that
// instruction waits. Any other belongs to the next instruction of the warp that waits.
static void on_class(Sm *sm, void *self, const ClassEvent *e) {
    LineListener *l = self;
    const int s = e->scheduler;
    const bool of_last =
        e->what == CTR_ISSUED || l->issued_at[s] == sm->cycle || sm->sched[s].second != SM_NONE;
    LineCounts *row = of_last ? l->issued[s] : row_of_warp(sm, l, e->warp);
    row->classes[e->what - CTR_ISSUED]++;
}

static void on_warp_begin(Sm *sm, void *self, const WarpEvent *e) {
    ((LineListener *)self)->since[e->warp] = sm->cycle;
}

// Its results and stores were still in flight.
static void on_warp_end(Sm *sm, void *self, const WarpEvent *e) {
    LineListener *l = self;
    other_row(l)->waited += next_cycle(sm, l) - l->since[e->warp];
}

// A slot may be kept until the kernel's end.
static void on_kernel_end(Sm *sm, void *self, const KernelEvent *e) {
    LineListener *l = self;
    (void)e;
    for (WarpSet left = sm->resident; left; left &= left - 1)
        other_row(l)->waited += next_cycle(sm, l) - l->since[lowest(left)];
}

// ---- operands, execution ----

static void on_begun(Sm *sm, void *self, const FlightEvent *e) {
    const ptrdiff_t i = e->flight - sm->flights;
    if (i >= 0 && i < SM_FLIGHTS) ((LineListener *)self)->begun[i] = sm->cycle;
}

static void on_ended(Sm *sm, void *self, const FlightEvent *e) {
    LineListener *l = self;
    const Flight *f = e->flight;
    const ptrdiff_t i = f - sm->flights;
    if (f->inst->at_issue || i < 0 || i >= SM_FLIGHTS) return;
    LineCounts *row = row_of_flight(sm, l, f);
    const uint64_t cycles = next_cycle(sm, l) - l->begun[i];
    if (f->inst->unit == UNIT_LDST) row->flight_mem += cycles;
    else if (f->inst->unit == UNIT_SP || f->inst->unit == UNIT_SFU) row->flight_alu += cycles;
}

static void on_entered(Sm *sm, void *self, const CollectorEvent *e) {
    row_of_flight(sm, self, e->flight)->uops++;
}

static void on_operands(Sm *sm, void *self, const OperandsEvent *e) {
    row_of_flight(sm, self, e->flight)->operands += (unsigned)e->n;
}

static void on_forwarded(Sm *sm, void *self, const OperandsEvent *e) {
    row_of_flight(sm, self, e->flight)->forwarded += (unsigned)e->n;
}

static void on_refused(Sm *sm, void *self, const RefusedEvent *e) {
    LineCounts *row = row_of_flight(sm, self, e->flight);
    if (e->write) row->write_conflicts++;
    else row->read_conflicts++;
}

// ---- memory ----

static void on_requested(Sm *sm, void *self, const RequestEvent *e) {
    LineCounts *row = row_of_flight(sm, self, e->flight);
    row->requests++;
    row->lines += (unsigned)e->lines;
    row->shared_conflicts += (unsigned)e->conflicts;
}

static void on_missed(Sm *sm, void *self, const FlightEvent *e) {
    row_of_flight(sm, self, e->flight)->missed++;
}

static void on_result(Sm *sm, void *self, const FlightEvent *e) {
    const Flight *f = e->flight;
    if (f->inst->isa->op == ISA_LD && f->access.part < f->access.parts)
        row_of_flight(sm, self, f)->served++;
}

static const Listener listener = {
    .kernel_begin = on_kernel_begin,
    .kernel_end = on_kernel_end,
    .issued = on_issued,
    .scheduler_class = on_class,
    .warp_begin = on_warp_begin,
    .warp_end = on_warp_end,
    .begun = on_begun,
    .ended = on_ended,
    .entered = on_entered,
    .operands_read = on_operands,
    .forwarded = on_forwarded,
    .refused = on_refused,
    .requested = on_requested,
    .missed = on_missed,
    .result = on_result,
};

LineListener *lines_listen(Sm *sm, Arena *arena) {
    LineListener *l = ARENA_NEW(arena, LineListener);
    events_subscribe(sm, &listener, l);
    return l;
}

const LineCounts *lines_counted(const LineListener *l, int *n) {
    *n = l->nrows;
    return l->rows;
}
