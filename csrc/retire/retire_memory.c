// SPDX-License-Identifier: Apache-2.0
// The interpreter's memory accesses, lane by lane, on its own global, shared and local memory.
#include "isa/texture.h"
#include "launch/device_heap.h"
#include "retire/retire_state.h"

#include <string.h>

enum { GLOBAL, SHARED, LOCAL, CONST };

#define PARAM_PART 0x01000000u  // generic addresses of parameters, above those of constants

static const uint8_t *texture_bytes(void *memory, uint32_t addr, uint32_t bytes) {
    return device_at(memory, addr, bytes);
}

// One lane of a texture fetch, on this memory; true: it reads texels, e->addr[l] is the first.
static bool texture_lane(Retire *r, Expected *e, int l) {
    TextureRecord t;
    const uint8_t *p = device_at(&r->memory, e->data[0][0][l], sizeof t);
    uint32_t coord[4], result[4];
    bool inside;
    if (!p) return false;
    memcpy(&t, p, sizeof t);
    if (texture_fault(&t, e->inst->mode)) return false;
    for (int i = 0; i < 4; i++) coord[i] = e->data[1][i][l];
    const bool there = texture_fetch(&t, e->inst->mode, coord, texture_bytes, &r->memory, result,
                                     &e->addr[l], &inside);
    for (int i = 0; i < 4; i++) e->out.dst[i][l] = result[i];
    return inside && there;
}

// Address of each lane and its memory space, at issue.
void retire_addresses(Retire *r, Expected *e) {
    const IsaInst *in = e->inst;
    for (int l = 0; l < ISA_LANES; l++) {
        if (!(e->active >> l & 1)) continue;
        if (in->op == ISA_TEX) {
            e->lanes_of[GLOBAL] |= (uint32_t)texture_lane(r, e, l) << l;
            continue;
        }
        uint64_t a = e->data[0][0][l];
        if (in->src[0].width == 2) a |= (uint64_t)e->data[0][1][l] << 32;
        a += (uint64_t)(int64_t)in->offset;
        if (in->src[0].width < 2) a = (uint32_t)a;  // 32-bit address arithmetic wraps
        int space = GLOBAL;
        if (in->op == ISA_LDC) {
            space = CONST;
        } else if (in->space == ISA_SHARED) {
            space = SHARED;
        } else if (in->space == ISA_LOCAL) {
            space = LOCAL;
        } else if (in->space == ISA_GENERIC) {
            switch (device_space_of((uint32_t)a)) {
            case PTX_SHARED: space = SHARED, a -= DEVICE_SHARED_BASE; break;
            case PTX_LOCAL: space = LOCAL, a -= DEVICE_LOCAL_BASE; break;
            case PTX_CONST: space = CONST, a -= DEVICE_CONST_BASE; break;
            case PTX_PARAM: space = CONST, a = a - DEVICE_PARAM_BASE + PARAM_PART; break;
            default: break;
            }
        }
        e->addr[l] = (uint32_t)a;
        e->lanes_of[space] |= 1u << l;
    }
}

// Host address of a lane's bytes; NULL: not there.
static uint8_t *host_address(Retire *r, const Expected *e, int space, int l) {
    uint32_t a = e->addr[l], n = e->inst->mem_bytes;
    const RetireWarp *w = &r->warps[e->warp];
    switch (space) {
    case GLOBAL: return device_at(&r->memory, a, n);
    case SHARED:
        return a + (uint64_t)n <= r->shared_per_cta
            ? r->shared + (size_t)w->cta_slot * r->shared_per_cta + a
            : NULL;
    case LOCAL:
        return a + (uint64_t)n <= r->local_bytes
            ? r->local + ((size_t)e->warp * ISA_LANES + (size_t)l) * r->local_bytes + a
            : NULL;
    default: break;
    }
    bool param = e->inst->op == ISA_LDC ? e->inst->cbank == 0 : a >= PARAM_PART;
    if (param && e->inst->op != ISA_LDC) a -= PARAM_PART;
    uint64_t bytes = param ? (uint64_t)r->program->param_bytes : r->launch.const_bytes;
    const uint8_t *image = param ? r->launch.params : r->launch.const_image;
    return a + (uint64_t)n <= bytes ? (uint8_t *)(uintptr_t)(image + a) : NULL;
}

