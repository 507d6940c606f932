// SPDX-License-Identifier: Apache-2.0
// Numbers of a comparison: of a kernel over its runs, and means over kernels.
#include "report/compare_report.h"

#include <math.h>

// ---- the rows of the table ----

static double ratio_of(double a, double b) { return b > 0 ? a / b : NAN; }
static double counter_ratio(const Counters *c, CounterId what, CounterId of) {
    return ratio_of((double)c->v[what], (double)c->v[of]);
}
#define MEASURE(name, expression) \
    double compare_##name(const Counters *c, const MachineConfig *cfg) { \
        (void)cfg; \
        return expression; \
    }
#define ROW(name, expression) static MEASURE(name, expression)
MEASURE(cycles, (double)c->v[CTR_CYCLES])
MEASURE(ipc, counter_ratio(c, CTR_WARP_INSTS, CTR_CYCLES))
ROW(kcycles, (double)c->v[CTR_CYCLES] / 1e3)
MEASURE(reads, counter_ratio(c, CTR_RF_READS, CTR_WARP_INSTS))
MEASURE(writes, counter_ratio(c, CTR_RF_WRITES, CTR_WARP_INSTS))
ROW(conflicts, counter_ratio(c, CTR_RF_READ_CONFLICTS, CTR_WARP_INSTS))
ROW(registers, counter_ratio(c, c->v[CTR_PHYS_USED] ? CTR_PHYS_USED : CTR_ARCH_USED, CTR_CYCLES))
ROW(bank_use, report_bank_use(c, cfg->rf_banks).mean)
ROW(busiest_bank, report_bank_use(c, cfg->rf_banks).most)
ROW(collector_waits,
    counter_ratio(c, CTR_STALL_SP, CTR_CYCLES) + counter_ratio(c, CTR_STALL_LDST, CTR_CYCLES))
ROW(sfu_waits, counter_ratio(c, CTR_STALL_SFU, CTR_CYCLES))
ROW(pipe_waits, counter_ratio(c, CTR_STALL_PIPE, CTR_CYCLES))
ROW(memory_waits, counter_ratio(c, CTR_STALL_MEMORY, CTR_CYCLES))
ROW(order_waits, counter_ratio(c, CTR_STALL_ORDER, CTR_CYCLES))
#undef ROW
#undef MEASURE
const CompareRow compare_rows[] = {
    {"k cycles", "kcycles", compare_kcycles},
    {"IPC", "ipc", compare_ipc},
    {"bank reads / inst", "bank_reads_per_instruction", compare_reads},
    {"bank writes / inst", "bank_writes_per_instruction", compare_writes},
    {"read conflicts / inst", "read_conflicts_per_instruction", compare_conflicts},
    {"accesses / bank, cycle", "accesses_per_bank_cycle", compare_bank_use},
    {"... of the busiest", "accesses_of_busiest_bank", compare_busiest_bank},
    {"registers in use", "registers_in_use", compare_registers},
    {"no collector / cycle", "no_collector_per_cycle", compare_collector_waits},
    {"SFU full / cycle", "sfu_full_per_cycle", compare_sfu_waits},
    {"address pipe / cycle", "address_pipe_per_cycle", compare_pipe_waits},
    {"memory full / cycle", "memory_full_per_cycle", compare_memory_waits},
    {"memory order / cycle", "memory_order_per_cycle", compare_order_waits}};
const int compare_nrows = sizeof compare_rows / sizeof *compare_rows;

// ---- a kernel over its runs ----

static bool cell_passed(const Compare *c, int launch, int arch) {
    for (int r = 0; r < c->nruns; r++)
        if (compare_run(c, r, launch, arch)->status != EXIT_PASS) return false;
    return true;
}

const LaunchReport *compare_worst(const Compare *c, int launch, int arch) {
    for (int r = 0; r < c->nruns; r++)
        if (compare_run(c, r, launch, arch)->status != EXIT_PASS)
            return compare_run(c, r, launch, arch);
    return compare_cell(c, launch, arch);
}

bool compare_passed(const Compare *c, int launch) {
    for (int a = 0; a < c->narchs; a++)
        if (!cell_passed(c, launch, a)) return false;
    return true;
}

const char *compare_launch_name(const Compare *c, int launch) {
    const LaunchReport *l = compare_cell(c, launch, 0);
    return l->name && *l->name ? l->name : l->path;
}

bool compare_is_float(const Compare *c, int launch) {
    const uint64_t *v = compare_cell(c, launch, 0)->counters.v;
    return (double)v[CTR_FLOAT_INSTS] >= COMPARE_FLOAT_SHARE * (double)v[CTR_WARP_INSTS];
}

static double value_of(const Compare *c, CompareMeasure *of, int run, int launch, int arch) {
    return of(&compare_run(c, run, launch, arch)->counters, c->columns[arch].cfg);
}

// invert: the first architecture's over this one's.
static double ratio_in_run(const Compare *c, CompareMeasure *of, int run, int launch, int arch,
                           bool invert) {
    const double v = value_of(c, of, run, launch, arch), base = value_of(c, of, run, launch, 0);
    return invert ? ratio_of(base, v) : ratio_of(v, base);
}

static const Interval none = {NAN, NAN, NAN, 0};

