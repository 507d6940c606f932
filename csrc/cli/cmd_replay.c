// SPDX-License-Identifier: Apache-2.0
// smcosim replay: runs a mismatch's bundle again, which must meet the identical mismatch; shrinks
// it; opens the wave.
//
// Exit status: 1 the same mismatch, 0 it is gone, 6 another one.
#include "base/console.h"
#include "base/plain.h"
#include "cli/block_list.h"
#include "cli/cli.h"
#include "proc/child.h"
#include "session/bundle.h"
#include "verify/verify_evidence.h"
#include "verify/fourstate.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Recorded inputs of a rerun take memory, so a longer run is rejected.
enum { RECORD_WORDS = 128 << 20 };

typedef struct Replay {
    Arena *arena;
    const char *dir;
    bool shrink, shrunk, open, trust;
    const char *rtl[REPLAY_MAX_LIST];  // the user's, now
    int nrtl;
    ReplayFile file;
    MachineConfig cfg;
    SessionOptions session;
    const char *wave;    // FST that --open shows
    const char *folder;  // of the link to a bundle whose name Verilator does not take, NULL: none
} Replay;

static bool set_rtl(void *settings, const char *value, Diag *d) {
    Replay *r = settings;
    const char *equals = strchr(value, '=');
    if (!equals || !equals[1])
        return diag_fail(d, EXIT_USAGE, "--rtl %s: expected BLOCK=FILE.sv[,FILE.sv...]", value);
    return cli_push("rtl", r->rtl, &r->nrtl, REPLAY_MAX_LIST, value, d);
}

static const CliOption options[] = {
    {"shrink", NULL, "find a smaller stimulus of the failing block with the same first divergence",
     CLI_FLAG(Replay, shrink)},
    {"shrunk", NULL, "replay the stimulus that --shrink found, on the block alone",
     CLI_FLAG(Replay, shrunk)},
    {"open", NULL, "open the wave in GTKWave; without a display, print the command",
     CLI_FLAG(Replay, open)},
    {"trust", NULL, "compile and run the RTL in the bundle", CLI_FLAG(Replay, trust)},
    {"rtl", "BLOCK=FILE.sv[,..]", "use this RTL instead of the bundle's", CLI_CALL(set_rtl)},
};

// ---- the verdict -------------------------------------------------------------------------------

static int print_verdict(const Replay *r, const Mismatch *met, bool identical) {
    char line[300];
    if (!met) {
        printf("replay %s: the mismatch no longer occurs\n", plain_text(r->arena, r->dir));
        return EXIT_PASS;
    }
    cosim_mismatch_line(met, line, sizeof line);
    if (identical) {
        printf("replay %s: the same mismatch: %s\n", plain_text(r->arena, r->dir), line);
        return EXIT_MISMATCH;
    }
    char then[300];
    cosim_mismatch_line(&r->file.mismatch, then, sizeof then);
    printf("replay %s: another mismatch: %s; the bundle's: %s\n", plain_text(r->arena, r->dir),
           line, then);
    return EXIT_NONDETERMINISTIC;
}

static char *wave_range(Replay *r, const Mismatch *m) {
    return arena_printf(r->arena, "%s:%llu-%llu", r->wave,
                        (unsigned long long)(m->cycle > COSIM_BEFORE ? m->cycle - COSIM_BEFORE : 0),
                        (unsigned long long)m->cycle + COSIM_AFTER);
}

// ---- the block alone ---------------------------------------------------------------------------

static bool block_alone(Replay *r, HarnessOptions *h, Diag *d) {
    const ReplayFile *f = &r->file;
    int *params = ARENA_ARRAY(r->arena, int, BLOCK_MAX_PARAMS);
    const char **plusargs = ARENA_ARRAY(r->arena, const char *, REPLAY_MAX_LIST);
    const BlockDesc *desc = f->kind == REPLAY_VERIFY ? f->desc : block_desc_find(f->mismatch.block);
    if (!desc)
        return diag_fail(d, EXIT_USAGE, "%s/replay.yaml: block '%s' does not exist", r->dir,
                         f->mismatch.block);
    if (f->kind == REPLAY_VERIFY) memcpy(params, f->params, sizeof f->params);
    else if (!block_params_from_config(desc, &r->cfg, params, d)) return false;
    const char *bug = f->testbug ? cli_value_for(&f->testbug, 1, desc->name) : NULL;
    *h = (HarnessOptions){.desc = desc,
                          .params = params,
                          .testbug = bug ? atoi(bug) : 0,
                          .plusargs = plusargs,
                          .data_dir = cli_data_dir(),
                          .cache_dir = cli_cache_dir(r->arena),
                          .notice = console_notice,
                          .stop = &cli_stop};
    if (f->fault && !strncmp(f->fault, desc->name, strlen(desc->name)) &&
        f->fault[strlen(desc->name)] == ':')
        h->fault = f->fault;
    for (int i = 0; i < f->nrtl && !h->rtl; i++) h->rtl = cli_value_for(&f->rtl[i], 1, desc->name);
    for (int i = 0; i < f->nplusargs; i++)
        plusargs[h->nplusargs++] = arena_printf(r->arena, "+%s", f->plusargs[i]);
    return true;
}

