// SPDX-License-Identifier: Apache-2.0
// A launch of a program as a separate launch file. It has the PTX with the values of module
// variables, all device memory before the launch, and the oracle's memory after it. If the SM left
// other bytes in a result, the result depends on the order of threads: its `expect` is a comment.
#ifndef SMCOSIM_DEVICE_CAPTURE_H
#define SMCOSIM_DEVICE_CAPTURE_H

#include "session/run_parts.h"

typedef struct CaptureLaunch {
    const char *dir;   // DIR/NNN-KERNEL/launch.yaml is written
    const char *name;  // of the program
    int number;        // number of the launch in the program
    const KernelLaunch *launch;
    const LoadedModule *module;
    const PtxFunc *entry;
    DeviceMemory *before, *after;  // after NULL: no expected result
    // memory after the launch on the SM, whose order of threads is another one; NULL: not known
    const DeviceMemory *observed;
    int *unordered;  // counts results that depend on the order of threads; NULL: not counted
} CaptureLaunch;

// Makes the folder when it is missing.
bool capture_probe(const char *dir, Diag *d);
const char *capture_folder(Arena *arena, const CaptureLaunch *l);
bool capture_write(const CaptureLaunch *l, Diag *d);

#endif
