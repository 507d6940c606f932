// SPDX-License-Identifier: Apache-2.0
// libcuda.so.1: the driver API under its own names, as far as programs use it: device, context,
// modules, memory, launches, streams and events. It has the same connection to smcosim as the
// runtime library, but one of its own.
#include "cuda/driver/driver_link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct Context {
    int unused;
} * CUcontext;
typedef Module *CUmodule;
typedef Function *CUfunction;

// Of the runtime API, in the same library.
cudaError_t cudaMalloc(void **p, size_t bytes);
cudaError_t cudaFree(void *p);
cudaError_t cudaMallocManaged(void **p, size_t bytes, unsigned flags);
cudaError_t cudaHostAlloc(void **p, size_t bytes, unsigned flags);
cudaError_t cudaFreeHost(void *p);
cudaError_t cudaHostGetDevicePointer(void **p, void *host, unsigned flags);
cudaError_t cudaMemGetInfo(size_t *left, size_t *all);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceSetLimit(int limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *value, int limit);
cudaError_t cudaIpcGetMemHandle(IpcHandle *handle, void *p);
cudaError_t cudaIpcOpenMemHandle(void **p, IpcHandle handle, unsigned flags);
cudaError_t cudaIpcCloseMemHandle(void *p);
cudaError_t cudaIpcGetEventHandle(IpcHandle *handle, cudaEvent_t event);
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, IpcHandle handle);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *ctas, const void *stub,
                                                                   int threads, size_t shared,
                                                                   unsigned flags);
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);

// The numbers are the runtime's but for this one.
static CUresult result_of(cudaError_t error) {
    return error == CUDA_InvalidDeviceFunction ? CUDA_SymbolNotFound : error;
}
static void *pointer_of(CUdeviceptr p) { return (void *)(uintptr_t)p; }

// ---- device and context ----

static struct Context the_context;
static _Thread_local CUcontext current;

API CUresult cuInit(unsigned flags) {
    return flags ? CUDA_InvalidValue : device_info() ? CUDA_Success : CUDA_NoDevice;
}
API CUresult cuDriverGetVersion(int *version) {
    return *version = CUDART_VERSION_MAJOR * 1000, CUDA_Success;
}
API CUresult cuDeviceGetCount(int *n) { return *n = device_info() != NULL, CUDA_Success; }
API CUresult cuDeviceGet(CUdevice *device, int ordinal) {
    return *device = 0, ordinal ? CUDA_InvalidDevice : CUDA_Success;
}
API CUresult cuDeviceGetName(char *name, int n, CUdevice device) {
    const CudaDevice *d = device_info();
    if (!d || device || n < 1) return CUDA_InvalidDevice;
    snprintf(name, (size_t)n, "%s", d->name);
    return CUDA_Success;
}
API CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
    const CudaDevice *d = device_info();
    if (!d || device) return CUDA_InvalidDevice;
    *bytes = d->memory;
    return CUDA_Success;
}
API CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
    return device                            ? CUDA_InvalidDevice
        : device_attribute(attribute, value) ? CUDA_Success
                                             : CUDA_InvalidValue;
}
API CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
    const CudaDevice *d = device_info();
    if (!d || device) return CUDA_InvalidDevice;
    *major = d->major, *minor = d->minor;
    return CUDA_Success;
}
API CUresult cuDeviceGetUuid_v2(void *uuid, CUdevice device) {
    return (void)device, memset(uuid, 0, 16), CUDA_Success;
}
API CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
    return (void)device, (void)peer, *can = 0, CUDA_Success;
}

API CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device) {
    (void)flags;
    if (device) return CUDA_InvalidDevice;
    *context = current = &the_context;
    return device_info() ? CUDA_Success : CUDA_NoDevice;
}
API CUresult cuCtxCreate_v4(CUcontext *context, void *parameters, unsigned flags, CUdevice device) {
    return (void)parameters, cuCtxCreate_v2(context, flags, device);
}
API CUresult cuCtxDestroy_v2(CUcontext context) {
    return (void)context, current = NULL, CUDA_Success;
}
API CUresult cuCtxDetach(CUcontext context) { return cuCtxDestroy_v2(context); }
API CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
    return *context = &the_context, device ? CUDA_InvalidDevice : CUDA_Success;
}
API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
    return device ? CUDA_InvalidDevice : CUDA_Success;
}
API CUresult cuCtxSetCurrent(CUcontext context) { return current = context, CUDA_Success; }
API CUresult cuCtxGetCurrent(CUcontext *context) { return *context = current, CUDA_Success; }
API CUresult cuCtxPushCurrent_v2(CUcontext context) { return current = context, CUDA_Success; }
API CUresult cuCtxPopCurrent_v2(CUcontext *context) {
    if (context) *context = current;
    return CUDA_Success;
}
API CUresult cuCtxGetDevice(CUdevice *device) { return *device = 0, CUDA_Success; }
API CUresult cuCtxSynchronize(void) { return cudaDeviceSynchronize(); }
API CUresult cuCtxSetCacheConfig(int config) { return (void)config, CUDA_Success; }
API CUresult cuCtxSetLimit(int limit, size_t value) { return cudaDeviceSetLimit(limit, value); }
API CUresult cuCtxGetLimit(size_t *value, int limit) { return cudaDeviceGetLimit(value, limit); }
API CUresult cuGetErrorName(CUresult error, const char **text) {
    return *text = cudaGetErrorName(error), CUDA_Success;
}
API CUresult cuGetErrorString(CUresult error, const char **text) {
    return *text = cudaGetErrorString(error), CUDA_Success;
}

// ---- modules ----

static CUresult load_module(CUmodule *module, const void *code, size_t bytes) {
    uint32_t magic = 0;
    if (bytes >= sizeof magic) memcpy(&magic, code, sizeof magic);
    if (magic == 0x464c457f) {  // "\177ELF"
        runtime_warn("a module of machine code (cubin) is loaded: only PTX and fat binaries with "
                     "PTX can run");
        return CUDA_NoKernelImageForDevice;
    }
    CudaCode kind = magic == 0xba55ed50u ? CUDA_CODE_FATBIN : CUDA_CODE_PTX;
    if (magic == (uint32_t)LINKED_MAGIC) {
        kind = CUDA_CODE_LINK;
        code = (const char *)code + sizeof(LinkedHeader);
        bytes -= sizeof(LinkedHeader);
    }
    Module *m = module_new(code, bytes, kind);
    if (!m) return CUDA_MemoryAllocation;
    *module = m;
    return result_of(module_send(m));
}

// PTX ends with NUL; containers say their size.
static size_t code_bytes(const void *code) {
    uint32_t magic;
    uint64_t size;
    memcpy(&magic, code, sizeof magic);
    if (magic == (uint32_t)LINKED_MAGIC) {
        memcpy(&size, (const char *)code + offsetof(LinkedHeader, bytes), sizeof size);
        return sizeof(LinkedHeader) + (size_t)size;
    }
    if (magic != 0xba55ed50u) return magic == 0x464c457f ? sizeof magic : strlen(code);
    memcpy(&size, (const char *)code + 8, sizeof size);
    return (size_t)size + 16;
}

API CUresult cuModuleLoadData(CUmodule *module, const void *code) {
    return module && code ? load_module(module, code, code_bytes(code)) : CUDA_InvalidValue;
}
API CUresult cuModuleLoadDataEx(CUmodule *module, const void *code, unsigned n, void *options,
                                void **values) {
    return (void)n, (void)options, (void)values, cuModuleLoadData(module, code);
}
API CUresult cuModuleLoadFatBinary(CUmodule *module, const void *code) {
    return cuModuleLoadData(module, code);
}

CUresult driver_file(const char *path, char **whole, size_t *bytes) {
    FILE *f = path ? fopen(path, "rb") : NULL;
    char *text = NULL;
    size_t n = 0, cap = 0, got = 1;
    if (!f) return CUDA_FileNotFound;
    while (got) {
        if (n + 65536 > cap) {
            cap = 2 * cap + 65536;
            char *more = realloc(text, cap + 1);
            if (!more) return fclose(f), free(text), CUDA_MemoryAllocation;
            text = more;
        }
        got = fread(text + n, 1, 65536, f);
        n += got;
    }
    fclose(f);
    *whole = text;
    *bytes = n;
    return CUDA_Success;
}

