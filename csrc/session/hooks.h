// SPDX-License-Identifier: Apache-2.0
// Passes SM events to a trace: for Perfetto, or for Konata if the file's name ends in .kanata.
#ifndef SMCOSIM_SESSION_HOOKS_H
#define SMCOSIM_SESSION_HOOKS_H

#include "sm/sm.h"

typedef struct TraceHooks TraceHooks;

// trace: as trace_open. pipe: as pipe_view_open, printed when the hooks are closed; NULL: a trace.
TraceHooks *hooks_open(Arena *arena, const char *trace, const char *pipe, Diag *d);
const SmHooks *hooks_of(TraceHooks *h);
// program of the following events
void hooks_program(TraceHooks *h, const IsaProgram *program);
bool hooks_close(TraceHooks *h, uint64_t cycle, Diag *d);

#endif
