// SPDX-License-Identifier: Apache-2.0
// weather: physics of one column of air per thread, from the top down. Each level loads twenty
// fields; registers carry falling, shearing and mixing values to the next level. Divisions, choices
// by comparison, a long chain from level to level.
#include "cuda_min.h"

// Field f of level k and column i: field[(f * levels + k) * columns + i]; result likewise, seven fields.
extern "C" __global__ void weather(const float *__restrict__ field, float *__restrict__ result,
                                   float *__restrict__ water, int columns, int levels) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= columns) return;
    int step = levels * columns;
    float falling = 0.0f, u_above = 0.0f, v_above = 0.0f, t_above = 0.0f, total = 0.0f;
#pragma unroll 1
    for (int k = 0; k < levels; k++) {
        const float *at = field + k * columns + i;
        float t = at[0], p = at[step], vapour = at[2 * step], cloud = at[3 * step], rain = at[4 * step];
        float ice = at[5 * step], snow = at[6 * step], graupel = at[7 * step], u = at[8 * step];
        float v = at[9 * step], w = at[10 * step], density = at[11 * step], depth = at[12 * step];
        float radiation = at[13 * step], sensible = at[14 * step], turbulence = at[15 * step];
        float cover = at[16 * step], ozone = at[17 * step], dust = at[18 * step], latent = at[19 * step];
        float over = vapour - fmaf(t, 0.05f, 0.2f) / p;
        float condensed = over > 0.0f ? 0.5f * over : fmaxf(0.5f * over, -cloud);
        cloud = cloud + condensed;
        vapour = vapour - condensed;
        t = fmaf(2.5f, condensed, t);
        float gain = fminf(cloud, fmaf(0.2f * cloud, rain, 0.1f * fmaxf(cloud - 0.3f, 0.0f)));
        rain = rain + gain;
        cloud = cloud - gain;
        float frozen = t < 0.4f ? 0.25f * rain : 0.0f, melted = t > 0.6f ? 0.3f * snow : 0.0f;
        ice = ice + frozen;
        snow = fmaf(0.1f, ice, snow - melted);
        graupel = fmaf(0.05f, snow, graupel);
        float fall = (0.6f * rain) / (density * depth);
        rain = rain + (falling - fall);
        float shear = fabsf(u - u_above) + fabsf(v - v_above);
        turbulence = fmaf(0.3f, shear, 0.9f * turbulence);
        t = fmaf(0.01f, fmaf(radiation, 1.0f - cover, sensible * latent), t);
        w = fmaf(0.02f, t - t_above, w);
        dust = dust * fmaf(-0.1f, gain, 1.0f);
        total = fmaf(density * depth, (vapour + cloud) + rain, total);
        falling = fall * density;
        u_above = u;
        v_above = v;
        t_above = t;
        float *to = result + k * columns + i;
        to[0] = t;
        to[step] = vapour;
        to[2 * step] = rain;
        to[3 * step] = turbulence;
        to[4 * step] = fmaf(dust, 0.5f, ozone);
        to[5 * step] = w;
        to[6 * step] = graupel;
    }
    water[i] = total;
}
