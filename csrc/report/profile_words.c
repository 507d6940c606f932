// SPDX-License-Identifier: Apache-2.0
#include "report/profile_report.h"
#include "sm/parts/summary.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// ---- check ----

static uint64_t field_of(const LineCounts *c, size_t at) {
    return *(const uint64_t *)((const char *)c + at);
}

static bool check_sum(const ProfileKernel *k, const char *name, size_t at, uint64_t counted,
                      Diag *d) {
    uint64_t sum = 0;
    for (int i = 0; i <= k->program->ninsts; i++) sum += field_of(&k->rows[i], at);
    return sum == counted ||
        diag_fail(d, EXIT_MISMATCH,
                  "profile of kernel %s: the instructions sum to %" PRIu64
                  " of %s, the run counted "
                  "%" PRIu64,
                  k->name, sum, name, counted);
}

bool profile_check(const ProfileKernel *k, Diag *d) {
    for (int i = 0; i < LINE_CLASSES; i++)
        if (!check_sum(k, counter_info[CTR_ISSUED + i].name,
                       offsetof(LineCounts, classes) + (size_t)i * sizeof(uint64_t),
                       k->counters.v[CTR_ISSUED + i], d))
            return false;
    for (int i = 0; i < line_nsums; i++) {
        uint64_t counted = 0;
        for (int j = 0; j < line_sums[i].n; j++) counted += k->counters.v[line_sums[i].of[j]];
        if (!check_sum(k, line_sums[i].name, line_sums[i].at, counted, d)) return false;
    }
    return true;
}

// ---- lines ----

void profile_add(LineCounts *to, const LineCounts *from) {
    uint64_t *a = (uint64_t *)to;
    const uint64_t *b = (const uint64_t *)from;
    for (size_t i = 0; i < sizeof *to / sizeof *a; i++) a[i] += b[i];
}

static uint64_t cost_of(const LineCounts *c) {
    uint64_t cost = 0;
    for (int i = 0; i < LINE_CLASSES; i++)
        if (CTR_ISSUED + i != CTR_STALL_NONE_LEFT) cost += c->classes[i];
    return cost;
}

static int by_line(const void *a, const void *b) {
    const ProfileLine *x = a, *y = b;
    return x->line - y->line;
}

int profile_lines(const ProfileKernel *k, Arena *arena, ProfileLine **lines) {
    const int n = k->program->ninsts;
    ProfileLine *all = ARENA_ARRAY(arena, ProfileLine, n + 1);
    int used = 0;
    for (int i = 0; i <= n; i++) {
        const int line = i < n ? k->program->insts[i].ptx_line : -1;
        int at = 0;
        while (at < used && all[at].line != line) at++;
        if (at == used)
            all[used++] = (ProfileLine){.line = line,
                                        .first = i,
                                        .cuda = k->cuda_line && line > 0 ? k->cuda_line[line] : 0};
        profile_add(&all[at].of, &k->rows[i]);
    }
    for (int i = 0; i < used; i++) all[i].cost = cost_of(&all[i].of);
    qsort(all, (size_t)used, sizeof *all, by_line);
    *lines = all;
    return used;
}

static int by_cost(const void *a, const void *b) {
    const ProfileLine *x = *(const ProfileLine *const *)a, *y = *(const ProfileLine *const *)b;
    if (x->cost != y->cost) return x->cost < y->cost ? 1 : -1;
    return x->line - y->line;
}

int profile_worst(const ProfileLine *lines, int n, int most, Arena *arena,
                  const ProfileLine ***worst) {
    const ProfileLine **all = ARENA_ARRAY(arena, const ProfileLine *, n + 1);
    int used = 0;
    for (int i = 0; i < n; i++)
        if (lines[i].line >= 0 && lines[i].cost) all[used++] = &lines[i];
    qsort(all, (size_t)used, sizeof *all, by_cost);
    *worst = all;
    return used < most ? used : most;
}

