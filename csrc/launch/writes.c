// SPDX-License-Identifier: Apache-2.0
#include "launch/writes.h"

#include <string.h>

// The bytes of a word that are written.
typedef struct Word {
    uint32_t addr;
    uint32_t value;
    uint32_t mask;
    int32_t next;
} Word;

struct DeviceWrites {
    Word *words;
    int n, room;
    int32_t *chains;   // 1 + index of the first word
    uint32_t nchains;  // a power of two
};

DeviceWrites *device_writes_open(Arena *arena, int words) {
    DeviceWrites *w = ARENA_NEW(arena, DeviceWrites);
    w->room = words;
    w->words = ARENA_ARRAY(arena, Word, words);
    w->nchains = 1;
    while (w->nchains < 2 * (uint32_t)words) w->nchains *= 2;
    w->chains = ARENA_ARRAY(arena, int32_t, (int)w->nchains);
    return w;
}

bool device_writes_any(const DeviceWrites *w) { return w->n != 0; }

static int32_t *chain_of(const DeviceWrites *w, uint32_t addr) {
    return &w->chains[addr / 4 & (w->nchains - 1)];
}

static Word *find_word(const DeviceWrites *w, uint32_t addr) {
    for (int32_t i = *chain_of(w, addr); i; i = w->words[i - 1].next)
        if (w->words[i - 1].addr == addr) return &w->words[i - 1];
    return NULL;
}

static Word *make_word(DeviceWrites *w, uint32_t addr) {
    int32_t *chain = chain_of(w, addr);
    panic_if(w->n == w->room, "more than %d words are written at once", w->room);
    w->words[w->n] = (Word){.addr = addr, .next = *chain};
    *chain = w->n + 1;
    return &w->words[w->n++];
}

// Bits of a word in which `n` bytes at addr lie, as far as they are in it.
static uint32_t bits_of(uint32_t word, uint32_t addr, uint32_t n) {
    uint32_t bits = 0;
    for (uint32_t b = 0; b < 4; b++)
        if (word + b - addr < n) bits |= 0xffu << 8 * b;
    return bits;
}

static uint32_t word_of(uint32_t word, uint32_t addr, const uint8_t *bytes, uint32_t n) {
    uint32_t value = 0;
    for (uint32_t b = 0; b < 4; b++)
        if (word + b - addr < n) value |= (uint32_t)bytes[word + b - addr] << 8 * b;
    return value;
}

void device_write(DeviceWrites *w, uint32_t addr, const void *bytes, uint32_t n) {
    for (uint32_t at = addr & ~3u; at < addr + n; at += 4) {
        Word *word = find_word(w, at);
        if (!word) word = make_word(w, at);
        const uint32_t bits = bits_of(at, addr, n);
        word->value = (word->value & ~bits) | word_of(at, addr, bytes, n);
        word->mask |= bits;
    }
}

void device_written(const DeviceWrites *w, uint32_t addr, void *bytes, uint32_t n) {
    uint8_t *to = bytes;
    for (uint32_t at = addr & ~3u; at < addr + n; at += 4) {
        const Word *word = find_word(w, at);
        for (uint32_t b = 0; word && b < 4; b++)
            if (word->mask >> 8 * b & 1 && at + b - addr < n)
                to[at + b - addr] = (uint8_t)(word->value >> 8 * b);
    }
}

void device_writes_apply(const DeviceWrites *w, DeviceMemory *m) {
    for (int i = 0; i < w->n; i++) {
        const Word *word = &w->words[i];
        uint8_t *p = m->base + word->addr;
        for (uint32_t b = 0; b < 4; b++)
            if (word->mask >> 8 * b & 1) p[b] = (uint8_t)(word->value >> 8 * b);
    }
}

void device_writes_clear(DeviceWrites *w) {
    for (int i = 0; i < w->n; i++) *chain_of(w, w->words[i].addr) = 0;
    w->n = 0;
}
