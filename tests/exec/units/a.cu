// SPDX-License-Identifier: Apache-2.0
// Two units (nvcc -rdc=true): functions and variables of one are used by the other; both have a `helper` of their own.
#include <cstdio>
extern __device__ int shared_counter;
extern __constant__ int factor;
__device__ int scale(int v);
static __device__ int helper(int v) { return v + 1; }
__global__ void run(int *p) { p[threadIdx.x] = helper(scale(p[threadIdx.x])); if (!threadIdx.x) shared_counter += factor; }
int counter();
int main() {
    int h[32], *d; for (int i = 0; i < 32; i++) h[i] = i;
    cudaMalloc(&d, sizeof h); cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    run<<<1, 32>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    int bad = counter() != 105; for (int i = 0; i < 32; i++) bad += h[i] != 3 * i + 2 + 1;
    printf("%s %s\n", cudaGetErrorString(cudaGetLastError()), bad ? "FAILED" : "PASSED"); return bad != 0;
}
