// SPDX-License-Identifier: Apache-2.0
// scan: inclusive prefix sum in three launches; warp shuffles (shfl.sync.up), predicated adds, one
// barrier between warps, block sums scanned by one warp per block.
#include "cuda_min.h"

#define ALL 0xffffffffu

// The sum of v over this lane and all lower ones.
static __device__ __forceinline__ unsigned warp_scan(unsigned v, unsigned lane) {
#pragma unroll
    for (unsigned d = 1; d < 32; d *= 2) {
        unsigned up = __shfl_up_sync(ALL, v, d);
        if (lane >= d) v += up;
    }
    return v;
}

// Scans each block of blockDim.x (a multiple of 32, at most 1024) elements; its total goes to sums.
extern "C" __global__ void scan_blocks(const unsigned *in, unsigned *out, unsigned *sums,
                                       unsigned n) {
    __shared__ unsigned warp_sum[32];
    unsigned tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    unsigned i = blockIdx.x * blockDim.x + tid;
    unsigned v = warp_scan(i < n ? in[i] : 0, lane);
    if (lane == 31) warp_sum[warp] = v;
    __syncthreads();
    if (warp == 0) {
        unsigned s = lane < blockDim.x / 32 ? warp_sum[lane] : 0;
        warp_sum[lane] = warp_scan(s, lane);
    }
    __syncthreads();
    if (warp > 0) v += warp_sum[warp - 1];
    if (i < n) out[i] = v;
    if (tid == blockDim.x - 1) sums[blockIdx.x] = v;
}

// Adds to each block the scanned sum of the blocks before it.
extern "C" __global__ void scan_add(unsigned *out, const unsigned *sums, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}
