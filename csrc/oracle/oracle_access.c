// SPDX-License-Identifier: Apache-2.0
// Memory spaces: bounds, alignment, loads, stores, atomics.
#include "isa/texture.h"
#include "oracle/interp.h"

#include <inttypes.h>
#include <string.h>

// "k.ptx:31: kernel f, CTA (0,0,0), thread (5,0,0): " + message. Returns false.
bool o_fail(const OWarp *w, const OInst *oi, uint32_t lane, ExitStatus status, const char *format,
            ...) {
    char text[1024];
    const OracleRun *r = w->cta->o->run;
    uint32_t t = (uint32_t)w->index * O_LANES + lane;
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    return diag_fail(w->cta->o->d, status,
                     "%s:%d: kernel %s, CTA (%u,%u,%u), thread (%u,%u,%u): %s", r->module->src.path,
                     oi ? oi->in->line : r->entry->line, r->entry->name, w->cta->id[0],
                     w->cta->id[1], w->cta->id[2], t % r->block[0], t / r->block[0] % r->block[1],
                     t / r->block[0] / r->block[1], text);
}

// ---- where an address leads ----

OPlace o_place(PtxSpace space, uint64_t addr) {
    if (space != PTX_GENERIC) return (OPlace){space, addr, false};
    space = device_space_of(addr);
    return (OPlace){space, space == PTX_GLOBAL ? addr : addr & (DEVICE_WINDOW_BYTES - 1), true};
}

static uint8_t *bytes_within(uint8_t *base, uint64_t size, uint64_t addr, uint32_t bytes) {
    return base && addr < size && bytes <= size - addr ? base + addr : NULL;
}

// Parameters are at the start of a frame's block. The variables of its call sequences follow them.
static uint8_t *find_param(OWarp *w, uint32_t lane, OPlace p, uint32_t bytes, bool write) {
    OracleRun *r = w->cta->o->run;
    const OFrame *f = o_frame(w);
    const PtxFunc *fn = f->func->f;
    uint64_t behind = (uint64_t)o_call_block(fn);
    // Only the kernel's own parameters have generic addresses.
    if (p.generic || (fn->is_entry && p.addr < behind))
        return write ? NULL
                     : bytes_within((uint8_t *)(uintptr_t)r->params,
                                    (uint64_t)r->entry->param_bytes, p.addr, bytes);
    uint8_t *block = f->params ? f->params + (size_t)lane * f->param_stride : NULL;
    if (p.addr < behind) return bytes_within(block, (uint64_t)fn->param_bytes, p.addr, bytes);
    return bytes_within(block, behind + (uint64_t)fn->call_bytes, p.addr, bytes);
}

// Host address of `bytes` at a place, NULL when it is not all there or (store) read-only.
static uint8_t *find_place(OWarp *w, uint32_t lane, OPlace p, uint32_t bytes, bool write) {
    OracleRun *r = w->cta->o->run;
    switch (p.space) {
    case PTX_GLOBAL: return device_at(r->memory, p.addr, bytes);
    case PTX_SHARED: return bytes_within(w->cta->shared, w->cta->shared_bytes, p.addr, bytes);
    case PTX_LOCAL:
        return bytes_within(w->local ? w->local + (size_t)lane * w->local_cap : NULL, w->local_top,
                            p.addr, bytes);
    case PTX_CONST:
        return write ? NULL
                     : bytes_within(r->layout->const_image, r->layout->const_bytes, p.addr, bytes);
    case PTX_PARAM: return find_param(w, lane, p, bytes, write);
    default: return NULL;
    }
}

