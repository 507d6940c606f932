// SPDX-License-Identifier: Apache-2.0
// Control flow of a warp: reconvergence stack, calls with real frames, the runtime's functions.
#include "oracle/interp.h"

#include "launch/device_heap.h"
#include "launch/device_printf.h"

#include <stdlib.h>
#include <string.h>

// ---- paths ----

static void push_path(OFrame *f, int pc, int reconv, uint32_t mask) {
    if (!mask || pc == reconv) return;  // those lanes wait in the path below
    if (f->nentries == f->cap_entries) {
        f->cap_entries = f->cap_entries ? 2 * f->cap_entries : 8;
        f->entries = realloc(f->entries, (size_t)f->cap_entries * sizeof *f->entries);
        panic_if(!f->entries, "out of memory");
    }
    f->entries[f->nentries++] = (OEntry){pc, reconv, mask};
}

// Prepares the top path for a split that meets again at reconv.
static void wait_at(OFrame *f, int reconv) {
    OEntry *e = &f->entries[f->nentries - 1];
    // The path below already waits there (a loop that splits repeatedly), or no lane remains.
    if (reconv < 0 || e->reconv == reconv) f->nentries--;
    else e->pc = reconv;
}

// The path of the warp that has waited longest runs next, because the running path may wait for it.
// Paths that wait for reconvergence (their lanes are among those of the entries above) keep their
// places.
void o_next_path(OWarp *w) {
    OFrame *f = o_frame(w);
    uint32_t above = 0;
    int pick = f->nentries;
    for (int i = f->nentries - 1; i >= 0; i--) {
        const OEntry *e = &f->entries[i];
        uint32_t lanes = e->mask & ~f->returned & w->alive;
        if (lanes && !(lanes & above) && e->pc != e->reconv) pick = i;
        above |= lanes;
    }
    if (pick >= f->nentries - 1) return;
    OEntry next = f->entries[pick];
    memmove(f->entries + pick, f->entries + pick + 1,
            (size_t)(f->nentries - 1 - pick) * sizeof next);
    f->entries[f->nentries - 1] = next;
}

bool o_branch(OWarp *w, const OInst *oi, uint32_t active) {
    OFrame *f = o_frame(w);
    OEntry *e = &f->entries[f->nentries - 1];
    uint32_t stay = w->present & ~active;
    if (!active) return true;
    if (!stay) {
        e->pc = oi->target;
        return true;
    }
    int next = e->pc;
    int reconv = oi->reconv < 0 ? e->reconv : oi->reconv;
    wait_at(f, oi->reconv < 0 ? -1 : reconv);
    push_path(f, next, reconv, stay);
    push_path(f, oi->target, reconv, active);
    return true;
}

bool o_branch_table(OWarp *w, const OInst *oi, uint32_t active) {
    const PtxInst *in = oi->in;
    OFrame *f = o_frame(w);
    uint64_t hold[O_LANES], index[O_LANES];
    OValues v = o_values(w, &oi->src[0], hold);
    if (!active) return true;
    O_FOR_LANES(l, active) {
        index[l] = (uint32_t)o_at(v, l);
        if (index[l] >= (uint64_t)in->ntargets)
            return o_fail(w, oi, l, EXIT_WRONG_RESULT, "brx.idx with index %u of %d targets",
                          (uint32_t)index[l], in->ntargets);
    }
    OEntry *e = &f->entries[f->nentries - 1];
    int next = e->pc, reconv = oi->reconv < 0 ? e->reconv : oi->reconv;
    wait_at(f, oi->reconv < 0 ? -1 : reconv);
    push_path(f, next, reconv, w->present & ~active);
    for (uint32_t left = active; left;) {
        uint64_t pick = index[__builtin_ctz(left)];
        uint32_t same = 0;
        O_FOR_LANES(l, left) same |= (uint32_t)(index[l] == pick) << l;
        push_path(f, f->func->f->labels[in->targets[pick]].inst, reconv, same);
        left &= ~same;
    }
    return true;
}

bool o_return(OWarp *w, const OInst *oi, uint32_t active) {
    OFrame *f = o_frame(w);
    (void)oi;
    if (f->func->f->is_entry) w->alive &= ~active;
    f->returned |= active;
    return true;
}

