// SPDX-License-Identifier: Apache-2.0
// Buffers between host files and device memory: placing, comparing.
#include "launch/launch.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

bool launch_place(Launch *l, DeviceMemory *m, Diag *d) {
    for (int i = 0; i < l->nbuffers; i++) {
        LaunchBuffer *b = &l->buffers[i];
        char *text;
        size_t len;
        if (b->at && b->at < m->next)
            return diag_fail_at(
                d, &l->src, b->line, b->col,
                "buffer %s at 0x%x overlaps the buffer before it: the next free address is 0x%x",
                b->name, b->at, m->next);
        if (b->at) m->next = b->at;
        b->addr = device_alloc(m, b->name, b->bytes);
        if (!b->addr)
            return diag_fail_at(d, &l->src, b->line, b->col,
                                "no device memory left for buffer %s (%" PRIu64 " bytes)", b->name,
                                b->bytes);
        device_allocation(m, b->addr)->compress = b->compress;
        if (!b->init) continue;
        Arena file = {0};
        bool ok = file_read(&file, b->init, &text, &len, d);
        if (ok && len > b->bytes)  // it grew since it was checked
            ok = diag_fail_at(d, &l->src, b->line, b->col,
                              "buffer %s has %" PRIu64 " bytes, its init file %s has %zu", b->name,
                              b->bytes, b->init, len);
        if (ok) memcpy(m->base + b->addr, text, len);
        arena_free(&file);
        if (!ok) return false;
    }
    return true;
}

// ---- comparing ----

static uint64_t element_bits(const uint8_t *p, int size) {
    uint64_t bits = 0;
    memcpy(&bits, p, (size_t)size);
    return bits;
}

static double as_double(PtxType type, uint64_t bits) {
    if (type == PTX_F64) {
        double v;
        memcpy(&v, &bits, 8);
        return v;
    }
    uint32_t word = (uint32_t)bits;
    float v;
    memcpy(&v, &word, 4);
    return v;
}

// Position of a float on the line of representable values: neighbors differ by 1, -0 and +0 agree.
static int64_t float_rank(PtxType type, uint64_t bits) {
    uint64_t sign = type == PTX_F64 ? (uint64_t)1 << 63 : (uint64_t)1 << 31;
    int64_t magnitude = (int64_t)(bits & (sign - 1));
    return bits & sign ? -magnitude : magnitude;
}

static bool values_agree(const LaunchExpect *e, uint64_t found, uint64_t expected) {
    if (found == expected) return true;
    if (!ptx_type_is_float(e->type)) return false;
    double a = as_double(e->type, found), b = as_double(e->type, expected);
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
    if (isinf(a) || isinf(b)) return false;
    if (e->ulp) {
        int64_t ra = float_rank(e->type, found), rb = float_rank(e->type, expected);
        uint64_t apart = ra > rb ? (uint64_t)ra - (uint64_t)rb : (uint64_t)rb - (uint64_t)ra;
        if (apart <= e->ulp) return true;
    }
    if (e->rtol == 0 && e->atol == 0) return false;
    return fabs(a - b) <= e->atol + e->rtol * fabs(b);
}

static void value_text(PtxType type, uint64_t bits, char *buf, size_t size) {
    if (type == PTX_F32) snprintf(buf, size, "%.9g (0x%08" PRIx64 ")", as_double(type, bits), bits);
    else if (type == PTX_F64)
        snprintf(buf, size, "%.17g (0x%016" PRIx64 ")", as_double(type, bits), bits);
    else if (ptx_type_is_signed(type)) {
        int unused = 64 - 8 * ptx_type_bytes(type);
        snprintf(buf, size, "%" PRId64, (int64_t)(bits << unused) >> unused);
    } else snprintf(buf, size, "%" PRIu64, bits);
}

static bool report_difference(const Launch *l, const LaunchExpect *e, const char *name,
                              uint64_t index, uint64_t found, uint64_t expected, uint64_t wrong,
                              uint64_t total, Diag *d) {
    char was[64], should[64];
    value_text(e->type, found, was, sizeof was);
    value_text(e->type, expected, should, sizeof should);
    return diag_fail(d, EXIT_WRONG_RESULT,
                     "%s: %s %s differs from %s: %" PRIu64 " of %" PRIu64 " elements; first "
                     "at index %" PRIu64 ": found %s, expected %s",
                     l->src.path, e->symbol >= 0 ? "variable" : "buffer", name, e->file, wrong,
                     total, index, was, should);
}

static bool check_one(const Launch *l, const LaunchExpect *e, DeviceMemory *m, uint64_t *compared,
                      Diag *d) {
    Arena arena = {0};
    char *text;
    size_t len;
    bool ok = file_read(&arena, e->file, &text, &len, d);
    if (ok && len < e->bytes)
        ok = diag_fail_at(d, &l->src, e->line, e->col,
                          "expected file %s has %zu bytes, %" PRIu64 " are to be compared", e->file,
                          len, e->bytes);
    const char *name;
    const uint8_t *found = launch_compared(l, e, m, &name);
    int size = ptx_type_bytes(e->type);
    uint64_t total = e->bytes / (uint64_t)size, wrong = 0, first = 0;
    for (uint64_t i = 0; ok && i < total; i++) {
        const uint8_t *expected = (const uint8_t *)text + i * (uint64_t)size;
        if (values_agree(e, element_bits(found + i * (uint64_t)size, size),
                         element_bits(expected, size)))
            continue;
        if (!wrong++) first = i;
    }
    if (ok) *compared += total;
    if (ok && wrong)
        ok = report_difference(
            l, e, name, first, element_bits(found + first * (uint64_t)size, size),
            element_bits((const uint8_t *)text + first * (uint64_t)size, size), wrong, total, d);
    arena_free(&arena);
    return ok;
}

bool launch_check(const Launch *l, DeviceMemory *m, uint64_t *compared, Diag *d) {
    bool ok = true;
    *compared = 0;
    for (int i = 0; i < l->nexpects; i++) ok = check_one(l, &l->expects[i], m, compared, d) && ok;
    return ok;
}
