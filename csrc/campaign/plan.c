// SPDX-License-Identifier: Apache-2.0
// plan.json: the cases of a campaign, written once.
#include "campaign/campaign.h"

#include "base/json.h"

#include <string.h>

#define PLAN_SCHEMA "smcosim.regress.plan/1"

static json_t *words_json(const char *const *list, int n) {
    json_t *a = json_array();
    for (int i = 0; i < n; i++) json_array_append_new(a, json_string(list[i]));
    return a;
}

static json_t *case_json(const RegressCase *c) {
    json_t *o =
        json_pack("{s:s, s:s, s:s, s:o, s:o, s:I, s:i}", "key", c->key, "job", c->job, "kind",
                  c->kind, "argv", words_json(c->argv, c->argc), "tags",
                  words_json(c->tags, c->ntags), "seed", (json_int_t)c->seed, "limit", c->limit);
    if (o && c->may_idle) json_object_set_new(o, "allow_idle", json_true());
    if (o && c->expect) {
        json_object_set_new(o, "expect", json_string(c->expect));
        json_object_set_new(o, "reason", json_string(c->reason));
    }
    return o;
}

bool plan_write(const RegressPlan *p, const char *dir, Diag *d) {
    Arena arena = {0};
    json_t *cases = json_array();
    for (int i = 0; i < p->ncases; i++) {
        json_t *c = case_json(&p->cases[i]);
        // jansson takes UTF-8 only
        if (!c) {
            json_decref(cases);
            return diag_fail(d, EXIT_USAGE, "job `%s`: a word that is not UTF-8", p->cases[i].job);
        }
        json_array_append_new(cases, c);
    }
    json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o}", "schema",
                          PLAN_SCHEMA, "suite", p->suite, "id", p->id, "started", p->started,
                          "commit", p->commit, "version", p->version, "program", p->program, "host",
                          p->host, "tools", p->tools, "dir", p->dir, "cases", cases);
    bool ok = o ? json_write(arena_printf(&arena, "%s/plan.json", dir), o, JSON_INDENT(1), d)
                : diag_fail(d, EXIT_USAGE, "%s: the name of a file is not UTF-8", p->suite);
    json_decref(o);
    arena_free(&arena);
    return ok;
}

static const char **words_of(Arena *arena, const json_t *o, const char *key, int *n) {
    const json_t *a = json_object_get(o, key);
    const char **list = ARENA_ARRAY(arena, const char *, json_array_size(a) + 1);
    *n = (int)json_array_size(a);
    for (int i = 0; i < *n; i++) {
        const char *s = json_string_value(json_array_get(a, (size_t)i));
        list[i] = s ? arena_strndup(arena, s, strlen(s)) : "";
    }
    return list;
}

static bool read_case(RegressCase *c, Arena *arena, const json_t *o) {
    *c = (RegressCase){.key = json_text(arena, o, "key", NULL),
                       .job = json_text(arena, o, "job", NULL),
                       .kind = json_text(arena, o, "kind", NULL),
                       .seed = (uint64_t)json_integer_value(json_object_get(o, "seed")),
                       .limit = (int)json_integer_value(json_object_get(o, "limit")),
                       .expect = json_text(arena, o, "expect", NULL),
                       .reason = json_text(arena, o, "reason", NULL),
                       .may_idle = json_is_true(json_object_get(o, "allow_idle"))};
    c->argv = words_of(arena, o, "argv", &c->argc);
    c->tags = words_of(arena, o, "tags", &c->ntags);
    return c->key && c->job && c->kind && c->argc > 0 && c->limit > 0 && !c->expect == !c->reason;
}

bool plan_read(RegressPlan *p, Arena *arena, const char *dir, Diag *d) {
    const char *path = arena_printf(arena, "%s/plan.json", dir);
    json_error_t e;
    json_t *o = json_load_file(path, 0, &e);
    if (!o && e.line > 0)
        return diag_fail(d, EXIT_USAGE, "%s:%d:%d: error: %s", path, e.line, e.column, e.text);
    if (!o) return diag_fail(d, EXIT_USAGE, "%s: the folder holds no campaign (no plan.json)", dir);
    const char *schema = json_string_value(json_object_get(o, "schema"));
    const json_t *cases = json_object_get(o, "cases");
    *p = (RegressPlan){.suite = json_text(arena, o, "suite", NULL),
                       .id = json_text(arena, o, "id", NULL),
                       .started = json_text(arena, o, "started", NULL),
                       .commit = json_text(arena, o, "commit", NULL),
                       .version = json_text(arena, o, "version", NULL),
                       .program = json_text(arena, o, "program", NULL),
                       .host = json_text(arena, o, "host", NULL),
                       .tools = json_text(arena, o, "tools", NULL),
                       .dir = json_text(arena, o, "dir", NULL)};
    bool ok = schema && !strcmp(schema, PLAN_SCHEMA) && p->suite && p->id && p->started &&
        p->commit && p->version && p->program && p->host && p->tools && p->dir &&
        json_array_size(cases) > 0;
    p->cases = ARENA_ARRAY(arena, RegressCase, json_array_size(cases) + 1);
    for (size_t i = 0; ok && i < json_array_size(cases); i++)
        ok = read_case(&p->cases[p->ncases++], arena, json_array_get(cases, i));
    json_decref(o);
    return ok ||
        diag_fail(d, EXIT_USAGE, "%s: not a plan of this version of smcosim (%s)", path,
                  PLAN_SCHEMA);
}
