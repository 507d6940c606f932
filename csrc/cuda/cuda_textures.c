// SPDX-License-Identifier: Apache-2.0
// Texture and surface objects. A handle is the device address of a record that kernels read
// (isa/texture.h, base/surface.h). So a captured launch includes the records with its other memory.
#include "cuda/cuda_textures.h"

#include "base/surface.h"
#include "isa/texture.h"

#include <stddef.h>

#include <stdlib.h>
#include <string.h>

enum { ARRAY_LAYERED = 1, ARRAY_CUBEMAP = 4 };

// Of the objects that there are, in a list of the runtime.
struct Texture {
    uint64_t handle;
    ResourceDesc resource;
    TextureDesc desc;
    bool surface;
    struct Texture *next;
};

// ---- records ----

static cudaError_t set_format(TextureRecord *t, const ChannelDesc *d) {
    const int bits[4] = {d->x, d->y, d->z, d->w};
    int n = 0;
    while (n < 4 && bits[n]) n++;
    for (int i = 0; i < 4; i++)
        if (bits[i] != (i < n ? d->x : 0)) return CUDA_InvalidChannelDescriptor;
    if ((n != 1 && n != 2 && n != 4) || (d->x != 8 && d->x != 16 && d->x != 32) || d->kind < 0 ||
        d->kind > TEXTURE_FLOAT || (d->kind == TEXTURE_FLOAT && d->x == 8))
        return CUDA_InvalidChannelDescriptor;
    t->bits = (uint8_t)d->x;
    t->channels = (uint8_t)n;
    t->kind = (uint8_t)d->kind;
    return CUDA_Success;
}

static cudaError_t set_place(TextureRecord *t, const void *at, size_t width, size_t height,
                             size_t depth, size_t pitch) {
    const uint64_t addr = (uint64_t)(uintptr_t)at;
    if (!width || width > UINT32_MAX || height > UINT32_MAX || pitch > UINT32_MAX ||
        pitch * height > UINT32_MAX)
        return CUDA_InvalidValue;
    if (!memory_is_device(at) && !mirror_of(addr)) {
        runtime_warn("cudaCreateTextureObject: %p is host memory", at);
        return CUDA_InvalidValue;
    }
    if (addr % texture_texel_bytes(t) || pitch % texture_texel_bytes(t)) return CUDA_InvalidValue;
    t->addr = addr;
    t->width = (uint32_t)width;
    t->height = (uint32_t)height;
    t->depth = (uint32_t)depth;
    t->pitch = (uint32_t)pitch;
    t->slice = (uint32_t)(pitch * height);
    return CUDA_Success;
}

static cudaError_t set_array(TextureRecord *t, const Array *a) {
    if (!a) return CUDA_InvalidResourceHandle;
    const bool layered = a->flags & (ARRAY_LAYERED | ARRAY_CUBEMAP);  // a cube is six layers
    t->geometry = layered ? a->height ? TEXTURE_A2D : TEXTURE_A1D
        : a->depth        ? TEXTURE_3D
        : a->height       ? TEXTURE_2D
                          : TEXTURE_1D;
    const cudaError_t error = set_format(t, &a->desc);
    if (error) return error;
    return set_place(t, a->at, a->width, a->height ? a->height : 1, a->depth ? a->depth : 1,
                     a->width * a->element);
}

static cudaError_t set_resource(TextureRecord *t, const ResourceDesc *r) {
    cudaError_t error;
    switch (r->type) {
    case RESOURCE_ARRAY: return set_array(t, r->of.array.array);
    case RESOURCE_LINEAR:
        t->memory = 1;
        t->geometry = TEXTURE_1D;
        error = set_format(t, &r->of.linear.desc);
        if (error) return error;
        return set_place(t, r->of.linear.at, r->of.linear.bytes / texture_texel_bytes(t), 1, 1, 0);
    case RESOURCE_PITCH_2D:
        t->geometry = TEXTURE_2D;
        error = set_format(t, &r->of.pitch.desc);
        if (error) return error;
        return set_place(t, r->of.pitch.at, r->of.pitch.width, r->of.pitch.height, 1,
                         r->of.pitch.pitch);
    default:
        runtime_warn("cudaCreateTextureObject: mipmapped arrays are not supported");
        return CUDA_NotSupported;
    }
}

static bool is_cube(const ResourceDesc *r) {
    return r->type == RESOURCE_ARRAY && r->of.array.array->flags & ARRAY_CUBEMAP;
}

static cudaError_t set_reading(TextureRecord *t, const ResourceDesc *r, const TextureDesc *d) {
    for (int i = 0; i < 3; i++) {
        if (d->wrap[i] < 0 || d->wrap[i] > TEXTURE_BORDER) return CUDA_InvalidValue;
        t->wrap[i] = (uint8_t)d->wrap[i];
    }
    if (d->srgb) {
        runtime_warn("cudaCreateTextureObject: sRGB textures are not supported");
        return CUDA_NotSupported;
    }
    if (d->read == READ_NORMALIZED && t->kind != TEXTURE_FLOAT && t->bits == 32)
        return CUDA_InvalidNormSetting;
    t->scaled = d->read == READ_NORMALIZED && t->kind != TEXTURE_FLOAT;
    t->linear = d->filter == FILTER_LINEAR && !t->memory;
    if (t->linear && t->kind != TEXTURE_FLOAT && !t->scaled) return CUDA_InvalidFilterSetting;
    t->normalized = d->normalized != 0;
    if (is_cube(r)) {  // the direction selects the face, so no texel is outside
        t->normalized = true;
        memset(t->wrap, TEXTURE_CLAMP, sizeof t->wrap);
    }
    memcpy(t->border, d->border, sizeof t->border);
    return CUDA_Success;
}

