// SPDX-License-Identifier: Apache-2.0
// smcosim verify: blocks alone, golden model against RTL, under constrained-random transactions.
#include "base/console.h"
#include "base/plain.h"
#include "base/status.h"
#include "cli/cli.h"
#include "cli/block_list.h"
#include "cosim/rtl.h"
#include "proc/clock.h"
#include "verify/cover.h"
#include "verify/verify_evidence.h"
#include "cli/cmd_mutate.h"
#include "verify/fourstate.h"
#include "verify/verify_report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_LIST = 64 };
#define NOT_GIVEN UINT64_MAX
#define NUMBER_TEXT(n) #n
#define DIGITS(n) NUMBER_TEXT(n)

typedef struct Settings {
    const char *machine, *cover, *json, *junit, *dump, *bundle, *netlist, *gates, *mutate_dir;
    bool flat;
    const char *sets[MAX_LIST], *params[MAX_LIST], *testbugs[MAX_LIST], *rtls[MAX_LIST];
    int nsets, nparams, ntestbugs, nrtls;
    uint64_t seed, start, seeds, transactions, long_cycles, jobs, mutate, seconds, audit;
    enum { SIM_VERILATOR, SIM_ICARUS, SIM_NETLIST } sim;
    bool require_bins;
    enum { SHAPES_DEFAULT, SHAPES_ALL, SHAPES_MACHINE, SHAPES_OWN } shapes;
    const BlockDesc *blocks[MAX_LIST];
    int nblocks;
    bool named;   // blocks were given on the command line
    bool resets;  // --mutate resets; mutate is then 1
} Settings;

// One verification: a block in one shape. own: NULL for the machine's shape.
typedef struct Row {
    const BlockDesc *desc;
    const StimShape *own;
    const MachineConfig *cfg;
    bool several;  // the block has other rows
} Row;

static const char *const sims[] = {"verilator", "icarus", "netlist"};

static bool set_mutate(void *settings, const char *value, Diag *d) {
    Settings *s = settings;
    s->resets = !strcmp(value, "resets");
    s->mutate = 1;
    if (!s->resets && (*value < '0' || *value > '9'))
        return diag_fail(d, EXIT_USAGE, "--mutate: found '%s', expected a number or resets", value);
    return s->resets || cli_number("mutate", value, 1, 20000, &s->mutate, d);
}

