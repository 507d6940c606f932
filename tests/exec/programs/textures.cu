// SPDX-License-Identifier: Apache-2.0
// Texture objects: linear memory of several formats, pitched memory, CUDA arrays of 1 to 3 dimensions and layered ones.
#include <cstdio>
#include <cmath>
#include <cstring>
#include <cuda_fp16.h>
static int bad;
static void check(bool ok, const char *what) { if (!ok) printf("wrong: %s\n", what), bad++; }
template <class T> __global__ void linear(cudaTextureObject_t t, T *out, int first) {
    int i = threadIdx.x;
    out[i] = tex1Dfetch<T>(t, i + first);
}
__global__ void plane(cudaTextureObject_t t, float *out, float x0, float dx, float dy) {
    int i = threadIdx.x;
    out[i] = tex2D<float>(t, x0 + dx * (i % 8), dy * (i / 8));
}
__global__ void volume(cudaTextureObject_t t, float *out) {
    int i = threadIdx.x;
    out[i] = tex3D<float>(t, i % 4 + 0.5f, i / 4 % 4 + 0.5f, i / 16 + 0.5f);
}
__global__ void layers(cudaTextureObject_t t, float2 *out) {
    int i = threadIdx.x;
    out[i] = tex2DLayered<float2>(t, i % 4 + 0.5f, i / 4 % 4 + 0.5f, i / 16);
}
__global__ void row(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex1D<float>(t, threadIdx.x * 0.25f); }

template <class T> static cudaTextureObject_t linear_object(T *at, size_t bytes, cudaTextureReadMode read) {
    cudaResourceDesc r = {}; cudaTextureDesc d = {}; cudaTextureObject_t t = 0;
    r.resType = cudaResourceTypeLinear; r.res.linear.devPtr = at; r.res.linear.sizeInBytes = bytes;
    r.res.linear.desc = cudaCreateChannelDesc<T>(); d.readMode = read;
    check(cudaCreateTextureObject(&t, &r, &d, NULL) == cudaSuccess, "create");
    return t;
}
static cudaTextureObject_t array_object(cudaArray_t a, cudaTextureFilterMode filter, cudaTextureAddressMode wrap, int normalized) {
    cudaResourceDesc r = {}; cudaTextureDesc d = {}; cudaTextureObject_t t = 0;
    r.resType = cudaResourceTypeArray; r.res.array.array = a;
    d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = wrap; d.filterMode = filter; d.normalizedCoords = normalized;
    check(cudaCreateTextureObject(&t, &r, &d, NULL) == cudaSuccess, "create from an array");
    return t;
}
template <class T, class V> static void fetch(const T *host, int n, cudaTextureReadMode read, V (*want)(T), const char *name) {
    T *at; V *out, got[64], zero; memset(&zero, 0, sizeof zero);
    cudaMalloc(&at, n * sizeof(T)); cudaMalloc(&out, sizeof got);
    cudaMemcpy(at, host, n * sizeof(T), cudaMemcpyHostToDevice);
    cudaTextureObject_t t = linear_object(at, n * sizeof(T), read);
    linear<V><<<1, 64>>>(t, out, -8);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++) {
        V w = i >= 8 && i - 8 < n ? want(host[i - 8]) : zero;
        check(!memcmp(&w, &got[i], sizeof w), name);
    }
    cudaResourceDesc r = {};
    check(cudaGetTextureObjectResourceDesc(&r, t) == cudaSuccess && r.res.linear.devPtr == at, "resource");
    check(cudaDestroyTextureObject(t) == cudaSuccess, "destroy");
    cudaFree(at); cudaFree(out);
}
static float same_f(float v) { return v; }
static int4 same_i4(int4 v) { return v; }
static unsigned short same_us(unsigned short v) { return v; }
static signed char same_c(signed char v) { return v; }
static float2 scaled(uchar2 v) { return make_float2((float)(v.x / 255.0), (float)(v.y / 255.0)); }
static float scaled_s(short v) { return v == -32768 ? -1.0f : (float)(v / 32767.0); }

