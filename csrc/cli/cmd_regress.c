// SPDX-License-Identifier: Apache-2.0
// smcosim regress: suites, their history, and changes.
#include "base/console.h"
#include "base/output.h"
#include "campaign/bisect.h"
#include "campaign/campaign_history.h"
#include "cli/cli.h"
#include "cli/kernels.h"
#include "cosim/cosim.h"
#include "cosim/variant.h"
#include "proc/child.h"
#include "proc/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { MAX_TAGS = 32, MAX_JOBS = 256, TREND = 30, LISTED = 20 };

typedef struct Settings {
    const char *out, *history, *shard, *random, *json, *from, *to;
    const char *tags[MAX_TAGS];
    int ntags;
    uint64_t jobs;
    bool slurm, resume, cases_only;
} Settings;

static const CliOption options[] = {
    {"out", "DIR",
     "folder of the campaign: plan, cases, report.json, junit.xml, index.html; default "
     "regress-SUITE",
     NULL, "Campaign", CLI_TEXT(Settings, out)},
    {"resume", NULL, "resume the campaign in that folder: run only cases without a result",
     CLI_FLAG(Settings, resume)},
    {"tag", "TAG", "run only jobs with this tag (may be repeated)",
     CLI_LIST(Settings, tags, ntags, MAX_TAGS)},
    {"seed", "S", "seed that generates the random seeds; default: a new one for each campaign",
     CLI_TEXT(Settings, random)},
    {"history", "FILE", "SQLite file for the results", "smcosim-history.db",
     CLI_TEXT(Settings, history)},
    {"json", "FILE|-", "write report.json as another file; - is standard output, without the table",
     CLI_TEXT(Settings, json)},
    {"jobs", "N", "parallel cases; default: number of cores", NULL, "Where it runs", .letter = 'j',
     CLI_NUMBER(Settings, jobs, 1, MAX_JOBS)},
    {"slurm", NULL,
     "run as a job array of the cluster with --jobs parallel tasks; its nodes must see the folder",
     CLI_FLAG(Settings, slurm)},
    {"shard", "I/N", "run only part I (0 to N-1) of N; `regress merge` combines the parts",
     CLI_TEXT(Settings, shard)},
    {"cases-only", NULL, "neither history nor reports", CLI_FLAG(Settings, cases_only)},
    {"from", "COMMIT", "the case passes there", NULL, "bisect", CLI_TEXT(Settings, from)},
    {"to", "COMMIT", "the case fails there", "HEAD", CLI_TEXT(Settings, to)},
};

// ---- a new plan ---------------------------------------------------------------------------------

static const char *git_commit(Arena *arena, const char *dir) {
    char head[128], changes[4096];
    if (child_answer((const char *const[]){"git", "-C", dir, "rev-parse", "HEAD", NULL}, head,
                     sizeof head))
        return "";
    if (child_answer((const char *const[]){"git", "-C", dir, "status", "--porcelain",
                                           "--untracked-files=no", NULL},
                     changes, sizeof changes))
        changes[0] = '\0';
    return arena_printf(arena, "%s%s", head, *changes ? "-dirty" : "");
}

static bool real_folder(Arena *arena, const char *file, const char **dir, Diag *d) {
    const char *slash = strrchr(file, '/');
    char *real = realpath(slash == file ? "/"
                              : slash   ? arena_strndup(arena, file, (size_t)(slash - file))
                                        : ".",
                          NULL);
    if (!real) return diag_fail(d, EXIT_USAGE, "%s: %s", file, strerror(errno));
    *dir = arena_printf(arena, "%s", real);
    free(real);
    return true;
}

// A file, or one of the project's suites by name.
static const char *suite_path(Arena *arena, const char *operand) {
    if (!access(operand, F_OK) || strchr(operand, '/') || strchr(operand, '.')) return operand;
    const char *ours = arena_printf(arena, "%s/suites/%s.yaml", cli_data_dir(), operand);
    return access(ours, F_OK) ? operand : ours;
}

