// SPDX-License-Identifier: Apache-2.0
// The scalar unit executes warp instructions whose values are equal in all lanes (gcn.c).
#ifndef SMCOSIM_COMPILE_SCALAR_GCN_H
#define SMCOSIM_COMPILE_SCALAR_GCN_H

#include "isa/isa.h"

// The program with up to `most` scalar registers. Instructions that can use them are marked
// with_scalar; `loads` (scalar.loads, SCALAR_LOADS_*) selects the loads. Without such instructions
// the program is unchanged. scalar_note describes the result.
IsaProgram *gcn_assign(const IsaProgram *p, int most, int loads, Arena *arena);

#endif
