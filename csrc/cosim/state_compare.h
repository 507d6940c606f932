// SPDX-License-Identifier: Apache-2.0
// Comparison of a golden model with its RTL, for harnesses other than Cosim too.
#ifndef SMCOSIM_COSIM_COMPARE_H
#define SMCOSIM_COSIM_COMPARE_H

#include "cosim/cosim.h"
#include "cosim/ports.h"
#include "cosim/shim/shim.h"

#include <stdio.h>

// First differing element in the order of the port table, by comparison class; false with it in *m.
// Of a module without observation ports the outputs for counters are not there.
bool compare_ports(const char *block, const Port *ports, int nports, const ShimApi *shim,
                   const void *golden_out, const void *rtl_out, Mismatch *m);

// Expected and actual value, of a row with the words and lanes that differ: indented lines.
void mismatch_print_value(FILE *f, const Mismatch *m);

#endif
