// SPDX-License-Identifier: Apache-2.0
#include "fatbin/fatbin.h"

#include <inttypes.h>
#include <lz4.h>
#include <string.h>
#include <zstd.h>

enum { KIND_PTX = 1, KIND_SASS = 2, KIND_LTO = 8 };
enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };
enum { ENTRY_LEAST_BYTES = 64, OPTIONS_MOST = 4096, NEWEST_ARCH = 90 };
#define EXPANDED_MOST ((uint64_t)1 << 28)

typedef struct Reader {
    FatBinary *f;
    Arena *arena;
    const char *name;
    const uint8_t *bytes;
    size_t n;
    Diag *d;
} Reader;

static uint64_t read_word(const uint8_t *p, int bytes) {
    uint64_t v = 0;
    for (int i = bytes; i-- > 0;) v = v << 8 | p[i];
    return v;
}

typedef struct Entry {
    size_t at;  // of its header
    int kind, arch, major, minor;
    uint64_t header, payload, packed, expanded, flags;
    uint32_t options;
} Entry;

#define DAMAGED(r, at, format, ...) \
    diag_fail((r)->d, EXIT_USAGE, "%s: damaged fat binary at byte %zu: " format, (r)->name, \
              (size_t)(at), __VA_ARGS__)

// ---- payloads ----

static bool expand_lz4(const uint8_t *from, const Entry *e, char *to) {
    const int n = LZ4_decompress_safe((const char *)from, to, (int)e->packed, (int)e->expanded);
    return n >= 0 && (uint64_t)n == e->expanded;
}

static bool expand_zstd(const uint8_t *from, const Entry *e, char *to) {
    const size_t n = ZSTD_decompress(to, (size_t)e->expanded, from, (size_t)e->packed);
    return !ZSTD_isError(n) && n == e->expanded;
}

// The payload as text; NULL after a message.
static char *payload_text(Reader *r, const Entry *e, uint64_t *n) {
    const uint8_t *from = r->bytes + e->at + e->header;
    if (!(e->flags & (FLAG_LZ4 | FLAG_ZSTD))) {
        *n = e->payload;
        return arena_strndup(r->arena, (const char *)from, (size_t)*n);
    }
    const bool packed_ok = e->packed && e->packed <= e->payload && e->packed <= EXPANDED_MOST;
    if (!packed_ok || !e->expanded || e->expanded > EXPANDED_MOST) {
        DAMAGED(r, e->at,
                "%" PRIu64 " compressed bytes of %" PRIu64 " stored, %" PRIu64 " when expanded",
                e->packed, e->payload, e->expanded);
        return NULL;
    }
    char *to = arena_alloc(r->arena, (size_t)e->expanded + 1);
    const bool lz4 = e->flags & FLAG_LZ4;
    *n = e->expanded;
    if (lz4 ? expand_lz4(from, e, to) : expand_zstd(from, e, to)) return to;
    DAMAGED(r, e->at, "its %s data cannot be expanded to %" PRIu64 " bytes", lz4 ? "LZ4" : "zstd",
            e->expanded);
    return NULL;
}

// Options follow the header proper: u32 offset from the entry's begin, u32 length. Options that
// exceed the header are ignored.
static const char *options_of(Reader *r, const Entry *e) {
    if (!e->options || e->options + 8ull > e->header) return "";
    const uint8_t *p = r->bytes + e->at;
    const uint64_t at = read_word(p + e->options, 4), n = read_word(p + e->options + 4, 4);
    if (n > OPTIONS_MOST || at + n > e->header) return "";
    return arena_strndup(r->arena, (const char *)p + at, (size_t)n);
}

static bool add_ptx(Reader *r, const Entry *e) {
    uint64_t n = 0;
    char *text = payload_text(r, e, &n);
    if (!text) return false;
    while (n && *text == '\n') text++, n--;
    while (n && !text[n - 1]) n--;
    if (memchr(text, 0, (size_t)n))
        return DAMAGED(r, e->at, "%s", "its PTX has NUL characters in it");
    FatBinary *f = r->f;
    *ARENA_PUSH(r->arena, f->images, f->nimages, f->cap_images) =
        (FatImage){.container = f->ncontainers,
                   .arch = e->arch,
                   .major = e->major,
                   .minor = e->minor,
                   .text = text,
                   .len = (size_t)n,
                   .options = options_of(r, e)};
    return true;
}

