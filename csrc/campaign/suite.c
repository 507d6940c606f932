// SPDX-License-Identifier: Apache-2.0
// A suite file as a list of cases.
#include "campaign/campaign.h"
#include "base/status.h"

#include "base/yaml.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Words {
    const char **word;
    int n, cap;
} Words;

// One key of a job whose every value is a case of its own.
typedef struct Axis {
    const char *name;    // key in the suite and in the case's key
    const char *option;  // of the command; NULL: the value is its operand
    Words values;
    bool shown;  // in the case's key
} Axis;

enum { MAX_AXES = 8, MAX_CASES = 100000, MAX_SEEDS = 10000 };

typedef struct Job {
    const YamlNode *node;
    const char *name, *kind;
    RegressCase base;
    Words options;
    Axis axes[MAX_AXES];
    int naxes;
    uint64_t *seeds;
    int nseeds;
    bool drawn;  // seeds are random
    // verify: a case is one seed, one chunk of transactions; else the command's default
    bool chunks;
    bool cover;  // verify: with code coverage
} Job;

typedef struct Reader {
    RegressPlan *plan;
    Arena *arena;
    SourceText src;
    const SuiteOptions *o;
    int limit;
    uint64_t random;
    Diag *d;
} Reader;

static bool fail_at(Reader *r, const YamlNode *n, const char *expected) {
    char found[100];
    return diag_fail_at(r->d, &r->src, n->line, n->col, "expected %s, found %s", expected,
                        yaml_found(n, found, sizeof found));
}

static void add_word(Reader *r, Words *w, const char *text) {
    *ARENA_PUSH(r->arena, w->word, w->n, w->cap) = text;
}

// A value or a list of them.
static bool read_words(Reader *r, const YamlNode *n, Words *w) {
    if (n->kind == YAML_MAP) return fail_at(r, n, "a value or a list of values");
    if (n->kind == YAML_SCALAR) {
        add_word(r, w, n->text);
        return true;
    }
    if (!n->nitems) return fail_at(r, n, "at least one value");
    for (int i = 0; i < n->nitems; i++) {
        if (n->items[i]->kind != YAML_SCALAR) return fail_at(r, n->items[i], "a value");
        add_word(r, w, n->items[i]->text);
    }
    return true;
}

static bool read_text(Reader *r, const YamlNode *map, const char *key, const char **text) {
    const YamlNode *n = yaml_get(map, key);
    if (!n) return true;
    if (n->kind != YAML_SCALAR || !*n->text) return fail_at(r, n, "a text");
    *text = n->text;
    return true;
}

static bool read_number(Reader *r, const YamlNode *n, int64_t least, int64_t most, int64_t *value) {
    if (n->kind == YAML_SCALAR && yaml_integer(n->text, value) && *value >= least && *value <= most)
        return true;
    char expected[80];
    snprintf(expected, sizeof expected, "a number from %lld to %lld", (long long)least,
             (long long)most);
    return fail_at(r, n, expected);
}

static bool read_flag(Reader *r, const YamlNode *n, bool *flag) {
    if (n->kind != YAML_SCALAR || (strcmp(n->text, "yes") && strcmp(n->text, "no")))
        return fail_at(r, n, "yes or no");
    *flag = !strcmp(n->text, "yes");
    return true;
}

// Is the name valid in a key and as the name of a folder?
static bool is_name(const char *s) {
    if (!*s || *s == '-' || *s == '.') return false;
    for (; *s; s++)
        if (!isalnum((unsigned char)*s) && !strchr("_-+.", *s)) return false;
    return true;
}

static bool read_name(Reader *r, const YamlNode *map, const char *what, const char **name) {
    const YamlNode *n = yaml_get(map, "name");
    if (!n) return diag_fail_at(r->d, &r->src, map->line, map->col, "%s has no `name`", what);
    if (n->kind != YAML_SCALAR || !is_name(n->text))
        return fail_at(r, n, "a name of letters, digits, _ - + .");
    *name = n->text;
    return true;
}

// ---- the kinds of jobs --------------------------------------------------------------------------

typedef struct KindKey {
    const char *key, *option;
} KindKey;

