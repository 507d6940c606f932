// SPDX-License-Identifier: Apache-2.0
// Graphs: lists of work with dependencies. One that is instantiated is an ordered copy; a launch
// does its nodes one after the other. Work given to a stream that captures becomes nodes instead of
// being done.
//
// An allocation node has its address from its creation until the program ends. Freeing it, in a
// graph or by cudaFree, keeps the memory for later launches of the graph.
#include "cuda/cuda_runtime.h"

#include <stdlib.h>
#include <string.h>

// The numbers of cudaGraphNodeType.
typedef enum NodeKind {
    NODE_KERNEL,
    NODE_COPY,
    NODE_FILL,
    NODE_HOST,
    NODE_CHILD,
    NODE_EMPTY,
    NODE_EVENT_WAIT,
    NODE_EVENT_RECORD,
    NODE_ALLOC = 10,
    NODE_FREE = 11,
    NODE_CONDITIONAL = 13
} NodeKind;
enum { CONDITION_IF, CONDITION_WHILE, CONDITION_SWITCH };

typedef struct Fill {
    void *to;
    size_t pitch;
    unsigned value, element;
    size_t width, height;  // width in elements
} Fill;

typedef struct Work {
    NodeKind kind;
    Function *function;  // KERNEL
    LaunchDims dims;
    void *params;  // packed; owned
    Rows rows;     // COPY
    int direction;
    Fill fill;
    void (*host)(void *);
    void *data;
    struct Graph *child;  // owned
    cudaEvent_t event;
    struct Memory *memory;  // ALLOC, FREE of such memory
    void *freed;            // FREE of other memory
    uint64_t condition;     // CONDITIONAL: device address of its value
    int conditional;        // IF, WHILE, SWITCH
    struct Graph **bodies;  // owned, as is the array
    int nbodies;
} Work;

struct Node {
    Work work;
    struct Graph *graph;
    struct Node **needs;
    int nneeds, mark;
    const struct Node *origin;  // in a copy: the node that it was made of
};
typedef struct Node Node;

// A value that kernels set and conditional nodes read: its handle is its device address.
typedef struct Condition {
    uint64_t at;
    unsigned value;  // at each launch
    struct Condition *next;
} Condition;

typedef struct Graph {
    Node **nodes;
    int n, cap;
    bool is_child;
    Condition *conditions;  // those with a value at each launch
} Graph;

typedef struct Exec {
    Graph *graph;  // its nodes are in an order of execution
    uint64_t flags;
} Exec;

// Memory of allocation nodes.
typedef struct Memory {
    char *at;
    size_t bytes;
    bool live;
    const Node *freed_by;  // in a graph: reusable behind that node
    struct Memory *next;
} Memory;

enum { UPDATE_OK, UPDATE_ERROR, UPDATE_TOPOLOGY, UPDATE_NODE_TYPE };

// ---- nodes ----

static void work_free(Work *w);

static void graph_free(Graph *g) {
    if (!g) return;
    for (int i = 0; i < g->n; i++) {
        work_free(&g->nodes[i]->work);
        free(g->nodes[i]->needs);
        free(g->nodes[i]);
    }
    free(g->nodes);
    for (Condition *c = g->conditions, *next; c; c = next) next = c->next, free(c);
    free(g);
}

static void work_free(Work *w) {
    free(w->params);
    graph_free(w->child);
    for (int i = 0; i < w->nbodies; i++) graph_free(w->bodies[i]);
    free(w->bodies);
}

static cudaError_t graph_add(Graph *g, Node *const *needs, size_t nneeds, const Work *work,
                             Node **made) {
    Node *node = calloc(1, sizeof *node);
    Node **copy = calloc(nneeds + 1, sizeof *copy);
    if (g->n == g->cap) {
        g->cap = g->cap ? 2 * g->cap : 16;
        g->nodes = realloc(g->nodes, (size_t)g->cap * sizeof *g->nodes);
    }
    if (!node || !copy || !g->nodes) abort();
    if (nneeds) memcpy(copy, needs, nneeds * sizeof *copy);
    *node = (Node){.work = *work, .graph = g, .needs = copy, .nneeds = (int)nneeds};
    g->nodes[g->n++] = node;
    if (made) *made = node;
    return CUDA_Success;
}

