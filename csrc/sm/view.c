// SPDX-License-Identifier: Apache-2.0
// SM signals for waves: words and texts that the harness samples when all inputs of a cycle are complete.
#include "sm/text.h"

void view_register(Sm *sm, Cosim *cosim) {
    Arena *a = &sm->names;
    for (int i = 0; i < sm->cfg->sm_schedulers; i++) {
        const char *scope = arena_printf(a, "sm.scheduler%d", i);
        cosim_text(cosim, scope, "issues", &sm->w_issued[i]);
        cosim_signal(cosim, scope, "issued_warp", 8, &sm->sched[i].issued_word);
        cosim_signal(cosim, scope, "stall_class", 8, &sm->sched[i].class_word);
    }
    cosim_signal(cosim, "sm", "cycle", 32, &sm->w_cycle);
    cosim_signal(cosim, "sm", "collectors_busy", 6, &sm->w_busy_slots);
    cosim_signal(cosim, "sm", "results_waiting", 8, &sm->w_queue);
    cosim_signal(cosim, "sm", "units_busy", sm->nports, &sm->w_units);
    for (int i = 0; i < sm->cfg->oc_collectors; i++)
        cosim_text(cosim, "sm.collectors", arena_printf(a, "collector%d", i), &sm->w_collector[i]);
    for (int i = 0; i < sm->cfg->oc_alloc_ports; i++)
        cosim_text(cosim, "sm.collectors", arena_printf(a, "entry%d", i), &sm->w_entry[i]);
    for (int w = 0; w < sm->cfg->sm_warps; w++) {
        const char *scope = arena_printf(a, "sm.warp%d", w);
        cosim_text(cosim, scope, "next", &sm->w_warp[w]);
        cosim_signal(cosim, scope, "state", 4, &sm->warps[w].state);
        cosim_signal(cosim, scope, "pc", 32, &sm->warps[w].pc);
        cosim_signal(cosim, scope, "mask", 32, &sm->warps[w].mask);
    }
}

// The instruction of a warp in words. Each is made once and stays readable until the SM is closed.
static const char *text_of(Sm *sm, int warp, uint32_t pc) {
    if (pc >= (uint32_t)sm->ninsts) return NULL;
    if (!sm->w_texts) sm->w_texts = ARENA_ARRAY(&sm->names, const char *, SM_MAX_WARPS * sm->ninsts);
    const char **text = &sm->w_texts[warp * sm->ninsts + (int)pc];
    if (*text) return *text;
    char buf[240] = "";
    Text t = {buf, sizeof buf, 0};
    text_wave(&t, sm, warp, (int)pc);
    return *text = arena_printf(&sm->names, "%s", buf);
}

static void view_texts(Sm *sm) {
    for (int i = 0; i < sm->cfg->sm_schedulers; i++) {
        const Scheduler *s = &sm->sched[i];
        sm->w_issued[i] = s->issued_word == 255 ? counter_info[s->class_word].name
                                                : text_of(sm, (int)s->issued_word, s->issued_pc);
    }
    for (int w = 0; w < sm->cfg->sm_warps; w++) {
        bool runs = (sm->resident & ~sm->ended) & bit64(w);
        sm->w_warp[w] = runs ? text_of(sm, w, sm->warps[w].pc) : NULL;
    }
    for (int i = 0; i < sm->cfg->oc_collectors; i++) {
        const Flight *f = text_flight(sm, i);
        sm->w_collector[i] = f ? text_of(sm, f->warp, (uint32_t)f->pc) : NULL;
    }
    for (int i = 0; i < sm->cfg->oc_alloc_ports; i++) {
        const Flight *f = sm->entries >> i & 1 ? &sm->flights[sm->entry[i].flight] : NULL;
        sm->w_entry[i] = f ? text_of(sm, f->warp, (uint32_t)f->pc) : NULL;
    }
}

void view_cycle(Sm *sm) {
    if (sm->waves) view_texts(sm);
    sm->w_cycle = (uint32_t)sm->cycle;
    sm->w_busy_slots = (uint32_t)sm->busy_slots;
    sm->w_queue = (uint32_t)sm->queue_count;
    sm->w_units = 0;
    for (int p = 0; p < sm->nports; p++) sm->w_units |= (uint32_t)(sm->unit_free[p] > sm->cycle) << p;
    stall_states(sm);
}
