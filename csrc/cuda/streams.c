// SPDX-License-Identifier: Apache-2.0
// Streams and events. Every call has done its work when it returns, so streams keep an order by themselves, and events
// hold the SM's cycle: times between them are simulated ones.
#include "cuda/runtime.h"

#include <stdlib.h>

struct Stream {
    unsigned flags;
    int priority;
};
struct Event {
    unsigned flags;
    bool recorded;
    uint64_t cycle;
};
#define LEGACY_STREAM ((cudaStream_t)1)
#define THREAD_STREAM ((cudaStream_t)2)

static cudaError_t wait_all(void) { return set_error(call_simple(CUDA_OP_SYNC, 0, NULL, NULL)); }

API cudaError_t cudaDeviceSynchronize(void) { return wait_all(); }
API cudaError_t cudaThreadSynchronize(void) { return wait_all(); }
API cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return (void)stream, wait_all(); }
API cudaError_t cudaStreamQuery(cudaStream_t stream) { return (void)stream, wait_all(); }

API cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
    if (!stream) return set_error(CUDA_InvalidValue);
    *stream = malloc(sizeof **stream);
    if (!*stream) return set_error(CUDA_MemoryAllocation);
    **stream = (struct Stream){flags, priority};
    return wait_all();
}
API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}
API cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithPriority(stream, 0, 0); }

API cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    if (!stream || stream == LEGACY_STREAM || stream == THREAD_STREAM) return set_error(CUDA_InvalidResourceHandle);
    free(stream);
    return CUDA_Success;
}

static bool own_stream(cudaStream_t stream) { return stream && stream != LEGACY_STREAM && stream != THREAD_STREAM; }

API cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
    if (!flags) return set_error(CUDA_InvalidValue);
    *flags = own_stream(stream) ? stream->flags : 0;
    return CUDA_Success;
}
API cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
    if (!priority) return set_error(CUDA_InvalidValue);
    *priority = own_stream(stream) ? stream->priority : 0;
    return CUDA_Success;
}
API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, int *status) {
    (void)stream;
    if (!status) return set_error(CUDA_InvalidValue);
    *status = 0;
    return CUDA_Success;
}
API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    (void)stream, (void)flags;
    return event ? CUDA_Success : set_error(CUDA_InvalidResourceHandle);
}
API cudaError_t cudaStreamAddCallback(cudaStream_t stream, void (*callback)(cudaStream_t, cudaError_t, void *), void *data,
                                      unsigned flags) {
    (void)flags;
    callback(stream, runtime.sticky, data);
    return CUDA_Success;
}

// ---- events ----

API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    if (!event) return set_error(CUDA_InvalidValue);
    *event = calloc(1, sizeof **event);
    if (!*event) return set_error(CUDA_MemoryAllocation);
    (*event)->flags = flags;
    return wait_all();
}
API cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, 0); }

API cudaError_t cudaEventDestroy(cudaEvent_t event) {
    if (!event) return set_error(CUDA_InvalidResourceHandle);
    free(event);
    return CUDA_Success;
}

API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    (void)stream;
    if (!event) return set_error(CUDA_InvalidResourceHandle);
    event->recorded = true;
    event->cycle = runtime.cycle;
    return set_error(runtime.sticky);
}
API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    return (void)flags, cudaEventRecord(event, stream);
}
API cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return event ? wait_all() : set_error(CUDA_InvalidResourceHandle);
}
API cudaError_t cudaEventQuery(cudaEvent_t event) { return event ? wait_all() : set_error(CUDA_InvalidResourceHandle); }

API cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end) {
    const CudaDevice *d = device_info();
    if (!milliseconds || !begin || !end || !begin->recorded || !end->recorded || !d)
        return set_error(CUDA_InvalidResourceHandle);
    *milliseconds = (float)((double)(int64_t)(end->cycle - begin->cycle) / d->clock_khz);
    return set_error(runtime.sticky);
}
API cudaError_t cudaEventElapsedTime_v2(float *milliseconds, cudaEvent_t begin, cudaEvent_t end) {
    return cudaEventElapsedTime(milliseconds, begin, end);
}

API cudaError_t cudaProfilerStart(void) { return CUDA_Success; }
API cudaError_t cudaProfilerStop(void) { return CUDA_Success; }
