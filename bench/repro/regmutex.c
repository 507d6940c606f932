// SPDX-License-Identifier: Apache-2.0
// bench/repro/regmutex: runs kernels that registers limit with RegMutex and what it is compared with, and writes
// regmutex.md; --help lists the options.
#include "regmutex.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FAILED = REPRO_FAILED, USAGE = REPRO_USAGE, ENVIRONMENT = REPRO_ENVIRONMENT, MAX_WORDS = 128, MAX_RUNS = 64 };

const char repro_command[] = "bench/repro/regmutex";

const char *const rm_arch[RM_ARCHS] = {"baseline", "owf", "rfv", "regmutex", "regmutex-paired"};

// Registers limit the first two lists in the whole file, the last in the half one. Sizes are tried with the first.
static const char *const kernels_sizes[] = {"phase", "hotspot3d", "cutcp", "mriq", "libor", "cifarnet",
                                            "column", "lavamd", "fire", NULL};
static const char *const kernels_full[] = {"dwt2d", "particle", "radixsort", NULL};
static const char *const kernels_half[] = {"md5", "srad", "mergesort", "tpacf", NULL};

// ---- smcosim ----

// Starts argv with its output in `out`, a file.
static pid_t start(char **argv, FILE *out) {
    const pid_t pid = fork();
    if (pid < 0) repro_die(ENVIRONMENT, "fork: %s", strerror(errno));
    if (pid) return pid;
    dup2(fileno(out), STDOUT_FILENO);
    if (!freopen("/dev/null", "w", stderr)) _exit(ENVIRONMENT);
    execv(argv[0], argv);
    _exit(ENVIRONMENT);
}

// ---- what a run gave ----

static void read_cell(RmCell *c, json_t *launch, const char *what) {
    const char *verdict = json_string_value(repro_member(launch, "verdict"));
    json_t *kernel = repro_longest_kernel(launch);
    if (!strcmp(verdict, "usage")) return;  // does not fit
    if (strcmp(verdict, "pass") || !kernel)
        repro_die(FAILED, "%s: %s: %s: %s", what, json_string_value(repro_member(launch, "name")), verdict,
               json_string_value(repro_member(launch, "message")));
    c->ran = true;
    repro_run_counters(&c->counters, launch);
    c->threads = 1;
    for (size_t i = 0; i < 3; i++) c->threads *= (int)json_integer_value(json_array_get(repro_member(kernel, "block"), i));
    snprintf(c->kernel, sizeof c->kernel, "%s", json_string_value(repro_member(kernel, "name")));
    c->regs = (int)repro_integer(kernel, "registers");
    c->warps = (int)repro_integer(kernel, "warps_per_sm");
    snprintf(c->limit, sizeof c->limit, "%s", json_string_value(repro_member(kernel, "limited_by")));
}

static void read_run(RmResults *r, RmRun *run, FILE *in) {
    json_error_t error;
    rewind(in);
    json_t *root = json_loadf(in, 0, &error);
    const char *what = repro_text("%s %s", run->arch, run->sets);
    fclose(in);
    if (!root) repro_die(FAILED, "%s: no report: %s", what, error.text);
    json_t *launches = repro_member(root, "launches"), *config = repro_member(root, "config");
    if ((int)json_array_size(launches) != run->n) repro_die(FAILED, "%s: launches are missing", what);
    for (size_t k = 0; k < json_array_size(launches); k++) read_cell(&run->cells[k], json_array_get(launches, k), what);
    if (!r->banks) {
        r->banks = (int)repro_integer(config, "rf.banks");
        r->entries = (int)repro_integer(config, "rf.entries");
        r->warps = (int)repro_integer(config, "sm.warps");
        r->schedulers = (int)repro_integer(config, "sm.schedulers");
    }
    json_decref(root);
}

static pid_t start_run(const RmResults *r, const RmRun *run, FILE *out) {
    char *argv[MAX_WORDS];
    int n = 0;
    argv[n++] = repro_text("%s", r->options->program);
    argv[n++] = "run";
    for (int k = 0; k < run->n; k++) argv[n++] = repro_launch(r->options->data, r->names[k], r->options->size);
    char *const fixed[] = {"--blocks", "model", "--json", "-", "--arch", repro_text("%s", run->arch), "--machine",
                           repro_text("%s", run->machine)};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) argv[n++] = fixed[i];
    argv[repro_sets(argv, n, run->sets)] = NULL;
    return start(argv, out);
}

