// SPDX-License-Identifier: Apache-2.0
#include "verify/verify_evidence.h"

#include "base/output.h"
#include "cosim/fault.h"
#include "cosim/cosim_replay.h"
#include "verify/verify_report.h"

#include <stdlib.h>
#include <string.h>

// ---- waves -------------------------------------------------------------------------------------

static Cosim *open_cosim(Arena *arena, const HarnessOptions *o, const MachineConfig *cfg,
                         const char *wave, const char *fault, uint64_t start_seed, Diag *d) {
    const char **use = ARENA_ARRAY(arena, const char *, 2),
               **rtl = ARENA_ARRAY(arena, const char *, 2);
    const char **plusargs = ARENA_ARRAY(arena, const char *, o->nplusargs + 1);
    use[0] = o->desc->name;
    if (o->rtl) rtl[0] = arena_printf(arena, "%s=%s", o->desc->name, o->rtl);
    for (int i = 0; i < o->nplusargs; i++)
        plusargs[i] = o->plusargs[i] + (o->plusargs[i][0] == '+');
    CosimOptions c = {
        .use = use,
        .blocks = "lockstep",
        .rtl = rtl,
        .plusargs = plusargs,
        .params = o->params,
        .flat = o->flat,
        .start_seed = start_seed,
        .wave = wave,
        .fault = fault,
        .testbug = o->testbug ? arena_printf(arena, "%s=%d", o->desc->name, o->testbug) : NULL,
        .data_dir = o->data_dir,
        .cache_dir = o->cache_dir,
        .notice = o->notice,
        .stop = o->stop,
        .history = 32};
    return cosim_open(arena, &c, cfg, d);
}

// The harness' fault in the cycle in which the stimulus has it.
static bool fault_at(Arena *arena, const HarnessOptions *o, const Stimulus *s, const char **fault,
                     Diag *d) {
    FaultSpec f;
    if (!o->fault || s->fault == NO_FAULT) return true;
    if (!fault_spec(&f, arena, o->fault, d)) return false;
    *fault = arena_printf(arena, "%s:%s:%s@%zu", f.block, f.place, f.kind, s->fault);
    return true;
}

static void drive_stimulus(Cosim *c, Block *b, const Stimulus *s, uint32_t *reset) {
    for (size_t i = 0; i < s->ncycles && !cosim_should_stop(c); i++) {
        *reset = stimulus_get(s, i, b->in);
        if (*reset) {
            cosim_reset_driven(c);
        } else {
            block_eval(b);
            block_tick(b);
        }
        cosim_cycle(c, i);
    }
}

bool verify_wave(Arena *arena, const HarnessOptions *o, const MachineConfig *cfg, const Stimulus *s,
                 const char *wave, FILE *history, Mismatch *met, Diag *d) {
    const char *fault = NULL;
    *met = (Mismatch){0};
    if (!fault_at(arena, o, s, &fault, d)) return false;
    Cosim *c = open_cosim(arena, o, cfg, wave, fault, s->start_seed, d);
    if (!c) return false;
    uint32_t reset = 0;
    Diag finish = {0};
    cosim_signal(c, "stimulus", "reset", 1, &reset);
    cosim_reset(c);
    drive_stimulus(c, cosim_block(c, o->desc->name), s, &reset);
    cosim_finish(c, &finish);
    const Mismatch *m = cosim_mismatch(c);
    if (m) *met = *m;
    if (m && history) cosim_print_history(history, c);
    const bool written = cosim_wave_written(c);
    cosim_close(c);
    return written || diag_fail(d, EXIT_ENVIRONMENT, "%s: the wave could not be written", wave);
}

// ---- files -------------------------------------------------------------------------------------

// From 200 cycles before the mismatch to 20 after it.
static char *wave_window(Arena *arena, const char *dir, const Mismatch *m) {
    return arena_printf(arena, "%s/mismatch.fst:%llu-%llu", dir,
                        (unsigned long long)(m->cycle > COSIM_BEFORE ? m->cycle - COSIM_BEFORE : 0),
                        (unsigned long long)m->cycle + COSIM_AFTER);
}

