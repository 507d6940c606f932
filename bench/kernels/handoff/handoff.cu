// SPDX-License-Identifier: Apache-2.0
// handoff: one warp of each CTA fills a buffer again and again, the other three read it: data, fence, flag; polls of the
// flag, fence, plain loads of the same words as in the round before. Who keeps a loaded word beyond a fence, or beyond
// a store of another warp, is found out.
#include "cuda_min.h"

// 128 threads. data: 32 words per CTA, flag: 4 words per CTA (0: round that is filled, 1..3: rounds that were read).
extern "C" __global__ void handoff(unsigned *data, volatile unsigned *flag, unsigned *out, unsigned rounds) {
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned *mine = data + blockIdx.x * 32;
    volatile unsigned *said = flag + blockIdx.x * 4;
    unsigned sum = mine[lane];
    __syncthreads();
    for (unsigned r = 1; r <= rounds; r++) {
        if (warp == 0) {
            mine[lane] = mine[lane] * 5 + lane + r;
            __threadfence();
            if (lane == 0) said[0] = r;
            for (unsigned w = 1; w < 4; w++)
                while (said[w] < r) {
                }
            __threadfence();
        } else {
            while (said[0] < r) {
            }
            __threadfence();
            sum = sum * 3 + mine[(lane + warp) % 32] + mine[lane];
            __threadfence();
            if (lane == 0) said[warp] = r;
        }
    }
    out[blockIdx.x * 128 + threadIdx.x] = sum;
}
