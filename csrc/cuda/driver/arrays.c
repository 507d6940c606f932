// SPDX-License-Identifier: Apache-2.0
// Arrays, textures and surfaces of the driver API, on top of the runtime's: the same arrays and the
// same records, other descriptions.
#include "cuda/cuda_textures.h"

#include "isa/texture.h"

#include <stdlib.h>
#include <string.h>

typedef int CUresult;
typedef uint64_t CUdeviceptr;

cudaError_t cudaMalloc3DArray(Array **made, const ChannelDesc *desc, Extent e, unsigned flags);
cudaError_t cudaFreeArray(Array *a);

// ---- arrays ----

typedef enum Format {
    FORMAT_U8 = 1,
    FORMAT_U16,
    FORMAT_U32,
    FORMAT_S8 = 8,
    FORMAT_S16,
    FORMAT_S32,
    FORMAT_F16 = 16,
    FORMAT_F32 = 32
} Format;
enum { KIND_SIGNED, KIND_UNSIGNED, KIND_FLOAT };  // of a ChannelDesc

static bool channels_of(int format, unsigned n, ChannelDesc *d) {
    int bits, kind;
    switch (format) {
    case FORMAT_U8:
    case FORMAT_U16:
    case FORMAT_U32: bits = 4 << format, kind = KIND_UNSIGNED; break;
    case FORMAT_S8:
    case FORMAT_S16:
    case FORMAT_S32: bits = 8 << (format - FORMAT_S8), kind = KIND_SIGNED; break;
    case FORMAT_F16: bits = 16, kind = KIND_FLOAT; break;
    case FORMAT_F32: bits = 32, kind = KIND_FLOAT; break;
    default: return false;
    }
    if (n != 1 && n != 2 && n != 4) return false;
    *d = (ChannelDesc){bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 2 ? bits : 0, kind};
    return true;
}

static int format_of(const ChannelDesc *d) {
    if (d->kind == KIND_FLOAT) return d->x == 16 ? FORMAT_F16 : FORMAT_F32;
    const int size = d->x == 8 ? 0 : d->x == 16 ? 1 : 2;
    return (d->kind == KIND_SIGNED ? FORMAT_S8 : FORMAT_U8) + size;
}

typedef struct ArrayDesc {
    size_t width, height;
    int format;
    unsigned channels;
} ArrayDesc;
typedef struct Array3DDesc {
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
} Array3DDesc;

API CUresult cuArray3DCreate_v2(Array **a, const Array3DDesc *d) {
    ChannelDesc channels;
    if (!a || !d || !channels_of(d->format, d->channels, &channels)) return CUDA_InvalidValue;
    return cudaMalloc3DArray(a, &channels, (Extent){d->width, d->height, d->depth}, d->flags);
}
API CUresult cuArrayCreate_v2(Array **a, const ArrayDesc *d) {
    if (!d) return CUDA_InvalidValue;
    return cuArray3DCreate_v2(a, &(Array3DDesc){d->width, d->height, 0, d->format, d->channels, 0});
}
API CUresult cuArrayDestroy(Array *a) { return a ? cudaFreeArray(a) : CUDA_InvalidResourceHandle; }

static unsigned channels_in(const ChannelDesc *d) {
    return 1u + (d->y != 0) + (d->z != 0) + (d->w != 0);
}

API CUresult cuArray3DGetDescriptor_v2(Array3DDesc *d, const Array *a) {
    if (!d || !a) return CUDA_InvalidValue;
    *d = (Array3DDesc){a->width, a->height, a->depth, format_of(&a->desc), channels_in(&a->desc),
                       a->flags};
    return CUDA_Success;
}
API CUresult cuArrayGetDescriptor_v2(ArrayDesc *d, const Array *a) {
    if (!d || !a) return CUDA_InvalidValue;
    *d = (ArrayDesc){a->width, a->height, format_of(&a->desc), channels_in(&a->desc)};
    return CUDA_Success;
}

// ---- copies of rows ----

enum { SIDE_HOST = 1, SIDE_DEVICE, SIDE_ARRAY, SIDE_UNIFIED };

