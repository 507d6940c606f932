// SPDX-License-Identifier: Apache-2.0
#include "corf.h"

#include "report/energy.h"

#include <math.h>

static double get(const CorfCell *c, CounterId id) { return (double)c->counters.v[id]; }
static double ratio(double a, double b) { return b > 0 ? a / b : NAN; }
static double percent(double a, double b) { return 100 * ratio(a, b); }
static double fall(double now, double then) { return 100 * (1 - ratio(now, then)); }

#define MEASURE(name) \
    double corf_##name(const CorfResults *r, const CorfCell *now, const CorfCell *base)
#define UNUSED_BUT_NOW (void)r, (void)base

// ---- widths ----

static double operands(const CorfCell *c) {
    double all = 0;
    for (int i = 0; i < 4; i++) all += get(c, (CounterId)(CTR_OPERANDS_1B + i));
    return all;
}
static double width(const CorfCell *c, int bytes) {
    double all = operands(c);
    for (int i = 0; i < 4; i++) all += get(c, (CounterId)(CTR_RESULTS_1B + i));
    return percent(get(c, (CounterId)(CTR_OPERANDS_1B + bytes - 1)) +
                       get(c, (CounterId)(CTR_RESULTS_1B + bytes - 1)),
                   all);
}
MEASURE(width1) { UNUSED_BUT_NOW; return width(now, 1); }
MEASURE(width2) { UNUSED_BUT_NOW; return width(now, 2); }
MEASURE(width3) { UNUSED_BUT_NOW; return width(now, 3); }
MEASURE(width4) { UNUSED_BUT_NOW; return width(now, 4); }
MEASURE(unused) {
    UNUSED_BUT_NOW;
    double bytes = 0;
    for (int i = 0; i < 4; i++) bytes += (i + 1) * get(now, (CounterId)(CTR_OPERANDS_1B + i));
    return fall(bytes, 4 * operands(now));
}

// ---- operands of one instruction ----

MEASURE(could) { UNUSED_BUT_NOW; return percent(get(now, CTR_MULTI_FIT), get(now, CTR_MULTI_OPERAND)); }
MEASURE(multi_insts) {
    UNUSED_BUT_NOW;
    return percent(get(now, CTR_MULTI_OPERAND), get(now, CTR_WARP_INSTS));
}
MEASURE(multi_reads) { UNUSED_BUT_NOW; return percent(get(now, CTR_MULTI_REGISTERS), operands(now)); }
MEASURE(coalesced) { UNUSED_BUT_NOW; return percent(get(now, CTR_COALESCED), get(now, CTR_MULTI_OPERAND)); }
MEASURE(coalesced_of_fit) { (void)r; return percent(get(now, CTR_COALESCED), get(base, CTR_MULTI_FIT)); }
MEASURE(pairs) {
    UNUSED_BUT_NOW;
    return percent(get(now, CTR_PAIR_FIT), get(now, CTR_PAIR_FIT) + get(now, CTR_PAIR_MISSED));
}
MEASURE(pairs_once) { UNUSED_BUT_NOW; return percent(get(now, CTR_PAIRS_FIT), get(now, CTR_PAIRS)); }

// ---- accesses, time, size, energy ----

