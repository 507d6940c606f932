// SPDX-License-Identifier: Apache-2.0
#include "machine.h"

#include "launch/device_heap.h"
#include "launch/device_printf.h"
#include "ptx/ptx.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const MachineConfig machine_fermi = {.sm_warps = 48,
                                     .sm_threads = 1536,
                                     .sm_ctas = 8,
                                     .sm_schedulers = 2,
                                     .rf_banks = 4,
                                     .rf_entries = 256,
                                     .rf_granularity = 4,
                                     .sm_regs_per_thread = 63,
                                     .shared_bytes = 49152,
                                     .shared_latency = 26,
                                     .l2_latency = 200,
                                     .const_latency = 8,
                                     .exec_int_latency = 4,
                                     .exec_imul_latency = 5,
                                     .exec_fp32_latency = 4,
                                     .exec_mem_latency = 4,
                                     .exec_cmp_latency = 4,
                                     .exec_shift_latency = 4,
                                     .exec_cvt_latency = 4,
                                     .compiler_addr_bits = 32};

IsaProgram *machine_compile(Arena *arena, const CompileOptions *o, const char *bounds,
                            const char *body, Diag *d) {
    DeviceMemory memory;
    ModuleLayout layout = {0};
    SharedLayout shared = {0};
    const char *text =
        arena_printf(arena,
                     ".version 7.0\n.target sm_70\n.address_size 64\n"
                     ".visible .entry k(.param .u64 column, .param .u64 a, .param .u64 x)\n%s\n{\n"
                     ".reg .u32 %%r<9>; .reg .u64 %%rd<9>; .reg .f32 %%f<9>; .reg .pred %%p<3>; "
                     ".shared .b8 s[4096];\n%sret;\n}\n",
                     bounds, body);
    const PtxModule *m = ptx_parse(arena, "k.ptx", text, strlen(text), d);
    const PtxFunc *f = m ? ptx_entry(m, "k", d) : NULL;
    if (!f || !device_open(&memory, arena, d)) return NULL;
    IsaProgram *p =
        layout_module(&layout, arena, m, &memory, d) && layout_shared(&shared, arena, m, f, d)
        ? compile_kernel(arena, m, f, &layout, &shared, o, d)
        : NULL;
    device_close(&memory);
    return p;
}

// ---- interpreter ----

enum { MAX_PATHS = 256 };

typedef struct Path {
    int pc, reconv;
    uint32_t mask;
} Path;

typedef struct Warp {
    uint32_t reg[ISA_MAX_REGS + 1][ISA_LANES];
    uint32_t pred[8];  // lane masks; 7 is always true
    Path path[MAX_PATHS];
    int npaths, number, barrier;  // barrier: number it waits at, -1 none
    int expected;                 // warps the barrier waits for, 0: all
    uint32_t lanes;
    uint8_t *local;  // [lane][local_bytes]
    bool held;       // a section of extended registers
    const IsaProgram *p;
    bool scalar;       // the CTA's scalar thread
    bool with_scalar;  // the barrier it waits at expects the thread
} Warp;

typedef struct Machine {
    MachineRun *run;
    const IsaProgram *p;
    Diag *d;
    Warp *warps;      // the scalar thread behind them
    int nwarps, all;  // warps; with the scalar thread
    uint32_t ctaid[3];
    uint8_t *shared;
    uint32_t shared_bytes;
    int local_bytes;
    int arrived[16];
    uint32_t red_and[16], red_or[16], red_count[16];
} Machine;

static bool fail(Machine *m, const IsaInst *in, int lane, uint64_t addr, const char *what) {
    char text[256];
    isa_print_inst(text, sizeof text, in);
    return diag_fail(m->d, EXIT_WRONG_RESULT, "%s: `%s` lane %d address 0x%" PRIx64 ": %s",
                     m->p->name, text, lane, addr, what);
}

// ---- memory ----