static const CliOption options[] = {
    {"machine", "MACHINE|FILE",
     "machine preset whose shapes are verified (default: fermi; with --cover: cover)", NULL,
     "What is verified", CLI_TEXT(Settings, machine)},
    {"set", "KEY=VALUE", "override a machine parameter (may be repeated)",
     CLI_LIST(Settings, sets, nsets, MAX_LIST)},
    {"param", "NAME=VALUE", "override a parameter of the block itself (one block; may be repeated)",
     CLI_LIST(Settings, params, nparams, MAX_LIST)},
    {"shapes", "all|machine|own",
     "machine: the machine's shape; own: the blocks' own shapes (models/FAMILY/BLOCK_stim.c). "
     "Default: all, or machine with --machine, --set, --param, --testbug, --cover, --dump, "
     "--mutate, --sim icarus or netlist",
     CLI_WORD(Settings, shapes, SHAPES_ALL)},
    {"seed", "S", "seed of the first chunk; chunk i has S+i", "1", "How much",
     CLI_NUMBER(Settings, seed, 0, INT64_MAX)},
    {"start", "N",
     "registers of the RTL have random start values, of seed N; 0: all start as 0 (verilator; "
     "default: the seed of each chunk)",
     CLI_NUMBER(Settings, start, 0, INT64_MAX)},
    {"seeds", "N",
     "N chunks of each shape, instead of --transactions: N * 10000 transactions (icarus, netlist: "
     "N * 250)",
     CLI_NUMBER(Settings, seeds, 1, 10000000)},
    {"transactions", "N",
     "transactions per block and shape (default: 200000; icarus 4000, netlist 2000, a mutant "
     "60000)",
     CLI_NUMBER(Settings, transactions, 1, 100000000000)},
    {"long-cycles", "N",
     "one chunk in 20 (seeds that 20 divides) has N cycles without a reset; 0: none has "
     "(verilator; default: " DIGITS(VERIFY_LONG_CYCLES) ")",
     CLI_NUMBER(Settings, long_cycles, 0, 100000000)},
    {"jobs", "N", "parallel chunks; the verdict does not depend on N", "1", .letter = 'j',
     CLI_NUMBER(Settings, jobs, 1, 256)},
    {"cover", "DIR",
     "also measure code coverage: lines, branches, toggles; writes HTML (with bins) and an lcov "
     "file into DIR",
     NULL, "Coverage and reports", CLI_TEXT(Settings, cover)},
    {"require-bins", NULL, "fail if a functional bin is not hit, also with fewer --transactions",
     CLI_FLAG(Settings, require_bins)},
    {"json", "FILE|-", "write the report as JSON; - is standard output, without the table",
     CLI_TEXT(Settings, json)},
    {"junit", "FILE", "report as JUnit XML", CLI_TEXT(Settings, junit)},
    {"dump", "FILE",
     "write the stimulus of the first failing chunk, or of the first chunk if all pass (one block)",
     CLI_TEXT(Settings, dump)},
    {"bundle", "DIR", "folder for the files of a failure", "smcosim-mismatch",
     CLI_TEXT(Settings, bundle)},
    {"testbug", "BLOCK=N", "seed fault N into the RTL of a block; the run must report it", NULL,
     "RTL and faults", CLI_LIST(Settings, testbugs, ntestbugs, MAX_LIST)},
    {"flat", NULL, "Verilate each block in one piece, without leaves", CLI_FLAG(Settings, flat)},
    {"rtl", "BLOCK=FILE.sv[,..]",
     "your own RTL for a block (same ports), compared with its golden model",
     CLI_LIST(Settings, rtls, nrtls, MAX_LIST)},
    {"sim", "verilator|icarus|netlist",
     "simulator of the RTL: icarus is 4-state; netlist is Yosys's netlist in Icarus", NULL,
     "Other simulators", CLI_WORD(Settings, sim, SIM_VERILATOR)},
    {"netlist", "FILE", "with --sim netlist: keep the netlist (one block)",
     CLI_TEXT(Settings, netlist)},
    {"gates", "FILE,..",
     "with --sim netlist: simulate this netlist with models of its cells (smcosim synth --keep)",
     CLI_TEXT(Settings, gates)},
    {"mutate", "N|resets",
     "test the checks, instead of verifying: with N mutants each of RTL and golden model, or with "
     "one mutant without each reset of a register",
     NULL, "Mutation", CLI_CALL(set_mutate)},
    {"mutate-dir", "DIR", "with --mutate: folder that keeps verdicts, so that a later run resumes",
     CLI_TEXT(Settings, mutate_dir)},
    {"audit", "N",
     "with --mutate: also pass N killed mutants of a block's RTL to the proof of equivalence",
     CLI_NUMBER(Settings, audit, 1, 20000)},
    {"seconds", "N",
     "with --mutate: time after which no further mutant of a block's RTL or model starts",
     CLI_NUMBER(Settings, seconds, 1, 1000000)},
};

static bool choose_blocks(Settings *s, char **names, int n, Diag *d) {
    s->named = n > 0;
    if (!cli_choose_blocks("verify", names, n, s->blocks, &s->nblocks, MAX_LIST, d)) return false;
    if (s->nblocks > 1 && s->nparams)
        return diag_fail(d, EXIT_USAGE, "--param: name exactly one block");
    if (s->nblocks > 1 && s->dump)
        return diag_fail(d, EXIT_USAGE, "--dump: name exactly one block");
    return true;
}

