// SPDX-License-Identifier: Apache-2.0
// Evidence of a case: its report (JSON of run, verify, ..) and its output. Evidence of all cases of
// a campaign for the blocks' work.
#include "campaign/campaign.h"

#include "base/json.h"
#include "base/plain.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SAID "smcosim: "

enum { MESSAGE = 4000 /* characters of it that are kept */, BUCKET = 200 };

static char *copy_text(Arena *arena, const char *s) { return arena_strndup(arena, s, strlen(s)); }

// Replaces numbers by # and names below /tmp by /tmp/#, so that one failure has one text at any
// cycle or lane.
static char *without_numbers(Arena *arena, const char *s, size_t n) {
    static const char tmp[] = "/tmp/";
    char *out = arena_strndup(arena, s, n), *to = out;
    for (const char *p = out; *p && *p != '\n' && to - out < BUCKET;) {
        if (!strncmp(p, tmp, strlen(tmp)) && p[strlen(tmp)]) {
            p += strlen(tmp);
            p += strcspn(p, "/ :,;'\"\n");
            to = stpcpy(to, "/tmp/#");
            continue;
        }
        if (!isdigit((unsigned char)*p) ||
            (to > out && (isalnum((unsigned char)to[-1]) || to[-1] == '_'))) {
            *to++ = *p++;
            continue;
        }
        while (isxdigit((unsigned char)*p) || *p == 'x') p++;
        *to++ = '#';
    }
    *to = '\0';
    return out;
}

static const char *line_with(const char *text, const char *what) {
    const char *at = strstr(text, what);
    return at ? at + strlen(what) : NULL;
}

// "block B, cycle 534, port rd_data_o[3] (instance ..)" and "that is: bank 3 delivers to collector
// 11: warp .." as "B.rd_data_o: bank # delivers to collector #".
static const char *mismatch_bucket(Arena *arena, const char *text) {
    const char *block = line_with(text, "mismatch: block "),
               *port = block ? line_with(block, ", port ") : NULL;
    if (!port) return NULL;
    const char *end = strchr(block, '\n'), *place = line_with(port, "that is: ");
    if (end && port > end) return NULL;
    char *head = arena_printf(arena, "%.*s.%.*s", (int)strcspn(block, ", \n"), block,
                              (int)strcspn(port, "[ \n"), port);
    return place
        ? arena_printf(arena, "%s: %s", head, without_numbers(arena, place, strcspn(place, ":;\n")))
        : head;
}

// A line that smcosim prints independent of the verdict.
static bool is_progress(const char *line) {
    static const char *const words[] = {
        "verilating ", "verilated ", "bundle: ", "shrunk from ", "note: ", "warning"};
    if (strncmp(line, SAID, strlen(SAID)) != 0) return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strncmp(line + strlen(SAID), words[i], strlen(words[i]))) return true;
    return false;
}

// The output from the first line about the failure on.
static const char *after_progress(const char *text) {
    const char *p = text;
    while (*p && is_progress(p)) {
        p += strcspn(p, "\n");
        p += *p == '\n';
    }
    return *p ? p : text;
}

// The first line of smcosim or the tool about the failure, else the last line.
static const char *telling_line(const char *text) {
    const char *last = text;
    for (const char *said = text; (said = strstr(said, SAID)); said++)
        if (!is_progress(said)) return said + strlen(SAID);
    for (const char *p = text; *p; p += *p == '\n') {
        if (*p != '\n') last = p;
        p += strcspn(p, "\n");
    }
    return last;
}

static char *read_output(Arena *arena, const char *folder, const char *name) {
    Diag ignored = {0};
    char *text = NULL;
    size_t n;
    if (!file_read(arena, arena_printf(arena, "%s/%s", folder, name), &text, &n, &ignored))
        return copy_text(arena, "");
    return copy_text(arena, plain_bytes(arena, text, n));
}

// Waived points count only if they were hit.
static bool is_waived(const json_t *waived, const char *group, const char *name) {
    for (size_t i = 0; i < json_array_size(waived); i++) {
        const json_t *o = json_array_get(waived, i);
        const char *g = json_string_value(json_object_get(o, "group")),
                   *n = json_string_value(json_object_get(o, "name"));
        if (g && n && !strcmp(g, group) && !strcmp(n, name)) return true;
    }
    return false;
}

static void add_bins(RegressResult *r, Arena *arena, const char *block, json_t *all) {
    const char *group, *name;
    json_t *bins, *hits, *groups = json_object_get(all, "groups");
    const json_t *waived = json_object_get(all, "waived");
    json_object_foreach(groups, group, bins) json_object_foreach(
        bins, name, hits) if (json_integer_value(hits) || !is_waived(waived, group, name)) *
        ARENA_PUSH(arena, r->bins, r->nbins, r->cap_bins) =
        (RegressBins){copy_text(arena, block), copy_text(arena, group), copy_text(arena, name),
                      (uint64_t)json_integer_value(hits)};
}

