// SPDX-License-Identifier: Apache-2.0
#include "report/energy.h"

const EnergyConstant energy_constants[ENERGY_COUNT] = {
#define ENERGY(id, value, unit, meaning, source) {#id, value, unit, meaning, source},
#include "report/energy.def"
#undef ENERGY
};

static double constant(EnergyId id) { return energy_constants[id].value; }

Energy energy_of(const Counters *c, int registers) {
    const uint64_t *v = c->v;
    double seconds = (double)v[CTR_CYCLES] / (constant(ENERGY_CLOCK) * 1e6);
    bool renamed = v[CTR_PHYS_USED] > 0;
    double used = renamed && v[CTR_CYCLES]
                      ? (double)v[CTR_PHYS_USED] / ((double)v[CTR_CYCLES] * registers) : 1.0;
    Energy e = {
        .dynamic = (double)(v[CTR_RF_READS] + v[CTR_RF_WRITES]) * constant(ENERGY_RF_ACCESS) * 1e-3,
        .leakage = used * constant(ENERGY_RF_LEAKAGE) * 1e6 * seconds,  // mW s = 1e6 nJ
    };
    if (renamed) {
        e.dynamic_added = (double)(v[CTR_RT_LOOKUPS] + v[CTR_RT_UPDATES]) * constant(ENERGY_RT_ACCESS) * 1e-3 +
                          constant(ENERGY_LOGIC_POWER) * 1e6 * seconds;
        e.leakage_added = (constant(ENERGY_RT_LEAKAGE) + constant(ENERGY_LOGIC_LEAKAGE)) * 1e6 * seconds;
    }
    return e;
}
