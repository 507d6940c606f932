// SPDX-License-Identifier: Apache-2.0
#include "sm/parts/order.h"

#include "sm/parts/explain_inst.h"
#include "sm/parts/hazards.h"
#include "sm/state.h"

// Memory instructions of a warp.
typedef struct Outstanding {
    uint16_t accesses, writes;  // not yet performed; of these, stores and atomics
    uint16_t atomics;           // not yet performed at L2
    uint16_t all;               // not yet done
} Outstanding;

struct Order {
    Outstanding of[SM_MAX_WARPS];
};

void order_open(Sm *sm, Arena *arena) { sm->order = ARENA_NEW(arena, Order); }

void order_warp_begins(Sm *sm, int warp) { sm->order->of[warp] = (Outstanding){0}; }

Hazard order_query(const Sm *sm, int warp, const SmInst *in) {
    const Outstanding *o = &sm->order->of[warp];
    if (in->isa->op == ISA_BAR) return o->accesses || o->atomics ? HAZARD_MEMBAR : HAZARD_NONE;
    if (in->isa->op == ISA_MEMBAR) return o->all ? HAZARD_MEMBAR : HAZARD_NONE;
    if (in->mem == SM_MEM_READ && o->writes) return HAZARD_ORDER;
    if (in->mem >= SM_MEM_WRITE && o->accesses) return HAZARD_ORDER;
    if (in->global && in->mem != SM_MEM_ATOMIC && o->atomics) return HAZARD_LONG;
    return HAZARD_NONE;
}

void order_begin(Sm *sm, const Flight *f) {
    if (f->stream->apart) return;
    Outstanding *o = &sm->order->of[f->warp];
    o->all++;
    o->accesses++;
    if (f->inst->mem >= SM_MEM_WRITE) o->writes++;
    if (f->inst->mem == SM_MEM_ATOMIC) o->atomics++;
}

void order_performed(Sm *sm, const Flight *f) {
    if (f->stream->apart) return;
    Outstanding *o = &sm->order->of[f->warp];
    o->accesses--;
    if (f->inst->mem >= SM_MEM_WRITE) o->writes--;
    hazards_passed(sm, f->warp, 1u << HAZARD_ORDER | 1u << HAZARD_MEMBAR);
}

void order_atomic_performed(Sm *sm, const Flight *f) {
    sm->order->of[f->warp].atomics--;
    hazards_passed(sm, f->warp, 1u << HAZARD_LONG | 1u << HAZARD_MEMBAR);
}

void order_done(Sm *sm, const Flight *f) {
    if (f->stream->apart) return;
    sm->order->of[f->warp].all--;
    hazards_passed(sm, f->warp, 1u << HAZARD_MEMBAR);
}

bool order_idle(const Sm *sm, int warp) {
    return !sm->order->of[warp].all && !sm->order->of[warp].atomics;
}

bool order_explain(Text *t, const Sm *sm, int warp, Hazard hazard) {
    const Outstanding *o = &sm->order->of[warp];
    if (hazard == HAZARD_MEMBAR) text_add(t, "waits for %u memory instructions of its own", o->all);
    else if (hazard == HAZARD_ORDER)
        text_add(t, "waits for %u older memory instructions in collectors", o->accesses);
    else if (hazard == HAZARD_LONG) text_add(t, "waits for %u atomics", o->atomics);
    else return false;
    return true;
}
