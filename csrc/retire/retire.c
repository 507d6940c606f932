// SPDX-License-Identifier: Apache-2.0
// The untimed interpreter: warps, control flow, arithmetic, comparison of results.
#include "retire/retire_state.h"

#include <stdlib.h>
#include <string.h>

// ---- life ----

Retire *retire_open(Arena *arena, int warps, int ctas, size_t shared_bytes, int flights) {
    Retire *r = ARENA_NEW(arena, Retire);
    r->nwarps = warps;
    r->nctas = ctas;
    r->nflights = flights;
    r->shared_size = shared_bytes;
    r->warps = ARENA_ARRAY(arena, RetireWarp, warps);
    r->expected = ARENA_ARRAY(arena, Expected, flights);
    r->regs = arena_alloc(arena, (size_t)warps * sizeof *r->regs);
    r->unknown = arena_alloc(arena, (size_t)warps * sizeof *r->unknown);
    r->barriers = arena_alloc(arena, (size_t)ctas * sizeof *r->barriers);
    return r;
}

static void drop_launch(Retire *r) {
    if (r->have_memory) device_close(&r->memory);
    r->have_memory = false;
    free(r->shared);
    free(r->local);
    r->shared = r->local = NULL;
    arena_free(&r->arena);
}

void retire_close(Retire *r) { drop_launch(r); }

void retire_apart(Retire *r, Arena *arena, Retire *first) {
    r->first = first;
    r->writes = device_writes_open(arena, RETIRE_WRITES);
}

void retire_exchange(Retire *r) {
    device_writes_apply(r->writes, &r->memory);
    device_writes_clear(r->writes);
}

bool retire_launch(Retire *r, const RetireLaunch *launch, Diag *d) {
    drop_launch(r);
    r->launch = *launch;
    r->program = launch->program;
    r->shared_per_cta = (size_t)launch->program->shared_bytes + launch->shared_bytes;
    r->local_bytes = (size_t)launch->program->local_bytes;
    r->shared = calloc((size_t)r->nctas, r->shared_per_cta + 1);
    r->local = calloc((size_t)r->nwarps * ISA_LANES, r->local_bytes + 1);
    panic_if(!r->shared || !r->local, "out of memory");
    memset(r->barriers, 0, sizeof *r->barriers * (size_t)r->nctas);
    if (r->first && r->first != r) {
        r->memory = r->first->memory;
        return true;
    }
    r->have_memory = device_clone(&r->memory, launch->memory, &r->arena, d);
    return r->have_memory;
}

void retire_warp(Retire *r, int warp, int cta_slot, const uint32_t ctaid[3], int number,
                 uint32_t lanes) {
    RetireWarp *w = &r->warps[warp];
    memset(w->pred, 0, sizeof w->pred);
    w->pred[ISA_PT] = ~0u;
    w->paths = 1;
    w->path[0] = (Path){0, -1, lanes};
    w->cta_slot = cta_slot;
    w->number = number;
    memcpy(w->cta, ctaid, sizeof w->cta);
    w->now.inst = NULL;
    memset(r->unknown[warp], 0xff, sizeof r->unknown[warp]);
    w->program = r->program;
}

void retire_thread(Retire *r, int warp, int cta_slot, const uint32_t ctaid[3],
                   const IsaProgram *beside, uint32_t resident) {
    retire_warp(r, warp, cta_slot, ctaid, 0, 1);
    r->warps[warp].program = beside;
    r->resident = resident;
}

uint64_t retire_compared(const Retire *r) { return r->compared; }

// ---- differences ----

bool retire_fail(Retire *r, const Expected *e, Diag *d, const char *format, ...) {
    char what[512], inst[160] = "nothing";
    va_list ap;
    va_start(ap, format);
    vsnprintf(what, sizeof what, format, ap);
    va_end(ap);
    const RetireWarp *w = &r->warps[e->warp];
    if (e->inst) isa_print_inst(inst, sizeof inst, e->inst);
    const bool beside = w->program != r->program;
    char *comment = strstr(inst, " //");  // names the line once more
    if (comment) *comment = '\0';
    if (beside)
        return diag_fail(d, EXIT_MISMATCH,
                         "retire check of kernel %s: thread beside the warps of CTA (%u,%u,%u), "
                         "pc %d `%s`: %s",
                         r->program->name, w->cta[0], w->cta[1], w->cta[2], e->pc, inst, what);
    return diag_fail(d, EXIT_MISMATCH,
                     "retire check of kernel %s: warp %d (warp %d of CTA (%u,%u,%u)), pc %d `%s` "
                     "(line %d): %s",
                     r->program->name, e->warp, w->number, w->cta[0], w->cta[1], w->cta[2], e->pc,
                     inst, e->inst ? e->inst->ptx_line : 0, what);
}

