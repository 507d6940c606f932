// SPDX-License-Identifier: Apache-2.0
// Figures of the thesis, chapters 2 (register packing, CORF, CORF++) and 3 (operand bypassing),
// from counters of the runs.
// A figure is a list of series. A series uses one architecture, and `baseline` if it requires a
// baseline. It has one number per launch. Means are arithmetic; means of IPC are harmonic as in the
// paper.
#include "report/compare_report.h"

#include "counters/energy.h"

#include <math.h>
#include <string.h>

typedef double Measure(const Compare *c, const LaunchReport *l, const LaunchReport *base);

static double share_of(uint64_t a, uint64_t b) { return b ? 100.0 * (double)a / (double)b : NAN; }
static double counter_value(const LaunchReport *l, CounterId id) {
    return (double)l->counters.v[id];
}
static int registers_of(const Compare *c) { return c->cfg->rf_banks * c->cfg->rf_entries; }

static double width_share(const LaunchReport *l, int bytes) {
    const uint64_t *v = l->counters.v;
    uint64_t all = 0;
    for (int i = 0; i < 4; i++) all += v[CTR_OPERANDS_1B + i] + v[CTR_RESULTS_1B + i];
    return share_of(v[CTR_OPERANDS_1B + bytes - 1] + v[CTR_RESULTS_1B + bytes - 1], all);
}
#define WIDTH(n) \
    static double width_##n(const Compare *c, const LaunchReport *l, const LaunchReport *b) { \
        (void)c, (void)b; \
        return width_share(l, n); \
    }
WIDTH(1)
WIDTH(2)
WIDTH(3)
WIDTH(4)

static double fit_share(const Compare *c, const LaunchReport *l, const LaunchReport *base) {
    (void)c, (void)base;
    return share_of(l->counters.v[CTR_MULTI_FIT], l->counters.v[CTR_MULTI_OPERAND]);
}
static double coalesced_share(const Compare *c, const LaunchReport *l, const LaunchReport *base) {
    (void)c, (void)base;
    return share_of(l->counters.v[CTR_COALESCED], l->counters.v[CTR_MULTI_OPERAND]);
}
static double paired_share(const Compare *c, const LaunchReport *l, const LaunchReport *base) {
    (void)c, (void)base;
    return share_of(l->counters.v[CTR_PAIR_FIT],
                    l->counters.v[CTR_PAIR_FIT] + l->counters.v[CTR_PAIR_MISSED]);
}
static double access_savings(const Compare *c, const LaunchReport *l, const LaunchReport *base) {
    (void)c;
    double then = counter_value(base, CTR_RF_READS) + counter_value(base, CTR_RF_WRITES);
    return 100 * (1 - (counter_value(l, CTR_RF_READS) + counter_value(l, CTR_RF_WRITES)) / then);
}
static double ipc_of(const LaunchReport *l) {
    return counter_value(l, CTR_WARP_INSTS) / counter_value(l, CTR_CYCLES);
}
static double ipc_gain(const Compare *c, const LaunchReport *l, const LaunchReport *base) {
    (void)c;
    return 100 * (ipc_of(l) / ipc_of(base) - 1);
}
static double allocation_savings(const Compare *c, const LaunchReport *l,
                                 const LaunchReport *base) {
    (void)c, (void)base;
    return 100 * (1 - counter_value(l, CTR_PHYS_USED) / counter_value(l, CTR_ARCH_USED));
}
static double dynamic_energy(const Compare *c, const LaunchReport *l, const LaunchReport *base) {
    Energy e = energy_of(&l->counters, registers_of(c)),
           then = energy_of(&base->counters, registers_of(c));
    return 100 * (1 - (e.dynamic + e.dynamic_added) / then.dynamic);
}
static double leakage_energy(const Compare *c, const LaunchReport *l, const LaunchReport *base) {
    Energy e = energy_of(&l->counters, registers_of(c)),
           then = energy_of(&base->counters, registers_of(c));
    return 100 * (1 - (e.leakage + e.leakage_added) / then.leakage);
}
static double code_size(const Compare *c, const LaunchReport *l, const LaunchReport *base) {
    (void)c;
    int now = 0, then = 0;
    for (int i = 0; i < l->nkernels; i++) now += l->kernels[i].insts;
    for (int i = 0; i < base->nkernels; i++) then += base->kernels[i].insts;
    return then ? 100.0 * (now - then) / then : NAN;
}
static double size_changes(const Compare *c, const LaunchReport *l, const LaunchReport *base) {
    (void)c, (void)base;
    return share_of(l->counters.v[CTR_ALLOC_GROW], l->counters.v[CTR_RF_WRITES]);
}

