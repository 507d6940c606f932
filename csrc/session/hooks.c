// SPDX-License-Identifier: Apache-2.0
#include "session/hooks.h"

#include "report/kanata.h"
#include "report/pipe_view.h"
#include "report/trace_file.h"
#include "session/trace_insts.h"

#include <stdio.h>
#include <string.h>

enum { PMODE_SHOWN_RESULTS = 32, PMODE_SHOWN_REGISTERS = 126 };  // of a warp, at most

struct TraceHooks {
    Trace *trace;
    Kanata *kanata;  // NULL: the trace is for Perfetto, or a text
    PipeView *pipe;
    const IsaProgram *program;
    SmHooks hooks;
    int first, last;  // registers that are shared, the same for all warps of a kernel
    char range[24];   // .. as text
    TraceInsts *insts;
    Arena *arena;
    // texts of P-mode, each made when first shown
    const char *ahead[2][PMODE_SHOWN_RESULTS + 1][PMODE_SHOWN_REGISTERS + 1];
};

static const char *mnemonic_of(const TraceHooks *h, int pc) {
    if (!h->program || pc < 0 || pc >= h->program->ninsts) return "?";
    return isa_op_info[h->program->insts[pc].op].name;
}

static void cta_launched(void *ctx, uint64_t cycle, int slot, const uint32_t ctaid[3]) {
    TraceHooks *h = ctx;
    (void)ctaid;
    trace_begin(h->trace, cycle, TRACE_CTAS, slot, h->program ? h->program->name : "CTA", -1, -1);
}

static void cta_ended(void *ctx, uint64_t cycle, int slot) {
    trace_begin(((TraceHooks *)ctx)->trace, cycle, TRACE_CTAS, slot, NULL, -1, -1);
}

static void warp_ended(void *ctx, uint64_t cycle, int warp) {
    trace_state(((TraceHooks *)ctx)->trace, cycle, TRACE_WARPS, warp, NULL);
}

static void warp_state(void *ctx, uint64_t cycle, int warp, SmWarpState state) {
    const char *text = state == SM_WARP_NONE ? NULL : sm_warp_state_name[state];
    trace_state(((TraceHooks *)ctx)->trace, cycle, TRACE_WARPS, warp, text);
}

static void issued(void *ctx, uint64_t cycle, int scheduler, int warp, int pc) {
    TraceHooks *h = ctx;
    const bool known = h->program && pc >= 0 && pc < h->program->ninsts;
    trace_slice(h->trace, cycle, TRACE_SCHEDULERS, scheduler, mnemonic_of(h, pc), pc, warp,
                known ? h->program->insts[pc].ptx_line : 0);
    trace_insts_issued(h->insts, cycle, scheduler, warp, pc);
}

// Issued cycles have their own slices; the classes between them are stalls.
static void scheduler_class(void *ctx, uint64_t cycle, int scheduler, CounterId what) {
    trace_state(((TraceHooks *)ctx)->trace, cycle, TRACE_SCHEDULERS, scheduler,
                what == CTR_ISSUED ? NULL : counter_info[what].name);
}

static void memory(void *ctx, uint64_t from_m, uint64_t to_m, const MemWork *w) {
    static const char *const kinds[] = {[MEM_LOAD] = "load",
                                        [MEM_STORE] = "store",
                                        [MEM_ATOMIC] = "atomic",
                                        [MEM_RED] = "reduction",
                                        [MEM_PREFETCH] = "prefetch"};
    static const char *const parts[MEM_PARTS] = {"L1", "L1 misses", "L2 bank", "DRAM channel"};
    enum { NUMBERS = 40 };  // tracks of a part
    char args[80], name[40];
    const bool numbered = w->part == MEM_PART_L2 || w->part == MEM_PART_DRAM;
    const int number = w->number % NUMBERS;
    snprintf(name, sizeof name, numbered ? "%s %d" : "%s", parts[w->part], number);
    if (w->warp >= 0)
        snprintf(args, sizeof args, "\"line\":\"0x%x\",\"warp\":%d", w->line, w->warp);
    else snprintf(args, sizeof args, "\"line\":\"0x%x\"", w->line);
    trace_span(((TraceHooks *)ctx)->trace, from_m, to_m, TRACE_MEMORY,
               numbered ? 2 + (w->part == MEM_PART_DRAM) * NUMBERS + number : (int)w->part, name,
               kinds[w->kind], args);
}

