// SPDX-License-Identifier: Apache-2.0
// The program smcosim with --threads 2 simulating the parts of a window one after the other in the order that SMS_ORDER
// names (reverse, odd: odd ones first), so that what depends on the order shows without luck; and with one fault seeded
// into what brings SMs together, which SMS_FAULT names (none: no fault). The linker (--wrap) puts __wrap_NAME where
// other files call NAME; __real_NAME is the original.
#include "launch/writes.h"
#include "mem/internal.h"
#include "sm/crew.h"
#include "sm/state.h"
#include "sm/window.h"

#include <stdlib.h>
#include <string.h>

// What ld's --wrap calls them.
void __real_crew_run(Crew *c, int n, void (*task)(void *ctx, int i), void *ctx);
void __wrap_crew_run(Crew *c, int n, void (*task)(void *ctx, int i), void *ctx);
void __real_window_store(Sm *sm, uint32_t addr, const void *bytes, uint32_t n);
void __wrap_window_store(Sm *sm, uint32_t addr, const void *bytes, uint32_t n);
void __real_apart_performed(MemSystem *m, const Packet *k);
void __wrap_apart_performed(MemSystem *m, const Packet *k);
void __real_device_writes_apply(DeviceWrites *w, DeviceMemory *m);
void __wrap_device_writes_apply(DeviceWrites *w, DeviceMemory *m);

static bool is(const char *variable, const char *value) {
    const char *text = getenv(variable);
    return text && !strcmp(text, value);
}

void __wrap_crew_run(Crew *c, int n, void (*task)(void *ctx, int i), void *ctx) {
    if (is("SMS_ORDER", "reverse")) {
        for (int i = n - 1; i >= 0; i--) task(ctx, i);
    } else if (is("SMS_ORDER", "odd")) {
        for (int i = 1; i < n; i += 2) task(ctx, i);
        for (int i = 0; i < n; i += 2) task(ctx, i);
    } else {
        __real_crew_run(c, n, task, ctx);
    }
}

// The other SMs see a store in the window in which it is made.
void __wrap_window_store(Sm *sm, uint32_t addr, const void *bytes, uint32_t n) {
    if (is("SMS_FAULT", "store-at-once")) memcpy(device_at(sm->memory, addr, n), bytes, n);
    else __real_window_store(sm, addr, bytes, n);
}

// An atomic changes memory, and its SM, in the window in which it reaches L2.
void __wrap_apart_performed(MemSystem *m, const Packet *k) {
    const Port *port = &m->apart.near[k->port]->ports[k->port];
    if (is("SMS_FAULT", "atomic-at-once")) m->perform(m->perform_ctx, k->port, port->slots[k->slot].token, k->lanes);
    else __real_apart_performed(m, k);
}

// Every 50th time what was stored is forgotten.
void __wrap_device_writes_apply(DeviceWrites *w, DeviceMemory *m) {
    static int calls;
    if (is("SMS_FAULT", "lost-stores") && device_writes_any(w) && ++calls % 50 == 0) {
        DeviceMemory nowhere = *m;
        nowhere.base = calloc(1, 1ull << 31);
        panic_if(!nowhere.base, "out of memory");
        __real_device_writes_apply(w, &nowhere);
        free(nowhere.base);
        return;
    }
    __real_device_writes_apply(w, m);
}
