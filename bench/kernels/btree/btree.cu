// SPDX-License-Identifier: Apache-2.0
// btree: searches for 64-bit keys in a tree of nodes with 7 keys. Dependent loads that differ per
// lane, signed 64-bit compares, loops left at different levels and positions.
#include "cuda_min.h"

#define KEYS 7

struct Node {
    long long key[KEYS]; // ascending; unused ones are the largest number
    int child;           // index of the first of KEYS + 1 children; -1: a leaf
    int rank;            // position of key[0] in the sorted order, of the leaf's first key
};

// found[i] = 16 * node + position of query[i] in the tree, -1 when it is not there.
extern "C" __global__ void btree(const Node *node, const long long *query, int *found, int n) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    long long q = query[i];
    int at = 0, result = -1;
    while (at >= 0) {
        const Node *here = &node[at];
        int k = 0;
#pragma unroll 1
        while (k < KEYS && here->key[k] < q) k++;
        if (k < KEYS && here->key[k] == q) {
            result = 16 * at + k;
            break;
        }
        at = here->child < 0 ? -1 : here->child + k;
    }
    found[i] = result;
}
