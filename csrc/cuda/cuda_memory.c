// SPDX-License-Identifier: Apache-2.0
// Device memory, host memory that kernels see, copies and fills between them.
#include "cuda/cuda_runtime.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096 };

bool memory_is_device(const void *p) {
    const uint64_t addr = (uint64_t)(uintptr_t)p;
    if (addr < CUDA_DEVICE_BASE || addr >= CUDA_CONST_END || !runtime.reserved) return false;
    const Mirror *m = mirror_of(addr);
    return !m || m->host != (char *)(uintptr_t)m->device;
}

// ---- addresses of the device ----

cudaError_t address_take(size_t bytes, CudaAlloc kind, size_t align, uint64_t *at) {
    const CudaAsked asked = {.alloc = {.bytes = bytes, .kind = kind, .align = align}};
    CudaAnswered got;
    const cudaError_t error = call_simple(CUDA_OP_ALLOC, asked, &got);
    *at = got.alloc.address;
    return error;
}

cudaError_t address_give(uint64_t at) {
    return call_simple(CUDA_OP_FREE, (CudaAsked){.free.address = at}, NULL);
}

cudaError_t address_range(uint64_t at, uint64_t *begin, uint64_t *bytes) {
    CudaAnswered got;
    const cudaError_t error = call_simple(CUDA_OP_RANGE, (CudaAsked){.range.address = at}, &got);
    *begin = got.range.begin, *bytes = got.range.bytes;
    return error;
}

// ---- mirrors ----

Mirror *mirror_of(uint64_t addr) {
    runtime_lock();
    Mirror *m = runtime.mirrors;
    while (m && addr - m->device >= m->bytes) m = m->next;
    runtime_unlock();
    return m;
}

static Mirror *mirror_at_host(const void *p) {
    runtime_lock();
    Mirror *m = runtime.mirrors;
    while (m && (uintptr_t)p - (uintptr_t)m->host >= m->bytes) m = m->next;
    runtime_unlock();
    return m;
}

static Mirror *mirror_add(Mirror of) {
    Mirror *m = malloc(sizeof *m);
    if (!m) return NULL;
    *m = of;
    runtime_lock();
    m->next = runtime.mirrors;
    runtime.mirrors = m;
    runtime_unlock();
    return m;
}

static void pages_of(const Mirror *m, char **from, size_t *bytes) {
    const uint64_t begin = m->device / PAGE * PAGE,
                   end = (m->device + m->bytes + PAGE - 1) / PAGE * PAGE;
    *from = (char *)(uintptr_t)begin;
    *bytes = (size_t)(end - begin);
}

Mirror *mirror_new(uint64_t device, size_t bytes, int kind, bool mapped) {
    Mirror of = {.device = device,
                 .host = (char *)(uintptr_t)device,
                 .bytes = bytes,
                 .mapped = mapped,
                 .kind = kind};
    char *from;
    size_t n;
    pages_of(&of, &from, &n);
    if (!runtime.reserved || mprotect(from, n, PROT_READ | PROT_WRITE)) return NULL;
    return mirror_add(of);
}

static void mirror_drop(Mirror *m) {
    runtime_lock();
    for (Mirror **at = &runtime.mirrors; *at; at = &(*at)->next)
        if (*at == m) {
            *at = m->next;
            break;
        }
    runtime_unlock();
    if (m->host == (char *)(uintptr_t)m->device) {
        char *from;
        size_t n;
        pages_of(m, &from, &n);
        madvise(from, n, MADV_DONTNEED);
        mprotect(from, n, PROT_NONE);
    }
    free(m);
}

static cudaError_t allocate_mirrored(void **p, size_t bytes, int kind, bool mapped) {
    *p = NULL;
    if (!bytes) return CUDA_Success;
    uint64_t at;
    const cudaError_t error =
        address_take(bytes, mapped ? CUDA_ALLOC_DEVICE : CUDA_ALLOC_RESERVE, PAGE, &at);
    if (error) return error;
    const Mirror *m = mirror_new(at, bytes, kind, mapped);
    if (!m) return CUDA_MemoryAllocation;
    *p = m->host;
    return CUDA_Success;
}

static cudaError_t free_mirrored(void *p, int kind) {
    if (!p) return CUDA_Success;
    Mirror *m = mirror_of((uint64_t)(uintptr_t)p);
    if (!m || m->host != p || (int)m->kind != kind) return CUDA_InvalidValue;
    const cudaError_t error = address_give(m->device);
    mirror_drop(m);
    return error;
}

