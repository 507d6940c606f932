// SPDX-License-Identifier: Apache-2.0
// System calls of device code: vprintf, assertion failure, malloc, free. The argument block is in
// the thread's local memory; threads of a warp are served in lane order.
#include "sm/stages/syscall.h"

#include "launch/device_heap.h"
#include "launch/device_printf.h"
#include "sm/listeners/explain_state.h"
#include "sm/parts/explain_inst.h"
#include "sm/stages/writeback.h"
#include "sm/state.h"

#include <string.h>

typedef struct Caller {
    Sm *sm;
    int warp, lane;
} Caller;

static bool read_local(const Caller *c, uint64_t a, uint8_t *to, uint32_t bytes) {
    if (a >= c->sm->local_bytes || c->sm->local_bytes - a < bytes) return false;
    for (uint32_t i = 0; i < bytes; i++) {
        const uint32_t *word = sm_local_word(c->sm, c->warp, (uint32_t)(a + i) / 4, c->lane);
        to[i] = (uint8_t)(*word >> (8 * ((a + i) % 4)));
    }
    return true;
}

static bool copy_from(const uint8_t *image, uint64_t size, uint64_t at, void *to, uint32_t bytes) {
    if (!image || at >= size || size - at < bytes) return false;
    memcpy(to, image + at, bytes);
    return true;
}

// The thread's generic address space.
static bool read_generic(void *ctx, uint64_t addr, void *to, uint32_t bytes) {
    const Caller *c = ctx;
    Sm *sm = c->sm;
    const GpuLaunch *l = sm->launch;
    switch (device_space_of(addr)) {
    case PTX_LOCAL: return read_local(c, addr - DEVICE_LOCAL_BASE, to, bytes);
    case PTX_SHARED:
        return copy_from(sm->shared + (size_t)sm->warps[c->warp].cta * sm->shared_per_cta,
                         (uint64_t)l->program->shared_bytes + l->shared_bytes,
                         addr - DEVICE_SHARED_BASE, to, bytes);
    case PTX_CONST:
        return l->layout &&
            copy_from(l->layout->const_image, l->layout->const_bytes, addr - DEVICE_CONST_BASE, to,
                      bytes);
    case PTX_PARAM:
        return copy_from(l->params, (uint64_t)l->program->param_bytes, addr - DEVICE_PARAM_BASE, to,
                         bytes);
    default: break;
    }
    const uint8_t *p = device_at(sm->memory, addr, bytes);
    if (p) memcpy(to, p, bytes);
    return p != NULL;
}

static void place_and_thread(const Caller *c, const Flight *f, char *place, char *thread) {
    explain_place(c->sm, f->stream, f->pc, place, 256);
    explain_thread(c->sm, c->warp, c->lane, thread, 128);
}

static void bad_call(const Caller *c, const Flight *f, const char *what) {
    char place[256], thread[128];
    place_and_thread(c, f, place, thread);
    sm_fail(c->sm, EXIT_WRONG_RESULT, "%s: %s, called by %s", place, what, thread);
}

static void fail_assertion(Caller *c, const Flight *f, const uint8_t *block) {
    uint64_t message, file, function;
    uint32_t line;
    memcpy(&message, block, 8);
    memcpy(&file, block + 8, 8);
    memcpy(&line, block + 16, 4);
    memcpy(&function, block + 24, 8);
    char text[256], name[256], in[256], place[256], thread[128];
    device_string(read_generic, c, message, text, sizeof text);
    device_string(read_generic, c, file, name, sizeof name);
    device_string(read_generic, c, function, in, sizeof in);
    place_and_thread(c, f, place, thread);
    sm_fail(c->sm, EXIT_WRONG_RESULT, "%s: assertion `%s` failed at %s:%u in %s, %s", place, text,
            name, line, in, thread);
}

static bool call_lane(Caller *c, Flight *f, const uint8_t *block) {
    Gpu *g = c->sm->gpu;
    uint64_t a, b, result = 0;
    memcpy(&a, block, 8);
    memcpy(&b, block + 8, 8);
    switch ((IsaSyscall)f->inst->isa->mode) {
    case ISA_SYS_VPRINTF: {
        int n = device_printf(g->options.print_to, read_generic, c, a, b);
        if (n < 0) {
            bad_call(c, f,
                     n == -1 ? "the format of printf cannot be read"
                             : "an argument of printf cannot be read, or "
                               "its conversion is unknown");
            return false;
        }
        result = (uint64_t)n;
        break;
    }
    case ISA_SYS_ASSERTFAIL: fail_assertion(c, f, block); return false;
    case ISA_SYS_MALLOC: result = device_malloc(c->sm->memory, a); break;
    case ISA_SYS_FREE:
        if (device_free(c->sm->memory, a)) break;
        bad_call(c, f, "free of an address that malloc did not return");
        return false;
    }
    f->out.dst[0][c->lane] = (uint32_t)result;
    f->out.dst[1][c->lane] = (uint32_t)(result >> 32);
    return true;
}

void syscall_execute(Sm *sm, Flight *f) {
    static const uint32_t block_bytes[] = {16, 40, 8, 8};
    const IsaInst *isa = f->inst->isa;
    const uint32_t *address = flight_source(f, 0, 0);
    for (uint32_t left = f->active; left; left &= left - 1) {
        Caller c = {sm, f->warp, __builtin_ctz(left)};
        uint8_t block[48] = {0};
        uint32_t at = address[c.lane] + (uint32_t)isa->offset;
        if (!read_local(&c, at, block, block_bytes[isa->mode])) {
            bad_call(&c, f, "the argument block is beyond local memory");
            return;
        }
        if (!call_lane(&c, f, block)) return;
    }
    notify_syscall(sm, (SyscallEvent){f, address});
    wheel_put(sm, f, f->inst->latency);
}