static double accesses(const CorfCell *c) { return get(c, CTR_RF_READS) + get(c, CTR_RF_WRITES); }
// Physical registers in use; the baseline does not count them.
static double used(const CorfCell *c) { return get(c, CTR_PHYS_USED) > 0 ? get(c, CTR_PHYS_USED) : NAN; }
static double ipc(const CorfCell *c) { return ratio(get(c, CTR_WARP_INSTS), get(c, CTR_CYCLES)); }
MEASURE(accesses) { (void)r; return fall(accesses(now), accesses(base)); }
MEASURE(reads) { (void)r; return fall(get(now, CTR_RF_READS), get(base, CTR_RF_READS)); }
MEASURE(ipc) { UNUSED_BUT_NOW; return ipc(now); }
MEASURE(ipc_gain) { (void)r; return 100 * (ipc(now) / ipc(base) - 1); }
// The baseline is the first of its kernel's cells, so packing is not far.
MEASURE(to_packing) {
    int arch = corf_arch(r, "packing");
    return arch < 0 || now == base || now == base + arch ? NAN : 100 * (ipc(now) / ipc(base + arch) - 1);
}
MEASURE(ipc_ratio) { (void)r; return ipc(now) / ipc(base); }
MEASURE(read_ratio) { (void)r; return ratio(get(now, CTR_RF_READS), get(base, CTR_RF_READS)); }
MEASURE(allocated) { UNUSED_BUT_NOW; return fall(used(now), get(now, CTR_ARCH_USED)); }
MEASURE(size_ratio) { UNUSED_BUT_NOW; return ratio(used(now), get(now, CTR_ARCH_USED)); }
MEASURE(fill) { (void)now; return percent(get(base, CTR_ARCH_USED), get(base, CTR_CYCLES) * r->rows); }
MEASURE(energy_ratio) {
    Energy e = energy_of(&now->counters, r->rows), then = energy_of(&base->counters, r->rows);
    return ratio(e.dynamic + e.dynamic_added, then.dynamic);
}
MEASURE(dynamic) { return 100 * (1 - corf_energy_ratio(r, now, base)); }
MEASURE(leakage) {
    Energy e = energy_of(&now->counters, r->rows), then = energy_of(&base->counters, r->rows);
    return fall(e.leakage + e.leakage_added, then.leakage);
}
MEASURE(code) { UNUSED_BUT_NOW; return now->code; }
MEASURE(utilisation) { (void)base; return ratio(accesses(now), get(now, CTR_CYCLES) * r->banks); }
MEASURE(conflicts) {
    UNUSED_BUT_NOW;
    return percent(get(now, CTR_RF_READ_CONFLICTS),
                   get(now, CTR_RF_READ_CONFLICTS) + get(now, CTR_RF_READS));
}

// ---- renaming ----

MEASURE(growth) { UNUSED_BUT_NOW; return percent(get(now, CTR_ALLOC_GROW), get(now, CTR_RF_WRITES)); }
MEASURE(first) { UNUSED_BUT_NOW; return percent(get(now, CTR_ALLOC_FIRST), get(now, CTR_RF_WRITES)); }
MEASURE(shrink) { UNUSED_BUT_NOW; return percent(get(now, CTR_ALLOC_SHRINK), get(now, CTR_RF_WRITES)); }
MEASURE(growth_life) { UNUSED_BUT_NOW; return ratio(get(now, CTR_ALLOC_GROW), get(now, CTR_ALLOC_FIRST)); }
MEASURE(updates) { UNUSED_BUT_NOW; return percent(get(now, CTR_RT_UPDATES), get(now, CTR_RF_WRITES)); }
MEASURE(bound) { UNUSED_BUT_NOW; return percent(get(now, CTR_WIDTH_BOUND), get(now, CTR_RF_WRITES)); }
MEASURE(refused) {
    UNUSED_BUT_NOW;
    return percent(get(now, CTR_RT_CONFLICTS), get(now, CTR_RT_LOOKUPS));
}

// ---- what the schedulers did ----

double corf_scheduler(const CorfResults *r, int arch, CounterId id) {
    double sum = 0;
    for (int k = 0; k < r->nkernels; k++) {
        const CorfCell *c = corf_cell(r, k, arch);
        sum += percent(get(c, id), get(c, CTR_CYCLES) * r->schedulers);
    }
    return sum / r->nkernels;
}

// ---- means ----

static double forward(double v, CorfMean kind) {
    return kind == CORF_HARMONIC ? 1 / v : kind == CORF_HARMONIC_GAIN ? 1 / (1 + v / 100) : v;
}
static double back(double v, CorfMean kind) {
    return kind == CORF_HARMONIC ? 1 / v : kind == CORF_HARMONIC_GAIN ? 100 * (1 / v - 1) : v;
}

// Mean of the transformed values of one class.
static double plain(const CorfResults *r, int arch, CorfMeasure *measure, CorfMean kind,
                    CorfClass which) {
    double sum = 0;
    int n = 0;
    for (int k = 0; k < r->nkernels; k++) {
        double v = measure(r, corf_cell(r, k, arch), corf_cell(r, k, 0));
        if (isnan(v) || (which != CORF_ALL && r->is_float[k] != (which == CORF_FLOAT))) continue;
        sum += forward(v, kind);
        n++;
    }
    return n ? sum / n : NAN;
}

double corf_mean(const CorfResults *r, int arch, CorfMeasure *measure, CorfMean kind,
                 CorfClass which) {
    if (which != CORF_MIX) return back(plain(r, arch, measure, kind, which), kind);
    return back((15 * plain(r, arch, measure, kind, CORF_INT) +
                 5 * plain(r, arch, measure, kind, CORF_FLOAT)) / 20,
                kind);
}
