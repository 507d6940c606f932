// SPDX-License-Identifier: Apache-2.0
// SM signals for waves: words that the harness samples when all inputs of a cycle are complete.
#include "sm/core.h"

void view_register(Sm *sm, Cosim *cosim) {
    Arena *a = &sm->names;
    cosim_signal(cosim, "sm", "cycle", 32, &sm->w_cycle);
    cosim_signal(cosim, "sm", "collectors_busy", 6, &sm->w_busy_slots);
    cosim_signal(cosim, "sm", "results_waiting", 8, &sm->w_queue);
    cosim_signal(cosim, "sm", "units_busy", sm->nports, &sm->w_units);
    for (int i = 0; i < sm->cfg->sm_schedulers; i++) {
        const char *scope = arena_printf(a, "sm.scheduler%d", i);
        cosim_signal(cosim, scope, "issued_warp", 8, &sm->sched[i].issued_word);
        cosim_signal(cosim, scope, "stall_class", 8, &sm->sched[i].class_word);
    }
    for (int w = 0; w < sm->cfg->sm_warps; w++) {
        const char *scope = arena_printf(a, "sm.warp%d", w);
        cosim_signal(cosim, scope, "state", 4, &sm->warps[w].state);
        cosim_signal(cosim, scope, "pc", 32, &sm->warps[w].pc);
        cosim_signal(cosim, scope, "mask", 32, &sm->warps[w].mask);
    }
}

void view_cycle(Sm *sm) {
    sm->w_cycle = (uint32_t)sm->cycle;
    sm->w_busy_slots = (uint32_t)sm->busy_slots;
    sm->w_queue = (uint32_t)sm->queue_count;
    sm->w_units = 0;
    for (int p = 0; p < sm->nports; p++) sm->w_units |= (uint32_t)(sm->unit_free[p] > sm->cycle) << p;
    stall_states(sm);
}
