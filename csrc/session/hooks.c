// SPDX-License-Identifier: Apache-2.0
#include "session/hooks.h"

#include "report/kanata.h"
#include "report/trace_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SLOTS = 128 };
enum { PMODE_SHOWN_RESULTS = 32, PMODE_SHOWN_REGISTERS = 126 };  // of a warp, at most

// An instruction in flight, and where the trace shows it.
enum { PLACES = 40, TEXT = 3400 };
typedef struct Live {
    const IsaInst *inst;  // NULL: the record is unused
    int warp, pc, port, nplaces;
    uint32_t lanes;    // that execute it
    const char *unit;  // that executes it; NULL: none yet, or no more
    uint64_t since, written_since[4];
    int nwriting;
    int used;
    char operands[TEXT], word[4][TEXT / 4];  // as members of a JSON object
    TracePlace places[PLACES];
} Live;

struct TraceHooks {
    Trace *trace;
    Kanata *kanata;  // NULL: the trace is for Perfetto
    const IsaProgram *program;
    SmHooks hooks;
    int first, last;  // registers that are shared, the same for all warps of a kernel
    char range[24];   // .. as text
    Live *live;       // SM_STEP_RECORDS
    struct {
        uint64_t since;
        int record;
        bool used;
    } slots[SLOTS];
    struct {
        uint64_t cycle;
        int scheduler, warp, pc;
    } issued;      // last
    Arena *arena;  // of the texts of P-mode, made when first shown
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
    h->issued.cycle = cycle, h->issued.scheduler = scheduler, h->issued.warp = warp,
    h->issued.pc = pc;
}

// Issued cycles have their own slices; the classes between them are stalls.
static void scheduler_class(void *ctx, uint64_t cycle, int scheduler, CounterId what) {
    trace_state(((TraceHooks *)ctx)->trace, cycle, TRACE_SCHEDULERS, scheduler,
                what == CTR_ISSUED ? NULL : counter_info[what].name);
}

// ---- the life of an instruction -----------------------------------------------------------------

__attribute__((format(printf, 4, 5))) static void append_text(char *text, int *used, int size,
                                                              const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    const int n = vsnprintf(text + *used, (size_t)(size - *used), format, ap);
    va_end(ap);
    *used = *used + n < size ? *used + n : size - 1;
}

// A register's value in the lanes that execute: one number, "a + s*lane", or a number for each of
// these lanes.
static void append_value(char *text, int *used, int size, int reg, const uint32_t value[ISA_LANES],
                         uint32_t lanes) {
    const int first = lanes ? __builtin_ctz(lanes) : 0,
              second = lanes & (lanes - 1) ? __builtin_ctz(lanes & (lanes - 1)) : first;
    const uint32_t step =
        second > first ? (value[second] - value[first]) / (uint32_t)(second - first) : 0;
    bool line = true;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const int l = __builtin_ctz(left);
        line &= value[l] == value[first] + (uint32_t)(l - first) * step;
    }
    append_text(text, used, size, ",\"R%d\":\"", reg);
    if (line && step == 1)
        append_text(text, used, size, "0x%x + lane", value[first] - (uint32_t)first);
    else if (line && step)
        append_text(text, used, size, "0x%x + %d*lane", value[first] - (uint32_t)first * step,
                    (int)step);
    else if (line) append_text(text, used, size, "0x%x", value[first]);
    for (uint32_t left = line ? 0 : lanes; left; left &= left - 1)
        append_text(text, used, size, "%s0x%x", left == lanes ? "" : " ",
                    value[__builtin_ctz(left)]);
    append_text(text, used, size, "\"");
}

// A slice of the instruction, and a place for its arrows.
static void add_span(TraceHooks *h, Live *v, uint64_t from, uint64_t to, TraceGroup group,
                     int track, const char *name, const char *more) {
    char text[160], line[32] = "", lanes[32] = "", args[TEXT + 300];
    if (v->inst->ptx_line) snprintf(line, sizeof line, "\"PTX line\":%d,", v->inst->ptx_line);
    if (v->lanes != UINT32_MAX) snprintf(lanes, sizeof lanes, ",\"lanes\":\"%08x\"", v->lanes);
    isa_print_inst(text, sizeof text, v->inst);
    text[strcspn(text, "/")] = '\0';  // without its comment
    for (size_t n = strlen(text); n && text[n - 1] == ' '; n--) text[n - 1] = '\0';
    snprintf(args, sizeof args, "\"warp\":%d,\"pc\":%d,%s\"instruction\":\"%s\"%s%s", v->warp,
             v->pc, line, text, lanes, more);
    const TracePlace place = trace_span(h->trace, from * 1000, to * 1000, group, track, name,
                                        isa_op_info[v->inst->op].name, args);
    if (v->nplaces < PLACES) v->places[v->nplaces++] = place;
}

