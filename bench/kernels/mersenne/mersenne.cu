// SPDX-License-Identifier: Apache-2.0
// mersenne: a small Mersenne twister per thread. Its 19 words of state are in local memory with an
// index that runs round, a matrix and two masks of its own; numbers are written coalesced.
#include "cuda_min.h"

#define WORDS 19
#define MIDDLE 9
#define LOW 0x00000001u

struct __attribute__((aligned(16))) Twister {
    unsigned matrix, mask_b, mask_c, seed;
};

// number[k * twisters + i]: number k of twister i.
extern "C" __global__ void mersenne(const Twister *__restrict__ twister, unsigned *__restrict__ number, int twisters, int count) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= twisters) return;
    Twister own = twister[i];
    unsigned state[WORDS];
    state[0] = own.seed;
    for (int k = 1; k < WORDS; k++)
        state[k] = 1812433253u * (state[k - 1] ^ state[k - 1] >> 30) + (unsigned)k;
    int at = 0;
#pragma unroll 1
    for (int k = 0; k < count; k++) {
        int next = at + 1 < WORDS ? at + 1 : 0, far = at + MIDDLE < WORDS ? at + MIDDLE : at + MIDDLE - WORDS;
        unsigned x = (state[at] & ~LOW) | (state[next] & LOW);
        x = state[far] ^ x >> 1 ^ ((x & 1u) ? own.matrix : 0u);
        state[at] = x;
        at = next;
        x ^= x >> 12;
        x ^= x << 7 & own.mask_b;
        x ^= x << 15 & own.mask_c;
        x ^= x >> 18;
        number[k * twisters + i] = x;
    }
}
