// SPDX-License-Identifier: Apache-2.0
// The table of systems and their combinations. The groups of two systems decide whether they
// combine; no list does.
#include "systems/systems.h"

#include <string.h>

// In the order of canonical names.
static const System *const table[] = {&system_baseline,
                                      &system_packing,
                                      &system_firstfit,
                                      &system_corf,
                                      &system_corf_plus,
                                      &system_corf_map,
                                      &system_rfc,
                                      &system_rfv,
                                      &system_regmutex,
                                      &system_regmutex_paired,
                                      &system_owf,
                                      &system_bow,
                                      &system_bow_wb,
                                      &system_bow_wr,
                                      &system_bow_wr_half,
                                      &system_bow_nofwd,
                                      &system_larf,
                                      &system_las,
                                      &system_pmode,
                                      &system_direct_prefetch,
                                      &system_2xtlp,
                                      &system_2xbw,
                                      &system_hw_bdi,
                                      &system_hw_bdi_mem,
                                      &system_ideal_bdi,
                                      &system_scalar,
                                      &system_scalar_prefetch,
                                      &system_scalar_divergence,
                                      &system_scalar_extract,
                                      &system_scalar_gcn,
                                      &system_caba_bdi,
                                      &system_caba_fpc,
                                      &system_caba_cpack,
                                      &system_caba_best,
                                      &system_caba_off,
                                      &system_caba_memo,
                                      &system_caba_prefetch};
enum { NSYSTEMS = sizeof table / sizeof *table };

// ---- combination of systems ----

static bool has_room_for(const System *s, const System *other) {
    return (s->with & other->group) == other->group;
}

static bool go_together(const System *a, const System *b) {
    return !(a->group & b->group) && has_room_for(a, b) && has_room_for(b, a);
}

static void add_name(const char *name, char *text, size_t size) {
    const size_t at = strlen(text);
    snprintf(text + at, size - at, "%s%s", at ? ", " : "", name);
}

// Lists the names of the systems with one of these groups: "a, b". combines: skip systems that
// combine with no other.
static const char *names_of(unsigned groups, bool combines, char *text, size_t size) {
    text[0] = 0;
    for (int i = 0; i < NSYSTEMS; i++)
        if (table[i]->group & groups && (!combines || table[i]->with))
            add_name(table[i]->name, text, size);
    return text;
}

// Names of the systems that the system combines with.
static void find_partners(const System *s, char *text, size_t size) {
    text[0] = 0;
    for (int i = 0; i < NSYSTEMS; i++)
        if (table[i]->group && go_together(s, table[i])) add_name(table[i]->name, text, size);
}

// Reports why the two systems do not combine.
static bool refuse_pair(const char *name, const System *a, const System *b, Diag *d) {
    char names[400];
    if (a == b) return diag_fail(d, EXIT_USAGE, "--arch: '%s' twice in '%s'", a->name, name);
    if (a->group & b->group)
        return diag_fail(d, EXIT_USAGE, "--arch: '%s' and '%s' in '%s': expected at most one of %s",
                         a->name, b->name, name,
                         names_of(a->group & b->group, false, names, sizeof names));
    if (has_room_for(a, b) || (!a->reason && b->reason && !has_room_for(b, a)))
        return refuse_pair(name, b, a, d);
    find_partners(a, names, sizeof names);
    return diag_fail(d, EXIT_USAGE, "--arch: '%s' combines with %s%s%s, found '%s' in '%s'",
                     a->name, names[0] ? names : "nothing", a->reason ? ": " : "",
                     a->reason ? a->reason : "", b->name, name);
}

// ---- the fold ----

static bool check_limit(const char *what, int n, int most, const char *name, Diag *d) {
    return n < most ||
        diag_fail(d, EXIT_USAGE, "--arch: more than %d %s in '%s'", most, what, name);
}

static bool add_blocks(Arch *a, const char *const *blocks, int *n, Diag *d) {
    for (; blocks && *blocks; blocks++) {
        int i = 0;
        while (i < *n && strcmp(a->blocks[i], *blocks)) i++;
        if (i < *n) continue;
        if (!check_limit("blocks", *n, ARCH_MAX_BLOCKS, a->name, d)) return false;
        a->blocks[(*n)++] = *blocks;
    }
    return true;
}

