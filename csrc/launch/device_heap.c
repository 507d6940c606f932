// SPDX-License-Identifier: Apache-2.0
// A list of blocks in address order; first fit, neighbors joined on free. Simple before fast:
// kernels that allocate much are rare, and equal behavior in every image matters more.
#include "launch/device_heap.h"

#include <string.h>

enum { HEAP_ALIGN = 16 };
#define HEAP_USED 0x5553454455534544ull
#define HEAP_FREE 0x4652454546524545ull

// In front of every block, in device memory.
typedef struct HeapBlock {
    uint64_t bytes;  // behind the header
    uint64_t state;
} HeapBlock;

static uint32_t heap_base(DeviceMemory *m, bool make) {
    for (int i = m->nallocs - 1; i >= 0; i--)
        if (m->allocs[i].heap) return m->allocs[i].addr;
    uint32_t base = make ? device_alloc(m, "heap", DEVICE_HEAP_BYTES) : 0;
    if (!base) return 0;
    device_allocation(m, base)->heap = true;
    HeapBlock first = {DEVICE_HEAP_BYTES - sizeof first, HEAP_FREE};
    memcpy(m->base + base, &first, sizeof first);
    return base;
}

void device_heap_make(DeviceMemory *m) { heap_base(m, true); }

static HeapBlock read_block(const DeviceMemory *m, uint64_t at) {
    HeapBlock b;
    memcpy(&b, m->base + at, sizeof b);
    return b;
}

static void write_block(DeviceMemory *m, uint64_t at, HeapBlock b) {
    memcpy(m->base + at, &b, sizeof b);
}

// The block behind the one at `at`; `end` after the last or when a kernel overwrote the header.
static uint64_t next_block(const HeapBlock *b, uint64_t at, uint64_t end) {
    bool sane = (b->state == HEAP_USED || b->state == HEAP_FREE) && b->bytes % HEAP_ALIGN == 0 &&
        b->bytes <= end - at - sizeof *b;
    return sane ? at + sizeof *b + b->bytes : end;
}

uint64_t device_malloc(DeviceMemory *m, uint64_t bytes) {
    if (!bytes || bytes > DEVICE_HEAP_BYTES) return 0;
    uint64_t need = (bytes + HEAP_ALIGN - 1) / HEAP_ALIGN * HEAP_ALIGN;
    uint64_t at = heap_base(m, true), end = at + DEVICE_HEAP_BYTES;
    if (!at) return 0;
    while (at < end) {
        HeapBlock b = read_block(m, at);
        if (b.state == HEAP_FREE && b.bytes >= need) {
            if (b.bytes >= need + sizeof b + HEAP_ALIGN) {
                write_block(m, at + sizeof b + need,
                            (HeapBlock){b.bytes - need - sizeof b, HEAP_FREE});
                b.bytes = need;
            }
            b.state = HEAP_USED;
            write_block(m, at, b);
            return at + sizeof b;
        }
        at = next_block(&b, at, end);
    }
    return 0;
}

bool device_free(DeviceMemory *m, uint64_t addr) {
    uint64_t at = heap_base(m, false), end = at + DEVICE_HEAP_BYTES, before = 0;
    if (!addr) return true;
    if (!at) return false;
    while (at < end && at + sizeof(HeapBlock) != addr) {
        HeapBlock b = read_block(m, at);
        before = b.state == HEAP_FREE ? at : 0;
        at = next_block(&b, at, end);
    }
    if (at >= end) return false;
    HeapBlock b = read_block(m, at);
    if (b.state != HEAP_USED) return false;
    b.state = HEAP_FREE;
    uint64_t next = next_block(&b, at, end);
    if (next < end) {
        HeapBlock n = read_block(m, next);
        if (n.state == HEAP_FREE) b.bytes += sizeof n + n.bytes;
    }
    if (before) {
        HeapBlock p = read_block(m, before);
        b.bytes += sizeof p + p.bytes;
        at = before;
    }
    write_block(m, at, b);
    return true;
}
