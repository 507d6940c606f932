// SPDX-License-Identifier: Apache-2.0
// wmma as the CUDA header writes it: a product of two halves matrices by tiles, and one of bytes, against the host.
#include <cstdio>
#include <cstdlib>
#include <mma.h>

using namespace nvcuda;

const int SIDE = 32;  // two tiles each way

__global__ void halves(const half *a, const half *b, float *c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    const int row = threadIdx.x / 32 % 2 * 16, column = threadIdx.x / 64 * 16;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < SIDE; k += 16) {
        wmma::load_matrix_sync(x, a + row * SIDE + k, SIDE);
        wmma::load_matrix_sync(y, b + column * SIDE + k, SIDE);
        wmma::mma_sync(sum, x, y, sum);
    }
    for (int i = 0; i < sum.num_elements; i++) sum.x[i] *= 2;
    wmma::store_matrix_sync(c + row * SIDE + column, sum, SIDE, wmma::mem_row_major);
}

__global__ void bytes(const signed char *a, const signed char *b, int *c) {
    wmma::fragment<wmma::matrix_a, 8, 32, 16, signed char, wmma::col_major> x;
    wmma::fragment<wmma::matrix_b, 8, 32, 16, signed char, wmma::row_major> y;
    wmma::fragment<wmma::accumulator, 8, 32, 16, int> sum;
    wmma::load_matrix_sync(x, a, 8);
    wmma::load_matrix_sync(y, b, 32);
    wmma::fill_fragment(sum, 5);
    wmma::mma_sync(sum, x, y, sum);
    wmma::store_matrix_sync(c, sum, 8, wmma::mem_col_major);
}

int main() {
    half *a, *b;
    float *c;
    signed char *p, *q;
    int *r, wrong = 0;
    cudaMallocManaged(&a, SIDE * SIDE * sizeof *a);
    cudaMallocManaged(&b, SIDE * SIDE * sizeof *b);
    cudaMallocManaged(&c, SIDE * SIDE * sizeof *c);
    cudaMallocManaged(&p, 8 * 16);
    cudaMallocManaged(&q, 16 * 32);
    cudaMallocManaged(&r, 8 * 32 * sizeof *r);
    for (int i = 0; i < SIDE * SIDE; i++) a[i] = (float)(i * 7 % 23 - 11) / 8, b[i] = (float)(i * 5 % 19 - 9) / 4;
    for (int i = 0; i < 8 * 16; i++) p[i] = (signed char)(i * 37);
    for (int i = 0; i < 16 * 32; i++) q[i] = (signed char)(i * 91 + 3);
    halves<<<1, 128>>>(a, b, c);
    bytes<<<1, 32>>>(p, q, r);
    if (cudaDeviceSynchronize()) return puts("FAILED"), 1;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            float sum = 0;  // exact
            for (int k = 0; k < SIDE; k++) sum += (float)a[i * SIDE + k] * (float)b[j * SIDE + k];
            wrong += c[i * SIDE + j] != 2 * sum;
        }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 32; j++) {
            int sum = 5;
            for (int k = 0; k < 16; k++) sum += p[k * 8 + i] * q[k * 32 + j];
            wrong += r[j * 8 + i] != sum;
        }
    puts(wrong ? "FAILED" : "PASSED");
    return wrong != 0;
}
