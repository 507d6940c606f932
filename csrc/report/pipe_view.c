// SPDX-License-Identifier: Apache-2.0
#include "report/pipe_view.h"

#include "report/trace_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 44 };

typedef struct Row {
    uint64_t issued;  // its number in the order of issue
    char label[LABEL];
    char cells[PIPE_VIEW_CYCLES + 1];
} Row;

// An instruction in flight: its stage since a cycle. row: made at its first cell.
typedef struct Shown {
    const IsaInst *inst;  // NULL: the record is unused
    int warp, pc;
    char stage;
    uint64_t since, issued;
    Row *row;
} Shown;

struct PipeView {
    Arena *arena;
    uint64_t from, to, issued;
    Row **rows;
    int nrows, cap;
    Shown of[SM_STEP_RECORDS];
};

PipeView *pipe_view_open(Arena *arena, const char *range, Diag *d) {
    PipeView *p = ARENA_NEW(arena, PipeView);
    p->arena = arena;
    if (trace_range(range, &p->from, &p->to) && p->to - p->from < PIPE_VIEW_CYCLES) return p;
    diag_fail(d, EXIT_USAGE,
              "--pipe %s: expected two cycles FROM-TO, the first not above the last, at most %d "
              "cycles",
              range, PIPE_VIEW_CYCLES);
    return NULL;
}

static void make_row(PipeView *p, Shown *v) {
    char text[256];
    isa_print_inst(text, sizeof text, v->inst);
    text[strcspn(text, "/")] = '\0';
    v->row = *ARENA_PUSH(p->arena, p->rows, p->nrows, p->cap) = ARENA_NEW(p->arena, Row);
    v->row->issued = v->issued;
    snprintf(v->row->label, LABEL, "w%-3d%5d %.30s", v->warp, v->pc, text);
    memset(v->row->cells, ' ', (size_t)(p->to - p->from) + 1);
}

// The stage occupies the cycles from `since` to the one before `cycle`, at least one.
static void fill_cells(PipeView *p, Shown *v, uint64_t cycle) {
    uint64_t end = cycle > v->since ? cycle - 1 : v->since;
    if (end > p->to) end = p->to;
    for (uint64_t at = v->since < p->from ? p->from : v->since; at <= end; at++) {
        if (!v->row) make_row(p, v);
        v->row->cells[at - p->from] = v->stage;
    }
}

static void begin_inst(PipeView *p, Shown *v, uint64_t cycle, const SmStep *s) {
    *v = (Shown){.inst = s->inst,
                 .warp = s->warp,
                 .pc = s->pc,
                 .stage = 'I',
                 .since = cycle,
                 .issued = p->issued++};
}

void pipe_view_step(PipeView *p, uint64_t cycle, const SmStep *s) {
    // collector, unit, result waits for a port, write port
    static const char stages[] = {[SM_STEP_COLLECTING] = 'C',
                                  [SM_STEP_EXECUTING] = 'E',
                                  [SM_STEP_RESULT] = 'r',
                                  [SM_STEP_WRITING] = 'W',
                                  [SM_STEP_ENDED] = 0};
    Shown *v = &p->of[s->record];
    if (s->kind == SM_STEP_BEGUN) {
        begin_inst(p, v, cycle, s);
        return;
    }
    if (!v->inst) return;
    const char stage = stages[s->kind];
    if (s->kind == SM_STEP_ENDED) {
        fill_cells(p, v, cycle);
        v->inst = NULL;
    } else if (stage && stage != v->stage) {
        fill_cells(p, v, cycle);
        v->stage = stage;
        v->since = cycle;
    }
}

// A mark at each tenth cycle, with the cycle's number.
static void print_scale(FILE *out, const PipeView *p) {
    const int width = (int)(p->to - p->from) + 1;
    fprintf(out, "%-*s", LABEL, "warp  pc instruction");
    for (int at = 0; at < width;) {
        const uint64_t cycle = p->from + (uint64_t)at;
        char text[24];
        if (cycle % 10 || at + 10 > width) {
            fputc(cycle % 10 ? ' ' : '|', out);
            at++;
            continue;
        }
        snprintf(text, sizeof text, "|%-9" PRIu64, cycle);
        at += fprintf(out, "%.10s", text);
    }
    fputc('\n', out);
}

static int by_issue(const void *a, const void *b) {
    const Row *x = *(Row *const *)a, *y = *(Row *const *)b;
    return (x->issued > y->issued) - (x->issued < y->issued);
}

void pipe_view_print(FILE *out, PipeView *p, uint64_t cycle) {
    for (int i = 0; i < SM_STEP_RECORDS; i++)
        if (p->of[i].inst) fill_cells(p, &p->of[i], cycle);
    fprintf(out,
            "pipeline, cycles %" PRIu64 " to %" PRIu64
            ": I issued, C collects operands, E executes, r waits for a write port, W writes\n",
            p->from, p->to);
    print_scale(out, p);
    if (p->nrows) qsort(p->rows, (size_t)p->nrows, sizeof *p->rows, by_issue);
    for (int i = 0; i < p->nrows; i++) {
        const Row *r = p->rows[i];
        int n = (int)(p->to - p->from) + 1;
        while (n && r->cells[n - 1] == ' ') n--;
        fprintf(out, "%-*s%.*s\n", LABEL, r->label, n, r->cells);
    }
}
