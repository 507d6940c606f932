// SPDX-License-Identifier: Apache-2.0
// conv3d: a product and a chain of ten fma: exact. Points at the border stay 0.
#include "bench.h"

#include <math.h>

typedef struct Tap {
    int z, y, x;
    float factor;
} Tap;
static const Tap taps[] = {{-1, -1, -1, 0.2f}, {-1, 0, 0, -0.3f}, {-1, 1, 1, 0.4f},
                           {0, -1, 0, 0.5f},   {0, 0, -1, -0.6f}, {0, 0, 0, 0.7f},
                           {0, 0, 1, -0.8f},   {0, 1, 0, 0.9f},   {1, -1, 1, 0.1f},
                           {1, 0, 0, -0.2f},   {1, 1, -1, 0.3f}};
enum { TAPS = sizeof taps / sizeof *taps };

void conv3d_data(Bench *b) {
    const int size = (int)bench_size(b, 36, 64), planes = (int)bench_size(b, 4, 8);
    const size_t points = (size_t)(planes * size * size);
    float *in = BENCH_ARRAY(float, points), *out = BENCH_ARRAY(float, points);
    bench_floats(b, in, points, -1, 1);
    for (int t = 0; t < TAPS; t++)
        for (int z = 1; z < planes - 1; z++)
            for (int y = 1; y < size - 1; y++)
                for (int x = 1; x < size - 1; x++) {
                    float *to = &out[(z * size + y) * size + x];
                    const float from =
                        in[((z + taps[t].z) * size + y + taps[t].y) * size + x + taps[t].x];
                    *to = t ? fmaf(taps[t].factor, from, *to) : taps[t].factor * from;
                }
    bench_save(b, "in.bin", in, points * sizeof *in);
    bench_save(b, "out.bin", out, points * sizeof *out);
}
