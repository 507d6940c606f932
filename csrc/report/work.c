// SPDX-License-Identifier: Apache-2.0
// Evidence of a run: work of the blocks, also over several launches, and whether results were
// checked.
#include "report/report.h"

#include <string.h>

bool report_results_checked(const LaunchReport *l) {
    return l->result_compared || (l->retire_checked && l->retire_compared) ||
        (l->oracle_checked && l->oracle_compared);
}

const char *report_verdict_text(const LaunchReport *l) {
    if (l->status != EXIT_PASS || report_results_checked(l)) return report_verdict(l);
    // A CUDA program may check its results itself.
    return l->program ? "pass, results not checked by smcosim" : "pass, results not checked";
}

const LaunchReport *report_first_failure(const RunReport *run) {
    const LaunchReport *missed = NULL;
    for (int i = 0; i < run->nlaunches; i++) {
        const LaunchReport *l = &run->launches[i];
        if (l->status == EXIT_PASS) continue;
        if (l->status != EXIT_VACUOUS || !l->verdict) return l;
        if (!missed) missed = l;
    }
    return missed;
}

const char *report_idle(const LaunchReport *l, Arena *arena) {
    const char *text = "";
    for (int i = 0; i < l->nblocks; i++)
        if (l->blocks[i].idle)
            text = arena_printf(arena, "%s%s%s", text, *text ? ", " : "", l->blocks[i].block);
    return text;
}

static bool same_block(const BlockReport *b, const char *block, const char *rtl) {
    return !strcmp(b->block, block) && (rtl == b->rtl || (rtl && b->rtl && !strcmp(rtl, b->rtl)));
}

static const BlockReport *find_block(const LaunchReport *l, const BlockReport *like) {
    for (int i = 0; i < l->nblocks; i++)
        if (same_block(&l->blocks[i], like->block, like->rtl)) return &l->blocks[i];
    return NULL;
}

static bool worked_somewhere(const LaunchReport *launches, int n, int stride,
                             const BlockReport *like) {
    for (int i = 0; i < n; i++) {
        const BlockReport *b = find_block(&launches[i * stride], like);
        if (b && b->worked) return true;
    }
    return false;
}

int report_without_work(const LaunchReport *launches, int n, int stride, Arena *arena,
                        ReportWork **work) {
    int nwork = 0, cap = 0;
    *work = NULL;
    for (int i = 0; i < n; i++) {
        const LaunchReport *l = &launches[i * stride];
        for (int k = 0; k < l->nblocks; k++) {
            const BlockReport *b = &l->blocks[k];
            int w = 0;
            if (!b->idle || worked_somewhere(launches, n, stride, b)) continue;
            while (w < nwork && !same_block(b, (*work)[w].block, (*work)[w].rtl)) w++;
            if (w == nwork)
                *ARENA_PUSH(arena, *work, nwork, cap) =
                    (ReportWork){.block = b->block, .rtl = b->rtl};
            (*work)[w].idle++;
        }
    }
    return nwork;
}

const char *report_work_text(const ReportWork *work, int n, Arena *arena) {
    const char *text = "vacuous: no launch file gave work to ";
    for (int i = 0; i < n; i++)
        text =
            arena_printf(arena, "%s%s%s%s%s (idle in %d)", text, i ? ", " : "", work[i].block,
                         work[i].rtl ? " of " : "", work[i].rtl ? work[i].rtl : "", work[i].idle);
    return text;
}
