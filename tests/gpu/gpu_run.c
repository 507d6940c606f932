// SPDX-License-Identifier: Apache-2.0
// gpu_run PACK RESULTS [WORKERS [SECONDS]]: runs the jobs of a pack (pack.h) on a GPU through the
// CUDA driver API and writes the contents of their buffers. The API is opened when the program
// starts. A job that fails is written with its error, and the rest continue. A job that takes
// longer than SECONDS (default: 20) is ended with its process. WORKERS 0: all in this process,
// without limit.
#include <cuda.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_WORKERS = 64,
    MOST_MODULES = 8,
    MOST_BUFFERS = 64,
    MOST_PATCHES = 64,
    MOST_HEADERS = 8,
    LINE = 512
};

// ---- the driver ----

// clang-format off
#define CALLS(X) \
    X(cuInit, cuInit) X(cuDeviceGet, cuDeviceGet) X(cuDeviceGetName, cuDeviceGetName) \
    X(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain) X(cuCtxSetCurrent, cuCtxSetCurrent) \
    X(cuCtxSynchronize, cuCtxSynchronize) X(cuGetErrorName, cuGetErrorName) \
    X(cuDeviceGetAttribute, cuDeviceGetAttribute) X(cuDriverGetVersion, cuDriverGetVersion) \
    X(cuModuleLoadDataEx, cuModuleLoadDataEx) X(cuModuleUnload, cuModuleUnload) \
    X(cuModuleGetFunction, cuModuleGetFunction) X(cuModuleGetGlobal, cuModuleGetGlobal_v2) \
    X(cuFuncSetAttribute, cuFuncSetAttribute) X(cuMemAlloc, cuMemAlloc_v2) X(cuMemFree, cuMemFree_v2) \
    X(cuMemcpyHtoD, cuMemcpyHtoD_v2) X(cuMemcpyDtoH, cuMemcpyDtoH_v2) X(cuMemsetD8, cuMemsetD8_v2) \
    X(cuLaunchKernel, cuLaunchKernel) X(cuArray3DCreate, cuArray3DCreate_v2) X(cuArrayDestroy, cuArrayDestroy) \
    X(cuMemcpy3D, cuMemcpy3D_v2) X(cuTexObjectCreate, cuTexObjectCreate) X(cuTexObjectDestroy, cuTexObjectDestroy) \
    X(cuSurfObjectCreate, cuSurfObjectCreate) X(cuSurfObjectDestroy, cuSurfObjectDestroy)
// clang-format on

#undef cuModuleGetGlobal
#undef cuMemAlloc
#undef cuMemFree
#undef cuMemcpyHtoD
#undef cuMemcpyDtoH
#undef cuMemsetD8
#undef cuArray3DCreate
#undef cuMemcpy3D
#define DECLARE(call, symbol) __typeof__(symbol) *call;
static struct Driver { CALLS(DECLARE) } cu;