bool o_exit(OWarp *w, const OInst *oi, uint32_t active) {
    (void)oi;
    w->alive &= ~active;
    return true;
}

// ---- frames ----

enum { LOCAL_LIMIT = 1 << 20 };

// Copies [lane][had] to [lane][cap]; new bytes are 0. old may be NULL and is freed.
static uint8_t *grow_lanes(uint8_t *old, uint32_t had, uint32_t cap) {
    uint8_t *p = calloc(O_LANES, cap);
    panic_if(!p, "out of memory");
    for (size_t l = 0; l < O_LANES && old; l++) memcpy(p + l * cap, old + l * had, had);
    free(old);
    return p;
}

static bool grow_local(OWarp *w, uint32_t top) {
    if (top > LOCAL_LIMIT) return false;
    if (top > w->local_cap) {
        uint32_t cap = w->local_cap ? w->local_cap : 256;
        while (cap < top) cap *= 2;
        w->local = grow_lanes(w->local, w->local_cap, cap);
        if (w->cta->o->found) w->local_set = grow_lanes(w->local_set, w->local_cap, cap);
        w->local_cap = cap;
    }
    w->local_top = top;
    return true;
}

// In a new frame only the parameters have values.
static void watch_frame(OWarp *w, OFrame *frame) {
    const PtxFunc *f = frame->func->f;
    for (size_t l = 0; l < O_LANES && f->local_bytes; l++)
        memset(w->local_set + l * w->local_cap + frame->local_base, 0, (size_t)f->local_bytes);
    if (!frame->func->unsure) return;
    frame->assigned = calloc((size_t)f->nregs + 1, sizeof *frame->assigned);
    panic_if(!frame->assigned, "out of memory");
    for (int i = 0; i < f->nparams; i++)
        if (f->vars[i].is_reg) frame->assigned[f->vars[i].reg] = ~0u;
}

bool o_push_frame(OWarp *w, OFunc *func, uint32_t mask, const OInst *call) {
    const PtxFunc *f = func->f;
    if (w->nframes == O_CALL_DEPTH)
        return o_fail(w, call, (uint32_t)__builtin_ctz(mask), EXIT_WRONG_RESULT,
                      "more than %d calls inside each other", O_CALL_DEPTH);
    if (w->nframes == w->cap_frames) {
        w->cap_frames = w->cap_frames ? 2 * w->cap_frames : 4;
        w->frames = realloc(w->frames, (size_t)w->cap_frames * sizeof *w->frames);
        panic_if(!w->frames, "out of memory");
    }
    uint32_t base = (w->local_top + 15) & ~15u;
    if (!grow_local(w, base + (uint32_t)f->local_bytes))
        return o_fail(w, call, (uint32_t)__builtin_ctz(mask), EXIT_WRONG_RESULT,
                      "local memory of a thread exceeds %d bytes", LOCAL_LIMIT);
    OFrame *frame = &w->frames[w->nframes++];
    *frame = (OFrame){.func = func, .local_base = base, .mask = mask, .call = call};
    frame->regs = calloc((size_t)func->nslots * O_LANES + 1, sizeof *frame->regs);
    frame->preds = calloc((size_t)func->npreds + 1, sizeof *frame->preds);
    frame->param_stride = (uint32_t)(o_call_block(f) + f->call_bytes + 15) & ~15u;
    frame->params = frame->param_stride ? calloc(O_LANES, frame->param_stride) : NULL;
    panic_if(!frame->regs || !frame->preds || (frame->param_stride && !frame->params),
             "out of memory");
    push_path(frame, 0, -1, mask);
    if (w->cta->o->found) watch_frame(w, frame);
    return true;
}

static void release_frame(OFrame *f) {
    free(f->regs);
    free(f->preds);
    free(f->params);
    free(f->entries);
    free(f->assigned);
}

// ---- arguments ----

// Address of parameter or return variable v of frame f for a lane.
static uint8_t *param_at(const OFrame *f, const PtxVar *v, uint32_t lane) {
    return f->params + (size_t)lane * f->param_stride + v->offset;
}