static uint8_t *place(Machine *m, Warp *w, IsaSpace space, uint64_t a, int lane, uint32_t n) {
    if (space == ISA_GENERIC) {
        switch (device_space_of(a)) {
        case PTX_SHARED:
            space = ISA_SHARED;
            a -= DEVICE_SHARED_BASE;
            break;
        case PTX_LOCAL:
            space = ISA_LOCAL;
            a -= DEVICE_LOCAL_BASE;
            break;
        case PTX_CONST:
            a -= DEVICE_CONST_BASE;
            return a + n <= m->run->layout->const_bytes ? m->run->layout->const_image + a : NULL;
        case PTX_PARAM:
            a -= DEVICE_PARAM_BASE;
            return a + n <= (uint64_t)m->p->param_bytes ? (uint8_t *)(uintptr_t)m->run->params + a
                                                        : NULL;
        default: space = ISA_GLOBAL;
        }
    }
    switch (space) {
    case ISA_SHARED: return a + n <= m->shared_bytes ? m->shared + a : NULL;
    case ISA_LOCAL:
        return a + n <= (uint64_t)m->local_bytes
            ? w->local + (size_t)lane * (size_t)m->local_bytes + a
            : NULL;
    default: return device_at(m->run->memory, a, n);
    }
}

static uint32_t source(Machine *m, const Warp *w, const IsaSrc *s, int word, int lane) {
    switch (s->kind) {
    case ISA_SRC_REG: return s->reg == ISA_RZ ? 0 : w->reg[s->reg + word][lane];
    case ISA_SRC_IMM: return (uint32_t)(s->imm >> (32 * word));
    case ISA_SRC_CONST: {
        const uint8_t *bank = s->cbank ? m->run->layout->const_image : m->run->params;
        uint64_t size = s->cbank ? m->run->layout->const_bytes : (uint64_t)m->p->param_bytes,
                 at = s->imm + 4u * (unsigned)word;
        uint32_t v = 0;
        if (at < size) memcpy(&v, bank + at, size - at < 4 ? size - at : 4);
        return v;
    }
    default: return 0;
    }
}

static uint64_t address(Machine *m, const Warp *w, const IsaInst *in, int lane) {
    const IsaSrc *s = &in->src[0];
    uint64_t a = source(m, w, s, 0, lane);
    if (s->width == 2)
        return (a | (uint64_t)source(m, w, s, 1, lane) << 32) + (uint64_t)(int64_t)in->offset;
    return (uint32_t)(a + (uint32_t)in->offset);
}

static bool read_generic_for(Machine *m, Warp *w, int lane, uint64_t addr, void *to, uint32_t n) {
    uint8_t *p = place(m, w, ISA_GENERIC, addr, lane, n);
    if (p) memcpy(to, p, n);
    return p != NULL;
}
typedef struct Reader {
    Machine *m;
    Warp *w;
    int lane;
} Reader;
static bool read_generic(void *ctx, uint64_t addr, void *to, uint32_t n) {
    Reader *r = ctx;
    return read_generic_for(r->m, r->w, r->lane, addr, to, n);
}

static bool do_load(Machine *m, Warp *w, const IsaInst *in, uint32_t active) {
    for (int l = 0; l < ISA_LANES; l++) {
        if (!(active >> l & 1)) continue;
        uint64_t a = address(m, w, in, l);
        const uint8_t *p;
        if (in->op == ISA_LDC) {
            uint64_t size = in->cbank ? m->run->layout->const_bytes : (uint64_t)m->p->param_bytes;
            p = a + in->mem_bytes <= size
                ? (in->cbank ? m->run->layout->const_image : m->run->params) + a
                : NULL;
        } else p = place(m, w, in->space, a, l, in->mem_bytes);
        if (!p || a % in->mem_bytes) return fail(m, in, l, a, p ? "misaligned" : "not allocated");
        uint32_t v[4] = {0};
        memcpy(v, p, in->mem_bytes);
        if (in->type == ISA_S8) v[0] = (uint32_t)(int8_t)v[0];
        if (in->type == ISA_S16) v[0] = (uint32_t)(int16_t)v[0];
        for (int i = 0; i < in->dst_width && in->dst != ISA_RZ; i++) w->reg[in->dst + i][l] = v[i];
    }
    return true;
}