// Every BLOCK= names a block that is verified.
static bool check_list(const Settings *s, const char *option, const char *const *list, int n,
                       Diag *d) {
    for (int i = 0; i < n; i++) {
        const char *equals = strchr(list[i], '=');
        if (!equals || equals == list[i] || !equals[1])
            return diag_fail(d, EXIT_USAGE, "%s %s: expected BLOCK=%s", option, list[i],
                             strcmp(option, "--rtl") ? "NUMBER" : "FILE.sv");
        const BlockDesc *desc = cli_block(option, list[i], (size_t)(equals - list[i]), d);
        if (!desc) return false;
        bool used = false;
        for (int k = 0; k < s->nblocks; k++) used |= s->blocks[k] == desc;
        if (!used)
            return diag_fail(d, EXIT_USAGE, "%s: block '%s' is not verified in this run", option,
                             desc->name);
    }
    return true;
}

static bool row_params(const Settings *s, const Row *row, int *params, Diag *d) {
    if (row->own) return verify_shape_params(row->desc, row->cfg, row->own, params, d);
    if (!block_params_from_config(row->desc, row->cfg, params, d)) return false;
    for (int i = 0; i < s->nparams; i++)
        if (!cli_block_param(row->desc, s->params[i], params, d)) return false;
    return true;
}

static bool block_options(Arena *arena, const Settings *s, const Row *row, int *params,
                          HarnessOptions *h, Diag *d) {
    const BlockDesc *desc = row->desc;
    uint64_t bug = 0;
    if (!row_params(s, row, params, d)) return false;
    const char *number = cli_value_for(s->testbugs, s->ntestbugs, desc->name);
    if (number && !cli_number("testbug", number, 1, 9999, &bug, d)) return false;
    h->desc = desc, h->params = params, h->testbug = (int)bug, h->flat = s->flat;
    h->rtl = cli_value_for(s->rtls, s->nrtls, desc->name);
    return !bug || rtl_has_testbug(arena, cli_data_dir(), desc->name, h->rtl, (int)bug, d);
}

// Options of the row's shape; returns how many words.
static int shape_words(Arena *arena, const Settings *s, const Row *row, const char **argv) {
    int n = 0;
    if (row->own) {
        argv[n++] = "--machine", argv[n++] = VERIFY_SHAPE_MACHINE;
        for (const char *p = row->own->params; *p; p += strcspn(p, " "), p += strspn(p, " "))
            argv[n++] = "--param", argv[n++] = arena_strndup(arena, p, strcspn(p, " "));
        return n;
    }
    if (strcmp(s->machine, "fermi")) argv[n++] = "--machine", argv[n++] = s->machine;
    for (int i = 0; i < s->nsets; i++) argv[n++] = "--set", argv[n++] = s->sets[i];
    for (int i = 0; i < s->nparams; i++) argv[n++] = "--param", argv[n++] = s->params[i];
    if (row->several && n == 0) argv[n++] = "--shapes", argv[n++] = "machine";
    return n;
}

// "fermi", "fermi Banks=3", "Depth=5".
static const char *shape_name(Arena *arena, const Settings *s, const Row *row) {
    if (row->own) return row->own->params;
    const char *name = s->machine;
    for (int i = 0; i < s->nsets; i++) name = arena_printf(arena, "%s %s", name, s->sets[i]);
    for (int i = 0; i < s->nparams; i++) name = arena_printf(arena, "%s %s", name, s->params[i]);
    return name;
}

// The command of one block in one shape without seed and transactions.
static const char *reproduce_head(Arena *arena, const Settings *s, const Row *row) {
    const char *argv[4 * MAX_LIST];
    const BlockDesc *desc = row->desc;
    int n = 0;
    argv[n++] = "verify", argv[n++] = desc->name;
    n += shape_words(arena, s, row, argv + n);
    const char *bug = cli_value_for(s->testbugs, s->ntestbugs, desc->name);
    const char *rtl = cli_value_for(s->rtls, s->nrtls, desc->name);
    if (bug) argv[n++] = "--testbug", argv[n++] = arena_printf(arena, "%s=%s", desc->name, bug);
    if (rtl) argv[n++] = "--rtl", argv[n++] = arena_printf(arena, "%s=%s", desc->name, rtl);
    if (s->sim != SIM_VERILATOR) argv[n++] = "--sim", argv[n++] = sims[s->sim];
    if (s->gates) argv[n++] = "--gates", argv[n++] = s->gates;
    if (s->sim == SIM_VERILATOR && s->long_cycles != VERIFY_LONG_CYCLES)
        argv[n++] = "--long-cycles",
        argv[n++] = arena_printf(arena, "%llu", (unsigned long long)s->long_cycles);
    if (s->start != START_OF_CHUNK)
        argv[n++] = "--start",
        argv[n++] = arena_printf(arena, "%llu", (unsigned long long)s->start);
    return cli_command_line(arena, n, (char **)argv);
}

