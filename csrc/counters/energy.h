// SPDX-License-Identifier: Apache-2.0
// Energy of the register file and of what an architecture adds to it, from counters and the
// constants of energy.def (thesis sections 2.7, 2.8; of operand bypassing chapter 3; the flexible
// scalar unit).
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

// registers: physical registers of the register file (for the share that is not gated off). A
// register without any byte in use is gated off when the architecture tracks that (PHYS_USED is
// counted).
Energy energy_of(const Counters *c, int registers);

// The same with the constants of the paper on operand bypassing: bank accesses; rows of the
// collectors read and written; the forwarding network for each access that the baseline would make.
// A run without bypassing collectors is its baseline: nothing is added. registers: of the register
// file; collectors: bypassing ones; rows: of one of them (leakage is in proportion to the paper's,
// which is of 12).
Energy bow_energy_of(const Counters *c, int registers, int collectors, int rows);
// Vector register file and scalar units, with the constants for the paper on the flexible scalar
// unit, which prints none: the bank accesses and leakage of energy_of at its machine's clock; words
// of scalar registers at their upper bound; leakage of the units where the run used them.
// registers: of the register file.
Energy scalar_energy_of(const Counters *c, int registers);

#endif
