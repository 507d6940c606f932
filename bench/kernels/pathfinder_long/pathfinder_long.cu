// SPDX-License-Identifier: Apache-2.0
// pathfinder_long: cheapest ways down grids that are as wide as a CTA and a thousand rows deep. One
// long loop per warp, costs of one byte, sums that grow to two.
#include "cuda_min.h"

#define BLOCK 128
#define WORD 4 // rows whose costs are in one word, the first in the low byte

// One CTA per grid of words x WORD rows, one thread per column. A word is loaded while the one
// before it is used.
extern "C" __global__ void pathfinder_long(const unsigned *wall, int *out, int words) {
    __shared__ int cost[2][BLOCK];
    int t = (int)threadIdx.x, now = 0, best = 0;
    const unsigned *p = wall + (int)blockIdx.x * words * BLOCK + t;
    unsigned next = *p;
    cost[0][t] = 0;
    for (int n = 1; n <= words; n++) {
        unsigned word = next;
        p += BLOCK;
        if (n < words) next = *p;
#pragma unroll 1
        for (int r = 0; r < WORD; r++) {
            __syncthreads();
            if (t > 0) best = min(best, cost[now][t - 1]);
            if (t < BLOCK - 1) best = min(best, cost[now][t + 1]);
            best += (int)(word & 255);
            word >>= 8;
            now ^= 1;
            cost[now][t] = best;
        }
    }
    out[(int)blockIdx.x * BLOCK + t] = best;
}