// A place that was not reached, as one text: the values of its object.
static const char *place_text(Arena *arena, json_t *place) {
    char *text = json_dumps(place, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
    char *mine = copy_text(arena, text ? text : "");
    free(text);
    return mine;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_code(RegressResult *r, Arena *arena, const char *block, json_t *code) {
    const char *what;
    json_t *o;
    json_object_foreach(code, what, o) {
        const json_t *missing = json_object_get(o, "missing");
        RegressCode *c = ARENA_PUSH(arena, r->code, r->ncode, r->cap_code);
        *c = (RegressCode){.block = copy_text(arena, block),
                           .what = copy_text(arena, what),
                           .nmissing = 0,
                           .points = (uint64_t)json_integer_value(json_object_get(o, "points")),
                           .hit = (uint64_t)json_integer_value(json_object_get(o, "hit"))};
        c->missing = ARENA_ARRAY(arena, const char *, json_array_size(missing) + 1);
        for (size_t i = 0; i < json_array_size(missing); i++) {
            json_t *place = json_array_get(missing, i);
            if (!json_object_get(place, "waived"))
                c->missing[c->nmissing++] = place_text(arena, place);
        }
        qsort(c->missing, (size_t)c->nmissing, sizeof *c->missing, by_text);
    }
}

static RegressWork *work_of(RegressResult *r, Arena *arena, const char *arch, const char *block,
                            const char *rtl) {
    for (int i = 0; i < r->nwork; i++) {
        RegressWork *w = &r->work[i];
        if (!strcmp(w->arch, arch) && !strcmp(w->block, block) && !strcmp(w->rtl, rtl)) return w;
    }
    RegressWork *w = ARENA_PUSH(arena, r->work, r->nwork, r->cap_work);
    *w = (RegressWork){.arch = copy_text(arena, arch),
                       .block = copy_text(arena, block),
                       .rtl = copy_text(arena, rtl),
                       .worked = false};
    return w;
}

static bool has_word(const json_t *list, const char *word) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *s = json_string_value(json_array_get(list, i));
        if (s && !strcmp(s, word)) return true;
    }
    return false;
}

// One launch on one architecture, of run, exec or compare. An idle block that required no work is
// no evidence.
static void add_launch(RegressResult *r, Arena *arena, const char *arch, json_t *launch) {
    const char *block, *verdict = json_string_value(json_object_get(launch, "verdict"));
    const json_t *idle = json_object_get(launch, "idle");
    json_t *o;
    if (verdict && !strcmp(verdict, "pass") &&
        json_is_false(json_object_get(launch, "results_checked")))
        r->unchecked = true;
    json_object_foreach(json_object_get(launch, "blocks"), block, o) {
        const char *rtl = json_string_value(json_object_get(o, "rtl"));
        const bool worked = json_integer_value(json_object_get(o, "cycles_with_work")) > 0;
        if (worked || has_word(idle, block))
            work_of(r, arena, arch, block, rtl ? rtl : "")->worked |= worked;
    }
}

static void add_launches(RegressResult *r, Arena *arena, json_t *report) {
    const char *arch = json_string_value(json_object_get(report, "arch"));
    json_t *each, *cell;
    size_t i;
    json_array_foreach(json_object_get(report, "launches"), i, each) {
        r->cycles += (uint64_t)json_integer_value(json_object_get(each, "cycles"));
        if (arch) add_launch(r, arena, arch, each);
        const char *one;
        json_object_foreach(json_object_get(each, "archs"), one, cell)
            add_launch(r, arena, one, cell);
    }
}

static void read_report(RegressResult *r, Arena *arena, const char *path) {
    json_t *o = json_load_file(path, 0, NULL), *each;
    size_t i;
    if (!o) return;
    const char *verdict = json_string_value(json_object_get(o, "verdict"));
    if (verdict) r->verdict = copy_text(arena, verdict);
    add_launches(r, arena, o);
    json_array_foreach(json_object_get(o, "blocks"), i, each) {
        // Places of different shapes are different places.
        const char *name = json_string_value(json_object_get(each, "name")),
                   *shape = json_string_value(json_object_get(each, "shape"));
        if (name && shape && *shape) name = arena_printf(arena, "%s[%s]", name, shape);
        r->cycles += (uint64_t)json_integer_value(json_object_get(each, "cycles"));
        if (name) add_bins(r, arena, name, json_object_get(each, "bins"));
        if (name) add_code(r, arena, name, json_object_get(each, "code"));
    }
    json_decref(o);
}

