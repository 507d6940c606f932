// SPDX-License-Identifier: Apache-2.0
#include "sm/parts/load.h"

#include "sm/state.h"

void load_bind(Sm *sm, const LoadPort *part, void *self) {
    LoadSet *l = &sm->loads;
    panic_if(l->n == SM_MAX_PARTS, "more than %d load ports", SM_MAX_PARTS);
    panic_if(part->stages > sm->cfg->exec_mem_latency && part->stages != LOAD_AT_END,
             "a load port stands behind the address pipe");
    l->of[l->n++] = (BoundLoad){part, self};
}

bool loads_have_room(const Sm *sm) {
    for (int i = 0; i < sm->loads.n; i++) {
        const BoundLoad *port = &sm->loads.of[i];
        if (port->part->room && !port->part->room(sm, port->self)) return false;
    }
    return true;
}

bool loads_pre_load(const Sm *sm, const Flight *f) {
    for (int i = 0; i < sm->loads.n; i++) {
        const BoundLoad *port = &sm->loads.of[i];
        if (port->part->pre_loads && port->part->pre_loads(sm, port->self, f)) return true;
    }
    return false;
}
