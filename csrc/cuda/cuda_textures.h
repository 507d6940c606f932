// SPDX-License-Identifier: Apache-2.0
// Source and mode of a texture's or surface's reads, with the layout of cudaResourceDesc and
// cudaTextureDesc. The driver API has other descriptions and translates them into these.
#ifndef SMCOSIM_CUDA_TEXTURES_H
#define SMCOSIM_CUDA_TEXTURES_H

#include "cuda/cuda_runtime.h"

// equal numbers in both APIs
enum { RESOURCE_ARRAY, RESOURCE_MIPMAPPED, RESOURCE_LINEAR, RESOURCE_PITCH_2D };
enum { READ_ELEMENTS, READ_NORMALIZED };
enum { FILTER_POINT, FILTER_LINEAR };

typedef struct ResourceDesc {
    int type;
    union {
        struct {
            Array *array;
        } array;
        struct {
            char *at;
            ChannelDesc desc;
            size_t bytes;
        } linear;
        struct {
            char *at;
            ChannelDesc desc;
            size_t width, height, pitch;
        } pitch;
    } of;
} ResourceDesc;

typedef struct TextureDesc {
    int wrap[3], filter, read, srgb;
    float border[4];
    int normalized;
    unsigned anisotropy;
    int mipmap_filter;
    float mipmap_bias, mipmap_least, mipmap_most;
    int no_trilinear, seamless;
} TextureDesc;

API cudaError_t cudaCreateTextureObject(uint64_t *handle, const ResourceDesc *r,
                                        const TextureDesc *d, const void *view);
API cudaError_t cudaDestroyTextureObject(uint64_t handle);
API cudaError_t cudaCreateSurfaceObject(uint64_t *handle, const ResourceDesc *r);
API cudaError_t cudaDestroySurfaceObject(uint64_t handle);
// Writes the record of a texture to a device address.
cudaError_t texture_place(uint64_t at, const ResourceDesc *resource, const TextureDesc *desc);

#endif
