// SPDX-License-Identifier: Apache-2.0
// flags: a chain of CTAs. Each waits for the flag of the previous one and reads its results with
// plain loads, in words that it has read earlier. Then it adds its own by atomics. Loads precede
// and follow atomics and barriers.
#include "cuda_min.h"

// The words read in the previous step stay in use until they are read again.
static __device__ __forceinline__ unsigned add(unsigned *mine, unsigned s, unsigned before, unsigned *seen) {
    unsigned t = threadIdx.x;
    atomicAdd(&mine[(t * 7 + s) % 64], t + s);
    __syncthreads();
    unsigned now = mine[t];
    *seen = *seen * 3 + (now ^ before) + mine[63 - t];
    __syncthreads();
    return now;
}

// 64 threads, an even number of steps. total: 64 words of the whole chain, part: 64 words per CTA, done: a flag per CTA.
extern "C" __global__ void flags(unsigned *total, unsigned *part, unsigned *done, unsigned *out, unsigned steps) {
    unsigned t = threadIdx.x, cta = blockIdx.x;
    unsigned *mine = part + cta * 64;
    unsigned even = mine[t], seen = even + mine[63 - t];
    __syncthreads();
    for (unsigned s = 0; s < steps; s += 2) {
        unsigned odd = add(mine, s, even, &seen);
        even = add(mine, s + 1, odd, &seen);
    }
    if (cta) {
        while (*(volatile unsigned *)&done[cta - 1] == 0) {
        }
        __threadfence();
    }
    unsigned before = total[t];
    __syncthreads();
    total[63 - t] = before + mine[t];
    __syncthreads();
    if (t == 0) {
        __threadfence();
        *(volatile unsigned *)&done[cta] = 1;
    }
    out[cta * 64 + t] = seen + before;
}