static void open_driver(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!library) fprintf(stderr, "%s\n", dlerror()), exit(1);
#define FIND(call, symbol) \
    *(void **)&cu.call = dlsym(library, #symbol); \
    if (!cu.call) fprintf(stderr, "libcuda.so.1 has no %s\n", #symbol), exit(1);
    CALLS(FIND)
}

// ---- the pack ----

typedef struct Bytes {
    const char *at;
    size_t n;
} Bytes;

static char *copy_text(Bytes b) {
    char *s = malloc(b.n + 1);
    memcpy(s, b.at, b.n);
    s[b.n] = 0;
    return s;
}

typedef struct Reader {
    const char *at, *end;
} Reader;

static void read_line(Reader *r, char line[LINE]) {
    const char *stop = memchr(r->at, '\n', (size_t)(r->end - r->at));
    if (!stop || stop - r->at >= LINE) fprintf(stderr, "the pack is damaged\n"), exit(1);
    memcpy(line, r->at, (size_t)(stop - r->at));
    line[stop - r->at] = 0;
    r->at = stop + 1;
}

static Bytes read_bytes(Reader *r, size_t n) {
    if ((size_t)(r->end - r->at) < n + 1) fprintf(stderr, "the pack is damaged\n"), exit(1);
    Bytes b = {r->at, n};
    r->at += n + 1;
    return b;
}

// ---- a job's results ----

typedef struct Text {
    char *buf;
    size_t used, cap;
} Text;

static void put_bytes(Text *t, const void *bytes, size_t n) {
    if (t->used + n > t->cap) t->buf = realloc(t->buf, t->cap = 2 * (t->used + n));
    memcpy(t->buf + t->used, bytes, n);
    t->used += n;
}
static void put(Text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(Text *t, const char *format, ...) {
    char line[2 * LINE];
    va_list ap;
    va_start(ap, format);
    const int n = vsnprintf(line, sizeof line, format, ap);
    va_end(ap);
    put_bytes(t, line, n < (int)sizeof line ? (size_t)n : sizeof line - 1);
}

// ---- one job ----

typedef struct Object {
    CUarray array;
    CUtexObject texture;
    CUsurfObject surface;
    size_t row, rows, planes;  // of the array, bytes and counts
    bool save;
} Object;

typedef struct Job {
    char headers[MOST_HEADERS][LINE], name[LINE];
    int nheaders, nmodules, nbuffers, npatches;
    Bytes texts[MOST_MODULES];
    CUmodule modules[MOST_MODULES];
    CUdeviceptr buffers[MOST_BUFFERS];
    size_t bytes[MOST_BUFFERS];
    bool save[MOST_BUFFERS];
    struct {
        size_t offset, plus;
        int buffer;
    } patches[MOST_PATCHES];
    Object object;
    bool failed, broken;  // broken: the context is of no more use
    Text out;
} Job;

static void fail(Job *j, const char *stage, CUresult r, const char *text) {
    const char *name = NULL;
    if (j->failed) return;
    if (r) cu.cuGetErrorName(r, &name);
    char clean[LINE];
    snprintf(clean, sizeof clean, "%s", text);
    for (char *s = clean; *s; s++)
        if (*s == '\n') *s = s[1] ? ';' : 0;
    put(&j->out, "fail %s %s %.300s\n", stage, name ? name : "-", clean);
    j->failed = true;
    j->broken = !strcmp(stage, "run");
}
// Did the call succeed, and is the job still whole?
static bool did(Job *j, const char *stage, CUresult r) {
    if (r) fail(j, stage, r, "");
    return !j->failed;
}

static bool load_one(Job *j, int k, const char *header, char *log, size_t size) {
    char *body = copy_text(j->texts[k]), *text = NULL;
    if (asprintf(&text, "%s%s", header, body) < 0) exit(1);
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)size};
    log[0] = 0;
    const CUresult r = cu.cuModuleLoadDataEx(&j->modules[k], text, 2, options, values);
    free(text);
    free(body);
    return !r;
}

// With the first header that the driver takes; without headers as they are.
static bool load_modules(Job *j) {
    static char log[4096], first[4096];
    if (j->failed) return false;
    for (int h = 0; h < (j->nheaders ? j->nheaders : 1); h++) {
        char header[LINE] = "", version[LINE / 4], target[LINE / 4];
        if (j->nheaders && sscanf(j->headers[h], "%127s %127s", version, target) == 2)
            snprintf(header, sizeof header, ".version %s\n.target %s\n.address_size 64\n", version,
                     target);
        int k = 0;
        while (k < j->nmodules && load_one(j, k, header, log, sizeof log)) k++;
        if (k == j->nmodules) {
            if (j->nheaders) put(&j->out, "header %s\n", j->headers[h]);
            return true;
        }
        while (k-- > 0) cu.cuModuleUnload(j->modules[k]), j->modules[k] = NULL;
        if (!h) memcpy(first, log, sizeof first);
    }
    fail(j, "load", CUDA_ERROR_INVALID_PTX, first);
    return false;
}

// Like TextureRecord (csrc/isa/texture.h), which module variable `record` is.
typedef struct Record {
    uint32_t magic, row;  // row: of a surface
    uint64_t addr;
    uint32_t width, height, depth, pitch, slice;
    uint8_t kind, bits, channels, geometry, wrap[3], linear, normalized, scaled, memory, pad;
    float border[4];
} Record;
enum { G1D, G2D, G3D, A1D, A2D };

static CUarray_format format_of(const Record *t) {
    if (t->kind == 2) return t->bits == 16 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
    if (t->kind == 1)
        return t->bits == 8 ? CU_AD_FORMAT_UNSIGNED_INT8
            : t->bits == 16 ? CU_AD_FORMAT_UNSIGNED_INT16
                            : CU_AD_FORMAT_UNSIGNED_INT32;
    return t->bits == 8 ? CU_AD_FORMAT_SIGNED_INT8
        : t->bits == 16 ? CU_AD_FORMAT_SIGNED_INT16
                        : CU_AD_FORMAT_SIGNED_INT32;
}

