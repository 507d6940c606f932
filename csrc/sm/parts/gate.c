// SPDX-License-Identifier: Apache-2.0
#include "sm/parts/gate.h"

#include "sm/state.h"

void gate_bind(Sm *sm, const IssueGate *part, void *self) {
    GateSet *g = &sm->gates;
    panic_if(g->n == SM_MAX_PARTS, "more than %d issue gates", SM_MAX_PARTS);
    g->of[g->n++] = (BoundGate){part, self};
}

WarpSet gates_may(const Sm *sm, WarpSet warps) {
    for (int i = 0; i < sm->gates.n; i++)
        if (sm->gates.of[i].part->may)
            warps &= sm->gates.of[i].part->may(sm, sm->gates.of[i].self, warps);
    return warps;
}

bool gates_act(Sm *sm, int warp, const SmInst *in) {
    for (int i = 0; i < sm->gates.n; i++) {
        const BoundGate *g = &sm->gates.of[i];
        if (!g->part->act || g->part->act(sm, g->self, warp, in)) continue;
        sm->parked |= warp_bit(warp);
        sm->gates.at[warp] = (uint8_t)i;
        return false;
    }
    return true;
}

const IssueGate *gate_of(const Sm *sm, int warp) {
    if (sm->parked & warp_bit(warp)) return sm->gates.of[sm->gates.at[warp]].part;
    for (int i = 0; i < sm->gates.n; i++) {
        const BoundGate *g = &sm->gates.of[i];
        if (g->part->may && !g->part->may(sm, g->self, warp_bit(warp))) return g->part;
    }
    return NULL;
}

void gate_unpark(Sm *sm, int warp) { sm->parked &= ~warp_bit(warp); }
