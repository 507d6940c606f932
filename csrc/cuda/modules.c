// SPDX-License-Identifier: Apache-2.0
// Registration by nvcc's start-up code, one sequence per translation unit: fat binary, kernels,
// variables.
#include "cuda/cuda_runtime.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

#define WRAPPER_MAGIC 0x466243b1u
#define CONTAINER_MAGIC 0xba55ed50u
enum { CONTAINER_HEADER = 16 };

typedef struct Wrapper {  // of section .nvFatBinSegment
    uint32_t magic, version;
    const void *data;
    const void *const *parts;  // version 2: containers that are to be linked, NULL-terminated
} Wrapper;

// ---- the code ----

typedef struct Span {
    uintptr_t at, left;
} Span;

static int find_segment(struct dl_phdr_info *info, size_t size, void *ctx) {
    (void)size;
    Span *s = ctx;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        const uintptr_t begin = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD && s->at >= begin && s->at - begin < p->p_memsz) {
            s->left = p->p_memsz - (s->at - begin);
            return 1;
        }
    }
    return 0;
}

// Bytes of the container, as far as the loaded program goes: a damaged size leads nowhere else.
static size_t container_bytes(const void *data) {
    Span s = {.at = (uintptr_t)data, .left = SIZE_MAX};  // memory of its own (driver API): trusted
    uint32_t magic;
    uint64_t size;
    dl_iterate_phdr(find_segment, &s);
    if (s.left < CONTAINER_HEADER) return 0;
    memcpy(&magic, data, sizeof magic);
    memcpy(&size, (const char *)data + 8, sizeof size);
    if (magic != CONTAINER_MAGIC) return CONTAINER_HEADER;  // the server reports the fault
    return size > s.left - CONTAINER_HEADER ? s.left : (size_t)size + CONTAINER_HEADER;
}

// All containers of a wrapper, one behind the other.
static void *gather_containers(const Wrapper *w, size_t *bytes, CudaCode *kind) {
    const void *const none = NULL;
    const void *const *parts = w->version >= 2 && w->parts ? w->parts : &none;
    *kind = *parts ? CUDA_CODE_LINK : CUDA_CODE_FATBIN;
    *bytes = w->data ? container_bytes(w->data) : 0;
    for (const void *const *p = parts; *p; p++) *bytes += container_bytes(*p);
    char *all = malloc(*bytes + 1), *to = all;
    if (!all) return NULL;
    if (w->data) memcpy(to, w->data, container_bytes(w->data)), to += container_bytes(w->data);
    for (const void *const *p = parts; *p; p++) {
        memcpy(to, *p, container_bytes(*p));
        to += container_bytes(*p);
    }
    return all;
}

cudaError_t module_send(Module *m) {
    if (m->id >= 0) return CUDA_Success;
    Call c = {
        .request = {.op = CUDA_OP_MODULE, .asked.module.code = m->kind, .bytes = m->code_bytes},
        .payload = m->code};
    void *gathered = NULL;
    if (m->wrapper) {
        size_t bytes;
        CudaCode kind;
        gathered = gather_containers(m->wrapper, &bytes, &kind);
        if (!gathered) return CUDA_MemoryAllocation;
        c.payload = gathered;
        c.request.bytes = bytes;
        c.request.asked.module.code = kind;
    }
    const cudaError_t error = call_server(&c);
    if (!error) m->id = (int)c.reply.answered.module.module;
    call_free(&c);
    free(gathered);
    return error;
}

Module *module_new(const void *code, size_t bytes, CudaCode kind) {
    Module *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->id = -1;
    m->kind = kind;
    m->code = malloc(bytes + 1);
    if (!m->code) return free(m), NULL;
    memcpy(m->code, code, bytes);
    m->code_bytes = bytes;
    runtime_lock();
    m->next = runtime.modules;
    runtime.modules = m;
    runtime_unlock();
    return m;
}

// ---- kernels and variables ----

static Function *add_function(Module *m, const void *stub, const char *name) {
    Function *f = calloc(1, sizeof *f);
    if (!f) abort();
    *f = (Function){.stub = stub, .module = m, .name = name, .dynamic_shared = -1};
    runtime_lock();
    f->next = runtime.functions;
    runtime.functions = f;
    runtime_unlock();
    return f;
}

// By its stub, or by the handle that cudaGetKernel and the driver API give out.
Function *function_find(const void *stub) {
    runtime_lock();
    Function *f = runtime.functions;
    while (f && (!stub || (f->stub != stub && (const void *)f != stub))) f = f->next;
    runtime_unlock();
    return f;
}

cudaError_t function_know(Function *f) {
    if (f->known) return CUDA_Success;
    cudaError_t error = module_send(f->module);
    if (error) return error;
    Call c = {.request = {.op = CUDA_OP_FUNCTION,
                          .asked.function.module = (uint64_t)f->module->id,
                          .bytes = strlen(f->name)},
              .payload = f->name};
    error = call_server(&c);
    if (!error) {
        f->id = c.reply.answered.function.function;
        f->registers = c.reply.answered.function.registers;
        f->shared = c.reply.answered.function.shared;
        f->local = c.reply.answered.function.local;
        f->constant = c.reply.answered.function.constant;
        f->most_threads = c.reply.answered.function.most_threads;
        f->ptx = c.reply.answered.function.ptx;
        f->param_bytes = c.reply.answered.function.param_bytes;
        f->nparams = (int)(c.reply.bytes / 8);
        f->params = c.answer;
        c.answer = NULL;
        f->known = true;
    }
    call_free(&c);
    return error;
}

