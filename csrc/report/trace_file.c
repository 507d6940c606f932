// SPDX-License-Identifier: Apache-2.0
#include "report/trace_file.h"

#include "base/output.h"
#include "report/trace_sort.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRACE_TRACKS = 128, TRACE_COUNTERS = 4, TRACE_MEMORY_BYTES = 32 << 20 };

typedef struct Slice {
    const char *text;  // NULL: idle
    uint64_t since;
    int pc, warp, line;  // pc -1: none; line 0: not known
} Slice;

typedef struct Lane {
    uint64_t end_m;
    bool named;
} Lane;
typedef struct LaneList {
    Lane *of;
    int n, cap;
} LaneList;

struct Trace {
    FILE *file;
    const char *path;
    Output output;
    uint64_t from, to;
    Slice open[TRACE_GROUPS][TRACE_TRACKS];
    bool named[TRACE_GROUPS][TRACE_TRACKS];
    bool named_group[TRACE_GROUPS];
    LaneList lanes[TRACE_GROUPS][TRACE_TRACKS];
    TraceSort *sort;
    uint64_t flows;
    struct {
        const char *name;
        uint64_t value;
    } counter[TRACE_COUNTERS];
};

static const char *const group_names[TRACE_GROUPS] = {"warps",
                                                      "schedulers",
                                                      "operand collectors",
                                                      "register file banks",
                                                      "CTAs",
                                                      "shared registers taken",
                                                      "P-mode",
                                                      "execution units",
                                                      "memory",
                                                      "write ports"};
// Of tracks that have no lanes.
static const char *const track_names[TRACE_GROUPS] = {"warp",     "scheduler", "collector", "bank",
                                                      "CTA slot", "by warp",   "warp"};

bool trace_range(const char *text, uint64_t *from, uint64_t *to) {
    char *end = NULL;
    if (isdigit((unsigned char)*text)) *from = strtoull(text, &end, 10);
    if (!end || *end != '-' || !isdigit((unsigned char)end[1])) return false;
    *to = strtoull(end + 1, &end, 10);
    return !*end && *from <= *to;
}

bool trace_spec(Arena *arena, const char *option, const char *spec, const char **path,
                uint64_t *from, uint64_t *to, Diag *d) {
    const char *colon = strrchr(spec, ':');
    *from = 0;
    *to = UINT64_MAX;
    *path = spec;
    if (!colon) return true;
    if (!trace_range(colon + 1, from, to))
        return diag_fail(d, EXIT_USAGE, "--%s: expected FILE or FILE:FROM-TO in cycles, found '%s'",
                         option, spec);
    *path = arena_strndup(arena, spec, (size_t)(colon - spec));
    return true;
}

Trace *trace_open(Arena *arena, const char *spec, Diag *d) {
    Trace *t = ARENA_NEW(arena, Trace);
    if (!trace_spec(arena, "trace", spec, &t->path, &t->from, &t->to, d)) return NULL;
    t->file = output_open(&t->output, arena, t->path, d);
    if (!t->file) return NULL;
    t->sort = trace_sort_open(TRACE_MEMORY_BYTES);
    return t;
}

// One event; ts in 1/1000 cycles.
__attribute__((format(printf, 3, 4))) static void put_event(Trace *t, uint64_t ts_m,
                                                            const char *format, ...) {
    char line[4096];
    va_list ap;
    va_start(ap, format);
    const int n = vsnprintf(line, sizeof line, format, ap);
    va_end(ap);
    panic_if(n < 0 || n >= (int)sizeof line, "an event of a trace has %d characters", n);
    trace_sort_put(t->sort, ts_m, line, (size_t)n);
}

// 1/1000 cycles as cycles.
typedef struct Time {
    char text[32];
} Time;
static const char *time_text(Time *s, uint64_t m) {
    if (m % 1000) snprintf(s->text, sizeof s->text, "%" PRIu64 ".%03d", m / 1000, (int)(m % 1000));
    else snprintf(s->text, sizeof s->text, "%" PRIu64, m / 1000);
    return s->text;
}
#define TIME(m) time_text(&(Time){{0}}, m)