int main() {
    float f[48]; int4 i4[20]; unsigned short us[33]; signed char c[50]; uchar2 u2[40]; short s[40];
    for (int i = 0; i < 48; i++) f[i] = i * 0.7f - 9;
    for (int i = 0; i < 20; i++) i4[i] = make_int4(i, -i, i * i, 1 << i);
    for (int i = 0; i < 33; i++) us[i] = 2000 * i + 7;
    for (int i = 0; i < 50; i++) c[i] = 5 * i - 120;
    for (int i = 0; i < 40; i++) u2[i] = make_uchar2(6 * i, 255 - 3 * i), s[i] = i ? 1640 * i - 32768 : -32768;
    fetch<float, float>(f, 48, cudaReadModeElementType, same_f, "float");
    fetch<int4, int4>(i4, 20, cudaReadModeElementType, same_i4, "int4");
    fetch<unsigned short, unsigned short>(us, 33, cudaReadModeElementType, same_us, "ushort");
    fetch<signed char, signed char>(c, 50, cudaReadModeElementType, same_c, "char");
    fetch<uchar2, float2>(u2, 40, cudaReadModeNormalizedFloat, scaled, "uchar2 normalized");
    fetch<short, float>(s, 40, cudaReadModeNormalizedFloat, scaled_s, "short normalized");

    // Pitched memory, linear filter between texels: 8 bits of weight.
    const int w = 6, h = 4; float image[h * w], got[64], *out, *pitched; size_t pitch;
    cudaMalloc(&out, sizeof got); cudaMallocPitch(&pitched, &pitch, w * sizeof(float), h);
    for (int i = 0; i < w * h; i++) image[i] = i * i * 0.5f - 3 * i;
    cudaMemcpy2D(pitched, pitch, image, w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice);
    cudaResourceDesc r = {}; cudaTextureDesc d = {}; cudaTextureObject_t t = 0;
    r.resType = cudaResourceTypePitch2D; r.res.pitch2D.devPtr = pitched; r.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    r.res.pitch2D.width = w; r.res.pitch2D.height = h; r.res.pitch2D.pitchInBytes = pitch;
    d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp; d.filterMode = cudaFilterModeLinear;
    check(cudaCreateTextureObject(&t, &r, &d, NULL) == cudaSuccess, "create from pitched memory");
    plane<<<1, 64>>>(t, out, -0.75f, 1.1f, 0.6f);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++) {
        double x = fmaf(1.1f, (float)(i % 8), -0.75f) - 0.5, y = 0.6f * (float)(i / 8) - 0.5, v[2];
        double a = floor((x - floor(x)) * 256 + 0.5) / 256, b = floor((y - floor(y)) * 256 + 0.5) / 256;
        for (int k = 0; k < 2; k++) {
            int yy = (int)floor(y) + k, xx = (int)floor(x); yy = yy < 0 ? 0 : yy >= h ? h - 1 : yy;
            int x0 = xx < 0 ? 0 : xx >= w ? w - 1 : xx, x1 = xx + 1 < 0 ? 0 : xx + 1 >= w ? w - 1 : xx + 1;
            v[k] = (1 - a) * image[yy * w + x0] + a * image[yy * w + x1];
        }
        check(got[i] == (float)((1 - b) * v[0] + b * v[1]), "pitched, linear");
    }
    cudaDestroyTextureObject(t);

    cudaArray_t a; cudaChannelFormatDesc one = cudaCreateChannelDesc<float>();
    cudaMallocArray(&a, &one, w, h);
    cudaMemcpy2DToArray(a, 0, 0, image, w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice);
    t = array_object(a, cudaFilterModePoint, cudaAddressModeWrap, 1);
    plane<<<1, 64>>>(t, out, -1.5f, 0.375f, 0.3125f);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++) {
        int x = (int)floor((-1.5 + 0.375 * (i % 8)) * w), y = (int)floor(0.3125 * (i / 8) * h);
        check(got[i] == image[(y % h + h) % h * w + (x % w + w) % w], "array, wrap");
    }
    cudaDestroyTextureObject(t); cudaFreeArray(a);

    float cube[64]; for (int i = 0; i < 64; i++) cube[i] = 100 - i;
    cudaMalloc3DArray(&a, &one, make_cudaExtent(4, 4, 4));
    cudaMemcpy3DParms p = {}; p.srcPtr = make_cudaPitchedPtr(cube, 16, 4, 4); p.dstArray = a; p.extent = make_cudaExtent(4, 4, 4);
    p.kind = cudaMemcpyHostToDevice; cudaMemcpy3D(&p);
    t = array_object(a, cudaFilterModeLinear, cudaAddressModeClamp, 0);
    volume<<<1, 64>>>(t, out);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    check(!memcmp(got, cube, sizeof cube), "3-D array");
    cudaDestroyTextureObject(t); cudaFreeArray(a);

    float2 deep[48], *out2, got2[48]; for (int i = 0; i < 48; i++) deep[i] = make_float2(i, -i);
    cudaChannelFormatDesc two = cudaCreateChannelDesc<float2>(); cudaMalloc(&out2, sizeof got2);
    cudaMalloc3DArray(&a, &two, make_cudaExtent(4, 4, 3), cudaArrayLayered);
    p.srcPtr = make_cudaPitchedPtr(deep, 32, 4, 4); p.dstArray = a; p.extent = make_cudaExtent(4, 4, 3); cudaMemcpy3D(&p);
    t = array_object(a, cudaFilterModePoint, cudaAddressModeClamp, 0);
    layers<<<1, 48>>>(t, out2);
    cudaMemcpy(got2, out2, sizeof got2, cudaMemcpyDeviceToHost);
    check(!memcmp(got2, deep, sizeof deep), "layers");
    cudaDestroyTextureObject(t); cudaFreeArray(a);

    cudaMallocArray(&a, &one, 8, 0); cudaMemcpyToArray(a, 0, 0, image, 32, cudaMemcpyHostToDevice);
    t = array_object(a, cudaFilterModePoint, cudaAddressModeBorder, 0);
    row<<<1, 64>>>(t, out);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++) check(got[i] == (i < 32 ? image[i / 4] : 0), "1-D array");

    check(cudaGetLastError() == cudaSuccess, "an error");
    d.filterMode = cudaFilterModeLinear; r.res.pitch2D.desc = cudaCreateChannelDesc<int>();
    check(cudaCreateTextureObject(&t, &r, &d, NULL) == cudaErrorInvalidFilterSetting, "linear filter of integers");
    check(cudaDestroyTextureObject(77) == cudaErrorInvalidValue, "destroy what is none");
    printf("%s\n", bad ? "FAILED" : "PASSED"); return bad != 0;
}
