// SPDX-License-Identifier: Apache-2.0
// Streams and events. Every call has done its work when it returns, so streams keep an order by
// themselves. Events hold the SM's cycle, so times between them are simulated ones. A stream that
// captures gathers nodes of a graph instead. A stream that waits for an event of such a stream
// captures the same graph.
#include "cuda/cuda_runtime.h"

#include <stdlib.h>
#include <string.h>

struct Stream {
    unsigned flags;
    int priority;
    Capture capture;  // graph NULL: none
    bool began;       // it is the stream that the program captures
    uint64_t id;      // of the capture
    struct Stream *next;
};
struct Event {
    unsigned flags;
    bool recorded;
    uint64_t cycle;
    Capture behind;  // recorded by a stream that captures: its nodes then
};
#define LEGACY_STREAM ((cudaStream_t)1)
#define THREAD_STREAM ((cudaStream_t)2)

static cudaError_t wait_all(void) {
    return set_error(call_simple(CUDA_OP_SYNC, (CudaAsked){0}, NULL));
}

API cudaError_t cudaDeviceSynchronize(void) { return wait_all(); }
API cudaError_t cudaThreadSynchronize(void) { return wait_all(); }
API cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return (void)stream, wait_all(); }
API cudaError_t cudaStreamQuery(cudaStream_t stream) { return (void)stream, wait_all(); }

static bool own_stream(cudaStream_t stream) {
    return stream && stream != LEGACY_STREAM && stream != THREAD_STREAM;
}

API cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
    if (!stream) return set_error(CUDA_InvalidValue);
    *stream = malloc(sizeof **stream);
    if (!*stream) return set_error(CUDA_MemoryAllocation);
    runtime_lock();
    **stream = (struct Stream){.flags = flags, .priority = priority, .next = runtime.streams};
    runtime.streams = *stream;
    runtime_unlock();
    return wait_all();
}
API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}
API cudaError_t cudaStreamCreate(cudaStream_t *stream) {
    return cudaStreamCreateWithPriority(stream, 0, 0);
}

API cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    if (!stream || stream == LEGACY_STREAM || stream == THREAD_STREAM)
        return set_error(CUDA_InvalidResourceHandle);
    runtime_lock();
    struct Stream **at = &runtime.streams;
    while (*at && *at != stream) at = &(*at)->next;
    if (*at) *at = stream->next;
    runtime_unlock();
    free(stream->capture.last);
    if (stream->began) capture_drop(stream->capture.graph);
    free(stream);
    return CUDA_Success;
}

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
// ---- capture ----

enum { CAPTURE_ACTIVE = 1 };
enum { DEPENDENCIES_ADD, DEPENDENCIES_SET };

Capture *stream_capture(cudaStream_t stream) {
    return own_stream(stream) && stream->capture.graph ? &stream->capture : NULL;
}

static void capture_also(Capture *c, struct Node *node) {
    for (int i = 0; i < c->nlast; i++)
        if (c->last[i] == node) return;
    c->last = realloc(c->last, ((size_t)c->nlast + 1) * sizeof *c->last);
    if (!c->last) abort();
    c->last[c->nlast++] = node;
}

void capture_follow(Capture *c, struct Node *node) {
    c->nlast = 0;
    capture_also(c, node);
}

static cudaError_t begin_capture(cudaStream_t stream, struct Graph *graph) {
    if (!own_stream(stream)) return CUDA_StreamCaptureUnsupported;
    if (stream->capture.graph) return CUDA_IllegalState;
    stream->capture.graph = graph ? graph : capture_graph();
    stream->capture.nlast = 0;
    stream->began = true;
    stream->id = ++runtime.captures;
    return CUDA_Success;
}

