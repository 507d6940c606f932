// SPDX-License-Identifier: Apache-2.0
// mummer: from every position of each query, the longest part that occurs at least twice in a text,
// by a walk through the tree of the text's parts. Two dependent loads at scattered addresses per
// letter: the child's number and then its occurrences. The length of loops differs per lane.
#include "cuda_min.h"

// child[4 * node + letter]: 0 where there is none; occurs[node]. Letter p of query i is query[p * n + i].
extern "C" __global__ void mummer(const unsigned *__restrict__ child, const unsigned *__restrict__ occurs,
                                  const unsigned char *__restrict__ query, unsigned *__restrict__ longest,
                                  unsigned *__restrict__ sum, int n, int letters) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    unsigned best = 0u, total = 0u;
    for (int start = 0; start < letters; start++) {
        unsigned node = 0u, length = 0u;
        for (int p = start; p < letters; p++) {
            node = child[4u * node + query[p * n + i]];
            if (node == 0u || occurs[node] < 2u) break;
            length++;
        }
        best = length > best ? length : best;
        total += length;
    }
    longest[i] = best;
    sum[i] = total;
}
