// SPDX-License-Identifier: Apache-2.0
// Conversions between f16, bf16 and f32: supported. The second kernel computes in f16: refused.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void convert(float *out, __half *h, __nv_bfloat16 *b) {
    int t = threadIdx.x;
    out[t] = __half2float(h[t]) + __half2int_rz(h[t + 1]) + __low2float(((__half2 *)h)[t]);
    h[t] = __float2half_rn(out[t + 1]);
    h[t + 2] = __int2half_rn(t);
    h[t + 3] = __float2half_rz(out[t]);
    ((__half2 *)h)[t + 9] = __floats2half2_rn(out[t], out[t + 1]);
    b[t] = __float2bfloat16(out[t + 2]);
    out[t + 3] = __bfloat162float(b[t + 1]);
}
__global__ void half_arithmetic(__half *h) { h[0] = __hfma(h[1], h[2], h[3]); }
