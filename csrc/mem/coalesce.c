// SPDX-License-Identifier: Apache-2.0
// Combines the lanes of one instruction into accesses.
#include "mem/mem_internal.h"

#include <string.h>

// Lanes that are handled together: a warp moves 128 bytes at once, so 8- and 16-byte lanes pass as
// half and quarter warps.
static int lanes_per_phase(uint32_t bytes) { return bytes <= 4 ? 32 : bytes == 8 ? 16 : 8; }

static Access *access_of(Access *list, int first, int *n, uint32_t line) {
    for (int i = *n - 1; i >= first; i--)
        if (list[i].line == line) return &list[i];
    list[*n] = (Access){.line = line, .serial = 1};
    return &list[(*n)++];
}

// Sectors of one access that are written completely.
static uint8_t full_sectors(const MemRequest *r, uint32_t lanes, uint32_t line_bytes) {
    uint32_t cover[4] = {0};  // one bit per byte of the line
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t at = r->addr[__builtin_ctz(rest)] & (line_bytes - 1);
        uint32_t bits = (r->bytes >= 32 ? 0 : (1u << r->bytes)) - 1;
        cover[at / 32] |= bits << at % 32;  // naturally aligned: never over a sector's end
    }
    uint8_t full = 0;
    for (int s = 0; s < 4; s++)
        if (cover[s] == UINT32_MAX) full |= (uint8_t)(1u << s);
    return full;
}

// The largest number of lanes that name one address.
static uint16_t most_on_one_address(const MemRequest *r, uint32_t lanes) {
    uint32_t most = 1, rest = lanes;
    while (rest) {
        uint32_t addr = r->addr[__builtin_ctz(rest)], same = 0;
        for (uint32_t k = rest; k; k &= k - 1)
            if (r->addr[__builtin_ctz(k)] == addr) same |= k & -k;
        rest &= ~same;
        uint32_t count = (uint32_t)__builtin_popcount(same);
        if (count > most) most = count;
    }
    return (uint16_t)most;
}

// Do all lanes access one whole line, word by word from its first word?
static bool is_whole_line(const MemRequest *r, uint32_t line_bytes) {
    uint32_t other =
        (r->addr[0] & (line_bytes - 1)) | ~r->active | (r->bytes ^ 4) | (line_bytes ^ 128);
    if (other) return false;
    for (uint32_t l = 0; l < 32; l++) other |= r->addr[l] ^ (r->addr[0] + 4 * l);
    return !other;
}

int coalesce_lines(const MemRequest *r, uint32_t line_bytes, Access out[MAX_ACCESSES]) {
    bool is_atomic = r->kind == MEM_ATOMIC || r->kind == MEM_RED;
    int phase = is_atomic ? 32 : lanes_per_phase(r->bytes);
    uint32_t shift = (uint32_t)__builtin_ctz(line_bytes);
    int n = 0;
    if (!is_atomic && is_whole_line(r, line_bytes)) {
        out[0] = (Access){.line = r->addr[0] >> shift,
                          .serial = 1,
                          .lanes = ~0u,
                          .touched = 0xf,
                          .full = r->kind == MEM_STORE ? 0xf : 0};
        return 1;
    }
    for (int start = 0; start < 32; start += phase) {
        int first = n;
        Access *a = NULL;
        for (int lane = start; lane < start + phase; lane++) {
            if (!(r->active >> lane & 1)) continue;
            const uint32_t line = r->addr[lane] >> shift;
            if (!a || a->line != line) a = access_of(out, first, &n, line);
            a->lanes |= 1u << lane;
            a->touched |= (uint8_t)(1u << ((r->addr[lane] & (line_bytes - 1)) / SECTOR_BYTES));
        }
    }
    for (int i = 0; i < n; i++) {
        if (r->kind == MEM_STORE) out[i].full = full_sectors(r, out[i].lanes, line_bytes);
        if (is_atomic) out[i].serial = most_on_one_address(r, out[i].lanes);
    }
    return n;
}

void coalesce_bytes(const MemRequest *r, Access *accesses, int n) {
    for (int i = 0; i < n; i++) {
        Access *a = &accesses[i];
        for (uint32_t rest = a->lanes; rest; rest &= rest - 1) {
            const uint32_t at = r->addr[__builtin_ctz(rest)] & 127;
            // aligned naturally, so it is in one half
            a->bytes[at / 64] |= ((1ull << r->bytes) - 1) << at % 64;
        }
    }
}

// Words of the lanes lie so close together that no two of them share a bank.
static bool within_a_row(const MemRequest *r, uint32_t lanes, uint32_t banks) {
    uint32_t least = UINT32_MAX, most = 0;
    if (lanes == ~0u) {
        for (int l = 0; l < 32; l++) {
            least = r->addr[l] < least ? r->addr[l] : least;
            most = r->addr[l] > most ? r->addr[l] : most;
        }
        return most / 4 + (r->bytes <= 4 ? 0 : r->bytes / 4 - 1) - least / 4 < banks;
    }
    for (int l = 0; l < 32; l++) {
        const uint32_t on = -(lanes >> l & 1), word = r->addr[l] / 4;
        const uint32_t low = word | ~on, high = word & on;
        least = low < least ? low : least;
        most = high > most ? high : most;
    }
    return most + (r->bytes <= 4 ? 0 : r->bytes / 4 - 1) - least < banks;
}

// The largest number of words (for atomics: of lanes) on one bank among the lanes of a phase. Lanes
// that read or write one word share an access (broadcast; one of several stores remains). Atomics
// on one word follow one another.
static int phase_degree(const MemRequest *r, uint32_t lanes, uint32_t banks) {
    uint32_t words[MAX_BANKS][MAX_ACCESSES];  // 32 lanes of one word, or fewer of several: 32 words
    uint8_t count[MAX_BANKS];
    int most = 1;
    uint32_t per_lane = r->bytes <= 4 ? 1 : r->bytes / 4;
    bool is_atomic = r->kind == MEM_SHARED_ATOMIC;
    if (!is_atomic && within_a_row(r, lanes, banks)) return 1;
    memset(count, 0, sizeof count);
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t first = r->addr[__builtin_ctz(rest)] / 4;
        for (uint32_t word = first; word < first + per_lane; word++) {
            uint32_t b = word & (banks - 1);
            int k = 0;
            while (k < count[b] && (is_atomic || words[b][k] != word)) k++;
            if (k < count[b]) continue;
            words[b][count[b]++] = word;
            if (count[b] > most) most = count[b];
        }
    }
    return most;
}

int coalesce_shared(const MemRequest *r, uint32_t banks, int *conflicts) {
    int phase = lanes_per_phase(r->bytes), cycles = 0, phases = 0;
    for (int start = 0; start < 32; start += phase) {
        uint32_t lanes = r->active & (uint32_t)(((uint64_t)1 << phase) - 1) << start;
        if (!lanes) continue;
        cycles += phase_degree(r, lanes, banks);
        phases++;
    }
    *conflicts = cycles - phases;
    return cycles ? cycles : 1;
}

int coalesce_const(const MemRequest *r, Access out[MAX_ACCESSES]) {
    int n = 0;
    for (uint32_t rest = r->active; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        access_of(out, 0, &n, r->addr[lane] / 4)->lanes |= 1u << lane;
    }
    return n;
}
