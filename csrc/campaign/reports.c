// SPDX-License-Identifier: Apache-2.0
// A campaign as JSON and as JUnit XML.
#include "campaign/campaign.h"

#include "base/json.h"
#include "base/output.h"
#include "base/status.h"
#include "base/xml.h"

#include <string.h>

// A case without a verdict on the tested design.
static bool is_error(const char *verdict) {
    return !strcmp(verdict, exit_word(EXIT_USAGE)) ||
        !strcmp(verdict, exit_word(EXIT_ENVIRONMENT)) ||
        !strcmp(verdict, status_word(WORD_CRASH)) || !strcmp(verdict, status_word(WORD_TIMEOUT));
}

static json_t *case_json(const Campaign *c, Arena *arena, int i) {
    const RegressCase *k = &c->plan.cases[i];
    const RegressResult *r = &c->results[i];
    json_t *o = json_pack(
        "{s:s, s:s, s:s, s:I, s:s, s:s, s:i, s:s, s:s, s:s, s:s, s:f, s:f, s:I, s:s}", "key",
        k->key, "job", k->job, "kind", k->kind, "seed", (json_int_t)k->seed, "outcome",
        outcome_word(r->outcome), "verdict", r->verdict, "status", r->status, "bucket", r->bucket,
        "message", r->message, "reproduce", r->reproduce, "host", r->host, "wall", r->wall, "cpu",
        r->cpu, "cycles", (json_int_t)r->cycles, "folder", case_folder(arena, i));
    const char *idle = case_idle(r, arena);
    if (o && *idle) json_object_set_new(o, "idle", json_string(idle));
    if (o && r->unchecked) json_object_set_new(o, "results_checked", json_false());
    if (o && k->reason) json_object_set_new(o, "reason", json_string(k->reason));
    return o;
}

static json_t *coverage_json(const Campaign *c, Arena *arena) {
    int n;
    const RegressCoverage *blocks = campaign_coverage(c, arena, &n);
    json_t *all = json_array();
    for (int i = 0; i < n; i++) {
        json_t *o = json_pack("{s:s}", "block", blocks[i].name);
        uint64_t points, hit;
        for (int w = 0; w < COVERAGES; w++)
            if (coverage_share(&blocks[i], w, &points, &hit))
                json_object_set_new(
                    o, coverage_word[w],
                    json_pack("{s:I, s:I}", "points", (json_int_t)points, "hit", (json_int_t)hit));
        json_array_append_new(all, o);
    }
    return all;
}

static json_t *work_json(const Campaign *c, Arena *arena) {
    int n;
    const RegressBlock *b = campaign_work(c, arena, &n);
    json_t *all = json_array();
    for (int i = 0; i < n; i++) {
        json_t *o = json_pack("{s:s, s:s, s:i, s:i, s:b}", "arch", b[i].arch, "block", b[i].block,
                              "worked", b[i].worked, "idle", b[i].idle, "vacuous", b[i].vacuous);
        if (*b[i].rtl) json_object_set_new(o, "rtl", json_string(b[i].rtl));
        json_array_append_new(all, o);
    }
    return all;
}

bool regress_report_json(const Campaign *c, const char *path, Diag *d) {
    Arena arena = {0};
    int nbuckets;
    const RegressBucket *b = campaign_buckets(c, &arena, &nbuckets);
    json_t *cases = json_array(), *buckets = json_array(), *counts = json_object();
    for (int i = 0; i < c->plan.ncases; i++) json_array_append_new(cases, case_json(c, &arena, i));
    for (int i = 0; i < nbuckets; i++) {
        json_t *keys = json_array();
        for (int k = 0; k < b[i].ncases; k++)
            json_array_append_new(keys, json_string(c->plan.cases[b[i].cases[k]].key));
        json_array_append_new(buckets, json_pack("{s:s, s:o}", "bucket", b[i].text, "cases", keys));
    }
    for (int o = 0; o < OUTCOMES; o++)
        json_object_set_new(counts, outcome_word(o), json_integer(c->count[o]));
    json_t *o =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:f, s:o, s:o, s:o, s:o}", "schema",
                  "smcosim.regress/1", "version", c->plan.version, "suite", c->plan.suite, "id",
                  c->plan.id, "started", c->plan.started, "commit", c->plan.commit, "tools",
                  c->plan.tools, "counts", counts, "cpu", c->cpu, "buckets", buckets, "coverage",
                  coverage_json(c, &arena), "work", work_json(c, &arena), "cases", cases);
    const bool ok = json_write(path, o, JSON_INDENT(1), d);
    json_decref(o);
    arena_free(&arena);
    return ok;
}

