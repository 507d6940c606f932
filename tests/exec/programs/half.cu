// SPDX-License-Identifier: Apache-2.0
// f16 and bf16 as cuda_fp16.h and cuda_bf16.h write them, single and in pairs; results that the formats hold exactly.
// nvcc: -arch=compute_90
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void halves(__half2 *x, __nv_bfloat162 *y, int *equal, __half *sum) {
    int i = threadIdx.x;
    x[i] = __hfma2(x[i], x[i], __float2half2_rn(1.f));
    y[i] = __hmax2(__hadd2(y[i], y[i]), __float2bfloat162_rn(3.f));
    if (__hgt(__low2half(x[i]), __high2half(x[i]))) atomicAdd(equal, 1);
    atomicAdd(sum, __float2half(0.5f));
}
int main() {
    const int n = 32; __half2 x[n], *dx; __nv_bfloat162 y[n], *dy; int equal, *de; __half sum, *ds;
    for (int i = 0; i < n; i++) x[i] = __floats2half2_rn(i, -i / 4.f), y[i] = __floats2bfloat162_rn(i, -i);
    cudaMalloc(&dx, sizeof x); cudaMalloc(&dy, sizeof y); cudaMalloc(&de, 4); cudaMalloc(&ds, 4);
    cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice); cudaMemcpy(dy, y, sizeof y, cudaMemcpyHostToDevice);
    cudaMemset(de, 0, 4); cudaMemset(ds, 0, 2);
    halves<<<1, n>>>(dx, dy, de, ds);
    cudaMemcpy(x, dx, sizeof x, cudaMemcpyDeviceToHost); cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost);
    cudaMemcpy(&equal, de, 4, cudaMemcpyDeviceToHost); cudaMemcpy(&sum, ds, 2, cudaMemcpyDeviceToHost);
    int bad = cudaGetLastError() != cudaSuccess;
    for (int i = 0; i < n; i++) {
        bad += __low2float(x[i]) != i * i + 1.f || __high2float(x[i]) != i * i / 16.f + 1.f;
        bad += __low2float(y[i]) != (2 * i > 3 ? 2.f * i : 3.f) || __high2float(y[i]) != 3.f;
    }
    bad += equal != n - 1 || __half2float(sum) != n / 2.f;
    printf("%d %g\n%s\n", equal, __half2float(sum), bad ? "FAILED" : "PASSED"); return bad != 0;
}