static void show_progress(void *ctx, const char *block, int done, int chunks) {
    (void)ctx;
    console_progress("%s %d/%d", block, done, chunks);
}

// The stimulus of the failure, or of the first chunk if none failed. Under Icarus the golden model
// drives it, to the end of the chunk.
static Stimulus *record_stimulus(const Settings *settings, const VerifyOptions *o,
                                 const VerifyResult *r, Diag *d) {
    HarnessOptions ho = o->harness;
    ho.model_only = settings->sim != SIM_VERILATOR;
    if (r->nfailures && !ho.model_only) return verify_record_failure(o, &r->failures[0], d);
    Harness *h = harness_open(&ho, d);
    if (!h) return NULL;
    const uint64_t most = ho.model_only ? FOURSTATE_CHUNK : VERIFY_CHUNK;
    const uint64_t seed = r->nfailures ? r->failures[0].seed : o->seed;
    const uint64_t transactions = r->nfailures ? r->failures[0].transactions
        : o->transactions < most               ? o->transactions
                                               : most;
    const uint64_t cycles = ho.model_only ? 0 : verify_long_cycles(o, seed);
    Stimulus *s = stimulus_new(ho.desc, ho.params, seed);
    verify_run_chunk(h, seed, transactions, cycles, NULL, s, NULL);
    harness_close(h);
    return s;
}

// Wave, replay file and a smaller stimulus into the bundle.
static void explain_further(Arena *arena, const char *dir, const VerifyOptions *o,
                            const VerifyReport *report, int block, const Stimulus *stimulus) {
    VerifyResult *r = &report->results[block];
    HarnessOptions plain = o->harness;
    char *summary = NULL;
    Diag d = {0};
    plain.cover = false;
    evidence_verify(arena, dir, report->command, &plain, verify_config(report, block), stimulus,
                    &r->failures[0].mismatch, &summary, &d);
    if (summary) fprintf(stderr, "smcosim: %s\n", plain_text(arena, summary));
    if (diag_ok(&d)) return;
    fprintf(stderr, "smcosim: %s\n", d.text);
    if (d.status == EXIT_NONDETERMINISTIC)
        r->status = d.status, r->message = arena_printf(arena, "%s", d.text);
}

// DIR, DIR/BLOCK of several blocks; below it a folder for each of the block's own shapes.
static const char *bundle_folder(Arena *arena, const Settings *s, const VerifyResult *r) {
    char *dir = arena_printf(arena, s->nblocks > 1 ? "%s/%s" : "%s", s->bundle, r->desc->name);
    if (!*r->why) return dir;
    char *own = arena_printf(arena, "%s", r->shape);
    for (char *p = own; *p; p++)
        if (*p == ' ') *p = ',';
    return arena_printf(arena, "%s/%s", dir, own);
}

// Writes bundle and dump. A failure that does not repeat has priority over the failure.
static void keep_evidence(const Settings *s, Arena *arena, const VerifyOptions *o,
                          VerifyReport *report, int block) {
    VerifyResult *r = &report->results[block];
    Diag d = {0};
    if (!r->nfailures && !(s->dump && r->chunks_run)) return;
    Stimulus *stimulus = record_stimulus(s, o, r, &d);
    if (d.status == EXIT_NONDETERMINISTIC) {
        r->status = d.status;
        r->message = arena_printf(arena, "%s", d.text);
    }
    Diag files = {0};
    if (r->nfailures) {
        const char *dir = bundle_folder(arena, s, r);
        if (verify_bundle(arena, dir, report, block, stimulus, &files)) {
            fprintf(stderr, "smcosim: bundle: %s\n", plain_text(arena, dir));
            // wave, replay and shrinking use Verilator, where a mismatch under Icarus may not occur
            if (stimulus && s->sim == SIM_VERILATOR)
                explain_further(arena, dir, o, report, block, stimulus);
        }
    }
    if (s->dump && stimulus) verify_dump(s->dump, stimulus, &files);
    stimulus_free(stimulus);
    if (!diag_ok(&files)) fprintf(stderr, "smcosim: %s\n", files.text);
    if (!diag_ok(&files) && r->status == EXIT_PASS)
        r->status = files.status, r->message = arena_printf(arena, "%s", files.text);
}