// ---- objects ----

static cudaError_t make_object(uint64_t *handle, const TextureRecord *t, struct Texture as) {
    uint64_t at;
    cudaError_t error = address_take(sizeof *t, CUDA_ALLOC_DEVICE, sizeof *t, &at);
    if (!error)
        error =
            memory_copy("a texture object", (void *)(uintptr_t)at, t, sizeof *t, COPY_TO_DEVICE);
    struct Texture *x = error ? NULL : malloc(sizeof *x);
    if (error) return set_error(error);
    if (!x) return set_error(CUDA_MemoryAllocation);
    *x = as;
    x->handle = at;
    runtime_lock();
    x->next = runtime.textures;
    runtime.textures = x;
    runtime_unlock();
    *handle = at;
    return CUDA_Success;
}

// ---- calls ----

API cudaError_t cudaCreateTextureObject(uint64_t *handle, const ResourceDesc *r,
                                        const TextureDesc *d, const void *view) {
    if (!handle || !r || !d) return set_error(CUDA_InvalidValue);
    if (view) {
        runtime_warn("cudaCreateTextureObject: resource views are not supported");
        return set_error(CUDA_NotSupported);
    }
    device_info();  // connects
    TextureRecord t = {.magic = TEXTURE_MAGIC};
    cudaError_t error = set_resource(&t, r);
    if (!error) error = set_reading(&t, r, d);
    if (error) return set_error(error);
    return make_object(handle, &t, (struct Texture){.resource = *r, .desc = *d});
}

cudaError_t texture_place(uint64_t at, const ResourceDesc *resource, const TextureDesc *desc) {
    TextureRecord t = {.magic = TEXTURE_MAGIC};
    cudaError_t error = set_resource(&t, resource);
    if (!error) error = set_reading(&t, resource, desc);
    return error
        ? error
        : memory_copy("a texture reference", (void *)(uintptr_t)at, &t, sizeof t, COPY_TO_DEVICE);
}

static struct Texture *object_find(uint64_t handle, bool surface) {
    runtime_lock();
    struct Texture *x = runtime.textures;
    while (x && (x->handle != handle || x->surface != surface)) x = x->next;
    runtime_unlock();
    return x;
}

static cudaError_t destroy_object(uint64_t handle, bool surface) {
    struct Texture *x = object_find(handle, surface);
    if (!x) return set_error(handle ? CUDA_InvalidValue : CUDA_Success);
    runtime_lock();
    for (struct Texture **at = &runtime.textures; *at; at = &(*at)->next)
        if (*at == x) {
            *at = x->next;
            break;
        }
    runtime_unlock();
    free(x);
    return set_error(address_give(handle));
}

API cudaError_t cudaDestroyTextureObject(uint64_t handle) { return destroy_object(handle, false); }
API cudaError_t cudaDestroySurfaceObject(uint64_t handle) { return destroy_object(handle, true); }

API cudaError_t cudaGetTextureObjectResourceDesc(ResourceDesc *r, uint64_t handle) {
    const struct Texture *x = object_find(handle, false);
    if (!x || !r) return set_error(CUDA_InvalidValue);
    *r = x->resource;
    return CUDA_Success;
}

API cudaError_t cudaGetTextureObjectTextureDesc(TextureDesc *d, uint64_t handle) {
    const struct Texture *x = object_find(handle, false);
    if (!x || !d) return set_error(CUDA_InvalidValue);
    *d = x->desc;
    return CUDA_Success;
}

API cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *texels, const ChannelDesc *desc,
                                                     int device) {
    TextureRecord t = {0};
    if (!texels || !desc || device) return set_error(CUDA_InvalidValue);
    const cudaError_t error = set_format(&t, desc);
    if (!error) *texels = (size_t)1 << 27;
    return set_error(error);
}

// ---- surfaces ----

#define SAME(member, place) (offsetof(TextureRecord, member) == SURFACE_AT_##place)
_Static_assert(SAME(zero, ROW_BYTES) && SAME(addr, ADDR) && SAME(height, HEIGHT) &&
                   SAME(depth, DEPTH) && SAME(pitch, PITCH) && SAME(slice, SLICE) &&
                   SAME(kind, FORMAT) && offsetof(TextureRecord, geometry) == SURFACE_AT_FORMAT + 3,
               "a surface's record as base/surface.h has it");
#undef SAME

API cudaError_t cudaCreateSurfaceObject(uint64_t *handle, const ResourceDesc *r) {
    if (!handle || !r || r->type != RESOURCE_ARRAY) return set_error(CUDA_InvalidValue);
    device_info();  // connects
    TextureRecord t = {.magic = SURFACE_MAGIC};
    const cudaError_t error = set_array(&t, r->of.array.array);
    if (error) return set_error(error);
    t.zero = t.width * texture_texel_bytes(&t);
    return make_object(handle, &t, (struct Texture){.resource = *r, .surface = true});
}

API cudaError_t cudaGetSurfaceObjectResourceDesc(ResourceDesc *r, uint64_t handle) {
    const struct Texture *x = object_find(handle, true);
    if (!x || !r) return set_error(CUDA_InvalidValue);
    *r = x->resource;
    return CUDA_Success;
}
