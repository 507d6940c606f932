// SPDX-License-Identifier: Apache-2.0
// libm: functions of the CUDA mathematics library as nvcc writes them out. Sine of large arguments
// (local array, table in global memory, f64), powers, remainder with a loop, double precision with
// a .func call. nvcc-only.
#include "cuda_min.h"

extern "C" __global__ void libm(const float *x, const float *y, float *f, double *d, int n) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    float a = x[i], b = y[i], p = fabsf(a) + 1.0e-3f;
    f[i] = sinf(a);
    f[n + i] = cosf(a);
    f[2 * n + i] = powf(p, b);
    f[3 * n + i] = atan2f(a, b);
    f[4 * n + i] = tanhf(b);
    f[5 * n + i] = erff(b);
    f[6 * n + i] = fmodf(a, b);
    f[7 * n + i] = rintf(b) + floorf(b) * ceilf(b);
    d[i] = exp((double)b);
    d[n + i] = log((double)p);
    d[2 * n + i] = pow((double)p, (double)b);
    d[3 * n + i] = sqrt((double)p) / (double)b;
}
