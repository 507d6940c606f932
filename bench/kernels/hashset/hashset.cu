// SPDX-License-Identifier: Apache-2.0
// hashset: counts distinct keys with an open hash table; atomic compare-and-swap in a loop, lanes
// that fail and retry, atomic exchange and wrapping increment. nvcc-only.
#include "cuda_min.h"

// table: slots (a power of two, more than the keys) words of 0 = empty. *distinct: keys stored.
// *turn: counts lanes modulo 1000. used[k % 64] is set to 1 by exchange.
extern "C" __global__ void hashset(const unsigned *key, unsigned *table, unsigned *distinct,
                                   unsigned *turn, unsigned *used, unsigned n, unsigned slots) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned k = key[i], at = k * 2654435761u;
    for (;;) {
        at &= slots - 1;
        unsigned was = atomicCAS(&table[at], 0u, k);
        if (was == 0u) atomicAdd(distinct, 1u);
        if (was == 0u || was == k) break;
        at++;
    }
    atomicInc(turn, 999u);
    atomicExch(&used[k % 64u], 1u);
}