// The caller's side of an argument: a .param variable of a call sequence, or of the function
// itself.
static uint8_t *caller_param(const OFrame *f, const PtxOperand *o, uint32_t lane) {
    const PtxFunc *fn = f->func->f;
    int64_t at =
        fn->vars[o->index].offset + (o->index >= fn->nparams + fn->nrets ? o_call_block(fn) : 0);
    return f->params + (size_t)lane * f->param_stride + at;
}

static uint64_t *reg_at(const OFrame *f, int reg, uint32_t lane) {
    return &f->regs[(size_t)f->func->slot[reg] * O_LANES + lane];
}

static bool is_pred(const OFrame *f, int reg) { return f->func->f->regs[reg].type == PTX_PRED; }

static uint64_t get_reg(const OFrame *f, int reg, uint32_t lane) {
    if (is_pred(f, reg)) return f->preds[f->func->slot[reg]] >> lane & 1;
    return *reg_at(f, reg, lane);
}

static void set_reg(const OFrame *f, int reg, uint32_t lane, uint64_t v) {
    if (is_pred(f, reg)) {
        uint32_t *p = &f->preds[f->func->slot[reg]];
        *p = (*p & ~(1u << lane)) | (uint32_t)(v & 1) << lane;
        return;
    }
    int bytes = ptx_type_bytes(f->func->f->regs[reg].type);
    *reg_at(f, reg, lane) = lane_zext(v, 8 * bytes);
}

// Passes one value between caller (operand o) and callee (variable v), in the given direction.
static void pass_value(const OFrame *caller, const PtxOperand *o, const OFrame *callee,
                       const PtxVar *v, uint32_t lane, bool into_callee) {
    size_t bytes = (size_t)v->bytes;
    if (o->kind == PTX_OPND_SINK) return;
    if (o->kind == PTX_OPND_MEM && !v->is_reg) {
        uint8_t *from = caller_param(caller, o, lane), *to = param_at(callee, v, lane);
        memcpy(into_callee ? to : from, into_callee ? from : to, bytes);
        return;
    }
    uint64_t value = 0;
    if (bytes > 8) bytes = 8;
    if (into_callee) {
        if (o->kind == PTX_OPND_REG) value = get_reg(caller, o->index, lane);
        else if (o->kind == PTX_OPND_IMM) value = o->bits;
        else memcpy(&value, caller_param(caller, o, lane), bytes);
        if (v->is_reg) set_reg(callee, v->reg, lane, value);
        else memcpy(param_at(callee, v, lane), &value, bytes);
        return;
    }
    if (v->is_reg) value = get_reg(callee, v->reg, lane);
    else memcpy(&value, param_at(callee, v, lane), bytes);
    if (o->kind == PTX_OPND_REG) set_reg(caller, o->index, lane, value);
    else memcpy(caller_param(caller, o, lane), &value, bytes);
}

static void pop_frame(OWarp *w) {
    OFrame *f = o_frame(w);
    const PtxFunc *fn = f->func->f;
    if (w->nframes > 1) {
        OFrame *caller = f - 1;
        const PtxInst *in = f->call->in;
        uint32_t back = f->mask & w->alive;
        for (int i = 0; i < in->ncall_rets && i < fn->nrets; i++) {
            // Variables are copied before the parameters' registers are known: use the function's
            // copy.
            const PtxVar *v = &fn->vars[fn->nparams + i];
            O_FOR_LANES(l, back) pass_value(caller, &in->call_rets[i], f, v, l, false);
        }
    }
    w->local_top = f->local_base;
    release_frame(f);
    w->nframes--;
}

const OInst *o_fetch(OWarp *w, uint32_t *mask) {
    while (w->nframes) {
        OFrame *f = o_frame(w);
        while (f->nentries) {
            OEntry *e = &f->entries[f->nentries - 1];
            uint32_t m = e->mask & ~f->returned & w->alive;
            if (m && e->pc != e->reconv) {
                *mask = m;
                return &f->func->insts[e->pc++];
            }
            f->nentries--;
        }
        pop_frame(w);
    }
    return NULL;
}

// ---- calls ----

typedef struct Reader {
    OWarp *w;
    int lane;
} Reader;