// ---- paths of a warp ----

// A path whose pc is its reconvergence point ends there; its lanes join the path below.
static void settle_paths(RetireWarp *w) {
    while (w->paths > 1) {
        const Path *top = &w->path[w->paths - 1];
        if (top->mask && (top->reconv < 0 || top->pc != top->reconv)) return;
        w->paths--;
    }
}

static void go_to(RetireWarp *w, int pc) {
    w->path[w->paths - 1].pc = pc;
    settle_paths(w);
}

static void split_path(RetireWarp *w, int n, const int *pc, const uint32_t *mask, int reconv) {
    if (n == 1) {
        go_to(w, pc[0]);
        return;
    }
    Path *top = &w->path[w->paths - 1];
    // never meet again before the outer point
    if (reconv < 0) reconv = top->reconv, w->paths--;
    else top->pc = reconv;  // the whole path goes on at the point
    for (int i = 0; i < n; i++) {
        panic_if(w->paths >= RETIRE_MAX_PATHS, "too many divergent paths");
        w->path[w->paths++] = (Path){pc[i], reconv, mask[i]};
        // A path that starts at the point has nothing to run; settle_paths() would drop it only on
        // top.
        if (reconv >= 0 && pc[i] == reconv && w->paths > 1) w->paths--;
    }
    settle_paths(w);
}

static void lanes_end(RetireWarp *w, uint32_t lanes) {
    int pc = w->path[w->paths - 1].pc;
    for (int i = 0; i < w->paths; i++) w->path[i].mask &= ~lanes;
    if (w->path[w->paths - 1].mask) go_to(w, pc + 1);
    else settle_paths(w);
}

static void branch_table(RetireWarp *w, const Expected *e) {
    const Path *top = &w->path[w->paths - 1];
    int pc[ISA_LANES + 1], n = 0;
    uint32_t mask[ISA_LANES + 1];
    if (top->mask & ~e->active) {
        pc[n] = top->pc + 1;
        mask[n++] = top->mask & ~e->active;
    }
    int table = e->inst->target;
    for (int l = 0; l < ISA_LANES; l++) {
        if (!(e->active >> l & 1)) continue;
        uint32_t index = e->data[0][0][l];
        if (index >= (uint32_t)w->program->table_len[table]) return;  // the SM reports it
        int to = w->program->tables[table][index], i = 0;
        while (i < n && pc[i] != to) i++;
        if (i == n) pc[n] = to, mask[n++] = 0;
        mask[i] |= 1u << l;
    }
    split_path(w, n, pc, mask, e->inst->reconv);
}

static void take_branch(RetireWarp *w, const Expected *e) {
    const Path *top = &w->path[w->paths - 1];
    uint32_t stay = top->mask & ~e->active;
    const int pc[2] = {top->pc + 1, e->inst->target};
    const uint32_t mask[2] = {stay, e->active};
    if (!e->active) go_to(w, pc[0]);
    else if (!stay) go_to(w, pc[1]);
    else split_path(w, 2, pc, mask, e->inst->reconv);
}

// ---- operands ----

static uint32_t read_predicate(const RetireWarp *w, const IsaPred *p) {
    return p->neg ? ~w->pred[p->reg] : w->pred[p->reg];
}

static uint32_t read_constant(const Retire *r, const IsaSrc *s, int word) {
    const uint8_t *bank = s->cbank == 0 ? r->launch.params : r->launch.const_image;
    uint64_t bytes = s->cbank == 0 ? (uint64_t)r->program->param_bytes : r->launch.const_bytes;
    uint32_t value = 0;
    for (uint64_t i = 0; i < 4; i++) {
        uint64_t at = s->imm + 4 * (uint64_t)word + i;
        if (at < bytes) value |= (uint32_t)bank[at] << (8 * i);
    }
    return value;
}