static cudaError_t map_mirror(Mirror *m) {
    if (m->mapped) return CUDA_Success;
    const cudaError_t error = call_simple(CUDA_OP_MAP, (CudaAsked){.map.address = m->device}, NULL);
    m->mapped = !error;
    return error;
}

// The kernel reads a signal set there before it refuses the unknown operation.
static bool page_is_readable(uintptr_t at) {
    enum { NO_OPERATION = -1, SET_BYTES = 8 };
    return !syscall(SYS_rt_sigprocmask, NO_OPERATION, at & ~(uintptr_t)(SET_BYTES - 1), NULL,
                    SET_BYTES) ||
        errno != EFAULT;
}

// The first byte of [at, at + bytes) that the program itself could not read; 0: there is none.
// *known: a page that it can read.
static uintptr_t find_unreadable(uintptr_t at, size_t bytes, uintptr_t *known) {
    const uintptr_t end = bytes > UINTPTR_MAX - at ? UINTPTR_MAX : at + bytes;
    const int before = errno;
    for (uintptr_t page = at / PAGE; at < end; page++, at = page * PAGE) {
        if (page != *known && !page_is_readable(at)) return errno = before, at ? at : 1;
        *known = page;
    }
    errno = before;
    return 0;
}

// Memory that the program registered and then unmapped; said once.
static bool is_gone(Mirror *m) {
    uintptr_t known = UINTPTR_MAX;
    if (m->kind != MIRROR_REGISTERED || m->gone ||
        !find_unreadable((uintptr_t)m->host, m->bytes, &known))
        return m->gone;
    runtime_warn("%zu bytes of host memory at %p were registered and have been unmapped: kernels "
                 "and the host do not share them",
                 m->bytes, (void *)m->host);
    return m->gone = true;
}

static CudaRows rows_of_mirror(const Mirror *m) {
    return (CudaRows){.at = m->device,
                      .width = m->bytes,
                      .height = 1,
                      .depth = 1,
                      .pitch = m->bytes,
                      .slice = m->bytes};
}

// A launch's parameters name the pinned memory that the kernel works on.
cudaError_t mirrors_to_device(const void *params, size_t bytes) {
    runtime_lock();
    cudaError_t error = CUDA_Success;
    for (size_t at = 0; at + 8 <= bytes && runtime.mirrors; at += 8) {
        uint64_t word;
        memcpy(&word, (const char *)params + at, sizeof word);
        Mirror *m = mirror_of(word);
        if (m && !error) error = map_mirror(m);
    }
    for (Mirror *m = runtime.mirrors; m && !error; m = m->next) {
        if (!m->mapped || is_gone(m)) continue;
        Call c = {
            .request = {.op = CUDA_OP_WRITE, .asked.write = rows_of_mirror(m), .bytes = m->bytes},
            .payload = m->host};
        error = call_server(&c);
        call_free(&c);
    }
    runtime_unlock();
    return error;
}

cudaError_t mirrors_to_host(void) {
    runtime_lock();
    cudaError_t error = CUDA_Success;
    for (Mirror *m = runtime.mirrors; m && !error; m = m->next) {
        if (!m->mapped || is_gone(m)) continue;
        Call c = {.request = {.op = CUDA_OP_READ, .asked.read = rows_of_mirror(m)}};
        error = call_server(&c);
        if (!error && c.reply.bytes == m->bytes) memcpy(m->host, c.answer, m->bytes);
        call_free(&c);
    }
    runtime_unlock();
    return error;
}

// ---- copies ----

static const char *const side_names[] = {"host memory", "device memory"};

// Does the side `p` fit what the direction of the copy says of it?
static bool side_fits(const char *call, const char *which, const void *p, bool wants_device) {
    const bool device = memory_is_device(p);
    if (device == wants_device || mirror_of((uint64_t)(uintptr_t)p) || mirror_at_host(p))
        return true;
    runtime_warn("%s: its %s %p is %s, but the direction of the copy says %s", call, which, p,
                 side_names[device], side_names[wants_device]);
    return false;
}

static bool kind_fits(const char *call, const Rows *r, int kind) {
    if (kind == COPY_DEFAULT) return true;
    return side_fits(call, "source", r->from, kind == COPY_FROM_DEVICE || kind == COPY_ON_DEVICE) &&
        side_fits(call, "destination", r->to, kind == COPY_TO_DEVICE || kind == COPY_ON_DEVICE);
}

