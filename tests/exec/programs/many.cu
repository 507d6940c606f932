// SPDX-License-Identifier: Apache-2.0
// Managed, pinned and pitched memory, streams, structures by value, attributes, occupancy, and errors as CUDA has them.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_) { printf("line %d: %s: %s\n", __LINE__, #x, cudaGetErrorString(e_)); exit(1); } } while (0)
#define WANT(x, w) do { cudaError_t e_ = (x); if (e_ != (w)) { printf("line %d: %s is %d, not %d\n", __LINE__, #x, (int)e_, (int)(w)); exit(1); } cudaGetLastError(); } while (0)
__managed__ int m[4] = {1, 2, 3, 4};
__device__ float table[16];
struct Pair { int *p; char c; double d; };
__global__ void inc(int *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i]++; }
__global__ void man() { m[threadIdx.x] *= 10; }
__global__ void pair(Pair q, char x, int *out) { *out = *q.p + q.c + (int)q.d + x; }
__global__ void pitch(char *p, size_t pitch, int w, int h) { int x = threadIdx.x, y = blockIdx.x; if (x < w && y < h) ((int *)(p + y * pitch))[x] += y * 100 + x; }
__global__ void __launch_bounds__(64) bounded(int *p) { extern __shared__ int s[]; s[threadIdx.x] = 1; __syncthreads(); if (!threadIdx.x) { int t = 0; for (int i = 0; i < blockDim.x; i++) t += s[i]; *p = t; } }
int main() {
    m[1] = 7; man<<<1, 4>>>(); CK(cudaDeviceSynchronize());
    if (m[0] != 10 || m[1] != 70 || m[3] != 40) { printf("managed %d %d\n", m[0], m[1]); return 1; }
    int *u; CK(cudaMallocManaged(&u, 100 * 4)); for (int i = 0; i < 100; i++) u[i] = i;
    inc<<<2, 64>>>(u, 100); CK(cudaDeviceSynchronize());
    for (int i = 0; i < 100; i++) if (u[i] != i + 1) { printf("managed %d\n", i); return 1; }
    int *h, *d; CK(cudaMallocHost(&h, 4000)); CK(cudaMalloc(&d, 4000));
    cudaStream_t s; CK(cudaStreamCreate(&s));
    for (int i = 0; i < 1000; i++) h[i] = -i;
    CK(cudaMemcpyAsync(d, h, 4000, cudaMemcpyHostToDevice, s));
    inc<<<10, 100, 0, s>>>(d, 1000);
    CK(cudaMemcpyAsync(h, d, 4000, cudaMemcpyDeviceToHost, s)); CK(cudaStreamSynchronize(s));
    for (int i = 0; i < 1000; i++) if (h[i] != 1 - i) { printf("async %d\n", i); return 1; }
    inc<<<10, 100>>>(h, 1000); CK(cudaDeviceSynchronize()); // pinned, zero copy
    if (h[5] != -3) { printf("zero copy %d\n", h[5]); return 1; }
    Pair q = {d, 3, 4.5}; int *o; CK(cudaMalloc(&o, 4)); pair<<<1, 1>>>(q, 'a', o); int r; CK(cudaMemcpy(&r, o, 4, cudaMemcpyDefault));
    if (r != 1 + 3 + 4 + 'a') { printf("pair %d\n", r); return 1; }
    char *pp; size_t pt; CK(cudaMallocPitch(&pp, &pt, 40, 5)); CK(cudaMemset2D(pp, pt, 0, 40, 5)); int a[5][12]; memset(a, 1, sizeof a);
    pitch<<<5, 32>>>(pp, pt, 10, 5); CK(cudaMemcpy2D(a, 48, pp, pt, 40, 5, cudaMemcpyDeviceToHost));
    if (a[4][9] != 409 || a[4][10] != 0x01010101) { printf("pitch %d\n", a[4][9]); return 1; }
    cudaFuncAttributes fa; CK(cudaFuncGetAttributes(&fa, bounded)); printf("regs %d max %d ptx %d\n", fa.numRegs, fa.maxThreadsPerBlock, fa.ptxVersion);
    int nb; CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&nb, bounded, 64, 1024)); printf("occupancy %d\n", nb);
    int mg, mb; CK(cudaOccupancyMaxPotentialBlockSize(&mg, &mb, inc)); printf("potential %d %d\n", mg, mb);
    bounded<<<1, 64, 256>>>(o); CK(cudaMemcpy(&r, o, 4, cudaMemcpyDefault)); if (r != 64) return 1;
    void *args[] = {&d, &r}; CK(cudaLaunchKernel((void *)inc, dim3(1), dim3(32), args, 0, 0));
    float t[16]; for (int i = 0; i < 16; i++) t[i] = i; CK(cudaMemcpyToSymbol(table, t, sizeof t)); void *ta; CK(cudaGetSymbolAddress(&ta, table));
    float t5; CK(cudaMemcpy(&t5, (float *)ta + 5, 4, cudaMemcpyDeviceToHost)); if (t5 != 5) return 1;
    WANT(cudaMemcpyToSymbol(table, t, 65), cudaErrorInvalidValue);
    WANT(cudaMemcpy(d, h, 4001, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    WANT(cudaMemcpy(h, h, 40, cudaMemcpyHostToDevice), cudaSuccess); // pinned is both
    WANT(cudaMemcpy(&r, &nb, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    WANT(cudaFree(d + 1), cudaErrorInvalidValue); CK(cudaFree(d)); WANT(cudaFree(d), cudaErrorInvalidValue);
    WANT(cudaMalloc(&d, 1ull << 40), cudaErrorMemoryAllocation);
    inc<<<1, 2000>>>(u, 1); WANT(cudaGetLastError(), cudaErrorInvalidConfiguration);
    inc<<<0, 20>>>(u, 1); WANT(cudaGetLastError(), cudaErrorInvalidConfiguration);
    WANT(cudaSetDevice(1), cudaErrorInvalidDevice);
    cudaExternalMemory_t external; cudaExternalMemoryHandleDesc desc = {}; WANT(cudaImportExternalMemory(&external, &desc), cudaErrorNotSupported);
    cudaMipmappedArray_t mipmapped; cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
    WANT(cudaMallocMipmappedArray(&mipmapped, &texel, make_cudaExtent(16, 16, 0), 3), cudaErrorNotSupported);
    size_t limit;
    CK(cudaDeviceSetLimit(cudaLimitStackSize, 8192)); CK(cudaDeviceGetLimit(&limit, cudaLimitStackSize)); if (limit != 8192) { printf("stack %zu\n", limit); return 1; }
    CK(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount)); if (limit != 2048) { printf("pending %zu\n", limit); return 1; }
    CK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 4096)); CK(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount)); if (limit != 4096) { printf("pending %zu\n", limit); return 1; }
    WANT(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 129), cudaErrorInvalidValue); WANT(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1), cudaErrorUnsupportedLimit); WANT(cudaDeviceGetLimit(0, cudaLimitStackSize), cudaErrorInvalidValue);
    size_t fr, to; CK(cudaMemGetInfo(&fr, &to)); printf("%zu of %zu\n", to - fr, to);
    cudaPointerAttributes pa; CK(cudaPointerGetAttributes(&pa, u)); printf("type %d\n", pa.type);
    CK(cudaFree(u)); CK(cudaFreeHost(h)); CK(cudaStreamDestroy(s)); CK(cudaDeviceReset());
    printf("PASSED\n"); return 0;
}
