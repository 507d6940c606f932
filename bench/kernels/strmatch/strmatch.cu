// SPDX-License-Identifier: Apache-2.0
// strmatch: longest common part of each query and a text, by a walk through the text's suffix
// automaton. Dependent loads at scattered addresses, suffix links in a loop whose length differs
// per lane.
#include "cuda_min.h"

// Node 0 is the empty string; next is 0 where no edge leaves. first: where in the text the node's
// strings end first.
struct __attribute__((aligned(16))) Node {
    unsigned next[4], link, length, first, unused;
};

// Letter p of query i is query[p * n + i], 0 to 3. longest: length of the longest common part.
// place: its end in the text. sum: of the longest parts that end at each letter.
extern "C" __global__ void strmatch(const Node *__restrict__ node,
                                    const unsigned char *__restrict__ query,
                                    unsigned *__restrict__ longest, unsigned *__restrict__ place,
                                    unsigned *__restrict__ sum, int n, int letters) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    unsigned at = 0u, length = 0u, best = 0u, best_at = 0u, total = 0u;
    for (int p = 0; p < letters; p++) {
        unsigned letter = query[p * n + i], to = node[at].next[letter];
        while (to == 0u && at != 0u) {
            at = node[at].link;
            length = node[at].length;
            to = node[at].next[letter];
        }
        if (to != 0u) {
            at = to;
            length++;
        }
        total += length;
        if (length > best) {
            best = length;
            best_at = at;
        }
    }
    longest[i] = best;
    place[i] = node[best_at].first;
    sum[i] = total;
}
