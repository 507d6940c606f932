// SPDX-License-Identifier: Apache-2.0
// Stimuli of assist_ctrl: routines of few or many instructions in the slots of few or many warps.
// Issues follow deployments. Some of them are stores and jumps, to the end and one bit beside it.
// Kills occur at all times. Routines end after their last deployment, and before it.
#include "models/lines/assist_ctrl.h"
#include "models/params.h"
#include "models/stim_bins.h"

#include <stdlib.h>

enum { ASSIST_CTRL_PARAMS(BLOCK_INDEX) };

enum {
    KNOB_TRIGGER,
    KNOB_WARPS,
    KNOB_LENGTH,
    KNOB_ISSUE,
    KNOB_STORE,
    KNOB_JUMP,
    KNOB_KILL,
    KNOB_DONE,
    KNOB_EARLY,
    KNOB_OK,
    KNOB_TWO,
    KNOB_ROOM,
    KNOB_ONE_SIDE,
    KNOB_FAR,
    KNOBS
};
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"trigger", 2, 90, "percent of cycles with a trigger, for each priority"},
    {"warps", 1, 100, "percent of the warps that run routines"},
    {"length", 1, 30, "instructions of a routine, at most"},
    {"issue", 10, 90, "percent of ports that issue"},
    {"store", 0, 30, "percent of issues that are stores"},
    {"jump", 0, 40, "percent of issues that jump"},
    {"kill", 0, 10, "percent of entries that are killed in a cycle"},
    {"done", 5, 90, "percent of entries at their end that are done"},
    {"early", 0, 4, "percent of other entries that are done"},
    {"ok", 20, 100, "percent of entries whose next instruction may be staged"},
    {"two", 0, 90, "percent of entries whose next two instructions may be staged"},
    {"room", 10, 100, "percent of cycles with room for low priority"},
    {"one side", 0, 50, "percent of cycles in which entries of one priority alone are ok"},
    {"far", 0, 40, "percent of routines as long as can be, and of jumps to the far end"},
};

enum { INST_BITS = 8, LAST_INST = (1 << INST_BITS) - 1 };
enum { DEPLOYS = 4, EVENTS = 28, AT_ONCE = 4 };  // AT_ONCE: the last ones, with Cycles 1 alone
enum {
    E_BOTH,
    E_SAME_WARP,
    E_KILL_DONE,
    E_KILL_JUMP,
    E_KILL_STORE,
    E_KILL_PINNED,
    E_KILL_FREE,
    E_DONE_FREE,
    E_JUMP_END,
    E_STORE_DEPLOY,
    E_TRIGGER_AGAIN,
    E_NO_ROOM,
    E_NOT_OK,
    E_WRAP,
    E_LAST,
    E_FULL,
    E_TWO,
    E_TWO_LAST,
    E_OK_LOW,
    E_OK_HIGH,
    E_JUMP_BACK,
    E_JUMP_AHEAD,
    E_DONE_TRIGGER,
    E_KILL_TRIGGER,
    E_KILL_DEPLOY,
    E_DONE_DEPLOY,
    E_JUMP_DEPLOY,
    E_TWO_JUMP
};

typedef struct Entry {
    bool busy, killed, pinned, freed;  // freed: in the last cycle
    int inst, end;
} Entry;

typedef struct Env {
    int warps, ports, cycles;
    Entry of[2][ASSIST_MAX_WARPS];
    int last[2];                                // warp served last, of a class
    int trigger, deploy, event, target, reset;  // first bin of each group
    int reset_met;
} Env;

static void layout(Env *e, const int *params, BinList *l) {
    static const char *const priority[] = {"low", "high"},
                             *const deploys[DEPLOYS] = {"high", "pinned-low", "low", "none"},
                             *const resets[] = {"empty", "entries"};
    static const char *const events[EVENTS] = {"both-classes",
                                               "both-of-one-warp",
                                               "kill-and-done",
                                               "kill-and-jump",
                                               "kill-and-store",
                                               "kill-of-pinned",
                                               "kill-of-free",
                                               "done-of-free",
                                               "jump-to-end",
                                               "store-and-deploy",
                                               "trigger-after-done",
                                               "no-room",
                                               "not-ok",
                                               "ring-wraps",
                                               "last-warp",
                                               "half-of-warps-low",
                                               "two",
                                               "two-but-last",
                                               "ok-low-alone",
                                               "ok-high-alone",
                                               "jump-back-from-end",
                                               "jump-ahead-to-end",
                                               "done-and-trigger",
                                               "kill-and-trigger",
                                               "kill-and-candidate",
                                               "done-and-candidate",
                                               "jump-and-deploy",
                                               "two-and-jump"};
    e->warps = params[P_NumWarps];
    e->ports = params[P_NumIssue];
    e->cycles = params[P_Cycles];
    e->trigger = bin_words(l, "trigger", priority, 2);
    e->deploy = bin_words(l, "deploy", deploys, DEPLOYS);
    e->event = bin_words(l, "event", events, e->cycles == 1 ? EVENTS : EVENTS - AT_ONCE);
    e->target = bin_numbers(l, "jump beside the end", "bit", 0, INST_BITS);
    e->reset = bin_words(l, "reset", resets, 2);
}

