// SPDX-License-Identifier: Apache-2.0
// A run as a Perfetto / Chrome trace. Its tracks are:
// (1) per warp: state and stall reason
// (2) per scheduler: the issued instruction or the stall class
// (3) per operand collector: the instruction that occupies it
// (4) per bank: read and write
// (5) CTAs
// (6) shared registers that a warp has taken
// (7) per warp: its mode, the content of its P-queue, the number of renamed registers
// (8) execution units, LD/ST, write ports, L1, L2, DRAM
// (9) registers in use, as counters
//
// An instruction is a flow of arrows through its slices.
//
// One cycle is one microsecond of trace time. Events are sorted by time (on disk when they are
// many). Slices of one track do not overlap, so a pipelined unit has several lanes with a track
// each. A file named *.gz is compressed.
#ifndef SMCOSIM_REPORT_TRACE_H
#define SMCOSIM_REPORT_TRACE_H

#include "base/arena.h"
#include "base/diag.h"

typedef enum TraceGroup {
    TRACE_WARPS,
    TRACE_SCHEDULERS,
    TRACE_COLLECTORS,
    TRACE_BANKS,
    TRACE_CTAS,
    TRACE_HELD,
    TRACE_AHEAD,
    TRACE_UNITS,
    TRACE_MEMORY,
    TRACE_WRITES,
    TRACE_GROUPS
} TraceGroup;

typedef struct Trace Trace;

// "FROM-TO": two cycles, both included, the first not above the last. False: another text.
bool trace_range(const char *text, uint64_t *from, uint64_t *to);
// FILE or FILE:FROM-TO. EXIT_USAGE.
bool trace_spec(Arena *arena, const char *option, const char *spec, const char **path,
                uint64_t *from, uint64_t *to, Diag *d);
Trace *trace_open(Arena *arena, const char *spec, Diag *d);

// From `cycle` on, track `track` of the group is in the state `text` (a static or arena string;
// NULL: idle). An unchanged state extends the slice.
void trace_state(Trace *t, uint64_t cycle, TraceGroup group, int track, const char *text);
// A slice of one cycle with a text and a program counter (pc < 0: none) and its PTX line (0: none).
void trace_slice(Trace *t, uint64_t cycle, TraceGroup group, int track, const char *text, int pc,
                 int warp, int line);
// As trace_state, with warp and pc as arguments of the slice.
void trace_begin(Trace *t, uint64_t cycle, TraceGroup group, int track, const char *text, int pc,
                 int warp);

// A slice with a given end; times are in 1/1000 cycles. It occupies the first lane of the track
// that is free at its start. `name`: name of the track. `args`: members of a JSON object, or NULL.
// Returns its position, {.lane = -1} if it is outside the range.
enum { TRACE_LANES = 4096 };
typedef struct TracePlace {
    TraceGroup group;
    int lane;       // lane among all lanes of the group
    uint64_t at_m;  // time at which an arrow may begin or end
} TracePlace;
TracePlace trace_span(Trace *t, uint64_t from_m, uint64_t to_m, TraceGroup group, int track,
                      const char *name, const char *text, const char *args);
// The position of a slice made by trace_begin or trace_slice that covers this cycle.
TracePlace trace_place(const Trace *t, uint64_t cycle, TraceGroup group, int track);
// Draws arrows between positions in the order of time. Positions outside the range are omitted. A
// single position draws no arrow.
void trace_flow(Trace *t, TracePlace *places, int n);

// A counter track: `value` from `cycle` on. `name`: a static string; up to 4 of them.
void trace_counter(Trace *t, uint64_t cycle, const char *name, uint64_t value);

// Ends all slices at `cycle`, writes the file. It appears only when complete.
bool trace_close(Trace *t, uint64_t cycle, Diag *d);

#endif
