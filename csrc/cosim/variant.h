// SPDX-License-Identifier: Apache-2.0
// Verilated variants as files, for the harness and for the tool that builds the presets' variants.
#ifndef SMCOSIM_COSIM_VARIANT_H
#define SMCOSIM_COSIM_VARIANT_H

#include "cosim/ports.h"
#include "cosim/shim/runtime.h"
#include "cosim/shim/shim.h"

typedef struct VariantRequest {
    const BlockDesc *desc;
    const int *params;
    bool testbug;  // the variant contains seeded faults
    bool cover;    // the variant counts code coverage
    bool flat;     // the variant is in one piece, without leaves (rtl/README.md)
    const char *data_dir;
    // folder for a new variant if data_dir/variants has none; NULL: data_dir/variants
    const char *out_dir;
    const char *rtl;  // the user's files instead of ours, "a.sv,b.sv"; NULL: ours
    // receives the tool's warnings about the user's files; may be NULL
    const char **notes;
    // called before and after a variant is made, which takes long; may be NULL
    Notice *notice;
    // stops the build if not 0; NULL: only a signal to the process group stops it
    volatile int *stop;
} VariantRequest;

// Path of the shared object, which is made first if required. NULL after EXIT_USAGE (the RTL does
// not fit or does not compile) or EXIT_ENVIRONMENT (tool missing).
char *variant_path(Arena *arena, const VariantRequest *r, Diag *d);

// The Verilator runtime that all variants share; stays loaded. toolchain: versions the variants are
// built with, may be NULL. NULL after EXIT_ENVIRONMENT.
const RuntimeApi *runtime_open(Arena *arena, const char *data_dir, const char **toolchain, Diag *d);

// Finds or makes the variant and loads it; it remains loaded. path: of the shared object, may be
// NULL.
const ShimApi *variant_open(Arena *arena, const VariantRequest *r, const char **path, Diag *d);

// Does this new instance have the requested parameters, and did it start without an error?
// EXIT_USAGE.
bool variant_check(const VariantRequest *r, const ShimApi *shim, void *rtl, const char *error,
                   Diag *d);

#endif