static void leave_collector(TraceHooks *h, Live *v, uint64_t cycle, int slot) {
    char name[24];
    snprintf(name, sizeof name, "collector %d", slot);
    add_span(h, v, h->slots[slot].since, cycle, TRACE_COLLECTORS, slot, name, "");
    h->slots[slot].used = false;
}

// With a cycle for what takes none.
static void leave_unit(TraceHooks *h, Live *v, uint64_t cycle) {
    char name[40];
    snprintf(name, sizeof name, "%s, port %d", v->unit, v->port);
    add_span(h, v, v->since, cycle > v->since ? cycle : v->since + 1, TRACE_UNITS, v->port, name,
             v->operands);
    v->unit = NULL;
}

static void leave_write_port(TraceHooks *h, Live *v, uint64_t cycle, int port) {
    char name[24];
    snprintf(name, sizeof name, "port %d", port);
    if (!v->nwriting) return;
    add_span(h, v, v->written_since[0], cycle + 1, TRACE_WRITES, port, name, v->word[0]);
    v->nwriting--;
    memmove(v->written_since, v->written_since + 1,
            sizeof v->written_since - sizeof *v->written_since);
    memmove(v->word, v->word + 1, sizeof v->word - sizeof *v->word);
}

static void begin_live(TraceHooks *h, Live *v, uint64_t cycle, const SmStep *s) {
    v->inst = s->inst, v->warp = s->warp, v->pc = s->pc, v->lanes = s->lanes;
    v->nplaces = v->used = v->nwriting = 0;
    v->operands[0] = '\0';
    v->unit = NULL;
    if (h->issued.cycle == cycle && h->issued.warp == s->warp && h->issued.pc == s->pc)
        v->places[v->nplaces++] =
            trace_place(h->trace, cycle, TRACE_SCHEDULERS, h->issued.scheduler);
}

static void end_live(TraceHooks *h, Live *v, uint64_t cycle) {
    if (v->unit) leave_unit(h, v, cycle);
    trace_flow(h->trace, v->places, v->nplaces);
    v->inst = NULL;
}

static void step(void *ctx, uint64_t cycle, const SmStep *s) {
    TraceHooks *h = ctx;
    Live *v = &h->live[s->record];
    if (s->kind == SM_STEP_BEGUN) begin_live(h, v, cycle, s);
    if (!v->inst) return;
    switch (s->kind) {
    case SM_STEP_BEGUN: break;
    case SM_STEP_COLLECTING:
        if (s->place >= SLOTS) break;
        h->slots[s->place].since = cycle, h->slots[s->place].record = s->record,
        h->slots[s->place].used = true;
        break;
    case SM_STEP_DISPATCHED:
        if (s->place < SLOTS && h->slots[s->place].used) leave_collector(h, v, cycle, s->place);
        break;
    case SM_STEP_OPERANDS:
        for (int i = 0; i < s->n; i++)
            append_value(v->operands, &v->used, TEXT, s->regs[i], s->values[i], s->lanes);
        break;
    case SM_STEP_EXECUTING: v->unit = s->unit, v->port = s->place, v->since = cycle; break;
    case SM_STEP_RESULT:
        if (v->unit) leave_unit(h, v, cycle);
        break;
    case SM_STEP_WRITING: {
        int used = 0;
        if (v->nwriting == 4) break;
        append_value(v->word[v->nwriting], &used, sizeof v->word[0], s->regs[0], s->values[0],
                     s->lanes);
        v->written_since[v->nwriting++] = cycle;
        break;
    }
    case SM_STEP_WRITTEN: leave_write_port(h, v, cycle, s->place); break;
    case SM_STEP_ENDED: end_live(h, v, cycle); break;
    }
}

// What is in flight when the trace ends.
static void end_all(TraceHooks *h, uint64_t cycle) {
    for (int i = 0; i < SLOTS; i++)
        if (h->slots[i].used && h->live[h->slots[i].record].inst)
            leave_collector(h, &h->live[h->slots[i].record], cycle, i);
    for (int i = 0; i < SM_STEP_RECORDS; i++)
        if (h->live[i].inst) end_live(h, &h->live[i], cycle);
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

static void step_kanata(void *ctx, uint64_t cycle, const SmStep *s) {
    kanata_step(((TraceHooks *)ctx)->kanata, cycle, s);
}

static TraceHooks *open_kanata(TraceHooks *h, const char *spec, Diag *d) {
    h->kanata = kanata_open(h->arena, spec, d);
    h->hooks = (SmHooks){.ctx = h, .step = step_kanata};
    return h->kanata ? h : NULL;
}

TraceHooks *hooks_open(Arena *arena, const char *spec, Diag *d) {
    TraceHooks *h = ARENA_NEW(arena, TraceHooks);
    h->arena = arena;
    if (kanata_asked(spec)) return open_kanata(h, spec, d);
    h->trace = trace_open(arena, spec, d);
    if (!h->trace) return NULL;
    h->live = ARENA_ARRAY(arena, Live, SM_STEP_RECORDS);
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
    end_all(h, cycle);
    return trace_close(h->trace, cycle, d);
}
