// SPDX-License-Identifier: Apache-2.0
// backprop: one layer of a neural network forward (products reduced in shared memory, then a
// sigmoid) and its weights adjusted. Column-wise trees leave half of the lanes idle; expf and
// division. nvcc-only.
#include "cuda_min.h"

#define H 16

// partial[block][unit] = sum over the block's 16 inputs of input * weight; weight[i * H + unit].
// blockDim H x 16.
extern "C" __global__ void backprop_products(const float *input, const float *weight,
                                             float *partial) {
    __shared__ float node[H], product[H][H];
    int tx = (int)threadIdx.x, ty = (int)threadIdx.y, i = (int)blockIdx.x * H + ty;
    if (tx == 0) node[ty] = input[i];
    __syncthreads();
    product[ty][tx] = weight[i * H + tx] * node[ty];
    for (int s = 1; s < H; s *= 2) {
        __syncthreads();
        if (ty % (2 * s) == 0) product[ty][tx] += product[ty + s][tx];
    }
    if (ty == 0) partial[(int)blockIdx.x * H + tx] = product[0][tx];
}

// hidden = sigmoid(sum of the partial sums); delta = hidden (1 - hidden) (target - hidden).
extern "C" __global__ void backprop_units(const float *partial, const float *target, float *hidden,
                                          float *delta, int blocks) {
    int u = (int)threadIdx.x;
    float sum = 0.0f;
    for (int j = 0; j < blocks; j++) sum += partial[j * H + u];
    float h = 1.0f / (1.0f + expf(-sum));
    hidden[u] = h;
    delta[u] = h * (1.0f - h) * (target[u] - h);
}

// weight += rate * delta * input + momentum * old; old = that step.
extern "C" __global__ void backprop_adjust(const float *input, const float *delta, float *weight,
                                           float *old, float rate, float momentum) {
    int u = (int)threadIdx.x, i = (int)blockIdx.x * H + (int)threadIdx.y, at = i * H + u;
    float change = fmaf(momentum, old[at], rate * delta[u] * input[i]);
    weight[at] += change;
    old[at] = change;
}