API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, int mode) {
    return (void)mode, set_error(begin_capture(stream, NULL));
}
API cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, struct Graph *graph,
                                              struct Node **behind, const void *edges, size_t n,
                                              int mode) {
    (void)edges, (void)mode;
    if (!graph) return set_error(CUDA_InvalidValue);
    const cudaError_t error = begin_capture(stream, graph);
    for (size_t i = 0; i < n && !error; i++) capture_also(&stream->capture, behind[i]);
    return set_error(error);
}
API cudaError_t cudaStreamEndCapture(cudaStream_t stream, struct Graph **graph) {
    if (!stream_capture(stream) || !stream->began) return set_error(CUDA_IllegalState);
    if (graph) *graph = stream->capture.graph;
    // Streams that joined capture no longer either: their nodes are in the graph.
    for (struct Stream *s = runtime.streams; s; s = s->next)
        if (s != stream && s->capture.graph == stream->capture.graph) s->capture.graph = NULL;
    stream->capture.graph = NULL;
    stream->began = false;
    return CUDA_Success;
}
// With dependencies and edges as version 13 has them; _v2 is the form without edges.
static cudaError_t capture_info(cudaStream_t stream, int *status, uint64_t *id,
                                struct Graph **graph, struct Node *const **last, size_t *nlast) {
    const Capture *c = stream_capture(stream);
    if (!status) return CUDA_InvalidValue;
    *status = c ? CAPTURE_ACTIVE : 0;
    if (!c) return CUDA_Success;
    if (id) *id = stream->id;
    if (graph) *graph = c->graph;
    if (last) *last = c->last;
    if (nlast) *nlast = (size_t)c->nlast;
    return CUDA_Success;
}
#if CUDART_VERSION_MAJOR >= 13
API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, int *status, uint64_t *id,
                                         struct Graph **graph, struct Node *const **last,
                                         const void **edges, size_t *nlast) {
    if (edges) *edges = NULL;
    return set_error(capture_info(stream, status, id, graph, last, nlast));
}
#else
API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, int *status, uint64_t *id) {
    return set_error(capture_info(stream, status, id, NULL, NULL, NULL));
}
API cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, int *status, uint64_t *id,
                                            struct Graph **graph, struct Node *const **last,
                                            size_t *nlast) {
    return set_error(capture_info(stream, status, id, graph, last, nlast));
}
#endif
#if CUDART_VERSION_MAJOR >= 13
API cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, struct Node **nodes,
                                                    const void *edges, size_t n, unsigned how) {
    (void)edges;
#else
API cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, struct Node **nodes,
                                                    size_t n, unsigned how) {
#endif
    Capture *c = stream_capture(stream);
    if (!c) return set_error(CUDA_IllegalState);
    if (how == DEPENDENCIES_SET) c->nlast = 0;
    for (size_t i = 0; i < n; i++) capture_also(c, nodes[i]);
    return CUDA_Success;
}
API cudaError_t cudaThreadExchangeStreamCaptureMode(int *mode) {
    return mode ? CUDA_Success : set_error(CUDA_InvalidValue);
}

API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, int *status) {
    if (!status) return set_error(CUDA_InvalidValue);
    *status = stream_capture(stream) ? CAPTURE_ACTIVE : 0;
    return CUDA_Success;
}
API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    (void)flags;
    if (!event) return set_error(CUDA_InvalidResourceHandle);
    if (!event->behind.graph || !own_stream(stream)) return CUDA_Success;
    Capture *c = &stream->capture;
    if (c->graph && c->graph != event->behind.graph)
        return set_error(CUDA_StreamCaptureUnsupported);
    if (!c->graph) c->nlast = 0;
    c->graph = event->behind.graph;
    for (int i = 0; i < event->behind.nlast; i++) capture_also(c, event->behind.last[i]);
    return CUDA_Success;
}
API cudaError_t cudaStreamAddCallback(cudaStream_t stream,
                                      void (*callback)(cudaStream_t, cudaError_t, void *),
                                      void *data, unsigned flags) {
    (void)flags;
    callback(stream, runtime.sticky, data);
    return CUDA_Success;
}

// ---- events ----

API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    if (!event || ((flags & EVENT_SHARED) && !(flags & EVENT_NO_TIMES)))
        return set_error(CUDA_InvalidValue);
    *event = calloc(1, sizeof **event);
    if (!*event) return set_error(CUDA_MemoryAllocation);
    (*event)->flags = flags;
    return wait_all();
}
API cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, 0); }

API cudaError_t cudaEventDestroy(cudaEvent_t event) {
    if (!event) return set_error(CUDA_InvalidResourceHandle);
    free(event->behind.last);
    free(event);
    return CUDA_Success;
}

unsigned event_flags(cudaEvent_t event) { return event->flags; }

cudaError_t event_record(cudaEvent_t event) {
    event->recorded = true;
    event->cycle = runtime.cycle;
    return runtime.sticky;
}

API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    if (!event) return set_error(CUDA_InvalidResourceHandle);
    const Capture *c = stream_capture(stream);
    event->behind.graph = c ? c->graph : NULL;
    event->behind.nlast = 0;
    for (int i = 0; c && i < c->nlast; i++) capture_also(&event->behind, c->last[i]);
    return c ? CUDA_Success : set_error(event_record(event));
}
API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    return (void)flags, cudaEventRecord(event, stream);
}
API cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return event ? wait_all() : set_error(CUDA_InvalidResourceHandle);
}
API cudaError_t cudaEventQuery(cudaEvent_t event) {
    return event ? wait_all() : set_error(CUDA_InvalidResourceHandle);
}

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
