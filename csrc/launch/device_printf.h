// SPDX-License-Identifier: Apache-2.0
// printf of kernels: formats from device memory.
#ifndef SMCOSIM_LAUNCH_DEVICE_PRINTF_H
#define SMCOSIM_LAUNCH_DEVICE_PRINTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Reads `bytes` of the calling thread's generic address space; false if they do not exist.
typedef bool (*DeviceRead)(void *ctx, uint64_t addr, void *to, uint32_t bytes);

// vprintf(format, list) of one thread. Arguments follow each other at `list`, naturally aligned: 4
// bytes for int and unsigned, 8 for long, long long, double and pointers. If out is NULL, it prints
// nothing.
// Conversions are d i u o x X c s p f F e E g G a A %, flags - + space # 0. Width and precision may
// be *; lengths are hh h l ll z j t.
// Returns the number of conversions, -1 for an unreadable format. Returns -2 if an argument is
// unreadable or a conversion unknown; the text before it is printed.
int device_printf(FILE *out, DeviceRead read, void *ctx, uint64_t format, uint64_t list);

// The NUL-terminated string at addr, truncated to size - 1 bytes; false if it is unreadable
// ("(unreadable)").
bool device_string(DeviceRead read, void *ctx, uint64_t addr, char *buf, size_t size);

#endif
