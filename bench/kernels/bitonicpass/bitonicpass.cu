// SPDX-License-Identifier: Apache-2.0
// bitonicpass: bitonic sorting in global memory, a launch per pass: all but the exchange is the same in all threads.
#include "cuda_min.h"

extern "C" __global__ void bitonicpass(unsigned *keys, unsigned j, unsigned k) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
    if (other <= i) return;
    unsigned a = keys[i], b = keys[other];
    if ((a > b) == ((i & k) == 0)) keys[i] = b, keys[other] = a;
}
