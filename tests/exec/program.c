// SPDX-License-Identifier: Apache-2.0
// A CUDA program without nvcc: registers a fat binary as nvcc's start-up code does, and executes
// ACTION. Usage: program ACTION [FILE]. FILE: a fat binary with kernel add; without it one that is
// made here.
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Dim {
    unsigned x, y, z;
} Dim;
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFunction(void **handle, const char *stub, char *device, const char *name,
                            int limit, void *tid, void *bid, void *block, void *grid,
                            int *warp_size);
void __cudaRegisterFatBinaryEnd(void **handle);
int cudaMalloc(void **p, size_t bytes);
int cudaFree(void *p);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream);
int cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                 size_t height, int kind);
int cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, int kind);
int cudaHostRegister(void *p, size_t bytes, unsigned flags);
int cudaHostGetDevicePointer(void **p, void *host, unsigned flags);
void __cudaRegisterVar(void **handle, char *shadow, char *device, const char *name, int is_extern,
                       size_t bytes, int constant, int global);
int cudaMallocManaged(void **p, size_t bytes, unsigned flags);
int cudaLaunchKernel(const void *stub, Dim grid, Dim block, void **args, size_t shared,
                     void *stream);
int cudaDeviceSynchronize(void);
int cudaGetLastError(void);
int cudaImportExternalMemory(void **memory, const void *description);
const char *cudaGetErrorName(int error);

static const char ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n.global .align 4 .u32 counted;\n"
    ".visible .entry add(.param .u64 y, .param .u64 x, .param .u32 n)\n{\n"
    ".reg .b32 %r<6>;\n.reg .b64 %rd<6>;\n.reg .f32 %f<4>;\n.reg .pred %p<2>;\n"
    "ld.param.u64 %rd1, [y];\nld.param.u64 %rd2, [x];\nld.param.u32 %r1, [n];\n"
    "mov.u32 %r2, %tid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %ctaid.x;\nmad.lo.u32 %r5, %r3, "
    "%r4, %r2;\n"
    "setp.ge.u32 %p1, %r5, %r1;\n@%p1 ret;\nmul.wide.u32 %rd3, %r5, 4;\nadd.s64 %rd4, %rd1, %rd3;\n"
    "add.s64 %rd5, %rd2, %rd3;\nld.global.f32 %f1, [%rd4];\nld.global.f32 %f2, [%rd5];\nadd.f32 "
    "%f3, %f1, %f2;\n"
    "st.global.f32 [%rd4], %f3;\nred.global.add.u32 [counted], 1;\nret;\n}\n"
    ".visible .entry spin()\n{\nagain:\nbra.uni again;\n}\n"
    ".visible .entry stop()\n{\ntrap;\n}\n"
    // Each thread takes a number, those of the first CTAs later: the order of threads decides.
    ".visible .entry tickets(.param .u64 y, .param .u64 x, .param .u32 n)\n{\n"
    ".reg .b32 %r<8>;\n.reg .b64 %rd<5>;\n.reg .pred %p<3>;\nld.param.u64 %rd1, [y];\n"
    "ld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, "
    "%ctaid.x;\nmad.lo.u32 %r5, %r3, %r4, %r2;\nsetp.ge.u32 %p1, %r5, %r1;\n@%p1 ret;\n"
    "mul.lo.u32 %r7, %r4, 200;\nwait:\nadd.u32 %r7, %r7, 1;\nsetp.lt.u32 %p2, %r7, 800;\n"
    "@%p2 bra wait;\n"
    "atom.global.add.u32 %r6, [counted], 1;\nmul.wide.u32 %rd3, %r5, 4;\nadd.s64 %rd4, %rd1, "
    "%rd3;\nst.global.u32 [%rd4], %r6;\nret;\n}\n";
static char counted_shadow[4];  // its address represents variable counted
static const char kernels[4];   // their addresses represent add, spin, stop, tickets

