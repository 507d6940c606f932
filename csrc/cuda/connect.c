// SPDX-License-Identifier: Apache-2.0
#include "cuda/cuda_runtime.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

Runtime runtime = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, .socket = -1};
static _Thread_local cudaError_t last_error;

void runtime_lock(void) { pthread_mutex_lock(&runtime.lock); }
void runtime_unlock(void) { pthread_mutex_unlock(&runtime.lock); }

// ---- host accesses to device addresses ----

#define RESERVED_VARIABLE "SMCOSIM_EXEC_RESERVED"

static struct sigaction before_segv;

static void put_text(char **to, const char *text) {
    while (*text) *(*to)++ = *text++;
}

static void on_segv(int number, siginfo_t *info, void *context) {
    (void)context;
    const uint64_t addr = (uint64_t)(uintptr_t)info->si_addr;
    if (addr >= CUDA_DEVICE_BASE && addr < CUDA_CONST_END) {
        char text[200], *p = text;
        put_text(&p, "smcosim: the host program accesses device address 0x");
        for (int shift = 28; shift >= 0; shift -= 4) *p++ = "0123456789abcdef"[addr >> shift & 15];
        put_text(&p, ": only kernels may; copy with cudaMemcpy\n");
        if (write(STDERR_FILENO, text, (size_t)(p - text)) < 0) {}
    }
    // the access is repeated under the previous handler
    sigaction(SIGSEGV, &before_segv, NULL);
    if (info->si_code <= 0) raise(number);  // sent by a process
}

// Before the program's own constructors: its heap has not grown yet.
__attribute__((constructor)) static void reserve_addresses(void) {
    if (!getenv(CUDA_SOCKET_VARIABLE)) return;
    runtime.pid = getpid();
    void *at = (void *)(uintptr_t)CUDA_DEVICE_BASE;
    const size_t bytes = CUDA_CONST_END - CUDA_DEVICE_BASE;
    void *got = mmap(at, bytes, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != MAP_FAILED && got != at) munmap(got, bytes);
    // libcudart and libcuda in one program: the first of them has done it.
    const char *done = getenv(RESERVED_VARIABLE);
    runtime.reserved = got == at || (done && strtol(done, NULL, 10) == getpid());
    char process[20];
    snprintf(process, sizeof process, "%d", (int)getpid());
    if (got == at) setenv(RESERVED_VARIABLE, process, 1);
    struct sigaction act = {.sa_sigaction = on_segv, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGSEGV, &act, &before_segv);
}

// ---- the connection ----

// A descriptor, or -1.
static int connect_to(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (!path || strlen(path) >= sizeof address.sun_path)
        return errno = path ? ENAMETOOLONG : ENOENT, -1;
    strcpy(address.sun_path, path);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || !connect(fd, (struct sockaddr *)&address, sizeof address)) return fd;
    const int why = errno;
    close(fd);
    return errno = why, -1;
}

static bool exchange_messages(int fd, Call *c) {
    c->request.zero = 0;
    if (!cuda_send(fd, &c->request, sizeof c->request) ||
        !cuda_send(fd, c->payload, c->request.bytes) ||
        !cuda_receive(fd, &c->reply, sizeof c->reply))
        return false;
    if (c->reply.bytes && !(c->answer = malloc(c->reply.bytes + 1))) return false;
    if (c->reply.bytes && !cuda_receive(fd, c->answer, c->reply.bytes)) return false;
    if (c->answer) ((char *)c->answer)[c->reply.bytes] = '\0';
    return true;
}

// Programs close unknown descriptors, and open others in their place.
static bool socket_is_ours(void) {
    struct stat st;
    return !fstat(runtime.socket, &st) && st.st_dev == runtime.socket_device &&
        st.st_ino == runtime.socket_inode;
}

// From now on no call of this process has an effect. A program that ignores errors would continue,
// so another connection reports the loss to the simulator. If that is impossible, the process ends.
static void lose_connection(void) {
    if (socket_is_ours()) close(runtime.socket);
    runtime.socket = -2;
    Call lost = {.request = {.op = CUDA_OP_LOST, .asked.lost.process = (uint64_t)getpid()}};
    const int fd = connect_to(getenv(CUDA_SOCKET_VARIABLE));
    const bool told = fd >= 0 && exchange_messages(fd, &lost);
    if (fd >= 0) close(fd);
    if (told) return;
    fprintf(stderr, "smcosim: the simulator is gone\n");
    abort();
}

static bool refuse_connection(const char *why) {
    fprintf(stderr, "smcosim: %s\n", why);
    runtime.socket = -2;
    return false;
}

