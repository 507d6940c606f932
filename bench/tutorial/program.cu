// SPDX-License-Identifier: Apache-2.0
// A CUDA program with one kernel and a check of its own. Page 4 of the tutorial runs it. Usage: program [N]
#include "smooth.cu"
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

int main(int argc, char **argv) {
    unsigned n = argc > 1 ? atoi(argv[1]) : 4000;
    float *x, *y;
    cudaMallocManaged(&x, n * sizeof *x);
    cudaMallocManaged(&y, n * sizeof *y);
    for (unsigned i = 0; i < n; i++) x[i] = i;
    smooth<<<(n + 255) / 256, 256>>>(n, x, y);
    smooth<<<(n + 255) / 256, 256>>>(n, y, x);
    cudaDeviceSynchronize();
    cudaError_t error = cudaGetLastError();
    int bad = error != cudaSuccess;
    for (unsigned i = 2; i + 2 < n; i++) bad += x[i] != i;   // a mean of equal steps is the middle one
    printf("%s: %d wrong\n", cudaGetErrorString(error), bad);
    return bad != 0;
}