static bool copy_array(Job *j, Object *o, void *host, bool to_array) {
    CUDA_MEMCPY3D c = {.WidthInBytes = o->row, .Height = o->rows, .Depth = o->planes};
    if (to_array) {
        c.srcMemoryType = CU_MEMORYTYPE_HOST, c.srcHost = host, c.srcPitch = o->row,
        c.srcHeight = o->rows;
        c.dstMemoryType = CU_MEMORYTYPE_ARRAY, c.dstArray = o->array;
    } else {
        c.dstMemoryType = CU_MEMORYTYPE_HOST, c.dstHost = host, c.dstPitch = o->row,
        c.dstHeight = o->rows;
        c.srcMemoryType = CU_MEMORYTYPE_ARRAY, c.srcArray = o->array;
    }
    return did(j, "object", cu.cuMemcpy3D(&c));
}

static bool make_array(Job *j, Object *o, const Record *t, const char *kind) {
    const bool cube = !strcmp(kind, "cube"), acube = !strcmp(kind, "acube"),
               surface = !strncmp(kind, "surf", 4);
    const int g = t->geometry;
    const size_t texel = (size_t)t->bits / 8 * t->channels;
    o->row = surface ? t->row : t->width * texel;
    o->rows = t->height;
    o->planes = cube ? 6 : t->depth;
    CUDA_ARRAY3D_DESCRIPTOR d = {.Width = o->row / texel,
                                 .Height = g == G1D || g == A1D ? 0 : t->height,
                                 .Depth = g == G3D || g >= A1D ? o->planes : 0,
                                 .NumChannels = t->channels,
                                 .Format = surface ? CU_AD_FORMAT_UNSIGNED_INT32 : format_of(t)};
    if (g >= A1D && !cube) d.Flags |= CUDA_ARRAY3D_LAYERED;
    if (cube || acube) d.Flags |= CUDA_ARRAY3D_CUBEMAP;
    if (surface) d.Flags |= CUDA_ARRAY3D_SURFACE_LDST;
    if (!did(j, "object", cu.cuArray3DCreate(&o->array, &d))) return false;
    const size_t all = o->row * o->rows * o->planes;
    char *host = malloc(all);
    const bool ok =
        did(j, "object", cu.cuMemcpyDtoH(host, t->addr, all)) && copy_array(j, o, host, true);
    free(host);
    return ok;
}

static bool make_texture(Job *j, Object *o, const Record *t) {
    CUDA_RESOURCE_DESC r = {0};
    CUDA_TEXTURE_DESC d = {.filterMode =
                               t->linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT};
    if (t->memory) {
        r.resType = CU_RESOURCE_TYPE_LINEAR;
        r.res.linear.devPtr = t->addr;
        r.res.linear.format = format_of(t);
        r.res.linear.numChannels = t->channels;
        r.res.linear.sizeInBytes = (size_t)t->width * t->bits / 8 * t->channels;
    } else {
        r.resType = CU_RESOURCE_TYPE_ARRAY;
        r.res.array.hArray = o->array;
    }
    for (int k = 0; k < 3; k++) d.addressMode[k] = (CUaddress_mode)t->wrap[k];
    if (t->normalized) d.flags |= CU_TRSF_NORMALIZED_COORDINATES;
    if (t->kind != 2 && !t->scaled) d.flags |= CU_TRSF_READ_AS_INTEGER;
    memcpy(d.borderColor, t->border, sizeof d.borderColor);
    return did(j, "object", cu.cuTexObjectCreate(&o->texture, &r, &d, NULL));
}

static bool make_object(Job *j, const char *kind) {
    CUdeviceptr at;
    size_t n;
    Record t;
    Object *o = &j->object;
    if (j->failed || !did(j, "object", cu.cuModuleGetGlobal(&at, &n, j->modules[0], "record")) ||
        !did(j, "object", cu.cuMemcpyDtoH(&t, at, sizeof t)) ||
        (!t.memory && !make_array(j, o, &t, kind)))
        return false;
    if (!strncmp(kind, "surf", 4)) {
        CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY};
        r.res.array.hArray = o->array;
        o->save = !strcmp(kind, "surfsave");
        if (!did(j, "object", cu.cuSurfObjectCreate(&o->surface, &r))) return false;
    } else if (!make_texture(j, o, &t)) {
        return false;
    }
    const uint64_t handle = o->surface ? o->surface : o->texture;
    return did(j, "object", cu.cuMemcpyHtoD(at, &handle, sizeof handle));
}