static Graph *graph_new(void) {
    Graph *g = calloc(1, sizeof *g);
    if (!g) abort();
    return g;
}

static Graph *graph_copy(const Graph *g, const Node *const *order);
static Graph *graph_ordered(const Graph *g);

static Work work_copy(const Work *from) {
    Work w = *from;
    if (w.params) {
        w.params = malloc(w.function->param_bytes + 8);
        if (!w.params) abort();
        memcpy(w.params, from->params, w.function->param_bytes);
    }
    if (w.child) w.child = graph_copy(w.child, NULL);
    if (w.nbodies) w.bodies = calloc((size_t)w.nbodies, sizeof *w.bodies);
    if (w.nbodies && !w.bodies) abort();
    for (int i = 0; i < w.nbodies; i++) w.bodies[i] = graph_ordered(from->bodies[i]);
    return w;
}

static void add_condition(Graph *g, uint64_t at, unsigned value) {
    Condition *c = malloc(sizeof *c);
    if (!c) abort();
    *c = (Condition){at, value, g->conditions};
    g->conditions = c;
}

// The copy of a node's origin; NULL: not copied yet.
static Node *copy_of(const Graph *copy, const Node *origin) {
    for (int i = 0; i < copy->n; i++)
        if (copy->nodes[i]->origin == origin) return copy->nodes[i];
    return NULL;
}

static Graph *graph_copy(const Graph *g, const Node *const *order) {
    Graph *copy = graph_new();
    for (int i = 0; i < g->n; i++) {
        const Node *from = order ? order[i] : g->nodes[i];
        const Work w = work_copy(&from->work);
        Node *node;
        graph_add(copy, NULL, 0, &w, &node);
        node->origin = from;
    }
    for (int i = 0; i < copy->n; i++) {
        Node *node = copy->nodes[i];
        const Node *from = node->origin;
        node->needs = realloc(node->needs, ((size_t)from->nneeds + 1) * sizeof *node->needs);
        if (!node->needs) abort();
        for (int k = 0; k < from->nneeds; k++)
            if (copy_of(copy, from->needs[k]))
                node->needs[node->nneeds++] = copy_of(copy, from->needs[k]);
    }
    for (const Condition *c = g->conditions; c; c = c->next) add_condition(copy, c->at, c->value);
    return copy;
}

// Nodes behind all that they need, else in the order in which they were made. False: they need each
// other.
static bool in_order(const Graph *g, const Node **order) {
    int n = 0;
    for (int i = 0; i < g->n; i++) g->nodes[i]->mark = 0;
    for (int before = -1; n < g->n && n > before;) {
        before = n;
        for (int i = 0; i < g->n; i++) {
            Node *node = g->nodes[i];
            bool ready = !node->mark;
            for (int k = 0; k < node->nneeds && ready; k++) ready = node->needs[k]->mark;
            if (ready) node->mark = 1, order[n++] = node;
        }
    }
    return n == g->n;
}

// A copy in such an order; NULL: there is none.
static Graph *graph_ordered(const Graph *g) {
    const Node **order = calloc((size_t)g->n + 1, sizeof *order);
    if (!order) abort();
    Graph *copy = in_order(g, order) ? graph_copy(g, order) : NULL;
    free(order);
    return copy;
}

static bool node_reaches(const Node *from, const Node *to) {
    if (from == to) return true;
    for (int k = 0; k < from->nneeds; k++)
        if (node_reaches(from->needs[k], to)) return true;
    return false;
}

// ---- memory of allocation nodes ----

// Memory of the same size that a node before this one has freed, or new memory.
static cudaError_t memory_take(Node *const *needs, size_t nneeds, size_t bytes, Memory **got) {
    for (Memory *m = runtime.memories; m; m = m->next)
        for (size_t i = 0; i < nneeds && m->bytes == bytes && m->freed_by; i++)
            if (needs[i]->graph == m->freed_by->graph && node_reaches(needs[i], m->freed_by))
                return m->freed_by = NULL, *got = m, CUDA_Success;
    uint64_t at;
    const cudaError_t error = address_take(bytes, CUDA_ALLOC_DEVICE, 0, &at);
    if (error) return error;
    Memory *m = *got = calloc(1, sizeof *m);
    if (!m) abort();
    *m = (Memory){.at = (char *)(uintptr_t)at, .bytes = bytes, .next = runtime.memories};
    return runtime.memories = m, CUDA_Success;
}

