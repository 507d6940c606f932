// SPDX-License-Identifier: Apache-2.0
// The scalar unit as the warps' own: what is the same in all lanes goes to it (gcn.c).
#ifndef SMCOSIM_COMPILE_SCALAR_GCN_H
#define SMCOSIM_COMPILE_SCALAR_GCN_H

#include "isa/isa.h"

// The program with up to `most` scalar registers, and the instructions that can marked with_scalar,
// loads among them as scalar.loads (SCALAR_LOADS_*) says; as it was where there are none.
// scalar_note says what was done.
IsaProgram *gcn_assign(const IsaProgram *p, int most, int loads, Arena *arena);

#endif
