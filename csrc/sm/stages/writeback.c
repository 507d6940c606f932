// SPDX-License-Identifier: Apache-2.0
// From execution to the register file: a wheel of latencies, the queue of results, the write ports.
//
// A result enters the queue when its latency is over. The oldest result leaves the queue first, and
// each result port of the operand path takes one register per cycle. A result of several registers
// therefore takes several turns. A port without a grant of the block (wr_ready) keeps its register
// for the next cycle. A register's scoreboard bit is cleared when the register is written (wr_done;
// in the baseline when it is accepted). Instructions that issue in this cycle and later read it.
//
// A path may accept registers a cycle earlier (OperandPath.early). The path then contains the last
// stage of the unit, which determines the width of a result. A register is therefore written in the
// same cycle as in the baseline. Predicates do not pass through this stage and are written at their
// usual time.
#include "sm/stages/writeback.h"

#include "sm/parts/hazards.h"
#include "sm/state.h"

enum {
    WHEEL = 1024,      // more than the longest latency
    RESULT_QUEUE = 8,  // results that wait before units stall
    MAX_WRITING = 4,   // results of one write port that were accepted and are not yet written
};

// one register of an instruction; flight NULL: no register
typedef struct Result {
    Flight *flight;
    uint8_t word;
} Result;

typedef struct WritePort {
    Result offered;
    Result writing[MAX_WRITING];  // accepted and not yet written, oldest first
    int nwriting;
} WritePort;

struct Writeback {
    FlightList wheel[WHEEL];  // results by the cycle in which they become available
    int wheel_count;
    FlightList queue;  // results that wait for write ports
    int queue_count;
    FlightList staged;  // results that enter the queue in the next cycle (PathPorts.staged)
    FlightList late;    // their predicates are written in the next cycle
    WritePort *port;
};

void writeback_open(Sm *sm, Arena *arena) {
    sm->wb = ARENA_NEW(arena, Writeback);
    sm->wb->port = ARENA_ARRAY(arena, WritePort, sm->ports.results);
}

void writeback_launch(Sm *sm) {
    Writeback *wb = sm->wb;
    for (int i = 0; i < WHEEL; i++) wb->wheel[i] = (FlightList){0};
    for (int i = 0; i < sm->ports.results; i++) wb->port[i] = (WritePort){0};
    wb->wheel_count = wb->queue_count = 0;
    wb->queue = wb->staged = wb->late = (FlightList){0};
}

bool writeback_full(const Sm *sm) { return sm->wb->queue_count >= RESULT_QUEUE; }

const Flight *writeback_offered(const Sm *sm, int port) {
    return sm->wb->port[port].offered.flight;
}

int writeback_waiting(const Sm *sm) { return sm->wb->queue_count; }

void wheel_put(Sm *sm, Flight *f, int latency) {
    f->early = sm->path->early && f->inst->nwrites && latency > 1;
    latency -= f->early;
    flight_push(&sm->wb->wheel[(sm->cycle + (unsigned)latency) % WHEEL], FLIGHT_AT, f);
    sm->wb->wheel_count++;
}

static void write_predicates(Sm *sm, Flight *f) {
    const IsaInst *isa = f->inst->isa;
    uint32_t *pred = f->stream->pred;
    for (int i = 0; i < 2; i++) {
        int p = isa->pdst[i];
        if (p == ISA_PT) continue;
        pred[p] = (pred[p] & ~f->active) | (f->out.pdst[i] & f->active);
    }
    hazards_preds_written(sm, f);
}

static void write_late_predicates(Sm *sm) {
    for (Flight *f; (f = flight_pop(&sm->wb->late, FLIGHT_LATE));) write_predicates(sm, f);
}

// Restores the old value of the destination in the kept lanes.
__attribute__((noinline)) static void keep_lanes(Flight *f) {
    const SmInst *in = f->inst;
    for (int i = 0; i < in->nwrites; i++) {
        int op = 0;
        while (in->op_reg[op] != in->dst_reg[i]) op++;
        for (uint32_t left = f->kept; left; left &= left - 1) {
            const int l = __builtin_ctz(left);
            f->out.dst[in->dst_word[i]][l] = f->ops[op][l];
        }
    }
}

// The next word from f->word on that must be written; nwrites: none.
static uint8_t next_word(const Flight *f) {
    uint8_t word = f->word;
    while (f->placed >> word & 1) word++;
    return word;
}