// Rows that lie in `slice` and `pitch` packed into `packed`, or back.
static void pack_rows(char *packed, char *rows, const Rows *r, size_t pitch, size_t slice,
                      bool back) {
    for (size_t z = 0; z < r->depth; z++)
        for (size_t y = 0; y < r->height; y++, packed += r->width) {
            char *row = rows + z * slice + y * pitch;
            memcpy(back ? row : packed, back ? packed : row, r->width);
        }
}

static uintptr_t find_unreadable_row(const Rows *r) {
    uintptr_t known = UINTPTR_MAX, bad = 0;
    for (size_t z = 0; z < r->depth && !bad; z++)
        for (size_t y = 0; y < r->height && !bad; y++)
            bad = find_unreadable((uintptr_t)r->from + z * r->from_slice + y * r->from_pitch,
                                  r->width, &known);
    return bad;
}

static CudaRows rows_to(const Rows *r) {
    return (CudaRows){.at = (uint64_t)(uintptr_t)r->to,
                      .width = r->width,
                      .height = r->height,
                      .depth = r->depth,
                      .pitch = r->to_pitch,
                      .slice = r->to_slice};
}

static CudaRows rows_from(const Rows *r) {
    return (CudaRows){.at = (uint64_t)(uintptr_t)r->from,
                      .width = r->width,
                      .height = r->height,
                      .depth = r->depth,
                      .pitch = r->from_pitch,
                      .slice = r->from_slice};
}

// Errors of the device side are reported first. Otherwise the access faults here, as it would in a
// copy to the host.
static cudaError_t read_badly(const char *call, const Rows *r, uintptr_t bad) {
    const cudaError_t error = call_simple(CUDA_OP_CHECK, (CudaAsked){.check = rows_to(r)}, NULL);
    if (error || !bad) return error ? error : CUDA_InvalidValue;
    fprintf(stderr, "smcosim: %s: host memory at 0x%llx cannot be read\n", call,
            (unsigned long long)bad);
    (void)*(volatile const char *)bad;
    return CUDA_InvalidValue;
}

static cudaError_t rows_to_device(const char *call, const Rows *r) {
    size_t bytes;
    const bool fits = !__builtin_mul_overflow(r->width, r->height, &bytes) &&
        !__builtin_mul_overflow(bytes, r->depth, &bytes) && bytes <= CUDA_CONST_END;
    const uintptr_t bad = fits ? find_unreadable_row(r) : 0;
    if (!fits || bad) return read_badly(call, r, bad);
    char *packed = NULL;
    Call c = {.request = {.op = CUDA_OP_WRITE, .bytes = bytes, .asked.write = rows_to(r)},
              .payload = r->from};
    if (bytes != r->width) {
        if (!(packed = malloc(bytes))) return CUDA_MemoryAllocation;
        pack_rows(packed, (char *)(uintptr_t)r->from, r, r->from_pitch, r->from_slice, false);
        c.payload = packed;
    }
    const cudaError_t error = call_server(&c);
    call_free(&c);
    free(packed);
    return error;
}

static cudaError_t rows_from_device(const Rows *r) {
    Call c = {.request = {.op = CUDA_OP_READ, .asked.read = rows_from(r)}};
    const cudaError_t error = call_server(&c);
    if (!error && c.answer) pack_rows(c.answer, r->to, r, r->to_pitch, r->to_slice, true);
    call_free(&c);
    return error;
}

static cudaError_t rows_on_host(const Rows *r) {
    for (size_t z = 0; z < r->depth; z++)
        for (size_t y = 0; y < r->height; y++)
            memmove(r->to + z * r->to_slice + y * r->to_pitch,
                    r->from + z * r->from_slice + y * r->from_pitch, r->width);
    return CUDA_Success;
}

cudaError_t memory_rows(const char *call, const Rows *r, int kind) {
    if (kind < 0 || kind > COPY_DEFAULT) return CUDA_InvalidMemcpyDirection;
    if (runtime.sticky) return runtime.sticky;
    if (!r->width || !r->height || !r->depth) return CUDA_Success;
    if (!r->to || !r->from) return CUDA_InvalidValue;
    if (r->height > 1 && (r->to_pitch < r->width || r->from_pitch < r->width))
        return CUDA_InvalidPitchValue;
    device_info();  // connects
    modules_ready();
    if (!kind_fits(call, r, kind)) return CUDA_InvalidValue;
    const bool to = memory_is_device(r->to), from = memory_is_device(r->from);
    if (!to && !from) return rows_on_host(r);
    if (!from) return rows_to_device(call, r);
    if (!to) return rows_from_device(r);
    const CudaRows source = rows_from(r);
    const CudaAsked asked = {.copy = {.to = rows_to(r),
                                      .from = source.at,
                                      .from_pitch = source.pitch,
                                      .from_slice = source.slice}};
    return call_simple(CUDA_OP_COPY, asked, NULL);
}

