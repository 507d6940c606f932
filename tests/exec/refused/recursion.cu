// SPDX-License-Identifier: Apache-2.0
// A kernel that calls itself in a function: the compiler refuses it, the oracle executes it.
#include <cstdio>
#include <cuda_runtime.h>

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void fill(int *to) { to[threadIdx.x] = fibonacci(threadIdx.x % 12); }

int main() {
    int *p, got[64], wrong = 0;
    cudaFuncAttributes a;
    if (cudaMalloc(&p, sizeof got) || cudaFuncGetAttributes(&a, fill)) return 3;
    fill<<<1, 64>>>(p);
    if (cudaDeviceSynchronize()) return 4;
    cudaMemcpy(got, p, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++) {
        int a = 0, b = 1;
        for (int k = 0; k < i % 12; k++) b += a, a = b - a;
        wrong += got[i] != a;
    }
    puts(wrong || a.numRegs < 1 ? "FAILED" : "PASSED");
    return wrong != 0;
}