static bool bad_access(OWarp *w, const OInst *oi, uint32_t lane, OPlace p, uint64_t addr,
                       uint32_t bytes) {
    char what[256], text[256];
    OCta *cta = w->cta;
    const OracleRun *r = cta->o->run;
    ptx_print_inst(text, sizeof text, r->module, o_frame(w)->func->f, oi->in);
    if (addr % bytes)
        return o_fail(w, oi, lane, EXIT_WRONG_RESULT,
                      "`%s` accesses %u bytes at 0x%" PRIx64 ", which is not a multiple of %u",
                      text, bytes, addr, bytes);
    switch (p.space) {
    case PTX_GLOBAL: device_describe(r->memory, p.addr, what, sizeof what); break;
    case PTX_SHARED:
        snprintf(what, sizeof what, "offset %" PRIu64 " of the CTA's %u bytes of shared memory",
                 p.addr, cta->shared_bytes);
        break;
    case PTX_LOCAL:
        snprintf(what, sizeof what, "offset %" PRIu64 " of the thread's %u bytes of local memory",
                 p.addr, w->local_top);
        break;
    case PTX_CONST:
        snprintf(what, sizeof what, "offset %" PRIu64 " of %u bytes of constant memory", p.addr,
                 r->layout->const_bytes);
        break;
    default: snprintf(what, sizeof what, "offset %" PRIu64 " of the parameters", p.addr); break;
    }
    return o_fail(w, oi, lane, EXIT_WRONG_RESULT, "`%s` accesses %u bytes at 0x%" PRIx64 ": %s",
                  text, bytes, addr, what);
}

// The part of o_touch that most accesses need.
static inline void watch_access(OWarp *w, const OInst *oi, uint32_t lane, OPlace p, uint32_t bytes,
                                OUse use) {
    static const uint32_t set = 0x01010101;
    const DeviceMemory *m = w->cta->o->run->memory;
    if (p.space == PTX_GLOBAL && !m->allocs[m->last].blank) return;
    if (p.space == PTX_PARAM || (p.space == PTX_CONST && !w->cta->o->blank_const)) return;
    if (p.space == PTX_SHARED && bytes == 4) {
        uint8_t *at = w->cta->shared_set + p.addr;
        if (use == O_WRITE) memcpy(at, &set, 4);
        if (!memcmp(at, &set, 4)) return;
    }
    o_touch(w, oi, lane, p, bytes, use);
}

// Host address of an access of lane, checked; NULL: error recorded.
static uint8_t *resolve_access(OWarp *w, const OInst *oi, uint32_t lane, uint64_t addr,
                               uint32_t bytes, OUse use) {
    OPlace p = o_place(oi->in->space, addr);
    uint8_t *at = addr % bytes ? NULL : find_place(w, lane, p, bytes, use & O_WRITE);
    if (!at) bad_access(w, oi, lane, p, addr, bytes);
    else if (w->cta->o->found) watch_access(w, oi, lane, p, bytes, use);
    return at;
}

bool o_read_generic(OWarp *w, int lane, uint64_t addr, void *to, uint32_t bytes) {
    const uint8_t *at = find_place(w, (uint32_t)lane, o_place(PTX_GENERIC, addr), bytes, false);
    if (at) memcpy(to, at, bytes);
    return at != NULL;
}

// ---- load and store ----

static inline uint64_t read_value(const uint8_t *at, uint32_t bytes, bool is_signed) {
    uint64_t v = 0;
    uint32_t word;
    if (bytes == 4) memcpy(&word, at, 4), v = word;  // most are
    else memcpy(&v, at, bytes);
    return is_signed ? lane_sext(v, 8 * (int)bytes) : v;
}

// Mask with the width of the register that receives an element.
static uint64_t element_mask(const OFunc *of, const PtxOperand *e) {
    return ~0ull >> (64 - 8 * ptx_type_bytes(of->f->regs[e->index].type));
}

