// SPDX-License-Identifier: Apache-2.0
// A cooperative launch: CTAs wait for each other (grid sync); one with more CTAs than fit is refused.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void steps(int *a, int *b, int n) {
    cg::grid_group g = cg::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 4; k++) {
        b[i] = a[(i + 1) % n] + 1;
        g.sync();
        a[i] = b[(i + n - 1) % n] + 1;
        g.sync();
    }
}
int main() {
    const int n = 256; int h[n], *a, *b; for (int i = 0; i < n; i++) h[i] = i * i;
    cudaMalloc(&a, sizeof h); cudaMalloc(&b, sizeof h); cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    int count = n; void *args[] = {&a, &b, &count};
    cudaError_t e = cudaLaunchCooperativeKernel((void *)steps, dim3(4), dim3(64), args, 0, 0);
    if (e) { printf("%s\n", cudaGetErrorString(e)); return 1; }
    cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
    int bad = 0; for (int i = 0; i < n; i++) bad += h[i] != i * i + 8;
    e = cudaLaunchCooperativeKernel((void *)steps, dim3(1000), dim3(64), args, 0, 0);
    if (e != cudaErrorCooperativeLaunchTooLarge) bad++;
    printf("%s\n", bad ? "FAILED" : "PASSED"); return bad != 0;
}
