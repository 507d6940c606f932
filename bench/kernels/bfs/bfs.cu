// SPDX-License-Identifier: Apache-2.0
// bfs: breadth-first search by levels, two launches per level until the frontier is empty.
// Scattered loads, loops of different length per lane, predicates in memory as bytes.
#include "cuda_min.h"

// Edges of node i: edges[first[i]] .. edges[first[i + 1] - 1]. Threads that reach the same node
// write the same cost.
extern "C" __global__ void bfs_expand(const int *first, const int *edges,
                                      const unsigned char *frontier, const unsigned char *visited,
                                      unsigned char *next, int *cost, int n) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n || !frontier[i]) return;
    int c = cost[i] + 1;
    for (int e = first[i]; e < first[i + 1]; e++) {
        int to = edges[e];
        if (!visited[to]) {
            cost[to] = c;
            next[to] = 1;
        }
    }
}

extern "C" __global__ void bfs_advance(unsigned char *frontier, unsigned char *visited,
                                       unsigned char *next, unsigned *again, int n) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    unsigned char f = next[i];
    frontier[i] = f;
    if (f) {
        visited[i] = 1;
        next[i] = 0;
        *again = 1;
    }
}