static void name_track(Trace *t, TraceGroup g, int lane, const char *name) {
    if (!t->named_group[g])
        put_event(t, 0,
                  "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":\"%s\"}}",
                  g + 1, group_names[g]);
    t->named_group[g] = true;
    put_event(
        t, 0,
        "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":\"%s\"}}",
        g + 1, lane + 1, name);
}

static void emit_slice(Trace *t, TraceGroup g, int track, const Slice *s, uint64_t end) {
    uint64_t begin = s->since < t->from ? t->from : s->since;
    if (t->to != UINT64_MAX && end > t->to + 1) end = t->to + 1;
    if (!s->text || begin >= end) return;
    char text[160] = "";
    if (!t->named[g][track]) {
        snprintf(text, sizeof text, "%s %d", track_names[g], track);
        name_track(t, g, track, text);
    }
    t->named[g][track] = true;
    text[0] = '\0';
    if (s->pc >= 0 && s->line)
        snprintf(text, sizeof text, ",\"args\":{\"warp\":%d,\"pc\":%d,\"PTX line\":%d}", s->warp,
                 s->pc, s->line);
    else if (s->pc >= 0)
        snprintf(text, sizeof text, ",\"args\":{\"warp\":%d,\"pc\":%d}", s->warp, s->pc);
    put_event(t, begin * 1000,
              "{\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":%" PRIu64 ",\"dur\":%" PRIu64
              ",\"name\":\"%s\"%s}",
              g + 1, track + 1, begin, end - begin, s->text, text);
}

// The first lane of a track that is free from then on.
static Lane *lane_at(Trace *t, TraceGroup g, int track, uint64_t from_m, int *lane) {
    if (track >= TRACE_TRACKS) return NULL;
    LaneList *l = &t->lanes[g][track];
    for (int i = 0; i < l->n; i++)
        if (l->of[i].end_m <= from_m) return *lane = i, &l->of[i];
    if (l->n == TRACE_LANES) return NULL;
    *lane = l->n;
    if (l->n == l->cap) {
        l->cap = l->cap ? 2 * l->cap : 8;
        l->of = realloc(l->of, (size_t)l->cap * sizeof *l->of);
        panic_if(!l->of, "out of memory");
    }
    l->of[l->n] = (Lane){0};
    return &l->of[l->n++];
}

TracePlace trace_span(Trace *t, uint64_t from_m, uint64_t to_m, TraceGroup group, int track,
                      const char *name, const char *text, const char *args) {
    int number;
    if (from_m < t->from * 1000) from_m = t->from * 1000;
    if (t->to != UINT64_MAX && to_m > (t->to + 1) * 1000) to_m = (t->to + 1) * 1000;
    Lane *lane = from_m < to_m ? lane_at(t, group, track, from_m, &number) : NULL;
    if (!lane) return (TracePlace){.lane = -1};
    const int tid = track * TRACE_LANES + number;
    char title[80];
    if (number) snprintf(title, sizeof title, "%s, %d", name, number + 1);
    else snprintf(title, sizeof title, "%s", name);
    if (!lane->named) name_track(t, group, tid, title);
    *lane = (Lane){to_m, true};
    put_event(t, from_m,
              "{\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":%s,\"dur\":%s,\"name\":\"%s\"%s%s%s}",
              group + 1, tid + 1, TIME(from_m), TIME(to_m - from_m), text,
              args ? ",\"args\":{" : "", args ? args : "", args ? "}" : "");
    return (TracePlace){group, tid, from_m};
}

TracePlace trace_place(const Trace *t, uint64_t cycle, TraceGroup group, int track) {
    if (cycle < t->from || cycle > t->to || track >= TRACE_TRACKS) return (TracePlace){.lane = -1};
    return (TracePlace){group, track, cycle * 1000};
}