static Memory *memory_of(const void *p) {
    Memory *m = runtime.memories;
    while (m && m->at != p) m = m->next;
    return m;
}

bool graph_memory_free(void *p, cudaError_t *error) {
    Memory *m = memory_of(p);
    if (!m) return false;
    *error = m->live ? CUDA_Success : CUDA_InvalidValue;
    if (!m->live) runtime_warn("cudaFree: %p is memory of a graph that is not allocated now", p);
    m->live = false;
    return true;
}

static size_t memory_live(void) {
    size_t bytes = 0;
    for (const Memory *m = runtime.memories; m; m = m->next) bytes += m->live ? m->bytes : 0;
    return bytes;
}

// ---- doing it ----

static cudaError_t graph_run(const Graph *g);

static cudaError_t body_run(const Work *w, unsigned i) {
    return i >= (unsigned)w->nbodies ? CUDA_Success
        : w->bodies[i]               ? graph_run(w->bodies[i])
                                     : CUDA_InvalidValue;
}

static cudaError_t condition_do(const Work *w) {
    unsigned value;
    for (;;) {
        cudaError_t error =
            memory_copy("a condition of a graph", &value, (void *)(uintptr_t)w->condition,
                        sizeof value, COPY_FROM_DEVICE);
        if (error || (w->conditional == CONDITION_WHILE && !value)) return error;
        if (w->conditional == CONDITION_IF) return body_run(w, !value);
        if (w->conditional == CONDITION_SWITCH) return body_run(w, value);
        error = body_run(w, 0);
        if (error) return error;
    }
}

static cudaError_t work_do(const Work *w) {
    switch (w->kind) {
    case NODE_KERNEL: return launch_packed(w->function, &w->dims, w->params);
    case NODE_COPY: return memory_rows("a copy node of a graph", &w->rows, w->direction);
    case NODE_FILL:
        return memory_fill("a fill node of a graph", w->fill.to, w->fill.value,
                           (int)w->fill.element, w->fill.width * w->fill.element, w->fill.height,
                           w->fill.pitch);
    case NODE_HOST: return w->host(w->data), CUDA_Success;
    case NODE_CHILD: return graph_run(w->child);
    case NODE_CONDITIONAL: return condition_do(w);
    case NODE_EVENT_RECORD: return event_record(w->event);
    case NODE_ALLOC: return w->memory->live = true, CUDA_Success;
    case NODE_FREE:
        if (w->memory) return w->memory->live = false, CUDA_Success;
        return address_give((uint64_t)(uintptr_t)w->freed);
    default: return CUDA_Success;
    }
}

static cudaError_t graph_run(const Graph *g) {
    cudaError_t error = runtime.sticky;
    for (const Condition *c = g->conditions; c && !error; c = c->next)
        error = memory_copy("a condition of a graph", (void *)(uintptr_t)c->at, &c->value,
                            sizeof c->value, COPY_TO_DEVICE);
    for (int i = 0; i < g->n && !error; i++) error = work_do(&g->nodes[i]->work);
    return error;
}

// ---- capture ----

// Called by streams.c: adds the work of a capturing stream to its graph.
static cudaError_t work_capture(cudaStream_t stream, const Work *w) {
    Capture *c = stream_capture(stream);
    Node *node;
    graph_add(c->graph, c->last, (size_t)c->nlast, w, &node);
    capture_follow(c, node);
    return CUDA_Success;
}

cudaError_t capture_launch(cudaStream_t stream, Function *f, const LaunchDims *s, void **args) {
    Work w = {.kind = NODE_KERNEL, .function = f, .dims = *s};
    const cudaError_t error = launch_pack(f, args, &w.params);
    return error ? error : work_capture(stream, &w);
}
cudaError_t capture_rows(cudaStream_t stream, const Rows *r, int kind) {
    return work_capture(stream, &(Work){.kind = NODE_COPY, .rows = *r, .direction = kind});
}
cudaError_t capture_fill(cudaStream_t stream, void *to, unsigned value, int element, size_t width,
                         size_t height, size_t pitch) {
    return work_capture(
        stream,
        &(Work){.kind = NODE_FILL,
                .fill = {to, pitch, value, (unsigned)element, width / (size_t)element, height}});
}
cudaError_t capture_host(cudaStream_t stream, void (*function)(void *), void *data) {
    return work_capture(stream, &(Work){.kind = NODE_HOST, .host = function, .data = data});
}
cudaError_t capture_alloc(cudaStream_t stream, void **p, size_t bytes) {
    const Capture *c = stream_capture(stream);
    Work w = {.kind = NODE_ALLOC};
    const cudaError_t error = memory_take(c->last, (size_t)c->nlast, bytes, &w.memory);
    if (error) return error;
    *p = w.memory->at;
    return work_capture(stream, &w);
}