static bool do_store(Machine *m, Warp *w, const IsaInst *in, uint32_t active) {
    for (int l = 0; l < ISA_LANES; l++) {
        if (!(active >> l & 1)) continue;
        uint64_t a = address(m, w, in, l);
        uint8_t *p = place(m, w, in->space, a, l, in->mem_bytes);
        if (!p || a % in->mem_bytes) return fail(m, in, l, a, p ? "misaligned" : "not allocated");
        uint32_t v[4];
        for (int i = 0; i < 4; i++)
            v[i] = i < in->src[1].width ? source(m, w, &in->src[1], i, l) : 0;
        memcpy(p, v, in->mem_bytes);
    }
    return true;
}

static bool do_atomic(Machine *m, Warp *w, const IsaInst *in, uint32_t active) {
    for (int l = 0; l < ISA_LANES; l++) {
        if (!(active >> l & 1)) continue;
        uint64_t a = address(m, w, in, l), v[3] = {0}, old = 0;
        uint8_t *p = place(m, w, in->space, a, l, in->mem_bytes);
        if (!p || a % in->mem_bytes) return fail(m, in, l, a, p ? "misaligned" : "not allocated");
        for (int i = 1; i < 3; i++) {
            v[i] = source(m, w, &in->src[i], 0, l);
            if (in->src[i].width == 2) v[i] |= (uint64_t)source(m, w, &in->src[i], 1, l) << 32;
        }
        memcpy(&old, p, in->mem_bytes);
        const bool global = in->space == ISA_GLOBAL ||
            (in->space == ISA_GENERIC && device_space_of(a) == PTX_GLOBAL);
        uint64_t now = isa_atomic(in->atom, in->type, global, old, v[1], v[2]);
        memcpy(p, &now, in->mem_bytes);
        for (int i = 0; i < in->dst_width && in->dst != ISA_RZ; i++)
            w->reg[in->dst + i][l] = (uint32_t)(old >> (32 * i));
    }
    return true;
}

static bool do_syscall(Machine *m, Warp *w, const IsaInst *in, uint32_t active) {
    for (int l = 0; l < ISA_LANES; l++) {
        if (!(active >> l & 1)) continue;
        uint64_t a = address(m, w, in, l), arg[2] = {0}, r = 0;
        uint8_t *p = place(m, w, ISA_LOCAL, a, l, in->mode == ISA_SYS_VPRINTF ? 16 : 8);
        if (!p) return fail(m, in, l, a, "argument block");
        memcpy(arg, p, in->mode == ISA_SYS_VPRINTF ? 16 : 8);
        Reader reader = {m, w, l};
        switch ((IsaSyscall)in->mode) {
        case ISA_SYS_VPRINTF:
            r = (uint64_t)device_printf(NULL, read_generic, &reader, arg[0], arg[1]);
            break;
        case ISA_SYS_MALLOC: r = device_malloc(m->run->memory, arg[0]); break;
        case ISA_SYS_FREE:
            if (!device_free(m->run->memory, arg[0])) return fail(m, in, l, arg[0], "bad free");
            break;
        default: return fail(m, in, l, a, "assertion failed");
        }
        for (int i = 0; i < in->dst_width && in->dst != ISA_RZ; i++)
            w->reg[in->dst + i][l] = (uint32_t)(r >> (32 * i));
    }
    return true;
}

// ---- special registers ----