// ---- entries and containers ----

// The entry at `at`, within `end`.
static bool read_entry(Reader *r, size_t at, size_t end, Entry *e) {
    const uint8_t *p = r->bytes + at;
    if (end - at < ENTRY_LEAST_BYTES)
        return DAMAGED(r, at, "%zu bytes left for the header of an entry", end - at);
    *e = (Entry){.at = at,
                 .kind = (int)read_word(p, 2),
                 .header = read_word(p + 4, 4),
                 .payload = read_word(p + 8, 8),
                 .packed = read_word(p + 16, 4),
                 .options = (uint32_t)read_word(p + 20, 4),
                 .minor = (int)read_word(p + 24, 2),
                 .major = (int)read_word(p + 26, 2),
                 .arch = (int)(read_word(p + 28, 4) & 0xffff),
                 .flags = read_word(p + 40, 8),
                 .expanded = read_word(p + 56, 8)};
    if (e->header < ENTRY_LEAST_BYTES || e->header > end - at)
        return DAMAGED(r, at, "an entry's header of %" PRIu64 " bytes, %zu are left", e->header,
                       end - at);
    if (e->payload > end - at - e->header)
        return DAMAGED(r, at, "an entry of %" PRIu64 " bytes, %zu are left", e->payload,
                       end - at - (size_t)e->header);
    return true;
}

static bool read_container(Reader *r, size_t at, size_t end) {
    while (at < end) {
        Entry e = {0};
        if (!read_entry(r, at, end, &e)) return false;
        if (e.kind == KIND_PTX && !add_ptx(r, &e)) return false;
        r->f->nsass += e.kind == KIND_SASS;
        r->f->nlto += e.kind == KIND_LTO;
        at += (size_t)(e.header + e.payload);
    }
    return true;
}

bool fatbin_read(FatBinary *f, Arena *arena, const char *name, const void *bytes, size_t n,
                 Diag *d) {
    Reader r = {.f = f, .arena = arena, .name = name, .bytes = bytes, .n = n, .d = d};
    *f = (FatBinary){0};
    for (size_t at = 0; at < n;) {
        const uint8_t *p = r.bytes + at;
        if (n - at < FATBIN_HEADER_BYTES)
            return DAMAGED(&r, at, "%zu bytes left for a container's header", n - at);
        if (read_word(p, 4) != FATBIN_MAGIC)
            return DAMAGED(&r, at, "a container begins with 0x%08x, found 0x%08x", FATBIN_MAGIC,
                           (unsigned)read_word(p, 4));
        const uint64_t version = read_word(p + 4, 2), header = read_word(p + 6, 2),
                       size = read_word(p + 8, 8);
        if (version != 1 || header < FATBIN_HEADER_BYTES || header > n - at)
            return DAMAGED(
                &r, at, "version %" PRIu64 " with a header of %" PRIu64 " bytes, expected 1 and %d",
                version, header, FATBIN_HEADER_BYTES);
        if (size > n - at - header)
            return DAMAGED(&r, at, "a container of %" PRIu64 " bytes, %zu are left", size,
                           n - at - (size_t)header);
        const size_t end = at + (size_t)(header + size);
        if (!read_container(&r, at + (size_t)header, end)) return false;
        f->ncontainers++;
        at = end;
    }
    return true;
}

const FatImage *fatbin_ptx(const FatBinary *f, int container, const char *name, Diag *d) {
    const FatImage *best = NULL;
    for (int i = 0; i < f->nimages; i++) {
        const FatImage *image = &f->images[i];
        if (container >= 0 && image->container != container) continue;
        const bool ok = image->arch <= NEWEST_ARCH, best_ok = best && best->arch <= NEWEST_ARCH;
        if (!best || (ok && !best_ok) ||
            (ok == best_ok && (ok ? image->arch > best->arch : image->arch < best->arch)))
            best = image;
    }
    if (best) return best;
    if (f->nsass || f->nlto)
        diag_fail(d, EXIT_USAGE,
                  "%s: contains no PTX, only %s: compile with -arch=compute_75 (or -gencode "
                  "arch=compute_75,code=compute_75)",
                  name, f->nsass ? "machine code of certain GPUs (SASS)" : "LTO code");
    else diag_fail(d, EXIT_USAGE, "%s: no code in it", name);
    return NULL;
}
