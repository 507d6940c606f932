// SPDX-License-Identifier: Apache-2.0
// pwconv: a 1 x 1 convolution (point-wise layer): one thread per output pixel and filter, a chain
// of fma over the channels. The filters of a pixel load the same pixels, and the pixels of a filter
// the same weights.
#include "cuda_min.h"

// x: pixels of a plane; y: filters. in: planes by channel, weight: [filter][channel], out: planes by filter.
extern "C" __global__ void pwconv(const float *in, const float *weight, float *out, int pixels, int channels,
                                  int filters) {
    int p = (int)(blockIdx.x * blockDim.x + threadIdx.x), f = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (p >= pixels || f >= filters) return;
    float sum = 0.0f;
    for (int c = 0; c < channels; c++) sum = fmaf(in[c * pixels + p], weight[f * channels + c], sum);
    out[f * pixels + p] = fmaxf(sum, 0.0f);
}
