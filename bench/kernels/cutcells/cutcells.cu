// SPDX-License-Identifier: Apache-2.0
// cutcells: the part of each cell within an interface, given by its distance at the corners. A cell
// that the interface cuts is sampled at 8 x 8 points; for the others the corners' sign decides.
#include "cuda_min.h"

extern "C" __global__ void cutcells(const float *corner, float *inside, float *lever, int width, int cells) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= cells) return;
    int at = i + i / width;
    float a = corner[at], b = corner[at + 1], c = corner[at + width + 1], d = corner[at + width + 2];
    float low = fminf(fminf(a, b), fminf(c, d)), high = fmaxf(fmaxf(a, b), fmaxf(c, d));
    float part = high < 0.0f ? 1.0f : 0.0f, arm = 0.0f;
    if (low < 0.0f && high >= 0.0f) {
        int points = 0;
#pragma unroll 1
        for (int y = 0; y < 8; y++) {
            float v = fmaf((float)y, 0.125f, 0.0625f), left = fmaf(v, c - a, a), right = fmaf(v, d - b, b);
#pragma unroll 1
            for (int x = 0; x < 8; x++) {
                float u = fmaf((float)x, 0.125f, 0.0625f), distance = fmaf(u, right - left, left);
                if (distance < 0.0f) {
                    points++;
                    arm = fmaf(u, v, arm);
                }
            }
        }
        part = (float)points * 0.015625f;
    }
    inside[i] = part;
    lever[i] = arm;
}
