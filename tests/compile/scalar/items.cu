// SPDX-License-Identifier: Apache-2.0
// items: loops that threads leave at different times, in every form that regrouping must handle.
// The PTX is made from it with nvcc -ptx -arch=sm_75 -O3.

// A 64-bit value and a predicate in the item; threads beyond n have ended before.
extern "C" __global__ void wide_items(const unsigned *in, unsigned long long *out, int n) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    unsigned long long v = in[i] * 6364136223846793005ull + 1442695040888963407ull;
    bool odd = (in[i] & 4) != 0;
    int steps = 0;
    while ((v >> 58) != 5 && steps < 200) {
        v = v * 6364136223846793005ull + (odd ? 1442695040888963407ull : 99991ull);
        odd = odd != ((v >> 33) & 1);
        steps++;
    }
    out[2 * i] = v;
    out[2 * i + 1] = (unsigned long long)steps << 1 | odd;
}

// Blocks of 11 x 3 x 3 threads, stores and loads in the loop, some threads pass it by.
extern "C" __global__ void walk(const unsigned *in, unsigned *out, int n) {
    int t = (int)(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)), b = (int)blockIdx.x * 99;
    unsigned at = in[(b + t) % n] % 512u, sum = 0;
    if (at & 1)
        for (int k = 0; at != 0 && k < 40; k++) {
            out[(b + t) * 64 + k] = at;
            sum += at;
            at = in[at % (unsigned)n] % (unsigned)(k + 9);
        }
    else sum = 17;
    out[(b + t) * 64 + 40] = sum;
    out[(b + t) * 64 + 41] = at;
}

// None goes in, or all; all end at once. `rounds` is the same for all.
extern "C" __global__ void at_once(const unsigned *in, unsigned *out, int n, int rounds) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), k = 0;
    unsigned v = in[i % n] | 1u;
    while (v != 0 && k < rounds) v = v * 3u | 1u, k++;
    out[i] = v + (unsigned)k;
}

// A loop within a loop, and the store on the way out of it.
extern "C" __global__ void nested(const unsigned *in, unsigned *out, int n) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    unsigned v = in[i % n], sum = 0;
    while ((v & 7u) != 3u) {
        for (unsigned k = 0; k < (v & 5u); k++) sum = sum * 31u + k + (unsigned)i;
        v = v * 1664525u + 1013904223u;
        v ^= v >> 15;
    }
    out[i] = sum ^ v;
}