static const uint64_t default_transactions[] = {
    VERIFY_DEFAULT_TRANSACTIONS, FOURSTATE_DEFAULT_TRANSACTIONS, NETLIST_DEFAULT_TRANSACTIONS};

// Percent of the bins that a run must hit: all of them from the default number of transactions on.
static int wanted_bins(const Settings *s) {
    if (s->require_bins) return 100;
    if (s->sim != SIM_VERILATOR) return FOURSTATE_LEAST_BINS;
    return s->transactions >= default_transactions[s->sim] ? 100 : 0;
}

// A user's module may lack shapes that ours supports.
static void skip_shape(const Row *row, const HarnessOptions *h, VerifyResult *r) {
    if (!row->own || !row->several || !h->rtl || r->status != EXIT_USAGE) return;
    r->status = EXIT_PASS;
    r->word = status_word(WORD_SKIPPED);
}

// "a,b" as a NULL-terminated list.
static const char **split_list(Arena *arena, const char *text) {
    const char **list = NULL;
    int n = 0, cap = 0;
    for (; *text; text += strcspn(text, ","), text += *text == ',')
        *ARENA_PUSH(arena, list, n, cap) = arena_strndup(arena, text, strcspn(text, ","));
    *ARENA_PUSH(arena, list, n, cap) = NULL;
    return list;
}

static void verify_row(const Settings *s, Arena *arena, VerifyReport *report, int row,
                       VerifyOptions *o, const Row *rows) {
    VerifyResult *r = &report->results[row];
    const Row *w = &rows[row];
    int *params = ARENA_ARRAY(arena, int, BLOCK_MAX_PARAMS);
    Diag d = {0};
    *r = (VerifyResult){.desc = w->desc, .message = ""};
    o->own_shape = w->own != NULL;
    const bool good = block_options(arena, s, w, params, &o->harness, &d);
    const FourStateOptions fo = {.desc = r->desc,
                                 .gates = s->gates ? split_list(arena, s->gates) : NULL,
                                 .params = params,
                                 .testbug = o->harness.testbug,
                                 .rtl = o->harness.rtl,
                                 .netlist = s->sim == SIM_NETLIST,
                                 .netlist_file = s->netlist,
                                 .data_dir = o->harness.data_dir};
    if (!good) r->status = d.status, r->message = arena_printf(arena, "%s", d.text);
    else if (s->sim == SIM_VERILATOR) verify_block(arena, o, r, &d);
    else verify_fourstate(arena, o, &fo, r, &d);
    r->shape = shape_name(arena, s, w), r->why = w->own ? w->own->why : "", r->cfg = w->cfg;
    console_progress(NULL);
    if (!good) return;
    skip_shape(w, &o->harness, r);
    keep_evidence(s, arena, o, report, row);
    if (r->chunks_run) verify_judge_bins(arena, r, wanted_bins(s));
}

