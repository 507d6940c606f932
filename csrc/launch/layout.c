// SPDX-License-Identifier: Apache-2.0
// Addresses of a module's variables: the ABI that the oracle and the compiler share.
#include "launch/device_memory.h"

#include <inttypes.h>
#include <string.h>

enum {
    CONST_BANK_BYTES = 65536,  // range of a constant operand's 16-bit offset
    LOCAL_BYTES = 1 << 19
};  // of a thread

static uint64_t align_up(uint64_t value, int align) {
    uint64_t a = align > 0 ? (uint64_t)align : 1;
    return (value + a - 1) / a * a;
}

// ---- .global and .const ----

// The value of a relocation: an address inside the variable's space, or a generic one.
static bool reloc_value(const ModuleLayout *l, const PtxVar *v, const PtxReloc *r, uint64_t *value,
                        Diag *d) {
    const PtxModule *module = l->module;
    if (r->var < 0) {
        *value = ptx_function_address(r->func) + (uint64_t)r->addend;
        return true;
    }
    const PtxVar *target = &module->vars[r->var];
    if (target->space != PTX_GLOBAL && target->space != PTX_CONST)
        return diag_fail_at(
            d, &module->src, v->line, v->col,
            "the initializer of %s holds the address of the .%s variable %s: only .global and "
            ".const variables have one address",
            v->name, ptx_space_name(target->space), target->name);
    *value = l->var_addr[r->var] + (uint64_t)r->addend;
    if (r->generic && target->space == PTX_CONST) *value += DEVICE_CONST_BASE;
    return true;
}

static bool write_initial(const ModuleLayout *l, const PtxVar *v, uint8_t *bytes, Diag *d) {
    if (v->init) memcpy(bytes, v->init, (size_t)v->bytes);
    for (int i = 0; i < v->nrelocs; i++) {
        const PtxReloc *r = &v->relocs[i];
        uint64_t value = 0;
        if (!reloc_value(l, v, r, &value, d)) return false;
        if (r->offset < 0 || r->bytes > 8 || r->offset + r->bytes > v->bytes)
            return diag_fail_at(d, &l->module->src, v->line, v->col,
                                "an address in the initializer of %s "
                                "is outside the variable",
                                v->name);
        memcpy(bytes + r->offset, &value,
               (size_t)r->bytes);  // hosts of this program are little-endian
    }
    return true;
}

static bool place_variable(ModuleLayout *l, int i, DeviceMemory *m, Diag *d) {
    const PtxVar *v = &l->module->vars[i];
    if (v->space != PTX_GLOBAL && v->space != PTX_CONST && v->space != PTX_LOCAL) return true;
    if (v->is_extern)
        return diag_fail_at(d, &l->module->src, v->line, v->col,
                            ".extern .%s %s is not defined in this module",
                            ptx_space_name(v->space), v->name);
    if (v->space == PTX_GLOBAL) {
        l->var_addr[i] = device_alloc(m, v->name, (uint64_t)v->bytes);
        DeviceAlloc *a = l->var_addr[i] ? device_allocation(m, l->var_addr[i]) : NULL;
        if (a) a->blank = !v->init && !v->nrelocs;
        return l->var_addr[i]
            ? true
            : diag_fail_at(d, &l->module->src, v->line, v->col,
                           "no device memory left for %s (%" PRId64 " bytes)", v->name, v->bytes);
    }
    if (v->space == PTX_LOCAL) {  // in front of the frame of the entry
        const uint64_t at = align_up(l->local_bytes, v->align);
        if (at + (uint64_t)v->bytes > LOCAL_BYTES)
            return diag_fail_at(
                d, &l->module->src, v->line, v->col,
                ".local variables of the module require more than %d bytes: %s (%" PRId64
                " bytes) does not fit",
                LOCAL_BYTES, v->name, v->bytes);
        l->var_addr[i] = (uint32_t)at;
        l->local_bytes = (uint32_t)(at + (uint64_t)v->bytes);
        return true;
    }
    uint64_t offset = align_up(l->const_bytes, v->align);
    if (offset + (uint64_t)v->bytes > CONST_BANK_BYTES)
        return diag_fail_at(d, &l->module->src, v->line, v->col,
                            ".const variables require more than %d bytes: %s "
                            "(%" PRId64 " bytes) does not fit",
                            CONST_BANK_BYTES, v->name, v->bytes);
    l->var_addr[i] = (uint32_t)offset;
    l->const_bytes = (uint32_t)(offset + (uint64_t)v->bytes);
    return true;
}

// %envreg1 and %envreg2 are the upper and lower word of the address of the grid's workspace.
static bool asks_for_workspace(const PtxModule *m) {
    for (int f = 0; f < m->nfuncs; f++)
        for (int i = 0; i < m->funcs[f].ninsts; i++) {
            const PtxInst *in = &m->funcs[f].insts[i];
            if (in->op == PTX_MOV && in->opnd[1].kind == PTX_OPND_SREG &&
                in->opnd[1].index == PTX_SREG_ENVREG2)
                return true;
        }
    return false;
}

static bool place_workspace(ModuleLayout *l, DeviceMemory *m, Diag *d) {
    enum { BYTES = 8 };
    const uint32_t bytes = BYTES;
    if (!asks_for_workspace(l->module)) return true;
    l->workspace = device_alloc(m, "workspace of the grid", BYTES);
    if (!l->workspace)
        return diag_fail(d, EXIT_USAGE, "%s: no device memory left", l->module->src.path);
    memcpy(m->base + l->workspace, &bytes, sizeof bytes);
    return true;
}