// Runs a stimulus; *met is cleared when it passes.
static bool run_stimulus(const HarnessOptions *o, const Stimulus *s, Mismatch *met, Diag *d) {
    Harness *h = harness_open(o, d);
    if (!h) return false;
    const Mismatch *m = verify_run_stimulus(h, s);
    *met = m ? *m : (Mismatch){0};
    harness_close(h);
    return true;
}

static bool shape_agrees(const Stimulus *s, const HarnessOptions *o, const char *path, Diag *d) {
    if (s->desc != o->desc)
        return diag_fail(d, EXIT_USAGE, "%s: is of block %s, not %s", path, s->desc->name,
                         o->desc->name);
    for (int i = 0; i < o->desc->nparams; i++)
        if (s->params[i] != o->params[i])
            return diag_fail(d, EXIT_USAGE, "%s: parameter %s is %d, but %d in replay.yaml", path,
                             o->desc->params[i].name, s->params[i], o->params[i]);
    return true;
}

// A stimulus of the bundle: the recorded one must meet the identical mismatch, the shrunk one the
// same place.
static int replay_stimulus(Replay *r, const char *name, bool exact, Diag *d) {
    HarnessOptions o;
    Mismatch met, waved;
    const char *path = arena_printf(r->arena, "%s/%s", r->dir, name);
    if (!block_alone(r, &o, d)) return cli_fail(d);
    Stimulus *s = stimulus_load(r->arena, path, d);
    if (!s) return cli_fail(d);
    int status = EXIT_USAGE;
    r->wave = arena_printf(r->arena, "%s/replay.fst", r->dir);
    if (shape_agrees(s, &o, path, d) && run_stimulus(&o, s, &met, d)) {
        const Mismatch *m = met.port ? &met : NULL;
        status = print_verdict(r, m,
                               m &&
                                   (exact ? cosim_same_mismatch(m, &r->file.mismatch)
                                          : mismatch_same_place(m, &r->file.mismatch)));
        if (!verify_wave(r->arena, &o, &r->cfg, s, m ? wave_range(r, m) : r->wave, NULL, &waved, d))
            status = d->status;
    }
    if (diag_ok(d) && r->shrink && status == EXIT_MISMATCH) {
        char *summary = NULL;
        if (evidence_shrink(r->arena, r->dir, &o, &r->cfg, s, &met, &shrink_thorough, &summary, d))
            printf("%s\n", plain_text(r->arena, summary));
        else status = d->status;
    }
    stimulus_free(s);
    if (!diag_ok(d)) cli_fail(d);
    return status;
}

// ---- a run -------------------------------------------------------------------------------------

typedef struct Recorder {
    Stimulus *s;
    bool full;
} Recorder;

static void record(void *ctx, const void *in, bool fault) {
    Recorder *r = ctx;
    r->full |= r->s->nwords > RECORD_WORDS;
    if (r->full) return;
    if (fault && r->s->fault == NO_FAULT) r->s->fault = r->s->ncycles;
    stimulus_add(r->s, false, in);
}

// Shrinks the failing block's inputs since its reset, on the block alone.
static bool shrink_run(Replay *r, const Stimulus *s, const HarnessOptions *o, Diag *d) {
    char *summary = NULL;
    Mismatch met;
    if (!run_stimulus(o, s, &met, d)) return false;
    if (!met.port || !mismatch_same_place(&met, &r->file.mismatch))
        return diag_fail(d, EXIT_USAGE, "--shrink: block %s alone, with the inputs of the run, %s",
                         o->desc->name, met.port ? "fails elsewhere first" : "does not fail");
    if (!evidence_shrink(r->arena, r->dir, o, &r->cfg, s, &met, &shrink_thorough, &summary, d))
        return false;
    printf("%s\n", plain_text(r->arena, summary));
    return true;
}

