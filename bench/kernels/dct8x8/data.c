// SPDX-License-Identifier: Apache-2.0
// dct8x8: two chains of 8 fma per coefficient, in a given order, with the table's values: exact.
#include "bench.h"

#include <math.h>

static const float cosine[8][8] = {{0.35355338f, 0.35355338f, 0.35355338f, 0.35355338f, 0.35355338f,
                                    0.35355338f, 0.35355338f, 0.35355338f},
                                   {0.49039263f, 0.4157348f, 0.2777851f, 0.09754516f, -0.09754516f,
                                    -0.2777851f, -0.4157348f, -0.49039263f},
                                   {0.46193975f, 0.19134171f, -0.19134171f, -0.46193975f,
                                    -0.46193975f, -0.19134171f, 0.19134171f, 0.46193975f},
                                   {0.4157348f, -0.09754516f, -0.49039263f, -0.2777851f, 0.2777851f,
                                    0.49039263f, 0.09754516f, -0.4157348f},
                                   {0.35355338f, -0.35355338f, -0.35355338f, 0.35355338f,
                                    0.35355338f, -0.35355338f, -0.35355338f, 0.35355338f},
                                   {0.2777851f, -0.49039263f, 0.09754516f, 0.4157348f, -0.4157348f,
                                    -0.09754516f, 0.49039263f, -0.2777851f},
                                   {0.19134171f, -0.46193975f, 0.46193975f, -0.19134171f,
                                    -0.19134171f, 0.46193975f, -0.46193975f, 0.19134171f},
                                   {0.09754516f, -0.2777851f, 0.4157348f, -0.49039263f, 0.49039263f,
                                    -0.4157348f, 0.2777851f, -0.09754516f}};

static void block(const uint8_t *in, int16_t *out, int width) {
    float row[8][8];
    for (int y = 0; y < 8; y++)
        for (int u = 0; u < 8; u++) {
            float sum = 0;
            for (int i = 0; i < 8; i++)
                sum = fmaf(cosine[u][i], (float)in[y * width + i] - 128.0f, sum);
            row[y][u] = sum;
        }
    for (int v = 0; v < 8; v++)
        for (int u = 0; u < 8; u++) {
            float sum = 0;
            for (int i = 0; i < 8; i++) sum = fmaf(cosine[v][i], row[i][u], sum);
            out[v * width + u] = (int16_t)(int)(sum < 0 ? sum - 0.5f : sum + 0.5f);
        }
}

void dct8x8_data(Bench *b) {
    int width = (int)bench_size(b, 48, 384), height = (int)bench_size(b, 32, 256);
    uint8_t *in = BENCH_ARRAY(uint8_t, width * height);
    int16_t *out = BENCH_ARRAY(int16_t, width * height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width;
             x++)  // smooth with noise: most coefficients are small, as in a picture
            in[y * width + x] = (uint8_t)((x * 3 + y * 2) % 224 + (int)bench_below(b, 32));
    for (int y = 0; y < height; y += 8)
        for (int x = 0; x < width; x += 8) block(in + y * width + x, out + y * width + x, width);
    bench_save(b, "in.bin", in, (size_t)(width * height));
    bench_save(b, "out.bin", out, (size_t)(width * height) * sizeof *out);
}