bool o_load(OWarp *w, const OInst *oi, uint32_t active) {
    const PtxInst *in = oi->in;
    OFrame *f = o_frame(w);
    uint64_t hold[O_LANES], offset = (uint64_t)in->opnd[1].offset;
    OValues a = o_values(w, &oi->src[0], hold);
    uint32_t size = (uint32_t)ptx_type_bytes(in->type), bytes = size * (uint32_t)in->vec;
    const PtxOperand *dst = &in->opnd[0];
    const bool is_signed = ptx_type_is_signed(in->type);
    uint64_t base[O_LANES];  // the destination may be the address register
    O_FOR_LANES(l, active) base[l] = (o_at(a, l) + offset) & oi->addr_mask;
    w->cta->o->now++;
    O_FOR_LANES(l, active) {
        const uint8_t *at = resolve_access(w, oi, l, base[l], bytes, O_READ);
        if (!at) return false;
        if (w->clock.own) o_race_access(w, oi, l, base[l], bytes, O_READ, false);
        if (oi->dst >= 0) {
            f->regs[(size_t)oi->dst * O_LANES + l] = read_value(at, size, is_signed) & oi->mask;
            continue;
        }
        for (int i = 0; i < dst->nelements; i++) {
            const PtxOperand *e = &dst->elements[i];
            if (e->kind != PTX_OPND_REG) continue;
            f->regs[(size_t)f->func->slot[e->index] * O_LANES + l] =
                read_value(at + size * (uint32_t)i, size, is_signed) & element_mask(f->func, e);
        }
    }
    return true;
}

// Writes the elements of a vector store over `image`.
static void put_elements(const OFrame *f, const PtxInst *in, uint32_t lane, uint8_t *image) {
    const PtxOperand *src = &in->opnd[1];
    size_t size = (size_t)ptx_type_bytes(in->type);
    for (int i = 0; i < src->nelements; i++) {
        const PtxOperand *e = &src->elements[i];
        if (e->kind == PTX_OPND_SINK) continue;
        uint64_t value = e->kind == PTX_OPND_REG
            ? f->regs[(size_t)f->func->slot[e->index] * O_LANES + lane]
            : e->bits;
        memcpy(image + size * (size_t)i, &value, size);
    }
}

bool o_store(OWarp *w, const OInst *oi, uint32_t active) {
    const PtxInst *in = oi->in;
    uint64_t hold[2][O_LANES], offset = (uint64_t)in->opnd[0].offset;
    OValues a = o_values(w, &oi->src[0], hold[0]), v = o_values(w, &oi->src[1], hold[1]);
    uint32_t bytes = (uint32_t)ptx_type_bytes(in->type) * (uint32_t)in->vec;
    w->cta->o->now++;
    O_FOR_LANES(l, active) {
        uint64_t addr = (o_at(a, l) + offset) & oi->addr_mask, value = o_at(v, l);
        uint8_t *at = resolve_access(w, oi, l, addr, bytes, O_WRITE), image[32];
        const void *from = &value;
        if (!at) return false;
        if (in->opnd[1].kind == PTX_OPND_VEC) {
            from = memcpy(image, at, bytes);
            put_elements(o_frame(w), in, l, image);
        }
        if (w->clock.own) o_race_access(w, oi, l, addr, bytes, O_WRITE, !memcmp(at, from, bytes));
        memcpy(at, from, bytes);
    }
    return true;
}

// ---- atomics: lanes one after the other ----