static void take_path(Arch *a, const System *s) {
    a->path = s->path;
    a->mode = s->mode;
}

// Selects the path: that of a system whose path does not yield, else that of a system that yields,
// else the baseline's.
static bool choose_path(Arch *a, Diag *d) {
    const System *bringer = NULL;
    for (int i = 0; i < a->n; i++) {
        const System *s = a->systems[i];
        if (!s->path || (bringer && s->yields)) continue;
        if (bringer && !bringer->yields)
            return diag_fail(d, EXIT_USAGE,
                             "--arch: '%s' and '%s' in '%s': each supplies an operand path",
                             bringer->name, s->name, a->name);
        bringer = s;
    }
    take_path(a, bringer ? bringer : &system_baseline);
    for (int i = 0; i < a->n; i++)
        if (a->systems[i]->places && !a->path->asks_places)
            return diag_fail(
                d, EXIT_USAGE,
                "--arch: '%s' in '%s' maps registers, but the operand path%s%s%s maps them itself",
                a->systems[i]->name, a->name, bringer ? " of '" : "", bringer ? bringer->name : "",
                bringer ? "'" : "");
    return true;
}

// Replaces systems whose path yields to another's by their `beside`.
static void stand_beside(Arch *a) {
    bool brought = false;
    for (int i = 0; i < a->n; i++) brought |= a->systems[i]->path && !a->systems[i]->yields;
    for (int i = 0; brought && i < a->n; i++)
        if (a->systems[i]->beside) a->systems[i] = a->systems[i]->beside;
}

// At most one system may contribute a part of each of these kinds.
static bool one_of_each(const Arch *a, Diag *d) {
    enum { KINDS = 5 };
    static const char *const words[KINDS] = {"line codec", "scheduler", "second stream",
                                             "gate that acts", "mapping of registers"};
    const System *had[KINDS] = {NULL};
    for (int i = 0; i < a->n; i++) {
        const System *s = a->systems[i];
        const bool brings[KINDS] = {s->codec != NULL, s->sched != NULL, s->stream != NULL,
                                    s->gate && s->gate->act, s->places != NULL};
        for (int k = 0; k < KINDS; k++) {
            if (brings[k] && had[k])
                return diag_fail(d, EXIT_USAGE, "--arch: '%s' and '%s' in '%s': each supplies a %s",
                                 had[k]->name, s->name, a->name, words[k]);
            if (brings[k]) had[k] = s;
        }
    }
    return true;
}

static bool name_arch(Arch *a, Diag *d) {
    size_t at = 0;
    for (int i = 0; i < a->n; i++) {
        const size_t n = strlen(a->systems[i]->name);
        if (at + n + 2 > sizeof a->name)
            return diag_fail(d, EXIT_USAGE, "--arch: name longer than %zu characters",
                             sizeof a->name - 1);
        if (at) a->name[at++] = ':';
        memcpy(a->name + at, a->systems[i]->name, n + 1);
        at += n;
    }
    return true;
}

static bool has_what_it_needs(const Arch *a, Diag *d) {
    char names[400];
    unsigned groups = 0;
    for (int i = 0; i < a->n; i++) groups |= a->systems[i]->group;
    for (int i = 0; i < a->n; i++)
        if (a->systems[i]->needs & ~groups)
            return diag_fail(d, EXIT_USAGE, "--arch: '%s' in '%s' requires one of %s",
                             a->systems[i]->name, a->name,
                             names_of(a->systems[i]->needs, true, names, sizeof names));
    return true;
}

static int place_in_table(const System *s) {
    int i = 0;
    while (i < NSYSTEMS && table[i] != s) i++;
    return i;
}

