// SPDX-License-Identifier: Apache-2.0
// The pipeline of an SM as text: a row for each instruction in flight, a column for each cycle.
#ifndef SMCOSIM_REPORT_PIPE_VIEW_H
#define SMCOSIM_REPORT_PIPE_VIEW_H

#include "sm/sm.h"

typedef struct PipeView PipeView;

// range: "FROM-TO", at most PIPE_VIEW_CYCLES cycles. NULL: EXIT_USAGE.
enum { PIPE_VIEW_CYCLES = 200 };
PipeView *pipe_view_open(Arena *arena, const char *range, Diag *d);
void pipe_view_step(PipeView *p, uint64_t cycle, const SmStep *s);
// Prints the rows of instructions in flight in the range, in the order of their issue. cycle: the
// end of the run.
void pipe_view_print(FILE *out, PipeView *p, uint64_t cycle);

#endif