static void read_source(Retire *r, Expected *e, int i) {
    const IsaSrc *s = &e->inst->src[i];
    memset(e->data[i], 0, sizeof e->data[i]);
    for (int w = 0; w < s->width && w < 4; w++) {
        uint32_t *to = e->data[i][w];
        if (s->kind == ISA_SRC_REG) {
            if (s->reg == ISA_RZ) continue;
            memcpy(to, retire_reg(r, e->warp, s->reg + w), sizeof e->data[i][w]);
            e->unknown_source[i] |= r->unknown[e->warp][s->reg + w] & e->active;
            continue;
        }
        uint32_t value = 0;
        if (s->kind == ISA_SRC_IMM && w < 2) value = (uint32_t)(s->imm >> (32 * w));
        if (s->kind == ISA_SRC_CONST) value = read_constant(r, s, w);
        for (int l = 0; l < ISA_LANES; l++) to[l] = value;
    }
}

// ---- results ----

static void write_lanes(Retire *r, const Expected *e, uint32_t lanes) {
    const IsaInst *in = e->inst;
    RetireWarp *w = &r->warps[e->warp];
    if (in->dst != ISA_RZ)
        for (int k = 0; k < in->dst_width; k++) {
            uint32_t *reg = retire_write(r, e->warp, in->dst + k, lanes);
            for (int l = 0; l < ISA_LANES; l++)
                if (lanes >> l & 1) reg[l] = e->out.dst[k][l];
        }
    for (int i = 0; i < 2; i++)
        if (in->pdst[i] != ISA_PT)
            w->pred[in->pdst[i]] = (w->pred[in->pdst[i]] & ~lanes) | (e->out.pdst[i] & lanes);
}

static void write_result(Retire *r, const Expected *e) { write_lanes(r, e, e->active); }

static uint32_t special_value(const Retire *r, const Expected *e, int lane) {
    const RetireWarp *w = &r->warps[e->warp];
    const RetireLaunch *k = &r->launch;
    uint32_t t = (uint32_t)(w->number * ISA_LANES + lane);
    if (e->inst->sreg == ISA_SREG_NCTA_RESIDENT) return r->resident;
    if (e->inst->sreg == ISA_SREG_CTA_LINEAR)
        return (w->cta[2] * k->grid[1] + w->cta[1]) * k->grid[0] + w->cta[0];
    switch ((PtxSreg)e->inst->sreg) {
    case PTX_SREG_TID_X: return t % k->block[0];
    case PTX_SREG_TID_Y: return t / k->block[0] % k->block[1];
    case PTX_SREG_TID_Z: return t / (k->block[0] * k->block[1]);
    case PTX_SREG_NTID_X: return k->block[0];
    case PTX_SREG_NTID_Y: return k->block[1];
    case PTX_SREG_NTID_Z: return k->block[2];
    case PTX_SREG_CTAID_X: return w->cta[0];
    case PTX_SREG_CTAID_Y: return w->cta[1];
    case PTX_SREG_CTAID_Z: return w->cta[2];
    case PTX_SREG_NCTAID_X: return k->grid[0];
    case PTX_SREG_NCTAID_Y: return k->grid[1];
    case PTX_SREG_NCTAID_Z: return k->grid[2];
    case PTX_SREG_LANEID: return (uint32_t)lane;
    case PTX_SREG_WARPID: return (uint32_t)w->number;
    case PTX_SREG_NWARPID: return (uint32_t)k->warps_per_cta;
    case PTX_SREG_LANEMASK_EQ: return 1u << lane;
    case PTX_SREG_LANEMASK_LT: return (1u << lane) - 1;
    case PTX_SREG_LANEMASK_LE: return (2u << lane) - 1;
    case PTX_SREG_LANEMASK_GT: return -(2u << lane);
    case PTX_SREG_LANEMASK_GE: return -(1u << lane);
    case PTX_SREG_NSMID: return k->sms > 1 ? (uint32_t)k->sms : 1;
    case PTX_SREG_SMID: return (uint32_t)k->sm;
    case PTX_SREG_DYNAMIC_SMEM_SIZE: return k->shared_bytes;
    case PTX_SREG_ENVREG2: return k->workspace;
    case PTX_SREG_TOTAL_SMEM_SIZE: return (uint32_t)r->program->shared_bytes + k->shared_bytes;
    default: return 0;
    }
}

