// SPDX-License-Identifier: Apache-2.0
// The one device: the chosen machine, one SM of it.
#include "cuda/cuda_runtime.h"

#include <string.h>

enum {
    MOST_THREADS = 1024,
    MOST_Z = 64,
    MOST_GRID_YZ = 65535,
    CONSTANT_BYTES = 65536,
    REGISTERS_MOST = 65536,
    TEXTURE_ALIGN = 512,
    PITCH_ALIGN = 32,
    PITCH_MOST = 0x7fffffff,
    TEXTURE_1D = 131072,
    TEXTURE_2D = 65536,
    TEXTURE_3D = 16384
};

const CudaDevice *device_info(void) {
    runtime_lock();
    if (!runtime.have_device) {
        // the modules determine the PTX target
        for (Module *m = runtime.modules; m; m = m->next) module_send(m);
        Call c = {.request = {.op = CUDA_OP_DEVICE}};
        const cudaError_t error = call_server(&c);
        if ((!error || runtime.sticky) && c.reply.bytes == sizeof runtime.device) {
            memcpy(&runtime.device, c.answer, sizeof runtime.device);
            runtime.have_device = true;
        }
        call_free(&c);
    }
    runtime_unlock();
    return runtime.have_device ? &runtime.device : NULL;
}

// ---- attributes ----

bool device_attribute(int attribute, int *value) {
    const CudaDevice *d = device_info();
    if (!d) return false;
    switch (attribute) {
    case 1:
    case 2:
    case 3: *value = MOST_THREADS; break;
    case 4: *value = MOST_Z; break;
    case 5: *value = 0x7fffffff; break;
    case 6:
    case 7: *value = MOST_GRID_YZ; break;
    case 8:
    case 97: *value = (int)d->shared_per_block; break;
    case 9: *value = CONSTANT_BYTES; break;
    case 10: *value = 32; break;
    case 11: *value = PITCH_MOST; break;
    case 12:
    case 82: *value = (int)d->registers_per_sm; break;
    case 13: *value = d->clock_khz; break;
    case 14:
    case 30: *value = TEXTURE_ALIGN; break;
    case 15:
    case 19:
    case 31:
    case 40:
    case 41:
    case 78:
    case 79:
    case 80:
    case 83:
    case 95:
    case 99: *value = 1; break;
    case 16: *value = d->sms; break;
    case 21: *value = TEXTURE_1D; break;
    case 22:
    case 23: *value = TEXTURE_2D; break;
    case 24:
    case 25:
    case 26: *value = TEXTURE_3D; break;
    case 36: *value = d->memory_clock_khz; break;
    case 37: *value = d->bus_bits; break;
    case 38: *value = (int)d->l2_bytes; break;
    case 39: *value = d->threads_per_sm; break;
    case 51: *value = PITCH_ALIGN; break;
    case 75: *value = d->major; break;
    case 76: *value = d->minor; break;
    case 81: *value = (int)d->shared_per_sm; break;
    case 87: *value = 2; break;
    case 115: *value = 1; break;  // cudaMallocAsync, memory nodes of graphs
    case 106: *value = d->ctas_per_sm; break;
    default:
        if (attribute < 1 || attribute > 160) return false;
        *value = 0;  // features that are not there, limits that do not apply
    }
    return true;
}

API cudaError_t cudaDeviceGetAttribute(int *value, int attribute, int device) {
    if (!value) return set_error(CUDA_InvalidValue);
    if (device) return set_error(CUDA_InvalidDevice);
    if (!device_info()) return set_error(CUDA_InitializationError);
    return device_attribute(attribute, value) ? CUDA_Success : set_error(CUDA_InvalidValue);
}

// ---- cudaDeviceProp, as each version of the API lays it out ----

// Fields of all versions; packed: the next fields begin right behind it.
typedef struct __attribute__((packed)) PropHead {
    char name[256], uuid[16], luid[8];
    unsigned luid_mask, gap;
    size_t memory, shared_per_block;
    int registers_per_block, warp_size;
    size_t pitch_most;
    int most_threads, most_block[3], most_grid[3];
} PropHead;

