// SPDX-License-Identifier: Apache-2.0
// elim_int: integers, exact. With all columns the result is the reduced echelon form, which is
// unique. With fewer the pivot is the first row with a value, in both. A third of the elements is
// zero; every fourth matrix has a row that is twice another.
#include "bench.h"

enum { N = 16, PRIME = 127 };

static int inverse(int a) {
    for (int r = 1; r < PRIME; r++)
        if (a * r % PRIME == 1) return r;
    return 0;
}

static void swap_rows(uint8_t *a, uint8_t *b) {
    for (int x = 0; x < N; x++) {
        uint8_t t = a[x];
        a[x] = b[x], b[x] = t;
    }
}

static int eliminate(uint8_t a[N][N], int columns) {
    int rank = 0;
    for (int column = 0; column < columns; column++) {
        int pivot = rank;
        while (pivot < N && !a[pivot][column]) pivot++;
        if (pivot == N) continue;
        swap_rows(a[pivot], a[rank]);
        int scale = inverse(a[rank][column]);
        for (int x = 0; x < N; x++) a[rank][x] = (uint8_t)(a[rank][x] * scale % PRIME);
        for (int y = 0; y < N; y++) {
            int factor = y == rank ? 0 : PRIME - a[y][column];
            for (int x = 0; x < N; x++)
                a[y][x] = (uint8_t)((a[y][x] + factor * a[rank][x]) % PRIME);
        }
        rank++;
    }
    return rank;
}

void elim_int_data(Bench *b) {
    int count = (int)bench_size(b, 1, 20), columns = (int)bench_size(b, 5, 16);
    uint8_t *m = BENCH_ARRAY(uint8_t, count * N * N), *ranks = BENCH_ARRAY(uint8_t, count);
    for (int i = 0; i < count * N * N; i++)
        m[i] = (uint8_t)(bench_below(b, 3) ? bench_below(b, PRIME) : 0);
    for (int i = 0; i < count; i += 4)
        for (int x = 0; x < N; x++)
            m[i * N * N + 5 * N + x] = (uint8_t)(2 * m[i * N * N + 9 * N + x] % PRIME);
    bench_save(b, "in.bin", m, (size_t)(count * N * N));
    for (int i = 0; i < count; i++)
        ranks[i] = (uint8_t)eliminate((uint8_t(*)[N])(m + i * N * N), columns);
    bench_save(b, "out.bin", m, (size_t)(count * N * N));
    bench_save(b, "ranks.bin", ranks, (size_t)count);
}