static void add_buffer(Job *j, Reader *r, const char *line) {
    size_t bytes, ninit;
    int filled, save;
    if (sscanf(line, "buffer %zu %d %d %zu", &bytes, &filled, &save, &ninit) != 4)
        fail(j, "pack", 0, line);
    const Bytes b = read_bytes(r, ninit);
    if (j->failed) return;
    const int k = j->nbuffers++;
    j->bytes[k] = bytes;
    j->save[k] = save;
    if (did(j, "memory", cu.cuMemAlloc(&j->buffers[k], bytes + 256)) &&
        did(j, "memory", cu.cuMemsetD8(j->buffers[k], (unsigned char)filled, bytes)) && b.n)
        did(j, "memory", cu.cuMemcpyHtoD(j->buffers[k], b.at, b.n));
}

static void launch(Job *j, Reader *r, const char *line) {
    unsigned module, g[3], b[3], shared;
    char entry[LINE];
    size_t n;
    CUfunction f;
    if (sscanf(line, "launch %u %511s %u %u %u %u %u %u %u %zu", &module, entry, &g[0], &g[1],
               &g[2], &b[0], &b[1], &b[2], &shared, &n) != 10)
        fail(j, "pack", 0, line);
    const Bytes from = read_bytes(r, n);
    char *params = copy_text(from);
    for (int i = 0; i < j->npatches; i++) {
        const CUdeviceptr p = j->buffers[j->patches[i].buffer] + j->patches[i].plus;
        memcpy(params + j->patches[i].offset, &p, sizeof p);
    }
    j->npatches = 0;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, params, CU_LAUNCH_PARAM_BUFFER_SIZE, &n,
                     CU_LAUNCH_PARAM_END};
    if (!j->failed && did(j, "function", cu.cuModuleGetFunction(&f, j->modules[module], entry)) &&
        (shared <= 48 << 10 ||
         did(j, "function",
             cu.cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                   (int)shared))) &&
        did(j, "launch",
            cu.cuLaunchKernel(f, g[0], g[1], g[2], b[0], b[1], b[2], shared, NULL, NULL, extra)))
        did(j, "run", cu.cuCtxSynchronize());
    free(params);
}

static void save_bytes(Job *j, const char *what, int k, void *host, size_t n) {
    put(&j->out, "%s %d %zu\n", what, k, n);
    put_bytes(&j->out, host, n);
    put(&j->out, "\n");
}

static void save_buffers(Job *j) {
    for (int k = 0; k < j->nbuffers && !j->failed; k++) {
        if (!j->save[k]) continue;
        char *host = malloc(j->bytes[k] + 1);
        if (did(j, "memory", cu.cuMemcpyDtoH(host, j->buffers[k], j->bytes[k])))
            save_bytes(j, "buffer", k, host, j->bytes[k]);
        free(host);
    }
    const Object *o = &j->object;
    if (j->failed || !o->save) return;
    char *host = malloc(o->row * o->rows * o->planes);
    if (copy_array(j, &j->object, host, false))
        save_bytes(j, "array", 0, host, o->row * o->rows * o->planes);
    free(host);
}

static void release(Job *j) {
    if (j->object.texture) cu.cuTexObjectDestroy(j->object.texture);
    if (j->object.surface) cu.cuSurfObjectDestroy(j->object.surface);
    if (j->object.array) cu.cuArrayDestroy(j->object.array);
    for (int k = 0; k < j->nbuffers; k++)
        if (j->buffers[k]) cu.cuMemFree(j->buffers[k]);
    for (int k = 0; k < j->nmodules; k++)
        if (j->modules[k]) cu.cuModuleUnload(j->modules[k]);
}

