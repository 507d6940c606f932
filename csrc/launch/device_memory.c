// SPDX-License-Identifier: Apache-2.0
// DeviceMemory: a 4 GiB reservation of which only touched pages cost memory, so that a device
// address is a plain offset. Allocation addresses grow upwards, so that uses after free are found.
// When the addresses are used up, gaps between allocations are taken.
#include "launch/device_memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { ALLOC_ALIGN = 256, ALLOC_GAP = 256 };
#define RESERVATION_BYTES ((size_t)1 << 32)
enum { COPY_PAGE = 4096 };

bool device_open(DeviceMemory *m, Arena *arena, Diag *d) {
    memset(m, 0, sizeof *m);
    // Private: a forked snapshot keeps its own copy of every page.
    void *base = mmap(NULL, RESERVATION_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return diag_fail(d, EXIT_ENVIRONMENT,
                         "cannot reserve 4 GiB of address space for device memory: %s",
                         strerror(errno));
    m->arena = arena;
    m->base = base;
    m->next = DEVICE_GLOBAL_BASE;
    return true;
}

void device_close(DeviceMemory *m) {
    if (m->base) munmap(m->base, RESERVATION_BYTES);
    memset(m, 0, sizeof *m);
}

static uint64_t round_up(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

// The lowest gap that holds `bytes`: its address, and the index that the allocation gets; 0: there
// is none.
static uint32_t find_gap(const DeviceMemory *m, uint64_t bytes, uint32_t align, int *index) {
    uint64_t from = DEVICE_GLOBAL_BASE;
    for (int i = 0; i <= m->nallocs; i++) {
        const uint64_t to = i < m->nallocs ? m->allocs[i].addr - ALLOC_GAP : DEVICE_GLOBAL_END;
        const uint64_t at = round_up(from, align);
        *index = i;
        if (at <= to && bytes <= to - at) return (uint32_t)at;
        const DeviceAlloc *a = &m->allocs[i];
        if (i < m->nallocs)
            from = round_up((uint64_t)a->addr + a->bytes + a->reserved, ALLOC_ALIGN) + ALLOC_GAP;
    }
    return 0;
}

uint32_t device_alloc_aligned(DeviceMemory *m, const char *name, uint64_t bytes, uint32_t align) {
    if (align < ALLOC_ALIGN) align = ALLOC_ALIGN;
    uint64_t addr = round_up(m->next, align);
    int index = m->nallocs;
    if (addr > DEVICE_GLOBAL_END || bytes > DEVICE_GLOBAL_END - addr)
        addr = find_gap(m, bytes, align, &index);
    if (!addr) return 0;
    (void)ARENA_PUSH(m->arena, m->allocs, m->nallocs, m->cap_allocs);
    memmove(m->allocs + index + 1, m->allocs + index,
            (size_t)(m->nallocs - 1 - index) * sizeof *m->allocs);
    m->allocs[index] =
        (DeviceAlloc){.name = name, .addr = (uint32_t)addr, .bytes = (uint32_t)bytes};
    m->last = 0;
    const uint64_t next = round_up(addr + bytes, ALLOC_ALIGN) + ALLOC_GAP;
    if (next > m->next) m->next = next < DEVICE_GLOBAL_END ? (uint32_t)next : DEVICE_GLOBAL_END;
    return (uint32_t)addr;
}

uint32_t device_alloc(DeviceMemory *m, const char *name, uint64_t bytes) {
    return device_alloc_aligned(m, name, bytes, 0);
}

static bool is_zero(const uint8_t *p, size_t n) {
    return p[0] == 0 && memcmp(p, p + 1, n - 1) == 0;
}

bool device_clone(DeviceMemory *to, const DeviceMemory *from, Arena *arena, Diag *d) {
    if (!device_open(to, arena, d)) return false;
    to->allocs = ARENA_ARRAY(arena, DeviceAlloc, from->nallocs);
    to->nallocs = to->cap_allocs = from->nallocs;
    to->last = from->last;
    to->next = from->next;
    for (int i = 0; i < from->nallocs; i++) {
        const DeviceAlloc *a = &from->allocs[i];
        to->allocs[i] = *a;
        // Pages of zeros (most of a device heap) stay untouched in the copy.
        for (uint64_t at = 0; at < a->bytes; at += COPY_PAGE) {
            size_t n = a->bytes - at < COPY_PAGE ? (size_t)(a->bytes - at) : COPY_PAGE;
            if (!is_zero(from->base + a->addr + at, n))
                memcpy(to->base + a->addr + at, from->base + a->addr + at, n);
        }
    }
    return true;
}

// The last allocation that starts at or below addr, -1 if there is none.
static int alloc_below(const DeviceMemory *m, uint64_t addr) {
    int low = 0, high = m->nallocs;
    while (low < high) {
        int middle = (low + high) / 2;
        if (m->allocs[middle].addr <= addr) low = middle + 1;
        else high = middle;
    }
    return low - 1;
}

uint8_t *device_find(DeviceMemory *m, uint64_t addr, uint32_t bytes) {
    int i = alloc_below(m, addr);
    if (i < 0) return NULL;
    const DeviceAlloc *a = &m->allocs[i];
    uint64_t offset = addr - a->addr;
    if (offset >= a->bytes || bytes > a->bytes - offset) return NULL;
    m->last = i;
    return m->base + addr;
}

DeviceAlloc *device_allocation(DeviceMemory *m, uint64_t addr) {
    const int i = alloc_below(m, addr);
    return i >= 0 && addr - m->allocs[i].addr < m->allocs[i].bytes + m->allocs[i].reserved
        ? &m->allocs[i]
        : NULL;
}

bool device_release(DeviceMemory *m, uint64_t addr) {
    const int i = alloc_below(m, addr);
    if (i < 0 || m->allocs[i].addr != addr) return false;
    // Who gets these addresses next finds zeros. Whole pages go back to the system.
    uint8_t *from = m->base + addr;
    const size_t bytes = m->allocs[i].bytes, head = (COPY_PAGE - addr % COPY_PAGE) % COPY_PAGE;
    if (bytes > head + COPY_PAGE) {
        const size_t whole = (bytes - head) / COPY_PAGE * COPY_PAGE;
        memset(from, 0, head);
        madvise(from + head, whole, MADV_DONTNEED);
        memset(from + head + whole, 0, bytes - head - whole);
    } else {
        memset(from, 0, bytes);
    }
    m->nallocs--;
    memmove(m->allocs + i, m->allocs + i + 1, (size_t)(m->nallocs - i) * sizeof *m->allocs);
    m->last = 0;
    return true;
}

// Addresses outside global memory: the windows, and addresses below them.
static bool describe_window(uint64_t addr, char *buf, size_t size) {
    if (addr >> 32) {
        snprintf(buf, size, "above 4 GiB, where no memory exists");
        return true;
    }
    if (addr >= DEVICE_GLOBAL_BASE) return false;
    PtxSpace space = device_space_of(addr);
    if (space == PTX_GLOBAL)
        snprintf(buf, size,
                 addr < 65536 ? "a null pointer plus %" PRIu64 " bytes"
                              : "below every window, at offset %" PRIu64,
                 addr);
    else
        snprintf(buf, size, "byte %" PRIu64 " of the .%s window", addr % DEVICE_WINDOW_BYTES,
                 space == PTX_SHARED      ? "shared"
                     : space == PTX_LOCAL ? "local"
                     : space == PTX_CONST ? "const"
                                          : "param");
    return true;
}

void device_describe(const DeviceMemory *m, uint64_t addr, char *buf, size_t size) {
    if (describe_window(addr, buf, size)) return;
    int i = alloc_below(m, addr);
    const DeviceAlloc *below = i >= 0 ? &m->allocs[i] : NULL;
    const DeviceAlloc *above = i + 1 < m->nallocs ? &m->allocs[i + 1] : NULL;
    uint64_t past = below ? addr - below->addr : UINT64_MAX;
    if (below && past < below->bytes) {
        snprintf(buf, size, "byte %" PRIu64 " of buffer %s (%u bytes at 0x%x)", past, below->name,
                 below->bytes, below->addr);
        return;
    }
    if (below) past -= below->bytes;
    if (above && above->addr - addr < past)
        snprintf(buf, size, "%" PRIu64 " bytes before the start of buffer %s (%u bytes at 0x%x)",
                 above->addr - addr, above->name, above->bytes, above->addr);
    else if (below && past == 0)
        snprintf(buf, size, "just past the end of buffer %s (%u bytes at 0x%x)", below->name,
                 below->bytes, below->addr);
    else if (below)
        snprintf(buf, size, "%" PRIu64 " bytes past the end of buffer %s (%u bytes at 0x%x)", past,
                 below->name, below->bytes, below->addr);
    else snprintf(buf, size, "global memory that is not allocated");
}
