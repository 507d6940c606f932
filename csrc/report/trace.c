// SPDX-License-Identifier: Apache-2.0
#include "report/trace.h"

#include "base/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRACE_TRACKS = 128, TRACE_COUNTERS = 4 };

typedef struct Slice {
    const char *text;    // NULL: idle
    uint64_t since;
    int pc, warp;
} Slice;

struct Trace {
    FILE *file;
    const char *path;
    Output output;
    uint64_t from, to;
    Slice open[TRACE_GROUPS][TRACE_TRACKS];
    bool named[TRACE_GROUPS][TRACE_TRACKS];
    bool any;
    struct { const char *name; uint64_t value; } counter[TRACE_COUNTERS];
};

static const char *const group_names[TRACE_GROUPS] = {"warps", "schedulers", "operand collectors",
                                                      "register file banks", "CTAs",
                                                      "shared registers taken", "P-mode"};
static const char *const track_names[TRACE_GROUPS] = {"warp", "scheduler", "collector", "bank", "CTA slot", "by warp",
                                                      "warp"};

bool trace_split(Arena *arena, const char *option, const char *spec, const char **path, uint64_t *from,
                 uint64_t *to, Diag *d) {
    const char *colon = strrchr(spec, ':');
    unsigned long long a, b;
    int used = 0;
    *from = 0;
    *to = UINT64_MAX;
    *path = spec;
    if (!colon) return true;
    if (colon[1] < '0' || colon[1] > '9' || sscanf(colon + 1, "%llu-%llu%n", &a, &b, &used) != 2 ||
        colon[1 + used] != '\0' || a > b)
        return diag_fail(d, EXIT_USAGE, "--%s: expected FILE or FILE:FROM-TO in cycles, found '%s'", option, spec);
    *path = arena_strndup(arena, spec, (size_t)(colon - spec));
    *from = a;
    *to = b;
    return true;
}

Trace *trace_open(Arena *arena, const char *spec, Diag *d) {
    Trace *t = ARENA_NEW(arena, Trace);
    if (!trace_split(arena, "trace", spec, &t->path, &t->from, &t->to, d)) return NULL;
    t->file = output_open(&t->output, arena, t->path, d);
    if (!t->file) return NULL;
    fputs("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n", t->file);
    return t;
}

static void separator(Trace *t) {
    if (t->any) fputs(",\n", t->file);
    t->any = true;
}

static void name_track(Trace *t, TraceGroup g, int track) {
    if (t->named[g][track]) return;
    t->named[g][track] = true;
    separator(t);
    fprintf(t->file,
            "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":\"%s\"}},\n"
            "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":\"%s %d\"}}",
            g + 1, group_names[g], g + 1, track + 1, track_names[g], track);
}

static void emit(Trace *t, TraceGroup g, int track, const Slice *s, uint64_t end) {
    uint64_t begin = s->since < t->from ? t->from : s->since;
    if (t->to != UINT64_MAX && end > t->to + 1) end = t->to + 1;
    if (!s->text || begin >= end) return;
    name_track(t, g, track);
    separator(t);
    fprintf(t->file, "{\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":%" PRIu64 ",\"dur\":%" PRIu64 ",\"name\":\"%s\"",
            g + 1, track + 1, begin, end - begin, s->text);
    if (s->pc >= 0) fprintf(t->file, ",\"args\":{\"warp\":%d,\"pc\":%d}", s->warp, s->pc);
    fputc('}', t->file);
}

void trace_begin(Trace *t, uint64_t cycle, TraceGroup group, int track, const char *text, int pc, int warp) {
    Slice *s = &t->open[group][track];
    if (track < 0 || track >= TRACE_TRACKS || cycle > t->to + (t->to != UINT64_MAX)) return;
    emit(t, group, track, s, cycle);
    *s = (Slice){text, cycle, pc, warp};
}

void trace_state(Trace *t, uint64_t cycle, TraceGroup group, int track, const char *text) {
    if (track < 0 || track >= TRACE_TRACKS) return;
    const Slice *s = &t->open[group][track];
    if (s->text == text || (s->text && text && !strcmp(s->text, text))) return;
    trace_begin(t, cycle, group, track, text, -1, -1);
}

void trace_slice(Trace *t, uint64_t cycle, TraceGroup group, int track, const char *text, int pc, int warp) {
    const Slice s = {text, cycle, pc, warp};
    if (track >= 0 && track < TRACE_TRACKS) emit(t, group, track, &s, cycle + 1);
}

void trace_counter(Trace *t, uint64_t cycle, const char *name, uint64_t value) {
    int i = 0;
    if (cycle < t->from || cycle > t->to) return;
    while (i < TRACE_COUNTERS && t->counter[i].name && strcmp(t->counter[i].name, name)) i++;
    if (i == TRACE_COUNTERS || (t->counter[i].name && t->counter[i].value == value)) return;
    if (!t->counter[0].name) {
        separator(t);
        fprintf(t->file, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":\"registers in use\"}}", TRACE_GROUPS + 1);
    }
    t->counter[i].name = name;
    t->counter[i].value = value;
    separator(t);
    fprintf(t->file, "{\"ph\":\"C\",\"pid\":%d,\"name\":\"%s\",\"ts\":%" PRIu64 ",\"args\":{\"registers\":%" PRIu64 "}}",
            TRACE_GROUPS + 1, name, cycle, value);
}

bool trace_close(Trace *t, uint64_t cycle, Diag *d) {
    for (int g = 0; g < TRACE_GROUPS; g++)
        for (int track = 0; track < TRACE_TRACKS; track++) emit(t, (TraceGroup)g, track, &t->open[g][track], cycle);
    fputs("\n]}\n", t->file);
    return output_close(&t->output, t->file, true, d);
}
