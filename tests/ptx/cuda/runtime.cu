// SPDX-License-Identifier: Apache-2.0
// printf, assert, device heap, trap, clock.
#include <cassert>
#include <cstdio>
__device__ const char *names[2] = {"even", "odd"};
__global__ void talk(int *out, int n) {
    int i = threadIdx.x;
    assert(n > 0);
    printf("thread %d is %s of %d, %f %lld\n", i, names[i & 1], n, n * 0.5, (long long)i << 33);
    out[i] = (int)clock();
}
__global__ void heap(int *out, int n) {
    int *p = (int *)malloc(n * sizeof(int));
    if (!p) __trap();
    for (int i = 0; i < n; i++) p[i] = i * (int)clock64();
    out[threadIdx.x] = p[n - 1];
    free(p);
}
