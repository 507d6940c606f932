// SPDX-License-Identifier: Apache-2.0
// bench/repro/bow: compares BOW and the register file cache with the baseline and writes bow.md; --help lists the
// options.
#include "bow.h"

#include <stdlib.h>
#include <string.h>

const char repro_command[] = "smcosim repro bow";
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

static void compare(const BowResults *r, BowRun *run, const char *label, const char *archs, const char *sets) {
    const BowOptions *o = r->options;
    run->label = label;
    run->sets = sets;
    run->narchs = repro_split(archs, ",", run->archs, BOW_ARCHS);
    for (int k = 0; k < BOW_KERNELS; k++)
        for (int a = 0; a < run->narchs; a++) {
            json_t *launch = repro_run(repro_launch(o->data, bow_kernels[k], o->size), run->archs[a], o->machine, sets, NULL);
            if (!launch) continue;
            repro_passed(launch);
            repro_run_counters(&run->cells[k][a], launch);
        }
}

static void read_fit(BowFit *fit, json_t *launch) {
    json_t *kernel = repro_longest_kernel(launch);
    repro_passed(launch);
    if (!kernel) repro_die(REPRO_FAILED, "%s ran no kernel", json_string_value(repro_member(launch, "name")));
    fit->regs = (int)repro_integer(kernel, "registers");
    fit->warps = (int)repro_integer(kernel, "warps_per_sm");
    snprintf(fit->limit, sizeof fit->limit, "%s", json_string_value(repro_member(kernel, "limited_by")));
    repro_run_counters(&fit->counters, launch);
}

static void read_machine(BowResults *r, json_t *config) {
    r->banks = (int)repro_integer(config, "rf.banks");
    r->entries = (int)repro_integer(config, "rf.entries");
    r->warps = (int)repro_integer(config, "sm.warps");
    r->schedulers = (int)repro_integer(config, "sm.schedulers");
    r->window = (int)repro_integer(config, "bow.window");
}

// The baseline, `bow` and `bow-wr` on a register file of some size.
static void fits(BowResults *r, BowSize *s, const char *size, const char *sets) {
    static const char *const archs[] = {"baseline", "bow", "bow-wr"};
    BowFit *const fit[] = {s->baseline, s->bow, s->bow_wr};
    const BowOptions *o = r->options;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < BOW_FITS; k++) {
            json_t *launch = repro_run(repro_launch(o->data, bow_fits[k], size), archs[i], o->machine, sets, NULL);
            if (!launch) continue;
            read_fit(&fit[i][k], launch);
            if (!r->entries) read_machine(r, repro_config(launch));
        }
}

// The whole register file, a half, three eighths and a quarter of it.
static void sizes(BowResults *r) {
    static const int eighths[BOW_SIZES] = {8, 4, 3, 2};
    for (int i = 0; i < BOW_SIZES; i++) {
        BowSize *s = &r->sizes[i];
        fits(r, s, r->options->fit_size, i ? repro_text("rf.entries=%d", r->entries * eighths[i] / 8) : "");
        if (!r->entries) return; // what is asked for next depends on the machine
        s->entries = r->entries * eighths[i] / 8;
        s->kbytes = r->banks * s->entries / 8;
    }
}

static void measure(BowResults *r) {
    sizes(r);
    if (!r->entries) return;
    fits(r, &r->large[0], r->options->large_size, "");
    fits(r, &r->large[1], r->options->large_size, "compiler.schedule=source");
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
    "bench_bow [OPTIONS], started by smcosim repro bow: BOW's figures beside the thesis'\n"
    "  --results FILE           index of the results that there are\n"
    "  --plan                   print the commands that lack a result; no document\n"
    "  --size small|paper       size of the kernels (default: small)\n"
    "  --fit-size small|paper   size of the kernels that run on smaller register files (default: paper)\n"
    "  --large-size small|paper size of eight kernels beside the others (default: paper)\n"
    "  --machine MACHINE|FILE   machine preset (default: pascal)\n"
    "  --output FILE            document\n"
    "  --figures FOLDER         drawings\n"
    "  --findings FILE          text that the document ends with\n"
    "  --storage FILE           what smcosim synth --overheads printed\n"
    "  --sweep FILE             what smcosim synth bypass_collector --sweep iw=2..7 --kernel K --json wrote\n"
    "  --data FOLDER            the kernels' data\n";

int main(int argc, char **argv) {
    BowOptions o = {.size = "small", .fit_size = "paper", .large_size = "paper", .machine = "pascal"};
    const ReproOption options[] = {
        {"--size", &o.size},         {"--fit-size", &o.fit_size}, {"--large-size", &o.large_size},
        {"--machine", &o.machine},   {"--output", &o.output},
        {"--findings", &o.findings}, {"--storage", &o.storage},   {"--sweep", &o.sweep},     {"--data", &o.data},
        {"--figures", &o.figures}};
    static BowResults r;
    char *document = NULL;
    size_t length = 0;
    repro_options(options, sizeof options / sizeof *options, usage, argc, argv);
    if (!o.data || !o.output || !o.findings) repro_die(REPRO_USAGE, "expected --data, --output and --findings");
    repro_check_size("--size", o.size);
    repro_check_size("--fit-size", o.fit_size);
    repro_check_size("--large-size", o.large_size);
    r.options = &o;
    measure(&r);
    if (repro_missing()) return 0;
    FILE *out = repro_need(open_memstream(&document, &length));
    bow_write(out, &r);
    fclose(out);
    repro_save(o.output, document, length);
    if (o.figures) bow_draw(&r);
    return 0;
}
