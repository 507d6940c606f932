// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime library that replaces NVIDIA's in a program run by `smcosim exec`. Its files:
//
//   `connect.c`     the connection, requests, warnings, the last error of each thread.
//   `modules.c`     registered fat binaries, kernels and variables.
//   `cuda_launch.c`      <<<>>>, cudaLaunchKernel and their relatives.
//   `cuda_memory.c`      allocation, copies, fills, symbols; mirrors of host memory for kernels.
//   `cuda_textures.c`    texture and surface objects; their descriptions: cuda_textures.h.
//   `streams.c`     streams and events; each call completes before it returns; capture.
//   `graphs.c`      graphs, executed node after node.
//   `processes.c`   memory and events that several processes of the program share.
//   `device.c`      the device and its properties, limits, occupancy.
//   `driver/`       libcuda: the driver API, built on these files.
//   `unsupported.c`      every other call: cudaErrorNotSupported, and a message with its name once.
//
// The types are those of the public API, as far as this library depends on their layout.
#ifndef SMCOSIM_CUDA_RUNTIME_H
#define SMCOSIM_CUDA_RUNTIME_H

#include "cuda/protocol.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define API __attribute__((visibility("default")))

typedef int cudaError_t;
typedef struct dim3 {
    unsigned x, y, z;
} dim3;
typedef struct Stream *cudaStream_t;
typedef struct Event *cudaEvent_t;
enum { COPY_HOST_TO_HOST, COPY_TO_DEVICE, COPY_FROM_DEVICE, COPY_ON_DEVICE, COPY_DEFAULT };

// ---- modules.c ----

typedef struct Module {
    const void *wrapper;  // wrapper that the program registered; NULL: `code`
    void *code;           // PTX or a fat binary from the program itself
    size_t code_bytes;
    CudaCode kind;
    int id;  // number at the server; -1: not sent
    struct Module *next;
} Module;

typedef struct Function {
    const void *stub;  // host address by which the program identifies it; NULL: driver API
    Module *module;
    const char *name;
    bool known;  // the fields below are valid
    uint64_t id, registers, shared, local, constant, most_threads, ptx;
    uint32_t *params;  // offset and size of each, in pairs
    int nparams;
    uint64_t param_bytes;
    int dynamic_shared, carveout, cache;  // attributes that the program set
    struct Function *next;
} Function;

typedef struct Variable {
    const void *shadow;  // host address that identifies it
    void **managed;      // the program's pointer to it, NULL: not managed
    Module *module;
    const char *name;
    size_t bytes;
    uint64_t addr;  // 0: unknown
    struct Variable *next;
} Variable;

cudaError_t module_send(Module *m);
Module *module_new(const void *code, size_t bytes, CudaCode kind);
Function *function_find(const void *stub);
Function *function_named(Module *m, const char *name);
cudaError_t function_know(Function *f);  // asks the server for its attributes
cudaError_t variable_address(const void *shadow, uint64_t *addr, size_t *bytes);
cudaError_t variable_named(Module *m, const char *name, uint64_t *addr, size_t *bytes);
void modules_ready(void);  // allocates managed variables

// ---- cuda_memory.c ----

// Host memory that kernels see under a device address: managed memory, pinned memory, registered
// memory.
typedef struct Mirror {
    uint64_t device;
    char *host;
    size_t bytes;
    // the device has memory there, which is copied to the device and back around each launch
    bool mapped;
    bool gone;  // registered memory that the program unmapped
    enum { MIRROR_MANAGED, MIRROR_PINNED, MIRROR_REGISTERED } kind;
    struct Mirror *next;
} Mirror;

// Makes the device's addresses [device, device + bytes) host memory too; NULL if this is
// impossible.
Mirror *mirror_new(uint64_t device, size_t bytes, int kind, bool mapped);
// Reserves addresses of the device, with or without memory. align: a power of two, 0: any.
cudaError_t address_take(size_t bytes, CudaAlloc kind, size_t align, uint64_t *at);
cudaError_t address_give(uint64_t at);
// The allocation that contains the address.
cudaError_t address_range(uint64_t at, uint64_t *begin, uint64_t *bytes);
Mirror *mirror_of(uint64_t addr);  // the mirror whose device addresses contain addr
cudaError_t mirrors_to_device(const void *params, size_t bytes);
cudaError_t mirrors_to_host(void);
bool memory_is_device(const void *p);
cudaError_t memory_copy(const char *call, void *to, const void *from, size_t bytes, int kind);

typedef struct Rows {  // rows of a copy
    char *to;
    const char *from;
    size_t width, height, depth, to_pitch, to_slice, from_pitch, from_slice;
} Rows;
cudaError_t memory_rows(const char *call, const Rows *r, int kind);
// Rows of a cudaMemcpy3DParms.
cudaError_t memory_rows_3d(const void *copy, Rows *r, int *kind);
static inline Rows rows_1d(void *to, const void *from, size_t bytes) {
    return (Rows){.to = to,
                  .from = from,
                  .width = bytes,
                  .height = 1,
                  .depth = 1,
                  .to_pitch = bytes,
                  .to_slice = bytes,
                  .from_pitch = bytes,
                  .from_slice = bytes};
}
cudaError_t memory_fill(const char *call, void *to, uint32_t value, int element, size_t width,
                        size_t height, size_t pitch);