// The word for a status of smcosim; "status N" for other programs.
static const char *name_status(Arena *arena, const RegressCase *c, int status) {
    const bool other = !strcmp(c->kind, "command") && strcmp(c->argv[0], "smcosim") != 0;
    const bool known =
        status >= EXIT_PASS && (status <= EXIT_ENVIRONMENT || status == EXIT_INTERRUPTED);
    return status == 0 || (known && !other) ? exit_word((ExitStatus)status)
                                            : arena_printf(arena, "status %d", status);
}

void case_evidence(RegressResult *r, Arena *arena, const RegressCase *c, const char *folder) {
    const char *ended = r->verdict;  // crash or timeout, or NULL
    r->bucket = r->message = "";
    read_report(r, arena, arena_printf(arena, "%s/report.json", folder));
    if (ended) r->verdict = ended;
    else if (!r->verdict || (r->status == 0) != !strcmp(r->verdict, "pass"))
        r->verdict = name_status(arena, c, r->status);
    if (r->status == 0) return;
    const char *err = read_output(arena, folder, "err.txt"),
               *out = read_output(arena, folder, "out.txt");
    const char *said = after_progress(*err ? err : out), *mismatch = mismatch_bucket(arena, err);
    if (!mismatch) mismatch = mismatch_bucket(arena, out);
    r->message = arena_strndup(arena, said, strnlen(said, MESSAGE));
    const char *line = telling_line(said);
    const char *what = without_numbers(arena, line, strcspn(line, "\n"));
    r->bucket = mismatch ? mismatch
        : *what          ? arena_printf(arena, "%s: %s", r->verdict, what)
                         : r->verdict;
}

const char *case_idle(const RegressResult *r, Arena *arena) {
    const char *text = "";
    for (int i = 0; i < r->nwork; i++) {
        const RegressWork *w = &r->work[i];
        // `compare` has several architectures.
        const bool several = strcmp(w->arch, r->work[0].arch) != 0 ||
            strcmp(w->arch, r->work[r->nwork - 1].arch) != 0;
        if (!w->worked)
            text = arena_printf(arena, several ? "%s%s%s with %s" : "%s%s%s", text,
                                *text ? ", " : "", w->block, w->arch);
    }
    return text;
}

// ---- all cases together -------------------------------------------------------------------------

static void add_work(RegressBlock **blocks, int *n, int *cap, Arena *arena, const RegressWork *w,
                     bool worked, bool idle) {
    int i = 0;
    while (i < *n &&
           (strcmp((*blocks)[i].arch, w->arch) || strcmp((*blocks)[i].block, w->block) ||
            strcmp((*blocks)[i].rtl, w->rtl)))
        i++;
    if (i == *n)
        *ARENA_PUSH(arena, *blocks, *n, *cap) =
            (RegressBlock){.arch = w->arch, .block = w->block, .rtl = w->rtl};
    (*blocks)[i].worked += worked;
    (*blocks)[i].idle += idle;
}

RegressBlock *campaign_work(const Campaign *c, Arena *arena, int *nblocks) {
    RegressBlock *blocks = NULL;
    int n = 0, cap = 0;
    for (int i = 0; i < c->plan.ncases; i++) {
        const RegressResult *r = &c->results[i];
        for (int k = 0; k < r->nwork; k++) {
            const bool worked = r->work[k].worked && r->outcome != OUTCOME_EXPECTED;
            const bool idle =
                !r->work[k].worked && r->outcome == OUTCOME_PASS && !c->plan.cases[i].may_idle;
            if (worked || idle) add_work(&blocks, &n, &cap, arena, &r->work[k], worked, idle);
        }
    }
    for (int i = 0; i < n; i++) blocks[i].vacuous = !blocks[i].worked && !c->count[OUTCOME_NONE];
    *nblocks = n;
    return blocks;
}

int campaign_vacuous(const Campaign *c, Arena *arena, RegressBlock **blocks) {
    int n, vacuous = 0;
    *blocks = campaign_work(c, arena, &n);
    for (int i = 0; i < n; i++)
        if ((*blocks)[i].vacuous) (*blocks)[vacuous++] = (*blocks)[i];
    return vacuous;
}

const char *campaign_vacuous_text(const RegressBlock *b, Arena *arena) {
    return arena_printf(arena, "no case gave work to %s%s%s (architecture %s, idle in %d case%s)",
                        b->block, *b->rtl ? " of " : "", b->rtl, b->arch, b->idle,
                        b->idle == 1 ? "" : "s");
}
