// SPDX-License-Identifier: Apache-2.0
// malloc and free of kernels. All state is in device memory itself (the allocation "heap", made at
// the first malloc). So every image of the memory has its own heap, and equal requests get equal
// addresses.
#ifndef SMCOSIM_LAUNCH_DEVICE_HEAP_H
#define SMCOSIM_LAUNCH_DEVICE_HEAP_H

#include "launch/device_memory.h"

// Makes the heap before the first malloc, so that later copies of `m` include it. If memory has no
// room for the heap, each malloc returns 0.
void device_heap_make(DeviceMemory *m);
// Address of `bytes` bytes, aligned to 16; 0 when the heap of DEVICE_HEAP_BYTES is full or bytes is
// 0.
uint64_t device_malloc(DeviceMemory *m, uint64_t bytes);
// Frees an allocation of device_malloc; 0 is allowed. False: addr is not a live allocation.
bool device_free(DeviceMemory *m, uint64_t addr);

#endif
