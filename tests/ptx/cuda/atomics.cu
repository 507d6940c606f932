// SPDX-License-Identifier: Apache-2.0
// Atomics of every operation, type, scope and space; reductions without a used result.
__global__ void atomics(int *i32, unsigned *u32, long long *i64, unsigned long long *u64, float *f32, double *f64, int *old) {
    __shared__ int s32;
    __shared__ unsigned long long s64;
    __shared__ float sf;
    int t = threadIdx.x, r = 0;
    if (t == 0) { s32 = 0; s64 = 0; sf = 0; }
    __syncthreads();
    atomicAdd(i32, 1); atomicAdd(f32, 1.5f); atomicAdd(f64, 2.5); atomicAdd(u64, 3ull); atomicSub(i32 + 1, t);
    r += atomicMin(i32 + 2, t) + atomicMax(u32 + 2, t) + atomicInc(u32 + 3, 9) + atomicDec(u32 + 4, 9);
    r += atomicAnd(i32 + 5, t) + atomicOr(u32 + 5, t) + atomicXor(i32 + 6, t) + atomicExch(i32 + 7, t);
    r += (int)atomicExch(f32 + 7, 1.0f) + atomicCAS(i32 + 8, t, t + 1) + (int)atomicCAS(u64 + 8, 1ull, 2ull);
    r += (int)atomicMin(i64 + 1, (long long)t) + (int)atomicMax(u64 + 1, (unsigned long long)t) + (int)atomicOr(u64 + 2, 1ull);
    r += atomicAdd_block(i32 + 9, 1) + atomicAdd_system(i32 + 10, 1);
    atomicAdd(&s32, 1); atomicAdd(&s64, 1ull); atomicAdd(&sf, 1.0f); atomicMax(&s32, t);
    r += atomicCAS(&s32, t, 0) + atomicExch(&s32, 3) + (int)atomicCAS(&s64, 1ull, 2ull);
    int *generic = t & 1 ? &s32 : i32 + 11;
    r += atomicAdd(generic, 1) + *generic;
    unsigned short *half_word = (unsigned short *)(u32 + 12);
    r += atomicCAS(half_word, (unsigned short)t, (unsigned short)7);
    old[t] = r;
}
