// SPDX-License-Identifier: Apache-2.0
// Accesses of scalar threads have one lane and one address. Values move when the instruction
// dispatches (atomics on global memory when they are at L2). Then the access waits in its unit's
// queue for the memory system. Its requests alternate with those of the warps (specification, rules
// 11 to 13).
#include "systems/scalar/scalar.h"

#include "sm/stages/ldst.h"
#include "sm/sm_quantum.h"

#include <string.h>

enum { IN_GLOBAL, IN_SHARED, IN_LOCAL, IN_CONST };

static bool fail_access(Sm *sm, const Scalar *s, const Flight *f, uint64_t addr, const char *why) {
    const IsaInst *isa = f->inst->isa;
    char place[256], where[512];
    scalar_where(sm, s, f, place, sizeof place);
    if (why) snprintf(where, sizeof where, "%s", why);
    else device_describe(sm->memory, addr, where, sizeof where);
    sm_fail(sm, EXIT_WRONG_RESULT, "%s: %s of %d bytes at 0x%llx: %s", place,
            isa->op == ISA_ST         ? "store"
                : isa->op == ISA_ATOM ? "atomic"
                                      : "load",
            isa->mem_bytes, (unsigned long long)addr, where);
    return false;
}

// ---- addresses ----

static int space_of(const IsaInst *isa, uint32_t *a) {
    if (isa->op == ISA_LDC) return IN_CONST;
    if (isa->space == ISA_SHARED) return IN_SHARED;
    if (isa->space == ISA_LOCAL) return IN_LOCAL;
    if (isa->space == ISA_GLOBAL) return IN_GLOBAL;
    switch (device_space_of(*a)) {
    case PTX_SHARED: *a -= DEVICE_SHARED_BASE; return IN_SHARED;
    case PTX_LOCAL: *a -= DEVICE_LOCAL_BASE; return IN_LOCAL;
    case PTX_CONST: *a -= DEVICE_CONST_BASE; return IN_CONST;
    case PTX_PARAM: *a = *a - DEVICE_PARAM_BASE + SM_PARAM_OFFSET; return IN_CONST;
    default: return IN_GLOBAL;
    }
}

static uint64_t whole_address(const Flight *f) {
    const IsaInst *isa = f->inst->isa;
    const uint64_t low = flight_source(f, 0, 0)[0];
    if (isa->src[0].width != 2) return (uint32_t)(low + (uint64_t)(int64_t)isa->offset);
    return ((uint64_t)flight_source(f, 0, 1)[0] << 32 | low) + (uint64_t)(int64_t)isa->offset;
}

// ---- values ----

static void load_value(Flight *f, const uint8_t *p) {
    const IsaInst *isa = f->inst->isa;
    uint16_t half;
    switch (isa->mem_bytes) {
    case 1: f->out.dst[0][0] = isa->type == ISA_S8 ? (uint32_t)(int32_t)(int8_t)*p : *p; break;
    case 2:
        memcpy(&half, p, 2);
        f->out.dst[0][0] = isa->type == ISA_S16 ? (uint32_t)(int32_t)(int16_t)half : half;
        break;
    default:
        for (int w = 0; w < isa->mem_bytes / 4; w++) memcpy(&f->out.dst[w][0], p + 4 * w, 4);
    }
}

static void store_value(const Flight *f, uint8_t *p) {
    const int bytes = f->inst->isa->mem_bytes;
    for (int w = 0; 4 * w < bytes; w++)
        memcpy(p + 4 * w, flight_source(f, 1, w), (size_t)(bytes < 4 ? bytes : 4));
}

static uint64_t operand_value(const Flight *f, int i) {
    const uint64_t low = flight_source(f, i, 0)[0];
    return f->inst->isa->mem_bytes == 8 ? low | (uint64_t)flight_source(f, i, 1)[0] << 32 : low;
}

static void apply_atomic(Flight *f, bool global, uint8_t *p) {
    const IsaInst *isa = f->inst->isa;
    uint64_t old = 0;
    memcpy(&old, p, isa->mem_bytes);
    const uint64_t value =
        isa_atomic(isa->atom, isa->type, global, old, operand_value(f, 1), operand_value(f, 2));
    memcpy(p, &value, isa->mem_bytes);
    f->out.dst[0][0] = (uint32_t)old;
    f->out.dst[1][0] = (uint32_t)(old >> 32);
}

static void move_value(Flight *f, uint8_t *p) {
    switch (f->inst->isa->op) {
    case ISA_ST: store_value(f, p); break;
    // atomics on global memory are performed at L2
    case ISA_ATOM: apply_atomic(f, false, p); break;
    default: load_value(f, p);
    }
}

