// SPDX-License-Identifier: Apache-2.0
// From execution to the register file: a wheel of latencies, the queue of results, the write ports.
//
// Results enter the queue when their latency is over and leave it oldest first, one register per write
// port and cycle; a result of several registers takes several slots. A port that the block does not
// serve (wr_ready) keeps its register for the next cycle. A register's scoreboard bit falls when it is
// written (wr_done, in the baseline when it is taken): what issues in this cycle and later reads it.
//
// A path may take registers a cycle sooner (RegPath.early): it has the last stage of the unit, in which a
// result's width is found, so that a register is written when the baseline would write it. Predicates do not
// go that way: they are written when they always are.
#include "sm/core.h"

#include <string.h>

void wheel_put(Sm *sm, Flight *f, int latency) {
    f->early = sm->path->early && f->inst->nwrites && latency > 1;
    latency -= f->early;
    int at = (int)((sm->cycle + (unsigned)latency) % SM_WHEEL);
    int index = flight_index(sm, f);
    f->next = SM_NONE;
    if (sm->wheel_first[at] == SM_NONE) sm->wheel_first[at] = index;
    else sm->flights[sm->wheel_last[at]].next = index;
    sm->wheel_last[at] = index;
    sm->wheel_count++;
}

static void write_predicates(Sm *sm, Flight *f) {
    const IsaInst *isa = f->inst->isa;
    Warp *w = &sm->warps[f->warp];
    for (int i = 0; i < 2; i++) {
        int p = isa->pdst[i];
        if (p == ISA_PT) continue;
        w->pred[p] = (w->pred[p] & ~f->active) | (f->out.pdst[i] & f->active);
    }
    w->pend_pred &= (uint8_t)~f->inst->pred_writes;
    sm->dirty |= bit64(f->warp);
}

static void write_late_predicates(Sm *sm) {
    for (int index = sm->late_preds; index != SM_NONE; index = sm->flights[index].next_late)
        write_predicates(sm, &sm->flights[index]);
    sm->late_preds = SM_NONE;
}

void result_put(Sm *sm, Flight *f) {
    if (sm->retire && !retire_result(sm->retire, flight_index(sm, f), &f->out, sm->diag)) sm->failed = true;
    if (f->early) sm->count->v[CTR_EARLY_RESULTS] += f->inst->nwrites;
    if (f->inst->pred_writes && f->early) {
        f->next_late = sm->late_preds;
        sm->late_preds = flight_index(sm, f);
    } else if (f->inst->pred_writes) {
        write_predicates(sm, f);
    }
    if (!f->inst->nwrites) {
        flight_end(sm, f);
        return;
    }
    int index = flight_index(sm, f);
    f->next = SM_NONE;
    f->word = 0;
    if (sm->queue_count++ == 0) sm->queue_first = index;
    else sm->flights[sm->queue_last].next = index;
    sm->queue_last = index;
}

static void wheel_turn(Sm *sm) {
    int at = (int)(sm->cycle % SM_WHEEL);
    int index = sm->wheel_first[at];
    sm->wheel_first[at] = SM_NONE;
    while (index != SM_NONE) {
        Flight *f = &sm->flights[index];
        index = f->next;
        sm->wheel_count--;
        result_put(sm, f);
    }
}

// The next register of the oldest result goes to a free port.
static bool port_fill(Sm *sm, int port) {
    if (sm->queue_count == 0) return false;
    Flight *f = &sm->flights[sm->queue_first];
    const SmInst *in = f->inst;
    if (sm->path->known && !sm->path->known(sm, f)) return false;
    int word = f->word++;
    if (f->word == in->nwrites) {
        sm->queue_first = f->next;
        sm->queue_count--;
    }
    sm->write_port[port] = (WritePort){flight_index(sm, f), (uint8_t)word};
    sm->path->result(sm, port, f, word);
    sm->ports.wr_lane[port] = f->active;
    sm->count->v[CTR_RESULTS_1B + collect_width(f->out.dst[in->dst_word[word]], f->active) - 1]++;
    rf_slices_from_lanes(sm->ports.wr_data[port], f->out.dst[in->dst_word[word]]);
    return true;
}

// What issues from now on reads the register.
static void written(Sm *sm, int port) {
    panic_if(sm->nwriting[port] == 0, "write port %d has written what it was not given", port);
    WritePort p = sm->writing[port][0];
    memmove(sm->writing[port], sm->writing[port] + 1, sizeof p * (size_t)--sm->nwriting[port]);
    Flight *f = &sm->flights[p.flight];
    Warp *w = &sm->warps[f->warp];
    uint64_t bit = bit64(f->inst->dst_reg[p.word]);
    w->pend_write &= ~bit;
    w->pend_long &= ~bit;
    sm->dirty |= bit64(f->warp);
    if (--f->writes_left == 0) flight_end(sm, f);
}

void writeback_stage(Sm *sm) {
    if (sm->late_preds != SM_NONE) write_late_predicates(sm);
    if (sm->wheel_count) wheel_turn(sm);
    uint32_t valid = 0;
    for (int p = 0; p < sm->cfg->rf_write_ports; p++)
        if (sm->write_port[p].flight != SM_NONE || port_fill(sm, p)) valid |= 1u << p;
    sm->ports.wr_valid[0] = valid;
}

static uint32_t take_results(Sm *sm) {
    uint32_t valid = sm->ports.wr_valid[0];
    if (!valid) return 0;
    uint32_t taken = valid & sm->ports.wr_ready[0];
    for (uint32_t left = taken; left; left &= left - 1) {
        int port = __builtin_ctz(left);
        panic_if(sm->nwriting[port] == SM_MAX_WRITING, "write port %d takes more than it can hold", port);
        sm->writing[port][sm->nwriting[port]++] = sm->write_port[port];
        sm->write_port[port].flight = SM_NONE;
    }
    return taken;
}

void writeback_taken(Sm *sm) {
    uint32_t taken = take_results(sm);
    uint32_t done = sm->ports.wr_done ? *sm->ports.wr_done : taken;
    for (; done; done &= done - 1) written(sm, __builtin_ctz(done));
}
