// SPDX-License-Identifier: Apache-2.0
// bench/repro/corf: runs the comparison with CORF's figures and writes corf.md; --help lists
// the options.
#include "corf.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FAILED = REPRO_FAILED, MAX_WORDS = 400, MAX_SETTINGS = 40, MAX_RESULTS = 200 };

const char repro_command[] = "bench/repro/corf";

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

// ---- one run of smcosim compare ------------------------------------------------------------------

static void read_code(CorfResults *r, json_t *root) {
    static const char *const series[][2] = {{"corf", "corf"}, {"corf++", "corf++"}};
    size_t i, k;
    json_t *figure, *s;
    json_array_foreach(json_object_get(root, "figures"), i, figure) {
        if (strcmp(json_string_value(json_object_get(figure, "id")), "2.19") != 0) continue;
        json_array_foreach(json_object_get(figure, "series"), k, s) {
            const char *name = json_string_value(json_object_get(s, "name"));
            for (int n = 0; n < 2; n++) {
                int arch = strcmp(name, series[n][0]) ? -1 : corf_arch(r, series[n][1]);
                for (int l = 0; arch >= 0 && l < r->nkernels; l++)
                    r->cells[l * r->narchs + arch].code =
                        json_number_value(json_array_get(json_object_get(s, "values"), (size_t)l));
            }
        }
    }
}

static void read_results(CorfResults *r, json_t *root) {
    json_t *launches = repro_member(root, "launches");
    if ((int)json_array_size(launches) != r->nkernels)
        repro_die(FAILED, "the report of smcosim compare lacks launches");
    r->cells = repro_need(calloc((size_t)(r->nkernels * r->narchs), sizeof *r->cells));
    for (int k = 0; k < r->nkernels; k++) {
        json_t *launch = json_array_get(launches, (size_t)k), *archs = repro_member(launch, "archs");
        r->is_float[k] = json_is_true(repro_member(launch, "float"));
        for (int a = 0; a < r->narchs; a++) {
            CorfCell *cell = &r->cells[k * r->narchs + a];
            repro_compare_counters(&cell->counters, repro_member(archs, r->archs[a]));
            cell->code = NAN;
        }
    }
    read_code(r, root);
}

int corf_arch(const CorfResults *r, const char *name) {
    for (int a = 0; a < r->narchs; a++)
        if (!strcmp(r->archs[a], name)) return a;
    return -1;
}

static void arguments(char **argv, const CorfOptions *o, const CorfResults *r, const char *archs, const Settings *s,
                      const CorfPoint *point) {
    int n = 0;
    argv[n++] = repro_need(strdup(o->program));
    argv[n++] = "compare";
    for (int k = 0; k < r->nkernels; k++) {
        argv[n] = repro_launch(o->data, r->kernels[k], o->size);
        if (point->loops > 0) argv[n] = shortened(argv[n], point->loops);
        n++;
    }
    char *const fixed[] = {"--blocks",  "model",
                           "--json",    "-",
                           "--jobs",    repro_need(strdup(o->jobs)),
                           "--arch",    repro_need(strdup(archs)),
                           "--machine", repro_need(strdup(point->machine ? point->machine : o->machine))};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) argv[n++] = fixed[i];
    if (point->loops > 0) argv[n++] = "--check", argv[n++] = "oracle";
    for (int i = 0; i < s->n; i++) argv[n++] = "--set", argv[n++] = s->words[i];
    argv[n] = NULL;
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
    char *argv[MAX_WORDS];
    arguments(argv, o, r, archs, &s, point);
    fprintf(stderr, "bench/repro/corf: %d: %d kernels on %s, %s\n", ++o->runs, r->nkernels, archs, point->label);
    json_t *root = repro_execute(argv);
    read_results(r, root);
    json_decref(root);
    known[nknown++] = (Known){key, r};
    return point->without ? corf_subset(r, point->without, false) : r;
}

bool corf_wanted(const CorfOptions *o, int experiment) {
    return !o->experiments || strstr(repro_text(" %s ", o->experiments), repro_text(" %d ", experiment));
}

// ---- the command ---------------------------------------------------------------------------------

static const char usage[] =
    "usage: bench/repro/corf [options]\n"
    "  --size small|paper       size of the kernels (default: paper)\n"
    "  --kernels 'NAME...'      kernels of figures and experiments (default: 42 of bench/kernels; twenty of "
    "them in the experiments)\n"
    "  --experiments 'N...'     experiments to run (default: all; '' for none)\n"
    "  --machine MACHINE|FILE   machine preset (default: fermi-corf)\n"
    "  --jobs N                 runs at the same time (default: 1)\n"
    "  --output FILE            document (default: bench/repro/corf.md)\n"
    "  --findings FILE          text that the document ends with (default: bench/repro/corf.findings.md)\n"
    "  --program FILE           smcosim\n"
    "  --data FOLDER            the kernels' data\n";

static void parse(CorfOptions *o, int argc, char **argv) {
    const ReproOption options[] = {
        {"--size", &o->size},         {"--kernels", &o->kernels}, {"--experiments", &o->experiments},
        {"--machine", &o->machine},   {"--jobs", &o->jobs},       {"--output", &o->output},
        {"--findings", &o->findings}, {"--program", &o->program}, {"--data", &o->data}};
    repro_options(options, sizeof options / sizeof *options, usage, argc, argv);
    if (!o->program || !o->data || !o->output || !o->findings)
        repro_die(REPRO_USAGE, "expected --program, --data, --output and --findings");
    repro_check_size(o->size);
}

int main(int argc, char **argv) {
    CorfOptions o = {.kernels = corf_kernels, .size = "paper", .machine = "fermi-corf", .jobs = "1"};
    parse(&o, argc, argv);
    char *document = NULL;
    size_t length = 0;
    FILE *out = repro_need(open_memstream(&document, &length));
    corf_write(out, &o);
    fclose(out);
    repro_save(o.output, document, length);
    fprintf(stderr, "bench/repro/corf: %s: %d comparisons, %ld s of processor time\n", o.output, o.runs,
            repro_child_seconds());
    return 0;
}
