// SPDX-License-Identifier: Apache-2.0
// result.json of a case.
#include "campaign/case.h"

#include "base/json.h"

#include <string.h>
#include <unistd.h>

#define RESULT_SCHEMA "smcosim.regress.result/1"

static json_t *bins_json(const RegressResult *r) {
    json_t *a = json_array();
    for (int i = 0; i < r->nbins; i++)
        json_array_append_new(a,
                              json_pack("[s,s,s,I]", r->bins[i].block, r->bins[i].group,
                                        r->bins[i].name, (json_int_t)r->bins[i].hits));
    return a;
}

static json_t *code_json(const RegressResult *r) {
    json_t *a = json_array();
    for (int i = 0; i < r->ncode; i++) {
        const RegressCode *c = &r->code[i];
        json_t *missing = json_array();
        for (int m = 0; m < c->nmissing; m++)
            json_array_append_new(missing, json_string(c->missing[m]));
        json_array_append_new(a,
                              json_pack("{s:s, s:s, s:I, s:I, s:o}", "block", c->block, "what",
                                        c->what, "points", (json_int_t)c->points, "hit",
                                        (json_int_t)c->hit, "missing", missing));
    }
    return a;
}

static json_t *work_json(const RegressResult *r) {
    json_t *a = json_array();
    for (int i = 0; i < r->nwork; i++)
        json_array_append_new(a,
                              json_pack("[s,s,s,b]", r->work[i].arch, r->work[i].block,
                                        r->work[i].rtl, r->work[i].worked));
    return a;
}

bool case_write(const RegressResult *r, const char *folder, const RegressCase *c, Diag *d) {
    Arena arena = {0};
    json_t *o = json_pack(
        "{s:s, s:s, s:s, s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:f, s:f, s:I, s:o, s:o, s:o, s:b}",
        "schema", RESULT_SCHEMA, "key", c->key, "outcome", outcome_word(r->outcome), "status",
        r->status, "verdict", r->verdict, "bucket", r->bucket, "message", r->message, "reproduce",
        r->reproduce, "host", r->host, "started", r->started, "wall", r->wall, "cpu", r->cpu,
        "cycles", (json_int_t)r->cycles, "bins", bins_json(r), "code", code_json(r), "work",
        work_json(r), "unchecked", r->unchecked);
    const bool ok = o
        ? json_write(arena_printf(&arena, "%s/result.json", folder), o, JSON_INDENT(1), d)
        : diag_fail(d, EXIT_ENVIRONMENT, "%s: its result is not UTF-8", folder);
    json_decref(o);
    arena_free(&arena);
    return ok;
}

// ---- reading ------------------------------------------------------------------------------------

static void read_lists(RegressResult *r, Arena *arena, const json_t *o) {
    json_t *each;
    size_t i, m;
    json_array_foreach(json_object_get(o, "bins"), i, each) {
        const char *block, *group, *name;
        json_int_t hits;
        if (!json_unpack(each, "[s,s,s,I]", &block, &group, &name, &hits))
            *ARENA_PUSH(arena, r->bins, r->nbins, r->cap_bins) =
                (RegressBins){arena_strndup(arena, block, strlen(block)),
                              arena_strndup(arena, group, strlen(group)),
                              arena_strndup(arena, name, strlen(name)), (uint64_t)hits};
    }
    json_array_foreach(json_object_get(o, "work"), i, each) {
        const char *arch, *block, *rtl;
        int worked;
        if (!json_unpack(each, "[s,s,s,b]", &arch, &block, &rtl, &worked))
            *ARENA_PUSH(arena, r->work, r->nwork, r->cap_work) =
                (RegressWork){arena_strndup(arena, arch, strlen(arch)),
                              arena_strndup(arena, block, strlen(block)),
                              arena_strndup(arena, rtl, strlen(rtl)), worked != 0};
    }
    json_array_foreach(json_object_get(o, "code"), i, each) {
        const json_t *missing = json_object_get(each, "missing");
        RegressCode *c = ARENA_PUSH(arena, r->code, r->ncode, r->cap_code);
        *c = (RegressCode){.block = json_text(arena, each, "block", ""),
                           .what = json_text(arena, each, "what", ""),
                           .points = (uint64_t)json_integer_value(json_object_get(each, "points")),
                           .hit = (uint64_t)json_integer_value(json_object_get(each, "hit"))};
        c->missing = ARENA_ARRAY(arena, const char *, json_array_size(missing) + 1);
        for (m = 0; m < json_array_size(missing); m++) {
            const char *s = json_string_value(json_array_get(missing, m));
            if (s) c->missing[c->nmissing++] = arena_strndup(arena, s, strlen(s));
        }
    }
}

bool case_result(RegressResult *r, Arena *arena, const char *dir, const RegressPlan *p, int number,
                 Diag *d) {
    *r = (RegressResult){
        .verdict = "", .bucket = "", .message = "", .reproduce = "", .host = "", .started = ""};
    const char *path = arena_printf(arena, "%s/%s/result.json", dir, case_folder(arena, number));
    if (access(path, F_OK)) return true;
    json_error_t e;
    json_t *o = json_load_file(path, 0, &e);
    if (!o) return diag_fail(d, EXIT_USAGE, "%s:%d:%d: error: %s", path, e.line, e.column, e.text);
    const char *key = json_string_value(json_object_get(o, "key")),
               *outcome = json_string_value(json_object_get(o, "outcome"));
    for (int i = 1; outcome && i < OUTCOMES; i++)
        if (!strcmp(outcome, outcome_word(i))) r->outcome = (RegressOutcome)i;
    const bool ok = key && !strcmp(key, p->cases[number].key) && r->outcome;
    r->status = (int)json_integer_value(json_object_get(o, "status"));
    r->cycles = (uint64_t)json_integer_value(json_object_get(o, "cycles"));
    r->wall = json_number_value(json_object_get(o, "wall")),
    r->cpu = json_number_value(json_object_get(o, "cpu"));
    r->verdict = json_text(arena, o, "verdict", ""), r->bucket = json_text(arena, o, "bucket", ""),
    r->message = json_text(arena, o, "message", "");
    r->reproduce = json_text(arena, o, "reproduce", ""), r->host = json_text(arena, o, "host", ""),
    r->started = json_text(arena, o, "started", "");
    r->unchecked = json_is_true(json_object_get(o, "unchecked"));
    read_lists(r, arena, o);
    json_decref(o);
    return ok ||
        diag_fail(d, EXIT_USAGE, "%s: not the result of case `%s`", path, p->cases[number].key);
}
