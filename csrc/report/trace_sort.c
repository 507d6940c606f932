// SPDX-License-Identifier: Apache-2.0
#include "report/trace_sort.h"

#include "base/diag.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 32 /* files, before they are merged into one */ };

typedef struct Line {
    uint64_t key;
    uint32_t at, n;
} Line;

// A sorted run in a file, and its first line that is not merged yet.
typedef struct Run {
    FILE *file;
    uint64_t key;
    uint32_t n;
    char *text;
    size_t cap;
} Run;

struct TraceSort {
    char *text;
    size_t bytes, used;
    Line *lines;
    size_t nlines, cap;
    Run runs[RUNS + 1];
    int nruns;
    int error;  // errno of a file that could not be written
};

typedef void Sink(FILE *f, bool first, uint64_t key, const char *text, uint32_t n);

TraceSort *trace_sort_open(size_t bytes) {
    TraceSort *s = calloc(1, sizeof *s);
    panic_if(!s || !(s->text = malloc(bytes)), "out of memory");
    s->bytes = bytes;
    return s;
}

void trace_sort_close(TraceSort *s) {
    for (int i = 0; i < s->nruns; i++) {
        fclose(s->runs[i].file);
        free(s->runs[i].text);
    }
    free(s->text), free(s->lines), free(s);
}

static int by_key(const void *a, const void *b) {
    const Line *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->at < y->at ? -1 : 1;
}

static void to_run(FILE *f, bool first, uint64_t key, const char *text, uint32_t n) {
    (void)first;
    fwrite(&key, sizeof key, 1, f);
    fwrite(&n, sizeof n, 1, f);
    fwrite(text, 1, n, f);
}

static void to_list(FILE *f, bool first, uint64_t key, const char *text, uint32_t n) {
    (void)key;
    if (!first) fputs(",\n", f);
    fwrite(text, 1, n, f);
}

// The run's next line; n 0: there is none.
static void advance_run(Run *r) {
    if (fread(&r->key, sizeof r->key, 1, r->file) != 1 ||
        fread(&r->n, sizeof r->n, 1, r->file) != 1) {
        r->n = 0;
        return;
    }
    if (r->n > r->cap) {
        r->cap = r->n;
        r->text = realloc(r->text, r->cap);
        panic_if(!r->text, "out of memory");
    }
    if (fread(r->text, 1, r->n, r->file) != r->n) r->n = 0;
}

// Earlier runs first where keys are equal.
static void merge_lines(TraceSort *s, FILE *f, Sink *sink) {
    bool first = true;
    for (int i = 0; i < s->nruns; i++) {
        rewind(s->runs[i].file);
        advance_run(&s->runs[i]);
    }
    for (;; first = false) {
        Run *least = NULL;
        for (int i = 0; i < s->nruns; i++)
            if (s->runs[i].n && (!least || s->runs[i].key < least->key)) least = &s->runs[i];
        if (!least) return;
        sink(f, first, least->key, least->text, least->n);
        advance_run(least);
    }
}

static FILE *new_file(TraceSort *s) {
    FILE *f = tmpfile();
    if (!f && !s->error) s->error = errno;
    return f;
}

static void check_file(TraceSort *s, FILE *f) {
    if ((fflush(f) || ferror(f)) && !s->error) s->error = errno ? errno : ENOSPC;
}

static void merge_runs(TraceSort *s) {
    FILE *f = new_file(s);
    if (!f) return;
    merge_lines(s, f, to_run);
    check_file(s, f);
    for (int i = 0; i < s->nruns; i++) {
        fclose(s->runs[i].file);
        free(s->runs[i].text);
    }
    s->nruns = 1;
    s->runs[0] = (Run){.file = f};
}

static void spill_lines(TraceSort *s) {
    FILE *f = s->error ? NULL : new_file(s);
    qsort(s->lines, s->nlines, sizeof *s->lines, by_key);
    for (size_t i = 0; f && i < s->nlines; i++)
        to_run(f, false, s->lines[i].key, s->text + s->lines[i].at, s->lines[i].n);
    if (f) {
        check_file(s, f);
        s->runs[s->nruns++] = (Run){.file = f};
    }
    s->used = s->nlines = 0;
    if (s->nruns > RUNS) merge_runs(s);
}

void trace_sort_put(TraceSort *s, uint64_t key, const char *line, size_t n) {
    panic_if(n == 0 || n > s->bytes, "a line of %zu bytes", n);
    if (s->used + n > s->bytes) spill_lines(s);
    if (s->nlines == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 1024;
        s->lines = realloc(s->lines, s->cap * sizeof *s->lines);
        panic_if(!s->lines, "out of memory");
    }
    s->lines[s->nlines++] = (Line){key, (uint32_t)s->used, (uint32_t)n};
    memcpy(s->text + s->used, line, n);
    s->used += n;
}

bool trace_sort_write(TraceSort *s, FILE *out) {
    if (s->nruns) {
        if (s->nlines) spill_lines(s);
        if (!s->error) merge_lines(s, out, to_list);
    } else {
        qsort(s->lines, s->nlines, sizeof *s->lines, by_key);
        for (size_t i = 0; i < s->nlines; i++)
            to_list(out, i == 0, 0, s->text + s->lines[i].at, s->lines[i].n);
    }
    errno = s->error;
    return !s->error;
}