static bool is_clock(int sreg) { return sreg >= PTX_SREG_CLOCK && sreg <= PTX_SREG_GLOBALTIMER_HI; }

static void compute_result(Retire *r, Expected *e) {
    if (e->inst->op == ISA_S2R) {
        e->trust = is_clock(e->inst->sreg);
        if (!e->trust)
            for (int l = 0; l < ISA_LANES; l++) e->out.dst[0][l] = special_value(r, e, l);
    } else {
        IsaExecIn x = {.active = e->active, .present = e->present};
        for (int i = 0; i < 3; i++) {
            x.psrc[i] = e->psrc[i];
            for (int w = 0; w < 4; w++) x.src[i][w] = e->data[i][w];
        }
        isa_exec(e->inst, &x, &e->out);
    }
    e->has_result = true;
    if (!e->trust) write_result(r, e);
}

// ---- issue ----

static void execute_inst(Retire *r, RetireWarp *w, Expected *e) {
    int next = w->path[w->paths - 1].pc + 1;
    switch (e->inst->op) {
    case ISA_BRA: take_branch(w, e); return;
    case ISA_BRX: branch_table(w, e); return;
    case ISA_EXIT: lanes_end(w, e->active); return;
    case ISA_NOP:
    case ISA_WARPSYNC:
    case ISA_MEMBAR:
    case ISA_NANOSLEEP:
    case ISA_TRAP:
    case ISA_BAR:
    case ISA_HINT:
    case ISA_ACQ:
    case ISA_REL: break;
    case ISA_LD:
    case ISA_ST:
    case ISA_ATOM:
    case ISA_LDC:
    case ISA_PREFETCH:
    case ISA_TOUCH:
    case ISA_TEX: retire_addresses(r, e); break;
    case ISA_SYSCALL: e->trust = e->has_result = true; break;
    default: compute_result(r, e);
    }
    go_to(w, next);
}

bool retire_issue(Retire *r, int warp, uint32_t pc, uint32_t mask, uint32_t active, Diag *d) {
    RetireWarp *w = &r->warps[warp];
    const Path *top = &w->path[w->paths - 1];
    Expected *e = &w->now;
    *e = (Expected){.inst = (int)pc < w->program->ninsts ? &w->program->insts[pc] : NULL,
                    .warp = warp,
                    .pc = (int)pc,
                    .present = top->mask};
    r->compared++;
    if ((int)pc != top->pc || !e->inst)
        return retire_fail(r, e, d, "expected pc %d to issue, the SM issued pc %u", top->pc, pc);
    if (mask != top->mask)
        return retire_fail(r, e, d, "expected the lanes %08x here, the SM has %08x", top->mask,
                           mask);
    e->active = top->mask & read_predicate(w, &e->inst->guard);
    if (active != e->active)
        return retire_fail(r, e, d, "expected the lanes %08x to execute, in the SM %08x do",
                           e->active, active);
    for (int i = 0; i < 3; i++) e->psrc[i] = read_predicate(w, &e->inst->psrc[i]);
    if (!e->active) {
        go_to(w, top->pc + 1);
        return true;
    }
    for (int i = 0; i < 3; i++) read_source(r, e, i);
    e->unknown = e->unknown_source[0] | e->unknown_source[1] | e->unknown_source[2];
    const int op = e->inst->op;
    if (e->unknown &&
        (op == ISA_VOTE || op == ISA_MATCH || op == ISA_REDUX || op == ISA_MMA || op == ISA_SHFL))
        e->unknown = e->active;
    execute_inst(r, w, e);
    return true;
}

bool retire_skip(Retire *r, int warp, int first, int after, int out, uint32_t lanes,
                 const uint32_t value[ISA_LANES], Diag *d) {
    RetireWarp *w = &r->warps[warp];
    for (int pc = first; pc < after; pc++) {
        const uint32_t active = lanes & read_predicate(w, &w->program->insts[pc].guard);
        if (!retire_issue(r, warp, (uint32_t)pc, lanes, active, d)) return false;
    }
    const uint32_t *right = retire_reg(r, warp, out), known = lanes & ~r->unknown[warp][out];
    for (int l = 0; l < ISA_LANES; l++)
        if (known >> l & 1 && right[l] != value[l])
            return retire_fail(
                r, &w->now, d,
                "skipped from pc %d on: lane %d of R%d: expected 0x%08x, the table had "
                "0x%08x",
                first, l, out, right[l], value[l]);
    return true;
}

