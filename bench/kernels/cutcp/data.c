// SPDX-License-Identifier: Apache-2.0
// cutcp: the reference computes in double. Error of the kernel: the squared distance has a relative
// error of 4 x 2^-24, so its root 2 x 2^-24, rsqrt.approx 2^-22 and three roundings: 5.5e-7 of
// charge / distance; the fading factor is off by 5 x 2^-24 and enters squared: 6e-7. At the border
// a term is 0 whether taken or not, within 1e-12. Atoms are at least 0.5 above or below the plane,
// so |charge| / distance is below 2; the sum over the atoms in reach of one point is below 8:
// 9.2e-6, and adding up 16 of them brings 16 x 8 x 2^-24 = 7.6e-6: atol 2e-5 in the launch files.
#include "bench.h"

#include <math.h>

void cutcp_data(Bench *b) {
    uint32_t wide = bench_size(b, 128, 256), rows = bench_size(b, 16, 256);
    uint32_t atoms = bench_size(b, 24, 256);
    float *atom = BENCH_ARRAY(float, atoms * 4), *sum = BENCH_ARRAY(float, wide *rows);
    for (uint32_t a = 0; a < atoms; a++) {
        float height = bench_float(b, 0.5f, 2);
        atom[a * 4] = bench_float(b, 0, (float)wide * 0.5f);
        atom[a * 4 + 1] = bench_float(b, -2, (float)rows * 0.5f + 2);
        atom[a * 4 + 2] = bench_below(b, 2) ? height : -height;
        atom[a * 4 + 3] = bench_float(b, -1, 1);
    }
    for (uint32_t i = 0; i < wide * rows; i++) {
        double potential = 0, at[2] = {i % wide * 0.5, i / wide * 0.5};
        for (uint32_t a = 0; a < atoms; a++) {
            const float *o = atom + a * 4;
            double r = hypot(hypot(o[0] - at[0], o[1] - at[1]), o[2]);
            if (r < 4) potential += o[3] / r * pow(1 - r * r / 16, 2);
        }
        sum[i] = (float)potential;
    }
    bench_save(b, "atom.bin", atom, atoms * 4 * sizeof *atom);
    bench_save(b, "potential.bin", sum, wide * rows * sizeof *sum);
}