static int ctrl_bins(const int *params, CoverBin *bins) {
    Env e;
    BinList l = {bins, 0};
    layout(&e, params, &l);
    return l.n;
}

static void *ctrl_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (e) layout(e, params, &(BinList){NULL, 0});
    return e;
}

static void ctrl_close(void *self) { free(self); }

static void ctrl_reset(void *self) {
    Env *e = self;
    e->reset_met = 1;
    for (int p = 0; p < 2; p++)
        for (int w = 0; w < e->warps; w++)
            if (e->of[p][w].busy) e->reset_met = 2;
    memset(e->of, 0, sizeof e->of);
    e->last[0] = e->last[1] = -1;
}

static bool bit_of(const uint32_t *set, int p, int w) { return set[2 * p + w / 32] >> w % 32 & 1; }
static void set_bit(uint32_t *set, int p, int w) { set[2 * p + w / 32] |= 1u << w % 32; }

static void draw_trigger(const Env *e, StimRandom *r, const int *knobs, AssistCtrlIn *in) {
    const uint32_t among = 1 + (uint32_t)((e->warps - 1) * knobs[KNOB_WARPS] / 100);
    in->trig_valid[0] = 0;
    for (int p = 0; p < 2; p++) {
        in->trig_valid[0] |= (uint32_t)stim_percent(r, knobs[KNOB_TRIGGER]) << p;
        in->trig_warp[p] = stim_below(r, 16) ? stim_below(r, among) : (uint32_t)e->warps - 1;
        in->trig_sr[p] = stim_below(r, 32);
        in->trig_end[p] = 1 + stim_below(r, (uint32_t)knobs[KNOB_LENGTH]);
        if (stim_percent(r, knobs[KNOB_FAR]) || stim_below(r, 32) == 0)
            in->trig_end[p] = stim_below(r, 2) ? LAST_INST : 1 + stim_below(r, LAST_INST);
        in->trig_mask[p] = stim_lanes(r);
    }
}

// Of an entry that is busy, where one is found.
static void draw_issue(const Env *e, StimRandom *r, const int *knobs, AssistCtrlIn *in) {
    in->iss_valid[0] = in->iss_high[0] = in->iss_store[0] = in->iss_jump[0] = 0;
    for (int i = 0; i < e->ports; i++) {
        int p = (int)stim_below(r, 2), w = (int)stim_below(r, (uint32_t)e->warps);
        for (int n = 0; n < e->warps && !e->of[p][w].busy; n++) w = (w + 1) % e->warps;
        const Entry *of = &e->of[p][w];
        in->iss_valid[0] |= (uint32_t)stim_percent(r, knobs[KNOB_ISSUE]) << i;
        in->iss_high[0] |= (uint32_t)p << i;
        in->iss_warp[i] = (uint32_t)w;
        in->iss_store[0] |= (uint32_t)stim_percent(r, knobs[KNOB_STORE]) << i;
        in->iss_jump[0] |= (uint32_t)stim_percent(r, knobs[KNOB_JUMP]) << i;
        // beyond the end: never driven
        const uint32_t beside = (uint32_t)of->end ^ 1u << stim_below(r, INST_BITS);
        in->iss_target[i] =
            stim_below(r, 4) ? stim_below(r, (uint32_t)of->end + 1) : (uint32_t)of->end;
        if (stim_below(r, 4) == 0 && (int)beside < of->end) in->iss_target[i] = beside;
        if (stim_percent(r, knobs[KNOB_FAR]))
            in->iss_target[i] = of->inst < of->end / 2 ? (uint32_t)of->end - stim_below(r, 2) : 0;
    }
}

