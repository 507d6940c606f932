// SPDX-License-Identifier: Apache-2.0
// The part of CUDA that the kernels use, for clang without an SDK (-nocudainc -nocudalib). nvcc has
// it built in.
#ifndef SMCOSIM_BENCH_CUDA_MIN_H
#define SMCOSIM_BENCH_CUDA_MIN_H

#if defined(__clang__) && defined(__CUDA__) && !defined(__NVCC__)

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define CUDA_MIN static __device__ __forceinline__

struct CudaMinDim {
    unsigned x, y, z;
};
#define CUDA_MIN_DIM(reg) \
    CUDA_MIN CudaMinDim cuda_min_##reg() { \
        return {(unsigned)__nvvm_read_ptx_sreg_##reg##_x(), \
                (unsigned)__nvvm_read_ptx_sreg_##reg##_y(), \
                (unsigned)__nvvm_read_ptx_sreg_##reg##_z()}; \
    }
CUDA_MIN_DIM(tid)
CUDA_MIN_DIM(ctaid)
CUDA_MIN_DIM(ntid)
CUDA_MIN_DIM(nctaid)
#define threadIdx cuda_min_tid()
#define blockIdx cuda_min_ctaid()
#define blockDim cuda_min_ntid()
#define gridDim cuda_min_nctaid()

CUDA_MIN void __threadfence() { __nvvm_membar_gl(); }

// c = 0 stops an upward shuffle at lane 0, c = 31 a downward or crosswise one at lane 31.
CUDA_MIN unsigned __shfl_up_sync(unsigned mask, unsigned v, unsigned d) {
    return (unsigned)__nvvm_shfl_sync_up_i32(mask, (int)v, (int)d, 0);
}
CUDA_MIN int __shfl_down_sync(unsigned mask, int v, unsigned d) {
    return __nvvm_shfl_sync_down_i32(mask, v, (int)d, 31);
}
CUDA_MIN float __shfl_down_sync(unsigned mask, float v, unsigned d) {
    return __nvvm_shfl_sync_down_f32(mask, v, (int)d, 31);
}
CUDA_MIN unsigned __ballot_sync(unsigned mask, int p) { return __nvvm_vote_ballot_sync(mask, p); }
CUDA_MIN int __popc(unsigned v) { return __builtin_popcount(v); }
CUDA_MIN int __clz(int v) { return v ? __builtin_clz((unsigned)v) : 32; }

CUDA_MIN unsigned atomicAdd(unsigned *p, unsigned v) {
    return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
}
CUDA_MIN int atomicAdd(int *p, int v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
CUDA_MIN float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
CUDA_MIN int atomicMin(int *p, int v) { return __nvvm_atom_min_gen_i(p, v); }
CUDA_MIN int atomicMax(int *p, int v) { return __nvvm_atom_max_gen_i(p, v); }

CUDA_MIN float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
CUDA_MIN double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
CUDA_MIN float fabsf(float a) { return __builtin_fabsf(a); }
CUDA_MIN double fabs(double a) { return __builtin_fabs(a); }
CUDA_MIN float fminf(float a, float b) { return __builtin_fminf(a, b); }
CUDA_MIN float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
CUDA_MIN float sqrtf(float a) { return __nvvm_sqrt_rn_f(a); }
CUDA_MIN float rintf(float a) { return __builtin_rintf(a); }
CUDA_MIN float __sinf(float a) { return __nvvm_sin_approx_f(a); }
CUDA_MIN float __cosf(float a) { return __nvvm_cos_approx_f(a); }
CUDA_MIN float __expf(float a) { return __nvvm_ex2_approx_f(a * 1.442695041f); }
CUDA_MIN float rsqrtf(float a) { return __nvvm_rsqrt_approx_f(a); }
CUDA_MIN int min(int a, int b) { return a < b ? a : b; }
CUDA_MIN int max(int a, int b) { return a > b ? a : b; }
CUDA_MIN int abs(int a) { return a < 0 ? -a : a; }

#endif
#endif
