// SPDX-License-Identifier: Apache-2.0
// Parameters by name: `enum { <NAME>_PARAMS(BLOCK_INDEX) };` in a file about one block makes
// params[P_Banks] the value of the row Banks of its table. A last enumerator PARAMS is their
// number. Beside block.h, because the glue of the Verilated modules, which includes that, needs no
// positions.
#ifndef SMCOSIM_MODELS_PARAMS_H
#define SMCOSIM_MODELS_PARAMS_H

#define BLOCK_INDEX(name, standard, least, most, key, meaning) P_##name,

#endif
