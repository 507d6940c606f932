// SPDX-License-Identifier: Apache-2.0
// Virtual functions and function pointers: tables of addresses parse, the calls are refused.
struct Shape { __device__ virtual float area(float) = 0; };
struct Square : Shape { __device__ float area(float x) override { return x * x; } };
struct Circle : Shape { __device__ float area(float x) override { return 3.14f * x * x; } };
__global__ void virtual_call(float *out, int n) {
    Square s; Circle c;
    Shape *shape = n & 1 ? (Shape *)&s : (Shape *)&c;
    out[0] = shape->area(out[1]);
}
__global__ void direct(float *out) { out[threadIdx.x] = 1; }
