// SPDX-License-Identifier: Apache-2.0
// inplace: a stencil over a row of words that each step replaces in place: loads of three neighbors, barrier, store,
// barrier. The words that overlap between lanes and warps change between any two steps.
#include "cuda_min.h"

// The word of the step before stays in use until the new one is read.
static __device__ __forceinline__ unsigned step(unsigned *p, unsigned before, unsigned odd) {
    unsigned now = p[1], v = p[0] + now * 3 + p[2] + (before >> 5);
    if ((threadIdx.x & 1) != odd) v += now >> 3;
    __syncthreads();
    p[1] = v;
    __syncthreads();
    return now;
}

// A row of blockDim.x + 2 words per CTA; the words at its ends stay. Every second thread diverges. steps: even.
extern "C" __global__ void inplace(unsigned *row, unsigned steps) {
    unsigned *p = row + blockIdx.x * (blockDim.x + 2) + threadIdx.x;
    unsigned even = 0;
    for (unsigned s = 0; s < steps; s += 2) {
        unsigned odd = step(p, even, 0);
        even = step(p, odd, 1);
    }
}
