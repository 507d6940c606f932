// SPDX-License-Identifier: Apache-2.0
// gaussian: forward elimination, three small launches per column until the last; IEEE division,
// many threads that end at once, a step number in memory.
#include "cuda_min.h"

// Multipliers of column *step for the rows below it.
extern "C" __global__ void gaussian_column(const float *a, float *mult, const int *step, int n) {
    int r = (int)(blockIdx.x * blockDim.x + threadIdx.x), t = *step;
    if (r <= t || r >= n) return;
    mult[r] = a[r * n + t] / a[t * n + t];
}

// Subtracts the multiple of row *step from the rows below it, right side b included.
extern "C" __global__ void gaussian_rows(float *a, float *b, const float *mult, const int *step,
                                         int n) {
    int c = (int)(blockIdx.x * blockDim.x + threadIdx.x),
        r = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    int t = *step;
    if (r <= t || r >= n || c < t || c >= n) return;
    float m = mult[r];
    a[r * n + c] = fmaf(-m, a[t * n + c], a[r * n + c]);
    if (c == t) b[r] = fmaf(-m, b[t], b[r]);
}

extern "C" __global__ void gaussian_next(int *step, unsigned *again, int n) {
    int t = *step + 1;
    *step = t;
    if (t < n - 1) *again = 1;
}
