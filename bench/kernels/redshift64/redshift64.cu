// SPDX-License-Identifier: Apache-2.0
// redshift64: redshift in double precision between single-precision data
// (nvcc-only: square root of the CUDA library).
#include "cuda_min.h"

// Distance in units of the Hubble length: midpoint rule with eight points.
extern "C" __global__ void redshift64(unsigned n, float matter, float dark, const float *__restrict__ z, float *__restrict__ d) {
    unsigned stride = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        const double h = (double)z[i] * (double)0.125;
        double s = 0;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            const double a = fma((double)(k + 0.5), h, (double)1);
            s += (double)1 / sqrt(fma((double)matter, a * a * a, (double)dark));
        }
        d[i] = (float)(s * h);
    }
}