// Versions up to 12. That of 11 ends before `since_12`.
typedef struct Prop12 {
    PropHead head;
    int clock_khz;
    size_t constant;
    int major, minor;
    size_t texture_align, texture_pitch_align;
    int overlap, sms, timeout, integrated, can_map, compute_mode;
    int texture_1d, texture_1d_mipmap, texture_1d_linear, texture_2d[2], texture_2d_mipmap[2],
        texture_2d_linear[3], texture_2d_gather[2], texture_3d[3], texture_3d_alt[3], texture_cube,
        texture_1d_layered[2], texture_2d_layered[3], texture_cube_layered[2], surface_1d,
        surface_2d[2], surface_3d[3], surface_1d_layered[2], surface_2d_layered[3], surface_cube,
        surface_cube_layered[2];
    size_t surface_align;
    int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc, engines, unified,
        memory_clock_khz, bus_bits, l2, l2_persisting, threads_per_sm, priorities, l1_global,
        l1_local;
    size_t shared_per_sm;
    int registers_per_sm, managed, multi_gpu, multi_gpu_group, host_atomics, double_ratio, pageable,
        concurrent_managed, preemption, host_pointer, cooperative, cooperative_multi;
    size_t shared_optin;
    int pageable_tables, managed_direct, ctas_per_sm, policy_window;
    size_t shared_reserved;
    int since_12[11], cluster, function_pointers, reserved[63];
} Prop12;

typedef struct Prop13 {
    PropHead head;
    size_t constant;
    int major, minor;
    size_t texture_align, texture_pitch_align;
    int sms, integrated, can_map;
    int texture_1d, texture_1d_mipmap, texture_2d[2], texture_2d_mipmap[2], texture_2d_linear[3],
        texture_2d_gather[2], texture_3d[3], texture_3d_alt[3], texture_cube, texture_1d_layered[2],
        texture_2d_layered[3], texture_cube_layered[2], surface_1d, surface_2d[2], surface_3d[3],
        surface_1d_layered[2], surface_2d_layered[3], surface_cube, surface_cube_layered[2];
    size_t surface_align;
    int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc, engines, unified, bus_bits,
        l2, l2_persisting, threads_per_sm, priorities, l1_global, l1_local;
    size_t shared_per_sm;
    int registers_per_sm, managed, multi_gpu, multi_gpu_group, host_atomics, pageable,
        concurrent_managed, preemption, host_pointer, cooperative;
    size_t shared_optin;
    int pageable_tables, managed_direct, ctas_per_sm, policy_window;
    size_t shared_reserved;
    int host_register;
    char rest[1008 - 708];
} Prop13;

_Static_assert(sizeof(Prop13) == 1008 && offsetof(Prop13, major) == 360 &&
                   offsetof(Prop13, sms) == 384 && offsetof(Prop13, host_register) == 704,
               "cudaDeviceProp of CUDA 13");
_Static_assert(offsetof(Prop12, since_12) == 728 && sizeof(Prop12) == 1032,
               "cudaDeviceProp of CUDA 11 and 12");

static void fill_head(PropHead *p, const CudaDevice *d) {
    strcpy(p->name, d->name);
    p->memory = d->memory;
    p->shared_per_block = d->shared_per_block;
    p->registers_per_block = (int)d->registers_per_sm;
    p->warp_size = 32;
    p->pitch_most = PITCH_MOST;
    p->most_threads = p->most_block[0] = p->most_block[1] = MOST_THREADS;
    p->most_block[2] = MOST_Z;
    p->most_grid[0] = 0x7fffffff;
    p->most_grid[1] = p->most_grid[2] = MOST_GRID_YZ;
}

// Members that versions share, by name.
#define FILL(p, d) \
    (fill_head(&(p)->head, d), (p)->constant = CONSTANT_BYTES, (p)->major = (d)->major, \
     (p)->minor = (d)->minor, (p)->texture_align = (p)->surface_align = TEXTURE_ALIGN, \
     (p)->texture_pitch_align = PITCH_ALIGN, (p)->sms = (d)->sms, (p)->can_map = 1, \
     (p)->texture_1d = TEXTURE_1D, (p)->texture_2d[0] = (p)->texture_2d[1] = TEXTURE_2D, \
     (p)->texture_3d[0] = (p)->texture_3d[1] = (p)->texture_3d[2] = TEXTURE_3D, \
     (p)->concurrent_kernels = 1, (p)->engines = 1, (p)->unified = 1, \
     (p)->bus_bits = (d)->bus_bits, (p)->l2 = (int)(d)->l2_bytes, \
     (p)->threads_per_sm = (d)->threads_per_sm, \
     (p)->priorities = (p)->l1_global = (p)->l1_local = 1, \
     (p)->shared_per_sm = (d)->shared_per_sm, (p)->registers_per_sm = (int)(d)->registers_per_sm, \
     (p)->managed = 1, (p)->cooperative = 1, (p)->shared_optin = (d)->shared_per_block, \
     (p)->ctas_per_sm = (d)->ctas_per_sm)

