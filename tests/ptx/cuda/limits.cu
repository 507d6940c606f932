// SPDX-License-Identifier: Apache-2.0
// Launch bounds, templates (weak symbols), separate functions with structures, textures beside other kernels.
struct Pair { int a; double b; };
__device__ __noinline__ Pair swap_pair(Pair p, float *f) { f[0] += p.a; return Pair{(int)p.b, (double)p.a}; }
template <int N> __global__ void __launch_bounds__(N, 2) bounded(Pair *p, float *f) {
    __shared__ float s[N];
    s[threadIdx.x] = f[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = swap_pair(p[N - 1 - threadIdx.x], s + threadIdx.x);
    f[threadIdx.x] = s[N - 1 - threadIdx.x];
}
template __global__ void bounded<128>(Pair *, float *);
template __global__ void bounded<256>(Pair *, float *);
__global__ void fetch(float *out, cudaTextureObject_t tex) { out[threadIdx.x] = tex1Dfetch<float>(tex, threadIdx.x); }