typedef struct Side3D {
    size_t x, y, z, level;  // x in bytes
    int type;
    char *host;
    CUdeviceptr device;
    Array *array;
    void *unused;
    size_t pitch, height;
} Side3D;
typedef struct DriverCopy3D {
    Side3D from, to;
    size_t width, height, depth;
} DriverCopy3D;

typedef struct Side2D {
    size_t x, y;
    int type;
    char *host;
    CUdeviceptr device;
    Array *array;
    size_t pitch;
} Side2D;
typedef struct DriverCopy2D {
    Side2D from, to;
    size_t width, height;
} DriverCopy2D;

static size_t at_least_one(size_t n) { return n ? n : 1; }

// The first byte of one side, its pitch and slice. False: not in the array, or a side that there is
// not.
static bool side_at(const Side3D *s, const DriverCopy3D *c, char **at, size_t *pitch,
                    size_t *slice) {
    *pitch = s->pitch ? s->pitch : c->width;
    size_t rows = s->height ? s->height : c->height;
    switch (s->type) {
    case SIDE_HOST: *at = s->host; break;
    case SIDE_DEVICE:
    case SIDE_UNIFIED: *at = (char *)(uintptr_t)s->device; break;
    case SIDE_ARRAY:
        if (!s->array) return false;
        *at = s->array->at;
        *pitch = s->array->width * s->array->element;
        rows = at_least_one(s->array->height);
        if (s->x + c->width > *pitch || s->y + c->height > rows ||
            s->z + c->depth > at_least_one(s->array->depth)) {
            runtime_warn("cuMemcpy3D: the copy goes beyond the array");
            return false;
        }
        break;
    default: return false;
    }
    *slice = *pitch * rows;
    *at += s->z * *slice + s->y * *pitch + s->x;
    return true;
}

static int direction_of(const DriverCopy3D *c) {
    if (c->from.type == SIDE_UNIFIED || c->to.type == SIDE_UNIFIED) return COPY_DEFAULT;
    if (c->from.type == SIDE_HOST)
        return c->to.type == SIDE_HOST ? COPY_HOST_TO_HOST : COPY_TO_DEVICE;
    return c->to.type == SIDE_HOST ? COPY_FROM_DEVICE : COPY_ON_DEVICE;
}

API CUresult cuMemcpy3D_v2(const DriverCopy3D *c) {
    Rows r;
    char *from;
    if (!c) return CUDA_InvalidValue;
    r = (Rows){.width = c->width, .height = c->height, .depth = c->depth};
    if (!side_at(&c->from, c, &from, &r.from_pitch, &r.from_slice) ||
        !side_at(&c->to, c, &r.to, &r.to_pitch, &r.to_slice))
        return CUDA_InvalidValue;
    r.from = from;
    return memory_rows("cuMemcpy3D", &r, direction_of(c));
}
static Side3D side_in_3d(const Side2D *s) {
    return (Side3D){.x = s->x,
                    .y = s->y,
                    .type = s->type,
                    .host = s->host,
                    .device = s->device,
                    .array = s->array,
                    .pitch = s->pitch};
}
API CUresult cuMemcpy2D_v2(const DriverCopy2D *c) {
    if (!c) return CUDA_InvalidValue;
    return cuMemcpy3D_v2(
        &(DriverCopy3D){side_in_3d(&c->from), side_in_3d(&c->to), c->width, c->height, 1});
}
API CUresult cuMemcpy2DUnaligned_v2(const DriverCopy2D *c) { return cuMemcpy2D_v2(c); }
API CUresult cuMemcpy2DAsync_v2(const DriverCopy2D *c, cudaStream_t stream) {
    return (void)stream, cuMemcpy2D_v2(c);
}
API CUresult cuMemcpy3DAsync_v2(const DriverCopy3D *c, cudaStream_t stream) {
    return (void)stream, cuMemcpy3D_v2(c);
}

