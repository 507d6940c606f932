// SPDX-License-Identifier: Apache-2.0
// Conditional nodes of graphs: if and else, while with a value at each launch, switch, one inside the other.
#include <cstdio>
#include <cuda_runtime.h>

static int wrong;
#define CHECK(ok) do { if (!(ok)) { printf("WRONG: line %d: %s\n", __LINE__, #ok); wrong++; } } while (0)
#define DONE(call) CHECK((call) == cudaSuccess)

__global__ void choose(cudaGraphConditionalHandle h, const unsigned *value) { cudaGraphSetConditional(h, *value); }
__global__ void add(unsigned *sum, unsigned what) { *sum += what; }
__global__ void count_down(cudaGraphConditionalHandle h, unsigned *left) {
    if (threadIdx.x) return;
    --*left;
    cudaGraphSetConditional(h, *left != 0);
}

static cudaGraphNode_t kernel(cudaGraph_t g, const cudaGraphNode_t *needs, int n, void *f, void **args) {
    cudaGraphNode_t node = NULL;
    cudaGraphNodeParams p = {cudaGraphNodeTypeKernel};
    p.kernel.func = f, p.kernel.gridDim = dim3(1), p.kernel.blockDim = dim3(1), p.kernel.kernelParams = args;
    DONE(cudaGraphAddNode(&node, g, needs, NULL, n, &p));
    return node;
}
static cudaGraph_t *conditional(cudaGraph_t g, const cudaGraphNode_t *needs, int n, cudaGraphConditionalHandle h,
                                cudaGraphConditionalNodeType type, int size, cudaGraphNode_t *node) {
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.handle = h, p.conditional.type = type, p.conditional.size = size;
    DONE(cudaGraphAddNode(node, g, needs, NULL, n, &p));
    return p.conditional.phGraph_out;
}
static unsigned launched(cudaGraphExec_t e, unsigned *sum) {
    unsigned got = 0;
    DONE(cudaMemset(sum, 0, sizeof got));
    DONE(cudaGraphLaunch(e, 0));
    DONE(cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost));
    return got;
}

// A kernel sets the condition; body i adds 10^i; behind the conditional node 1000 are added.
static unsigned chosen(cudaGraphConditionalNodeType type, int size, unsigned value, unsigned *sum, unsigned *from) {
    static const unsigned amount[] = {1, 10, 100};
    cudaGraph_t g;
    cudaGraphConditionalHandle h;
    cudaGraphNode_t node;
    cudaGraphExec_t e;
    unsigned last = 1000;
    DONE(cudaGraphCreate(&g, 0));
    DONE(cudaGraphConditionalHandleCreate(&h, g));
    void *set[] = {&h, &from}, *end[] = {&sum, &last};
    const cudaGraphNode_t first = kernel(g, NULL, 0, (void *)choose, set);
    cudaGraph_t *bodies = conditional(g, &first, 1, h, type, size, &node);
    for (int i = 0; i < size; i++) {
        void *args[] = {&sum, (void *)&amount[i]};
        kernel(bodies[i], NULL, 0, (void *)add, args);
    }
    kernel(g, &node, 1, (void *)add, end);
    DONE(cudaGraphInstantiate(&e, g, 0));
    DONE(cudaMemcpy(from, &value, sizeof value, cudaMemcpyHostToDevice));
    const unsigned got = launched(e, sum);
    DONE(cudaGraphExecDestroy(e));
    DONE(cudaGraphDestroy(g));
    return got;
}

// while (left--) { add 1; if (always) add 10 }, launched twice: the condition begins with 1 each time.
static void loop(unsigned *sum, unsigned *left) {
    cudaGraph_t g;
    cudaGraphConditionalHandle h, always;
    cudaGraphNode_t node, inner;
    cudaGraphExec_t e;
    unsigned one = 1, ten = 10, times = 5;
    DONE(cudaGraphCreate(&g, 0));
    DONE(cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault));
    DONE(cudaGraphConditionalHandleCreate(&always, g, 1, cudaGraphCondAssignDefault));
    cudaGraph_t body = conditional(g, NULL, 0, h, cudaGraphCondTypeWhile, 1, &node)[0];
    void *by_one[] = {&sum, &one}, *by_ten[] = {&sum, &ten}, *down[] = {&h, &left};
    const cudaGraphNode_t a = kernel(body, NULL, 0, (void *)add, by_one);
    cudaGraph_t *bodies = conditional(body, &a, 1, always, cudaGraphCondTypeIf, 1, &inner);
    kernel(bodies[0], NULL, 0, (void *)add, by_ten);
    kernel(body, &inner, 1, (void *)count_down, down);
    DONE(cudaGraphInstantiate(&e, g, 0));
    for (int i = 0; i < 2; i++) {
        DONE(cudaMemcpy(left, &times, sizeof times, cudaMemcpyHostToDevice));
        CHECK(launched(e, sum) == 55);
    }
    DONE(cudaGraphExecDestroy(e));
    DONE(cudaGraphDestroy(g));
}

int main() {
    unsigned *sum, *value;
    DONE(cudaMalloc(&sum, sizeof *sum));
    DONE(cudaMalloc(&value, sizeof *value));
    CHECK(chosen(cudaGraphCondTypeIf, 1, 7, sum, value) == 1001);
    CHECK(chosen(cudaGraphCondTypeIf, 1, 0, sum, value) == 1000);
    CHECK(chosen(cudaGraphCondTypeIf, 2, 0, sum, value) == 1010);
    for (unsigned i = 0; i < 4; i++) CHECK(chosen(cudaGraphCondTypeSwitch, 3, i, sum, value) == 1000 + (i == 0 ? 1 : i == 1 ? 10 : i == 2 ? 100 : 0));
    loop(sum, value);
    cudaGraph_t g;
    cudaGraphNode_t node;
    cudaGraphConditionalHandle h;
    DONE(cudaGraphCreate(&g, 0));
    DONE(cudaGraphConditionalHandleCreate(&h, g));
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.handle = h, p.conditional.type = cudaGraphCondTypeWhile, p.conditional.size = 2;
    CHECK(cudaGraphAddNode(&node, g, NULL, NULL, 0, &p) == cudaErrorInvalidValue);
    DONE(cudaGraphDestroy(g));
    puts(wrong ? "FAILED" : "PASSED");
    return wrong != 0;
}
