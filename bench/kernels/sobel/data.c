// SPDX-License-Identifier: Apache-2.0
// sobel: integers, exact. The reference convolves with both masks.
#include "bench.h"

#include <stdlib.h>

void sobel_data(Bench *b) {
    static const int mask[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
    int width = (int)bench_size(b, 320, 1024), height = (int)bench_size(b, 12, 128),
        pitch = width + 8;
    uint8_t *in = BENCH_ARRAY(uint8_t, pitch * (height + 2)),
            *out = BENCH_ARRAY(uint8_t, width * height);
    for (int i = 0; i < pitch * (height + 2); i++)
        in[i] = (uint8_t)bench_below(b, 100 + 150 * (uint32_t)(i / 7 & 1));
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int sum[2] = {0, 0};
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) {
                    int v = in[(y + r) * pitch + x + 3 + c];
                    sum[0] += mask[r][c] * v;
                    sum[1] += mask[c][r] * v;
                }
            int size = (abs(sum[0]) + abs(sum[1])) / 2;
            out[y * width + x] = (uint8_t)(size > 255 ? 255 : size);
        }
    bench_save(b, "in.bin", in, (size_t)(pitch * (height + 2)));
    bench_save(b, "out.bin", out, (size_t)(width * height));
}
