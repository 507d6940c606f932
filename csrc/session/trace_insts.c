// SPDX-License-Identifier: Apache-2.0
#include "session/trace_insts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SLOTS = 128 };

// An instruction in flight, and its place in the trace.
enum { PLACES = 40, TEXT = 3400 };
typedef struct Live {
    const IsaInst *inst;  // NULL: the record is unused
    int warp, pc, port, nplaces;
    uint32_t lanes;    // that execute it
    const char *unit;  // that executes it; NULL: not started or done
    uint64_t since, written_since[4];
    int nwriting;
    int used;
    char operands[TEXT], word[4][TEXT / 4];  // as members of a JSON object
    TracePlace places[PLACES];
} Live;

struct TraceInsts {
    Trace *trace;
    Live *live;  // SM_STEP_RECORDS
    struct {
        uint64_t since;
        int record;
        bool used;
    } slots[SLOTS];
    struct {
        uint64_t cycle;
        int scheduler, warp, pc;
    } issued;  // last
};

TraceInsts *trace_insts_open(Arena *arena, Trace *trace) {
    TraceInsts *h = ARENA_NEW(arena, TraceInsts);
    h->trace = trace;
    h->live = ARENA_ARRAY(arena, Live, SM_STEP_RECORDS);
    return h;
}

void trace_insts_issued(TraceInsts *h, uint64_t cycle, int scheduler, int warp, int pc) {
    h->issued.cycle = cycle, h->issued.scheduler = scheduler, h->issued.warp = warp,
    h->issued.pc = pc;
}

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
static void add_span(TraceInsts *h, Live *v, uint64_t from, uint64_t to, TraceGroup group,
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

static void leave_collector(TraceInsts *h, Live *v, uint64_t cycle, int slot) {
    char name[24];
    snprintf(name, sizeof name, "collector %d", slot);
    add_span(h, v, h->slots[slot].since, cycle, TRACE_COLLECTORS, slot, name, "");
    h->slots[slot].used = false;
}

// A slice lasts at least one cycle.
static void leave_unit(TraceInsts *h, Live *v, uint64_t cycle) {
    char name[40];
    snprintf(name, sizeof name, "%s, port %d", v->unit, v->port);
    add_span(h, v, v->since, cycle > v->since ? cycle : v->since + 1, TRACE_UNITS, v->port, name,
             v->operands);
    v->unit = NULL;
}

static void leave_write_port(TraceInsts *h, Live *v, uint64_t cycle, int port) {
    char name[24];
    snprintf(name, sizeof name, "port %d", port);
    if (!v->nwriting) return;
    add_span(h, v, v->written_since[0], cycle + 1, TRACE_WRITES, port, name, v->word[0]);
    v->nwriting--;
    memmove(v->written_since, v->written_since + 1,
            sizeof v->written_since - sizeof *v->written_since);
    memmove(v->word, v->word + 1, sizeof v->word - sizeof *v->word);
}

static void begin_live(TraceInsts *h, Live *v, uint64_t cycle, const SmStep *s) {
    v->inst = s->inst, v->warp = s->warp, v->pc = s->pc, v->lanes = s->lanes;
    v->nplaces = v->used = v->nwriting = 0;
    v->operands[0] = '\0';
    v->unit = NULL;
    if (h->issued.cycle == cycle && h->issued.warp == s->warp && h->issued.pc == s->pc)
        v->places[v->nplaces++] =
            trace_place(h->trace, cycle, TRACE_SCHEDULERS, h->issued.scheduler);
}

static void end_live(TraceInsts *h, Live *v, uint64_t cycle) {
    if (v->unit) leave_unit(h, v, cycle);
    trace_flow(h->trace, v->places, v->nplaces);
    v->inst = NULL;
}

void trace_insts_step(TraceInsts *h, uint64_t cycle, const SmStep *s) {
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

void trace_insts_close(TraceInsts *h, uint64_t cycle) {
    for (int i = 0; i < SLOTS; i++)
        if (h->slots[i].used && h->live[h->slots[i].record].inst)
            leave_collector(h, &h->live[h->slots[i].record], cycle, i);
    for (int i = 0; i < SM_STEP_RECORDS; i++)
        if (h->live[i].inst) end_live(h, &h->live[i], cycle);
}