const char *profile_text(const ProfileText *t, int line, Arena *arena) {
    if (line < 1 || line > t->n) return "";
    const char *s = t->lines[line - 1];
    while (isspace((unsigned char)*s)) s++;
    size_t n = strlen(s);
    while (n && isspace((unsigned char)s[n - 1])) n--;
    char *text = arena_strndup(arena, s, n);
    for (char *p = text; *p; p++)
        if (*p == '\t') *p = ' ';
    return text;
}

// ---- reasons ----

CounterId profile_reason(const LineCounts *c) {
    int most = 0;
    for (int i = 1; i < LINE_CLASSES; i++)
        if (CTR_ISSUED + i != CTR_STALL_NONE_LEFT && c->classes[i] > (most ? c->classes[most] : 0))
            most = i;
    return (CounterId)(CTR_ISSUED + most);
}

const char *profile_class_name(CounterId what, Arena *arena) {
    char *name = arena_printf(arena, "%s", counter_info[what].name);
    for (char *p = name; *p; p++)
        if (*p == '_') *p = ' ';
    return name;
}

static bool is_from_memory(const IsaInst *in) {
    const bool loads = in->op == ISA_LD || in->op == ISA_ATOM || in->op == ISA_TEX;
    return loads && in->space != ISA_SHARED;
}

static uint64_t written_by(const IsaInst *in) {
    uint8_t regs[ISA_MAX_DST_WORDS];
    uint64_t all = 0;
    for (int i = isa_writes(in, regs) - 1; i >= 0; i--) all |= 1ull << regs[i];
    return all;
}

// The instruction that writes an operand of `at`: the nearest one before it, else the last one of
// the program. -1: none writes it.
static int find_producer(const IsaProgram *p, int at, bool from_memory) {
    uint8_t regs[ISA_MAX_SRC_WORDS];
    uint64_t wanted = written_by(&p->insts[at]);
    for (int i = isa_reads(&p->insts[at], regs) - 1; i >= 0; i--) wanted |= 1ull << regs[i];
    const unsigned preds = isa_pred_reads(&p->insts[at]);
    for (int step = 1; step < p->ninsts; step++) {
        const int i = (at - step + p->ninsts) % p->ninsts;
        const IsaInst *in = &p->insts[i];
        const bool feeds = written_by(in) & wanted || isa_pred_writes(in) & preds;
        if (feeds && is_from_memory(in) == from_memory) return i;
    }
    return -1;
}

// The instruction of the line with most of that class.
static int find_waiting(const ProfileKernel *k, const ProfileLine *l, CounterId what) {
    int most = l->first;
    for (int i = 0; i < k->program->ninsts; i++)
        if (k->program->insts[i].ptx_line == l->line &&
            k->rows[i].classes[what - CTR_ISSUED] > k->rows[most].classes[what - CTR_ISSUED])
            most = i;
    return most;
}

// The nearest instruction before `at` that reads a register which `at` overwrites. -1: none reads
// it.
static int find_reader(const IsaProgram *p, int at) {
    const uint64_t written = written_by(&p->insts[at]);
    for (int i = at - 1; i >= 0; i--) {
        uint8_t regs[ISA_MAX_SRC_WORDS];
        for (int r = isa_reads(&p->insts[i], regs) - 1; r >= 0; r--)
            if (written >> regs[r] & 1) return i;
    }
    return -1;
}

static double flight_each(const LineCounts *c) {
    return summary_ratio(c->flight_alu + c->flight_mem, c->issued);
}

static const char *load_words(const ProfileKernel *k, int waiting, Arena *arena) {
    const int made = find_producer(k->program, waiting, true);
    if (made < 0) return "waits for memory";
    const LineCounts *c = &k->rows[made];
    const IsaInst *in = &k->program->insts[made];
    return arena_printf(
        arena, "waits for %s of line %d: %.1f lines each, %.0f %% of them from L2, %.0f cycles",
        isa_op_info[in->op].name, in->ptx_line, summary_ratio(c->lines, c->issued),
        100 * summary_ratio(c->missed, c->lines), flight_each(c));
}

