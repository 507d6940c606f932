// SPDX-License-Identifier: Apache-2.0
// Messages between the CUDA runtime library inside a program (csrc/cuda) and `smcosim exec`
// (csrc/device/serve.c).
//
// The library connects to the Unix socket whose path SMCOSIM_EXEC holds. It sends a CudaRequest
// with its payload and waits for the CudaReply with its payload. Requests of one connection are
// answered in order, so every asynchronous operation of CUDA is complete when its call returns.
// Sizes are bytes, addresses are the device's.
//
// The last request of a process is CUDA_OP_BYE. If a connection ends without CUDA_OP_BYE while its
// process continues, it was lost. Later calls have no effect, so the run does not pass.
#ifndef SMCOSIM_CUDA_PROTOCOL_H
#define SMCOSIM_CUDA_PROTOCOL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#define CUDA_SOCKET_VARIABLE "SMCOSIM_EXEC"
enum { CUDA_PROTOCOL = 3, CUDA_WORDS = 12 };
#define CUDA_PAYLOAD_MOST ((uint64_t)1 << 32)

// Ranges of device memory and, after it, of constant variables as the host sees them. The library
// allocates no host memory in these ranges, so that a host access there faults.
#define CUDA_DEVICE_BASE 0x10000000ull
#define CUDA_DEVICE_END 0x80000000ull
#define CUDA_CONST_BASE 0x80000000ull  // 64 KiB for each module
#define CUDA_CONST_END 0xa0000000ull

// CudaAsked and CudaAnswered below have a member with the operation's name if it has arguments or
// results.
typedef enum CudaOp {
    CUDA_OP_HELLO,
    CUDA_OP_BYE,       // has no reply
    CUDA_OP_LOST,      // the process has lost its other connection
    CUDA_OP_MODULE,    // payload: the code
    CUDA_OP_FUNCTION,  // payload: name -> payload: offset and size of each parameter, 32 bits each
    CUDA_OP_VARIABLE,  // payload: name
    CUDA_OP_DEVICE,    // -> payload: CudaDevice
    CUDA_OP_ALLOC,
    CUDA_OP_FREE,
    CUDA_OP_MAP,    // backs reserved addresses with memory
    CUDA_OP_WRITE,  // payload: rows without gaps
    CUDA_OP_CHECK,  // checks the arguments of CUDA_OP_WRITE and writes nothing
    CUDA_OP_READ,   // -> payload: rows without gaps
    CUDA_OP_COPY,
    CUDA_OP_FILL,
    CUDA_OP_LAUNCH,  // payload: parameter block -> payload: output of the kernel
    CUDA_OP_OCCUPANCY,
    CUDA_OP_MEMORY,
    CUDA_OP_RANGE,
    CUDA_OP_SYNC,
    CUDA_OP_RESET,        // frees the allocations of this connection
    CUDA_OP_WARN,         // payload: text for the user
    CUDA_OP_UNSUPPORTED,  // payload: name of the call
    CUDA_OP_UNLOAD,
    CUDA_OP_STACK,
    CUDA_OP_COUNT
} CudaOp;

// LINK: containers to be linked
typedef enum CudaCode { CUDA_CODE_FATBIN, CUDA_CODE_PTX, CUDA_CODE_LINK } CudaCode;
// RESERVE: an address without memory
typedef enum CudaAlloc { CUDA_ALLOC_DEVICE, CUDA_ALLOC_RESERVE } CudaAlloc;
typedef enum CudaLaunchFlag { CUDA_LAUNCH_COOPERATIVE = 1 } CudaLaunchFlag;

// Every field is a word of 64 bits, so that both sides use the same layout.

// Rows in device memory. pitch: distance between rows; slice: distance between planes of rows.
typedef struct CudaRows {
    uint64_t at, width, height, depth, pitch, slice;
} CudaRows;

typedef struct CudaDims {                // dimensions of a launch
    uint64_t grid[3], block[3], shared;  // shared: dynamic shared memory
} CudaDims;