static uint32_t special(const Machine *m, const Warp *w, int sreg, int lane) {
    const uint32_t *b = m->run->block, *g = m->run->grid;
    uint32_t t = (uint32_t)(w->number * 32 + lane);
    switch (sreg) {
    case PTX_SREG_TID_X: return t % b[0];
    case PTX_SREG_TID_Y: return t / b[0] % b[1];
    case PTX_SREG_TID_Z: return t / b[0] / b[1];
    case PTX_SREG_NTID_X:
    case PTX_SREG_NTID_Y:
    case PTX_SREG_NTID_Z: return b[sreg - PTX_SREG_NTID_X];
    case PTX_SREG_CTAID_X:
    case PTX_SREG_CTAID_Y:
    case PTX_SREG_CTAID_Z: return m->ctaid[sreg - PTX_SREG_CTAID_X];
    case PTX_SREG_NCTAID_X:
    case PTX_SREG_NCTAID_Y:
    case PTX_SREG_NCTAID_Z: return g[sreg - PTX_SREG_NCTAID_X];
    case PTX_SREG_LANEID: return (uint32_t)lane;
    case PTX_SREG_WARPID: return (uint32_t)w->number;
    case PTX_SREG_NWARPID: return (uint32_t)m->nwarps;
    case PTX_SREG_NSMID: return 1;
    case PTX_SREG_LANEMASK_EQ: return 1u << lane;
    case PTX_SREG_LANEMASK_LT: return (1u << lane) - 1;
    case PTX_SREG_LANEMASK_LE: return (2u << lane) - 1;
    case PTX_SREG_LANEMASK_GT: return ~((2u << lane) - 1);
    case PTX_SREG_LANEMASK_GE: return ~((1u << lane) - 1);
    case PTX_SREG_DYNAMIC_SMEM_SIZE: return m->run->shared_bytes;
    case PTX_SREG_TOTAL_SMEM_SIZE: return m->shared_bytes;
    case ISA_SREG_CTA_LINEAR: return m->ctaid[0] + g[0] * (m->ctaid[1] + g[1] * m->ctaid[2]);
    case ISA_SREG_NCTA_RESIDENT: return m->run->resident;
    case PTX_SREG_CLOCK: return w->scalar && m->run->clock ? m->run->clock(m->run->ctx) : 0;
    default: return 0;
    }
}

// ---- one instruction ----

static uint32_t predicate(const Warp *w, IsaPred p) {
    return p.neg ? ~w->pred[p.reg] : w->pred[p.reg];
}

static void do_alu(Machine *m, Warp *w, const IsaInst *in, uint32_t active, uint32_t present) {
    static const uint32_t none[ISA_LANES];
    uint32_t hold[3][4][ISA_LANES];
    IsaExecIn x = {.active = active, .present = present};
    IsaExecOut out;
    memset(&out, 0xa5, sizeof out);
    for (int i = 0; i < 3; i++) {
        x.psrc[i] = predicate(w, in->psrc[i]);
        for (int k = 0; k < 4; k++) {
            x.src[i][k] = none;
            if (in->src[i].kind == ISA_SRC_NONE || k >= in->src[i].width) continue;
            for (int l = 0; l < ISA_LANES; l++) hold[i][k][l] = source(m, w, &in->src[i], k, l);
            x.src[i][k] = hold[i][k];
        }
    }
    if (in->op == ISA_S2R) {
        for (int l = 0; l < ISA_LANES; l++)
            if (active >> l & 1) out.dst[0][l] = special(m, w, in->sreg, l), out.dst[1][l] = 0;
    } else isa_exec(in, &x, &out);
    for (int i = 0; i < in->dst_width && in->dst != ISA_RZ; i++)
        for (int l = 0; l < ISA_LANES; l++)
            if (active >> l & 1) w->reg[in->dst + i][l] = out.dst[i][l];
    for (int i = 0; i < 2; i++)
        if (in->pdst[i] != ISA_PT)
            w->pred[in->pdst[i]] = (w->pred[in->pdst[i]] & ~active) | (out.pdst[i] & active);
}

static bool push(Machine *m, Warp *w, int pc, int reconv, uint32_t mask) {
    if (w->npaths == MAX_PATHS) return diag_fail(m->d, EXIT_HANG, "%s: too many paths", m->p->name);
    w->path[w->npaths++] = (Path){pc, reconv, mask};
    return true;
}

// Lanes of `mask` leave for `to`; the rest go on behind the branch.
static bool do_branch(Machine *m, Warp *w, const IsaInst *in, int pc, uint32_t active) {
    Path *top = &w->path[w->npaths - 1];
    uint32_t rest = top->mask & ~active;
    if (!rest) top->pc = in->target;
    else if (!active) top->pc = pc + 1;
    else {
        int reconv = in->reconv;
        top->pc = reconv;  // -1: no lane returns
        if (reconv < 0) w->npaths--;
        // the order of the sides is free
        const bool swap = m->p->base_regs && m->run->insts >> 3 & 1;
        const int first = swap ? in->target : pc + 1, second = swap ? pc + 1 : in->target;
        if (first != reconv && !push(m, w, first, reconv, swap ? active : rest)) return false;
        if (second != reconv && !push(m, w, second, reconv, swap ? rest : active)) return false;
    }
    return true;
}