// Keys whose values are options of the command; the first is the command's operand.
static const struct Kind {
    const char *name, *command;
    KindKey axes[MAX_AXES];
    bool all, seeds;     // "all" is valid; the command has --seed
    const char *report;  // option that makes it write its report
} kinds[] = {
    {"run",
     "run",
     {{"run", NULL},
      {"arch", "--arch"},
      {"machine", "--machine"},
      {"blocks", "--blocks"},
      {"check", "--check"},
      {"set", "--set"},
      {"sms", "--sms"}},
     true,
     false,
     "--json"},
    {"verify",
     "verify",
     {{"verify", NULL},
      {"machine", "--machine"},
      {"shapes", "--shapes"},
      {"transactions", "--transactions"},
      {"set", "--set"},
      {"testbug", "--testbug"}},
     true,
     true,
     "--json"},
    {"mutate",
     "verify",
     {{"mutate", NULL}, {"machine", "--machine"}, {"sample", "--mutate"}},
     false,
     true,
     "--json"},
    {"compare",
     "compare",
     {{"compare", NULL},
      {"arch", "--arch"},
      {"machine", "--machine"},
      {"set", "--set"},
      {"sms", "--sms"}},
     true,
     false,
     "--json"},
    {"synth",
     "synth",
     {{"synth", NULL}, {"machine", "--machine"}, {"baseline", "--check"}},
     true,
     false,
     "--json"},
    {"exec",
     "exec",
     {{"exec", NULL},
      {"arch", "--arch"},
      {"machine", "--machine"},
      {"blocks", "--blocks"},
      {"check", "--check"}},
     false,
     false,
     "--json"},
    {"formal", NULL, {{"formal", NULL}}, true, false, NULL},
    {"command", NULL, {{"command", NULL}}, false, false, NULL},
};
#define KINDS "run, verify, mutate, compare, synth, exec, formal and command"
enum { NKINDS = sizeof kinds / sizeof *kinds };

static const struct Kind *kind_of(Reader *r, const YamlNode *job, const YamlNode **operand) {
    const struct Kind *found = NULL;
    for (int i = 0; i < NKINDS; i++) {
        const YamlNode *n = yaml_get(job, kinds[i].name);
        if (!n) continue;
        if (found) {
            diag_fail_at(r->d, &r->src, n->line, n->col,
                         "a job is one of " KINDS "; found `%s` beside `%s`", kinds[i].name,
                         found->name);
            return NULL;
        }
        found = &kinds[i], *operand = n;
    }
    if (!found)
        diag_fail_at(r->d, &r->src, job->line, job->col,
                     "expected a job with one of " KINDS ", found none");
    return found;
}

static bool check_keys(Reader *r, const YamlNode *job, const struct Kind *kind) {
    static const char *const always[] = {"name", "tags", "limit", "expect", "options"};
    const char *known[32];
    int n = 0;
    for (size_t i = 0; i < sizeof always / sizeof *always; i++) known[n++] = always[i];
    for (int i = 0; i < MAX_AXES && kind->axes[i].key; i++) known[n++] = kind->axes[i].key;
    if (kind->seeds) known[n++] = "seeds", known[n++] = "seed";
    if (!strcmp(kind->name, "verify")) known[n++] = "cover";
    char what[60];
    snprintf(what, sizeof what, "a job of kind %s", kind->name);
    return yaml_only_keys(job, known, n, what, &r->src, r->d);
}

static uint64_t draw_number(Reader *r) {
    uint64_t x = r->random += 0x9e3779b97f4a7c15u;  // splitmix64
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (x ^ x >> 31) >> 33;
}

// seed: the first seed, or random; seeds: a number, or a list of seeds. By default `verify` uses
// many seeds from the first one on, so cases counted by seeds would overlap. Therefore each case is
// one seed, unless `transactions` is given.
static bool read_seeds(Reader *r, Job *j) {
    const YamlNode *seed = yaml_get(j->node, "seed"), *seeds = yaml_get(j->node, "seeds");
    int64_t first = 1, n = 1;
    j->chunks = seeds && !strcmp(j->kind, "verify") && !yaml_get(j->node, "transactions");
    if (seed && seed->kind == YAML_SCALAR && !strcmp(seed->text, "random")) j->drawn = true;
    else if (seed && !read_number(r, seed, 0, INT64_MAX / 2, &first)) return false;
    if (seeds && seeds->kind == YAML_LIST) {
        if (seed)
            return diag_fail_at(r->d, &r->src, seed->line, seed->col,
                                "`seed` beside a list of `seeds`: expected one of them");
        j->nseeds = seeds->nitems;
        j->seeds = ARENA_ARRAY(r->arena, uint64_t, j->nseeds + 1);
        for (int i = 0; i < j->nseeds; i++) {
            if (!read_number(r, seeds->items[i], 0, INT64_MAX / 2, &n)) return false;
            j->seeds[i] = (uint64_t)n;
        }
        return j->nseeds || fail_at(r, seeds, "at least one seed");
    }
    if (seeds && !read_number(r, seeds, 1, MAX_SEEDS, &n)) return false;
    j->nseeds = (int)n;
    j->seeds = ARENA_ARRAY(r->arena, uint64_t, n);
    for (int i = 0; i < n; i++)
        j->seeds[i] = j->drawn ? draw_number(r) : (uint64_t)first + (uint64_t)i;
    return true;
}