typedef struct Extent {
    size_t width, height, depth;
} Extent;  // size of an array

// A CUDA array: rows without gaps.
typedef struct ChannelDesc {
    int x, y, z, w, kind;
} ChannelDesc;
typedef struct Array {
    ChannelDesc desc;
    size_t width, height, depth, element;  // height, depth 0: fewer dimensions
    unsigned flags;
    char *at;
} Array;

// ---- processes.c ----

// cudaIpcMemHandle_t and cudaIpcEventHandle_t: 64 bytes that the program passes to another of its
// processes.
typedef struct IpcHandle {
    uint32_t what, process;
    uint64_t address, bytes, unused[5];
} IpcHandle;
bool memory_opened(const void *p);  // memory opened by a handle, which belongs to another process

// ---- cuda_launch.c ----

typedef struct LaunchDims {
    dim3 grid, block;
    size_t shared;
    unsigned flags;  // CudaLaunchFlag
} LaunchDims;
cudaError_t launch_packed(Function *f, const LaunchDims *s, const void *params);
cudaError_t launch_function(Function *f, const LaunchDims *s, void **args);
// The block of parameters to which args points; the caller frees it.
cudaError_t launch_pack(Function *f, void **args, void **block);

// ---- streams.c ----

// State of a capturing stream: it adds nodes to a graph, each after the last ones.
typedef struct Capture {
    struct Graph *graph;
    struct Node **last;
    int nlast;
} Capture;
Capture *stream_capture(cudaStream_t stream);  // NULL: it does not capture
void capture_follow(Capture *c, struct Node *node);
cudaError_t event_record(cudaEvent_t event);
enum { EVENT_NO_TIMES = 2, EVENT_SHARED = 4 };
unsigned event_flags(cudaEvent_t event);

// ---- graphs.c ----

struct Graph *capture_graph(void);
void capture_drop(struct Graph *g);
cudaError_t capture_launch(cudaStream_t stream, Function *f, const LaunchDims *s, void **args);
cudaError_t capture_rows(cudaStream_t stream, const Rows *r, int kind);
cudaError_t capture_fill(cudaStream_t stream, void *to, unsigned value, int element, size_t width,
                         size_t height, size_t pitch);
cudaError_t capture_host(cudaStream_t stream, void (*function)(void *), void *data);
cudaError_t capture_alloc(cudaStream_t stream, void **p, size_t bytes);
cudaError_t capture_free(cudaStream_t stream, void *p);
// Frees memory of an allocation node; false: not such memory.
bool graph_memory_free(void *p, cudaError_t *error);

// ---- device.c ----

const CudaDevice *device_info(void);  // NULL: not connected
// Value of an attribute in CUDA's numbering; false: unknown.
bool device_attribute(int attribute, int *value);

// ---- connect.c ----

enum { LIMIT_COUNT = 6 };
typedef struct Limit {
    bool set;  // set by the program
    size_t value;
} Limit;

// The whole state of the library, once per process.
typedef struct Runtime {
    pthread_mutex_t lock;  // recursive
    int socket, pid;       // socket -1: not connected, -2: connection impossible
    // identity of the socket's file, because the program may replace the descriptor
    dev_t socket_device;
    ino_t socket_inode;
    int calling;    // requests in progress
    bool reserved;  // no host memory is allocated at the device's addresses
    Module *modules;
    Function *functions;
    Variable *variables;
    Mirror *mirrors;
    struct Texture *textures;   // cuda_textures.c
    struct Stream *streams;     // streams.c
    struct Memory *memories;    // graphs.c
    struct Opened *opened;      // processes.c
    Limit limits[LIMIT_COUNT];  // device.c
    uint64_t captures;          // number of captures begun so far
    CudaDevice device;
    bool have_device;
    uint64_t cycle;  // cycle of the SM, from the last reply
    cudaError_t sticky;
    int stream_flags;
} Runtime;
extern Runtime runtime __attribute__((visibility("hidden")));

typedef struct Call {
    CudaRequest request;
    const void *payload;
    CudaReply reply;
    void *answer;  // malloc'ed; freed by call_free
} Call;
// Sends the request and waits. Returns the reply's error, or cudaErrorInitializationError without a
// connection.
cudaError_t call_server(Call *c);
void call_free(Call *c);
// Sends a request without payloads. got: the reply; may be NULL.
cudaError_t call_simple(CudaOp op, CudaAsked asked, CudaAnswered *got);
void runtime_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Keeps the error for cudaGetLastError and returns it.
cudaError_t set_error(cudaError_t error);
void runtime_lock(void);
void runtime_unlock(void);
cudaError_t runtime_refuse(const char *name);

#endif
