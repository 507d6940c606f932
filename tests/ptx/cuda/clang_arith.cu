// SPDX-License-Identifier: Apache-2.0
// clang's output for arithmetic: all integer widths, floating point, atomics, warp builtins.
#include "clang.h"
__global__ void arith(long long *out, const int *in, const unsigned char *b8, const short *s16, float *f, double *d, int n) {
    int t = tid_x, v = in[t], w = in[t + 1];
    unsigned u = (unsigned)v;
    long long l = out[t], m = out[t + 1];
    unsigned long long ul = (unsigned long long)l;
    l += (long long)v * w + ((long long)v * w >> 32) + (long long)((unsigned __int128)ul * 77u >> 64);
    l += v / n + v % n + u / 7u + u % (unsigned)n + l / m + l % n + (long long)(ul / 10);
    l += __builtin_popcount(u) + __builtin_popcountll(ul) + __builtin_clz(u | 1) + __builtin_ctz(u | 2) + __builtin_clzll(ul | 1);
    l += (long long)__builtin_bitreverse32(u) + (long long)__builtin_bswap32(u) + (u << 7 | u >> 25) + (u >> 5 & 511);
    unsigned char c = (unsigned char)(b8[t] + b8[t + 1] * 3);
    short s = (short)(s16[t] * s16[t + 1] - s16[t + 2]);
    signed char sc = (signed char)b8[t + 2];
    l += c + s + sc + (c > 7 ? s : sc) + (unsigned short)(s << 3) + ((s >> 2) | c);
    l = (l << (n & 63)) ^ (l >> (v & 63)) ^ (long long)(ul >> (w & 63));
    l += ((l >> 7) & 1023) + (v < w ? v : w) + (u > 3 ? u : 3) + __builtin_llabs(m);
    float x = f[t], y = f[t + 1];
    f[t] = x * y + x / y - __builtin_sqrtf(x) + __builtin_floorf(y) + __builtin_fabsf(x) + __builtin_fminf(x, y);
    f[t] += __builtin_fmaf(x, y, 1.5f) + __nvvm_ex2_approx_f(x) + __nvvm_sin_approx_f(y) + __nvvm_rsqrt_approx_f(x) + (float)l + (float)u;
    f[t] += __nvvm_add_rz_f(x, y) + __nvvm_mul_rp_f(x, y) + (x < y && x == x ? x : -y) + __builtin_copysignf(x, y) + (float)(_Float16)x;
    double a = d[t], b = d[t + 1];
    d[t] = a * b + a / b - __builtin_sqrt(a) + __builtin_ceil(b) + (double)x + (double)l + (a > b ? 1 : 0) + (double)(int)a + (double)(float)b;
    out[t] = l + (long long)x + (int)a + (unsigned char)y;
}
__global__ void warp(int *out, float *f, unsigned long long *u) {
    __shared__ int s;
    int t = tid_x, v = out[t];
    v += __nvvm_shfl_sync_idx_i32(-1, v, 3, 31) + __nvvm_shfl_sync_bfly_i32(-1, v, 4, 31);
    v += __nvvm_vote_ballot_sync(-1, v > 3) + __nvvm_vote_any_sync(-1, v > 5) + __nvvm_match_any_sync_i32(-1, v);
    __nvvm_bar_warp_sync(-1);
    v += __nvvm_bar0_popc(v) + __nvvm_bar0_and(v);
    s = 0;
    sync_threads();
    v += __nvvm_atom_add_gen_i(&s, 1) + __nvvm_atom_max_gen_i(out, v) + __nvvm_atom_cas_gen_i(out + 1, v, 3);
    __nvvm_atom_add_gen_f(f, 1.5f);
    __atomic_fetch_add(u, 3ull, __ATOMIC_RELAXED);
    __nvvm_membar_gl();
    out[t] = v + s + (int)__nvvm_read_ptx_sreg_laneid() + (int)__nvvm_read_ptx_sreg_lanemask_lt() + (int)__nvvm_read_ptx_sreg_clock();
}
