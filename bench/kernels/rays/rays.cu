// SPDX-License-Identifier: Apache-2.0
// rays: rays among eight spheres, mirrored until they leave or have been mirrored too often; CTAs of 16 x 8.
#include "cuda_min.h"

extern "C" __global__ void rays(const float *sphere, float *out, int width, int height, int most) {
    int px = (int)(blockIdx.x * blockDim.x + threadIdx.x), py = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (px >= width || py >= height) return;
    float ox = 0.0f, oy = 0.0f, oz = -4.0f;
    float dx = fmaf((float)px, 0.03125f, -0.75f), dy = fmaf((float)py, 0.03125f, -1.25f), dz = 1.0f;
    float light = 0.0f;
    int depth = 0;
    while (depth < most) {
        float norm = 1.0f / sqrtf(fmaf(dx, dx, fmaf(dy, dy, dz * dz)));
        dx *= norm, dy *= norm, dz *= norm;
        float near = 1.0e30f;
        int hit = -1;
        for (int s = 0; s < 8; s++) {
            float cx = sphere[4 * s] - ox, cy = sphere[4 * s + 1] - oy, cz = sphere[4 * s + 2] - oz, r = sphere[4 * s + 3];
            float along = fmaf(cx, dx, fmaf(cy, dy, cz * dz));
            float away = fmaf(cx, cx, fmaf(cy, cy, fmaf(cz, cz, -(along * along))));
            float inside = fmaf(r, r, -away);
            if (along > 0.0f && inside > 0.0f) {
                float t = along - sqrtf(inside);
                if (t > 0.001f && t < near) near = t, hit = s;
            }
        }
        if (hit < 0) break;
        ox = fmaf(near, dx, ox), oy = fmaf(near, dy, oy), oz = fmaf(near, dz, oz);
        float nx = ox - sphere[4 * hit], ny = oy - sphere[4 * hit + 1], nz = oz - sphere[4 * hit + 2];
        float back = -2.0f * fmaf(nx, dx, fmaf(ny, dy, nz * dz)) / fmaf(nx, nx, fmaf(ny, ny, nz * nz));
        dx = fmaf(back, nx, dx), dy = fmaf(back, ny, dy), dz = fmaf(back, nz, dz);
        depth++;
    }
    light = fmaf((float)depth, 0.0625f, fabsf(dy));
    out[py * width + px] = light;
}
