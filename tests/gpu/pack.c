// SPDX-License-Identifier: Apache-2.0
#include "pack.h"

#include "base/hash.h"

#include <inttypes.h>
#include <string.h>

// ---- writing ----

static void payload(FILE *f, const void *bytes, size_t n) {
    if (n) fwrite(bytes, 1, n, f);
    fputc('\n', f);
}

void pack_job(FILE *f, const char *name) { fprintf(f, "job %s\n", name); }
void pack_header(FILE *f, const char *version, const char *target) {
    fprintf(f, "header %s %s\n", version, target);
}
void pack_module(FILE *f, const char *text, size_t n) {
    fprintf(f, "module %zu\n", n);
    payload(f, text, n);
}
void pack_buffer(FILE *f, uint64_t bytes, int filled, bool save, const void *init, size_t ninit) {
    fprintf(f, "buffer %" PRIu64 " %d %d %zu\n", bytes, filled, save, ninit);
    payload(f, init, ninit);
}
void pack_object(FILE *f, const char *kind) { fprintf(f, "object %s\n", kind); }
void pack_patch(FILE *f, uint64_t offset, int buffer, uint64_t plus) {
    fprintf(f, "patch %" PRIu64 " %d %" PRIu64 "\n", offset, buffer, plus);
}
void pack_launch(FILE *f, int module, const char *entry, const uint32_t grid[3],
                 const uint32_t block[3], uint32_t shared, const void *params, size_t n) {
    fprintf(f, "launch %d %s %u %u %u %u %u %u %u %zu\n", module, entry, grid[0], grid[1], grid[2],
            block[0], block[1], block[2], shared, n);
    payload(f, params, n);
}
void pack_end(FILE *f) { fprintf(f, "end\n"); }

// ---- results ----

typedef struct Reader {
    char *at, *end;
} Reader;

// The next line, in place; NULL: there is none.
static char *read_line(Reader *r) {
    char *line = r->at, *stop = line < r->end ? memchr(line, '\n', (size_t)(r->end - line)) : NULL;
    if (!stop) return NULL;
    *stop = 0;
    r->at = stop + 1;
    return line;
}

static bool read_bytes(Reader *r, struct PackBytes *b, size_t n) {
    if ((size_t)(r->end - r->at) < n + 1) return false;
    *b = (struct PackBytes){(const uint8_t *)r->at, n};
    r->at += n + 1;
    return true;
}

static bool read_job(Reader *r, PackResult *p) {
    for (char *line; (line = read_line(r));) {
        unsigned k;
        size_t n;
        if (!strcmp(line, "end")) return true;
        if (!strncmp(line, "header ", 7)) p->header = line + 7;
        else if (!strncmp(line, "fail ", 5)) p->fail = line + 5;
        else if (sscanf(line, "buffer %u %zu", &k, &n) == 2) {
            if (k >= PACK_BUFFERS || !read_bytes(r, &p->buffers[k], n)) return false;
        } else if (sscanf(line, "array 0 %zu", &n) == 1) {
            if (!read_bytes(r, &p->array, n)) return false;
        } else return false;
    }
    return false;
}

static int bucket(const PackResults *r, const char *name) {
    return (int)(hash_bytes(HASH_START, name, strlen(name)) % (unsigned)r->nbuckets);
}

bool pack_load(PackResults *r, Arena *arena, const char *path, Diag *d) {
    char *text;
    size_t n;
    *r = (PackResults){.nbuckets = 1 << 15};
    if (!file_read(arena, path, &text, &n, d)) return false;
    Reader from = {text, text + n};
    for (char *line; (line = read_line(&from));) {
        if (!strncmp(line, "device ", 7)) {
            r->device = line + 7;
            continue;
        }
        PackResult *p = ARENA_PUSH(arena, r->items, r->nitems, r->cap_items);
        *p = (PackResult){.name = line + 4};
        if (strncmp(line, "job ", 4) || !read_job(&from, p))
            return diag_fail(d, EXIT_USAGE, "%s: not the results of a pack, or cut off at byte %zu",
                             path, (size_t)(from.at - text));
    }
    r->buckets = ARENA_ARRAY(arena, int, r->nbuckets);
    for (int i = 0; i < r->nitems && r->nitems < r->nbuckets / 2; i++) {
        int b = bucket(r, r->items[i].name);
        while (r->buckets[b]) b = (b + 1) % r->nbuckets;
        r->buckets[b] = i + 1;
    }
    return r->nitems < r->nbuckets / 2 || diag_fail(d, EXIT_USAGE, "%s: too many jobs", path);
}

const PackResult *pack_find(const PackResults *r, const char *name) {
    for (int b = bucket(r, name); r->buckets[b]; b = (b + 1) % r->nbuckets)
        if (!strcmp(r->items[r->buckets[b] - 1].name, name)) return &r->items[r->buckets[b] - 1];
    return NULL;
}