static void load_lane(Expected *e, int l, const uint8_t *p) {
    const IsaInst *in = e->inst;
    uint64_t v = 0;
    switch (in->mem_bytes) {
    case 1: v = in->type == ISA_S8 && *p & 0x80 ? 0xffffff00u | *p : *p; break;
    case 2:
        v = (uint64_t)(p[0] | p[1] << 8);
        if (in->type == ISA_S16 && v & 0x8000) v |= 0xffff0000u;
        break;
    default:
        for (int w = 0; w < in->mem_bytes / 4; w++) memcpy(&e->out.dst[w][l], p + 4 * w, 4);
        return;
    }
    e->out.dst[0][l] = (uint32_t)v;
}

static void store_lane(const Expected *e, int l, uint8_t *p) {
    for (int i = 0; i < e->inst->mem_bytes; i++)
        p[i] = (uint8_t)(e->data[1][i / 4][l] >> (8 * (i % 4)));
}

static void perform_atomic(Expected *e, int space, int l, uint8_t *p) {
    const IsaInst *in = e->inst;
    uint64_t old = 0, b = e->data[1][0][l], c = e->data[2][0][l];
    if (in->mem_bytes == 8) {
        b |= (uint64_t)e->data[1][1][l] << 32;
        c |= (uint64_t)e->data[2][1][l] << 32;
    }
    memcpy(&old, p, in->mem_bytes);
    uint64_t value = isa_atomic(in->atom, in->type, space == GLOBAL, old, b, c);
    memcpy(p, &value, in->mem_bytes);
    e->out.dst[0][l] = (uint32_t)old;
    e->out.dst[1][l] = (uint32_t)(old >> 32);
}

// Other SMs see the store later.
static void apart_access(Retire *r, Expected *e, int l, const uint8_t *p) {
    uint8_t bytes[16];
    const uint32_t n = e->inst->mem_bytes;
    if (e->inst->op == ISA_ST) {
        store_lane(e, l, bytes);
        device_write(r->writes, e->addr[l], bytes, n);
        return;
    }
    memcpy(bytes, p, n);
    device_written(r->writes, e->addr[l], bytes, n);
    load_lane(e, l, bytes);
}

// A bad address does nothing here: the SM has the same one and ends the run.
static void lane_access(Retire *r, Expected *e, int space, int l) {
    uint8_t *p = host_address(r, e, space, l);
    bool loads = e->inst->op == ISA_LD || e->inst->op == ISA_LDC;
    if (!p || (space == CONST && !loads)) return;
    if (r->writes && space == GLOBAL && e->inst->op != ISA_ATOM) apart_access(r, e, l, p);
    else if (e->inst->op == ISA_ST) store_lane(e, l, p);
    else if (e->inst->op == ISA_ATOM) perform_atomic(e, space, l, p);
    else load_lane(e, l, p);
}

static void write_loaded(Retire *r, const Expected *e, uint32_t lanes) {
    const IsaInst *in = e->inst;
    if (in->dst == ISA_RZ) return;
    for (int k = 0; k < in->dst_width; k++) {
        uint32_t *reg = retire_write(r, e->warp, in->dst + k, lanes);
        for (int l = 0; l < ISA_LANES; l++)
            if (lanes >> l & 1) reg[l] = e->out.dst[k][l];
    }
}

static bool same_data(Retire *r, Expected *e, const RetireAccess *a, Diag *d) {
    if (e->inst->op != ISA_ST && e->inst->op != ISA_ATOM) return true;
    uint32_t bits = e->inst->mem_bytes < 4 ? (1u << 8 * e->inst->mem_bytes) - 1 : ~0u;
    for (int i = 1; i < 3; i++)
        for (int w = 0; w < e->inst->src[i].width && w < 4; w++)
            for (int l = 0; l < ISA_LANES; l++) {
                uint32_t want = e->data[i][w][l], got = a->data[i][w][l];
                if (e->unknown >> l & 1) e->data[i][w][l] = want = got;
                if (e->active >> l & 1 && (want ^ got) & bits)
                    return retire_fail(
                        r, e, d, "data of lane %d, word %d: expected 0x%08x, the SM has 0x%08x", l,
                        w, want & bits, got & bits);
            }
    return true;
}

static bool same_addresses(Retire *r, const Expected *e, const RetireAccess *a, Diag *d) {
    static const char *const names[4] = {"global", "shared", "local", "constant"};
    for (int space = 0; space < 4; space++)
        if (a->lanes_of[space] != e->lanes_of[space])
            return retire_fail(r, e, d, "expected the lanes %08x in %s memory, in the SM %08x are",
                               e->lanes_of[space], names[space], a->lanes_of[space]);
    for (int l = 0; l < ISA_LANES; l++)
        if (e->active >> l & 1 && a->addr[l] != e->addr[l])
            return retire_fail(r, e, d, "address of lane %d: expected 0x%08x, the SM has 0x%08x", l,
                               e->addr[l], a->addr[l]);
    return true;
}