bool layout_module(ModuleLayout *l, Arena *arena, const PtxModule *module, DeviceMemory *m,
                   Diag *d) {
    memset(l, 0, sizeof *l);
    l->module = module;
    l->var_addr = ARENA_ARRAY(arena, uint32_t, module->nvars);
    for (int i = 0; i < module->nvars; i++)
        if (!place_variable(l, i, m, d)) return false;
    if (!place_workspace(l, m, d)) return false;
    l->const_image = arena_alloc(arena, l->const_bytes);
    for (int i = 0; i < module->nvars; i++) {  // after all addresses are known
        const PtxVar *v = &module->vars[i];
        uint8_t *bytes = v->space == PTX_GLOBAL ? m->base + l->var_addr[i]
            : v->space == PTX_CONST             ? l->const_image + l->var_addr[i]
                                                : NULL;
        if (bytes && !write_initial(l, v, bytes, d)) return false;
    }
    return true;
}

// ---- .shared ----

typedef struct SharedUse {
    const PtxModule *module;
    bool *func;  // reachable from the entry
    bool *var;   // module-scope variable named by a reachable function
    int *work;   // functions whose instructions are still to be scanned
    int nwork;
} SharedUse;

static void use_func(SharedUse *u, int func) {
    if (u->func[func]) return;
    u->func[func] = true;
    u->work[u->nwork++] = func;
}

static void use_operand(SharedUse *u, const PtxOperand *o) {
    if (o->kind == PTX_OPND_FUNC) use_func(u, o->index);
    bool names_variable =
        o->kind == PTX_OPND_VAR || (o->kind == PTX_OPND_MEM && o->base == PTX_BASE_VAR);
    if (names_variable && o->module_scope) u->var[o->index] = true;
    for (int i = 0; i < o->nelements; i++) use_operand(u, &o->elements[i]);
}

static void use_function_body(SharedUse *u, const PtxFunc *f) {
    for (int i = 0; i < f->ninsts; i++) {
        const PtxInst *in = &f->insts[i];
        for (int k = 0; k < in->nopnd; k++) use_operand(u, &in->opnd[k]);
        for (int k = 0; k < in->ncall_args; k++) use_operand(u, &in->call_args[k]);
    }
}

// Gives a variable its place; extern arrays only raise the alignment of the common start.
static bool place_shared(const PtxModule *module, const PtxVar *v, uint64_t *bytes,
                         int *dynamic_align, uint32_t *offset, Diag *d) {
    if (v->is_extern) {
        if (v->align > *dynamic_align) *dynamic_align = v->align;
        return true;
    }
    *bytes = align_up(*bytes, v->align);
    *offset = (uint32_t)*bytes;
    *bytes += (uint64_t)v->bytes;
    if (*bytes > DEVICE_WINDOW_BYTES)
        return diag_fail_at(d, &module->src, v->line, v->col,
                            ".shared variables exceed the %u bytes of the "
                            "shared window",
                            DEVICE_WINDOW_BYTES);
    return true;
}

static bool shared_var(const PtxVar *v) { return v->space == PTX_SHARED; }

bool layout_shared(SharedLayout *s, Arena *arena, const PtxModule *module, const PtxFunc *entry,
                   Diag *d) {
    memset(s, 0, sizeof *s);
    SharedUse u = {.module = module,
                   .func = ARENA_ARRAY(arena, bool, module->nfuncs),
                   .var = ARENA_ARRAY(arena, bool, module->nvars),
                   .work = ARENA_ARRAY(arena, int, module->nfuncs)};
    use_func(&u, (int)(entry - module->funcs));
    while (u.nwork) use_function_body(&u, &module->funcs[u.work[--u.nwork]]);

    uint64_t bytes = 0;
    int dynamic_align = 1;
    s->module_offset = ARENA_ARRAY(arena, uint32_t, module->nvars);
    s->func_offset = ARENA_ARRAY(arena, uint32_t *, module->nfuncs);
    for (int i = 0; i < module->nvars; i++)
        if (shared_var(&module->vars[i]) && u.var[i] &&
            !place_shared(module, &module->vars[i], &bytes, &dynamic_align, &s->module_offset[i],
                          d))
            return false;
    for (int f = 0; f < module->nfuncs; f++) {
        const PtxFunc *func = &module->funcs[f];
        s->func_offset[f] = ARENA_ARRAY(arena, uint32_t, func->nvars);
        for (int i = 0; u.func[f] && i < func->nvars; i++)
            if (shared_var(&func->vars[i]) &&
                !place_shared(module, &func->vars[i], &bytes, &dynamic_align, &s->func_offset[f][i],
                              d))
                return false;
    }
    s->static_bytes = (uint32_t)bytes;
    s->dynamic_offset = (uint32_t)align_up(bytes, dynamic_align);
    // All extern arrays are the same memory.
    for (int i = 0; i < module->nvars; i++)
        if (shared_var(&module->vars[i]) && module->vars[i].is_extern)
            s->module_offset[i] = s->dynamic_offset;
    for (int f = 0; f < module->nfuncs; f++)
        for (int i = 0; i < module->funcs[f].nvars; i++)
            if (shared_var(&module->funcs[f].vars[i]) && module->funcs[f].vars[i].is_extern)
                s->func_offset[f][i] = s->dynamic_offset;
    return true;
}
