// SPDX-License-Identifier: Apache-2.0
// Copies and fills of device memory, row by row.
#include "device/context_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// ---- location of bytes ----

// A variable that the program writes counts as initialized.
static void mark_filled(const ModuleLayout *l, uint64_t at, uint64_t bytes) {
    for (int i = 0; i < l->module->nvars; i++) {
        PtxVar *v = &l->module->vars[i];
        const uint64_t begin = l->var_addr[i];
        if (v->space == PTX_CONST && !v->init && begin < at + bytes &&
            at < begin + (uint64_t)v->bytes)
            v->init = l->const_image + begin;
    }
}

uint8_t *rows_bytes(Context *c, const char *what, uint64_t addr, uint64_t bytes, bool write) {
    DeviceMemory *m = &c->run.memory;
    if (addr >= CUDA_CONST_BASE && addr < CUDA_CONST_END) {
        const uint64_t id = (addr - CUDA_CONST_BASE) / CONST_WINDOW, at = addr % CONST_WINDOW;
        const ModuleLayout *l = id < (uint64_t)c->nmodules ? &c->modules[id]->loaded.layout : NULL;
        if (l && l->const_image && at + bytes <= l->const_bytes) {
            if (write) mark_filled(l, at, bytes);
            return l->const_image + at;
        }
    } else if (bytes <= UINT32_MAX) {
        uint8_t *p = device_find(m, addr, (uint32_t)bytes);
        if (p) {
            if (write) device_allocation(m, addr)->blank = false;
            return p;
        }
    }
    char text[300];
    device_describe(m, addr, text, sizeof text);
    context_warn(c, "%s of %" PRIu64 " bytes at 0x%" PRIx64 ": %s", what, bytes, addr, text);
    return NULL;
}

// Bytes from the first to the last one. False: the rows are invalid, or exceed the limit of a
// request.
static bool measure_span(const CudaRows *r, uint64_t *span) {
    uint64_t last, bytes;
    return r->width && r->height && r->depth &&
        !__builtin_mul_overflow(r->depth - 1, r->slice, span) &&
        !__builtin_mul_overflow(r->height - 1, r->pitch, &last) &&
        !__builtin_add_overflow(*span, last, span) &&
        !__builtin_add_overflow(*span, r->width, span) &&
        !__builtin_mul_overflow(r->width, r->height, &bytes) &&
        !__builtin_mul_overflow(bytes, r->depth, &bytes) && bytes <= CUDA_PAYLOAD_MOST;
}

// Host pointer of the first row; NULL: not all rows are device memory.
static uint8_t *find_rows(Context *c, const char *what, const CudaRows *r, bool write) {
    uint64_t span;
    return measure_span(r, &span) ? rows_bytes(c, what, r->at, span, write) : NULL;
}

static uint64_t count_bytes(const CudaRows *r) { return r->width * r->height * r->depth; }

// ---- copies and fills ----

#define FOR_ROWS(r, first, row) \
    for (uint64_t z_ = 0; z_ < (r)->depth; z_++) \
        for (uint64_t y_ = 0; y_ < (r)->height; y_++) \
            for (uint8_t *row = (first) + z_ * (r)->slice + y_ * (r)->pitch; row; row = NULL)

int rows_write(Context *c, const CudaRows *at, const uint8_t *payload, uint64_t bytes) {
    uint8_t *first = find_rows(c, "a copy to the device", at, true);
    if (!first || bytes != count_bytes(at)) return CUDA_InvalidValue;
    FOR_ROWS(at, first, row) {
        memcpy(row, payload, at->width);
        payload += at->width;
    }
    return CUDA_Success;
}

int rows_check(Context *c, const CudaRows *at) {
    return find_rows(c, "a copy to the device", at, false) ? CUDA_Success : CUDA_InvalidValue;
}

int rows_read(Context *c, const CudaRows *at, Answer *answer) {
    uint8_t *first = find_rows(c, "a copy from the device", at, false);
    if (!first) return CUDA_InvalidValue;
    uint8_t *to = answer->payload = malloc(count_bytes(at));
    if (!to) return CUDA_MemoryAllocation;
    answer->reply.bytes = count_bytes(at);
    FOR_ROWS(at, first, row) {
        memcpy(to, row, at->width);
        to += at->width;
    }
    return CUDA_Success;
}

int rows_copy(Context *c, const CudaRows *to, const CudaRows *from) {
    uint8_t *target = find_rows(c, "a copy on the device, to", to, true);
    uint8_t *source = target ? find_rows(c, "a copy on the device, from", from, false) : NULL;
    if (!source) return CUDA_InvalidValue;
    for (uint64_t z = 0; z < to->depth; z++)
        for (uint64_t y = 0; y < to->height; y++)
            memmove(target + z * to->slice + y * to->pitch,
                    source + z * from->slice + y * from->pitch, to->width);
    return CUDA_Success;
}

int rows_fill(Context *c, const CudaRows *at, uint64_t value, uint64_t unit) {
    const uint32_t word = (uint32_t)value;
    if (unit != 1 && unit != 2 && unit != 4) return CUDA_InvalidValue;
    uint8_t *first = find_rows(c, "a fill", at, true);
    if (!first) return CUDA_InvalidValue;
    FOR_ROWS(at, first, row) {
        if (unit == 1) memset(row, (int)word, at->width);
        else
            for (uint64_t x = 0; x + unit <= at->width; x += unit) memcpy(row + x, &word, unit);
    }
    return CUDA_Success;
}
