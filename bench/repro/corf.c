// SPDX-License-Identifier: Apache-2.0
// bench/repro/corf: runs the comparison with CORF's figures and writes corf.md; --help lists
// the options.
#include "corf.h"

#include "report/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FAILED = REPRO_FAILED, MAX_SETTINGS = 40, MAX_RESULTS = 200 };

const char repro_command[] = "smcosim repro corf";

// ---- settings ----------------------------------------------------------------------------------

typedef struct Settings {
    char *words[MAX_SETTINGS]; // key=value, each key once
    int n;
} Settings;

static void overlay(Settings *s, const char *sets) {
    char *words[MAX_SETTINGS];
    int n = repro_split(sets, " ", words, MAX_SETTINGS);
    for (int i = 0; i < n; i++) {
        size_t key = strcspn(words[i], "=") + 1;
        int at = 0;
        while (at < s->n && strncmp(s->words[at], words[i], key) != 0) at++;
        if (at == MAX_SETTINGS) repro_die(REPRO_USAGE, "too many settings: %s", sets);
        s->words[at] = words[i];
        if (at == s->n) s->n++;
    }
}

static int setting(const Settings *s, const char *key) {
    for (int i = 0; i < s->n; i++)
        if (!strncmp(s->words[i], key, strlen(key)) && s->words[i][strlen(key)] == '=')
            return atoi(s->words[i] + strlen(key) + 1);
    repro_die(FAILED, "no setting %s among the base settings", key);
}

static const char *const all_keys[] = {
#define CFG(field, key, value, least, most, unit, meaning) key,
#define CFGENUM(field, key, value, words, meaning) key,
#include "config/config.def"
#undef CFG
#undef CFGENUM
};

const char *corf_unknown_key(const char *sets) {
    char *words[MAX_SETTINGS];
    int n = repro_split(sets, " ", words, MAX_SETTINGS);
    for (int i = 0; i < n; i++) {
        size_t k = 0, keys = sizeof all_keys / sizeof *all_keys;
        words[i][strcspn(words[i], "=")] = '\0';
        while (k < keys && strcmp(words[i], all_keys[k]) != 0) k++;
        if (k == keys) return words[i];
    }
    return NULL;
}

// ---- launch files with shorter loops -------------------------------------------------------------

// A copy beside the launch in which the one whole-number argument is divided and results are not
// expected; the oracle checks the memory instead.
static char *shortened(const char *launch, int loops) {
    char *copy = repro_text("%.*s.loop%d.yaml", (int)(strlen(launch) - 5), launch, loops), line[500];
    FILE *in = fopen(launch, "r"), *out = fopen(copy, "w");
    if (!in || !out) repro_die(REPRO_ENVIRONMENT, "%s or %s: %s", launch, copy, strerror(errno));
    int changed = 0;
    while (fgets(line, sizeof line, in) && strncmp(line, "expect:", 7) != 0) {
        int n;
        if (sscanf(line, " - {type: s32, value: %d}", &n) == 1) {
            fprintf(out, "  - {type: s32, value: %d}\n", n > loops ? n / loops : 1);
            changed++;
        } else {
            fputs(line, out);
        }
    }
    fclose(in);
    if (fclose(out) != 0) repro_die(REPRO_ENVIRONMENT, "%s: %s", copy, strerror(errno));
    if (changed != 1) repro_die(FAILED, "%s: %d loop counts, expected one", launch, changed);
    return copy;
}

// ---- runs ------------------------------------------------------------------

static void read_cell(CorfCell *cell, json_t *launch) {
    size_t i;
    json_t *kernel;
    if (!launch) return;
    repro_passed(launch);
    repro_run_counters(&cell->counters, launch);
    json_array_foreach(repro_member(launch, "kernels"), i, kernel) cell->insts += (int)repro_integer(kernel, "instructions");
}

int corf_arch(const CorfResults *r, const char *name) {
    for (int a = 0; a < r->narchs; a++)
        if (!strcmp(r->archs[a], name)) return a;
    return -1;
}

static char *words_of(const Settings *s) {
    char *text = repro_text("%s", "");
    for (int i = 0; i < s->n; i++) text = repro_text("%s%s%s", text, i ? " " : "", s->words[i]);
    return text;
}

static void measure(CorfResults *r, const CorfOptions *o, const Settings *s, const CorfPoint *point) {
    const char *sets = words_of(s), *machine = point->machine ? point->machine : o->machine;
    r->cells = repro_need(calloc((size_t)(r->nkernels * r->narchs), sizeof *r->cells));
    for (int k = 0; k < r->nkernels; k++) {
        CorfCell *cells = &r->cells[k * r->narchs];
        const char *launch = repro_launch(o->data, r->kernels[k], o->size);
        if (point->loops > 0) launch = shortened(launch, point->loops);
        for (int a = 0; a < r->narchs; a++) read_cell(&cells[a], repro_run(launch, r->archs[a], machine, sets, point->loops > 0 ? "oracle" : NULL));
        for (int a = 0; a < r->narchs; a++) cells[a].code = cells[0].insts ? 100.0 * (cells[a].insts - cells[0].insts) / cells[0].insts : NAN;
        r->is_float[k] = (double)cells[0].counters.v[CTR_FLOAT_INSTS] >= COMPARE_FLOAT_SHARE * (double)cells[0].counters.v[CTR_WARP_INSTS];
    }
}

