// SPDX-License-Identifier: Apache-2.0
// FNV-1a with 64 bits, which distinguishes texts and settings. It does not resist deliberate
// collisions.
#ifndef SMCOSIM_BASE_HASH_H
#define SMCOSIM_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START 0xcbf29ce484222325u

// Continues `hash` (HASH_START: empty) with n bytes.
static inline uint64_t hash_bytes(uint64_t hash, const void *data, size_t n) {
    for (const unsigned char *p = data; n--; p++) hash = (hash ^ *p) * 0x100000001b3u;
    return hash;
}

#endif
