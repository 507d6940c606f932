// SPDX-License-Identifier: Apache-2.0
// logscan: a log of records, a pointer into one region and a count each; every count is raised. It reads and writes each
// line once and whole, so memory bandwidth is all that limits it, and every line compresses (nvcc-only: no clang form).
#include "cuda_min.h"

extern "C" __global__ void logscan(unsigned n, const unsigned long long *__restrict__ in,
                                   unsigned long long *__restrict__ out) {
    unsigned stride = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) out[i] = in[i] + (i & 1);
}
