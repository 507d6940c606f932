// SPDX-License-Identifier: Apache-2.0
#include "device/capture.h"

#include "base/output.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool capture_probe(const char *dir, Diag *d) {
    struct stat st;
    if (!mkdir(dir, 0777)) return true;
    if (errno == EEXIST && !stat(dir, &st) && S_ISDIR(st.st_mode)) return true;
    return diag_fail(d, EXIT_ENVIRONMENT, "%s: %s", dir,
                     strerror(errno == EEXIST ? ENOTDIR : errno));
}

typedef struct Writer {
    const CaptureLaunch *l;
    Arena arena;
    const char *dir;
    FILE *out;
    const char *unordered;  // rows of `expect` that are comments
    Diag *d;
} Writer;

static bool is_module_variable(const PtxModule *m, const ModuleLayout *layout, uint32_t addr) {
    for (int i = 0; i < m->nvars; i++)
        if (m->vars[i].space == PTX_GLOBAL && layout->var_addr[i] == addr) return true;
    return false;
}

static const char *buffer_name(Writer *w, const DeviceAlloc *a) {
    char *name = arena_printf(&w->arena, "a%s", a->name[0] == '#' ? a->name + 1 : a->name);
    for (char *p = name; *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '_') *p = '_';
    return name;
}

// Is the allocation captured as a buffer? Yes unless it is a variable of the module or the heap.
static bool is_buffer(const Writer *w, const DeviceAlloc *a) {
    return a->bytes && !a->heap &&
        !is_module_variable(w->l->module->module, &w->l->module->layout, a->addr);
}

static size_t used_bytes(const uint8_t *p, size_t n) {
    while (n && !p[n - 1]) n--;
    return n;
}

static bool write_file(Writer *w, const char *name, const void *bytes, size_t n) {
    return output_text(arena_printf(&w->arena, "%s/%s", w->dir, name), bytes, n, w->d);
}

// ---- module variables ----

static const uint8_t *variable_bytes(const Writer *w, int i, const DeviceMemory *m) {
    const ModuleLayout *layout = &w->l->module->layout;
    const PtxVar *v = &w->l->module->module->vars[i];
    if (v->is_extern) return NULL;
    return v->space == PTX_CONST ? layout->const_image + layout->var_addr[i]
        : v->space == PTX_GLOBAL ? m->base + layout->var_addr[i]
                                 : NULL;
}

// Variables whose values differ from the initial values in the PTX. Variables that begin with
// addresses of others keep the values in the PTX.
static bool write_symbols(Writer *w) {
    const PtxModule *m = w->l->module->module;
    bool ok = true, any = false;
    for (int i = 0; i < m->nvars && ok; i++) {
        const PtxVar *v = &m->vars[i];
        const uint8_t *at = variable_bytes(w, i, w->l->before);
        if (!at || v->nrelocs || !v->bytes) continue;
        // by the PTX; else constants that the program filled
        const bool filled = v->init && v->init != at;
        const size_t n = filled ? (size_t)v->bytes : used_bytes(at, (size_t)v->bytes);
        if (filled ? !memcmp(v->init, at, n) : !n) continue;
        const char *file = arena_printf(&w->arena, "symbol%d.bin", i);
        fprintf(w->out, "%s  \"%s\": {init: %s}\n", any ? "" : "symbols:\n", v->name, file);
        any = true;
        ok = write_file(w, file, at, n);
    }
    return ok;
}

// ---- expected results ----

// Do the SM's memory and the oracle's differ in these bytes?
static bool is_unordered(const Writer *w, uint32_t addr, size_t bytes) {
    const DeviceMemory *sm = w->l->observed;
    return sm && memcmp(w->l->after->base + addr, sm->base + addr, bytes) != 0;
}

// A row of `expect`, or a comment for the end of the file. The first row is preceded by the key.
static void write_row(Writer *w, const char *of, const char *name, const char *file, bool unordered,
                      bool *any) {
    if (unordered) {
        w->unordered = arena_printf(&w->arena, "%s#  - {%s: \"%s\", file: %s, type: u8}\n",
                                    w->unordered, of, name, file);
        if (w->l->unordered) ++*w->l->unordered;
        return;
    }
    fprintf(w->out, "%s  - {%s: \"%s\", file: %s, type: u8}\n", *any ? "" : "expect:\n", of, name,
            file);
    *any = true;
}

// Writes expectations for the variables that the launch changed; *any: at least one was written.
static bool write_expected_symbols(Writer *w, bool *any) {
    const PtxModule *m = w->l->module->module;
    bool ok = true;
    for (int i = 0; i < m->nvars && ok; i++) {
        const PtxVar *v = &m->vars[i];
        if (v->space != PTX_GLOBAL || v->is_extern || v->nrelocs || !v->bytes) continue;
        const uint8_t *after = variable_bytes(w, i, w->l->after);
        const uint32_t addr = (uint32_t)w->l->module->layout.var_addr[i];
        if (!memcmp(after, variable_bytes(w, i, w->l->before), (size_t)v->bytes)) continue;
        const char *file = arena_printf(&w->arena, "symbol%d.out.bin", i);
        write_row(w, "symbol", v->name, file, is_unordered(w, addr, (size_t)v->bytes), any);
        ok = write_file(w, file, after, (size_t)v->bytes);
    }
    return ok;
}

