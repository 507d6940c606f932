// SPDX-License-Identifier: Apache-2.0
// Shared (static, dynamic, in two dimensions), constant, local arrays, pointer tables, vectors, volatile.
struct Body { float x, y, z; char tag; short count; double mass; };
__constant__ float coeff[16] = {1, 2.5f, -3};
__constant__ int unset[64];
__device__ int counter;
__device__ double table[2][3] = {{1, 2, 3}, {4, 5}};
__device__ short small[5] = {-1, 2, -3};
__device__ int *where[3] = {&counter, &counter, 0};
__device__ const float *coeff_at = &coeff[1];
__device__ Body start = {1, 2, 3, 'a', 7, 0.5};
extern __shared__ float dynamic[];
__global__ void spaces(float *out, const float4 *in, const double2 *__restrict__ d, Body b, int n, bool flag, char c) {
    __shared__ float tile[16][17];
    __shared__ char bytes[33];
    float local[12];
    int i = threadIdx.x;
    for (int k = 0; k < 12; k++) local[k] = in[k].x * coeff[k & n];
    tile[i >> 4][i & 15] = local[n % 12] + unset[i & 63];
    dynamic[i] = in[i].y + b.x * b.count;
    bytes[i & 31] = c;
    __syncthreads();
    volatile float *v = dynamic;
    v[i] += v[i ^ 1];
    float4 r = in[i];
    r.x += tile[i & 15][i >> 4] + (flag ? (float)b.mass : b.tag) + table[i & 1][i % 3] + small[i % 5];
    r.y += *coeff_at + *where[n & 1] + (float)__ldg(&d[i]).y + bytes[(i + 1) & 31] + start.count;
    ((float4 *)out)[i] = r;
    __threadfence();
    __stcs(out + 3, __ldcg(out + 2));
    short2 s2 = ((short2 *)out)[i];
    uchar4 u4 = ((uchar4 *)out)[i + 1];
    ((uchar4 *)out)[i + 2] = make_uchar4(u4.w, u4.z, (unsigned char)s2.x, (unsigned char)s2.y);
}
