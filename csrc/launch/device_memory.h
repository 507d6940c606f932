// SPDX-License-Identifier: Apache-2.0
// Functional device memory: the address map, allocations and their bytes.
//
// All device addresses are below 4 GiB, so the upper word of a 64-bit pointer is zero.
#ifndef SMCOSIM_LAUNCH_MEMORY_H
#define SMCOSIM_LAUNCH_MEMORY_H

#include "base/arena.h"
#include "base/diag.h"
#include "ptx/ptx.h"

// Windows of the generic address space. In .shared, .local, .const and .param an address counts
// from 0; cvta adds the window's base, cvta.to subtracts it.
#define DEVICE_SHARED_BASE 0x01000000u
#define DEVICE_LOCAL_BASE 0x02000000u
#define DEVICE_CONST_BASE 0x03000000u
#define DEVICE_PARAM_BASE 0x04000000u
#define DEVICE_WINDOW_BYTES 0x01000000u
#define DEVICE_GLOBAL_BASE 0x10000000u
// First address that is never allocated: the timing model maps local memory above it.
#define DEVICE_GLOBAL_END 0x80000000u
// Size of the device heap of malloc(), the last allocation.
#define DEVICE_HEAP_BYTES (8u << 20)

// Memory space of a generic address.
static inline PtxSpace device_space_of(uint64_t a) {
    if (a >= DEVICE_GLOBAL_BASE) return PTX_GLOBAL;
    switch (a >> 24) {
    case DEVICE_SHARED_BASE >> 24: return PTX_SHARED;
    case DEVICE_LOCAL_BASE >> 24: return PTX_LOCAL;
    case DEVICE_CONST_BASE >> 24: return PTX_CONST;
    case DEVICE_PARAM_BASE >> 24: return PTX_PARAM;
    default: return PTX_GLOBAL;  // below the windows: not allocated
    }
}

typedef struct DeviceAlloc {
    const char *name;  // buffer or variable name
    uint32_t addr;
    uint32_t bytes;
    bool blank;         // a variable without initializer that was never written
    bool heap;          // the device heap; a buffer may have the same name
    uint32_t reserved;  // bytes is 0: this many addresses are reserved, without memory
    // compressed in DRAM before the first kernel, in a system that compresses lines
    bool compress;
} DeviceAlloc;

// One image of global memory. Several images (SM, oracle, retire check) may have equal allocations,
// sorted by address and separated by at least 256 unallocated bytes.
typedef struct DeviceMemory {
    Arena *arena;
    uint8_t *base;  // host address of device address 0 (a 4 GiB reservation, pages on demand)
    DeviceAlloc *allocs;
    int nallocs, cap_allocs;
    int last;       // allocation of the last access; most accesses hit it
    uint32_t next;  // next free address
} DeviceMemory;

bool device_open(DeviceMemory *m, Arena *arena, Diag *d);
void device_close(DeviceMemory *m);
// Allocates zeroed bytes; returns the device address, 0 when the space is exhausted.
uint32_t device_alloc(DeviceMemory *m, const char *name, uint64_t bytes);
// As device_alloc, at a multiple of `align` (a power of two; 0: any). Freed addresses are reused
// when no others are left.
uint32_t device_alloc_aligned(DeviceMemory *m, const char *name, uint64_t bytes, uint32_t align);
// Frees the allocation that begins at addr; false: no allocation begins there.
bool device_release(DeviceMemory *m, uint64_t addr);
// The allocation that contains addr; NULL: none.
DeviceAlloc *device_allocation(DeviceMemory *m, uint64_t addr);
// A copy of all allocations and bytes.
bool device_clone(DeviceMemory *to, const DeviceMemory *from, Arena *arena, Diag *d);

// Host pointer of [addr, addr + bytes) if it is within one allocation, else NULL.
uint8_t *device_find(DeviceMemory *m, uint64_t addr, uint32_t bytes);
static inline uint8_t *device_at(DeviceMemory *m, uint64_t addr, uint32_t bytes) {
    if (m->nallocs) {
        const DeviceAlloc *a = &m->allocs[m->last];
        uint64_t offset = addr - a->addr;  // below the allocation: wraps to a huge offset
        if (offset < a->bytes && bytes <= a->bytes - offset) return m->base + addr;
    }
    return device_find(m, addr, bytes);
}
// Text for an error message: "4 bytes past the end of buffer a (65536 bytes at 0x10000000)".
void device_describe(const DeviceMemory *m, uint64_t addr, char *buf, size_t size);

// ---- layout.c: addresses of a module's variables, the ABI that oracle and compiler share ----

typedef struct ModuleLayout {
    const PtxModule *module;
    uint32_t *var_addr;    // per module variable: .global: device address; .const: offset in bank 3
                           //   (generic: + DEVICE_CONST_BASE); .shared: offset, see shared_offset
    uint8_t *const_image;  // bytes of bank 3
    uint32_t const_bytes;
    // bytes of the module's .local variables, from 0 on in the local memory of a thread
    uint32_t local_bytes;
    // grid barriers (cooperative groups): {bytes, barrier}; 0: no kernel uses one
    uint32_t workspace;
} ModuleLayout;

// Allocates the module's .global variables in m, writes initializers (relocations resolved), lays
// out .const.
bool layout_module(ModuleLayout *l, Arena *arena, const PtxModule *module, DeviceMemory *m,
                   Diag *d);

// Shared memory of one entry: offsets of every .shared variable that the entry or a function called
// by it uses. Extern (dynamic) arrays start at static_bytes, rounded up to their alignment.
typedef struct SharedLayout {
    uint32_t *module_offset;  // per module variable (0 for those not in .shared)
    uint32_t **func_offset;   // [function][variable]
    uint32_t static_bytes;    // static shared memory of a CTA
    uint32_t dynamic_offset;  // offset of extern arrays
} SharedLayout;
bool layout_shared(SharedLayout *s, Arena *arena, const PtxModule *module, const PtxFunc *entry,
                   Diag *d);

#endif
