// SPDX-License-Identifier: Apache-2.0
// srad: a step of speckle-reducing anisotropic diffusion. Gradients and diffusion coefficients of
// all pixels with five IEEE divisions each, then the update with the neighbors' coefficients.
#include "cuda_min.h"

// noise is the squared coefficient of variation of a homogeneous region. slope holds four planes of
// differences: to the pixels above, below, left and right.
extern "C" __global__ void srad_gradient(const float *__restrict__ image, float *__restrict__ slope,
                                         float *__restrict__ coefficient, int cols, int rows,
                                         float noise) {
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= cols || y >= rows) return;
    int i = y * cols + x, plane = cols * rows;
    float c = image[i];
    float n = image[y > 0 ? i - cols : i] - c, s = image[y < rows - 1 ? i + cols : i] - c;
    float w = image[x > 0 ? i - 1 : i] - c, e = image[x < cols - 1 ? i + 1 : i] - c;
    float squares = fmaf(e, e, fmaf(w, w, fmaf(s, s, n * n))) / (c * c);
    float curve = ((n + s) + (w + e)) / c;
    float top = fmaf(-0.0625f * curve, curve, 0.5f * squares);
    float bottom = fmaf(0.25f, curve, 1.0f);
    float excess = (top / (bottom * bottom) - noise) / (noise * (1.0f + noise));
    float d = 1.0f / (1.0f + excess);
    slope[i] = n;
    slope[plane + i] = s;
    slope[2 * plane + i] = w;
    slope[3 * plane + i] = e;
    coefficient[i] = fminf(fmaxf(d, 0.0f), 1.0f);
}

extern "C" __global__ void srad_update(float *__restrict__ image, const float *__restrict__ slope,
                                       const float *__restrict__ coefficient, int cols, int rows,
                                       float rate) {
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= cols || y >= rows) return;
    int i = y * cols + x, plane = cols * rows;
    float here = coefficient[i], south = coefficient[y < rows - 1 ? i + cols : i];
    float east = coefficient[x < cols - 1 ? i + 1 : i];
    float flow = fmaf(south, slope[plane + i], here * slope[i]);
    flow = fmaf(here, slope[2 * plane + i], flow);
    flow = fmaf(east, slope[3 * plane + i], flow);
    image[i] = fmaf(0.25f * rate, flow, image[i]);
}