// ---- points; equal ones are run once --------------------------------------------------------------

typedef struct Known {
    char *key;
    CorfResults *results;
} Known;

CorfResults *corf_subset(const CorfResults *all, const char *names, bool named) {
    CorfResults *r = repro_need(malloc(sizeof *r));
    *r = *all;
    r->nkernels = 0;
    r->cells = repro_need(calloc((size_t)(all->nkernels * all->narchs), sizeof *r->cells));
    for (int k = 0; k < all->nkernels; k++) {
        if (!strstr(repro_text(" %s ", names), repro_text(" %s ", all->kernels[k])) == named) continue;
        r->kernels[r->nkernels] = all->kernels[k];
        r->is_float[r->nkernels] = all->is_float[k];
        memcpy(&r->cells[r->nkernels++ * r->narchs], corf_cell(all, k, 0), (size_t)r->narchs * sizeof *r->cells);
    }
    return r;
}

CorfResults *corf_run(CorfOptions *o, const char *kernels, const char *archs, const CorfPoint *point) {
    static Known known[MAX_RESULTS];
    static int nknown;
    Settings s = {.n = 0};
    overlay(&s, corf_base_sets);
    overlay(&s, point->sets);
    char *key = repro_text("%s|%s|%s|%d", kernels, archs, point->machine ? point->machine : "", point->loops);
    for (int i = 0; i < s.n; i++) key = repro_text("%s|%s", key, s.words[i]);
    for (int i = 0; i < nknown; i++)
        if (!strcmp(known[i].key, key))
            return point->without ? corf_subset(known[i].results, point->without, false) : known[i].results;
    if (nknown == MAX_RESULTS) repro_die(FAILED, "more than %d points", MAX_RESULTS);
    CorfResults *r = repro_need(calloc(1, sizeof *r));
    r->nkernels = repro_split(kernels, " ,", r->kernels, CORF_KERNELS);
    r->narchs = repro_split(archs, ",", r->archs, CORF_ARCHS);
    r->banks = setting(&s, "rf.banks");
    r->rows = r->banks * setting(&s, "rf.entries");
    r->schedulers = setting(&s, "sm.schedulers");
    measure(r, o, &s, point);
    known[nknown++] = (Known){key, r};
    return point->without ? corf_subset(r, point->without, false) : r;
}

const char *corf_archs_of(const CorfOptions *o) {
    bool found = false;
    char *archs = repro_text("baseline");
    if (!o->figure) return corf_figure_archs;
    for (int i = 0; i < corf_nfigures; i++) {
        const char *arch = corf_figures[i].arch;
        if (strcmp(corf_figures[i].id, o->figure) != 0) continue;
        found = true;
        if (!strstr(repro_text(",%s,", archs), repro_text(",%s,", arch))) archs = repro_text("%s,%s", archs, arch);
    }
    if (!found) repro_die(REPRO_USAGE, "--figure: no figure '%s' in this chapter", o->figure);
    return archs;
}

bool corf_wanted(const CorfOptions *o, int experiment) {
    return !o->experiments || strstr(repro_text(" %s ", o->experiments), repro_text(" %d ", experiment));
}

// ---- the command ---------------------------------------------------------------------------------

static const char usage[] =
    "usage: bench_corf [options], started by smcosim repro corf\n"
    "  --results FILE           index of the results that there are\n"
    "  --plan                   print the commands that lack a result; no document\n"
    "  --figure ID              a figure alone (2.15)\n"
    "  --size small|paper       size of the kernels (default: paper)\n"
    "  --kernels 'NAME...'      kernels of figures and experiments (default: 42 of bench/kernels; twenty of "
    "them in the experiments)\n"
    "  --experiments 'N...'     experiments to run (default: all; '' for none)\n"
    "  --machine MACHINE|FILE   machine preset (default: fermi-corf)\n"
    "  --output FILE            document\n"
    "  --figures FOLDER         drawings\n"
    "  --findings FILE          text that the document ends with\n"
    "  --data FOLDER            the kernels' data\n";

int main(int argc, char **argv) {
    CorfOptions o = {.kernels = corf_kernels, .size = "paper", .machine = "fermi-corf"};
    const ReproOption options[] = {
        {"--size", &o.size},         {"--kernels", &o.kernels}, {"--experiments", &o.experiments}, {"--machine", &o.machine},
        {"--output", &o.output},     {"--findings", &o.findings}, {"--data", &o.data},             {"--figure", &o.figure},
        {"--figures", &o.figures}};
    char *document = NULL;
    size_t length = 0;
    repro_options(options, sizeof options / sizeof *options, usage, argc, argv);
    if (!o.data || !o.output || !o.findings) repro_die(REPRO_USAGE, "expected --data, --findings and --output");
    repro_check_size("--size", o.size);
    FILE *out = repro_need(open_memstream(&document, &length));
    corf_write(out, &o);
    fclose(out);
    if (repro_missing()) return 0;
    repro_save(o.output, document, length);
    if (o.figures) corf_draw(&o);
    return 0;
}
