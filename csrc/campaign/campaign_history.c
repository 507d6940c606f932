// SPDX-License-Identifier: Apache-2.0
// The history of campaigns in SQLite.
#include "campaign/campaign_history.h"

#include "base/plain.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { APPLICATION = 0x534d5247 /* SMRG */, SCHEMA_VERSION = 3, BUSY_MS = 60000 };

#define COVERAGE_TABLE \
    "CREATE TABLE coverage(            -- of all cases of a campaign together; since schema 2\n" \
    "  campaign INTEGER NOT NULL REFERENCES campaign(number),\n" \
    "  block TEXT NOT NULL,             -- with its shape: banked_rf[tiny]\n" \
    "  what TEXT NOT NULL,              -- bins, lines, branches, toggles\n" \
    "  points INTEGER NOT NULL, hit INTEGER NOT NULL,\n" \
    "  PRIMARY KEY(campaign, block, what)) WITHOUT ROWID;\n"

#define WORK_TABLE \
    "CREATE TABLE work(                -- of the blocks' RTL, all cases of a campaign together; " \
    "since schema 3\n" \
    "  campaign INTEGER NOT NULL REFERENCES campaign(number),\n" \
    "  arch TEXT NOT NULL, block TEXT NOT NULL,\n" \
    "  rtl TEXT NOT NULL,               -- the user's files, '': ours\n" \
    "  worked INTEGER NOT NULL, idle INTEGER NOT NULL,   -- cases\n" \
    "  vacuous INTEGER NOT NULL,        -- 1: idle, and no case gave it work\n" \
    "  PRIMARY KEY(campaign, arch, block, rtl)) WITHOUT ROWID;\n"
#define IDLE_COLUMN \
    "idle TEXT NOT NULL DEFAULT ''"  // blocks that the case gave no work; since schema 3
// 0: passed with results that nothing checked; since schema 3
#define CHECKED_COLUMN "checked INTEGER NOT NULL DEFAULT 1"

static const char schema[] =
    "CREATE TABLE campaign(\n"
    "  number INTEGER PRIMARY KEY,      -- as `regress history` shows it\n"
    "  id TEXT NOT NULL UNIQUE,         -- of plan.json\n"
    "  suite TEXT NOT NULL,\n"
    "  started TEXT NOT NULL,           -- UTC\n"
    "  revision TEXT NOT NULL,          -- commit, -dirty behind it when files differed\n"
    "  version TEXT NOT NULL, tools TEXT NOT NULL, host TEXT NOT NULL, folder TEXT NOT NULL, "
    "program TEXT NOT NULL,\n"
    "  cases INTEGER NOT NULL);         -- of the plan; results may be missing\n"
    "CREATE TABLE result(\n"
    "  campaign INTEGER NOT NULL REFERENCES campaign(number),\n"
    "  key TEXT NOT NULL,               -- the case, the same in each campaign\n"
    "  job TEXT NOT NULL, kind TEXT NOT NULL,\n"
    "  seed INTEGER NOT NULL,           -- 0: the case has none\n"
    "  command TEXT NOT NULL,           -- argv, NUL-free words as a JSON array\n"
    "  outcome TEXT NOT NULL,           -- pass, fail, expected failure, unexpected\n"
    "  verdict TEXT NOT NULL, status INTEGER NOT NULL, bucket TEXT NOT NULL, message TEXT NOT "
    "NULL,\n"
    "  started TEXT NOT NULL, host TEXT NOT NULL, wall REAL NOT NULL, cpu REAL NOT NULL,\n"
    "  cycles INTEGER NOT NULL, bins INTEGER NOT NULL, bins_hit INTEGER NOT NULL,\n"
    "  " IDLE_COLUMN ", " CHECKED_COLUMN ",\n"
    "  PRIMARY KEY(campaign, key)) WITHOUT ROWID;\n"
    "CREATE INDEX result_key ON result(key);\n" COVERAGE_TABLE WORK_TABLE;

// Upgrades from the previous version of the schema to each version.
static const char *const upgrades[SCHEMA_VERSION] = {
    [1] = COVERAGE_TABLE,
    [2] = WORK_TABLE "ALTER TABLE result ADD COLUMN " IDLE_COLUMN
                     "; ALTER TABLE result ADD COLUMN " CHECKED_COLUMN ";",
};

struct History {
    sqlite3 *db;
    const char *path;
    Arena *arena;
};

