// SPDX-License-Identifier: Apache-2.0
// A campaign as a job array of Slurm. Each task is a shard, which this program runs on the task's
// node. Folder and program must have the same paths on all nodes.
#include "campaign/case.h"

#include "base/output.h"

#include <ctype.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_TASKS = 1000 /* an array of Slurm's default size */, LOOK_MS = 500 };

static bool write_script(Arena *arena, const RegressPlan *p, const char *dir, const char *script,
                         int tasks, Diag *d) {
    const char *text =
        arena_printf(arena,
                     "#!/bin/sh\n# One task of the array: a shard of the campaign.\n"
                     "exec %s regress --resume --out %s --jobs 1 --cases-only --shard "
                     "\"$SLURM_ARRAY_TASK_ID/%d\"\n",
                     arena_shell_word(arena, p->program), arena_shell_word(arena, dir), tasks);
    return output_text(script, text, strlen(text), d);
}

static bool missing_results(Arena *arena, const RegressPlan *p, const char *dir, int *missing,
                            int *failed, Diag *d) {
    *missing = *failed = 0;
    for (int i = 0; i < p->ncases; i++) {
        RegressResult r;
        if (!case_result(&r, arena, dir, p, i, d)) return false;
        *missing += !r.outcome;
        *failed += r.outcome && !outcome_good(r.outcome);
    }
    return true;
}

// Waits until no task of the array is left.
static bool wait_for(const RegressPlan *p, const char *dir, const QueueOptions *o, char *id,
                     Diag *d) {
    const char *const queue[] = {"squeue", "-h", "-j", id, "-o", "%T", NULL},
                      *const cancel[] = {"scancel", id, NULL};
    char text[65536];
    for (;;) {
        int missing, failed;
        Arena look = {0};
        const bool ok = missing_results(&look, p, dir, &missing, &failed, d);
        arena_free(&look);
        if (!ok) return false;
        if (o->progress) o->progress(p->ncases - missing, p->ncases, failed);
        if (*o->stop) {
            child_answer(cancel, text, sizeof text);
            return diag_fail(d, EXIT_INTERRUPTED,
                             "interrupted, array %s is canceled; --resume runs the missing cases",
                             id);
        }
        const int status = child_answer(queue, text, sizeof text);
        // squeue soon forgets an ended array.
        if (status == 0 && !*text) return true;
        if (status > 0 && strstr(text, "Invalid job id")) return true;
        if (status == CHILD_MISSING || status < 0)
            return diag_fail(
                d, EXIT_ENVIRONMENT,
                "squeue could not be run; array %s continues, --resume collects its results", id);
        const struct timespec t = {LOOK_MS / 1000, LOOK_MS % 1000 * 1000000L};
        nanosleep(&t, NULL);
    }
}

bool slurm_run(const RegressPlan *p, const char *dir, const QueueOptions *o, Diag *d) {
    Arena arena = {0};
    char text[4096];
    const char *here = case_here(&arena, d);
    if (!here) return false;
    const char *root = *dir == '/' ? dir : arena_printf(&arena, "%s/%s", here, dir);
    char *script = arena_printf(&arena, "%s/slurm.sh", root);
    int missing, failed;
    bool ok = missing_results(&arena, p, dir, &missing, &failed, d);
    if (!ok || !missing) return ok;
    const int tasks = p->ncases < MAX_TASKS ? p->ncases : MAX_TASKS;
    char *array = arena_printf(&arena, "--array=0-%d%%%d", tasks - 1, o->jobs);
    // --output reads %a as a pattern, so a % of the folder's name is doubled.
    char *log = arena_printf(&arena, "--output=%s", "");
    for (const char *c = root; *c; c++)
        log = arena_printf(&arena, *c == '%' ? "%s%%%c" : "%s%c", log, *c);
    log = arena_printf(&arena, "%s/slurm-%%a.txt", log);
    char *name = arena_printf(&arena, "--job-name=smcosim-%s", p->suite);
    char *chdir_ = arena_printf(&arena, "--chdir=%s", here);
    const char *const argv[] = {"sbatch", "--parsable",         array,  log, name,
                                chdir_,   "--open-mode=append", script, NULL};
    if (write_script(&arena, p, root, script, tasks, d)) {
        const int status = child_answer(argv, text, sizeof text);
        text[strcspn(text, "\n;")] = '\0';
        if (status == CHILD_MISSING)
            ok = diag_fail(
                d, EXIT_ENVIRONMENT,
                "sbatch was not found: --slurm needs Slurm's commands (package slurm-client)");
        else if (status || !isdigit((unsigned char)*text))
            ok = diag_fail(d, EXIT_ENVIRONMENT, "sbatch: %s", text);
        else ok = wait_for(p, dir, o, text, d);
    } else {
        ok = false;
    }
    if (ok && missing_results(&arena, p, dir, &missing, &failed, d) && missing)
        ok = diag_fail(d, EXIT_ENVIRONMENT,
                       "%d of %d cases have no result: their tasks were lost (%s/slurm-*.txt); "
                       "--resume repeats them",
                       missing, p->ncases, dir);
    arena_free(&arena);
    return ok;
}