static bool fill_plan(RegressPlan *p, Arena *arena, const char *path, Diag *d) {
    char host[256] = "", when[24];
    uint64_t id[2];
    p->program = cli_program(arena, d);
    if (!p->program) return false;
    if (getrandom(id, sizeof id, 0) != sizeof id)
        return diag_fail(d, EXIT_ENVIRONMENT, "no random number: %s", strerror(errno));
    gethostname(host, sizeof host - 1);
    Diag ignored = {0};
    const char *tools = NULL;
    if (!real_folder(arena, path, &p->dir, d)) return false;
    runtime_open(arena, cli_data_dir(), &tools, &ignored);
    p->id =
        arena_printf(arena, "%016llx%016llx", (unsigned long long)id[0], (unsigned long long)id[1]);
    p->started = arena_printf(arena, "%s", clock_utc(when)), p->version = SMCOSIM_VERSION;
    p->host = arena_printf(arena, "%s", host), p->tools = tools ? tools : "",
    p->commit = git_commit(arena, p->dir);
    return true;
}

static bool load_suite(RegressPlan *p, Arena *arena, const Settings *s, const char *path, Diag *d) {
    const BlockInfo *blocks;
    SuiteOptions o = {.tags = s->tags, .ntags = s->ntags, .nblocks = cosim_block_list(&blocks)};
    const char **names = ARENA_ARRAY(arena, const char *, o.nblocks + 1);
    for (int i = 0; i < o.nblocks; i++) names[i] = blocks[i].name;
    o.blocks = names;
    o.nkernels = kernels_small(arena, &o.kernels);
    o.nproofs = proofs_list(arena, &o.proofs), o.source = SMCOSIM_SOURCE_DIR;
    if (s->random && !cli_number("seed", s->random, 0, UINT64_MAX, &o.random, d)) return false;
    if (!s->random && getrandom(&o.random, sizeof o.random, 0) != sizeof o.random)
        return diag_fail(d, EXIT_ENVIRONMENT, "no random number: %s", strerror(errno));
    return fill_plan(p, arena, path, d) && suite_load(p, arena, path, &o, d);
}

static bool has_random_seeds(const RegressPlan *p) {
    for (int i = 0; i < p->ncases; i++)
        if (strstr(p->cases[i].key, " random=")) return true;
    return false;
}

// The plan that is there with --resume, else a new one.
static bool begin_plan(RegressPlan *p, Arena *arena, Settings *s, const char *operand, Diag *d) {
    const char *path = operand ? suite_path(arena, operand) : NULL;
    if (s->resume && s->out) return plan_read(p, arena, s->out, d);
    if (!path) return diag_fail(d, EXIT_USAGE, "regress: expected a suite; or --resume with --out");
    if (!load_suite(p, arena, s, path, d)) return false;
    if (!s->out) s->out = arena_printf(arena, "regress-%s", p->suite);
    if (s->resume) {
        *p = (RegressPlan){0};
        return plan_read(p, arena, s->out, d);
    }
    if (!access(arena_printf(arena, "%s/plan.json", s->out), F_OK))
        return diag_fail(d, EXIT_USAGE,
                         "%s: the folder already holds a campaign: --resume resumes it, --out "
                         "names another folder",
                         s->out);
    if (s->shard && !s->random && has_random_seeds(p))
        return diag_fail(d, EXIT_USAGE,
                         "--shard: the suite has random seeds, which must be equal in all shards: "
                         "expected --seed");
    return output_folder(s->out, d) && plan_write(p, s->out, d);
}

// ---- what came of it ----------------------------------------------------------------------------

