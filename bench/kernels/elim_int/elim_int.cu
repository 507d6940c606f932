// SPDX-License-Identifier: Apache-2.0
// elim_int: elimination of many small matrices modulo 127, each in the shared memory of a CTA.
// Values of one byte, a search for the pivot, reduction by multiplication with a constant.
#include "cuda_min.h"

#define N 16
#define PRIME 127u

// 1 / a modulo PRIME, as a to the power of PRIME - 2 = 1111101b.
static __device__ __forceinline__ unsigned inverse(unsigned a) {
    unsigned r = a;
#pragma unroll
    for (int bit = 5; bit >= 0; bit--) {
        r = r * r % PRIME;
        if ((PRIME - 2) >> bit & 1) r = r * a % PRIME;
    }
    return r;
}

// One CTA per matrix, one thread per element: the matrix, its first columns eliminated, and its rank
// so far.
extern "C" __global__ void elim_int(unsigned char *matrices, unsigned char *ranks, int columns) {
    __shared__ unsigned a[N][N];
    int x = (int)threadIdx.x, y = (int)threadIdx.y, rank = 0;
    unsigned char *mine = matrices + (int)blockIdx.x * N * N + y * N + x;
    a[y][x] = *mine;
    __syncthreads();
    for (int column = 0; column < columns; column++) {
        int pivot = rank;
        while (pivot < N && a[pivot][column] == 0) pivot++;
        if (pivot >= N) continue; // the same in all threads
        unsigned below = a[pivot][x], here = a[rank][x], lead = a[pivot][column];
        unsigned own = y == pivot ? here : a[y][x]; // rows exchanged
        unsigned factor = y == pivot ? a[rank][column] : a[y][column];
        unsigned unit = below * inverse(lead) % PRIME;
        unsigned next = y == rank ? unit : (own + (PRIME - factor) * unit) % PRIME;
        __syncthreads();
        a[y][x] = next;
        rank++;
        __syncthreads();
    }
    *mine = (unsigned char)a[y][x];
    if (x + y == 0) ranks[blockIdx.x] = (unsigned char)rank;
}
