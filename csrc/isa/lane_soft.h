// SPDX-License-Identifier: Apache-2.0
// Binary floating point by integers, for directed rounding and conversions (private to csrc/isa).
#ifndef SMCOSIM_ISA_LANE_SOFT_H
#define SMCOSIM_ISA_LANE_SOFT_H

#include "isa/isa.h"

typedef unsigned __int128 LaneU128;

typedef enum SoftClass { SOFT_ZERO, SOFT_FINITE, SOFT_INF, SOFT_NAN } SoftClass;

// FINITE: value = (-1)^neg * m * 2^exp, m with its top bit at bit 63.
typedef struct Soft {
    SoftClass class;
    bool neg;
    int exp;
    uint64_t m;
} Soft;

// `type` is a floating-point type without pairs; bits above its width are ignored. A tf32 has 19
// bits here. An e4m3 has no infinity: its NaN represents one.
Soft soft_unpack(IsaType type, uint64_t bits);
// Nearest value of `type` to (-1)^neg * (m + a little, if sticky) * 2^exp in rounding mode rnd (RN
// RZ RM RP RNA). The significand m is not zero. If sticky, m has at least two bits more than the
// significand of `type`.
uint64_t soft_pack(IsaType type, bool neg, int exp, LaneU128 m, bool sticky, IsaRound rnd);
uint64_t soft_inf(IsaType type, bool neg);
uint64_t soft_zero(IsaType type, bool neg);

#endif
