// SPDX-License-Identifier: Apache-2.0
// search_short: many lookups in a sorted table of 16-bit keys, which a CTA holds in shared memory.
// The search halves without branches, so that all lanes take the same number of steps.
#include "cuda_min.h"

#define KEYS 1024

// out[i]: how many keys are less than query[i]. Each thread answers `each` queries.
extern "C" __global__ void search_short(const short *keys, const short *query, short *out,
                                        int each) {
    __shared__ short table[KEYS];
    for (int i = (int)threadIdx.x; i < KEYS; i += (int)blockDim.x) table[i] = keys[i];
    __syncthreads();
    int stride = (int)blockDim.x, i = (int)blockIdx.x * stride * each + (int)threadIdx.x;
    for (int n = 0; n < each; n++, i += stride) {
        int wanted = query[i], base = 0;
        for (int half = KEYS / 2; half > 0; half >>= 1)
            if (table[base + half - 1] < wanted) base += half;
        if (table[base] < wanted) base++;
        out[i] = (short)base;
    }
}