static void ctrl_randomize(void *self, StimRandom *r, const int *knobs, void *inputs) {
    const Env *e = self;
    AssistCtrlIn *in = inputs;
    draw_trigger(e, r, knobs, in);
    draw_issue(e, r, knobs, in);
    for (int i = 0; i < 4; i++) {
        in->kill[i] = in->done[i] = 0;
        in->ok[i] = stim_bits(r, knobs[KNOB_OK]);
        in->ok2[i] = stim_bits(r, knobs[KNOB_TWO]);
    }
    if (stim_percent(r, knobs[KNOB_ONE_SIDE])) {
        const int off = 2 * (int)stim_below(r, 2);
        in->ok[off] = in->ok[off + 1] = 0;
    }
    for (int p = 0; p < 2; p++) {
        for (int w = 0; w < 64; w++) {
            const Entry *of = &e->of[p][w];
            const bool ends = of->busy && (of->killed || of->inst == of->end);
            if (stim_percent(r, knobs[KNOB_KILL])) set_bit(in->kill, p, w);
            if (stim_percent(r, knobs[ends ? KNOB_DONE : KNOB_EARLY])) set_bit(in->done, p, w);
        }
    }
    in->low_room[0] = stim_percent(r, knobs[KNOB_ROOM]);
}

static void ctrl_constrain(void *self, void *inputs, const void *outputs) {
    const Env *e = self;
    AssistCtrlIn *in = inputs;
    (void)outputs;
    for (int p = 0; p < 2; p++) {
        if ((int)in->trig_warp[p] >= e->warps) in->trig_warp[p] = (uint32_t)e->warps - 1;
        if (e->of[p][in->trig_warp[p]].busy || !in->trig_end[p]) in->trig_valid[0] &= ~(1u << p);
    }
    for (int i = 0; i < e->ports; i++) {
        if ((int)in->iss_warp[i] >= e->warps) in->iss_warp[i] = (uint32_t)e->warps - 1;
        const Entry *of = &e->of[in->iss_high[0] >> i & 1][in->iss_warp[i]];
        if (!of->busy || of->killed || (int)in->iss_target[i] > of->end)
            in->iss_valid[0] &= ~(1u << i);
        for (int k = 0; k < i; k++)
            if (in->iss_valid[0] >> k & 1 && in->iss_warp[k] == in->iss_warp[i] &&
                (in->iss_high[0] >> k & 1) == (in->iss_high[0] >> i & 1))
                in->iss_valid[0] &= ~(1u << i);
    }
    if (e->cycles == 1) return;
    for (int i = 0; i < 4; i++) in->ok[i] &= ~(in->kill[i] | in->done[i]);
    for (int i = 0; i < e->ports; i++)
        if (in->iss_valid[0] & in->iss_jump[0] & 1u << i)
            in->ok[2 * (in->iss_high[0] >> i & 1) + in->iss_warp[i] / 32] &=
                ~(1u << in->iss_warp[i] % 32);
}

// The event of a port for the entry; -1: none.
static int port_of(const Env *e, const AssistCtrlIn *in, int p, int w) {
    for (int i = 0; i < e->ports; i++)
        if (in->iss_valid[0] >> i & 1 && (int)in->iss_warp[i] == w &&
            (int)(in->iss_high[0] >> i & 1) == p)
            return i;
    return -1;
}

typedef struct Seen {
    bool one, two, no_room, not_ok, deployed;
} Seen;

