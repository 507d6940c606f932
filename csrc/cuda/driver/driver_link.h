// SPDX-License-Identifier: Apache-2.0
// Output of cuLinkComplete and input of cuModuleLoadData: this header, then the containers of fat
// binaries to be linked.
#ifndef SMCOSIM_CUDA_DRIVER_LINK_H
#define SMCOSIM_CUDA_DRIVER_LINK_H

#include "cuda/cuda_runtime.h"

typedef int CUresult;

#define LINKED_MAGIC 0x4b4e494c636d7301ull  // its low word is no other format's
typedef struct LinkedHeader {
    uint64_t magic, bytes;  // of the containers
} LinkedHeader;

// A whole file, malloc'ed (driver.c).
CUresult driver_file(const char *path, char **text, size_t *n);

#endif
