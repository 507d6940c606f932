// SPDX-License-Identifier: Apache-2.0
// The rest of the API. Arguments are not looked at, so their types do not matter.
#include "cuda/cuda_runtime.h"

#define CUDA_UNSUPPORTED(name) \
    API cudaError_t name(void) { return runtime_refuse(#name); }
#include "cuda/unsupported.def"