// Those of one time keep their order.
static void sort_places(TracePlace *places, int n) {
    for (int i = 1; i < n; i++) {
        const TracePlace p = places[i];
        int k = i;
        for (; k > 0 && places[k - 1].at_m > p.at_m; k--) places[k] = places[k - 1];
        places[k] = p;
    }
}

void trace_flow(Trace *t, TracePlace *places, int n) {
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (places[i].lane >= 0) places[kept++] = places[i];
    if (kept < 2) return;
    sort_places(places, kept);
    t->flows++;
    for (int i = 0; i < kept; i++)
        put_event(
            t, places[i].at_m,
            "{\"ph\":\"%s\",\"id\":%" PRIu64
            ",\"cat\":\"instruction\",\"name\":\"instruction\",\"pid\":%d,\"tid\":%d,\"ts\":%s%s}",
            i == 0             ? "s"
                : i < kept - 1 ? "t"
                               : "f",
            t->flows, places[i].group + 1, places[i].lane + 1, TIME(places[i].at_m),
            i == 0 ? "" : ",\"bp\":\"e\"");
}

void trace_begin(Trace *t, uint64_t cycle, TraceGroup group, int track, const char *text, int pc,
                 int warp) {
    if (track < 0 || track >= TRACE_TRACKS) return;
    Slice *s = &t->open[group][track];
    if (cycle > t->to + (t->to != UINT64_MAX)) return;
    emit_slice(t, group, track, s, cycle);
    *s = (Slice){text, cycle, pc, warp, 0};
}

void trace_state(Trace *t, uint64_t cycle, TraceGroup group, int track, const char *text) {
    if (track < 0 || track >= TRACE_TRACKS) return;
    const Slice *s = &t->open[group][track];
    if (s->text == text || (s->text && text && !strcmp(s->text, text))) return;
    trace_begin(t, cycle, group, track, text, -1, -1);
}

void trace_slice(Trace *t, uint64_t cycle, TraceGroup group, int track, const char *text, int pc,
                 int warp, int line) {
    const Slice s = {text, cycle, pc, warp, line};
    if (track >= 0 && track < TRACE_TRACKS) emit_slice(t, group, track, &s, cycle + 1);
}

void trace_counter(Trace *t, uint64_t cycle, const char *name, uint64_t value) {
    int i = 0;
    if (cycle < t->from || cycle > t->to) return;
    while (i < TRACE_COUNTERS && t->counter[i].name && strcmp(t->counter[i].name, name)) i++;
    if (i == TRACE_COUNTERS || (t->counter[i].name && t->counter[i].value == value)) return;
    if (!t->counter[0].name)
        put_event(t, 0,
                  "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":"
                  "\"registers in use\"}}",
                  TRACE_GROUPS + 1);
    t->counter[i].name = name;
    t->counter[i].value = value;
    put_event(t, cycle * 1000,
              "{\"ph\":\"C\",\"pid\":%d,\"name\":\"%s\",\"ts\":%" PRIu64
              ",\"args\":{\"registers\":%" PRIu64 "}}",
              TRACE_GROUPS + 1, name, cycle, value);
}

bool trace_close(Trace *t, uint64_t cycle, Diag *d) {
    for (int g = 0; g < TRACE_GROUPS; g++)
        for (int track = 0; track < TRACE_TRACKS; track++) {
            emit_slice(t, (TraceGroup)g, track, &t->open[g][track], cycle);
            free(t->lanes[g][track].of);
        }
    const size_t length = strlen(t->path);
    const bool zipped = length > 3 && !strcmp(t->path + length - 3, ".gz");
    FILE *text = zipped ? gzip_open(t->file) : t->file;
    fputs("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n", text);
    bool good = trace_sort_write(t->sort, text);
    fputs("\n]}\n", text);
    if (zipped) good &= fclose(text) == 0;
    trace_sort_close(t->sort);
    if (!good && !ferror(t->file))
        diag_fail(d, EXIT_ENVIRONMENT, "%s: could not be written: %s", t->path,
                  strerror(errno ? errno : ENOSPC));
    return output_close(&t->output, t->file, good, d) && good;
}
