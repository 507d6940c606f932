// SPDX-License-Identifier: Apache-2.0
// Undefined behavior of PTX that a run can detect. Shared and local memory read before it is
// written, shuffles and votes of absent lanes, aligned barriers in divergent code. Module variables
// without an initializer are zero by definition. If a kernel reads such a variable before any
// write, its host program often lacks a copy.
#include "oracle/interp.h"

#include <inttypes.h>
#include <string.h>

// ---- memory ----

static bool all_set(const uint8_t *set, uint32_t bytes) {
    uint32_t word;
    if (bytes != 4) return !memchr(set, 0, bytes);
    memcpy(&word, set, 4);
    return word == 0x01010101;
}

static void report_unset(OWarp *w, const OInst *oi, uint32_t lane, OPlace p, uint32_t bytes) {
    bool shared = p.space == PTX_SHARED;
    if (!o_first(w, shared ? ORACLE_UNSET_SHARED : ORACLE_UNSET_LOCAL, oi->in->line, 0)) return;
    o_describe(w, oi, lane,
               "reads %u bytes at offset %" PRIu64 " of the %s's %s memory, where "
               "nothing has been written",
               bytes, p.addr, shared ? "CTA" : "thread", shared ? "shared" : "local");
}

static void report_blank(OWarp *w, const OInst *oi, uint32_t lane, PtxSpace space,
                         const char *name) {
    if (!o_first(w, ORACLE_BLANK_VARIABLE, oi->in->line, (int)space)) return;
    o_describe(w, oi, lane,
               "reads the .%s variable %s, which has no initializer and which nothing "
               "has written: it is zero",
               ptx_space_name(space), name);
}

bool o_is_blank_const(const PtxVar *v) { return v->space == PTX_CONST && !v->init && !v->nrelocs; }

static void touch_const(OWarp *w, const OInst *oi, uint32_t lane, uint64_t addr) {
    const OracleRun *r = w->cta->o->run;
    for (int i = 0; i < r->module->nvars; i++) {
        const PtxVar *v = &r->module->vars[i];
        if (o_is_blank_const(v) && addr - r->layout->var_addr[i] < (uint64_t)v->bytes)
            report_blank(w, oi, lane, PTX_CONST, v->name);
    }
}

static void touch_global(OWarp *w, const OInst *oi, uint32_t lane, OUse use) {
    DeviceMemory *m = w->cta->o->run->memory;
    DeviceAlloc *a = &m->allocs[m->last];  // the last look-up was for this access
    if (!a->blank) return;
    if (use & O_WRITE) a->blank = false;
    else report_blank(w, oi, lane, PTX_GLOBAL, a->name);
}

void o_touch(OWarp *w, const OInst *oi, uint32_t lane, OPlace p, uint32_t bytes, OUse use) {
    uint8_t *set;
    switch (p.space) {
    case PTX_SHARED: set = w->cta->shared_set + p.addr; break;
    case PTX_LOCAL: set = w->local_set + (size_t)lane * w->local_cap + p.addr; break;
    case PTX_GLOBAL: touch_global(w, oi, lane, use); return;
    case PTX_CONST: touch_const(w, oi, lane, p.addr); return;
    default: return;
    }
    if ((use & O_READ) && !all_set(set, bytes)) report_unset(w, oi, lane, p, bytes);
    if (use & O_WRITE) memset(set, 1, bytes);
}

// ---- lanes ----

// Members of a .sync instruction: every lane that it names and that has not ended must execute it,
// the executing lane among them.
void o_check_members(const OWarp *w, const OInst *oi, uint32_t active, OValues members) {
    if (!w->cta->o->found) return;
    O_FOR_LANES(l, active) {
        uint32_t named = (uint32_t)o_at(members, l), absent = named & w->alive & ~active;
        bool self = named >> l & 1;
        if ((!absent && self) || !o_first(w, ORACLE_ABSENT_LANE, oi->in->line, 0)) continue;
        if (self)
            o_describe(w, oi, l, "%s names the lanes 0x%08x, of which 0x%08x do not execute it",
                       ptx_op_name(oi->in->op), named, absent);
        else
            o_describe(w, oi, l, "%s names the lanes 0x%08x, but not the one that executes it",
                       ptx_op_name(oi->in->op), named);
    }
}

void o_check_source_lane(const OWarp *w, const OInst *oi, uint32_t active, uint32_t lane,
                         int source) {
    if (!w->cta->o->found || active >> source & 1) return;
    if (o_first(w, ORACLE_ABSENT_LANE, oi->in->line, 1))
        o_describe(w, oi, lane, "%s reads lane %d, which does not execute it (lanes 0x%08x do)",
                   ptx_op_name(oi->in->op), source, active);
}

void o_check_split(const OWarp *w, const OInst *oi, uint32_t active) {
    uint32_t absent = w->alive & ~active;
    if (!w->cta->o->found || !absent || !oi->in->aligned) return;
    if (o_first(w, ORACLE_SPLIT_BARRIER, oi->in->line, 0))
        o_describe(w, oi, (uint32_t)__builtin_ctz(active),
                   "a barrier in divergent code: lanes 0x%08x of the warp execute it, "
                   "0x%08x do not",
                   active, absent);
}
