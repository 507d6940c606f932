// SPDX-License-Identifier: Apache-2.0
// Graphs made by hand and by capture: order, joined streams, children, changed parameters, memory nodes.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

static int wrong;
static void check(bool ok, const char *what) {
    if (ok) return;
    printf("WRONG: %s\n", what);
    wrong++;
}
#define DONE(call) check((call) == cudaSuccess, #call)

enum { N = 256 };
__global__ void scale(int *x, int by) { x[blockIdx.x * blockDim.x + threadIdx.x] *= by; }
__global__ void plus(int *x, const int *y) { x[blockIdx.x * blockDim.x + threadIdx.x] += y[blockIdx.x * blockDim.x + threadIdx.x]; }

static void count(void *data) { ++*static_cast<int *>(data); }
static bool all(const std::vector<int> &v, int value) {
    for (int x : v)
        if (x != value) return false;
    return true;
}

// copy in -> times 3 -> plus the filled buffer -> copy out; nodes are created behind their users.
static void by_hand(int *x, int *y) {
    std::vector<int> in(N, 5), out(N, 0);
    cudaGraph_t g;
    cudaGraphNode_t copy_in, times, fill, sum, copy_out, host;
    int calls = 0, by = 3;
    DONE(cudaGraphCreate(&g, 0));
    void *sum_args[] = {&x, &y}, *times_args[] = {&x, &by};
    cudaKernelNodeParams k = {};
    k.gridDim = dim3(2), k.blockDim = dim3(N / 2);
    k.func = (void *)plus, k.kernelParams = sum_args;
    DONE(cudaGraphAddKernelNode(&sum, g, NULL, 0, &k));  // first made, but it needs the others
    cudaMemsetParams m = {};
    m.dst = y, m.value = 7, m.elementSize = 4, m.width = N, m.height = 1;
    DONE(cudaGraphAddMemsetNode(&fill, g, NULL, 0, &m));
    DONE(cudaGraphAddMemcpyNode1D(&copy_in, g, NULL, 0, x, in.data(), N * sizeof(int), cudaMemcpyHostToDevice));
    k.func = (void *)scale, k.kernelParams = times_args;
    DONE(cudaGraphAddKernelNode(&times, g, &copy_in, 1, &k));
    cudaGraphNode_t from[] = {fill, times}, to[] = {sum, sum};
    DONE(cudaGraphAddDependencies(g, from, to, NULL, 2));
    DONE(cudaGraphAddMemcpyNode1D(&copy_out, g, &sum, 1, out.data(), x, N * sizeof(int), cudaMemcpyDeviceToHost));
    cudaHostNodeParams h = {count, &calls};
    DONE(cudaGraphAddHostNode(&host, g, &copy_out, 1, &h));
    size_t n = 0, roots = 0;
    DONE(cudaGraphGetNodes(g, NULL, &n));
    DONE(cudaGraphGetRootNodes(g, NULL, &roots));
    check(n == 6 && roots == 2, "six nodes, two of which need nothing");
    cudaGraphExec_t e;
    DONE(cudaGraphInstantiate(&e, g, 0));
    DONE(cudaGraphLaunch(e, 0));
    DONE(cudaDeviceSynchronize());
    check(all(out, 22) && calls == 1, "5 * 3 + 7");
    by = 4;
    DONE(cudaGraphExecKernelNodeSetParams(e, times, &k));
    DONE(cudaGraphLaunch(e, 0));
    check(all(out, 27) && calls == 2, "5 * 4 + 7: a changed parameter");
    // The same graph as the child of another.
    cudaGraph_t outer;
    cudaGraphNode_t child;
    cudaGraphExec_t e2;
    DONE(cudaGraphCreate(&outer, 0));
    DONE(cudaGraphAddChildGraphNode(&child, outer, NULL, 0, g));
    DONE(cudaGraphInstantiate(&e2, outer, 0));
    DONE(cudaGraphDestroy(outer));
    DONE(cudaGraphLaunch(e2, 0));
    check(all(out, 22) && calls == 3, "a child does what its graph did");
    // A cycle cannot be launched.
    DONE(cudaGraphAddDependencies(g, &host, &copy_in, NULL, 1));
    cudaGraphExec_t none;
    check(cudaGraphInstantiate(&none, g, 0) == cudaErrorInvalidValue, "nodes that need each other");
    cudaGetLastError();
    DONE(cudaGraphExecDestroy(e));
    DONE(cudaGraphExecDestroy(e2));
    DONE(cudaGraphDestroy(g));
}

