// SPDX-License-Identifier: Apache-2.0
// inplace: a stencil over a row of words that each step replaces in place: loads of three neighbors, barrier, store,
// barrier. The words that overlap between lanes and warps change between any two steps.
#include "cuda_min.h"

// A row of blockDim.x + 2 words per CTA; the words at its ends stay. Steps of every second thread diverge.
extern "C" __global__ void inplace(unsigned *row, unsigned steps) {
    unsigned *p = row + blockIdx.x * (blockDim.x + 2) + threadIdx.x;
    for (unsigned s = 0; s < steps; s++) {
        unsigned v = p[0] + p[1] * 3 + p[2];
        if ((threadIdx.x ^ s) & 1) v += p[1] >> 3;
        __syncthreads();
        p[1] = v;
        __syncthreads();
    }
}
