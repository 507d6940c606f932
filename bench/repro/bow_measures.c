// SPDX-License-Identifier: Apache-2.0
#include "bow.h"

#include "report/energy.h"

#include <math.h>

static double get(const Counters *c, CounterId id) { return (double)c->v[id]; }
static double percent(double a, double b) { return b > 0 ? 100 * a / b : NAN; }
static double each(double a, double b) { return b > 0 ? a / b : NAN; }
static double fall(double now, double then) { return 100 - percent(now, then); }

#define MEASURE(name) double bow_##name(const BowResults *r, const Counters *now, const Counters *base)
#define ONLY_NOW (void)r, (void)base
#define NO_MACHINE (void)r

MEASURE(ipc) { ONLY_NOW; return each(get(now, CTR_WARP_INSTS), get(now, CTR_CYCLES)); }
// No architecture here changes the number of instructions.
MEASURE(ipc_gain) { NO_MACHINE; return percent(get(base, CTR_CYCLES), get(now, CTR_CYCLES)) - 100; }

// ---- reads and writes ----

MEASURE(forwarded) { ONLY_NOW; return percent(get(now, CTR_BOW_FORWARDS), get(now, CTR_BOW_SOURCES)); }
MEASURE(held) { ONLY_NOW; return percent(get(now, CTR_BOW_FORWARDS_HELD), get(now, CTR_BOW_SOURCES)); }
MEASURE(again) { ONLY_NOW; return percent(get(now, CTR_BOW_READ_AGAIN), get(now, CTR_BOW_SOURCES)); }
// Of write-through: results of some lanes of a register that the collector does not hold go past it.
MEASURE(kept) { ONLY_NOW; return percent(get(now, CTR_BOW_THROUGH), get(now, CTR_BOW_RESULTS)); }
MEASURE(reads_saved) { NO_MACHINE; return fall(get(now, CTR_RF_READS), get(base, CTR_RF_READS)); }
MEASURE(writes_saved) { NO_MACHINE; return fall(get(now, CTR_RF_WRITES), get(base, CTR_RF_WRITES)); }
MEASURE(bank_use) {
    (void)base;
    return percent(get(now, CTR_RF_READS) + get(now, CTR_RF_WRITES), get(now, CTR_CYCLES) * r->banks);
}

double bow_listened(const Counters *c, int window, bool writes) {
    const int first = writes ? CTR_REUSE_BYPASSED_2 : CTR_REUSE_HITS_2;
    return percent(get(c, (CounterId)(first + window - 2)), get(c, writes ? CTR_REUSE_RESULTS : CTR_REUSE_SOURCES));
}

double bow_bits(const Counters *c, int bits) {
    double all = 0;
    for (int i = 0; i < 4; i++) all += get(c, (CounterId)(CTR_BOW_BITS_0 + i));
    return percent(get(c, (CounterId)(CTR_BOW_BITS_0 + bits)), all);
}

double bow_sources(const Counters *c, int n) {
    double all = 0;
    for (int i = 0; i < 4; i++) all += get(c, (CounterId)(CTR_REUSE_WITH_0 + i));
    return percent(get(c, (CounterId)(CTR_REUSE_WITH_0 + n)), all);
}

// ---- time in collection, cycles each ----

MEASURE(alu) { ONLY_NOW; return each(get(now, CTR_COLLECT_ALU), get(now, CTR_EXEC_SP) + get(now, CTR_EXEC_SFU)); }
MEASURE(ldst) { ONLY_NOW; return each(get(now, CTR_COLLECT_MEM), get(now, CTR_EXEC_LDST)); }
MEASURE(alu_share) { ONLY_NOW; return percent(get(now, CTR_COLLECT_ALU), get(now, CTR_FLIGHT_ALU)); }
MEASURE(ldst_share) { ONLY_NOW; return percent(get(now, CTR_COLLECT_MEM), get(now, CTR_FLIGHT_MEM)); }
MEASURE(alu_fall) { return fall(bow_alu(r, now, base), bow_alu(r, base, base)); }
MEASURE(ldst_fall) { return fall(bow_ldst(r, now, base), bow_ldst(r, base, base)); }

