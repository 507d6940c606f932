// SPDX-License-Identifier: Apache-2.0
// Launches and copies by kernels: the records of a grid in the queue (device_runtime.h).
#include "device/context_parts.h"

#include "device/device_runtime.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int by_order(const void *a, const void *b) {
    const DeviceQueueSlot *x = a, *y = b;
    return x->order < y->order ? -1 : x->order > y->order;
}

static int copy_queued(Context *c, const DeviceQueueSlot *s) {
    uint8_t *from = rows_bytes(c, "a copy by a kernel, from", s->from, s->bytes, false);
    uint8_t *to = from ? rows_bytes(c, "a copy by a kernel, to", s->to, s->bytes, true) : NULL;
    if (!to) return CUDA_InvalidValue;
    memmove(to, from, s->bytes);
    return CUDA_Success;
}

static CudaDims dims_of(const DeviceQueueSlot *s) {
    CudaDims dims = {.shared = s->shared};
    for (int i = 0; i < 3; i++) dims.grid[i] = s->grid[i], dims.block[i] = s->block[i];
    return dims;
}

// An entry of the module that the launching kernel belongs to.
static const char *find_entry(const PtxModule *ptx, uint64_t function) {
    int i = 0;
    while (i < ptx->nfuncs && ptx_function_address(i) != function) i++;
    return i < ptx->nfuncs && ptx->funcs[i].is_entry ? ptx->funcs[i].name : NULL;
}

static int launch_slot(Context *c, ContextModule *m, const DeviceQueueSlot *s) {
    const ContextFunction f = {m, find_entry(m->loaded.module, s->function)};
    if (!f.name) {
        context_warn(c, "a launch from the device of 0x%" PRIx64 ", which is no kernel",
                     s->function);
        return CUDA_InvalidDeviceFunction;
    }
    const CudaDims dims = dims_of(s);
    KernelLaunch l = launches_dims(&dims);
    LoadedKernel *k;
    int error = launches_check(c, &f, &dims);
    if (!error) error = function_kernel(c, &f, &l, &k);
    if (error) return error;
    if (k->entry->param_bytes > DEVICE_QUEUE_PARAMS) {
        context_warn(c,
                     "kernel %s, launched from the device, has %d bytes of parameters: at most %d "
                     "are supported",
                     f.name, (int)k->entry->param_bytes, DEVICE_QUEUE_PARAMS);
        return CUDA_NotSupported;
    }
    if ((error = launches_reach(c, k, s->params))) return error;
    l.params = s->params;
    return launches_one(c, &f, &l, k);
}

int queued_launch(Context *c, ContextModule *m) {
    DeviceQueueHead *head = (void *)device_find(&c->run.memory, c->queue, DEVICE_QUEUE_BYTES);
    int error = CUDA_Success;
    while (head->taken && !error) {
        if (head->taken > DEVICE_QUEUE_SLOTS)
            context_warn(c, "%u simultaneous launches from the device: %d fit, the others failed",
                         head->taken, DEVICE_QUEUE_SLOTS);
        const size_t n = head->taken < DEVICE_QUEUE_SLOTS ? head->taken : DEVICE_QUEUE_SLOTS;
        DeviceQueueSlot *slots = malloc(n * sizeof *slots);
        panic_if(!slots, "out of memory");
        memcpy(slots, head + 1, n * sizeof *slots);
        *head = (DeviceQueueHead){0};
        qsort(slots, n, sizeof *slots, by_order);
        for (size_t i = 0; i < n && !error; i++) {
            if (!slots[i].order) continue;
            error = slots[i].function ? launch_slot(c, m, &slots[i]) : copy_queued(c, &slots[i]);
        }
        free(slots);
    }
    *head = (DeviceQueueHead){0};
    return error;
}