static int replay_run(Replay *r, Diag *d) {
    HarnessOptions o;
    Recorder recorder = {0};
    SessionAgain again = {0};
    r->wave = arena_printf(r->arena, "%s/replay.fst", r->dir);
    if (!block_alone(r, &o, d)) return cli_fail(d);
    again.wave = wave_range(r, &r->file.mismatch);
    if (r->shrink) {
        recorder.s = stimulus_new(o.desc, o.params, 0);
        recorder.s->start_seed = r->file.start_seed;
        again.recorded = o.desc->name, again.record = record, again.record_ctx = &recorder;
    }
    int status = EXIT_ENVIRONMENT;
    if (session_again(r->arena, r->file.launch, &r->cfg, &r->session, &again, d)) {
        status = print_verdict(r, again.found ? &again.met : NULL,
                               again.found && cosim_same_mismatch(&again.met, &r->file.mismatch));
        if (recorder.full)
            diag_fail(d, EXIT_USAGE,
                      "--shrink: the inputs of block %s in %zu cycles do not fit in memory",
                      o.desc->name, recorder.s->ncycles);
        else if (r->shrink && status == EXIT_MISMATCH) shrink_run(r, recorder.s, &o, d);
    }
    stimulus_free(recorder.s);
    return diag_ok(d) ? status : cli_fail(d);
}

// ---- GTKWave -----------------------------------------------------------------------------------

static int open_wave(const Replay *r, int status) {
    size_t n = strlen(r->wave) - strlen(".fst");
    char *save = arena_printf(r->arena, "%.*s.gtkw", (int)n, r->wave);
    const char *x11 = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    if (!(x11 && *x11) && !(wayland && *wayland)) {
        printf("gtkwave %s %s\n", arena_shell_word(r->arena, r->wave),
               arena_shell_word(r->arena, save));
        return status;
    }
    const char *const argv[] = {"gtkwave", r->wave, save, NULL};
    const Child viewer = {.argv = argv};
    ChildEnd end;
    const pid_t pid = child_start(&viewer);
    if (pid < 0) return status;
    child_wait(pid, NULL, 0, &end);
    if (end.status == CHILD_MISSING) {
        fprintf(stderr, "smcosim: gtkwave is not installed (apt install gtkwave)\n");
        return EXIT_ENVIRONMENT;
    }
    return status;
}

// ------------------------------------------------------------------------------------------------

// ---- RTL of the bundle and of the user ----------------------------------------------------------

static bool same_block(const char *a, const char *b) {
    const size_t n = strcspn(a, "=");
    return strcspn(b, "=") == n && !strncmp(a, b, n);
}

static void drop_copies_of(ReplayFile *f, Arena *arena, const char *rtl) {
    const char *folder = arena_printf(arena, "files/rtl/%.*s/", (int)strcspn(rtl, "="), rtl);
    int n = 0;
    for (int i = 0; i < f->ninputs; i++)
        if (strncmp(f->inputs[i].path, folder, strlen(folder))) f->inputs[n++] = f->inputs[i];
    f->ninputs = n;
}

// The user's RTL replaces the bundle's, which is then neither checked nor run.
static bool replace_rtl(Replay *r, Diag *d) {
    ReplayFile *f = &r->file;
    int n = 0;
    for (int i = 0; i < f->nrtl; i++) {
        bool mine = false;
        for (int k = 0; k < r->nrtl; k++) mine |= same_block(f->rtl[i], r->rtl[k]);
        if (mine) drop_copies_of(f, r->arena, f->rtl[i]);
        else f->rtl[n++] = f->rtl[i];
    }
    f->nrtl = n;
    return n + r->nrtl <= REPLAY_MAX_LIST || diag_fail(d, EXIT_USAGE, "--rtl: given too often");
}

// RTL is a program: $system, $readmemh, DPI. RTL from another person runs only with consent.
static bool is_trusted(const Replay *r, Diag *d) {
    const ReplayFile *f = &r->file;
    if (!f->nrtl || r->trust) return true;
    char *list = arena_printf(r->arena, "%s", "");
    for (int i = 0; i < f->ninputs; i++)
        if (!strncmp(f->inputs[i].path, "files/rtl/", 10))
            list = arena_printf(r->arena, "%s\n  %s/%s", list, r->dir, f->inputs[i].path);
    for (int i = 0; i < f->nplusargs; i++)
        list = arena_printf(r->arena, "%s\n  with +%s", list, f->plusargs[i]);
    return diag_fail(d, EXIT_USAGE,
                     "replay %s: the bundle contains RTL, and replay would compile and run it; "
                     "Verilated RTL can run any code ($system, DPI):%s\n"
                     "read it, then add --trust; or use your own with --rtl BLOCK=FILE.sv",
                     r->dir, list);
}