// Of windows of 2 to 7 instructions (stats.reuse), and instructions by their number of sources.
static double reuse_share(const LaunchReport *l, CounterId first, int window, CounterId of) {
    return share_of(l->counters.v[first + (unsigned)window - 2], l->counters.v[of]);
}
#define WINDOW(n) \
    static double hits_##n(const Compare *c, const LaunchReport *l, const LaunchReport *b) { \
        (void)c, (void)b; \
        return reuse_share(l, CTR_REUSE_HITS_2, n, CTR_REUSE_SOURCES); \
    } \
    static double bypassed_##n(const Compare *c, const LaunchReport *l, const LaunchReport *b) { \
        (void)c, (void)b; \
        return reuse_share(l, CTR_REUSE_BYPASSED_2, n, CTR_REUSE_RESULTS); \
    }
WINDOW(2)
WINDOW(3)
WINDOW(4)
WINDOW(5)
WINDOW(6)
WINDOW(7)
#define SOURCES(n) \
    static double sources_##n(const Compare *c, const LaunchReport *l, const LaunchReport *b) { \
        uint64_t all = 0; \
        (void)c, (void)b; \
        for (int i = 0; i < 4; i++) all += l->counters.v[CTR_REUSE_WITH_0 + i]; \
        return share_of(l->counters.v[CTR_REUSE_WITH_0 + n], all); \
    }
SOURCES(0)
SOURCES(1)
SOURCES(2)
SOURCES(3)

// Of bypassing collectors.
static double forwarded_share(const Compare *c, const LaunchReport *l, const LaunchReport *base) {
    (void)c, (void)base;
    return share_of(l->counters.v[CTR_BOW_FORWARDS], l->counters.v[CTR_BOW_SOURCES]);
}
static double unwritten_share(const Compare *c, const LaunchReport *l, const LaunchReport *base) {
    const uint64_t *v = l->counters.v;
    (void)c, (void)base;
    return v[CTR_BOW_RESULTS] ? 100 - share_of(v[CTR_RF_WRITES], v[CTR_BOW_RESULTS]) : NAN;
}
#define BITS(n) \
    static double bits_##n(const Compare *c, const LaunchReport *l, const LaunchReport *b) { \
        uint64_t all = 0; \
        (void)c, (void)b; \
        for (int i = 0; i < 4; i++) all += l->counters.v[CTR_BOW_BITS_00 + i]; \
        return share_of(l->counters.v[CTR_BOW_BITS_00 + n], all); \
    }
BITS(0)
BITS(1)
BITS(2)
BITS(3)
// More registers of the window in the collector than half of its rows, 2 of 4 per instruction.
static double fuller_share(const Compare *c, const LaunchReport *l, const LaunchReport *base) {
    uint64_t more = 0;
    (void)base;
    for (int i = CTR_BOW_ROWS_0 + 2 * c->cfg->bow_window + 1; i <= CTR_BOW_ROWS_28; i++)
        more += l->counters.v[i];
    return share_of(more, l->counters.v[CTR_BOW_WINDOW_CYCLES]);
}
// Cycles from entering a collector to dispatch, of an arithmetic instruction.
static double collection_cycles(const LaunchReport *l) {
    return counter_value(l, CTR_COLLECT_ALU) /
        (counter_value(l, CTR_EXEC_SP) + counter_value(l, CTR_EXEC_SFU));
}
static double collected_sooner(const Compare *c, const LaunchReport *l, const LaunchReport *base) {
    (void)c;
    return 100 * (1 - collection_cycles(l) / collection_cycles(base));
}
// Cycles in collection, of those from issue to the last write, of an arithmetic instruction.
static double collecting_share(const Compare *c, const LaunchReport *l, const LaunchReport *base) {
    (void)c, (void)base;
    return 100 * counter_value(l, CTR_COLLECT_ALU) / counter_value(l, CTR_FLIGHT_ALU);
}
static double bow_energy(const Compare *c, const LaunchReport *l, const LaunchReport *base) {
    // dynamic energy
    const Energy e = bow_energy_of(&l->counters, registers_of(c), c->cfg->oc_collectors, 0);
    return 100 *
        (1 -
         (e.dynamic + e.dynamic_added) /
             bow_energy_of(&base->counters, registers_of(c), 0, 0).dynamic);
}

