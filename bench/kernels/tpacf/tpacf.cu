// SPDX-License-Identifier: Apache-2.0
// tpacf: histogram of the angles between the points of two sets on a sphere. Tiles in shared
// memory, dot products, a binary search for the bin, shared counters of each warp by atomics.
#include "cuda_min.h"

#define BINS 20
#define THREADS 256
#define WARPS (THREADS / 32)

// border: BINS - 1 falling cosines; bin b holds the pairs between border[b - 1] and border[b]. Points
// are planes x, y, z. A CTA takes THREADS points of the first set and tile points of the second.
extern "C" __global__ void tpacf(const float *__restrict__ first, const float *__restrict__ second,
                                 const float *__restrict__ border, unsigned *__restrict__ count,
                                 int n, int m, int tile) {
    __shared__ float limit[BINS];
    __shared__ float other[3][THREADS];
    __shared__ unsigned bins[WARPS][BINS];
    int t = (int)threadIdx.x, i = (int)blockIdx.x * THREADS + t, from = (int)blockIdx.y * tile;
    if (t < BINS - 1) limit[t] = border[t];
    if (t < WARPS * BINS) bins[t / BINS][t % BINS] = 0u;
    if (t < tile && from + t < m) {
        other[0][t] = second[from + t];
        other[1][t] = second[m + from + t];
        other[2][t] = second[2 * m + from + t];
    }
    __syncthreads();
    if (i < n) {
        float x = first[i], y = first[n + i], z = first[2 * n + i];
        unsigned *mine = bins[t / 32];
        int last = min(tile, m - from);
        for (int j = 0; j < last; j++) {
            float dot = fmaf(x, other[0][j], fmaf(y, other[1][j], z * other[2][j]));
            int low = 0, high = BINS - 1;
            while (low < high) {
                int mid = (low + high) / 2;
                if (dot < limit[mid])
                    low = mid + 1;
                else
                    high = mid;
            }
            atomicAdd(&mine[low], 1u);
        }
    }
    __syncthreads();
    if (t < BINS) {
        unsigned sum = 0u;
        for (int w = 0; w < WARPS; w++) sum += bins[w][t];
        atomicAdd(&count[t], sum);
    }
}
