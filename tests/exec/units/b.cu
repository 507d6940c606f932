// SPDX-License-Identifier: Apache-2.0
__device__ int shared_counter = 100;
__constant__ int factor = 5;
static __device__ int helper(int v) { return v + 2; }
__device__ int scale(int v) { return helper(3 * v); }
int counter() { int c; cudaMemcpyFromSymbol(&c, shared_counter, 4); return c; }