// "fail", or a verdict with which a case can fail.
static bool is_failure(const char *word) {
    const StatusRow *rows;
    const int n = status_rows(&rows);
    for (int i = 0; i < n; i++)
        if (rows[i].verdict && rows[i].status != EXIT_PASS && rows[i].status != EXIT_INTERRUPTED &&
            !strcmp(word, rows[i].word))
            return true;
    return !strcmp(word, outcome_word(OUTCOME_FAIL));
}

static bool read_expect(Reader *r, Job *j) {
    static const char *const keys[] = {"verdict", "reason"};
    const YamlNode *n = yaml_get(j->node, "expect");
    if (!n) return true;
    if (n->kind != YAML_MAP) return fail_at(r, n, "a map with `verdict` and `reason`");
    if (!yaml_only_keys(n, keys, 2, "expect", &r->src, r->d)) return false;
    if (!read_text(r, n, "verdict", &j->base.expect) || !read_text(r, n, "reason", &j->base.reason))
        return false;
    if (!j->base.expect || !j->base.reason)
        return diag_fail_at(r->d, &r->src, n->line, n->col,
                            "an expected failure has a `verdict` and a `reason`");
    if (is_failure(j->base.expect)) return true;
    int used = 0, status;
    if (sscanf(j->base.expect, "status %d%n", &status, &used) == 1 && !j->base.expect[used] &&
        status > 0)
        return true;
    return fail_at(r, yaml_get(n, "verdict"),
                   "a verdict that is not pass (fail: any of them; of another program: status N)");
}

// Paths of files are relative to the suite's folder; kernels and options are not files.
static const char *operand_of(Reader *r, const char *kind, const char *word) {
    const bool file = strchr(word, '/') && strcmp(kind, "command") &&
        (strchr(word, '.') || !strcmp(kind, "exec"));
    return file && *word != '/' ? arena_printf(r->arena, "%s/%s", r->plan->dir, word) : word;
}

static bool read_axis(Reader *r, Job *j, const KindKey *key, const struct Kind *kind) {
    const YamlNode *n = yaml_get(j->node, key->key);
    if (!n) return true;
    Axis *a = &j->axes[j->naxes++];
    *a = (Axis){.name = key->key, .option = key->option};
    if (!strcmp(kind->name, "command") || !strcmp(kind->name, "exec")) {
        // One command with its arguments: no axis.
        if (key->option == NULL) {
            j->naxes--;
            return read_words(r, n, &j->options);
        }
    }
    if (!read_words(r, n, &a->values)) return false;
    a->shown = key->option == NULL || a->values.n > 1;
    if (key->option || a->values.n != 1 || strcmp(a->values.word[0], "all")) return true;
    if (!kind->all)
        return fail_at(r, n, "names (`all` is for run, verify, compare, synth and formal)");
    const bool kernels = !strcmp(kind->name, "run") || !strcmp(kind->name, "compare"),
               proofs = !strcmp(kind->name, "formal");
    const char *const *all = kernels ? r->o->kernels : proofs ? r->o->proofs : r->o->blocks;
    a->values.n = 0;
    for (int i = 0; i < (kernels ? r->o->nkernels : proofs ? r->o->nproofs : r->o->nblocks); i++)
        add_word(r, &a->values, all[i]);
    return a->values.n ||
        diag_fail(r->d, EXIT_ENVIRONMENT, "%s: no %s found for `all`; build the project",
                  r->src.path, proofs ? "proofs" : "kernels");
}

// ---- cases --------------------------------------------------------------------------------------