enum { PROP_11_BYTES = offsetof(Prop12, since_12) };

static cudaError_t properties_12(void *to, size_t bytes, int device) {
    const CudaDevice *d = device_info();
    if (!to || device) return CUDA_InvalidDevice;
    if (!d) return CUDA_InitializationError;
    Prop12 p = {.clock_khz = d->clock_khz,
                .memory_clock_khz = d->memory_clock_khz,
                .overlap = 1,
                .double_ratio = 2};
    FILL(&p, d);
    memcpy(to, &p, bytes);
    return CUDA_Success;
}

API cudaError_t cudaGetDeviceProperties_v2(void *to, int device) {
    return set_error(properties_12(to, sizeof(Prop12), device));
}

#if CUDART_VERSION_MAJOR >= 13
API cudaError_t cudaGetDeviceProperties(void *to, int device) {
    const CudaDevice *d = device_info();
    if (!to || device) return set_error(CUDA_InvalidDevice);
    if (!d) return set_error(CUDA_InitializationError);
    Prop13 p = {.host_register = 1};
    FILL(&p, d);
    memcpy(to, &p, sizeof p);
    return CUDA_Success;
}
#else
API cudaError_t cudaGetDeviceProperties(void *to, int device) {
    return set_error(properties_12(to, PROP_11_BYTES, device));
}
#endif

// ---- choosing it ----

API cudaError_t cudaGetDeviceCount(int *n) {
    if (!n) return set_error(CUDA_InvalidValue);
    *n = device_info() != NULL;
    return *n ? CUDA_Success : set_error(CUDA_NoDevice);
}
API cudaError_t cudaSetDevice(int device) {
    if (device) return set_error(CUDA_InvalidDevice);
    return device_info() ? CUDA_Success : set_error(CUDA_InitializationError);
}
API cudaError_t cudaInitDevice(int device, unsigned flags, unsigned more) {
    return (void)flags, (void)more, cudaSetDevice(device);
}
API cudaError_t cudaGetDevice(int *device) {
    if (!device) return set_error(CUDA_InvalidValue);
    *device = 0;
    return device_info() ? CUDA_Success : set_error(CUDA_InitializationError);
}
API cudaError_t cudaChooseDevice(int *device, const void *wanted) {
    return (void)wanted, cudaGetDevice(device);
}
API cudaError_t cudaSetValidDevices(int *devices, int n) {
    return (void)devices, (void)n, CUDA_Success;
}

API cudaError_t cudaDeviceReset(void) {
    cudaError_t error = call_simple(CUDA_OP_RESET, (CudaAsked){0}, NULL);
    return set_error(error);
}
API cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }

API cudaError_t cudaSetDeviceFlags(unsigned flags) {
    return runtime.stream_flags = (int)flags, CUDA_Success;
}
API cudaError_t cudaGetDeviceFlags(unsigned *flags) {
    if (!flags) return set_error(CUDA_InvalidValue);
    *flags = (unsigned)runtime.stream_flags;
    return CUDA_Success;
}

API cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
    (void)device, (void)peer;
    if (!can) return set_error(CUDA_InvalidValue);
    *can = 0;
    return CUDA_Success;
}
API cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    return (void)flags, set_error(peer ? CUDA_InvalidDevice : CUDA_PeerAccessUnsupported);
}
API cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    return set_error(peer ? CUDA_InvalidDevice : CUDA_PeerAccessNotEnabled);
}

API cudaError_t cudaRuntimeGetVersion(int *version) {
    if (!version) return set_error(CUDA_InvalidValue);
    *version = CUDART_VERSION_MAJOR * 1000;
    return CUDA_Success;
}
API cudaError_t cudaDriverGetVersion(int *version) { return cudaRuntimeGetVersion(version); }

API cudaError_t cudaDeviceGetPCIBusId(char *text, int n, int device) {
    if (!text || n < 13 || device) return set_error(CUDA_InvalidValue);
    strcpy(text, "0000:00:00.0");
    return CUDA_Success;
}
API cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return CUDA_Success;
}

// ---- limits and hints without effect ----

enum {
    LIMIT_STACK,
    LIMIT_PRINTF,
    LIMIT_HEAP,
    LIMIT_DEPTH,
    LIMIT_PENDING,
    LIMIT_L2_FETCH,
    HEAP_BYTES = 8 << 20,
    L2_FETCH_MOST = 128
};

