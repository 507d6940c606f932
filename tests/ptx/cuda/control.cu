// SPDX-License-Identifier: Apache-2.0
// Switch tables, recursion, loops with breaks, early exits, function calls.
__device__ __noinline__ int helper(int a, int b) { return a * b + 7; }
__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__global__ void recursion(int *out, int n) { out[threadIdx.x] = fib(n & 15); }
__global__ void control(int *out, const int *in, int n) {
    int i = threadIdx.x, v = in[i], s = 0;
    if (i >= n) return;
    switch (v & 15) {
    case 0: s = v * 3; break;
    case 1: s = v / 3; break;
    case 2: s = helper(v, 5); break;
    case 3: s = v ^ 77; break;
    case 4: s = in[v & 7] + 1; break;
    case 5: s = __popc(v); break;
    case 6: s = v << 3; break;
    case 7: s = -v; break;
    case 8: s = v % 13; break;
    case 9: s = out[i]; break;
    case 10: for (int k = 0; k < v; k++) { if (in[k] == 3) break; s += in[k]; } break;
    default: s = 99;
    }
    do {
        s = s & 1 ? 3 * s + 1 : s >> 1;
        if (s < 0) goto out;
    } while (s > 10);
out:
    out[i] = s;
}
