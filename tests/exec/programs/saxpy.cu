// SPDX-License-Identifier: Apache-2.0
// A program as most are: constant and device variables, events, printf, a check of its own.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
__constant__ float scale[2];
__device__ int counter;
__global__ void saxpy(float *y, const float *x, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * scale[1] * x[i] + y[i];
    if (i == 0) { atomicAdd(&counter, 1); printf("hello from %d\n", n); }
}
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    cudaDeviceProp p; cudaGetDeviceProperties(&p, 0);
    printf("%s %d.%d %d SMs\n", p.name, p.major, p.minor, p.multiProcessorCount);
    float *x = (float *)malloc(4 * n), *y = (float *)malloc(4 * n), *dx, *dy;
    for (int i = 0; i < n; i++) x[i] = i, y[i] = 1;
    cudaMalloc(&dx, 4 * n); cudaMalloc(&dy, 4 * n);
    cudaMemcpy(dx, x, 4 * n, cudaMemcpyHostToDevice); cudaMemcpy(dy, y, 4 * n, cudaMemcpyHostToDevice);
    float s[2] = {0, 2}; cudaMemcpyToSymbol(scale, s, sizeof s);
    cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b); cudaEventRecord(a);
    saxpy<<<(n + 127) / 128, 128>>>(dy, dx, 3.0f, n);
    saxpy<<<(n + 127) / 128, 128>>>(dy, dx, 3.0f, n);
    cudaEventRecord(b); cudaEventSynchronize(b); float ms; cudaEventElapsedTime(&ms, a, b);
    printf("%s, %f ms\n", cudaGetErrorString(cudaGetLastError()), ms);
    cudaMemcpy(y, dy, 4 * n, cudaMemcpyDeviceToHost);
    int c; cudaMemcpyFromSymbol(&c, counter, 4);
    int bad = c != 2;
    for (int i = 0; i < n; i++) bad += y[i] != 12.0f * i + 1;
    cudaFree(dx); cudaFree(dy);
    printf("%s\n", bad ? "FAILED" : "PASSED");
    return bad != 0;
}
