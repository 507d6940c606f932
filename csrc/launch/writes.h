// SPDX-License-Identifier: Apache-2.0
// Global stores of one SM that the other SMs do not see yet. While SMs are simulated separately,
// none changes the shared memory. Each SM keeps its writes, and its own loads read them first. At a
// common point in time the writes are applied to memory, SM by SM.
#ifndef SMCOSIM_LAUNCH_WRITES_H
#define SMCOSIM_LAUNCH_WRITES_H

#include "launch/device_memory.h"

typedef struct DeviceWrites DeviceWrites;

// Room for `words` words of 4 bytes that are written between two calls of device_writes_clear.
DeviceWrites *device_writes_open(Arena *arena, int words);
// Records a write of bytes at addr, an address that device_at has found.
void device_write(DeviceWrites *w, uint32_t addr, const void *bytes, uint32_t n);
// `bytes` were read from memory at addr: replaces those that this SM has written since.
void device_written(const DeviceWrites *w, uint32_t addr, void *bytes, uint32_t n);
bool device_writes_any(const DeviceWrites *w);
// Applies all writes to memory. Any order is correct, because a byte keeps its last write. Call
// device_writes_clear from the writing thread, whose cache holds the index of writes.
void device_writes_apply(const DeviceWrites *w, DeviceMemory *m);
void device_writes_clear(DeviceWrites *w);

#endif