static Work free_of(void *p) {
    return (Work){.kind = NODE_FREE, .memory = memory_of(p), .freed = p};
}

cudaError_t capture_free(cudaStream_t stream, void *p) {
    const Work w = free_of(p);
    const cudaError_t error = work_capture(stream, &w);
    const Capture *c = stream_capture(stream);
    if (w.memory) w.memory->freed_by = c->last[0];
    return error;
}

Graph *capture_graph(void) { return graph_new(); }
void capture_drop(Graph *g) { graph_free(g); }

// ---- graphs of the API ----

API cudaError_t cudaGraphCreate(Graph **g, unsigned flags) {
    if (!g || flags) return set_error(CUDA_InvalidValue);
    *g = graph_new();
    return CUDA_Success;
}
API cudaError_t cudaGraphDestroy(Graph *g) {
    if (!g) return set_error(CUDA_InvalidValue);
    if (!g->is_child) graph_free(g);
    return CUDA_Success;
}
API cudaError_t cudaGraphClone(Graph **copy, const Graph *g) {
    if (!copy || !g) return set_error(CUDA_InvalidValue);
    *copy = graph_copy(g, NULL);
    return CUDA_Success;
}
API cudaError_t cudaGraphNodeFindInClone(Node **found, const Node *node, const Graph *copy) {
    if (!found || !node || !copy) return set_error(CUDA_InvalidValue);
    *found = copy_of(copy, node);
    return *found ? CUDA_Success : set_error(CUDA_InvalidValue);
}

typedef struct KernelNodeParams {
    const void *function;
    dim3 grid, block;
    unsigned shared;
    void **params, **extra;
} KernelNodeParams;

static cudaError_t kernel_work(const KernelNodeParams *p, Work *w) {
    if (!p) return CUDA_InvalidValue;
    *w = (Work){.kind = NODE_KERNEL,
                .function = function_find(p->function),
                .dims = {p->grid, p->block, p->shared, 0}};
    if (!w->function) return CUDA_InvalidDeviceFunction;
    if (p->extra) return runtime_refuse("cudaGraphAddKernelNode with extra parameters");
    return launch_pack(w->function, p->params, &w->params);
}

static cudaError_t graph_add_checked(Node **node, Graph *g, Node *const *needs, size_t n,
                                     const Work *w) {
    if (!node || !g || (n && !needs)) return set_error(CUDA_InvalidValue);
    for (size_t i = 0; i < n; i++)
        if (!needs[i] || needs[i]->graph != g) return set_error(CUDA_InvalidValue);
    return set_error(graph_add(g, needs, n, w, node));
}

API cudaError_t cudaGraphAddKernelNode(Node **node, Graph *g, Node *const *needs, size_t n,
                                       const KernelNodeParams *p) {
    Work w;
    const cudaError_t error = kernel_work(p, &w);
    return error ? set_error(error) : graph_add_checked(node, g, needs, n, &w);
}
API cudaError_t cudaGraphAddMemcpyNode(Node **node, Graph *g, Node *const *needs, size_t n,
                                       const void *copy) {
    Work w = {.kind = NODE_COPY};
    const cudaError_t error =
        copy ? memory_rows_3d(copy, &w.rows, &w.direction) : CUDA_InvalidValue;
    return error ? set_error(error) : graph_add_checked(node, g, needs, n, &w);
}
API cudaError_t cudaGraphAddMemcpyNode1D(Node **node, Graph *g, Node *const *needs, size_t n,
                                         void *to, const void *from, size_t bytes, int kind) {
    return graph_add_checked(
        node, g, needs, n,
        &(Work){.kind = NODE_COPY, .rows = rows_1d(to, from, bytes), .direction = kind});
}
API cudaError_t cudaGraphAddMemsetNode(Node **node, Graph *g, Node *const *needs, size_t n,
                                       const Fill *fill) {
    if (!fill || (fill->element != 1 && fill->element != 2 && fill->element != 4))
        return set_error(CUDA_InvalidValue);
    return graph_add_checked(node, g, needs, n, &(Work){.kind = NODE_FILL, .fill = *fill});
}
typedef struct HostNodeParams {
    void (*host)(void *);
    void *data;
} HostNodeParams;

