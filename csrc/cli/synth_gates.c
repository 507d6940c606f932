// SPDX-License-Identifier: Apache-2.0
// The measured netlists under the stimuli of `verify` (4-state, against the golden model), and
// their files.
#include "base/output.h"
#include "cli/cli.h"
#include "cli/cmd_synth.h"
#include "verify/fourstate.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static bool make_folder(const char *path, Diag *d) {
    if (!mkdir(path, 0777) || errno == EEXIST) return true;
    return diag_fail(d, EXIT_ENVIRONMENT, "%s: cannot be made: %s", path, strerror(errno));
}

// Writes the files behind a row to DIR/BLOCK/ (DIR/BLOCK-POINT/ in a sweep).
static bool keep_row(const SynthSettings *s, Arena *arena, const SynthRow *row, const char *models,
                     Diag *d) {
    static const char *const names[] = {"netlist.v", "macros.v",  "macros.lib", "result.json",
                                        "front.ys",  "flat.ys",   "hier.ys",    "sta.tcl",
                                        "flat.stat", "hier.stat", "sta.tcl.log"};
    const char *dir = arena_printf(arena, "%s/%s%s%s", s->keep, row->result.desc->name,
                                   row->point ? "-" : "", row->point ? row->point : "");
    if (!make_folder(s->keep, d) || !make_folder(dir, d)) return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct stat st;
        const char *from = arena_printf(arena, "%s/%s", row->result.dir, names[i]);
        if (stat(from, &st)) continue;
        if (!output_copy(from, arena_printf(arena, "%s/%s", dir, names[i]), d)) return false;
    }
    return output_copy(models, arena_printf(arena, "%s/cells.v", dir), d);
}

static void replay_row(const SynthSettings *s, Arena *arena, SynthRow *row, const char *models) {
    Diag d = {0};
    const SynthResult *x = &row->result;
    const char *gates[] = {arena_printf(arena, "%s/netlist.v", x->dir),
                           arena_printf(arena, "%s/macros.v", x->dir), models, NULL};
    const FourStateOptions fo = {.desc = x->desc,
                                 .params = x->params,
                                 .netlist = true,
                                 .gates = gates,
                                 .data_dir = cli_data_dir()};
    const VerifyOptions o = {.harness = {.desc = x->desc,
                                         .params = x->params,
                                         .data_dir = cli_data_dir(),
                                         .cache_dir = cli_cache_dir(arena)},
                             .seed = 1,
                             .transactions = s->gate_level,
                             .jobs = (int)s->jobs,
                             .stop = &cli_stop};
    VerifyResult v;
    verify_fourstate(arena, &o, &fo, &v, &d);
    if (v.chunks_run) verify_judge_bins(arena, &v, FOURSTATE_LEAST_BINS);
    row->gates =
        arena_printf(arena, "%s, %llu cycles, %llu comparisons with valid data, %d of %d bins",
                     verify_word(&v), (unsigned long long)v.cycles, (unsigned long long)v.compared,
                     v.nbins - v.waived - v.missing, v.nbins - v.waived);
    if (v.status == EXIT_PASS) return;
    row->status = v.status;
    row->word = v.word;
    row->message = !v.nfailures
        ? arena_printf(arena, "%s", v.message)
        : arena_printf(arena, "block %s: the measured netlist differs from the golden model: %s",
                       x->desc->name,
                       v.failures[0].rule[0] ? v.failures[0].rule : v.failures[0].mismatch.port);
}

int synth_gate_level(const SynthSettings *s, Arena *arena, SynthReport *report) {
    Diag d = {0};
    for (int i = 0; i < report->nrows && !cli_stop; i++) {
        SynthRow *row = &report->rows[i];
        if (row->status != EXIT_PASS) continue;
        const SynthRequest r = synth_request(s, arena, row->result.desc, row->result.params);
        const char *models = synth_cell_models(arena, &r, &d);
        if (!models || (s->keep && !keep_row(s, arena, row, models, &d))) return cli_fail(&d);
        if (s->gate_level) replay_row(s, arena, row, models);
    }
    return EXIT_PASS;
}