static cudaGraph_t capture(cudaStream_t a, cudaStream_t b, int *x, int *y, int by, int *out) {
    cudaGraph_t g;
    cudaEvent_t fork, join;
    DONE(cudaEventCreate(&fork));
    DONE(cudaEventCreate(&join));
    DONE(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    DONE(cudaMemsetAsync(x, 0, N * sizeof(int), a));
    DONE(cudaEventRecord(fork, a));
    DONE(cudaStreamWaitEvent(b, fork, 0));
    DONE(cudaMemsetAsync(y, 1, N * sizeof(int), b));
    scale<<<2, N / 2, 0, b>>>(y, by);
    DONE(cudaEventRecord(join, b));
    DONE(cudaStreamWaitEvent(a, join, 0));
    plus<<<2, N / 2, 0, a>>>(x, y);
    DONE(cudaMemcpyAsync(out, x, N * sizeof(int), cudaMemcpyDeviceToHost, a));
    cudaStreamCaptureStatus status;
    DONE(cudaStreamIsCapturing(b, &status));
    check(status == cudaStreamCaptureStatusActive, "the joined stream captures");
    DONE(cudaStreamEndCapture(a, &g));
    DONE(cudaStreamIsCapturing(b, &status));
    check(status == cudaStreamCaptureStatusNone, "no stream captures any longer");
    DONE(cudaEventDestroy(fork));
    DONE(cudaEventDestroy(join));
    return g;
}

static void by_capture(int *x, int *y) {
    std::vector<int> out(N, -1);
    cudaStream_t a, b;
    DONE(cudaStreamCreate(&a));
    DONE(cudaStreamCreate(&b));
    cudaGraph_t g = capture(a, b, x, y, 2, out.data());
    DONE(cudaStreamSynchronize(a));
    check(all(out, -1), "captured work is not done");
    cudaGraphExec_t e;
    DONE(cudaGraphInstantiate(&e, g, 0));
    DONE(cudaGraphLaunch(e, a));
    DONE(cudaStreamSynchronize(a));
    check(all(out, 0x02020202), "what two streams captured");
    cudaGraph_t other = capture(a, b, x, y, 3, out.data());
    cudaGraphExecUpdateResultInfo result;
    DONE(cudaGraphExecUpdate(e, other, &result));
    DONE(cudaGraphLaunch(e, a));
    check(all(out, 0x03030303), "updated from another graph");
    cudaGraph_t less;
    DONE(cudaGraphCreate(&less, 0));
    check(cudaGraphExecUpdate(e, less, &result) == cudaErrorGraphExecUpdateFailure &&
              result.result == cudaGraphExecUpdateErrorTopologyChanged, "a graph of another shape");
    cudaGetLastError();
    check(cudaStreamEndCapture(a, &less) == cudaErrorIllegalState, "no capture to be ended");
    cudaGetLastError();
    DONE(cudaGraphDestroy(g));
    DONE(cudaGraphDestroy(other));
    DONE(cudaGraphDestroy(less));
    DONE(cudaGraphExecDestroy(e));
    DONE(cudaStreamDestroy(a));
    DONE(cudaStreamDestroy(b));
}

static void memory_nodes() {
    std::vector<int> out(N, 0);
    cudaGraph_t g;
    cudaGraphNode_t alloc, fill, copy, release, again;
    cudaMemAllocNodeParams p = {};
    p.bytesize = N * sizeof(int);
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location.type = cudaMemLocationTypeDevice;
    DONE(cudaGraphCreate(&g, 0));
    DONE(cudaGraphAddMemAllocNode(&alloc, g, NULL, 0, &p));
    void *at = p.dptr;
    cudaMemsetParams m = {};
    m.dst = at, m.value = 9, m.elementSize = 4, m.width = N, m.height = 1;
    DONE(cudaGraphAddMemsetNode(&fill, g, &alloc, 1, &m));
    DONE(cudaGraphAddMemcpyNode1D(&copy, g, &fill, 1, out.data(), at, N * sizeof(int), cudaMemcpyDeviceToHost));
    DONE(cudaGraphAddMemFreeNode(&release, g, &copy, 1, at));
    DONE(cudaGraphAddMemAllocNode(&again, g, &release, 1, &p));
    check(p.dptr == at, "memory that was freed before is taken again");
    cudaGraphExec_t e;
    DONE(cudaGraphInstantiate(&e, g, 0));
    DONE(cudaGraphLaunch(e, 0));
    check(all(out, 9), "memory of a node");
    DONE(cudaFree(at));
    check(cudaFree(at) == cudaErrorInvalidValue, "freed twice");
    cudaGetLastError();
    DONE(cudaGraphExecDestroy(e));
    DONE(cudaGraphDestroy(g));
}

int main() {
    int *x, *y;
    DONE(cudaMalloc(&x, N * sizeof(int)));
    DONE(cudaMalloc(&y, N * sizeof(int)));
    by_hand(x, y);
    by_capture(x, y);
    memory_nodes();
    DONE(cudaGetLastError());
    puts(wrong ? "FAILED" : "PASSED");
    return wrong != 0;
}