cudaError_t memory_copy(const char *call, void *to, const void *from, size_t bytes, int kind) {
    const Rows r = rows_1d(to, from, bytes);
    return memory_rows(call, &r, kind);
}

cudaError_t memory_fill(const char *call, void *to, uint32_t value, int element, size_t width,
                        size_t height, size_t pitch) {
    if (runtime.sticky) return runtime.sticky;
    if (!width || !height) return CUDA_Success;
    device_info();
    const Mirror *m = mirror_of((uint64_t)(uintptr_t)to);
    if (!m && !memory_is_device(to)) {
        runtime_warn("%s: %p is host memory", call, to);
        return CUDA_InvalidValue;
    }
    if (m && m->host == (char *)(uintptr_t)m->device) {
        for (size_t y = 0; y < height; y++)
            for (size_t x = 0; x + (size_t)element <= width; x += (size_t)element)
                memcpy((char *)to + y * pitch + x, &value, (size_t)element);
        return CUDA_Success;
    }
    const CudaRows rows = {.at = (uint64_t)(uintptr_t)to,
                           .width = width,
                           .height = height,
                           .depth = 1,
                           .pitch = pitch,
                           .slice = pitch * height};
    const CudaAsked asked = {.fill = {.to = rows, .value = value, .unit = (uint64_t)element}};
    return call_simple(CUDA_OP_FILL, asked, NULL);
}

// ---- allocation ----

API cudaError_t cudaMalloc(void **p, size_t bytes) {
    if (!p) return set_error(CUDA_InvalidValue);
    *p = NULL;
    uint64_t at;
    const cudaError_t error = address_take(bytes, CUDA_ALLOC_DEVICE, 0, &at);
    if (!error && bytes) *p = (void *)(uintptr_t)at;
    return set_error(error);
}

API cudaError_t cudaFree(void *p) {
    cudaError_t error;
    if (graph_memory_free(p, &error)) return set_error(error);
    if (!p) return set_error(call_simple(CUDA_OP_SYNC, (CudaAsked){0}, NULL));
    if (mirror_of((uint64_t)(uintptr_t)p)) return set_error(free_mirrored(p, MIRROR_MANAGED));
    if (memory_opened(p)) return set_error(CUDA_InvalidValue);
    return set_error(address_give((uint64_t)(uintptr_t)p));
}

API cudaError_t cudaMallocAsync(void **p, size_t bytes, cudaStream_t stream) {
    if (p && stream_capture(stream)) return set_error(capture_alloc(stream, p, bytes));
    return cudaMalloc(p, bytes);
}
API cudaError_t cudaMallocFromPoolAsync(void **p, size_t bytes, void *pool, cudaStream_t stream) {
    return (void)pool, cudaMallocAsync(p, bytes, stream);
}
API cudaError_t cudaFreeAsync(void *p, cudaStream_t stream) {
    return stream_capture(stream) ? set_error(capture_free(stream, p)) : cudaFree(p);
}

enum { PITCH = 512 };

API cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height) {
    if (!p || !pitch) return set_error(CUDA_InvalidValue);
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    return cudaMalloc(p, *pitch * height);
}

typedef struct PitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
} PitchedPtr;
typedef struct Pos {
    size_t x, y, z;
} Pos;

API cudaError_t cudaMalloc3D(PitchedPtr *p, Extent e) {
    if (!p) return set_error(CUDA_InvalidValue);
    p->xsize = e.width, p->ysize = e.height;
    p->pitch = (e.width + PITCH - 1) / PITCH * PITCH;
    return cudaMalloc(&p->ptr, p->pitch * e.height * e.depth);
}

API cudaError_t cudaMallocManaged(void **p, size_t bytes, unsigned flags) {
    if (!p || !bytes || (flags & ~4u) > 2 || !flags) return set_error(CUDA_InvalidValue);
    return set_error(allocate_mirrored(p, bytes, MIRROR_MANAGED, true));
}

enum { HOST_MAPPED = 2 };

API cudaError_t cudaHostAlloc(void **p, size_t bytes, unsigned flags) {
    if (!p) return set_error(CUDA_InvalidValue);
    return set_error(allocate_mirrored(p, bytes, MIRROR_PINNED, flags & HOST_MAPPED));
}