static void bank_access(void *ctx, uint64_t cycle, int bank, bool write) {
    trace_slice(((TraceHooks *)ctx)->trace, cycle, TRACE_BANKS, bank, write ? "write" : "read", -1,
                -1, 0);
}

static void registers_held(void *ctx, uint64_t cycle, int warp, int n, int first, int last) {
    TraceHooks *h = ctx;
    if (n && (h->first != first || h->last != last)) {
        snprintf(h->range, sizeof h->range, "R%d..R%d", first, last);
        h->first = first, h->last = last;
    }
    trace_begin(h->trace, cycle, TRACE_HELD, warp, n ? h->range : NULL, -1, -1);
}

static int at_most(int n, int most) { return n < most ? n : most; }

static void ahead(void *ctx, uint64_t cycle, int warp, bool is, int results, int renamed) {
    TraceHooks *h = ctx;
    const int q = at_most(results, PMODE_SHOWN_RESULTS),
              r = at_most(renamed, PMODE_SHOWN_REGISTERS);
    const char **text = &h->ahead[is][q][r];
    if (!*text)
        *text = arena_printf(h->arena, "%s, %d in the queue, %d renamed", is ? "P-mode" : "N-mode",
                             q, r);
    trace_state(h->trace, cycle, TRACE_AHEAD, warp, is || q || r ? *text : NULL);
}

static void registers(void *ctx, uint64_t cycle, unsigned architected, unsigned physical) {
    Trace *t = ((TraceHooks *)ctx)->trace;
    trace_counter(t, cycle, "architected registers of resident warps", architected);
    trace_counter(t, cycle, "physical registers in use", physical);
}

static void step(void *ctx, uint64_t cycle, const SmStep *s) {
    trace_insts_step(((TraceHooks *)ctx)->insts, cycle, s);
}

static void step_kanata(void *ctx, uint64_t cycle, const SmStep *s) {
    kanata_step(((TraceHooks *)ctx)->kanata, cycle, s);
}

static TraceHooks *open_kanata(TraceHooks *h, const char *spec, Diag *d) {
    h->kanata = kanata_open(h->arena, spec, d);
    h->hooks = (SmHooks){.ctx = h, .step = step_kanata};
    return h->kanata ? h : NULL;
}

static void step_pipe(void *ctx, uint64_t cycle, const SmStep *s) {
    pipe_view_step(((TraceHooks *)ctx)->pipe, cycle, s);
}

static TraceHooks *open_pipe(TraceHooks *h, const char *range, Diag *d) {
    h->pipe = pipe_view_open(h->arena, range, d);
    h->hooks = (SmHooks){.ctx = h, .step = step_pipe};
    return h->pipe ? h : NULL;
}

TraceHooks *hooks_open(Arena *arena, const char *trace, const char *pipe, Diag *d) {
    TraceHooks *h = ARENA_NEW(arena, TraceHooks);
    h->arena = arena;
    if (pipe) return open_pipe(h, pipe, d);
    if (kanata_asked(trace)) return open_kanata(h, trace, d);
    h->trace = trace_open(arena, trace, d);
    if (!h->trace) return NULL;
    h->insts = trace_insts_open(arena, h->trace);
    h->hooks = (SmHooks){.ctx = h,
                         .cta_launched = cta_launched,
                         .cta_ended = cta_ended,
                         .warp_ended = warp_ended,
                         .issued = issued,
                         .warp_state = warp_state,
                         .scheduler_class = scheduler_class,
                         .step = step,
                         .memory = memory,
                         .bank_access = bank_access,
                         .registers = registers,
                         .registers_held = registers_held,
                         .ahead = ahead};
    return h;
}

const SmHooks *hooks_of(TraceHooks *h) { return &h->hooks; }

void hooks_program(TraceHooks *h, const IsaProgram *program) { h->program = program; }

bool hooks_close(TraceHooks *h, uint64_t cycle, Diag *d) {
    if (h->kanata) return kanata_close(h->kanata, d);
    if (h->pipe) {
        pipe_view_print(stdout, h->pipe, cycle);
        return true;
    }
    trace_insts_close(h->insts, cycle);
    return trace_close(h->trace, cycle, d);
}
