// SPDX-License-Identifier: Apache-2.0
// Memory instructions: their addresses. This file finds the space that each lane accesses and
// checks its address. It builds one request per space: global, shared, constant. Local memory has
// one request per 4-byte word, because its words are interleaved by lane.
#include "sm/listeners/explain_state.h"
#include "sm/parts/explain_inst.h"
#include "sm/parts/order.h"
#include "sm/stages/ldst.h"
#include "sm/stages/ldst_parts.h"
#include "sm/state.h"

#include <string.h>

// ---- errors ----

static const char *name_access(const IsaInst *isa) {
    switch (isa->op) {
    case ISA_ST: return "store";
    case ISA_ATOM: return "atomic";
    case ISA_SYSCALL: return "system call";
    default: return "load";
    }
}

void ldst_refuse(Sm *sm, const Flight *f, int lane, uint64_t addr, const char *why) {
    char place[256], thread[128], where[512], text[SM_FAULT_TEXT];
    explain_place(sm, f->stream, f->pc, place, sizeof place);
    explain_thread(sm, f->warp, lane, thread, sizeof thread);
    if (why) snprintf(where, sizeof where, "%s", why);
    else device_describe(sm->memory, addr, where, sizeof where);
    snprintf(text, sizeof text, "%s: %s of %d bytes by %s at 0x%llx: %s", place,
             name_access(f->inst->isa), f->inst->isa->mem_bytes, thread, (unsigned long long)addr,
             where);
    const InstStreamPart *beside = sm->beside.part;
    if (beside && beside->fault && !inst_stream_is_own(sm, f->warp, f->stream))
        beside->fault(sm, sm->beside.self, f, text);
    else sm_fail(sm, EXIT_WRONG_RESULT, "%s", text);
}

void ldst_refuse_window(Sm *sm, const Flight *f, int lane, const char *space, uint32_t addr,
                        uint32_t bytes) {
    char why[160];
    snprintf(why, sizeof why, "beyond the %u bytes of %s memory", bytes, space);
    ldst_refuse(sm, f, lane, addr, why);
}

static void refuse_misaligned(Sm *sm, const Flight *f, int lane, uint64_t addr) {
    char why[96];
    snprintf(why, sizeof why, "not a multiple of %d", f->inst->isa->mem_bytes);
    ldst_refuse(sm, f, lane, addr, why);
}

// ---- spaces ----

// Splits generic addresses into windows.
static void resolve_generic(Flight *f) {
    for (uint32_t left = f->active; left; left &= left - 1) {
        int l = __builtin_ctz(left);
        uint32_t bit = 1u << l;
        switch (device_space_of(f->access.addr[l])) {
        case PTX_SHARED:
            f->access.lanes_of[IN_SHARED] |= bit;
            f->access.addr[l] -= DEVICE_SHARED_BASE;
            break;
        case PTX_LOCAL:
            f->access.lanes_of[IN_LOCAL] |= bit;
            f->access.addr[l] -= DEVICE_LOCAL_BASE;
            break;
        case PTX_CONST:
            f->access.lanes_of[IN_CONST] |= bit;
            f->access.addr[l] -= DEVICE_CONST_BASE;
            break;
        case PTX_PARAM:
            f->access.lanes_of[IN_CONST] |= bit;
            f->access.addr[l] = f->access.addr[l] - DEVICE_PARAM_BASE + SM_PARAM_OFFSET;
            break;
        default: f->access.lanes_of[IN_GLOBAL] |= bit;
        }
    }
}

void ldst_resolve(Flight *f) {
    const IsaInst *isa = f->inst->isa;
    uint32_t offset = (uint32_t)isa->offset;
    const uint32_t *low = flight_source(f, 0, 0);
    for (int l = 0; l < ISA_LANES; l++) f->access.addr[l] = low[l] + offset;
    memset(f->access.lanes_of, 0, sizeof f->access.lanes_of);
    if (isa->op == ISA_LDC) f->access.lanes_of[IN_CONST] = f->active;
    else if (isa->space == ISA_SHARED) f->access.lanes_of[IN_SHARED] = f->active;
    else if (isa->space == ISA_LOCAL) f->access.lanes_of[IN_LOCAL] = f->active;
    else if (isa->space == ISA_GLOBAL) f->access.lanes_of[IN_GLOBAL] = f->active;
    else resolve_generic(f);
}

