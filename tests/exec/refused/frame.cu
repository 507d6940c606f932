// SPDX-License-Identifier: Apache-2.0
// A recursive function whose frame is larger than the stack: the compiler refuses the kernel, the oracle executes it.
#include <cstdio>
#include <cuda_runtime.h>

__device__ __noinline__ int climb(int n, int *below) {
    int mine[2500];
    for (int i = 0; i < 2500; i += 500) mine[i] = n + i + (below ? below[i] : 0);
    return n ? climb(n - 1, mine) + mine[1000] : mine[2000];
}
__global__ void fill(int *to) { to[threadIdx.x] = climb(threadIdx.x % 3, nullptr); }

int main() {
    int *p, got[64], wrong = 0;
    cudaFuncAttributes a;
    if (cudaMalloc(&p, sizeof got) || cudaFuncGetAttributes(&a, fill)) return 3;
    fill<<<1, 64>>>(p);
    if (cudaDeviceSynchronize()) return 4;
    cudaMemcpy(got, p, sizeof got, cudaMemcpyDeviceToHost);
    const int right[] = {2000, 1001 + 4001, 1002 + 2003 + 6003};
    for (int i = 0; i < 64; i++) wrong += got[i] != right[i % 3];
    puts(wrong || a.numRegs < 1 ? "FAILED" : "PASSED");
    return wrong != 0;
}
