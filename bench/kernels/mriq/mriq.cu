// SPDX-License-Identifier: Apache-2.0
// mriq: sums of sines and cosines over all samples of k-space, for two voxels per thread; uniform
// vector loads, sin.approx and cos.approx, no barrier.
#include "cuda_min.h"

struct __attribute__((aligned(16))) Sample {
    float x, y, z, power;
};

static __device__ __forceinline__ void add(const Sample *s, float x, float y, float z, float *real,
                                           float *imaginary) {
    float turns = fmaf(s->z, z, fmaf(s->y, y, s->x * x));
    float angle = (turns - rintf(turns)) * 6.2831853f;
    *real = fmaf(s->power, __cosf(angle), *real);
    *imaginary = fmaf(s->power, __sinf(angle), *imaginary);
}

// at: planes x, y, z of n voxels, n even; q: planes of the real and the imaginary part.
extern "C" __global__ void mriq(const Sample *__restrict__ sample, const float *__restrict__ at,
                                float *__restrict__ q, int n, int samples) {
    int half = n / 2, i = (int)(blockIdx.x * blockDim.x + threadIdx.x), j = i + half;
    if (i >= half) return;
    float x0 = at[i], y0 = at[n + i], z0 = at[2 * n + i], real0 = 0.0f, imaginary0 = 0.0f;
    float x1 = at[j], y1 = at[n + j], z1 = at[2 * n + j], real1 = 0.0f, imaginary1 = 0.0f;
    for (int k = 0; k < samples; k++) {
        Sample s = sample[k];
        add(&s, x0, y0, z0, &real0, &imaginary0);
        add(&s, x1, y1, z1, &real1, &imaginary1);
    }
    q[i] = real0;
    q[j] = real1;
    q[n + i] = imaginary0;
    q[n + j] = imaginary1;
}