static bool read_for_printf(void *ctx, uint64_t addr, void *to, uint32_t bytes) {
    Reader *r = ctx;
    return o_read_generic(r->w, r->lane, addr, to, bytes);
}

// Value of argument i of a runtime function.
static uint64_t read_argument(const OFrame *f, const PtxInst *in, int i, uint32_t lane,
                              size_t bytes) {
    uint64_t v = 0;
    if (i >= in->ncall_args) return 0;
    const PtxOperand *o = &in->call_args[i];
    if (o->kind == PTX_OPND_REG) return get_reg(f, o->index, lane);
    if (o->kind == PTX_OPND_IMM) return o->bits;
    memcpy(&v, caller_param(f, o, lane), bytes);
    return v;
}

static void give_result(const OFrame *f, const PtxInst *in, uint32_t lane, uint64_t v,
                        size_t bytes) {
    if (!in->ncall_rets) return;
    const PtxOperand *o = &in->call_rets[0];
    if (o->kind == PTX_OPND_REG) set_reg(f, o->index, lane, v);
    else if (o->kind == PTX_OPND_MEM) memcpy(caller_param(f, o, lane), &v, bytes);
}

static bool assert_failed(OWarp *w, const OInst *oi, uint32_t lane) {
    const OFrame *f = o_frame(w);
    Reader r = {w, (int)lane};
    char message[256], file[256], function[256];
    device_string(read_for_printf, &r, read_argument(f, oi->in, 0, lane, 8), message,
                  sizeof message);
    device_string(read_for_printf, &r, read_argument(f, oi->in, 1, lane, 8), file, sizeof file);
    device_string(read_for_printf, &r, read_argument(f, oi->in, 3, lane, 8), function,
                  sizeof function);
    return o_fail(w, oi, lane, EXIT_WRONG_RESULT, "assertion `%s` failed (%s:%u, %s)", message,
                  file, (uint32_t)read_argument(f, oi->in, 2, lane, 4), function);
}

static bool call_runtime(OWarp *w, const OInst *oi, const char *name, uint32_t active) {
    OracleRun *run = w->cta->o->run;
    const OFrame *f = o_frame(w);
    O_FOR_LANES(l, active) {
        uint64_t a0 = read_argument(f, oi->in, 0, l, 8);
        if (!strcmp(name, "vprintf")) {
            Reader r = {w, (int)l};
            int n = device_printf(run->print_to, read_for_printf, &r, a0,
                                  read_argument(f, oi->in, 1, l, 8));
            give_result(f, oi->in, l, (uint32_t)n, 4);
        } else if (!strcmp(name, "malloc")) {
            uint64_t at = device_malloc(run->memory, a0);
            o_race_fresh(w->cta->o, at, a0);
            give_result(f, oi->in, l, at, 8);
        } else if (!strcmp(name, "free")) {
            if (!device_free(run->memory, a0))
                return o_fail(w, oi, l, EXIT_WRONG_RESULT,
                              "free of 0x%llx, which malloc did not return",
                              (unsigned long long)a0);
        } else {
            return assert_failed(w, oi, l);
        }
    }
    return true;
}

bool o_call(OWarp *w, const OInst *oi, uint32_t active) {
    const PtxInst *in = oi->in;
    Oracle *o = w->cta->o;
    int index = in->opnd[0].index;
    const PtxFunc *fn = &o->run->module->funcs[index];
    if (!active) return true;
    if (fn->is_prototype_only || ptx_is_runtime_function(fn->name)) {
        if (ptx_is_runtime_function(fn->name)) return call_runtime(w, oi, fn->name, active);
        return o_fail(w, oi, (uint32_t)__builtin_ctz(active), EXIT_USAGE,
                      "call of %s, which has no body", fn->name);
    }
    if (!o_decode(o, index) || !o_push_frame(w, &o->funcs[index], active, oi)) return false;
    OFrame *callee = o_frame(w), *caller = callee - 1;
    for (int i = 0; i < in->ncall_args && i < fn->nparams; i++)
        O_FOR_LANES(l, active) pass_value(caller, &in->call_args[i], callee, &fn->vars[i], l, true);
    return true;
}
