// SPDX-License-Identifier: Apache-2.0
// Text with a limit, and the words that explanations of errors, hangs and mismatches share.
#ifndef SMCOSIM_SM_LISTENERS_TEXT_H
#define SMCOSIM_SM_LISTENERS_TEXT_H

#include "cosim/cosim.h"
#include "sm/parts/explain_inst.h"

void text_collector(Text *t, const Sm *sm, int slot);  // "collector 3: warp 7, pc 12 ..."
// Text about a 1024-bit row: lanes, slice, values.
void text_first_byte(Text *t, const Mismatch *m);
// Flight of a collector, NULL when it is free.
const Flight *text_flight(const Sm *sm, int slot);
static inline int text_lowest_difference(const Mismatch *m) {
    uint32_t differ = m->expected[0] ^ m->actual[0];
    return differ ? __builtin_ctz(differ) : 0;
}

#endif
