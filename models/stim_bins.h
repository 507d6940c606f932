// SPDX-License-Identifier: Apache-2.0
// Helpers of the environments: a list of coverage bins that is laid out and named by one
// function, and rows of narrow values.
#ifndef SMCOSIM_MODELS_STIM_BINS_H
#define SMCOSIM_MODELS_STIM_BINS_H

#include "models/stim.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// The bins added so far. `bins` is NULL when only their places are wanted.
typedef struct BinList {
    CoverBin *bins;
    int n;
} BinList;

// Adds one bin, returns its number. Names beyond COVER_MAX_BINS are dropped, the count is not.
__attribute__((format(printf, 3, 4))) static inline int bin_add(BinList *l, const char *group,
                                                                const char *format, ...) {
    if (l->bins && l->n < COVER_MAX_BINS) {
        va_list args;
        va_start(args, format);
        snprintf(l->bins[l->n].group, sizeof l->bins[l->n].group, "%s", group);
        vsnprintf(l->bins[l->n].name, sizeof l->bins[l->n].name, format, args);
        va_end(args);
    }
    return l->n++;
}

// A bin that some shapes cannot reach has the number NO_BIN there.
enum { NO_BIN = -1 };
static inline int bin_add_if(bool reachable, BinList *l, const char *group, const char *name) {
    return reachable ? bin_add(l, group, "%s", name) : NO_BIN;
}
static inline void bin_hit(uint64_t *hits, int bin) {
    if (bin != NO_BIN) hits[bin]++;
}

// Adds `count` bins named by a list of words; returns the first one's number.
static inline int bin_words(BinList *l, const char *group, const char *const *words, int count) {
    const int first = l->n;
    for (int i = 0; i < count; i++) bin_add(l, group, "%s", words[i]);
    return first;
}

// Adds `count` bins named by a prefix and a number, from `from` on; returns the first one's number.
static inline int bin_numbers(BinList *l, const char *group, const char *prefix, int from,
                              int count) {
    const int first = l->n;
    for (int i = 0; i < count; i++) bin_add(l, group, "%s%d", prefix, from + i);
    return first;
}

// Adds "x1", "x2", .. under a prefix, of which the one of `open` is "x6+"; returns the first one's
// number.
static inline int bin_times(BinList *l, const char *group, const char *prefix, int count,
                            int open) {
    const int first = l->n;
    for (int i = 1; i <= count; i++) bin_add(l, group, "%sx%d%s", prefix, i, i == open ? "+" : "");
    return first;
}

// Adds the 16 values of a 4-bit mask, or those from `from` on, under a prefix; returns the first
// one's number.
static inline int bin_masks_from(BinList *l, const char *group, const char *prefix, int from) {
    const int first = l->n;
    for (int m = from; m < 16; m++)
        bin_add(l, group, "%s%d%d%d%d", prefix, m >> 3, m >> 2 & 1, m >> 1 & 1, m & 1);
    return first;
}
static inline int bin_masks(BinList *l, const char *group, const char *prefix) {
    return bin_masks_from(l, group, prefix, 0);
}

// Adds a bin for each kind of lanes; the hit bin is stim_lanes_kind's. Returns the number of the
// first bin.
static inline int bin_lanes(BinList *l, const char *group) {
    static const char *const kinds[STIM_LANES] = {
        "all", "none", "one", "all-but-one", "low-run", "high-run", "alternating", "some"};
    return bin_words(l, group, kinds, STIM_LANES);
}

static inline int stim_ones(uint32_t mask) { return __builtin_popcount(mask & 15); }

// One lane of a slice-major row.
static inline uint32_t stim_lane(const uint32_t row[32], int lane) {
    const uint8_t *bytes = (const uint8_t *)row;
    return (uint32_t)bytes[lane] | (uint32_t)bytes[32 + lane] << 8 |
        (uint32_t)bytes[64 + lane] << 16 | (uint32_t)bytes[96 + lane] << 24;
}
static inline void stim_set_lane(uint32_t row[32], int lane, uint32_t value) {
    uint8_t *bytes = (uint8_t *)row;
    for (int s = 0; s < 4; s++) bytes[32 * s + lane] = (uint8_t)(value >> 8 * s);
}
// Every lane becomes the sign extension of its n low bytes.
static inline void stim_narrow(uint32_t row[32], int n) {
    for (int i = 0; i < 8 && n < 4; i++) {
        const uint32_t sign = (row[8 * (n - 1) + i] >> 7 & 0x01010101u) * 0xff;
        for (int s = n; s < 4; s++) row[8 * s + i] = sign;
    }
}
// All lanes the same value.
static inline void stim_uniform(uint32_t row[32], uint32_t value) {
    for (int s = 0; s < 4; s++) memset(row + 8 * s, (int)(value >> 8 * s & 0xff), 32);
}
// Bytes that a value needs.
static inline int stim_size(uint32_t value) {
    const uint32_t magnitude = value >> 31 ? ~value : value;
    return magnitude < 1u << 7 ? 1 : magnitude < 1u << 15 ? 2 : magnitude < 1u << 23 ? 3 : 4;
}

// Values on both sides of every change of size.
enum { STIM_EDGES = 14 };
static const uint32_t STIM_EDGE[STIM_EDGES] = {0,
                                               UINT32_MAX,
                                               127,
                                               128,
                                               (uint32_t)-128,
                                               (uint32_t)-129,
                                               32767,
                                               32768,
                                               (uint32_t)-32768,
                                               (uint32_t)-32769,
                                               8388607,
                                               8388608,
                                               (uint32_t)-8388608,
                                               (uint32_t)-8388609};

#endif
