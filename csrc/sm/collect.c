// SPDX-License-Identifier: Apache-2.0
// Instructions into collectors, and the table of what each collector holds.
#include "sm/core.h"

// Port of the operand collector behind which the instruction's unit is.
static int unit_port(const Sm *sm, const Flight *f) {
    switch (f->inst->unit) {
    case ISA_UNIT_SFU: return sm->sfu_port;
    case ISA_UNIT_LDST: return sm->ldst_port;
    default: return f->warp % sm->cfg->sm_schedulers % sm->sfu_port;  // SP ports come first
    }
}

// Micro-operation `uop` of the instruction takes a collector; the caller has seen collect_room.
void collect_alloc(Sm *sm, Flight *f, int uop) {
    const SmInst *inst = f->inst;
    int port = sm->nalloc + __builtin_ctz(sm->ports.alloc_ready[0] >> sm->nalloc);
    int per = sm->cfg->oc_operands;
    int first = uop * per;
    int n = inst->nops - first < per ? inst->nops - first : per;
    int slot = (int)sm->ports.alloc_slot[port];
    sm->nalloc = port + 1;

    sm->ports.alloc_valid[0] |= 1u << port;
    sm->ports.alloc_unit[port] = (uint32_t)unit_port(sm, f);
    sm->path->operands(sm, port, f->warp, inst->op_reg + (n > 0 ? first : 0), n);
    panic_if(sm->slot[slot].flight != SM_NONE, "collector %d is not free", slot);
    sm->slot[slot].flight = flight_index(sm, f);
    sm->slot[slot].uop = (uint8_t)uop;
    sm->busy_slots++;
    if (inst->unit == ISA_UNIT_SFU) sm->sfu_waiting++;
    f->uops_sent++;
    sm->count->v[CTR_UOPS]++;
    if (sm->watch && sm_hooks(sm)->collector_allocated)
        sm_hooks(sm)->collector_allocated(sm_hooks(sm)->ctx, sm->cycle, slot, f->warp, f->pc);
}