// ci/formal. A suite inside the sources names it by a relative path, because `bisect` runs that of
// another work tree.
static const char *prover_path(Reader *r) {
    const size_t n = strlen(r->o->source);
    const char *dir = r->plan->dir;
    if (strncmp(dir, r->o->source, n) || (dir[n] && dir[n] != '/'))
        return arena_printf(r->arena, "%s/ci/formal", r->o->source);
    const char *up = dir[n] ? "" : "./";
    for (const char *p = dir + n; (p = strchr(p, '/')); p++)
        up = arena_printf(r->arena, "%s../", up);
    return arena_printf(r->arena, "%sci/formal", up);
}

static bool has_option(const Words *options, const char *option) {
    const size_t n = strlen(option);
    for (int i = 0; i < options->n && strcmp(options->word[i], "--"); i++)
        if (!strncmp(options->word[i], option, n) &&
            (!options->word[i][n] || options->word[i][n] == '='))
            return true;
    return false;
}

// In a campaign the evidence of all cases counts: a case does not fail because a block is idle in
// it alone. `compare` runs golden models by default.
static bool shares_evidence(const Job *j, const char *kind) {
    if (j->base.may_idle ||
        (j->base.expect && (!strcmp(j->base.expect, "vacuous") || !strcmp(j->base.expect, "fail"))))
        return false;
    return !strcmp(kind, "run") || !strcmp(kind, "exec") ||
        (!strcmp(kind, "compare") && has_option(&j->options, "--blocks"));
}

static bool add_case(Reader *r, const Job *j, const struct Kind *kind, const int *at, int seed) {
    RegressCase c = j->base;
    Words argv = {0};
    char *key = arena_strndup(r->arena, j->name, strlen(j->name));
    if (kind->command) add_word(r, &argv, "smcosim"), add_word(r, &argv, kind->command);
    else if (!strcmp(kind->name, "formal")) add_word(r, &argv, prover_path(r));
    for (int i = 0; i < j->naxes; i++) {
        const Axis *a = &j->axes[i];
        const char *value = a->values.word[at[i]];
        if (a->shown)
            key = a->option ? arena_printf(r->arena, "%s %s=%s", key, a->name, value)
                            : arena_printf(r->arena, "%s/%s", key, value);
        if (a->option) add_word(r, &argv, a->option);
        add_word(r, &argv, a->option ? value : operand_of(r, kind->name, value));
    }
    if (kind->seeds) {
        c.seed = j->seeds[seed];
        // The key holds the number of a drawn seed, because the next campaign draws another seed.
        key = arena_printf(r->arena, j->drawn ? "%s random=%llu" : "%s seed=%llu", key,
                           j->drawn ? (unsigned long long)seed + 1 : (unsigned long long)c.seed);
        add_word(r, &argv, "--seed"),
            add_word(r, &argv, arena_printf(r->arena, "%llu", (unsigned long long)c.seed));
        if (j->chunks) add_word(r, &argv, "--seeds"), add_word(r, &argv, "1");
    }
    if (kind->report) add_word(r, &argv, kind->report), add_word(r, &argv, "{}/report.json");
    if (!strcmp(kind->name, "run") || !strcmp(kind->name, "verify") || !strcmp(kind->name, "exec"))
        add_word(r, &argv, "--bundle"), add_word(r, &argv, "{}/bundle");
    if (shares_evidence(j, kind->name)) add_word(r, &argv, "--allow-idle");
    if (j->cover) add_word(r, &argv, "--cover"), add_word(r, &argv, "{}/cover");
    for (int i = 0; i < j->options.n; i++) add_word(r, &argv, j->options.word[i]);
    c.key = key, c.argv = argv.word, c.argc = argv.n;
    if (r->plan->ncases == MAX_CASES)
        return diag_fail_at(r->d, &r->src, j->node->line, j->node->col, "more than %d cases",
                            MAX_CASES);
    *ARENA_PUSH(r->arena, r->plan->cases, r->plan->ncases, r->plan->cap_cases) = c;
    return true;
}

static bool add_cases(Reader *r, const Job *j, const struct Kind *kind) {
    int at[MAX_AXES] = {0};
    for (;;) {
        for (int s = 0; s < (kind->seeds ? j->nseeds : 1); s++)
            if (!add_case(r, j, kind, at, s)) return false;
        int i = j->naxes - 1;
        while (i >= 0 && ++at[i] == j->axes[i].values.n) at[i--] = 0;
        if (i < 0) return true;
    }
}

static bool is_wanted(const Reader *r, const Words *tags) {
    for (int t = 0; t < r->o->ntags; t++)
        for (int i = 0; i < tags->n; i++)
            if (!strcmp(tags->word[i], r->o->tags[t])) return true;
    return !r->o->ntags;
}