bool arch_of(Arch *a, const System *const *systems, int n, Diag *d) {
    *a = (Arch){0};
    if (!n) return arch_of(a, table, 1, d);
    if (n > ARCH_MAX_SYSTEMS)
        return diag_fail(d, EXIT_USAGE, "--arch: more than %d systems", ARCH_MAX_SYSTEMS);
    for (int i = 0; i < n; i++) {  // systems of the table first, in its order
        int to = a->n++;
        for (; to && place_in_table(a->systems[to - 1]) > place_in_table(systems[i]); to--)
            a->systems[to] = a->systems[to - 1];
        a->systems[to] = systems[i];
    }
    if (!name_arch(a, d)) return false;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            if (a->systems[k] == a->systems[i] || !go_together(a->systems[k], a->systems[i]))
                return refuse_pair(a->name, a->systems[k], a->systems[i], d);
    if (!has_what_it_needs(a, d)) return false;
    stand_beside(a);
    int nblocks = 0;
    if (!one_of_each(a, d) || !choose_path(a, d) || !add_blocks(a, a->path->blocks, &nblocks, d))
        return false;
    for (int i = 0; i < n; i++) {
        const System *s = a->systems[i];
        a->compiler.hints |= s->compiler.hints;
        a->compiler.packs |= s->compiler.packs;
        a->compiler.regions |= s->compiler.regions;
        a->compiler.shared |= s->compiler.shared;
        a->compiler.beside |= s->compiler.beside;
        a->compiler.scalars |= s->compiler.scalars;
        a->compiler.write_bits |= s->compiler.write_bits;
        a->compiler.half |= s->compiler.half;
        a->compiler.homeless |= s->compiler.homeless;
        a->compiler.memo |= s->compiler.memo;
        a->compiler.strides |= s->compiler.strides;
        a->compiler.reserve += s->compiler.reserve;
        a->compiler.routines |= s->compiler.routines;
        if (!add_blocks(a, s->blocks, &nblocks, d)) return false;
    }
    return true;
}

// ---- names ----

static const System *find_system(const char *word, size_t n) {
    for (int i = 0; i < NSYSTEMS; i++)
        if (strlen(table[i]->name) == n && !strncmp(table[i]->name, word, n)) return table[i];
    return NULL;
}

static bool refuse_unknown(const char *word, size_t n, Diag *d) {
    const char *names[NSYSTEMS];
    char given[ARCH_MAX_NAME];
    for (int i = 0; i < NSYSTEMS; i++) names[i] = table[i]->name;
    snprintf(given, sizeof given, "%.*s", (int)n, word);
    const char *near = name_suggest(given, names, NSYSTEMS);
    return diag_fail(d, EXIT_USAGE, "--arch: no system '%s'%s%s%s", given,
                     near ? "; did you mean '" : "", near ? near : "",
                     near ? "'?" : " (smcosim list archs)");
}

bool arch_parse(const char *text, Arch *a, Diag *d) {
    const System *systems[ARCH_MAX_SYSTEMS];
    int n = 0;
    for (const char *word = text;;) {
        const size_t length = strcspn(word, ":");
        const System *s = find_system(word, length);
        if (!s) return refuse_unknown(word, length, d);
        if (!check_limit("systems", n, ARCH_MAX_SYSTEMS, text, d)) return false;
        systems[n++] = s;
        if (!word[length]) return arch_of(a, systems, n, d);
        word += length + 1;
    }
}

bool arch_has_routines(const Arch *a) { return a->compiler.routines; }

bool arch_has_figures(const Arch *a, const FigureRow *figures) {
    for (int i = 0; i < a->n; i++)
        if (a->systems[i]->figures == figures) return true;
    return false;
}

bool arch_machine(const Arch *a, MachineConfig *cfg, Diag *d) {
    cfg->bow_entries = config_bow_rows(cfg, a->compiler.half);
    for (int i = 0; i < a->n; i++)
        if (a->systems[i]->machine && !a->systems[i]->machine(cfg, d)) return false;
    return true;
}

bool arch_check(const Arch *a, const MachineConfig *cfg, bool runs_rtl, Diag *d) {
    for (int i = 0; i < a->n; i++) {
        const System *s = a->systems[i];
        if (s->settings && !s->settings(a->name, cfg, runs_rtl, d)) return false;
    }
    return !a->path->settings || a->path->settings(a->name, cfg, runs_rtl, d);
}

void systems_summaries(FILE *out, const SummaryRun *run) {
    for (int i = 0; i < NSYSTEMS; i++) {
        Summary *const summary = table[i]->summary;
        int first = 0;
        while (table[first]->summary != summary) first++;
        if (summary && first == i) summary(out, run);
    }
}

