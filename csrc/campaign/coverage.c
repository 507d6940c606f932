// SPDX-License-Identifier: Apache-2.0
// The coverage of all cases of a campaign together.
#include "campaign/campaign.h"

#include <string.h>

const char *const coverage_word[COVERAGES] = {"bins", "lines", "branches", "toggles"};

static void add_bin(RegressCoverage *b, Arena *arena, const RegressBins *bin) {
    for (int i = 0; i < b->nbins; i++)
        if (!strcmp(b->bins[i].name, bin->name) && !strcmp(b->bins[i].group, bin->group)) {
            b->bins[i].hits += bin->hits;
            return;
        }
    *ARENA_PUSH(arena, b->bins, b->nbins, b->cap_bins) = *bin;
}

// A place is missing when no case reached it.
static void add_code(RegressCoverage *b, Arena *arena, const RegressCode *code) {
    for (int i = 0; i < b->ncode; i++) {
        RegressCode *all = &b->code[i];
        if (strcmp(all->what, code->what)) continue;
        int n = 0;
        for (int m = 0, k = 0; m < all->nmissing && k < code->nmissing;) {
            const int order = strcmp(all->missing[m], code->missing[k]);
            if (order == 0) all->missing[n++] = all->missing[m];
            m += order <= 0, k += order >= 0;
        }
        all->nmissing = n;
        return;
    }
    if (b->ncode == 3) return;
    RegressCode *mine = &b->code[b->ncode++];
    *mine = *code;
    mine->missing = ARENA_ARRAY(arena, const char *, code->nmissing + 1);
    for (int m = 0; m < code->nmissing; m++) mine->missing[m] = code->missing[m];
}

static RegressCoverage *find_block(RegressCoverage **blocks, int *n, int *cap, Arena *arena,
                                   const char *name) {
    for (int i = 0; i < *n; i++)
        if (!strcmp((*blocks)[i].name, name)) return &(*blocks)[i];
    RegressCoverage *b = ARENA_PUSH(arena, *blocks, *n, *cap);
    *b = (RegressCoverage){.name = name};
    return b;
}

RegressCoverage *campaign_coverage(const Campaign *c, Arena *arena, int *nblocks) {
    RegressCoverage *blocks = NULL;
    int n = 0, cap = 0;
    for (int i = 0; i < c->plan.ncases; i++) {
        const RegressResult *r = &c->results[i];
        for (int k = 0; k < r->nbins; k++)
            add_bin(find_block(&blocks, &n, &cap, arena, r->bins[k].block), arena, &r->bins[k]);
        for (int k = 0; k < r->ncode; k++)
            add_code(find_block(&blocks, &n, &cap, arena, r->code[k].block), arena, &r->code[k]);
    }
    *nblocks = n;
    return blocks;
}

int coverage_bins_hit(const RegressCoverage *b) {
    int hit = 0;
    for (int i = 0; i < b->nbins; i++) hit += b->bins[i].hits != 0;
    return hit;
}

bool coverage_share(const RegressCoverage *b, int what, uint64_t *points, uint64_t *hit) {
    if (what == 0) {
        *points = (uint64_t)b->nbins, *hit = (uint64_t)coverage_bins_hit(b);
        return b->nbins > 0;
    }
    for (int i = 0; i < b->ncode; i++) {
        if (strcmp(b->code[i].what, coverage_word[what]) != 0) continue;
        *points = b->code[i].points, *hit = b->code[i].points - (uint64_t)b->code[i].nmissing;
        return true;
    }
    return false;
}