void retire_flight(Retire *r, int flight, int warp) { r->expected[flight] = r->warps[warp].now; }

// ---- barriers with reduction ----

void retire_arrive(Retire *r, int flight, int cta_slot, int barrier) {
    RetireBarrier *b = &r->barriers[cta_slot][barrier];
    if (b->count < (int)(sizeof b->flights / sizeof *b->flights)) b->flights[b->count++] = flight;
}

void retire_release(Retire *r, int cta_slot, int barrier) {
    RetireBarrier *b = &r->barriers[cta_slot][barrier];
    bool any = false, all = true;
    uint32_t count = 0;
    for (int i = 0; i < b->count; i++) {
        const Expected *e = &r->expected[b->flights[i]];
        if (e->inst->mode != 2) continue;
        uint32_t p = e->psrc[0] & e->active;
        any = any || p;
        all = all && p == e->active;
        count += (unsigned)__builtin_popcount(p);
    }
    for (int i = 0; i < b->count; i++) {
        Expected *e = &r->expected[b->flights[i]];
        if (e->inst->mode != 2) continue;
        e->out.pdst[0] = (e->inst->atom == PTX_ATOM_OR ? any : all) ? ~0u : 0;
        e->out.pdst[1] = ~e->out.pdst[0];
        for (int l = 0; l < ISA_LANES; l++) e->out.dst[0][l] = count;
        e->has_result = true;
        write_result(r, e);
    }
    b->count = 0;
}

// ---- comparison ----

// Unknown lanes take the SM's value.
static void adopt_result(Retire *r, Expected *e, const IsaExecOut *out) {
    for (int k = 0; k < e->inst->dst_width; k++)
        for (int l = 0; l < ISA_LANES; l++)
            if (e->unknown >> l & 1) e->out.dst[k][l] = out->dst[k][l];
    for (int i = 0; i < 2; i++)
        e->out.pdst[i] = (e->out.pdst[i] & ~e->unknown) | (out->pdst[i] & e->unknown);
    write_lanes(r, e, e->unknown);
}

// Loads and atomics return the data of their address, and the interpreter has adopted the address.
static bool is_computed(const IsaInst *in) {
    return in->op != ISA_LD && in->op != ISA_LDC && in->op != ISA_ATOM && in->op != ISA_SYSCALL &&
        in->op != ISA_TEX;
}

bool retire_result(Retire *r, int flight, const IsaExecOut *out, Diag *d) {
    Expected *e = &r->expected[flight];
    const IsaInst *in = e->inst;
    panic_if(!in, "a result for no instruction");
    r->compared++;
    if (e->trust) {
        e->out = *out;
        write_result(r, e);
        return true;
    }
    if (!e->has_result)
        return retire_fail(r, e, d, "the SM has a result before the instruction was performed");
    if (e->unknown && is_computed(in)) adopt_result(r, e, out);
    int words = in->dst == ISA_RZ ? 0 : in->dst_width;
    for (int k = 0; k < words; k++)
        for (int l = 0; l < ISA_LANES; l++)
            if (e->active >> l & 1 && e->out.dst[k][l] != out->dst[k][l])
                return retire_fail(r, e, d, "lane %d of R%d: expected 0x%08x, the SM has 0x%08x", l,
                                   in->dst + k, e->out.dst[k][l], out->dst[k][l]);
    for (int i = 0; i < 2; i++) {
        uint32_t differ = in->pdst[i] == ISA_PT ? 0 : (e->out.pdst[i] ^ out->pdst[i]) & e->active;
        if (differ)
            return retire_fail(r, e, d, "lane %d of P%d: expected %u, the SM has %u",
                               __builtin_ctz(differ), in->pdst[i],
                               e->out.pdst[i] >> __builtin_ctz(differ) & 1,
                               out->pdst[i] >> __builtin_ctz(differ) & 1);
    }
    return true;
}