static bool open_connection(void) {
    const char *path = getenv(CUDA_SOCKET_VARIABLE);
    char why[300];
    struct stat st;
    if (runtime.socket == -2) return false;
    if (!path)
        return refuse_connection(
            "this is smcosim's CUDA runtime library: run the program with smcosim exec -- PROGRAM");
    if (runtime.socket >= 0 && runtime.pid == getpid()) return true;
    if (runtime.socket >= 0) {
        snprintf(why, sizeof why,
                 "process %d is a copy (fork) of one that uses CUDA: it cannot use it as well",
                 (int)getpid());
        return refuse_connection(why);
    }
    Call hello = {
        .request = {.op = CUDA_OP_HELLO,
                    .asked.hello = {CUDA_PROTOCOL, (uint64_t)getpid(), getauxval(AT_RANDOM)}}};
    runtime.pid = getpid();
    runtime.socket = connect_to(path);
    if (runtime.socket < 0 || fstat(runtime.socket, &st) ||
        !exchange_messages(runtime.socket, &hello)) {
        fprintf(stderr, "smcosim: no connection to smcosim exec at %s: %s\n", path,
                strerror(errno));
        abort();
    }
    runtime.socket_device = st.st_dev, runtime.socket_inode = st.st_ino;
    if (hello.reply.error)
        return refuse_connection(
            "smcosim exec is of another version than its CUDA runtime library");
    if (!runtime.reserved)
        runtime_warn("host memory overlaps the device's addresses: accesses may go unnoticed; "
                     "link the program as PIE");
    return true;
}

// The last act of the process. A call under way, in another thread or below a signal handler, is
// not disturbed.
__attribute__((destructor)) static void say_bye(void) {
    if (runtime.socket < 0 || runtime.pid != getpid() || pthread_mutex_trylock(&runtime.lock))
        return;
    const CudaRequest bye = {.op = CUDA_OP_BYE};
    if (!runtime.calling && !socket_is_ours()) lose_connection();
    else if (!runtime.calling) cuda_send(runtime.socket, &bye, sizeof bye);
    runtime_unlock();
}

cudaError_t call_server(Call *c) {
    runtime_lock();
    c->answer = NULL;
    cudaError_t error = CUDA_InitializationError;
    if (open_connection()) {
        runtime.calling++;
        if (socket_is_ours() && exchange_messages(runtime.socket, c)) {
            error = (cudaError_t)c->reply.error;
            runtime.cycle = c->reply.cycle;
            if (c->reply.sticky) runtime.sticky = error;
        } else {
            c->reply = (CudaReply){0};
            lose_connection();
        }
        runtime.calling--;
    }
    runtime_unlock();
    return error;
}

void call_free(Call *c) {
    free(c->answer);
    c->answer = NULL;
}

cudaError_t call_simple(CudaOp op, CudaAsked asked, CudaAnswered *got) {
    Call c = {.request = {.op = op, .asked = asked}};
    const cudaError_t error = call_server(&c);
    if (got) *got = c.reply.answered;
    call_free(&c);
    return error;
}

// ---- what the user is told ----

static void tell_server(CudaOp op, const char *text) {
    Call c = {.request = {.op = op, .bytes = strlen(text)}, .payload = text};
    call_server(&c);
    call_free(&c);
}

void runtime_warn(const char *format, ...) {
    char text[600];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    tell_server(CUDA_OP_WARN, text);
}

cudaError_t runtime_refuse(const char *name) {
    tell_server(CUDA_OP_UNSUPPORTED, name);
    return set_error(CUDA_NotSupported);
}

// ---- errors ----

cudaError_t set_error(cudaError_t error) {
    if (error && error != CUDA_NotReady) last_error = error;
    return error;
}

typedef struct ErrorText {
    int number;
    const char *name, *text;
} ErrorText;

static const ErrorText error_texts[] = {
#define CUDA_ERROR(name, number, text) {number, (number) ? "cudaError" #name : "cuda" #name, text},
#include "cuda/errors.def"
#undef CUDA_ERROR
};

static const ErrorText *error_text(cudaError_t error) {
    for (size_t i = 0; i < sizeof error_texts / sizeof *error_texts; i++)
        if (error_texts[i].number == error) return &error_texts[i];
    return NULL;
}

API const char *cudaGetErrorName(cudaError_t error) {
    const ErrorText *t = error_text(error);
    return t ? t->name : "unrecognized error code";
}

API const char *cudaGetErrorString(cudaError_t error) {
    const ErrorText *t = error_text(error);
    return t ? t->text : "unrecognized error code";
}

API cudaError_t cudaGetLastError(void) {
    const cudaError_t error = last_error ? last_error : runtime.sticky;
    last_error = CUDA_Success;
    return error;
}

API cudaError_t cudaPeekAtLastError(void) { return last_error ? last_error : runtime.sticky; }
