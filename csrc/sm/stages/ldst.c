// SPDX-License-Identifier: Apache-2.0
// Memory instructions: addresses, state spaces by lane, functional access, requests to the timing model.
//
// At dispatch an instruction computes its addresses and, unless it is an atomic on global memory, moves
// its data. Then it goes down the address pipe (exec.mem.latency stages, which move as a whole, by one per
// cycle unless the memory system leaves what is at the end) to the memory system, one request per cycle:
// one for its lanes in global memory, one for shared memory, one for constants, one per 4-byte word for
// local memory (whose words are interleaved by lane). Atomics on global memory are performed when the memory
// system says they are at L2. A loaded value waits in the instruction's flight record for its writeback.
#include "sm/stages/ldst.h"

#include "isa/texture.h"
#include "sm/listeners/explain.h"
#include "sm/parts/hazards.h"
#include "sm/parts/load.h"
#include "sm/parts/order.h"
#include "sm/parts/source.h"
#include "sm/stages/syscall.h"
#include "sm/stages/writeback.h"
#include "sm/state.h"
#include "sm/window.h"

#include <string.h>

struct Ldst {
    FlightList pipe;                // address pipe
    uint64_t pipe_time;             // stages by which it has moved
    FlightList waiting;             // loads that a load port has told to wait
    bool fair_turn;                 // the last request was an instruction's: a fair source may go first
};

void ldst_open(Sm *sm, Arena *arena) { sm->ldst = ARENA_NEW(arena, Ldst); }
void ldst_launch(Sm *sm) { sm->ldst->pipe = sm->ldst->waiting = (FlightList){0}; }

enum { IN_GLOBAL, IN_SHARED, IN_LOCAL, IN_CONST };

// ---- errors ----

static const char *access_word(const IsaInst *isa) {
    switch (isa->op) {
    case ISA_ST: return "store";
    case ISA_ATOM: return "atomic";
    case ISA_SYSCALL: return "system call";
    default: return "load";
    }
}

static void bad_access(Sm *sm, const Flight *f, int lane, uint64_t addr, const char *why) {
    char place[256], thread[128], where[512], text[SM_FAULT_TEXT];
    explain_place(sm, f->stream, f->pc, place, sizeof place);
    explain_thread(sm, f->warp, lane, thread, sizeof thread);
    if (why) snprintf(where, sizeof where, "%s", why);
    else device_describe(sm->memory, addr, where, sizeof where);
    snprintf(text, sizeof text, "%s: %s of %d bytes by %s at 0x%llx: %s", place, access_word(f->inst->isa),
             f->inst->isa->mem_bytes, thread, (unsigned long long)addr, where);
    const StreamPart *beside = sm->beside.part;
    if (beside && beside->fault && !stream_is_own(sm, f->warp, f->stream)) beside->fault(sm, sm->beside.self, f, text);
    else sm_fail(sm, EXIT_WRONG_RESULT, "%s", text);
}

static void bad_window(Sm *sm, const Flight *f, int lane, const char *space, uint32_t addr, uint32_t bytes) {
    char why[160];
    snprintf(why, sizeof why, "beyond the %u bytes of %s memory", bytes, space);
    bad_access(sm, f, lane, addr, why);
}

static void misaligned(Sm *sm, const Flight *f, int lane, uint64_t addr) {
    char why[96];
    snprintf(why, sizeof why, "not a multiple of %d", f->inst->isa->mem_bytes);
    bad_access(sm, f, lane, addr, why);
}

// ---- addresses ----

// Splits generic addresses into windows.
static void resolve_generic(Flight *f) {
    for (uint32_t left = f->active; left; left &= left - 1) {
        int l = __builtin_ctz(left);
        uint32_t bit = 1u << l;
        switch (device_space_of(f->access.addr[l])) {
        case PTX_SHARED: f->access.lanes_of[IN_SHARED] |= bit; f->access.addr[l] -= DEVICE_SHARED_BASE; break;
        case PTX_LOCAL: f->access.lanes_of[IN_LOCAL] |= bit; f->access.addr[l] -= DEVICE_LOCAL_BASE; break;
        case PTX_CONST: f->access.lanes_of[IN_CONST] |= bit; f->access.addr[l] -= DEVICE_CONST_BASE; break;
        case PTX_PARAM:
            f->access.lanes_of[IN_CONST] |= bit;
            f->access.addr[l] = f->access.addr[l] - DEVICE_PARAM_BASE + SM_PARAM_OFFSET;
            break;
        default: f->access.lanes_of[IN_GLOBAL] |= bit;
        }
    }
}

