// SPDX-License-Identifier: Apache-2.0
// What the CUDA runtime library inside a program (csrc/cuda) and `smcosim exec` (csrc/device/serve.c) tell each other.
//
// The library connects to the Unix socket whose path SMCOSIM_EXEC holds, sends a CudaRequest with its payload and
// waits for the CudaReply with its payload. Requests of one connection are answered in order, so everything that CUDA
// calls asynchronous has happened when its call returns. Sizes are bytes, addresses are the device's.
//
// The last request of a process is CUDA_OP_BYE. A connection that ends without it while its process goes on was lost:
// calls from then on have no effect, so the run is no pass.
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

// Device memory lies here, and constant variables as the host sees them behind it. The library keeps both ranges free
// of host memory, so that a host access there faults.
#define CUDA_DEVICE_BASE 0x10000000ull
#define CUDA_DEVICE_END 0x80000000ull
#define CUDA_CONST_BASE 0x80000000ull   // 64 KiB for each module
#define CUDA_CONST_END 0xa0000000ull

typedef enum CudaOp {
    CUDA_OP_HELLO,      // a: protocol, process id, address of its random bytes (AT_RANDOM)
    CUDA_OP_BYE,        // has no reply
    CUDA_OP_LOST,       // a: process id; the process has lost its other connection
    CUDA_OP_MODULE,     // a: CudaCode; payload: the code -> v: module
    CUDA_OP_FUNCTION,   // a: module; payload: name -> v: function, registers, shared, local, constant bytes, most threads,
                        //   PTX version; payload: offset and size of each parameter, 32 bits each
    CUDA_OP_VARIABLE,   // a: module; payload: name -> v: address, bytes
    CUDA_OP_DEVICE,     // -> payload: CudaDevice
    CUDA_OP_ALLOC,      // a: bytes, CudaAlloc, alignment -> v: address
    CUDA_OP_FREE,       // a: address
    CUDA_OP_MAP,        // a: address: reserved memory becomes memory
    CUDA_OP_WRITE,      // a: to, width, height, depth, pitch, slice; payload: rows without gaps
    CUDA_OP_CHECK,      // a: as CUDA_OP_WRITE; checks the arguments and writes nothing
    CUDA_OP_READ,       // a: from, likewise -> payload
    CUDA_OP_COPY,       // a: to, width, height, depth, pitch, slice, from, its pitch and slice
    CUDA_OP_FILL,       // a: to, width, height, depth, pitch, slice, value, bytes of the value (1, 2 or 4)
    CUDA_OP_LAUNCH,     // a: function, grid x, y, z, block x, y, z, dynamic shared memory, CudaLaunchFlag; payload:
                        //   parameter block -> payload: what the kernel printed
    CUDA_OP_OCCUPANCY,  // a: function, threads of a CTA, dynamic shared memory -> v: CTAs per SM
    CUDA_OP_MEMORY,     // -> v: free, all
    CUDA_OP_RANGE,      // a: address -> v: begin and bytes of its allocation
    CUDA_OP_SYNC,
    CUDA_OP_RESET,      // frees what this connection allocated
    CUDA_OP_WARN,       // payload: text for the user
    CUDA_OP_UNSUPPORTED,  // payload: name of the call
    CUDA_OP_UNLOAD,     // a: module
    CUDA_OP_STACK,      // a: bytes of a thread's stack, for kernels that are first named after it
    CUDA_OP_COUNT
} CudaOp;

typedef enum CudaCode { CUDA_CODE_FATBIN, CUDA_CODE_PTX, CUDA_CODE_LINK } CudaCode;  // LINK: containers to be linked
typedef enum CudaAlloc { CUDA_ALLOC_DEVICE, CUDA_ALLOC_RESERVE } CudaAlloc;          // RESERVE: an address only
typedef enum CudaLaunchFlag { CUDA_LAUNCH_COOPERATIVE = 1 } CudaLaunchFlag;

typedef struct CudaRequest {
    uint32_t op, zero;
    uint64_t bytes;              // of the payload behind it
    uint64_t a[CUDA_WORDS];
} CudaRequest;

typedef struct CudaReply {
    uint32_t error;              // of errors.def
    uint32_t sticky;             // it stays: the context is lost
    uint64_t bytes;              // of the payload behind it
    uint64_t cycle;              // of the SM
    uint64_t v[CUDA_WORDS];
} CudaReply;

// The chosen machine as a CUDA device.
typedef struct CudaDevice {
    char name[256];
    uint64_t memory, l2_bytes, shared_per_block, shared_per_sm, registers_per_sm;
    int32_t major, minor, sms, warps_per_sm, threads_per_sm, ctas_per_sm, clock_khz, memory_clock_khz, bus_bits;
    int32_t zero;
} CudaDevice;

enum {
#define CUDA_ERROR(name, number, text) CUDA_##name = number,
#include "cuda/errors.def"
#undef CUDA_ERROR
};

// Both: all n bytes, whatever interrupts. False: the connection has ended.
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