// Runs the job at the reader's position. Its results are in j->out.
static void run_job(Job *j, Reader *r) {
    char line[LINE], kind[LINE];
    Reader again = {0};
    int repeat_buffer = 0, passes = 0, most = 0;
    size_t repeat_offset = 0, n;
    read_line(r, line);
    snprintf(j->name, sizeof j->name, "%s", line + 4);
    put(&j->out, "job %s\n", j->name);
    for (bool loaded = false;;) {
        read_line(r, line);
        if (!strcmp(line, "end")) break;
        if (sscanf(line, "module %zu", &n) == 1) {
            j->texts[j->nmodules++] = read_bytes(r, n);
            continue;
        }
        if (!strncmp(line, "header ", 7)) {
            snprintf(j->headers[j->nheaders++], LINE, "%s", line + 7);
            continue;
        }
        if (!loaded) loaded = true, load_modules(j);
        if (!strncmp(line, "buffer ", 7)) add_buffer(j, r, line);
        else if (sscanf(line, "object %511s", kind) == 1) make_object(j, kind);
        else if (!strncmp(line, "launch ", 7)) launch(j, r, line);
        else if (!strncmp(line, "patch ", 6)) {
            size_t offset, plus;
            int buffer;
            if (sscanf(line, "patch %zu %d %zu", &offset, &buffer, &plus) != 3)
                fail(j, "pack", 0, line);
            else if (j->npatches < MOST_PATCHES) {
                j->patches[j->npatches].offset = offset, j->patches[j->npatches].plus = plus;
                j->patches[j->npatches++].buffer = buffer;
            }
        } else if (sscanf(line, "repeat %d %zu %d", &repeat_buffer, &repeat_offset, &most) == 3) {
            again = *r;
            passes = 0;
            if (!j->failed)
                did(j, "memory", cu.cuMemsetD8(j->buffers[repeat_buffer] + repeat_offset, 0, 4));
        } else if (!strcmp(line, "until")) {
            uint32_t word = 0;
            if (!j->failed)
                did(j, "memory",
                    cu.cuMemcpyDtoH(&word, j->buffers[repeat_buffer] + repeat_offset, 4));
            if (j->failed || !word) continue;
            if (++passes >= most) {
                fail(j, "repeat", 0, "too many passes");
                continue;
            }
            did(j, "memory", cu.cuMemsetD8(j->buffers[repeat_buffer] + repeat_offset, 0, 4));
            *r = again;
        } else fail(j, "pack", 0, line);
    }
    save_buffers(j);
    put(&j->out, "end\n");
    if (!j->broken) release(j);
}

// ---- processes ----

typedef struct Slot {
    volatile int job;  // -1: none
    volatile double since;
    pid_t pid;
} Slot;
typedef struct Shared {
    int next;  // job
    Slot slots[MOST_WORKERS];
} Shared;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void write_all(int fd, const char *bytes, size_t n) {
    while (n) {
        const ssize_t w = write(fd, bytes, n);
        if (w <= 0) perror("write"), exit(1);
        bytes += w;
        n -= (size_t)w;
    }
}

static void make_context(void) {
    CUdevice device;
    CUcontext context;
    open_driver();
    if (cu.cuInit(0) || cu.cuDeviceGet(&device, 0) ||
        cu.cuDevicePrimaryCtxRetain(&context, device) || cu.cuCtxSetCurrent(context))
        fprintf(stderr, "no context\n"), exit(1);
}

// Each process has a file of its own until the end.
static int worker_file(const char *results, int w, int flags) {
    char *path = NULL;
    if (asprintf(&path, "%s.%d", results, w) < 0) exit(1);
    const int fd = open(path, flags, 0666);
    if (fd < 0) perror(path), exit(1);
    free(path);
    return fd;
}

static void work(Shared *s, Slot *slot, const Reader *jobs, int njobs, int fd) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    slot->since = now() + 60;  // a context takes its time
    make_context();
    for (;;) {
        const int k = __atomic_fetch_add(&s->next, 1, __ATOMIC_SEQ_CST);
        if (k >= njobs) exit(0);
        slot->since = now();
        slot->job = k;
        Job j = {0};
        Reader r = jobs[k];
        run_job(&j, &r);
        write_all(fd, j.out.buf, j.out.used);
        slot->job = -1;
        free(j.out.buf);
        if (j.broken) _exit(3);
    }
}

static void append(const char *results, int w, int to) {
    static char buf[1 << 20];
    const int from = worker_file(results, w, O_RDONLY);
    ssize_t n;
    while ((n = read(from, buf, sizeof buf)) > 0) write_all(to, buf, (size_t)n);
    close(from);
    char *path = NULL;
    if (asprintf(&path, "%s.%d", results, w) < 0) exit(1);
    unlink(path);
    free(path);
}

// The job of a process that died, or that was ended.
static void lost(const Reader *jobs, int k, int fd, const char *why) {
    char line[LINE], text[2 * LINE];
    Reader r = jobs[k];
    read_line(&r, line);
    const int n = snprintf(text, sizeof text, "%s\nfail %s -\nend\n", line, why);
    write_all(fd, text, (size_t)n);
}