double bow_scheduler(const BowResults *r, const Counters *c, CounterId id) {
    return percent(get(c, id), get(c, CTR_CYCLES) * r->schedulers);
}

// ---- energy, with the paper's constants ----

static Energy energy_at(const BowResults *r, const Counters *c, int rows) {
    return bow_energy_of(c, r->banks * r->entries, r->warps, rows);
}
static Energy energy(const BowResults *r, const Counters *c) { return energy_at(r, c, 4 * r->window); }
MEASURE(dynamic_fall) {
    const Energy e = energy(r, now);
    return fall(e.dynamic + e.dynamic_added, energy(r, base).dynamic);
}
MEASURE(dynamic_added) { return percent(energy(r, now).dynamic_added, energy(r, base).dynamic); }
MEASURE(leakage_added) {
    (void)base;
    const Energy e = energy(r, now);
    return percent(e.leakage_added, e.leakage);
}

MEASURE(half_leakage_added) {
    (void)base;
    const Energy e = energy_at(r, now, 2 * r->window);
    return percent(e.leakage_added, e.leakage);
}

// ---- rows of the window, full size ----

static double window_rows(const Counters *c, int from) {
    double sum = 0;
    for (int n = from; n <= 28; n++) sum += get(c, (CounterId)(CTR_BOW_ROWS_0 + n));
    return sum;
}
MEASURE(fuller) { (void)base; return percent(window_rows(now, 2 * r->window + 1), window_rows(now, 0)); }
MEASURE(rows_mean) {
    ONLY_NOW;
    double sum = 0;
    for (int n = 1; n <= 28; n++) sum += window_rows(now, n);
    return each(sum, window_rows(now, 0));
}
MEASURE(rows_most) {
    ONLY_NOW;
    int n = 28;
    while (n > 0 && !now->v[CTR_BOW_ROWS_0 + n]) n--;
    return n;
}
MEASURE(reserved) { ONLY_NOW; return each(get(now, CTR_BOW_RESERVED_CYCLES), get(now, CTR_BOW_WINDOW_CYCLES)); }
MEASURE(held_rows) { ONLY_NOW; return each(get(now, CTR_BOW_HELD_CYCLES), get(now, CTR_BOW_WINDOW_CYCLES)); }

// ---- register file cache ----

static double stored(const Counters *c) {
    return get(c, CTR_RFC_ALLOCATED) + get(c, CTR_RFC_OVERWRITTEN) + get(c, CTR_RFC_MERGED);
}
MEASURE(cached) { ONLY_NOW; return percent(get(now, CTR_RFC_READS), get(now, CTR_RFC_READS) + get(now, CTR_RF_READS)); }
MEASURE(written_back) { ONLY_NOW; return percent(get(now, CTR_RFC_WRITTEN_BACK), stored(now)); }
MEASURE(cache_dead) { ONLY_NOW; return percent(get(now, CTR_RFC_DEAD), stored(now)); }

// ---- means ----

static double mean(const double *values, bool gains) {
    double sum = 0;
    int n = 0;
    for (int k = 0; k < BOW_PAPER; k++) {
        if (isnan(values[k])) continue;
        sum += gains ? 1 / (1 + values[k] / 100) : values[k];
        n++;
    }
    return !n ? NAN : gains ? 100 * (n / sum - 1) : sum / n;
}
double bow_mean_of(const double *values) { return mean(values, false); }
double bow_gain_mean(const double *gains) { return mean(gains, true); }

double bow_mean(const BowResults *r, const BowRun *run, const char *arch, BowMeasure *measure) {
    return bow_mean_to(r, run, arch, "baseline", measure);
}

double bow_mean_to(const BowResults *r, const BowRun *run, const char *arch, const char *base, BowMeasure *measure) {
    double values[BOW_PAPER];
    for (int k = 0; k < BOW_PAPER; k++) values[k] = measure(r, bow_cell(run, k, arch), bow_cell(run, k, base));
    return mean(values, measure == bow_ipc_gain);
}