bool o_atomic(OWarp *w, const OInst *oi, uint32_t active) {
    const PtxInst *in = oi->in;
    bool red = in->op == PTX_RED;
    uint64_t hold[3][O_LANES], offset = (uint64_t)in->opnd[red ? 0 : 1].offset, base[O_LANES];
    uint64_t *d = oi->dst < 0 ? NULL : o_frame(w)->regs + (size_t)oi->dst * O_LANES;
    OValues a = o_values(w, &oi->src[0], hold[0]), b = o_values(w, &oi->src[1], hold[1]),
            c = o_values(w, &oi->src[2], hold[2]);
    uint32_t bytes = (uint32_t)ptx_type_bytes(in->type);
    uint64_t vb[O_LANES], vc[O_LANES];
    O_FOR_LANES(l, active) {  // the destination may be any of the sources
        base[l] = (o_at(a, l) + offset) & oi->addr_mask;
        vb[l] = o_at(b, l);
        vc[l] = o_at(c, l);
    }
    w->cta->o->now++;
    O_FOR_LANES(l, active) {
        uint8_t *at = resolve_access(w, oi, l, base[l], bytes, O_UPDATE);
        if (!at) return false;
        if (w->clock.own) o_race_access(w, oi, l, base[l], bytes, O_UPDATE, false);
        uint64_t old = 0;
        memcpy(&old, at, bytes);
        const bool global = o_place(in->space, base[l]).space == PTX_GLOBAL;
        uint64_t now =
            lane_atomic((uint8_t)in->atom, o_isa_type(in->type), global, old, vb[l], vc[l]);
        memcpy(at, &now, bytes);
        if (d) d[l] = old & oi->mask;
    }
    return true;
}

// ---- textures ----

static const uint8_t *texture_bytes(void *memory, uint32_t addr, uint32_t bytes) {
    return device_at(memory, addr, bytes);
}

static uint32_t read_coordinate(const OFrame *f, const PtxOperand *o, uint32_t lane) {
    if (o->kind == PTX_OPND_REG)
        return (uint32_t)f->regs[(size_t)f->func->slot[o->index] * O_LANES + lane];
    return o->kind == PTX_OPND_IMM ? (uint32_t)o->bits : 0;
}

static bool bad_texture(OWarp *w, const OInst *oi, uint32_t lane, uint64_t object,
                        const char *why) {
    char text[256];
    ptx_print_inst(text, sizeof text, w->cta->o->run->module, o_frame(w)->func->f, oi->in);
    return o_fail(w, oi, lane, EXIT_WRONG_RESULT, "`%s`: 0x%" PRIx64 " %s", text, object, why);
}

// Texels are read without regard to the order of threads: a texture is not to be written by the
// kernel that fetches.
bool o_texture(OWarp *w, const OInst *oi, uint32_t active) {
    const PtxInst *in = oi->in;
    const PtxOperand *at = &in->opnd[2], *dst = &in->opnd[0];
    const int mode = in->geometry | (in->type2 == PTX_F32 ? TEXTURE_FLOAT_COORDS : 0);
    OFrame *f = o_frame(w);
    DeviceMemory *memory = w->cta->o->run->memory;
    uint64_t hold[O_LANES];
    const OValues objects = o_values(w, &oi->src[0], hold);
    uint64_t known = 0;  // the object in t; 0 is no object's address
    TextureRecord t;
    w->cta->o->now++;
    O_FOR_LANES(l, active) {
        const uint64_t object = o_at(objects, l);
        uint32_t coord[4] = {0}, result[4], addr;
        bool inside;
        if (object != known || !object) {
            const uint8_t *p = device_at(memory, object, sizeof t);
            if (!p) return bad_texture(w, oi, l, object, "is not a texture object");
            memcpy(&t, p, sizeof t);
            const char *why = texture_fault(&t, mode);
            if (why) return bad_texture(w, oi, l, object, why);
            known = object;
        }
        if (at->kind != PTX_OPND_VEC) coord[0] = read_coordinate(f, at, l);
        for (int i = 0; i < at->nelements; i++) coord[i] = read_coordinate(f, &at->elements[i], l);
        if (!texture_fetch(&t, mode, coord, texture_bytes, memory, result, &addr, &inside))
            return bad_access(w, oi, l, (OPlace){PTX_GLOBAL, addr, false}, addr, 1);
        for (int i = 0; i < dst->nelements; i++) {
            const PtxOperand *e = &dst->elements[i];
            if (e->kind == PTX_OPND_REG)
                f->regs[(size_t)f->func->slot[e->index] * O_LANES + l] = result[i];
        }
    }
    return true;
}