API cudaError_t cudaGraphAddHostNode(Node **node, Graph *g, Node *const *needs, size_t n,
                                     const HostNodeParams *p) {
    if (!p || !p->host) return set_error(CUDA_InvalidValue);
    return graph_add_checked(node, g, needs, n,
                             &(Work){.kind = NODE_HOST, .host = p->host, .data = p->data});
}
API cudaError_t cudaGraphAddEmptyNode(Node **node, Graph *g, Node *const *needs, size_t n) {
    return graph_add_checked(node, g, needs, n, &(Work){.kind = NODE_EMPTY});
}
API cudaError_t cudaGraphAddChildGraphNode(Node **node, Graph *g, Node *const *needs, size_t n,
                                           const Graph *child) {
    if (!child) return set_error(CUDA_InvalidValue);
    const Work w = {.kind = NODE_CHILD, .child = graph_ordered(child)};
    if (!w.child) return set_error(CUDA_InvalidValue);
    w.child->is_child = true;
    return graph_add_checked(node, g, needs, n, &w);
}
API cudaError_t cudaGraphAddEventRecordNode(Node **node, Graph *g, Node *const *needs, size_t n,
                                            cudaEvent_t event) {
    if (!event) return set_error(CUDA_InvalidValue);
    return graph_add_checked(node, g, needs, n, &(Work){.kind = NODE_EVENT_RECORD, .event = event});
}
API cudaError_t cudaGraphAddEventWaitNode(Node **node, Graph *g, Node *const *needs, size_t n,
                                          cudaEvent_t event) {
    if (!event) return set_error(CUDA_InvalidValue);
    return graph_add_checked(node, g, needs, n, &(Work){.kind = NODE_EVENT_WAIT, .event = event});
}

typedef struct AllocNodeParams {
    struct {
        int type, handles, location[2];
        void *security;
        size_t most;
        unsigned short usage;
        char rest[54];
    } pool;
    const void *access;
    size_t naccess, bytes;
    void *at;
} AllocNodeParams;

API cudaError_t cudaGraphAddMemAllocNode(Node **node, Graph *g, Node *const *needs, size_t n,
                                         AllocNodeParams *p) {
    if (!p || !p->bytes || (n && !needs)) return set_error(CUDA_InvalidValue);
    Work w = {.kind = NODE_ALLOC};
    const cudaError_t error = memory_take(needs, n, p->bytes, &w.memory);
    if (error) return set_error(error);
    p->at = w.memory->at;
    return graph_add_checked(node, g, needs, n, &w);
}
API cudaError_t cudaGraphAddMemFreeNode(Node **node, Graph *g, Node *const *needs, size_t n,
                                        void *p) {
    if (!p) return set_error(CUDA_InvalidValue);
    const Work w = free_of(p);
    const cudaError_t error = graph_add_checked(node, g, needs, n, &w);
    if (!error && w.memory) w.memory->freed_by = *node;
    return error;
}

// ---- conditional nodes, and nodes of any kind ----

API cudaError_t cudaGraphConditionalHandleCreate(uint64_t *handle, Graph *g, unsigned value,
                                                 unsigned flags) {
    uint64_t at;
    if (!handle || !g || flags > 1) return set_error(CUDA_InvalidValue);
    const cudaError_t error = address_take(sizeof value, CUDA_ALLOC_DEVICE, 0, &at);
    if (error) return set_error(error);
    *handle = at;
    if (flags) add_condition(g, at, value);
    return CUDA_Success;
}

typedef struct ConditionalNodeParams {
    uint64_t handle;
    int type;
    unsigned size;
    Graph **bodies;
} ConditionalNodeParams;