// Used when other SMs see stores later.
static void quantum_move(Sm *sm, Flight *f, const uint8_t *p) {
    uint8_t bytes[16];
    const uint32_t n = f->inst->isa->mem_bytes;
    if (f->inst->isa->op == ISA_ST) {
        store_value(f, bytes);
        quantum_store(sm, f->access.addr[0], bytes, n);
        return;
    }
    quantum_await(sm);
    memcpy(bytes, p, n);
    quantum_load(sm, f->access.addr[0], bytes, n);
    load_value(f, bytes);
}

static bool move_global(Sm *sm, Scalar *s, Flight *f, uint64_t whole) {
    uint8_t *p = whole >> 32 ? NULL : device_at(sm->memory, whole, f->inst->isa->mem_bytes);
    if (!p) return fail_access(sm, s, f, whole, NULL);
    if (f->inst->isa->op == ISA_ATOM) return true;
    if (sm->quantum) quantum_move(sm, f, p);
    else move_value(f, p);
    return true;
}

static bool move_shared(Sm *sm, Scalar *s, Flight *f, uint32_t a) {
    const uint32_t bytes = (uint32_t)sm->launch->program->shared_bytes + sm->launch->shared_bytes;
    char why[96];
    if (a < bytes && bytes - a >= f->inst->isa->mem_bytes) {
        move_value(f, sm->shared + (size_t)thread_of(s, f)->slot * sm->shared_per_cta + a);
        return true;
    }
    snprintf(why, sizeof why, "beyond the %u bytes of shared memory", bytes);
    return fail_access(sm, s, f, a, why);
}

static bool move_const(Sm *sm, Scalar *s, Flight *f, uint32_t a) {
    const IsaInst *isa = f->inst->isa;
    const GpuLaunch *l = sm->launch;
    const bool param = isa->op == ISA_LDC ? isa->cbank == 0 : a >= SM_PARAM_OFFSET;
    if (param && isa->op != ISA_LDC) a -= SM_PARAM_OFFSET;
    const uint8_t *image = param ? l->params : l->layout ? l->layout->const_image : NULL;
    const uint32_t bytes = param ? (uint32_t)l->program->param_bytes
        : l->layout              ? l->layout->const_bytes
                                 : 0;
    if (isa->op == ISA_ST || isa->op == ISA_ATOM)
        return fail_access(sm, s, f, a, "constants are read-only");
    if (a >= bytes || bytes - a < isa->mem_bytes)
        return fail_access(sm, s, f, a, "beyond parameters or constants");
    load_value(f, image + a);
    return true;
}

// ---- dispatch ----

// A touch or prefetch without memory at its address is dropped.
static void touch_address(Sm *sm, Flight *f, int space, uint64_t whole) {
    const bool there = space == IN_GLOBAL && !(whole >> 32) && device_at(sm->memory, whole, 1);
    sm->count->v[CTR_TOUCHES] += f->inst->isa->op == ISA_TOUCH;
    sm->count->v[CTR_TOUCHES_DROPPED] += f->inst->isa->op == ISA_TOUCH && !there;
    if (!there) memset(f->access.lanes_of, 0, sizeof f->access.lanes_of);
}

static bool perform_access(Sm *sm, Scalar *s, Flight *f, int space, uint64_t whole) {
    const uint32_t a = f->access.addr[0];
    if (f->inst->isa->op == ISA_TOUCH || f->inst->isa->op == ISA_PREFETCH) {
        touch_address(sm, f, space, whole);
        return true;
    }
    const uint32_t bytes = f->inst->isa->mem_bytes;
    if (bytes > 1 && a % bytes)
        return fail_access(sm, s, f, a, "not a multiple of the bytes accessed");
    switch (space) {
    case IN_GLOBAL: return move_global(sm, s, f, whole);
    case IN_SHARED: return move_shared(sm, s, f, a);
    case IN_CONST: return move_const(sm, s, f, a);
    default: return fail_access(sm, s, f, a, "a scalar thread has no local memory");
    }
}

bool scalar_access(Sm *sm, Scalar *s, ScalarUnit *u, Flight *f) {
    ScalarThread *t = thread_of(s, f);
    const uint64_t whole = whole_address(f);
    uint32_t a = (uint32_t)whole;
    const int space = space_of(f->inst->isa, &a);
    memset(f->access.lanes_of, 0, sizeof f->access.lanes_of);
    f->access.lanes_of[space] = 1;
    f->access.addr[0] = a;
    f->access.part = (uint8_t)space;
    t->accesses--;
    if (f->inst->mem >= SM_MEM_WRITE) t->writes--;
    notify_thread_access(sm,
                         (ThreadEvent){.thread = thread_flight(f)->thread,
                                       .number = thread_number(s, f),
                                       .flight = f});
    if (sm->failed || !perform_access(sm, s, f, space, whole)) return false;
    const bool at_l2 = f->inst->mem == SM_MEM_ATOMIC && space == IN_GLOBAL;
    if (f->inst->mem == SM_MEM_ATOMIC && !at_l2) t->atomics--;
    f->access.unperformed = at_l2;
    if (!f->access.lanes_of[space]) {  // a dropped touch or prefetch
        scalar_end_flight(s, f);
        return true;
    }
    thread_flight(f)->ready = s->clock + (unsigned)f->inst->latency;
    flight_push(&u->queue, FLIGHT_AT, f);
    u->nqueue++;
    return true;
}

