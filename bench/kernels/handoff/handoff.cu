// SPDX-License-Identifier: Apache-2.0
// handoff: one warp of each CTA fills a buffer again and again, the other three read it. The writer
// issues data, fence, flag; readers poll the flag, then fence and load the words of the previous
// round. The test detects a word that is kept beyond a fence or beyond a store of another warp.
#include "cuda_min.h"

static __device__ __forceinline__ void fill(unsigned *mine, volatile unsigned *said, unsigned lane, unsigned r) {
    mine[lane] = mine[lane] * 5 + lane + r;
    __threadfence();
    if (lane == 0) said[0] = r;
    for (unsigned w = 1; w < 4; w++)
        while (said[w] < r) {
        }
    __threadfence();
}

// The words read in the previous round stay in use until they are read again.
static __device__ __forceinline__ unsigned take(const unsigned *mine, volatile unsigned *said, unsigned lane,
                                                unsigned warp, unsigned r, unsigned before, unsigned *sum) {
    while (said[0] < r) {
    }
    __threadfence();
    unsigned now = mine[lane];
    *sum = *sum * 3 + mine[(lane + warp) % 32] + (now ^ before);
    __threadfence();
    if (lane == 0) said[warp] = r;
    return now;
}

// 128 threads. data: 32 words per CTA, flag: 4 words per CTA (0: round that is filled, 1..3: rounds that were read).
// rounds: even.
extern "C" __global__ void handoff(unsigned *data, volatile unsigned *flag, unsigned *out, unsigned rounds) {
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned *mine = data + blockIdx.x * 32;
    volatile unsigned *said = flag + blockIdx.x * 4;
    unsigned even = mine[lane], sum = even;
    __syncthreads();
    for (unsigned r = 1; r <= rounds; r += 2) {
        if (warp == 0) {
            fill(mine, said, lane, r);
            fill(mine, said, lane, r + 1);
        } else {
            unsigned odd = take(mine, said, lane, warp, r, even, &sum);
            even = take(mine, said, lane, warp, r + 1, odd, &sum);
        }
    }
    out[blockIdx.x * 128 + threadIdx.x] = sum;
}
