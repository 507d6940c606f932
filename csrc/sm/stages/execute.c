// SPDX-License-Identifier: Apache-2.0
// Dispatch from the collectors to the units, and the results of SP and SFU.
//
// A collector with all its operands is offered on the port of its unit. This file converts values
// from the slices of the ports to lane words. It computes a result at dispatch, and the result
// becomes available after the instruction's latency. A unit accepts the next instruction after the
// initiation interval, and none while results wait for the write ports.
#include "sm/stages/execute.h"

#include "sm/listeners/explain_state.h"
#include "sm/parts/explain_inst.h"
#include "sm/parts/hazards.h"
#include "sm/parts/units.h"
#include "sm/stages/barrier_stage.h"
#include "sm/stages/ldst.h"
#include "sm/stages/simt.h"
#include "sm/stages/writeback.h"
#include "sm/state.h"

#include <string.h>

enum { MAX_PORTS = SM_MAX_SCHED + 2 };  // SP of each scheduler, SFU, LDST

struct Dispatch {
    uint64_t free[MAX_PORTS];
};  // first cycle in which the port accepts an instruction

void execute_open(Sm *sm, Arena *arena) {
    sm->dispatch = ARENA_NEW(arena, Dispatch);
    sm->ndisp = sm->cfg->oc_dispatch_ports < MAX_PORTS ? sm->cfg->oc_dispatch_ports : MAX_PORTS;
}

void execute_launch(Sm *sm) {
    for (int i = 0; i < MAX_PORTS; i++) sm->dispatch->free[i] = 0;
}

uint32_t execute_busy(const Sm *sm) {
    uint32_t busy = 0;
    for (int p = 0; p < sm->ndisp; p++) busy |= (uint32_t)(sm->dispatch->free[p] > sm->cycle) << p;
    return busy;
}

// ---- special registers ----

static uint32_t lane_mask(int sreg, int lane) {
    uint32_t me = 1u << lane;
    switch (sreg) {
    case PTX_SREG_LANEMASK_EQ: return me;
    case PTX_SREG_LANEMASK_LT: return me - 1;
    case PTX_SREG_LANEMASK_LE: return me | (me - 1);
    case PTX_SREG_LANEMASK_GT: return ~(me | (me - 1));
    default: return ~(me - 1);
    }
}

static uint32_t thread_coordinate(const Sm *sm, const Warp *w, int axis, int lane) {
    const uint32_t *block = sm->launch->block;
    uint32_t t = (uint32_t)(w->first_thread + lane);
    return axis == 0 ? t % block[0] : axis == 1 ? t / block[0] % block[1] : t / block[0] / block[1];
}

// Words of the SM's clock: %clock counts cycles, %globaltimer nanoseconds (one per cycle).
uint32_t execute_sreg(const Sm *sm, const Warp *w, int sreg, int lane) {
    const GpuLaunch *l = sm->launch;
    switch (sreg) {
    case PTX_SREG_TID_X:
    case PTX_SREG_TID_Y:
    case PTX_SREG_TID_Z: return thread_coordinate(sm, w, sreg - PTX_SREG_TID_X, lane);
    case PTX_SREG_NTID_X:
    case PTX_SREG_NTID_Y:
    case PTX_SREG_NTID_Z: return l->block[sreg - PTX_SREG_NTID_X];
    case PTX_SREG_CTAID_X:
    case PTX_SREG_CTAID_Y:
    case PTX_SREG_CTAID_Z: return sm->ctas[w->cta].id[sreg - PTX_SREG_CTAID_X];
    case PTX_SREG_NCTAID_X:
    case PTX_SREG_NCTAID_Y:
    case PTX_SREG_NCTAID_Z: return l->grid[sreg - PTX_SREG_NCTAID_X];
    case PTX_SREG_LANEID: return (uint32_t)lane;
    case PTX_SREG_WARPID: return (uint32_t)w->number;
    case PTX_SREG_NWARPID: return (uint32_t)sm->warps_per_cta;
    case PTX_SREG_SMID: return (uint32_t)sm->port;
    case PTX_SREG_NSMID: return (uint32_t)sm->gpu->nsms;
    case PTX_SREG_GRIDID: return 0;
    case PTX_SREG_LANEMASK_EQ:
    case PTX_SREG_LANEMASK_LT:
    case PTX_SREG_LANEMASK_LE:
    case PTX_SREG_LANEMASK_GT:
    case PTX_SREG_LANEMASK_GE: return lane_mask(sreg, lane);
    case PTX_SREG_CLOCK:
    case PTX_SREG_CLOCK64:
    case PTX_SREG_GLOBALTIMER:
    case PTX_SREG_GLOBALTIMER_LO: return (uint32_t)sm->cycle;
    case PTX_SREG_CLOCK_HI:
    case PTX_SREG_GLOBALTIMER_HI: return (uint32_t)(sm->cycle >> 32);
    case PTX_SREG_DYNAMIC_SMEM_SIZE: return l->shared_bytes;
    case PTX_SREG_TOTAL_SMEM_SIZE: return (uint32_t)l->program->shared_bytes + l->shared_bytes;
    case PTX_SREG_ENVREG2: return l->layout ? l->layout->workspace : 0;
    default:  // no shared memory is reserved for the system; other environment registers are 0
        panic_if(sreg < PTX_SREG_RESERVED_SMEM_BEGIN || sreg >= PTX_SREG_COUNT,
                 "special register %d", sreg);
        return 0;
    }
}

