// SPDX-License-Identifier: Apache-2.0
// redshift: distances of red shifts in coarse steps, neighbors alike. The same divisions and square
// roots repeat (nvcc-only: square root of the CUDA library).
#include "cuda_min.h"

// Distance in units of the Hubble length: midpoint rule with eight points.
extern "C" __global__ void redshift(unsigned n, float matter, float dark, const float *__restrict__ z, float *__restrict__ d) {
    unsigned stride = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        const float h = (float)z[i] * (float)0.125;
        float s = 0;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            const float a = fmaf((float)(k + 0.5), h, (float)1);
            s += (float)1 / sqrtf(fmaf((float)matter, a * a * a, (float)dark));
        }
        d[i] = (float)(s * h);
    }
}