bool evidence_shrink(Arena *arena, const char *dir, const HarnessOptions *o,
                     const MachineConfig *cfg, const Stimulus *s, const Mismatch *m,
                     const ShrinkLimits *limits, char **summary, Diag *d) {
    ShrinkResult r;
    Harness *h = harness_open(o, d);
    if (!h) return false;
    bool ok = shrink_stimulus(h, s, m, limits, &r, d);
    harness_close(h);
    if (!ok) return false;
    Mismatch met;
    ok = verify_dump(arena_printf(arena, "%s/shrunk.txt", dir), r.stimulus, d) &&
        verify_wave(arena, o, cfg, r.stimulus, arena_printf(arena, "%s/shrunk.fst", dir), NULL,
                    &met, d);
    if (ok && (!met.port || !mismatch_same_place(&met, m)))
        ok = diag_fail(d, EXIT_NONDETERMINISTIC,
                       "the shrunk stimulus %s/shrunk.txt does not reproduce the failure", dir);
    *summary =
        arena_printf(arena,
                     "shrunk from %zu cycles with %zu transactions to %zu with %zu (%llu tried%s): "
                     "%s/shrunk.txt, gtkwave %s %s",
                     r.cycles_before, r.transactions_before, r.cycles, r.transactions,
                     (unsigned long long)r.runs, r.complete ? "" : ", ended by its limit", dir,
                     arena_shell_word(arena, arena_printf(arena, "%s/shrunk.fst", dir)),
                     arena_shell_word(arena, arena_printf(arena, "%s/shrunk.gtkw", dir)));
    stimulus_free(r.stimulus);
    return ok;
}

// Appends the shrunk stimulus to the text of the mismatch, because it is short.
static void append_shrunk(FILE *f, Arena *arena, const char *dir, const char *summary) {
    enum { LINES = 40 };
    char line[4096];
    FILE *in = fopen(arena_printf(arena, "%s/shrunk.txt", dir), "r");
    fprintf(f, "\n%s\n", summary);
    for (int i = 0; in && i < LINES && fgets(line, sizeof line, in); i++) {
        line[strcspn(line, "\n")] = '\0';
        fprintf(f, "  %s\n", line);
    }
    if (in && !feof(in) && fgetc(in) != EOF) fprintf(f, "  ..\n");
    if (in) fclose(in);
}

static bool replay_file(Arena *arena, const char *dir, const char *command, const HarnessOptions *o,
                        const Mismatch *m, Diag *d) {
    ReplayFile r = {.kind = REPLAY_VERIFY, .command = command, .desc = o->desc, .mismatch = *m};
    memcpy(r.params, o->params, sizeof *r.params * (size_t)o->desc->nparams);
    if (o->testbug) r.testbug = arena_printf(arena, "%s=%d", o->desc->name, o->testbug);
    for (int i = 0; i < o->nplusargs; i++)
        r.plusargs[r.nplusargs++] = o->plusargs[i] + (o->plusargs[i][0] == '+');
    const bool copied = !o->rtl ||
        replay_copy_rtl(&r, arena, dir, arena_printf(arena, "%s=%s", o->desc->name, o->rtl), d);
    if (copied && replay_commit_copies(&r, arena, dir, d)) return replay_write(dir, &r, d);
    replay_drop_copies(arena, dir);
    return false;
}

// Makes waves and the shrunk stimulus, and prints their text to f.
static bool explain_failure(FILE *f, Arena *arena, const char *dir, const HarnessOptions *o,
                            const MachineConfig *cfg, const Stimulus *s, const Mismatch *m,
                            char **summary, Diag *d) {
    Mismatch met;
    fprintf(f, "replay: smcosim replay %s\n", arena_shell_word(arena, dir));
    bool ok = verify_wave(arena, o, cfg, s, wave_window(arena, dir, m), f, &met, d);
    if (ok && (!met.port || !mismatch_same_place(&met, m)))
        ok = diag_fail(d, EXIT_NONDETERMINISTIC,
                       "the recorded stimulus %s/stimulus.txt does not reproduce the failure", dir);
    ok = ok && evidence_shrink(arena, dir, o, cfg, s, m, &shrink_automatic, summary, d);
    if (*summary) append_shrunk(f, arena, dir, *summary);
    return ok;
}

bool evidence_verify(Arena *arena, const char *dir, const char *command, const HarnessOptions *o,
                     const MachineConfig *cfg, const Stimulus *s, const Mismatch *m, char **summary,
                     Diag *d) {
    const char *path = arena_printf(arena, "%s/mismatch.txt", dir);
    char *before, *text = NULL;
    size_t n, size;
    *summary = NULL;
    if (!replay_file(arena, dir, command, o, m, d) || !file_read(arena, path, &before, &n, d))
        return false;
    FILE *f = open_memstream(&text, &size);
    panic_if(!f, "out of memory");
    fwrite(before, 1, n, f);
    const bool ok = explain_failure(f, arena, dir, o, cfg, s, m, summary, d);
    fclose(f);
    Diag written = {0};
    output_text(path, text, size, &written);
    free(text);
    return diag_ok(&written) ? ok : diag_fail(d, written.status, "%s", written.text);
}
