// SPDX-License-Identifier: Apache-2.0
// conv_int8: a quantized layer of a small network: 3 x 3 convolution of a 16 x 16 map over many
// channels. Signed byte weights, unsigned byte activations, 32-bit sums, then scale, ReLU and
// saturation to a byte.
#include "cuda_min.h"

#define SIDE 16
#define TAPS 9

// One CTA per output channel, one thread per pixel. The map of an input channel is in shared memory
// with a border of zeros.
extern "C" __global__ void conv_int8(const unsigned char *in, const signed char *weight,
                                     const int *bias, unsigned char *out, int channels,
                                     int multiplier) {
    __shared__ unsigned char tile[SIDE + 2][SIDE + 2];
    int x = (int)threadIdx.x, y = (int)threadIdx.y, t = y * SIDE + x;
    const signed char *w = weight + (int)blockIdx.x * channels * TAPS;
    for (int i = t; i < (SIDE + 2) * (SIDE + 2); i += SIDE * SIDE) (&tile[0][0])[i] = 0;
    int sum = bias[blockIdx.x];
    for (int c = 0; c < channels; c++, w += TAPS) {
        __syncthreads();
        tile[y + 1][x + 1] = in[c * SIDE * SIDE + t];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TAPS; k++) sum += (int)tile[y + k / 3][x + k % 3] * (int)w[k];
    }
    int scaled = (sum * multiplier) >> 16;
    out[(int)blockIdx.x * SIDE * SIDE + t] = (unsigned char)min(max(scaled, 0), 255);
}
