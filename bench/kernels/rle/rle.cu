// SPDX-License-Identifier: Apache-2.0
// rle: run lengths of bytes. Flags where a run begins, a prefix sum of the flags in shared memory,
// the k-th run's value and length to place k.
#include "cuda_min.h"

#define CHUNK 256

// One CTA per segment of `chunks` x CHUNK bytes; a run ends with its chunk at the latest. Lengths
// are 1 .. CHUNK and are stored less one.
extern "C" __global__ void rle(const unsigned char *in, unsigned char *values,
                               unsigned char *lengths, unsigned short *runs, int chunks) {
    __shared__ unsigned short sum[2][CHUNK], start[CHUNK + 1];
    int t = (int)threadIdx.x, segment = (int)blockIdx.x * chunks * CHUNK, total = 0;
    for (int c = 0; c < chunks; c++) {
        const unsigned char *p = in + segment + c * CHUNK + t;
        int value = p[0], begins = t == 0 || p[-1] != value, now = 0;
        sum[0][t] = (unsigned short)begins;
        __syncthreads();
#pragma unroll
        for (int d = 1; d < CHUNK; d *= 2) {
            int s = sum[now][t];
            if (t >= d) s += sum[now][t - d];
            now ^= 1;
            sum[now][t] = (unsigned short)s;
            __syncthreads();
        }
        int mine = sum[now][t], count = sum[now][CHUNK - 1];
        if (begins) {
            start[mine - 1] = (unsigned short)t;
            values[segment + total + mine - 1] = (unsigned char)value;
        }
        if (t == 0) start[count] = CHUNK;
        __syncthreads();
        if (t < count) lengths[segment + total + t] = (unsigned char)(start[t + 1] - start[t] - 1);
        total += count;
    }
    if (t == 0) runs[blockIdx.x] = (unsigned short)total;
}