typedef struct SeriesSpec {
    const char *name, *arch;
    Measure *measure;
    double paper, paper_int, paper_float;
} SeriesSpec;
typedef struct FigureSpec {
    const char *id, *title, *unit, *note;
    bool stacked, harmonic;
    SeriesSpec series[FIGURE_MAX_SERIES];
} FigureSpec;

#define P(x) (x), NAN, NAN
static const FigureSpec specs[] = {
    {"2.2",
     "Width of the registers accessed",
     "% of accesses",
     "all 32 lanes of operands, active lanes of results",
     true,
     false,
     {{"1 byte", "baseline", width_1, P(33)},
      {"2 bytes", "baseline", width_2, P(NAN)},
      {"3 bytes", "baseline", width_3, P(NAN)},
      {"4 bytes", "baseline", width_4, P(35)}}},
    {"2.4",
     "Passes with several operands whose reads could be, and are, one read",
     "% of multi-operand passes",
     "could fit: by the widths of the baseline's registers; firstfit: packing with coalescing of "
     "what happens to share one",
     false,
     false,
     {{"firstfit", "firstfit", coalesced_share, P(4)},
      {"could fit", "baseline", fit_share, P(69)}}},
    {"2.6",
     "Pairs chosen by the compiler that fit one physical register",
     "% of second registers",
     "",
     false,
     false,
     {{"corf", "corf", paired_share, P(80)}}},
    {"2.13",
     "Coalesced passes",
     "% of multi-operand passes",
     "",
     false,
     false,
     {{"firstfit", "firstfit", coalesced_share, P(4)},
      {"corf", "corf", coalesced_share, P(23)},
      {"corf++", "corf++", coalesced_share, P(48)}}},
    {"2.14",
     "Reduction of register file accesses",
     "%",
     "reads and writes",
     false,
     false,
     {{"corf", "corf", access_savings, 10, 12, 4.5},
      {"corf++", "corf++", access_savings, 23, 27, 9.9}}},
    {"2.15",
     "IPC improvement",
     "%",
     "metadata instructions cost cycles and are not counted; harmonic mean of IPC ratios",
     false,
     true,
     {{"corf", "corf", ipc_gain, 4, 4.9, 1.7}, {"corf++", "corf++", ipc_gain, 9, 10.5, 3.6}}},
    {"2.16",
     "Reduction of allocated physical registers",
     "%",
     "of registers per thread x resident warps, over time",
     false,
     false,
     {{"packing", "packing", allocation_savings, P(34)},
      {"rfv", "rfv", allocation_savings, P(35)},
      {"packing:rfv", "packing:rfv", allocation_savings, P(54)},
      {"corf++:rfv", "corf++:rfv", allocation_savings, P(54)}}},
    {"2.17",
     "Reduction of dynamic energy of the register file",
     "%",
     "added structures included",
     false,
     false,
     {{"corf", "corf", dynamic_energy, P(8.5)}, {"corf++", "corf++", dynamic_energy, P(17)}}},
    {"2.18",
     "Reduction of leakage energy of the register file",
     "%",
     "unused registers gated, added structures included",
     false,
     false,
     {{"packing", "packing", leakage_energy, P(33)},
      {"corf++:rfv", "corf++:rfv", leakage_energy, P(52)}}},
    {"2.19",
     "Increase of static code size",
     "%",
     "metadata instructions",
     false,
     false,
     {{"corf", "corf", code_size, P(1.3)},
      {"corf++", "corf++", code_size, P(NAN)},
      {"corf++:rfv", "corf++:rfv", code_size, P(NAN)}}},
    {"sizes",
     "Writes that move a register because its value grew",
     "% of writes",
     "section 2.6: less than 0.3 %",
     false,
     false,
     {{"packing", "packing", size_changes, P(0.3)}, {"corf++", "corf++", size_changes, P(0.3)}}},
};
enum { NSPECS = sizeof specs / sizeof *specs };

