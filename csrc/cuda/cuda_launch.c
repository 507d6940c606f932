// SPDX-License-Identifier: Apache-2.0
// Launches. A kernel has ended, and its printf has been printed, when the call returns.
#include "cuda/cuda_runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONFIGURATIONS = 32 };

// <<<>>> pushes; the kernel's stub pops and launches.
typedef struct Configuration {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
} Configuration;
static _Thread_local Configuration configurations[CONFIGURATIONS];
static _Thread_local int nconfigurations;

API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                         cudaStream_t stream) {
    if (nconfigurations == CONFIGURATIONS) return set_error(CUDA_LaunchMaxDepthExceeded), 1;
    configurations[nconfigurations++] = (Configuration){grid, block, shared, stream};
    return 0;
}

API cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
    if (!nconfigurations) return set_error(CUDA_MissingConfiguration);
    const Configuration *c = &configurations[--nconfigurations];
    *grid = c->grid, *block = c->block, *shared = c->shared;
    *(cudaStream_t *)stream = c->stream;
    return CUDA_Success;
}

cudaError_t launch_packed(Function *f, const LaunchDims *s, const void *params) {
    modules_ready();
    cudaError_t error = mirrors_to_device(params, f->param_bytes);
    if (error) return error;
    const CudaDims dims = {.grid = {s->grid.x, s->grid.y, s->grid.z},
                           .block = {s->block.x, s->block.y, s->block.z},
                           .shared = s->shared};
    Call c = {.request = {.op = CUDA_OP_LAUNCH,
                          .bytes = f->param_bytes,
                          .asked.launch = {.function = f->id, .dims = dims, .flags = s->flags}},
              .payload = params};
    error = call_server(&c);
    if (c.reply.bytes) {
        fwrite(c.answer, 1, c.reply.bytes, stdout);
        fflush(stdout);
    }
    call_free(&c);
    return error ? error : mirrors_to_host();
}

cudaError_t launch_pack(Function *f, void **args, void **packed) {
    if (!f) return CUDA_InvalidDeviceFunction;
    if (runtime.sticky) return runtime.sticky;
    const cudaError_t error = function_know(f);
    if (error) return error;
    if (f->nparams && !args) return CUDA_InvalidValue;
    uint64_t *block = calloc(f->param_bytes / 8 + 1, 8);
    if (!block) return CUDA_MemoryAllocation;
    for (int i = 0; i < f->nparams; i++)
        memcpy((char *)block + f->params[2 * i], args[i], f->params[2 * i + 1]);
    *packed = block;
    return CUDA_Success;
}

cudaError_t launch_function(Function *f, const LaunchDims *s, void **args) {
    void *block;
    cudaError_t error = launch_pack(f, args, &block);
    if (error) return error;
    error = launch_packed(f, s, block);
    free(block);
    return error;
}

static cudaError_t on_stream(cudaStream_t stream, Function *f, const LaunchDims *s, void **args) {
    return stream_capture(stream) ? capture_launch(stream, f, s, args)
                                  : launch_function(f, s, args);
}

API cudaError_t cudaLaunchKernel(const void *stub, dim3 grid, dim3 block, void **args,
                                 size_t shared, cudaStream_t stream) {
    return set_error(
        on_stream(stream, function_find(stub), &(LaunchDims){grid, block, shared, 0}, args));
}

API cudaError_t __cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **args,
                                   size_t shared, cudaStream_t stream) {
    return cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}

API cudaError_t cudaLaunchCooperativeKernel(const void *stub, dim3 grid, dim3 block, void **args,
                                            size_t shared, cudaStream_t stream) {
    const LaunchDims s = {grid, block, shared, CUDA_LAUNCH_COOPERATIVE};
    return set_error(on_stream(stream, function_find(stub), &s, args));
}

enum { ATTRIBUTE_COOPERATIVE = 2, ATTRIBUTE_CLUSTER = 4 };
typedef struct LaunchAttribute {
    int id;
    char pad[4];
    union {
        char bytes[64];
        int cooperative;
        unsigned cluster[3];
    };
} LaunchAttribute;
typedef struct LaunchConfig {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    LaunchAttribute *attributes;
    unsigned n;
} LaunchConfig;

API cudaError_t cudaLaunchKernelExC(const LaunchConfig *c, const void *stub, void **args) {
    if (!c) return set_error(CUDA_InvalidValue);
    LaunchDims s = {c->grid, c->block, c->shared, 0};
    for (unsigned i = 0; i < c->n; i++) {
        const LaunchAttribute *a = &c->attributes[i];
        if (a->id == ATTRIBUTE_COOPERATIVE && a->cooperative) s.flags |= CUDA_LAUNCH_COOPERATIVE;
        if (a->id == ATTRIBUTE_CLUSTER && a->cluster[0] * a->cluster[1] * a->cluster[2] > 1)
            return runtime_refuse("cudaLaunchKernelExC with a cluster of CTAs");
    }
    return set_error(on_stream(c->stream, function_find(stub), &s, args));
}

