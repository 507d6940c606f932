// SPDX-License-Identifier: Apache-2.0
#include "session/findings.h"
#include "base/status.h"

#include <string.h>

enum { FINDINGS_SHOWN = 8 };

bool findings_race(const OracleFindings *f) {
    for (int i = 0; i < f->nitems; i++)
        if (f->items[i].kind == ORACLE_RACE) return true;
    return false;
}

static bool is_race(OracleKind kind) { return kind == ORACLE_RACE; }

// Inserts the oracle's findings before the report's other findings.
static void report_findings(LaunchReport *report, const OracleFindings *f, Arena *arena) {
    ReportFinding *all = ARENA_ARRAY(arena, ReportFinding, f->nitems + report->nfindings + 1);
    if (report->nfindings)
        memcpy(all + f->nitems, report->findings, (size_t)report->nfindings * sizeof *all);
    report->findings = all;
    report->nfindings += f->nitems;
    for (int i = 0; i < f->nitems; i++)
        report->findings[i] = (ReportFinding){.kind = oracle_kind_name(f->items[i].kind),
                                              .text = f->items[i].text,
                                              .count = f->items[i].count,
                                              .note = f->items[i].kind == ORACLE_SAME_VALUE};
}

static const char *times_text(uint64_t count, Arena *arena) {
    return count == 1 ? "" : arena_printf(arena, " (%llu times)", (unsigned long long)count);
}

// The findings of one kind, one per line. They are moved out of the warnings.
static const char *list_findings(LaunchReport *report, const OracleFindings *f,
                                 bool (*sort)(OracleKind), Arena *arena) {
    const char *text = "";
    int shown = 0, more = 0;
    for (int i = 0; i < f->nitems; i++) {
        const OracleFinding *it = &f->items[i];
        if (!sort(it->kind)) continue;
        report->findings[i].in_message = true;
        if (shown == FINDINGS_SHOWN) more++;
        else
            shown++,
                text = arena_printf(arena, "%s\n    %s%s", text, it->text,
                                    times_text(it->count, arena));
    }
    return more ? arena_printf(arena, "%s\n    and %d more", text, more) : text;
}

static bool judge_race(LaunchReport *report, const OracleFindings *f, Arena *arena, Diag *d) {
    const char *before = arena_strndup(arena, d->text, strlen(d->text));
    report->verdict = status_word(WORD_RACE);
    *d = (Diag){0};
    return diag_fail(
        d, EXIT_WRONG_RESULT,
        "%s: the program has a race: its result depends on the order of these accesses%s%s%s",
        report->name, list_findings(report, f, is_race, arena),
        *before ? "\n  so this difference may be the order's: " : "", before);
}

static bool judge_undefined(LaunchReport *report, const OracleFindings *f, Arena *arena, Diag *d) {
    const char *text = list_findings(report, f, oracle_is_undefined, arena);
    if (!*text) return true;
    report->verdict = status_word(WORD_UNDEFINED);
    return diag_fail(d, EXIT_WRONG_RESULT, "%s: the behavior of the program is undefined in PTX%s",
                     report->name, text);
}

bool findings_judge(LaunchReport *report, const OracleFindings *f, const SessionOptions *o,
                    Arena *arena, Diag *d) {
    report_findings(report, f, arena);
    report->race_compared = f->accesses;
    report->strict_examined = f->insts;
    if (findings_race(f) && (diag_ok(d) || d->status == EXIT_WRONG_RESULT))
        return judge_race(report, f, arena, d);
    if (!diag_ok(d)) return false;
    if (o->check_strict && !judge_undefined(report, f, arena, d)) return false;
    if (o->check_race && !f->accesses)
        return diag_fail(d, EXIT_VACUOUS,
                         "%s: --check race compared nothing: no access to global or shared memory",
                         report->name);
    if (o->check_strict && !f->insts)
        return diag_fail(d, EXIT_VACUOUS,
                         "%s: --check strict examined nothing: no instruction was executed",
                         report->name);
    return true;
}
