// SPDX-License-Identifier: Apache-2.0
// Instructions in flight in the Perfetto trace: a slice each for collector, unit and write port,
// joined by arrows.
#ifndef SMCOSIM_SESSION_TRACE_INSTS_H
#define SMCOSIM_SESSION_TRACE_INSTS_H

#include "report/trace_file.h"
#include "sm/sm.h"

typedef struct TraceInsts TraceInsts;

TraceInsts *trace_insts_open(Arena *arena, Trace *trace);
// A scheduler issues the instruction at pc. Its first step follows in the same cycle.
void trace_insts_issued(TraceInsts *h, uint64_t cycle, int scheduler, int warp, int pc);
void trace_insts_step(TraceInsts *h, uint64_t cycle, const SmStep *s);
// Ends the slices of instructions that are still in flight.
void trace_insts_close(TraceInsts *h, uint64_t cycle);

#endif
