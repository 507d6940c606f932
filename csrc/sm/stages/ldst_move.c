// SPDX-License-Identifier: Apache-2.0
// Memory instructions: their data, moved at dispatch between the registers and each space. Atomics
// on global memory are performed at L2 (ldst_perform).
#include "sm/stages/ldst.h"
#include "sm/stages/ldst_parts.h"
#include "sm/state.h"
#include "sm/sm_quantum.h"

#include <string.h>

// ---- values of a lane ----

static void get_lane(Flight *f, int l, const uint8_t *p) {
    const IsaInst *isa = f->inst->isa;
    switch (isa->mem_bytes) {
    case 4: memcpy(&f->out.dst[0][l], p, 4); break;
    case 1: f->out.dst[0][l] = isa->type == ISA_S8 ? (uint32_t)(int32_t)(int8_t)*p : *p; break;
    case 2: {
        uint16_t v;
        memcpy(&v, p, 2);
        f->out.dst[0][l] = isa->type == ISA_S16 ? (uint32_t)(int32_t)(int16_t)v : v;
        break;
    }
    default:
        for (int w = 0; w < isa->mem_bytes / 4; w++) memcpy(&f->out.dst[w][l], p + 4 * w, 4);
    }
}

static void put_lane(const Flight *f, int l, uint8_t *p) {
    int bytes = f->inst->isa->mem_bytes;
    if (bytes < 4) {
        memcpy(p, &flight_source(f, 1, 0)[l], (size_t)bytes);
        return;
    }
    for (int w = 0; w < bytes / 4; w++) memcpy(p + 4 * w, &flight_source(f, 1, w)[l], 4);
}

static uint64_t read_operand(const Flight *f, int i, int l) {
    uint64_t v = flight_source(f, i, 0)[l];
    return f->inst->isa->mem_bytes == 8 ? v | (uint64_t)flight_source(f, i, 1)[l] << 32 : v;
}

void ldst_atomic_lane(Flight *f, int l, bool global, uint8_t *p) {
    const IsaInst *isa = f->inst->isa;
    uint64_t old = 0;
    memcpy(&old, p, isa->mem_bytes);
    uint64_t value =
        isa_atomic(isa->atom, isa->type, global, old, read_operand(f, 1, l), read_operand(f, 2, l));
    memcpy(p, &value, isa->mem_bytes);
    f->out.dst[0][l] = (uint32_t)old;
    f->out.dst[1][l] = (uint32_t)(old >> 32);
}

// A lane's store or load of global memory at p, when other SMs see stores later.
static void move_lane_in_quantum(Sm *sm, Flight *f, int l, const uint8_t *p) {
    uint8_t bytes[16];
    const uint32_t n = f->inst->isa->mem_bytes;
    if (f->inst->isa->op == ISA_ST) {
        put_lane(f, l, bytes);
        quantum_store(sm, f->access.addr[l], bytes, n);
        return;
    }
    memcpy(bytes, p, n);
    quantum_load(sm, f->access.addr[l], bytes, n);
    get_lane(f, l, bytes);
}

static void move_lane(Flight *f, int l, uint8_t *p) {
    switch (f->inst->isa->op) {
    case ISA_ST: put_lane(f, l, p); break;
    case ISA_ATOM:
        ldst_atomic_lane(f, l, false, p);
        break;  // atomics on global memory are performed at L2
    default: get_lane(f, l, p);
    }
}

// ---- spaces ----

// If all lanes of a whole warp access 4-byte words of one allocation, lanes are not checked one by
// one.
static bool move_global_words(Sm *sm, Flight *f) {
    const IsaInst *isa = f->inst->isa;
    if (f->access.lanes_of[IN_GLOBAL] != ~0u || isa->mem_bytes != 4 || isa->op == ISA_ATOM)
        return false;
    if (sm->quantum && (isa->op == ISA_ST || quantum_stored(sm))) return false;
    uint32_t least = f->access.addr[0], most = f->access.addr[0];
    for (int l = 0; l < ISA_LANES; l++) {
        least = f->access.addr[l] < least ? f->access.addr[l] : least;
        most = f->access.addr[l] > most ? f->access.addr[l] : most;
    }
    uint8_t *p = device_at(sm->memory, least, most - least + 4);
    if (!p) return false;
    if (isa->op == ISA_ST) {
        const uint32_t *value = flight_source(f, 1, 0);
#pragma GCC unroll 8
        for (int l = 0; l < ISA_LANES; l++) memcpy(p + (f->access.addr[l] - least), &value[l], 4);
    } else {
#pragma GCC unroll 8
        for (int l = 0; l < ISA_LANES; l++)
            memcpy(&f->out.dst[0][l], p + (f->access.addr[l] - least), 4);
    }
    return true;
}

static bool access_global(Sm *sm, Flight *f, uint32_t lanes) {
    const IsaInst *isa = f->inst->isa;
    DeviceMemory *memory = sm->memory;
    if (isa->op == ISA_PREFETCH) {  // a hint: addresses without memory are dropped
        for (uint32_t left = lanes; left; left &= left - 1) {
            int l = __builtin_ctz(left);
            if (!device_at(memory, f->access.addr[l], 1))
                f->access.lanes_of[IN_GLOBAL] &= ~(1u << l);
        }
        return true;
    }
    if (isa->op == ISA_LD) quantum_await(sm);
    if (move_global_words(sm, f)) return true;
    for (uint32_t left = lanes; left; left &= left - 1) {
        int l = __builtin_ctz(left);
        uint8_t *p = device_at(memory, f->access.addr[l], isa->mem_bytes);
        if (!p) {
            ldst_refuse(sm, f, l, f->access.addr[l], NULL);
            return false;
        }
        if (isa->op == ISA_ATOM) continue;
        if (sm->quantum) move_lane_in_quantum(sm, f, l, p);
        else move_lane(f, l, p);
    }
    return true;
}