static bool mutate_options(const Settings *s, Arena *arena, const MachineConfig *cfg,
                           MutateOptions *o, int block, Diag *d) {
    int *params = ARENA_ARRAY(arena, int, BLOCK_MAX_PARAMS);
    HarnessOptions h = {0};
    const Row row = {.desc = s->blocks[block], .cfg = cfg};
    if (!block_options(arena, s, &row, params, &h, d)) return false;
    *o = (MutateOptions){.desc = s->blocks[block],
                         .params = params,
                         .data_dir = cli_data_dir(),
                         .cache_dir = cli_cache_dir(arena),
                         .dir = s->mutate_dir,
                         .rtl_mutants = s->resets ? 0 : (int)s->mutate,
                         .model_mutants = s->resets ? 0 : (int)s->mutate,
                         .resets = s->resets,
                         .seed = s->seed,
                         .transactions = s->transactions,
                         .prove_seconds = s->resets ? 60 : 20,
                         .audit = (int)s->audit,
                         .seconds = (int)s->seconds,
                         .jobs = (int)s->jobs,
                         .stop = &cli_stop,
                         .notice = console_notice,
                         .progress = isatty(STDERR_FILENO) ? show_progress : NULL};
    return true;
}

static int mutate_all(const Settings *s, Arena *arena, const MachineConfig *cfg, Diag *d) {
    MutateOptions *o = ARENA_ARRAY(arena, MutateOptions, s->nblocks);
    for (int i = 0; i < s->nblocks; i++)
        if (!mutate_options(s, arena, cfg, &o[i], i, d)) return cli_fail(d);
    cli_catch_signals();
    tool_stop_on(&cli_stop);
    return cli_mutate(arena, o, s->nblocks, s->json);
}

// Refuses options that cannot be combined.
static bool check_modes(Settings *s, Diag *d) {
    if (s->sim != SIM_VERILATOR && s->cover)
        return diag_fail(d, EXIT_USAGE, "--cover: code coverage requires --sim verilator");
    if (s->cover && s->ntestbugs)
        return diag_fail(
            d, EXIT_USAGE,
            "--cover: code coverage applies to the module without seeded faults; omit --testbug");
    if (s->sim == SIM_NETLIST && s->ntestbugs && s->nrtls)
        return diag_fail(
            d, EXIT_USAGE,
            "--sim netlist: faults are seeded into the project's modules; omit --testbug or --rtl");
    if (s->netlist && s->sim != SIM_NETLIST)
        return diag_fail(d, EXIT_USAGE, "--netlist: needs --sim netlist");
    if (s->gates && s->sim != SIM_NETLIST)
        return diag_fail(d, EXIT_USAGE, "--gates: needs --sim netlist");
    if (s->gates && s->nblocks > 1)
        return diag_fail(d, EXIT_USAGE, "--gates: name exactly one block");
    if (s->gates && (s->netlist || s->ntestbugs || s->nrtls))
        return diag_fail(d, EXIT_USAGE,
                         "--gates: the netlist is given; omit --netlist, --testbug and --rtl");
    if (s->netlist && s->nblocks > 1)
        return diag_fail(d, EXIT_USAGE, "--netlist: name exactly one block");
    if (!s->mutate && (s->mutate_dir || s->seconds || s->audit))
        return diag_fail(d, EXIT_USAGE, "--mutate-dir, --seconds, --audit: require --mutate N");
    if (s->mutate &&
        (s->sim != SIM_VERILATOR || s->cover || s->junit || s->dump || s->ntestbugs || s->nrtls ||
         s->require_bins))
        return diag_fail(
            d, EXIT_USAGE,
            "--mutate combines with --machine, --set, --param, --seed, --transactions, --jobs, "
            "--json, --mutate-dir, --seconds and --audit only");
    if (s->start != START_OF_CHUNK && (s->sim != SIM_VERILATOR || s->mutate))
        return diag_fail(d, EXIT_USAGE, "--start: requires --sim verilator, without --mutate");
    if (s->long_cycles != NOT_GIVEN && (s->sim != SIM_VERILATOR || s->mutate))
        return diag_fail(d, EXIT_USAGE,
                         "--long-cycles: requires --sim verilator, without --mutate");
    if (s->long_cycles == NOT_GIVEN) s->long_cycles = VERIFY_LONG_CYCLES;
    if (s->seeds && (s->transactions || s->mutate))
        return diag_fail(d, EXIT_USAGE, "--seeds: omit --transactions and --mutate");
    if (s->seeds)
        s->transactions = s->seeds * (s->sim == SIM_VERILATOR ? VERIFY_CHUNK : FOURSTATE_CHUNK);
    if (!s->transactions)
        s->transactions = s->mutate ? MUTATE_DEFAULT_TRANSACTIONS : default_transactions[s->sim];
    return true;
}

