// SPDX-License-Identifier: Apache-2.0
// particle: integers, and floats in a given order: exact. (A deviate is a multiple of 2^-15 below
// 1, so that it does not matter whether it is fused.) The reference adds weights up one after the
// other and walks through them once.
#include "bench.h"

#include <math.h>

enum { PARTICLES = 512 };

typedef struct Particle {
    float x, y, vx, vy;
    uint32_t seed, weight, from;
} Particle;

static float noise(Particle *p) {
    p->seed = p->seed * 1664525u + 1013904223u;
    return (float)(p->seed >> 16) / 32768.0f - 1.0f;
}

static int32_t inside(float v, int32_t size) {
    int32_t i = (int32_t)v;
    return i < 2 ? 2 : i > size - 3 ? size - 3 : i;
}

static uint32_t weight(const uint8_t *image, const Particle *p, int32_t size) {
    static const int arm[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    int32_t col = inside(p->x, size), row = inside(p->y, size);
    uint32_t sum = image[row * size + col];
    for (int k = 0; k < 8; k++) {
        int32_t far = 1 + k / 4;
        sum += image[(row + far * arm[k % 4][1]) * size + col + far * arm[k % 4][0]];
    }
    return sum / 8 * (sum / 8) + 1;
}

static void resample(Particle *set) {
    Particle old[PARTICLES];
    uint32_t total = 0, below = 0, j = 0;
    for (uint32_t i = 0; i < PARTICLES; i++) total += set[i].weight, old[i] = set[i];
    uint32_t share = total / PARTICLES;
    for (uint32_t i = 0; i < PARTICLES; i++) {
        Particle *p = &set[i];
        while (below + old[j].weight <= share * i + share / 2) below += old[j++].weight;
        p->x = old[j].x, p->y = old[j].y, p->vx = old[j].vx, p->vy = old[j].vy;
        p->from = j;
        if (j == i) continue;
        p->vx = fmaf(0.125f, noise(p), p->vx);
        p->vy = fmaf(0.125f, noise(p), p->vy);
        if (p->weight < 64) p->x += noise(p);
    }
}

// A spot that moves to the lower right over a dim ground.
static void draw(Bench *b, uint8_t *image, int32_t size, int32_t frame) {
    for (int32_t y = 0; y < size; y++)
        for (int32_t x = 0; x < size; x++) {
            int32_t dx = x - size / 3 - frame, dy = y - size / 3 - frame;
            int32_t glow = 240 - 3 * (dx * dx + dy * dy);
            uint32_t ground = bench_below(b, 12);
            image[y * size + x] = (uint8_t)(glow > 0 ? (uint32_t)glow : ground);
        }
}

void particle_data(Bench *b) {
    int32_t size = 64, frames = (int32_t)bench_size(b, 2, 8), pixels = size * size;
    uint32_t filters = bench_size(b, 1, 48), all = filters * PARTICLES;
    uint8_t *image = BENCH_ARRAY(uint8_t, (size_t)(frames * pixels));
    float *in = BENCH_ARRAY(float, all * 4), *out = BENCH_ARRAY(float, all * 4);
    uint32_t *from = BENCH_ARRAY(uint32_t, all);
    for (int32_t f = 0; f < frames; f++) draw(b, image + f * pixels, size, f);
    for (uint32_t i = 0; i < all * 4; i++)
        in[i] = i < 2 * all ? (float)size / 3 + bench_float(b, -12, 12) : bench_float(b, 0, 2);
    for (uint32_t k = 0; k < filters; k++) {
        Particle set[PARTICLES];
        for (uint32_t t = 0; t < PARTICLES; t++) {
            uint32_t i = k * PARTICLES + t;
            set[t] = (Particle){in[i],
                                in[all + i],
                                in[2 * all + i],
                                in[3 * all + i],
                                i * 747796405u + 2891336453u,
                                0,
                                t};
        }
        for (int32_t f = 0; f < frames; f++) {
            for (uint32_t t = 0; t < PARTICLES; t++) {
                float dx = set[t].vx + noise(&set[t]), dy = set[t].vy + noise(&set[t]);
                set[t].x += dx;
                set[t].y += dy;
                set[t].weight = weight(image + f * pixels, &set[t], size);
            }
            resample(set);
        }
        for (uint32_t t = 0; t < PARTICLES; t++) {
            const float last[4] = {set[t].x, set[t].y, set[t].vx, set[t].vy};
            for (uint32_t j = 0; j < 4; j++) out[j * all + k * PARTICLES + t] = last[j];
            from[k * PARTICLES + t] = set[t].from;
        }
    }
    bench_save(b, "image.bin", image, (size_t)(frames * pixels));
    bench_save(b, "in.bin", in, all * 4 * sizeof *in);
    bench_save(b, "out.bin", out, all * 4 * sizeof *out);
    bench_save(b, "from.bin", from, all * sizeof *from);
}
