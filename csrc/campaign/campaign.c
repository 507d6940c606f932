// SPDX-License-Identifier: Apache-2.0
// A campaign's results: read, added up, sorted by cause.
#include "campaign/campaign.h"

#include "base/output.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool campaign_read(Campaign *c, Arena *arena, const char *dir, Diag *d) {
    *c = (Campaign){.dir = dir};
    if (!plan_read(&c->plan, arena, dir, d)) return false;
    c->results = ARENA_ARRAY(arena, RegressResult, c->plan.ncases);
    for (int i = 0; i < c->plan.ncases; i++) {
        if (!case_result(&c->results[i], arena, dir, &c->plan, i, d)) return false;
        c->count[c->results[i].outcome]++;
        c->cpu += c->results[i].cpu;
    }
    return true;
}

// Copies the folder of one case with bundle, wave and coverage, because the merged campaign has no
// other copy. Its result is copied last, because it marks the case as complete.
static bool copy_case(Arena *arena, const char *to, const char *from, int number, Diag *d) {
    static const char result[] = "result.json";
    char *source = arena_printf(arena, "%s/%s", from, case_folder(arena, number));
    const char *target = arena_printf(arena, "%s/%s", to, case_folder(arena, number));
    const size_t n = strlen(source);
    if (!output_folder(arena_printf(arena, "%s/cases", to), d)) return false;
    FTS *walk = fts_open((char *const[]){source, NULL}, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    if (!walk) return diag_fail(d, EXIT_ENVIRONMENT, "%s: %s", source, strerror(errno));
    bool ok = true;
    for (const FTSENT *e; ok && (e = fts_read(walk));) {
        const char *path = arena_printf(arena, "%s%s", target, e->fts_path + n);
        if (e->fts_info == FTS_D) ok = output_folder(path, d);
        else if (e->fts_info == FTS_F && (e->fts_level > 1 || strcmp(e->fts_name, result) != 0))
            ok = output_copy(e->fts_path, path, d);
        else if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR)
            ok = diag_fail(d, EXIT_ENVIRONMENT, "%s: %s", e->fts_path, strerror(e->fts_errno));
    }
    fts_close(walk);
    return ok &&
        output_copy(arena_printf(arena, "%s/%s", source, result),
                    arena_printf(arena, "%s/%s", target, result), d);
}

static bool same_plan(const RegressPlan *a, const RegressPlan *b) {
    if (a->ncases != b->ncases || strcmp(a->suite, b->suite) || strcmp(a->commit, b->commit))
        return false;
    for (int i = 0; i < a->ncases; i++) {
        if (strcmp(a->cases[i].key, b->cases[i].key) || a->cases[i].seed != b->cases[i].seed)
            return false;
    }
    return true;
}

bool campaign_merge(Arena *arena, const char *to, const char *const *from, int nfrom, Diag *d) {
    RegressPlan plan;
    if (!access(arena_printf(arena, "%s/plan.json", to), F_OK))
        return diag_fail(d, EXIT_USAGE,
                         "%s: the folder already holds a campaign; --out names another folder", to);
    if (!plan_read(&plan, arena, from[0], d)) return false;
    const char *const owner = from[0];
    for (int f = 1; f < nfrom; f++) {
        RegressPlan other;
        if (!plan_read(&other, arena, from[f], d)) return false;
        if (!same_plan(&plan, &other))
            return diag_fail(
                d, EXIT_USAGE,
                "%s and %s are not shards of one campaign: other suite, commit, cases or seeds",
                owner, from[f]);
    }
    if (!output_folder(to, d)) return false;
    for (int i = 0; i < plan.ncases; i++) {
        const char *source = NULL;
        for (int f = 0; f < nfrom; f++) {
            RegressResult r;
            if (!case_result(&r, arena, from[f], &plan, i, d)) return false;
            if (!r.outcome) continue;
            if (source)
                return diag_fail(
                    d, EXIT_USAGE,
                    "case `%s` has a result in %s and in %s: expected in only one shard",
                    plan.cases[i].key, source, from[f]);
            source = from[f];
        }
        if (source && !copy_case(arena, to, source, i, d)) return false;
    }
    return plan_write(&plan, to, d);
}

static int by_size(const void *a, const void *b) {
    const RegressBucket *x = a, *y = b;
    return x->ncases != y->ncases ? y->ncases - x->ncases : x->cases[0] - y->cases[0];
}

RegressBucket *campaign_buckets(const Campaign *c, Arena *arena, int *nbuckets) {
    RegressBucket *buckets = NULL;
    int n = 0, cap = 0;
    for (int i = 0; i < c->plan.ncases; i++) {
        const RegressResult *r = &c->results[i];
        int b = 0;
        if (!r->outcome || outcome_good(r->outcome)) continue;
        const char *text = *r->bucket ? r->bucket : "passed, but the suite expects a failure";
        while (b < n && strcmp(buckets[b].text, text)) b++;
        if (b == n) *ARENA_PUSH(arena, buckets, n, cap) = (RegressBucket){.text = text};
        *ARENA_PUSH(arena, buckets[b].cases, buckets[b].ncases, buckets[b].cap_cases) = i;
    }
    if (n) qsort(buckets, (size_t)n, sizeof *buckets, by_size);
    *nbuckets = n;
    return buckets;
}
