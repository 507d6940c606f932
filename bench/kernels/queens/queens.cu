// SPDX-License-Identifier: Apache-2.0
// queens: solutions of the n queens problem, a thread for each way to place the first two; its stack is a column of
// shared memory.
#include "cuda_min.h"

extern "C" __global__ void queens(unsigned *found, int n) {
    __shared__ unsigned stack[4 * 12 * 96];
    int t = (int)threadIdx.x, start = (int)(blockIdx.x * blockDim.x) + t;
    if (start >= n * n) return;
    unsigned all = (1u << n) - 1, first = 1u << (start / n), second = 1u << (start % n);
    unsigned columns = first | second, left = (first << 2) | (second << 1), right = (first >> 2) | (second >> 1);
    unsigned count = 0, free = all & ~(columns | left | right);
    if (second == first || second == first << 1 || second << 1 == first) free = 0;
    int row = 2;
    while (row >= 2) {
        if (free) {
            unsigned bit = free & (0u - free);
            free ^= bit;
            if (row == n - 1) count++;
            else {
                unsigned *s = stack + (row * 4) * 96 + t;
                s[0] = free, s[96] = columns, s[192] = left, s[288] = right;
                columns |= bit;
                left = (left | bit) << 1;
                right = (right | bit) >> 1;
                free = all & ~(columns | left | right);
                row++;
            }
        } else {
            row--;
            if (row >= 2) {
                unsigned *s = stack + (row * 4) * 96 + t;
                free = s[0], columns = s[96], left = s[192], right = s[288];
            }
        }
    }
    found[start] = count;
}