// Some runs at a time, as many as jobs; in their order, since the first are the longest.
static void do_runs(RmResults *r, RmRun **runs, int nruns) {
    FILE *out[MAX_RUNS];
    pid_t pids[MAX_RUNS];
    int begun = 0, active = 0, status;
    for (int ended = 0; ended < nruns; ended++) {
        for (; begun < nruns && active < r->options->jobs; begun++, active++) {
            if (!(out[begun] = tmpfile())) repro_die(ENVIRONMENT, "no temporary file: %s", strerror(errno));
            pids[begun] = start_run(r, runs[begun], out[begun]);
        }
        const pid_t pid = wait(&status);
        int i = 0;
        while (i < begun && pids[i] != pid) i++;
        if (i == begun) repro_die(ENVIRONMENT, "a process that was not started has ended");
        active--;
        if (!WIFEXITED(status) || WEXITSTATUS(status) == ENVIRONMENT)
            repro_die(FAILED, "%s %s: smcosim run failed", runs[i]->arch, runs[i]->sets);
        read_run(r, runs[i], out[i]);
        fprintf(stderr, "%d of %d runs: %s %s %s\n", ended + 1, nruns, runs[i]->machine, runs[i]->arch, runs[i]->sets);
    }
}

// ---- how registers are split ----

// The part of what `compile --dump hints` prints that belongs to one kernel: from "split:" to "kernel NAME:".
static void read_split(RmSplit *s, FILE *in, const char *kernel) {
    char line[512], name[128];
    int ext, base, ctas, warps, sections, regs, given, most;
    RmSplit now = {0};
    rewind(in);
    while (fgets(line, sizeof line, in)) {
        if (sscanf(line, "split: %d registers, R %d, at most %d in use", &regs, &given, &most) == 3) {
            now = (RmSplit){.most = most, .limited = strstr(line, ", limited by registers") != NULL};
        } else if (strstr(line, " chosen") && !strstr(line, "not chosen") &&
                   sscanf(line, " %d %d %d %d %d", &ext, &base, &ctas, &warps, &sections) == 5) {
            now.ext = ext, now.base = base, now.warps = warps, now.sections = sections;
        } else if (sscanf(line, " static: %d acq, %d rel, %d mov", &now.acq, &now.rel, &now.mov) == 3) {
            continue;
        } else if (sscanf(line, "kernel %127[^:]:", name) == 1 && !strcmp(name, kernel)) {
            *s = now;
            return;
        }
    }
    repro_die(FAILED, "smcosim compile --dump hints says nothing of kernel %s", kernel);
}

static void split(const RmResults *r, RmSplit *s, int k, const char *sets) {
    const RmOptions *o = r->options;
    const RmCell *c = &r->full[RM_BASELINE].cells[k];
    char *argv[MAX_WORDS] = {repro_text("%s", o->program), "compile", repro_text("%s/%s/%s/%s.ptx", o->data, r->names[k], o->size, r->names[k]),
                             "--dump", "hints", "--machine", repro_text("%s", o->machine), "--set",
                             repro_text("compiler.threads=%d", c->threads)};
    FILE *out = tmpfile();
    int status;
    if (!out) repro_die(ENVIRONMENT, "no temporary file: %s", strerror(errno));
    argv[repro_sets(argv, 9, sets)] = NULL;
    waitpid(start(argv, out), &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status)) repro_die(FAILED, "smcosim compile %s failed", argv[2]);
    read_split(s, out, c->kernel);
    fclose(out);
}

// ---- the plan ----

static bool has_arch(const RmOptions *o, const char *name) {
    char *argv[] = {repro_text("%s", o->program), "list", "archs", NULL}, line[256], word[128];
    FILE *out = tmpfile();
    bool found = false;
    int status;
    if (!out) repro_die(ENVIRONMENT, "no temporary file: %s", strerror(errno));
    waitpid(start(argv, out), &status, 0);
    rewind(out);
    while (fgets(line, sizeof line, out)) found |= sscanf(line, "%127s", word) == 1 && !strcmp(word, name);
    fclose(out);
    return found;
}

static void plan(RmRun *run, RmRun **runs, int *n, const char *arch, const char *machine, int kernels, const char *sets) {
    run->arch = arch;
    run->machine = machine;
    run->n = kernels;
    snprintf(run->sets, sizeof run->sets, "%s", sets);
    runs[(*n)++] = run;
}

static const char half_sets[] = "rf.entries=%d compiler.rf_entries=%d";