// A 64-bit address must be below 4 GiB.
bool ldst_in_reach(Sm *sm, const Flight *f) {
    const IsaInst *isa = f->inst->isa;
    if (isa->src[0].width != 2 || isa->op == ISA_PREFETCH) return true;
    const uint32_t *low = flight_source(f, 0, 0), *high = flight_source(f, 0, 1);
    uint32_t any = 0, beyond = 0, offset = (uint32_t)isa->offset, sign = isa->offset < 0 ? ~0u : 0;
    for (int l = 0; l < ISA_LANES; l++) any |= high[l] + sign + (low[l] + offset < offset);
    if (!any) return true;
    for (int l = 0; l < ISA_LANES; l++)
        beyond |= (uint32_t)((high[l] + sign + (low[l] + offset < offset)) != 0) << l;
    beyond &= f->active;
    if (!beyond) return true;
    int l = __builtin_ctz(beyond);
    ldst_refuse(sm, f, l, ((uint64_t)high[l] << 32 | low[l]) + (uint64_t)(int64_t)isa->offset,
                NULL);
    return false;
}

bool ldst_aligned(Sm *sm, const Flight *f) {
    const IsaInst *isa = f->inst->isa;
    if (isa->mem_bytes <= 1 || isa->op == ISA_PREFETCH) return true;
    uint32_t any = 0, odd = 0, bits = isa->mem_bytes - 1u;
    for (int l = 0; l < ISA_LANES; l++) any |= f->access.addr[l];
    if (!(any & bits)) return true;
    for (int l = 0; l < ISA_LANES; l++) odd |= (uint32_t)((f->access.addr[l] & bits) != 0) << l;
    odd &= f->active;
    if (!odd) return true;
    refuse_misaligned(sm, f, __builtin_ctz(odd), f->access.addr[__builtin_ctz(odd)]);
    return false;
}

// ---- lanes whose address does not exist ----

static bool has_memory(Sm *sm, const Flight *f, int l) {
    const IsaInst *isa = f->inst->isa;
    if (isa->op == ISA_TEX) return true;
    const uint32_t addr = f->access.addr[l], bytes = isa->mem_bytes ? isa->mem_bytes : 1;
    if (addr % bytes) return false;
    if (f->access.lanes_of[IN_LOCAL] >> l & 1)
        return addr < sm->local_bytes && sm->local_bytes - addr >= bytes;
    if (isa->src[0].width == 2) {
        const uint64_t whole =
            ((uint64_t)flight_source(f, 0, 1)[l] << 32 | flight_source(f, 0, 0)[l]) +
            (uint64_t)(int64_t)isa->offset;
        if (whole >> 32) return false;
    }
    return device_at(sm->memory, addr, bytes) != NULL;
}

// Removes lanes without memory at their address. Lanes of shared and constant memory have no line
// in L1.
void ldst_drop_lanes(Sm *sm, Flight *f) {
    f->access.lanes_of[IN_SHARED] = f->access.lanes_of[IN_CONST] = 0;
    for (uint32_t left = f->access.lanes_of[IN_GLOBAL] | f->access.lanes_of[IN_LOCAL]; left;
         left &= left - 1) {
        const int l = __builtin_ctz(left);
        if (has_memory(sm, f, l)) continue;
        f->access.lanes_of[IN_GLOBAL] &= ~(1u << l);
        f->access.lanes_of[IN_LOCAL] &= ~(1u << l);
    }
}

void ldst_touch(Sm *sm, Flight *f) {
    f->access.lanes_of[IN_LOCAL] = 0;
    ldst_drop_lanes(sm, f);
    sm->count->v[CTR_TOUCHES] += (unsigned)__builtin_popcount(f->active);
    sm->count->v[CTR_TOUCHES_DROPPED] +=
        (unsigned)__builtin_popcount(f->active & ~f->access.lanes_of[IN_GLOBAL]);
}

// ---- requests ----

