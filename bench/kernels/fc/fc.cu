// SPDX-License-Identifier: Apache-2.0
// fc: a fully connected layer, one thread per output and image. The input is the same word in all
// lanes; the lanes' weights are a whole row apart.
#include "cuda_min.h"

// y: image. in: [image][nin], weight: [output][nin], out: [image][output].
extern "C" __global__ void fc(const float *in, const float *weight, const float *bias, float *out, int nin, int nout) {
    int o = (int)(blockIdx.x * blockDim.x + threadIdx.x), image = (int)blockIdx.y;
    if (o >= nout) return;
    float sum = bias[o];
    for (int i = 0; i < nin; i++) sum = fmaf(in[image * nin + i], weight[o * nin + i], sum);
    out[image * nout + o] = fmaxf(sum, 0.0f);
}
