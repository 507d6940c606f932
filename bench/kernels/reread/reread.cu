// SPDX-License-Identifier: Apache-2.0
// reread: 32 KB of narrow words read again and again past L1 (.cg). Its lines stay in L2, and where L2 holds them
// compressed, each read is decompressed anew (nvcc-only: no clang form).
#include "cuda_min.h"

extern "C" __global__ void reread(unsigned n, unsigned rounds, const unsigned *in, unsigned *__restrict__ out) {
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (unsigned r = 0; r < rounds; r++) {
        unsigned word;
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(word) : "l"(in + (at + r * 32) % n));
        sum += word;
    }
    out[at] = sum;
}