static void put_properties(FILE *f, const RegressCase *k, const RegressResult *r, Arena *arena) {
    const char *idle = case_idle(r, arena);
    if (!k->seed && !*idle && !r->unchecked) return;
    fprintf(f, "      <properties>");
    // The name omits a drawn seed, so that it is the same in every campaign.
    if (k->seed)
        fprintf(f, "<property name=\"seed\" value=\"%llu\"/>", (unsigned long long)k->seed);
    if (*idle) {
        fprintf(f, "<property name=\"idle\" value=\"");
        xml_put(f, idle);
        fprintf(f, "\"/>");
    }
    if (r->unchecked) fprintf(f, "<property name=\"results\" value=\"not checked\"/>");
    fprintf(f, "</properties>\n");
}

static void put_case(FILE *f, const Campaign *c, Arena *arena, int i) {
    const RegressCase *k = &c->plan.cases[i];
    const RegressResult *r = &c->results[i];
    fprintf(f, "    <testcase classname=\"");
    xml_put(f, c->plan.suite), fputc('.', f), xml_put(f, k->job);
    fprintf(f, "\" name=\"");
    xml_put(f, k->key);
    fprintf(f, "\" time=\"%.3f\">\n", r->wall);
    put_properties(f, k, r, arena);
    if (!r->outcome) {
        fprintf(f, "      <error type=\"none\" message=\"no result\"/>\n");
    } else if (r->outcome == OUTCOME_EXPECTED) {
        fprintf(f, "      <skipped message=\"");
        xml_put(f, arena_printf(arena, "expected %s: %s", k->expect, k->reason));
        fprintf(f, "\"/>\n");
    } else if (r->outcome != OUTCOME_PASS) {
        const bool error = is_error(r->verdict);
        fprintf(f, "      <%s type=\"", error ? "error" : "failure");
        xml_put(f, r->verdict);
        fprintf(f, "\" message=\"");
        xml_put(f,
                r->outcome == OUTCOME_UNEXPECTED
                    ? arena_printf(arena, "%s, expected %s: %s", r->verdict, k->expect, k->reason)
                    : r->bucket);
        fprintf(f, "\">");
        xml_put(f, r->message);
        fprintf(f, "\nreproduce: ");
        xml_put(f, r->reproduce);
        fprintf(f, "\nfolder: %s</%s>\n", case_folder(arena, i), error ? "error" : "failure");
    }
    fprintf(f, "    </testcase>\n");
}

// A vacuous block is a separate failed case, because no case of the plan failed for it.
static void put_vacuous(FILE *f, const Campaign *c, const RegressBlock *b, Arena *arena) {
    fprintf(f, "    <testcase classname=\"");
    xml_put(f, c->plan.suite);
    fprintf(f, ".evidence\" name=\"");
    xml_put(f, arena_printf(arena, "%s: %s%s%s", b->arch, b->block, *b->rtl ? " of " : "", b->rtl));
    fprintf(f, "\" time=\"0\">\n      <failure type=\"vacuous\" message=\"");
    xml_put(f, campaign_vacuous_text(b, arena));
    fprintf(f, "\"/>\n    </testcase>\n");
}

static void put_document(FILE *f, const Campaign *c) {
    Arena arena = {0};
    RegressBlock *vacuous;
    const int nvacuous = campaign_vacuous(c, &arena, &vacuous);
    const int bad = c->count[OUTCOME_FAIL] + c->count[OUTCOME_UNEXPECTED];
    int errors = c->count[OUTCOME_NONE];
    for (int i = 0; i < c->plan.ncases; i++) {
        const RegressResult *r = &c->results[i];
        if (r->outcome && !outcome_good(r->outcome)) errors += is_error(r->verdict);
    }
    fprintf(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"");
    xml_put(f, c->plan.suite);
    fprintf(f,
            "\" tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\" time=\"%.3f\" "
            "timestamp=\"%s\">\n    <properties>\n",
            c->plan.ncases + nvacuous, bad + c->count[OUTCOME_NONE] - errors + nvacuous, errors,
            c->count[OUTCOME_EXPECTED], c->cpu, c->plan.started);
    const char *const names[] = {"id", "commit", "version", "tools"},
                      *const values[] = {c->plan.id, c->plan.commit, c->plan.version,
                                         c->plan.tools};
    for (int i = 0; i < 4; i++) {
        fprintf(f, "      <property name=\"%s\" value=\"", names[i]);
        xml_put(f, values[i]);
        fprintf(f, "\"/>\n");
    }
    fprintf(f, "    </properties>\n");
    for (int i = 0; i < c->plan.ncases; i++) put_case(f, c, &arena, i);
    for (int i = 0; i < nvacuous; i++) put_vacuous(f, c, &vacuous[i], &arena);
    fprintf(f, "  </testsuite>\n</testsuites>\n");
    arena_free(&arena);
}

bool regress_report_junit(const Campaign *c, const char *path, Diag *d) {
    Arena arena = {0};
    Output o;
    FILE *f = output_open(&o, &arena, path, d);
    if (f) put_document(f, c);
    const bool ok = f && output_close(&o, f, true, d);
    arena_free(&arena);
    return ok;
}