static CUresult with_array(Array *a, size_t at, CUdeviceptr device, const void *host, size_t bytes,
                           bool to_array) {
    const Side3D array = {.x = at, .type = SIDE_ARRAY, .array = a};
    const Side3D other = {
        .type = host ? SIDE_HOST : SIDE_DEVICE, .host = (char *)(uintptr_t)host, .device = device};
    return cuMemcpy3D_v2(
        &(DriverCopy3D){to_array ? other : array, to_array ? array : other, bytes, 1, 1});
}
API CUresult cuMemcpyHtoA_v2(Array *a, size_t at, const void *from, size_t bytes) {
    return with_array(a, at, 0, from, bytes, true);
}
API CUresult cuMemcpyAtoH_v2(void *to, Array *a, size_t at, size_t bytes) {
    return with_array(a, at, 0, to, bytes, false);
}
API CUresult cuMemcpyDtoA_v2(Array *a, size_t at, CUdeviceptr from, size_t bytes) {
    return with_array(a, at, from, NULL, bytes, true);
}
API CUresult cuMemcpyAtoD_v2(CUdeviceptr to, Array *a, size_t at, size_t bytes) {
    return with_array(a, at, to, NULL, bytes, false);
}

// ---- texture and surface objects ----

enum { AS_INTEGER = 1, NORMALIZED = 2, SRGB = 16 };

typedef struct DriverResource {
    int type;
    union {
        struct {
            Array *array;
        } array;
        struct {
            CUdeviceptr at;
            int format;
            unsigned channels;
            size_t bytes;
        } linear;
        struct {
            CUdeviceptr at;
            int format;
            unsigned channels;
            size_t width, height, pitch;
        } pitch;
        int reserved[32];
    } of;
    unsigned flags;
} DriverResource;
typedef struct DriverTexture {
    int wrap[3], filter;
    unsigned flags, anisotropy;
    int mipmap_filter;
    float mipmap_bias, mipmap_least, mipmap_most, border[4];
} DriverTexture;

static bool resource_of(const DriverResource *d, ResourceDesc *r, ChannelDesc *channels) {
    *r = (ResourceDesc){.type = d->type};
    switch (d->type) {
    case RESOURCE_ARRAY:
        r->of.array.array = d->of.array.array;
        if (!d->of.array.array) return false;
        *channels = d->of.array.array->desc;
        return true;
    case RESOURCE_LINEAR:
        r->of.linear.at = (char *)(uintptr_t)d->of.linear.at;
        r->of.linear.bytes = d->of.linear.bytes;
        return channels_of(d->of.linear.format, d->of.linear.channels, channels) &&
            (r->of.linear.desc = *channels, true);
    case RESOURCE_PITCH_2D:
        r->of.pitch.at = (char *)(uintptr_t)d->of.pitch.at;
        r->of.pitch.width = d->of.pitch.width;
        r->of.pitch.height = d->of.pitch.height;
        r->of.pitch.pitch = d->of.pitch.pitch;
        return channels_of(d->of.pitch.format, d->of.pitch.channels, channels) &&
            (r->of.pitch.desc = *channels, true);
    default: return true;  // mipmapped: refused by the runtime
    }
}

// Integers of at most 16 bits are read as floats unless the program says otherwise.
API CUresult cuTexObjectCreate(uint64_t *handle, const DriverResource *d, const DriverTexture *t,
                               const void *view) {
    ResourceDesc r;
    ChannelDesc channels = {0};
    if (!handle || !d || !t || !resource_of(d, &r, &channels)) return CUDA_InvalidValue;
    const bool scaled = !(t->flags & AS_INTEGER) && channels.kind != KIND_FLOAT && channels.x <= 16;
    TextureDesc x = {.filter = t->filter,
                     .read = scaled ? READ_NORMALIZED : READ_ELEMENTS,
                     .srgb = (t->flags & SRGB) != 0,
                     .normalized = (t->flags & NORMALIZED) != 0};
    memcpy(x.wrap, t->wrap, sizeof x.wrap);
    memcpy(x.border, t->border, sizeof x.border);
    return cudaCreateTextureObject(handle, &r, &x, view);
}
API CUresult cuTexObjectDestroy(uint64_t handle) { return cudaDestroyTextureObject(handle); }

API CUresult cuSurfObjectCreate(uint64_t *handle, const DriverResource *d) {
    ResourceDesc r;
    ChannelDesc channels;
    if (!handle || !d || d->type != RESOURCE_ARRAY || !resource_of(d, &r, &channels))
        return CUDA_InvalidValue;
    return cudaCreateSurfaceObject(handle, &r);
}
API CUresult cuSurfObjectDestroy(uint64_t handle) { return cudaDestroySurfaceObject(handle); }

