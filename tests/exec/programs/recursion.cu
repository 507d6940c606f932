// SPDX-License-Identifier: Apache-2.0
// Recursive functions: to a different depth in each thread, mutual with arrays in their frames,
// through a pointer, and deeper than a kernel's default stack. With an argument: too deep for the
// requested stack.
#include <cstdio>
#include <cuda_runtime.h>

__host__ __device__ __noinline__ int ackermann(int m, int n) {
    return !m ? n + 1 : !n ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__host__ __device__ int odd(int n, double *sum);
__host__ __device__ __noinline__ int even(int n, double *sum) {
    double mine[2] = {n * 0.5, *sum};
    const int r = n ? odd(n - 1, mine) : 1;
    *sum += mine[0] + mine[1];
    return r;
}
__host__ __device__ __noinline__ int odd(int n, double *sum) {
    double mine[3] = {n * 0.25, 2, *sum};
    const int r = n ? even(n - 1, mine + 1) : 0;
    *sum += mine[1] - mine[0];
    return r;
}

typedef long (*Step)(long, int);
__host__ __device__ long halve(long x, int n);
__host__ __device__ long triple(long x, int n);
__host__ __device__ __noinline__ long step(long x, int n) {
    const Step next = x & 1 ? triple : halve;
    return x == 1 || n == 40 ? n : next(x, n + 1);
}
__host__ __device__ __noinline__ long halve(long x, int n) { return step(x / 2, n) + (n == 7); }
__host__ __device__ __noinline__ long triple(long x, int n) { return step(3 * x + 1, n) - (n == 9); }

__host__ __device__ __noinline__ int depth(int n, volatile int *zero) { return n ? depth(n - 1, zero) + 1 : *zero; }

struct Result { int ackermann, even, depth; double sum; long steps; };
__host__ __device__ void compute(Result *r, int i, int deep, int *zero) {
    r->ackermann = ackermann(i % 3, i % 5);
    r->sum = i;
    r->even = even(i % 11, &r->sum);
    r->steps = step(i + 1, 0);
    r->depth = depth(i < 2 ? deep : 5, zero);
}
__global__ void kernel(Result *r, int deep, int *zero) { compute(r + threadIdx.x, threadIdx.x, deep, zero); }

int main(int argc, char **argv) {
    enum { THREADS = 64 };
    const int deep = argc > 1 ? 100000 : 600;
    Result *r, want;
    int *zero, none = 0, wrong = 0;
    size_t stack = 0;
    if (cudaDeviceSetLimit(cudaLimitStackSize, 60000) || cudaDeviceGetLimit(&stack, cudaLimitStackSize)) return 3;
    if (stack != 60000 || cudaMallocManaged(&r, THREADS * sizeof *r) || cudaMallocManaged(&zero, 4)) return 4;
    *zero = 0;
    kernel<<<1, THREADS>>>(r, deep, zero);
    if (cudaDeviceSynchronize()) return 5;
    for (int i = 0; i < THREADS; i++) {
        compute(&want, i, deep, &none);
        wrong += r[i].ackermann != want.ackermann || r[i].even != want.even || r[i].depth != want.depth ||
                 r[i].sum != want.sum || r[i].steps != want.steps;
    }
    if (cudaDeviceSetLimit(cudaLimitStackSize, 1 << 30) != cudaErrorInvalidValue) return 6;
    puts(wrong ? "FAILED" : "PASSED");
    return wrong != 0;
}