// Lanes whose access ends beyond the first `bytes` bytes.
static uint32_t find_lanes_beyond(const Flight *f, uint32_t bytes) {
    const uint32_t *addr = f->access.addr, size = f->inst->isa->mem_bytes;
    uint32_t most = 0, beyond = 0;
    for (int l = 0; l < ISA_LANES; l++) most = addr[l] > most ? addr[l] : most;
    if (most < bytes && bytes - most >= size) return 0;
    for (int l = 0; l < ISA_LANES; l++)
        beyond |= (uint32_t)(addr[l] >= bytes || bytes - addr[l] < size) << l;
    return beyond;
}

// All lanes of a whole warp load or store 4-byte words.
static bool move_shared_words(Flight *f, uint8_t *base, uint32_t lanes) {
    const IsaInst *isa = f->inst->isa;
    if (lanes != ~0u || isa->mem_bytes != 4 || isa->op == ISA_ATOM) return false;
    const uint32_t *addr = f->access.addr;
    if (isa->op == ISA_ST) {
        const uint32_t *value = flight_source(f, 1, 0);
#pragma GCC unroll 8
        for (int l = 0; l < ISA_LANES; l++) memcpy(base + addr[l], &value[l], 4);
    } else {
#pragma GCC unroll 8
        for (int l = 0; l < ISA_LANES; l++) memcpy(&f->out.dst[0][l], base + addr[l], 4);
    }
    return true;
}

static bool access_shared(Sm *sm, Flight *f, uint32_t lanes) {
    const IsaInst *isa = f->inst->isa;
    const Warp *w = &sm->warps[f->warp];
    const bool own = f->stream->shared_bytes != 0;
    const uint32_t bytes = own
        ? f->stream->shared_bytes
        : (uint32_t)sm->launch->program->shared_bytes + sm->launch->shared_bytes;
    uint8_t *base = sm->shared + (own ? f->stream->shared_at : (size_t)w->cta * sm->shared_per_cta);
    const uint32_t beyond = find_lanes_beyond(f, bytes) & lanes;
    if (beyond) {
        int l = __builtin_ctz(beyond);
        ldst_refuse_window(sm, f, l, "shared", f->access.addr[l], bytes);
        return false;
    }
    if (isa->op == ISA_PREFETCH) return true;
    if (move_shared_words(f, base, lanes)) return true;
    for (uint32_t left = lanes; left; left &= left - 1) {
        int l = __builtin_ctz(left);
        move_lane(f, l, base + f->access.addr[l]);
    }
    return true;
}

// Local memory: word w of lane l is adjacent to word w of lane l + 1.
static bool access_local(Sm *sm, Flight *f, uint32_t lanes) {
    const IsaInst *isa = f->inst->isa;
    for (uint32_t left = lanes; left; left &= left - 1) {
        int l = __builtin_ctz(left);
        uint32_t a = f->access.addr[l], bytes = isa->mem_bytes;
        if (a >= sm->local_bytes || sm->local_bytes - a < bytes) {
            ldst_refuse_window(sm, f, l, "local", a, sm->local_bytes);
            return false;
        }
        if (isa->op == ISA_PREFETCH) continue;
        if (isa->op == ISA_ATOM) {
            ldst_refuse(sm, f, l, a,
                        "atomics require global or shared memory, this address is in local memory");
            return false;
        }
        uint32_t words[4];
        uint32_t first = a / 4, n = (bytes + 3) / 4;
        for (uint32_t w = 0; w < n; w++) words[w] = *sm_local_word(sm, f->warp, first + w, l);
        move_lane(f, l, (uint8_t *)words + a % 4);
        if (isa->op != ISA_ST) continue;
        for (uint32_t w = 0; w < n; w++) *sm_local_word(sm, f->warp, first + w, l) = words[w];
    }
    return true;
}

static bool access_const(Sm *sm, Flight *f, uint32_t lanes) {
    const IsaInst *isa = f->inst->isa;
    const GpuLaunch *launch = sm->launch;
    for (uint32_t left = lanes; left; left &= left - 1) {
        int l = __builtin_ctz(left);
        uint32_t a = f->access.addr[l];
        bool param = isa->op == ISA_LDC ? isa->cbank == 0 : a >= SM_PARAM_OFFSET;
        if (param && isa->op != ISA_LDC) a -= SM_PARAM_OFFSET;
        const ModuleLayout *layout = launch->layout;
        const uint8_t *image = param ? launch->params : layout ? layout->const_image : NULL;
        const uint32_t bytes = param ? (uint32_t)launch->program->param_bytes
            : layout                 ? layout->const_bytes
                                     : 0;
        if (a >= bytes || bytes - a < isa->mem_bytes) {
            ldst_refuse_window(sm, f, l, param ? "parameter" : "constant", a, bytes);
            return false;
        }
        if (isa->op == ISA_ST || isa->op == ISA_ATOM) {
            ldst_refuse(sm, f, l, a,
                        param ? "kernel parameters are read-only" : "constant memory is read-only");
            return false;
        }
        if (isa->op != ISA_PREFETCH) get_lane(f, l, image + a);
    }
    return true;
}

bool ldst_move(Sm *sm, Flight *f) {
    const uint32_t *of = f->access.lanes_of;
    return (!of[IN_GLOBAL] || access_global(sm, f, of[IN_GLOBAL])) &&
        (!of[IN_SHARED] || access_shared(sm, f, of[IN_SHARED])) &&
        (!of[IN_LOCAL] || access_local(sm, f, of[IN_LOCAL])) &&
        (!of[IN_CONST] || access_const(sm, f, of[IN_CONST]));
}
