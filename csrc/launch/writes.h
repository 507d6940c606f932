// SPDX-License-Identifier: Apache-2.0
// Global stores of one SM among several that the others do not see yet. While SMs are simulated
// apart from each other, none changes the memory that all read. Each keeps its writes, and its own
// loads look there first. At a common point in time the writes go to memory, SM by SM.
#ifndef SMCOSIM_LAUNCH_WRITES_H
#define SMCOSIM_LAUNCH_WRITES_H

#include "launch/device_memory.h"

typedef struct DeviceWrites DeviceWrites;

// Room for so many words of 4 bytes that are written between two calls of device_writes_clear.
DeviceWrites *device_writes_open(Arena *arena, int words);
// Records the write of bytes at addr, which device_at has found.
void device_write(DeviceWrites *w, uint32_t addr, const void *bytes, uint32_t n);
// `bytes` were read from memory at addr: replaces those that were written since.
void device_written(const DeviceWrites *w, uint32_t addr, void *bytes, uint32_t n);
bool device_writes_any(const DeviceWrites *w);
// Applies all writes to memory. Any order is correct, because a byte keeps its last write. Call
// device_writes_clear from the writing thread, whose cache holds the index of writes.
void device_writes_apply(const DeviceWrites *w, DeviceMemory *m);
void device_writes_clear(DeviceWrites *w);

#endif