static cudaError_t add_conditional(Node **node, Graph *g, Node *const *needs, size_t n,
                                   ConditionalNodeParams *p) {
    const unsigned most = p->type == CONDITION_WHILE ? 1 : p->type == CONDITION_IF ? 2 : 1 << 16;
    if (!p->handle || p->type < 0 || p->type > CONDITION_SWITCH || !p->size || p->size > most)
        return set_error(CUDA_InvalidValue);
    Work w = {.kind = NODE_CONDITIONAL,
              .condition = p->handle,
              .conditional = p->type,
              .nbodies = (int)p->size,
              .bodies = calloc(p->size, sizeof *w.bodies)};
    if (!w.bodies) abort();
    for (unsigned i = 0; i < p->size; i++) {
        w.bodies[i] = graph_new();
        w.bodies[i]->is_child = true;
    }
    p->bodies = w.bodies;
    return graph_add_checked(node, g, needs, n, &w);
}

typedef struct NodeParams {
    int type, reserved[3];
    union {
        KernelNodeParams kernel;
        struct {
            int flags, reserved[3];
            char copy[160];
        } copy;
        Fill fill;
        HostNodeParams host;
        const Graph *child;
        cudaEvent_t event;
        AllocNodeParams alloc;
        void *freed;
        ConditionalNodeParams conditional;
        char all[232];
    } of;
    long long more;
} NodeParams;
_Static_assert(sizeof(NodeParams) == 256, "cudaGraphNodeParams");

static cudaError_t add_node(Node **node, Graph *g, Node *const *needs, size_t n, NodeParams *p) {
    if (!p) return set_error(CUDA_InvalidValue);
    switch (p->type) {
    case NODE_KERNEL: return cudaGraphAddKernelNode(node, g, needs, n, &p->of.kernel);
    case NODE_COPY: return cudaGraphAddMemcpyNode(node, g, needs, n, p->of.copy.copy);
    case NODE_FILL: return cudaGraphAddMemsetNode(node, g, needs, n, &p->of.fill);
    case NODE_HOST: return cudaGraphAddHostNode(node, g, needs, n, &p->of.host);
    case NODE_CHILD: return cudaGraphAddChildGraphNode(node, g, needs, n, p->of.child);
    case NODE_EMPTY: return cudaGraphAddEmptyNode(node, g, needs, n);
    case NODE_EVENT_RECORD: return cudaGraphAddEventRecordNode(node, g, needs, n, p->of.event);
    case NODE_EVENT_WAIT: return cudaGraphAddEventWaitNode(node, g, needs, n, p->of.event);
    case NODE_ALLOC: return cudaGraphAddMemAllocNode(node, g, needs, n, &p->of.alloc);
    case NODE_FREE: return cudaGraphAddMemFreeNode(node, g, needs, n, p->of.freed);
    case NODE_CONDITIONAL: return add_conditional(node, g, needs, n, &p->of.conditional);
    default: return set_error(runtime_refuse("cudaGraphAddNode with a node of this kind"));
    }
}
#if CUDART_VERSION_MAJOR >= 13
API cudaError_t cudaGraphAddNode(Node **node, Graph *g, Node *const *needs, const void *edges,
                                 size_t n, NodeParams *p) {
    return (void)edges, add_node(node, g, needs, n, p);
}
#else
API cudaError_t cudaGraphAddNode(Node **node, Graph *g, Node *const *needs, size_t n,
                                 NodeParams *p) {
    return add_node(node, g, needs, n, p);
}
#endif
API cudaError_t cudaGraphAddNode_v2(Node **node, Graph *g, Node *const *needs, const void *edges,
                                    size_t n, NodeParams *p) {
    return (void)edges, add_node(node, g, needs, n, p);
}