// Lanes with an unknown address take the SM's address.
static void adopt_addresses(Expected *e, const RetireAccess *a) {
    const bool texture = e->inst->op == ISA_TEX;
    const uint32_t lanes = texture ? e->unknown : e->unknown_source[0];
    if (!lanes) return;
    for (int space = 0; space < 4; space++)
        e->lanes_of[space] = (e->lanes_of[space] & ~lanes) | (a->lanes_of[space] & lanes);
    for (int l = 0; l < ISA_LANES; l++) {
        if (!(lanes >> l & 1)) continue;
        e->addr[l] = a->addr[l];
        for (int i = 0; texture && i < 2; i++)
            for (int w = 0; w < e->inst->src[i].width && w < 4; w++)
                e->data[i][w][l] = a->data[i][w][l];
    }
}

bool retire_access(Retire *r, int flight, const RetireAccess *a, Diag *d) {
    Expected *e = &r->expected[flight];
    r->compared++;
    e->has_result = true;
    if (e->inst->op == ISA_PREFETCH) return true;
    adopt_addresses(e, a);
    if (!same_addresses(r, e, a, d) || !same_data(r, e, a, d)) return false;
    if (e->inst->op == ISA_TOUCH) return true;
    if (e->inst->op == ISA_TEX) {
        for (int l = 0; l < ISA_LANES; l++)
            if (e->active >> l & 1) texture_lane(r, e, l);
        write_loaded(r, e, e->active);
        return true;
    }
    uint32_t done = 0;
    for (int space = 0; space < 4; space++) {
        if (space == GLOBAL && e->inst->op == ISA_ATOM) continue;  // at L2
        for (int l = 0; l < ISA_LANES; l++) {
            if (!(e->lanes_of[space] >> l & 1)) continue;
            lane_access(r, e, space, l);
            done |= 1u << l;
        }
    }
    write_loaded(r, e, done);
    return true;
}

void retire_perform(Retire *r, int flight, uint32_t lanes) {
    Expected *e = &r->expected[flight];
    for (int l = 0; l < ISA_LANES; l++)
        if (lanes >> l & 1) lane_access(r, e, GLOBAL, l);
    write_loaded(r, e, lanes);
}

bool retire_syscall(Retire *r, int flight, const uint32_t address[ISA_LANES], Diag *d) {
    Expected *e = &r->expected[flight];
    bool alloc = e->inst->mode == ISA_SYS_MALLOC, release = e->inst->mode == ISA_SYS_FREE;
    e->trust = !alloc;
    e->has_result = true;
    for (int l = 0; l < ISA_LANES; l++) {
        if (!(e->active >> l & 1)) continue;
        if (e->data[0][0][l] != address[l])
            return retire_fail(r, e, d, "argument block of lane %d: expected 0x%x, the SM has 0x%x",
                               l, e->data[0][0][l], address[l]);
        uint64_t at = address[l] + (uint64_t)(int64_t)e->inst->offset, value;
        if (!(alloc || release) || at + 8 > r->local_bytes) continue;
        memcpy(&value, r->local + ((size_t)e->warp * ISA_LANES + (size_t)l) * r->local_bytes + at,
               8);
        uint64_t result = 0;
        if (alloc) result = device_malloc(&r->memory, value);
        else device_free(&r->memory, value);
        e->out.dst[0][l] = (uint32_t)result;
        e->out.dst[1][l] = (uint32_t)(result >> 32);
    }
    if (alloc) write_loaded(r, e, e->active);
    return true;
}

bool retire_end(Retire *r, Diag *d) {
    const DeviceMemory *sm = r->launch.memory;
    if (r->first && r->first != r) return true;
    for (int i = 0; i < r->memory.nallocs; i++) {
        const DeviceAlloc *a = &r->memory.allocs[i];
        const uint8_t *want = r->memory.base + a->addr, *got = sm->base + a->addr;
        if (!memcmp(want, got, a->bytes)) continue;
        uint32_t at = 0;
        while (want[at] == got[at]) at++;
        return diag_fail(
            d, EXIT_MISMATCH,
            "retire check of kernel %s: byte %u of %s: expected 0x%02x, the SM left 0x%02x",
            r->program->name, at, a->name, want[at], got[at]);
    }
    return true;
}
