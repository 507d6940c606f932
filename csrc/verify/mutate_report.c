// SPDX-License-Identifier: Apache-2.0
// Results of a mutation campaign: the journal that a later run continues, table, survivors, JSON.
#include "verify/mutate.h"

#include "base/hash.h"
#include "base/status.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char *name_side(MutantSide s) {
    static const char *const names[MUTANT_SIDES] = {"rtl", "model", "reset"};
    return names[s];
}

_Static_assert(WORD_MUTANT_INVALID - WORD_MUTANT_OPEN == MUTANT_INVALID,
               "a word for each verdict, in their order");
static const char *name_verdict(MutantVerdict v) { return status_word(WORD_MUTANT_OPEN + v); }

// ---- journal ------------------------------------------------------------------------------------

static uint64_t hash_file(Arena *arena, uint64_t h, const char *path) {
    Diag ignored = {0};
    char *text;
    size_t n;
    return file_read(arena, path, &text, &n, &ignored) ? hash_bytes(h, text, n) : h;
}

// Everything that decides a verdict and is not in the mutant's id.
static uint64_t hash_campaign(const Campaign *c) {
    const MutateOptions *o = c->o;
    uint64_t h = HASH_START;
    h = hash_bytes(h, o->params, sizeof *o->params * (size_t)o->desc->nparams);
    h = hash_bytes(h, &o->seed, sizeof o->seed);
    h = hash_bytes(h, &o->transactions, sizeof o->transactions);
    h = hash_bytes(h, &o->prove_seconds, sizeof o->prove_seconds);
    h = hash_file(
        c->arena, h,
        arena_printf(c->arena, "%s/models/%s/%s.c", o->data_dir, o->desc->family, o->desc->name));
    h = hash_file(c->arena, h,
                  arena_printf(c->arena, "%s/models/%s/%s_stim.c", o->data_dir, o->desc->family,
                               o->desc->name));
    for (const char *p = o->resets ? c->rtl : NULL; p && *p; p += strcspn(p, ","), p += *p == ',')
        h = hash_file(c->arena, h, arena_strndup(c->arena, p, strcspn(p, ",")));
    return hash_file(c->arena, h, arena_printf(c->arena, "%s/base.il", c->dir));
}

// A line: fingerprint verdict cycles seed|by|id
void mutate_journal_read(Campaign *c) {
    FILE *f = fopen(c->journal, "r");
    if (!f) return;
    const uint64_t own = c->print = hash_campaign(c);
    char *line = NULL;
    size_t cap = 0;
    while (getline(&line, &cap, f) > 0) {
        uint64_t print, cycles, seed;
        int verdict, at = 0;
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "%" SCNx64 " %d %" SCNu64 " %" SCNu64 "|%n", &print, &verdict, &cycles,
                   &seed, &at) != 4 ||
            !at)
            continue;
        char *by = line + at, *id = strchr(by, '|');
        if (print != own || !id || verdict <= MUTANT_OPEN || verdict >= MUTANT_VERDICTS) continue;
        *id++ = '\0';
        for (int i = 0; i < c->r->n; i++) {
            Mutant *m = &c->r->mutants[i];
            if (strcmp(m->id, id)) continue;
            c->r->known += m->verdict == MUTANT_OPEN;
            m->verdict = (MutantVerdict)verdict, m->cycles = cycles, m->seed = seed;
            snprintf(m->by, sizeof m->by, "%s", by);
        }
    }
    free(line);
    fclose(f);
}

// Writes each line immediately, so that an interrupted campaign keeps it. If the journal cannot be
// written, the campaign only cannot be resumed.
void mutate_journal_add(Campaign *c, const Mutant *m) {
    if (!c->print) c->print = hash_campaign(c);
    FILE *f = m->verdict == MUTANT_OPEN ? NULL : fopen(c->journal, "a");
    if (!f) return;
    fprintf(f, "%016" PRIx64 " %d %" PRIu64 " %" PRIu64 "|%s|%s\n", c->print, m->verdict, m->cycles,
            m->seed, m->by, m->id);
    fclose(f);
}

// ---- for people ---------------------------------------------------------------------------------

static void table_row(FILE *f, const char *name, const int *n, MutantSide side) {
    int all = 0;
    for (int v = 0; v < MUTANT_VERDICTS; v++) all += v != MUTANT_INVALID ? n[v] : 0;
    if (!all) return;
    const int real = n[MUTANT_KILLED] + n[MUTANT_SURVIVED];
    fprintf(f, "%-18s %-6s %7d %7d %9d %11d %5d %5d %7.1f %%\n", name, name_side(side), all,
            n[MUTANT_KILLED], n[MUTANT_SURVIVED], n[MUTANT_EQUIVALENT], n[MUTANT_GAP],
            n[MUTANT_OPEN], real ? 100.0 * n[MUTANT_KILLED] / real : 0.0);
}

