// SPDX-License-Identifier: Apache-2.0
// Functions of CUDA's device runtime that kernels call: conditions of graphs, and launches from the
// device. The loader adds PTX bodies for these functions to a module, so that compiler and oracle
// process ordinary code. A launch is a record in a queue in device memory. The host performs the
// records when the grid that wrote them has ended.
#ifndef SMCOSIM_DEVICE_DEVICE_RUNTIME_H
#define SMCOSIM_DEVICE_DEVICE_RUNTIME_H

#include "base/arena.h"
#include "launch/device_memory.h"

enum { DEVICE_QUEUE_SLOTS = 4096, DEVICE_QUEUE_PARAMS = 1024, DEVICE_QUEUE_HEAD = 64 };
enum {
    DEVICE_QUEUE_SLOT = DEVICE_QUEUE_HEAD + DEVICE_QUEUE_PARAMS,
    DEVICE_QUEUE_BYTES = DEVICE_QUEUE_HEAD + DEVICE_QUEUE_SLOTS * DEVICE_QUEUE_SLOT
};

typedef struct DeviceQueueHead {
    uint32_t taken, launched;  // slots; launches so far
    uint8_t unused[DEVICE_QUEUE_HEAD - 8];
} DeviceQueueHead;
typedef struct DeviceQueueSlot {
    uint64_t function;  // its address; 0: a copy
    uint32_t grid[3], block[3], shared;
    uint32_t order;            // number of the launch, 0: a slot that was taken and not launched
    uint64_t to, from, bytes;  // of a copy
    uint8_t params[DEVICE_QUEUE_PARAMS];
} DeviceQueueSlot;

// The module's text with bodies for the functions that it declares. *queue: the address of the
// queue, 0: not allocated yet. If the module launches from the device, a queue is allocated in
// `memory`. NULL: no memory is left for the queue (EXIT_USAGE).
const char *device_runtime_bodies(Arena *arena, DeviceMemory *memory, const char *path,
                                  const char *text, uint32_t *queue, Diag *d);

#endif
