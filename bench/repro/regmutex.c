// SPDX-License-Identifier: Apache-2.0
// bench/repro/regmutex: runs kernels that registers limit with RegMutex and what it is compared with, and writes
// regmutex.md; --help lists the options.
#include "regmutex.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FAILED = REPRO_FAILED, USAGE = REPRO_USAGE, MAX_WORDS = 128 };

const char repro_command[] = "smcosim repro regmutex";

const char *const rm_arch[RM_ARCHS] = {"baseline", "owf", "rfv", "regmutex", "regmutex-paired"};

// Registers limit the first two lists in the whole file, the last in the half one. Sizes are tried with the first.
static const char *const kernels_sizes[] = {"phase", "hotspot3d", "cutcp", "mriq", "libor", "cifarnet",
                                            "column", "lavamd", "fire", NULL};
static const char *const kernels_full[] = {"dwt2d", "particle", "radixsort", NULL};
static const char *const kernels_half[] = {"md5", "srad", "mergesort", "tpacf", NULL};

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

static void read_machine(RmResults *r, json_t *config) {
    r->banks = (int)repro_integer(config, "rf.banks");
    r->entries = (int)repro_integer(config, "rf.entries");
    r->warps = (int)repro_integer(config, "sm.warps");
    r->schedulers = (int)repro_integer(config, "sm.schedulers");
}

static void run(RmResults *r, RmRun *run, const char *arch, const char *machine, int kernels, const char *sets) {
    run->arch = arch;
    run->machine = machine;
    run->n = kernels;
    snprintf(run->sets, sizeof run->sets, "%s", sets);
    for (int k = 0; k < kernels; k++) {
        json_t *launch = repro_run(repro_launch(r->options->data, r->names[k], r->options->size), arch, machine, sets, NULL);
        if (!launch) continue;
        read_cell(&run->cells[k], launch, repro_text("%s %s", arch, sets));
        if (!r->banks) read_machine(r, repro_config(launch));
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
    const char *words[MAX_WORDS] = {"compile", repro_text("%s/%s/%s/%s.ptx", o->data, r->names[k], o->size, r->names[k]), "--dump", "hints",
                                    "--machine", o->machine, "--set", repro_text("compiler.threads=%d", c->threads)};
    words[repro_sets(words, 8, sets)] = NULL;
    json_t *hints = repro_result(words);
    if (!hints) return;
    const char *text = json_string_value(hints);
    if (!text) repro_die(FAILED, "smcosim compile --dump hints printed no text");
    FILE *in = repro_need(fmemopen(repro_text("%s", text), strlen(text), "r"));
    read_split(s, in, c->kernel);
    fclose(in);
}

// ---- the plan ----

static const char half_sets[] = "rf.entries=%d compiler.rf_entries=%d";

static void measure(RmResults *r) {
    const char *m = r->options->machine;
    run(r, &r->full[RM_BASELINE], "baseline", m, r->n, "");
    if (repro_missing()) return; // what is asked for next depends on it
    const char *half = repro_text(half_sets, r->entries / 2, r->entries);
    for (int a = 0; a < RM_ARCHS; a++) {
        if (a) run(r, &r->full[a], rm_arch[a], m, r->nfull, "");
        run(r, &r->half[a], rm_arch[a], m, r->n, half);
    }
    run(r, &r->own, "baseline", m, r->n, repro_text("rf.entries=%d", r->entries / 2));
    run(r, &r->mapped, "regmutex", m, r->nsizes, "regmutex.es=0");
    run(r, &r->even, "regmutex", m, r->nsizes, "regmutex.round=even");
    for (int i = 0; i < RM_SIZES; i++) run(r, &r->sizes[i], "regmutex", m, r->nsizes, repro_text("regmutex.es=%d", RM_FIRST_SIZE + 2 * i));
    for (int i = 0; i < RM_THRESHOLDS; i++)
        run(r, &r->thresholds[i], "owf", m, r->nsizes, repro_text("owf.threshold=%d", RM_FIRST_THRESHOLD + RM_THRESHOLD_STEP * i));
    run(r, &r->kept, "owf", m, r->nsizes, "owf.pairs=kept");
    run(r, &r->all, "owf", m, r->nsizes, "owf.pairs=all");
    for (int k = 0; k < r->n; k++) {
        if (r->full[RM_BASELINE].cells[k].ran) split(r, &r->split_full[k], k, "");
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
    "bench_regmutex [OPTIONS], started by smcosim repro regmutex: RegMutex' figures beside the thesis'\n"
    "  --results FILE           index of the results that there are\n"
    "  --plan                   print the commands that lack a result; no document\n"
    "  --size small|paper       size of the kernels (default: paper)\n"
    "  --machine MACHINE|FILE   machine preset (default: fermi-regmutex)\n"
    "  --output FILE            document\n"
    "  --figures FOLDER         drawings\n"
    "  --findings FILE          text that the document ends with\n"
    "  --area FILE              tables of areas\n"
    "  --data FOLDER            the kernels' data\n";

static void parse(RmOptions *o, int argc, char **argv) {
    const ReproOption options[] = {{"--size", &o->size},         {"--machine", &o->machine}, {"--output", &o->output}, {"--findings", &o->findings},
                                   {"--figures", &o->figures}, {"--area", &o->area},       {"--data", &o->data}};
    repro_options(options, sizeof options / sizeof *options, usage, argc, argv);
    if (!o->data || !o->output || !o->findings || !o->area) repro_die(USAGE, "expected --data, --output, --findings and --area");
    repro_check_size("--size", o->size);
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
    if (repro_missing()) return 0;
    FILE *out = repro_need(open_memstream(&document, &length));
    rm_write(out, &r);
    fclose(out);
    repro_save(o.output, document, length);
    if (o.figures) rm_draw(&r);
    return 0;
}
