// SPDX-License-Identifier: Apache-2.0
// Surface objects: a kernel writes a layered array; a surface with both boundary modes reads it
// back, and so does a copy. Functions called through pointers: one table on the device, one pointer
// from the host.
#include <cstdio>
#include <cuda_runtime.h>

const int WIDTH = 20, HEIGHT = 6;

__global__ void fill(cudaSurfaceObject_t s) {
    const int x = threadIdx.x, y = blockIdx.x;
    if (x < WIDTH) surf2Dwrite(make_short2((short)(x * 3), (short)(y - x)), s, x * (int)sizeof(short2), y);
}

__global__ void shifted(cudaSurfaceObject_t s, short2 *to) {
    const int x = threadIdx.x, y = blockIdx.x;
    if (x >= WIDTH) return;
    const short2 zero = surf2Dread<short2>(s, (x - 2) * (int)sizeof(short2), y, cudaBoundaryModeZero);
    const short2 edge = surf2Dread<short2>(s, (x + 2) * (int)sizeof(short2), y, cudaBoundaryModeClamp);
    to[y * WIDTH + x] = make_short2(zero.x, edge.y);
}

typedef int Operation(int, int);
__device__ int sum(int a, int b) { return a + b; }
__device__ int difference(int a, int b) { return a - b; }
__device__ int product(int a, int b) { return a * b; }
__device__ Operation *table[3] = {sum, difference, product};
__device__ Operation *last = product;

__global__ void apply(Operation *given, int *to) {
    const int i = threadIdx.x;
    to[i] = table[i % 3](i, 7) + given(i, 2);
}

int main() {
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<short2>();
    cudaArray_t array;
    cudaMallocArray(&array, &desc, WIDTH, HEIGHT, cudaArraySurfaceLoadStore);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface;
    if (cudaCreateSurfaceObject(&surface, &resource)) return puts("FAILED"), 1;
    short2 *got, copied[WIDTH * HEIGHT];
    int *results, wrong = 0;
    Operation *given;
    cudaMallocManaged(&got, sizeof copied);
    cudaMallocManaged(&results, 64 * sizeof *results);
    cudaMemcpyFromSymbol(&given, last, sizeof given);
    fill<<<HEIGHT, 32>>>(surface);
    shifted<<<HEIGHT, 32>>>(surface, got);
    apply<<<1, 64>>>(given, results);
    if (cudaDeviceSynchronize()) return puts("FAILED"), 1;
    cudaMemcpy2DFromArray(copied, WIDTH * sizeof(short2), array, 0, 0, WIDTH * sizeof(short2), HEIGHT,
                          cudaMemcpyDeviceToHost);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const short2 c = copied[y * WIDTH + x], g = got[y * WIDTH + x];
            const int right = x + 2 < WIDTH ? x + 2 : WIDTH - 1;
            wrong += c.x != x * 3 || c.y != y - x || g.x != (x < 2 ? 0 : (x - 2) * 3) || g.y != y - right;
        }
    for (int i = 0; i < 64; i++) wrong += results[i] != (i % 3 == 0 ? i + 7 : i % 3 == 1 ? i - 7 : i * 7) + i * 2;
    wrong += cudaDestroySurfaceObject(surface) != cudaSuccess || cudaDestroySurfaceObject(surface) == cudaSuccess;
    puts(wrong ? "FAILED" : "PASSED");
    return wrong != 0;
}
