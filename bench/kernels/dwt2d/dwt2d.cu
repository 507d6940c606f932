// SPDX-License-Identifier: Apache-2.0
// dwt2d: forward wavelet transform (CDF 9/7, lifting) of tiles. A CTA walks down its tile eight rows
// at a time: each thread lifts its column in registers, with the state of four steps kept from the
// rows before; then the rows are lifted in shared memory, a barrier after each step.
#include "cuda_min.h"

#define WIDE 256
#define PAIRS 4
#define HALF (WIDE / 2)

#define STEP1 (-1.586134342f)
#define STEP2 (-0.05298011857f)
#define STEP3 0.8829110755f
#define STEP4 0.4435068520f
#define SCALE 1.230174105f

// One lifting step of all rows in shared memory: x[at] += k * (left + right), mirrored at the ends.
// first: 1 for odd columns, 0 for even ones.
static __device__ __forceinline__ void lift(float row[2 * PAIRS][WIDE], int first, float k) {
#pragma unroll
    for (int j = 0; j < 2 * PAIRS * HALF / WIDE; j++) {
        int task = (int)threadIdx.x + j * WIDE, x = task % HALF * 2 + first;
        float *p = row[task / HALF];
        float left = p[x > 0 ? x - 1 : 1], right = p[x < WIDE - 1 ? x + 1 : WIDE - 2];
        p[x] = fmaf(k, left + right, p[x]);
    }
    __syncthreads();
}

// A tile has WIDE columns and rows rows, a multiple of 8. Tile b is the b-th block of the image,
// and its four bands are quarters of the same block of out.
extern "C" __global__ void dwt2d(const float *__restrict__ image, float *__restrict__ out,
                                 int rows) {
    __shared__ float row[2 * PAIRS][WIDE];
    int t = (int)threadIdx.x, pairs = rows / 2;
    const float *p = image + (int)blockIdx.x * rows * WIDE + t;
    float *band = out + (int)blockIdx.x * rows * WIDE;
    float d1 = 0.0f, s1 = 0.0f, d2 = 0.0f;
    // Window w makes pairs 4w - 1 .. 4w + 2, as pair k is known when pair k + 1 has been lifted twice.
#pragma unroll 1
    for (int w = 0; w <= pairs / PAIRS; w++, p += 2 * PAIRS * WIDE) {
        bool past = w == pairs / PAIRS;
        float x[2 * PAIRS + 1];
        if (!past) {
#pragma unroll
            for (int j = 0; j < 2 * PAIRS; j++) x[j] = p[j * WIDE];
            x[2 * PAIRS] = x[2 * PAIRS - 2];
            if (w < pairs / PAIRS - 1) x[2 * PAIRS] = p[2 * PAIRS * WIDE];
#pragma unroll
            for (int j = 0; j < PAIRS; j++) {
                float d = fmaf(STEP1, x[2 * j] + x[2 * j + 2], x[2 * j + 1]);
                float s = fmaf(STEP2, (w == 0 && j == 0 ? d : d1) + d, x[2 * j]);
                // The pair before this one.
                float high = fmaf(STEP3, s1 + s, d1);
                row[2 * j][t] = fmaf(STEP4, (w == 0 && j == 1 ? high : d2) + high, s1);
                row[2 * j + 1][t] = high;
                d2 = high;
                d1 = d;
                s1 = s;
            }
        } else {
            float high = fmaf(STEP3, s1 + s1, d1);
            row[0][t] = fmaf(STEP4, d2 + high, s1);
            row[1][t] = high;
        }
        __syncthreads();
        lift(row, 1, STEP1);
        lift(row, 0, STEP2);
        lift(row, 1, STEP3);
        lift(row, 0, STEP4);
        int x_out = (t & 1) * HALF + t / 2;
#pragma unroll
        for (int j = 0; j < PAIRS; j++) {
            int pair = PAIRS * w - 1 + j;
            if (pair < 0 || pair >= pairs) continue;
            float across = t & 1 ? SCALE : 1.0f / SCALE;
            band[pair * WIDE + x_out] = row[2 * j][t] * across * (1.0f / SCALE);
            band[(pairs + pair) * WIDE + x_out] = row[2 * j + 1][t] * across * SCALE;
        }
        __syncthreads();
    }
}