API cudaError_t cudaMallocHost(void **p, size_t bytes) { return cudaHostAlloc(p, bytes, 0); }
API cudaError_t cudaFreeHost(void *p) { return set_error(free_mirrored(p, MIRROR_PINNED)); }

API cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned flags) {
    (void)flags;
    if (!p || !bytes) return set_error(CUDA_InvalidValue);
    if (mirror_at_host(p)) return set_error(CUDA_HostMemoryAlreadyRegistered);
    uintptr_t known = UINTPTR_MAX;
    if (find_unreadable((uintptr_t)p, bytes, &known)) {
        runtime_warn("cudaHostRegister: %zu bytes at %p are not all memory of the program", bytes,
                     p);
        return set_error(CUDA_InvalidValue);
    }
    uint64_t at;
    const cudaError_t error = address_take(bytes, CUDA_ALLOC_RESERVE, 0, &at);
    if (!error &&
        !mirror_add((Mirror){.device = at, .host = p, .bytes = bytes, .kind = MIRROR_REGISTERED}))
        return set_error(CUDA_MemoryAllocation);
    return set_error(error);
}

API cudaError_t cudaHostUnregister(void *p) {
    Mirror *m = mirror_at_host(p);
    if (!m || m->host != p || m->kind != MIRROR_REGISTERED)
        return set_error(CUDA_HostMemoryNotRegistered);
    const cudaError_t error = address_give(m->device);
    mirror_drop(m);
    return set_error(error);
}

API cudaError_t cudaHostGetDevicePointer(void **p, void *host, unsigned flags) {
    (void)flags;
    Mirror *m = mirror_at_host(host);
    if (!p || !m) return set_error(CUDA_InvalidValue);
    *p = (void *)(uintptr_t)(m->device + (uint64_t)((char *)host - m->host));
    return set_error(map_mirror(m));
}

API cudaError_t cudaHostGetFlags(unsigned *flags, void *p) {
    if (!flags || !mirror_at_host(p)) return set_error(CUDA_InvalidValue);
    *flags = HOST_MAPPED;
    return CUDA_Success;
}

API cudaError_t cudaMemGetInfo(size_t *left, size_t *all) {
    CudaAnswered got;
    const cudaError_t error = call_simple(CUDA_OP_MEMORY, (CudaAsked){0}, &got);
    if (!error && left) *left = (size_t)got.memory.left;
    if (!error && all) *all = (size_t)got.memory.all;
    return set_error(error);
}

typedef struct PointerAttributes {
    int type, device;
    void *on_device, *on_host;
} PointerAttributes;

API cudaError_t cudaPointerGetAttributes(PointerAttributes *a, const void *p) {
    if (!a) return set_error(CUDA_InvalidValue);
    *a = (PointerAttributes){.device = -2};
    const Mirror *m = mirror_of((uint64_t)(uintptr_t)p);
    if (!m) m = mirror_at_host(p);
    if (!m && !memory_is_device(p)) {
        a->on_host = (void *)(uintptr_t)p;
        return CUDA_Success;
    }
    a->device = 0;
    a->type = !m ? 2 : m->kind == MIRROR_MANAGED ? 3 : 1;
    a->on_device = (void *)(uintptr_t)p;
    if (m) {
        const bool on_device = (uint64_t)(uintptr_t)p - m->device < m->bytes;
        const size_t at = on_device ? (size_t)((uint64_t)(uintptr_t)p - m->device)
                                    : (size_t)((const char *)p - m->host);
        a->on_device = (void *)(uintptr_t)(m->device + at);
        a->on_host = m->host + at;
    }
    return CUDA_Success;
}

// ---- copies of the API ----

static cudaError_t rows_on(const char *call, cudaStream_t stream, const Rows *r, int kind) {
    return stream_capture(stream) ? capture_rows(stream, r, kind) : memory_rows(call, r, kind);
}
static cudaError_t fill_on(const char *call, cudaStream_t stream, void *to, int value, size_t width,
                           size_t height, size_t pitch) {
    if (stream_capture(stream))
        return capture_fill(stream, to, (uint8_t)value, 1, width, height, pitch);
    return memory_fill(call, to, (uint8_t)value, 1, width, height, pitch);
}

API cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, int kind) {
    return set_error(memory_copy("cudaMemcpy", to, from, bytes, kind));
}
API cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind,
                                cudaStream_t stream) {
    const Rows r = rows_1d(to, from, bytes);
    return set_error(rows_on("cudaMemcpyAsync", stream, &r, kind));
}
API cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                               size_t bytes) {
    if (to_device || from_device) return set_error(CUDA_InvalidDevice);
    return set_error(memory_copy("cudaMemcpyPeer", to, from, bytes, COPY_ON_DEVICE));
}
API cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                    size_t bytes, cudaStream_t stream) {
    return (void)stream, cudaMemcpyPeer(to, to_device, from, from_device, bytes);
}

static cudaError_t copy_2d_on(const char *call, cudaStream_t stream, void *to, size_t to_pitch,
                              const void *from, size_t from_pitch, size_t width, size_t height,
                              int kind) {
    const Rows r = {.to = to,
                    .from = from,
                    .width = width,
                    .height = height,
                    .depth = 1,
                    .to_pitch = to_pitch,
                    .to_slice = to_pitch * height,
                    .from_pitch = from_pitch,
                    .from_slice = from_pitch * height};
    return set_error(rows_on(call, stream, &r, kind));
}
static cudaError_t copy_2d(const char *call, void *to, size_t to_pitch, const void *from,
                           size_t from_pitch, size_t width, size_t height, int kind) {
    return copy_2d_on(call, NULL, to, to_pitch, from, from_pitch, width, height, kind);
}

API cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                             size_t width, size_t height, int kind) {
    return copy_2d("cudaMemcpy2D", to, to_pitch, from, from_pitch, width, height, kind);
}
API cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                  size_t width, size_t height, int kind, cudaStream_t stream) {
    return copy_2d_on("cudaMemcpy2DAsync", stream, to, to_pitch, from, from_pitch, width, height,
                      kind);
}

// ---- symbols ----

static cudaError_t symbol_part(const char *call, const void *symbol, size_t bytes, size_t offset,
                               char **at) {
    uint64_t addr;
    *at = NULL;
    size_t have;
    const cudaError_t error = variable_address(symbol, &addr, &have);
    if (error) return error;
    if (offset > have || bytes > have - offset) {
        runtime_warn("%s: %zu bytes at offset %zu, the variable has %zu bytes", call, bytes, offset,
                     have);
        return CUDA_InvalidValue;
    }
    *at = (char *)(uintptr_t)(addr + offset);
    return CUDA_Success;
}

API cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes,
                                   size_t offset, int kind) {
    char *at;
    const cudaError_t error = symbol_part("cudaMemcpyToSymbol", symbol, bytes, offset, &at);
    return set_error(error ? error : memory_copy("cudaMemcpyToSymbol", at, from, bytes, kind));
}
API cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                     int kind) {
    char *at;
    const cudaError_t error = symbol_part("cudaMemcpyFromSymbol", symbol, bytes, offset, &at);
    return set_error(error ? error : memory_copy("cudaMemcpyFromSymbol", to, at, bytes, kind));
}
API cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes,
                                        size_t offset, int kind, cudaStream_t stream) {
    char *at;
    const cudaError_t error = symbol_part("cudaMemcpyToSymbolAsync", symbol, bytes, offset, &at);
    const Rows r = rows_1d(at, from, bytes);
    return set_error(error ? error : rows_on("cudaMemcpyToSymbolAsync", stream, &r, kind));
}
API cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                          int kind, cudaStream_t stream) {
    char *at;
    const cudaError_t error = symbol_part("cudaMemcpyFromSymbolAsync", symbol, bytes, offset, &at);
    const Rows r = rows_1d(to, at, bytes);
    return set_error(error ? error : rows_on("cudaMemcpyFromSymbolAsync", stream, &r, kind));
}
API cudaError_t cudaGetSymbolAddress(void **p, const void *symbol) {
    uint64_t addr;
    size_t bytes;
    const cudaError_t error = variable_address(symbol, &addr, &bytes);
    if (!error) *p = (void *)(uintptr_t)addr;
    return set_error(error);
}
API cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol) {
    uint64_t addr;
    return set_error(variable_address(symbol, &addr, size));
}

// ---- fills ----