static bool fail_database(History *h, Diag *d) {
    return diag_fail(d, EXIT_ENVIRONMENT, "%s: %s", h->path, sqlite3_errmsg(h->db));
}

static bool execute_sql(History *h, const char *sql, Diag *d) {
    return sqlite3_exec(h->db, sql, NULL, NULL, NULL) == SQLITE_OK || fail_database(h, d);
}

static bool pragma_number(History *h, const char *sql, int64_t *value, Diag *d) {
    sqlite3_stmt *s = NULL;
    const bool ok =
        sqlite3_prepare_v2(h->db, sql, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW;
    if (ok) *value = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return ok ||
        (sqlite3_errcode(h->db) == SQLITE_NOTADB
             ? diag_fail(d, EXIT_USAGE, "%s: not a history (no SQLite database)", h->path)
             : fail_database(h, d));
}

// Upgrades within a transaction, because other shards open the same file.
static bool prepare_schema(History *h, Diag *d) {
    int64_t application, version, tables;
    if (!pragma_number(h, "SELECT count(*) FROM sqlite_master", &tables, d) ||
        !pragma_number(h, "PRAGMA application_id", &application, d) ||
        !pragma_number(h, "PRAGMA user_version", &version, d))
        return false;
    if (!tables && !application) {
        char *sql =
            arena_printf(h->arena, "%s PRAGMA application_id = %d; PRAGMA user_version = %d",
                         schema, APPLICATION, SCHEMA_VERSION);
        return execute_sql(h, sql, d);
    }
    if (application != APPLICATION)
        return diag_fail(d, EXIT_USAGE, "%s: a database of another program", h->path);
    for (; version > 0 && version < SCHEMA_VERSION; version++)
        if (!execute_sql(h,
                         arena_printf(h->arena, "%s PRAGMA user_version = %d", upgrades[version],
                                      (int)version + 1),
                         d))
            return false;
    if (version != SCHEMA_VERSION)
        return diag_fail(d, EXIT_USAGE, "%s: schema version %lld, expected %d", h->path,
                         (long long)version, SCHEMA_VERSION);
    return true;
}

static bool end_change(History *h, bool good, Diag *d) {
    if (good && execute_sql(h, "COMMIT", d)) return true;
    sqlite3_exec(h->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

static bool is_current(History *h) {
    int64_t application, version;
    Diag d = {0};
    return pragma_number(h, "PRAGMA application_id", &application, &d) &&
        pragma_number(h, "PRAGMA user_version", &version, &d) && application == APPLICATION &&
        version == SCHEMA_VERSION;
}

static bool prepare_file(History *h, Diag *d) {
    int64_t tables;
    sqlite3_busy_timeout(h->db, BUSY_MS);
    if (is_current(h)) return true;  // a file that cannot be written can be read
    if (!pragma_number(h, "SELECT count(*) FROM sqlite_master", &tables, d)) return false;
    return execute_sql(h, "BEGIN IMMEDIATE", d) && end_change(h, prepare_schema(h, d), d);
}

History *history_open(Arena *arena, const char *path, Diag *d) {
    History *h = ARENA_NEW(arena, History);
    *h = (History){.path = path, .arena = arena};
    if (sqlite3_open(path, &h->db) != SQLITE_OK) fail_database(h, d);
    else if (prepare_file(h, d)) return h;
    history_close(h);
    return NULL;
}

void history_close(History *h) {
    if (h) sqlite3_close(h->db);
}

// A statement with texts and numbers bound in order: 's' const char *, 'i' int64_t, 'f' double.
static sqlite3_stmt *bind_statement(History *h, Diag *d, const char *sql, const char *types, ...) {
    sqlite3_stmt *s = NULL;
    if (sqlite3_prepare_v2(h->db, sql, -1, &s, NULL) != SQLITE_OK) {
        fail_database(h, d);
        return NULL;
    }
    va_list ap;
    va_start(ap, types);
    for (int i = 1; *types; i++, types++) switch (*types) {
        case 's': sqlite3_bind_text(s, i, va_arg(ap, const char *), -1, SQLITE_TRANSIENT); break;
        case 'i': sqlite3_bind_int64(s, i, va_arg(ap, int64_t)); break;
        default: sqlite3_bind_double(s, i, va_arg(ap, double)); break;
        }
    va_end(ap);
    return s;
}

static bool step_done(History *h, sqlite3_stmt *s, Diag *d) {
    if (!s) return false;
    const int rc = sqlite3_step(s);
    sqlite3_finalize(s);
    return rc == SQLITE_DONE || fail_database(h, d);
}

static const char *column_text(sqlite3_stmt *s, int column) {
    const char *t = (const char *)sqlite3_column_text(s, column);
    return t ? t : "";
}

static char *copy_column(History *h, sqlite3_stmt *s, int column) {
    return arena_printf(h->arena, "%s", column_text(s, column));
}

// ---- adding -------------------------------------------------------------------------------------

static const char *command_text(Arena *arena, const RegressCase *c) {
    char *line = arena_printf(arena, "[");
    for (int i = 0; i < c->argc; i++) {
        char *word = arena_printf(arena, "%s", "");
        for (const char *p = c->argv[i]; *p; p++)
            word = (unsigned char)*p < 0x20
                ? arena_printf(arena, "%s\\u%04x", word, (unsigned)(unsigned char)*p)
                : arena_printf(arena, strchr("\"\\", *p) ? "%s\\%c" : "%s%c", word, *p);
        line = arena_printf(arena, "%s%s\"%s\"", line, i ? "," : "", word);
    }
    return arena_printf(arena, "%s]", line);
}

static bool add_result(History *h, int64_t campaign, const RegressCase *c, const RegressResult *r,
                       Diag *d) {
    Arena arena = {0};
    int64_t hit = 0;
    for (int i = 0; i < r->nbins; i++) hit += r->bins[i].hits != 0;
    sqlite3_stmt *s = bind_statement(
        h, d, "INSERT OR IGNORE INTO result VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        "isssisssissssffiiisi", campaign, c->key, c->job, c->kind, (int64_t)c->seed,
        command_text(&arena, c), outcome_word(r->outcome), r->verdict, (int64_t)r->status,
        r->bucket, r->message, r->started, r->host, r->wall, r->cpu, (int64_t)r->cycles,
        (int64_t)r->nbins, hit, case_idle(r, &arena), (int64_t)!r->unchecked);
    const bool ok = step_done(h, s, d);
    arena_free(&arena);
    return ok;
}

// Replaces the row, because a resumed campaign has more results.
static bool add_coverage(History *h, int64_t campaign, const Campaign *c, Diag *d) {
    Arena arena = {0};
    int n;
    const RegressCoverage *blocks = campaign_coverage(c, &arena, &n);
    bool ok = true;
    for (int i = 0; ok && i < n; i++)
        for (int w = 0; ok && w < COVERAGES; w++) {
            uint64_t points, hit;
            if (coverage_share(&blocks[i], w, &points, &hit))
                ok = step_done(h,
                               bind_statement(h, d,
                                              "INSERT OR REPLACE INTO coverage VALUES(?,?,?,?,?)",
                                              "issii", campaign, blocks[i].name, coverage_word[w],
                                              (int64_t)points, (int64_t)hit),
                               d);
        }
    arena_free(&arena);
    return ok;
}

// Replaces the row as add_coverage does.
static bool add_work(History *h, int64_t campaign, const Campaign *c, Diag *d) {
    Arena arena = {0};
    int n;
    const RegressBlock *b = campaign_work(c, &arena, &n);
    bool ok = true;
    for (int i = 0; ok && i < n; i++)
        ok = step_done(h,
                       bind_statement(h, d, "INSERT OR REPLACE INTO work VALUES(?,?,?,?,?,?,?)",
                                      "isssiii", campaign, b[i].arch, b[i].block, b[i].rtl,
                                      (int64_t)b[i].worked, (int64_t)b[i].idle,
                                      (int64_t)b[i].vacuous),
                       d);
    arena_free(&arena);
    return ok;
}

static bool add_all(History *h, const Campaign *c, Diag *d) {
    const RegressPlan *p = &c->plan;
    if (!step_done(h,
                   bind_statement(h, d,
                                  "INSERT OR IGNORE INTO "
                                  "campaign(id,suite,started,revision,version,tools,host,folder,"
                                  "program,cases) VALUES(?,?,?,?,?,?,?,?,?,?)",
                                  "sssssssssi", p->id, p->suite, p->started, p->commit, p->version,
                                  p->tools, p->host, p->dir, p->program, (int64_t)p->ncases),
                   d))
        return false;
    sqlite3_stmt *s = bind_statement(h, d, "SELECT number FROM campaign WHERE id = ?", "s", p->id);
    if (!s || sqlite3_step(s) != SQLITE_ROW) return sqlite3_finalize(s), fail_database(h, d);
    const int64_t number = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    for (int i = 0; i < p->ncases; i++)
        if (c->results[i].outcome && !add_result(h, number, &p->cases[i], &c->results[i], d))
            return false;
    return add_coverage(h, number, c, d) && add_work(h, number, c, d);
}

bool history_add(History *h, const Campaign *c, Diag *d) {
    if (!execute_sql(h, "BEGIN IMMEDIATE", d)) return false;
    return end_change(h, add_all(h, c, d), d);
}

// ---- reading ------------------------------------------------------------------------------------

#define OUTCOME_COUNTS \
    "sum(r.outcome='pass'), sum(r.outcome='fail'), sum(r.outcome='expected failure'), " \
    "sum(r.outcome='unexpected'), " \
    "coalesce(sum(r.cpu),0)"

static bool trend_coverage(History *h, RegressTrend *t, Diag *d) {
    sqlite3_stmt *s = bind_statement(h, d,
                                     "SELECT v.what, sum(v.points), sum(v.hit) FROM coverage v "
                                     "JOIN campaign c ON c.number = v.campaign WHERE c.id = ? "
                                     "GROUP BY v.what",
                                     "s", t->id);
    if (!s) return false;
    while (sqlite3_step(s) == SQLITE_ROW)
        for (int w = 0; w < COVERAGES; w++)
            if (!strcmp(column_text(s, 0), coverage_word[w]))
                t->points[w] = (uint64_t)sqlite3_column_int64(s, 1),
                t->hit[w] = (uint64_t)sqlite3_column_int64(s, 2);
    sqlite3_finalize(s);
    return true;
}

bool history_trend(History *h, Arena *arena, const char *suite, int most, RegressTrend **trend,
                   int *n, Diag *d) {
    sqlite3_stmt *s =
        bind_statement(h, d,
                       "SELECT * FROM (SELECT c.id, c.started, c.revision, " OUTCOME_COUNTS
                       ", c.number FROM campaign c "
                       "JOIN result r ON r.campaign = c.number WHERE c.suite = ? GROUP BY c.number "
                       "ORDER BY c.number DESC LIMIT ?) "
                       "ORDER BY number",
                       "si", suite, (int64_t)most);
    if (!s) return false;
    *trend = ARENA_ARRAY(arena, RegressTrend, most);
    *n = 0;
    while (sqlite3_step(s) == SQLITE_ROW && *n < most) {
        RegressTrend *t = &(*trend)[(*n)++];
        *t = (RegressTrend){.id = arena_printf(arena, "%s", column_text(s, 0)),
                            .started = arena_printf(arena, "%s", column_text(s, 1)),
                            .commit = arena_printf(arena, "%s", column_text(s, 2)),
                            .cpu = sqlite3_column_double(s, 7)};
        for (int o = OUTCOME_PASS; o < OUTCOMES; o++) t->count[o] = sqlite3_column_int(s, 2 + o);
    }
    sqlite3_finalize(s);
    bool ok = true;
    for (int i = 0; ok && i < *n; i++) ok = trend_coverage(h, &(*trend)[i], d);
    return ok;
}

bool history_list(History *h, FILE *out, const char *suite, Diag *d) {
    sqlite3_stmt *s = bind_statement(
        h, d,
        "SELECT c.number, c.started, c.suite, substr(c.revision,1,12), c.cases, "
        "count(r.key), " OUTCOME_COUNTS
        ", (SELECT count(*) FROM work w WHERE w.campaign = c.number AND w.vacuous) FROM campaign c "
        "LEFT JOIN result r ON r.campaign = c.number WHERE ?1 = '' OR c.suite = ?1 "
        "GROUP BY c.number ORDER BY c.number",
        "s", suite ? suite : "");
    if (!s) return false;
    int rows = 0;
    while (sqlite3_step(s) == SQLITE_ROW) {
        if (!rows++)
            fprintf(out, "%6s  %-20s %-16s %-12s %7s %7s %7s %8s %10s %9s\n", "number",
                    "started (UTC)", "suite", "commit", "cases", "pass", "fail", "expected",
                    "unexpected", "cpu s");
        fprintf(out, "%6d  %-20s %-16s %-12s %7d %7d %7d %8d %10d %9.1f", sqlite3_column_int(s, 0),
                column_text(s, 1), column_text(s, 2), column_text(s, 3), sqlite3_column_int(s, 4),
                sqlite3_column_int(s, 6), sqlite3_column_int(s, 7), sqlite3_column_int(s, 8),
                sqlite3_column_int(s, 9), sqlite3_column_double(s, 10));
        const int missing = sqlite3_column_int(s, 4) - sqlite3_column_int(s, 5);
        if (missing) fprintf(out, "  %d without result", missing);
        const int idle = sqlite3_column_int(s, 11);
        if (idle) fprintf(out, "  vacuous: %d block%s had no work", idle, idle == 1 ? "" : "s");
        fprintf(out, "\n");
    }
    sqlite3_finalize(s);
    if (!rows)
        fprintf(out, "no campaign%s%s in %s\n", suite ? " of suite " : "", suite ? suite : "",
                h->path);
    return true;
}

// The whole key, or the only key that has the text in it.
static char *find_key(History *h, const char *key, Diag *d) {
    sqlite3_stmt *s = bind_statement(h, d,
                                     "SELECT DISTINCT key FROM result WHERE key = ?1 OR instr(key, "
                                     "?1) ORDER BY key <> ?1, key LIMIT 4",
                                     "s", key);
    char *found[4] = {0};
    int n = 0;
    while (s && n < 4 && sqlite3_step(s) == SQLITE_ROW) found[n++] = copy_column(h, s, 0);
    sqlite3_finalize(s);
    if (!s) return NULL;
    if (n == 1 || (n && !strcmp(found[0], key))) return found[0];
    if (!n)
        diag_fail(d, EXIT_USAGE,
                  "%s: no case `%s`; `smcosim regress history` and the reports name them", h->path,
                  key);
    else
        diag_fail(d, EXIT_USAGE, "%s: `%s` is part of several cases: `%s`, `%s`%s", h->path, key,
                  found[0], found[1], n > 2 ? ", .." : "");
    return NULL;
}

bool history_case(History *h, FILE *out, const char *part, Diag *d) {
    const char *key = find_key(h, part, d);
    if (!key) return false;
    sqlite3_stmt *s = bind_statement(
        h, d,
        "SELECT c.number, c.started, substr(c.revision,1,12), r.seed, r.outcome, r.verdict, r.cpu, "
        "r.cycles, r.bins_hit, r.bins, r.bucket, r.idle, r.checked "
        "FROM result r JOIN campaign c ON r.campaign = c.number WHERE r.key = ? ORDER BY c.number",
        "s", key);
    if (!s) return false;
    fprintf(out, "%s\n%6s  %-20s %-12s %10s %-16s %-16s %8s %12s %11s\n", key, "number",
            "started (UTC)", "commit", "seed", "outcome", "verdict", "cpu s", "cycles", "bins");
    while (sqlite3_step(s) == SQLITE_ROW) {
        char bins[32] = "";
        if (sqlite3_column_int(s, 9))
            snprintf(bins, sizeof bins, "%d/%d", sqlite3_column_int(s, 8),
                     sqlite3_column_int(s, 9));
        fprintf(out, "%6d  %-20s %-12s %10lld %-16s %-16s %8.2f %12lld %11s",
                sqlite3_column_int(s, 0), column_text(s, 1), column_text(s, 2),
                (long long)sqlite3_column_int64(s, 3), column_text(s, 4), column_text(s, 5),
                sqlite3_column_double(s, 6), (long long)sqlite3_column_int64(s, 7), bins);
        if (*column_text(s, 10)) fprintf(out, "  %s", plain_text(h->arena, column_text(s, 10)));
        if (*column_text(s, 11)) fprintf(out, "  idle: %s", column_text(s, 11));
        if (!sqlite3_column_int(s, 12)) fprintf(out, "  results not checked");
        fprintf(out, "\n");
    }
    sqlite3_finalize(s);
    return true;
}

bool history_command(History *h, Arena *arena, const char *part, RegressCase *c, const char **dir,
                     Diag *d) {
    const char *key = find_key(h, part, d);
    if (!key) return false;
    sqlite3_stmt *s =
        bind_statement(h, d,
                       "SELECT w.value, r.job, r.kind, r.seed, c.folder FROM result r JOIN "
                       "campaign c ON r.campaign = c.number, json_each(r.command) w "
                       "WHERE r.key = ?1 AND c.number = (SELECT max(campaign) FROM result WHERE "
                       "key = ?1) ORDER BY w.key",
                       "s", key);
    int cap = 0;
    *c = (RegressCase){.key = key};
    while (s && sqlite3_step(s) == SQLITE_ROW) {
        *ARENA_PUSH(arena, c->argv, c->argc, cap) = arena_printf(arena, "%s", column_text(s, 0));
        c->job = arena_printf(arena, "%s", column_text(s, 1)),
        c->kind = arena_printf(arena, "%s", column_text(s, 2));
        c->seed = (uint64_t)sqlite3_column_int64(s, 3),
        *dir = arena_printf(arena, "%s", column_text(s, 4));
    }
    sqlite3_finalize(s);
    return c->argc > 0 || fail_database(h, d);
}

// ---- what changed -------------------------------------------------------------------------------

// The campaign before number `of` of the same suite.
static bool find_previous(History *h, int64_t of, int64_t *number, Diag *d) {
    sqlite3_stmt *s = bind_statement(h, d,
                                     "SELECT p.number FROM campaign p JOIN campaign c ON c.suite = "
                                     "p.suite WHERE c.number = ? AND p.number < c.number "
                                     "ORDER BY p.number DESC LIMIT 1",
                                     "i", of);
    if (!s) return false;
    const bool found = sqlite3_step(s) == SQLITE_ROW;
    if (found) *number = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return found ||
        diag_fail(d, EXIT_USAGE,
                  "%s: no earlier campaign of the suite of campaign %lld; expected two campaigns",
                  h->path, (long long)of);
}

// "last", "last~N", a number, or the beginning of an id.
static bool find_campaign(History *h, const char *name, int64_t *number, Diag *d) {
    char *end;
    long back = 0;
    sqlite3_stmt *s;
    const bool last = !strncmp(name, "last", 4) && (!name[4] || name[4] == '~');
    if (last && name[4]) {
        back = strtol(name + 5, &end, 10);
        if (!name[5] || *end || back < 0)
            return diag_fail(d, EXIT_USAGE, "campaign `%s`: expected last~NUMBER", name);
    }
    if (last)
        s = bind_statement(h, d,
                           "SELECT number FROM campaign ORDER BY number DESC LIMIT 1 OFFSET ?", "i",
                           (int64_t)back);
    else
        s = bind_statement(
            h, d,
            "SELECT number FROM campaign WHERE CAST(number AS TEXT) = ?1 OR (length(?1) >= 4 AND "
            "id LIKE ?1 || '%') ORDER BY CAST(number AS TEXT) <> ?1 LIMIT 1",
            "s", name);
    if (!s) return false;
    const bool found = sqlite3_step(s) == SQLITE_ROW;
    if (found) *number = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return found ||
        diag_fail(d, EXIT_USAGE,
                  "%s: no campaign `%s`; expected a number of `smcosim regress history`, last, or "
                  "last~N",
                  h->path, name);
}

static int print_rows(History *h, FILE *out, const char *title, sqlite3_stmt *s) {
    int n = 0;
    while (s && sqlite3_step(s) == SQLITE_ROW) {
        if (!n++) fprintf(out, "%s\n", title);
        fprintf(out, "  %s", plain_text(h->arena, column_text(s, 0)));
        for (int i = 1; i < sqlite3_column_count(s); i++)
            fprintf(out, "%s%s", i == 1 ? "   " : " ", plain_text(h->arena, column_text(s, i)));
        fprintf(out, "\n");
    }
    sqlite3_finalize(s);
    return n;
}

#define GOOD(r) r ".outcome IN ('pass','expected failure')"

// Kinds of differences between two campaigns (?1 before ?2).
typedef enum {
    DIFF_FAILING,
    DIFF_WITHOUT,
    DIFF_FIXED,
    DIFF_STILL,
    DIFF_FLAKY,
    DIFF_SLOWER,
    DIFF_CYCLES,
    DIFF_GONE,
    DIFF_KINDS
} DiffKind;

// clang-format off
static const struct { const char *title, *query; } differences[DIFF_KINDS] = {
    [DIFF_FAILING] = {"new failures",
        "SELECT n.key, n.verdict, n.bucket FROM result n "
        "LEFT JOIN result o ON o.key = n.key AND o.campaign = ?1 "
        "WHERE n.campaign = ?2 AND NOT " GOOD("n") " AND (o.key IS NULL OR " GOOD("o") ") "
        "ORDER BY n.key"},
    [DIFF_WITHOUT] = {"blocks newly without work",
        "SELECT n.block, n.arch FROM work n LEFT JOIN work o "
        "ON o.campaign = ?1 AND o.arch = n.arch AND o.block = n.block AND o.rtl = n.rtl "
        "WHERE n.campaign = ?2 AND n.vacuous AND NOT coalesce(o.vacuous, 0) "
        "ORDER BY n.arch, n.block"},
    [DIFF_FIXED] = {"fixed",
        "SELECT n.key FROM result n JOIN result o ON o.key = n.key AND o.campaign = ?1 "
        "WHERE n.campaign = ?2 AND " GOOD("n") " AND NOT " GOOD("o") " ORDER BY n.key"},
    [DIFF_STILL] = {"still failing",
        "SELECT n.key, n.verdict, n.bucket FROM result n "
        "JOIN result o ON o.key = n.key AND o.campaign = ?1 "
        "WHERE n.campaign = ?2 AND NOT " GOOD("n") " AND NOT " GOOD("o") " ORDER BY n.key"},
    // One case, seed, commit and program version; two verdicts. A tree with changes is not one commit.
    [DIFF_FLAKY] = {"flaky (one commit and seed, several verdicts)",
        "SELECT r.key, group_concat(DISTINCT r.verdict) FROM result r "
        "JOIN campaign c ON c.number = r.campaign "
        "WHERE r.key IN (SELECT key FROM result WHERE campaign IN (?1, ?2)) "
        "AND c.revision <> '' AND c.revision NOT LIKE '%-dirty' "
        "GROUP BY r.key, r.seed, r.command, c.revision HAVING count(DISTINCT r.verdict) > 1 "
        "ORDER BY r.key"},
    [DIFF_SLOWER] = {"slower (processor time)",
        "SELECT n.key, printf('%.1f s -> %.1f s', o.cpu, n.cpu) FROM result n "
        "JOIN result o ON o.key = n.key AND o.campaign = ?1 "
        "WHERE n.campaign = ?2 AND " GOOD("n") " AND " GOOD("o") " AND n.cpu > 1.5 * o.cpu "
        "AND n.cpu > o.cpu + 1 ORDER BY n.cpu - o.cpu DESC"},
    [DIFF_CYCLES] = {"other number of cycles",
        "SELECT n.key, printf('%d -> %d', o.cycles, n.cycles) FROM result n "
        "JOIN result o ON o.key = n.key AND o.campaign = ?1 "
        "WHERE n.campaign = ?2 AND n.kind = 'run' AND o.cycles > 0 AND n.cycles > 0 "
        "AND n.cycles <> o.cycles AND " GOOD("n") " AND " GOOD("o") " ORDER BY n.key"},
    [DIFF_GONE] = {"no longer run",
        "SELECT o.key FROM result o WHERE o.campaign = ?1 "
        "AND o.key NOT IN (SELECT key FROM result WHERE campaign = ?2) ORDER BY o.key"}};
// clang-format on

bool history_diff(History *h, FILE *out, const char *a, const char *b, bool *worse, Diag *d) {
    int64_t x = 0, y = 0;
    int n[DIFF_KINDS];
    if (!find_campaign(h, b, &y, d) ||
        !(a ? find_campaign(h, a, &x, d) : find_previous(h, y, &x, d)))
        return false;
    fprintf(out, "campaign %lld -> %lld\n", (long long)x, (long long)y);
    for (int k = 0; k < DIFF_KINDS; k++)
        n[k] = print_rows(h, out, differences[k].title,
                          bind_statement(h, d, differences[k].query, "ii", x, y));
    if (!diag_ok(d)) return false;
    fprintf(out,
            "%d new failures, %d fixed, %d still failing, %d flaky, %d slower, %d with other "
            "cycles, %d no longer run\n",
            n[DIFF_FAILING], n[DIFF_FIXED], n[DIFF_STILL], n[DIFF_FLAKY], n[DIFF_SLOWER],
            n[DIFF_CYCLES], n[DIFF_GONE]);
    const int without = n[DIFF_WITHOUT];
    if (without) fprintf(out, "%d block%s vacuous\n", without, without == 1 ? "" : "s");
    *worse = n[DIFF_FAILING] > 0 || without > 0;
    return true;
}