// ---- textures ----

static const uint8_t *texture_bytes(void *memory, uint32_t addr, uint32_t bytes) {
    return device_at(memory, addr, bytes);
}

// The record that the lane's texture object names; NULL: it is none that this instruction takes, *why says so.
static const TextureRecord *texture_of(const Sm *sm, const Flight *f, int l, TextureRecord *t, const char **why) {
    const IsaInst *isa = f->inst->isa;
    const uint8_t *p = device_at(sm->memory, flight_source(f, 0, 0)[l], sizeof *t);
    *why = "is not a texture object";
    if (!p || (isa->src[0].width == 2 && flight_source(f, 0, 1)[l])) return NULL;
    memcpy(t, p, sizeof *t);
    *why = texture_fault(t, isa->mode);
    return *why ? NULL : t;
}

// Values, and the address of the first texel of each lane. False: lane *bad has no texture, *why, or, NULL, no texel.
static bool texture_lanes(Sm *sm, Flight *f, int *bad, const char **why) {
    const IsaInst *isa = f->inst->isa;
    memset(f->access.lanes_of, 0, sizeof f->access.lanes_of);
    f->access.texel_bytes = 1;
    *bad = -1;
    window_await(sm);
    for (int l = 0; l < ISA_LANES; l++) {
        TextureRecord t;
        const char *fault;
        uint32_t coord[4] = {0}, result[4];
        bool inside, there;
        f->access.addr[l] = 0;
        if (!(f->active >> l & 1)) continue;
        if (!texture_of(sm, f, l, &t, &fault)) {
            if (*bad < 0) *bad = l, *why = fault;
            continue;
        }
        for (int w = 0; w < isa->src[1].width; w++) coord[w] = flight_source(f, 1, w)[l];
        there = texture_fetch(&t, isa->mode, coord, texture_bytes, sm->memory, result, &f->access.addr[l],
                              &inside);
        if (!there && *bad < 0) *bad = l, *why = NULL;
        for (int w = 0; w < 4; w++) f->out.dst[w][l] = result[w];
        if (inside && there) f->access.lanes_of[IN_GLOBAL] |= 1u << l;
        if (texture_texel_bytes(&t) > f->access.texel_bytes) f->access.texel_bytes = (uint8_t)texture_texel_bytes(&t);
    }
    return *bad < 0;
}

static void bad_texture(Sm *sm, const Flight *f, int l, const char *why) {
    char place[256], thread[128], where[512];
    explain_place(sm, f->stream, f->pc, place, sizeof place);
    explain_thread(sm, f->warp, l, thread, sizeof thread);
    if (why) {
        sm_fail(sm, EXIT_WRONG_RESULT, "%s: texture fetch by %s: 0x%x %s", place, thread, flight_source(f, 0, 0)[l], why);
        return;
    }
    device_describe(sm->memory, f->access.addr[l], where, sizeof where);
    sm_fail(sm, EXIT_WRONG_RESULT, "%s: texture fetch by %s at 0x%x: %s", place, thread, f->access.addr[l], where);
}

static bool texture_execute(Sm *sm, Flight *f) {
    int bad;
    const char *why = NULL;
    if (texture_lanes(sm, f, &bad, &why)) return true;
    bad_texture(sm, f, bad, why);
    return false;
}

