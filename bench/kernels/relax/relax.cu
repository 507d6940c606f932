// SPDX-License-Identifier: Apache-2.0
// relax: a round of relaxation along the edges of a graph, a thread per edge, as in shortest paths
// and spanning trees. Edges are in the order of their first vertex, and distances are read from
// anywhere. Atomics keep the least one (nvcc-only: no clang form).
#include "cuda_min.h"

extern "C" __global__ void relax(unsigned n, const unsigned *__restrict__ from, const unsigned *__restrict__ to,
                                 const int *__restrict__ weight, const int *__restrict__ distance, int *next) {
    unsigned stride = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicMin(&next[to[i]], distance[from[i]] + weight[i]);
}
