// SPDX-License-Identifier: Apache-2.0
// particle: particle filters that track a bright spot, one per CTA of 512 threads. Motion, weights
// from pixels around each particle, prefix sums in shared memory, a search in them whose length
// differs per lane, resampling by branches.
#include "cuda_min.h"

#define PARTICLES 512

static __device__ __forceinline__ unsigned drawn(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 16;
}

static __device__ __forceinline__ float noise(unsigned *seed) {
    return (float)(int)drawn(seed) * (1.0f / 32768.0f) - 1.0f;
}

// Sum of the pixels at the particle and around it, squared; never 0. The image is size x size.
static __device__ __forceinline__ unsigned weight(const unsigned char *image, float x, float y,
                                                  int size) {
    int col = min(max((int)x, 2), size - 3), row = min(max((int)y, 2), size - 3);
    const unsigned char *p = image + row * size + col;
    unsigned sum = (unsigned)p[0] + p[-1] + p[1] + p[-size] + p[size];
    sum += (unsigned)p[-2] + p[2] + p[-2 * size] + p[2 * size];
    sum >>= 3;
    return sum * sum + 1u;
}

// image: frames of size x size bytes; state: planes x, y and speeds in x and y of all particles;
// from: the particle that each one was last drawn from.
extern "C" __global__ void __launch_bounds__(PARTICLES)
    particle(const unsigned char *__restrict__ image, float *__restrict__ state,
             unsigned *__restrict__ from, int size, int frames) {
    __shared__ unsigned sum[2][PARTICLES];
    __shared__ float kept[4][PARTICLES];
    int t = (int)threadIdx.x, i = (int)blockIdx.x * PARTICLES + t;
    int all = (int)gridDim.x * PARTICLES, found = t;
    float x = state[i], y = state[all + i], vx = state[2 * all + i], vy = state[3 * all + i];
    unsigned seed = (unsigned)i * 747796405u + 2891336453u;
    for (int f = 0; f < frames; f++) {
        x += vx + noise(&seed);
        y += vy + noise(&seed);
        unsigned mine = weight(image + f * size * size, x, y, size);
        kept[0][t] = x;
        kept[1][t] = y;
        kept[2][t] = vx;
        kept[3][t] = vy;
        int now = 0;
        sum[0][t] = mine;
        __syncthreads();
        for (int d = 1; d < PARTICLES; d *= 2) {
            unsigned v = sum[now][t];
            if (t >= d) v += sum[now][t - d];
            now ^= 1;
            sum[now][t] = v;
            __syncthreads();
        }
        // The particle whose share of all weights contains the t-th of 512 even marks.
        const unsigned *upto = sum[now];
        unsigned share = upto[PARTICLES - 1] / PARTICLES, mark = share * (unsigned)t + share / 2u;
        found = t;
        while (upto[found] <= mark) found++;
        while (found > 0 && upto[found - 1] > mark) found--;
        x = kept[0][found];
        y = kept[1][found];
        vx = kept[2][found];
        vy = kept[3][found];
        if (found != t) {
            vx = fmaf(0.125f, noise(&seed), vx);
            vy = fmaf(0.125f, noise(&seed), vy);
            if (mine < 64u) x += noise(&seed);
        }
        __syncthreads();
    }
    state[i] = x;
    state[all + i] = y;
    state[2 * all + i] = vx;
    state[3 * all + i] = vy;
    from[i] = (unsigned)found;
}
