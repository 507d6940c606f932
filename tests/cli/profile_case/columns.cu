// SPDX-License-Identifier: Apache-2.0
// Sums of rows, each by one thread: the lanes of a load are far apart. Makes columns.ptx:
//   nvcc -lineinfo -arch=compute_75 --ptx columns.cu
namespace demo {
template <typename T> __device__ T scaled(T x, T by) { return x * by; }

template <typename T> __global__ void columns(const T *in, T *out, int rows) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    T sum = 0;
    for (int r = 0; r < rows; r++)
        sum += in[c * rows + r];
    out[c] = scaled(sum, T(2));
}
template __global__ void columns<float>(const float *, float *, int);
}