static void print_jobs(FILE *out, const Campaign *c) {
    fprintf(out, "%-24s %7s %7s %9s %11s %8s %10s\n", "job", "pass", "fail", "expected",
            "unexpected", "missing", "cpu s");
    for (int i = 0, end; i < c->plan.ncases; i = end) {
        int count[OUTCOMES] = {0};
        double cpu = 0;
        for (end = i; end < c->plan.ncases && !strcmp(c->plan.cases[end].job, c->plan.cases[i].job);
             end++)
            count[c->results[end].outcome]++, cpu += c->results[end].cpu;
        fprintf(out, "%-24s %7d %7d %9d %11d %8d %10.1f\n", c->plan.cases[i].job,
                count[OUTCOME_PASS], count[OUTCOME_FAIL], count[OUTCOME_EXPECTED],
                count[OUTCOME_UNEXPECTED], count[OUTCOME_NONE], cpu);
    }
}

static void print_buckets(FILE *out, const Campaign *c, Arena *arena) {
    int n;
    const RegressBucket *b = campaign_buckets(c, arena, &n);
    for (int i = 0; i < n && i < LISTED; i++) {
        const int first = b[i].cases[0];
        fprintf(out, "%d x %s\n    %s%s\n    reproduce: %s\n", b[i].ncases, b[i].text,
                c->plan.cases[first].key, b[i].ncases > 1 ? ", .." : "",
                c->results[first].reproduce);
    }
    if (n > LISTED) fprintf(out, "and %d more causes; see the report\n", n - LISTED);
}

// Prints the gaps of a pass: blocks without work, unchecked results.
static void print_evidence(FILE *out, const Campaign *c, Arena *arena) {
    RegressBlock *b;
    const int n = campaign_vacuous(c, arena, &b);
    int unchecked = 0;
    for (int i = 0; i < n; i++) fprintf(out, "vacuous: %s\n", campaign_vacuous_text(&b[i], arena));
    for (int i = 0; i < c->plan.ncases; i++) unchecked += c->results[i].unchecked;
    if (unchecked)
        fprintf(out, "note: %d case%s passed without any check of results\n", unchecked,
                unchecked == 1 ? "" : "s");
}

static int campaign_status(const Campaign *c, int vacuous) {
    for (int i = 0; i < c->plan.ncases; i++) {
        const RegressResult *r = &c->results[i];
        if (!r->outcome || outcome_good(r->outcome)) continue;
        return r->status >= EXIT_MISMATCH && r->status <= EXIT_ENVIRONMENT ? r->status
                                                                           : EXIT_MISMATCH;
    }
    return vacuous ? EXIT_VACUOUS : EXIT_PASS;
}

static int report_campaign(Arena *arena, const Settings *s, Diag *d) {
    Campaign c;
    RegressTrend *trend = NULL;
    RegressBlock *blocks;
    int ntrend = 0;
    if (!campaign_read(&c, arena, s->out, d)) return cli_fail(d);
    if (!s->cases_only) {
        History *h = history_open(arena, s->history, d);
        bool ok = h && history_add(h, &c, d) &&
            history_trend(h, arena, c.plan.suite, TREND, &trend, &ntrend, d);
        history_close(h);
        ok = ok && regress_report_json(&c, arena_printf(arena, "%s/report.json", s->out), d) &&
            regress_report_junit(&c, arena_printf(arena, "%s/junit.xml", s->out), d) &&
            regress_report_html(&c, trend, ntrend, arena_printf(arena, "%s/index.html", s->out),
                                d) &&
            (!s->json || regress_report_json(&c, s->json, d));
        if (!ok) return cli_fail(d);
    }
    const int vacuous = campaign_vacuous(&c, arena, &blocks);
    if (!s->json || strcmp(s->json, "-")) {
        print_jobs(stdout, &c);
        print_buckets(stdout, &c, arena);
        print_evidence(stdout, &c, arena);
        printf("suite %s: %d of %d cases pass, %d fail as expected, %d fail", c.plan.suite,
               c.count[OUTCOME_PASS], c.plan.ncases, c.count[OUTCOME_EXPECTED],
               c.count[OUTCOME_FAIL] + c.count[OUTCOME_UNEXPECTED]);
        if (vacuous) printf(", %d block%s had no work", vacuous, vacuous == 1 ? "" : "s");
        if (c.count[OUTCOME_NONE]) printf(", %d have no result", c.count[OUTCOME_NONE]);
        printf("\n");
        if (!s->cases_only) printf("report: %s/index.html\n", s->out);
    }
    return campaign_status(&c, vacuous);
}

