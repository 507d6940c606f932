// SPDX-License-Identifier: Apache-2.0
// bench/repro/corf: runs the comparison with CORF's figures and writes corf.md; --help lists
// the options.
#include "corf.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FAILED = 1, USAGE = 2, ENVIRONMENT = 7, MAX_WORDS = 400, MAX_SETTINGS = 40, MAX_RESULTS = 200 };

void corf_die(int status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fprintf(stderr, "bench/repro/corf: ");
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    exit(status);
}

static void *need(void *p) {
    if (!p) corf_die(ENVIRONMENT, "out of memory");
    return p;
}

// Formatted text that stays; the program is short-lived.
static char *text(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *text(const char *format, ...) {
    char *s = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&s, format, args) < 0) s = NULL;
    va_end(args);
    return need(s);
}

// Words of `list` between `separators`.
static int split(const char *list, const char *separators, char **words, int most) {
    int n = 0;
    char *save = NULL, *copy = need(strdup(list));
    for (char *w = strtok_r(copy, separators, &save); w; w = strtok_r(NULL, separators, &save)) {
        if (n == most) corf_die(USAGE, "more than %d words in '%s'", most, list);
        words[n++] = w;
    }
    return n;
}

// ---- settings ----------------------------------------------------------------------------------

typedef struct Settings {
    char *words[MAX_SETTINGS]; // key=value, each key once
    int n;
} Settings;

static void overlay(Settings *s, const char *sets) {
    char *words[MAX_SETTINGS];
    int n = split(sets, " ", words, MAX_SETTINGS);
    for (int i = 0; i < n; i++) {
        size_t key = strcspn(words[i], "=") + 1;
        int at = 0;
        while (at < s->n && strncmp(s->words[at], words[i], key) != 0) at++;
        if (at == MAX_SETTINGS) corf_die(USAGE, "too many settings: %s", sets);
        s->words[at] = words[i];
        if (at == s->n) s->n++;
    }
}

static int setting(const Settings *s, const char *key) {
    for (int i = 0; i < s->n; i++)
        if (!strncmp(s->words[i], key, strlen(key)) && s->words[i][strlen(key)] == '=')
            return atoi(s->words[i] + strlen(key) + 1);
    corf_die(FAILED, "no setting %s among the base settings", key);
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
    int n = split(sets, " ", words, MAX_SETTINGS);
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
    char *copy = text("%.*s.loop%d.yaml", (int)(strlen(launch) - 5), launch, loops), line[500];
    FILE *in = fopen(launch, "r"), *out = fopen(copy, "w");
    if (!in || !out) corf_die(ENVIRONMENT, "%s or %s: %s", launch, copy, strerror(errno));
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
    if (fclose(out) != 0) corf_die(ENVIRONMENT, "%s: %s", copy, strerror(errno));
    if (changed != 1) corf_die(FAILED, "%s: %d loop counts, expected one", launch, changed);
    return copy;
}

// ---- one run of smcosim compare ------------------------------------------------------------------

// Runs argv and reads the JSON on its standard output.
static json_t *execute(char **argv) {
    int ends[2], status;
    pid_t pid = pipe(ends) == 0 ? fork() : -1;
    if (pid < 0) corf_die(ENVIRONMENT, "pipe or fork: %s", strerror(errno));
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execv(argv[0], argv);
        fprintf(stderr, "bench/repro/corf: %s: %s\n", argv[0], strerror(errno));
        _exit(ENVIRONMENT);
    }
    close(ends[1]);
    json_error_t error;
    FILE *in = need(fdopen(ends[0], "r"));
    json_t *root = json_loadf(in, 0, &error);
    fclose(in);
    waitpid(pid, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && root) return root;
    fprintf(stderr, "bench/repro/corf: failed%s:", WIFEXITED(status) && WEXITSTATUS(status) == 0 ? ", no JSON" : "");
    for (int i = 0; argv[i]; i++) fprintf(stderr, " %s", argv[i]);
    fprintf(stderr, "\n");
    exit(WIFEXITED(status) && WEXITSTATUS(status) ? WEXITSTATUS(status) : FAILED);
}

static json_t *member(json_t *object, const char *name) {
    json_t *v = json_object_get(object, name);
    if (!v) corf_die(FAILED, "the report of smcosim compare lacks '%s'", name);
    return v;
}

