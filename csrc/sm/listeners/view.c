// SPDX-License-Identifier: Apache-2.0
// SM signals for waves: words and texts that the harness samples when all inputs of a cycle are
// complete.
#include "sm/listeners/listeners.h"

#include "sm/listeners/states.h"
#include "sm/listeners/explain_text.h"
#include "sm/stages/execute.h"
#include "sm/stages/writeback.h"
#include "sm/state.h"

// One scheduler in this cycle.
typedef struct SchedulerView {
    uint32_t warp;  // issued; 255 for none
    uint32_t pc;    // its instruction
    uint32_t what;  // CTR_ISSUED or stall class
} SchedulerView;

struct View {
    SchedulerView sched[SM_MAX_SCHED];
    States states;
    uint32_t cycle, busy_slots, queue, units;  // words with no other home
    // "w3 pc 12 iadd R4, ..": [warp][pc], made when first shown; NULL: none yet
    const char **texts;
    const char *issued[SM_MAX_SCHED], *warp[SM_MAX_WARPS];
    const char **collector, **entry;
    Arena names;  // names and texts of signals
};

static void add_signals(Sm *sm, View *v) {
    Arena *a = &v->names;
    Cosim *cosim = sm->cosim;
    for (int i = 0; i < sm->cfg->sm_schedulers; i++) {
        const char *scope = arena_printf(a, "sm.scheduler%d", i);
        cosim_text(cosim, scope, "issues", &v->issued[i]);
        cosim_signal(cosim, scope, "issued_warp", 8, &v->sched[i].warp);
        cosim_signal(cosim, scope, "stall_class", 8, &v->sched[i].what);
    }
    cosim_signal(cosim, "sm", "cycle", 32, &v->cycle);
    cosim_signal(cosim, "sm", "collectors_busy", sm->ports.slots->nslots < 64 ? 6 : 16,
                 &v->busy_slots);
    cosim_signal(cosim, "sm", "results_waiting", 8, &v->queue);
    cosim_signal(cosim, "sm", "units_busy", sm->ndisp, &v->units);
    for (int i = 0; i < sm->ports.slots->nslots; i++)
        cosim_text(cosim, "sm.collectors", arena_printf(a, "collector%d", i), &v->collector[i]);
    for (int i = 0; i < sm->ports.slots->nentries; i++)
        cosim_text(cosim, "sm.collectors", arena_printf(a, "entry%d", i), &v->entry[i]);
    for (int w = 0; w < sm->cfg->sm_warps; w++) {
        const char *scope = arena_printf(a, "sm.warp%d", w);
        cosim_text(cosim, scope, "next", &v->warp[w]);
        cosim_signal(cosim, scope, "state", 4, &v->states.of[w]);
        cosim_signal(cosim, scope, "pc", 32, &sm->warps[w].own.pc);
        cosim_signal(cosim, scope, "mask", 32, &sm->warps[w].own.mask);
    }
}

// The instruction of a warp in words. Each text is created once and stays valid until the SM is
// closed.
static const char *text_of(const Sm *sm, View *v, int warp, uint32_t pc) {
    if (pc >= (uint32_t)sm->program.ninsts) return NULL;
    if (!v->texts)
        v->texts = ARENA_ARRAY(&v->names, const char *, SM_MAX_WARPS * sm->program.ninsts);
    const char **text = &v->texts[warp * sm->program.ninsts + (int)pc];
    if (*text) return *text;
    char buf[240] = "";
    Text t = {buf, sizeof buf, 0};
    text_wave(&t, sm, warp, (int)pc);
    return *text = arena_printf(&v->names, "%s", buf);
}

static const char *flight_text(const Sm *sm, View *v, const Flight *f) {
    if (!f) return NULL;
    if (!inst_stream_is_own(sm, f->warp, f->stream)) return isa_op_info[f->inst->isa->op].name;
    return text_of(sm, v, f->warp, (uint32_t)f->pc);
}

static void view_texts(Sm *sm, View *v) {
    for (int i = 0; i < sm->cfg->sm_schedulers; i++) {
        const SchedulerView *s = &v->sched[i];
        v->issued[i] =
            s->warp == 255 ? counter_info[s->what].name : text_of(sm, v, (int)s->warp, s->pc);
    }
    for (int w = 0; w < sm->cfg->sm_warps; w++) {
        bool runs = (sm->resident & ~sm->ended) & warp_bit(w);
        v->warp[w] = runs ? text_of(sm, v, w, sm->warps[w].own.pc) : NULL;
    }
    for (int i = 0; i < sm->ports.slots->nslots; i++) {
        const Flight *f = text_flight(sm, i);
        v->collector[i] = flight_text(sm, v, f);
    }
    for (int i = 0; i < sm->ports.slots->nentries; i++) {
        const Waiting *w = slots_entry(sm->ports.slots, i);
        v->entry[i] = flight_text(sm, v, w ? w->flight : NULL);
    }
}

// ---- events ----

static void on_issued(Sm *sm, void *self, const IssueEvent *e) {
    View *v = self;
    if (!inst_stream_is_own(sm, e->warp, e->stream)) return;
    v->sched[e->scheduler].warp = (uint32_t)e->warp;
    v->sched[e->scheduler].pc = e->pc;
}

static void on_class(Sm *sm, void *self, const ClassEvent *e) {
    (void)sm;
    ((View *)self)->sched[e->scheduler].what = (uint32_t)e->what;
}

static void on_driven(Sm *sm, void *self, const CycleEvent *e) {
    View *v = self;
    view_texts(sm, v);
    v->cycle = (uint32_t)e->cycle;
    v->busy_slots = (uint32_t)sm->ports.slots->busy;
    v->queue = (uint32_t)writeback_waiting(sm);
    v->units = execute_busy(sm);
    states_update(sm, &v->states);
}

static void on_cycle_begin(Sm *sm, void *self, const CycleEvent *e) {
    View *v = self;
    (void)e;
    for (int i = 0; i < sm->cfg->sm_schedulers; i++) v->sched[i].warp = 255;
}

static void on_kernel_begin(Sm *sm, void *self, const KernelEvent *e) {
    (void)sm;
    (void)e;
    ((View *)self)->texts = NULL;  // of another program
}

// If the cycles of a wave start later, the listener wakes in the middle of the run. The listener
// keeps its state only while a wave is written.
static const Listener shows = {.kernel_begin = on_kernel_begin,
                               .cycle_begin = on_cycle_begin,
                               .issued = on_issued,
                               .scheduler_class = on_class,
                               .driven = on_driven};

static void wave_begins(void *ctx) {
    Sm *sm = ctx;
    events_subscribe(sm, &shows, sm->view);
}

void view_listen(Sm *sm, Arena *arena) {
    View *v = sm->view = ARENA_NEW(arena, View);
    v->collector = ARENA_ARRAY(arena, const char *, sm->ports.slots->nslots);
    v->entry = ARENA_ARRAY(arena, const char *, sm->ports.slots->nentries);
    for (int i = 0; i < SM_MAX_SCHED; i++) v->sched[i].warp = 255;
    add_signals(sm, v);
    cosim_on_wave(sm->cosim, wave_begins, sm);
}

void view_unlisten(Sm *sm) {
    if (sm->view) arena_free(&sm->view->names);
}