static bool do_indexed(Machine *m, Warp *w, const IsaInst *in, uint32_t active) {
    Path *top = &w->path[w->npaths - 1];
    int reconv = in->reconv, len = m->p->table_len[in->target];
    top->pc = reconv;
    if (reconv < 0) w->npaths--;
    for (int k = 0; k < len; k++) {
        uint32_t mask = 0;
        for (int l = 0; l < ISA_LANES; l++) {
            uint32_t index = source(m, w, &in->src[0], 0, l);
            if (active >> l & 1 &&
                (index == (uint32_t)k || (k == len - 1 && index >= (uint32_t)len)))
                mask |= 1u << l;
        }
        if (mask && m->p->tables[in->target][k] != reconv &&
            !push(m, w, m->p->tables[in->target][k], reconv, mask))
            return false;
    }
    return true;
}

static void do_exit(Warp *w, uint32_t active) {
    w->lanes &= ~active;
    for (int i = 0; i < w->npaths; i++) w->path[i].mask &= ~active;
}

static void do_barrier(Machine *m, Warp *w, const IsaInst *in, uint32_t active) {
    int b = (int)source(m, w, &in->src[0], 0, 0) & 15;
    m->arrived[b]++;
    if (in->mode == ISA_BAR_RED) {
        uint32_t p = predicate(w, in->psrc[0]);
        m->red_and[b] &= (p & active) == active;
        m->red_or[b] |= (p & active) != 0;
        m->red_count[b] += (uint32_t)__builtin_popcount(p & active);
    }
    if (in->mode == ISA_BAR_ARRIVE) return;
    w->barrier = b;
    w->with_scalar = in->with_scalar;
    w->expected = in->src[1].kind == ISA_SRC_NONE ? 0 : (int)source(m, w, &in->src[1], 0, 0) / 32;
}

// ---- sections ----

// A release leaves nothing in the extended registers, a section that is taken holds another warp's
// values.
static void section(Machine *m, Warp *w, bool take) {
    if (take == w->held) return;
    w->held = take;
    for (int r = m->p->base_regs; r < ISA_MAX_REGS; r++)
        for (int l = 0; l < ISA_LANES; l++)
            w->reg[r][l] =
                0x9e3779b9u * (uint32_t)(m->run->insts + 64u * (unsigned)l) + (unsigned)r;
    m->run->sections += take;
}

// Restrictions on a split program in its present state.
static bool section_ok(Machine *m, const Warp *w, const IsaInst *in) {
    uint8_t read[ISA_MAX_SRC_WORDS], written[ISA_MAX_DST_WORDS];
    if (!m->p->base_regs) return true;
    const int nread = isa_reads(in, read), nwritten = isa_writes(in, written);
    for (int i = 0; i < nread && !w->held; i++)
        if (read[i] >= m->p->base_regs)
            return fail(m, in, 0, 0, "reads an extended register without a section");
    for (int i = 0; i < nwritten && !w->held; i++)
        if (written[i] >= m->p->base_regs)
            return fail(m, in, 0, 0, "writes an extended register without a section");
    return in->op != ISA_BAR || !w->held || fail(m, in, 0, 0, "a barrier with a section held");
}

// TOUCH is only a hint. The callback ignores an address without memory.
static void do_touch(Machine *m, Warp *w, const IsaInst *in, uint32_t active) {
    for (int l = 0; l < ISA_LANES; l++) {
        const uint64_t a = address(m, w, in, l);
        if (active >> l & 1 && m->run->touched) m->run->touched(m->run->ctx, a);
    }
}

