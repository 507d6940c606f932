// SPDX-License-Identifier: Apache-2.0
// Shapes for the verification of a block, and the required functional bins of each.
#include "verify/verify.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

int verify_nshapes(const BlockStim *stim) {
    int n = 0;
    while (stim->shapes && stim->shapes[n].params) n++;
    return n;
}

// The parameter that "NAME=VALUE .." at `text` begins with; -1: none of the block.
static int named_param(const BlockDesc *desc, const char *text, long *value, const char **end) {
    const size_t length = strcspn(text, "= ");
    if (text[length] != '=') return -1;
    char *after;
    *value = strtol(text + length + 1, &after, 10);
    if (after == text + length + 1 || (*after && *after != ' ')) return -1;
    *end = after + strspn(after, " ");
    for (int i = 0; i < desc->nparams; i++)
        if (strlen(desc->params[i].name) == length && !strncmp(desc->params[i].name, text, length))
            return i;
    return -1;
}

bool verify_shape_params(const BlockDesc *desc, const MachineConfig *cfg, const StimShape *shape,
                         int *params, Diag *d) {
    if (!block_params_from_config(desc, cfg, params, d)) return false;
    for (const char *p = shape->params; *p;) {
        long value = 0;
        const char *end = p;
        const int i = named_param(desc, p, &value, &end);
        if (i < 0 || value < desc->params[i].least || value > desc->params[i].most)
            return diag_fail(d, EXIT_USAGE,
                             "block %s, shape '%s': no parameter in its range at '%s'", desc->name,
                             shape->params, p);
        params[i] = (int)value;
        p = end;
    }
    return true;
}

// ---- bins ---------------------------------------------------------------------------------------

// * matches any characters, everything else itself.
static bool matches_pattern(const char *pattern, const char *text) {
    for (; *pattern && *pattern != '*'; pattern++, text++)
        if (*pattern != *text) return false;
    if (!*pattern) return !*text;
    do {
        if (matches_pattern(pattern + 1, text)) return true;
    } while (*text++);
    return false;
}

static bool waiver_applies(const BlockDesc *desc, const int *params, const char *when) {
    while (*when) {
        long value = 0;
        const int i = named_param(desc, when, &value, &when);
        panic_if(i < 0, "%s: a waiver for '%s', which names no parameter", desc->name, when);
        if (params[i] != value) return false;
    }
    return true;
}

const char *verify_waiver(const BlockStim *stim, const BlockDesc *desc, const int *params,
                          const CoverBin *bin) {
    for (const StimWaiver *w = stim->waivers; w && w->reason; w++)
        if (matches_pattern(w->group, bin->group) && matches_pattern(w->name, bin->name) &&
            waiver_applies(desc, params, w->when))
            return w->reason;
    return NULL;
}

void verify_count_bins(Arena *arena, const BlockStim *stim, VerifyResult *r) {
    r->waivers = ARENA_ARRAY(arena, const char *, r->nbins + 1);
    r->missing = r->waived = 0;
    for (int i = 0; i < r->nbins; i++) {
        r->waivers[i] = verify_waiver(stim, r->desc, r->params, &r->bins[i]);
        r->waived += r->waivers[i] != NULL;
        r->missing += !r->waivers[i] && !r->hits[i];
    }
}

static void fail_bins(VerifyResult *r, const char *message) {
    r->status = EXIT_VACUOUS;
    r->word = status_word(WORD_BINS);
    r->message = message;
}

void verify_judge_bins(Arena *arena, VerifyResult *r, int percent) {
    const int wanted = r->nbins - r->waived;
    r->bins_percent = percent;
    if (r->status != EXIT_PASS) return;
    for (int i = 0; i < r->nbins; i++)
        if (r->waivers[i] && r->hits[i]) {
            fail_bins(r,
                      arena_printf(
                          arena, "%s: bin %s, %s is waived (%s) and was hit: the waiver is stale",
                          r->desc->name, r->bins[i].group, r->bins[i].name, r->waivers[i]));
            return;
        }
    if ((int64_t)(wanted - r->missing) * 100 >= (int64_t)wanted * percent) return;
    if (percent == 100)
        fail_bins(r,
                  arena_printf(arena, "%s: %d of %d functional bins were never hit", r->desc->name,
                               r->missing, wanted));
    else
        fail_bins(r,
                  arena_printf(arena,
                               "%s: vacuous: %d of %d functional bins were hit; at least %d %% are "
                               "required: raise --transactions",
                               r->desc->name, wanted - r->missing, wanted, percent));
}