static void measure(RmResults *r) {
    const RmOptions *o = r->options;
    const char *m = o->machine;
    RmRun *runs[MAX_RUNS];
    int n = 0;
    plan(&r->full[RM_BASELINE], runs, &n, "baseline", m, r->n, "");
    do_runs(r, runs, n);
    const char *half = repro_text(half_sets, r->entries / 2, r->entries);
    n = 0;
    for (int a = 0; a < RM_ARCHS; a++) {
        if (a && !has_arch(o, rm_arch[a])) continue;
        if (a) plan(&r->full[a], runs, &n, rm_arch[a], m, r->nfull, "");
        plan(&r->half[a], runs, &n, rm_arch[a], m, r->n, half);
    }
    plan(&r->own, runs, &n, "baseline", m, r->n, repro_text("rf.entries=%d", r->entries / 2));
    plan(&r->mapped, runs, &n, "regmutex", m, r->nsizes, "regmutex.es=0");
    plan(&r->even, runs, &n, "regmutex", m, r->nsizes, "regmutex.round=even");
    for (int i = 0; i < RM_SIZES; i++)
        plan(&r->sizes[i], runs, &n, "regmutex", m, r->nsizes, repro_text("regmutex.es=%d", RM_FIRST_SIZE + 2 * i));
    for (int i = 0; i < RM_THRESHOLDS; i++)
        plan(&r->thresholds[i], runs, &n, "owf", m, r->nsizes, repro_text("owf.threshold=%d", RM_FIRST_THRESHOLD + RM_THRESHOLD_STEP * i));
    plan(&r->kept, runs, &n, "owf", m, r->nsizes, "owf.pairs=kept");
    plan(&r->all, runs, &n, "owf", m, r->nsizes, "owf.pairs=all");
    do_runs(r, runs, n);
    for (int k = 0; k < r->n; k++) {
        split(r, &r->split_full[k], k, "");
        if (r->half[RM_BASELINE].cells[k].ran) split(r, &r->split_half[k], k, half);
    }
}

// ---- storage ----

// Flip-flops and memory bits of blocks, from the first table of bench/area.
static void storage(RmResults *r) {
    static const char *const blocks[] = {"srp_allocator", "owf_locks", "rename_table", "alloc_unit", "rfv_throttle"};
    FILE *in = fopen(r->options->area, "r");
    char line[512], name[64];
    int flops, bits;
    if (!in) repro_die(USAGE, "%s: %s", r->options->area, strerror(errno));
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        rewind(in);
        bool found = false;
        while (!found && fgets(line, sizeof line, in))
            found = sscanf(line, "| %63[a-z_]%*[^|]| %*d | %*d | %d | %*f | %d |", name, &flops, &bits) == 3 && !strcmp(name, blocks[i]);
        if (!found) repro_die(FAILED, "%s: no row of block %s", r->options->area, blocks[i]);
        r->storage[r->nstorage].name = blocks[i];
        r->storage[r->nstorage].flops = flops;
        r->storage[r->nstorage++].bits = bits;
    }
    fclose(in);
}

// ---- options, document ----

static const char usage[] =
    "bench/repro/regmutex [OPTIONS]: RegMutex' figures beside the thesis'\n"
    "  --size small|paper       size of the kernels (default: paper)\n"
    "  --machine MACHINE|FILE   machine preset (default: fermi-regmutex)\n"
    "  --jobs N                 runs at the same time (default: 1)\n"
    "  --output FILE            document (default: bench/repro/regmutex.md)\n"
    "  --findings FILE          text that the document ends with (default: bench/repro/regmutex.findings.md)\n"
    "  --area FILE              tables of areas (default: bench/area/README.md)\n"
    "  --program FILE           smcosim\n"
    "  --data FOLDER            the kernels' data\n";

static void parse(RmOptions *o, int argc, char **argv) {
    const char *jobs = "1";
    const ReproOption options[] = {
        {"--size", &o->size}, {"--machine", &o->machine}, {"--jobs", &jobs}, {"--output", &o->output},
        {"--findings", &o->findings}, {"--area", &o->area}, {"--program", &o->program}, {"--data", &o->data}};
    repro_options(options, sizeof options / sizeof *options, usage, argc, argv);
    o->jobs = atoi(jobs);
    if (!o->program || !o->data || !o->output || !o->findings || !o->area)
        repro_die(USAGE, "expected --program, --data, --output, --findings and --area");
    repro_check_size(o->size);
    if (o->jobs < 1 || o->jobs > MAX_RUNS) repro_die(USAGE, "--jobs: found '%s', expected 1 to %d", jobs, MAX_RUNS);
}

int main(int argc, char **argv) {
    RmOptions o = {.size = "paper", .machine = "fermi-regmutex"};
    static RmResults r;
    char *document = NULL;
    size_t length = 0;
    parse(&o, argc, argv);
    r.options = &o;
    for (const char *const *k = kernels_sizes; *k; k++) r.names[r.n++] = *k;
    r.nsizes = r.n;
    for (const char *const *k = kernels_full; *k; k++) r.names[r.n++] = *k;
    r.nfull = r.n;
    for (const char *const *k = kernels_half; *k; k++) r.names[r.n++] = *k;
    storage(&r);
    measure(&r);
    FILE *out = open_memstream(&document, &length);
    if (!out) repro_die(ENVIRONMENT, "out of memory");
    rm_write(out, &r);
    fclose(out);
    repro_save(o.output, document, length);
    fprintf(stderr, "bench/repro/regmutex: %s: %ld s of processor time\n", o.output, repro_child_seconds());
    return 0;
}
