// SPDX-License-Identifier: Apache-2.0
// Verilated variants as files; used by the harness and by the tool that builds the presets' variants.
#ifndef SMCOSIM_COSIM_VARIANT_H
#define SMCOSIM_COSIM_VARIANT_H

#include "cosim/ports.h"

typedef struct VariantRequest {
    const BlockDesc *desc;
    const int *params;
    bool testbug;           // with seeded faults compiled in
    const char *data_dir;
    const char *out_dir;    // where it is made when data_dir/variants has none; NULL: there
} VariantRequest;

// Path of the shared object, made first when needed. NULL after EXIT_USAGE (the RTL does not fit or
// does not compile) or EXIT_ENVIRONMENT (tool missing).
char *variant_path(Arena *arena, const VariantRequest *r, Diag *d);

#endif