// %tid of all lanes: incremented instead of divided in each lane.
static void thread_coordinates(const Sm *sm, const Warp *w, int axis, uint32_t *value) {
    const uint32_t *block = sm->launch->block;
    uint32_t at[3];
    for (int i = 0; i < 3; i++) at[i] = thread_coordinate(sm, w, i, 0);
    for (int l = 0; l < ISA_LANES; l++) {
        value[l] = at[axis];
        if (++at[0] < block[0]) continue;
        at[0] = 0;
        if (++at[1] < block[1]) continue;
        at[1] = 0;
        at[2]++;
    }
}

static bool differs_by_lane(int sreg) {
    switch (sreg) {
    case PTX_SREG_LANEID:
    case PTX_SREG_LANEMASK_EQ:
    case PTX_SREG_LANEMASK_LT:
    case PTX_SREG_LANEMASK_LE:
    case PTX_SREG_LANEMASK_GT:
    case PTX_SREG_LANEMASK_GE: return true;
    default: return false;
    }
}

static void read_sreg(Sm *sm, Flight *f) {
    const Warp *w = &sm->warps[f->warp];
    const int sreg = f->inst->isa->sreg;
    uint32_t *value = f->out.dst[0];
    if (sreg == PTX_SREG_TID_X || sreg == PTX_SREG_TID_Y || sreg == PTX_SREG_TID_Z) {
        thread_coordinates(sm, w, sreg - PTX_SREG_TID_X, value);
    } else if (differs_by_lane(sreg)) {
        for (int l = 0; l < ISA_LANES; l++) value[l] = execute_sreg(sm, w, sreg, l);
    } else {
        const uint32_t same = execute_sreg(sm, w, sreg, 0);
        for (int l = 0; l < ISA_LANES; l++) value[l] = same;
    }
    if (f->inst->isa->dst_width < 2) return;
    for (int l = 0; l < ISA_LANES; l++) f->out.dst[1][l] = (uint32_t)(sm->cycle >> 32);
}

// ---- control instructions with operands from the collector, and barriers ----

static void branch_indexed(Sm *sm, Flight *f) {
    const IsaProgram *p = sm->launch->program;
    int table = f->inst->isa->target, n = 0;
    int target[ISA_LANES + 1];
    uint32_t mask[ISA_LANES + 1];
    const InstStream *s = f->stream;
    const bool own = inst_stream_is_own(sm, f->warp, s);
    if (s->mask & ~f->active) {
        target[n] = f->pc + 1;
        mask[n++] = s->mask & ~f->active;
    }
    for (int l = 0; l < ISA_LANES; l++) {
        if (!(f->active >> l & 1)) continue;
        uint32_t index = flight_source(f, 0, 0)[l];
        // the program reports this when it reaches the branch
        if (index >= (uint32_t)p->table_len[table] && !own) {
            sm->beside.part->split(sm, sm->beside.self, f, 0, NULL, NULL);
            return;
        }
        if (index >= (uint32_t)p->table_len[table]) {
            char place[256], thread[128];
            explain_place(sm, f->stream, f->pc, place, sizeof place);
            explain_thread(sm, f->warp, l, thread, sizeof thread);
            sm_fail(sm, EXIT_WRONG_RESULT,
                    "%s: branch index %u of %s is beyond its table of %d targets", place, index,
                    thread, p->table_len[table]);
            return;
        }
        int to = p->tables[table][index], i = 0;
        while (i < n && target[i] != to) i++;
        if (i == n) {
            target[n] = to;
            mask[n++] = 0;
        }
        mask[i] |= 1u << l;
    }
    if (!own) {
        sm->beside.part->split(sm, sm->beside.self, f, n, target, mask);
        return;
    }
    notify_branched(sm, (BranchEvent){f->warp, n});
    simt_split(sm, f->warp, n, target, mask, f->inst->isa->reconv);
}

static void raise_trap(Sm *sm, Flight *f) {
    char place[256], thread[128];
    explain_place(sm, f->stream, f->pc, place, sizeof place);
    explain_thread(sm, f->warp, __builtin_ctz(f->active), thread, sizeof thread);
    if (f->inst->isa->mode != ISA_TRAP_STACK)
        sm_fail(sm, EXIT_WRONG_RESULT, "%s: trap by %s", place, thread);
    else
        sm_fail(sm, EXIT_WRONG_RESULT,
                "%s: stack overflow by %s: its calls require more than the %u bytes of local "
                "memory (compiler.stack)",
                place, thread, sm->local_bytes);
}

enum { LONGEST_SLEEP = 10000 };

