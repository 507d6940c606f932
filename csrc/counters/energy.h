// SPDX-License-Identifier: Apache-2.0
// Energy of the register file and of an architecture's additional structures, from counters and the
// constants of energy.def. (Thesis sections 2.7 and 2.8; operand bypassing, chapter 3; the flexible
// scalar unit.)
#ifndef SMCOSIM_COUNTERS_ENERGY_H
#define SMCOSIM_COUNTERS_ENERGY_H

#include "counters/counters.h"

#include <stdbool.h>

typedef enum EnergyId {
#define ENERGY(id, value, unit, meaning, source) ENERGY_##id,
#include "counters/energy.def"
#undef ENERGY
    ENERGY_COUNT
} EnergyId;

typedef struct EnergyConstant {
    const char *id;
    double value;
    const char *unit, *meaning, *source;
} EnergyConstant;
extern const EnergyConstant energy_constants[ENERGY_COUNT];

// In nJ over the run. `added`: of the structures that the baseline does not have.
typedef struct Energy {
    double dynamic, dynamic_added, leakage, leakage_added;
} Energy;

// registers: physical registers of the register file (for the share that is not gated off). If the
// architecture tracks use (PHYS_USED is counted), a register without any byte in use is gated off.
Energy energy_of(const Counters *c, int registers);

// As energy_of, with the constants of the paper on operand bypassing. Counted are bank accesses,
// rows of the collectors read and written, and the forwarding network for each access that the
// baseline would make. A run without bypassing collectors is its baseline, with nothing added.
// `registers`: of the register file. `collectors`: bypassing collectors. `rows`: of one collector;
// leakage is in proportion to the paper's figure for 12 rows.
Energy bow_energy_of(const Counters *c, int registers, int collectors, int rows);
// Vector register file and scalar units, for the paper on the flexible scalar unit, which prints no
// constants. Bank accesses and leakage are those of energy_of at its machine's clock. Words of
// scalar registers count at their upper bound. Leakage of the units counts if the run used them.
// `registers`: of the register file.
Energy scalar_energy_of(const Counters *c, int registers);

#endif
