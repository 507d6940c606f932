// SPDX-License-Identifier: Apache-2.0
// Checked-in results. A fingerprint (tools, library, clock, parameters) says whether a figure that
// moved was moved by the RTL or by something else.
#include "synth/synth_internal.h"

#include "base/json.h"
#include "base/status.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static json_t *fingerprint_json(const SynthReport *r, const SynthResult *x) {
    char hash[20];
    json_t *params = json_object();
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)r->liberty->hash);
    for (int i = 0; i < x->desc->nparams; i++)
        json_object_set_new(params, x->desc->params[i].name, json_integer(x->params[i]));
    return json_pack("{s:s, s:s, s:s, s:f, s:o, s:s}", "tools", r->tools, "library",
                     r->liberty->name, "library_hash", hash, "clock_ns", r->clock, "parameters",
                     params, "mapping", x->bottom_up ? "bottom-up" : "flat");
}

// The first thing that differs, in words; NULL: nothing does.
static const char *find_difference(json_t *then, json_t *now) {
    static const char *const keys[] = {"tools",    "library",    "library_hash",
                                       "clock_ns", "parameters", "mapping"};
    static const char *const words[] = {"the tools", "the library",    "the library's text",
                                        "the clock", "the parameters", "the way of mapping"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!json_equal(json_object_get(then, keys[i]), json_object_get(now, keys[i])))
            return words[i];
    return NULL;
}

// NULL after a Diag. A missing file is an empty one when it is to be written.
static json_t *load_baselines(const char *path, bool may_miss, Diag *d) {
    json_error_t error;
    if (may_miss && access(path, F_OK)) return json_object();
    Arena arena = {0};
    char *text;
    size_t n;
    if (!file_read(&arena, path, &text, &n, d)) return NULL;
    json_t *root = json_loadb(text, n, 0, &error);
    arena_free(&arena);
    if (!root || !json_is_object(root)) {
        diag_fail(d, EXIT_USAGE, "%s:%d: not a file of baselines: %s", path, root ? 1 : error.line,
                  root ? "no object" : error.text);
        json_decref(root);
        return NULL;
    }
    return root;
}

static double relative_change(double then, double now) {
    return then > 0 ? now / then - 1 : now > 0 ? 1 : 0;
}

_Static_assert(WORD_BASELINE_NEW - WORD_BASELINE_SAME == VERDICT_NEW,
               "a word for each verdict, in their order");
static const char *name_verdict(SynthVerdict v) { return status_word(WORD_BASELINE_SAME + v); }

static SynthVerdict check_row(json_t *base, const SynthReport *r, const SynthResult *x, FILE *f) {
    if (!base) {
        fprintf(f, "%-11s %-18s has no baseline; smcosim synth %s --update FILE\n",
                name_verdict(VERDICT_NEW), x->desc->name, x->desc->name);
        return VERDICT_NEW;
    }
    const SynthPath *worst = &x->groups[x->worst];
    const double area = json_number_value(json_object_get(base, "area")),
                 path = json_number_value(json_object_get(base, "path_ns"));
    const double by_area = relative_change(area, x->area_total),
                 by_path = relative_change(path, worst->delay);
    json_t *now = fingerprint_json(r, x);
    const char *other = find_difference(json_object_get(base, "fingerprint"), now);
    const bool far = fabs(by_area) > SYNTH_TOLERANCE || fabs(by_path) > SYNTH_TOLERANCE;
    const SynthVerdict verdict = other ? VERDICT_STALE : far ? VERDICT_MOVED : VERDICT_SAME;
    json_decref(now);
    fprintf(f, "%-11s %-18s area %.0f -> %.0f (%+.1f %%), worst path %.3f -> %.3f ns (%+.1f %%)",
            name_verdict(verdict), x->desc->name, area, x->area_total, 100 * by_area, path,
            worst->delay, 100 * by_path);
    if (other) fprintf(f, "; %s changed since", other);
    else if (far) fprintf(f, "; now %s -> %s", worst->from, worst->to);
    fprintf(f, "\n");
    return verdict;
}

ExitStatus baseline_check(const char *path, const SynthReport *r, FILE *f, Diag *d) {
    json_t *root = load_baselines(path, false, d), *blocks = json_object_get(root, "blocks");
    int counts[4] = {0};
    if (!root) return d->status;
    for (int i = 0; i < r->nrows; i++) {
        const SynthResult *x = &r->rows[i].result;
        counts[check_row(json_object_get(blocks, x->desc->name), r, x, f)]++;
    }
    json_decref(root);
    fprintf(f, "baselines: %d as before, %d %s, %d %s, %d %s\n", counts[VERDICT_SAME],
            counts[VERDICT_MOVED], name_verdict(VERDICT_MOVED), counts[VERDICT_STALE],
            name_verdict(VERDICT_STALE), counts[VERDICT_NEW], name_verdict(VERDICT_NEW));
    if (counts[VERDICT_MOVED] || counts[VERDICT_NEW]) return EXIT_MISMATCH;
    return counts[VERDICT_SAME] ? EXIT_PASS : EXIT_VACUOUS;
}

bool baseline_update(const char *path, const SynthReport *r, Diag *d) {
    json_t *root = load_baselines(path, true, d);
    if (!root) return false;
    json_t *blocks = json_object_get(root, "blocks");
    if (!json_is_object(blocks)) {
        json_object_set_new(root, "blocks", json_object());
        blocks = json_object_get(root, "blocks");
    }
    for (int i = 0; i < r->nrows; i++) {
        const SynthResult *x = &r->rows[i].result;
        json_object_set_new(blocks, x->desc->name,
                            json_pack("{s:o, s:f, s:f, s:s, s:s, s:s}", "fingerprint",
                                      fingerprint_json(r, x), "area", x->area_total, "path_ns",
                                      x->groups[x->worst].delay, "group",
                                      synth_group_names[x->worst], "from", x->groups[x->worst].from,
                                      "to", x->groups[x->worst].to));
    }
    const bool good =
        json_write(path, root, JSON_INDENT(1) | JSON_SORT_KEYS | JSON_REAL_PRECISION(8), d);
    json_decref(root);
    return good;
}