// Restrictions on a scalar thread.
static bool thread_ok(Machine *m, const Warp *w, const IsaInst *in) {
    if (!w->scalar) return true;
    switch (in->op) {
    case ISA_SYSCALL:
    case ISA_SHFL:
    case ISA_VOTE:
    case ISA_MATCH:
    case ISA_REDUX:
    case ISA_NANOSLEEP:
    case ISA_HINT:
    case ISA_WARPSYNC:
    case ISA_ACQ:
    case ISA_REL: return fail(m, in, 0, 0, "not for a scalar thread");
    case ISA_BAR:
        return (in->with_scalar && in->mode != ISA_BAR_RED) ||
            fail(m, in, 0, 0, "a barrier without the scalar thread");
    case ISA_LD:
    case ISA_ST:
    case ISA_ATOM:
        return in->space != ISA_LOCAL || fail(m, in, 0, 0, "local memory in a scalar thread");
    default: return true;
    }
}

static bool step(Machine *m, Warp *w) {
    m->p = w->p;
    Path *top = &w->path[w->npaths - 1];
    if (!top->mask || top->pc == top->reconv) {
        w->npaths--;
        return true;
    }
    const IsaInst *in = &m->p->insts[top->pc];
    int pc = top->pc;
    uint32_t active = top->mask & predicate(w, in->guard);
    if (w->scalar) m->run->thread_insts++;
    m->run->insts++;
    if (!thread_ok(m, w, in)) return false;
    if (!section_ok(m, w, in)) return false;
    switch (in->op) {
    case ISA_BRA: return do_branch(m, w, in, pc, active);
    case ISA_BRX: return do_indexed(m, w, in, active);
    case ISA_EXIT:
        top->pc++;
        do_exit(w, active);
        return true;
    case ISA_TRAP: return active ? fail(m, in, 0, 0, "trap") : (top->pc++, true);
    default: top->pc++;
    }
    if (!active) return true;
    switch (in->op) {
    case ISA_ACQ:
    case ISA_REL: section(m, w, in->op == ISA_ACQ); return true;
    case ISA_NOP:
    case ISA_MEMBAR:
    case ISA_WARPSYNC:
    case ISA_NANOSLEEP:
    case ISA_PREFETCH: return true;
    case ISA_TOUCH: do_touch(m, w, in, active); return true;
    case ISA_LD:
    case ISA_LDC: return do_load(m, w, in, active);
    case ISA_ST: return do_store(m, w, in, active);
    case ISA_ATOM: return do_atomic(m, w, in, active);
    case ISA_SYSCALL: return do_syscall(m, w, in, active);
    case ISA_BAR: do_barrier(m, w, in, active); return true;
    default: do_alu(m, w, in, active, top->mask); return true;
    }
}

// ---- CTAs ----

static void release(Machine *m, int b) {
    for (int i = 0; i < m->all; i++) {
        Warp *w = &m->warps[i];
        if (w->barrier != b) continue;
        w->barrier = -1;
        const Path *top = &w->path[w->npaths - 1];
        const IsaInst *in = &w->p->insts[top->pc - 1];
        if (in->mode != ISA_BAR_RED) continue;
        bool r = in->atom == PTX_ATOM_AND ? m->red_and[b] : m->red_or[b];
        if (in->pdst[0] != ISA_PT)
            w->pred[in->pdst[0]] = (w->pred[in->pdst[0]] & ~top->mask) | (r ? top->mask : 0);
        for (int l = 0; in->dst != ISA_RZ && l < ISA_LANES; l++)
            if (top->mask >> l & 1) w->reg[in->dst][l] = m->red_count[b];
    }
    m->arrived[b] = 0;
    m->red_and[b] = 1;
    m->red_or[b] = m->red_count[b] = 0;
}

static bool open_barriers(Machine *m) {
    int alive = 0;
    bool any = false;
    for (int i = 0; i < m->nwarps; i++) alive += m->warps[i].lanes != 0;
    const int thread = m->all > m->nwarps && m->warps[m->nwarps].lanes;
    for (int b = 0; b < 16; b++) {
        int expected = 0;
        bool waited = false, both = false;
        for (int i = 0; i < m->all; i++)
            if (m->warps[i].barrier == b) {
                waited = true;
                both |= m->warps[i].with_scalar;
                expected = m->warps[i].expected;
            }
        if (waited && m->arrived[b] >= (expected ? expected : alive + (both ? thread : 0))) {
            release(m, b);
            any = true;
        }
    }
    return any;
}

