// SPDX-License-Identifier: Apache-2.0
// Device memory of the program: each allocation belongs to the connection that made it.
#include "device/context_parts.h"

#include <inttypes.h>

enum { MOST_ALIGN = 65536 };

int allocate_memory(Context *c, int owner, uint64_t bytes, uint64_t kind, uint64_t align,
                    Answer *answer) {
    if (!bytes) return CUDA_Success;
    DeviceMemory *m = &c->run.memory;
    const char *name = arena_printf(c->arena, "#%d", c->nallocs + 1);
    const bool aligned = align <= MOST_ALIGN && !(align & (align - 1));
    const uint32_t addr = aligned ? device_alloc_aligned(m, name, bytes, (uint32_t)align) : 0;
    if (!addr) {
        context_warn(c, "%" PRIu64 " bytes of device memory were requested, but are not available",
                     bytes);
        return CUDA_MemoryAllocation;
    }
    c->nallocs++;
    DeviceAlloc *a = device_allocation(m, addr);
    if (kind == CUDA_ALLOC_RESERVE) a->reserved = a->bytes, a->bytes = 0;
    *ARENA_PUSH(c->arena, c->owned, c->nowned, c->cap_owned) = (Owned){addr, owner};
    answer->reply.answered.alloc.address = addr;
    return CUDA_Success;
}

int allocate_free(Context *c, uint64_t addr) {
    for (int i = 0; i < c->nowned; i++)
        if (c->owned[i].addr == addr) {
            device_release(&c->run.memory, addr);
            c->owned[i] = c->owned[--c->nowned];
            return CUDA_Success;
        }
    char text[300];
    device_describe(&c->run.memory, addr, text, sizeof text);
    context_warn(c, "0x%" PRIx64 " is freed, where no allocation begins (freed before?): %s", addr,
                 text);
    return CUDA_InvalidValue;
}

int allocate_map(Context *c, uint64_t addr) {
    DeviceAlloc *a = device_allocation(&c->run.memory, addr);
    if (!a || a->addr != addr) return CUDA_InvalidValue;
    if (a->reserved) a->bytes = a->reserved, a->reserved = 0;
    return CUDA_Success;
}

void context_leave(Context *c, int owner) {
    for (int i = c->nowned; i-- > 0;)
        if (c->owned[i].owner == owner) allocate_free(c, c->owned[i].addr);
}

void allocate_left(const Context *c, Answer *answer) {
    const DeviceMemory *m = &c->run.memory;
    CudaAnswered *to = &answer->reply.answered;
    uint64_t used = 0;
    for (int i = 0; i < m->nallocs; i++) used += m->allocs[i].bytes + m->allocs[i].reserved;
    to->memory.all = DEVICE_GLOBAL_END - DEVICE_GLOBAL_BASE;
    to->memory.left = to->memory.all - used;
}

int allocate_range(Context *c, uint64_t addr, Answer *answer) {
    const DeviceAlloc *a = device_allocation(&c->run.memory, addr);
    if (!a) return CUDA_InvalidValue;
    answer->reply.answered.range.begin = a->addr;
    answer->reply.answered.range.bytes = a->bytes + a->reserved;
    return CUDA_Success;
}
