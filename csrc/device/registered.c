// SPDX-License-Identifier: Apache-2.0
// Modules that the program registered.
#include "device/context_parts.h"

#include "device/device_runtime.h"
#include "fatbin/fatbin.h"
#include "fatbin/link.h"

#include <string.h>

enum { LINK_ARCH = 90 };

// ---- the text ----

static const char *name_module(Context *c, int arch) {
    return arena_printf(c->arena, "%s:sm_%d.%d.ptx", c->run.name, arch, c->nmodules + 1);
}

// nvcc -rdc=true writes a unit into each container. If there are other units, those only for newer
// architectures are omitted, because they are CUDA libraries (cudadevrt) that the program may not
// use.
static void link_module(Context *c, ContextModule *m, const FatBinary *f, Diag *d) {
    const FatImage **images = ARENA_ARRAY(c->arena, const FatImage *, f->ncontainers + 1);
    LinkUnit *units = ARENA_ARRAY(c->arena, LinkUnit, f->ncontainers + 1);
    int n = 0, nunits = 0;
    bool usual = false;
    for (int i = 0; i < f->ncontainers; i++) {
        const FatImage *image = fatbin_ptx(f, i, c->run.name, &(Diag){0});
        if (image) images[n++] = image, usual |= image->arch <= LINK_ARCH;
    }
    for (int i = 0; i < n; i++) {
        if (usual && images[i]->arch > LINK_ARCH) continue;
        units[nunits++] = (LinkUnit){images[i]->text, images[i]->len};
        if (images[i]->arch > m->arch) m->arch = images[i]->arch;
    }
    if (nunits) m->text = link_ptx(c->arena, c->run.name, units, nunits, &m->len, d);
    else fatbin_ptx(f, -1, c->run.name, d);
    if (!m->text) m->error = nunits ? CUDA_InvalidPtx : CUDA_NoKernelImageForDevice;
}

int registered_add(Context *c, uint64_t kind, const uint8_t *bytes, size_t n, uint64_t *id) {
    ContextModule *m = ARENA_NEW(c->arena, ContextModule);
    Diag d = {0};
    FatBinary f = {0};
    m->arch = 0;
    if ((CudaCode)kind == CUDA_CODE_PTX) {
        m->text = arena_strndup(c->arena, (const char *)bytes, n);
        m->len = strlen(m->text);
    } else if (!fatbin_read(&f, c->arena, c->run.name, bytes, n, &d)) {
        m->error = CUDA_InvalidKernelImage;
    } else if ((CudaCode)kind == CUDA_CODE_LINK) {
        link_module(c, m, &f, &d);
    } else {
        const FatImage *image = fatbin_ptx(&f, -1, c->run.name, &d);
        if (image) m->text = image->text, m->len = image->len, m->arch = image->arch;
        else m->error = CUDA_NoKernelImageForDevice;
    }
    if (m->error) m->why = arena_strndup(c->arena, d.text, strlen(d.text));
    m->loaded.path = name_module(c, m->arch);
    *id = (uint64_t)c->nmodules;
    *ARENA_PUSH(c->arena, c->modules, c->nmodules, c->cap_modules) = m;
    return CUDA_Success;
}

void registered_unload(Context *c, uint64_t id) {
    if (id < (uint64_t)c->nmodules) c->modules[id]->gone = true;
}

int registered_arch(const Context *c) {
    int arch = 0;
    for (int i = 0; i < c->nmodules; i++)
        if (c->modules[i]->arch > arch) arch = c->modules[i]->arch;
    return arch;
}

// ---- modules that are used ----

// Special registers %envreg1 and %envreg2 hold the address of 8 bytes at which the CTAs of a
// cooperative launch synchronize. Here the address is the same for all launches of a module and is
// written into its text.
static bool place_grid(Context *c, ContextModule *m, Diag *d) {
    const char *at = strstr(m->text, "%envreg");
    if (!at) return true;
    const uint32_t addr = device_alloc(&c->run.memory, "grid", 8);
    if (!addr)
        return diag_fail(d, EXIT_USAGE, "%s: no device memory left for cooperative launches",
                         m->loaded.path);
    char *text, *to;
    to = text = arena_alloc(c->arena, m->len * 2 + 1);
    const char *from = m->text;
    for (; at; from = at + strlen("%envreg2"), at = strstr(from, "%envreg")) {
        memcpy(to, from, (size_t)(at - from));
        to += at - from;
        to += sprintf(to, "%u", at[strlen("%envreg")] == '2' ? addr : 0);
    }
    strcpy(to, from);
    m->text = text;
    m->len = strlen(text);
    return true;
}

// Adds bodies for the functions of the device runtime that the module calls.
static bool give_bodies(Context *c, ContextModule *m, Diag *d) {
    const char *text =
        device_runtime_bodies(c->arena, &c->run.memory, m->loaded.path, m->text, &c->queue, d);
    if (!text) return false;
    if (c->queue) c->run.unordered = c->queue;
    m->text = text;
    m->len = strlen(m->text);
    return true;
}

static void parse_module(Context *c, ContextModule *m, Diag *d) {
    LoadedModule *l = &m->loaded;
    l->module = ptx_parse(c->arena, l->path, m->text, m->len, d);
    if (!l->module || !layout_module(&l->layout, c->arena, l->module, &c->run.memory, d))
        m->error = CUDA_InvalidPtx;
}

int registered_ready(Context *c, uint64_t id, ContextModule **module) {
    if (id >= (uint64_t)c->nmodules || c->modules[id]->gone) return CUDA_InvalidResourceHandle;
    ContextModule *m = *module = c->modules[id];
    if (m->loaded.module && !m->error) return CUDA_Success;
    Diag d = {0};
    if (m->error) {
        diag_fail(&d, EXIT_USAGE, "%s", m->why);
    } else {
        if (give_bodies(c, m, &d) && place_grid(c, m, &d)) parse_module(c, m, &d);
        else m->error = CUDA_MemoryAllocation;
    }
    if (m->error && !m->told) context_judge(c, &d);
    m->told = true;
    return m->error;
}