static bool run_cta(Machine *m) {
    for (int b = 0; b < 16; b++) {
        m->arrived[b] = 0;
        m->red_and[b] = 1;
        m->red_or[b] = m->red_count[b] = 0;
    }
    for (bool alive = true; alive;) {
        alive = false;
        bool moved = false;
        // the thread, in every other CTA
        const bool first = (m->ctaid[0] + m->ctaid[1] + m->ctaid[2]) % 2;
        for (int k = 0; k < m->all; k++) {
            const int i = first ? (k + m->nwarps) % m->all : k;
            Warp *w = &m->warps[i];
            while (w->npaths && w->lanes && w->barrier < 0) {
                moved = true;
                if (!step(m, w)) return false;
                if (m->run->max_insts && m->run->insts > m->run->max_insts)
                    return diag_fail(m->d, EXIT_HANG, "%s: instruction limit%s", m->p->name,
                                     w->scalar ? " (thread)" : "");
            }
            alive |= w->lanes != 0;
            if (w->lanes && !w->npaths)
                return diag_fail(m->d, EXIT_WRONG_RESULT, "%s: lanes lost", m->p->name);
        }
        if (open_barriers(m)) moved = true;
        if (alive && !moved) return diag_fail(m->d, EXIT_HANG, "%s: barrier deadlock", m->p->name);
    }
    return true;
}

static void start_cta(Machine *m, uint32_t threads, uint8_t *locals) {
    memset(m->shared, 0, m->shared_bytes);
    for (int i = 0; i < m->all; i++) {
        Warp *w = &m->warps[i];
        memset(w->reg, 0xcd, sizeof w->reg);
        for (int p = 0; p < 7; p++) w->pred[p] = 0x5a5a5a5au;
        w->pred[7] = ~0u;
        uint32_t left = threads - (uint32_t)i * 32;
        w->scalar = i == m->nwarps;
        w->p = w->scalar ? m->run->program->scalar : m->run->program;
        w->lanes = w->scalar ? 1 : left >= 32 ? ~0u : (1u << left) - 1;
        w->number = w->scalar ? 0 : i;
        w->barrier = -1;
        w->held = false;
        w->path[0] = (Path){0, -2, w->lanes};
        w->npaths = 1;
        w->local = locals + (size_t)i * ISA_LANES * (size_t)m->local_bytes;
        memset(w->local, 0, ISA_LANES * (size_t)m->local_bytes);
    }
}

bool machine_run(MachineRun *run, Diag *d) {
    uint32_t threads = run->block[0] * run->block[1] * run->block[2];
    Machine m = {.run = run, .p = run->program, .d = d, .nwarps = (int)(threads + 31) / 32};
    uint32_t fixed = (uint32_t)run->program->shared_bytes;
    m.shared_bytes = (fixed + 15) / 16 * 16 + run->shared_bytes;
    m.all = m.nwarps + (run->program->scalar != NULL);
    m.local_bytes = (int)(run->program->local_bytes + 15) / 16 * 16;
    m.warps = calloc((size_t)m.all, sizeof *m.warps);
    m.shared = calloc(1, m.shared_bytes + 1);
    uint8_t *locals = calloc((size_t)m.all * ISA_LANES, (size_t)m.local_bytes + 1);
    bool ok = m.warps && m.shared && locals;
    uint64_t ctas = (uint64_t)run->grid[0] * run->grid[1] * run->grid[2];
    if (run->program->half_grid) ctas = (ctas + 1) / 2;
    for (uint64_t n = 0; ok && n < ctas; n++) {
        m.ctaid[0] = (uint32_t)(n % run->grid[0]);
        m.ctaid[1] = (uint32_t)(n / run->grid[0] % run->grid[1]);
        m.ctaid[2] = (uint32_t)(n / run->grid[0] / run->grid[1]);
        start_cta(&m, threads, locals);
        ok = run_cta(&m);
    }
    free(m.warps);
    free(m.shared);
    free(locals);
    return ok;
}
