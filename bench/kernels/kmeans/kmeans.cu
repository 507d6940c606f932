// SPDX-License-Identifier: Apache-2.0
// kmeans: nearest of the centres for each point, then sums per centre. Small uniform inner loops,
// f32 compare and select, atomic additions of floats with many collisions.
#include "cuda_min.h"

#define DIMS 4

// Coordinate d of point i is x[d * n + i], of centre c centre[c * DIMS + d].
extern "C" __global__ void kmeans(const float *x, const float *centre, int *member, float *sum,
                                  unsigned *count, int n, int centres) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    float p[DIMS], best = 3.0e38f;
    int mine = 0;
    for (int d = 0; d < DIMS; d++) p[d] = x[d * n + i];
    for (int c = 0; c < centres; c++) {
        float distance = 0.0f;
        for (int d = 0; d < DIMS; d++) {
            float diff = p[d] - centre[c * DIMS + d];
            distance = fmaf(diff, diff, distance);
        }
        if (distance < best) {
            best = distance;
            mine = c;
        }
    }
    member[i] = mine;
    atomicAdd(&count[mine], 1u);
    for (int d = 0; d < DIMS; d++) atomicAdd(&sum[mine * DIMS + d], p[d]);
}