#if CUDART_VERSION_MAJOR >= 13
API cudaError_t cudaGraphAddDependencies(Graph *g, Node *const *from, Node *const *to,
                                         const void *edges, size_t n) {
    (void)edges;
#else
API cudaError_t cudaGraphAddDependencies(Graph *g, Node *const *from, Node *const *to, size_t n) {
#endif
    for (size_t i = 0; i < n; i++) {
        if (!from[i] || !to[i] || from[i]->graph != g || to[i]->graph != g)
            return set_error(CUDA_InvalidValue);
        Node *node = to[i];
        node->needs = realloc(node->needs, ((size_t)node->nneeds + 2) * sizeof *node->needs);
        if (!node->needs) abort();
        node->needs[node->nneeds++] = from[i];
    }
    return CUDA_Success;
}

// Those that need nothing, or all. nodes NULL: how many there are.
static cudaError_t graph_list_nodes(const Graph *g, Node **nodes, size_t *n, bool roots) {
    size_t all = 0;
    if (!g || !n) return set_error(CUDA_InvalidValue);
    for (int i = 0; i < g->n; i++) {
        if (roots && g->nodes[i]->nneeds) continue;
        if (nodes && all < *n) nodes[all] = g->nodes[i];
        all++;
    }
    if (nodes)
        for (size_t i = all; i < *n; i++) nodes[i] = NULL;
    *n = all;
    return CUDA_Success;
}
API cudaError_t cudaGraphGetNodes(const Graph *g, Node **nodes, size_t *n) {
    return graph_list_nodes(g, nodes, n, false);
}
API cudaError_t cudaGraphGetRootNodes(const Graph *g, Node **nodes, size_t *n) {
    return graph_list_nodes(g, nodes, n, true);
}
API cudaError_t cudaGraphNodeGetType(const Node *node, int *type) {
    if (!node || !type) return set_error(CUDA_InvalidValue);
    *type = (int)node->work.kind;
    return CUDA_Success;
}

static cudaError_t work_replace(Work *w, const Work *by) {
    work_free(w);
    *w = *by;
    return CUDA_Success;
}
API cudaError_t cudaGraphKernelNodeSetParams(Node *node, const KernelNodeParams *p) {
    Work w;
    const cudaError_t error =
        node && node->work.kind == NODE_KERNEL ? kernel_work(p, &w) : CUDA_InvalidValue;
    return set_error(error ? error : work_replace(&node->work, &w));
}

// ---- graphs that are launched ----

static cudaError_t graph_instantiate(Exec **exec, const Graph *g, uint64_t flags) {
    if (!exec || !g) return CUDA_InvalidValue;
    Graph *copy = graph_ordered(g);
    if (!copy) return CUDA_InvalidValue;
    *exec = calloc(1, sizeof **exec);
    if (!*exec) abort();
    **exec = (Exec){copy, flags};
    return CUDA_Success;
}

#if CUDART_VERSION_MAJOR >= 12
API cudaError_t cudaGraphInstantiate(Exec **exec, const Graph *g, unsigned long long flags) {
    return set_error(graph_instantiate(exec, g, flags));
}
#else
API cudaError_t cudaGraphInstantiate(Exec **exec, const Graph *g, Node **bad, char *log,
                                     size_t bytes) {
    if (bad) *bad = NULL;
    if (log && bytes) *log = '\0';
    return set_error(graph_instantiate(exec, g, 0));
}
#endif
API cudaError_t cudaGraphInstantiateWithFlags(Exec **exec, const Graph *g,
                                              unsigned long long flags) {
    return set_error(graph_instantiate(exec, g, flags));
}
API cudaError_t cudaGraphExecGetFlags(const Exec *e, unsigned long long *flags) {
    if (!e || !flags) return set_error(CUDA_InvalidValue);
    *flags = e->flags;
    return CUDA_Success;
}
API cudaError_t cudaGraphExecDestroy(Exec *e) {
    if (!e) return set_error(CUDA_InvalidValue);
    graph_free(e->graph);
    free(e);
    return CUDA_Success;
}
API cudaError_t cudaGraphUpload(Exec *e, cudaStream_t stream) {
    return (void)stream, e ? CUDA_Success : set_error(CUDA_InvalidValue);
}
API cudaError_t cudaGraphLaunch(Exec *e, cudaStream_t stream) {
    if (!e) return set_error(CUDA_InvalidValue);
    if (!stream_capture(stream)) return set_error(graph_run(e->graph));
    const Work w = {.kind = NODE_CHILD, .child = graph_copy(e->graph, NULL)};
    return set_error(work_capture(stream, &w));
}

static Work *work_in(const Exec *e, const Node *node, NodeKind kind) {
    Node *copy = e && node ? copy_of(e->graph, node) : NULL;
    return copy && copy->work.kind == kind ? &copy->work : NULL;
}

API cudaError_t cudaGraphExecKernelNodeSetParams(Exec *e, const Node *node,
                                                 const KernelNodeParams *p) {
    Work w, *old = work_in(e, node, NODE_KERNEL);
    const cudaError_t error = old ? kernel_work(p, &w) : CUDA_InvalidValue;
    return set_error(error ? error : work_replace(old, &w));
}
API cudaError_t cudaGraphExecMemcpyNodeSetParams(Exec *e, const Node *node, const void *copy) {
    Work w = {.kind = NODE_COPY}, *old = work_in(e, node, NODE_COPY);
    const cudaError_t error =
        old && copy ? memory_rows_3d(copy, &w.rows, &w.direction) : CUDA_InvalidValue;
    return set_error(error ? error : work_replace(old, &w));
}
API cudaError_t cudaGraphExecMemcpyNodeSetParams1D(Exec *e, const Node *node, void *to,
                                                   const void *from, size_t bytes, int kind) {
    Work *old = work_in(e, node, NODE_COPY);
    if (!old) return set_error(CUDA_InvalidValue);
    return work_replace(
        old, &(Work){.kind = NODE_COPY, .rows = rows_1d(to, from, bytes), .direction = kind});
}
API cudaError_t cudaGraphExecMemsetNodeSetParams(Exec *e, const Node *node, const Fill *fill) {
    Work *old = work_in(e, node, NODE_FILL);
    if (!old || !fill) return set_error(CUDA_InvalidValue);
    return work_replace(old, &(Work){.kind = NODE_FILL, .fill = *fill});
}
API cudaError_t cudaGraphExecHostNodeSetParams(Exec *e, const Node *node, const HostNodeParams *p) {
    Work *old = work_in(e, node, NODE_HOST);
    if (!old || !p) return set_error(CUDA_InvalidValue);
    return work_replace(old, &(Work){.kind = NODE_HOST, .host = p->host, .data = p->data});
}

// All parameters as in g, which must have the same nodes and dependencies.
static cudaError_t exec_update(Exec *e, const Graph *g, int *how) {
    const Node **order = calloc((size_t)g->n + 1, sizeof *order);
    if (!order) abort();
    *how = g->n == e->graph->n && in_order(g, order) ? UPDATE_OK : UPDATE_TOPOLOGY;
    for (int i = 0; i < g->n && *how == UPDATE_OK; i++) {
        if (order[i]->nneeds != e->graph->nodes[i]->nneeds) *how = UPDATE_TOPOLOGY;
        else if (order[i]->work.kind != e->graph->nodes[i]->work.kind) *how = UPDATE_NODE_TYPE;
    }
    for (int i = 0; i < g->n && *how == UPDATE_OK; i++) {
        const Work w = work_copy(&order[i]->work);
        work_replace(&e->graph->nodes[i]->work, &w);
    }
    free(order);
    return *how == UPDATE_OK ? CUDA_Success : CUDA_GraphExecUpdateFailure;
}

#if CUDART_VERSION_MAJOR >= 12
typedef struct UpdateResult {
    int how;
    Node *at, *from;
} UpdateResult;

API cudaError_t cudaGraphExecUpdate(Exec *e, const Graph *g, UpdateResult *result) {
    if (!e || !g || !result) return set_error(CUDA_InvalidValue);
    result->at = result->from = NULL;
    return set_error(exec_update(e, g, &result->how));
}
#else
API cudaError_t cudaGraphExecUpdate(Exec *e, const Graph *g, Node **at, int *how) {
    if (!e || !g || !how) return set_error(CUDA_InvalidValue);
    if (at) *at = NULL;
    return set_error(exec_update(e, g, how));
}
#endif

// Attributes 0, 1: memory in use now, at most; 2, 3: memory kept for graphs, which never shrinks
// here.
API cudaError_t cudaDeviceGetGraphMemAttribute(int device, int attribute, void *value) {
    if (device || !value || attribute < 0 || attribute > 3) return set_error(CUDA_InvalidValue);
    uint64_t all = 0;
    for (const Memory *m = runtime.memories; m; m = m->next) all += m->bytes;
    *(uint64_t *)value = attribute ? all : memory_live();
    return CUDA_Success;
}
API cudaError_t cudaDeviceSetGraphMemAttribute(int device, int attribute, void *value) {
    return (void)attribute, (void)value, device ? set_error(CUDA_InvalidValue) : CUDA_Success;
}
API cudaError_t cudaDeviceGraphMemTrim(int device) {
    return device ? set_error(CUDA_InvalidDevice) : CUDA_Success;
}
