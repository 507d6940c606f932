// SPDX-License-Identifier: Apache-2.0
// Two processes work on the same device memory, in the order that their events give; handles that cannot be opened.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <spawn.h>
#include <sys/wait.h>
extern char **environ;
#define CK(x) do { cudaError_t e_ = (x); if (e_) { printf("line %d: %s: %s\n", __LINE__, #x, cudaGetErrorString(e_)); exit(1); } } while (0)
#define WANT(x, w) do { cudaError_t e_ = (x); if (e_ != (w)) { printf("line %d: %s is %d, not %d\n", __LINE__, #x, (int)e_, (int)(w)); exit(1); } cudaGetLastError(); } while (0)
enum { N = 1000 };
struct Handles { cudaIpcMemHandle_t memory, freed; cudaIpcEventHandle_t event; };
__global__ void add(int *p, int what) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < N) p[i] += what; }
static int child(const char *text) {
    Handles h;
    for (size_t i = 0; i < sizeof h; i++) { unsigned b; sscanf(text + 2 * i, "%2x", &b); ((unsigned char *)&h)[i] = b; }
    int *p, *again; cudaEvent_t e; cudaIpcMemHandle_t wrong; memset(&wrong, 7, sizeof wrong);
    WANT(cudaIpcOpenMemHandle((void **)&p, wrong, cudaIpcMemLazyEnablePeerAccess), cudaErrorInvalidResourceHandle);
    WANT(cudaIpcOpenMemHandle((void **)&p, h.freed, cudaIpcMemLazyEnablePeerAccess), cudaErrorInvalidResourceHandle);
    memcpy(&wrong, &h.event, sizeof wrong); // an event is no memory
    WANT(cudaIpcOpenMemHandle((void **)&p, wrong, cudaIpcMemLazyEnablePeerAccess), cudaErrorInvalidResourceHandle);
    cudaIpcEventHandle_t mixed; memcpy(&mixed, &h.memory, sizeof mixed); WANT(cudaIpcOpenEventHandle(&e, mixed), cudaErrorInvalidResourceHandle);
    CK(cudaIpcOpenMemHandle((void **)&p, h.memory, cudaIpcMemLazyEnablePeerAccess)); CK(cudaIpcOpenEventHandle(&e, h.event));
    CK(cudaIpcOpenMemHandle((void **)&again, h.memory, cudaIpcMemLazyEnablePeerAccess)); if (again != p) return 1;
    CK(cudaStreamWaitEvent(0, e, 0)); add<<<4, 256>>>(p, 30); CK(cudaGetLastError()); CK(cudaEventRecord(e)); CK(cudaEventSynchronize(e));
    int got[N]; CK(cudaMemcpy(got, p, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) if (got[i] != i + 32) { printf("child: %d is %d\n", i, got[i]); return 1; }
    WANT(cudaFree(p), cudaErrorInvalidValue); CK(cudaIpcCloseMemHandle(p)); CK(cudaIpcCloseMemHandle(p)); WANT(cudaIpcCloseMemHandle(p), cudaErrorInvalidValue);
    CK(cudaEventDestroy(e));
    return 0;
}
int main(int argc, char **argv) {
    if (argc > 1) return child(argv[1]);
    int *p, *gone, host[N]; cudaEvent_t e, plain; Handles h; void *managed, *own; cudaIpcMemHandle_t none;
    CK(cudaMalloc(&p, sizeof host)); CK(cudaMalloc(&gone, 400)); CK(cudaMallocManaged(&managed, 400));
    for (int i = 0; i < N; i++) host[i] = i;
    CK(cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice));
    WANT(cudaEventCreateWithFlags(&e, cudaEventInterprocess), cudaErrorInvalidValue);
    CK(cudaEventCreateWithFlags(&e, cudaEventInterprocess | cudaEventDisableTiming)); CK(cudaEventCreate(&plain));
    CK(cudaIpcGetMemHandle(&h.memory, p)); CK(cudaIpcGetMemHandle(&h.freed, gone)); CK(cudaIpcGetEventHandle(&h.event, e)); CK(cudaFree(gone));
    WANT(cudaIpcGetEventHandle(&h.event, plain), cudaErrorInvalidResourceHandle); WANT(cudaIpcGetMemHandle(&none, host), cudaErrorInvalidValue);
    WANT(cudaIpcGetMemHandle(&none, managed), cudaErrorInvalidValue); WANT(cudaIpcOpenMemHandle(&own, h.memory, 1), cudaErrorDeviceUninitialized);
    add<<<4, 256>>>(p, 2); CK(cudaGetLastError()); CK(cudaEventRecord(e));
    char text[2 * sizeof h + 1]; for (size_t i = 0; i < sizeof h; i++) snprintf(text + 2 * i, 3, "%02x", ((unsigned char *)&h)[i]);
    char *args[] = {argv[0], text, NULL}; pid_t pid; int status;
    if (posix_spawn(&pid, argv[0], NULL, NULL, args, environ) || waitpid(pid, &status, 0) != pid || status) { printf("child: %d\n", status); return 1; }
    CK(cudaEventSynchronize(e)); add<<<4, 256>>>(p, 1000); CK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost)); CK(cudaFree(p));
    for (int i = 0; i < N; i++) if (host[i] != i + 1032) { printf("%d is %d\n", i, host[i]); return 1; }
    printf("PASSED\n"); return 0;
}
