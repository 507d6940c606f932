// SPDX-License-Identifier: Apache-2.0
// column: cloud physics of atmospheric columns, one per thread, from the top down: condensation,
// conversion, melting, implicit fall of four species, a beam of radiation. 20 values live from level
// to level, 23 IEEE divisions per level.
#include "cuda_min.h"

// The fall of one species through a level: flux in from above, flux out below; returns the rest.
static __device__ __forceinline__ float fall(float q, float speed, float *flux, float mass,
                                             float depth, float step) {
    float stays = fmaf(step, *flux / mass, q) / fmaf(step, speed / depth, 1.0f);
    *flux = speed * (mass / depth) * stays;
    return stays;
}

// in: planes temperature, pressure, depth, vapor, cloud, rain, ice, snow, graupel; each plane holds
// levels x columns values. out: temperature, vapor, cloud after the step. sums: 11 per column.
extern "C" __global__ void column(const float *__restrict__ in, float *__restrict__ out,
                                  float *__restrict__ sums, int columns, int levels, float step) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), plane = columns * levels;
    if (i >= columns) return;
    float rain_flux = 0.0f, ice_flux = 0.0f, snow_flux = 0.0f, graupel_flux = 0.0f;
    float liquid = 0.0f, frozen = 0.0f, heat = 0.0f, wet = 0.0f, warmest = 0.0f;
    float beam = 1.0f, absorbed = 0.0f;
    float t_above = in[i], vapor_above = in[3 * plane + i], cloud_above = in[4 * plane + i];
#pragma unroll 1
    for (int k = 0; k < levels; k++) {
        const float *p = in + k * columns + i;
        float t = p[0], pressure = p[plane], depth = p[2 * plane], vapor = p[3 * plane];
        float cloud = p[4 * plane], rain = p[5 * plane], ice = p[6 * plane], snow = p[7 * plane];
        float graupel = p[8 * plane], before = t;
        // Slow sinking from the level above.
        float share = step / fmaf(20.0f, depth, step);
        t = fmaf(share, t_above - t, t);
        vapor = fmaf(share, vapor_above - vapor, vapor);
        cloud = fmaf(share, cloud_above - cloud, cloud);
        t_above = before, vapor_above = p[3 * plane], cloud_above = p[4 * plane];
        // Saturation: the exponential as the 16th power of 1 + x / 16.
        float power = fmaf(17.27f / 16.0f, (t - 273.16f) / (t - 35.86f), 1.0f);
        power = power * power;
        power = power * power;
        power = power * power;
        power = power * power;
        float saturated = 380.0f * power / fmaf(-231.0f, power, pressure);
        float excess = (vapor - saturated) / fmaf(1.35e7f, saturated / (t * t), 1.0f);
        float condensed = fmaxf(excess, -cloud);
        vapor -= condensed;
        cloud += condensed;
        t = fmaf(2490.0f, condensed, t);
        // Cloud droplets become rain or freeze; rain freezes; snow and graupel melt.
        float made = 0.05f * fmaxf(cloud - 5.0e-4f, 0.0f);
        made = fmaf(cloud, rain / (rain + 1.0e-3f), made);
        made = fminf(made, cloud);
        float cold = fminf(fmaxf((273.16f - t) * 0.05f, 0.0f), 1.0f);
        float warm = fminf(fmaxf((t - 273.16f) * 0.1f, 0.0f), 1.0f);
        float iced = 0.1f * cold, hail = 0.2f * cold, solid = snow + graupel;
        float fused = fmaf(-warm, solid, fmaf(hail, rain, iced * made));
        cloud -= made;
        ice = fmaf(iced, made, ice);
        snow = fmaf(-warm, snow, snow);
        graupel = fmaf(-warm, graupel, fmaf(hail, rain, graupel));
        rain = fmaf(warm, solid, fmaf(-hail, rain, fmaf(-iced, made, made) + rain));
        t = fmaf(332.0f, fused, t);
        // Fall.
        float mass = pressure * depth / (287.0f * t);
        rain = fall(rain, 9.0f * rain / (rain + 2.0e-3f), &rain_flux, mass, depth, step);
        ice = fall(ice, 0.5f, &ice_flux, mass, depth, step);
        snow = fall(snow, 1.5f, &snow_flux, mass, depth, step);
        graupel = fall(graupel, 5.0f * graupel / (graupel + 1.0e-3f), &graupel_flux, mass, depth,
                       step);
        // Radiation and sums.
        float drops = cloud + rain, flakes = ice + (snow + graupel);
        float passed = beam / fmaf(4.0f * mass, fmaf(0.5f, flakes, drops), 1.0f);
        absorbed += beam - passed;
        beam = passed;
        liquid = fmaf(mass, drops, liquid);
        frozen = fmaf(mass, flakes, frozen);
        heat = fmaf(mass, t - before, heat);
        wet = fmaxf(wet, cloud);
        warmest = fmaxf(warmest, t);
        float *o = out + k * columns + i;
        o[0] = t;
        o[plane] = vapor;
        o[2 * plane] = cloud;
    }
    float all[11] = {rain_flux, ice_flux, snow_flux, graupel_flux, liquid, frozen,
                     heat,      wet,      warmest,   beam,         absorbed};
#pragma unroll
    for (int j = 0; j < 11; j++) sums[j * columns + i] = all[j];
}