void execute_control(Sm *sm, Flight *f) {
    const SmInst *in = f->inst;
    int warp = f->warp;
    Warp *w = &sm->warps[warp];
    if (f->stream == w->front) sm->control &= ~warp_bit(warp);
    switch (in->isa->op) {
    case ISA_BRX: branch_indexed(sm, f); break;
    case ISA_BAR: {
        int lane = __builtin_ctz(f->active);
        bool counted = in->isa->src[1].kind != ISA_SRC_NONE;
        simt_next(sm, warp);
        barrier_arrive(sm, f, flight_source(f, 0, 0)[lane],
                       counted ? flight_source(f, 1, 0)[lane] : 0, counted);
        return;  // the flight ends with the barrier
    }
    case ISA_NANOSLEEP: {
        uint32_t cycles = flight_source(f, 0, 0)[__builtin_ctz(f->active)];
        w->wake = sm->cycle + (cycles < LONGEST_SLEEP ? cycles : LONGEST_SLEEP);
        sm->asleep |= warp_bit(warp);
        simt_next(sm, warp);
        break;
    }
    case ISA_TRAP: raise_trap(sm, f); break;
    default: simt_next(sm, warp);
    }
    flight_end(sm, f);
}

// ---- SP and SFU ----

// The caller clears x, so missing words of a source are zero.
static void gather_operands(const Flight *f, IsaExecIn *x) {
    for (int i = 0; i < 3; i++) {
        for (int w = 0; w < f->inst->isa->src[i].width; w++) x->src[i][w] = flight_source(f, i, w);
        x->psrc[i] = f->psrc[i];
    }
    x->active = f->active;
    x->present = f->present;
}

static void compute_result(Sm *sm, Flight *f) {
    const SmInst *in = f->inst;
    if (in->is_control) {
        execute_control(sm, f);
        return;
    }
    if (in->isa->op == ISA_S2R) {
        read_sreg(sm, f);
    } else {
        IsaExecIn x = {0};
        gather_operands(f, &x);
        isa_exec(in->isa, &x, &f->out);
    }
    wheel_put(sm, f, in->latency);
}

static void execute_flight(Sm *sm, Flight *f) {
    const Unit *u = &sm->units[f->inst->unit];
    f->in_collector = false;
    notify_executed(sm, (FlightEvent){f});
    if (u->row->execute) u->row->execute(sm, u->self, f);
    else if (f->inst->mem != SM_MEM_NOT) ldst_execute(sm, f);
    else compute_result(sm, f);
}

// ---- dispatch ----

static bool unit_accepts(const Sm *sm, int port, const Flight *f) {
    // operands wait outside the collectors for the last micro-operation
    if (f->uops_left > 1) return true;
    if (f->inst->broadcast && !f->broadcast_there) return false;
    if (sm->dispatch->free[port] > sm->cycle || writeback_full(sm)) return false;
    const Unit *u = &sm->units[f->inst->unit];
    if (u->row->clock > 1 && sm->cycle % (unsigned)u->row->clock) return false;
    return !u->row->ready || u->row->ready(sm, u->self, f);
}

static void take_operands(Sm *sm, Flight *f, int port, int uop) {
    const SmInst *in = f->inst;
    const int per = SM_OPERANDS, first = uop * per;
    const int n = in->nops - first < per ? in->nops - first : per;
    const uint32_t need = sm->ports.disp_need ? *sm->ports.disp_need >> port * per : ~0u;
    const uint32_t(*data)[32] = sm->ports.disp_data + port * per;
    uint64_t taken = 0;
    for (int o = 0; o < n; o++) {
        if (need >> o & 1) rf_lanes_from_slices(f->ops[first + o], data[o]);
        else memset(f->ops[first + o], 0, sizeof f->ops[0]);
        taken |= word_bit(in->op_reg[first + o]);
    }
    // Reported per micro-operation: once it has left, a younger instruction may write its
    // registers.
    if (in->last & taken) notify_dead(sm, (RegistersEvent){f->warp, in->last & taken});
    notify_operands_read(sm, (OperandsEvent){f, first, n});
    if (n > 0) hazards_operands_read(sm, f, in->op_reg + first, n);
}

void dispatch_stage(Sm *sm) {
    Slots *slots = sm->ports.slots;
    sm->ports.disp_ready[0] = 0;
    for (uint32_t left = sm->ports.disp_valid[0]; left; left &= left - 1) {
        int port = __builtin_ctz(left);
        const int slot = (int)sm->ports.disp_slot[port];
        const Waiting *w = slots_at(slots, slot);
        panic_if(!w, "slot %d of the operand path dispatches nothing", slot);
        Flight *f = w->flight;
        if (!unit_accepts(sm, port, f)) {
            sm->count->v[sm->units[f->inst->unit].row->wait]++;
            continue;
        }
        take_operands(sm, f, port, w->uop);
        notify_dispatched(sm, (CollectorEvent){f, slot, port, w->uop});
        sm->ports.disp_ready[0] |= 1u << port;
        unit_leaves(sm, f->inst->unit);
        slots_leave(slots, slot);
        if (--f->uops_left) continue;
        sm->dispatch->free[port] = sm->cycle + (unsigned)f->inst->interval;
        execute_flight(sm, f);
    }
}