// Verilator and lists of files accept no blanks and commas. A link with another name is made for a
// bundle whose path has them.
static const char *plain_folder(Replay *r, Diag *d) {
    Diag ignored = {0};
    if (!strchr(r->dir, ',') && plain_path(r->dir, "the bundle", EXIT_USAGE, &ignored))
        return r->dir;
    r->folder = tool_folder(r->arena, d);
    return r->folder ? tool_link(r->arena, r->folder, "bundle", r->dir, d) : NULL;
}

static bool bring_rtl(Replay *r, Diag *d) {
    ReplayFile *f = &r->file;
    const char *dir = r->dir;
    if (!replace_rtl(r, d) || !is_trusted(r, d) || !replay_inputs(f, r->arena, r->dir, d))
        return false;
    if (f->nrtl && !(dir = plain_folder(r, d))) return false;
    for (int i = 0; i < f->nrtl; i++) f->rtl[i] = bundle_rtl(r->arena, dir, f->rtl[i]);
    for (int i = 0; i < r->nrtl; i++) f->rtl[f->nrtl++] = r->rtl[i];
    if (f->kind == REPLAY_RUN) f->launch = arena_printf(r->arena, "%s/%s", r->dir, f->launch);
    return true;
}

static bool load_bundle(Replay *r, Diag *d) {
    if (!replay_load(&r->file, r->arena, r->dir, d) || !bring_rtl(r, d)) return false;
    r->session = (SessionOptions){.stop = &cli_stop,
                                  .loaded = cli_loaded,
                                  .data_dir = cli_data_dir(),
                                  .cache_dir = cli_cache_dir(r->arena),
                                  .blocks = "lockstep"};
    if (r->file.kind == REPLAY_RUN)
        return bundle_options(&r->file, r->arena, r->dir, &r->cfg, &r->session, d);
    return config_load(&r->cfg, r->arena, cli_data_dir(),
                       arena_printf(r->arena, "%s/config.yaml", r->dir), d);
}

static int run_replay(int argc, char **argv) {
    Arena arena = {0};
    Diag d = {0};
    Replay *r = ARENA_NEW(&arena, Replay);
    int first;
    bool done;
    r->arena = &arena;
    if (!cli_parse(&command_replay, argc, argv, r, &first, &done, &d)) return cli_fail(&d);
    if (done) return EXIT_PASS;
    if (argc - first != 1)
        diag_fail(&d, EXIT_USAGE,
                  "replay: expected one bundle, found %d; see smcosim replay --help", argc - first);
    else if (r->shrink && r->shrunk)
        diag_fail(&d, EXIT_USAGE, "replay: --shrink and --shrunk exclude each other");
    else r->dir = argv[first];
    cli_catch_signals();
    if (!diag_ok(&d) || !load_bundle(r, &d)) return tool_remove(r->folder), cli_fail(&d);
    int status = r->shrunk              ? replay_stimulus(r, "shrunk.txt", false, &d)
        : r->file.kind == REPLAY_VERIFY ? replay_stimulus(r, "stimulus.txt", true, &d)
                                        : replay_run(r, &d);
    tool_remove(r->folder);
    if (diag_ok(&d) && r->open && access(r->wave, R_OK) == 0) status = open_wave(r, status);
    arena_free(&arena);
    return status;
}

static const CliExample examples[] = {
    {"smcosim replay smcosim-mismatch", "check whether the mismatch still occurs"},
    {"smcosim replay smcosim-mismatch --shrink --open",
     "shrink the stimulus and open its wave in GTKWave"},
    {0},
};

const Command command_replay = {
    .name = "replay",
    .synopsis = "BUNDLE [options]",
    .operand = "DIR",
    .summary = "reproduce a mismatch, shrink its stimulus, open its wave",
    .about = "Repeats the run that wrote a bundle and compares the mismatch. Exit status: 1 the "
             "same mismatch, 0\nno mismatch, 6 another mismatch. Writes BUNDLE/replay.fst.",
    CLI_OPTIONS(options),
    .examples = examples,
    .run = run_replay,
};