// ---- the launch file ----

static const DeviceAlloc *pointed_to(Writer *w, uint64_t addr) {
    const DeviceAlloc *a = device_allocation(w->l->before, addr);
    return a && is_buffer(w, a) ? a : NULL;
}

static void write_arg(Writer *w, const PtxVar *p) {
    const uint8_t *at = w->l->launch->params + p->offset;
    uint64_t bits = 0;
    memcpy(&bits, at, p->bytes <= 8 ? (size_t)p->bytes : 0);
    const DeviceAlloc *a = p->bytes == 8 && !p->is_array ? pointed_to(w, bits) : NULL;
    if (a) {
        fprintf(w->out, "  - {type: ptr, buffer: %s, offset: %" PRIu64 "}\n", buffer_name(w, a),
                bits - a->addr);
    } else if (!p->is_array && ptx_type_is_int(p->type) && p->bytes <= 8) {
        fprintf(w->out, "  - {type: u%d, value: %" PRIu64 "}\n", (int)p->bytes * 8, bits);
    } else {
        fprintf(w->out, "  - {type: bytes, hex: \"");
        for (int64_t i = 0; i < p->bytes; i++) fprintf(w->out, "%02x", at[i]);
        fprintf(w->out, "\"}");
        float single;
        memcpy(&single, at, sizeof single);
        if (p->type == PTX_F32) fprintf(w->out, "  # %.9g", (double)single);
        fprintf(w->out, "\n");
    }
}

static bool write_buffer(Writer *w, const DeviceAlloc *a) {
    const uint8_t *at = w->l->before->base + a->addr;
    const size_t n = used_bytes(at, a->bytes);
    const char *name = buffer_name(w, a);
    if (!n) {
        fprintf(w->out, "  %s: {bytes: %u, at: 0x%x, init: zero}\n", name, a->bytes, a->addr);
        return true;
    }
    fprintf(w->out, "  %s: {bytes: %u, at: 0x%x, init: %s.bin}\n", name, a->bytes, a->addr, name);
    return write_file(w, arena_printf(&w->arena, "%s.bin", name), at, n);
}

static bool write_expected(Writer *w, const DeviceAlloc *a, bool *any) {
    const uint8_t *after = w->l->after->base + a->addr;
    if (!memcmp(after, w->l->before->base + a->addr, a->bytes)) return true;
    const char *file = arena_printf(&w->arena, "%s.out.bin", buffer_name(w, a));
    write_row(w, "buffer", buffer_name(w, a), file, is_unordered(w, a->addr, a->bytes), any);
    return write_file(w, file, after, a->bytes);
}

static bool write_launch(Writer *w) {
    const CaptureLaunch *l = w->l;
    const KernelLaunch *s = l->launch;
    const DeviceMemory *m = l->before;
    bool ok = true, any = false;
    fprintf(w->out, "# Launch %d of %s\n", l->number, l->name);
    fprintf(w->out, "ptx: kernel.ptx\nkernel: %s\ngrid: [%u, %u, %u]\nblock: [%u, %u, %u]\n",
            l->entry->name, s->grid[0], s->grid[1], s->grid[2], s->block[0], s->block[1],
            s->block[2]);
    fprintf(w->out, "shared_bytes: %u\nargs:%s\n", s->shared_bytes, l->entry->nparams ? "" : " []");
    for (int i = 0; i < l->entry->nparams; i++) write_arg(w, &l->entry->params[i]);
    for (int i = 0; i < m->nallocs && ok; i++) {
        if (!is_buffer(w, &m->allocs[i])) continue;
        if (!any) fprintf(w->out, "buffers:\n");
        any = true;
        ok = write_buffer(w, &m->allocs[i]);
    }
    ok = ok && write_symbols(w);
    any = false;
    for (int i = 0; i < m->nallocs && ok && l->after; i++)
        if (is_buffer(w, &m->allocs[i])) ok = write_expected(w, &m->allocs[i], &any);
    ok = ok && (!l->after || write_expected_symbols(w, &any));
    if (*w->unordered)
        fprintf(w->out, "# expect: results that depend on the order of threads\n%s", w->unordered);
    return ok;
}

const char *capture_folder(Arena *arena, const CaptureLaunch *l) {
    return arena_printf(arena, "%s/%03d-%.100s", l->dir, l->number, l->entry->name);
}

bool capture_write(const CaptureLaunch *l, Diag *d) {
    Writer w = {.l = l, .unordered = "", .d = d};
    char *text;
    size_t n;
    const SourceText *src = &l->module->module->src;
    w.dir = capture_folder(&w.arena, l);
    unlink(arena_printf(&w.arena, "%s/launch.yaml", w.dir));  // of an earlier run
    bool ok = capture_probe(l->dir, d) && capture_probe(w.dir, d) &&
        write_file(&w, "kernel.ptx", src->text, src->len);
    w.out = open_memstream(&text, &n);
    panic_if(!w.out, "out of memory");
    ok = ok && write_launch(&w);
    fclose(w.out);
    // last: a folder with a launch file is complete
    ok = ok && write_file(&w, "launch.yaml", text, n);
    free(text);
    arena_free(&w.arena);
    return ok;
}