API cudaError_t cudaMemset(void *p, int value, size_t bytes) {
    return set_error(memory_fill("cudaMemset", p, (uint8_t)value, 1, bytes, 1, bytes));
}
API cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t stream) {
    return set_error(fill_on("cudaMemsetAsync", stream, p, value, bytes, 1, bytes));
}
API cudaError_t cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height) {
    return set_error(memory_fill("cudaMemset2D", p, (uint8_t)value, 1, width, height, pitch));
}
API cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width, size_t height,
                                  cudaStream_t stream) {
    return set_error(fill_on("cudaMemset2DAsync", stream, p, value, width, height, pitch));
}
API cudaError_t cudaMemset3D(PitchedPtr p, int value, Extent e) {
    return set_error(memory_fill("cudaMemset3D", p.ptr, (uint8_t)value, 1, e.width,
                                 e.depth > 1 ? p.ysize * (e.depth - 1) + e.height : e.height,
                                 p.pitch));
}
API cudaError_t cudaMemset3DAsync(PitchedPtr p, int value, Extent e, cudaStream_t stream) {
    return (void)stream, cudaMemset3D(p, value, e);
}

// ---- arrays: rows without gaps in device memory ----

static size_t rows_of(size_t n) { return n ? n : 1; }

static cudaError_t make_array(Array **made, const ChannelDesc *desc, Extent e, unsigned flags) {
    const size_t bits =
        desc ? (size_t)desc->x + (size_t)desc->y + (size_t)desc->z + (size_t)desc->w : 0;
    if (!made || !bits || bits % 8 || !e.width) return CUDA_InvalidValue;
    Array *a = malloc(sizeof *a);
    if (!a) return CUDA_MemoryAllocation;
    *a = (Array){.desc = *desc,
                 .width = e.width,
                 .height = e.height,
                 .depth = e.depth,
                 .element = bits / 8,
                 .flags = flags};
    void *at;
    const cudaError_t error =
        cudaMalloc(&at, e.width * a->element * rows_of(e.height) * rows_of(e.depth));
    a->at = at;
    *made = a;
    if (error) free(a);
    return error;
}

API ChannelDesc cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
    return (ChannelDesc){x, y, z, w, kind};
}

API cudaError_t cudaMallocArray(Array **made, const ChannelDesc *desc, size_t width, size_t height,
                                unsigned flags) {
    return set_error(make_array(made, desc, (Extent){width, height, 0}, flags));
}
API cudaError_t cudaMalloc3DArray(Array **made, const ChannelDesc *desc, Extent e, unsigned flags) {
    return set_error(make_array(made, desc, e, flags));
}
API cudaError_t cudaFreeArray(Array *a) {
    if (!a) return CUDA_Success;
    const cudaError_t error = cudaFree(a->at);
    free(a);
    return error;
}
API cudaError_t cudaArrayGetInfo(ChannelDesc *desc, Extent *e, unsigned *flags, Array *a) {
    if (!a) return set_error(CUDA_InvalidResourceHandle);
    if (desc) *desc = a->desc;
    if (e) *e = (Extent){a->width, a->height, a->depth};
    if (flags) *flags = a->flags;
    return CUDA_Success;
}
API cudaError_t cudaGetChannelDesc(ChannelDesc *desc, const Array *a) {
    if (!a || !desc) return set_error(CUDA_InvalidValue);
    *desc = a->desc;
    return CUDA_Success;
}

static bool in_array(const char *call, const Array *a, size_t x, size_t y, size_t width,
                     size_t height) {
    if (a && x + width <= a->width * a->element &&
        y + height <= rows_of(a->height) * rows_of(a->depth))
        return true;
    if (a)
        runtime_warn(
            "%s: %zu bytes in %zu rows from (%zu, %zu) on, the array has rows of %zu bytes", call,
            width, height, x, y, a->width * a->element);
    return false;
}

static char *array_at(const Array *a, size_t x, size_t y) {
    return a->at + y * a->width * a->element + x;
}

API cudaError_t cudaMemcpy2DToArray(Array *a, size_t x, size_t y, const void *from, size_t pitch,
                                    size_t width, size_t height, int kind) {
    if (!in_array("cudaMemcpy2DToArray", a, x, y, width, height))
        return set_error(CUDA_InvalidValue);
    return copy_2d("cudaMemcpy2DToArray", array_at(a, x, y), a->width * a->element, from, pitch,
                   width, height, kind);
}
API cudaError_t cudaMemcpy2DToArrayAsync(Array *a, size_t x, size_t y, const void *from,
                                         size_t pitch, size_t width, size_t height, int kind,
                                         cudaStream_t stream) {
    return (void)stream, cudaMemcpy2DToArray(a, x, y, from, pitch, width, height, kind);
}
API cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, const Array *a, size_t x, size_t y,
                                      size_t width, size_t height, int kind) {
    if (!in_array("cudaMemcpy2DFromArray", a, x, y, width, height))
        return set_error(CUDA_InvalidValue);
    return copy_2d("cudaMemcpy2DFromArray", to, pitch, array_at(a, x, y), a->width * a->element,
                   width, height, kind);
}
API cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, const Array *a, size_t x,
                                           size_t y, size_t width, size_t height, int kind,
                                           cudaStream_t stream) {
    return (void)stream, cudaMemcpy2DFromArray(to, pitch, a, x, y, width, height, kind);
}