static void resolve(Flight *f) {
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

// A 64-bit address must lie below 4 GiB.
static bool addresses_in_reach(Sm *sm, const Flight *f) {
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
    bad_access(sm, f, l, ((uint64_t)high[l] << 32 | low[l]) + (uint64_t)(int64_t)isa->offset, NULL);
    return false;
}

static bool addresses_aligned(Sm *sm, const Flight *f) {
    const IsaInst *isa = f->inst->isa;
    if (isa->mem_bytes <= 1 || isa->op == ISA_PREFETCH) return true;
    uint32_t any = 0, odd = 0, bits = isa->mem_bytes - 1u;
    for (int l = 0; l < ISA_LANES; l++) any |= f->access.addr[l];
    if (!(any & bits)) return true;
    for (int l = 0; l < ISA_LANES; l++) odd |= (uint32_t)((f->access.addr[l] & bits) != 0) << l;
    odd &= f->active;
    if (!odd) return true;
    misaligned(sm, f, __builtin_ctz(odd), f->access.addr[__builtin_ctz(odd)]);
    return false;
}

// ---- values ----

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

static uint64_t operand(const Flight *f, int i, int l) {
    uint64_t v = flight_source(f, i, 0)[l];
    return f->inst->isa->mem_bytes == 8 ? v | (uint64_t)flight_source(f, i, 1)[l] << 32 : v;
}

// Read, modify, write of one lane.
static void atomic_lane(Flight *f, int l, bool global, uint8_t *p) {
    const IsaInst *isa = f->inst->isa;
    uint64_t old = 0;
    memcpy(&old, p, isa->mem_bytes);
    uint64_t value = isa_atomic(isa->atom, isa->type, global, old, operand(f, 1, l), operand(f, 2, l));
    memcpy(p, &value, isa->mem_bytes);
    f->out.dst[0][l] = (uint32_t)old;
    f->out.dst[1][l] = (uint32_t)(old >> 32);
}

// A lane's store or load of global memory at p, where other SMs see stores later.
static void window_lane(Sm *sm, Flight *f, int l, const uint8_t *p) {
    uint8_t bytes[16];
    const uint32_t n = f->inst->isa->mem_bytes;
    if (f->inst->isa->op == ISA_ST) {
        put_lane(f, l, bytes);
        window_store(sm, f->access.addr[l], bytes, n);
        return;
    }
    memcpy(bytes, p, n);
    window_load(sm, f->access.addr[l], bytes, n);
    get_lane(f, l, bytes);
}

static void move_lane(Flight *f, int l, uint8_t *p) {
    switch (f->inst->isa->op) {
    case ISA_ST: put_lane(f, l, p); break;
    case ISA_ATOM: atomic_lane(f, l, false, p); break;  // in global memory they are performed at L2
    default: get_lane(f, l, p);
    }
}

// ---- spaces ----

// All lanes of a whole warp on 4-byte words of one allocation: no check per lane.
static bool global_words(Sm *sm, Flight *f) {
    const IsaInst *isa = f->inst->isa;
    if (f->access.lanes_of[IN_GLOBAL] != ~0u || isa->mem_bytes != 4 || isa->op == ISA_ATOM) return false;
    if (sm->window && (isa->op == ISA_ST || window_stored(sm))) return false;
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
        for (int l = 0; l < ISA_LANES; l++) memcpy(&f->out.dst[0][l], p + (f->access.addr[l] - least), 4);
    }
    return true;
}

static bool global_access(Sm *sm, Flight *f, uint32_t lanes) {
    const IsaInst *isa = f->inst->isa;
    DeviceMemory *memory = sm->memory;
    if (isa->op == ISA_PREFETCH) {  // a hint: addresses that are not there are dropped
        for (uint32_t left = lanes; left; left &= left - 1) {
            int l = __builtin_ctz(left);
            if (!device_at(memory, f->access.addr[l], 1)) f->access.lanes_of[IN_GLOBAL] &= ~(1u << l);
        }
        return true;
    }
    if (isa->op == ISA_LD) window_await(sm);
    if (global_words(sm, f)) return true;
    for (uint32_t left = lanes; left; left &= left - 1) {
        int l = __builtin_ctz(left);
        uint8_t *p = device_at(memory, f->access.addr[l], isa->mem_bytes);
        if (!p) {
            bad_access(sm, f, l, f->access.addr[l], NULL);
            return false;
        }
        if (isa->op == ISA_ATOM) continue;
        if (sm->window) window_lane(sm, f, l, p);
        else move_lane(f, l, p);
    }
    return true;
}

