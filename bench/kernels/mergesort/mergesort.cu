// SPDX-License-Identifier: Apache-2.0
// mergesort: stable sort of keys with values. A CTA of 512 threads sorts a tile in shared memory: in
// each pass a thread finds the place of its element by binary search in the other run. Further
// launches merge tiles in global memory.
#include "cuda_min.h"

#define THREADS 512

// Number of elements of a sorted run below the key, or not above it.
static __device__ __forceinline__ int rank_of(const unsigned *run, int size, unsigned key,
                                              bool equal_too) {
    int low = 0, high = size;
#pragma unroll 1
    while (low < high) {
        int mid = (low + high) / 2;
        if (run[mid] < key || (equal_too && run[mid] == key))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    mergesort_tiles(const unsigned *__restrict__ in, unsigned *__restrict__ key,
                    unsigned *__restrict__ value) {
    __shared__ unsigned keys[2][THREADS];
    __shared__ unsigned values[2][THREADS];
    int t = (int)threadIdx.x, i = (int)blockIdx.x * THREADS + t, now = 0;
    keys[0][t] = in[i];
    values[0][t] = (unsigned)i;
    __syncthreads();
#pragma unroll 1
    for (int run = 1; run < THREADS; run *= 2) {
        int mine = t & ~(run - 1), other = mine ^ run;
        unsigned k = keys[now][t];
        int to = (mine & other) + (t - mine) + rank_of(&keys[now][other], run, k, other < mine);
        keys[now ^ 1][to] = k;
        values[now ^ 1][to] = values[now][t];
        now ^= 1;
        __syncthreads();
    }
    key[i] = keys[now][t];
    value[i] = values[now][t];
}

// Merges neighboring runs of this size.
extern "C" __global__ void __launch_bounds__(THREADS)
    mergesort_merge(const unsigned *__restrict__ key, const unsigned *__restrict__ value,
                    unsigned *__restrict__ out_key, unsigned *__restrict__ out_value, int run) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int mine = i & ~(run - 1), other = mine ^ run;
    unsigned k = key[i];
    int to = (mine & other) + (i - mine) + rank_of(key + other, run, k, other < mine);
    out_key[to] = k;
    out_value[to] = value[i];
}