// ---- the memory system ----

static MemKind kind_of(const Flight *f) {
    const IsaInst *isa = f->inst->isa;
    const int space = f->access.part;
    const bool store = isa->op == ISA_ST;
    if (space == IN_CONST) return MEM_CONST_LOAD;
    if (isa->op == ISA_PREFETCH) return MEM_PREFETCH;
    if (space == IN_SHARED)
        return isa->op == ISA_ATOM ? MEM_SHARED_ATOMIC : store ? MEM_SHARED_STORE : MEM_SHARED_LOAD;
    if (isa->op == ISA_ATOM) return f->inst->nwrites ? MEM_ATOMIC : MEM_RED;
    return store ? MEM_STORE : MEM_LOAD;
}

// The line as a whole: a lane per sector, if L1 has sectors.
static void whole_line(const MachineConfig *cfg, MemRequest *r) {
    const int sectors = cfg->l1_sector ? cfg->l1_line / cfg->l1_sector : 1;
    const uint32_t first = r->addr[0] & ~((uint32_t)cfg->l1_line - 1);
    for (int i = 0; i < sectors && i < ISA_LANES && sectors > 1; i++) {
        r->addr[i] = first + (uint32_t)(i * cfg->l1_sector);
        r->active |= 1u << i;
    }
}

static void request_of(const Sm *sm, Scalar *s, Flight *f, MemRequest *r) {
    const IsaInst *isa = f->inst->isa;
    memset(r, 0, sizeof *r);
    r->token = (uint32_t)thread_number(s, f);
    r->kind = kind_of(f);
    r->active = 1;
    r->bytes = isa->mem_bytes ? isa->mem_bytes : 1;
    r->bypass_l1 = isa->ordered || isa->cache == ISA_CACHE_L2 || isa->cache == ISA_CACHE_VOLATILE ||
        (sm->cfg->l1_loads == L1_LOADS_NC && f->access.part == IN_GLOBAL && !isa->readonly);
    r->addr[0] = f->access.addr[0];
    if (isa->op == ISA_LDC && isa->cbank == 0) r->addr[0] += SM_PARAM_OFFSET;
    if (isa->op == ISA_TOUCH) whole_line(sm->cfg, r);
    if (f->access.part == IN_SHARED)
        r->addr[0] += (uint32_t)thread_of(s, f)->slot * sm->shared_per_cta;
}

static bool next(Sm *sm, void *self, MemRequest *r) {
    Scalar *s = self;
    for (int k = 0; k < s->nunits; k++) {
        const int i = (s->turn + k) % s->nunits;
        ScalarUnit *u = &s->unit[i];
        Flight *f = u->queue.first;
        if (!f || thread_flight(f)->ready > s->clock) continue;
        flight_pop(&u->queue, FLIGHT_AT);
        u->nqueue--;
        s->turn = (i + 1) % s->nunits;
        request_of(sm, s, f, r);
        sm->count->v[CTR_SCALAR_REQUESTS]++;
        return true;
    }
    return false;
}

// The thread sees the answer at its next clock.
static void done(Sm *sm, void *self, uint32_t id) {
    Scalar *s = self;
    Flight *f = &s->flights[id].flight;
    (void)sm;
    panic_if(!f->inst || f->access.unperformed,
             "the memory system is done with access %u of a scalar thread, which is not", id);
    if (f->inst->nwrites || f->inst->pred_writes)
        flight_push(&s->unit[thread_of(s, f)->unit].loaded, FLIGHT_AT, f);
    else scalar_end_flight(s, f);
}

static void perform_atomic(Sm *sm, void *self, uint32_t id) {
    Scalar *s = self;
    Flight *f = &s->flights[id].flight;
    uint8_t *p = device_at(sm->memory, f->access.addr[0], f->inst->isa->mem_bytes);
    panic_if(!p, "atomic on memory that does not exist");
    apply_atomic(f, true, p);
    notify_thread_performed(
        sm, (ThreadEvent){.thread = thread_flight(f)->thread, .number = (int)id, .flight = f});
    f->access.unperformed = 0;
    thread_of(s, f)->atomics--;
}

const AccessSource scalar_source = {
    .place = SOURCE_FAIR, .next = next, .done = done, .perform = perform_atomic};
