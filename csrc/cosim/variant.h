// SPDX-License-Identifier: Apache-2.0
// Verilated variants as files; used by the harness and by the tool that builds the presets'
// variants.
#ifndef SMCOSIM_COSIM_VARIANT_H
#define SMCOSIM_COSIM_VARIANT_H

#include "cosim/ports.h"
#include "cosim/shim/runtime.h"
#include "cosim/shim/shim.h"

typedef struct VariantRequest {
    const BlockDesc *desc;
    const int *params;
    bool testbug;  // with seeded faults compiled in
    bool cover;    // with code coverage compiled in
    bool flat;     // in one piece, without leaves of its own (rtl/README.md)
    const char *data_dir;
    const char *out_dir;  // where it is made when data_dir/variants has none; NULL: there
    const char *rtl;      // the user's files instead of ours, "a.sv,b.sv"; NULL: ours
    // where the tool's warnings about the user's files are kept; NULL: nowhere
    const char **notes;
    // told before a variant is made, which takes long, and after it; NULL: nobody
    Notice *notice;
    // ends the making when not 0; NULL: nothing but a signal to the process group does
    volatile int *stop;
} VariantRequest;

// Path of the shared object, made first when needed. NULL after EXIT_USAGE (the RTL does not fit or
// does not compile) or EXIT_ENVIRONMENT (tool missing).
char *variant_path(Arena *arena, const VariantRequest *r, Diag *d);

// The Verilator runtime that all variants share; stays loaded. toolchain: versions the variants are
// built with, may be NULL. NULL after EXIT_ENVIRONMENT.
const RuntimeApi *runtime_open(Arena *arena, const char *data_dir, const char **toolchain, Diag *d);

// Finds or makes the variant and loads it; stays loaded. path: of the shared object, may be NULL.
const ShimApi *variant_open(Arena *arena, const VariantRequest *r, const char **path, Diag *d);

// Has this new instance the parameters asked for, and did it start without complaint? EXIT_USAGE.
bool variant_check(const VariantRequest *r, const ShimApi *shim, void *rtl, const char *error,
                   Diag *d);

#endif