void mutate_table(FILE *f, const MutateResult *r, int n) {
    fprintf(f, "%-18s %-6s %7s %7s %9s %11s %5s %5s %9s\n", "block", "side", "mutants", "killed",
            "survived", "equivalent", "gap", "open", "score");
    int sum[MUTANT_SIDES][MUTANT_VERDICTS] = {{0}};
    for (int i = 0; i < n; i++)
        for (int side = 0; side < MUTANT_SIDES; side++) {
            table_row(f, r[i].desc->name, r[i].count[side], (MutantSide)side);
            for (int v = 0; v < MUTANT_VERDICTS; v++) sum[side][v] += r[i].count[side][v];
        }
    for (int side = 0; n > 1 && side < MUTANT_SIDES; side++)
        table_row(f, "all", sum[side], (MutantSide)side);
}

// ---- what killed --------------------------------------------------------------------------------

static int by_cycles(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

typedef struct Killers {
    int ports, state, rule, hang, crash;
} Killers;

static void count_killer(Killers *k, const Mutant *m) {
    if (!strcmp(m->by, "state")) k->state++;
    else if (!strcmp(m->by, "rule")) k->rule++;
    else if (!strcmp(m->by, "hang")) k->hang++;
    else if (!strcmp(m->by, "crash") || !strcmp(m->by, "undefined")) k->crash++;
    else k->ports++;
}

static void killer_row(FILE *f, const char *name, const Killers *k, uint64_t *cycles, int n) {
    if (!n) return;
    qsort(cycles, (size_t)n, sizeof *cycles, by_cycles);
    fprintf(f, "%-18s %7d %7d %7d %7d %7d %10" PRIu64 " %10" PRIu64 "\n", name, k->ports, k->state,
            k->rule, k->hang, k->crash, cycles[n / 2], cycles[n - 1]);
}

void mutate_killers(FILE *f, const MutateResult *r, int n) {
    int all = 0, nall = 0;
    for (int i = 0; i < n; i++) all += r[i].n;
    uint64_t *cycles = malloc(sizeof *cycles * (size_t)(2 * all + 1)), *total = cycles + all;
    panic_if(!cycles, "out of memory");
    Killers sum = {0};
    fprintf(f, "%-18s %7s %7s %7s %7s %7s %10s %10s\n", "killed by", "port", "state", "rule",
            "hang", "crash", "cycles: median", "most");
    for (int i = 0; i < n; i++) {
        Killers k = {0};
        int nk = 0;
        for (int m = 0; m < r[i].n; m++) {
            if (r[i].mutants[m].verdict != MUTANT_KILLED) continue;
            count_killer(&k, &r[i].mutants[m]);
            count_killer(&sum, &r[i].mutants[m]);
            cycles[nk++] = total[nall++] = r[i].mutants[m].cycles;
        }
        killer_row(f, r[i].desc->name, &k, cycles, nk);
    }
    if (n > 1) killer_row(f, "all", &sum, total, nall);
    free(cycles);
}

void mutate_survivors(FILE *f, const MutateResult *r) {
    for (int i = 0; i < r->n; i++) {
        const Mutant *m = &r->mutants[i];
        if (m->verdict != MUTANT_SURVIVED && m->verdict != MUTANT_GAP) continue;
        fprintf(f, "  %s %s %s: %s (%s, %" PRIu64 " cycles)\n", name_verdict(m->verdict),
                name_side(m->side), m->where, m->what, m->by, m->cycles);
    }
}

// ---- JSON ---------------------------------------------------------------------------------------

static json_t *json_mutant(const Mutant *m) {
    json_t *j = json_pack("{ss ss ss ss ss ss}", "side", name_side(m->side), "verdict",
                          name_verdict(m->verdict), "by", m->by, "where", m->where, "what", m->what,
                          "id", m->id);
    json_object_set_new(j, "cycles", json_integer((json_int_t)m->cycles));
    json_object_set_new(j, "seed", json_integer((json_int_t)m->seed));
    return j;
}

static json_t *json_block(const MutateResult *r) {
    json_t *params = json_object(), *mutants = json_array(), *counts = json_object();
    for (int i = 0; i < r->desc->nparams; i++)
        json_object_set_new(params, r->desc->params[i].name, json_integer(r->params[i]));
    for (int i = 0; i < r->n; i++) json_array_append_new(mutants, json_mutant(&r->mutants[i]));
    for (int s = 0; s < MUTANT_SIDES; s++) {
        json_t *side = json_object();
        for (int v = 0; v < MUTANT_VERDICTS; v++)
            json_object_set_new(side, name_verdict((MutantVerdict)v), json_integer(r->count[s][v]));
        json_object_set_new(counts, name_side((MutantSide)s), side);
    }
    json_t *j =
        json_pack("{ss so so sb sf so}", "block", r->desc->name, "parameters", params, "counts",
                  counts, "complete", r->complete, "seconds", r->seconds, "mutants", mutants);
    return j;
}

bool mutate_json(FILE *f, const MutateResult *r, int n, const MutateOptions *o) {
    json_t *blocks = json_array();
    for (int i = 0; i < n; i++) json_array_append_new(blocks, json_block(&r[i]));
    json_t *top = json_pack("{si so}", "version", 1, "blocks", blocks);
    panic_if(!top, "the results cannot be written as JSON");
    json_object_set_new(top, "seed", json_integer((json_int_t)o->seed));
    json_object_set_new(top, "transactions", json_integer((json_int_t)o->transactions));
    const bool good = json_dumpf(top, f, JSON_INDENT(1)) == 0 && fputc('\n', f) != EOF;
    json_decref(top);
    return good;
}
