// SPDX-License-Identifier: Apache-2.0
// fft4: a radix-4 step of a Fourier transform. Four loads are a quarter of the data apart, turned
// by angles that depend on the thread's number modulo 4 only.
#include "cuda_min.h"

extern "C" __global__ void fft4(const float *re, const float *im, float *out_re, float *out_im, int quarter) {
    int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    float a[4], b[4];
    for (int k = 0; k < 4; k++) {
        float x = re[t + k * quarter], y = im[t + k * quarter];
        float angle = -0.392699082f * (float)((t & 3) * k);
        float c = __cosf(angle), s = __sinf(angle);
        a[k] = fmaf(x, c, -(y * s));
        b[k] = fmaf(x, s, y * c);
    }
    float p = a[0] + a[2], q = b[0] + b[2], r = a[0] - a[2], u = b[0] - b[2];
    float v = a[1] + a[3], w = b[1] + b[3], y = a[1] - a[3], z = b[1] - b[3];
    out_re[t] = p + v;
    out_im[t] = q + w;
    out_re[t + quarter] = r + z;
    out_im[t + quarter] = u - y;
    out_re[t + 2 * quarter] = p - v;
    out_im[t + 2 * quarter] = q - w;
    out_re[t + 3 * quarter] = r - z;
    out_im[t + 3 * quarter] = u + y;
}