// ---- texture references: a record in the module itself ----

struct TextureRef {
    uint64_t at;  // of the record
    ResourceDesc resource;
    TextureDesc desc;
    ChannelDesc channels;  // format of the memory as the program declares it
    unsigned flags;
    bool bound;
};
typedef struct TextureRef TextureRef;

// As the record that kernels read; before anything is bound there is nothing to be written.
static CUresult ref_write(TextureRef *r) {
    if (!r->bound) return CUDA_Success;
    const ChannelDesc *c =
        r->resource.type == RESOURCE_ARRAY ? &r->resource.of.array.array->desc : &r->channels;
    const bool scaled = !(r->flags & AS_INTEGER) && c->kind != KIND_FLOAT && c->x <= 16;
    r->desc.read = scaled ? READ_NORMALIZED : READ_ELEMENTS;
    r->desc.normalized = (r->flags & NORMALIZED) != 0;
    return texture_place(r->at, &r->resource, &r->desc);
}

static CUresult ref_bind(TextureRef *r, const ResourceDesc *to) {
    r->resource = *to;
    r->bound = true;
    return ref_write(r);
}

API CUresult cuModuleGetTexRef(TextureRef **ref, Module *m, const char *name) {
    uint64_t at;
    size_t bytes;
    if (!ref || !m || !name) return CUDA_InvalidValue;
    if (variable_named(m, name, &at, &bytes) || bytes != sizeof(TextureRecord))
        return CUDA_SymbolNotFound;
    TextureRef *r = calloc(1, sizeof *r);
    if (!r) return CUDA_MemoryAllocation;
    r->at = at;
    channels_of(FORMAT_F32, 1, &r->channels);
    *ref = r;
    return CUDA_Success;
}
API CUresult cuTexRefSetArray(TextureRef *r, Array *a, unsigned flags) {
    (void)flags;
    if (!r || !a) return CUDA_InvalidValue;
    return ref_bind(r, &(ResourceDesc){.type = RESOURCE_ARRAY, .of.array.array = a});
}
API CUresult cuTexRefSetAddress_v2(size_t *offset, TextureRef *r, CUdeviceptr at, size_t bytes) {
    if (!r) return CUDA_InvalidValue;
    if (offset) *offset = 0;
    return ref_bind(r,
                    &(ResourceDesc){.type = RESOURCE_LINEAR,
                                    .of.linear = {(char *)(uintptr_t)at, r->channels, bytes}});
}
API CUresult cuTexRefSetAddress2D_v3(TextureRef *r, const ArrayDesc *d, CUdeviceptr at,
                                     size_t pitch) {
    if (!r || !d || !channels_of(d->format, d->channels, &r->channels)) return CUDA_InvalidValue;
    return ref_bind(r,
                    &(ResourceDesc){.type = RESOURCE_PITCH_2D,
                                    .of.pitch = {(char *)(uintptr_t)at, r->channels, d->width,
                                                 d->height, pitch}});
}
API CUresult cuTexRefSetFormat(TextureRef *r, int format, int channels) {
    if (!r || channels < 0 || !channels_of(format, (unsigned)channels, &r->channels))
        return CUDA_InvalidValue;
    return CUDA_Success;
}
API CUresult cuTexRefSetAddressMode(TextureRef *r, int direction, int mode) {
    if (!r || direction < 0 || direction > 2) return CUDA_InvalidValue;
    r->desc.wrap[direction] = mode;
    return ref_write(r);
}
API CUresult cuTexRefSetFilterMode(TextureRef *r, int mode) {
    if (!r) return CUDA_InvalidValue;
    r->desc.filter = mode;
    return ref_write(r);
}
API CUresult cuTexRefSetFlags(TextureRef *r, unsigned flags) {
    if (!r) return CUDA_InvalidValue;
    r->flags = flags;
    return ref_write(r);
}
API CUresult cuParamSetTexRef(Function *f, int unit, const TextureRef *r) {
    return (void)unit, f && r ? CUDA_Success : CUDA_InvalidValue;
}
