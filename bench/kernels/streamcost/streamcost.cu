// SPDX-License-Identifier: Apache-2.0
// streamcost: distances of all points from one, weighted; thread 0 gathers its coordinates at stride n, the others
// wait at a barrier and use them.
#include "cuda_min.h"

extern "C" __global__ void streamcost(const float *point, const float *weight, float *cost, int n, int dims, int from) {
    __shared__ float origin[256];
    int tid = (int)threadIdx.x, i = (int)(blockIdx.x * blockDim.x) + tid;
    if (tid == 0)
        for (int d = 0; d < dims; d++) origin[d] = point[d * n + from];
    __syncthreads();
    if (i >= n) return;
    float sum = 0.0f;
    for (int d = 0; d < dims; d++) {
        float away = point[d * n + i] - origin[d];
        sum = fmaf(away, away, sum);
    }
    cost[i] = sum * weight[i];
}
