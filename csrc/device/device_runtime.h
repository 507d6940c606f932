// SPDX-License-Identifier: Apache-2.0
// What kernels call of CUDA's device runtime: conditions of graphs, and launches from the device.
// The functions get bodies of PTX when a module is loaded, so compiler and oracle see ordinary
// code. A launch is a record in a queue in device memory; the host does what is in there when the
// grid that wrote it has ended.
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

// The module's text with bodies for what it declares. *queue: the address of the queue, 0: there is
// none yet; where the module launches from the device, one is placed in `memory`. NULL: no memory
// is left for it (EXIT_USAGE).
const char *device_runtime_bodies(Arena *arena, DeviceMemory *memory, const char *path,
                                  const char *text, uint32_t *queue, Diag *d);

#endif