// The default set of shapes: the machine's if an option restricts the run to one shape, else all.
static bool choose_shapes(Settings *s, bool machine, Diag *d) {
    const bool one = machine || s->nsets || s->nparams || s->ntestbugs || s->cover || s->dump ||
        s->mutate || s->sim != SIM_VERILATOR;
    if (s->shapes == SHAPES_DEFAULT) s->shapes = one ? SHAPES_MACHINE : SHAPES_ALL;
    if (s->shapes == SHAPES_MACHINE) return true;
    if (s->nsets || s->nparams)
        return diag_fail(d, EXIT_USAGE,
                         "--shapes: --set and --param change the machine's shape; omit them");
    if (s->dump || s->netlist || s->gates || s->mutate)
        return diag_fail(
            d, EXIT_USAGE,
            "--dump, --netlist, --gates and --mutate require one shape: --shapes machine");
    return true;
}

// The rows of the report, block by block.
static bool make_rows(const Settings *s, Arena *arena, const MachineConfig *cfg, Row **rows, int *n,
                      Diag *d) {
    MachineConfig *small = ARENA_NEW(arena, MachineConfig);
    int cap = 0;
    *rows = NULL, *n = 0;
    if (!config_load(small, arena, cli_data_dir(), VERIFY_SHAPE_MACHINE, d)) return false;
    for (int i = 0; i < s->nblocks; i++) {
        const BlockStim *stim = block_stim(s->blocks[i]->name);
        const int own = s->shapes == SHAPES_MACHINE ? 0 : verify_nshapes(stim),
                  first = s->shapes == SHAPES_OWN ? 0 : -1;
        for (int k = first; k < own; k++)
            *ARENA_PUSH(arena, *rows, *n, cap) = (Row){.desc = s->blocks[i],
                                                       .own = k < 0 ? NULL : &stim->shapes[k],
                                                       .cfg = k < 0 ? cfg : small,
                                                       .several = own - first > 1};
    }
    return *n > 0 ||
        diag_fail(d, EXIT_USAGE, "--shapes own: these blocks have no shapes of their own");
}

static int verify_all(const Settings *s, Arena *arena, VerifyReport *report, const Row *rows,
                      int nrows) {
    const bool table = !s->json || strcmp(s->json, "-");
    VerifyOptions o = {.harness = {.data_dir = cli_data_dir(),
                                   .cache_dir = cli_cache_dir(arena),
                                   .cover = s->cover != NULL,
                                   .start_seed = s->start,
                                   .notice = console_notice,
                                   .stop = &cli_stop},
                       .seed = s->seed,
                       .transactions = s->transactions,
                       .long_cycles = s->long_cycles,
                       .jobs = (int)s->jobs,
                       .cover_dir = s->cover,
                       .stop = &cli_stop,
                       .progress = isatty(STDERR_FILENO) ? show_progress : NULL};
    const double since = clock_seconds();
    for (int i = 0; i < nrows; i++) {
        const int width = (int)strlen(shape_name(arena, s, &rows[i]));
        if (width > report->shape_width) report->shape_width = width;
    }
    if (table) verify_table_head(stdout, report, s->cover != NULL);
    for (int i = 0; i < nrows && !cli_stop; i++) {
        report->reproduce[i] = reproduce_head(arena, s, &rows[i]);
        report->nresults = i + 1;
        verify_row(s, arena, report, i, &o, rows);
        if (table) verify_table_row(stdout, report, i, s->nblocks == 1, cli_color());
        fflush(stdout);
        if (report->results[i].status != EXIT_PASS || report->results[i].word)
            fprintf(stderr, "smcosim: %s\n",
                    report->results[i].nfailures ? verify_failure_text(arena, report, i)
                                                 : report->results[i].message);
    }
    cli_took(since, s->nblocks, "block");
    return verify_verdict(report);
}

