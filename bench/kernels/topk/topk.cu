// SPDX-License-Identifier: Apache-2.0
// topk: the 6 smallest of a row per thread, in a local array with indices known only at run time.
// Local memory loads and stores, insertion loops that differ per lane.
#include "cuda_min.h"

#define K 6

// Element j of row i is in[j * rows + i]. out: K values per row, ascending.
extern "C" __global__ void topk(const int *in, int *out, int rows, int length) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= rows) return;
    int best[K], held = 0;
#pragma unroll 1
    for (int j = 0; j < length; j++) {
        int v = in[j * rows + i], at = held;
        if (held == K) {
            if (v >= best[K - 1]) continue;
            at = K - 1;
        } else {
            held++;
        }
#pragma unroll 1
        while (at > 0 && best[at - 1] > v) {
            best[at] = best[at - 1];
            at--;
        }
        best[at] = v;
    }
#pragma unroll 1
    for (int k = 0; k < K; k++) out[k * rows + i] = best[k];
}
