// SPDX-License-Identifier: Apache-2.0
// The wires between issue, operand_collector and banked_rf, and the table of what each collector holds.
#include "sm/core.h"

#include <string.h>

// Requests of the collectors go straight to the banks.
void collect_requests(Sm *sm) {
    BankedRfIn *in = sm->rf_in;
    const OperandCollectorOut *oc = sm->oc_out;
    size_t words = sizeof(uint32_t) * (unsigned)sm->cfg->oc_collectors;
    in->rd_valid[0] = oc->rd_valid[0];
    memcpy(in->older, oc->older, words);
    if (!oc->rd_valid[0]) return;
    memcpy(in->rd_bank, oc->rd_bank, words);
    memcpy(in->rd_entry, oc->rd_entry, words);
    // Address2 is for coalesced reads of other register paths; here no slice selects it.
}

static void trace_grants(const Sm *sm) {
    const SmHooks *h = sm_hooks(sm);
    if (!h->bank_access) return;
    for (uint32_t left = sm->rf_out->rd_grant[0]; left; left &= left - 1)
        h->bank_access(h->ctx, sm->cycle, (int)sm->rf_in->rd_bank[__builtin_ctz(left)], false);
    for (uint32_t left = sm->rf_out->wr_ready[0] & sm->rf_in->wr_valid[0]; left; left &= left - 1)
        h->bank_access(h->ctx, sm->cycle, (int)sm->rf_in->wr_bank[__builtin_ctz(left)], true);
}

// Grants and data come back in the same cycle; the collectors store the data at its end.
void collect_wires(Sm *sm) {
    OperandCollectorIn *in = sm->oc_in;
    const BankedRfOut *rf = sm->rf_out;
    in->rd_grant[0] = rf->rd_grant[0];
    in->rd_data_valid[0] = rf->rd_data_valid[0];
    for (uint32_t left = rf->rd_data_valid[0]; left; left &= left - 1) {
        int bank = __builtin_ctz(left);
        in->rd_data_coll[bank] = rf->rd_data_coll[bank];
        memcpy(in->rd_data[bank], rf->rd_data[bank], sizeof in->rd_data[bank]);
    }
    uint64_t *v = sm->count->v;
    v[CTR_RF_READS] += (unsigned)__builtin_popcount(rf->rd_grant[0]);
    v[CTR_RF_READ_CONFLICTS] += (unsigned)__builtin_popcount(sm->rf_in->rd_valid[0] & ~rf->rd_grant[0]);
    v[CTR_OC_BUSY] += (unsigned)sm->busy_slots;
    if (!(sm->oc_out->alloc_ready[0] & 1)) v[CTR_OC_FULL]++;
    if (sm->watch) trace_grants(sm);
}

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
    OperandCollectorIn *in = sm->oc_in;
    const SmInst *inst = f->inst;
    int port = sm->nalloc++;
    int per = sm->cfg->oc_operands;
    int first = uop * per;
    int n = inst->nops - first < per ? inst->nops - first : per;
    int slot = (int)sm->oc_out->alloc_slot[port];

    in->alloc_valid[0] |= 1u << port;
    in->alloc_unit[port] = (uint32_t)unit_port(sm, f);
    in->alloc_need[port] = n > 0 ? (1u << n) - 1 : 0;
    for (int i = 0; i < n; i++) {
        RegPlace place = sm_reg_place(sm->cfg->rf_banks, f->warp, f->warp * sm->rows, inst->op_reg[first + i]);
        in->alloc_bank[port * per + i] = (uint32_t)place.bank;
        in->alloc_entry[port * per + i] = (uint32_t)place.entry;
    }
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