// Shown if the runs have their counters.
static const FigureSpec counted[] = {
    {"3.3 r",
     "Source registers that a window of a warp's last instructions holds",
     "% of sources",
     "",
     false,
     false,
     {{"IW 2", "baseline", hits_2, P(45)},
      {"IW 3", "baseline", hits_3, P(59)},
      {"IW 4", "baseline", hits_4, P(NAN)},
      {"IW 5", "baseline", hits_5, P(NAN)},
      {"IW 6", "baseline", hits_6, P(NAN)},
      {"IW 7", "baseline", hits_7, P(70)}}},
    {"3.3 w",
     "Results that need no place outside of it",
     "% of results",
     "an upper bound: it knows what is read later",
     false,
     false,
     {{"IW 2", "baseline", bypassed_2, P(35)},
      {"IW 3", "baseline", bypassed_3, P(52)},
      {"IW 4", "baseline", bypassed_4, P(NAN)},
      {"IW 5", "baseline", bypassed_5, P(NAN)},
      {"IW 6", "baseline", bypassed_6, P(NAN)},
      {"IW 7", "baseline", bypassed_7, P(NAN)}}},
    {"3.4",
     "Share of operand collection in the time from issue to finish",
     "%",
     "of arithmetic instructions",
     false,
     false,
     {{"baseline", "baseline", collecting_share, P(25)},
      {"bow", "bow", collecting_share, P(NAN)},
      {"bow-wr", "bow-wr", collecting_share, P(NAN)}}},
    {"3.8",
     "Instructions by their different source registers",
     "% of instructions",
     "",
     true,
     false,
     {{"none", "baseline", sources_0, P(NAN)},
      {"one", "baseline", sources_1, P(NAN)},
      {"two", "baseline", sources_2, P(NAN)},
      {"three or more", "baseline", sources_3, P(2)}}},
    {"bow r",
     "Sources that the collectors forward",
     "% of sources",
     "machine's window (bow.window)",
     false,
     false,
     {{"bow", "bow", forwarded_share, P(59)},
      {"bow-wb", "bow-wb", forwarded_share, P(NAN)},
      {"bow-wr", "bow-wr", forwarded_share, P(NAN)},
      {"bow-wr-half", "bow-wr-half", forwarded_share, P(NAN)}}},
    {"bow w",
     "Results that the register file never gets",
     "% of results",
     "",
     false,
     false,
     {{"bow-wb", "bow-wb", unwritten_share, P(NAN)},
      {"bow-wr", "bow-wr", unwritten_share, P(52)},
      {"bow-wr-half", "bow-wr-half", unwritten_share, P(NAN)}}},
    {"3.7",
     "Results by their write bits",
     "% of results",
     "",
     true,
     false,
     {{"nowhere", "bow-wr", bits_0, P(NAN)},
      {"register file", "bow-wr", bits_1, P(21)},
      {"collector", "bow-wr", bits_2, P(52)},
      {"both", "bow-wr", bits_3, P(27)}}},
    {"3.9",
     "Cycles of a collector with more than half of its rows in use",
     "% of cycles",
     "registers of the window",
     false,
     false,
     {{"bow-wb", "bow-wb", fuller_share, P(3)}, {"bow-wr", "bow-wr", fuller_share, P(NAN)}}},
    {"3.10",
     "IPC improvement",
     "%",
     "bow-nofwd: collectors per warp without forwarding; harmonic mean of IPC ratios",
     false,
     true,
     {{"bow", "bow", ipc_gain, P(11)},
      {"bow-wb", "bow-wb", ipc_gain, P(NAN)},
      {"bow-wr", "bow-wr", ipc_gain, P(13)},
      {"bow-nofwd", "bow-nofwd", ipc_gain, P(NAN)}}},
    {"3.11",
     "IPC improvement with half of the rows",
     "%",
     "",
     false,
     true,
     {{"bow-wr-half", "bow-wr-half", ipc_gain, P(11)}}},
    {"3.12",
     "Reduction of the cycles in operand collection",
     "%",
     "of arithmetic instructions, from entering a collector to dispatch",
     false,
     false,
     {{"bow", "bow", collected_sooner, P(60)},
      {"bow-wr", "bow-wr", collected_sooner, P(NAN)},
      {"bow-nofwd", "bow-nofwd", collected_sooner, P(NAN)}}},
    {"3.13",
     "Reduction of dynamic energy of the register file, operand bypassing",
     "%",
     "added structures included",
     false,
     false,
     {{"bow", "bow", bow_energy, P(36)},
      {"bow-wr", "bow-wr", bow_energy, P(55)},
      {"bow-wr-half", "bow-wr-half", bow_energy, P(NAN)}}},
};
enum { NCOUNTED = sizeof counted / sizeof *counted };

