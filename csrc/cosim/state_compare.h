// SPDX-License-Identifier: Apache-2.0
// Comparison of a golden model with its RTL, also for harnesses other than Cosim.
#ifndef SMCOSIM_COSIM_COMPARE_H
#define SMCOSIM_COSIM_COMPARE_H

#include "cosim/cosim.h"
#include "cosim/ports.h"
#include "cosim/shim/shim.h"

#include <stdio.h>

// Finds the first differing element in the order of the port table, by comparison class; returns
// false with it in *m. A module without observation ports has no outputs for counters, which are
// then skipped.
bool compare_ports(const char *block, const Port *ports, int nports, const ShimApi *shim,
                   const void *golden_out, const void *rtl_out, Mismatch *m);

// Prints expected and actual value; of a row, the words and lanes that differ: indented lines.
void mismatch_print_value(FILE *f, const Mismatch *m);

#endif
