// SPDX-License-Identifier: Apache-2.0
// Double-precision library functions: local functions, trig tables, directed rounding, carry chains.
__global__ void math64(double *out, const double *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = a[i];
    out[8 * i + 0] = pow(x, 1.25) + sin(x) * cos(3 * x);
    out[8 * i + 1] = sqrt(x) / (x + 1) + rsqrt(x);
    out[8 * i + 2] = exp(x) - log(fabs(x));
    out[8 * i + 3] = fma(x, x, floor(x)) + ceil(x) + rint(x) + trunc(x);
    out[8 * i + 4] = __dadd_rz(x, 3.0) * __dmul_ru(x, 7.0) + __fma_rd(x, x, 1.0);
    out[8 * i + 5] = (double)(long long)x + (double)(unsigned)i + (double)(float)x;
    out[8 * i + 6] = copysign(fmin(x, 2.0), fmax(x, -x));
    out[8 * i + 7] = __longlong_as_double(__double_as_longlong(x) ^ 1) + atan2(x, 2.0) + cbrt(x);
}
