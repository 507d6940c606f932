// SPDX-License-Identifier: Apache-2.0
// sad: integers, exact. The reference frame is the current one moved by (2, 5) with a little noise,
// so that one displacement is distinct as in a video.
#include "bench.h"

#include <stdlib.h>

enum { BLOCK = 4, RANGE = 8 };

void sad_data(Bench *b) {
    int width = (int)bench_size(b, 24, 160), height = (int)bench_size(b, 16, 96);
    int rwidth = width + RANGE - 1, rheight = height + RANGE - 1;
    uint8_t *cur = BENCH_ARRAY(uint8_t, width * height),
            *ref = BENCH_ARRAY(uint8_t, rwidth * rheight);
    uint16_t *out = BENCH_ARRAY(uint16_t, width / BLOCK * (height / BLOCK) * RANGE * RANGE),
             *o = out;
    for (int i = 0; i < width * height; i++) cur[i] = (uint8_t)bench_below(b, 256);
    for (int y = 0; y < rheight; y++)
        for (int x = 0; x < rwidth; x++) {
            bool inside = x >= 2 && y >= 5 && x - 2 < width && y - 5 < height;
            uint32_t base = inside ? cur[(y - 5) * width + x - 2] : bench_below(b, 248);
            ref[y * rwidth + x] = (uint8_t)(base < 248 ? base + bench_below(b, 8) : base);
        }
    for (int y = 0; y < height; y += BLOCK)
        for (int x = 0; x < width; x += BLOCK)
            for (int dy = 0; dy < RANGE; dy++)
                for (int dx = 0; dx < RANGE; dx++, o++)
                    for (int i = 0; i < BLOCK * BLOCK; i++)
                        *o = (uint16_t)(*o +
                                        abs(cur[(y + i / BLOCK) * width + x + i % BLOCK] -
                                            ref[(y + dy + i / BLOCK) * rwidth + x + dx +
                                                i % BLOCK]));
    bench_save(b, "cur.bin", cur, (size_t)(width * height));
    bench_save(b, "ref.bin", ref, (size_t)(rwidth * rheight));
    bench_save(b, "out.bin", out, (size_t)(o - out) * sizeof *out);
}
