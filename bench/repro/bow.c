// SPDX-License-Identifier: Apache-2.0
// bench/repro/bow: compares BOW and the register file cache with the baseline and writes bow.md; --help lists the
// options.
#include "bow.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 96 };

const char repro_command[] = "bench/repro/bow";
const char *const bow_kernels[BOW_KERNELS] = {"laplace3d", "nw", "gaussian", "bfs", "btree", "backprop", "vecadd", "sad", "libor",
                                              "md5", "column", "srad", "strmatch", "cifarnet", "fire", "sgemm", "hash", "conv"};
const char *const bow_fits[BOW_FITS] = {"column", "libor", "md5", "sad", "laplace3d", "sgemm", "hash", "conv"};

static const char all_archs[] = "baseline,bow-nofwd,bow,bow-wb,bow-wr,bow-wr-half,rfc,rfc:rfv";
static const char three_archs[] = "baseline,bow-nofwd,bow,bow-wr";

// One thing changed at a time.
static const struct { const char *label, *sets; } varied[BOW_VARIED] = {
    {"no entry register", "oc.entry=0"},
    {"8 banks of 256 rows", "rf.banks=8 rf.entries=256"},
    {"4 banks of 512 rows", "rf.banks=4 rf.entries=512"},
    {"loose round robin", "sm.scheduler=lrr"},
    {"SFU takes an instruction in 8 cycles", "exec.sfu.interval=8"},
    {"2 instead of 4 write ports", "rf.write_ports=2"},
    {"every unit takes an instruction per cycle",
     "exec.cmp.interval=1 exec.shift.interval=1 exec.imul.interval=1 exec.idiv.interval=1 exec.fdiv.interval=1 "
     "exec.fp64.interval=1 exec.ddiv.interval=1 exec.cvt.interval=1"}};

int bow_arch(const BowRun *run, const char *name) {
    for (int a = 0; a < run->narchs; a++)
        if (!strcmp(run->archs[a], name)) return a;
    repro_die(REPRO_FAILED, "%s: no architecture %s among the runs", run->label, name);
}
const Counters *bow_cell(const BowRun *run, int kernel, const char *arch) { return &run->cells[kernel][bow_arch(run, arch)]; }

// ---- runs ----

static int command(char **argv, const BowOptions *o, const char *what, const char *size, const char *archs, const char *sets) {
    const bool fit = !strcmp(what, "run");
    int n = 0;
    argv[n++] = repro_text("%s", o->program);
    argv[n++] = repro_text("%s", what);
    for (int k = 0; k < (fit ? BOW_FITS : BOW_KERNELS); k++)
        argv[n++] = repro_launch(o->data, (fit ? bow_fits : bow_kernels)[k], size);
    char *const fixed[] = {"--blocks", "model", "--json", "-", "--arch", repro_text("%s", archs), "--machine", repro_text("%s", o->machine)};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) argv[n++] = fixed[i];
    n = repro_sets(argv, n, sets);
    argv[n] = NULL;
    return n;
}

static void compare(const BowResults *r, BowRun *run, const char *label, const char *archs, const char *sets) {
    char *argv[MAX_WORDS];
    int n = command(argv, r->options, "compare", r->options->size, archs, sets);
    argv[n++] = "--jobs";
    argv[n++] = repro_text("%s", r->options->jobs);
    argv[n] = NULL;
    run->label = label;
    run->sets = sets;
    run->narchs = repro_split(archs, ",", run->archs, BOW_ARCHS);
    fprintf(stderr, "%s: %s: %s %s\n", repro_command, label, archs, sets);
    json_t *root = repro_execute(argv), *launches = repro_member(root, "launches");
    if (json_array_size(launches) != BOW_KERNELS) repro_die(REPRO_FAILED, "the report of smcosim compare lacks launches");
    for (size_t k = 0; k < BOW_KERNELS; k++)
        for (int a = 0; a < run->narchs; a++)
            repro_compare_counters(&run->cells[k][a], repro_member(repro_member(json_array_get(launches, k), "archs"), run->archs[a]));
    json_decref(root);
}

static void read_fits(BowResults *r, BowFit *fit, json_t *root, bool whole) {
    json_t *launches = repro_member(root, "launches"), *config = repro_member(root, "config");
    for (size_t k = 0; k < BOW_FITS; k++) {
        json_t *launch = json_array_get(launches, k), *kernel = repro_longest_kernel(launch);
        if (!kernel) repro_die(REPRO_FAILED, "%s ran no kernel", bow_fits[k]);
        fit[k].regs = (int)repro_integer(kernel, "registers");
        fit[k].warps = (int)repro_integer(kernel, "warps_per_sm");
        snprintf(fit[k].limit, sizeof fit[k].limit, "%s", json_string_value(repro_member(kernel, "limited_by")));
        repro_run_counters(&fit[k].counters, launch);
    }
    if (!whole) return;
    r->banks = (int)repro_integer(config, "rf.banks");
    r->entries = (int)repro_integer(config, "rf.entries");
    r->warps = (int)repro_integer(config, "sm.warps");
    r->schedulers = (int)repro_integer(config, "sm.schedulers");
    r->window = (int)repro_integer(config, "bow.window");
}