Function *function_named(Module *m, const char *name) {
    runtime_lock();
    Function *f = runtime.functions;
    while (f && (f->module != m || strcmp(f->name, name))) f = f->next;
    runtime_unlock();
    return f ? f : add_function(m, NULL, strdup(name));
}

cudaError_t variable_named(Module *m, const char *name, uint64_t *addr, size_t *bytes) {
    cudaError_t error = module_send(m);
    if (error) return error;
    Call c = {.request = {.op = CUDA_OP_VARIABLE,
                          .asked.variable.module = (uint64_t)m->id,
                          .bytes = strlen(name)},
              .payload = name};
    error = call_server(&c);
    if (!error)
        *addr = c.reply.answered.variable.address, *bytes = (size_t)c.reply.answered.variable.bytes;
    call_free(&c);
    return error;
}

cudaError_t variable_address(const void *shadow, uint64_t *addr, size_t *bytes) {
    runtime_lock();
    Variable *v = runtime.variables;
    while (v && v->shadow != shadow) v = v->next;
    cudaError_t error = v ? CUDA_Success : CUDA_InvalidSymbol;
    if (v && !v->addr) error = variable_named(v->module, v->name, &v->addr, &v->bytes);
    if (!error) *addr = v->addr, *bytes = v->bytes;
    runtime_unlock();
    return error;
}

// Host memory for a managed variable, at its device address and with its initial value.
static void manage_variable(Variable *v) {
    uint64_t addr;
    size_t bytes;
    if (variable_named(v->module, v->name, &addr, &bytes)) return;
    Mirror *m = mirror_new(addr, bytes, MIRROR_MANAGED, true);
    Call c = {.request = {.op = CUDA_OP_READ, .asked.read = {addr, bytes, 1, 1, bytes, bytes}}};
    if (m && !call_server(&c) && c.reply.bytes == bytes) memcpy(m->host, c.answer, bytes);
    call_free(&c);
    v->addr = addr;
    v->bytes = bytes;
    *v->managed = (void *)(uintptr_t)addr;
}

void modules_ready(void) {
    runtime_lock();
    for (Variable *v = runtime.variables; v; v = v->next)
        if (v->managed && !v->addr) manage_variable(v);
    runtime_unlock();
}

// ---- entry points of nvcc's start-up code ----

API void **__cudaRegisterFatBinary(void *wrapper) {
    Module *m = calloc(1, sizeof *m);
    if (!m) abort();
    m->wrapper = ((const Wrapper *)wrapper)->magic == WRAPPER_MAGIC ? wrapper : NULL;
    m->id = -1;
    runtime_lock();
    m->next = runtime.modules;
    runtime.modules = m;
    runtime_unlock();
    return (void **)m;
}

API void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }

API void __cudaUnregisterFatBinary(void **handle) { (void)handle; }  // the process ends

API void __cudaRegisterFunction(void **handle, const char *stub, char *device, const char *name,
                                int limit, void *tid, void *bid, void *block, void *grid,
                                int *warp_size) {
    (void)device, (void)limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp_size;
    add_function((Module *)handle, stub, name);
}

static Variable *add_variable(void **handle, const char *name, size_t bytes) {
    Variable *v = calloc(1, sizeof *v);
    if (!v) abort();
    *v = (Variable){.module = (Module *)handle, .name = name, .bytes = bytes};
    runtime_lock();
    v->next = runtime.variables;
    runtime.variables = v;
    runtime_unlock();
    return v;
}

API void __cudaRegisterVar(void **handle, char *shadow, char *device, const char *name, int ext,
                           size_t bytes, int constant, int global) {
    (void)device, (void)ext, (void)constant, (void)global;
    add_variable(handle, name, bytes)->shadow = shadow;
}

API void __cudaRegisterManagedVar(void **handle, void **pointer, char *device, const char *name,
                                  int ext, size_t bytes, int constant, int global) {
    (void)device, (void)ext, (void)constant, (void)global;
    Variable *v = add_variable(handle, name, bytes);
    v->shadow = pointer;
    v->managed = pointer;
}

API char __cudaInitModule(void **handle) {
    (void)handle;
    modules_ready();
    return 1;
}

API void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes) {
    (void)handle, (void)name, (void)host, (void)bytes;
}

API cudaError_t __cudaGetKernel(void **kernel, const void *stub) {
    Function *f = function_find(stub);
    if (!f) return set_error(CUDA_InvalidDeviceFunction);
    *kernel = f;
    return CUDA_Success;
}

API cudaError_t cudaGetKernel(void **kernel, const void *stub) {
    return __cudaGetKernel(kernel, stub);
}
API cudaError_t cudaGetFuncBySymbol(void **function, const void *stub) {
    return __cudaGetKernel(function, stub);
}
