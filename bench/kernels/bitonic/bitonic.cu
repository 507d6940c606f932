// SPDX-License-Identifier: Apache-2.0
// bitonic: sorts rows of keys in shared memory; index arithmetic with xor, exchange under
// predicates, a barrier per stage, min and max of unsigned numbers.
#include "cuda_min.h"

#define N 256

// One row of N keys per CTA of N / 2 threads, ascending.
extern "C" __global__ void bitonic(unsigned *keys) {
    __shared__ unsigned s[N];
    unsigned t = threadIdx.x, *mine = keys + blockIdx.x * N;
    s[t] = mine[t];
    s[t + N / 2] = mine[t + N / 2];
    for (unsigned size = 2; size <= N; size *= 2) {
        bool down = (t & (size / 2)) != 0;
        for (unsigned stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            unsigned at = 2 * t - (t & (stride - 1));
            unsigned a = s[at], b = s[at + stride];
            if ((a > b) != down) {
                s[at] = b;
                s[at + stride] = a;
            }
        }
    }
    __syncthreads();
    mine[t] = s[t];
    mine[t + N / 2] = s[t + N / 2];
}