// The baseline, `bow` and `bow-wr` on a register file of some size, at the same time if there are jobs for it.
static void fits(BowResults *r, BowSize *s, const char *sets) {
    static const char *const archs[] = {"baseline", "bow", "bow-wr"};
    BowFit *const fit[] = {s->baseline, s->bow, s->bow_wr};
    char *argv[3][MAX_WORDS];
    ReproJob jobs[3];
    const bool together = strcmp(r->options->jobs, "1") != 0;
    for (int i = 0; i < 3; i++) {
        command(argv[i], r->options, "run", r->options->fit_size, archs[i], sets);
        fprintf(stderr, "%s: %s %s\n", repro_command, archs[i], sets);
        jobs[i] = repro_start(argv[i]);
        for (int k = together ? 0 : i; k <= i && (i == 2 || !together); k++) {
            json_t *root = repro_finish(&jobs[k]);
            read_fits(r, fit[k], root, !*sets);
            json_decref(root);
        }
    }
    s->entries = *sets ? s->entries : r->entries;
    s->kbytes = r->banks * s->entries / 8;
}

// The whole register file, a half, three eighths and a quarter of it.
static void sizes(BowResults *r) {
    static const int eighths[BOW_SIZES] = {8, 4, 3, 2};
    for (int i = 0; i < BOW_SIZES; i++) {
        r->sizes[i].entries = r->entries * eighths[i] / 8;
        fits(r, &r->sizes[i], i ? repro_text("rf.entries=%d", r->sizes[i].entries) : "");
    }
}

static void measure(BowResults *r) {
    sizes(r);
    compare(r, &r->main, "as the machine is", all_archs, "stats.reuse=1");
    compare(r, &r->source, "instructions as in the text", all_archs, "stats.reuse=1 compiler.schedule=source");
    compare(r, &r->narrow, "addresses of 32 bits", all_archs, "stats.reuse=1 compiler.addr_bits=32");
    compare(r, &r->both, "both", all_archs, "stats.reuse=1 compiler.schedule=source compiler.addr_bits=32");
    for (int w = BOW_LEAST; w <= BOW_MOST; w++)
        if (w != r->window) compare(r, &r->windows[w], "another window", three_archs, repro_text("bow.window=%d", w));
    for (int i = 0; i < BOW_VARIED; i++) compare(r, &r->varied[i], varied[i].label, three_archs, varied[i].sets);
    compare(r, &r->collectors, "a quarter of the collectors", "baseline", repro_text("oc.collectors=%d", r->warps / 4));
}

// ---- the command ----

static const char usage[] =
    "bench/repro/bow [OPTIONS]: BOW's figures beside the thesis'\n"
    "  --size small|paper       size of the kernels (default: small)\n"
    "  --fit-size small|paper   size of the kernels that run on smaller register files (default: paper)\n"
    "  --machine MACHINE|FILE   machine preset (default: pascal)\n"
    "  --jobs N                 runs at the same time (default: 1)\n"
    "  --output FILE            document (default: bench/repro/bow.md)\n"
    "  --findings FILE          text that the document ends with (default: bench/repro/bow.findings.md)\n"
    "  --storage FILE           what smcosim synth --overheads printed\n"
    "  --sweep FILE             what smcosim synth bypass_collector --sweep iw=2..7 --kernel K --json wrote\n"
    "  --program FILE           smcosim\n"
    "  --data FOLDER            the kernels' data\n";

int main(int argc, char **argv) {
    BowOptions o = {.size = "small", .fit_size = "paper", .machine = "pascal", .jobs = "1"};
    const ReproOption options[] = {
        {"--size", &o.size},       {"--fit-size", &o.fit_size}, {"--machine", &o.machine}, {"--jobs", &o.jobs}, {"--output", &o.output},
        {"--findings", &o.findings}, {"--storage", &o.storage}, {"--sweep", &o.sweep},     {"--data", &o.data}, {"--program", &o.program}};
    static BowResults r;
    char *document = NULL;
    size_t length = 0;
    repro_options(options, sizeof options / sizeof *options, usage, argc, argv);
    if (!o.program || !o.data || !o.output || !o.findings)
        repro_die(REPRO_USAGE, "expected --program, --data, --output and --findings");
    repro_check_size(o.size);
    repro_check_size(o.fit_size);
    r.options = &o;
    measure(&r);
    FILE *out = repro_need(open_memstream(&document, &length));
    bow_write(out, &r);
    fclose(out);
    repro_save(o.output, document, length);
    fprintf(stderr, "%s: %s: %ld s of processor time\n", repro_command, o.output, repro_child_seconds());
    return 0;
}
