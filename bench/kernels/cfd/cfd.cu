// SPDX-License-Identifier: Apache-2.0
// cfd: fluxes of an unstructured Euler solver. Each cell loads the five fields of four neighbors by
// index, with the normals of its faces. Divisions and square roots per face, about sixty
// operations.
#include "cuda_min.h"

#define SIDES 4
#define GAS 0.4f

struct State {
    float density, mx, my, mz, energy;
};

static __device__ __forceinline__ State load(const float *__restrict__ field, int cells, int i) {
    State s = {field[i], field[cells + i], field[2 * cells + i], field[3 * cells + i], field[4 * cells + i]};
    return s;
}

static __device__ __forceinline__ float pressure(State s, float u, float v, float w) {
    float moving = fmaf(s.mx, u, fmaf(s.my, v, s.mz * w));
    return GAS * fmaf(-0.5f, moving, s.energy);
}

// Field f of cell i: field[f * cells + i]; side k of it: neighbor near[k * cells + i] (-1: a wall), normal
// normal[(3 * k + d) * cells + i].
extern "C" __global__ void cfd(const float *__restrict__ field, const int *__restrict__ near,
                               const float *__restrict__ normal, float *__restrict__ flux, int cells) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= cells) return;
    State own = load(field, cells, i);
    float one = 1.0f / own.density, u = own.mx * one, v = own.my * one, w = own.mz * one;
    float p = pressure(own, u, v, w), sound = sqrtf(1.4f * p * one);
    float sum[5] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll 1
    for (int k = 0; k < SIDES; k++) {
        int j = near[k * cells + i];
        const float *n = normal + 3 * k * cells + i;
        float nx = n[0], ny = n[cells], nz = n[2 * cells];
        if (j < 0) {
            sum[1] = fmaf(nx, p, sum[1]);
            sum[2] = fmaf(ny, p, sum[2]);
            sum[3] = fmaf(nz, p, sum[3]);
            continue;
        }
        State other = load(field, cells, j);
        float there = 1.0f / other.density, ou = other.mx * there, ov = other.my * there, ow = other.mz * there;
        float q = pressure(other, ou, ov, ow);
        float through = fmaf(nx, u, fmaf(ny, v, nz * w)), back = fmaf(nx, ou, fmaf(ny, ov, nz * ow));
        float speed = 0.5f * (fabsf(through) + fabsf(back)) + (sound + sqrtf(1.4f * q * there));
        float both = p + q;
        sum[0] = fmaf(speed, own.density - other.density, fmaf(own.density, through, fmaf(other.density, back, sum[0])));
        sum[1] = fmaf(speed, own.mx - other.mx, fmaf(own.mx, through, fmaf(other.mx, back, fmaf(nx, both, sum[1]))));
        sum[2] = fmaf(speed, own.my - other.my, fmaf(own.my, through, fmaf(other.my, back, fmaf(ny, both, sum[2]))));
        sum[3] = fmaf(speed, own.mz - other.mz, fmaf(own.mz, through, fmaf(other.mz, back, fmaf(nz, both, sum[3]))));
        sum[4] = fmaf(speed, own.energy - other.energy, fmaf(own.energy + p, through, fmaf(other.energy + q, back, sum[4])));
    }
#pragma unroll
    for (int f = 0; f < 5; f++) flux[f * cells + i] = sum[f];
}