// Writes files and HTML of code coverage. The blocks' own failures have priority.
static int write_cover(const Settings *s, Arena *arena, const VerifyReport *report, int status) {
    int n = 0;
    Diag d = {0};
    for (int i = 0; s->cover && i < report->nresults && diag_ok(&d); i++) {
        const VerifyResult *r = &report->results[i];
        const char *name = verify_label(arena, r);
        n += r->code && code_write(arena, s->cover, cli_data_dir(), name, r->code, &d);
    }
    if (n && diag_ok(&d)) code_html(arena, s->cover, cli_data_dir(), report, &d);
    if (diag_ok(&d)) return status;
    const int wrote = cli_fail(&d);
    return status == EXIT_PASS ? wrote : status;
}

static int write_reports(const Settings *s, const VerifyReport *report, int status) {
    Diag d = {0};
    if (s->json) verify_json(s->json, report, &d);
    if (s->junit) verify_junit(s->junit, report, &d);
    if (diag_ok(&d)) return status;
    const int wrote = cli_fail(&d);
    return status == EXIT_PASS ? wrote : status;
}

static bool load_config(const Settings *s, Arena *arena, MachineConfig *cfg, Diag *d) {
    if (!config_load(cfg, arena, cli_data_dir(), s->machine, d)) return false;
    for (int i = 0; i < s->nsets; i++)
        if (!config_set(cfg, s->sets[i], d)) return false;
    return config_check(cfg, d);
}

static int run_verify(int argc, char **argv) {
    Arena arena = {0};
    Diag d = {0};
    MachineConfig cfg;
    Settings s = {.long_cycles = NOT_GIVEN, .start = START_OF_CHUNK};
    Row *rows;
    int first, nrows;
    bool done;
    char *command_line = cli_command_line(&arena, argc, argv);
    if (!cli_parse(&command_verify, argc, argv, &s, &first, &done, &d)) return cli_fail(&d);
    if (done) return EXIT_PASS;
    const bool machine = s.machine != NULL;
    if (!machine) s.machine = s.cover ? "cover" : "fermi";
    if (!choose_blocks(&s, argv + first, argc - first, &d) ||
        !check_list(&s, "--testbug", s.testbugs, s.ntestbugs, &d) ||
        !check_list(&s, "--rtl", s.rtls, s.nrtls, &d) || !check_modes(&s, &d) ||
        !choose_shapes(&s, machine, &d) || !load_config(&s, &arena, &cfg, &d) ||
        !make_rows(&s, &arena, &cfg, &rows, &nrows, &d))
        return cli_fail(&d);
    if (s.mutate) return mutate_all(&s, &arena, &cfg, &d);
    cli_catch_signals();
    tool_stop_on(&cli_stop);
    VerifyReport report = {.version = SMCOSIM_VERSION,
                           .command = command_line,
                           .cfg = &cfg,
                           .jobs = (int)s.jobs,
                           .shape_width = 5,
                           .results = ARENA_ARRAY(&arena, VerifyResult, nrows),
                           .reproduce = ARENA_ARRAY(&arena, const char *, nrows)};
    int status = verify_all(&s, &arena, &report, rows, nrows);
    status = write_cover(&s, &arena, &report, status);
    status = write_reports(&s, &report, status);
    arena_free(&arena);
    return status;
}

static const CliExample examples[] = {
    {"smcosim verify -j2", "verify every block with two parallel chunks"},
    {"smcosim verify banked_rf --seed 7 --transactions 1000000 --junit v.xml",
     "verify one block for longer, with a report for a dashboard"},
    {"smcosim verify banked_rf --rtl banked_rf=mine.sv",
     "compare your own module with the golden model"},
    {0},
};

const Command command_verify = {
    .name = "verify",
    .synopsis = "[BLOCK...] [options]",
    .operand = "BLOCK",
    .summary = "verify blocks under random transactions, RTL against golden model",
    .about = "Verifies blocks without a kernel: golden model and RTL receive the same "
             "constrained-random\ntransactions in lockstep. Measures functional and code coverage. "
             "Without BLOCK: all blocks (smcosim\nlist blocks).",
    CLI_OPTIONS(options),
    .examples = examples,
    .run = run_verify,
};