// A wait longer than the producer takes is for a collector that has not read the old value.
static const char *register_words(const ProfileKernel *k, int waiting, CounterId what,
                                  Arena *arena) {
    const IsaProgram *p = k->program;
    const LineCounts *c = &k->rows[waiting];
    const int made = find_producer(p, waiting, false), reader = find_reader(p, waiting);
    const double waits = summary_ratio(c->classes[what - CTR_ISSUED], c->issued);
    if (reader >= 0 && (made < 0 || waits > flight_each(&k->rows[made])))
        return arena_printf(arena, "waits until %s of line %d has read the register that it writes",
                            isa_op_info[p->insts[reader].op].name, p->insts[reader].ptx_line);
    if (made < 0) return "waits for a register";
    return arena_printf(arena, "waits for %s of line %d, %.0f cycles from issue to result",
                        isa_op_info[p->insts[made].op].name, p->insts[made].ptx_line,
                        flight_each(&k->rows[made]));
}

static const char *full_words(const LineCounts *c, Arena *arena) {
    if (!c->lines)
        return arena_printf(arena, "finds shared memory busy: %.1f conflict cycles each",
                            summary_ratio(c->shared_conflicts, c->issued));
    return arena_printf(arena, "finds the memory system full: %.1f lines each",
                        summary_ratio(c->lines, c->issued));
}

static const char *unit_words(const LineCounts *c, const char *unit, Arena *arena) {
    return arena_printf(arena, "finds no collector free for %s; %.2f bank conflicts each", unit,
                        summary_ratio(c->read_conflicts, c->issued));
}

static const char *reason_words(const ProfileKernel *k, const ProfileLine *l, CounterId what,
                                Arena *arena) {
    const LineCounts *c = &l->of;
    switch (what) {
    case CTR_ISSUED: return "issues often and never waits";
    case CTR_STALL_RAW_LONG: return load_words(k, find_waiting(k, l, what), arena);
    case CTR_STALL_RAW_SHORT: return register_words(k, find_waiting(k, l, what), what, arena);
    case CTR_STALL_ORDER: return "waits for an older access of its warp, still in a collector";
    case CTR_STALL_PIPE:
        return arena_printf(arena, "finds the address pipe full: %.1f requests each",
                            summary_ratio(c->requests, c->issued));
    case CTR_STALL_MEMORY: return full_words(c, arena);
    case CTR_STALL_LDST: return unit_words(c, "LD/ST", arena);
    case CTR_STALL_SFU: return unit_words(c, "SFU", arena);
    case CTR_STALL_SP: return unit_words(c, "SP", arena);
    case CTR_STALL_IBUFFER: return "waits for its fetch: its line of code, or a branch to it";
    case CTR_STALL_BARRIER: return "waits at a barrier for other warps";
    case CTR_STALL_SECTION: return "waits for registers of the shared pool";
    case CTR_STALL_ROW: return "waits for a free physical register";
    default: return profile_class_name(what, arena);
    }
}

const char *profile_words(const ProfileKernel *k, const ProfileLine *l, Arena *arena) {
    const LineCounts *c = &l->of;
    const CounterId what = profile_reason(c);
    const uint64_t cycles = what == CTR_ISSUED ? 0 : c->classes[what - CTR_ISSUED];
    const char *words = reason_words(k, l, what, arena);
    if (cycles)
        words = arena_printf(arena, "%.0f %%: %s", 100 * summary_ratio(cycles, l->cost), words);
    if (c->issued && c->lanes < 28 * c->issued)
        words =
            arena_printf(arena, "%s; %.1f lanes of 32", words, summary_ratio(c->lanes, c->issued));
    return words;
}