// All runs of the cell count, or none does.
static Interval over_runs(const double *values, int n) {
    for (int r = 0; r < n; r++)
        if (!isfinite(values[r])) return none;
    return interval_of(values, n, INTERVAL_ARITHMETIC);
}

Interval compare_value(const Compare *c, CompareMeasure *of, int launch, int arch) {
    double values[c->nruns];
    if (!cell_passed(c, launch, arch)) return none;
    for (int r = 0; r < c->nruns; r++) values[r] = value_of(c, of, r, launch, arch);
    return over_runs(values, c->nruns);
}

static Interval ratio_over_runs(const Compare *c, CompareMeasure *of, int launch, int arch,
                                bool invert) {
    double values[c->nruns];
    if (!cell_passed(c, launch, arch) || !cell_passed(c, launch, 0)) return none;
    for (int r = 0; r < c->nruns; r++) values[r] = ratio_in_run(c, of, r, launch, arch, invert);
    return over_runs(values, c->nruns);
}

Interval compare_ratio(const Compare *c, CompareMeasure *of, int launch, int arch) {
    return ratio_over_runs(c, of, launch, arch, false);
}

Interval compare_speedup(const Compare *c, int launch, int arch) {
    return ratio_over_runs(c, compare_cycles, launch, arch, true);
}

Interval compare_metric(const Compare *c, const Metric *m, int launch, int arch) {
    double values[c->nruns];
    if (!cell_passed(c, launch, arch)) return none;
    for (int r = 0; r < c->nruns; r++)
        values[r] =
            metric_value(m, &compare_run(c, r, launch, arch)->counters, c->columns[arch].cfg);
    return over_runs(values, c->nruns);
}

double compare_moves(const Compare *c, int launch) {
    double values[c->nruns];
    if (!cell_passed(c, launch, 0)) return NAN;
    for (int r = 0; r < c->nruns; r++) values[r] = value_of(c, compare_cycles, r, launch, 0);
    return interval_moves(values, c->nruns);
}

// ---- means over kernels ----

// Geometric means over kernels of each run, then their interval.
static Interval mean_over_runs(const Compare *c, CompareMeasure *of, int arch, bool invert) {
    double means[c->nruns], ratios[c->nlaunches];
    for (int r = 0; r < c->nruns; r++) {
        for (int l = 0; l < c->nlaunches; l++) {
            const bool passed = cell_passed(c, l, arch) && cell_passed(c, l, 0);
            ratios[l] = passed ? ratio_in_run(c, of, r, l, arch, invert) : NAN;
        }
        means[r] = interval_of(ratios, c->nlaunches, INTERVAL_GEOMETRIC).mean;
    }
    return over_runs(means, c->nruns);
}

static Interval mean_over_kernels(const Compare *c, CompareMeasure *of, int arch, bool invert) {
    double ratios[c->nlaunches];
    for (int l = 0; l < c->nlaunches; l++) ratios[l] = ratio_over_runs(c, of, l, arch, invert).mean;
    return interval_of(ratios, c->nlaunches, INTERVAL_GEOMETRIC);
}

int compare_means(const Compare *c, Arena *arena, CompareMean **means) {
    static const struct {
        const char *name, *id;
        CompareMeasure *of;
        bool invert;
    } kinds[] = {{"speed-up", "speedup", compare_cycles, true},
                 {"IPC", "ipc", compare_ipc, false},
                 {"bank reads / inst", "bank_reads_per_instruction", compare_reads, false},
                 {"bank writes / inst", "bank_writes_per_instruction", compare_writes, false}};
    int n = 0, cap = 0;
    *means = NULL;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int a = 1; a < c->narchs; a++)
            *ARENA_PUSH(arena, *means, n, cap) =
                (CompareMean){.name = kinds[k].name,
                              .id = kinds[k].id,
                              .arch = a,
                              .kernels = mean_over_kernels(c, kinds[k].of, a, kinds[k].invert),
                              .runs = mean_over_runs(c, kinds[k].of, a, kinds[k].invert)};
    return n;
}

// The covariance of two lists over their numbers, times their count; both have a number or neither.
static double spread_of(const double *x, const double *y, int n) {
    const double mx = interval_of(x, n, INTERVAL_ARITHMETIC).mean,
                 my = interval_of(y, n, INTERVAL_ARITHMETIC).mean;
    double sum = 0;
    for (int i = 0; i < n; i++)
        if (isfinite(x[i])) sum += (x[i] - mx) * (y[i] - my);
    return sum;
}

double compare_correlation(const Compare *c, int arch) {
    const int n = c->nlaunches;
    double x[n], y[n];
    for (int l = 0; l < n; l++) {
        x[l] = compare_metric(c, c->scatter, l, 0).mean;
        y[l] = compare_speedup(c, l, arch).mean;
        if (!isfinite(x[l]) || !isfinite(y[l])) x[l] = y[l] = NAN;
    }
    const double xx = spread_of(x, x, n), yy = spread_of(y, y, n);
    const bool known = interval_of(x, n, INTERVAL_ARITHMETIC).n >= 3 && xx > 0 && yy > 0;
    return known ? spread_of(x, y, n) / sqrt(xx * yy) : NAN;
}