// Lanes whose access does not end within so many bytes.
static uint32_t lanes_beyond(const Flight *f, uint32_t bytes) {
    const uint32_t *addr = f->access.addr, size = f->inst->isa->mem_bytes;
    uint32_t most = 0, beyond = 0;
    for (int l = 0; l < ISA_LANES; l++) most = addr[l] > most ? addr[l] : most;
    if (most < bytes && bytes - most >= size) return 0;
    for (int l = 0; l < ISA_LANES; l++) beyond |= (uint32_t)(addr[l] >= bytes || bytes - addr[l] < size) << l;
    return beyond;
}

// All lanes of a whole warp load or store 4-byte words.
static bool shared_words(Flight *f, uint8_t *base, uint32_t lanes) {
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

static bool shared_access(Sm *sm, Flight *f, uint32_t lanes) {
    const IsaInst *isa = f->inst->isa;
    const Warp *w = &sm->warps[f->warp];
    const bool own = f->stream->shared_bytes != 0;
    const uint32_t bytes = own ? f->stream->shared_bytes
                               : (uint32_t)sm->launch->program->shared_bytes + sm->launch->shared_bytes;
    uint8_t *base = sm->shared + (own ? f->stream->shared_at : (size_t)w->cta * sm->shared_per_cta);
    const uint32_t beyond = lanes_beyond(f, bytes) & lanes;
    if (beyond) {
        int l = __builtin_ctz(beyond);
        bad_window(sm, f, l, "shared", f->access.addr[l], bytes);
        return false;
    }
    if (isa->op == ISA_PREFETCH) return true;
    if (shared_words(f, base, lanes)) return true;
    for (uint32_t left = lanes; left; left &= left - 1) {
        int l = __builtin_ctz(left);
        move_lane(f, l, base + f->access.addr[l]);
    }
    return true;
}

// Local memory: word w of lane l lies beside word w of lane l + 1.
static bool local_access(Sm *sm, Flight *f, uint32_t lanes) {
    const IsaInst *isa = f->inst->isa;
    for (uint32_t left = lanes; left; left &= left - 1) {
        int l = __builtin_ctz(left);
        uint32_t a = f->access.addr[l], bytes = isa->mem_bytes;
        if (a >= sm->local_bytes || sm->local_bytes - a < bytes) {
            bad_window(sm, f, l, "local", a, sm->local_bytes);
            return false;
        }
        if (isa->op == ISA_PREFETCH) continue;
        if (isa->op == ISA_ATOM) {
            bad_access(sm, f, l, a, "atomics work on global and shared memory, this is local memory");
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

static bool const_access(Sm *sm, Flight *f, uint32_t lanes) {
    const IsaInst *isa = f->inst->isa;
    const GpuLaunch *launch = sm->launch;
    for (uint32_t left = lanes; left; left &= left - 1) {
        int l = __builtin_ctz(left);
        uint32_t a = f->access.addr[l];
        bool param = isa->op == ISA_LDC ? isa->cbank == 0 : a >= SM_PARAM_OFFSET;
        if (param && isa->op != ISA_LDC) a -= SM_PARAM_OFFSET;
        const uint8_t *image = param ? launch->params : launch->layout ? launch->layout->const_image : NULL;
        uint32_t bytes = param ? (uint32_t)launch->program->param_bytes
                               : launch->layout ? launch->layout->const_bytes : 0;
        if (a >= bytes || bytes - a < isa->mem_bytes) {
            bad_window(sm, f, l, param ? "parameter" : "constant", a, bytes);
            return false;
        }
        if (isa->op == ISA_ST || isa->op == ISA_ATOM) {
            bad_access(sm, f, l, a, param ? "kernel parameters are read-only" : "constant memory is read-only");
            return false;
        }
        if (isa->op != ISA_PREFETCH) get_lane(f, l, image + a);
    }
    return true;
}

// ---- execution ----

// The address pipe moves as a whole: by one stage per cycle, unless an instruction at its end stays there.
static bool at_end(const Sm *sm) {
    return sm->ldst->pipe.first && sm->ldst->pipe.first->access.ready <= sm->ldst->pipe_time;
}

static bool ports_have_room(const Sm *sm) {
    for (int i = 0; i < sm->loads.n; i++) {
        const BoundLoad *port = &sm->loads.of[i];
        if (port->part->room && !port->part->room(sm, port->self)) return false;
    }
    return true;
}

bool ldst_accepts(const Sm *sm) {
    if (!ports_have_room(sm)) return false;
    if (!at_end(sm)) return true;
    const Flight *f = sm->ldst->pipe.first;
    return f->access.part + 1 == f->access.parts && mem_ready(sm->mem, sm->port);
}

bool ldst_held(const Sm *sm) {
    return at_end(sm) && !mem_ready(sm->mem, sm->port);
}

static int part_count(const Flight *f) {
    int words = (f->inst->isa->mem_bytes + 3) / 4;
    return (f->access.lanes_of[IN_GLOBAL] != 0) + (f->access.lanes_of[IN_SHARED] != 0) + (f->access.lanes_of[IN_CONST] != 0) +
           (f->access.lanes_of[IN_LOCAL] ? words : 0);
}

static bool move_data(Sm *sm, Flight *f) {
    if (f->access.lanes_of[IN_GLOBAL] && !global_access(sm, f, f->access.lanes_of[IN_GLOBAL])) return false;
    if (f->access.lanes_of[IN_SHARED] && !shared_access(sm, f, f->access.lanes_of[IN_SHARED])) return false;
    if (f->access.lanes_of[IN_LOCAL] && !local_access(sm, f, f->access.lanes_of[IN_LOCAL])) return false;
    if (f->access.lanes_of[IN_CONST] && !const_access(sm, f, f->access.lanes_of[IN_CONST])) return false;
    return true;
}

static void into_pipe(Sm *sm, Flight *f) {
    f->access.ready = sm->ldst->pipe_time + (unsigned)f->inst->latency;
    flight_push(&sm->ldst->pipe, FLIGHT_AT, f);
}

// A load that waited for a port, behind the others that are as far.
static void return_to_pipe(Sm *sm, Flight *f) {
    Flight *after = NULL, *next = sm->ldst->pipe.first;
    const uint64_t ready = sm->ldst->pipe_time + (unsigned)(f->inst->latency - f->access.passed);
    for (; next && next->access.ready <= ready; next = flight_after(next, FLIGHT_AT)) after = next;
    f->access.ready = ready;
    flight_push_after(&sm->ldst->pipe, FLIGHT_AT, after, f);
}

// ---- load ports: a load leaves the address pipe when one of them takes it; its place stays empty ----

static void serve(Sm *sm, Flight *f, LoadAnswer answer) {
    panic_if(answer.cycles < 1, "a load port serves in %d cycles", answer.cycles);
    f->access.left = 0;
    f->placed = answer.placed;
    wheel_put(sm, f, answer.cycles);
}

void load_bind(Sm *sm, const LoadPort *part, void *self) {
    LoadSet *l = &sm->loads;
    panic_if(l->n == SM_MAX_PARTS, "more than %d load ports", SM_MAX_PARTS);
    panic_if(part->stages > sm->cfg->exec_mem_latency && part->stages != LOAD_AT_END, "a load port stands behind the address pipe");
    l->of[l->n++] = (BoundLoad){part, self};
}

void load_answer(Sm *sm, Flight *f, LoadAnswer answer) {
    panic_if(answer.from == LOAD_WAIT, "a load waits twice");
    flight_remove(&sm->ldst->waiting, FLIGHT_AT, f);
    f->access.no_result = answer.from == LOAD_NO_RESULT;
    sm_progress(sm);
    if (answer.from == LOAD_SERVED) serve(sm, f, answer);
    else return_to_pipe(sm, f);
}

// True: it is not this port that decides.
static bool ask(Sm *sm, Flight *f, const BoundLoad *port) {
    const LoadAnswer answer = port->part->probe(sm, port->self, f);
    if (answer.from == LOAD_MEMORY) return true;
    f->access.no_result = answer.from == LOAD_NO_RESULT;
    if (f->access.no_result) return false;
    flight_remove(&sm->ldst->pipe, FLIGHT_AT, f);
    if (answer.from == LOAD_WAIT) flight_push(&sm->ldst->waiting, FLIGHT_AT, f);
    else serve(sm, f, answer);
    return false;
}

// The load has passed so many stages.
static void ask_ports(Sm *sm, Flight *f, int stages) {
    for (int i = 0; i < sm->loads.n; i++) {
        const BoundLoad *port = &sm->loads.of[i];
        const int at = port->part->stages == LOAD_AT_END ? f->inst->latency : port->part->stages;
        if (!port->part->probe || at != stages || f->access.asked >> i & 1) continue;
        f->access.asked |= 1u << i;
        f->access.passed = (uint16_t)stages;
        if (!ask(sm, f, port)) return;
    }
}

static void ask_all(Sm *sm) {
    for (Flight *f = sm->ldst->pipe.first, *next; f; f = next) {
        next = flight_after(f, FLIGHT_AT);
        const int left = (int)(f->access.ready - sm->ldst->pipe_time);
        if (f->inst->isa->op == ISA_LD && left >= 0 && !f->access.no_result) ask_ports(sm, f, f->inst->latency - left);
    }
}

// ---- pre-loads ----

// Its registers keep what they hold.
static void no_result(Sm *sm, Flight *f) {
    for (int i = 0; i < f->inst->nwrites; i++) hazards_written(sm, f, f->inst->dst_reg[i]);
    flight_end(sm, f);
}

static bool is_pre_load(const Sm *sm, const Flight *f) {
    for (int i = 0; i < sm->loads.n; i++) {
        const BoundLoad *port = &sm->loads.of[i];
        if (port->part->pre_loads && port->part->pre_loads(sm, port->self, f)) return true;
    }
    return false;
}

static bool lane_is_there(Sm *sm, const Flight *f, int l) {
    const IsaInst *isa = f->inst->isa;
    if (isa->op == ISA_TEX) return true;
    const uint32_t addr = f->access.addr[l], bytes = isa->mem_bytes ? isa->mem_bytes : 1;
    if (addr % bytes) return false;
    if (f->access.lanes_of[IN_LOCAL] >> l & 1) return addr < sm->local_bytes && sm->local_bytes - addr >= bytes;
    if (isa->src[0].width == 2) {
        const uint64_t whole = ((uint64_t)flight_source(f, 0, 1)[l] << 32 | flight_source(f, 0, 0)[l]) + (uint64_t)(int64_t)isa->offset;
        if (whole >> 32) return false;
    }
    return device_at(sm->memory, addr, bytes) != NULL;
}

// Lanes whose address is not there; those of shared and constant memory have no line in L1.
static void drop_lanes(Sm *sm, Flight *f) {
    f->access.lanes_of[IN_SHARED] = f->access.lanes_of[IN_CONST] = 0;
    for (uint32_t left = f->access.lanes_of[IN_GLOBAL] | f->access.lanes_of[IN_LOCAL]; left; left &= left - 1) {
        const int l = __builtin_ctz(left);
        if (lane_is_there(sm, f, l)) continue;
        f->access.lanes_of[IN_GLOBAL] &= ~(1u << l);
        f->access.lanes_of[IN_LOCAL] &= ~(1u << l);
    }
}

static void touch(Sm *sm, Flight *f) {
    f->access.lanes_of[IN_LOCAL] = 0;
    drop_lanes(sm, f);
    sm->count->v[CTR_TOUCHES] += (unsigned)__builtin_popcount(f->active);
    sm->count->v[CTR_TOUCHES_DROPPED] += (unsigned)__builtin_popcount(f->active & ~f->access.lanes_of[IN_GLOBAL]);
}

static void pre_load(Sm *sm, Flight *f) {
    int bad;
    const char *why;
    if (f->inst->isa->op == ISA_TEX) texture_lanes(sm, f, &bad, &why);
    else resolve(f);
    drop_lanes(sm, f);
    f->access.unperformed = 0;
    f->access.pre = f->access.no_result = true;
    f->access.parts = f->access.left = (uint8_t)part_count(f);
    f->access.part = 0;
    if (f->access.left) into_pipe(sm, f);
    else no_result(sm, f);
}

void ldst_execute(Sm *sm, Flight *f) {
    order_performed(sm, f);
    f->access.left = 0;
    if (f->inst->isa->op == ISA_SYSCALL) {
        if (sm->window) window_call(sm, f);
        else syscall_execute(sm, f);
        return;
    }
    f->access.pre = false;
    if (sm->loads.n && is_pre_load(sm, f)) {
        pre_load(sm, f);
        return;
    }
    const bool texture = f->inst->isa->op == ISA_TEX;
    if (texture && !texture_execute(sm, f)) return;
    if (!texture) resolve(f);
    notify_access(sm, (FlightEvent){f});  // before the SM complains about an address that is wrong by its own fault
    if (sm->failed) return;
    if (f->inst->isa->op == ISA_TOUCH) touch(sm, f);
    else if (!texture && (!addresses_in_reach(sm, f) || !addresses_aligned(sm, f) || !move_data(sm, f))) {
        if (sm->failed) return;
        memset(f->access.addr, 0, sizeof f->access.addr);
        memset(&f->out, 0, sizeof f->out);
    }
    f->access.unperformed = f->inst->mem == SM_MEM_ATOMIC ? f->access.lanes_of[IN_GLOBAL] : 0;
    if (f->inst->mem == SM_MEM_ATOMIC && !f->access.unperformed) order_atomic_performed(sm, f);
    f->access.parts = f->access.left = (uint8_t)part_count(f);
    f->access.part = 0;
    f->access.asked = 0;
    f->access.no_result = false;
    if (f->access.left == 0 && texture) {  // no lane reads a texel
        wheel_put(sm, f, f->inst->latency);
        return;
    }
    if (f->access.left == 0) {  // a prefetch or touch of nothing
        flight_end(sm, f);
        return;
    }
    into_pipe(sm, f);
    if (sm->loads.n && f->inst->isa->op == ISA_LD) ask_ports(sm, f, 0);
}

// ---- requests ----

static MemKind kind_of(const Flight *f, int space) {
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
static void build_request(const Sm *sm, const Flight *f, MemRequest *r) {
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
    r->kind = kind_of(f, space);
    r->warp = (uint8_t)f->warp;
    r->active = f->access.lanes_of[space];
    r->bytes = isa->op == ISA_PREFETCH || isa->op == ISA_TOUCH ? 1 : isa->mem_bytes;
    if (isa->op == ISA_TEX) r->bytes = f->access.texel_bytes;
    r->bypass_l1 = isa->ordered || isa->cache == ISA_CACHE_L2 || isa->cache == ISA_CACHE_VOLATILE;
    if (sm->cfg->l1_loads == L1_LOADS_NC && space == IN_GLOBAL && !isa->readonly) r->bypass_l1 = true;
    r->may_drop = (f->access.pre && sm->cfg->pmode_preload_full == PRELOAD_DROP) || f->stream->drops;
    if (space == IN_LOCAL) {
        if (r->bytes > 4) r->bytes = 4;
        for (int l = 0; l < ISA_LANES; l++)
            r->addr[l] = mem_local_address(f->warp, sm->frame_words, f->access.addr[l] + 4 * (uint32_t)part, l);
        return;
    }
    uint32_t base = 0;
    if (isa->op == ISA_LDC && isa->cbank == 0) base = SM_PARAM_OFFSET;
    else if (space == IN_SHARED)
        base = f->stream->shared_bytes ? f->stream->shared_at : sm->warps[f->warp].cta * sm->shared_per_cta;
    for (int l = 0; l < ISA_LANES; l++) r->addr[l] = f->access.addr[l] + base;
}

bool ldst_load_once(Sm *sm, Flight *f) {
    order_performed(sm, f);
    f->access.pre = false;
    f->access.part = 0;
    resolve(f);
    notify_access(sm, (FlightEvent){f});
    return !sm->failed && addresses_in_reach(sm, f) && addresses_aligned(sm, f) && move_data(sm, f);
}

void ldst_request_once(const Sm *sm, const Flight *f, MemRequest *r) {
    build_request(sm, f, r);
    r->token = (uint32_t)flight_index(sm, f);
    r->active &= -r->active;
}

// One request of the instruction at the pipe's end; true when that was its last.
static bool hand_over(Sm *sm) {
    if (!mem_ready(sm->mem, sm->port)) return false;
    Flight *f = sm->ldst->pipe.first;
    MemRequest r;
    build_request(sm, f, &r);
    mem_issue(sm->mem, sm->port, &r);
    sm->ldst->fair_turn = true;
    if (++f->access.part < f->access.parts) return false;
    flight_pop(&sm->ldst->pipe, FLIGHT_AT);
    return true;
}

// A request of a source of that place goes to the memory system.
static bool from_source(Sm *sm, SourcePlace place) {
    MemRequest r;
    if (!mem_ready(sm->mem, sm->port) || !sources_next(sm, place, &r)) return false;
    mem_issue(sm->mem, sm->port, &r);
    sm->ldst->fair_turn = false;
    return true;
}

// The sources come before the LD/ST unit in this cycle.
__attribute__((noinline)) static bool sources_turn(Sm *sm, bool wants) {
    if (wants && !sm->ldst->fair_turn) return false;
    return from_source(sm, SOURCE_FAIR) || (!wants && from_source(sm, SOURCE_IDLE));
}

void ldst_stage(Sm *sm) {
    const bool wants = at_end(sm);
    const bool source = sm->sources.n && sources_turn(sm, wants);
    if (!sm->ldst->pipe.first) return;
    if (wants && (source || !hand_over(sm))) return;
    sm->ldst->pipe_time++;
    if (sm->loads.n) ask_all(sm);
}

// ---- completions ----

static Flight *flight_of(Sm *sm, uint32_t token) {
    uint32_t index = token / SM_TOKEN_PARTS;
    panic_if(index >= SM_FLIGHTS || !sm->flights[index].inst, "memory token %u names no instruction", token);
    return &sm->flights[index];
}

void ldst_completions(Sm *sm) {
    uint32_t token;
    while (!writeback_full(sm) && mem_done(sm->mem, sm->port, &token)) {
        sm_progress(sm);
        if (sm->sources.n && sources_done(sm, token)) continue;
        Flight *f = flight_of(sm, token);
        if (--f->access.left) continue;
        panic_if(f->access.unperformed, "an atomic of warp %d is done before it was performed", f->warp);
        f->early = sm->path->early;  // mem_look_ahead
        if (f->access.no_result) no_result(sm, f);
        else if (f->inst->nwrites || f->inst->pred_writes) result_put(sm, f);
        else flight_end(sm, f);
    }
}

// The memory system performs lanes of an atomic at L2, in its order.
void ldst_perform(void *ctx, int port, uint32_t token, uint32_t lanes) {
    Gpu *g = ctx;
    Sm *sm = &g->sms[port];
    if (sm->sources.n && sources_perform(sm, token)) {
        sm_progress(sm);
        if (sm->window) window_performed(sm);
        return;
    }
    Flight *f = flight_of(sm, token);
    lanes &= f->access.unperformed;
    for (uint32_t left = lanes; left; left &= left - 1) {
        int l = __builtin_ctz(left);
        uint8_t *p = device_at(sm->memory, f->access.addr[l], f->inst->isa->mem_bytes);
        panic_if(!p, "atomic on memory that is not there");
        atomic_lane(f, l, true, p);
    }
    notify_performed(sm, (LanesEvent){f, lanes});
    f->access.unperformed &= ~lanes;
    sm_progress(sm);
    if (sm->window) window_performed(sm);
    if (f->access.unperformed) return;
    order_atomic_performed(sm, f);
}