// A word that a load port has written needs no write port.
__attribute__((noinline)) static void skip_placed(Sm *sm, Flight *f) {
    for (uint32_t left = f->placed; left; left &= left - 1)
        hazards_written(sm, f, f->inst->dst_reg[__builtin_ctz(left)]);
    f->writes_left -= (uint8_t)__builtin_popcount(f->placed);
    f->word = next_word(f);
}

void result_put(Sm *sm, Flight *f) {
    if (f->kept) keep_lanes(f);
    notify_result(sm, (FlightEvent){f});
    if (f->inst->pred_writes && f->early) flight_push(&sm->wb->late, FLIGHT_LATE, f);
    else if (f->inst->pred_writes) write_predicates(sm, f);
    if (!f->inst->nwrites) {
        flight_end(sm, f);
        return;
    }
    f->word = 0;
    if (f->placed) skip_placed(sm, f);
    if (!f->writes_left) {
        flight_end(sm, f);
        return;
    }
    flight_push(sm->ports.staged ? &sm->wb->staged : &sm->wb->queue, FLIGHT_AT, f);
    sm->wb->queue_count++;
}

static void wheel_turn(Sm *sm) {
    FlightList *now = &sm->wb->wheel[sm->cycle % WHEEL];
    for (Flight *f; (f = flight_pop(now, FLIGHT_AT));) {
        sm->wb->wheel_count--;
        result_put(sm, f);
    }
}

// Assigns the next register of the oldest result to a free port.
static bool port_fill(Sm *sm, int port) {
    Flight *f = sm->wb->queue.first;
    if (!f) return false;
    const SmInst *in = f->inst;
    if (sm->path->known && !sm->path->known(sm, sm->path_self, f)) return false;
    int word = f->word++;
    if (f->placed) f->word = next_word(f);
    if (f->word == in->nwrites) {
        flight_pop(&sm->wb->queue, FLIGHT_AT);
        sm->wb->queue_count--;
    }
    sm->wb->port[port].offered = (Result){f, (uint8_t)word};
    sm->path->result(sm, sm->path_self, port, f, word);
    sm->ports.wr_lane[port] = f->active | f->kept;
    notify_offered(sm, (WordEvent){f, port, word});
    rf_slices_from_lanes(sm->ports.wr_data[port], f->out.dst[in->dst_word[word]]);
    return true;
}

// From now on, instructions that issue read the register.
static void finish_write(Sm *sm, int port) {
    WritePort *p = &sm->wb->port[port];
    panic_if(p->nwriting == 0, "write port %d has written a result that it did not receive", port);
    Result r = p->writing[0];
    p->nwriting--;
    for (int i = 0; i < p->nwriting; i++) p->writing[i] = p->writing[i + 1];
    Flight *f = r.flight;
    hazards_written(sm, f, f->inst->dst_reg[r.word]);
    notify_written(sm, (WordEvent){f, port, r.word});
    if (--f->writes_left == 0) flight_end(sm, f);
}

// All results of this cycle have arrived by now.
static void leave_stage(Writeback *wb) {
    for (Flight *f; (f = flight_pop(&wb->staged, FLIGHT_AT));)
        flight_push(&wb->queue, FLIGHT_AT, f);
}

void writeback_stage(Sm *sm) {
    if (sm->wb->late.first) write_late_predicates(sm);
    if (sm->wb->wheel_count) wheel_turn(sm);
    uint32_t valid = 0;
    for (int p = 0; p < sm->ports.results; p++)
        if (sm->wb->port[p].offered.flight || port_fill(sm, p)) valid |= 1u << p;
    sm->ports.wr_valid[0] = valid;
    if (sm->wb->staged.first) leave_stage(sm->wb);
}

static uint32_t take_results(Sm *sm) {
    uint32_t valid = sm->ports.wr_valid[0];
    if (!valid) return 0;
    uint32_t taken = valid & sm->ports.wr_ready[0];
    for (uint32_t left = taken; left; left &= left - 1) {
        int port = __builtin_ctz(left);
        WritePort *p = &sm->wb->port[port];
        panic_if(p->nwriting == MAX_WRITING, "write port %d takes more than it can hold", port);
        p->writing[p->nwriting++] = p->offered;
        p->offered.flight = NULL;
    }
    return taken;
}

void writeback_taken(Sm *sm) {
    uint32_t taken = take_results(sm);
    uint32_t done = sm->ports.wr_done ? *sm->ports.wr_done : taken;
    for (; done; done &= done - 1) finish_write(sm, __builtin_ctz(done));
}