static void read_code(CorfResults *r, json_t *root) {
    static const char *const series[][2] = {{"CORF", "corf"}, {"CORF++", "corf++"}};
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
    json_t *launches = member(root, "launches");
    if ((int)json_array_size(launches) != r->nkernels)
        corf_die(FAILED, "the report of smcosim compare lacks launches");
    r->cells = need(calloc((size_t)(r->nkernels * r->narchs), sizeof *r->cells));
    for (int k = 0; k < r->nkernels; k++) {
        json_t *launch = json_array_get(launches, (size_t)k), *archs = member(launch, "archs");
        r->is_float[k] = json_is_true(member(launch, "float"));
        for (int a = 0; a < r->narchs; a++) {
            CorfCell *cell = &r->cells[k * r->narchs + a];
            json_t *counters = member(member(archs, r->archs[a]), "counters");
            cell->code = NAN;
            for (int i = 0; i < CTR_COUNT; i++)
                cell->counters.v[i] = (uint64_t)json_integer_value(member(counters, counter_info[i].name));
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
    argv[n++] = need(strdup(o->program));
    argv[n++] = "compare";
    for (int k = 0; k < r->nkernels; k++) {
        argv[n] = text("%s/%s/%s/launch.yaml", o->data, r->kernels[k], o->size);
        if (access(argv[n], R_OK) != 0)
            corf_die(USAGE, "%s: %s (target bench-data-%s makes the data)", argv[n], strerror(errno), o->size);
        if (point->loops > 0) argv[n] = shortened(argv[n], point->loops);
        n++;
    }
    char *const fixed[] = {"--blocks",  "model",
                           "--json",    "-",
                           "--jobs",    need(strdup(o->jobs)),
                           "--arch",    need(strdup(archs)),
                           "--machine", need(strdup(point->machine ? point->machine : o->machine))};
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
    CorfResults *r = need(malloc(sizeof *r));
    *r = *all;
    r->nkernels = 0;
    r->cells = need(calloc((size_t)(all->nkernels * all->narchs), sizeof *r->cells));
    for (int k = 0; k < all->nkernels; k++) {
        if (!strstr(text(" %s ", names), text(" %s ", all->kernels[k])) == named) continue;
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
    char *key = text("%s|%s|%s|%d", kernels, archs, point->machine ? point->machine : "", point->loops);
    for (int i = 0; i < s.n; i++) key = text("%s|%s", key, s.words[i]);
    for (int i = 0; i < nknown; i++)
        if (!strcmp(known[i].key, key))
            return point->without ? corf_subset(known[i].results, point->without, false) : known[i].results;
    if (nknown == MAX_RESULTS) corf_die(FAILED, "more than %d points", MAX_RESULTS);
    CorfResults *r = need(calloc(1, sizeof *r));
    r->nkernels = split(kernels, " ,", r->kernels, CORF_KERNELS);
    r->narchs = split(archs, ",", r->archs, CORF_ARCHS);
    r->banks = setting(&s, "rf.banks");
    r->rows = r->banks * setting(&s, "rf.entries");
    r->schedulers = setting(&s, "sm.schedulers");
    char *argv[MAX_WORDS];
    arguments(argv, o, r, archs, &s, point);
    fprintf(stderr, "bench/repro/corf: %d: %d kernels on %s, %s\n", ++o->runs, r->nkernels, archs, point->label);
    json_t *root = execute(argv);
    read_results(r, root);
    json_decref(root);
    known[nknown++] = (Known){key, r};
    return point->without ? corf_subset(r, point->without, false) : r;
}

bool corf_wanted(const CorfOptions *o, int experiment) {
    return !o->experiments || strstr(text(" %s ", o->experiments), text(" %d ", experiment));
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
    const struct {
        const char *name, **value;
    } options[] = {{"--size", &o->size},         {"--kernels", &o->kernels}, {"--experiments", &o->experiments},
                   {"--machine", &o->machine},   {"--jobs", &o->jobs},       {"--output", &o->output},
                   {"--findings", &o->findings}, {"--program", &o->program}, {"--data", &o->data}};
    for (int i = 1; i < argc; i += 2) {
        if (!strcmp(argv[i], "--help")) exit(fputs(usage, stdout) < 0);
        size_t k = 0, n = sizeof options / sizeof *options;
        while (k < n && strcmp(argv[i], options[k].name) != 0) k++;
        if (k == n) corf_die(USAGE, "unknown option '%s'\n%s", argv[i], usage);
        if (i + 1 == argc) corf_die(USAGE, "%s: a value is missing", argv[i]);
        *options[k].value = argv[i + 1];
    }
    if (!o->program || !o->data || !o->output || !o->findings)
        corf_die(USAGE, "expected --program, --data, --output and --findings");
    if (strcmp(o->size, "small") != 0 && strcmp(o->size, "paper") != 0)
        corf_die(USAGE, "--size: found '%s', expected small or paper", o->size);
}

// All of the document or nothing of it.
static void save(const char *path, const char *document, size_t length) {
    char *part = text("%s.part", path);
    FILE *f = fopen(part, "w");
    if (!f) corf_die(ENVIRONMENT, "%s: %s", part, strerror(errno));
    bool ok = fwrite(document, 1, length, f) == length;
    ok = fclose(f) == 0 && ok;
    if (ok && rename(part, path) == 0) return;
    unlink(part);
    corf_die(ENVIRONMENT, "%s: could not be written", path);
}

int main(int argc, char **argv) {
    CorfOptions o = {.kernels = corf_kernels, .size = "paper", .machine = "fermi-corf", .jobs = "1"};
    parse(&o, argc, argv);
    char *document = NULL;
    size_t length = 0;
    FILE *out = need(open_memstream(&document, &length));
    corf_write(out, &o);
    fclose(out);
    save(o.output, document, length);
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    fprintf(stderr, "bench/repro/corf: %s: %d comparisons, %ld s of processor time\n", o.output, o.runs,
            (long)(used.ru_utime.tv_sec + used.ru_stime.tv_sec));
    return 0;
}