int ldst_count_requests(const Flight *f) {
    int words = (f->inst->isa->mem_bytes + 3) / 4;
    return (f->access.lanes_of[IN_GLOBAL] != 0) + (f->access.lanes_of[IN_SHARED] != 0) +
        (f->access.lanes_of[IN_CONST] != 0) + (f->access.lanes_of[IN_LOCAL] ? words : 0);
}

static MemKind choose_kind(const Flight *f, int space) {
    const IsaInst *isa = f->inst->isa;
    bool store = isa->op == ISA_ST;
    if (space == IN_CONST) return MEM_CONST_LOAD;
    if (isa->op == ISA_PREFETCH || f->access.pre) return MEM_PREFETCH;
    if (space == IN_SHARED)
        return isa->op == ISA_ATOM ? MEM_SHARED_ATOMIC : store ? MEM_SHARED_STORE : MEM_SHARED_LOAD;
    if (isa->op == ISA_ATOM) return f->inst->nwrites ? MEM_ATOMIC : MEM_RED;
    return store ? MEM_STORE : MEM_LOAD;
}

// Request number f->access.part of the instruction. Order: global, shared, constant, local words.
void ldst_build_request(const Sm *sm, const Flight *f, MemRequest *r) {
    static const int order[3] = {IN_GLOBAL, IN_SHARED, IN_CONST};
    const IsaInst *isa = f->inst->isa;
    int part = f->access.part, space = IN_LOCAL;
    for (int i = 0; i < 3; i++) {
        if (!f->access.lanes_of[order[i]]) continue;
        if (part-- == 0) {
            space = order[i];
            break;
        }
    }
    r->token = (uint32_t)(flight_index(sm, f) * SM_TOKEN_PARTS + f->access.part);
    r->kind = choose_kind(f, space);
    r->warp = (uint8_t)f->warp;
    r->active = f->access.lanes_of[space];
    r->bytes = isa->op == ISA_PREFETCH || isa->op == ISA_TOUCH ? 1 : isa->mem_bytes;
    if (isa->op == ISA_TEX) r->bytes = f->access.texel_bytes;
    r->bypass_l1 = isa->ordered || isa->cache == ISA_CACHE_L2 || isa->cache == ISA_CACHE_VOLATILE;
    if (sm->cfg->l1_loads == L1_LOADS_NC && space == IN_GLOBAL && !isa->readonly)
        r->bypass_l1 = true;
    r->may_drop =
        (f->access.pre && sm->cfg->pmode_preload_full == PRELOAD_DROP) || f->stream->drops;
    if (space == IN_LOCAL) {
        if (r->bytes > 4) r->bytes = 4;
        for (int l = 0; l < ISA_LANES; l++)
            r->addr[l] = mem_local_address(f->warp, sm->frame_words,
                                           f->access.addr[l] + 4 * (uint32_t)part, l);
        return;
    }
    uint32_t base = 0;
    if (isa->op == ISA_LDC && isa->cbank == 0) base = SM_PARAM_OFFSET;
    else if (space == IN_SHARED)
        base = f->stream->shared_bytes ? f->stream->shared_at
                                       : sm->warps[f->warp].cta * sm->shared_per_cta;
    for (int l = 0; l < ISA_LANES; l++) r->addr[l] = f->access.addr[l] + base;
}

Flight *ldst_flight(Sm *sm, uint32_t token) {
    uint32_t index = token / SM_TOKEN_PARTS;
    panic_if(index >= SM_FLIGHTS || !sm->flights[index].inst,
             "memory token %u names no instruction", token);
    return &sm->flights[index];
}

bool ldst_load_once(Sm *sm, Flight *f) {
    order_performed(sm, f);
    f->access.pre = false;
    f->access.part = 0;
    ldst_resolve(f);
    notify_access(sm, (FlightEvent){f});
    return !sm->failed && ldst_in_reach(sm, f) && ldst_aligned(sm, f) && ldst_move(sm, f);
}

void ldst_request_once(const Sm *sm, const Flight *f, MemRequest *r) {
    ldst_build_request(sm, f, r);
    r->token = (uint32_t)flight_index(sm, f);
    r->active &= -r->active;
}
