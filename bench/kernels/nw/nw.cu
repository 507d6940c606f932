// SPDX-License-Identifier: Apache-2.0
// nw: Needleman-Wunsch alignment score, tiles of 16 x 16 along anti-diagonals. Half-empty warps, a
// barrier per step inside divergent-length diagonals, integer maximum, the launch repeated until
// the last diagonal is done.
#include "cuda_min.h"

#define TILE 16

// One diagonal of tiles per launch, its number in *diagonal; a block that falls outside ends at
// once. The score array is (n + 1) x (n + 1) with row and column 0 given; match is n x n.
extern "C" __global__ void nw_diagonal(int *score, const signed char *match, const int *diagonal,
                                       int n, int gap) {
    __shared__ int s[TILE + 1][TILE + 1];
    __shared__ int m[TILE][TILE];
    int tiles = n / TILE, t = (int)threadIdx.x, d = *diagonal;
    int ty = (int)blockIdx.x, tx = d - ty;
    if (ty >= tiles || tx < 0 || tx >= tiles) return;
    int width = n + 1, row0 = ty * TILE, col0 = tx * TILE;
    for (int r = 0; r < TILE; r++) m[r][t] = match[(row0 + r) * n + col0 + t];
    s[0][t + 1] = score[row0 * width + col0 + t + 1];
    s[t + 1][0] = score[(row0 + t + 1) * width + col0];
    if (t == 0) s[0][0] = score[row0 * width + col0];
    __syncthreads();
    for (int step = 0; step < 2 * TILE - 1; step++) {
        int r = step - t; // thread t owns column t
        if (r >= 0 && r < TILE) {
            int best = s[r][t] + m[r][t];
            best = max(best, s[r][t + 1] - gap);
            s[r + 1][t + 1] = max(best, s[r + 1][t] - gap);
        }
        __syncthreads();
    }
    for (int r = 0; r < TILE; r++) score[(row0 + r + 1) * width + col0 + t + 1] = s[r + 1][t + 1];
}

// Moves on to the next diagonal; *again says whether there is one.
extern "C" __global__ void nw_next(int *diagonal, unsigned *again, int n) {
    int d = *diagonal + 1;
    *diagonal = d;
    *again = d < 2 * (n / TILE) - 1;
}
