// SPDX-License-Identifier: Apache-2.0
// montecarlo: the reference adds in double. A price that has grown is below 2 and off by at most
// ten roundings: 1.2e-6. Payments have means above 0.05 (price at least 1, strike at most 0.95), so
// their sum is off by 2.4e-5 of itself by that, and that of their squares, where the error counts
// twice, by 4.8e-5. Sums of n / 128 positive numbers and seven more in the tree add (n / 128 + 9) x
// 2^-24 of themselves: 1.5e-6 for 2048 samples, 3.1e-5 for 65536. So rtol 6e-5 (9e-5).
#include "bench.h"

#include <math.h>

void montecarlo_data(Bench *b) {
    uint32_t samples = bench_size(b, 2048, 65536), options = bench_size(b, 3, 32);
    float *sample = BENCH_ARRAY(float, samples), *option = BENCH_ARRAY(float, options * 3),
          *sums = BENCH_ARRAY(float, options * 2);
    for (uint32_t s = 0; s < samples; s++) {
        float sum = 0;  // of 12 uniform deviates: variance 1
        for (int k = 0; k < 12; k++) sum += bench_float(b, -0.5f, 0.5f);
        sample[s] = sum;
    }
    for (uint32_t c = 0; c < options; c++) {
        option[3 * c] = bench_float(b, 1.0f, 1.1f);
        option[3 * c + 1] = bench_float(b, 0.85f, 0.95f);
        option[3 * c + 2] = bench_float(b, 0.1f, 0.2f);
        double sum = 0, squares = 0;
        for (uint32_t s = 0; s < samples; s++) {
            // the series to the sixth power, as in the kernel, not exp
            double x = (double)option[3 * c + 2] * sample[s] + (double)-0.005f, term = 1,
                   series = 1;
            for (int k = 1; k <= 6; k++) series += term *= x / k;
            double paid = option[3 * c] * series - option[3 * c + 1];
            if (paid > 0) sum += paid, squares += paid * paid;
        }
        sums[2 * c] = (float)sum;
        sums[2 * c + 1] = (float)squares;
    }
    bench_save(b, "sample.bin", sample, samples * sizeof *sample);
    bench_save(b, "option.bin", option, options * 3 * sizeof *option);
    bench_save(b, "sums.bin", sums, options * 2 * sizeof *sums);
}
