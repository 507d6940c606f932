// SPDX-License-Identifier: Apache-2.0
// column: fma, IEEE divisions, additions and minima in a given order: exact. The reference treats
// the falling species alike and one process after the other.
#include "bench.h"

#include <math.h>

enum { IN = 9, OUT = 3, SUMS = 11 };
enum { T, PRESSURE, DEPTH, VAPOR, CLOUD, RAIN, ICE, SNOW, GRAUPEL };
enum { LIQUID = 4, FROZEN, HEAT, WET, WARMEST, BEAM, ABSORBED };

static const float step = 10;

static float within(float v, float low, float high) { return v < low ? low : v > high ? high : v; }

static void sink(float *level, const float *above) {
    static const int moved[3] = {T, VAPOR, CLOUD};
    float share = step / fmaf(20, level[DEPTH], step);
    for (int j = 0; j < 3; j++) {
        float *q = &level[moved[j]];
        *q = fmaf(share, above[moved[j]] - *q, *q);
    }
}

static void condense(float *q) {
    float power = fmaf(17.27f / 16, (q[T] - 273.16f) / (q[T] - 35.86f), 1);
    for (int i = 0; i < 4; i++) power *= power;
    float saturated = 380 * power / fmaf(-231, power, q[PRESSURE]);
    float excess = (q[VAPOR] - saturated) / fmaf(1.35e7f, saturated / (q[T] * q[T]), 1);
    if (excess < -q[CLOUD]) excess = -q[CLOUD];
    q[VAPOR] -= excess;
    q[CLOUD] += excess;
    q[T] = fmaf(2490, excess, q[T]);
}

static void convert(float *q) {
    float over = q[CLOUD] - 5.0e-4f, made = 0.05f * (over > 0 ? over : 0);
    made = fmaf(q[CLOUD], q[RAIN] / (q[RAIN] + 1.0e-3f), made);
    if (made > q[CLOUD]) made = q[CLOUD];
    float cold = within((273.16f - q[T]) * 0.05f, 0, 1), iced = 0.1f * cold, hail = 0.2f * cold;
    float warm = within((q[T] - 273.16f) * 0.1f, 0, 1), solid = q[SNOW] + q[GRAUPEL];
    q[T] = fmaf(332, fmaf(-warm, solid, fmaf(hail, q[RAIN], iced * made)), q[T]);
    q[GRAUPEL] = fmaf(-warm, q[GRAUPEL], fmaf(hail, q[RAIN], q[GRAUPEL]));
    q[RAIN] = fmaf(warm, solid, fmaf(-hail, q[RAIN], fmaf(-iced, made, made) + q[RAIN]));
    q[SNOW] = fmaf(-warm, q[SNOW], q[SNOW]);
    q[ICE] = fmaf(iced, made, q[ICE]);
    q[CLOUD] -= made;
}

static void fall(float *q, float *flux, float mass) {
    float speed[4] = {9 * q[RAIN] / (q[RAIN] + 2.0e-3f), 0.5f, 1.5f,
                      5 * q[GRAUPEL] / (q[GRAUPEL] + 1.0e-3f)};
    for (int j = 0; j < 4; j++) {
        float grown = fmaf(step, flux[j] / mass, q[RAIN + j]);
        q[RAIN + j] = grown / fmaf(step, speed[j] / q[DEPTH], 1);
        flux[j] = speed[j] * (mass / q[DEPTH]) * q[RAIN + j];
    }
}

static void add_up(const float *q, float *sum, float mass, float before) {
    float drops = q[CLOUD] + q[RAIN], flakes = q[ICE] + (q[SNOW] + q[GRAUPEL]);
    float passed = sum[BEAM] / fmaf(4 * mass, fmaf(0.5f, flakes, drops), 1);
    sum[ABSORBED] += sum[BEAM] - passed;
    sum[BEAM] = passed;
    sum[LIQUID] = fmaf(mass, drops, sum[LIQUID]);
    sum[FROZEN] = fmaf(mass, flakes, sum[FROZEN]);
    sum[HEAT] = fmaf(mass, q[T] - before, sum[HEAT]);
    sum[WET] = within(q[CLOUD], sum[WET], INFINITY);
    sum[WARMEST] = within(q[T], sum[WARMEST], INFINITY);
}

static void fill(Bench *b, float *in, uint32_t columns, uint32_t levels) {
    static const float high[IN] = {4, 0, 400, 4.0e-3f, 2.0e-3f, 2.0e-3f, 5.0e-4f, 1.0e-3f, 1.0e-3f};
    for (uint32_t p = 0; p < IN; p++)
        for (uint32_t k = 0; k < levels; k++)
            for (uint32_t i = 0; i < columns; i++) {
                float v = bench_float(b, 0, 1) * high[p], down = (float)k / (float)levels;
                if (p == T) v += 230 + 65 * down;
                if (p == PRESSURE) v = 30000 + 70000 * down;
                if (p == DEPTH) v += 100;
                if (p == VAPOR) v += 8.0e-3f * down;
                in[(p * levels + k) * columns + i] = v;
            }
}

void column_data(Bench *b) {
    uint32_t columns = bench_size(b, 100, 8192), levels = bench_size(b, 4, 30);
    uint32_t plane = columns * levels;
    float *in = BENCH_ARRAY(float, plane *IN), *out = BENCH_ARRAY(float, plane *OUT);
    float *sums = BENCH_ARRAY(float, columns *SUMS);
    fill(b, in, columns, levels);
    for (uint32_t i = 0; i < columns; i++) {
        float sum[SUMS] = {[BEAM] = 1}, above[IN], q[IN];
        for (uint32_t k = 0; k < levels; k++) {
            float read[IN];
            for (uint32_t p = 0; p < IN; p++) q[p] = read[p] = in[p * plane + k * columns + i];
            sink(q, k > 0 ? above : read);
            condense(q);
            convert(q);
            float mass = q[PRESSURE] * q[DEPTH] / (287 * q[T]);
            fall(q, sum, mass);
            add_up(q, sum, mass, read[T]);
            out[k * columns + i] = q[T];
            out[plane + k * columns + i] = q[VAPOR];
            out[2 * plane + k * columns + i] = q[CLOUD];
            for (uint32_t p = 0; p < IN; p++) above[p] = read[p];
        }
        for (uint32_t j = 0; j < SUMS; j++) sums[j * columns + i] = sum[j];
    }
    bench_save(b, "in.bin", in, plane * IN * sizeof *in);
    bench_save(b, "out.bin", out, plane * OUT * sizeof *out);
    bench_save(b, "sums.bin", sums, columns * SUMS * sizeof *sums);
}