static bool read_job(Reader *r, const YamlNode *node) {
    Job j = {.node = node};
    Words tags = {0};
    const YamlNode *operand, *n;
    if (node->kind != YAML_MAP) return fail_at(r, node, "a job (a map)");
    const struct Kind *kind = kind_of(r, node, &operand);
    if (!kind || !check_keys(r, node, kind) || !read_name(r, node, "a job", &j.name)) return false;
    for (int i = 0; i < r->plan->ncases; i++)
        if (!strcmp(r->plan->cases[i].job, j.name))
            return diag_fail_at(r->d, &r->src, node->line, node->col, "two jobs are named `%s`",
                                j.name);
    if ((n = yaml_get(node, "tags")) && !read_words(r, n, &tags)) return false;
    int64_t limit = r->limit;
    if ((n = yaml_get(node, "cover")) && !read_flag(r, n, &j.cover)) return false;
    if ((n = yaml_get(node, "limit")) && !read_number(r, n, 1, 1000000, &limit)) return false;
    j.kind = kind->name;
    j.base = (RegressCase){
        .job = j.name, .kind = kind->name, .tags = tags.word, .ntags = tags.n, .limit = (int)limit};
    if (!read_expect(r, &j)) return false;
    for (int i = 0; i < MAX_AXES && kind->axes[i].key; i++)
        if (!read_axis(r, &j, &kind->axes[i], kind)) return false;
    if (!strcmp(kind->name, "exec")) {
        // Options of exec precede the program.
        Words program = j.options, all = {0};
        n = yaml_get(node, "options");
        if (n && !read_words(r, n, &all)) return false;
        add_word(r, &all, "--");
        for (int i = 0; i < program.n; i++)
            add_word(r, &all, i ? program.word[i] : operand_of(r, "exec", program.word[i]));
        j.options = all;
    } else if ((n = yaml_get(node, "options")) && !read_words(r, n, &j.options)) {
        return false;
    }
    j.base.may_idle = has_option(&j.options, "--allow-idle");
    if (kind->seeds && !read_seeds(r, &j)) return false;
    return !is_wanted(r, &tags) || add_cases(r, &j, kind);
}

static int by_key(const void *a, const void *b) {
    return strcmp(((const RegressCase *)a)->key, ((const RegressCase *)b)->key);
}

// Rejects a duplicate key (a kernel named twice), because it would be one row of the history.
static bool check_twice(Reader *r) {
    const int n = r->plan->ncases;
    RegressCase *sorted = ARENA_ARRAY(r->arena, RegressCase, n + 1);
    for (int i = 0; i < n; i++) sorted[i] = r->plan->cases[i];
    qsort(sorted, (size_t)n, sizeof *sorted, by_key);
    for (int i = 1; i < n; i++)
        if (!strcmp(sorted[i - 1].key, sorted[i].key))
            return diag_fail(r->d, EXIT_USAGE, "%s: case `%s` is there twice", r->src.path,
                             sorted[i].key);
    return true;
}

bool suite_load(RegressPlan *p, Arena *arena, const char *path, const SuiteOptions *o, Diag *d) {
    static const char *const keys[] = {"name", "limit", "jobs"};
    Reader r = {
        .plan = p, .arena = arena, .o = o, .limit = REGRESS_LIMIT, .random = o->random, .d = d};
    int64_t limit = REGRESS_LIMIT;
    const YamlNode *root = yaml_load(arena, path, &r.src, d), *n;
    if (!root) return false;
    if (root->kind != YAML_MAP) return fail_at(&r, root, "a map with `name` and `jobs`");
    if (!yaml_only_keys(root, keys, 3, "a suite", &r.src, d) ||
        !read_name(&r, root, "the suite", &p->suite))
        return false;
    if ((n = yaml_get(root, "limit")) && !read_number(&r, n, 1, 1000000, &limit)) return false;
    r.limit = (int)limit;
    n = yaml_get(root, "jobs");
    if (!n || n->kind != YAML_LIST || !n->nitems)
        return diag_fail_at(d, &r.src, n ? n->line : root->line, n ? n->col : root->col,
                            "expected `jobs`: a list with at least one job");
    for (int i = 0; i < n->nitems; i++)
        if (!read_job(&r, n->items[i])) return false;
    if (!p->ncases)
        return diag_fail(d, EXIT_USAGE, "%s: no job has one of the requested tags", path);
    return check_twice(&r);
}
