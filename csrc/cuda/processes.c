// SPDX-License-Identifier: Apache-2.0
// Memory and events that several processes of the program share (cudaIpc*). All processes use the
// one device memory of smcosim exec, so memory has the same address in each, and a handle holds
// that address. Requests are answered one after the other, and the work of a call is done when it
// returns. So another process's event has already occurred when it is opened. As with CUDA, a
// process does not open its own handles, and cudaFree frees own memory only.
#include "cuda/cuda_runtime.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HANDLE_MEMORY = 0x4d504973, HANDLE_EVENT = 0x45504973, LAZY_PEER_ACCESS = 1 };
_Static_assert(sizeof(IpcHandle) == 64, "as the public API has it");

typedef struct Opened {
    void *p;
    unsigned times;
    struct Opened *next;
} Opened;

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);

static cudaError_t handle_new(IpcHandle *handle, uint32_t what, uint64_t address, uint64_t bytes) {
    *handle = (IpcHandle){
        .what = what, .process = (uint32_t)getpid(), .address = address, .bytes = bytes};
    return CUDA_Success;
}

static cudaError_t handle_check(const IpcHandle *handle, uint32_t what, const char *call) {
    if (handle->what != what) return CUDA_InvalidResourceHandle;
    if (handle->process != (uint32_t)getpid()) return CUDA_Success;
    runtime_warn("%s: the handle is of the same process, and only other ones can open it", call);
    return CUDA_DeviceUninitialized;
}

static Opened **find_opened(const void *p) {
    Opened **at = &runtime.opened;
    while (*at && (*at)->p != p) at = &(*at)->next;
    return at;
}

bool memory_opened(const void *p) {
    runtime_lock();
    const bool is = *find_opened(p) != NULL;
    runtime_unlock();
    return is;
}

API cudaError_t cudaIpcGetMemHandle(IpcHandle *handle, void *p) {
    uint64_t begin, bytes;
    const uint64_t address = (uint64_t)(uintptr_t)p;
    if (!handle || mirror_of(address) || memory_opened(p)) return set_error(CUDA_InvalidValue);
    const cudaError_t error = address_range(address, &begin, &bytes);
    return error ? set_error(error) : handle_new(handle, HANDLE_MEMORY, begin, bytes);
}

API cudaError_t cudaIpcOpenMemHandle(void **p, IpcHandle handle, unsigned flags) {
    uint64_t begin, bytes;
    if (!p || flags > LAZY_PEER_ACCESS) return set_error(CUDA_InvalidValue);
    cudaError_t error = handle_check(&handle, HANDLE_MEMORY, "cudaIpcOpenMemHandle");
    if (error) return set_error(error);
    error = address_range(handle.address, &begin, &bytes);
    if (error || begin != handle.address || bytes != handle.bytes)
        return set_error(CUDA_InvalidResourceHandle);
    void *at = (void *)(uintptr_t)handle.address;
    runtime_lock();
    Opened **o = find_opened(at);
    if (!*o && (*o = calloc(1, sizeof **o))) (*o)->p = at;
    const bool there = *o != NULL;
    if (there) (*o)->times++;
    runtime_unlock();
    if (!there) return set_error(CUDA_MemoryAllocation);
    *p = at;
    return CUDA_Success;
}

API cudaError_t cudaIpcCloseMemHandle(void *p) {
    runtime_lock();
    Opened **at = find_opened(p), *o = *at;
    if (o && !--o->times) {
        *at = o->next;
        free(o);
    }
    runtime_unlock();
    return o ? CUDA_Success : set_error(CUDA_InvalidValue);
}

API cudaError_t cudaIpcGetEventHandle(IpcHandle *handle, cudaEvent_t event) {
    if (!handle) return set_error(CUDA_InvalidValue);
    if (!event || !(event_flags(event) & EVENT_SHARED))
        return set_error(CUDA_InvalidResourceHandle);
    return handle_new(handle, HANDLE_EVENT, 0, 0);
}

API cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, IpcHandle handle) {
    if (!event) return set_error(CUDA_InvalidValue);
    const cudaError_t error = handle_check(&handle, HANDLE_EVENT, "cudaIpcOpenEventHandle");
    return error ? set_error(error)
                 : cudaEventCreateWithFlags(event, EVENT_SHARED | EVENT_NO_TIMES);
}