static void see_entry(Env *e, const AssistCtrlIn *in, const AssistCtrlOut *out, int p, int w,
                      Seen *s, uint64_t *hits) {
    Entry *of = &e->of[p][w];
    const bool kill = bit_of(in->kill, p, w), done = bit_of(in->done, p, w),
               ok = bit_of(in->ok, p, w);
    const int port = port_of(e, in, p, w);
    const bool jump = port >= 0 && in->iss_jump[0] >> port & 1,
               store = port >= 0 && in->iss_store[0] >> port & 1;
    uint64_t *event = hits + e->event;
    of->freed = of->busy && done;
    if (!of->busy) {
        event[E_KILL_FREE] += kill;
        event[E_DONE_FREE] += done;
        return;
    }
    const bool was = of->pinned;
    const int inst = of->inst;
    if (jump) of->inst = (int)in->iss_target[port];
    of->pinned |= port >= 0 && (p || store);
    event[E_KILL_PINNED] += kill && was;
    event[E_KILL_STORE] += kill && store && !was && !p;
    event[E_KILL_JUMP] += kill && jump && !of->pinned;
    event[E_KILL_DONE] += kill && done;
    event[E_JUMP_BACK] += jump && inst - of->inst > LAST_INST / 2;
    event[E_JUMP_AHEAD] += jump && of->inst - inst > LAST_INST / 2;
    event[E_JUMP_END] += jump && of->inst == of->end;
    const unsigned off = (unsigned)(of->inst ^ of->end);
    if (jump && off && !(off & (off - 1))) hits[e->target + __builtin_ctz(off)]++;
    const bool could = !of->killed && of->inst != of->end;
    const bool dies = kill && !of->pinned, stays = could && !dies && !done;
    if (could && ok && dies && !done) event[E_KILL_DEPLOY]++;
    if (could && ok && done) event[E_DONE_DEPLOY]++;
    s->not_ok |= stays && !ok;
    s->one |= stays && ok && (p || of->pinned);
    s->two |= stays && ok && !p && !of->pinned && in->low_room[0];
    s->no_room |= stays && ok && !p && !of->pinned && !in->low_room[0];
    s->deployed = out->dep_valid[0] && (int)out->dep_warp[0] == w && (int)out->dep_high[0] == p;
    if (s->deployed) {
        const int class = !p && !of->pinned;
        hits[e->deploy + (p ? 0 : of->pinned ? 1 : 2)]++;
        if (jump) event[E_JUMP_DEPLOY]++;
        event[E_STORE_DEPLOY] += store && !p && !was;
        event[E_WRAP] += w <= e->last[class];
        event[E_LAST] += w == e->warps - 1;
        e->last[class] = w;
        event[E_TWO] += out->dep_two[0];
        if (out->dep_two[0] && jump) event[E_TWO_JUMP]++;
        event[E_TWO_LAST] += bit_of(in->ok2, p, w) && of->inst + 1 == of->end;
        of->inst += out->dep_two[0] ? 2 : 1;
    }
    of->killed |= dies;
    of->busy = !done;
}

static void ctrl_observe(void *self, const void *inputs, const void *outputs, uint64_t *hits) {
    Env *e = self;
    const AssistCtrlIn *in = inputs;
    const AssistCtrlOut *out = outputs;
    Seen s = {0};
    int low = 0;
    bool was_freed[2] = {e->of[0][in->trig_warp[0]].freed, e->of[1][in->trig_warp[1]].freed};
    if (e->reset_met) hits[e->reset + e->reset_met - 1]++;
    e->reset_met = 0;
    for (int w = 0; w < e->warps; w++) low += e->of[0][w].busy;
    hits[e->event + E_FULL] += 2 * low >= e->warps;
    for (int p = 0; p < 2; p++)
        for (int w = 0; w < e->warps; w++) see_entry(e, in, out, p, w, &s, hits);
    hits[e->event + E_BOTH] += s.one && s.two;
    hits[e->event + E_NO_ROOM] += s.no_room && !out->dep_valid[0];
    const bool ok_low = in->ok[0] || in->ok[1], ok_high = in->ok[2] || in->ok[3];
    hits[e->event + E_OK_LOW] += out->dep_valid[0] && !ok_high;
    hits[e->event + E_OK_HIGH] += out->dep_valid[0] && !ok_low;
    hits[e->event + E_NOT_OK] += s.not_ok && !out->dep_valid[0];
    hits[e->deploy + 3] += !out->dep_valid[0];
    for (int p = 0; p < 2; p++) {
        if (!(in->trig_valid[0] >> p & 1)) continue;
        hits[e->trigger + p]++;
        hits[e->event + E_DONE_TRIGGER] += bit_of(in->done, p, (int)in->trig_warp[p]);
        hits[e->event + E_KILL_TRIGGER] += bit_of(in->kill, p, (int)in->trig_warp[p]);
        hits[e->event + E_TRIGGER_AGAIN] += was_freed[p];
        e->of[p][in->trig_warp[p]] = (Entry){.busy = true, .end = (int)in->trig_end[p]};
    }
    hits[e->event + E_SAME_WARP] += in->trig_valid[0] == 3 && in->trig_warp[0] == in->trig_warp[1];
}

static const StimShape SHAPES[] = {
    {"NumWarps=5 NumIssue=4", "a ring that is no power of two, as many issues as there can be"},
    {"NumWarps=7 Cycles=2", "a deployment sees the cycles before its own alone"},
    {0},
};

const BlockStim assist_ctrl_stim = {.shapes = SHAPES,
                                    .knobs = KNOB_TABLE,
                                    .nknobs = KNOBS,
                                    .bins = ctrl_bins,
                                    .open = ctrl_open,
                                    .close = ctrl_close,
                                    .reset = ctrl_reset,
                                    .randomize = ctrl_randomize,
                                    .constrain = ctrl_constrain,
                                    .observe = ctrl_observe};