// Parameters of a request.
typedef union CudaAsked {
    // image: address of its random bytes (AT_RANDOM)
    struct {
        uint64_t protocol, process, image;
    } hello;
    struct {
        uint64_t process;
    } lost;
    struct {
        uint64_t code;
    } module;  // CudaCode
    struct {
        uint64_t module;
    } function, variable, unload;
    struct {
        uint64_t bytes, kind, align;
    } alloc;  // kind: CudaAlloc
    struct {
        uint64_t address;
    } free, map, range;
    CudaRows write, check, read;
    struct {
        CudaRows to;
        uint64_t from, from_pitch, from_slice;
    } copy;
    struct {
        CudaRows to;
        uint64_t value, unit;
    } fill;  // unit: bytes of the value (1, 2 or 4)
    struct {
        uint64_t function;
        CudaDims dims;
        uint64_t flags;
    } launch;  // flags: CudaLaunchFlag
    struct {
        uint64_t function, threads, shared;
    } occupancy;  // limits of a CTA
    // stack bytes of a thread, for kernels that are first named after this request
    struct {
        uint64_t bytes;
    } stack;
    uint64_t words[CUDA_WORDS];
} CudaAsked;

// Results in a reply.
typedef union CudaAnswered {
    struct {
        uint64_t module;
    } module;
    struct {
        uint64_t function, registers, shared, local, constant, most_threads, ptx, param_bytes;
        // shared, local, constant: bytes; ptx: its version
    } function;
    struct {
        uint64_t address, bytes;
    } variable;
    struct {
        uint64_t address;
    } alloc;
    struct {
        uint64_t ctas;
    } occupancy;  // per SM
    struct {
        uint64_t left, all;
    } memory;
    struct {
        uint64_t begin, bytes;
    } range;  // range of the allocation
    uint64_t words[CUDA_WORDS];
} CudaAnswered;

typedef struct CudaRequest {
    uint32_t op, zero;
    uint64_t bytes;  // bytes of the payload that follows
    CudaAsked asked;
} CudaRequest;

typedef struct CudaReply {
    uint32_t error;   // error in errors.def
    uint32_t sticky;  // the error remains: the context is lost
    uint64_t bytes;   // bytes of the payload that follows
    uint64_t cycle;   // cycle of the SM
    CudaAnswered answered;
} CudaReply;

_Static_assert(sizeof(CudaRequest) == 16 + 8 * CUDA_WORDS, "a request's size");
_Static_assert(sizeof(CudaReply) == 24 + 8 * CUDA_WORDS, "a reply's size");

// The chosen machine as a CUDA device.
typedef struct CudaDevice {
    char name[256];
    uint64_t memory, l2_bytes, shared_per_block, shared_per_sm, registers_per_sm;
    int32_t major, minor, sms, warps_per_sm, threads_per_sm, ctas_per_sm, clock_khz,
        memory_clock_khz, bus_bits;
    int32_t zero;
} CudaDevice;

enum {
#define CUDA_ERROR(name, number, text) CUDA_##name = number,
#include "cuda/errors.def"
#undef CUDA_ERROR
};

// Both transfer all n bytes even if interrupted. False: the connection has ended.
static inline bool cuda_send(int fd, const void *bytes, size_t n) {
    for (const char *p = bytes; n;) {
        const ssize_t did = send(fd, p, n, MSG_NOSIGNAL);
        if (did < 0 && errno == EINTR) continue;
        if (did <= 0) return false;
        p += did, n -= (size_t)did;
    }
    return true;
}

static inline bool cuda_receive(int fd, void *bytes, size_t n) {
    for (char *p = bytes; n;) {
        const ssize_t did = recv(fd, p, n, 0);
        if (did < 0 && errno == EINTR) continue;
        if (!did) errno = ECONNRESET;
        if (did <= 0) return false;
        p += did, n -= (size_t)did;
    }
    return true;
}

#endif