// ---- the words ----------------------------------------------------------------------------------

static void show_progress(int done, int all, int failed) {
    if (failed) console_progress("%d of %d cases, %d failed", done, all, failed);
    else console_progress("%d of %d cases", done, all);
}

static bool read_shard(const char *text, QueueOptions *q, Diag *d) {
    char *end;
    errno = 0;
    const long i = strtol(text, &end, 10), n = *end == '/' ? strtol(end + 1, &end, 10) : 0;
    if (*end || errno || text[0] < '0' || text[0] > '9' || i < 0 || n < 1 || i >= n || n > 100000)
        return diag_fail(d, EXIT_USAGE, "--shard: expected I/N with I from 0 to N-1, found '%s'",
                         text);
    q->shard = (int)i, q->shards = (int)n;
    return true;
}

static int run_campaign(Arena *arena, Settings *s, const char *operand, Diag *d) {
    RegressPlan p = {0};
    QueueOptions q = {.jobs = s->jobs ? (int)s->jobs : (int)sysconf(_SC_NPROCESSORS_ONLN),
                      .shards = 1,
                      .stop = &cli_stop,
                      .progress = show_progress};
    const double since = clock_seconds();
    if (q.jobs < 1) q.jobs = 1;
    if (q.jobs > MAX_JOBS) q.jobs = MAX_JOBS;
    if (s->shard && s->slurm) diag_fail(d, EXIT_USAGE, "--shard: --slurm divides the suite itself");
    if (s->resume && operand && s->out)
        diag_fail(d, EXIT_USAGE, "--resume: the campaign in %s has its plan; omit the suite",
                  s->out);
    if (!diag_ok(d) || (s->shard && !read_shard(s->shard, &q, d)) ||
        !begin_plan(&p, arena, s, operand, d))
        return cli_fail(d);
    const bool ran = s->slurm ? slurm_run(&p, s->out, &q, d) : queue_run(&p, s->out, &q, d);
    console_progress(NULL);
    cli_took(since, p.ncases, "case");
    if (ran) return report_campaign(arena, s, d);
    Diag second = {0};
    if (d->status == EXIT_INTERRUPTED || s->slurm) report_campaign(arena, s, &second);
    return cli_fail(d);
}

static int merge_shards(Arena *arena, Settings *s, char **from, int n, Diag *d) {
    if (!s->out) diag_fail(d, EXIT_USAGE, "regress merge: expected --out DIR");
    else if (n < 1)
        diag_fail(d, EXIT_USAGE, "regress merge: expected the folders of shards, found none");
    if (!diag_ok(d) || !campaign_merge(arena, s->out, (const char *const *)from, n, d))
        return cli_fail(d);
    return report_campaign(arena, s, d);
}

static int read_history(Arena *arena, const Settings *s, const char *word, char **operands, int n,
                        Diag *d) {
    bool worse = false;
    if (access(s->history, F_OK))
        diag_fail(d, EXIT_USAGE,
                  "%s: this history file does not exist; `smcosim regress SUITE` creates it",
                  s->history);
    History *h = diag_ok(d) ? history_open(arena, s->history, d) : NULL;
    if (!h) return cli_fail(d);
    bool ok;
    if (!strcmp(word, "diff")) {
        ok = n <= 2 ? history_diff(h, stdout, n > 0 ? operands[0] : NULL,
                                   n > 1 ? operands[1] : "last", &worse, d)
                    : diag_fail(d, EXIT_USAGE, "regress diff: expected two campaigns, found %d", n);
    } else {
        ok = n == 0 ? history_list(h, stdout, NULL, d)
            : n == 1
            ? history_case(h, stdout, operands[0], d)
            : diag_fail(d, EXIT_USAGE, "regress history: expected at most one case, found %d", n);
    }
    history_close(h);
    return ok ? worse ? EXIT_MISMATCH : EXIT_PASS : cli_fail(d);
}