int compare_arch(const Compare *c, const char *name) {
    for (int a = 0; a < c->narchs; a++)
        if (!strcmp(c->archs[a], name)) return a;
    return -1;
}

bool compare_is_float(const Compare *c, int launch) {
    const LaunchReport *l = compare_cell(c, launch, 0);
    return counter_value(l, CTR_FLOAT_INSTS) >=
        COMPARE_FLOAT_SHARE * counter_value(l, CTR_WARP_INSTS);
}

// which: 0 all, 1 integer, 2 floating point. Improvements in percent average as ratios when
// harmonic.
static double series_mean(const Compare *c, const FigureSeries *s, int which, bool harmonic) {
    double sum = 0;
    int n = 0;
    for (int i = 0; i < c->nlaunches; i++) {
        if (isnan(s->value[i]) || (which && compare_is_float(c, i) != (which == 2))) continue;
        sum += harmonic ? 1 / (1 + s->value[i] / 100) : s->value[i];
        n++;
    }
    if (!n) return NAN;
    return harmonic ? 100 * (n / sum - 1) : sum / n;
}

// False: its architecture is not there, or no value although it must have one.
static bool make_series(const Compare *c, const FigureSpec *f, const SeriesSpec *spec, bool must,
                        Arena *arena, FigureSeries *s) {
    int arch = compare_arch(c, spec->arch), base = compare_arch(c, "baseline"), numbers = 0;
    if (arch < 0 || base < 0) return false;
    *s = (FigureSeries){.name = spec->name,
                        .arch = spec->arch,
                        .paper = spec->paper,
                        .paper_int = spec->paper_int,
                        .paper_float = spec->paper_float,
                        .value = ARENA_ARRAY(arena, double, c->nlaunches)};
    for (int i = 0; i < c->nlaunches; i++) {
        const double v = compare_passed(c, i)
            ? spec->measure(c, compare_cell(c, i, arch), compare_cell(c, i, base))
            : NAN;
        s->value[i] = isfinite(v) ? v : NAN;
        numbers += isfinite(v);
    }
    s->mean = series_mean(c, s, 0, f->harmonic);
    s->mean_int = series_mean(c, s, 1, f->harmonic);
    s->mean_float = series_mean(c, s, 2, f->harmonic);
    return numbers || !must;
}

int compare_figures(const Compare *c, Arena *arena, Figure **figures) {
    *figures = ARENA_ARRAY(arena, Figure, NSPECS + NCOUNTED);
    int n = 0;
    for (int i = 0; i < NSPECS + NCOUNTED; i++) {
        const FigureSpec *spec = i < NSPECS ? &specs[i] : &counted[i - NSPECS];
        Figure *f = &(*figures)[n];
        *f = (Figure){.id = spec->id,
                      .title = spec->title,
                      .unit = spec->unit,
                      .note = spec->note,
                      .stacked = spec->stacked};
        for (int k = 0; k < FIGURE_MAX_SERIES && spec->series[k].name; k++)
            if (make_series(c, spec, &spec->series[k], i >= NSPECS, arena, &f->series[f->nseries]))
                f->nseries++;
        n += f->nseries > 0;
    }
    return n;
}
