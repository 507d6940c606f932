// SPDX-License-Identifier: Apache-2.0
// Output of clang for the language: generic accesses, switch, local arrays, structs, tables of
// pointers, recursion, narrow types, vectors, printf.
#include "clang.h"
struct Body { float x, y, z; char tag; short count; double mass; };
struct Bits { unsigned a : 5, b : 11, c : 16; };
extern "C" __device__ int vprintf(const char *, const char *);
__constant__ float coeff[16] = {1, 2.5f, -3};
__device__ int counter, other = 7;
__device__ double table[2][3] = {{1, 2, 3}, {4, 5}};
__device__ int *where[3] = {&counter, &other, 0};
__device__ const char *names[2] = {"even", "odd"};
__device__ Body start = {1, 2, 3, 'a', 7, 0.5};
extern __shared__ float dynamic[];
__device__ __noinline Body twice(Body b, float *f) { b.x += *f; b.mass *= 2; return b; }
__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__global__ void recursion(int *out, int n) { out[tid_x] = fib(n & 15); }
__global__ void spaces(float *out, const float4 *in, const double2 *__restrict__ d, Body b, int n, bool flag, char c) {
    __shared__ float tile[16][17];
    float local[12];
    int i = tid_x + ctaid_x * ntid_x;
    for (int k = 0; k < 12; k++) local[k] = in[k].x * coeff[k & n];
    tile[i >> 4 & 15][i & 15] = local[n % 12u];
    dynamic[i] = in[i].y + b.x * b.count;
    sync_threads();
    volatile float *v = dynamic;
    v[i] += v[i ^ 1];
    float *choose = flag ? &tile[0][i & 15] : flag + c > 3 ? out : local;
    Body t = twice(b, choose);
    float4 r = in[i];
    r.x += tile[i & 15][i >> 4 & 15] + (float)t.mass + (float)table[i & 1][i % 3u];
    r.y += *where[n & 1] + (float)d[i].y + start.count + names[n & 1][0];
    ((float4 *)out)[i] = r;
    uchar4 u4 = ((uchar4 *)out)[i + 1];
    ((uchar4 *)out)[i + 2] = u4.wzyx;
    *choose += 1;
}
__global__ void control(int *out, const int *in, Bits bits, int n) {
    int i = tid_x, v = in[i], s = 0;
    if (i >= n) return;
    switch (v & 15) {
    case 0: s = v * 3; break;
    case 1: s = v / 3; break;
    case 2: s = v ^ 77; break;
    case 4: s = in[v & 7] + 1; break;
    case 5: s = __builtin_popcount(v); break;
    case 6: s = v << 3; break;
    case 8: s = v % 13; break;
    case 10: for (int k = 0; k < v; k++) { if (in[k] == 3) break; s += in[k]; } break;
    default: s = 99;
    }
    do s = s & 1 ? 3 * s + 1 : s >> 1; while (s > 10);
    Bits w = *(const Bits *)&in[i + n];
    out[i] = s + w.a * bits.b + w.c - bits.c;
}
__global__ void talk(int n) {
    struct { int a; const char *b; double c; } args = {n, names[n & 1], n * 0.5};
    vprintf("%d %s %f\n", (const char *)&args);
}