static int bisect_case(Arena *arena, const Settings *s, char **operands, int n, Diag *d) {
    static const char *const build[] = {"ci/build",   "--target", "smcosim",          "--target",
                                        "smcosim_rt", "--target", "bench-data-small", NULL};
    RegressCase c;
    const char *dir = NULL;
    if (n != 1 || !s->from)
        diag_fail(d, EXIT_USAGE, "regress bisect: expected one case and --from COMMIT");
    else if (access(s->history, F_OK))
        diag_fail(d, EXIT_USAGE,
                  "%s: this history file does not exist; `smcosim regress SUITE` creates it",
                  s->history);
    History *h = diag_ok(d) ? history_open(arena, s->history, d) : NULL;
    const bool found = h && history_command(h, arena, operands[0], &c, &dir, d);
    history_close(h);
    if (!found) return cli_fail(d);
    const char *top = cli_cache_dir(arena);
    const BisectOptions o = {.good = s->from,
                             .bad = s->to,
                             .cache = arena_printf(arena, "%s/bisect", top),
                             .build = build,
                             .limit = REGRESS_LIMIT,
                             .stop = &cli_stop};
    if (!output_folder(top, d) || !regress_bisect(&c, dir, &o, stdout, d)) return cli_fail(d);
    return EXIT_PASS;
}

static int run_regress(int argc, char **argv) {
    Arena arena = {0};
    Diag d = {0};
    Settings s = {0};
    int first, status;
    bool done;
    if (!cli_parse(&command_regress, argc, argv, &s, &first, &done, &d)) return cli_fail(&d);
    if (done) return EXIT_PASS;
    const char *word = first < argc ? argv[first] : "";
    char **rest = argv + first + 1;
    const int nrest = argc - first - 1;
    cli_catch_signals();
    if (!strcmp(word, "history") || !strcmp(word, "diff")) {
        status = read_history(&arena, &s, word, rest, nrest, &d);
    } else if (!strcmp(word, "bisect")) {
        status = bisect_case(&arena, &s, rest, nrest, &d);
    } else if (!strcmp(word, "merge")) {
        status = merge_shards(&arena, &s, rest, nrest, &d);
    } else if (nrest > 0) {
        diag_fail(&d, EXIT_USAGE, "regress: expected one suite, found %d", nrest + 1);
        status = cli_fail(&d);
    } else {
        status = run_campaign(&arena, &s, first < argc ? word : NULL, &d);
    }
    arena_free(&arena);
    return status;
}

static const CliExample examples[] = {
    {"smcosim regress smoke", "run the project's short suite, with reports in regress-smoke/"},
    {"smcosim regress nightly.yaml --out night-1 --jobs 8", "your own suite"},
    {"smcosim regress --resume --out night-1", "run the missing cases after an interrupt"},
    {"smcosim regress nightly.yaml --slurm --jobs 200 --out /shared/night-1", "on a cluster"},
    {"smcosim regress diff last~1 last", "list new failures, and fixed, flaky and slower cases"},
    {"smcosim regress history kernels/sgemm", "show one case over all campaigns"},
    {"smcosim regress bisect kernels/sgemm --from v1.0", "find the commit that broke a case"},
    {0},
};

const Command command_regress = {
    .name = "regress",
    .synopsis = "SUITE|history [CASE]|diff [A B]|bisect CASE|merge DIR...  [options]",
    .operand = "SUITE",
    .summary = "run a suite of cases, and record their history",
    .about = "Runs the cases of a suite (YAML; smoke, nightly and full are the project's own) in "
             "parallel, each in\nits own folder. Writes report.json, junit.xml and a page for a "
             "browser. The history shows changes\nbetween campaigns.",
    CLI_OPTIONS(options),
    .examples = examples,
    .run = run_regress,
};
