// SPDX-License-Identifier: Apache-2.0
// laplace3d: additions in a given order, one multiplication: exact.
#include "bench.h"

void laplace3d_data(Bench *b) {
    int nx = (int)bench_size(b, 40, 96), ny = (int)bench_size(b, 10, 72),
        nz = (int)bench_size(b, 5, 20);
    int plane = nx * ny;
    size_t n = (size_t)(plane * nz);
    float *in = BENCH_ARRAY(float, n), *out = BENCH_ARRAY(float, n);
    bench_floats(b, in, n, -1, 1);
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++) {
                int i = z * plane + y * nx + x;
                out[i] = in[i];
                if (x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1)
                    continue;
                float sides = (in[i - 1] + in[i + 1]) + (in[i - nx] + in[i + nx]);
                out[i] = (sides + (in[i - plane] + in[i + plane])) * (1.0f / 6.0f);
            }
    bench_save(b, "in.bin", in, n * sizeof *in);
    bench_save(b, "out.bin", out, n * sizeof *out);
}
