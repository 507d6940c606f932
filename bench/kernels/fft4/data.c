// SPDX-License-Identifier: Apache-2.0
// fft4: inputs are within 1, and |angle| <= 9 pi / 8. sin.approx and cos.approx are within 2^-20.5
// there (2^-20.9 up to pi); each of four values is off by at most 2 x 6.8e-7, and by half an ulp of
// up to 5.7 in each of four additions (2.4e-7). Together 6.5e-6: the bound is 1e-5.
#include "bench.h"

#include <math.h>

void fft4_data(Bench *b) {
    const uint32_t quarter = bench_size(b, 2048, 65536), n = 4 * quarter;
    float *re = BENCH_ARRAY(float, n), *im = BENCH_ARRAY(float, n);
    float *out_re = BENCH_ARRAY(float, n), *out_im = BENCH_ARRAY(float, n);
    bench_floats(b, re, n, -1, 1);
    bench_floats(b, im, n, -1, 1);
    bench_save(b, "re.bin", re, n * sizeof *re);
    bench_save(b, "im.bin", im, n * sizeof *im);
    for (uint32_t t = 0; t < quarter; t++) {
        double a[4], c[4];
        for (uint32_t k = 0; k < 4; k++) {
            const double angle = -0.392699082 * (double)((t & 3) * k), x = re[t + k * quarter],
                         y = im[t + k * quarter];
            a[k] = x * cos(angle) - y * sin(angle);
            c[k] = x * sin(angle) + y * cos(angle);
        }
        for (uint32_t j = 0; j < 4; j++) {  // times the powers of -i
            double x = 0, y = 0;
            for (uint32_t k = 0; k < 4; k++) {
                const uint32_t turn = j * k & 3;
                x += turn == 0 ? a[k] : turn == 1 ? c[k] : turn == 2 ? -a[k] : -c[k];
                y += turn == 0 ? c[k] : turn == 1 ? -a[k] : turn == 2 ? -c[k] : a[k];
            }
            out_re[t + j * quarter] = (float)x;
            out_im[t + j * quarter] = (float)y;
        }
    }
    bench_save(b, "out_re.bin", out_re, n * sizeof *out_re);
    bench_save(b, "out_im.bin", out_im, n * sizeof *out_im);
}