// Limits requested by the program. They never run short here, because launches from the device run
// at once. The heap has its size. A thread's stack has that of compiler.stack unless the program
// requests more.
API cudaError_t cudaDeviceSetLimit(int limit, size_t value) {
    if (limit < 0 || limit >= LIMIT_COUNT) return set_error(CUDA_UnsupportedLimit);
    if (limit == LIMIT_L2_FETCH && value > L2_FETCH_MOST) return set_error(CUDA_InvalidValue);
    if (limit == LIMIT_STACK) {
        const cudaError_t error =
            call_simple(CUDA_OP_STACK, (CudaAsked){.stack.bytes = value}, NULL);
        if (error) return set_error(error);
    }
    if (limit != LIMIT_HEAP) runtime.limits[limit] = (Limit){true, value};
    else if (value > HEAP_BYTES)
        runtime_warn("cudaDeviceSetLimit: the heap of kernels has %d bytes, not %zu: malloc "
                     "returns 0 when they are given out",
                     HEAP_BYTES, value);
    return CUDA_Success;
}
API cudaError_t cudaDeviceGetLimit(size_t *value, int limit) {
    static const size_t before[LIMIT_COUNT] = {1024, 1 << 20, HEAP_BYTES, 2, 2048, 64};
    if (!value) return set_error(CUDA_InvalidValue);
    if (limit < 0 || limit >= LIMIT_COUNT) return set_error(CUDA_UnsupportedLimit);
    *value = runtime.limits[limit].set ? runtime.limits[limit].value : before[limit];
    return CUDA_Success;
}
API cudaError_t cudaThreadSetLimit(int limit, size_t value) {
    return cudaDeviceSetLimit(limit, value);
}
API cudaError_t cudaDeviceSetCacheConfig(int config) { return (void)config, CUDA_Success; }
API cudaError_t cudaThreadSetCacheConfig(int config) { return (void)config, CUDA_Success; }
API cudaError_t cudaDeviceGetCacheConfig(int *config) {
    if (!config) return set_error(CUDA_InvalidValue);
    *config = 0;
    return CUDA_Success;
}
API cudaError_t cudaDeviceSetSharedMemConfig(int config) { return (void)config, CUDA_Success; }
API cudaError_t cudaDeviceGetSharedMemConfig(int *config) {
    if (!config) return set_error(CUDA_InvalidValue);
    *config = 1;
    return CUDA_Success;
}
API cudaError_t cudaDeviceGetDefaultMemPool(void **pool, int device) {
    if (!pool || device) return set_error(CUDA_InvalidValue);
    *pool = &runtime;
    return CUDA_Success;
}
API cudaError_t cudaDeviceGetMemPool(void **pool, int device) {
    return cudaDeviceGetDefaultMemPool(pool, device);
}
API cudaError_t cudaMemPoolSetAttribute(void *pool, int attribute, void *value) {
    return (void)pool, (void)attribute, (void)value, CUDA_Success;
}
// Pools differ in nothing: all of them give out the device's memory.
API cudaError_t cudaMemPoolCreate(void **pool, const void *properties) {
    return properties ? cudaDeviceGetDefaultMemPool(pool, 0) : set_error(CUDA_InvalidValue);
}
API cudaError_t cudaMemPoolDestroy(void *pool) {
    return pool ? CUDA_Success : set_error(CUDA_InvalidValue);
}
API cudaError_t cudaDeviceSetMemPool(int device, void *pool) {
    return pool && !device ? CUDA_Success : set_error(CUDA_InvalidValue);
}
API cudaError_t cudaMemPoolSetAccess(void *pool, const void *access, size_t n) {
    return (void)access, (void)n, pool ? CUDA_Success : set_error(CUDA_InvalidValue);
}
API cudaError_t cudaMemPoolTrimTo(void *pool, size_t bytes) {
    return (void)pool, (void)bytes, CUDA_Success;
}

API cudaError_t cudaThreadGetLimit(size_t *value, int limit) {
    return cudaDeviceGetLimit(value, limit);
}
API cudaError_t cudaThreadGetCacheConfig(int *config) { return cudaDeviceGetCacheConfig(config); }
API cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device) {
    return (void)stream, cudaGetDevice(device);
}
API cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text) {
    return (void)text, cudaGetDevice(device);
}
API cudaError_t cudaDeviceGetP2PAttribute(int *value, int attribute, int device, int peer) {
    (void)value, (void)attribute, (void)device, (void)peer;
    return set_error(CUDA_InvalidDevice);
}
