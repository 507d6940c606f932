// SPDX-License-Identifier: Apache-2.0
// nvcc: -rdc=true -lcudadevrt
// Launches from the device: in the order of the calls, with parameters and shared memory, from
// launched grids too. Also: a copy between them; memory of the device heap.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void add(int *x, int n, int by) {
    extern __shared__ int held[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    held[threadIdx.x] = by;
    __syncthreads();
    if (i < n) x[i] += held[blockDim.x - 1 - threadIdx.x];
}
__global__ void twice(int *x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
}
// x = (x + 3) * 2, copied to y: in this order only.
__global__ void parent(int *x, int *y, int n) {
    if (threadIdx.x) return;
    add<<<dim3((n + 31) / 32), 32, 32 * sizeof(int)>>>(x, n, 3);
    twice<<<(n + 63) / 64, 64>>>(x, n);
    cudaMemcpyAsync(y, x, n * sizeof(int), cudaMemcpyDeviceToDevice, 0);
    add<<<(n + 31) / 32, 32, 32 * sizeof(int)>>>(x, n, 1);
}
// Threads of a block launch two blocks each: 2 + 8 + 32 of them.
__global__ void tree(unsigned *blocks, int depth) {
    if (threadIdx.x == 0) atomicAdd(blocks, 1u);
    if (depth) tree<<<2, 2>>>(blocks, depth - 1);
}
__global__ void heap(int *failed) {
    int *p = NULL;
    if (cudaMalloc((void **)&p, 64) != cudaSuccess || !p) { *failed = 1; return; }
    p[3] = 7;
    *failed = p[3] != 7 || cudaFree(p) != cudaSuccess;
}

int main() {
    enum { N = 100 };
    int in[N], x[N], y[N], *dx, *dy, wrong = 0, failed = 1;
    unsigned blocks = 0, *db;
    for (int i = 0; i < N; i++) in[i] = i * 5 - 17;
    cudaMalloc(&dx, sizeof in), cudaMalloc(&dy, sizeof in), cudaMalloc(&db, sizeof blocks);
    cudaMemcpy(dx, in, sizeof in, cudaMemcpyHostToDevice);
    cudaMemset(db, 0, sizeof blocks);
    parent<<<1, 32>>>(dx, dy, N);
    tree<<<2, 2>>>(db, 2);
    cudaMemcpy(x, dx, sizeof x, cudaMemcpyDeviceToHost);
    cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost);
    cudaMemcpy(&blocks, db, sizeof blocks, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) wrong += y[i] != (in[i] + 3) * 2 || x[i] != y[i] + 1;
    heap<<<1, 1>>>(dx);
    cudaMemcpy(&failed, dx, sizeof failed, cudaMemcpyDeviceToHost);
    if (blocks != 42 || failed || cudaGetLastError()) wrong++, printf("%u blocks, heap %d\n", blocks, failed);
    puts(wrong ? "FAILED" : "PASSED");
    return wrong != 0;
}