static void skip_job(Reader *r) {
    char line[LINE];
    size_t n;
    for (;;) {
        read_line(r, line);
        if (!strcmp(line, "end")) return;
        if (sscanf(line, "module %zu", &n) == 1 ||
            sscanf(line, "buffer %*u %*d %*d %zu", &n) == 1 ||
            sscanf(line, "launch %*u %*s %*u %*u %*u %*u %*u %*u %*u %zu", &n) == 1)
            read_bytes(r, n);
    }
}

static void describe(int fd) {
    char name[128] = "?", text[256];
    int major = 0, minor = 0, version = 0;
    cu.cuDeviceGetName(name, sizeof name, 0);
    cu.cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0);
    cu.cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0);
    cu.cuDriverGetVersion(&version);
    const int n = snprintf(text, sizeof text, "device %s, sm_%d%d, driver API %d\n", name, major,
                           minor, version);
    write_all(fd, text, (size_t)n);
    printf("%s", text);
    fflush(stdout);
}

// Without processes: the mode for smcosim exec.
static int run_here(const Reader *jobs, int njobs, int fd) {
    int k = 0;
    bool broken = false;
    make_context();
    describe(fd);
    for (; k < njobs && !broken; k++) {
        Job j = {0};
        Reader r = jobs[k];
        run_job(&j, &r);
        write_all(fd, j.out.buf, j.out.used);
        free(j.out.buf);
        broken = j.broken;
    }
    printf("%d of %d jobs\n", k, njobs);
    return k < njobs;
}

int main(int argc, char **argv) {
    if (argc < 3) return fprintf(stderr, "usage: gpu_run PACK RESULTS [WORKERS [SECONDS]]\n"), 2;
    int workers = argc > 3 ? atoi(argv[3]) : 4;
    const double limit = argc > 4 ? atof(argv[4]) : 20;
    if (workers < 0 || workers > MOST_WORKERS) workers = 4;
    struct stat st;
    const int in = open(argv[1], O_RDONLY),
              fd = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666);
    if (in < 0 || fstat(in, &st) || fd < 0) return perror(argv[1]), 1;
    const char *pack = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, in, 0);
    Shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (pack == MAP_FAILED || s == MAP_FAILED) return perror("mmap"), 1;
    Reader r = {pack, pack + st.st_size}, *jobs = NULL;
    int njobs = 0, nlost = 0;
    while (r.at < r.end) {
        if (!(njobs & (njobs + 1))) jobs = realloc(jobs, sizeof *jobs * (size_t)(2 * njobs + 2));
        jobs[njobs++] = r;
        skip_job(&r);
    }
    if (!workers) return run_here(jobs, njobs, fd);
    if (fork() == 0) make_context(), describe(fd), exit(0);
    int first;
    wait(&first);
    if (first) return 1;
    const double start = now();
    int running = 0;
    for (int w = 0; w < workers; w++) close(worker_file(argv[2], w, O_WRONLY | O_CREAT | O_TRUNC));
    for (int w = 0; w < workers; w++) s->slots[w].job = -1;
    for (;;) {
        for (int w = 0; w < workers; w++) {
            Slot *slot = &s->slots[w];
            if (slot->pid || s->next >= njobs) continue;
            slot->job = -1, slot->since = now() + 60;
            fflush(stdout);
            const pid_t pid = fork();  // the slot is the child's, too
            if (!pid)
                work(s, slot, jobs, njobs, worker_file(argv[2], w, O_WRONLY | O_CREAT | O_APPEND));
            slot->pid = pid;
            running++;
        }
        if (!running) break;
        int status;
        pid_t ended;
        while ((ended = waitpid(-1, &status, WNOHANG)) > 0)
            for (int w = 0; w < workers; w++) {
                Slot *slot = &s->slots[w];
                if (slot->pid != ended) continue;
                slot->pid = 0;
                running--;
                if (slot->job >= 0)
                    lost(jobs, slot->job, fd, WTERMSIG(status) == SIGKILL ? "hang" : "died"),
                        nlost++;
                else if (status && WEXITSTATUS(status) == 1)
                    return fprintf(stderr, "a worker failed\n"), 1;
            }
        for (int w = 0; w < workers; w++)
            if (s->slots[w].pid && now() - s->slots[w].since > limit)
                kill(s->slots[w].pid, SIGKILL);
        usleep(2000);
    }
    for (int w = 0; w < workers; w++) append(argv[2], w, fd);
    printf("%d jobs, %d of them lost with their process, %.1f s\n", njobs, nlost, now() - start);
    return 0;
}