// A container with this PTX as it is.
static void *own_container(void) {
    const uint64_t payload = (sizeof ptx + 7) / 8 * 8;
    uint8_t *c = calloc(1, 16 + 64 + payload);
    const uint64_t size = 64 + payload;
    memcpy(c, &(uint32_t){0xba55ed50}, 4);
    memcpy(c + 4, &(uint16_t){1}, 2);
    memcpy(c + 6, &(uint16_t){16}, 2);
    memcpy(c + 8, &size, 8);
    memcpy(c + 16, &(uint16_t){1}, 2);
    memcpy(c + 16 + 4, &(uint32_t){64}, 4);
    memcpy(c + 16 + 8, &payload, 8);
    memcpy(c + 16 + 28, &(uint32_t){75}, 4);
    memcpy(c + 80, ptx, sizeof ptx);
    return c;
}

static void *read_container(const char *path) {
    FILE *f = fopen(path, "rb");
    uint8_t *c = calloc(1, 100000);
    if (!f || !fread(c, 1, 100000, f)) exit(99);
    fclose(f);
    return c;
}

typedef struct Wrapper {
    uint32_t magic, version;
    const void *data, *parts;
} Wrapper;

static void registers(const char *file) {
    static Wrapper w = {0x466243b1, 1, NULL, NULL};
    static const char *const names[] = {"add", "spin", "stop", "tickets"};
    w.data = file ? read_container(file) : own_container();
    void **handle = __cudaRegisterFatBinary(&w);
    for (int i = 0; i < (file ? 3 : 4); i++)
        __cudaRegisterFunction(handle, &kernels[i], (char *)(uintptr_t)names[i], names[i], -1, NULL,
                               NULL, NULL, NULL, NULL);
    __cudaRegisterVar(handle, counted_shadow, (char *)(uintptr_t) "counted", "counted", 0,
                      sizeof counted_shadow, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
}

enum { N = 1000, TO_DEVICE = 1, FROM_DEVICE = 2 };
static float x[N], y[N];
static void *dx, *dy;

static int launch(int kernel, void *to) {
    int n = N;
    void *args[] = {&to, &dx, &n};
    return cudaLaunchKernel(&kernels[kernel], (Dim){4, 1, 1}, (Dim){256, 1, 1}, args, 0, NULL);
}

static void prepare(void) {
    for (int i = 0; i < N; i++) x[i] = (float)i, y[i] = 1;
    cudaMalloc(&dx, sizeof x + sizeof *x);
    cudaMalloc(&dy, sizeof y);
    cudaMemcpy(dx, x, sizeof x, TO_DEVICE);
    cudaMemcpy(dy, y, sizeof y, TO_DEVICE);
}

static int right(void) {
    int bad = cudaMemcpy(y, dy, sizeof y, FROM_DEVICE);
    for (int i = 0; i < N; i++) bad |= y[i] != (float)i + 1;
    puts(bad ? "wrong" : "right");
    return bad;
}

static int in_child(void) {
    const pid_t child = fork();
    int status;
    if (!child) _exit(launch(0, dy) == 3 ? 5 : 6);
    waitpid(child, &status, 0);
    return WEXITSTATUS(status) != 5;
}

// ---- pointers that lead nowhere ----

static void *const nowhere = (void *)0x10;

static int wild(const char *call) {
    enum { DEFAULT = 4, HALF = 2048 };
    char *edge =
        mmap(NULL, 2 * HALF + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(edge + 2 * HALF, 1);  // a page of memory, and none behind it
    int n = N;
    void *args[] = {&dy, nowhere, &n};
    if (!strcmp(call, "to")) return cudaMemcpy(dy, nowhere, 16, TO_DEVICE);
    if (!strcmp(call, "default")) return cudaMemcpy(dy, nowhere, 16, DEFAULT);
    if (!strcmp(call, "async")) return cudaMemcpyAsync(dy, nowhere, 16, TO_DEVICE, NULL);
    if (!strcmp(call, "edge")) return cudaMemcpy(dy, edge + 2 * HALF - 8, 16, TO_DEVICE);
    if (!strcmp(call, "rows")) return cudaMemcpy2D(dy, 8, edge + HALF, HALF, 8, 3, TO_DEVICE);
    if (!strcmp(call, "symbol"))
        return cudaMemcpyToSymbol(counted_shadow, nowhere, 4, 0, TO_DEVICE);
    if (!strcmp(call, "back")) return cudaMemcpy(nowhere, dy, 16, FROM_DEVICE);
    if (!strcmp(call, "argument"))
        return cudaLaunchKernel(&kernels[0], (Dim){4, 1, 1}, (Dim){256, 1, 1}, args, 0, NULL);
    if (!strcmp(call, "registered")) return cudaHostRegister(nowhere, 4096, 0) != 1;
    return 97;
}

// Wrong sizes and places of the device's side are CUDA's errors, for any host side.
static int huge(void) {
    return cudaMemcpy(dy, x, SIZE_MAX, TO_DEVICE) != 1 ||
        cudaMemcpy(dy, nowhere, sizeof x + 1, TO_DEVICE) != 1 ||
        cudaMemcpy2D(dy, SIZE_MAX / 2, x, SIZE_MAX / 2, SIZE_MAX / 2, 4, TO_DEVICE) != 1;
}

static int unmapped(void) {
    enum { BYTES = 1 << 16 };
    void *device,
        *host = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return cudaHostRegister(host, BYTES, 0) || cudaHostGetDevicePointer(&device, host, 0) ||
        munmap(host, BYTES) || launch(0, dy) || right();
}

// ---- connections that end ----

static void close_all(void) {
    for (int i = 3; i < 1024; i++) close(i);
}

static int lose(const char *how) {
    const int bad = launch(0, dy);
    if (!strcmp(how, "quits")) _exit(bad);
    if (!strcmp(how, "shows")) prctl(PR_SET_DUMPABLE, 1);
    if (!strcmp(how, "blinds")) prctl(PR_SET_DUMPABLE, 0);
    if (!strcmp(how, "executes")) execl("/bin/true", "true", (char *)NULL);
    if (!strcmp(how, "garbage")) {
        struct stat st;
        char nonsense[200] = {[0 ... 199] = 'x'};
        for (int i = 3; i < 1024; i++)
            if (!fstat(i, &st) && S_ISSOCK(st.st_mode) && write(i, nonsense, sizeof nonsense) < 0)
                return 96;
    } else {
        close_all();
    }
    if (!strcmp(how, "sleeps")) sleep(2), _exit(bad);
    if (!strcmp(how, "hides")) unlink(getenv("SMCOSIM_EXEC"));
    if (!strcmp(how, "reopens"))
        for (int i = 3; i < 20; i++) open("reopened", O_RDWR | O_CREAT | O_APPEND, 0666);
    if (strcmp(how, "idles")) launch(0, (void *)0x1234);
    return bad;
}

// In a process of its own, which the program waits for, or leaves behind for some seconds.
static int in_other(const char *how, bool waits) {
    int ready[2];
    char c;
    if (pipe(ready)) return 95;
    const pid_t child = fork();
    if (!child) {
        registers(NULL);
        prepare();
        if (write(ready[1], "r", 1) < 0) _exit(94);
        if (!waits) sleep((unsigned)atoi(how));
        exit(waits ? lose(how) : launch(0, dy) || right());
    }
    if (read(ready[0], &c, 1) != 1) return 93;
    if (waits) waitpid(child, NULL, 0);
    return 0;
}

int main(int argc, char **argv) {
    const char *action = argc > 1 ? argv[1] : "add";
    if (!strcmp(action, "nothing")) return 0;
    if (!strcmp(action, "child")) return in_other(argv[2], true);
    if (!strcmp(action, "leaves")) return in_other(argv[2], false);
    // the kernel hides the process's executable from others
    const bool hidden = !strcmp(action, "hidden");
    if (hidden) prctl(PR_SET_DUMPABLE, 0);
    const bool own = hidden || !strcmp(action, "wild") || !strcmp(action, "lose");
    registers(argc > 2 && !own ? argv[2] : NULL);
    prepare();
    if (own) return *action == 'w' ? wild(argv[2]) : lose(argv[2]);
    if (!strcmp(action, "huge")) return huge() || launch(0, dy) || right();
    if (!strcmp(action, "unmapped")) return unmapped();
    if (!strcmp(action, "add")) return launch(0, dy) || right();
    if (!strcmp(action, "tickets")) return launch(3, dy);
    // a thread's result is another one's operand
    if (!strcmp(action, "race")) return launch(0, (float *)dx + 1);
    if (!strcmp(action, "fails")) return launch(0, dy) || right() ? 1 : 42;
    if (!strcmp(action, "ends")) return launch(0, dy);  // never waits, never looks
    if (!strcmp(action, "crashes")) return launch(0, dy), raise(SIGSEGV);
    if (!strcmp(action, "aborts")) abort();
    if (!strcmp(action, "forks")) return launch(0, dy) || in_child() || right();
    // a host pointer to the kernel
    if (!strcmp(action, "host")) return launch(0, y) != 700 || cudaGetLastError() != 0;
    // a device pointer on the host
    if (!strcmp(action, "device")) return ((float *)dy)[3] != 0;
    if (!strcmp(action, "freed"))
        return cudaFree(dy) || launch(0, dy) != 700 || cudaMalloc(&dy, 8) != 700;
    if (!strcmp(action, "twice")) return cudaFree(dy) || cudaFree(dy) != 1;
    if (!strcmp(action, "beyond")) return cudaMemcpy(dy, x, sizeof x + 1, TO_DEVICE) != 1;
    if (!strcmp(action, "memory")) return cudaMalloc(&dy, (size_t)3 << 30) != 2;
    if (!strcmp(action, "missing"))
        return cudaImportExternalMemory(&dy, dy) != 801 || cudaImportExternalMemory(&dy, dy) != 801;
    if (!strcmp(action, "unknown")) {
        return cudaLaunchKernel(argv, (Dim){1, 1, 1}, (Dim){1, 1, 1}, NULL, 0, NULL) != 98;
    }
    if (!strcmp(action, "arguments"))
        return cudaLaunchKernel(&kernels[0], (Dim){1, 1, 1}, (Dim){32, 1, 1}, NULL, 0, NULL) != 1;
    if (!strcmp(action, "shape")) {
        return cudaLaunchKernel(&kernels[1], (Dim){1, 1, 1}, (Dim){2000, 1, 1}, NULL, 0, NULL) != 9;
    }
    if (!strcmp(action, "shared")) {
        return cudaLaunchKernel(&kernels[1], (Dim){1, 1, 1}, (Dim){32, 1, 1}, NULL, 1 << 20,
                                NULL) != 1;
    }
    if (!strcmp(action, "spin")) {
        printf("spinning\n");
        fflush(stdout);
        return launch(1, NULL) != 702;
    }
    if (!strcmp(action, "trap")) return launch(2, NULL) != 719 || cudaDeviceSynchronize() != 719;
    if (!strcmp(action, "reuse")) {  // more memory than there is, but never at once
        for (int i = 0; i < 100; i++) {
            void *p;
            if (cudaMalloc(&p, 100 << 20) || cudaFree(p)) return 1;
        }
        return launch(0, dy) || right();
    }
    if (!strcmp(action, "code")) {  // the status of the kernel that is launched first
        const int error = launch(0, dy);
        printf("%s\n", cudaGetErrorName(error));
        return error ? 1 : right();
    }
    fprintf(stderr, "program: unknown action %s\n", action);
    return 98;
}
