// SPDX-License-Identifier: Apache-2.0
// Single-precision library functions and intrinsics.
__global__ void math32(float *out, const float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = a[i];
    out[8 * i + 0] = powf(x, 1.25f) + sinf(x) * cosf(3 * x) + tanf(x);
    out[8 * i + 1] = sqrtf(x) / (x + 1) + rsqrtf(x) + 1.0f / x + cbrtf(x);
    out[8 * i + 2] = expf(x) - logf(x) + exp2f(x) + log2f(x) + tanhf(x) + erff(x);
    out[8 * i + 3] = fmaf(x, x, floorf(x)) + ceilf(x) + rintf(x) + truncf(x) + roundf(x);
    out[8 * i + 4] = __fadd_rz(x, 3.0f) * __fmul_ru(x, 7.0f) + __fmaf_rd(x, x, 1.0f) + __fdiv_rd(x, 3.0f);
    out[8 * i + 5] = __saturatef(x) + fmodf(x, 3.0f) + (float)(long long)x + (float)(unsigned char)i;
    out[8 * i + 6] = copysignf(fminf(x, 2.0f), fmaxf(x, -x)) + __sinf(x) + __cosf(x) + __expf(x) + __logf(x);
    out[8 * i + 7] = __int_as_float(__float_as_int(x) ^ 1) + __fdividef(x, 3.1f) + __frcp_rn(x) + __fsqrt_rd(x);
    out[8 * i + 7] += isnan(x) + isinf(x) + signbit(x) + __float2int_rd(x) + __float2uint_ru(x) + __int2float_rz(i);
}
