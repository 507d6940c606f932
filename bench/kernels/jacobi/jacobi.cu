// SPDX-License-Identifier: Apache-2.0
// jacobi: solves A x = b in double precision, sweeps repeated until no component moves. Features:
// f64 fma, division and compare, 64-bit register pairs, a flag that ends the launches.
#include "cuda_min.h"

// One row per thread; a is stored by columns, so that a warp's loads coalesce.
extern "C" __global__ void jacobi(const double *a, const double *b, const double *x, double *out,
                                  unsigned *again, int n, double limit) {
    int r = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (r >= n) return;
    double sum = b[r];
    for (int c = 0; c < n; c++)
        if (c != r) sum = fma(-a[c * n + r], x[c], sum);
    double v = sum / a[r * n + r];
    if (fabs(v - x[r]) > limit) *again = 1;
    out[r] = v;
}