static bool span_in_array(const char *call, const Array *a, size_t x, size_t y, size_t bytes) {
    if (!a) return false;
    const size_t row = a->width * a->element, all = row * rows_of(a->height) * rows_of(a->depth);
    if (x <= row && y * row + x <= all && bytes <= all - y * row - x) return true;
    runtime_warn("%s: %zu bytes from (%zu, %zu) on, the array has %zu bytes", call, bytes, x, y,
                 all);
    return false;
}

API cudaError_t cudaMemcpyToArray(Array *a, size_t x, size_t y, const void *from, size_t bytes,
                                  int kind) {
    if (!span_in_array("cudaMemcpyToArray", a, x, y, bytes)) return set_error(CUDA_InvalidValue);
    return set_error(memory_copy("cudaMemcpyToArray", array_at(a, x, y), from, bytes, kind));
}
API cudaError_t cudaMemcpyFromArray(void *to, const Array *a, size_t x, size_t y, size_t bytes,
                                    int kind) {
    if (!span_in_array("cudaMemcpyFromArray", a, x, y, bytes)) return set_error(CUDA_InvalidValue);
    return set_error(memory_copy("cudaMemcpyFromArray", to, array_at(a, x, y), bytes, kind));
}

typedef struct Copy3D {
    Array *from_array;
    Pos from_pos;
    PitchedPtr from;
    Array *to_array;
    Pos to_pos;
    PitchedPtr to;
    Extent extent;
    int kind;
} Copy3D;

// One side of a 3-D copy: its first byte, pitch and slice. Positions in arrays count elements.
static bool side_3d(const Array *a, PitchedPtr p, Pos pos, Extent bytes, char **at, size_t *pitch,
                    size_t *slice) {
    const size_t unit = a ? a->element : 1;
    if (a) p = (PitchedPtr){a->at, a->width * a->element, a->width, rows_of(a->height)};
    const bool fits = !a ||
        (pos.x * unit + bytes.width <= p.pitch && pos.y + bytes.height <= p.ysize &&
         pos.z + bytes.depth <= rows_of(a->depth));
    *pitch = p.pitch;
    *slice = p.pitch * p.ysize;
    *at = (char *)p.ptr + pos.z * *slice + pos.y * *pitch + pos.x * unit;
    if (!fits) runtime_warn("cudaMemcpy3D: the copy goes beyond the array");
    return fits;
}

cudaError_t memory_rows_3d(const void *copy, Rows *r, int *kind) {
    const Copy3D *c = copy;
    const Array *any = c->to_array ? c->to_array : c->from_array;
    *r = (Rows){.width = c->extent.width * (any ? any->element : 1),
                .height = c->extent.height,
                .depth = c->extent.depth};
    const Extent bytes = {r->width, r->height, r->depth};
    char *from;
    if (!side_3d(c->to_array, c->to, c->to_pos, bytes, &r->to, &r->to_pitch, &r->to_slice) ||
        !side_3d(c->from_array, c->from, c->from_pos, bytes, &from, &r->from_pitch, &r->from_slice))
        return CUDA_InvalidValue;
    r->from = from;
    *kind = c->kind;
    return CUDA_Success;
}

static cudaError_t copy_3d(const char *call, cudaStream_t stream, const Copy3D *c) {
    Rows r;
    int kind;
    const cudaError_t error = c ? memory_rows_3d(c, &r, &kind) : CUDA_InvalidValue;
    return set_error(error ? error : rows_on(call, stream, &r, kind));
}

API cudaError_t cudaMemcpy3D(const Copy3D *c) { return copy_3d("cudaMemcpy3D", NULL, c); }
API cudaError_t cudaMemcpy3DAsync(const Copy3D *c, cudaStream_t stream) {
    return copy_3d("cudaMemcpy3DAsync", stream, c);
}

// ---- hints: all memory is where it is used ----

API cudaError_t cudaMemAdvise(void) { return CUDA_Success; }
API cudaError_t cudaMemPrefetchAsync(void) { return CUDA_Success; }
API cudaError_t cudaStreamAttachMemAsync(void) { return CUDA_Success; }