API CUresult cuModuleLoad(CUmodule *module, const char *path) {
    char *text;
    size_t n;
    if (!module) return CUDA_InvalidValue;
    const CUresult error = driver_file(path, &text, &n);
    if (error) return error;
    const CUresult is = load_module(module, text, n);
    free(text);
    return is;
}

API CUresult cuModuleUnload(CUmodule m) {
    return result_of(
        call_simple(CUDA_OP_UNLOAD, (CudaAsked){.unload.module = (uint64_t)m->id}, NULL));
}
API CUresult cuModuleGetFunction(CUfunction *function, CUmodule m, const char *name) {
    if (!function || !m || !name) return CUDA_InvalidValue;
    Function *f = function_named(m, name);
    const cudaError_t error = function_know(f);
    if (!error) *function = f;
    return result_of(error);
}
API CUresult cuModuleGetGlobal_v2(CUdeviceptr *p, size_t *bytes, CUmodule m, const char *name) {
    uint64_t addr;
    size_t n;
    const cudaError_t error = variable_named(m, name, &addr, &n);
    if (!error && p) *p = addr;
    if (!error && bytes) *bytes = n;
    return error == CUDA_InvalidSymbol ? CUDA_SymbolNotFound : result_of(error);
}

enum { ATTR_THREADS, ATTR_SHARED, ATTR_CONST, ATTR_LOCAL, ATTR_REGS, ATTR_PTX, ATTR_BINARY };

API CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction f) {
    const uint64_t values[] = {f->most_threads, f->shared, f->constant, f->local,
                               f->registers,    f->ptx,    f->ptx};
    if (attribute < 0 || attribute > ATTR_BINARY) return CUDA_InvalidValue;
    *value = (int)values[attribute];
    return CUDA_Success;
}
API CUresult cuFuncSetAttribute(CUfunction f, int attribute, int value) {
    return (void)f, (void)attribute, (void)value, CUDA_Success;
}
API CUresult cuFuncSetCacheConfig(CUfunction f, int config) {
    return (void)f, (void)config, CUDA_Success;
}

// ---- memory ----

API CUresult cuMemAlloc_v2(CUdeviceptr *p, size_t bytes) {
    void *at = NULL;
    if (!p || !bytes) return CUDA_InvalidValue;
    const cudaError_t error = cudaMalloc(&at, bytes);
    *p = (uint64_t)(uintptr_t)at;
    return result_of(error);
}
API CUresult cuMemAllocPitch_v2(CUdeviceptr *p, size_t *pitch, size_t width, size_t height,
                                unsigned element) {
    (void)element;
    *pitch = (width + 511) / 512 * 512;
    return cuMemAlloc_v2(p, *pitch * height);
}
API CUresult cuMemAllocManaged(CUdeviceptr *p, size_t bytes, unsigned flags) {
    void *at = NULL;
    const cudaError_t error = cudaMallocManaged(&at, bytes, flags);
    *p = (uint64_t)(uintptr_t)at;
    return result_of(error);
}
API CUresult cuMemFree_v2(CUdeviceptr p) { return result_of(cudaFree(pointer_of(p))); }
API CUresult cuMemHostAlloc(void **p, size_t bytes, unsigned flags) {
    return result_of(cudaHostAlloc(p, bytes, flags));
}
API CUresult cuMemAllocHost_v2(void **p, size_t bytes) {
    return result_of(cudaHostAlloc(p, bytes, 0));
}
API CUresult cuMemFreeHost(void *p) { return result_of(cudaFreeHost(p)); }
API CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *p, void *host, unsigned flags) {
    void *at = NULL;
    const cudaError_t error = cudaHostGetDevicePointer(&at, host, flags);
    *p = (uint64_t)(uintptr_t)at;
    return result_of(error);
}
API CUresult cuMemGetInfo_v2(size_t *left, size_t *all) {
    return result_of(cudaMemGetInfo(left, all));
}
API CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr p) {
    uint64_t begin, all;
    const cudaError_t error = address_range(p, &begin, &all);
    if (!error && base) *base = begin;
    if (!error && bytes) *bytes = (size_t)all;
    return result_of(error);
}

API CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
    return result_of(memory_copy("cuMemcpyHtoD", pointer_of(to), from, bytes, COPY_TO_DEVICE));
}
API CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
    return result_of(memory_copy("cuMemcpyDtoH", to, pointer_of(from), bytes, COPY_FROM_DEVICE));
}
API CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return result_of(
        memory_copy("cuMemcpyDtoD", pointer_of(to), pointer_of(from), bytes, COPY_ON_DEVICE));
}
API CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return result_of(
        memory_copy("cuMemcpy", pointer_of(to), pointer_of(from), bytes, COPY_DEFAULT));
}
API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes,
                                  cudaStream_t stream) {
    return (void)stream, cuMemcpyHtoD_v2(to, from, bytes);
}
API CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, cudaStream_t stream) {
    return (void)stream, cuMemcpyDtoH_v2(to, from, bytes);
}
API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                  cudaStream_t stream) {
    return (void)stream, cuMemcpyDtoD_v2(to, from, bytes);
}
API CUresult cuMemsetD8_v2(CUdeviceptr p, unsigned char value, size_t n) {
    return result_of(memory_fill("cuMemsetD8", pointer_of(p), value, 1, n, 1, n));
}
API CUresult cuMemsetD16_v2(CUdeviceptr p, unsigned short value, size_t n) {
    return result_of(memory_fill("cuMemsetD16", pointer_of(p), value, 2, 2 * n, 1, 2 * n));
}
API CUresult cuMemsetD32_v2(CUdeviceptr p, unsigned value, size_t n) {
    return result_of(memory_fill("cuMemsetD32", pointer_of(p), value, 4, 4 * n, 1, 4 * n));
}

// ---- launches ----

enum { EXTRA_END, EXTRA_BUFFER, EXTRA_SIZE };

// Parameters as one block: pairs of a mark and a value.
static const void *extra_buffer(void **extra, size_t *bytes) {
    const void *block = NULL;
    for (*bytes = 0; extra && extra[0] != (void *)EXTRA_END; extra += 2) {
        if (extra[0] == (void *)EXTRA_BUFFER) block = extra[1];
        if (extra[0] == (void *)EXTRA_SIZE) *bytes = *(const size_t *)extra[1];
    }
    return block;
}

static CUresult launch_kernel(CUfunction f, const LaunchDims *s, void **args, void **extra) {
    size_t bytes;
    const void *block = extra_buffer(extra, &bytes);
    if (!block) return result_of(launch_function(f, s, args));
    const cudaError_t error = function_know(f);
    char *all = error ? NULL : calloc(1, f->param_bytes + 1);
    if (!all) return result_of(error ? error : CUDA_MemoryAllocation);
    memcpy(all, block, bytes < f->param_bytes ? bytes : f->param_bytes);
    const CUresult is = result_of(launch_packed(f, s, all));
    free(all);
    return is;
}

API CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                            unsigned by, unsigned bz, unsigned shared, cudaStream_t stream,
                            void **args, void **extra) {
    (void)stream;
    return launch_kernel(f, &(LaunchDims){{gx, gy, gz}, {bx, by, bz}, shared, 0}, args, extra);
}
API CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz,
                                       unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                       cudaStream_t stream, void **args) {
    (void)stream;
    return launch_kernel(
        f, &(LaunchDims){{gx, gy, gz}, {bx, by, bz}, shared, CUDA_LAUNCH_COOPERATIVE}, args, NULL);
}
API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *ctas, CUfunction f, int threads,
                                                         size_t shared) {
    return result_of(
        cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(ctas, f, threads, shared, 0));
}
// The CTA with which most threads are resident, the largest of them; and how many of it fill the
// device.
API CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction f,
                                                       size_t (*shared_of)(int), size_t shared,
                                                       int limit, unsigned flags) {
    enum { WARP = 32 };
    int most = 0, warps, sms;
    (void)flags;
    if (!grid || !block || !f) return CUDA_InvalidValue;
    CUresult error = cuFuncGetAttribute(&warps, 0, f);  // threads of a CTA at most
    if (!error) error = cuDeviceGetAttribute(&sms, 16, 0);
    if (error) return error;
    if (limit > 0 && limit < warps) warps = limit;
    *grid = *block = 0;
    for (int threads = warps / WARP * WARP; threads > 0; threads -= WARP) {
        int ctas = 0;
        error = cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &ctas, f, threads, shared_of ? shared_of(threads) : shared);
        if (error) return error;
        if (ctas * threads <= most) continue;
        most = ctas * threads;
        *grid = ctas * sms;
        *block = threads;
    }
    return CUDA_Success;
}
API CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction f,
                                              size_t (*shared_of)(int), size_t shared, int limit) {
    return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, f, shared_of, shared, limit, 0);
}

// ---- streams and events ----

API CUresult cuStreamCreate(cudaStream_t *s, unsigned flags) {
    return result_of(cudaStreamCreateWithPriority(s, flags, 0));
}
API CUresult cuStreamDestroy_v2(cudaStream_t s) { return result_of(cudaStreamDestroy(s)); }
API CUresult cuStreamSynchronize(cudaStream_t s) {
    return (void)s, result_of(cudaDeviceSynchronize());
}
API CUresult cuStreamQuery(cudaStream_t s) { return (void)s, result_of(cudaDeviceSynchronize()); }
API CUresult cuStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned flags) {
    return (void)s, (void)e, (void)flags, CUDA_Success;
}
API CUresult cuEventCreate(cudaEvent_t *e, unsigned flags) {
    return result_of(cudaEventCreateWithFlags(e, flags));
}
API CUresult cuEventDestroy_v2(cudaEvent_t e) { return result_of(cudaEventDestroy(e)); }
API CUresult cuEventRecord(cudaEvent_t e, cudaStream_t s) {
    return result_of(cudaEventRecord(e, s));
}
API CUresult cuEventSynchronize(cudaEvent_t e) {
    return (void)e, result_of(cudaDeviceSynchronize());
}
API CUresult cuEventQuery(cudaEvent_t e) { return (void)e, result_of(cudaDeviceSynchronize()); }
API CUresult cuEventElapsedTime(float *ms, cudaEvent_t a, cudaEvent_t b) {
    return result_of(cudaEventElapsedTime(ms, a, b));
}
API CUresult cuEventElapsedTime_v2(float *ms, cudaEvent_t a, cudaEvent_t b) {
    return cuEventElapsedTime(ms, a, b);
}
API CUresult cuProfilerStart(void) { return CUDA_Success; }
API CUresult cuProfilerStop(void) { return CUDA_Success; }

// ---- memory and events that several processes share ----

API CUresult cuIpcGetMemHandle(IpcHandle *handle, CUdeviceptr p) {
    return cudaIpcGetMemHandle(handle, pointer_of(p));
}
API CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *p, IpcHandle handle, unsigned flags) {
    return cudaIpcOpenMemHandle((void **)p, handle, flags);
}
API CUresult cuIpcOpenMemHandle(CUdeviceptr *p, IpcHandle handle, unsigned flags) {
    return cuIpcOpenMemHandle_v2(p, handle, flags);
}
API CUresult cuIpcCloseMemHandle(CUdeviceptr p) { return cudaIpcCloseMemHandle(pointer_of(p)); }
API CUresult cuIpcGetEventHandle(IpcHandle *handle, cudaEvent_t e) {
    return cudaIpcGetEventHandle(handle, e);
}
API CUresult cuIpcOpenEventHandle(cudaEvent_t *e, IpcHandle handle) {
    return cudaIpcOpenEventHandle(e, handle);
}

// ---- everything else ----

#define CUDA_UNSUPPORTED(name) \
    API CUresult name(void) { return runtime_refuse(#name); }
#include "cuda/driver/unsupported.def"
