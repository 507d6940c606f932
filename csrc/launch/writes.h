// SPDX-License-Identifier: Apache-2.0
// What one of several SMs has stored to global memory and the others do not see yet. While SMs are
// simulated apart from each other, none of them changes the memory that all of them read: each
// keeps its writes, its own loads look there first, and at a point in time that is the same for all
// they go to memory, SM by SM.
#ifndef SMCOSIM_LAUNCH_WRITES_H
#define SMCOSIM_LAUNCH_WRITES_H

#include "launch/device_memory.h"

typedef struct DeviceWrites DeviceWrites;

// Room for so many words of 4 bytes that are written between two calls of device_writes_clear.
DeviceWrites *device_writes_open(Arena *arena, int words);
// Bytes at addr are written: what device_at has found.
void device_write(DeviceWrites *w, uint32_t addr, const void *bytes, uint32_t n);
// `bytes` were read from memory at addr: those that were written since are replaced.
void device_written(const DeviceWrites *w, uint32_t addr, void *bytes, uint32_t n);
bool device_writes_any(const DeviceWrites *w);
// All writes go to memory, in any order: a byte keeps what was written last. They are forgotten by
// device_writes_clear, which is for the thread that writes: where they are found lies in its cache.
void device_writes_apply(const DeviceWrites *w, DeviceMemory *m);
void device_writes_clear(DeviceWrites *w);

#endif