API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void *), void *data) {
    if (runtime.sticky) return set_error(runtime.sticky);
    if (stream_capture(stream)) return set_error(capture_host(stream, function, data));
    function(data);
    return CUDA_Success;
}

// ---- what is known about a kernel ----

typedef struct FuncAttributes {
    size_t shared, constant, local;
    int most_threads, registers, ptx, binary, cache_mode, most_dynamic, carveout;
    char rest[144 - 52];
} FuncAttributes;

enum { FUNCTION_DYNAMIC_SHARED = 8, FUNCTION_CARVEOUT = 9 };

API cudaError_t cudaFuncGetAttributes(FuncAttributes *a, const void *stub) {
    Function *f = function_find(stub);
    if (!a || !f) return set_error(a ? CUDA_InvalidDeviceFunction : CUDA_InvalidValue);
    const cudaError_t error = function_know(f);
    const CudaDevice *d = device_info();
    if (error || !d) return set_error(error ? error : CUDA_InitializationError);
    const int binary = d->major * 10 + d->minor;
    const size_t bytes = sizeof *a - sizeof a->rest;  // without the fields of newer versions
    const FuncAttributes is = {.shared = f->shared,
                               .constant = f->constant,
                               .local = f->local,
                               .most_threads = (int)f->most_threads,
                               .registers = (int)f->registers,
                               .ptx = (int)f->ptx,
                               .binary = binary,
                               .carveout = f->carveout,
                               .most_dynamic = f->dynamic_shared >= 0
                                   ? f->dynamic_shared
                                   : (int)(d->shared_per_block - f->shared)};
    memcpy(a, &is, bytes);
    return CUDA_Success;
}

API cudaError_t cudaFuncSetAttribute(const void *stub, int attribute, int value) {
    Function *f = function_find(stub);
    if (!f) return set_error(CUDA_InvalidDeviceFunction);
    const CudaDevice *d = device_info();
    if (attribute == FUNCTION_CARVEOUT) return f->carveout = value, CUDA_Success;
    if (attribute != FUNCTION_DYNAMIC_SHARED)
        return runtime_refuse("cudaFuncSetAttribute with such an attribute");
    const cudaError_t error = function_know(f);
    if (error || !d) return set_error(error ? error : CUDA_InitializationError);
    if (value < 0 || f->shared + (uint64_t)value > d->shared_per_block)
        return set_error(CUDA_InvalidValue);
    f->dynamic_shared = value;
    return CUDA_Success;
}

API cudaError_t cudaFuncSetCacheConfig(const void *stub, int config) {
    Function *f = function_find(stub);
    if (!f) return set_error(CUDA_InvalidDeviceFunction);
    f->cache = config;
    return CUDA_Success;
}

API cudaError_t cudaFuncSetSharedMemConfig(const void *stub, int config) {
    return (void)stub, (void)config, CUDA_Success;
}

API cudaError_t cudaFuncGetName(const char **name, const void *stub) {
    const Function *f = function_find(stub);
    if (!name || !f) return set_error(CUDA_InvalidDeviceFunction);
    *name = f->name;
    return CUDA_Success;
}

// ---- occupancy ----

API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *ctas, const void *stub,
                                                                       int threads, size_t shared,
                                                                       unsigned flags) {
    (void)flags;
    Function *f = function_find(stub);
    if (!ctas || threads <= 0 || !f)
        return set_error(f ? CUDA_InvalidValue : CUDA_InvalidDeviceFunction);
    cudaError_t error = function_know(f);
    const CudaAsked asked = {
        .occupancy = {.function = f->id, .threads = (uint64_t)threads, .shared = shared}};
    CudaAnswered got;
    if (!error) error = call_simple(CUDA_OP_OCCUPANCY, asked, &got);
    if (!error) *ctas = (int)got.occupancy.ctas;
    return set_error(error);
}

API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *ctas, const void *stub,
                                                              int threads, size_t shared) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(ctas, stub, threads, shared, 0);
}

API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *stub, int ctas,
                                                          int threads) {
    Function *f = function_find(stub);
    const CudaDevice *d = device_info();
    (void)threads;
    if (!bytes || ctas <= 0 || !f || !d) return set_error(CUDA_InvalidValue);
    const cudaError_t error = function_know(f);
    const size_t each = d->shared_per_sm / (size_t)ctas;
    if (!error) *bytes = each > f->shared ? each - f->shared : 0;
    return set_error(error);
}
