// SPDX-License-Identifier: Apache-2.0
#include "counters/energy.h"

const EnergyConstant energy_constants[ENERGY_COUNT] = {
#define ENERGY(id, value, unit, meaning, source) {#id, value, unit, meaning, source},
#include "counters/energy.def"
#undef ENERGY
};

static double constant_of(EnergyId id) { return energy_constants[id].value; }

static double bank_accesses(const Counters *c) {
    return (double)(c->v[CTR_RF_READS] + c->v[CTR_RF_WRITES]);
}

Energy energy_of(const Counters *c, int registers) {
    const uint64_t *v = c->v;
    double seconds = (double)v[CTR_CYCLES] / (constant_of(ENERGY_CLOCK) * 1e6);
    bool renamed = v[CTR_PHYS_USED] > 0;
    double used = renamed && v[CTR_CYCLES]
        ? (double)v[CTR_PHYS_USED] / ((double)v[CTR_CYCLES] * registers)
        : 1.0;
    Energy e = {
        .dynamic = bank_accesses(c) * constant_of(ENERGY_RF_ACCESS) * 1e-3,
        .leakage = used * constant_of(ENERGY_RF_LEAKAGE) * 1e6 * seconds,  // mW s = 1e6 nJ
    };
    if (renamed) {
        e.dynamic_added =
            (double)(v[CTR_RT_LOOKUPS] + v[CTR_RT_UPDATES]) * constant_of(ENERGY_RT_ACCESS) * 1e-3 +
            constant_of(ENERGY_LOGIC_POWER) * 1e6 * seconds;
        e.leakage_added =
            (constant_of(ENERGY_RT_LEAKAGE) + constant_of(ENERGY_LOGIC_LEAKAGE)) * 1e6 * seconds;
    }
    return e;
}

static uint64_t count_row_accesses(const Counters *c) {
    const uint64_t *v = c->v;
    if (!v[CTR_BOW_WINDOW_CYCLES]) return 0;
    return v[CTR_BOW_SOURCES] + v[CTR_RF_READS] + v[CTR_BOW_STORED] + v[CTR_BOW_THROUGH] +
        v[CTR_BOW_SAVES] + v[CTR_BOW_PRESSURE_SAVES];
}

Energy bow_energy_of(const Counters *c, int registers, int collectors, int rows) {
    const int paper_rows = 12;
    const uint64_t *v = c->v;
    const double seconds = (double)v[CTR_CYCLES] / (constant_of(ENERGY_BOW_CLOCK) * 1e6);
    Energy e = {
        .dynamic = bank_accesses(c) * constant_of(ENERGY_BOW_BANK) * 1e-3,
        .leakage = registers / 8.0 * constant_of(ENERGY_BOW_BANK_LEAKAGE) * 1e6 * seconds,
    };
    if (v[CTR_BOW_WINDOW_CYCLES]) {
        e.dynamic_added =
            ((double)count_row_accesses(c) * constant_of(ENERGY_BOW_ROW) +
             (double)(v[CTR_BOW_SOURCES] + v[CTR_BOW_RESULTS]) * constant_of(ENERGY_BOW_NETWORK)) *
            1e-3;
        e.leakage_added = collectors * rows * constant_of(ENERGY_BOW_COLLECTOR_LEAKAGE) /
            paper_rows * 1e6 * seconds;
    }
    return e;
}

Energy scalar_energy_of(const Counters *c, int registers) {
    const int paper_registers = 1024;  // 128 KB
    const uint64_t *v = c->v;
    const double seconds = (double)v[CTR_CYCLES] / (constant_of(ENERGY_SCALAR_CLOCK) * 1e6);
    Energy e = {
        .dynamic = bank_accesses(c) * constant_of(ENERGY_RF_ACCESS) * 1e-3,
        .leakage = constant_of(ENERGY_RF_LEAKAGE) * registers / paper_registers * 1e6 * seconds,
        .dynamic_added = (double)(v[CTR_SCALAR_RF_READS] + v[CTR_SCALAR_RF_WRITES]) *
            constant_of(ENERGY_SCALAR_WORD) * 1e-3,
    };
    if (v[CTR_SCALAR_INSTS]) e.leakage_added = e.leakage * constant_of(ENERGY_SCALAR_LEAKAGE) / 100;
    return e;
}
