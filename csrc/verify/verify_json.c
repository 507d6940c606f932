// SPDX-License-Identifier: Apache-2.0
#include "verify/verify_report.h"

#include "base/json.h"
#include "verify/cover.h"

#include <string.h>

static json_t *words_json(const uint32_t *words, int n) {
    json_t *list = json_array();
    char text[16];
    for (int i = 0; i < n; i++) {
        snprintf(text, sizeof text, "0x%x", words[i]);
        json_array_append_new(list, json_string(text));
    }
    return list;
}

// Any bytes as text that JSON takes.
static json_t *text_json(const char *text) {
    json_t *s = json_string(text);
    if (s) return s;
    char plain[1024];
    size_t n = 0;
    for (; text[n] && n + 1 < sizeof plain; n++)
        plain[n] = (unsigned char)text[n] < 0x80 ? text[n] : '?';
    plain[n] = '\0';
    return json_string(plain);
}

static json_t *failures_json(const VerifyReport *r, int block) {
    const VerifyResult *b = &r->results[block];
    json_t *list = json_array();
    Arena arena = {0};
    for (int i = 0; i < b->nfailures; i++) {
        const VerifyFailure *f = &b->failures[i];
        const Mismatch *m = &f->mismatch;
        json_t *o = json_pack("{s:I, s:I, s:I, s:I, s:s, s:I, s:s, s:i, s:o, s:o, s:o, s:s}",
                              "seed", (json_int_t)f->seed, "transactions",
                              (json_int_t)f->transactions, "start_seed", (json_int_t)f->start_seed,
                              "long_cycles", (json_int_t)f->long_cycles, "verdict",
                              exit_word(f->status), "cycle", (json_int_t)m->cycle, "port", m->port,
                              "element", m->element, "expected", words_json(m->expected, m->words),
                              "actual", words_json(m->actual, m->words), "rule", text_json(f->rule),
                              "reproduce", verify_reproduce(&arena, r, block, f));
        if (!strcmp(m->port, "state"))
            json_object_set_new(o, "observation_address", json_integer(m->obs_addr));
        json_array_append_new(list, o);
    }
    arena_free(&arena);
    return list;
}

static json_t *buckets_json(const VerifyResult *b) {
    json_t *list = json_array();
    for (int i = 0; i < b->nbuckets; i++)
        json_array_append_new(list,
                              json_pack("{s:s, s:i, s:I}", "port", b->buckets[i].port, "failures",
                                        b->buckets[i].count, "first_seed",
                                        (json_int_t)b->buckets[i].first->seed));
    return list;
}

static json_t *bins_json(const VerifyResult *b) {
    json_t *groups = json_object();
    for (int i = 0; i < b->nbins; i++) {
        json_t *group = json_object_get(groups, b->bins[i].group);
        if (!group) {
            group = json_object();
            json_object_set_new(groups, b->bins[i].group, group);
        }
        json_object_set_new(group, b->bins[i].name, json_integer((json_int_t)b->hits[i]));
    }
    json_t *waived = json_array();
    for (int i = 0; i < b->nbins; i++)
        if (b->waivers && b->waivers[i])
            json_array_append_new(waived,
                                  json_pack("{s:s, s:s, s:s}", "group", b->bins[i].group, "name",
                                            b->bins[i].name, "reason", b->waivers[i]));
    return json_pack("{s:i, s:i, s:b, s:o, s:o}", "declared", b->nbins, "hit",
                     b->nbins - b->waived - b->missing, "enforced", b->bins_percent > 0, "waived",
                     waived, "groups", groups);
}

static json_t *point_json(const CodePoint *p) {
    json_t *o = json_object();
    if (p->kind == CODE_TOGGLE) {
        json_object_set_new(o, "net", text_json(p->what));
        json_object_set_new(o, "bit", json_integer(p->bit));
    } else {
        json_object_set_new(o, "file", text_json(p->file));
        json_object_set_new(o, "line", json_integer(p->line));
        json_object_set_new(o, "what", text_json(p->what));
    }
    if (p->waived) json_object_set_new(o, "waived", text_json(p->waived));
    return o;
}

static json_t *code_json(const VerifyCode *code) {
    static const char *const kinds[CODE_KINDS] = {"lines", "branches", "toggles"};
    if (!code) return json_null();
    json_t *root = json_object();
    for (int k = 0; k < CODE_KINDS; k++) {
        json_t *missing = json_array();
        for (int i = 0; i < code->npoints; i++)
            if ((int)code->points[i].kind == k && !code_hit(&code->points[i]))
                json_array_append_new(missing, point_json(&code->points[i]));
        json_object_set_new(root, kinds[k],
                            json_pack("{s:i, s:i, s:i, s:o}", "points", code->kinds[k].all, "hit",
                                      code->kinds[k].hit, "waived", code->kinds[k].waived,
                                      "missing", missing));
    }
    return root;
}

static json_t *block_json(const VerifyReport *r, int block) {
    const VerifyResult *b = &r->results[block];
    const char *machine = verify_config(r, block)->machine;
    json_t *params = json_object();
    for (int p = 0; p < b->desc->nparams; p++)
        json_object_set_new(params, b->desc->params[p].name, json_integer(b->params[p]));
    char hash[20];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)verify_config_hash(r, block));
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:o, s:o, s:s, s:I, s:I, s:i, s:i, s:i, s:I, "
                     "s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:s}",
                     "name", b->desc->name, "shape", b->shape ? b->shape : "", "why",
                     b->why ? b->why : "", "machine", machine ? machine : "", "verdict",
                     verify_word(b), "exit_status", (int)b->status, "message",
                     text_json(b->message), "parameters", params, "config_hash", hash, "seed",
                     (json_int_t)b->seed, "transactions", (json_int_t)b->transactions, "chunks",
                     b->chunks, "chunks_run", b->chunks_run, "long_chunks", b->long_chunks,
                     "long_cycles", (json_int_t)b->long_cycles, "cycles", (json_int_t)b->cycles,
                     "driven", (json_int_t)b->driven, "compared", (json_int_t)b->compared, "bins",
                     bins_json(b), "code", code_json(b->code), "failures", failures_json(r, block),
                     "buckets", buckets_json(b), "tools", b->toolchain ? b->toolchain : "");
}

static json_t *host_json(const VerifyReport *r) {
    json_t *blocks = json_object();
    Arena arena = {0};
    for (int i = 0; i < r->nresults; i++) {
        const VerifyResult *b = &r->results[i];
        json_object_set_new(blocks, verify_label(&arena, b),
                            json_pack("{s:f, s:f}", "seconds", b->seconds, "cycles_per_second",
                                      b->seconds > 0 ? (double)b->cycles / b->seconds : 0.0));
    }
    arena_free(&arena);
    return json_pack("{s:i, s:o}", "jobs", r->jobs, "blocks", blocks);
}

bool verify_json(const char *path, const VerifyReport *r, Diag *d) {
    json_t *list = json_array();
    for (int i = 0; i < r->nresults; i++) json_array_append_new(list, block_json(r, i));
    const ExitStatus verdict = verify_verdict(r);
    json_t *root =
        json_pack("{s:s, s:s, s:s, s:s, s:i, s:s, s:o, s:o}", "schema", "smcosim.verify/1",
                  "version", r->version, "command", r->command, "verdict", verify_verdict_word(r),
                  "exit_status", (int)verdict, "machine", r->cfg->machine ? r->cfg->machine : "",
                  "blocks", list, "host", host_json(r));
    panic_if(!root, "JSON document could not be made");
    const bool ok = json_write(path, root, JSON_INDENT(2), d);
    json_decref(root);
    return ok;
}
