// SPDX-License-Identifier: Apache-2.0
// bodies: `if (threadIdx.x == K)` in every place where scalar extraction has to get something right. bodies.ptx is made
// from it with nvcc -ptx -arch=sm_75 -O3.
#define K 5

// Live-in and live-out; the out of a thread that has ended before is nobody's.
extern "C" __global__ void out_of_body(const int *in, int *out, int n) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    int v = in[i], w = 7;
    if (threadIdx.x == K) {
        for (int k = 0; k < (v & 15) + 3; k++) v = v * 3 + in[(i + k) % n], w ^= v;
        if (v & 1) w += 5;
    }
    out[i] = v + w;
}

// In a loop with a trip count of the CTA: fresh both ways in each round.
extern "C" __global__ void in_loop(const int *in, int *out, int n) {
    __shared__ int part[64], sum[2];
    int tid = (int)threadIdx.x, i = (int)(blockIdx.x * blockDim.x) + tid, total = 0;
    for (int r = 0; r < (int)(blockIdx.x & 3) + 2; r++) {
        part[tid] = in[(i + r) % n] + total;
        __syncthreads();
        if (tid == K) {
            int s = 0;
            for (int k = 0; k < 64; k++) s += part[k] * (k + r);
            sum[r & 1] = s;
        }
        __syncthreads();
        total += sum[r & 1] ^ tid;
    }
    out[i] = total;
}

// A double and a predicate enter; the body writes values that all read behind it without a barrier
// of the kernel's own.
extern "C" __global__ void wide(const double *in, double *out, int n) {
    __shared__ double s[64];
    int tid = (int)threadIdx.x, i = (int)(blockIdx.x * blockDim.x) + tid;
    double v = in[i % n];
    bool up = v > 0.5;
    s[tid] = v;
    __syncthreads();
    if (tid == K) {
        double t = up ? v : -v;
        for (int k = 0; k < 64; k++) t = t * 0.5 + s[k];
        out[blockIdx.x] = up ? t : t + 1.0;
    }
}

// 16 x 16 threads: tid.x == K selects 16 of them; with tid.y it is one.
extern "C" __global__ void tiles(const int *in, int *out, int n) {
    int t = (int)(threadIdx.y * blockDim.x + threadIdx.x), b = (int)blockIdx.x;
    __shared__ int s[256];
    s[t] = in[(b * 256 + t) % n];
    __syncthreads();
    if (threadIdx.x == K) out[b * 17 + (int)threadIdx.y] = s[t] + s[(t + 1) & 255];
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        int m = 0;
        for (int k = 0; k < 256; k++) m = max(m, s[k]);
        out[b * 17 + 16] = m;
    }
}

// The atomic's result goes to all threads.
extern "C" __global__ void ticket(unsigned *next, unsigned *out) {
    __shared__ unsigned base;
    if (threadIdx.x == 0) base = atomicAdd(next, 64u) * 0u + blockIdx.x * 64u;
    __syncthreads();
    out[base + threadIdx.x] = base ^ threadIdx.x;
}

// Not all threads reach the body, or not equally often: left as it is.
extern "C" __global__ void not_all(const int *in, int *out, int n) {
    int tid = (int)threadIdx.x, i = (int)(blockIdx.x * blockDim.x) + tid, v = in[i % n];
    for (int r = 0; r < (v & 3); r++)
        if (tid == K) out[blockIdx.x] += r;
    if (v > 0)
        if (tid == K + 1) out[gridDim.x + blockIdx.x] = v;
    if (tid == 64) out[0] = -1;
}