// ---- the list ----

typedef struct List {
    Arena *arena;
    ArchInfo *infos;
    int n, cap;
} List;

// Combinations of n systems: the chosen systems, and others from row `from` on.
static void combine_systems(List *l, const System **chosen, int nchosen, int n, int from) {
    Diag d = {0};
    Arch a;
    if (nchosen == n) {
        if (!arch_of(&a, chosen, n, &d)) return;
        const char *what = n == 1 ? chosen[0]->what : n == 2 ? "both" : "all of them";
        const char *name = arena_strndup(l->arena, a.name, strlen(a.name));
        *ARENA_PUSH(l->arena, l->infos, l->n, l->cap) = (ArchInfo){name, what};
        return;
    }
    for (int row = from; row < NSYSTEMS; row++) {
        int k = 0;
        while (k < nchosen && go_together(chosen[k], table[row])) k++;
        if (k < nchosen) continue;
        chosen[nchosen] = table[row];
        combine_systems(l, chosen, nchosen + 1, n, row + 1);
    }
}

int arch_list(Arena *arena, const ArchInfo **list) {
    List l = {.arena = arena};
    const System *chosen[ARCH_MAX_SYSTEMS];
    for (int n = 1; n <= ARCH_MAX_SYSTEMS; n++) combine_systems(&l, chosen, 0, n, 0);
    *list = l.infos;
    return l.n;
}

// Rows of the table that combine with a system, one bit each.
static uint64_t partners_of(int row) {
    uint64_t rows = 0;
    for (int i = 0; i < NSYSTEMS; i++) {
        Diag d = {0};
        Arch a;
        if (i != row && arch_of(&a, (const System *const[]){table[row], table[i]}, 2, &d))
            rows |= 1ull << i;
    }
    return rows;
}

const System *systems_row(int row) { return row < NSYSTEMS ? table[row] : NULL; }

const char *systems_partners(Arena *arena, int row) {
    const char *text = "";
    for (uint64_t left = partners_of(row); left; left &= left - 1)
        text = arena_printf(arena, "%s%s%s", text, *text ? ", " : "",
                            table[__builtin_ctzll(left)]->name);
    return text;
}

const char *systems_parts(Arena *arena, const System *s) {
    const struct {
        const char *name;
        bool there;
    } parts[] = {{"operand path", s->path},
                 {"places", s->places},
                 {"hazards", s->hazards},
                 {"issue gate", s->gate},
                 {"execution units", s->nunits},
                 {"stream", s->stream},
                 {"admission", s->admission},
                 {"load port", s->load},
                 {"access source", s->source},
                 {"line codec", s->codec},
                 {"scheduler", s->sched},
                 {"listener", s->listener},
                 {"clocked", s->clock},
                 {"barrier", s->barrier},
                 {"sizes of the machine", s->machine}};
    const char *text = "";
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].there)
            text = arena_printf(arena, "%s%s%s", text, *text ? ", " : "", parts[i].name);
    return text;
}

void arch_print_groups(FILE *out) {
    uint64_t partners[NSYSTEMS], printed = 0;
    _Static_assert(NSYSTEMS <= 64, "a bit for each system");
    for (int i = 0; i < NSYSTEMS; i++) partners[i] = partners_of(i);
    for (int first = 0; first < NSYSTEMS; first++) {
        if (printed >> first & 1) continue;
        if (printed) fputc('\n', out);
        for (int i = first; i < NSYSTEMS; i++) {
            if (partners[i] != partners[first] || table[i]->group != table[first]->group) continue;
            printed |= 1ull << i;
            fprintf(out, "%-20s %s\n", table[i]->name, table[i]->what);
        }
        fprintf(out, "%-20s %s", "", table[first]->needs ? "only with" : "combines with");
        for (uint64_t left = partners[first]; left; left &= left - 1)
            fprintf(out, "%s %s", left == partners[first] ? "" : ",",
                    table[__builtin_ctzll(left)]->name);
        fputs(partners[first] ? "\n" : " nothing\n", out);
    }
}
